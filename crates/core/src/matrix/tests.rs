//! The fast ways against the definitions.

use super::expected::{Choice, expected, expected_all};
use super::others::{Samples, one_by_one};
use super::pairs::OneByOne;
use super::*;
use crate::metrics::bleu::{Bleu, RefLen, Scoring, Smoothing};
use crate::metrics::chrf::Chrf;
use crate::metrics::gleu::Gleu;
use crate::metrics::rouge::{Measure, Rouge, Variant, WordOptions};
use crate::metrics::ter::Ter;
use crate::metrics::wer::{Rate, Wer};
use crate::ngram::MAX_ORDER;
use crate::prepare::Tokenizer;
use crate::prepare::tercom::Tercom;
use crate::prepare::transcript::Transcript;
use crate::unicode::code_points;
use proptest::prelude::*;

/// Texts in memory; loading fails at the one called "broken".
#[derive(Clone, Debug)]
struct Lines(Vec<String>);

impl Source for Lines {
    type Error = usize;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn load(&self, texts: Range<usize>, batch: &mut Batch) -> Result<(), usize> {
        for at in texts {
            if self.0[at] == "broken" {
                return Err(at);
            }
            batch.begin_segment();
            batch.push_text(|buffer| {
                buffer.extend(code_points(&self.0[at]));
                Ok::<(), usize>(())
            })?;
        }
        Ok(())
    }
}

/// Texts of few words, so that n-grams are shared, by none, one, many or all of them.
fn lines(most: usize) -> impl Strategy<Value = Lines> {
    let words = vec!["a", "b", "A", "a.", "1,5", "it’s", "中文", "😀", "abcdefghijklmnopq", "переконання", "ну"];
    let text = prop::collection::vec(prop::sample::select(words), 0..12).prop_map(|words| words.join(" "));
    prop::collection::vec(text, 1..most).prop_map(Lines)
}

fn bleu() -> impl Strategy<Value = Bleu> {
    let tokenizers = vec![Tokenizer::None, Tokenizer::Char, Tokenizer::V13a, Tokenizer::Zh];
    let smoothings = vec![Smoothing::None, Smoothing::Floor(0.1), Smoothing::AddK(1.0), Smoothing::Exp];
    let lengths = vec![RefLen::Closest, RefLen::Closest, RefLen::FirstClosest, RefLen::Shortest];
    let scoring = (prop::sample::select(smoothings), any::<bool>()).prop_map(|(smoothing, effective_order)| Scoring {
        smoothing,
        effective_order,
        compensated_sum: false,
    });
    (prop::sample::select(tokenizers), 1_usize..7, prop::sample::select(lengths), scoring)
        .prop_map(|(tokenizer, order, ref_len, scoring)| Bleu { tokenizer, order, ref_len, scoring })
}

fn chrf() -> impl Strategy<Value = Chrf> {
    (0_usize..8, 0_usize..3, any::<bool>(), any::<bool>()).prop_map(|(char_order, words, whitespace, eps_smoothing)| {
        let word_order = words.max(usize::from(char_order == 0));
        Chrf { char_order, word_order, beta_squared: 4.0, whitespace, eps_smoothing }
    })
}

/// As many orders as are listed, one more, and all there are.
fn gleu() -> impl Strategy<Value = Gleu> {
    let tokenizers = prop::sample::select(vec![Tokenizer::None, Tokenizer::Char, Tokenizer::V13a]);
    let longest = prop::sample::select(vec![2, 3, 4, MAX_ORDER, MAX_ORDER + 1, usize::MAX]);
    (tokenizers, 1_usize..3, longest).prop_map(|(tokenizer, min_len, max_len)| Gleu { tokenizer, min_len, max_len })
}

fn rouge() -> impl Strategy<Value = Rouge> {
    let variants = vec![Variant::Ngrams(1), Variant::Ngrams(2), Variant::Sequence, Variant::Summary];
    let measures = vec![Measure::Precision, Measure::Recall, Measure::FMeasure];
    (any::<bool>(), prop::sample::select(variants), prop::sample::select(measures)).prop_map(
        |(stem, variant, measure)| Rouge { words: WordOptions { tokenizer: Tokenizer::Rouge, stem }, variant, measure },
    )
}

