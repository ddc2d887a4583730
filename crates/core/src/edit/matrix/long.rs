//! The edit matrix of sentences so long that their rows take too much memory.
//!
//! One row in [`EVERY`] is kept. Rows between two kept ones are computed again where somebody asks for them: on the way
//! back, which so takes twice the time, and at the start of a shifted sentence. What a shifted sentence has in common
//! with the kept one is noticed at the next kept row. Spans are computed where they are needed too.

use super::super::beam;
use super::{Choices, Entry, Span, WideRow, entry};
use crate::cells::{Cells, Deltas};
use crate::edit::words::Words;
use crate::halt;

/// The distance between kept rows. Tests have short sentences.
const EVERY: usize = if cfg!(test) { 16 } else { 256 };

#[derive(Default)]
pub struct Long {
    rows: usize,
    cols: usize,
    /// Blocks of the kept rows, end to end.
    kept: Vec<Deltas>,
    marks: Vec<Mark>,
    /// Cost of the last cell of the last row.
    distance: u32,
    row: WideRow,
    recalled: Recalled,
}

/// A kept row: its first block, the cost at that block's left edge, and where its blocks begin among those kept.
struct Mark {
    first: usize,
    edge: u32,
    start: usize,
}

/// Choices in the rows after a kept one.
#[derive(Default)]
struct Recalled {
    above: usize,
    spans: Vec<Span>,
    /// Where each row's choices begin.
    starts: Vec<usize>,
    choices: Vec<Choices>,
}

impl Long {
    pub fn shape(&mut self, rows: usize, cols: usize) {
        (self.rows, self.cols) = (rows, cols);
        self.kept.clear();
        self.marks.clear();
        halt::reserve(&mut self.marks, rows / EVERY + 1);
        self.kept.push(Deltas::START);
        self.marks.push(Mark { first: 0, edge: 0, start: 0 });
    }

    pub fn keep(&mut self, from: usize, hyp: &[u32], words: &Words) -> u32 {
        let start = self.resume(from);
        self.kept.truncate(self.end(from / EVERY));
        self.marks.truncate(from / EVERY + 1);
        let spans = beam::spans_after(start, self.rows, self.cols);
        for ((row, &word), span) in (start + 1..).zip(&hyp[start..]).zip(spans) {
            halt::spend(1);
            self.row.advance(span, word, words);
            if row % EVERY == 0 {
                self.mark();
            }
        }
        self.distance = self.row.last(self.cols);
        self.distance
    }

    pub fn distance(&mut self, before: &[u32], [first, second, unmoved]: [&[u32]; 3], words: &Words) -> u32 {
        let start = self.resume(before.len());
        let changed = before.len() + first.len() + second.len();
        let hyp = before[start..].iter().chain(first).chain(second).chain(unmoved);
        let spans = beam::spans_after(start, self.rows, self.cols);
        for ((row, &word), span) in (start + 1..).zip(hyp).zip(spans) {
            halt::spend(1);
            self.row.advance(span, word, words);
            if row % EVERY == 0 && row > changed && self.has_settled(row) {
                return self.distance.wrapping_add(self.row.edge).wrapping_sub(self.marks[row / EVERY].edge);
            }
        }
        self.row.last(self.cols)
    }

    pub fn free_distance(&mut self, hyp: &[u32], words: &Words, most: u32) -> u32 {
        self.row.free_distance(hyp, words, self.cols, most)
    }

    /// Computes the rows up to a given one after the last that was kept before it, and returns that one.
    pub fn recall(&mut self, row: usize, hyp: &[u32], words: &Words) -> usize {
        let above = self.resume(row - 1);
        let Recalled { spans, starts, choices, .. } = &mut self.recalled;
        spans.clear();
        starts.clear();
        choices.clear();
        spans.extend(beam::spans_after(above, self.rows, self.cols).take(row - above));
        for (&word, &span) in hyp[above..row].iter().zip(&*spans) {
            halt::spend(1);
            self.row.advance(span, word, words);
            starts.push(choices.len());
            halt::reserve(choices, self.row.choices.len());
            choices.extend_from_slice(&self.row.choices);
        }
        self.recalled.above = above;
        above
    }

    pub fn entry(&self, row: usize, col: usize) -> Entry {
        let Recalled { above, spans, starts, choices } = &self.recalled;
        let at = row - above - 1;
        entry(spans[at], &choices[starts[at]..], col)
    }

    /// Keeps the row that was computed last.
    fn mark(&mut self) {
        self.marks.push(Mark { first: self.row.first, edge: self.row.edge, start: self.kept.len() });
        halt::reserve(&mut self.kept, self.row.blocks.len());
        self.kept.extend_from_slice(&self.row.blocks);
    }

    /// Whether a row differs from the kept one at most by the same amount in all cells, as then all later ones will.
    fn has_settled(&self, row: usize) -> bool {
        let at = row / EVERY;
        self.row.blocks == self.kept[self.marks[at].start..self.end(at)]
    }

    /// Makes the last kept row up to `from` the one to go on from, and returns it.
    fn resume(&mut self, from: usize) -> usize {
        let at = from / EVERY;
        let Mark { first, edge, start } = self.marks[at];
        let end = self.end(at);
        self.row.resume(first, &self.kept[start..end], edge);
        at * EVERY
    }

    /// Where the blocks of a kept row end.
    fn end(&self, at: usize) -> usize {
        self.marks.get(at + 1).map_or(self.kept.len(), |next| next.start)
    }
}
