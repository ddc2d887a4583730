"""PairedTest beside sacreBLEU's, and what it refuses."""

import gzip
import inspect
import logging
from pathlib import Path
from typing import Any

import pytest
import sacrebleu.metrics
import sacrebleu.significance

import truebleu.metrics
from strategies import Generator
from truebleu import demo
from truebleu.errors import LengthMismatch, OptionError, TooFew, UnknownTest
from truebleu.significance import PairedTest, Result

# sacreBLEU's means and intervals come from 32-bit floats: scores below 100 are off by up to 4e-6 each.
TOLERANCE = 2e-5

Systems = list[tuple[str, list[str]]]


def metrics(package: Any, **options: Any) -> dict[str, Any]:
    return {
        "BLEU": package.BLEU(**options),
        "CHRF": package.CHRF(**options),
        "CHRF++": package.CHRF(word_order=2, **options),
        "TER": package.TER(**options),
    }


def assert_same(systems: Systems, references: Any, names: list[str], *arguments: int | str) -> float:
    """Everything sacreBLEU says, we say; returns the largest difference of means and half-widths."""
    ours, theirs = metrics(truebleu.metrics, empty_refs="keep"), metrics(sacrebleu.metrics)
    there = sacrebleu.significance.PairedTest(systems, {n: theirs[n] for n in names}, references, *arguments)()
    here = PairedTest(systems, {n: ours[n] for n in names}, references, *arguments)()
    assert list(there[0]) == list(here[0])
    for name, signature in there[0].items():
        fields = str(here[0][name]).replace("|empty:keep", "").split("|")
        assert str(signature).split("|")[:-1] == fields[:-1]
    assert there[1]["System"] == here[1]["System"]
    largest = 0.0
    for name in there[0]:
        for expected, found in zip(there[1][name], here[1][name], strict=True):
            assert isinstance(found, Result)
            assert (expected.score, expected.p_value) == (found.score, found.p_value), (name, arguments)
            if expected.mean is None:
                assert (None, None) == (found.mean, found.ci)
                continue
            largest = max(largest, abs(expected.mean - found.mean), abs(expected.ci - found.ci))
    assert largest < TOLERANCE
    return largest


def generated(name: str, streams: int, segments: int = 60) -> tuple[Systems, Any]:
    """Two systems that are damaged copies of a third, with one to three references."""
    generator = Generator(name, longest=40)
    corpus = generator.corpus(segments=segments, streams=streams)
    texts = corpus.hypotheses
    damaged = [[text if at % 3 else generator.variant(text) for at, text in enumerate(texts)] for _ in "bc"]
    return list(zip("abc", [texts, *damaged], strict=True)), corpus.streams


