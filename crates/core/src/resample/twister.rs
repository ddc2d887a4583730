//! NumPy's legacy generator, the Mersenne Twister (Matsumoto and Nishimura, 1998), as far as `randint` and `choice` of
//! `numpy.random` need it: rouge-score draws its resamples from it.
//!
//! The state comes from NumPy and goes back to it, so that a program's other draws are those they would have been.

use super::DRAWS;
use crate::halt;

/// The words of the state.
pub const STATE: usize = 624;

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

    /// The next 32 bits.
    #[inline]
    fn next(&mut self) -> u32 {
        if self.place == STATE {
            self.twist();
        }
        let word = self.given[self.place];
        self.place += 1;
        word
    }

    #[cold]
    fn twist(&mut self) {
        for at in 0..STATE {
            let (after, far) = ((at + 1) % STATE, (at + SHIFT) % STATE);
            let joined = (self.key[at] & 0x8000_0000) | (self.key[after] & 0x7FFF_FFFF);
            self.key[at] = self.key[far] ^ (joined >> 1) ^ ((joined & 1) * 0x9908_B0DF);
        }
        self.temper();
        self.place = 0;
    }

    fn temper(&mut self) {
        self.given.iter_mut().zip(&self.key).for_each(|(given, &word)| *given = tempered(word));
    }

    /// A number below `count`: bits are drawn until they make one.
    #[inline]
    fn below(&mut self, count: u32, mask: u32) -> u32 {
        loop {
            let drawn = self.next() & mask;
            if drawn < count {
                return drawn;
            }
        }
    }
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
    for _ in 0..samples {
        halt::spend(1 + rows.len() / DRAWS);
        let mut sums = [0.0; 3];
        for _ in 0..rows.len() {
            // Of one row there is nothing to draw, and NumPy draws nothing.
            let drawn = if mask == 0 { 0 } else { generator.below(count, mask) };
            let row = rows[drawn as usize];
            (0..3).for_each(|column| sums[column] += row[column]);
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
        let mut generator = published();
        assert_eq!(3_499_211_612, generator.next());
        assert_eq!(Some(4_123_659_995), (1..10_000).map(|_| generator.next()).last());
    }

    #[test]
    fn one_row_needs_no_draw() {
        let mut generator = published();
        assert_eq!(vec![0.5, 0.25, 1.0, 0.5, 0.25, 1.0], drawn_means(&[[0.5, 0.25, 1.0]], 2, &mut generator));
        assert_eq!(STATE, generator.state().1);
    }
}
