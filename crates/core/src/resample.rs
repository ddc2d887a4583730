//! Resampling over rows: the score of many corpora that were never written.
//!
//! ```text
//! rng          NumPy's random stream (twister: its legacy one, for rouge-score's resamples)
//!    │
//! bootstrap    which segments are drawn         randomize     who gets which output (coins)
//!  ├ gather     drawn rows are added up          ├ differences   sums from tables of 256
//!  │            (lanes: eight cells at once)     │               (lanes: eight cells at once)
//!  └ table      how often a row is drawn × row   └ weighed       the same table, for any numbers
//!    │
//! the metric's own formula: totals to a score; tail: how far out a difference is, from the formula's slope
//! ```
//!
//! Threads take batches of trials in turn, and each jumps to the place of its batch in the random stream, so results do
//! not depend on how many threads there are. What makes that hard for draws is told in [`bootstrap`].

pub mod bootstrap;
mod coins;
mod differences;
mod gather;
mod lanes;
pub mod randomize;
pub mod rng;
pub mod table;
pub mod tail;
pub mod twister;
mod weighed;

use crate::metric::Formula;
use std::ops::Range;
use table::Table;

/// The rows of one system under one metric, and the metric's formula.
pub struct System<'a> {
    /// The rows end to end.
    cells: Vec<f64>,
    /// Their sum, added in the order of the segments.
    totals: Vec<f64>,
    formula: &'a dyn Formula,
}

impl<'a> System<'a> {
    /// A system, given its rows end to end.
    pub fn new(cells: impl Into<Vec<f64>>, formula: &'a dyn Formula) -> Self {
        let (cells, mut totals) = (cells.into(), vec![0.0; formula.width()]);
        for row in cells.chunks_exact(totals.len()) {
            totals.iter_mut().zip(row).for_each(|(total, cell)| *total += cell);
        }
        Self { cells, totals, formula }
    }

    /// How many rows there are.
    pub fn segments(&self) -> usize {
        self.cells.len() / self.width()
    }

    /// How many cells a row has.
    pub fn width(&self) -> usize {
        self.totals.len()
    }

    /// The score of the system as it is.
    pub fn observed(&self) -> f64 {
        self.formula.score(&self.totals)
    }

    /// The rows in the shape that weighted sums like.
    fn table(&self) -> Table {
        Table::new(&self.cells, self.width())
    }
}

/// Weights or draws of about this many segments are held at once by a thread, so that they stay in its second cache.
const BATCH_CELLS: usize = 1 << 16;

/// How many trials have so many cells that are held at once.
fn held_at_once(segments: usize) -> usize {
    (BATCH_CELLS / segments.max(1)).clamp(1, 256)
}

/// Draws, or coins, that cost as much as a step of [`crate::halt::spend`].
const DRAWS: usize = 8;

/// Trials, in batches for threads to take.
struct Trials {
    count: usize,
    batch: usize,
}

impl Trials {
    fn of(count: usize, batch: usize) -> Self {
        Self { count, batch }
    }

    fn batches(&self) -> usize {
        self.count.div_ceil(self.batch)
    }

    /// The trials of a batch.
    fn of_batch(&self, batch: usize) -> Range<usize> {
        let first = batch * self.batch;
        first..self.count.min(first + self.batch)
    }
}
