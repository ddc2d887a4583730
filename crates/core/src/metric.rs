//! What a metric is: it counts texts into a row, and scores the sum of rows.
//!
//! All cells of a row are `f64`. Counts are whole numbers far below 2^53, so their sums are exact in any order; TER's
//! mean length is not whole, and is summed in the order of the segments.

use crate::batch::Segment;

/// From rows to scores: all that resampling needs to know of a metric.
pub trait Formula: Send + Sync {
    /// How many cells a row has.
    fn width(&self) -> usize;

    /// The score of a row, or of the sum of many.
    fn score(&self, totals: &[f64]) -> f64;

    /// Numbers within [`NEAR`] of the scores of up to [`AT_ONCE`] totals, which come column by column: enough to tell
    /// most of them from another score, and for some formulas far quicker than the scores themselves. What is not a
    /// number says nothing.
    fn near_scores(&self, columns: &[f64], scores: &mut [f64]) {
        score_columns(|totals| self.score(totals), columns, scores);
    }

    /// The score, and what else the formula finds on the way to it.
    fn parts(&self, totals: &[f64]) -> (f64, Vec<f64>) {
        (self.score(totals), Vec::new())
    }
}

/// How far from scores those of [`Formula::near_scores`] may be. Rounding errors are a thousand times smaller.
pub const NEAR: f64 = 1e-9;

/// So many totals are scored at once.
pub const AT_ONCE: usize = 64;

/// Scores totals that come column by column, one after the other.
pub(crate) fn score_columns(score: impl Fn(&[f64]) -> f64, columns: &[f64], scores: &mut [f64]) {
    let mut totals = Vec::new();
    for at in 0..scores.len() {
        totals.clear();
        totals.extend(columns[at..].iter().step_by(scores.len()));
        scores[at] = score(&totals);
    }
}

/// A metric with its options. It has no state.
pub trait Metric: Formula {
    /// What counts, with its working memory: one a thread.
    type Counter: Counter;

    /// A new counter.
    fn counter(&self) -> Self::Counter;
}

/// Turns segments into rows.
pub trait Counter {
    /// Counts one segment. `row` comes filled with zeros; a segment has at least one reference.
    fn count(&mut self, segment: Segment<'_>, row: &mut [f64]);
}

/// A metric whose rows are the scores of the segments, one cell each.
pub struct Scored<'a, M>(pub &'a M);

impl<M: Metric> Formula for Scored<'_, M> {
    fn width(&self) -> usize {
        1
    }

    /// The sum of segment scores: what a mean is made of.
    fn score(&self, totals: &[f64]) -> f64 {
        totals[0]
    }
}

impl<'a, M: Metric> Metric for Scored<'a, M> {
    type Counter = ScoredCounter<'a, M>;

    fn counter(&self) -> Self::Counter {
        ScoredCounter { metric: self.0, counter: self.0.counter(), row: vec![0.0; self.0.width()] }
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
