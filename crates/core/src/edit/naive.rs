//! The obvious version: what TER means, written for reading.
//!
//! It keeps the whole edit matrix as numbers, tries every shift by building the shifted sentence and measuring it
//! from scratch, and shares no code with the fast version, whose tests and fuzz target compare it with this one.

const FAR: u32 = u32::MAX / 2;
const MAX_BLOCK: usize = 10;
const MAX_DISTANCE: usize = 50;
const BUDGET: usize = 1000;

/// What happened to one pair; `edits` is the result, the rest helps to find differences.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Shifts, and the distance that is left.
    pub edits: u32,
    /// The distance before any shift.
    pub first_distance: u32,
    /// How many shifts pay.
    pub shifts: u32,
    /// How many were tried.
    pub candidates: usize,
}

/// A step of an alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// A word of each, and they are equal.
    Match,
    /// A word of each, and they differ.
    Substitute,
    /// A word of the hypothesis alone.
    Delete,
    /// A word of the reference alone.
    Insert,
}

/// Renumbers words in order of appearance, as `Editor` asks for.
pub fn interned(hyp: &[u32], reference: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut known = std::collections::HashMap::new();
    let mut number = |word: &u32| {
        let next = known.len() as u32;
        *known.entry(*word).or_insert(next)
    };
    (hyp.iter().map(&mut number).collect(), reference.iter().map(&mut number).collect())
}

#[derive(Default)]
struct Alignment {
    /// For each reference word the hypothesis word at or before it; -1 if there is none.
    align: Vec<isize>,
    hyp_wrong: Vec<bool>,
    ref_wrong: Vec<bool>,
}

/// Shifts as long as it pays.
pub fn outcome(hyp: &[u32], reference: &[u32]) -> Outcome {
    let mut current = hyp.to_vec();
    let (mut shifts, mut candidates) = (0, 0);
    let first_distance = distance(hyp, reference);
    if !hyp.is_empty() && !reference.is_empty() {
        while let Some(next) = best_shift(&current, reference, &mut candidates) {
            current = next;
            shifts += 1;
        }
    }
    let edits = shifts + distance(&current, reference);
    Outcome { edits, first_distance, shifts, candidates }
}

/// The edit distance within the beam.
pub fn distance(hyp: &[u32], reference: &[u32]) -> u32 {
    matrix(hyp, reference)[hyp.len()][reference.len()].0
}

/// The sentence after the best shift, or nothing when no shift pays or the budget is spent.
fn best_shift(hyp: &[u32], reference: &[u32], candidates: &mut usize) -> Option<Vec<u32>> {
    let before = i64::from(distance(hyp, reference));
    let alignment = alignment(hyp, reference);
    let mut best = None;
    for (s, t, len) in blocks(hyp, reference) {
        if !alignment.allows(s, t, len) {
            continue;
        }
        for x in alignment.targets(t, len) {
            *candidates += 1;
            let words = shifted(hyp, s, len, x);
            let gain = before - i64::from(distance(&words, reference));
            let rank = (gain, len, std::cmp::Reverse(s), std::cmp::Reverse(x));
            if best.as_ref().is_none_or(|(top, _)| rank > *top) {
                best = Some((rank, words));
            }
        }
        if *candidates >= BUDGET {
            return None;
        }
    }
    best.filter(|(rank, _)| rank.0 > 0).map(|(_, words)| words)
}

fn blocks(hyp: &[u32], reference: &[u32]) -> Vec<(usize, usize, usize)> {
    let mut found = Vec::new();
    for s in 0..hyp.len() {
        for t in 0..reference.len() {
            if s.abs_diff(t) > MAX_DISTANCE {
                continue;
            }
            let common = hyp[s..].iter().zip(&reference[t..]).take_while(|(a, b)| a == b).count();
            found.extend((1..=common.min(MAX_BLOCK)).map(|len| (s, t, len)));
        }
    }
    found
}

