//! Python strings to code points, and checked Python sequences to segments. Strings are read where Python keeps them,
//! which is unsafe code; the rest of it is in `capsule.rs` and `engine.rs`.

use crate::errors::{FROM_0, InputTypeError, OptionError, SegmentWithoutReference, memory_error};
use crate::watch::detached;
use pyo3::exceptions::PyOverflowError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyCFunction, PyList, PyString, PyTuple};
use std::convert::Infallible;
use std::ops::Range;
use truebleu_core::batch::{Batch, MOST_CHARACTERS, Unfit, counted_references};
use truebleu_core::cuts::packed_cuts;
use truebleu_core::features::is_unspaced;
use truebleu_core::halt;
use truebleu_core::prepare::tercom::Tercom;
use truebleu_core::prepare::transcript::Transcript;
use truebleu_core::prepare::{Prepared, Reach, Stemmer, Tokenizer, Tokens};
use truebleu_core::segments::Source;
use truebleu_core::text::Text;
use truebleu_core::threads::Threads;
use truebleu_core::unicode::{is_space, lowercase_narrow};
use truebleu_core::utf8::Invalid;

/// A list or a tuple. It is not copied: whoever changes a list while it is being scored gets the score of some texts or
/// others, or an error, and no more can go wrong, because every access is checked under the interpreter's lock.
#[derive(FromPyObject)]
pub enum Sequence<'py> {
    Tuple(Bound<'py, PyTuple>),
    List(Bound<'py, PyList>),
}

impl<'py> Sequence<'py> {
    /// The number of entries.
    pub fn len(&self) -> usize {
        match self {
            Self::Tuple(tuple) => tuple.len(),
            Self::List(list) => list.len(),
        }
    }

    /// The entry at an index.
    pub fn get(&self, index: usize) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Tuple(tuple) => tuple.get_item(index),
            Self::List(list) => list.get_item(index),
        }
        .map_err(|_| {
            let length = self.len();
            InputTypeError::new_err(format!(
                "a list of texts was changed while it was being scored: it has {length} entries, expected more than \
                 {index}. Do not change it in another thread, or give a copy"
            ))
        })
    }

    /// Asks the processor to bring the text at `index` near, if there is one. Texts lie anywhere in memory, and waiting
    /// for each when its turn comes takes longer than copying it.
    #[inline]
    pub fn prefetch(&self, index: usize) {
        if index < self.len() {
            // SAFETY: the index is inside the sequence; the pointer is not followed.
            let text = unsafe {
                match self {
                    Self::Tuple(tuple) => ffi::PyTuple_GetItem(tuple.as_ptr(), index as ffi::Py_ssize_t),
                    Self::List(list) => ffi::PyList_GetItem(list.as_ptr(), index as ffi::Py_ssize_t),
                }
            };
            prefetch_lines(text.cast_const().cast());
        }
    }

    fn unbind(self) -> Py<PyAny> {
        match self {
            Self::Tuple(tuple) => tuple.into_any().unbind(),
            Self::List(list) => list.into_any().unbind(),
        }
    }
}

/// How many texts ahead to prefetch: enough to hide the way to memory, and few enough not to be driven out again.
pub const AHEAD: usize = 8;

/// Prefetches the start of an object: its head and, of most sentences, all characters.
#[inline]
pub fn prefetch_lines(object: *const i8) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..3 {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: prefetching is a hint; it reads nothing and cannot fault, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(object.wrapping_add(64 * line)) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = object;
}

/// Hypotheses and reference streams that [`inspect`] has approved.
pub struct Texts {
    hypotheses: Py<PyAny>,
    streams: Vec<Py<PyAny>>,
    segments: usize,
    keep_empty: bool,
    lowercase: bool,
}

impl Texts {
    /// Holds on to the texts.
    pub fn new(hypotheses: Sequence<'_>, streams: Vec<Sequence<'_>>, keep_empty: bool, lowercase: bool) -> Self {
        Self {
            segments: hypotheses.len(),
            hypotheses: hypotheses.unbind(),
            streams: streams.into_iter().map(Sequence::unbind).collect(),
            keep_empty,
            lowercase,
        }
    }

    /// Texts without references.
    pub fn flat(texts: Sequence<'_>, lowercase: bool) -> Self {
        Self::new(texts, Vec::new(), true, lowercase)
    }

