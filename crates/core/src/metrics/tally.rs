//! BLEU's rows as NLTK and sacRebleu sum them.
//!
//! Both take a segment without n-grams of some order to have one, which is never matched; sacRebleu's flooring also
//! wants to know in how many segments an order has no match. Neither can be told from sums.

use super::Metric;
use super::bleu::{Bleu, CORRECT};

/// The sums of BLEU's rows, and what they hide.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    /// The sums.
    pub totals: Vec<f64>,
    /// For each order, the segments too short for it.
    pub short: Vec<u64>,
    /// For each order, the segments without a match; the short ones are among them.
    pub unmatched: Vec<u64>,
}

impl Tally {
    /// Nothing yet.
    pub fn new(metric: &Bleu) -> Self {
        Self { totals: vec![0.0; metric.width()], short: vec![0; metric.order], unmatched: vec![0; metric.order] }
    }

    /// Adds rows.
    pub fn add(&mut self, rows: &[f64]) {
        let order = self.short.len();
        for row in rows.chunks_exact(self.totals.len()) {
            self.totals.iter_mut().zip(row).for_each(|(total, cell)| *total += cell);
            let (correct, total) = row[CORRECT..].split_at(order);
            self.short.iter_mut().zip(total).for_each(|(short, &total)| *short += u64::from(total == 0.0));
            self.unmatched.iter_mut().zip(correct).for_each(|(unmatched, &n)| *unmatched += u64::from(n == 0.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::bleu::{RefLen, Scoring, Smoothing};
    use crate::prepare::Tokenizer;

    #[test]
    fn segments_that_are_short_or_without_matches_are_counted_by_order() {
        let scoring = Scoring { smoothing: Smoothing::None, effective_order: false, compensated_sum: false };
        let metric = Bleu { tokenizer: Tokenizer::Symbols, order: 2, ref_len: RefLen::Closest, scoring };
        let mut tally = Tally::new(&metric);
        tally.add(&[1.0, 2.0, 1.0, 0.0, 1.0, 0.0, 3.0, 3.0, 2.0, 0.0, 3.0, 2.0]);
        tally.add(&[0.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(vec![4.0, 9.0, 3.0, 0.0, 4.0, 2.0], tally.totals);
        assert_eq!((vec![1, 2], vec![1, 3]), (tally.short, tally.unmatched));
    }
}
