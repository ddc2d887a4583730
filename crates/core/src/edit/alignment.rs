//! How the words of a hypothesis and a reference correspond, read off a best path through the edit matrix.

use super::matrix::Matrix;
use super::words::{Words, refill};

/// How the current hypothesis stands to the reference.
#[derive(Default)]
pub struct Alignment {
    /// For each prefix of the reference, how many hypothesis words come with it: up to the word with which its last
    /// word is aligned, or if that word is missing from the hypothesis, up to where it is missing.
    pub before: Vec<u32>,
    pub wrong_hyp: Vec<bool>,
    pub wrong_ref: Vec<bool>,
}

impl Alignment {
    /// Walks a best path back from the end.
    pub fn read(&mut self, matrix: &mut Matrix, hyp: &[u32], reference: &[u32], words: &Words) {
        // What the loop does not reach: deleted words at the start, or reference words missing there.
        refill(&mut self.before, reference.len() + 1, 0);
        refill(&mut self.wrong_hyp, hyp.len(), true);
        refill(&mut self.wrong_ref, reference.len(), true);
        let (mut i, mut j) = (hyp.len(), reference.len());
        while i > 0 && j > 0 {
            let above = matrix.recall(i, hyp, words);
            while i > above && j > 0 {
                let entry = matrix.entry(i, j);
                while j > entry.col {
                    self.before[j] = i as u32;
                    j -= 1;
                }
                if entry.diagonal {
                    self.before[j] = i as u32;
                    j -= 1;
                    let wrong = hyp[i - 1] != reference[j];
                    self.wrong_hyp[i - 1] = wrong;
                    self.wrong_ref[j] = wrong;
                }
                i -= 1;
            }
        }
    }
}
