//! NumPy's `default_rng(seed)`: PCG64 (O'Neill, 2014; the XSL-RR variant) seeded through SeedSequence.
//!
//! The same seed gives the same stream as NumPy 1.26 to 2.4, which is what sacreBLEU's seeds mean. Only what resampling
//! needs is here: 32-bit words, whole numbers below a bound, and jumps over words that somebody else has used.

use truebleu_vector::pcg;

const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;

/// So many numbers are drawn at once.
const CHUNK: usize = 512;

/// A generator, at some place of its stream.
#[derive(Clone, Debug)]
pub struct Pcg64 {
    state: u128,
    increment: u128,
    /// The high half of a 64-bit output whose low half has been delivered. It survives between requests.
    spare: Option<u32>,
}

impl Pcg64 {
    /// The generator of a seed, given in words of 32 bits, least significant first. Leading zero words are no part of a
    /// seed; the seed 0 is one word, or none.
    pub fn from_seed(seed: &[u32]) -> Self {
        let [start_high, start_low, stream_high, stream_low] = seed_words(seed);
        let join = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
        let increment = join(stream_high, stream_low) << 1 | 1;
        let mut generator = Self { state: 0, increment, spare: None };
        generator.step();
        generator.state = generator.state.wrapping_add(join(start_high, start_low));
        generator.step();
        generator
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.step();
        output(self.state)
    }

    /// The next 32 bits: the low half of an output, then its high half.
    pub fn next_u32(&mut self) -> u32 {
        self.spare.take().unwrap_or_else(|| {
            let word = self.next_u64();
            self.spare = Some((word >> 32) as u32);
            word as u32
        })
    }

    /// Fills `words` with the next 32-bit words.
    ///
    /// A step is one long multiplication, which waits for the one before. So every other output is made by one of two
    /// chains, which take two steps at a time: twice the speed. A third and a fourth chain gain little, because the
    /// multiplications themselves then take all of the time.
    pub fn fill_words(&mut self, words: &mut [u32]) {
        const TWICE: u128 = MULTIPLIER.wrapping_mul(MULTIPLIER);
        let (spare, words) = words.split_at_mut(usize::from(self.spare.is_some()).min(words.len()));
        spare.iter_mut().for_each(|word| *word = self.next_u32());
        let (fours, rest) = words.as_chunks_mut::<4>();
        let increment = self.increment.wrapping_mul(MULTIPLIER.wrapping_add(1));
        let mut even = self.state;
        let mut odd = even.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
        for four in fours {
            even = even.wrapping_mul(TWICE).wrapping_add(increment);
            let [first, second] = [output(odd), output(even)];
            *four = [first as u32, (first >> 32) as u32, second as u32, (second >> 32) as u32];
            odd = odd.wrapping_mul(TWICE).wrapping_add(increment);
        }
        self.state = even;
        rest.fill_with(|| self.next_u32());
    }

    /// Fills `numbers` with whole numbers below `bound`, drawn by multiplication with rejection (Lemire, 2019). Below 1
    /// there is only 0, and nothing is drawn. Returns how many words were rejected.
    ///
    /// Some hundreds are drawn at once. A chunk in which a word would have to be rejected is drawn again, word after
    /// word. For a corpus of thousands that is one word in millions.
    pub fn fill_below(&mut self, bound: u32, numbers: &mut [u32]) -> usize {
        if bound <= 1 {
            numbers.fill(0);
            return 0;
        }
        let threshold = bound.wrapping_neg() % bound;
        let mut rejected = 0;
        for chunk in numbers.chunks_mut(CHUNK) {
            let before = self.clone();
            if self.fill_scaled(bound, chunk) < threshold {
                *self = before;
                rejected += self.fill_below_slowly(bound, threshold, chunk);
            }
        }
        rejected
    }

    /// Fills `numbers` with the high halves of word × `bound`, and returns the smallest low half.
    ///
    /// Processors with AVX-512 do it in lanes. Others make all words first and then multiply them, which vector
    /// instructions do; both in one loop needs more registers than there are.
    fn fill_scaled(&mut self, bound: u32, numbers: &mut [u32]) -> u32 {
        let (first, numbers) = numbers.split_at_mut(usize::from(self.spare.is_some()).min(numbers.len()));
        self.fill_words(first);
        let smallest = scale_words(first, bound);
        let in_lanes = numbers.len() - numbers.len() % (2 * pcg::LANES);
        let (wide, rest) = numbers.split_at_mut(in_lanes);
        let least = match pcg::scaled_words(self.state, MULTIPLIER, self.increment, bound, wide) {
            Some(least) => {
                self.jump(in_lanes as u128 / 2);
                least
            }
            None => {
                self.fill_words(wide);
                scale_words(wide, bound)
            }
        };
        self.fill_words(rest);
        smallest.min(least).min(scale_words(rest, bound))
    }

