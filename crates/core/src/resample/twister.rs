//! NumPy's legacy generator, the Mersenne Twister (Matsumoto and Nishimura, 1998), as far as `randint` and `choice` of
//! `numpy.random` need it: rouge-score draws its resamples from it.
//!
//! The state comes from NumPy and goes back to it, so that a program's other draws are those they would have been.

use super::DRAWS;
use crate::halt;

/// The words of the state.
pub const STATE: usize = 624;

/// How many numbers are drawn at a time.
const BLOCK: usize = 512;

/// How far the word stands that each is mixed with.
const SHIFT: usize = 397;

/// The generator in some state.
#[derive(Clone)]
pub struct Twister {
    key: [u32; STATE],
    place: usize,
    /// What the words of the state give: all at once, because that compiles to vector instructions.
    given: [u32; STATE],
}

impl Twister {
    /// The generator with these words, of which so many have been used.
    pub fn new(key: [u32; STATE], place: usize) -> Self {
        let mut generator = Self { key, place: place.min(STATE), given: [0; STATE] };
        generator.temper();
        generator
    }

    /// The words, and how many have been used.
    pub fn state(&self) -> (&[u32; STATE], usize) {
        (&self.key, self.place)
    }

    #[cold]
    fn twist(&mut self) {
        // Three parts, each of which knows where its words are without a remainder: vector instructions.
        let key = &mut self.key;
        for at in 0..STATE - SHIFT {
            key[at] = twisted(key[at], key[at + 1], key[at + SHIFT]);
        }
        for at in STATE - SHIFT..STATE - 1 {
            key[at] = twisted(key[at], key[at + 1], key[at + SHIFT - STATE]);
        }
        key[STATE - 1] = twisted(key[STATE - 1], key[0], key[SHIFT - 1]);
        self.temper();
        self.place = 0;
    }

    fn temper(&mut self) {
        self.given.iter_mut().zip(&self.key).for_each(|(given, &word)| *given = tempered(word));
    }

    /// Numbers below `count`: bits are drawn until they make one. One in a few words makes none, at places that nobody
    /// can predict, so that a number is written for each word, and the next one over it if it was too large.
    fn fill(&mut self, numbers: &mut [u32], count: u32, mask: u32) {
        let mut filled = 0;
        while filled < numbers.len() {
            if self.place == STATE {
                self.twist();
            }
            // No more words than numbers are missing, so that none is used up in vain.
            let words = (numbers.len() - filled).min(STATE - self.place);
            for &word in &self.given[self.place..self.place + words] {
                numbers[filled] = word & mask;
                filled += usize::from(word & mask < count);
            }
            self.place += words;
        }
    }
}

/// What a word of the state becomes, with the one after it and the one far behind.
fn twisted(word: u32, after: u32, far: u32) -> u32 {
    let joined = (word & 0x8000_0000) | (after & 0x7FFF_FFFF);
    far ^ (joined >> 1) ^ ((joined & 1) * 0x9908_B0DF)
}

/// What a word of the state gives.
fn tempered(word: u32) -> u32 {
    let word = word ^ (word >> 11);
    let word = word ^ ((word << 7) & 0x9D2C_5680);
    let word = word ^ ((word << 15) & 0xEFC6_0000);
    word ^ (word >> 18)
}

/// The means of each column over rows drawn with replacement, sample after sample. Rows are added in the order in which
/// they are drawn, as NumPy does. There are no more than 2³² − 1 of them.
pub fn drawn_means(rows: &[[f64; 3]], samples: usize, generator: &mut Twister) -> Vec<f64> {
    let count = rows.len() as u32;
    let mask = u32::MAX.checked_shr((count - 1).leading_zeros()).unwrap_or(0);
    let mut means = Vec::new();
    halt::reserve(&mut means, 3 * samples);
    let mut drawn = [0; BLOCK];
    for _ in 0..samples {
        halt::spend(1 + rows.len() / DRAWS);
        let (mut sums, mut left) = ([0.0; 3], rows.len());
        while left > 0 {
            let drawn = &mut drawn[..left.min(BLOCK)];
            // Of one row there is nothing to draw, and NumPy draws nothing.
            if mask > 0 {
                generator.fill(drawn, count, mask);
            }
            for row in drawn.iter().map(|&at| rows[at as usize]) {
                (0..3).for_each(|column| sums[column] += row[column]);
            }
            left -= drawn.len();
        }
        means.extend(sums.map(|sum| sum / f64::from(count)));
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The state after `numpy.random.seed(5489)`, which is the seed of the published test.
    fn published() -> Twister {
        let mut key = [5489_u32; STATE];
        for at in 1..STATE {
            key[at] = 1_812_433_253_u32.wrapping_mul(key[at - 1] ^ (key[at - 1] >> 30)).wrapping_add(at as u32);
        }
        Twister::new(key, STATE)
    }

    #[test]
    fn the_first_and_the_ten_thousandth_word_are_the_published_ones() {
        let mut words = [0; 10_000];
        published().fill(&mut words, u32::MAX, u32::MAX);
        assert_eq!((3_499_211_612, 4_123_659_995), (words[0], words[9_999]));
    }

    #[test]
    fn numbers_are_the_words_that_are_not_too_large_and_no_word_is_used_beyond_the_last() {
        for (count, mask) in [(2, 1), (3, 3), (5, 7), (1000, 1023), (1025, 2047)] {
            let mut words = [0; 4 * BLOCK];
            published().fill(&mut words, u32::MAX, u32::MAX);
            let mut good = words.iter().enumerate().filter(|&(_, &word)| word & mask < count);
            let (mut generator, mut used) = (published(), 0);
            for size in [1, 2, 100, 523] {
                let mut numbers = vec![0; size];
                generator.fill(&mut numbers, count, mask);
                for number in numbers {
                    let (at, word) = good.next().unwrap();
                    used = at + 1;
                    assert_eq!(word & mask, number);
                }
                assert_eq!((used - 1) % STATE + 1, generator.state().1);
            }
        }
    }

    #[test]
    fn one_row_needs_no_draw() {
        let mut generator = published();
        assert_eq!(vec![0.5, 0.25, 1.0, 0.5, 0.25, 1.0], drawn_means(&[[0.5, 0.25, 1.0]], 2, &mut generator));
        assert_eq!(STATE, generator.state().1);
    }
}
