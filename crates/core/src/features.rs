//! What the doctor asks about a text, in one pass: how many characters of which kind, and what goes round in circles.
//!
//! A row is a handful of counts. Rules look at rows, and read only the few texts whose rows are suspicious.

pub mod copied;
pub mod drift;
pub mod grams;
pub mod images;
pub mod kept;
mod letters;
mod simple;

use crate::halt;
use crate::prepare::is_number;
use crate::threads::Threads;
use crate::unicode::is_space;
use crate::windows1252::encode;
use images::Images;
use letters::{COMMON, HAN, KATAKANA, NONE, SCRIPTS, TIBETAN, script};
use std::convert::Infallible;

/// Whether a character is a letter of a script without spaces between words: Han, kana, Thai and so on to Tibetan.
pub fn is_unspaced(c: u32) -> bool {
    c >= 0x0E00 && (HAN..=TIBETAN).contains(&script(c))
}

/// The columns of a row. Python knows them by the same names, in the same order (`doctor/texts.py`).
#[derive(Clone, Copy)]
enum Column {
    /// Characters that are no white space.
    Len,
    /// Stretches between white space.
    Words,
    Letters,
    Upper,
    Lower,
    /// The case of the first letter: 1 for upper, 2 for lower, 0 for neither.
    First,
    /// Here begin the letters of each script.
    Scripts,
    /// Commas and full stops before white space or the end, and those that have white space before them.
    Stops = Self::Scripts as isize + SCRIPTS as isize + 1,
    StopsGap,
    /// 、。，！？：； likewise.
    CjkStops,
    CjkStopsGap,
    /// Neighbours among Han and kana, and those with white space between them.
    CjkPairs,
    CjkPairsGap,
    QuoteStraight,
    QuoteCurly,
    QuoteLow,
    QuoteAngle,
    QuoteCorner,
    /// Between letters.
    Apostrophe,
    ApostropheCurly,
    /// With white space on both sides.
    Hyphen,
    /// Not between digits.
    EnDash,
    EmDash,
    /// Three full stops.
    Dots,
    Ellipsis,
    /// Full-width punctuation, and the ASCII forms beside Han and kana.
    WideMarks,
    NarrowMarks,
    WideAlnum,
    NarrowAlnum,
    HalfKana,
    Space,
    /// U+00A0, U+2009, U+202F, U+3000.
    OddSpace,
    AtAt,
    /// U+2581, the mark of SentencePiece.
    LowLine,
    Less,
    Ampersand,
    /// U+FFFD.
    Replacement,
    /// U+00AD, U+180E, U+200B, U+2060, U+FEFF.
    Invisible,
    /// C0 and C1 without tabs and what breaks lines.
    Control,
    /// What `str.splitlines` takes for the end of a line.
    LineBreak,
    Backslash,
    Bracket,
    Underscore,
    Greater,
    /// U+2047, SentencePiece's unknown token.
    Question,
    Hash,
    /// U+0120, the mark of byte-level BPE.
    GDot,
    /// A character that begins a sequence of UTF-8, read as Windows-1252, and one that goes on with it.
    Mojibake,
    Backtick,
    Star,
    Tilde,
    Tab,
    At,
    Colon,
    /// Characters beyond ASCII with another before them, C1, and Œ œ Â Ã anywhere: what ftfy takes for damage has one.
    Crowded,
    /// The first character that is no white space; 0 if there is none.
    Opening,
    /// White space at an end, after other white space, and any that is no plain space.
    Loose,
    /// Characters that NFC may change, alone or with what stands before them.
    Unsettled,
}

/// How many columns a row has.
pub const WIDTH: usize = Column::Unsettled as usize + 1;

/// Counts a text.
pub fn row(text: &[u32]) -> [i32; WIDTH] {
    let mut counter = Counter { row: [0; WIDTH], small: 0, before_is_cjk: false, gap: true, first_seen: false };
    for (at, &c) in text.iter().enumerate() {
        if at % LOOK == 0 {
            halt::spend(LOOK.min(text.len()) / 4);
        }
        // Most characters of most texts.
        if c.wrapping_sub(SMALL_A) < 26 && counter.first_seen {
            counter.small_letter();
        } else {
            counter.any(text, at);
        }
    }
    counter.finished()
}

/// Characters between two looks around.
const LOOK: usize = 1 << 14;

