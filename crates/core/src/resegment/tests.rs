//! The quick ways against the slow ones.

use super::band::Shape;
use super::mwer::Means;
use super::*;
use crate::threads::Threads;
use proptest::prelude::*;

/// A few letters, so that there are many ties.
fn texts(most: usize) -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::vec(0u32..4, 0..most)
}

fn references(texts: &[Vec<Vec<u32>>]) -> References {
    let lengths: Vec<u32> = texts.iter().flatten().map(|text| text.len() as u32).collect();
    let counts: Vec<u32> = texts.iter().map(|texts| texts.len() as u32).collect();
    References::new(texts.iter().flatten().flatten().copied().collect(), &lengths, &counts).unwrap()
}

/// Without a band, and with a store of so many words.
fn whole(store: usize) -> Means {
    Means { store, shape: Shape { least_cells: u64::MAX, ..Shape::default() } }
}

/// With the narrowest bands, in parts of so many rows.
fn banded(rows: usize, reach: usize) -> Means {
    Means { store: 200, shape: Shape { rows, reach, least_cells: 0 } }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn one_reference_is_aligned_as_the_rules_say(
        hypothesis in texts(200),
        segments in proptest::collection::vec(texts(30), 1..12),
        store in 1usize..200,
    ) {
        let segments: Vec<_> = segments.into_iter().map(|text| vec![text]).collect();
        let references = references(&segments);
        let expected = naive::align(&hypothesis, &references);
        prop_assert_eq!(&expected, &mwer::align(&hypothesis, &references, &whole(store)));
        prop_assert_eq!(&expected, &mwer::align(&hypothesis, &references, &Means::default()));
    }

    #[test]
    fn several_references_are_aligned_as_the_rules_say(
        hypothesis in texts(150),
        segments in proptest::collection::vec(proptest::collection::vec(texts(12), 1..4), 1..9),
        store in 1usize..100,
    ) {
        let references = references(&segments);
        let expected = naive::align(&hypothesis, &references);
        prop_assert_eq!(&expected, &mwer::align(&hypothesis, &references, &whole(store)));
    }
}

