//! The words of NLTK 3.10.4's `NLTKWordTokenizer`, a text at a time: without the sentences that `word_tokenize` looks
//! for first (see [`super::punkt`]).
//!
//! It is specified as passes over the text, each of which puts spaces around something that later passes see: that is
//! [`passes`]. Nearly all texts need no passes. In them what a sign does depends on its neighbours alone, and an
//! apostrophe's on the stretch between two breaks, so one walk from sign to sign finds all tokens; letters and digits
//! are passed over 64 at a time. A text with signs that the walk does not know (backticks, two quotes or two
//! apostrophes side by side, a stretch with two apostrophes, white space other than a blank) is left to the passes.
//!
//! Quirks: only the last point of a text is detached, behind it brackets and quotes may follow. A comma or colon stays
//! with a digit that follows. Clitics are split if their letters are all small or all capital (`n't`, `'LL`), and
//! contractions of two words (`cannot`, `gonna`) in any case. Straight double quotes become two backticks or two
//! apostrophes.

mod passes;

use crate::halt;
use crate::text::{BLOCK, Unit};
pub use passes::words;
use passes::{is_alike, opens_word};
pub(super) use passes::{is_digit, is_wide_space, is_wordlike};

/// Appends the tokens of a text, a space between them and before the first if something is there already. `unit` makes
/// a character of the text from its code point.
pub fn add_words<U: Unit>(text: &[U], made: &mut Vec<U>, unit: impl Fn(u32) -> U) {
    let start = made.len();
    halt::reserve(made, 2 * text.len() + 8);
    let mut walk = Walk::new(text, made);
    if walk.run().is_none() {
        made.truncate(start);
        let found = words(&text.iter().map(|c| c.code_point()).collect::<Vec<_>>());
        halt::reserve(made, found.len() + 1);
        if start > 0 && !found.is_empty() {
            made.push(U::from_ascii(b' '));
        }
        made.extend(found.into_iter().map(unit));
    }
}

/// What a character does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Is part of a word.
    Word,
    Blank,
    /// Stands alone, always.
    Alone,
    /// Stands alone, and a straight quote that follows it opens.
    Opener,
    /// A comma or a colon.
    Colon,
    Point,
    Hyphen,
    Apostrophe,
    Quote,
    /// Needs the passes.
    Odd,
}

const fn kind(c: u32) -> Kind {
    match c {
        0x20 => Kind::Blank,
        // ( [ { <
        0x28 | 0x5B | 0x7B | 0x3C => Kind::Opener,
        // ! # $ % & ) * ; > ? @ ] }
        0x21 | 0x23..=0x26 | 0x29 | 0x2A | 0x3B | 0x3E | 0x3F | 0x40 | 0x5D | 0x7D => Kind::Alone,
        0x2C | 0x3A => Kind::Colon,
        0x2E => Kind::Point,
        0x2D => Kind::Hyphen,
        0x27 => Kind::Apostrophe,
        0x22 => Kind::Quote,
        0x00..0x20 | 0x60 => Kind::Odd,
        0x00..0x80 => Kind::Word,
        0xAB | 0x2018 | 0x201C | 0x201E => Kind::Opener,
        0xBB | 0x2019 | 0x201D | 0x2012..=0x2015 => Kind::Alone,
        _ if is_wide_space(c) => Kind::Odd,
        _ => Kind::Word,
    }
}

/// The kinds of ASCII.
static KINDS: [Kind; 0x80] = {
    let (mut kinds, mut c) = ([Kind::Word; 0x80], 0);
    while c < 0x80 {
        kinds[c as usize] = kind(c);
        c += 1;
    }
    kinds
};

/// A walk over a text, from sign to sign.
struct Walk<'a, U> {
    text: &'a [U],
    made: &'a mut Vec<U>,
    last_point: Option<usize>,
    may_contract: bool,
    open: usize,               // where the stretch since the last break begins
    apostrophe: Option<usize>, // the one in it
}

impl<'a, U: Unit> Walk<'a, U> {
    fn new(text: &'a [U], made: &'a mut Vec<U>) -> Self {
        let (last_point, may_contract) = (last_point(text), has_doubled_letter(text));
        Self { text, made, last_point, may_contract, open: 0, apostrophe: None }
    }

