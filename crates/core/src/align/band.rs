//! Rows of a table of distances, 64 cells at a time, and of them only those that a way of at most so many steps may
//! cross (Ukkonen 1985).
//!
//! A cell is *alive* if its cost, and what it takes at least from there to the last cell, are no more than the limit:
//! each step that leads away from the last cell's diagonal costs one, and one more back. All cells of the best ways to
//! an alive cell are alive. So an alive cell is exact although others are left out, and a cell that is not costs at
//! least what it should. Away from the diagonal that sum never falls, so the cells that are alive in a row stand
//! together, and from one row to the next they reach at most one column further.
//!
//! Which blocks are alive is looked up once in [`BITS`] rows. Two rows are computed at once, the second one block
//! behind the first: a row is a chain of operations that wait for each other, and two chains fill the time. That takes
//! two thirds of the time of one row after the other; four chains take no less.
//!
//! A limit that is not far from the distance comes from a *beam*: a narrow strip of the table around the cells that
//! cost least, which need not hold the best way.

use super::Masks;
use crate::cells::{BITS, Cells, one_row};
use crate::halt;
use std::cmp::{max, min};

/// Rows that are computed at once.
pub const ROWS: usize = 2;

/// A row of a table that has so many columns and rows, as far as the band goes.
pub struct Band<C> {
    blocks: Vec<C>,
    columns: usize,
    rows: usize,
    row: usize,
    /// The first block that is in the band, and one more than the last.
    pub first: usize,
    end: usize,
    /// What the cell left of the first block costs.
    pub edge: usize,
}

impl<C> Default for Band<C> {
    fn default() -> Self {
        Self { blocks: Vec::new(), columns: 0, rows: 0, row: 0, first: 0, end: 0, edge: 0 }
    }
}

impl<C: Cells> Band<C> {
    /// The distance of the pattern that `masks` has read from a text.
    pub fn distance(&mut self, masks: &mut Masks, columns: usize, text: &[u32]) -> usize {
        let most = self.least_of_beam(masks, columns, text);
        for limit in guesses(most, max(columns, text.len())) {
            if self.descend(masks, columns, text.len(), text, limit) && self.last() <= limit {
                return self.last();
            }
        }
        most
    }

    /// A cost that some way has: at least the distance.
    pub fn least_of_beam(&mut self, masks: &mut Masks, columns: usize, text: &[u32]) -> usize {
        self.start(columns, text.len());
        let width = max(BEAM, self.blocks.len() / 64);
        self.end = min(self.blocks.len(), width);
        for rows in text.chunks(BITS) {
            self.centre(width);
            self.advance(masks, rows);
        }
        self.last()
    }

    /// Computes the first rows of a table with `rows` of them; false if no cell is alive under this limit.
    pub fn descend(&mut self, masks: &mut Masks, columns: usize, rows: usize, text: &[u32], limit: usize) -> bool {
        self.start(columns, rows);
        text.chunks(BITS).all(|part| {
            let is_alive = self.narrow(limit);
            if is_alive {
                self.advance(masks, part);
            }
            is_alive
        })
    }

    /// Does what [`Self::descend`] does, row by row, and shows each with its first block. The limit must be enough.
    pub fn each_row(
        &mut self,
        masks: &mut Masks,
        columns: usize,
        text: &[u32],
        limit: usize,
        mut show: impl FnMut(usize, &[C]),
    ) {
        self.start(columns, text.len());
        for part in text.chunks(BITS) {
            self.narrow(limit);
            for token in part.chunks(1) {
                self.advance(masks, token);
                show(self.first, self.row());
            }
        }
    }

    /// The blocks in the band.
    pub fn row(&self) -> &[C] {
        &self.blocks[self.first..self.end]
    }

    fn start(&mut self, columns: usize, rows: usize) {
        self.blocks.clear();
        halt::resize(&mut self.blocks, columns.div_ceil(BITS), C::START);
        (self.columns, self.rows, self.row) = (columns, rows, 0);
        (self.first, self.end, self.edge) = (0, self.blocks.len(), 0);
    }

