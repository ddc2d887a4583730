//! The texts of some segments on their way to a counter, and which of them count.

use crate::halt;
use crate::text::{Placed, SLACK, Text, narrow_into};
use crate::unicode::lowercase_bytes;
use crate::utf8::{Invalid, decode};
use std::ops::Range;

/// The texts of some segments, end to end.
#[derive(Default)]
pub struct Batch {
    arrived: Vec<u32>, // wide texts, and those that nobody has looked at yet
    narrow: Vec<u8>,
    texts: Vec<Place>,
    firsts: Vec<usize>, // the index of each segment's hypothesis among the texts
    characters: usize,
    unsettled: usize, // characters of texts that nobody has looked at
}

/// Where a text is kept: among the narrow ones, or as it arrived.
struct Place {
    form: Form,
    range: Range<usize>,
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Narrow,
    Wide,
    Unsettled,
}

/// Why a text of bytes cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// They are not UTF-8.
    Bytes(Invalid),
    /// It has so many characters, more than [`MOST_CHARACTERS`].
    TooLong(usize),
}

impl From<Invalid> for Unfit {
    fn from(invalid: Invalid) -> Self {
        Self::Bytes(invalid)
    }
}

/// Places in a text are numbers of 32 bits. Tests have a limit that a test can reach.
pub const MOST_CHARACTERS: usize = if cfg!(test) { 1 << 24 } else { u32::MAX as usize };

/// The characters of a segment, hypothesis and reference together, for which room is made beforehand.
const USUAL_CHARACTERS: usize = 256;

/// Of more characters, those in 32 bits are not kept once they are narrow, nor is the room for narrow ones if they are
/// not: that is most of the memory of a long text.
const MUCH: usize = 1 << 22;

impl Batch {
    /// A batch with room for so many segments of usual length. To grow a buffer step by step copies it at every step.
    pub fn with_room(segments: usize) -> Self {
        Self { arrived: Vec::with_capacity(segments * USUAL_CHARACTERS), ..Self::default() }
    }

    /// Begins a segment: the next text is its hypothesis, those after it are its references.
    pub fn begin_segment(&mut self) {
        self.firsts.push(self.texts.len());
    }

    /// Adds a text, whose code points `write` appends to the buffer it is given.
    pub fn push_text<E>(&mut self, write: impl FnOnce(&mut Vec<u32>) -> Result<(), E>) -> Result<(), E> {
        let start = self.arrived.len();
        write(&mut self.arrived)?;
        self.unsettled += self.arrived.len() - start;
        self.place(Form::Unsettled, start..self.arrived.len());
        Ok(())
    }

    /// Adds a text that is ASCII, lower-cased if asked.
    pub fn push_ascii(&mut self, bytes: &[u8], lowercase: bool) {
        let start = self.narrow.len();
        halt::reserve(&mut self.narrow, bytes.len());
        self.narrow.extend_from_slice(bytes);
        if lowercase {
            self.narrow[start..].make_ascii_lowercase();
        }
        self.place(Form::Narrow, start..self.narrow.len());
    }

