//! Bootstrap resampling (Efron, 1979; for translation Koehn, 2004): corpora drawn from the segments with replacement.
//!
//! Drawing takes half of the time, so threads must share it, and yet a word that is rejected shifts all that follow.
//! For a corpus of thousands that is one word in millions. So each thread jumps to where its batch begins if no more
//! words are rejected than are known of, draws, and waits for its turn to learn whether that was right; if not, it
//! draws again.

use super::gather::Gathered;
use super::lanes::Vector;
use super::rng::Pcg64;
use super::table::{Table, Weights};
use super::{DRAWS, System, Trials, held_at_once};
use crate::halt;
use crate::metric::score_columns;
use crate::threads::{Threads, lock, unlocked};
use std::convert::Infallible;
use std::ops::Range;
use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// The scores of every system on each of `samples` corpora, system after system. All systems see the same
/// corpora, which are those NumPy draws as one `samples` × segments matrix.
///
/// All systems must have equally many segments, at most 2^32 − 1.
pub fn resampled_scores(systems: &[System<'_>], samples: usize, generator: Pcg64, threads: &Threads) -> Vec<f64> {
    let Some(segments) = systems.first().map(|system| system.segments()) else { return Vec::new() };
    let scores = Mutex::new(vec![0.0; samples * systems.len()]);
    let rows = Rows::of(systems);
    let trials = Trials::of(samples, held_at_once(segments));
    let draws = Draws::new(generator, segments);
    halt::expect(samples);
    let Ok(()) = threads.for_each(trials.batches(), || {
        let (mut worker, rows, scores, trials, draws) = (Worker::new(segments), &rows, &scores, &trials, &draws);
        move |batch| {
            let drawn = trials.of_batch(batch);
            halt::spend(drawn.len() * segments * (1 + systems.len()) / DRAWS);
            draws.draw_in_turn(&drawn, &mut worker.drawn);
            halt::advance(drawn.len());
            if rows.iter().any(|rows| matches!(rows, Rows::Weighed(_))) {
                worker.weigh_segments(drawn.len());
            }
            for (at, (system, rows)) in systems.iter().zip(rows).enumerate() {
                let found = worker.score(system, rows, drawn.len());
                lock(scores)[at * samples + drawn.start..][..drawn.len()].copy_from_slice(found);
            }
            Ok::<(), Infallible>(())
        }
    });
    unlocked(scores)
}

/// The rows of a system in the shape that the sums of drawn ones take.
enum Rows {
    Gathered(Gathered),
    Weighed(Table),
}

/// So many vectors of all systems together are gathered in the time that it takes to count draws and weigh rows.
const MOST_GATHERED: usize = 3;

impl Rows {
    fn of(systems: &[System<'_>]) -> Vec<Self> {
        let gathered: Vec<_> = systems.iter().map(Gathered::new).collect();
        let vectors: usize = gathered.iter().flatten().map(Gathered::vectors).sum();
        let rows = |(system, gathered): (&System<'_>, Option<Gathered>)| {
            gathered.filter(|_| vectors <= MOST_GATHERED).map_or_else(|| Self::Weighed(system.table()), Self::Gathered)
        };
        systems.iter().zip(gathered).map(rows).collect()
    }
}

/// How long a thread waits for its turn before it looks around.
const WAIT: Duration = Duration::from_millis(20);

/// The draws of all samples, which threads take batch by batch.
struct Draws {
    generator: Pcg64,
    segments: usize,
    progress: Mutex<Progress>,
    passed: Condvar,
}

/// How many samples are drawn for good, and how many words were rejected for those.
#[derive(Default)]
struct Progress {
    drawn: usize,
    rejected: usize,
}

impl Draws {
    fn new(generator: Pcg64, segments: usize) -> Self {
        Self { generator, segments, progress: Mutex::default(), passed: Condvar::new() }
    }

    /// Draws some samples. It waits for those before them, which other threads have claimed earlier.
    fn draw_in_turn(&self, samples: &Range<usize>, numbers: &mut Vec<u32>) {
        let known = lock(&self.progress).rejected;
        numbers.resize(samples.len() * self.segments, 0);
        let mut rejected = self.draw(samples.start, known, numbers);
        let is_early = |progress: &mut Progress| progress.drawn < samples.start;
        let mut progress = lock(&self.progress);
        while is_early(&mut progress) {
            // Whoever comes before may have been stopped; then it never passes.
            drop(self.passed.wait_timeout_while(progress, WAIT, is_early));
            halt::look();
            progress = lock(&self.progress);
        }
        if progress.rejected != known {
            rejected = self.draw(samples.start, progress.rejected, numbers);
        }
        progress.rejected += rejected;
        progress.drawn += samples.len();
        self.passed.notify_all();
    }

    /// Draws samples from their place in the stream, and says how many words were rejected.
    fn draw(&self, first: usize, rejected: usize, numbers: &mut [u32]) -> usize {
        let mut generator = self.generator.clone();
        generator.skip_words(first as u128 * self.segments as u128 + rejected as u128);
        generator.fill_below(self.segments as u32, numbers)
    }
}

/// The working memory of a thread.
struct Worker {
    segments: usize,
    drawn: Vec<u32>,
    weights: Weights,
    short: Vec<Vector>,
    sums: Vec<f64>,
    scores: Vec<f64>,
}

impl Worker {
    fn new(segments: usize) -> Self {
        let (drawn, weights, short) = (Vec::new(), Weights::default(), Vec::new());
        Self { segments, drawn, weights, short, sums: Vec::new(), scores: Vec::new() }
    }

    /// How often each segment was drawn. That one of 32,768 or more was drawn so often as to leave 16 bits has
    /// a probability below 10^-100000.
    fn weigh_segments(&mut self, trials: usize) {
        self.weights.refill(trials, self.segments, |cells| {
            cells.fill(0);
            let trials = cells.chunks_exact_mut(self.segments).zip(self.drawn.chunks_exact(self.segments));
            for (weights, drawn) in trials {
                for &segment in drawn {
                    weights[segment as usize] += 1;
                }
            }
        });
    }

    fn score(&mut self, system: &System<'_>, rows: &Rows, trials: usize) -> &[f64] {
        let width = system.width();
        self.sums.resize(trials * width, 0.0);
        self.scores.resize(trials, 0.0);
        let score = |sums: &[f64]| system.formula.score(sums);
        match rows {
            Rows::Gathered(rows) => {
                rows.sum(&self.drawn, trials, &mut self.short, &mut self.sums);
                score_columns(score, &self.sums, &mut self.scores);
            }
            Rows::Weighed(table) => {
                table.weigh(&self.weights, &mut self.sums);
                let sums = self.sums.chunks_exact(width);
                self.scores.iter_mut().zip(sums).for_each(|(found, sums)| *found = score(sums));
            }
        }
        &self.scores
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::{Ratio, rows};
    use super::*;
    use crate::metric::Formula;
    use proptest::prelude::*;

    /// Draws row by row and adds each drawn row, one system after the other. Thirds are added in drawn order here, so
    /// cells must be whole.
    fn naive(rows: &[f64], samples: usize, seed: u32) -> Vec<f64> {
        let segments = rows.len() / 2;
        let mut generator = Pcg64::from_seed(&[seed]);
        let sample = |_| {
            let mut drawn = vec![0; segments];
            generator.fill_below(segments as u32, &mut drawn);
            let column = |at| drawn.iter().map(|&segment| rows[2 * segment as usize + at]).sum();
            Ratio.score(&[column(0), column(1)])
        };
        (0..samples).map(sample).collect()
    }

    fn fast(systems: &[Vec<f64>], samples: usize, seed: u32, threads: usize) -> Vec<f64> {
        let systems: Vec<_> = systems.iter().map(|rows| System::new(rows.as_slice(), &Ratio)).collect();
        resampled_scores(&systems, samples, Pcg64::from_seed(&[seed]), &Threads::new(threads))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn scores_are_those_of_the_drawn_rows(
            cells in proptest::collection::vec(0_u32..50_000, 2..200), samples in 0_usize..400, seed: u32
        ) {
            let rows: Vec<f64> = cells.chunks_exact(2).flatten().map(|&cell| f64::from(cell)).collect();
            let other: Vec<f64> = rows.iter().map(|cell| cell + 1.0).collect();
            let expected = [naive(&rows, samples, seed), naive(&other, samples, seed)].concat();
            prop_assert_eq!(&expected, &fast(&[rows.clone(), other.clone()], samples, seed, 1));
            prop_assert_eq!(&expected, &fast(&[rows, other], samples, seed, 3));
        }

        #[test]
        fn threads_do_not_show(rows in rows(50, 2), seed: u32) {
            let one = fast(std::slice::from_ref(&rows), 3000, seed, 1);
            prop_assert_eq!(one, fast(&[rows], 3000, seed, 4));
        }
    }

    #[test]
    fn threads_agree_where_words_are_rejected() {
        // One word in 2,000: hundreds a batch, so that nearly every jump goes wrong at first.
        let segments = 3_000_000;
        let generator = Pcg64::from_seed(&[3]);
        let mut expected = vec![0; 4 * segments];
        assert!(generator.clone().fill_below(segments as u32, &mut expected) > 10);
        let (draws, trials) = (Draws::new(generator, segments), Trials::of(4, held_at_once(segments)));
        let found = Mutex::new(vec![0; 4 * segments]);
        let Ok(()) = Threads::new(3).for_each(trials.batches(), || {
            let (mut numbers, draws, found, trials) = (Vec::new(), &draws, &found, &trials);
            move |batch| {
                let drawn = trials.of_batch(batch);
                draws.draw_in_turn(&drawn, &mut numbers);
                lock(found)[drawn.start * segments..][..drawn.len() * segments].copy_from_slice(&numbers);
                Ok::<(), Infallible>(())
            }
        });
        assert!(expected == found.into_inner().unwrap());
    }

    #[test]
    fn no_systems_have_no_scores() {
        assert!(fast(&[], 5, 1, 2).is_empty());
    }
}
