//! Numbers for tokens in, cuts out, without the interpreter's lock.

use crate::errors::InputError;
use crate::watch::detached;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::convert::Infallible;
use truebleu_core::halt;
use truebleu_core::resegment::cue::{Document, divide};
use truebleu_core::resegment::{Alignment, References, errors, mwer};
use truebleu_core::threads::Threads;

type Bytes<'py> = Bound<'py, PyBytes>;

/// The tokens of all references, how many each reference has, and how many references each segment has.
type GivenReferences<'py> = (Bytes<'py>, Bytes<'py>, Bytes<'py>);

/// The tokens of a hypothesis, and its references.
type WordsDocument<'py> = (Bytes<'py>, GivenReferences<'py>);

/// The tokens of a hypothesis and their sorts, its references and their sorts, whether it is written without spaces,
/// and whether given line breaks are preferred.
type CuesDocument<'py> = (Bytes<'py>, Bytes<'py>, GivenReferences<'py>, Bytes<'py>, bool, bool);

/// Cuts, errors of each segment and lengths of the references they were counted against; cost, reference tokens.
type Aligned = (Vec<usize>, Vec<(u32, u32)>, u64, u64);

/// Cuts, errors of each segment and lengths of references; margins, best other cuts; cost, and anchors.
type Divided = (Vec<usize>, Vec<(u32, u32)>, Vec<u32>, Vec<usize>, u64, usize);

fn numbers(bytes: &Bytes<'_>) -> Vec<u32> {
    crate::numbers::numbers(bytes.as_bytes(), u32::from_ne_bytes)
}

fn references((tokens, lengths, counts): &GivenReferences<'_>) -> PyResult<References> {
    References::new(numbers(tokens), &numbers(lengths), &numbers(counts))
        .ok_or_else(|| InputError::new_err("resegment: the lengths of the references do not fit their tokens"))
}

/// Aligns documents as mwerSegmenter does.
#[pyfunction]
pub fn align_words(py: Python<'_>, documents: Vec<WordsDocument<'_>>, threads: usize) -> PyResult<Vec<Aligned>> {
    let given = |(tokens, given): &WordsDocument<'_>| Ok((numbers(tokens), references(given)?));
    let documents = documents.iter().map(given).collect::<PyResult<Vec<_>>>()?;
    detached(py, || {
        halt::expect(documents.len());
        let work = |at: usize| {
            let (tokens, references) = &documents[at];
            let Alignment { cuts, cost, reference_tokens } = mwer::align(tokens, references, &mwer::Means::default());
            let errors = errors(tokens, references, &cuts);
            halt::advance(1);
            Ok::<_, Infallible>((cuts, errors, cost, reference_tokens))
        };
        Threads::new(threads).map(documents.len(), || work).unwrap_or_else(|never| match never {})
    })
}

/// Divides documents by edit distance and cues; the first pass goes from anchor to anchor where its table would have
/// more than `most_cells`.
#[pyfunction]
#[pyo3(signature = (documents, window, threads, most_cells = mwer::MOST_CELLS))]
pub fn align_cues(
    py: Python<'_>,
    documents: Vec<CuesDocument<'_>>,
    window: Option<usize>,
    threads: usize,
    most_cells: u64,
) -> PyResult<Vec<Divided>> {
    let mut given = Vec::with_capacity(documents.len());
    for (tokens, sorts, of_references, reference_sorts, is_spaceless, prefers_breaks) in &documents {
        let document = Document {
            tokens: numbers(tokens),
            sorts: sorts.as_bytes().to_vec(),
            references: references(of_references)?,
            reference_sorts: reference_sorts.as_bytes().to_vec(),
            is_spaceless: *is_spaceless,
            prefers_breaks: *prefers_breaks,
        };
        let is_whole = document.sorts.len() == document.tokens.len()
            && document.reference_sorts.len() == document.references.tokens.len();
        if !is_whole {
            return Err(InputError::new_err("resegment: there is not one sort for each token"));
        }
        given.push(document);
    }
    let found = detached(py, || divide(&given, window, most_cells, &Threads::new(threads)))?;
    Ok(found.into_iter().map(|one| (one.cuts, one.errors, one.margins, one.others, one.cost, one.anchors)).collect())
}
