//! Places where a very long text and its reference surely belong together.
//!
//! The table of the first pass grows with the product of two lengths, and at some size nobody wants to wait for it.
//! Four tokens in a row that stand once on each side are most likely the same place; the longest chain of such places
//! that goes forward on both sides divides the table into blocks along its diagonal.

use std::collections::HashMap;

/// How many tokens in a row make an anchor.
const TOKENS: usize = 4;

/// Places in a hypothesis and in its reference that belong together, in order, at least so many reference tokens apart.
pub fn anchors(hypothesis: &[u32], reference: &[u32], apart: usize) -> Vec<(usize, usize)> {
    let (ours, theirs) = (single(hypothesis), single(reference));
    let common = theirs.iter().filter_map(|(tokens, &there)| ours.get(tokens).map(|&here| (there, here)));
    let mut pairs: Vec<(usize, usize)> = common.collect();
    pairs.sort_unstable();
    let mut next = apart;
    let chain = rising(&pairs).into_iter().filter_map(|at| {
        let (there, here) = pairs[at];
        let is_far = there >= next && here > 0;
        next = if is_far { there + apart } else { next };
        is_far.then_some((here, there))
    });
    chain.collect()
}

/// The places of all runs of tokens that stand once in a text.
fn single(text: &[u32]) -> HashMap<[u32; TOKENS], usize> {
    let mut places: HashMap<[u32; TOKENS], Option<usize>> = HashMap::new();
    for (at, tokens) in text.windows(TOKENS).enumerate() {
        if let Some(&tokens) = tokens.first_chunk() {
            places.entry(tokens).and_modify(|place| *place = None).or_insert(Some(at));
        }
    }
    places.into_iter().filter_map(|(tokens, place)| place.map(|at| (tokens, at))).collect()
}

/// The numbers of the longest chain of pairs whose second parts rise.
fn rising(pairs: &[(usize, usize)]) -> Vec<usize> {
    // For each length, the chain that ends lowest; and for each pair the one before it.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (at, &(_, here)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < here);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut chain: Vec<usize> = std::iter::successors(ends.last().copied(), |&at| before[at]).collect();
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_go_forward_on_both_sides() {
        let reference: Vec<u32> = (0..1000).collect();
        let missing: Vec<u32> = reference[..300].iter().chain(&reference[500..]).copied().collect();
        let found = anchors(&missing, &reference, 100);
        assert_eq!(vec![(100, 100), (200, 200), (300, 500), (400, 600), (500, 700), (600, 800), (700, 900)], found);
        // A part in another place is not in the chain, and what stands twice is no anchor.
        let moved: Vec<u32> = reference[800..].iter().chain(&reference[..800]).copied().collect();
        assert!(anchors(&moved, &reference, 100).iter().all(|&(here, there)| here == there + 200));
        assert!(anchors(&[7; 1000], &[7; 1000], 10).is_empty());
        assert!(anchors(&[], &reference, 10).is_empty());
    }
}
