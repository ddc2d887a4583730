//! The tokenizers of BLEU and TER against the passes that specify them, in either unit.
#![no_main]

use libfuzzer_sys::fuzz_target;
use truebleu_core::prepare::{Tokens, naive};
use truebleu_core::text::{Text, narrow_into};
use truebleu_core::unicode::code_points;

fuzz_target!(|input: &[u8]| {
    let text = text(input);
    let mut narrow = vec![0; text.len()];
    let is_narrow = narrow_into(&text, &mut narrow);
    let mut tokens = Tokens::default();
    for tokenizer in naive::TOKENIZERS {
        let expected = naive::tokens(tokenizer, &text);
        assert_eq!(expected, naive::found(tokens.tokenize(tokenizer, &text)), "{tokenizer:?} of {text:?}");
        if is_narrow {
            assert_eq!(expected, naive::found(tokens.tokenize(tokenizer, &narrow)), "{tokenizer:?} of {narrow:?}");
        }
    }
    for options in naive::tercom_options() {
        for passes in [1, 2] {
            let expected = naive::tercom_words(options, &text, passes);
            let wide = naive::found(options.words(&mut tokens, Text::Wide(&text), passes));
            assert_eq!(expected, wide, "{options:?}, {passes} passes, of {text:?}");
            if is_narrow {
                let found = naive::found(options.words(&mut tokens, Text::Narrow(&narrow), passes));
                assert_eq!(expected, found, "{options:?}, {passes} passes, of {narrow:?}");
            }
        }
    }
});

/// ASCII stands for itself. Bytes above it are one of the pieces that some rule is about, so that the fuzzer need not
/// find how they are spelt; after a byte 0xFF all is read as UTF-8.
fn text(input: &[u8]) -> Vec<u32> {
    const PIECES: [&str; 24] = [
        "&amp;",
        "&quot;",
        "&lt;",
        "&gt;",
        "<skipped>",
        "-\n",
        "\n-",
        "'s",
        "é",
        "ß",
        "’",
        "“",
        "€",
        "\u{85}",
        "\u{A0}",
        "\u{3000}",
        "\u{2028}",
        "中",
        "。",
        "，",
        "ひ",
        "😀",
        "٣",
        "Ⅷ",
    ];
    let (pieces, utf8) = input.split_at(input.iter().position(|&byte| byte == 0xFF).unwrap_or(input.len()));
    let mut text = Vec::new();
    for &byte in pieces {
        match byte {
            0..0x80 => text.push(byte.into()),
            _ => text.extend(code_points(PIECES[byte as usize % PIECES.len()])),
        }
    }
    text.extend(code_points(&String::from_utf8_lossy(utf8.get(1..).unwrap_or_default())));
    text
}
