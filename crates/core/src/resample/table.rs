//! Rows in the shape that weighted sums like: by column, in small whole numbers.
//!
//! Nearly every column holds whole numbers that fit 16 bits. The sum of weight × cell over such a column is one machine
//! instruction for eight segments, and exact. Larger numbers are cut into planes of 15 bits; halves and quarters (mean
//! lengths over two or four references) are scaled up to whole numbers first. What is left, such as thirds and scores
//! from outside, stays in doubles and is added in the order of the segments, so that a sum means the same everywhere.
//!
//! Half of the columns of BLEU and chrF hardly say anything new: a segment has one bigram less than it has
//! unigrams, unless it is empty. Such a column is kept as another one plus a constant, with the few exceptions.
//!
//! Weights are counted once for all systems and metrics that share the draws. For few of them it is quicker to gather
//! the rows that were drawn ([`super::gather`]): 2,000 resamples of one system of 2,000 segments took 3.8 ms in place
//! of 4.8, draws included.

/// The cells of a system, and their totals.
#[derive(Clone, Debug)]
pub struct Table {
    segments: usize,
    totals: Vec<f64>,
    columns: Vec<Column>,
}

/// One column. Whole numbers are multiples of a unit, which is 1 or a power of ½.
#[derive(Clone, Debug)]
enum Column {
    /// Planes, which are to be weighed.
    Whole { unit: f64, planes: Vec<Plane> },
    /// The sum of an earlier column, plus `more` times the sum of the weights, plus exceptions: a segment and what it
    /// adds.
    Derived { unit: f64, from: usize, more: i64, exceptions: Vec<(u32, i64)> },
    /// Doubles.
    Loose(Vec<f64>),
}

/// 15 bits of each number of a column, or its highest bits with the sign.
#[derive(Clone, Debug)]
struct Plane {
    shift: u32,
    cells: Vec<i16>,
}

const PLANE_BITS: u32 = 15;
const MOST_FRACTION_BITS: u32 = 12;

/// Sums up to here are exact in doubles.
const EXACT: f64 = (1_u64 << 53) as f64;

/// In blocks of this many segments, 32 bits hold any sum of cells with weights up to `HEAVY`.
const BLOCK: usize = 1024;
const HEAVY: i16 = 64;

/// A column is derived from another if at most one cell in so many is an exception.
const REGULAR: usize = 16;

/// The weights of all segments in some trials, trial after trial.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    cells: Vec<i16>,
    /// The sum of each trial's.
    sums: Vec<i64>,
    heaviest: i16,
}

impl Weights {
    /// Makes room for `trials`, lets `write` fill the room (which holds anything), and looks at what it has written: no
    /// weight may be negative.
    pub fn refill(&mut self, trials: usize, segments: usize, write: impl FnOnce(&mut [i16])) {
        self.cells.resize(trials * segments, 0);
        write(&mut self.cells);
        self.sums.clear();
        self.sums.extend(self.cells.chunks_exact(segments).map(sum_of));
        self.heaviest = self.cells.iter().fold(0, |heaviest, &weight| heaviest.max(weight));
    }
}

impl Table {
    /// The table of rows given end to end, `width` cells each.
    pub fn new(rows: &[f64], width: usize) -> Self {
        let segments = rows.len() / width;
        let mut table = Self { segments, totals: Vec::new(), columns: Vec::new() };
        let mut whole: Vec<(usize, f64, Vec<i64>)> = Vec::new(); // those with planes
        for column in 0..width {
            let cells: Vec<f64> = rows.iter().skip(column).step_by(width).copied().collect();
            table.totals.push(cells.iter().fold(0.0, |sum, cell| sum + cell));
            let Some((numbers, unit)) = scaled(&cells) else {
                table.columns.push(Column::Loose(cells));
                continue;
            };
            let derived = whole
                .iter()
                .filter(|(_, other_unit, _)| *other_unit == unit)
                .find_map(|(from, _, others)| derive(*from, others, &numbers, unit));
            table.columns.push(derived.unwrap_or_else(|| {
                let planes = planes(numbers.clone());
                whole.push((column, unit, numbers));
                Column::Whole { unit, planes }
            }));
        }
        table
    }

