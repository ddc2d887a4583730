//! Columns of the edit-distance table, 64 cells to a word.
//!
//! A column belongs to a reference token and has a cell for each position of the hypothesis. [`crate::cells`] has the
//! step from one to the next; what are rows there are columns here, and what is left there is above.
//!
//! Words of a column depend on each other through a carry, which would make the processor wait. So four columns are
//! computed in one walk over the words: while the carry of one is under way, the others have work.

use crate::cells::{Carry, Cells, Deltas, Stepped};
use crate::halt;
use std::ops::Range;

/// A token of a reference that the hypothesis does not have.
pub const ABSENT: u32 = u32::MAX;

/// How many columns are computed in one walk.
const LANES: usize = 4;

/// How many tokens have masks that are kept, and how many words these may take together.
const KEPT: usize = 512;
const KEPT_WORDS: usize = 1 << 21;

/// Where each token of a hypothesis stands.
pub struct Masks {
    words: usize,
    tokens: Vec<u32>,
    starts: Vec<usize>,
    positions: Vec<u32>,
    /// For each token the number of its kept mask, or `ABSENT`.
    kept: Vec<u32>,
    masks: Vec<u64>,
}

impl Masks {
    /// The masks of a hypothesis.
    pub fn new(hypothesis: &[u32]) -> Self {
        Self::after(0, hypothesis)
    }

    /// The masks of a hypothesis that stands behind so many tokens which equal no other.
    pub fn after(blank: usize, hypothesis: &[u32]) -> Self {
        let words = (blank + hypothesis.len()).div_ceil(64);
        let mut positions = Vec::new();
        halt::reserve(&mut positions, hypothesis.len());
        positions.extend(blank as u32..(blank + hypothesis.len()) as u32);
        let token_at = |position: u32| hypothesis[position as usize - blank];
        positions.sort_by_key(|&at| token_at(at));
        let (mut tokens, mut starts) = (Vec::new(), Vec::new());
        for (at, &position) in positions.iter().enumerate() {
            let token = token_at(position);
            if tokens.last() != Some(&token) {
                tokens.push(token);
                starts.push(at);
            }
        }
        starts.push(positions.len());
        let mut masks = Self { words, kept: vec![ABSENT; tokens.len()], tokens, starts, positions, masks: Vec::new() };
        masks.keep_frequent();
        masks
    }

    /// To scatter the few places of a rare token is quicker than to read a whole mask; for a frequent one it is not.
    fn keep_frequent(&mut self) {
        let mut frequent: Vec<usize> = (0..self.tokens.len()).filter(|&token| self.places(token).len() > 8).collect();
        frequent.sort_by_key(|&token| (usize::MAX - self.places(token).len(), token));
        frequent.truncate(KEPT.min(KEPT_WORDS / self.words.max(1)));
        let mut masks = Vec::new();
        halt::resize(&mut masks, frequent.len() * self.words, 0u64);
        for (number, &token) in frequent.iter().enumerate() {
            self.kept[token] = number as u32;
            let mask = &mut masks[number * self.words..][..self.words];
            self.places(token).iter().for_each(|&at| mask[at as usize / 64] |= 1 << (at % 64));
        }
        self.masks = masks;
    }

    fn places(&self, token: usize) -> &[u32] {
        &self.positions[self.starts[token]..self.starts[token + 1]]
    }

    /// How many words a column has.
    pub fn words(&self) -> usize {
        self.words
    }

    /// How many different tokens there are. Their numbers are below.
    pub fn kinds(&self) -> usize {
        self.tokens.len()
    }

    /// The numbers by which [`Walk`] knows the tokens of a reference.
    pub fn numbers(&self, tokens: &[u32]) -> Vec<u32> {
        let mut numbers = Vec::new();
        halt::reserve(&mut numbers, tokens.len());
        numbers.extend(tokens.iter().map(|token| self.tokens.binary_search(token).map_or(ABSENT, |at| at as u32)));
        numbers
    }
}

/// Some words of a column: the cell above them, and the differences between the cells from there to the bottom.
#[derive(Clone)]
pub struct Column {
    /// How many words of the table are above.
    first: usize,
    /// The cell above, at position `64 * first`.
    pub top: i64,
    cells: Vec<Deltas>,
}

impl Column {
    /// The column before the first reference token: 0, 1, 2 and so on.
    pub fn first(words: usize) -> Self {
        let mut column = Self::level(0..words);
        column.cells.fill(Deltas::START);
        column
    }

    /// Some words of a column whose cells are all 0.
    pub fn level(words: Range<usize>) -> Self {
        let mut cells = Vec::new();
        halt::resize(&mut cells, words.len(), Deltas::default());
        Self { first: words.start, top: 0, cells }
    }

