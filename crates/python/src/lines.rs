//! Lines of files, counted block by block: the memory that it takes does not grow with the files.
//!
//! Python reads the blocks, so that compressed files and pipes are read as they are elsewhere. All systems and metrics
//! are counted in one pass over the references, as soon as enough lines of all files have come.

use crate::engine::{Engine, Input};
use crate::errors::InputError;
use crate::line_texts::{LineTexts, undecodable};
use crate::watch::detached;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;
use truebleu_core::batch::counted_references;
use truebleu_core::lines::{Lines, ends_in_detached_stop};
use truebleu_core::segments::add_rows;
use truebleu_core::threads::Threads;

/// Lines that are worth the start of threads.
const ENOUGH: usize = 4096;

/// Bytes after which lines are counted though they are few.
const MUCH: usize = 1 << 22;

/// A file that is being read.
#[derive(Default)]
struct File {
    lines: Arc<Lines>,
    seen: usize, // lines, with those that wait
    has_ended: bool,
    filled: usize, // lines up to the last one that is not blank
    sample: Vec<Vec<u8>>,
}

impl File {
    fn waiting(&self) -> usize {
        self.lines.len()
    }

    /// The lines, which nobody else holds between two counts.
    fn lines(&mut self) -> PyResult<&mut Lines> {
        Arc::get_mut(&mut self.lines).ok_or_else(|| InputError::new_err("the lines are being counted"))
    }
}

/// The sums of a system under an engine, and which engine it is.
struct Sums {
    engine: Py<Engine>,
    keep_empty: bool,
    totals: Vec<Vec<f64>>, // of each system
    references: (usize, usize),
}

/// Counts lines of several files side by side.
#[pyclass(module = "truebleu._core")]
pub struct LineCounter {
    files: Vec<File>, // references first, then systems
    references: usize,
    sums: Vec<Sums>,
    stops: Vec<usize>,
    same: Vec<Vec<bool>>, // by system and reference
    counted: usize,
    block: usize,  // lines are kept in blocks of so many,
    blocks: usize, // and so many of these, at most
    stride: usize,
    threads: usize,
}

#[pymethods]
impl LineCounter {
    /// A counter for engines, each with whether it keeps empty references; and for so many files. Of each file it keeps
    /// at most so many blocks of so many lines.
    #[new]
    fn new(
        py: Python<'_>,
        engines: Vec<(Py<Engine>, bool)>,
        references: usize,
        systems: usize,
        threads: usize,
        block: usize,
        blocks: usize,
    ) -> PyResult<Self> {
        if references == 0 || systems == 0 || block == 0 || blocks == 0 {
            return Err(InputError::new_err("lines: expected at least one reference, one system and a block to keep"));
        }
        let sums = |(engine, keep_empty): (Py<Engine>, bool)| {
            let width = engine.bind(py).get().formula().width();
            Sums { engine, keep_empty, totals: vec![vec![0.0; width]; systems], references: (usize::MAX, 0) }
        };
        Ok(Self {
            files: (0..references + systems).map(|_| File::default()).collect(),
            references,
            sums: engines.into_iter().map(sums).collect(),
            stops: vec![0; systems],
            same: vec![vec![true; references]; systems],
            counted: 0,
            block,
            blocks,
            stride: 1,
            threads,
        })
    }

    /// The file that is the furthest behind, or nothing when all have ended.
    fn wants(&self) -> Option<usize> {
        let open = self.files.iter().enumerate().filter(|(_, file)| !file.has_ended);
        open.min_by_key(|(_, file)| file.waiting()).map(|(at, _)| at)
    }

    /// Takes the next block of a file; an empty one is its end.
    fn feed(&mut self, py: Python<'_>, file: usize, block: &[u8]) -> PyResult<()> {
        let missing = || InputError::new_err(format!("lines: there is no file {file}"));
        let fed = self.files.get_mut(file).ok_or_else(missing)?;
        let before = fed.waiting();
        let lines = fed.lines()?;
        if block.is_empty() {
            lines.finish();
            fed.has_ended = true;
        } else {
            lines.feed(block);
        }
        fed.seen += fed.waiting() - before;
        let ready = self.files.iter().map(File::waiting).min().unwrap_or(0);
        let is_much = self.files.iter().any(|file| file.lines.bytes() > MUCH);
        if ready >= ENOUGH || ready > 0 && (is_much || self.wants().is_none()) {
            self.count(py, ready)?;
        }
        // A file that has ended keeps no other waiting: what the others have more is only looked at.
        if self.files.iter().any(|file| file.has_ended && file.waiting() == 0) {
            for (stream, file) in self.files.iter_mut().enumerate() {
                let waiting = file.waiting();
                for (at, line) in (0..waiting).zip(file.seen - waiting + 1..) {
                    if let Err(error) = std::str::from_utf8(file.lines.get(at)) {
                        return Err(undecodable(&file.lines, at, error.valid_up_to(), stream, line));
                    }
                    file.filled = if file.lines.get(at).is_empty() { file.filled } else { line };
                }
                file.lines()?.drain(waiting);
            }
        }
        Ok(())
    }

