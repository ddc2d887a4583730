//! Training text against an index: units become numbers, and every n-gram that the test set has becomes an event.

use super::index::{Index, LONGEST, rolled};
use super::units::{Sink, Units};
use crate::halt;

/// Where records end in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// With each line.
    Lines,
    /// With blank lines.
    Paragraphs,
    /// With the file.
    Files,
}

/// An n-gram of the test set in a record.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    pub gram: u32,
    /// Records that ended since the reader began.
    pub record: u32,
    /// Units since then, with one more for each end of a record or a field: n-grams next to each other differ by one.
    pub unit: u32,
}

/// What a reader has found since it was asked last.
#[derive(Debug, Default)]
pub struct Found {
    pub hits: Vec<Hit>,
    /// For each record with hits: its number and where it begins.
    pub starts: Vec<(u32, u64)>,
    pub records: u32,
    pub units: u32,
    /// Ends of records and fields among the units.
    pub ends: u32,
}

/// Reads training text; text may come in parts.
pub struct Reader {
    units: Units,
    window: Window,
}

/// The last units of a record.
struct Window {
    ring: [u32; RING],
    next: usize,
    run: usize, // known units in a row
    hashes: [u64; WINDOWS],
    found: Found,
    start: u64, // where the record begins
    has_begun: bool,
}

const RING: usize = 2 * LONGEST;
const WINDOWS: usize = 4; // two lengths of n-grams, and two of the ends of short texts

impl Reader {
    /// A reader of a record that begins at a place of a file.
    pub fn new(index: &Index, start: u64) -> Self {
        let window = Window {
            ring: [0; RING],
            next: 0,
            run: 0,
            hashes: [0; WINDOWS],
            found: Found::default(),
            start,
            has_begun: false,
        };
        Self { units: Units::new(index.words.longest), window }
    }

    /// Reads a part of a file that begins at this place.
    pub fn read(&mut self, index: &Index, text: &str, from: u64, ends: Ends) {
        let mut sink = Matching { index, window: &mut self.window, from, ends };
        let mut rest = text;
        while !rest.is_empty() {
            let (part, others) = rest.split_at(boundary(rest, PART));
            halt::spend(part.len() / 16);
            sink.window.has_begun |= ends == Ends::Files;
            self.units.read(&index.characters, part, &mut sink);
            sink.from += part.len() as u64;
            rest = others;
        }
    }

    /// Ends the file: what has begun ends with it.
    pub fn finish(&mut self, index: &Index, end: u64, ends: Ends) {
        let mut sink = Matching { index, window: &mut self.window, from: end, ends };
        self.units.end(&mut sink);
        let has_rest = match ends {
            Ends::Lines => end > self.window.start,
            Ends::Paragraphs => self.window.has_begun || !self.units.is_blank(),
            Ends::Files => self.window.has_begun,
        };
        if has_rest {
            self.window.end_record(0);
        }
        self.units.restart();
        self.window.break_run();
        (self.window.start, self.window.has_begun) = (0, false);
    }

    /// Reads a field of a record; with the last, the record ends. It begins at this place of its file.
    pub fn field(&mut self, index: &Index, text: &str, start: u64, is_last: bool) {
        self.window.start = start;
        self.read(index, text, 0, Ends::Files);
        let mut sink = Matching { index, window: &mut self.window, from: 0, ends: Ends::Files };
        self.units.end(&mut sink);
        if is_last { self.window.end_record(start) } else { self.window.break_run() }
    }

    /// What was found since this was asked last.
    pub fn take(&mut self) -> Found {
        std::mem::take(&mut self.window.found)
    }
}

/// Bytes between two looks around.
const PART: usize = 1 << 16;

/// A place where a text can be cut, at most so many bytes after its beginning.
pub(super) fn boundary(text: &str, most: usize) -> usize {
    (0..=most.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

struct Matching<'a> {
    index: &'a Index,
    window: &'a mut Window,
    from: u64, // where the text begins in its file
    ends: Ends,
}

impl Sink for Matching<'_> {
    #[inline]
    fn unit(&mut self, unit: &[u8], length: usize) {
        self.window.found.units += 1;
        match self.index.words.find(unit, length) {
            Some(number) => self.window.push(self.index, number),
            None => self.window.reset(),
        }
    }

    #[inline]
    fn line(&mut self, after: usize, is_blank: bool) {
        let after = self.from + after as u64;
        match self.ends {
            Ends::Files => {}
            Ends::Lines => self.window.end_record(after),
            Ends::Paragraphs if !is_blank => self.window.has_begun = true,
            // Blank lines before a record are no part of it.
            Ends::Paragraphs if self.window.has_begun => self.window.end_record(after),
            Ends::Paragraphs => self.window.start = after,
        }
    }
}

impl Window {
    #[inline]
    fn push(&mut self, index: &Index, number: u32) {
        let at = self.next;
        self.ring[at % RING] = number;
        (self.next, self.run) = (at.wrapping_add(1), self.run + 1);
        for (window, slot) in index.windows.iter().zip(0..WINDOWS) {
            let mut hash = rolled(self.hashes[slot], number);
            if self.run > window.length {
                hash = window.without(hash, self.ring[at.wrapping_sub(window.length) % RING]);
            }
            self.hashes[slot] = hash;
            if self.run >= window.length && window.may_have(hash) {
                for gram in window.candidates(hash) {
                    self.confirm(index, gram);
                }
            }
        }
    }

    /// Notes an n-gram if the last units are its own.
    fn confirm(&mut self, index: &Index, gram: u32) {
        let (from, length) = index.grams[gram as usize];
        let length = usize::from(length);
        if self.run < length {
            return;
        }
        let units = &index.units[from as usize..from as usize + length];
        let begin = self.next.wrapping_sub(length);
        if !units.iter().enumerate().all(|(place, &unit)| self.ring[begin.wrapping_add(place) % RING] == unit) {
            return;
        }
        let found = &mut self.found;
        halt::reserve(&mut found.hits, 1);
        found.hits.push(Hit { gram, record: found.records, unit: found.units });
        if found.starts.last().is_none_or(|&(record, _)| record != found.records) {
            found.starts.push((found.records, self.start));
        }
    }

    /// Lets no n-gram go on.
    #[inline]
    fn reset(&mut self) {
        self.run = 0;
        self.hashes = [0; WINDOWS];
    }

    fn break_run(&mut self) {
        self.found.units += 1;
        self.found.ends += 1;
        self.reset();
    }

    #[inline]
    fn end_record(&mut self, next: u64) {
        self.break_run();
        self.found.records += 1;
        (self.start, self.has_begun) = (next, false);
    }
}
