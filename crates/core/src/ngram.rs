//! Clipped n-gram matches of all orders at once: the engine of BLEU, chrF and whatever counts n-grams.
//!
//! For each order n, the number wanted is the sum over n-gram types of min(count in the hypothesis, count in
//! the reference). Seen from the occurrences, that is the number of hypothesis positions that find a
//! partner: each takes, from left to right, a reference position with the same n-gram that nobody took yet. So a
//! hypothesis position needs one bit an order ("found a partner"), a reference position one bit an order
//! ("is taken"), and no n-gram is ever stored, hashed or counted.
//!
//! Two positions share the n-grams of orders 1 to l, where l is the length of their common continuation. The
//! next N symbols of each position are packed into one 64-bit window, so l comes from the leading zeros of an
//! exclusive or. Which reference positions to compare with is told by lists, by the first symbol or the first
//! two: for text they hold one or two positions on average. Building and matching are linear but for these lists.
//!
//! Several references (BLEU): of an n-gram type, it is always the leftmost hypothesis positions that find partners, as
//! many as min(count, reference count). The union over references of the bits found therefore counts
//! min(count, maximum over references), which is BLEU's rule.
//!
//! Long or repetitive text makes the lists long and the work quadratic, and very many different symbols do not fit into
//! a window. In these cases all n-grams are sorted instead ([`sorted`]), which is slower for a sentence and linear but
//! for a logarithm. Both count the same, so the choice never shows in a result.

mod long;
#[cfg(any(test, fuzzing))]
pub mod naive;
mod sorted;

use crate::symbols::UNKNOWN;
pub use long::LongMatcher;
use sorted::match_sorted;

/// The highest order there is a bit for.
pub const MAX_ORDER: usize = 32;

/// How many comparisons a position may need on average before sorting is the better way.
const PATIENCE: usize = 24;

/// By what reference positions are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The symbol at the position: for words, which seldom repeat within a segment.
    Unigram,
    /// That symbol and the next: for characters, which often do.
    Bigram,
}

impl Anchor {
    /// The longest texts that are matched by lists. In longer ones lists are so long that sorting is faster.
    fn longest(self) -> usize {
        match self {
            Self::Unigram => 1000,
            Self::Bigram => 1000,
        }
    }
}

/// Finds the matches of any order: the few that anybody uses with bits, more than [`MAX_ORDER`] one after another.
#[allow(clippy::large_enum_variant)] // There is one a thread, and nobody moves it.
pub enum AnyMatcher {
    /// Up to [`MAX_ORDER`].
    Bits(Matcher),
    /// Beyond.
    Long(LongMatcher),
}

impl AnyMatcher {
    /// A matcher for the orders from 1 to `order`.
    pub fn new(order: usize, anchor: Anchor) -> Self {
        if order <= MAX_ORDER { Self::Bits(Matcher::new(order, anchor)) } else { Self::Long(LongMatcher::new(order)) }
    }

    /// How many orders [`AnyMatcher::finish`] has matches of, for a hypothesis of that length.
    pub fn orders(&self, length: usize) -> usize {
        match self {
            Self::Bits(matcher) => matcher.order,
            Self::Long(matcher) => matcher.order().min(length),
        }
    }

    /// Takes the next hypothesis, whose highest number is `symbols`. What `hypothesis` then holds is of no use.
    #[inline]
    pub fn start(&mut self, hypothesis: &mut Vec<u32>, symbols: usize) {
        match self {
            Self::Bits(matcher) => matcher.start(hypothesis, symbols),
            Self::Long(matcher) => matcher.start(hypothesis),
        }
    }

    /// Matches one more reference. What `reference` then holds is of no use.
    #[inline]
    pub fn add_reference(&mut self, reference: &mut Vec<u32>) {
        match self {
            Self::Bits(matcher) => matcher.add_reference(reference),
            Self::Long(matcher) => matcher.add_reference(reference),
        }
    }

    /// Adds the matches of each order, 1 first, to `matches`, and forgets the references seen.
    #[inline]
    pub fn finish(&mut self, matches: &mut [f64]) {
        match self {
            Self::Bits(matcher) => matcher.finish(matches),
            Self::Long(matcher) => matcher.finish(matches),
        }
    }
}