    fn fill_below_slowly(&mut self, bound: u32, threshold: u32, numbers: &mut [u32]) -> usize {
        let mut rejected = 0;
        for number in numbers {
            let mut product = u64::from(self.next_u32()) * u64::from(bound);
            while (product as u32) < threshold {
                rejected += 1;
                product = u64::from(self.next_u32()) * u64::from(bound);
            }
            *number = (product >> 32) as u32;
        }
        rejected
    }

    /// Goes on as if `words` 32-bit words had been drawn.
    pub fn skip_words(&mut self, mut words: u128) {
        if words > 0 && self.spare.take().is_some() {
            words -= 1;
        }
        self.jump(words / 2);
        if words % 2 == 1 {
            self.next_u32();
        }
    }

    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    /// Many steps at once (Brown, 1994): a step is x → ax + c, and so are two steps, four, eight.
    fn jump(&mut self, mut steps: u128) {
        let (mut factor, mut summand) = (MULTIPLIER, self.increment);
        while steps > 0 {
            if steps % 2 == 1 {
                self.state = self.state.wrapping_mul(factor).wrapping_add(summand);
            }
            summand = summand.wrapping_mul(factor.wrapping_add(1));
            factor = factor.wrapping_mul(factor);
            steps /= 2;
        }
    }
}

/// Puts the high half of word × bound in the place of each word, and returns the smallest low half.
fn scale_words(words: &mut [u32], bound: u32) -> u32 {
    words.iter_mut().fold(u32::MAX, |smallest, word| {
        let product = u64::from(*word) * u64::from(bound);
        *word = (product >> 32) as u32;
        smallest.min(product as u32)
    })
}

fn output(state: u128) -> u64 {
    let folded = (state >> 64) as u64 ^ state as u64;
    folded.rotate_right((state >> 122) as u32)
}

