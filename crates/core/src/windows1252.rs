//! The code page Windows-1252: Latin-1 with quotes, dashes and the euro sign in place of control characters.

/// The characters that Windows-1252 has from 0x80 to 0x9F; zero where it has none.
const SPECIAL: [u32; 32] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0, 0,
    0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
];

/// The byte of a character, if it has one.
#[inline]
pub fn encode(c: u32) -> Option<u8> {
    match c {
        0..0x80 | 0xA0..0x100 => Some(c as u8),
        LETTERS..LETTERS_END => in_table(LETTER_BYTES[(c - LETTERS) as usize]),
        MARKS..MARKS_END => in_table(MARK_BYTES[(c - MARKS) as usize]),
        _ => None,
    }
}

/// The special characters are in two ranges: letters, and punctuation marks. To look through all of them instead took a
/// tenth of the time of BLEU where texts have letters from outside of Latin-1.
const LETTERS: u32 = 0x100;
const LETTERS_END: u32 = 0x300;
const MARKS: u32 = 0x2010;
const MARKS_END: u32 = 0x2123;
static LETTER_BYTES: [u8; (LETTERS_END - LETTERS) as usize] = bytes_from(LETTERS);
static MARK_BYTES: [u8; (MARKS_END - MARKS) as usize] = bytes_from(MARKS);

/// The bytes of the characters from one on; zero where one has none.
const fn bytes_from<const N: usize>(first: u32) -> [u8; N] {
    let (mut table, mut at) = ([0; N], 0);
    while at < SPECIAL.len() {
        if SPECIAL[at] >= first && ((SPECIAL[at] - first) as usize) < N {
            table[(SPECIAL[at] - first) as usize] = 0x80 + at as u8;
        }
        at += 1;
    }
    table
}

#[inline]
fn in_table(byte: u8) -> Option<u8> {
    (byte != 0).then_some(byte)
}

/// The character of a byte.
#[inline]
pub const fn decode(byte: u8) -> u32 {
    DECODED[byte as usize]
}

static DECODED: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = if byte >= 0x80 && byte < 0xA0 { SPECIAL[byte - 0x80] } else { byte as u32 };
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_characters_are_those_of_windows_1252_and_keep_their_identity() {
        let narrow: Vec<u32> = (0..0x11_0000).filter(|&c| encode(c).is_some()).collect();
        assert_eq!(256 - 5, narrow.len());
        for c in narrow {
            assert_eq!(Some(c), encode(c).map(decode));
        }
        assert_eq!([Some(0x80), Some(0x92), None], [0x20AC, 0x2019, 0x85].map(encode));
    }
}