    fn push(&self, batch: &mut Batch, text: &Bound<'_, PyAny>) -> PyResult<()> {
        push_text(batch, as_string(text).ok_or_else(|| changed(text))?, self.lowercase)
    }
}

impl Source for Texts {
    type Error = PyErr;

    fn len(&self) -> usize {
        self.segments
    }

    fn load(&self, segments: Range<usize>, batch: &mut Batch) -> PyResult<()> {
        Python::attach(|py| {
            let hypotheses: Sequence<'_> = self.hypotheses.extract(py)?;
            let streams =
                self.streams.iter().map(|stream| stream.extract(py)).collect::<PyResult<Vec<Sequence<'_>>>>()?;
            for at in segments {
                hypotheses.prefetch(at + AHEAD);
                streams.iter().for_each(|stream| stream.prefetch(at + AHEAD));
                batch.begin_segment();
                self.push(batch, &hypotheses.get(at)?)?;
                for stream in &streams {
                    let reference = stream.get(at)?;
                    if !reference.is_none() {
                        self.push(batch, &reference)?;
                    }
                }
                batch.end_segment(self.keep_empty);
            }
            Ok(())
        })
    }
}

/// Adds a text to a batch, lower-cased if asked.
#[inline]
pub fn push_text(batch: &mut Batch, text: &Bound<'_, PyString>, lowercase: bool) -> PyResult<()> {
    match ascii(text) {
        Some(bytes) if bytes.len() <= PIECE => {
            batch.push_ascii(bytes, lowercase);
            Ok(())
        }
        _ => batch.push_text(|buffer| append(buffer, text, lowercase)),
    }
}

/// The characters of a text where Python keeps them, if all are ASCII. Of such a text `PyUnicode_AsUTF8AndSize` gives
/// its own bytes and leaves no copy behind; of others it must not be asked.
#[inline]
pub fn ascii<'a>(text: &'a Bound<'_, PyString>) -> Option<&'a [u8]> {
    static IS_ASCII: PyOnceLock<Option<ffi::PyCFunction>> = PyOnceLock::new();
    let is_ascii = (*IS_ASCII.get_or_init(text.py(), || ascii_test(text.py())))?;
    let mut length = 0;
    // SAFETY: `text` is a str, and the function is the one behind `str.isascii`, which takes nothing else and returns a
    // new reference, or null with an exception set. The bytes are those of the text, which lives as long as they do and
    // never changes.
    unsafe {
        let answer = Bound::from_owned_ptr_or_opt(text.py(), is_ascii(text.as_ptr(), std::ptr::null_mut()));
        let Some(answer) = answer else {
            drop(PyErr::take(text.py()));
            return None;
        };
        if !answer.is(PyBool::new(text.py(), true)) {
            return None;
        }
        let bytes = ffi::PyUnicode_AsUTF8AndSize(text.as_ptr(), &raw mut length);
        (!bytes.is_null()).then(|| std::slice::from_raw_parts(bytes.cast(), length as usize))
    }
}

/// The C function behind `str.isascii`: the stable ABI has no other way to ask, and to call the method takes as long as
/// to copy the text.
fn ascii_test(py: Python<'_>) -> Option<ffi::PyCFunction> {
    let method = PyString::new(py, "").getattr("isascii").ok()?.cast_into::<PyCFunction>().ok()?;
    // SAFETY: `method` is a function of C.
    unsafe {
        let takes_nothing = ffi::PyCFunction_GetFlags(method.as_ptr()) == ffi::METH_NOARGS;
        takes_nothing.then(|| ffi::PyCFunction_GetFunction(method.as_ptr()))?
    }
}

