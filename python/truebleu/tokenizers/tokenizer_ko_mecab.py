"""`TokenizerKoMecab` under the module name it has in sacreBLEU."""

from truebleu.tokenizers.mecab import TokenizerKoMecab

__all__ = ["TokenizerKoMecab"]
