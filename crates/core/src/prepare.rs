//! Prepare: from the text of a segment to its tokens.
//!
//! A tokenizer never copies a token. After clean-up (entities, deleted characters), every
//! tokenizer of sacreBLEU only inserts spaces, so a token is always a stretch of the text and
//! tokenizing means finding where the stretches begin and end. One scanner, `scan`, does that
//! for all of them; they differ in how they classify characters.

pub mod answer;
pub(crate) mod blocks;
mod categories;
pub(crate) mod classes;
pub(crate) mod intl;
#[cfg(any(test, fuzzing))]
pub mod naive;
mod porter;
pub mod punkt;
mod reading;
mod rouge;
mod scan;
pub mod tercom;
pub mod transcript;
pub mod treebank;
pub(crate) mod v13a;
mod words;
pub(crate) mod zh;

use crate::halt;
use crate::text::{BLOCK, Buffers, Text, Unit, trim, trim_end};
pub use intl::is_number;
pub use porter::Stemmer;
pub use reading::{Read, Reader, Reading};
pub use rouge::Reach;
pub use scan::Span;
use scan::{Spans, scan, split};
pub use words::words_with_detached_punctuation;

/// The tokenizers that work on any text without a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokenizer {
    /// Split on white space.
    None,
    /// Every character is a token.
    Char,
    /// mteval-v13a, the default of sacreBLEU.
    V13a,
    /// The core of `13a` without its clean-up.
    Western,
    /// mteval-v14 with Unicode classes.
    Intl,
    /// Every Chinese character is a token, the rest goes through the Western core.
    Zh,
    /// Runs of ASCII letters and digits in small letters, as rouge-score has them.
    Rouge,
    /// Words of any script; text comes in small letters.
    RougeUnicode,
    /// The text is no text but tokens that somebody else has numbered, a unit each: see [`crate::tokens`].
    Symbols,
}

impl Tokenizer {
    /// The tokenizer that sacreBLEU knows by this name; the Western core is called `re` there.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "none" => Self::None,
            "char" => Self::Char,
            "13a" => Self::V13a,
            "re" => Self::Western,
            "intl" => Self::Intl,
            "zh" => Self::Zh,
            "rouge" => Self::Rouge,
            "rouge-unicode" => Self::RougeUnicode,
            _ => return None,
        })
    }
}

/// The tokens of one text, with the memory to make the next ones.
#[derive(Default)]
pub struct Tokens {
    cleaned: Buffers,
    spans: Spans,
    pieces: Vec<Span>,
}

impl Tokens {
    /// Tokenizes a segment as BLEU does: trailing white space is removed first.
    pub fn prepare<'a>(&'a mut self, tokenizer: Tokenizer, segment: Text<'a>) -> Prepared<'a> {
        match segment {
            Text::Narrow(text) => self.tokenize(tokenizer, trim_end(text)),
            Text::Wide(text) => self.tokenize(tokenizer, trim_end(text)),
        }
    }

    /// Forgets where the tokens of a long text are, once they have been numbered: that takes 8 bytes each.
    pub fn let_go(&mut self) {
        self.spans.let_go();
    }

    /// Tokenizes a text as it is.
    pub fn tokenize<'a, U: Unit>(&'a mut self, tokenizer: Tokenizer, text: &'a [U]) -> Prepared<'a> {
        let spans = &mut self.spans;
        let text = match tokenizer {
            Tokenizer::None => split(text, spans),
            Tokenizer::Char => characters(text, spans),
            Tokenizer::V13a => scan(v13a::clean(text, U::buffer(&mut self.cleaned)), v13a::classes(), true, spans),
            Tokenizer::Western => scan(text, v13a::classes(), false, spans),
            Tokenizer::Intl => scan(text, intl::classes(), false, spans),
            Tokenizer::Zh => scan(trim(text), zh::classes(), false, spans),
            Tokenizer::Rouge => rouge::ascii_words(rouge::lower(text, U::buffer(&mut self.cleaned)), spans),
            Tokenizer::RougeUnicode => rouge::unicode_words(text, spans),
            Tokenizer::Symbols => units(text, spans),
        };
        Prepared { text: U::wrap(text), spans: spans.as_slice() }
    }
}

/// A text and where its tokens are.
#[derive(Clone, Copy)]
pub struct Prepared<'a> {
    /// The cleaned text.
    pub text: Text<'a>,
    /// The tokens, from left to right.
    pub spans: &'a [Span],
}

impl Prepared<'_> {
    /// The code points of the tokens, joined by single spaces.
    pub fn joined(self) -> Vec<u32> {
        join(&self.text.code_points(), self.spans)
    }
}

