//! Arrow columns as texts to be counted, as keys, and as values.
//!
//! Nothing here is unsafe, and nothing is believed: offsets, views and keys are checked once for each column, and text
//! is validated when it is decoded.

use crate::capsule::{Array, Buffer, Field, Plain};
use crate::errors::{InputTypeError, UndecodableText};
use crate::text::{Signals, Trouble, append_lowercased};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use std::fmt::Display;
use std::ops::Range;
use std::sync::Arc;
use truebleu_core::batch::Batch;
use truebleu_core::keys::numbered;
use truebleu_core::segments::Source;
use truebleu_core::utf8::Invalid;

pub fn wrong(field: &Field, message: &str) -> PyErr {
    InputTypeError::new_err(format!("columns: {:?} {message}", field.name))
}

/// Which rows are null.
pub struct Nulls {
    bits: Option<Buffer<u8>>,
    offset: usize,
}

impl Nulls {
    fn of(array: &Array) -> PyResult<Self> {
        Ok(Self { bits: array.validity()?, offset: array.offset })
    }

    #[inline]
    fn is_null(&self, row: usize) -> bool {
        self.bits.as_ref().is_some_and(|bits| {
            let at = self.offset + row;
            bits[at / 8] >> (at % 8) & 1 == 0
        })
    }
}

/// A column of strings.
pub struct Strings {
    nulls: Nulls,
    bytes: Bytes,
    len: usize,
}

/// Where the strings are.
enum Bytes {
    Nothing,
    Short(Buffer<i32>, Buffer<u8>),
    Long(Buffer<i64>, Buffer<u8>),
    Views(Buffer<[u8; 16]>, Vec<Buffer<u8>>),
    Keys(Vec<u32>, Box<Strings>),
}

/// The key of a row without one.
const NO_KEY: u32 = u32::MAX;

/// A view holds a short string itself.
const INLINE: usize = 12;

impl Strings {
    /// The column, if all its strings can be reached.
    pub fn of(array: &Array) -> PyResult<Self> {
        let (field, end) = (&*array.field, array.offset + array.len);
        if !is_text(field) {
            return Err(not_strings(field));
        }
        if field.format == "n" || array.len == 0 {
            return Ok(Self { nulls: Nulls { bits: None, offset: 0 }, bytes: Bytes::Nothing, len: array.len });
        }
        if field.dictionary.is_some() {
            let values = Self::of(&array.dictionary()?)?;
            let keys = checked_keys(array, values.len)?;
            return Ok(Self {
                nulls: Nulls { bits: None, offset: 0 },
                bytes: Bytes::Keys(keys, values.into()),
                len: array.len,
            });
        }
        let bytes = match &*field.format {
            "u" => {
                let offsets = array.buffer::<i32>(1, end + 1)?;
                let length = checked_end(field, &offsets[array.offset..], |at| at.into())?;
                Bytes::Short(offsets, array.buffer(2, length)?)
            }
            "U" => {
                let offsets = array.buffer::<i64>(1, end + 1)?;
                let length = checked_end(field, &offsets[array.offset..], |at| at)?;
                Bytes::Long(offsets, array.buffer(2, length)?)
            }
            _ => {
                let (views, buffers) = (array.buffer::<[u8; 16]>(1, end)?, view_buffers(array)?);
                let nulls = Nulls::of(array)?;
                let rows = views[array.offset..].iter().enumerate();
                if rows.filter(|(row, _)| !nulls.is_null(*row)).any(|(_, view)| viewed(view, &buffers).is_none()) {
                    return Err(wrong(field, "has a string view that leads out of its buffers"));
                }
                Bytes::Views(views, buffers)
            }
        };
        Ok(Self { nulls: Nulls::of(array)?, bytes, len: array.len })
    }

    /// True if it is plain that no row is null.
    fn lack_nothing(&self) -> bool {
        match &self.bytes {
            Bytes::Nothing => false,
            Bytes::Keys(keys, values) => !keys.contains(&NO_KEY) && values.lack_nothing(),
            _ => self.nulls.bits.is_none(),
        }
    }

