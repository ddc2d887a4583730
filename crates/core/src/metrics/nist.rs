//! NIST (Doddington, 2002), as NLTK 3.10.4 computes it.
//!
//! A match is worth the information of its n-gram: log2 of how many times rarer it is than its first n − 1 words, over
//! all references of the corpus. That needs the whole corpus before the first segment can be counted, so there are no
//! rows here, and no [`Metric`](crate::metric::Metric).
//!
//! N-grams are numbered over the whole corpus, each by the number of its first n − 1 symbols and its last. Sums of
//! doubles are taken in NLTK's order: within a segment, n-grams as they first occur in the hypothesis, added as
//! Python's `sum` adds them.

use super::bleu::compensated_sum;
use crate::halt;
use crate::segments::Source;
use crate::tokens::NumberedCorpus;
use std::collections::HashMap;

/// The parts of a NIST score.
#[derive(Clone, Debug, PartialEq)]
pub struct NistParts {
    /// The information matched, for each order.
    pub matched: Vec<f64>,
    /// The hypothesis n-grams of each order.
    pub ngrams: Vec<f64>,
    /// The lengths of the hypotheses, summed once for each order.
    pub sys_len: f64,
    /// The lengths of the references chosen for each order, summed.
    pub ref_len: f64,
}

/// Counts the orders from 1 to `order`. Segments without references are left out. `compensated` says how to add: as
/// Python does from 3.12 on.
pub fn count(corpus: &NumberedCorpus, order: usize, compensated: bool) -> NistParts {
    let mut parts = NistParts { matched: vec![0.0; order], ngrams: vec![0.0; order], sys_len: 0.0, ref_len: 0.0 };
    halt::expect(corpus.len());
    let information = Information::new(corpus, order, compensated);
    for segment in (0..corpus.len()).filter(|&segment| corpus.references(segment).len() > 0) {
        halt::advance(1);
        let hypothesis = information.counted(corpus.hypothesis(segment), order);
        let references: Vec<_> = corpus
            .references(segment)
            .map(|reference| (reference.len(), information.counted(reference, order)))
            .collect();
        for n in 0..order {
            let best = references.iter().map(|(length, reference)| {
                let matched = information.shared(&hypothesis[n], &reference[n]);
                (hypothesis[n].total, matched, *length)
            });
            // Of several references, the one that gives most; among equals the longest.
            let best = best.reduce(|best, other| if (other.1, other.2) > (best.1, best.2) { other } else { best });
            let (ngrams, matched, length) = best.expect("segments without references are left out");
            parts.matched[n] += matched;
            parts.ngrams[n] += ngrams as f64;
            parts.sys_len += corpus.hypothesis(segment).len() as f64;
            parts.ref_len += length as f64;
        }
    }
    parts
}

/// The n-grams of one order in a sequence: those that some reference has, by number and in order of appearance.
struct Counted {
    total: usize,
    ngrams: Vec<(u32, usize)>,
    places: HashMap<u32, usize>,
}

/// Every n-gram of every reference, with what it is worth.
struct Information {
    numbers: HashMap<(u32, u32), u32>,
    worth: Vec<f64>,
    compensated: bool,
}

/// What an n-gram of one symbol follows.
const NOTHING: u32 = u32::MAX;

impl Information {
    fn new(corpus: &NumberedCorpus, order: usize, compensated: bool) -> Self {
        let mut numbers = HashMap::new();
        let mut counts: Vec<u64> = Vec::new();
        let mut prefixes: Vec<u32> = Vec::new();
        let mut words = 0;
        for segment in 0..corpus.len() {
            for reference in corpus.references(segment) {
                words += reference.len() as u64;
                each_ngram(reference, order, |_, prefix, symbol| {
                    let number = *numbers.entry((prefix, symbol)).or_insert_with(|| {
                        counts.push(0);
                        prefixes.push(prefix);
                        counts.len() as u32 - 1
                    });
                    counts[number as usize] += 1;
                    Some(number)
                });
            }
        }
        let worth = counts.iter().zip(&prefixes).map(|(&count, &prefix)| {
            let before = if prefix == NOTHING { words } else { counts[prefix as usize] };
            // A quotient of logarithms, as Python's log(x, 2) takes it.
            (before as f64 / count as f64).ln() / 2_f64.ln()
        });
        Self { worth: worth.collect(), numbers, compensated }
    }

