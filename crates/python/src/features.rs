//! What the doctor asks about texts: rows of whole numbers, as bytes.

use crate::text::{SIGNALS, Sequence, append_code_points, as_string, changed};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use truebleu_core::features::{row, runs as longest_runs, words_alone};

/// A row of counts for each text, as the bytes of 32-bit integers.
#[pyfunction]
pub fn features<'py>(py: Python<'py>, texts: Sequence<'py>) -> PyResult<Bound<'py, PyBytes>> {
    rows(py, &texts, row)
}

/// The longest runs of each text, in words or in characters, as the bytes of 32-bit integers.
#[pyfunction]
pub fn runs<'py>(py: Python<'py>, texts: Sequence<'py>, by_character: bool) -> PyResult<Bound<'py, PyBytes>> {
    rows(py, &texts, |text| longest_runs(text, by_character))
}

/// The letters, marks and numbers of a text.
#[pyfunction]
pub fn fold_marks(text: &Bound<'_, PyString>) -> PyResult<String> {
    let mut buffer = Vec::new();
    append_code_points(&mut buffer, text)?;
    Ok(words_alone(&buffer))
}

fn rows<'py, const WIDTH: usize>(
    py: Python<'py>,
    texts: &Sequence<'py>,
    count: impl Fn(&[u32]) -> [i32; WIDTH],
) -> PyResult<Bound<'py, PyBytes>> {
    let (mut bytes, mut buffer) = (Vec::with_capacity(4 * WIDTH * texts.len()), Vec::new());
    for at in 0..texts.len() {
        if at.is_multiple_of(SIGNALS) {
            py.check_signals()?;
        }
        let text = texts.get(at)?;
        buffer.clear();
        append_code_points(&mut buffer, as_string(&text).ok_or_else(|| changed(&text))?)?;
        bytes.extend(count(&buffer).iter().flat_map(|cell| cell.to_ne_bytes()));
    }
    Ok(PyBytes::new(py, &bytes))
}
