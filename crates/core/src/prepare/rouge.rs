//! The tokenizers of ROUGE: `rouge`, equal to that of rouge-score 0.1.2, and `rouge-unicode`, for all scripts.
//!
//! `rouge` keeps runs of ASCII letters and digits in small letters; everything else separates. Of all other characters,
//! two have ASCII letters in their lower case: the Kelvin sign is a k, and İ an i with a mark that separates.
//!
//! `rouge-unicode` keeps runs of letters and numbers of any script with the marks that follow them. A character of a
//! script that is written without spaces is a token by itself, with its marks. Text comes in small letters: which those
//! are, the interpreter knows. On ASCII text both find the same tokens.

use super::categories::{MARKS, SYMBOLS, UNSPACED};
use super::intl::within;
use super::scan::Spans;
use crate::halt;
use crate::text::{BLOCK, Unit, bits};
use std::sync::LazyLock;

/// The Kelvin sign, and İ.
const KELVIN: u32 = 0x212A;
const DOTTED_I: u32 = 0x130;

/// A copy of the text in which ASCII letters are small, and those two characters are what becomes of them.
pub fn lower<'a, U: Unit>(text: &[U], lowered: &'a mut Vec<U>) -> &'a [U] {
    let small = |byte: u8| U::from_ascii(byte + (u8::from(byte.wrapping_sub(b'A') < 26) << 5));
    lowered.clear();
    halt::reserve(lowered, text.len());
    let is_special = |c: U| matches!(c.byte(), Err(KELVIN | DOTTED_I));
    if !text.iter().any(|&c| is_special(c)) {
        lowered.extend(text.iter().map(|&c| match c.byte() {
            Ok(byte) => small(byte),
            Err(wide) => {
                if wide < 0x80 {
                    small(wide as u8)
                } else {
                    c
                }
            }
        }));
        return lowered;
    }
    for &c in text {
        halt::reserve(lowered, 2);
        match c.byte() {
            Err(KELVIN) => lowered.push(U::from_ascii(b'k')),
            Err(DOTTED_I) => lowered.extend([U::from_ascii(b'i'), U::from_ascii(b' ')]),
            Err(wide) if wide >= 0x80 => lowered.push(c),
            Ok(byte) => lowered.push(small(byte)),
            Err(wide) => lowered.push(small(wide as u8)),
        }
    }
    lowered
}

/// The runs of a to z and 0 to 9.
pub fn ascii_words<'a, U: Unit>(text: &'a [U], spans: &mut Spans) -> &'a [U] {
    let separates = |c: U| match c.byte() {
        Ok(byte) => (byte.wrapping_sub(b'a') >= 26) & (byte.wrapping_sub(b'0') >= 10),
        Err(wide) => (wide.wrapping_sub(0x61) >= 26) & (wide.wrapping_sub(0x30) >= 10),
    };
    spans.reset(text.len());
    let mut word = 0;
    for start in (0..text.len()).step_by(BLOCK) {
        spans.next_block();
        let mut separators = bits(text, start, separates);
        while separators != 0 {
            let at = start + separators.trailing_zeros() as usize;
            separators &= separators - 1;
            spans.push_if(word < at, word, at);
            word = at + 1;
        }
    }
    spans.push_if(word < text.len(), word, text.len());
    text
}

/// The words of any script.
pub fn unicode_words<'a, U: Unit>(text: &'a [U], spans: &mut Spans) -> &'a [U] {
    let kinds = Kinds::all();
    spans.reset(text.len());
    // The token that is open, and whether it is a character by itself.
    let (mut word, mut is_alone) = (None, false);
    for (start, block) in (0..).step_by(BLOCK).zip(text.chunks(BLOCK)) {
        spans.next_block();
        for (at, &c) in (start..).zip(block) {
            let kind = kinds.of(c);
            // A mark goes with what is before it, and is nothing at the start.
            if kind == Kind::Mark || kind == Kind::Letter && word.is_some() && !is_alone {
                continue;
            }
            spans.push_if(word.is_some(), word.unwrap_or(at), at);
            word = (kind != Kind::Other).then_some(at);
            is_alone = kind == Kind::Alone;
        }
    }
    spans.push_if(word.is_some(), word.unwrap_or(0), text.len());
    text
}

/// What `rouge` makes of a text's letters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reach {
    /// How many there are.
    pub letters: usize,
    /// How many of them are in no token.
    pub dropped: usize,
    /// Whether there is a token.
    pub has_token: bool,
    /// Whether there is a letter or a digit.
    pub has_content: bool,
}

