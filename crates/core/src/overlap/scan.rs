//! Training text in blocks, read by any number of threads, and what was found in it.

use super::index::{Index, NONE};
use super::reader::{Found, Reader, boundary};
use crate::halt;
use crate::threads::{Threads, lock};
use std::borrow::Cow;
use std::convert::Infallible;
use std::ops::Range;
use std::sync::Mutex;

pub use super::reader::Ends;

/// A place in the training text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Files are counted from 0.
    pub file: u32,
    /// Counted from 1.
    pub record: u64,
    /// Where the record begins, in bytes.
    pub offset: u64,
}

/// What was found of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Match {
    /// Units in an n-gram that was found.
    pub covered: u32,
    /// Units that are only in n-grams that too many records have.
    pub common: u32,
    /// The most units in a row that stand in one record.
    pub longest: u32,
    /// N-grams that were found, and all.
    pub grams: (u32, u32),
    /// Records with one of its n-grams.
    pub records: u64,
    /// Where the first of them are.
    pub first: Vec<Location>,
}

/// Bytes that are no UTF-8, at a place of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The place.
    pub offset: u64,
    /// The first of them.
    pub byte: u8,
}

/// How many locations of a text are kept.
pub const LOCATIONS: usize = 3;

/// Bytes that a thread reads at a time, and texts.
const PIECE: usize = 1 << 18;
const TEXTS: usize = 64;
/// Bytes that are read at once: counters of a piece have 32 bits.
const AT_ONCE: usize = 1 << 26;

/// A test set and the training text so far.
pub struct Scan {
    /// The test set.
    pub index: Index,
    threads: Threads,
    ends: Ends,
    replaces: bool,
    reader: Option<Reader>,
    partial: Vec<u8>, // of a character whose end has not come
    offset: u64,      // of the file
    /// Bytes that were no UTF-8 and became gaps.
    pub replaced: u64,
    tally: Tally,
}

impl Scan {
    /// Begins with a test set. With `replaces`, bytes that are no UTF-8 are gaps between words.
    pub fn new(index: Index, threads: Threads, replaces: bool) -> Self {
        let tally = Tally::new(&index);
        let (reader, partial) = (None, Vec::new());
        Self { index, threads, ends: Ends::Lines, replaces, reader, partial, offset: 0, replaced: 0, tally }
    }

    /// Reads the next bytes of a file, whose records end where `ends` says.
    pub fn feed(&mut self, block: &[u8], ends: Ends) -> Result<(), Broken> {
        self.ends = ends;
        let joined =
            if self.partial.is_empty() { Cow::Borrowed(block) } else { [&self.partial, block].concat().into() };
        self.partial.clear();
        let mut rest = &joined[..];
        while !rest.is_empty() {
            let (text, broken) = match std::str::from_utf8(rest) {
                Ok(text) => (text, None),
                Err(error) => {
                    let valid = std::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default();
                    (valid, Some(error.error_len()))
                }
            };
            self.text(text);
            rest = &rest[text.len()..];
            match broken {
                None => {}
                Some(None) => {
                    self.partial = rest.to_vec();
                    break;
                }
                Some(Some(length)) => {
                    self.broken(rest[0])?;
                    self.offset += length as u64;
                    rest = &rest[length..];
                }
            }
        }
        Ok(())
    }

    /// Puts a gap in place of broken bytes, or complains.
    fn broken(&mut self, byte: u8) -> Result<(), Broken> {
        if !self.replaces {
            return Err(Broken { offset: self.offset, byte });
        }
        self.replaced += 1;
        let before = self.offset;
        self.text("\u{FFFD}");
        self.offset = before;
        Ok(())
    }

    fn text(&mut self, text: &str) {
        let mark = if self.offset == 0 && text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
        self.offset += mark as u64;
        let mut rest = &text[mark..];
        while !rest.is_empty() {
            let (part, others) = rest.split_at(boundary(rest, AT_ONCE));
            let pieces = self.pieces(part);
            self.read_all(pieces.len(), self.offset, |reader, index, ends, from, at| {
                let piece = pieces[at].clone();
                let from = from + piece.start as u64;
                let mut reader = reader.unwrap_or_else(|| Reader::new(index, from));
                reader.read(index, &part[piece], from, ends);
                reader
            });
            self.offset += part.len() as u64;
            rest = others;
        }
    }

