//! The metrics. Each has options, columns, `count` (texts to a row) and `score` (totals to a number), and no state.
//!
//! All cells of a row are `f64`. Counts are whole numbers far below 2^53, so their sums are exact in any order;
//! TER's mean length is not whole, and is summed in the order of the segments.

pub mod bleu;
pub mod chrf;
pub mod gleu;
pub mod nist;
pub mod tally;
pub mod ter;

use crate::segments::Segment;

/// A metric with its options.
pub trait Metric: Sync {
    /// What counts, with its working memory: one a thread.
    type Counter: Counter;

    /// How many cells a row has.
    fn width(&self) -> usize;

    /// A new counter.
    fn counter(&self) -> Self::Counter;

    /// The score of a row, or of the sum of many.
    fn score(&self, totals: &[f64]) -> f64;
}

/// Turns segments into rows.
pub trait Counter {
    /// Counts one segment. `row` comes filled with zeros; a segment has at least one reference.
    fn count(&mut self, segment: Segment<'_>, row: &mut [f64]);
}

/// A metric whose rows are the scores of the segments, one cell each.
pub struct Scored<'a, M>(pub &'a M);

impl<'a, M: Metric> Metric for Scored<'a, M> {
    type Counter = ScoredCounter<'a, M>;

    fn width(&self) -> usize {
        1
    }

    fn counter(&self) -> Self::Counter {
        ScoredCounter { metric: self.0, counter: self.0.counter(), row: vec![0.0; self.0.width()] }
    }

    /// The sum of segment scores: what a mean is made of.
    fn score(&self, totals: &[f64]) -> f64 {
        totals[0]
    }
}

/// Counts a segment and scores its row at once.
pub struct ScoredCounter<'a, M: Metric> {
    metric: &'a M,
    counter: M::Counter,
    row: Vec<f64>,
}

impl<M: Metric> Counter for ScoredCounter<'_, M> {
    fn count(&mut self, segment: Segment<'_>, score: &mut [f64]) {
        self.row.fill(0.0);
        self.counter.count(segment, &mut self.row);
        score[0] = self.metric.score(&self.row);
    }
}
