//! The border between Python and the core: conversions only.

mod errors;
mod matrix;
mod metrics;
mod resample;
mod text;
mod tokens;

use pyo3::prelude::*;

/// The native half of truebleu.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::matrix::fast_bleu_among_others;

    #[pymodule_export]
    use super::metrics::{BleuEngine, ChrfEngine, GleuEngine, TerEngine, evaluate_bleu, nltk_chrf};

    #[pymodule_export]
    use super::resample::{MeanEngine, bootstrap, randomize};

    #[pymodule_export]
    use super::text::{inspect, ter_tokenize, tokenize};

    #[pymodule_export]
    use super::tokens::TokenCorpus;
}