/// A reference in segments, some of them empty, and a hypothesis that has some of its tokens.
fn translated() -> impl Strategy<Value = (Vec<u32>, Vec<Vec<Vec<u32>>>)> {
    let kinds = prop_oneof![Just(2u32), Just(9), Just(300), Just(100_000)];
    let change = (0usize..2000, 0u32..8, 0usize..200);
    let given = (kinds, proptest::collection::vec(0u32..100_000, 0..1400), 0u32..60, any::<u64>());
    (given, proptest::collection::vec(change, 0..4), 1usize..60).prop_map(
        |((kinds, reference, errors, seed), passages, length)| {
            let reference: Vec<u32> = reference.into_iter().map(|token| token % kinds).collect();
            let mut state = seed | 1;
            let mut chance = |below: u32| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as u32 % below
            };
            let mut hypothesis = Vec::new();
            for &token in &reference {
                match (chance(100) < errors, chance(4)) {
                    (true, 0) => {}
                    (true, 1) => hypothesis.extend([token, chance(kinds)]),
                    (true, _) => hypothesis.push(chance(kinds)),
                    (false, _) => hypothesis.push(token),
                }
            }
            for (at, what, tokens) in passages {
                let at = at.min(hypothesis.len());
                let end = hypothesis.len().min(at + tokens);
                match what {
                    0 => drop(hypothesis.drain(at..end)),
                    1 => drop(hypothesis.splice(at..at, (0..tokens as u32).map(|token| token % kinds))),
                    2 => hypothesis[at..end].reverse(),
                    3 => hypothesis.rotate_left(at.min(70)),
                    4 => hypothesis.extend_from_within(at..end),
                    _ => {}
                }
            }
            let segments = reference.chunks(length).flat_map(|segment| {
                let ends = usize::from(segment[0] % 5 == 0);
                std::iter::once(vec![segment.to_vec()]).chain(vec![vec![Vec::new()]; ends])
            });
            (hypothesis, segments.chain([vec![Vec::new()]]).collect())
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_band_gives_the_cuts_of_the_whole_table(
        (hypothesis, segments) in translated(), rows in 1usize..200, reach in 0usize..150,
    ) {
        let references = references(&segments);
        let expected = naive::align(&hypothesis, &references);
        prop_assert_eq!(&expected, &mwer::align(&hypothesis, &references, &whole(500)));
        prop_assert_eq!(&expected, &mwer::align(&hypothesis, &references, &banded(rows, reach)));
        let guide = |means: &Means| mwer::guide(&hypothesis, &references, means, u64::MAX);
        prop_assert_eq!(guide(&whole(500)), guide(&banded(rows, reach)));
    }
}

/// A fuzzer found it: a reach of nothing was doubled for ever.
#[test]
fn a_band_without_reach_grows_too() {
    let (hypothesis, references) = ([5], references(&[vec![vec![0, 0, 0, 0, 3, 5]]]));
    let expected = naive::align(&hypothesis, &references);
    assert_eq!(expected, mwer::align(&hypothesis, &references, &banded(1, 0)));
}

/// A document of words, each of which may begin a segment; every fifth word is a full stop.
fn document(hypothesis: &[u32], segments: &[Vec<Vec<u32>>]) -> cue::Document {
    let sort = |token: &u32| if token % 5 == 4 { cue::kind::TERMINAL } else { cue::kind::WORD | cue::PERMITTED };
    let references = references(segments);
    cue::Document {
        tokens: hypothesis.to_vec(),
        sorts: hypothesis.iter().map(sort).collect(),
        reference_sorts: references.tokens.iter().map(sort).collect(),
        references,
        ..cue::Document::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn a_window_is_never_better_than_none_and_a_wide_one_as_good_in_any_number_of_threads(
        hypothesis in proptest::collection::vec(0u32..20, 0..120),
        segments in proptest::collection::vec(proptest::collection::vec(0u32..20, 0..20), 1..9),
        window in 1usize..40,
    ) {
        let segments: Vec<_> = segments.into_iter().map(|text| vec![text]).collect();
        let documents = vec![document(&hypothesis, &segments); 3];
        let exact = cue::divide(&documents, None, u64::MAX, &Threads::new(1));
        let found = cue::divide(&documents, Some(window), u64::MAX, &Threads::new(2));
        prop_assert!(exact[0].cost <= found[0].cost);
        prop_assert_eq!(&exact, &cue::divide(&documents, Some(120), u64::MAX, &Threads::new(1)));
        prop_assert_eq!(&found[0], &found[2]);
        prop_assert_eq!(Some(&hypothesis.len()), found[0].cuts.last());
    }

    #[test]
    fn anchors_cost_nothing_where_most_of_the_text_is_right(
        reference in proptest::collection::vec(0u32..5000, 200..900),
        changes in proptest::collection::vec((0usize..200, 0u32..5000), 0..9),
        lengths in proptest::collection::vec(1usize..30, 60..61),
    ) {
        let (mut segments, mut rest) = (Vec::new(), &reference[..]);
        for length in lengths {
            let (segment, others) = rest.split_at(length.min(rest.len()));
            segments.push(vec![segment.to_vec()]);
            rest = others;
        }
        segments.push(vec![rest.to_vec()]);
        let mut hypothesis = reference.clone();
        changes.iter().for_each(|&(at, token)| hypothesis[at] = token);
        let documents = [document(&hypothesis, &segments)];
        let exact = cue::divide(&documents, Some(300), u64::MAX, &Threads::new(1));
        let found = cue::divide(&documents, Some(300), 0, &Threads::new(1));
        prop_assert_eq!((&exact[0].cuts, exact[0].cost), (&found[0].cuts, found[0].cost));
        prop_assert!(found[0].anchors > 0 && exact[0].anchors == 0);
    }
}
