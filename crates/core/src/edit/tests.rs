//! Every case runs through the fast version and the naive one, and where the answer is known, must be that.

use proptest::prelude::*;

use super::Editor;
use super::matrix::{Kind, Matrix};
use super::naive::{self, Op, interned};
use super::words::Words;

/// Checks a pair and returns its edits.
fn edits(hyp: &[u32], reference: &[u32]) -> u32 {
    let (hyp, reference) = interned(hyp, reference);
    let edits = Editor::new().edits(&hyp, &reference);
    assert_eq!(naive::outcome(&hyp, &reference).edits, edits, "{hyp:?} {reference:?}");
    assert_eq!(edits, Editor::with_long(0).edits(&hyp, &reference), "as long ones: {hyp:?} {reference:?}");
    edits
}

/// One letter a word.
fn letters(text: &str) -> Vec<u32> {
    text.chars().filter(|c| *c != ' ').map(u32::from).collect()
}

/// Outputs of sacreBLEU 2.6.0: hypothesis, reference, edits, then distance before any shift, shifts, candidates.
#[test]
fn short_pairs_give_the_edits_of_sacrebleu() {
    let cases = [
        ("a b c d", "a b c d", 0, 0, 0, 0),
        ("d e f", "a b c", 3, 3, 0, 0),
        ("", "a b", 2, 2, 0, 0),
        ("a b", "", 2, 2, 0, 0),
        ("", "", 0, 0, 0, 0),
        ("a b x", "a c y", 2, 2, 0, 0),
        ("c d e f g a b", "a b c d e f g", 1, 4, 1, 3),
        ("a a d", "d a a", 1, 2, 1, 4),
        ("b d f c", "d c f b", 2, 3, 2, 7),
        // on the train was still our luggage / our luggage was still on the train
        ("o t n w s u l", "u l w s o t n", 2, 6, 2, 23),
        // the same with full stops stuck to the last words
        ("o t n w s u L", "u l w s o t N", 4, 6, 2, 8),
        ("a b a a b", "b a b c c", 3, 4, 1, 3),
        ("b d c d", "d d b", 2, 3, 1, 4),
        ("c d b f a e", "f d e d", 5, 5, 2, 6),
        ("a e c d c b", "c a a d", 5, 5, 2, 14),
        ("f b b", "b b f h", 2, 3, 1, 6),
        ("f a a f", "d f f a", 3, 3, 1, 4),
        ("b a d", "c d b a", 2, 3, 1, 1),
        ("g f d f d", "d d g f f", 3, 4, 1, 19),
        ("b a b b c", "c b b a b", 3, 4, 1, 25),
        ("b g c", "g e c g e b a", 6, 6, 2, 4),
        ("d d a f", "f a d d", 2, 4, 2, 19),
        ("f c d b", "b f d c", 3, 3, 1, 10),
        ("c a b a", "a a c b", 2, 3, 2, 7),
    ];
    for (hyp, reference, expected, first_distance, shifts, candidates) in cases {
        let (hyp, reference) = interned(&letters(hyp), &letters(reference));
        let outcome = naive::Outcome { edits: expected, first_distance, shifts, candidates };
        assert_eq!(outcome, naive::outcome(&hyp, &reference), "{hyp:?} {reference:?}");
        assert_eq!(expected, edits(&hyp, &reference), "{hyp:?} {reference:?}");
    }
}

/// `w0 w1 ...`
fn w(n: u32) -> Vec<u32> {
    (0..n).collect()
}

/// `j0 j1 ...` and then `w0 w1 ...`
fn jw(junk: u32, n: u32) -> Vec<u32> {
    (1000..1000 + junk).chain(0..n).collect()
}

/// `w0 w1 ...` starting with word `k`.
fn rotation(n: u32, k: u32) -> Vec<u32> {
    (k..n).chain(0..k).collect()
}

