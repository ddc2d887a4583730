//! chrF, chrF+ and chrF++ (Popović, 2015 and 2017), equal to sacreBLEU 2.6.0.

use crate::batch::{Batch, Segment};
use crate::matching::{Matching, TextMatcher};
use crate::matrix::ngrams::{self, NgramMetric, View};
use crate::matrix::others::{self, Samples};
use crate::matrix::{Index, Matrix};
use crate::metric::{Counter, Formula, Metric};
use crate::prepare::Reading;
use crate::threads::Threads;

/// The options of chrF.
#[derive(Clone, Debug)]
pub struct Chrf {
    /// The longest character n-grams.
    pub char_order: usize,
    /// The longest word n-grams; 0 for plain chrF.
    pub word_order: usize,
    /// Beta squared: how much more recall weighs than precision.
    pub beta_squared: f64,
    /// Keep white space in character n-grams.
    pub whitespace: bool,
    /// Give an order without n-grams a tiny score instead of leaving it out.
    pub eps_smoothing: bool,
}

/// A row holds, for each order, characters first: hypothesis n-grams, reference n-grams, matches.
const CELLS: usize = 3;

impl Formula for Chrf {
    fn width(&self) -> usize {
        CELLS * (self.char_order + self.word_order)
    }

    /// The F score, in doubles and exactly in this order of operations.
    fn score(&self, totals: &[f64]) -> f64 {
        const EPSILON: f64 = 1e-16;
        let factor = self.beta_squared;
        let f_score = |precision: f64, recall: f64| (1.0 + factor) * precision * recall / (factor * precision + recall);
        let (mut smoothed, mut precisions, mut recalls, mut effective) = (0.0, 0.0, 0.0, 0_u32);
        for cells in totals.chunks_exact(CELLS) {
            let (hypothesis, reference, matches) = (cells[0], cells[1], cells[2]);
            let precision = if hypothesis > 0.0 { matches / hypothesis } else { EPSILON };
            let recall = if reference > 0.0 { matches / reference } else { EPSILON };
            let divisible = factor * precision + recall > 0.0;
            smoothed += if divisible { f_score(precision, recall) } else { EPSILON };
            if hypothesis > 0.0 && reference > 0.0 {
                precisions += precision;
                recalls += recall;
                effective += 1;
            }
        }
        if self.eps_smoothing {
            return 100.0 * smoothed / (self.char_order + self.word_order) as f64;
        }
        if effective == 0 {
            return 0.0;
        }
        let (precision, recall) = (precisions / f64::from(effective), recalls / f64::from(effective));
        if precision + recall == 0.0 { 0.0 } else { 100.0 * f_score(precision, recall) }
    }
}

impl Metric for Chrf {
    type Counter = ChrfCounter;

    fn counter(&self) -> ChrfCounter {
        ChrfCounter {
            options: self.clone(),
            characters: TextMatcher::new(self.characters(), self.char_order),
            words: (self.word_order > 0).then(|| TextMatcher::new(Reading::DetachedWords, self.word_order)),
            candidate: vec![0.0; self.width()],
            matches: vec![0.0; self.char_order.max(self.word_order)],
        }
    }
}

impl Matrix for Chrf {
    fn index<'a>(&'a self, references: &'a Batch) -> Box<dyn Index + 'a> {
        ngrams::index(self, references)
    }

    fn index_of_hypotheses<'a>(&'a self, hypotheses: &'a Batch) -> Option<Box<dyn Index + 'a>> {
        ngrams::index_of_hypotheses(self, hypotheses)
    }

    fn index_of_mean<'a>(&'a self, references: &'a Batch, weights: Option<&[f64]>) -> Option<Box<dyn Index + 'a>> {
        ngrams::index_of_mean(self, references, weights)
    }

    fn scores_among_others(&self, samples: &Samples, threads: &Threads) -> Vec<f64> {
        others::best_scores(self, samples, threads)
    }
}

impl NgramMetric for Chrf {
    fn views(&self) -> Vec<View> {
        let characters = View { reading: self.characters(), order: self.char_order };
        let words = View { reading: Reading::DetachedWords, order: self.word_order };
        [characters, words].into_iter().filter(|view| view.order > 0).collect()
    }