/// SeedSequence (after O'Neill's `seed_seq_fe`): any number of words becomes four of 64 bits.
fn seed_words(seed: &[u32]) -> [u64; 4] {
    let mut hash = 0x43b0_d7e5_u32;
    let mut mix_in = |word: u32| {
        let value = word ^ hash;
        hash = hash.wrapping_mul(0x931e_8875);
        let value = value.wrapping_mul(hash);
        value ^ value >> 16
    };
    let combine = |x: u32, y: u32| {
        let value = x.wrapping_mul(0xca01_f9dd).wrapping_sub(y.wrapping_mul(0x4973_f715));
        value ^ value >> 16
    };
    let mut pool: [u32; 4] = std::array::from_fn(|at| mix_in(seed.get(at).copied().unwrap_or(0)));
    for source in 0..4 {
        for target in (0..4).filter(|&target| target != source) {
            pool[target] = combine(pool[target], mix_in(pool[source]));
        }
    }
    for &word in seed.iter().skip(4) {
        for target in &mut pool {
            *target = combine(*target, mix_in(word));
        }
    }
    let mut hash = 0x8b51_f9dd_u32;
    let mut output = |at: usize| {
        let value = pool[at % 4] ^ hash;
        hash = hash.wrapping_mul(0x58f3_8ded);
        let value = value.wrapping_mul(hash);
        u64::from(value ^ value >> 16)
    };
    std::array::from_fn(|at| output(2 * at) | output(2 * at + 1) << 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn drawn(seed: u32, bound: u32, count: usize) -> Vec<u32> {
        let mut numbers = vec![0; count];
        Pcg64::from_seed(&[seed]).fill_below(bound, &mut numbers);
        numbers
    }

    #[test]
    fn the_seed_is_spread_as_in_numpy() {
        let expected = [0xb5ae6482a03d837c, 0xbbe2996ffa1f7a2f, 0x64e39a9f37158f94, 0x3ebb0f96a013fd73];
        assert_eq!(expected, seed_words(&[12345]));
        let generator = Pcg64::from_seed(&[12345]);
        assert_eq!(0x1905e0335aae96349199b0d09775add5, generator.state);
        assert_eq!(0xc9c7353e6e2b1f287d761f2d4027fae7, generator.increment);
    }

    #[test]
    fn words_are_numpys() {
        let mut generator = Pcg64::from_seed(&[12345]);
        let expected = [0x3a32b18db2ffc19d, 0x51171315c9e4c4de, 0xcc2024823444efd9];
        assert_eq!(expected, std::array::from_fn(|_| generator.next_u64()));
        let mut words = [0; 4];
        Pcg64::from_seed(&[12345]).fill_words(&mut words);
        assert_eq!([0xb2ffc19d, 0x3a32b18d, 0xc9e4c4de, 0x51171315], words);
    }

    #[test]
    fn numbers_below_a_bound_are_numpys() {
        let expected = "627327669383552126697299761024";
        let digits: String = drawn(12345, 10, 30).iter().map(u32::to_string).collect();
        assert_eq!(expected, digits);
        assert_eq!(vec![2099, 682, 2368, 951, 613, 2394, 1929, 2030, 2968, 1174, 2520, 999], drawn(12345, 3003, 12));
        assert_eq!(vec![5, 3, 4, 5, 3, 4, 5, 1, 0, 1, 1, 5, 5, 0, 2, 4, 0, 4], drawn(7, 6, 18));
        assert_eq!(vec![0; 3], drawn(7, 1, 3));
    }

    #[test]
    fn numbers_follow_thirty_booleans_as_in_numpy() {
        let mut generator = Pcg64::from_seed(&[12345]);
        generator.skip_words(1);
        let mut numbers = [0; 20];
        generator.fill_below(10, &mut numbers);
        assert_eq!([2, 7, 3, 2, 7, 6, 6, 9, 3, 8, 3, 5, 5, 2, 1, 2, 6, 6, 9, 7], numbers);
    }

    #[test]
    fn a_word_may_be_rejected() {
        // Above 2^31 nearly every other word is; here the first is kept only by a generator that forgets to.
        let bound = 0x8000_0001_u32;
        let mut generator = Pcg64::from_seed(&[12345]);
        let naive: Vec<u32> = std::iter::repeat_with(|| u64::from(generator.next_u32()) * u64::from(bound))
            .filter(|product| *product as u32 >= bound.wrapping_neg() % bound)
            .map(|product| (product >> 32) as u32)
            .take(50)
            .collect();
        assert_eq!(naive, drawn(12345, bound, 50));
        let mut counted = Pcg64::from_seed(&[12345]);
        let rejected = counted.fill_below(bound, &mut [0; 50]);
        let mut skipped = Pcg64::from_seed(&[12345]);
        skipped.skip_words(50 + rejected as u128);
        assert_eq!(skipped.next_u32(), counted.next_u32());
        assert!(rejected > 10);
    }

    proptest! {
        #[test]
        fn words_are_those_drawn_one_by_one(
            seed: u32, before in 0_usize..3, words in 0_usize..40, after in 0_usize..9
        ) {
            let mut one_by_one = Pcg64::from_seed(&[seed]);
            let expected: Vec<u32> = (0..before + words + after).map(|_| one_by_one.next_u32()).collect();
            let mut generator = Pcg64::from_seed(&[seed]);
            let mut found = vec![0; expected.len()];
            let (first, rest) = found.split_at_mut(before);
            let (second, third) = rest.split_at_mut(words);
            [first, second, third].into_iter().for_each(|part| generator.fill_words(part));
            prop_assert_eq!(expected, found);
            prop_assert_eq!(one_by_one.next_u32(), generator.next_u32());
        }

        #[test]
        fn numbers_are_those_drawn_one_by_one(
            seed: u32, bound in prop_oneof![0_u32..5, 2_u32..5000, any::<u32>()],
            before in 0_usize..2, count in 0_usize..1500
        ) {
            let mut generator = Pcg64::from_seed(&[seed]);
            generator.fill_words(&mut vec![0; before]);
            let (mut slow, mut expected, mut found) = (generator.clone(), vec![0; count], vec![0; count]);
            let rejected = generator.fill_below(bound, &mut found);
            if bound > 1 {
                prop_assert_eq!(slow.fill_below_slowly(bound, bound.wrapping_neg() % bound, &mut expected), rejected);
            }
            prop_assert_eq!(expected, found);
            prop_assert_eq!(slow.next_u32(), generator.next_u32());
        }

        #[test]
        fn skipping_is_drawing(seed in any::<[u32; 6]>(), before in 0_usize..5, words in 0_usize..300) {
            let mut walking = Pcg64::from_seed(&seed);
            walking.fill_words(&mut vec![0; before]);
            let mut jumping = walking.clone();
            walking.fill_words(&mut vec![0; words]);
            jumping.skip_words(words as u128);
            prop_assert_eq!(walking.next_u32(), jumping.next_u32());
            prop_assert_eq!(walking.next_u64(), jumping.next_u64());
        }
    }
}
