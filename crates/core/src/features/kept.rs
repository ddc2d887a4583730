//! What a text may hold that a translation keeps: placeholders, tags, addresses, emoji and numbers.
//!
//! Python's patterns (`doctor/kept.py`, `doctor/numbers.py`) say what these are, and take 50 µs for a text. Few texts
//! have any, so one pass tells here which kinds a text can have at all. A kind may be named in vain, and is never
//! missing: each test asks for characters that every match must have, and for nothing around them, because parts that
//! were found before are blanked.

use super::LOOK;
use super::simple::{Simple, folded, hashed, narrowed, simple};
use crate::halt;
use crate::prepare::is_number;

/// Strings that a program replaces; this and the following are bits, which Python knows as well (`doctor/kept.py`).
pub const PLACEHOLDER: i32 = 1;
/// Tags, links and code.
pub const MARKUP: i32 = 2;
/// Addresses, file names, identifiers, versions and telephone numbers.
pub const ADDRESS: i32 = 4;
/// Pictures and flags.
pub const EMOJI: i32 = 8;
/// All parts that are kept as they are.
pub const UNITS: i32 = PLACEHOLDER | MARKUP | ADDRESS | EMOJI;
/// A number that is checked: from 13 on, with a mark between digits, or perhaps with a word such as "million".
pub const NUMBER: i32 = 16;
/// "Option 1: x Option 2: y", "x (or: y)".
pub const VERSIONS: i32 = 32;

/// The kinds that a text can have; and a number that two texts share only if they have the same numbers, written in
/// the same way, and nothing stands beside these that changes their values. It is 0 if that is not known.
pub fn kinds(text: &[u32]) -> [i32; 3] {
    let scan = Scan { text };
    let (mut found, mut seen) = (0, Seen::default());
    for (at, &c) in text.iter().enumerate() {
        if at % LOOK == 0 {
            halt::spend(LOOK.min(text.len()) / 2);
        }
        // Most characters of most texts.
        if c.wrapping_sub(u32::from(b'd')) < 23 || c == 0x20 {
            continue;
        }
        found |= if c < 0x80 { scan.ascii(at, c as u8, &mut seen) } else { scan.beyond(at, c, &mut seen) };
    }
    if seen.links && seen.brackets || seen.ticks > 1 || seen.tags && seen.ends_tags {
        found |= MARKUP;
    }
    if seen.slashes > 1 || seen.points > 1 {
        found |= ADDRESS;
    }
    if seen.labels > 1 {
        found |= VERSIONS;
    }
    let is_plain = found & UNITS == 0 && !seen.is_odd;
    let signature = if found & NUMBER != 0 && is_plain { scan.signature() } else { 0 };
    [found, signature as i32, (signature >> 32) as i32]
}

/// What makes a kind only together with something else.
#[derive(Default)]
struct Seen {
    brackets: bool,
    links: bool,
    tags: bool,
    ends_tags: bool,
    ticks: usize,
    slashes: usize,
    points: usize,
    labels: usize,
    is_odd: bool,
}

struct Scan<'a> {
    text: &'a [u32],
}

