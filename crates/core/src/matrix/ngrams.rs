//! Texts listed by n-gram, so that another text costs what it shares with them.
//!
//! For each n-gram of some texts (of the references, say) there is a list of those that have it, with their counts. A
//! hypothesis looks up its own n-grams, goes through their lists and adds the smaller of both counts to the matches of
//! each reference on them. Two texts of one language share their letters and little else: going through lists takes a
//! twentieth of the time of matching each pair anew, and lists of n-grams that many texts have are kept as whole rows,
//! which the processor adds several at a time.
//!
//! Building an index takes ten times as long as looking a text up, mostly waiting for memory: so the smaller side is
//! indexed.
//!
//! What did not help: merging sorted lists pair by pair (every pair costs all its n-grams, shared or not), and the
//! "k-th occurrence of an n-gram" as a thing of its own (no counts to compare, but letters have many occurrences). In
//! building: touching all places of a text's n-grams before acting on them, and memory for all n-grams from the start.

use super::pairs::OneByOne;
use super::symbols::{SymbolReader, UNKNOWN, Vocabulary};
use super::trie::{MOST, NOWHERE, ROOT, Trie};
use super::{Index, Scorer};
use crate::batch::Batch;
use crate::halt;
use crate::metric::Metric;
use crate::prepare::Reading;
use crate::text::Text;

/// A metric whose row for one reference follows from numbers of n-grams and of clipped matches.
///
/// Both are given for each order of each view: those of the first view, 1 first, then those of the next.
pub trait NgramMetric: Metric {
    /// The ways in which a text is read.
    fn views(&self) -> Vec<View>;

    /// Fills the row, given the n-grams of hypothesis and reference and their matches.
    fn fill(&self, hypothesis: &[f64], reference: &[f64], matches: &[f64], row: &mut [f64]);

    /// Estimates the scores with all references up to [`MARGIN`], in a fraction of the time: they tell which ones need
    /// not be computed. `shares` has what one n-gram is of all those of a reference, `matches` the matches with it,
    /// order after order; without n-grams a share is not finite, and the estimate not a number. Returns false if there
    /// is no quick way.
    fn estimate(&self, _hypothesis: &[f64], _shares: &[f32], _matches: &[u16], _estimates: &mut [f32]) -> bool {
        false
    }
}

/// How far from the score an estimate may be, in points.
pub const MARGIN: f64 = 0.001;

/// A way to read a text: what its symbols are, and how many of them make the longest n-gram.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// What the symbols are.
    pub reading: Reading,
    /// The longest n-grams.
    pub order: usize,
}

/// References ready to be scored against by a metric of n-grams.
pub fn index<'a, M: NgramMetric>(metric: &'a M, references: &'a Batch) -> Box<dyn Index + 'a> {
    if fits(metric, references) {
        Box::new(NgramIndex::new(metric, references, Side::References))
    } else {
        Box::new(OneByOne::new(metric, references))
    }
}

/// Hypotheses ready to be scored by a metric of n-grams: matches are the same from either side.
pub fn index_of_hypotheses<'a, M: NgramMetric>(metric: &'a M, hypotheses: &Batch) -> Option<Box<dyn Index + 'a>> {
    fits(metric, hypotheses)
        .then(|| Box::new(NgramIndex::new(metric, hypotheses, Side::Hypotheses)) as Box<dyn Index + 'a>)
}

/// The mean of references ready to be scored against as if it were one reference.
pub fn index_of_mean<'a, M: NgramMetric>(
    metric: &'a M,
    references: &Batch,
    weights: Option<&[f64]>,
) -> Option<Box<dyn Index + 'a>> {
    fits(metric, references).then(|| Box::new(MeanIndex::new(metric, references, weights)) as Box<dyn Index + 'a>)
}

/// Whether all n-grams of some texts can be numbered.
fn fits<M: NgramMetric>(metric: &M, texts: &Batch) -> bool {
    texts.characters().saturating_mul(count_orders(&metric.views())) < MOST
}

fn count_orders(views: &[View]) -> usize {
    views.iter().map(|view| view.order).sum()
}

