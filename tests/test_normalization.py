"""Normalisation does what its definitions say, and a metric with it scores what normalised texts score."""

from __future__ import annotations

import re
import unicodedata
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu import BLEU, CHRF, GLEU, TER, metric_from_signature, self_bleu
from truebleu.cli import run as running
from truebleu.cli.main import main
from truebleu.errors import InputTypeError, OptionError, StatsMismatch, UnknownSignature
from truebleu.metrics import METRICS
from truebleu.normalization import NORMALIZATIONS, names_in_order, normalize
from truebleu.stats import Stats

pytestmark = pytest.mark.interpreter

HYPOTHESES = ['"Ja", sagte er - und ging.', "Das ist für mich."]
REFERENCES = ["„Ja“, sagte er – und ging.", "Das ist fu\u0308r mich."]

# What decodes once cannot be idempotent: &amp;lt; becomes &lt;, and that would become <.
IDEMPOTENT = [name for name in NORMALIZATIONS if name != "entities"]


def by_definition(text: str, names: set[str]) -> str:
    """The slow obvious way, one pass for each name."""
    if "entities" in names:
        text = unescape(text)
    if "nfc" in names:
        text = unicodedata.normalize("NFC", text)
    if "width" in names:
        text = re.sub("[\uff65-\uff9f]+", lambda run: unicodedata.normalize("NFKC", run[0]), text)
        text = "".join(chr(ord(c) - 0xFEE0) if "\uff01" <= c <= "\uff5e" else c for c in text).replace("\u3000", " ")
    if "quotes" in names:
        text = re.sub("[“”„‟«»〝〞＂]", '"', text)
        text = re.sub("[‘’‚‛‹›ʼ´＇]", "'", text)
    if "dashes" in names:
        text = re.sub("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]", "-", text)
    if "ellipsis" in names:
        text = text.replace("…", "...")
    if "spaces" in names:
        text = "".join(" " if unicodedata.category(c) == "Zs" or c == "\t" else c for c in text)
        text = " ".join(re.sub("[\u200b\u2060\ufeff\u00ad\u180e]", "", text).split())
    return unicodedata.normalize("NFC", text) if "nfc" in names else text


odd = st.sampled_from([
    "a", "e", "ウ", " ", "  ", "\t", "\n", "\u00a0", "\u3000", "\u200b", "\u00ad", "\ufeff", "\u0301", "\u0323",
    "\u3099",
    "„", "“", "«", "’", "´", "\u1ffd", "′", "「", "－", "–", "−", "…", "．", "Ａ", "＝", "\u0338", "＂", "ｶ", "ﾊ", "ｦ",
    "ﾞ",
    "ﾟ", "ｱ", "･", "カ", "가", "\u1100", "\u1161", "\u212b", "&amp;", "&quot", "&#39;", "&", ";", "lt;", "\x1c",
    "\u2028",
    "\ud800", "😀", "\u2000", "\x00",
])  # fmt: skip
texts = st.lists(odd | st.characters(), max_size=12).map("".join)
some_names = st.sets(st.sampled_from([*NORMALIZATIONS]), max_size=7)


@given(st.lists(texts, max_size=4), some_names, st.randoms())
def test_it_equals_the_definition_whatever_the_order_of_names(given: list[str], names: set[str], rng: Any) -> None:
    written = sorted(names)
    rng.shuffle(written)
    assert [by_definition(text, names) for text in given] == normalize(given, ",".join(written))


def test_every_character_goes_where_the_definition_says() -> None:
    characters = [f"x{chr(c)}y" for c in range(0x11_0000)]
    for name in NORMALIZATIONS:
        for text, found in zip(characters, normalize(characters, name), strict=True):
            assert by_definition(text, {name}) == found, (name, ascii(text))


def test_half_width_kana_are_composed_as_unicode_does() -> None:
    kana = [chr(c) for c in range(0xFF65, 0xFFA0)]
    runs = [a + b + c for a in kana for b in kana for c in "ﾞﾟｶ"]
    assert [unicodedata.normalize("NFKC", run) for run in runs] == normalize(runs, "width")


@given(texts, st.sets(st.sampled_from(IDEMPOTENT)))
def test_what_is_normalised_stays_as_it_is(text: str, names: set[str]) -> None:
    once = normalize([text], sorted(names))
    assert once == normalize(once, sorted(names))


