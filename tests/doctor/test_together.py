"""What makes the doctor quick with many systems changes nothing that it says."""

import gc
import sys
import unicodedata
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truebleu
from doctor.faults import FAULTS, Texts
from truebleu import BLEU, CHRF, TER, _core, demo
from truebleu.cli.main import main
from truebleu.doctor import language
from truebleu.doctor.case import Case
from truebleu.doctor.diagnosis import diagnose_together
from truebleu.doctor.language import likelihoods
from truebleu.doctor.texts import Pool, folded, has_marks, image_table, settled_characters, squash
from truebleu.glance import COLUMNS

GERMAN, CHINESE = demo.load("en-de"), demo.load("en-zh")
# Some faults need more segments than the Chinese set has.
CHINESE = CHINESE._replace(
    sources=CHINESE.sources * 4,
    references={name: texts * 4 for name, texts in CHINESE.references.items()},
    systems={name: texts * 4 for name, texts in CHINESE.systems.items()},
)
FOREIGN = demo.load("en-es").references["A"] * 4


def damaged(texts: demo.DemoSet) -> dict[str, list[str]]:
    """The systems of a demo set, and the first of them with every fault that leaves references and sources alone."""
    systems = dict(texts.systems)
    clean = Texts(systems["atlas"], [texts.references["A"]], texts.sources, FOREIGN, FOREIGN)
    for fault in FAULTS:
        found = fault.inject(Random(fault.name), clean)
        if found is not None and len(found.hypotheses) == clean.n and found.references == clean.references:
            systems[fault.name] = found.hypotheses
    return systems


@pytest.mark.parametrize("texts", [GERMAN, CHINESE], ids=["en-de", "en-zh"])
@pytest.mark.parametrize("has_sources", [True, False])
def test_diagnosing_together_equals_diagnosing_alone(texts: demo.DemoSet, has_sources: bool) -> None:
    systems = damaged(texts)
    assert len(systems) > 20
    references, sources = [texts.references["A"]], texts.sources if has_sources else None
    metrics = [BLEU(force=True), CHRF(), TER()]
    rows = [{name: one.stats(output, references) for name, output in systems.items()} for one in metrics]
    together = diagnose_together(systems, references, sources, metrics=metrics, rows=rows)
    for name, output in systems.items():
        others = {other: texts for other, texts in systems.items() if other != name}
        alone = truebleu.diagnose(output, references, sources, metrics=metrics, others=others)
        assert alone.to_dict() == together[name].to_dict(), name


def test_print_shows_what_the_command_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = [f"{text} <unk>" for text in GERMAN.systems["atlas"]]
    for name, lines in (("ref", GERMAN.references["A"]), ("new", broken)):
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    assert 1 == main(
        ["doctor", str(tmp_path / "ref"), "-i", str(tmp_path / "new"), "--level", "note", "--examples", "0"]
    )
    found = truebleu.diagnose(broken, [GERMAN.references["A"]])
    assert f"new: {found}\n" == capsys.readouterr().out and "special tokens" in str(found)


def test_a_study_says_what_the_doctor_says() -> None:
    study = truebleu.testset("demo", "en-de").study()
    assert list(study.checks) == list(GERMAN.systems)
    sources = study.inputs.sources
    for name, output in GERMAN.systems.items():
        others = {other: texts for other, texts in GERMAN.systems.items() if other != name}
        alone = truebleu.diagnose(output, study.inputs.references, sources, language=study.language, others=others)
        assert alone.to_dict() == study.checks[name].to_dict()


@settings(max_examples=300)
@given(st.data())
def test_what_ftfy_takes_for_damage_is_crowded(data: st.DataObject) -> None:
    badness = pytest.importorskip("ftfy.badness")
    known = "".join(badness.MOJIBAKE_CATEGORIES.values()) + "ÂÃÎÐØÙŒœŸŠš°µ»·вЂГўВРСβΒΓΞΟ×²³à√≈‚Äâó azAZ.,!?\xa0"
    text = "".join(data.draw(st.lists(st.sampled_from(known), max_size=5)))
    assert cells_of(text)["crowded"] or not badness.is_bad(text)


def cells_of(text: str) -> dict[str, int]:
    return dict(zip(COLUMNS, np.frombuffer(_core.features([text], 1), np.int32).tolist(), strict=True))


@given(st.lists(st.text(max_size=30), max_size=600), st.booleans())
def test_threads_change_no_row(texts: list[str], by_character: bool) -> None:
    texts = texts * 3
    assert _core.features(texts, 1) == _core.features(texts, 4)
    assert _core.runs(texts, by_character, 1) == _core.runs(texts, by_character, 4)


