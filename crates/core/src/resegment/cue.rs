//! Segmentation by edit distance and by what the end of a sentence looks like.
//!
//! Edit distance alone leaves many cuts undecided, most often on which side a missing or an added word belongs. So a
//! cut is made only where the text permits one, and costs more where the reference ends with a full stop and the
//! hypothesis does not, where it goes on with a capital and the hypothesis does not, and the like. All costs are in
//! sixteenths of a token; they were tuned on six WMT22 systems, and any change of them is another method with another
//! number in the signature.
//!
//! Two passes. The first aligns the whole document word by word ([`super::mwer::guide`]), which finds the way even if
//! long stretches are missing. The second applies the costs in a window around that way. It carries along where the
//! current segment began, so that nothing but one row for each segment is kept. A third, from the end to the start,
//! says how much dearer the best other cut would be.

use super::{References, errors, mwer};
use crate::halt;
use crate::threads::Threads;
use std::convert::Infallible;

/// What a token is: the lowest three bits of its sort.
pub mod kind {
    /// Letters, marks and numbers.
    pub const WORD: u8 = 0;
    /// A sign that is none of the following.
    pub const OTHER: u8 = 1;
    /// The end of a sentence.
    pub const TERMINAL: u8 = 2;
    /// A comma, semicolon or colon.
    pub const COMMA: u8 = 3;
    /// A closing quotation mark or bracket.
    pub const CLOSER: u8 = 4;
    /// An opening quotation mark.
    pub const QUOTE: u8 = 5;
    /// No token, but a line break that no segment may go across.
    pub const BARRIER: u8 = 6;
    /// The bits of the kind.
    pub const BITS: u8 = 7;
}
/// The token begins with a capital.
pub const CAPITAL: u8 = 8;
/// A segment may begin with the token.
pub const PERMITTED: u8 = 16;
/// There is a given line break before the token.
pub const BREAK: u8 = 32;

/// A document to be divided.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The tokens of the hypothesis, and the sort of each.
    pub tokens: Vec<u32>,
    /// The sorts of the hypothesis's tokens.
    pub sorts: Vec<u8>,
    /// The references.
    pub references: References,
    /// The sorts of the references' tokens.
    pub reference_sorts: Vec<u8>,
    /// Whether the text is written without spaces between words.
    pub is_spaceless: bool,
    /// Whether cuts where a line break was given are preferred.
    pub prefers_breaks: bool,
}

/// How a document was divided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Division {
    /// After how many tokens of the hypothesis each segment ends.
    pub cuts: Vec<usize>,
    /// How much dearer the best other cut is, in sixteenths; `u32::MAX` where there is none.
    pub margins: Vec<u32>,
    /// Where the best other cut is.
    pub others: Vec<usize>,
    /// The errors of each segment and the length of the reference they were counted against.
    pub errors: Vec<(u32, u32)>,
    /// What everything costs, in sixteenths of a token.
    pub cost: u64,
    /// Through how many anchors the first pass went, because the document is very long.
    pub anchors: usize,
}

/// Divides documents. `window` is how far from the first pass's way the second may go; None for any distance. The first
/// pass goes from anchor to anchor where its table would have more than `most_cells`.
pub fn divide(documents: &[Document], window: Option<usize>, most_cells: u64, threads: &Threads) -> Vec<Division> {
    let frequent = frequent_words(documents);
    halt::expect(documents.len());
    let work = |at: usize| {
        let division = divide_one(&documents[at], &frequent, window, most_cells);
        halt::advance(1);
        Ok::<_, Infallible>(division)
    };
    threads.map(documents.len(), || work).unwrap_or_else(|never| match never {})
}

/// For each token, whether it is more than 0.2 % of all.
fn frequent_words(documents: &[Document]) -> Vec<bool> {
    let (mut counts, mut total): (Vec<u64>, u64) = (Vec::new(), 0);
    for document in documents {
        let hypothesis = document.tokens.iter().zip(&document.sorts);
        for (&token, sort) in hypothesis.chain(document.references.tokens.iter().zip(&document.reference_sorts)) {
            if sort & kind::BITS != kind::BARRIER {
                let needed = counts.len().max(token as usize + 1);
                halt::resize(&mut counts, needed, 0);
                counts[token as usize] += 1;
                total += 1;
            }
        }
    }
    counts.into_iter().map(|count| 500 * count > total).collect()
}