    /// The first words of a column whose cells rise by one on both sides of a position in the first word, which is 0.
    pub fn around(position: usize, words: usize) -> Self {
        let mut column = Self::first(words);
        if let Some(cells) = column.cells.first_mut() {
            column.top = position as i64;
            let less = !0 >> (64 - position);
            *cells = Deltas { more: !less, less };
        }
        column
    }

    /// The words of the column that have cells above a position, or the position's.
    pub fn above(&self, position: usize) -> Self {
        let words = position.div_ceil(64).saturating_sub(self.first);
        Self { first: self.first, top: self.top, cells: halt::copied(&self.cells[..words]) }
    }

    /// Leaves out words above, and takes in others below, as if their cells rose by one. Returns the lowest cell that
    /// is no longer there.
    pub fn move_down(&mut self, words: &Range<usize>) -> Option<i64> {
        let left_out = words.start - self.first;
        let lowest = (left_out > 0).then(|| lowest(self.top, &self.cells[..left_out]));
        self.top = self.cell(64 * words.start);
        self.first = words.start;
        self.cells.drain(..left_out);
        halt::resize(&mut self.cells, words.len(), Deltas::START);
        lowest
    }

    /// The lowest cell.
    pub fn lowest(&self) -> i64 {
        lowest(self.top, &self.cells)
    }

    /// The last cell.
    pub fn bottom(&self) -> i64 {
        self.cell(64 * (self.first + self.words()))
    }

    /// The column of these cells, which are a multiple of 64 below the top.
    pub fn pack(top: i64, cells: &[i64]) -> Self {
        let (mut column, mut before) = (Self::level(0..cells.len() / 64), top);
        column.top = top;
        for (at, &cell) in cells.iter().enumerate() {
            column.cells[at / 64].more |= u64::from(cell > before) << (at % 64);
            column.cells[at / 64].less |= u64::from(cell < before) << (at % 64);
            before = cell;
        }
        column
    }

    /// Lowers each of some cells to that of this column, if that is lower.
    pub fn lower(&self, cells: &mut [i64]) {
        for (lowest, cell) in cells.iter_mut().zip(costs(self.top, &self.cells)) {
            *lowest = cell.min(*lowest);
        }
    }

    /// The cell at a position.
    pub fn cell(&self, position: usize) -> i64 {
        let (words, rest) = (position / 64 - self.first, position % 64);
        let whole: isize = self.cells[..words].iter().map(|cells| cells.sum(!0)).sum();
        let part = if rest > 0 { self.cells[words].sum((1 << rest) - 1) } else { 0 };
        self.top + (whole + part) as i64
    }

    /// How many words the column has.
    pub fn words(&self) -> usize {
        self.cells.len()
    }

    /// Raises the top by one. Where the next cell would be more than one below, nothing comes from the top any more,
    /// and it can stay.
    pub fn raise_top(&mut self) {
        if self.can_raise_top() {
            self.top += 1;
            if let Some(cells) = self.cells.first_mut() {
                cells.less |= !cells.more & 1;
                cells.more &= !1;
            }
        }
    }

    /// Whether [`Column::raise_top`] does anything.
    pub fn can_raise_top(&self) -> bool {
        self.first == 0 && self.cells.first().is_none_or(|cells| cells.less & 1 == 0)
    }
}

/// What each cell below the one at the top costs.
fn costs(top: i64, cells: &[Deltas]) -> impl Iterator<Item = i64> {
    let bits = cells.iter().flat_map(|cells| (0..64).map(|bit| (cells.more >> bit & 1, cells.less >> bit & 1)));
    bits.scan(top, |cell, (more, less)| {
        *cell += more as i64 - less as i64;
        Some(*cell)
    })
}

/// The lowest of some cells and the one above them.
fn lowest(top: i64, cells: &[Deltas]) -> i64 {
    costs(top, cells).fold(top, i64::min)
}

/// Computes columns; owns the memory that this takes.
pub struct Walk<'a> {
    masks: &'a Masks,
    scattered: Vec<u64>,
}

impl<'a> Walk<'a> {
    /// A walk over the hypothesis of these masks.
    pub fn new(masks: &'a Masks) -> Self {
        let mut scattered = Vec::new();
        halt::resize(&mut scattered, LANES * masks.words, 0);
        Self { masks, scattered }
    }

    /// Moves a column on by some reference tokens, as far down as it reaches. Returns the lowest of the bottom cells on
    /// the way, that of the start among them.
    pub fn advance(&mut self, column: &mut Column, numbers: &[u32]) -> i64 {
        self.each_group(column, numbers, |_, _, _, _| {})
    }

