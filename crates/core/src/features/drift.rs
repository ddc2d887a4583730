//! Which lines of two files belong together: words that are rare on both sides vote for an offset.
//!
//! [`fit`] is the quick question: do lines fit the lines beside them? It looks at windows of a few lines. A word that
//! stands on one line of each side within a window votes, for the line beside it or against. In a translation more
//! than half of the votes are for it; with all lines moved by one, as good as none. The same walk tells how many of
//! the commonest words of the second side the first side has: hardly any if it is in another language.
//!
//! [`votes`] is the thorough question: at which offset do lines fit? It looks at all lines. A word that stands on at
//! most three lines of each side votes for the offsets between them, and votes are counted block by block, because a
//! line that is lost moves only those after it.
//!
//! A word is its hash here. Two words have the same one once in 10¹⁹ pairs, and that costs a vote.
//! Characters of scripts without spaces between words make a word with their neighbour each.

use super::text_of;
use crate::halt;
use crate::mixing::Mixer;

/// Texts that follow each other in a list of code points, and where each of them ends.
pub type Lines<'a> = (&'a [u32], &'a [usize]);

/// The sides: first what is looked at, then what it is compared with.
const OURS: usize = 0;
const THEIRS: usize = 1;

/// How well lines fit those beside them.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// For each window, the votes for the line beside, and all votes.
    pub windows: Vec<[u32; 2]>,
    /// How many of the other side's words are common.
    pub common: usize,
    /// The share of them, by how often they stand there, that this side has too, if it were of the same length.
    pub shared: f64,
}

/// A word is common if it stands there so often for each line, and so often at least; so many are looked at.
const COMMON: (f64, u32, usize) = (0.02, 4, 50);

/// Looks at windows of so many lines, which follow each other in `ours` and `theirs`.
pub fn fit(ours: Lines<'_>, theirs: Lines<'_>, window: usize) -> Fit {
    let lines = ours.1.len().min(theirs.1.len());
    let mut lexicon = Lexicon::<Seen>::new(theirs.0.len());
    let (mut windows, mut touched, mut totals) = (Vec::new(), Vec::new(), [0_u32; 2]);
    for first in (0..lines).step_by(window.max(1)) {
        let (end, number) = (lines.min(first + window.max(1)), windows.len() as u32 + 1);
        touched.clear();
        for (side, (points, ends)) in [ours, theirs].into_iter().enumerate() {
            for line in first..end {
                let text = text_of(points, ends, line);
                halt::spend(1 + text.len() / 8);
                for_each_word(text, |key| {
                    let at = lexicon.place(key);
                    let seen = &mut lexicon.words[at].1;
                    if seen.window != number {
                        (seen.window, seen.lines) = (number, [NOWHERE; 2]);
                        touched.push(at);
                    }
                    let (known, line) = (&mut seen.lines[side], line as u32);
                    *known = if *known == NOWHERE || *known == line { line } else { EVERYWHERE };
                    seen.counts[side] += 1;
                    totals[side] += 1;
                });
            }
        }
        let mut votes = [0; 2];
        for [ours, theirs] in touched.iter().map(|&at| lexicon.words[at].1.lines) {
            let is_vote = ours < EVERYWHERE && theirs < EVERYWHERE;
            votes[0] += u32::from(is_vote && ours == theirs);
            votes[1] += u32::from(is_vote);
        }
        windows.push(votes);
    }
    let (common, shared) = in_common(&lexicon, lines, totals);
    Fit { windows, common, shared }
}

/// How many words are common on the other side, and the share of them that this side has.
fn in_common(lexicon: &Lexicon<Seen>, lines: usize, totals: [u32; 2]) -> (usize, f64) {
    let (a_line, least, most) = COMMON;
    let least = least.max((a_line * lines as f64).ceil() as u32);
    let known = lexicon.words.iter().map(|(_, seen)| seen.counts).filter(|counts| counts[THEIRS] >= least);
    let mut common: Vec<[u32; 2]> = known.collect();
    common.sort_unstable_by_key(|&[ours, theirs]| (std::cmp::Reverse(theirs), ours));
    common.truncate(most);
    let scale = f64::from(totals[THEIRS]) / f64::from(totals[OURS].max(1));
    let shared: f64 = common.iter().map(|&[ours, theirs]| (scale * f64::from(ours)).min(theirs.into())).sum();
    let all: u32 = common.iter().map(|counts| counts[THEIRS]).sum();
    (common.len(), shared / f64::from(all.max(1)))
}

/// What [`fit`] knows of a word.
#[derive(Clone, Copy, Default)]
struct Seen {
    window: u32,      // the last one that has it
    lines: [u32; 2],  // where it stands in there, on each side
    counts: [u32; 2], // how often it stands anywhere
}

const NOWHERE: u32 = u32::MAX;
const EVERYWHERE: u32 = u32::MAX - 1;

