//! Terms: how many of the terms that a glossary wants in a segment its output has.
//!
//! The references of a segment say what is wanted: they are terms themselves, or the first is the source, in which the
//! terms of the glossary are looked for, or a list of numbers of the glossary's entries. An output has a term exactly,
//! or, where that is asked for, in another form ([`line`]). Spans of the output stand for one wanted term each:
//! [`choice`] finds the largest number of terms that spans without overlaps can stand for.

mod choice;
mod glossary;
mod line;
mod trie;

use super::mean::{EXACT_CELLS, exact_mean, split};
use crate::batch::{Batch, Segment};
use crate::matrix::Matrix;
use crate::metric::{Counter, Formula, Metric};
use crate::segments::{BATCH, Source};
use crate::text::Text;
use choice::{Likeness, Span, choose};
pub use glossary::{Case, Entry, Given, Glossary, Overlap};
use line::Line;
pub use line::{Bases, Bounds};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the references of a segment are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Each is a term that is wanted once.
    Listed,
    /// The first is the source: its terms are wanted as often as it has them.
    InSource,
    /// The first has numbers of entries with spaces between them, each wanted once.
    Numbered,
}

/// The options of terms.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The terms with their translations.
    pub glossary: Arc<Glossary>,
    /// What the references are.
    pub wanted: Wanted,
    /// Whether other forms of a word count.
    pub forms: bool,
    /// Whether the last reference of a segment says where the lemmas of translations stand: numbers of an entry and of
    /// its translation, and where the place begins and ends in the output, in characters.
    pub lemmas: bool,
    /// Whether a term may be the last part of a word.
    pub compounds: bool,
    /// What a place of the output may stand for.
    pub places: Places,
    /// Which references must have a term for it to be wanted; they come after the source, or the numbers.
    pub if_reference: Option<Quorum>,
    /// Whether the score is the mean over the terms of segments, each with the share of its times that were met.
    pub averaged: bool,
}

/// Terms of a segment from which on it pays to sort the places of its output.
const MANY: usize = 3;

/// What a place of the output may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// One term, once; places do not overlap.
    Own,
    /// All terms that it fits, as often as they are wanted.
    Shared,
    /// All terms that it fits, once.
    Counted,
}

/// How many references must have a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quorum {
    /// One.
    Any,
    /// All.
    All,
}

/// A row is `[found, wanted, exact, complete, with_terms]`; where there is a mean, the cells of the sum of shares and
/// the number of terms follow; where there are lemmas, how many were found without them is the last cell.
const FOUND: usize = 0;
const WANTED: usize = 1;
const EXACT: usize = 2;
const COMPLETE: usize = 3;
const WITH_TERMS: usize = 4;
const SHARES: usize = WITH_TERMS + 1;
const TERMS: usize = SHARES + EXACT_CELLS;

impl Formula for Terms {
    fn width(&self) -> usize {
        (if self.averaged { TERMS + 1 } else { SHARES }) + usize::from(self.lemmas)
    }

    /// Not a number where no term is wanted.
    fn score(&self, totals: &[f64]) -> f64 {
        if self.averaged && totals[TERMS] > 0.0 {
            return 100.0 * exact_mean(&totals[SHARES..TERMS], totals[TERMS]);
        }
        100.0 * (totals[FOUND] / totals[WANTED])
    }
}

impl Metric for Terms {
    type Counter = TermsCounter;

    fn counter(&self) -> TermsCounter {
        TermsCounter {
            terms: self.clone(),
            source: Line::new(self.glossary.bounds),
            output: Line::new(self.glossary.bounds),
            listed: Vec::new(),
            wanted: Vec::new(),
            spans: Vec::new(),
        }
    }
}

impl Matrix for Terms {}

/// Counts the rows of terms.
pub struct TermsCounter {
    terms: Terms,
    source: Line,
    output: Line,
    listed: Vec<Entry>,
    wanted: Vec<(usize, usize)>, // an entry, and how often it is wanted
    spans: Vec<Span>,
}

impl Counter for TermsCounter {
    fn count(&mut self, segment: Segment<'_>, row: &mut [f64]) {
        self.read(&segment);
        self.fill(row);
    }
}

