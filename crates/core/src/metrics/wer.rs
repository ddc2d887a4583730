//! Word error rate and its kin, equal to jiwer 4.0.0: WER, MER, WIL, WIP, SER, and CER by character.
//!
//! All of them count one alignment ([`crate::align`]) and differ in the formula. Rows are whole numbers, so that sums
//! are exact in any order. Of several references the one with the lowest error rate counts, of equals the first.

use crate::align::{Aligner, Counts, Step};
use crate::batch::{Batch, Segment};
use crate::matrix::edits::Sentences;
use crate::matrix::symbols::{SymbolReader, Vocabulary};
use crate::matrix::{Index, Matrix, Scorer};
use crate::metric::{Counter, Formula, Metric};
use crate::prepare::transcript::Transcript;
use crate::prepare::{Reading, Tokens};
use crate::symbols::{CharNumbers, WordNumbers};
use crate::text::Text;

/// The options of the family.
#[derive(Clone, Copy, Debug)]
pub struct Wer {
    /// What is made of the counts.
    pub rate: Rate,
    /// Whether characters are counted and not words.
    pub by_character: bool,
    /// How texts are cleaned.
    pub transcript: Transcript,
    /// Whether nothing but the error rate is wanted. Then a row has the reference's length as hits and the distance as
    /// insertions, which give the same rate, and no alignment is made.
    pub distance_only: bool,
}

/// A formula over hits, substitutions, deletions and insertions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// Errors for each reference token. WER of words, CER of characters.
    Error,
    /// Errors for each step of the alignment.
    Match,
    /// One less the information preserved.
    InformationLost,
    /// The share of hits in the reference times that in the hypothesis.
    InformationPreserved,
    /// Segments with an error.
    Sentence,
}

impl Rate {
    /// The rate of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "wer" => Self::Error,
            "mer" => Self::Match,
            "wil" => Self::InformationLost,
            "wip" => Self::InformationPreserved,
            "ser" => Self::Sentence,
            _ => return None,
        })
    }
}

/// A row is `[hits, substitutions, deletions, insertions, wrong, segments]`, the first four by [`Step`].
const WRONG: usize = 4;
const SEGMENTS: usize = 5;
const WIDTH: usize = 6;

impl Formula for Wer {
    fn width(&self) -> usize {
        WIDTH
    }

    fn score(&self, totals: &[f64]) -> f64 {
        let of = |step: Step| totals[step as usize];
        let errors = of(Step::Substitute) + of(Step::Delete) + of(Step::Insert);
        let pairs = of(Step::Hit) + of(Step::Substitute);
        let (reference, hypothesis) = (pairs + of(Step::Delete), pairs + of(Step::Insert));
        100.0
            * match self.rate {
                Rate::Error => error_rate(errors, reference),
                Rate::Match if reference > 0.0 => errors / (reference + of(Step::Insert)),
                Rate::Match => f64::from(errors > 0.0),
                Rate::InformationLost => 1.0 - preserved(of(Step::Hit), reference, hypothesis),
                Rate::InformationPreserved => preserved(of(Step::Hit), reference, hypothesis),
                Rate::Sentence if totals[SEGMENTS] > 0.0 => totals[WRONG] / totals[SEGMENTS],
                Rate::Sentence => 0.0,
            }
    }
}

/// Errors for each reference token; without any, jiwer gives the number of errors.
fn error_rate(errors: f64, reference: f64) -> f64 {
    if reference > 0.0 { errors / reference } else { errors }
}

/// The word information preserved; 1 where there is nothing on either side.
fn preserved(hits: f64, reference: f64, hypothesis: f64) -> f64 {
    if reference > 0.0 && hypothesis > 0.0 {
        (hits / reference) * (hits / hypothesis)
    } else {
        f64::from(reference == hypothesis)
    }
}

impl Metric for Wer {
    type Counter = WerCounter;

    fn counter(&self) -> WerCounter {
        let numbering = if self.by_character {
            Numbering::Characters(CharNumbers::new(true))
        } else {
            Numbering::Words(WordNumbers::default())
        };
        WerCounter {
            distance_only: self.distance_only,
            transcript: self.transcript,
            tokens: Tokens::default(),
            numbering,
            numbers: Default::default(),
            aligner: Aligner::default(),
        }
    }
}

impl Matrix for Wer {
    fn index<'a>(&'a self, references: &'a Batch) -> Box<dyn Index + 'a> {
        let mut vocabulary = Vocabulary::default();
        let sentences = Sentences::read(self.reading(), references, &mut vocabulary);
        let highest = sentences.highest();
        Box::new(WerIndex { metric: self, sentences, vocabulary, highest })
    }
}

impl Wer {
    fn reading(&self) -> Reading {
        Reading::Transcript { transcript: self.transcript, by_character: self.by_character }
    }

    /// Fills the row of one reference.
    fn fill(counts: Counts, row: &mut [f64]) {
        row[..counts.len()].iter_mut().zip(counts).for_each(|(cell, count)| *cell = count as f64);
        row[WRONG] = f64::from(counts[1..] != [0; 3]);
        row[SEGMENTS] = 1.0;
    }
}

/// Tokens to numbers, by word or by character.
#[allow(clippy::large_enum_variant)] // There is one a thread, and nobody moves it.
enum Numbering {
    Words(WordNumbers),
    Characters(CharNumbers),
}

/// Counts the rows of the family.
pub struct WerCounter {
    distance_only: bool,
    transcript: Transcript,
    tokens: Tokens,
    numbering: Numbering,
    numbers: [Vec<u32>; 2],
    aligner: Aligner,
}

