//! What Python calls white space and lower case.
//!
//! Only letters below U+0100 are lower-cased here. Which others have a lower case depends on the Unicode version of the
//! running interpreter, so text beyond is lower-cased by it, before it is handed in.

use crate::windows1252::encode;

/// True for the characters at which Python's `str.split()` cuts and that `str.strip()` removes.
///
/// Rust's `char::is_whitespace` lacks U+001C to U+001F.
#[inline]
pub const fn is_space(c: u32) -> bool {
    match c {
        0..0x100 => NARROW_SPACES[c as usize],
        _ => matches!(c, 0x1680 | 0x2000..=0x200A | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000),
    }
}

/// Which characters below U+0100 are white space.
pub(crate) static NARROW_SPACES: [bool; 0x100] = {
    let mut table = [false; 0x100];
    let mut c = 0;
    while c < 0x100 {
        table[c] = matches!(c, 0x09..=0x0D | 0x1C..=0x20 | 0x85 | 0xA0);
        c += 1;
    }
    table
};

/// Lower-cases a text whose characters are all in Windows-1252; leaves any other alone and returns false.
///
/// Their lower case is the same in all versions of Unicode.
pub fn lowercase_narrow(text: &mut [u32]) -> bool {
    // In chunks, because a quote or a dash makes only its own slow. All are asked before any is changed: a text that
    // is not narrow is lower-cased by the caller, and what was done here would be in vain.
    let is_narrow = text.chunks(CHUNK).all(|chunk| is_latin(chunk) || all_narrow(chunk));
    if is_narrow {
        for chunk in text.chunks_mut(CHUNK) {
            if is_latin(chunk) {
                // Without branches, so that it compiles to vector instructions.
                chunk.iter_mut().for_each(|c| *c += is_latin_capital(*c) << 5);
            } else {
                chunk.iter_mut().for_each(|c| *c = lowercase_special(*c));
            }
        }
    }
    is_narrow
}

const CHUNK: usize = 32;

#[inline(always)]
fn is_latin(text: &[u32]) -> bool {
    text.iter().fold(0, |seen, &c| seen | c) <= 0xFF
}

/// Kept out of the loop over chunks, which it would slow down.
#[cold]
#[inline(never)]
fn all_narrow(text: &[u32]) -> bool {
    text.iter().all(|&c| encode(c).is_some())
}

/// Lower-cases a text in Windows-1252.
pub fn lowercase_bytes(text: &mut [u8]) {
    text.iter_mut().for_each(|byte| {
        let is_capital = is_latin_capital((*byte).into()) == 1;
        *byte = match *byte {
            // The four letters that `lowercase_special` knows.
            0x8A | 0x8C | 0x8E => *byte + 0x10,
            0x9F => 0xFF,
            _ => *byte + (u8::from(is_capital) << 5),
        };
    });
}

/// One for the capitals below U+0100, whose small letters all follow 32 places later.
#[inline]
fn is_latin_capital(c: u32) -> u32 {
    u32::from(c.wrapping_sub(0x41) < 26) | u32::from(c.wrapping_sub(0xC0) < 31) & u32::from(c != 0xD7)
}

fn lowercase_special(c: u32) -> u32 {
    match c {
        0x0152 | 0x0160 | 0x017D => c + 1,
        0x0178 => 0xFF,
        _ => c + (is_latin_capital(c) << 5),
    }
}

/// The code points of a Rust string.
pub fn code_points(text: &str) -> Vec<u32> {
    text.chars().map(u32::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_below_space_are_spaces_and_zero_width_ones_are_not() {
        for c in 0x1C..=0x1F {
            assert!(is_space(c));
        }
        for c in [0x200B, 0x180E, 0x2060, 0xFEFF] {
            assert!(!is_space(c));
        }
    }

    #[test]
    fn spaces_are_those_of_rust_and_four_more() {
        let rust = (0..0x11_0000).filter(|&c| char::from_u32(c).is_some_and(char::is_whitespace));
        let ours: Vec<u32> = (0..0x11_0000).filter(|&c| is_space(c) && !(0x1C..=0x1F).contains(&c)).collect();
        assert_eq!(rust.collect::<Vec<_>>(), ours);
    }

    #[test]
    fn bytes_are_lower_cased_as_the_characters_that_they_stand_for() {
        let mut text: Vec<u32> = (0..0x2200).filter(|&c| encode(c).is_some()).collect();
        let mut bytes: Vec<u8> = text.iter().filter_map(|&c| encode(c)).collect();
        assert!(lowercase_narrow(&mut text));
        lowercase_bytes(&mut bytes);
        assert_eq!(text.iter().map(|&c| encode(c)).collect::<Option<Vec<_>>>(), Some(bytes));
    }

    #[test]
    fn narrow_letters_are_lower_cased_as_in_unicode() {
        let lower = |&c: &u32| char::from_u32(c).and_then(|c| c.to_lowercase().next()).map(u32::from);
        for highest in [0x7F, 0xFF, 0x2122] {
            let mut text: Vec<u32> = (0..=highest).filter(|&c| encode(c).is_some()).collect();
            let expected: Option<Vec<u32>> = text.iter().map(lower).collect();
            assert!(lowercase_narrow(&mut text));
            assert_eq!(expected, Some(text));
        }
        assert!(!lowercase_narrow(&mut [0x41, 0x100]));
    }
}
