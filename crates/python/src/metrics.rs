//! The metrics by name: options in, an engine out; and what two dialects want beside engines.

use crate::answers::WordCharacters;
use crate::engine::{Engine, keep};
use crate::errors::OptionError;
use crate::numbers::as_bytes;
use crate::text::{Sequence, Texts, tokenizer_from};
use crate::watch::detached;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use truebleu_core::align::{Aligner, Step};
use truebleu_core::halt;
use truebleu_core::matrix::distinct;
use truebleu_core::matrix::others::Samples;
use truebleu_core::metrics::bleu::{Bleu, RefLen, Scoring, Smoothing};
use truebleu_core::metrics::chrf::{Chrf, OrderScores};
use truebleu_core::metrics::fast_bleu;
use truebleu_core::metrics::gleu::Gleu;
use truebleu_core::metrics::mean::Mean;
use truebleu_core::metrics::rouge::{AllScores, Measure, Rouge, Variant, WordOptions};
use truebleu_core::metrics::similarity::EditSimilarity;
use truebleu_core::metrics::squad::{ExactMatch, TokenF1};
use truebleu_core::metrics::ter::Ter;
use truebleu_core::metrics::wer::{Rate, Wer};
use truebleu_core::prepare::Reading;
use truebleu_core::prepare::tercom::Tercom;
use truebleu_core::prepare::transcript::Transcript;
use truebleu_core::segments::count;
use truebleu_core::threads::Threads;

/// BLEU with its options.
#[pyfunction]
#[pyo3(signature = (
    *, tokenizer, order, lowercase, smooth_method, smooth_value, effective_order, compensated_sum, ref_len
))]
#[allow(clippy::too_many_arguments)]
pub fn bleu_engine(
    tokenizer: &str,
    order: usize,
    lowercase: bool,
    smooth_method: &str,
    smooth_value: f64,
    effective_order: bool,
    compensated_sum: bool,
    ref_len: &str,
) -> PyResult<Engine> {
    let smoothing = smoothing_from(smooth_method, smooth_value)?;
    let scoring = Scoring { smoothing, effective_order, compensated_sum };
    let metric = Bleu::new(tokenizer_from(tokenizer)?, order, ref_len_from(ref_len)?, scoring);
    Ok(Engine::of_metric(metric, lowercase))
}

/// chrF with its options.
#[pyfunction]
#[pyo3(signature = (*, char_order, word_order, beta_squared, lowercase, whitespace, eps_smoothing))]
pub fn chrf_engine(
    char_order: usize,
    word_order: usize,
    beta_squared: f64,
    lowercase: bool,
    whitespace: bool,
    eps_smoothing: bool,
) -> PyResult<Engine> {
    if char_order == 0 && word_order == 0 {
        return Err(OptionError::new_err(
            "char_order and word_order are both 0, expected at least one n-gram to count",
        ));
    }
    Ok(Engine::of_metric(Chrf { char_order, word_order, beta_squared, whitespace, eps_smoothing }, lowercase))
}

/// Google BLEU with its options.
#[pyfunction]
#[pyo3(signature = (*, tokenizer, min_len, max_len, lowercase))]
pub fn gleu_engine(tokenizer: &str, min_len: usize, max_len: usize, lowercase: bool) -> PyResult<Engine> {
    let tokenizer = tokenizer_from(tokenizer)?;
    Ok(Engine::of_metric(Gleu { tokenizer, min_len: checked_min_len(min_len)?, max_len }, lowercase))
}

/// ROUGE with its options.
#[pyfunction]
#[pyo3(signature = (*, tokenizer, stem, variant, measure, lowercase))]
pub fn rouge_engine(tokenizer: &str, stem: bool, variant: &str, measure: &str, lowercase: bool) -> PyResult<Engine> {
    let words = WordOptions { tokenizer: tokenizer_from(tokenizer)?, stem };
    let measure = Measure::from_name(measure)
        .ok_or_else(|| OptionError::new_err(format!("no measure of ROUGE is called {measure:?}")))?;
    Ok(Engine::of_metric(Rouge { words, variant: variant_from(variant)?, measure }, lowercase))
}