    fn fill(&self, hypothesis: &[f64], reference: &[f64], matches: &[f64], row: &mut [f64]) {
        let orders = hypothesis.iter().zip(reference).zip(matches);
        for (cells, ((&hypothesis, &reference), &matches)) in row.chunks_exact_mut(CELLS).zip(orders) {
            fill_order(cells, hypothesis, reference, matches);
        }
    }

    /// The F score without a division for each order.
    fn estimate(&self, hypothesis: &[f64], shares: &[f32], matches: &[u16], estimates: &mut [f32]) -> bool {
        if self.eps_smoothing || hypothesis.contains(&0.0) {
            return false;
        }
        let texts = estimates.len();
        let (mut precisions, mut recalls) = (vec![0.0_f32; texts], vec![0.0_f32; texts]);
        for ((&ngrams, shares), matches) in
            hypothesis.iter().zip(shares.chunks_exact(texts)).zip(matches.chunks_exact(texts))
        {
            let share = 1.0 / ngrams as f32;
            let sums = precisions.iter_mut().zip(&mut recalls);
            for ((precision, recall), (&matches, &of_reference)) in sums.zip(matches.iter().zip(shares)) {
                *precision += f32::from(matches) * share;
                *recall += f32::from(matches) * of_reference;
            }
        }
        let factor = self.beta_squared as f32;
        let whole = 100.0 * (1.0 + factor) / hypothesis.len() as f32;
        for (estimate, (precision, recall)) in estimates.iter_mut().zip(precisions.iter().zip(&recalls)) {
            *estimate = whole * precision * recall / (factor * precision + recall + f32::MIN_POSITIVE);
        }
        true
    }
}

impl Chrf {
    /// How its character n-grams are read.
    fn characters(&self) -> Reading {
        Reading::Characters { spaces: self.whitespace }
    }
}

/// Counts chrF's rows.
pub struct ChrfCounter {
    options: Chrf,
    characters: TextMatcher,
    words: Option<TextMatcher>,
    candidate: Vec<f64>,
    matches: Vec<f64>,
}

impl Counter for ChrfCounter {
    /// The row of the reference that gives the best score; of equals, the first.
    fn count(&mut self, segment: Segment<'_>, row: &mut [f64]) {
        let references = segment.references().len();
        let characters = self.characters.start(segment.clone());
        let words = self.words.as_mut().map(|words| words.start(segment));
        let mut pairs = Pairs { characters, words, char_order: self.options.char_order, matches: &mut self.matches };
        if references == 1 {
            pairs.count_next(row);
            return;
        }
        let mut best = f64::NEG_INFINITY;
        while pairs.count_next(&mut self.candidate) {
            let score = self.options.score(&self.candidate);
            if score > best {
                best = score;
                row.copy_from_slice(&self.candidate);
            }
        }
    }
}

/// A hypothesis with one of its references after the other.
struct Pairs<'m, 'a> {
    characters: Matching<'m, 'a>,
    words: Option<Matching<'m, 'a>>,
    char_order: usize,
    matches: &'m mut [f64],
}

impl Pairs<'_, '_> {
    /// Counts the next reference; false if there are no more.
    fn count_next(&mut self, row: &mut [f64]) -> bool {
        let (characters, words) = row.split_at_mut(CELLS * self.char_order);
        if !fill(characters, &mut self.characters, self.matches) {
            return false;
        }
        if let Some(matching) = &mut self.words {
            fill(words, matching, self.matches);
        }
        true
    }
}

/// Writes the cells of each order for the next reference; false if there are no more.
fn fill(cells: &mut [f64], matching: &mut Matching<'_, '_>, matches: &mut [f64]) -> bool {
    let Some(reference) = matching.add() else { return false };
    matches.fill(0.0);
    matching.finish(matches);
    for ((n, cells), &matches) in (1..).zip(cells.chunks_exact_mut(CELLS)).zip(matches.iter()) {
        let ngrams = |length: usize| (length + 1).saturating_sub(n) as f64;
        fill_order(cells, ngrams(matching.length()), ngrams(reference), matches);
    }
    true
}

#[inline]
fn fill_order(cells: &mut [f64], hypothesis: f64, reference: f64, matches: f64) {
    // sacreBLEU forgets the hypothesis n-grams of an order that the reference lacks, not the other way round.
    cells[0] = if reference > 0.0 { hypothesis } else { 0.0 };
    cells[1] = reference;
    cells[2] = matches;
}

