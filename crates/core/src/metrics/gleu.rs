//! Google BLEU, called GLEU (Wu et al., 2016), equal to NLTK 3.10.4 and to `google_bleu` of Hugging Face's evaluate.
//!
//! The n-grams of all orders are put into one bag. A hypothesis and a reference share some of them; the smaller of
//! precision and recall is what they share, divided by the larger bag. Of several references the one with the highest
//! quotient counts, of equals the first. Over a corpus, numerators and denominators are summed.

use crate::batch::{Batch, Segment};
use crate::matching::{Matching, TextMatcher};
use crate::matrix::ngrams::{self, NgramMetric, View};
use crate::matrix::others::{self, Samples};
use crate::matrix::pairs::OneByOne;
use crate::matrix::{Index, Matrix};
use crate::metric::{Counter, Formula, Metric};
use crate::ngram::MAX_ORDER;
use crate::prepare::{Reading, Tokenizer};
use crate::threads::Threads;

/// The options of GLEU.
#[derive(Clone, Debug)]
pub struct Gleu {
    /// How text becomes tokens.
    pub tokenizer: Tokenizer,
    /// The shortest n-grams, from 1.
    pub min_len: usize,
    /// The longest n-grams; `usize::MAX` for all there are.
    pub max_len: usize,
}

/// A row holds the n-grams that are shared, and those of the larger bag.
const MATCHES: usize = 0;
const NGRAMS: usize = 1;
const WIDTH: usize = 2;

impl Formula for Gleu {
    fn width(&self) -> usize {
        WIDTH
    }

    fn score(&self, totals: &[f64]) -> f64 {
        100.0 * quotient(totals[MATCHES], totals[NGRAMS])
    }
}

impl Metric for Gleu {
    type Counter = GleuCounter;

    fn counter(&self) -> GleuCounter {
        let matcher = TextMatcher::new(Reading::from(self.tokenizer), self.max_len);
        GleuCounter { options: self.clone(), matcher, matches: Vec::new() }
    }
}

impl Matrix for Gleu {
    fn index<'a>(&'a self, references: &'a Batch) -> Box<dyn Index + 'a> {
        if self.is_indexed() { ngrams::index(self, references) } else { Box::new(OneByOne::new(self, references)) }
    }

    fn index_of_hypotheses<'a>(&'a self, hypotheses: &'a Batch) -> Option<Box<dyn Index + 'a>> {
        self.is_indexed().then(|| ngrams::index_of_hypotheses(self, hypotheses)).flatten()
    }

    fn scores_among_others(&self, samples: &Samples, threads: &Threads) -> Vec<f64> {
        others::best_scores(self, samples, threads)
    }
}

impl NgramMetric for Gleu {
    fn views(&self) -> Vec<View> {
        vec![View { reading: Reading::from(self.tokenizer), order: self.max_len }]
    }

    fn fill(&self, hypothesis: &[f64], reference: &[f64], matches: &[f64], row: &mut [f64]) {
        let of_all_orders = |counts: &[f64]| counts[self.min_len - 1..].iter().sum::<f64>();
        row[MATCHES] = of_all_orders(matches);
        row[NGRAMS] = of_all_orders(hypothesis).max(of_all_orders(reference));
    }
}

/// The score from 0 to 1; 0 where there is nothing to divide by.
pub fn quotient(matches: f64, ngrams: f64) -> f64 {
    if ngrams > 0.0 { matches / ngrams } else { 0.0 }
}

impl Gleu {
    /// Whether the n-grams are few enough orders to be listed by order.
    fn is_indexed(&self) -> bool {
        self.max_len <= MAX_ORDER
    }

    /// How many n-grams a sequence of that length has, all orders together.
    fn ngrams(&self, length: usize) -> f64 {
        let longest = self.max_len.min(length);
        if longest < self.min_len {
            return 0.0;
        }
        // The orders from min_len to longest have length − n + 1 each: an arithmetic series.
        let orders = longest - self.min_len + 1;
        let (most, fewest) = (length - self.min_len + 1, length - longest + 1);
        (orders * (most + fewest) / 2) as f64
    }

    /// The matches of the orders that count, by way of the matches of each.
    fn finish(&self, matching: &mut Matching<'_, '_>, matches: &mut Vec<f64>) -> f64 {
        matches.clear();
        matches.resize(matching.orders(), 0.0);
        matching.finish(matches);
        matches.iter().skip(self.min_len - 1).sum()
    }
}

