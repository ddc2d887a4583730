//! NLTK's words by passes over any text.
//!
//! Each pass puts spaces around something. What it inserts is seen by those after it, so that a space is part of
//! several rules: an apostrophe is detached if a space follows, whoever put it there. Passes that cannot see each
//! other's work are one pass here, and those for quotes and clitics are left out where a text has neither.
//!
//! A quirk beside those of the module above: a comma or colon that directly follows another stays with what comes
//! after it.

use super::super::categories::{MARKS, NUMBERS, SYMBOLS};
use super::super::intl::within;
use crate::halt;
use crate::text::Unit;
use crate::unicode::is_space;

const SPACE: u32 = b' ' as u32;
const APOSTROPHE: u32 = b'\'' as u32;
const QUOTE: u32 = b'"' as u32;
const BACKTICK: u32 = b'`' as u32;
const POINT: u32 = b'.' as u32;
const HYPHEN: u32 = b'-' as u32;

/// The tokens of a text, with a space between them.
pub fn words(text: &[u32]) -> Vec<u32> {
    let mut passes = Passes { text: halt::copied(text), made: Vec::new(), has_apostrophes: false };
    let has = |wanted: fn(u32) -> bool| text.iter().any(|&c| wanted(c));
    let has_apostrophes = has(|c| c == APOSTROPHE);
    let has_quotes = has(|c| matches!(c, QUOTE | BACKTICK | APOSTROPHE | 0xAB | 0xBB | 0x2018..=0x201E));
    if has_quotes {
        passes.open_quotes();
    }
    passes.has_apostrophes = has_apostrophes;
    passes.punctuation();
    if has_apostrophes {
        passes.apostrophes(|before, after| before.is_some_and(|c| c != APOSTROPHE) && after.first() == Some(&SPACE));
    }
    if has_apostrophes {
        passes.brackets_and_dashes();
    }
    if has_quotes {
        passes.close_quotes();
    }
    passes.join(is_wide_space);
    if has_apostrophes {
        let is_outside = |before: Option<u32>| before.is_some_and(|c| c != APOSTROPHE && c != SPACE);
        passes.apostrophes(|before, after| is_outside(before) && is_short_clitic(after));
        passes.long_clitics();
    }
    let is_contracted = |pair: &[u32]| pair[0] | 0x20 == pair[1] | 0x20 && is_doubled(pair[0]);
    if has_apostrophes || text.windows(2).any(is_contracted) {
        passes.contractions();
    }
    if passes.text.iter().any(|&c| c < SPACE) || passes.text.windows(2).any(|pair| pair == [SPACE; 2]) {
        passes.join(is_space);
    }
    let end = passes.text.len().saturating_sub(1);
    passes.text.truncate(end);
    passes.text.drain(..end.min(1));
    passes.text
}

/// The doubled letters of contractions without an apostrophe.
fn is_doubled(letter: u32) -> bool {
    matches!(letter | 0x20, 0x6D | 0x6E | 0x74)
}

/// A text on its way through the passes, and what the present one has made of it.
struct Passes {
    text: Vec<u32>,
    made: Vec<u32>,
    has_apostrophes: bool,
}

impl Passes {
    /// Begins a pass, which may double a text and more.
    fn begin(&mut self) {
        halt::spend(self.text.len() / 16);
        self.made.clear();
        halt::reserve(&mut self.made, 4 * self.text.len() + 4);
    }

    fn end(&mut self) {
        std::mem::swap(&mut self.text, &mut self.made);
    }

    fn pad(&mut self, characters: &[u32]) {
        self.made.push(SPACE);
        self.made.extend_from_slice(characters);
        self.made.push(SPACE);
    }

