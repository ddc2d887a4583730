//! How many different n-grams some texts have, together and each by itself (Li et al., 2016).
//!
//! N-grams are numbered order by order: one is told by the number of its beginning and its last symbol. So numbers are
//! equal for equal n-grams alone, which hashes would not promise.

use super::others::Samples;
use super::symbols::{SymbolReader, Vocabulary};
use crate::halt;
use crate::prepare::Reading;
use crate::segments::Source;
use std::collections::HashMap;

/// What was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distinct {
    /// The different n-grams of all texts together.
    pub together: usize,
    /// For each text its different n-grams, and its symbols.
    pub each: Vec<(usize, usize)>,
}

/// Counts the different n-grams of one order, from 1.
pub fn distinct_ngrams(samples: &Samples, reading: Reading, order: usize) -> Distinct {
    let (mut reader, mut vocabulary) = (SymbolReader::new(reading), Vocabulary::default());
    let mut longer: Vec<HashMap<(u32, u32), u32>> = vec![HashMap::new(); order - 1];
    let (mut symbols, mut each) = (Vec::new(), Vec::new());
    halt::expect(samples.len());
    for at in 0..samples.len() {
        halt::advance(1);
        reader.read(samples.text(at), &mut symbols, |word| vocabulary.learn(word));
        let mut ngrams = symbols.clone();
        for (length, known) in (1..).zip(&mut longer) {
            halt::spend(symbols.len());
            let ends = symbols.get(length..).unwrap_or_default();
            ngrams.truncate(ends.len());
            for (ngram, &end) in ngrams.iter_mut().zip(ends) {
                let next = known.len() as u32;
                *ngram = *known.entry((*ngram, end)).or_insert(next);
            }
        }
        ngrams.sort_unstable();
        ngrams.dedup();
        each.push((ngrams.len(), symbols.len()));
    }
    Distinct { together: longer.last().map_or(vocabulary.len(), HashMap::len), each }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::Tokenizer;
    use crate::tokens::NumberedCorpus;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn equal_ngrams_count_once(
            texts in prop::collection::vec(prop::collection::vec(0_u32..4, 0..12), 1..8), order in 1_usize..5,
        ) {
            let mut corpus = NumberedCorpus::default();
            for text in &texts {
                corpus.begin_segment();
                text.iter().for_each(|&symbol| corpus.push_symbol(symbol));
                corpus.end_sequence();
            }
            let Ok(samples) = Samples::load(&corpus, &[]);
            let found = distinct_ngrams(&samples, Reading::Words(Tokenizer::Symbols), order);
            let sets: Vec<HashSet<&[u32]>> = texts.iter().map(|text| text.windows(order).collect()).collect();
            prop_assert_eq!(sets.iter().flatten().collect::<HashSet<_>>().len(), found.together);
            let expected: Vec<_> = sets.iter().zip(&texts).map(|(set, text)| (set.len(), text.len())).collect();
            prop_assert_eq!(expected, found.each);
        }
    }
}
