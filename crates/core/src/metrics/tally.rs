//! BLEU's rows as NLTK and sacRebleu sum them.
//!
//! Both take a segment without n-grams of some order to have one, which is never matched; sacRebleu's flooring also
//! wants to know in how many segments an order has no match. Neither can be told from sums.

use super::bleu::{Bleu, CORRECT, REF_LEN, RefLen, SYS_LEN, Scoring, Smoothing};
use crate::prepare::Tokenizer;
use crate::segments::{Source, count};
use crate::threads::Threads;
use crate::tokens::NumberedCorpus;

/// The sums of BLEU's rows, and what they hide. Lists have an entry for each order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// The lengths of the hypotheses.
    pub sys_len: u64,
    /// The lengths of the references.
    pub ref_len: u64,
    /// The matches.
    pub correct: Vec<u64>,
    /// The hypothesis n-grams.
    pub total: Vec<u64>,
    /// The segments too short.
    pub short: Vec<u64>,
    /// The segments without a match; the short ones are among them.
    pub unmatched: Vec<u64>,
}

impl Tally {
    /// Counts a corpus.
    pub fn count(corpus: &NumberedCorpus, order: usize, ref_len: RefLen, threads: &Threads) -> Self {
        // Longer n-grams than any hypothesis has need no counting.
        let counted = order.min(corpus.longest_hypothesis());
        let scoring = Scoring { smoothing: Smoothing::None, effective_order: false, compensated_sum: false };
        let metric = Bleu { tokenizer: Tokenizer::Symbols, order: counted, ref_len, scoring };
        let mut tally = Self::default();
        tally.resize(counted, 0);
        let Ok(()) = count(&metric, corpus, threads, |rows| tally.add(rows));
        tally.resize(order, corpus.len() as u64);
        tally
    }

    /// Makes room for so many orders. In those that are new, `short` segments have no n-grams.
    fn resize(&mut self, order: usize, short: u64) {
        self.correct.resize(order, 0);
        self.total.resize(order, 0);
        self.short.resize(order, short);
        self.unmatched.resize(order, short);
    }

    /// Adds rows. Their cells are counts, so whole.
    fn add(&mut self, rows: &[f64]) {
        let order = self.correct.len();
        for row in rows.chunks_exact(CORRECT + 2 * order) {
            self.sys_len += row[SYS_LEN] as u64;
            self.ref_len += row[REF_LEN] as u64;
            let (correct, total) = row[CORRECT..].split_at(order);
            for n in 0..order {
                self.correct[n] += correct[n] as u64;
                self.total[n] += total[n] as u64;
                self.short[n] += u64::from(total[n] == 0.0);
                self.unmatched[n] += u64::from(correct[n] == 0.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_that_are_short_or_without_matches_are_counted_by_order() {
        let mut tally = Tally::default();
        tally.resize(2, 0);
        tally.add(&[1.0, 2.0, 1.0, 0.0, 1.0, 0.0, 3.0, 3.0, 2.0, 0.0, 3.0, 2.0]);
        tally.add(&[0.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!((4, 9, vec![3, 0], vec![4, 2]), (tally.sys_len, tally.ref_len, tally.correct, tally.total));
        assert_eq!((vec![1, 2], vec![1, 3]), (tally.short, tally.unmatched));
    }

    #[test]
    fn every_segment_is_too_short_for_an_order_beyond_the_longest_hypothesis() {
        let mut corpus = NumberedCorpus::default();
        for sequences in [[vec![1, 2], vec![1, 2, 3]], [vec![], vec![4]]] {
            corpus.begin_segment();
            for sequence in sequences {
                sequence.into_iter().for_each(|symbol| corpus.push_symbol(symbol));
                corpus.end_sequence();
            }
        }
        let expected = Tally {
            sys_len: 2,
            ref_len: 4,
            correct: vec![2, 1, 0, 0],
            total: vec![2, 1, 0, 0],
            short: vec![1, 1, 2, 2],
            unmatched: vec![1, 1, 2, 2],
        };
        assert_eq!(expected, Tally::count(&corpus, 4, RefLen::Closest, &Threads::new(1)));
    }
}
