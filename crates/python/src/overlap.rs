//! A test set and blocks of training text in, what was found out, without the interpreter's lock.

use crate::errors::InputError;
use crate::numbers::numbers;
use crate::watch::detached;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use truebleu_core::overlap::characters::Characters;
use truebleu_core::overlap::index::{Index, Known, Lengths};
use truebleu_core::overlap::scan::{Broken, Ends, Match, Scan};
use truebleu_core::threads::Threads;

/// Units, whether it is written without spaces, units of an n-gram; covered, common, longest, n-grams found and all,
/// records, and the first of these: file, record, byte.
type Row = (u32, bool, u32, u32, u32, u32, (u32, u32), u64, Vec<(u32, u64, u64)>);

/// The distinct texts, which of them each given text is, and n-grams in too many records with how many these are.
type Results = (Vec<Row>, Vec<u32>, Vec<(String, u32)>);

/// A test set, and what was found of it in training text so far.
#[pyclass(module = "truebleu._core")]
pub struct OverlapScan(Scan);

#[pymethods]
impl OverlapScan {
    /// Takes the cells of characters and their pool, as the bytes of 64-bit integers; texts, each with its segment and
    /// its stream; and how long n-grams are, and texts that are not too short, in words and in characters.
    #[new]
    #[pyo3(signature = (cells, pool, *, beyond, alone, texts, sides, words, characters, replace, threads))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        cells: &[u8],
        pool: &[u8],
        beyond: bool,
        alone: bool,
        texts: Vec<PyBackedStr>,
        sides: Vec<(u32, u32)>,
        words: (usize, usize),
        characters: (usize, usize),
        replace: bool,
        threads: usize,
    ) -> PyResult<Self> {
        let table =
            Characters::new(numbers(cells, u64::from_ne_bytes), numbers(pool, u64::from_ne_bytes), beyond, alone)
                .ok_or_else(|| InputError::new_err("overlap: the cells of characters do not fit together"))?;
        let lengths = |(n, least): (usize, usize)| Lengths { n, least };
        let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
        let index = detached(py, || Index::new(table, &texts, &sides, lengths(words), lengths(characters)))?;
        let too_large =
            || InputError::new_err("overlap: the test set is too large: 2³¹ words at most, 2²⁷ bytes a text");
        Ok(Self(Scan::new(index.ok_or_else(too_large)?, Threads::new(threads), replace)))
    }

    /// Reads the next bytes of a file, whose records end with "lines", "blank" lines or the "file". Returns the place
    /// of a byte that is no UTF-8, and the byte.
    fn feed(&mut self, py: Python<'_>, block: &[u8], records: &str) -> PyResult<Option<(u64, u8)>> {
        let ends = match records {
            "lines" => Ends::Lines,
            "blank" => Ends::Paragraphs,
            _ => Ends::Files,
        };
        Ok(place(detached(py, || self.0.feed(block, ends))?))
    }

    /// Reads records with so many texts each, which begin at these bytes of their file, if that is known.
    fn records(&mut self, py: Python<'_>, texts: Vec<PyBackedStr>, starts: Vec<u64>, width: usize) -> PyResult<()> {
        let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
        detached(py, || self.0.records(&texts, &starts, width))
    }

    /// Ends a file. Returns the place of bytes that are no UTF-8, and the first of them.
    fn end_file(&mut self, py: Python<'_>) -> PyResult<Option<(u64, u8)>> {
        Ok(place(detached(py, || self.0.end_file())?))
    }

    /// What was found in the files that have ended, as numbers.
    fn state(&self) -> Vec<u64> {
        self.0.state()
    }

    /// Goes on from such numbers. Tells whether they are of this test set.
    fn restore(&mut self, state: Vec<u64>) -> bool {
        self.0.restore(&state).is_some()
    }

    /// Records of the last file, units of all, and bytes that were no UTF-8 and were replaced.
    fn read(&self) -> (u64, u64, u64) {
        (self.0.records_of_file(), self.0.units(), self.0.replaced)
    }

    /// The streams that the last file had whole and in order.
    fn streams_in_order(&self) -> Vec<u32> {
        self.0.streams_in_order().to_vec()
    }

    /// By segment: whether a record, or two neighbours, have something of its source and of a reference.
    fn paired(&self) -> Vec<bool> {
        self.0.paired().to_vec()
    }

    /// How many distinct n-grams the test set has.
    fn grams(&self) -> usize {
        self.0.index.grams()
    }

    /// What was found, where n-grams in more than `common` records are kept apart.
    fn matches(&self, py: Python<'_>, common: u32) -> PyResult<Results> {
        let (matches, often) = detached(py, || self.0.matches(common))?;
        let index = &self.0.index;
        let rows = matches.into_iter().zip(&index.texts).map(|(found, text)| row(found, text)).collect();
        let often = often.iter().map(|&(gram, count)| (index.text_of(gram), count)).collect();
        Ok((rows, index.of_given.clone(), often))
    }
}

fn row(found: Match, text: &Known) -> Row {
    let first = found.first.iter().map(|one| (one.file, one.record, one.offset)).collect();
    let Match { covered, common, longest, grams, records, .. } = found;
    (text.length, text.is_alone, text.gram, covered, common, longest, grams, records, first)
}

fn place(read: Result<(), Broken>) -> Option<(u64, u8)> {
    read.err().map(|broken| (broken.offset, broken.byte))
}
