//! METEOR: WordNet and options in, an engine or the matches of given tokens out; and the words of NLTK's tokenizer.

use crate::engine::Engine;
use crate::errors::{OptionError, memory_error};
use crate::text::{Sequence, Signals, append_code_points, as_python, as_string, changed, tokenizer_from};
use crate::watch::detached;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use std::sync::{Arc, Mutex, PoisonError};
use truebleu_core::halt;
use truebleu_core::metrics::meteor::{Found, Matcher, Matching, Meteor, Weights};
use truebleu_core::prepare::{Prepared, Span, Stemmer, treebank};
use truebleu_core::text::Text;
use truebleu_core::wordnet;

/// The matches of each stage, chunks, and the words of both sides.
type Counts = (usize, usize, usize, usize, usize, usize);

/// The synonyms of WordNet, from the sections of its file.
#[pyclass(frozen, module = "truebleu._core")]
pub struct WordNet {
    net: Arc<wordnet::WordNet>,
    matcher: Mutex<Matcher>, // kept, because to make one takes longer than to match two sentences
}

#[pymethods]
impl WordNet {
    #[new]
    fn new(sections: Vec<Vec<u8>>) -> PyResult<Self> {
        let sections: Vec<&[u8]> = sections.iter().map(Vec::as_slice).collect();
        let unknown = || OptionError::new_err("these are not the sections of WordNet");
        let net = Arc::new(wordnet::WordNet::read(&sections).ok_or_else(unknown)?);
        let matcher = Matcher::new(&Matching { stem: true, wordnet: Some(net.clone()) });
        Ok(Self { net, matcher: Mutex::new(matcher) })
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
            let mut matcher = self.matcher.lock().unwrap_or_else(PoisonError::into_inner);
            matcher.start(hypothesis.prepared(), false);
            let found = references.iter().map(|one| matcher.add(hypothesis.prepared(), one.prepared()));
            let flat = |Found { matches: [exact, stem, synonym], chunks, ours, theirs }| {
                (exact, stem, synonym, chunks, ours, theirs)
            };
            found.map(flat).collect()
        };
        if tokens < FEW { halt::run_briefly(work).map_err(|_| memory_error()) } else { detached(py, work) }
    }
}

/// So many tokens are matched before anybody could notice.
const FEW: usize = 1 << 12;

/// Tokens that were given, end to end.
struct Given {
    text: Vec<u32>,
    spans: Vec<Span>,
}

impl Given {
    fn new(tokens: &Sequence<'_>) -> PyResult<Self> {
        let mut given = Self { text: Vec::new(), spans: Vec::with_capacity(tokens.len()) };
        for at in 0..tokens.len() {
            let (token, start) = (tokens.get(at)?, given.text.len());
            append_code_points(&mut given.text, as_string(&token).ok_or_else(|| changed(&token))?)?;
            given.spans.push(Span::new(start, given.text.len()));
        }
        Ok(given)
    }

    fn prepared(&self) -> Prepared<'_> {
        Prepared { text: Text::Wide(&self.text), spans: &self.spans }
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

/// The words of each text as NLTK's tokenizer has them, joined by single spaces.
#[pyfunction]
pub fn treebank_words<'py>(py: Python<'py>, texts: Sequence<'py>) -> PyResult<Bound<'py, PyList>> {
    let (mut signals, mut text, found) = (Signals::new(py), Vec::new(), PyList::empty(py));
    for at in 0..texts.len() {
        let line = texts.get(at)?;
        text.clear();
        append_code_points(&mut text, as_string(&line).ok_or_else(|| changed(&line))?)?;
        let words = signals.on_text(&text, treebank::words)?;
        if words.iter().fold(0, |seen, &c| seen | c) < 0x80 {
            let bytes: Vec<u8> = words.iter().map(|&c| c as u8).collect();
            found.append(PyString::new(py, &String::from_utf8_lossy(&bytes)))?;
        } else {
            found.append(as_python(py, &words)?)?;
        }
    }
    Ok(found)
}
