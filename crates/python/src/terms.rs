//! Terms: a glossary in, an engine out; and how each term of each segment was translated.

use crate::engine::Engine;
use crate::errors::OptionError;
use crate::text::{Sequence, Texts};
use crate::watch::detached;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use std::sync::Arc;
use truebleu_core::metrics::terms::{
    Bases, Bounds, Case, Given, Glossary, Overlap, Places, Quorum, Terms, Wanted, totals_and_uses,
};

/// A document, an entry, how often it is wanted there, and how often each of its translations was found.
type Use = (u32, usize, usize, Vec<usize>);

/// A glossary with the options of its terms.
#[pyclass(frozen, module = "truebleu._core")]
pub struct TermMatcher(Terms);

#[pymethods]
impl TermMatcher {
    /// Takes texts: each term, and its translations after it, of which there are so many; then their other forms, each
    /// of an entry and one of its translations.
    #[new]
    #[pyo3(signature = (
        texts, targets, forms_of, bases, *, wanted, case, bounds, overlap, places, if_reference, forms, lemmas,
        compounds, averaged
    ))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        texts: Vec<PyBackedStr>,
        targets: Vec<usize>,
        forms_of: Vec<(usize, usize)>,
        bases: Vec<(u32, u32)>,
        wanted: &str,
        case: &str,
        bounds: &str,
        overlap: &str,
        places: &str,
        if_reference: &str,
        forms: bool,
        lemmas: bool,
        compounds: bool,
        averaged: bool,
    ) -> PyResult<Self> {
        let case = named(case, &[("fold", Case::Folded), ("keep", Case::Kept), ("smart", Case::Smart)])?;
        let bounds =
            named(bounds, &[("script", Bounds::Script), ("words", Bounds::Words), ("nothing", Bounds::Nothing)])?;
        let overlap = named(overlap, &[("longest", Overlap::Longest), ("all", Overlap::All), ("once", Overlap::Once)])?;
        let wanted = named(
            wanted,
            &[("listed", Wanted::Listed), ("in source", Wanted::InSource), ("numbered", Wanted::Numbered)],
        )?;
        let places = named(places, &[("own", Places::Own), ("shared", Places::Shared), ("counted", Places::Counted)])?;
        let quorums = [("", None), ("any", Some(Quorum::Any)), ("all", Some(Quorum::All))];
        let if_reference = named(if_reference, &quorums)?;
        let entries = entries_of(&texts, &targets, &forms_of)
            .ok_or_else(|| OptionError::new_err("terms: texts and numbers of translations do not fit together"))?;
        let glossary = detached(py, || Glossary::new(&entries, Bases::new(&bases), case, bounds, overlap))?;
        Ok(Self(Terms {
            glossary: Arc::new(glossary),
            wanted,
            forms,
            lemmas,
            compounds,
            places,
            if_reference,
            averaged,
        }))
    }

    /// The engine that counts terms.
    fn engine(&self) -> Engine {
        Engine::of_metric(self.0.clone(), false)
    }

    /// The totals, and what became of each term, in the documents of the segments or in all of them.
    #[pyo3(signature = (hypotheses, streams, documents = None))]
    fn totals_and_uses(
        &self,
        py: Python<'_>,
        hypotheses: Sequence<'_>,
        streams: Vec<Sequence<'_>>,
        documents: Option<Vec<u32>>,
    ) -> PyResult<(Vec<f64>, Vec<Use>)> {
        let texts = Texts::new(hypotheses, streams, true, false);
        let (totals, found) = detached(py, || totals_and_uses(&self.0, &texts, documents.as_deref()))??;
        let uses = found.into_iter().map(|((document, entry), one)| (document, entry, one.wanted, one.targets));
        Ok((totals, uses.collect()))
    }
}

/// Puts the texts of each entry together.
fn entries_of<'a>(
    texts: &'a [PyBackedStr],
    targets: &[usize],
    forms_of: &[(usize, usize)],
) -> Option<Vec<Given<&'a str>>> {
    let mut texts = texts.iter().map(|text| &**text);
    let mut entries: Vec<Given<&str>> = Vec::with_capacity(targets.len());
    for &number in targets {
        let source = texts.next()?;
        entries.push((source, texts.by_ref().take(number).collect(), Vec::new()));
    }
    for &(entry, target) in forms_of {
        entries.get_mut(entry)?.2.push((target, texts.next()?));
    }
    texts.next().is_none().then_some(entries)
}

fn named<T: Copy>(name: &str, known: &[(&str, T)]) -> PyResult<T> {
    let found = known.iter().find(|(one, _)| *one == name).map(|&(_, value)| value);
    found.ok_or_else(|| OptionError::new_err(format!("terms: no option is called {name:?}")))
}
