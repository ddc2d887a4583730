"""Modules that have another home now: their old paths can still be imported. And names that people try first."""

import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

# Old and new paths, without "truebleu.". Modules of a package that moved are found in the new package.
MOVED = {
    "compat": "metrics.functions",
    "dataset.sacrebleu": "sacrebleu.dataset._functions",
    "dataset.store": "store",
    "metrics.answers": "metrics.similarity",
    "metrics.helpers": "sacrebleu.metrics.helpers",
    **{
        f"tokenizers.{name}": f"sacrebleu.tokenizers.{name}"
        for name in (
            "tokenizer_13a", "tokenizer_base", "tokenizer_char", "tokenizer_intl", "tokenizer_ja_mecab",
            "tokenizer_ko_mecab", "tokenizer_none", "tokenizer_re", "tokenizer_spm", "tokenizer_zh",
        )
    },
    "reconciliation.results": "reconciliation.explanations",
    "report": "study",
    "significance.groups": "significance.group_scores",
    "significance.inputs": "significance.systems",
    "significance.paired": "sacrebleu.significance",
    "significance.ranking": "significance.wmt_ranks",
    "utils": "sacrebleu.utils",
}  # fmt: skip

# What to write in the place of names that are not here.
_TRIED = {
    **dict.fromkeys(("score", "compute", "corpus_score", "calculate_bleu"), "corpus_bleu(hypotheses, [references])"),
    "doctor": "diagnose(hypotheses, [references])",
    **dict.fromkeys(("report", "html", "page"), "Study(systems, references=[references]).to_html('report.html')"),
    **dict.fromkeys(("bootstrap", "paired_bootstrap", "paired_test"), "compare(systems, metrics, [references])"),
    **dict.fromkeys(("load", "read"), "read_lines(path)"),
}  # fmt: skip


def meant(name: str, names: Iterable[str]) -> str:
    """Say what a name of the package that is not there was meant to be; nothing if nobody knows.

    >>> meant("bleu", ["corpus_bleu", "BLEU"]), meant("Bleu", ["corpus_bleu", "BLEU"])
    ('; use truebleu.corpus_bleu', '; use truebleu.BLEU')
    """
    from truebleu._shown import nearest
    from truebleu.metrics.known import is_of_others

    if is_of_others(name):
        return f"; its scores go into truebleu.ExternalMetric({name!r})"
    typed, there = name.lower(), {one.lower(): one for one in sorted(names, reverse=True)}
    plain = there.get(f"corpus_{typed}") if name.islower() else None
    found = _TRIED.get(typed) or plain or next((there[one] for one in nearest(typed, there)), "")
    return f"; use truebleu.{found}" if found else ""


def home_of(path: str) -> str | None:
    """Give the path that a module has today; None if it did not move.

    >>> home_of("truebleu.dataset.store.files")
    'truebleu.store.files'
    """
    old, rest = path.removeprefix("truebleu."), ""
    while old and old not in MOVED:
        old, dot, last = old.rpartition(".")
        rest = f"{dot}{last}{rest}"
    return f"truebleu.{MOVED[old]}{rest}" if old else None


def spec_of(path: str) -> ModuleSpec | None:
    """Tell Python how to load a module by its old path; None if there was none."""
    home = home_of(path)
    return ModuleSpec(path, _Loader, origin=home, is_package=True) if home else None  # type: ignore[arg-type]


class _Loader:
    """Gives the module of today in the place of the old one."""

    @staticmethod
    def create_module(_spec: ModuleSpec) -> None:
        """Let Python make an empty module."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        home = import_module(str(module.__spec__.origin if module.__spec__ else ""))
        if hasattr(home, "__path__"):
            # The empty package stays and passes everything on: Python would load the files in `home` a second time
            # under their old names.
            module.__getattr__ = lambda name: getattr(home, name)  # type: ignore[method-assign]
        else:
            sys.modules[module.__name__] = home
