//! Unit-cost alignment with cuts where the best path crosses the end of a segment, as mwerSegmenter does it.
//!
//! Matusov et al. (2005, *Evaluating machine translation output with automatic sentence segmentation*). Every choice
//! between equals is that of mwerSegmenter and mweralign, so the cuts are theirs. Their oddity is kept too: the cell
//! before the first hypothesis token costs as many as there are reference tokens, paddings **and segment ends** before
//! it. Only [`guide`] does without.
//!
//! Only columns at the starts of blocks are kept. The way back computes one block after the other again, and only as
//! far down as the path can still go, so memory grows with the hypothesis and not with the table.

use super::anchors::anchors;
use super::columns::{Column, Masks, Steps, Walk};
use super::{Alignment, References};
use std::ops::Range;

/// How many words of the table may be kept at a time: 64 MB.
pub const STORE: usize = 1 << 23;

/// The cheapest segmentation of a hypothesis.
pub fn align(hypothesis: &[u32], references: &References, store: usize) -> Alignment {
    let masks = Masks::new(hypothesis);
    let numbers = masks.numbers(&references.tokens);
    let mut aligner = Aligner::new(&masks, true, store);
    if (0..references.segments()).all(|segment| references.of(segment).len() == 1) {
        let ends: Vec<usize> = (0..references.segments()).map(|segment| references.range(segment).end).collect();
        let way = aligner.trace(&Column::first(masks.words()), &numbers, &ends, hypothesis.len());
        return Alignment { cuts: way.cuts, cost: way.cost as u64, reference_tokens: numbers.len() as u64 };
    }
    aligner.align_to_several(&numbers, references, hypothesis.len())
}

/// How large the table of [`guide`] may be: above, it goes from anchor to anchor.
pub const MOST_CELLS: u64 = 200_000_000_000;

/// How many reference tokens are between two anchors.
const APART: usize = 20_000;

/// The cuts of the cheapest segmentation by the first reference of each segment, without the oddity; and through how
/// many anchors the way was made to go, because the table would have had more than `most_cells`.
pub fn guide(hypothesis: &[u32], references: &References, store: usize, most_cells: u64) -> (Vec<usize>, usize) {
    let (mut tokens, mut ends) = (Vec::new(), Vec::new());
    for segment in 0..references.segments() {
        tokens.extend_from_slice(references.tokens_of(references.of(segment).start));
        ends.push(tokens.len());
    }
    let mut places = match hypothesis.len() as u64 * tokens.len() as u64 > most_cells {
        // A smaller table than the usual one asks for nearer anchors.
        true => anchors(hypothesis, &tokens, APART.min(1 + tokens.len() / 8)),
        false => Vec::new(),
    };
    let found = places.len();
    places.push((hypothesis.len(), tokens.len()));
    let (mut cuts, mut here, mut there) = (Vec::with_capacity(ends.len()), 0, 0);
    for (next_here, next_there) in places {
        let part: Vec<usize> =
            ends.iter().skip(cuts.len()).take_while(|&&end| end <= next_there).map(|end| end - there).collect();
        let masks = Masks::new(&hypothesis[here..next_here]);
        let (first, numbers) = (Column::first(masks.words()), masks.numbers(&tokens[there..next_there]));
        let way = Aligner::new(&masks, false, store).trace(&first, &numbers, &part, next_here - here);
        cuts.extend(way.cuts.into_iter().map(|cut| here + cut));
        (here, there) = (next_here, next_there);
    }
    (cuts, found)
}

/// How many errors there are between two texts, at the least.
pub fn distance(hypothesis: &[u32], reference: &[u32]) -> usize {
    let masks = Masks::new(hypothesis);
    let mut column = Column::first(masks.words());
    Walk::new(&masks).advance(&mut column, &masks.numbers(reference));
    column.cell(hypothesis.len()) as usize
}

struct Aligner<'a> {
    walk: Walk<'a>,
    words: usize,
    with_oddity: bool,
    /// How many words may be kept.
    store: usize,
    steps: Steps,
}

/// A path from the last column to the first.
struct Way {
    /// Where it crosses each end, and where it comes to the first column.
    cuts: Vec<usize>,
    start: usize,
    /// The cell that it comes from.
    cost: i64,
}

impl<'a> Aligner<'a> {
    fn new(masks: &'a Masks, with_oddity: bool, store: usize) -> Self {
        Self { walk: Walk::new(masks), words: masks.words(), with_oddity, store, steps: Steps::default() }
    }

    /// How many columns of so many words a block has.
    fn block(&self, words: usize) -> usize {
        (self.store / (2 * words).max(1)).max(1)
    }

