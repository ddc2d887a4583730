//! Approximate randomization (Noreen, 1989; for translation Riezler and Maxwell, 2005): if two systems are alike, it
//! does not matter whose output a segment gets.
//!
//! A trial tosses a coin for each segment. Heads: each system keeps its row; tails: they swap. For each system only
//! the sum of the rows with heads is needed, the rest is the total less that sum. So with shared coins the
//! work grows with the number of systems, and comparing all of them with one another costs little more than
//! comparing all with a baseline.
//!
//! Trials that give exactly the real difference are counted apart from those that give a larger one. A p-value that
//! leaves them out, as sacreBLEU's does, is far too small where few segments differ: with a single one, every trial
//! gives the real difference. Sums of whole numbers are exact, and equal sums have equal scores, so no tie is missed.

use super::rng::Pcg64;
use super::table::Weights;
use super::{DRAWS, System, Trials};
use crate::halt;
use crate::threads::{Threads, lock, unlocked};
use std::convert::Infallible;
use std::ops::Range;
use std::sync::Mutex;

/// Two systems to be compared, each given by its runs: indices of rows, as many on either side. What is compared is the
/// mean score over the runs; with one run a side, the score.
pub struct Comparison {
    /// The first system's runs.
    pub baseline: Vec<usize>,
    /// The second's.
    pub system: Vec<usize>,
}

/// How many trials put two systems further apart than they are, and how many exactly as far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Apart {
    /// Further.
    pub further: u64,
    /// As far.
    pub equally: u64,
}

/// Where the coins of a trial come from.
pub enum Coins {
    /// NumPy's stream: one matrix of booleans, trials × `units`.
    Tossed {
        /// The stream.
        generator: Pcg64,
        /// How many coins a trial has.
        units: usize,
        /// Whose coin each row takes, where rows that are the same in all systems were left out; empty: its own.
        places: Vec<usize>,
    },
    /// Each way of swapping rows once. The last row stays: to swap the others is to swap all but these.
    Every,
}

/// What the trials say of each comparison.
pub fn count_apart(
    systems: &[System<'_>],
    comparisons: &[Comparison],
    trials: usize,
    coins: &Coins,
    threads: &Threads,
) -> Vec<Apart> {
    let Some(segments) = systems.first().map(|system| system.rows.segments()) else { return Vec::new() };
    let observed: Vec<f64> = systems.iter().map(System::observed).collect();
    let gap =
        |pair: &Comparison| (mean(&pair.baseline, |at| observed[at]) - mean(&pair.system, |at| observed[at])).abs();
    let gaps: Vec<f64> = comparisons.iter().map(gap).collect();
    let trials = Trials::new(trials, segments);
    let counts = Mutex::new(vec![Apart::default(); comparisons.len()]);
    halt::expect(trials.count);
    let Ok(()) = threads.for_each(trials.batches(), || {
        let mut worker = Worker::new(systems, segments);
        let (trials, gaps, counts) = (&trials, &gaps, &counts);
        move |batch| {
            let trials = trials.of_batch(batch);
            halt::spend(trials.len() * segments * systems.len() / DRAWS);
            halt::advance(trials.len());
            worker.toss(coins, &trials);
            worker.sum(trials.len());
            for (at, (pair, &gap)) in comparisons.iter().zip(gaps).enumerate() {
                let found = worker.count(pair, gap, trials.len());
                let all = &mut lock(counts)[at];
                *all = Apart { further: all.further + found.further, equally: all.equally + found.equally };
            }
            Ok::<(), Infallible>(())
        }
    });
    unlocked(counts)
}

/// How many ways there are of swapping so many rows, the last of which stays.
pub fn ways(rows: usize) -> usize {
    1 << rows.saturating_sub(1)
}

const WORD: usize = u32::BITS as usize;
const HALF: usize = u16::BITS as usize;
const BITS: [u16; HALF] = {
    let mut bits = [1; HALF];
    let mut at = 1;
    while at < HALF {
        bits[at] = bits[at - 1] << 1;
        at += 1;
    }
    bits
};

/// Tosses the coins from number `first` on: bits of the stream, lowest first, word after word. Fills the words that
/// hold them, and returns how many bits of the first word belong to coins before.
fn toss_coins(generator: &Pcg64, first: u128, count: usize, words: &mut Vec<u32>) -> usize {
    let before = (first % WORD as u128) as usize;
    let mut generator = generator.clone();
    generator.skip_words(first / WORD as u128);
    words.resize((before + count).div_ceil(WORD), 0);
    generator.fill_words(words);
    before
}

/// The working memory of a thread.
struct Worker<'a> {
    systems: &'a [System<'a>],
    segments: usize,
    words: Vec<u32>,
    used: usize,
    weights: Weights,
    /// For each system, the sums of the rows it keeps and of those it gives away, trial after trial.
    kept: Vec<Vec<f64>>,
    given: Vec<Vec<f64>>,
    totals: Vec<f64>,
}

