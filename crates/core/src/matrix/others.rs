//! Each text against all the others: self-BLEU (Zhu et al., 2018), and the same with any metric.
//!
//! The definition asks for n² pairs of texts. What that takes here depends on how a metric deals with several
//! references:
//!
//! - BLEU clips a count by the largest count of any reference. For each n-gram it is enough to know the largest and the
//!   second largest count of any text: whoever has the largest is clipped by the second. The closest length of another
//!   text stands next to one's own in the sorted lengths. All in all one pass over the texts ([`clipped_rows`]);
//! - chrF takes the reference with the best score, so the matches of every pair have to be seen; but most scores are
//!   only estimated, and those that cannot be the best are not computed ([`best_scores`]);
//! - TER takes the reference with the fewest edits. No edit changes the bag of words by more than one, which bounds
//!   edits from below; references are tried in the order of that bound until it exceeds the fewest edits found
//!   ([`fewest_edits`]);
//! - anything else is counted as it is defined ([`one_by_one`]).

use super::edits::{EditMetric, PairEditor, Sentences};
use super::ngrams::{Gram, Lists, NgramMetric, View, count_ngrams};
use super::pairs::{load_segment, push};
use super::symbols::{SymbolReader, Vocabulary};
use super::trie::{MOST, ROOT, Trie};
use super::{CELL, Matrix, load_all, load_block};
use crate::batch::Batch;
use crate::halt;
use crate::metric::{Counter, Metric};
use crate::segments::Source;
use crate::text::Text;
use crate::threads::Threads;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::convert::Infallible;
use std::ops::Range;

/// Texts to be scored against each other.
pub struct Samples {
    texts: Batch,
    void: Vec<bool>,
    filled: usize,
}

impl Samples {
    /// Loads all texts. Those in `void` are empty: a reference only to those that have no other.
    pub fn load<S: Source>(source: &S, void: &[usize]) -> Result<Self, S::Error> {
        let texts = load_all(source)?;
        let mut is_void = vec![false; texts.texts()];
        void.iter().for_each(|&at| is_void[at] = true);
        let filled = is_void.iter().filter(|&&void| !void).count();
        Ok(Self { texts, void: is_void, filled })
    }

    /// How many texts there are.
    pub fn count(&self) -> usize {
        self.void.len()
    }

    pub(super) fn text(&self, at: usize) -> Text<'_> {
        self.texts.text(at)
    }

    /// Whether a text has no reference but void ones.
    fn has_only_void(&self, at: usize) -> bool {
        self.filled == usize::from(!self.void[at])
    }

    fn is_reference(&self, other: usize, at: usize) -> bool {
        other != at && (!self.void[other] || self.has_only_void(at))
    }

    fn references(&self, at: usize) -> impl Iterator<Item = usize> {
        (0..self.count()).filter(move |&other| self.is_reference(other, at))
    }
}

impl Source for Samples {
    type Error = Infallible;

    fn len(&self) -> usize {
        self.count()
    }

    fn load(&self, texts: Range<usize>, batch: &mut Batch) -> Result<(), Infallible> {
        for at in texts {
            batch.begin_segment();
            push(batch, self.text(at));
        }
        Ok(())
    }
}

/// The definition: each text is counted with all the others.
pub fn one_by_one<M: Metric>(metric: &M, samples: &Samples, threads: &Threads) -> Vec<f64> {
    halt::expect(samples.count());
    let Ok(scores) = threads.map(samples.count(), || {
        let (mut counter, mut segment, mut row) = (metric.counter(), Batch::default(), vec![0.0; metric.width()]);
        move |at| {
            load_segment(&mut segment, samples.text(at), samples.references(at).map(|other| samples.text(other)));
            row.fill(0.0);
            halt::spend(segment.characters());
            halt::advance(1);
            segment.segments().for_each(|segment| counter.count(segment, &mut row));
            Ok::<_, Infallible>(metric.score(&row))
        }
    });
    scores
}

/// The best score of each text with any of the others.
pub fn best_scores<M: Matrix>(metric: &M, samples: &Samples, threads: &Threads) -> Vec<f64> {
    let mut best = vec![f64::NEG_INFINITY; samples.count()];
    let (mut block, mut first) = (Batch::default(), 0);
    halt::expect(samples.count() * samples.count());
    while first < samples.count() {
        let Ok(()) = load_block(samples, first, &mut block);
        let index = metric.index(&block);
        let Ok(found) = threads.map(samples.count(), || {
            let (mut scorer, mut scores, best) = (index.scorer(), vec![0.0; index.width()], &best);
            move |at: usize| {
                let is_reference = |other: usize| samples.is_reference(first + other, at);
                halt::spend(CELL * scores.len());
                halt::advance(scores.len());
                Ok::<_, Infallible>(scorer.best(samples.text(at), best[at], &is_reference, &mut scores))
            }
        });
        best = found;
        first += block.texts();
    }
    best
}

