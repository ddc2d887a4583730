//! The exceptions of `truebleu.errors` that are raised on this side.

pyo3::import_exception!(truebleu.errors, InputTypeError);
pyo3::import_exception!(truebleu.errors, InvalidId);
pyo3::import_exception!(truebleu.errors, OptionError);
pyo3::import_exception!(truebleu.errors, SegmentWithoutReference);
pyo3::import_exception!(truebleu.errors, StatsMismatch);
