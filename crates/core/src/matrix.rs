//! Every hypothesis against every reference, and what is made of that.
//!
//! A cell of the matrix is the score of one hypothesis with one reference, to the last bit what
//! [`crate::segments::count`] and [`Formula::score`](crate::metric::Formula::score) give for such a segment. What
//! differs is the work: the side with fewer texts is prepared once, in blocks, and the other once for each block, where
//! a loop over pairs prepares both sides of each pair.
//!
//! - `symbols` reads a text as a sequence of numbers, equal for equal tokens of all texts;
//! - `trie` numbers n-grams, exactly: hashes find places, keys decide;
//! - `ngrams` lists for each n-gram the references that have it, so that a hypothesis costs what it shares with them;
//! - `edits` does what can be done once for TER;
//! - `sequences` runs all references through the bits of one hypothesis, for ROUGE-L;
//! - `pairs` counts one pair after the other, for metrics that have nothing better;
//! - `expected` takes the mean of each row: minimum-Bayes-risk decoding;
//! - `others` scores each text against all the others: self-BLEU;
//! - `distinct` counts the different n-grams of texts.
//!
//! Memory is bounded by a block of texts and the longest text, whatever the size of the matrix.

pub mod distinct;
pub mod edits;
pub mod expected;
pub mod ngrams;
pub mod others;
pub mod pairs;
pub mod sequences;
pub mod symbols;
#[cfg(test)]
mod tests;
mod trie;

use crate::batch::Batch;
use crate::halt;
use crate::metric::Metric;
use crate::segments::{BATCH, Source};
use crate::text::Text;
use crate::threads::{Threads, lock, unlocked};
use others::Samples;
use pairs::OneByOne;
use std::ops::Range;
use std::sync::Mutex;

/// What a metric can do to fill a matrix. A metric that knows nothing better than to count pair by pair says nothing.
pub trait Matrix: Metric {
    /// References made ready to meet many hypotheses.
    fn index<'a>(&'a self, references: &'a Batch) -> Box<dyn Index + 'a>
    where
        Self: Sized,
    {
        Box::new(OneByOne::new(self, references))
    }

    /// Hypotheses made ready to meet many references, for metrics that can be counted from either side.
    fn index_of_hypotheses<'a>(&'a self, _hypotheses: &'a Batch) -> Option<Box<dyn Index + 'a>> {
        None
    }

    /// The weighted mean of all references made ready as if it were one, for metrics that have such a thing.
    fn index_of_mean<'a>(&'a self, _references: &'a Batch, _weights: Option<&[f64]>) -> Option<Box<dyn Index + 'a>> {
        None
    }

    /// The score of each text with all the others as its references.
    fn scores_among_others(&self, samples: &Samples, threads: &Threads) -> Vec<f64>
    where
        Self: Sized,
    {
        others::one_by_one(self, samples, threads)
    }
}

/// A metric as far as a matrix asks for it, so that what fills matrices is compiled once for all metrics.
pub trait Indexing: Sync {
    /// See [`Matrix::index`].
    fn of_references<'a>(&'a self, references: &'a Batch) -> Box<dyn Index + 'a>;

    /// See [`Matrix::index_of_hypotheses`].
    fn of_hypotheses<'a>(&'a self, hypotheses: &'a Batch) -> Option<Box<dyn Index + 'a>>;

    /// See [`Matrix::index_of_mean`].
    fn of_mean<'a>(&'a self, references: &'a Batch, weights: Option<&[f64]>) -> Option<Box<dyn Index + 'a>>;
}

impl<M: Matrix> Indexing for M {
    fn of_references<'a>(&'a self, references: &'a Batch) -> Box<dyn Index + 'a> {
        self.index(references)
    }

    fn of_hypotheses<'a>(&'a self, hypotheses: &'a Batch) -> Option<Box<dyn Index + 'a>> {
        self.index_of_hypotheses(hypotheses)
    }

    fn of_mean<'a>(&'a self, references: &'a Batch, weights: Option<&[f64]>) -> Option<Box<dyn Index + 'a>> {
        self.index_of_mean(references, weights)
    }
}

/// Takes the index of a hypothesis, that of a reference, and scores with that reference and those after it.
pub type CellConsumer<'a> = dyn FnMut(usize, usize, &[f64]) + Send + 'a;

/// References that are ready to meet hypotheses, or hypotheses that are ready to meet references.
pub trait Index: Sync {
    /// What scores texts, with its working memory: one a thread.
    fn scorer(&self) -> Box<dyn Scorer + '_>;

    /// How many scores a text gets: one for each text of the index, unless they have been put together.
    fn width(&self) -> usize;
}

