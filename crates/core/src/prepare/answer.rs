//! Answers to questions, normalised as the scripts of SQuAD do: ASCII punctuation is deleted, the articles `a`, `an`
//! and `the` become spaces, and white space separates tokens. Lower-casing comes first, and is the caller's.

use super::scan::split;
use super::{Prepared, Tokens};
use crate::halt;
use crate::text::{Text, Unit};
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
    halt::resize(cleaned, text.len(), U::from_ascii(b' '));
    let (mut kept, mut seen) = (0, 0);
    for &c in text {
        let kind = match c.byte() {
            Ok(byte) => KINDS[byte as usize],
            Err(wide) => KINDS.get(wide as usize).copied().unwrap_or(OTHER),
        };
        // Writing always and moving on only sometimes avoids a branch that is hard to predict.
        cleaned[kept] = c;
        kept += usize::from(kind != PUNCTUATION);
        seen |= kind;
    }
    cleaned.truncate(kept);
    seen & OTHER == 0
}

const PLAIN: u8 = 0;
const PUNCTUATION: u8 = 1;
const OTHER: u8 = 2;

/// What characters are, for bytes of narrow text too: in both, those from 128 are neither.
static KINDS: [u8; 256] = {
    let mut kinds = [OTHER; 256];
    let mut c = 0_u8;
    while c < 128 {
        if c.is_ascii_punctuation() {
            kinds[c as usize] = PUNCTUATION;
        } else if c.is_ascii_alphanumeric() || c == b' ' {
            kinds[c as usize] = PLAIN;
        }
        c += 1;
    }
    kinds
};

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
    fn articles_go_where_words_begin_and_end() {
        assert_eq!("cat sat", words("the cat, a sat"));
        assert_eq!("wellknown", words("well-known _"));
        assert_eq!("then bana aé éa 中a", words("then bana aé éa 中a an"));
        assert_eq!("“ ” \u{301}bc", words("“a” a\u{301}bc the"));
        assert_eq!("", words("a an the"));
    }
}
