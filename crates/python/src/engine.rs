//! A metric of any kind as a Python object: texts or rows in, totals, rows or scores out.

use crate::columns::ColumnTexts;
use crate::errors::{OptionError, StatsMismatch, memory_error};
use crate::line_texts::LineTexts;
use crate::numbers::{as_bytes, doubles};
use crate::text::{Sequence, Texts};
use crate::watch::detached;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::mem::MaybeUninit;
use std::ops::Range;
use truebleu_core::any_metric::AnyMetric;
use truebleu_core::batch::Batch;
use truebleu_core::halt;
use truebleu_core::matrix::expected::Choice;
use truebleu_core::matrix::others::Samples;
use truebleu_core::metric::Formula;
use truebleu_core::segments::{Source, add_rows};
use truebleu_core::threads::Threads;

/// Rows, one after the other: as the bytes of doubles, which need no object for each cell, or as a list.
#[derive(FromPyObject)]
enum Cells<'py> {
    Bytes(Bound<'py, PyBytes>),
    List(Vec<f64>),
}

/// The bytes of a double.
const CELL: usize = size_of::<f64>();

/// A metric with its options. Functions such as `bleu_engine` make one.
#[pyclass(frozen, module = "truebleu._core")]
pub struct Engine {
    kind: Kind,
    lowercase: bool,
}

/// Where texts come from. One type, so that metrics are compiled once.
pub enum Input {
    /// Lists and tuples of strings.
    Lists(Texts),
    /// Columns of Arrow data.
    Columns(ColumnTexts),
    /// Lines of files.
    Lines(LineTexts),
}

impl Source for Input {
    type Error = PyErr;

    fn len(&self) -> usize {
        match self {
            Self::Lists(texts) => texts.len(),
            Self::Columns(texts) => texts.len(),
            Self::Lines(texts) => texts.len(),
        }
    }

    fn load(&self, segments: Range<usize>, batch: &mut Batch) -> PyResult<()> {
        match self {
            Self::Lists(texts) => texts.load(segments, batch),
            Self::Columns(texts) => texts.load(segments, batch),
            Self::Lines(texts) => texts.load(segments, batch),
        }
    }
}

/// What an engine holds: a metric, or a formula for rows that came from elsewhere.
enum Kind {
    Metric(Box<dyn AnyMetric<Input>>),
    Formula(Box<dyn Formula>),
}

impl Engine {
    /// The engine of a metric, which gets its texts lower-cased if asked.
    pub fn of_metric(metric: impl AnyMetric<Input> + 'static, lowercase: bool) -> Self {
        Self { kind: Kind::Metric(Box::new(metric)), lowercase }
    }

    /// The engine of a formula alone.
    pub fn of_formula(formula: impl Formula + 'static) -> Self {
        Self { kind: Kind::Formula(Box::new(formula)), lowercase: false }
    }

    /// What turns rows into scores.
    pub fn formula(&self) -> &dyn Formula {
        match &self.kind {
            Kind::Metric(metric) => &**metric,
            Kind::Formula(formula) => &**formula,
        }
    }

    /// The formula, if there are as many cells as so many rows have.
    fn formula_for(&self, cells: &[f64], rows: usize) -> PyResult<&dyn Formula> {
        let (formula, got) = (self.formula(), cells.len());
        if got == rows * formula.width() {
            return Ok(formula);
        }
        Err(StatsMismatch::new_err(format!("got {got} cells, expected {} for each row", formula.width())))
    }

    /// Whether texts are lower-cased.
    pub fn lowercase(&self) -> bool {
        self.lowercase
    }

    /// What counts texts.
    pub fn metric(&self) -> PyResult<&dyn AnyMetric<Input>> {
        match &self.kind {
            Kind::Metric(metric) => Ok(&**metric),
            Kind::Formula(_) => Err(OptionError::new_err(
                "this engine scores rows that came from elsewhere and counts no text; \
                 give it rows (score, score_rows, bootstrap, randomize), or use the engine of a metric",
            )),
        }
    }
}

impl Engine {
    fn lists(&self, hypotheses: Sequence<'_>, streams: Vec<Sequence<'_>>, keep_empty: bool) -> Input {
        Input::Lists(Texts::new(hypotheses, streams, keep_empty, self.lowercase))
    }

    fn flat(&self, texts: Sequence<'_>) -> Input {
        Input::Lists(Texts::flat(texts, self.lowercase))
    }
}

/// Candidates, references, and the weight of each reference.
type GivenChoice<'py> = (Sequence<'py>, Sequence<'py>, Option<Vec<f64>>);

#[pymethods]
impl Engine {
    /// The sums of all rows.
    fn totals(
        &self,
        py: Python<'_>,
        hypotheses: Sequence<'_>,
        streams: Vec<Sequence<'_>>,
        keep_empty: bool,
        threads: usize,
    ) -> PyResult<Vec<f64>> {
        let (metric, texts) = (self.metric()?, self.lists(hypotheses, streams, keep_empty));
        let mut totals = vec![0.0; metric.width()];
        detached(py, || metric.rows(&texts, &Threads::new(threads), &mut |rows| add_rows(&mut totals, rows)))??;
        Ok(totals)
    }

