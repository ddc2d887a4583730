//! Batches of columns, their texts, and tables, as Python objects.

use crate::capsule::{Array, Field, Stream, export_array, export_stream, import_array};
use crate::columns::{ColumnTexts, Columns, References, Strings, codes, values, without_runs, wrong};
use crate::engine::{Engine, Input, keep};
use crate::errors::{InputError, InputTypeError};
use crate::numbers::{as_bytes, bytes_of, doubles};
use crate::watch::detached;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::sync::Arc;
use truebleu_core::batch::counted_references;
use truebleu_core::keys::combined;
use truebleu_core::lines::ends_in_detached_stop;
use truebleu_core::segments::add_rows;
use truebleu_core::threads::Threads;

/// Record batches that come one after the other.
#[pyclass(module = "truebleu._core")]
pub struct ColumnStream(Stream);

#[pymethods]
impl ColumnStream {
    /// The stream in a capsule.
    #[new]
    fn new(capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        Stream::import(capsule).map(Self)
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<ColumnBatch>> {
        self.0.next(py)?.as_ref().map(ColumnBatch::of).transpose()
    }

    /// A batch without rows, which has the columns of the others.
    fn empty(&self) -> PyResult<ColumnBatch> {
        ColumnBatch::of(&Array::empty(&self.0.field))
    }
}

/// Columns of one length.
#[pyclass(frozen, module = "truebleu._core")]
pub struct ColumnBatch {
    columns: Vec<Array>,
    metadata: Vec<u8>,
    rows: usize,
}

impl ColumnBatch {
    /// The columns of a record batch, which is a struct; any other column is by itself.
    fn of(array: &Array) -> PyResult<Self> {
        if array.field.format != "+s" {
            return Self::with(&Field::default(), vec![array.clone()], array.len);
        }
        if array.validity()?.is_some() {
            return Err(wrong(&array.field, "is a struct with nulls, expected a table"));
        }
        let column = |at| array.child(at)?.slice(array.offset, array.len);
        let columns = (0..array.field.children.len()).map(column).collect::<PyResult<_>>()?;
        Self::with(&array.field, columns, array.len)
    }

    fn with(field: &Field, columns: Vec<Array>, rows: usize) -> PyResult<Self> {
        Ok(Self { columns, metadata: field.metadata_of("truebleu").unwrap_or_default(), rows })
    }

    /// Columns made here.
    pub fn made(columns: Vec<Array>, rows: usize) -> Self {
        Self { columns, metadata: Vec::new(), rows }
    }

    fn find(&self, name: &str) -> PyResult<&Array> {
        let missing = || InputTypeError::new_err(format!("columns: there is no column {name:?}"));
        self.columns.iter().find(|column| column.field.name == name).ok_or_else(missing)
    }

    /// The column as one that can be read.
    fn plain(&self, name: &str) -> PyResult<Array> {
        without_runs(self.find(name)?)
    }
}

#[pymethods]
impl ColumnBatch {
    /// The batch in the two capsules of `__arrow_c_array__`.
    #[staticmethod]
    fn from_array(schema: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::of(&import_array(schema, array)?)
    }

    /// Batches of one column each, side by side under names.
    #[staticmethod]
    fn beside(names: Vec<String>, parts: Vec<PyRef<'_, ColumnBatch>>) -> PyResult<Self> {
        let named = |(name, part): (String, &PyRef<'_, ColumnBatch>)| {
            let only = part.columns.first().filter(|_| part.columns.len() == 1);
            let column =
                only.ok_or_else(|| InputTypeError::new_err(format!("columns: {name:?} is no single column")))?;
            Ok(column.named(&name))
        };
        let columns = names.into_iter().zip(&parts).map(named).collect::<PyResult<Vec<_>>>()?;
        let rows = columns.iter().map(|column| column.len).min().unwrap_or(0);
        Self::with(&Field::default(), columns, rows)
    }

    /// Some rows.
    fn slice(&self, from: usize, rows: usize) -> PyResult<Self> {
        let columns = self.columns.iter().map(|column| column.slice(from, rows)).collect::<PyResult<_>>()?;
        Ok(Self { columns, metadata: self.metadata.clone(), rows })
    }

    fn __len__(&self) -> usize {
        self.rows
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.field.name.clone()).collect()
    }

