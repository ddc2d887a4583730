//! The tokens of narrow text, 64 characters at a time, for the texts that nearly all texts are.
//!
//! The rules are those of `scan`, written for the bits of a block: a mask for each class of characters comes
//! from [`truebleu_vector`], a few shifts tell which characters stand alone, and what is left are two masks, of the
//! characters with which tokens begin and of those with which they end. That takes about three instructions a
//! character, and the number of branches does not depend on the text.
//!
//! A point stands alone unless digits are on both sides. In a run of points, each but the last has a point behind it and
//! stands alone; so does the last, unless a digit follows and pass B of the scan left it out. Whether it did depends on
//! where the run began, and only for these points, which are rare, the text is looked at again ([`is_paired`]).
//!
//! The next block begins behind the last token that is known to be whole. What character 63 is depends on the one
//! behind it, so where character 62 ends a token is not known, and a token is whole if its last character is one of
//! those from 0 to 61, or if the text ends in the block. A word of more than 62 characters is not for this, nor is a
//! text that has to be cleaned first.

use super::classes::{Class, ClassSets, narrow_classes, or_space, sets, western};
use super::words::detached_end;
use super::{intl, v13a, zh};
use crate::text::{BLOCK, Placed, Text, trim, trim_end};
use std::marker::PhantomData;
use std::ops::Range;

/// What a tokenizer is made of.
pub trait Rules {
    /// The class of a character.
    fn class(c: u32) -> Class;

    /// The classes of narrow text.
    const CLASSES: [Class; 256];

    /// The characters without which no text has to be cleaned.
    const ALARMS: &[u8] = &[];

    /// The sets of each class.
    const SETS: ClassSets = sets(&Self::CLASSES, Self::ALARMS);

    /// Whether the text counts as standing between two spaces.
    const PADDED: bool;

    /// The bytes for characters of other scripts, on a code page: letters, symbols, digits and points. 0xA0, which is a
    /// space in narrow text, is none of them.
    const ROOMS: [Range<u16>; 4] = [0xA1..0x100, 0..0, 0..0, 0..0];

    /// The part of a text that has tokens.
    #[inline]
    fn trimmed(text: &[u8]) -> &[u8] {
        if Self::PADDED { text } else { trim_end(text) }
    }

    /// Where the first token of a stretch between two cuts ends: there may be one behind it.
    #[inline(always)]
    fn first_end(_stretch: &[u8]) -> Option<usize> {
        None
    }
}

/// `13a`.
pub struct V13a;

impl Rules for V13a {
    fn class(c: u32) -> Class {
        western(c)
    }

    const CLASSES: [Class; 256] = v13a::NARROW;
    const ALARMS: &[u8] = &v13a::ALARMS;
    const PADDED: bool = true;
}

/// The core of `13a`.
pub struct Western;

impl Rules for Western {
    fn class(c: u32) -> Class {
        western(c)
    }

    const CLASSES: [Class; 256] = v13a::NARROW;
    const PADDED: bool = false;
}

/// `intl`.
pub struct Intl;

impl Rules for Intl {
    fn class(c: u32) -> Class {
        intl::class(c)
    }

    const CLASSES: [Class; 256] = intl::NARROW;
    const PADDED: bool = false;
    const ROOMS: [Range<u16>; 4] = [0xB0..0x100, 0x80..0x8A, 0x8A..0x90, 0x90..0xA0];
}

/// `zh`.
pub struct Zh;

impl Rules for Zh {
    fn class(c: u32) -> Class {
        zh::class(c)
    }

    const CLASSES: [Class; 256] = zh::NARROW;
    const PADDED: bool = false;
    const ROOMS: [Range<u16>; 4] = [0x80..0x90, 0xA1..0x100, 0..0, 0..0];

    fn trimmed(text: &[u8]) -> &[u8] {
        trim(text)
    }
}

/// `none`.
pub struct Split;

impl Rules for Split {
    fn class(c: u32) -> Class {
        space_or_letter(c)
    }

    const CLASSES: [Class; 256] = narrow_classes!(space_or_letter);
    const PADDED: bool = true;
}

/// The words of chrF++.
pub struct Detached;

impl Rules for Detached {
    fn class(c: u32) -> Class {
        space_or_letter(c)
    }

    const CLASSES: [Class; 256] = Split::CLASSES;
    const PADDED: bool = true;

    #[inline(always)]
    fn first_end(stretch: &[u8]) -> Option<usize> {
        detached_end(stretch)
    }
}

const fn space_or_letter(c: u32) -> Class {
    or_space(c, Class::Letter)
}