def test_entities_are_decoded_once() -> None:
    assert ["&lt;"] == normalize(["&amp;lt;"], "entities")


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("fu\u0308r", "nfc", "f\xfcr"),
        ("\u212b", "nfc", "\xc5"),
        ("e\u0301\u0323", "nfc", "\u1eb9\u0301"),
        ("\u201eJa\u201c: \xabNein\xbb \u2013 it\u2019s \u2039ok\u203a", "quotes", '"Ja": "Nein" \u2013 it\'s \'ok\''),
        ("5\u2032 \u2033 `x`", "quotes", "5\u2032 \u2033 `x`"),
        ("a\u2013b \u2014 c\u2011d \u22125", "dashes", "a-b - c-d -5"),
        ("Wait\u2026 \u22ef", "ellipsis", "Wait... \u22ef"),
        ("\uff21\uff22\uff23\uff11\uff12\uff0c\uff01\u3000\u3002", "width", "ABC12,! \u3002"),
        ("\uff76\uff9e\uff97\uff7d", "width", "\u30ac\u30e9\u30b9"),
        ("a\xa0b\u202fc\u2009d\u200be\u2060f\ufeff g\xadh\t i", "spaces", "a b c def gh i"),
        ("&quot;Tom &amp;amp; Jerry&#39;s&quot;", "entities", '"Tom &amp; Jerry\'s"'),
        ("AT&T &unknown; &copy", "entities", "AT&T &unknown; \xa9"),
    ],
)
def test_vectors(text: str, name: str, expected: str) -> None:
    assert [expected] == normalize([text], name)


def test_a_text_in_which_nothing_changes_is_the_same_object() -> None:
    given = ["plain text", "für “mich”", "".join(["ß", "x"])]
    found = normalize(given, "nfc,width,dashes,ellipsis,spaces,entities")
    assert all(one is other for one, other in zip(given, found, strict=True))


@pytest.mark.parametrize(
    ("names", "bleu", "chrf"),
    [
        ("", 23.61132510762707, 61.37449907064093),
        ("nfc", 46.20651524119186, 75.46281181431347),
        ("quotes", 54.91004867761124, 73.10055149350552),
        ("dashes", 54.949116684307036, 73.5093147734707),
        ("dashes,quotes,nfc", 100.00000000000004, 100.0),
    ],
)
def test_score_vectors(names: str, bleu: float, chrf: float) -> None:
    assert bleu == BLEU(normalize=names).corpus_score(HYPOTHESES, [REFERENCES]).score
    assert chrf == CHRF(normalize=names).corpus_score(HYPOTHESES, [REFERENCES]).score


# Metrics.

segments = st.lists(texts, min_size=1, max_size=3)


@given(st.data(), some_names, st.sampled_from([*METRICS]), st.booleans(), st.sampled_from(["drop", "keep"]))
def test_a_metric_scores_what_normalised_texts_score(
    data: st.DataObject, names: set[str], name: str, is_outside: bool, empty: str
) -> None:
    hypotheses = data.draw(segments)
    reference = st.lists(texts, min_size=len(hypotheses), max_size=len(hypotheses))
    streams = data.draw(st.lists(reference, min_size=1, max_size=2))
    options: dict[str, Any] = {"empty_refs": empty}
    if is_outside and name in ("BLEU", "GLEU"):
        options["tokenize"] = str.split
    if name.startswith("ROUGE"):  # which refuses texts that its own tokenizer cannot read
        options["tokenize"] = "rouge-unicode"
    plain, metric = METRICS[name](**options), METRICS[name](**options, normalize=",".join(names))
    clean = normalize(hypotheses, [*names]), [normalize(stream, [*names]) for stream in streams]
    expected, found = plain.corpus_score(*clean), metric.corpus_score(hypotheses, streams)
    assert expected.score == found.score
    assert plain.num_refs == metric.num_refs
    assert plain.sentence_scores(*clean).tolist() == metric.sentence_scores(hypotheses, streams).tolist()
    cached = METRICS[name](**options, normalize=",".join(names), references=streams)
    assert found.score == cached.corpus_score(hypotheses, None).score
    assert found.signature == cached.get_signature()
    one = [stream[0] for stream in clean[1]]
    sentence = metric.sentence_score(hypotheses[0], [stream[0] for stream in streams])
    assert plain.sentence_score(clean[0][0], one).score == sentence.score
    assert plain.pairwise(clean[0], one).tolist() == metric.pairwise(hypotheses, [s[0] for s in streams]).tolist()
    if len(hypotheses) > 1:
        assert self_bleu(clean[0], plain).score == self_bleu(hypotheses, metric).score


@pytest.mark.parametrize("kind", [BLEU, CHRF, TER, GLEU])
def test_the_signature_tells_it_before_the_version(kind: Any) -> None:
    score = kind(normalize="quotes, nfc", empty_refs="keep").corpus_score(HYPOTHESES, [REFERENCES])
    assert "|empty:keep|textnorm:nfc+quotes|version:" in score.signature.format()
    assert "|tn:nfc+quotes|v:" in score.signature.format(short=True)
    for short in (False, True):
        again = metric_from_signature(f"{score.name}|{score.signature.format(short)}")
        assert score.score == again.corpus_score(HYPOTHESES, [REFERENCES]).score


