//! Which tokens of a reference and a hypothesis stand for each other: hits, substitutions, deletions, insertions.
//!
//! The edit distance is one number, but several alignments have it, and they differ in hits and substitutions. The one
//! chosen here is that of RapidFuzz 3.14.6, which jiwer 4 counts:
//!
//! 1. tokens that both sequences begin with, and then those that both end with, are hits;
//! 2. the way back from the end of what is left deletes a reference token where that is a best step; otherwise it
//!    inserts, if the cell before costs one less than its own left neighbour; otherwise it takes a pair;
//! 3. sequences whose table would take more than a mebibyte are cut in two first: the hypothesis in the middle, the
//!    reference at the first place where the distances of both parts add up to the least.
//!
//! The table is computed 64 cells at a time with the reference as the pattern ([`crate::cells`]). Both questions of
//! step 2 are a bit of a kept row. Only a band is computed ([`band`]): every cell on a way of at most the distance lies
//! in it and is exact, every other cell costs at least what it should.
//!
//! Time is `O(R * D / 64)` for a distance of D, memory `O(R + H)` beside the mebibyte.

mod band;
#[cfg(any(test, fuzzing))]
pub mod naive;

use crate::cells::{BITS, Cells, Deltas, Unmatched, one_row};
use crate::halt;
use band::Band;
use std::cmp::min;

/// The number of a reference token that the hypothesis does not have.
const UNKNOWN: u32 = 0;

/// Tables of more bytes are not kept.
pub const MOST_BYTES: usize = 1 << 20;

/// What is done with tokens of the reference and the hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Step {
    /// A token of each, and they are equal.
    Hit,
    /// A token of each, and they differ.
    Substitute,
    /// A token of the reference alone.
    Delete,
    /// A token of the hypothesis alone.
    Insert,
}

/// How many steps of each kind there are, by [`Step`].
pub type Counts = [usize; 4];

/// Aligns sequences of numbers, with the memory for it: one a thread.
///
/// ```
/// use truebleu_core::align::Aligner;
///
/// // The reference is 1 2 3 4 and the hypothesis 2 3 4 5: three hits, a deletion and an insertion.
/// assert_eq!([3, 0, 1, 1], Aligner::default().counts(&[1, 2, 3, 4], &[2, 3, 4, 5], 5));
/// ```
#[derive(Default)]
pub struct Aligner {
    masks: Masks,
    band: Band<Deltas>,
    without_substitutions: Band<Unmatched>,
    kept: Vec<Deltas>,
    /// Of each row of a band: its first block, and where its blocks begin among those kept.
    rows: Vec<(usize, usize)>,
    distances: [Vec<usize>; 2],
    reversed: [Vec<u32>; 2],
}

impl Aligner {
    /// Counts the steps. Numbers of the hypothesis are from 1 to `highest`; 0 in the reference equals none of them.
    pub fn counts(&mut self, reference: &[u32], hypothesis: &[u32], highest: usize) -> Counts {
        let mut counts = [0; 4];
        let (ours, theirs, before, after) = without_common_ends(reference, hypothesis);
        let is_short = !ours.is_empty() && ours.len() <= RARE * BITS && !theirs.is_empty();
        if is_short && is_small(ours.len(), theirs.len(), ours.len().max(theirs.len())) {
            self.masks.know(highest);
            self.keep_rows(ours, theirs, usize::MAX);
            counts = self.count_back(ours, theirs);
            counts[Step::Hit as usize] += before + after;
            return counts;
        }
        self.steps(reference, hypothesis, highest, &mut |step, times| counts[step as usize] += times);
        counts
    }

    /// Hands on the steps from the last to the first, as a kind and how often it comes in a row.
    pub fn steps(
        &mut self,
        reference: &[u32],
        hypothesis: &[u32],
        highest: usize,
        visit: &mut impl FnMut(Step, usize),
    ) {
        self.masks.know(highest);
        self.align(reference, hypothesis, reference.len().max(hypothesis.len()), visit);
    }

    /// The edit distance alone.
    pub fn distance(&mut self, reference: &[u32], hypothesis: &[u32], highest: usize) -> usize {
        self.masks.know(highest);
        let (ours, theirs, _, _) = without_common_ends(reference, hypothesis);
        if ours.is_empty() || theirs.is_empty() {
            return ours.len().max(theirs.len());
        }
        self.masks.read(ours);
        let distance = self.masks.distance(&mut self.band, ours.len(), theirs);
        self.masks.forget(ours);
        distance
    }

