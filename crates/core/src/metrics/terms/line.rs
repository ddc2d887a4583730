//! A text in which terms are looked for, and a term that is looked for in it.
//!
//! White space becomes single spaces, none at the ends; characters without width are dropped; each character has its
//! lower case beside it, so that terms can mind case or not in the same place of the text.

use crate::features::is_unspaced;
use crate::text::{Text, Unit};
use crate::unicode::is_space;

/// Letters without their accents: the base of each letter that has one, for those below U+2000.
#[derive(Clone, Debug)]
pub struct Bases(Vec<u32>);

impl Bases {
    /// Letters and their bases; combining accents have none and are dropped.
    pub fn new(pairs: &[(u32, u32)]) -> Self {
        let mut bases: Vec<u32> = (0..0x2000).collect();
        for &(letter, base) in pairs {
            if let Some(place) = bases.get_mut(letter as usize) {
                *place = base;
            }
        }
        bases[0x300..0x370].fill(0);
        Self(bases)
    }

    fn base(&self, c: u32) -> u32 {
        self.0.get(c as usize).copied().unwrap_or(c)
    }
}

/// What must not stand beside a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// A letter or digit beside one of the term, where scripts have spaces between words; and a Korean term may have
    /// anything after it.
    Script,
    /// Any letter, digit or low line.
    Words,
    /// Anything may.
    Nothing,
}

/// A word of a line.
#[derive(Clone, Debug)]
struct Word {
    start: u32,
    end: u32,
    plain: (u32, u32),
}

impl Word {
    fn start(&self) -> usize {
        self.start as usize
    }

    fn end(&self) -> usize {
        self.end as usize
    }
}

/// A normalised text.
#[derive(Clone, Debug, Default)]
pub struct Line {
    pub(super) folded: Vec<u32>,
    cased: Vec<u32>,
    words: Vec<Word>,
    plain: Vec<u32>, // the letters of words without accents
    keeps_invisible: bool,
    places: Vec<u32>,            // where the characters of the text are, as it was given
    pairs: Option<Buckets>,      // places by the two letters that stand there
    beginnings: Option<Buckets>, // words by how they begin
}

/// Stands where a letter has two in lower case.
const FILLER: u32 = u32::MAX;

impl Line {
    /// An empty line; some scripts keep characters without width.
    pub fn new(bounds: Bounds) -> Self {
        Self { keeps_invisible: bounds != Bounds::Script, ..Self::default() }
    }

    /// Reads a text; its words too, if there are bases.
    pub fn read(&mut self, text: Text<'_>, bases: Option<&Bases>) {
        self.folded.clear();
        self.cased.clear();
        self.places.clear();
        match text {
            Text::Narrow(text) => text.iter().for_each(|c| self.push(c.code_point())),
            Text::Wide(text) => text.iter().for_each(|&c| self.push(c)),
        }
        if self.folded.last() == Some(&0x20) {
            self.folded.pop();
            self.cased.pop();
        }
        self.words.clear();
        self.plain.clear();
        (self.pairs, self.beginnings) = (None, None);
        if let Some(bases) = bases {
            self.find_words(bases);
        }
    }

    /// Where a character is that the text had before it was normalised, or its end.
    pub(super) fn place_of(&self, at: usize) -> Option<usize> {
        let place =
            if at == self.places.len() { Some(self.folded.len()) } else { self.places.get(at).map(|&at| at as usize) };
        place.map(|place| place.min(self.folded.len()))
    }

    fn push(&mut self, c: u32) {
        self.places.push(self.folded.len() as u32);
        match c {
            0xAD | 0x200B..=0x200D | 0x2060 | 0xFEFF if !self.keeps_invisible => return,
            0xDF | 0x1E9E => {
                self.folded.extend([0x73, 0x73]);
                self.cased.extend([c, FILLER]);
                return;
            }
            _ => {}
        }
        let c = if is_space(c) { 0x20 } else { c };
        if c != 0x20 || self.folded.last().is_some_and(|&last| last != 0x20) {
            self.folded.push(lower(c));
            self.cased.push(c);
        }
    }

    fn find_words(&mut self, bases: &Bases) {
        let mut at = 0;
        while at < self.folded.len() {
            let start = at;
            while at < self.folded.len() && is_spaced(self.folded[at]) {
                at += 1;
            }
            if at > start {
                let before = self.plain.len();
                self.plain.extend(self.folded[start..at].iter().map(|&c| bases.base(c)).filter(|&c| c != 0));
                let plain = (before as u32, self.plain.len() as u32);
                self.words.push(Word { start: start as u32, end: at as u32, plain });
            }
            at += usize::from(at == start);
        }
    }

    /// Sorts places and words, which pays if many terms are looked for.
    pub(super) fn sort(&mut self) {
        self.pairs = Some(Buckets::new(self.folded.windows(2).map(mixed)));
        self.beginnings = Some(Buckets::new(self.words.iter().map(|word| beginning(self.plain(word)))));
    }

