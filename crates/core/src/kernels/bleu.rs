//! N-grams of words, up to four, in one pass over each text: the kernel of BLEU and GLEU, and of the words of chrF++.
//!
//! [`crate::numbering`] and [`crate::ngram`] go over a text five times: class bits, spans, keys, numbers, windows. Here
//! a token that [`crate::prepare::blocks`] finds is dealt with at once, and nothing is stored for the reference at all.
//!
//! The *hypothesis* becomes an index: an entry for each word, with its key, and the last four words up to it as a
//! window of four numbers. An n-gram is told by its *last* word, so it is whole when its last word comes. Entries of
//! equal words are linked, the last one first. The *reference* streams through: each word finds the entries of equal
//! words, and the trailing zeros of the difference of two windows tell how many n-grams end in both. Each of these that
//! is not taken yet is taken, by a bit in the entry.
//!
//! Why that counts clipped matches: of an n-gram, each occurrence in the reference takes one occurrence in the
//! hypothesis if one is left, so min(count, count in the reference) are taken in the end. With several references: an
//! occurrence takes the first of the list that is not taken, so those taken are the first of the list, as many as that
//! minimum; their union over references is the longest of these beginnings, which has min(count, highest count of a
//! reference) entries. That is BLEU's rule.
//!
//! Words are found through slots by their keyed hash, each of which holds the number of an entry *plus a base*. The
//! base grows with each hypothesis by as many as it has words, so what earlier ones left is out of range and nothing is
//! ever cleared. A word whose slot is taken by another one tries the next slot. Keys tell words apart exactly, and long
//! words are compared letter by letter. Words that repeat very often, for which the way through the lists would be
//! long, are left to the general way.
//!
//! Wide text is written in the bytes of a page ([`super::page`]) that is made for the segment, with bytes for each
//! class of characters. What the reference alone has is one and the same byte: a word with such a character equals no
//! word of the hypothesis.
//!
//! What it costs: about 5,000 instructions for a pair of sentences of a hundred characters, of which the scan takes a
//! quarter. What was tried and did not pay (in a prototype): token starts and ends in arrays, and loops over them: half
//! the gain. Finding and adding without branches, two partners always: 16 % more instructions, the same time. Bits of
//! what is taken in an array of their own: nothing. AVX2: 14 % fewer instructions, 5 % less time, and a second version;
//! all of it compiled for AVX2 and BMI: 1 to 2 %. The partners of all words of a reference first, found without a
//! branch, and their matches in a second loop, so that a wrong guess is known sooner: 2 to 4 % more time.
//!
//! As little came of these: a missing word as an entry that shares nothing, so that it needs no branch (1 to 3 % more
//! time); fewer instructions for the masks of a block (no less time); and, in a trial, the masks of 256
//! bytes and the places of all their tokens by AVX-512, in one pass without branches, and a loop over these places:
//! the cut by itself took a quarter less, the whole as long as before or 5 % longer.

use super::Kernel;
use super::page::{self, Page, Place};
use crate::halt;
use crate::mixing::Mixer;
use crate::prepare::blocks::{Detached, Intl, OnPage, PAGED, Paged, ROOMS, Rules, Split, V13a, Western, Zh, cut};
use crate::prepare::classes::Class;
use crate::prepare::{Reading, Tokenizer};
use crate::text::{Key, Placed, SLACK, Text, Unit};
use crate::threads::lock;
use crate::unicode::is_space;
use crate::windows1252::{decode, encode};
use std::any::TypeId;
use std::marker::PhantomData;
use std::sync::Mutex;

/// The longest n-grams.
const ORDERS: usize = 4;

/// The bits of each number in a window.
const LANE: u32 = 16;

/// Entries for words, of which the first is none.
const ENTRIES: usize = 512;

/// Slots by hash: so many that few words share one, and few enough for the nearest cache.
const SLOTS: usize = 2048;

/// Longer texts go the general way, which looks around now and then.
const LONGEST: usize = 1 << 14;

/// How many steps beyond the first a word may take on average.
const PATIENCE: usize = 16;

/// The kernel for a way of reading, if there is one.
pub fn kernel(reading: Reading, order: usize) -> Option<Box<dyn Kernel + Send>> {
    if order > ORDERS {
        return None;
    }
    Some(match reading {
        Reading::Words(Tokenizer::V13a) => Box::new(Words::<V13a>::new(order)),
        Reading::Words(Tokenizer::Western) => Box::new(Words::<Western>::new(order)),
        Reading::Words(Tokenizer::Intl) => Box::new(Words::<Intl>::new(order)),
        Reading::Words(Tokenizer::Zh) => Box::new(Words::<Zh>::new(order)),
        Reading::Words(Tokenizer::None) => Box::new(Words::<Split>::new(order)),
        Reading::DetachedWords => Box::new(Words::<Detached>::new(order)),
        _ => return None,
    })
}

