"""jiwer's presets. `process_words` and `process_characters` know them, and then do their work in Rust."""

from truebleu.jiwer import transforms as tr

__all__ = [
    "cer_contiguous", "cer_default", "wer_contiguous", "wer_default", "wer_standardize", "wer_standardize_contiguous",
]  # fmt: skip

_SPACES: list[tr.Transform] = [tr.RemoveMultipleSpaces(), tr.Strip()]
_STANDARD: list[tr.Transform] = [
    tr.ToLowerCase(),
    tr.ExpandCommonEnglishContractions(),
    tr.RemoveKaldiNonWords(),
    tr.RemoveWhiteSpace(replace_by_space=True),
    *_SPACES,
]

wer_default = tr.Compose([*_SPACES, tr.ReduceToListOfListOfWords()])
wer_contiguous = tr.Compose([*_SPACES, tr.ReduceToSingleSentence(), tr.ReduceToListOfListOfWords()])
wer_standardize = tr.Compose([*_STANDARD, tr.ReduceToListOfListOfWords()])
wer_standardize_contiguous = tr.Compose([*_STANDARD, tr.ReduceToSingleSentence(), tr.ReduceToListOfListOfWords()])
cer_default = tr.Compose([tr.Strip(), tr.ReduceToListOfListOfChars()])
cer_contiguous = tr.Compose([tr.Strip(), tr.ReduceToSingleSentence(), tr.ReduceToListOfListOfChars()])
