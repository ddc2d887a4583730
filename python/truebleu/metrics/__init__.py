"""The metrics and their scores, under sacreBLEU's names.

`METRICS` is the one list of them: commands, signatures, tests, accumulators and torch ask it. A new metric is a file
of this package and a line here. Those that most programs do not use are imported when somebody asks for them.
"""

from collections.abc import ItemsView, ValuesView
from typing import TYPE_CHECKING, Any

from truebleu._lazy import attach
from truebleu.metrics.base import Metric
from truebleu.metrics.bleu import BLEU, BLEUScore
from truebleu.metrics.chrf import CHRF, CHRFScore
from truebleu.metrics.gleu import GLEU, GLEUScore
from truebleu.metrics.score import Score
from truebleu.metrics.ter import TER, TERScore

if TYPE_CHECKING:
    from truebleu.metrics.answers import EditSimilarity, ExactMatch, TokenF1
    from truebleu.metrics.rouge import ROUGE, ROUGEScore
    from truebleu.metrics.wer import CER, MER, SER, WER, WIL, WIP, WERScore

_LAZY = {
    **dict.fromkeys(("ROUGE", "ROUGEL", "ROUGELsum", "ROUGEScore"), "truebleu.metrics.rouge"),
    **{f"ROUGE{order}": "truebleu.metrics.rouge" for order in range(1, 10)},
    **dict.fromkeys(("CER", "MER", "SER", "WER", "WERScore", "WIL", "WIP"), "truebleu.metrics.wer"),
    **dict.fromkeys(("EditSimilarity", "ExactMatch", "TokenF1"), "truebleu.metrics.answers"),
}
__getattr__, __dir__ = attach(__name__, _LAZY)


class _Registry(dict[str, type[Metric[Any]]]):
    """Metrics by name; a name in place of a class is that of a lazy one."""

    def __getitem__(self, name: str) -> type[Metric[Any]]:
        found: Any = super().__getitem__(name)
        if isinstance(found, str):
            found = self[name] = __getattr__(found)
        kind: type[Metric[Any]] = found
        return kind

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if dict.__contains__(self, name) else default

    def _all(self) -> dict[str, type[Metric[Any]]]:
        return {name: self[name] for name in self}

    def values(self) -> ValuesView[type[Metric[Any]]]:  # type: ignore[override]
        return self._all().values()

    def items(self) -> ItemsView[str, type[Metric[Any]]]:  # type: ignore[override]
        return self._all().items()


_KNOWN: dict[str, Any] = {
    "BLEU": BLEU, "CHRF": CHRF, "TER": TER, "GLEU": GLEU,
    "ROUGE": "ROUGE", **{f"ROUGE{order}": f"ROUGE{order}" for order in range(1, 10)}, "ROUGEL": "ROUGEL",
    "ROUGELSUM": "ROUGELsum",
    "WER": "WER", "CER": "CER", "MER": "MER", "WIL": "WIL", "WIP": "WIP", "SER": "SER",
    "EM": "ExactMatch", "F1": "TokenF1", "EDITSIM": "EditSimilarity",
}  # fmt: skip
METRICS: dict[str, type[Metric[Any]]] = _Registry(_KNOWN)

__all__ = [
    "BLEU", "CER", "CHRF", "GLEU", "MER", "METRICS", "ROUGE", "SER", "TER", "WER", "WIL", "WIP", "BLEUScore",
    "CHRFScore", "EditSimilarity", "ExactMatch", "GLEUScore", "Metric", "ROUGEScore", "Score", "TERScore", "TokenF1",
    "WERScore",
]  # fmt: skip
