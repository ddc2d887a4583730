//! Numbers for tokens, exact and per segment.
//!
//! Equal tokens of a hypothesis get the same number, from 1 up. A reference token gets the number of the equal
//! hypothesis token, or [`UNKNOWN`] if there is none: such a token can take part in no match. Numbers stay small, so
//! that whole n-grams fit into one machine word. Hashes only find the place to look; equality is decided on the text.

use crate::halt;
use crate::interner::Interner;
use crate::mixing::Mixer;
use crate::prepare::{Prepared, Span};
use crate::text::{Key, Text, Unit};
use crate::windows1252::encode;
use std::collections::HashMap;
use std::convert::Infallible;

/// The number of a reference token that the hypothesis does not have.
pub const UNKNOWN: u32 = 0;

/// Numbers the words of one segment after another.
///
/// The number of a word is one of the positions where it stands in the hypothesis, plus one. A slot holds the last
/// position whose word has that hash; whether a word is the one at that position is told by its key, so slots need no
/// clearing and no words are stored. Whether a word is new, repeated, known or unknown cannot be predicted, so the
/// loops over words have no branch for it. The few words that share a slot with another, or whose key is only a hash,
/// are put off and looked at one by one.
///
/// In a long hypothesis most words are repetitions, and those that share a slot are no longer few. Its words are
/// numbered in the order in which they first appear, through an [`Interner`]: what is then called a position is the
/// number of a word, less one.
#[derive(Default)]
pub struct WordNumbers {
    keys: Vec<Key>, // of the hypothesis, by position
    mixer: Mixer,
    interner: Interner,
    is_long: bool,
    slots: Vec<u32>,
    mask: usize,
    crowded_out: Vec<u32>, // positions of words whose slot went to another word
    long: Vec<u32>,        // the hypothesis words that have no exact key, end to end
    long_places: Vec<Span>,
    put_off: PutOff,
}

/// Slots for each word: enough that few words share one, and still in the nearest cache.
const SLOTS_PER_WORD: usize = 16;

/// A hypothesis of more words is a long one.
const MANY: usize = 1024;

/// Set in a slot that words were crowded out of. It may stay behind from an earlier segment, and is then looked at in
/// vain.
const CROWDED: u32 = 1 << 31;

impl WordNumbers {
    /// Numbers the words of a hypothesis, forgetting those of the one before.
    pub fn number_hypothesis(&mut self, hypothesis: Prepared<'_>, numbers: &mut Vec<u32>) {
        match hypothesis.text {
            Text::Narrow(text) => self.add_all(text, hypothesis.spans, numbers),
            Text::Wide(text) => self.add_all(text, hypothesis.spans, numbers),
        }
    }

    /// Looks the words of a reference up.
    pub fn number_reference(&mut self, reference: Prepared<'_>, numbers: &mut Vec<u32>) {
        match reference.text {
            Text::Narrow(text) => self.find_all(text, reference.spans, numbers),
            Text::Wide(text) => self.find_all(text, reference.spans, numbers),
        }
    }

    /// The highest number that the hypothesis may have.
    pub fn highest(&self) -> usize {
        self.keys.len()
    }

    fn add_all<U: Unit>(&mut self, text: &[U], spans: &[Span], numbers: &mut Vec<u32>) {
        self.is_long = spans.len() > MANY;
        if self.is_long {
            return self.learn_all(text, spans, numbers);
        }
        self.take_slots(text, spans, numbers);
        let mut put_off = self.put_off.take(spans.len());
        let (slots, keys) = (&self.slots[..], &self.keys[..]);
        for (position, (number, &key)) in numbers.iter_mut().zip(keys).enumerate() {
            let owner = slots[*number as usize];
            *number = owner + 1;
            put_off.add_if(position, !keys[owner as usize].equals(key) | key.is_hashed());
        }
        for &position in put_off.as_slice() {
            self.keep_if_long(spans[position as usize].of(text), position as usize);
        }
        for &position in put_off.as_slice() {
            let owner = numbers[position as usize] - 1;
            numbers[position as usize] = 1 + self.settle(text, spans, position, owner);
        }
        self.put_off = put_off;
    }

