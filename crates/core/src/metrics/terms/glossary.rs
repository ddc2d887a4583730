//! Terms with their translations, and which of them a source has.

use super::line::{Bases, Bounds, Line, Pattern};
use super::merge;
use crate::halt;
use crate::text::Text;
use crate::unicode::code_points;
use std::collections::HashMap;
use std::ops::Range;

/// Which terms mind case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// None.
    Folded,
    /// All.
    Kept,
    /// Those with a capital after the first character, or a digit.
    Smart,
}

/// Which terms of a source count where some overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// The leftmost, of these the longest.
    Longest,
    /// All.
    All,
    /// All, but each term once.
    Once,
}

/// A term, its translations, and other forms of these, each with the number of its translation.
pub type Given<T> = (T, Vec<T>, Vec<(usize, T)>);

/// A term.
#[derive(Clone, Debug)]
pub struct Entry {
    source: Pattern,
    pub(super) targets: Vec<Pattern>,
    pub(super) forms: Vec<(usize, Pattern)>, // of a target, by its number
}

/// Terms with their translations.
#[derive(Clone, Debug)]
pub struct Glossary {
    pub(super) entries: Vec<Entry>,
    sorted: Vec<usize>, // entries in the order of their terms
    firsts: HashMap<u32, Range<usize>>,
    pub(super) bases: Bases,
    pub(super) bounds: Bounds,
    case: Case,
    overlap: Overlap,
}

impl Glossary {
    /// Reads terms.
    pub fn new<T: AsRef<str>>(terms: &[Given<T>], bases: Bases, case: Case, bounds: Bounds, overlap: Overlap) -> Self {
        let read = |text: &T, words: bool| {
            halt::spend(1);
            pattern(Text::Wide(&code_points(text.as_ref())), case, bounds, words.then_some(&bases))
        };
        let entries: Vec<Entry> = terms
            .iter()
            .map(|(source, targets, forms)| Entry {
                source: read(source, false),
                targets: targets.iter().map(|text| read(text, true)).collect(),
                forms: forms.iter().map(|(target, text)| (*target, read(text, false))).collect(),
            })
            .collect();
        let mut sorted: Vec<usize> = (0..entries.len()).filter(|&at| !entries[at].term().is_empty()).collect();
        sorted.sort_by(|&one, &other| entries[one].term().cmp(entries[other].term()).then(one.cmp(&other)));
        let mut firsts: HashMap<u32, Range<usize>> = HashMap::new();
        for (place, &entry) in sorted.iter().enumerate() {
            firsts.entry(entries[entry].term()[0]).or_insert(place..place).end = place + 1;
        }
        Self { entries, sorted, firsts, bases, bounds, case, overlap }
    }

    /// A term that is wanted as it is.
    pub(super) fn listed(&self, text: Text<'_>, words: bool) -> Entry {
        let target = pattern(text, self.case, self.bounds, words.then_some(&self.bases));
        let source = Pattern { line: Line::default(), is_cased: false };
        Entry { source, targets: vec![target], forms: Vec::new() }
    }

    /// Finds the terms of a source: entries, and how often the source has them.
    pub(super) fn find_in(&self, source: &Line, wanted: &mut Vec<(usize, usize)>) {
        let (mut at, mut ends) = (0, HashMap::new());
        while at < source.folded.len() {
            let mut next = at + 1;
            let mut longest: Option<(usize, bool, usize)> = None;
            self.each_at(source, at, |entry, end| match self.overlap {
                Overlap::Longest => {
                    // Of two terms that differ in case alone, the one that minds case knows better.
                    let this = (end, self.entries[entry].source.is_cased, entry);
                    if longest.is_none_or(|best| (this.0, this.1) > (best.0, best.1)) {
                        longest = Some(this);
                    }
                }
                Overlap::All | Overlap::Once => {
                    if ends.get(&entry).is_none_or(|&before| before <= at) {
                        let is_more = ends.insert(entry, end).is_none() || self.overlap == Overlap::All;
                        wanted.extend(is_more.then_some((entry, 1)));
                    }
                }
            });
            if let Some((end, _, entry)) = longest {
                wanted.push((entry, 1));
                next = end;
            }
            at = next;
        }
        merge(wanted);
    }

    /// Calls `found` with each entry whose term begins there, and where it ends, shorter ones first.
    fn each_at(&self, source: &Line, start: usize, mut found: impl FnMut(usize, usize)) {
        let Some(range) = self.firsts.get(&source.folded[start]) else { return };
        if !source.can_begin(start, self.bounds) {
            return;
        }
        let (mut sorted, mut depth) = (&self.sorted[range.clone()], 1);
        loop {
            // Of terms that begin alike, the shortest come first.
            while let Some((&entry, rest)) = sorted.split_first().filter(|(entry, _)| self.term(**entry).len() == depth)
            {
                if source.can_end(start + depth, self.bounds) && self.entries[entry].source.is_at(source, start) {
                    found(entry, start + depth);
                }
                sorted = rest;
            }
            let Some(&next) = source.folded.get(start + depth) else { return };
            let low = sorted.partition_point(|&entry| self.term(entry)[depth] < next);
            sorted = &sorted[low..];
            sorted = &sorted[..sorted.partition_point(|&entry| self.term(entry)[depth] == next)];
            if sorted.is_empty() {
                return;
            }
            depth += 1;
        }
    }

    fn term(&self, entry: usize) -> &[u32] {
        self.entries[entry].term()
    }
}

impl Entry {
    fn term(&self) -> &[u32] {
        &self.source.line.folded
    }
}

fn pattern(text: Text<'_>, case: Case, bounds: Bounds, bases: Option<&Bases>) -> Pattern {
    let mut line = Line::new(bounds);
    line.read(text, bases);
    let is_cased = match case {
        Case::Folded => false,
        Case::Kept => true,
        Case::Smart => line.has_inner_capital(),
    };
    Pattern { line, is_cased }
}
