//! Terms with their translations, and which of them a source has.

use super::line::{Bases, Bounds, Line, Pattern};
use super::merge;
use super::trie::Trie;
use crate::halt;
use crate::text::Text;
use crate::unicode::code_points;
use std::collections::HashMap;

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
    cased: Option<Box<Pattern>>, // the term of a source, if it minds case
    pub(super) targets: Vec<Pattern>,
    pub(super) forms: Vec<(usize, Pattern)>, // of a target, by its number
}

/// Terms with their translations.
#[derive(Clone, Debug)]
pub struct Glossary {
    pub(super) entries: Vec<Entry>,
    sources: Trie,
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
        let (mut sources, mut entries) = (Vec::with_capacity(terms.len()), Vec::with_capacity(terms.len()));
        for (source, targets, forms) in terms {
            let source = read(source, false);
            sources.push(source.line.folded.clone());
            entries.push(Entry {
                cased: source.is_cased.then(|| Box::new(source)),
                targets: targets.iter().map(|text| read(text, true)).collect(),
                forms: forms.iter().map(|(target, text)| (*target, read(text, false))).collect(),
            });
        }
        Self { entries, sources: Trie::new(&sources), bases, bounds, case, overlap }
    }

    /// A term that is wanted as it is.
    pub(super) fn listed(&self, text: Text<'_>, words: bool) -> Entry {
        let target = pattern(text, self.case, self.bounds, words.then_some(&self.bases));
        Entry { cased: None, targets: vec![target], forms: Vec::new() }
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
                    let this = (end, self.entries[entry].cased.is_some(), entry);
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
        if !source.can_begin(start, self.bounds) {
            return;
        }
        self.sources.each_at(&source.folded[start..], |entry, length| {
            let cased = self.entries[entry].cased.as_ref();
            if source.can_end(start + length, self.bounds) && cased.is_none_or(|term| term.is_at(source, start)) {
                found(entry, start + length);
            }
        });
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
    Pattern::new(line, is_cased)
}
