//! The largest number of terms that spans without overlaps can stand for.
//!
//! If no spans overlap, the first of each term are taken. Otherwise
//! spans that overlap, and spans of one term, belong to one group, and groups are chosen by themselves. In a group of
//! one term the spans that end first are best. Where spans are the same or do not overlap, terms are matched with
//! places by augmenting paths. Otherwise spans are taken in the order of their ends, and of the choices so far only
//! what they used of each term counts: of two that used the same, the one that was there first ends no later. All that
//! is exact. The general problem is NP-hard, so from [`MOST`] choices on, which takes a dozen terms that all overlap
//! each other, or from fewer where there are thousands of spans ([`STEPS`]), those with the fewest terms are dropped.

use crate::halt;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

/// A part of the output that may stand for a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
    /// The number of the wanted term.
    pub term: usize,
    /// The number of its translation.
    pub target: usize,
    pub likeness: Likeness,
}

/// How much a part of the output is like a translation, from the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    Exact,
    Form,
    Lemma,
}

/// How many choices are kept, and how many steps a group may take before fewer are.
const MOST: usize = 4096;
const STEPS: usize = 1 << 22;

/// Chooses spans that do not overlap, at most `times` of each term.
pub fn choose(mut spans: Vec<Span>, times: &[usize]) -> Vec<Span> {
    spans.sort_by_key(|span| (span.end, span.start, span.term, span.likeness, span.target));
    spans.dedup_by_key(|span| (span.end, span.start, span.term));
    if spans.windows(2).all(|two| two[0].end <= two[1].start) {
        let mut left = times.to_vec();
        spans.retain(|span| {
            let is_free = left[span.term] > 0;
            left[span.term] -= usize::from(is_free);
            is_free
        });
        return spans;
    }
    let mut chosen = Vec::new();
    for group in groups(&spans, times.len()) {
        let is_of_one = group.iter().all(|span| span.term == group[0].term);
        let is_of_places = group
            .windows(2)
            .all(|two| two[0].end <= two[1].start || (two[0].start, two[0].end) == (two[1].start, two[1].end));
        chosen.extend(match (is_of_one, is_of_places) {
            (true, _) => first_to_end(&group, times),
            (_, true) => matched(&group, times),
            _ => best(&group, times),
        });
    }
    chosen
}

/// Puts terms together whose spans overlap.
fn groups(spans: &[Span], terms: usize) -> Vec<Vec<Span>> {
    let mut heads: Vec<usize> = (0..terms).collect();
    let mut by_start: Vec<&Span> = spans.iter().collect();
    by_start.sort_by_key(|span| (span.start, span.end));
    let mut reach: Option<&Span> = None;
    for span in by_start {
        if let Some(before) = reach.filter(|before| span.start < before.end) {
            let (one, other) = (head(&mut heads, before.term), head(&mut heads, span.term));
            heads[one.max(other)] = one.min(other);
        }
        if reach.is_none_or(|before| span.end > before.end) {
            reach = Some(span);
        }
    }
    let mut found: BTreeMap<usize, Vec<Span>> = BTreeMap::new();
    for span in spans {
        found.entry(head(&mut heads, span.term)).or_default().push(*span);
    }
    found.into_values().collect()
}

fn head(heads: &mut [usize], mut term: usize) -> usize {
    while heads[term] != term {
        heads[term] = heads[heads[term]];
        term = heads[term];
    }
    term
}

fn first_to_end(spans: &[Span], times: &[usize]) -> Vec<Span> {
    let (mut end, mut chosen) = (0, Vec::new());
    for span in spans {
        if span.start >= end && chosen.len() < times[span.term] {
            end = span.end;
            chosen.push(*span);
        }
    }
    chosen
}

/// Matches terms with places that are the same or do not overlap.
fn matched(spans: &[Span], times: &[usize]) -> Vec<Span> {
    let places: Vec<&[Span]> = spans.chunk_by(|one, other| one.end == other.end).collect();
    let (mut holders, mut taken) = (vec![Vec::<usize>::new(); times.len()], vec![None; places.len()]);
    for place in 0..places.len() {
        halt::spend(places[place].len());
        // The way from this place to a term with room, over terms that are full: each with the place that leads to it.
        let (mut from, mut queue, mut at) = (HashMap::new(), vec![place], 0);
        let mut free = None;
        'search: while at < queue.len() {
            for span in places[queue[at]] {
                if let Entry::Vacant(entry) = from.entry(span.term) {
                    entry.insert(queue[at]);
                    if holders[span.term].len() < times[span.term] {
                        free = Some(span.term);
                        break 'search;
                    }
                    // One place of a full term is as good as another only if all are tried; there are few terms.
                    queue.extend(&holders[span.term]);
                }
            }
            at += 1;
        }
        while let Some(term) = free {
            let place_of = from[&term];
            let before: Option<usize> = taken[place_of].replace(term);
            holders[term].push(place_of);
            if let Some(other) = before {
                holders[other].retain(|&one| one != place_of);
            }
            free = before;
        }
    }
    let found = places.iter().zip(taken).filter_map(|(spans, term)| spans.iter().find(|span| Some(span.term) == term));
    found.copied().collect()
}

