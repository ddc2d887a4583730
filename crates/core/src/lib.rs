//! The counting core of truebleu: BLEU, chrF and TER, equal to sacreBLEU 2.6.0 and a hundred times faster.
//!
//! *Text goes in once; rows come out; everything else is sums.*
//!
//! ```text
//! windows1252, unicode   the characters that fit in a byte; Python's white space and lower case
//!    │
//! text, utf8             code points, in one byte each where that is enough; and how bytes become them
//! normalize              characters that look alike become one, where that is asked for
//! cuts                   where tokens end inside the words of a text, for the page of a report
//!    │
//! prepare                tokenizers: where the tokens of a text begin and end
//! wordnet                the synonyms of an English word
//!    │
//! features               what the doctor asks about a text: counts of characters of all kinds
//! symbols, numbering     tokens become small numbers, equal for equal tokens
//!    │
//! cells, pattern         a row of a table of distances, 64 cells at a time; where a pattern has which token
//! ngram, edit            clipped matches of n-grams; TER's shifts and edit distance
//! align, lcs             the alignment of WER; common subsequences
//! overlap                which n-grams of a test set stand in training text
//!    │
//! batch                  the texts of some segments, and which references count
//! kernels                from bytes to matches in one pass, for the texts that most texts are
//!    │
//! matching               from the texts of a segment to its matches: by a kernel, or by numbering and ngram
//!    │
//! metric                 what a metric is: a counter (texts to a row) and a formula (totals to a score)
//!    │
//! segments               a source hands out batches of text; threads count them; rows arrive in order
//!    │
//! tokens                 a source without text: sequences of numbers, which `interner` gives
//! matrix                 every hypothesis against every reference, each text against all others
//!    │
//! metrics                bleu, chrf, gleu, rouge, ter, wer, squad, similarity, terms, meteor, each with all its work
//! any_metric             all of them behind one type
//! resample               weights × rows: bootstrap, approximate randomization
//! agreement              pairs of scores that a metric and people put in the same order; the best tolerance for ties
//! resegment              where the segments of a reference end in a text without line breaks: numbers alone
//! ```
//!
//! A module knows only modules above it in this list, and three that serve all of them: `threads` shares work among
//! threads, `halt` ends it early, and `mixing` makes hashes that strangers cannot foresee. The crate `truebleu_vector`,
//! which looks at 64 bytes or makes 32 random words at once, has the only unsafe code that the core calls.
//! `matrix` stands before `metrics` because a metric says in its own file how it fills a matrix quickly.
//!
//! A [`metric::Metric`] has options, a width, a counter and a formula. To count a corpus, implement
//! [`segments::Source`] for whatever holds it and call [`segments::count`]:
//!
//! ```
//! use std::convert::Infallible;
//! use std::ops::Range;
//! use truebleu_core::batch::Batch;
//! use truebleu_core::metric::Formula;
//! use truebleu_core::metrics::ter::Ter;
//! use truebleu_core::segments::{Source, add_rows, count};
//! use truebleu_core::threads::Threads;
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
//! count(&metric, &pairs, &Threads::new(2), |rows| add_rows(&mut totals, rows)).unwrap();
//! assert_eq!(vec![2.0, 7.0], totals);
//! assert_eq!(100.0 * (2.0 / 7.0), metric.score(&totals));
//! ```
//!
//! The core knows nothing of Python but its white space. Lower-casing beyond Windows-1252, errors, and formats of
//! files but for lines of JSON are the caller's.
#![forbid(unsafe_code)]

pub mod agreement;
pub mod align;
pub mod any_metric;
pub mod batch;
pub mod cells;
pub mod cuts;
pub mod edit;
pub mod features;
pub mod halt;
pub mod interner;
pub mod kernels;
pub mod keys;
pub mod lcs;
pub mod lines;
pub mod matching;
pub mod matrix;
pub mod metric;
pub mod metrics;
pub mod mixing;
pub mod ngram;
pub mod normalize;
pub mod numbering;
pub mod overlap;
pub mod pattern;
pub mod prepare;
pub mod records;
pub mod resample;
pub mod resegment;
pub mod segments;
pub mod symbols;
pub mod text;
pub mod threads;
pub mod tokens;
pub mod unicode;
pub mod utf8;
pub mod windows1252;
pub mod wordnet;
