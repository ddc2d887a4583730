//! The texts of some segments on their way to a counter, and which of them count.

use crate::halt;
use crate::text::{Text, narrow_into};
use std::ops::Range;

/// The texts of some segments, end to end.
#[derive(Default)]
pub struct Batch {
    arrived: Vec<u32>,
    ends: Vec<usize>, // of each text in `arrived`
    narrow: Vec<u8>,
    texts: Vec<Place>,
    firsts: Vec<usize>, // the index of each segment's hypothesis among the texts
}

/// Where a text is kept: at the same place whether narrow or as it arrived.
struct Place {
    is_narrow: bool,
    range: Range<usize>,
}

/// The characters of a segment, hypothesis and reference together, for which room is made beforehand.
const USUAL_CHARACTERS: usize = 256;

/// Of more characters, those in 32 bits are not kept once they are narrow: they are most of the memory of a long text.
const MUCH: usize = 1 << 22;

impl Batch {
    /// A batch with room for so many segments of usual length. To grow a buffer step by step copies it at every step.
    pub fn with_room(segments: usize) -> Self {
        Self { arrived: Vec::with_capacity(segments * USUAL_CHARACTERS), ..Self::default() }
    }

    /// Begins a segment: the next text is its hypothesis, those after it are its references.
    pub fn begin_segment(&mut self) {
        self.firsts.push(self.ends.len());
    }

    /// Adds a text, whose code points `write` appends to the buffer it is given.
    pub fn push_text<E>(&mut self, write: impl FnOnce(&mut Vec<u32>) -> Result<(), E>) -> Result<(), E> {
        write(&mut self.arrived)?;
        self.ends.push(self.arrived.len());
        Ok(())
    }

    /// Brings each text into its narrowest form. Not done on arrival, because then the interpreter's lock is held.
    pub(crate) fn settle(&mut self) {
        // Never made shorter, so that it is filled with zeros only once.
        let length = self.narrow.len().max(self.arrived.len());
        halt::resize(&mut self.narrow, length, 0);
        let (mut start, mut all_narrow) = (0, true);
        for &end in &self.ends {
            let is_narrow = narrow_into(&self.arrived[start..end], &mut self.narrow[start..end]);
            self.texts.push(Place { is_narrow, range: start..end });
            all_narrow &= is_narrow;
            start = end;
        }
        if all_narrow && self.arrived.len() > MUCH {
            self.arrived = Vec::new();
        }
    }

    /// Ends a segment. With `keep_empty` all its references stay, and otherwise those that count: see
    /// [`counted_references`].
    pub fn end_segment(&mut self, keep_empty: bool) {
        let Some(first) = self.firsts.last().map(|hypothesis| hypothesis + 1) else { return };
        if keep_empty || self.ends.len() <= first + 1 {
            return;
        }
        let lengths: Vec<usize> = self.ends[first - 1..].windows(2).map(|ends| ends[1] - ends[0]).collect();
        let mut kept = first;
        for at in counted_references(&lengths, keep_empty) {
            self.ends[kept] = self.ends[first + at];
            kept += 1;
        }
        self.ends.truncate(kept);
    }

    /// The segments, in order.
    pub fn segments(&self) -> impl Iterator<Item = Segment<'_>> {
        (0..self.firsts.len()).map(|index| {
            let end = self.firsts.get(index + 1).copied().unwrap_or(self.texts.len());
            Segment { batch: self, texts: self.firsts[index]..end }
        })
    }

    /// How many segments there are.
    pub(crate) fn len(&self) -> usize {
        self.firsts.len()
    }

    pub(crate) fn clear(&mut self) {
        self.arrived.clear();
        self.ends.clear();
        self.texts.clear();
        self.firsts.clear();
    }

    /// How many texts there are, of all segments.
    pub(crate) fn texts(&self) -> usize {
        self.ends.len()
    }

    /// The number of characters of all texts together.
    pub(crate) fn characters(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// One text, if they have been settled.
    pub(crate) fn text(&self, index: usize) -> Text<'_> {
        let Place { is_narrow, range } = &self.texts[index];
        if *is_narrow { Text::Narrow(&self.narrow[range.clone()]) } else { Text::Wide(&self.arrived[range.clone()]) }
    }
}

/// A hypothesis and its references.
#[derive(Clone)]
pub struct Segment<'a> {
    batch: &'a Batch,
    texts: Range<usize>,
}

impl<'a> Segment<'a> {
    /// What the system said.
    pub fn hypothesis(&self) -> Text<'a> {
        self.batch.text(self.texts.start)
    }

    /// The number of characters of all its texts.
    pub(crate) fn characters(&self) -> usize {
        self.batch.texts[self.texts.end - 1].range.end - self.batch.texts[self.texts.start].range.start
    }

    /// What it should have said.
    pub fn references(&self) -> impl ExactSizeIterator<Item = Text<'a>> + use<'a> {
        let batch = self.batch;
        (self.texts.start + 1..self.texts.end).map(move |index| batch.text(index))
    }
}

/// Which references of a segment count, given their lengths: an empty one beside a filled one is none, unless empty
/// ones are to be kept. That a line of a reference file is empty usually says that this translator left the segment
/// out.
pub fn counted_references(lengths: &[usize], keep_empty: bool) -> impl Iterator<Item = usize> + use<'_> {
    let empty_count = keep_empty || lengths.iter().all(|&length| length == 0);
    (0..lengths.len()).filter(move |&at| empty_count || lengths[at] > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::code_points;
    use std::convert::Infallible;

    /// The references that are left of each segment, whose first text is its hypothesis.
    fn references_left(segments: &[&[&str]], keep_empty: bool) -> Vec<Vec<Vec<u32>>> {
        let mut batch = Batch::default();
        for texts in segments {
            batch.begin_segment();
            for text in *texts {
                let Ok(()) = batch.push_text(|buffer| {
                    buffer.extend(code_points(text));
                    Ok::<(), Infallible>(())
                });
            }
            batch.end_segment(keep_empty);
        }
        batch.settle();
        assert!(
            batch
                .segments()
                .zip(segments)
                .all(|(left, texts)| code_points(texts[0]) == left.hypothesis().code_points())
        );
        batch.segments().map(|segment| segment.references().map(Text::code_points).collect()).collect()
    }

    #[test]
    fn an_empty_reference_beside_a_filled_one_is_none() {
        assert_eq!(vec![1, 3], counted_references(&[0, 4, 0, 2], false).collect::<Vec<_>>());
        assert_eq!(vec![0, 1, 2, 3], counted_references(&[0, 4, 0, 2], true).collect::<Vec<_>>());
    }

    #[test]
    fn empty_references_count_where_there_is_no_other() {
        assert_eq!(2, counted_references(&[0, 0], false).count());
        assert_eq!(1, counted_references(&[0], false).count());
        assert_eq!(0, counted_references(&[], false).count());
    }

    #[test]
    fn a_batch_keeps_the_references_that_count() {
        let segments: [&[&str]; 5] =
            [&["a", "", "bc", "", "d"], &["", "", ""], &["e", ""], &["", "f", ""], &["日本", "", "語"]];
        let filled = |texts: &[&str]| texts.iter().map(|text| code_points(text)).collect::<Vec<_>>();
        let expected = [filled(&["bc", "d"]), filled(&["", ""]), filled(&[""]), filled(&["f"]), filled(&["語"])];
        assert_eq!(expected.to_vec(), references_left(&segments, false));
        let all: Vec<_> = segments.iter().map(|texts| filled(&texts[1..])).collect();
        assert_eq!(all, references_left(&segments, true));
    }
}
