//! Lines of files as texts for an engine.

use crate::columns::lowered;
use crate::errors::UndecodableText;
use crate::text::Trouble;
use pyo3::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use truebleu_core::batch::Batch;
use truebleu_core::lines::Lines;
use truebleu_core::segments::Source;
use truebleu_core::utf8::Invalid;

/// The error for a byte of a line that is not UTF-8.
pub fn undecodable(lines: &Lines, at: usize, place: usize, stream: usize, line: usize) -> PyErr {
    let message = format!("line {line}: byte {} of the line is not UTF-8", place + 1);
    UndecodableText::new_err((message, stream, line, place, lines.from_place(at, place)))
}

/// Some lines of a system and of its references, as texts for an engine.
pub struct LineTexts {
    pub hypotheses: (usize, Arc<Lines>),
    pub references: Vec<(usize, Arc<Lines>)>,
    pub lines: usize,
    pub first: usize,
    pub keep_empty: bool,
    pub lowercase: bool,
}

impl LineTexts {
    fn push(&self, batch: &mut Batch, (stream, lines): &(usize, Arc<Lines>), at: usize) -> PyResult<()> {
        let bytes = lines.get(at);
        let lower = |bytes: &[u8], wide: &mut Vec<u32>| lowered(bytes, wide).map_err(Trouble::Python);
        batch.push_utf8(bytes, self.lowercase, lower).map_err(|trouble| match trouble {
            Trouble::Python(error) => error,
            Trouble::Bytes(Invalid { at: place }) => undecodable(lines, at, place, *stream, self.first + at + 1),
        })
    }
}

impl Source for LineTexts {
    type Error = PyErr;

    fn len(&self) -> usize {
        self.lines
    }

    fn load(&self, segments: Range<usize>, batch: &mut Batch) -> PyResult<()> {
        for at in segments {
            batch.begin_segment();
            self.push(batch, &self.hypotheses, at)?;
            for reference in &self.references {
                self.push(batch, reference, at)?;
            }
            batch.end_segment(self.keep_empty);
        }
        Ok(())
    }
}
