//! Clipped matches of long texts: all n-grams sorted, in time that hardly depends on the text.
//!
//! The next N symbols of each position are packed into a window, as [`super::Matcher`] does, here of 64 or 128 bits.
//! In a sorted list of windows the occurrences of an n-gram stand side by side, whatever its order, so one walk along
//! the lists of hypothesis and references counts all orders: where neighbours begin to differ, the n-grams end that
//! reach so far. Sorting a million windows takes some 15 nanoseconds each; looking them up in a hash table would wait
//! for memory at each order.
//!
//! Windows are made for some first symbols at a time, so that a text of a hundred million characters needs little more
//! than its numbers. What does not fit into 128 bits goes to [`super::LongMatcher`].

use super::long::match_by_order;
use crate::halt;
use crate::symbols::UNKNOWN;
use std::ops::RangeInclusive;

/// How many windows of the hypothesis are sorted at a time, if its first symbols allow it: few enough for a cache.
const PART: usize = 1 << 19;

/// Positions whose windows are made at a time.
const CHUNK: usize = 1 << 12;

/// Adds the matches of the orders from 1 to `order` to `matches`. Symbols of the hypothesis go up to `symbols`.
pub fn match_sorted(order: usize, symbols: usize, hypothesis: &[u32], references: &[Vec<u32>], matches: &mut [f64]) {
    if order == 0 {
        return;
    }
    // All ones is no symbol: it marks the end of the hypothesis.
    let bits = (usize::BITS - (symbols + 1).leading_zeros()).max(1);
    let needed = bits as usize * order;
    if needed <= 64 {
        match_windows::<u64>(Packing::new(bits, order), symbols, hypothesis, references, matches);
    } else if needed <= 128 {
        match_windows::<u128>(Packing::new(bits, order), symbols, hypothesis, references, matches);
    } else {
        match_by_order(order, hypothesis, references, matches);
    }
}

/// A window of symbols, the first highest.
trait Window: Copy + Ord {
    const BITS: u32;
    const ONES: Self;
    const ZERO: Self;
    fn push(self, number: u32, bits: u32) -> Self;
    fn masked(self, width: u32) -> Self;
    fn digit(self, shift: u32) -> usize;
    fn tagged(self, tag: bool) -> Self;
    fn differs_at(self, other: Self) -> u32;
}

macro_rules! window {
    ($type:ty) => {
        impl Window for $type {
            const BITS: u32 = <$type>::BITS;
            const ONES: Self = !0;
            const ZERO: Self = 0;

            #[inline(always)]
            fn push(self, number: u32, bits: u32) -> Self {
                self >> bits | <$type>::from(number) << (<$type>::BITS - bits)
            }

            #[inline(always)]
            fn masked(self, width: u32) -> Self {
                self & !0 << (<$type>::BITS - width)
            }

            #[inline(always)]
            fn digit(self, shift: u32) -> usize {
                (self >> shift) as usize & (DIGITS - 1)
            }

            #[inline(always)]
            fn tagged(self, tag: bool) -> Self {
                self | <$type>::from(tag)
            }

            /// How many bits from the highest are equal.
            #[inline(always)]
            fn differs_at(self, other: Self) -> u32 {
                (self ^ other).leading_zeros()
            }
        }
    };
}

window!(u64);
window!(u128);

/// How symbols are packed.
#[derive(Clone, Copy)]
struct Packing {
    bits: u32,
    order: u32,
}

impl Packing {
    fn new(bits: u32, order: usize) -> Self {
        Self { bits, order: order as u32 }
    }

    /// Adds the windows at all positions whose first symbol is one of `first`. `end` follows the last symbol; `tag` is
    /// the lowest bit of all of them.
    fn add<W: Window>(self, text: &[u32], end: W, tag: bool, first: &RangeInclusive<u32>, windows: &mut Vec<W>) {
        let mut window = end;
        let mut kept = windows.len();
        for chunk in text.rchunks(CHUNK) {
            halt::spend(chunk.len() / 4);
            halt::resize(windows, kept + chunk.len(), W::ZERO);
            for &number in chunk.iter().rev() {
                window = window.push(number, self.bits).masked(self.width());
                // Writing always and moving on only sometimes avoids a branch that is hard to predict.
                windows[kept] = window.tagged(tag);
                kept += usize::from(first.contains(&number));
            }
        }
        windows.truncate(kept);
    }

    fn width(self) -> u32 {
        self.bits * self.order
    }

    /// At how many orders two windows agree.
    #[inline(always)]
    fn shared<W: Window>(self, a: W, b: W) -> usize {
        (a.differs_at(b) / self.bits).min(self.order) as usize
    }
}

/// How many digits there are to sort by, one after the other. The table of their counts stays in the nearest cache.
const DIGIT_BITS: u32 = 9;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Wider windows are sorted by comparison.
const MANY_BITS: u32 = 100;

/// Sorts windows, looking around now and then. They are dealt out by one digit after the other, which takes half the
/// time of comparing them.
fn sort<W: Window>(windows: &mut Vec<W>, spare: &mut Vec<W>, width: u32) {
    if width > MANY_BITS || windows.len() > 8 * PART {
        return sort_halves(windows);
    }
    spare.clear();
    halt::resize(spare, windows.len(), W::ZERO);
    for digit in (1..=width.div_ceil(DIGIT_BITS)).rev() {
        let shift = W::BITS.saturating_sub(digit * DIGIT_BITS);
        halt::spend(windows.len() / 8);
        let mut places = [0_u32; DIGITS];
        windows.iter().for_each(|window| places[window.digit(shift)] += 1);
        let mut next = 0;
        for place in &mut places {
            next += std::mem::replace(place, next);
        }
        for &window in windows.iter() {
            let place = &mut places[window.digit(shift)];
            spare[*place as usize] = window;
            *place += 1;
        }
        std::mem::swap(windows, spare);
    }
}