    /// Writes the tokens; nothing comes back if the text needs the passes.
    fn run(&mut self) -> Option<()> {
        let mut done = 0;
        for start in (0..self.text.len()).step_by(BLOCK) {
            halt::spend(1);
            let mut signs = U::notable(self.text, start);
            while signs != 0 {
                let at = start + signs.trailing_zeros() as usize;
                signs &= signs - 1;
                if at >= done {
                    done = self.sign(at)?;
                }
            }
        }
        self.end_stretch(self.text.len())
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.text.get(at).map(|c| kind_of(*c))
    }

    /// Takes the sign at a place, and tells up to where it has been taken.
    #[inline]
    fn sign(&mut self, at: usize) -> Option<usize> {
        match kind_of(self.text[at]) {
            Kind::Word => return Some(at + 1),
            Kind::Blank => {
                self.end_stretch(at)?;
                self.open = at + 1;
                return Some(at + 1);
            }
            Kind::Odd => return None,
            Kind::Alone | Kind::Opener => {}
            Kind::Colon => {
                if self.kind(at + 1) == Some(Kind::Colon) {
                    return None;
                }
                if !self.is_break(at) {
                    return Some(at + 1);
                }
            }
            Kind::Point | Kind::Hyphen if !self.is_break(at) => return Some(at + 1),
            Kind::Point => return self.stand_alone(at, at + self.run_of_points(at)),
            Kind::Hyphen => return self.stand_alone(at, at + 2),
            Kind::Quote => return self.quote(at),
            Kind::Apostrophe => return self.apostrophe(at),
        }
        self.stand_alone(at, at + 1)
    }

    /// Whether there is a break before the character at this place, once all signs have been looked at.
    fn is_break(&self, at: usize) -> bool {
        match self.kind(at) {
            None | Some(Kind::Blank | Kind::Alone | Kind::Opener | Kind::Quote) => true,
            Some(Kind::Colon) => self.text.get(at + 1).is_none_or(|next| !is_digit(next.code_point())),
            Some(Kind::Point) => self.last_point == Some(at) || self.run_of_points(at) > 1,
            Some(Kind::Hyphen) => self.kind(at + 1) == Some(Kind::Hyphen),
            Some(Kind::Word | Kind::Apostrophe | Kind::Odd) => false,
        }
    }

    fn run_of_points(&self, at: usize) -> usize {
        self.text[at..].iter().take_while(|c| kind_of(**c) == Kind::Point).count()
    }

    fn stand_alone(&mut self, at: usize, end: usize) -> Option<usize> {
        self.end_stretch(at)?;
        self.token(at, end);
        self.open = end;
        Some(end)
    }

    /// A straight quote opens at the start and behind blanks and brackets, and otherwise closes.
    fn quote(&mut self, at: usize) -> Option<usize> {
        if self.kind(at + 1) == Some(Kind::Quote) {
            return None;
        }
        self.end_stretch(at)?;
        self.begin_token();
        let c = U::from_ascii(if quote_opens(self.text, at) { b'`' } else { b'\'' });
        self.made.extend([c, c]);
        self.open = at + 1;
        Some(at + 1)
    }

    /// An apostrophe stands alone if it opens a quote or has a break behind it.
    fn apostrophe(&mut self, at: usize) -> Option<usize> {
        let rest = &self.text[at + 1..];
        if self.kind(at + 1) == Some(Kind::Apostrophe) {
            return None;
        }
        let is_inside = at > 0 && is_wordlike(self.text[at - 1].code_point());
        if !is_inside && opens_word(rest) {
            return self.stand_alone(at, at + 1);
        }
        if self.apostrophe.is_some() {
            return None;
        }
        if self.is_break(at + 1) {
            return self.stand_alone(at, at + 1);
        }
        self.apostrophe = Some(at);
        Some(at + 1)
    }

    /// Writes what is open before a break: without its clitic, and this by itself.
    #[inline]
    fn end_stretch(&mut self, end: usize) -> Option<()> {
        let start = self.open;
        if start == end {
            return Some(());
        }
        let Some(apostrophe) = self.apostrophe.take() else { return self.word(start, end) };
        if is_odd_contraction(&self.text[start..end]) {
            return None;
        }
        match clitic(self.text, start, apostrophe, end) {
            Some(clitic) => {
                self.word(start, clitic)?;
                self.token(clitic, end);
                Some(())
            }
            None => self.word(start, end),
        }
    }

