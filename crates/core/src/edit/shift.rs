//! The shift search: which block of words to move where.
//!
//! A block is a run of hypothesis words that the reference has too. It may move to where the alignment puts the
//! reference's copy of it, or to the place of a word of that copy. The best move has the largest gain; among equals the
//! longest block, then the leftmost block, then the leftmost target.
//!
//! TER tries every move. Here all are listed, because TER gives up once it has seen a thousand, whatever they are
//! worth; then they are sorted by the last three criteria, so that a move wins only by gaining more than all before it,
//! and only those that can are tried:
//!
//! - Moving `n` words, or past `n` words, changes the edit distance by at most `2n`: delete them and insert them again.
//!   That is not true of the beamed distance, because a move may bring words that stay where they are back into the
//!   beam. But the beamed distance afterwards is no less than the free one, so the gain is at most `2n` plus what the
//!   beam costs now. (Leaving that out, 3 in 1000 made-up pairs of up to 150 words went wrong.)
//! - No move gains more than what separates the distance from that of the two sentences taken as bags of words.
//!
//! A move is tried from the first word that it changes on. On WMT22 en-de this leaves two tries of 17 rows for a
//! segment.

use super::alignment::Alignment;
use super::beam;
use super::matrix::Matrix;
use super::words::Words;
use crate::halt;

/// The most words in a block.
const MAX_BLOCK: usize = 10;
/// The farthest that a block may be from its copy in the reference, start from start.
const MAX_DISTANCE: usize = 50;
/// A round in which the number of candidates, counted over all rounds, reaches this is the last, and for nothing.
const BUDGET: usize = 1000;

/// The current hypothesis, the reference, and where the reference has which word.
pub struct Pair<'a> {
    pub hyp: &'a [u32],
    pub reference: &'a [u32],
    pub words: &'a Words,
}

/// A shift exchanges two neighbouring spans, `[from, middle)` and `[middle, to)`; one of them is the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    pub from: usize,
    middle: usize,
    to: usize,
}

impl Shift {
    /// Moves the block of `len` words at `start` to before the word at `target`, in a sentence of `words` words.
    fn new(start: usize, len: usize, target: usize, words: usize) -> Self {
        let end = start + len;
        if target < start {
            return Self { from: target, middle: start, to: end };
        }
        // TER moves a block to the right by `target - start` if the target is inside the block, or just after it.
        let to = if target > end { target } else { (target + len).min(words) };
        Self { from: start, middle: end, to }
    }

    /// What the free distance can lose at most.
    fn limit(self) -> u32 {
        2 * (self.middle - self.from).min(self.to - self.middle) as u32
    }

    /// What follows the first `from` words of the shifted sentence.
    fn parts(self, hyp: &[u32]) -> [&[u32]; 3] {
        [&hyp[self.middle..self.to], &hyp[self.from..self.middle], &hyp[self.to..]]
    }

    pub fn apply(self, hyp: &mut [u32]) {
        hyp[self.from..self.to].rotate_left(self.middle - self.from);
    }
}

/// A block and its target, packed so that sorting puts longer blocks first, then goes by start, then by target.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate(u64);

impl Candidate {
    /// Enough for any sentence that fits in memory together with its matrix.
    const POSITION_BITS: u32 = 30;
    const POSITION: u64 = (1 << Self::POSITION_BITS) - 1;

    fn new(start: usize, len: usize, target: usize) -> Self {
        let shorter = (MAX_BLOCK - len) as u64;
        Self((shorter << (2 * Self::POSITION_BITS)) | ((start as u64) << Self::POSITION_BITS) | target as u64)
    }

    fn shift(self, words: usize) -> Shift {
        let len = MAX_BLOCK - (self.0 >> (2 * Self::POSITION_BITS)) as usize;
        let start = (self.0 >> Self::POSITION_BITS) & Self::POSITION;
        Shift::new(start as usize, len, (self.0 & Self::POSITION) as usize, words)
    }
}

/// Looks for shifts of one hypothesis, round after round.
#[derive(Default)]
pub struct Search {
    alignment: Alignment,
    candidates: Vec<Candidate>,
    counted: usize,
}

impl Search {
    /// Forgets the last hypothesis.
    pub fn restart(&mut self) {
        self.counted = 0;
    }

