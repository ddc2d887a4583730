//! Rows in the shape that weighted sums like: by column, in small whole numbers.
//!
//! Nearly every column holds whole numbers that fit 16 bits. The sum of weight × cell over such a column is one machine
//! instruction for eight segments, and exact. Larger numbers are cut into planes of 15 bits; halves and quarters (mean
//! lengths over two or four references) are scaled up to whole numbers first. What is left, such as thirds and scores from outside, stays in
//! doubles and is added in the order of the segments, so that a sum means the same everywhere.
//!
//! A gather of rows by drawn index was tried and needs as long for one system of BLEU, but grows with every system and
//! metric that shares the draws, while weights are counted once.

/// The cells of a system, and their totals.
#[derive(Clone, Debug)]
pub struct Table {
    segments: usize,
    totals: Vec<f64>,
    planes: Vec<Plane>,
    loose: Vec<Loose>,
}

/// A part of a column: `unit` times a small number for each segment.
#[derive(Clone, Debug)]
struct Plane {
    column: usize,
    unit: f64,
    cells: Vec<i16>,
}

/// A column of doubles.
#[derive(Clone, Debug)]
struct Loose {
    column: usize,
    cells: Vec<f64>,
}

const PLANE_BITS: u32 = 15;
const MOST_FRACTION_BITS: u32 = 12;

/// Sums up to here are exact in doubles.
const EXACT: f64 = (1_u64 << 53) as f64;

/// In blocks of this many segments, 32 bits hold any sum of cells with weights up to `HEAVY`.
const BLOCK: usize = 1024;
const HEAVY: i16 = 64;

