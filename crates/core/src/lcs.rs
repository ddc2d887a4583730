//! The longest common subsequence of two sequences of numbers, in bits: the engine of ROUGE-L.
//!
//! A vector has a bit for each position of the pattern, clear where the length grows from the position before to this
//! one ([`Unmatched`]). Patterns of more than 64 symbols take several words, with a carry from one to the next.
//!
//! Which of several longest subsequences rouge-score takes can be read from the vectors: where two symbols differ, a
//! clear bit says that only the text can go one back without loss, and then it goes; a set bit says that the pattern
//! can.

#[cfg(any(test, fuzzing))]
pub mod naive;

use crate::cells::{BITS, Cells, Unmatched, one_row};
use crate::halt;

/// A number that equals no other: it is in no common subsequence.
pub const STRANGER: u32 = 0;

/// A pattern, ready to meet texts.
#[derive(Default)]
pub struct Lcs {
    pattern: Vec<u32>,
    blocks: usize,
    /// By symbol: the bits of its positions, if the pattern has one block; or else its last position plus one.
    table: Vec<u64>,
    /// For each position of a pattern of several blocks the one before it with the same symbol, plus one.
    earlier: Vec<u64>,
    /// The bits of one symbol.
    mask: Vec<u64>,
    vector: Vec<Unmatched>,
    /// Vectors to go back by.
    kept: Vec<Unmatched>,
    checkpoints: Vec<Unmatched>,
}

/// So many words of vectors are kept at a time, 32 MiB: of longer texts some are kept, and those between are made
/// again.
const MOST_KEPT: usize = if cfg!(test) { 1 << 10 } else { 1 << 22 };

impl Lcs {
    /// Takes a pattern, whose symbols are numbers up to `highest`.
    pub fn start(&mut self, pattern: &[u32], highest: usize) {
        for &symbol in &self.pattern {
            self.table[symbol as usize] = 0;
        }
        if self.table.len() <= highest {
            halt::resize(&mut self.table, highest + 1, 0);
        }
        self.pattern.clear();
        halt::reserve(&mut self.pattern, pattern.len());
        self.pattern.extend_from_slice(pattern);
        self.blocks = pattern.len().div_ceil(BITS);
        if self.blocks <= 1 {
            for (position, &symbol) in pattern.iter().enumerate() {
                self.table[symbol as usize] |= 1 << position;
            }
        } else {
            self.earlier.clear();
            halt::reserve(&mut self.earlier, pattern.len());
            for (position, &symbol) in (1..).zip(pattern) {
                self.earlier.push(std::mem::replace(&mut self.table[symbol as usize], position));
            }
            self.mask.clear();
            halt::resize(&mut self.mask, self.blocks, 0);
        }
        self.table[STRANGER as usize] = 0;
    }

    /// The length of the longest common subsequence with a text.
    pub fn length(&mut self, text: &[u32]) -> usize {
        if self.blocks <= 1 {
            let step =
                |vector: Unmatched, &symbol: &u32| vector.advance(self.table[symbol as usize], Unmatched::EDGE).0;
            return text.iter().fold(Unmatched::START, step).matches();
        }
        self.vector.clear();
        halt::resize(&mut self.vector, self.blocks, Unmatched::START);
        text.iter().for_each(|&symbol| self.step(symbol));
        self.vector.iter().map(|cells| cells.matches()).sum()
    }

    /// Marks the positions of the pattern that are in the longest common subsequence that rouge-score would take.
    pub fn mark(&mut self, text: &[u32], marks: &mut [bool]) {
        if !text.iter().any(|&symbol| self.table[symbol as usize] != 0) {
            return;
        }
        let chunk = (MOST_KEPT / self.blocks).max(text.len().isqrt()).max(1);
        self.vector.clear();
        halt::resize(&mut self.vector, self.blocks, Unmatched::START);
        self.checkpoints.clear();
        for part in text.chunks(chunk) {
            halt::reserve(&mut self.checkpoints, self.blocks);
            self.checkpoints.extend_from_slice(&self.vector);
            // Those of the last part are made only on the way back.
            if self.checkpoints.len() < text.len().div_ceil(chunk) * self.blocks {
                part.iter().for_each(|&symbol| self.step(symbol));
            }
        }
        let mut left = self.pattern.len();
        for (at, part) in text.chunks(chunk).enumerate().rev() {
            self.vector.clear();
            self.vector.extend_from_slice(&self.checkpoints[at * self.blocks..][..self.blocks]);
            left = self.mark_part(part, left, marks);
        }
    }

    /// Goes back through a part of the text from the first `left` positions of the pattern, and returns how many of
    /// them are left at its start.
    fn mark_part(&mut self, part: &[u32], mut left: usize, marks: &mut [bool]) -> usize {
        self.kept.clear();
        halt::reserve(&mut self.kept, part.len() * self.blocks);
        for &symbol in part {
            self.step(symbol);
            self.kept.extend_from_slice(&self.vector);
        }
        let mut ahead = part.len();
        while left > 0 && ahead > 0 {
            let (position, at) = (left - 1, ahead - 1);
            if self.pattern[position] == part[at] {
                marks[position] = true;
                (left, ahead) = (position, at);
            } else if self.kept[at * self.blocks + position / BITS].0 >> (position % BITS) & 1 == 0 {
                ahead = at;
            } else {
                left = position;
            }
        }
        left
    }

    /// Lets the vector see one more symbol of the text.
    #[inline]
    fn step(&mut self, symbol: u32) {
        let entry = self.table[symbol as usize];
        if self.blocks == 1 {
            self.vector[0] = self.vector[0].advance(entry, Unmatched::EDGE).0;
        } else if entry != 0 {
            self.step_blocks(entry);
        }
    }

    fn step_blocks(&mut self, last: u64) {
        halt::spend(1 + self.blocks / 16);
        let mut place = last;
        while place != 0 {
            let position = place as usize - 1;
            self.mask[position / BITS] |= 1 << (position % BITS);
            place = self.earlier[position];
        }
        one_row(&mut self.vector, &self.mask);
        self.mask.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::naive::common;
    use super::*;
    use proptest::prelude::*;

    fn found(lcs: &mut Lcs, pattern: &[u32], text: &[u32]) -> (usize, Vec<bool>) {
        lcs.start(pattern, 9);
        let mut marks = vec![false; pattern.len()];
        lcs.mark(text, &mut marks);
        (lcs.length(text), marks)
    }

    proptest! {
        #[test]
        fn bits_find_what_the_table_finds(
            pattern in prop::collection::vec(0_u32..8, 0..200), text in prop::collection::vec(1_u32..9, 0..200),
        ) {
            let mut lcs = Lcs::default();
            for length in [pattern.len(), pattern.len().min(64), pattern.len().min(20), 0] {
                let pattern = &pattern[..length];
                prop_assert_eq!(common(pattern, &text), found(&mut lcs, pattern, &text));
            }
        }
    }

    #[test]
    fn long_texts_are_gone_back_through_in_parts() {
        let numbers =
            |seed: u32, length: u32| (0..length).map(|at| 1 + (at * at + seed * at / 3) % 7).collect::<Vec<_>>();
        let (pattern, text) = (numbers(2, 3_000), numbers(5, 5_000));
        let mut lcs = Lcs::default();
        lcs.start(&pattern, 9);
        let expected = common(&pattern, &text);
        let mut marks = vec![false; pattern.len()];
        lcs.mark(&text, &mut marks);
        assert_eq!(expected, (lcs.length(&text), marks));
    }
}
