//! Answers to questions: texts that are found by an id in dicts, as evaluate's `squad` takes them.

use crate::engine::keep;
use crate::numbers::as_bytes;
use crate::text::{AHEAD, Sequence, Signals, Texts, as_string, prefetch_lines, push_text};
use crate::watch::detached;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use truebleu_core::batch::Batch;
use truebleu_core::metrics::squad::{AnswerScores, TokenF1};
use truebleu_core::prepare::answer::Answer;
use truebleu_core::segments::{Source, add_rows, count};
use truebleu_core::threads::Threads;

/// What Python's `\w` matches: the first and the last character of each range. Read once, because there are hundreds.
#[pyclass(frozen, module = "truebleu._core")]
pub struct WordCharacters(Arc<[RangeInclusive<u32>]>);

#[pymethods]
impl WordCharacters {
    #[new]
    fn new(ranges: Vec<(u32, u32)>) -> Self {
        Self(ranges.into_iter().map(|(first, last)| first..=last).collect())
    }
}

impl WordCharacters {
    /// The normalisation of answers.
    pub fn answer(&self) -> Answer {
        Answer { word_characters: self.0.clone() }
    }

    fn scores(&self, empty_is_alike: bool) -> AnswerScores {
        AnswerScores(TokenF1 { answer: self.answer(), empty_is_alike })
    }
}

/// Exact match and F1 of each answer from 0 to 1, one after the other, as the bytes of doubles.
#[pyfunction]
pub fn answer_scores<'py>(
    py: Python<'py>,
    hypotheses: Sequence<'_>,
    streams: Vec<Sequence<'_>>,
    words: &WordCharacters,
    empty_is_alike: bool,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let (texts, mut scores) = (Texts::new(hypotheses, streams, true, true), Vec::new());
    let metric = words.scores(empty_is_alike);
    detached(py, || count(&metric, &texts, &Threads::new(threads), |found| keep(&mut scores, found)))??;
    as_bytes(py, &scores)
}

/// Exact match and F1 by SQuAD 1.1, each added up question after question, and how many questions have no prediction.
///
/// None where anything is not as it nearly always is: two lists of the same length, of dicts with texts, and at least
/// one answer to each question. What is wrong then is for the caller to find out.
#[pyfunction]
pub fn squad_sums(
    py: Python<'_>,
    predictions: &Bound<'_, PyList>,
    references: &Bound<'_, PyList>,
    words: &WordCharacters,
    threads: usize,
) -> PyResult<Option<(f64, f64, usize)>> {
    let Some(questions) = Questions::read(predictions, references)? else { return Ok(None) };
    let (metric, mut totals) = (words.scores(false), [0.0; 2]);
    detached(py, || count(&metric, &questions, &Threads::new(threads), |rows| add_rows(&mut totals, rows)))??;
    Ok(Some((totals[0], totals[1], questions.missing)))
}

/// Questions that have a prediction, with their answers.
#[derive(Default)]
struct Questions {
    texts: Vec<Py<PyString>>, // of each question the prediction, then the answers
    ends: Vec<usize>,         // where the texts of each question end
    missing: usize,
}

impl Questions {
    /// Finds the prediction for each question by its id. Of predictions with one id, the last counts.
    fn read(predictions: &Bound<'_, PyList>, references: &Bound<'_, PyList>) -> PyResult<Option<Self>> {
        if predictions.len() != references.len() || predictions.is_empty() {
            return Ok(None);
        }
        let (py, mut signals) = (predictions.py(), Signals::new(predictions.py()));
        let (by_id, mut questions) = (PyDict::new(py), Self::default());
        let (predictions, references) = (Sequence::List(predictions.clone()), Sequence::List(references.clone()));
        for at in 0..predictions.len() {
            signals.next_text(0)?;
            predictions.prefetch(at + AHEAD);
            let one = predictions.get(at)?;
            let Some(id) = text_at(&one, intern!(py, "id"))? else { return Ok(None) };
            let Some(text) = text_at(&one, intern!(py, "prediction_text"))? else { return Ok(None) };
            by_id.set_item(id, text)?;
        }
        for at in 0..references.len() {
            signals.next_text(0)?;
            references.prefetch(at + AHEAD);
            if !questions.add(&by_id, &references.get(at)?)? {
                return Ok(None);
            }
        }
        Ok(Some(questions))
    }

    /// Adds a question; false if it is not plainly one.
    fn add(&mut self, by_id: &Bound<'_, PyDict>, one: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = one.py();
        let Some(id) = text_at(one, intern!(py, "id"))? else { return Ok(false) };
        let Some(answers) = value_at(one, intern!(py, "answers"))? else { return Ok(false) };
        let Some(answers) = value_at(&answers, intern!(py, "text"))? else { return Ok(false) };
        let Some(answers) = plain_sequence(answers) else { return Ok(false) };
        let prediction = by_id.get_item(id)?;
        self.missing += usize::from(prediction.is_none());
        let texts = self.texts.len();
        self.texts.extend(prediction.and_then(as_text).map(Bound::unbind));
        for at in 0..answers.len() {
            let Some(text) = as_text(answers.get(at)?) else { return Ok(false) };
            self.texts.push(text.unbind());
        }
        if texts + answers.len() == self.texts.len() {
            self.texts.truncate(texts); // nobody predicted an answer
        } else {
            self.ends.push(self.texts.len());
        }
        Ok(answers.len() > 0)
    }
}

impl Source for Questions {
    type Error = PyErr;

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn load(&self, segments: Range<usize>, batch: &mut Batch) -> PyResult<()> {
        Python::attach(|py| {
            let mut text = segments.start.checked_sub(1).map_or(0, |before| self.ends[before]);
            for &end in &self.ends[segments] {
                batch.begin_segment();
                for at in text..end {
                    if let Some(ahead) = self.texts.get(at + 2 * AHEAD) {
                        prefetch_lines(ahead.as_ptr().cast_const().cast());
                    }
                    push_text(batch, self.texts[at].bind(py), true)?;
                }
                text = end;
            }
            Ok(())
        })
    }
}

/// What a dict has under a key; None too where the object is no dict, or of a class of its own.
fn value_at<'py>(one: &Bound<'py, PyAny>, key: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
    one.cast_exact::<PyDict>().map_or(Ok(None), |dict| dict.get_item(key))
}

fn text_at<'py>(one: &Bound<'py, PyAny>, key: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyString>>> {
    Ok(value_at(one, key)?.and_then(as_text))
}

fn as_text(value: Bound<'_, PyAny>) -> Option<Bound<'_, PyString>> {
    as_string(&value)?;
    value.cast_into().ok()
}

fn plain_sequence(value: Bound<'_, PyAny>) -> Option<Sequence<'_>> {
    let value = match value.cast_into_exact::<PyList>() {
        Ok(list) => return Some(Sequence::List(list)),
        Err(other) => other.into_inner(),
    };
    value.cast_into_exact::<PyTuple>().ok().map(Sequence::Tuple)
}
