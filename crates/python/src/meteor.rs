//! METEOR: WordNet and options in, an engine or the matches of given tokens out; and the words of NLTK's tokenizer.

use crate::door::Plain;
use crate::engine::Engine;
use crate::errors::{OptionError, memory_error};
use crate::text::{
    AHEAD, LONG, Sequence, Signals, append_code_points, append_in_small_letters, as_python, as_string, ascii, changed,
    length, tokenizer_from,
};
use crate::watch::detached;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyList, PyString};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use truebleu_core::halt;
use truebleu_core::metrics::meteor::{Found, Matcher, Matching, Meteor, Weights};
use truebleu_core::prepare::{Prepared, Span, Stemmer, punkt, treebank};
use truebleu_core::text::{Text, Unit, narrow_into};
use truebleu_core::wordnet;

/// The matches of each stage, chunks, and the words of both sides.
type Counts = (usize, usize, usize, usize, usize, usize);

/// The synonyms of WordNet, from the sections of its file.
#[pyclass(frozen, module = "truebleu._core")]
pub struct WordNet {
    net: Arc<wordnet::WordNet>,
    matcher: Mutex<Matcher>, // kept, because to make one takes longer than to match two sentences
    given: Mutex<[Given; 2]>,
}

#[pymethods]
impl WordNet {
    #[new]
    fn new(sections: Vec<Vec<u8>>) -> PyResult<Self> {
        let sections: Vec<&[u8]> = sections.iter().map(Vec::as_slice).collect();
        let unknown = || OptionError::new_err("these are not the sections of WordNet");
        let net = Arc::new(wordnet::WordNet::read(&sections).ok_or_else(unknown)?);
        let matcher = Matcher::new(&Matching { stem: true, wordnet: Some(net.clone()) });
        Ok(Self { net, matcher: Mutex::new(matcher), given: Mutex::default() })
    }

    /// The names of one word in small letters that a word and its base forms lead to.
    fn synonyms(&self, word: &str) -> Vec<&str> {
        let mut names = Vec::new();
        self.net.add_synonyms(word.as_bytes(), &mut names);
        names.into_iter().filter_map(|name| std::str::from_utf8(self.net.word(name)).ok()).collect()
    }

    /// How the tokens of a hypothesis match those of each reference: the matches of each stage, chunks and lengths.
    fn matches(
        &self,
        py: Python<'_>,
        hypothesis: Sequence<'_>,
        references: Vec<Sequence<'_>>,
    ) -> PyResult<Vec<Counts>> {
        let hypothesis = Given::new(&hypothesis)?;
        let references = references.iter().map(Given::new).collect::<PyResult<Vec<_>>>()?;
        let tokens = hypothesis.spans.len() + references.iter().map(|one| one.spans.len()).sum::<usize>();
        let work = || {
            let mut matcher = self.matcher();
            matcher.start(hypothesis.prepared(), false);
            let found = references.iter().map(|one| matcher.add(hypothesis.prepared(), one.prepared()));
            let flat = |Found { matches: [exact, stem, synonym], chunks, ours, theirs }| {
                (exact, stem, synonym, chunks, ours, theirs)
            };
            found.map(flat).collect()
        };
        if tokens < FEW { halt::run_briefly(work).map_err(|_| memory_error()) } else { detached(py, work) }
    }