@pytest.mark.parametrize("streams", [1, 2, 3])
@pytest.mark.parametrize("arguments", [("bs", 300), ("ar", 500), ("ar", 500, 200)])
def test_generated_systems_get_sacrebleus_p_values(
    streams: int, arguments: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in ("12345", "7"):
        monkeypatch.setenv("SACREBLEU_SEED", seed)
        systems, references = generated(f"paired-{streams}-{seed}", streams)
        assert_same(systems, references, ["BLEU", "CHRF", "CHRF++", "TER"], *arguments)


def test_the_demo_gets_sacrebleus_p_values() -> None:
    data = demo.load("en-es")
    systems = [(name, list(texts)) for name, texts in data.systems.items()]
    for arguments in (("bs", 200), ("ar", 300, 100)):
        assert_same(systems, list(data.references.values()), ["BLEU", "CHRF"], *arguments)


def real_systems(wmt22: Path, pair: str, reference: str, count: int, segments: int | None) -> tuple[Systems, Any]:
    lang = pair.split("-")[1]

    def read(path: Path) -> list[str]:
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
            return [line.rstrip("\n") for line in file][:segments]

    paths = sorted((wmt22 / "system-outputs").glob(f"generaltest2022.{pair}.hyp.*.{lang}.gz"))[:count]
    references = wmt22 / "references" / f"generaltest2022.{pair}.ref.{reference}.{lang}.gz"
    return [(path.name.split(".hyp.")[1], read(path)) for path in paths], [read(references)]


@pytest.mark.parametrize("arguments", [("bs", 500), ("ar", 500, 200)])
def test_the_first_lines_of_real_systems_get_sacrebleus_p_values(wmt22: Path, arguments: tuple[Any, ...]) -> None:
    systems, references = real_systems(wmt22, "en-de", "A", 3, 100)
    assert_same(systems, references, ["BLEU", "CHRF", "TER"], *arguments)


@pytest.mark.full
@pytest.mark.parametrize("seed", ["12345", "7"])
@pytest.mark.parametrize("arguments", [("bs",), ("ar", 0, 0)])
@pytest.mark.parametrize(("pair", "reference", "count"), [("en-de", "A", 9), ("uk-en", "A", 6)])
def test_real_systems_get_sacrebleus_p_values(
    wmt22: Path, pair: str, reference: str, count: int, arguments: Any, seed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thirteen pairs of systems, two tests, two seeds; TER, which costs sacreBLEU minutes, on 500 segments."""
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    for names, segments in ((["BLEU", "CHRF"], None), (["TER"], 500)):
        systems, references = real_systems(wmt22, pair, reference, count, segments)
        largest = assert_same(systems, references, names, *arguments)
        print(f"{pair} {names} {arguments} seed {seed}: means and half-widths differ by at most {largest:.2g}")


def test_the_number_of_threads_does_not_show() -> None:
    systems, references = generated("threads", 2, 300)
    for arguments in (("bs", 400), ("ar", 700, 300)):
        results = [
            PairedTest(systems, metrics(truebleu.metrics), references, *arguments, n_jobs=jobs)()[1]
            for jobs in (1, 2, 5, 0)
        ]
        assert [results[0]] * 4 == results


def test_arguments_and_results_are_sacrebleus_and_ours_are_by_name_only() -> None:
    for ours, theirs in ((PairedTest, sacrebleu.significance.PairedTest), (Result, sacrebleu.significance.Result)):
        here, there = inspect.signature(ours).parameters.values(), inspect.signature(theirs).parameters.values()
        positional = [one for one in here if one.kind is not one.KEYWORD_ONLY]
        assert [(one.name, one.default) for one in there] == [(one.name, one.default) for one in positional]
        assert {one.name for one in here if one not in positional} <= {"seed", "documents", "level", "resegment"}
    for values in ((1.5,), (1.5, 0.25), (1.5, None, 2.0, 3.0)):
        assert repr(sacrebleu.significance.Result(*values)) == repr(Result(*values))


def test_all_numbers_are_plain_floats() -> None:
    systems, references = generated("plain", 1)
    _, scores = PairedTest(systems, metrics(truebleu.metrics), references, "bs", 50)()
    for name, results in scores.items():
        for result in results:
            if name == "System":
                assert type(result) is str
            else:
                assert {float, type(None)} >= {type(value) for value in vars(result).values()}


def test_cached_references_serve() -> None:
    systems, references = generated("cached", 2)
    given = PairedTest(systems, metrics(truebleu.metrics), references, "ar", 100)()
    cached = PairedTest(systems, metrics(truebleu.metrics, references=references), None, "ar", 100)()
    assert given == cached


def test_a_copy_of_the_baseline_has_p_one_and_is_named(caplog: pytest.LogCaptureFixture) -> None:
    (name, texts), *_ = generated("copy", 1)[0]
    references = generated("copy", 1)[1]
    for test in ("ar", "bs"):
        caplog.clear()
        with caplog.at_level(logging.WARNING, logger="truebleu"):
            _, scores = PairedTest([(name, texts), ("copy", list(texts))], {"TER": truebleu.TER()}, references, test)()
        assert 1.0 == scores["TER"][1].p_value  # type: ignore[union-attr]
        assert ["'copy' has the same TER statistics as the baseline 'a': p = 1"] == caplog.messages


def test_seeds_follow_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    systems, references = generated("seeds", 1)

    def run() -> Any:
        return PairedTest(systems, {"BLEU": truebleu.BLEU()}, references, "ar", 200)()

    default = run()
    monkeypatch.setenv("SACREBLEU_SEED", " 0_0 ")
    assert run() == run()
    assert "|seed:0|" in str(run()[0]["BLEU"])
    assert default[1] != run()[1]
    monkeypatch.setenv("SACREBLEU_SEED", "007")
    assert "|seed:7|" in str(run()[0]["BLEU"])
    monkeypatch.setenv("SACREBLEU_SEED", "NONE")
    assert "|seed:none|" in str(run()[0]["BLEU"])
    assert len({str(run()[1]) for _ in range(8)}) > 1
    monkeypatch.setenv("SACREBLEU_SEED", str(2**200 + 5))
    assert run() == run()


def test_a_seed_that_is_passed_takes_the_place_of_the_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    systems, references = generated("seeds", 1)
    arguments: Any = systems, {"BLEU": truebleu.BLEU()}, references, "ar", 200, 50
    passed = PairedTest(*arguments, seed=7)()
    assert passed != PairedTest(*arguments)()
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    assert passed == PairedTest(*arguments)()
    assert "|seed:none|" in str(PairedTest(*arguments, seed="none")()[0]["BLEU"])
    with pytest.raises(OptionError, match="the seed is '-1'"):
        PairedTest(*arguments, seed=-1)()


def test_a_large_seed_is_numpys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", str(2**170 + 2**40 + 5))
    systems, references = generated("large", 1)
    assert_same(systems, references, ["BLEU"], "bs", 100)


def test_what_cannot_be_tested_is_refused() -> None:
    systems, references = generated("refused", 1)
    bleu = {"BLEU": truebleu.BLEU()}
    with pytest.raises(UnknownTest, match="test_type is 'xx', expected 'ar' or 'bs'"):
        PairedTest(systems, bleu, references, "xx")
    with pytest.raises(AssertionError):
        PairedTest(systems, bleu, references, "xx")
    with pytest.raises(TooFew, match="named_systems has 1 system"):
        PairedTest(systems[:1], bleu, references)
    with pytest.raises(IndexError):
        PairedTest([], bleu, references)
    with pytest.raises(OptionError, match="n_jobs is -1"):
        PairedTest(systems, bleu, references, n_jobs=-1)
    with pytest.raises(OptionError, match=r"n_samples is 1\.5"):
        PairedTest(systems, bleu, references, n_samples=1.5)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="n_samples is 1000000000000, expected a whole number"):
        PairedTest(systems, bleu, references, n_samples=10**12)
    with pytest.raises(LengthMismatch):
        PairedTest([systems[0], ("short", systems[1][1][:-1])], bleu, references)()
    with pytest.raises(TooFew, match="there is 1 segment"):
        PairedTest([("a", ["x"]), ("b", ["y"])], bleu, [["x"]])()
    with pytest.raises(ValueError):
        PairedTest(systems, bleu, [references[0][:-1]])()
