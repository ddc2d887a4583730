//! The tokenizer of TER, after Tercom, as sacreBLEU has it.
//!
//! By default words are what white space separates. `normalized` adds the Western rules (nearly those of
//! `13a`), `no_punct` deletes punctuation, and `asian_support` extends both to Chinese and Japanese characters;
//! alone it does nothing. Upstream has rules for runs of kana too, anchored at the start of the line, where after
//! padding a space always stands: they never match, and are not here.
//!
//! sacreBLEU sends references through the tokenizer twice and hypotheses once. With `normalized` the second
//! pass can split further (`Ann's.`), so the number of passes is the caller's choice.

use super::classes::{Class, Classes, western};
use super::scan::{Spans, scan, split};
use super::v13a::{decode_entities, replace};
use super::{Prepared, Tokens, join};
use crate::halt;
use crate::text::{Text, Unit, trim_end};
use std::borrow::Cow;
use std::sync::LazyLock;

/// TER's tokenizer and its options. Lower-casing is the caller's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tercom {
    /// Apply the Western rules.
    pub normalized: bool,
    /// Delete punctuation.
    pub no_punct: bool,
    /// Let both of the above reach Asian characters.
    pub asian_support: bool,
}

impl Tercom {
    /// The words of a segment after `passes` rounds.
    pub fn words<'a>(self, tokens: &'a mut Tokens, segment: Text<'a>, passes: usize) -> Prepared<'a> {
        match segment {
            Text::Narrow(text) => self.words_of(tokens, text, passes),
            Text::Wide(text) => self.words_of(tokens, text, passes),
        }
    }

    fn words_of<'a, U: Unit>(self, tokens: &'a mut Tokens, text: &'a [U], passes: usize) -> Prepared<'a> {
        let text = if self.normalized || self.no_punct {
            let cleaned = U::buffer(&mut tokens.cleaned);
            *cleaned = (0..passes).fold(halt::copied(text), |text, _| self.pass(&text));
            cleaned
        } else {
            text
        };
        split(text, &mut tokens.spans);
        Prepared { text: U::wrap(text), spans: tokens.spans.as_slice() }
    }

    fn pass<U: Unit>(self, text: &[U]) -> Vec<U> {
        let mut text = halt::copied(trim_end(text));
        if self.normalized {
            text = self.normalize(&text);
        }
        if self.no_punct {
            text.retain(|&c| !self.deletes(c.code_point()));
        }
        text
    }

    fn normalize<U: Unit>(self, text: &[U]) -> Vec<U> {
        let mut text = Cow::Borrowed(text);
        replace(&mut text, b"\n-", b"");
        replace(&mut text, b"\n", b" ");
        decode_entities(&mut text);
        let text = detach_possessives(&text);
        let classes = if self.asian_support { asian_classes() } else { super::v13a::classes() };
        let mut spans = Spans::default();
        scan(&text, classes, true, &mut spans);
        join(&text, spans.as_slice())
    }

    pub(super) fn deletes(self, c: u32) -> bool {
        let western = u8::try_from(c).is_ok_and(|c| b".,?:;!\"()".contains(&c));
        western || self.asian_support && is_asian_punctuation(c)
    }
}

/// Puts a space before each `'s` that ends a word. Only a space, a symbol (which the Western rules surround with
/// spaces) or the end of the line ends it here: not a point, a comma or a tab.
fn detach_possessives<U: Unit>(text: &[U]) -> Vec<U> {
    let [quote, s, space] = [b'\'', b's', b' '].map(U::from_ascii);
    let ends_word = |c: &U| *c == space || western(c.code_point()) == Class::Symbol;
    let mut detached = Vec::new();
    halt::reserve(&mut detached, text.len() + 8);
    for (at, &c) in text.iter().enumerate() {
        if c == quote && text.get(at + 1) == Some(&s) && text.get(at + 2).is_none_or(ends_word) {
            halt::reserve(&mut detached, text.len() - at + 1);
            detached.push(space);
        }
        detached.push(c);
    }
    detached
}

fn asian_classes() -> &'static Classes {
    static CLASSES: LazyLock<Classes> = LazyLock::new(|| Classes::new(asian));
    &CLASSES
}

pub(super) fn asian(c: u32) -> Class {
    if is_ideograph(c) || is_asian_punctuation(c) { Class::Symbol } else { western(c) }
}

fn is_ideograph(c: u32) -> bool {
    matches!(c,
        0x2E80..=0x2EFF | 0x31C0..=0x31EF | 0x3200..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0xFE30..=0xFE4F)
}

/// What upstream calls Asian and full-width punctuation.
fn is_asian_punctuation(c: u32) -> bool {
    matches!(c,
        0x3001 | 0x3002 | 0x3008..=0x3011 | 0x3014..=0x301F | 0x30FB | 0xFF61..=0xFF65
        | 0xFF01 | 0xFF02 | 0xFF08 | 0xFF09 | 0xFF0C | 0xFF0E | 0xFF1A | 0xFF1B | 0xFF1F)
}
