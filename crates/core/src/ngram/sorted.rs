//! Clipped matches of long texts: all n-grams sorted, in time that hardly depends on the text.
//!
//! An n-gram can only match if all its symbols are in the hypothesis and in a reference. The symbols that are get new
//! numbers, so that few bits hold one. Positions are dealt out into buckets by their first symbol, or by their first
//! two where symbols are few. The counts that tell how large a bucket must be are the matches of these orders, and a
//! bucket that one side does not reach is left out. Into its bucket goes a position's *window*: the symbols that
//! follow, packed into 32, 64 or 128 bits. In a sorted bucket the occurrences of an n-gram stand side by side, whatever
//! its order, so one walk along it counts all orders: where neighbours begin to differ, the n-grams end that reach so
//! far.
//!
//! Most buckets fit into the nearest cache, and are sorted there. To sort all windows at once took three times as long
//! for a million characters, because every pass waits for memory; a hash table waits at each order.
//!
//! Windows are made for some buckets at a time, so that a text of a hundred million characters needs little more than
//! its numbers. What does not fit into 128 bits goes to [`super::LongMatcher`].

use super::long::match_by_order;
use crate::halt;
use std::ops::Range;

/// How many windows are made at a time, if their buckets allow it: those of two texts of a million characters. Of
/// longer texts it is as many as need one byte for each position, because the texts are read again each time.
const PART: usize = 1 << 21;

/// Positions whose windows are made between two looks around.
const CHUNK: usize = 1 << 14;

/// The most buckets by two symbols: what is known of each of them should stay in the second cache.
const MOST_PAIRS: usize = 1 << 14;

/// Adds the matches of the orders from 1 to `order` to `matches`. Symbols of the hypothesis go up to `symbols`.
pub fn match_sorted(order: usize, symbols: usize, hypothesis: &[u32], references: &[Vec<u32>], matches: &mut [f64]) {
    if order == 0 {
        return;
    }
    let texts: Vec<&[u32]> = std::iter::once(hypothesis).chain(references.iter().map(Vec::as_slice)).collect();
    let (alphabet, tally) = Alphabet::new(Tally::new(&texts, symbols + 1, count_symbols));
    let positions = texts.iter().map(|text| text.len()).sum();
    let has_pairs = order > 1 && alphabet.base * alphabet.base <= MOST_PAIRS.min(positions);
    let longer = order - if has_pairs { 2 } else { 1 };
    let needed = alphabet.bits as usize * longer + bits_for(references.len()) as usize;
    if needed > 128 {
        return match_by_order(order, hypothesis, references, matches);
    }
    matches[0] += tally.clipped();
    if !has_pairs {
        return match_longer::<1>(needed, &alphabet, &texts, &tally, &mut matches[1..order]);
    }
    let tally = alphabet.tally_pairs(&texts);
    matches[1] += tally.clipped();
    match_longer::<2>(needed, &alphabet, &texts, &tally, &mut matches[2..order]);
}

fn count_symbols(text: &[u32], counts: &mut [u32]) {
    for chunk in text.chunks(CHUNK) {
        halt::spend(chunk.len() / 16);
        chunk.iter().for_each(|&symbol| counts[symbol as usize] += 1);
    }
}

/// Adds the matches of the orders above `FIRST`, whose windows need so many bits with what tells texts apart.
fn match_longer<const FIRST: usize>(
    bits: usize,
    alphabet: &Alphabet,
    texts: &[&[u32]],
    tally: &Tally,
    matches: &mut [f64],
) {
    if alphabet.base > 1 && !matches.is_empty() {
        match bits {
            ..=32 => match_windows::<u32, FIRST>(alphabet, texts, tally, matches),
            33..=64 => match_windows::<u64, FIRST>(alphabet, texts, tally, matches),
            _ => match_windows::<u128, FIRST>(alphabet, texts, tally, matches),
        }
    }
}

/// How many bits hold all numbers up to `highest`.
fn bits_for(highest: usize) -> u32 {
    usize::BITS - highest.leading_zeros()
}