/// Finds the matches between a hypothesis and its references.
///
/// Symbols are numbers as [`crate::symbols`] gives them: 1 and up in the hypothesis; in references the same
/// numbers, or [`UNKNOWN`].
pub struct Matcher {
    order: usize,
    anchor: Anchor,
    windows: Windows,
    symbols: usize,
    numbers: Vec<u32>,
    hypothesis: Vec<Position>,
    reference: Vec<Listed>,
    heads: Vec<u32>,
    left: Vec<u32>,
    /// The references seen, and then vectors for others: all of them are needed if the lists prove too long.
    references: Vec<Vec<u32>>,
    seen: usize,
    /// Whether n-grams are to be sorted when all references have been seen.
    sorts: bool,
}

/// A hypothesis position: its next symbols, and a bit for each order that found a partner.
#[derive(Clone, Copy, Default)]
struct Position {
    window: u64,
    found: u32,
}

/// A reference position: its next symbols, a bit for each order that is taken, and the position that follows in its
/// list. Positions are counted from one; a list ends at zero, where an entry stands that nothing equals.
#[derive(Clone, Copy, Default)]
struct Listed {
    window: u64,
    taken: u32,
    next: u32,
}

impl Matcher {
    /// A matcher for the orders from 1 to `order`, which is at most [`MAX_ORDER`].
    pub fn new(order: usize, anchor: Anchor) -> Self {
        assert!(order <= MAX_ORDER, "order {order} is above {MAX_ORDER}");
        Self {
            order,
            anchor,
            windows: Windows::new(order),
            symbols: 0,
            numbers: Vec::new(),
            hypothesis: Vec::new(),
            reference: Vec::new(),
            heads: Vec::new(),
            left: Vec::new(),
            references: Vec::new(),
            seen: 0,
            sorts: false,
        }
    }

    /// Takes the next hypothesis, whose highest number is `symbols`. What `hypothesis` then holds is of no use.
    pub fn start(&mut self, hypothesis: &mut Vec<u32>, symbols: usize) {
        self.symbols = symbols;
        std::mem::swap(&mut self.numbers, hypothesis);
        self.forget_references();
        if self.sorts {
            return;
        }
        self.hypothesis.resize(self.numbers.len(), Position::default());
        let mut window = self.windows.hypothesis_end();
        for (position, &number) in self.hypothesis.iter_mut().zip(&self.numbers).rev() {
            window = self.windows.push(window, number);
            *position = Position { window, found: 0 };
        }
    }

    /// Matches one more reference. What `reference` then holds is of no use.
    pub fn add_reference(&mut self, reference: &mut Vec<u32>) {
        if self.seen == self.references.len() {
            self.references.push(Vec::new());
        }
        std::mem::swap(&mut self.references[self.seen], reference);
        self.seen += 1;
        self.sorts = self.sorts || !self.match_by_lists();
    }

    fn forget_references(&mut self) {
        self.seen = 0;
        self.sorts = self.numbers.len() > self.anchor.longest() || !self.windows.hold(self.symbols);
    }

    /// Adds the matches of each order, 1 first, to `matches`, and forgets the references seen.
    pub fn finish(&mut self, matches: &mut [f64]) {
        if self.sorts {
            let references = &self.references[..self.seen];
            match_sorted(self.order, self.symbols, &self.numbers, references, &mut matches[..self.order]);
        } else {
            self.add_found(matches);
        }
        self.hypothesis.iter_mut().for_each(|position| position.found = 0);
        self.forget_references();
    }

    fn add_found(&self, matches: &mut [f64]) {
        for (byte, orders) in matches[..self.order].chunks_mut(8).enumerate() {
            // Each order is counted in its own byte of a word, which overflows after 255 positions.
            for positions in self.hypothesis.chunks(255) {
                let spread = |position: &Position| SPREAD[(position.found >> (8 * byte)) as usize & 0xFF];
                let sums = positions.iter().map(spread).sum::<u64>().to_le_bytes();
                orders.iter_mut().zip(sums).for_each(|(matches, sum)| *matches += f64::from(sum));
            }
        }
    }

    /// Matches the last reference through lists of its positions; gives up, and says so, when they prove too long.
    fn match_by_lists(&mut self) -> bool {
        let length = self.references[self.seen - 1].len();
        if length > self.anchor.longest() {
            return false;
        }
        let patience = PATIENCE * (self.numbers.len() + length + 100);
        match self.anchor {
            Anchor::Unigram => {
                self.list_by_unigram();
                self.match_lists(patience, 0, |number, _| number as usize)
            }
            Anchor::Bigram => {
                self.match_unigrams();
                self.list_by_bigram();
                let (shift, slots) = (self.windows.bigram_shift(), self.heads.len());
                self.match_lists(patience, 1, |_, window| bigram_slot(window >> shift, slots))
            }
        }
    }

