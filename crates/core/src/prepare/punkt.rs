//! The sentences that NLTK 3.10.4 finds by Punkt (Kiss and Strunk, 2006) with a trained model: what `word_tokenize`
//! does before it looks for words.
//!
//! A point, a question mark or an exclamation mark may end a sentence if white space and more text, or a bracket,
//! quote or the like, come next. The word it ends and what comes next are the context. They are tokenized once more in
//! Punkt's own way, and then the model decides: abbreviations, initials, numbers and points in a row end a sentence
//! only if the next word looks like the first of one. Marks between which there is no white space are one place.
//! Quotes and brackets at the start of a sentence move to the end of the one before.
//!
//! Only words of the model are looked up in small letters, and all of them are older than any version of Unicode that
//! differs in them, so that no interpreter is asked.

use super::treebank::{is_digit, is_wide_space, is_wordlike};
use crate::halt;
use crate::text::{Unit, trim_end};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A trained model.
#[derive(Default)]
pub struct Punkt {
    words: HashMap<Vec<u8>, u8>,
    collocations: HashSet<Vec<u8>>, // both words, with a tab between them
}

// What is known of a word; those of its orthographic contexts are as the model's file has them.
const ABBREVIATION: u8 = 1;
const CAPITAL_INSIDE: u8 = 1 << 2;
const CAPITAL: u8 = 1 << 1 | CAPITAL_INSIDE | 1 << 3;
const SMALL_AT_START: u8 = 1 << 4;
const SMALL: u8 = SMALL_AT_START | 1 << 5 | 1 << 6;
const STARTER: u8 = 1 << 7;

const POINT: u32 = b'.' as u32;
const HYPHEN: u32 = b'-' as u32;
const COMMA: u32 = b',' as u32;

/// All numbers are one word of the model.
const NUMBER: &[u8] = b"##number##";

impl Punkt {
    /// Reads a model from its files: abbreviations, pairs of words, first words of sentences, orthographic contexts.
    pub fn read([abbreviations, collocations, starters, contexts]: [&str; 4]) -> Option<Self> {
        let mut model = Self::default();
        for line in contexts.lines() {
            let (word, flags) = line.split_once('\t')?;
            model.words.insert(word.into(), flags.parse::<u8>().ok()? & (CAPITAL | SMALL));
        }
        for (lines, flag) in [(abbreviations, ABBREVIATION), (starters, STARTER)] {
            for word in lines.lines() {
                *model.words.entry(word.into()).or_default() |= flag;
            }
        }
        model.collocations = collocations.lines().map(Into::into).collect();
        Some(model)
    }

    /// Appends where the sentences of a text are.
    pub fn add_sentences<U: Unit>(&self, text: &[U], found: &mut Vec<Range<usize>>) {
        let text = trim_end(text);
        let may_end = |c: U| matches!(c.byte(), Ok(b'.' | b'?' | b'!') | Err(0x2E | 0x3F | 0x21));
        let Some((_, inside)) = text.split_last() else { return };
        if !inside.iter().any(|&c| may_end(c)) {
            halt::reserve(found, 1);
            return found.push(0..text.len());
        }
        let (mut pieces, mut start) = (Vec::new(), 0);
        let mut places = Places { text, at: 0, word: 0..0 };
        let mut open: Option<Place> = None;
        loop {
            let place = places.next(may_end);
            // A place whose word overlaps with the one before takes its place.
            if let Some(before) = open.take().filter(|one| place.as_ref().is_none_or(|next| one.at <= next.word))
                && self.has_end(&text[before.word..before.end])
            {
                halt::reserve(&mut pieces, 1);
                pieces.push(start..before.at + 1);
                start = before.next.unwrap_or(before.at + 1);
            }
            if place.is_none() {
                break;
            }
            open = place;
        }
        pieces.push(start..text.len().max(start));
        realign(text, &pieces, found);
    }

    /// Whether a sentence ends in a context, before its last token.
    fn has_end<U: Unit>(&self, context: &[U]) -> bool {
        halt::spend(context.len());
        let mut before: Option<Token<'_, U>> = None;
        for line in context.split(|c| c.code_point() == 0x0A).filter(|line| line.iter().any(|c| !c.is_space())) {
            let mut at = 0;
            while at < line.len() {
                let end = end_of_token(line, at);
                if end > at {
                    let token = self.token(&line[at..end]);
                    if before.is_some_and(|before| self.ends(before, &token)) {
                        return true;
                    }
                    before = Some(token);
                }
                at = end.max(at + 1);
            }
        }
        false
    }

