//! A code page for one segment: the characters of a hypothesis in one byte each, whatever their script.
//!
//! A kernel works on bytes, and most texts outside of Western Europe have no narrow form ([`crate::text`]). But hardly
//! a segment has more than a hundred different characters, and to count n-grams it is enough to know which are equal.
//! So each character of a hypothesis gets the next free byte when it first appears, and a reference is written in the
//! bytes of its hypothesis. The page ends with the segment. Its bytes never leave the kernel: a byte of a
//! [`crate::text::Text`] always means Windows-1252.
//!
//! Where it matters of what class a character is, each class has a *room* of bytes. The lowest bytes mean no character:
//! byte 0 is any character of room 0 that the hypothesis does not have, byte 1 any such of room 1, and so on.
//!
//! **Cost.** One look into a table of 64 kB for each character, of which a segment touches as many lines as it has
//! distinct characters, and a store for each of those when they are forgotten. Whether a character is new cannot be
//! predicted, so there is no branch for it. Characters beyond the basic plane are few (pictures, mostly) and are looked
//! for one by one.
//!
//! **Why it is right.** Two characters of a hypothesis have the same byte only if they are the same character: the
//! bytes of a room are given in ascending order and each once, and a hypothesis that runs out of them is declined. Some
//! characters have a byte for good, which is in no room.
//!
//! **What did not pay.** Numbers with the generation in which they were given, as [`crate::symbols`] has them, need no
//! forgetting, but a table of 512 kB.

use std::hint::select_unpredictable;
use std::ops::Range;

/// What a page says of a character beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It has this byte for good.
    Fixed(u8),
    /// It gets a byte of this room when it appears in a hypothesis.
    Room(u8),
}

/// How many characters a page can learn before it is cleared: a power of two.
pub const MOST: usize = 1024;

/// The bytes of the characters of one segment.
#[derive(Clone)]
pub struct Page<const ROOMS: usize> {
    bytes: Box<[u8]>, // by character of the basic plane
    astral: u8,       // the room of all other characters
    rooms: [Range<u16>; ROOMS],
    next: [u16; ROOMS],        // the next byte of each room
    given: Box<[Given; MOST]>, // the characters that got a byte
    count: usize,
}

#[derive(Clone, Copy, Default)]
struct Given {
    c: u32,
    room: u8,
    byte: u8,
}

impl<const ROOMS: usize> Page<ROOMS> {
    /// A page with a place for each character of the basic plane, and a room for all others. The bytes of each room are
    /// beyond `ROOMS`, and no fixed byte is in one.
    pub fn new(place: impl Fn(u32) -> Place, astral: u8, rooms: [Range<u16>; ROOMS]) -> Self {
        let first = |c| match place(c) {
            Place::Fixed(byte) => byte,
            Place::Room(room) => room,
        };
        let mut page = Self {
            bytes: (0..0x1_0000).map(first).collect(),
            astral,
            rooms,
            next: [0; ROOMS],
            given: Box::new([Given::default(); MOST]),
            count: 0,
        };
        page.clear();
        page
    }

    /// Forgets the characters of the segment before.
    fn clear(&mut self) {
        // The last first: of a character that was given a byte again, on an overfull page, the first entry is true.
        for &Given { c, room, .. } in self.given[..self.count].iter().rev() {
            if let Some(byte) = self.bytes.get_mut(c as usize) {
                *byte = room;
            }
        }
        self.count = 0;
        self.next.iter_mut().zip(&self.rooms).for_each(|(next, room)| *next = room.start);
    }

    /// Hands on the bytes of a hypothesis, of at most [`MOST`] characters, and returns whether there were enough. If
    /// not, they are of no use.
    #[inline(always)]
    pub fn learn(&mut self, text: &[u32], mut put: impl FnMut(u8)) -> bool {
        self.clear();
        // In registers, as long as all characters are of the basic plane.
        let (mut next, mut count) = (self.next, 0);
        for &c in text {
            let Some(byte) = self.bytes.get_mut(c as usize) else {
                (self.next, self.count) = (next, count);
                put(self.learn_astral(c));
                (next, count) = (self.next, self.count);
                continue;
            };
            let (known, is_new) = (*byte, usize::from(*byte) < ROOMS);
            let next = &mut next[usize::from(known) % ROOMS];
            *byte = select_unpredictable(is_new, *next as u8, known);
            self.given[count % MOST] = Given { c, room: known, byte: *byte };
            *next += u16::from(is_new);
            count += usize::from(is_new);
            put(*byte);
        }
        (self.next, self.count) = (next, count);
        self.next.iter().zip(&self.rooms).all(|(next, room)| *next <= room.end)
    }

