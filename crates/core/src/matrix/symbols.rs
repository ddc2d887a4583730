//! Texts as sequences of numbers that are equal for equal tokens of all texts.
//!
//! [`crate::symbols`] numbers the tokens of one segment, as small as possible; here numbers last as long as a
//! [`Vocabulary`]. Characters are their own numbers.

use crate::prepare::{Prepared, Read, Reader, Reading};
use crate::text::{Text, Unit};
use std::collections::HashMap;

/// The number of a token that the vocabulary does not have.
pub const UNKNOWN: u32 = 0;

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
    reader: Reader,
    word: Vec<u32>,
}

impl SymbolReader {
    /// A reader of one kind.
    pub fn new(reading: Reading) -> Self {
        Self { reader: Reader::new(reading), word: Vec::new() }
    }

    /// Writes the symbols of a text, whose words are numbered by `number`.
    pub fn read(&mut self, text: Text<'_>, symbols: &mut Vec<u32>, number: impl FnMut(&[u32]) -> u32) {
        symbols.clear();
        match self.reader.read(text) {
            Read::Characters(text, spaces) => read_characters(text, spaces, symbols),
            Read::Words(words) => number_words(words, &mut self.word, symbols, number),
        }
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