/// A word of the hypothesis.
#[derive(Clone, Copy, Default)]
struct Entry {
    key: Key,
    window: u64, // the numbers of this word, lowest, and of those before it
    start: u16,
    length: u16,
    next: u16, // the entry of an equal word before it; 0 if there is none
    taken: u8, // by the present reference, a bit for each order
    any: u8,   // by one of the references before it
}

/// Matches the words of segments.
struct Words<R> {
    index: Index,
    order: usize,
    page: Option<Page<{ ROOMS.len() }>>, // made for the first wide text
    is_paged: bool,
    hypothesis: Vec<u8>, // in the bytes of the page
    reference: Vec<u8>,
    rules: PhantomData<R>,
}

/// The words of a hypothesis.
struct Index {
    slots: Box<[u32; SLOTS]>,
    entries: Box<[Entry; ENTRIES]>,
    mixer: Mixer,
    base: u32,
    count: usize,
    found: u64, // matches of the last reference, in lanes
    added: usize,
    is_taken: bool, // whether entries have bits of a reference
}

impl Index {
    fn new() -> Self {
        Self {
            slots: Box::new([0; SLOTS]),
            entries: Box::new([Entry::default(); ENTRIES]),
            mixer: Mixer::default(),
            base: ENTRIES as u32,
            count: 0,
            found: 0,
            added: 0,
            is_taken: false,
        }
    }

    /// Moves the base beyond everything that slots hold.
    fn forget(&mut self) {
        self.base += self.count as u32 + 1;
        if self.base > u32::MAX - 2 * ENTRIES as u32 {
            self.slots.fill(0);
            self.base = ENTRIES as u32;
        }
        (self.count, self.added, self.is_taken) = (0, 0, false);
    }

    /// Makes entries for the words of a hypothesis and returns how many there are, or nothing if it is not for this.
    fn fill<R: Rules>(&mut self, text: Bytes<'_>) -> Option<usize> {
        self.forget();
        let (slots, entries, mixer, base) = (&mut *self.slots, &mut *self.entries, self.mixer, self.base);
        let (mut count, mut window, mut steps) = (0, !0, 0);
        let found = cut::<R>(text.room, text.length, |start, length| {
            count += 1;
            if count == ENTRIES {
                return false;
            }
            let key = u8::key(text.room, start, start + length);
            let mut slot = key.mixed(mixer) as usize % SLOTS;
            let mut earlier = slots[slot].wrapping_sub(base) as usize;
            while earlier < count && !is_same(&entries[earlier % ENTRIES], key, text, (text, start, length)) {
                steps += 1;
                slot = (slot + 1) % SLOTS;
                earlier = slots[slot].wrapping_sub(base) as usize;
            }
            slots[slot] = base + count as u32;
            let is_known = earlier < count;
            let next = if is_known { earlier } else { 0 };
            let number = if is_known { entries[earlier % ENTRIES].window as u16 } else { count as u16 };
            window = window << LANE | u64::from(number);
            let (start, length, next) = (start as u16, length as u16, next as u16);
            entries[count % ENTRIES] = Entry { key, window, start, length, next, taken: 0, any: 0 };
            true
        });
        self.count = count.min(ENTRIES - 1);
        (found.is_some() && steps <= PATIENCE * count).then_some(count)
    }