/// How often the n-grams of one order stand in the texts.
struct Tally {
    ours: Vec<u32>,
    /// In the reference that has most of them.
    most: Vec<u32>,
    /// In all references.
    theirs: Vec<u32>,
}

impl Tally {
    /// Counts the n-grams of a hypothesis and its references. There are so many `kinds`; `count` adds those of a text.
    fn new(texts: &[&[u32]], kinds: usize, count: impl Fn(&[u32], &mut [u32])) -> Self {
        let zeros = || {
            let mut counts = Vec::new();
            halt::resize(&mut counts, kinds, 0);
            counts
        };
        let (mut ours, mut most) = (zeros(), zeros());
        count(texts[0], &mut ours);
        if let [_, reference] = texts {
            count(reference, &mut most);
            return Self { ours, theirs: most.clone(), most };
        }
        let (mut theirs, mut here) = (zeros(), zeros());
        for reference in &texts[1..] {
            here.fill(0);
            count(reference, &mut here);
            most.iter_mut().zip(&here).for_each(|(most, here)| *most = (*most).max(*here));
            theirs.iter_mut().zip(&here).for_each(|(theirs, here)| *theirs += here);
        }
        Self { ours, most, theirs }
    }

    /// The matches.
    fn clipped(&self) -> f64 {
        self.ours.iter().zip(&self.most).map(|(&ours, &most)| f64::from(ours.min(most))).sum()
    }

    /// How many positions are in a bucket; none if one side has none.
    fn size(&self, bucket: usize) -> usize {
        let (ours, theirs) = (self.ours[bucket] as usize, self.theirs[bucket] as usize);
        if ours == 0 || theirs == 0 { 0 } else { ours + theirs }
    }

    /// Ranges of buckets whose windows, of so many bytes each, are made at a time.
    fn parts(&self, window_bytes: usize) -> Vec<Range<usize>> {
        let sizes = || (0..self.ours.len()).map(|bucket| self.size(bucket));
        let most = PART.max(sizes().sum::<usize>() / window_bytes);
        let (mut parts, mut start, mut positions) = (Vec::new(), 0, 0);
        for (bucket, size) in sizes().enumerate() {
            if positions > 0 && positions + size > most {
                parts.push(start..bucket);
                (start, positions) = (bucket, 0);
            }
            positions += size;
        }
        parts.push(start..self.ours.len());
        parts
    }
}

/// The symbols that the hypothesis shares with a reference, numbered from 1 up; all others are 0.
struct Alphabet {
    numbers: Vec<u32>, // by symbol
    base: usize,       // how many numbers there are
    bits: u32,         // of a number in a window, where all ones is no number
}

impl Alphabet {
    /// The alphabet of counted symbols, and their counts by their new numbers.
    fn new(mut tally: Tally) -> (Self, Tally) {
        let mut base = 1;
        let mut numbers = Vec::new();
        halt::resize(&mut numbers, tally.ours.len(), 0);
        for (symbol, number) in numbers.iter_mut().enumerate().skip(1) {
            if tally.size(symbol) > 0 {
                *number = base as u32;
                tally.ours[base] = tally.ours[symbol];
                tally.most[base] = tally.most[symbol];
                tally.theirs[base] = tally.theirs[symbol];
                base += 1;
            }
        }
        tally.ours[0] = 0;
        tally.ours.truncate(base);
        tally.most.truncate(base);
        tally.theirs.truncate(base);
        (Self { numbers, base, bits: bits_for(base) }, tally)
    }

    /// Counts the pairs of neighbours.
    fn tally_pairs(&self, texts: &[&[u32]]) -> Tally {
        let mut tally = Tally::new(texts, self.base * self.base, |text, counts| {
            self.visit::<u32, 2>(text, self.bits, false, |pair, _| counts[pair] += 1);
        });
        // A pair with a symbol that is not shared, or with the end of the text, is none.
        (0..self.base).for_each(|number| (tally.ours[number], tally.ours[number * self.base]) = (0, 0));
        tally
    }