/// The rows of a metric that clips by the largest count and takes the closest length, as BLEU does. None if that cannot
/// be done in one pass.
pub fn clipped_rows<M: NgramMetric>(metric: &M, samples: &Samples) -> Option<Vec<f64>> {
    let [view] = metric.views()[..] else { return None };
    let mut texts = Tokenized::new(view, samples);
    // A tokenizer may make tokens of nothing; then void texts would have n-grams.
    let is_void_with_tokens = |at| samples.void[at] && texts.length(at) > 0;
    if texts.symbols.len() >= MOST || (0..samples.count()).any(is_void_with_tokens) {
        return None;
    }
    let mut matches = vec![0.0; samples.count() * view.order];
    halt::expect(samples.count() * view.order);
    for n in 0..view.order {
        texts.clip(n, |at, clipped| matches[at * view.order + n] = clipped);
    }
    let lengths = Lengths::new(samples, &texts);
    let mut rows = vec![0.0; samples.count() * metric.width()];
    let (mut own, mut closest) = (vec![0.0; view.order], vec![0.0; view.order]);
    for (at, row) in rows.chunks_exact_mut(metric.width()).enumerate() {
        count_ngrams(texts.length(at), &mut own);
        count_ngrams(lengths.closest(samples, at, texts.length(at)), &mut closest);
        metric.fill(&own, &closest, &matches[at * view.order..][..view.order], row);
    }
    Some(rows)
}

/// The score of each text by its fewest edits to any of the others, and their mean length.
pub fn fewest_edits<M: EditMetric>(metric: &M, samples: &Samples, threads: &Threads) -> Vec<f64> {
    let mut vocabulary = Vocabulary::default();
    let references = Sentences::read(metric.reference_reading(), &samples.texts, &mut vocabulary);
    let hypotheses = Sentences::read(metric.hypothesis_reading(), &samples.texts, &mut vocabulary);
    let words = vocabulary.len() + 1;
    let bags = list_words(&references, words);
    halt::expect(samples.count());
    let Ok(scores) = threads.map(samples.count(), || {
        let (mut pair, mut counts, mut shared) = (PairEditor::default(), vec![0; words], vec![0_u32; samples.count()]);
        let (references, hypotheses, bags) = (&references, &hypotheses, &bags);
        move |at| {
            let hypothesis = hypotheses.get(at);
            halt::advance(1);
            halt::spend(samples.count());
            shared.fill(0);
            each_count(hypothesis, &mut counts, |gram| bags.add_matches(gram, &mut shared));
            pair.start(hypothesis, words - 1);
            let bound = |other: usize| hypothesis.len().max(references.get(other).len()) - shared[other] as usize;
            let bounds = samples.references(at).map(|other| Reverse((bound(other), other)));
            let fewest = fewest_of(bounds.collect::<Vec<_>>(), |other| pair.edits(references.get(other)));
            let length: usize = samples.references(at).map(|other| references.get(other).len()).sum();
            let row = metric.row(fewest, length as f64 / samples.references(at).count() as f64);
            Ok::<_, Infallible>(metric.score(&row))
        }
    });
    scores
}

/// The fewest edits to any of the candidates, which come with a lower bound each.
fn fewest_of(candidates: Vec<Reverse<(usize, usize)>>, mut edits: impl FnMut(usize) -> u32) -> u32 {
    let mut waiting = BinaryHeap::from(candidates);
    let mut fewest = u32::MAX;
    while let Some(Reverse((bound, other))) = waiting.pop() {
        if bound >= fewest as usize {
            break;
        }
        fewest = fewest.min(edits(other));
    }
    fewest
}

/// For each word the sentences that have it.
fn list_words(sentences: &Sentences, words: usize) -> Lists {
    let mut counts = vec![0; words];
    let mut entries = Vec::new();
    for at in 0..sentences.len() {
        each_count(sentences.get(at), &mut counts, |gram| entries.push((at as u32, gram)));
    }
    Lists::new(&entries, words, sentences.len())
}

/// The symbols of all texts, end to end, and the n-gram at each position.
struct Tokenized {
    symbols: Vec<u32>,
    nodes: Vec<u32>,
    ends: Vec<usize>,
    counts: Vec<u32>,
}