fn divide_one(document: &Document, frequent: &[bool], window: Option<usize>, most_cells: u64) -> Division {
    let (references, length) = (&document.references, document.tokens.len());
    let has_text =
        |&segment: &usize| references.of(segment).all().any(|reference| !references.range(reference).is_empty());
    let filled: Vec<usize> = (0..references.segments()).filter(has_text).collect();
    let segments = references.segments();
    let mut division = Division {
        cuts: vec![0; segments],
        margins: vec![u32::MAX; segments],
        others: vec![0; segments],
        ..Division::default()
    };
    if !filled.is_empty() {
        let found = Problem::new(document, &filled, frequent).solve(document, &filled, window, most_cells);
        (division.cost, division.anchors) = (found.cost, found.anchors);
        // A segment whose references are empty gets no text: it ends where the one before it does.
        for (at, &segment) in filled.iter().enumerate() {
            let next = filled.get(at + 1).copied().unwrap_or(segments);
            division.cuts[segment..next].fill(found.cuts[at]);
            division.margins[segment..next].fill(found.margins[at]);
            division.others[segment..next].fill(found.others[at]);
        }
    }
    if let Some(last) = division.cuts.last_mut() {
        *last = length;
    }
    division.errors = errors_between_barriers(document, &division.cuts);
    division
}

fn errors_between_barriers(document: &Document, cuts: &[usize]) -> Vec<(u32, u32)> {
    let is_token = |at: &usize| document.sorts[*at] & kind::BITS != kind::BARRIER;
    let kept: Vec<usize> = (0..document.tokens.len()).filter(is_token).collect();
    let tokens: Vec<u32> = kept.iter().map(|&at| document.tokens[at]).collect();
    let cuts: Vec<usize> = cuts.iter().map(|&cut| kept.partition_point(|&at| at < cut)).collect();
    errors(&tokens, &document.references, &cuts)
}

/// What cannot be. Two of them can be added.
const NEVER: i32 = 1 << 29;

/// How near to the rim of its window a path may come.
const RIM: usize = 16;

struct Prices {
    frequent_word: i32,
    no_terminal: i32,
    no_capital: i32,
    other_comma: i32,
    no_break: i32,
}

const WORD: i32 = 16;
const SIGN: i32 = 10;
const SPACED: Prices = Prices { frequent_word: 10, no_terminal: 48, no_capital: 24, other_comma: 8, no_break: 12 };
const SPACELESS: Prices = Prices { frequent_word: 6, no_terminal: 80, no_capital: 24, other_comma: 16, no_break: 16 };

/// A token with what it costs to add or to leave out.
#[derive(Clone, Copy)]
struct Token {
    number: u32,
    cost: i32,
    is_word: bool,
}

/// What a cut costs in a place of the hypothesis, whatever the reference.
#[derive(Clone, Copy)]
struct Place {
    is_permitted: bool,
    is_after_terminal: bool,
    is_after_comma: bool,
    lacks_capital: bool,
    is_break: bool,
}

/// What the references say of the boundary between two segments.
#[derive(Clone, Copy)]
struct Boundary {
    /// Some reference ends with a terminal.
    wants_terminal: bool,
    /// All references of the next segment begin with a capital.
    wants_capital: bool,
    /// Some reference ends with a comma; some ends without.
    with_comma: bool,
    without_comma: bool,
}

struct Problem {
    tokens: Vec<Token>,
    places: Vec<Place>,
    segments: Vec<Texts>,
    boundaries: Vec<Boundary>,
    prices: Prices,
}

/// The tokens of the references of a segment.
struct Texts {
    first: Vec<Token>,
    more: Vec<Vec<Token>>,
}

/// The cheapest ways to all positions in a segment's window: their costs above `base`, and where the segment began.
struct Row {
    first: usize,
    base: i64,
    costs: Vec<i32>,
    origins: Vec<u32>,
}

impl Row {
    fn cost(&self, position: usize) -> i32 {
        position.checked_sub(self.first).and_then(|at| self.costs.get(at)).copied().unwrap_or(NEVER)
    }
}