/// TER with its options.
#[pyfunction]
#[pyo3(signature = (*, normalized, no_punct, asian_support, lowercase))]
pub fn ter_engine(normalized: bool, no_punct: bool, asian_support: bool, lowercase: bool) -> Engine {
    Engine::of_metric(Ter { tokenizer: Tercom { normalized, no_punct, asian_support } }, lowercase)
}

/// WER or one of its kin, with its options. What is standardized is lower-cased too. With `distance_only`, rows are
/// good for the error rate alone.
#[pyfunction]
#[pyo3(signature = (*, rate, by_character, lowercase, standardize, remove_punctuation, distance_only=false))]
pub fn wer_engine(
    rate: &str,
    by_character: bool,
    lowercase: bool,
    standardize: bool,
    remove_punctuation: bool,
    distance_only: bool,
) -> PyResult<Engine> {
    let rate =
        Rate::from_name(rate).ok_or_else(|| OptionError::new_err(format!("no error rate is called {rate:?}")))?;
    let transcript = Transcript { standardize, remove_punctuation };
    Ok(Engine::of_metric(Wer { rate, by_character, transcript, distance_only }, lowercase || standardize))
}

/// The exact match of answers.
#[pyfunction]
pub fn exact_match_engine(words: &WordCharacters) -> Engine {
    Engine::of_metric(ExactMatch { answer: words.answer() }, true)
}

/// The token F1 of answers.
#[pyfunction]
pub fn token_f1_engine(words: &WordCharacters, empty_is_alike: bool) -> Engine {
    Engine::of_metric(TokenF1 { answer: words.answer(), empty_is_alike }, true)
}

/// Edit similarity with its options.
#[pyfunction]
#[pyo3(signature = (*, threshold, is_indel, strip, lowercase))]
pub fn edit_similarity_engine(threshold: f64, is_indel: bool, strip: bool, lowercase: bool) -> Engine {
    Engine::of_metric(EditSimilarity { threshold, is_indel, strip }, lowercase)
}

/// A kind of step, and where its tokens begin and end in the reference and in the hypothesis.
type Chunk = (u8, usize, usize, usize, usize);

/// How the tokens of each reference and hypothesis stand for each other, in chunks of one kind: 0 for hits, 1 for
/// substitutions, 2 for deletions, 3 for insertions. Tokens are numbers from 1, small ones.
#[pyfunction]
pub fn alignments(py: Python<'_>, references: Vec<Vec<u32>>, hypotheses: Vec<Vec<u32>>) -> PyResult<Vec<Vec<Chunk>>> {
    detached(py, || {
        let mut aligner = Aligner::default();
        let pairs = references.iter().zip(&hypotheses);
        let chunks = pairs.map(|(reference, hypothesis)| {
            halt::spend(1);
            let highest = reference.iter().chain(hypothesis).copied().max().unwrap_or(0) as usize;
            chunks_of(&mut aligner, reference, hypothesis, highest)
        });
        chunks.collect()
    })
}

fn chunks_of(aligner: &mut Aligner, reference: &[u32], hypothesis: &[u32], highest: usize) -> Vec<Chunk> {
    let mut runs: Vec<(Step, usize)> = Vec::new();
    aligner.steps(reference, hypothesis, highest, &mut |step, times| match runs.last_mut() {
        _ if times == 0 => {}
        Some((last, count)) if *last == step => *count += times,
        _ => runs.push((step, times)),
    });
    let (mut ours, mut theirs) = (0, 0);
    let chunk = |(step, count): (Step, usize)| {
        let (start, place) = (ours, theirs);
        ours += if step == Step::Insert { 0 } else { count };
        theirs += if step == Step::Delete { 0 } else { count };
        (step as u8, start, ours, place, theirs)
    };
    runs.into_iter().rev().map(chunk).collect()
}

/// The mean of scores that came from elsewhere. It scores rows, not texts.
#[pyfunction]
pub fn mean_engine() -> Engine {
    Engine::of_formula(Mean)
}

/// The length of the shortest n-grams, which is at least 1.
pub fn checked_min_len(min_len: usize) -> PyResult<usize> {
    if min_len > 0 { Ok(min_len) } else { Err(OptionError::new_err("min_len is 0, expected 1 or more")) }
}

