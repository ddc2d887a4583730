//! Numbers as bytes, in the order of this machine, and back: rows, scores and counts cross the border without an object
//! for each of them.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The numbers of a type whose bytes these are.
pub fn numbers<T, const SIZE: usize>(bytes: &[u8], number: fn([u8; SIZE]) -> T) -> Vec<T> {
    bytes.as_chunks().0.iter().map(|&bytes| number(bytes)).collect()
}

/// The doubles whose bytes these are.
pub fn doubles(bytes: &[u8]) -> Vec<f64> {
    numbers(bytes, f64::from_ne_bytes)
}

/// The bytes of numbers.
pub fn bytes_of<'py, T: Copy, const SIZE: usize>(
    py: Python<'py>,
    numbers: &[T],
    bytes: fn(T) -> [u8; SIZE],
) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, SIZE * numbers.len(), |written| {
        written.as_chunks_mut().0.iter_mut().zip(numbers).for_each(|(cell, &number)| *cell = bytes(number));
        Ok(())
    })
}

/// Doubles as bytes.
pub fn as_bytes<'py>(py: Python<'py>, cells: &[f64]) -> PyResult<Bound<'py, PyBytes>> {
    bytes_of(py, cells, f64::to_ne_bytes)
}
