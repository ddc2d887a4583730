//! Texts as sequences of numbers that are equal for equal tokens of all texts.
//!
//! [`crate::symbols`] numbers the tokens of one segment, as small as possible; here numbers last as long as a
//! [`Vocabulary`]. Characters are their own numbers.

use crate::prepare::tercom::Tercom;
use crate::prepare::transcript::Transcript;
use crate::prepare::{Prepared, Stemmer, Tokenizer, Tokens, words_with_detached_punctuation};
use crate::text::{Text, Unit};
use std::collections::HashMap;

/// The number of a token that the vocabulary does not have.
pub const UNKNOWN: u32 = 0;

/// How a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Character by character, with white space or without.
    Characters {
        /// With white space.
        spaces: bool,
    },
    /// By a tokenizer, as BLEU does.
    Words(Tokenizer),
    /// By a tokenizer, and each word by its stem, as ROUGE does.
    Stems(Tokenizer),
    /// Split on white space, with punctuation detached, as chrF++ does.
    DetachedWords,
    /// As TER does: the tokenizer and how often it is applied.
    Tercom(Tercom, usize),
    /// As WER and CER do.
    Transcript {
        /// How the text is cleaned.
        transcript: Transcript,
        /// Whether characters are read and not words.
        by_character: bool,
    },
}

/// Numbers for words, from 1 up.
#[derive(Default)]
pub struct Vocabulary {
    numbers: HashMap<Box<[u32]>, u32>,
}

impl Vocabulary {
    /// How many words are known.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Forgets all words.
    pub fn clear(&mut self) {
        self.numbers.clear();
    }

    /// The number of a word, if it is known.
    pub fn find(&self, word: &[u32]) -> Option<u32> {
        self.numbers.get(word).copied()
    }

    /// The number of a word, which is known from now on.
    pub fn learn(&mut self, word: &[u32]) -> u32 {
        self.find(word).unwrap_or_else(|| {
            let number = self.numbers.len() as u32 + 1;
            self.numbers.insert(word.into(), number);
            number
        })
    }
}

/// Reads texts, with the memory to read the next.
pub struct SymbolReader {
    reading: Reading,
    tokens: Tokens,
    stemmer: Stemmer,
    word: Vec<u32>,
}

impl SymbolReader {
    /// A reader of one kind.
    pub fn new(reading: Reading) -> Self {
        Self { reading, tokens: Tokens::default(), stemmer: Stemmer::default(), word: Vec::new() }
    }

    /// Writes the symbols of a text, whose words are numbered by `number`.
    pub fn read(&mut self, text: Text<'_>, symbols: &mut Vec<u32>, number: impl FnMut(&[u32]) -> u32) {
        symbols.clear();
        let words = match self.reading {
            Reading::Characters { spaces } => return read_characters(text, spaces, symbols),
            Reading::Words(tokenizer) => self.tokens.prepare(tokenizer, text),
            Reading::Stems(tokenizer) => self.stemmer.stems(self.tokens.prepare(tokenizer, text)),
            Reading::DetachedWords => words_with_detached_punctuation(&mut self.tokens, text),
            Reading::Tercom(tercom, passes) => tercom.words(&mut self.tokens, text, passes),
            Reading::Transcript { transcript, by_character: true } => {
                return read_characters(transcript.characters(&mut self.tokens, text), true, symbols);
            }
            Reading::Transcript { transcript, .. } => transcript.words(&mut self.tokens, text),
        };
        number_words(words, &mut self.word, symbols, number);
    }
}

fn number_words(
    words: Prepared<'_>,
    word: &mut Vec<u32>,
    symbols: &mut Vec<u32>,
    mut number: impl FnMut(&[u32]) -> u32,
) {
    match words.text {
        Text::Narrow(text) => symbols.extend(words.spans.iter().map(|span| {
            word.clear();
            word.extend(span.of(text).iter().map(|c| c.code_point()));
            number(word)
        })),
        Text::Wide(text) => symbols.extend(words.spans.iter().map(|span| number(span.of(text)))),
    }
}

fn read_characters(text: Text<'_>, spaces: bool, symbols: &mut Vec<u32>) {
    match text {
        Text::Narrow(text) => symbols.extend(characters(text, spaces)),
        Text::Wide(text) => symbols.extend(characters(text, spaces)),
    }
}

/// Code points plus one, because zero is no symbol.
fn characters<U: Unit>(text: &[U], spaces: bool) -> impl Iterator<Item = u32> {
    text.iter().filter(move |c| spaces || !c.is_space()).map(|c| c.code_point() + 1)
}
