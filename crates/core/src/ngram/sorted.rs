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
//! Where symbols are many, most pairs of neighbours stand in one text only, and so does every n-gram that begins with
//! them. A bit for each hash of a pair tells most of these positions, and no window is made for them ([`Pairs`]).
//!
//! Windows are made for some buckets at a time, so that a text of a hundred million characters needs little more than
//! its numbers. Where n-grams do not fit into 128 bits, windows tell their position too, and what has equal windows is
//! sorted again by the symbols that follow ([`Deeper`]).

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
    matches[0] += tally.clipped();
    if order == 1 || alphabet.base == 1 {
        return;
    }
    let positions = texts.iter().map(|text| text.len()).sum();
    if alphabet.base * alphabet.base <= MOST_PAIRS.min(positions) {
        let tally = alphabet.tally_pairs(&texts);
        matches[1] += tally.clipped();
        match_longer::<2, false>(&alphabet, &texts, &tally, &mut matches[2..order]);
    } else if positions > MOST_MARKED {
        match_longer::<1, false>(&alphabet, &texts, &tally, &mut matches[1..order]);
    } else {
        let pairs = Pairs::of(&alphabet, &texts);
        let marked: Vec<_> = texts.iter().map(|text| pairs.mark(&alphabet, text)).collect();
        let marked: Vec<_> = marked.iter().map(Vec::as_slice).collect();
        let alphabet = Alphabet { is_marked: true, ..alphabet };
        let tally = alphabet.tally_marked(&marked);
        match_longer::<1, true>(&alphabet, &marked, &tally, &mut matches[1..order]);
    }
}

fn count_symbols(text: &[u32], counts: &mut [u32]) {
    for chunk in text.chunks(CHUNK) {
        halt::spend(chunk.len() / 16);
        chunk.iter().for_each(|&symbol| counts[symbol as usize] += 1);
    }
}

/// Adds the matches of the orders above `FIRST`. Windows hold what tells texts apart beside their symbols.
fn match_longer<const FIRST: usize, const MARKED: bool>(
    alphabet: &Alphabet,
    texts: &[&[u32]],
    tally: &Tally,
    matches: &mut [f64],
) {
    if matches.is_empty() {
        return;
    }
    match alphabet.bits as usize * matches.len() + bits_for(texts.len() - 1) as usize {
        ..=32 => match_windows::<u32, FIRST, MARKED>(alphabet, texts, tally, matches),
        33..=64 => match_windows::<u64, FIRST, MARKED>(alphabet, texts, tally, matches),
        65..=128 => match_windows::<u128, FIRST, MARKED>(alphabet, texts, tally, matches),
        _ => match_windows::<Placed, FIRST, MARKED>(alphabet, texts, tally, matches),
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
    /// Whether texts hold new numbers already, marked by [`Pairs::mark`].
    is_marked: bool,
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
        (Self { numbers, base, bits: bits_for(base), is_marked: false }, tally)
    }

    /// Counts the pairs of neighbours.
    fn tally_pairs(&self, texts: &[&[u32]]) -> Tally {
        let mut tally = Tally::new(texts, self.base * self.base, |text, counts| {
            self.visit::<u32, 2, false>(text, self.bits, false, |pair, _| counts[pair] += 1);
        });
        // A pair with a symbol that is not shared, or with the end of the text, is none.
        (0..self.base).for_each(|number| (tally.ours[number], tally.ours[number * self.base]) = (0, 0));
        tally
    }

    /// Counts the marked symbols, by bucket. What it says of matches is of no use.
    fn tally_marked(&self, texts: &[&[u32]]) -> Tally {
        let mut tally = Tally::new(texts, self.base, |text, counts| {
            for chunk in text.chunks(CHUNK) {
                halt::spend(chunk.len() / 16);
                chunk.iter().for_each(|&symbol| counts[marked_number(symbol) as usize] += 1);
            }
        });
        tally.ours[0] = 0;
        tally
    }

    /// The new number of a symbol.
    fn number(&self, symbol: u32) -> u32 {
        if self.is_marked { symbol & !MARK } else { self.numbers[symbol as usize] }
    }

    /// Visits all positions from right to left. Tells the bucket, made up of the `FIRST` symbols and 0 where nothing
    /// longer can match, and the window of the symbols that follow, `width` bits wide. What is not shared, and the end
    /// of the text, is all ones in a window of the hypothesis and zero in one of a reference, so that they differ.
    #[inline(always)]
    fn visit<W: Window, const FIRST: usize, const MARKED: bool>(
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
                let number = if MARKED { symbol & !MARK } else { numbers[symbol as usize] };
                let (bucket, leaving) = match (FIRST, MARKED) {
                    (1, true) => (marked_number(symbol), number),
                    (1, false) => (number, number),
                    _ => (number * base + after, after),
                };
                visit(bucket as usize, window);
                window = window.push(if leaving == 0 { stranger } else { leaving }, bits).masked(width);
                after = number;
            }
        }
    }
}

