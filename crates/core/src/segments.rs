//! Segments on their way into the core, and the loop that turns them into rows.
//!
//! Text arrives in batches: a worker loads some hundred segments into its own memory (that is where the Python
//! border holds the interpreter's lock), then counts them undisturbed. Whatever the number of workers, rows
//! are handed on in the order of the segments, so sums do not depend on it.

use crate::batch::Batch;
use crate::halt;
use crate::metric::{Counter, Metric};
use crate::threads::{Threads, lock};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;

/// Segments a batch: enough that waiting for the interpreter's lock costs little, and few enough for the second-level
/// cache.
pub const BATCH: usize = 256;

/// Something that has segments to score.
pub trait Source: Sync {
    /// What can go wrong while loading.
    type Error: Send;

    /// How many segments there are.
    fn len(&self) -> usize;

    /// True if there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends the given segments to an empty batch.
    fn load(&self, segments: Range<usize>, batch: &mut Batch) -> Result<(), Self::Error>;
}

/// Counts all segments and hands their rows to `consume`, batch by batch, in order.
pub fn count<M: Metric, S: Source>(
    metric: &M,
    source: &S,
    threads: &Threads,
    consume: impl FnMut(&[f64]) + Send,
) -> Result<(), S::Error> {
    let in_order = Mutex::new(InOrder::new(consume));
    halt::expect(source.len());
    threads.for_each(source.len().div_ceil(BATCH), || {
        let mut batch = Batch::with_room(source.len().min(BATCH));
        let (mut counter, mut rows, in_order) = (metric.counter(), Vec::new(), &in_order);
        move |index| {
            let first = index * BATCH;
            batch.clear();
            source.load(first..source.len().min(first + BATCH), &mut batch)?;
            batch.settle();
            count_batch(metric.width(), &mut counter, &batch, &mut rows);
            lock(in_order).add(index, &mut rows);
            halt::advance(batch.len());
            Ok(())
        }
    })
}

/// Counts one small batch after the other in the same working memory. To make a counter takes longer than to count a
/// sentence, which is all that many calls have.
pub trait SmallBatches: Send {
    /// The batch, empty, to be filled with the next segments.
    fn batch(&mut self) -> &mut Batch;

    /// The rows of its segments, one after the other.
    fn rows(&mut self) -> &[f64];
}

/// A counter that is kept, with its batch and its rows.
pub(crate) struct Kept<C> {
    batch: Batch,
    counter: C,
    rows: Vec<f64>,
    width: usize,
}

impl<C: Counter> Kept<C> {
    pub(crate) fn new<M: Metric<Counter = C>>(metric: &M) -> Self {
        Self { batch: Batch::default(), counter: metric.counter(), rows: Vec::new(), width: metric.width() }
    }
}

impl<C: Counter + Send> SmallBatches for Kept<C> {
    fn batch(&mut self) -> &mut Batch {
        self.batch.clear();
        &mut self.batch
    }

    fn rows(&mut self) -> &[f64] {
        self.batch.settle();
        count_batch(self.width, &mut self.counter, &self.batch, &mut self.rows);
        &self.rows
    }
}

fn count_batch(width: usize, counter: &mut impl Counter, batch: &Batch, rows: &mut Vec<f64>) {
    rows.clear();
    halt::resize(rows, batch.len() * width, 0.0);
    for (segment, row) in batch.segments().zip(rows.chunks_exact_mut(width.max(1))) {
        halt::spend(segment.characters());
        counter.count(segment, row);
    }
}

/// Passes rows on in the order of their batches; those that come early wait.
struct InOrder<F> {
    consume: F,
    next: usize,
    waiting: BTreeMap<usize, Vec<f64>>,
}

impl<F: FnMut(&[f64])> InOrder<F> {
    fn new(consume: F) -> Self {
        Self { consume, next: 0, waiting: BTreeMap::new() }
    }

    fn add(&mut self, index: usize, rows: &mut Vec<f64>) {
        if index != self.next {
            self.waiting.insert(index, std::mem::take(rows));
            return;
        }
        (self.consume)(rows);
        self.next += 1;
        while let Some(rows) = self.waiting.remove(&self.next) {
            (self.consume)(&rows);
            self.next += 1;
        }
    }
}

/// Adds rows of `totals.len()` cells to `totals`, first row first.
pub fn add_rows(totals: &mut [f64], rows: &[f64]) {
    for row in rows.chunks_exact(totals.len().max(1)) {
        totals.iter_mut().zip(row).for_each(|(total, cell)| *total += cell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Segment;
    use crate::metric::Formula;

    /// A metric whose row is the length of the hypothesis.
    struct Length;

    impl Formula for Length {
        fn width(&self) -> usize {
            1
        }

        fn score(&self, totals: &[f64]) -> f64 {
            totals[0]
        }
    }

    impl Metric for Length {
        type Counter = Self;

        fn counter(&self) -> Self {
            Self
        }
    }

    impl Counter for Length {
        fn count(&mut self, segment: Segment<'_>, row: &mut [f64]) {
            row[0] = segment.hypothesis().code_points().len() as f64;
        }
    }

    /// Segment i has a hypothesis of i mod 100 characters; loading fails at `broken`.
    struct Numbered {
        segments: usize,
        broken: usize,
    }

    impl Source for Numbered {
        type Error = usize;

        fn len(&self) -> usize {
            self.segments
        }

        fn load(&self, segments: Range<usize>, batch: &mut Batch) -> Result<(), usize> {
            for index in segments {
                if index == self.broken {
                    return Err(index);
                }
                batch.begin_segment();
                batch.push_text(|buffer| {
                    buffer.extend((0..index % 100).map(|_| 0x4E00));
                    Ok::<(), usize>(())
                })?;
            }
            Ok(())
        }
    }

    #[test]
    fn rows_arrive_in_the_order_of_segments_whatever_the_threads() {
        let source = Numbered { segments: 7 * BATCH + 3, broken: usize::MAX };
        let expected: Vec<f64> = (0..source.segments).map(|index| (index % 100) as f64).collect();
        for threads in [1, 2, 5, 64] {
            let mut lengths = Vec::new();
            assert_eq!(Ok(()), count(&Length, &source, &Threads::new(threads), |rows| lengths.extend_from_slice(rows)));
            assert_eq!(expected, lengths);
        }
    }

    #[test]
    fn a_source_that_fails_ends_the_count_with_its_error() {
        let source = Numbered { segments: 20 * BATCH, broken: 3 * BATCH + 1 };
        for threads in [1, 4] {
            assert_eq!(Err(source.broken), count(&Length, &source, &Threads::new(threads), |_| ()));
        }
    }

    #[test]
    fn small_batches_are_counted_one_after_the_other() {
        let (source, mut kept) = (Numbered { segments: 300, broken: usize::MAX }, Kept::new(&Length));
        for segments in [0..1, 7..7, 98..103, 2..4, 0..300] {
            assert_eq!(Ok(()), source.load(segments.clone(), kept.batch()));
            let expected: Vec<f64> = segments.map(|index| (index % 100) as f64).collect();
            assert_eq!(expected, kept.rows());
        }
    }

    #[test]
    fn no_segments_give_no_rows() {
        let source = Numbered { segments: 0, broken: usize::MAX };
        assert_eq!(Ok(()), count(&Length, &source, &Threads::new(4), |_| panic!("there is nothing to consume")));
    }
}
