//! The kernel for character n-grams against the definition.
#![no_main]

use libfuzzer_sys::fuzz_target;
use truebleu_core::kernels::chrf::kernel;
use truebleu_core::ngram::naive;
use truebleu_core::prepare::Reading;
use truebleu_core::text::{Placed, SLACK, Text, narrow_into};
use truebleu_core::unicode::is_space;

/// The texts of longer ones take the definition too long.
const MOST: usize = 1100;

fuzz_target!(|input: &[u8]| {
    let [order, options, repeats, texts @ ..] = input else { return };
    let (order, spaces, script) = (1 + *order as usize % 8, options & 1 == 1, options >> 1);
    let texts: Vec<Vec<u32>> = texts
        .split(|&byte| byte == 0xFF)
        .take(4)
        .map(|text| text.iter().map(|&byte| character(byte, script)).collect::<Vec<u32>>())
        .map(|text| text.repeat(1 + *repeats as usize % 8).into_iter().take(MOST).collect())
        .collect();
    let Some(mut kernel) = kernel(Reading::Characters { spaces }, order) else { unreachable!("order {order}") };
    // The second time the kernel has memory of the first.
    for _ in 0..2 {
        let mut rooms: Vec<Vec<u8>> = texts.iter().map(|text| vec![b'x'; text.len() + SLACK]).collect();
        let narrow: Vec<bool> =
            texts.iter().zip(&mut rooms).map(|(text, room)| narrow_into(text, &mut room[..text.len()])).collect();
        let place = |at: usize| Placed {
            text: if narrow[at] { Text::Narrow(&rooms[at][..texts[at].len()]) } else { Text::Wide(&texts[at]) },
            room: &rooms[at],
        };
        let ours = visible(&texts[0], spaces);
        let Some(length) = kernel.start(place(0)) else { return };
        assert_eq!(ours.len(), length);
        for at in 1..texts.len() {
            let theirs = visible(&texts[at], spaces);
            let Some(length) = kernel.add(place(0), place(at)) else { return };
            assert_eq!(theirs.len(), length);
            let mut matches = vec![0.0; order];
            kernel.finish(&mut matches);
            assert_eq!(naive::matches(order, &ours, &[theirs]), matches, "{:?} {:?}", texts[0], texts[at]);
        }
    }
});

/// A character for each byte: of Latin-1, Cyrillic and marks, Chinese, surrogates, or of another plane.
fn character(byte: u8, script: u8) -> u32 {
    let byte = u32::from(byte);
    match (script % 6, byte) {
        (0, _) | (_, 0..0x60) => byte,
        (1, _) => 0x3E0 + byte,
        (2, _) => 0x4E00 + byte,
        (3, _) => 0xD7C0 + byte,
        (4, _) => 0x1_F600 + byte,
        _ => 0x2000 + byte,
    }
}

fn visible(text: &[u32], spaces: bool) -> Vec<u32> {
    text.iter().copied().filter(|&c| spaces || !is_space(c)).collect()
}