/// Scores texts against those of an index.
pub trait Scorer {
    /// The score of a text with each text of the index.
    fn score(&mut self, text: Text<'_>, scores: &mut [f64]);

    /// The best score of a text with any of those texts of the index that are candidates, or `least` if that is higher.
    /// Uses `scores` as its working memory.
    fn best(&mut self, text: Text<'_>, least: f64, is_candidate: &dyn Fn(usize) -> bool, scores: &mut [f64]) -> f64 {
        self.score(text, scores);
        let candidates = scores.iter().enumerate().filter(|&(at, _)| is_candidate(at));
        candidates.fold(least, |best, (_, &score)| if score > best { score } else { best })
    }
}

/// The most texts that are indexed at a time. Their matches of one order, two bytes each, fit into the nearest cache.
const BLOCK_TEXTS: usize = 4096;

/// As many characters end a block before that. It bounds the memory of an index to some hundred megabytes.
const BLOCK_CHARACTERS: usize = 1 << 19;

/// Texts loaded at a time, to see how long they are.
const LOAD: usize = 64;

/// Texts a thread takes at a time.
const CHUNK: usize = 16;

/// What a score costs, in steps of [`halt::spend`].
const CELL: usize = 2;

/// Hands the scores of all pairs to `consume`, as the index of a hypothesis, that of its first reference, and its
/// scores with that reference and those after it. For each hypothesis, references come in order; hypotheses come in
/// any.
pub fn scores<S: Source>(
    metric: &dyn Indexing,
    hypotheses: &S,
    references: &S,
    threads: &Threads,
    consume: &mut CellConsumer<'_>,
) -> Result<(), S::Error> {
    halt::expect(hypotheses.len() * references.len());
    if hypotheses.len() < references.len() && scores_by_reference(metric, hypotheses, references, threads, consume)? {
        return Ok(());
    }
    let consume = Mutex::new(consume);
    let mut block = Batch::default();
    let mut first = 0;
    while first < references.len() {
        load_block(references, first, &mut block)?;
        let index = metric.of_references(&block);
        score_all(&*index, hypotheses, threads, |at, scores| {
            lock(&consume)(at, first, scores);
        })?;
        first += block.texts();
    }
    Ok(())
}

/// Hands on the scores as [`scores`] does, from an index of hypotheses, which is the cheaper one if they are fewer.
/// Returns false if the metric has no such index.
fn scores_by_reference<S: Source>(
    metric: &dyn Indexing,
    hypotheses: &S,
    references: &S,
    threads: &Threads,
    consume: &mut CellConsumer<'_>,
) -> Result<bool, S::Error> {
    let mut block = Batch::default();
    let mut first = 0;
    while first < hypotheses.len() {
        load_block(hypotheses, first, &mut block)?;
        let Some(index) = metric.of_hypotheses(&block) else { return Ok(false) };
        for start in (0..references.len()).step_by(BLOCK_TEXTS) {
            let part = Part { source: references, texts: start..references.len().min(start + BLOCK_TEXTS) };
            let cells = columns(&*index, &part, threads)?;
            cells.chunks_exact(part.len()).zip(first..).for_each(|(row, at)| consume(at, start, row));
        }
        first += block.texts();
    }
    Ok(true)
}

/// The scores of texts with those of an index, one column for each text.
fn columns<S: Source>(index: &dyn Index, texts: &S, threads: &Threads) -> Result<Vec<f64>, S::Error> {
    let cells = Mutex::new(vec![0.0; index.width() * texts.len()]);
    score_all(index, texts, threads, |at, scores| {
        let mut cells = lock(&cells);
        cells[at..].iter_mut().step_by(texts.len()).zip(scores).for_each(|(cell, score)| *cell = *score);
    })?;
    Ok(unlocked(cells))
}

/// Some texts of a source.
struct Part<'a, S> {
    source: &'a S,
    texts: Range<usize>,
}

impl<S: Source> Source for Part<'_, S> {
    type Error = S::Error;

    fn len(&self) -> usize {
        self.texts.len()
    }

    fn load(&self, texts: Range<usize>, batch: &mut Batch) -> Result<(), S::Error> {
        self.source.load(self.texts.start + texts.start..self.texts.start + texts.end, batch)
    }
}

/// Loads texts from `first` on until the block is full.
fn load_block<S: Source>(source: &S, first: usize, block: &mut Batch) -> Result<(), S::Error> {
    block.clear();
    let end = source.len().min(first + BLOCK_TEXTS);
    let mut next = first;
    while next < end && block.characters() < BLOCK_CHARACTERS {
        let stop = end.min(next + LOAD);
        source.load(next..stop, block)?;
        next = stop;
    }
    block.settle();
    Ok(())
}

/// All texts of a source.
pub fn load_all<S: Source>(source: &S) -> Result<Batch, S::Error> {
    let mut batch = Batch::default();
    for first in (0..source.len()).step_by(BATCH) {
        source.load(first..source.len().min(first + BATCH), &mut batch)?;
        halt::spend(BATCH);
    }
    batch.settle();
    Ok(batch)
}

/// Scores all texts against an index and hands on the scores of each as they come.
fn score_all<S: Source>(
    index: &dyn Index,
    texts: &S,
    threads: &Threads,
    consume: impl Fn(usize, &[f64]) + Sync,
) -> Result<(), S::Error> {
    threads.for_each(texts.len().div_ceil(CHUNK), || {
        let (mut scorer, mut batch, mut scores) = (index.scorer(), Batch::default(), vec![0.0; index.width()]);
        let consume = &consume;
        move |chunk| {
            let first = chunk * CHUNK;
            batch.clear();
            texts.load(first..texts.len().min(first + CHUNK), &mut batch)?;
            batch.settle();
            for at in 0..batch.texts() {
                scorer.score(batch.text(at), &mut scores);
                consume(first + at, &scores);
                halt::spend(CELL * scores.len());
                halt::advance(scores.len());
            }
            Ok(())
        }
    })
}