/// The string that an object is. To compare its type is faster than to ask Python, which is left for subclasses.
#[inline]
pub fn as_string<'a, 'py>(text: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PyString>> {
    text.cast_exact::<PyString>().or_else(|_| text.cast::<PyString>()).ok()
}

pub fn changed(text: &Bound<'_, PyAny>) -> PyErr {
    InputTypeError::new_err(format!(
        "a list of texts was changed while it was being scored: a text became {}. \
         Do not change it in another thread, or give a copy",
        kind_of(text)
    ))
}

/// Appends the code points of a Python string, lower-cased by Python if asked; a long one piece by piece.
fn append(buffer: &mut Vec<u32>, text: &Bound<'_, PyString>, lowercase: bool) -> PyResult<()> {
    if !lowercase {
        return append_code_points(buffer, text);
    }
    let length = length(text);
    if length <= PIECE {
        return append_in_small_letters(buffer, text);
    }
    append_long_in_small_letters(buffer, text, length)
}

#[cold]
#[inline(never)]
fn append_long_in_small_letters(buffer: &mut Vec<u32>, text: &Bound<'_, PyString>, length: usize) -> PyResult<()> {
    buffer.try_reserve(length).map_err(|_| memory_error())?;
    let mut start = 0;
    while start < length {
        let end = end_of_words(text, start, length);
        append_in_small_letters(buffer, &part(text, start, end)?)?;
        hear(text.py())?;
        start = end;
    }
    Ok(())
}

/// Appends a text in small letters.
pub fn append_in_small_letters(buffer: &mut Vec<u32>, text: &Bound<'_, PyString>) -> PyResult<()> {
    let start = buffer.len();
    append_code_points(buffer, text)?;
    if !lowercase_narrow(&mut buffer[start..]) {
        buffer.truncate(start);
        append_lowercased(buffer, text)?;
    }
    Ok(())
}

/// Where a piece of a text ends: after a space, because the small letter of a sigma depends on the letters around it.
fn end_of_words(text: &Bound<'_, PyString>, start: usize, length: usize) -> usize {
    if length - start <= PIECE {
        return length;
    }
    let [first, last] = [start, start + PIECE].map(|at| at as ffi::Py_ssize_t);
    // SAFETY: `text` is a str, and both places are inside it.
    let space = unsafe { ffi::PyUnicode_FindChar(text.as_ptr(), u32::from(b' '), first, last, -1) };
    usize::try_from(space).map_or(length, |space| space + 1)
}

/// Hears signals, which the main thread does: another one lets it have the interpreter's lock for that, and ends its
/// work if nobody wants it any more.
fn hear(py: Python<'_>) -> PyResult<()> {
    py.check_signals()?;
    py.detach(halt::look);
    Ok(())
}

/// Appends the small letters of a text, as this interpreter knows them.
pub fn append_lowercased(buffer: &mut Vec<u32>, text: &Bound<'_, PyString>) -> PyResult<()> {
    append_code_points(buffer, text.call_method0("lower")?.cast::<PyString>()?)
}

/// What is said of a text whose characters cannot be numbered.
#[cold]
pub fn too_long(characters: usize) -> PyErr {
    PyOverflowError::new_err(format!("a segment has {characters} characters; 2^32 are too many"))
}

/// Why a text of bytes could not be added: the bytes, or what Python says of it.
pub enum Trouble {
    Bytes(Invalid),
    Python(PyErr),
}

impl From<Unfit> for Trouble {
    fn from(unfit: Unfit) -> Self {
        match unfit {
            Unfit::Bytes(invalid) => Self::Bytes(invalid),
            Unfit::TooLong(characters) => Self::Python(too_long(characters)),
        }
    }
}

/// Appends the code points of a text, a long one piece by piece. Signals are heard between the pieces.
pub fn append_code_points(buffer: &mut Vec<u32>, text: &Bound<'_, PyString>) -> PyResult<()> {
    let length = length(text);
    if length > MOST_CHARACTERS {
        return Err(too_long(length));
    }
    buffer.try_reserve(length).map_err(|_| memory_error())?;
    if length <= PIECE { append_piece(buffer, text, length) } else { append_pieces(buffer, text, length) }
}

#[cold]
#[inline(never)]
fn append_pieces(buffer: &mut Vec<u32>, text: &Bound<'_, PyString>, length: usize) -> PyResult<()> {
    for start in (0..length).step_by(PIECE) {
        let end = length.min(start + PIECE);
        append_piece(buffer, &part(text, start, end)?, end - start)?;
        hear(text.py())?;
    }
    Ok(())
}

/// The characters from `start` up to, not including, `end`.
fn part<'py>(text: &Bound<'py, PyString>, start: usize, end: usize) -> PyResult<Bound<'py, PyString>> {
    // SAFETY: `text` is a str; Python returns a new str, or null with an exception set.
    unsafe {
        let part = ffi::PyUnicode_Substring(text.as_ptr(), start as ffi::Py_ssize_t, end as ffi::Py_ssize_t);
        Ok(Bound::from_owned_ptr_or_err(text.py(), part)?.cast_into_unchecked())
    }
}

