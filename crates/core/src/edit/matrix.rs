//! The edit matrix, a row at a time, 64 columns at a time.
//!
//! Rows are hypothesis prefixes, columns reference prefixes. [`crate::cells`] has the step from a row to the next.
//!
//! What departs from the paper named there:
//!
//! - **The beam.** Matches outside the row's [`Span`] are masked away, which is all the beam does; see [`beam`]. Rows
//!   of more than 64 columns compute only the blocks of 64 that their span touches, one or two unless the lengths are
//!   very uneven. To the left of them a cell counts as one more than the cell above, to the right as one more than the
//!   cell before.
//! - **Ties.** TER prefers a diagonal step, then a deletion, then an insertion. Each row keeps where the first two are
//!   right, so that the way back reads two bits a cell.
//! - **Rows are kept**, so that a sentence which shares its beginning with the kept one starts where they part, and if
//!   it is long and shares its end too, stops where they have met again. Of very long ones only some are, see [`long`].

mod long;

use super::beam::{self, Span};
use super::words::{Words, refill};
use crate::cells::{BITS, Carry, Cells, Deltas, Stepped};
use crate::halt;
use long::Long;

/// Cells that cost as much as a step of [`halt::spend`].
const CELLS: usize = 1024;

/// Where and how a best path comes into a row from the row above, by TER's order of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub col: usize,
    /// By a match or a substitution; otherwise by a deletion.
    pub diagonal: bool,
}

/// How rows are computed and kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// In one machine word each.
    #[default]
    Narrow,
    /// In several.
    Wide,
    /// In several, and most of them are not kept.
    Long,
}

impl Kind {
    /// The kind for sentences of these lengths, where those of more than `long` words are long.
    pub fn of(rows: usize, cols: usize, long: usize) -> Self {
        match () {
            () if rows.max(cols) > long => Self::Long,
            () if cols > BITS => Self::Wide,
            () => Self::Narrow,
        }
    }
}

/// The edit matrix of a hypothesis and a reference.
#[derive(Default)]
pub struct Matrix {
    kind: Kind,
    narrow: Narrow,
    wide: Wide,
    long: Long,
}

impl Matrix {
    /// Prepares for sentences of these lengths, neither of which may be 0.
    pub fn shape(&mut self, kind: Kind, rows: usize, cols: usize) {
        self.kind = kind;
        match kind {
            Kind::Narrow => self.narrow.shape(rows, cols),
            Kind::Wide => self.wide.shape(rows, cols),
            Kind::Long => self.long.shape(rows, cols),
        }
    }

    /// Computes and keeps all rows after the first `from`, which must be those of an earlier call, and returns the
    /// distance.
    pub fn keep(&mut self, from: usize, hyp: &[u32], words: &Words) -> u32 {
        match self.kind {
            Kind::Narrow => self.narrow.keep(from, hyp, words),
            Kind::Wide => self.wide.keep(from, hyp, words),
            Kind::Long => self.long.keep(from, hyp, words),
        }
    }

    /// Distance of a sentence of which the words `before` and their rows have been kept, and `parts` are the rest.
    pub fn distance(&mut self, before: &[u32], parts: [&[u32]; 3], words: &Words) -> u32 {
        match self.kind {
            Kind::Narrow => self.narrow.distance(before.len(), parts, words),
            Kind::Wide => self.wide.distance(before.len(), parts, words),
            Kind::Long => self.long.distance(before, parts, words),
        }
    }

    /// Distance of a sentence without the beam, which is no more than `most`.
    pub fn free_distance(&mut self, hyp: &[u32], words: &Words, most: u32) -> u32 {
        match self.kind {
            Kind::Narrow => self.narrow.free_distance(hyp, words),
            Kind::Wide => self.wide.free_distance(hyp, words, most),
            Kind::Long => self.long.free_distance(hyp, words, most),
        }
    }

    /// Makes ready for [`Self::entry`] some rows up to a given one, of the sentence that was kept: those after the row
    /// that it returns.
    pub fn recall(&mut self, row: usize, hyp: &[u32], words: &Words) -> usize {
        if self.kind == Kind::Long { self.long.recall(row, hyp, words) } else { 0 }
    }

