//! From the texts of a segment to their matches: what a counter of n-grams asks, however it is found out.
//!
//! There are two ways. The general one numbers the tokens of any text ([`crate::numbering`]) and matches the numbers
//! ([`crate::ngram`]). A kernel ([`crate::kernels`]) goes from bytes to matches in one pass, and may decline. What it
//! declines, at any text of a segment, is counted the general way from the hypothesis on, so the choice never shows in
//! a result.

use crate::batch::Segment;
use crate::kernels::Kernel;
use crate::ngram::AnyMatcher;
use crate::numbering::Numbering;
use crate::prepare::Reading;
use crate::text::Text;

/// Finds the matches between hypotheses and their references.
pub struct TextMatcher {
    general: General,
    kernel: Option<Box<dyn Kernel + Send>>,
}

impl TextMatcher {
    /// A matcher for the orders from 1 to `order` of tokens that are read so.
    pub fn new(reading: Reading, order: usize) -> Self {
        Self { general: General::new(reading, order), kernel: kernel(reading, order) }
    }

    /// A matcher that always goes the general way: what kernels are compared with.
    pub fn general(reading: Reading, order: usize) -> Self {
        Self { general: General::new(reading, order), kernel: None }
    }

    /// Takes the hypothesis of a segment.
    #[inline]
    pub fn start<'m, 'a>(&'m mut self, segment: Segment<'a>) -> Matching<'m, 'a> {
        let declined = self.kernel.as_mut().and_then(|kernel| kernel.start(segment.placed_hypothesis()));
        let length = declined.unwrap_or_else(|| self.general.start(segment.hypothesis()));
        Matching { is_general: declined.is_none(), matcher: self, segment, length, finished: 0, added: 0 }
    }
}

/// The kernel for a way of reading, if there is one.
fn kernel(_reading: Reading, _order: usize) -> Option<Box<dyn Kernel + Send>> {
    None
}

/// A hypothesis and those of its references that have been added.
pub struct Matching<'m, 'a> {
    matcher: &'m mut TextMatcher,
    segment: Segment<'a>,
    length: usize,
    added: usize,
    finished: usize, // how many of those added `finish` has counted
    is_general: bool,
}

impl Matching<'_, '_> {
    /// How many tokens the hypothesis has.
    #[inline]
    pub fn length(&self) -> usize {
        self.length
    }

    /// How many orders [`Matching::finish`] has matches of.
    pub fn orders(&self) -> usize {
        self.matcher.general.matcher.orders(self.length)
    }

    /// Matches the next reference and returns how many tokens it has; nothing if there are no more.
    #[inline]
    pub fn add(&mut self) -> Option<usize> {
        let reference = self.segment.references().nth(self.added)?;
        self.added += 1;
        if self.is_general {
            return Some(self.matcher.general.add(reference));
        }
        let kernel = self.matcher.kernel.as_mut()?;
        let placed = self.segment.placed_reference(self.added - 1);
        let length = kernel.add(self.segment.placed_hypothesis(), placed);
        Some(length.unwrap_or_else(|| self.start_over()))
    }

    /// Adds the matches of each order, 1 first, to `matches`, and forgets the references seen: those added from now on
    /// are matched by themselves.
    #[inline]
    pub fn finish(&mut self, matches: &mut [f64]) {
        self.finished = self.added;
        match &mut self.matcher.kernel {
            Some(kernel) if !self.is_general => kernel.finish(matches),
            _ => self.matcher.general.finish(matches),
        }
    }

    /// Matches all references that have been added the general way, since the kernel declined the last of them. Returns
    /// how many tokens that one has.
    #[cold]
    fn start_over(&mut self) -> usize {
        self.is_general = true;
        let general = &mut self.matcher.general;
        general.start(self.segment.hypothesis());
        let unfinished = self.segment.references().take(self.added).skip(self.finished);
        unfinished.map(|reference| general.add(reference)).last().unwrap_or(0)
    }
}

/// Numbers the tokens of any text, and matches the numbers.
struct General {
    numbering: Numbering,
    matcher: AnyMatcher,
    numbers: Vec<u32>,
}

impl General {
    fn new(reading: Reading, order: usize) -> Self {
        let numbering = Numbering::new(reading);
        let matcher = AnyMatcher::new(order, numbering.anchor());
        Self { numbering, matcher, numbers: Vec::new() }
    }

    fn start(&mut self, hypothesis: Text<'_>) -> usize {
        let highest = self.numbering.number_hypothesis(hypothesis, &mut self.numbers);
        let length = self.numbers.len();
        self.matcher.start(&mut self.numbers, highest);
        length
    }

    fn add(&mut self, reference: Text<'_>) -> usize {
        self.numbering.number_reference(reference, &mut self.numbers);
        let length = self.numbers.len();
        self.matcher.add_reference(&mut self.numbers);
        length
    }

    fn finish(&mut self, matches: &mut [f64]) {
        self.matcher.finish(matches);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Batch;
    use crate::prepare::Tokenizer;
    use crate::text::Placed;
    use crate::unicode::code_points;
    use proptest::prelude::*;
    use std::convert::Infallible;

    /// Counts as the general way does, and declines every text with an x.
    struct Reluctant(General);

    impl Reluctant {
        fn accepts(text: Text<'_>) -> bool {
            !text.code_points().contains(&u32::from(b'x'))
        }
    }

    impl Kernel for Reluctant {
        fn start(&mut self, hypothesis: Placed<'_>) -> Option<usize> {
            Self::accepts(hypothesis.text).then(|| self.0.start(hypothesis.text))
        }

        fn add(&mut self, _: Placed<'_>, reference: Placed<'_>) -> Option<usize> {
            Self::accepts(reference.text).then(|| self.0.add(reference.text))
        }

        fn finish(&mut self, matches: &mut [f64]) {
            self.0.finish(matches);
        }
    }

    const READING: Reading = Reading::Words(Tokenizer::None);

    fn batch(segments: &[Vec<String>]) -> Batch {
        let mut batch = Batch::default();
        for texts in segments {
            batch.begin_segment();
            for text in texts {
                let Ok(()) = batch.push_text(|buffer| {
                    buffer.extend(code_points(text));
                    Ok::<(), Infallible>(())
                });
            }
            batch.end_segment(true);
        }
        batch.settle();
        batch
    }

    /// Lengths and matches of all segments, with a look at them after every so many references.
    fn counted(matcher: &mut TextMatcher, batch: &Batch, every: usize) -> (Vec<usize>, Vec<f64>) {
        let (mut lengths, mut found) = (Vec::new(), Vec::new());
        for segment in batch.segments() {
            let mut matching = matcher.start(segment);
            lengths.push(matching.length());
            let mut references = 0;
            while let Some(length) = matching.add() {
                lengths.push(length);
                references += 1;
                if references % every == 0 {
                    found.resize(found.len() + 3, 0.0);
                    let start = found.len() - 3;
                    matching.finish(&mut found[start..]);
                }
            }
        }
        (lengths, found)
    }

    proptest! {
        #[test]
        fn what_a_kernel_declines_is_counted_the_general_way(
            segments in prop::collection::vec(prop::collection::vec("[ab]( [abx])?( [ab]){0,4}", 2..5), 1..4),
            every in 1_usize..4,
        ) {
            let batch = batch(&segments);
            let mut ours = TextMatcher::general(READING, 3);
            ours.kernel = Some(Box::new(Reluctant(General::new(READING, 3))));
            let expected = counted(&mut TextMatcher::general(READING, 3), &batch, every);
            prop_assert_eq!(expected, counted(&mut ours, &batch, every));
        }
    }
}
