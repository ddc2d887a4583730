"""Every exception truebleu raises.

Each leaf also inherits the builtin that sacreBLEU raises in that place, so code
written for sacreBLEU keeps catching what it caught.

::

    TruebleuError
    ├── InputError                                a metric cannot score these texts
    │   ├── InputTypeError          (TypeError)   a string in place of a list, a number in place of text
    │   │   └── FormatMismatch      (ValueError)  the same, where evaluate raises an error about formats
    │   ├── LengthMismatch          (ValueError)  streams of different lengths
    │   │   └── UnequalCorpora      (AssertionError) token lists of different number, where NLTK asserts
    │   ├── EmptyCorpus             (IndexError)  nothing to score
    │   │   ├── NothingToDivide                   (ZeroDivisionError, ValueError) no tokens, where NLTK divides by zero
    │   │   └── NothingAdded        (ValueError)  a score before anything was added
    │   ├── MissingReferences       (RuntimeError) no references given and none cached
    │   ├── SegmentWithoutReference (ValueError)  every reference of a segment is None
    │   │   └── EmptyReferences     (KeyError)    an empty list of references, where NLTK raises KeyError
    │   ├── InputFileError          (OSError)     a file cannot be read
    │   │   └── MissingFile         (FileNotFoundError) there is no such file
    │   ├── UndecodableText         (ValueError)  bytes that are not text in the given encoding
    │   ├── FileFormatError         (ValueError)  a file is not in the format it should be in
    │   ├── InvalidTestSet          (ValueError)  files that cannot be added as a test set
    │   │   └── RegistryError       (ValueError)  a description of test sets that cannot be understood
    │   ├── TooFew                  (IndexError)  one system or one segment, where two are compared or resampled
    │   ├── BadScore                (ValueError)  a score from elsewhere that is not a finite number
    │   ├── DoctorError             (ValueError)  the doctor found faults of the given level or worse
    │   ├── UnparsedAnswers         (ValueError)  answers of a judge that cannot be read
    │   └── InvalidId               (ValueError)  a token id is negative or too large
    ├── OptionError                 (ValueError)  an option has an unknown value
    │   ├── UnknownTokenizer        (KeyError)
    │   ├── UnknownModule           (FileNotFoundError) `truebleu.evaluate` has no metric of that name
    │   ├── UnknownOption           (TypeError)   the metric has no option of that name
    │   ├── UnknownTestSet          (KeyError)    there is no test set of that name, or it lacks the pair
    │   ├── UnknownField            (KeyError)    the test set has no such field or reference
    │   ├── FilterUnavailable       (ValueError)  the test set lacks the data for a selection
    │   ├── NameTaken               (ValueError)  another test set or version has that name
    │   ├── UnknownSmoothing        (AssertionError)
    │   ├── UnknownSignature        (ValueError)  a text that is not a signature, or asks for something unknown
    │   ├── UnknownTest             (AssertionError)
    │   ├── ConsentMissing                        texts would go to a server that nobody allowed
    │   └── SmoothingUndefined                    (AssertionError, IndexError, ZeroDivisionError) a method of NLTK's
    ├── SignatureUnavailable        (ValueError)  a signature before any references were seen
    ├── StatsMismatch               (ValueError)  rows that do not belong together
    ├── SigningError                (RuntimeError) a receipt could not be signed, or its signature not checked
    ├── TokenizerError              (RuntimeError) an external tokenizer could not be used
    │   ├── MissingDependency       (ImportError) an extra is not installed
    │   ├── TokenizerMismatch       (ValueError)  the tokenizer finds nothing in texts of another script
    │   └── WrongDictionary         (AssertionError) MeCab runs with another dictionary
    ├── DownloadError               (OSError)     a file could not be fetched or verified
    │   ├── ArchiveError            (OSError)     an archive is damaged, or would write where it should not
    │   ├── BundleError             (OSError)     a bundle of test sets is damaged or not a bundle
    │   └── CacheError              (OSError)     the cache folder cannot be read or written
    ├── RunnerError                 (RuntimeError) a program that runs a learned metric failed
    │   ├── RunnerMissing           (ImportError) there is no environment or package to run it
    │   ├── RunnerDied                            it ended, or gave no sign of life
    │   ├── RunnerProtocolError                   it sent a message that cannot be understood
    │   └── ModelError              (ValueError)  a model cannot be found, verified or loaded
    ├── JudgeError                  (RuntimeError) a server with a language model failed, or a limit was reached
    ├── PluginError                 (RuntimeError) a plug-in cannot be loaded, or gives something wrong
    └── OutputExists                (FileExistsError) a file would be overwritten
"""


class TruebleuError(Exception):
    """The root of the tree: catch this to catch everything truebleu raises."""

    def __str__(self) -> str:
        # KeyError shows its argument in quotes, which would spoil a sentence.
        return str(self.args[0]) if self.args else ""


class InputError(TruebleuError):
    """A metric cannot score these texts."""


class InputTypeError(InputError, TypeError):
    """A value has the wrong type: a string in place of a list, a number in place of text."""


class FormatMismatch(InputTypeError, ValueError):
    """Predictions or references are not lists of strings, or not all of one shape."""


class LengthMismatch(InputError, ValueError):
    """Hypotheses and references do not have the same number of segments."""


