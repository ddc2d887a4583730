//! The coins of shuffles: one bit for each unit and trial, from NumPy's stream or all ways there are.

use super::rng::Pcg64;
use std::ops::Range;

/// Where the coins of a trial come from.
pub enum Coins {
    /// NumPy's stream: one matrix of booleans, trials × `units`.
    Tossed {
        /// The stream.
        generator: Pcg64,
        /// How many coins a trial has.
        units: usize,
        /// Whose coin each row takes, where rows that are the same in all systems were left out; empty: its own.
        places: Vec<usize>,
    },
    /// Each way of swapping rows once. The last row stays: to swap the others is to swap all but these.
    Every,
}

impl Coins {
    /// How many coins a trial has, given how many rows there are.
    pub(super) fn units(&self, rows: usize) -> usize {
        if let Self::Tossed { units, .. } = self { *units } else { rows }
    }

    /// The unit whose coin a row takes.
    pub(super) fn place(&self, row: usize) -> usize {
        match self {
            Self::Tossed { places, .. } if !places.is_empty() => places[row],
            _ => row,
        }
    }
}

/// How many ways there are of swapping so many rows, the last of which stays.
pub fn ways(rows: usize) -> usize {
    1 << rows.saturating_sub(1)
}

/// So many units have their coins in one word.
pub(super) const BLOCK: usize = u64::BITS as usize;

const WORD: usize = u32::BITS as usize;
const HALF: usize = u16::BITS as usize;
const BITS: [u16; HALF] = {
    let mut bits = [1; HALF];
    let mut at = 1;
    while at < HALF {
        bits[at] = bits[at - 1] << 1;
        at += 1;
    }
    bits
};

/// The coins of some trials. Those of a block of units stand together, one word for each trial: a unit's coin is 1 if
/// its rows stay. What lies behind the last unit is any bit.
#[derive(Default)]
pub(super) struct Tosses {
    trials: usize,
    /// How far apart the words of two blocks are: [`apart`].
    stride: usize,
    words: Vec<u64>,
    stream: Vec<u32>,
}

impl Tosses {
    /// Tosses the coins of some trials, `units` each.
    pub fn toss(&mut self, coins: &Coins, trials: &Range<usize>, units: usize) {
        (self.trials, self.stride) = (trials.len(), apart(trials.len()));
        self.words.resize(self.stride * units.div_ceil(BLOCK), 0);
        match coins {
            Coins::Every => self.words.iter_mut().zip(trials.clone()).for_each(|(word, way)| *word = !way as u64),
            Coins::Tossed { generator, .. } => {
                let first = trials.start as u128 * units as u128;
                let used = toss_coins(generator, first, trials.len() * units, &mut self.stream);
                (0..trials.len()).for_each(|trial| self.align(trial, used + trial * units));
            }
        }
    }

    /// How many trials there are.
    pub fn trials(&self) -> usize {
        self.trials
    }

    /// The coins of a block of units, trial by trial.
    pub fn of_block(&self, block: usize) -> &[u64] {
        &self.words[block * self.stride..][..self.trials]
    }

    /// Writes the weight of each row in a trial: 1 if it stays, 0 if it is swapped.
    pub fn weigh_rows(&self, coins: &Coins, trial: usize, weights: &mut [i16]) {
        match coins {
            Coins::Tossed { places, .. } if !places.is_empty() => {
                weights.iter_mut().zip(places).for_each(|(weight, &place)| *weight = self.of_unit(trial, place));
            }
            _ => {
                for (block, weights) in weights.chunks_mut(BLOCK).enumerate() {
                    let word = self.of_block(block)[trial];
                    weights
                        .chunks_mut(HALF)
                        .enumerate()
                        .for_each(|(at, some)| spread((word >> (at * HALF)) as u16, some));
                }
            }
        }
    }

    fn of_unit(&self, trial: usize, unit: usize) -> i16 {
        (self.words[unit / BLOCK * self.stride + trial] >> (unit % BLOCK) & 1) as i16
    }