/// The rule of that name for reference lengths.
pub fn ref_len_from(name: &str) -> PyResult<RefLen> {
    RefLen::from_name(name)
        .ok_or_else(|| OptionError::new_err(format!("no rule for reference lengths is called {name:?}")))
}

fn variant_from(name: &str) -> PyResult<Variant> {
    Variant::from_name(name).ok_or_else(|| OptionError::new_err(format!("no ROUGE is called {name:?}")))
}

fn smoothing_from(method: &str, value: f64) -> PyResult<Smoothing> {
    Smoothing::from_name(method, value)
        .ok_or_else(|| OptionError::new_err(format!("no smoothing method is called {method:?}")))
}

/// The score of each text with all others as references by fast-bleu's formula, as the bytes of doubles from 0 to 1.
#[pyfunction]
#[pyo3(signature = (texts, *, tokenizer, order, lowercase))]
pub fn fast_bleu_among_others<'py>(
    py: Python<'py>,
    texts: Sequence<'py>,
    tokenizer: &str,
    order: usize,
    lowercase: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let (tokenizer, texts) = (tokenizer_from(tokenizer)?, Texts::flat(texts, lowercase));
    let scores = detached(py, || {
        let too_much = "self_bleu: there are more than 2^30 tokens; take a sample of the texts";
        fast_bleu::among_others(&Samples::load(&texts, &[])?, tokenizer, order)
            .ok_or_else(|| PyOverflowError::new_err(too_much))
    })??;
    as_bytes(py, &scores)
}

/// How many different n-grams texts have together, and as the bytes of doubles those of each text and its tokens.
#[pyfunction]
#[pyo3(signature = (texts, *, tokenizer, order, lowercase))]
pub fn distinct_ngrams<'py>(
    py: Python<'py>,
    texts: Sequence<'py>,
    tokenizer: &str,
    order: usize,
    lowercase: bool,
) -> PyResult<(usize, Bound<'py, PyBytes>)> {
    let (reading, texts) = (Reading::Words(tokenizer_from(tokenizer)?), Texts::flat(texts, lowercase));
    let order = order.max(1);
    let found =
        detached(py, || Ok::<_, PyErr>(distinct::distinct_ngrams(&Samples::load(&texts, &[])?, reading, order)))??;
    let cells: Vec<f64> = found.each.iter().flat_map(|&(ngrams, tokens)| [ngrams as f64, tokens as f64]).collect();
    Ok((found.together, as_bytes(py, &cells)?))
}

/// NLTK's chrF of each segment and each character order up to `order`, segment after segment, as the bytes of doubles.
#[pyfunction]
pub fn nltk_chrf<'py>(
    py: Python<'py>,
    hypotheses: Sequence<'_>,
    references: Sequence<'_>,
    order: usize,
    beta_squared: f64,
    whitespace: bool,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let (texts, mut scores) = (Texts::new(hypotheses, vec![references], true, false), Vec::new());
    let metric = OrderScores::new(order, beta_squared, whitespace);
    detached(py, || count(&metric, &texts, &Threads::new(threads), |found| keep(&mut scores, found)))??;
    as_bytes(py, &scores)
}

/// Precision, recall and F of each segment and each variant of ROUGE, segment after segment, as the bytes of doubles.
/// Where rouge-score returns whole numbers, they are minus zeros.
#[pyfunction]
#[pyo3(signature = (hypotheses, streams, *, variants, tokenizer, stem, threads))]
pub fn rouge_scores<'py>(
    py: Python<'py>,
    hypotheses: Sequence<'_>,
    streams: Vec<Sequence<'_>>,
    variants: Vec<String>,
    tokenizer: &str,
    stem: bool,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let words = WordOptions { tokenizer: tokenizer_from(tokenizer)?, stem };
    let variants = variants.iter().map(|name| variant_from(name)).collect::<PyResult<Vec<_>>>()?;
    let (texts, mut scores) = (Texts::new(hypotheses, streams, true, false), Vec::new());
    let metric = AllScores { words, variants };
    detached(py, || count(&metric, &texts, &Threads::new(threads), |found| keep(&mut scores, found)))??;
    as_bytes(py, &scores)
}
