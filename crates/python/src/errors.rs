//! The exceptions that are raised on this side: those of `truebleu.errors`, and Python's for want of memory.

use pyo3::PyErr;
use pyo3::exceptions::PyMemoryError;

pyo3::import_exception!(truebleu.errors, InputError);
pyo3::import_exception!(truebleu.errors, InputTypeError);
pyo3::import_exception!(truebleu.errors, InvalidId);
pyo3::import_exception!(truebleu.errors, OptionError);
pyo3::import_exception!(truebleu.errors, SegmentWithoutReference);
pyo3::import_exception!(truebleu.errors, StatsMismatch);
pyo3::import_exception!(truebleu.errors, UndecodableText);

/// There was no memory for what was to be counted.
pub fn memory_error() -> PyErr {
    PyMemoryError::new_err("there is not enough memory to count these texts; are there segments that want splitting?")
}