    /// Quotes that open, and apostrophes before a word that is no clitic.
    fn open_quotes(&mut self) {
        self.begin();
        let mut at = 0;
        while at < self.text.len() {
            let c = self.text[at];
            let run = self.text[at..].iter().take_while(|&&c| c == BACKTICK).count();
            match c {
                BACKTICK => {
                    // Each pair stands alone, and so does a last one without a partner.
                    (0..run / 2).for_each(|_| self.pad(&[BACKTICK; 2]));
                    if run % 2 == 1 {
                        self.pad(&[BACKTICK]);
                    }
                }
                0xAB | 0x201C | 0x2018 | 0x201E => self.pad(&[c]),
                QUOTE if at == 0 => self.pad(&[BACKTICK; 2]),
                _ => self.made.push(c),
            }
            at += run.max(1);
        }
        self.end();
        self.begin();
        let mut at = 0;
        while at < self.text.len() {
            let c = self.text[at];
            self.made.push(c);
            at += 1;
            let is_opener = [b' ', b'(', b'[', b'{', b'<'].map(u32::from).contains(&c);
            let rest = &self.text[at..];
            let length = match rest {
                [QUOTE, ..] if is_opener => 1,
                [APOSTROPHE, APOSTROPHE, ..] if is_opener => 2,
                _ => continue,
            };
            self.pad(&[BACKTICK; 2]);
            at += length;
        }
        self.end();
        self.begin();
        for at in 0..self.text.len() {
            self.made.push(self.text[at]);
            let is_inside = at > 0 && is_wordlike(self.text[at - 1]);
            if self.text[at] == APOSTROPHE && !is_inside && opens_word(&self.text[at + 1..]) {
                self.made.push(SPACE);
            }
        }
        self.end();
    }

    /// The last point, commas and colons, runs of points, and what always stands alone: also brackets and dashes,
    /// unless an apostrophe has to be looked at before there is space around them.
    fn punctuation(&mut self) {
        self.begin();
        let last_point = last_point(&self.text);
        let (mut at, mut is_taken) = (0, false);
        while at < self.text.len() {
            let (c, next) = (self.text[at], self.text.get(at + 1).copied());
            let was_taken = std::mem::take(&mut is_taken);
            if matches!(c, 0x41..=0x5A | 0x61..=0x7A) {
                self.made.push(c);
                at += 1;
                continue;
            }
            let alone = if self.has_apostrophes { 0 } else { self.pad_alone(at) };
            if alone > 0 {
                at += alone;
                continue;
            }
            let run = self.text[at..].iter().take_while(|&&c| c == POINT).count();
            match c {
                0x3A | 0x2C => {
                    // Before the point that stands alone there is a space by now.
                    let takes_next = !was_taken && next.is_some_and(|next| !is_digit(next));
                    let is_last = next.is_none() || next == Some(0x0A) && at + 2 == self.text.len();
                    is_taken = takes_next && last_point != Some(at + 1);
                    if takes_next || is_last { self.pad(&[c]) } else { self.made.push(c) }
                }
                POINT if run > 1 || last_point == Some(at) => {
                    self.made.push(SPACE);
                    self.made.extend(std::iter::repeat_n(POINT, run));
                    self.made.push(SPACE);
                    at += run - 1;
                }
                0x3B | 0x40 | 0x23 | 0x24 | 0x25 | 0x26 | 0x3F | 0x21 | 0x2012..=0x2015 => self.pad(&[c]),
                _ => self.made.push(c),
            }
            at += 1;
        }
        if last_point.is_some() {
            self.made.push(SPACE);
        }
        self.end();
    }

    /// What stands alone when apostrophes have been looked at once.
    fn brackets_and_dashes(&mut self) {
        self.begin();
        let mut at = 0;
        while at < self.text.len() {
            let alone = self.pad_alone(at);
            if alone == 0 {
                self.made.push(self.text[at]);
            }
            at += alone.max(1);
        }
        self.end();
    }

    /// Puts spaces around a star, a bracket or two hyphens at a place, and tells how many characters that were.
    fn pad_alone(&mut self, at: usize) -> usize {
        let length = match self.text[at..] {
            [HYPHEN, HYPHEN, ..] => 2,
            [c, ..] if stands_alone(c) => 1,
            _ => return 0,
        };
        let c = self.text[at];
        self.pad(&[c; 2][..length]);
        length
    }

    fn close_quotes(&mut self) {
        self.begin();
        let mut at = 0;
        while at < self.text.len() {
            let c = self.text[at];
            at += 1;
            match c {
                0xBB | 0x201D | 0x2019 => self.pad(&[c]),
                QUOTE => self.pad(&[APOSTROPHE; 2]),
                APOSTROPHE if self.text.get(at) == Some(&APOSTROPHE) => {
                    self.pad(&[APOSTROPHE; 2]);
                    at += 1;
                }
                _ => self.made.push(c),
            }
        }
        self.end();
    }