    fn of(&self, word: &[u8]) -> u8 {
        self.words.get(word).copied().unwrap_or(0)
    }

    /// What a token is by itself.
    fn token<'a, U: Unit>(&self, text: &'a [U]) -> Token<'a, U> {
        let mut token = Token { text, word: small_letters(text), ends: false, is_abbreviation: false };
        let points = text.iter().rev().take_while(|c| c.code_point() == POINT).count();
        if let [only] = text
            && matches!(only.code_point(), POINT | 0x3F | 0x21)
        {
            token.ends = true;
        } else if points == text.len() {
            token.is_abbreviation = points > 1; // points in a row are treated like one
        } else if points == 1 {
            let known = |word: &[u8]| self.of(word) & ABBREVIATION != 0;
            let word = &token.word[..token.word.len() - 1];
            let last = word.rsplit(|&c| c == b'-').next().unwrap_or_default();
            token.is_abbreviation = known(word) || known(last);
            token.ends = !token.is_abbreviation;
        }
        if is_number(text) {
            token.word = NUMBER.to_vec();
        }
        token
    }

    /// Whether a token ends a sentence before another one.
    fn ends<U: Unit>(&self, token: Token<'_, U>, next: &Token<'_, U>) -> bool {
        if token.text.last().is_none_or(|c| c.code_point() != POINT) {
            return token.ends;
        }
        let word = without_point(&token.word);
        let next_word = if next.ends { without_point(&next.word) } else { &next.word };
        if self.collocations.contains(&[word, b"\t", next_word].concat()) {
            return false;
        }
        let is_initial = matches!(token.text, [letter, _] if is_letter(*letter));
        let (is_first, is_capital) = (self.is_first(next, next_word), next.starts(char::is_uppercase));
        if token.is_abbreviation && !is_initial {
            let is_starter = is_capital && self.of(next_word) & STARTER != 0;
            if is_first == Some(true) || is_starter {
                return true;
            }
        }
        if is_initial || word == NUMBER {
            let is_name = is_first.is_none() && is_initial && is_capital && self.of(next_word) & SMALL == 0;
            if is_first == Some(false) || is_name {
                return false;
            }
        }
        token.ends
    }

    /// Whether a token looks like the first of a sentence, as far as one can tell.
    fn is_first<U: Unit>(&self, token: &Token<'_, U>, word: &[u8]) -> Option<bool> {
        if let [b';' | b':' | b',' | b'.' | b'!' | b'?'] = token.word[..] {
            return Some(false);
        }
        let known = self.of(word);
        if token.starts(char::is_uppercase) && known & SMALL != 0 && known & CAPITAL_INSIDE == 0 {
            return Some(true);
        }
        let is_inside = token.starts(char::is_lowercase) && (known & CAPITAL != 0 || known & SMALL_AT_START == 0);
        is_inside.then_some(false)
    }
}

/// A token of a context.
struct Token<'a, U> {
    text: &'a [U],
    word: Vec<u8>, // in small letters
    ends: bool,
    is_abbreviation: bool,
}

impl<U: Unit> Token<'_, U> {
    fn starts(&self, test: fn(char) -> bool) -> bool {
        self.text.first().and_then(|c| char::from_u32(c.code_point())).is_some_and(test)
    }
}

/// A place where a sentence may end.
struct Place {
    word: usize, // where the word begins that it ends
    at: usize,
    end: usize,          // of what comes next
    next: Option<usize>, // where that begins, if white space is between
}

/// Goes from place to place.
struct Places<'a, U> {
    text: &'a [U],
    at: usize,
    word: Range<usize>, // of the place before, without its mark
}

impl<U: Unit> Places<'_, U> {
    fn next(&mut self, may_end: impl Fn(U) -> bool) -> Option<Place> {
        while self.at < self.text.len() {
            let at = self.at;
            self.at += 1;
            if !may_end(self.text[at]) {
                continue;
            }
            if let Some((end, next)) = what_follows(self.text, at) {
                // White space right at the start of the stretch counts as none.
                let stretch = &self.text[self.word.end..at];
                let blank = stretch.iter().rposition(|c| matches!(c.code_point(), 0x09..=0x0D | 0x20));
                let word = match blank.filter(|&blank| blank > 0) {
                    Some(blank) => self.word.end + blank + 1,
                    None => self.word.start,
                };
                self.word = word..at;
                return Some(Place { word, at, end, next });
            }
        }
        None
    }
}

