//! The three ways of matching n-grams against the definition.
#![no_main]

use libfuzzer_sys::fuzz_target;
use truebleu_core::ngram::{Anchor, LongMatcher, MAX_ORDER, Matcher, naive};

/// A text of more symbols takes the definition too long.
const MOST: usize = 600;

fuzz_target!(|input: &[u8]| {
    let [order, kinds, texts @ ..] = input else { return };
    let (order, kinds) = (1 + *order as usize % 60, 1 + u32::from(*kinds));
    // Symbols are numbered from 1; two bytes make one where there are to be many.
    let number = |piece: &[u8]| 1 + piece.iter().fold(0, |sum, &byte| 256 * sum + u32::from(byte)) % kinds;
    let width = if kinds > 200 { 2 } else { 1 };
    let texts = texts.split(|&byte| byte == 0xFF).take(4);
    let mut texts = texts.map(|text| text.chunks(width).take(MOST).map(number).collect::<Vec<u32>>());
    let Some(hypothesis) = texts.next() else { return };
    let references: Vec<Vec<u32>> = texts.collect();
    let expected = naive::matches(order, &hypothesis, &references);
    assert_eq!(expected, naive::matched_long(&mut LongMatcher::new(order), &hypothesis, &references));
    if order > MAX_ORDER {
        return;
    }
    for anchor in [Anchor::Unigram, Anchor::Bigram] {
        // The second time the matcher has memory of the first.
        let mut matcher = Matcher::new(order, anchor);
        for sorts in [false, true, false] {
            let found = naive::matched(&mut matcher, &hypothesis, &references, sorts);
            assert_eq!(expected, found, "{anchor:?}, sorting {sorts}: {hypothesis:?} {references:?}");
        }
    }
});
