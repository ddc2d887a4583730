"""`TokenizerKoMecab` under the module name it has in sacreBLEU."""

from truebleu.tokenizers.base import BaseTokenizer
from truebleu.tokenizers.mecab import TokenizerKoMecab

FAIL_MESSAGE = 'Korean needs MeCab and a dictionary: pip install "truebleu[ko]"'

__all__ = ["FAIL_MESSAGE", "BaseTokenizer", "TokenizerKoMecab"]
