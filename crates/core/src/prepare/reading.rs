//! How a metric reads a text: as characters, or as words of some kind. The one place that says so.

use super::tercom::Tercom;
use super::transcript::Transcript;
use super::{Prepared, Stemmer, Tokenizer, Tokens, words_with_detached_punctuation};
use crate::text::Text;

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

impl From<Tokenizer> for Reading {
    /// The tokens of BLEU. Those of `char` need no scanning.
    fn from(tokenizer: Tokenizer) -> Self {
        match tokenizer {
            Tokenizer::Char => Self::Characters { spaces: false },
            _ => Self::Words(tokenizer),
        }
    }
}

/// A text as it was read.
pub enum Read<'a> {
    /// Its characters are the tokens, with white space or without.
    Characters(Text<'a>, bool),
    /// Its words are.
    Words(Prepared<'a>),
}

/// Reads texts, with the memory to read the next.
pub struct Reader {
    reading: Reading,
    tokens: Tokens,
    stemmer: Stemmer,
}

impl Reader {
    /// A reader of one kind.
    pub fn new(reading: Reading) -> Self {
        Self { reading, tokens: Tokens::default(), stemmer: Stemmer::default() }
    }

    /// Reads a text.
    pub fn read<'a>(&'a mut self, text: Text<'a>) -> Read<'a> {
        match self.reading {
            Reading::Characters { spaces } => Read::Characters(text, spaces),
            Reading::Transcript { transcript, by_character: true } => {
                Read::Characters(transcript.characters(&mut self.tokens, text), true)
            }
            _ => Read::Words(self.words(text)),
        }
    }

    /// Reads a text as words, each character one where characters are read.
    #[inline]
    pub fn words<'a>(&'a mut self, text: Text<'a>) -> Prepared<'a> {
        let tokens = &mut self.tokens;
        match self.reading {
            Reading::Words(tokenizer) => tokens.prepare(tokenizer, text),
            Reading::Stems(tokenizer) => self.stemmer.stems(tokens.prepare(tokenizer, text)),
            Reading::DetachedWords => words_with_detached_punctuation(tokens, text),
            Reading::Tercom(tercom, passes) => tercom.words(tokens, text, passes),
            Reading::Transcript { transcript, .. } => transcript.words(tokens, text),
            Reading::Characters { spaces } => single_characters(tokens, text, spaces),
        }
    }
}

fn single_characters<'a>(tokens: &'a mut Tokens, text: Text<'a>, spaces: bool) -> Prepared<'a> {
    let tokenizer = if spaces { Tokenizer::Symbols } else { Tokenizer::Char };
    match text {
        Text::Narrow(text) => tokens.tokenize(tokenizer, text),
        Text::Wide(text) => tokens.tokenize(tokenizer, text),
    }
}
