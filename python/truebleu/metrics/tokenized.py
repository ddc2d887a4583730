"""Metrics whose options begin with case and tokenizer, and tokenizers outside the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, KeysView, Sequence

from truebleu._inputs import Stream, Texts, brief, check_texts, without_empty
from truebleu._logs import warn
from truebleu._options import yes_or_no
from truebleu._typing import TYPE_CHECKING, Any, ClassVar
from truebleu.errors import OptionError, UnknownSignature
from truebleu.metrics.base import Metric, S
from truebleu.metrics.options import Field, Option, flag
from truebleu.tokenizers.registry import ALL_TOKENIZERS, LISTED, TOKENIZERS, default_for, resolve

if TYPE_CHECKING:
    from truebleu.tokenizers import BaseTokenizer


class Tokenized:
    """A tokenizer outside the engine: text is lower-cased, stripped and tokenized here, and split in the engine."""

    def __init__(self, tokenizer: BaseTokenizer, lowercase: bool) -> None:
        self.tokenizer, self.lowercase = tokenizer, lowercase

    def texts(self, texts: Texts) -> tuple[str, ...]:
        """Tokenize texts; there is a space between tokens then."""
        if self.tokenizer.raw:
            found = self.tokenizer.apply(texts)
            return tuple(line.lower() for line in found) if self.lowercase else tuple(found)
        lines = (text.lower().rstrip() if self.lowercase else text.rstrip() for text in texts)
        return tuple(self.tokenizer.apply(lines))

    def streams(self, streams: list[Stream], keep_empty: bool) -> list[Stream]:
        """Tokenize references; there is a space between tokens then."""
        return [self._stream(stream) for stream in (streams if keep_empty else without_empty(streams))]

    def _stream(self, stream: Stream) -> Stream:
        tokenized = iter(self.texts(tuple(text for text in stream if text is not None)))
        return tuple(None if text is None else next(tokenized) for text in stream)


def read_tokenizer(text: str, notes: list[str]) -> dict[str, str]:
    """Read the tokenizer that a signature names."""
    if text in ALL_TOKENIZERS:
        return {"tokenize": text}
    for name in ("ja-mecab", "ko-mecab"):
        if text.startswith(name):
            notes.append(f"tokenizer {text}: the MeCab that is installed is used, whatever its version")
            return {"tokenize": name}
    known = ", ".join(ALL_TOKENIZERS)
    raise UnknownSignature(
        f"the signature asks for the tokenizer {brief(text)}, which does not exist; known are {known}"
    )


TOKENIZER_FIELD = Field("tok", "tok", "tokenizer_signature", "13a", read=read_tokenizer)

TOKENIZER_FLAG = flag(
    "--tokenize", "-tok", option="tokenize", choices=LISTED, metavar="NAME",
    help=f"{', '.join(TOKENIZERS)} (default: 13a, or by language)",
)  # fmt: skip


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
        How an empty reference beside a filled one counts.
    normalize
        Differences to remove from both sides before scoring.
    """

    TOKENIZER_DEFAULT: ClassVar[str] = default_for("")
    TOKENIZERS: ClassVar[KeysView[str]] = TOKENIZERS.keys()

    lowercase = Option(yes_or_no)
    tokenizer: Option[BaseTokenizer] = Option()
    trg_lang: Option[str] = Option(in_rows=False, shown=False)

    def __init__(
        self,
        lowercase: bool,
        tokenize: str | BaseTokenizer | Callable[[str], object] | None,
        trg_lang: str,
        references: Sequence[Sequence[str | None]] | None,
        empty_refs: str,
        normalize: str | Sequence[str] = "",
    ) -> None:
        self.lowercase = lowercase
        self.trg_lang = trg_lang
        usual = default_for(trg_lang, self.TOKENIZER_DEFAULT)
        self.tokenizer = resolve(usual if tokenize is None else tokenize)
        if tokenize is not None and usual not in (self.TOKENIZER_DEFAULT, tokenize):
            warn("the target language is %r and the tokenizer %r, not %r", trg_lang, tokenize, usual)
        self.tokenizer_signature = self.tokenizer.signed
        self._preparation = self._make_preparation()
        super().__init__(references, empty_refs, normalize)

    def tokens(self, texts: Iterable[str]) -> list[list[str]]:
        """Give the tokens of texts as the metric counts them: normalised, lower-cased if asked, tokenized, split.

        Parameters
        ----------
        texts
            The texts.

        Examples
        --------
        >>> from truebleu import BLEU
        >>> BLEU(lowercase=True).tokens(["It's here."])
        [["it's", 'here', '.']]
        """
        plain = self._normalized(check_texts(self.name, "texts", texts))
        return [line.split() for line in Tokenized(self.tokenizer, self.lowercase).texts(plain)]

    @property
    def splits_at_spaces(self) -> str:
        """Why the metric needs spaces between words; "" if it does not."""
        from truebleu.glance import SPACE_BASED

        name = self.tokenizer.native
        return f"{type(self).label} has the tokenizer {name}" if name in SPACE_BASED else ""

    def _engine_text(self) -> dict[str, Any]:
        """The work of the engine on text: only splitting, if a tokenizer outside has done the rest."""
        native = self.tokenizer.native
        lowercase = self.lowercase or self.tokenizer.lowers
        return {"tokenizer": native or "none", "lowercase": lowercase and native is not None}

    def _make_preparation(self) -> Tokenized | None:
        return Tokenized(self.tokenizer, self.lowercase) if self.tokenizer.native is None else None

    def arguments(self) -> dict[str, Any]:
        """The arguments that make this metric again; a user's own tokenizer has no name that could be written."""
        kind = type(self.tokenizer)
        home = f"{kind.__module__.removeprefix('truebleu.tokenizers.')}.{kind.__qualname__}"
        name = next((name for name, address in ALL_TOKENIZERS.items() if address == home), None)
        if name is None:
            raise OptionError(
                f"{self.name}: the tokenizer {brief(self.tokenizer_signature)} is your own, expected one that other "
                f"users have too: {', '.join(ALL_TOKENIZERS)}"
            )
        return {**super().arguments(), "tokenize": name}

    def _options(self) -> dict[str, Any]:
        options = {**super()._options(), "tokenizer": self.tokenizer_signature}
        return {"tokenize" if name == "tokenizer" else name: value for name, value in options.items()}

    def _row_options(self) -> dict[str, object]:
        return {**super()._row_options(), "tokenizer": self.tokenizer.fingerprint()}