    /// Their types as the C interface writes them: of a dictionary and of runs that of their values, and one for all
    /// strings.
    #[getter]
    fn types(&self) -> Vec<String> {
        fn kind(field: &Field) -> String {
            match (&field.dictionary, &*field.format, field.children.get(1)) {
                (Some(values), ..) | (None, "+r", Some(values)) => kind(values),
                (None, "U" | "vu", _) => "u".to_owned(),
                (None, format, _) => format.to_owned(),
            }
        }
        self.columns.iter().map(|column| kind(&column.field)).collect()
    }

    /// What the schema's metadata say under the key `truebleu`.
    fn metadata<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        (!self.metadata.is_empty()).then(|| PyBytes::new(py, &self.metadata))
    }

    /// A column as it is.
    fn column(&self, name: &str) -> PyResult<Column> {
        Ok(Column(self.find(name)?.checked()?.clone()))
    }

    /// The values of a column, or of one row.
    #[pyo3(signature = (name, row=None))]
    fn values<'py>(&self, py: Python<'py>, name: &str, row: Option<usize>) -> PyResult<Bound<'py, PyList>> {
        let array = self.plain(name)?;
        if let Some(row) = row {
            return values(py, &array.slice(row, 1)?, None);
        }
        values(py, &array, None)
    }

    /// The number of each row's key, as the bytes of 32-bit numbers, and the values of each key, column by column.
    #[allow(clippy::type_complexity)]
    fn keys<'py>(&self, py: Python<'py>, by: Vec<String>) -> PyResult<(Bound<'py, PyBytes>, Vec<Bound<'py, PyList>>)> {
        let columns = by.iter().map(|name| self.plain(name)).collect::<PyResult<Vec<_>>>()?;
        let (found, firsts) = detached(py, || {
            let numbered = columns.iter().map(|column| Ok(codes(column)?.0)).collect::<PyResult<Vec<_>>>()?;
            Ok::<_, PyErr>(combined(&numbered, self.rows))
        })??;
        let keys = columns.iter().map(|column| values(py, column, Some(&firsts))).collect::<PyResult<_>>()?;
        Ok((bytes_of(py, &found, u32::to_ne_bytes)?, keys))
    }

    /// The texts of all rows, if they are strings.
    fn texts(&self, hypothesis: &str, references: Vec<String>, nulls: &str) -> PyResult<BatchTexts> {
        let load = |name: &String| Ok((name.clone(), References::of(&self.plain(name)?)?));
        let columns = Columns {
            hypothesis: (hypothesis.to_owned(), Strings::of(&self.plain(hypothesis)?)?),
            references: references.iter().map(load).collect::<PyResult<_>>()?,
            rows: self.rows,
        };
        Ok(BatchTexts::of(columns, nulls))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let _ = requested_schema; // what cannot be cast may be given as it is
        export_array(py, &record_batch(&self.columns, self.rows, Vec::new()))
    }
}

/// Columns as one struct.
fn record_batch(columns: &[Array], rows: usize, metadata: Vec<u8>) -> Array {
    let children = columns.iter().map(|column| Arc::clone(&column.field)).collect();
    let field = Field { metadata, flags: 0, ..Field::new("+s", "", children) };
    Array::new(field, rows, 0, vec![None], columns)
}

/// The texts of a batch, and which rows lack one.
#[pyclass(frozen, module = "truebleu._core")]
pub struct BatchTexts {
    columns: Arc<Columns>,
    chosen: Option<Arc<Vec<u32>>>,
    /// The first row that may not be counted: what is missing there, and where.
    #[pyo3(get)]
    problem: Option<(&'static str, String, usize)>,
}

impl BatchTexts {
    fn of(columns: Columns, nulls: &str) -> Self {
        if columns.lack_nothing() {
            return Self { columns: Arc::new(columns), chosen: None, problem: None };
        }
        let (mut problem, mut chosen) = (None, Vec::new());
        for row in 0..columns.rows {
            let is_null = nulls != "empty" && columns.hypothesis.1.get(row).is_none();
            // An error that ends the search as soon as there is a reference.
            let has_reference = || columns.references.iter().any(|(_, each)| each.each(row, |_| Err(())).is_err());
            let missing = match is_null {
                true => Some(("null", &columns.hypothesis.0)),
                false if !has_reference() => columns.references.first().map(|(name, _)| ("no reference", name)),
                false => None,
            };
            match missing {
                None => chosen.push(row as u32),
                Some((what, name)) if nulls != "skip" && problem.is_none() => {
                    problem = Some((what, name.clone(), row));
                }
                Some(_) => (),
            }
        }
        let chosen = (chosen.len() < columns.rows).then(|| Arc::new(chosen));
        Self { columns: Arc::new(columns), chosen, problem }
    }

