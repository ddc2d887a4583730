//! Columns of whole numbers side by side in lanes of 16 bits, eight of which are added at once.
//!
//! Rows are differences: of two systems, or of a row from a typical one. A column that repeats another one takes no
//! lane: where one text has so many more tokens than another, it has as many more bigrams, unless one of them says
//! nothing. Numbers that are too large for a lane are cut into planes of nine bits, each with a lane of its own.

/// How many lanes a vector has.
pub(super) const LANES: usize = 8;

/// A row, or a sum of rows, in eight lanes. Aligned, so that it can be added from where it lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(16))]
pub(super) struct Vector(pub [i16; LANES]);

impl Vector {
    /// The sum, lane by lane. Nothing overflows that the caller has not let.
    #[inline]
    pub fn plus(self, other: Self) -> Self {
        Self(std::array::from_fn(|lane| self.0[lane].wrapping_add(other.0[lane])))
    }
}

/// So many rows can be added without overflow where a column has been cut into planes.
pub(super) const BLOCK: usize = 64;

/// Sums up to here, in units, are exact in doubles, and so are differences of differences of them, and planes.
pub(super) const LARGEST: f64 = (1_u64 << 50) as f64;

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

    /// Adds sums of rows, those of the `at`th eight lanes, to sums of cells, which are `stride` apart.
    pub fn add_sums(&self, at: usize, sums: &[Vector], cells: &mut [f64], stride: usize) {
        for &Term { lane, cell, factor } in &self.terms[at] {
            let cells = &mut cells[cell * stride..][..sums.len()];
            cells.iter_mut().zip(sums).for_each(|(cell, sum)| *cell += factor * f64::from(sum.0[lane]));
        }
    }

    fn holds(&self, lane: usize, numbers: &[i64]) -> bool {
        let rows = &self.vectors[lane / LANES];
        rows.iter().zip(numbers).all(|(row, &number)| i64::from(row.0[lane % LANES]) == number)
    }

    fn push_lane(&mut self, cell: usize, factor: f64, numbers: impl Iterator<Item = i64>) {
        let (at, lane) = (self.used / LANES, self.used % LANES);
        if lane == 0 {
            self.vectors.push(vec![Vector::default(); self.rows]);
            self.terms.push(Vec::new());
        }
        self.vectors[at].iter_mut().zip(numbers).for_each(|(row, number)| row.0[lane] = number as i16);
        self.terms[at].push(Term { lane, cell, factor });
        self.used += 1;
    }
}