impl Scan<'_> {
    /// The character at a place; 0 beyond the end.
    fn at(&self, place: usize) -> u32 {
        self.text.get(place).copied().unwrap_or(0)
    }

    /// The character before a place, or 0.
    fn before(&self, place: usize) -> u32 {
        if place > 0 { self.text[place - 1] } else { 0 }
    }

    fn ascii(&self, at: usize, c: u8, seen: &mut Seen) -> i32 {
        let next = self.at(at + 1);
        match c {
            b'0'..=b'9' => self.digit(at, seen),
            b'a'..=b'c' => self.label(at, seen),
            b'A'..=b'Z' => {
                if c <= b'C' {
                    self.label(at, seen);
                }
                let is_small = |back: usize| at >= back && is_small(self.text[at - back]);
                if is_small(1) && is_small(2) { ADDRESS } else { 0 }
            }
            b'%' if is_any(next, b"-+#0'.*({<@") || is_alnum(next) => PLACEHOLDER,
            b'{' => PLACEHOLDER,
            b'$' if is_letter(next) || is_any(next, b"_{") => PLACEHOLDER,
            b'#' if next == 0x20 => 0,
            b'#' => {
                if is_capital(next) {
                    PLACEHOLDER | ADDRESS
                } else {
                    ADDRESS
                }
            }
            b'_' => {
                let joins = is_alnum(self.before(at)) && is_alnum(next);
                only_if(next == 0x5F, PLACEHOLDER) | only_if(joins, ADDRESS)
            }
            b'@' => only_if(next == 0x40, PLACEHOLDER) | ADDRESS,
            b'<' => {
                seen.tags |= next == 0x2F || is_letter(next);
                only_if(is_capital(next), PLACEHOLDER)
            }
            b'>' => {
                seen.ends_tags = true;
                0
            }
            b'[' | b'(' => {
                seen.brackets |= c == b'[';
                only_if(c == b'[' && next == 0x5B, PLACEHOLDER) | VERSIONS
            }
            b']' => {
                seen.links |= next == 0x28;
                0
            }
            b'`' => {
                seen.ticks += 1;
                0
            }
            b'/' | b'\\' => {
                seen.slashes += 1;
                0
            }
            b':' => VERSIONS | only_if(next == 0x2F && self.at(at + 2) == 0x2F, ADDRESS),
            b'.' => self.point(at, next, seen),
            b'+' if next < 0x80 && self.digits_follow(at + 1) => ADDRESS,
            b'+' if next >= 0x80 => ADDRESS,
            _ => 0,
        }
    }

    /// A full stop inside a file name, a version or the name of a server.
    fn point(&self, at: usize, next: u32, seen: &mut Seen) -> i32 {
        let before = self.before(at);
        let in_version = is_digit(before) && is_digit(next);
        seen.points += usize::from(in_version);
        let in_name = (is_alnum(before) || is_any(before, b"_-")) && is_any(next, b"tjphxycdgszeil");
        let after_www = at > 2 && self.text[at - 3..at].iter().all(|&c| c == u32::from(b'w'));
        only_if(in_name || after_www, ADDRESS)
    }

    /// Whether a telephone number may begin here: at least two digits, and six of what it is made of.
    fn digits_follow(&self, at: usize) -> bool {
        let rest = &self.text[at.min(self.text.len())..];
        let length = rest.iter().take(6).take_while(|&&c| is_digit(c) || is_any(c, b" ()/-")).count();
        length >= 6
    }

    fn digit(&self, at: usize, seen: &mut Seen) -> i32 {
        let (c, before, next) = (self.text[at], self.before(at), self.at(at + 1));
        self.label(at, seen);
        let mut found = if c == 0x30 && self.digits_follow(at) { ADDRESS } else { 0 };
        if is_digit(next) {
            let is_long = is_digit(self.at(at + 2)) || is_digit(before);
            return found | only_if(is_long || 10 * (c - 0x30) + (next - 0x30) >= 13, NUMBER);
        }
        // The last digit of a run.
        let second = self.at(at + 2);
        if is_any(narrowed(next), b".,'") || next == 0x2019 {
            found |= only_if(narrowed(second).wrapping_sub(0x30) < 10 || is_number(second), NUMBER);
        }
        let after = if next == 0x2D || is_blank(next) { at + 2 } else { at + 1 };
        let word = self.at(after);
        if self.may_scale(after) || (word > 0x7F && !is_blank(word) && simple(word) == Simple::Unknown) {
            seen.is_odd = true;
            found |= NUMBER;
        }
        found
    }

    /// The number of an option, "Option 1:", "b)", is no kind by itself.
    fn label(&self, at: usize, seen: &mut Seen) -> i32 {
        let next = self.at(at + 1);
        let end = if next == 0x20 { self.at(at + 2) } else { next };
        seen.labels += usize::from(is_any(end, b":.)") || end == 0xFF1A);
        0
    }

    fn beyond(&self, at: usize, c: u32, seen: &mut Seen) -> i32 {
        match c {
            0x1F000..=0x1FAFF | 0x2600..=0x27BF => {
                seen.is_odd |= is_number(c);
                return EMOJI | if is_number(c) { NUMBER } else { 0 };
            }
            0xFF1A | 0xFF08 | 0xFF3B => return VERSIONS,
            0x4E00 | 0x4E8C | 0x4E09 | 0x2460..=0x2462 => _ = self.label(at, seen),
            _ => {}
        }
        if is_number(c) || matches!(c, 0x66B | 0x66C) {
            // Digits of other scripts, which may be those of a version or a telephone number.
            seen.is_odd = true;
            return PLACEHOLDER | ADDRESS | NUMBER;
        }
        let is_han = is_myriad(c) || (c >= 0x2E80 && simple(c) == Simple::Unknown);
        if is_han && self.has_digit_before(at) {
            seen.is_odd = true;
            return NUMBER;
        }
        // Normalized text has a mark here, which may belong to a number.
        let touches = |c| is_digit(c) || (c != 0x20 && is_mark(c));
        let becomes_mark = matches!(c, 0x2024..=0x2026) || (narrowed(c) != c && is_mark(narrowed(c)));
        seen.is_odd |= simple(c) == Simple::Unknown;
        seen.is_odd |= is_blank(c) && is_digit(self.before(at));
        seen.is_odd |= becomes_mark && (touches(self.before(at)) || touches(self.at(at + 1)));
        0
    }

    /// Whether a digit comes before a character of Chinese numbers, with nothing but marks between.
    fn has_digit_before(&self, at: usize) -> bool {
        let before = self.text[..at].iter().rev().take(24);
        before
            .copied()
            .find(|&c| !is_blank(c) && !is_any(narrowed(c), b".,") && !matches!(c, 0x2024..=0x2026) && !is_myriad(c))
            .is_some_and(is_number)
    }

    /// Whether a word that begins here may multiply the number before it: "million", "тыс.", "lakh".
    fn may_scale(&self, at: usize) -> bool {
        let [first, second, third, fourth] = [0, 1, 2, 3].map(|more| folded(narrowed(self.at(at + more))).0);
        if first > 0x7F {
            return matches!(first, 0x442 | 0x43C | 0x445 | 0x5D0 | 0x5DE);
        }
        let begins = |words: &[&[u8; 3]]| words.iter().any(|word| [first, second, third] == word.map(u32::from));
        // Beside a full-width letter, which is no part of an address, an address may begin.
        let is_wide = self.at(at) > 0x7F;
        let is_end = |c| is_wide || !is_small(c);
        begins(&[b"tho", b"ths", b"tau", b"tis", b"tys", b"tus", b"tri", b"trn", b"dui", b"eze", b"mio", b"mln"])
            || begins(&[b"mrd", b"mld", b"bil", b"bio", b"lak", b"cro"])
            || (begins(&[b"mil"]) && (is_end(fourth) || is_any(fourth, b"lihj")))
            || (is_any(first, b"kmb") && is_end(second))
            || (is_any(first, b"b") && is_any(second, b"n"))
    }

    /// A number for all stretches of digits with the marks between them, in any order.
    fn signature(&self) -> u64 {
        let (mut sum, mut at) = (0_u64, 0);
        while at < self.text.len() {
            let rest = &self.text[at..];
            let length = rest.iter().take_while(|&&c| is_digit(c) || is_mark(c)).count();
            sum = sum.wrapping_add(hash_of(&rest[..length]));
            at += length.max(1);
        }
        sum
    }
}