    /// The length of the longest common subsequence.
    pub fn common(&mut self, reference: &[u32], hypothesis: &[u32], highest: usize) -> usize {
        self.masks.know(highest);
        let (ours, theirs, before, after) = without_common_ends(reference, hypothesis);
        if ours.is_empty() || theirs.is_empty() {
            return before + after;
        }
        self.masks.read(ours);
        let distance = self.without_substitutions.distance(&mut self.masks, ours.len(), theirs);
        self.masks.forget(ours);
        before + (ours.len() + theirs.len() - distance) / 2 + after
    }

    /// Makes one sequence ready to meet many with [`Self::distance_to`], until [`Self::release`].
    pub fn hold(&mut self, sequence: &[u32], highest: usize) {
        self.masks.know(highest);
        self.masks.read(sequence);
    }

    /// The edit distance from the sequence that is held, whose length this is.
    pub fn distance_to(&mut self, length: usize, other: &[u32]) -> usize {
        if length == 0 { other.len() } else { self.masks.distance(&mut self.band, length, other) }
    }

    /// Forgets the sequence that was held.
    pub fn release(&mut self, sequence: &[u32]) {
        self.masks.forget(sequence);
    }

    /// Aligns two sequences whose distance is at most `limit`.
    fn align(&mut self, reference: &[u32], hypothesis: &[u32], limit: usize, visit: &mut impl FnMut(Step, usize)) {
        let (ours, theirs, before, after) = without_common_ends(reference, hypothesis);
        visit(Step::Hit, after);
        if ours.is_empty() || theirs.is_empty() {
            visit(Step::Delete, ours.len());
            visit(Step::Insert, theirs.len());
        } else if is_small(ours.len(), theirs.len(), limit) {
            self.keep_rows(ours, theirs, limit);
            self.walk_back(ours, theirs, visit);
        } else {
            let (cut, [left, right]) = self.best_cut(ours, theirs, limit);
            let middle = theirs.len() / 2;
            self.align(&ours[cut..], &theirs[middle..], right, visit);
            self.align(&ours[..cut], &theirs[..middle], left, visit);
        }
        visit(Step::Hit, before);
    }

    fn keep_rows(&mut self, ours: &[u32], theirs: &[u32], limit: usize) {
        self.masks.read(ours);
        self.kept.clear();
        self.rows.clear();
        // A band spares nothing where there are few blocks.
        if ours.len() <= BITS {
            halt::reserve(&mut self.kept, theirs.len());
            let mut deltas = Deltas::START;
            self.kept.extend(theirs.iter().map(|&token| {
                halt::spend(1);
                deltas = deltas.advance(self.masks.narrow(token), Deltas::EDGE).0;
                deltas
            }));
        } else if ours.len() <= RARE * BITS {
            halt::resize(&mut self.kept, self.masks.blocks * theirs.len(), Deltas::START);
            self.masks.few_blocks(theirs, Some(&mut self.kept));
        } else {
            halt::reserve(&mut self.rows, theirs.len());
            self.band.each_row(&mut self.masks, ours.len(), theirs, limit, |first, row| {
                self.rows.push((first, self.kept.len()));
                halt::reserve(&mut self.kept, row.len());
                self.kept.extend_from_slice(row);
            });
        }
        self.masks.forget(ours);
    }

    fn walk_back(&self, ours: &[u32], theirs: &[u32], visit: &mut impl FnMut(Step, usize)) {
        let (mut col, mut row) = (ours.len(), theirs.len());
        let width = col.div_ceil(BITS);
        let deltas = |row: usize, col: usize| {
            let block = (col - 1) / BITS;
            let place = if self.rows.is_empty() { (row - 1) * width + block } else { self.place(row, block) };
            (self.kept.get(place).copied().unwrap_or(Deltas::START), 1_u64 << ((col - 1) % BITS))
        };
        while col > 0 && row > 0 {
            let (here, bit) = deltas(row, col);
            let step = if here.more & bit != 0 {
                Step::Delete
            } else if row > 1 && deltas(row - 1, col).0.less & bit != 0 {
                Step::Insert
            } else if ours[col - 1] == theirs[row - 1] {
                Step::Hit
            } else {
                Step::Substitute
            };
            col -= usize::from(step != Step::Insert);
            row -= usize::from(step != Step::Delete);
            visit(step, 1);
        }
        visit(Step::Delete, col);
        visit(Step::Insert, row);
    }

