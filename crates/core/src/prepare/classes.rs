//! What each character means to a tokenizer: the one definition, from which all tables are made.
//!
//! A tokenizer says the class of a code point in a `const fn`. Three tables come from it: one of the first 65,536 code
//! points for wide text, one of the 256 characters of narrow text, and the tables of [`truebleu_vector`], by which 64
//! bytes are classified at once.

use crate::text::Unit;
use crate::unicode::is_space;
use crate::windows1252::decode;
use truebleu_vector::Sets;

/// What a character means to the scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// Part of a word.
    Letter,
    /// Ends a word and is dropped.
    Space,
    /// A token of its own, always.
    Symbol,
    /// Part of a word, and keeps points beside it.
    Digit,
    /// A token of its own unless digits hold it.
    Point,
    /// Part of a word unless it follows a digit.
    Hyphen,
}

/// The class of every code point.
pub struct Classes {
    narrow: [Class; 256], // by byte of narrow text
    bmp: Box<[Class; BMP]>,
    astral: fn(u32) -> Class,
}

const BMP: usize = 0x1_0000;

impl Classes {
    /// Tabulates `class` for the first 65,536 code points. The others are rare and asked one by one.
    pub fn new(class: fn(u32) -> Class) -> Self {
        let mut bmp = Box::new([Class::Letter; BMP]);
        (0..).zip(bmp.iter_mut()).for_each(|(c, entry)| *entry = class(c));
        Self { narrow: std::array::from_fn(|byte| class(decode(byte as u8))), bmp, astral: class }
    }

    /// The class of a character.
    #[inline]
    pub fn of<U: Unit>(&self, c: U) -> Class {
        match c.byte() {
            Ok(byte) => self.narrow[byte as usize],
            Err(c) => self.bmp.get(c as usize).copied().unwrap_or_else(|| (self.astral)(c)),
        }
    }
}

/// `class`, but white space is always [`Class::Space`].
#[inline]
pub const fn or_space(c: u32, class: Class) -> Class {
    if is_space(c) { Class::Space } else { class }
}

/// The classes of the 256 characters of narrow text, given the `const fn` that says them.
macro_rules! narrow_classes {
    ($class:path) => {{
        let (mut classes, mut byte) = ([$crate::prepare::classes::Class::Letter; 256], 0);
        while byte < 256 {
            classes[byte] = $class($crate::windows1252::decode(byte as u8));
            byte += 1;
        }
        classes
    }};
}
pub(crate) use narrow_classes;

/// How many classes there are, letters apart.
pub const MARKED: usize = Class::Hyphen as usize;

/// The bytes of each class but letters; and last, those that a text may have to be cleaned of.
pub type ClassSets = Sets<{ MARKED + 1 }>;

/// Makes the sets of a tokenizer.
pub const fn sets(classes: &[Class; 256], alarms: &[u8]) -> ClassSets {
    let (mut table, mut at) = ([0; 256], 0);
    while at < 256 {
        table[at] = ((1_u16 << classes[at] as u8) >> 1) as u8; // letters are in none
        at += 1;
    }
    at = 0;
    while at < alarms.len() {
        table[alarms[at] as usize] |= 1 << MARKED;
        at += 1;
    }
    Sets::of(table)
}

/// The class of `c` in the Western core: ASCII symbols, points and commas, digits, hyphens.
pub const fn western(c: u32) -> Class {
    let class = match c {
        0x30..=0x39 => Class::Digit,
        0x2C | 0x2E => Class::Point,
        0x2D => Class::Hyphen,
        0x20..=0x26 | 0x28..=0x2B | 0x2F | 0x3A..=0x40 | 0x5B..=0x60 | 0x7B..=0x7E => Class::Symbol,
        _ => Class::Letter,
    };
    or_space(c, class)
}
