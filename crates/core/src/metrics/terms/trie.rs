//! The terms of a glossary by their letters: which of them begin at a place of a text, in one walk.
//!
//! Terms are sorted, so those with a common beginning stand side by side, and a node is such a range. Where only one
//! term is left, the rest of it is compared at once: there are about as many nodes as terms, and a walk for a text that
//! has no term ends after a few of them. A search in the sorted terms for each letter took six times as long, because
//! each of its dozen steps waits for memory.

use crate::halt;

/// A range of terms that begin alike.
#[derive(Clone, Copy, Debug)]
struct Node {
    letter: u32,
    terms: (u32, u32),
    children: (u32, u32),
}

/// Terms by their letters.
#[derive(Clone, Debug)]
pub struct Trie {
    letters: Vec<u32>, // of all terms, in their order
    ends: Vec<u32>,    // of the terms in these
    entries: Vec<u32>, // of the terms
    nodes: Vec<Node>,
    firsts: Vec<u32>, // the first nodes of letters below FIRSTS; 0 for none
}

const FIRSTS: u32 = 0x3000;

impl Trie {
    /// Sorts terms; one without letters is nowhere.
    pub fn new(terms: &[Vec<u32>]) -> Self {
        let mut order: Vec<(u64, u32)> =
            (0..).zip(terms).filter(|(_, term)| !term.is_empty()).map(|(at, term)| (beginning(term), at)).collect();
        halt::spend(order.len());
        order.sort_unstable_by(|(key, one), (other_key, other)| {
            key.cmp(other_key).then_with(|| terms[*one as usize].cmp(&terms[*other as usize])).then(one.cmp(other))
        });
        let mut found = Self {
            letters: Vec::with_capacity(terms.iter().map(Vec::len).sum()),
            ends: Vec::with_capacity(order.len()),
            entries: order.iter().map(|&(_, at)| at).collect(),
            nodes: Vec::new(),
            firsts: vec![0; FIRSTS as usize],
        };
        for &(_, at) in &order {
            found.letters.extend(&terms[at as usize]);
            found.ends.push(found.letters.len() as u32);
        }
        found.divide();
        found
    }

    /// Divides each range by the next letter, level by level, so that the children of a node stand side by side.
    fn divide(&mut self) {
        self.nodes.push(Node { letter: 0, terms: (0, self.entries.len() as u32), children: (0, 0) });
        let (mut at, mut depth, mut level) = (0, 0, 1);
        while at < self.nodes.len() {
            halt::spend(1);
            if at == level {
                (depth, level) = (depth + 1, self.nodes.len());
            }
            let Node { terms: (mut low, high), .. } = self.nodes[at];
            let first = self.nodes.len() as u32;
            while low < high && self.term(low).len() == depth {
                low += 1;
            }
            // One term alone is compared as a whole.
            while low < high && (high - low > 1 || self.nodes.len() as u32 > first || depth == 0) {
                let letter = self.term(low)[depth];
                let end = (low..high).find(|&place| self.term(place)[depth] != letter).unwrap_or(high);
                if depth == 0 && letter < FIRSTS {
                    self.firsts[letter as usize] = self.nodes.len() as u32;
                }
                self.nodes.push(Node { letter, terms: (low, end), children: (0, 0) });
                low = end;
            }
            self.nodes[at].children = (first, self.nodes.len() as u32);
            at += 1;
        }
    }

    fn term(&self, place: u32) -> &[u32] {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.letters[start as usize..self.ends[place as usize] as usize]
    }

    /// Calls `found` with the number of each term that stands there, and its length, shorter ones first.
    pub fn each_at(&self, text: &[u32], mut found: impl FnMut(usize, usize)) {
        let Some(mut node) = text.first().and_then(|&letter| self.child(&self.nodes[0], letter)) else { return };
        for depth in 1.. {
            let Node { terms: (mut low, high), .. } = *node;
            while low < high && self.term(low).len() == depth {
                found(self.entries[low as usize] as usize, depth);
                low += 1;
            }
            if high - low == 1 {
                let rest = self.term(low);
                if text.starts_with(rest) {
                    found(self.entries[low as usize] as usize, rest.len());
                }
                return;
            }
            let Some(next) = text.get(depth).and_then(|&letter| self.child(node, letter)) else { return };
            node = next;
        }
    }

    fn child(&self, node: &Node, letter: u32) -> Option<&Node> {
        let (first, end) = node.children;
        if first == 1 && letter < FIRSTS {
            let known = self.firsts[letter as usize] as usize;
            return (known > 0).then(|| &self.nodes[known]);
        }
        let children = &self.nodes[first as usize..end as usize];
        children.binary_search_by_key(&letter, |child| child.letter).ok().map(|at| &children[at])
    }
}

/// The first three letters of a term, so that most comparisons need no more.
fn beginning(term: &[u32]) -> u64 {
    (0..3).fold(0, |key, at| key << 21 | u64::from(term.get(at).map_or(0, |&letter| letter.min(0x1F_FFFE) + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::code_points;
    use proptest::prelude::*;

    fn naive(terms: &[Vec<u32>], text: &[u32]) -> Vec<(usize, usize)> {
        let mut found: Vec<_> = (0..terms.len())
            .filter(|&at| !terms[at].is_empty() && text.starts_with(&terms[at]))
            .map(|at| (at, terms[at].len()))
            .collect();
        found.sort_by_key(|&(at, length)| (length, at));
        found
    }

    proptest! {
        #[test]
        fn terms_that_stand_at_a_place_are_found(
            terms in prop::collection::vec("[ab\u{300}\u{4E00}\u{10FFFF}]{0,5}", 0..12),
            text in "[ab\u{300}\u{4E00}\u{10FFFF}]{0,9}",
        ) {
            let terms: Vec<Vec<u32>> = terms.iter().map(|term| code_points(term)).collect();
            let (trie, text) = (Trie::new(&terms), code_points(&text));
            for start in 0..=text.len() {
                let mut found = Vec::new();
                trie.each_at(&text[start..], |term, length| found.push((term, length)));
                prop_assert_eq!(naive(&terms, &text[start..]), found);
            }
        }
    }
}
