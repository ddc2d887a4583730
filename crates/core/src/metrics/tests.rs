//! Whole scores of a few texts, from the oracle of each metric: sacreBLEU 2.6.0, jiwer 4.0.0, RapidFuzz 3.14.6, and the
//! scripts of SQuAD. Generated texts are compared in Python; these hold the formulas where only the core is built.

use super::bleu::{Bleu, RefLen, Scoring, Smoothing};
use super::chrf::{Chrf, OrderScores};
use super::similarity::EditSimilarity;
use super::squad::{AnswerScores, ExactMatch, TokenF1};
use super::ter::Ter;
use super::wer::{Rate, Wer};
use crate::batch::Batch;
use crate::metric::{AT_ONCE, Formula, Metric, NEAR};
use crate::prepare::Tokenizer;
use crate::prepare::answer::Answer;
use crate::prepare::tercom::Tercom;
use crate::prepare::transcript::Transcript;
use crate::segments::{Source, add_rows, count};
use crate::threads::Threads;
use crate::unicode::code_points;
use proptest::prelude::*;
use std::convert::Infallible;
use std::ops::Range;

const HYPOTHESES: [&str; 3] = ["by the pond stood a heron, still", "rain", ""];
const ONE: [&str; 3] = ["a heron stood by the pond.", "it rains", "x y"];
const OTHER: [&str; 3] = ["a grey heron stood still by the pond", "rain", "z"];