    /// Goes down at most [`BITS`] rows.
    fn advance(&mut self, masks: &mut Masks, tokens: &[u32]) {
        let (first, end) = (self.first, self.end);
        for group in tokens.chunks(ROWS) {
            halt::spend(1 + group.len() * (end - first) / 16);
            group.iter().enumerate().for_each(|(at, &token)| masks.find(at, token, first, end));
            let blocks = &mut self.blocks[first..end];
            let upper = masks.found(0, group[0], first, end);
            match group.get(1) {
                Some(&token) => two_rows(blocks, upper, masks.found(1, token, first, end)),
                None => one_row(blocks, upper),
            }
        }
        self.row += tokens.len();
        self.edge += tokens.len();
    }

    /// Leaves out what is not alive, and takes in what may be so in the next [`BITS`] rows. False if nothing is.
    fn narrow(&mut self, limit: usize) -> bool {
        // Columns right of the last cell's diagonal are negative here.
        let ahead = |column: usize| (self.columns - column) as isize - (self.rows - self.row) as isize;
        let is_alive = |column: usize, cost: usize| cost + ahead(column).unsigned_abs() <= limit;
        let (mut at, mut cost, end) = (self.first, self.edge, self.end);
        let (mut first, mut edge, mut is_any) = (at, cost, is_alive(at * BITS, cost));
        while at < end && (ahead(at * BITS) > 0 || is_alive(at * BITS, cost)) {
            let next = min((at + 1) * BITS, self.columns);
            // Cells of the last block beyond the pattern cost what they cost: nobody looks at them.
            let after = cost.wrapping_add_signed(self.blocks[at].sum(!0 >> (BITS - (next - at * BITS))));
            if ahead(next) >= 0 && !is_alive(next, after) {
                (first, edge) = (at + 1, after);
            }
            is_any |= is_alive(next, after) || ahead(next) < 0;
            (at, cost) = (at + 1, after);
        }
        let end = min(at + 1, self.blocks.len());
        (self.first, self.edge) = (first, edge);
        self.take_in(end);
        is_any && first < end
    }

    /// Moves the band to the columns around the one that costs least.
    fn centre(&mut self, width: usize) {
        let (mut cost, mut least, mut best) = (self.edge, self.edge, self.first);
        for at in self.first..self.end {
            cost = cost.wrapping_add_signed(self.blocks[at].sum(!0));
            if cost < least {
                (least, best) = (cost, at + 1);
            }
        }
        let first = best.saturating_sub(width / 2).clamp(self.first, self.blocks.len() - 1);
        for block in &self.blocks[self.first..min(first, self.end)] {
            self.edge = self.edge.wrapping_add_signed(block.sum(!0));
        }
        self.first = first;
        self.take_in(min(first + width, self.blocks.len()));
    }

    /// Sets the end. Blocks that come into the band cost one more from cell to cell.
    fn take_in(&mut self, end: usize) {
        if end > self.end {
            self.blocks[self.end..end].fill(C::START);
        }
        self.end = end;
    }

    /// What the last cell of the row costs, at most.
    fn last(&self) -> usize {
        let inside = min(self.end * BITS, self.columns);
        let beyond = self.end * BITS - inside;
        let all: isize = self.row().iter().map(|cells| cells.sum(!0)).sum();
        let after = self.row().last().map_or(0, |cells| cells.sum(!0) - cells.sum(!0 >> beyond));
        self.edge.wrapping_add_signed(all - after) + (self.columns - inside)
    }
}

/// The narrowest beam, in blocks.
const BEAM: usize = if cfg!(test) { 2 } else { 16 };

/// Limits to try, of which the last is enough. Where a beam finds little that is equal it may have lost the way, and a
/// third of its cost is tried first; in vain that takes a ninth of the time.
pub fn guesses(most: usize, length: usize) -> impl Iterator<Item = usize> {
    let is_doubtful = most > length / 3;
    [is_doubtful.then_some(most / 3), Some(most)].into_iter().flatten()
}

/// Goes down two rows, the second one block behind the first.
fn two_rows<C: Cells>(blocks: &mut [C], first: &[u64], second: &[u64]) {
    let width = blocks.len();
    let (first, second) = (&first[..width], &second[..width]);
    let (mut ahead, mut carry) = blocks[0].advance(first[0], C::EDGE);
    let mut behind = C::EDGE;
    for at in 1..width {
        let (next, next_carry) = blocks[at].advance(first[at], carry);
        let (done, next_behind) = ahead.advance(second[at - 1], behind);
        blocks[at - 1] = done;
        (ahead, carry, behind) = (next, next_carry, next_behind);
    }
    blocks[width - 1] = ahead.advance(second[width - 1], behind).0;
}