/// The hash of a stretch, or 0 if it has no number that is checked. Marks count if they stand between digits, but
/// commas between groups of three are like full stops: both can be decimal points.
fn hash_of(stretch: &[u32]) -> u64 {
    let Some(first) = stretch.iter().position(|&c| is_digit(c)) else { return 0 };
    let last = stretch.iter().rposition(|&c| is_digit(c)).unwrap_or(first);
    let inner = &stretch[first..=last];
    if is_grouped(inner) {
        return hashed(inner.iter().map(|&c| u64::from(if is_digit(c) { c } else { 0x2E })));
    }
    let is_whole = inner.iter().all(|&c| is_digit(c));
    if is_whole && inner.len() < 3 && inner.iter().fold(0, |value, &c| 10 * value + (c - 0x30)) < 13 {
        return 0;
    }
    let end = stretch.iter().rposition(|&c| c != 0x20).unwrap_or(last);
    let start = stretch.iter().position(|&c| c != 0x20).unwrap_or(first);
    hashed(if is_whole { inner } else { &stretch[start..=end] }.iter().map(|&c| c.into()))
}

/// Whether this is a number with one kind of mark between groups of three digits: "1,234" or "12.345.678".
fn is_grouped(number: &[u32]) -> bool {
    let Some(&mark) = number.iter().find(|&&c| !is_digit(c)) else { return false };
    let mut groups = number.split(|&c| c == mark);
    let starts = groups.next().is_some_and(|group| (1..=3).contains(&group.len()) && group[0] != 0x30);
    is_any(mark, b".,") && starts && groups.all(|group| group.len() == 3 && group.iter().all(|&c| is_digit(c)))
}