    /// Adds a text that is UTF-8, lower-cased if asked. `lower` appends the code points of a text in small letters, if
    /// they are not all in Windows-1252.
    pub fn push_utf8<E: From<Unfit>>(
        &mut self,
        bytes: &[u8],
        lowercase: bool,
        lower: impl FnOnce(&[u8], &mut Vec<u32>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (start, wide_start) = (self.narrow.len(), self.arrived.len());
        let mut is_narrow = decode(bytes, &mut self.narrow, &mut self.arrived).map_err(Unfit::Bytes)?;
        if lowercase && is_narrow {
            lowercase_bytes(&mut self.narrow[start..]);
        } else if lowercase {
            self.arrived.truncate(wide_start);
            lower(bytes, &mut self.arrived)?;
            is_narrow = self.narrow_last(wide_start);
        }
        let (form, range) = match is_narrow {
            true => (Form::Narrow, start..self.narrow.len()),
            false => (Form::Wide, wide_start..self.arrived.len()),
        };
        if range.len() > MOST_CHARACTERS {
            return Err(Unfit::TooLong(range.len()).into());
        }
        self.place(form, range);
        Ok(())
    }

    fn place(&mut self, form: Form, range: Range<usize>) {
        self.characters += range.len();
        self.texts.push(Place { form, range });
    }

    /// Moves the code points from a place on to the narrow ones, if they are: U+212A has the small letter k.
    fn narrow_last(&mut self, wide_start: usize) -> bool {
        let (start, wide) = (self.narrow.len(), &self.arrived[wide_start..]);
        halt::resize(&mut self.narrow, start + wide.len(), 0);
        let is_narrow = narrow_in_parts(wide, &mut self.narrow[start..]);
        if is_narrow {
            self.arrived.truncate(wide_start);
        } else {
            self.narrow.truncate(start);
        }
        is_narrow
    }

    /// Brings each text into its narrowest form. Not done on arrival, because then the interpreter's lock is held.
    pub fn settle(&mut self) {
        let (mut end, unsettled) = (self.narrow.len(), std::mem::take(&mut self.unsettled));
        halt::resize(&mut self.narrow, end + unsettled + SLACK, 0);
        if unsettled == 0 {
            return;
        }
        let (mut all_narrow, is_long) = (true, unsettled > MUCH);
        for Place { form, range } in self.texts.iter_mut() {
            if *form == Form::Unsettled {
                let places = end..end + range.len();
                let (text, bytes) = (&self.arrived[range.clone()], &mut self.narrow[places.clone()]);
                let is_narrow = if is_long { narrow_in_parts(text, bytes) } else { narrow_into(text, bytes) };
                *form = if is_narrow { Form::Narrow } else { Form::Wide };
                if is_narrow {
                    (*range, end) = (places.clone(), places.end);
                }
            }
            all_narrow &= *form == Form::Narrow;
        }
        if all_narrow && is_long {
            self.arrived = Vec::new();
        }
        if end == 0 && is_long {
            self.narrow = Vec::new();
        }
    }

    /// Ends a segment. With `keep_empty` all its references stay, and otherwise those that count: see
    /// [`counted_references`].
    pub fn end_segment(&mut self, keep_empty: bool) {
        let Some(first) = self.firsts.last().map(|hypothesis| hypothesis + 1) else { return };
        if keep_empty || self.texts.len() <= first + 1 {
            return;
        }
        let lengths: Vec<usize> = self.texts[first..].iter().map(|text| text.range.len()).collect();
        let mut kept = first;
        for at in counted_references(&lengths, keep_empty) {
            self.texts.swap(kept, first + at);
            kept += 1;
        }
        self.texts.truncate(kept);
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
        self.narrow.clear();
        self.texts.clear();
        self.firsts.clear();
        (self.characters, self.unsettled) = (0, 0);
    }

    /// How many texts there are, of all segments.
    pub(crate) fn texts(&self) -> usize {
        self.texts.len()
    }

    /// The number of characters of all texts together.
    pub(crate) fn characters(&self) -> usize {
        self.characters
    }

    /// One text, if they have been settled.
    pub(crate) fn text(&self, index: usize) -> Text<'_> {
        let Place { form, range } = &self.texts[index];
        match form {
            Form::Narrow => Text::Narrow(&self.narrow[range.clone()]),
            _ => Text::Wide(&self.arrived[range.clone()]),
        }
    }

    /// One text where it lies, if they have been settled.
    fn placed(&self, index: usize) -> Placed<'_> {
        let Place { form, range } = &self.texts[index];
        Placed { text: self.text(index), room: if *form == Form::Narrow { &self.narrow[range.start..] } else { &[] } }
    }
}

