"""`TokenizerZh` under the module name it has in sacreBLEU."""

from truebleu.tokenizers.native import TokenizerZh

__all__ = ["TokenizerZh"]