    /// How many segments there are.
    pub fn segments(&self) -> usize {
        self.segments
    }

    /// How many columns there are.
    pub fn width(&self) -> usize {
        self.totals.len()
    }

    /// Writes, for each trial, the sum of weight × row.
    pub fn weigh(&self, weights: &Weights, sums: &mut [f64]) {
        let is_light = weights.heaviest <= HEAVY;
        let width = self.width();
        let mut found = vec![0_i64; weights.sums.len()];
        for (at, column) in self.columns.iter().enumerate() {
            match column {
                Column::Whole { unit, planes } => {
                    found.fill(0);
                    planes.iter().for_each(|plane| plane.weigh(&weights.cells, is_light, &mut found));
                    for (sums, &found) in sums.chunks_exact_mut(width).zip(&found) {
                        sums[at] = unit * found as f64;
                    }
                }
                Column::Derived { unit, from, more, exceptions } => {
                    let trials = weights.cells.chunks_exact(self.segments).zip(&weights.sums);
                    for ((weights, of_weights), sums) in trials.zip(sums.chunks_exact_mut(width)) {
                        let exceptions = exceptions.iter().map(|&(at, add)| i64::from(weights[at as usize]) * add);
                        sums[at] = sums[*from] + unit * (more * of_weights + exceptions.sum::<i64>()) as f64;
                    }
                }
                Column::Loose(cells) => self.weigh_loose(at, cells, &weights.cells, sums, f64::from),
            }
        }
    }

    /// Writes the sums of the rows whose weight is 0, where all weights are 0 or 1 and `sums` has those of the rows
    /// with 1.
    pub fn complement(&self, weights: &Weights, sums: &[f64], others: &mut [f64]) {
        for (sums, others) in sums.chunks_exact(self.width()).zip(others.chunks_exact_mut(self.width())) {
            for ((total, sum), other) in self.totals.iter().zip(sums).zip(others) {
                *other = total - sum;
            }
        }
        for (at, column) in self.columns.iter().enumerate() {
            // Doubles would not forgive the detour over the total.
            if let Column::Loose(cells) = column {
                self.weigh_loose(at, cells, &weights.cells, others, |weight| f64::from(1 - weight));
            }
        }
    }

    fn weigh_loose(&self, at: usize, cells: &[f64], weights: &[i16], sums: &mut [f64], factor: impl Fn(i16) -> f64) {
        for (weights, sums) in weights.chunks_exact(self.segments).zip(sums.chunks_exact_mut(self.width())) {
            let terms = weights.iter().zip(cells).map(|(&weight, cell)| factor(weight) * cell);
            sums[at] = terms.fold(0.0, |sum, term| sum + term);
        }
    }
}

impl Plane {
    /// Adds the sums of weight × cell, for each trial.
    fn weigh(&self, weights: &[i16], is_light: bool, found: &mut [i64]) {
        let segments = self.cells.len();
        let mut start = 0;
        while is_light && start + 4 <= found.len() {
            let trials: [&[i16]; 4] = std::array::from_fn(|at| &weights[(start + at) * segments..][..segments]);
            let sums = light_dots(trials, &self.cells);
            found[start..].iter_mut().zip(sums).for_each(|(found, sum)| *found += sum << self.shift);
            start += 4;
        }
        let dot = if is_light { |weights: &[i16], cells: &[i16]| light_dots([weights], cells)[0] } else { heavy_dot };
        for (found, weights) in found.iter_mut().zip(weights.chunks_exact(segments)).skip(start) {
            *found += dot(weights, &self.cells) << self.shift;
        }
    }
}

/// The cells as whole numbers of a unit, if any sum of as many cells is exact.
fn scaled(cells: &[f64]) -> Option<(Vec<i64>, f64)> {
    let scale = scale_of(cells.iter().copied(), cells.len(), EXACT)?;
    Some((cells.iter().map(|cell| (cell * scale) as i64).collect(), 1.0 / scale))
}

