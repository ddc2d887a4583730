//! The rules as they stand at the head of `align.rs`, with the whole table: tests and fuzz targets compare with it.

use super::{Step, without_common_ends};
use crate::pattern::UNKNOWN;
use std::cmp::min;

/// The whole table, cell by cell.
fn table(ours: &[u32], theirs: &[u32]) -> Vec<Vec<usize>> {
    let mut table = vec![(0..=ours.len()).collect::<Vec<_>>()];
    for (row, &token) in theirs.iter().enumerate() {
        let above = &table[row];
        let mut cells = vec![row + 1];
        for (col, &own) in ours.iter().enumerate() {
            let pair = above[col] + usize::from(own != token || own == UNKNOWN);
            cells.push(pair.min(above[col + 1] + 1).min(cells[col] + 1));
        }
        table.push(cells);
    }
    table
}

/// The steps, from the last to the first; tables of `most_bytes` or more are not kept, and no more than `limit` steps
/// leave the diagonal.
pub fn align(ours: &[u32], theirs: &[u32], limit: usize, most_bytes: usize, steps: &mut Vec<Step>) {
    let (ours, theirs, before, after) = without_common_ends(ours, theirs);
    steps.extend(vec![Step::Hit; after]);
    let bits = 2 * min(ours.len(), 2 * limit + 1) * theirs.len();
    let (mut col, mut row) = (ours.len(), theirs.len());
    if bits / 8 < most_bytes || ours.len() < 65 || theirs.len() < 10 {
        let table = table(ours, theirs);
        while col > 0 && row > 0 {
            let step = if table[row][col] == table[row][col - 1] + 1 {
                Step::Delete
            } else if row > 1 && table[row - 1][col] + 1 == table[row - 1][col - 1] {
                Step::Insert
            } else if ours[col - 1] == theirs[row - 1] {
                Step::Hit
            } else {
                Step::Substitute
            };
            col -= usize::from(step != Step::Insert);
            row -= usize::from(step != Step::Delete);
            steps.push(step);
        }
        steps.extend(vec![Step::Delete; col]);
        steps.extend(vec![Step::Insert; row]);
    } else {
        let reversed = |part: &[u32]| part.iter().rev().copied().collect::<Vec<_>>();
        let (left, right) = theirs.split_at(row / 2);
        let forward = table(ours, left).pop().unwrap();
        let backward = table(&reversed(ours), &reversed(right)).pop().unwrap();
        let sum = |cut: &usize| forward[*cut] + backward[col - cut];
        let cut = (0..=col).min_by_key(sum).unwrap();
        align(&ours[cut..], right, backward[col - cut], most_bytes, steps);
        align(&ours[..cut], left, forward[cut], most_bytes, steps);
    }
    steps.extend(vec![Step::Hit; before]);
}
