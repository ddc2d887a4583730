//! Resampling over rows: the score of many corpora that were never written.
//!
//! ```text
//! rng          NumPy's random stream (twister: its legacy one, for rouge-score's resamples)
//!    │
//! bootstrap    weights: how often a segment is drawn      randomize   weights: 1 stays, 0 is swapped
//!    └──────────────────────────┬──────────────────────────────────────┘
//! table        weights × rows = totals, for all systems and metrics from the same draws
//!    │
//! the metric's own formula: totals to a score; tail: how far out a difference is, from the formula's slope
//! ```
//!
//! Threads take batches of trials in turn, and each jumps to the place of its batch in the random stream, so results do
//! not depend on how many threads there are. What makes that hard for draws is told in [`bootstrap`].

pub mod bootstrap;
pub mod randomize;
pub mod rng;
pub mod table;
pub mod tail;
pub mod twister;

use crate::metric::Formula;
use std::ops::Range;
use table::Table;

/// The rows of one system under one metric, and the metric's formula.
pub struct System<'a> {
    /// The rows.
    pub rows: Table,
    /// The formula.
    pub formula: &'a dyn Formula,
}

impl<'a> System<'a> {
    /// A system, given its rows end to end.
    pub fn new(rows: &[f64], formula: &'a dyn Formula) -> Self {
        Self { rows: Table::new(rows, formula.width()), formula }
    }

    /// The score of the system as it is.
    pub fn observed(&self) -> f64 {
        self.formula.score(self.rows.totals())
    }
}

/// Weights of about this many segments are held at once by a thread, so that they stay in its second-level cache.
const BATCH_CELLS: usize = 1 << 16;

/// Draws, or coins, that cost as much as a step of [`crate::halt::spend`].
const DRAWS: usize = 8;

/// Trials, in batches for threads to take.
struct Trials {
    count: usize,
    batch: usize,
}

impl Trials {
    fn new(count: usize, segments: usize) -> Self {
        Self { count, batch: (BATCH_CELLS / segments.max(1)).clamp(1, 256) }
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