    /// Computes the keys of all words and lets each take its slot from the one before. The slots are left in `numbers`.
    fn take_slots<U: Unit>(&mut self, text: &[U], spans: &[Span], numbers: &mut Vec<u32>) {
        let slots = (SLOTS_PER_WORD * spans.len()).next_power_of_two().max(256);
        if self.slots.len() < slots {
            self.slots.resize(slots, 0);
        }
        self.mask = slots - 1;
        self.crowded_out.clear();
        self.long.clear();
        self.keys.resize(spans.len(), Key::default());
        numbers.resize(spans.len(), 0);
        let (slots, mask, mixer) = (&mut self.slots[..], self.mask as u32, self.mixer);
        for (position, ((span, key), slot)) in spans.iter().zip(&mut self.keys).zip(numbers).enumerate() {
            *key = span.key(text);
            *slot = key.mixed(mixer) as u32 & mask;
            slots[*slot as usize] = position as u32;
        }
    }

    /// Numbers the words of a long hypothesis.
    fn learn_all<U: Unit>(&mut self, text: &[U], spans: &[Span], numbers: &mut Vec<u32>) {
        self.keys.clear();
        self.long.clear();
        let mut interner = std::mem::take(&mut self.interner);
        interner.clear();
        numbers.clear();
        halt::reserve(numbers, spans.len());
        for span in spans {
            halt::spend(1);
            let (key, word) = (span.key(text), span.of(text));
            let is_same = |position| Ok::<_, Infallible>(self.is_word_at(position, key, word));
            let Ok(position) = interner.number(key.mixed(self.mixer), is_same);
            if position as usize == self.keys.len() {
                halt::reserve(&mut self.keys, 1);
                self.keys.push(key);
                self.keep_if_long(word, position as usize);
            }
            numbers.push(position + 1);
        }
        self.interner = interner;
    }

    /// Looks the words of a reference up in a long hypothesis.
    fn recall_all<U: Unit>(&mut self, text: &[U], spans: &[Span], numbers: &mut Vec<u32>) {
        numbers.clear();
        halt::reserve(numbers, spans.len());
        numbers.extend(spans.iter().map(|span| {
            halt::spend(1);
            let (key, word) = (span.key(text), span.of(text));
            let is_same = |position| self.is_word_at(position, key, word);
            self.interner.find(key.mixed(self.mixer), is_same).map_or(UNKNOWN, |position| position + 1)
        }));
    }

    fn keep_if_long<U: Unit>(&mut self, word: &[U], position: usize) {
        if self.keys[position].is_hashed() {
            let start = self.long.len();
            halt::reserve(&mut self.long, word.len());
            self.long.extend(word.iter().map(|c| c.code_point()));
            self.long_places.resize(self.long_places.len().max(position + 1), Span::new(0, 0));
            self.long_places[position] = Span::new(start, self.long.len());
        }
    }

    /// The position that stands for the word at `position`, whose slot is taken by `owner`.
    fn settle<U: Unit>(&mut self, text: &[U], spans: &[Span], position: u32, owner: u32) -> u32 {
        let span = spans[position as usize];
        let key = self.keys[position as usize];
        self.find_slowly(key, span.of(text), owner).unwrap_or_else(|| {
            self.crowded_out.push(position);
            self.slots[key.mixed(self.mixer) as usize & self.mask] |= CROWDED;
            position
        })
    }

