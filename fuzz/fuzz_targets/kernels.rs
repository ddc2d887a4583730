//! Kernels against the general way, on texts with several references, in every reading that has a kernel.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::convert::Infallible;
use truebleu_core::batch::Batch;
use truebleu_core::matching::TextMatcher;
use truebleu_core::prepare::{Reading, naive};

/// A text of more characters has nothing that a shorter one has not.
const MOST: usize = 3000;

/// Characters that tokenizers treat apart, of one, two and more bytes; most others are letters to them.
const SPECIAL: [u32; 32] = [
    0x20, 0x20, 0x20, 0x2E, 0x2C, 0x2D, 0x30, 0x31, 0x0A, 0x09, 0x1C, 0x26, 0x3C, 0x3B, 0x61, 0x62, 0xA0, 0xE9, 0xBD,
    0xAB, 0x2019, 0x201C, 0x2013, 0x20AC, 0x160, 0x43A, 0x4E2D, 0x3002, 0x3000, 0x85, 0xD800, 0x1F600,
];

fn character(byte: u8) -> u32 {
    SPECIAL.get(usize::from(byte.wrapping_sub(0xC0))).copied().unwrap_or(byte.into())
}

/// Lengths and matches, with a look at them after every so many references.
fn counted(mut matcher: TextMatcher, batch: &Batch, order: usize, every: usize) -> Vec<f64> {
    let mut found = Vec::new();
    for segment in batch.segments() {
        let mut matching = matcher.start(segment);
        found.push(matching.length() as f64);
        let mut references = 0;
        while let Some(length) = matching.add() {
            found.push(length as f64);
            references += 1;
            if references % every == 0 {
                let start = found.len();
                found.resize(start + order, 0.0);
                matching.finish(&mut found[start..]);
            }
        }
    }
    found
}

fuzz_target!(|input: &[u8]| {
    let [order, every, texts @ ..] = input else { return };
    let (order, every) = (1 + usize::from(*order) % 6, 1 + usize::from(*every) % 3);
    let mut batch = Batch::default();
    // The second segment meets what the first has left in the kernel.
    for segment in texts.split(|&byte| byte == 0xFE).take(3) {
        batch.begin_segment();
        for text in segment.split(|&byte| byte == 0xFF).take(4) {
            let Ok(()) = batch.push_text(|buffer| {
                buffer.extend(text.iter().take(MOST).map(|&byte| character(byte)));
                Ok::<(), Infallible>(())
            });
        }
        batch.end_segment(true);
    }
    batch.settle();
    let others = [Reading::Characters { spaces: true }, Reading::DetachedWords];
    for reading in naive::TOKENIZERS.into_iter().map(Reading::from).chain(others) {
        let expected = counted(TextMatcher::general(reading, order), &batch, order, every);
        assert_eq!(expected, counted(TextMatcher::new(reading, order), &batch, order, every), "{reading:?}");
    }
});