    /// Where a block of a row is kept; nowhere, if it came into the band in a later row.
    fn place(&self, row: usize, block: usize) -> usize {
        let (first, start) = self.rows[row - 1];
        let end = self.rows.get(row).map_or(self.kept.len(), |&(_, start)| start);
        let place = start + block - first;
        if place < end { place } else { usize::MAX }
    }

    /// What [`Self::walk_back`] does where there is no band, without handing steps on. Which step comes next nobody can
    /// guess, so there are no branches on it.
    fn count_back(&self, ours: &[u32], theirs: &[u32]) -> Counts {
        let (mut col, mut row, width) = (ours.len(), theirs.len(), ours.len().div_ceil(BITS));
        let (mut hits, mut pairs, mut deletions, mut insertions) = (0, 0, 0, 0);
        while col > 0 && row > 0 {
            let (place, bit) = ((row - 1) * width + (col - 1) / BITS, (col - 1) % BITS);
            let above = if row > 1 { self.kept[place - width].less } else { 0 };
            let delete = (self.kept[place].more >> bit & 1) as usize;
            let insert = (above >> bit & 1) as usize & !delete;
            let is_pair = 1 - delete - insert;
            hits += is_pair & usize::from(ours[col - 1] == theirs[row - 1]);
            (pairs, deletions, insertions) = (pairs + is_pair, deletions + delete, insertions + insert);
            (col, row) = (col - 1 + insert, row - 1 + delete);
        }
        [hits, pairs - hits, deletions + col, insertions + row]
    }

    /// The first place of the reference at which to cut it, and the distances of both parts from their halves.
    fn best_cut(&mut self, ours: &[u32], theirs: &[u32], limit: usize) -> (usize, [usize; 2]) {
        let (left, right) = theirs.split_at(theirs.len() / 2);
        let [mut forward, mut backward] = std::mem::take(&mut self.distances);
        let [mut ours_reversed, mut right_reversed] = std::mem::take(&mut self.reversed);
        for (reversed, part) in [(&mut ours_reversed, ours), (&mut right_reversed, right)] {
            reversed.clear();
            halt::reserve(reversed, part.len());
            reversed.extend(part.iter().rev());
        }
        let mut found = (0, [0; 2]);
        for limit in self.limits(ours, theirs, limit) {
            self.distances_of_prefixes(ours, left, theirs.len(), limit, &mut forward);
            self.distances_of_prefixes(&ours_reversed, &right_reversed, theirs.len(), limit, &mut backward);
            let sums = forward.iter().zip(backward.iter().rev()).map(|(before, after)| before + after);
            let (cut, least) = sums.enumerate().min_by_key(|&(_, sum)| sum).unwrap_or((0, 0));
            found = (cut, [forward[cut], backward[ours.len() - cut]]);
            if least <= limit {
                break;
            }
        }
        self.distances = [forward, backward];
        self.reversed = [ours_reversed, right_reversed];
        found
    }

    /// Limits to try. Parts of a sequence that was cut know their distance; nothing is known before.
    fn limits(&mut self, ours: &[u32], theirs: &[u32], limit: usize) -> impl Iterator<Item = usize> + use<> {
        let longer = ours.len().max(theirs.len());
        if limit < longer {
            return band::guesses(limit, usize::MAX);
        }
        self.masks.read(ours);
        let most = self.band.least_of_beam(&mut self.masks, ours.len(), theirs);
        self.masks.forget(ours);
        band::guesses(most, longer)
    }

    /// The distance of each prefix of the reference, the empty one first, from the first of so many `rows`; too large
    /// where it is on no way within the limit.
    fn distances_of_prefixes(
        &mut self,
        ours: &[u32],
        theirs: &[u32],
        rows: usize,
        limit: usize,
        distances: &mut Vec<usize>,
    ) {
        self.masks.read(ours);
        let is_alive = self.band.descend(&mut self.masks, ours.len(), rows, theirs, limit);
        self.masks.forget(ours);
        let outside = 2 * (ours.len() + rows);
        distances.clear();
        halt::resize(distances, ours.len() + 1, outside);
        if !is_alive {
            return;
        }
        let (mut distance, mut col) = (self.band.edge, self.band.first * BITS);
        distances[col] = distance;
        for deltas in self.band.row() {
            for bit in 0..min(BITS, ours.len() - col) {
                distance += (deltas.more >> bit & 1) as usize;
                distance -= (deltas.less >> bit & 1) as usize;
                distances[col + bit + 1] = distance;
            }
            col += min(BITS, ours.len() - col);
        }
    }
}

