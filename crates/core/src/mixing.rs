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
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn numbers_that_differ_in_few_bits_are_spread() {
        let mixer = Mixer::default();
        for shift in 0..56 {
            let places: HashSet<u64> = (0..256).map(|n| mixer.mix(n << shift, 0) & 0xFFFF).collect();
            assert!(places.len() > 240, "{} places for 256 numbers at bit {shift}", places.len());
        }
    }
}
