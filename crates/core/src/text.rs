//! Text as the core sees it: code points, in one byte each where that is enough.
//!
//! A Python `str` is a sequence of code points, lone surrogates included, which Rust's `char` and `str` cannot hold.
//! The core keeps a text in bytes if all its characters are in Windows-1252, and in 32-bit units otherwise. That code
//! page is Latin-1 with the quotes, dashes and the euro sign in place of control characters that nobody writes, so
//! nearly all text in Western languages is narrow; and narrow text is several times faster to scan, hash and compare.
//! The algorithms are generic over the unit, and results never depend on it.

use crate::mixing::Mixer;
use crate::unicode::is_space;
use crate::windows1252::{decode, encode};

/// A text in its narrowest form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text<'a> {
    /// All characters are in Windows-1252.
    Narrow(&'a [u8]),
    /// Some are not: code points.
    Wide(&'a [u32]),
}

impl Text<'_> {
    /// The code points.
    pub fn code_points(self) -> Vec<u32> {
        match self {
            Text::Narrow(text) => text.iter().map(|c| c.code_point()).collect(),
            Text::Wide(text) => text.to_vec(),
        }
    }

    /// How many there are.
    pub fn len(self) -> usize {
        match self {
            Text::Narrow(text) => text.len(),
            Text::Wide(text) => text.len(),
        }
    }

    /// True if there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// A text where it lies.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The text.
    pub text: Text<'a>,
    /// If it is narrow, its bytes and at least [`SLACK`] more, whatever they are: so that a kernel may load some bytes
    /// from any place of the text on without asking where it ends.
    pub room: &'a [u8],
}

/// How many bytes there are at least behind a narrow text.
pub const SLACK: usize = 64;

/// Writes a text in bytes, one for each character, and returns true; or returns false if it is wide.
///
/// Some of the last characters are written twice: the number of the rest is hard to predict.
pub fn narrow_into(text: &[u32], bytes: &mut [u8]) -> bool {
    const CHUNK: usize = 32;
    let Some(last) = text.len().checked_sub(CHUNK) else { return cast(text, bytes) || encode_all(text, bytes) };
    (0..text.len()).step_by(CHUNK).map(|start| start.min(last)).all(|start| {
        let (text, bytes) = (&text[start..start + CHUNK], &mut bytes[start..start + CHUNK]);
        cast(text, bytes) || encode_all(text, bytes)
    })
}

/// Copies the lowest bytes of all characters, and tells whether they are enough: whether all are in Latin-1 and none is
/// a control character from 0x80 on. Going on when it is clear that they are not is faster: without a branch it
/// compiles to vector instructions.
#[inline(always)]
fn cast(text: &[u32], bytes: &mut [u8]) -> bool {
    let mut seen = 0;
    for (&c, byte) in text.iter().zip(bytes.iter_mut()) {
        *byte = c as u8;
        seen |= c;
    }
    seen < 0x80 || seen <= 0xFF && bytes.iter().fold(0, |controls, byte| controls | u8::from(byte & !0x1F == 0x80)) == 0
}

/// Kept out of the loop over chunks, which it would slow down.
#[cold]
#[inline(never)]
fn encode_all(text: &[u32], bytes: &mut [u8]) -> bool {
    text.iter().zip(bytes).all(|(&c, byte)| encode(c).map(|encoded| *byte = encoded).is_some())
}

/// What a text is made of: a character in 8 or in 32 bits.
pub trait Unit: Copy + Eq + 'static {
    /// The code point.
    fn code_point(self) -> u32;

    /// The byte, or the code point where the unit is not a byte.
    fn byte(self) -> Result<u8, u32>;

    /// The unit of an ASCII character: nothing else is ever written into a text.
    fn from_ascii(c: u8) -> Self;

    /// The text, with its unit forgotten.
    fn wrap(text: &[Self]) -> Text<'_>;

    /// The one of two buffers that holds this unit.
    fn buffer(buffers: &mut Buffers) -> &mut Vec<Self>;

    /// The key of the word from `start` to `end`.
    fn key(text: &[Self], start: usize, end: usize) -> Key;

    /// A bit for each of the next 64 characters that is not plainly part of a word: neither an ASCII letter or digit
    /// nor one of the common letters beyond.
    fn notable(text: &[Self], start: usize) -> u64;

    /// A bit for each of the next 64 characters that is white space.
    fn spaces(text: &[Self], start: usize) -> u64;

    /// Whether Python takes the character for white space.
    #[inline]
    fn is_space(self) -> bool {
        is_space(self.code_point())
    }
}