    /// Writes a word, or two if it is a contraction. One inside a longer stretch is left to the passes.
    #[inline]
    fn word(&mut self, start: usize, end: usize) -> Option<()> {
        if self.may_contract && end - start >= 5 {
            let word = &self.text[start..end];
            if let Some(middle) = contraction(word) {
                self.token(start, start + middle);
                self.token(start + middle, end);
                return Some(());
            }
            if word.iter().any(|c| !is_plain_letter(*c)) && has_contraction(word) {
                return None;
            }
        }
        self.token(start, end);
        Some(())
    }

    #[inline]
    fn token(&mut self, start: usize, end: usize) {
        self.begin_token();
        self.made.extend_from_slice(&self.text[start..end]);
    }

    #[inline]
    fn begin_token(&mut self) {
        if !self.made.is_empty() {
            self.made.push(U::from_ascii(b' '));
        }
    }
}

#[inline]
fn kind_of<U: Unit>(c: U) -> Kind {
    let code_point = c.code_point();
    KINDS.get(code_point as usize).copied().unwrap_or_else(|| kind(code_point))
}

fn is_plain_letter<U: Unit>(c: U) -> bool {
    (c.code_point() | 0x20).wrapping_sub(0x61) < 26
}

/// Whether the straight quote at a place opens.
fn quote_opens<U: Unit>(text: &[U], at: usize) -> bool {
    at == 0 || matches!(kind_of(text[at - 1]), Kind::Blank | Kind::Opener)
}

/// Whether a letter of contractions without an apostrophe is doubled somewhere: a quick look, without branches.
fn has_doubled_letter<U: Unit>(text: &[U]) -> bool {
    let small = |c: U| c.byte().unwrap_or_else(|wide| if wide < 0x80 { wide as u8 } else { 0 }) | 0x20;
    let pairs = text.iter().zip(text.get(1..).unwrap_or_default());
    pairs.fold(false, |found, (&one, &next)| {
        let (one, next) = (small(one), small(next));
        found | (one == next) & ((one == b'm') | (one == b'n') | (one == b't'))
    })
}

/// The place of a last point that stands alone: one, with brackets, quotes and blanks behind it, but no quote that
/// opens.
fn last_point<U: Unit>(text: &[U]) -> Option<usize> {
    let closes = |at: usize| match text[at].code_point() {
        0x22 => !quote_opens(text, at),
        c => matches!(c, 0x5D | 0x29 | 0x7D | 0x3E | 0x27 | 0x20 | 0xBB | 0x201D | 0x2019),
    };
    let at = (0..text.len()).rev().find(|&at| !closes(at))?;
    let is_point = |at: usize| kind_of(text[at]) == Kind::Point;
    (is_point(at) && at > 0 && !is_point(at - 1)).then_some(at)
}

/// Where the clitic of a stretch begins, by the place of its only apostrophe: `'s`, `'m`, `'d` in either case, `'ll`,
/// `'re`, `'ve` and `n't` in one case. Something must stand before it.
fn clitic<U: Unit>(text: &[U], start: usize, apostrophe: usize, end: usize) -> Option<usize> {
    let letter = |at: usize| text[at].byte().unwrap_or_else(|wide| u8::try_from(wide).unwrap_or(0));
    match end - apostrophe - 1 {
        1 if matches!(letter(end - 1), b's' | b'S' | b'm' | b'M' | b'd' | b'D') => {
            (apostrophe > start).then_some(apostrophe)
        }
        1 => {
            let before = (apostrophe > start + 1).then(|| apostrophe - 1)?;
            matches!([letter(before), letter(end - 1)], [b'n', b't'] | [b'N', b'T']).then_some(before)
        }
        2 => {
            let is_clitic =
                matches!(&[letter(end - 2), letter(end - 1)], b"ll" | b"LL" | b"re" | b"RE" | b"ve" | b"VE");
            (is_clitic && apostrophe > start).then_some(apostrophe)
        }
        _ => None,
    }
}