fn wer() -> impl Strategy<Value = Wer> {
    let rates = vec![Rate::Error, Rate::Match, Rate::InformationLost, Rate::InformationPreserved, Rate::Sentence];
    (prop::sample::select(rates), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(rate, by_character, standardize, remove_punctuation)| {
            let transcript = Transcript { standardize, remove_punctuation };
            Wer { rate, by_character, transcript, distance_only: false }
        },
    )
}

fn ter() -> impl Strategy<Value = Ter> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(normalized, no_punct, asian_support)| Ter {
        tokenizer: Tercom { normalized, no_punct, asian_support },
    })
}

/// All cells, each put where it belongs.
fn matrix<M: Matrix>(metric: &M, hypotheses: &Lines, references: &Lines, threads: usize) -> Vec<f64> {
    let mut cells = vec![f64::NAN; hypotheses.len() * references.len()];
    let mut place = |at: usize, first: usize, scores: &[f64]| {
        cells[at * references.len() + first..][..scores.len()].copy_from_slice(scores);
    };
    scores(metric, hypotheses, references, &Threads::new(threads), &mut place).unwrap();
    cells
}

fn matrix_by_pairs<M: Matrix>(metric: &M, hypotheses: &Lines, references: &Lines) -> Vec<f64> {
    let references = load_all(references).unwrap();
    let rows = Mutex::new(vec![Vec::new(); hypotheses.len()]);
    let keep = |at: usize, scores: &[f64]| rows.lock().unwrap()[at] = scores.to_vec();
    score_all(&OneByOne::new(metric, &references), hypotheses, &Threads::new(1), keep).unwrap();
    rows.into_inner().unwrap().concat()
}

fn check_matrix<M: Matrix>(metric: &M, hypotheses: &Lines, references: &Lines) -> Result<(), TestCaseError> {
    let expected = matrix_by_pairs(metric, hypotheses, references);
    prop_assert_eq!(&expected, &matrix(metric, hypotheses, references, 1));
    prop_assert_eq!(&expected, &matrix(metric, hypotheses, references, 3));
    Ok(())
}

fn check_others<M: Matrix>(metric: &M, texts: &Lines, drop: bool) -> Result<(), TestCaseError> {
    let empty = |&at: &usize| drop && texts.0[at].is_empty();
    let void: Vec<usize> = (0..texts.len()).filter(empty).collect();
    let samples = Samples::load(texts, &void).unwrap();
    let expected = one_by_one(metric, &samples, &Threads::new(1));
    prop_assert_eq!(&expected, &metric.scores_among_others(&samples, &Threads::new(1)));
    prop_assert_eq!(&expected, &metric.scores_among_others(&samples, &Threads::new(3)));
    Ok(())
}

