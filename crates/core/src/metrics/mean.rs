//! The mean of scores that came from elsewhere: a learned metric, a judge, a person.
//!
//! A row is `[score, 1]`, so that sums, resamples and groups of rows work as for any other metric.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_nothing_is_zero() {
        assert_eq!(0.0, Mean.score(&[0.0, 0.0]));
        assert_eq!(0.25, Mean.score(&[0.5, 2.0]));
    }
}
