//! BLEU (Papineni et al., 2002), equal to sacreBLEU 2.6.0.

use super::{Counter, Metric};
use crate::matrix::Index;
use crate::matrix::ngrams::{self, NgramMetric, View};
use crate::matrix::others::{self, Samples};
use crate::matrix::symbols::Reading;
use crate::ngram::{Anchor, MAX_ORDER, Matcher};
use crate::prepare::{Tokenizer, Tokens};
use crate::segments::{Batch, Segment};
use crate::symbols::{CharNumbers, WordNumbers};
use crate::text::Text;

/// The options of BLEU.
#[derive(Clone, Debug)]
pub struct Bleu {
    /// How text becomes tokens.
    pub tokenizer: Tokenizer,
    /// The longest n-grams.
    pub order: usize,
    /// How totals become a score.
    pub scoring: Scoring,
}

/// The options that decide the score of a row, not the row.
#[derive(Clone, Debug)]
pub struct Scoring {
    /// What stands in for a precision of zero.
    pub smoothing: Smoothing,
    /// Leave out the orders for which the hypothesis is too short.
    pub effective_order: bool,
    /// Add logarithms as Python's `sum` does from 3.12 on; before, it added them plainly.
    pub compensated_sum: bool,
}

/// What stands in for a precision of zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Smoothing {
    /// Nothing: the score is zero.
    None,
    /// A fixed number of matches.
    Floor(f64),
    /// A number added to matches and totals of all orders but the first.
    AddK(f64),
    /// Half of a match, then a quarter, and so on.
    Exp,
}

/// Where the cells of a row are: `[sys_len, ref_len, correct_1.., total_1..]`.
pub(super) const SYS_LEN: usize = 0;
pub(super) const REF_LEN: usize = 1;
pub(super) const CORRECT: usize = 2;

impl Metric for Bleu {
    type Counter = BleuCounter;

    fn width(&self) -> usize {
        CORRECT + 2 * self.order
    }

    fn counter(&self) -> BleuCounter {
        let numbering = Numbering::new(self.tokenizer);
        let matcher = Matcher::new(self.order, numbering.anchor());
        BleuCounter { order: self.order, numbering, matcher, numbers: Vec::new() }
    }

    fn score(&self, totals: &[f64]) -> f64 {
        let (correct, total) = totals[CORRECT..].split_at(self.order);
        // On the stack: a score of a matrix takes less time than three allocations.
        let mut cells = [[0.0; MAX_ORDER]; 3];
        let [precisions, smoothed_correct, smoothed_total] = cells.each_mut().map(|cells| &mut cells[..self.order]);
        smoothed_correct.copy_from_slice(correct);
        smoothed_total.copy_from_slice(total);
        let orders = Orders { precisions, correct: smoothed_correct, total: smoothed_total };
        combine(orders, brevity_penalty(totals[SYS_LEN], totals[REF_LEN]), &self.scoring)
    }

    fn index<'a>(&'a self, references: &'a Batch) -> Box<dyn Index + 'a> {
        ngrams::index(self, references)
    }

    fn index_of_hypotheses<'a>(&'a self, hypotheses: &'a Batch) -> Option<Box<dyn Index + 'a>> {
        ngrams::index_of_hypotheses(self, hypotheses)
    }

    fn index_of_mean<'a>(&'a self, references: &'a Batch, weights: Option<&[f64]>) -> Option<Box<dyn Index + 'a>> {
        ngrams::index_of_mean(self, references, weights)
    }

    fn scores_among_others(&self, samples: &Samples, threads: usize) -> Vec<f64> {
        match others::clipped_rows(self, samples) {
            Some(rows) => rows.chunks_exact(self.width()).map(|row| self.score(row)).collect(),
            None => others::one_by_one(self, samples, threads),
        }
    }
}

impl NgramMetric for Bleu {
    fn views(&self) -> Vec<View> {
        let reading = match self.tokenizer {
            Tokenizer::Char => Reading::Characters { spaces: false },
            tokenizer => Reading::Words(tokenizer),
        };
        vec![View { reading, order: self.order }]
    }

