"""The SentencePiece tokenizers under the module name they have in sacreBLEU."""

from truebleu.sacrebleu.utils import SACREBLEU_DIR, download_file, sacrelogger
from truebleu.tokenizers.base import BaseTokenizer
from truebleu.tokenizers.spm import (
    MODELS,
    Flores101Tokenizer,
    Flores200Tokenizer,
    TokenizerSPM,
    spBLEU1KTokenizer,
)

SPM_MODELS = {
    name: {"url": file.url, "signature": "flores101" if name == "spm" else name} for name, file in MODELS.items()
}

__all__ = [
    "SACREBLEU_DIR", "SPM_MODELS", "BaseTokenizer", "Flores101Tokenizer", "Flores200Tokenizer", "TokenizerSPM",
    "download_file", "sacrelogger", "spBLEU1KTokenizer",
]  # fmt: skip
