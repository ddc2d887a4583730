//! The door for small calls: a few short texts in plain lists, counted at once in memory that is kept.
//!
//! Of a call for one pair, counting is a microsecond; what stands around it in Python took twenty. So this door asks
//! nothing that the plainest call does not need, and gives up (`None`) on everything else: other types than `str`,
//! `list` and `tuple` themselves, missing references, lengths that differ, long texts, texts that somebody is to be
//! warned of. It raises nothing. The caller then goes the usual way, which checks everything and has the words for what
//! is wrong.
//!
//! The interpreter's lock is held meanwhile, because to give it back and take it again costs as much as a sentence.

use crate::engine::Engine;
use crate::numbers::as_bytes;
use crate::text::{length, push_text, seems_unspaced};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use std::sync::{Mutex, PoisonError};
use truebleu_core::batch::Batch;
use truebleu_core::halt;
use truebleu_core::segments::{SmallBatches, add_rows};

/// Segments of a call at most: fewer than those from which on texts are looked at for doubts.
const MOST_SEGMENTS: usize = 32;

/// Characters of a call at most, each text with [`TEXT`] more. Others take so long that nobody would notice the
/// difference.
const MOST_CHARACTERS: usize = 4096;

/// What a text costs, in characters, however short it is.
const TEXT: usize = 8;

/// The variable that says how many threads work, and may say it wrongly.
const THREADS: &str = "TRUEBLEU_THREADS";

/// The smallest and the largest number of references of a segment.
type References = (usize, usize);

/// Totals, how many rows were added to them, their numbers of references, and exact sums of columns that are means.
type Added<'py> = (Bound<'py, PyTuple>, usize, References, Bound<'py, PyTuple>);

/// The door of one engine. Without an engine it is shut.
#[pyclass(frozen, module = "truebleu._core")]
pub struct Door {
    engine: Option<Py<Engine>>,
    keep_empty: bool,
    minds_script: bool,
    kept: Mutex<Option<Box<dyn SmallBatches>>>,
}

#[pymethods]
impl Door {
    /// `minds_script` says that somebody may have to be warned of references without spaces between words.
    #[new]
    fn new(engine: Option<Py<Engine>>, keep_empty: bool, minds_script: bool) -> Self {
        Self { engine, keep_empty, minds_script, kept: Mutex::default() }
    }

    /// The sums of the rows of a corpus, and the numbers of references.
    fn totals(
        &self,
        hypotheses: &Bound<'_, PyAny>,
        references: &Bound<'_, PyAny>,
        layout: &Bound<'_, PyAny>,
    ) -> Option<(Vec<f64>, References)> {
        let layout = Layout::of(layout)?;
        self.sums(|load| load.corpus(hypotheses, references, layout))
    }

    /// The row of one segment, and its number of references.
    fn sentence(&self, hypothesis: &Bound<'_, PyAny>, references: &Bound<'_, PyAny>) -> Option<(Vec<f64>, References)> {
        self.sums(|load| load.segment(0, hypothesis, Plain::of(references)?.iter()))
    }

    /// The score of each segment of a corpus, as the bytes of doubles, and the numbers of references. If each segment
    /// has one, the strings themselves may be given.
    fn scores<'py>(
        &self,
        hypotheses: &Bound<'py, PyAny>,
        references: &Bound<'py, PyAny>,
        layout: &Bound<'py, PyAny>,
    ) -> Option<(Bound<'py, PyBytes>, References)> {
        let formula = self.engine.as_ref()?.get().formula();
        let layout = Layout::of(layout)?;
        let (scores, references) = self.counted(
            |load| load.corpus_or_pairs(hypotheses, references, layout),
            |rows| rows.chunks_exact(formula.width()).map(|row| formula.score(row)).collect::<Vec<_>>(),
        )?;
        Some((as_bytes(hypotheses.py(), &scores).ok()?, references))
    }

    /// Adds the rows of a batch to totals, one by one; its references are grouped by segment, or one string for each.
    /// Gives the totals, the number of rows, the numbers of references, and the sums of the columns `means` in whole
    /// numbers of `unit` parts.
    fn add<'py>(
        &self,
        hypotheses: &Bound<'py, PyAny>,
        references: &Bound<'py, PyAny>,
        totals: &Bound<'py, PyTuple>,
        means: Vec<usize>,
        unit: f64,
    ) -> Option<Added<'py>> {
        let mut sums = totals.iter_borrowed().map(|total| total.extract().ok()).collect::<Option<Vec<f64>>>()?;
        if sums.is_empty() || means.iter().any(|&column| column >= sums.len()) {
            return None;
        }
        let mut exact = vec![0; means.len()];
        let layout = Layout { by_segment: true, is_told: false };
        let (count, references) = self.counted(
            |load| load.corpus_or_pairs(hypotheses, references, layout),
            |rows| {
                for row in rows.chunks_exact(sums.len()) {
                    let parts = means.iter().map(|&column| (row[column] * unit).round_ties_even() as i64);
                    exact.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
                }
                add_rows(&mut sums, rows);
                rows.len() / sums.len()
            },
        )?;
        let py = hypotheses.py();
        Some((PyTuple::new(py, sums).ok()?, count, references, PyTuple::new(py, exact).ok()?))
    }
}

