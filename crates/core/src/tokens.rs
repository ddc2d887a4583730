//! Corpora without text: sequences of tokens that somebody else has numbered, the same number for equal tokens.
//!
//! A sequence travels as a text whose characters are its tokens
//! ([`Tokenizer::Symbols`](crate::prepare::Tokenizer::Symbols)), so every metric on tokens counts it as it counts any
//! text, in as many threads.

use crate::batch::Batch;
use crate::segments::Source;
use std::convert::Infallible;
use std::ops::Range;

/// Hypotheses with their references, as numbers from 0 up. A segment may have no references.
#[derive(Clone, Debug, Default)]
pub struct NumberedCorpus {
    symbols: Vec<u32>,
    ends: Vec<usize>,   // of each sequence among the symbols
    firsts: Vec<usize>, // the index of each segment's hypothesis among the sequences
}

impl NumberedCorpus {
    /// Begins a segment: the next sequence is its hypothesis, those after it are its references.
    pub fn begin_segment(&mut self) {
        self.firsts.push(self.ends.len());
    }

    /// Adds a symbol to the sequence at the end.
    #[inline]
    pub fn push_symbol(&mut self, symbol: u32) {
        self.symbols.push(symbol);
    }

    /// Ends a sequence: the next symbol begins another.
    pub fn end_sequence(&mut self) {
        self.ends.push(self.symbols.len());
    }

    /// The hypothesis of a segment.
    pub fn hypothesis(&self, segment: usize) -> &[u32] {
        self.sequence(self.firsts[segment])
    }

    /// The references of a segment.
    pub fn references(&self, segment: usize) -> impl ExactSizeIterator<Item = &[u32]> {
        let sequences = self.sequences(segment);
        (sequences.start + 1..sequences.end).map(|index| self.sequence(index))
    }

    /// The length of the longest hypothesis.
    pub fn longest_hypothesis(&self) -> usize {
        (0..self.len()).map(|segment| self.hypothesis(segment).len()).max().unwrap_or(0)
    }

    fn sequences(&self, segment: usize) -> Range<usize> {
        self.firsts[segment]..self.firsts.get(segment + 1).copied().unwrap_or(self.ends.len())
    }

    fn sequence(&self, index: usize) -> &[u32] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.symbols[start..self.ends[index]]
    }
}

impl Source for NumberedCorpus {
    type Error = Infallible;

    fn len(&self) -> usize {
        self.firsts.len()
    }

    fn load(&self, segments: Range<usize>, batch: &mut Batch) -> Result<(), Infallible> {
        for segment in segments {
            batch.begin_segment();
            for index in self.sequences(segment) {
                batch.push_text(|buffer| {
                    buffer.extend_from_slice(self.sequence(index));
                    Ok::<(), Infallible>(())
                })?;
            }
        }
        Ok(())
    }
}
