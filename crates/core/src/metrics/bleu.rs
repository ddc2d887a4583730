//! BLEU (Papineni et al., 2002), equal to sacreBLEU 2.6.0.

use crate::batch::{Batch, Segment};
use crate::matching::TextMatcher;
use crate::matrix::ngrams::{self, NgramMetric, View};
use crate::matrix::others::{self, Samples};
use crate::matrix::{Index, Matrix};
use crate::metric::{Counter, Formula, Metric};
use crate::ngram::MAX_ORDER;
use crate::prepare::{Reading, Tokenizer};
use crate::threads::Threads;

/// The options of BLEU.
#[derive(Clone, Debug)]
pub struct Bleu {
    /// How text becomes tokens.
    pub tokenizer: Tokenizer,
    /// The longest n-grams. Some smoothing looks one order ahead: see [`Smoothing::looks_ahead`].
    pub order: usize,
    /// Which of several references has the length to reach.
    pub ref_len: RefLen,
    /// How totals become a score.
    pub scoring: Scoring,
}

/// Which of several references has the length that a hypothesis should reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RefLen {
    /// The nearest, of equally near ones the shorter: sacreBLEU, NLTK.
    #[default]
    Closest,
    /// The nearest, of equally near ones the first: sacRebleu, torchmetrics.
    FirstClosest,
    /// The shortest: mteval before v13, Hugging Face's `bleu`.
    Shortest,
}

impl RefLen {
    /// The rule of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "closest" => Self::Closest,
            "first-closest" => Self::FirstClosest,
            "shortest" => Self::Shortest,
            _ => return None,
        })
    }

    /// The better of two lengths, given in the order of the references.
    fn choose(self, target: usize, earlier: usize, later: usize) -> usize {
        std::cmp::min_by_key(earlier, later, |&length| match self {
            Self::Closest => (length.abs_diff(target), length),
            Self::FirstClosest => (length.abs_diff(target), 0),
            Self::Shortest => (length, 0),
        })
    }
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

/// What stands in for a precision of zero. The first four are sacreBLEU's. Of the methods that Chen and Cherry (2014)
/// number, 1 is `Floor`, 2 is `AddK(1)` and 3 is `Exp`; the others follow, with sacreBLEU's counts: nothing is added to
/// an order without n-grams.
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
    /// The smallest normal double: what NLTK calls method 0, a product that is not quite zero.
    Tiny,
    /// As `Exp`, but times ln(hypothesis length) / k: longer hypotheses get more (method 4).
    ByLength(f64),
    /// No zeros are replaced; every precision is averaged with its neighbours (method 5).
    Neighbours,
    /// From the third order on, α matches are expected by the two orders before (method 6).
    Prior(f64),
    /// `ByLength`, then `Neighbours` (method 7).
    ByLengthNeighbours(f64),
}

impl Smoothing {
    /// The method of that name. Methods that have a value take it.
    pub fn from_name(name: &str, value: f64) -> Option<Self> {
        Some(match name {
            "none" => Self::None,
            "floor" | "method1" => Self::Floor(value),
            "add-k" => Self::AddK(value),
            "exp" | "method3" => Self::Exp,
            "method0" => Self::Tiny,
            "method2" => Self::AddK(1.0),
            "method4" => Self::ByLength(value),
            "method5" => Self::Neighbours,
            "method6" => Self::Prior(value),
            "method7" => Self::ByLengthNeighbours(value),
            _ => return None,
        })
    }

    /// How many orders beyond the last are to be counted for it: the neighbour of the last, or none.
    pub fn looks_ahead(self) -> usize {
        usize::from(matches!(self, Self::Neighbours | Self::ByLengthNeighbours(_)))
    }
}

/// Where the cells of a row are: `[sys_len, ref_len, correct_1.., total_1..]`.
pub(super) const SYS_LEN: usize = 0;
pub(super) const REF_LEN: usize = 1;
pub(super) const CORRECT: usize = 2;

impl Bleu {
    /// BLEU with n-grams up to `order`, and what its smoothing wants counted beyond them.
    pub fn new(tokenizer: Tokenizer, order: usize, ref_len: RefLen, scoring: Scoring) -> Self {
        Self { tokenizer, order: order + scoring.smoothing.looks_ahead(), ref_len, scoring }
    }
}

impl Formula for Bleu {
    fn width(&self) -> usize {
        CORRECT + 2 * self.order
    }

