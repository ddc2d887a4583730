//! Resampling over rows: the score of many corpora that were never written.
//!
//! ```text
//! rng          NumPy's random stream
//!    │
//! bootstrap    weights: how often a segment is drawn      randomize   weights: 1 stays, 0 is swapped
//!    └──────────────────────────┬──────────────────────────────────────┘
//! table        weights × rows = totals, for all systems and metrics from the same draws
//!    │
//! the metric's own formula: totals to a score
//! ```
//!
//! Threads take batches of trials in turn, and results do not depend on how many there are. Tossing coins is so cheap
//! that it is done while holding the lock of the generator; how drawing is shared is told in [`bootstrap`].

pub mod bootstrap;
pub mod randomize;
pub mod rng;
pub mod table;

use std::sync::Mutex;
use std::thread;
use table::Table;

/// From totals to a score.
pub type Formula<'a> = Box<dyn Fn(&[f64]) -> f64 + Sync + 'a>;

/// The rows of one system under one metric, and the metric's formula.
pub struct System<'a> {
    /// The rows.
    pub rows: Table,
    /// The formula.
    pub score: Formula<'a>,
}

impl System<'_> {
    /// The score of the system as it is.
    pub fn observed(&self) -> f64 {
        (self.score)(self.rows.totals())
    }
}

/// Weights of about this many segments are held at once by a thread, so that they stay in its second-level cache.
const BATCH_CELLS: usize = 1 << 16;

/// Trials a batch.
fn batch_size(segments: usize) -> usize {
    (BATCH_CELLS / segments.max(1)).clamp(1, 256)
}

/// Runs `work` in up to `threads` threads, this one included, and returns what each of them returned.
fn in_threads<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads.max(1)).map(|_| scope.spawn(&work)).collect();
        let own = work();
        let others = helpers.into_iter().map(|helper| helper.join().expect("a resampling thread panicked"));
        std::iter::once(own).chain(others).collect()
    })
}

/// The trials that nobody has taken yet, with what they are drawn from.
struct Trials<S> {
    source: Mutex<(S, usize)>,
    count: usize,
    batch: usize,
}

impl<S> Trials<S> {
    fn new(source: S, count: usize, segments: usize) -> Self {
        Self { source: Mutex::new((source, 0)), count, batch: batch_size(segments) }
    }

    /// Takes the next batch: `draw` gets the source and the number of trials. Returns the first trial, and how many.
    fn take(&self, draw: impl FnOnce(&mut S, usize)) -> Option<(usize, usize)> {
        let mut guard = self.source.lock().expect("a resampling thread panicked");
        let (source, next) = &mut *guard;
        let first = *next;
        let trials = self.batch.min(self.count - first);
        if trials == 0 {
            return None;
        }
        *next += trials;
        draw(source, trials);
        Some((first, trials))
    }

    /// More threads than batches would find nothing to do.
    fn threads(&self, wanted: usize) -> usize {
        wanted.min(self.count.div_ceil(self.batch))
    }
}