    /// Divides a text where records end.
    fn pieces(&self, text: &str) -> Vec<Range<usize>> {
        let mark = match self.ends {
            Ends::Lines => "\n",
            Ends::Paragraphs => "\n\n",
            Ends::Files => "",
        };
        let (mut cuts, mut from) = (vec![0], 0);
        while self.threads.most() > 1 && !mark.is_empty() && text.len() - from > 2 * PIECE {
            // Bytes, because a piece may not end between two characters; the mark is in ASCII.
            let rest = &text.as_bytes()[from + PIECE..];
            let Some(place) = rest.windows(mark.len()).position(|bytes| bytes == mark.as_bytes()) else { break };
            from += PIECE + place + mark.len();
            cuts.push(from);
        }
        cuts.push(text.len());
        cuts.windows(2).map(|cut| cut[0]..cut[1]).collect()
    }

    /// Reads records that come with all their fields, `width` texts each; where each begins in its file is known or 0.
    pub fn records(&mut self, texts: &[&str], starts: &[u64], width: usize) {
        let records = texts.len() / width.max(1);
        let pieces: Vec<_> = (0..records).step_by(TEXTS).map(|from| from..records.min(from + TEXTS)).collect();
        self.read_all(pieces.len(), 0, |_, index, _, _, at| {
            let mut reader = Reader::new(index, 0);
            for record in pieces[at].clone() {
                let start = starts.get(record).copied().unwrap_or(0);
                for (field, text) in texts[record * width..(record + 1) * width].iter().enumerate() {
                    reader.field(index, text, start, field + 1 == width);
                }
            }
            reader
        });
        self.reader = None;
    }

    /// Reads pieces in threads, and takes what they found in order. The first goes on where the last text has ended.
    fn read_all(
        &mut self,
        pieces: usize,
        from: u64,
        read: impl Fn(Option<Reader>, &Index, Ends, u64, usize) -> Reader + Sync,
    ) {
        let (index, ends, carried) = (&self.index, self.ends, Mutex::new(self.reader.take()));
        let readers = self.threads.map(pieces, || {
            |at: usize| {
                let first = if at == 0 { lock(&carried).take() } else { None };
                let mut reader = read(first, index, ends, from, at);
                let found = reader.take();
                Ok::<_, Infallible>((reader, found))
            }
        });
        for (reader, found) in readers.unwrap_or_else(|never| match never {}) {
            self.tally.add(&self.index, &found);
            self.reader = Some(reader);
        }
    }

    /// Ends a file.
    pub fn end_file(&mut self) -> Result<(), Broken> {
        if let Some(&byte) = self.partial.first() {
            self.broken(byte)?;
            self.partial.clear();
        }
        if let Some(mut reader) = self.reader.take() {
            reader.finish(&self.index, self.offset, self.ends);
            self.tally.add(&self.index, &reader.take());
        }
        self.offset = 0;
        self.tally.end_file();
        Ok(())
    }

    /// What was found in the files that have ended, as numbers from which the same test set can go on: the files, the
    /// units and the broken bytes; how many n-grams were found, and which with how many records; of each text what was
    /// found; and the segments with pairs.
    pub fn state(&self) -> Vec<u64> {
        let tally = &self.tally;
        let mut state = vec![u64::from(tally.file), tally.units, self.replaced, 0];
        for (gram, &count) in (0..).zip(&tally.counts).filter(|(_, count)| **count > 0) {
            state[3] += 1;
            state.extend([gram, u64::from(count)]);
        }
        for text in &tally.texts {
            state.extend([u64::from(text.longest), text.records, text.first.len() as u64]);
            text.first.iter().for_each(|one| state.extend([u64::from(one.file), one.record, one.offset]));
        }
        state.extend(tally.paired.iter().map(|&is_paired| u64::from(is_paired)));
        state
    }

