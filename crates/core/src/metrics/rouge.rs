//! ROUGE (Lin, 2004), equal to rouge-score 0.1.2 segment by segment.
//!
//! ROUGE-N counts the n-grams that both sides share, ROUGE-L the words of their longest common subsequence. ROUGE-Lsum
//! does so sentence by sentence, at line feeds: the words of a reference's sentence that are in its longest common
//! subsequence with any sentence of the hypothesis. Divided by the words of the hypothesis that is a precision, by
//! those of the reference a recall. Of several references the one with the highest F counts, of equals the first.
//!
//! The score of a corpus is the mean of its segments; rouge-score has the median of a bootstrap instead, which changes
//! with the seed. A row has precision, recall and F in three cells each ([`mean::split`]), and 1.

use crate::batch::{Batch, Segment};
use crate::lcs::Lcs;
use crate::matrix::ngrams::{self, NgramMetric, View};
use crate::matrix::others::{self, Samples};
use crate::matrix::pairs::OneByOne;
use crate::matrix::sequences::{SequenceIndex, SequenceMetric};
use crate::matrix::{Index, Matrix};
use crate::metric::{Counter, Formula, Metric};
use crate::metrics::mean::{self, EXACT_CELLS};
use crate::ngram::{Anchor, Matcher};
use crate::prepare::{Prepared, Reading, Stemmer, Tokenizer, Tokens};
use crate::symbols::WordNumbers;
use crate::text::{Text, Unit};
use crate::threads::Threads;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// N-grams of this length.
    Ngrams(usize),
    /// The longest common subsequence.
    Sequence,
    /// That of each two sentences.
    Summary,
}

impl Variant {
    /// The variant that people call so: 1 to 9, L or Lsum.
    pub fn from_name(name: &str) -> Option<Self> {
        match (name, name.as_bytes()) {
            ("L", _) => Some(Self::Sequence),
            ("Lsum", _) => Some(Self::Summary),
            (_, [digit @ b'1'..=b'9']) => Some(Self::Ngrams(usize::from(digit - b'0'))),
            _ => None,
        }
    }
}

/// Which of the three means is the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// What the hypothesis says that the reference says too.
    Precision,
    /// What the reference says that the hypothesis says too.
    Recall,
    /// Their harmonic mean.
    FMeasure,
}

impl Measure {
    /// The measure of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "precision" => Some(Self::Precision),
            "recall" => Some(Self::Recall),
            "fmeasure" => Some(Self::FMeasure),
            _ => None,
        }
    }
}

/// The options of ROUGE.
#[derive(Clone, Debug)]
pub struct Rouge {
    /// How text becomes tokens.
    pub words: WordOptions,
    /// What is counted.
    pub variant: Variant,
    /// What the score is.
    pub measure: Measure,
}

/// How text becomes words.
#[derive(Clone, Copy, Debug)]
pub struct WordOptions {
    /// How text becomes tokens.
    pub tokenizer: Tokenizer,
    /// Whether tokens become stems.
    pub stem: bool,
}

impl WordOptions {
    fn reading(self) -> Reading {
        if self.stem { Reading::Stems(self.tokenizer) } else { Reading::Words(self.tokenizer) }
    }
}

/// Precision, recall and F are one after the other, then comes the number of segments.
const SEGMENTS: usize = 3 * EXACT_CELLS;
const WIDTH: usize = SEGMENTS + 1;

impl Formula for Rouge {
    fn width(&self) -> usize {
        WIDTH
    }

    fn score(&self, totals: &[f64]) -> f64 {
        100.0 * mean_of(totals, self.measure as usize)
    }

    /// The score, and precision, recall and F from 0 to 100.
    fn parts(&self, totals: &[f64]) -> (f64, Vec<f64>) {
        (self.score(totals), (0..3).map(|measure| 100.0 * mean_of(totals, measure)).collect())
    }
}

fn mean_of(totals: &[f64], measure: usize) -> f64 {
    mean::exact_mean(&totals[measure * EXACT_CELLS..][..EXACT_CELLS], totals[SEGMENTS])
}

impl Metric for Rouge {
    type Counter = RougeCounter;

    fn counter(&self) -> RougeCounter {
        RougeCounter(Scores::new(self.words, &[self.variant]))
    }
}

impl Matrix for Rouge {
    fn index<'a>(&'a self, references: &'a Batch) -> Box<dyn Index + 'a> {
        match self.variant {
            Variant::Ngrams(_) => ngrams::index(self, references),
            Variant::Sequence => Box::new(SequenceIndex::new(self, references)),
            Variant::Summary => Box::new(OneByOne::new(self, references)),
        }
    }