    /// One space between words, before the first and after the last.
    fn join(&mut self, is_space: fn(u32) -> bool) {
        self.begin();
        self.made.push(SPACE);
        for &c in &self.text {
            if !is_space(c) {
                self.made.push(c);
            } else if self.made.last() != Some(&SPACE) {
                self.made.push(SPACE);
            }
        }
        if self.made.last() != Some(&SPACE) {
            self.made.push(SPACE);
        }
        self.end();
    }

    /// A space before each apostrophe that is to be detached from what is before it.
    fn apostrophes(&mut self, is_detached: impl Fn(Option<u32>, &[u32]) -> bool) {
        self.begin();
        for at in 0..self.text.len() {
            let before = at.checked_sub(1).map(|before| self.text[before]);
            if self.text[at] == APOSTROPHE && is_detached(before, &self.text[at + 1..]) {
                self.made.push(SPACE);
            }
            self.made.push(self.text[at]);
        }
        self.end();
    }

    fn long_clitics(&mut self) {
        self.begin();
        for at in 0..self.text.len() {
            let is_outside = at > 0 && !matches!(self.text[at - 1], APOSTROPHE | SPACE);
            if is_outside && is_long_clitic(&self.text[at..]) {
                self.made.push(SPACE);
            }
            self.made.push(self.text[at]);
        }
        self.end();
    }

    /// Contractions become two words.
    fn contractions(&mut self) {
        let pairs =
            ["can not", "d 'ye", "gim me", "gon na", "got ta", "lem me", "more 'n", "wan na", " 't is", " 't was"];
        for pair in pairs {
            let (first, last) = pair.rsplit_once(' ').unwrap_or_default();
            let (first, last) = (first.as_bytes(), last.as_bytes());
            let both = [first, last].concat();
            if !self.text.windows(both.len()).any(|part| is_alike(part, &both)) {
                continue;
            }
            self.begin();
            let mut at = 0;
            while at < self.text.len() {
                let end = at + both.len();
                let is_here = self.text.get(at..end).is_some_and(|part| is_alike(part, &both));
                let begins = first[0] == b' ' || at == 0 || !is_word(self.text[at - 1]);
                let after = self.text.get(end).copied();
                let ends = if pair == "wan na" { after.is_some_and(is_space) } else { !after.is_some_and(is_word) };
                if is_here && begins && ends {
                    let (text, middle) = (std::mem::take(&mut self.text), at + first.len());
                    self.pad(&text[at..middle]);
                    self.pad(&text[middle..end]);
                    self.text = text;
                    at = end;
                } else {
                    self.made.push(self.text[at]);
                    at += 1;
                }
            }
            self.end();
        }
    }
}

/// Stars and brackets.
fn stands_alone(c: u32) -> bool {
    matches!(c, 0x2A | 0x28 | 0x29 | 0x5B | 0x5D | 0x7B | 0x7D | 0x3C | 0x3E)
}

/// The place of a last point that stands alone: one, with brackets, quotes and spaces behind it, and then white space.
fn last_point(text: &[u32]) -> Option<usize> {
    let closes =
        |c: &u32| matches!(*c, 0x5D | 0x29 | 0x7D | 0x3E | QUOTE | APOSTROPHE | SPACE | 0xBB | 0x201D | 0x2019);
    let end = text.iter().rposition(|&c| !is_wide_space(c))? + 1;
    let at = text[..end].iter().rposition(|c| !closes(c))?;
    (text[at] == POINT && at > 0 && text[at - 1] != POINT).then_some(at)
}

/// Whether an apostrophe before this text opens a quote: before a word that is no clitic.
pub fn opens_word<U: Unit>(rest: &[U]) -> bool {
    let begins_word = |at: usize| rest.get(at).is_some_and(|c| is_wordlike(c.code_point()));
    let is_clitic = |clitic: &&str| {
        rest.get(..clitic.len()).is_some_and(|part| is_alike(part, clitic.as_bytes())) && !begins_word(clitic.len())
    };
    begins_word(0) && !["re", "ve", "ll", "m", "t", "s", "d", "n"].iter().any(is_clitic)
}

/// What follows the apostrophe of `'s`, `'m`, `'d`, or of one that stands at the end of a word.
fn is_short_clitic(after: &[u32]) -> bool {
    matches!(after, [SPACE, ..] | [0x73 | 0x53 | 0x6D | 0x4D | 0x64 | 0x44, SPACE, ..])
}

