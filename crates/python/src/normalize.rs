//! Python strings through the core's normalisation.

use crate::errors::OptionError;
use crate::text::{Sequence, Signals, append_code_points, as_python, as_string};
use pyo3::prelude::*;
use pyo3::types::PyList;
use truebleu_core::normalize::Normalization;

/// The texts, normalised; what nothing changes in, and what is no text, is given back as the object it is.
#[pyfunction]
pub fn normalize<'py>(py: Python<'py>, texts: Sequence<'py>, names: Vec<String>) -> PyResult<Bound<'py, PyList>> {
    let mut asked = Normalization::default();
    for name in names {
        if !asked.add(&name) {
            return Err(OptionError::new_err(format!("no native normalisation is called {name:?}")));
        }
    }
    let (found, mut given, mut out, mut signals) = (PyList::empty(py), Vec::new(), Vec::new(), Signals::new(py));
    for at in 0..texts.len() {
        let text = texts.get(at)?;
        given.clear();
        if let Some(string) = as_string(&text) {
            append_code_points(&mut given, string)?;
        }
        if signals.on_text(&given, |given| asked.apply(given, &mut out))? {
            found.append(as_python(py, &out)?)?;
        } else {
            found.append(text)?;
        }
    }
    Ok(found)
}
