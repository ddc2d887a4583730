//! TER with many references: words are prepared and numbered once.
//!
//! The edits themselves are searched for each pair, for there is nothing two pairs share.

use super::symbols::{SymbolReader, UNKNOWN, Vocabulary};
use super::{Index, Scorer};
use crate::batch::Batch;
use crate::edit::Editor;
use crate::halt;
use crate::metric::Metric;
use crate::prepare::Reading;
use crate::text::Text;

/// A metric whose row for one reference is the number of edits and the reference's length, in words.
pub trait EditMetric: Metric {
    /// How hypotheses are read.
    fn hypothesis_reading(&self) -> Reading;

    /// How references are.
    fn reference_reading(&self) -> Reading;

    /// The row of these edits.
    fn row(&self, edits: u32, length: f64) -> [f64; 2];
}

/// References as numbered words.
pub struct EditIndex<'a, M> {
    metric: &'a M,
    sentences: Sentences,
    vocabulary: Vocabulary,
}

impl<'a, M: EditMetric> EditIndex<'a, M> {
    /// Numbers the words of all references.
    pub fn new(metric: &'a M, references: &Batch) -> Self {
        let mut vocabulary = Vocabulary::default();
        let sentences = Sentences::read(metric.reference_reading(), references, &mut vocabulary);
        Self { metric, sentences, vocabulary }
    }
}

impl<M: EditMetric> Index for EditIndex<'_, M> {
    fn scorer(&self) -> Box<dyn Scorer + '_> {
        Box::new(EditScorer {
            index: self,
            symbols: SymbolReader::new(self.metric.hypothesis_reading()),
            strangers: Vocabulary::default(),
            words: Vec::new(),
            pair: PairEditor::default(),
        })
    }

    fn width(&self) -> usize {
        self.sentences.len()
    }
}

struct EditScorer<'a, M> {
    index: &'a EditIndex<'a, M>,
    symbols: SymbolReader,
    /// Words of the hypothesis that no reference has.
    strangers: Vocabulary,
    words: Vec<u32>,
    pair: PairEditor,
}

impl<M: EditMetric> Scorer for EditScorer<'_, M> {
    fn score(&mut self, hypothesis: Text<'_>, scores: &mut [f64]) {
        let (index, strangers) = (self.index, &mut self.strangers);
        let known = index.vocabulary.len() as u32;
        strangers.clear();
        self.symbols.read(hypothesis, &mut self.words, |word| {
            index.vocabulary.find(word).unwrap_or_else(|| known + strangers.learn(word))
        });
        self.pair.start(&self.words, known as usize + strangers.len());
        for (at, score) in scores.iter_mut().enumerate() {
            let reference = index.sentences.get(at);
            let row = index.metric.row(self.pair.edits(reference), reference.len() as f64);
            *score = index.metric.score(&row);
        }
    }
}

/// Sentences of numbered words, end to end.
#[derive(Default)]
pub(crate) struct Sentences {
    words: Vec<u32>,
    ends: Vec<usize>,
}

impl Sentences {
    pub fn read(reading: Reading, texts: &Batch, vocabulary: &mut Vocabulary) -> Self {
        let mut reader = SymbolReader::new(reading);
        let mut sentence = Vec::new();
        let mut sentences = Self::default();
        for at in 0..texts.texts() {
            halt::spend(texts.text(at).len());
            reader.read(texts.text(at), &mut sentence, |word| vocabulary.learn(word));
            sentences.words.extend_from_slice(&sentence);
            sentences.ends.push(sentences.words.len());
        }
        sentences
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The highest number of a word.
    pub fn highest(&self) -> u32 {
        self.words.iter().copied().max().unwrap_or(0)
    }

    pub fn get(&self, at: usize) -> &[u32] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.words[start..self.ends[at]]
    }
}

/// Counts the edits from one hypothesis to many references.
#[derive(Default)]
pub(super) struct PairEditor {
    editor: Editor,
    /// For each word of the vocabulary, one of its positions in the hypothesis plus one, or [`UNKNOWN`].
    numbers: Vec<u32>,
    /// The words that have such a number.
    numbered: Vec<u32>,
    ours: Vec<u32>,
    theirs: Vec<u32>,
}

impl PairEditor {
    /// Takes a hypothesis, whose words are numbers up to `highest`.
    pub fn start(&mut self, hypothesis: &[u32], highest: usize) {
        for word in self.numbered.drain(..) {
            self.numbers[word as usize] = UNKNOWN;
        }
        self.numbers.resize(self.numbers.len().max(highest + 1), UNKNOWN);
        self.ours.clear();
        for (number, &word) in (1..).zip(hypothesis) {
            if self.numbers[word as usize] == UNKNOWN {
                self.numbers[word as usize] = number;
                self.numbered.push(word);
            }
            self.ours.push(self.numbers[word as usize]);
        }
    }

    /// The edits to a reference, whose words are numbers of the same vocabulary.
    pub fn edits(&mut self, reference: &[u32]) -> u32 {
        halt::spend(reference.len());
        self.theirs.clear();
        self.theirs.extend(reference.iter().map(|&word| self.numbers[word as usize]));
        self.editor.edits(&self.ours, &self.theirs)
    }
}