/// Writes a text in bytes if it is narrow, as [`narrow_into`] does, and looks around now and then if it is very long.
#[cold]
#[inline(never)]
fn narrow_in_parts(text: &[u32], bytes: &mut [u8]) -> bool {
    text.chunks(MUCH).zip(bytes.chunks_mut(MUCH)).all(|(text, bytes)| {
        halt::look();
        narrow_into(text, bytes)
    })
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
        self.batch.texts[self.texts.clone()].iter().map(|text| text.range.len()).sum()
    }

    /// The hypothesis where it lies.
    pub(crate) fn placed_hypothesis(&self) -> Placed<'a> {
        self.batch.placed(self.texts.start)
    }

    /// A reference where it lies, counted from zero.
    pub(crate) fn placed_reference(&self, at: usize) -> Placed<'a> {
        self.batch.placed(self.texts.start + 1 + at)
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

    impl From<Unfit> for Infallible {
        fn from(invalid: Unfit) -> Self {
            panic!("{invalid:?}")
        }
    }

    /// Both ways into a batch: code points, and UTF-8.
    use proptest::prelude::*;

    fn push(batch: &mut Batch, text: &str, as_utf8: bool) {
        let Ok(()) = if as_utf8 {
            batch.push_utf8(text.as_bytes(), false, |_, _| Ok::<(), Infallible>(()))
        } else {
            batch.push_text(|buffer| {
                buffer.extend(code_points(text));
                Ok::<(), Infallible>(())
            })
        };
    }

    /// The references that are left of each segment, whose first text is its hypothesis.
    fn references_left(segments: &[&[&str]], keep_empty: bool, as_utf8: bool) -> Vec<Vec<Vec<u32>>> {
        let mut batch = Batch::default();
        for texts in segments {
            batch.begin_segment();
            for text in *texts {
                push(&mut batch, text, as_utf8);
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
        let all: Vec<_> = segments.iter().map(|texts| filled(&texts[1..])).collect();
        for as_utf8 in [false, true] {
            assert_eq!(expected.to_vec(), references_left(&segments, false, as_utf8));
            assert_eq!(all, references_left(&segments, true, as_utf8));
        }
    }

    #[test]
    fn a_text_is_the_same_whether_it_came_as_utf8_or_as_code_points() {
        let (mut ours, mut theirs) = (Batch::default(), Batch::default());
        for _ in 0..2 {
            ours.clear();
            theirs.clear();
            for text in ["", "plain", "“Straße”", "日本", "Ж", "x\u{85}", "é"] {
                for (batch, as_utf8) in [(&mut ours, true), (&mut theirs, false)] {
                    batch.begin_segment();
                    push(batch, text, as_utf8);
                    push(batch, "reference", as_utf8);
                    batch.end_segment(false);
                }
            }
            ours.settle();
            theirs.settle();
            assert_eq!(theirs.texts(), ours.texts());
            for index in 0..ours.texts() {
                assert_eq!(theirs.text(index), ours.text(index));
                for placed in [theirs.placed(index), ours.placed(index)] {
                    if let Text::Narrow(text) = placed.text {
                        assert!(placed.room.starts_with(text) && placed.room.len() >= text.len() + SLACK);
                    }
                }
            }
            let lengths = |batch: &Batch| batch.segments().map(|one| one.characters()).collect::<Vec<_>>();
            assert_eq!(lengths(&theirs), lengths(&ours));
        }
    }

    proptest! {
        #[test]
        fn texts_may_arrive_in_any_way_one_after_the_other(
            texts in prop::collection::vec(("[a-cA-C ]{0,40}|[a-cé’]{0,40}|[aЖ日]{0,40}", 0..3), 1..40),
            references in 0_usize..4,
        ) {
            let (mut mixed, mut plain) = (Batch::default(), Batch::default());
            for _ in 0..2 {
                [&mut mixed, &mut plain].into_iter().for_each(Batch::clear);
                for texts in texts.chunks(references + 1) {
                    [&mut mixed, &mut plain].into_iter().for_each(Batch::begin_segment);
                    for (text, way) in texts {
                        match way {
                            0 if text.is_ascii() => mixed.push_ascii(text.as_bytes(), false),
                            way => push(&mut mixed, text, *way == 1),
                        }
                        push(&mut plain, text, false);
                    }
                    [&mut mixed, &mut plain].into_iter().for_each(|batch| batch.end_segment(false));
                }
                [&mut mixed, &mut plain].into_iter().for_each(Batch::settle);
                prop_assert_eq!(plain.texts(), mixed.texts());
                for index in 0..plain.texts() {
                    prop_assert_eq!(plain.text(index), mixed.text(index));
                    if let Placed { text: Text::Narrow(text), room } = mixed.placed(index) {
                        prop_assert!(room.starts_with(text) && room.len() >= text.len() + SLACK);
                    }
                }
                let lengths = |batch: &Batch| batch.segments().map(|one| one.characters()).collect::<Vec<_>>();
                prop_assert_eq!(lengths(&plain), lengths(&mixed));
            }
        }
    }

    #[test]
    fn ascii_is_lower_cased_if_asked() {
        let mut batch = Batch::default();
        batch.begin_segment();
        batch.push_ascii(b"A Cat, 5 [@`{", true);
        batch.push_ascii(b"A Dog", false);
        batch.settle();
        assert_eq!(Text::Narrow(b"a cat, 5 [@`{"), batch.text(0));
        assert_eq!(Text::Narrow(b"A Dog"), batch.text(1));
    }

    #[test]
    fn a_text_with_more_characters_than_can_be_numbered_is_refused() {
        let most = "a".repeat(MOST_CHARACTERS);
        for (text, expected) in [
            (most.clone(), Ok(())),
            (format!("{most}a"), Err(Unfit::TooLong(MOST_CHARACTERS + 1))),
            (format!("{most}ж"), Err(Unfit::TooLong(MOST_CHARACTERS + 1))),
        ] {
            let mut batch = Batch::default();
            batch.begin_segment();
            assert_eq!(expected, batch.push_utf8(text.as_bytes(), false, |_, _| Ok::<(), Unfit>(())));
        }
    }

    #[test]
    fn utf8_is_lower_cased_by_the_caller_where_it_is_wide() {
        let mut batch = Batch::default();
        let lowered = |text: &'static str| {
            move |_: &[u8], wide: &mut Vec<u32>| {
                wide.extend(code_points(text));
                Ok::<(), Infallible>(())
            }
        };
        batch.begin_segment();
        let Ok(()) = batch.push_utf8("ÀŠ’B".as_bytes(), true, lowered("not asked"));
        let Ok(()) = batch.push_utf8("Жb".as_bytes(), true, lowered("жb"));
        let Ok(()) = batch.push_utf8("\u{212A}".as_bytes(), true, lowered("k"));
        batch.settle();
        assert_eq!(code_points("àš’b"), batch.text(0).code_points());
        assert_eq!(code_points("жb"), batch.text(1).code_points());
        assert_eq!(Text::Narrow(b"k"), batch.text(2));
    }
}
