//! UTF-8 to narrow text or to code points, without a `str` on the way: whoever hands in bytes may have broken the
//! promise that they are UTF-8, so they are validated while they are decoded.
//!
//! Most bytes are ASCII and come in runs. A run is found and copied sixteen bytes at a time; a loop over
//! `chars()` takes longer than Python needs to make its own strings.

#[cfg(any(test, fuzzing))]
pub mod naive;

use crate::halt;
use crate::unicode::is_space;
use crate::windows1252::{decode as decode_byte, encode};

/// Bytes that are not UTF-8, from this place on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// How many bytes before it are fine.
    pub at: usize,
}

/// Appends the characters to `narrow`, a byte each, and returns true; or, if one is not in Windows-1252, appends code
/// points to `wide` and returns false, with `narrow` as it was.
pub fn decode(bytes: &[u8], narrow: &mut Vec<u8>, wide: &mut Vec<u32>) -> Result<bool, Invalid> {
    let start = narrow.len();
    halt::reserve(narrow, bytes.len() + BLOCK);
    let mut at = 0;
    loop {
        at += copy_ascii(&bytes[at..], narrow);
        let (byte, length) = match bytes[at..] {
            [] => return Ok(true),
            // Most letters with accents.
            [0xC3, b @ 0x80..=0xBF, ..] => (Some(b | 0x40), 2),
            // Most quotes and dashes.
            [0xE2, 0x80, b @ 0x80..=0xBF, ..] => (encode(0x2000 | u32::from(b & 0x3F)), 3),
            ref rest => match next(rest) {
                Some((c, length)) => (encode(c), length),
                None => {
                    narrow.truncate(start);
                    return Err(Invalid { at });
                }
            },
        };
        let Some(byte) = byte else { break };
        narrow.push(byte);
        at += length;
    }
    let (wide_start, before) = (wide.len(), narrow.len() - start);
    // Room for all is made at once: to ask for each character whether there is some takes as long as to decode it.
    halt::resize(wide, wide_start + before + most_characters(&bytes[at..]), 0);
    let (head, tail) = wide[wide_start..].split_at_mut(before);
    head.iter_mut().zip(&narrow[start..]).for_each(|(c, &byte)| *c = decode_byte(byte));
    narrow.truncate(start);
    let found = decode_wide(&bytes[at..], tail);
    wide.truncate(wide_start + found.map_or(0, |count| before + count));
    found.map(|_| false).map_err(|invalid| Invalid { at: at + invalid.at })
}

/// Writes code points, and returns how many there are. There is room for all of them.
fn decode_wide(bytes: &[u8], places: &mut [u32]) -> Result<usize, Invalid> {
    let (mut rest, mut count) = (bytes, 0);
    while !rest.is_empty() {
        if let (Some(block), Some(four)) = (rest.first_chunk(), places[count..].first_chunk_mut())
            && decode_four(block, four)
        {
            rest = &rest[12..];
            count += 4;
            continue;
        }
        match (next(rest), places.get_mut(count)) {
            (Some((c, length)), Some(place)) => {
                *place = c;
                rest = &rest[length..];
                count += 1;
            }
            _ => return Err(Invalid { at: bytes.len() - rest.len() }),
        }
    }
    Ok(count)
}

/// Writes four characters of three bytes each, as most Chinese and Japanese ones are, and returns true; or returns
/// false if the twelve bytes are anything else, or perhaps a surrogate. There are no branches in between, so that all
/// four are decoded at once.
#[inline(always)]
fn decode_four(block: &[u8; 12], places: &mut [u32; 4]) -> bool {
    let mut is_other = false;
    for (place, &[a, b, c]) in places.iter_mut().zip(block.as_chunks::<3>().0) {
        is_other |= (a.wrapping_sub(0xE1) > 0xE) | (a == 0xED) | (b & 0xC0 != 0x80) | (c & 0xC0 != 0x80);
        *place = u32::from(a & 0xF) << 12 | u32::from(b & 0x3F) << 6 | u32::from(c & 0x3F);
    }
    !is_other
}

/// How many bytes are looked at together.
const BLOCK: usize = 16;

/// Copies the ASCII characters that the bytes begin with, and returns how many there are. There is room for a block
/// more: one is copied before it is clear how much of it is ASCII, and cut then.
#[inline]
fn copy_ascii(bytes: &[u8], narrow: &mut Vec<u8>) -> usize {
    const HIGH: u128 = u128::from_le_bytes([0x80; BLOCK]);
    let mut at = 0;
    while let Some(block) = bytes[at..].first_chunk::<BLOCK>() {
        narrow.extend_from_slice(block);
        let high = u128::from_le_bytes(*block) & HIGH;
        if high != 0 {
            let run = high.trailing_zeros() as usize / 8;
            narrow.truncate(narrow.len() - (BLOCK - run));
            return at + run;
        }
        at += BLOCK;
    }
    let rest = &bytes[at..];
    // The last block holds the rest, after some bytes that have been looked at.
    let run = match bytes.last_chunk::<BLOCK>() {
        _ if rest.is_empty() => 0,
        Some(block) => {
            let high = (u128::from_le_bytes(*block) & HIGH) >> (8 * (BLOCK - rest.len()));
            rest.len().min(high.trailing_zeros() as usize / 8)
        }
        None => rest.iter().position(|byte| !byte.is_ascii()).unwrap_or(rest.len()),
    };
    narrow.extend_from_slice(&rest[..run]);
    at + run
}