    fn index_of_hypotheses<'a>(&'a self, hypotheses: &'a Batch) -> Option<Box<dyn Index + 'a>> {
        let is_of_ngrams = matches!(self.variant, Variant::Ngrams(_));
        is_of_ngrams.then(|| ngrams::index_of_hypotheses(self, hypotheses)).flatten()
    }

    fn index_of_mean<'a>(&'a self, references: &'a Batch, weights: Option<&[f64]>) -> Option<Box<dyn Index + 'a>> {
        let is_of_ngrams = matches!(self.variant, Variant::Ngrams(_));
        is_of_ngrams.then(|| ngrams::index_of_mean(self, references, weights)).flatten()
    }

    fn scores_among_others(&self, samples: &Samples, threads: &Threads) -> Vec<f64> {
        // The best reference is that of the highest F, whatever is made of it.
        if self.measure == Measure::FMeasure {
            others::best_scores(self, samples, threads)
        } else {
            others::one_by_one(self, samples, threads)
        }
    }
}

impl NgramMetric for Rouge {
    fn views(&self) -> Vec<View> {
        let order = if let Variant::Ngrams(order) = self.variant { order } else { 1 };
        vec![View { reading: self.words.reading(), order }]
    }

    fn fill(&self, hypothesis: &[f64], reference: &[f64], matches: &[f64], row: &mut [f64]) {
        let longest = matches.len() - 1;
        Parts::of(matches[longest], hypothesis[longest], reference[longest]).fill(row);
    }
}

impl SequenceMetric for Rouge {
    fn reading(&self) -> Reading {
        self.words.reading()
    }

    fn fill(&self, common: f64, hypothesis: f64, reference: f64, row: &mut [f64]) {
        Parts::of(common, hypothesis, reference).fill(row);
    }
}

/// Precision, recall and F of one segment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
    /// What of the hypothesis is in the reference.
    pub precision: f64,
    /// What of the reference is in the hypothesis.
    pub recall: f64,
    /// Their harmonic mean.
    pub fmeasure: f64,
}

impl Parts {
    /// All zeros, where a side has no words and rouge-score gives whole numbers instead of floats: minus zeros, which
    /// nothing else is.
    const VOID: Self = Self { precision: -0.0, recall: -0.0, fmeasure: -0.0 };

    /// In the order of rouge-score's operations, which shows in the last bit.
    fn of(common: f64, hypothesis: f64, reference: f64) -> Self {
        let (precision, recall) = (common / hypothesis.max(1.0), common / reference.max(1.0));
        let sum = precision + recall;
        let fmeasure = if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 };
        Self { precision, recall, fmeasure }
    }

    fn as_array(self) -> [f64; 3] {
        [self.precision, self.recall, self.fmeasure]
    }

    fn fill(self, row: &mut [f64]) {
        for (cells, part) in row.chunks_exact_mut(EXACT_CELLS).zip(self.as_array()) {
            cells.copy_from_slice(&mean::split(part));
        }
        row[SEGMENTS] = 1.0;
    }
}

/// Counts ROUGE's rows.
pub struct RougeCounter(Scores);

impl Counter for RougeCounter {
    fn count(&mut self, segment: Segment<'_>, row: &mut [f64]) {
        self.0.find(segment);
        self.0.best[0].fill(row);
    }
}

/// ROUGE of several variants at once, whose rows are precision, recall and F of each: what rouge-score returns. Where
/// it returns whole numbers, they are minus zeros.
pub struct AllScores {
    /// How text becomes words.
    pub words: WordOptions,
    /// The variants.
    pub variants: Vec<Variant>,
}

impl Formula for AllScores {
    fn width(&self) -> usize {
        3 * self.variants.len()
    }

    /// The sum of what the first variant has as F.
    fn score(&self, totals: &[f64]) -> f64 {
        totals[2]
    }
}

impl Metric for AllScores {
    type Counter = AllScoresCounter;

    fn counter(&self) -> AllScoresCounter {
        AllScoresCounter(Scores::new(self.words, &self.variants))
    }
}

/// Counts the rows of [`AllScores`].
pub struct AllScoresCounter(Scores);

impl Counter for AllScoresCounter {
    fn count(&mut self, segment: Segment<'_>, row: &mut [f64]) {
        self.0.find(segment);
        for (cells, parts) in row.chunks_exact_mut(3).zip(&self.0.best) {
            cells.copy_from_slice(&parts.as_array());
        }
    }
}

