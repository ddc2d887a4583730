//! Numbers for tokens that are no text: objects of somebody else's, and token ids.

use crate::halt;
use crate::mixing::Mixer;
use std::collections::HashMap;
use std::convert::Infallible;

/// Numbers things, from 0 up, that it never sees: the caller hashes them, keeps them and compares them.
///
/// It is a hash table of its own because the standard one has no room for a comparison that fails. A slot holds half of
/// a hash and a number, so that few things are compared in vain.
#[derive(Debug, Default)]
pub struct Interner {
    hashes: Vec<u64>,
    slots: Vec<Slot>,
    mixer: Mixer,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    half: u32,
    place: u32, // the number plus 1; 0 is free
}

impl Interner {
    /// The number of a thing with that hash. `is_same` tells whether it equals the thing of a given number; that one
    /// has the same hash. A new thing gets the next number. If a comparison fails, nothing is numbered.
    #[inline]
    pub fn number<E>(&mut self, hash: u64, mut is_same: impl FnMut(usize) -> Result<bool, E>) -> Result<u32, E> {
        if 2 * (self.hashes.len() + 1) > self.slots.len() {
            self.grow();
        }
        let (at, half) = self.place(hash, &mut is_same)?;
        if self.slots[at].place == 0 {
            halt::reserve(&mut self.hashes, 1);
            self.hashes.push(hash);
            self.slots[at] = Slot { half, place: self.hashes.len() as u32 };
        }
        Ok(self.slots[at].place - 1)
    }

    /// The number of a thing that has one.
    #[inline]
    pub fn find(&self, hash: u64, mut is_same: impl FnMut(usize) -> bool) -> Option<u32> {
        let Ok((at, _)) = self.place(hash, &mut |known| Ok::<_, Infallible>(is_same(known)));
        self.slots[at].place.checked_sub(1)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.hashes.clear();
        self.slots.clear();
        self.grow();
    }

