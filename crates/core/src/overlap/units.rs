//! Text to units: a word is what stands between gaps, in folded letters and digits as UTF-8.
//!
//! Text may come in parts that end between any two characters. Marks after one letter are put in canonical order, so
//! that a text is the same whether its letters come composed or not.

use super::characters::{Cell, Characters, Class, GAP, NOT_ASCII, NOTHING};

/// Takes units and what stands between them.
pub trait Sink {
    /// The first bytes of `unit` are a unit, of this length; more bytes follow in the slice, up to a multiple of eight.
    fn unit(&mut self, unit: &[u8], length: usize);

    /// A line feed, before this place of the text. `is_blank` says that its line had white space at most.
    fn line(&mut self, after: usize, is_blank: bool);
}

/// Where a text is.
#[derive(Debug)]
pub struct Units {
    unit: Vec<u8>,
    most: usize,      // bytes that are kept; longer units are known by being longer
    length: usize,    // of the unit so far, and more than `most` if it is too long
    is_alone: bool,   // whether it is a letter by itself, to which only marks can be added
    marks: Vec<Cell>, // after the last letter, those with a combining class
    before: usize,    // bytes of the unit before these marks
    is_blank: bool,   // whether the line has white space at most, so far
}

const ROOM: usize = 16;

impl Units {
    /// Keeps units of at most so many bytes.
    pub fn new(most: usize) -> Self {
        Self {
            unit: vec![0; most + ROOM],
            most,
            length: 0,
            is_alone: false,
            marks: Vec::new(),
            before: 0,
            is_blank: true,
        }
    }

    /// Reads a part of a text.
    pub fn read(&mut self, characters: &Characters, text: &str, sink: &mut impl Sink) {
        let (bytes, mut at) = (text.as_bytes(), 0);
        while let Some(&byte) = bytes.get(at) {
            match characters.ascii[byte as usize] {
                GAP => {
                    self.end(sink);
                    at += 1;
                    if byte == b'\n' {
                        let is_blank = std::mem::replace(&mut self.is_blank, true);
                        sink.line(at, is_blank);
                    } else if !matches!(byte, b' ' | b'\t' | b'\r') {
                        self.is_blank = false;
                    }
                }
                NOTHING => {
                    self.is_blank = false;
                    at += 1;
                }
                NOT_ASCII => {
                    let (c, length) = decoded(bytes, at);
                    characters.each(c, |cell| self.add(cell, sink));
                    self.is_blank = false;
                    at += length;
                }
                _ => {
                    if self.is_alone {
                        self.end(sink);
                    }
                    self.settle();
                    at = self.letters(characters, bytes, at);
                }
            }
        }
    }

    /// Takes letters and digits of ASCII as long as there are any, eight at a time where that is possible.
    #[inline]
    fn letters(&mut self, characters: &Characters, bytes: &[u8], from: usize) -> usize {
        let (mut length, mut at) = (self.length, from);
        if characters.is_plain {
            while let Some(eight) = bytes[at..].first_chunk::<8>() {
                let (folded, count) = plain_letters(u64::from_le_bytes(*eight));
                let place = length.min(self.most);
                self.unit[place..place + 8].copy_from_slice(&folded.to_le_bytes());
                length += count;
                at += count;
                if count < 8 {
                    break;
                }
            }
        }
        for &byte in &bytes[at..] {
            let folded = characters.ascii[byte as usize];
            if folded <= NOT_ASCII {
                break;
            }
            self.unit[length.min(self.most)] = folded;
            length += 1;
            at += 1;
        }
        (self.length, self.is_blank) = (length, false);
        at
    }