/// Long sentences, with the edits of sacreBLEU 2.6.0.
#[test]
fn long_pairs_give_the_edits_of_sacrebleu() {
    let cases = [
        (rotation(51, 1), w(51), 1, 2, 1, 1),
        (rotation(52, 1), w(52), 2, 2, 0, 0),
        (rotation(60, 9), w(60), 18, 18, 0, 0),
        (rotation(60, 10), w(60), 1, 20, 1, 55),
        (rotation(60, 11), w(60), 2, 22, 2, 66),
        (rotation(61, 11), w(61), 2, 22, 2, 66),
        (rotation(62, 11), w(62), 22, 22, 0, 0),
        (rotation(60, 20), w(60), 2, 40, 2, 210),
        (rotation(60, 30), w(60), 60, 60, 0, 1002),
        (jw(30, 30), w(30), 30, 30, 0, 0),
        (w(30), jw(30, 30), 34, 36, 1, 23),
        (w(60), jw(40, 60), 54, 64, 2, 580),
        (jw(50, 50), w(50), 50, 50, 0, 0),
        (w(50), jw(50, 50), 66, 76, 3, 579),
        (jw(52, 52), w(52), 53, 53, 0, 0),
        (w(52), jw(52, 52), 80, 80, 0, 0),
        (jw(60, 60), w(60), 69, 69, 0, 0),
        (w(60), jw(60, 60), 96, 96, 0, 0),
        (jw(52, 58), w(58), 55, 55, 0, 0),
        (w(1), w(26), 25, 25, 0, 0),
        (w(1), w(27), 27, 27, 0, 1),
        (vec![39], w(40), 39, 39, 0, 0),
        (w(2), w(150), 150, 150, 0, 3),
        (vec![148, 149], w(150), 150, 150, 0, 0),
        (w(4), w(200), 200, 200, 0, 10),
        (w(100), w(2), 98, 98, 0, 0),
    ];
    for (number, (hyp, reference, expected, first_distance, shifts, candidates)) in cases.into_iter().enumerate() {
        let (hyp, reference) = interned(&hyp, &reference);
        let outcome = naive::Outcome { edits: expected, first_distance, shifts, candidates };
        assert_eq!(outcome, naive::outcome(&hyp, &reference), "L{}", number + 1);
        assert_eq!(expected, edits(&hyp, &reference), "L{}", number + 1);
    }
}

/// A generator of many cases, of which only checksums are kept.
struct Generator(u64);

impl Generator {
    fn next(&mut self, modulus: u32) -> u32 {
        self.0 = (1_103_515_245 * self.0 + 12_345) % (1 << 31);
        (self.0 >> 16) as u32 % modulus
    }

    fn words(&mut self, len: u32, vocabulary: u32) -> Vec<u32> {
        (0..len).map(|_| self.next(vocabulary)).collect()
    }
}

/// Sum of edits, sum of reference lengths and checksum of a block of generated cases.
fn bulk(seed: u64, cases: usize, vocabulary: (u32, u32), length: (u32, u32)) -> (u32, u32, u64) {
    let mut generator = Generator(seed);
    let (mut sum, mut lengths, mut checksum) = (0, 0, 0);
    for _ in 0..cases {
        let words = vocabulary.0 + generator.next(vocabulary.1);
        let hyp_len = length.0 + generator.next(length.1);
        let ref_len = length.0 + generator.next(length.1);
        let (hyp, reference) = (generator.words(hyp_len, words), generator.words(ref_len, words));
        // Without the naive version, which would take most of the time of all tests.
        let (hyp, reference) = interned(&hyp, &reference);
        let edits = Editor::new().edits(&hyp, &reference);
        sum += edits;
        lengths += ref_len;
        checksum = (31 * checksum + u64::from(edits)) % 1_000_000_007;
    }
    (sum, lengths, checksum)
}

#[test]
fn generated_pairs_have_the_checksums_of_sacrebleu() {
    assert_eq!((13815, 12885, 72_899_922), bulk(1, 2000, (2, 12), (0, 14)));
    assert_eq!((3026, 3081, 598_707_077), bulk(2, 60, (8, 40), (20, 60)));
    assert_eq!((3039, 3546, 773_140_246), bulk(3, 300, (2, 4), (0, 25)));
}