impl TermsCounter {
    /// Fills the row of a segment that was read, and gives the places that stand for its terms.
    fn fill(&self, row: &mut [f64]) -> Vec<Span> {
        if self.wanted.is_empty() {
            return Vec::new();
        }
        let wanted: usize = self.wanted.iter().map(|&(_, times)| times).sum();
        let mut chosen = self.chosen(Likeness::Exact);
        let exact = chosen.len();
        if self.terms.forms && exact < wanted {
            chosen = self.chosen(Likeness::Form);
        }
        if self.terms.lemmas {
            row[self.terms.width() - 1] = chosen.len() as f64;
            if chosen.len() < wanted {
                chosen = self.chosen(Likeness::Lemma);
            }
        }
        let found = chosen.len();
        if self.terms.averaged {
            for (term, &(_, times)) in self.wanted.iter().enumerate() {
                let met = chosen.iter().filter(|span| span.term == term).count();
                let cells = split(met as f64 / times as f64);
                row[SHARES..TERMS].iter_mut().zip(cells).for_each(|(cell, share)| *cell += share);
            }
            row[TERMS] = self.wanted.len() as f64;
        }
        row[FOUND] = found as f64;
        row[WANTED] = wanted as f64;
        row[EXACT] = exact as f64;
        row[COMPLETE] = f64::from(found == wanted);
        row[WITH_TERMS] = 1.0;
        chosen
    }

    /// Finds out which terms are wanted, and where the output has them.
    fn read(&mut self, segment: &Segment<'_>) {
        self.find_wanted(segment);
        self.leave_out(segment);
        self.spans.clear();
        if self.wanted.is_empty() {
            return;
        }
        let terms = &self.terms;
        self.output.read(segment.hypothesis(), terms.forms.then_some(&terms.glossary.bases));
        let entries = if terms.wanted == Wanted::Listed { &self.listed } else { &terms.glossary.entries };
        if self.wanted.len() > MANY {
            self.output.sort();
        }
        for (at, &(entry, _)) in self.wanted.iter().enumerate() {
            let entry = &entries[entry];
            let mut take = |target: usize, likeness: Likeness, start: usize, end: usize| {
                self.spans.push(Span { start, end, term: at, target, likeness });
            };
            for (target, pattern) in entry.targets.iter().enumerate() {
                pattern.occurrences(&self.output, terms.glossary.bounds, terms.compounds, |start, end| {
                    take(target, Likeness::Exact, start, end);
                });
            }
            if terms.forms {
                for (target, pattern) in &entry.forms {
                    pattern.occurrences(&self.output, terms.glossary.bounds, false, |start, end| {
                        take(*target, Likeness::Form, start, end);
                    });
                }
                for (target, pattern) in entry.targets.iter().enumerate() {
                    pattern.other_forms(&self.output, terms.compounds, |start, end| {
                        take(target, Likeness::Form, start, end);
                    });
                }
            }
        }
        if terms.lemmas {
            self.take_lemmas(segment);
        }
    }

    /// Takes the places of lemmas from the last reference.
    fn take_lemmas(&mut self, segment: &Segment<'_>) {
        let Some(text) = segment.references().last() else { return };
        let (mut four, mut length) = ([0; 4], 0);
        numbers(text, |number| {
            four[length] = number;
            length = (length + 1) % 4;
            let [entry, target, start, end] = four;
            let place = (self.output.place_of(start), self.output.place_of(end));
            if let ((Some(start), Some(end)), 0) = (place, length) {
                let term = self.wanted.iter().position(|wanted| wanted.0 == entry);
                let spans = term.map(|term| Span { start, end, term, target, likeness: Likeness::Lemma });
                self.spans.extend(spans.filter(|span| span.start < span.end));
            }
        });
    }

    fn find_wanted(&mut self, segment: &Segment<'_>) {
        self.wanted.clear();
        let glossary = &self.terms.glossary;
        match self.terms.wanted {
            Wanted::Listed => {
                self.listed.clear();
                self.listed.extend(segment.references().map(|text| glossary.listed(text, self.terms.forms)));
                self.wanted.extend((0..self.listed.len()).map(|at| (at, 1)));
            }
            Wanted::InSource => {
                let Some(text) = segment.references().next() else { return };
                self.source.read(text, None);
                glossary.find_in(&self.source, &mut self.wanted);
            }
            Wanted::Numbered => {
                let Some(text) = segment.references().next() else { return };
                numbers(text, |entry| {
                    if entry < glossary.entries.len() {
                        self.wanted.push((entry, 1));
                    }
                });
                merge(&mut self.wanted);
            }
        }
    }

