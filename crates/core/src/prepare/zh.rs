//! `zh`: Chinese characters are tokens of their own, the rest goes through the Western core.
//!
//! The set is sacreBLEU's, with its accident: the two supplementary-plane ranges were written with four-digit
//! escapes, so they mean U+2001 to U+2A6D and U+2F81 to U+2FA1. Typographic quotes, dashes, the euro sign and
//! arrows are therefore split off, and no ideograph beyond U+FFFF is.

use super::classes::{Class, Classes, narrow_classes, or_space, western};
use std::sync::LazyLock;

/// The classes of `zh`.
pub fn classes() -> &'static Classes {
    static CLASSES: LazyLock<Classes> = LazyLock::new(|| Classes::new(class));
    &CLASSES
}

/// Those of narrow text.
pub const NARROW: [Class; 256] = narrow_classes!(class);

/// The class of one code point.
pub const fn class(c: u32) -> Class {
    if is_han(c) { or_space(c, Class::Symbol) } else { western(c) }
}

const fn is_han(c: u32) -> bool {
    matches!(c,
        0x2001..=0x2A6D // the accident
        | 0x2E80..=0x2FDF // radicals
        | 0x2FF0..=0x303F // structure characters, punctuation
        | 0x3100..=0x312F | 0x31A0..=0x31EF // bopomofo, strokes
        | 0x3200..=0x4DB5 // enclosed and compatibility forms, extension A
        | 0x4E00..=0x9FBB // unified ideographs of Unicode 4.1
        | 0xF900..=0xFA2D | 0xFA30..=0xFA6A | 0xFA70..=0xFAD9 // compatibility ideographs
        | 0xFE10..=0xFE1F | 0xFE30..=0xFE4F // vertical forms
        | 0xFF00..=0xFFEF // full-width and half-width forms
    )
}