/// What stands before the first character and after the last; it is white space.
const END: u32 = 0x0A;
const DOT: u32 = b'.' as u32;
const SMALL_A: u32 = b'a' as u32;

struct Counter {
    row: [i32; WIDTH],
    /// Letters from a to z that are not the first letter; `finished` puts them into their columns.
    small: i32,
    before_is_cjk: bool,
    /// Whether white space, or nothing, comes before.
    gap: bool,
    first_seen: bool,
}

impl Counter {
    #[inline]
    fn add(&mut self, column: Column) {
        self.row[column as usize] += 1;
    }

    /// Counts a letter from a to z behind another letter.
    #[inline]
    fn small_letter(&mut self) {
        self.small += 1;
        self.row[Column::Words as usize] += i32::from(self.gap);
        (self.before_is_cjk, self.gap) = (false, false);
    }

    fn finished(mut self) -> [i32; WIDTH] {
        for column in [Column::Len, Column::Letters, Column::Lower, Column::Scripts, Column::NarrowAlnum] {
            self.row[column as usize] += self.small; // the first of the scripts is Latin
        }
        self.row
    }

    fn any(&mut self, text: &[u32], at: usize) {
        let c = text[at];
        // The ends of a text are white space to what stands there.
        let before = if at > 0 { text[at - 1] } else { END };
        let after = text.get(at + 1).copied().unwrap_or(END);
        if c > 0x7F && (before > 0x7F || matches!(c, 0x80..=0x9F | 0xC2 | 0xC3 | 0x152 | 0x153)) {
            self.add(Column::Crowded);
        }
        if is_unsettled(c) {
            self.add(Column::Unsettled);
        }
        if is_space(c) {
            if c != 0x20 || is_space(before) || at + 1 == text.len() {
                self.add(Column::Loose);
            }
            self.space(c);
        } else {
            self.character(c, before, after);
            if c == DOT && before == DOT && at > 1 && text[at - 2] == DOT && after != DOT {
                self.add(Column::Dots);
            }
        }
    }

    fn space(&mut self, c: u32) {
        self.gap = true;
        match c {
            0x20 => self.add(Column::Space),
            0x09 => self.add(Column::Tab),
            0xA0 | 0x2009 | 0x202F | 0x3000 => self.add(Column::OddSpace),
            0x0A..=0x0D | 0x1C..=0x1E | 0x85 | 0x2028 | 0x2029 => self.add(Column::LineBreak),
            0x1F => self.add(Column::Control),
            _ => {}
        }
    }

    fn character(&mut self, c: u32, before: u32, after: u32) {
        self.add(Column::Len);
        if self.gap {
            self.add(Column::Words);
        }
        if self.row[Column::Opening as usize] == 0 {
            self.row[Column::Opening as usize] = c as i32;
        }
        let kind = script(c);
        let is_cjk = is_cjk(kind, c);
        if is_cjk && self.before_is_cjk {
            self.add(Column::CjkPairs);
            if self.gap {
                self.add(Column::CjkPairsGap);
            }
        }
        if kind == NONE || (0xFF00..0xFFA0).contains(&c) {
            self.mark(c, before, after);
        }
        if kind != NONE {
            self.letter(c, kind);
            if is_lead(c) && is_continuation(after) {
                self.add(Column::Mojibake);
            }
        }
        (self.before_is_cjk, self.gap) = (is_cjk, false);
    }

    fn letter(&mut self, c: u32, kind: u8) {
        self.add(Column::Letters);
        if kind != COMMON {
            self.row[Column::Scripts as usize + usize::from(kind)] += 1;
        }
        let letter = char::from_u32(c).unwrap_or('?');
        let (upper, lower) = (letter.is_uppercase(), letter.is_lowercase());
        self.row[Column::Upper as usize] += i32::from(upper);
        self.row[Column::Lower as usize] += i32::from(lower);
        if !self.first_seen {
            self.first_seen = true;
            self.row[Column::First as usize] = i32::from(upper) + 2 * i32::from(lower);
        }
        match c {
            0x41..=0x5A | 0x61..=0x7A => self.add(Column::NarrowAlnum),
            0xFF21..=0xFF3A | 0xFF41..=0xFF5A => self.add(Column::WideAlnum),
            0x0120 => self.add(Column::GDot),
            _ => {}
        }
    }

