//! Edit similarity: one less the edit distance of two texts by the length of the longer, by character.
//!
//! Equal to RapidFuzz 3.14.6: `Levenshtein.normalized_similarity`, or, with insertions and deletions alone,
//! `Indel.normalized_similarity`, which python-Levenshtein calls `ratio`. With a threshold of 0.5 the mean is ANLS
//! (Biten et al., 2019). Of several references the best counts.

use super::mean::{EXACT_CELLS, exact_mean, split};
use crate::align::Aligner;
use crate::batch::Segment;
use crate::matrix::Matrix;
use crate::metric::{Counter, Formula, Metric};
use crate::symbols::CharNumbers;
use crate::text::{Text, trim};

/// The options of edit similarity.
#[derive(Clone, Copy, Debug)]
pub struct EditSimilarity {
    /// Scores below it are 0.
    pub threshold: f64,
    /// Whether a substitution counts as an insertion and a deletion, and lengths are added.
    pub is_indel: bool,
    /// Whether white space at the ends is left out.
    pub strip: bool,
}

/// A row has the cells of the score, and `segments`.
const SEGMENTS: usize = EXACT_CELLS;

impl Formula for EditSimilarity {
    fn width(&self) -> usize {
        SEGMENTS + 1
    }

    fn score(&self, totals: &[f64]) -> f64 {
        100.0 * exact_mean(&totals[..EXACT_CELLS], totals[SEGMENTS])
    }
}

impl Metric for EditSimilarity {
    type Counter = SimilarityCounter;

    fn counter(&self) -> SimilarityCounter {
        let (characters, aligner) = (CharNumbers::new(true), Aligner::default());
        SimilarityCounter { options: *self, characters, aligner, ours: Vec::new(), theirs: Vec::new() }
    }
}

impl Matrix for EditSimilarity {}

/// Counts the rows of edit similarity.
pub struct SimilarityCounter {
    options: EditSimilarity,
    characters: CharNumbers,
    aligner: Aligner,
    ours: Vec<u32>,
    theirs: Vec<u32>,
}

impl Counter for SimilarityCounter {
    fn count(&mut self, segment: Segment<'_>, row: &mut [f64]) {
        self.characters.number_hypothesis(self.options.cut(segment.hypothesis()), &mut self.ours);
        let mut best = 0.0_f64;
        for reference in segment.references() {
            self.characters.number_reference(self.options.cut(reference), &mut self.theirs);
            best = best.max(self.similarity());
        }
        let score = if best < self.options.threshold { 0.0 } else { best };
        row[..EXACT_CELLS].copy_from_slice(&split(score));
        row[SEGMENTS] = 1.0;
    }
}

impl EditSimilarity {
    fn cut<'a>(&self, text: Text<'a>) -> Text<'a> {
        match text {
            Text::Narrow(text) if self.strip => Text::Narrow(trim(text)),
            Text::Wide(text) if self.strip => Text::Wide(trim(text)),
            text => text,
        }
    }
}

impl SimilarityCounter {
    fn similarity(&mut self) -> f64 {
        let (ours, theirs, highest) = (&self.ours, &self.theirs, self.characters.highest());
        let (distance, most) = if self.options.is_indel {
            let most = ours.len() + theirs.len();
            (most - 2 * self.aligner.common(theirs, ours, highest), most)
        } else {
            (self.aligner.distance(theirs, ours, highest), ours.len().max(theirs.len()))
        };
        if most > 0 { 1.0 - distance as f64 / most as f64 } else { 1.0 }
    }
}
