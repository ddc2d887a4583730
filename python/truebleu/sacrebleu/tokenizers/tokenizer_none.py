"""`NoneTokenizer` under the module name it has in sacreBLEU."""

from truebleu.tokenizers.base import BaseTokenizer
from truebleu.tokenizers.native import NoneTokenizer

__all__ = ["BaseTokenizer", "NoneTokenizer"]