    fn add(&mut self, cell: Cell, sink: &mut impl Sink) {
        match cell.class() {
            Class::Gap => self.end(sink),
            Class::Nothing => {}
            Class::Letter | Class::Digit => {
                if self.is_alone {
                    self.end(sink);
                }
                self.settle();
                self.push(cell);
            }
            Class::Alone => {
                self.end(sink);
                self.push(cell);
                self.is_alone = true;
            }
            // Without a letter to belong to it is no part of a word.
            Class::Mark if self.length == 0 => {}
            Class::Mark => {
                if cell.order() == 0 {
                    self.settle();
                } else if self.length <= self.most {
                    if self.marks.is_empty() {
                        self.before = self.length;
                    }
                    self.marks.push(cell);
                }
                self.push(cell);
            }
        }
    }

    #[inline]
    fn push(&mut self, cell: Cell) {
        let Some(c) = char::from_u32(cell.character()) else { return };
        let length = c.len_utf8();
        if self.length + length <= self.most {
            c.encode_utf8(&mut self.unit[self.length..]);
            self.length += length;
        } else {
            self.length = self.most + 1;
        }
    }

    /// Puts the last marks in order.
    #[inline]
    fn settle(&mut self) {
        if !self.marks.is_empty() {
            if !self.marks.is_sorted_by_key(|mark| mark.order()) && self.length <= self.most {
                self.marks.sort_by_key(|mark| mark.order());
                self.length = self.before;
                let marks = std::mem::take(&mut self.marks);
                marks.iter().for_each(|&mark| self.push(mark));
            }
            self.marks.clear();
        }
    }

    /// Ends the unit that there is.
    #[inline]
    pub fn end(&mut self, sink: &mut impl Sink) {
        if self.length > 0 {
            self.settle();
            sink.unit(&self.unit, self.length);
            (self.length, self.is_alone) = (0, false);
        }
    }

    /// Whether the line has white space at most, so far.
    pub fn is_blank(&self) -> bool {
        self.is_blank
    }

    /// Forgets the line so far.
    pub fn restart(&mut self) {
        self.is_blank = true;
    }
}

/// The character at a place of UTF-8, and its length.
#[inline]
fn decoded(bytes: &[u8], at: usize) -> (u32, usize) {
    let tail = |place: usize| u32::from(bytes.get(at + place).copied().unwrap_or(0) & 0x3F);
    let first = u32::from(bytes[at]);
    match first {
        ..0x80 => (first, 1),
        0x80..0xE0 => ((first & 0x1F) << 6 | tail(1), 2),
        0xE0..0xF0 => ((first & 0x0F) << 12 | tail(1) << 6 | tail(2), 3),
        _ => ((first & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4),
    }
}

const HIGH: u64 = 0x8080_8080_8080_8080;
const EACH: u64 = 0x0101_0101_0101_0101;

/// Eight bytes with letters in lower case, and how many of them are ASCII letters and digits before any other.
#[inline]
fn plain_letters(bytes: u64) -> (u64, usize) {
    let folded = bytes | (EACH * 0x20); // digits have this bit
    let low = folded & !HIGH;
    // The high bit of a byte of `from(c)` says that it is at least c; carries do not leave their byte.
    let from = |c: u8| low + EACH * u64::from(0x80 - c);
    let letters = from(b'a') & !from(b'z' + 1);
    // A digit must have had the bit: 0x10 to 0x19 are no digits.
    let digits = from(b'0') & !from(b'9' + 1) & (bytes << 2);
    let others = (!(letters | digits) & HIGH) | (bytes & HIGH);
    (folded, others.trailing_zeros() as usize / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bytes_are_what_each_byte_is() {
        for byte in 0..=255_u8 {
            for place in 0..8 {
                let mut bytes = *b"aZ09bQ7x";
                bytes[place] = byte;
                let (folded, count) = plain_letters(u64::from_le_bytes(bytes));
                assert_eq!(if byte.is_ascii_alphanumeric() { 8 } else { place }, count, "{byte} at {place}");
                assert_eq!(bytes.to_ascii_lowercase()[..count], folded.to_le_bytes()[..count], "{byte} at {place}");
            }
        }
    }
}
