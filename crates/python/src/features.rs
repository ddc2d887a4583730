//! What the doctor asks about texts: rows of whole numbers, as bytes.

use crate::numbers::{bytes_of, numbers};
use crate::text::{Sequence, Signals, append_code_points, as_string, changed};
use crate::watch::detached;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use truebleu_core::features::copied::{copied_at_most as bound_copied, shared_parts as bound_parts};
use truebleu_core::features::drift::{BEST, fit, votes};
use truebleu_core::features::grams::shared_at_most as bound_shared;
use truebleu_core::features::images::Images;
use truebleu_core::features::kept::kinds as find_kinds;
use truebleu_core::features::{
    best_path as find_best_path, row, rows as count_rows, runs as longest_runs, telling_runs as find_telling_runs,
    trigram_sums as sum_trigrams, trigrams as find_trigrams, words_alone,
};
use truebleu_core::threads::Threads;

/// A row of counts for each text, as the bytes of 32-bit integers.
#[pyfunction]
pub fn features<'py>(py: Python<'py>, texts: Sequence<'py>, threads: usize) -> PyResult<Bound<'py, PyBytes>> {
    rows(py, &texts, threads, row)
}

/// The kinds of parts that each text can have, and what its numbers look like, as the bytes of three 32-bit integers.
#[pyfunction]
pub fn kinds<'py>(py: Python<'py>, texts: Sequence<'py>, threads: usize) -> PyResult<Bound<'py, PyBytes>> {
    rows(py, &texts, threads, find_kinds)
}

/// The longest runs of each text, in words or in characters, as the bytes of 32-bit integers.
#[pyfunction]
pub fn runs<'py>(
    py: Python<'py>,
    texts: Sequence<'py>,
    by_character: bool,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    rows(py, &texts, threads, |text| longest_runs(text, by_character))
}

/// The same where they may tell of a fault, and zeros for all other texts.
#[pyfunction]
pub fn telling_runs<'py>(
    py: Python<'py>,
    texts: Sequence<'py>,
    by_character: bool,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    rows(py, &texts, threads, |text| find_telling_runs(text, by_character))
}

/// How many 4-grams of each second text its first one has, at most, as the bytes of 32-bit integers.
#[pyfunction]
pub fn shared_at_most<'py>(
    py: Python<'py>,
    first: Sequence<'py>,
    second: Sequence<'py>,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let (first, second) = pairs(py, &first, &second)?;
    let shared = detached(py, || bound_shared((&first.0, &first.1), (&second.0, &second.1), &Threads::new(threads)))?;
    bytes_of(py, &shared, i32::to_ne_bytes)
}

/// How many words, or letters, in a row each output has from its source, at most, as the bytes of 32-bit integers.
#[pyfunction]
pub fn copied_at_most<'py>(
    py: Python<'py>,
    outputs: Sequence<'py>,
    sources: Sequence<'py>,
    size: usize,
    by_letter: bool,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let (first, second) = pairs(py, &outputs, &sources)?;
    let most = detached(py, || {
        bound_copied((&first.0, &first.1), (&second.0, &second.1), size, by_letter, &Threads::new(threads))
    })?;
    bytes_of(py, &most, i32::to_ne_bytes)
}

/// How many texts have the most frequent part of so many words, or letters, at most.
#[pyfunction]
pub fn shared_parts<'py>(py: Python<'py>, texts: Sequence<'py>, size: usize, by_letter: bool) -> PyResult<usize> {
    let (joined, ends) = joined(py, &texts)?;
    detached(py, || bound_parts(&joined, &ends, size.max(1), by_letter))
}

/// How well lines fit those beside them, in windows of so many: for each window the votes for that, and all votes, as
/// the bytes of 32-bit integers; how many of their words are common; and the share of these that we have.
#[pyfunction]
pub fn line_fit<'py>(
    py: Python<'py>,
    ours: Sequence<'py>,
    theirs: Sequence<'py>,
    window: usize,
) -> PyResult<(Bound<'py, PyBytes>, usize, f64)> {
    let (ours, theirs) = (joined(py, &ours)?, joined(py, &theirs)?);
    let found = detached(py, || fit((&ours.0, &ours.1), (&theirs.0, &theirs.1), window))?;
    Ok((bytes_of(py, found.windows.as_flattened(), u32::to_ne_bytes)?, found.common, found.shared))
}

/// Which offsets rare words vote for, by blocks of our lines: all votes, those for no offset, and the best others with
/// their votes, as the bytes of 32-bit integers.
#[pyfunction]
pub fn line_votes<'py>(
    py: Python<'py>,
    ours: Sequence<'py>,
    theirs: Sequence<'py>,
    block: usize,
    farthest: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let (ours, theirs) = (joined(py, &ours)?, joined(py, &theirs)?);
    let found = detached(py, || votes((&ours.0, &ours.1), (&theirs.0, &theirs.1), block, farthest))?;
    let mut cells: Vec<i32> = Vec::with_capacity(found.len() * (2 + 2 * BEST));
    for one in found {
        cells.extend([one.all as i32, one.own as i32]);
        let missing = BEST - one.others.len();
        cells.extend(one.others.iter().flat_map(|&(offset, votes)| [offset, votes as i32]));
        cells.extend(std::iter::repeat_n(0, 2 * missing));
    }
    bytes_of(py, &cells, i32::to_ne_bytes)
}