/// How many characters [`Unit::notable`] looks at.
pub const BLOCK: usize = 64;

/// Working memory for texts of either kind.
#[derive(Default)]
pub struct Buffers {
    narrow: Vec<u8>,
    wide: Vec<u32>,
}

/// What a word is told by: its content, if it is short, or a hash of it. Equal words have equal keys, whatever their
/// units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Key {
    first: u64,
    last: u64, // with a tag as its highest byte: the length, and of what kind the key is
}

/// Set in the tag of a key whose characters take 16 bits each.
const WIDE: u64 = 1 << 62;
/// Set in the tag of a key that only hashes its word.
const HASHED: u64 = 1 << 63;

/// How many bytes a key has room for, and how many characters of 16 bits.
const ROOM: usize = 15;
const WIDE_ROOM: usize = 7;

impl Key {
    /// Equality without branches; whether two words are equal is hard to predict.
    #[inline]
    pub fn equals(self, other: Self) -> bool {
        (self.first ^ other.first) | (self.last ^ other.last) == 0
    }

    /// Whether other words may have this key too.
    #[inline]
    pub fn is_hashed(self) -> bool {
        self.last & HASHED != 0
    }

    /// The bits of a key, mixed.
    #[inline]
    pub fn mixed(self, mixer: Mixer) -> u64 {
        mixer.mix(self.first, self.last)
    }

    /// The bytes of a word that fits.
    #[inline]
    fn exact((first, last): (u64, u64), length: usize) -> Self {
        Self { first, last: last | (length as u64) << 56 }
    }

    /// For a word that does not fit. Equal words must have equal keys, so `characters` are bytes if all of them have
    /// one.
    #[cold]
    fn hashed(characters: impl Iterator<Item = u32>, tag: u64) -> Self {
        let mixer = Mixer::default();
        Self { first: characters.fold(0, |hash, c| mixer.mix(hash, c.into())), last: tag | HASHED }
    }

    /// A few characters of the basic plane are told apart.
    fn of_wide(word: &[u32]) -> Self {
        let four = |at: usize| {
            let part = word.iter().skip(at).take(4).rev();
            part.fold(0, |bits: u64, &c| bits << 16 | u64::from(c & 0xFFFF))
        };
        if word.len() > WIDE_ROOM || word.iter().any(|&c| c > 0xFFFF) {
            return Self::hashed(word.iter().copied(), WIDE);
        }
        Self { first: four(0), last: four(4) | (word.len() as u64) << 56 | WIDE }
    }
}

impl Unit for u8 {
    #[inline]
    fn code_point(self) -> u32 {
        decode(self)
    }

    #[inline]
    fn byte(self) -> Result<u8, u32> {
        Ok(self)
    }

    fn from_ascii(c: u8) -> Self {
        c
    }

    fn wrap(text: &[Self]) -> Text<'_> {
        Text::Narrow(text)
    }

    fn buffer(buffers: &mut Buffers) -> &mut Vec<Self> {
        &mut buffers.narrow
    }

    #[inline(always)]
    fn key(text: &[u8], start: usize, end: usize) -> Key {
        let length = end - start;
        if length > ROOM {
            return Key::hashed(text[start..end].iter().map(|&c| c.into()), 0);
        }
        let (first, last) = match text[start..].first_chunk() {
            Some(sixteen) => halves(sixteen),
            None => {
                let mut padded = [0; 16];
                padded[..text.len() - start].copy_from_slice(&text[start..]);
                halves(&padded)
            }
        };
        let (first_mask, last_mask) = MASKS[length];
        Key::exact((first & first_mask, last & last_mask), length)
    }

    #[inline]
    fn notable(text: &[u8], start: usize) -> u64 {
        // Letters from U+00C0 on, without the signs of multiplication and division.
        let is_latin = |c: u8| (c >= 0xC0) & (c != 0xD7) & (c != 0xF7);
        bits(text, start, |c| ((c | 0x20).wrapping_sub(b'a') >= 26) & (c.wrapping_sub(b'0') >= 10) & !is_latin(c))
    }

    #[inline]
    fn spaces(text: &[u8], start: usize) -> u64 {
        bits(text, start, |c| (c.wrapping_sub(0x09) < 5) | (c.wrapping_sub(0x1C) < 5) | (c == 0xA0))
    }
}