    /// Matches the words of a reference and returns how many there are, or nothing if it is not for this.
    fn take<R: Rules>(&mut self, hypothesis: Bytes<'_>, text: Bytes<'_>) -> Option<usize> {
        if self.is_taken {
            self.free();
        }
        self.added += 1;
        self.is_taken = true;
        let (slots, entries, mixer, base) = (&*self.slots, &mut *self.entries, self.mixer, self.base);
        let last = self.count;
        let (mut window, mut steps, mut found) = (0_u64, 0, 0);
        let count = cut::<R>(text.room, text.length, |start, length| {
            window <<= LANE;
            let key = u8::key(text.room, start, start + length);
            let mut slot = key.mixed(mixer) as usize % SLOTS;
            let mut at = slots[slot].wrapping_sub(base) as usize;
            while at <= last && !is_same(&entries[at % ENTRIES], key, hypothesis, (text, start, length)) {
                steps += 1;
                slot = (slot + 1) % SLOTS;
                at = slots[slot].wrapping_sub(base) as usize;
            }
            if at > last {
                return true;
            }
            window |= u64::from(entries[at % ENTRIES].window as u16);
            let mut matched = 0;
            loop {
                let entry = &mut entries[at % ENTRIES];
                let shared = SHARED[((entry.window ^ window).trailing_zeros() / LANE) as usize];
                let gained = shared & !entry.taken & !matched;
                entry.taken |= gained;
                matched |= gained;
                at = entry.next.into();
                if at == 0 || matched == SHARED[ORDERS] {
                    break;
                }
                steps += 1;
                if steps > PATIENCE * ENTRIES {
                    return false;
                }
            }
            found += SPREAD[matched as usize];
            true
        });
        self.found = found;
        count
    }

    /// Frees all entries, and notes which of them were taken if more references come.
    fn free(&mut self) {
        let is_noted = self.added > 0;
        for entry in &mut self.entries[1..=self.count] {
            entry.any |= if is_noted { entry.taken } else { 0 };
            entry.taken = 0;
        }
        self.is_taken = false;
    }

    /// The matches of the references added, in lanes; they are forgotten.
    fn finish(&mut self) -> u64 {
        if self.added > 1 {
            self.free();
            let entries = &mut self.entries[1..=self.count];
            self.found = entries.iter().map(|entry| SPREAD[entry.any as usize]).sum();
            entries.iter_mut().for_each(|entry| entry.any = 0);
        }
        self.added = 0;
        self.found
    }
}

/// A text in bytes, and those behind it.
#[derive(Clone, Copy)]
struct Bytes<'a> {
    room: &'a [u8],
    length: usize,
}

impl<'a> Bytes<'a> {
    /// A text that was written with [`SLACK`] more.
    fn written(room: &'a [u8]) -> Self {
        Self { room, length: room.len() - SLACK }
    }

    fn of(placed: Placed<'a>) -> Self {
        Self { room: placed.room, length: placed.text.len() }
    }
}

impl<R: Paged + 'static> Words<R> {
    fn new(order: usize) -> Self {
        Self {
            index: Index::new(),
            order,
            page: None,
            is_paged: false,
            hypothesis: Vec::new(),
            reference: Vec::new(),
            rules: PhantomData,
        }
    }

    /// Writes a wide hypothesis in the bytes of a page; nothing if there are not enough.
    fn write_hypothesis(&mut self, text: &[u32]) -> Option<()> {
        // Characters beyond the basic plane have one room.
        let is_fit = |&c: &u32| c <= 0xFFFF || R::class(c) == ASTRAL;
        if text.len() > page::MOST || !text.iter().all(is_fit) {
            return None;
        }
        let page = self.page.get_or_insert_with(empty_page::<R>);
        let (written, mut at) = (&mut self.hypothesis, 0);
        halt::resize(written, text.len() + SLACK, 0);
        let is_enough = page.learn(text, |byte| {
            written[at] = byte;
            at += 1;
        });
        is_enough.then_some(())
    }

    /// Writes a reference in the bytes of its hypothesis; nothing if that cannot be.
    fn write_reference(&mut self, text: Text<'_>) -> Option<()> {
        let written = &mut self.reference;
        halt::resize(written, text.len() + SLACK, 0);
        let page = self.page.as_ref().filter(|_| self.is_paged);
        match (text, page) {
            (Text::Narrow(text), Some(page)) => {
                written.iter_mut().zip(text).for_each(|(byte, &c)| *byte = page.find(decode(c)));
            }
            (Text::Wide(text), Some(page)) => {
                if text.iter().any(|&c| c > 0xFFFF && R::class(c) != ASTRAL) {
                    return None;
                }
                written.iter_mut().zip(text).for_each(|(byte, &c)| *byte = page.find(c));
            }
            (_, None) => {
                let Text::Wide(text) = text else { return None };
                for (byte, &c) in written.iter_mut().zip(text) {
                    *byte = encode(c).or_else(|| unknown::<R>(c))?;
                }
            }
        }
        Some(())
    }
}

/// The class of characters beyond the basic plane that are on pages.
const ASTRAL: Class = Class::Letter;

/// The byte for a character that no narrow text has. Only letters have one: a byte that Windows-1252 does not use.
fn unknown<R: Paged>(c: u32) -> Option<u8> {
    match R::class(c) {
        Class::Letter => Some(0x81),
        Class::Space => Some(b' '),
        _ => None,
    }
}

