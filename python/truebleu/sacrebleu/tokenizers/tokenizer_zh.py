"""`TokenizerZh` under the module name it has in sacreBLEU."""

from truebleu.tokenizers.base import BaseTokenizer
from truebleu.tokenizers.native import TokenizerRegexp, TokenizerZh

__all__ = ["BaseTokenizer", "TokenizerRegexp", "TokenizerZh"]
