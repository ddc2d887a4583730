//! Signed normalisation: characters that look alike become one, on both sides, before anything else looks at the text.
//!
//! Here is what needs no tables of Unicode. The fixed order is width, quotes, dashes, ellipsis, spaces; each character
//! goes through all of them in that order in one walk, which gives what five passes would: none of them makes a
//! character that an earlier one looks for.

use crate::halt;
use crate::unicode::is_space;

/// Which of them are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Normalization {
    /// Full-width ASCII and the ideographic space become ASCII, half-width kana full kana.
    pub width: bool,
    /// Quotation marks become `"`, single ones and apostrophes `'`.
    pub quotes: bool,
    /// Hyphens, dashes and the minus sign become `-`.
    pub dashes: bool,
    /// The ellipsis becomes three points.
    pub ellipsis: bool,
    /// White space becomes single spaces, none at the ends; characters without width are dropped.
    pub spaces: bool,
}

impl Normalization {
    /// Asks for one by its name; false if there is none of that name.
    pub fn add(&mut self, name: &str) -> bool {
        let asked = match name {
            "width" => &mut self.width,
            "quotes" => &mut self.quotes,
            "dashes" => &mut self.dashes,
            "ellipsis" => &mut self.ellipsis,
            "spaces" => &mut self.spaces,
            _ => return false,
        };
        *asked = true;
        true
    }

    /// Writes the normalised text to `out`, which is emptied first; false if it equals the text.
    pub fn apply(self, text: &[u32], out: &mut Vec<u32>) -> bool {
        out.clear();
        // Most texts have nothing above Latin-1's signs, and only `spaces` looks at what is below.
        if !self.spaces && text.iter().fold(0, |highest, &c| highest.max(c)) < LOWEST {
            return false;
        }
        halt::reserve(out, text.len());
        let (mut in_kana, mut has_gap) = (false, false);
        for (at, &c) in text.iter().enumerate() {
            if at % PART == 0 {
                halt::spend(PART / 4);
            }
            let mut c = c;
            if self.width {
                let follows_kana = std::mem::replace(&mut in_kana, matches!(c, FIRST_KANA..=LAST_KANA));
                c = widened(c);
                if in_kana && follows_kana && voiced(c, out) {
                    continue;
                }
            }
            if self.quotes {
                c = unquoted(c);
            }
            if self.dashes && matches!(c, 0x2010..=0x2015 | 0x2212 | 0xFE58 | 0xFE63 | 0xFF0D) {
                c = u32::from(b'-');
            }
            if self.spaces {
                if is_space(c) || matches!(c, 0xAD | 0x180E | 0x200B | 0x2060 | 0xFEFF) {
                    has_gap |= is_space(c);
                    continue;
                }
                if std::mem::take(&mut has_gap) && !out.is_empty() {
                    out.push(u32::from(b' '));
                }
            }
            if self.ellipsis && c == 0x2026 {
                out.extend([u32::from(b'.'); 3]);
            } else {
                out.push(c);
            }
        }
        out != text
    }
}

/// Characters between two looks around.
const PART: usize = 1 << 14;

/// The lowest character that anything but `spaces` changes: «.
const LOWEST: u32 = 0xAB;

const FIRST_KANA: u32 = 0xFF65;
const LAST_KANA: u32 = 0xFF9F;

/// The full kana of the half-width ones from U+FF65 to U+FF9F; the last two are the combining voice marks.
const FULL_KANA: [char; 59] = [
    '・', 'ヲ', 'ァ', 'ィ', 'ゥ', 'ェ', 'ォ', 'ャ', 'ュ', 'ョ', 'ッ', 'ー', 'ア', 'イ', 'ウ', 'エ', 'オ', 'カ', 'キ',
    'ク', 'ケ', 'コ', 'サ', 'シ', 'ス', 'セ', 'ソ', 'タ', 'チ', 'ツ', 'テ', 'ト', 'ナ', 'ニ', 'ヌ', 'ネ', 'ノ', 'ハ',
    'ヒ', 'フ', 'ヘ', 'ホ', 'マ', 'ミ', 'ム', 'メ', 'モ', 'ヤ', 'ユ', 'ヨ', 'ラ', 'リ', 'ル', 'レ', 'ロ', 'ワ', 'ン',
    '\u{3099}', '\u{309A}',
];

