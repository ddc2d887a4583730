//! Transcripts of speech as jiwer 4 reads them.
//!
//! Two or more characters of white space are a space, those at the ends are none, and spaces separate words. So a
//! single tab or no-break space is part of a word. `standardize` expands English contractions and drops what stands in
//! square or angle brackets first, in the order of jiwer's `wer_standardize`; its lower-casing is the caller's.

use super::intl::is_punctuation;
use super::scan::Spans;
use super::v13a::replace;
use super::{Prepared, Tokens, join};
use crate::halt;
use crate::text::{BLOCK, Text, Unit, any, trim};
use std::borrow::Cow;

/// How a transcript is cleaned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// Expand contractions and drop what stands in brackets.
    pub standardize: bool,
    /// Delete punctuation (Unicode's category P).
    pub remove_punctuation: bool,
}

impl Transcript {
    /// The words of a text.
    pub fn words<'a>(self, tokens: &'a mut Tokens, text: Text<'a>) -> Prepared<'a> {
        match text {
            Text::Narrow(text) => self.words_of(tokens, text),
            Text::Wide(text) => self.words_of(tokens, text),
        }
    }

    /// The text whose characters count: as it is but for white space at its ends, or, if it is cleaned, its words with
    /// a space between them.
    pub fn characters<'a>(self, tokens: &'a mut Tokens, text: Text<'a>) -> Text<'a> {
        match text {
            Text::Narrow(text) => self.characters_of(tokens, text),
            Text::Wide(text) => self.characters_of(tokens, text),
        }
    }

    fn characters_of<'a, U: Unit>(self, tokens: &'a mut Tokens, text: &'a [U]) -> Text<'a> {
        if self == Self::default() {
            return U::wrap(trim(text));
        }
        let cleaned = self.clean(text);
        let words = trim(&cleaned);
        split(words, &mut tokens.spans);
        *U::buffer(&mut tokens.cleaned) = join(words, tokens.spans.as_slice());
        U::wrap(U::buffer(&mut tokens.cleaned))
    }

    fn words_of<'a, U: Unit>(self, tokens: &'a mut Tokens, text: &'a [U]) -> Prepared<'a> {
        let mut text = text;
        if self != Self::default() {
            let cleaned = self.clean(text);
            let buffer = U::buffer(&mut tokens.cleaned);
            buffer.clear();
            halt::reserve(buffer, cleaned.len());
            buffer.extend_from_slice(&cleaned);
            text = buffer;
        }
        let text = trim(text);
        split(text, &mut tokens.spans);
        Prepared { text: U::wrap(text), spans: tokens.spans.as_slice() }
    }

    fn clean<U: Unit>(self, text: &[U]) -> Cow<'_, [U]> {
        let mut text = Cow::Borrowed(text);
        if self.standardize {
            expand_contractions(&mut text);
            drop_brackets(&mut text);
            let is_ascii_space = |c: U| matches!(c.byte(), Ok(9..=13)) || matches!(c.byte(), Err(9..=13));
            if any(&text, is_ascii_space) {
                let blank = U::from_ascii(b' ');
                let mut copy = halt::copied(&text);
                copy.iter_mut().filter(|c| is_ascii_space(**c)).for_each(|c| *c = blank);
                text = Cow::Owned(copy);
            }
        }
        if self.remove_punctuation {
            let mut copy = halt::copied(&text);
            copy.retain(|c| !is_punctuation(c.code_point()));
            text = Cow::Owned(copy);
        }
        text
    }
}

/// jiwer's eleven, one after the other.
fn expand_contractions<U: Unit>(text: &mut Cow<'_, [U]>) {
    let apostrophe = U::from_ascii(b'\'');
    if !any(text, |c| c == apostrophe) {
        return;
    }
    let rules: [(&str, &str); 11] = [
        ("won't", "will not"),
        ("can't", "can not"),
        ("let's", "let us"),
        ("n't", " not"),
        ("'re", " are"),
        ("'s", " is"),
        ("'d", " would"),
        ("'ll", " will"),
        ("'t", " not"),
        ("'ve", " have"),
        ("'m", " am"),
    ];
    rules.iter().for_each(|(short, long)| replace(text, short.as_bytes(), long.as_bytes()));
}

