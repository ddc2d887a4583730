//! The rules of `mwer` as they are written, cell by cell: what the quick way is tested against.

use super::{Alignment, References};
use crate::halt;

/// Where a cell's value comes from.
#[derive(Clone, Copy, PartialEq)]
enum From {
    Deletion,
    Insertion,
    Pair,
}

/// The cheapest segmentation of a hypothesis.
pub fn align(hypothesis: &[u32], references: &References) -> Alignment {
    let (segments, length) = (references.segments(), hypothesis.len());
    let mut column: Vec<i64> = (0..=length as i64).collect();
    let mut tables = Vec::new();
    for segment in 0..segments {
        let longest =
            references.of(segment).all().map(|reference| references.range(reference).len()).max().unwrap_or(0);
        let (mut lowest, mut table) = (vec![i64::MAX; length + 1], Vec::new());
        for reference in references.of(segment).all() {
            let (mut cells, mut steps) = (column.clone(), Vec::new());
            for &token in references.tokens_of(reference) {
                halt::spend(1 + length / 16);
                steps.push(next(&mut cells, hypothesis, token));
            }
            cells[0] = column[0] + longest as i64;
            table.push((cells.clone(), steps));
            lowest.iter_mut().zip(&cells).for_each(|(lowest, &cell)| *lowest = cell.min(*lowest));
        }
        lowest[0] += 1;
        column = lowest;
        tables.push(table);
    }
    let (mut at, mut cuts, mut reference_tokens) = (length, vec![length; segments], 0);
    for (segment, table) in tables.iter().enumerate().rev() {
        cuts[segment] = at;
        let (_, steps) = table.iter().min_by_key(|(cells, _)| cells[at]).expect("a segment has a reference");
        reference_tokens += steps.len() as u64;
        for step in steps.iter().rev() {
            while step[at] == From::Insertion {
                at -= 1;
            }
            at -= usize::from(step[at] == From::Pair);
        }
    }
    Alignment { cuts, cost: column[length] as u64, reference_tokens }
}

/// Moves a column on by one token, and says where each cell comes from.
fn next(cells: &mut [i64], hypothesis: &[u32], token: u32) -> Vec<From> {
    let (mut steps, mut diagonal) = (vec![From::Deletion], cells[0]);
    cells[0] += 1;
    for (at, &other) in hypothesis.iter().enumerate() {
        let pair = diagonal + i64::from(token != other);
        let (deletion, insertion) = (cells[at + 1] + 1, cells[at] + 1);
        diagonal = cells[at + 1];
        cells[at + 1] = deletion.min(insertion).min(pair);
        steps.push(match cells[at + 1] {
            cell if cell == deletion => From::Deletion,
            cell if cell == insertion => From::Insertion,
            _ => From::Pair,
        });
    }
    steps
}