/// Set in the number of a symbol that begins a pair that both sides have.
const MARK: u32 = 1 << 31;

/// The number of a marked symbol, 0 for one without a mark. Whether there is one cannot be predicted.
#[inline(always)]
fn marked_number(symbol: u32) -> u32 {
    symbol & !MARK & ((symbol as i32 >> 31) as u32)
}

/// The pairs of neighbours that the hypothesis and a reference have, and a few others: a bit for each hash.
struct Pairs {
    bits: Vec<u64>,
    shift: u32,
}

/// The most bits for pairs: they should stay in the second cache.
const PAIR_BITS: usize = 1 << 23;

/// In longer texts almost every bit would be set, and marks need memory too.
const MOST_MARKED: usize = PAIR_BITS;

impl Pairs {
    fn of(alphabet: &Alphabet, texts: &[&[u32]]) -> Self {
        let positions = texts.iter().map(|text| text.len()).sum::<usize>();
        let bits = (8 * positions).next_power_of_two().clamp(64, PAIR_BITS);
        let none = || {
            let mut words = Vec::new();
            halt::resize(&mut words, bits / 64, 0);
            Self { bits: words, shift: u64::BITS - bits.trailing_zeros() }
        };
        let (mut ours, mut theirs) = (none(), none());
        ours.add(alphabet, texts[0]);
        texts[1..].iter().for_each(|text| theirs.add(alphabet, text));
        ours.bits.iter_mut().zip(&theirs.bits).for_each(|(ours, theirs)| *ours &= theirs);
        ours
    }

    fn add(&mut self, alphabet: &Alphabet, text: &[u32]) {
        let mut first = 0;
        for chunk in text.chunks(CHUNK) {
            halt::spend(chunk.len() / 8);
            for &symbol in chunk {
                let second = alphabet.numbers[symbol as usize];
                let (word, bit) = self.place(first, second);
                self.bits[word] |= u64::from(first > 0 && second > 0) << bit;
                first = second;
            }
        }
    }

    /// The new numbers of a text, marked where a shared pair begins.
    fn mark(&self, alphabet: &Alphabet, text: &[u32]) -> Vec<u32> {
        let mut marked = Vec::new();
        halt::resize(&mut marked, text.len(), 0);
        let mut second = 0;
        for (chunk, marked) in text.rchunks(CHUNK).zip(marked.rchunks_mut(CHUNK)) {
            halt::spend(chunk.len() / 8);
            for (&symbol, marked) in chunk.iter().zip(marked).rev() {
                let first = alphabet.numbers[symbol as usize];
                let (word, bit) = self.place(first, second);
                *marked = first | ((self.bits[word] >> bit) as u32) << 31;
                second = first;
            }
        }
        marked
    }

    #[inline(always)]
    fn place(&self, first: u32, second: u32) -> (usize, u32) {
        let pair = u64::from(first) << 32 | u64::from(second);
        let hash = pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift;
        ((hash / 64) as usize, (hash % 64) as u32)
    }
}

/// Packed symbols, the first highest.
trait Window: Copy + Ord {
    /// How many symbols of so many bits there are in a window, if so many are wanted and texts need so many bits.
    fn symbols(wanted: usize, _bits: u32, _tag_bits: u32) -> usize {
        wanted
    }
    /// The window with its position in the text, if it tells it.
    fn placed(self, _at: usize) -> Self {
        self
    }
    /// Counts longer n-grams among sorted windows.
    fn go_deeper(_windows: &mut [Self], _deeper: &Deeper<'_>, _matches: &mut [f64]) {}
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

/// A window of some of the symbols that follow a position, and the position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Placed {
    window: u128,
    at: u32,
}

impl Window for Placed {
    const BITS: u32 = u128::BITS;
    const ONES: Self = Self { window: !0, at: 0 };
    const ZERO: Self = Self { window: 0, at: 0 };

    fn symbols(wanted: usize, bits: u32, tag_bits: u32) -> usize {
        wanted.min(((Self::BITS - tag_bits) / bits) as usize)
    }

    #[inline(always)]
    fn placed(self, at: usize) -> Self {
        Self { at: at as u32, ..self }
    }

    fn go_deeper(windows: &mut [Self], deeper: &Deeper<'_>, matches: &mut [f64]) {
        deeper.add(windows, deeper.first + deeper.symbols, matches);
    }