    fn rows(&self) -> impl Iterator<Item = usize> {
        let chosen = self.chosen.clone();
        (0..self.counted()).map(move |at| chosen.as_ref().map_or(at, |chosen| chosen[at] as usize))
    }

    fn input(&self, engine: &Engine, keep_empty: bool) -> Input {
        Input::Columns(ColumnTexts {
            columns: Arc::clone(&self.columns),
            chosen: self.chosen.clone(),
            keep_empty,
            lowercase: engine.lowercase(),
        })
    }

    /// How many references of each row count.
    fn references(&self, keep_empty: bool) -> impl Iterator<Item = usize> {
        // A row that is counted has a reference, so that a single one need not be looked at.
        let is_one = matches!(&self.columns.references[..], [(_, References::One(_))]);
        let mut lengths = Vec::new();
        self.rows().map(move |row| {
            if is_one {
                return 1;
            }
            lengths.clear();
            for (_, references) in &self.columns.references {
                let Ok(()) = references.each(row, |bytes| {
                    lengths.push(bytes.len());
                    Ok::<(), std::convert::Infallible>(())
                });
            }
            counted_references(&lengths, keep_empty).count()
        })
    }
}

#[pymethods]
impl BatchTexts {
    /// How many rows are counted.
    #[getter]
    fn counted(&self) -> usize {
        self.chosen.as_ref().map_or(self.columns.rows, |chosen| chosen.len())
    }

    /// A byte for each row, 1 where it is skipped; nothing if none is.
    #[getter]
    fn skipped<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.chosen.as_ref().map(|chosen| {
            let mut flags = vec![1; self.columns.rows];
            chosen.iter().for_each(|&row| flags[row as usize] = 0);
            PyBytes::new(py, &flags)
        })
    }

