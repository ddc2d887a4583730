//! What needs vector instructions by name. Here: sixty-four bytes to masks, a bit for each byte that is in a set, for
//! several sets at once; random numbers are drawn in [`pcg`].
//!
//! A byte is looked up by its halves, as simdjson and Hyperscan do. A set is a union of products, high halves × low
//! halves: all high halves whose bytes have the same low halves in the set make one product. Each product has a bit; a
//! table of sixteen bytes gives the bits by low half, another by high half, and a byte is in the product if both have
//! its bit. A shuffle of bytes (SSSE3) is such a look-up for sixteen bytes at a time. Eight products fit into a pair of
//! tables. Tables are computed from sets that are constants, so pairs and tests that a set does not need are never
//! compiled.
//!
//! Processors other than x86 look one byte up after the other; the compiler does with that what it can.
//!
//! This is a crate of its own because calling an instruction by name is unsafe in Rust, even where the whole program is
//! compiled for processors that have it, and the core forbids unsafe code. What was tried in its place: comparisons
//! that the compiler turns into vector instructions find the bytes of a set as quickly, but no loop makes it gather the
//! results into bits by one instruction, so each mask takes 40 instructions for 64 bytes and not 4.

pub mod pcg;

/// How many bytes are looked at.
pub const BLOCK: usize = 64;

/// Pairs of tables. `intl` needs 23 products.
const PAIRS: usize = 3;

/// Sets of bytes, and the tables by which they are told.
pub struct Sets<const N: usize> {
    table: [u8; 256], // the sets of each byte, a bit for each
    low: [[u8; 16]; PAIRS],
    high: [[u8; 16]; PAIRS],
    products: [[u8; PAIRS]; N], // of each set
}

impl<const N: usize> Sets<N> {
    /// The sets whose bits a table has for each byte.
    pub const fn of(table: [u8; 256]) -> Self {
        let mut sets = Self { table, low: [[0; 16]; PAIRS], high: [[0; 16]; PAIRS], products: [[0; PAIRS]; N] };
        let (mut set, mut product) = (0, 0);
        while set < N {
            let mut half = 0;
            while half < 16 {
                let members = sets.members(set, half);
                if members != 0 && sets.first_with(set, members) == half {
                    sets.add(set, product, members);
                    product += 1;
                }
                half += 1;
            }
            set += 1;
        }
        sets
    }

    /// The low halves of the bytes of a set with this high half, a bit each.
    const fn members(&self, set: usize, high: usize) -> u16 {
        let (mut members, mut low) = (0, 0);
        while low < 16 {
            members |= ((self.table[16 * high + low] >> set & 1) as u16) << low;
            low += 1;
        }
        members
    }

    /// The first high half that has these low halves.
    const fn first_with(&self, set: usize, members: u16) -> usize {
        let mut high = 0;
        while self.members(set, high) != members {
            high += 1;
        }
        high
    }

    /// Notes the product of these low halves and all high halves that have them.
    const fn add(&mut self, set: usize, product: usize, members: u16) {
        let (pair, bit) = (product / 8, 1 << (product % 8));
        self.products[set][pair] |= bit;
        let mut half = 0;
        while half < 16 {
            if members >> half & 1 == 1 {
                self.low[pair][half] |= bit;
            }
            if self.members(set, half) == members {
                self.high[pair][half] |= bit;
            }
            half += 1;
        }
    }

    /// Whether a byte is in a set.
    #[inline]
    pub const fn has(&self, set: usize, byte: u8) -> bool {
        self.table[byte as usize] >> set & 1 == 1
    }

    /// For each set, a bit for each byte of the block that is in it, the first byte lowest.
    #[inline(always)]
    pub fn masks(&self, block: &[u8; BLOCK]) -> [u64; N] {
        #[cfg(all(target_arch = "x86_64", target_feature = "ssse3"))]
        // SAFETY: the whole program is compiled for processors that have these instructions.
        return unsafe { self.masks_by_shuffles(block) };
        #[cfg(not(all(target_arch = "x86_64", target_feature = "ssse3")))]
        self.masks_one_by_one(block)
    }

    /// # Safety
    /// The processor must have SSSE3.
    #[cfg(all(target_arch = "x86_64", target_feature = "ssse3"))]
    #[target_feature(enable = "ssse3")]
    #[inline]
    unsafe fn masks_by_shuffles(&self, block: &[u8; BLOCK]) -> [u64; N] {
        use std::arch::x86_64::*;
        let load = |bytes: &[u8; 16]| {
            let both = u128::from_le_bytes(*bytes);
            _mm_set_epi64x((both >> 64) as i64, both as i64)
        };
        let (nibble, zero, mut masks) = (_mm_set1_epi8(15), _mm_setzero_si128(), [0; N]);
        for (at, bytes) in block.as_chunks().0.iter().enumerate() {
            let bytes = load(bytes);
            let (low, high) = (_mm_and_si128(bytes, nibble), _mm_and_si128(_mm_srli_epi16::<4>(bytes), nibble));
            let found: [__m128i; PAIRS] = std::array::from_fn(|pair| {
                let (by_low, by_high) = (load(&self.low[pair]), load(&self.high[pair]));
                _mm_and_si128(_mm_shuffle_epi8(by_low, low), _mm_shuffle_epi8(by_high, high))
            });
            for (mask, products) in masks.iter_mut().zip(&self.products) {
                let of_set = found.iter().zip(products).fold(zero, |all, (&found, &products)| {
                    _mm_or_si128(all, _mm_and_si128(found, _mm_set1_epi8(products as i8)))
                });
                let absent = _mm_movemask_epi8(_mm_cmpeq_epi8(of_set, zero)) as u16;
                *mask |= u64::from(!absent) << (16 * at);
            }
        }
        masks
    }

    /// As [`Sets::masks`], and the definition of it.
    pub fn masks_one_by_one(&self, block: &[u8; BLOCK]) -> [u64; N] {
        let found = block.map(|byte| self.table[byte as usize]);
        std::array::from_fn(|set| {
            let eights = found.as_chunks::<8>().0.iter().rev();
            eights.fold(0, |mask, eight| mask << 8 | gather(u64::from_le_bytes(*eight) >> set & 0x0101_0101_0101_0101))
        })
    }
}

/// Gathers the lowest bits of eight bytes into one byte: the product brings bit 8i to bit 56 + i, and nothing else
/// there.
#[inline]
pub const fn gather(bytes: u64) -> u64 {
    bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn masks_are_those_of_the_bytes_one_by_one(
            rows in prop::collection::vec((any::<u64>(), 0_u8..8), 4), places in prop::collection::vec(0_usize..4, 16),
            bytes in prop::collection::vec(any::<u8>(), BLOCK),
        ) {
            // Rows of low halves that several high halves share, so that there are few products.
            let table = std::array::from_fn(|byte| {
                let (members, sets) = rows[places[byte / 16]];
                if members >> (byte % 16) & 1 == 1 { sets } else { 0 }
            });
            let (sets, block): (_, [u8; BLOCK]) = (Sets::<3>::of(table), bytes.try_into().unwrap());
            let expected: [u64; 3] = std::array::from_fn(|set| {
                (0..BLOCK).fold(0, |mask, at| mask | u64::from(sets.has(set, block[at])) << at)
            });
            prop_assert_eq!(expected, sets.masks(&block));
            prop_assert_eq!(expected, sets.masks_one_by_one(&block));
        }
    }
}