/// The offsets of a block with the most votes.
pub const BEST: usize = 4;

/// The votes of one block of lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Votes {
    /// All votes.
    pub all: u32,
    /// Those for the line beside.
    pub own: u32,
    /// The other offsets that have the most votes, and how many; an offset is their line minus ours.
    pub others: Vec<(i32, u32)>,
}

/// A word on so many lines of a side is rare.
const RARE: usize = 3;

/// The weight of a word that stands on one line of each side; it is divided by the number of pairs of lines.
pub const WHOLE: u32 = 36;

/// Counts votes for offsets of at most `farthest` lines, by blocks of so many of our lines.
pub fn votes(ours: Lines<'_>, theirs: Lines<'_>, block: usize, farthest: usize) -> Vec<Votes> {
    let mut lexicon = Lexicon::<[Few; 2]>::new(ours.0.len().max(theirs.0.len()));
    for (side, (points, ends)) in [ours, theirs].into_iter().enumerate() {
        for line in 0..ends.len() {
            let text = text_of(points, ends, line);
            halt::spend(1 + text.len() / 8);
            for_each_word(text, |key| {
                let at = lexicon.place(key);
                lexicon.words[at].1[side].add(line as u32);
            });
        }
    }
    let block = block.max(1);
    let mut found: Vec<(usize, i32, u32)> = Vec::new();
    for (_, [ours, theirs]) in &lexicon.words {
        let pairs = ours.lines().len() * theirs.lines().len();
        for (&here, &there) in
            ours.lines().iter().flat_map(|here| theirs.lines().iter().map(move |there| (here, there)))
        {
            if here.abs_diff(there) as usize <= farthest {
                found.push((here as usize / block, there as i32 - here as i32, WHOLE / pairs as u32));
            }
        }
    }
    found.sort_unstable();
    let mut blocks = vec![Votes::default(); ours.1.len().div_ceil(block)];
    for same in found.chunk_by(|one, next| (one.0, one.1) == (next.0, next.1)) {
        let ((at, offset, _), weight) = (same[0], same.iter().map(|vote| vote.2).sum());
        blocks[at].all += weight;
        match offset {
            0 => blocks[at].own = weight,
            _ => blocks[at].others.push((offset, weight)),
        }
    }
    for votes in &mut blocks {
        votes.others.sort_unstable_by_key(|&(offset, weight)| (std::cmp::Reverse(weight), offset.abs(), offset));
        votes.others.truncate(BEST);
    }
    blocks
}

/// The lines of a word, unless there are many.
#[derive(Clone, Copy, Default)]
struct Few {
    lines: [u32; RARE],
    count: u8,
}

impl Few {
    /// Adds a line; lines come in order.
    fn add(&mut self, line: u32) {
        let count = usize::from(self.count);
        if count > RARE || count > 0 && self.lines[count - 1] == line {
            return;
        }
        if count < RARE {
            self.lines[count] = line;
        }
        self.count += 1;
    }

    /// The lines of a rare word; none of any other.
    fn lines(&self) -> &[u32] {
        self.lines.get(..usize::from(self.count)).unwrap_or(&[])
    }
}

/// Words by their hashes.
struct Lexicon<T> {
    slots: Vec<u32>, // one more than the place of a word
    words: Vec<(u64, T)>,
}

impl<T: Default> Lexicon<T> {
    /// One for the words of so many characters.
    fn new(characters: usize) -> Self {
        let slots = (characters / 4).clamp(64, 1 << 24).next_power_of_two();
        Self { slots: vec![0; slots], words: Vec::with_capacity(slots / 4) }
    }

    /// Finds the place of a word, which is added if it is new.
    #[inline]
    fn place(&mut self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = key as usize & mask;
        loop {
            match self.slots[slot] as usize {
                0 => break,
                known if self.words[known - 1].0 == key => return known - 1,
                _ => slot = (slot + 1) & mask,
            }
        }
        self.words.push((key, T::default()));
        self.slots[slot] = self.words.len() as u32;
        if 2 * self.words.len() > self.slots.len() {
            self.grow();
        }
        self.words.len() - 1
    }

    fn grow(&mut self) {
        let mask = 2 * self.slots.len() - 1;
        self.slots.clear();
        halt::resize(&mut self.slots, mask + 1, 0);
        for (at, &(key, _)) in self.words.iter().enumerate() {
            let mut slot = key as usize & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = at as u32 + 1;
        }
    }
}

