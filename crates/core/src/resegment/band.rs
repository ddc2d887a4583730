//! A band of the table around a guess of the way, and a bound for all paths that leave it.
//!
//! The whole table grows with the product of two lengths, and a path of few errors is near to its diagonal. But half of
//! the tokens of a translation differ from those of a reference, and what so many errors could reach (Ukkonen 1985) is
//! nearly half of the table. So it is shown in another way that no path outside can be as cheap as the best one inside.
//!
//! The reference is cut into *parts* of some hundred tokens, each with the words of the table that the band has there.
//! A path that leaves the band goes inside until it leaves for the first time, in part *a*, and again inside after it
//! has come back for the last time, in part *b*. So it costs at least
//!
//! - what the cheapest way inside costs to a cell at the rim of part *a* ([`Exits`], a side effect of the columns),
//! - what each part between costs at the least, wherever its tokens are in the hypothesis (`least`),
//! - and what the cheapest way inside costs from a cell at the rim of part *b* to the end (`entries`: the exits of the
//!   texts in reverse).
//!
//! The first and the last are together far more than the best path costs over the same rows, since the rim is far from
//! it; and what lies between is hardly less than it costs there. If the sum is above the cost of the best path inside
//! for all *a* and *b*, then all cheapest paths are inside, every cell on them is exact, and no other cell is below
//! what it should be: the way back, which compares neighbours, takes the same steps as in the whole table.
//!
//! What a part costs at the least is computed inside the band, with any cell for a start. Outside, its tokens in any
//! order are compared with those of each stretch of the hypothesis: a path through L reference tokens and a stretch of
//! x tokens costs at least max(L, x) less the number of tokens that they share, and a stretch that is longer than L by
//! y shares at most y more, so stretches of L tokens say it for all. German news shares less than half with German news
//! that is not its translation. A stretch that shares more is computed too, unless there are many.
//!
//! Time is linear where this works, but for the comparison of stretches: some `n² / 60` instructions instead of the
//! table's `n² / 2`. It does not work where the tokens are characters (most of which any two stretches share), where a
//! hypothesis has little to do with its reference, or where it has a long passage too much, since only reference tokens
//! are counted between *a* and *b*. This is noticed soon, and the whole table is computed.
//!
//! Parts of 1,024 tokens would halve the comparisons, but share more with other text than parts of 512, and need a
//! wider band: it was slower.

use super::anchors::anchors;
use super::columns::{ABSENT, Column, Masks, Walk};
use crate::halt;
use std::ops::Range;

/// How a band is made; other numbers than the usual ones are for tests.
#[derive(Clone, Debug)]
pub struct Shape {
    /// How many reference tokens a part has.
    pub rows: usize,
    /// How many tokens there are at first between the guess of the way and the rim, for a short reference.
    pub reach: usize,
    /// A table of fewer cells is computed as a whole.
    pub least_cells: u64,
}

impl Default for Shape {
    fn default() -> Self {
        Self { rows: 512, reach: 512, least_cells: 1 << 26 }
    }
}

/// The words of the table that are in the band, for each part of the reference.
#[derive(Debug)]
pub struct Band {
    /// How many reference tokens a part has; the last may have fewer.
    pub rows: usize,
    /// The words of each part. None begins or ends above the one before it.
    pub parts: Vec<Range<usize>>,
    /// How many tokens there are between the guess of the way and the rim.
    reach: usize,
}

/// What is needed to show that no path outside a band is cheapest.
pub struct Proof<'a> {
    hypothesis: &'a [u32],
    shape: &'a Shape,
    /// Places of the hypothesis and the reference that likely belong together: the guess of the way.
    places: Vec<(usize, usize)>,
    masks: &'a Masks,
    /// The tokens of the reference and of the hypothesis as `masks` knows them.
    numbers: &'a [u32],
    own: Vec<u32>,
    /// Of each token, how many more the stretch may have that shares tokens with a part.
    wanted: Vec<i32>,
}

impl<'a> Proof<'a> {
    /// Prepares for a hypothesis and the tokens of its reference; None where the whole table is quicker.
    pub fn new(
        hypothesis: &'a [u32],
        reference: &[u32],
        masks: &'a Masks,
        numbers: &'a [u32],
        shape: &'a Shape,
    ) -> Option<Self> {
        if hypothesis.is_empty() || (hypothesis.len() as u64 * reference.len() as u64) < shape.least_cells.max(1) {
            return None;
        }
        let mut places = vec![(0, 0)];
        places.extend(anchors(hypothesis, reference, shape.rows));
        places.push((hypothesis.len(), reference.len()));
        let mut wanted = Vec::new();
        halt::resize(&mut wanted, masks.kinds(), 0);
        Some(Self { hypothesis, shape, places, masks, numbers, own: masks.numbers(hypothesis), wanted })
    }

