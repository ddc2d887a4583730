//! Keyed mixing of bits, for hash tables whose content strangers choose.
//!
//! The key is random and the same for the whole process. Whoever does not know it cannot make up words that crowd into
//! one place of a table. No result depends on it: hashes only say where to look first, and never what is equal.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

/// Mixes bits by a random key.
#[derive(Clone, Copy, Debug)]
pub struct Mixer {
    keys: [u64; 2],
}

impl Default for Mixer {
    /// The mixer of this process.
    fn default() -> Self {
        static KEYS: OnceLock<[u64; 2]> = OnceLock::new();
        // The standard library asks the operating system for the key of such a hasher.
        let key = |_| RandomState::new().build_hasher().finish() | 1;
        Self { keys: *KEYS.get_or_init(|| [0; 2].map(key)) }
    }
}

impl Mixer {
    /// Two numbers in one. Every bit of the result depends on all bits of both: the halves of their full product.
    #[inline(always)]
    pub fn mix(self, first: u64, last: u64) -> u64 {
        let product = u128::from(first ^ self.keys[0]) * u128::from(last ^ self.keys[1]);
        product as u64 ^ (product >> 64) as u64
    }

    /// A number of few bits, by one multiplication. The highest bits of the result depend on all of them, and any two
    /// numbers have the same k highest bits for at most two keys in 2^k (multiply-shift hashing).
    #[inline(always)]
    pub fn spread(self, few: u64) -> u64 {
        few.wrapping_mul(self.keys[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Keys that are the same each time: with one that chance gives, 7 runs in 100 would fail, for some keys spread the
    /// numbers of some shift over half as many places.
    fn keys() -> impl Iterator<Item = [u64; 2]> {
        let mut state = 0_u64;
        let mut next = move || {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            (mixed ^ mixed >> 31) | 1
        };
        std::iter::repeat_with(move || [next(), next()]).take(100)
    }

    #[test]
    fn numbers_that_differ_in_few_bits_are_spread() {
        for shift in 0..56 {
            let places = |mixer: Mixer| -> usize {
                (0..256).map(|n| mixer.mix(n << shift, 0) & 0xFFFF).collect::<HashSet<u64>>().len()
            };
            let places: Vec<usize> = keys().map(|keys| places(Mixer { keys })).collect();
            // Chance would leave 255.5 of 256.
            let sum: usize = places.iter().sum();
            assert!(sum > 100 * 253, "{} places for 256 numbers at bit {shift}", sum as f64 / 100.0);
            assert!(places.iter().all(|&count| count > 100), "{places:?} at bit {shift}");
        }
    }

    #[test]
    fn a_process_has_one_random_key() {
        let [one, other] = [Mixer::default(), Mixer::default()].map(|mixer| mixer.mix(1, 2));
        assert_eq!(one, other);
        assert_ne!([0, 0], Mixer::default().keys);
    }
}
