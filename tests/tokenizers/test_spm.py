import logging
import pickle
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sentencepiece

from growth import assert_linear
from strategies import SURROGATES, Generator
from truebleu.errors import DownloadError, InputTypeError, MissingDependency, TokenizerError, UnknownTokenizer
from truebleu.tokenizers.registry import get_tokenizer_class, resolve
from truebleu.tokenizers.spm import MODELS, Flores200Tokenizer, TokenizerSPM, _varint, damage

LINE = "Adele, minor! \u2581 \u4f60\u597d a\0b"


@pytest.fixture
def expected(tiny_model: Path) -> str:
    return " ".join(sentencepiece.SentencePieceProcessor(model_file=str(tiny_model)).encode(LINE, out_type=str))


@pytest.mark.parametrize("name", MODELS)
def test_lines_become_the_pieces_of_the_model(name: str, cached_models: Path, expected: str) -> None:
    assert expected == get_tokenizer_class(name)()(LINE)


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("spm", "flores101"),
        ("flores101", "flores101"),
        ("flores200", "flores200"),
        ("spBLEU-1K", "spBLEU-1K"),
    ],
)
def test_signatures_are_sacrebleus(name: str, signature: str, cached_models: Path) -> None:
    assert signature == get_tokenizer_class(name)().signature()


def test_generated_lines_are_the_pieces_sentencepiece_gives(tiny_model: Path, cases: int) -> None:
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(tiny_model))
    ours, generator = TokenizerSPM(model=tiny_model), Generator("spm")
    for _ in range(cases):
        line = generator.segment()
        if not set(line) & set("".join(SURROGATES)):
            assert " ".join(theirs.encode(line, out_type=str)) == ours(line)


def test_spm_logs_that_it_was_renamed(cached_models: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        TokenizerSPM()
    assert "use 'flores101'" in caplog.text


def test_the_new_name_logs_nothing(cached_models: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        get_tokenizer_class("flores101")()
    assert "" == caplog.text


def test_an_own_model_signs_with_its_bytes(tiny_model: Path, expected: str, caplog: pytest.LogCaptureFixture) -> None:
    tokenizer = TokenizerSPM(model=str(tiny_model))
    assert expected == tokenizer(LINE)
    assert f"spm-{tokenizer.sha256[:8]}" == tokenizer.signature()
    assert f"{tokenizer.signature()}@sha256:{tokenizer.sha256}" == tokenizer.fingerprint()
    assert tokenizer is resolve(tokenizer)
    assert "" == caplog.text


def test_an_unknown_model_is_a_key_error() -> None:
    with pytest.raises(UnknownTokenizer, match="known are spm, flores101, flores200, spBLEU-1K"):
        TokenizerSPM("flores")


def test_a_lone_surrogate_is_refused_by_position(tiny_model: Path) -> None:
    with pytest.raises(InputTypeError, match=r"SentencePiece cannot tokenize .*U\+DFFF at position 2"):
        TokenizerSPM(model=tiny_model)("ab\udfff")


def test_a_missing_library_names_the_extra_before_any_download(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(MissingDependency, match=r'pip install "truebleu\[spm\]"') as caught:
        Flores200Tokenizer()
    assert isinstance(caught.value, ImportError)


def test_without_model_and_network_the_error_says_what_to_do(own_cache: Path) -> None:
    with pytest.raises(DownloadError) as caught:
        Flores200Tokenizer()
    message = str(caught.value)
    assert "TRUEBLEU_OFFLINE is set" in message
    assert "curl -L -o flores200sacrebleuspm https://tinyurl.com/flores200sacrebleuspm" in message
    assert str(own_cache / "models" / "flores200sacrebleuspm") in message


def test_a_model_of_sacrebleu_is_used_where_it_lies(tmp_path: Path, tiny_model: Path, expected: str) -> None:
    folder = tmp_path / "home" / ".sacrebleu" / "models"
    folder.mkdir(parents=True)
    shutil.copy(tiny_model, folder / "flores200sacrebleuspm")
    assert expected == Flores200Tokenizer()(LINE)
    assert ["flores200sacrebleuspm"] == [path.name for path in folder.iterdir()]


def test_an_own_model_that_is_not_there_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match=r"cannot read the SentencePiece model .*none\.model: No such file"):
        TokenizerSPM(model=tmp_path / "none.model")


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"<html>not found</html>", "is not a SentencePiece model"), (b"", "is not a SentencePiece model")],
)
def test_what_is_no_model_is_refused(content: bytes, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "x.model"
    path.write_bytes(content)
    assert problem == damage(path)
    with pytest.raises(TokenizerError, match=problem):
        TokenizerSPM(model=path)


def test_a_model_cut_anywhere_is_refused(tiny_model: Path, tmp_path: Path) -> None:
    data, path = tiny_model.read_bytes(), tmp_path / "x.model"
    for length in [*range(1, 300), *range(300, 6000, 41), len(data) // 2, len(data) - 1]:
        path.write_bytes(data[:length])
        assert damage(path) is not None, length


def test_a_model_cut_between_pieces_would_load_unnoticed(tiny_model: Path, tmp_path: Path) -> None:
    """Why `damage` exists: SentencePiece alone accepts this file."""
    data, end = tiny_model.read_bytes(), 0
    for _ in range(50):
        length, start = _varint(data, end + 1)
        end = start + length
    path = tmp_path / "x.model"
    path.write_bytes(data[:end])
    assert 50 == sentencepiece.SentencePieceProcessor(model_file=str(path)).get_piece_size()
    with pytest.raises(TokenizerError, match="is cut short"):
        TokenizerSPM(model=path)


@pytest.mark.interpreter
def test_it_can_be_pickled_without_its_megabytes(tiny_model: Path, expected: str) -> None:
    tokenizer = TokenizerSPM(model=tiny_model)
    tokenizer.apply([LINE])
    pickled = pickle.dumps(tokenizer)
    assert len(pickled) < 1000
    copy = pickle.loads(pickled)
    assert (expected, tokenizer.signature()) == (copy(LINE), copy.signature())


@pytest.mark.interpreter
def test_a_pickle_refuses_a_model_that_has_changed(tiny_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.model"
    shutil.copy(tiny_model, path)
    pickled = pickle.dumps(TokenizerSPM(model=path))
    path.write_bytes(tiny_model.read_bytes() + b"\x22\x00")  # An empty field more: still a model.
    copy = pickle.loads(pickled)
    with pytest.raises(TokenizerError, match="not the one this tokenizer was made with"):
        copy("a")


@pytest.mark.interpreter
def test_a_pickle_loads_its_model_on_first_use(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pickled = pickle.dumps(TokenizerSPM(model=tiny_model))
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    assert pickle.loads(pickled).signature().startswith("spm-")


def test_threads_do_not_disturb_each_other(tiny_model: Path) -> None:
    tokenizer = TokenizerSPM(model=tiny_model)
    lines = [f"{LINE} {number}" for number in range(2000)]
    expected = [tokenizer(line) for line in lines]
    with ThreadPoolExecutor(4) as pool:
        assert expected == list(pool.map(tokenizer, lines))


@pytest.mark.guard
def test_a_number_without_an_end_is_found_in_linear_time(tmp_path: Path) -> None:
    def look(text: str) -> None:
        path = tmp_path / "x.model"
        path.write_bytes(b"\xff" * len(text) + b"\x01")
        assert damage(path) is not None

    assert_linear(look, lambda size: "x" * size, 50_000)