/// What is left without the tokens that both begin and end with, and how many those are.
fn without_common_ends<'a>(ours: &'a [u32], theirs: &'a [u32]) -> (&'a [u32], &'a [u32], usize, usize) {
    let before = ours.iter().zip(theirs).take_while(|(a, b)| a == b).count();
    let (ours, theirs) = (&ours[before..], &theirs[before..]);
    let after = ours.iter().rev().zip(theirs.iter().rev()).take_while(|(a, b)| a == b).count();
    (&ours[..ours.len() - after], &theirs[..theirs.len() - after], before, after)
}

/// Whether the table is kept as a whole: RapidFuzz's rule, on which results depend.
fn is_small(ours: usize, theirs: usize, limit: usize) -> bool {
    let bits = 2 * (min(ours, 2 * limit + 1) as u128) * theirs as u128;
    bits / 8 < MOST_BYTES as u128 || ours < 65 || theirs < 10
}

/// Goes down two rows, which are left in `rows`, the first before the second.
#[inline]
fn two_rows(blocks: &mut [Deltas], first: &[u64], second: &[u64], rows: &mut [Deltas]) {
    let width = blocks.len();
    let (first, second, rows) = (&first[..width], &second[..width], &mut rows[..2 * width]);
    let (mut ahead, mut carry, mut behind) = (blocks[0], Deltas::EDGE, Deltas::EDGE);
    (ahead, carry) = ahead.advance(first[0], carry);
    rows[0] = ahead;
    for at in 1..width {
        let (next, next_carry) = blocks[at].advance(first[at], carry);
        let (done, next_behind) = ahead.advance(second[at - 1], behind);
        (rows[at], rows[width + at - 1], blocks[at - 1]) = (next, done, done);
        (ahead, carry, behind) = (next, next_carry, next_behind);
    }
    let (done, _) = ahead.advance(second[width - 1], behind);
    (rows[2 * width - 1], blocks[width - 1]) = (done, done);
}

/// Where the pattern has which token: as bits, or as a list of positions for tokens that are rare in a long pattern.
#[derive(Default)]
struct Masks {
    blocks: usize,
    places: Vec<Place>, // by token
    dense: Vec<u64>,
    positions: Vec<u32>,
    /// Of each row that is computed at once the bits of its token, if they are listed.
    found: [Vec<u64>; band::ROWS],
}

/// Of one token: how often it comes, and where its bits or positions begin, plus one.
#[derive(Clone, Copy, Default)]
struct Place {
    count: u32,
    listed: u32,
    start: usize,
}

impl Place {
    /// Whether a token has its own bits.
    fn has_bits(self) -> bool {
        self.start > 0 && self.count == 0
    }
}

/// A token that comes once in so many blocks has its own bits; patterns of up to so many have few.
const RARE: usize = if cfg!(test) { 4 } else { 16 };

impl Masks {
    /// Makes room for tokens up to the highest.
    fn know(&mut self, highest: usize) {
        if self.places.len() <= highest {
            halt::resize(&mut self.places, highest + 1, Place::default());
        }
    }

    /// Reads a pattern. The one before must have been forgotten.
    fn read(&mut self, pattern: &[u32]) {
        self.blocks = pattern.len().div_ceil(BITS);
        self.dense.clear();
        self.positions.clear();
        if self.blocks > RARE {
            pattern.iter().for_each(|&token| self.places[token as usize].count += 1);
        }
        for (at, &token) in pattern.iter().enumerate().filter(|&(_, &token)| token != UNKNOWN) {
            let place = &mut self.places[token as usize];
            let is_dense = self.blocks <= RARE || place.count as usize * RARE >= self.blocks;
            if place.start == 0 && is_dense {
                place.start = self.dense.len() + 1;
                halt::resize(&mut self.dense, place.start - 1 + self.blocks, 0);
                place.count = 0;
            } else if place.start == 0 {
                place.start = self.positions.len() + 1;
                halt::resize(&mut self.positions, place.start - 1 + place.count as usize, 0);
            }
            if place.count == 0 {
                self.dense[place.start - 1 + at / BITS] |= 1 << (at % BITS);
            } else {
                self.positions[place.start - 1 + place.listed as usize] = at as u32;
                place.listed += 1;
            }
        }
    }

