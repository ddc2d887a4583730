//! Which cells of the edit matrix TER looks at.
//!
//! Row `i` of the matrix is computed only in a window of about 50 columns around `i * R / H`; cells outside cost
//! infinity. The window of row 0 is the whole row. Taken literally this needs a matrix of numbers. It does not, because
//!
//! > **the beam only forbids matches**: inside the windows, the beamed matrix equals the matrix without a beam in which
//! > words count as equal only where the diagonal step leads from a window into a window.
//!
//! So all that a row has to know is the [`Span`] of columns that a diagonal step may enter.
//!
//! *Proof.* A path inside the windows is still there without them, so one direction is clear. For the other, take a
//! path without the beam, and a part of it that leaves the windows to the left or right and comes back after `m` rows
//! and `n` columns. Outside nothing matches, so this part pays at least `max(m, n)`. Let it follow instead, cell by
//! cell in the window, the edge that it had crossed. Both edges are `floor(i * ratio)` plus a constant, cut off at 0
//! and `R`, so a row advances an edge by 0 or 1 if `ratio <= 1`, and by at least 1 if `ratio >= 1`. (Where an edge is
//! cut off, nothing lies outside.) In the first case each row costs one step, diagonal or down, `m` in all. In the
//! second each column costs one step, diagonal or right, `n` in all; the steps to the right fit in the windows, which
//! are wider than `ratio`. Neither is more than before. Row 0 is its own case, as its window ends only at `R`: a path
//! that walks along it beyond the window of row 1 pays one a column there, and may as well turn down at the edge of
//! that window.
//!
//! The doubles make `floor(i * ratio)` one too small now and then, where `i * ratio` is a whole number. The edge then
//! arrives there one row late, having had to make the larger of the two steps that `ratio` asks for, so steps stay
//! in the same bounds.
//!
//! The proof uses the cost of no cell outside, only that it is the cost of *some* path. So the matrix need not
//! compute cells far from the window: it may go on with "one more than the neighbour" there.
//!
//! For most segments no cell that matters lies outside. A cell `(i, i + k)` is at least `|k|` from the start and
//! `|R - H - k|` from the end, so all cells of paths of cost at most `D` have `k` between
//! `min(0, R - H) - e` and `max(0, R - H) + e` with `e = (D - |R - H|) / 2`. The window reaches from 25 columns
//! before `floor(i * ratio)` to 24 after, and `floor(i * ratio) - i` lies between `min(0, R - H) - 1` and
//! `max(0, R - H)`, so `|R - H| + e <= 23` keeps them inside. As `D` is at most `max(H, R)`, this holds if
//! `max(H, R) + |R - H| <= 47`, and then every span is the whole row.

/// Half the width of the window. TER widens it where `R / H` is so large that windows would not overlap.
const HALF_WIDTH: usize = 25;

/// See the last paragraph of the module's description.
const ALWAYS_INSIDE: usize = 47;

/// The columns, counted from 1 and both included, that a diagonal step into this row may enter.
///
/// In a cell of the window left of the span the only way in is from above, right of it only from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub first: usize,
    pub last: usize,
}

/// Whether paths of this cost, and of any lower, stay inside all windows.
pub fn is_harmless(cost: usize, rows: usize, cols: usize) -> bool {
    cost + rows.abs_diff(cols) <= ALWAYS_INSIDE
}

/// The columns of each row after row 0 that a path of at most this cost can come to. The cost must be at least the
/// difference of the lengths.
pub fn reach(cost: usize, rows: usize, cols: usize) -> impl Iterator<Item = Span> {
    let aside = (cost - rows.abs_diff(cols)) / 2;
    let (before, after) = (aside + rows.saturating_sub(cols), aside + cols.saturating_sub(rows));
    (1..=rows).map(move |row| Span { first: row.saturating_sub(before).max(1), last: cols.min(row + after) })
}

/// The spans of all rows after row 0.
pub fn spans(rows: usize, cols: usize) -> impl Iterator<Item = Span> {
    spans_after(0, rows, cols)
}

/// The spans of all rows after a given one.
pub fn spans_after(row: usize, rows: usize, cols: usize) -> impl Iterator<Item = Span> {
    let mut above = if row == 0 { (0, cols) } else { window(row, rows, cols) };
    (row + 1..=rows).map(move |row| {
        let (low, high) = window(row, rows, cols);
        let span = Span { first: low.max(above.0 + 1), last: high.min(above.1 + 1) };
        above = (low, high);
        span
    })
}

/// First and last column of a row's window, counting the empty prefix as column 0.
fn window(row: usize, rows: usize, cols: usize) -> (usize, usize) {
    let ratio = cols as f64 / rows as f64;
    let half =
        if ratio / 2.0 > HALF_WIDTH as f64 { (ratio / 2.0 + HALF_WIDTH as f64).ceil() as usize } else { HALF_WIDTH };
    // The product of doubles, not `row * cols / rows`: they differ, for instance in row 7 of 7 with 61 columns.
    let diagonal = (row as f64 * ratio) as usize;
    let high = if row == rows { cols } else { cols.min(diagonal + half - 1) };
    (diagonal.saturating_sub(half), high)
}