    /// How many references of each counted row count, as the bytes of 32-bit numbers.
    fn refs<'py>(&self, py: Python<'py>, keep_empty: bool) -> PyResult<Bound<'py, PyBytes>> {
        let counts: Vec<i32> = self.references(keep_empty).map(|count| count as i32).collect();
        bytes_of(py, &counts, i32::to_ne_bytes)
    }

    /// The first row whose number of references does not divide `units`, and that number.
    fn odd(&self, keep_empty: bool, units: usize) -> Option<(usize, usize)> {
        self.rows().zip(self.references(keep_empty)).find(|(_, count)| !units.is_multiple_of(*count))
    }

    /// For each key: skipped rows, segments, detached full stops, the smallest and largest number of references; as the
    /// bytes of 64-bit numbers.
    fn facts<'py>(
        &self,
        py: Python<'py>,
        keep_empty: bool,
        codes: &[u8],
        groups: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut found = vec![[0, 0, 0, i64::from(i32::MAX), 0]; groups];
        codes_of(codes).for_each(|code| found[code][0] += 1);
        let codes = codes.as_chunks::<4>().0;
        for (row, count) in self.rows().zip(self.references(keep_empty)) {
            let [skipped, segments, stops, fewest, most] = &mut found[u32::from_ne_bytes(codes[row]) as usize];
            *segments += 1;
            *skipped -= 1;
            *fewest = (count as i64).min(*fewest);
            *most = (count as i64).max(*most);
            let text = self.columns.hypothesis.1.get(row).unwrap_or_default();
            *stops += i64::from(ends_in_detached_stop(text));
        }
        bytes_of(py, found.as_flattened(), i64::to_ne_bytes)
    }

    /// The sums of the rows of each key, whole numbers in the given units, as the bytes of 64-bit numbers.
    #[allow(clippy::too_many_arguments)]
    fn totals<'py>(
        &self,
        py: Python<'py>,
        engine: &Engine,
        keep_empty: bool,
        codes: &[u8],
        groups: usize,
        units: Vec<u32>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (input, metric, width) = (self.input(engine, keep_empty), engine.metric()?, checked_width(engine, &units)?);
        let (codes, mut rows): (Vec<usize>, _) = (codes_of(codes).collect(), self.rows());
        let (mut sums, mut overflows) = (vec![0_i64; groups * width], false);
        let mut add_row = |cells: &[f64], code: usize| {
            let sums = &mut sums[code * width..][..width];
            for ((sum, cell), unit) in sums.iter_mut().zip(cells).zip(&units) {
                let (total, overflow) = sum.overflowing_add(whole(*cell, *unit));
                (*sum, overflows) = (total, overflows | overflow);
            }
        };
        // Whole numbers are added as they are while the key is the same, which is exact for some hundred of them.
        let (all_whole, mut run) = (units.iter().all(|&unit| unit == 1), vec![0.0; width]);
        let mut add = |cells: &[f64]| {
            let mut last = None;
            for (cells, row) in cells.chunks_exact(width).zip(&mut rows) {
                if !all_whole {
                    add_row(cells, codes[row]);
                } else if last == Some(codes[row]) {
                    add_rows(&mut run, cells);
                } else {
                    last.iter().for_each(|&code| add_row(&run, code));
                    run.copy_from_slice(cells);
                    last = Some(codes[row]);
                }
            }
            last.iter().for_each(|&code| add_row(&run, code));
        };
        detached(py, || metric.rows(&input, &Threads::new(threads), &mut add))??;
        if overflows {
            return Err(InputError::new_err("columns: a total is more than an int64 holds"));
        }
        bytes_of(py, &sums, i64::to_ne_bytes)
    }

    /// The rows as columns of whole numbers in the given units, with nulls where a row is skipped.
    fn cells(
        &self,
        py: Python<'_>,
        engine: &Engine,
        keep_empty: bool,
        units: Vec<u32>,
        threads: usize,
    ) -> PyResult<Vec<Column>> {
        let (input, metric, width) = (self.input(engine, keep_empty), engine.metric()?, checked_width(engine, &units)?);
        let mut columns = vec![Vec::new(); width];
        let mut add = |cells: &[f64]| {
            for (at, (column, unit)) in columns.iter_mut().zip(&units).enumerate() {
                column.extend(cells[at..].iter().step_by(width).map(|&cell| whole(cell, *unit)));
            }
        };
        detached(py, || metric.rows(&input, &Threads::new(threads), &mut add))??;
        Ok(columns.iter().map(|column| self.spread("l", column, i64::to_ne_bytes)).collect())
    }

    /// The numbers of references as a column.
    fn refs_column(&self, keep_empty: bool) -> Column {
        let counts: Vec<i32> = self.references(keep_empty).map(|count| count as i32).collect();
        self.spread("i", &counts, i32::to_ne_bytes)
    }

    /// The score of each row, as a column with nulls where a row is skipped.
    fn scores(&self, py: Python<'_>, engine: &Engine, keep_empty: bool, threads: usize) -> PyResult<Column> {
        let (input, metric, mut scores) = (self.input(engine, keep_empty), engine.metric()?, Vec::new());
        detached(py, || metric.segment_scores(&input, &Threads::new(threads), &mut |found| keep(&mut scores, found)))??;
        Ok(self.spread("g", &scores, f64::to_ne_bytes))
    }

    /// The counted rows as doubles, for those who want rows and not columns.
    fn rows_bytes<'py>(
        &self,
        py: Python<'py>,
        engine: &Engine,
        keep_empty: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (input, metric, mut cells) = (self.input(engine, keep_empty), engine.metric()?, Vec::new());
        detached(py, || metric.rows(&input, &Threads::new(threads), &mut |found| keep(&mut cells, found)))??;
        as_bytes(py, &cells)
    }

    /// The counted texts as lists: hypotheses, and streams of references.
    fn lists<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyList>, Vec<Bound<'py, PyList>>)> {
        let rows: Vec<u32> = self.rows().map(|row| row as u32).collect();
        self.columns.lists(py, &rows)
    }

    /// Numbers that were counted elsewhere, as the bytes of doubles, as a column with nulls where a row is skipped.
    fn spread_doubles(&self, data: &[u8]) -> PyResult<Column> {
        let numbers = doubles(data);
        self.checked(numbers.len())?;
        Ok(self.spread("g", &numbers, f64::to_ne_bytes))
    }

    /// Rows that were counted elsewhere, as the bytes of doubles, as columns of whole numbers.
    fn spread_cells(&self, data: &[u8], units: Vec<u32>) -> PyResult<Vec<Column>> {
        let cells = doubles(data);
        self.checked(cells.len() / units.len().max(1))?;
        let column = |(at, unit): (usize, &u32)| {
            let column: Vec<i64> = cells[at..].iter().step_by(units.len()).map(|&cell| whole(cell, *unit)).collect();
            self.spread("l", &column, i64::to_ne_bytes)
        };
        Ok(units.iter().enumerate().map(column).collect())
    }
}

