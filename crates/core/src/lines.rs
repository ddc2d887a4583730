//! Lines of bytes that come in blocks: where each begins and ends, without the white space at its end.

use crate::utf8::trim_end;
use std::ops::Range;

/// The bytes of some lines, and where each is.
#[derive(Debug, Default)]
pub struct Lines {
    bytes: Vec<u8>,
    whole: Vec<Range<usize>>, // each whole line, without the white space at its end
    next: usize,              // where the line begins that is not whole yet
}

impl Lines {
    /// How many whole lines there are.
    pub fn len(&self) -> usize {
        self.whole.len()
    }

    /// Whether there is no whole line.
    pub fn is_empty(&self) -> bool {
        self.whole.is_empty()
    }

    /// How many bytes are held.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// How many bytes a line has without its white space at the end.
    pub fn length(&self, at: usize) -> usize {
        self.whole[at].len()
    }

    /// Says that nothing follows, for good: the last line needs no line feed.
    pub fn finish(&mut self) {
        if self.next < self.bytes.len() {
            self.end_line(self.bytes.len());
        }
    }

    /// A line without its white space at the end.
    #[inline]
    pub fn get(&self, at: usize) -> &[u8] {
        &self.bytes[self.whole[at].clone()]
    }

    /// Takes the next bytes.
    pub fn feed(&mut self, block: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(block);
        line_feeds(block).for_each(|at| self.end_line(start + at));
    }

    /// Ends a line before a line feed, or at the end of all.
    fn end_line(&mut self, end: usize) {
        let text = trim_end(&self.bytes[self.next..end]).len();
        self.whole.push(self.next..self.next + text);
        self.next = end + 1;
    }

    /// The first bytes of a line from a place on that is not UTF-8. What follows, the line feed too, tells why.
    pub fn from_place(&self, at: usize, place: usize) -> Vec<u8> {
        self.bytes[self.whole[at].start + place..].iter().take(4).copied().collect()
    }

    /// Forgets the first lines.
    pub fn drain(&mut self, lines: usize) {
        if lines == 0 {
            return;
        }
        let past = self.whole.get(lines).map_or(self.next, |first| first.start).min(self.bytes.len());
        self.bytes.drain(..past);
        self.whole.drain(..lines);
        self.whole.iter_mut().for_each(|line| *line = line.start - past..line.end - past);
        self.next -= past;
    }
}

/// The places of line feeds; eight bytes are looked at together.
fn line_feeds(block: &[u8]) -> impl Iterator<Item = usize> + '_ {
    const FEEDS: u64 = u64::from_le_bytes([b'\n'; 8]);
    const LOW: u64 = u64::from_le_bytes([0x7F; 8]);
    let (eights, rest) = block.as_chunks::<8>();
    let last = 8 * eights.len();
    let in_eight = |(at, eight): (usize, &[u8; 8])| {
        // The highest bit of a byte is set if and only if the byte is a line feed.
        let other = u64::from_le_bytes(*eight) ^ FEEDS;
        let mut found = !(((other & LOW) + LOW) | other | LOW);
        std::iter::from_fn(move || {
            let bit = (found != 0).then(|| found.trailing_zeros() as usize)?;
            found &= found - 1;
            Some(8 * at + bit / 8)
        })
    };
    let in_rest = rest.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(move |(at, _)| last + at);
    eights.iter().enumerate().flat_map(in_eight).chain(in_rest)
}

/// Whether a text ends in a full stop that stands alone: it was tokenized before.
#[inline]
pub fn ends_in_detached_stop(text: &[u8]) -> bool {
    text.ends_with(b" .")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Line feeds, white space, a byte that is a line feed but for its highest bit, and others.
    fn bytes() -> impl Strategy<Value = u8> {
        prop_oneof![Just(b'\n'), Just(b' '), Just(b'\r'), Just(0x8A), any::<u8>()]
    }

    proptest! {
        #[test]
        fn lines_are_found_whatever_the_blocks(
            text in proptest::collection::vec(bytes(), 0..90),
            sizes in proptest::collection::vec(1usize..20, 1..9),
            forgotten in 0usize..4,
        ) {
            let (mut lines, mut rest) = (Lines::default(), &text[..]);
            for &size in sizes.iter().cycle() {
                let (block, others) = rest.split_at(size.min(rest.len()));
                lines.feed(block);
                rest = others;
                if rest.is_empty() {
                    break;
                }
            }
            let forgotten = forgotten.min(lines.len());
            lines.drain(forgotten);
            lines.finish();
            let mut expected: Vec<&[u8]> = text.split(|&byte| byte == b'\n').map(trim_end).collect();
            if text.is_empty() || text.ends_with(b"\n") {
                expected.pop();
            }
            prop_assert_eq!(&expected[forgotten..], (0..lines.len()).map(|at| lines.get(at)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_full_stop_is_detached_after_a_space() {
        assert!(ends_in_detached_stop(b"a ."));
        assert!(!ends_in_detached_stop(b"a.") && !ends_in_detached_stop(b"."));
    }
}