/// Unsafe code is found in this file and in `capsule.rs`: here calls of Python's C interface, and prefetching.
/// Of text beyond ASCII, `PyUnicode_AsUCS4` is what the stable ABI offers that neither fails on lone surrogates nor
/// leaves a UTF-8 copy behind in the string object, as `PyUnicode_AsUTF8AndSize` does.
#[inline]
fn append_piece(buffer: &mut Vec<u32>, text: &Bound<'_, PyString>, length: usize) -> PyResult<()> {
    let start = buffer.len();
    // SAFETY: `text` is a str of that length; the buffer has room for as many more code points, no terminating zero is
    // asked for, and the length is set only after Python has written all of them.
    unsafe {
        let end = buffer.as_mut_ptr().add(start);
        if ffi::PyUnicode_AsUCS4(text.as_ptr(), end, length as ffi::Py_ssize_t, 0).is_null() {
            return Err(PyErr::fetch(text.py()));
        }
        buffer.set_len(start + length);
    }
    Ok(())
}

/// The number of code points.
pub fn length(text: &Bound<'_, PyString>) -> usize {
    // SAFETY: `text` is a str, and then this call cannot fail.
    unsafe { ffi::PyUnicode_GetLength(text.as_ptr()) as usize }
}

/// Whether two objects are the same or equal, as keys of a dict are: in half the time of a comparison that returns an
/// object.
pub fn same_or_equal(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<bool> {
    // SAFETY: both are live objects, and the interpreter's lock is held, as their type shows.
    match unsafe { ffi::PyObject_RichCompareBool(a.as_ptr(), b.as_ptr(), ffi::Py_EQ) } {
        -1 => Err(PyErr::fetch(a.py())),
        equal => Ok(equal == 1),
    }
}

/// Hears signals while texts are gone through under the interpreter's lock.
pub struct Signals<'py> {
    py: Python<'py>,
    left: usize,
}

/// Signals are heard whenever so many characters have been read: some milliseconds, or tens of them at the most.
const HEARING: usize = 1 << 20;

/// What a text costs, in characters, however short it is.
const TEXT: usize = 16;

/// Longer texts are copied in pieces of so many characters.
const PIECE: usize = 1 << 22;

/// Longer texts are read without the interpreter's lock, so that signals are heard in their midst too.
pub const LONG: usize = 1 << 20;

impl<'py> Signals<'py> {
    pub fn new(py: Python<'py>) -> Self {
        Self { py, left: HEARING }
    }

    /// The interpreter, whose lock is held.
    pub fn py(&self) -> Python<'py> {
        self.py
    }

    /// Says that a text of so many characters comes next.
    #[inline]
    pub fn next_text(&mut self, characters: usize) -> PyResult<()> {
        match self.left.checked_sub(TEXT + characters) {
            Some(left) => self.left = left,
            None => {
                self.left = HEARING;
                self.py.check_signals()?;
            }
        }
        Ok(())
    }

    /// Does some work on one text.
    pub fn on_text<T: Send>(&mut self, text: &[u32], work: impl FnOnce(&[u32]) -> T + Send) -> PyResult<T> {
        self.next_text(text.len())?;
        if text.len() < LONG { Ok(work(text)) } else { detached(self.py, || work(text)) }
    }
}

/// What `inspect` learns of a corpus that is in order.
type Facts = (usize, usize, usize, bool);

/// Checks every text of a corpus. Returns the smallest and largest number of references a segment has, how many
/// hypotheses end in a space and a full stop, and whether references seem to have no spaces between words. For the last
/// one the segments 0, 1, 2, 4, 8 and so on are looked at, so that it costs a corpus next to nothing.
#[pyfunction]
pub fn inspect(
    py: Python<'_>,
    name: &str,
    hypotheses: Sequence<'_>,
    streams: Vec<Sequence<'_>>,
    keep_empty: bool,
) -> PyResult<Facts> {
    let (mut fewest, mut most, mut tokenized, mut unspaced, mut lengths) = (usize::MAX, 0, 0, false, Vec::new());
    let mut signals = Signals::new(py);
    for at in 0..hypotheses.len() {
        signals.next_text(TEXT * streams.len())?;
        hypotheses.prefetch(at + AHEAD);
        streams.iter().for_each(|stream| stream.prefetch(at + AHEAD));
        tokenized += usize::from(ends_in_detached_stop(name, &hypotheses.get(at)?, at)?);
        lengths.clear();
        for (stream, texts) in streams.iter().enumerate() {
            let text = texts.get(at)?;
            if !text.is_none() {
                let misfit = || wrong_type(name, &format!("reference stream {stream}"), at, &kind_of(&text));
                let text = as_string(&text).ok_or_else(misfit)?;
                lengths.push(length(text));
                unspaced |= at & at.wrapping_sub(1) == 0 && seems_unspaced(text);
            }
        }
        let references = counted_references(&lengths, keep_empty).count();
        if references == 0 {
            return Err(SegmentWithoutReference::new_err(format!(
                "{name}: segment {at} has no reference: its entry is None in every stream. \
                 Each segment needs at least one; leave the segment out or give it a reference. {FROM_0}"
            )));
        }
        fewest = fewest.min(references);
        most = most.max(references);
    }
    Ok((fewest, most, tokenized, unspaced))
}