@pytest.mark.parametrize("kind", [BLEU, CHRF, TER, GLEU])
def test_nothing_tells_of_a_normalisation_that_is_not_there(kind: Any) -> None:
    metric = kind()
    metric.corpus_score(HYPOTHESES, [REFERENCES])
    assert "norm" not in re.sub("norm:no|normalized", "", f"{metric!r}{metric.get_signature()}{metric.fingerprint()}")


def test_rows_with_another_normalisation_cannot_be_put_together() -> None:
    rows = [BLEU(normalize=names).stats(HYPOTHESES, [REFERENCES]) for names in ("", "nfc", "nfc")]
    assert 4 == len(Stats.concatenate(rows[1:]).rows)
    with pytest.raises(StatsMismatch, match="normalize"):
        Stats.concatenate(rows[:2])


def test_the_option_is_fixed_and_shown() -> None:
    bleu = BLEU(normalize="spaces,quotes,spaces")
    assert "quotes,spaces" == bleu.normalize
    assert repr(bleu).endswith("normalize='quotes,spaces')")
    with pytest.raises(AttributeError, match="normalize cannot be changed"):
        bleu.normalize = ""  # type: ignore[misc]


@pytest.mark.parametrize("names", ["nfd", "nfc,", "NFC", 5, ["nfc", 5], {"nfc"}])
def test_an_unknown_name_is_refused_with_those_that_are_known(names: Any) -> None:
    with pytest.raises(OptionError, match=r"BLEU: normalize .*expected names .*nfc"):
        BLEU(normalize=names)
    with pytest.raises(OptionError, match="normalize: names "):
        normalize([], names)


def test_other_mistakes() -> None:
    with pytest.raises(InputTypeError, match=r"normalize: texts\[1\] is of type int"):
        normalize(["a", 5], "nfc")  # type: ignore[list-item]
    with pytest.raises(UnknownSignature, match="textnorm has 'nfd', expected names among entities"):
        metric_from_signature("BLEU|nrefs:1|textnorm:nfd")
    assert () == names_in_order("BLEU", "normalize", None)


def test_columns_give_what_lists_give() -> None:
    pytest.importorskip("pyarrow")
    import unicodedata

    import pyarrow as pa

    from truebleu import columns
    from truebleu.columns.schema import fingerprint_of

    table = pa.table({"mt": HYPOTHESES, "ref": REFERENCES})
    for kind in METRICS.values():
        metric = kind(normalize="nfc,quotes")
        found = columns.stats(table, metric, hypothesis="mt", references="ref")
        assert metric.stats(HYPOTHESES, [REFERENCES]).rows.tolist() == found.rows.tolist()  # type: ignore[union-attr]
    assert unicodedata.unidata_version == fingerprint_of(CHRF(normalize="nfc"))["unicode"]
    assert "unicode" not in fingerprint_of(CHRF(normalize="quotes"))


# The command.


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sys").write_text("".join(f"{line}\n" for line in HYPOTHESES), "utf-8")
    Path("ref").write_text("".join(f"{line}\n" for line in REFERENCES), "utf-8")


@pytest.mark.parametrize("large", [1, 1 << 25])
@pytest.mark.usefixtures("files")
def test_the_command_normalises_small_files_and_large_ones(
    large: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "LARGE", large)
    assert 0 == main(["ref", "-i", "sys", "-w", "4", "-m", "bleu", "chrf", "--normalize", "quotes,nfc,dashes"])
    out = capsys.readouterr().out
    assert 2 == out.count("|textnorm:nfc+quotes+dashes|version:") == out.count(" = 100.0000")


@pytest.mark.usefixtures("files")
def test_like_reads_it_and_contradictions_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    like = "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|textnorm:nfc+quotes|version:truebleu-0.1.0"
    assert 0 == main(["ref", "-i", "sys", "--like", like, "--normalize", "quotes,nfc"])
    assert "|textnorm:nfc+quotes|" in capsys.readouterr().out
    for signature in (like, like.replace("textnorm:nfc+quotes|", "")):
        assert 2 == main(["ref", "-i", "sys", "--like", signature, "--normalize", "nfc"])
        assert "--normalize nfc contradicts --like" in capsys.readouterr().err


@pytest.mark.usefixtures("files")
def test_sensitivity_shows_the_score_with_each_normalisation_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["ref", "-i", "sys", "--sensitivity", "-w", "2"])
    lines = capsys.readouterr().out.splitlines()
    assert 8 == len(lines)
    for name, line in zip(NORMALIZATIONS, lines[1:], strict=True):
        score = BLEU(normalize=name).corpus_score(HYPOTHESES, [REFERENCES]).score
        assert line.startswith(f"normalize={name}") and line.endswith(f"BLEU = {score:.2f}")
    assert 2 == main(["ref", "-i", "sys", "--sensitivity", "--sentence-level"])
