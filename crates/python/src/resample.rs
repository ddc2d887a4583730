//! Resampling for Python: engines and rows in, scores or counts out, without the interpreter's lock.

use crate::errors::{OptionError, StatsMismatch};
use crate::metrics::{BleuEngine, ChrfEngine, GleuEngine, TerEngine, as_bytes, resolve_threads};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use truebleu_core::metrics::{Metric, mean};
use truebleu_core::resample::System;
use truebleu_core::resample::bootstrap::resampled_scores;
use truebleu_core::resample::randomize::{Comparison, count_further_apart};
use truebleu_core::resample::rng::Pcg64;
use truebleu_core::resample::table::Table;

/// The mean of scores from elsewhere.
#[pyclass(frozen, module = "truebleu._core")]
pub struct MeanEngine;

impl MeanEngine {
    fn formula(&self) -> fn(&[f64]) -> f64 {
        mean::score
    }
}

#[pymethods]
impl MeanEngine {
    #[new]
    fn new() -> Self {
        Self
    }

    /// The score of one row, or of the sum of many.
    fn score(&self, totals: Vec<f64>) -> f64 {
        self.formula()(&totals)
    }

    /// The score of each of many rows, as the bytes of doubles.
    fn score_rows<'py>(&self, py: Python<'py>, rows: Vec<f64>) -> PyResult<Bound<'py, PyBytes>> {
        as_bytes(py, &rows.chunks_exact(mean::WIDTH).map(self.formula()).collect::<Vec<_>>())
    }
}

/// Whatever has a formula.
#[derive(FromPyObject)]
pub enum Engine<'py> {
    Bleu(Bound<'py, BleuEngine>),
    Chrf(Bound<'py, ChrfEngine>),
    Gleu(Bound<'py, GleuEngine>),
    Ter(Bound<'py, TerEngine>),
    Mean(Bound<'py, MeanEngine>),
}

impl Engine<'_> {
    fn system<'a>(&'a self, rows: &[u8]) -> PyResult<System<'a>> {
        match self {
            Self::Bleu(engine) => of_metric(&engine.get().metric, rows),
            Self::Chrf(engine) => of_metric(&engine.get().metric, rows),
            Self::Gleu(engine) => of_metric(&engine.get().metric, rows),
            Self::Ter(engine) => of_metric(&engine.get().metric, rows),
            Self::Mean(engine) => {
                Ok(System { rows: table(rows, mean::WIDTH)?, score: Box::new(engine.get().formula()) })
            }
        }
    }
}

fn of_metric<'a>(metric: &'a impl Metric, rows: &[u8]) -> PyResult<System<'a>> {
    Ok(System { rows: table(rows, metric.width())?, score: Box::new(|totals| metric.score(totals)) })
}

/// Rows from the bytes of doubles.
fn table(rows: &[u8], width: usize) -> PyResult<Table> {
    let (cells, rest) = rows.as_chunks::<8>();
    if !rest.is_empty() || cells.is_empty() || cells.len() % width > 0 {
        let bytes = rows.len();
        return Err(StatsMismatch::new_err(format!("{bytes} bytes are not rows of {width} doubles, at least one")));
    }
    let cells: Vec<f64> = cells.iter().map(|cell| f64::from_ne_bytes(*cell)).collect();
    Ok(Table::new(&cells, width))
}

type Systems<'py> = Vec<(Engine<'py>, Bound<'py, PyBytes>)>;

fn from_python<'a>(given: &'a Systems<'_>) -> PyResult<Vec<System<'a>>> {
    let systems = given.iter().map(|(engine, rows)| engine.system(rows.as_bytes())).collect::<PyResult<Vec<_>>>()?;
    let segments: Vec<_> = systems.iter().map(|system| system.rows.segments()).collect();
    match segments.iter().find(|&&count| count != segments[0] || u32::try_from(count).is_err()) {
        Some(count) => {
            Err(StatsMismatch::new_err(format!("a system has {count} rows and the first has {}", segments[0])))
        }
        None => Ok(systems),
    }
}

/// The scores of all systems on `samples` corpora drawn with replacement, system after system, as the bytes of doubles.
/// `skip` is the number of 32-bit words of the stream that have been used before.
#[pyfunction]
#[pyo3(signature = (systems, *, samples, seed, skip, threads))]
pub fn bootstrap<'py>(
    py: Python<'py>,
    systems: Systems<'py>,
    samples: usize,
    seed: Vec<u32>,
    skip: u128,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let systems = from_python(&systems)?;
    let scores = py.detach(|| {
        let mut generator = Pcg64::from_seed(&seed);
        generator.skip_words(skip);
        resampled_scores(&systems, samples, generator, resolve_threads(threads))
    });
    as_bytes(py, &scores)
}

/// For each pair of systems (lists of runs, by index), the number of trials that put them further apart than they are.
#[pyfunction]
#[pyo3(signature = (systems, pairs, *, trials, seed, threads))]
pub fn randomize<'py>(
    py: Python<'py>,
    systems: Systems<'py>,
    pairs: Vec<(Vec<usize>, Vec<usize>)>,
    trials: usize,
    seed: Vec<u32>,
    threads: usize,
) -> PyResult<Vec<u64>> {
    let systems = from_python(&systems)?;
    let comparisons = pairs.into_iter().map(|pair| comparison(&systems, pair)).collect::<PyResult<Vec<_>>>()?;
    let generator = Pcg64::from_seed(&seed);
    Ok(py.detach(|| count_further_apart(&systems, &comparisons, trials, generator, resolve_threads(threads))))
}

fn comparison(systems: &[System<'_>], (baseline, system): (Vec<usize>, Vec<usize>)) -> PyResult<Comparison> {
    let known = baseline.iter().chain(&system).all(|&run| run < systems.len());
    if !known || baseline.is_empty() || baseline.len() != system.len() {
        return Err(OptionError::new_err(format!("{baseline:?} and {system:?} are not runs that can be compared")));
    }
    let width = |&run: &usize| systems[run].rows.width();
    if baseline.iter().chain(&system).any(|run| width(run) != width(&baseline[0])) {
        return Err(StatsMismatch::new_err("rows of different metrics cannot be swapped"));
    }
    Ok(Comparison { baseline, system })
}
