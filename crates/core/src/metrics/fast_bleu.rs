//! BLEU as the package fast-bleu 0.0.90 defines it for self-BLEU: sentence BLEU in NLTK's manner with its smoothing
//! method 1, from 0 to 1. It is computed from the same rows as [`super::bleu::Bleu`].
//!
//! fast-bleu keeps weights in 32 bits, and its self-BLEU looks for the closest length beyond the end of its lengths,
//! which loses the brevity penalty of short texts. Neither is reproduced.

use super::bleu::{Bleu, CORRECT, REF_LEN, RefLen, SYS_LEN, Scoring, Smoothing};
use crate::matrix::others::{Samples, clipped_rows};
use crate::metric::Formula;
use crate::prepare::Tokenizer;

/// What stands in for the matches of an order that has none.
const EPSILON: f64 = 0.1;

/// The score of each text with all the others as references. None if there are more than 2^30 tokens.
pub fn among_others(samples: &Samples, tokenizer: Tokenizer, order: usize) -> Option<Vec<f64>> {
    let scoring = Scoring { smoothing: Smoothing::None, effective_order: false, compensated_sum: false };
    let bleu = Bleu::new(tokenizer, order, RefLen::Closest, scoring);
    let rows = clipped_rows(&bleu, samples)?;
    Some(rows.chunks_exact(bleu.width()).map(|row| score(&bleu, row)).collect())
}

/// The score of a row that `bleu` counted.
fn score(bleu: &Bleu, row: &[f64]) -> f64 {
    debug_assert_eq!(bleu.width(), row.len());
    let (correct, total) = row[CORRECT..].split_at(bleu.order);
    // Without a common word there is nothing to smooth.
    if correct[0] == 0.0 {
        return 0.0;
    }
    let weight = 1.0 / bleu.order as f64;
    let logs = correct.iter().zip(total).map(|(&correct, &total)| {
        let matches = if correct > 0.0 { correct } else { EPSILON };
        // An order for which the text is too short counts as one n-gram that does not match.
        weight * (matches / total.max(1.0)).ln()
    });
    brevity_penalty(row[SYS_LEN], row[REF_LEN]) * logs.fold(0.0, |sum, log| sum + log).exp()
}

fn brevity_penalty(sys_len: f64, ref_len: f64) -> f64 {
    if sys_len > ref_len { 1.0 } else { (1.0 - ref_len / sys_len).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(row: &[f64]) -> f64 {
        let scoring = Scoring { smoothing: Smoothing::None, effective_order: false, compensated_sum: false };
        score(&Bleu::new(Tokenizer::None, (row.len() - CORRECT) / 2, RefLen::Closest, scoring), row)
    }

    /// The definition: a geometric mean of precisions, and the penalty of a text that is not longer than its reference.
    fn naive(penalty: f64, precisions: &[f64]) -> f64 {
        penalty * precisions.iter().product::<f64>().powf(1.0 / precisions.len() as f64)
    }

    #[test]
    fn scores_are_a_mean_of_precisions_with_a_tenth_of_a_match_for_none() {
        let expected = [
            (naive((1.0_f64 - 5.0 / 4.0).exp(), &[3.0 / 4.0, 1.0 / 3.0, 0.1 / 2.0]), [4., 5., 3., 1., 0., 4., 3., 2.]),
            (naive(1.0, &[2.0 / 4.0, 1.0 / 3.0, 0.1 / 2.0]), [4., 3., 2., 1., 0., 4., 3., 2.]),
            (naive(1.0, &[1.0 / 4.0, 0.1 / 3.0, 0.1 / 2.0]), [4., 4., 1., 0., 0., 4., 3., 2.]),
            // Too short for two words: an n-gram that does not match.
            (naive(1.0, &[1.0, 0.1, 0.1]), [1., 1., 1., 0., 0., 1., 0., 0.]),
        ];
        for (expected, row) in expected {
            assert!((expected - scored(&row)).abs() < 1e-15, "{row:?}: {expected} {}", scored(&row));
        }
        assert_eq!(0.0, scored(&[4., 4., 0., 0., 0., 4., 3., 2.]));
    }
}