@settings(max_examples=60)
@given(st.integers(0, 40), st.sampled_from([1, 3, 21]), st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 2**32 - 1))
def test_the_best_path_is_that_of_plain_numpy(n: int, width: int, price: float, seed: int) -> None:
    table = np.random.default_rng(seed).integers(0, 4, (n, width)) / 4  # with many ties
    columns = np.arange(width)
    value, came_from = np.where(columns == width // 2, 0.0, -price), []
    for row in table:
        best = int(value.argmax())
        changes = value[best] - price > value
        came_from.append(np.where(changes, best, columns))
        value = np.where(changes, value[best] - price, value) + row
    path, place = [], int(value.argmax())
    for back in reversed(came_from):
        path.append(place)
        place = int(back[place])
    offsets = np.tile(columns - width // 2, (n, 1)).astype(np.int32)
    found = np.frombuffer(_core.best_path(table.tobytes(), offsets.tobytes(), width, price), np.int32)
    assert path[::-1] == (found + width // 2).tolist()


def test_a_table_without_an_offset_for_each_cell_is_refused() -> None:
    with pytest.raises(ValueError, match="an offset for each of its cells"):
        _core.best_path(bytes(16), bytes(4), 1, 1.0)


GAP, UNSEEN, BORDER = 0, 0x110000, 0xD800


@given(st.lists(st.sampled_from([1, 2, 3, 4, BORDER]), max_size=40))
def test_trigrams_are_those_of_plain_python(joined: list[int]) -> None:
    letters = np.arange(BORDER + 1, dtype=np.uint32)
    letters[3], letters[4] = GAP, UNSEEN
    meant = [int(letters[code]) for code in joined]
    # A gap right after another is none, even if what nobody sees comes next.
    kept = [
        code for at, code in enumerate(meant)
        if code != UNSEEN and not (at and code == GAP == meant[at - 1])
    ]  # fmt: skip
    expected = []
    for at in range(len(kept) - 2):
        if BORDER not in kept[at : at + 3]:
            a, b, c = kept[at : at + 3]
            mixed = (a * 0x9E3779B1 + b * 0x85EBCA6B + c * 0xC2B2AE35) % 2**32
            expected.append((((mixed ^ mixed >> 15) * 0x2C1B3C6D % 2**32) >> 14, kept[: at + 1].count(BORDER)))
    bins, places = _core.trigrams(np.array(joined, np.uint32).tobytes(), letters.tobytes())
    found = zip(np.frombuffer(bins, np.uint32).tolist(), np.frombuffer(places, np.int64).tolist(), strict=True)
    assert expected == list(found)


# What each character counts as, and what the texts are then: "c" is two letters, "-" separates words, "." is nothing.
LETTERS = {"a": "a", "b": "b", "c": "ab", "-": "\0", " ": "\0", ".": ""}


@given(
    st.lists(st.tuples(st.text("abc- .x", max_size=12), st.booleans()), max_size=8), st.sampled_from([(1, 1), (90, 2)])
)
def test_sums_of_trigrams_are_those_of_the_trigrams(drawn: list[tuple[str, bool]], size: tuple[int, int]) -> None:
    times, threads = size  # many texts are more than one thread takes at a time
    letters = np.arange(BORDER + 1, dtype=np.uint32)
    letters[0], letters[4] = GAP, UNSEEN
    weights = np.random.default_rng(0).random((2, 1 << 18))
    expected = []
    for text, is_even in drawn:
        read = " " + text + " "
        codes = [ord(one) for c in read for one in LETTERS.get(c, "") or "\4"]
        bins, _ = _core.trigrams(np.array(codes, np.uint32).tobytes(), letters.tobytes())
        total = 0.0
        for one in np.frombuffer(bins, np.uint32).tolist():  # in their order, which shows in the last bit
            total += weights[int(is_even), one]
        expected.append((-1, 0.0) if "x" in text else (len(bins) // 4, total))
    found = _core.trigram_sums(
        [text for text, _ in drawn] * times, bytes(is_even for _, is_even in drawn) * times,
        image_table(LETTERS), weights.tobytes(), threads,
    )  # fmt: skip
    counts, sums = np.frombuffer(found[0], np.int64).tolist(), np.frombuffer(found[1], np.float64).tolist()
    assert expected * times == list(zip(counts, sums, strict=True))


# Characters of all kinds that have images, some that have none, and some that change with what stands before them.
KNOWN = "aZßéÉŒœµſŉǆΐΣςЇё½ª…„“–’#&@:\xa0 \t09-." + "\u0301\u0345ﬁ가\u1161Ａ今\ud800İ\U0010ffff"


@settings(max_examples=500)
@given(st.text(st.one_of(st.sampled_from(KNOWN), st.characters(max_codepoint=0x52F)), max_size=30))
def test_folding_by_character_equals_folding_as_a_whole(text: str) -> None:
    whole = unicodedata.normalize("NFKC", text).casefold()
    assert _core.fold_marks([whole]) == folded([text])


def test_no_settled_character_is_joined_with_one_before_it() -> None:
    joined = {
        chr(int(parts[1], 16))
        for code in range(sys.maxunicode + 1)
        if len(parts := unicodedata.decomposition(chr(code)).split()) == 2 and "<" not in parts[0]
    }
    settled = settled_characters()
    assert "a" in settled
    for form in ("NFC", "NFKC"):
        becomes = [unicodedata.normalize(form, one) for one in settled]
        assert set() == {one for text in becomes if not has_marks(text) for one in text} & joined
    rows = np.frombuffer(_core.features(list(map(chr, range(0x110000))), 2), np.int32).reshape(-1, len(COLUMNS))
    unsettled = rows[:, COLUMNS.index("unsettled")].astype(bool)
    for code in np.flatnonzero(~unsettled).tolist():
        one = chr(code)
        assert unicodedata.is_normalized("NFC", one) and not unicodedata.combining(one) and one not in joined, code


@settings(max_examples=200)
@given(
    st.lists(st.text(st.sampled_from("aäßЖ今.,#@&;: wtph/0" + KNOWN), max_size=25), min_size=1, max_size=6),
    st.sampled_from(["LATIN", "CYRILLIC", "CJK"]),
)
def test_likelihoods_by_character_are_those_of_plain_texts(texts: list[str], letters: str) -> None:
    profiles = np.random.default_rng(1).random((2, 1 << 18))
    is_even = np.arange(len(texts)) % 2 == 0
    plain = language._plain(texts)
    assert len(texts) == len(plain)
    images = image_table({one: language._letter(one, letters) for one in set("".join(plain))})
    counts, sums = language._sums(plain, is_even, images, profiles, 1)
    found = likelihoods(texts, is_even, letters, profiles, 1)
    assert counts.tolist() == found.trigrams.tolist()
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(sums / counts, found.means)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(["ab ", "ha", "ha ", "- ", "one two three four ", "x"]), max_size=60).map("".join))
def test_runs_that_tell_something_are_the_longest_ones(text: str) -> None:
    for by_character in (True, False):
        longest = np.frombuffer(_core.runs([text], by_character, 1), np.int32).tolist()
        telling = np.frombuffer(_core.telling_runs([text], by_character, 1), np.int32).tolist()
        repeats, _, covered, char_repeats, _, char_covered = longest
        assert telling in (longest, [0] * 6)
        if (repeats >= 3 and covered >= 8) or (char_repeats >= 8 and char_covered >= 24):
            assert longest == telling


@settings(max_examples=300)
@given(st.text("abcd", max_size=40), st.text("abcd", min_size=12, max_size=40), st.integers(0, 20), st.integers(0, 20))
def test_what_is_like_its_source_shares_its_4_grams(one: str, source: str, start: int, length: int) -> None:
    output = source[:start] + one[:length] + source[start:]  # often nearly the source
    (shared,) = np.frombuffer(_core.shared_at_most([output], [source], 1), np.int32).tolist()
    grams = [source[at : at + 4] for at in range(len(source) - 3)]
    assert shared >= sum(gram in output for gram in grams)
    if 0.6 * len(source) <= len(output) <= 1.6 * len(source) and CHRF().sentence_score(output, [source]).score >= 85:
        assert shared >= 0.6 * (len(source) - 5)


@given(st.text(st.sampled_from("ab \t\n\u3000\x1f\xa0"), max_size=12))
def test_loose_white_space_is_what_squash_changes(text: str) -> None:
    assert bool(cells_of(text)["loose"]) == (text != squash(text))
    assert cells_of(text)["opening"] == ord((text.lstrip() or "\0")[0])


@given(st.lists(st.sampled_from(["a", "b", "ab", "ha ", "- ", " "]), max_size=40).map("".join))
def test_runs_are_those_of_plain_python(text: str) -> None:
    def longest(units: list[str], longest_period: int, needs_letter: bool) -> list[int]:
        best = [0, 0, 0]
        for period in range(1, min(longest_period, len(units) // 2) + 1):
            pairs = 0
            for at in range(len(units) - period):
                pairs = pairs + 1 if units[at] == units[at + period] else 0
                has_letter = any(unit.isalpha() for unit in units[at : at + period])
                if pairs >= period and pairs + period > best[2] and (has_letter or not needs_letter):
                    best = [pairs // period + 1, period, pairs + period]
        return best

    characters = longest(list(text), 12, needs_letter=True)
    words, solid = longest(text.split(), 24, needs_letter=False), longest([*"".join(text.split())], 24, False)
    assert [*words, *characters] == np.frombuffer(_core.runs([text], False, 1), np.int32).tolist()
    assert [*solid, *characters] == np.frombuffer(_core.runs([text], True, 1), np.int32).tolist()


def _examined() -> int:
    gc.collect()
    return sum(isinstance(one, Case | Pool) for one in gc.get_objects())


def test_a_diagnosis_keeps_nothing_but_texts() -> None:
    before = _examined()
    found = diagnose_together(GERMAN.systems, list(GERMAN.references.values()))
    assert (len(GERMAN.systems), before) == (len(found), _examined())
