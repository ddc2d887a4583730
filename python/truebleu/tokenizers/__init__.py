"""Tokenizers: from a line of text to a line of tokens, with sacreBLEU's names and results.

Importing this package loads nothing heavy; `registry` imports a tokenizer when it is asked for.

>>> from truebleu.tokenizers.registry import TOKENIZERS
>>> list(TOKENIZERS)[:3]
['none', 'zh', '13a']
"""

from truebleu.tokenizers.base import BaseTokenizer

__all__ = ["BaseTokenizer"]