proptest! {
    #[test]
    fn bleu_of_all_pairs_is_that_of_each(metric in bleu(), hypotheses in lines(40), references in lines(40)) {
        check_matrix(&metric, &hypotheses, &references)?;
    }

    #[test]
    fn chrf_of_all_pairs_is_that_of_each(metric in chrf(), hypotheses in lines(30), references in lines(30)) {
        check_matrix(&metric, &hypotheses, &references)?;
    }

    #[test]
    fn ter_of_all_pairs_is_that_of_each(metric in ter(), hypotheses in lines(12), references in lines(12)) {
        check_matrix(&metric, &hypotheses, &references)?;
    }

    #[test]
    fn gleu_of_all_pairs_is_that_of_each(metric in gleu(), hypotheses in lines(12), references in lines(12)) {
        check_matrix(&metric, &hypotheses, &references)?;
    }

    #[test]
    fn rouge_of_all_pairs_is_that_of_each(metric in rouge(), hypotheses in lines(12), references in lines(12)) {
        check_matrix(&metric, &hypotheses, &references)?;
    }

    #[test]
    fn error_rates_of_all_pairs_are_those_of_each(metric in wer(), hypotheses in lines(12), references in lines(12)) {
        check_matrix(&metric, &hypotheses, &references)?;
    }

    #[test]
    fn gleu_and_rouge_among_others_are_those_of_each(
        gleu in gleu(), rouge in rouge(), texts in lines(12), drop in any::<bool>(),
    ) {
        prop_assume!(texts.len() > 1);
        check_others(&gleu, &texts, drop)?;
        check_others(&rouge, &texts, drop)?;
    }

    #[test]
    fn bleu_among_others_is_that_of_each(metric in bleu(), texts in lines(20), drop in any::<bool>()) {
        prop_assume!(texts.len() > 1);
        check_others(&metric, &texts, drop)?;
    }

    #[test]
    fn chrf_among_others_is_that_of_each(metric in chrf(), texts in lines(20), drop in any::<bool>()) {
        prop_assume!(texts.len() > 1);
        check_others(&metric, &texts, drop)?;
    }

    #[test]
    fn ter_among_others_is_that_of_each(metric in ter(), texts in lines(30), drop in any::<bool>()) {
        prop_assume!(texts.len() > 1);
        check_others(&metric, &texts, drop)?;
    }

    #[test]
    fn the_expected_score_is_the_mean_of_a_row(
        metric in chrf(), candidates in lines(20), references in lines(20), weighted in any::<bool>(),
    ) {
        let weights: Vec<f64> = (0..references.len()).map(|at| if weighted { 0.5 + at as f64 } else { 1.0 }).collect();
        let total = weights.iter().fold(0.0, |sum, weight| sum + weight);
        let rows = matrix(&metric, &candidates, &references, 1);
        let sum = |row: &[f64]| row.iter().zip(&weights).fold(0.0, |sum, (score, weight)| sum + weight * score);
        let means: Vec<f64> = rows.chunks_exact(references.len()).map(|row| sum(row) / total).collect();
        let choice = Choice { candidates, references, weights: weighted.then_some(weights.clone()) };
        prop_assert_eq!(Ok(Some(means.clone())), expected(&metric, &choice, false, &Threads::new(2)));
        prop_assert_eq!(Ok(vec![Some(means)]), expected_all(&metric, &[choice], false, &Threads::new(1)));
    }

    #[test]
    fn the_mean_of_equal_references_is_that_reference(
        metric in chrf(), candidates in lines(8), reference in lines(2), copies in 1_usize..5,
    ) {
        let references = Lines(vec![reference.0[0].clone(); copies]);
        let one = matrix(&metric, &candidates, &reference, 1);
        let choice = Choice { candidates, references, weights: None };
        prop_assert_eq!(Ok(Some(one)), expected(&metric, &choice, true, &Threads::new(1)));
    }
}

fn assert_same_in_blocks<M: Matrix>(metric: &M, hypotheses: &Lines, references: &Lines) {
    let expected = matrix_by_pairs(metric, hypotheses, references);
    assert_eq!(expected, matrix(metric, hypotheses, references, 1));
    assert_eq!(expected, matrix(metric, hypotheses, references, 2));
}

#[test]
fn more_references_than_a_block_holds_are_scored_in_blocks() {
    let references = Lines((0..BLOCK_TEXTS + 70).map(|at| format!("w{} a b w{}", at % 50, at % 7)).collect());
    let hypotheses = Lines(vec!["w1 a b w3".into(), "".into(), "w49 a".into()]);
    let chrf = Chrf { char_order: 6, word_order: 2, beta_squared: 4.0, whitespace: false, eps_smoothing: false };
    assert_same_in_blocks(&chrf, &hypotheses, &references);
    assert_same_in_blocks(&Ter::default(), &hypotheses, &references);
}

#[test]
fn weights_belong_to_their_references_in_every_block() {
    let references = Lines((0..BLOCK_TEXTS + 70).map(|at| format!("w{} a b", at % 50)).collect());
    let candidates = Lines(vec!["w1 a b".into(), "w69 b".into()]);
    let weights: Vec<f64> = (0..references.len()).map(|at| 1.0 + at as f64).collect();
    let total = weights.iter().fold(0.0, |sum, weight| sum + weight);
    let rows = matrix(&Ter::default(), &candidates, &references, 1);
    let mean = |row: &[f64]| row.iter().zip(&weights).fold(0.0, |sum, (score, weight)| sum + weight * score) / total;
    let means: Vec<f64> = rows.chunks_exact(references.len()).map(mean).collect();
    let choice = Choice { candidates, references, weights: Some(weights.clone()) };
    assert_eq!(Ok(Some(means)), expected(&Ter::default(), &choice, false, &Threads::new(2)));
}