/// Segments, each a hypothesis and its references.
pub struct Texts(pub Vec<Vec<&'static str>>);

impl Source for Texts {
    type Error = Infallible;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn load(&self, segments: Range<usize>, batch: &mut Batch) -> Result<(), Infallible> {
        for texts in &self.0[segments] {
            batch.begin_segment();
            for text in texts {
                batch.push_text(|buffer| {
                    buffer.extend(code_points(text));
                    Ok::<_, Infallible>(())
                })?;
            }
            batch.end_segment(true);
        }
        Ok(())
    }
}

fn score(metric: &impl Metric, segments: Vec<Vec<&'static str>>) -> f64 {
    let mut totals = vec![0.0; metric.width()];
    count(metric, &Texts(segments), &Threads::new(1), |rows| add_rows(&mut totals, rows)).unwrap();
    metric.score(&totals)
}

/// The scores against the first reference, and against both.
fn scores(metric: &impl Metric) -> (f64, f64) {
    let one = HYPOTHESES.iter().zip(ONE).map(|(&text, one)| vec![text, one]).collect();
    let both = HYPOTHESES.iter().zip(ONE).zip(OTHER).map(|((&text, one), other)| vec![text, one, other]).collect();
    (score(metric, one), score(metric, both))
}

fn alone(metric: &impl Metric, hypothesis: &'static str, reference: &'static str) -> f64 {
    score(metric, vec![vec![hypothesis, reference]])
}

#[test]
fn chrf_is_that_of_sacrebleu() {
    let plain = Chrf { char_order: 6, word_order: 0, beta_squared: 4.0, whitespace: false, eps_smoothing: false };
    assert_eq!((56.4808435899269, 62.402272808260506), scores(&plain));
    let plus = Chrf { word_order: 2, ..plain.clone() };
    assert_eq!((54.32726670792904, 61.215413041371036), scores(&plus));
    let smoothed = Chrf { beta_squared: 1.0, eps_smoothing: true, ..plain.clone() };
    assert_eq!((55.43957491783579, 59.34956436455403), scores(&smoothed));
    let smoothed_plus = Chrf { word_order: 2, ..smoothed.clone() };
    assert_eq!((54.07968118837685, 60.003626264868515), scores(&smoothed_plus));
    let spaced = Chrf { whitespace: true, ..plain.clone() };
    assert_eq!((61.587896775826, 68.54801152296169), scores(&spaced));
    let weighed = Chrf { eps_smoothing: true, ..plain.clone() };
    let short = [&plain, &plus, &smoothed].map(|metric| (alone(metric, "ab", "b"), alone(metric, "", "")));
    let expected = [(83.33333333333334, 0.0), (41.66666666666667, 0.0), (11.11111111111112, 1.0000000000000002e-14)];
    assert_eq!(expected, short);
    assert_eq!((55.55555555555556, 9.259259259259267), (alone(&plain, "b", "ab"), alone(&weighed, "b", "ab")));
    assert_eq!((0.0, 1.0000000000000002e-14), (alone(&plain, "ab", "cd"), alone(&smoothed, "ab", "cd")));
    // The hypothesis n-grams of an order that the reference lacks are forgotten in sums, too.
    let sums = [&plain, &smoothed].map(|metric| score(metric, vec![vec!["ab", "b"], vec!["ab", "ab"]]));
    assert_eq!([97.22222222222221, 30.952380952380953], sums);
}

#[test]
fn chrf_by_order_is_that_of_nltk() {
    let nltk = [(0.45478322500267643, "rain", "it rains"), (1e-16, "cd", "ab"), (0.13157894736842113, "b", "ab")];
    for (expected, hypothesis, reference) in nltk {
        let found = alone(&OrderScores::new(4, 9.0, false), hypothesis, reference);
        assert!((expected - found).abs() <= 1e-15 * expected, "{hypothesis} {reference}: {found}");
    }
}

#[test]
fn ter_is_that_of_sacrebleu() {
    let normalized = Ter { tokenizer: Tercom { normalized: true, no_punct: true, asian_support: false } };
    assert_eq!((90.0, 50.0), scores(&Ter::default()));
    assert_eq!((70.0, 40.0), scores(&normalized));
    let metric = Ter::default();
    assert_eq!((100.0, 0.0), (alone(&metric, "a", ""), alone(&metric, "", "")));
    assert_eq!(300.0, alone(&metric, "a b c", "x"));
}

#[test]
fn error_rates_are_those_of_jiwer() {
    let rated = |rate: Rate, by_character: bool| {
        let transcript = Transcript { standardize: false, remove_punctuation: false };
        scores(&Wer { rate, by_character, transcript, distance_only: false })
    };
    assert_eq!(100.0, rated(Rate::Error, false).0);
    assert_eq!(100.0 * (25.0 / 37.0), rated(Rate::Error, true).0);
    assert_eq!(100.0 * (10.0 / 11.0), rated(Rate::Match, false).0);
    assert_eq!(98.75, rated(Rate::InformationLost, false).0);
    assert_eq!(1.25, rated(Rate::InformationPreserved, false).0);
    assert_eq!((100.0, 100.0 * (2.0 / 3.0)), rated(Rate::Sentence, false));
}

#[test]
fn of_references_with_the_same_error_rate_the_first_counts() {
    let transcript = Transcript { standardize: false, remove_punctuation: false };
    let metric = Wer { rate: Rate::InformationPreserved, by_character: false, transcript, distance_only: false };
    assert_eq!(25.0, score(&metric, vec![vec!["a b", "a x", "a b c d"]]));
    assert_eq!(50.0, score(&metric, vec![vec!["a b", "a b c d", "a x"]]));
}

#[test]
fn similarities_are_those_of_rapidfuzz() {
    let plain = EditSimilarity { threshold: 0.0, is_indel: false, strip: false };
    assert_eq!((31.25, 100.0 * (1.4375 / 3.0)), scores(&plain));
    assert_eq!(100.0 * (0.5 / 3.0), scores(&EditSimilarity { threshold: 0.5, ..plain }).0);
    let indel = 100.0 * (0.5862068965517242 + 0.6666666666666667) / 3.0;
    assert!((indel - scores(&EditSimilarity { is_indel: true, ..plain }).0).abs() < 1e-12);
    assert_eq!((100.0, 0.0), (alone(&plain, "", ""), alone(&plain, " a", "")));
    let stripped = EditSimilarity { strip: true, ..plain };
    assert_eq!((50.0, 100.0), (alone(&plain, " a", "a"), alone(&stripped, " a", "a")));
}

#[test]
fn answers_are_scored_as_by_squad() {
    let answer = Answer { word_characters: [48..=57, 95..=95, 97..=122].into() };
    let exact = ExactMatch { answer: answer.clone() };
    assert_eq!((0.0, 100.0 * (1.0 / 3.0)), scores(&exact));
    assert_eq!(100.0, alone(&exact, "the heron.", "a heron"));
    // Of the first: by pond stood heron still, and heron stood by pond.
    let f1 = TokenF1 { answer, empty_is_alike: true };
    assert!((100.0 * (8.0 / 9.0) / 3.0 - scores(&f1).0).abs() < 1e-12);
    let strict = TokenF1 { empty_is_alike: false, ..f1.clone() };
    assert_eq!((100.0, 0.0), (alone(&f1, "", "a"), alone(&strict, "", "a")));
    assert_eq!((0.0, 0.0), (alone(&f1, "", "b"), alone(&f1, "b", "")));
    assert_eq!((0.0, 0.0), (exact.score(&[0.0; 2]), f1.score(&[0.0; 4])));
    // Both at once, as they are.
    let both = AnswerScores(f1);
    let mut rows = Vec::new();
    let texts = Texts(vec![vec!["the heron", "heron", "b"], vec!["b heron", "b c d"]]);
    count(&both, &texts, &Threads::new(1), |some| rows.extend_from_slice(some)).unwrap();
    assert_eq!(vec![1.0, 1.0, 0.0, 0.4], rows);
    assert_eq!(0.4, both.score(&rows[2..]));
}

/// Totals such as texts have, with few matches among many n-grams, or any whole numbers.
fn totals(width: usize, is_match: fn(usize) -> bool) -> impl Strategy<Value = Vec<Vec<f64>>> {
    let any_cell = prop_oneof![0_i64..4, -3_i64..2000, 0_i64..1 << 52].prop_map(|cell| cell as f64);
    let wild = proptest::collection::vec(any_cell, width);
    let cell = move |at: usize, of: i64| if is_match(at) { 1 + of % 900 } else { 900 + of };
    let texts = proptest::collection::vec(0_i64..1_000_000, width)
        .prop_map(move |cells| cells.into_iter().enumerate().map(|(at, of)| cell(at, of) as f64).collect());
    prop_oneof![proptest::collection::vec(texts, 1..=AT_ONCE), proptest::collection::vec(wild, 1..4),]
}

fn check_near_scores(formula: &dyn Formula, totals: &[Vec<f64>]) {
    let columns: Vec<f64> = (0..formula.width()).flat_map(|at| totals.iter().map(move |cells| cells[at])).collect();
    let mut found = vec![0.0; totals.len()];
    formula.near_scores(&columns, &mut found);
    for (found, totals) in found.iter().zip(totals) {
        let score = formula.score(totals);
        assert!(
            found.is_nan() || (found - score).abs() <= NEAR / 100.0 || *found == score,
            "{found} {score} {totals:?}"
        );
    }
}

proptest! {
    #[test]
    fn what_is_near_bleu_is_near(
        totals in totals(10, |at| (2..6).contains(&at)), compensated_sum: bool, effective_order: bool
    ) {
        let others = [Smoothing::Floor(0.1), Smoothing::AddK(1.5), Smoothing::Prior(5.0)];
        for smoothing in [Smoothing::Exp, Smoothing::None].into_iter().chain(others) {
            let scoring = Scoring { smoothing, effective_order, compensated_sum };
            check_near_scores(&Bleu::new(Tokenizer::None, 4, RefLen::Closest, scoring), &totals);
        }
    }

    #[test]
    fn what_is_near_bleu_of_other_orders_is_near(totals in totals(14, |at| at < 5), order in 1_usize..6) {
        for smoothing in [Smoothing::Exp, Smoothing::Neighbours] {
            let scoring = Scoring { smoothing, effective_order: false, compensated_sum: false };
            let metric = Bleu::new(Tokenizer::None, order, RefLen::Closest, scoring);
            let totals: Vec<_> = totals.iter().map(|cells| cells[..metric.width()].to_vec()).collect();
            check_near_scores(&metric, &totals);
        }
    }

    #[test]
    fn what_is_near_chrf_is_near(
        totals in totals(30, |at| at % 3 == 2), word_order in 0_usize..5, eps_smoothing: bool, beta in 0.0..1e3
    ) {
        let metric = Chrf { char_order: 6, word_order, beta_squared: beta * beta, whitespace: false, eps_smoothing };
        let totals: Vec<_> = totals.iter().map(|cells| cells[..metric.width()].to_vec()).collect();
        check_near_scores(&metric, &totals);
    }
}

#[test]
fn usual_totals_need_no_logarithm() {
    let scoring = Scoring { smoothing: Smoothing::Exp, effective_order: false, compensated_sum: false };
    let metric = Bleu::new(Tokenizer::None, 4, RefLen::Closest, scoring);
    let totals = [100.0, 110.0, 64.0, 27.0, 9.0, 5.0, 100.0, 99.0, 98.0, 97.0];
    let mut found = [0.0];
    metric.near_scores(&totals, &mut found);
    assert!(found[0] != metric.score(&totals), "the last bits tell that it went another way");
}
