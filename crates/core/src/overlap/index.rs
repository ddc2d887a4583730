//! The test set: its texts as numbers of units, and where its n-grams are.
//!
//! Texts that are equal once they are folded are one. A text has n-grams of `n` units; one that is shorter, but not too
//! short, is looked for as a whole: its last units are in a table, and what stands before them is compared.

use super::characters::Characters;
use super::units::{Sink, Units};
use crate::halt;
use crate::mixing::Mixer;
use std::collections::HashMap;

/// How long n-grams are, and the texts that are not too short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// Units of an n-gram, at most [`LONGEST`].
    pub n: usize,
    /// Units of a text that is not too short.
    pub least: usize,
}

/// The longest n-gram.
pub const LONGEST: usize = 64;

/// What stands for no text and for no n-gram.
pub const NONE: u32 = u32::MAX;

/// A distinct text.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Where its units begin among those of all texts.
    pub start: u32,
    /// How many it has.
    pub length: u32,
    /// Units of each of its n-grams; 0 if it is too short.
    pub gram: u32,
    /// Whether it is written without spaces.
    pub is_alone: bool,
}

/// A test set that training text can be compared with.
pub struct Index {
    /// How texts are read.
    pub characters: Characters,
    pub(super) words: Words,
    /// The distinct texts.
    pub texts: Vec<Known>,
    pub(super) units: Vec<u32>,       // of all texts
    pub(super) gram_at: Vec<u32>,     // the n-gram that begins at each unit
    pub(super) grams: Vec<(u32, u8)>, // where it stands first, and its length
    first: Vec<u32>,                  // by n-gram: where its places begin
    places: Vec<u32>,                 // the last of an n-gram first
    pub(super) windows: Vec<Window>,
    /// The text of each given text.
    pub of_given: Vec<u32>,
    /// By text: the segments and the streams that it stands in.
    pub sides: Vec<Vec<(u32, u32)>>,
}

impl Index {
    /// Takes texts, each with its segment and its stream. None if there are too many for numbers of 32 bits.
    pub fn new(
        characters: Characters,
        texts: &[&str],
        sides: &[(u32, u32)],
        spaced: Lengths,
        alone: Lengths,
    ) -> Option<Self> {
        let mut index = Self {
            characters,
            words: Words::new(),
            texts: Vec::new(),
            units: Vec::new(),
            gram_at: Vec::new(),
            grams: Vec::new(),
            first: Vec::new(),
            places: Vec::new(),
            windows: Vec::new(),
            of_given: Vec::new(),
            sides: Vec::new(),
        };
        let mut known: HashMap<u64, Vec<u32>> = HashMap::new();
        for (text, &side) in texts.iter().zip(sides) {
            halt::spend(1 + text.len() / 16);
            let at = index.add(text, spaced, alone, &mut known)?;
            index.sides[at as usize].push(side);
            index.of_given.push(at);
        }
        drop(known);
        index.add_grams();
        index.add_places();
        index.words.seal();
        Some(index)
    }

    fn add(&mut self, text: &str, spaced: Lengths, alone: Lengths, known: &mut HashMap<u64, Vec<u32>>) -> Option<u32> {
        if text.len() > MOST || self.words.bytes.len() > MOST {
            return None;
        }
        let start = self.units.len();
        let mut reader = Units::new(text.len() * EXPANDS);
        let mut sink = Numbers { words: &mut self.words, units: &mut self.units };
        reader.read(&self.characters, text, &mut sink);
        reader.end(&mut sink);
        let units = &self.units[start..];
        let same = known.entry(units.iter().fold(1, |hash: u64, &unit| rolled(hash, unit))).or_default();
        let found = same.iter().find(|&&at| self.units[self.texts[at as usize].span()] == *units);
        if let Some(&at) = found {
            self.units.truncate(start);
            return Some(at);
        }
        let is_alone = self.characters.are_alone(text);
        let lengths = if is_alone { alone } else { spaced };
        let gram = if units.len() < lengths.least { 0 } else { lengths.n.min(units.len()) };
        let at = u32::try_from(self.texts.len()).ok()?;
        let (start, length) = (start as u32, units.len() as u32);
        u32::try_from(self.units.len()).ok().filter(|&end| end < NONE / 2)?;
        self.texts.push(Known { start, length, gram: gram as u32, is_alone });
        self.sides.push(Vec::new());
        same.push(at);
        // A whole text that is shorter than an n-gram stands in the table by its last units.
        if gram > 0 {
            let window = if gram < lengths.n { lengths.least.min(gram) } else { gram };
            match self.windows.iter_mut().find(|one| one.length == window) {
                Some(one) => one.expected += 1 + units.len() - gram,
                None => self.windows.push(Window::new(window, 1 + units.len() - gram)),
            }
            if gram < lengths.n {
                self.gram_at.push(window as u32); // kept here until there are n-grams
            } else {
                self.gram_at.push(gram as u32);
            }
        } else {
            self.gram_at.push(0);
        }
        Some(at)
    }

