//! The words of chrF+ and chrF++: split on white space, one ASCII punctuation mark detached from each.

use super::scan::{Span, split};
use super::{Prepared, Tokens};
use crate::halt;
use crate::text::{Text, Unit};

/// The words of a text. At most one mark is detached from a word, and the last character has priority over the first:
/// `(hi)` gives `(hi` and `)`.
pub fn words_with_detached_punctuation<'a>(tokens: &'a mut Tokens, text: Text<'a>) -> Prepared<'a> {
    match text {
        Text::Narrow(text) => detach(tokens, text),
        Text::Wide(text) => detach(tokens, text),
    }
}

fn detach<'a, U: Unit>(tokens: &'a mut Tokens, text: &'a [U]) -> Prepared<'a> {
    tokens.pieces.clear();
    split(text, &mut tokens.spans);
    for span in tokens.spans.as_slice() {
        let (start, end) = span.bounds();
        let cut = start + first_piece(span.of(text));
        halt::reserve(&mut tokens.pieces, 2);
        tokens.pieces.push(Span::new(start, cut));
        if cut < end {
            tokens.pieces.push(Span::new(cut, end));
        }
    }
    Prepared { text: U::wrap(text), spans: &tokens.pieces }
}

/// How long the first piece of a word is: all of it, if no mark is to be detached.
#[inline]
pub fn first_piece<U: Unit>(word: &[U]) -> usize {
    match word {
        [_] => 1,
        [.., last] if is_ascii_punctuation(*last) => word.len() - 1,
        [first, ..] if is_ascii_punctuation(*first) => 1,
        _ => word.len(),
    }
}

fn is_ascii_punctuation<U: Unit>(c: U) -> bool {
    u8::try_from(c.code_point()).is_ok_and(|c| c.is_ascii_punctuation())
}
