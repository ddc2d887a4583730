//! `intl`: the Western idea with Unicode's classes: punctuation is split off unless it stands between two
//! numbers, symbols always.

use super::categories::{NUMBERS, PUNCTUATION, Range, SYMBOLS};
use super::classes::{Class, Classes, narrow_classes, or_space};
use std::sync::LazyLock;

/// The classes of `intl`.
pub fn classes() -> &'static Classes {
    static CLASSES: LazyLock<Classes> = LazyLock::new(|| Classes::new(class));
    &CLASSES
}

/// Those of narrow text.
pub const NARROW: [Class; 256] = narrow_classes!(class);

/// The class of one code point.
pub const fn class(c: u32) -> Class {
    let class = if is_punctuation(c) {
        Class::Point
    } else if is_number(c) {
        Class::Digit
    } else if within(SYMBOLS, c) {
        Class::Symbol
    } else {
        Class::Letter
    };
    or_space(c, class)
}

/// Whether Unicode calls a character punctuation (P).
pub const fn is_punctuation(c: u32) -> bool {
    within(PUNCTUATION, c)
}

/// Whether Unicode calls a character a number (Nd, Nl, No).
pub const fn is_number(c: u32) -> bool {
    within(NUMBERS, c)
}

/// Whether a character is in one of these ranges, which are in order.
pub const fn within(ranges: &[Range], c: u32) -> bool {
    let (mut from, mut to) = (0, ranges.len());
    while from < to {
        let middle = from + (to - from) / 2;
        match ranges[middle] {
            (first, _) if c < first => to = middle,
            (_, last) if c > last => from = middle + 1,
            _ => return true,
        }
    }
    false
}