impl<'a> Worker<'a> {
    fn new(systems: &'a [System<'a>], segments: usize) -> Self {
        let empty = vec![Vec::new(); systems.len()];
        Self {
            systems,
            segments,
            words: Vec::new(),
            used: 0,
            weights: Weights::default(),
            kept: empty.clone(),
            given: empty,
            totals: Vec::new(),
        }
    }

    /// Makes the weights of some trials.
    fn toss(&mut self, coins: &Coins, trials: &Range<usize>) {
        match coins {
            Coins::Every => self.weights.refill(trials.len(), self.segments, |cells| {
                for (way, cells) in trials.clone().zip(cells.chunks_exact_mut(self.segments)) {
                    cells.iter_mut().enumerate().for_each(|(at, cell)| *cell = i16::from(way >> at & 1 == 0));
                }
            }),
            Coins::Tossed { generator, units, places } => {
                let first = trials.start as u128 * *units as u128;
                self.used = toss_coins(generator, first, trials.len() * units, &mut self.words);
                if places.is_empty() {
                    self.spread_bits(trials.len());
                } else {
                    self.pick_bits(trials.len(), *units, places);
                }
            }
        }
    }

    fn sum(&mut self, trials: usize) {
        let sums = self.kept.iter_mut().zip(&mut self.given);
        for (system, (kept, given)) in self.systems.iter().zip(sums) {
            let cells = trials * system.rows.width();
            kept.resize(cells, 0.0);
            given.resize(cells, 0.0);
            system.rows.weigh(&self.weights, kept);
            system.rows.complement(&self.weights, kept, given);
        }
    }

    /// One weight a coin.
    fn spread_bits(&mut self, trials: usize) {
        let Self { words, used, weights, .. } = self;
        let word = |at: usize| u64::from(words.get(at).copied().unwrap_or(0));
        let coins = |at: usize| ((word(at + 1) << WORD | word(at)) >> *used) as u32;
        weights.refill(trials, self.segments, |cells| {
            let (chunks, rest) = cells.as_chunks_mut::<WORD>();
            for (at, cells) in chunks.iter_mut().enumerate() {
                let (low, high) = cells.split_at_mut(HALF);
                spread(coins(at) as u16, low);
                spread((coins(at) >> HALF) as u16, high);
            }
            for (bit, cell) in rest.iter_mut().enumerate() {
                *cell = (coins(chunks.len()) >> bit & 1) as i16;
            }
        });
    }

    /// The coins at some places of each trial.
    fn pick_bits(&mut self, trials: usize, units: usize, places: &[usize]) {
        let Self { words, used, weights, .. } = self;
        weights.refill(trials, self.segments, |cells| {
            for (trial, cells) in cells.chunks_exact_mut(self.segments).enumerate() {
                let first = *used + trial * units;
                for (cell, coin) in cells.iter_mut().zip(places.iter().map(|place| first + place)) {
                    *cell = (words[coin / WORD] >> (coin % WORD) & 1) as i16;
                }
            }
        });
    }

    /// How many of the trials put two systems as far apart as they are, or further.
    fn count(&mut self, pair: &Comparison, gap: f64, trials: usize) -> Apart {
        let mut found = Apart::default();
        for trial in 0..trials {
            let shuffled = self.shuffled_gap(pair, trial);
            found.further += u64::from(shuffled > gap);
            found.equally += u64::from(shuffled == gap);
        }
        found
    }

    /// How far apart the two systems are in a trial.
    fn shuffled_gap(&mut self, pair: &Comparison, trial: usize) -> f64 {
        let runs = || pair.baseline.iter().zip(&pair.system);
        let (mut one, mut other) = (0.0, 0.0);
        for (&baseline, &system) in runs() {
            one += self.mixed_score(baseline, system, trial);
            other += self.mixed_score(system, baseline, trial);
        }
        let count = pair.baseline.len() as f64;
        (one / count - other / count).abs()
    }

    /// The score of what one system keeps and the other gives away.
    fn mixed_score(&mut self, keeps: usize, gives: usize, trial: usize) -> f64 {
        let width = self.systems[keeps].rows.width();
        let cells = trial * width..(trial + 1) * width;
        let kept = &self.kept[keeps][cells.clone()];
        let given = &self.given[gives][cells];
        self.totals.clear();
        self.totals.extend(kept.iter().zip(given).map(|(kept, given)| kept + given));
        self.systems[keeps].formula.score(&self.totals)
    }
}

