"""`TokenizerJaMecab` under the module name it has in sacreBLEU."""

from truebleu.tokenizers.mecab import TokenizerJaMecab

__all__ = ["TokenizerJaMecab"]
