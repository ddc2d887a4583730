"""`TokenizerJaMecab` under the module name it has in sacreBLEU."""

from truebleu.tokenizers.base import BaseTokenizer
from truebleu.tokenizers.mecab import TokenizerJaMecab

FAIL_MESSAGE = 'Japanese needs MeCab and a dictionary: pip install "truebleu[ja]"'

__all__ = ["FAIL_MESSAGE", "BaseTokenizer", "TokenizerJaMecab"]
