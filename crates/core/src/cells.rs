//! One row of a table of distances, 64 cells to a machine word: the two steps that all distances here are made of.
//!
//! Neighbouring cells of a row differ by at most one, so 64 of them are two bit vectors: where a cell costs one more
//! than its left neighbour, and where one less. From one row to the next takes about fifteen operations (Myers, *A fast
//! bit-vector algorithm for approximate string matching based on dynamic programming*, J. ACM 46, 1999; in the form
//! with blocks and for the distance between whole sequences of Hyyrö 2003). Where nothing is substituted, one bit a
//! cell is enough, and an addition (Hyyrö, *Bit-parallel LCS-length computation revisited*, 2004).
//!
//! What departs from the paper: a row is one chain of operations that wait for each other. Written with the complement
//! of its `Ph`, the chain is seven operations long instead of eleven.

/// Cells in a machine word.
pub const BITS: usize = u64::BITS as usize;

/// 64 cells of a row, each compared with its left neighbour.
pub trait Cells: Copy {
    /// What is handed on from a block to the next one of the same row.
    type Carry: Copy;
    /// Row 0, where every cell costs one more than its left neighbour.
    const START: Self;
    /// What is handed to the first block of a row, whose left edge costs one more than in the row above.
    const EDGE: Self::Carry;

    /// Goes down one row, given which columns end in a match.
    fn advance(self, matches: u64, carry: Self::Carry) -> (Self, Self::Carry);

    /// By how much the last of the cells under `mask` costs more than the edge.
    fn sum(self, mask: u64) -> isize;
}

/// Goes down one row in all blocks.
pub fn one_row<C: Cells>(blocks: &mut [C], matches: &[u64]) {
    let mut carry = C::EDGE;
    for (cells, &matches) in blocks.iter_mut().zip(matches) {
        (*cells, carry) = cells.advance(matches, carry);
    }
}

/// 64 cells of a row of edit distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deltas {
    /// Cells that cost one more than their left neighbour.
    pub more: u64,
    /// Cells that cost one less.
    pub less: u64,
}

/// The cell at a block's left edge, compared with the cell above it: one more, one less, or neither.
#[derive(Clone, Copy)]
pub struct Carry {
    /// 1 if it costs one more, else 0.
    pub more: u64,
    /// 1 if it costs one less, else 0.
    pub less: u64,
}

/// What is known of 64 cells after a step.
pub struct Stepped {
    /// The cells of the next row.
    pub cells: Deltas,
    /// What the next block is handed.
    pub carry: Carry,
    /// Cells that cost no more than the cell above their left neighbour.
    pub as_corner: u64,
    /// Cells that cost no more than the cell above them.
    pub not_down: u64,
}

impl Deltas {
    /// Goes down one row in these 64 columns, given which of them end in a match.
    #[inline(always)]
    pub fn step(self, matches: u64, carry: Carry) -> Stepped {
        let Self { more, less } = self;
        let matches_or_less = matches | less;
        let matches_in = matches | carry.less;
        let sum = (matches_in & more).wrapping_add(more);
        // Cells compared with those above: the paper's `!Ph` and `Mh`, then both moved up to take in the carry.
        let not_down = (sum | more | matches_in) & !less;
        let up = more & (!sum | matches_in);
        let not_down_left = (not_down << 1) | (carry.more ^ 1);
        let up_left = (up << 1) | carry.less;
        Stepped {
            cells: Self { more: up_left | (!matches_or_less & not_down_left), less: matches_or_less & !not_down_left },
            carry: Carry { more: !not_down >> (BITS - 1), less: up >> (BITS - 1) },
            as_corner: (sum ^ more) | matches_in | less,
            not_down,
        }
    }
}

impl Cells for Deltas {
    type Carry = Carry;

    const START: Self = Self { more: !0, less: 0 };

    /// At the left edge every row is one step more than the row above.
    const EDGE: Carry = Carry { more: 1, less: 0 };

    #[inline(always)]
    fn advance(self, matches: u64, carry: Carry) -> (Self, Carry) {
        let Stepped { cells, carry, .. } = self.step(matches, carry);
        (cells, carry)
    }

    #[inline]
    fn sum(self, mask: u64) -> isize {
        (self.more & mask).count_ones() as isize - (self.less & mask).count_ones() as isize
    }
}

/// 64 cells of a row where there are no substitutions: a clear bit is a cell that has one match more than its left
/// neighbour, and so costs one less; all others cost one more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Unmatched(pub u64);

impl Unmatched {
    /// How many cells have one match more than their left neighbour. Cells beyond the pattern have none.
    pub fn matches(self) -> usize {
        self.0.count_zeros() as usize
    }
}

impl Cells for Unmatched {
    type Carry = bool;

    const START: Self = Self(!0);
    const EDGE: bool = false;

    #[inline(always)]
    fn advance(self, matches: u64, carry: bool) -> (Self, bool) {
        let (sum, over) = self.0.overflowing_add(self.0 & matches);
        let (sum, over_again) = sum.overflowing_add(u64::from(carry));
        (Self(sum | (self.0 & !matches)), over | over_again)
    }

    #[inline]
    fn sum(self, mask: u64) -> isize {
        (self.0 & mask).count_ones() as isize - (!self.0 & mask).count_ones() as isize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The cells of the next row, each as a plain number, from those of a row and its left edge.
    fn plain_step(above: &[i64], edge: i64, matches: u64, is_edit: bool) -> Vec<i64> {
        let mut row = vec![edge];
        for at in 1..above.len() {
            let corner = if matches >> (at - 1) & 1 == 1 { Some(above[at - 1]) } else { None };
            let pair = corner.or(is_edit.then_some(above[at - 1] + 1));
            row.push((row[at - 1] + 1).min(above[at] + 1).min(pair.unwrap_or(i64::MAX)));
        }
        row
    }

    fn check<C: Cells>(rows: &[u64], is_edit: bool, fields: impl Fn(C, u64, C::Carry, &[i64], &[i64])) {
        let (mut cells, mut above) = (C::START, (0..=BITS as i64).collect::<Vec<_>>());
        for (number, &matches) in (1..).zip(rows) {
            let row = plain_step(&above, number, matches, is_edit);
            fields(cells, matches, C::EDGE, &above, &row);
            cells = cells.advance(matches, C::EDGE).0;
            for at in 1..=BITS {
                assert_eq!(row[at] - row[0], cells.sum(!0 >> (BITS - at)) as i64);
            }
            above = row;
        }
    }

    proptest! {
        #[test]
        fn bits_are_the_table(rows in prop::collection::vec(prop_oneof![any::<u64>(), Just(0), Just(!0)], 1..40)) {
            check::<Deltas>(&rows, true, |cells, matches, carry, above, row| {
                let found = cells.step(matches, carry);
                for at in 0..BITS {
                    assert_eq!(row[at + 1] <= above[at], found.as_corner >> at & 1 == 1);
                    assert_eq!(row[at + 1] <= above[at + 1], found.not_down >> at & 1 == 1);
                }
                assert_eq!(row[BITS] - above[BITS], found.carry.more as i64 - found.carry.less as i64);
            });
            check::<Unmatched>(&rows, false, |_, _, _, _, _| {});
        }
    }
}