/// The rules of a tokenizer for texts on a code page of its `ROOMS`. The lowest bytes stand for any strange letter,
/// symbol, digit and point; the other bytes below 0x80 are ASCII.
pub struct OnPage<R>(PhantomData<R>);

impl<R: Rules> Rules for OnPage<R> {
    fn class(c: u32) -> Class {
        R::class(c)
    }

    const CLASSES: [Class; 256] = on_page(R::CLASSES, &R::ROOMS);
    const ALARMS: &[u8] = R::ALARMS;
    const PADDED: bool = R::PADDED;

    #[inline]
    fn trimmed(text: &[u8]) -> &[u8] {
        R::trimmed(text)
    }

    #[inline(always)]
    fn first_end(stretch: &[u8]) -> Option<usize> {
        R::first_end(stretch)
    }
}

/// The classes that have a room on a page, in this order.
pub const ROOMED: [Class; 4] = [Class::Letter, Class::Symbol, Class::Digit, Class::Point];

const fn on_page(mut classes: [Class; 256], rooms: &[Range<u16>; 4]) -> [Class; 256] {
    let mut byte = 0x80;
    while byte < 256 {
        classes[byte] = Class::Letter;
        byte += 1;
    }
    let mut room = 0;
    while room < ROOMED.len() {
        classes[room] = ROOMED[room];
        let mut byte = rooms[room].start;
        while byte < rooms[room].end {
            classes[byte as usize] = ROOMED[room];
            byte += 1;
        }
        room += 1;
    }
    classes
}

/// The characters of a block whose tokens are known to be whole if the text goes on behind it.
const WHOLE: u64 = !0 >> 2;

/// Hands on the start and the length of each token, from left to right, until `take` says no. Returns whether all went
/// well; false also for a text that this is not for. The text must be narrow and not empty in its trimmed part.
#[inline(always)]
pub fn cut<R: Rules>(placed: Placed<'_>, mut take: impl FnMut(usize, usize) -> bool) -> bool {
    let Text::Narrow(text) = placed.text else { return false };
    let trimmed = R::trimmed(text);
    // A trimmed text is a part of its text.
    let first = trimmed.as_ptr() as usize - text.as_ptr() as usize;
    let end = first + trimmed.len();
    let (mut at, mut is_clean) = (first, false);
    let (mut after_digit, mut after_point, mut hyphens) = (u64::from(!R::PADDED), 0, 0);
    while at < end {
        let Some(block) = placed.room.get(at..).and_then(|room| room.first_chunk::<BLOCK>()) else { return false };
        let [space, symbol, digit, point, hyphen, alarm] = R::SETS.masks(block);
        let left = end - at;
        let inside = !0 >> (BLOCK - left.min(BLOCK));
        let (space, digit, mut next_digit) = (space | !inside, digit & inside, (digit & inside) >> 1);
        if alarm & inside != 0 && !is_clean {
            is_clean = !v13a::is_unclean(text);
            if !is_clean {
                return false;
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
            if !is_paired::<R>(trimmed, at + bit.trailing_zeros() as usize - first) {
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
                    return false;
                }
            }
        }
        while lasts != 0 {
            let (start, last) = (starts.trailing_zeros() as usize, lasts.trailing_zeros() as usize);
            starts &= starts - 1;
            lasts &= lasts - 1;
            let (mut start, end) = (at + start, at + last + 1);
            if let Some(first_end) = R::first_end(&placed.room[start..end]) {
                if !take(start, first_end) {
                    return false;
                }
                start += first_end;
            }
            if !take(start, end - start) {
                return false;
            }
        }
        after_digit = digit >> (taken - 1) & 1;
        after_point = point >> (taken - 1) & 1;
        hyphens = after_digit;
        at += taken;
    }
    true
}

/// Whether pass B took a point whose place is given: in a run, it takes every other one, and the first if no digit is
/// before it.
#[cold]
#[inline(never)]
fn is_paired<R: Rules>(text: &[u8], place: usize) -> bool {
    let is = |class: Class, byte: u8| R::SETS.has(class as usize - 1, byte);
    let before = text[..place].iter().rev().take_while(|&&byte| is(Class::Point, byte)).count();
    let first_is_paired = match place.checked_sub(before + 1) {
        Some(at) => !is(Class::Digit, text[at]),
        None => R::PADDED,
    };
    first_is_paired ^ (before % 2 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::{Tokenizer, naive};
    use crate::text::{SLACK, narrow_into};
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
        let placed = Placed { text: Text::Narrow(&room[..text.len()]), room: &room };
        let mut tokens = Vec::new();
        let is_whole = cut::<R>(placed, |start, length| {
            tokens.push(text[start..start + length].to_vec());
            true
        });
        is_whole.then_some(tokens)
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