/// A choice: where its last span ends, how many it has, and the last of them among the links.
#[derive(Clone, Copy)]
struct Choice {
    end: usize,
    count: usize,
    last: usize,
}

fn best(spans: &[Span], times: &[usize]) -> Vec<Span> {
    let places: HashMap<usize, usize> = spans.iter().map(|span| span.term).fold(HashMap::new(), |mut places, term| {
        let next = places.len();
        places.entry(term).or_insert(next);
        places
    });
    let mut links: Vec<(Option<Span>, usize)> = vec![(None, 0)];
    let mut choices = vec![(vec![0; places.len()], Choice { end: 0, count: 0, last: 0 })];
    let mut known: HashMap<Vec<usize>, ()> = choices.iter().map(|(used, _)| (used.clone(), ())).collect();
    let most = (STEPS / spans.len()).clamp(64, MOST);
    for span in spans {
        halt::spend(choices.len());
        let place = places[&span.term];
        for at in 0..choices.len() {
            let (used, choice) = &choices[at];
            if choice.end > span.start || used[place] == times[span.term] {
                continue;
            }
            let (mut used, choice) = (used.clone(), *choice);
            used[place] += 1;
            if known.insert(used.clone(), ()).is_none() {
                links.push((Some(*span), choice.last));
                choices.push((used, Choice { end: span.end, count: choice.count + 1, last: links.len() - 1 }));
            }
        }
        if choices.len() > most {
            choices.sort_by_key(|(_, choice)| (std::cmp::Reverse(choice.count), choice.end, choice.last));
            choices.truncate(most / 2);
        }
    }
    let mut last = choices
        .iter()
        .map(|(_, choice)| (choice.count, std::cmp::Reverse(choice.last)))
        .max()
        .map_or(0, |(_, last)| last.0);
    let mut chosen = Vec::new();
    while let (Some(span), before) = links[last] {
        chosen.push(span);
        last = before;
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn span(start: usize, end: usize, term: usize) -> Span {
        Span { start, end, term, target: 0, likeness: Likeness::Exact }
    }

    /// Tries all ways.
    fn naive(spans: &[Span], times: &[usize], end: usize) -> usize {
        let Some((first, rest)) = spans.split_first() else { return 0 };
        let without = naive(rest, times, end);
        if first.start < end || times[first.term] == 0 {
            return without;
        }
        let mut left = times.to_vec();
        left[first.term] -= 1;
        without.max(1 + naive(rest, &left, first.end))
    }

    proptest! {
        #[test]
        fn places_that_are_the_same_are_shared_out(
            spans in prop::collection::vec((0_usize..5, 0_usize..5), 0..13),
            times in prop::collection::vec(0_usize..3, 5),
        ) {
            let mut spans: Vec<Span> = spans
                .into_iter()
                .map(|(place, term)| span(3 * place, 3 * place + 3, term))
                .collect();
            let chosen = choose(spans.clone(), &times);
            spans.sort_by_key(|span| span.start);
            prop_assert_eq!(naive(&spans, &times, 0), chosen.len());
            let starts: std::collections::HashSet<usize> = chosen.iter().map(|span| span.start).collect();
            prop_assert_eq!(starts.len(), chosen.len());
            for (term, &most) in times.iter().enumerate() {
                prop_assert!(chosen.iter().filter(|span| span.term == term).count() <= most);
            }
        }

        #[test]
        fn the_choice_is_the_largest(
            spans in prop::collection::vec((0_usize..14, 1_usize..6, 0_usize..6), 0..13),
            times in prop::collection::vec(0_usize..4, 6),
        ) {
            let mut spans: Vec<Span> = spans
                .into_iter()
                .map(|(start, length, term)| span(start, start + length, term))
                .collect();
            let mut chosen = choose(spans.clone(), &times);
            spans.sort_by_key(|span| span.start);
            prop_assert_eq!(naive(&spans, &times, 0), chosen.len());
            chosen.sort_by_key(|span| span.start);
            prop_assert!(chosen.windows(2).all(|two| two[0].end <= two[1].start));
            for (term, &most) in times.iter().enumerate() {
                prop_assert!(chosen.iter().filter(|span| span.term == term).count() <= most);
            }
        }
    }
}
