//! TER (Snover et al., 2006) as Tercom computes it, equal to sacreBLEU 2.6.0.

use crate::batch::{Batch, Segment};
use crate::edit::Editor;
use crate::matrix::edits::{EditIndex, EditMetric};
use crate::matrix::others::{self, Samples};
use crate::matrix::{Index, Matrix};
use crate::metric::{Counter, Formula, Metric};
use crate::prepare::tercom::Tercom;
use crate::prepare::{Reading, Tokens};
use crate::symbols::WordNumbers;
use crate::threads::Threads;

/// The options of TER.
#[derive(Clone, Debug, Default)]
pub struct Ter {
    /// How text becomes words.
    pub tokenizer: Tercom,
}

/// A row is `[edits, length]`.
const EDITS: usize = 0;
const LENGTH: usize = 1;

/// sacreBLEU tokenizes references twice, which shows under `normalized`.
const HYPOTHESIS_PASSES: usize = 1;
const REFERENCE_PASSES: usize = 2;

impl Formula for Ter {
    fn width(&self) -> usize {
        2
    }

    fn score(&self, totals: &[f64]) -> f64 {
        if totals[LENGTH] > 0.0 {
            100.0 * (totals[EDITS] / totals[LENGTH])
        } else if totals[EDITS] > 0.0 {
            100.0
        } else {
            0.0
        }
    }
}

impl Metric for Ter {
    type Counter = TerCounter;

    fn counter(&self) -> TerCounter {
        TerCounter { tokenizer: self.tokenizer, ..Default::default() }
    }
}

impl Matrix for Ter {
    fn index<'a>(&'a self, references: &'a Batch) -> Box<dyn Index + 'a> {
        Box::new(EditIndex::new(self, references))
    }

    fn scores_among_others(&self, samples: &Samples, threads: &Threads) -> Vec<f64> {
        others::fewest_edits(self, samples, threads)
    }
}

impl EditMetric for Ter {
    fn hypothesis_reading(&self) -> Reading {
        Reading::Tercom(self.tokenizer, HYPOTHESIS_PASSES)
    }

    fn reference_reading(&self) -> Reading {
        Reading::Tercom(self.tokenizer, REFERENCE_PASSES)
    }

    fn row(&self, edits: u32, length: f64) -> [f64; 2] {
        let mut row = [0.0; 2];
        row[EDITS] = f64::from(edits);
        row[LENGTH] = length;
        row
    }
}

/// Counts TER's rows.
#[derive(Default)]
pub struct TerCounter {
    tokenizer: Tercom,
    words: WordNumbers,
    tokens: Tokens,
    numbers: [Vec<u32>; 2],
    editor: Editor,
}

impl Counter for TerCounter {
    /// The fewest edits over the references, and the mean length of all of them.
    fn count(&mut self, segment: Segment<'_>, row: &mut [f64]) {
        let [ours, theirs] = &mut self.numbers;
        let words = self.tokenizer.words(&mut self.tokens, segment.hypothesis(), HYPOTHESIS_PASSES);
        self.words.number_hypothesis(words, ours);
        let references = segment.references();
        let (mut edits, mut lengths, count) = (u32::MAX, 0, references.len());
        for reference in references {
            let words = self.tokenizer.words(&mut self.tokens, reference, REFERENCE_PASSES);
            self.words.number_reference(words, theirs);
            self.tokens.let_go();
            edits = edits.min(self.editor.edits(ours, theirs));
            lengths += theirs.len();
        }
        row[EDITS] = f64::from(edits);
        row[LENGTH] = lengths as f64 / count as f64;
    }
}