/// The compiler does all sixteen at once: an `and` with all bits, and a comparison with zero.
fn spread(coins: u16, cells: &mut [i16]) {
    for (cell, bit) in cells.iter_mut().zip(BITS) {
        *cell = i16::from(coins & bit != 0);
    }
}

fn mean(runs: &[usize], score: impl Fn(usize) -> f64) -> f64 {
    runs.iter().fold(0.0, |sum, &run| sum + score(run)) / runs.len() as f64
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::{Ratio, rows};
    use super::*;
    use crate::metric::Formula;
    use proptest::prelude::*;

    /// Two corpora put together segment by segment, for one bit after another.
    fn naive(baseline: &[f64], system: &[f64], trials: usize, seed: u32) -> Apart {
        let segments = baseline.len() / 2;
        let mut words = vec![0; (segments * trials).div_ceil(32)];
        Pcg64::from_seed(&[seed]).fill_words(&mut words);
        let stays = |at: usize| words[at / 32] >> (at % 32) & 1 == 1;
        // Sums of what stays and of what is swapped in are added up apart, as in sacreBLEU.
        let score = |ours: &[f64], theirs: &[f64], stays: &dyn Fn(usize) -> bool| {
            let mut sums = [[0.0; 2]; 2];
            for at in 0..segments {
                let (row, sums) = if stays(at) { (ours, &mut sums[0]) } else { (theirs, &mut sums[1]) };
                sums.iter_mut().zip(&row[2 * at..]).for_each(|(sum, cell)| *sum += cell);
            }
            Ratio.score(&[sums[0][0] + sums[1][0], sums[0][1] + sums[1][1]])
        };
        let gap =
            |stays: &dyn Fn(usize) -> bool| (score(baseline, system, stays) - score(system, baseline, stays)).abs();
        let real = gap(&|_| true);
        let gaps: Vec<f64> = (0..trials).map(|trial| gap(&|at| stays(trial * segments + at))).collect();
        let count = |is_such: &dyn Fn(f64) -> bool| gaps.iter().filter(|&&gap| is_such(gap)).count() as u64;
        Apart { further: count(&|gap| gap > real), equally: count(&|gap| gap == real) }
    }

    fn fast(systems: &[&[f64]], pairs: &[Comparison], trials: usize, seed: u32, threads: usize) -> Vec<Apart> {
        let units = systems[0].len() / 2;
        let coins = Coins::Tossed { generator: Pcg64::from_seed(&[seed]), units, places: Vec::new() };
        apart(systems, pairs, trials, &coins, threads)
    }

    fn apart(systems: &[&[f64]], pairs: &[Comparison], trials: usize, coins: &Coins, threads: usize) -> Vec<Apart> {
        let systems: Vec<_> = systems.iter().map(|rows| System::new(rows, &Ratio)).collect();
        count_apart(&systems, pairs, trials, coins, &Threads::new(threads))
    }

    fn pair(baseline: usize, system: usize) -> Comparison {
        Comparison { baseline: vec![baseline], system: vec![system] }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn counts_are_those_of_shuffled_corpora(
            [a, b, c] in (2_usize..80).prop_flat_map(|segments| [(); 3].map(|()| rows(segments, 2))),
            trials in 0_usize..600,
            seed: u32,
        ) {
            let pairs = || [pair(0, 1), pair(0, 2), pair(1, 2)];
            let expected = vec![naive(&a, &b, trials, seed), naive(&a, &c, trials, seed), naive(&b, &c, trials, seed)];
            prop_assert_eq!(&expected, &fast(&[&a, &b, &c], &pairs(), trials, seed, 1));
            prop_assert_eq!(&expected, &fast(&[&a, &b, &c], &pairs(), trials, seed, 3));
        }
    }

    #[test]
    fn a_system_is_never_further_from_its_copy() {
        let rows = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(vec![Apart { further: 0, equally: 100 }], fast(&[&rows, &rows], &[pair(0, 1)], 100, 1, 1));
    }

    /// Whole rows whose sums are exact, in which systems are alike at every third place.
    fn alike_in_places(segments: usize) -> impl Strategy<Value = [Vec<f64>; 2]> {
        let cells = || proptest::collection::vec((0_i64..9).prop_map(|cell| cell as f64), 2 * segments);
        (cells(), cells()).prop_map(|(a, mut b)| {
            (0..a.len()).filter(|at| at / 2 % 3 == 0).for_each(|at| b[at] = a[at]);
            [a, b]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn rows_that_are_alike_may_be_left_out([a, b] in alike_in_places(40), trials in 1_usize..400, seed: u32) {
            let expected = fast(&[&a, &b], &[pair(0, 1)], trials, seed, 1);
            let places: Vec<usize> = (0..40).filter(|at| at % 3 != 0).collect();
            // What is left out goes with the last that stays.
            let fold = |rows: &[f64]| {
                let mut folded: Vec<f64> = places.iter().flat_map(|at| rows[2 * at..2 * at + 2].to_vec()).collect();
                let last = folded.len() - 2;
                (0..80).filter(|at| at / 2 % 3 == 0).for_each(|at| folded[last + at % 2] += rows[at]);
                folded
            };
            let coins = Coins::Tossed { generator: Pcg64::from_seed(&[seed]), units: 40, places: places.clone() };
            prop_assert_eq!(&expected, &apart(&[&fold(&a), &fold(&b)], &[pair(0, 1)], trials, &coins, 2));
        }

        #[test]
        fn every_way_is_half_of_all_flips([a, b] in alike_in_places(9)) {
            let gap = |swaps: usize| {
                let stays = |at: usize| swaps >> at & 1 == 0;
                let sums = |ours: &[f64], theirs: &[f64]| {
                    let cell = |at: usize| if stays(at / 2) { ours[at] } else { theirs[at] };
                    [0, 1].map(|column| (0..9).map(|at| cell(2 * at + column)).sum::<f64>())
                };
                (Ratio.score(&sums(&a, &b)) - Ratio.score(&sums(&b, &a))).abs()
            };
            let (real, all) = (gap(0), (0..1 << 9).map(gap).collect::<Vec<_>>());
            let count = |is_such: &dyn Fn(f64) -> bool| all.iter().filter(|&&gap| is_such(gap)).count() as u64;
            let expected = Apart { further: count(&|gap| gap > real) / 2, equally: count(&|gap| gap == real) / 2 };
            prop_assert_eq!(vec![expected], apart(&[&a, &b], &[pair(0, 1)], ways(9), &Coins::Every, 2));
        }
    }

    #[test]
    fn equal_runs_count_as_one() {
        let (a, b) = ([1.0, 5.0, 4.0, 6.0, 1.0, 1.0, 0.0, 2.0], [2.0, 5.0, 2.0, 6.0, 1.0, 1.0, 1.0, 2.0]);
        let twice = Comparison { baseline: vec![0, 0], system: vec![1, 1] };
        let counts = fast(&[&a, &b], &[pair(0, 1), twice], 500, 9, 2);
        assert_eq!(counts[0], counts[1]);
        assert!(counts[0].further > 0);
    }

    #[test]
    fn coins_do_not_depend_on_how_many_are_taken_at_once() {
        let generator = Pcg64::from_seed(&[12345]);
        let (mut words, mut all) = (Vec::new(), Vec::new());
        toss_coins(&generator, 0, 30, &mut words);
        let bits: String = (0..30).map(|bit| if words[0] >> bit & 1 == 1 { '1' } else { '0' }).collect();
        assert_eq!("101110011000001111111111010011", bits);
        toss_coins(&generator, 0, 1000, &mut all);
        let mut at = 0;
        for count in [7, 25, 1, 31, 32, 64, 100, 3, 500] {
            let used = toss_coins(&generator, at as u128, count, &mut words);
            for bit in 0..count {
                let (here, there) = (used + bit, at + bit);
                assert_eq!(all[there / 32] >> (there % 32) & 1, words[here / 32] >> (here % 32) & 1);
            }
            at += count;
        }
    }
}
