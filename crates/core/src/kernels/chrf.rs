//! N-grams of characters, up to eight, from bytes to matches: the kernel of chrF, and of BLEU by characters.
//!
//! The *hypothesis* is written into a buffer, a byte for each character that counts, and becomes an index; the
//! *reference* streams through it and takes n-grams of the hypothesis, each at most once. So min(count, count in the
//! reference) of each n-gram are taken in the end, in whatever order. Nothing is numbered and no n-gram is stored: the
//! eight bytes from a position on are its window, and one load reads it.
//!
//! - *One character*: both texts are counted in 256 numbers, and the smaller ones are added up.
//! - *Two characters* are an index into 65,536 counts. Those of the hypothesis are made, and the reference takes from
//!   them.
//! - *Three and more*: positions of the hypothesis are listed by the hash of their first three bytes. A position of the
//!   reference goes through its list. Of the difference of two windows, the bits below the lowest that is set tell how
//!   many bytes are equal: the highest bit of byte n-1 remains if n-grams of length n are. These bits are also the bits
//!   of what is taken, in one word with the next position of the list, and a sum of them counts all orders at once.
//!
//! The counts of pairs and the heads of lists hold their number *plus a base*, which grows with each hypothesis by more
//! than was stored. What earlier ones left behind is below it, and nothing is cleared but once in some hundred
//! segments.
//!
//! Texts are bytes in one of two ways, by the hypothesis: in Windows-1252 if it is narrow, or on a code page of its own
//! ([`super::page`]). Behind both texts stand bytes that no text has, and another one stands for the characters of a
//! reference that its hypothesis has not: so windows may reach beyond the end, and find nothing equal there.
//!
//! **Cost.** About 60 instructions for each character of both texts, all included, where the general way takes 90, and
//! half of its time: 0.7 of 1.45 µs for a pair of sentences of a hundred characters. Memory: 128 kB for the counts of
//! pairs, 20 kB for the rest, and 72 kB for the page once a wide text comes. Strangers may fill one list with a text
//! that repeats itself; such a text is declined when it takes too many steps. They cannot fill one with different
//! trigrams, for the hash is keyed.
//!
//! **What did not pay.** Lists by two characters (in a prototype): they hold two or three positions, and each list that
//! goes on is a branch that is guessed wrong. A thousand lists cost 7 % more time than 4,096, for the same reason.
//! Pairs in a loop of their own: 5 % slower than in the loop over lists, where they fill the time of a load. To drop
//! white space word by word, or in eight bytes at once by shifts: fewer instructions, the same time. The greater of two
//! numbers written as such: LLVM makes a branch of it, which cost 0.15 µs a pair; hence [`select_unpredictable`].

use super::Kernel;
use super::page::{Page, Place};
use crate::mixing::Mixer;
use crate::prepare::Reading;
use crate::text::{Placed, Text, Unit};
use crate::unicode::is_space;
use crate::windows1252::encode;
use std::hint::select_unpredictable;

/// The longest n-grams: a window has as many bytes.
const MAX_ORDER: usize = 8;

/// The longest texts. In longer ones lists are so long that sorting is faster.
const LONGEST: usize = 1000;

/// Places in a text. A hypothesis begins at [`FIRST`]; place 0 ends a list, and its window equals nothing.
const PLACES: usize = 1024;
const FIRST: usize = MAX_ORDER;

/// A text, and room for the windows of its last places.
type Buffer = [u8; PLACES + MAX_ORDER];

/// Lists of places: so many that few trigrams share one.
const LISTS: usize = 4096;

/// How many steps beyond the first a place may take on average.
const PATIENCE: usize = 24;

/// The highest bit of each byte, one for each order.
const ORDERS: u64 = 0x8080_8080_8080_8080;

/// The bytes of the orders that are counted without lists.
const UNLISTED: u64 = 0xFFFF;

/// How many places can add to the sum of an order in a byte.
const SUMMED: usize = 255;

