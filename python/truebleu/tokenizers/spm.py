"""SentencePiece pieces: the tokenizers of spBLEU, and any model of your own.

FLORES-101 (Goyal et al., 2022), FLORES-200 (NLLB team, 2022) and spBLEU-1K (Elmadany et al.)
each published a model. Scores depend on its every byte, so `truebleu.store` checks the files.
"""

import hashlib
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from truebleu._logs import warn
from truebleu.errors import MissingDependency, TokenizerError, UnknownTokenizer
from truebleu.store import RemoteFile, fetch
from truebleu.tokenizers.base import BaseTokenizer, refuse_lone_surrogate


class TokenizerSPM(BaseTokenizer):
    """A tokenizer that splits by a SentencePiece model: a published one by name, or your own by path.

    The signature of a published model is its name. The signature of your own model is made from its bytes (`spm-` and
    the beginning of their SHA-256), so two models never have the same signature.
    """

    def __init__(self, key: str = "spm", *, model: str | os.PathLike[str] | None = None) -> None:
        self._key = key
        self._model = None if model is None else Path(model).absolute()
        if self._model is None and key not in MODELS:
            raise UnknownTokenizer(f"there is no SentencePiece model {key!r}; known are {', '.join(MODELS)}")
        if self._model is None and key == "spm":
            warn("the tokenizer 'spm' has been renamed: use 'flores101', which is the same model")
        _import_sentencepiece()  # Checked before the download: without the package it would be useless.
        self.sha256, self._processor = self._load()

    def __call__(self, line: str) -> str:
        try:
            return " ".join(self._processor.EncodeAsPieces(line))
        except (RuntimeError, UnicodeError, TypeError):  # the last one until sentencepiece 0.2.1
            refuse_lone_surrogate(line, "SentencePiece")
            raise

    def signature(self) -> str:
        if self._model is not None:
            return f"spm-{self.sha256[:8]}"
        return "flores101" if self._key == "spm" else self._key

    def fingerprint(self) -> str:
        return f"{self.signature()}@sha256:{self.sha256}"

    def _load(self) -> tuple[str, Any]:
        if self._model is not None:
            return _read(self._model, checked=False)
        return _read(fetch(MODELS[self._key]), checked=True)

    @cached_property
    def _processor(self) -> Any:
        # Only after unpickling, on a machine where the file may differ.
        sha256, processor = self._load()
        if sha256 != self.sha256:
            raise TokenizerError(
                f"the model {self._model or self._key} is not the one this tokenizer was made with "
                f"(SHA-256 {sha256}, expected {self.sha256})"
            )
        return processor

    def __getstate__(self) -> dict[str, object]:
        # A model is megabytes, and the other side has the file too.
        return {name: value for name, value in super().__getstate__().items() if name != "_processor"}


class Flores101Tokenizer(TokenizerSPM):
    """The model of FLORES-101."""

    def __init__(self) -> None:
        super().__init__("flores101")


class Flores200Tokenizer(TokenizerSPM):
    """The model of FLORES-200."""

    def __init__(self) -> None:
        super().__init__("flores200")


class spBLEU1KTokenizer(TokenizerSPM):
    """The model of spBLEU-1K."""

    def __init__(self) -> None:
        super().__init__("spBLEU-1K")


def damage(path: Path) -> str | None:
    """The fault of a model file, or None.

    SentencePiece loads a model that was cut off between two pieces without complaint and
    then tokenizes differently. A model is a protobuf message: its pieces (field 1), the trainer's
    settings, the normalizer's settings (field 3), in this order, each with its length before it.
    """
    data = path.read_bytes()
    position, fields = 0, set()
    try:
        while position < len(data):
            key, position = _varint(data, position)
            if key & 7 != 2:
                return "is not a SentencePiece model"
            length, position = _varint(data, position)
            position += length
            fields.add(key >> 3)
    except IndexError:
        return "is cut short"
    if 1 not in fields:
        return "is not a SentencePiece model"
    return None if position == len(data) and 3 in fields else "is cut short"


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """A protobuf integer, seven bits per byte, the lowest first, and where it ends. It has 64 bits, so at most ten
    bytes."""
    value = shift = 0
    while (byte := data[position]) >= 0x80 and shift < 63:
        value |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
    return value | byte << shift, position + 1


def _remote(url: str, *mirrors: str) -> RemoteFile:
    # sacreBLEU, too, names its copy after the end of the address, so we find it. Checksums of these files are not
    # published: the store records that of the first copy.
    return RemoteFile(url, url.rpartition("/")[2], folder="models", mirrors=mirrors, check=damage)


_FLORES101 = _remote("https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model")

MODELS: Mapping[str, RemoteFile] = MappingProxyType(
    {
        "spm": _FLORES101,
        "flores101": _FLORES101,
        # The short link is the address that sacreBLEU has, and turns some clients away (sacreBLEU issue 274).
        "flores200": _remote(
            "https://tinyurl.com/flores200sacrebleuspm",
            "https://dl.fbaipublicfiles.com/large_objects/nllb/models/spm_200/flores200_sacrebleu_tokenizer_spm.model",
        ),
        "spBLEU-1K": _remote("https://www.dlnlp.ai/spBLEU-1K/spbleu-1k_tokenizer_spm.model"),
    }
)

# Loading a quarter of a million pieces takes a third of a second, and `sentence_bleu` makes a tokenizer per call. A
# process uses few models, so all stay in memory.
_loaded: dict[str, Any] = {}


def _read(path: Path, *, checked: bool) -> tuple[str, Any]:
    """The SHA-256 of a model and its processor, which may be shared: encoding is thread safe.

    `checked`: the store has already checked the file, which takes as long as loading.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TokenizerError(f"cannot read the SentencePiece model {path}: {error.strerror}") from error
    sha256 = hashlib.sha256(data).hexdigest()
    if sha256 not in _loaded:
        if not checked and (problem := damage(path)):
            raise TokenizerError(f"{path} {problem}")
        _loaded[sha256] = _new_processor(data, path)
    return sha256, _loaded[sha256]


def _new_processor(data: bytes, path: Path) -> Any:
    processor = _import_sentencepiece().SentencePieceProcessor()
    try:
        processor.LoadFromSerializedProto(data)
    except RuntimeError as error:
        raise TokenizerError(f"SentencePiece cannot load {path}: {error}") from error
    return processor


def _import_sentencepiece() -> Any:
    try:
        import sentencepiece
    except ImportError as error:
        raise MissingDependency(f'this tokenizer needs sentencepiece ({error}): pip install "truebleu[spm]"') from error
    return sentencepiece