    /// Follows the cheapest path back from a position in the column after the last token. Segments end after so many
    /// tokens as `ends` says.
    fn trace(&mut self, first: &Column, numbers: &[u32], ends: &[usize], from: usize) -> Way {
        let block = self.block(from.div_ceil(64));
        let mut starts = vec![first.head(from.div_ceil(64))];
        for start in (block..numbers.len()).step_by(block) {
            let mut column = starts[starts.len() - 1].clone();
            self.run(&mut column, start - block..start, numbers, ends, false);
            starts.push(column);
        }
        let mut way = Way { cuts: vec![from; ends.len()], start: from, cost: 0 };
        let mut open = ends.len();
        while let Some(mut column) = starts.pop() {
            let range = starts.len() * block..numbers.len().min((starts.len() + 1) * block);
            column = column.head(way.start.div_ceil(64));
            self.run(&mut column, range.clone(), numbers, ends, true);
            if range.end == numbers.len() {
                way.cost = column.cell(from);
            }
            for token in range.clone().rev() {
                while open > 0 && ends[open - 1] == token + 1 {
                    open -= 1;
                    way.cuts[open] = way.start;
                }
                way.start = self.steps.back(token - range.start, way.start);
            }
        }
        way.cuts[..open].fill(way.start);
        way
    }

    /// Moves a column on over some tokens. The ends on the way raise its top, as long as that does anything.
    fn run(&mut self, column: &mut Column, range: Range<usize>, numbers: &[u32], ends: &[usize], keep: bool) {
        let Self { walk, steps, .. } = self;
        if keep {
            steps.restart(column.words());
        }
        let mut advance = |column: &mut Column, tokens: &[u32]| match keep {
            true => walk.advance_and_keep(column, tokens, steps),
            false => walk.advance(column, tokens),
        };
        let mut done = range.start;
        let first = if done == 0 { 0 } else { ends.partition_point(|&end| end <= done) };
        for &end in ends[first..].iter().take_while(|&&end| end <= range.end) {
            if !self.with_oddity || !column.can_raise_top() {
                break;
            }
            advance(column, &numbers[done..end]);
            column.raise_top();
            done = end;
        }
        advance(column, &numbers[done..range.end]);
    }

    fn align_to_several(&mut self, numbers: &[u32], references: &References, length: usize) -> Alignment {
        let segments = references.segments();
        let block = self.block(self.words);
        let (mut column, mut starts) = (Column::first(self.words), Vec::new());
        for segment in 0..segments {
            if segment % block == 0 {
                starts.push(column.clone());
            }
            column = self.merged(&column, segment, numbers, references);
        }
        let cost = column.cell(length) as u64;
        let (mut cuts, mut at, mut reference_tokens) = (vec![length; segments], length, 0);
        while let Some(start) = starts.pop() {
            let range = starts.len() * block..segments.min((starts.len() + 1) * block);
            let mut columns = vec![start.head(at.div_ceil(64))];
            for segment in range.start..range.end - 1 {
                columns.push(self.merged(&columns[columns.len() - 1], segment, numbers, references));
            }
            for (segment, column) in range.zip(&columns).rev() {
                cuts[segment] = at;
                let column = column.head(at.div_ceil(64));
                let chosen = self.chosen(&column, segment, numbers, references, at);
                reference_tokens += references.range(chosen).len() as u64;
                at = self.trace(&column, &numbers[references.range(chosen)], &[], at).start;
            }
        }
        Alignment { cuts, cost, reference_tokens }
    }

    /// The column after the end of a segment: the lowest cells of all its references. They are as if padded to the
    /// length of the longest, which shows in the top alone.
    fn merged(&mut self, start: &Column, segment: usize, numbers: &[u32], references: &References) -> Column {
        let (mut cells, mut longest) = (vec![i64::MAX; 64 * start.words()], 0);
        for reference in references.of(segment) {
            let tokens = &numbers[references.range(reference)];
            let mut column = start.clone();
            self.walk.advance(&mut column, tokens);
            column.lower(&mut cells);
            longest = longest.max(tokens.len());
        }
        let top = start.top + longest as i64 + 1;
        Column::pack(cells.first().map_or(top, |&cell| top.min(cell + 1)), &cells)
    }

    /// The first reference of a segment with the lowest cell at a position. At the top all have the same.
    fn chosen(&mut self, start: &Column, segment: usize, numbers: &[u32], references: &References, at: usize) -> usize {
        let all = references.of(segment);
        if at == 0 {
            return all.start;
        }
        let mut cell = |reference: usize| {
            let mut column = start.clone();
            self.walk.advance(&mut column, &numbers[references.range(reference)]);
            column.cell(at)
        };
        let cells: Vec<i64> = all.clone().map(&mut cell).collect();
        all.min_by_key(|reference| cells[reference - references.of(segment).start]).expect("a segment has a reference")
    }
}
