"""`Tokenizer13a` under the module name it has in sacreBLEU."""

from truebleu.tokenizers.base import BaseTokenizer
from truebleu.tokenizers.native import Tokenizer13a, TokenizerRegexp

__all__ = ["BaseTokenizer", "Tokenizer13a", "TokenizerRegexp"]