    /// The bytes of a row that is there and not null.
    #[inline]
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        if self.nulls.is_null(row) {
            return None;
        }
        let at = self.nulls.offset + row; // offsets count from the beginning of the buffer
        match &self.bytes {
            Bytes::Nothing => None,
            Bytes::Short(offsets, data) => data.get(offsets[at] as usize..offsets[at + 1] as usize),
            Bytes::Long(offsets, data) => data.get(offsets[at] as usize..offsets[at + 1] as usize),
            Bytes::Views(views, buffers) => viewed(&views[at], buffers),
            Bytes::Keys(keys, values) => {
                keys.get(row).filter(|key| **key != NO_KEY).and_then(|key| values.get(*key as usize))
            }
        }
    }
}

fn not_strings(field: &Field) -> PyErr {
    let (kind, name) = (type_name(field), &field.name);
    let hint = match &*field.format {
        "+r" => "with pyarrow installed it is decoded by itself".to_owned(),
        _ => format!("cast it: table[{name:?}].cast('string') in pyarrow, CAST({name} AS VARCHAR) in SQL"),
    };
    wrong(field, &format!("has the type {kind}, expected strings; {hint}"))
}

/// The end of the last string, if offsets begin at 0 or later and none is smaller than the one before.
fn checked_end<T: Copy + PartialOrd>(field: &Field, offsets: &[T], wide: impl Fn(T) -> i64) -> PyResult<usize> {
    let is_rising = offsets.windows(2).fold(true, |rising, pair| rising & (pair[0] <= pair[1]));
    match (offsets.first(), offsets.last()) {
        (Some(&first), Some(&last)) if is_rising && wide(first) >= 0 => Ok(wide(last) as usize),
        _ => Err(wrong(field, "has offsets that fall or are negative")),
    }
}

/// The data of string views: all buffers after the views, whose lengths are in the last one.
fn view_buffers(array: &Array) -> PyResult<Vec<Buffer<u8>>> {
    let count =
        array.buffers().checked_sub(3).ok_or_else(|| wrong(&array.field, "lacks a buffer that its type has"))?;
    let lengths = array.buffer::<i64>(count + 2, count)?;
    let negative = |_| wrong(&array.field, "has a buffer of negative length");
    lengths.iter().enumerate().map(|(at, &length)| array.buffer(at + 2, length.try_into().map_err(negative)?)).collect()
}

/// The string that a view shows.
#[inline]
fn viewed<'a>(view: &'a [u8; 16], buffers: &'a [Buffer<u8>]) -> Option<&'a [u8]> {
    let number = |at: usize| i32::from_ne_bytes([view[at], view[at + 1], view[at + 2], view[at + 3]]);
    let length = usize::try_from(number(0)).ok()?;
    if length <= INLINE {
        return Some(&view[4..4 + length]);
    }
    let start = usize::try_from(number(12)).ok()?;
    buffers.get(usize::try_from(number(8)).ok()?)?.get(start..start.checked_add(length)?)
}

/// A column of runs as one of keys to their values; any other column as it is.
pub fn without_runs(array: &Array) -> PyResult<Array> {
    if array.field.format != "+r" {
        return Ok(array.clone());
    }
    let refused = |why: &str| wrong(&array.field, &format!("is run-end encoded and cannot be expanded: {why}"));
    let (ends, values) = (array.child(0)?, array.child(1)?);
    let ends = whole_numbers(&ends)?.ok_or_else(|| refused("its ends are no whole numbers"))?;
    if !ends.is_sorted_by(|one, next| one < next) || ends.first().is_some_and(|&first| first < 1) {
        return Err(refused("its ends do not grow"));
    }
    let last = (array.offset + array.len) as i128;
    if ends.len() > values.len || (array.len > 0 && ends.last().is_none_or(|&end| end < last)) {
        return Err(refused("it ends before its rows do"));
    }
    let mut keys = Vec::with_capacity(array.len);
    let first = ends.partition_point(|&end| end <= array.offset as i128);
    for (key, &end) in ends.iter().enumerate().skip(first) {
        let to = end.min(last) as usize - array.offset;
        keys.resize(to, i32::try_from(key).map_err(|_| refused("it has too many runs"))?);
    }
    keys.truncate(array.len);
    Ok(Array::of_keys(&array.field.name, &keys, &values))
}

