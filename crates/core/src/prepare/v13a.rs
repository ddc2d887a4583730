//! `13a`: what NIST's mteval-v13a.pl did to Western text, as sacreBLEU has it.

use super::scan::{Classes, western};
use crate::halt;
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
    halt::reserve(cleaned, text.len());
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
    let first = U::from_ascii(old[0]);
    if !any(text, |c| c == first) {
        return;
    }
    let starts_here =
        |rest: &[U]| rest.len() >= old.len() && rest.iter().zip(old).all(|(&c, &o)| c == U::from_ascii(o));
    let mut replaced = Vec::new();
    halt::reserve(&mut replaced, text.len());
    let mut rest = &text[..];
    while let Some(at) = rest.iter().position(|&c| c == first) {
        let is_old = starts_here(&rest[at..]);
        replaced.extend_from_slice(&rest[..at + usize::from(!is_old)]);
        rest = &rest[at + if is_old { old.len() } else { 1 }..];
        if is_old {
            replaced.extend(new.iter().map(|&c| U::from_ascii(c)));
        }
    }
    replaced.extend_from_slice(rest);
    *text = Cow::Owned(replaced);
}
