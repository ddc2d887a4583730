//! `intl`: the Western idea with Unicode's classes: punctuation is split off unless it stands between two
//! numbers, symbols always.

use super::categories::{NUMBERS, PUNCTUATION, Range, SYMBOLS};
use super::scan::{Class, Classes, or_space};
use std::cmp::Ordering;
use std::sync::LazyLock;

/// The classes of `intl`.
pub fn classes() -> &'static Classes {
    static CLASSES: LazyLock<Classes> = LazyLock::new(|| Classes::new(class));
    &CLASSES
}

/// The class of one code point.
pub fn class(c: u32) -> Class {
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
pub fn is_punctuation(c: u32) -> bool {
    within(PUNCTUATION, c)
}

/// Whether Unicode calls a character a number (Nd, Nl, No).
pub fn is_number(c: u32) -> bool {
    within(NUMBERS, c)
}

/// Whether a character is in one of these ranges, which are in order.
pub fn within(ranges: &[Range], c: u32) -> bool {
    let position = |&(first, last): &Range| match c {
        _ if c < first => Ordering::Greater,
        _ if c > last => Ordering::Less,
        _ => Ordering::Equal,
    };
    ranges.binary_search_by(position).is_ok()
}