/// The keys of a column, which all lie in the dictionary.
fn checked_keys(array: &Array, values: usize) -> PyResult<Vec<u32>> {
    fn read<T: Plain + TryInto<u32> + Display>(array: &Array, values: usize) -> PyResult<Vec<u32>> {
        let (keys, nulls) = (array.buffer::<T>(1, array.offset + array.len)?, Nulls::of(array)?);
        let key = |(row, &key): (usize, &T)| {
            if nulls.is_null(row) {
                return Ok(NO_KEY);
            }
            let inside = key.try_into().ok().filter(|&key: &u32| (key as usize) < values && key != NO_KEY);
            inside.ok_or_else(|| {
                wrong(&array.field, &format!("has the key {key} in row {row}, and its dictionary {values} values"))
            })
        };
        keys[array.offset.min(keys.len())..].iter().enumerate().map(key).collect()
    }
    match &*array.field.format {
        "c" => read::<i8>(array, values),
        "C" => read::<u8>(array, values),
        "s" => read::<i16>(array, values),
        "S" => read::<u16>(array, values),
        "i" => read::<i32>(array, values),
        "I" => read::<u32>(array, values),
        "l" => read::<i64>(array, values),
        "L" => read::<u64>(array, values),
        _ => Err(wrong(&array.field, "has a dictionary without whole keys")),
    }
}

/// The whole numbers of a column, whatever their width, or nothing if it has another type. Where a row is null, there
/// is any number.
fn whole_numbers(array: &Array) -> PyResult<Option<Vec<i128>>> {
    fn read<T: Plain>(array: &Array, wide: impl Fn(T) -> i128) -> PyResult<Option<Vec<i128>>> {
        let values = array.buffer::<T>(1, array.offset + array.len)?;
        Ok(Some(values[array.offset.min(values.len())..].iter().map(|&value| wide(value)).collect()))
    }
    match &*array.field.format {
        "c" => read::<i8>(array, i128::from),
        "C" => read::<u8>(array, i128::from),
        "s" => read::<i16>(array, i128::from),
        "S" => read::<u16>(array, i128::from),
        "i" | "tdD" => read::<i32>(array, i128::from),
        "I" => read::<u32>(array, i128::from),
        "l" | "tdm" => read::<i64>(array, i128::from),
        "L" => read::<u64>(array, i128::from),
        decimal
            if decimal.starts_with("d:") && decimal.split(',').nth(1) == Some("0") && !decimal.ends_with(",256") =>
        {
            if decimal.matches(',').count() > 1 && !decimal.ends_with(",128") {
                return Ok(None);
            }
            // Sixteen bytes; as bytes, for they need not lie where Rust wants such numbers.
            read::<[u8; 16]>(array, i128::from_ne_bytes)
        }
        _ => Ok(None),
    }
}

/// What people call a type.
fn type_name(field: &Field) -> String {
    let named = match &*field.format {
        "n" => "null",
        "b" => "bool",
        "c" | "C" | "s" | "S" | "i" | "I" | "l" | "L" => "integer",
        "e" | "f" | "g" => "floating point",
        "z" | "Z" | "vz" => "binary",
        "u" | "U" | "vu" => "string",
        "+l" | "+L" | "+vl" | "+vL" => "list",
        "+s" => "struct",
        "+m" => "map",
        "+r" => "run-end encoded",
        other if other.starts_with("+w") => "fixed-size list",
        other if other.starts_with("+u") => "union",
        other if other.starts_with('w') => "fixed-size binary",
        other if other.starts_with('d') => "decimal",
        other if other.starts_with('t') => "date or time",
        other => other,
    };
    let inner = || field.children.iter().map(|child| type_name(child)).collect::<Vec<_>>().join(", ");
    match (&field.dictionary, named) {
        (Some(values), _) => format!("dictionary of {}", type_name(values)),
        (None, "list" | "fixed-size list" | "struct") => format!("{named} of {}", inner()),
        _ => named.to_owned(),
    }
}

/// A column of references: one a row, or a list of them.
pub enum References {
    One(Strings),
    Many { nulls: Nulls, ranges: Ranges, strings: Strings },
}

