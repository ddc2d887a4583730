//! Where the segments of a reference end in a text that is divided otherwise, or not at all.
//!
//! Two methods. [`mwer`] is that of mwerSegmenter, equal to it cut by cut: edit distance over words. [`cue`] is ours:
//! it cuts only where words end, and knows what the end of a sentence looks like. Both take numbers for tokens; what a
//! token is, the caller says. A text of any length takes little memory: see [`columns`].

pub mod anchors;
pub mod band;
pub mod columns;
pub mod cue;
pub mod mwer;
#[cfg(any(test, fuzzing))]
pub mod naive;
#[cfg(test)]
mod tests;

use crate::halt;
use std::ops::Range;

/// The references of a document, segment by segment; a segment has at least one, which may be empty.
#[derive(Clone, Debug, Default)]
pub struct References {
    /// The tokens of all references, one after the other.
    pub tokens: Vec<u32>,
    /// Where the tokens of each reference end.
    ends: Vec<usize>,
    /// Which reference is the first of each segment; their number comes last.
    firsts: Vec<usize>,
}

impl References {
    /// References of these many tokens, so many to each segment; None if the numbers do not fit together.
    pub fn new(tokens: Vec<u32>, lengths: &[u32], counts: &[u32]) -> Option<Self> {
        let running = |total: &mut usize, &length: &u32| {
            *total += length as usize;
            Some(*total)
        };
        let ends: Vec<usize> = lengths.iter().scan(0, running).collect();
        let firsts: Vec<usize> = std::iter::once(0).chain(counts.iter().scan(0, running)).collect();
        let fits = ends.last().is_none_or(|&end| end == tokens.len()) && firsts.last() == Some(&ends.len());
        (fits && counts.iter().all(|&count| count > 0)).then_some(Self { tokens, ends, firsts })
    }

    /// One reference for each segment.
    pub fn single(texts: &[&[u32]]) -> Self {
        let (mut tokens, mut ends) = (Vec::new(), Vec::with_capacity(texts.len()));
        for text in texts {
            halt::reserve(&mut tokens, text.len());
            tokens.extend_from_slice(text);
            ends.push(tokens.len());
        }
        Self { tokens, ends, firsts: (0..=texts.len()).collect() }
    }

    /// How many segments there are.
    pub fn segments(&self) -> usize {
        self.firsts.len() - 1
    }

    /// The numbers of the references of a segment.
    pub fn of(&self, segment: usize) -> OfSegment {
        let first = self.firsts[segment];
        OfSegment { first, more: first + 1..self.firsts[segment + 1] }
    }

    /// Where the tokens of a reference are.
    pub fn range(&self, reference: usize) -> Range<usize> {
        reference.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[reference]
    }

    /// The tokens of a reference.
    pub fn tokens_of(&self, reference: usize) -> &[u32] {
        &self.tokens[self.range(reference)]
    }
}

/// The numbers of the references of a segment: there is always one.
#[derive(Clone, Debug)]
pub struct OfSegment {
    /// The first reference.
    pub first: usize,
    /// The others.
    pub more: Range<usize>,
}

impl OfSegment {
    /// All of them, in order.
    pub fn all(&self) -> Range<usize> {
        self.first..self.more.end
    }

    /// The first of those for which a value is lowest.
    pub fn lowest_by<T: Ord>(&self, mut value: impl FnMut(usize) -> T) -> usize {
        let first = (value(self.first), self.first);
        let lower = |best: (T, usize), other: usize| {
            let found = value(other);
            if found < best.0 { (found, other) } else { best }
        };
        self.more.clone().fold(first, lower).1
    }
}

/// Where the segments end, and what that costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alignment {
    /// After how many tokens of the hypothesis each segment ends.
    pub cuts: Vec<usize>,
    /// The errors; the oddity of `mwer` among them.
    pub cost: u64,
    /// How many tokens the references have that the path goes through.
    pub reference_tokens: u64,
}

/// What a segment is like after the cuts: the errors against the reference with the fewest, and its length.
pub fn errors(hypothesis: &[u32], references: &References, cuts: &[usize]) -> Vec<(u32, u32)> {
    let mut start = 0;
    let of_segment = |(segment, &cut): (usize, &usize)| {
        let text = &hypothesis[std::mem::replace(&mut start, cut)..cut];
        let errors = |reference: usize| mwer::distance(text, references.tokens_of(reference)) as u32;
        let of = references.of(segment);
        let best = if of.more.is_empty() { of.first } else { of.lowest_by(errors) };
        (errors(best), references.range(best).len() as u32)
    };
    cuts.iter().enumerate().map(of_segment).collect()
}