/// Which texts are in an index.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    References,
    Hypotheses,
}

/// Lists of texts by n-gram.
struct NgramIndex<'a, M> {
    metric: &'a M,
    side: Side,
    texts: usize,
    orders: usize,
    shelves: Vec<(Shelf, Lists)>,
    /// The n-grams of each order of each text, text after text.
    ngrams: Vec<f64>,
    /// What one n-gram is of those of a text, order after order.
    shares: Vec<f32>,
}

impl<'a, M: NgramMetric> NgramIndex<'a, M> {
    fn new(metric: &'a M, batch: &Batch, side: Side) -> Self {
        let views = metric.views();
        let (texts, orders) = (batch.texts(), count_orders(&views));
        let mut ngrams = vec![0.0; texts * orders];
        let mut first = 0;
        let mut shelves = Vec::new();
        for view in views {
            let mut shelf = Shelf::new(view, first);
            let mut scratch = Scratch::new(view);
            let mut entries: Vec<(u32, Gram)> = Vec::new();
            for text in 0..texts {
                let cells = &mut ngrams[text * orders + first..][..view.order];
                let length = shelf.learn(batch.text(text), &mut scratch, |_, grams| {
                    halt::reserve(&mut entries, grams.len());
                    entries.extend(grams.iter().map(|&gram| (text as u32, gram)));
                });
                count_ngrams(length, cells);
            }
            let lists = Lists::new(&entries, shelf.trie.len(), texts);
            shelves.push((shelf, lists));
            first += view.order;
        }
        let count = |order: usize, text: usize| ngrams[text * orders + order];
        let shares =
            (0..orders).flat_map(|order| (0..texts).map(move |text| 1.0 / count(order, text) as f32)).collect();
        Self { metric, side, texts, orders, shelves, ngrams, shares }
    }

    /// Counts the n-grams of a text, and adds its matches with each text of the index.
    fn add_matches<C: Count>(&self, text: Text<'_>, scratches: &mut [Scratch], own: &mut [f64], matches: &mut [C]) {
        for ((shelf, lists), scratch) in self.shelves.iter().zip(scratches) {
            let length = shelf.find(text, scratch, |order, grams| {
                let matches = &mut matches[(shelf.first + order) * self.texts..][..self.texts];
                grams.iter().for_each(|&gram| lists.add_matches(gram, matches));
            });
            count_ngrams(length, &mut own[shelf.first..][..shelf.view.order]);
        }
    }
}

impl<M: NgramMetric> Index for NgramIndex<'_, M> {
    fn scorer(&self) -> Box<dyn Scorer + '_> {
        Box::new(NgramScorer {
            index: self,
            scratches: self.shelves.iter().map(|(shelf, _)| Scratch::new(shelf.view)).collect(),
            matches: vec![0; self.orders * self.texts],
            many: Vec::new(),
            estimates: vec![0.0; self.texts],
            own: vec![0.0; self.orders],
            shared: vec![0.0; self.orders],
            row: vec![0.0; self.metric.width()],
        })
    }

    fn width(&self) -> usize {
        self.texts
    }
}

struct NgramScorer<'a, M> {
    index: &'a NgramIndex<'a, M>,
    scratches: Vec<Scratch>,
    /// The matches with each text of the index, order after order; those of a long text in `many`.
    matches: Vec<u16>,
    many: Vec<u32>,
    estimates: Vec<f32>,
    own: Vec<f64>,
    shared: Vec<f64>,
    row: Vec<f64>,
}

/// Texts of so many characters have fewer n-grams of an order than 16 bits count, even if all grow in lower case.
const SHORT: usize = 1 << 14;

