//! Bounds on what texts copy: words of the source in the output, and words that many outputs have in common.
//!
//! Python's `doctor/wrapping.py` says exactly what is a fault, and reads whole texts word by word. Few texts have
//! enough words in common, which is seen here from hashes: a bound may be too high, and is never too low.

use super::kept::{UNITS, kinds};
use super::simple::{Simple, folded, hashed, simple};
use super::{LOOK, for_each_of, text_of};
use crate::halt;
use crate::threads::Threads;

/// What is returned if nothing is known.
pub const UNKNOWN: i32 = i32::MAX;

/// How many words in a row, or letters if `by_letter`, each output has from its source, at most: 0 if they are fewer
/// than `size` or than a quarter of the output.
///
/// Words with a capital may be names and are left out, as are numbers.
pub fn copied_at_most(
    outputs: (&[u32], &[usize]),
    sources: (&[u32], &[usize]),
    size: usize,
    by_letter: bool,
    threads: &Threads,
) -> Vec<i32> {
    for_each_of(outputs.1.len(), threads, |at| {
        let texts = [text_of(outputs.0, outputs.1, at), text_of(sources.0, sources.1, at)];
        halt::spend(texts[0].len() + texts[1].len());
        // Python takes the parts out first that a translation keeps.
        if texts.iter().any(|text| kinds(text)[0] & UNITS != 0) {
            return UNKNOWN;
        }
        let [Some(output), Some(source)] = texts.map(|text| own_words(text, by_letter)) else { return UNKNOWN };
        let longest = longest_run(&output, &source, size);
        if 4 * longest >= output.len() { longest as i32 } else { 0 }
    })
}

/// The words of the longest run in which all parts of so many words are parts of the source; 0 if there is none.
fn longest_run(output: &[u64], source: &[u64], size: usize) -> usize {
    let part = |words: &[u64]| words.iter().fold(0, |mixed: u64, &word| hashed([mixed, word].into_iter()));
    if output.len() < size || source.len() < size {
        return 0;
    }
    let mut theirs: Vec<u64> = source.windows(size).map(part).collect();
    theirs.sort_unstable();
    let (mut longest, mut length) = (0, 0);
    for words in output.windows(size) {
        length = if theirs.binary_search(&part(words)).is_ok() { (length + 1).max(size) } else { 0 };
        longest = longest.max(length);
    }
    longest
}

/// The hashes of the words that have no capital at their beginning; None if a character is unknown.
fn own_words(text: &[u32], by_letter: bool) -> Option<Vec<u64>> {
    let kinds: Vec<Simple> = text.iter().map(|&c| simple(c)).collect();
    if kinds.contains(&Simple::Unknown) {
        return None;
    }
    let is_letter = |at: usize| matches!(kinds[at], Simple::Letter | Simple::Capital);
    if by_letter {
        return Some((0..text.len()).filter(|&at| is_letter(at)).map(|at| u64::from(text[at])).collect());
    }
    let (mut words, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let length = (at..text.len()).take_while(|&place| is_letter(place)).count();
        if length > 0 && kinds[at] == Simple::Letter {
            words.push(hashed(text[at..at + length].iter().map(|&c| c.into())));
        }
        at += length.max(1);
    }
    Some(words)
}

/// How many of some texts have the most frequent part of so many words in a row, or letters if `by_letter`, at most.
///
/// Texts with an unknown character may have any part.
pub fn shared_parts(joined: &[u32], ends: &[usize], size: usize, by_letter: bool) -> usize {
    // Each part adds one to a place; two parts may have one place, and a text may have a part twice.
    let mut counts = vec![0_u32; PLACES];
    let (mut unknown, mut words) = (0, Vec::new());
    for at in 0..ends.len() {
        let text = text_of(joined, ends, at);
        halt::spend(text.len());
        if all_words(text, by_letter, &mut words) {
            for part in words.windows(size) {
                counts[(part.iter().fold(0, |mixed, &word| hashed([mixed, word].into_iter())) >> SHIFT) as usize] += 1;
            }
        } else {
            unknown += 1;
        }
    }
    unknown + counts.into_iter().max().unwrap_or(0) as usize
}

const PLACES: usize = 1 << 17;
const SHIFT: u32 = u64::BITS - PLACES.trailing_zeros();

/// The hashes of all words without regard to case; false if a character is unknown.
fn all_words(text: &[u32], by_letter: bool, words: &mut Vec<u64>) -> bool {
    words.clear();
    let mut word = Vec::new();
    for (at, &c) in text.iter().enumerate() {
        if at % LOOK == 0 {
            halt::spend(LOOK.min(text.len()));
        }
        let kind = simple(c);
        let (first, second) = folded(c);
        match kind {
            Simple::Unknown => return false,
            Simple::Letter | Simple::Capital | Simple::Digit if by_letter => {
                words.extend([first].into_iter().chain(second).map(u64::from));
            }
            Simple::Gap | Simple::Underscore if by_letter => {}
            Simple::Gap => {
                if !word.is_empty() {
                    words.push(hashed(word.drain(..)));
                }
            }
            _ => word.extend([u64::from(first)].into_iter().chain(second.map(u64::from))),
        }
    }
    if !word.is_empty() {
        words.push(hashed(word.drain(..)));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::code_points;

    fn joined(texts: &[&str]) -> (Vec<u32>, Vec<usize>) {
        let mut joined = (Vec::new(), Vec::new());
        for text in texts {
            joined.0.extend(code_points(text));
            joined.1.push(joined.0.len());
        }
        joined
    }

    fn copied(output: &str, source: &str, size: usize, by_letter: bool) -> i32 {
        let (outputs, sources) = (joined(&[output]), joined(&[source]));
        copied_at_most((&outputs.0, &outputs.1), (&sources.0, &sources.1), size, by_letter, &Threads::new(1))[0]
    }

    #[test]
    fn words_in_a_row_are_counted_without_names_and_numbers() {
        assert_eq!(5, copied("so a b c Anna 7 d e", "a b, c d e", 3, false));
        assert_eq!((0, 0), (copied("a b x c d", "a b c d", 3, false), copied("a b", "a b", 3, false)));
        assert_eq!(0, copied("a b c 1 x y z u v w p q r s t", "a b c", 3, false));
        assert_eq!(4, copied("我来了吗", "我来了吗。", 4, true));
        assert_eq!((UNKNOWN, UNKNOWN), (copied("a ม", "a", 1, false), copied("a {x}", "a", 1, false)));
    }

    #[test]
    fn the_most_frequent_part_is_counted_in_any_case() {
        let parts = |texts: &[&str], size, by_letter| {
            let (joined, ends) = joined(texts);
            shared_parts(&joined, &ends, size, by_letter)
        };
        assert_eq!(3, parts(&["Straße Öl in", "STRASSE öl", "x strasse, öl"], 2, false));
        assert_eq!(2, parts(&["今日は", "は今日は", "明日"], 3, true));
        assert_eq!(1, parts(&["a b", "b a"], 2, false));
        assert_eq!(2, parts(&["a b", "ม"], 2, false));
    }
}
