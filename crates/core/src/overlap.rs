//! Overlap: which n-grams of a test set stand in training text, in one pass and in memory that does not grow with it.
//!
//! ```text
//! characters   what each character becomes: a letter in its folded form, a gap between words, or nothing
//! units        text to units: words, and letters of scripts without spaces by themselves
//! index        the test set: a vocabulary of its units, and tables of its n-grams by a rolling hash
//! reader       training text: units become numbers, and n-grams are looked up
//! scan         blocks of files in any number of threads, and what was found, in order
//! ```
//!
//! A unit of training text that the test set does not have ends every n-gram, and all others become numbers by
//! comparing their bytes. An n-gram that a table finds is compared number by number. So hashes only say where to look,
//! and nothing is found that is not there.
//!
//! Threads read pieces that end with records, and give events: this n-gram, that record. One thread takes the events in
//! the order of the text, so that results depend neither on threads nor on how the text came in blocks.

pub mod characters;
pub mod index;
#[cfg(any(test, fuzzing))]
pub mod naive;
mod reader;
pub mod scan;
mod units;

#[cfg(test)]
mod tests {
    use super::index::Lengths;
    use super::naive::{matches, plain_characters, records, scanned, units};
    use super::scan::{Ends, Match};
    use proptest::prelude::*;

    const SPACED: Lengths = Lengths { n: 4, least: 2 };
    const ALONE: Lengths = Lengths { n: 5, least: 3 };

    fn expected(texts: &[&str], file: &str, ends: Ends, common: u32) -> Vec<Match> {
        matches(&plain_characters().unwrap(), texts, &records(file, ends), SPACED, ALONE, common)
    }

    fn found(texts: &[&str], file: &str, ends: Ends, common: u32, threads: usize, blocks: &[usize]) -> Vec<Match> {
        scanned(texts, file.as_bytes(), ends, (SPACED, ALONE), common, (threads, blocks)).unwrap()
    }

    #[test]
    fn a_text_is_its_folded_words() {
        let characters = plain_characters().unwrap();
        for (text, expected) in [
            ("Don't STOP - now", vec!["dont", "stop", "now"]),
            (
                "caf\u{e9} cafe\u{301} cafe\u{323}\u{301} cafe\u{301}\u{323}",
                vec!["cafe\u{301}", "cafe\u{301}", "cafe\u{323}\u{301}", "cafe\u{323}\u{301}"],
            ),
            ("\u{301} a", vec!["a"]),
            ("aかな\u{301}b ち1", vec!["a", "か", "な\u{301}", "b", "ち", "1"]),
        ] {
            assert_eq!(expected, units(&characters, text), "{text}");
        }
    }

    #[test]
    fn marks_are_put_in_order_wherever_the_text_is_cut() {
        let (texts, file) = (["x y e\u{301}\u{323} z"], "x y e\u{323}\u{301} z\nx y \u{e9}\u{323} z");
        for block in 1..8 {
            let found = found(&texts, file, Ends::Lines, 9, 1, &[block]);
            assert_eq!((4, 2), (found[0].covered, found[0].records), "{block}");
        }
    }

    #[test]
    fn nothing_is_found_across_records_and_everything_across_lines_of_one() {
        let texts = ["one two three four five"];
        let file = "one two three\nfour five\n\none two\n";
        assert_eq!(0, found(&texts, file, Ends::Lines, 9, 1, &[99])[0].covered);
        let within = &found(&texts, file, Ends::Paragraphs, 9, 1, &[99])[0];
        assert_eq!((5, 5, 1), (within.covered, within.longest, within.records));
        assert_eq!(5, found(&texts, file, Ends::Files, 9, 1, &[1])[0].longest);
    }

    #[test]
    fn text_that_is_cut_for_threads_gives_the_same() {
        let texts = ["a b c d e f g", "h i", "q r s t u"];
        for (ends, mark) in [(Ends::Lines, "\n"), (Ends::Paragraphs, "\n\n")] {
            let file = format!("x a b c d{mark}h i b c d e f q r s{mark}").repeat(50_000);
            let whole = found(&texts, &file, ends, 7, 1, &[usize::MAX]);
            assert_eq!((100_000, 0), (whole[0].records, whole[0].covered), "more records than 7 have these");
            assert_eq!(6, whole[0].common);
            for (threads, block) in [(2, usize::MAX), (7, usize::MAX), (2, 700_001), (1, 4_099)] {
                assert_eq!(whole, found(&texts, &file, ends, 7, threads, &[block]), "{threads}, {block}");
            }
        }
    }

    fn text() -> impl Strategy<Value = String> {
        proptest::collection::vec(
            prop_oneof![
                6 => "[abc]{1,2} ",
                2 => "[かなち]",
                1 => "[A\u{301}\u{323}'é]",
                1 => "\n",
                1 => "\n\n",
                1 => "[-. 1\r]",
            ],
            0..40,
        )
        .prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn the_fast_way_finds_what_the_slow_one_finds(
            texts in proptest::collection::vec(text(), 0..6),
            file in text(),
            ends in prop_oneof![Just(Ends::Lines), Just(Ends::Paragraphs), Just(Ends::Files)],
            common in 0_u32..4,
            threads in 1_usize..3,
            blocks in proptest::collection::vec(1_usize..30, 1..4),
        ) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let found = found(&texts, &file, ends, common, threads, &blocks);
            prop_assert_eq!(expected(&texts, &file, ends, common), found);
        }
    }
}
