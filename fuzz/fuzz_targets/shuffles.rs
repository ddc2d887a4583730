//! Shuffles by tables of differences, and drawn rows that are gathered, against weights.
#![no_main]

use libfuzzer_sys::fuzz_target;
use truebleu_core::metric::Formula;
use truebleu_core::resample::System;
use truebleu_core::resample::bootstrap::resampled_scores;
use truebleu_core::resample::randomize::{Coins, Comparison, count_apart};
use truebleu_core::resample::rng::Pcg64;
use truebleu_core::threads::Threads;

/// One cell by another. A third one does not count, but if it is no whole number, rows have to be weighed.
struct Ratio;

impl Formula for Ratio {
    fn width(&self) -> usize {
        3
    }

    fn score(&self, totals: &[f64]) -> f64 {
        totals[0] / totals[1].abs().max(1.0)
    }
}

fn systems(rows: &[Vec<[f64; 2]>], third: f64) -> Vec<System<'static>> {
    let cells = |rows: &Vec<[f64; 2]>| rows.iter().flat_map(|row| [row[0], row[1], third]).collect::<Vec<_>>();
    rows.iter().map(|rows| System::new(cells(rows), &Ratio)).collect()
}

fuzz_target!(|input: &[u8]| {
    let [seed, count, shift, halves, cells @ ..] = input else { return };
    let (count, unit) = (2 + *count as usize % 3, if *halves % 2 == 0 { 1.0 } else { 0.125 });
    let cell =
        |bytes: &[u8]| f64::from(i16::from_le_bytes([bytes[0], bytes[1]])) * unit * f64::from(1_u32 << (shift % 20));
    let rows: Vec<[f64; 2]> = cells.chunks_exact(4).map(|row| [cell(&row[..2]), cell(&row[2..])]).collect();
    let segments = rows.len() / count;
    if segments == 0 {
        return;
    }
    let rows: Vec<_> = rows.chunks_exact(segments).take(count).map(<[_]>::to_vec).collect();
    let generator = Pcg64::from_seed(&[u32::from(*seed)]);
    let pairs: Vec<_> = (1..count).map(|at| Comparison { baseline: vec![at - 1], system: vec![at] }).collect();
    let found = [1.0, 1.0 / 3.0].map(|third| {
        let (systems, threads) = (systems(&rows, third), Threads::new(1));
        let coins = Coins::Tossed { generator: generator.clone(), units: segments, places: Vec::new() };
        let counts = count_apart(&systems, &pairs, 100, &coins, &threads);
        (counts, resampled_scores(&systems, 40, generator.clone(), &threads))
    });
    assert_eq!(found[0], found[1]);
});