impl<M: NgramMetric> Scorer for NgramScorer<'_, M> {
    fn score(&mut self, text: Text<'_>, scores: &mut [f64]) {
        self.count_matches(text);
        for (at, score) in scores.iter_mut().enumerate() {
            *score = self.score_with(at);
        }
    }

    fn best(&mut self, text: Text<'_>, least: f64, is_candidate: &dyn Fn(usize) -> bool, _: &mut [f64]) -> f64 {
        self.count_matches(text);
        let (index, mut best) = (self.index, least);
        let is_estimated =
            self.many.is_empty() && index.metric.estimate(&self.own, &index.shares, &self.matches, &mut self.estimates);
        for at in 0..index.texts {
            let is_below = is_estimated && f64::from(self.estimates[at]) < best - MARGIN;
            if !is_below && is_candidate(at) {
                let score = self.score_with(at);
                best = if score > best { score } else { best };
            }
        }
        best
    }
}

impl<M: NgramMetric> NgramScorer<'_, M> {
    /// The score with a text of the index, after matches have been counted.
    fn score_with(&mut self, at: usize) -> f64 {
        let index = self.index;
        for (order, shared) in self.shared.iter_mut().enumerate() {
            let cell = order * index.texts + at;
            *shared = if self.many.is_empty() { f64::from(self.matches[cell]) } else { f64::from(self.many[cell]) };
        }
        let ngrams = &index.ngrams[at * index.orders..][..index.orders];
        let (hypothesis, reference) = match index.side {
            Side::References => (&self.own[..], ngrams),
            Side::Hypotheses => (ngrams, &self.own[..]),
        };
        index.metric.fill(hypothesis, reference, &self.shared, &mut self.row);
        index.metric.score(&self.row)
    }

    fn count_matches(&mut self, text: Text<'_>) {
        let (index, scratches, own) = (self.index, &mut self.scratches, &mut self.own);
        self.many.clear();
        if text.len() < SHORT {
            self.matches.fill(0);
            index.add_matches(text, scratches, own, &mut self.matches);
        } else {
            self.many.resize(self.matches.len(), 0);
            index.add_matches(text, scratches, own, &mut self.many);
        }
    }
}

/// The numbers of n-grams, 1 first, of a text with so many symbols.
pub(super) fn count_ngrams(length: usize, cells: &mut [f64]) {
    for (n, cell) in cells.iter_mut().enumerate() {
        *cell = length.saturating_sub(n) as f64;
    }
}

/// The weighted mean of all references: for each n-gram the sum of its weighted counts.
struct MeanIndex<'a, M> {
    metric: &'a M,
    shelves: Vec<(Shelf, Vec<f64>)>,
    ngrams: Vec<f64>,
    weight: f64,
}

impl<'a, M: NgramMetric> MeanIndex<'a, M> {
    /// Without weights all references count the same, and all sums stay whole.
    fn new(metric: &'a M, references: &Batch, weights: Option<&[f64]>) -> Self {
        let weight_of = |text: usize| weights.map_or(1.0, |weights| weights[text]);
        let weight = (0..references.texts()).map(weight_of).sum();
        let (mut shelves, mut ngrams): (Vec<_>, Vec<f64>) = (Vec::new(), Vec::new());
        for view in metric.views() {
            let mut shelf = Shelf::new(view, ngrams.len());
            let mut scratch = Scratch::new(view);
            let (mut sums, mut sizes, mut cells) = (Vec::new(), vec![0.0; view.order], vec![0.0; view.order]);
            for text in 0..references.texts() {
                let length = shelf.learn(references.text(text), &mut scratch, |_, grams| {
                    for gram in grams {
                        sums.resize(sums.len().max(gram.node as usize + 1), 0.0);
                        sums[gram.node as usize] += weight_of(text) * f64::from(gram.count);
                    }
                });
                count_ngrams(length, &mut cells);
                sizes.iter_mut().zip(&cells).for_each(|(size, cell)| *size += weight_of(text) * cell);
            }
            shelves.push((shelf, sums));
            ngrams.extend(sizes.iter().map(|size| size / weight));
        }
        Self { metric, shelves, ngrams, weight }
    }
}

impl<M: NgramMetric> Index for MeanIndex<'_, M> {
    fn scorer(&self) -> Box<dyn Scorer + '_> {
        Box::new(MeanScorer {
            index: self,
            scratches: self.shelves.iter().map(|(shelf, _)| Scratch::new(shelf.view)).collect(),
            own: vec![0.0; self.ngrams.len()],
            shared: vec![0.0; self.ngrams.len()],
            row: vec![0.0; self.metric.width()],
        })
    }

    fn width(&self) -> usize {
        1
    }
}