    /// Numbers the n-grams of all texts and puts them into tables.
    fn add_grams(&mut self) {
        let windows = std::mem::replace(&mut self.gram_at, vec![NONE; self.units.len()]);
        self.windows.iter_mut().for_each(Window::make);
        for (text, window) in self.texts.iter().zip(windows) {
            let (from, gram, window) = (text.start as usize, text.gram as usize, window as usize);
            let Some(table) = self.windows.iter_mut().find(|one| one.length == window) else { continue };
            for at in from..=from + text.length as usize - gram {
                halt::spend(1);
                let units = &self.units[at..at + gram];
                let hash = units[gram - window..].iter().fold(0, |hash, &unit| rolled(hash, unit));
                let same = |one: u32| {
                    let (at, length) = self.grams[one as usize];
                    usize::from(length) == gram && self.units[at as usize..at as usize + gram] == *units
                };
                let known = table.candidates(hash).find(|&one| same(one));
                self.gram_at[at] = known.unwrap_or_else(|| {
                    let number = self.grams.len() as u32;
                    table.insert(hash, number);
                    self.grams.push((at as u32, gram as u8));
                    number
                });
            }
        }
    }

    fn add_places(&mut self) {
        let mut first = vec![0_u32; self.grams.len() + 1];
        let there = |&&gram: &&u32| gram != NONE;
        self.gram_at.iter().filter(there).for_each(|&gram| first[gram as usize + 1] += 1);
        for gram in 0..self.grams.len() {
            first[gram + 1] += first[gram];
        }
        let mut next = first.clone();
        self.places = vec![0; first.last().copied().unwrap_or(0) as usize];
        for (at, &gram) in self.gram_at.iter().enumerate().rev().filter(|(_, gram)| **gram != NONE) {
            self.places[next[gram as usize] as usize] = at as u32;
            next[gram as usize] += 1;
        }
        self.first = first;
    }

    /// The places of an n-gram, the last first.
    pub(super) fn places(&self, gram: u32) -> &[u32] {
        &self.places[self.first[gram as usize] as usize..self.first[gram as usize + 1] as usize]
    }

    /// The text that a unit is part of.
    pub(super) fn text_at(&self, unit: u32) -> usize {
        self.texts.partition_point(|text| text.start <= unit) - 1
    }

    /// How many n-grams there are.
    pub fn grams(&self) -> usize {
        self.grams.len()
    }

    /// An n-gram as text.
    pub fn text_of(&self, gram: u32) -> String {
        let (from, length) = self.grams[gram as usize];
        let units = &self.units[from as usize..from as usize + usize::from(length)];
        let words: Vec<_> = units.iter().map(|&unit| String::from_utf8_lossy(self.words.text(unit))).collect();
        words.join(" ")
    }
}

impl Known {
    fn span(&self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.length) as usize
    }
}

/// A byte becomes at most so many: U+FDFA has three, and becomes letters of 33.
const EXPANDS: usize = 18;

/// Bytes of a text, and of all distinct units.
const MOST: usize = 1 << 27;

/// Numbers units as they come.
struct Numbers<'a> {
    words: &'a mut Words,
    units: &'a mut Vec<u32>,
}

impl Sink for Numbers<'_> {
    fn unit(&mut self, unit: &[u8], length: usize) {
        let number = self.words.number(unit, length);
        halt::reserve(self.units, 1);
        self.units.push(number);
    }

    fn line(&mut self, _: usize, _: bool) {}
}

/// The distinct units of a test set.
pub(super) struct Words {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    slots: Vec<Slot>,
    mixer: Mixer,
    /// The most bytes of a unit.
    pub longest: usize,
}

/// A place of a table: the first eight bytes of a unit, its length, and its number, which counts from 1.
#[derive(Clone, Copy, Default)]
struct Slot {
    head: u64,
    length: u32,
    number: u32,
}

impl Words {
    fn new() -> Self {
        let slots = vec![Slot::default(); 64];
        Self { bytes: Vec::new(), ends: Vec::new(), slots, mixer: Mixer::default(), longest: 0 }
    }

    /// The first eight bytes of a unit, and the hash of all. Whole groups of eight bytes can be read.
    #[inline]
    fn hash(&self, unit: &[u8], length: usize) -> (u64, u64) {
        let groups = unit.as_chunks::<8>().0;
        let group = |at: usize| {
            let group = u64::from_le_bytes(groups[at]);
            if length < 8 * at + 8 { group & ((1 << (8 * (length % 8))) - 1) } else { group }
        };
        let head = group(0);
        let mut hash = self.mixer.mix(head, length as u64);
        for at in 1..length.div_ceil(8) {
            hash = self.mixer.mix(hash, group(at));
        }
        (head, hash)
    }

