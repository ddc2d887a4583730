//! Where tokens end inside the words of a text, so that a page can mark tokens without a tokenizer.
//!
//! `study/page/cuts.py` says what a cut is and does the same for texts that are not handled here.

use crate::unicode::is_space;

/// The cuts of a text as bytes: their number and one, then the distance of each from the one before, in UTF-16 units
/// without white space. A number has seven bits in a byte, the lowest first; the eighth bit says that there are more.
///
/// The tokens have white space between them, and are in one line. None if they are not the text without its white
/// space, or if one of them spans white space.
pub fn packed_cuts(text: &[u32], tokens: &[u32]) -> Option<Vec<u8>> {
    let (mut cuts, mut place) = (Vec::new(), 0u64);
    let mut letters = (0..tokens.len()).filter(|&at| !is_space(tokens[at]));
    let ends_at = |line: &[u32], at: usize| line.get(at + 1).is_none_or(|&next| is_space(next));
    for (at, &c) in text.iter().enumerate().filter(|&(_, &c)| !is_space(c)) {
        let letter = letters.next().filter(|&letter| tokens[letter] == c)?;
        place += if c > 0xFFFF { 2 } else { 1 };
        match (ends_at(text, at), ends_at(tokens, letter)) {
            (true, false) => return None,
            (false, true) => cuts.push(place),
            _ => {}
        }
    }
    if letters.next().is_some() {
        return None;
    }
    let mut packed = Vec::with_capacity(cuts.len() + 1);
    push_number(&mut packed, cuts.len() as u64 + 1);
    let before = std::iter::once(0).chain(cuts.iter().copied());
    cuts.iter().zip(before).for_each(|(&cut, before)| push_number(&mut packed, cut - before));
    Some(packed)
}

fn push_number(packed: &mut Vec<u8>, mut number: u64) {
    while number > 127 {
        packed.push(number as u8 & 127 | 128);
        number >>= 7;
    }
    packed.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::code_points;

    fn cuts(text: &str, tokens: &str) -> Option<Vec<u8>> {
        packed_cuts(&code_points(text), &code_points(&tokens.replace('|', " ")))
    }

    #[test]
    fn a_token_that_ends_inside_a_word_is_a_cut() {
        assert_eq!(Some(vec![1]), cuts("ab cd", "ab|cd"));
        assert_eq!(Some(vec![3, 2, 3]), cuts(" ab, cd.", "ab|,|cd|."));
        assert_eq!(Some(vec![2, 2]), cuts("\u{1F600}x", "\u{1F600}|x"));
        assert_eq!(Some(vec![2, 200, 1]), cuts(&"x".repeat(201), &format!("{}|x", "x".repeat(200))));
        assert_eq!(Some(vec![1]), cuts(" ", ""));
    }

    #[test]
    fn tokens_that_are_no_pieces_have_no_cuts() {
        assert_eq!([None, None, None], [cuts("a b", "ab"), cuts("&amp;", "&"), cuts("A b", "a|b")]);
        assert_eq!([None, None], [cuts("a", "a|b"), cuts("a b", "a")]);
    }
}
