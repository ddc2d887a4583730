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
//! Texts of other scripts are bytes too, on a code page that lasts for a segment ([`super::page`]): each class of
//! characters that the tokenizer tells apart has a range of bytes there, and the rules of the scan for these bytes are
//! constants as those of Windows-1252 are.
//!
//! What it costs: about 5,000 instructions for a pair of sentences of a hundred characters, of which the scan takes a
//! quarter. What was tried and did not pay (in a prototype): token starts and ends in arrays, and loops over them: half
//! the gain. Finding and adding without branches, two partners always: 16 % more instructions, the same time. Bits of
//! what is taken in an array of their own: nothing. AVX2: 14 % fewer instructions, 5 % less time, and a second version.

use super::Kernel;
use super::page::{Page, Place};
use super::wide::AnyScript;
use crate::mixing::Mixer;
use crate::prepare::blocks::{Detached, Intl, OnPage, ROOMED, Rules, Split, V13a, Western, Zh, cut};
use crate::prepare::classes::Class;
use crate::prepare::{Reading, Tokenizer};
use crate::text::{Key, Placed, Unit};
use std::marker::PhantomData;

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
        Reading::Words(Tokenizer::V13a) => any_script::<V13a>(order),
        Reading::Words(Tokenizer::Western) => any_script::<Western>(order),
        Reading::Words(Tokenizer::Intl) => any_script::<Intl>(order),
        Reading::Words(Tokenizer::Zh) => any_script::<Zh>(order),
        Reading::Words(Tokenizer::None) => any_script::<Split>(order),
        Reading::DetachedWords => any_script::<Detached>(order),
        _ => return None,
    })
}

/// The kernel of a tokenizer for narrow texts, and another for texts on a code page.
fn any_script<R: Rules + Send + 'static>(order: usize) -> Box<dyn Kernel + Send> {
    let new_page = || Page::new(place::<R>, R::ROOMS);
    Box::new(AnyScript::new(Words::<R>::new(order), Words::<OnPage<R>>::new(order), new_page))
}