/// The kernel for a way of reading, if there is one.
pub fn kernel(reading: Reading, order: usize) -> Option<Box<dyn Kernel + Send>> {
    match reading {
        Reading::Characters { spaces } if (1..=MAX_ORDER).contains(&order) => {
            Some(Box::new(Characters::new(order, spaces)))
        }
        _ => None,
    }
}

/// Counts the matches of characters.
struct Characters {
    alphabet: Alphabet,
    hypothesis: Box<Buffer>,
    reference: Box<Buffer>,
    end: usize, // of the hypothesis
    index: Index,
    sums: [u32; MAX_ORDER],
    is_waiting: bool, // whether there are sums of a reference
    rest: usize,      // segments to decline without a look
}

/// Segments that are declined after one that had several references at once: those beside it will have as many.
const REST: usize = 100;

impl Characters {
    fn new(order: usize, spaces: bool) -> Self {
        Self {
            alphabet: Alphabet::new(spaces),
            hypothesis: Box::new([0; PLACES + MAX_ORDER]),
            reference: Box::new([0; PLACES + MAX_ORDER]),
            end: FIRST,
            index: Index::new(order),
            sums: [0; MAX_ORDER],
            is_waiting: false,
            rest: 0,
        }
    }
}

impl Kernel for Characters {
    fn start(&mut self, hypothesis: Placed<'_>) -> Option<usize> {
        self.sums = [0; MAX_ORDER];
        self.is_waiting = false;
        if self.rest > 0 || hypothesis.text.len() > LONGEST {
            self.rest = self.rest.saturating_sub(1);
            return None;
        }
        self.end = self.alphabet.write_hypothesis(hypothesis.text, &mut self.hypothesis)?;
        Some(self.end - FIRST)
    }

    /// The index is made here and not before: windows that are loaded just after their bytes were stored wait for them.
    fn add(&mut self, _: Placed<'_>, reference: Placed<'_>) -> Option<usize> {
        if self.is_waiting {
            // What several references take together is a union (BLEU), which nothing here keeps.
            self.rest = REST;
            return None;
        }
        if reference.text.len() > LONGEST {
            return None;
        }
        let end = self.alphabet.write_reference(reference.text, &mut self.reference);
        self.index.fill(&self.hypothesis, self.end);
        self.is_waiting = true;
        self.index.take(&self.hypothesis, &self.reference, end, &mut self.sums).then_some(end)
    }

    fn finish(&mut self, matches: &mut [f64]) {
        self.is_waiting = false;
        let sums = std::mem::take(&mut self.sums);
        matches.iter_mut().zip(sums).for_each(|(matches, sum)| *matches += f64::from(sum));
    }
}

/// How characters become bytes.
struct Alphabet {
    spaces: bool,
    is_narrow: bool, // the hypothesis
    widths: [u8; 256],
    page: Option<Page<1>>,
}

/// Bytes that Windows-1252 does not have: what stands behind a hypothesis and a reference, and for strange characters.
const NARROW_ENDS: [u8; 2] = [0x81, 0x8D];
const NARROW_STRANGER: u8 = 0x8F;

/// Bytes that the page does not give: what stands behind a hypothesis and a reference, and for white space.
const PAGE_ENDS: [u8; 2] = [0xFE, 0xFF];
const PAGE_SPACE: u8 = 0xFD;

impl Alphabet {
    fn new(spaces: bool) -> Self {
        let widths = std::array::from_fn(|byte| u8::from(spaces || !(byte as u8).is_space()));
        Self { spaces, is_narrow: true, widths, page: None }
    }

    /// Writes a hypothesis and returns its end, or nothing if it has too many different characters.
    fn write_hypothesis(&mut self, text: Text<'_>, buffer: &mut Buffer) -> Option<usize> {
        self.is_narrow = matches!(text, Text::Narrow(_));
        let (widths, spaces) = (&self.widths, self.spaces);
        let end = match text {
            Text::Narrow(text) => write(text, buffer, FIRST, |c| (c, widths[usize::from(c)])),
            Text::Wide(text) => {
                let page = self.page.get_or_insert_with(|| page(spaces));
                let mut end = FIRST;
                let is_enough = page.learn(text, |byte| put(buffer, &mut end, with_width(byte)));
                is_enough.then_some(end)?
            }
        };
        let [behind, _] = self.ends();
        buffer[..FIRST].fill(behind);
        buffer[end..][..MAX_ORDER].fill(behind);
        Some(end)
    }

