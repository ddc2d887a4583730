//! A kernel for narrow texts and one for texts on a code page, as one kernel for texts of any script.
//!
//! Where all texts of a segment are narrow, the first does everything. Where one is not, hypothesis and reference are
//! written on a [`Page`] of their own and go to the second, whose rules are made for the bytes of that page. These
//! bytes look like a narrow text to it, and are seen by nobody else. A hypothesis with more different characters than
//! the page has bytes is declined.
//!
//! **Cost.** What the page costs, a few instructions a character, beside those of the second kernel. Nothing is
//! allocated for it before the first wide text comes.

use super::Kernel;
use super::page::{MOST, Page};
use crate::text::{Placed, SLACK, Text, Unit};

/// The longest references that are written on a page.
const LONGEST: usize = 1 << 14;

/// Two kernels as one.
pub struct AnyScript<N, P, const ROOMS: usize> {
    narrow: N,
    paged: P,
    new_page: fn() -> Page<ROOMS>,
    page: Option<Page<ROOMS>>,
    hypothesis: Vec<u8>, // on the page, with room behind it
    reference: Vec<u8>,
    is_paged: bool,
    is_waiting: bool, // whether references were added that nobody has asked for
}

impl<N: Kernel, P: Kernel, const ROOMS: usize> AnyScript<N, P, ROOMS> {
    /// A kernel for narrow texts, and one for those on such a page.
    pub fn new(narrow: N, paged: P, new_page: fn() -> Page<ROOMS>) -> Self {
        let (hypothesis, reference) = (Vec::new(), Vec::new());
        Self { narrow, paged, new_page, page: None, hypothesis, reference, is_paged: false, is_waiting: false }
    }

    /// Writes a hypothesis on the page and starts with it.
    fn start_on_page(&mut self, hypothesis: Text<'_>) -> Option<usize> {
        if hypothesis.len() > MOST {
            return None;
        }
        self.is_paged = true;
        let page = self.page.get_or_insert_with(self.new_page);
        let mut bytes = Bytes::new(&mut self.hypothesis, hypothesis.len());
        let is_enough = match hypothesis {
            Text::Narrow(text) => page.learn(text, |byte| bytes.put(byte)),
            Text::Wide(text) => page.learn(text, |byte| bytes.put(byte)),
        };
        is_enough.then(|| self.paged.start(placed(&self.hypothesis))).flatten()
    }

    /// Writes a reference on the page of its hypothesis and adds it.
    fn add_on_page(&mut self, reference: Text<'_>) -> Option<usize> {
        let page = self.page.as_ref().filter(|_| reference.len() <= LONGEST)?;
        let mut bytes = Bytes::new(&mut self.reference, reference.len());
        match reference {
            Text::Narrow(text) => text.iter().for_each(|c| bytes.put(page.find(c.code_point()))),
            Text::Wide(text) => text.iter().for_each(|&c| bytes.put(page.find(c))),
        }
        self.paged.add(placed(&self.hypothesis), placed(&self.reference))
    }
}

impl<N: Kernel, P: Kernel, const ROOMS: usize> Kernel for AnyScript<N, P, ROOMS> {
    fn start(&mut self, hypothesis: Placed<'_>) -> Option<usize> {
        (self.is_paged, self.is_waiting) = (false, false);
        match hypothesis.text {
            Text::Narrow(_) => self.narrow.start(hypothesis),
            Text::Wide(_) => self.start_on_page(hypothesis.text),
        }
    }

    fn add(&mut self, hypothesis: Placed<'_>, reference: Placed<'_>) -> Option<usize> {
        let is_waiting = std::mem::replace(&mut self.is_waiting, true);
        if !self.is_paged && matches!(reference.text, Text::Narrow(_)) {
            return self.narrow.add(hypothesis, reference);
        }
        if !self.is_paged {
            // Those that wait are with the other kernel.
            if is_waiting {
                return None;
            }
            self.start_on_page(hypothesis.text)?;
        }
        self.add_on_page(reference.text)
    }

    fn finish(&mut self, matches: &mut [f64]) {
        self.is_waiting = false;
        if self.is_paged { self.paged.finish(matches) } else { self.narrow.finish(matches) }
    }
}

/// The place of each next byte of a text.
struct Bytes<'a> {
    bytes: &'a mut [u8],
    count: usize,
}

impl<'a> Bytes<'a> {
    fn new(buffer: &'a mut Vec<u8>, length: usize) -> Self {
        buffer.resize(length + SLACK, 0);
        Self { bytes: buffer, count: 0 }
    }

    #[inline(always)]
    fn put(&mut self, byte: u8) {
        self.bytes[self.count] = byte;
        self.count += 1;
    }
}

/// Bytes of a page as the kernel for them takes them.
fn placed(bytes: &[u8]) -> Placed<'_> {
    Placed { text: Text::Narrow(&bytes[..bytes.len() - SLACK]), room: bytes }
}
