//! The border between Python and the core: conversions only.

mod agreement;
mod answers;
mod capsule;
mod columns;
mod door;
mod engine;
mod errors;
mod features;
mod line_texts;
mod lines;
mod meteor;
mod metrics;
mod normalize;
mod numbers;
mod overlap;
mod records;
mod resample;
mod resegment;
mod table;
mod terms;
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
    use super::agreement::{best_epsilon, pair_counts, pairs_above};

    #[pymodule_export]
    use super::answers::{WordCharacters, answer_scores, squad_sums};

    #[pymodule_export]
    use super::door::Door;

    #[pymodule_export]
    use super::engine::Engine;

    #[pymodule_export]
    use super::features::{
        best_path, copied_at_most, features, fold_marks, images, kinds, line_fit, line_votes, runs, shared_at_most,
        shared_parts, telling_runs, trigram_sums, trigrams,
    };

    #[pymodule_export]
    use super::metrics::{bleu_engine, chrf_engine, gleu_engine, mean_engine, rouge_engine, ter_engine};

    #[pymodule_export]
    use super::metrics::{distinct_ngrams, fast_bleu_among_others, nltk_chrf, rouge_scores};

    #[pymodule_export]
    use super::metrics::{alignments, edit_similarity_engine, exact_match_engine, token_f1_engine, wer_engine};

    #[pymodule_export]
    use super::meteor::{Punkt, WordNet, meteor_engine, porter_stem, treebank_words};

    #[pymodule_export]
    use super::terms::TermMatcher;

    #[pymodule_export]
    use super::normalize::normalize;

    #[pymodule_export]
    use super::overlap::OverlapScan;

    #[pymodule_export]
    use super::records::RecordReader;

    #[pymodule_export]
    use super::resample::{bootstrap, drawn_means, gaps_in_deviations, randomize, randomize_every_way};

    #[pymodule_export]
    use super::resegment::{align_cues, align_words};

    #[pymodule_export]
    use super::lines::LineCounter;

    #[pymodule_export]
    use super::table::{BatchTexts, Column, ColumnBatch, ColumnStream, Table};

    #[pymodule_export]
    use super::text::{cuts, inspect, rouge_reach, ter_tokenize, tokenize, transcript_words};

    #[pymodule_export]
    use super::tokens::TokenCorpus;

    #[pymodule_export]
    use super::watch::watching;
}