impl Door {
    fn sums(&self, load: impl FnOnce(&mut Load<'_>) -> Option<()>) -> Option<(Vec<f64>, References)> {
        let mut totals = vec![0.0; self.engine.as_ref()?.get().formula().width()];
        let ((), references) = self.counted(load, |rows| add_rows(&mut totals, rows))?;
        Some((totals, references))
    }

    /// Loads segments, counts them, and lets `take` have their rows.
    fn counted<T>(
        &self,
        load: impl FnOnce(&mut Load<'_>) -> Option<()>,
        take: impl FnOnce(&[f64]) -> T,
    ) -> Option<(T, References)> {
        let engine = self.engine.as_ref()?.get();
        // Taken out: what is left by work that came to an early end is not used again.
        let taken = self.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut kept = match taken {
            Some(kept) => kept,
            None => engine.metric().ok()?.small_batches(),
        };
        let found = self.counted_in(&mut *kept, engine.lowercase(), load, take);
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
        found
    }

    fn counted_in<T>(
        &self,
        kept: &mut dyn SmallBatches,
        lowercase: bool,
        load: impl FnOnce(&mut Load<'_>) -> Option<()>,
        take: impl FnOnce(&[f64]) -> T,
    ) -> Option<(T, References)> {
        let mut loading =
            Load { door: self, lowercase, batch: kept.batch(), left: MOST_CHARACTERS, fewest: usize::MAX, most: 0 };
        load(&mut loading)?;
        let references = (loading.fewest, loading.most);
        halt::run_briefly(|| take(kept.rows())).ok().map(|found| (found, references))
    }
}

/// A list or a tuple itself, and no subclass.
pub enum Plain<'a, 'py> {
    List(&'a Bound<'py, PyList>),
    Tuple(&'a Bound<'py, PyTuple>),
}

impl<'a, 'py> Plain<'a, 'py> {
    /// One of the two.
    pub fn of(values: &'a Bound<'py, PyAny>) -> Option<Self> {
        let list = values.cast_exact().map(Self::List);
        list.or_else(|_| values.cast_exact().map(Self::Tuple)).ok()
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        match self {
            Self::List(list) => list.len(),
            Self::Tuple(tuple) => tuple.len(),
        }
    }

    fn get(&self, at: usize) -> Option<Bound<'py, PyAny>> {
        match self {
            Self::List(list) => list.get_item(at),
            Self::Tuple(tuple) => tuple.get_item(at),
        }
        .ok()
    }

    /// The entries; nothing for one that has gone meanwhile.
    pub fn iter(&self) -> impl Iterator<Item = Option<Bound<'py, PyAny>>> {
        (0..self.len()).map(|at| self.get(at))
    }
}

/// Segments on their way into a batch.
struct Load<'a> {
    door: &'a Door,
    lowercase: bool,
    batch: &'a mut Batch,
    left: usize, // characters that may still come
    fewest: usize,
    most: usize,
}