    /// How many lines each file has.
    fn lines(&self) -> Vec<usize> {
        self.files.iter().map(|file| file.seen).collect()
    }

    /// For each file, how many lines there are up to the last one that is not blank.
    fn filled(&self) -> Vec<usize> {
        self.files.iter().map(|file| file.filled).collect()
    }

    /// For each engine: the totals of each system, and the smallest and largest number of references.
    #[allow(clippy::type_complexity)]
    fn totals(&self) -> Vec<(Vec<Vec<f64>>, (usize, usize))> {
        self.sums.iter().map(|sums| (sums.totals.clone(), sums.references)).collect()
    }

    /// For each system, how many hypotheses end in a detached full stop.
    fn detached_stops(&self) -> Vec<usize> {
        self.stops.clone()
    }

    /// For each system, the references that it is the same as.
    fn same(&self) -> Vec<Vec<usize>> {
        let same = |flags: &Vec<bool>| (0..flags.len()).filter(|&at| flags[at]).collect();
        self.same.iter().map(same).collect()
    }

    /// Some blocks of lines of each file, at equal distances and the same in all files.
    fn sample<'py>(&self, py: Python<'py>) -> Vec<Vec<Bound<'py, PyBytes>>> {
        self.files.iter().map(|file| file.sample.iter().map(|line| PyBytes::new(py, line)).collect()).collect()
    }
}

impl LineCounter {
    /// Counts lines that have come of all files, and forgets them.
    fn count(&mut self, py: Python<'_>, lines: usize) -> PyResult<()> {
        self.look_at(lines);
        let (references, first, threads) = (self.references, self.counted, self.threads);
        let held: Vec<_> = self.files.iter().map(|file| Arc::clone(&file.lines)).enumerate().collect();
        for sums in &mut self.sums {
            let engine = sums.engine.bind(py).get();
            let (keep_empty, lowercase) = (sums.keep_empty, engine.lowercase());
            for (totals, hypotheses) in sums.totals.iter_mut().zip(&held[references..]) {
                let (hypotheses, references) = (hypotheses.clone(), held[..references].to_vec());
                let texts = LineTexts { hypotheses, references, lines, first, keep_empty, lowercase };
                let (metric, input) = (engine.metric()?, Input::Lines(texts));
                detached(py, || metric.rows(&input, &Threads::new(threads), &mut |rows| add_rows(totals, rows)))??;
            }
        }
        drop(held);
        self.counted += lines;
        self.files.iter_mut().try_for_each(|file| {
            file.lines()?.drain(lines);
            Ok(())
        })
    }

    /// Learns what is to be known of lines besides their counts.
    fn look_at(&mut self, lines: usize) {
        let (references, systems) = self.files.split_at_mut(self.references);
        let mut lengths = Vec::with_capacity(references.len());
        for at in 0..lines {
            lengths.clear();
            lengths.extend(references.iter().map(|file| file.lines.length(at)));
            for sums in &mut self.sums {
                let count = counted_references(&lengths, sums.keep_empty).count();
                sums.references = (sums.references.0.min(count), sums.references.1.max(count));
            }
            for (file, (stops, same)) in systems.iter().zip(self.stops.iter_mut().zip(&mut self.same)) {
                let text = file.lines.get(at);
                *stops += usize::from(ends_in_detached_stop(text));
                for (reference, same) in references.iter().zip(same) {
                    *same = *same && text == reference.lines.get(at);
                }
            }
            let number = self.counted + at;
            for file in references.iter_mut().chain(systems.iter_mut()) {
                if !file.lines.get(at).is_empty() {
                    file.filled = number + 1;
                }
                if (number / self.block).is_multiple_of(self.stride) {
                    file.sample.push(file.lines.get(at).to_vec());
                }
            }
            if references[0].sample.len() > self.block * self.blocks {
                self.stride *= 2;
                for file in references.iter_mut().chain(systems.iter_mut()) {
                    let mut places = 0..;
                    file.sample.retain(|_| places.next().is_some_and(|at: usize| (at / self.block).is_multiple_of(2)));
                }
            }
        }
    }
}
