//! The tokenizers as they are specified: passes one after the other, each of which rewrites the text. Tests and fuzz
//! targets compare the scan with them.
//!
//! What is shared with the scan is the class of each character, a table that other tests hold.

use super::classes::{Class, western};
use super::tercom::{self, Tercom};
use super::{Prepared, Tokenizer, intl, zh};
use crate::text::{trim, trim_end};
use crate::unicode::{code_points, is_space};

const SPACE: u32 = 0x20;

/// The tokenizers that [`tokens`] knows.
pub const TOKENIZERS: [Tokenizer; 6] =
    [Tokenizer::None, Tokenizer::Char, Tokenizer::V13a, Tokenizer::Western, Tokenizer::Intl, Tokenizer::Zh];

/// The tokens of a text.
pub fn tokens(tokenizer: Tokenizer, text: &[u32]) -> Vec<Vec<u32>> {
    let passed = match tokenizer {
        Tokenizer::None => text.to_vec(),
        Tokenizer::Char => text.iter().flat_map(|&c| [c, SPACE]).collect(),
        Tokenizer::V13a => {
            let text = replace(text, &[("<skipped>", ""), ("-\n", ""), ("\n", " ")]);
            marks(&symbols(&padded(&replace(&text, &ENTITIES)), western), western)
        }
        Tokenizer::Western => marks(&symbols(text, western), western),
        Tokenizer::Zh => marks(&symbols(trim(text), zh::class), zh::class),
        Tokenizer::Intl => symbols(&marks(text, intl::class), intl::class),
        _ => panic!("{tokenizer:?} is not specified by passes"),
    };
    words(&passed)
}

/// The options of TER's tokenizer, all together.
pub fn tercom_options() -> impl Iterator<Item = Tercom> {
    let is_set = |set: u8, bit: u8| set >> bit & 1 == 1;
    (0..8).map(move |set| Tercom {
        normalized: is_set(set, 0),
        no_punct: is_set(set, 1),
        asian_support: is_set(set, 2),
    })
}

/// The words that TER has of a text after some rounds.
pub fn tercom_words(options: Tercom, text: &[u32], passes: usize) -> Vec<Vec<u32>> {
    let round = |text: Vec<u32>| words(&tercom_pass(options, trim_end(&text))).join(&SPACE);
    words(&(0..passes).fold(text.to_vec(), |text, _| round(text)))
}

fn tercom_pass(options: Tercom, text: &[u32]) -> Vec<u32> {
    let mut text = text.to_vec();
    if options.normalized {
        text = replace(&text, &[("\n-", ""), ("\n", " ")]);
        text = symbols(&padded(&replace(&text, &ENTITIES)), western);
        text = marks(&replace(&text, &[("'s ", " 's ")]), western);
        if options.asian_support {
            text = symbols(&text, tercom::asian);
        }
    }
    if options.no_punct {
        text.retain(|&c| !options.deletes(c));
    }
    text
}

/// What is found, in the form of [`tokens`].
pub fn found(prepared: Prepared<'_>) -> Vec<Vec<u32>> {
    let text = prepared.text.code_points();
    prepared.spans.iter().map(|span| span.of(&text).to_vec()).collect()
}

/// In this order, so that what the second decodes can be decoded again by those after it.
const ENTITIES: [(&str, &str); 4] = [("&quot;", "\""), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")];

fn padded(text: &[u32]) -> Vec<u32> {
    [&[SPACE], text, &[SPACE]].concat()
}

fn words(text: &[u32]) -> Vec<Vec<u32>> {
    text.split(|&c| is_space(c)).filter(|token| !token.is_empty()).map(<[u32]>::to_vec).collect()
}

/// Replaces each in turn, everywhere, from left to right and without overlap.
fn replace(text: &[u32], pairs: &[(&str, &str)]) -> Vec<u32> {
    pairs.iter().fold(text.to_vec(), |text, &(old, new)| {
        let (old, new) = (code_points(old), code_points(new));
        let (mut replaced, mut rest) = (Vec::new(), &text[..]);
        while let Some((&c, next)) = rest.split_first() {
            if rest.starts_with(&old) {
                replaced.extend(&new);
                rest = &rest[old.len()..];
            } else {
                replaced.push(c);
                rest = next;
            }
        }
        replaced
    })
}

/// Spaces around each symbol.
fn symbols(text: &[u32], class: fn(u32) -> Class) -> Vec<u32> {
    text.iter().flat_map(|&c| if class(c) == Class::Symbol { vec![SPACE, c, SPACE] } else { vec![c] }).collect()
}

/// Points leave everything but digits; a hyphen leaves the digit before it.
fn marks(text: &[u32], class: fn(u32) -> Class) -> Vec<u32> {
    let is = |c: u32, wanted: Class| class(c) == wanted;
    let points_behind = |x: u32, p: u32| is(p, Class::Point) && !is(x, Class::Digit);
    let points_before = |p: u32, x: u32| is(p, Class::Point) && !is(x, Class::Digit);
    let hyphens = |d: u32, h: u32| is(d, Class::Digit) && is(h, Class::Hyphen);
    let text = rewrite_pairs(text, points_behind, |x, p| vec![x, SPACE, p, SPACE]);
    let text = rewrite_pairs(&text, points_before, |p, x| vec![SPACE, p, SPACE, x]);
    rewrite_pairs(&text, hyphens, |d, h| vec![d, SPACE, h, SPACE])
}

/// Replaces neighbours that match, from left to right and without overlap.
fn rewrite_pairs(
    text: &[u32],
    matches: impl Fn(u32, u32) -> bool,
    replacement: impl Fn(u32, u32) -> Vec<u32>,
) -> Vec<u32> {
    let mut rewritten = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match text.get(at + 1) {
            Some(&next) if matches(text[at], next) => {
                rewritten.extend(replacement(text[at], next));
                at += 2;
            }
            _ => {
                rewritten.push(text[at]);
                at += 1;
            }
        }
    }
    rewritten
}
