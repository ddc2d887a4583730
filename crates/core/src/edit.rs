//! The edits of TER: the fewest shifts, insertions, deletions and substitutions that a greedy search finds.
//!
//! Results equal those of sacreBLEU 2.6.0, which follows Tercom: as long as moving some block of words lowers the edit
//! distance to the reference, apply the best such shift; the edits are the shifts plus the distance that is left. The
//! edit distance looks only at a beam of cells, blocks are limited in length and reach, and the number of shifts tried
//! is limited too, all of which is visible in the results and therefore kept.
//!
//! - `beam` says which cells count, and proves that it is enough to know where words may match;
//! - `matrix` computes the distance 64 cells at a time, about 3 nanoseconds a row, and keeps rows for reuse, or of very
//!   long sentences some of them;
//! - `alignment` reads a best path off the kept rows;
//! - `shift` lists the shifts and tries those that can be best;
//! - `words` knows where the reference has which word, and how many words the two sentences share.
//!
//! A round costs one pass over the hypothesis, one way back, and a pass over the changed end of the sentence for each
//! shift tried. Shifts leave the bag of words alone, and no order of it is nearer to the reference than the longer
//! length minus the shared words: when the distance is down to that, nothing is left to search. That spares half of all
//! segments in WMT22 the first round, and almost half of the others the last.
//!
//! For references of up to 64 words a pass is `O(H)`, for longer ones `O(H + R)` thanks to the beam; only where the
//! beam may cost something, a round also takes a pass without it, `O(H * D / 64)` for a distance `D`. Memory is
//! `O(H + R)`: some 80 bytes a word where all rows are kept, and 12 where one in 256 is.
//!
//! What did not help: leaving words to be found by position lists in short references too, reading the way back cell by
//! cell, and storing the beam's limits with each row's choices instead of applying them on the way back.

mod alignment;
mod beam;
mod matrix;
#[cfg(any(test, fuzzing))]
pub mod naive;
mod shift;
#[cfg(test)]
mod tests;
mod words;

use crate::halt;
use matrix::{Kind, Matrix};
use shift::{Pair, Search};
use words::Words;

/// Sentences of more words are long: memory matters more to them than time.
const LONG: usize = 1 << 16;

/// Scratch memory and the shift search; reuse one per thread.
///
/// ```
/// use truebleu_core::edit::Editor;
///
/// // "b a d" against "c d b a": move "d" to the front, insert "c".
/// assert_eq!(2, Editor::new().edits(&[1, 0, 3], &[2, 3, 1, 0]));
/// ```
pub struct Editor {
    /// See [`LONG`].
    long: usize,
    words: Words,
    matrix: Matrix,
    search: Search,
    current: Vec<u32>,
}

impl Default for Editor {
    fn default() -> Self {
        Self::new()
    }
}

impl Editor {
    /// An editor without scratch memory, which it takes as it needs.
    pub fn new() -> Self {
        Self::with_long(LONG)
    }

    /// An editor that takes sentences of more than so many words for long ones.
    fn with_long(long: usize) -> Self {
        let (words, matrix, search) = (Words::default(), Matrix::default(), Search::default());
        Self { long, words, matrix, search, current: Vec::new() }
    }

    /// TER edits (shifts and remaining edit distance) of one pair of sentences, whose words are numbers.
    ///
    /// Numbers are compared only for equality, and must be smaller than the sum of the lengths. Number the words of
    /// each pair in order of appearance.
    pub fn edits(&mut self, hyp: &[u32], reference: &[u32]) -> u32 {
        let longer = hyp.len().max(reference.len());
        if hyp.is_empty() || reference.is_empty() {
            return longer as u32;
        }
        let kind = Kind::of(hyp.len(), reference.len(), self.long);
        if kind == Kind::Long && hyp == reference {
            return 0;
        }
        let least = longer - self.words.read(hyp, reference, kind == Kind::Narrow);
        self.matrix.shape(kind, hyp.len(), reference.len());
        self.current.clear();
        halt::reserve(&mut self.current, hyp.len());
        self.current.extend_from_slice(hyp);
        self.shift_all(reference, least as u32)
    }

    /// Shifts the current hypothesis as long as it pays and returns all edits. No order of words has fewer than
    /// `least`.
    fn shift_all(&mut self, reference: &[u32], least: u32) -> u32 {
        self.search.restart();
        let mut shifts = 0;
        let mut distance = self.matrix.keep(0, &self.current, &self.words);
        while distance > least {
            let pair = Pair { hyp: &self.current, reference, words: &self.words };
            let Some((shift, shifted)) = self.search.best(&mut self.matrix, &pair, distance, least) else {
                break;
            };
            shift.apply(&mut self.current);
            shifts += 1;
            distance = shifted;
            if distance > least {
                self.matrix.keep(shift.from, &self.current, &self.words);
            }
        }
        shifts + distance
    }
}
