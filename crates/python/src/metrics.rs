//! The metrics as Python classes: options in, totals, rows or scores out.

use crate::errors::OptionError;
use crate::matrix::{Choice, expected, pairwise, scores_among_others};
use crate::text::{Sequence, Texts, tokenizer_from};
use crate::tokens::ref_len_from;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::OnceLock;
use std::thread;
use truebleu_core::metrics::bleu::{Bleu, Scoring, Smoothing, evaluate};
use truebleu_core::metrics::chrf::{Chrf, OrderScores};
use truebleu_core::metrics::gleu::Gleu;
use truebleu_core::metrics::ter::Ter;
use truebleu_core::metrics::{Metric, Scored};
use truebleu_core::prepare::tercom::Tercom;
use truebleu_core::segments::{add_rows, count};

/// The sums of all rows.
fn totals<M: Metric>(py: Python<'_>, metric: &M, texts: &Texts, threads: usize) -> PyResult<Vec<f64>> {
    let mut totals = vec![0.0; metric.width()];
    let add = |rows: &[f64]| add_rows(&mut totals, rows);
    py.detach(|| count(metric, texts, resolve_threads(threads), add))?;
    Ok(totals)
}

/// All rows, as the bytes of doubles.
fn rows<'py, M: Metric>(py: Python<'py>, metric: &M, texts: &Texts, threads: usize) -> PyResult<Bound<'py, PyBytes>> {
    let mut cells = Vec::new();
    let keep = |rows: &[f64]| cells.extend_from_slice(rows);
    py.detach(|| count(metric, texts, resolve_threads(threads), keep))?;
    as_bytes(py, &cells)
}

/// The score of each row in a buffer of doubles.
fn score_rows<'py, M: Metric>(py: Python<'py>, metric: &M, rows: Vec<f64>) -> PyResult<Bound<'py, PyBytes>> {
    let scores = py.detach(|| rows.chunks_exact(metric.width()).map(|row| metric.score(row)).collect::<Vec<_>>());
    as_bytes(py, &scores)
}

/// Doubles as bytes.
pub fn as_bytes<'py>(py: Python<'py>, cells: &[f64]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, size_of_val(cells), |bytes| {
        bytes.chunks_exact_mut(8).zip(cells).for_each(|(bytes, cell)| bytes.copy_from_slice(&cell.to_ne_bytes()));
        Ok(())
    })
}

/// Zero means all cores.
pub fn resolve_threads(threads: usize) -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    if threads > 0 { threads } else { *CORES.get_or_init(|| thread::available_parallelism().map_or(1, usize::from)) }
}

/// Python's view of a metric. The methods are the same for all of them, which PyO3 wants spelled out.
macro_rules! engine {
    ($engine:ident, $name:literal, $metric:ty, $doc:literal, fn new($($argument:ident: $type:ty),*) $body:block) => {
        #[doc = $doc]
        #[pyclass(frozen, module = "truebleu._core", name = $name)]
        pub struct $engine {
            pub(crate) metric: $metric,
            pub(crate) lowercase: bool,
        }

        #[pymethods]
        impl $engine {
            #[new]
            #[pyo3(signature = (*, $($argument),*))]
            #[allow(clippy::too_many_arguments)]
            fn new($($argument: $type),*) -> PyResult<Self> $body

            /// The sums of all rows.
            fn totals(
                &self, py: Python<'_>, hypotheses: Sequence<'_>, streams: Vec<Sequence<'_>>,
                keep_empty: bool, threads: usize,
            ) -> PyResult<Vec<f64>> {
                totals(py, &self.metric, &Texts::new(hypotheses, streams, keep_empty, self.lowercase), threads)
            }

            /// All rows, as the bytes of doubles.
            fn rows<'py>(
                &self, py: Python<'py>, hypotheses: Sequence<'_>, streams: Vec<Sequence<'_>>,
                keep_empty: bool, threads: usize,
            ) -> PyResult<Bound<'py, PyBytes>> {
                rows(py, &self.metric, &Texts::new(hypotheses, streams, keep_empty, self.lowercase), threads)
            }

            /// The score of each segment, as the bytes of doubles.
            fn sentence_scores<'py>(
                &self, py: Python<'py>, hypotheses: Sequence<'_>, streams: Vec<Sequence<'_>>,
                keep_empty: bool, threads: usize,
            ) -> PyResult<Bound<'py, PyBytes>> {
                let texts = Texts::new(hypotheses, streams, keep_empty, self.lowercase);
                rows(py, &Scored(&self.metric), &texts, threads)
            }

            /// The score of one row, or of the sum of many.
            fn score(&self, totals: Vec<f64>) -> f64 {
                self.metric.score(&totals)
            }

            /// The score of each of many rows, as the bytes of doubles.
            fn score_rows<'py>(&self, py: Python<'py>, rows: Vec<f64>) -> PyResult<Bound<'py, PyBytes>> {
                score_rows(py, &self.metric, rows)
            }

            /// The score of each hypothesis with each reference, as the bytes of doubles, hypothesis by hypothesis.
            fn pairwise<'py>(
                &self, py: Python<'py>, hypotheses: Sequence<'_>, references: Sequence<'_>,
                threads: usize,
            ) -> PyResult<Bound<'py, PyBytes>> {
                let [hypotheses, references] = [hypotheses, references].map(|texts| Texts::flat(texts, self.lowercase));
                pairwise(py, &self.metric, &hypotheses, &references, threads)
            }

            /// The expected score of each candidate of each choice, as the bytes of doubles.
            fn expected<'py>(
                &self, py: Python<'py>, choices: Vec<Choice<'py>>, aggregate: bool, threads: usize,
            ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
                expected(py, &self.metric, choices, self.lowercase, aggregate, threads)
            }

            /// The score of each text with all others as references, as the bytes of doubles. Void texts are
            /// references only to those that have no other.
            fn scores_among_others<'py>(
                &self, py: Python<'py>, texts: Sequence<'_>, void: Vec<usize>, threads: usize,
            ) -> PyResult<Bound<'py, PyBytes>> {
                scores_among_others(py, &self.metric, &Texts::flat(texts, self.lowercase), void, threads)
            }
        }
    };
}