impl Problem {
    fn new(document: &Document, filled: &[usize], frequent: &[bool]) -> Self {
        let prices = if document.is_spaceless { SPACELESS } else { SPACED };
        let token = |number: u32, sort: u8| {
            let is_word = sort & kind::BITS == kind::WORD;
            let cost = match sort & kind::BITS {
                kind::BARRIER => NEVER,
                kind::WORD if frequent[number as usize] => prices.frequent_word,
                kind::WORD => WORD,
                _ => SIGN,
            };
            Token { number, cost, is_word }
        };
        let references = &document.references;
        let of_reference = |reference: usize| {
            references.range(reference).map(|at| token(references.tokens[at], document.reference_sorts[at])).collect()
        };
        let tokens = document.tokens.iter().zip(&document.sorts).map(|(&number, &sort)| token(number, sort)).collect();
        let of_segment = |&segment: &usize| {
            let of = references.of(segment);
            Texts { first: of_reference(of.first), more: of.more.map(of_reference).collect() }
        };
        let segments = filled.iter().map(of_segment).collect();
        let boundaries = filled.windows(2).map(|pair| boundary(document, pair[0], pair[1])).collect();
        Self { tokens, places: places(document), segments, boundaries, prices }
    }

    fn solve(self, document: &Document, filled: &[usize], window: Option<usize>, most_cells: u64) -> Division {
        let length = self.tokens.len();
        let mut reach = vec![window.map_or(length, |window| window.clamp(1, length.max(1))); filled.len()];
        let (guide, anchors) = match window {
            Some(_) => {
                let references = first_references(&document.references, filled);
                mwer::guide(&document.tokens, &references, &mwer::Means::default(), most_cells)
            }
            None => (vec![length; filled.len()], 0),
        };
        loop {
            let windows = windows(&guide, &reach, length);
            let rows = self.sweep(&windows);
            if let Some(cuts) = self.cuts(&rows) {
                let tight = tight(&windows, &cuts, length);
                if tight.is_empty() {
                    return Division { anchors, ..self.with_margins(&windows, rows, cuts) };
                }
                for segment in tight {
                    let around = segment.saturating_sub(1)..(segment + 2).min(reach.len());
                    reach[around].iter_mut().for_each(|reach| *reach = (*reach * 2).min(length));
                }
            } else {
                reach.iter_mut().for_each(|reach| *reach = (*reach * 2).min(length));
            }
        }
    }

    /// What a cut costs, or `NEVER`.
    #[inline]
    fn price(&self, boundary: usize, position: usize) -> i32 {
        let (place, says) = (&self.places[position], &self.boundaries[boundary]);
        if !place.is_permitted {
            return NEVER;
        }
        let charge = |is_due: bool, price: i32| if is_due { price } else { 0 };
        let has_other_comma = if place.is_after_comma { !says.with_comma } else { !says.without_comma };
        charge(says.wants_terminal && !place.is_after_terminal, self.prices.no_terminal)
            + charge(says.wants_capital && place.lacks_capital, self.prices.no_capital)
            + charge(!place.is_after_terminal && has_other_comma, self.prices.other_comma)
            + charge(!place.is_break, self.prices.no_break)
    }

