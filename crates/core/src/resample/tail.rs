//! How far out a difference lies among its shuffles, without a shuffle.
//!
//! A shuffle gives one system the totals (T + D) / 2 and the other (T − D) / 2, where T is the sum of both systems'
//! rows and D that of their differences, each with a random sign. The score of the one less that of the other is an odd
//! function of D: its second-order terms cancel, and what is left is nearly a sum of numbers with random signs, one a
//! segment, namely the slope of the score at T / 2 times the segment's difference. The variance of such a sum is the
//! sum of the squares. For a metric that is a mean all of this is exact.
//!
//! So the difference can be told in standard deviations of the shuffles. Of two ways to do so, the difference of the
//! scores and the sum of the slopes' terms, the smaller is taken: they part where the score bends between the totals
//! of the two systems.

use super::randomize::Comparison;
use super::{DRAWS, System};
use crate::halt;
use crate::threads::Threads;
use std::convert::Infallible;

/// The difference of each comparison in standard deviations of its shuffles; 0 where they do not differ.
pub fn gaps_in_deviations(systems: &[System<'_>], comparisons: &[Comparison], threads: &Threads) -> Vec<f64> {
    let Ok(found) = threads.map(comparisons.len(), || {
        let mut terms = Vec::new();
        move |at| Ok::<f64, Infallible>(gap_in_deviations(systems, &comparisons[at], &mut terms))
    });
    found
}

fn gap_in_deviations(systems: &[System<'_>], pair: &Comparison, terms: &mut Vec<f64>) -> f64 {
    terms.clear();
    let mut gap = 0.0;
    for (one, other) in pair.baseline.iter().zip(&pair.system).map(|(&one, &other)| (&systems[one], &systems[other])) {
        halt::spend(one.cells.len() / DRAWS);
        terms.resize(one.cells.len() / one.totals.len(), 0.0);
        gap += one.formula.score(&one.totals) - one.formula.score(&other.totals);
        add_terms(one, other, terms);
    }
    let sum: f64 = terms.iter().sum();
    let variance: f64 = terms.iter().map(|term| term * term).sum();
    let found = sum.abs().min(gap.abs()) / variance.sqrt();
    if found.is_finite() { found } else { 0.0 }
}

/// Adds what each segment's difference is worth in scores.
fn add_terms(one: &System<'_>, other: &System<'_>, terms: &mut [f64]) {
    let width = one.totals.len();
    let rows = || one.cells.chunks_exact(width).zip(other.cells.chunks_exact(width));
    let mut squares = vec![0.0; width];
    for (ours, theirs) in rows() {
        for ((square, our), their) in squares.iter_mut().zip(ours).zip(theirs) {
            *square += (our - their) * (our - their);
        }
    }
    let slopes = slopes(one, other, &squares);
    for (term, (ours, theirs)) in terms.iter_mut().zip(rows()) {
        let cells = ours.iter().zip(theirs).zip(&slopes);
        *term += cells.fold(0.0, |sum, ((our, their), slope)| sum + slope * (our - their));
    }
}

/// How much the score rises with each column, halfway between two systems. The steps are a standard deviation of the
/// shuffled totals long, which for counts is never more than the totals themselves.
fn slopes(one: &System<'_>, other: &System<'_>, squares: &[f64]) -> Vec<f64> {
    let mut middle: Vec<f64> =
        one.totals.iter().zip(&other.totals).map(|(ours, theirs)| 0.5 * (ours + theirs)).collect();
    let slope = |(column, square): (usize, &f64)| {
        let (at, step) = (middle[column], 0.5 * square.sqrt());
        if step == 0.0 {
            return 0.0;
        }
        middle[column] = at + step;
        let above = one.formula.score(&middle);
        middle[column] = at - step;
        let below = one.formula.score(&middle);
        middle[column] = at;
        (above - below) / (2.0 * step)
    };
    squares.iter().enumerate().map(slope).collect()
}

#[cfg(test)]
mod tests {
    use super::super::randomize;
    use super::super::table::tests::Ratio;
    use super::*;
    use crate::metric::Formula;
    use proptest::prelude::*;

    /// The first column; the second does not count.
    struct Sum;

    impl Formula for Sum {
        fn width(&self) -> usize {
            2
        }

        fn score(&self, totals: &[f64]) -> f64 {
            totals[0]
        }
    }

    fn found(a: &[f64], b: &[f64], formula: &dyn Formula, threads: usize) -> f64 {
        let systems = [System::new(a, formula), System::new(b, formula)];
        let pairs = [pair(), Comparison { baseline: vec![0, 0], system: vec![1, 1] }];
        let found = gaps_in_deviations(&systems, &pairs, &Threads::new(threads));
        assert!((found[0] - found[1]).abs() < 1e-9, "equal runs count as one");
        found[0]
    }

    fn pair() -> Comparison {
        Comparison { baseline: vec![0], system: vec![1] }
    }

    /// Where all ways of swapping were tried: the share that is as far apart or further.
    fn exact(a: &[f64], b: &[f64]) -> f64 {
        let systems = [System::new(a, &Ratio), System::new(b, &Ratio)];
        let ways = randomize::ways(a.len() / 2);
        let counts = randomize::count_apart(&systems, &[pair()], ways, &randomize::Coins::Every, &Threads::new(1));
        (counts[0].further + counts[0].equally) as f64 / ways as f64
    }

    fn cells(from: i64, to: i64) -> impl Strategy<Value = Vec<f64>> {
        proptest::collection::vec((from..to).prop_map(|cell| cell as f64), 24)
    }

    proptest! {
        #[test]
        fn of_sums_it_is_the_difference_by_the_root_of_the_squares(a in cells(-9, 9), b in cells(-9, 9)) {
            let differences: Vec<f64> = a.iter().zip(&b).step_by(2).map(|(a, b)| a - b).collect();
            let squares: f64 = differences.iter().map(|one| one * one).sum();
            let expected = if squares > 0.0 { differences.iter().sum::<f64>().abs() / squares.sqrt() } else { 0.0 };
            prop_assert!((expected - found(&a, &b, &Sum, 2)).abs() < 1e-9);
        }

        // Chebyshev's bound, which needs no table of the normal distribution; it holds for what is nearly a sum.
        #[test]
        fn so_many_deviations_are_as_rare_as_they_must_be(a in cells(20, 60), b in cells(30, 70)) {
            let deviations = found(&a, &b, &Ratio, 1);
            prop_assert!(deviations < 1.0 || exact(&a, &b) <= 1.1 / (deviations * deviations));
        }
    }

    #[test]
    fn a_system_is_no_deviation_from_its_copy() {
        let rows = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(0.0, found(&rows, &rows, &Ratio, 1));
    }
}