/// Counts GLEU's rows.
pub struct GleuCounter {
    options: Gleu,
    matcher: TextMatcher,
    matches: Vec<f64>,
}

impl Counter for GleuCounter {
    /// The row of the best reference; all zeros if none of them, nor the hypothesis, has n-grams of these orders.
    fn count(&mut self, segment: Segment<'_>, row: &mut [f64]) {
        let mut matching = self.matcher.start(segment);
        let own = self.options.ngrams(matching.length());
        let mut best = -1.0;
        while let Some(length) = matching.add() {
            let ngrams = own.max(self.options.ngrams(length));
            let matches = self.options.finish(&mut matching, &mut self.matches);
            // A quotient of doubles, as NLTK compares them.
            if ngrams > 0.0 && matches / ngrams > best {
                best = matches / ngrams;
                row[MATCHES] = matches;
                row[NGRAMS] = ngrams;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segments::{add_rows, count};
    use crate::tokens::NumberedCorpus;
    use proptest::prelude::*;
    use std::collections::HashMap;

    type Sequence = Vec<u32>;

    fn totals(metric: &Gleu, hypothesis: &[u32], references: &[Sequence]) -> Vec<f64> {
        let mut corpus = NumberedCorpus::default();
        corpus.begin_segment();
        for sequence in std::iter::once(hypothesis).chain(references.iter().map(Vec::as_slice)) {
            sequence.iter().for_each(|&symbol| corpus.push_symbol(symbol));
            corpus.end_sequence();
        }
        let mut totals = vec![0.0; WIDTH];
        count(metric, &corpus, &Threads::new(1), |rows| add_rows(&mut totals, rows)).unwrap();
        totals
    }

    /// The definition: bags, their intersection, the larger bag, the best quotient.
    fn naive(metric: &Gleu, hypothesis: &[u32], references: &[Sequence]) -> Vec<f64> {
        let bag = |text: &[u32]| {
            let mut bag: HashMap<Vec<u32>, usize> = HashMap::new();
            for n in metric.min_len..=metric.max_len.min(text.len()) {
                text.windows(n).for_each(|ngram| *bag.entry(ngram.to_vec()).or_default() += 1);
            }
            bag
        };
        let own = bag(hypothesis);
        let mut best = vec![0.0, 0.0];
        let mut found = false;
        for reference in references {
            let theirs = bag(reference);
            let shared: usize = own.iter().map(|(ngram, &n)| n.min(theirs.get(ngram).copied().unwrap_or(0))).sum();
            let larger = own.values().sum::<usize>().max(theirs.values().sum());
            if larger > 0 && (!found || shared as f64 / larger as f64 > quotient(best[0], best[1])) {
                best = vec![shared as f64, larger as f64];
                found = true;
            }
        }
        best
    }

    fn sequence() -> impl Strategy<Value = Sequence> {
        prop::collection::vec(0_u32..6, 0..12)
    }

    proptest! {
        #[test]
        fn rows_equal_the_definition(
            hypothesis in sequence(), references in prop::collection::vec(sequence(), 0..4),
            min_len in 1_usize..5, max_len in prop::sample::select(vec![0, 1, 2, 3, 4, 6, 32, 33, usize::MAX]),
        ) {
            let metric = Gleu { tokenizer: Tokenizer::Symbols, min_len, max_len };
            prop_assert_eq!(naive(&metric, &hypothesis, &references), totals(&metric, &hypothesis, &references));
        }
    }

    #[test]
    fn the_score_is_the_quotient_in_per_cent_and_that_of_nothing_zero() {
        let metric = Gleu { tokenizer: Tokenizer::Symbols, min_len: 1, max_len: 4 };
        assert_eq!([25.0, 100.0, 0.0], [[1., 4.], [1., 1.], [0., 0.]].map(|totals| metric.score(&totals)));
    }

    #[test]
    fn of_equally_good_references_the_first_counts() {
        let metric = Gleu { tokenizer: Tokenizer::Symbols, min_len: 1, max_len: 4 };
        assert_eq!(vec![0.0, 1.0], totals(&metric, &[1], &[vec![2], vec![2, 3]]));
        assert_eq!(vec![0.0, 3.0], totals(&metric, &[1], &[vec![2, 3], vec![2]]));
    }
}