impl Unit for u32 {
    #[inline]
    fn code_point(self) -> u32 {
        self
    }

    #[inline]
    fn byte(self) -> Result<u8, u32> {
        Err(self)
    }

    fn from_ascii(c: u8) -> Self {
        c.into()
    }

    fn wrap(text: &[Self]) -> Text<'_> {
        Text::Wide(text)
    }

    fn buffer(buffers: &mut Buffers) -> &mut Vec<Self> {
        &mut buffers.wide
    }

    /// The key of the same word in bytes, if there is such a word.
    #[inline]
    fn key(text: &[u32], start: usize, end: usize) -> Key {
        let word = &text[start..end];
        // Most words of a Chinese text, and no need to look whether they fit in bytes.
        if let [only @ 0x2123..=0xFFFF] = *word {
            return Key { first: only.into(), last: WIDE | 1 << 56 };
        }
        if word.iter().any(|&c| encode(c).is_none()) {
            return Key::of_wide(word);
        }
        let bytes = word.iter().filter_map(|&c| encode(c));
        if word.len() > ROOM {
            return Key::hashed(bytes.map(u32::from), 0);
        }
        let mut sixteen = [0; 16];
        bytes.zip(&mut sixteen).for_each(|(byte, place)| *place = byte);
        Key::exact(halves(&sixteen), word.len())
    }

    #[inline]
    fn notable(text: &[u32], start: usize) -> u64 {
        // Latin letters as above and up to U+024F; Cyrillic up to U+0481.
        let is_latin = |c: u32| (c.wrapping_sub(0xC0) < 0x190) & (c != 0xD7) & (c != 0xF7);
        let is_ascii = |c: u32| ((c | 0x20).wrapping_sub(0x61) < 26) | (c.wrapping_sub(0x30) < 10);
        bits(text, start, |c| !(is_ascii(c) | is_latin(c) | (c.wrapping_sub(0x400) < 0x82)))
    }

    #[inline]
    fn spaces(text: &[u32], start: usize) -> u64 {
        bits(text, start, is_space)
    }
}

/// The text without its trailing white space.
pub fn trim_end<U: Unit>(text: &[U]) -> &[U] {
    let end = text.iter().rposition(|&c| !c.is_space()).map_or(0, |last| last + 1);
    &text[..end]
}

/// The text without white space at either end.
pub fn trim<U: Unit>(text: &[U]) -> &[U] {
    let start = text.iter().position(|&c| !c.is_space()).unwrap_or(text.len());
    trim_end(&text[start..])
}

/// Two halves of sixteen bytes, the first byte lowest.
#[inline(always)]
fn halves(bytes: &[u8; 16]) -> (u64, u64) {
    let both = u128::from_le_bytes(*bytes);
    (both as u64, (both >> 64) as u64)
}

/// By length, what to keep of the halves.
static MASKS: [(u64, u64); ROOM + 1] = {
    let mut masks = [(0, 0); ROOM + 1];
    let mut length = 1;
    while length <= ROOM {
        let both = u128::MAX >> (8 * (16 - length));
        masks[length] = (both as u64, (both >> 64) as u64);
        length += 1;
    }
    masks
};

/// Whether any character passes a test that is written without branches.
#[inline(always)]
pub fn any<U: Unit>(text: &[U], test: impl Fn(U) -> bool) -> bool {
    (0..text.len()).step_by(BLOCK).fold(0, |any, start| any | bits(text, start, &test)) != 0
}

/// Tests 64 characters at once; written so that it compiles to vector instructions. The last 64 of a text overlap those
/// before, if there are as many: a copy of just the rest, whose length varies, would be slower.
#[inline(always)]
pub fn bits<U: Unit>(text: &[U], start: usize, test: impl Fn(U) -> bool) -> u64 {
    let from = start.min(text.len().saturating_sub(BLOCK));
    let bits = match text[from..].first_chunk() {
        Some(block) => block_bits(block, test),
        None => {
            let mut padded = [U::from_ascii(b'a'); BLOCK];
            padded[..text.len() - from].copy_from_slice(&text[from..]);
            block_bits(&padded, test)
        }
    };
    bits >> (start - from)
}