    /// Writes a reference of the hypothesis and returns its end.
    fn write_reference(&self, text: Text<'_>, buffer: &mut Buffer) -> usize {
        let (widths, spaces) = (&self.widths, self.spaces);
        let narrow = |c: u32| (encode(c).unwrap_or(NARROW_STRANGER), u8::from(spaces || !is_space(c)));
        let end = match (text, self.page.as_ref().filter(|_| !self.is_narrow)) {
            (Text::Narrow(text), None) => write(text, buffer, 0, |c| (c, widths[usize::from(c)])),
            (Text::Wide(text), None) => write(text, buffer, 0, narrow),
            (Text::Narrow(text), Some(page)) => write(text, buffer, 0, |c| with_width(page.find(c.code_point()))),
            (Text::Wide(text), Some(page)) => write(text, buffer, 0, |c| with_width(page.find(c))),
        };
        let [_, behind] = self.ends();
        buffer[end..][..MAX_ORDER].fill(behind);
        end
    }

    fn ends(&self) -> [u8; 2] {
        if self.is_narrow { NARROW_ENDS } else { PAGE_ENDS }
    }
}

/// The page of wide hypotheses. Their ASCII characters too are given bytes, so that more are left for others.
fn page(spaces: bool) -> Page<1> {
    let place = |c| if !spaces && is_space(c) { Place::Fixed(PAGE_SPACE) } else { Place::Room(0) };
    let given = 1..u16::from(PAGE_SPACE);
    Page::new(place, 0, [given])
}

/// A byte of a page, and how much room it takes.
#[inline(always)]
fn with_width(byte: u8) -> (u8, u8) {
    (byte, u8::from(byte != PAGE_SPACE))
}

/// Writes the characters of a text from a place on, each a byte or nothing, and returns the end.
#[inline(always)]
fn write<U: Unit>(text: &[U], buffer: &mut Buffer, mut to: usize, byte: impl Fn(U) -> (u8, u8)) -> usize {
    text.iter().for_each(|&c| put(buffer, &mut to, byte(c)));
    to
}

/// Always writes a byte, and moves on only if it has a width: there is no branch that is hard to predict.
#[inline(always)]
fn put(buffer: &mut Buffer, to: &mut usize, (byte, width): (u8, u8)) {
    buffer[*to % PLACES] = byte;
    *to += usize::from(width);
}

/// The n-grams of a hypothesis.
struct Index {
    mixer: Mixer,
    listed: u64, // of `ORDERS`, those with lists
    base: u16,
    used: u16, // the highest number that was stored
    ones: [u16; 256],
    pairs: Box<[u16; 1 << 16]>,
    heads: Box<[u16; LISTS]>,
    entries: Box<[u64; PLACES]>, // the next place of a list, and of `ORDERS` those that are taken
}

impl Index {
    fn new(order: usize) -> Self {
        Self {
            mixer: Mixer::default(),
            listed: ORDERS & !UNLISTED & (u64::MAX >> (64 - 8 * order)),
            base: 0,
            used: 0,
            ones: [0; 256],
            pairs: zeros(),
            heads: zeros(),
            entries: Box::new([0; PLACES]),
        }
    }

