//! The metrics. Each has options, columns, `count` (texts to a row) and `score` (totals to a number), and no state.
//!
//! All cells of a row are `f64`. Counts are whole numbers far below 2^53, so their sums are exact in any order;
//! TER's mean length is not whole, and is summed in the order of the segments.

pub mod bleu;
pub mod chrf;
pub mod fast_bleu;
pub mod gleu;
pub mod mean;
pub mod nist;
pub mod tally;
pub mod ter;

use crate::matrix::Index;
use crate::matrix::others::{self, Samples};
use crate::matrix::pairs::OneByOne;
use crate::segments::{Batch, Segment};

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

    /// References made ready to meet many hypotheses. Unless a metric knows better, pairs are counted one by one.
    fn index<'a>(&'a self, references: &'a Batch) -> Box<dyn Index + 'a>
    where
        Self: Sized,
    {
        Box::new(OneByOne::new(self, references))
    }

    /// Hypotheses made ready to meet many references, for metrics that can be counted from either side.
    fn index_of_hypotheses<'a>(&'a self, _hypotheses: &'a Batch) -> Option<Box<dyn Index + 'a>> {
        None
    }

    /// The weighted mean of all references made ready as if it were one, for metrics that have such a thing.
    fn index_of_mean<'a>(&'a self, _references: &'a Batch, _weights: Option<&[f64]>) -> Option<Box<dyn Index + 'a>> {
        None
    }

    /// The score of each text with all the others as its references. Unless a metric knows better, they are counted one
    /// by one.
    fn scores_among_others(&self, samples: &Samples, threads: usize) -> Vec<f64>
    where
        Self: Sized,
    {
        others::one_by_one(self, samples, threads)
    }
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