    /// One row for each segment, from the first to the last.
    fn sweep(&self, windows: &[(usize, usize)]) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::with_capacity(windows.len());
        for (segment, &(first, last)) in windows.iter().enumerate() {
            let mut row = self.start(segment, rows.last(), first, last);
            let Texts { first: text, more } = &self.segments[segment];
            let others: Vec<_> = more.iter().map(|text| self.after(row.costs.clone(), &row, text)).collect();
            (row.costs, row.origins) = self.after(std::mem::take(&mut row.costs), &row, text);
            for (costs, origins) in others {
                for at in 0..costs.len() {
                    if costs[at] < row.costs[at] {
                        (row.costs[at], row.origins[at]) = (costs[at], origins[at]);
                    }
                }
            }
            // Costs stay small, however long the text is.
            let lowest = row.costs.iter().copied().min().unwrap_or(0);
            if lowest < NEVER {
                row.costs.iter_mut().filter(|cost| **cost < NEVER).for_each(|cost| *cost -= lowest);
                row.base += i64::from(lowest);
            }
            rows.push(row);
        }
        rows
    }

    /// The costs and origins of a row after the tokens of a reference.
    fn after(&self, mut costs: Vec<i32>, start: &Row, text: &[Token]) -> (Vec<i32>, Vec<u32>) {
        let mut origins = halt::copied(&start.origins);
        for token in text {
            halt::spend(1 + costs.len() / 8);
            self.advance(&mut costs, &mut origins, start.first, *token);
        }
        (costs, origins)
    }

    /// The costs before the first token of a segment: those of a cut here, or further up with tokens added since. Of
    /// equally cheap cuts the last is taken.
    fn start(&self, segment: usize, before: Option<&Row>, first: usize, last: usize) -> Row {
        let mut row = Row { first, base: before.map_or(0, |row| row.base), costs: Vec::new(), origins: Vec::new() };
        let cut = |position: usize| match before {
            None => {
                if position == 0 {
                    0
                } else {
                    NEVER
                }
            }
            Some(before) => (before.cost(position) + self.price(segment - 1, position)).min(NEVER),
        };
        for position in first..=last {
            let (mut cost, mut origin) = (cut(position), position);
            if position > first {
                let token = self.tokens[position - 1];
                // After a cut the text goes on behind the line break that it was made at.
                let is_barrier = token.cost == NEVER;
                let across = if is_barrier { cut(position - 1) } else { NEVER };
                if across < cost {
                    (cost, origin) = (across, position - 1);
                }
                let added = row.costs[position - 1 - first] + token.cost;
                if added < cost {
                    (cost, origin) = (added, row.origins[position - 1 - first] as usize);
                }
            }
            row.costs.push(cost);
            row.origins.push(origin as u32);
        }
        row
    }

    /// Goes on by one reference token: without partner, with tokens added, or as a pair, in this order of preference.
    #[inline]
    fn advance(&self, costs: &mut [i32], origins: &mut [u32], first: usize, token: Token) {
        let (mut diagonal, mut diagonal_origin) = (costs[0], origins[0]);
        costs[0] = (costs[0] + token.cost).min(NEVER);
        let (mut above, mut above_origin) = (costs[0], origins[0]);
        let others = &self.tokens[first..][..costs.len() - 1];
        for ((cost, origin), other) in costs[1..].iter_mut().zip(&mut origins[1..]).zip(others) {
            let change = match other.number == token.number {
                true => 0,
                false if other.is_word == token.is_word => token.cost.max(other.cost),
                false => token.cost + other.cost,
            };
            let (deletion, insertion, pair) = (*cost + token.cost, above + other.cost, diagonal + change);
            (diagonal, above) = (*cost, deletion.min(insertion).min(pair));
            above_origin = match above {
                best if best == deletion => *origin,
                best if best == insertion => above_origin,
                _ => diagonal_origin,
            };
            above = above.min(NEVER);
            diagonal_origin = *origin;
            (*cost, *origin) = (above, above_origin);
        }
    }

    /// Where the cheapest way through all rows has its cuts; None if there is no way within the windows.
    fn cuts(&self, rows: &[Row]) -> Option<Vec<usize>> {
        let mut at = self.tokens.len();
        (rows[rows.len() - 1].cost(at) < NEVER).then(|| {
            let mut cuts = vec![at; rows.len()];
            for (segment, row) in rows.iter().enumerate().skip(1).rev() {
                at = row.origins[at - row.first] as usize;
                cuts[segment - 1] = at;
            }
            cuts
        })
    }

    fn with_margins(self, windows: &[(usize, usize)], rows: Vec<Row>, cuts: Vec<usize>) -> Division {
        let (segments, length) = (cuts.len(), self.tokens.len());
        let last = &rows[segments - 1];
        let total = last.base + i64::from(last.cost(length));
        let mut division = Division {
            margins: vec![u32::MAX; segments],
            others: cuts.clone(),
            cost: total as u64,
            ..Division::default()
        };
        let mirrored: Vec<_> = windows.iter().rev().map(|&(first, last)| (length - last, length - first)).collect();
        let is_barrier: Vec<bool> = self.tokens.iter().map(|token| token.cost == NEVER).collect();
        let problem = self.mirrored();
        let backward = problem.sweep(&mirrored);
        for boundary in 0..segments - 1 {
            let (row, after) = (&rows[boundary], &backward[segments - 2 - boundary]);
            let cut = cuts[boundary];
            for position in row.first..row.first + row.costs.len() {
                let crosses = is_barrier.get(position) == Some(&true);
                let is_same = position == cut || position == cut + 1 && is_barrier.get(cut) == Some(&true);
                let price = problem.price(segments - 2 - boundary, length - position);
                let onward = after.cost(length - position);
                let onward = if crosses { onward.min(after.cost(length - position - 1)) } else { onward };
                if !is_same && row.cost(position).max(price).max(onward) < NEVER {
                    let cost = i64::from(row.cost(position)) + i64::from(price) + i64::from(onward);
                    let margin = (row.base + after.base + cost - total) as u32;
                    if margin < division.margins[boundary] {
                        (division.margins[boundary], division.others[boundary]) = (margin, position);
                    }
                }
            }
        }
        Division { cuts, ..division }
    }

    /// The same problem from the end to the start.
    fn mirrored(mut self) -> Self {
        self.tokens.reverse();
        self.places.reverse();
        self.boundaries.reverse();
        self.segments.reverse();
        for Texts { first, more } in &mut self.segments {
            std::iter::once(first).chain(more).for_each(|text| text.reverse());
        }
        self
    }
}

