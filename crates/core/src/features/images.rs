//! What each character becomes by itself, for texts whose characters do not change each other.
//!
//! Python knows its characters better than we do, so it says what each becomes; a text with another character is left
//! to it. That way is ten times as long, and few texts need it.

use super::{LOOK, UNSEEN};
use crate::halt;

/// For each code point up to some limit: how many characters it becomes, from 0 to 3 (two bits), and these (twenty bits
/// each, the first lowest). All bits are set where that is not known.
pub struct Images(pub Vec<u64>);

const UNKNOWN: u64 = u64::MAX;
const MASK: u64 = (1 << 20) - 1;

impl Images {
    /// Hands out what the characters of a text become, [`UNSEEN`] for each that becomes nothing. Stops and says no at a
    /// character of which that is not known.
    #[inline]
    pub fn each(&self, text: &[u32], mut take: impl FnMut(u32)) -> bool {
        for (at, &c) in text.iter().enumerate() {
            if at % LOOK == 0 {
                halt::spend(LOOK.min(text.len()) / 4);
            }
            let image = self.0.get(c as usize).copied().unwrap_or(UNKNOWN);
            match image & 3 {
                _ if image == UNKNOWN => return false,
                0 => take(UNSEEN),
                1 => take((image >> 2) as u32),
                number => (0..number).for_each(|place| take((image >> (2 + 20 * place) & MASK) as u32)),
            }
        }
        true
    }

    /// What a text becomes, if that is known.
    pub fn text(&self, text: &[u32]) -> Option<String> {
        let mut found = String::with_capacity(text.len() + text.len() / 8);
        self.each(text, |c| found.extend(char::from_u32(c))).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::code_points;

    #[test]
    fn a_character_becomes_none_one_or_several() {
        let mut table = vec![UNKNOWN; 0x80];
        let known = [("a", "b"), ("-", ""), ("c", "xyz"), ("d", "\u{FFFF}")];
        for (from, to) in known {
            let packed = (0_u64..).zip(code_points(to)).map(|(at, c)| u64::from(c) << (2 + 20 * at)).sum::<u64>();
            table[code_points(from)[0] as usize] = packed + to.chars().count() as u64;
        }
        let images = Images(table);
        assert_eq!(Some("bxyzb\u{FFFF}".to_owned()), images.text(&code_points("ac-a-d")));
        assert_eq!((None, None), (images.text(&code_points("ae")), images.text(&code_points("ä"))));
        assert_eq!(Some(String::new()), images.text(&[]));
    }
}