    /// The score of the usual call of NLTK's function: a few tokens in plain lists, which come in any case. Nothing, if
    /// it is any other call; the caller then checks what it was given.
    fn score(
        &self,
        hypothesis: &Bound<'_, PyAny>,
        references: &Bound<'_, PyAny>,
        weights: [Bound<'_, PyAny>; 3],
    ) -> Option<f64> {
        let [alpha, beta, gamma] = weights.map(|weight| plain_number(&weight));
        let (weights, references) = (Weights { alpha: alpha?, beta: beta?, gamma: gamma? }, Plain::of(references)?);
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let [ours, theirs] = &mut *given;
        ours.read(&Plain::of(hypothesis)?)?;
        let (mut matcher, mut best) = (self.matcher(), None);
        halt::run_briefly(|| matcher.start(ours.prepared(), false)).ok()?;
        for reference in references.iter() {
            theirs.read(&Plain::of(&reference?)?)?;
            let found = halt::run_briefly(|| matcher.add(ours.prepared(), theirs.prepared())).ok()?;
            let score = weights.score_in_python(&found)?;
            if best.is_none_or(|best| score > best) {
                best = Some(score);
            }
        }
        best
    }
}

impl WordNet {
    fn matcher(&self) -> MutexGuard<'_, Matcher> {
        self.matcher.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A number that is a float or an int itself, and finite.
fn plain_number(value: &Bound<'_, PyAny>) -> Option<f64> {
    let is_plain = value.is_exact_instance_of::<PyFloat>() || value.is_exact_instance_of::<PyInt>();
    is_plain.then(|| value.extract().ok()).flatten().filter(|number: &f64| number.is_finite())
}

/// So many tokens are matched before anybody could notice.
const FEW: usize = 1 << 12;

/// So many characters are read before anybody could notice.
const FEW_CHARACTERS: usize = 1 << 16;

/// Tokens that were given, end to end.
#[derive(Default)]
struct Given {
    narrow: Vec<u8>,
    wide: Vec<u32>, // all tokens, if some are not narrow
    spans: Vec<Span>,
}

impl Given {
    fn new(tokens: &Sequence<'_>) -> PyResult<Self> {
        let mut given = Self { spans: Vec::with_capacity(tokens.len()), ..Self::default() };
        for at in 0..tokens.len() {
            let (token, start) = (tokens.get(at)?, given.wide.len());
            append_code_points(&mut given.wide, as_string(&token).ok_or_else(|| changed(&token))?)?;
            given.spans.push(Span::new(start, given.wide.len()));
        }
        given.narrow();
        Ok(given)
    }

    /// Reads tokens and lower-cases them; nothing comes back if there are many, or others than plain strings.
    fn read(&mut self, tokens: &Plain<'_, '_>) -> Option<()> {
        if tokens.len() >= FEW {
            return None;
        }
        self.narrow.clear();
        self.wide.clear();
        self.spans.clear();
        for token in tokens.iter() {
            let token = token?;
            let Some(bytes) = ascii(token.cast_exact::<PyString>().ok()?) else { return self.read_wide(tokens) };
            let start = self.narrow.len();
            self.narrow.extend_from_slice(bytes);
            self.spans.push(Span::new(start, self.narrow.len()));
            if self.narrow.len() > FEW_CHARACTERS {
                return None;
            }
        }
        // So written, it compiles to vector instructions.
        self.narrow.iter_mut().for_each(|c| *c |= u8::from(c.wrapping_sub(b'A') < 26) << 5);
        Some(())
    }

    fn read_wide(&mut self, tokens: &Plain<'_, '_>) -> Option<()> {
        self.spans.clear();
        for token in tokens.iter() {
            let start = self.wide.len();
            append_in_small_letters(&mut self.wide, token?.cast_exact::<PyString>().ok()?).ok()?;
            self.spans.push(Span::new(start, self.wide.len()));
            if self.wide.len() > FEW_CHARACTERS {
                return None;
            }
        }
        self.narrow();
        Some(())
    }

    /// Makes the tokens narrow, if all are.
    fn narrow(&mut self) {
        self.narrow.clear();
        self.narrow.resize(self.wide.len(), 0);
        if narrow_into(&self.wide, &mut self.narrow) {
            self.wide.clear();
        }
    }

    fn prepared(&self) -> Prepared<'_> {
        let text = if self.wide.is_empty() { Text::Narrow(&self.narrow) } else { Text::Wide(&self.wide) };
        Prepared { text, spans: &self.spans }
    }
}

/// METEOR with its options; without WordNet there are no synonyms.
#[pyfunction]
#[pyo3(signature = (*, tokenizer, lowercase, stem, wordnet, alpha, beta, gamma))]
pub fn meteor_engine(
    tokenizer: &str,
    lowercase: bool,
    stem: bool,
    wordnet: Option<PyRef<'_, WordNet>>,
    alpha: f64,
    beta: f64,
    gamma: f64,
) -> PyResult<Engine> {
    let matching = Matching { stem, wordnet: wordnet.map(|wordnet| wordnet.net.clone()) };
    let tokenizer = tokenizer_from(tokenizer)?;
    Ok(Engine::of_metric(Meteor { tokenizer, matching, weights: Weights { alpha, beta, gamma } }, lowercase))
}

/// The stem of a word in small letters, as NLTK's `PorterStemmer` has it.
#[pyfunction]
pub fn porter_stem<'py>(word: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
    let (mut text, mut stemmer) = (Vec::new(), Stemmer::of_all_words());
    append_code_points(&mut text, word)?;
    let spans = [Span::new(0, text.len())];
    let stem = stemmer.stems(Prepared { text: Text::Wide(&text), spans: &spans }).text.code_points();
    as_python(word.py(), &stem)
}