#[inline(always)]
fn block_bits<U: Unit>(block: &[U; BLOCK], test: impl Fn(U) -> bool) -> u64 {
    let flags = block.map(|c| u8::from(test(c)));
    let eights = flags.as_chunks::<8>().0.iter();
    eights.rev().fold(0, |bits, eight| bits << 8 | gather(u64::from_le_bytes(*eight)))
}

/// Gathers the lowest bits of eight bytes into one byte: the product brings bit 8i to bit 56 + i, and nothing else
/// there.
#[inline]
fn gather(bytes: u64) -> u64 {
    bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::code_points;
    use proptest::prelude::*;

    fn narrow_text(lengths: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u32>> {
        let characters: Vec<u32> = (0..0x2200).filter(|&c| encode(c).is_some()).collect();
        prop::collection::vec(prop::sample::select(characters), lengths)
    }

    fn word_of_any_kind() -> impl Strategy<Value = Vec<u32>> {
        prop::collection::vec(prop::sample::select(vec![0_u32, 1, 255, 256, 0x2019, 0x4E00, 0x1F600]), 1..18)
    }

    #[test]
    fn a_text_with_a_wide_character_is_not_narrow() {
        let mut bytes = [0; 2];
        assert!(!narrow_into(&[0x41, 0x4E00], &mut bytes));
        assert!(!narrow_into(&[0x41, 0x85], &mut bytes));
        assert!(narrow_into(&[0x41, 0x2019], &mut bytes));
        assert_eq!([0x41, 0x92], bytes);
    }

    #[test]
    fn trimming_an_all_space_text_leaves_nothing() {
        assert_eq!(trim(&code_points(" \t\u{3000}")), &[] as &[u32]);
        assert_eq!(trim_end(&code_points(" a ")), code_points(" a"));
    }

    proptest! {
        #[test]
        fn a_narrow_word_has_the_same_key_in_either_unit_and_at_any_place(
            before in narrow_text(0..3), word in narrow_text(1..24), after in narrow_text(0..12),
        ) {
            let text = [&before[..], &word, &after].concat();
            let (start, end) = (before.len(), before.len() + word.len());
            let mut bytes = vec![0; text.len()];
            prop_assert!(narrow_into(&text, &mut bytes));
            prop_assert_eq!(u32::key(&word, 0, word.len()), u8::key(&bytes, start, end));
            prop_assert_eq!(u8::key(&bytes, start, end), u32::key(&text, start, end));
        }

        #[test]
        fn keys_that_are_not_hashed_tell_words_apart(
            ours in word_of_any_kind(), theirs in word_of_any_kind(),
        ) {
            let (our_key, their_key) = (u32::key(&ours, 0, ours.len()), u32::key(&theirs, 0, theirs.len()));
            prop_assert!(ours == theirs || our_key != their_key || our_key.is_hashed());
        }

        #[test]
        fn only_letters_and_digits_are_not_notable(text in prop::collection::vec(0_u32..0x500, 0..200)) {
            let is_wordlike = |c: u32| char::from_u32(c).is_some_and(char::is_alphanumeric);
            let narrow: Vec<u8> = text.iter().filter_map(|&c| encode(c)).collect();
            for start in (0..text.len()).step_by(BLOCK) {
                let bits = u32::notable(&text, start);
                for (at, &c) in text[start..].iter().enumerate().take(BLOCK) {
                    prop_assert!(bits >> at & 1 == 1 || is_wordlike(c));
                    prop_assert_eq!(u32::spaces(&text, start) >> at & 1 == 1, is_space(c));
                }
            }
            for start in (0..narrow.len()).step_by(BLOCK) {
                let bits = u8::notable(&narrow, start);
                for (at, &c) in narrow[start..].iter().enumerate().take(BLOCK) {
                    prop_assert!(bits >> at & 1 == 1 || is_wordlike(c.code_point()));
                    prop_assert_eq!(u8::spaces(&narrow, start) >> at & 1 == 1, is_space(c.code_point()));
                    prop_assert!(bits >> at & 1 == 0 || !c.is_ascii_alphanumeric());
                }
            }
        }
    }
}