impl Load<'_> {
    /// Loads hypotheses, and references by stream or by segment.
    fn corpus(&mut self, hypotheses: &Bound<'_, PyAny>, references: &Bound<'_, PyAny>, layout: Layout) -> Option<()> {
        let (texts, outer) = (Plain::of(hypotheses)?, Plain::of(references)?);
        if !is_small(texts.len()) || layout.is_doubtful(texts.len(), &outer)? {
            return None;
        }
        if layout.by_segment { self.segments(&texts, &outer) } else { self.streams(&texts, &outer) }
    }

    /// Loads hypotheses, and references as [`Self::corpus`] does, or one string for each.
    fn corpus_or_pairs(
        &mut self,
        hypotheses: &Bound<'_, PyAny>,
        references: &Bound<'_, PyAny>,
        layout: Layout,
    ) -> Option<()> {
        let (texts, others) = (Plain::of(hypotheses)?, Plain::of(references)?);
        if !others.get(0)?.is_exact_instance_of::<PyString>() {
            return self.corpus(hypotheses, references, layout);
        }
        let may_be = layout.by_segment || !layout.is_told;
        if !may_be || !is_small(texts.len()) || others.len() != texts.len() {
            return None;
        }
        (0..texts.len()).try_for_each(|at| self.segment(at, &texts.get(at)?, [others.get(at)]))
    }

    fn segments(&mut self, texts: &Plain<'_, '_>, outer: &Plain<'_, '_>) -> Option<()> {
        if outer.len() != texts.len() {
            return None;
        }
        (0..texts.len()).try_for_each(|at| self.segment(at, &texts.get(at)?, Plain::of(&outer.get(at)?)?.iter()))
    }

    fn streams(&mut self, texts: &Plain<'_, '_>, outer: &Plain<'_, '_>) -> Option<()> {
        let outer = outer.iter().collect::<Option<Vec<_>>>()?;
        let streams = outer.iter().map(Plain::of).collect::<Option<Vec<_>>>()?;
        if streams.iter().any(|stream| stream.len() != texts.len()) {
            return None;
        }
        (0..texts.len())
            .try_for_each(|at| self.segment(at, &texts.get(at)?, streams.iter().map(|stream| stream.get(at))))
    }

    /// Loads one segment, whose references may turn out to be missing.
    fn segment<'py>(
        &mut self,
        at: usize,
        hypothesis: &Bound<'py, PyAny>,
        references: impl IntoIterator<Item = Option<Bound<'py, PyAny>>>,
    ) -> Option<()> {
        let is_looked_at = self.door.minds_script && at & at.wrapping_sub(1) == 0;
        let (mut all, mut filled) = (0, 0);
        self.batch.begin_segment();
        self.text(hypothesis, false)?;
        for reference in references {
            all += 1;
            filled += usize::from(self.text(&reference?, is_looked_at)? > 0);
        }
        self.batch.end_segment(self.door.keep_empty);
        let counted = if self.door.keep_empty || filled == 0 { all } else { filled };
        (self.fewest, self.most) = (self.fewest.min(counted), self.most.max(counted));
        (counted > 0).then_some(())
    }

    /// Loads a text and gives its length.
    fn text(&mut self, text: &Bound<'_, PyAny>, is_looked_at: bool) -> Option<usize> {
        let text = text.cast_exact::<PyString>().ok()?;
        let length = length(text);
        self.left = self.left.checked_sub(TEXT + length)?;
        if is_looked_at && seems_unspaced(text) {
            return None;
        }
        push_text(self.batch, text, self.lowercase).ok()?;
        Some(length)
    }
}

/// How references are grouped, and whether somebody has said so.
#[derive(Clone, Copy)]
struct Layout {
    by_segment: bool,
    is_told: bool,
}

impl Layout {
    fn of(layout: &Bound<'_, PyAny>) -> Option<Self> {
        if layout.is_none() {
            return Some(Self { by_segment: false, is_told: false });
        }
        let name = layout.cast_exact::<PyString>().ok()?;
        let by_segment = name == "segments";
        (by_segment || name == "streams").then_some(Self { by_segment, is_told: true })
    }

    /// Whether as many lists as segments have as many entries each, and nobody has said what they are. Which reading
    /// matches better is looked into elsewhere.
    fn is_doubtful(self, segments: usize, outer: &Plain<'_, '_>) -> Option<bool> {
        let may_be = !self.is_told && segments > 1 && outer.len() == segments;
        Some(may_be && Plain::of(&outer.get(0)?)?.len() == segments)
    }
}

/// Whether there are so few segments, and nobody has said how many threads are to count them.
fn is_small(segments: usize) -> bool {
    (1..=MOST_SEGMENTS).contains(&segments) && std::env::var_os(THREADS).is_none()
}
