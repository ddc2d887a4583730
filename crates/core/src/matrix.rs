//! Every hypothesis against every reference, and what is made of that.
//!
//! A cell of the matrix is the score of one hypothesis with one reference, to the last bit what
//! [`crate::segments::count`] and [`Metric::score`] give for such a segment. What differs is the work: the side with
//! fewer texts is prepared once, in blocks, and the other once for each block, where a loop over pairs prepares both
//! sides of each pair.
//!
//! - `symbols` reads a text as a sequence of numbers, equal for equal tokens of all texts;
//! - `trie` numbers n-grams, exactly: hashes find places, keys decide;
//! - `ngrams` lists for each n-gram the references that have it, so that a hypothesis costs what it shares with them;
//! - `edits` does what can be done once for TER;
//! - `pairs` counts one pair after the other, for metrics that have nothing better;
//! - `expected` takes the mean of each row: minimum-Bayes-risk decoding;
//! - `others` scores each text against all the others: self-BLEU.
//!
//! Memory is bounded by a block of texts and the longest text, whatever the size of the matrix.

pub mod edits;
pub mod expected;
pub mod ngrams;
pub mod others;
pub mod pairs;
pub mod symbols;
#[cfg(test)]
mod tests;
mod trie;

use crate::metrics::Metric;
use crate::segments::{Batch, Source};
use crate::text::Text;
use std::iter::StepBy;
use std::ops::Range;
use std::sync::Mutex;
use std::thread;

/// References that are ready to meet hypotheses, or hypotheses that are ready to meet references.
pub trait Index: Sync {
    /// What scores texts, with its working memory: one a thread.
    fn reader(&self) -> Box<dyn Reader + '_>;

    /// How many scores a text gets: one for each text of the index, unless they have been put together.
    fn width(&self) -> usize;
}

/// Scores texts against those of an index.
pub trait Reader {
    /// The score of a text with each text of the index.
    fn score(&mut self, text: Text<'_>, scores: &mut [f64]);
}

/// The most texts that are indexed at a time. Their matches of one order, four bytes each, fit into the nearest cache.
const BLOCK_TEXTS: usize = 2048;

/// As many characters end a block before that. It bounds the memory of an index to some hundred megabytes.
const BLOCK_CHARACTERS: usize = 1 << 19;

/// Texts loaded at a time, to see how long they are.
const LOAD: usize = 64;

/// Texts a thread takes at a time.
const CHUNK: usize = 16;

/// Hands the scores of all pairs to `consume`, as the index of a hypothesis, that of its first reference, and its
/// scores with that reference and those after it. For each hypothesis, references come in order; hypotheses come in
/// any.
pub fn scores<M, H, R>(
    metric: &M,
    hypotheses: &H,
    references: &R,
    threads: usize,
    consume: impl FnMut(usize, usize, &[f64]) + Send,
) -> Result<(), H::Error>
where
    M: Metric,
    H: Source,
    R: Source<Error = H::Error>,
{
    let mut consume = consume;
    if hypotheses.len() < references.len()
        && scores_by_reference(metric, hypotheses, references, threads, &mut consume)?
    {
        return Ok(());
    }
    let consume = Mutex::new(consume);
    let mut block = Batch::default();
    let mut first = 0;
    while first < references.len() {
        load_block(references, first, &mut block)?;
        let index = metric.index(&block);
        score_all(&*index, hypotheses, threads, |at, scores| {
            consume.lock().expect("a scoring thread panicked")(at, first, scores);
        })?;
        first += block.texts();
    }
    Ok(())
}

/// The same with an index of hypotheses, which is the cheaper one if they are fewer. False if the metric has none.
fn scores_by_reference<M, H, R>(
    metric: &M,
    hypotheses: &H,
    references: &R,
    threads: usize,
    consume: &mut impl FnMut(usize, usize, &[f64]),
) -> Result<bool, H::Error>
where
    M: Metric,
    H: Source,
    R: Source<Error = H::Error>,
{
    let mut block = Batch::default();
    let mut first = 0;
    while first < hypotheses.len() {
        load_block(hypotheses, first, &mut block)?;
        let Some(index) = metric.index_of_hypotheses(&block) else { return Ok(false) };
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
fn columns<S: Source>(index: &dyn Index, texts: &S, threads: usize) -> Result<Vec<f64>, S::Error> {
    let cells = Mutex::new(vec![0.0; index.width() * texts.len()]);
    score_all(index, texts, threads, |at, scores| {
        let mut cells = cells.lock().expect("a scoring thread panicked");
        cells[at..].iter_mut().step_by(texts.len()).zip(scores).for_each(|(cell, score)| *cell = *score);
    })?;
    Ok(cells.into_inner().expect("a scoring thread panicked"))
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
    source.load(0..source.len(), &mut batch)?;
    batch.settle();
    Ok(batch)
}

/// Scores all texts against an index, with up to `threads` threads, and hands on the scores of each as they come.
fn score_all<S: Source>(
    index: &dyn Index,
    texts: &S,
    threads: usize,
    consume: impl Fn(usize, &[f64]) + Sync,
) -> Result<(), S::Error> {
    let work = Work { index, texts, next: Mutex::new((0..texts.len()).step_by(CHUNK)), consume };
    let helpers = threads.min(texts.len().div_ceil(CHUNK)).saturating_sub(1);
    thread::scope(|scope| {
        let helpers: Vec<_> = (0..helpers).map(|_| scope.spawn(|| work.run())).collect();
        let own = work.run();
        let others = helpers.into_iter().map(|helper| helper.join().expect("a scoring thread panicked"));
        others.fold(own, Result::and)
    })
}

/// What the threads share.
struct Work<'a, S, F> {
    index: &'a dyn Index,
    texts: &'a S,
    next: Mutex<StepBy<Range<usize>>>,
    consume: F,
}

impl<S: Source, F: Fn(usize, &[f64])> Work<'_, S, F> {
    fn run(&self) -> Result<(), S::Error> {
        let mut reader = self.index.reader();
        let mut batch = Batch::default();
        let mut scores = vec![0.0; self.index.width()];
        while let Some(first) = self.claim() {
            batch.clear();
            let chunk = first..self.texts.len().min(first + CHUNK);
            self.texts.load(chunk, &mut batch).inspect_err(|_| self.stop())?;
            batch.settle();
            for at in 0..batch.texts() {
                reader.score(batch.text(at), &mut scores);
                (self.consume)(first + at, &scores);
            }
        }
        Ok(())
    }

    fn claim(&self) -> Option<usize> {
        self.next.lock().expect("a scoring thread panicked").next()
    }

    /// Leaves nothing to claim for the other threads.
    fn stop(&self) {
        *self.next.lock().expect("a scoring thread panicked") = (0..0).step_by(CHUNK);
    }
}