fn is_long_clitic(text: &[u32]) -> bool {
    let [a, b, c, SPACE, ..] = *text else { return false };
    ["'ll", "'LL", "'re", "'RE", "'ve", "'VE", "n't", "N'T"]
        .iter()
        .any(|clitic| clitic.bytes().map(u32::from).eq([a, b, c]))
}

/// Whether characters are those of a word in small letters, whatever their case; Python takes three more for i and s.
pub fn is_alike<U: Unit>(text: &[U], word: &[u8]) -> bool {
    let is_letter = |c: u32, letter: u8| match (c, letter) {
        (0x130 | 0x131, b'i') | (0x17F, b's') => true,
        _ => c == u32::from(letter) || letter.is_ascii_lowercase() && c == u32::from(letter.to_ascii_uppercase()),
    };
    text.len() == word.len() && text.iter().zip(word).all(|(c, &letter)| is_letter(c.code_point(), letter))
}

/// Letters, numbers and the underscore, as Python's regular expressions have them, which find contractions.
fn is_word(c: u32) -> bool {
    let is_letter = char::from_u32(c).is_some_and(char::is_alphabetic) && !within(MARKS, c) && !within(SYMBOLS, c);
    is_letter || within(NUMBERS, c) || c == 0x5F
}

/// The same as the package `regex` has them, by which NLTK finds everything else: with marks, decimal digits, what
/// connects words (Pc) and joiners.
pub fn is_wordlike(c: u32) -> bool {
    let connects =
        matches!(c, 0x5F | 0x200C | 0x200D | 0x203F | 0x2040 | 0x2054 | 0xFE33 | 0xFE34 | 0xFE4D..=0xFE4F | 0xFF3F);
    char::from_u32(c).is_some_and(char::is_alphabetic) || connects || is_digit(c) || within(MARKS, c)
}

/// White space as `regex` has it, which lacks four separators.
pub const fn is_wide_space(c: u32) -> bool {
    is_space(c) && !matches!(c, 0x1C..=0x1F)
}

/// Decimal digits of any script (Nd): ten from each zero on.
pub fn is_digit(c: u32) -> bool {
    let zeros = ZEROS.partition_point(|&zero| zero <= c);
    zeros > 0 && c - ZEROS[zeros - 1] < 10
}

/// The zeros of Unicode 17.0.
#[rustfmt::skip]
const ZEROS: &[u32] = &[
    0x0030, 0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6,
    0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40,
    0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x10D40, 0x11066,
    0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x116D0, 0x116DA, 0x11730, 0x118E0,
    0x11950, 0x11BF0, 0x11C50, 0x11D50, 0x11DA0, 0x11F50, 0x16130, 0x16A60, 0x16AC0, 0x16B50, 0x16D70, 0x1CCF0,
    0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E5F1, 0x1E950, 0x1FBF0,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::code_points;

    fn joined(text: &str) -> String {
        words(&code_points(text)).into_iter().filter_map(char::from_u32).collect()
    }

    #[test]
    fn words_are_those_of_nltk() {
        let cases = [
            ("", ""),
            (" \n", ""),
            ("It isn't \"so\", he'd say...", "It is n't `` so '' , he 'd say ..."),
            ("At 9:30, 1,000 of them: (see p. 4).", "At 9:30 , 1,000 of them : ( see p. 4 ) ."),
            ("a,,b ,: c", "a , ,b , : c"),
            ("Cannot, gonna and Wanna go, 'tis his' 'em.", "Can not , gon na and Wan na go , ' tis his ' ' em ."),
            ("``a``` «b» ‘c’ --- d—e", "`` a `` ` « b » ‘ c ’ -- - d — e"),
            ("They'LL and they'Ll stop.'' ", "They 'LL and they'Ll stop . ''"),
            ("x.\" y.", "x. '' y ."),
            ("one, ٣,٣ and 2, two,", "one , ٣,٣ and 2 , two ,"),
        ];
        for (text, expected) in cases {
            assert_eq!(expected, joined(text), "{text}");
        }
    }

    #[test]
    fn a_long_text_takes_linear_time() {
        for text in ["'", ",", "\"", ".", "can", "' ", "`", "-", "'s "] {
            assert!(words(&code_points(&text.repeat(1 << 18))).len() >= 1 << 18, "{text}");
        }
    }
}