    /// Goes on from such numbers, before anything was read. None if they are of another test set.
    pub fn restore(&mut self, state: &[u64]) -> Option<()> {
        let mut numbers = state.iter().copied();
        let mut tally = Tally::new(&self.index);
        tally.file = u32::try_from(numbers.next()?).ok()?;
        let [units, replaced, grams] = [numbers.next()?, numbers.next()?, numbers.next()?];
        (tally.units, self.replaced) = (units, replaced);
        for _ in 0..grams {
            let count = tally.counts.get_mut(usize::try_from(numbers.next()?).ok()?)?;
            *count = u32::try_from(numbers.next()?).ok()?;
        }
        for text in &mut tally.texts {
            text.longest = u32::try_from(numbers.next()?).ok()?;
            text.records = numbers.next()?;
            for _ in 0..usize::try_from(numbers.next()?).ok().filter(|&length| length <= LOCATIONS)? {
                let file = u32::try_from(numbers.next()?).ok()?;
                text.first.push(Location { file, record: numbers.next()?, offset: numbers.next()? });
            }
        }
        for is_paired in &mut tally.paired {
            *is_paired = numbers.next()? == 1;
        }
        self.tally = tally;
        numbers.next().is_none().then_some(())
    }

    /// Records of the last file that has ended.
    pub fn records_of_file(&self) -> u64 {
        self.tally.ended
    }

    /// All units that were read.
    pub fn units(&self) -> u64 {
        self.tally.units
    }

    /// Streams of the test set that the last file had whole and in order.
    pub fn streams_in_order(&self) -> &[u32] {
        &self.tally.in_order
    }

    /// By segment: whether a record, or two neighbours, have something of its source and of a reference.
    pub fn paired(&self) -> &[bool] {
        &self.tally.paired
    }

    /// What was found of each text, and the n-grams that more than `common` records have, with how many have them.
    pub fn matches(&self, common: u32) -> (Vec<Match>, Vec<(u32, u32)>) {
        let counts = &self.tally.counts;
        let matches = (0..self.index.texts.len()).map(|text| self.found_of(text, common)).collect();
        let mut often: Vec<_> = (0..).zip(counts.iter().copied()).filter(|&(_, count)| count > common).collect();
        often.sort_by_key(|&(gram, count)| (u32::MAX - count, gram));
        (matches, often)
    }

    fn found_of(&self, at: usize, common: u32) -> Match {
        let (text, tally) = (self.index.texts[at], &self.tally.texts[at]);
        let Tallied { longest, records, ref first, .. } = *tally;
        let mut found = Match { longest, records, first: first.clone(), ..Match::default() };
        if text.gram == 0 {
            return found;
        }
        found.grams.1 = 1 + text.length - text.gram;
        let (mut until, mut until_any) = (0, 0); // the units before these are covered
        for at in 0..text.length {
            let gram = self.index.gram_at[(text.start + at) as usize];
            let count = if gram == NONE { 0 } else { self.tally.counts[gram as usize] };
            if count > 0 {
                found.grams.0 += 1;
                until_any = at + text.gram;
            }
            if count > 0 && count <= common {
                until = at + text.gram;
            }
            found.covered += u32::from(at < until);
            found.common += u32::from(at >= until && at < until_any);
        }
        found
    }
}

/// What was found so far.
struct Tally {
    counts: Vec<u32>, // records that have each n-gram
    stamps: Vec<u64>, // the last of them
    seen: Vec<u64>,   // by unit of the test set: where an n-gram was found that begins there
    runs: Vec<u32>,   // and how many units in a row were, to its end
    texts: Vec<Tallied>,
    last: Vec<[u64; 2]>, // by segment: the last record with something of its source, and of a reference
    paired: Vec<bool>,
    streams: Vec<Vec<u32>>, // the segments of each stream that can be found
    next: Vec<usize>,       // how many of them this file has had in order
    in_order: Vec<u32>,
    file: u32,
    file_begins: u64,
    ended: u64,  // records of the last file
    record: u64, // records that have ended; between files is a number that no record has
    unit: u64,   // units that were read, and one more for each end of a record
    units: u64,
}

#[derive(Clone, Default)]
struct Tallied {
    longest: u32,
    stamp: u64,
    records: u64,
    first: Vec<Location>,
}