/// The largest and the second largest count of an n-gram in any text; both are the same if two texts have the largest.
#[derive(Clone, Copy, Default)]
struct Top {
    most: u32,
    second: u32,
}

impl Tokenized {
    fn new(view: View, samples: &Samples) -> Self {
        let mut reader = SymbolReader::new(view.reading);
        let mut vocabulary = Vocabulary::default();
        let (mut symbols, mut text, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for at in 0..samples.count() {
            halt::spend(samples.text(at).len());
            reader.read(samples.text(at), &mut text, |word| vocabulary.learn(word));
            halt::reserve(&mut symbols, text.len());
            symbols.extend_from_slice(&text);
            ends.push(symbols.len());
        }
        Self { nodes: vec![ROOT; symbols.len()], symbols, ends, counts: Vec::new() }
    }

    fn span(&self, at: usize) -> Range<usize> {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        start..self.ends[at]
    }

    fn length(&self, at: usize) -> usize {
        self.span(at).len()
    }

    /// Goes from n-grams to those one longer, and hands on how many of each text's match any other text.
    fn clip(&mut self, n: usize, mut each: impl FnMut(usize, f64)) {
        let mut trie = Trie::default();
        let (mut grams, mut ends): (Vec<Gram>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut tops: Vec<Top> = Vec::new();
        for at in 0..self.ends.len() {
            let first = grams.len();
            halt::spend(self.length(at));
            halt::advance(1);
            self.count_grams(at, n, &mut trie, &mut grams);
            tops.resize(trie.len(), Top::default());
            grams[first..].iter().for_each(|gram| tops[gram.node as usize].see(gram.count));
            ends.push(grams.len());
        }
        let mut start = 0;
        for (at, &end) in ends.iter().enumerate() {
            let clipped = grams[start..end].iter().map(|gram| u64::from(tops[gram.node as usize].clip(gram.count)));
            each(at, clipped.sum::<u64>() as f64);
            start = end;
        }
    }

    fn count_grams(&mut self, at: usize, n: usize, trie: &mut Trie, grams: &mut Vec<Gram>) {
        let span = self.span(at);
        let first = grams.len();
        for position in span.start..span.end.saturating_sub(n) {
            let node = trie.grow(self.nodes[position], self.symbols[position + n]);
            self.nodes[position] = node;
            self.counts.resize(self.counts.len().max(node as usize + 1), 0);
            if self.counts[node as usize] == 0 {
                grams.push(Gram { node, count: 0 });
            }
            self.counts[node as usize] += 1;
        }
        for gram in &mut grams[first..] {
            gram.count = std::mem::take(&mut self.counts[gram.node as usize]);
        }
    }
}

impl Top {
    fn see(&mut self, count: u32) {
        if count > self.most {
            *self = Self { most: count, second: self.most };
        } else {
            self.second = self.second.max(count);
        }
    }

    /// The matches of a text that has an n-gram so often: by the largest count of the other texts.
    fn clip(self, count: u32) -> u32 {
        if count == self.most { self.second } else { count }
    }
}

/// The lengths of all texts that are references to others, sorted.
struct Lengths(Vec<usize>);

impl Lengths {
    fn new(samples: &Samples, texts: &Tokenized) -> Self {
        let filled = (0..samples.count()).filter(|&at| !samples.void[at]);
        let mut lengths: Vec<usize> = filled.map(|at| texts.length(at)).collect();
        lengths.sort_unstable();
        Self(lengths)
    }

    /// The length of another text that is nearest to that of text `at`; of two equally near, the shorter.
    fn closest(&self, samples: &Samples, at: usize, own: usize) -> usize {
        if samples.has_only_void(at) {
            return 0;
        }
        let (below, rest) = self.0.split_at(self.0.partition_point(|&length| length < own));
        let others = &rest[usize::from(!samples.void[at])..];
        let candidates = below.last().into_iter().chain(others.first());
        candidates.copied().min_by_key(|&length| (length.abs_diff(own), length)).unwrap_or(0)
    }
}

/// Hands on each word with its count. `counts` is all zeros, before and after.
fn each_count(sentence: &[u32], counts: &mut [u32], mut each: impl FnMut(Gram)) {
    sentence.iter().for_each(|&word| counts[word as usize] += 1);
    for &node in sentence {
        let count = std::mem::take(&mut counts[node as usize]);
        if count > 0 {
            each(Gram { node, count });
        }
    }
}
