//! Shuffles by tables of differences.
//!
//! If a trial keeps the rows of some units and swaps the others, one system adds up to the other's total plus the sum
//! of the differences of the rows that stay, and the other to the first's total less that sum. So one sum a trial is
//! enough for two systems. For more, all differences are from one of them, the base: those between any other two are
//! differences of these, and comparing all pairs of k systems takes k − 1 sums a trial.
//!
//! The sum itself is found by the Method of Four Russians (Arlazarov, Dinic, Kronrod and Faradžev, 1970): for each 8
//! units the sums of all 256 subsets are written down, and the 8 coins of a trial say which one it needs. A table takes
//! 256 additions of a vector, and a trial one for each 8 units; with 1,024 trials in a batch, tables are a fifth of the
//! work. Eight of them, for 64 units, take 32 kB and stay in the nearest cache while all trials of the batch look into
//! them, so memory does not grow with the number of units.
//!
//! Why it is right: cells are whole numbers (of a power of 1/2), and all sums stay far below 2^53 of them, so each sum
//! has one value, in whatever order it is found, and equal sums have equal scores to the last bit. Lanes of 16 bits are
//! added to doubles before they can overflow: the sizes of the differences in each block are known. Where cells are no
//! such numbers, [`super::weighed`] has to do, which is also the oracle of this.
//!
//! What was tried: rows that are the same in all systems could be left out and the coins of the others picked one by
//! one. Picking a coin takes longer than looking up eight.

use super::System;
use super::coins::{BLOCK as UNITS, Coins, Tosses, apart};
use super::lanes::{BLOCK, LANES, LARGEST, Lanes, Vector};
use super::randomize::Mixer;
use super::table::scale_of;
use crate::halt;
use std::ops::Range;

// A block of coins is a block of rows that can be added without overflow.
const _: () = assert!(UNITS == BLOCK);

/// Additions of vectors that cost as much as a step of [`halt::spend`].
const ADDITIONS: usize = 32;

/// Some systems that are compared with each other, by their differences from the first of them.
pub(super) struct Differences<'a> {
    systems: &'a [System<'a>],
    units: usize,
    width: usize,
    /// The number of each system among those that differ from the base. The base has the next one.
    numbers: Vec<usize>,
    others: usize,
    /// One row for each unit of each that differs.
    lanes: Lanes,
    /// For each eight lanes and block of units, how large a sum of their differences can be.
    reaches: Vec<Vec<i32>>,
}

impl<'a> Differences<'a> {
    /// The differences, if they are whole numbers that are small enough.
    pub fn new(systems: &'a [System<'a>], members: &[usize], coins: &Coins) -> Option<Self> {
        let (base, others) = members.split_first()?;
        let (segments, width) = (systems[*base].segments(), systems[*base].width());
        let units = coins.units(segments);
        let mut lanes = Lanes::new(others.len() * units);
        for cell in 0..width {
            let column = |&at: &usize| systems[at].cells.iter().skip(cell).step_by(width).copied();
            let scale = scale_of(members.iter().flat_map(column), segments, LARGEST)?;
            let mut numbers = vec![0; others.len() * units];
            for (other, numbers) in others.iter().zip(numbers.chunks_exact_mut(units)) {
                for (row, (ours, theirs)) in column(other).zip(column(base)).enumerate() {
                    numbers[coins.place(row)] = ((ours - theirs) * scale) as i64;
                }
            }
            if numbers.iter().any(|&number| number != 0) {
                lanes.push(cell, 1.0 / scale, numbers, |numbers| numbers.chunks_exact(units).all(fits));
            }
        }
        let mut numbers = vec![others.len(); systems.len()];
        others.iter().enumerate().for_each(|(number, &at)| numbers[at] = number);
        let reaches = lanes.vectors().iter().map(|rows| reaches(rows, units)).collect();
        Some(Self { systems, units, width, numbers, others: others.len(), lanes, reaches })
    }

    /// How many cells are kept for a trial.
    pub fn cells(&self) -> usize {
        (self.others + 1) * self.width
    }

    pub fn mixer(&self) -> DifferencesMixer<'_> {
        DifferencesMixer {
            of: self,
            tables: vec![[Vector::default(); 256]; BLOCK / 8],
            short: Vec::new(),
            sums: Vec::new(),
        }
    }

    fn blocks(&self) -> usize {
        self.units.div_ceil(BLOCK)
    }
}

/// Whether 16 bits hold the sum of any differences in a block.
fn fits(numbers: &[i64]) -> bool {
    let reach = |block: &[i64]| block.iter().fold(0_u64, |sum, number| sum.saturating_add(number.unsigned_abs()));
    numbers.chunks(BLOCK).all(|block| reach(block) <= i16::MAX as u64)
}

/// How large a sum of differences can be in any of eight lanes, block by block.
fn reaches(rows: &[Vector], units: usize) -> Vec<i32> {
    let reach = |block: &[Vector]| {
        let sum = |lane: usize| block.iter().map(|row| i32::from(row.0[lane]).abs()).sum::<i32>();
        (0..LANES).map(sum).fold(0, i32::max)
    };
    rows.chunks_exact(units).flat_map(|rows| rows.chunks(BLOCK)).map(reach).collect()
}

