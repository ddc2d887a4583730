//! The decoder of bytes that may not be UTF-8 against the standard library's.
#![no_main]

use libfuzzer_sys::fuzz_target;
use truebleu_core::text::trim_end as trim_end_text;
use truebleu_core::unicode::code_points;
use truebleu_core::utf8::{naive, trim_end};

fuzz_target!(|bytes: &[u8]| {
    assert_eq!(naive::decode(bytes), naive::decoded(bytes), "{bytes:?}");
    let trimmed = trim_end(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let points = code_points(text);
        let expected: String = trim_end_text(&points).iter().filter_map(|&c| char::from_u32(c)).collect();
        assert_eq!(expected.as_bytes(), trimmed, "{bytes:?}");
    } else {
        assert!(bytes.starts_with(trimmed), "{bytes:?}");
    }
});