/// The power of two that makes all cells whole, if it is small, and so is any sum of `count` of them.
pub(super) fn scale_of(cells: impl Iterator<Item = f64> + Clone, count: usize, most: f64) -> Option<f64> {
    let mut scales = (0..=MOST_FRACTION_BITS).map(|bits| f64::from(1_u32 << bits));
    let scale = scales.find(|scale| cells.clone().all(|cell| (cell * scale).fract() == 0.0))?;
    let largest = cells.fold(0.0_f64, |largest, cell| largest.max((cell * scale).abs()));
    (largest * count as f64 <= most).then_some(scale)
}

fn planes(mut numbers: Vec<i64>) -> Vec<Plane> {
    let mut planes = Vec::new();
    let mut shift = 0;
    while !numbers.iter().all(|&number| i16::try_from(number).is_ok()) {
        let cells = numbers.iter().map(|number| number.rem_euclid(1 << PLANE_BITS) as i16).collect();
        planes.push(Plane { shift, cells });
        numbers.iter_mut().for_each(|number| *number >>= PLANE_BITS);
        shift += PLANE_BITS;
    }
    planes.push(Plane { shift, cells: numbers.iter().map(|&number| number as i16).collect() });
    planes
}

/// The column as another one plus a constant, if that is nearly true.
fn derive(from: usize, others: &[i64], numbers: &[i64], unit: f64) -> Option<Column> {
    let mut differences: Vec<i64> = numbers.iter().zip(others).map(|(number, other)| number - other).collect();
    let middle = differences.len() / 2;
    let more = *differences.clone().select_nth_unstable(middle).1;
    differences.iter_mut().for_each(|difference| *difference -= more);
    let exceptions: Vec<_> = (0..).zip(differences).filter(|&(_, add)| add != 0).collect();
    (exceptions.len() <= numbers.len() / REGULAR).then_some(Column::Derived { unit, from, more, exceptions })
}

fn sum_of(weights: &[i16]) -> i64 {
    weights.chunks(BLOCK).map(|block| i64::from(block.iter().map(|&weight| i32::from(weight)).sum::<i32>())).sum()
}

/// The sums of weight × cell, for several trials. The compiler makes this `pmaddwd`: eight products and four sums at
/// once.
fn light_dots<const N: usize>(trials: [&[i16]; N], cells: &[i16]) -> [i64; N] {
    let mut sums = [0; N];
    for (block, cells) in cells.chunks(BLOCK).enumerate() {
        let weights = trials.map(|weights| &weights[block * BLOCK..][..cells.len()]);
        let mut found = [0_i32; N];
        for at in 0..cells.len() {
            for trial in 0..N {
                found[trial] += i32::from(weights[trial][at]) * i32::from(cells[at]);
            }
        }
        sums.iter_mut().zip(found).for_each(|(sum, found)| *sum += i64::from(found));
    }
    sums
}