/// The scores of some variants, from one look at the words.
struct Scores {
    variants: Vec<Variant>,
    best: Vec<Parts>,
    reader: WordReader,
    /// For n-grams longer than 1. Single words are counted faster by themselves.
    matcher: Option<Matcher>,
    matches: Vec<f64>,
    lcs: Lcs,
    hypothesis: Words,
    reference: Words,
    /// How often the hypothesis has each word, and what is left of that.
    counts: Vec<u32>,
    unpaired: Vec<u32>,
    marks: Vec<bool>,
    spent: Vec<u32>,
}

/// The words of a text as numbers, and where its sentences end.
#[derive(Default)]
struct Words {
    numbers: Vec<u32>,
    highest: usize,
    ends: Vec<usize>,
}

impl Words {
    fn sentences(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.numbers[start..end]).filter(|sentence| !sentence.is_empty())
    }
}

impl Scores {
    fn new(words: WordOptions, variants: &[Variant]) -> Self {
        let length = |variant: &Variant| if let Variant::Ngrams(order) = *variant { order } else { 0 };
        let order = variants.iter().map(length).max().unwrap_or(0);
        Self {
            variants: variants.to_vec(),
            best: vec![Parts::default(); variants.len()],
            reader: WordReader::new(words, variants.contains(&Variant::Summary)),
            matcher: (order > 1).then(|| Matcher::new(order, Anchor::Unigram)),
            matches: vec![0.0; order],
            lcs: Lcs::default(),
            hypothesis: Words::default(),
            reference: Words::default(),
            counts: Vec::new(),
            unpaired: Vec::new(),
            marks: Vec::new(),
            spent: Vec::new(),
        }
    }

    /// Leaves the parts of each variant with its best reference in `best`.
    fn find(&mut self, segment: Segment<'_>) {
        self.reader.read_hypothesis(segment.hypothesis(), &mut self.hypothesis);
        if self.variants.iter().any(|variant| matches!(variant, Variant::Ngrams(1) | Variant::Summary)) {
            count_words(&self.hypothesis, &mut self.counts);
        }
        if let Some(matcher) = &mut self.matcher {
            self.spent.clear();
            self.spent.extend_from_slice(&self.hypothesis.numbers);
            matcher.start(&mut self.spent, self.hypothesis.highest);
        }
        for (at, reference) in segment.references().enumerate() {
            self.reader.read_reference(reference, &mut self.reference);
            if let Some(matcher) = &mut self.matcher {
                self.spent.clear();
                self.spent.extend_from_slice(&self.reference.numbers);
                matcher.add_reference(&mut self.spent);
                self.matches.fill(0.0);
                matcher.finish(&mut self.matches);
            }
            for variant in 0..self.variants.len() {
                let parts = self.parts(self.variants[variant]);
                if at == 0 || parts.fmeasure > self.best[variant].fmeasure {
                    self.best[variant] = parts;
                }
            }
        }
    }

    /// The parts of one variant with the reference that was read last.
    fn parts(&mut self, variant: Variant) -> Parts {
        let (own, theirs) = (self.hypothesis.numbers.len(), self.reference.numbers.len());
        let ngrams = |length: usize, order: usize| (length + 1).saturating_sub(order) as f64;
        if let Variant::Ngrams(order) = variant {
            let common = if self.matcher.is_some() { self.matches[order - 1] } else { self.shared_words() };
            return Parts::of(common, ngrams(own, order), ngrams(theirs, order));
        }
        if own == 0 || theirs == 0 {
            return Parts::VOID;
        }
        let is_one = |words: &Words| words.sentences().nth(1).is_none();
        let common = if variant == Variant::Sequence || is_one(&self.hypothesis) && is_one(&self.reference) {
            self.common_sequence()
        } else {
            self.union_of_sequences()
        };
        Parts::of(common as f64, own as f64, theirs as f64)
    }

    /// How many words both sides share, whatever their order.
    fn shared_words(&mut self) -> f64 {
        self.unpaired.clear();
        self.unpaired.extend_from_slice(&self.counts);
        take_all(&self.reference.numbers, &mut self.unpaired) as f64
    }

    /// The length of the longest common subsequence. The shorter side makes the pattern.
    fn common_sequence(&mut self) -> usize {
        let (ours, theirs) = (&self.hypothesis.numbers, &self.reference.numbers);
        let (pattern, text) = if ours.len() <= theirs.len() { (ours, theirs) } else { (theirs, ours) };
        self.lcs.start(pattern, self.hypothesis.highest);
        self.lcs.length(text)
    }