/// What each text becomes when every character is replaced by its image, the bytes of 64-bit integers (`Images` of the
/// core says how); None for a text with a character that has none.
#[pyfunction]
pub fn images<'py>(py: Python<'py>, texts: Sequence<'py>, table: &[u8]) -> PyResult<Vec<Option<String>>> {
    let known = Images(numbers(table, u64::from_ne_bytes));
    let (mut found, mut signals) = (Vec::with_capacity(texts.len()), Signals::new(py));
    for_each(&texts, |text| {
        found.push(signals.on_text(text, |text| known.text(text))?);
        Ok(())
    })?;
    Ok(found)
}

/// The letters, marks and numbers of each text.
#[pyfunction]
pub fn fold_marks<'py>(py: Python<'py>, texts: Sequence<'py>) -> PyResult<Vec<String>> {
    let (mut folded, mut signals) = (Vec::with_capacity(texts.len()), Signals::new(py));
    for_each(&texts, |text| {
        folded.push(signals.on_text(text, words_alone)?);
        Ok(())
    })?;
    Ok(folded)
}

/// The bins of letter trigrams, as the bytes of 32-bit integers, and their texts, as those of 64-bit integers. Texts
/// and letters are code points in UTF-32.
#[pyfunction]
pub fn trigrams<'py>(
    py: Python<'py>,
    joined: &[u8],
    letters: &[u8],
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let (bins, places) =
        detached(py, || find_trigrams(&numbers(joined, u32::from_ne_bytes), &numbers(letters, u32::from_ne_bytes)))?;
    Ok((bytes_of(py, &bins, u32::to_ne_bytes)?, bytes_of(py, &places, i64::to_ne_bytes)?))
}

/// How many letter trigrams each text has, as the bytes of 64-bit integers, and the sum of their weights, as those of
/// 64-bit floating-point numbers. `is_even` has a byte for each text; there are weights for odd texts, and then as many
/// for even ones. The table is as in `images`, and a text with a character that has no image has -1 trigrams.
#[pyfunction]
pub fn trigram_sums<'py>(
    py: Python<'py>,
    texts: Sequence<'py>,
    is_even: &[u8],
    table: &[u8],
    weights: &[u8],
    threads: usize,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let (joined, ends) = joined(py, &texts)?;
    if is_even.len() != ends.len() {
        return Err(PyValueError::new_err(format!("{} texts and {} halves", ends.len(), is_even.len())));
    }
    let (counts, sums) = detached(py, || {
        let known = Images(numbers(table, u64::from_ne_bytes));
        let is_even: Vec<bool> = is_even.iter().map(|&byte| byte != 0).collect();
        let weights = numbers(weights, f64::from_ne_bytes);
        sum_trigrams(&joined, &ends, &is_even, &known, &weights, &Threads::new(threads))
    })?;
    Ok((bytes_of(py, &counts, i64::to_ne_bytes)?, bytes_of(py, &sums, f64::to_ne_bytes)?))
}

/// The offset of each row on the best path through a table, as the bytes of 32-bit integers. The table is 64-bit
/// floating-point numbers, and the offsets of its cells are 32-bit integers, which rise in each row.
#[pyfunction]
pub fn best_path<'py>(
    py: Python<'py>,
    table: &[u8],
    offsets: &[u8],
    width: usize,
    price: f64,
) -> PyResult<Bound<'py, PyBytes>> {
    if table.len() != 2 * offsets.len() || !table.len().is_multiple_of(8 * width.max(1)) {
        return Err(PyValueError::new_err("a table needs an offset for each of its cells, and whole rows"));
    }
    let (table, offsets) = (numbers(table, f64::from_ne_bytes), numbers(offsets, i32::from_ne_bytes));
    let path = detached(py, || find_best_path(&table, &offsets, width.max(1), price))?;
    bytes_of(py, &path, i32::to_ne_bytes)
}

fn rows<'py, const CELLS: usize>(
    py: Python<'py>,
    texts: &Sequence<'py>,
    threads: usize,
    count: impl Fn(&[u32]) -> [i32; CELLS] + Sync + Send,
) -> PyResult<Bound<'py, PyBytes>> {
    let (joined, ends) = joined(py, texts)?;
    let cells = detached(py, || count_rows(&joined, &ends, &Threads::new(threads), count))?;
    bytes_of(py, &cells, i32::to_ne_bytes)
}

/// The code points of texts one after the other, and where each text ends.
type Joined = (Vec<u32>, Vec<usize>);

/// As many texts as other texts.
fn pairs<'py>(py: Python<'py>, first: &Sequence<'py>, second: &Sequence<'py>) -> PyResult<(Joined, Joined)> {
    let (first, second) = (joined(py, first)?, joined(py, second)?);
    if first.1.len() != second.1.len() {
        return Err(PyValueError::new_err(format!("{} and {} texts make no pairs", first.1.len(), second.1.len())));
    }
    Ok((first, second))
}

fn joined<'py>(py: Python<'py>, texts: &Sequence<'py>) -> PyResult<Joined> {
    let (mut joined, mut ends, mut signals) = (Vec::new(), Vec::with_capacity(texts.len()), Signals::new(py));
    for at in 0..texts.len() {
        let text = texts.get(at)?;
        append_code_points(&mut joined, as_string(&text).ok_or_else(|| changed(&text))?)?;
        signals.next_text(joined.len() - ends.last().copied().unwrap_or(0))?;
        ends.push(joined.len());
    }
    Ok((joined, ends))
}

fn for_each(texts: &Sequence<'_>, mut take: impl FnMut(&[u32]) -> PyResult<()>) -> PyResult<()> {
    let mut buffer = Vec::new();
    for at in 0..texts.len() {
        let text = texts.get(at)?;
        buffer.clear();
        append_code_points(&mut buffer, as_string(&text).ok_or_else(|| changed(&text))?)?;
        take(&buffer)?;
    }
    Ok(())
}