    /// The best shift and the distance after it, if one gains anything and the budget lasts.
    ///
    /// The matrix must have kept the rows of the current hypothesis, whose distance is given. No order of its words has
    /// a distance below `least`.
    pub fn best(&mut self, matrix: &mut Matrix, pair: &Pair, distance: u32, least: u32) -> Option<(Shift, u32)> {
        self.alignment.read(matrix, pair.hyp, pair.reference, pair.words);
        self.list(pair)?;
        if self.candidates.is_empty() {
            return None;
        }
        self.candidates.sort_unstable();
        let beam_cost = beam_cost(matrix, pair, distance);
        let (mut best, mut lowest) = (None, distance);
        for candidate in &self.candidates {
            let shift = candidate.shift(pair.hyp.len());
            if shift.limit() + beam_cost <= distance - lowest {
                continue;
            }
            halt::spend(1 + pair.hyp.len() / 8);
            let shifted = matrix.distance(&pair.hyp[..shift.from], shift.parts(pair.hyp), pair.words);
            if shifted < lowest {
                (best, lowest) = (Some((shift, shifted)), shifted);
            }
            if lowest == least {
                break;
            }
        }
        best
    }

    /// Lists the candidates of this round; nothing if the budget is spent.
    fn list(&mut self, pair: &Pair) -> Option<()> {
        self.candidates.clear();
        if pair.words.is_narrow() {
            return self.list_narrow(pair);
        }
        for (start, &word) in pair.hyp.iter().enumerate() {
            halt::spend(1);
            for place in pair.words.positions(word, start.saturating_sub(MAX_DISTANCE), start + MAX_DISTANCE) {
                self.list_blocks(pair, start, place)?;
            }
        }
        Some(())
    }

    /// Lists the candidates for a narrow reference. It passes over most places where nothing can be listed, all at
    /// once.
    ///
    /// Bit `p` of the sets stands for a block that starts at `start` and has a copy at `p`. Going backwards, whether
    /// the two come to a wrong word before they cease to be equal follows from the next start and the next place.
    fn list_narrow(&mut self, pair: &Pair) -> Option<()> {
        let masks = pair.words.masks();
        let wrong_ref = self.alignment.wrong_ref.iter().rev().fold(0, |bits, &wrong| (bits << 1) | u64::from(wrong));
        let (mut meets_hyp, mut meets_ref) = (0, 0);
        for (start, &word) in pair.hyp.iter().enumerate().rev() {
            let equal = masks[word as usize];
            let ahead = if self.alignment.wrong_hyp[start] { !0 } else { meets_hyp >> 1 };
            meets_hyp = equal & ahead;
            meets_ref = equal & (wrong_ref | (meets_ref >> 1));
            let mut places = meets_hyp & meets_ref;
            while places != 0 {
                self.list_blocks(pair, start, places.trailing_zeros() as usize)?;
                places &= places - 1;
            }
        }
        Some(())
    }

    /// Lists the blocks that start at `start` and have a copy at `place` in the reference.
    fn list_blocks(&mut self, pair: &Pair, start: usize, place: usize) -> Option<()> {
        if start.abs_diff(place) > MAX_DISTANCE {
            return Some(());
        }
        // A block must not contain the word with which its copy's first word is aligned,
        let aligned = self.alignment.before[place + 1] as usize;
        let longest = if aligned > start { (aligned - start - 1).min(MAX_BLOCK) } else { MAX_BLOCK };
        // and must have a wrong word on either side.
        let (mut wrong_hyp, mut wrong_ref) = (false, false);
        for (i, j) in (start..pair.hyp.len()).zip(place..pair.reference.len()).take(longest) {
            if pair.hyp[i] != pair.reference[j] {
                break;
            }
            wrong_hyp |= self.alignment.wrong_hyp[i];
            wrong_ref |= self.alignment.wrong_ref[j];
            if wrong_hyp && wrong_ref {
                self.list_targets(start, place, i + 1 - start)?;
            }
        }
        Some(())
    }

    /// Lists the targets of a block, leaving out only those equal to the one just before, as TER does.
    fn list_targets(&mut self, start: usize, place: usize, len: usize) -> Option<()> {
        let mut last = u32::MAX;
        for &target in &self.alignment.before[place..=place + len] {
            if target != last {
                self.candidates.push(Candidate::new(start, len, target as usize));
                self.counted += 1;
                last = target;
            }
        }
        (self.counted < BUDGET).then_some(())
    }
}

/// How much lower the distance were without the beam.
fn beam_cost(matrix: &mut Matrix, pair: &Pair, distance: u32) -> u32 {
    if beam::is_harmless(distance as usize, pair.hyp.len(), pair.reference.len()) {
        return 0;
    }
    distance - matrix.free_distance(pair.hyp, pair.words, distance)
}