/// An empty page. To ask the class of 65,536 characters takes as long as some hundred segments, so it is done once for
/// each tokenizer, and copied.
fn empty_page<R: Paged + 'static>() -> Page<{ ROOMS.len() }> {
    static MADE: Mutex<Vec<(TypeId, Page<{ ROOMS.len() }>)>> = Mutex::new(Vec::new());
    let mut made = lock(&MADE);
    let known = made.iter().find(|(rules, _)| *rules == TypeId::of::<R>());
    if let Some((_, page)) = known {
        return page.clone();
    }
    let page = new_page::<R>();
    made.push((TypeId::of::<R>(), page.clone()));
    page
}

fn new_page<R: Paged>() -> Page<{ ROOMS.len() }> {
    let room_of = |class: Class| ROOMS.iter().position(|&room| room == class).unwrap_or(0) as u8;
    let place = |c: u32| match c {
        // The lowest are those of characters that are not on the page.
        _ if (ROOMS.len() as u32..PAGED as u32).contains(&c) => Place::Fixed(c as u8),
        _ if is_space(c) => Place::Fixed(b' '),
        _ => Place::Room(room_of(R::class(c))),
    };
    let mut next = PAGED as u16;
    let rooms = R::ROOMS.map(|bytes| {
        let first = next;
        next += u16::from(bytes);
        first..next
    });
    Page::new(place, room_of(ASTRAL), rooms)
}

impl<R: Paged + 'static> Kernel for Words<R> {
    fn start(&mut self, hypothesis: Placed<'_>) -> Option<usize> {
        if hypothesis.text.len() > LONGEST {
            return None;
        }
        self.is_paged = false;
        let Text::Wide(text) = hypothesis.text else { return self.index.fill::<R>(Bytes::of(hypothesis)) };
        self.is_paged = true;
        self.write_hypothesis(text)?;
        self.index.fill::<OnPage<R>>(Bytes::written(&self.hypothesis))
    }

    fn add(&mut self, hypothesis: Placed<'_>, reference: Placed<'_>) -> Option<usize> {
        if reference.text.len() > LONGEST {
            return None;
        }
        if let (Text::Narrow(_), false) = (reference.text, self.is_paged) {
            return self.index.take::<R>(Bytes::of(hypothesis), Bytes::of(reference));
        }
        self.write_reference(reference.text)?;
        let reference = Bytes::written(&self.reference);
        if self.is_paged {
            self.index.take::<OnPage<R>>(Bytes::written(&self.hypothesis), reference)
        } else {
            self.index.take::<R>(Bytes::of(hypothesis), reference)
        }
    }

    fn finish(&mut self, matches: &mut [f64]) {
        let found = self.index.finish();
        for (order, matches) in matches[..self.order].iter_mut().enumerate() {
            *matches += f64::from((found >> (LANE * order as u32)) as u16);
        }
    }
}

/// Whether the word of an entry is the one of that key. Long words are compared letter by letter.
#[inline(always)]
fn is_same(entry: &Entry, key: Key, hypothesis: Bytes<'_>, word: (Bytes<'_>, usize, usize)) -> bool {
    entry.key.equals(key) && (!key.is_hashed() || is_same_text(entry, hypothesis, word))
}

#[cold]
#[inline(never)]
fn is_same_text(entry: &Entry, hypothesis: Bytes<'_>, (text, start, length): (Bytes<'_>, usize, usize)) -> bool {
    let ours = &hypothesis.room[entry.start.into()..][..entry.length.into()];
    ours == &text.room[start..start + length]
}

/// The bits of the orders that two windows share, by how many numbers they share.
static SHARED: [u8; ORDERS + 1] = [0, 1, 3, 7, 15];

