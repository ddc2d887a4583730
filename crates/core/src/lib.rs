//! The counting core of truebleu: BLEU, chrF and TER, equal to sacreBLEU 2.6.0 and a hundred times faster.
//!
//! *Text goes in once; rows come out; everything else is sums.*
//!
//! ```text
//! segments   a source hands out batches of text; threads count them; rows arrive in order
//!    │
//! text       code points, in one byte each where that is enough
//!    │
//! prepare    tokenizers: where the tokens of a text begin and end
//!    │
//! symbols    tokens become small numbers, equal for equal tokens; `tokens` brings some that have no text
//!    │
//! ngram      clipped matches of n-grams          edit      TER's shifts and edit distance
//!    │                                             │
//! metrics    bleu, chrf, gleu: count a row, score totals  ter
//!    │
//! resample   weights × rows: bootstrap, approximate randomization
//! matrix     every hypothesis against every reference, each text against all others
//! ```
//!
//! A [`metrics::Metric`] has options, a width, a counter and a formula. To count a corpus, implement
//! [`segments::Source`] for whatever holds it and call [`segments::count`]:
//!
//! ```
//! use std::convert::Infallible;
//! use std::ops::Range;
//! use truebleu_core::metrics::{Metric, ter::Ter};
//! use truebleu_core::segments::{Batch, Source, add_rows, count};
//! use truebleu_core::unicode::code_points;
//!
//! struct Pairs(Vec<[&'static str; 2]>);
//!
//! impl Source for Pairs {
//!     type Error = Infallible;
//!
//!     fn len(&self) -> usize {
//!         self.0.len()
//!     }
//!
//!     fn load(&self, segments: Range<usize>, batch: &mut Batch) -> Result<(), Infallible> {
//!         for texts in &self.0[segments] {
//!             batch.begin_segment();
//!             for text in texts {
//!                 batch.push_text(|buffer| Ok::<_, Infallible>(buffer.extend(code_points(text))))?;
//!             }
//!         }
//!         Ok(())
//!     }
//! }
//!
//! let metric = Ter::default();
//! let mut totals = vec![0.0; metric.width()];
//! let pairs = Pairs(vec![["by the pond stood a heron", "a heron stood by the pond"], ["rain", "rain"]]);
//! count(&metric, &pairs, 2, |rows| add_rows(&mut totals, rows)).unwrap();
//! assert_eq!(vec![2.0, 7.0], totals);
//! assert_eq!(100.0 * (2.0 / 7.0), metric.score(&totals));
//! ```
//!
//! The core knows nothing of Python but its white space. Lower-casing beyond Windows-1252, file formats and errors are
//! the caller's.
#![forbid(unsafe_code)]

pub mod edit;
pub mod matrix;
pub mod metrics;
pub mod ngram;
pub mod numbering;
pub mod prepare;
pub mod resample;
pub mod segments;
pub mod symbols;
pub mod text;
pub mod tokens;
pub mod unicode;
pub mod windows1252;
