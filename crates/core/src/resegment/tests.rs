//! The quick ways against the slow ones.

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
        let expected = plain::align(&hypothesis, &references, &[]);
        prop_assert_eq!(&expected, &mwer::align(&hypothesis, &references, store));
        prop_assert_eq!(&expected, &mwer::align(&hypothesis, &references, mwer::STORE));
    }

    #[test]
    fn several_references_are_aligned_as_the_rules_say(
        hypothesis in texts(150),
        segments in proptest::collection::vec(proptest::collection::vec(texts(12), 1..4), 1..9),
        store in 1usize..100,
    ) {
        let references = references(&segments);
        let expected = plain::align(&hypothesis, &references, &[]);
        prop_assert_eq!(&expected, &mwer::align(&hypothesis, &references, store));
    }
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