    /// The slot of a thing, or the free one where it would be; and half of its hash.
    #[inline]
    fn place<E>(&self, hash: u64, is_same: &mut impl FnMut(usize) -> Result<bool, E>) -> Result<(usize, u32), E> {
        let (mut at, half) = self.start(hash);
        loop {
            let slot = self.slots[at];
            let known = (slot.place as usize).wrapping_sub(1);
            if slot.place == 0 || slot.half == half && self.hashes[known] == hash && is_same(known)? {
                return Ok((at, half));
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// How many things have a number.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Where to look first, and the half of the hash that slots remember.
    #[inline]
    fn start(&self, hash: u64) -> (usize, u32) {
        let mixed = self.mixer.mix(hash, 0);
        ((mixed >> 32) as usize & (self.slots.len() - 1), mixed as u32)
    }

    fn grow(&mut self) {
        self.slots.clear();
        halt::resize(&mut self.slots, (4 * self.hashes.len()).next_power_of_two().max(64), Slot::default());
        for (place, &hash) in (1..).zip(&self.hashes) {
            let (mut at, half) = self.start(hash);
            while self.slots[at].place != 0 {
                at = (at + 1) & (self.slots.len() - 1);
            }
            self.slots[at] = Slot { half, place };
        }
    }
}

/// Numbers token ids, from 0 up: those of a usual vocabulary by a table, larger ones by a map.
#[derive(Debug, Default)]
pub struct IdInterner {
    table: Vec<u32>, // by id; 0 is free
    map: HashMap<u64, u32>,
    distinct: u32,
}

/// Ids below are looked up in the table.
const TABLE: u64 = 1 << 20;

impl IdInterner {
    /// The number of an id.
    pub fn number(&mut self, id: u64) -> u32 {
        let entry = if id < TABLE {
            if self.table.len() as u64 <= id {
                self.table.resize((id as usize + 1).next_power_of_two(), 0);
            }
            &mut self.table[id as usize]
        } else {
            self.map.entry(id).or_default()
        };
        if *entry == 0 {
            self.distinct += 1;
            *entry = self.distinct;
        }
        *entry - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers words with a hash function that may be as bad as it likes.
    fn numbers(words: &[u32], hash: impl Fn(u32) -> u64) -> Vec<u32> {
        let (mut interner, mut known) = (Interner::default(), Vec::new());
        let mut number = |&word: &u32| {
            let Ok(number) = interner.number(hash(word), |place| Ok::<_, Infallible>(known[place] == word));
            if number as usize == known.len() {
                known.push(word);
            }
            number
        };
        words.iter().map(&mut number).collect()
    }

    fn naive(words: &[u32]) -> Vec<u32> {
        let mut known: Vec<u32> = Vec::new();
        let mut number = |&word: &u32| {
            known.iter().position(|&other| other == word).unwrap_or_else(|| {
                known.push(word);
                known.len() - 1
            }) as u32
        };
        words.iter().map(&mut number).collect()
    }

    proptest! {
        #[test]
        fn equal_things_have_equal_numbers_whatever_collides(words in prop::collection::vec(0_u32..400, 0..600)) {
            let expected = naive(&words);
            prop_assert_eq!(&expected, &numbers(&words, u64::from));
            prop_assert_eq!(&expected, &numbers(&words, |_| 7));
            prop_assert_eq!(&expected, &numbers(&words, |word| u64::from(word % 5) << 40));
        }

        #[test]
        fn ids_are_numbered_by_first_appearance(words in prop::collection::vec(0_u32..50, 0..200)) {
            let mut ids = IdInterner::default();
            let spread = |word: u32| u64::from(word) * (TABLE / 25) + u64::from(word % 3);
            let found: Vec<u32> = words.iter().map(|&word| ids.number(spread(word))).collect();
            prop_assert_eq!(naive(&words), found);
        }
    }

    #[test]
    fn numbers_stay_when_the_table_grows() {
        let words: Vec<u32> = (0..10_000).chain(0..10_000).collect();
        let found = numbers(&words, |word| u64::from(word).wrapping_mul(0x1234_5678_9ABC_DEF1));
        assert_eq!(words, found);
    }

    #[test]
    fn only_things_with_the_same_hash_are_compared() {
        let mut interner = Interner::default();
        for hash in 0..1000 {
            assert_eq!(Ok(hash as u32), interner.number(hash, |_| Err("compared")));
        }
    }

    #[test]
    fn a_comparison_that_fails_passes_its_error_on_and_numbers_nothing() {
        let mut interner = Interner::default();
        assert_eq!(Ok(0), interner.number(1, |_| Err("compared")));
        assert_eq!(Err("compared"), interner.number(1, |_| Err("compared")));
        assert_eq!((1, false), (interner.len(), interner.is_empty()));
        assert_eq!(Ok(1), interner.number(1, |_| Ok::<_, &str>(false)));
        assert_eq!(Ok(0), interner.number(1, |place| Ok::<_, &str>(place == 0)));
    }

    #[test]
    fn the_largest_id_has_a_number() {
        let mut ids = IdInterner::default();
        assert_eq!([0, 1, 2, 0], [u64::MAX, 0, TABLE, u64::MAX].map(|id| ids.number(id)));
    }

    #[test]
    fn hashes_made_up_to_collide_cost_little_more_than_others() {
        let time = |hash: &dyn Fn(u32) -> u64| {
            let words: Vec<u32> = (0..20_000).collect();
            let once = || {
                let started = std::time::Instant::now();
                assert_eq!(words, numbers(&words, hash));
                started.elapsed()
            };
            (0..5).map(|_| once()).min().unwrap()
        };
        // The inverse of the multiplier that once spread them: all differences fall below the bits that were looked at.
        let inverse = 0xF1DE_83E1_9937_733D_u64;
        assert_eq!(1, inverse.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let honest = time(&|word| u64::from(word).wrapping_mul(0x1234_5678_9ABC_DEF1));
        for made_up in [&(|word| u64::from(word).wrapping_mul(inverse)) as &dyn Fn(u32) -> u64, &|w| u64::from(w) << 40]
        {
            let found = time(made_up);
            assert!(found < 4 * honest, "{found:?} against {honest:?}");
        }
    }
}
