//! What each character of a text becomes. Python knows its characters better than we do, so it says so, in cells.
//!
//! A cell has the character it becomes in its lowest 21 bits, its class in the next three, and above them the canonical
//! combining class, by which marks are put in order. A character that becomes several has their cells in a pool: bit 63
//! is set, the lowest 32 bits say where they begin, and the next eight how many there are.

use crate::features::is_unspaced;

/// What a character means to units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Ends a word.
    Gap,
    /// Is left out, as if it were not there.
    Nothing,
    /// Part of a word.
    Letter,
    /// As a letter, but not counted as one.
    Digit,
    /// Belongs to the letter before it.
    Mark,
    /// A letter that is a unit by itself, with its marks.
    Alone,
}

const CLASSES: [Class; 8] =
    [Class::Gap, Class::Nothing, Class::Letter, Class::Digit, Class::Mark, Class::Alone, Class::Gap, Class::Gap];
const CHARACTER: u64 = (1 << 21) - 1;
const SEVERAL: u64 = 1 << 63;

/// What an ASCII character becomes in place of a letter or a digit.
pub const GAP: u8 = 0;
/// The same for one that is left out.
pub const NOTHING: u8 = 1;
/// The same for a byte of a longer character, and for the first characters if they are letters.
pub const NOT_ASCII: u8 = 2;

/// A character in its folded form.
#[derive(Clone, Copy, Debug)]
pub struct Cell(u64);

impl Cell {
    /// What the character means to units.
    pub fn class(self) -> Class {
        CLASSES[(self.0 >> 21 & 7) as usize]
    }

    /// The code point.
    pub fn character(self) -> u32 {
        (self.0 & CHARACTER) as u32
    }

    /// The canonical combining class.
    pub fn order(self) -> u8 {
        (self.0 >> 24) as u8
    }
}

/// The cells of all characters.
#[derive(Debug)]
pub struct Characters {
    cells: Vec<u64>,
    pool: Vec<u64>,
    beyond: u64, // the class of characters that have no cell, and stay as they are
    /// For each byte: the small letter or the digit that it becomes, or what else it is.
    pub ascii: [u8; 256],
    /// Whether all letters and digits of ASCII are what they are.
    pub(super) is_plain: bool,
}

impl Characters {
    /// Takes cells; None if they do not fit together. With `alone`, letters of scripts without spaces are units.
    pub fn new(mut cells: Vec<u64>, mut pool: Vec<u64>, beyond_are_letters: bool, alone: bool) -> Option<Self> {
        let fits =
            |&cell: &u64| cell & SEVERAL == 0 || span(cell).is_some_and(|(from, to)| from < to && to <= pool.len());
        if cells.len() < 128 || !cells.iter().all(fits) || pool.iter().any(|cell| cell & SEVERAL != 0) {
            return None;
        }
        if alone {
            let letter = (Class::Letter as u64) << 21;
            for cell in cells.iter_mut().chain(&mut pool).filter(|cell| **cell & (SEVERAL | 7 << 21) == letter) {
                if is_unspaced((*cell & CHARACTER) as u32) {
                    *cell = *cell & !(7 << 21) | (Class::Alone as u64) << 21;
                }
            }
        }
        let mut ascii = [NOT_ASCII; 256];
        for (byte, &cell) in ascii.iter_mut().zip(&cells[..128]) {
            *byte = match (cell & SEVERAL, Cell(cell).class()) {
                (0, Class::Gap) => GAP,
                (0, Class::Nothing) => NOTHING,
                (0, Class::Letter | Class::Digit) => {
                    let folded = u8::try_from(cell & CHARACTER).ok().filter(u8::is_ascii)?;
                    if folded > NOT_ASCII { folded } else { NOT_ASCII }
                }
                _ => return None,
            };
        }
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric();
        let is_plain = (0..128).filter(is_letter).all(|byte| ascii[byte as usize] == byte.to_ascii_lowercase());
        let beyond = if beyond_are_letters { Class::Letter } else { Class::Gap };
        Some(Self { cells, pool, beyond: (beyond as u64) << 21, ascii, is_plain })
    }

    /// Hands out what a character becomes.
    #[inline]
    pub fn each(&self, c: u32, mut take: impl FnMut(Cell)) {
        let cell = self.cells.get(c as usize).copied().unwrap_or(self.beyond | u64::from(c));
        match span(cell) {
            None => take(Cell(cell)),
            Some((from, to)) => self.pool[from..to].iter().for_each(|&cell| take(Cell(cell))),
        }
    }

    /// Whether at least half of the letters of a text are units by themselves.
    pub fn are_alone(&self, text: &str) -> bool {
        let (mut letters, mut alone) = (0_usize, 0_usize);
        for c in text.chars() {
            self.each(c.into(), |cell| match cell.class() {
                Class::Letter => letters += 1,
                Class::Alone => alone += 1,
                _ => {}
            });
        }
        alone > 0 && alone >= letters
    }
}

fn span(cell: u64) -> Option<(usize, usize)> {
    let (from, length) = ((cell & 0xFFFF_FFFF) as usize, (cell >> 32 & 0xFF) as usize);
    (cell & SEVERAL != 0).then_some((from, from + length))
}
