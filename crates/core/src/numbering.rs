//! From text to numbered tokens, for every metric that counts n-grams of tokens.

use crate::ngram::Anchor;
use crate::prepare::{Tokenizer, Tokens};
use crate::symbols::{CharNumbers, SymbolNumbers, WordNumbers};
use crate::text::Text;

/// From text to numbered tokens.
#[allow(clippy::large_enum_variant)] // There is one a thread, and nobody moves it.
pub enum Numbering {
    /// Tokens of a tokenizer.
    Words {
        /// Where tokens begin and end.
        tokenizer: Tokenizer,
        /// The working memory for it.
        tokens: Tokens,
        /// The numbers of the tokens.
        words: WordNumbers,
    },
    /// Characters need no scanning and no hashing.
    Characters(CharNumbers),
    /// Symbols are numbers already, and only want to be small.
    Symbols(SymbolNumbers),
}

impl Numbering {
    /// The numbering for a tokenizer.
    pub fn new(tokenizer: Tokenizer) -> Self {
        match tokenizer {
            Tokenizer::Char => Self::Characters(CharNumbers::new(false)),
            Tokenizer::Symbols => Self::Symbols(SymbolNumbers::default()),
            _ => Self::Words { tokenizer, tokens: Tokens::default(), words: WordNumbers::default() },
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
            Self::Words { tokenizer, tokens, words } => {
                words.number_hypothesis(tokens.prepare(*tokenizer, text), numbers);
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
            Self::Words { tokenizer, tokens, words } => {
                words.number_reference(tokens.prepare(*tokenizer, text), numbers);
            }
            Self::Characters(characters) => characters.number_reference(text, numbers),
            Self::Symbols(symbols) => symbols.number_reference(text, numbers),
        }
    }
}
