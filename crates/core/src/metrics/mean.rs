//! The mean of scores that came from elsewhere: a learned metric, a judge, a person.
//!
//! A row is `[score, 1]`, so that sums, resamples and groups of rows work as for any other metric.

/// Where the cells of a row are.
const SCORES: usize = 0;
const COUNT: usize = 1;

/// How many cells a row has.
pub const WIDTH: usize = 2;

/// The mean; 0 where there is nothing to take it of.
pub fn score(totals: &[f64]) -> f64 {
    if totals[COUNT] > 0.0 { totals[SCORES] / totals[COUNT] } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_nothing_is_zero() {
        assert_eq!(0.0, score(&[0.0, 0.0]));
        assert_eq!(0.25, score(&[0.5, 2.0]));
    }
}
