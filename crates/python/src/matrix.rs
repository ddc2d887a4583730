//! Matrices of scores and what is made of them.

use crate::errors::OptionError;
use crate::metrics::{BleuEngine, as_bytes, resolve_threads};
use crate::text::{Sequence, Texts};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use truebleu_core::matrix::expected::{Choice as CoreChoice, expected_all};
use truebleu_core::matrix::others::{Samples, clipped_rows};
use truebleu_core::matrix::scores;
use truebleu_core::metrics::{Metric, fast_bleu};
use truebleu_core::segments::Source;

/// Candidates, references, and the weight of each reference.
pub type Choice<'py> = (Sequence<'py>, Sequence<'py>, Option<Vec<f64>>);

/// The score of each hypothesis with each reference, written straight into the bytes that Python gets.
pub fn pairwise<'py, M: Metric>(
    py: Python<'py>,
    metric: &M,
    hypotheses: &Texts,
    references: &Texts,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    const CELL: usize = size_of::<f64>();
    let width = CELL * references.len();
    PyBytes::new_with(py, hypotheses.len() * width, |bytes| {
        py.detach(|| {
            scores(metric, hypotheses, references, resolve_threads(threads), |hypothesis, first, scores| {
                let cells = bytes[hypothesis * width..][first * CELL..][..scores.len() * CELL].chunks_exact_mut(CELL);
                cells.zip(scores).for_each(|(cell, score)| cell.copy_from_slice(&score.to_ne_bytes()));
            })
        })
    })
}

/// The expected score of each candidate of each choice.
pub fn expected<'py, M: Metric>(
    py: Python<'py>,
    metric: &M,
    choices: Vec<Choice<'py>>,
    lowercase: bool,
    aggregate: bool,
    threads: usize,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let choices: Vec<_> = choices
        .into_iter()
        .map(|(candidates, references, weights)| CoreChoice {
            candidates: Texts::flat(candidates, lowercase),
            references: Texts::flat(references, lowercase),
            weights,
        })
        .collect();
    let scores = py.detach(|| expected_all(metric, &choices, aggregate, resolve_threads(threads)))?;
    let unavailable = || OptionError::new_err("these references cannot be put together (aggregate=True)");
    scores.into_iter().map(|scores| as_bytes(py, &scores.ok_or_else(unavailable)?)).collect()
}

/// The score of each text with all others as references.
pub fn scores_among_others<'py, M: Metric>(
    py: Python<'py>,
    metric: &M,
    texts: &Texts,
    void: Vec<usize>,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let scores = py.detach(|| {
        let samples = Samples::load(texts, &void)?;
        Ok::<_, PyErr>(metric.scores_among_others(&samples, resolve_threads(threads)))
    })?;
    as_bytes(py, &scores)
}

/// The same by fast-bleu's formula, as the bytes of doubles from 0 to 1.
#[pyfunction]
pub fn fast_bleu_among_others<'py>(
    py: Python<'py>,
    engine: &BleuEngine,
    texts: Sequence<'py>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (metric, texts) = (&engine.metric, Texts::flat(texts, engine.lowercase));
    let scores = py.detach(|| {
        let samples = Samples::load(&texts, &[])?;
        let too_much =
            || PyOverflowError::new_err("self_bleu: there are more than 2^30 tokens; take a sample of the texts");
        let rows = clipped_rows(metric, &samples).ok_or_else(too_much)?;
        Ok::<_, PyErr>(rows.chunks_exact(metric.width()).map(|row| fast_bleu::score(metric, row)).collect::<Vec<_>>())
    })?;
    as_bytes(py, &scores)
}