impl Table {
    /// The table of rows given end to end, `width` cells each.
    pub fn new(rows: &[f64], width: usize) -> Self {
        let segments = rows.len() / width;
        let mut table = Self { segments, totals: vec![0.0; width], planes: Vec::new(), loose: Vec::new() };
        for column in 0..width {
            let cells: Vec<f64> = rows.iter().skip(column).step_by(width).copied().collect();
            table.totals[column] = cells.iter().sum();
            match scaled(&cells) {
                Some((numbers, unit)) => table.push_planes(column, numbers, unit),
                None => table.loose.push(Loose { column, cells }),
            }
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

    /// The sums of all rows, added in the order of the segments.
    pub fn totals(&self) -> &[f64] {
        &self.totals
    }

    /// Writes, for each trial, the sum of weight × row; `weights` has one weight a segment, trial after trial.
    pub fn weigh(&self, weights: &[i16], sums: &mut [f64]) {
        sums.fill(0.0);
        let width = self.width();
        for plane in &self.planes {
            for (weights, sums) in weights.chunks_exact(self.segments).zip(sums.chunks_exact_mut(width)) {
                sums[plane.column] += plane.unit * dot(weights, &plane.cells) as f64;
            }
        }
        self.weigh_loose(weights, sums, f64::from);
    }

    /// Writes the sums of the rows whose weight is 0, where all weights are 0 or 1 and `sums` has those of the rows with 1.
    pub fn complement(&self, weights: &[i16], sums: &[f64], others: &mut [f64]) {
        for (sums, others) in sums.chunks_exact(self.width()).zip(others.chunks_exact_mut(self.width())) {
            for ((total, sum), other) in self.totals.iter().zip(sums).zip(others) {
                *other = total - sum;
            }
        }
        // Doubles would not forgive the detour over the total.
        self.weigh_loose(weights, others, |weight| f64::from(1 - weight));
    }

    fn weigh_loose(&self, weights: &[i16], sums: &mut [f64], factor: impl Fn(i16) -> f64) {
        for loose in &self.loose {
            for (weights, sums) in weights.chunks_exact(self.segments).zip(sums.chunks_exact_mut(self.width())) {
                let terms = weights.iter().zip(&loose.cells).map(|(&weight, cell)| factor(weight) * cell);
                sums[loose.column] = terms.fold(0.0, |sum, term| sum + term);
            }
        }
    }

    fn push_planes(&mut self, column: usize, mut numbers: Vec<i64>, mut unit: f64) {
        let fits = |number: &i64| i16::try_from(*number).is_ok();
        while !numbers.iter().all(fits) {
            let low = 1 << PLANE_BITS;
            let cells = numbers.iter().map(|number| number.rem_euclid(low) as i16).collect();
            self.planes.push(Plane { column, unit, cells });
            numbers.iter_mut().for_each(|number| *number >>= PLANE_BITS);
            unit *= low as f64;
        }
        if numbers.iter().any(|&number| number != 0) {
            let cells = numbers.iter().map(|&number| number as i16).collect();
            self.planes.push(Plane { column, unit, cells });
        }
    }
}

/// The cells as whole numbers of a unit, if any sum of as many cells is exact.
fn scaled(cells: &[f64]) -> Option<(Vec<i64>, f64)> {
    let bits = (0..=MOST_FRACTION_BITS).find(|&bits| {
        let scale = f64::from(1_u32 << bits);
        cells.iter().all(|cell| (cell * scale).fract() == 0.0)
    })?;
    let scale = f64::from(1_u32 << bits);
    let largest = cells.iter().fold(0.0_f64, |largest, cell| largest.max((cell * scale).abs()));
    let exact = largest * cells.len() as f64 <= EXACT;
    exact.then(|| (cells.iter().map(|cell| (cell * scale) as i64).collect(), 1.0 / scale))
}

/// The sum of weight × cell.
fn dot(weights: &[i16], cells: &[i16]) -> i64 {
    let blocks = weights.chunks(BLOCK).zip(cells.chunks(BLOCK));
    blocks
        .map(|(weights, cells)| if is_light(weights) { light_dot(weights, cells) } else { heavy_dot(weights, cells) })
        .sum()
}

fn is_light(weights: &[i16]) -> bool {
    weights.iter().fold(0, |heaviest, &weight| heaviest.max(weight)) <= HEAVY
}

/// The compiler makes this `pmaddwd`: eight products and four sums at once.
fn light_dot(weights: &[i16], cells: &[i16]) -> i64 {
    i64::from(weights.iter().zip(cells).map(|(&weight, &cell)| i32::from(weight) * i32::from(cell)).sum::<i32>())
}

/// A segment drawn more than 64 times: hardly ever seen, but counted right.
fn heavy_dot(weights: &[i16], cells: &[i16]) -> i64 {
    weights.iter().zip(cells).map(|(&weight, &cell)| i64::from(weight) * i64::from(cell)).sum()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

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
            Table::new(&rows, 3).weigh(&weights, &mut sums);
            let expected: Vec<f64> = weights.chunks(37).flat_map(|weights| naive_sums(&rows, 3, weights)).collect();
            prop_assert_eq!(expected, sums);
        }

        #[test]
        fn the_complement_is_the_sum_with_the_other_weights(
            rows in rows(21, 2), weights in proptest::collection::vec(0_i16..2, 21)
        ) {
            let table = Table::new(&rows, 2);
            let (mut sums, mut others) = (vec![0.0; 2], vec![0.0; 2]);
            table.weigh(&weights, &mut sums);
            table.complement(&weights, &sums, &mut others);
            let other_weights: Vec<i16> = weights.iter().map(|weight| 1 - weight).collect();
            prop_assert_eq!(naive_sums(&rows, 2, &other_weights), others);
        }
    }

    #[test]
    fn heavy_weights_do_not_overflow() {
        let rows = vec![32767.0; 5000];
        let weights = vec![i16::MAX; 5000];
        let mut sums = vec![0.0];
        Table::new(&rows, 1).weigh(&weights, &mut sums);
        assert_eq!(vec![32767.0 * 32767.0 * 5000.0], sums);
    }

    #[test]
    fn light_weights_just_fit() {
        for cell in [32767.0, -32768.0] {
            let rows = vec![cell; BLOCK];
            let mut sums = vec![0.0];
            Table::new(&rows, 1).weigh(&vec![HEAVY; BLOCK], &mut sums);
            assert_eq!(vec![cell * 65536.0], sums);
        }
    }
}