    /// Forgets a pattern that was read.
    fn forget(&mut self, pattern: &[u32]) {
        pattern.iter().for_each(|&token| self.places[token as usize] = Place::default());
    }

    /// The bits of a token in a pattern of one block.
    #[inline]
    fn narrow(&self, token: u32) -> u64 {
        match self.places[token as usize].start {
            0 => 0,
            start => self.dense[start - 1],
        }
    }

    /// Looks up the bits of a token from one block up to another, for the row of that number.
    fn find(&mut self, row: usize, token: u32, first: usize, end: usize) {
        let place = self.places[token as usize];
        if place.has_bits() {
            return;
        }
        let found = &mut self.found[row];
        found.clear();
        found.resize(end - first, 0);
        if place.start > 0 {
            let all = &self.positions[place.start - 1..][..place.count as usize];
            let from = all.partition_point(|&at| (at as usize) < first * BITS);
            for at in all[from..].iter().map(|&at| at as usize).take_while(|&at| at < end * BITS) {
                found[at / BITS - first] |= 1 << (at % BITS);
            }
        }
    }

    /// What [`Self::find`] has looked up.
    fn found(&self, row: usize, token: u32, first: usize, end: usize) -> &[u64] {
        let place = self.places[token as usize];
        if place.has_bits() { &self.dense[place.start - 1..][first..end] } else { &self.found[row] }
    }

    /// The edit distance from the pattern, whose length is at least 1.
    fn distance(&mut self, band: &mut Band<Deltas>, length: usize, other: &[u32]) -> usize {
        if length > BITS && length <= RARE * BITS {
            let last = self.few_blocks(other, None);
            let whole = length / BITS;
            let after = if !length.is_multiple_of(BITS) { last[whole].sum(!0 >> (BITS - length % BITS)) } else { 0 };
            let sum = last[..whole].iter().map(|deltas| deltas.sum(!0)).sum::<isize>() + after;
            return other.len().wrapping_add_signed(sum);
        }
        if length > BITS {
            return band.distance(self, length, other);
        }
        let step = |deltas: Deltas, &token: &u32| {
            halt::spend(1);
            deltas.advance(self.narrow(token), Deltas::EDGE).0
        };
        let last = other.iter().fold(Deltas::START, step).sum(!0 >> (BITS - length));
        other.len().wrapping_add_signed(last)
    }

    /// The last row of a pattern of few blocks, and all rows where somebody keeps them. Two rows are computed at once,
    /// the second one block behind the first: each is a chain of operations that wait for each other, and two chains
    /// fill the time.
    fn few_blocks(&self, other: &[u32], mut kept: Option<&mut [Deltas]>) -> [Deltas; RARE] {
        let (mut row, mut unkept) = ([Deltas::START; RARE], [Deltas::START; 2 * RARE]);
        let (width, blocks) = (self.blocks, &mut row[..self.blocks]);
        for (at, pair) in other.chunks(2).enumerate() {
            halt::spend(1);
            let rows = kept.as_mut().map(|kept| &mut kept[2 * at * width..][..pair.len() * width]);
            if let &[first, second] = pair {
                let rows = rows.unwrap_or(&mut unkept);
                two_rows(blocks, self.dense_bits(first), self.dense_bits(second), rows);
                continue;
            }
            one_row(blocks, self.dense_bits(pair[0]));
            if let Some(rows) = rows {
                rows.copy_from_slice(blocks);
            }
        }
        row
    }