    /// Whether a term may begin here.
    pub(super) fn can_begin(&self, start: usize, bounds: Bounds) -> bool {
        let Some(before) = start.checked_sub(1).map(|at| self.folded[at]) else { return true };
        match bounds {
            Bounds::Script => !(is_spaced(before) && is_spaced(self.folded[start])),
            Bounds::Words => !is_word(before),
            Bounds::Nothing => true,
        }
    }

    /// Whether a term may end here.
    pub(super) fn can_end(&self, end: usize, bounds: Bounds) -> bool {
        let Some(&after) = self.folded.get(end) else { return true };
        let last = self.folded[end - 1];
        match bounds {
            Bounds::Script => !(is_spaced(last) && is_spaced(after)) || is_hangul(last) || is_hangul(after),
            Bounds::Words => !is_word(after),
            Bounds::Nothing => true,
        }
    }

    /// Whether there is a capital after the first character, or a digit.
    pub(super) fn has_inner_capital(&self) -> bool {
        let is_capital =
            |at: usize| self.folded[at] != self.cased[at] && self.cased[at] != FILLER && self.cased[at] != 0xDF;
        (0..self.folded.len()).any(|at| is_digit(self.folded[at]) || at > 0 && is_capital(at))
    }

    fn plain(&self, word: &Word) -> &[u32] {
        &self.plain[word.plain.0 as usize..word.plain.1 as usize]
    }

    /// Whether the letters of a range have the case of those of a range of another line.
    fn has_case_of(&self, start: usize, other: &Self, place: usize, length: usize) -> bool {
        let is_changed = |line: &Self, at: usize| line.folded.get(at) != line.cased.get(at);
        (0..length).all(|at| is_changed(self, start + at) == is_changed(other, place + at))
    }
}

/// Numbers by a hash of what they stand for, in their order.
#[derive(Clone, Debug)]
struct Buckets {
    numbers: Vec<u32>,
    ends: Vec<u32>, // of the buckets in these
}

impl Buckets {
    /// Sorts the numbers of hashes.
    fn new(hashes: impl ExactSizeIterator<Item = u32> + Clone) -> Self {
        let size = hashes.len().next_power_of_two();
        let mut ends = vec![0; size + 1];
        hashes.clone().for_each(|hash| ends[hash as usize % size + 1] += 1);
        (0..size).for_each(|at| ends[at + 1] += ends[at]);
        let mut numbers = vec![0; hashes.len()];
        for (number, hash) in (0..).zip(hashes) {
            let place = &mut ends[hash as usize % size];
            numbers[*place as usize] = number;
            *place += 1;
        }
        Self { numbers, ends }
    }

    /// The numbers with this hash, and some others.
    fn of(&self, hash: u32) -> &[u32] {
        let bucket = hash as usize % (self.ends.len() - 1);
        let start = bucket.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.numbers[start as usize..self.ends[bucket] as usize]
    }
}

fn mixed(letters: &[u32]) -> u32 {
    letters.iter().fold(0, |hash: u32, &letter| (hash.rotate_left(5) ^ letter).wrapping_mul(0x9E37_79B1)) >> 8
}

/// A hash that a word shares with all other forms of it.
fn beginning(plain: &[u32]) -> u32 {
    mixed(&plain[..plain.len().min(3)])
}

/// A term, or a translation of one.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub(super) line: Line,
    pub(super) is_cased: bool,
}

impl Pattern {
    /// A term that is kept: without its capitals if it does not mind them.
    pub(super) fn new(mut line: Line, is_cased: bool) -> Self {
        if !is_cased {
            line.cased.clear();
        }
        line.folded.shrink_to_fit();
        line.cased.shrink_to_fit();
        line.words.shrink_to_fit();
        line.plain.shrink_to_fit();
        line.places = Vec::new();
        Self { line, is_cased }
    }

    /// Calls `found` with each place of the text that has the term as it is.
    pub fn occurrences(&self, text: &Line, bounds: Bounds, open: bool, mut found: impl FnMut(usize, usize)) {
        let ours = &self.line.folded;
        let (length, Some(&first)) = (ours.len(), ours.first()) else { return };
        let mut look = |start: usize| {
            let end = start + length;
            if text.folded[start] == first
                && self.is_at(text, start)
                && (open || text.can_begin(start, bounds))
                && text.can_end(end, bounds)
            {
                found(start, end);
            }
        };
        match (&text.pairs, ours.get(..2)) {
            (Some(pairs), Some(two)) => pairs.of(mixed(two)).iter().for_each(|&start| look(start as usize)),
            _ => (0..(text.folded.len() + 1).saturating_sub(length)).for_each(look),
        }
    }

    /// Whether the text has the letters of the term from there on.
    pub(super) fn is_at(&self, text: &Line, start: usize) -> bool {
        let (ours, theirs) =
            if self.is_cased { (&self.line.cased, &text.cased) } else { (&self.line.folded, &text.folded) };
        theirs[start..].starts_with(ours)
    }