    #[inline(always)]
    fn push(self, number: u32, bits: u32) -> Self {
        Self { window: self.window.push(number, bits), ..self }
    }

    #[inline(always)]
    fn masked(self, width: u32) -> Self {
        Self { window: self.window.masked(width), ..self }
    }

    #[inline(always)]
    fn digit(self, shift: u32, mask: usize) -> usize {
        self.window.digit(shift, mask)
    }

    #[inline(always)]
    fn tagged(self, tag: u32) -> Self {
        Self { window: self.window.tagged(tag), ..self }
    }

    #[inline(always)]
    fn differs_at(self, other: Self) -> u32 {
        self.window.differs_at(other.window)
    }
}

/// Counts n-grams that are longer than windows: what has equal windows gets new ones, of the symbols that follow.
struct Deeper<'a> {
    alphabet: &'a Alphabet,
    texts: &'a [&'a [u32]],
    /// How many symbols a bucket stands for.
    first: usize,
    /// How many symbols are in a window.
    symbols: usize,
}

impl Deeper<'_> {
    /// Adds the matches of the orders above `from` among sorted windows that end there.
    fn add(&self, windows: &mut [Placed], from: usize, matches: &mut [f64]) {
        if matches.is_empty() {
            return;
        }
        let width = self.alphabet.bits * self.symbols as u32;
        for run in windows.chunk_by_mut(|one, next| one.differs_at(*next) >= width) {
            let ours = run.iter().filter(|window| self.tag(window) == 0).count();
            if ours > 0 && ours < run.len() {
                self.add_run(run, from, matches);
            }
        }
    }

    /// Adds the matches of the orders above `from` at places where so many symbols are the same.
    fn add_run(&self, run: &mut [Placed], from: usize, matches: &mut [f64]) {
        halt::spend(run.len());
        if let [one, other] = run {
            let pairs = self.following(*one, from).zip(self.following(*other, from));
            let same = pairs.take_while(|(one, other)| one == other && *one > 0);
            return matches.iter_mut().zip(same).for_each(|(matches, _)| *matches += 1.0);
        }
        let bits = self.alphabet.bits;
        for place in run.iter_mut() {
            let tag = self.tag(place);
            let stranger = if tag == 0 { (1 << bits) - 1 } else { 0 };
            let numbers = self.following(*place, from).chain(std::iter::repeat(0)).take(self.symbols);
            let filled = numbers.fold(0, |window: u128, number| {
                window << bits | u128::from(if number == 0 { stranger } else { number })
            });
            place.window = filled << (u128::BITS - bits * self.symbols as u32) | tag as u128;
        }
        sort_halves(run);
        let (here, beyond) = matches.split_at_mut(self.symbols.min(matches.len()));
        let mut walk = walk_for(bits, here.len(), self.texts.len());
        walk.add(run);
        walk.finish(here);
        self.add(run, from + self.symbols, beyond);
    }

    /// The numbers that stand so many places after a position, up to the end of the text.
    fn following(&self, place: Placed, from: usize) -> impl Iterator<Item = u32> {
        let text = self.texts[self.tag(&place)];
        text[text.len().min(place.at as usize + from)..].iter().map(|&symbol| self.alphabet.number(symbol))
    }

    fn tag(&self, place: &Placed) -> usize {
        place.digit(0, (1 << bits_for(self.texts.len() - 1)) - 1)
    }
}

/// Where nothing of a bucket is wanted.
const NOWHERE: u32 = u32::MAX;

fn match_windows<W: Window, const FIRST: usize, const MARKED: bool>(
    alphabet: &Alphabet,
    texts: &[&[u32]],
    tally: &Tally,
    matches: &mut [f64],
) {
    let symbols = W::symbols(matches.len(), alphabet.bits, bits_for(texts.len() - 1));
    let deeper = Deeper { alphabet, texts, first: FIRST, symbols };
    let (matches, longer) = matches.split_at_mut(symbols);
    let width = alphabet.bits * symbols as u32;
    let mut walk = walk_for(alphabet.bits, symbols, texts.len());
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
            let mut at = text.len();
            alphabet.visit::<W, FIRST, MARKED>(text, width, tag == 0, |bucket, window| {
                at -= 1;
                let place = &mut places[bucket];
                if *place != NOWHERE {
                    windows[*place as usize] = window.tagged(tag).placed(at);
                    *place += 1;
                }
            });
        }
        let mut start = 0;
        for end in places[part].iter().map(|&end| end as usize).filter(|&end| end != NOWHERE as usize) {
            let bucket = &mut windows[start..end];
            sorter.sort(bucket, 0, alphabet.bits);
            walk.add(bucket);
            W::go_deeper(bucket, &deeper, longer);
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
