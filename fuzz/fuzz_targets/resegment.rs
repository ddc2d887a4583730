//! Re-segmentation by a band of the table, and by the whole table, against the rules cell by cell.
#![no_main]

use libfuzzer_sys::fuzz_target;
use truebleu_core::resegment::band::Shape;
use truebleu_core::resegment::mwer::{self, Means};
use truebleu_core::resegment::{References, naive};

const MOST: usize = 600;

fuzz_target!(|input: &[u8]| {
    let [kinds, rows, reach, tokens @ ..] = input else { return };
    let kinds = 1 + u32::from(*kinds);
    let (ours, rest) = tokens.split_at(tokens.iter().position(|&byte| byte == 0xFF).unwrap_or(tokens.len()));
    let hypothesis: Vec<u32> = ours.iter().take(MOST).map(|&byte| u32::from(byte) % kinds).collect();
    // A segment ends with 0xFE; the last needs no end.
    let theirs = rest.get(1..).unwrap_or_default().iter().take(MOST);
    let segments: Vec<Vec<u32>> = theirs
        .copied()
        .collect::<Vec<u8>>()
        .split(|&byte| byte == 0xFE)
        .map(|text| text.iter().map(|&byte| u32::from(byte) % kinds).collect())
        .collect();
    let references = References::single(&segments.iter().map(Vec::as_slice).collect::<Vec<_>>());

    let expected = naive::align(&hypothesis, &references);
    let shape = Shape { rows: 1 + usize::from(*rows), reach: usize::from(*reach), least_cells: 0 };
    let whole = Means { store: 64, shape: Shape { least_cells: u64::MAX, ..shape.clone() } };
    let banded = Means { store: 64, shape };
    assert_eq!(expected, mwer::align(&hypothesis, &references, &whole), "{hypothesis:?} {segments:?}");
    assert_eq!(expected, mwer::align(&hypothesis, &references, &banded), "{hypothesis:?} {segments:?}");
});
