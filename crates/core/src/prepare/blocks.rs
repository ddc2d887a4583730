//! The tokens of narrow text, 64 characters at a time, for the texts that nearly all texts are.
//!
//! The rules are those of `scan`, written for the bits of a block: a mask for each class of characters comes from
//! [`truebleu_vector`], a few shifts tell which characters stand alone, and what is left are two masks, of the
//! characters with which tokens begin and of those with which they end. That takes about three instructions a
//! character, and the number of branches does not depend on the text.
//!
//! A point stands alone unless digits are on both sides. In a run of points, each but the last has a point behind it
//! and stands alone; so does the last, unless a digit follows and pass B of the scan left it out. Whether it did
//! depends on where the run began, and only for these points, which are rare, the text is looked at again
//! ([`is_paired`]).
//!
//! The next block begins behind the last token that is known to be whole. What character 63 is depends on the one
//! behind it, so where character 62 ends a token is not known, and a token is whole if its last character is one of
//! those from 0 to 61, or if the text ends in the block. A word of more than 62 characters is not for this, nor is a
//! text that has to be cleaned first.

use super::classes::{Class, ClassSets, narrow_classes, or_space, sets, western};
use super::words::first_piece;
use super::{intl, v13a, zh};
use crate::text::BLOCK;
use std::marker::PhantomData;

/// What a tokenizer is made of.
pub trait Rules {
    /// The class of each byte.
    const CLASSES: [Class; 256];

    /// The bytes without which a text need not be cleaned.
    const ALARMS: &'static [u8] = &[];

    /// Whether the text counts as standing between two spaces.
    const PADDED: bool = false;

    /// Whether white space at the beginning of a text is none of it.
    const TRIMS_START: bool = false;

    /// Whether one punctuation mark is detached from each word, as chrF++ does.
    const DETACHES: bool = false;

    /// The classes, and the alarms.
    const SETS: ClassSets = sets(&Self::CLASSES, Self::ALARMS);

    /// Whether a byte is of a class other than letters.
    #[inline]
    fn is(class: Class, byte: u8) -> bool {
        Self::SETS.has(class as usize - 1, byte)
    }
}

/// Rules for text that is not narrow too: its characters get bytes by their class, for one segment.
pub trait Paged: Rules {
    /// How many bytes there are for characters beyond ASCII, of each of [`ROOMS`].
    const ROOMS: [u8; ROOMS.len()];

    /// The class of a character.
    fn class(c: u32) -> Class;
}

/// The classes that characters beyond ASCII may have, white space apart.
pub const ROOMS: [Class; 4] = [Class::Letter, Class::Symbol, Class::Digit, Class::Point];

/// The first byte that stands for a character beyond ASCII.
pub const PAGED: usize = 0x80;

/// The rules for text in the bytes of a page. Its first bytes stand for characters that are not on the page, one of
/// each room.
pub struct OnPage<R>(PhantomData<R>);

impl<R: Paged> Rules for OnPage<R> {
    const CLASSES: [Class; 256] = {
        let (mut classes, mut room, mut byte) = (R::CLASSES, 0, PAGED);
        while room < ROOMS.len() {
            classes[room] = ROOMS[room];
            let end = byte + R::ROOMS[room] as usize;
            while byte < end {
                classes[byte] = ROOMS[room];
                byte += 1;
            }
            room += 1;
        }
        assert!(byte == 256);
        classes
    };
    const ALARMS: &'static [u8] = R::ALARMS;
    const PADDED: bool = R::PADDED;
    const TRIMS_START: bool = R::TRIMS_START;
    const DETACHES: bool = R::DETACHES;
}

/// `13a`.
pub struct V13a;

impl Rules for V13a {
    const CLASSES: [Class; 256] = v13a::NARROW;
    const ALARMS: &'static [u8] = &v13a::ALARMS;
    const PADDED: bool = true;
}

impl Paged for V13a {
    const ROOMS: [u8; 4] = [128, 0, 0, 0];

    fn class(c: u32) -> Class {
        western(c)
    }
}

/// The core of `13a`.
pub struct Western;

impl Rules for Western {
    const CLASSES: [Class; 256] = v13a::NARROW;
}

impl Paged for Western {
    const ROOMS: [u8; 4] = [128, 0, 0, 0];

    fn class(c: u32) -> Class {
        western(c)
    }
}

/// `intl`.
pub struct Intl;

impl Rules for Intl {
    const CLASSES: [Class; 256] = intl::NARROW;
}

impl Paged for Intl {
    const ROOMS: [u8; 4] = [80, 16, 12, 20];

    fn class(c: u32) -> Class {
        intl::classes().of(c)
    }
}

/// `zh`.
pub struct Zh;

