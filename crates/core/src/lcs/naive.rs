//! The whole table: tests and fuzz targets compare the bits with it.

use super::STRANGER;

/// The length, and which symbols of the pattern are in the subsequence: the table, and the way back through it as
/// rouge-score goes.
pub fn common(pattern: &[u32], text: &[u32]) -> (usize, Vec<bool>) {
    let mut table = vec![vec![0; text.len() + 1]; pattern.len() + 1];
    for (i, ours) in pattern.iter().enumerate() {
        for (j, theirs) in text.iter().enumerate() {
            let longer = table[i][j + 1].max(table[i + 1][j]);
            table[i + 1][j + 1] = if ours == theirs && *ours != STRANGER { table[i][j] + 1 } else { longer };
        }
    }
    let (mut i, mut j, mut marks) = (pattern.len(), text.len(), vec![false; pattern.len()]);
    while i > 0 && j > 0 {
        if pattern[i - 1] == text[j - 1] && pattern[i - 1] != STRANGER {
            marks[i - 1] = true;
            (i, j) = (i - 1, j - 1);
        } else if table[i][j - 1] > table[i - 1][j] {
            j -= 1;
        } else {
            i -= 1;
        }
    }
    (table[pattern.len()][text.len()], marks)
}
