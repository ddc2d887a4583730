"""The contract with Rust."""

from typing import final

__all__ = [
    "BleuEngine",
    "ChrfEngine",
    "MeanEngine",
    "TerEngine",
    "bootstrap",
    "evaluate_bleu",
    "inspect",
    "randomize",
    "ter_tokenize",
    "tokenize",
]

_Texts = tuple[str, ...] | list[str]
_Streams = list[tuple[str | None, ...] | list[str | None]]

def tokenize(name: str, line: str) -> str: ...
def ter_tokenize(line: str, normalized: bool, no_punct: bool, asian_support: bool, passes: int) -> str: ...
def inspect(name: str, hypotheses: _Texts, streams: _Streams, keep_empty: bool) -> tuple[int, int, int]: ...
def evaluate_bleu(
    correct: list[float],
    total: list[float],
    sys_len: float,
    ref_len: float,
    *,
    smooth_method: str,
    smooth_value: float,
    effective_order: bool,
    compensated_sum: bool,
) -> tuple[float, list[float], float, list[float], list[float]]: ...

@final
class BleuEngine:
    def __new__(
        cls,
        *,
        tokenizer: str,
        order: int,
        lowercase: bool,
        smooth_method: str,
        smooth_value: float,
        effective_order: bool,
        compensated_sum: bool,
    ) -> BleuEngine: ...
    def totals(self, hypotheses: _Texts, streams: _Streams, keep_empty: bool, threads: int) -> list[float]: ...
    def rows(self, hypotheses: _Texts, streams: _Streams, keep_empty: bool, threads: int) -> bytes: ...
    def sentence_scores(self, hypotheses: _Texts, streams: _Streams, keep_empty: bool, threads: int) -> bytes: ...
    def score(self, totals: list[float]) -> float: ...
    def score_rows(self, rows: list[float]) -> bytes: ...

@final
class ChrfEngine:
    def __new__(
        cls,
        *,
        char_order: int,
        word_order: int,
        beta_squared: float,
        lowercase: bool,
        whitespace: bool,
        eps_smoothing: bool,
    ) -> ChrfEngine: ...
    def totals(self, hypotheses: _Texts, streams: _Streams, keep_empty: bool, threads: int) -> list[float]: ...
    def rows(self, hypotheses: _Texts, streams: _Streams, keep_empty: bool, threads: int) -> bytes: ...
    def sentence_scores(self, hypotheses: _Texts, streams: _Streams, keep_empty: bool, threads: int) -> bytes: ...
    def score(self, totals: list[float]) -> float: ...
    def score_rows(self, rows: list[float]) -> bytes: ...

@final
class TerEngine:
    def __new__(cls, *, normalized: bool, no_punct: bool, asian_support: bool, lowercase: bool) -> TerEngine: ...
    def totals(self, hypotheses: _Texts, streams: _Streams, keep_empty: bool, threads: int) -> list[float]: ...
    def rows(self, hypotheses: _Texts, streams: _Streams, keep_empty: bool, threads: int) -> bytes: ...
    def sentence_scores(self, hypotheses: _Texts, streams: _Streams, keep_empty: bool, threads: int) -> bytes: ...
    def score(self, totals: list[float]) -> float: ...
    def score_rows(self, rows: list[float]) -> bytes: ...

@final
class MeanEngine:
    def __new__(cls) -> MeanEngine: ...
    def score(self, totals: list[float]) -> float: ...
    def score_rows(self, rows: list[float]) -> bytes: ...

_Systems = list[tuple[BleuEngine | ChrfEngine | TerEngine | MeanEngine, bytes]]

def bootstrap(systems: _Systems, *, samples: int, seed: list[int], skip: int, threads: int) -> bytes: ...
def randomize(
    systems: _Systems, pairs: list[tuple[list[int], list[int]]], *, trials: int, seed: list[int], threads: int
) -> list[int]: ...