fn widened(c: u32) -> u32 {
    match c {
        0xFF01..=0xFF5E => c - 0xFEE0,
        0x3000 => u32::from(b' '),
        FIRST_KANA..=LAST_KANA => FULL_KANA[(c - FIRST_KANA) as usize].into(),
        _ => c,
    }
}

/// Joins a voice mark to the kana before it, as Unicode composes them; false if the two stay apart.
fn voiced(mark: u32, out: &mut [u32]) -> bool {
    let Some(last) = out.last_mut() else { return false };
    let composed = match (mark, *last) {
        (0x3099, 0x30A6) => 0x30F4, // ウ
        (0x3099, 0x30EF) => 0x30F7, // ワ
        (0x3099, 0x30F2) => 0x30FA, // ヲ
        // From カ to ヂ every other kana is voiced, from ツ to ド again, and from ハ to ポ every third and fourth.
        (0x3099, kana @ 0x30AB..=0x30C1) if kana % 2 == 1 => kana + 1,
        (0x3099, kana @ (0x30C4 | 0x30C6 | 0x30C8)) => kana + 1,
        (0x3099 | 0x309A, kana @ (0x30CF | 0x30D2 | 0x30D5 | 0x30D8 | 0x30DB)) => kana + 1 + (mark - 0x3099),
        _ => return false,
    };
    *last = composed;
    true
}

fn unquoted(c: u32) -> u32 {
    match c {
        0xAB | 0xBB | 0x201C..=0x201F | 0x301D | 0x301E | 0xFF02 => u32::from(b'"'),
        0xB4 | 0x2BC | 0x2018..=0x201B | 0x2039 | 0x203A | 0xFF07 => u32::from(b'\''),
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::code_points;

    fn normalized(names: &[&str], text: &str) -> String {
        let mut asked = Normalization::default();
        assert!(names.iter().all(|name| asked.add(name)));
        let (given, mut out) = (code_points(text), Vec::new());
        if !asked.apply(&given, &mut out) {
            return text.to_owned();
        }
        assert_ne!(given, out);
        out.into_iter().map(|c| char::from_u32(c).unwrap()).collect()
    }

    #[test]
    fn each_changes_its_own_characters_alone() {
        for (name, text, expected) in [
            ("quotes", "„Ja“: «Nein» – it’s ‹ok›", "\"Ja\": \"Nein\" – it's 'ok'"),
            ("quotes", "5′ ″ `x` 「」", "5′ ″ `x` 「」"),
            ("dashes", "a–b — c\u{2011}d −5", "a-b - c-d -5"),
            ("ellipsis", "Wait… ⋯", "Wait... ⋯"),
            ("width", "ＡＢＣ１２，！\u{3000}。", "ABC12,! 。"),
            ("width", "ｶﾞﾗｽ ｳﾞｧ ﾊﾟﾊﾞ ﾞｶ", "ガラス ヴァ パバ \u{3099}カ"),
            ("spaces", "a\u{a0}b\u{202f}c\u{2009}d\u{200b}e\u{2060}f\u{feff} g\u{ad}h\t i", "a b c def gh i"),
            ("spaces", " \u{200b} \n", ""),
        ] {
            assert_eq!(expected, normalized(&[name], text), "{name}");
        }
    }

    #[test]
    fn one_walk_does_all_of_them() {
        let all = ["width", "quotes", "dashes", "ellipsis", "spaces"];
        assert_eq!("\"a\" - b... ガ", normalized(&all, "\u{3000}＂ａ”\u{a0}－\u{200b} b…  ｶﾞ "));
    }

    #[test]
    fn an_unknown_name_is_refused() {
        assert!(!Normalization::default().add("nfc"));
    }
}
