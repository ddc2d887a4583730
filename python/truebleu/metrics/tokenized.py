"""What the metrics on tokens share: case, tokenizer, and work on text that the engine cannot do."""

from __future__ import annotations

from collections.abc import Callable, KeysView, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from truebleu._inputs import Stream, Texts, without_empty
from truebleu._logs import warn
from truebleu._options import yes_or_no
from truebleu.errors import UnknownSignature
from truebleu.metrics.base import Metric, S
from truebleu.metrics.options import Field, Option, flag, switch
from truebleu.tokenizers.registry import TOKENIZERS, default_for, resolve

if TYPE_CHECKING:
    from truebleu.tokenizers import BaseTokenizer


class Tokenized(NamedTuple):
    """A tokenizer outside the engine: text is lower-cased, stripped and tokenized here, and split in the engine."""

    tokenizer: BaseTokenizer
    lowercase: bool

    def texts(self, texts: Texts) -> tuple[str, ...]:
        """Tokenize texts; there is a space between tokens then.

        Parameters
        ----------
        texts
            The texts.
        """
        lines = (text.lower().rstrip() if self.lowercase else text.rstrip() for text in texts)
        return tuple(self.tokenizer.apply(lines))

    def streams(self, streams: list[Stream], keep_empty: bool) -> list[Stream]:
        """Tokenize references; there is a space between tokens then.

        Parameters
        ----------
        streams
            The references by stream.
        keep_empty
            Whether an empty reference beside a filled one stays; otherwise None takes its place.
        """
        return [self._stream(stream) for stream in (streams if keep_empty else without_empty(streams))]

    def _stream(self, stream: Stream) -> Stream:
        tokenized = iter(self.texts(tuple(text for text in stream if text is not None)))
        return tuple(None if text is None else next(tokenized) for text in stream)


def _read_tokenizer(text: str, notes: list[str]) -> dict[str, str]:
    if text in TOKENIZERS:
        return {"tokenize": text}
    for name in ("ja-mecab", "ko-mecab"):
        if text.startswith(name):
            notes.append(f"tokenizer {text}: the MeCab that is installed is used, whatever its version")
            return {"tokenize": name}
    known = ", ".join(TOKENIZERS)
    raise UnknownSignature(f"the signature asks for the tokenizer {text!r}, which there is not; known are {known}")


TOKENIZER_FIELD = Field("tok", "tok", lambda metric: metric.tokenizer_signature, _read_tokenizer, "13a")

TOKENIZER_FLAG = flag(
    "--tokenize",
    "-tok",
    option="tokenize",
    choices=tuple(TOKENIZERS),
    metavar="NAME",
    help=f"{', '.join(TOKENIZERS)} (default: by target language zh, ja-mecab or ko-mecab, else 13a)",
)
LOWERCASE_FLAG = switch("--lowercase", "-lc", option="lowercase", help="ignore case")


class TokenizedMetric(Metric[S]):
    """A metric whose options begin with case and tokenizer.

    Parameters
    ----------
    lowercase
        Whether case is ignored.
    tokenize
        A tokenizer by name, as an object, or as a function; None for that of the target language.
    trg_lang
        The target language.
    references
        Reference streams to keep for many systems.
    empty_refs
        What an empty reference beside a filled one is.
    """

    TOKENIZER_DEFAULT: ClassVar[str] = default_for("")
    TOKENIZERS: ClassVar[KeysView[str]] = TOKENIZERS.keys()

    lowercase = Option(yes_or_no)
    tokenizer = Option["BaseTokenizer"](lambda who, option, value: value)
    trg_lang = Option[str](lambda who, option, value: value, in_rows=False, shown=False)

    def __init__(
        self,
        lowercase: bool,
        tokenize: str | BaseTokenizer | Callable[[str], object] | None,
        trg_lang: str,
        references: Sequence[Sequence[str | None]] | None,
        empty_refs: str,
    ) -> None:
        self.lowercase = lowercase
        self.trg_lang = trg_lang
        self.tokenizer = resolve(tokenize, trg_lang)
        if tokenize is not None and default_for(trg_lang) not in (self.TOKENIZER_DEFAULT, tokenize):
            usual = default_for(trg_lang)
            warn("the target language is %r and the tokenizer %r, not %r", trg_lang, tokenize, usual)
        if self.tokenizer.native is None:
            self._preparation = Tokenized(self.tokenizer, self.lowercase)
        super().__init__(references, empty_refs)

    @property
    def tokenizer_signature(self) -> str:
        """The value of `tok:` in the signature."""
        return self.tokenizer.signature()

    def _engine_text(self) -> dict[str, Any]:
        """What the engine is to do with text: nothing but split it, if a tokenizer outside has done the rest."""
        native = self.tokenizer.native
        return {"tokenizer": native or "none", "lowercase": self.lowercase and native is not None}

    def _options(self) -> dict[str, Any]:
        options = {**super()._options(), "tokenizer": self.tokenizer_signature}
        return {"tokenize" if name == "tokenizer" else name: value for name, value in options.items()}

    def _row_options(self) -> dict[str, object]:
        return {**super()._row_options(), "tokenizer": self.tokenizer.fingerprint()}