#[test]
fn either_side_may_take_several_blocks() {
    let scoring = Scoring { smoothing: Smoothing::Exp, effective_order: true, compensated_sum: false };
    let bleu = Bleu { tokenizer: Tokenizer::None, order: 3, ref_len: RefLen::Closest, scoring };
    let word = "x".repeat(BLOCK_CHARACTERS / LOAD);
    let text = |at: usize| format!("{word} a{} a{} b{}", at % 5, at % 3, at % 7);
    let [few, many] = [LOAD + 6, 2 * LOAD + 9].map(|count| Lines((0..count).map(text).collect()));
    assert_same_in_blocks(&bleu, &few, &many);
    assert_same_in_blocks(&bleu, &many, &few);
}

#[test]
fn the_best_of_the_others_may_be_in_any_block() {
    let word = "x".repeat(BLOCK_CHARACTERS / LOAD);
    let texts = Lines((0..2 * LOAD + 9).map(|at| format!("{word} a{} a{} b{}", at % 50, at % 3, at % 7)).collect());
    let chrf = Chrf { char_order: 0, word_order: 2, beta_squared: 4.0, whitespace: false, eps_smoothing: false };
    check_others(&chrf, &texts, false).unwrap();
}

#[test]
fn counts_that_need_more_than_sixteen_bits_are_exact() {
    let lengths = (1..20).chain([usize::from(u16::MAX), 66_000, 70_000]);
    let texts = Lines(lengths.map(|length| "a".repeat(length) + "b").collect());
    let chrf = Chrf { char_order: 2, word_order: 0, beta_squared: 4.0, whitespace: false, eps_smoothing: false };
    check_matrix(&chrf, &texts, &texts).unwrap();
    check_others(&chrf, &texts, false).unwrap();
    // Without the long ones there are rows, in which a long text counts as well.
    let short = Lines(texts.0[..19].to_vec());
    check_matrix(&chrf, &texts, &short).unwrap();
}

#[test]
fn long_references_end_a_block_early() {
    let long = "ab cd ".repeat(BLOCK_CHARACTERS / 6 / 3);
    let mut block = Batch::default();
    load_block(&Lines(vec![long; 4 * LOAD]), 0, &mut block).unwrap();
    assert_eq!(LOAD, block.texts());
}

#[test]
fn a_source_that_fails_ends_the_work_with_its_error() {
    let good = Lines(vec!["a b".into(); 3 * CHUNK]);
    let mut bad = good.clone();
    bad.0[CHUNK + 1] = "broken".into();
    let metric = Ter::default();
    for threads in [1, 4] {
        assert_eq!(Err(CHUNK + 1), scores(&metric, &bad, &good, &Threads::new(threads), &mut |_, _, _| ()));
        assert_eq!(Err(CHUNK + 1), scores(&metric, &good, &bad, &Threads::new(threads), &mut |_, _, _| ()));
        let choices = || [(); 5].map(|()| Choice { candidates: good.clone(), references: bad.clone(), weights: None });
        assert_eq!(Err(CHUNK + 1), expected_all(&metric, &choices(), false, &Threads::new(threads)));
    }
}

#[test]
fn orders_without_end_are_not_listed_even_for_empty_texts() {
    let empty = Lines(vec![String::new(); 2]);
    let metric = Gleu { tokenizer: Tokenizer::None, min_len: 1, max_len: usize::MAX };
    assert_eq!(vec![0.0; 4], matrix(&metric, &empty, &empty, 1));
}

#[test]
fn there_is_no_mean_of_references_for_edits() {
    let lines = Lines(vec!["a b".into()]);
    let choice = Choice { candidates: lines.clone(), references: lines, weights: None };
    assert_eq!(Ok(None), expected(&Ter::default(), &choice, true, &Threads::new(1)));
}