/// Distance and path of the bit matrix.
fn aligned(kind: Kind, hyp: &[u32], reference: &[u32]) -> (u32, Vec<Op>) {
    let (mut words, mut matrix) = (Words::default(), Matrix::default());
    words.read(hyp, reference, kind == Kind::Narrow);
    matrix.shape(kind, hyp.len(), reference.len());
    let distance = matrix.keep(0, hyp, &words);
    assert_eq!(distance, matrix.distance(&[], [&[], hyp, &[]], &words));
    let (mut i, mut j) = (hyp.len(), reference.len());
    let (mut path, mut above) = (Vec::new(), i);
    while i > 0 && j > 0 {
        if i == above {
            above = matrix.recall(i, hyp, &words);
        }
        let entry = matrix.entry(i, j);
        path.extend(vec![Op::Insert; j - entry.col]);
        (i, j) = (i - 1, entry.col - usize::from(entry.diagonal));
        path.push(match entry.diagonal {
            true if hyp[i] == reference[j] => Op::Match,
            true => Op::Substitute,
            false => Op::Delete,
        });
    }
    path.extend(vec![Op::Delete; i]);
    path.extend(vec![Op::Insert; j]);
    path.reverse();
    (distance, path)
}

/// Checks what `beam` proves: the distance, and every step of the path, for words that match often, rarely or far away.
fn check_alignment(generator: &mut Generator, hyp_len: u32, ref_len: u32) {
    let vocabulary = 1 + generator.next(1 + hyp_len.max(ref_len));
    let mut hyp = generator.words(hyp_len, vocabulary);
    let mut reference = generator.words(ref_len, vocabulary);
    let shared = generator.next(1 + hyp_len.min(ref_len)) as usize;
    let (from, to) = (generator.next(hyp_len) as usize, generator.next(ref_len) as usize);
    for k in 0..shared {
        reference[(to + k) % ref_len as usize] = hyp[(from + k) % hyp_len as usize];
    }
    for _ in 0..generator.next(1 + hyp_len / 4) {
        hyp[generator.next(hyp_len) as usize] = generator.next(vocabulary);
    }
    let (hyp, reference) = interned(&hyp, &reference);
    let expected = (naive::distance(&hyp, &reference), naive::operations(&hyp, &reference));
    let usual = Kind::of(hyp.len(), reference.len(), usize::MAX);
    for kind in [usual, Kind::Long] {
        assert_eq!(expected, aligned(kind, &hyp, &reference), "{kind:?} {hyp:?} {reference:?}");
    }
}

#[test]
fn the_beam_only_forbids_matches() {
    let mut generator = Generator(7);
    for _ in 0..shape_cases() {
        let (hyp_len, ref_len) = (1 + generator.next(130), 1 + generator.next(130));
        check_alignment(&mut generator, hyp_len, ref_len);
    }
    // Lengths so uneven that the beam widens, and lengths whose ratio is exact in some rows and not in doubles.
    for _ in 0..shape_cases() / 4 {
        let (hyp_len, ref_len) = (1 + generator.next(9), 1 + generator.next(700));
        check_alignment(&mut generator, hyp_len, ref_len);
        check_alignment(&mut generator, ref_len, hyp_len);
        let (hyp_step, ref_step, times) = (1 + generator.next(30), 1 + generator.next(30), 1 + generator.next(9));
        check_alignment(&mut generator, hyp_step * times, ref_step * times);
    }
}