    /// Makes the index of a hypothesis.
    fn fill(&mut self, text: &Buffer, end: usize) {
        if self.used > u16::MAX - PLACES as u16 {
            self.used = 0;
            self.pairs.fill(0);
            self.heads.fill(0);
        }
        self.base = self.used;
        self.used += end as u16;
        count(&text[FIRST..end], &mut self.ones);
        let (base, mixer, pairs, heads) = (self.base, self.mixer, &mut *self.pairs, &mut *self.heads);
        let windows = text[FIRST..].windows(MAX_ORDER).take((end - FIRST).saturating_sub(1));
        for ((place, bytes), entry) in (FIRST as u16..).zip(windows).zip(&mut self.entries[FIRST..]) {
            let window = window(bytes);
            let pair = &mut pairs[pair(window)];
            *pair = select_unpredictable(*pair > base, *pair, base) + 1;
            let head = &mut heads[list(window, mixer)];
            *entry = above(*head, base) as u64;
            *head = base + place;
        }
    }

    /// Counts what a reference takes from the hypothesis, order by order; gives up, and says so, if that is much work.
    fn take(&mut self, ours: &Buffer, theirs: &Buffer, end: usize, sums: &mut [u32; MAX_ORDER]) -> bool {
        sums[0] = common(&self.ones, &theirs[..end]);
        let pairs = end.saturating_sub(1);
        let mut steps = 0;
        for start in (0..pairs).step_by(SUMMED) {
            let windows = theirs[start..].windows(MAX_ORDER).take(SUMMED.min(pairs - start));
            let found = self.take_some(ours, windows, &mut steps).to_le_bytes();
            sums.iter_mut().zip(found).for_each(|(sum, found)| *sum += u32::from(found));
            if steps > PATIENCE * (end + 100) {
                return false;
            }
        }
        true
    }

    /// The same for some places: a byte for each order.
    #[inline(always)]
    fn take_some<'a>(&mut self, ours: &Buffer, windows: impl Iterator<Item = &'a [u8]>, steps: &mut usize) -> u64 {
        let (base, mixer, listed) = (self.base, self.mixer, self.listed);
        let (pairs, heads, entries) = (&mut *self.pairs, &*self.heads, &mut *self.entries);
        let (mut found, mut more) = (0, 0);
        for bytes in windows {
            let theirs = window(bytes);
            let pair = &mut pairs[pair(theirs)];
            let is_left = *pair > base;
            *pair -= u16::from(is_left);
            found += u64::from(is_left) << 8;
            let (mut place, mut wanted) = (above(heads[list(theirs, mixer)], base), listed);
            // At least once, also if the list is empty: most lists have one place or none, which is hard to predict.
            loop {
                let entry = &mut entries[place % PLACES];
                let difference = window(&ours[place % PLACES..][..MAX_ORDER]) ^ theirs;
                let gained = !difference & difference.wrapping_sub(1) & wanted & !*entry;
                place = *entry as usize % PLACES;
                *entry |= gained;
                found += gained >> 7;
                wanted ^= gained;
                if place == 0 || wanted == 0 {
                    break;
                }
                more += 1;
            }
        }
        *steps += more;
        found
    }
}

fn zeros<const N: usize>() -> Box<[u16; N]> {
    // By way of a vector, since an array would be made on the stack.
    vec![0; N].into_boxed_slice().try_into().unwrap_or_else(|_| unreachable!())
}

/// How often each byte is in a text.
#[inline(always)]
fn count(text: &[u8], counts: &mut [u16; 256]) {
    counts.fill(0);
    text.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
}

/// The sum of the smaller counts. It fits, for no text has that many characters.
#[inline(always)]
fn common(ours: &[u16; 256], theirs: &[u8]) -> u32 {
    let mut counts = [0; 256];
    count(theirs, &mut counts);
    ours.iter().zip(&counts).fold(0, |sum: u16, (ours, theirs)| sum + ours.min(theirs)).into()
}

/// The bytes of a window, the first lowest.
#[inline(always)]
fn window(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight))
}

#[inline(always)]
fn pair(window: u64) -> usize {
    window as u16 as usize
}

/// The list of the places that begin with the first three bytes of a window.
#[inline(always)]
fn list(window: u64, mixer: Mixer) -> usize {
    (mixer.spread(window & 0xFF_FFFF) >> (64 - LISTS.trailing_zeros())) as usize
}