/// Where what follows a mark ends, and where it begins if white space is between.
fn what_follows<U: Unit>(text: &[U], at: usize) -> Option<(usize, Option<usize>)> {
    let rest = &text[at + 1..];
    if separates(*rest.first()?) {
        return Some((at + 2, None));
    }
    let blanks = rest.iter().take_while(|c| is_wide_space(c.code_point())).count();
    if blanks == 0 || blanks == rest.len() {
        return None;
    }
    let length = rest[blanks..].iter().take_while(|c| !is_wide_space(c.code_point())).count();
    Some((at + 1 + blanks + length, Some(at + 1 + blanks)))
}

/// What is in no word of Punkt: brackets, quotes, and other signs than points.
fn separates<U: Unit>(c: U) -> bool {
    let other = matches!(c.code_point(), 0x28 | 0x5B | 0x7B | 0x3A | 0x3B | 0x2A | 0x40 | 0x3F | 0x21);
    other || closes(c)
}

/// What may close a sentence behind its mark.
fn closes<U: Unit>(c: U) -> bool {
    matches!(c.code_point(), 0x22 | 0x27 | 0x29 | 0x5D | 0x7D | 0x2018 | 0x2019 | 0x201C | 0x201D | 0xAB | 0xBB)
}

/// Where the token that begins at a place ends; right there if it is white space.
fn end_of_token<U: Unit>(line: &[U], start: usize) -> usize {
    let at = |place: usize| line.get(place).map(|c| c.code_point());
    let run = |c: u32| line[start..].iter().take_while(|other| other.code_point() == c).count();
    let first = line[start].code_point();
    if is_wide_space(first) {
        return start;
    }
    if (first == HYPHEN || first == POINT) && at(start + 1) == Some(first) {
        return start + run(first);
    }
    if is_spaced_ellipsis(line, start) {
        let pairs = line[start..].chunks_exact(2);
        let pairs = pairs.take_while(|pair| pair[0].code_point() == POINT && is_wide_space(pair[1].code_point()));
        let end = start + 2 * pairs.count();
        return if at(end) == Some(POINT) { end + 1 } else { end - 1 };
    }
    // ( " ` { [ : ; & # * @ ) } ] - and the comma begin no word.
    if matches!(
        first,
        0x28 | 0x22
            | 0x60
            | 0x7B
            | 0x5B
            | 0x3A
            | 0x3B
            | 0x26
            | 0x23
            | 0x2A
            | 0x40
            | 0x29
            | 0x7D
            | 0x5D
            | HYPHEN
            | COMMA
    ) {
        return start + 1;
    }
    let is_end = |place: usize| {
        let is_multiple = |c: u32| at(place) == Some(c) && at(place + 1) == Some(c);
        line.get(place).is_none_or(|&c| is_wide_space(c.code_point()) || separates(c))
            || is_multiple(HYPHEN)
            || is_multiple(POINT)
            || is_spaced_ellipsis(line, place)
    };
    let ends_word = |place: &usize| is_end(*place) || at(*place) == Some(COMMA) && is_end(place + 1);
    (start + 1..line.len()).find(ends_word).unwrap_or(line.len())
}

/// Three points with a white space between each two.
fn is_spaced_ellipsis<U: Unit>(line: &[U], at: usize) -> bool {
    let is_it = |(place, c): (usize, &U)| match place % 2 {
        0 => c.code_point() == POINT,
        _ => is_wide_space(c.code_point()),
    };
    line.get(at..at + 5).is_some_and(|five| five.iter().enumerate().all(is_it))
}

fn is_letter<U: Unit>(c: U) -> bool {
    is_wordlike(c.code_point()) && !is_digit(c.code_point())
}

/// A digit, with a minus sign and a point or comma before it, and then digits, commas, points and hyphens.
fn is_number<U: Unit>(text: &[U]) -> bool {
    let is = |c: &U, signs: &[u32]| signs.contains(&c.code_point());
    let text = text.strip_prefix_if(|c| is(c, &[HYPHEN])).strip_prefix_if(|c| is(c, &[POINT, COMMA]));
    text.first().is_some_and(|c| is_digit(c.code_point()))
        && text.iter().all(|c| is_digit(c.code_point()) || is(c, &[COMMA, POINT, HYPHEN]))
}

