//! Agreement of a metric with people: groups of scores in, counts of pairs out, without the interpreter's lock.

use crate::errors::StatsMismatch;
use crate::numbers::{as_bytes, doubles};
use crate::watch::detached;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use truebleu_core::agreement::{self, Scores};

/// The counts of pairs of each group, eight a group, as the bytes of doubles. `people` and `metric` are the bytes of
/// doubles, group after group, and `sizes` says how many scores each group has.
#[pyfunction]
pub fn pair_counts<'py>(
    py: Python<'py>,
    people: &[u8],
    metric: &[u8],
    sizes: Vec<usize>,
    epsilon: f64,
) -> PyResult<Bound<'py, PyBytes>> {
    let (people, metric) = (doubles(people), doubles(metric));
    let groups = divided(&people, &metric, &sizes)?;
    let found: Vec<_> =
        detached(py, || groups.iter().map(|&scores| agreement::count_pairs(scores, epsilon)).collect())?;
    let rows = found.iter().flat_map(|one: &agreement::Pairs| {
        let ties = [one.tied_people, one.tied_metric, one.tied_both, one.distinct_people, one.distinct_metric];
        [one.all, one.concordant, one.discordant].into_iter().chain(ties).map(|count| count as f64)
    });
    as_bytes(py, &rows.collect::<Vec<_>>())
}

/// For each group, how many pairs that people find at least `threshold` apart the metric puts in the same order, and
/// how many it does not, as the bytes of doubles.
#[pyfunction]
pub fn pairs_above<'py>(
    py: Python<'py>,
    people: &[u8],
    metric: &[u8],
    sizes: Vec<usize>,
    threshold: f64,
) -> PyResult<Bound<'py, PyBytes>> {
    let (people, metric) = (doubles(people), doubles(metric));
    let groups = divided(&people, &metric, &sizes)?;
    let found: Vec<_> =
        detached(py, || groups.iter().map(|&scores| agreement::pairs_above(scores, threshold)).collect())?;
    let rows = found.iter().flat_map(|&(same, other): &(u64, u64)| [same as f64, other as f64]);
    as_bytes(py, &rows.collect::<Vec<_>>())
}

/// The smallest of the distances up to which pairs are best called tied, and the gain in weights of pairs.
#[pyfunction]
pub fn best_epsilon(
    py: Python<'_>,
    people: &[u8],
    metric: &[u8],
    sizes: Vec<usize>,
    weights: Vec<i64>,
) -> PyResult<(f64, i64)> {
    let (people, metric) = (doubles(people), doubles(metric));
    let groups = divided(&people, &metric, &sizes)?;
    let best = detached(py, || agreement::best_epsilon(&groups, &weights))?;
    Ok((best.epsilon, best.gain))
}

fn divided<'a>(people: &'a [f64], metric: &'a [f64], sizes: &[usize]) -> PyResult<Vec<Scores<'a>>> {
    let total = sizes.iter().try_fold(0_usize, |sum, &size| sum.checked_add(size));
    if total != Some(people.len()) || people.len() != metric.len() {
        let (people, metric) = (people.len(), metric.len());
        return Err(StatsMismatch::new_err(format!("{people} and {metric} scores do not fit the sizes of the groups")));
    }
    let mut from = 0;
    let mut next = |&size: &usize| {
        from += size;
        (&people[from - size..from], &metric[from - size..from])
    };
    Ok(sizes.iter().map(&mut next).collect())
}