/// Whether one of eight characters, at equal distances, is a letter of a script without spaces between words.
pub fn seems_unspaced(text: &Bound<'_, PyString>) -> bool {
    let length = length(text);
    // SAFETY: `text` is a str and all indices are inside it.
    let character = |at: usize| unsafe { ffi::PyUnicode_ReadChar(text.as_ptr(), at as ffi::Py_ssize_t) };
    (0..length).step_by(length.div_ceil(8).max(1)).any(|at| is_unspaced(character(at)))
}

fn ends_in_detached_stop(name: &str, text: &Bound<'_, PyAny>, at: usize) -> PyResult<bool> {
    let Some(text) = as_string(text) else {
        return Err(wrong_type(name, "hypotheses", at, &kind_of(text)));
    };
    let length = length(text);
    // SAFETY: `text` is a str and both indices are inside it.
    let character = |back: usize| unsafe { ffi::PyUnicode_ReadChar(text.as_ptr(), (length - back) as ffi::Py_ssize_t) };
    Ok(length >= 2 && character(1) == u32::from(b'.') && character(2) == u32::from(b' '))
}

fn wrong_type(name: &str, place: &str, at: usize, kind: &str) -> PyErr {
    let none = if kind == "None" { " (a line of the file may be missing)" } else { "" };
    InputTypeError::new_err(format!("{name}: {place}, segment {at}: expected a string, got {kind}{none}. {FROM_0}"))
}

fn kind_of(value: &Bound<'_, PyAny>) -> String {
    if value.is_none() {
        return "None".to_owned();
    }
    value.get_type().name().map_or_else(|_| "another object".to_owned(), |name| name.to_string())
}

/// The tokens of a line, joined by single spaces; their stems, if asked.
#[pyfunction]
#[pyo3(signature = (name, line, stem = false))]
pub fn tokenize<'py>(name: &str, line: &Bound<'py, PyString>, stem: bool) -> PyResult<Bound<'py, PyAny>> {
    let (tokenizer, mut stemmer, mut text) = (tokenizer_from(name)?, Stemmer::default(), Vec::new());
    append_code_points(&mut text, line)?;
    let found = Signals::new(line.py()).on_text(&text, |text| {
        let mut memory = Tokens::default();
        let tokens = memory.tokenize(tokenizer, text);
        if stem { stemmer.stems(tokens) } else { tokens }.joined()
    })?;
    as_python(line.py(), &found)
}

/// How many segments have references with letters or digits but none with a token of `rouge`, and the first of them;
/// then how many letters the references have, and how many of those are in no token.
#[pyfunction]
pub fn rouge_reach(py: Python<'_>, streams: Vec<Sequence<'_>>) -> PyResult<(usize, Option<usize>, usize, usize)> {
    let (mut missed, mut first, mut letters, mut dropped, mut text) = (0, None, 0, 0, Vec::new());
    let mut signals = Signals::new(py);
    for at in 0..streams.first().map_or(0, Sequence::len) {
        let (mut has_token, mut has_content) = (false, false);
        for stream in &streams {
            let reference = stream.get(at)?;
            if reference.is_none() {
                continue;
            }
            text.clear();
            append_code_points(&mut text, as_string(&reference).ok_or_else(|| changed(&reference))?)?;
            let reach = signals.on_text(&text, Reach::of)?;
            (letters, dropped) = (letters + reach.letters, dropped + reach.dropped);
            (has_token, has_content) = (has_token | reach.has_token, has_content | reach.has_content);
        }
        if has_content && !has_token {
            missed += 1;
            first = first.or(Some(at));
        }
    }
    Ok((missed, first, letters, dropped))
}

