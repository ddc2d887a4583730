"""sacreBLEU's tokenizers, each in a module of its own; those of sacreBLEU 1 by name in `TOKENIZERS`."""

from truebleu.sacrebleu._version_one import DEFAULT_TOKENIZER as DEFAULT_TOKENIZER
from truebleu.sacrebleu._version_one import TOKENIZERS as TOKENIZERS
from truebleu.sacrebleu.tokenizers import tokenizer_base, tokenizer_ter
from truebleu.tokenizers.base import BaseTokenizer

__all__ = ["BaseTokenizer", "tokenizer_base", "tokenizer_ter"]
