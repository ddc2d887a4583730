//! Blocks of JSON lines as columns.

use crate::capsule::{Array, Field};
use crate::errors::InputTypeError;
use crate::table::ColumnBatch;
use crate::watch::detached;
use pyo3::prelude::*;
use std::sync::Arc;
use truebleu_core::records::{Fields, Kind, Values};

/// A reader of JSON lines whose records are alike.
#[pyclass(frozen, module = "truebleu._core")]
pub struct RecordReader {
    fields: Fields,
    /// The names of the columns, each with the number of its field.
    columns: Vec<(String, usize)>,
}

#[pymethods]
impl RecordReader {
    /// A reader of columns, each with the names on the way to its field, and its type as the C interface writes it.
    #[new]
    fn new(columns: Vec<(String, Vec<String>, String)>) -> PyResult<Self> {
        let (mut fields, mut names) = (Vec::<(Vec<String>, Kind)>::new(), Vec::new());
        for (name, way, format) in columns {
            let kind = match &*format {
                "u" => Kind::Text,
                "+l" => Kind::Texts,
                "l" => Kind::Whole,
                "b" => Kind::Truth,
                other => return Err(InputTypeError::new_err(format!("records: no column is of type {other:?}"))),
            };
            let known = fields.iter().position(|(other, _)| *other == way);
            names.push((name, known.unwrap_or(fields.len())));
            if known.is_none() {
                fields.push((way, kind));
            }
        }
        Ok(Self { fields: Fields::new(&fields), columns: names })
    }

    /// The columns of a block of so many lines; nothing where a record is not as expected.
    fn read(&self, py: Python<'_>, block: &[u8], lines: usize) -> PyResult<Option<ColumnBatch>> {
        let Some(values) = detached(py, || self.fields.read(block, lines))? else { return Ok(None) };
        let arrays: Vec<Array> = values.into_iter().map(array_of).collect();
        let columns = self.columns.iter().map(|(name, at)| arrays[*at].named(name)).collect();
        Ok(Some(ColumnBatch::made(columns, lines)))
    }
}

fn array_of(values: Values) -> Array {
    let (len, field) = (values.rows(), |format: &str| Field::new(format, "item", Vec::new()));
    match values.kind {
        Kind::Text => texts_of(values),
        Kind::Texts => {
            let ends = bytes_of(&values.lists, |end| end.to_ne_bytes());
            let child = texts_of(values);
            Array::new(
                Field::new("+l", "item", vec![Arc::clone(&child.field)]),
                len,
                0,
                vec![None, Some(ends)],
                &[child],
            )
        }
        Kind::Whole => {
            let numbers = bytes_of(&values.numbers, |number| number.to_ne_bytes());
            Array::new(field("l"), len, 0, vec![None, Some(numbers)], &[])
        }
        Kind::Truth => {
            let byte = |some: &[i64]| some.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit != 0));
            let bits = values.numbers.chunks(8).map(byte).collect();
            Array::new(field("b"), len, 0, vec![None, Some(bits)], &[])
        }
    }
}

fn texts_of(values: Values) -> Array {
    let len = values.ends.len() - 1;
    let ends = bytes_of(&values.ends, |end| end.to_ne_bytes());
    let field = Field::new("u", "item", Vec::new());
    Array::new(field, len, 0, vec![None, Some(ends), Some(values.bytes)], &[])
}

fn bytes_of<T: Copy, const N: usize>(numbers: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    numbers.iter().flat_map(|&number| bytes(number)).collect()
}