/// The first character and how many bytes it takes, if it is one: not cut off, not longer than it need be, no
/// surrogate, and not above U+10FFFF.
#[inline]
fn next(bytes: &[u8]) -> Option<(u32, usize)> {
    const REST: std::ops::RangeInclusive<u8> = 0x80..=0xBF;
    let low = |byte: u8| u32::from(byte & 0x3F);
    match *bytes {
        [a @ 0..0x80, ..] => Some((a.into(), 1)),
        [a @ 0xC2..=0xDF, b, ..] if REST.contains(&b) => Some((u32::from(a & 0x1F) << 6 | low(b), 2)),
        [a @ 0xE0..=0xEF, b, c, ..] if REST.contains(&b) && REST.contains(&c) => {
            let code_point = u32::from(a & 0xF) << 12 | low(b) << 6 | low(c);
            (code_point >= 0x800 && code_point & !0x7FF != 0xD800).then_some((code_point, 3))
        }
        [a @ 0xF0..=0xF4, b, c, d, ..] if [b, c, d].iter().all(|byte| REST.contains(byte)) => {
            let code_point = u32::from(a & 7) << 18 | low(b) << 12 | low(c) << 6 | low(d);
            (0x1_0000..0x11_0000).contains(&code_point).then_some((code_point, 4))
        }
        _ => None,
    }
}

/// No fewer characters than there are; of a long text just as many, for memory's sake.
fn most_characters(bytes: &[u8]) -> usize {
    const LONG: usize = 1 << 12;
    if bytes.len() < LONG { bytes.len() } else { bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() }
}

/// The bytes without the white space at their end that Python's `str.rstrip()` takes away. Bytes that are no UTF-8
/// stay.
pub fn trim_end(mut bytes: &[u8]) -> &[u8] {
    loop {
        let length = (1..=3.min(bytes.len())).find(|&length| bytes[bytes.len() - length] & 0xC0 != 0x80);
        let Some(rest) = length.and_then(|length| bytes.len().checked_sub(length)) else { return bytes };
        match next(&bytes[rest..]) {
            Some((c, length)) if rest + length == bytes.len() && is_space(c) => bytes = &bytes[..rest],
            _ => return bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::naive::decoded;
    use super::*;
    use crate::text::trim_end as trim_end_text;
    use crate::unicode::code_points;
    use proptest::prelude::*;

    /// Pieces that are UTF-8, and pieces that are not: cut, overlong, surrogates, above U+10FFFF.
    fn pieces() -> impl Strategy<Value = Vec<u8>> {
        let fine =
            ["a", "Straße", "’", "€", "日本", "Ж", "😀", "\u{85}", "\u{A0}", "\u{3000}", " ", "sixteen letters.."];
        let broken: [&[u8]; 12] = [
            b"\x80",
            b"\xC3",
            b"\xC0\x80",
            b"\xC1\xBF",
            b"\xE0\x80\x80",
            b"\xED\xA0\x80",
            b"\xED\xBF\xBF",
            b"\xE6\x97",
            b"\xF0\x80\x80\x80",
            b"\xF4\x90\x80\x80",
            b"\xF5\x80\x80\x80",
            b"\xFF",
        ];
        let broken = broken.iter().map(|piece| piece.to_vec());
        let piece = prop_oneof![
            20 => prop::sample::select(fine.map(|piece| piece.as_bytes().to_vec()).to_vec()),
            1 => prop::sample::select(broken.collect::<Vec<_>>()),
            2 => any::<char>().prop_map(|c| c.to_string().into_bytes()),
        ];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn bytes_are_decoded_as_by_the_standard_library(bytes in pieces()) {
            prop_assert_eq!(naive::decode(&bytes), decoded(&bytes));
        }

        #[test]
        fn any_bytes_are_decoded_as_by_the_standard_library(bytes in prop::collection::vec(any::<u8>(), 0..8)) {
            prop_assert_eq!(naive::decode(&bytes), decoded(&bytes));
        }

        #[test]
        fn trailing_white_space_is_that_of_python(bytes in pieces()) {
            if let Ok(text) = std::str::from_utf8(&bytes) {
                let points = code_points(text);
                let expected: String = trim_end_text(&points).iter().filter_map(|&c| char::from_u32(c)).collect();
                prop_assert_eq!(expected.as_bytes(), trim_end(&bytes));
            }
        }
    }

    #[test]
    fn a_character_is_found_at_every_place_of_a_block() {
        for before in 0..=40 {
            for after in [0, 1, 15, 16, 17, 40] {
                for piece in ["é", "日", "😀", "\u{FF}", ""] {
                    let text = [&"x".repeat(before), piece, &"y".repeat(after)].concat();
                    assert_eq!(naive::decode(text.as_bytes()), decoded(text.as_bytes()));
                }
                let cut = [vec![b'x'; before], vec![0xE6, 0x97], vec![b'y'; after]].concat();
                assert_eq!(Err(Invalid { at: before }), decoded(&cut));
            }
        }
    }

    #[test]
    fn every_code_point_comes_back() {
        for c in (0..0x11_0000).filter_map(char::from_u32) {
            let text = c.to_string();
            assert_eq!(Some((c.into(), text.len())), next(text.as_bytes()));
        }
        assert_eq!(Ok((b"\x92".to_vec(), vec![])), decoded("\u{2019}".as_bytes()));
    }
}