/// The sum of weight × cell where a segment was drawn more than 64 times. That is hardly ever seen, but counted right.
fn heavy_dot(weights: &[i16], cells: &[i16]) -> i64 {
    weights.iter().zip(cells).map(|(&weight, &cell)| i64::from(weight) * i64::from(cell)).sum()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::metric::Formula;
    use proptest::prelude::*;

    /// One column by another.
    pub struct Ratio;

    impl Formula for Ratio {
        fn width(&self) -> usize {
            2
        }

        fn score(&self, totals: &[f64]) -> f64 {
            totals[0] / totals[1].abs().max(1.0)
        }
    }

    fn weights(cells: &[i16], segments: usize) -> Weights {
        let mut weights = Weights::default();
        weights.refill(cells.len() / segments, segments, |room| room.copy_from_slice(cells));
        weights
    }

    /// The obvious sum, in the order of the segments.
    pub fn naive_sums(rows: &[f64], width: usize, weights: &[i16]) -> Vec<f64> {
        let mut sums = vec![0.0; width];
        for (row, &weight) in rows.chunks_exact(width).zip(weights) {
            for (sum, cell) in sums.iter_mut().zip(row) {
                *sum += f64::from(weight) * cell;
            }
        }
        sums
    }

    /// Cells of every kind: small, large, negative, halves, thirds.
    pub fn cells() -> impl Strategy<Value = f64> {
        prop_oneof![
            (0_i64..100).prop_map(|cell| cell as f64),
            (-40_000_i64..3_000_000_000).prop_map(|cell| cell as f64),
            (0_i64..1000).prop_map(|cell| cell as f64 / 4.0),
            (0_i64..1000).prop_map(|cell| cell as f64 / 3.0),
            -1.0..1.0,
        ]
    }

    /// Rows whose columns are each of one kind, as real ones are.
    pub fn rows(segments: usize, width: usize) -> impl Strategy<Value = Vec<f64>> {
        let column = || {
            prop_oneof![
                proptest::collection::vec((0_i64..90).prop_map(|cell| cell as f64), segments),
                proptest::collection::vec((-70_000_i64..3_000_000_000).prop_map(|cell| cell as f64), segments),
                proptest::collection::vec((0_i64..999).prop_map(|cell| cell as f64 / 4.0), segments),
                proptest::collection::vec(cells(), segments),
            ]
        };
        proptest::collection::vec(column(), width).prop_map(move |columns| {
            (0..segments).flat_map(|at| columns.iter().map(move |column| column[at]).collect::<Vec<_>>()).collect()
        })
    }

    proptest! {
        #[test]
        fn weighing_is_the_obvious_sum(
            rows in rows(37, 3), weights in proptest::collection::vec(0_i16..90, 2 * 37)
        ) {
            let mut sums = vec![f64::NAN; 6];
            Table::new(&rows, 3).weigh(&self::weights(&weights, 37), &mut sums);
            let expected: Vec<f64> = weights.chunks(37).flat_map(|weights| naive_sums(&rows, 3, weights)).collect();
            prop_assert_eq!(expected, sums);
        }

        #[test]
        fn the_complement_is_the_sum_with_the_other_weights(
            rows in rows(21, 2), weights in proptest::collection::vec(0_i16..2, 21)
        ) {
            let table = Table::new(&rows, 2);
            let (mut sums, mut others) = (vec![0.0; 2], vec![0.0; 2]);
            let shuffled = self::weights(&weights, 21);
            table.weigh(&shuffled, &mut sums);
            table.complement(&shuffled, &sums, &mut others);
            let other_weights: Vec<i16> = weights.iter().map(|weight| 1 - weight).collect();
            prop_assert_eq!(naive_sums(&rows, 2, &other_weights), others);
        }
    }

    proptest! {
        #[test]
        fn a_derived_column_sums_as_any_other(
            first in proptest::collection::vec(0_i64..80, 64), more in -3_i64..3, odd in 0_usize..70,
            weights in proptest::collection::vec(0_i16..5, 64)
        ) {
            let second = |at: usize| if at == odd { 7 } else { first[at] + more };
            let rows: Vec<f64> = (0..64).flat_map(|at| [first[at] as f64, second(at) as f64]).collect();
            let table = Table::new(&rows, 2);
            let is_derived = matches!(table.columns[1], Column::Derived { .. });
            prop_assert!(is_derived);
            let mut sums = vec![0.0; 2];
            table.weigh(&self::weights(&weights, 64), &mut sums);
            prop_assert_eq!(naive_sums(&rows, 2, &weights), sums);
        }
    }

    #[test]
    fn heavy_weights_do_not_overflow() {
        let rows = vec![32767.0; 5000];
        let weights = vec![i16::MAX; 5000];
        let mut sums = vec![0.0];
        Table::new(&rows, 1).weigh(&self::weights(&weights, 5000), &mut sums);
        assert_eq!(vec![32767.0 * 32767.0 * 5000.0], sums);
    }

    #[test]
    fn light_weights_just_fit() {
        for cell in [32767.0, -32768.0] {
            let rows = vec![cell; BLOCK];
            let mut sums = vec![0.0];
            Table::new(&rows, 1).weigh(&weights(&[HEAVY; BLOCK], BLOCK), &mut sums);
            assert_eq!(vec![cell * 65536.0], sums);
        }
    }
}
