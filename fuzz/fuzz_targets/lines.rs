//! Lines that come in blocks against a split of the whole.
#![no_main]

use libfuzzer_sys::fuzz_target;
use truebleu_core::lines::Lines;
use truebleu_core::utf8::trim_end;

fuzz_target!(|input: &[u8]| {
    let [size, text @ ..] = input else { return };
    let mut lines = Lines::default();
    text.chunks(1 + usize::from(*size)).for_each(|block| lines.feed(block));
    lines.finish();
    let mut expected: Vec<&[u8]> = text.split(|&byte| byte == b'\n').map(trim_end).collect();
    if text.is_empty() || text.ends_with(b"\n") {
        expected.pop();
    }
    assert_eq!(expected, (0..lines.len()).map(|at| lines.get(at)).collect::<Vec<_>>());
});
