//! Bootstrap resampling (Efron, 1979; for translation Koehn, 2004): corpora drawn from the segments with replacement.
//!
//! Drawing takes half of the time, so threads must share it, and yet a word that is rejected shifts all that follow.
//! For a corpus of thousands that is one word in millions. So each thread jumps to where its batch begins if no more
//! words are rejected than are known of, draws, and waits for its turn to learn whether that was right; if not, it
//! draws again.

use super::rng::Pcg64;
use super::table::Weights;
use super::{System, batch_size, in_threads};
use std::sync::{Condvar, Mutex};

/// The scores of every system on each of `samples` corpora, system after system. All systems see the same
/// corpora, which are those NumPy draws as one `samples` × segments matrix.
///
/// All systems must have equally many segments, at most 2^32 − 1.
pub fn resampled_scores(systems: &[System<'_>], samples: usize, generator: Pcg64, threads: usize) -> Vec<f64> {
    let scores = Mutex::new(vec![0.0; samples * systems.len()]);
    let Some(segments) = systems.first().map(|system| system.rows.segments()) else { return Vec::new() };
    let draws = Draws::new(generator, samples, segments);
    in_threads(threads.min(samples.div_ceil(draws.batch)), || {
        let mut worker = Worker::new(segments);
        while let Some((first, count)) = draws.next(&mut worker.drawn) {
            worker.weigh_segments(count);
            for (at, system) in systems.iter().enumerate() {
                let found = worker.score(system, count);
                let start = at * samples + first;
                scores.lock().expect(PANICKED)[start..start + count].copy_from_slice(found);
            }
        }
    });
    scores.into_inner().expect(PANICKED)
}

const PANICKED: &str = "a resampling thread panicked";

/// The draws of all samples, handed out in batches.
struct Draws {
    generator: Pcg64,
    samples: usize,
    segments: usize,
    batch: usize,
    progress: Mutex<Progress>,
    passed: Condvar,
}

/// How many samples threads have taken, how many of them are drawn for good, and what was rejected for those.
#[derive(Default)]
struct Progress {
    taken: usize,
    drawn: usize,
    rejected: usize,
}

impl Draws {
    fn new(generator: Pcg64, samples: usize, segments: usize) -> Self {
        let batch = batch_size(segments);
        Self { generator, samples, segments, batch, progress: Mutex::default(), passed: Condvar::new() }
    }

    /// Draws the next batch: its first sample, and how many there are.
    fn next(&self, numbers: &mut Vec<u32>) -> Option<(usize, usize)> {
        let (first, count, known) = self.take()?;
        numbers.resize(count * self.segments, 0);
        let mut rejected = self.draw(first, known, numbers);
        let progress = self.progress.lock().expect(PANICKED);
        let mut progress = self.passed.wait_while(progress, |progress| progress.drawn < first).expect(PANICKED);
        if progress.rejected != known {
            rejected = self.draw(first, progress.rejected, numbers);
        }
        progress.rejected += rejected;
        progress.drawn += count;
        self.passed.notify_all();
        Some((first, count))
    }

    fn take(&self) -> Option<(usize, usize, usize)> {
        let mut progress = self.progress.lock().expect(PANICKED);
        let first = progress.taken;
        let count = self.batch.min(self.samples - first);
        progress.taken += count;
        (count > 0).then_some((first, count, progress.rejected))
    }

    /// Draws a batch from its place in the stream, and says how many words were rejected.
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
    sums: Vec<f64>,
    scores: Vec<f64>,
}

impl Worker {
    fn new(segments: usize) -> Self {
        Self { segments, drawn: Vec::new(), weights: Weights::default(), sums: Vec::new(), scores: Vec::new() }
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

    fn score(&mut self, system: &System<'_>, trials: usize) -> &[f64] {
        let width = system.rows.width();
        self.sums.resize(trials * width, 0.0);
        system.rows.weigh(&self.weights, &mut self.sums);
        self.scores.clear();
        self.scores.extend(self.sums.chunks_exact(width).map(|sums| (system.score)(sums)));
        &self.scores
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::{Table, tests::rows};
    use super::*;
    use proptest::prelude::*;

    fn ratio(totals: &[f64]) -> f64 {
        totals[0] / totals[1].abs().max(1.0)
    }

    /// Draws row by row and adds each drawn row, one system after the other. Thirds are added in drawn order here, so
    /// cells must be whole.
    fn naive(rows: &[f64], samples: usize, seed: u32) -> Vec<f64> {
        let segments = rows.len() / 2;
        let mut generator = Pcg64::from_seed(&[seed]);
        let sample = |_| {
            let mut drawn = vec![0; segments];
            generator.fill_below(segments as u32, &mut drawn);
            let column = |at| drawn.iter().map(|&segment| rows[2 * segment as usize + at]).sum();
            ratio(&[column(0), column(1)])
        };
        (0..samples).map(sample).collect()
    }

    fn fast(systems: &[Vec<f64>], samples: usize, seed: u32, threads: usize) -> Vec<f64> {
        let systems: Vec<_> =
            systems.iter().map(|rows| System { rows: Table::new(rows, 2), score: Box::new(ratio) }).collect();
        resampled_scores(&systems, samples, Pcg64::from_seed(&[seed]), threads)
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
        let draws = Draws::new(generator, 4, segments);
        let found = Mutex::new(vec![0; 4 * segments]);
        in_threads(3, || {
            let mut numbers = Vec::new();
            while let Some((first, count)) = draws.next(&mut numbers) {
                found.lock().unwrap()[first * segments..][..count * segments].copy_from_slice(&numbers);
            }
        });
        assert!(expected == found.into_inner().unwrap());
    }

    #[test]
    fn no_systems_have_no_scores() {
        assert!(fast(&[], 5, 1, 2).is_empty());
    }
}