/// A trained model of Punkt, which finds sentences.
#[pyclass(frozen, module = "truebleu._core")]
pub struct Punkt(punkt::Punkt);

#[pymethods]
impl Punkt {
    #[new]
    fn new(abbreviations: &str, collocations: &str, starters: &str, contexts: &str) -> PyResult<Self> {
        let unknown = || OptionError::new_err("these are not the files of Punkt's model");
        punkt::Punkt::read([abbreviations, collocations, starters, contexts]).map(Self).ok_or_else(unknown)
    }
}

/// The words of each text as NLTK's tokenizer has them, joined by single spaces; with a model those of each sentence.
#[pyfunction]
#[pyo3(signature = (texts, model = None))]
pub fn treebank_words<'py>(
    py: Python<'py>,
    texts: Sequence<'py>,
    model: Option<PyRef<'py, Punkt>>,
) -> PyResult<Bound<'py, PyList>> {
    let (mut signals, found, mut words) = (Signals::new(py), PyList::empty(py), Words::new(model.as_deref()));
    for at in 0..texts.len() {
        texts.prefetch(at + AHEAD);
        let line = texts.get(at)?;
        let line = as_string(&line).ok_or_else(|| changed(&line))?;
        signals.next_text(length(line))?;
        found.append(match ascii(line) {
            Some(bytes) if bytes.len() < LONG => words.of_bytes(py, bytes)?,
            _ => words.of_text(line)?,
        })?;
    }
    Ok(found)
}

/// Finds words, with the memory to find the next.
struct Words<'a> {
    model: Option<&'a Punkt>,
    sentences: Vec<Range<usize>>,
    bytes: Vec<u8>,
    wide: Vec<u32>,
    made: Vec<u32>,
}

impl<'a> Words<'a> {
    fn new(model: Option<&'a Punkt>) -> Self {
        Self { model, sentences: Vec::new(), bytes: Vec::new(), wide: Vec::new(), made: Vec::new() }
    }

    fn of_bytes<'py>(&mut self, py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let (model, sentences, made) = (self.model, &mut self.sentences, &mut self.bytes);
        halt::run_briefly(|| add_words(model, sentences, text, made, |c| c as u8)).map_err(|_| memory_error())?;
        Ok(PyString::new(py, &String::from_utf8_lossy(made)).into_any())
    }

    fn of_text<'py>(&mut self, text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        let (py, is_long) = (text.py(), length(text) >= LONG);
        self.wide.clear();
        append_code_points(&mut self.wide, text)?;
        let (model, sentences, wide, made) = (self.model, &mut self.sentences, &self.wide, &mut self.made);
        let work = || add_words(model, sentences, wide, made, |c| c);
        if is_long {
            detached(py, work)?
        } else {
            halt::run_briefly(work).map_err(|_| memory_error())?
        };
        let words = made.iter().map(|&c| char::from_u32(c)).collect::<Option<String>>();
        words.map_or_else(|| as_python(py, made), |words| Ok(PyString::new(py, &words).into_any()))
    }
}

/// The words of all sentences, or of the text as one.
fn add_words<U: Unit>(
    model: Option<&Punkt>,
    sentences: &mut Vec<Range<usize>>,
    text: &[U],
    made: &mut Vec<U>,
    unit: impl Fn(u32) -> U,
) {
    made.clear();
    let Some(Punkt(model)) = model else { return treebank::add_words(text, made, unit) };
    sentences.clear();
    model.add_sentences(text, sentences);
    sentences.iter().for_each(|sentence| treebank::add_words(&text[sentence.clone()], made, &unit));
}
