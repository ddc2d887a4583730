//! The quick ways against the slow ones.

use super::*;
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