    fn list_by_unigram(&mut self) {
        let reference = &self.references[self.seen - 1][..];
        let mut lists = Lists::new(&mut self.reference, &mut self.heads, reference.len(), self.symbols + 1);
        let mut window = 0;
        for (at, &number) in reference.iter().enumerate().rev() {
            window = self.windows.push(window, number);
            // Unknown symbols get a list too, which nobody asks for: cheaper than a branch.
            lists.add(at, window, number as usize);
        }
    }

    fn list_by_bigram(&mut self) {
        let reference = &self.references[self.seen - 1][..];
        let slots = bigram_slots(reference.len());
        let shift = self.windows.bigram_shift();
        let mut lists = Lists::new(&mut self.reference, &mut self.heads, reference.len(), slots);
        let mut window = 0;
        let mut follower = UNKNOWN;
        for (at, &number) in reference.iter().enumerate().rev() {
            window = self.windows.push(window, number);
            if number != UNKNOWN && follower != UNKNOWN {
                lists.add(at, window, bigram_slot(window >> shift, slots));
            }
            follower = number;
        }
    }

    /// Lets every hypothesis position look for partners in its list, as long as patience lasts. The orders in `matched`
    /// have been dealt with before; `list` chooses the list by number and window.
    #[inline]
    fn match_lists(&mut self, patience: usize, matched: u32, list: impl Fn(u32, u64) -> usize) -> bool {
        let (windows, reference, heads) = (&self.windows, &mut self.reference[..], &self.heads[..]);
        let length = self.hypothesis.len();
        let mut steps = 0;
        for ((at, position), &number) in self.hypothesis.iter_mut().enumerate().zip(&self.numbers) {
            let all = low_bits(self.order.min(length - at));
            let mut found = matched;
            let mut next = heads[list(number, position.window)];
            // At least once, also if the list is empty: most lists have one entry or none, which is hard to predict.
            loop {
                let partner = &mut reference[next as usize];
                let shared = windows.shared_orders(position.window ^ partner.window);
                let gained = shared & !partner.taken & !found;
                found |= gained;
                partner.taken |= gained;
                next = partner.next;
                steps += 1;
                if next == 0 || found == all {
                    break;
                }
            }
            position.found |= found & !matched;
            if steps > patience {
                return false;
            }
        }
        true
    }

    /// Each hypothesis position takes one of the equal symbols left in the reference.
    fn match_unigrams(&mut self) {
        let reference = &self.references[self.seen - 1][..];
        self.left.clear();
        self.left.resize(self.symbols + 1, 0);
        let left = &mut self.left[..];
        reference.iter().for_each(|&number| left[number as usize] += 1);
        for (position, &number) in self.hypothesis.iter_mut().zip(&self.numbers) {
            let left = &mut left[number as usize];
            position.found |= u32::from(*left > 0);
            *left = left.saturating_sub(1);
        }
    }
}

/// Lists of reference positions under construction. Positions are added from right to left, so that each list runs from
/// left to right.
struct Lists<'a> {
    positions: &'a mut [Listed],
    heads: &'a mut [u32],
}

impl<'a> Lists<'a> {
    fn new(positions: &'a mut Vec<Listed>, heads: &'a mut Vec<u32>, length: usize, lists: usize) -> Self {
        positions.resize(length + 1, Listed::default());
        positions[0] = Listed::default();
        heads.clear();
        heads.resize(lists, 0);
        Self { positions, heads }
    }

    #[inline]
    fn add(&mut self, at: usize, window: u64, list: usize) {
        let head = &mut self.heads[list];
        self.positions[at + 1] = Listed { window, taken: 0, next: *head };
        *head = at as u32 + 1;
    }
}

/// How symbols are packed into a 64-bit window, first symbol highest.
///
/// Unknown symbols and the end of the reference are 0, the end of the hypothesis is all ones, so none of them equals
/// anything on the other side.
struct Windows {
    bits: u32,
    mask: u64,
    orders_by_zeros: [u32; 65],
}

impl Windows {
    fn new(order: usize) -> Self {
        let order = order.max(1) as u32;
        let bits = (64 / order).min(32);
        let orders_by_zeros = std::array::from_fn(|zeros| low_bits((zeros as u32 / bits).min(order) as usize));
        Self { bits, mask: !0 << (64 - bits * order), orders_by_zeros }
    }

    /// Whether numbers up to `symbols` fit.
    fn hold(&self, symbols: usize) -> bool {
        (symbols as u64) < (1 << self.bits) - 1
    }

