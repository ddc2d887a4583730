//! `13a`: what NIST's mteval-v13a.pl did to Western text, as sacreBLEU has it.

use super::classes::{Class, Classes, narrow_classes, western};
use crate::halt;
use crate::text::{BLOCK, Unit, any, bits};
use std::borrow::Cow;
use std::sync::LazyLock;

/// The classes of the Western core.
pub fn classes() -> &'static Classes {
    static CLASSES: LazyLock<Classes> = LazyLock::new(|| Classes::new(western));
    &CLASSES
}

/// Those of narrow text.
pub const NARROW: [Class; 256] = narrow_classes!(western);

/// The characters without which [`clean`] leaves a text as it is.
pub const ALARMS: [u8; 3] = [b'<', b'&', b'\n'];

/// Removes `<skipped>` and hyphenation, and decodes four entities. Text that has none of it, which is
/// nearly all text, comes back as it is.
pub fn clean<'a, U: Unit>(text: &'a [U], cleaned: &'a mut Vec<U>) -> &'a [U] {
    let [less, ampersand, newline] = ALARMS.map(U::from_ascii);
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

/// Whether [`clean`] would change a text.
#[cold]
pub fn is_unclean(text: &[u8]) -> bool {
    const CHANGED: [&[u8]; 6] = [b"\n", b"<skipped>", b"&quot;", b"&amp;", b"&lt;", b"&gt;"];
    (0..text.len()).any(|at| CHANGED.iter().any(|changed| text[at..].starts_with(changed)))
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
    let Some(mut at) = find(text, old) else { return };
    let mut replaced = Vec::new();
    halt::reserve(&mut replaced, text.len());
    let mut rest = &text[..];
    loop {
        replaced.extend_from_slice(&rest[..at]);
        replaced.extend(new.iter().map(|&c| U::from_ascii(c)));
        rest = &rest[at + old.len()..];
        match find(rest, old) {
            Some(next) => at = next,
            None => break,
        }
    }
    replaced.extend_from_slice(rest);
    *text = Cow::Owned(replaced);
}

/// Where `old` stands first. Its first character is looked for in 64 places at once: in a long text it stands
/// somewhere, as `&` does, and seldom as the beginning of `old`.
fn find<U: Unit>(text: &[U], old: &[u8]) -> Option<usize> {
    let first = U::from_ascii(old[0]);
    let is_old = |here: &[U]| here.len() >= old.len() && here.iter().zip(old).all(|(&c, &o)| c == U::from_ascii(o));
    for start in (0..text.len()).step_by(BLOCK) {
        let mut hits = bits(text, start, |c| c == first);
        while hits != 0 {
            let at = start + hits.trailing_zeros() as usize;
            if text.get(at..).is_some_and(is_old) {
                return Some(at);
            }
            hits &= hits - 1;
        }
    }
    None
}
