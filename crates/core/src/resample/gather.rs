//! Sums of drawn rows by gathering them: one addition of eight cells for each draw.
//!
//! Rows are kept as their differences from a typical one, in lanes of 16 bits: that makes them small, and a column that
//! is another plus a constant, as the bigrams of a segment are its tokens less one, takes no lane. What is added for a
//! draw is one vector, or two; after so many draws as 16 bits are sure to hold, it goes into doubles. Cells are whole
//! numbers, and no sum of them is rounded, so the order of additions does not matter.
//!
//! What it costs: a draw and a vector take a quarter of a nanosecond as long as the rows stay in the nearest cache. To
//! count how often each segment was drawn takes a little more, and to weigh the rows of a system then a little more
//! again ([`super::table`]); but draws are counted once for all systems. So rows are gathered where there are few of
//! them and vectors are few, and weighed elsewhere.

use super::System;
use super::lanes::{LARGEST, Lanes, Vector};
use super::table::scale_of;

/// The rows of a system, to be gathered.
pub(super) struct Gathered {
    lanes: Lanes,
    /// For each eight lanes, how many draws are sure not to overflow.
    periods: Vec<usize>,
    /// What as many typical rows as there are segments add up to.
    typical: Vec<f64>,
}

/// A larger difference is cut into planes.
const LARGEST_DIFFERENCE: i64 = 2047;

/// So many vectors of all rows stay in the nearest cache, or not far from it.
const MOST_VECTORS: usize = 1 << 13;

impl Gathered {
    /// The rows, if they are whole numbers and few.
    pub fn new(system: &System<'_>) -> Option<Self> {
        let (segments, width) = (system.segments(), system.width());
        let column = |cell: usize| system.cells.iter().skip(cell).step_by(width).copied();
        let typical = &system.cells[typical_row(&column(0).collect::<Vec<_>>()) * width..][..width];
        let mut lanes = Lanes::new(segments);
        for (cell, typical) in typical.iter().enumerate() {
            let scale = scale_of(column(cell), segments, LARGEST)?;
            let numbers: Vec<i64> = column(cell).map(|other| ((other - typical) * scale) as i64).collect();
            if numbers.iter().any(|&number| number != 0) {
                lanes.push(cell, 1.0 / scale, numbers, |numbers| {
                    numbers.iter().all(|number| number.abs() <= LARGEST_DIFFERENCE)
                });
            }
        }
        let largest = |rows: &Vec<Vector>| rows.iter().flat_map(|row| row.0).map(i16::unsigned_abs).max().unwrap_or(0);
        let periods = lanes.vectors().iter().map(|rows| usize::from(i16::MAX as u16 / largest(rows).max(1)));
        let typical = typical.iter().map(|cell| cell * segments as f64).collect();
        let gathered = Self { periods: periods.collect(), lanes, typical };
        (gathered.vectors() * segments <= MOST_VECTORS).then_some(gathered)
    }

    /// How many vectors are added for each draw.
    pub fn vectors(&self) -> usize {
        self.lanes.vectors().len()
    }

    /// Writes the sums of the rows that each of some trials has drawn, cell by cell.
    pub fn sum(&self, drawn: &[u32], trials: usize, short: &mut Vec<Vector>, sums: &mut [f64]) {
        let draws = drawn.len() / trials;
        sums.chunks_exact_mut(trials).zip(&self.typical).for_each(|(sums, typical)| sums.fill(*typical));
        short.resize(trials, Vector::default());
        for (at, (rows, &period)) in self.lanes.vectors().iter().zip(&self.periods).enumerate() {
            for first in (0..draws).step_by(period) {
                for (short, drawn) in short.iter_mut().zip(drawn.chunks_exact(draws)) {
                    *short = gather(rows, &drawn[first..draws.min(first + period)]);
                }
                self.lanes.add_sums(at, short, sums, trials);
            }
        }
    }
}

/// A row whose first cell is neither large nor small.
fn typical_row(cells: &[f64]) -> usize {
    let mut rows: Vec<usize> = (0..cells.len()).collect();
    let middle = rows.len() / 2;
    *rows.select_nth_unstable_by(middle, |&one, &other| cells[one].total_cmp(&cells[other])).1
}

/// Four sums, because an addition waits for the one before it.
fn gather(rows: &[Vector], drawn: &[u32]) -> Vector {
    let (fours, rest) = drawn.as_chunks::<4>();
    let sums = fours
        .iter()
        .fold([Vector::default(); 4], |sums, four| std::array::from_fn(|at| sums[at].plus(rows[four[at] as usize])));
    let rest = rest.iter().map(|&row| rows[row as usize]);
    sums.into_iter().chain(rest).fold(Vector::default(), Vector::plus)
}