impl Rules for Zh {
    const CLASSES: [Class; 256] = zh::NARROW;
    const TRIMS_START: bool = true;
}

impl Paged for Zh {
    const ROOMS: [u8; 4] = [24, 104, 0, 0];

    fn class(c: u32) -> Class {
        zh::class(c)
    }
}

/// `none`.
pub struct Split;

impl Rules for Split {
    const CLASSES: [Class; 256] = narrow_classes!(space_or_letter);
    const PADDED: bool = true;
}

impl Paged for Split {
    const ROOMS: [u8; 4] = [128, 0, 0, 0];

    fn class(c: u32) -> Class {
        space_or_letter(c)
    }
}

/// The words of chrF++.
pub struct Detached;

impl Rules for Detached {
    const CLASSES: [Class; 256] = Split::CLASSES;
    const PADDED: bool = true;
    const DETACHES: bool = true;
}

impl Paged for Detached {
    const ROOMS: [u8; 4] = Split::ROOMS;

    fn class(c: u32) -> Class {
        space_or_letter(c)
    }
}

const fn space_or_letter(c: u32) -> Class {
    or_space(c, Class::Letter)
}

/// The characters of a block whose tokens are known to be whole if the text goes on behind it.
const WHOLE: u64 = !0 >> 2;

/// Hands on the start and the length of each token, from left to right, until `take` says no. Returns how many there
/// are, or nothing if it did, or if the text is not for this. The text is the first `length` bytes of `room`, behind
/// which there are at least as many as a block has.
#[inline(always)]
pub fn cut<R: Rules>(room: &[u8], length: usize, mut take: impl FnMut(usize, usize) -> bool) -> Option<usize> {
    let (first, end) = trimmed::<R>(&room[..length]);
    let (mut at, mut is_clean, mut count) = (first, false, 0);
    let (mut after_digit, mut after_point, mut hyphens) = (u64::from(!R::PADDED), 0, 0);
    while at < end {
        let block = room.get(at..)?.first_chunk::<BLOCK>()?;
        let [space, symbol, digit, point, hyphen, alarm] = R::SETS.masks(block);
        let left = end - at;
        let inside = !0 >> (BLOCK - left.min(BLOCK));
        let (space, digit, mut next_digit) = (space | !inside, digit & inside, (digit & inside) >> 1);
        if alarm & inside != 0 && !is_clean {
            is_clean = !v13a::is_unclean(&room[..length]);
            if !is_clean {
                return None;
            }
        }
        if !R::PADDED && left <= BLOCK {
            next_digit |= 1 << (left - 1);
        }
        let previous_digit = digit << 1 | after_digit;
        let mut held = point & previous_digit & next_digit;
        let mut runs = point & (point << 1 | after_point) & next_digit & inside;
        while runs != 0 {
            let bit = runs & runs.wrapping_neg();
            runs ^= bit;
            if !is_paired::<R>(&room[first..], at + bit.trailing_zeros() as usize - first) {
                held |= bit;
            }
        }
        let alone = symbol | hyphen & (digit << 1 | hyphens) | point & !held;
        let cuts = space | alone;
        let mut starts = !space & (alone | cuts << 1 | 1);
        let mut lasts = !space & (alone | cuts >> 1 | 1 << (BLOCK - 1));
        let mut taken = BLOCK;
        if left > BLOCK {
            lasts &= WHOLE;
            taken = BLOCK - lasts.leading_zeros() as usize;
            if lasts == 0 {
                // Spaces, and perhaps the beginning of a long word.
                taken = (starts & WHOLE).trailing_zeros().min(BLOCK as u32 - 2) as usize;
                if taken == 0 {
                    return None;
                }
            }
        }
        count += lasts.count_ones() as usize;
        while lasts != 0 {
            let (start, last) = (starts.trailing_zeros() as usize, lasts.trailing_zeros() as usize);
            starts &= starts - 1;
            lasts &= lasts - 1;
            let (mut from, to) = (at + start, at + last + 1);
            let mut cut = if R::DETACHES { from + first_piece(&room[from..to]) } else { to };
            // Once, but for a word with a mark to detach.
            loop {
                if !take(from, cut - from) {
                    return None;
                }
                if cut == to {
                    break;
                }
                (from, cut, count) = (cut, to, count + 1);
            }
        }
        after_digit = digit >> (taken - 1) & 1;
        after_point = point >> (taken - 1) & 1;
        hyphens = after_digit;
        at += taken;
    }
    Some(count)
}

/// Where a text begins and ends, without the white space that is none of it.
#[inline]
fn trimmed<R: Rules>(text: &[u8]) -> (usize, usize) {
    if R::PADDED {
        return (0, text.len());
    }
    let is_inside = |&byte: &u8| !R::is(Class::Space, byte);
    let end = text.iter().rposition(is_inside).map_or(0, |last| last + 1);
    let start = if R::TRIMS_START { text.iter().position(is_inside).unwrap_or(0) } else { 0 };
    (start, end)
}

