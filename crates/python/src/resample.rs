//! Resampling for Python: engines and rows in, scores or counts out, without the interpreter's lock.

use crate::engine::Engine;
use crate::errors::{OptionError, StatsMismatch};
use crate::numbers::{as_bytes, doubles};
use crate::watch::detached;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use truebleu_core::resample::System;
use truebleu_core::resample::bootstrap::resampled_scores;
use truebleu_core::resample::randomize::{Apart, Coins, Comparison, count_apart, ways};
use truebleu_core::resample::rng::Pcg64;
use truebleu_core::resample::tail;
use truebleu_core::resample::twister::{self, Twister};
use truebleu_core::threads::Threads;

type Systems<'py> = Vec<(Bound<'py, Engine>, Bound<'py, PyBytes>)>;

fn from_python<'a>(given: &'a Systems<'_>) -> PyResult<Vec<System<'a>>> {
    let system = |(engine, rows): &'a (Bound<'_, Engine>, Bound<'_, PyBytes>)| {
        let formula = engine.get().formula();
        Ok(System::new(row_cells(rows.as_bytes(), formula.width())?, formula))
    };
    let systems = given.iter().map(system).collect::<PyResult<Vec<_>>>()?;
    let segments: Vec<_> = systems.iter().map(|system| system.segments()).collect();
    match segments.iter().find(|&&count| count != segments[0] || u32::try_from(count).is_err()) {
        Some(count) => {
            Err(StatsMismatch::new_err(format!("a system has {count} rows and the first has {}", segments[0])))
        }
        None => Ok(systems),
    }
}

/// The cells of rows, from the bytes of doubles.
fn row_cells(rows: &[u8], width: usize) -> PyResult<Vec<f64>> {
    let bytes = rows.len();
    if bytes == 0 || !bytes.is_multiple_of(size_of::<f64>() * width) {
        return Err(StatsMismatch::new_err(format!("{bytes} bytes are not rows of {width} doubles, at least one")));
    }
    Ok(doubles(rows))
}

/// The scores of all systems on `samples` corpora drawn with replacement, system after system, as the bytes of doubles.
/// `skip` is the number of 32-bit words of the stream that have been used before.
#[pyfunction]
#[pyo3(signature = (systems, *, samples, seed, skip, threads))]
pub fn bootstrap<'py>(
    py: Python<'py>,
    systems: Systems<'py>,
    samples: usize,
    seed: Vec<u32>,
    skip: u128,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let systems = from_python(&systems)?;
    let scores = detached(py, || {
        let mut generator = Pcg64::from_seed(&seed);
        generator.skip_words(skip);
        resampled_scores(&systems, samples, generator, &Threads::new(threads))
    })?;
    as_bytes(py, &scores)
}

/// For each pair of systems (lists of runs, by index), the number of trials that put them further apart than they are,
/// and the number that put them exactly as far apart. A trial has `units` coins, and each row takes the one at its
/// place; without places, its own. `skip` is the number of 32-bit words of the stream that have been used before.
#[pyfunction]
#[pyo3(signature = (systems, pairs, *, trials, seed, skip, threads, units, places))]
#[expect(clippy::too_many_arguments, reason = "they are named in Python")]
pub fn randomize<'py>(
    py: Python<'py>,
    systems: Systems<'py>,
    pairs: Vec<(Vec<usize>, Vec<usize>)>,
    trials: usize,
    seed: Vec<u32>,
    skip: u128,
    threads: usize,
    units: usize,
    places: Vec<usize>,
) -> PyResult<Vec<(u64, u64)>> {
    let systems = from_python(&systems)?;
    let rows = count_rows(&systems);
    let fits = if places.is_empty() { rows == units } else { rows == places.len() };
    if !fits || places.iter().any(|&place| place >= units) {
        let found = format!("{rows} rows do not fit {} places of {units} units", places.len());
        return Err(StatsMismatch::new_err(found));
    }
    let mut generator = Pcg64::from_seed(&seed);
    generator.skip_words(skip);
    let coins = Coins::Tossed { generator, units, places };
    counted(py, &systems, pairs, trials, &coins, threads)
}