    /// How many words of the reference's sentences are in one of their longest common subsequences with sentences of
    /// the hypothesis, but of each word no more than the hypothesis has.
    fn union_of_sequences(&mut self) -> usize {
        self.unpaired.clear();
        self.unpaired.extend_from_slice(&self.counts);
        let mut hits = 0;
        for sentence in self.reference.sentences() {
            self.lcs.start(sentence, self.hypothesis.highest);
            self.marks.clear();
            self.marks.resize(sentence.len(), false);
            self.hypothesis.sentences().for_each(|other| self.lcs.mark(other, &mut self.marks));
            for (&word, _) in sentence.iter().zip(&self.marks).filter(|&(_, &is_marked)| is_marked) {
                hits += take_all(&[word], &mut self.unpaired);
            }
        }
        hits
    }
}

/// Counts the words of a hypothesis, by number. Those that it lacks have the number 0.
fn count_words(words: &Words, counts: &mut Vec<u32>) {
    counts.clear();
    counts.resize(words.highest + 1, 0);
    words.numbers.iter().for_each(|&word| counts[word as usize] += 1);
}

/// Takes words from those that are left, and returns how many there were.
fn take_all(words: &[u32], left: &mut [u32]) -> usize {
    words.iter().fold(0, |taken, &word| {
        let left = &mut left[word as usize];
        let is_there = *left > 0;
        *left -= u32::from(is_there);
        taken + usize::from(is_there)
    })
}

/// Reads texts as numbers of words.
struct WordReader {
    options: WordOptions,
    by_sentence: bool,
    tokens: Tokens,
    stemmer: Stemmer,
    numbers: WordNumbers,
}

impl WordReader {
    fn new(options: WordOptions, by_sentence: bool) -> Self {
        let (tokens, stemmer) = (Tokens::default(), Stemmer::default());
        Self { options, by_sentence, tokens, stemmer, numbers: WordNumbers::default() }
    }

    fn read_hypothesis(&mut self, text: Text<'_>, words: &mut Words) {
        let prepared = prepare(self.options, self.by_sentence, &mut self.tokens, &mut self.stemmer, text, words);
        self.numbers.number_hypothesis(prepared, &mut words.numbers);
        words.highest = self.numbers.highest();
    }

    fn read_reference(&mut self, text: Text<'_>, words: &mut Words) {
        let prepared = prepare(self.options, self.by_sentence, &mut self.tokens, &mut self.stemmer, text, words);
        self.numbers.number_reference(prepared, &mut words.numbers);
    }
}

/// The words of a text, and in `words` where its sentences end, if that is asked.
fn prepare<'a>(
    options: WordOptions,
    by_sentence: bool,
    tokens: &'a mut Tokens,
    stemmer: &'a mut Stemmer,
    text: Text<'a>,
    words: &mut Words,
) -> Prepared<'a> {
    let prepared = tokens.prepare(options.tokenizer, text);
    words.ends.clear();
    if by_sentence {
        match prepared.text {
            Text::Narrow(text) => end_sentences(text, prepared, &mut words.ends),
            Text::Wide(text) => end_sentences(text, prepared, &mut words.ends),
        }
    }
    if options.stem { stemmer.stems(prepared) } else { prepared }
}

