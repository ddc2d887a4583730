"""A small SentencePiece model made on the spot, and a cache of each test's own."""

import random
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

GOLDEN = Path(__file__).resolve().parent.parent / "golden"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test sees the user's caches or reaches a network."""
    cache = tmp_path / "cache"
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRUEBLEU_CACHE", str(cache))
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    monkeypatch.delenv("SACREBLEU", raising=False)

    def refuse(*args: object) -> None:
        raise AssertionError("a tokenizer test opened a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    return cache


@pytest.fixture
def golden() -> Path:
    return GOLDEN


def made_up_lines() -> Iterator[str]:
    rng = random.Random("spm")
    words = ["".join(rng.choices("abdeiklmnorstu", k=rng.randint(2, 8))) for _ in range(300)]
    for _ in range(1500):
        yield " ".join(rng.choices(words, k=12)).capitalize() + rng.choice(".!?")


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sentencepiece = pytest.importorskip("sentencepiece")
    prefix = tmp_path_factory.mktemp("spm") / "tiny"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=made_up_lines(), model_prefix=str(prefix), vocab_size=200, minloglevel=2
    )
    return prefix.with_suffix(".model")


@pytest.fixture
def cached_models(tiny_model: Path, own_cache: Path) -> Path:
    """A cache in which all published models are the tiny one."""
    from truebleu.tokenizers.spm import MODELS

    folder = own_cache / "models"
    folder.mkdir(parents=True)
    for file in MODELS.values():
        (folder / file.filename).write_bytes(tiny_model.read_bytes())
    return folder
