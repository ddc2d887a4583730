//! Unit-cost alignment with cuts where the best path crosses the end of a segment, as mwerSegmenter does it.
//!
//! Matusov et al. (2005, *Evaluating machine translation output with automatic sentence segmentation*). Every choice
//! between equals is that of mwerSegmenter and mweralign, so the cuts are theirs. Their oddity is kept too: the cell
//! before the first hypothesis token costs as many as there are reference tokens, paddings **and segment ends** before
//! it. Only [`guide`] does without.
//!
//! Only columns at the starts of blocks are kept. The way back computes one block after the other again, and only as
//! far down as the path can still go, so memory grows with the hypothesis and not with the table. Of a large table only
//! a band is computed, if it can be shown that all cheapest paths are inside ([`band`]).

use super::anchors::anchors;
use super::band::{Band, Exits, Proof, Shape};
use super::columns::{Column, Masks, Steps, Walk};
use super::{Alignment, References};
use crate::halt;
use std::ops::Range;

/// What the work may take; other numbers than the usual ones are for tests.
#[derive(Clone, Debug)]
pub struct Means {
    /// How many words of the table may be kept at a time.
    pub store: usize,
    /// How bands are made.
    pub shape: Shape,
}

impl Default for Means {
    /// 64 MB, and the usual bands.
    fn default() -> Self {
        Self { store: 1 << 23, shape: Shape::default() }
    }
}

/// The cheapest segmentation of a hypothesis.
pub fn align(hypothesis: &[u32], references: &References, means: &Means) -> Alignment {
    if (0..references.segments()).all(|segment| references.of(segment).more.is_empty()) {
        let ends: Vec<usize> = (0..references.segments()).map(|segment| references.range(segment).end).collect();
        let way = cheapest_way(hypothesis, &references.tokens, &ends, true, means);
        let reference_tokens = references.tokens.len() as u64;
        return Alignment { cuts: way.cuts, cost: way.cost as u64, reference_tokens };
    }
    let masks = Masks::new(hypothesis);
    let numbers = masks.numbers(&references.tokens);
    Aligner::new(&masks, true, means.store).align_to_several(&numbers, references, hypothesis.len())
}

/// How large the table of [`guide`] may be: above, it goes from anchor to anchor.
pub const MOST_CELLS: u64 = 200_000_000_000;

/// How many reference tokens are between two anchors.
const APART: usize = 20_000;

/// The cuts of the cheapest segmentation by the first reference of each segment, without the oddity; and through how
/// many anchors the way was made to go, because the table would have had more than `most_cells`.
pub fn guide(hypothesis: &[u32], references: &References, means: &Means, most_cells: u64) -> (Vec<usize>, usize) {
    let (mut tokens, mut ends) = (Vec::new(), Vec::new());
    halt::reserve(&mut tokens, references.tokens.len());
    for segment in 0..references.segments() {
        tokens.extend_from_slice(references.tokens_of(references.of(segment).first));
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
        let way = cheapest_way(&hypothesis[here..next_here], &tokens[there..next_there], &part, false, means);
        cuts.extend(way.cuts.into_iter().map(|cut| here + cut));
        (here, there) = (next_here, next_there);
    }
    (cuts, found)
}

