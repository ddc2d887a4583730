//! Characters of which everybody knows what they are, in every version of Unicode, and the hashes of words.
//!
//! What the doctor finds out with them is a first look: a text with any other character is read by Python's patterns.

/// What a character is to Python's `\w` and `\d`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simple {
    /// A letter that is no capital.
    Letter,
    Capital,
    Digit,
    Underscore,
    /// Nothing that a word has.
    Gap,
    Unknown,
}

/// The kind of a character.
pub fn simple(c: u32) -> Simple {
    match narrowed(c) {
        _ if c == 0xFF3F => Simple::Gap,
        0x61..=0x7A => Simple::Letter,
        0x41..=0x5A => Simple::Capital,
        0x30..=0x39 => Simple::Digit,
        0x5F => Simple::Underscore,
        0..0x80 => Simple::Gap,
        // Capitals that have another case than the one after them, and small letters that become several, are unknown.
        0xDF..=0xF6 | 0xF8..=0xFF | 0xAA | 0xBA | 0xB5 => Simple::Letter,
        0xC0..=0xD6 | 0xD8..=0xDE => Simple::Capital,
        0xB2 | 0xB3 | 0xB9 | 0xBC..=0xBE => Simple::Unknown,
        0xA0..=0xBF | 0xD7 | 0xF7 => Simple::Gap,
        0x100..=0x137 if c != 0x130 && c != 0x131 && c != 0x132 && c != 0x133 => by_parity(c, 0),
        0x139..=0x148 if c != 0x13F && c != 0x140 => by_parity(c, 1),
        0x14A..=0x177 => by_parity(c, 0),
        0x178 | 0x179 | 0x17B | 0x17D => Simple::Capital,
        0x17A | 0x17C | 0x17E => Simple::Letter,
        0x391..=0x3A1 | 0x3A3..=0x3A9 | 0x386 | 0x388..=0x38A | 0x38C | 0x38E | 0x38F => Simple::Capital,
        0x3AC..=0x3AF | 0x3B1..=0x3CE => Simple::Letter,
        0x400..=0x42F => Simple::Capital,
        0x430..=0x45F => Simple::Letter,
        0x490..=0x4BF => by_parity(c, 0),
        0x2010..=0x2027 | 0x2030..=0x205E | 0x200B..=0x200F | 0x20A0..=0x20BF | 0x2190..=0x21FF => Simple::Gap,
        0x2500..=0x2775 | 0x2794..=0x27BF | 0xFE0F => Simple::Gap,
        0x3000..=0x3004 | 0x3008..=0x3020 | 0x30FB => Simple::Gap,
        0x3005 | 0x3041..=0x3096 | 0x30A1..=0x30FA | 0x30FC..=0x30FE | 0x4E00..=0x9FFF | 0xAC00..=0xD7A3 => {
            Simple::Letter
        }
        0xFF5F..=0xFF65 | 0x1F300..=0x1FAFF => Simple::Gap,
        _ => Simple::Unknown,
    }
}

/// Letters whose capital comes right before them, and stands at even or at odd places.
fn by_parity(c: u32, capital: u32) -> Simple {
    if c % 2 == capital { Simple::Capital } else { Simple::Letter }
}

/// The ASCII form of full-width characters.
pub fn narrowed(c: u32) -> u32 {
    if (0xFF01..=0xFF5E).contains(&c) { c - 0xFEE0 } else { c }
}

/// The small form of a character without regard to width; several for ß, because Python's `casefold` writes it so.
pub fn folded(c: u32) -> (u32, Option<u32>) {
    let small = |c| char::from_u32(c).map_or(c, |one| one.to_lowercase().next().map_or(c, u32::from));
    match c {
        0x41..=0x5A => (c + 0x20, None),
        0..0x80 => (c, None),
        0xDF => (0x73, Some(0x73)),
        0xB5 => (0x3BC, None),
        0x3C2 => (0x3C3, None),
        _ => (small(c), None),
    }
}

/// A hash of a few numbers.
pub fn hashed(numbers: impl Iterator<Item = u64>) -> u64 {
    let mix = |mixed: u64, one: u64| (mixed ^ one).wrapping_mul(0xBF58_476D_1CE4_E5B9).rotate_left(29);
    let mixed: u64 = numbers.fold(0x9E37_79B9_7F4A_7C15, mix);
    (mixed ^ (mixed >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB) | 1
}
