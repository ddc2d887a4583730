//! From text to numbered tokens, for every metric that counts n-grams of tokens.

use crate::ngram::Anchor;
use crate::prepare::{Reader, Reading, Tokenizer};
use crate::symbols::{CharNumbers, SymbolNumbers, WordNumbers};
use crate::text::Text;

/// From text to numbered tokens.
#[allow(clippy::large_enum_variant)] // There is one a thread, and nobody moves it.
pub enum Numbering {
    /// Words of some kind.
    Words {
        /// Where words begin and end.
        reader: Reader,
        /// The numbers of the words.
        words: WordNumbers,
    },
    /// Characters need no scanning and no hashing.
    Characters(CharNumbers),
    /// Symbols are numbers already, and only want to be small.
    Symbols(SymbolNumbers),
}

impl Numbering {
    /// The numbering for a way of reading.
    pub fn new(reading: Reading) -> Self {
        match reading {
            Reading::Characters { spaces } => Self::Characters(CharNumbers::new(spaces)),
            Reading::Words(Tokenizer::Symbols) => Self::Symbols(SymbolNumbers::default()),
            _ => Self::Words { reader: Reader::new(reading), words: WordNumbers::default() },
        }
    }

    /// Lists are short by word, and not by character.
    pub fn anchor(&self) -> Anchor {
        match self {
            Self::Words { .. } | Self::Symbols(_) => Anchor::Unigram,
            Self::Characters(_) => Anchor::Bigram,
        }
    }

    /// Numbers the tokens of a hypothesis and returns the highest number.
    pub fn number_hypothesis(&mut self, text: Text<'_>, numbers: &mut Vec<u32>) -> usize {
        match self {
            Self::Words { reader, words } => {
                words.number_hypothesis(reader.words(text), numbers);
                words.highest()
            }
            Self::Characters(characters) => {
                characters.number_hypothesis(text, numbers);
                characters.highest()
            }
            Self::Symbols(symbols) => {
                symbols.number_hypothesis(text, numbers);
                symbols.highest()
            }
        }
    }

    /// Looks the tokens of a reference up.
    pub fn number_reference(&mut self, text: Text<'_>, numbers: &mut Vec<u32>) {
        match self {
            Self::Words { reader, words } => words.number_reference(reader.words(text), numbers),
            Self::Characters(characters) => characters.number_reference(text, numbers),
            Self::Symbols(symbols) => symbols.number_reference(text, numbers),
        }
    }
}