/// The working memory of a thread.
pub(super) struct DifferencesMixer<'a> {
    of: &'a Differences<'a>,
    /// For each eight units of a block, the sum of each subset of their rows.
    tables: Vec<[Vector; 256]>,
    /// What has been added up for each trial, as long as it fits.
    short: Vec<Vector>,
    /// For each system and cell, the sum of the differences that stay in each trial; for the base there are none.
    sums: Vec<f64>,
}

impl Mixer for DifferencesMixer<'_> {
    fn sum(&mut self, tosses: &Tosses) {
        let Differences { others, width, .. } = *self.of;
        self.sums.clear();
        self.sums.resize((others + 1) * width * apart(tosses.trials()), 0.0);
        self.short.clear();
        self.short.resize(tosses.trials(), Vector::default());
        for other in 0..others {
            (0..self.of.lanes.vectors().len()).for_each(|at| self.sum_lanes(other, at, tosses));
        }
    }

    fn mix(&self, one: usize, other: usize, trials: Range<usize>, [ours, theirs]: &mut [Vec<f64>; 2]) {
        let [one_totals, other_totals] = [one, other].map(|at| &self.of.systems[at].totals);
        let totals = ours.chunks_exact_mut(trials.len()).zip(theirs.chunks_exact_mut(trials.len())).enumerate();
        for (cell, (ours, theirs)) in totals {
            let sums = [one, other].map(|at| &self.sums_of(at, cell)[trials.clone()]);
            let gained = sums[0].iter().zip(sums[1]).map(|(one, other)| one - other);
            for ((ours, theirs), gained) in ours.iter_mut().zip(theirs).zip(gained) {
                *ours = other_totals[cell] + gained;
                *theirs = one_totals[cell] - gained;
            }
        }
    }
}

impl DifferencesMixer<'_> {
    /// The sums of a system's differences from the base that stay in each trial, in one cell.
    fn sums_of(&self, system: usize, cell: usize) -> &[f64] {
        let trials = self.short.len();
        &self.sums[(self.of.numbers[system] * self.of.width + cell) * apart(trials)..][..trials]
    }

    /// Adds up eight lanes of a system for all trials.
    fn sum_lanes(&mut self, other: usize, at: usize, tosses: &Tosses) {
        let Differences { units, lanes, reaches, .. } = self.of;
        let rows = &lanes.vectors()[at][other * units..][..*units];
        let reaches = &reaches[at][other * self.of.blocks()..];
        let mut reach = 0;
        for (block, (rows, more)) in rows.chunks(BLOCK).zip(reaches).enumerate().filter(|(_, (_, more))| **more > 0) {
            halt::spend((tosses.trials() + 256) / ADDITIONS);
            if reach + more > i32::from(i16::MAX) {
                self.widen(other, at);
                reach = 0;
            }
            reach += more;
            self.tables.iter_mut().enumerate().for_each(|(eighth, table)| tabulate(rows, 8 * eighth, table));
            if let Some(tables) = self.tables.first_chunk() {
                look_up(tables, tosses.of_block(block), &mut self.short);
            }
        }
        self.widen(other, at);
    }

    fn widen(&mut self, other: usize, at: usize) {
        let (stride, width) = (apart(self.short.len()), self.of.width);
        let sums = &mut self.sums[other * width * stride..][..width * stride];
        self.of.lanes.add_sums(at, &self.short, sums, stride);
        self.short.fill(Vector::default());
    }
}

/// The sums of all subsets of eight rows.
fn tabulate(rows: &[Vector], first: usize, table: &mut [Vector; 256]) {
    table[0] = Vector::default();
    for bit in 0..8 {
        let row = rows.get(first + bit).copied().unwrap_or_default();
        let (without, with) = table.split_at_mut(1 << bit);
        for (with, without) in with.iter_mut().zip(without) {
            *with = without.plus(row);
        }
    }
}

/// Adds to each trial what its coins ask for.
fn look_up(tables: &[[Vector; 256]; 8], coins: &[u64], sums: &mut [Vector]) {
    for (sum, coins) in sums.iter_mut().zip(coins) {
        let found = tables.iter().zip(coins.to_le_bytes()).map(|(table, eight)| table[usize::from(eight)]);
        *sum = found.fold(*sum, Vector::plus);
    }
}

#[cfg(test)]
mod tests {
    use super::super::coins::ways;
    use super::super::rng::Pcg64;
    use super::super::weighed::Weighed;
    use super::*;
    use crate::metric::Formula;
    use proptest::prelude::*;
    use proptest::sample::{Index, select};

    const WIDTH: usize = 4;

    struct Four;

    impl Formula for Four {
        fn width(&self) -> usize {
            WIDTH
        }

        fn score(&self, totals: &[f64]) -> f64 {
            totals[0]
        }
    }