impl Reach {
    /// What the tokenizer `rouge` makes of a text.
    pub fn of(text: &[u32]) -> Self {
        let is_ascii = |test: fn(&u8) -> bool| move |&&c: &&u32| u8::try_from(c).is_ok_and(|c| test(&c));
        let kept = text.iter().filter(is_ascii(u8::is_ascii_alphabetic)).count();
        let has_token = kept > 0
            || text.iter().any(|c| is_ascii(u8::is_ascii_digit)(&c))
            || text.contains(&KELVIN)
            || text.contains(&DOTTED_I);
        if text.iter().fold(0, |seen, &c| seen | c) < 0x80 {
            return Self { letters: kept, dropped: 0, has_token, has_content: has_token };
        }
        let wide = text.iter().filter(|&&c| c >= 0x80).filter_map(|&c| char::from_u32(c));
        let (dropped, others) = wide.fold((0, false), |(dropped, others), c| {
            (dropped + usize::from(c.is_alphabetic()), others | c.is_numeric())
        });
        Self { letters: kept + dropped, dropped, has_token, has_content: has_token || others || dropped > 0 }
    }
}

/// What a character is to `rouge-unicode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Other,
    Letter,
    Alone,
    Mark,
}

/// The kind of every code point.
struct Kinds {
    narrow: [Kind; 256],
    bmp: Box<[Kind]>,
}

impl Kinds {
    fn all() -> &'static Self {
        static KINDS: LazyLock<Kinds> = LazyLock::new(|| Kinds {
            narrow: std::array::from_fn(|byte| kind((byte as u8).code_point())),
            bmp: (0..0x1_0000).map(kind).collect(),
        });
        &KINDS
    }

    #[inline]
    fn of<U: Unit>(&self, c: U) -> Kind {
        match c.byte() {
            Ok(byte) => self.narrow[byte as usize],
            Err(c) => self.bmp.get(c as usize).copied().unwrap_or_else(|| kind(c)),
        }
    }
}

/// The kind of a character. Rust's alphanumeric characters are letters (L), numbers (N), some marks, and letters in
/// circles, which are symbols.
fn kind(c: u32) -> Kind {
    if within(MARKS, c) {
        Kind::Mark
    } else if !char::from_u32(c).is_some_and(char::is_alphanumeric) || within(SYMBOLS, c) {
        Kind::Other
    } else if within(UNSPACED, c) {
        Kind::Alone
    } else {
        Kind::Letter
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Tokenizer, Tokens};
    use crate::text::narrow_into;
    use crate::unicode::code_points;
    use proptest::prelude::*;

    fn tokens(tokenizer: Tokenizer, text: &str) -> String {
        let joined = Tokens::default().tokenize(tokenizer, &code_points(text)).joined();
        joined.into_iter().filter_map(char::from_u32).collect()
    }

    #[test]
    fn two_characters_beyond_ascii_leave_something() {
        assert_eq!("i stanbul k caf", tokens(Tokenizer::Rouge, "İstanbul \u{212A} café ﬁß"));
        assert_eq!("isn t 3 14 a b", tokens(Tokenizer::Rouge, "isn't 3.14 A_B"));
    }

    #[test]
    fn characters_of_scripts_without_spaces_stand_alone() {
        assert_eq!("北 京 2022 冬 奥 会", tokens(Tokenizer::RougeUnicode, "北京2022冬奥会"));
        assert_eq!("café पूर्व", tokens(Tokenizer::RougeUnicode, "café\u{301B}\u{302A}पूर्व"));
        assert_eq!("ที่ นี่", tokens(Tokenizer::RougeUnicode, "ที่นี่"));
    }

    proptest! {
        #[test]
        fn both_agree_on_ascii_in_either_unit(text in "[a-zA-Z0-9 .,'\\n_-]{0,200}") {
            let wide = code_points(&text.to_lowercase());
            let mut narrow = vec![0; wide.len()];
            prop_assert!(narrow_into(&wide, &mut narrow));
            let expected = tokens(Tokenizer::Rouge, &text);
            prop_assert_eq!(&expected, &tokens(Tokenizer::RougeUnicode, &text.to_lowercase()));
            let words: Vec<&str> = expected.split(' ').filter(|word| !word.is_empty()).collect();
            for tokenizer in [Tokenizer::Rouge, Tokenizer::RougeUnicode] {
                let mut memory = Tokens::default();
                let prepared = memory.tokenize(tokenizer, &narrow);
                prop_assert_eq!(words.len(), prepared.spans.len());
                prop_assert_eq!(code_points(&expected), prepared.joined());
            }
        }
    }
}
