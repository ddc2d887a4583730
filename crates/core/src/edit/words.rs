//! Where each word stands in the reference.

use crate::halt;

/// Positions of the reference's words, by word. A reference of at most 64 words is *narrow*, unless the hypothesis
/// is very long.
#[derive(Default)]
pub struct Words {
    is_narrow: bool,
    /// For each word the bits of its positions, if the reference is narrow.
    masks: Vec<u64>,
    /// `positions[starts[w]..starts[w + 1]]` are the positions of word `w`, ascending, if it is not.
    starts: Vec<u32>,
    positions: Vec<u32>,
    /// What is left of each word while counting what two sentences share: bits if the reference is narrow, or a number.
    unpaired: Vec<u64>,
}

impl Words {
    /// Reads a pair of sentences, whose words must be smaller than the sum of their lengths, and returns
    /// how many words they share, whatever their order. A narrow reference must have at most 64 words.
    pub fn read(&mut self, hyp: &[u32], reference: &[u32], is_narrow: bool) -> usize {
        let ids = tables(hyp, reference);
        self.is_narrow = is_narrow;
        if is_narrow {
            self.mark(reference, ids);
            self.unpaired.clear();
            halt::reserve(&mut self.unpaired, ids);
            self.unpaired.extend_from_slice(&self.masks);
            self.pair(hyp, |bits| bits & bits.wrapping_sub(1))
        } else {
            self.list(reference, ids);
            self.unpaired.clear();
            halt::reserve(&mut self.unpaired, ids);
            self.unpaired.extend(self.starts.windows(2).map(|ends| u64::from(ends[1] - ends[0])));
            self.pair(hyp, |count| count.saturating_sub(1))
        }
    }

    /// Whether the reference was read as a narrow one.
    pub fn is_narrow(&self) -> bool {
        self.is_narrow
    }

    /// Bits of the positions of each word of a narrow reference.
    #[inline]
    pub fn masks(&self) -> &[u64] {
        &self.masks
    }

    /// Positions of `word` from `low` to `high`, both included, in a reference that is not narrow.
    #[inline]
    pub fn positions(&self, word: u32, low: usize, high: usize) -> impl Iterator<Item = usize> + '_ {
        let word = word as usize;
        let all = &self.positions[self.starts[word] as usize..self.starts[word + 1] as usize];
        // Most words are rare, and then looking at all positions takes less time than searching.
        let skipped = if all.len() <= 4 { 0 } else { all.partition_point(|&p| (p as usize) < low) };
        all[skipped..].iter().map(|&p| p as usize).skip_while(move |&p| p < low).take_while(move |&p| p <= high)
    }

    fn mark(&mut self, reference: &[u32], ids: usize) {
        refill(&mut self.masks, ids, 0);
        for (position, &word) in reference.iter().enumerate() {
            self.masks[word as usize] |= 1 << position;
        }
    }

    /// Sorts the positions by word, counting.
    fn list(&mut self, reference: &[u32], ids: usize) {
        refill(&mut self.starts, ids + 1, 0);
        for &word in reference {
            halt::spend(1);
            self.starts[word as usize] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        refill(&mut self.positions, reference.len(), 0);
        for (position, &word) in reference.iter().enumerate().rev() {
            halt::spend(1);
            let slot = &mut self.starts[word as usize];
            *slot -= 1;
            self.positions[*slot as usize] = position as u32;
        }
    }

    /// Pairs words of the hypothesis with equal words of the reference and returns the number of pairs.
    fn pair(&mut self, hyp: &[u32], take_one: impl Fn(u64) -> u64) -> usize {
        let mut pairs = 0;
        for part in hyp.chunks(MANY) {
            halt::spend(part.len());
            for &word in part {
                let left = &mut self.unpaired[word as usize];
                pairs += usize::from(*left != 0);
                *left = take_one(*left);
            }
        }
        pairs
    }
}

/// Sentences of so many words together have tables for the words that they have, which are fewer than their positions.
const MANY: usize = 1 << 12;

/// How many words the tables are for.
fn tables(hyp: &[u32], reference: &[u32]) -> usize {
    let all = hyp.len() + reference.len();
    if all < MANY {
        return all;
    }
    1 + hyp.iter().chain(reference).copied().max().unwrap_or(0) as usize
}

/// Makes `table` hold `len` times `value`, keeping its memory.
pub fn refill<T: Copy>(table: &mut Vec<T>, len: usize, value: T) {
    table.clear();
    halt::resize(table, len, value);
}