    /// The bits of a token in a pattern of few blocks.
    #[inline]
    fn dense_bits(&self, token: u32) -> &[u64] {
        match self.places[token as usize].start {
            0 => &[0; RARE][..self.blocks],
            start => &self.dense[start - 1..][..self.blocks],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::naive::align;
    use super::*;
    use proptest::prelude::*;

    fn found(ours: &[u32], theirs: &[u32], highest: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        Aligner::default().steps(ours, theirs, highest, &mut |step, times| steps.extend(vec![step; times]));
        steps
    }

    fn check(ours: &[u32], theirs: &[u32], highest: usize) -> Result<(), TestCaseError> {
        let mut expected = Vec::new();
        align(ours, theirs, ours.len().max(theirs.len()), MOST_BYTES, &mut expected);
        prop_assert_eq!(&expected, &found(ours, theirs, highest));
        let mut aligner = Aligner::default();
        let distance = expected.iter().filter(|&&step| step != Step::Hit).count();
        prop_assert_eq!(distance, aligner.distance(ours, theirs, highest));
        aligner.hold(theirs, highest);
        prop_assert_eq!(distance, aligner.distance_to(theirs.len(), ours));
        aligner.release(theirs);
        let counts = aligner.counts(ours, theirs, highest);
        prop_assert_eq!(distance, counts[1..].iter().sum::<usize>());
        prop_assert_eq!(ours.len(), counts[..3].iter().sum::<usize>());
        Ok(())
    }

    /// A sequence, and another that is near to it.
    fn pair(kinds: u32, most: usize) -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
        let change = (0..most, 0_u32..3, 1..=kinds);
        let changes = prop::collection::vec(change, 0..most / 4 + 2);
        (prop::collection::vec(0..=kinds, 0..most), changes).prop_map(move |(ours, changes)| {
            let mut theirs: Vec<u32> = ours.iter().map(|&token| token.max(1)).collect();
            for (at, kind, token) in changes {
                let at = at % (theirs.len() + 1);
                match kind {
                    0 => theirs.insert(at, token),
                    1 if at < theirs.len() => theirs[at] = token,
                    _ if at < theirs.len() => drop(theirs.remove(at)),
                    _ => {}
                }
            }
            (ours, theirs)
        })
    }

    /// Two sequences of which one may be much longer, with a part that both have, at different places.
    fn unlike(kinds: u32, most: usize) -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
        let part = |most| prop::collection::vec(1..=kinds, 0..most);
        (part(most), part(most), part(most / 2), part(most))
            .prop_map(|(first, other, shared, last)| ([first, shared.clone()].concat(), [other, shared, last].concat()))
    }

    proptest! {
        #[test]
        fn short_sequences_follow_the_rules((ours, theirs) in pair(3, 12)) {
            check(&ours, &theirs, 3)?;
        }

        #[test]
        fn sequences_of_some_blocks_follow_the_rules((ours, theirs) in pair(9, 220)) {
            check(&ours, &theirs, 9)?;
        }

        #[test]
        fn a_band_finds_the_same_steps((ours, theirs) in pair(40, 900)) {
            let distance = Aligner::default().distance(&ours, &theirs, 40);
            let mut expected = Vec::new();
            align(&ours, &theirs, usize::MAX / 4, usize::MAX, &mut expected);
            for limit in [distance, distance + 1, distance + 70] {
                let (mut aligner, mut steps) = (Aligner::default(), Vec::new());
                aligner.masks.know(40);
                aligner.align(&ours, &theirs, limit, &mut |step, times| steps.extend(vec![step; times]));
                prop_assert_eq!(&expected, &steps);
            }
        }

        #[test]
        fn sequences_that_have_little_in_common_follow_the_rules((ours, theirs) in unlike(6, 700)) {
            check(&ours, &theirs, 6)?;
        }

        #[test]
        fn the_longest_common_subsequence_is_that_of_insertions_and_deletions(
            (ours, theirs) in prop_oneof![pair(5, 500), unlike(5, 500)],
        ) {
            let mut lengths = vec![vec![0; theirs.len() + 1]; ours.len() + 1];
            for (at, own) in ours.iter().enumerate() {
                for (place, token) in theirs.iter().enumerate() {
                    let longer = lengths[at][place + 1].max(lengths[at + 1][place]);
                    lengths[at + 1][place + 1] = if own == token { lengths[at][place] + 1 } else { longer };
                }
            }
            prop_assert_eq!(lengths[ours.len()][theirs.len()], Aligner::default().common(&ours, &theirs, 5));
        }
    }

    #[test]
    fn long_sequences_are_cut_in_two() {
        let mut state = 12_345_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for kinds in [6, 500] {
            let ours: Vec<u32> = (0..2300).map(|_| random(kinds) as u32 + 1).collect();
            let mut theirs = ours.clone();
            theirs.retain(|_| random(8) > 0);
            theirs.iter_mut().filter(|_| random(5) == 0).for_each(|token| *token = (*token * 7) % kinds as u32 + 1);
            check(&ours, &theirs, kinds as usize).unwrap();
            assert!(!is_small(ours.len() - 20, theirs.len() - 20, ours.len()));
        }
    }
}