    fn find_all<U: Unit>(&mut self, text: &[U], spans: &[Span], numbers: &mut Vec<u32>) {
        if self.is_long {
            return self.recall_all(text, spans, numbers);
        }
        numbers.clear();
        halt::resize(numbers, spans.len(), UNKNOWN);
        let Some(last) = self.keys.len().checked_sub(1) else { return };
        let mut put_off = self.put_off.take(spans.len());
        let (slots, keys, mask, mixer) = (&self.slots[..], &self.keys[..], self.mask, self.mixer);
        for (position, (number, span)) in numbers.iter_mut().zip(spans).enumerate() {
            let key = span.key(text);
            // A slot that no word of this hypothesis took may hold any position.
            let slot = slots[key.mixed(mixer) as usize & mask];
            let owner = ((slot & !CROWDED) as usize).min(last);
            let is_found = keys[owner].equals(key) & !key.is_hashed();
            *number = if is_found { owner as u32 + 1 } else { UNKNOWN };
            put_off.add_if(position, !is_found & ((slot & CROWDED != 0) | key.is_hashed()));
        }
        for &position in put_off.as_slice() {
            let position = position as usize;
            let key = spans[position].key(text);
            let slot = self.slots[key.mixed(self.mixer) as usize & self.mask];
            let owner = (slot & !CROWDED).min(last as u32);
            let found = self.find_slowly(key, spans[position].of(text), owner);
            numbers[position] = found.map_or(UNKNOWN, |position| position + 1);
        }
        self.put_off = put_off;
    }

    /// The position that stands for a word: that of its slot's owner, or one that was crowded out.
    fn find_slowly<U: Unit>(&self, key: Key, word: &[U], owner: u32) -> Option<u32> {
        let candidates = std::iter::once(&owner).chain(&self.crowded_out);
        candidates.copied().find(|&position| self.is_word_at(position as usize, key, word))
    }

    fn is_word_at<U: Unit>(&self, position: usize, key: Key, word: &[U]) -> bool {
        let is_long_word = || {
            let known = self.long_places[position].of(&self.long);
            known.len() == word.len() && known.iter().zip(word).all(|(&ours, &theirs)| ours == theirs.code_point())
        };
        self.keys[position].equals(key) && (!key.is_hashed() || is_long_word())
    }
}

/// Positions to look at later, collected without branches.
#[derive(Default)]
struct PutOff {
    positions: Vec<u32>,
    count: usize,
}

impl PutOff {
    /// The memory of this list for a list of up to `most` positions.
    fn take(&mut self, most: usize) -> Self {
        let mut positions = std::mem::take(&mut self.positions);
        // One more than can be kept, because `add_if` writes before it decides.
        let length = positions.len().max(most + 1);
        halt::resize(&mut positions, length, 0);
        Self { positions, count: 0 }
    }

    #[inline]
    fn add_if(&mut self, position: usize, condition: bool) {
        self.positions[self.count] = position as u32;
        self.count += usize::from(condition);
    }

    fn as_slice(&self) -> &[u32] {
        &self.positions[..self.count]
    }
}

/// Numbers the characters of one segment after another, like [`WordNumbers`]. The characters of a narrow hypothesis are
/// numbered by their byte; those of a wide one are numbered as they come.
pub struct CharNumbers {
    keep_spaces: bool,
    narrow: bool,
    generation: u32,
    bmp: Vec<Stamped>,
    astral: HashMap<u32, u32>,
    distinct: u32,
}

#[derive(Clone, Copy, Default)]
struct Stamped {
    generation: u32,
    number: u32,
}

impl CharNumbers {
    /// Numbers all characters, or all but white space.
    pub fn new(keep_spaces: bool) -> Self {
        Self {
            keep_spaces,
            narrow: true,
            generation: 0,
            bmp: vec![Stamped::default(); 0x1_0000],
            astral: HashMap::new(),
            distinct: 0,
        }
    }

    /// Numbers the characters of a hypothesis, forgetting those of the one before.
    pub fn number_hypothesis(&mut self, hypothesis: Text<'_>, numbers: &mut Vec<u32>) {
        let keep_spaces = self.keep_spaces;
        self.narrow = matches!(hypothesis, Text::Narrow(_));
        match hypothesis {
            Text::Narrow(text) => number_visible(text, keep_spaces, numbers, |c| u32::from(c) + 1),
            Text::Wide(text) => {
                self.start();
                number_visible(text, keep_spaces, numbers, |c| self.number_or_add(c));
            }
        }
    }