    /// Counts a character that is no letter, and half-width kana.
    fn mark(&mut self, c: u32, before: u32, after: u32) {
        if c < 0x80 {
            self.ascii_mark(c, before, after);
            return;
        }
        let between = |class: fn(u32) -> bool| class(before) && class(after);
        match c {
            0x80..=0x9F => self.add(Column::Control),
            0xAD | 0x180E | 0x200B | 0x2060 | 0xFEFF => self.add(Column::Invisible),
            0xD7 if is_continuation(after) => self.add(Column::Mojibake),
            0x201C | 0x201D => self.add(Column::QuoteCurly),
            0x201E => self.add(Column::QuoteLow),
            0xAB | 0xBB => self.add(Column::QuoteAngle),
            0x300C..=0x300F => self.add(Column::QuoteCorner),
            0x2019 if between(is_letter) => self.add(Column::ApostropheCurly),
            0x2013 if !between(is_number) => self.add(Column::EnDash),
            0x2014 => self.add(Column::EmDash),
            0x2026 => self.add(Column::Ellipsis),
            0x2047 => self.add(Column::Question),
            0x2581 => self.add(Column::LowLine),
            0xFFFD => self.add(Column::Replacement),
            0xFF10..=0xFF19 => self.add(Column::WideAlnum),
            0xFF65..=0xFF9F => self.add(Column::HalfKana),
            0xFF0C | 0xFF0E | 0xFF1A | 0xFF1B | 0xFF01 | 0xFF1F | 0xFF08 | 0xFF09 | 0xFF05 => {
                self.add(Column::WideMarks);
                if c == 0xFF1A {
                    self.add(Column::Colon);
                }
            }
            _ => {}
        }
        if matches!(c, 0x3001 | 0x3002 | 0xFF0C | 0xFF01 | 0xFF1F | 0xFF1A | 0xFF1B) {
            self.add(Column::CjkStops);
            if self.gap && before != END {
                self.add(Column::CjkStopsGap);
            }
        }
    }

    fn ascii_mark(&mut self, c: u32, before: u32, after: u32) {
        match c as u8 {
            b'0'..=b'9' => self.add(Column::NarrowAlnum),
            b'"' => self.add(Column::QuoteStraight),
            b'\'' if is_letter(before) && is_letter(after) => self.add(Column::Apostrophe),
            b'-' if is_space(before) && is_space(after) => self.add(Column::Hyphen),
            b'@' => {
                self.add(Column::At);
                if before == c {
                    self.add(Column::AtAt);
                }
            }
            b'<' => self.add(Column::Less),
            b'>' => self.add(Column::Greater),
            b'&' => self.add(Column::Ampersand),
            b'\\' => self.add(Column::Backslash),
            b'[' => self.add(Column::Bracket),
            b'_' => self.add(Column::Underscore),
            b'#' => self.add(Column::Hash),
            b'`' => self.add(Column::Backtick),
            b'*' => self.add(Column::Star),
            b'~' => self.add(Column::Tilde),
            b':' => self.add(Column::Colon),
            0x00..=0x1F | 0x7F => self.add(Column::Control),
            _ => {}
        }
        if matches!(c as u8, b',' | b'.') && is_space(after) {
            self.add(Column::Stops);
            if self.gap && before != END {
                self.add(Column::StopsGap);
            }
        }
        let by_cjk = is_cjk(script(before), before) || is_cjk(script(after), after);
        if by_cjk && matches!(c as u8, b',' | b'.' | b':' | b';' | b'!' | b'?' | b'(' | b')' | b'%') {
            self.add(Column::NarrowMarks);
        }
    }
}

fn is_letter(c: u32) -> bool {
    script(c) != NONE
}

/// Whether NFC may change a character, alone or with what stands before it; true for some that it never changes.
fn is_unsettled(c: u32) -> bool {
    c >= 0x300
        && !matches!(
            c,
            // Greek, Cyrillic, Hebrew and Arabic letters, punctuation, kana, Han, Hangul, full-width forms.
            0x0391..=0x03CE | 0x0400..=0x0482 | 0x048A..=0x052F | 0x05D0..=0x05EA | 0x0621..=0x063A | 0x0641..=0x064A
                | 0x2010..=0x205E | 0x3001..=0x3029 | 0x3041..=0x3096 | 0x30A1..=0x30FC | 0x4E00..=0x9FFF
                | 0xAC00..=0xD7A3 | 0xFF01..=0xFF60
        )
}