/// Where the references of a row begin and end.
pub enum Ranges {
    Short(Buffer<i32>, usize),
    Long(Buffer<i64>, usize),
    Fixed(usize, usize),
    Listed(Vec<Range<usize>>),
}

impl References {
    /// The column, if all its strings can be reached.
    pub fn of(array: &Array) -> PyResult<Self> {
        let (field, start, end) = (&*array.field, array.offset, array.offset + array.len);
        let is_list =
            field.format.starts_with("+l") || field.format.starts_with("+L") || field.format.starts_with("+v");
        if field.dictionary.is_some() || !is_list && !field.format.starts_with("+w:") {
            return Strings::of(array).map(Self::One);
        }
        if !field.children.first().is_some_and(|child| is_text(child)) {
            return Err(not_strings(field));
        }
        if array.len == 0 {
            return Ok(Self::One(Strings { nulls: Nulls { bits: None, offset: 0 }, bytes: Bytes::Nothing, len: 0 }));
        }
        let (nulls, strings) = (Nulls::of(array)?, Strings::of(&array.child(0)?)?);
        let outside = || wrong(field, "has lists that lead out of their strings");
        let (ranges, last) = match &*field.format {
            "+l" => {
                let offsets = array.buffer::<i32>(1, end + 1)?;
                let last = checked_end(field, &offsets[start..], |at| at.into())?;
                (Ranges::Short(offsets, start), last)
            }
            "+L" => {
                let offsets = array.buffer::<i64>(1, end + 1)?;
                let last = checked_end(field, &offsets[start..], |at| at)?;
                (Ranges::Long(offsets, start), last)
            }
            "+vl" => {
                listed(array.buffer::<i32>(1, end)?, array.buffer::<i32>(2, end)?, &nulls, start).ok_or_else(outside)?
            }
            "+vL" => {
                listed(array.buffer::<i64>(1, end)?, array.buffer::<i64>(2, end)?, &nulls, start).ok_or_else(outside)?
            }
            fixed => {
                let size = fixed.strip_prefix("+w:").and_then(|size| size.parse::<usize>().ok()).ok_or_else(outside)?;
                (Ranges::Fixed(size, start), size.checked_mul(end).ok_or_else(outside)?)
            }
        };
        if last > strings.len {
            return Err(outside());
        }
        Ok(Self::Many { nulls, ranges, strings })
    }

    /// True if it is plain that each row has a reference.
    fn lack_nothing(&self, rows: usize) -> bool {
        match self {
            Self::One(strings) => strings.lack_nothing(),
            Self::Many { nulls, ranges, strings } => {
                nulls.bits.is_none() && strings.lack_nothing() && (0..rows).all(|row| !ranges.of(row).is_empty())
            }
        }
    }

    /// Hands on the references of a row, without nulls.
    #[inline]
    pub fn each<'a, E>(&'a self, row: usize, take: impl FnMut(&'a [u8]) -> Result<(), E>) -> Result<(), E> {
        match self {
            Self::One(strings) => strings.get(row).map_or(Ok(()), take),
            Self::Many { nulls, .. } if nulls.is_null(row) => Ok(()),
            Self::Many { ranges, strings, .. } => ranges.of(row).filter_map(|at| strings.get(at)).try_for_each(take),
        }
    }
}

fn is_text(field: &Field) -> bool {
    field.dictionary.as_ref().map_or(matches!(&*field.format, "n" | "u" | "U" | "vu"), |values| is_text(values))
}

/// The ranges of list views, and the end of the last; nothing if one is negative.
fn listed<T: Plain + TryInto<usize>>(
    starts: Buffer<T>,
    sizes: Buffer<T>,
    nulls: &Nulls,
    offset: usize,
) -> Option<(Ranges, usize)> {
    let mut last = 0;
    let pairs = starts[offset..].iter().zip(&sizes[offset..]).enumerate();
    let ranges: Option<Vec<_>> = pairs
        .map(|(row, (&start, &size))| {
            if nulls.is_null(row) {
                return Some(0..0);
            }
            let (start, size): (usize, usize) = (start.try_into().ok()?, size.try_into().ok()?);
            let end = start.checked_add(size)?;
            last = last.max(end);
            Some(start..end)
        })
        .collect();
    ranges.map(|ranges| (Ranges::Listed(ranges), last))
}