    /// Visits all positions from right to left. Tells the bucket, made up of the `FIRST` symbols, and the window of the
    /// symbols that follow, `width` bits wide. What is not shared, and the end of the text, is all ones
    /// in a window of the hypothesis and zero in one of a reference, so that they differ.
    #[inline(always)]
    fn visit<W: Window, const FIRST: usize>(
        &self,
        text: &[u32],
        width: u32,
        is_ours: bool,
        mut visit: impl FnMut(usize, W),
    ) {
        let (numbers, base, bits) = (&self.numbers[..], self.base as u32, self.bits);
        let stranger = if is_ours { (1 << bits) - 1 } else { 0 };
        let mut window = if is_ours { W::ONES.masked(width) } else { W::ZERO };
        let mut after = 0;
        for chunk in text.rchunks(CHUNK) {
            halt::spend(chunk.len() / 8);
            for &symbol in chunk.iter().rev() {
                let number = numbers[symbol as usize];
                let (bucket, leaving) = if FIRST == 1 { (number, number) } else { (number * base + after, after) };
                visit(bucket as usize, window);
                window = window.push(if leaving == 0 { stranger } else { leaving }, bits).masked(width);
                after = number;
            }
        }
    }
}

/// Packed symbols, the first highest.
trait Window: Copy + Ord {
    const BITS: u32;
    const ONES: Self;
    const ZERO: Self;
    fn push(self, number: u32, bits: u32) -> Self;
    fn masked(self, width: u32) -> Self;
    fn digit(self, shift: u32, mask: usize) -> usize;
    fn tagged(self, tag: u32) -> Self;
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
            fn digit(self, shift: u32, mask: usize) -> usize {
                (self >> shift) as usize & mask
            }