/// Hands out the hash of each word: letters and digits between anything else, without their case.
#[inline]
fn for_each_word(text: &[u32], mut take: impl FnMut(u64)) {
    let mixer = Mixer::default();
    let (mut word, mut before) = (0_u64, 0_u32);
    for &c in text {
        match letter(c) {
            Letter::Spaced(c) => {
                // The key comes in at the end: words made up to be equal here are one word, and crowd nowhere.
                word = (word.rotate_left(5) ^ u64::from(c)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                before = 0;
                continue;
            }
            Letter::Unspaced if before != 0 => take(mixer.mix(u64::from(before) << 32 | u64::from(c), 1)),
            _ => {}
        }
        before = if letter(c) == Letter::Unspaced { c } else { 0 };
        if word != 0 {
            take(mixer.mix(word, 2));
            word = 0;
        }
    }
    if word != 0 {
        take(mixer.mix(word, 2));
    }
}

/// What a character is in a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letter {
    /// Space, punctuation and symbols.
    Gap,
    /// A letter of a script with spaces between words, in lower case.
    Spaced(u32),
    /// One of a script without.
    Unspaced,
}

#[inline(always)]
fn letter(c: u32) -> Letter {
    match NARROW.get(c as usize) {
        Some(0) => Letter::Gap,
        Some(&small) => Letter::Spaced(small.into()),
        None => wide_letter(c),
    }
}

/// Characters below U+0100 in lower case; 0 for those that are no part of a word.
static NARROW: [u8; 0x100] = {
    let mut table = [0; 0x100];
    let mut c = 0;
    while c < 0x100 {
        let small = c as u8;
        table[c] = match small {
            b'0'..=b'9' | b'a'..=b'z' | 0xDF..=0xF6 | 0xF8..=0xFF => small,
            b'A'..=b'Z' | 0xC0..=0xD6 | 0xD8..=0xDE => small + 0x20,
            _ => 0,
        };
        c += 1;
    }
    table
};