    /// Leaves out terms that the references do not have.
    fn leave_out(&mut self, segment: &Segment<'_>) {
        let (Some(quorum), false) = (self.terms.if_reference, self.wanted.is_empty()) else { return };
        let (glossary, line) = (&self.terms.glossary, &mut self.output);
        let mut having = vec![0; self.wanted.len()];
        let references = segment.references().skip(1);
        let number = references.len() - usize::from(self.terms.lemmas);
        let references = references.take(number);
        let least = if quorum == Quorum::Any { 1 } else { references.len() };
        for reference in references {
            line.read(reference, None);
            for (&(entry, _), having) in self.wanted.iter().zip(&mut having) {
                let mut is_there = false;
                for target in &glossary.entries[entry].targets {
                    target.occurrences(line, glossary.bounds, false, |_, _| is_there = true);
                }
                *having += usize::from(is_there);
            }
        }
        let mut having = having.into_iter();
        self.wanted.retain(|_| having.next().is_some_and(|number| number >= least));
    }

    /// The spans that stand for as many terms as possible, of those that are so much like a translation.
    fn chosen(&self, least: Likeness) -> Vec<Span> {
        let spans = self.spans.iter().filter(|span| span.likeness <= least).copied();
        let times: Vec<usize> = self.wanted.iter().map(|&(_, times)| times).collect();
        match self.terms.places {
            Places::Own => return choose(spans.collect(), &times),
            Places::Counted => return counted(spans, &times),
            Places::Shared => {}
        }
        let mut first = vec![None; times.len()];
        spans.for_each(|span| first[span.term] = first[span.term].or(Some(span)));
        first
            .into_iter()
            .zip(times)
            .flat_map(|(span, times)| span.into_iter().flat_map(move |one| vec![one; times]))
            .collect()
    }
}

/// The spans of each term, as many as are wanted; those of one translation do not overlap.
fn counted(spans: impl Iterator<Item = Span>, times: &[usize]) -> Vec<Span> {
    let (mut chosen, mut met) = (Vec::<Span>::new(), vec![0; times.len()]);
    let mut last: Option<Span> = None;
    for span in spans {
        // They come term by term, translation by translation, from left to right.
        let is_free =
            last.is_none_or(|one| (one.term, one.target) != (span.term, span.target) || one.end <= span.start);
        if is_free && met[span.term] < times[span.term] {
            met[span.term] += 1;
            last = Some(span);
            chosen.push(span);
        }
    }
    chosen
}

/// What became of a term in a document: how often it is wanted there, and how often each translation was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// How often it is wanted.
    pub wanted: usize,
    /// How often each of its translations was found.
    pub targets: Vec<usize>,
}

/// What became of terms, by document and entry.
pub type Uses = BTreeMap<(u32, usize), Use>;

/// Gives the sum of all rows, whose cells are whole numbers, and what became of each wanted term, by document and
/// entry; without documents there is one.
pub fn totals_and_uses<S: Source>(
    terms: &Terms,
    source: &S,
    documents: Option<&[u32]>,
) -> Result<(Vec<f64>, Uses), S::Error> {
    let (mut counter, mut batch, mut found) = (terms.counter(), Batch::default(), Uses::new());
    let (mut totals, mut row) = (vec![0.0; terms.width()], vec![0.0; terms.width()]);
    for first in (0..source.len()).step_by(BATCH) {
        batch.clear();
        source.load(first..source.len().min(first + BATCH), &mut batch)?;
        batch.settle();
        for (at, segment) in batch.segments().enumerate() {
            crate::halt::spend(segment.characters());
            counter.read(&segment);
            row.fill(0.0);
            let chosen = counter.fill(&mut row);
            totals.iter_mut().zip(&row).for_each(|(total, cell)| *total += cell);
            let document = documents.and_then(|labels| labels.get(first + at)).copied().unwrap_or_default();
            for &(entry, wanted) in &counter.wanted {
                let known = found.entry((document, entry)).or_default();
                known.wanted += wanted;
                known.targets.resize(terms.glossary.entries[entry].targets.len(), 0);
            }
            for span in chosen {
                let key = (document, counter.wanted[span.term].0);
                if let Some(times) = found.get_mut(&key).and_then(|known| known.targets.get_mut(span.target)) {
                    *times += 1;
                }
            }
        }
    }
    Ok((totals, found))
}