/// Whether pass B took a point whose place is given: in a run, it takes every other one, and the first if no digit is
/// before it.
#[cold]
#[inline(never)]
fn is_paired<R: Rules>(text: &[u8], place: usize) -> bool {
    let before = text[..place].iter().rev().take_while(|&&byte| R::is(Class::Point, byte)).count();
    let first_is_paired = match place.checked_sub(before + 1) {
        Some(at) => !R::is(Class::Digit, text[at]),
        None => R::PADDED,
    };
    first_is_paired ^ (before % 2 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::{Tokenizer, Tokens, naive, words_with_detached_punctuation};
    use crate::text::{SLACK, Text, narrow_into, trim_end};
    use crate::unicode::code_points;
    use proptest::prelude::*;

    /// Texts of pieces that meet at the edges of blocks.
    fn texts() -> impl Strategy<Value = Vec<u32>> {
        let pieces = [
            "a",
            "é",
            "word",
            "1",
            "23",
            ".",
            ",",
            "..",
            "...",
            "-",
            "1.5",
            "3-4",
            "’",
            "“",
            " ",
            "  ",
            "\t",
            "\u{A0}",
            "!",
            "&",
            "<",
            "€",
            "½",
            "«",
            "\u{1C}",
            "abcdefghijklmnop",
            "1.",
            ".1",
            "1,",
            ",1",
        ];
        let filler = prop_oneof![Just(0_usize), 55_usize..70, 118_usize..134];
        (
            filler,
            prop::sample::select(vec!["a", " ", ".", "1", "-", "a ", "1.", ". "]),
            prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..60),
        )
            .prop_map(|(length, filler, pieces)| {
                let filler: Vec<u32> = code_points(filler).into_iter().cycle().take(length).collect();
                [filler, code_points(&pieces.concat())].concat()
            })
    }

    /// The tokens of a text and what stands behind it, or nothing if it was declined.
    fn found<R: Rules>(text: &[u32], behind: u8) -> Option<Vec<Vec<u32>>> {
        let mut room = vec![behind; text.len() + SLACK];
        assert!(narrow_into(text, &mut room[..text.len()]));
        let mut tokens = Vec::new();
        let count = cut::<R>(&room, text.len(), |start, length| {
            tokens.push(text[start..start + length].to_vec());
            true
        })?;
        assert_eq!(tokens.len(), count);
        Some(tokens)
    }

    fn check<R: Rules>(tokenizer: Tokenizer, text: &[u32]) -> Result<(), TestCaseError> {
        let expected = naive::tokens(tokenizer, trim_end(text));
        let is_declined = expected.iter().any(|token| token.len() > 60) || tokenizer == Tokenizer::V13a;
        for behind in [b'1', b' ', b'.', b'a'] {
            match found::<R>(text, behind) {
                Some(tokens) => prop_assert_eq!(&expected, &tokens, "{:?}", tokenizer),
                None => prop_assert!(is_declined, "{:?} declined", tokenizer),
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn blocks_have_the_tokens_of_the_passes(text in texts()) {
            check::<V13a>(Tokenizer::V13a, &text)?;
            check::<Western>(Tokenizer::Western, &text)?;
            check::<Intl>(Tokenizer::Intl, &text)?;
            check::<Zh>(Tokenizer::Zh, &text)?;
            check::<Split>(Tokenizer::None, &text)?;
            let detached = naive::found(words_with_detached_punctuation(&mut Tokens::default(), Text::Wide(&text)));
            prop_assert!(found::<Detached>(&text, b'.').is_none_or(|words| words == detached));
        }
    }

    #[test]
    fn a_text_that_wants_cleaning_is_declined_and_no_other() {
        let is_declined = |text: &str| found::<V13a>(&code_points(text), 0).is_none();
        for text in ["a &amp; b", "a\nb", "<skipped>", "&quot;", "a&lt;", "&gt;"] {
            assert!(is_declined(text), "{text:?}");
        }
        for text in ["", "a & b", "a < b", "<skipped", "&quot &LT; &apos;", "&nbsp;"] {
            assert!(!is_declined(text), "{text:?}");
        }
    }

    #[test]
    fn words_are_declined_from_the_length_that_no_block_holds() {
        for (length, is_declined) in [(61, false), (62, false), (63, true), (64, true), (65, true)] {
            let text = code_points(&format!("{} and more", "a".repeat(length)));
            assert_eq!(is_declined, found::<V13a>(&text, 0).is_none(), "{length}");
        }
    }
}