impl BatchTexts {
    fn checked(&self, found: usize) -> PyResult<()> {
        let expected = self.counted();
        let message = || InputError::new_err(format!("columns: {found} rows were counted, expected {expected}"));
        if found == expected { Ok(()) } else { Err(message()) }
    }

    /// A column with the numbers of the counted rows, and nulls in between.
    fn spread<T: Copy, const N: usize>(&self, format: &str, numbers: &[T], bytes: impl Fn(T) -> [u8; N]) -> Column {
        let len = self.columns.rows;
        let mut data = vec![0; N * len];
        let mut valid = self.chosen.as_ref().map(|_| vec![0; len.div_ceil(8)]);
        for (row, &number) in self.rows().zip(numbers) {
            data[N * row..][..N].copy_from_slice(&bytes(number));
            if let Some(bits) = &mut valid {
                bits[row / 8] |= 1 << (row % 8);
            }
        }
        let nulls = len - numbers.len().min(len);
        Column(Array::new(Field::new(format, "", Vec::new()), len, nulls, vec![valid, Some(data)], &[]))
    }
}

fn codes_of(bytes: &[u8]) -> impl Iterator<Item = usize> {
    bytes.as_chunks::<4>().0.iter().map(|code| u32::from_ne_bytes(*code) as usize)
}

/// The width of an engine's rows, if there is a unit for each cell.
fn checked_width(engine: &Engine, units: &[u32]) -> PyResult<usize> {
    let width = engine.formula().width();
    let message = || InputError::new_err(format!("columns: there are {} units, expected {width}", units.len()));
    if width == units.len() && width > 0 { Ok(width) } else { Err(message()) }
}

/// A cell as a whole number of units.
#[inline]
fn whole(cell: f64, unit: u32) -> i64 {
    if unit == 1 { cell as i64 } else { (cell * f64::from(unit)).round() as i64 }
}

/// A column of a batch.
#[pyclass(frozen, module = "truebleu._core")]
pub struct Column(Array);

#[pymethods]
impl Column {
    /// A column of Python values; `format` is the type as the C interface writes it, "+u" for lists of strings.
    #[staticmethod]
    fn of_values(format: &str, values: &Bound<'_, PyList>) -> PyResult<Self> {
        made(format, "", values).map(Self)
    }

    /// A column of numbers without nulls: "l" for 64-bit and "i" for 32-bit whole numbers, "g" for doubles.
    #[staticmethod]
    fn of_numbers(format: &str, data: &[u8]) -> Self {
        let len = data.len() / if format == "i" { 4 } else { 8 };
        Self(Array::new(Field::new(format, "", Vec::new()), len, 0, vec![None, Some(data.to_vec())], &[]))
    }

    /// The column alone in a batch.
    fn batch(&self) -> PyResult<ColumnBatch> {
        Ok(ColumnBatch::made(vec![self.0.clone()], self.0.len))
    }
}

