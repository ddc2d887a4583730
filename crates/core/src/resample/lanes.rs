//! Columns of whole numbers side by side in lanes of 16 bits, eight of which are added at once.
//!
//! A column that repeats another one takes no lane: a segment has as many unigrams as it has tokens, and where two
//! systems differ, their bigrams differ as much as their unigrams, unless one of them says nothing. Numbers that are
//! too large for a lane are cut into planes of nine bits, each with a lane of its own.

/// How many lanes a vector has.
pub(super) const LANES: usize = 8;

/// A row, or a sum of rows, in eight lanes.
pub(super) type Vector = [i16; LANES];

/// So many rows can be added without overflow where a column has been cut into planes.
pub(super) const BLOCK: usize = 64;

/// `BLOCK` numbers of so many bits have a sum of less than 2^15.
const PLANE_BITS: u32 = 9;

/// Rows in lanes.
pub(super) struct Lanes {
    rows: usize,
    used: usize,
    /// The rows of each eight lanes.
    vectors: Vec<Vec<Vector>>,
    /// For each eight lanes, what their sums add to those of cells.
    terms: Vec<Vec<Term>>,
}

/// What the sum of a lane adds to the sum of a cell.
struct Term {
    lane: usize,
    cell: usize,
    factor: f64,
}

impl Lanes {
    /// No lanes yet, of so many rows.
    pub fn new(rows: usize) -> Self {
        Self { rows, used: 0, vectors: Vec::new(), terms: Vec::new() }
    }

    /// The rows of each eight lanes.
    pub fn vectors(&self) -> &[Vec<Vector>] {
        &self.vectors
    }

    /// Puts the numbers of a cell, of which all rows hold multiples of `unit`, into a lane, or into several if they do
    /// not fit.
    pub fn push(&mut self, cell: usize, unit: f64, mut numbers: Vec<i64>, fits: impl Fn(&[i64]) -> bool) {
        if let Some(lane) = (0..self.used).find(|&lane| self.holds(lane, &numbers)) {
            return self.terms[lane / LANES].push(Term { lane: lane % LANES, cell, factor: unit });
        }
        let mut factor = unit;
        while !fits(&numbers) {
            self.push_lane(cell, factor, numbers.iter().map(|number| number.rem_euclid(1 << PLANE_BITS)));
            numbers.iter_mut().for_each(|number| *number >>= PLANE_BITS);
            factor *= f64::from(1 << PLANE_BITS);
        }
        self.push_lane(cell, factor, numbers.into_iter());
    }

    /// Adds the sums of some rows, those of the `at`th eight lanes, to the sums of cells.
    #[inline]
    pub fn add_sums(&self, at: usize, sums: &Vector, cells: &mut [f64]) {
        for &Term { lane, cell, factor } in &self.terms[at] {
            cells[cell] += factor * f64::from(sums[lane]);
        }
    }

    fn holds(&self, lane: usize, numbers: &[i64]) -> bool {
        let rows = &self.vectors[lane / LANES];
        rows.iter().zip(numbers).all(|(row, &number)| i64::from(row[lane % LANES]) == number)
    }

    fn push_lane(&mut self, cell: usize, factor: f64, numbers: impl Iterator<Item = i64>) {
        let (at, lane) = (self.used / LANES, self.used % LANES);
        if lane == 0 {
            self.vectors.push(vec![[0; LANES]; self.rows]);
            self.terms.push(Vec::new());
        }
        self.vectors[at].iter_mut().zip(numbers).for_each(|(row, number)| row[lane] = number as i16);
        self.terms[at].push(Term { lane, cell, factor });
        self.used += 1;
    }
}