    /// The next band to try after one outside which paths may be cheaper by `missing`. None if it would be a large
    /// part of the table, or if a path that goes twice as far would still not cost that much more.
    pub fn band(&self, before: Option<&Band>, missing: i64) -> Option<Band> {
        let reach = match before {
            // At least one, or it could not double.
            None => (self.shape.reach + self.numbers.len() / 256).max(1),
            Some(band) if missing <= 4 * band.reach as i64 => 2 * band.reach,
            Some(_) => return None,
        };
        let band = Band::around(&self.places, self.shape.rows, reach);
        let words: usize = band.parts.iter().map(Range::len).sum();
        (4 * words < self.masks.words() * band.parts.len()).then_some(band)
    }

    /// What a path costs at the least that leaves a band. `exits` are those of the band, and `cost` is what some path
    /// costs: dearer ones are not looked at. None if that would be far too little to say anything.
    pub fn cheapest_outside(&mut self, band: &Band, exits: &[i64], cost: i64) -> Option<i64> {
        let (least, entries) = (self.least(band, cost)?, self.entries(band));
        let (mut cheapest, mut so_far) = (i64::MAX, i64::MAX / 2);
        for ((&exit, &entry), least) in exits.iter().zip(&entries).zip(least) {
            cheapest = cheapest.min(so_far.min(exit) + entry);
            so_far = (so_far + least).min(exit);
        }
        Some(cheapest)
    }

    /// For each part, what the way costs at the least from a cell at its rim to the end.
    fn entries(&self, band: &Band) -> Vec<i64> {
        let words = self.masks.words();
        // Backwards, position j is 64 * words + 1 - j, so that words stay together; position 0 has a word of its own.
        let blank = 64 * words + 1 - self.hypothesis.len();
        let reversed: Vec<u32> = self.hypothesis.iter().rev().copied().collect();
        let masks = Masks::after(blank, &reversed);
        let numbers: Vec<u32> = self.numbers.iter().rev().copied().collect();
        let (mut walk, mut column) =
            (Walk::new(&masks), Column::around(blank, band.parts.last().map_or(0, Range::len)));
        let parts: Vec<_> = band.parts.iter().rev().map(|part| mirrored(part, words)).collect();
        let mut exits = Exits::default();
        // The last part of the reference may be short, and is the first here.
        let mut rest = &numbers[..];
        for (at, part) in parts.iter().enumerate() {
            let short = if at == 0 { self.numbers.len() - (parts.len() - 1) * band.rows } else { band.rows };
            let (tokens, others) = rest.split_at(short);
            exits.enter(&mut column, part);
            exits.pass(walk.advance(&mut column, tokens), part.end > words);
            rest = others;
        }
        exits.0.reverse();
        exits.0
    }

    /// What each part costs at the least, wherever its tokens are. None if that is so much less than inside the band
    /// that the rim, whose cells cost more the further it is away, cannot make good for it.
    fn least(&mut self, band: &Band, cost: i64) -> Option<Vec<i64>> {
        let (mut walk, mut missing) = (Walk::new(self.masks), 0);
        let parts = band.parts.iter().zip(self.numbers.chunks(band.rows)).enumerate();
        let least = parts.map(|(at, (part, tokens))| {
            let inside = cheapest(&mut walk, part.clone(), tokens);
            let (limit, stretches) = self.few_doubtful(at * band.rows, tokens, part, inside, cost);
            let outside = stretches.into_iter().map(|words| cheapest(&mut walk, words, tokens)).min();
            let least = limit.min(outside.unwrap_or(limit));
            missing += inside - least;
            (missing <= 4 * band.reach as i64).then_some(least)
        });
        least.collect()
    }

    /// A limit of at most `most` under which a part of the reference is doubtful in few words of the table, and these.
    fn few_doubtful(
        &mut self,
        first_row: usize,
        tokens: &[u32],
        part: &Range<usize>,
        most: i64,
        cost: i64,
    ) -> (i64, Vec<Range<usize>>) {
        let mut limit = most;
        loop {
            let stretches = self.doubtful(first_row, tokens, part, limit, cost);
            let words: Vec<_> =
                stretches.into_iter().map(|stretch| stretch.start / 64..stretch.end.div_ceil(64)).collect();
            if words.iter().map(Range::len).sum::<usize>() <= (self.masks.words() / 16).max(4 * part.len()) {
                return (limit, words);
            }
            limit -= 1 + tokens.len() as i64 / 16;
        }
    }