fn sort_halves<W: Window>(windows: &mut [W]) {
    halt::spend(windows.len().min(PART));
    if windows.len() <= PART {
        return windows.sort_unstable();
    }
    let (low, _, high) = windows.select_nth_unstable(windows.len() / 2);
    sort_halves(low);
    sort_halves(high);
}

fn match_windows<W: Window>(
    packing: Packing,
    symbols: usize,
    hypothesis: &[u32],
    references: &[Vec<u32>],
    matches: &mut [f64],
) {
    let in_one_list = references.len() == 1 && matches.len() <= LANES && packing.width() < W::BITS;
    let mut lists: Vec<Vec<W>> = vec![Vec::new(); 1 + references.len()];
    let mut spare = Vec::new();
    for first in parts(hypothesis, symbols) {
        lists.iter_mut().for_each(Vec::clear);
        packing.add(hypothesis, W::ONES, false, &first, &mut lists[0]);
        for (at, reference) in (1..).zip(references) {
            // Unknown symbols and the end of a reference are zero, which no symbol of the hypothesis is.
            packing.add(reference, W::ZERO, in_one_list, &first, &mut lists[if in_one_list { 0 } else { at }]);
        }
        lists.iter_mut().for_each(|list| sort(list, &mut spare, packing.width()));
        if in_one_list { walk_one_list(packing, &lists[0], matches) } else { walk(packing, &lists, matches) }
    }
}

/// How many orders [`walk_one_list`] counts at once.
const LANES: usize = 8;

/// Walks along one sorted list of the windows of a hypothesis and a reference, whose lowest bit tells them apart. Where
/// n-grams end cannot be predicted, so all orders are dealt with at each step, without branches: it compiles to vector
/// instructions.
fn walk_one_list<W: Window>(packing: Packing, windows: &[W], matches: &mut [f64]) {
    let ([mut ours, mut theirs], mut found) = ([[0_u32; LANES]; 2], [0_u32; LANES]);
    let mut add = |shared: u32, ours_more: u32| {
        for n in 0..LANES {
            // All ones where the n-gram goes on.
            let goes_on = 0_u32.wrapping_sub(u32::from(shared > n as u32));
            found[n] += ours[n].min(theirs[n]) & !goes_on;
            ours[n] = (ours[n] & goes_on) + ours_more;
            theirs[n] = (theirs[n] & goes_on) + (1 - ours_more);
        }
    };
    let Some(&first) = windows.first() else { return };
    let mut before = first;
    for chunk in windows.chunks(PART) {
        halt::spend(chunk.len() / 4);
        for &window in chunk {
            add(before.differs_at(window) / packing.bits, u32::from(window.digit(0) & 1 == 0));
            before = window;
        }
    }
    add(0, 0);
    matches.iter_mut().zip(found).for_each(|(matches, found)| *matches += f64::from(found));
}

/// Ranges of symbols that begin about [`PART`] windows of the hypothesis each.
fn parts(hypothesis: &[u32], symbols: usize) -> Vec<RangeInclusive<u32>> {
    let all = UNKNOWN + 1..=symbols as u32;
    if hypothesis.len() <= PART {
        return vec![all];
    }
    let mut counts: Vec<u32> = Vec::new();
    halt::resize(&mut counts, symbols + 1, 0);
    hypothesis.iter().for_each(|&number| counts[number as usize] += 1);
    let (mut parts, mut start, mut windows) = (Vec::new(), *all.start(), 0);
    for symbol in all {
        windows += counts[symbol as usize] as usize;
        if windows > PART || symbol as usize == symbols {
            parts.push(start..=symbol);
            (start, windows) = (symbol + 1, 0);
        }
    }
    parts
}

/// Walks along sorted lists, that of the hypothesis first, and adds the matches of each order.
fn walk<W: Window>(packing: Packing, lists: &[Vec<W>], matches: &mut [f64]) {
    let order = packing.order as usize;
    let mut rest: Vec<&[W]> = lists.iter().map(Vec::as_slice).collect();
    // For each order the count of the n-gram at hand, list by list; those of lower orders lack what is counted above.
    let mut counts = vec![0_u32; order * lists.len()];
    let mut next = rest.iter().filter_map(|list| list.first()).min().copied();
    while let Some(window) = next {
        let last = &mut counts[(order - 1) * lists.len()..];
        next = None;
        for (list, count) in rest.iter_mut().zip(last) {
            let run = list.iter().take_while(|&&other| other == window).count();
            *list = &list[run..];
            *count = run as u32;
            let head = list.first().copied();
            next = next.min(head).or(next).or(head);
        }
        halt::spend(1);
        let shared = next.map_or(0, |next| packing.shared(window, next));
        close(&mut counts, lists.len(), shared, &mut matches[..order]);
    }
}

/// Ends the n-grams of the orders above `shared`: counts them, clipped, and hands their counts down.
#[inline(always)]
fn close(counts: &mut [u32], lists: usize, shared: usize, matches: &mut [f64]) {
    for n in (shared..matches.len()).rev() {
        let (below, here) = counts.split_at_mut(n * lists);
        let here = &mut here[..lists];
        let most = here[1..].iter().copied().max().unwrap_or(0);
        matches[n] += f64::from(here[0].min(most));
        if n > 0 {
            below[(n - 1) * lists..].iter_mut().zip(&*here).for_each(|(below, here)| *below += here);
        }
        here.fill(0);
    }
}
