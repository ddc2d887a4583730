"""`TokenizerChar` under the module name it has in sacreBLEU."""

from truebleu.tokenizers.base import BaseTokenizer
from truebleu.tokenizers.native import TokenizerChar

__all__ = ["BaseTokenizer", "TokenizerChar"]