            #[inline(always)]
            fn tagged(self, tag: u32) -> Self {
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

window!(u32);
window!(u64);
window!(u128);

/// Where nothing of a bucket is wanted.
const NOWHERE: u32 = u32::MAX;

fn match_windows<W: Window, const FIRST: usize>(
    alphabet: &Alphabet,
    texts: &[&[u32]],
    tally: &Tally,
    matches: &mut [f64],
) {
    let width = alphabet.bits * matches.len() as u32;
    let mut walk = walk_for(alphabet.bits, matches.len(), texts.len());
    let mut sorter = Sorter { bits: alphabet.bits, width, spare: Vec::new() };
    let (mut windows, mut places) = (Vec::new(), Vec::new());
    halt::resize(&mut places, tally.ours.len(), NOWHERE);
    for part in tally.parts(size_of::<W>()) {
        places.fill(NOWHERE);
        let mut end = 0;
        for bucket in part.clone().filter(|&bucket| tally.size(bucket) > 0) {
            places[bucket] = end as u32;
            end += tally.size(bucket);
        }
        halt::resize(&mut windows, end, W::ZERO);
        for (tag, text) in (0..).zip(texts) {
            alphabet.visit::<W, FIRST>(text, width, tag == 0, |bucket, window| {
                let place = &mut places[bucket];
                if *place != NOWHERE {
                    windows[*place as usize] = window.tagged(tag);
                    *place += 1;
                }
            });
        }
        let mut start = 0;
        for end in places[part].iter().map(|&end| end as usize).filter(|&end| end != NOWHERE as usize) {
            let bucket = &mut windows[start..end];
            sorter.sort(bucket, 0, alphabet.bits);
            walk.add(bucket);
            start = end;
        }
    }
    walk.finish(matches);
}

/// Fewer windows are sorted by comparison.
const FEW: usize = 128;

/// From so many windows on it pays to have larger tables, and fewer passes.
const MANY: usize = 1 << 12;

/// The most bits by which windows are dealt out digit by digit, from the last to the first.
const NARROW: u32 = 33;

/// Sorts windows of `width` bits, symbols of `bits` bits, so that those with equal beginnings stand side by side.
struct Sorter<W> {
    bits: u32,
    width: u32,
    spare: Vec<W>,
}

impl<W: Window> Sorter<W> {
    /// Sorts windows whose first `skip` bits are equal, and of the symbol that follows all but the highest `left` bits.
    fn sort(&mut self, windows: &mut [W], skip: u32, left: u32) {
        // Two stand side by side in any order.
        if windows.len() <= 2 {
            return;
        }
        halt::spend(windows.len() / 4);
        if windows.len() < FEW || skip >= self.width {
            return windows.sort_unstable();
        }
        if windows.len() > PART {
            return sort_halves(windows);
        }
        if self.spare.len() < windows.len() {
            halt::resize(&mut self.spare, windows.len(), W::ZERO);
        }
        match (self.width - skip <= NARROW, windows.len() < MANY) {
            (true, true) => self.sort_narrow::<0x100>(windows, skip),
            (true, false) => self.sort_narrow::<0x800>(windows, skip),
            (false, true) => self.sort_wide::<0x100>(windows, skip, left),
            (false, false) => self.sort_wide::<0x1000>(windows, skip, left),
        }
    }

    /// Deals windows out by one digit after the other, the last first.
    fn sort_narrow<const DIGITS: usize>(&mut self, windows: &mut [W], skip: u32) {
        let passes = (self.width - skip).div_ceil(DIGITS.ilog2());
        let digit_bits = (self.width - skip).div_ceil(passes);
        let mut places = [0; DIGITS];
        let mut to = &mut self.spare[..windows.len()];
        let mut from = windows;
        for pass in (1..=passes).rev() {
            // The last digit may reach beyond the window: what it finds there does no harm.
            let shift = W::BITS.saturating_sub(skip + pass * digit_bits);
            deal(from, to, shift, &mut places[..1 << digit_bits]);
            std::mem::swap(&mut from, &mut to);
        }
        if passes % 2 == 1 {
            to.copy_from_slice(from);
        }
    }

    /// Deals windows out by the lowest bits of their next symbol, and sorts what has equal ones. Symbols that are often
    /// used have low numbers, so these bits tell most windows apart.
    fn sort_wide<const DIGITS: usize>(&mut self, windows: &mut [W], skip: u32, left: u32) {
        let digit_bits = left.min(DIGITS.ilog2());
        let mut places = [0; DIGITS];
        let places = &mut places[..1 << digit_bits];
        deal(windows, &mut self.spare[..windows.len()], W::BITS - skip - left, places);
        windows.copy_from_slice(&self.spare[..windows.len()]);
        let (skip, left) = if digit_bits == left { (skip + self.bits, self.bits) } else { (skip, left - digit_bits) };
        let mut start = 0;
        for end in places.iter().map(|&end| end as usize) {
            self.sort(&mut windows[start..end], skip, left);
            start = end;
        }
    }
}

/// Sorts very many windows without more memory, looking around now and then.
fn sort_halves<W: Window>(windows: &mut [W]) {
    halt::spend(windows.len().min(PART));
    if windows.len() <= PART / 4 {
        return windows.sort_unstable();
    }
    let (low, _, high) = windows.select_nth_unstable(windows.len() / 2);
    sort_halves(low);
    sort_halves(high);
}

/// Deals windows out by one digit, and leaves in `places` where each digit ends.
#[inline]
fn deal<W: Window>(from: &[W], to: &mut [W], shift: u32, places: &mut [u32]) {
    let mask = places.len() - 1;
    places.fill(0);
    from.iter().for_each(|window| places[window.digit(shift, mask)] += 1);
    let mut next = 0;
    for place in places.iter_mut() {
        next += std::mem::replace(place, next);
    }
    for &window in from {
        let place = &mut places[window.digit(shift, mask)];
        to[*place as usize] = window;
        *place += 1;
    }
}

/// Counts the matches in sorted buckets.
trait Walk<W> {
    /// Walks along a bucket.
    fn add(&mut self, windows: &[W]);
    /// Adds the matches of each order of the windows to `matches`.
    fn finish(&mut self, matches: &mut [f64]);
}

fn walk_for<W: Window>(bits: u32, orders: usize, texts: usize) -> Box<dyn Walk<W>> {
    match (texts, orders) {
        (2, ..=4) => Box::new(Lanes::<4>::new(bits)),
        (2, ..=8) => Box::new(Lanes::<8>::new(bits)),
        _ => Box::new(Lists { bits, lists: texts, counts: vec![0; orders * texts], found: vec![0.0; orders] }),
    }
}

/// Counts the windows of a hypothesis and one reference, whose lowest bit tells them apart. Where n-grams end cannot be
/// predicted, so all orders are dealt with at each step, without branches: it compiles to vector instructions.
#[derive(Clone, Copy)]
struct Lanes<const ORDERS: usize> {
    /// How many bits neighbours must share at least, less one.
    needed: [i32; ORDERS],
    ours: [i32; ORDERS],
    theirs: [i32; ORDERS],
    found: [i32; ORDERS],
}

impl<const ORDERS: usize> Lanes<ORDERS> {
    fn new(bits: u32) -> Self {
        let needed = std::array::from_fn(|n| (bits * (n as u32 + 1)) as i32 - 1);
        Self { needed, ours: [0; ORDERS], theirs: [0; ORDERS], found: [0; ORDERS] }
    }

    /// Goes on to the next window, which has so many bits in common with the one before.
    #[inline(always)]
    fn step<W: Window>(&mut self, window: W, shared: u32) {
        let is_theirs = window.digit(0, 1) as i32;
        for n in 0..ORDERS {
            // All ones where the n-gram goes on.
            let goes_on = -i32::from(shared as i32 > self.needed[n]);
            self.found[n] += self.ours[n].min(self.theirs[n]) & !goes_on;
            self.ours[n] = (self.ours[n] & goes_on) + 1 - is_theirs;
            self.theirs[n] = (self.theirs[n] & goes_on) + is_theirs;
        }
    }
}

impl<W: Window, const ORDERS: usize> Walk<W> for Lanes<ORDERS> {
    fn add(&mut self, windows: &[W]) {
        let Some(&first) = windows.first() else { return };
        // In registers for the length of the walk.
        let mut lanes = *self;
        lanes.step(first, 0);
        windows.windows(2).for_each(|pair| lanes.step(pair[1], pair[0].differs_at(pair[1])));
        *self = lanes;
    }

    fn finish(&mut self, matches: &mut [f64]) {
        for (n, matches) in matches.iter_mut().enumerate() {
            *matches += f64::from(self.found[n] + self.ours[n].min(self.theirs[n]));
        }
    }
}

/// Counts the windows of a hypothesis and any number of references, of any number of orders.
struct Lists {
    bits: u32,
    lists: usize,
    /// For each order the count of the n-gram at hand, text by text; those of lower orders lack what is counted above.
    counts: Vec<u32>,
    found: Vec<f64>,
}

impl<W: Window> Walk<W> for Lists {
    fn add(&mut self, windows: &[W]) {
        let orders = self.found.len();
        let last = (orders - 1) * self.lists;
        let mask = (1 << bits_for(self.lists - 1)) - 1;
        for (at, window) in windows.iter().enumerate() {
            halt::spend(1);
            self.counts[last + window.digit(0, mask)] += 1;
            let shared = windows.get(at + 1).map_or(0, |next| window.differs_at(*next) / self.bits);
            self.close(shared as usize);
        }
    }

    fn finish(&mut self, matches: &mut [f64]) {
        matches.iter_mut().zip(&self.found).for_each(|(matches, found)| *matches += found);
    }
}

impl Lists {
    /// Ends the n-grams of the orders above `shared`: counts them, clipped, and hands their counts down.
    fn close(&mut self, shared: usize) {
        let lists = self.lists;
        for n in (shared..self.found.len()).rev() {
            let (below, here) = self.counts.split_at_mut(n * lists);
            let here = &mut here[..lists];
            let most = here[1..].iter().copied().max().unwrap_or(0);
            self.found[n] += f64::from(here[0].min(most));
            if n > 0 {
                below[(n - 1) * lists..].iter_mut().zip(&*here).for_each(|(below, here)| *below += here);
            }
            here.fill(0);
        }
    }
}
