//! `13a`: what NIST's mteval-v13a.pl did to Western text, as sacreBLEU has it.

use super::scan::{Classes, western};
use crate::text::{Unit, any};
use std::borrow::Cow;
use std::sync::LazyLock;

/// The classes of the Western core.
pub fn classes() -> &'static Classes {
    static CLASSES: LazyLock<Classes> = LazyLock::new(|| Classes::new(western));
    &CLASSES
}

/// Removes `<skipped>` and hyphenation, and decodes four entities. Text that has none of it, which is
/// nearly all text, comes back as it is.
pub fn clean<'a, U: Unit>(text: &'a [U], cleaned: &'a mut Vec<U>) -> &'a [U] {
    let [less, ampersand, newline] = [b'<', b'&', b'\n'].map(U::from_ascii);
    if !any(text, |c| (c == less) | (c == ampersand) | (c == newline)) {
        return text;
    }
    let mut text = Cow::Borrowed(text);
    replace(&mut text, b"<skipped>", b"");
    replace(&mut text, b"-\n", b"");
    replace(&mut text, b"\n", b" ");
    decode_entities(&mut text);
    cleaned.clear();
    cleaned.extend_from_slice(&text);
    cleaned
}

/// `&amp;` comes before `&lt;` and `&gt;` and after `&quot;`, so `&amp;lt;` is decoded twice
/// and `&amp;quot;` once. sacreBLEU's order, kept.
pub fn decode_entities<U: Unit>(text: &mut Cow<'_, [U]>) {
    replace(text, b"&quot;", b"\"");
    replace(text, b"&amp;", b"&");
    replace(text, b"&lt;", b"<");
    replace(text, b"&gt;", b">");
}

/// Replaces `old` by `new` everywhere, from left to right, without looking at the result again.
pub fn replace<U: Unit>(text: &mut Cow<'_, [U]>, old: &[u8], new: &[u8]) {
    let starts_here =
        |rest: &[U]| rest.len() >= old.len() && rest.iter().zip(old).all(|(&c, &o)| c == U::from_ascii(o));
    if !(0..text.len()).any(|at| starts_here(&text[at..])) {
        return;
    }
    let mut replaced = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if starts_here(&text[at..]) {
            replaced.extend(new.iter().map(|&c| U::from_ascii(c)));
            at += old.len();
        } else {
            replaced.push(text[at]);
            at += 1;
        }
    }
    *text = Cow::Owned(replaced);
}
