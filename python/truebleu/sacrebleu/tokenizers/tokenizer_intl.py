"""`TokenizerV14International` under the module name it has in sacreBLEU."""

from truebleu.tokenizers.base import BaseTokenizer
from truebleu.tokenizers.native import TokenizerV14International

__all__ = ["BaseTokenizer", "TokenizerV14International"]