engine! {
    BleuEngine, "BleuEngine", Bleu, "BLEU with its options.",
    fn new(
        tokenizer: &str, order: usize, lowercase: bool, smooth_method: &str, smooth_value: f64,
        effective_order: bool, compensated_sum: bool, ref_len: &str
    ) {
        let smoothing = smoothing_from(smooth_method, smooth_value)?;
        let scoring = Scoring { smoothing, effective_order, compensated_sum };
        let tokenizer = tokenizer_from(tokenizer)?;
        let order = order + smoothing.looks_ahead();
        Ok(Self { metric: Bleu { tokenizer, order, ref_len: ref_len_from(ref_len)?, scoring }, lowercase })
    }
}

engine! {
    ChrfEngine, "ChrfEngine", Chrf, "chrF with its options.",
    fn new(
        char_order: usize, word_order: usize, beta_squared: f64, lowercase: bool, whitespace: bool, eps_smoothing: bool
    ) {
        Ok(Self { metric: Chrf { char_order, word_order, beta_squared, whitespace, eps_smoothing }, lowercase })
    }
}

engine! {
    GleuEngine, "GleuEngine", Gleu, "Google BLEU with its options.",
    fn new(tokenizer: &str, min_len: usize, max_len: usize, lowercase: bool) {
        Ok(Self { metric: Gleu { tokenizer: tokenizer_from(tokenizer)?, min_len, max_len }, lowercase })
    }
}

engine! {
    TerEngine, "TerEngine", Ter, "TER with its options.",
    fn new(normalized: bool, no_punct: bool, asian_support: bool, lowercase: bool) {
        Ok(Self { metric: Ter { tokenizer: Tercom { normalized, no_punct, asian_support } }, lowercase })
    }
}

fn smoothing_from(method: &str, value: f64) -> PyResult<Smoothing> {
    Ok(match method {
        "none" => Smoothing::None,
        "floor" => Smoothing::Floor(value),
        "add-k" => Smoothing::AddK(value),
        "exp" => Smoothing::Exp,
        "method0" => Smoothing::Tiny,
        "method1" => Smoothing::Floor(value),
        "method2" => Smoothing::AddK(1.0),
        "method3" => Smoothing::Exp,
        "method4" => Smoothing::ByLength(value),
        "method5" => Smoothing::Neighbours,
        "method6" => Smoothing::Prior(value),
        "method7" => Smoothing::ByLengthNeighbours(value),
        _ => return Err(OptionError::new_err(format!("no smoothing method is called {method:?}"))),
    })
}

/// Score, precisions, brevity penalty, smoothed matches, smoothed totals.
type BleuParts = (f64, Vec<f64>, f64, Vec<f64>, Vec<f64>);

/// BLEU from its statistics, with all that it is made of.
#[pyfunction]
#[pyo3(signature = (
    correct, total, sys_len, ref_len, *, smooth_method, smooth_value, effective_order, compensated_sum
))]
#[allow(clippy::too_many_arguments)]
pub fn evaluate_bleu(
    correct: Vec<f64>,
    total: Vec<f64>,
    sys_len: f64,
    ref_len: f64,
    smooth_method: &str,
    smooth_value: f64,
    effective_order: bool,
    compensated_sum: bool,
) -> PyResult<BleuParts> {
    let smoothing = smoothing_from(smooth_method, smooth_value)?;
    let scoring = Scoring { smoothing, effective_order, compensated_sum };
    let score = evaluate(&correct, &total, sys_len, ref_len, &scoring);
    Ok((score.score, score.precisions, score.brevity_penalty, score.correct, score.total))
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
    let texts = Texts::new(hypotheses, vec![references], true, false);
    rows(py, &OrderScores::new(order, beta_squared, whitespace), &texts, threads)
}
