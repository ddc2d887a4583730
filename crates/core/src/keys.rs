//! Numbers for the values of a column, and for the keys that several columns make together.

use crate::halt;
use std::collections::HashMap;
use std::hash::Hash;

/// Numbers values in order of appearance; rows that are like the one before are not looked up.
pub fn numbered<T: Copy + Eq + Hash>(values: impl Iterator<Item = T>) -> (Vec<u32>, Vec<usize>) {
    let (mut seen, mut firsts, mut last) = (HashMap::new(), Vec::new(), None);
    let code = |(row, value): (usize, T)| {
        halt::spend(2);
        match last {
            Some((before, code)) if before == value => code,
            _ => {
                let next = firsts.len() as u32;
                let code = *seen.entry(value).or_insert(next);
                if code == next {
                    firsts.push(row);
                }
                last = Some((value, code));
                code
            }
        }
    };
    (values.enumerate().map(code).collect(), firsts)
}

/// The number of each row's key, given the numbers of its values in each column; and a row of each key.
pub fn combined(columns: &[Vec<u32>], rows: usize) -> (Vec<u32>, Vec<usize>) {
    match columns {
        [] => (vec![0; rows], if rows > 0 { vec![0] } else { Vec::new() }),
        [first, rest @ ..] => rest.iter().fold(numbered(first.iter().copied()), |(codes, _), column| {
            numbered(codes.iter().zip(column).map(|(&ours, &theirs)| (ours, theirs)))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equal_keys_have_equal_numbers_in_order_of_appearance(
            rows in proptest::collection::vec((0u32..4, 0u32..3, 0u32..2), 0..60),
            width in 0usize..4,
        ) {
            let columns = [
                rows.iter().map(|row| row.0).collect(),
                rows.iter().map(|row| row.1).collect(),
                rows.iter().map(|row| row.2).collect::<Vec<_>>(),
            ];
            let key = |row: usize| columns[..width].iter().map(|column| column[row]).collect::<Vec<_>>();
            let (codes, firsts) = combined(&columns[..width], rows.len());
            let mut seen = Vec::new();
            for row in 0..rows.len() {
                if !seen.contains(&key(row)) {
                    prop_assert_eq!(row, firsts[seen.len()]);
                    seen.push(key(row));
                }
                prop_assert_eq!(&key(row), &seen[codes[row] as usize]);
            }
            prop_assert_eq!(seen.len(), firsts.len());
        }
    }
}