fn first_references(references: &References, filled: &[usize]) -> References {
    // An empty reference beside a filled one says nothing of where the segment is.
    let is_empty = |reference: &usize| references.range(*reference).is_empty();
    let firsts =
        filled.iter().filter_map(|&segment| references.of(segment).all().find(|reference| !is_empty(reference)));
    let texts: Vec<&[u32]> = firsts.map(|reference| references.tokens_of(reference)).collect();
    References::single(&texts)
}

/// The first and the last position of each segment's window.
fn windows(guide: &[usize], reach: &[usize], length: usize) -> Vec<(usize, usize)> {
    let window = |segment: usize| {
        let start = if segment == 0 { 0 } else { guide[segment - 1].saturating_sub(reach[segment]) };
        let end = if segment + 1 == guide.len() { length } else { length.min(guide[segment] + reach[segment]) };
        // Without a guide the reach is everything.
        if reach[segment] >= length { (0, length) } else { (start, end) }
    };
    (0..guide.len()).map(window).collect()
}

/// The segments that come so near to the rim of their window that a wider one might give something better.
fn tight(windows: &[(usize, usize)], cuts: &[usize], length: usize) -> Vec<usize> {
    let is_tight = |&segment: &usize| {
        let ((first, last), start) = (windows[segment], if segment == 0 { 0 } else { cuts[segment - 1] });
        first > 0 && start < first + RIM || last < length && cuts[segment] + RIM > last
    };
    (0..cuts.len()).filter(is_tight).collect()
}

/// The kind of the last token before each position; closers and quotation marks are looked through.
fn signs(sorts: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut sign = kind::OTHER;
    let after = sorts.iter().map(move |sort| {
        if !matches!(sort & kind::BITS, kind::CLOSER | kind::QUOTE | kind::BARRIER) {
            sign = sort & kind::BITS;
        }
        sign
    });
    std::iter::once(kind::OTHER).chain(after)
}

fn places(document: &Document) -> Vec<Place> {
    let (sorts, length) = (&document.sorts, document.tokens.len());
    let place = |(position, sign): (usize, u8)| {
        let is_end = position == 0 || position == length;
        let next = sorts[position..].iter().find(|&&sort| sort & kind::BITS != kind::BARRIER);
        let at_barrier = sorts[position.saturating_sub(1)..length.min(position + 1)]
            .iter()
            .any(|sort| sort & kind::BITS == kind::BARRIER);
        Place {
            is_permitted: is_end || at_barrier || sorts[position] & PERMITTED > 0,
            is_after_terminal: position == length || sign == kind::TERMINAL,
            is_after_comma: sign == kind::COMMA,
            lacks_capital: next.is_some_and(|sort| sort & CAPITAL == 0),
            is_break: !document.prefers_breaks || is_end || sorts[position] & BREAK > 0,
        }
    };
    signs(sorts).enumerate().map(place).collect()
}

