//! The metrics. Each file has options, columns, a counter (texts to a row), a formula (totals to a number), and what
//! the metric can do to fill a matrix quickly.

pub mod bleu;
pub mod chrf;
pub mod fast_bleu;
pub mod gleu;
pub mod mean;
pub mod meteor;
pub mod nist;
pub mod rouge;
pub mod similarity;
pub mod squad;
pub mod tally;
pub mod ter;
pub mod terms;
#[cfg(test)]
pub(crate) mod tests;
pub mod wer;