    fn fill(&self, hypothesis: &[f64], reference: &[f64], matches: &[f64], row: &mut [f64]) {
        row[SYS_LEN] = hypothesis[0];
        row[REF_LEN] = reference[0];
        row[CORRECT..][..self.order].copy_from_slice(matches);
        row[CORRECT + self.order..].copy_from_slice(hypothesis);
    }
}

/// Counts BLEU's rows.
pub struct BleuCounter {
    order: usize,
    numbering: Numbering,
    matcher: Matcher,
    numbers: Vec<u32>,
}

impl Counter for BleuCounter {
    fn count(&mut self, segment: Segment<'_>, row: &mut [f64]) {
        let highest = self.numbering.number_hypothesis(segment.hypothesis(), &mut self.numbers);
        let length = self.numbers.len();
        self.matcher.start(&mut self.numbers, highest);
        let mut closest: Option<usize> = None;
        for reference in segment.references() {
            self.numbering.number_reference(reference, &mut self.numbers);
            self.matcher.add_reference(&self.numbers);
            closest = Some(closest.map_or(self.numbers.len(), |best| closer(length, best, self.numbers.len())));
        }
        row[SYS_LEN] = length as f64;
        row[REF_LEN] = closest.unwrap_or(0) as f64;
        let (correct, total) = row[CORRECT..].split_at_mut(self.order);
        self.matcher.finish(correct);
        for (n, total) in (1..).zip(total) {
            *total = (length + 1).saturating_sub(n) as f64;
        }
    }
}

/// From text to numbered tokens.
enum Numbering {
    Words {
        tokenizer: Tokenizer,
        tokens: Tokens,
        words: WordNumbers,
    },
    /// Characters need no scanning and no hashing.
    Characters(CharNumbers),
}

impl Numbering {
    fn new(tokenizer: Tokenizer) -> Self {
        match tokenizer {
            Tokenizer::Char => Self::Characters(CharNumbers::new(false)),
            _ => Self::Words { tokenizer, tokens: Tokens::default(), words: WordNumbers::default() },
        }
    }

    /// Lists are short by word, and not by character.
    fn anchor(&self) -> Anchor {
        match self {
            Self::Words { .. } => Anchor::Unigram,
            Self::Characters(_) => Anchor::Bigram,
        }
    }

    /// Numbers the tokens of a hypothesis and returns the highest number.
    fn number_hypothesis(&mut self, text: Text<'_>, numbers: &mut Vec<u32>) -> usize {
        match self {
            Self::Words { tokenizer, tokens, words } => {
                words.number_hypothesis(tokens.prepare(*tokenizer, text), numbers);
                words.highest()
            }
            Self::Characters(characters) => {
                characters.number_hypothesis(text, numbers);
                characters.highest()
            }
        }
    }

    fn number_reference(&mut self, text: Text<'_>, numbers: &mut Vec<u32>) {
        match self {
            Self::Words { tokenizer, tokens, words } => {
                words.number_reference(tokens.prepare(*tokenizer, text), numbers);
            }
            Self::Characters(characters) => characters.number_reference(text, numbers),
        }
    }
}

/// The length nearer to `target`; of two equally near, the shorter.
fn closer(target: usize, a: usize, b: usize) -> usize {
    std::cmp::min_by_key(a, b, |&length| (length.abs_diff(target), length))
}

/// A BLEU score and what it is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct BleuScore {
    /// 0 to 100.
    pub score: f64,
    /// The precision of each order, in per cent.
    pub precisions: Vec<f64>,
    /// The brevity penalty.
    pub brevity_penalty: f64,
    /// The matches of each order, after smoothing.
    pub correct: Vec<f64>,
    /// The hypothesis n-grams of each order, after smoothing.
    pub total: Vec<f64>,
}

