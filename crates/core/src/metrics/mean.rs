//! The mean of scores that came from elsewhere: a learned metric, a judge, a person.
//!
//! A row is `[score, 1]`, so that sums, resamples and groups of rows work as for any other metric.
//!
//! Metrics whose corpus score is the mean of their segments' scores keep each score in three cells, see [`split`], so
//! that a sum of rows is the same to the last bit in whatever order they are added: two shuffles of an approximate
//! randomization that tie must tie in bits, or p-values would hang on the order of addition.

use crate::metric::Formula;

/// The mean.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mean;

/// Where the cells of a row are.
const SCORES: usize = 0;
const COUNT: usize = 1;
const WIDTH: usize = 2;

impl Formula for Mean {
    fn width(&self) -> usize {
        WIDTH
    }

    /// The mean; 0 where there is nothing to take it of.
    fn score(&self, totals: &[f64]) -> f64 {
        if totals[COUNT] > 0.0 { totals[SCORES] / totals[COUNT] } else { 0.0 }
    }
}

/// The cells that hold one score of [`split`].
pub const EXACT_CELLS: usize = 3;

/// What one is worth in the cells: 2⁻²⁶, 2⁻⁵² and 2⁻⁷⁸, each as its inverse.
const UNITS: [f64; EXACT_CELLS] = [(1_u64 << 26) as f64, (1_u64 << 52) as f64, (1_u128 << 78) as f64];

/// A score from 0 to 1 as three whole numbers of 26 bits, so that 2²⁶ rows add without rounding, and travel as whole
/// numbers. (The last is not whole below 2⁻²⁶; no texts are long enough for such a quotient of counts.)
pub fn split(score: f64) -> [f64; EXACT_CELLS] {
    // Scores are not negative, so that to cut the digits after the point is to round down.
    let cut = |value: f64, unit: f64| (value * unit) as u64 as f64;
    let high = cut(score, UNITS[0]);
    let rest = score - high / UNITS[0];
    let middle = cut(rest, UNITS[1]);
    [high, middle, (rest - middle / UNITS[1]) * UNITS[2]]
}

/// The mean of scores whose cells were added; 0 where there is nothing to take it of.
pub fn exact_mean(cells: &[f64], count: f64) -> f64 {
    let sum = cells[0] / UNITS[0] + (cells[1] / UNITS[1] + cells[2] / UNITS[2]);
    if count > 0.0 { sum / count } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Scores as texts have them: F of counts.
    fn scores() -> impl Strategy<Value = Vec<f64>> {
        let score = (0_u32..200, 1_u32..200, 1_u32..200).prop_map(|(hits, own, theirs)| {
            let (precision, recall) = (f64::from(hits.min(own)) / f64::from(own), f64::from(hits) / f64::from(theirs));
            let recall = recall.min(1.0);
            if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
        });
        prop::collection::vec(score, 1..300)
    }

    fn sum<'a>(scores: impl Iterator<Item = &'a f64>) -> [f64; EXACT_CELLS] {
        scores.fold([0.0; EXACT_CELLS], |sums, &score| {
            let cells = split(score);
            [sums[0] + cells[0], sums[1] + cells[1], sums[2] + cells[2]]
        })
    }

    proptest! {
        #[test]
        fn one_row_gives_its_score_back(score in 0.0_f64..=1.0) {
            prop_assert_eq!(score, exact_mean(&split(score), 1.0));
            prop_assert!(split(score).iter().all(|&cell| cell >= 0.0));
        }

        #[test]
        fn rows_add_up_to_the_same_bits_in_any_order(scores in scores()) {
            let forward = sum(scores.iter());
            let mut sorted = scores.clone();
            sorted.sort_by(f64::total_cmp);
            let (left, right) = (sum(scores[..scores.len() / 2].iter()), sum(scores[scores.len() / 2..].iter()));
            prop_assert_eq!(forward, sum(scores.iter().rev()));
            prop_assert_eq!(forward, sum(sorted.iter()));
            prop_assert_eq!(forward, [0, 1, 2].map(|cell| left[cell] + right[cell]));
        }

        #[test]
        fn the_sum_is_the_exact_one_rounded_once(scores in scores()) {
            // In units of 2⁻⁷⁸, 300 scores fit into 128 bits.
            let whole = |score: &f64| {
                let [high, middle, low] = split(*score).map(|cell| cell as u128);
                (high << 52) + (middle << 26) + low
            };
            let exact: u128 = scores.iter().map(whole).sum();
            prop_assert_eq!(exact as f64 / UNITS[2], exact_mean(&sum(scores.iter()), 1.0));
            prop_assert!(scores.iter().flat_map(|&score| split(score)).all(|cell| cell.fract() == 0.0));
        }
    }

    #[test]
    fn exact_means_of_ends_and_of_nothing() {
        assert_eq!([UNITS[0], 0.0, 0.0], split(1.0));
        assert_eq!([0.0; EXACT_CELLS], split(0.0));
        assert_eq!(0.0, exact_mean(&[0.0; EXACT_CELLS], 0.0));
        assert_eq!(1e-300, exact_mean(&split(1e-300), 1.0));
    }

    #[test]
    fn the_mean_of_nothing_is_zero() {
        assert_eq!(0.0, Mean.score(&[0.0, 0.0]));
        assert_eq!((0.25, 0.5), (Mean.score(&[0.5, 2.0]), Mean.score(&[0.5, 1.0])));
        assert_eq!(2, Mean.width());
    }
}