    /// Calls `found` with each place of the text whose words are alike, one by one; what is between them is the same.
    pub fn other_forms(&self, text: &Line, compounds: bool, mut found: impl FnMut(usize, usize)) {
        let (ours, line) = (&self.line.words, &self.line);
        let (Some(head), Some(tail)) = (ours.first(), ours.last()) else { return };
        let after = &line.folded[tail.end()..];
        let look = |at: usize| {
            let Some(theirs) = text.words.get(at..at + ours.len()) else { return };
            let (start, end) = (theirs[0].start(), theirs[theirs.len() - 1].end());
            if !self.begins_like(&theirs[0], text, compounds)
                || !text.folded[..start].ends_with(&line.folded[..head.start()])
                || !text.folded[end..].starts_with(after)
            {
                return;
            }
            let is_alike = (1..ours.len()).all(|at| {
                let (gap, other) = (ours[at - 1].end()..ours[at].start(), theirs[at - 1].end()..theirs[at].start());
                line.folded[gap] == text.folded[other] && self.is_like(&ours[at], text, &theirs[at])
            });
            if is_alike {
                found(start - head.start(), end + after.len());
            }
        };
        match &text.beginnings {
            Some(words) if !compounds => {
                words.of(beginning(line.plain(head))).iter().map(|&at| at as usize).for_each(look);
            }
            _ => (0..text.words.len()).for_each(look),
        }
    }

    fn begins_like(&self, word: &Word, text: &Line, compounds: bool) -> bool {
        let (first, theirs) = (&self.line.words[0], text.plain(word));
        self.is_like(first, text, word)
            || compounds
                && !self.is_cased
                && (1..theirs.len()).any(|at| common_start(self.line.plain(first), &theirs[at..]).is_some())
    }

    fn is_like(&self, ours: &Word, text: &Line, theirs: &Word) -> bool {
        common_start(self.line.plain(ours), text.plain(theirs))
            .is_some_and(|length| !self.is_cased || self.line.has_case_of(ours.start(), text, theirs.start(), length))
    }
}

/// The length of what two words have in common at the beginning, if the second may be another form of the first.
fn common_start(term: &[u32], other: &[u32]) -> Option<usize> {
    if term == other {
        return Some(term.len());
    }
    let common = term.iter().zip(other).take_while(|(ours, theirs)| ours == theirs).count();
    let least = term.len().saturating_sub(if term.len() >= 6 { 3 } else { 1 }).max(3);
    let is_like = term.len() > 3 && common >= least && other.len() - common <= 5;
    (is_like && !term.iter().chain(other).any(|&c| is_digit(c))).then_some(common)
}

fn is_digit(c: u32) -> bool {
    char::from_u32(c).is_some_and(char::is_numeric)
}

/// One letter in lower case, whatever is around it.
fn lower(c: u32) -> u32 {
    match c {
        0..0x80 => u32::from((c as u8).to_ascii_lowercase()),
        0x3C2 => 0x3C3, // the sigma at the end of a word
        _ => char::from_u32(c).and_then(|c| c.to_lowercase().next()).map_or(c, u32::from),
    }
}

/// Whether a character belongs to a word.
pub(super) fn is_word(c: u32) -> bool {
    match c {
        0..0x80 => (c as u8).is_ascii_alphanumeric() || c == 0x5F,
        0x300..0x370 => true,
        // The signs of Indian scripts that join or change letters.
        0x900..0xE00 if matches!(c & 0x7F, 0x3C | 0x4D) => true,
        _ => c == FILLER || char::from_u32(c).is_some_and(char::is_alphanumeric),
    }
}

/// Whether it does in a script that has spaces between words.
fn is_spaced(c: u32) -> bool {
    is_word(c) && !is_unspaced(c)
}

fn is_hangul(c: u32) -> bool {
    matches!(c, 0x1100..0x1200 | 0x3130..0x3190 | 0xA960..0xA980 | 0xAC00..0xD800)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::code_points;

    fn is_form(term: &str, other: &str) -> bool {
        common_start(&code_points(term), &code_points(other)).is_some()
    }

    #[test]
    fn words_are_alike_by_their_beginning() {
        for (term, other) in
            [("bolante", "bolantearen"), ("zlosliwy", "zlosliwego"), ("czynnik", "czynnika"), ("kot", "kot")]
        {
            assert!(is_form(term, other), "{term} {other}");
        }
        for (term, other) in
            [("kot", "kota"), ("rate", "ratification"), ("abc12", "abc13"), ("critic", "cry"), ("hand", "ham")]
        {
            assert!(!is_form(term, other), "{term} {other}");
        }
    }

    #[test]
    fn lines_have_single_spaces_and_lower_case_beside_the_letters() {
        let mut line = Line::default();
        line.read(
            Text::Wide(&code_points("\u{200B} Stra\u{DF}e \t B\u{AD}l\u{F3}k ")),
            Some(&Bases::new(&[(0xF3, 0x6F)])),
        );
        assert_eq!(code_points("strasse bl\u{F3}k"), line.folded);
        assert_eq!(line.folded.len(), line.cased.len());
        assert_eq!(code_points("strasseblok"), line.plain);
    }
}