class UnequalCorpora(LengthMismatch, AssertionError):
    """There are not as many lists of references as hypotheses."""


class EmptyCorpus(InputError, IndexError):
    """There is nothing to score."""


class NothingToDivide(EmptyCorpus, ZeroDivisionError, ValueError):
    """There are no tokens to score."""


class NothingAdded(EmptyCorpus, ValueError):
    """A score was requested before anything was added."""


class MissingReferences(InputError, RuntimeError):
    """No references were given and the metric has none cached."""


class SegmentWithoutReference(InputError, ValueError):
    """Every reference of a segment is None."""


class InputFileError(InputError, OSError):
    """A file is missing, is a folder, may not be read or cannot be decompressed."""


class MissingFile(InputFileError, FileNotFoundError):
    """There is no such file."""


class UndecodableText(InputError, ValueError):
    """A file holds bytes that are not text in the given encoding."""


class FileFormatError(InputError, ValueError):
    """A file is not in the format it should be in; the message names the file and the line."""


class InvalidTestSet(InputError, ValueError):
    """Files cannot be added as a test set: lines without a partner, bytes that are not UTF-8, no reference."""


class TooFew(InputError, IndexError):
    """There is one system or one segment, where two are compared or resampled."""


class BadScore(InputError, ValueError):
    """A score from elsewhere is not a finite number."""


class DoctorError(InputError, ValueError):
    """The doctor found faults of the given level or worse; the message lists them."""


class RegistryError(InvalidTestSet):
    """A description of test sets cannot be understood."""


class EmptyReferences(SegmentWithoutReference, KeyError):
    """The list of references of a tokenized segment is empty."""


class UnparsedAnswers(InputError, ValueError):
    """Answers of a judge cannot be read as scores; the message counts them by reason."""


class InvalidId(InputError, ValueError):
    """A token id is negative, or too large."""


class OptionError(TruebleuError, ValueError):
    """An option has a value that the metric does not know."""


class UnknownTokenizer(OptionError, KeyError):
    """There is no tokenizer of that name."""


class UnknownModule(OptionError, FileNotFoundError):
    """There is no metric of that name to load."""


class UnknownOption(OptionError, TypeError):
    """The metric has no option of that name."""


class UnknownTestSet(OptionError, KeyError):
    """There is no test set of that name."""


class UnknownField(OptionError, KeyError):
    """The test set has no field or reference of that name."""


class FilterUnavailable(OptionError):
    """The test set does not have the data that a selection of segments needs."""


class NameTaken(OptionError):
    """Another test set, or another version of this one, has that name."""


class UnknownSmoothing(OptionError, AssertionError):
    """There is no smoothing method of that name."""


class UnknownSignature(OptionError):
    """A text is not a signature, or it asks for something that does not exist."""


class ConsentMissing(OptionError):
    """Texts would go to another machine, and nobody said that they may."""


class UnknownTest(OptionError, AssertionError):
    """There is no significance test of that name."""


class SmoothingUndefined(OptionError, AssertionError, IndexError, ZeroDivisionError):
    """A smoothing method cannot be used with these orders or these precisions."""


class SignatureUnavailable(TruebleuError, ValueError):
    """A signature was asked for before the metric saw any references."""


class StatsMismatch(TruebleuError, ValueError):
    """Rows of different metrics or options were put together."""


class SigningError(TruebleuError, RuntimeError):
    """A receipt could not be signed, or its signature could not be checked."""


class TokenizerError(TruebleuError, RuntimeError):
    """An external tokenizer is present but cannot be used."""


class TokenizerMismatch(TokenizerError, ValueError):
    """A tokenizer finds no token in many texts, because they are in a script that it does not know."""


class MissingDependency(TokenizerError, ImportError):
    """An optional package is not installed."""


class WrongDictionary(TokenizerError, AssertionError):
    """MeCab runs with another dictionary than the one scores are published with."""


class DownloadError(TruebleuError, OSError):
    """A file could not be fetched, or is not the file it should be."""


class OutputExists(TruebleuError, FileExistsError):
    """A file exists where a new one should be written, and replacing it was not allowed."""


class ArchiveError(DownloadError):
    """An archive is damaged, or would write where it should not."""


class BundleError(DownloadError):
    """A bundle of test sets is damaged, or the file is not a bundle."""


class CacheError(DownloadError):
    """The cache folder cannot be read or written, or its settings are invalid."""


class RunnerError(TruebleuError, RuntimeError):
    """A program that runs a learned metric failed."""


class RunnerMissing(RunnerError, ImportError):
    """There is no environment, or no package in it, to run a learned metric."""


class RunnerDied(RunnerError):
    """A program that runs a learned metric ended before it answered, or gave no sign of life."""


class RunnerProtocolError(RunnerError):
    """A program that runs a learned metric sent a message that cannot be understood, or a score out of range."""


class ModelError(RunnerError, ValueError):
    """A model of a learned metric cannot be found, verified or loaded."""


class JudgeError(TruebleuError, RuntimeError):
    """A server with a language model does not answer, refuses, or was stopped at a limit."""


class PluginError(TruebleuError, RuntimeError):
    """A plug-in cannot be loaded, or gave something that it must not give."""