impl Ranges {
    #[inline]
    fn of(&self, row: usize) -> Range<usize> {
        match self {
            Self::Short(offsets, start) => offsets[start + row] as usize..offsets[start + row + 1] as usize,
            Self::Long(offsets, start) => offsets[start + row] as usize..offsets[start + row + 1] as usize,
            Self::Fixed(size, start) => (start + row) * size..(start + row + 1) * size,
            Self::Listed(ranges) => ranges[row].clone(),
        }
    }
}

/// Hypotheses and references of a batch of rows.
pub struct Columns {
    pub hypothesis: (String, Strings),
    pub references: Vec<(String, References)>,
    pub rows: usize,
}

impl Columns {
    /// True if it is plain that each row has a hypothesis and a reference; most tables are so.
    pub fn lack_nothing(&self) -> bool {
        let mut references = self.references.iter().map(|(_, references)| references);
        self.hypothesis.1.lack_nothing() && references.any(|references| references.lack_nothing(self.rows))
    }
}

/// The rows that are counted, as texts for an engine.
pub struct ColumnTexts {
    pub columns: Arc<Columns>,
    pub chosen: Option<Arc<Vec<u32>>>, // all rows, unless some are skipped
    pub keep_empty: bool,
    pub lowercase: bool,
}

/// Appends the small letters of a text, as Python writes them.
pub fn lowered(bytes: &[u8], wide: &mut Vec<u32>) -> PyResult<()> {
    Python::attach(|py| {
        let text = String::from_utf8_lossy(bytes);
        append_lowercased(wide, &PyString::new(py, &text))
    })
}

impl ColumnTexts {
    fn push(&self, batch: &mut Batch, name: &str, row: usize, bytes: &[u8]) -> PyResult<()> {
        let lower = |bytes: &[u8], wide: &mut Vec<u32>| lowered(bytes, wide).map_err(Trouble::Python);
        batch.push_utf8(bytes, self.lowercase, lower).map_err(|trouble| match trouble {
            Trouble::Python(error) => error,
            Trouble::Bytes(Invalid { at }) => {
                let message = format!("columns: {name:?} is not UTF-8 in row {row}");
                UndecodableText::new_err((message, name.to_owned(), row, at, bytes[at]))
            }
        })
    }
}

impl Source for ColumnTexts {
    type Error = PyErr;

    fn len(&self) -> usize {
        self.chosen.as_ref().map_or(self.columns.rows, |chosen| chosen.len())
    }

    fn load(&self, segments: Range<usize>, batch: &mut Batch) -> PyResult<()> {
        let (name, hypotheses) = &self.columns.hypothesis;
        for at in segments {
            let row = self.chosen.as_ref().map_or(at, |chosen| chosen[at] as usize);
            batch.begin_segment();
            self.push(batch, name, row, hypotheses.get(row).unwrap_or_default())?;
            for (name, references) in &self.columns.references {
                references.each(row, |bytes| self.push(batch, name, row, bytes))?;
            }
            batch.end_segment(self.keep_empty);
        }
        Ok(())
    }
}

/// The number of each row's value among the different values of a column, in order of appearance, and a row of each.
pub fn codes(array: &Array) -> PyResult<(Vec<u32>, Vec<usize>)> {
    if let Some(numbers) = plain_numbers(array)? {
        return Ok(numbered(numbers.into_iter()));
    }
    let strings = Strings::of(array)?;
    if let Bytes::Keys(keys, values) = &strings.bytes {
        // Equal values may have several keys, so keys are led to the first of their value.
        let (same, _) = numbered((0..values.len).map(|at| values.get(at)));
        let null =
            numbered((0..=values.len).map(|at| if at < values.len { values.get(at) } else { None })).0[values.len];
        return Ok(numbered(keys.iter().map(|&key| if key == NO_KEY { null } else { same[key as usize] })));
    }
    Ok(numbered((0..strings.len).map(|row| strings.get(row))))
}