/// A kind if something holds, or no kind.
fn only_if(holds: bool, kind: i32) -> i32 {
    if holds { kind } else { 0 }
}

fn is_any(c: u32, bytes: &[u8]) -> bool {
    c < 0x80 && bytes.contains(&(c as u8))
}

fn is_digit(c: u32) -> bool {
    c.wrapping_sub(0x30) < 10
}

fn is_capital(c: u32) -> bool {
    c.wrapping_sub(0x41) < 26
}

fn is_small(c: u32) -> bool {
    c.wrapping_sub(0x61) < 26
}

fn is_letter(c: u32) -> bool {
    is_capital(c) || is_small(c)
}

fn is_alnum(c: u32) -> bool {
    is_letter(c) || is_digit(c)
}

/// Marks that may stand between the digits of a number, a date or a time.
fn is_mark(c: u32) -> bool {
    is_any(c, b" .,'/:-") || matches!(c, 0x2013 | 0x2019)
}

/// A space, and what becomes one in normalized text.
fn is_blank(c: u32) -> bool {
    matches!(c, 0x20 | 0xA0 | 0x2000..=0x200A | 0x202F | 0x205F | 0x3000)
}

/// Characters that come after digits in Chinese numbers: 多余餘几幾数數, 十百千万萬亿億兆.
fn is_myriad(c: u32) -> bool {
    matches!(c, 0x591A | 0x4F59 | 0x9918 | 0x51E0 | 0x5E7E | 0x6570 | 0x6578)
        || matches!(c, 0x5341 | 0x767E | 0x5343 | 0x4E07 | 0x842C | 0x4EBF | 0x5104 | 0x5146)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::code_points;

    fn kind(text: &str) -> i32 {
        kinds(&code_points(text))[0]
    }

    fn numbers(text: &str) -> [i32; 2] {
        let [_, first, second] = kinds(&code_points(text));
        [first, second]
    }

    #[test]
    fn plain_texts_have_nothing() {
        for text in ["", "So, das war es. Ja! 5 Autos, 100", "a < b", "50 % der", "Er/sie", "[x] $5", "12 Boote"] {
            assert_eq!(0, kind(text) & UNITS, "{text}");
        }
        assert_eq!((0, NUMBER, NUMBER), (kind("12 Boote") & NUMBER, kind("13"), kind("1,5")));
        assert_eq!((NUMBER, 0), (kind("2 Mio. Boote") & NUMBER, kind("2 Minuten") & NUMBER));
    }

    #[test]
    fn every_kind_is_seen() {
        for (text, bit) in [
            ("%s", PLACEHOLDER),
            ("{x}", PLACEHOLDER),
            ("${x}", PLACEHOLDER),
            ("#A#", PLACEHOLDER),
            ("__A__", PLACEHOLDER),
            ("<AB>", PLACEHOLDER),
            ("<b>", MARKUP),
            ("[a](b)", MARKUP),
            ("`a`", MARKUP),
            ("www.a", ADDRESS),
            ("a@b.c", ADDRESS),
            ("/usr/x", ADDRESS),
            ("a.pdf", ADDRESS),
            ("+49 30 12", ADDRESS),
            ("1.2.3", ADDRESS),
            ("a_b", ADDRESS),
            ("getName", ADDRESS),
            ("#heute", ADDRESS),
            ("😀", EMOJI),
            ("(or x", VERSIONS),
            ("1: a 2: b", VERSIONS),
        ] {
            assert_eq!(bit, kind(text) & bit, "{text}");
        }
    }

    #[test]
    fn the_same_numbers_look_the_same() {
        for (one, other) in
            [("in 1998.", "1998 war"), ("4,000 or 5", "4.000"), ("15 und 20", "20 and 15"), ("am 24. Mai", "24 May")]
        {
            assert_eq!(numbers(one), numbers(other), "{one}");
            assert_ne!([0, 0], numbers(one), "{one}");
        }
        for (one, other) in
            [("1998", "1999"), ("4,00", "4.00"), ("15", "15 15"), ("0,123", "0.123"), ("25.04.", "25.04")]
        {
            assert_ne!(numbers(one), numbers(other), "{one}");
        }
        for text in ["5 Mio. in 2020", "2020 {x}", "２０２０", "35万 20", "20\u{a0}000", "1990, ② 20"] {
            assert_eq!([0, 0], numbers(text), "{text}");
        }
    }
}
