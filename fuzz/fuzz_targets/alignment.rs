//! The alignment of WER and the common subsequence of ROUGE-L against their tables.
#![no_main]

use libfuzzer_sys::fuzz_target;
use truebleu_core::align::{self, Aligner, Step};
use truebleu_core::lcs::{self, Lcs};

const MOST: usize = 400;

fuzz_target!(|input: &[u8]| {
    let [kinds, tokens @ ..] = input else { return };
    let kinds = 1 + u32::from(kinds % 64);
    let (ours, rest) = tokens.split_at(tokens.iter().position(|&byte| byte == 0xFF).unwrap_or(tokens.len()));
    let theirs = rest.get(1..).unwrap_or_default();
    // Only the reference has tokens without a number, which equal no other.
    let ours: Vec<u32> = ours.iter().take(MOST).map(|&byte| u32::from(byte) % (kinds + 1)).collect();
    let theirs: Vec<u32> = theirs.iter().take(MOST).map(|&byte| 1 + u32::from(byte) % kinds).collect();
    let highest = kinds as usize;

    let mut expected = Vec::new();
    align::naive::align(&ours, &theirs, ours.len().max(theirs.len()), align::MOST_BYTES, &mut expected);
    let mut aligner = Aligner::default();
    let mut steps = Vec::new();
    aligner.steps(&ours, &theirs, highest, &mut |step, times| steps.extend(vec![step; times]));
    assert_eq!(expected, steps, "{ours:?} {theirs:?}");
    let distance = expected.iter().filter(|&&step| step != Step::Hit).count();
    assert_eq!(distance, aligner.distance(&ours, &theirs, highest), "{ours:?} {theirs:?}");

    let mut lcs = Lcs::default();
    lcs.start(&ours, highest);
    let mut marks = vec![false; ours.len()];
    lcs.mark(&theirs, &mut marks);
    assert_eq!(lcs::naive::common(&ours, &theirs), (lcs.length(&theirs), marks), "{ours:?} {theirs:?}");
});