    /// All rows, as the bytes of doubles.
    fn rows<'py>(
        &self,
        py: Python<'py>,
        hypotheses: Sequence<'_>,
        streams: Vec<Sequence<'_>>,
        keep_empty: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (metric, texts) = (self.metric()?, self.lists(hypotheses, streams, keep_empty));
        let mut cells = Vec::new();
        detached(py, || metric.rows(&texts, &Threads::new(threads), &mut |rows| keep(&mut cells, rows)))??;
        as_bytes(py, &cells)
    }

    /// The score of each segment, as the bytes of doubles.
    fn sentence_scores<'py>(
        &self,
        py: Python<'py>,
        hypotheses: Sequence<'_>,
        streams: Vec<Sequence<'_>>,
        keep_empty: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (metric, texts) = (self.metric()?, self.lists(hypotheses, streams, keep_empty));
        let mut scores = Vec::new();
        detached(py, || metric.segment_scores(&texts, &Threads::new(threads), &mut |found| keep(&mut scores, found)))??;
        as_bytes(py, &scores)
    }

    /// The score of one row, or of the sum of many.
    fn score(&self, totals: Vec<f64>) -> PyResult<f64> {
        Ok(self.formula_for(&totals, 1)?.score(&totals))
    }

    /// The score, and what else the formula finds: for BLEU the brevity penalty, then the precision of each order.
    fn parts(&self, totals: Vec<f64>) -> PyResult<(f64, Vec<f64>)> {
        Ok(self.formula_for(&totals, 1)?.parts(&totals))
    }

    /// The score of each of many rows, as the bytes of doubles.
    fn score_rows<'py>(&self, py: Python<'py>, rows: Cells<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let rows = match rows {
            Cells::Bytes(bytes) => doubles(bytes.as_bytes()),
            Cells::List(cells) => cells,
        };
        let formula = self.formula_for(&rows, rows.len() / self.formula().width())?;
        let score_all = || rows.chunks_exact(formula.width()).map(|row| formula.score(row)).collect::<Vec<_>>();
        as_bytes(py, &detached(py, score_all)?)
    }

    /// The score of each hypothesis with each reference, as the bytes of doubles, hypothesis by hypothesis. They are
    /// written straight into the bytes that Python gets.
    fn pairwise<'py>(
        &self,
        py: Python<'py>,
        hypotheses: Sequence<'_>,
        references: Sequence<'_>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let metric = self.metric()?;
        let [hypotheses, references] = [hypotheses, references].map(|texts| self.flat(texts));
        let (width, mut written) = (references.len(), 0);
        let bytes = blank_bytes(py, hypotheses.len().checked_mul(width * CELL))?;
        // SAFETY: these bytes are as long as that, and nobody else has seen them.
        let cells = unsafe {
            let first = ffi::PyBytes_AsString(bytes.as_ptr()).cast::<[MaybeUninit<u8>; CELL]>();
            std::slice::from_raw_parts_mut(first, hypotheses.len() * width)
        };
        let mut place = |at: usize, first: usize, scores: &[f64]| {
            let cells = &mut cells[at * width..][first..][..scores.len()];
            cells.iter_mut().zip(scores).for_each(|(cell, score)| *cell = score.to_ne_bytes().map(MaybeUninit::new));
            written += scores.len();
        };
        detached(py, || metric.pairwise(&hypotheses, &references, &Threads::new(threads), &mut place))??;
        assert_eq!(hypotheses.len() * width, written, "every cell is written once");
        Ok(bytes)
    }

    /// The expected score of each candidate of each choice, as the bytes of doubles.
    fn expected<'py>(
        &self,
        py: Python<'py>,
        choices: Vec<GivenChoice<'py>>,
        aggregate: bool,
        threads: usize,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let metric = self.metric()?;
        let load = |texts| self.flat(texts);
        let choices: Vec<_> = choices
            .into_iter()
            .map(|(ours, theirs, weights)| Choice { candidates: load(ours), references: load(theirs), weights })
            .collect();
        let is_fit = |choice: &Choice<Input>| {
            choice.weights.as_ref().is_none_or(|weights| weights.len() == choice.references.len())
        };
        if let Some(at) = choices.iter().position(|choice| !is_fit(choice)) {
            return Err(OptionError::new_err(format!("choice {at} has not as many weights as references")));
        }
        let scores = detached(py, || metric.expected(&choices, aggregate, &Threads::new(threads)))??;
        let unavailable = || OptionError::new_err("these references cannot be put together (aggregate=True)");
        scores.into_iter().map(|scores| as_bytes(py, &scores.ok_or_else(unavailable)?)).collect()
    }

    /// The score of each text with all others as references, as the bytes of doubles. Void texts are references only to
    /// those that have no other.
    fn scores_among_others<'py>(
        &self,
        py: Python<'py>,
        texts: Sequence<'_>,
        void: Vec<usize>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (metric, texts) = (self.metric()?, self.flat(texts));
        if let Some(at) = void.iter().find(|&&at| at >= texts.len()) {
            return Err(OptionError::new_err(format!("text {at} is void, but there are only {}", texts.len())));
        }
        let scores = detached(py, || {
            let samples = Samples::load(&texts, &void)?;
            Ok::<_, PyErr>(metric.among_others(&samples, &Threads::new(threads)))
        })??;
        as_bytes(py, &scores)
    }
}

/// Adds rows or scores to those found before.
pub fn keep(cells: &mut Vec<f64>, found: &[f64]) {
    halt::reserve(cells, found.len());
    cells.extend_from_slice(found);
}

/// Bytes with nothing in them yet. They are to be filled before anybody reads them; to fill a gigabyte with zeros first
/// takes a second, in which nobody would hear Ctrl-C.
fn blank_bytes(py: Python<'_>, length: Option<usize>) -> PyResult<Bound<'_, PyBytes>> {
    let length = length.and_then(|length| isize::try_from(length).ok()).ok_or_else(memory_error)?;
    // SAFETY: without content to copy, Python returns bytes of that length, or null with an exception set.
    unsafe {
        let bytes = ffi::PyBytes_FromStringAndSize(std::ptr::null(), length);
        Ok(Bound::from_owned_ptr_or_err(py, bytes)?.cast_into_unchecked())
    }
}