/// Han and kana, with the mark of long vowels, which belongs to both kinds of kana and so to neither.
fn is_cjk(kind: u8, c: u32) -> bool {
    (HAN..=KATAKANA).contains(&kind) || c == 0x30FC
}

/// The characters that the first bytes of longer UTF-8 sequences are in Windows-1252, as far as text is made of them.
fn is_lead(c: u32) -> bool {
    matches!(c, 0xC2..=0xC5 | 0xD0 | 0xD1 | 0xD8..=0xDB | 0xE0 | 0xE2..=0xE9 | 0xEF | 0xF0)
}

/// The characters that the other bytes are, and the control characters that stand for bytes without a character.
fn is_continuation(c: u32) -> bool {
    matches!(c, 0x80..=0xBF) || (c > 0xFF && encode(c).is_some())
}

/// What `count` says of each text. The texts follow each other in `joined`, and `ends` tells where each of them ends.
pub fn rows<const CELLS: usize>(
    joined: &[u32],
    ends: &[usize],
    threads: &Threads,
    count: impl Fn(&[u32]) -> [i32; CELLS] + Sync,
) -> Vec<i32> {
    for_each_of(ends.len(), threads, |at| count(text_of(joined, ends, at))).as_flattened().to_vec()
}

/// One of texts that follow each other.
fn text_of<'a>(joined: &'a [u32], ends: &[usize], at: usize) -> &'a [u32] {
    &joined[if at > 0 { ends[at - 1] } else { 0 }..ends[at]]
}

fn for_each_of<T: Send>(number: usize, threads: &Threads, make: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let part = |item: usize| {
        let places = item * PART..number.min((item + 1) * PART);
        Ok::<_, Infallible>(places.map(&make).collect::<Vec<T>>())
    };
    let Ok(parts) = threads.map(number.div_ceil(PART), || &part);
    parts.into_iter().flatten().collect()
}

/// How many texts a thread takes at a time.
const PART: usize = 256;

/// The letter trigrams of texts that follow each other: the bin of each, from 0 to 2¹⁸ − 1, and the text that it is in.
///
/// `letters` gives what each code point counts as: itself, [`WORD_GAP`], or [`UNSEEN`] if nobody sees it. A gap right
/// after another is none, and [`BORDER`] stands between texts.
pub fn trigrams(joined: &[u32], letters: &[u32]) -> (Vec<u32>, Vec<i64>) {
    let (mut bins, mut places) = (Vec::with_capacity(joined.len()), Vec::with_capacity(joined.len()));
    for (place, text) in texts_of(joined, letters).enumerate() {
        for_each_trigram(letters_of(text, letters), |bin| bins.push(bin));
        places.resize(bins.len(), place as i64);
    }
    (bins, places)
}

/// How many trigrams each text has, and the sum of their weights, from the first to the last.
///
/// Texts are as they are written, and have white space around them. `images` says what each character counts as. The
/// bins of even texts have the weights of the second half of `weights`, those of odd ones the weights of the first. A
/// text with a character that has no image has -1 trigrams.
pub fn trigram_sums(
    joined: &[u32],
    ends: &[usize],
    is_even: &[bool],
    images: &Images,
    weights: &[f64],
    threads: &Threads,
) -> (Vec<i64>, Vec<f64>) {
    let halves = weights.split_at(weights.len() / 2);
    let sum = |at: usize| {
        let of_text = if is_even[at] { halves.1 } else { halves.0 };
        let (mut count, mut sum, mut window) = (0, 0.0, Window::default());
        let mut step = |letter| {
            if let Some(bin) = window.step(letter) {
                count += 1;
                sum += of_text[bin as usize];
            }
        };
        step(WORD_GAP);
        let is_known = images.each(text_of(joined, ends, at), &mut step);
        step(WORD_GAP);
        if is_known { (count, sum) } else { (-1, 0.0) }
    };
    for_each_of(ends.len(), threads, sum).into_iter().unzip()
}

fn texts_of<'a>(joined: &'a [u32], letters: &'a [u32]) -> impl Iterator<Item = &'a [u32]> {
    joined.split(|&c| letters[c as usize] == BORDER)
}