/// chrF as NLTK has it: a row holds the F score of each character order, and a corpus score is the mean of them all.
pub struct OrderScores {
    chrf: Chrf,
}

impl OrderScores {
    /// What an order scores that has no n-grams, or no matches.
    const NOTHING: f64 = 1e-16;

    /// The scores of the character orders from 1 to `order`.
    pub fn new(order: usize, beta_squared: f64, whitespace: bool) -> Self {
        Self { chrf: Chrf { char_order: order, word_order: 0, beta_squared, whitespace, eps_smoothing: true } }
    }

    /// Exactly in NLTK's order of operations.
    fn f_score(&self, hypothesis: f64, reference: f64, matches: f64) -> f64 {
        let factor = self.chrf.beta_squared;
        let (precision, recall) = (matches / hypothesis, matches / reference);
        let divisor = factor * precision + recall;
        let divisible = hypothesis > 0.0 && reference > 0.0 && divisor != 0.0;
        if divisible { (1.0 + factor) * (precision * recall) / divisor } else { Self::NOTHING }
    }
}

impl Formula for OrderScores {
    fn width(&self) -> usize {
        self.chrf.char_order
    }

    /// The mean over orders.
    fn score(&self, totals: &[f64]) -> f64 {
        totals.iter().sum::<f64>() / totals.len() as f64
    }
}

impl Metric for OrderScores {
    type Counter = OrderScoresCounter;

    fn counter(&self) -> OrderScoresCounter {
        let scores = Self { chrf: self.chrf.clone() };
        OrderScoresCounter { scores, counter: self.chrf.counter(), row: vec![0.0; self.chrf.width()] }
    }
}

/// Counts a segment and scores its orders at once.
pub struct OrderScoresCounter {
    scores: OrderScores,
    counter: ChrfCounter,
    row: Vec<f64>,
}

impl Counter for OrderScoresCounter {
    fn count(&mut self, segment: Segment<'_>, scores: &mut [f64]) {
        self.row.fill(0.0);
        self.counter.count(segment, &mut self.row);
        for (cells, score) in self.row.chunks_exact(CELLS).zip(scores) {
            *score = self.scores.f_score(cells[0], cells[1], cells[2]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Chrf =
        Chrf { char_order: 1, word_order: 0, beta_squared: 4.0, whitespace: false, eps_smoothing: false };

    #[test]
    fn an_order_that_one_side_lacks_is_left_out() {
        assert_eq!(
            (100.0, 100.0, 0.0),
            (
                PLAIN.score(&[2., 2., 2., 1., 0., 0.]),
                PLAIN.score(&[2., 2., 2., 0., 1., 0.]),
                PLAIN.score(&[1., 0., 0.])
            )
        );
    }

    #[test]
    fn precision_and_recall_may_add_up_to_one_or_to_nothing() {
        assert_eq!((50.0, 0.0), (PLAIN.score(&[2., 2., 1.]), PLAIN.score(&[2., 2., 0.])));
    }

    /// sacreBLEU gives this for `CHRF(char_order=1, beta=7, eps_smoothing=True)` and two empty texts.
    #[test]
    fn an_order_without_ngrams_scores_epsilon_by_the_formula() {
        let smoothed = Chrf { beta_squared: 49.0, eps_smoothing: true, ..PLAIN };
        assert_eq!(9.999999999999998e-15, smoothed.score(&[0., 0., 0.]));
    }

    #[test]
    fn the_f_of_an_order_is_that_of_nltk() {
        let scores = OrderScores::new(4, 9.0, false);
        let expected = 10.0 * (0.5 * 0.4) / (9.0 * 0.5 + 0.4);
        assert_eq!((4, expected, 1.0), (scores.width(), scores.f_score(4., 5., 2.), scores.f_score(1., 1., 1.)));
        let void = [(0., 2., 0.), (2., 0., 0.), (0., 0., 0.), (2., 2., 0.)];
        assert_eq!([1e-16; 4], void.map(|(own, theirs, matches)| scores.f_score(own, theirs, matches)));
        assert_eq!(0.5, OrderScores::new(4, 1.0, false).f_score(2., 2., 1.));
        assert_eq!(0.25, scores.score(&[1.0, 0.0, 0.0, 0.0]));
    }
}
