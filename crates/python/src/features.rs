//! What the doctor asks about texts: rows of whole numbers, as bytes.

use crate::text::{Sequence, Signals, append_code_points, as_string, changed};
use crate::watch::detached;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use truebleu_core::features::{
    best_path as find_best_path, row, rows as count_rows, runs as longest_runs, trigram_sums as sum_trigrams,
    trigrams as find_trigrams, words_alone,
};
use truebleu_core::threads::Threads;

/// A row of counts for each text, as the bytes of 32-bit integers.
#[pyfunction]
pub fn features<'py>(py: Python<'py>, texts: Sequence<'py>, threads: usize) -> PyResult<Bound<'py, PyBytes>> {
    rows(py, &texts, threads, row)
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
    Ok((bytes(py, bins, u32::to_ne_bytes), bytes(py, places, i64::to_ne_bytes)))
}

/// How many letter trigrams each text has, as the bytes of 64-bit integers, and the sum of their weights, as those of
/// 64-bit floating-point numbers. There are weights for odd texts, and then as many for even ones.
#[pyfunction]
pub fn trigram_sums<'py>(
    py: Python<'py>,
    joined: &[u8],
    letters: &[u8],
    weights: &[u8],
    threads: usize,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let (counts, sums) = detached(py, || {
        let [joined, letters] = [joined, letters].map(|codes| numbers(codes, u32::from_ne_bytes));
        sum_trigrams(&joined, &letters, &numbers(weights, f64::from_ne_bytes), &Threads::new(threads))
    })?;
    Ok((bytes(py, counts, i64::to_ne_bytes), bytes(py, sums, f64::to_ne_bytes)))
}

/// The column of each row on the best path through a table, as the bytes of 32-bit integers. The table is 64-bit
/// floating-point numbers.
#[pyfunction]
pub fn best_path<'py>(py: Python<'py>, table: &[u8], width: usize, price: f64) -> PyResult<Bound<'py, PyBytes>> {
    let path = detached(py, || find_best_path(&numbers(table, f64::from_ne_bytes), width.max(1), price))?;
    Ok(bytes(py, path, i32::to_ne_bytes))
}

fn numbers<T, const SIZE: usize>(bytes: &[u8], number: fn([u8; SIZE]) -> T) -> Vec<T> {
    bytes.as_chunks().0.iter().map(|&bytes| number(bytes)).collect()
}

fn bytes<T, const SIZE: usize>(py: Python<'_>, numbers: Vec<T>, bytes: fn(T) -> [u8; SIZE]) -> Bound<'_, PyBytes> {
    let mut written = Vec::with_capacity(SIZE * numbers.len());
    numbers.into_iter().for_each(|number| written.extend_from_slice(&bytes(number)));
    PyBytes::new(py, &written)
}

fn rows<'py, const CELLS: usize>(
    py: Python<'py>,
    texts: &Sequence<'py>,
    threads: usize,
    count: impl Fn(&[u32]) -> [i32; CELLS] + Sync + Send,
) -> PyResult<Bound<'py, PyBytes>> {
    let (mut joined, mut ends, mut signals) = (Vec::new(), Vec::with_capacity(texts.len()), Signals::new(py));
    for_each(texts, |text| {
        signals.next_text(text.len())?;
        joined.extend_from_slice(text);
        ends.push(joined.len());
        Ok(())
    })?;
    let cells = detached(py, || count_rows(&joined, &ends, &Threads::new(threads), count))?;
    Ok(bytes(py, cells, i32::to_ne_bytes))
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
