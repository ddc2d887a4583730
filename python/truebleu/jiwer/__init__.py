"""jiwer's names, arguments and numbers (4.0.0), counted in Rust.

Replace `import jiwer` by `import truebleu.jiwer as jiwer`; jiwer need not be installed. Alignments are made when
somebody looks at them. Transforms other than the six presets run in Python, as they do in jiwer.

>>> import truebleu.jiwer as jiwer
>>> jiwer.wer(["no one saw the heron"], ["nobody saw a heron"])
0.6
>>> jiwer.visualize_alignment(jiwer.process_words("no one saw it", "nobody saw it")).splitlines()[2:4]
['REF:     no one saw it', 'HYP: nobody *** saw it']
"""

from truebleu.jiwer.alignment import collect_error_counts, visualize_alignment, visualize_error_counts
from truebleu.jiwer.measures import cer, mer, wer, wil, wip
from truebleu.jiwer.process import AlignmentChunk, CharacterOutput, WordOutput, process_characters, process_words
from truebleu.jiwer.transformations import (
    cer_contiguous,
    cer_default,
    wer_contiguous,
    wer_default,
    wer_standardize,
    wer_standardize_contiguous,
)
from truebleu.jiwer.transforms import (
    AbstractTransform,
    Compose,
    ExpandCommonEnglishContractions,
    ReduceToListOfListOfChars,
    ReduceToListOfListOfWords,
    ReduceToSingleSentence,
    RemoveEmptyStrings,
    RemoveKaldiNonWords,
    RemoveMultipleSpaces,
    RemovePunctuation,
    RemoveSpecificWords,
    RemoveWhiteSpace,
    Strip,
    SubstituteRegexes,
    SubstituteWords,
    ToLowerCase,
    ToUpperCase,
)

__all__ = [
    "AbstractTransform", "AlignmentChunk", "CharacterOutput", "Compose", "ExpandCommonEnglishContractions",
    "ReduceToListOfListOfChars", "ReduceToListOfListOfWords", "ReduceToSingleSentence", "RemoveEmptyStrings",
    "RemoveKaldiNonWords", "RemoveMultipleSpaces", "RemovePunctuation", "RemoveSpecificWords", "RemoveWhiteSpace",
    "Strip", "SubstituteRegexes", "SubstituteWords", "ToLowerCase", "ToUpperCase", "WordOutput", "cer",
    "cer_contiguous", "cer_default", "collect_error_counts", "mer", "process_characters", "process_words",
    "visualize_alignment", "visualize_error_counts", "wer", "wer_contiguous", "wer_default", "wer_standardize",
    "wer_standardize_contiguous", "wil", "wip",
]  # fmt: skip
