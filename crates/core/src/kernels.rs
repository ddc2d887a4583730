//! Kernels: one pass from the bytes of a text to its matches, for the texts that nearly all texts are.
//!
//! A kernel counts what [`crate::numbering`] and [`crate::ngram`] count, in fewer steps and for fewer texts. It
//! declines what it was not made for (wide text, long text, text that wants cleaning), and then the general way is
//! gone: see [`crate::matching`]. So a kernel is never wrong about a rare text; it is only ever silent.

use crate::text::Placed;

/// Counts the matches of some texts, and declines others.
pub trait Kernel {
    /// Takes a hypothesis and returns how many tokens it has, or declines.
    fn start(&mut self, hypothesis: Placed<'_>) -> Option<usize>;

    /// Matches one more reference of the hypothesis and returns how many tokens it has, or declines. After that the
    /// kernel is not asked again before the next [`Kernel::start`].
    fn add(&mut self, hypothesis: Placed<'_>, reference: Placed<'_>) -> Option<usize>;

    /// Adds the matches of each order, 1 first, to `matches`, and forgets the references seen.
    fn finish(&mut self, matches: &mut [f64]);
}
