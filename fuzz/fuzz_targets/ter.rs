//! TER's edits against the version for reading.
#![no_main]

use libfuzzer_sys::fuzz_target;
use truebleu_core::edit::{Editor, naive};

/// The version for reading measures up to a thousand shifts a round from scratch.
const MOST: usize = 140;

fuzz_target!(|input: &[u8]| {
    let [kinds, words @ ..] = input else { return };
    let kinds = 1 + kinds % 64;
    let (hypothesis, rest) = words.split_at(words.iter().position(|&byte| byte == 0xFF).unwrap_or(words.len()));
    let reference = rest.get(1..).unwrap_or_default();
    let words = |text: &[u8]| text.iter().take(MOST).map(|&byte| u32::from(byte % kinds)).collect::<Vec<u32>>();
    let (hypothesis, reference) = naive::interned(&words(hypothesis), &words(reference));
    // The other way round too, with the memory of the first.
    let mut editor = Editor::new();
    for (hypothesis, reference) in [(&hypothesis, &reference), (&reference, &hypothesis)] {
        let expected = naive::outcome(hypothesis, reference).edits;
        assert_eq!(expected, editor.edits(hypothesis, reference), "{hypothesis:?} {reference:?}");
    }
});