    /// The byte of a character of a reference.
    #[inline(always)]
    pub fn find(&self, c: u32) -> u8 {
        self.bytes.get(c as usize).copied().unwrap_or_else(|| self.find_astral(c))
    }

    #[cold]
    fn learn_astral(&mut self, c: u32) -> u8 {
        let (known, room) = (self.find_astral(c), self.astral);
        if known != room {
            return known;
        }
        let byte = self.next[usize::from(room)] as u8;
        self.given[self.count % MOST] = Given { c, room, byte };
        self.count += 1;
        self.next[usize::from(room)] += 1;
        byte
    }

    #[cold]
    fn find_astral(&self, c: u32) -> u8 {
        self.given[..self.count.min(0x100)].iter().find(|given| given.c == c).map_or(self.astral, |given| given.byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{HashMap, HashSet};

    /// Printable ASCII is fixed; of the rest, even and odd characters have a room each.
    fn place(c: u32) -> Place {
        match u8::try_from(c) {
            Ok(c @ 0x20..0x80) => Place::Fixed(c),
            _ => Place::Room(c as u8 % 2),
        }
    }

    /// Characters of all planes, in groups of which a text may well have many; lone surrogates too.
    fn characters() -> impl Strategy<Value = Vec<u32>> {
        let groups = [0..0x100_u32, 0x400..0x450, 0x4E00..0x4F00, 0xD7F0..0xE010, 0x1_F600..0x1_F640];
        let group = prop::sample::select(groups.to_vec());
        prop::collection::vec(group.prop_flat_map(|group| group), 0..400)
    }

    fn distinct(text: &[u32], room: u8) -> usize {
        let is_there = |c: &u32| if *c > 0xFFFF { room == 1 } else { place(*c) == Place::Room(room) };
        text.iter().copied().filter(is_there).collect::<HashSet<u32>>().len()
    }

    proptest! {
        #[test]
        fn equal_characters_have_equal_bytes_and_others_have_not(
            segments in prop::collection::vec((characters(), characters()), 1..4), end in 0x90_u16..0xC0,
        ) {
            let rooms = [0x80..end, end..0x100];
            let mut page = Page::new(place, 1, rooms.clone());
            for (ours, theirs) in segments {
                let mut bytes = Vec::new();
                let is_enough = page.learn(&ours, |byte| bytes.push(byte));
                prop_assert_eq!((0..2).all(|room| distinct(&ours, room) <= rooms[usize::from(room)].len()), is_enough);
                if !is_enough {
                    continue;
                }
                let known: HashMap<u8, u32> = bytes.iter().copied().zip(ours.iter().copied()).collect();
                prop_assert!(ours.iter().zip(&bytes).all(|(c, byte)| known[byte] == *c));
                for &c in ours.iter().chain(&theirs) {
                    let expected = match (ours.iter().position(|&other| other == c), place(c)) {
                        (Some(at), _) => bytes[at],
                        (None, _) if c > 0xFFFF => 1,
                        (None, Place::Fixed(byte) | Place::Room(byte)) => byte,
                    };
                    prop_assert_eq!(expected, page.find(c));
                    let room = if c > 0xFFFF { Place::Room(1) } else { place(c) };
                    if let Place::Room(room) = room {
                        let bytes = &rooms[usize::from(room)];
                        prop_assert!(expected == room || bytes.contains(&u16::from(expected)));
                    }
                }
            }
        }
    }

    #[test]
    fn a_page_that_overflows_leaves_nothing_behind() {
        let mut page = Page::new(place, 1, [0x80..0x90, 0x90..0x94]);
        for first in [0x4E00, 0x1_0000] {
            let text: Vec<u32> = (first..first + MOST as u32 / 2).collect();
            assert!(!page.learn(&text.repeat(2), |_| ()));
            assert!(page.learn(&[], |_| ()));
            assert!(text.iter().all(|&c| page.find(c) == if c > 0xFFFF { 1 } else { c as u8 % 2 }));
        }
    }
}