/// The words of a line for TER, joined by single spaces. Lower-casing is the caller's.
#[pyfunction]
pub fn ter_tokenize<'py>(
    line: &Bound<'py, PyString>,
    normalized: bool,
    no_punct: bool,
    asian_support: bool,
    passes: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let tercom = Tercom { normalized, no_punct, asian_support };
    joined(line, |tokens, text| tercom.words(tokens, Text::Wide(text), passes))
}

/// For each text, where its tokens end inside its words, in few bytes (`study/page/cuts.py` says how); None where the
/// tokens are not pieces of the text, letter for letter.
#[pyfunction]
pub fn cuts<'py>(
    py: Python<'py>,
    texts: Sequence<'py>,
    tokenizer: &str,
    threads: usize,
) -> PyResult<Vec<Option<Bound<'py, PyBytes>>>> {
    let tokenizer = tokenizer_from(tokenizer)?;
    let (mut joined, mut ends) = (Vec::new(), Vec::with_capacity(texts.len()));
    let mut signals = Signals::new(py);
    for at in 0..texts.len() {
        let string = texts.get(at)?;
        append_code_points(&mut joined, as_string(&string).ok_or_else(|| changed(&string))?)?;
        signals.next_text(joined.len() - ends.last().copied().unwrap_or(0))?;
        ends.push(joined.len());
    }
    let found = detached(py, || all_cuts(&joined, &ends, tokenizer, &Threads::new(threads)))?;
    Ok(found.into_iter().map(|packed| packed.map(|bytes| PyBytes::new(py, &bytes))).collect())
}

/// The cuts of texts that follow each other; `ends` tells where each of them ends.
fn all_cuts(joined: &[u32], ends: &[usize], tokenizer: Tokenizer, threads: &Threads) -> Vec<Option<Vec<u8>>> {
    let start = |at: usize| if at > 0 { ends[at - 1] } else { 0 };
    let worker = || {
        let mut tokens = Tokens::default();
        move |part: usize| {
            let places = part * PART..ends.len().min((part + 1) * PART);
            let cuts = places.map(|at| {
                let text = &joined[start(at)..ends[at]];
                halt::spend(text.len() / 4);
                packed_cuts(text, &tokens.tokenize(tokenizer, without_end(text)).joined())
            });
            Ok::<_, Infallible>(cuts.collect::<Vec<_>>())
        }
    };
    let Ok(parts) = threads.map(ends.len().div_ceil(PART), worker);
    parts.into_iter().flatten().collect()
}

/// How many texts a thread takes at a time.
const PART: usize = 256;

/// A text without the white space at its end, as metrics take it.
fn without_end(text: &[u32]) -> &[u32] {
    let end = text.iter().rposition(|&c| !is_space(c)).map_or(0, |last| last + 1);
    &text[..end]
}

/// The words of a line for WER, joined by single spaces. Lower-casing is the caller's.
#[pyfunction]
pub fn transcript_words<'py>(
    line: &Bound<'py, PyString>,
    standardize: bool,
    remove_punctuation: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let transcript = Transcript { standardize, remove_punctuation };
    joined(line, |tokens, text| transcript.words(tokens, Text::Wide(text)))
}

/// The core tokenizer of that name.
pub fn tokenizer_from(name: &str) -> PyResult<Tokenizer> {
    Tokenizer::from_name(name).ok_or_else(|| OptionError::new_err(format!("no native tokenizer is called {name:?}")))
}

fn joined<'py>(
    line: &Bound<'py, PyString>,
    prepare: impl for<'a> FnOnce(&'a mut Tokens, &'a [u32]) -> Prepared<'a> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let mut text = Vec::new();
    append_code_points(&mut text, line)?;
    let found = Signals::new(line.py()).on_text(&text, |text| prepare(&mut Tokens::default(), text).joined())?;
    as_python(line.py(), &found)
}

/// Code points as a Python string, lone surrogates too.
pub fn as_python<'py>(py: Python<'py>, text: &[u32]) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> = text.iter().flat_map(|c| c.to_le_bytes()).collect();
    PyBytes::new(py, &bytes).call_method1("decode", ("utf-32-le", "surrogatepass"))
}