/// Where a character is on the page of a tokenizer. All white space is one.
fn place<R: Rules>(c: u32) -> Place {
    let room = |class| ROOMED.iter().position(|&roomed| roomed == class).map(|room| Place::Room(room as u8));
    match R::class(c) {
        Class::Space if c > 0x7F => Place::Fixed(b' '),
        class if !(ROOMED.len() as u32..0x80).contains(&c) => room(class).unwrap_or(Place::Room(0)),
        _ => Place::Fixed(c as u8),
    }
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

/// The index of a hypothesis.
struct Words<R> {
    slots: Box<[u32; SLOTS]>,
    entries: Box<[Entry; ENTRIES]>,
    mixer: Mixer,
    base: u32,
    count: usize,
    order: usize,
    found: u64, // matches of the last reference, in lanes
    added: usize,
    is_taken: bool, // whether entries have bits of a reference
    rules: PhantomData<R>,
}

impl<R: Rules> Words<R> {
    fn new(order: usize) -> Self {
        Self {
            slots: Box::new([0; SLOTS]),
            entries: Box::new([Entry::default(); ENTRIES]),
            mixer: Mixer::default(),
            base: ENTRIES as u32,
            count: 0,
            order,
            found: 0,
            added: 0,
            is_taken: false,
            rules: PhantomData,
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

    /// Makes entries for the words of a hypothesis; false if it is not for this.
    fn index(&mut self, text: Placed<'_>) -> bool {
        let (slots, entries, mixer, base) = (&mut *self.slots, &mut *self.entries, self.mixer, self.base);
        let (mut count, mut window, mut steps) = (0, !0, 0);
        let is_whole = cut::<R>(text, |start, length| {
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
        self.count = count;
        is_whole && steps <= PATIENCE * count
    }

    /// Matches the words of a reference and returns how many there are, or nothing if it is not for this.
    fn look_up(&mut self, hypothesis: Placed<'_>, text: Placed<'_>) -> Option<usize> {
        let (slots, entries, mixer, base) = (&*self.slots, &mut *self.entries, self.mixer, self.base);
        let last = self.count;
        let (mut count, mut window, mut steps, mut found) = (0, 0_u64, 0, 0);
        let is_whole = cut::<R>(text, |start, length| {
            count += 1;
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
            }
            found += SPREAD[matched as usize];
            steps <= PATIENCE * ENTRIES
        });
        self.found = found;
        is_whole.then_some(count)
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
}

impl<R: Rules> Kernel for Words<R> {
    fn start(&mut self, hypothesis: Placed<'_>) -> Option<usize> {
        self.forget();
        (hypothesis.text.len() <= LONGEST && self.index(hypothesis)).then_some(self.count)
    }

    fn add(&mut self, hypothesis: Placed<'_>, reference: Placed<'_>) -> Option<usize> {
        if reference.text.len() > LONGEST {
            return None;
        }
        if self.is_taken {
            self.free();
        }
        self.added += 1;
        self.is_taken = true;
        self.look_up(hypothesis, reference)
    }

    fn finish(&mut self, matches: &mut [f64]) {
        if self.added > 1 {
            self.free();
            let entries = &mut self.entries[1..=self.count];
            self.found = entries.iter().map(|entry| SPREAD[entry.any as usize]).sum();
            entries.iter_mut().for_each(|entry| entry.any = 0);
        }
        self.added = 0;
        for (order, matches) in matches[..self.order].iter_mut().enumerate() {
            *matches += f64::from((self.found >> (LANE * order as u32)) as u16);
        }
    }
}

/// Whether the word of an entry is the one of that key. Long words are compared letter by letter.
#[inline(always)]
fn is_same(entry: &Entry, key: Key, hypothesis: Placed<'_>, word: (Placed<'_>, usize, usize)) -> bool {
    entry.key.equals(key) && (!key.is_hashed() || is_same_text(entry, hypothesis, word))
}

#[cold]
#[inline(never)]
fn is_same_text(entry: &Entry, hypothesis: Placed<'_>, (text, start, length): (Placed<'_>, usize, usize)) -> bool {
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
    use crate::text::{SLACK, Text};

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

    /// The byte of a character on its page, known or strange, must be of the class of the character.
    fn check_page<R: Rules>() {
        for c in 0..0x11_0000 {
            let class = R::class(c);
            let bytes = match place::<R>(c) {
                Place::Fixed(byte) => u16::from(byte)..u16::from(byte) + 1,
                Place::Room(room) => R::ROOMS[usize::from(room)].clone(),
            };
            assert!(bytes.clone().all(|byte| OnPage::<R>::CLASSES[usize::from(byte)] == class), "{c:#X}");
            if let Place::Room(room) = place::<R>(c) {
                assert_eq!(class, OnPage::<R>::CLASSES[usize::from(room)], "{c:#X}");
                assert!(!bytes.is_empty() || c >= 0x80, "{c:#X}");
                assert!(bytes.is_empty() || bytes.start >= 0x80 && !bytes.contains(&0xA0));
            }
        }
    }

    #[test]
    fn bytes_of_a_page_are_of_the_class_of_their_character() {
        check_page::<V13a>();
        check_page::<Western>();
        check_page::<Intl>();
        check_page::<Zh>();
        check_page::<Split>();
        check_page::<Detached>();
    }

    #[test]
    fn sentences_of_other_scripts_are_not_declined() {
        let wide = |text: &str| Vec::from_iter(text.chars().map(u32::from));
        for (ours, theirs) in [
            ("Кот сидел на коврике, 3.5 раза.", "Мой кот сидел на ковре, 3.5 раза."),
            ("他坐在垫子上，三次。", "他坐在垫子上。😀"),
        ] {
            let (ours, theirs) = (wide(ours), wide(theirs));
            let [ours, theirs] = [&ours, &theirs].map(|text| Placed { text: Text::Wide(text), room: &[] });
            let tokenizers = [Tokenizer::V13a, Tokenizer::Western, Tokenizer::Intl, Tokenizer::Zh, Tokenizer::None];
            for reading in tokenizers.map(Reading::Words).into_iter().chain([Reading::DetachedWords]) {
                let mut kernel = kernel(reading, ORDERS).unwrap();
                assert!(kernel.start(ours).is_some() && kernel.add(ours, theirs).is_some(), "{reading:?}");
            }
        }
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
        kernel.base = u32::MAX - 2 * ENTRIES as u32 - 7;
        for _ in 0..9 {
            assert_eq!(Some([2.0, 1.0, 0.0, 0.0]), matches(&mut kernel, "a b c", "a b d"));
        }
        assert!(kernel.base < 100 * ENTRIES as u32);
    }
}