/// BLEU from its statistics, with all that it is made of.
pub fn evaluate(correct: &[f64], total: &[f64], sys_len: f64, ref_len: f64, scoring: &Scoring) -> BleuScore {
    let mut result = BleuScore {
        score: 0.0,
        precisions: vec![0.0; correct.len()],
        brevity_penalty: brevity_penalty(sys_len, ref_len),
        correct: correct.to_vec(),
        total: total.to_vec(),
    };
    let BleuScore { score, precisions, brevity_penalty, correct, total } = &mut result;
    *score = combine(Orders { precisions, correct, total }, *brevity_penalty, scoring);
    result
}

/// The statistics of each order, to be smoothed, and its precision, to be computed.
struct Orders<'a> {
    precisions: &'a mut [f64],
    correct: &'a mut [f64],
    total: &'a mut [f64],
}

/// The formula. Products and quotients are taken strictly from left to right, as sacreBLEU does: the last bit
/// depends on it.
fn combine(mut orders: Orders<'_>, brevity_penalty: f64, scoring: &Scoring) -> f64 {
    // Smoothing never rescues a hypothesis without any match.
    if orders.correct.iter().all(|&matches| matches == 0.0) {
        return 0.0;
    }
    let reached = fill_precisions(&mut orders, scoring.smoothing);
    let used = if scoring.effective_order { reached } else { orders.precisions.len() };
    let precisions = &orders.precisions[..used];
    if !precisions.iter().all(|&precision| precision > 0.0) {
        return 0.0;
    }
    let logs = precisions.iter().map(|precision| precision.ln());
    let sum = if scoring.compensated_sum { compensated_sum(logs) } else { logs.fold(0.0, |sum, log| sum + log) };
    brevity_penalty * (sum / used as f64).exp()
}

fn brevity_penalty(sys_len: f64, ref_len: f64) -> f64 {
    if sys_len >= ref_len {
        1.0
    } else if sys_len > 0.0 {
        (1.0 - ref_len / sys_len).exp()
    } else {
        0.0
    }
}

/// Computes the precisions up to the first order without n-grams, and says how many those are.
fn fill_precisions(result: &mut Orders<'_>, smoothing: Smoothing) -> usize {
    let mut divisor = 1.0;
    for n in 0..result.correct.len() {
        if let (Smoothing::AddK(k), 1..) = (smoothing, n) {
            result.correct[n] += k;
            result.total[n] += k;
        }
        let (correct, total) = (result.correct[n], result.total[n]);
        if total == 0.0 {
            return n;
        }
        result.precisions[n] = match smoothing {
            _ if correct != 0.0 => 100.0 * correct / total,
            Smoothing::Exp => {
                divisor *= 2.0;
                100.0 / (divisor * total)
            }
            Smoothing::Floor(value) => 100.0 * value / total,
            Smoothing::None | Smoothing::AddK(_) => 0.0,
        };
    }
    result.correct.len()
}

/// Neumaier's sum, as in CPython 3.12 and later.
fn compensated_sum(mut values: impl Iterator<Item = f64>) -> f64 {
    let Some(mut sum) = values.next() else { return 0.0 };
    let mut error = 0.0;
    for value in values {
        let next = sum + value;
        error += if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
        sum = next;
    }
    if error != 0.0 && f64::is_finite(error) { sum + error } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scoring(smoothing: Smoothing, compensated_sum: bool) -> Scoring {
        Scoring { smoothing, effective_order: false, compensated_sum }
    }

    #[test]
    fn the_sum_of_logarithms_follows_the_interpreter() {
        let score = |compensated| {
            let scoring = scoring(Smoothing::None, compensated);
            evaluate(&[778., 808., 215., 193.], &[1563., 925., 972., 1339.], 5000., 4000., &scoring).score
        };
        assert_eq!(34.31308716498347, score(false));
        assert_eq!(34.313087164983486, score(true));
    }

    #[test]
    fn ties_in_length_go_to_the_shorter_reference() {
        assert_eq!(2, closer(3, 4, 2));
        assert_eq!(2, closer(3, 2, 4));
        assert_eq!(3, closer(3, 3, 2));
    }
}