/// Reads the whole numbers of a text.
fn numbers(text: Text<'_>, mut take: impl FnMut(usize)) {
    let mut number = None;
    for c in text.code_points().into_iter().chain([0x20]) {
        match char::from_u32(c).and_then(|c| c.to_digit(10)) {
            Some(digit) => number = Some(number.unwrap_or(0_usize).saturating_mul(10).saturating_add(digit as usize)),
            None => number.take().into_iter().for_each(&mut take),
        }
    }
}

/// Adds up how often each entry is wanted, in the order of entries.
fn merge(wanted: &mut Vec<(usize, usize)>) {
    wanted.sort_unstable();
    wanted.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        kept.1 += if is_same { next.1 } else { 0 };
        is_same
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::Texts;
    use crate::segments::count;
    use crate::threads::Threads;

    fn terms(entries: &[(&str, &[&str])]) -> Terms {
        let entries: Vec<_> =
            entries.iter().map(|(source, targets)| (*source, targets.to_vec(), Vec::<(usize, &str)>::new())).collect();
        let bases = Bases::new(&[(0xF3, 0x6F), (0x15B, 0x73), (0x119, 0x65)]);
        let glossary = Glossary::new(&entries, bases, Case::Folded, Bounds::Script, Overlap::Longest);
        Terms {
            glossary: Arc::new(glossary),
            wanted: Wanted::InSource,
            forms: true,
            lemmas: false,
            compounds: false,
            places: Places::Own,
            if_reference: None,
            averaged: false,
        }
    }

    fn row(terms: &Terms, output: &'static str, source: &'static str) -> Vec<f64> {
        let mut rows = Vec::new();
        let texts = Texts(vec![vec![output, source]]);
        count(terms, &texts, &Threads::new(1), |found| rows.extend_from_slice(found)).unwrap();
        rows
    }

    #[test]
    fn a_term_inside_a_word_is_no_term() {
        assert_eq!(
            vec![0.0, 1.0, 0.0, 0.0, 1.0],
            row(&terms(&[("rat", &["Rat"])]), "Die Operation lief.", "The rat ran.")
        );
    }

    #[test]
    fn other_forms_are_found_and_told_from_exact_ones() {
        let cancer = terms(&[("cancer", &["nowotwór złośliwy"])]);
        assert_eq!(vec![1.0, 1.0, 0.0, 1.0, 1.0], row(&cancer, "nowotworu złośliwego", "true cancer"));
        assert_eq!(vec![1.0, 1.0, 1.0, 1.0, 1.0], row(&cancer, "Nowotwór  złośliwy!", "Cancer"));
    }

    #[test]
    fn scripts_without_spaces_have_no_boundaries() {
        let hepatitis = terms(&[("hepatitis", &["肝炎"])]);
        assert_eq!(vec![1.0; 5], row(&hepatitis, "慢性肝炎患者", "chronic hepatitis patients"));
    }

    #[test]
    fn the_longest_term_of_the_source_is_wanted() {
        let nested =
            [("nervous system", &["układ nerwowy"][..]), ("central nervous system", &["ośrodkowy układ nerwowy"])];
        assert_eq!(vec![1.0; 5], row(&terms(&nested), "ośrodkowy układ nerwowy", "central nervous system"));
    }

    #[test]
    fn a_segment_without_terms_has_an_empty_row_and_no_score() {
        let rat = terms(&[("rat", &["Ratte"])]);
        let found = row(&rat, "Ratte", "no term here");
        assert_eq!(vec![0.0; 5], found);
        assert!(rat.score(&found).is_nan());
    }

    #[test]
    fn uses_tell_the_translation() {
        let car = terms(&[("car", &["voiture", "automobile"])]);
        let texts = Texts(vec![vec!["rien", "x"], vec!["l'automobile", "the car"]]);
        let expected =
            |document| (vec![1.0; 5], BTreeMap::from([((document, 0), Use { wanted: 1, targets: vec![0, 1] })]));
        assert_eq!(Ok(expected(0)), totals_and_uses(&car, &texts, None));
        assert_eq!(Ok(expected(7)), totals_and_uses(&car, &texts, Some(&[3, 7])));
    }
}