/// The cheapest path through a table with one reference: in a band if one holds it, or through the whole table.
fn cheapest_way(hypothesis: &[u32], reference: &[u32], ends: &[usize], with_oddity: bool, means: &Means) -> Way {
    let masks = Masks::new(hypothesis);
    let numbers = masks.numbers(reference);
    let mut aligner = Aligner::new(&masks, with_oddity, means.store);
    let proof = Proof::new(hypothesis, reference, &masks, &numbers, &means.shape);
    let in_band = proof.and_then(|proof| aligner.trace_in_band(proof, &numbers, ends, hypothesis.len()));
    in_band.unwrap_or_else(|| aligner.trace(&Column::first(masks.words()), &numbers, ends, hypothesis.len()))
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
        let mut starts = vec![first.above(from)];
        for start in (block..numbers.len()).step_by(block) {
            let mut column = starts[starts.len() - 1].clone();
            self.run(&mut column, start - block..start, numbers, ends, false);
            starts.push(column);
        }
        self.trace_back(starts, block, numbers, ends, from)
    }

    /// Follows the cheapest path back from the last cell; None if no band is shown to hold all cheapest paths.
    fn trace_in_band(&mut self, mut proof: Proof<'_>, numbers: &[u32], ends: &[usize], last: usize) -> Option<Way> {
        let mut band = proof.band(None, 0)?;
        loop {
            let (starts, exits, cost) = self.starts_in_band(&band, numbers, ends, last);
            let outside = proof.cheapest_outside(&band, &exits, cost)?;
            if cost < outside {
                return Some(self.trace_back(starts, band.rows, numbers, ends, last));
            }
            band = proof.band(Some(&band), cost - outside)?;
        }
    }

    /// The columns at the starts of the parts of a band, its exits, and what the path to the last cell costs inside.
    fn starts_in_band(
        &mut self,
        band: &Band,
        numbers: &[u32],
        ends: &[usize],
        last: usize,
    ) -> (Vec<Column>, Vec<i64>, i64) {
        let mut column = Column::first(band.parts.first().map_or(0, Range::len));
        let (mut starts, mut exits) = (Vec::with_capacity(band.parts.len()), Exits::default());
        for (at, part) in band.parts.iter().enumerate() {
            exits.enter(&mut column, part);
            starts.push(column.clone());
            let range = at * band.rows..numbers.len().min((at + 1) * band.rows);
            let lowest = self.run(&mut column, range, numbers, ends, false);
            exits.pass(lowest, part.end == self.words);
        }
        let cost = column.cell(last);
        (starts, exits.0, cost)
    }

    /// Follows the cheapest path back, block by block, from the columns at their starts.
    fn trace_back(
        &mut self,
        mut starts: Vec<Column>,
        block: usize,
        numbers: &[u32],
        ends: &[usize],
        from: usize,
    ) -> Way {
        let mut way = Way { cuts: vec![from; ends.len()], start: from, cost: 0 };
        let mut open = ends.len();
        while let Some(column) = starts.pop() {
            let range = starts.len() * block..numbers.len().min((starts.len() + 1) * block);
            let mut column = column.above(way.start);
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

    /// Moves a column on over some tokens. The ends on the way raise its top, as long as that does anything. Returns
    /// the lowest of the bottom cells.
    fn run(&mut self, column: &mut Column, range: Range<usize>, numbers: &[u32], ends: &[usize], keep: bool) -> i64 {
        let Self { walk, steps, .. } = self;
        if keep {
            steps.restart(column);
        }
        let mut advance = |column: &mut Column, tokens: &[u32]| match keep {
            true => walk.advance_and_keep(column, tokens, steps),
            false => walk.advance(column, tokens),
        };
        let (mut done, mut lowest) = (range.start, i64::MAX);
        let first = if done == 0 { 0 } else { ends.partition_point(|&end| end <= done) };
        for &end in ends[first..].iter().take_while(|&&end| end <= range.end) {
            if !self.with_oddity || !column.can_raise_top() {
                break;
            }
            lowest = lowest.min(advance(column, &numbers[done..end]));
            column.raise_top();
            done = end;
        }
        lowest.min(advance(column, &numbers[done..range.end]))
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
            let mut columns = vec![start.above(at)];
            for segment in range.start..range.end - 1 {
                columns.push(self.merged(&columns[columns.len() - 1], segment, numbers, references));
            }
            for (segment, column) in range.zip(&columns).rev() {
                cuts[segment] = at;
                let column = column.above(at);
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
        for reference in references.of(segment).all() {
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
            return all.first;
        }
        all.lowest_by(|reference| {
            let mut column = start.clone();
            self.walk.advance(&mut column, &numbers[references.range(reference)]);
            column.cell(at)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text of 6000 tokens, and the same with errors in two of five.
    fn texts() -> (Vec<u32>, Vec<u32>) {
        let reference: Vec<u32> = (0..6000).map(|at| at * at % 99_991).collect();
        let token = |(at, &token): (usize, &u32)| if at % 10 < 6 { token } else { 9000 + at as u32 % 77 };
        let hypothesis = reference.iter().enumerate().map(token).collect();
        (reference, hypothesis)
    }

    fn is_shown(hypothesis: &[u32], reference: &[u32]) -> bool {
        let shape = Shape { rows: 100, reach: 64, least_cells: 0 };
        let masks = Masks::new(hypothesis);
        let numbers = masks.numbers(reference);
        let proof = Proof::new(hypothesis, reference, &masks, &numbers, &shape).unwrap();
        let way = Aligner::new(&masks, true, 1).trace_in_band(proof, &numbers, &[], hypothesis.len());
        let whole =
            Aligner::new(&masks, true, 1 << 20).trace(&Column::first(masks.words()), &numbers, &[], hypothesis.len());
        way.is_some_and(|way| way.cost == whole.cost)
    }

    #[test]
    fn a_band_is_enough_where_texts_belong_together_and_is_not_trusted_where_they_do_not() {
        let (reference, hypothesis) = texts();
        assert!(is_shown(&hypothesis, &reference));
        // Long passages may be missing, shorter ones be too much, and all be there twice.
        let missing = [&hypothesis[..2000], &hypothesis[2600..]].concat();
        assert!(is_shown(&missing, &reference));
        let too_much = [&hypothesis[..2000], &reference[3900..4100], &hypothesis[2000..]].concat();
        assert!(is_shown(&too_much, &reference));
        assert!(is_shown(&[&hypothesis[..], &hypothesis].concat(), &[&reference[..], &reference].concat()));
        let moved = [&hypothesis[3000..], &hypothesis[..3000]].concat();
        let other: Vec<u32> = reference.iter().map(|token| token % 3).collect();
        assert!(!is_shown(&moved, &reference) && !is_shown(&other, &reference));
    }
}