/// The bits of a set of orders, each in a lane of its own.
static SPREAD: [u64; 1 << ORDERS] = {
    let mut table = [0; 1 << ORDERS];
    let mut orders = 0;
    while orders < table.len() {
        let mut order = 0;
        while order < ORDERS {
            table[orders] |= (orders as u64 >> order & 1) << (LANE * order as u32);
            order += 1;
        }
        orders += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::code_points;

    fn room(text: &str) -> Vec<u8> {
        [text.as_bytes(), &[b'1'; SLACK]].concat()
    }

    fn placed(room: &[u8]) -> Placed<'_> {
        Placed { text: Text::Narrow(&room[..room.len() - SLACK]), room }
    }

    /// The matches of a pair, or nothing if it is declined.
    fn matches(kernel: &mut dyn Kernel, hypothesis: &str, reference: &str) -> Option<[f64; ORDERS]> {
        let (ours, theirs, mut matches) = (room(hypothesis), room(reference), [0.0; ORDERS]);
        kernel.start(placed(&ours))?;
        kernel.add(placed(&ours), placed(&theirs))?;
        kernel.finish(&mut matches);
        Some(matches)
    }

    #[test]
    fn plain_sentences_are_not_declined() {
        let (ours, theirs) = ("The cat sat on the mat, 3.5 times.", "A cat sat on the mat & left, 3.5 times.");
        for tokenizer in [Tokenizer::V13a, Tokenizer::Western, Tokenizer::Intl, Tokenizer::Zh] {
            let mut kernel = kernel(Reading::Words(tokenizer), ORDERS).unwrap();
            assert_eq!(Some([9.0, 7.0, 5.0, 3.0]), matches(&mut *kernel, ours, theirs), "{tokenizer:?}");
        }
        let mut split = kernel(Reading::Words(Tokenizer::None), ORDERS).unwrap();
        assert_eq!(Some([6.0, 4.0, 2.0, 1.0]), matches(&mut *split, ours, theirs));
        assert!(kernel(Reading::Words(Tokenizer::V13a), ORDERS + 1).is_none());
    }

    /// The matches of a pair of wide texts, or of a narrow one and a wide one.
    fn wide_matches(tokenizer: Tokenizer, hypothesis: &str, reference: &str) -> Option<[f64; ORDERS]> {
        let mut kernel = kernel(Reading::Words(tokenizer), ORDERS)?;
        let [ours, theirs] = [hypothesis, reference].map(code_points);
        let narrow = room(hypothesis);
        let wide = |text| Placed { text: Text::Wide(text), room: &[] };
        let ours = if hypothesis.is_ascii() { placed(&narrow) } else { wide(&ours) };
        let mut matches = [0.0; ORDERS];
        kernel.start(ours)?;
        kernel.add(ours, wide(&theirs))?;
        kernel.finish(&mut matches);
        Some(matches)
    }

    #[test]
    fn wide_texts_are_not_declined() {
        let (ours, theirs) = ("Кот сел, 3,5 раза; «ну»", "Пёс и кот сел, 3,5 раза: «ну»");
        assert_eq!(Some([5.0, 3.0, 2.0, 1.0]), wide_matches(Tokenizer::V13a, ours, theirs));
        assert_eq!(Some([7.0, 5.0, 3.0, 1.0]), wide_matches(Tokenizer::Intl, ours, theirs));
        assert_eq!(Some([6.0, 5.0, 4.0, 3.0]), wide_matches(Tokenizer::Zh, "今天天气。3", "昨天今天天气。3"));
        assert_eq!(Some([2.0, 1.0, 0.0, 0.0]), wide_matches(Tokenizer::V13a, "a b c", "a b\u{3000}кот"));
        assert_eq!(None, wide_matches(Tokenizer::Zh, "a b c", "a 今 b"));
    }

    #[test]
    fn long_words_are_told_apart_and_long_texts_declined() {
        let mut kernel = Words::<V13a>::new(ORDERS);
        let long = "abcdefghijklmnopqrstuvwxyz";
        let found = matches(&mut kernel, &format!("{long} {long}a b"), &format!("{long}b {long} {long}a b"));
        assert_eq!(Some([3.0, 2.0, 1.0, 0.0]), found);
        let words = |count: usize| "ab ".repeat(count);
        assert!(matches(&mut kernel, &words(10), &words(ENTRIES)).is_some());
        assert_eq!(None, matches(&mut kernel, &words(ENTRIES), "ab"));
        assert_eq!(None, matches(&mut kernel, "ab", &words(LONGEST / 3 + 1)));
        assert_eq!(None, matches(&mut kernel, &words(ENTRIES - 1), &words(ENTRIES - 1)));
    }

    #[test]
    fn slots_are_cleared_before_numbers_run_out() {
        let mut kernel = Words::<V13a>::new(ORDERS);
        kernel.index.base = u32::MAX - 2 * ENTRIES as u32 - 7;
        for _ in 0..9 {
            assert_eq!(Some([2.0, 1.0, 0.0, 0.0]), matches(&mut kernel, "a b c", "a b d"));
        }
        assert!(kernel.index.base < 100 * ENTRIES as u32);
    }
}