/// How far a number is above the base; 0 if it is not.
#[inline(always)]
fn above(number: u16, base: u16) -> usize {
    select_unpredictable(number > base, usize::from(number).wrapping_sub(base.into()), 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::TextMatcher;
    use crate::ngram::naive;
    use crate::text::{SLACK, narrow_into};
    use crate::unicode::code_points;
    use proptest::prelude::*;

    /// What a kernel says of a hypothesis and its references, each by itself: lengths and matches, until it declines.
    fn counted(kernel: &mut Characters, order: usize, texts: &[Vec<u32>]) -> Vec<(usize, Vec<f64>)> {
        let mut rooms: Vec<Vec<u8>> = texts.iter().map(|text| vec![b'x'; text.len() + SLACK]).collect();
        let placed = |(text, room): (&'_ Vec<u32>, &'_ mut Vec<u8>)| narrow_into(text, &mut room[..text.len()]);
        let narrow: Vec<bool> = texts.iter().zip(&mut rooms).map(placed).collect();
        let place = |at: usize| Placed {
            text: if narrow[at] { Text::Narrow(&rooms[at][..texts[at].len()]) } else { Text::Wide(&texts[at]) },
            room: &rooms[at],
        };
        let Some(length) = kernel.start(place(0)) else { return Vec::new() };
        let mut found = vec![(length, Vec::new())];
        for at in 1..texts.len() {
            let Some(length) = kernel.add(place(0), place(at)) else { return found };
            let mut matches = vec![0.0; order];
            kernel.finish(&mut matches);
            found.push((length, matches));
        }
        found
    }

    /// The same by the definition.
    fn expected(order: usize, spaces: bool, texts: &[Vec<u32>]) -> Vec<(usize, Vec<f64>)> {
        let visible =
            |text: &Vec<u32>| -> Vec<u32> { text.iter().copied().filter(|&c| spaces || !is_space(c)).collect() };
        let texts: Vec<Vec<u32>> = texts.iter().map(visible).collect();
        let references = texts[1..]
            .iter()
            .map(|reference| (reference.len(), naive::matches(order, &texts[0], std::slice::from_ref(reference))));
        std::iter::once((texts[0].len(), Vec::new())).chain(references).collect()
    }

    /// Texts of a few characters, so that much is equal: all of ASCII, of Windows-1252, of any plane, lone surrogates,
    /// all kinds of white space, the null character.
    fn texts(lengths: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Vec<u32>>> {
        let alphabets =
            ["ab", "ab c", "abcdefgh ", "aé’€ \u{A0}\u{85}", "абв г", "中文，字\u{3000}a", "a\u{1F600}\u{1F601} ж"];
        let mut alphabets: Vec<Vec<u32>> = alphabets.map(code_points).to_vec();
        alphabets.push(vec![0, 1, 0x20, 0x1C, 0xD800, 0xDFFF, 0xFFFF, 0x81, 0x8D, 0x8F, 0xFD, 0xFE, 0xFF]);
        alphabets.push((0x4E00..0x4E00 + 400).collect());
        alphabets.push((0..0x100).collect());
        let pair = (prop::sample::select(alphabets.clone()), prop::sample::select(alphabets), 0_usize..4);
        pair.prop_flat_map(move |(usual, other, others)| {
            // One reference in four has characters of another script.
            let both = [&usual[..], &other].concat();
            let text = |alphabet: Vec<u32>| prop::collection::vec(prop::sample::select(alphabet), lengths.clone());
            let strange = if others == 0 { both } else { usual.clone() };
            (text(usual.clone()), text(strange), prop::collection::vec(text(usual), 0..3))
                .prop_map(|(first, second, others)| [vec![first, second], others].concat())
        })
    }

    proptest! {
        #[test]
        fn matches_are_those_of_the_definition(
            segments in prop::collection::vec(texts(0..70), 1..4), order in 1..=MAX_ORDER, spaces in any::<bool>(),
        ) {
            let mut kernel = Characters::new(order, spaces);
            for texts in segments {
                prop_assert_eq!(expected(order, spaces, &texts), counted(&mut kernel, order, &texts));
            }
        }

        /// Two hundred and fifty-five places are summed in a byte; the page has room for 252 characters.
        #[test]
        fn long_texts_are_counted_alike_or_declined(texts in texts(240..1010), order in 1..=MAX_ORDER) {
            let found = counted(&mut Characters::new(order, false), order, &texts);
            prop_assert_eq!(&expected(order, false, &texts)[..found.len()], &found);
        }
    }

    fn text(pattern: &str, length: usize) -> Vec<u32> {
        code_points(pattern).into_iter().cycle().take(length).collect()
    }

    #[test]
    fn many_equal_pairs_are_counted_or_declined() {
        for length in [254, 255, 256, 257, 258, 300, 511, 512, 999, 1000] {
            for pattern in ["a", "ab", "ж", "abc", "😀"] {
                let texts = [text(pattern, length), text(pattern, length - 1)];
                let found = counted(&mut Characters::new(6, true), 6, &texts);
                assert_eq!(expected(6, true, &texts)[..found.len()], found, "{length} of {pattern}");
            }
        }
    }

    #[test]
    fn a_text_that_repeats_itself_is_declined_before_it_takes_long() {
        let texts = [text("a", 1000), text("a", 1000)];
        assert_eq!(1, counted(&mut Characters::new(6, false), 6, &texts).len());
    }

    #[test]
    fn texts_are_declined_that_are_too_long_or_have_too_many_characters() {
        let mut kernel = Characters::new(6, false);
        let accepts = |kernel: &mut Characters, texts: [Vec<u32>; 2]| counted(kernel, 6, &texts).len();
        let alphabet = |count: u32| (0x4E00..0x4E00 + count).collect::<Vec<u32>>();
        let varied = |length: usize| text(&"the quick brown fox jumps over a lazy dog; ".repeat(7)[..293], length);
        assert_eq!(2, accepts(&mut kernel, [varied(1000), varied(1000)]));
        assert_eq!(0, accepts(&mut kernel, [varied(1001), varied(1000)]));
        assert_eq!(1, accepts(&mut kernel, [varied(1000), varied(1001)]));
        assert_eq!(2, accepts(&mut kernel, [alphabet(252), alphabet(900)]));
        assert_eq!(0, accepts(&mut kernel, [alphabet(253), alphabet(10)]));
    }

    #[test]
    fn what_thousands_of_segments_leave_behind_is_never_taken() {
        let mut kernel = Characters::new(6, false);
        let texts: Vec<Vec<u32>> = ["abcabcabd", "xyz xyz", "abcabd", "", "a", "жзи жзи"].map(code_points).to_vec();
        for round in 0..12_000 {
            let pair = [texts[round % texts.len()].clone(), texts[round * 7 % 5].clone()];
            assert_eq!(expected(6, false, &pair), counted(&mut kernel, 6, &pair), "round {round}");
        }
    }

    #[test]
    fn several_references_at_once_are_declined() {
        let (room, text) = ([b'a'; 80], Text::Narrow(b"aaa"));
        let placed = Placed { text, room: &room };
        let mut kernel = Characters::new(2, false);
        assert_eq!([Some(3); 2], [kernel.start(placed), kernel.add(placed, placed)]);
        assert_eq!(None, kernel.add(placed, placed));
        assert!((0..REST).all(|_| kernel.start(placed).is_none()));
        assert_eq!(Some(3), kernel.start(placed));
    }

    #[test]
    fn only_n_grams_of_a_window_have_a_kernel() {
        let orders = |reading| (0..12).filter(|&order| kernel(reading, order).is_some()).collect::<Vec<_>>();
        assert_eq!((1..=8).collect::<Vec<_>>(), orders(Reading::Characters { spaces: true }));
        assert_eq!(Vec::<usize>::new(), orders(Reading::DetachedWords));
        let _ = TextMatcher::new(Reading::Characters { spaces: true }, 0);
    }
}