    /// Looks the characters of a reference up.
    pub fn number_reference(&self, reference: Text<'_>, numbers: &mut Vec<u32>) {
        let keep_spaces = self.keep_spaces;
        let byte_number = |c| encode(c).map_or(UNKNOWN, |byte| u32::from(byte) + 1);
        match (reference, self.narrow) {
            (Text::Narrow(text), true) => number_visible(text, keep_spaces, numbers, |c| u32::from(c) + 1),
            (Text::Wide(text), true) => number_visible(text, keep_spaces, numbers, byte_number),
            (Text::Narrow(text), false) => number_visible(text, keep_spaces, numbers, |c| self.number(c.code_point())),
            (Text::Wide(text), false) => number_visible(text, keep_spaces, numbers, |c| self.number(c)),
        }
    }

    /// The highest number that the hypothesis may have.
    pub fn highest(&self) -> usize {
        if self.narrow { 0x100 } else { self.distinct as usize }
    }

    fn start(&mut self) {
        if self.generation == u32::MAX {
            self.bmp.fill(Stamped::default());
            self.generation = 0;
        }
        self.generation += 1;
        self.distinct = 0;
        self.astral.clear();
    }

    #[inline]
    fn number_or_add(&mut self, c: u32) -> u32 {
        let known = self.number(c);
        if known != UNKNOWN {
            return known;
        }
        self.distinct += 1;
        match self.bmp.get_mut(c as usize) {
            Some(entry) => *entry = Stamped { generation: self.generation, number: self.distinct },
            None => {
                self.astral.insert(c, self.distinct);
            }
        }
        self.distinct
    }

    #[inline]
    fn number(&self, c: u32) -> u32 {
        match self.bmp.get(c as usize) {
            Some(entry) if entry.generation == self.generation => entry.number,
            Some(_) => UNKNOWN,
            None => self.astral.get(&c).copied().unwrap_or(UNKNOWN),
        }
    }
}

/// Numbers symbols that are numbers already, as [`crate::tokens`] has them: from 0 up over a whole corpus, too large
/// for a window.
#[derive(Default)]
pub struct SymbolNumbers {
    generation: u32,
    entries: Vec<Stamped>, // by symbol
    distinct: u32,
}

impl SymbolNumbers {
    /// Numbers the symbols of a hypothesis as they come, forgetting those of the one before.
    pub fn number_hypothesis(&mut self, hypothesis: Text<'_>, numbers: &mut Vec<u32>) {
        if self.generation == u32::MAX {
            self.entries.fill(Stamped::default());
            self.generation = 0;
        }
        self.generation += 1;
        self.distinct = 0;
        match hypothesis {
            Text::Narrow(text) => number_visible(text, true, numbers, |c| self.number_or_add(c.code_point() as usize)),
            Text::Wide(text) => number_visible(text, true, numbers, |c| self.number_or_add(c as usize)),
        }
    }

    /// Looks the symbols of a reference up.
    pub fn number_reference(&self, reference: Text<'_>, numbers: &mut Vec<u32>) {
        match reference {
            Text::Narrow(text) => number_visible(text, true, numbers, |c| self.number(c.code_point() as usize)),
            Text::Wide(text) => number_visible(text, true, numbers, |c| self.number(c as usize)),
        }
    }

    /// The highest number that the hypothesis has.
    pub fn highest(&self) -> usize {
        self.distinct as usize
    }

    #[inline]
    fn number_or_add(&mut self, symbol: usize) -> u32 {
        if symbol >= self.entries.len() {
            self.entries.resize((symbol + 1).next_power_of_two(), Stamped::default());
        }
        let entry = &mut self.entries[symbol];
        if entry.generation != self.generation {
            self.distinct += 1;
            *entry = Stamped { generation: self.generation, number: self.distinct };
        }
        entry.number
    }

    #[inline]
    fn number(&self, symbol: usize) -> u32 {
        self.entries
            .get(symbol)
            .filter(|entry| entry.generation == self.generation)
            .map_or(UNKNOWN, |entry| entry.number)
    }
}

/// Characters numbered at a time, before a look around.
const CHUNK: usize = 1 << 16;