    /// How a best path to a cell inside the beam came into the cell's row; neither row nor column may be 0.
    #[inline]
    pub fn entry(&self, row: usize, col: usize) -> Entry {
        if self.kind == Kind::Narrow { self.narrow.entry(row, col) } else { self.other_entry(row, col) }
    }

    /// Kept out of the loop over rows of sentences.
    #[inline(never)]
    fn other_entry(&self, row: usize, col: usize) -> Entry {
        if self.kind == Kind::Wide { self.wide.entry(row, col) } else { self.long.entry(row, col) }
    }
}

/// For 64 cells, whether a diagonal step is best, and if not, whether a deletion is.
#[derive(Clone, Copy, Default)]
struct Choices {
    diagonal: u64,
    delete: u64,
}

impl Choices {
    /// Goes down one row in these 64 columns, given which of them end in a match.
    #[inline(always)]
    fn advance(cells: Deltas, matches: u64, carry: Carry) -> (Deltas, Self, Carry) {
        let Stepped { cells: next, carry, as_corner, .. } = cells.step(matches, carry);
        // A diagonal step without a match costs one; it is best unless the cell costs no more than its corner.
        (next, Self { diagonal: matches | !as_corner, delete: cells.less }, carry)
    }
}

/// References of at most 64 words: a row is one block and starts at column 0, whose cell costs as much as the row's
/// number.
#[derive(Default)]
struct Narrow {
    cols: usize,
    /// The spans of rows 1, 2, ... as bits.
    spans: Vec<u64>,
    kept: Vec<Deltas>,
    choices: Vec<Choices>,
}

impl Narrow {
    fn shape(&mut self, rows: usize, cols: usize) {
        self.cols = cols;
        if beam::is_harmless(rows.max(cols), rows, cols) {
            refill(&mut self.spans, rows, up_to(cols));
        } else {
            self.spans.clear();
            halt::reserve(&mut self.spans, rows);
            self.spans.extend(beam::spans(rows, cols).map(bits));
        }
        grow(&mut self.kept, rows + 1);
        grow(&mut self.choices, rows + 1);
        self.kept[0] = Deltas::START;
    }

    fn keep(&mut self, from: usize, hyp: &[u32], words: &Words) -> u32 {
        let words = words.masks();
        let mut deltas = self.kept[from];
        let rows = self.kept[from + 1..].iter_mut().zip(&mut self.choices[from + 1..]).zip(&self.spans[from..]);
        for (&word, ((kept, choices), span)) in hyp[from..].iter().zip(rows) {
            (deltas, *choices, _) = Choices::advance(deltas, words[word as usize] & span, Deltas::EDGE);
            *kept = deltas;
        }
        self.last(deltas)
    }

    fn distance(&self, from: usize, parts: [&[u32]; 3], words: &Words) -> u32 {
        let words = words.masks();
        let mut deltas = self.kept[from];
        let mut spans = &self.spans[from..];
        for part in parts {
            let (here, after) = spans.split_at(part.len());
            for (&word, span) in part.iter().zip(here) {
                (deltas, _) = deltas.advance(words[word as usize] & span, Deltas::EDGE);
            }
            spans = after;
        }
        self.last(deltas)
    }

    fn free_distance(&self, hyp: &[u32], words: &Words) -> u32 {
        let words = words.masks();
        let step = |deltas: Deltas, word: &u32| deltas.advance(words[*word as usize], Deltas::EDGE).0;
        self.last(hyp.iter().fold(Deltas::START, step))
    }

    /// Cost of the last cell of the last row.
    fn last(&self, deltas: Deltas) -> u32 {
        self.spans.len().wrapping_add_signed(deltas.sum(up_to(self.cols))) as u32
    }