/// Sentences end at line feeds; a tokenizer that goes with sentences leaves them where they are, between tokens.
fn end_sentences<U: Unit>(text: &[U], prepared: Prepared<'_>, ends: &mut Vec<usize>) {
    let line_feed = U::from_ascii(b'\n');
    let mut words = 0;
    for (at, _) in text.iter().enumerate().filter(|&(_, &c)| c == line_feed) {
        words += prepared.spans[words..].iter().take_while(|span| span.bounds().0 < at).count();
        ends.push(words);
    }
    ends.push(prepared.spans.len());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::load_all;
    use crate::metrics::tests::Texts;
    use crate::segments::{add_rows, count};
    use crate::unicode::code_points;

    const PLAIN: WordOptions = WordOptions { tokenizer: Tokenizer::Rouge, stem: false };

    fn all(texts: Vec<&'static str>) -> Vec<f64> {
        let variants = ["1", "2", "L", "Lsum"].map(|name| Variant::from_name(name).unwrap()).to_vec();
        let mut scores = Vec::new();
        let Ok(()) = count(&AllScores { words: PLAIN, variants }, &Texts(vec![texts]), &Threads::new(1), |rows| {
            scores.extend_from_slice(rows);
        });
        scores.chunks_exact(3).map(|parts| parts[2]).collect()
    }

    #[test]
    fn scores_are_those_of_rouge_score() {
        let found = all(vec!["a b a b\nd c", "a b\nc d\na b"]);
        assert_eq!(vec![1.0, 0.400_000_000_000_000_1, 2.0 / 3.0, 0.833_333_333_333_333_4], found);
        let found = all(vec!["w1 w2 w6\nw1 w3 w5", "w1 w2 w3 w4 w5\nw1 w1"]);
        assert_eq!(0.769_230_769_230_769_2, found[3]);
        assert_eq!(0.8000000000000002, all(vec!["b a b a b", "a b a b a"])[0]);
    }

    fn counted(measure: Measure, texts: Vec<&'static str>) -> (f64, Vec<f64>) {
        let metric = Rouge { words: PLAIN, variant: Variant::Ngrams(1), measure };
        let mut totals = vec![0.0; metric.width()];
        let segments = Texts(vec![texts.clone(), texts]);
        let Ok(()) = count(&metric, &segments, &Threads::new(1), |rows| add_rows(&mut totals, rows));
        (metric.score(&totals), metric.parts(&totals).1)
    }

    #[test]
    fn the_score_of_a_corpus_is_the_mean_of_the_measure() {
        let scores =
            [Measure::Precision, Measure::Recall, Measure::FMeasure].map(|one| counted(one, vec!["a b", "b c d e"]));
        assert_eq!([50.0, 25.0, 100.0 * (0.25 / 0.75)], [0, 1, 2].map(|at| scores[at].0));
        assert_eq!(vec![50.0, 25.0, 100.0 * (0.25 / 0.75)], scores[0].1);
        assert_eq!(vec![100.0; 3], counted(Measure::Recall, vec!["a", "a"]).1);
    }

    #[test]
    fn of_references_with_the_same_f_the_first_counts() {
        assert_eq!(50.0, counted(Measure::Precision, vec!["a b", "a x", "a b x x x x"]).0);
        assert_eq!(100.0, counted(Measure::Precision, vec!["a b", "a b x x x x", "a x"]).0);
    }

    #[test]
    fn sentences_count_by_themselves_if_only_one_side_has_several() {
        assert_eq!(1.0, all(vec!["a b c d", "c d\na b"])[3]);
        assert_eq!(1.0, all(vec!["c d\na b", "a b c d"])[3]);
    }

    #[test]
    fn the_sum_of_all_scores_is_that_of_the_first_f() {
        let metric = AllScores { words: PLAIN, variants: vec![Variant::Sequence, Variant::Summary] };
        assert_eq!((6, 0.3), (metric.width(), metric.score(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6])));
    }

    #[test]
    fn a_side_without_words_gives_minus_zeros_for_sequences() {
        let found = all(vec!["the cat", ""]);
        assert_eq!([false, false, true, true], [0, 1, 2, 3].map(|at| found[at].is_sign_negative()));
    }

    #[test]
    fn each_variant_takes_its_own_best_reference() {
        let found = all(vec!["a b c", "c b a", "x b c"]);
        assert_eq!(1.0, found[0]);
        assert_eq!(0.5, found[1]);
        assert_eq!(all(vec!["a b c", "x b c"])[2], found[2]);
    }

    #[test]
    fn every_cell_of_a_matrix_is_the_score_of_its_pair() {
        let texts = ["the cat sat\non the mat", "a cat\nsat there", "", "the the the mats"];
        let source = || Texts(texts.iter().map(|text| vec![*text]).collect());
        for (name, stem) in [("1", false), ("2", true), ("L", true), ("Lsum", false)] {
            let (words, variant) = (WordOptions { stem, ..PLAIN }, Variant::from_name(name).unwrap());
            let metric = Rouge { words, variant, measure: Measure::FMeasure };
            let Ok(references) = load_all(&source());
            let index = metric.index(&references);
            let (mut scorer, mut cells) = (index.scorer(), vec![0.0; texts.len()]);
            for hypothesis in texts {
                scorer.score(Text::Wide(&code_points(hypothesis)), &mut cells);
                for (reference, cell) in texts.iter().zip(&cells) {
                    let mut row = Vec::new();
                    let pair = Texts(vec![vec![hypothesis, reference]]);
                    let Ok(()) = count(&metric, &pair, &Threads::new(1), |rows| row.extend_from_slice(rows));
                    assert_eq!(metric.score(&row), *cell, "{name} {hypothesis} {reference}");
                }
            }
        }
    }
}