    /// The number of a unit, if the test set has it.
    #[inline]
    pub fn find(&self, unit: &[u8], length: usize) -> Option<u32> {
        if length > self.longest {
            return None;
        }
        let (head, hash) = self.hash(unit, length);
        let (mask, mut at) = (self.slots.len() - 1, hash as usize);
        loop {
            let slot = self.slots[at & mask];
            if slot.number == 0 {
                return None;
            }
            let may_be = slot.head == head && slot.length as usize == length;
            if may_be && (length <= 8 || self.text(slot.number - 1) == &unit[..length]) {
                return Some(slot.number - 1);
            }
            at = at.wrapping_add(1);
        }
    }

    fn text(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let from = if number > 0 { self.ends[number - 1] } else { 0 };
        &self.bytes[from as usize..self.ends[number] as usize]
    }

    fn number(&mut self, unit: &[u8], length: usize) -> u32 {
        self.longest = self.longest.max(length);
        if let Some(known) = self.find(unit, length) {
            return known;
        }
        let number = self.ends.len() as u32;
        halt::reserve(&mut self.bytes, length);
        self.bytes.extend_from_slice(&unit[..length]);
        self.ends.push(self.bytes.len() as u32);
        if 2 * self.ends.len() > self.slots.len() {
            self.grow();
        }
        self.place(unit, length, number);
        number
    }

    fn place(&mut self, unit: &[u8], length: usize, number: u32) {
        let (head, hash) = self.hash(unit, length);
        let (mask, mut at) = (self.slots.len() - 1, hash as usize);
        while self.slots[at & mask].number != 0 {
            at = at.wrapping_add(1);
        }
        self.slots[at & mask] = Slot { head, length: length as u32, number: number + 1 };
    }

    fn grow(&mut self) {
        self.slots = vec![Slot::default(); 4 * self.slots.len()];
        for number in 0..self.ends.len() as u32 - 1 {
            let mut unit = self.text(number).to_vec();
            let length = unit.len();
            unit.resize(length + 8, 0);
            self.place(&unit, length, number);
        }
    }

    fn seal(&mut self) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
const SPREAD: u64 = 0xD6E8_FEB8_6659_FD93;

/// What a unit adds to a rolling hash.
#[inline(always)]
pub(super) fn value(unit: u32) -> u64 {
    (u64::from(unit) + 1).wrapping_mul(SPREAD)
}

/// A rolling hash with one more unit.
#[inline(always)]
pub(super) fn rolled(hash: u64, unit: u32) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(value(unit))
}

/// The n-grams of one length, or those that end in so many units, by hash.
pub(super) struct Window {
    pub length: usize,
    power: u64, // of the base, for the unit that leaves
    expected: usize,
    bits: Vec<u64>, // first: is there any?
    slots: Vec<u64>,
}

impl Window {
    fn new(length: usize, expected: usize) -> Self {
        let power = (0..length).fold(1_u64, |power, _| power.wrapping_mul(BASE));
        Self { length, power, expected, bits: Vec::new(), slots: Vec::new() }
    }

    fn make(&mut self) {
        let keys = self.expected.max(64);
        halt::resize(&mut self.bits, (keys / 2).next_power_of_two(), 0);
        halt::resize(&mut self.slots, (keys + keys / 2).next_power_of_two(), 0);
    }

    /// The hash without the unit that leaves the window.
    #[inline(always)]
    pub fn without(&self, hash: u64, unit: u32) -> u64 {
        hash.wrapping_sub(value(unit).wrapping_mul(self.power))
    }

    /// Whether there may be an n-gram of this hash.
    #[inline(always)]
    pub fn may_have(&self, hash: u64) -> bool {
        let bit = spread(hash) >> 26;
        self.bits[(bit >> 6) as usize & (self.bits.len() - 1)] >> (bit & 63) & 1 == 1
    }

    /// The n-grams of which the hash may be.
    pub fn candidates(&self, hash: u64) -> impl Iterator<Item = u32> {
        let hash = spread(hash);
        let (mask, tag) = (self.slots.len() - 1, hash >> 32);
        let slots = (0..).map(move |step: usize| self.slots[(hash as usize).wrapping_add(step) & mask]);
        slots.take_while(|&slot| slot != 0).filter(move |slot| slot >> 32 == tag).map(|slot| slot as u32 - 1)
    }

    fn insert(&mut self, hash: u64, gram: u32) {
        let bit = spread(hash) >> 26;
        let cells = self.bits.len() - 1;
        self.bits[(bit >> 6) as usize & cells] |= 1 << (bit & 63);
        let hash = spread(hash);
        let (mask, mut at) = (self.slots.len() - 1, hash as usize);
        while self.slots[at & mask] != 0 {
            at = at.wrapping_add(1);
        }
        self.slots[at & mask] = hash >> 32 << 32 | u64::from(gram + 1);
    }
}

#[inline(always)]
fn spread(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 32).wrapping_mul(BASE);
    hash ^ hash >> 29
}