struct MeanScorer<'a, M> {
    index: &'a MeanIndex<'a, M>,
    scratches: Vec<Scratch>,
    own: Vec<f64>,
    shared: Vec<f64>,
    row: Vec<f64>,
}

impl<M: NgramMetric> Scorer for MeanScorer<'_, M> {
    fn score(&mut self, hypothesis: Text<'_>, scores: &mut [f64]) {
        let (index, shared) = (self.index, &mut self.shared);
        for ((shelf, sums), scratch) in index.shelves.iter().zip(&mut self.scratches) {
            let first = shelf.first;
            let length = shelf.find(hypothesis, scratch, |order, grams| {
                let smaller = |gram: &Gram| (index.weight * f64::from(gram.count)).min(sums[gram.node as usize]);
                shared[first + order] = grams.iter().map(smaller).fold(0.0, |sum, count| sum + count) / index.weight;
            });
            count_ngrams(length, &mut self.own[first..][..shelf.view.order]);
        }
        index.metric.fill(&self.own, &index.ngrams, &self.shared, &mut self.row);
        scores[0] = index.metric.score(&self.row);
    }
}

/// The n-grams that some texts have under one view.
struct Shelf {
    view: View,
    /// The place of its first order among those of all views.
    first: usize,
    vocabulary: Vocabulary,
    trie: Trie,
}

impl Shelf {
    fn new(view: View, first: usize) -> Self {
        Self { view, first, vocabulary: Vocabulary::default(), trie: Trie::default() }
    }

    /// Adds a text. Its n-grams are handed on order by order; the number of its symbols is returned.
    fn learn(&mut self, text: Text<'_>, scratch: &mut Scratch, each: impl FnMut(usize, &[Gram])) -> usize {
        let Self { view, vocabulary, trie, .. } = self;
        scratch.reader.read(text, &mut scratch.symbols, |word| vocabulary.learn(word));
        scratch.walk(view.order, |node, symbol| trie.grow(node, symbol), each)
    }

    /// Looks a text up. Those of its n-grams that are known are handed on.
    fn find(&self, text: Text<'_>, scratch: &mut Scratch, each: impl FnMut(usize, &[Gram])) -> usize {
        let number = |word: &[u32]| self.vocabulary.find(word).unwrap_or(UNKNOWN);
        scratch.reader.read(text, &mut scratch.symbols, number);
        scratch.walk(self.view.order, |node, symbol| self.trie.find(node, symbol), each)
    }
}

/// An n-gram and how often a text has it.
#[derive(Clone, Copy)]
pub(super) struct Gram {
    pub node: u32,
    pub count: u32,
}

/// The memory to take a text apart.
struct Scratch {
    reader: SymbolReader,
    symbols: Vec<u32>,
    /// Positions whose n-gram is known, with its number.
    alive: Vec<(u32, u32)>,
    counts: Vec<u32>,
    grams: Vec<Gram>,
}

impl Scratch {
    fn new(view: View) -> Self {
        Self {
            reader: SymbolReader::new(view.reading),
            symbols: Vec::new(),
            alive: Vec::new(),
            counts: Vec::new(),
            grams: Vec::new(),
        }
    }

    /// Goes from n-grams to those one longer, at all positions at once: one look-up does not wait for another.
    fn walk(
        &mut self,
        order: usize,
        mut next: impl FnMut(u32, u32) -> u32,
        mut each: impl FnMut(usize, &[Gram]),
    ) -> usize {
        let length = self.symbols.len();
        self.alive.clear();
        self.alive.extend((0..length as u32).map(|position| (position, ROOT)));
        for n in 0..order {
            let (mut kept, mut highest) = (0, 0);
            halt::spend(self.alive.len());
            for at in 0..self.alive.len() {
                let (position, node) = self.alive[at];
                let Some(&symbol) = self.symbols.get(position as usize + n) else { break };
                let node = next(node, symbol);
                let is_known = node != NOWHERE;
                self.alive[kept] = (position, node);
                kept += usize::from(is_known);
                highest = highest.max(if is_known { node } else { 0 });
            }
            self.alive.truncate(kept);
            self.count_grams(highest);
            each(n, &self.grams);
        }
        length
    }

