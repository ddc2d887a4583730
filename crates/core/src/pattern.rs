//! Where a pattern has which token, for distances that are computed 64 cells at a time.

use crate::cells::BITS;
use crate::halt;

/// The number of a token of the pattern that no text has.
pub const UNKNOWN: u32 = 0;

/// Rows that are computed at once.
pub const ROWS: usize = 2;

/// Where the pattern has which token: as bits, or as a list of positions for tokens that are rare in a long pattern.
#[derive(Default)]
pub struct Masks {
    /// How many words the bits of a token take.
    pub blocks: usize,
    places: Vec<Place>, // by token
    dense: Vec<u64>,
    positions: Vec<u32>,
    /// Of each row that is computed at once the bits of its token, if they are listed.
    found: [Vec<u64>; ROWS],
}

/// Of one token: how often it comes, and where its bits or positions begin, plus one.
#[derive(Clone, Copy, Default)]
struct Place {
    count: u32,
    listed: u32,
    start: usize,
}

impl Place {
    /// Whether a token has its own bits.
    fn has_bits(self) -> bool {
        self.start > 0 && self.count == 0
    }
}

/// A token that comes once in so many blocks has its own bits; patterns of up to so many have few.
pub const RARE: usize = if cfg!(test) { 4 } else { 16 };

impl Masks {
    /// Makes room for tokens up to the highest.
    pub fn know(&mut self, highest: usize) {
        if self.places.len() <= highest {
            halt::resize(&mut self.places, highest + 1, Place::default());
        }
    }

    /// Reads a pattern. The one before must have been forgotten.
    pub fn read(&mut self, pattern: &[u32]) {
        self.blocks = pattern.len().div_ceil(BITS);
        self.dense.clear();
        self.positions.clear();
        if self.blocks > RARE {
            pattern.iter().for_each(|&token| self.places[token as usize].count += 1);
        }
        for (at, &token) in pattern.iter().enumerate().filter(|&(_, &token)| token != UNKNOWN) {
            let place = &mut self.places[token as usize];
            let is_dense = self.blocks <= RARE || place.count as usize * RARE >= self.blocks;
            if place.start == 0 && is_dense {
                place.start = self.dense.len() + 1;
                halt::resize(&mut self.dense, place.start - 1 + self.blocks, 0);
                place.count = 0;
            } else if place.start == 0 {
                place.start = self.positions.len() + 1;
                halt::resize(&mut self.positions, place.start - 1 + place.count as usize, 0);
            }
            if place.count == 0 {
                self.dense[place.start - 1 + at / BITS] |= 1 << (at % BITS);
            } else {
                self.positions[place.start - 1 + place.listed as usize] = at as u32;
                place.listed += 1;
            }
        }
    }

    /// Forgets a pattern that was read.
    pub fn forget(&mut self, pattern: &[u32]) {
        pattern.iter().for_each(|&token| self.places[token as usize] = Place::default());
    }

    /// Whether the pattern has a token.
    #[inline]
    pub fn has(&self, token: u32) -> bool {
        self.places[token as usize].start > 0
    }

    /// The bits of a token in a pattern of one block.
    #[inline]
    pub fn narrow(&self, token: u32) -> u64 {
        match self.places[token as usize].start {
            0 => 0,
            start => self.dense[start - 1],
        }
    }

    /// Looks up the bits of a token from one block up to another, for the row of that number.
    pub fn find(&mut self, row: usize, token: u32, first: usize, end: usize) {
        let place = self.places[token as usize];
        if place.has_bits() {
            return;
        }
        let found = &mut self.found[row];
        found.clear();
        found.resize(end - first, 0);
        if place.start > 0 {
            let all = &self.positions[place.start - 1..][..place.count as usize];
            let from = all.partition_point(|&at| (at as usize) < first * BITS);
            for at in all[from..].iter().map(|&at| at as usize).take_while(|&at| at < end * BITS) {
                found[at / BITS - first] |= 1 << (at % BITS);
            }
        }
    }

    /// What [`Self::find`] has looked up.
    pub fn found(&self, row: usize, token: u32, first: usize, end: usize) -> &[u64] {
        let place = self.places[token as usize];
        if place.has_bits() { &self.dense[place.start - 1..][first..end] } else { &self.found[row] }
    }

    /// The bits of a token in a pattern of few blocks.
    #[inline]
    pub fn dense_bits(&self, token: u32) -> &[u64] {
        match self.places[token as usize].start {
            0 => &[0; RARE][..self.blocks],
            start => &self.dense[start - 1..][..self.blocks],
        }
    }
}
