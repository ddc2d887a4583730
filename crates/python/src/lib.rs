//! The border between Python and the core: conversions only.

mod errors;
mod metrics;
mod text;
mod tokens;

use pyo3::prelude::*;

/// The native half of truebleu.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::metrics::{BleuEngine, ChrfEngine, GleuEngine, TerEngine, evaluate_bleu, nltk_chrf};

    #[pymodule_export]
    use super::text::{inspect, ter_tokenize, tokenize};

    #[pymodule_export]
    use super::tokens::TokenCorpus;
}