    #[inline]
    fn entry(&self, row: usize, col: usize) -> Entry {
        let span = self.spans[row - 1];
        let choices = self.choices[row];
        // Left of the span the only way in is from above, right of it there is none.
        let left = span.wrapping_sub(1) & !span;
        let until = up_to(col);
        let diagonal = choices.diagonal & span & until;
        let delete = ((choices.delete & span) | left) & until & !diagonal;
        // The last bit is where the insertions end. If there is none, they end at column 0, where only a deletion is
        // left.
        Entry { col: BITS - (diagonal | delete).leading_zeros() as usize, diagonal: diagonal > delete }
    }
}

/// Longer references: a row is the blocks that its span touches.
#[derive(Default)]
struct Wide {
    cols: usize,
    /// One for each row; that of row 0 only says that its first block is block 0.
    spans: Vec<Span>,
    /// How many blocks a kept row has room for.
    stride: usize,
    kept: Vec<Deltas>,
    choices: Vec<Choices>,
    /// Cost of each kept row's cell at the left edge of its first block.
    edges: Vec<u32>,
    /// Cost of the last cell of the last kept row.
    distance: u32,
    row: WideRow,
}

impl Wide {
    fn shape(&mut self, rows: usize, cols: usize) {
        self.cols = cols;
        refill(&mut self.spans, 1, Span { first: 1, last: 1 });
        halt::reserve(&mut self.spans, rows);
        self.spans.extend(beam::spans(rows, cols));
        self.stride = self.spans.iter().map(|span| blocks(*span).len()).max().unwrap_or(1);
        grow(&mut self.kept, (rows + 1) * self.stride);
        grow(&mut self.choices, (rows + 1) * self.stride);
        grow(&mut self.edges, rows + 1);
        self.kept[0] = Deltas::START;
        self.edges[0] = 0;
    }

    fn keep(&mut self, from: usize, hyp: &[u32], words: &Words) -> u32 {
        self.resume(from);
        for (i, &word) in hyp.iter().enumerate().skip(from) {
            halt::spend(1);
            let (row, span) = (i + 1, self.spans[i + 1]);
            self.row.advance(span, word, words);
            let (first, touched) = (row * self.stride, blocks(span));
            self.choices[first..first + touched.len()].copy_from_slice(&self.row.choices);
            self.kept[first..first + touched.len()].copy_from_slice(&self.row.blocks[..touched.len()]);
            self.edges[row] = self.row.edge;
        }
        self.distance = self.row.last(self.cols);
        self.distance
    }

    fn distance(&mut self, from: usize, [first, second, unmoved]: [&[u32]; 3], words: &Words) -> u32 {
        self.resume(from);
        let changed = from + first.len() + second.len();
        for (&word, &span) in first.iter().chain(second).zip(&self.spans[from + 1..]) {
            self.row.advance(span, word, words);
        }
        for (i, &word) in unmoved.iter().enumerate() {
            let row = changed + i + 1;
            self.row.advance(self.spans[row], word, words);
            if self.has_settled(row) {
                return self.distance.wrapping_add(self.row.edge).wrapping_sub(self.edges[row]);
            }
        }
        self.row.last(self.cols)
    }

    /// Whether a row differs from the kept one at most by the same amount in all cells, as then all later ones will.
    fn has_settled(&self, row: usize) -> bool {
        self.row.blocks == self.kept[row * self.stride..][..self.row.blocks.len()]
    }

    fn free_distance(&mut self, hyp: &[u32], words: &Words, most: u32) -> u32 {
        self.row.free_distance(hyp, words, self.cols, most)
    }

    /// Makes the kept row `from` the one to go on from.
    fn resume(&mut self, from: usize) {
        let touched = blocks(self.spans[from]);
        let kept = &self.kept[from * self.stride..][..touched.len()];
        self.row.resume(touched.start, kept, self.edges[from]);
    }

    fn entry(&self, row: usize, col: usize) -> Entry {
        entry(self.spans[row], &self.choices[row * self.stride..], col)
    }
}

