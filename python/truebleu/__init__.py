"""truebleu: sacreBLEU's numbers, a hundred times faster.

>>> import truebleu
>>> score = truebleu.corpus_bleu(["A heron stood by the pond."], [["A grey heron stood by the pond."]])
>>> print(score)
BLEU = 72.90 100.0/83.3/80.0/75.0 (BP = 0.867 ratio = 0.875 hyp_len = 7 ref_len = 8)
"""

import sys

from truebleu._lazy import attach

__description__ = "Machine translation evaluation with sacreBLEU's numbers, a hundred times faster"
# Everything comes when it is first asked for, from where `__init__.pyi` says: a program that wants a part should not
# wait for the whole, and the command line can set itself up before Ctrl-C would meet half-made modules.
_get, __dir__ = attach(__name__)


def __getattr__(name: str) -> object:
    try:
        return _get(name)
    except AttributeError as error:
        if not name.startswith("_"):
            from truebleu._moved import meant

            error.args = (f"{error}{meant(name, __dir__())}",)
        raise


class _OldPaths:
    """Asked by Python about modules that nobody else finds: some have moved."""

    @staticmethod
    def find_spec(path: str, _where: object = None, _target: object = None) -> object:
        if not path.startswith("truebleu."):
            return None
        from truebleu._moved import spec_of

        return spec_of(path)


sys.meta_path.append(_OldPaths)