/// Few by default; `TER_SHAPES=1000000` for a long run.
fn shape_cases() -> usize {
    std::env::var("TER_SHAPES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(1000)
}

/// Around the beam's reach and the ends of machine words, with few errors, many, and nothing in common.
#[test]
fn lengths_at_the_limits_agree_with_the_naive_version() {
    let limits = [1, 24, 25, 26, 50, 51, 63, 64, 65, 128];
    let mut generator = Generator(4);
    for hyp_len in limits {
        for ref_len in limits {
            let vocabulary = 9 + generator.next(200);
            let reference = generator.words(ref_len, vocabulary);
            let mut hyp = generator.words(hyp_len, vocabulary);
            edits(&hyp, &reference);
            let shared = (hyp_len.min(ref_len) * 3 / 4) as usize;
            let offset = generator.next(hyp_len - shared as u32 + 1) as usize;
            hyp[offset..offset + shared].copy_from_slice(&reference[reference.len() - shared..]);
            edits(&hyp, &reference);
        }
    }
}

/// Long enough for shifted sentences to fall into step again with the unshifted one.
#[test]
fn pages_agree_with_the_naive_version() {
    let mut generator = Generator(8);
    for _ in 0..shape_cases() / 250 {
        let length = 200 + generator.next(200);
        let mut reference = generator.words(length, 4000);
        let mut hyp = reference.clone();
        for _ in 0..generator.next(6) {
            let start = generator.next(length - 40) as usize;
            let (moved, past) = (1 + generator.next(12) as usize, 1 + generator.next(25) as usize);
            hyp[start..start + moved + past].rotate_left(moved);
        }
        for _ in 0..generator.next(60) {
            let place = generator.next(length) as usize;
            let side = if generator.next(2) == 0 { &mut hyp } else { &mut reference };
            side[place] = generator.next(4000);
        }
        hyp.truncate((length - generator.next(20)) as usize);
        edits(&hyp, &reference);
    }
}

#[test]
fn documents_take_a_moment() {
    let mut generator = Generator(5);
    for vocabulary in [3, 100, 2000] {
        let reference = generator.words(5000, vocabulary);
        let mut hyp = reference.clone();
        hyp.rotate_left(37);
        for _ in 0..1500 {
            let place = generator.next(5000) as usize;
            hyp[place] = generator.next(vocabulary);
        }
        let (hyp, reference) = interned(&hyp, &reference);
        assert!(Editor::new().edits(&hyp, &reference) > 0);
    }
}

/// One editor must not remember anything of an earlier pair.
#[test]
fn an_editor_can_be_used_again() {
    let mut generator = Generator(6);
    let (mut editor, mut long) = (Editor::new(), Editor::with_long(0));
    for _ in 0..300 {
        let lengths = (generator.next(140), generator.next(140));
        let (hyp, reference) = interned(&generator.words(lengths.0, 20), &generator.words(lengths.1, 20));
        assert_eq!(Editor::new().edits(&hyp, &reference), editor.edits(&hyp, &reference));
        assert_eq!(Editor::new().edits(&hyp, &reference), long.edits(&hyp, &reference));
    }
}

/// A sentence over a vocabulary that may be tiny.
fn sentence(longest: usize) -> impl Strategy<Value = Vec<u32>> {
    (1u32..60).prop_flat_map(move |vocabulary| prop::collection::vec(0..vocabulary, 0..longest))
}

/// A reference and a hypothesis made from it: blocks moved, words replaced, perhaps junk added at either end.
fn edited(longest: usize) -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
    let moves = prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1..15usize), 0..5);
    let changes = prop::collection::vec((any::<prop::sample::Index>(), 0u32..70), 0..25);
    (sentence(longest), moves, changes, (0..70u32, any::<bool>(), any::<bool>())).prop_map(
        |(reference, moves, changes, (junk, at_start, on_hyp))| {
            let mut reference = reference;
            let mut hyp = reference.clone();
            for (from, to, len) in moves {
                let start = from.index(hyp.len() + 1);
                let block: Vec<_> = hyp.drain(start..(start + len).min(hyp.len())).collect();
                let target = to.index(hyp.len() + 1);
                hyp.splice(target..target, block);
            }
            for (place, word) in changes {
                if !hyp.is_empty() {
                    let place = place.index(hyp.len());
                    hyp[place] = word;
                }
            }
            let side = if on_hyp { &mut hyp } else { &mut reference };
            let place = if at_start { 0 } else { side.len() };
            // Half of the pairs get no junk.
            side.splice(place..place, 100..100 + junk.saturating_sub(35));
            (hyp, reference)
        },
    )
}

proptest! {
    // Each runs 256 cases, or as many as `PROPTEST_CASES` says.
    #[test]
    fn short_sentences_agree(hyp in sentence(12), reference in sentence(12)) {
        edits(&hyp, &reference);
    }

    #[test]
    fn uneven_sentences_agree(hyp in sentence(12), reference in sentence(300)) {
        edits(&hyp, &reference);
        edits(&reference, &hyp);
    }

    #[test]
    fn edited_sentences_agree((hyp, reference) in edited(40)) {
        edits(&hyp, &reference);
    }

}

proptest! {
    // The naive version takes long for these.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 8, ..ProptestConfig::default() })]

    #[test]
    fn long_edited_sentences_agree((hyp, reference) in edited(150)) {
        edits(&hyp, &reference);
    }

    #[test]
    fn rotations_agree(n in 1u32..140, k in 0u32..140, repeat in 1u32..70) {
        let words: Vec<_> = rotation(n, k % n).into_iter().map(|word| word % repeat).collect();
        edits(&words, &w(n).into_iter().map(|word| word % repeat).collect::<Vec<_>>());
    }
}
