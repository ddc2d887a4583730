//! Corpora of tokens without text: any hashable Python objects, or token ids.

use crate::errors::{FROM_0, InputTypeError, InvalidId};
use crate::metrics::{checked_min_len, ref_len_from};
use crate::text::{AHEAD, Sequence, same_or_equal};
use crate::watch::detached;
use pyo3::buffer::{Element, ElementType, PyUntypedBuffer};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFrozenSet, PyInt, PyList, PySet, PySlice, PyString, PyTuple,
};
use truebleu_core::interner::{IdInterner, Interner};
use truebleu_core::metrics::gleu::Gleu;
use truebleu_core::metrics::nist;
use truebleu_core::metrics::tally::Tally;
use truebleu_core::prepare::Tokenizer;
use truebleu_core::segments::{Source, add_rows, count};
use truebleu_core::threads::Threads;
use truebleu_core::tokens::NumberedCorpus;

/// Tokenized hypotheses with their references; equal tokens have become equal numbers.
#[pyclass(frozen, module = "truebleu._core")]
pub struct TokenCorpus {
    corpus: NumberedCorpus,
}

/// Hypothesis length, reference length, and for each order: matches, n-grams, segments too short, segments without a
/// match.
type BleuSums = (u64, u64, Vec<u64>, Vec<u64>, Vec<u64>, Vec<u64>);

#[pymethods]
impl TokenCorpus {
    /// Sequences of any hashable objects. Tokens are equal if they are the same object, or have the same hash and are
    /// equal: as keys of a dict.
    #[staticmethod]
    fn from_objects(name: &str, hypotheses: &Bound<'_, PyTuple>, references: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let mut objects = Objects::default();
        let corpus = load(name, "hypothesis", hypotheses, references, &mut objects)?;
        Ok(Self { corpus })
    }

    /// Sequences of whole numbers from 0: lists, tuples, or arrays of one dimension.
    #[staticmethod]
    fn from_ids(name: &str, candidates: &Bound<'_, PyTuple>, references: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let mut ids = Ids::default();
        Ok(Self { corpus: load(name, "candidate", candidates, references, &mut ids)? })
    }

    fn __len__(&self) -> usize {
        self.corpus.len()
    }

    /// The first segment that has no references.
    fn without_references(&self) -> Option<usize> {
        (0..self.corpus.len()).find(|&segment| self.corpus.references(segment).len() == 0)
    }

    /// The sums of BLEU's rows.
    fn bleu(&self, py: Python<'_>, order: usize, ref_len: &str, threads: usize) -> PyResult<BleuSums> {
        let ref_len = ref_len_from(ref_len)?;
        let tally = detached(py, || Tally::count(&self.corpus, order, ref_len, &Threads::new(threads)))?;
        Ok((tally.sys_len, tally.ref_len, tally.correct, tally.total, tally.short, tally.unmatched))
    }

    /// The sums of GLEU's rows: n-grams shared, and those of the larger side. None as longest means all there are.
    fn gleu(&self, py: Python<'_>, min_len: usize, max_len: Option<usize>, threads: usize) -> PyResult<(u64, u64)> {
        let min_len = checked_min_len(min_len)?;
        let metric = Gleu { tokenizer: Tokenizer::Symbols, min_len, max_len: max_len.unwrap_or(usize::MAX) };
        let mut totals = [0.0; 2];
        let add = |rows: &[f64]| add_rows(&mut totals, rows);
        let Ok(()) = detached(py, || count(&metric, &self.corpus, &Threads::new(threads), add))?;
        Ok((totals[0] as u64, totals[1] as u64))
    }

    /// The parts of NIST: information matched and n-grams of each order, lengths of hypotheses and references.
    fn nist(&self, py: Python<'_>, order: usize, compensated_sum: bool) -> PyResult<(Vec<f64>, Vec<f64>, f64, f64)> {
        let parts = detached(py, || nist::count(&self.corpus, order, compensated_sum))?;
        Ok((parts.matched, parts.ngrams, parts.sys_len, parts.ref_len))
    }
}

/// Something that numbers the tokens of a sequence.
trait Numbers<'py> {
    fn push(&mut self, sequence: &Bound<'py, PyAny>, corpus: &mut NumberedCorpus) -> Result<(), Misfit>;
}

/// What is wrong with a sequence, to be told with its place.
enum Misfit {
    Type(String),
    Id(String),
    Error(PyErr),
}

impl From<PyErr> for Misfit {
    fn from(error: PyErr) -> Self {
        Self::Error(error)
    }
}

/// Signals are heard whenever so many segments have been read.
const SEGMENTS: usize = 1024;

