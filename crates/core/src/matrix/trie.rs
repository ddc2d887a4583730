//! Numbers for n-grams, exact and for all texts.
//!
//! An n-gram is the n-gram one shorter and a symbol more, so it is found under a key of two numbers, which fit into 64
//! bits. Keys are compared in full: a hash only says where to look first. Numbers go up from 1 in order of appearance.

use crate::halt;
use crate::mixing::Mixer;

/// The n-gram without symbols, from which all others grow.
pub const ROOT: u32 = 0;

/// What is not in the trie. Nothing grows from it.
pub const NOWHERE: u32 = u32::MAX;

/// The most n-grams there may be: a table of twice as many entries can still be addressed.
pub const MOST: usize = 1 << 30;

/// The n-grams of some texts.
pub struct Trie {
    slots: Vec<Slot>,
    shift: u32,
    nodes: u32,
    mixer: Mixer,
}

/// An n-gram and its number; the key zero is an empty slot, for symbols go up from 1.
#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    node: u32,
}

const FIRST_BITS: u32 = 10;

impl Default for Trie {
    fn default() -> Self {
        Self {
            slots: vec![Slot::default(); 1 << FIRST_BITS],
            shift: 64 - FIRST_BITS,
            nodes: 0,
            mixer: Mixer::default(),
        }
    }
}

impl Trie {
    /// One more than the highest number.
    pub fn len(&self) -> usize {
        self.nodes as usize + 1
    }

    /// The number of an n-gram that continues `node` with `symbol`, or [`NOWHERE`].
    #[inline]
    pub fn find(&self, node: u32, symbol: u32) -> u32 {
        let slot = self.slots[self.place(key(node, symbol))];
        if slot.key == 0 { NOWHERE } else { slot.node }
    }

    /// The number of an n-gram that continues `node` with `symbol`. It is in the trie from now on.
    #[inline]
    pub fn grow(&mut self, node: u32, symbol: u32) -> u32 {
        let key = key(node, symbol);
        let place = self.place(key);
        if self.slots[place].key != 0 {
            return self.slots[place].node;
        }
        self.nodes += 1;
        self.slots[place] = Slot { key, node: self.nodes };
        if 2 * self.len() > self.slots.len() {
            self.double();
        }
        self.nodes
    }

    /// Where a key is, or the empty slot where it would be.
    #[inline]
    fn place(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = (self.mixer.mix(key, 0) >> self.shift) as usize;
        while self.slots[place & mask].key != key && self.slots[place & mask].key != 0 {
            place += 1;
        }
        place & mask
    }

    fn double(&mut self) {
        self.shift -= 1;
        let mut slots = Vec::new();
        halt::resize(&mut slots, 2 * self.slots.len(), Slot::default());
        for slot in std::mem::replace(&mut self.slots, slots) {
            if slot.key != 0 {
                let place = self.place(slot.key);
                self.slots[place] = slot;
            }
        }
    }
}

#[inline]
fn key(node: u32, symbol: u32) -> u64 {
    u64::from(node) << 32 | u64::from(symbol)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn equal_ngrams_have_equal_numbers_and_others_have_not(
            texts in prop::collection::vec(prop::collection::vec(1_u32..6, 0..60), 1..60),
        ) {
            let mut trie = Trie::default();
            let mut expected: HashMap<Vec<u32>, u32> = HashMap::new();
            for text in &texts {
                for start in 0..text.len() {
                    let mut node = ROOT;
                    for end in start..text.len().min(start + 6) {
                        let found = trie.find(node, text[end]);
                        let grown = trie.grow(node, text[end]);
                        let known = expected.get(&text[start..=end]).copied();
                        prop_assert_eq!(known.unwrap_or(NOWHERE), found);
                        prop_assert_eq!(known.unwrap_or(expected.len() as u32 + 1), grown);
                        expected.insert(text[start..=end].to_vec(), grown);
                        node = grown;
                    }
                }
            }
            prop_assert_eq!(expected.len() + 1, trie.len());
        }
    }

    #[test]
    fn nothing_grows_from_nowhere() {
        let mut trie = Trie::default();
        trie.grow(ROOT, 7);
        assert_eq!(NOWHERE, trie.find(NOWHERE, 7));
        assert_eq!(NOWHERE, trie.find(ROOT, 8));
    }

    #[test]
    fn symbols_made_up_to_collide_cost_little_more_than_others() {
        // What the multiplier of old sends to numbers with the same upper bits, twice over.
        let mixed = |key: u64| {
            let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            (mixed ^ mixed >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        };
        let made_up: Vec<u32> = (1..4_000_000).filter(|&symbol| mixed(symbol.into()) >> 56 == 0).take(10_000).collect();
        let honest: Vec<u32> = (1..=made_up.len() as u32).map(|n| n * 97).collect();
        let time = |symbols: &[u32]| {
            let once = || {
                let (mut trie, started) = (Trie::default(), std::time::Instant::now());
                for &symbol in symbols {
                    trie.grow(ROOT, symbol);
                }
                assert_eq!(symbols.len() + 1, trie.len());
                started.elapsed()
            };
            (0..5).map(|_| once()).min().unwrap()
        };
        let (found, expected) = (time(&made_up), time(&honest));
        assert!(found < 4 * expected, "{found:?} against {expected:?}");
    }
}
