"""`TokenizerChar` under the module name it has in sacreBLEU."""

from truebleu.tokenizers.native import TokenizerChar

__all__ = ["TokenizerChar"]
