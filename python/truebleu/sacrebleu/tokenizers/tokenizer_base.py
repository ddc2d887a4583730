"""`BaseTokenizer` under the module name it has in sacreBLEU."""

from truebleu.tokenizers.base import BaseTokenizer

__all__ = ["BaseTokenizer"]
