//! One scan for `13a`, `intl`, `zh` and TER's normalisation.
//!
//! These tokenizers are specified as passes over the text. Each pass looks for a character, or
//! two neighbours, and puts spaces around one of them:
//!
//! - a symbol stands alone;
//! - a point behind anything but a digit stands alone (pass B);
//! - a point before anything but a digit stands alone (pass C);
//! - a hyphen behind a digit stands alone.
//!
//! Matches do not overlap: in pass B, a point taken as the second of two cannot be the first of the
//! next two. So `1...2` becomes `1 . . .2`, and looking around each point separately gives the
//! wrong answer. Pass B therefore takes, in a run of points, every other one. No such memory is needed
//! for pass C: two points that B left alone are never neighbours, for B would have taken the second.
//!
//! The passes then fit into one walk from left to right, and only that walk is written here.

use super::classes::{Class, Classes};
use crate::halt;
use crate::text::{BLOCK, Key, Unit};

/// Where a token stands in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// The stretch from `start` up to, not including, `end`.
    #[inline]
    pub fn new(start: usize, end: usize) -> Self {
        // A Python string of 2^32 characters takes at least 4 GiB; the border refuses it.
        Self { start: start as u32, end: end as u32 }
    }

    /// Start and end, as given to [`Span::new`].
    #[inline]
    pub fn bounds(self) -> (usize, usize) {
        (self.start as usize, self.end as usize)
    }

    /// What the token is told by.
    #[inline(always)]
    pub fn key<U: Unit>(self, text: &[U]) -> Key {
        U::key(text, self.start as usize, self.end as usize)
    }

    /// The token itself.
    #[inline]
    pub fn of<U>(self, text: &[U]) -> &[U] {
        &text[self.start as usize..self.end as usize]
    }
}

/// Finds the tokens of `text`. With `padded`, the text counts as standing between two spaces, so
/// that a point at either end has a neighbour.
///
/// Where words end cannot be predicted, so a loop that goes from letter to letter pays for a wrong guess at each word.
/// This one goes from one notable character to the next, and writes tokens without asking whether they are empty.
/// (Doing without the branch for points and hyphens too takes more time than it saves.)
pub fn scan<'a, U: Unit>(text: &'a [U], classes: &Classes, padded: bool, spans: &mut Spans) -> &'a [U] {
    spans.reset(text.len());
    let is_digit = |at: usize| text.get(at).map_or(!padded, |&c| classes.of(c) == Class::Digit);
    let mut word = 0;
    let mut paired = usize::MAX; // the place after the last point that pass B took
    for start in (0..text.len()).step_by(BLOCK) {
        spans.next_block();
        let mut notable = U::notable(text, start);
        while notable != 0 {
            let at = start + notable.trailing_zeros() as usize;
            notable &= notable - 1;
            let class = classes.of(text[at]);
            let is_space = class == Class::Space;
            let mut alone = is_space | (class == Class::Symbol);
            if matches!(class, Class::Point | Class::Hyphen) {
                // Before the start, the place is out of range, which `is_digit` allows for; no hyphen rule reaches
                // there.
                let after_digit = is_digit(at.wrapping_sub(1));
                let pairs = (class == Class::Point) & !after_digit & (paired != at);
                paired = if pairs { at + 1 } else { paired };
                alone = if class == Class::Hyphen { after_digit & (at > 0) } else { pairs || !is_digit(at + 1) };
            }
            spans.push_if(alone & (word < at), word, at);
            spans.push_if(alone & !is_space, at, at + 1);
            word = if alone { at + 1 } else { word };
        }
    }
    spans.push_if(word < text.len(), word, text.len());
    text
}

/// A text of more characters is a long one, which has many times fewer tokens than characters.
const SHORT: usize = 1 << 16;

/// A list of tokens that grows without branches. Room is made for as many tokens as a short text has characters; for
/// those of a long one block by block.
#[derive(Default)]
pub struct Spans {
    buffer: Vec<Span>,
    count: usize,
}

impl Spans {
    /// Empties the list and makes room for the tokens of a text of this length.
    pub fn reset(&mut self, length: usize) {
        self.count = 0;
        if length > SHORT {
            self.let_go();
        }
        // One more than can be kept, because `push_if` writes before it decides.
        if self.buffer.len() <= length.min(SHORT) {
            halt::resize(&mut self.buffer, length.min(SHORT) + 1, Span::new(0, 0));
        }
    }

    /// Empties the list and gives back what a long text has left behind, before the next one grows.
    pub fn let_go(&mut self) {
        if self.buffer.len() > SHORT + 1 {
            *self = Self::default();
        }
    }

    /// Makes room for the tokens of the next [`BLOCK`] characters of a long text.
    #[inline]
    pub fn next_block(&mut self) {
        if self.count + BLOCK + 4 > self.buffer.len() && self.buffer.len() > SHORT {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        halt::look();
        halt::resize(&mut self.buffer, self.count + self.count / 4 + SHORT + 2 * BLOCK, Span::new(0, 0));
    }

    /// Adds the token from `start` to `end` if the condition holds.
    #[inline]
    pub fn push_if(&mut self, condition: bool, start: usize, end: usize) {
        self.buffer[self.count] = Span::new(start, end);
        self.count += usize::from(condition);
    }

    /// The tokens.
    pub fn as_slice(&self) -> &[Span] {
        &self.buffer[..self.count]
    }
}

/// Cuts at white space alone.
pub fn split<'a, U: Unit>(text: &'a [U], spans: &mut Spans) -> &'a [U] {
    spans.reset(text.len());
    let mut word = 0;
    for start in (0..text.len()).step_by(BLOCK) {
        spans.next_block();
        let mut spaces = U::spaces(text, start);
        while spaces != 0 {
            let at = start + spaces.trailing_zeros() as usize;
            spaces &= spaces - 1;
            spans.push_if(word < at, word, at);
            word = at + 1;
        }
    }
    spans.push_if(word < text.len(), word, text.len());
    text
}