    fn hypothesis_end(&self) -> u64 {
        self.mask
    }

    /// The window one position further to the left.
    #[inline]
    fn push(&self, window: u64, number: u32) -> u64 {
        (window >> self.bits | u64::from(number) << (64 - self.bits)) & self.mask
    }

    /// A bit for each order at which two windows agree, given their exclusive or.
    #[inline]
    fn shared_orders(&self, difference: u64) -> u32 {
        self.orders_by_zeros[difference.leading_zeros() as usize]
    }

    /// How far to shift a window to leave its first two symbols.
    fn bigram_shift(&self) -> u32 {
        64 - 2 * self.bits
    }
}

/// In which of `slots` lists, a power of two, a bigram is.
#[inline]
fn bigram_slot(bigram: u64, slots: usize) -> usize {
    (bigram.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize & (slots - 1)
}

/// Twice as many lists as positions, so that most lists are short.
fn bigram_slots(positions: usize) -> usize {
    (2 * positions).next_power_of_two().max(64)
}

#[inline]
fn low_bits(count: usize) -> u32 {
    ((1_u64 << count) - 1) as u32
}

/// The bits of a byte, each in a byte of its own.
static SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= ((byte as u64 >> bit) & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::naive::{matched, matched_long, matches};
    use super::*;
    use proptest::prelude::*;

    fn text(symbols: u32) -> impl Strategy<Value = Vec<u32>> {
        prop::collection::vec(1..=symbols, 0..40)
    }

    fn case() -> impl Strategy<Value = (Vec<u32>, Vec<Vec<u32>>)> {
        (1_u32..30).prop_flat_map(|symbols| (text(symbols), prop::collection::vec(text(symbols), 1..4)))
    }

    proptest! {
        #[test]
        fn both_ways_of_matching_equal_the_definition(
            (hypothesis, references) in case(), order in 1_usize..=MAX_ORDER, bigram in any::<bool>(),
        ) {
            let anchor = if bigram { Anchor::Bigram } else { Anchor::Unigram };
            let mut matcher = Matcher::new(order, anchor);
            let expected = matches(order, &hypothesis, &references);
            prop_assert_eq!(&expected, &matched(&mut matcher, &hypothesis, &references, false));
            prop_assert_eq!(&expected, &matched(&mut matcher, &hypothesis, &references, true));
        }

        #[test]
        fn n_grams_longer_than_a_window_equal_the_definition(
            text in prop::collection::vec(1_u32..300, 60..90), copies in 1_usize..4,
            changes in prop::collection::vec((0_usize..90, 1_u32..300), 0..6), order in 12_usize..=MAX_ORDER,
        ) {
            let hypothesis = text.repeat(copies);
            let mut changed = text.clone();
            changes.iter().for_each(|&(at, symbol)| changed[at % text.len()] = symbol);
            let references = [[&text[..], &changed].concat(), [&changed[..], &text[20..], &changed].concat()];
            for references in [&references[..1], &references] {
                let mut matcher = Matcher::new(order, Anchor::Unigram);
                let expected = matches(order, &hypothesis, references);
                prop_assert_eq!(&expected, &matched(&mut matcher, &hypothesis, references, true));
            }
        }

        #[test]
        fn orders_beyond_the_bits_equal_the_definition((hypothesis, references) in case(), order in 1_usize..=60) {
            let mut matcher = LongMatcher::new(order);
            for _ in 0..2 {
                let expected = matches(order, &hypothesis, &references);
                prop_assert_eq!(expected, matched_long(&mut matcher, &hypothesis, &references));
            }
        }
    }

    #[test]
    fn a_long_run_of_one_symbol_is_counted_without_quadratic_work() {
        let run = vec![1; 300_000];
        let references = [run[..200_000].to_vec()];
        for anchor in [Anchor::Unigram, Anchor::Bigram] {
            let matches = matched(&mut Matcher::new(4, anchor), &run, &references, false);
            assert_eq!(vec![200_000.0, 199_999.0, 199_998.0, 199_997.0], matches);
        }
    }

    #[test]
    fn more_symbols_than_a_window_holds_are_matched_all_the_same() {
        let text: Vec<u32> = (1..=3000).collect();
        let matches = matched(&mut Matcher::new(6, Anchor::Bigram), &text, std::slice::from_ref(&text), false);
        assert_eq!(vec![3000.0, 2999.0, 2998.0, 2997.0, 2996.0, 2995.0], matches);
    }
}