/// How a best path came into a row, given the choices in the blocks that its span touches.
fn entry(span: Span, choices: &[Choices], col: usize) -> Entry {
    // Right of the span the only way in is from the left, left of it from above.
    for col in (span.first..=col.min(span.last)).rev() {
        let choices = choices[(col - 1) / BITS - (span.first - 1) / BITS];
        let bit = 1 << ((col - 1) % BITS);
        if (choices.diagonal | choices.delete) & bit != 0 {
            return Entry { col, diagonal: choices.diagonal & bit != 0 };
        }
    }
    Entry { col: col.min(span.first - 1), diagonal: false }
}

/// One row of a wide matrix.
#[derive(Default)]
struct WideRow {
    /// Blocks of the row from block `first` on. Those before are no longer computed, those after not yet, so they are
    /// as at the start.
    blocks: Vec<Deltas>,
    first: usize,
    /// Cost of the cell at the left edge of block `first`.
    edge: u32,
    /// Of the blocks that the span touches: where words match, and the best steps.
    matches: Vec<u64>,
    choices: Vec<Choices>,
}

impl WideRow {
    /// Takes up a row that was kept from its block `first` on.
    fn resume(&mut self, first: usize, kept: &[Deltas], edge: u32) {
        self.first = first;
        self.edge = edge;
        self.blocks.clear();
        self.blocks.extend_from_slice(kept);
    }

    /// Distance of a sentence without the beam, which is no more than `most`.
    fn free_distance(&mut self, hyp: &[u32], words: &Words, cols: usize, most: u32) -> u32 {
        self.resume(0, &[], 0);
        for (&word, span) in hyp.iter().zip(beam::reach(most as usize, hyp.len(), cols)) {
            halt::spend(1 + blocks(span).len() * BITS / CELLS);
            self.advance(span, word, words);
        }
        self.last(cols)
    }

    fn advance(&mut self, span: Span, word: u32, words: &Words) {
        let touched = blocks(span);
        if self.blocks.len() < touched.end - self.first {
            halt::resize(&mut self.blocks, touched.end - self.first, Deltas::START);
        }
        for passed in self.blocks.drain(..touched.start - self.first) {
            self.edge = self.edge.wrapping_add_signed(passed.sum(!0) as i32);
        }
        self.first = touched.start;
        self.edge += 1;
        self.find(span, touched.len(), word, words);
        let mut carry = Deltas::EDGE;
        self.choices.resize(touched.len(), Choices::default());
        for ((block, matches), choices) in self.blocks.iter_mut().zip(&self.matches).zip(&mut self.choices) {
            (*block, *choices, carry) = Choices::advance(*block, *matches, carry);
        }
    }

    /// Sets the bits of the columns in the span that have this word.
    fn find(&mut self, span: Span, touched: usize, word: u32, words: &Words) {
        self.matches.resize(touched, 0);
        self.matches.fill(0);
        for position in words.positions(word, span.first - 1, span.last - 1) {
            self.matches[position / BITS - self.first] |= 1 << (position % BITS);
        }
    }

    /// Cost of the row's last cell.
    fn last(&self, cols: usize) -> u32 {
        let computed: isize = self.blocks.iter().map(|block| block.sum(!0)).sum();
        let to_come = cols.div_ceil(BITS) - self.first - self.blocks.len();
        // The last block may go on after the last column.
        let after = !up_to((cols - 1) % BITS + 1);
        let last = if to_come > 0 { Deltas::START } else { *self.blocks.last().unwrap_or(&Deltas::START) };
        (self.edge as usize + to_come * BITS).wrapping_add_signed(computed - last.sum(after)) as u32
    }
}

/// The blocks of 64 columns that a span touches.
fn blocks(span: Span) -> std::ops::Range<usize> {
    (span.first - 1) / BITS..(span.last - 1) / BITS + 1
}

/// The lowest `n` bits, from 1 to 64.
#[inline]
fn up_to(n: usize) -> u64 {
    !0 >> (BITS - n)
}

/// The columns of a span, as bits.
fn bits(span: Span) -> u64 {
    up_to(span.last) & (!0 << (span.first - 1))
}

/// Makes room for `len` values, whatever they are.
fn grow<T: Clone + Default>(table: &mut Vec<T>, len: usize) {
    if table.len() < len {
        halt::resize(table, len, T::default());
    }
}