fn letters_of<'a>(text: &'a [u32], letters: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
    text.iter().enumerate().map(move |(at, &c)| {
        if at % LOOK == 0 {
            halt::spend(LOOK.min(text.len()) / 4);
        }
        letters[c as usize]
    })
}

fn for_each_trigram(letters: impl Iterator<Item = u32>, take: impl FnMut(u32)) {
    let mut window = Window::default();
    letters.filter_map(|letter| window.step(letter)).for_each(take);
}

/// The two letters before, and whether a gap was the last that came.
struct Window {
    first: u32,
    second: u32,
    after_gap: bool,
}

impl Default for Window {
    fn default() -> Self {
        Self { first: BORDER, second: BORDER, after_gap: false }
    }
}

impl Window {
    /// The bin of the trigram that a letter ends, if it ends one.
    #[inline]
    fn step(&mut self, third: u32) -> Option<u32> {
        let is_gap = third == WORD_GAP;
        let is_seen = third != UNSEEN && !(is_gap && self.after_gap);
        let found = (is_seen && self.first != BORDER).then(|| bin(self.first, self.second, third));
        if is_seen {
            (self.first, self.second) = (self.second, third);
        }
        self.after_gap = is_gap;
        found
    }
}

/// What separates words.
pub const WORD_GAP: u32 = 0;
/// What is left out.
pub const UNSEEN: u32 = 0x11_0000;
/// What stands between texts: no text in UTF-8 has it.
pub const BORDER: u32 = 0xD800;

fn bin(first: u32, second: u32, third: u32) -> u32 {
    let mixed = first
        .wrapping_mul(0x9E37_79B1)
        .wrapping_add(second.wrapping_mul(0x85EB_CA6B))
        .wrapping_add(third.wrapping_mul(0xC2B2_AE35));
    (mixed ^ mixed >> 15).wrapping_mul(0x2C1B_3C6D) >> 14
}

/// Letters, marks and numbers of a text.
pub fn words_alone(text: &[u32]) -> String {
    text.iter().filter(|&&c| is_letter(c) || is_number(c)).filter_map(|&c| char::from_u32(c)).collect()
}

/// Repeats, period and number of covered units of the run of equal units that covers most of a text; then the same of
/// characters, with periods up to 12 and a letter among them. Without a run there are zeros.
///
/// In a run of period p every unit equals the one p places later. A run has at least two rounds: any two equal words
/// would be one otherwise.
pub fn runs(text: &[u32], by_character: bool) -> [i32; 6] {
    let solid = || text.iter().copied().filter(|&c| !is_space(c));
    let [repeats, period, covered] = if by_character {
        longest_run(&solid().collect::<Vec<_>>(), 24, |_| true)
    } else {
        let words: Vec<&[u32]> = text.split(|&c| is_space(c)).filter(|word| !word.is_empty()).collect();
        longest_run(&words, 24, |_| true)
    };
    let [char_repeats, char_period, char_covered] = longest_run(text, 12, |round| round.iter().any(|&c| is_letter(c)));
    [repeats, period, covered, char_repeats, char_period, char_covered]
}

/// What [`runs`] gives where it may tell of a fault, and zeros elsewhere: of units there have to be three rounds and
/// eight units in a run, of characters eight rounds and 24 characters.
pub fn telling_runs(text: &[u32], by_character: bool) -> [i32; 6] {
    let units: Vec<u32> = if by_character {
        text.iter().copied().filter(|&c| !is_space(c)).collect()
    } else {
        text.split(|&c| is_space(c)).filter(|word| !word.is_empty()).map(mixed).collect()
    };
    if has_run(&units, 24, 3, 8) || has_run(text, 12, 8, 24) { runs(text, by_character) } else { [0; 6] }
}

/// A number for a word; equal words have equal numbers, and others nearly always different ones.
fn mixed(word: &[u32]) -> u32 {
    word.iter().fold(0, |mixed: u32, &c| (mixed ^ c).wrapping_mul(0x9E37_79B1).rotate_left(5))
}