/// Whether a stretch may have one of the contractions that are written with an apostrophe.
fn is_odd_contraction<U: Unit>(stretch: &[U]) -> bool {
    let has = |word: &[u8]| stretch.windows(word.len()).any(|part| is_alike(part, word));
    has(b"d'ye") || has(b"more'n") || stretch.len() >= 4 && is_alike(&stretch[..2], b"'t")
}

/// Contractions of two words, and where the second begins.
const CONTRACTIONS: [(&[u8], usize); 6] =
    [(b"cannot", 3), (b"gimme", 3), (b"gonna", 3), (b"gotta", 3), (b"lemme", 3), (b"wanna", 3)];

/// Where the second part of a contraction begins, if the word is one.
fn contraction<U: Unit>(word: &[U]) -> Option<usize> {
    let is_it = |(contraction, _): &&(&[u8], usize)| is_alike(word, contraction);
    (word.len() <= 6).then(|| CONTRACTIONS.iter().find(is_it).map(|(_, middle)| *middle))?
}

fn has_contraction<U: Unit>(word: &[U]) -> bool {
    CONTRACTIONS.iter().any(|(contraction, _)| word.windows(contraction.len()).any(|part| is_alike(part, contraction)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::code_points;
    use proptest::prelude::*;

    fn walked(text: &[u32]) -> Vec<u32> {
        let mut made = Vec::new();
        add_words(text, &mut made, |c| c);
        made
    }

    fn texts() -> impl Strategy<Value = Vec<u32>> {
        let pieces = [
            "'", "\"", "`", ".", "..", ",", ":", ";", "a", "bn", "s", "S", "x", "3", "٣", "-", "--", "(", ")", "]",
            "<", "«", "»", "‘", "’", "“", "”", "cannot", "gonna", "gİmme", "wanna", "d'ye", "more'n", "'tis", "n't",
            "N'T", "n'T", "'ll", "'Ll", "'s", "'S", "'d", "'t", "'ſ", "?", "*", "&", "—", "…", "é", "中", "_", "Dr.",
            "ª", " ", " ", " ", " ", "  ", "\t", "\u{A0}", "\u{1C}", "\u{301}",
        ];
        prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..24).prop_map(|all| code_points(&all.concat()))
    }

    proptest! {
        #[test]
        fn a_walk_finds_what_the_passes_find(text in texts()) {
            prop_assert_eq!(words(&text), walked(&text));
        }

        #[test]
        fn bytes_have_the_same_words(text in texts()) {
            let ascii: Vec<u8> = text.iter().filter_map(|&c| u8::try_from(c).ok().filter(u8::is_ascii)).collect();
            let (mut made, wide) = (Vec::new(), ascii.iter().map(|&c| c.into()).collect::<Vec<_>>());
            add_words(&ascii, &mut made, |c| c as u8);
            prop_assert_eq!(words(&wide), made.into_iter().map(u32::from).collect::<Vec<_>>());
        }
    }

    #[test]
    fn usual_texts_need_no_passes() {
        for text in [
            "It isn't \"so\", he'd say: they can't... (see p. 4).",
            "“We cannot,” she wrote—'twas 9:30—“pay $1,000 for John's cats' food!”",
            "A long-term plan -- the so-called \"plan B\" -- isn't gonna work, is it?",
        ] {
            let (text, mut made) = (code_points(text), Vec::new());
            assert!(Walk::new(&text, &mut made).run().is_some());
            assert_eq!(words(&text), made);
        }
    }

    #[test]
    fn words_follow_those_of_the_sentence_before() {
        let mut made = b"So .".to_vec();
        for sentence in [&b""[..], b" ", b"Not ''that''.", b"It's."] {
            add_words(sentence, &mut made, |c| c as u8);
        }
        assert_eq!("So . Not `` that '' . It 's .", String::from_utf8(made).unwrap());
    }

    #[test]
    fn a_long_text_takes_linear_time() {
        for text in ["'", ",", "\"", ".", "can", "' ", "`", "-", "'s ", "a.", "x'", "nn", ") ", ".)"] {
            assert!(walked(&code_points(&text.repeat(1 << 18))).len() >= 1 << 18, "{text}");
        }
    }
}