    /// Counts equal numbers, in order of appearance.
    fn count_grams(&mut self, highest: u32) {
        self.counts.resize(self.counts.len().max(highest as usize + 1), 0);
        self.grams.clear();
        for &(_, node) in &self.alive {
            let count = &mut self.counts[node as usize];
            if *count == 0 {
                self.grams.push(Gram { node, count: 0 });
            }
            *count += 1;
        }
        for gram in &mut self.grams {
            gram.count = std::mem::take(&mut self.counts[gram.node as usize]);
        }
    }
}

/// For each n-gram the texts that have it.
pub(super) struct Lists {
    places: Vec<Place>,
    entries: Vec<Entry>,
    /// Counts in all texts, for n-grams that many have.
    rows: Vec<u16>,
}

/// A number of matches, in as few bits as will do: the processor adds 128 of them at a time.
pub(super) trait Count: Copy + Ord + std::ops::AddAssign + From<u16> {
    /// A count that is known to fit.
    fn of(count: u32) -> Self;
}

impl Count for u16 {
    fn of(count: u32) -> Self {
        count as Self
    }
}

impl Count for u32 {
    fn of(count: u32) -> Self {
        count
    }
}

/// A stretch of the entries, or a row.
#[derive(Clone, Copy, Default)]
struct Place {
    start: u32,
    length: u32,
}

/// The length that marks a row.
const ROW: u32 = u32::MAX;

/// An n-gram that one in so many texts has gets a row.
const SHARE_OF_A_ROW: usize = 12;

/// Lists of few texts stay lists.
const FEW: usize = 16;

#[derive(Clone, Copy, Default)]
struct Entry {
    text: u32,
    count: u32,
}

impl Lists {
    /// Sorts entries by n-gram, counting.
    pub fn new(entries: &[(u32, Gram)], nodes: usize, texts: usize) -> Self {
        let mut places = vec![Place::default(); nodes];
        for (_, gram) in entries {
            places[gram.node as usize].length += 1;
        }
        // A row has no room for more; only very long texts do.
        let has_rows = entries.iter().all(|(_, gram)| gram.count <= u32::from(u16::MAX));
        let (mut end, mut rows) = (0, 0);
        for place in &mut places {
            let length = place.length as usize;
            if has_rows && length >= FEW && length * SHARE_OF_A_ROW >= texts {
                *place = Place { start: rows, length: ROW };
                rows += 1;
            } else {
                *place = Place { start: end, length: 0 };
                end += length as u32;
            }
        }
        let mut lists =
            Self { places, entries: vec![Entry::default(); end as usize], rows: vec![0; rows as usize * texts] };
        for &(text, gram) in entries {
            halt::spend(1);
            lists.put(text, gram, texts);
        }
        lists
    }

    fn put(&mut self, text: u32, gram: Gram, texts: usize) {
        let place = &mut self.places[gram.node as usize];
        if place.length == ROW {
            self.rows[place.start as usize * texts + text as usize] = gram.count as u16;
        } else {
            self.entries[(place.start + place.length) as usize] = Entry { text, count: gram.count };
            place.length += 1;
        }
    }

    /// Adds the matches of an n-gram to those of each text.
    #[inline]
    pub fn add_matches<C: Count>(&self, gram: Gram, matches: &mut [C]) {
        let Place { start, length } = self.places[gram.node as usize];
        let most = C::of(gram.count);
        if length == ROW {
            let row = &self.rows[start as usize * matches.len()..][..matches.len()];
            matches.iter_mut().zip(row).for_each(|(matches, &count)| *matches += C::from(count).min(most));
        } else {
            for entry in &self.entries[start as usize..][..length as usize] {
                matches[entry.text as usize] += C::of(entry.count.min(gram.count));
            }
        }
    }
}