/// Drops what stands between an opening bracket, square or angle, and the next closing one, whichever it is.
fn drop_brackets<U: Unit>(text: &mut Cow<'_, [U]>) {
    let [less, open, greater, close] = [b'<', b'[', b'>', b']'].map(U::from_ascii);
    if !any(text, |c| (c == less) | (c == open)) {
        return;
    }
    let (mut kept, mut rest) = (Vec::new(), &text[..]);
    while let Some(start) = rest.iter().position(|&c| c == less || c == open) {
        let Some(length) = rest[start..].iter().position(|&c| c == greater || c == close) else { break };
        kept.extend_from_slice(&rest[..start]);
        rest = &rest[start + length + 1..];
    }
    kept.extend_from_slice(rest);
    *text = Cow::Owned(kept);
}

/// Cuts at spaces, and at white space beside other white space.
fn split<U: Unit>(text: &[U], spans: &mut Spans) {
    spans.reset(text.len());
    let blank = U::from_ascii(b' ');
    let is_space = |at: usize| text.get(at).is_some_and(|c| c.is_space());
    let mut word = 0;
    for start in (0..text.len()).step_by(BLOCK) {
        spans.next_block();
        let mut spaces = U::spaces(text, start);
        while spaces != 0 {
            let at = start + spaces.trailing_zeros() as usize;
            spaces &= spaces - 1;
            if text[at] == blank || is_space(at + 1) || is_space(at.wrapping_sub(1)) {
                spans.push_if(word < at, word, at);
                word = at + 1;
            }
        }
    }
    spans.push_if(word < text.len(), word, text.len());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::narrow_into;
    use crate::unicode::code_points;

    fn words(transcript: Transcript, text: &str) -> String {
        let wide = code_points(text);
        let mut tokens = Tokens::default();
        let found = transcript.words(&mut tokens, Text::Wide(&wide)).joined();
        let mut bytes = vec![0; wide.len()];
        if narrow_into(&wide, &mut bytes) {
            assert_eq!(found, transcript.words(&mut Tokens::default(), Text::Narrow(&bytes)).joined());
        }
        found.into_iter().filter_map(char::from_u32).collect::<String>().replace(' ', "_")
    }

    #[test]
    fn single_white_space_other_than_a_space_is_part_of_a_word() {
        let plain = Transcript::default();
        assert_eq!("a\tb", words(plain, "\ta\tb\t"));
        assert_eq!("a_b_c", words(plain, "a \tb\u{3000}\u{3000}c"));
        assert_eq!("x\u{A0}y_z", words(plain, "  x\u{A0}y   z "));
        assert_eq!("", words(plain, " \t "));
    }

    #[test]
    fn standardizing_expands_contractions_and_drops_brackets() {
        let standard = Transcript { standardize: true, remove_punctuation: false };
        assert_eq!("she_will_say_it_is_not_theirs", words(standard, "she'll say <unk> it isn't [noise] theirs"));
        assert_eq!("tab_here", words(standard, "tab\there"));
        assert_eq!("c>_日", words(standard, "<a[b]c> 日"));
        assert_eq!("a_<x_b", words(standard, "a <x b"));
    }

    #[test]
    fn punctuation_is_deleted_after_contractions_are_expanded() {
        let both = Transcript { standardize: true, remove_punctuation: true };
        assert_eq!("it_is_so", words(both, "it's – so!"));
        let text = code_points(" it's  - so。");
        let mut tokens = Tokens::default();
        let found =
            Transcript { standardize: false, remove_punctuation: true }.characters(&mut tokens, Text::Wide(&text));
        assert_eq!(code_points("its so"), found.code_points());
    }
}