    /// Rows of some systems: small and large numbers, halves, columns that repeat others, systems that repeat others.
    fn systems(segments: usize) -> impl Strategy<Value = Vec<Vec<f64>>> {
        let most = select(vec![3_i64, 90, 600, 40_000, 1 << 40]);
        let column = (most, select(vec![1.0, 0.5, 0.125]), any::<bool>());
        let columns = proptest::collection::vec(column, WIDTH);
        let numbers = proptest::collection::vec(any::<i64>(), 4 * segments * WIDTH);
        (columns, numbers, 1_usize..5).prop_map(move |(columns, numbers, systems)| {
            let cell = |system: usize, row: usize, at: usize| {
                let (most, unit, repeats) = columns[at];
                let at = if repeats { 0 } else { at };
                let number = numbers[(system % 3 * segments + row) * WIDTH + at] % most;
                // Nothing differs in the second block of units.
                if row / BLOCK == 1 { unit } else { number as f64 * unit }
            };
            let cells = |system| (0..segments * WIDTH).map(move |at| cell(system, at / WIDTH, at % WIDTH)).collect();
            (0..systems).map(cells).collect()
        })
    }

    fn mixed(mixer: &mut dyn Mixer, tosses: &Tosses, systems: usize) -> Vec<[Vec<f64>; 2]> {
        mixer.sum(tosses);
        let pairs = (0..systems).flat_map(|one| (0..systems).map(move |other| (one, other)));
        let trials = pairs.flat_map(|(one, other)| (0..tosses.trials()).map(move |trial| (one, other, trial)));
        let totals = |(one, other, trial)| {
            let mut totals = [vec![f64::NAN; WIDTH], vec![f64::NAN; WIDTH]];
            mixer.mix(one, other, trial..trial + 1, &mut totals);
            totals
        };
        trials.map(totals).collect()
    }

    fn check(rows: &[Vec<f64>], coins: &Coins, trials: std::ops::Range<usize>) {
        let systems: Vec<_> = rows.iter().map(|rows| System::new(rows.as_slice(), &Four)).collect();
        let family: Vec<usize> = (0..systems.len()).collect();
        let differences = Differences::new(&systems, &family, coins).expect("all cells are whole");
        let weighed = Weighed::new(&systems, &family, coins);
        let (mut fast, mut slow, mut tosses) = (differences.mixer(), weighed.mixer(), Tosses::default());
        // A second batch must not see the first.
        for trials in [trials, 0..1] {
            tosses.toss(coins, &trials, coins.units(systems[0].segments()));
            let expected = mixed(&mut slow, &tosses, systems.len());
            assert_eq!(expected, mixed(&mut fast, &tosses, systems.len()));
        }
    }

    fn segments() -> impl Strategy<Value = usize> {
        prop_oneof![1_usize..10, select(vec![62_usize, 63, 64, 65, 66, 127, 128, 129, 200])]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(80))]

        #[test]
        fn sums_are_those_of_weighed_rows(
            rows in segments().prop_flat_map(systems), first in 0_usize..50, trials in 1_usize..40, seed: u32
        ) {
            let units = rows[0].len() / WIDTH;
            let coins = Coins::Tossed { generator: Pcg64::from_seed(&[seed]), units, places: Vec::new() };
            check(&rows, &coins, first..first + trials);
        }

        #[test]
        fn rows_take_the_coins_of_their_places(
            rows in segments().prop_flat_map(systems), gaps in proptest::collection::vec(any::<Index>(), 200), seed: u32
        ) {
            let place = |sum: &mut usize, gap: &Index| {
                *sum += 1 + gap.index(5);
                Some(*sum - 1)
            };
            let places: Vec<usize> = gaps.iter().take(rows[0].len() / WIDTH).scan(0, place).collect();
            let units = places[places.len() - 1] + 3;
            check(&rows, &Coins::Tossed { generator: Pcg64::from_seed(&[seed]), units, places }, 3..9);
        }

        #[test]
        fn every_way_is_summed(rows in (1_usize..8).prop_flat_map(systems)) {
            check(&rows, &Coins::Every, 0..ways(rows[0].len() / WIDTH));
        }
    }

    #[test]
    fn the_largest_differences_do_not_overflow() {
        // A block reaches exactly what 16 bits hold, or one more, which planes must take.
        for (cell, segments) in [(32767.0, 300), (32768.0, 300), (511.0, 300), (512.0, 300), (1e9, 300), (-1e9, 129)] {
            let rows = [vec![0.0; segments * WIDTH], vec![cell; segments * WIDTH]];
            let lonely =
                [rows[0].clone(), (0..segments * WIDTH).map(|at| if at < WIDTH { cell } else { 0.0 }).collect()];
            let coins = Coins::Tossed { generator: Pcg64::from_seed(&[1]), units: segments, places: Vec::new() };
            check(&rows, &coins, 0..30);
            check(&lonely, &coins, 0..30);
        }
    }

    #[test]
    fn other_numbers_are_left_to_weights() {
        for cell in [1.0 / 3.0, f64::NAN, f64::INFINITY, 1e15] {
            let systems = [[1.0; 8], [cell; 8]].map(|rows| System::new(rows, &Four));
            assert!(Differences::new(&systems, &[0, 1], &Coins::Every).is_none());
        }
    }
}
