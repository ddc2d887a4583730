//! What clipped matches mean, written for reading: tests and fuzz targets compare the matchers with it.

use super::{LongMatcher, Matcher};
use crate::symbols::UNKNOWN;
use std::collections::HashMap;

/// The definition: count, clip, sum.
pub fn matches(order: usize, hypothesis: &[u32], references: &[Vec<u32>]) -> Vec<f64> {
    let count = |text: &[u32], n| {
        let mut counts: HashMap<Vec<u32>, usize> = HashMap::new();
        text.windows(n).for_each(|ngram| *counts.entry(ngram.to_vec()).or_default() += 1);
        counts
    };
    let clipped = |n| {
        let references: Vec<_> = references.iter().map(|reference| count(reference, n)).collect();
        let most = |ngram| references.iter().map(|counts| counts.get(ngram).copied().unwrap_or(0)).max().unwrap_or(0);
        count(hypothesis, n).iter().map(|(ngram, &own)| own.min(most(ngram))).sum::<usize>() as f64
    };
    (1..=order).map(clipped).collect()
}

/// What the matcher finds. With `sorts` it takes the way for long and repetitive texts, whatever the text.
pub fn matched(matcher: &mut Matcher, hypothesis: &[u32], references: &[Vec<u32>], sorts: bool) -> Vec<f64> {
    let mut matches = vec![0.0; matcher.order];
    matcher.start(&mut hypothesis.to_vec(), hypothesis.iter().copied().max().unwrap_or(0) as usize);
    for reference in references {
        matcher.sorts |= sorts;
        matcher.add_reference(&mut known(hypothesis, reference));
    }
    matcher.finish(&mut matches);
    matches
}

/// What the matcher for many orders finds.
pub fn matched_long(matcher: &mut LongMatcher, hypothesis: &[u32], references: &[Vec<u32>]) -> Vec<f64> {
    let mut matches = vec![0.0; matcher.order()];
    matcher.start(hypothesis);
    references.iter().for_each(|reference| matcher.add_reference(&mut known(hypothesis, reference)));
    matcher.finish(&mut matches);
    matches
}

/// The reference with strangers for symbols that the hypothesis does not have.
fn known(hypothesis: &[u32], reference: &[u32]) -> Vec<u32> {
    reference.iter().map(|&c| if hypothesis.contains(&c) { c } else { UNKNOWN }).collect()
}