/// Records and units are counted from here, so that nothing stands beside what was never seen.
const BEGIN: u64 = 2;

impl Tally {
    fn new(index: &Index) -> Self {
        fn zeros<T: Clone + Default>(length: usize) -> Vec<T> {
            let mut values = Vec::new();
            halt::resize(&mut values, length, T::default());
            values
        }
        let sides = || index.sides.iter().flatten();
        let segments = sides().map(|side| side.0 as usize + 1).max().unwrap_or(0);
        let mut streams = vec![Vec::new(); sides().map(|side| side.1 as usize + 1).max().unwrap_or(0)];
        for (text, sides) in index.texts.iter().zip(&index.sides).filter(|(text, _)| text.gram > 0) {
            debug_assert!(text.length >= text.gram);
            sides.iter().for_each(|&(segment, stream)| streams[stream as usize].push(segment));
        }
        streams.iter_mut().for_each(|segments: &mut Vec<u32>| segments.sort_unstable());
        Self {
            counts: zeros(index.grams()),
            stamps: zeros(index.grams()),
            seen: zeros(index.units.len()),
            runs: zeros(index.units.len()),
            texts: zeros(index.texts.len()),
            last: zeros(segments),
            paired: zeros(segments),
            next: zeros(streams.len()),
            streams,
            in_order: Vec::new(),
            file: 0,
            file_begins: BEGIN,
            ended: 0,
            record: BEGIN,
            unit: BEGIN,
            units: 0,
        }
    }

    /// Takes what a reader has found after all that was found before.
    fn add(&mut self, index: &Index, found: &Found) {
        let mut starts = found.starts.iter().peekable();
        for hit in &found.hits {
            halt::spend(1);
            while starts.peek().is_some_and(|start| start.0 < hit.record) {
                starts.next();
            }
            let record = self.record + u64::from(hit.record);
            let stamp = &mut self.stamps[hit.gram as usize];
            if std::mem::replace(stamp, record) != record {
                let count = &mut self.counts[hit.gram as usize];
                *count = count.saturating_add(1);
            }
            let offset = starts.peek().map_or(0, |start| start.1);
            for &place in index.places(hit.gram) {
                self.note(index, place, record, self.unit + u64::from(hit.unit), offset);
            }
        }
        self.record += u64::from(found.records);
        self.unit += u64::from(found.units);
        self.units += u64::from(found.units) - u64::from(found.ends);
    }

    /// Notes an n-gram that begins at a place of the test set and ends with a unit of a record.
    fn note(&mut self, index: &Index, place: u32, record: u64, unit: u64, offset: u64) {
        let at = index.text_at(place);
        let (known, place) = (index.texts[at], place as usize);
        // Places come from the last to the first, so that this one is still what it was a unit ago.
        let goes_on = place > known.start as usize && self.seen[place - 1] == unit - 1;
        let run = if goes_on { self.runs[place - 1] + 1 } else { known.gram };
        (self.seen[place], self.runs[place]) = (unit, run);
        let text = &mut self.texts[at];
        text.longest = text.longest.max(run);
        if std::mem::replace(&mut text.stamp, record) != record {
            text.records += 1;
            if text.first.len() < LOCATIONS {
                text.first.push(Location { file: self.file, record: record - self.file_begins + 1, offset });
            }
            for &(segment, stream) in &index.sides[at] {
                let last = &mut self.last[segment as usize];
                last[usize::from(stream > 0)] = record;
                self.paired[segment as usize] |= last[0].abs_diff(last[1]) <= 1;
            }
        }
        if run == known.length {
            for &(segment, stream) in &index.sides[at] {
                let next = &mut self.next[stream as usize];
                *next += usize::from(self.streams[stream as usize].get(*next) == Some(&segment));
            }
        }
    }

    fn end_file(&mut self) {
        self.in_order.clear();
        for (stream, (next, segments)) in (0..).zip(self.next.iter_mut().zip(&self.streams)) {
            if std::mem::take(next) == segments.len() && !segments.is_empty() {
                self.in_order.push(stream);
            }
        }
        self.ended = self.record - self.file_begins;
        self.file += 1;
        self.record += 1;
        self.file_begins = self.record;
    }
}