impl Alignment {
    fn allows(&self, s: usize, t: usize, len: usize) -> bool {
        let already_there = (s as isize..(s + len) as isize).contains(&self.align[t]);
        self.hyp_wrong[s..s + len].contains(&true) && self.ref_wrong[t..t + len].contains(&true) && !already_there
    }

    fn targets(&self, t: usize, len: usize) -> Vec<usize> {
        let before = if t == 0 { 0 } else { self.align[t - 1] + 1 };
        let mut found = vec![before as usize];
        found.extend(self.align[t..t + len].iter().map(|&p| (p + 1) as usize));
        found.dedup();
        found
    }
}

fn shifted(hyp: &[u32], s: usize, len: usize, x: usize) -> Vec<u32> {
    let end = s + len;
    let clip = |p: usize| p.min(hyp.len());
    let parts: [&[u32]; 4] = if x < s {
        [&hyp[..x], &hyp[s..end], &hyp[x..s], &hyp[end..]]
    } else if x > end {
        [&hyp[..s], &hyp[end..x], &hyp[s..end], &hyp[x..]]
    } else {
        [&hyp[..s], &hyp[end..clip(x + len)], &hyp[s..end], &hyp[clip(x + len)..]]
    };
    parts.concat()
}

fn alignment(hyp: &[u32], reference: &[u32]) -> Alignment {
    let mut result = Alignment::default();
    let mut hyp_pos = -1;
    for op in operations(hyp, reference) {
        let wrong = op != Op::Match;
        if op != Op::Insert {
            hyp_pos += 1;
            result.hyp_wrong.push(wrong);
        }
        if op != Op::Delete {
            result.align.push(hyp_pos);
            result.ref_wrong.push(wrong);
        }
    }
    result
}

/// The steps of the alignment, from left to right.
pub fn operations(hyp: &[u32], reference: &[u32]) -> Vec<Op> {
    let cells = matrix(hyp, reference);
    let (mut i, mut j) = (hyp.len(), reference.len());
    let mut ops = Vec::new();
    while (i, j) != (0, 0) {
        let op = cells[i][j].1;
        i -= usize::from(op != Op::Insert);
        j -= usize::from(op != Op::Delete);
        ops.push(op);
    }
    ops.reverse();
    ops
}

/// Cost and last operation of every cell; cells outside the beam cost `FAR`.
fn matrix(hyp: &[u32], reference: &[u32]) -> Vec<Vec<(u32, Op)>> {
    let (rows, cols) = (hyp.len(), reference.len());
    let ratio = cols as f64 / rows as f64;
    let beam = if ratio / 2.0 > 25.0 { (ratio / 2.0 + 25.0).ceil() as usize } else { 25 };
    let mut cells = vec![vec![(FAR, Op::Insert); cols + 1]; rows + 1];
    for (j, cell) in cells[0].iter_mut().enumerate() {
        cell.0 = j as u32;
    }
    for i in 1..=rows {
        let diagonal = (i as f64 * ratio).floor() as usize;
        let end = if i == rows { cols + 1 } else { (cols + 1).min(diagonal + beam) };
        for j in diagonal.saturating_sub(beam)..end {
            cells[i][j] = cell(&cells, hyp, reference, i, j);
        }
    }
    cells
}

fn cell(cells: &[Vec<(u32, Op)>], hyp: &[u32], reference: &[u32], i: usize, j: usize) -> (u32, Op) {
    let delete = (cells[i - 1][j].0 + 1, Op::Delete);
    if j == 0 {
        return delete;
    }
    let corner = cells[i - 1][j - 1].0;
    let diagonal = if hyp[i - 1] == reference[j - 1] { (corner, Op::Match) } else { (corner + 1, Op::Substitute) };
    let insert = (cells[i][j - 1].0 + 1, Op::Insert);
    // `min_by_key` returns the first of equals: diagonal, then delete, then insert.
    let best = [diagonal, delete, insert].into_iter().min_by_key(|c| c.0).unwrap_or(diagonal);
    (best.0.min(FAR), best.1)
}