/// Whether there is a run of at least so many rounds that covers at least so many units.
fn has_run<T: PartialEq>(units: &[T], longest_period: usize, rounds: usize, covered: usize) -> bool {
    (1..=longest_period).any(|period| {
        halt::spend(units.len() / 64);
        // Such a run has so many equal pairs in a row, so it is enough to look at every such place.
        let pairs = (period * (rounds - 1)).max(covered.saturating_sub(period));
        let last = units.len().saturating_sub(period);
        let is_pair = |&at: &usize| units[at] == units[at + period];
        let in_row = |at: usize| (0..at).rev().take_while(is_pair).count() + (at..last).take_while(is_pair).count();
        (pairs - 1..last).step_by(pairs).any(|at| is_pair(&at) && in_row(at) >= pairs)
    })
}

fn longest_run<T: PartialEq>(units: &[T], longest_period: usize, is_wanted: impl Fn(&[T]) -> bool) -> [i32; 3] {
    let mut best = [0; 3];
    for period in 1..=longest_period.min(units.len() / 2) {
        halt::spend(units.len() / 16);
        let last = units.len() - period;
        let is_pair = |&at: &usize| units[at] == units[at + period];
        // A run has as many pairs in a row as its period is long, so it is enough to look at every such place.
        let mut at = period - 1;
        while at < last {
            if is_pair(&at) {
                let start = (0..at).rev().take_while(is_pair).last().unwrap_or(at);
                let end = (at + 1..last).take_while(is_pair).last().unwrap_or(at) + 1;
                let covered = (end - start + period) as i32;
                if end - start >= period && covered > best[2] && is_wanted(&units[start..start + period]) {
                    best = [((end - start) / period + 1) as i32, period as i32, covered];
                }
                at += (end - at) / period * period;
            }
            at += period;
        }
    }
    best
}

/// The offset of each row on the path through a table with the highest sum, less the price of each change of offset.
///
/// Each cell has an offset, and those of a row rise; cells of two rows belong together if they have the same one. The
/// path begins at 0. Among equals it is what changes nothing, and then the first cell.
pub fn best_path(table: &[f64], offsets: &[i32], width: usize, price: f64) -> Vec<i32> {
    let mut values: Vec<f64> = offsets.iter().take(width).map(|&one| if one == 0 { 0.0 } else { -price }).collect();
    let mut before = offsets.get(..width).unwrap_or_default();
    let (mut came_from, mut next) = (Vec::with_capacity(table.len()), values.clone());
    for (row, here) in table.chunks_exact(width).zip(offsets.chunks_exact(width)) {
        halt::spend(1 + width / 4);
        let (best, mut same) = (first_highest(&values), 0);
        let changed = values[best] - price;
        for ((value, cell), offset) in next.iter_mut().zip(row).zip(here) {
            same += before[same..].iter().take_while(|&one| one < offset).count();
            let stays = before.get(same) == Some(offset) && values[same] >= changed;
            came_from.push(if stays { same } else { best });
            *value = if stays { values[same] } else { changed } + cell;
        }
        std::mem::swap(&mut values, &mut next);
        before = here;
    }
    let mut place = first_highest(&values);
    let mut path: Vec<i32> = Vec::with_capacity(table.len() / width);
    for (row, here) in came_from.chunks_exact(width).zip(offsets.chunks_exact(width)).rev() {
        path.push(here[place]);
        place = row[place];
    }
    path.reverse();
    path
}

