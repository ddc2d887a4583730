//! Clipped matches of orders without a limit.
//!
//! Nobody scores 40-grams by accident, but NLTK and sacRebleu let one, and a `max_len` of −1 means all there are. Each
//! order is counted in turn: an n-gram is numbered by its first n − 1 symbols, already numbered, and its last. That is
//! linear in length times order, and stops at the first order that no reference shares.

use crate::halt;
use crate::symbols::UNKNOWN;
use std::collections::HashMap;

/// Finds the matches between a hypothesis and its references, order by order.
pub struct LongMatcher {
    order: usize,
    hypothesis: Vec<u32>,
    references: Vec<Vec<u32>>,
}

impl LongMatcher {
    /// A matcher for the orders from 1 to `order`.
    pub fn new(order: usize) -> Self {
        Self { order, hypothesis: Vec::new(), references: Vec::new() }
    }

    /// The highest order.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Takes the next hypothesis.
    pub fn start(&mut self, hypothesis: &[u32]) {
        self.hypothesis.clear();
        self.hypothesis.extend_from_slice(hypothesis);
        self.references.clear();
    }

    /// Remembers one more reference. It is taken away.
    pub fn add_reference(&mut self, reference: &mut Vec<u32>) {
        self.references.push(std::mem::take(reference));
    }

    /// Adds the matches of each order, 1 first, to `matches`, and forgets the references seen.
    pub fn finish(&mut self, matches: &mut [f64]) {
        let references = std::mem::take(&mut self.references);
        match_by_order(self.order, &self.hypothesis, &references, matches);
    }
}

/// Adds the matches of the orders from 1 to `order` to `matches`.
fn match_by_order(order: usize, hypothesis: &[u32], references: &[Vec<u32>], matches: &mut [f64]) {
    let mut ours = hypothesis.to_vec();
    let mut theirs = references.to_vec();
    for (order, matches) in (1..=order).zip(matches) {
        let found = clipped(&ours, &theirs);
        if found == 0 {
            return;
        }
        *matches += found as f64;
        let mut longer = HashMap::new();
        ours = extend(&ours, &hypothesis[order.min(hypothesis.len())..], |key| {
            let number = longer.len() as u32 + 1;
            *longer.entry(key).or_insert(number)
        });
        let known = |key| longer.get(&key).copied().unwrap_or(UNKNOWN);
        for (ngrams, reference) in theirs.iter_mut().zip(references) {
            *ngrams = extend(ngrams, &reference[order.min(reference.len())..], known);
        }
    }
}

/// The numbers of the n-grams one symbol longer.
fn extend(ngrams: &[u32], following: &[u32], mut number: impl FnMut((u32, u32)) -> u32) -> Vec<u32> {
    let known = |(&ngram, &next)| {
        halt::spend(1);
        if ngram == UNKNOWN || next == UNKNOWN { UNKNOWN } else { number((ngram, next)) }
    };
    ngrams.iter().zip(following).map(known).collect()
}

/// The sum over n-grams of the count in the hypothesis, or the largest in a reference if that is smaller.
fn clipped(ours: &[u32], theirs: &[Vec<u32>]) -> usize {
    let mut most: HashMap<u32, usize> = HashMap::new();
    for reference in theirs {
        for (ngram, count) in counted(reference) {
            let most = most.entry(ngram).or_default();
            *most = count.max(*most);
        }
    }
    counted(ours).into_iter().map(|(ngram, count)| count.min(most.get(&ngram).copied().unwrap_or(0))).sum()
}

fn counted(ngrams: &[u32]) -> HashMap<u32, usize> {
    let mut counts = HashMap::new();
    for &ngram in ngrams.iter().filter(|&&ngram| ngram != UNKNOWN) {
        *counts.entry(ngram).or_default() += 1;
    }
    counts
}
