//! How much of a text another may hold: a bound on the 4-grams of characters that two texts share.
//!
//! To count what they share takes five times as long, and hardly any output holds its source.

use super::{LOOK, for_each_of, text_of};
use crate::halt;
use crate::threads::Threads;

const ORDER: usize = 4;

/// How many 4-grams of each second text its first one has, at most. Texts follow each other in a list of code points,
/// and `ends` tells where each of them ends.
pub fn shared_at_most(first: (&[u32], &[usize]), second: (&[u32], &[usize]), threads: &Threads) -> Vec<i32> {
    for_each_of(first.1.len(), threads, |at| {
        most_shared(text_of(first.0, first.1, at), text_of(second.0, second.1, at))
    })
}

/// The 4-grams of the first text set bits, and those of the second look whether theirs is set. Two may have one bit, so
/// there may be too many, and never too few.
fn most_shared(first: &[u32], second: &[u32]) -> i32 {
    let size = (8 * first.len()).next_power_of_two().max(64);
    let place = |(at, gram): (usize, &[u32])| {
        if at % LOOK == 0 {
            halt::spend(1 + gram.len().max(first.len().min(LOOK) / 8));
        }
        let mixed = gram.iter().fold(0_u32, |mixed, &c| (mixed ^ c).wrapping_mul(0x9E37_79B1));
        (mixed >> 7) as usize & (size - 1)
    };
    let mut bits = vec![0_u64; size / 64];
    for at in first.windows(ORDER).enumerate().map(place) {
        bits[at / 64] |= 1 << (at % 64);
    }
    second.windows(ORDER).enumerate().map(place).filter(|&at| bits[at / 64] >> (at % 64) & 1 == 1).count() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::code_points;

    #[test]
    fn every_4_gram_that_both_have_is_counted() {
        let most = |first: &str, second: &str| most_shared(&code_points(first), &code_points(second));
        assert_eq!(7, most("dasbootundderkahn", "bootundder"));
        assert_eq!(3, most("aaaa", "aaaaaa"));
        assert_eq!((0, 0), (most("", "dasboot"), most("dasboot", "das")));
        assert!(most("dasbootundderkahn", "quickbrownfoxjumps") < 5);
    }
}
