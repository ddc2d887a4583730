"""What the metrics on tokens share: case, tokenizer, and work on text that the engine cannot do."""

from __future__ import annotations

from collections.abc import Callable, KeysView, Sequence
from typing import TYPE_CHECKING, ClassVar

from truebleu._inputs import Corpus, References, Stream, Texts
from truebleu._logs import warn
from truebleu._options import yes_or_no
from truebleu.metrics.base import Frozen, Metric, S
from truebleu.tokenizers.registry import TOKENIZERS, default_for, resolve

if TYPE_CHECKING:
    from truebleu.tokenizers import BaseTokenizer


class TokenizedMetric(Metric[S]):
    """A metric whose options begin with case and tokenizer."""

    TOKENIZER_DEFAULT: ClassVar[str] = default_for("")
    TOKENIZERS: ClassVar[KeysView[str]] = TOKENIZERS.keys()

    lowercase = Frozen[bool]()
    trg_lang = Frozen[str]()
    tokenizer = Frozen["BaseTokenizer"]()

    def __init__(
        self,
        lowercase: bool,
        tokenize: str | BaseTokenizer | Callable[[str], object] | None,
        trg_lang: str,
        references: Sequence[Sequence[str | None]] | None,
        empty_refs: str,
    ) -> None:
        self.lowercase = yes_or_no(self.name, "lowercase", lowercase)
        self.trg_lang = trg_lang
        self.tokenizer = resolve(tokenize, trg_lang)
        if tokenize is not None and default_for(trg_lang) not in (self.TOKENIZER_DEFAULT, tokenize):
            warn(
                "the target language is %r and the tokenizer %r, not %r",
                trg_lang,
                tokenize,
                default_for(trg_lang),
            )
        super().__init__(references, empty_refs)

    @property
    def tokenizer_signature(self) -> str:
        """The value of `tok:` in the signature."""
        return self.tokenizer.signature()

    # Tokenizers outside the engine: text is lower-cased, stripped and tokenized here, then split there.

    @property
    def _keep_counted_empty(self) -> bool:
        # Which references are empty was decided on the text; a tokenizer may leave nothing of a real one.
        return self._keep_empty or self.tokenizer.native is None

    def _prepare_references(self, references: References) -> References:
        if self.tokenizer.native is not None:
            return references
        return references._replace(streams=self._tokenized_streams(references.streams))

    def _prepared(self, corpus: Corpus) -> Corpus:
        if self.tokenizer.native is not None:
            return corpus
        hypotheses = self._tokenized(corpus.hypotheses)
        return corpus._replace(hypotheses=hypotheses, streams=self._tokenized_streams(corpus.streams))

    def _prepared_with_cache(self, corpus: Corpus) -> Corpus:
        if self.tokenizer.native is not None:
            return corpus
        return corpus._replace(hypotheses=self._tokenized(corpus.hypotheses))

    def _prepared_texts(self, texts: Texts) -> Texts:
        return texts if self.tokenizer.native is not None else self._tokenized(texts)

    def _tokenized_streams(self, streams: list[Stream]) -> list[Stream]:
        if not self._keep_empty:
            streams = _without_empty(streams)
        return [self._tokenized_stream(stream) for stream in streams]

    def _tokenized_stream(self, stream: Stream) -> Stream:
        tokenized = iter(self._tokenized(tuple(text for text in stream if text is not None)))
        return tuple(None if text is None else next(tokenized) for text in stream)

    def _tokenized(self, texts: Texts) -> tuple[str, ...]:
        lines = (text.lower().rstrip() if self.lowercase else text.rstrip() for text in texts)
        return tuple(self.tokenizer.apply(lines))


def _without_empty(streams: list[Stream]) -> list[Stream]:
    """Empty references become None where the segment has a filled one."""
    segments = (
        tuple(text or None for text in references) if any(references) else references
        for references in zip(*streams, strict=True)
    )
    return list(zip(*segments, strict=True))
