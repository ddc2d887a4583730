//! A metric of any kind behind one type, for callers that learn only at run time which one it is.
//!
//! Whatever implements [`Matrix`] implements [`AnyMetric`]. One call goes through it for a whole corpus, so counting is
//! compiled for each metric apart and as fast as without it.

use crate::matrix::expected::{Choice, expected_all};
use crate::matrix::others::Samples;
use crate::matrix::{CellConsumer, Matrix, scores};
use crate::metric::{Formula, Metric, Scored};
use crate::segments::{Kept, SmallBatches, Source, count};
use crate::threads::Threads;

/// What every metric can do with the texts of a source.
pub trait AnyMetric<S: Source>: Formula {
    /// Hands on the rows of all segments in order: see [`count`].
    fn rows(&self, source: &S, threads: &Threads, consume: &mut RowConsumer<'_>) -> Result<(), S::Error>;

    /// What counts small batches one after the other.
    fn small_batches(&self) -> Box<dyn SmallBatches>;

    /// Hands on the scores of all segments in order.
    fn segment_scores(&self, source: &S, threads: &Threads, consume: &mut RowConsumer<'_>) -> Result<(), S::Error>;

    /// Hands on the scores of all pairs: see [`scores`].
    fn pairwise(
        &self,
        hypotheses: &S,
        references: &S,
        threads: &Threads,
        consume: &mut CellConsumer<'_>,
    ) -> Result<(), S::Error>;

    /// The expected score of each candidate: see [`expected_all`].
    fn expected(
        &self,
        choices: &[Choice<S>],
        aggregate: bool,
        threads: &Threads,
    ) -> Result<Vec<Option<Vec<f64>>>, S::Error>;

    /// The score of each text with all the others as its references.
    fn among_others(&self, samples: &Samples, threads: &Threads) -> Vec<f64>;
}

/// Takes rows, or scores of segments.
pub type RowConsumer<'a> = dyn FnMut(&[f64]) + Send + 'a;

impl<M: Matrix + Metric<Counter: Send + 'static>, S: Source> AnyMetric<S> for M {
    fn rows(&self, source: &S, threads: &Threads, consume: &mut RowConsumer<'_>) -> Result<(), S::Error> {
        count(self, source, threads, consume)
    }

    fn small_batches(&self) -> Box<dyn SmallBatches> {
        Box::new(Kept::new(self))
    }

    fn segment_scores(&self, source: &S, threads: &Threads, consume: &mut RowConsumer<'_>) -> Result<(), S::Error> {
        count(&Scored(self), source, threads, consume)
    }

    fn pairwise(
        &self,
        hypotheses: &S,
        references: &S,
        threads: &Threads,
        consume: &mut CellConsumer<'_>,
    ) -> Result<(), S::Error> {
        scores(self, hypotheses, references, threads, consume)
    }

    fn expected(
        &self,
        choices: &[Choice<S>],
        aggregate: bool,
        threads: &Threads,
    ) -> Result<Vec<Option<Vec<f64>>>, S::Error> {
        expected_all(self, choices, aggregate, threads)
    }

    fn among_others(&self, samples: &Samples, threads: &Threads) -> Vec<f64> {
        self.scores_among_others(samples, threads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::gleu::Gleu;
    use crate::metrics::ter::Ter;
    use crate::prepare::Tokenizer;
    use crate::tokens::NumberedCorpus;

    #[test]
    fn metrics_of_different_kinds_count_through_one_type() {
        let gleu = Gleu { tokenizer: Tokenizer::Symbols, min_len: 1, max_len: 2 };
        let metrics: [Box<dyn AnyMetric<NumberedCorpus>>; 2] = [Box::new(gleu), Box::new(Ter::default())];
        let mut corpus = NumberedCorpus::default();
        corpus.begin_segment();
        for sequence in [[1, 2, 3], [1, 2, 4]] {
            sequence.into_iter().for_each(|symbol| corpus.push_symbol(symbol));
            corpus.end_sequence();
        }
        let mut found = Vec::new();
        for metric in &metrics {
            let (mut rows, mut scores) = (Vec::new(), Vec::new());
            let Ok(()) = metric.rows(&corpus, &Threads::new(1), &mut |row| rows.extend_from_slice(row));
            let Ok(()) = metric.segment_scores(&corpus, &Threads::new(1), &mut |row| scores.extend_from_slice(row));
            assert_eq!((metric.width(), vec![metric.score(&rows)]), (rows.len(), scores));
            found.push(rows);
        }
        // Of three words and two pairs, two and one are shared; as text, the symbols are one word that differs.
        assert_eq!(vec![vec![3.0, 5.0], vec![1.0, 1.0]], found);
    }
}
