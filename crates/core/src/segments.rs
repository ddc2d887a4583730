//! Segments on their way into the core, and the loop that turns them into rows.
//!
//! Text arrives in batches: a worker loads some hundred segments into its own memory (that is where the Python
//! border holds the interpreter's lock), then counts them undisturbed. Whatever the number of workers, rows
//! are handed on in the order of the segments, so sums do not depend on it.

use crate::metrics::{Counter, Metric};
use crate::text::{Text, narrow_into};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::thread;

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

/// The texts of some segments, end to end.
#[derive(Default)]
pub struct Batch {
    arrived: Vec<u32>,
    ends: Vec<usize>, // of each text in `arrived`
    narrow: Vec<u8>,
    texts: Vec<Place>,
    firsts: Vec<usize>, // the index of each segment's hypothesis among the texts
}

/// Where a text is kept: at the same place whether narrow or as it arrived.
struct Place {
    is_narrow: bool,
    range: Range<usize>,
}

impl Batch {
    /// Begins a segment: the next text is its hypothesis, those after it are its references.
    pub fn begin_segment(&mut self) {
        self.firsts.push(self.ends.len());
    }

    /// Adds a text, whose code points `write` appends to the buffer it is given.
    pub fn push_text<E>(&mut self, write: impl FnOnce(&mut Vec<u32>) -> Result<(), E>) -> Result<(), E> {
        write(&mut self.arrived)?;
        self.ends.push(self.arrived.len());
        Ok(())
    }

    /// Brings each text into its narrowest form. Not done on arrival, because then the interpreter's lock is held.
    pub(crate) fn settle(&mut self) {
        // Never made shorter, so that it is filled with zeros only once.
        self.narrow.resize(self.narrow.len().max(self.arrived.len()), 0);
        let mut start = 0;
        for &end in &self.ends {
            let is_narrow = narrow_into(&self.arrived[start..end], &mut self.narrow[start..end]);
            self.texts.push(Place { is_narrow, range: start..end });
            start = end;
        }
    }

    /// The segments, in order.
    pub fn segments(&self) -> impl Iterator<Item = Segment<'_>> {
        (0..self.firsts.len()).map(|index| {
            let end = self.firsts.get(index + 1).copied().unwrap_or(self.texts.len());
            Segment { batch: self, texts: self.firsts[index]..end }
        })
    }

    pub(crate) fn clear(&mut self) {
        self.arrived.clear();
        self.ends.clear();
        self.texts.clear();
        self.firsts.clear();
    }

    /// How many texts there are, of all segments.
    pub(crate) fn texts(&self) -> usize {
        self.ends.len()
    }

    /// The number of characters of all texts together.
    pub(crate) fn characters(&self) -> usize {
        self.arrived.len()
    }

    /// One text, if they have been settled.
    pub(crate) fn text(&self, index: usize) -> Text<'_> {
        let Place { is_narrow, range } = &self.texts[index];
        if *is_narrow { Text::Narrow(&self.narrow[range.clone()]) } else { Text::Wide(&self.arrived[range.clone()]) }
    }
}

/// A hypothesis and its references.
#[derive(Clone)]
pub struct Segment<'a> {
    batch: &'a Batch,
    texts: Range<usize>,
}

impl<'a> Segment<'a> {
    /// What the system said.
    pub fn hypothesis(&self) -> Text<'a> {
        self.batch.text(self.texts.start)
    }

    /// What it should have said.
    pub fn references(&self) -> impl ExactSizeIterator<Item = Text<'a>> + use<'a> {
        let batch = self.batch;
        (self.texts.start + 1..self.texts.end).map(move |index| batch.text(index))
    }
}

/// Counts all segments with up to `threads` threads and hands their rows to `consume`, batch by batch, in order.
pub fn count<M: Metric, S: Source>(
    metric: &M,
    source: &S,
    threads: usize,
    consume: impl FnMut(&[f64]) + Send,
) -> Result<(), S::Error> {
    let batches = source.len().div_ceil(BATCH);
    let work = Work { metric, source, next: Mutex::new(0..batches), rows: Mutex::new(InOrder::new(consume)) };
    let helpers = threads.min(batches).saturating_sub(1);
    thread::scope(|scope| {
        let helpers: Vec<_> = (0..helpers).map(|_| scope.spawn(|| work.run())).collect();
        let own = work.run();
        let others = helpers.into_iter().map(|helper| helper.join().expect("a counting thread panicked"));
        others.fold(own, Result::and)
    })
}

/// What the threads share.
struct Work<'a, M, S, F> {
    metric: &'a M,
    source: &'a S,
    next: Mutex<Range<usize>>,
    rows: Mutex<InOrder<F>>,
}

impl<M: Metric, S: Source, F: FnMut(&[f64])> Work<'_, M, S, F> {
    fn run(&self) -> Result<(), S::Error> {
        let mut counter = self.metric.counter();
        let mut batch = Batch::default();
        let mut rows = Vec::new();
        while let Some(index) = self.claim() {
            let first = index * BATCH;
            batch.clear();
            self.source.load(first..self.source.len().min(first + BATCH), &mut batch).inspect_err(|_| self.stop())?;
            batch.settle();
            count_batch(self.metric, &mut counter, &batch, &mut rows);
            self.rows.lock().expect("a counting thread panicked").add(index, &mut rows);
        }
        Ok(())
    }

    fn claim(&self) -> Option<usize> {
        self.next.lock().expect("a counting thread panicked").next()
    }

    /// Leaves nothing to claim for the other threads.
    fn stop(&self) {
        *self.next.lock().expect("a counting thread panicked") = 0..0;
    }
}

fn count_batch<M: Metric>(metric: &M, counter: &mut M::Counter, batch: &Batch, rows: &mut Vec<f64>) {
    let width = metric.width();
    rows.clear();
    rows.resize(batch.firsts.len() * width, 0.0);
    for (segment, row) in batch.segments().zip(rows.chunks_exact_mut(width)) {
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

    /// A metric whose row is the length of the hypothesis.
    struct Length;

    impl Metric for Length {
        type Counter = Self;

        fn width(&self) -> usize {
            1
        }

        fn counter(&self) -> Self {
            Self
        }

        fn score(&self, totals: &[f64]) -> f64 {
            totals[0]
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
            assert_eq!(Ok(()), count(&Length, &source, threads, |rows| lengths.extend_from_slice(rows)));
            assert_eq!(expected, lengths);
        }
    }

    #[test]
    fn a_source_that_fails_ends_the_count_with_its_error() {
        let source = Numbered { segments: 20 * BATCH, broken: 3 * BATCH + 1 };
        for threads in [1, 4] {
            assert_eq!(Err(source.broken), count(&Length, &source, threads, |_| ()));
        }
    }

    #[test]
    fn no_segments_give_no_rows() {
        let source = Numbered { segments: 0, broken: usize::MAX };
        assert_eq!(Ok(()), count(&Length, &source, 4, |_| panic!("there is nothing to consume")));
    }
}