    /// Counts the n-grams of each order, 1 first.
    fn counted(&self, sequence: &[u32], order: usize) -> Vec<Counted> {
        let empty =
            |n| Counted { total: (sequence.len() + 1).saturating_sub(n), ngrams: Vec::new(), places: HashMap::new() };
        let mut orders: Vec<Counted> = (1..=order).map(empty).collect();
        each_ngram(sequence, order, |n, prefix, symbol| {
            let number = *self.numbers.get(&(prefix, symbol))?;
            let Counted { ngrams, places, .. } = &mut orders[n];
            let place = *places.entry(number).or_insert_with(|| {
                ngrams.push((number, 0));
                ngrams.len() - 1
            });
            ngrams[place].1 += 1;
            Some(number)
        });
        orders
    }

    fn shared(&self, hypothesis: &Counted, reference: &Counted) -> f64 {
        let count_there = |number| reference.places.get(number).map_or(0, |&place| reference.ngrams[place].1);
        let shared = hypothesis.ngrams.iter().map(|(number, count)| (*number, (*count).min(count_there(number))));
        let worth =
            shared.filter(|&(_, count)| count > 0).map(|(number, count)| self.worth[number as usize] * count as f64);
        if self.compensated { compensated_sum(worth) } else { worth.fold(0.0, |sum, value| sum + value) }
    }
}

/// Calls `number` for each n-gram of a sequence with its order less one, the number of its first symbols and its last
/// symbol. It returns the number of the n-gram, or nothing if longer ones need not be looked at.
fn each_ngram(sequence: &[u32], order: usize, mut number: impl FnMut(usize, u32, u32) -> Option<u32>) {
    for start in 0..sequence.len() {
        let mut prefix = NOTHING;
        halt::spend(order);
        for (n, &symbol) in sequence[start..].iter().take(order).enumerate() {
            match number(n, prefix, symbol) {
                Some(longer) => prefix = longer,
                None => break,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus(segments: &[(&str, &[&str])]) -> NumberedCorpus {
        let mut corpus = NumberedCorpus::default();
        for (hypothesis, references) in segments {
            corpus.begin_segment();
            for text in std::iter::once(hypothesis).chain(*references) {
                text.bytes().for_each(|byte| corpus.push_symbol(u32::from(byte)));
                corpus.end_sequence();
            }
        }
        corpus
    }

    #[test]
    fn a_match_is_worth_the_logarithm_of_its_rarity() {
        // Of eight words two are a, four b; after an a comes always a b.
        let parts = count(&corpus(&[("ab", &["abbcabbd"])]), 2, false);
        assert_eq!(vec![2.0 + 1.0, 0.0], parts.matched);
        assert_eq!((vec![2.0, 1.0], 4.0, 16.0), (parts.ngrams, parts.sys_len, parts.ref_len));
    }

    #[test]
    fn what_matches_twice_is_worth_twice_as_much() {
        // One word of two is an a; as often as both texts have it, it counts.
        let parts = count(&corpus(&[("aaa", &["aabc"])]), 1, false);
        assert_eq!((vec![2.0 * 1.0], vec![3.0]), (parts.matched, parts.ngrams));
    }

    #[test]
    fn of_several_references_the_most_informative_counts_and_then_the_longest() {
        let parts = count(&corpus(&[("ab", &["xyz", "ab", "pq"])]), 1, false);
        assert_eq!(2.0, parts.ref_len);
        let parts = count(&corpus(&[("ab", &["x", "xyz", "xy"])]), 1, false);
        assert_eq!((vec![0.0], 3.0), (parts.matched, parts.ref_len));
    }

    #[test]
    fn a_segment_without_references_is_left_out() {
        let parts = count(&corpus(&[("ab", &[]), ("a", &["a"])]), 1, false);
        assert_eq!((1.0, 1.0), (parts.sys_len, parts.ref_len));
    }
}
