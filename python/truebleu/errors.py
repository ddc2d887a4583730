"""Every exception truebleu raises.

Each leaf also inherits the builtin that sacreBLEU raises in that place, so code
written for sacreBLEU keeps catching what it caught.

::

    TruebleuError
    ├── InputError                  the texts are not what a metric can score
    │   ├── InputTypeError          (TypeError)   a string where a list was meant, a number where text was
    │   ├── LengthMismatch          (ValueError)  streams of different lengths
    │   │   └── UnequalCorpora      (AssertionError) token lists of different number, where NLTK asserts
    │   ├── EmptyCorpus             (IndexError)  nothing to score
    │   │   └── NothingToDivide     (ZeroDivisionError, ValueError) the same where NLTK divides by zero
    │   ├── MissingReferences       (RuntimeError) no references given and none cached
    │   ├── SegmentWithoutReference (ValueError)  every reference of a segment is None
    │   │   └── EmptyReferences     (KeyError)    a list of references has none, where NLTK misses a key
    │   └── InvalidId               (ValueError)  a token id is negative or too large
    ├── OptionError                 (ValueError)  an option has a value no metric knows
    │   ├── UnknownTokenizer        (KeyError)
    │   ├── UnknownSmoothing        (AssertionError)
    │   └── SmoothingUndefined      (AssertionError, IndexError) NLTK's method6 without trigram matches
    ├── SignatureUnavailable        (ValueError)  a signature was asked for before any references were seen
    ├── StatsMismatch               (ValueError)  rows that do not belong together
    ├── TokenizerError              (RuntimeError) an external tokenizer could not be used
    │   ├── MissingDependency       (ImportError) an extra is not installed
    │   └── WrongDictionary         (AssertionError) MeCab runs with another dictionary
    └── DownloadError               (OSError)     a file could not be fetched or verified
"""

__all__ = [
    "DownloadError",
    "EmptyCorpus",
    "EmptyReferences",
    "InputError",
    "InputTypeError",
    "InvalidId",
    "LengthMismatch",
    "MissingDependency",
    "MissingReferences",
    "NothingToDivide",
    "OptionError",
    "SegmentWithoutReference",
    "SignatureUnavailable",
    "SmoothingUndefined",
    "StatsMismatch",
    "TokenizerError",
    "TruebleuError",
    "UnequalCorpora",
    "UnknownSmoothing",
    "UnknownTokenizer",
    "WrongDictionary",
]


class TruebleuError(Exception):
    """The root of the tree: catch this to catch everything truebleu raises."""

    def __str__(self) -> str:
        # KeyError shows its argument in quotes, which would spoil a sentence.
        return str(self.args[0]) if self.args else ""


class InputError(TruebleuError):
    """The texts are not what a metric can score."""


class InputTypeError(InputError, TypeError):
    """A value has the wrong type: a string where a list was meant, a number where text was."""


class LengthMismatch(InputError, ValueError):
    """Hypotheses and references do not have the same number of segments."""


class UnequalCorpora(LengthMismatch, AssertionError):
    """There are not as many lists of references as hypotheses."""


class EmptyCorpus(InputError, IndexError):
    """There is nothing to score."""


class NothingToDivide(EmptyCorpus, ZeroDivisionError, ValueError):
    """There are no tokens to score."""


class MissingReferences(InputError, RuntimeError):
    """No references were given and the metric has none cached."""


class SegmentWithoutReference(InputError, ValueError):
    """Every reference of a segment is None."""


class EmptyReferences(SegmentWithoutReference, KeyError):
    """The list of references of a tokenized segment is empty."""


class InvalidId(InputError, ValueError):
    """A token id is negative, or too large."""


class OptionError(TruebleuError, ValueError):
    """An option has a value that the metric does not know."""


class UnknownTokenizer(OptionError, KeyError):
    """There is no tokenizer of that name."""


class UnknownSmoothing(OptionError, AssertionError):
    """There is no smoothing method of that name."""


class SmoothingUndefined(OptionError, AssertionError, IndexError):
    """A smoothing method cannot be used with these orders or these precisions."""


class SignatureUnavailable(TruebleuError, ValueError):
    """A signature was asked for before the metric saw any references."""


class StatsMismatch(TruebleuError, ValueError):
    """Rows of different metrics or options were put together."""


class TokenizerError(TruebleuError, RuntimeError):
    """An external tokenizer is present but cannot be used."""


class MissingDependency(TokenizerError, ImportError):
    """An optional package is not installed."""


class WrongDictionary(TokenizerError, AssertionError):
    """MeCab runs with another dictionary than the one scores are published with."""


class DownloadError(TruebleuError, OSError):
    """A file could not be fetched, or is not the file it should be."""