/// The numbers of the characters that take part.
#[inline]
fn number_visible<U: Unit>(text: &[U], keep_spaces: bool, numbers: &mut Vec<u32>, mut number: impl FnMut(U) -> u32) {
    halt::resize(numbers, text.len(), 0);
    let mut kept = 0;
    for chunk in text.chunks(CHUNK) {
        halt::spend(chunk.len());
        for &c in chunk {
            // Writing always and moving on only sometimes avoids a branch that is hard to predict.
            numbers[kept] = number(c);
            kept += usize::from(keep_spaces || !c.is_space());
        }
    }
    numbers.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::{Tokenizer, Tokens};
    use crate::text::narrow_into;
    use crate::unicode::code_points;
    use proptest::prelude::*;

    /// Words of all kinds of keys: short, of sixteen and seventeen bytes, long with equal beginnings, wide, astral.
    fn words() -> impl Strategy<Value = Vec<&'static str>> {
        let words = vec![
            "a",
            "b",
            "ab",
            "it’s",
            "abcdefgh",
            "abcdefgi",
            "abcdefghijklmnop",
            "abcdefghijklmnoq",
            "abcdefghijklmnopq",
            "abcdefghijklmnopr",
            "abcdefghijklmnopqrstuvwxyz",
            "中",
            "中文",
            "слово",
            "переконання",
            "переконанні",
            "😀",
            "😀😁",
        ];
        prop::collection::vec(prop::sample::select(words), 0..60)
    }

    fn symbols() -> impl Strategy<Value = Vec<u32>> {
        prop::collection::vec(0_u32..600, 0..40)
    }

    fn numbers(words: &[&str], number: impl FnOnce(Prepared<'_>, &mut Vec<u32>)) -> Vec<u32> {
        let text = code_points(&words.join(" "));
        let (mut narrow, mut tokens, mut numbers) = (vec![0; text.len()], Tokens::default(), Vec::new());
        let text = if narrow_into(&text, &mut narrow) { Text::Narrow(&narrow) } else { Text::Wide(&text) };
        number(tokens.prepare(Tokenizer::None, text), &mut numbers);
        numbers
    }

    proptest! {
        #[test]
        fn equal_words_have_equal_numbers_and_others_have_not(
            pairs in prop::collection::vec((words(), words()), 1..4),
        ) {
            let mut numbering = WordNumbers::default();
            for (ours, theirs) in pairs {
                let hypothesis = numbers(&ours, |words, numbers| numbering.number_hypothesis(words, numbers));
                let reference = numbers(&theirs, |words, numbers| numbering.number_reference(words, numbers));
                for (word, &number) in ours.iter().zip(&hypothesis) {
                    prop_assert!((1..=numbering.highest()).contains(&(number as usize)));
                    let first = ours.iter().position(|other| other == word);
                    prop_assert_eq!(first, hypothesis.iter().position(|&n| n == number));
                }
                for (word, &number) in theirs.iter().zip(&reference) {
                    let expected = ours.iter().position(|other| other == word).map_or(UNKNOWN, |at| hypothesis[at]);
                    prop_assert_eq!(expected, number);
                }
            }
        }

        #[test]
        fn equal_symbols_have_equal_numbers_and_others_have_not(
            pairs in prop::collection::vec((symbols(), symbols()), 1..4),
        ) {
            let mut numbering = SymbolNumbers::default();
            for (ours, theirs) in pairs {
                let (mut narrow, mut hypothesis, mut reference) = (vec![0; ours.len()], Vec::new(), Vec::new());
                let text = if narrow_into(&ours, &mut narrow) { Text::Narrow(&narrow) } else { Text::Wide(&ours) };
                numbering.number_hypothesis(text, &mut hypothesis);
                numbering.number_reference(Text::Wide(&theirs), &mut reference);
                for (symbol, &number) in ours.iter().zip(&hypothesis) {
                    prop_assert!((1..=numbering.highest()).contains(&(number as usize)));
                    let first = ours.iter().position(|other| other == symbol);
                    prop_assert_eq!(first, hypothesis.iter().position(|&n| n == number));
                }
                for (symbol, &number) in theirs.iter().zip(&reference) {
                    let expected = ours.iter().position(|other| other == symbol).map_or(UNKNOWN, |at| hypothesis[at]);
                    prop_assert_eq!(expected, number);
                }
            }
        }

        #[test]
        fn words_of_a_long_hypothesis_are_told_apart(
            ours in prop::collection::vec(0_u32..3000, MANY..2 * MANY),
            theirs in prop::collection::vec(0_u32..4000, 0..50),
        ) {
            let word = |number: &u32| format!("{}{number}", ["w", "abcdefghijklmnop"][*number as usize % 2]);
            let [ours, theirs] = [ours, theirs].map(|numbers| numbers.iter().map(word).collect::<Vec<_>>());
            let [ours, theirs] = [&ours, &theirs].map(|words| words.iter().map(String::as_str).collect::<Vec<_>>());
            let mut numbering = WordNumbers::default();
            let hypothesis = numbers(&ours, |words, numbers| numbering.number_hypothesis(words, numbers));
            let reference = numbers(&theirs, |words, numbers| numbering.number_reference(words, numbers));
            let known: HashMap<&str, u32> = ours.iter().copied().zip(hypothesis.iter().copied()).collect();
            prop_assert_eq!(known.len(), known.values().collect::<std::collections::HashSet<_>>().len());
            prop_assert!(ours.iter().zip(&hypothesis).all(|(word, number)| known[word] == *number));
            let expected: Vec<u32> = theirs.iter().map(|word| known.get(word).copied().unwrap_or(UNKNOWN)).collect();
            prop_assert_eq!(expected, reference);
        }

        #[test]
        fn words_that_share_a_slot_are_told_apart(count in 1_usize..3000) {
            let words: Vec<String> = (0..count).map(|index| format!("w{index}")).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let mut numbering = WordNumbers::default();
            let hypothesis = numbers(&words, |words, numbers| numbering.number_hypothesis(words, numbers));
            let reference = numbers(&words, |words, numbers| numbering.number_reference(words, numbers));
            let distinct: std::collections::HashSet<&u32> = hypothesis.iter().collect();
            prop_assert_eq!(count, distinct.len());
            prop_assert_eq!(hypothesis, reference);
        }
    }

    /// The time of numbering a text of such words, hypothesis and reference: the least of five.
    fn time(words: &[String]) -> std::time::Duration {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut numbering = WordNumbers::default();
        let mut once = || {
            let started = std::time::Instant::now();
            numbers(&words, |words, numbers| numbering.number_hypothesis(words, numbers));
            numbers(&words, |words, numbers| numbering.number_reference(words, numbers));
            started.elapsed()
        };
        (0..5).map(|_| once()).min().unwrap()
    }

    /// Words of fifteen letters that had one hash before it was keyed: what is flipped in the last seven letters is
    /// flipped back in the first eight, 29 bits further on. The bits are such that no white space comes out.
    fn colliding(count: usize) -> Vec<String> {
        let bits: Vec<u32> = (0..56).filter(|bit| [0, 1, 3, 4].contains(&(bit % 8))).collect();
        let word = |chosen: usize| {
            let [mut first, mut last] = [*b"dddddddd", *b"ddddddd\0"].map(u64::from_le_bytes);
            for (_, bit) in bits.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1) {
                last ^= 1 << bit;
                first ^= 1 << ((bit + 29) % 64);
            }
            [&first.to_le_bytes()[..], &last.to_le_bytes()[..7]].concat().iter().map(|&c| char::from(c)).collect()
        };
        (0..count).map(word).collect()
    }

    fn scattered(count: usize) -> Vec<String> {
        let letters =
            |number: u64| format!("{:015}", number.wrapping_mul(0x9E37_79B9_7F4A_7C15) % 1_000_000_000_000_000);
        (0..count as u64).map(letters).collect()
    }

    #[test]
    fn words_made_up_to_collide_cost_little_more_than_others() {
        for count in [900, 8_000] {
            let honest = time(&scattered(count));
            assert_eq!(count, colliding(count).iter().collect::<std::collections::HashSet<_>>().len());
            let counting: Vec<String> = (0..count).map(|number| format!("{number:015}")).collect();
            for made_up in [colliding(count), counting] {
                let found = time(&made_up);
                assert!(found < 4 * honest, "{count} words: {found:?} against {honest:?}");
            }
        }
    }
}