impl Counter for WerCounter {
    fn count(&mut self, segment: Segment<'_>, row: &mut [f64]) {
        let highest = self.number_hypothesis(segment.hypothesis());
        let mut best = f64::INFINITY;
        for reference in segment.references() {
            self.number_reference(reference);
            let [ours, theirs] = &self.numbers;
            let counts = if self.distance_only {
                [theirs.len(), 0, 0, self.aligner.distance(theirs, ours, highest)]
            } else {
                self.aligner.counts(theirs, ours, highest)
            };
            let rate = error_rate(counts[1..].iter().sum::<usize>() as f64, theirs.len() as f64);
            if rate < best {
                best = rate;
                Wer::fill(counts, row);
            }
        }
    }
}

impl WerCounter {
    /// Numbers the tokens of a hypothesis and returns the highest number.
    fn number_hypothesis(&mut self, text: Text<'_>) -> usize {
        let numbers = &mut self.numbers[0];
        match &mut self.numbering {
            Numbering::Words(words) => {
                words.number_hypothesis(self.transcript.words(&mut self.tokens, text), numbers);
                words.highest()
            }
            Numbering::Characters(characters) => {
                characters.number_hypothesis(self.transcript.characters(&mut self.tokens, text), numbers);
                characters.highest()
            }
        }
    }

    fn number_reference(&mut self, text: Text<'_>) {
        let numbers = &mut self.numbers[1];
        match &mut self.numbering {
            Numbering::Words(words) => {
                words.number_reference(self.transcript.words(&mut self.tokens, text), numbers);
            }
            Numbering::Characters(characters) => {
                characters.number_reference(self.transcript.characters(&mut self.tokens, text), numbers);
            }
        }
    }
}

/// References as numbered tokens.
struct WerIndex<'a> {
    metric: &'a Wer,
    sentences: Sentences,
    vocabulary: Vocabulary,
    highest: u32,
}

impl Index for WerIndex<'_> {
    fn scorer(&self) -> Box<dyn Scorer + '_> {
        Box::new(WerScorer {
            index: self,
            symbols: SymbolReader::new(self.metric.reading()),
            strangers: Vocabulary::default(),
            tokens: Vec::new(),
            aligner: Aligner::default(),
        })
    }

    fn width(&self) -> usize {
        self.sentences.len()
    }
}

struct WerScorer<'a> {
    index: &'a WerIndex<'a>,
    symbols: SymbolReader,
    /// Words of the hypothesis that no reference has.
    strangers: Vocabulary,
    tokens: Vec<u32>,
    aligner: Aligner,
}

impl Scorer for WerScorer<'_> {
    fn score(&mut self, hypothesis: Text<'_>, scores: &mut [f64]) {
        let (index, strangers) = (self.index, &mut self.strangers);
        let known = index.vocabulary.len() as u32;
        strangers.clear();
        self.symbols.read(hypothesis, &mut self.tokens, |word| {
            index.vocabulary.find(word).unwrap_or_else(|| known + strangers.learn(word))
        });
        let own_highest = self.tokens.iter().copied().max().unwrap_or(0);
        let highest = own_highest.max(index.highest) as usize;
        let is_distance_enough = index.metric.rate == Rate::Error;
        if is_distance_enough {
            // The distance is the same from either side: the hypothesis is the pattern, and is read once.
            self.aligner.hold(&self.tokens, highest);
        }
        for (at, score) in scores.iter_mut().enumerate() {
            let reference = index.sentences.get(at);
            *score = if is_distance_enough {
                let errors = self.aligner.distance_to(self.tokens.len(), reference);
                100.0 * error_rate(errors as f64, reference.len() as f64)
            } else {
                let mut row = [0.0; WIDTH];
                Wer::fill(self.aligner.counts(reference, &self.tokens, highest), &mut row);
                index.metric.score(&row)
            };
        }
        if is_distance_enough {
            self.aligner.release(&self.tokens);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(rate: Rate, totals: [f64; WIDTH]) -> f64 {
        Wer { rate, by_character: false, transcript: Transcript::default(), distance_only: false }.score(&totals)
    }

    #[test]
    fn formulas_are_those_of_jiwer() {
        // a b c d / b c d e
        let totals = [3.0, 0.0, 1.0, 1.0, 1.0, 2.0];
        assert_eq!(50.0, score(Rate::Error, totals));
        assert_eq!(40.0, score(Rate::Match, totals));
        assert_eq!(43.75, score(Rate::InformationLost, totals));
        assert_eq!(56.25, score(Rate::InformationPreserved, totals));
        assert_eq!(50.0, score(Rate::Sentence, totals));
    }

    #[test]
    fn one_word_on_a_side_is_a_word() {
        let (one_more, one_less, all_less) =
            ([1.0, 0.0, 0.0, 1.0, 1.0, 1.0], [1.0, 0.0, 1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 2.0, 0.0, 1.0, 1.0]);
        assert_eq!((50.0, 50.0), (score(Rate::Match, one_more), score(Rate::Match, one_less)));
        let preserved = [one_more, one_less, all_less].map(|totals| score(Rate::InformationPreserved, totals));
        assert_eq!([50.0, 50.0, 0.0], preserved);
    }

    #[test]
    fn without_reference_words_the_rate_is_the_number_of_errors() {
        let (nothing, two_words) = ([0.0; WIDTH], [0.0, 0.0, 0.0, 2.0, 1.0, 1.0]);
        let rates = [Rate::Error, Rate::Match, Rate::InformationLost, Rate::InformationPreserved, Rate::Sentence];
        assert_eq!([0.0, 0.0, 0.0, 100.0, 0.0], rates.map(|rate| score(rate, nothing)));
        assert_eq!([200.0, 100.0, 100.0, 0.0, 100.0], rates.map(|rate| score(rate, two_words)));
        assert_eq!(100.0, score(Rate::Match, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]));
    }
}