/// The tokens joined by single spaces.
fn join<U: Unit>(text: &[U], spans: &[Span]) -> Vec<U> {
    let (mut joined, lengths) = (Vec::new(), spans.iter().map(|span| span.of(text).len() + 1));
    halt::reserve(&mut joined, lengths.sum());
    for span in spans {
        halt::spend(1);
        if !joined.is_empty() {
            joined.push(U::from_ascii(b' '));
        }
        joined.extend_from_slice(span.of(text));
    }
    joined
}

/// The text with every visible character a token.
fn characters<'a, U: Unit>(text: &'a [U], spans: &mut Spans) -> &'a [U] {
    single(text, spans, |c| !c.is_space())
}

/// The text with every unit a token, white space or not.
fn units<'a, U: Unit>(text: &'a [U], spans: &mut Spans) -> &'a [U] {
    single(text, spans, |_| true)
}

/// The text with each unit that passes the test a token.
fn single<'a, U: Unit>(text: &'a [U], spans: &mut Spans, test: impl Fn(U) -> bool) -> &'a [U] {
    spans.reset(text.len());
    for (start, block) in (0..).step_by(BLOCK).zip(text.chunks(BLOCK)) {
        spans.next_block();
        (start..).zip(block).for_each(|(at, &c)| spans.push_if(test(c), at, at + 1));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::narrow_into;
    use crate::unicode::code_points;
    use proptest::prelude::*;

    fn texts() -> impl Strategy<Value = Vec<u32>> {
        let characters =
            code_points("aZé1290..,,--  \t\u{1C}\u{A0}'!$%&(/@[^`{~“’…–€½¿«»中文，。ひ\u{3000}\u{2028}😀٣Ⅷ");
        prop::collection::vec(prop::sample::select(characters), 0..150)
    }

    /// Pieces of what is cleaned away before the passes, and what stands around them.
    fn marked_up() -> impl Strategy<Value = Vec<u32>> {
        let pieces = [
            "&amp;",
            "&quot;",
            "&lt;",
            "&gt;",
            "amp;",
            "quot;",
            "lt;",
            "&",
            "<skipped>",
            "<skip",
            "ped>",
            "-",
            "\n",
            "\n-",
            "-\n",
            " ",
            "'s",
            "'",
            "s",
            "1",
            ".",
            ",",
            "a",
            "\"",
            "。",
            "中",
            "\u{85}",
        ];
        prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..30)
            .prop_map(|pieces| code_points(&pieces.concat()))
    }

    /// What the text says of itself in either unit must be what the passes make of it.
    fn check(text: &[u32]) -> Result<(), TestCaseError> {
        let mut narrow = vec![0; text.len()];
        let is_narrow = narrow_into(text, &mut narrow);
        for tokenizer in naive::TOKENIZERS {
            let expected = naive::tokens(tokenizer, text);
            prop_assert_eq!(&expected, &naive::found(Tokens::default().tokenize(tokenizer, text)), "{:?}", tokenizer);
            if is_narrow {
                prop_assert_eq!(&expected, &naive::found(Tokens::default().tokenize(tokenizer, &narrow)));
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn one_scan_equals_the_passes_in_either_unit(text in texts()) {
            check(&text)?;
        }

        #[test]
        fn clean_up_equals_the_passes_in_either_unit(text in marked_up()) {
            check(&text)?;
        }

        #[test]
        fn the_words_of_ter_are_those_of_its_passes(text in prop_oneof![texts(), marked_up()], passes in 1_usize..=2) {
            let mut narrow = vec![0; text.len()];
            let is_narrow = narrow_into(&text, &mut narrow);
            for options in naive::tercom_options() {
                let expected = naive::tercom_words(options, &text, passes);
                let mut tokens = Tokens::default();
                let wide = naive::found(options.words(&mut tokens, Text::Wide(&text), passes));
                prop_assert_eq!(&expected, &wide, "{:?}", options);
                if is_narrow {
                    let narrow = naive::found(options.words(&mut tokens, Text::Narrow(&narrow), passes));
                    prop_assert_eq!(&expected, &narrow, "{:?}", options);
                }
            }
        }
    }

    #[test]
    fn runs_of_points_between_digits_are_split_in_twos() {
        let joined = |line: &str| Tokens::default().tokenize(Tokenizer::V13a, &code_points(line)).joined();
        assert_eq!(code_points("1 . . .2"), joined("1...2"));
        assert_eq!(code_points("1 . . . . 2"), joined("1....2"));
        assert_eq!(code_points("3 - -4 a-b"), joined("3--4 a-b"));
        assert_eq!(code_points("< & quot ;"), joined("&amp;lt; &amp;quot;"));
    }
}
