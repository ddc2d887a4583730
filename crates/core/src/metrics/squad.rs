//! Exact match and token F1 of answers, as the scripts of SQuAD 1.1 and 2.0 have them (Rajpurkar et al., 2016, 2018).
//!
//! Both compare normalised texts ([`crate::prepare::answer`]). Of several references the best counts. The score of a
//! corpus is the mean of its segments, kept so that sums are exact: see [`super::mean`].

use super::mean::{EXACT_CELLS, exact_mean, split};
use crate::batch::Segment;
use crate::matrix::Matrix;
use crate::metric::{Counter, Formula, Metric};
use crate::prepare::Tokens;
use crate::prepare::answer::Answer;
use crate::symbols::{UNKNOWN, WordNumbers};

/// Exact match, with its options.
#[derive(Clone, Debug)]
pub struct ExactMatch {
    /// How answers are normalised.
    pub answer: Answer,
}

/// Token F1, with its options.
#[derive(Clone, Debug)]
pub struct TokenF1 {
    /// How answers are normalised.
    pub answer: Answer,
    /// Whether two answers without tokens are alike, as in SQuAD 2.0; in 1.1 they score 0.
    pub empty_is_alike: bool,
}

/// A row of exact match is `[exact, segments]`; one of F1 has the cells of F, and `segments`.
const EXACT: usize = 0;
const EXACT_SEGMENTS: usize = 1;
const F1_SEGMENTS: usize = EXACT_CELLS;

impl Formula for ExactMatch {
    fn width(&self) -> usize {
        EXACT_SEGMENTS + 1
    }

    fn score(&self, totals: &[f64]) -> f64 {
        if totals[EXACT_SEGMENTS] > 0.0 { 100.0 * (totals[EXACT] / totals[EXACT_SEGMENTS]) } else { 0.0 }
    }
}

impl Formula for TokenF1 {
    fn width(&self) -> usize {
        F1_SEGMENTS + 1
    }

    fn score(&self, totals: &[f64]) -> f64 {
        100.0 * exact_mean(&totals[..EXACT_CELLS], totals[F1_SEGMENTS])
    }
}

impl Metric for ExactMatch {
    type Counter = ExactCounter;

    fn counter(&self) -> ExactCounter {
        ExactCounter(Reader::new(&self.answer))
    }
}

impl Metric for TokenF1 {
    type Counter = F1Counter;

    fn counter(&self) -> F1Counter {
        F1Counter { reader: Reader::new(&self.answer), empty_is_alike: self.empty_is_alike, counts: Vec::new() }
    }
}

impl Matrix for ExactMatch {}

impl Matrix for TokenF1 {}

/// Reads the tokens of answers as numbers.
struct Reader {
    answer: Answer,
    tokens: Tokens,
    words: WordNumbers,
    ours: Vec<u32>,
    theirs: Vec<u32>,
}

impl Reader {
    fn new(answer: &Answer) -> Self {
        let (tokens, words) = (Tokens::default(), WordNumbers::default());
        Self { answer: answer.clone(), tokens, words, ours: Vec::new(), theirs: Vec::new() }
    }

    /// Calls `compare` with the tokens of the hypothesis and those of each reference.
    fn each_pair(&mut self, segment: &Segment<'_>, mut compare: impl FnMut(&[u32], &[u32])) {
        self.words.number_hypothesis(self.answer.words(&mut self.tokens, segment.hypothesis()), &mut self.ours);
        for reference in segment.references() {
            self.words.number_reference(self.answer.words(&mut self.tokens, reference), &mut self.theirs);
            compare(&self.ours, &self.theirs);
        }
    }
}

/// Counts the rows of exact match.
pub struct ExactCounter(Reader);

impl Counter for ExactCounter {
    fn count(&mut self, segment: Segment<'_>, row: &mut [f64]) {
        row[EXACT_SEGMENTS] = 1.0;
        self.0.each_pair(&segment, |ours, theirs| {
            if ours == theirs {
                row[EXACT] = 1.0;
            }
        });
    }
}

/// Counts the rows of token F1.
pub struct F1Counter {
    reader: Reader,
    empty_is_alike: bool,
    counts: Vec<u32>,
}

impl Counter for F1Counter {
    fn count(&mut self, segment: Segment<'_>, row: &mut [f64]) {
        let (_, best) = self.best(&segment);
        row[..EXACT_CELLS].copy_from_slice(&split(best));
        row[F1_SEGMENTS] = 1.0;
    }
}

impl F1Counter {
    /// Whether some reference is matched exactly, and the best F with any.
    fn best(&mut self, segment: &Segment<'_>) -> (bool, f64) {
        let (mut best, counts, empty_is_alike) = (0.0_f64, &mut self.counts, self.empty_is_alike);
        let mut is_exact = false;
        self.reader.each_pair(segment, |ours, theirs| {
            is_exact |= ours == theirs;
            let f = if ours.is_empty() || theirs.is_empty() {
                f64::from(empty_is_alike && ours.len() == theirs.len())
            } else {
                f_measure(shared(ours, theirs, counts), ours.len(), theirs.len())
            };
            best = best.max(f);
        });
        (is_exact, best)
    }
}

/// Both scores of each segment, as they are and not their cells: `[exact, f]`.
#[derive(Clone, Debug)]
pub struct AnswerScores(pub TokenF1);

impl Formula for AnswerScores {
    fn width(&self) -> usize {
        2
    }

    fn score(&self, totals: &[f64]) -> f64 {
        totals[1]
    }
}

impl Metric for AnswerScores {
    type Counter = BothCounter;

    fn counter(&self) -> BothCounter {
        BothCounter(self.0.counter())
    }
}

/// Counts exact match and F1 in one pass.
pub struct BothCounter(F1Counter);

impl Counter for BothCounter {
    fn count(&mut self, segment: Segment<'_>, row: &mut [f64]) {
        let (exact, f) = self.0.best(&segment);
        (row[0], row[1]) = (f64::from(exact), f);
    }
}

/// F in the order of operations that the scripts have.
fn f_measure(shared: usize, ours: usize, theirs: usize) -> f64 {
    if shared == 0 {
        return 0.0;
    }
    let (precision, recall) = (shared as f64 / ours as f64, shared as f64 / theirs as f64);
    (2.0 * precision * recall) / (precision + recall)
}

/// How many tokens two bags share. `counts` is working memory, all zeros before and after.
fn shared(ours: &[u32], theirs: &[u32], counts: &mut Vec<u32>) -> usize {
    let highest = ours.iter().copied().max().unwrap_or(0) as usize;
    if counts.len() <= highest {
        crate::halt::resize(counts, highest + 1, 0);
    }
    ours.iter().for_each(|&token| counts[token as usize] += 1);
    let take = |&&token: &&u32| {
        let is_left = token != UNKNOWN && counts[token as usize] > 0;
        counts[token as usize] -= u32::from(is_left);
        is_left
    };
    let shared = theirs.iter().filter(take).count();
    ours.iter().for_each(|&token| counts[token as usize] = 0);
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bags_share_what_both_have() {
        let mut counts = Vec::new();
        assert_eq!(2, shared(&[1, 1, 2], &[1, 2, 2, 0], &mut counts));
        assert_eq!(0, shared(&[], &[0], &mut counts));
        assert_eq!(1, shared(&[3], &[3, 3], &mut counts));
        assert!(counts.iter().all(|&count| count == 0));
    }

    #[test]
    fn f_is_taken_in_the_order_of_the_scripts() {
        assert_eq!(0.8, f_measure(2, 2, 3));
        assert_eq!(0.0, f_measure(0, 2, 3));
    }
}