/// A column made of Python values, with null for None.
fn made(format: &str, name: &str, values: &Bound<'_, PyList>) -> PyResult<Array> {
    let len = values.len();
    let (mut valid, mut nulls, mut data, mut texts) = (vec![0; len.div_ceil(8)], 0, Vec::new(), Vec::new());
    let (mut ends, mut children) = (0_i32.to_ne_bytes().to_vec(), Vec::new());
    for (row, value) in values.iter().enumerate() {
        if value.is_none() {
            nulls += 1;
        } else {
            valid[row / 8] |= 1 << (row % 8);
        }
        match format {
            "n" => (),
            "u" => {
                let text: Option<String> = value.extract()?;
                texts.extend_from_slice(text.unwrap_or_default().as_bytes());
                ends.extend(end_of(texts.len())?.to_ne_bytes());
            }
            "+u" => {
                let inner: Option<Vec<Option<String>>> = value.extract()?;
                children.extend(inner.unwrap_or_default());
                ends.extend(end_of(children.len())?.to_ne_bytes());
            }
            "b" => {
                data.resize(len.div_ceil(8), 0);
                data[row / 8] |= u8::from(value.extract::<Option<bool>>()? == Some(true)) << (row % 8);
            }
            "g" => data.extend(value.extract::<Option<f64>>()?.unwrap_or_default().to_ne_bytes()),
            _ => push_number(format, &value, &mut data)?,
        }
    }
    let valid = (nulls > 0).then_some(valid);
    let field = |format: &str| Field::new(format, name, Vec::new());
    Ok(match format {
        "n" => Array::new(field(format), len, len, Vec::new(), &[]),
        "u" => Array::new(field(format), len, nulls, vec![valid, Some(ends), Some(texts)], &[]),
        "+u" => {
            let child = made("u", "item", &PyList::new(values.py(), children)?)?;
            let field = Field::new("+l", name, vec![Arc::clone(&child.field)]);
            Array::new(field, len, nulls, vec![valid, Some(ends)], &[child])
        }
        _ => Array::new(field(format), len, nulls, vec![valid, Some(data)], &[]),
    })
}

fn end_of(length: usize) -> PyResult<i32> {
    i32::try_from(length).map_err(|_| InputError::new_err("columns: 2^31 bytes of text are too many for one column"))
}

fn push_number(format: &str, value: &Bound<'_, PyAny>, data: &mut Vec<u8>) -> PyResult<()> {
    macro_rules! push {
        ($type:ty) => {
            data.extend(value.extract::<Option<$type>>()?.unwrap_or_default().to_ne_bytes())
        };
    }
    match format {
        "c" => push!(i8),
        "C" => push!(u8),
        "s" => push!(i16),
        "S" => push!(u16),
        "i" | "tdD" => push!(i32),
        "I" => push!(u32),
        "l" | "tdm" => push!(i64),
        "L" => push!(u64),
        other => return Err(InputTypeError::new_err(format!("columns: no column of type {other:?} can be made"))),
    }
    Ok(())
}

/// A table of batches. Whatever takes Arrow data takes it: pyarrow, Polars, DuckDB, pandas.
#[pyclass(frozen, module = "truebleu._core")]
pub struct Table {
    field: Arc<Field>,
    batches: Vec<Array>,
    names: Vec<String>,
}

#[pymethods]
impl Table {
    /// A table of named columns, batch by batch; `metadata` is a text under the key `truebleu`.
    #[new]
    #[pyo3(signature = (names, batches, metadata=None))]
    fn new(names: Vec<String>, batches: Vec<Vec<PyRef<'_, Column>>>, metadata: Option<&str>) -> PyResult<Self> {
        let metadata = metadata.map_or_else(Vec::new, |text| Field::one_pair("truebleu", text));
        let mut arrays: Vec<Array> = Vec::new();
        for batch in &batches {
            let columns: Vec<Array> = names.iter().zip(batch).map(|(name, column)| column.0.named(name)).collect();
            let rows = columns.first().map_or(0, |column| column.len);
            let array = record_batch(&columns, rows, metadata.clone());
            let fits = batch.len() == names.len() && columns.iter().all(|column| column.len == rows);
            if !fits || arrays.first().is_some_and(|first| first.field != array.field) {
                return Err(InputTypeError::new_err("columns: the batches of a table have different columns"));
            }
            arrays.push(array);
        }
        let field =
            arrays.first().map_or_else(|| Arc::new(Field::new("+s", "", Vec::new())), |one| Arc::clone(&one.field));
        Ok(Self { field, batches: arrays, names })
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.names.clone()
    }

    /// How many rows there are.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batches.iter().map(|batch| batch.len).sum()
    }

    fn __len__(&self) -> usize {
        self.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("Table({} rows of {})", self.num_rows(), self.names.join(", "))
    }

    /// The values of all columns by name.
    fn to_pydict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        for (at, name) in self.names.iter().enumerate() {
            let column = PyList::empty(py);
            for batch in &self.batches {
                column.call_method1("extend", (values(py, &batch.child(at)?, None)?,))?;
            }
            found.set_item(name, column)?;
        }
        Ok(found)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = requested_schema; // what cannot be cast may be given as it is
        export_stream(py, Arc::clone(&self.field), self.batches.clone())
    }
}