/// The same for each way of swapping rows in the place of random ones; the last row stays.
#[pyfunction]
#[pyo3(signature = (systems, pairs, *, threads))]
pub fn randomize_every_way<'py>(
    py: Python<'py>,
    systems: Systems<'py>,
    pairs: Vec<(Vec<usize>, Vec<usize>)>,
    threads: usize,
) -> PyResult<Vec<(u64, u64)>> {
    let systems = from_python(&systems)?;
    let rows = count_rows(&systems);
    if rows > MOST_ROWS {
        return Err(StatsMismatch::new_err(format!("{rows} rows can be swapped in too many ways")));
    }
    counted(py, &systems, pairs, ways(rows), &Coins::Every, threads)
}

/// For each pair of systems, how far apart they are in standard deviations of their shuffles.
#[pyfunction]
#[pyo3(signature = (systems, pairs, *, threads))]
pub fn gaps_in_deviations<'py>(
    py: Python<'py>,
    systems: Systems<'py>,
    pairs: Vec<(Vec<usize>, Vec<usize>)>,
    threads: usize,
) -> PyResult<Vec<f64>> {
    let systems = from_python(&systems)?;
    let comparisons = pairs.into_iter().map(|pair| comparison(&systems, pair)).collect::<PyResult<Vec<_>>>()?;
    detached(py, || tail::gaps_in_deviations(&systems, &comparisons, &Threads::new(threads)))
}

/// All ways of swapping more rows than these would take days.
const MOST_ROWS: usize = 30;

fn count_rows(systems: &[System<'_>]) -> usize {
    systems.first().map_or(0, |system| system.segments())
}

fn counted(
    py: Python<'_>,
    systems: &[System<'_>],
    pairs: Vec<(Vec<usize>, Vec<usize>)>,
    trials: usize,
    coins: &Coins,
    threads: usize,
) -> PyResult<Vec<(u64, u64)>> {
    let comparisons = pairs.into_iter().map(|pair| comparison(systems, pair)).collect::<PyResult<Vec<_>>>()?;
    let found = detached(py, || count_apart(systems, &comparisons, trials, coins, &Threads::new(threads)))?;
    Ok(found.into_iter().map(|Apart { further, equally }| (further, equally)).collect())
}

fn comparison(systems: &[System<'_>], (baseline, system): (Vec<usize>, Vec<usize>)) -> PyResult<Comparison> {
    let known = baseline.iter().chain(&system).all(|&run| run < systems.len());
    if !known || baseline.is_empty() || baseline.len() != system.len() {
        return Err(OptionError::new_err(format!("{baseline:?} and {system:?} are not runs that can be compared")));
    }
    let width = |&run: &usize| systems[run].width();
    if baseline.iter().chain(&system).any(|run| width(run) != width(&baseline[0])) {
        return Err(StatsMismatch::new_err("rows of different metrics cannot be swapped"));
    }
    Ok(Comparison { baseline, system })
}

/// Means of columns over rows drawn with replacement by NumPy's legacy generator, whose state is given and comes back:
/// rows of three doubles, the words of the state, and how many of them have been used.
#[pyfunction]
pub fn drawn_means<'py>(
    py: Python<'py>,
    rows: &[u8],
    samples: usize,
    key: Vec<u32>,
    place: usize,
) -> PyResult<(Bound<'py, PyBytes>, Vec<u32>, usize)> {
    let key: [u32; twister::STATE] =
        key.try_into().map_err(|_| OptionError::new_err(format!("the state needs {} words", twister::STATE)))?;
    let cells = row_cells(rows, 3)?;
    let (rows, _) = cells.as_chunks::<3>();
    if u32::try_from(rows.len()).is_err() {
        return Err(StatsMismatch::new_err(format!("there are {} rows; 2^32 are too many", rows.len())));
    }
    let mut generator = Twister::new(key, place);
    let means = detached(py, || twister::drawn_means(rows, samples, &mut generator))?;
    let (key, place) = generator.state();
    Ok((as_bytes(py, &means)?, key.to_vec(), place))
}