fn load<'py>(
    name: &str,
    hypothesis: &str,
    hypotheses: &Bound<'py, PyTuple>,
    references: &Bound<'py, PyTuple>,
    numbers: &mut impl Numbers<'py>,
) -> PyResult<NumberedCorpus> {
    let mut corpus = NumberedCorpus::default();
    for (segment, (sequence, references)) in hypotheses.iter().zip(references.iter()).enumerate() {
        let told = |misfit, place: String| told(name, misfit, &place);
        if segment.is_multiple_of(SEGMENTS) {
            hypotheses.py().check_signals()?;
        }
        corpus.begin_segment();
        numbers.push(&sequence, &mut corpus).map_err(|misfit| told(misfit, format!("{hypothesis} {segment}")))?;
        corpus.end_sequence();
        let place = || format!("the references of segment {segment}");
        check_sequence(&references, "a list of references, each a list of tokens").map_err(|m| told(m, place()))?;
        for (index, reference) in references.try_iter()?.enumerate() {
            let place = || format!("reference {index} of segment {segment}");
            numbers.push(&reference?, &mut corpus).map_err(|misfit| told(misfit, place()))?;
            corpus.end_sequence();
        }
    }
    Ok(corpus)
}

fn told(name: &str, misfit: Misfit, place: &str) -> PyErr {
    match misfit {
        Misfit::Type(text) => InputTypeError::new_err(format!("{name}: {place} {text}. {FROM_0}")),
        Misfit::Id(text) => InvalidId::new_err(format!("{name}: {place} {text}. {FROM_0}")),
        Misfit::Error(error) => error,
    }
}

fn kind_of(value: &Bound<'_, PyAny>) -> String {
    if value.is_none() {
        return "None".to_owned();
    }
    value.get_type().name().map_or_else(|_| "of another type".to_owned(), |name| format!("of type {name}"))
}

/// Refuses what has no length, or no order: an iterator is used up by the first look, and a set would be scored in any
/// order.
fn check_sequence(value: &Bound<'_, PyAny>, expected: &str) -> Result<(), Misfit> {
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyString>() {
        return Ok(());
    }
    let unordered = value.is_instance_of::<PySet>()
        || value.is_instance_of::<PyFrozenSet>()
        || value.is_instance_of::<PyDict>()
        || value.is_instance_of::<PySlice>();
    if unordered || value.len().is_err() {
        return Err(Misfit::Type(format!("is {}, expected {expected}", kind_of(value))));
    }
    Ok(())
}

/// Numbers hashable objects.
///
/// Most of the time goes into waiting for tokens that are scattered over memory. Hashing those of a sequence first and
/// looking them up in a second loop did not help.
#[derive(Default)]
struct Objects<'py> {
    tokens: Vec<Bound<'py, PyAny>>,
    interner: Interner,
}

impl<'py> Numbers<'py> for Objects<'py> {
    fn push(&mut self, sequence: &Bound<'py, PyAny>, corpus: &mut NumberedCorpus) -> Result<(), Misfit> {
        check_sequence(sequence, "a list of tokens")?;
        if let Ok(list) = sequence.cast::<PyList>() {
            return self.push_all(with_prefetch(list.iter(), Sequence::List(list.clone())), corpus);
        }
        if let Ok(tuple) = sequence.cast::<PyTuple>() {
            return self.push_all(with_prefetch(tuple.iter(), Sequence::Tuple(tuple.clone())), corpus);
        }
        self.push_all(sequence.try_iter()?, corpus)
    }
}

/// The tokens of a sequence, while those behind are brought near.
fn with_prefetch<'py>(
    tokens: impl Iterator<Item = Bound<'py, PyAny>>,
    sequence: Sequence<'py>,
) -> impl Iterator<Item = PyResult<Bound<'py, PyAny>>> {
    (0..AHEAD).for_each(|at| sequence.prefetch(at));
    tokens.enumerate().map(move |(at, token)| {
        sequence.prefetch(at + AHEAD);
        Ok(token)
    })
}

impl<'py> Objects<'py> {
    fn push_all(
        &mut self,
        tokens: impl Iterator<Item = PyResult<Bound<'py, PyAny>>>,
        corpus: &mut NumberedCorpus,
    ) -> Result<(), Misfit> {
        for (at, token) in tokens.enumerate() {
            let token = token?;
            let hash = token.hash().map_err(|error| {
                Misfit::Type(format!("has at token {at} something {}, which has no hash ({error})", kind_of(&token)))
            })?;
            corpus.push_symbol(self.number(token, hash)?);
        }
        Ok(())
    }

    fn number(&mut self, token: Bound<'py, PyAny>, hash: isize) -> PyResult<u32> {
        let Self { tokens, interner } = self;
        let number = interner.number(hash as u64, |place| same_or_equal(&tokens[place], &token))?;
        if number as usize == tokens.len() {
            tokens.push(token);
        }
        Ok(number)
    }
}

