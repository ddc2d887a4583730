//! Training text in blocks and threads against every place of a test text beside every place of a record.
#![no_main]

use libfuzzer_sys::fuzz_target;
use truebleu_core::overlap::index::Lengths;
use truebleu_core::overlap::naive::{matches, plain_characters, records, scanned};
use truebleu_core::overlap::scan::Ends;

const SPACED: Lengths = Lengths { n: 4, least: 2 };
const ALONE: Lengths = Lengths { n: 5, least: 3 };

fuzz_target!(|input: (u8, u8, u8, Vec<String>, String)| {
    let (how, block, common, texts, file) = input;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let ends = [Ends::Lines, Ends::Paragraphs, Ends::Files][usize::from(how % 3)];
    if file.starts_with('\u{FEFF}') || texts.iter().map(|text| text.len()).sum::<usize>() * file.len() > 1 << 16 {
        return; // a mark at the beginning is left out, and the slow way is slow
    }
    let (common, blocks) = (u32::from(common % 4), [1 + usize::from(block)]);
    let characters = plain_characters().expect("they fit together");
    let expected = matches(&characters, &texts, &records(&file, ends), SPACED, ALONE, common);
    let threads = 1 + usize::from(how / 3 % 3);
    let found = scanned(&texts, file.as_bytes(), ends, (SPACED, ALONE), common, (threads, &blocks));
    assert_eq!(Some(expected), found, "{texts:?} {file:?}");
});
