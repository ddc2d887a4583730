"""`--encoding` for one file, and texts in UTF-8 that were read in another encoding."""

from __future__ import annotations

import gzip
import logging
from collections.abc import Sequence
from pathlib import Path

import pytest

import truebleu
from truebleu.cli import run as running
from truebleu.cli.inputs import encodings_of
from truebleu.cli.main import UsageError, main
from truebleu.doctor import diagnose
from truebleu.glance import mistaken_encoding

DEMO = truebleu.testset("demo", "en-de")
REFERENCES = list(DEMO.references[0])
SYSTEM = [text.encode("latin-1", "replace").decode("latin-1") for text in DEMO.systems["atlas"]]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, lines, encoding in (
        ("ref.txt", REFERENCES, "utf-8"), ("utf8.txt", SYSTEM, "utf-8"), ("latin1.txt", SYSTEM, "latin-1"),
        ("src.txt", DEMO.source, "utf-16"), ("misread.txt", misread(SYSTEM), "utf-8"),
    ):  # fmt: skip
        Path(name).write_text("".join(f"{line}\n" for line in lines), encoding)


def misread(texts: Sequence[str], encoding: str = "latin-1") -> list[str]:
    return [text.encode().decode(encoding, "replace") for text in texts]


def ran(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main([*words])
    return code, *capsys.readouterr()


@pytest.mark.parametrize(
    "words", ["sys=latin1", "latin1.txt=latin1", "ref=utf-8 -e latin1.txt=latin1", "latin1 -e ref=utf-8"]
)
def test_one_file_can_have_an_encoding_of_its_own(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, right, said = ran(capsys, "ref.txt", "-i", "utf8.txt", "-b")
    assert (0, right, "") == ran(capsys, "ref.txt", "-i", "latin1.txt", "-b", "-e", *words.split())
    assert (0, "") == (code, said)


def test_every_command_takes_it(capsys: pytest.CaptureFixture[str]) -> None:
    several = ran(capsys, "ref.txt", "-i", "utf8.txt", "latin1.txt", "-e", "latin1.txt=latin1", "-q", "-f", "json")[1]
    assert 1 == len({line for line in several.splitlines() if '"score":' in line})
    words = ["ref.txt", "-i", "latin1.txt", "-e", "sys=latin1"]
    assert (
        "D307"
        not in ran(capsys, "doctor", *words, "-e", "src=utf-16", "--sources", "src.txt")[1].partition("passed")[0]
    )
    assert 0 == main(["align", *words])
    files = ["-r", "ref.txt", "-b", "utf8.txt", "-t", "latin1.txt", "-s", "src.txt"]
    assert 0 == main(["sign-test", *files, "-o", ".", "-e", "latin1.txt=latin1", "-e", "src=utf-16"])
    assert 0 == main(["self-bleu", "latin1.txt", "-e", "latin1.txt=latin1"])


def test_an_encoding_of_no_file_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, said = ran(capsys, "ref.txt", "-i", "utf8.txt", "-e", "other.txt=latin1")
    assert (2, "") == (code, out)
    assert "--encoding other.txt=latin1 is about no file of this command; expected ref, sys, ref.txt, utf8.txt" in said
    with pytest.raises(UsageError, match="src=latin1 is about no file"):
        encodings_of(["src=latin1"], ref=["a"], sys=["b"], src=[None])


def test_what_is_said_of_a_file_counts_more_than_what_is_said_of_its_side() -> None:
    found = encodings_of(["b=utf-16", "sys=latin1", "cp1252", "x=y=koi8-r"], ref=["a"], sys=["b", "c", "x=y"])
    assert ["cp1252", "utf-16", "latin1", "koi8-r"] == [found[path] for path in ("a", "b", "c", "x=y")]


def test_a_file_in_another_encoding_is_refused_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = ran(capsys, "ref.txt", "-i", "latin1.txt")
    assert 1 == code and "latin1.txt, line 1: " in said and "(--encoding FILE=NAME)" in said


@pytest.mark.parametrize("large", [1, 1 << 25])
@pytest.mark.parametrize(
    ("words", "side", "name"),
    [
        (["latin1.txt", "-e", "latin1"], "ref", "the reference ref.txt"),
        (["misread.txt"], "sys", "misread.txt"),
    ],
)
def test_utf8_that_was_read_as_latin1_is_warned_of(
    words: list[str],
    side: str,
    name: str,
    large: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(running, "LARGE", large)
    code, _, said = ran(capsys, "ref.txt", "-i", *words)
    assert 0 == code and 1 == said.count("\n")
    assert said.startswith(f"truebleu: {name}: text such as '") and "is UTF-8 that was read as latin-1; " in said
    assert f"(-e {side}=utf-8)" in said
    assert "" == ran(capsys, "ref.txt", "-i", *words, "--no-checks")[2]


def test_both_sides_are_named_where_both_were_misread(capsys: pytest.CaptureFixture[str]) -> None:
    said = ran(capsys, "ref.txt", "-i", "utf8.txt", "-e", "latin1")
    assert 2 == said[2].count("UTF-8 that was read as latin-1")


def test_python_warns_from_fifty_segments_on(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        truebleu.corpus_bleu(SYSTEM[:49], [misread(REFERENCES[:49])])
        truebleu.corpus_bleu(SYSTEM, [REFERENCES])
        assert [] == caplog.messages
        truebleu.corpus_chrf(SYSTEM[:60], [REFERENCES[:60], misread(REFERENCES[:60], "cp1251")])
        truebleu.sacrebleu.corpus_bleu(misread(SYSTEM), [REFERENCES])
    first, second = caplog.messages
    assert first.startswith("the reference references[1]: text such as '") and "read as cp1251; " in first
    assert second.startswith("hypotheses: text such as '") and "read as latin-1; " in second


CLEAN = {
    "fr": "« L’été où j’ai dû ôter mes sœurs de là, ça coûte très cher », dit Noël à l’Élysée. À bientôt, naïve Zoé !",
    "FR": "ÉTÉ «À CÔTÉ», ÇA ALORS… «FORÊT» «ÉPÉE» – “GAÎTÉ” «DÉJÀ» «Ô» «Où»! «PÂQUES» «NOËL» «HAÏTI»",
    "pt": "Não há coração são sem emoções: às três da manhã, a mãe pôs o pão à mesa. «Atenção», disse; «já amanhã»",
    "vi": "Tôi không biết đường đến nhà hàng Việt Nam ở đâu, nhưng tôi rất thích ăn phở và uống cà phê sữa đá.",
    "is": "Það er ekki öll vitleysan eins, sagði Þórður við Æsu; „kannski ætti ég að fara heim í kvöld“, sagði hún.",
    "de": "„Spaß“ und »Fuß« sind groß, hieß es. Über Ärger – Öl – schön. Das ist der Gruß für größere Mädchen, weiß er",
    "tr": "Şu köşe yaz köşesi, şu köşe kış köşesi; ÇİĞ KÖFTE «İŞ» Iğdır’da yağmur yağıyor, ığdır gölgesi, ÖĞLE",
    "uk": "Ці її слова, її мрії й надії – «РФ», США… Ґанок, п’ять, об’їзд; «Київ», «ЄС», її «її» ії СІЇ ЇЇ ЄЇ",
    "ru": "Ёлка, «РФ», «США», “МХАТ” – съезд… Ещё «её»; ПОЁТ, «ВСЁ» — №1, «ЁЖ» «УЁ»",
    "cs": "Příliš žluťoučký kůň úpěl ďábelské ódy; „šťastné dítě“, řekl. Žízeň, ČÁST, ŠÍŘE, „ŘEČ“",
    "ja": "昨日、店に行って「買い物」をしました。カタカナとひらがな。ﾊﾝｶｸ",
}  # fmt: skip


@pytest.mark.parametrize("language", CLEAN)
def test_clean_text_is_not_taken_for_misread_and_misread_text_is(language: str) -> None:
    texts = [CLEAN[language]] * 20
    assert mistaken_encoding(texts) is None
    for encoding in ("latin-1", "cp1252", "cp1251", "koi8-r"):
        assert mistaken_encoding(misread(texts, encoding)) is not None, encoding


def test_no_real_submission_is_taken_for_misread(wmt22: Path) -> None:
    paths = sorted(wmt22.glob("*/*.gz"))
    assert len(paths) > 60
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            lines = file.read().split("\n")
        assert not any(mistaken_encoding(lines[at : at + 200]) for at in range(0, len(lines), 200)), path


def test_the_doctor_names_the_side_that_is_broken() -> None:
    (fault,) = [one for one in diagnose(SYSTEM, [misread(REFERENCES)]).findings if one.level != "note"]
    assert ("D307", "error", "references[0]", None) == (fault.code, fault.level, fault.side, fault.repair)
    assert "references have letters of UTF-8 read as cp1252 (" in fault.message
    (fault,) = [one for one in diagnose(misread(SYSTEM), [REFERENCES]).findings if one.level != "note"]
    assert ("D307", "hypotheses") == (fault.code, fault.side)
