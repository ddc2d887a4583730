//! The expected score of each hypothesis over references of given weights: what minimum-Bayes-risk decoding chooses by
//! (Kumar and Byrne, 2004).
//!
//! Exactly, that is the weighted mean of a row of the matrix. The cheap variant (Vamvas and Sennrich, 2024) takes the
//! mean of the references' n-gram counts instead and scores each hypothesis once against it; it is neither the mean of
//! scores nor the score with several references.

use super::{Indexing, load_all, score_all, scores};
use crate::halt;
use crate::segments::Source;
use crate::threads::{Threads, lock, unlocked};
use std::sync::Mutex;

/// One choice to be made.
pub struct Choice<S> {
    /// What to choose from.
    pub candidates: S,
    /// What to score against.
    pub references: S,
    /// How much each reference counts; all the same if None.
    pub weights: Option<Vec<f64>>,
}

/// The expected score of each candidate. Each score is multiplied by the weight of its reference, and the products are
/// added from the first reference to the last, plainly, as Python's `sum` did before 3.12; so are the weights. The sum
/// is then divided by that of the weights.
///
/// With `aggregate`, references are put together first; None if the metric cannot do that.
pub fn expected<S: Source>(
    metric: &dyn Indexing,
    choice: &Choice<S>,
    aggregate: bool,
    threads: &Threads,
) -> Result<Option<Vec<f64>>, S::Error> {
    if aggregate { score_mean(metric, choice, threads) } else { mean_score(metric, choice, threads).map(Some) }
}

/// The expected scores of many choices. Threads share the choices if there are enough, or else the candidates of each.
pub fn expected_all<S: Source>(
    metric: &dyn Indexing,
    choices: &[Choice<S>],
    aggregate: bool,
    threads: &Threads,
) -> Result<Vec<Option<Vec<f64>>>, S::Error> {
    let cells = |choice: &Choice<S>| choice.candidates.len() * if aggregate { 1 } else { choice.references.len() };
    halt::expect(choices.iter().map(cells).sum());
    if choices.len() < threads.most() {
        return choices.iter().map(|choice| expected(metric, choice, aggregate, threads)).collect();
    }
    threads.map(choices.len(), || |at| expected(metric, &choices[at], aggregate, &Threads::new(1)))
}

fn mean_score<S: Source>(metric: &dyn Indexing, choice: &Choice<S>, threads: &Threads) -> Result<Vec<f64>, S::Error> {
    let weight_of = |reference: usize| choice.weights.as_ref().map_or(1.0, |weights| weights[reference]);
    let total: f64 = (0..choice.references.len()).map(weight_of).sum();
    let mut sums = vec![0.0; choice.candidates.len()];
    scores(metric, &choice.candidates, &choice.references, threads, &mut |at, first, scores| {
        let sum: &mut f64 = &mut sums[at];
        scores.iter().zip(first..).for_each(|(score, reference)| *sum += weight_of(reference) * score);
    })?;
    Ok(sums.into_iter().map(|sum| sum / total).collect())
}

fn score_mean<S: Source>(
    metric: &dyn Indexing,
    choice: &Choice<S>,
    threads: &Threads,
) -> Result<Option<Vec<f64>>, S::Error> {
    let references = load_all(&choice.references)?;
    let Some(index) = metric.of_mean(&references, choice.weights.as_deref()) else { return Ok(None) };
    let expected = Mutex::new(vec![0.0; choice.candidates.len()]);
    score_all(&*index, &choice.candidates, threads, |at, scores| {
        lock(&expected)[at] = scores[0];
    })?;
    Ok(Some(unlocked(expected)))
}