fn first_highest(values: &[f64]) -> usize {
    (1..values.len()).fold(0, |best, at| if values[at] > values[best] { at } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::code_points;

    #[test]
    fn a_path_changes_where_that_pays() {
        let row = |at: i32| (-1..2).map(move |offset| if offset == at { 0.5 } else { 0.0 });
        let table: Vec<f64> = [0, 0, 1, 1, 1, 1, -1].into_iter().flat_map(row).collect();
        let offsets = [-1, 0, 1].repeat(7);
        assert_eq!(vec![0, 0, 1, 1, 1, 1, 1], best_path(&table, &offsets, 3, 1.0));
        assert_eq!(vec![0; 7], best_path(&table, &offsets, 3, 2.0));
    }

    /// The best of all paths, by trying each.
    fn naive_path(table: &[f64], offsets: &[i32], width: usize, price: f64) -> f64 {
        let mut paths = vec![(0, 0.0)];
        for (row, here) in table.chunks_exact(width).zip(offsets.chunks_exact(width)) {
            let on = |(old, sum): (i32, f64)| {
                let to = move |(&new, cell): (&i32, &f64)| (new, sum + cell - if new == old { 0.0 } else { price });
                here.iter().zip(row).map(to)
            };
            paths = paths.into_iter().flat_map(on).collect();
        }
        paths.into_iter().map(|path| path.1).fold(f64::NEG_INFINITY, f64::max)
    }

    proptest::proptest! {
        #[test]
        fn a_path_is_the_best_of_all(
            rows in proptest::collection::vec(proptest::collection::btree_map(-3..4, 0..8_u8, 3..4), 1..7),
            price in 0..4_u8,
        ) {
            let cells = || rows.iter().flatten();
            let offsets: Vec<i32> = cells().map(|cell| *cell.0).collect();
            let table: Vec<f64> = cells().map(|cell| f64::from(*cell.1)).collect();
            let path = best_path(&table, &offsets, 3, price.into());
            let (mut sum, mut before) = (0.0, 0);
            for (offset, row) in path.into_iter().zip(&rows) {
                sum += f64::from(row[&offset]) - if offset == before { 0.0 } else { f64::from(price) };
                before = offset;
            }
            proptest::prop_assert_eq!(naive_path(&table, &offsets, 3, price.into()), sum);
        }
    }

    #[test]
    fn letters_beyond_ascii_are_crowded_where_two_meet() {
        assert_eq!((0, 1), (count("Ärger über é", Column::Crowded), count("„Ähre“", Column::Crowded)));
        assert_eq!((1, 1), (count("Ã ", Column::Crowded), count("cœur", Column::Crowded)));
    }

    fn count(text: &str, column: Column) -> i32 {
        row(&code_points(text))[column as usize]
    }

    #[test]
    fn commas_and_stops_have_gaps_before_them_only_inside_a_text() {
        assert_eq!((2, 2), (count("Yes , no .", Column::Stops), count("Yes , no .", Column::StopsGap)));
        assert_eq!((1, 0), (count(". 3.5", Column::Stops), count(". 3.5", Column::StopsGap)));
        assert_eq!((2, 1), (count("好 。好。", Column::CjkStops), count("好 。好。", Column::CjkStopsGap)));
    }

    #[test]
    fn neighbours_may_have_a_gap() {
        assert_eq!((3, 1), (count("今天 天気 ok", Column::CjkPairs), count("今天 天気 ok", Column::CjkPairsGap)));
    }

    #[test]
    fn letters_have_a_script_and_a_case() {
        assert_eq!(vec![2, 1, 1], [9, 10, 11].map(|s| row(&code_points("日本ごガ"))[Column::Scripts as usize + s]));
        assert_eq!((1, 2), (count("\"Äh", Column::First), count("12 äH", Column::First)));
        assert_eq!((1, 1), (count("äH", Column::Upper), count("äH", Column::Lower)));
    }

    #[test]
    fn scripts_without_spaces_are_known() {
        assert!("我のカไລខမཀ".chars().all(|c| is_unspaced(c.into())));
        assert!(!"aß—, яωاह한ა、。！ー".chars().any(|c| is_unspaced(c.into())));
    }

    #[test]
    fn sequences_of_utf8_in_windows_1252_are_seen() {
        assert_eq!((1, 0), (count("Ã¼ber", Column::Mojibake), count("über Ärger", Column::Mojibake)));
        assert_eq!(2, count("â€œJaâ€\u{9d}", Column::Mojibake));
    }

    #[test]
    fn runs_cover_most_with_the_shortest_period() {
        let run = |text: &str, by_character| runs(&code_points(text), by_character)[..3].to_vec();
        assert_eq!(vec![8, 1, 8], run(&"the ".repeat(8), false));
        assert_eq!(vec![4, 3, 12], run(&"one two three ".repeat(4), false));
        assert_eq!(vec![16, 1, 16], run(&"好".repeat(16), true));
        assert_eq!(vec![3, 1, 3], run("ha ha ha", false));
        assert_eq!(vec![3, 2, 6], run("今天天气很好很好很好", true));
        assert_eq!(vec![0, 0, 0], run("the cat and the dog", false));
        assert_eq!([9, 2, 18], runs(&code_points(&"ha".repeat(9)), false)[3..]);
        assert_eq!([0, 0, 0], runs(&code_points("----------"), false)[3..]);
    }

    #[test]
    fn punctuation_and_spaces_are_dropped() {
        assert_eq!("frühstück5", words_alone(&code_points("früh-stück, 5 €!")));
    }
}