/// The same beyond. Case matters only in Greek and Cyrillic: elsewhere few letters have one.
fn wide_letter(c: u32) -> Letter {
    match c {
        0x0391..=0x03A9 | 0x0410..=0x042F => Letter::Spaced(c + 0x20),
        0x0400..=0x040F => Letter::Spaced(c + 0x50),
        // Punctuation of Greek, Armenian, Hebrew, Arabic and Indian scripts, and the blocks of symbols.
        0x037E | 0x0387 | 0x0589 | 0x05BE | 0x05C3 | 0x060C | 0x061B | 0x061F | 0x06D4 | 0x0964 | 0x0965 => Letter::Gap,
        0x1680 | 0x2000..=0x2BFF | 0x2E00..=0x2E7F | 0x3000..=0x3020 | 0x30FB | 0xFE10..=0xFE6F | 0xFEFF => Letter::Gap,
        0xFF00..=0xFF0F | 0xFF1A..=0xFF20 | 0xFF3B..=0xFF40 | 0xFF5B..=0xFF65 | 0xFFE0..=0xFFFF => Letter::Gap,
        0x0E00..=0x0FFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x2E80..=0xFE0F | 0xFF10..=0xFFDF => Letter::Unspaced,
        0x2_0000..=0x3_FFFF => Letter::Unspaced,
        0x1_F000..=0x1_FFFF => Letter::Gap,
        _ => Letter::Spaced(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::code_points;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    type Joined = (Vec<u32>, Vec<usize>);

    fn joined(texts: &[String]) -> Joined {
        let (mut points, mut ends) = (Vec::new(), Vec::new());
        for text in texts {
            points.extend(code_points(text));
            ends.push(points.len());
        }
        (points, ends)
    }

    fn lines(joined: &Joined) -> Lines<'_> {
        (&joined.0, &joined.1)
    }

    /// The words themselves, by splitting and lower-casing.
    fn naive_words(text: &str) -> Vec<String> {
        let is_gap = |c: char| letter(c.into()) == Letter::Gap;
        let mut found = Vec::new();
        for part in text.split(is_gap) {
            let is_unspaced = |c: &char| letter((*c).into()) == Letter::Unspaced;
            let letters: Vec<char> = part.chars().collect();
            found.extend(letters.windows(2).filter(|two| two.iter().all(is_unspaced)).map(|two| two.iter().collect()));
            let spaced = part.split(|c| is_unspaced(&c)).filter(|word| !word.is_empty());
            found.extend(spaced.map(str::to_lowercase));
        }
        found
    }

    /// The lines of each word on each side.
    fn naive_places(sides: [&[String]; 2]) -> BTreeMap<String, [BTreeSet<usize>; 2]> {
        let mut places: BTreeMap<String, [BTreeSet<usize>; 2]> = BTreeMap::new();
        for (side, texts) in sides.into_iter().enumerate() {
            for (line, text) in texts.iter().enumerate() {
                for word in naive_words(text) {
                    places.entry(word).or_default()[side].insert(line);
                }
            }
        }
        places
    }

    fn naive_votes(ours: &[String], theirs: &[String], block: usize, farthest: usize) -> Vec<Votes> {
        let mut sums: Vec<BTreeMap<i32, u32>> = vec![BTreeMap::new(); ours.len().div_ceil(block)];
        for [here, there] in naive_places([ours, theirs]).into_values() {
            let is_rare = |lines: &BTreeSet<usize>| (1..=RARE).contains(&lines.len());
            if is_rare(&here) && is_rare(&there) {
                let weight = WHOLE / (here.len() * there.len()) as u32;
                for one in &here {
                    for other in there.iter().filter(|&other| other.abs_diff(*one) <= farthest) {
                        *sums[one / block].entry(*other as i32 - *one as i32).or_default() += weight;
                    }
                }
            }
        }
        let as_votes = |sum: BTreeMap<i32, u32>| {
            let mut others: Vec<(i32, u32)> = sum.iter().map(|(&o, &n)| (o, n)).filter(|one| one.0 != 0).collect();
            others.sort_by_key(|&(offset, weight)| (std::cmp::Reverse(weight), offset.abs(), offset));
            others.truncate(BEST);
            Votes { all: sum.values().sum(), own: sum.get(&0).copied().unwrap_or(0), others }
        };
        sums.into_iter().map(as_votes).collect()
    }

    fn naive_windows(ours: &[String], theirs: &[String], window: usize) -> Vec<[u32; 2]> {
        let one_window = |(ours, theirs): (&[String], &[String])| {
            let mut votes = [0; 2];
            for [here, there] in naive_places([ours, theirs]).into_values() {
                if here.len() == 1 && there.len() == 1 {
                    votes[0] += u32::from(here == there);
                    votes[1] += 1;
                }
            }
            votes
        };
        ours.chunks(window).zip(theirs.chunks(window)).map(one_window).collect()
    }

    fn texts(most: usize) -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec("([a-fA-F]{1,2}|[0-9]|[你好世界]{1,3}|[жЖэ]{1,2}|[ ,.。！-]){0,12}", 0..most)
    }

    proptest! {
        #[test]
        fn votes_are_those_of_words_in_maps(
            ours in texts(30), theirs in texts(30), block in 1..9_usize, far in 0..30_usize
        ) {
            let (left, right) = (joined(&ours), joined(&theirs));
            prop_assert_eq!(naive_votes(&ours, &theirs, block, far), votes(lines(&left), lines(&right), block, far));
        }

        #[test]
        fn windows_are_those_of_words_in_maps(ours in texts(30), window in 1..9_usize, seed in 0..30_usize) {
            let mut theirs = ours.clone();
            let turn = seed.min(theirs.len());
            theirs.rotate_left(turn);
            let (left, right) = (joined(&ours), joined(&theirs));
            prop_assert_eq!(naive_windows(&ours, &theirs, window), fit(lines(&left), lines(&right), window).windows);
        }

        #[test]
        fn many_words_are_each_found_once(numbers in prop::collection::vec(0..3000_u32, 0..2000)) {
            let ours: Vec<String> = numbers.iter().map(|number| format!("w{number}")).collect();
            let side = joined(&ours);
            let distinct: BTreeSet<u32> = numbers.iter().copied().collect();
            let mut lexicon = Lexicon::<Seen>::new(0);
            for line in 0..ours.len() {
                for_each_word(text_of(&side.0, &side.1, line), |key| { lexicon.place(key); });
            }
            prop_assert_eq!(distinct.len(), lexicon.words.len());
        }
    }

    fn sentences(count: usize) -> Vec<String> {
        (0..count).map(|at| format!("the word{at} and the number {} of word{}", at * 7, at / 2)).collect()
    }

    #[test]
    fn lines_moved_by_any_offset_vote_for_it() {
        let theirs = sentences(300);
        for by in [1, 2, 17, 99] {
            let mut ours = theirs.clone();
            ours.rotate_left(by);
            let (left, right) = (joined(&ours), joined(&theirs));
            let [own, all] = fit(lines(&left), lines(&right), 32).windows[3];
            assert!(5 * own < all.max(1) || all < 10, "{own} of {all}");
            let blocks = votes(lines(&left), lines(&right), 32, 100);
            assert!(blocks[..6].iter().all(|votes| votes.others[0].0 == by as i32), "{blocks:?}");
        }
    }

    #[test]
    fn the_commonest_words_tell_a_language() {
        let english: Vec<String> = sentences(60);
        let german: Vec<String> = (0..60).map(|at| format!("das wort{at} und die zahl {at}")).collect();
        let (left, right) = (joined(&english), joined(&german));
        let same = fit(lines(&left), lines(&left), 16);
        assert_eq!((1.0, 60), (same.shared, same.windows.iter().map(|one| one[1]).sum::<u32>().min(60)));
        let other = fit(lines(&right), lines(&left), 16);
        assert!(other.common >= 4 && other.shared < 0.1, "{other:?}");
    }
}
