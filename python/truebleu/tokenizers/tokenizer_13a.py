"""`Tokenizer13a` under the module name it has in sacreBLEU."""

from truebleu.tokenizers.native import Tokenizer13a

__all__ = ["Tokenizer13a"]