    /// Writes the words of a trial, whose first coin is this bit of the stream.
    fn align(&mut self, trial: usize, first: usize) {
        let (pairs, _) = self.stream[first / WORD..].as_chunks::<2>();
        let joined = pairs.iter().map(|[low, high]| u64::from(*high) << WORD | u64::from(*low));
        let used = first % WORD;
        let words = self.words[trial..].iter_mut().step_by(self.stride);
        for (word, (low, high)) in words.zip(joined.clone().zip(joined.skip(1))) {
            // Two shifts, because one by 64 is none.
            *word = low >> used | high << 1 << (BLOCK - 1 - used);
        }
    }
}

/// At least `count` numbers of 64 bits, and an odd number of cache lines: what stands so far apart in memory is not
/// assigned to the same few places of the cache. With a power of two, to write coins took four times as long.
pub(super) fn apart(count: usize) -> usize {
    const LINE: usize = 8;
    (count.div_ceil(LINE) | 1) * LINE
}

/// The compiler does all sixteen at once: an `and` with all bits, and a comparison with zero.
fn spread(coins: u16, weights: &mut [i16]) {
    for (weight, bit) in weights.iter_mut().zip(BITS) {
        *weight = i16::from(coins & bit != 0);
    }
}

/// Tosses the coins from number `first` on: bits of the stream, lowest first, word after word. Fills the words that
/// hold them, with room for two more blocks behind, and returns how many bits of the first word belong to coins before.
fn toss_coins(generator: &Pcg64, first: u128, count: usize, words: &mut Vec<u32>) -> usize {
    let before = (first % WORD as u128) as usize;
    let mut generator = generator.clone();
    generator.skip_words(first / WORD as u128);
    let needed = (before + count).div_ceil(WORD);
    words.resize(needed + 2 * BLOCK / WORD, 0);
    generator.fill_words(&mut words[..needed]);
    before
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn coins_are_numpys_booleans() {
        let coins = Coins::Tossed { generator: Pcg64::from_seed(&[12345]), units: 30, places: Vec::new() };
        let mut tosses = Tosses::default();
        tosses.toss(&coins, &(0..1), 30);
        let bits: String = (0..30).map(|unit| tosses.of_unit(0, unit).to_string()).collect();
        assert_eq!("101110011000001111111111010011", bits);
    }

    proptest! {
        #[test]
        fn coins_do_not_depend_on_how_many_are_tossed_at_once(
            units in 1_usize..200, first in 0_usize..40, trials in 1_usize..40, used in 0_u128..3, seed: u32
        ) {
            let mut generator = Pcg64::from_seed(&[seed]);
            generator.skip_words(used);
            let mut stream = vec![0; (units * (first + trials)).div_ceil(WORD)];
            generator.clone().fill_words(&mut stream);
            let coins = Coins::Tossed { generator, units, places: Vec::new() };
            let mut tosses = Tosses::default();
            // What a larger batch has left behind must not matter.
            tosses.toss(&coins, &(0..50), units);
            tosses.toss(&coins, &(first..first + trials), units);
            for trial in 0..trials {
                let bits = (first + trial) * units..(first + trial + 1) * units;
                let expected: Vec<i16> = bits.map(|bit| (stream[bit / WORD] >> (bit % WORD) & 1) as i16).collect();
                let block_bit = |unit: usize| tosses.of_block(unit / BLOCK)[trial] >> (unit % BLOCK) & 1;
                prop_assert_eq!(&expected, &(0..units).map(|unit| block_bit(unit) as i16).collect::<Vec<_>>());
                let mut found = vec![0; units];
                tosses.weigh_rows(&coins, trial, &mut found);
                prop_assert_eq!(&expected, &found);
            }
        }
    }

    #[test]
    fn every_way_comes_once_and_the_last_row_stays() {
        let mut tosses = Tosses::default();
        tosses.toss(&Coins::Every, &(0..ways(5)), 5);
        let mut found: Vec<Vec<i16>> =
            (0..16).map(|trial| (0..5).map(|unit| tosses.of_unit(trial, unit)).collect()).collect();
        assert!(found.iter().all(|coins| coins[4] == 1));
        found.sort();
        found.dedup();
        assert_eq!(16, found.len());
    }
}