/// Whole numbers and booleans, with nothing for null; or nothing if the column has another type.
fn plain_numbers(array: &Array) -> PyResult<Option<Vec<Option<i128>>>> {
    if is_text(&array.field) || array.len == 0 {
        return Ok(if is_text(&array.field) { None } else { Some(Vec::new()) });
    }
    if array.field.dictionary.is_some() {
        let Some(values) = plain_numbers(&array.dictionary()?)? else { return Ok(None) };
        let keys = checked_keys(array, values.len())?;
        return Ok(Some(keys.into_iter().map(|key| values.get(key as usize).copied().flatten()).collect()));
    }
    let numbers = match &*array.field.format {
        "b" => {
            let bits = array.buffer::<u8>(1, (array.offset + array.len).div_ceil(8))?;
            let bit = |at: usize| i128::from(bits[at / 8] >> (at % 8) & 1);
            Some((array.offset..array.offset + array.len).map(bit).collect())
        }
        _ => whole_numbers(array)?,
    };
    let Some(numbers) = numbers else { return Ok(None) };
    let nulls = Nulls::of(array)?;
    Ok(Some(numbers.into_iter().enumerate().map(|(row, number)| (!nulls.is_null(row)).then_some(number)).collect()))
}

/// The values of a column as Python objects: of dates, the days or the milliseconds.
pub fn values<'py>(py: Python<'py>, array: &Array, rows: Option<&[usize]>) -> PyResult<Bound<'py, PyList>> {
    let all: Vec<usize>;
    let rows = match rows {
        Some(rows) => rows,
        None => {
            all = (0..array.len).collect();
            &all
        }
    };
    let (list, mut signals) = (PyList::empty(py), Signals::new(py));
    if let Some(numbers) = plain_numbers(array)? {
        let is_bool = array.field.dictionary.as_ref().unwrap_or(&array.field).format == "b";
        for &row in rows {
            match numbers[row] {
                Some(number) if is_bool => list.append(number != 0)?,
                number => list.append(number)?,
            }
        }
    } else if array.field.dictionary.is_none() && array.field.format == "g" {
        let (numbers, nulls) = (array.buffer::<f64>(1, array.offset + array.len)?, Nulls::of(array)?);
        for &row in rows {
            list.append((!nulls.is_null(row)).then(|| numbers[array.offset + row]))?;
        }
    } else {
        let strings = Strings::of(array)?;
        for &row in rows {
            list.append(text_of(&mut signals, &array.field.name, row, strings.get(row))?)?;
        }
    }
    Ok(list)
}

/// A string of a column as Python has it.
fn text_of<'py>(
    signals: &mut Signals<'py>,
    name: &str,
    row: usize,
    bytes: Option<&[u8]>,
) -> PyResult<Bound<'py, PyAny>> {
    signals.next_text(bytes.map_or(0, <[u8]>::len))?;
    let py = signals.py();
    let Some(bytes) = bytes else { return Ok(py.None().into_bound(py)) };
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into_bound_py_any(py),
        Err(error) => {
            let (message, at) = (format!("columns: {name:?} is not UTF-8 in row {row}"), error.valid_up_to());
            Err(UndecodableText::new_err((message, name.to_owned(), row, at, bytes[at])))
        }
    }
}

impl Columns {
    /// The texts of some rows, as lists of Python strings: hypotheses, and streams of references filled up with None.
    pub fn lists<'py>(&self, py: Python<'py>, rows: &[u32]) -> PyResult<(Bound<'py, PyList>, Vec<Bound<'py, PyList>>)> {
        let (name, hypotheses) = &self.hypothesis;
        let (texts, mut streams) = (PyList::empty(py), Vec::<Bound<'py, PyList>>::new());
        let mut signals = Signals::new(py);
        for (at, &row) in rows.iter().enumerate() {
            let row = row as usize;
            texts.append(text_of(&mut signals, name, row, Some(hypotheses.get(row).unwrap_or_default()))?)?;
            let mut found = 0;
            for (name, references) in &self.references {
                references.each(row, |bytes| {
                    if found == streams.len() {
                        streams.push(PyList::new(py, (0..at).map(|_| py.None()))?);
                    }
                    found += 1;
                    streams[found - 1].append(text_of(&mut signals, name, row, Some(bytes))?)
                })?;
            }
            streams[found..].iter().try_for_each(|stream| stream.append(py.None()))?;
        }
        Ok((texts, streams))
    }
}