/// Drops a first character of some kind.
trait StripFirst<U> {
    fn strip_prefix_if(&self, test: impl Fn(&U) -> bool) -> &[U];
}

impl<U> StripFirst<U> for [U] {
    fn strip_prefix_if(&self, test: impl Fn(&U) -> bool) -> &[U] {
        match self {
            [first, rest @ ..] if test(first) => rest,
            _ => self,
        }
    }
}

fn without_point(word: &[u8]) -> &[u8] {
    match word {
        [rest @ .., b'.'] if !rest.is_empty() => rest,
        _ => word,
    }
}

/// A word in small letters, as UTF-8. Half a character becomes a byte that no word has.
fn small_letters<U: Unit>(text: &[U]) -> Vec<u8> {
    let mut word = Vec::with_capacity(text.len());
    for c in text {
        match char::from_u32(c.code_point()) {
            Some(c) if c.is_ascii() => word.push(c.to_ascii_lowercase() as u8),
            Some(c) => c.to_lowercase().for_each(|c| word.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes())),
            None => word.push(0xFF),
        }
    }
    word
}

/// Moves quotes and brackets from the start of a sentence to the one before: if white space, two hyphens or nothing
/// come behind them.
fn realign<U: Unit>(text: &[U], pieces: &[Range<usize>], found: &mut Vec<Range<usize>>) {
    halt::reserve(found, pieces.len());
    let mut moved = 0;
    for (at, piece) in pieces.iter().enumerate() {
        let start = piece.start + std::mem::take(&mut moved);
        let next = pieces.get(at + 1).map(|next| (next.start, &text[next.clone()]));
        if let Some((place, next)) = next {
            let closing = next.iter().take_while(|c| closes(**c)).count();
            let rest = &next[closing..];
            let blanks = rest.iter().take_while(|c| is_wide_space(c.code_point())).count();
            let has_dash = rest.len() > 1 && rest[..2].iter().all(|c| c.code_point() == HYPHEN);
            if closing > 0 && (blanks > 0 || has_dash || rest.is_empty()) {
                moved = closing + blanks;
                found.push(start..place + closing);
                continue;
            }
        }
        if start < piece.end {
            found.push(start..piece.end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::code_points;

    fn model() -> Punkt {
        Punkt::read(["dr\np.m", "st\tpaul\n", "the\nin", "the\t114\nsmith\t14\nstreet\t40\n##number##\t4\nwe\t84"])
            .unwrap()
    }

    fn sentences(text: &str) -> Vec<String> {
        let (text, mut found) = (code_points(text), Vec::new());
        model().add_sentences(&text, &mut found);
        found.into_iter().map(|range| text[range].iter().filter_map(|&c| char::from_u32(c)).collect()).collect()
    }

    #[test]
    fn the_model_decides_where_sentences_end() {
        assert_eq!(vec!["It rains.", "We go?!", "So be it."], sentences("It rains. We go?! So be it. "));
        assert_eq!(vec!["Dr. Smith went at 5 p.m. to St. Paul."], sentences("Dr. Smith went at 5 p.m. to St. Paul."));
        assert_eq!(vec!["It was 5 p.m.", "The end."], sentences("It was 5 p.m. The end."));
        assert_eq!(vec!["J. Smith has 3. street."], sentences("J. Smith has 3. street."));
        assert_eq!(Vec::<String>::new(), sentences(" \n"));
    }

    #[test]
    fn quotes_and_brackets_go_with_the_sentence_before() {
        assert_eq!(vec!["(He left.)", "\"Why?\"", "Because."], sentences("(He left.) \"Why?\" Because."));
        assert_eq!(vec!["So.’", "‘No.’"], sentences("So.’ ‘No.’"));
    }

    #[test]
    fn a_model_that_is_none_is_refused() {
        assert!(Punkt::read(["", "", "", "word"]).is_none());
        assert!(Punkt::read(["", "", "", "word\tx"]).is_none());
    }

    #[test]
    fn a_long_text_takes_linear_time() {
        for text in [".", ". ", "a. ", "?!", ".\" ", "... ", ". . ", "a.b", "1. ", "--.", ".)", "a,", ".\n"] {
            let (text, mut found) = (code_points(&text.repeat(1 << 17)), Vec::new());
            model().add_sentences(&text, &mut found);
            assert!(!found.is_empty());
        }
    }
}
