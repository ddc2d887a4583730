//! Answers to questions, normalised as the scripts of SQuAD do: ASCII punctuation is deleted, the articles `a`, `an`
//! and `the` become spaces, and white space separates tokens. Lower-casing comes first, and is the caller's.

use super::scan::split;
use super::{Prepared, Tokens};
use crate::halt;
use crate::text::{BLOCK, Text, Unit, bits};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The normalisation, and which characters words are made of.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What Python's `\w` matches, as ranges in ascending order. It depends on the Unicode version of the interpreter.
    pub word_characters: Arc<[RangeInclusive<u32>]>,
}

impl Answer {
    /// The tokens of an answer.
    pub fn words<'a>(&self, tokens: &'a mut Tokens, text: Text<'a>) -> Prepared<'a> {
        match text {
            Text::Narrow(text) => self.words_of(tokens, text),
            Text::Wide(text) => self.words_of(tokens, text),
        }
    }

    fn words_of<'a, U: Unit>(&self, tokens: &'a mut Tokens, text: &'a [U]) -> Prepared<'a> {
        let cleaned = U::buffer(&mut tokens.cleaned);
        let is_plain = drop_punctuation(text, cleaned);
        if !is_plain {
            self.blank_articles(cleaned);
        }
        let text = split(cleaned, &mut tokens.spans);
        if is_plain {
            // Words end only where spaces are.
            tokens.spans.retain(|span| {
                let (start, end) = span.bounds();
                end - start > 3 || !is_article(span.of(text))
            });
        }
        Prepared { text: U::wrap(text), spans: tokens.spans.as_slice() }
    }

    /// Puts spaces in place of articles that stand between word boundaries.
    fn blank_articles<U: Unit>(&self, text: &mut [U]) {
        let [a, t, blank] = [b'a', b't', b' '].map(U::from_ascii);
        let mut at = 0;
        let mut inside = false; // whether the character before is part of a word
        while at < text.len() {
            if !inside && (text[at] == a || text[at] == t) {
                let article = ["a", "an", "the"].into_iter().find(|article| self.stands_here(&text[at..], article));
                if let Some(article) = article {
                    text[at..at + article.len()].fill(blank);
                    at += article.len();
                    continue;
                }
            }
            inside = self.is_word(text[at]);
            at += 1;
        }
    }

    /// Whether a text begins with an article after which no word goes on.
    fn stands_here<U: Unit>(&self, text: &[U], article: &str) -> bool {
        let begins =
            text.len() >= article.len() && text.iter().zip(article.bytes()).all(|(&c, b)| c == U::from_ascii(b));
        begins && !text.get(article.len()).is_some_and(|&c| self.is_word(c))
    }

    #[inline]
    fn is_word<U: Unit>(&self, c: U) -> bool {
        let c = c.code_point();
        if c < 0x80 {
            return (c as u8).is_ascii_alphanumeric() || c == u32::from(b'_');
        }
        let after = self.word_characters.partition_point(|range| *range.end() < c);
        self.word_characters.get(after).is_some_and(|range| range.contains(&c))
    }
}

fn is_article<U: Unit>(word: &[U]) -> bool {
    let is = |at: usize, letter: u8| word[at] == U::from_ascii(letter);
    match word.len() {
        1 => is(0, b'a'),
        2 => is(0, b'a') && is(1, b'n'),
        3 => is(0, b't') && is(1, b'h') && is(2, b'e'),
        _ => false,
    }
}

/// Copies a text without ASCII punctuation, and tells whether all that is left is ASCII letters, digits and spaces.
fn drop_punctuation<U: Unit>(text: &[U], cleaned: &mut Vec<U>) -> bool {
    cleaned.clear();
    halt::reserve(cleaned, text.len());
    let (mut from, mut others) = (0, 0);
    for start in (0..text.len()).step_by(BLOCK) {
        others |= bits(text, start, |c| kind(c) == OTHER);
        let mut marks = bits(text, start, |c| kind(c) == PUNCTUATION);
        while marks != 0 {
            let at = start + marks.trailing_zeros() as usize;
            marks &= marks - 1;
            cleaned.extend_from_slice(&text[from..at]);
            from = at + 1;
        }
    }
    cleaned.extend_from_slice(&text[from..]);
    others == 0
}

#[cfg(test)]
const PLAIN: u8 = 0;
const PUNCTUATION: u8 = 1;
const OTHER: u8 = 2;

/// What a character is. Bytes of narrow text from 128 on are other characters, whichever they stand for.
#[inline(always)]
fn kind<U: Unit>(c: U) -> u8 {
    // Without branches, so that 64 characters are asked at once.
    let kind = |c: u32| {
        let within = |first: u8, last: u8| c.wrapping_sub(u32::from(first)) <= u32::from(last - first);
        let is_plain = within(b'a', b'z') | within(b'A', b'Z') | within(b'0', b'9') | (c == u32::from(b' '));
        let is_punctuation = within(b'!', b'~') & !is_plain;
        (u8::from(is_punctuation) * PUNCTUATION) | (u8::from(!is_plain & !is_punctuation) * OTHER)
    };
    match c.byte() {
        Ok(byte) => kind(u32::from(byte)),
        Err(wide) => kind(wide),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::code_points;

    fn words(text: &str) -> String {
        let answer = Answer { word_characters: Arc::from([0xDF..=0xF6, 0x4E00..=0x9FFF]) };
        let mut tokens = Tokens::default();
        let text = code_points(text);
        let found = answer.words(&mut tokens, Text::Wide(&text)).joined();
        found.into_iter().filter_map(char::from_u32).collect()
    }

    #[test]
    fn characters_are_of_three_kinds() {
        for c in 0..0x300_u32 {
            let is_ascii = |test: fn(&char) -> bool| c < 0x80 && char::from_u32(c).is_some_and(|c| test(&c));
            let is_plain = is_ascii(char::is_ascii_alphanumeric) || c == 0x20;
            let expected = match (is_plain, is_ascii(char::is_ascii_punctuation)) {
                (true, _) => PLAIN,
                (_, true) => PUNCTUATION,
                _ => OTHER,
            };
            assert_eq!(expected, kind(c));
            if let Ok(byte) = u8::try_from(c) {
                assert_eq!(expected, kind(byte));
            }
        }
    }

    #[test]
    fn punctuation_goes_from_texts_of_any_length() {
        for length in [0, 1, 63, 64, 65, 127, 128, 129, 200] {
            let text: String = "ab, c-d. (e)".chars().cycle().take(length).collect();
            let mut cleaned = Vec::new();
            assert!(drop_punctuation(text.as_bytes(), &mut cleaned));
            let expected: Vec<u8> = text.bytes().filter(|c| !c.is_ascii_punctuation()).collect();
            assert_eq!(expected, cleaned);
        }
    }

    #[test]
    fn articles_go_where_words_begin_and_end() {
        assert_eq!("cat sat", words("the cat, a sat"));
        assert_eq!("wellknown", words("well-known _"));
        assert_eq!("then bana aé éa 中a", words("then bana aé éa 中a an"));
        assert_eq!("“ ” \u{301}bc", words("“a” a\u{301}bc the"));
        assert_eq!("", words("a an the"));
    }
}
