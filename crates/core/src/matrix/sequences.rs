//! Longest common subsequences with many references: words are numbered once, and so are the bits of a hypothesis
//! made.

use super::edits::Sentences;
use super::symbols::{SymbolReader, UNKNOWN, Vocabulary};
use super::{Index, Scorer};
use crate::batch::Batch;
use crate::lcs::Lcs;
use crate::metric::Metric;
use crate::prepare::Reading;
use crate::text::Text;

/// A metric whose row for one reference follows from the longest common subsequence and the lengths of both sides.
pub trait SequenceMetric: Metric {
    /// How texts are read.
    fn reading(&self) -> Reading;

    /// Fills the row.
    fn fill(&self, common: f64, hypothesis: f64, reference: f64, row: &mut [f64]);
}

/// References as numbered words.
pub struct SequenceIndex<'a, M> {
    metric: &'a M,
    sentences: Sentences,
    vocabulary: Vocabulary,
}

impl<'a, M: SequenceMetric> SequenceIndex<'a, M> {
    /// Numbers the words of all references.
    pub fn new(metric: &'a M, references: &Batch) -> Self {
        let mut vocabulary = Vocabulary::default();
        let sentences = Sentences::read(metric.reading(), references, &mut vocabulary);
        Self { metric, sentences, vocabulary }
    }
}

impl<M: SequenceMetric> Index for SequenceIndex<'_, M> {
    fn scorer(&self) -> Box<dyn Scorer + '_> {
        let (symbols, row) = (SymbolReader::new(self.metric.reading()), vec![0.0; self.metric.width()]);
        Box::new(SequenceScorer { index: self, symbols, words: Vec::new(), lcs: Lcs::default(), row })
    }

    fn width(&self) -> usize {
        self.sentences.len()
    }
}

struct SequenceScorer<'a, M> {
    index: &'a SequenceIndex<'a, M>,
    symbols: SymbolReader,
    words: Vec<u32>,
    lcs: Lcs,
    row: Vec<f64>,
}

impl<M: SequenceMetric> Scorer for SequenceScorer<'_, M> {
    fn score(&mut self, hypothesis: Text<'_>, scores: &mut [f64]) {
        let index = self.index;
        self.symbols.read(hypothesis, &mut self.words, |word| index.vocabulary.find(word).unwrap_or(UNKNOWN));
        self.lcs.start(&self.words, index.vocabulary.len());
        for (at, score) in scores.iter_mut().enumerate() {
            let reference = index.sentences.get(at);
            let common = self.lcs.length(reference) as f64;
            index.metric.fill(common, self.words.len() as f64, reference.len() as f64, &mut self.row);
            *score = index.metric.score(&self.row);
        }
    }
}