    /// Moves a column on, and keeps what [`Steps`] need to find the way back.
    pub fn advance_and_keep(&mut self, column: &mut Column, numbers: &[u32], steps: &mut Steps) -> i64 {
        let from = steps.columns;
        steps.add(numbers.len());
        self.each_group(column, numbers, |at, word, across, down| steps.keep(from + at, word, across, down))
    }

    fn each_group(
        &mut self,
        column: &mut Column,
        numbers: &[u32],
        mut keep: impl FnMut(usize, usize, u64, u64),
    ) -> i64 {
        let (mut bottom, mut lowest) = (0, 0);
        let start = column.bottom();
        let mut add = |steps: &[i64]| {
            for step in steps {
                bottom += step;
                lowest = bottom.min(lowest);
            }
        };
        let (groups, rest) = numbers.as_chunks::<LANES>();
        for (at, group) in groups.iter().enumerate() {
            add(&self.group(column, *group, |lane, word, across, down| keep(LANES * at + lane, word, across, down)));
        }
        let done = LANES * groups.len();
        for (at, number) in rest.iter().enumerate() {
            add(&self.group(column, [*number], |_, word, across, down| keep(done + at, word, across, down)));
        }
        start + lowest
    }

    /// Moves a column on by N tokens. Returns by how much each raises the bottom cell.
    #[inline]
    fn group<const N: usize>(
        &mut self,
        column: &mut Column,
        numbers: [u32; N],
        mut keep: impl FnMut(usize, usize, u64, u64),
    ) -> [i64; N] {
        let (words, all) = (column.first..column.first + column.words(), self.masks.words);
        halt::spend(1 + words.len() * N / 8);
        self.scatter(&numbers, &words, true);
        let masks: [&[u64]; N] = std::array::from_fn(|lane| match self.kept(numbers[lane]) {
            Some(number) => &self.masks.masks[number * all..][words.clone()],
            None => &self.scattered[lane * all..][words.clone()],
        });
        let mut carries = [Deltas::EDGE; N];
        for (word, cells) in column.cells.iter_mut().enumerate() {
            for lane in 0..N {
                let Stepped { cells: next, carry, not_down, .. } = cells.step(masks[lane][word], carries[lane]);
                (*cells, carries[lane]) = (next, carry);
                keep(lane, word, !not_down, next.more);
            }
        }
        column.top += N as i64;
        self.scatter(&numbers, &words, false);
        carries.map(|Carry { more, less }| more as i64 - less as i64)
    }

    fn kept(&self, number: u32) -> Option<usize> {
        self.masks.kept.get(number as usize).filter(|&&kept| kept != ABSENT).map(|&kept| kept as usize)
    }

    /// Writes the masks of rare tokens, or wipes them out again.
    fn scatter(&mut self, numbers: &[u32], words: &Range<usize>, write: bool) {
        for (lane, &number) in numbers.iter().enumerate() {
            if number == ABSENT || self.kept(number).is_some() {
                continue;
            }
            let mask = &mut self.scattered[lane * self.masks.words..][..words.end];
            let places = self.masks.places(number as usize);
            let above =
                if words.start > 0 { places.partition_point(|&at| (at as usize) < 64 * words.start) } else { 0 };
            for &at in &places[above..] {
                let Some(word) = mask.get_mut(at as usize / 64) else { break };
                *word = if write { *word | 1 << (at % 64) } else { 0 };
            }
        }
    }
}

/// What the way back needs to know of some columns: for each cell, whether it is one above the cell on its left, and
/// whether it is one above the cell over it.
#[derive(Default)]
pub struct Steps {
    first: usize,
    words: usize,
    columns: usize,
    across: Vec<u64>,
    down: Vec<u64>,
}

impl Steps {
    /// Forgets all columns; the next ones have the words that this one has.
    pub fn restart(&mut self, column: &Column) {
        (self.first, self.words, self.columns) = (column.first, column.words(), 0);
    }

    fn add(&mut self, columns: usize) {
        self.columns += columns;
        let cells = self.across.len().max(self.words * self.columns);
        halt::resize(&mut self.across, cells, 0);
        halt::resize(&mut self.down, cells, 0);
    }

    #[inline]
    fn keep(&mut self, column: usize, word: usize, across: u64, down: u64) {
        self.across[column * self.words + word] = across;
        self.down[column * self.words + word] = down;
    }

    /// Goes back from a cell of a column to the column before it, and returns the position there. A token of the
    /// reference without partner is preferred to one of the hypothesis, and both to a pair.
    pub fn back(&self, column: usize, mut position: usize) -> usize {
        while position > 64 * self.first {
            let (word, bit) = (column * self.words + (position - 1) / 64 - self.first, (position - 1) % 64);
            if self.across[word] >> bit & 1 == 1 {
                break;
            }
            position -= 1;
            if self.down[word] >> bit & 1 == 0 {
                break;
            }
        }
        position
    }
}