    fn score(&self, totals: &[f64]) -> f64 {
        let (correct, total) = totals[CORRECT..].split_at(self.order);
        let (sys_len, ref_len) = (totals[SYS_LEN], totals[REF_LEN]);
        if self.order > MAX_ORDER {
            return evaluate(correct, total, sys_len, ref_len, &self.scoring).score;
        }
        // On the stack: a score of a matrix takes less time than three allocations.
        let mut cells = [[0.0; MAX_ORDER]; 3];
        let [precisions, smoothed_correct, smoothed_total] = cells.each_mut().map(|cells| &mut cells[..self.order]);
        smoothed_correct.copy_from_slice(correct);
        smoothed_total.copy_from_slice(total);
        let precisions = &mut precisions[..self.order - self.scoring.smoothing.looks_ahead()];
        let orders = Orders { precisions, correct: smoothed_correct, total: smoothed_total, sys_len };
        combine(orders, brevity_penalty(sys_len, ref_len), &self.scoring)
    }

    /// The score; the brevity penalty and the precision of each order, in per cent.
    fn parts(&self, totals: &[f64]) -> (f64, Vec<f64>) {
        let (correct, total) = totals[CORRECT..].split_at(self.order);
        let found = evaluate(correct, total, totals[SYS_LEN], totals[REF_LEN], &self.scoring);
        (found.score, std::iter::once(found.brevity_penalty).chain(found.precisions).collect())
    }
}

impl Metric for Bleu {
    type Counter = BleuCounter;

    fn counter(&self) -> BleuCounter {
        let matcher = TextMatcher::new(Reading::from(self.tokenizer), self.order);
        BleuCounter { order: self.order, ref_len: self.ref_len, matcher }
    }
}

impl Matrix for Bleu {
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
        let closest = self.ref_len == RefLen::Closest;
        match closest.then(|| others::clipped_rows(self, samples)).flatten() {
            Some(rows) => rows.chunks_exact(self.width()).map(|row| self.score(row)).collect(),
            None => others::one_by_one(self, samples, threads),
        }
    }
}

