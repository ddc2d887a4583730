//! Shuffles by weights: 1 for a row that stays, 0 for one that is swapped.
//!
//! For each system the rows that it keeps are added up, and those that it gives away are the total less that sum. This
//! takes any cells, also those that are no whole numbers: their sums are then added in the order of the segments, what
//! stays and what is swapped in apart from each other, as sacreBLEU does.

use super::coins::{Coins, Tosses};
use super::randomize::Mixer;
use super::table::{Table, Weights};
use super::{DRAWS, System, held_at_once};
use crate::halt;
use std::ops::Range;

/// Some systems that are compared with each other.
pub(super) struct Weighed<'a> {
    coins: &'a Coins,
    segments: usize,
    /// The table of each system, if it is one of them.
    tables: Vec<Option<Table>>,
}

impl<'a> Weighed<'a> {
    pub fn new(systems: &[System<'_>], family: &[usize], coins: &'a Coins) -> Self {
        let table = |(at, system): (usize, &System<'_>)| family.contains(&at).then(|| system.table());
        let tables = systems.iter().enumerate().map(table).collect();
        Self { coins, segments: systems[family[0]].segments(), tables }
    }

    /// How many cells are kept for a trial.
    pub fn cells(&self) -> usize {
        self.tables.iter().flatten().map(|table| 2 * table.width()).sum()
    }

    pub fn mixer(&self) -> WeighedMixer<'_> {
        let empty = vec![Vec::new(); self.tables.len()];
        WeighedMixer { of: self, weights: Weights::default(), kept: empty.clone(), given: empty }
    }
}

/// The working memory of a thread.
pub(super) struct WeighedMixer<'a> {
    of: &'a Weighed<'a>,
    weights: Weights,
    /// For each system, the sums of the rows it keeps and of those it gives away, trial after trial.
    kept: Vec<Vec<f64>>,
    given: Vec<Vec<f64>>,
}

impl Mixer for WeighedMixer<'_> {
    fn sum(&mut self, tosses: &Tosses) {
        let segments = self.of.segments;
        let together = held_at_once(segments);
        for first in (0..tosses.trials()).step_by(together) {
            let trials = together.min(tosses.trials() - first);
            self.weights.refill(trials, segments, |cells| {
                let trials = (first..).zip(cells.chunks_exact_mut(segments));
                trials.for_each(|(trial, weights)| tosses.weigh_rows(self.of.coins, trial, weights));
            });
            self.weigh(first, trials);
        }
    }

    fn mix(&self, one: usize, other: usize, trials: Range<usize>, totals: &mut [Vec<f64>; 2]) {
        for (totals, (keeps, gives)) in totals.iter_mut().zip([(one, other), (other, one)]) {
            let width = totals.len() / trials.len();
            for (cell, totals) in totals.chunks_exact_mut(trials.len()).enumerate() {
                let first = trials.start * width + cell;
                let [kept, given] =
                    [&self.kept[keeps], &self.given[gives]].map(|sums| sums[first..].iter().step_by(width));
                totals.iter_mut().zip(kept.zip(given)).for_each(|(total, (kept, given))| *total = kept + given);
            }
        }
    }
}

impl WeighedMixer<'_> {
    /// The sums of some trials, the weights of which are there.
    fn weigh(&mut self, first: usize, trials: usize) {
        let sums = self.kept.iter_mut().zip(&mut self.given);
        for (table, (kept, given)) in
            self.of.tables.iter().zip(sums).filter_map(|(table, sums)| Some((table.as_ref()?, sums)))
        {
            halt::spend(trials * self.of.segments / DRAWS);
            let cells = first * table.width()..(first + trials) * table.width();
            kept.resize(kept.len().max(cells.end), 0.0);
            given.resize(given.len().max(cells.end), 0.0);
            table.weigh(&self.weights, &mut kept[cells.clone()]);
            table.complement(&self.weights, &kept[cells.clone()], &mut given[cells]);
        }
    }
}
