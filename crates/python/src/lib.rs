//! The border between Python and the core: conversions only.

mod capsule;
mod columns;
mod engine;
mod errors;
mod features;
mod lines;
mod metrics;
mod normalize;
mod resample;
mod table;
mod text;
mod tokens;
mod watch;

use pyo3::prelude::*;

/// The native half of truebleu.
#[pymodule]
mod _core {
    /// The version of truebleu: `Cargo.toml` is its one home.
    #[pymodule_export]
    pub const VERSION: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use super::engine::Engine;

    #[pymodule_export]
    use super::features::{features, fold_marks, runs};

    #[pymodule_export]
    use super::metrics::{bleu_engine, chrf_engine, gleu_engine, mean_engine, ter_engine};

    #[pymodule_export]
    use super::metrics::{fast_bleu_among_others, nltk_chrf};

    #[pymodule_export]
    use super::normalize::normalize;

    #[pymodule_export]
    use super::resample::{bootstrap, randomize};

    #[pymodule_export]
    use super::lines::LineCounter;

    #[pymodule_export]
    use super::table::{BatchTexts, Column, ColumnBatch, ColumnStream, Table};

    #[pymodule_export]
    use super::text::{inspect, ter_tokenize, tokenize};

    #[pymodule_export]
    use super::tokens::TokenCorpus;

    #[pymodule_export]
    use super::watch::watching;
}
