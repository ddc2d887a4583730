//! Answers to questions, normalised as the scripts of SQuAD do: ASCII punctuation is deleted, the articles `a`, `an`
//! and `the` become spaces, and white space separates tokens. Lower-casing comes first, and is the caller's.

use super::scan::Spans;
use super::{Prepared, Tokens};
use crate::halt;
use crate::text::{BLOCK, Text, Unit};
use crate::unicode::{NARROW_SPACES, is_space};
use crate::windows1252::decode;
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

    /// Marks stand mostly at the ends of words, so a text is copied whole, and letters are moved only where a mark
    /// stood inside a word. One walk over the notable characters finds the words and rids them of marks. Whether the
    /// next one is a space or a mark, and how long a word is, cannot be predicted, so there is no branch for either.
    fn words_of<'a, U: Unit>(&self, tokens: &'a mut Tokens, text: &'a [U]) -> Prepared<'a> {
        let (cleaned, spans) = (U::buffer(&mut tokens.cleaned), &mut tokens.spans);
        copy_padded(text, cleaned);
        spans.reset(text.len());
        let mut word = Word::default();
        for start in (0..text.len()).step_by(BLOCK) {
            spans.next_block();
            let mut notable = U::notable(text, start);
            while notable != 0 {
                let at = start + notable.trailing_zeros() as usize;
                notable &= notable - 1;
                let kind = kind(text[at]);
                if kind == OTHER {
                    word.is_odd = true;
                    continue;
                }
                word.take_letters(at, cleaned);
                let is_space = kind == SPACE;
                if word.is_odd && is_space {
                    self.split_odd(&mut word, cleaned, spans);
                }
                spans.push_if(is_space & word.counts(cleaned), word.start, word.end);
                (word.start, word.end) = if is_space { (at + 1, at + 1) } else { (word.start, word.end) };
            }
        }
        word.take_letters(text.len(), cleaned);
        if word.is_odd {
            self.split_odd(&mut word, cleaned, spans);
        }
        spans.push_if(word.counts(cleaned), word.start, word.end);
        Prepared { text: U::wrap(cleaned), spans: spans.as_slice() }
    }

    /// Adds the tokens of a word inside which articles may stand; the last of them is left for the caller.
    #[cold]
    fn split_odd<U: Unit>(&self, word: &mut Word, text: &mut [U], spans: &mut Spans) {
        self.blank_articles(&mut text[word.start..word.end]);
        let is_blank = |at: &usize| text[*at] == U::from_ascii(b' ');
        for at in (word.start..word.end).filter(is_blank) {
            spans.next_block();
            spans.push_if(word.start < at, word.start, at);
            word.start = at + 1;
        }
        word.is_odd = false;
    }

    /// Puts spaces in place of articles that stand between word boundaries.
    fn blank_articles<U: Unit>(&self, text: &mut [U]) {
        let [a, t, blank] = [b'a', b't', b' '].map(U::from_ascii);
        for at in 0..text.len() {
            if (text[at] == a || text[at] == t) && (at == 0 || !self.is_word(text[at - 1])) {
                let article = ["a", "an", "the"].into_iter().find(|article| self.stands_here(&text[at..], article));
                text[at..at + article.map_or(0, str::len)].fill(blank);
            }
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

/// A word that is being read.
#[derive(Default)]
struct Word {
    start: usize,
    end: usize,
    from: usize,  // where the letters begin that have not been taken yet
    is_odd: bool, // whether it has characters that may be no part of a word to `\b`
}

impl Word {
    /// Takes the letters up to a mark or a space; the gap that a mark left is closed.
    #[inline(always)]
    fn take_letters<U: Unit>(&mut self, at: usize, text: &mut [U]) {
        let (from, is_empty) = (self.from, self.start == self.end);
        self.from = at + 1;
        if !is_empty & (from < at) {
            text.copy_within(from..at, self.end);
            self.end += at - from;
        }
        (self.start, self.end) = if is_empty { (from, at) } else { (self.start, self.end) };
    }

    /// Whether something is left of the word, and it is no article.
    #[inline(always)]
    fn counts<U: Unit>(&self, text: &[U]) -> bool {
        let length = self.end - self.start;
        let [first, second, third] = [0, 1, 2].map(|after| text[self.start + after]);
        let is = |c: U, letter: u8| c == U::from_ascii(letter);
        let a = is(first, b'a') & ((length == 1) | (length == 2) & is(second, b'n'));
        (length > 0) & !a & !((length == 3) & is(first, b't') & is(second, b'h') & is(third, b'e'))
    }
}

/// Copies a text, with blanks behind it so that three characters may be read from wherever a word begins.
fn copy_padded<U: Unit>(text: &[U], copy: &mut Vec<U>) {
    copy.clear();
    halt::reserve(copy, text.len() + PADDING);
    copy.extend_from_slice(text);
    copy.extend([U::from_ascii(b' '); PADDING]);
}

/// A word that is empty may begin at the end of the text.
const PADDING: usize = 3;

/// What a character is that is not plainly a letter or a digit.
const OTHER: u8 = 0;
const PUNCTUATION: u8 = 1;
const SPACE: u8 = 2;

#[inline(always)]
fn kind<U: Unit>(c: U) -> u8 {
    match c.byte() {
        Ok(byte) => KINDS[byte as usize],
        Err(ascii @ 0..0x80) => KINDS[ascii as usize],
        Err(wide) => u8::from(is_space(wide)) * SPACE,
    }
}

/// By byte of Windows-1252.
static KINDS: [u8; 256] = {
    let mut kinds = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        let c = decode(byte as u8) as usize;
        if (byte as u8).is_ascii_punctuation() {
            kinds[byte] = PUNCTUATION;
        } else if c < NARROW_SPACES.len() && NARROW_SPACES[c] {
            kinds[byte] = SPACE;
        }
        byte += 1;
    }
    kinds
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::code_points;
    use proptest::prelude::*;

    fn words(text: &str) -> String {
        words_in(Text::Wide(&code_points(text)))
    }

    fn words_in(text: Text<'_>) -> String {
        let answer = Answer { word_characters: Arc::from([0xDF..=0xF6, 0x4E00..=0x9FFF]) };
        let found = answer.words(&mut Tokens::default(), text).joined();
        found.into_iter().filter_map(char::from_u32).collect()
    }

    /// The normalisation as it is described, one pass for each step.
    fn naive(text: &str) -> String {
        let is_word =
            |c: char| c.is_ascii_alphanumeric() || ('ß'..='ö').contains(&c) || ('一'..='\u{9FFF}').contains(&c);
        let plain: String = text.chars().filter(|c| !c.is_ascii_punctuation()).collect();
        let mut parts: Vec<String> = Vec::new();
        for c in plain.chars() {
            match parts.last_mut() {
                Some(part) if is_word(c) && part.chars().all(is_word) => part.push(c),
                _ => parts.push(c.to_string()),
            }
        }
        let is_article = |part: &String| ["a", "an", "the"].contains(&part.as_str());
        parts.iter_mut().filter(|part| is_article(part)).for_each(|part| *part = " ".to_owned());
        let is_python_space = |c: char| is_space(c.into());
        let text = parts.concat();
        text.split(is_python_space).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }

    proptest! {
        #[test]
        fn one_walk_equals_the_passes(
            text in prop::collection::vec(prop::sample::select(vec![
                "a", "an", "the", "t", "h", "n", "s", " ", "  ", "\t", "\u{A0}", "\u{85}", "\u{2028}", "-", "'", "_",
                ".", "“", "’", "é", "ß", "中", "\u{301}", "\0", "1", "the a", "wörd",
            ]), 0..90),
        ) {
            let text = text.concat();
            prop_assert_eq!(naive(&text), words(&text));
            let wide = code_points(&text);
            let mut narrow = vec![0; wide.len()];
            if crate::text::narrow_into(&wide, &mut narrow) {
                prop_assert_eq!(naive(&text), words_in(Text::Narrow(&narrow)));
            }
        }
    }

    #[test]
    fn what_is_not_notable_is_a_letter_or_a_digit() {
        for c in (0..0x3000_u32).filter(|&c| u32::notable(&[c], 0) == 0) {
            assert!(char::from_u32(c).is_some_and(char::is_alphanumeric), "{c:x}");
        }
        for c in (0..=255_u8).filter(|&c| u8::notable(&[c], 0) == 0) {
            assert!(char::from_u32(c.code_point()).is_some_and(char::is_alphanumeric), "{c:x}");
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
