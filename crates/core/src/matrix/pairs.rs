//! One pair after the other, through a metric's own counter: what every metric can do.

use super::{Index, Scorer};
use crate::batch::Batch;
use crate::halt;
use crate::metric::{Counter, Metric};
use crate::text::Text;
use std::convert::Infallible;

/// References as they came.
pub struct OneByOne<'a, M> {
    metric: &'a M,
    references: &'a Batch,
}

impl<'a, M> OneByOne<'a, M> {
    /// Nothing is prepared.
    pub fn new(metric: &'a M, references: &'a Batch) -> Self {
        Self { metric, references }
    }
}

impl<M: Metric> Index for OneByOne<'_, M> {
    fn scorer(&self) -> Box<dyn Scorer + '_> {
        let row = vec![0.0; self.metric.width()];
        Box::new(OneByOneScorer { index: self, counter: self.metric.counter(), segment: Batch::default(), row })
    }

    fn width(&self) -> usize {
        self.references.texts()
    }
}

struct OneByOneScorer<'a, M: Metric> {
    index: &'a OneByOne<'a, M>,
    counter: M::Counter,
    segment: Batch,
    row: Vec<f64>,
}

impl<M: Metric> Scorer for OneByOneScorer<'_, M> {
    fn score(&mut self, hypothesis: Text<'_>, scores: &mut [f64]) {
        for (at, score) in scores.iter_mut().enumerate() {
            load_segment(&mut self.segment, hypothesis, std::iter::once(self.index.references.text(at)));
            self.row.fill(0.0);
            halt::spend(self.segment.characters());
            self.segment.segments().for_each(|segment| self.counter.count(segment, &mut self.row));
            *score = self.index.metric.score(&self.row);
        }
    }
}

/// Makes a batch of one segment.
pub(super) fn load_segment<'a>(batch: &mut Batch, hypothesis: Text<'_>, references: impl Iterator<Item = Text<'a>>) {
    batch.clear();
    batch.begin_segment();
    push(batch, hypothesis);
    references.for_each(|reference| push(batch, reference));
    batch.settle();
}

/// Adds a text to a batch.
pub(super) fn push(batch: &mut Batch, text: Text<'_>) {
    let Ok(()) = batch.push_text(|buffer| {
        buffer.extend(text.code_points());
        Ok::<(), Infallible>(())
    });
}