    /// The stretches of the hypothesis, not all of them in the band, that share so many tokens with a part of the
    /// reference that it could cost less there than `limit`. Those that overlap are one.
    fn doubtful(
        &mut self,
        first_row: usize,
        tokens: &[u32],
        part: &Range<usize>,
        limit: i64,
        cost: i64,
    ) -> Vec<Range<usize>> {
        let region = self.reachable(first_row, tokens.len(), cost);
        let length = tokens.len().min(region.len());
        let mut found = Vec::<Range<usize>>::new();
        self.each_stretch(tokens, &region, tokens.len() as i64 - limit, |start| {
            let start = region.start + start;
            match found.last_mut() {
                Some(last) if start <= last.end => last.end = start + length,
                _ => found.push(start..start + length),
            }
        });
        let (above, below) = (64 * part.start, 64 * part.end);
        let is_inside = |stretch: &Range<usize>| {
            (above == 0 || stretch.start > above) && (part.end == self.masks.words() || stretch.end < below)
        };
        found.retain(|stretch| !is_inside(stretch));
        found
    }

    /// Shows the starts of all stretches in a region, each as long as the tokens, that share more than `most` of them.
    fn each_stretch(&mut self, tokens: &[u32], region: &Range<usize>, most: i64, mut show: impl FnMut(usize)) {
        let (own, wanted) = (&self.own[region.clone()], &mut self.wanted[..]);
        let length = tokens.len().min(own.len());
        halt::spend(1 + own.len() / 8);
        tokens.iter().filter(|&&number| number != ABSENT).for_each(|&number| wanted[number as usize] += 1);
        let mut shared = 0;
        for &number in &own[..length] {
            shared += i64::from(wanted[number as usize] > 0);
            wanted[number as usize] -= 1;
        }
        if shared > most {
            show(0);
        }
        for (at, (&before, &after)) in own.iter().zip(&own[length..]).enumerate() {
            wanted[before as usize] += 1;
            shared -= i64::from(wanted[before as usize] > 0);
            shared += i64::from(wanted[after as usize] > 0);
            wanted[after as usize] -= 1;
            if shared > most {
                show(at + 1);
            }
        }
        wanted.fill(0);
    }

    /// Which tokens of the hypothesis a path of at most this cost can meet in a part of the reference: each step away
    /// from a diagonal costs one.
    fn reachable(&self, first_row: usize, rows: usize, cost: i64) -> Range<usize> {
        let (length, reference) = (self.hypothesis.len() as i64, self.numbers.len() as i64);
        let longer = length - reference;
        let first = (first_row as i64 + (longer - cost) / 2 - 1).clamp(0, length);
        let last = ((first_row + rows) as i64 + (longer + cost) / 2 + 1).clamp(first, length);
        first as usize..last as usize
    }
}

/// What some tokens cost at the least in some words of the table, from any cell to any other.
fn cheapest(walk: &mut Walk<'_>, words: Range<usize>, tokens: &[u32]) -> i64 {
    let mut column = Column::level(words);
    walk.advance(&mut column, tokens);
    column.lowest()
}

fn mirrored(part: &Range<usize>, words: usize) -> Range<usize> {
    words - part.end..words - part.start + usize::from(part.start == 0)
}

impl Band {
    /// The band that goes through some places and, between them, straight on.
    fn around(places: &[(usize, usize)], rows: usize, reach: usize) -> Self {
        let &(length, reference) = &places[places.len() - 1];
        let mut at = 0;
        let mut position = |row: usize| {
            while at + 2 < places.len() && places[at + 1].1 < row {
                at += 1;
            }
            let ((here, there), (next_here, next_there)) = (places[at], places[at + 1]);
            here + (row - there) * (next_here - here) / (next_there - there).max(1)
        };
        let bounds: Vec<usize> = (0..reference).step_by(rows).chain([reference]).map(&mut position).collect();
        let words = |pair: &[usize]| pair[0].saturating_sub(reach) / 64..length.min(pair[1] + reach).div_ceil(64);
        Self { rows, parts: bounds.windows(2).map(words).collect(), reach }
    }
}

/// For each part of a band, what the cheapest way inside costs to a cell from which a path can leave the band.
#[derive(Default)]
pub struct Exits(pub Vec<i64>);

impl Exits {
    /// Moves a column to the words of the next part. The cells that are left out are exits of the part before.
    pub fn enter(&mut self, column: &mut Column, part: &Range<usize>) {
        if let (Some(lowest), Some(exit)) = (column.move_down(part), self.0.last_mut()) {
            *exit = lowest.min(*exit);
        }
    }

    /// Notes the lowest cell at the lower rim of a part, which is an exit unless the table ends there.
    pub fn pass(&mut self, lowest: i64, is_end: bool) {
        self.0.push(if is_end { i64::MAX / 4 } else { lowest });
    }
}