impl NgramMetric for Bleu {
    fn views(&self) -> Vec<View> {
        vec![View { reading: Reading::from(self.tokenizer), order: self.order }]
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
    ref_len: RefLen,
    matcher: TextMatcher,
}

impl Counter for BleuCounter {
    fn count(&mut self, segment: Segment<'_>, row: &mut [f64]) {
        let mut matching = self.matcher.start(segment);
        let length = matching.length();
        let mut ref_len: Option<usize> = None;
        while let Some(other) = matching.add() {
            ref_len = Some(ref_len.map_or(other, |best| self.ref_len.choose(length, best, other)));
        }
        row[SYS_LEN] = length as f64;
        row[REF_LEN] = ref_len.unwrap_or(0) as f64;
        let (correct, total) = row[CORRECT..].split_at_mut(self.order);
        matching.finish(correct);
        for (n, total) in (1..).zip(total) {
            *total = (length + 1).saturating_sub(n) as f64;
        }
    }
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

/// BLEU from its statistics, with all that it is made of. Counts are those of the orders scored, and of those that the
/// smoothing looks ahead to.
pub fn evaluate(correct: &[f64], total: &[f64], sys_len: f64, ref_len: f64, scoring: &Scoring) -> BleuScore {
    let mut result = BleuScore {
        score: 0.0,
        precisions: vec![0.0; correct.len() - scoring.smoothing.looks_ahead()],
        brevity_penalty: brevity_penalty(sys_len, ref_len),
        correct: correct.to_vec(),
        total: total.to_vec(),
    };
    let BleuScore { score, precisions, brevity_penalty, correct, total } = &mut result;
    *score = combine(Orders { precisions, correct, total, sys_len }, *brevity_penalty, scoring);
    result
}

/// The statistics of each order, to be smoothed, and its precision, to be computed.
struct Orders<'a> {
    precisions: &'a mut [f64],
    correct: &'a mut [f64],
    total: &'a mut [f64],
    sys_len: f64,
}

/// The formula. Products and quotients are taken strictly from left to right, as sacreBLEU does: the last bit
/// depends on it.
fn combine(mut orders: Orders<'_>, brevity_penalty: f64, scoring: &Scoring) -> f64 {
    // Smoothing never rescues a hypothesis without any match.
    if orders.correct.iter().all(|&matches| matches == 0.0) {
        return 0.0;
    }
    let reached = fill_precisions(&mut orders, scoring.smoothing);
    if scoring.smoothing.looks_ahead() > 0 {
        average_neighbours(&mut orders, reached);
    }
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
    for n in 0..result.precisions.len() {
        if let (Smoothing::AddK(k), 1..) = (smoothing, n) {
            result.correct[n] += k;
            result.total[n] += k;
        }
        let (correct, total) = (result.correct[n], result.total[n]);
        if total == 0.0 {
            return n;
        }
        result.precisions[n] = match smoothing {
            Smoothing::Prior(alpha) if n >= 2 => {
                (100.0 * correct + alpha * expected(&result.precisions[n - 2..n])) / (total + alpha)
            }
            _ if correct != 0.0 => 100.0 * correct / total,
            Smoothing::Exp => {
                divisor *= 2.0;
                100.0 / (divisor * total)
            }
            Smoothing::Floor(value) => 100.0 * value / total,
            Smoothing::Tiny => 100.0 * f64::MIN_POSITIVE,
            Smoothing::ByLength(k) | Smoothing::ByLengthNeighbours(k) => {
                divisor *= 2.0;
                100.0 * result.sys_len.ln() / (k * divisor * total)
            }
            Smoothing::None | Smoothing::AddK(_) | Smoothing::Neighbours | Smoothing::Prior(_) => 0.0,
        };
    }
    result.precisions.len()
}

/// The precision to expect after two others: as much below the last as that is below the one before.
fn expected(before: &[f64]) -> f64 {
    if before[0] == 0.0 { 0.0 } else { before[1] * before[1] / before[0] }
}

/// Averages each of the precisions reached with its neighbours: the smoothed one before (before the first, one more
/// than the whole) and the one after, as it was. After the last comes the order looked ahead to; an order without
/// n-grams counts as zero.
fn average_neighbours(result: &mut Orders<'_>, reached: usize) {
    let order = result.precisions.len();
    let (correct, total) = (result.correct[order], result.total[order]);
    let ahead = if total > 0.0 { 100.0 * correct / total } else { 0.0 };
    let mut before = result.precisions[0] + 100.0;
    for n in 0..reached {
        let after = result.precisions.get(n + 1).copied().unwrap_or(ahead);
        before = (before + result.precisions[n] + after) / 3.0;
        result.precisions[n] = before;
    }
}

/// Neumaier's sum, as in CPython 3.12 and later.
pub(super) fn compensated_sum(mut values: impl Iterator<Item = f64>) -> f64 {
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
    fn the_parts_are_the_score_the_brevity_penalty_and_the_precisions() {
        for smoothing in [Smoothing::None, Smoothing::Neighbours] {
            let metric = Bleu::new(Tokenizer::None, 2, RefLen::Closest, scoring(smoothing, false));
            let totals: Vec<f64> = match metric.order {
                2 => vec![6., 7., 5., 2., 6., 5.],
                _ => vec![6., 7., 5., 2., 1., 6., 5., 4.],
            };
            let (score, parts) = metric.parts(&totals);
            assert_eq!((metric.score(&totals), 3, (1.0_f64 - 7.0 / 6.0).exp()), (score, parts.len(), parts[0]));
        }
        let plain = Bleu::new(Tokenizer::None, 2, RefLen::Closest, scoring(Smoothing::None, false));
        assert_eq!([500.0 / 6.0, 40.0], plain.parts(&[6., 7., 5., 2., 6., 5.]).1[1..]);
    }

    #[test]
    fn the_score_of_a_row_is_that_of_its_parts_however_short_the_text() {
        let short = [[2., 2., 2., 1., 0., 0., 2., 1., 0., 0.], [1., 1., 1., 0., 0., 0., 1., 0., 0., 0.], [0.; 10]];
        for (totals, expected) in short.into_iter().zip([100.0, 100.0, 0.0]) {
            let mut scoring = scoring(Smoothing::Exp, false);
            let plain = Bleu::new(Tokenizer::None, 4, RefLen::Closest, scoring.clone());
            assert_eq!((0.0, 0.0), (plain.score(&totals), plain.parts(&totals).0));
            scoring.effective_order = true;
            let effective = Bleu::new(Tokenizer::None, 4, RefLen::Closest, scoring);
            assert!((expected - effective.score(&totals)).abs() < 1e-12);
            assert_eq!(effective.score(&totals), effective.parts(&totals).0);
        }
    }

    #[test]
    fn smoothing_never_rescues_a_hypothesis_without_any_match() {
        for smoothing in [Smoothing::Exp, Smoothing::Floor(0.1), Smoothing::AddK(1.0), Smoothing::Tiny] {
            assert_eq!(0.0, evaluate(&[0.; 4], &[6., 5., 4., 3.], 6., 6., &scoring(smoothing, false)).score);
        }
        assert!(evaluate(&[1.; 4], &[6., 5., 4., 3.], 6., 6., &scoring(Smoothing::None, false)).score > 20.0);
    }

    #[test]
    fn the_brevity_penalty_of_short_and_empty_texts() {
        let expected = [1.0, 1.0, (-1.0_f64).exp(), 0.0, 1.0];
        let lengths = [(6., 6.), (7., 6.), (1., 2.), (0., 1.), (0., 0.)];
        assert_eq!(expected, lengths.map(|(sys_len, ref_len)| brevity_penalty(sys_len, ref_len)));
    }

    /// By hand: before the first precision comes one more than the whole, after the last the order looked ahead to.
    #[test]
    fn the_last_precision_is_averaged_with_that_of_the_order_ahead() {
        let precision = |correct: [f64; 2], total: [f64; 2]| {
            evaluate(&correct, &total, 4., 4., &scoring(Smoothing::Neighbours, false)).precisions[0]
        };
        assert_eq!((175.0 + 75.0 + 50.0) / 3.0, precision([3., 1.], [4., 2.]));
        assert_eq!((200.0 + 100.0 + 100.0) / 3.0, precision([2., 1.], [2., 1.]));
        assert_eq!((200.0 + 100.0 + 0.0) / 3.0, precision([1., 0.], [1., 0.]));
    }

    #[test]
    fn the_precision_to_expect_falls_as_before() {
        assert_eq!([20.0, 0.25, 0.0], [[80., 40.], [1., 0.5], [0., 5.]].map(|before| expected(&before)));
    }

    /// As Python 3.12 adds: `sum([1e16, 1.0, -1e16])` is 1, and what is infinite stays so.
    #[test]
    fn what_a_sum_loses_is_added_at_its_end() {
        assert_eq!(1.0, compensated_sum([1e16, 1.0, -1e16].into_iter()));
        assert_eq!(f64::NEG_INFINITY, compensated_sum([f64::NEG_INFINITY, 1.0].into_iter()));
        assert_eq!(0.0, compensated_sum(std::iter::empty()));
    }

    #[test]
    fn options_have_names() {
        assert_eq!(Some(RefLen::FirstClosest), RefLen::from_name("first-closest"));
        assert_eq!(None, RefLen::from_name("longest"));
        assert_eq!(Some(Smoothing::Floor(0.1)), Smoothing::from_name("method1", 0.1));
        assert_eq!(Some(Smoothing::AddK(1.0)), Smoothing::from_name("method2", 5.0));
        assert_eq!(None, Smoothing::from_name("method8", 0.0));
    }

    #[test]
    fn ties_in_length_go_to_the_shorter_reference_or_the_first() {
        assert_eq!([2, 2, 3], [(4, 2), (2, 4), (3, 2)].map(|(a, b)| RefLen::Closest.choose(3, a, b)));
        assert_eq!([4, 2, 3], [(4, 2), (2, 4), (3, 2)].map(|(a, b)| RefLen::FirstClosest.choose(3, a, b)));
        assert_eq!([2, 2, 2], [(4, 2), (2, 4), (3, 2)].map(|(a, b)| RefLen::Shortest.choose(3, a, b)));
    }

    /// 5/6, 2/5, 1/4, 0/3 with lengths 6 and 7, and no match of five words. NLTK gives these numbers for one segment,
    /// from 0 to 1. The logarithm of the tiniest precision is −704, of which a double keeps 13 digits behind the point.
    #[test]
    fn chen_and_cherrys_methods_equal_those_of_nltk_on_one_segment() {
        let expected = [
            (Smoothing::Tiny, 5.5546715329196825e-78),
            (Smoothing::Floor(0.1), 0.19433094436376075),
            (Smoothing::AddK(1.0), 0.38244129131513815),
            (Smoothing::Exp, 0.29059254080791846),
            (Smoothing::ByLength(5.0), 0.2248339488533992),
            (Smoothing::Neighbours, 0.2899028757525332),
            (Smoothing::Prior(5.0), 0.22924636105161686),
            (Smoothing::ByLengthNeighbours(5.0), 0.31487813800826403),
        ];
        for (smoothing, expected) in expected {
            let orders = 4 + smoothing.looks_ahead();
            let (correct, total) = ([5., 2., 1., 0., 0.], [6., 5., 4., 3., 2.]);
            let score = evaluate(&correct[..orders], &total[..orders], 6., 7., &scoring(smoothing, false)).score;
            assert!((score / 100.0 - expected).abs() <= 1e-13 * expected, "{smoothing:?}: {score}");
        }
    }

    #[test]
    fn no_method_rescues_an_order_without_ngrams_but_effective_order_leaves_it_out() {
        for smoothing in [Smoothing::Tiny, Smoothing::ByLength(5.0), Smoothing::Neighbours, Smoothing::Prior(5.0)] {
            let orders = 4 + smoothing.looks_ahead();
            let (correct, total) = ([2., 1., 0., 0., 0.], [2., 1., 0., 0., 0.]);
            let mut scoring = scoring(smoothing, false);
            assert_eq!(0.0, evaluate(&correct[..orders], &total[..orders], 2., 2., &scoring).score);
            scoring.effective_order = true;
            assert!(evaluate(&correct[..orders], &total[..orders], 2., 2., &scoring).score > 60.0);
        }
    }
}