/// Numbers token ids.
#[derive(Default)]
struct Ids(IdInterner);

impl<'py> Numbers<'py> for Ids {
    fn push(&mut self, sequence: &Bound<'py, PyAny>, corpus: &mut NumberedCorpus) -> Result<(), Misfit> {
        if let Ok(list) = sequence.cast::<PyList>() {
            return self.push_objects(list.iter(), corpus);
        }
        if let Ok(tuple) = sequence.cast::<PyTuple>() {
            return self.push_objects(tuple.iter(), corpus);
        }
        let no_array = || Misfit::Type(format!("is {}, expected a list or an array of token ids", kind_of(sequence)));
        let is_text = sequence.is_instance_of::<PyString>()
            || sequence.is_instance_of::<PyBytes>()
            || sequence.is_instance_of::<PyByteArray>();
        if is_text {
            return Err(no_array());
        }
        if let Ok(buffer) = PyUntypedBuffer::get(sequence) {
            return self.push_buffer(sequence.py(), &buffer, corpus);
        }
        // Tensors of other libraries become arrays when asked.
        let array = sequence.getattr("__array__").map_err(|_| no_array())?.call0()?;
        let buffer = PyUntypedBuffer::get(&array).map_err(|_| no_array())?;
        self.push_buffer(sequence.py(), &buffer, corpus)
    }
}

impl Ids {
    fn push_objects<'py>(
        &mut self,
        ids: impl Iterator<Item = Bound<'py, PyAny>>,
        corpus: &mut NumberedCorpus,
    ) -> Result<(), Misfit> {
        for (at, id) in ids.enumerate() {
            let number = if id.is_instance_of::<PyBool>() { None } else { id.extract::<u64>().ok() };
            let number = number.ok_or_else(|| misfit_id(at, &id))?;
            corpus.push_symbol(self.0.number(number));
        }
        Ok(())
    }

    fn push_buffer(
        &mut self,
        py: Python<'_>,
        buffer: &PyUntypedBuffer,
        corpus: &mut NumberedCorpus,
    ) -> Result<(), Misfit> {
        if buffer.dimensions() != 1 {
            let text = format!("is an array of {} dimensions, expected one dimension of ids", buffer.dimensions());
            return Err(Misfit::Type(text));
        }
        match ElementType::from_format(buffer.format()) {
            ElementType::SignedInteger { bytes: 1 } => self.push_array::<i8>(py, buffer, corpus),
            ElementType::SignedInteger { bytes: 2 } => self.push_array::<i16>(py, buffer, corpus),
            ElementType::SignedInteger { bytes: 4 } => self.push_array::<i32>(py, buffer, corpus),
            ElementType::SignedInteger { bytes: 8 } => self.push_array::<i64>(py, buffer, corpus),
            ElementType::UnsignedInteger { bytes: 1 } => self.push_array::<u8>(py, buffer, corpus),
            ElementType::UnsignedInteger { bytes: 2 } => self.push_array::<u16>(py, buffer, corpus),
            ElementType::UnsignedInteger { bytes: 4 } => self.push_array::<u32>(py, buffer, corpus),
            ElementType::UnsignedInteger { bytes: 8 } => self.push_array::<u64>(py, buffer, corpus),
            _ => Err(Misfit::Type("is an array of something else than whole numbers, expected token ids".to_owned())),
        }
    }

    fn push_array<T: Element + Into<i128>>(
        &mut self,
        py: Python<'_>,
        buffer: &PyUntypedBuffer,
        corpus: &mut NumberedCorpus,
    ) -> Result<(), Misfit> {
        for (at, id) in buffer.as_typed::<T>()?.to_vec(py)?.into_iter().enumerate() {
            let id: i128 = id.into();
            let number = u64::try_from(id).map_err(|_| negative_id(at, &id.to_string()))?;
            corpus.push_symbol(self.0.number(number));
        }
        Ok(())
    }
}

fn misfit_id(at: usize, id: &Bound<'_, PyAny>) -> Misfit {
    if !id.is_instance_of::<PyInt>() || id.is_instance_of::<PyBool>() {
        return Misfit::Type(format!("has at token {at} something {}, expected a token id", kind_of(id)));
    }
    if id.lt(0).unwrap_or(false) {
        return negative_id(at, &id.to_string());
    }
    Misfit::Id(format!("has at token {at} the id {id}, expected one below 2^64"))
}

fn negative_id(at: usize, id: &str) -> Misfit {
    Misfit::Id(format!(
        "has at token {at} the id {id}, expected one from 0. \
         Negative ids usually are padding, or labels to ignore: remove them"
    ))
}