fn boundary(document: &Document, segment: usize, next: usize) -> Boundary {
    let (references, sorts) = (&document.references, &document.reference_sorts);
    let filled = |segment: usize| {
        references
            .of(segment)
            .all()
            .map(|reference| &sorts[references.range(reference)])
            .filter(|sorts| !sorts.is_empty())
    };
    let last: Vec<u8> = filled(segment).filter_map(|sorts| signs(sorts).last()).collect();
    Boundary {
        wants_terminal: last.contains(&kind::TERMINAL),
        wants_capital: filled(next).all(|sorts| sorts[0] & CAPITAL > 0),
        with_comma: last.contains(&kind::COMMA),
        without_comma: last.iter().any(|&sign| sign != kind::COMMA),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a text costs against a reference, cell by cell.
    fn distance(text: &[Token], reference: &[Token]) -> i64 {
        let mut above: Vec<i64> = vec![0];
        text.iter().for_each(|token| above.push(above[above.len() - 1] + i64::from(token.cost)));
        for token in reference {
            let mut row = vec![above[0] + i64::from(token.cost)];
            for (at, other) in text.iter().enumerate() {
                let (one, two) = (i64::from(token.cost), i64::from(other.cost));
                let change = match (other.number == token.number, other.is_word == token.is_word) {
                    (true, _) => 0,
                    (false, true) => one.max(two),
                    (false, false) => one + two,
                };
                row.push((above[at] + change).min(above[at + 1] + one).min(row[at] + two));
            }
            above = row;
        }
        above[text.len()]
    }

    /// What the cheapest cuts cost: every cut of every segment is tried.
    fn cheapest(problem: &Problem) -> i64 {
        let length = problem.tokens.len();
        let mut best: Vec<Option<i64>> = (0..=length).map(|at| (at == 0).then_some(0)).collect();
        for (segment, Texts { first, more }) in problem.segments.iter().enumerate() {
            let to = |end: usize| {
                let from = |start: usize| {
                    let text = &problem.tokens[start..end];
                    let costs = std::iter::once(first).chain(more).map(|reference| distance(text, reference));
                    let price = segment.checked_sub(1).map_or(0, |boundary| problem.price(boundary, start));
                    Some(best[start]? + i64::from((price < NEVER).then_some(price)?) + costs.min()?)
                };
                (0..=end).filter_map(from).min()
            };
            best = (0..=length).map(to).collect();
        }
        best[length].unwrap()
    }

    /// Numbers with some of the flags, so that every rule applies somewhere.
    fn tokens(most: usize) -> impl Strategy<Value = Vec<(u32, u8)>> {
        let sort = prop_oneof![Just(kind::WORD), Just(kind::WORD), 1u8..6];
        proptest::collection::vec((0u32..9, sort, 0u8..8), 0..most)
            .prop_map(|all| all.into_iter().map(|(number, kind, flags)| (number, kind | flags << 3)).collect())
    }

    proptest! {
        #[test]
        fn the_cheapest_cuts_are_found(
            hypothesis in tokens(14),
            segments in proptest::collection::vec(proptest::collection::vec(tokens(6), 1..3), 1..5),
            is_spaceless: bool,
            prefers_breaks: bool,
        ) {
            let lengths: Vec<u32> = segments.iter().flatten().map(|text| text.len() as u32).collect();
            let counts: Vec<u32> = segments.iter().map(|texts| texts.len() as u32).collect();
            let (numbers, reference_sorts) = segments.iter().flatten().flatten().copied().unzip();
            let (tokens, sorts) = hypothesis.into_iter().unzip();
            let references = References::new(numbers, &lengths, &counts).unwrap();
            let document = Document { tokens, sorts, references, reference_sorts, is_spaceless, prefers_breaks };
            let documents = [document];
            let frequent = frequent_words(&documents);
            let has_text = |&segment: &usize| segments[segment].iter().any(|text| !text.is_empty());
            let filled: Vec<usize> = (0..segments.len()).filter(has_text).collect();
            let found = divide(&documents, None, u64::MAX, &Threads::new(1));
            if !filled.is_empty() {
                prop_assert_eq!(cheapest(&Problem::new(&documents[0], &filled, &frequent)) as u64, found[0].cost);
            }
        }
    }
}
