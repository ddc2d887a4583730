"""How fast the page of a report is built, how large it is, and how fast it answers.

python bench/page.py                all of it but compare-mt; some minutes
python bench/page.py --peer         compare-mt 0.2.10 too, installed into a temporary folder (needs the network)
python bench/page.py --rounds N     how often each thing is timed (default 3); --no-browser leaves the browser out
python bench/page.py --check        exit 1 when a bar is missed

R1 is 20 systems of 3,000 segments with sources and a label: the nine English-German systems of WMT22, continued with
Ukrainian-English, and eleven made of these by changing words. R2 is English-German as it is: 9 systems, two references.
What the command writes is compared with what the metrics give before anything is timed. Times are medians of all
rounds, wall time, with the seconds of CPU beside them. Needs WMT22 (tools/real_texts.py); the browser needs Playwright
and chromium.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from corpora import ADVICE, needed_wmt22, read, wmt22_folder
from truebleu import BLEU, CHRF, TER, Study
from truebleu.metrics import Metric
from truebleu.nltk import corpus_bleu
from truebleu.study.page.page import study_page

PEER = ("compare-mt==0.2.10", "six")
MEGABYTE = 1e6


class Job(NamedTuple):
    """Texts to report on, and the arguments of the command that reads their files."""

    systems: dict[str, list[str]]
    references: list[list[str]]
    sources: list[str]
    labels: list[str]
    arguments: list[str]

    def study(self, metrics: list[Metric[Any]], test: str) -> Study:
        return Study(
            self.systems, metrics, self.references, sources=self.sources, labels={"part": self.labels}, test=test
        )


class Bar(NamedTuple):
    """What was measured; `must` is None for what has no bar of its own."""

    name: str
    found: float
    must: float | None
    unit: str
    note: str = ""
    at_least: bool = False

    @property
    def is_met(self) -> bool:
        return self.must is None or (self.found >= self.must if self.at_least else self.found <= self.must)


class Took(NamedTuple):
    """The medians of some rounds, in seconds."""

    wall: float
    cpu: float

    def bar(self, name: str, must: float | None = None) -> Bar:
        return Bar(name, self.wall, must, "s", f"CPU {self.cpu:.2f} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer", action="store_true", help="compare-mt, installed into a temporary folder")
    parser.add_argument("--no-browser", action="store_true")
    parser.add_argument("--check", action="store_true", help="exit 1 when a bar is missed")
    given = parser.parse_args()
    if wmt22_folder() is None:
        print(ADVICE)
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bars = list(built(folder, given.rounds))
        if not given.no_browser:
            bars += used(folder, given.rounds)
        if given.peer:
            bars += peer(folder)
    print("| page | found | must | | |\n| --- | ---: | ---: | --- | --- |")
    for bar in bars:
        must = "" if bar.must is None else f"{'≥' if bar.at_least else '≤'} {bar.must:g} {bar.unit}"
        verdict = "" if bar.must is None else "ok" if bar.is_met else "**short**"
        print(f"| {bar.name} | {bar.found:.3g} {bar.unit} | {must} | {bar.note} | {verdict} |")
    return int(given.check and not all(bar.is_met for bar in bars))


# The texts.


def r1(folder: Path, systems: int = 20, segments: int = 3_000) -> Job:
    """Nine real systems over two directions, and others that are made of them by changing words."""
    german, english = wmt22("en-de"), wmt22("uk-en")
    outputs = [[*one, *other][:segments] for one, other in zip(german.outputs, english.outputs, strict=False)]
    sources = [*german.sources, *english.sources][:segments]
    reference = [*german.references[0], *english.references[0]][:segments]
    rng, words, real = random.Random(1), [word for text in reference for word in text.split()], len(outputs)
    for at in range(real, systems):
        rate = 0.02 + 0.01 * (at - real)
        outputs.append([" ".join(changed(rng, text.split(" "), words, rate)) for text in outputs[at % real]])
    labels = ["en-de" if at < len(german.sources) else "uk-en" for at in range(segments)]
    return written(folder, {f"s{at + 1:02}": texts for at, texts in enumerate(outputs)}, [reference], sources, labels)


def r2(folder: Path) -> Job:
    texts = wmt22("en-de")
    systems = {f"s{at + 1:02}": output for at, output in enumerate(texts.outputs)}
    labels = [f"{at * 4 // len(texts.sources)}" for at in range(len(texts.sources))]
    return written(folder, systems, texts.references, texts.sources, labels)


class Direction(NamedTuple):
    sources: list[str]
    references: list[list[str]]
    outputs: list[list[str]]


def wmt22(pair: str) -> Direction:
    folder, (source, target) = needed_wmt22(), pair.split("-")
    references = sorted((folder / "references").glob(f"generaltest2022.{pair}.ref.*.{target}.gz"))
    outputs = sorted((folder / "system-outputs").glob(f"generaltest2022.{pair}.hyp.*.{target}.gz"))
    sources = read(folder / "sources" / f"generaltest2022.{pair}.src.{source}.gz")
    return Direction(sources, [read(path) for path in references], [read(path) for path in outputs])


def changed(rng: random.Random, text: list[str], words: list[str], rate: float) -> Iterator[str]:
    """The words again, some replaced, some doubled, some left out."""
    for word in text:
        dice = rng.random() / rate
        if dice >= 1 or 0.7 <= dice < 0.85:
            yield word
        if dice < 0.85:
            yield rng.choice(words) if dice < 0.7 else word


def written(
    folder: Path, systems: dict[str, list[str]], references: list[list[str]], sources: list[str], labels: list[str]
) -> Job:
    folder.mkdir(exist_ok=True)

    def put(name: str, lines: list[str]) -> str:
        path = folder / f"{name}.txt"
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        return str(path)

    streams = [put(f"reference{at}", stream) for at, stream in enumerate(references)]
    outputs = [put(name, texts) for name, texts in systems.items()]
    more = ["--src", put("sources", sources), "--labels", f"part={put('labels', labels)}"]
    return Job(systems, references, sources, labels, [*streams, "-i", *outputs, *more, "-q"])


# How the page is built.


def built(folder: Path, rounds: int) -> Iterator[Bar]:
    first, second = r1(folder / "r1"), r2(folder / "r2")
    for job in (first, second):
        check(job, folder)
    metrics: list[Metric[Any]] = [BLEU(), CHRF(), TER()]

    def counted() -> Study:
        study = first.study(metrics, "bs2")
        assert study.rows
        return study

    def tested() -> Study:
        study = counted()
        assert study.comparison
        return study

    def make(study: Study) -> None:
        (folder / "r1.html").write_bytes(study_page(study))

    yield timed(rounds, lambda: first.study(metrics, "bs2"), lambda study: study.rows).bar("R1: rows")
    yield timed(rounds, counted, lambda study: study.comparison).bar("R1: tests of all pairs, three metrics")
    yield timed(rounds, tested, lambda study: study.checks).bar("R1: checks")
    yield timed(rounds, tested, make).bar("R1: from rows and comparison to the file", 1.5)
    commands: tuple[tuple[str, Job, list[str], float | None, float], ...] = (
        ("R1: whole command without a test", first, ["-m", "bleu", "chrf", "ter", "--test", "none"], 3.0, 3.0),
        ("R1: whole command, BLEU and chrF, default test", first, ["-m", "bleu", "chrf"], 5.0, 3.0),
        ("R1: whole command, three metrics, default test", first, ["-m", "bleu", "chrf", "ter"], None, 3.0),
        ("R2: whole command, three metrics, default test", second, ["-m", "bleu", "chrf", "ter"], None, 3.0),
    )
    for name, job, arguments, most, largest in commands:
        page = folder / "page.html"
        took = [command(folder, [*report(job, page), *arguments]) for _ in range(rounds)]
        yield median(took).bar(name, most)
        yield Bar(f"{name}: size", page.stat().st_size / MEGABYTE, largest, "MB")


def report(job: Job, page: Path) -> list[str]:
    return [sys.executable, "-m", "truebleu", "report", *job.arguments, "-o", str(page)]


def check(job: Job, folder: Path) -> None:
    """Hold every score of the page and of its JSON against what the metrics give; also to write the bytecode."""
    page, numbers = folder / "page.html", folder / "page.json"
    command(folder, [*report(job, page), "-m", "bleu", "chrf", "ter", "--test", "none", "--json", str(numbers)])
    text, found = page.read_text("utf-8"), json.loads(numbers.read_text("utf-8"))
    metrics: list[Metric[Any]] = [BLEU(), CHRF(), TER()]
    by_segment: list[Metric[Any]] = [BLEU(effective_order=True), CHRF(), TER()]
    for at, metric in enumerate(metrics):
        for name, texts in job.systems.items():
            score = metric.corpus_score(texts, job.references).score
            row = re.search(f'<tr data-system="{name}">(.*?)</tr>', text, re.DOTALL)
            assert row is not None and repr(score) == re.findall('data-value="(.*?)"', row[1])[at], (name, score)
            assert score == found["metrics"][at]["scores"][name]["score"], (name, score)
            segments = by_segment[at].sentence_scores(texts, job.references).tolist()
            assert segments == found["metrics"][at]["segments"][name], name
            for group, label in enumerate(found["groups"][0]["labels"]):
                places = [place for place, one in enumerate(job.labels) if one == label]
                some = [[stream[place] for place in places] for stream in job.references]
                score = metric.corpus_score([texts[place] for place in places], some).score
                key = found["metrics"][at]["key"]
                assert score == found["groups"][0]["scores"][key][name]["score"][group], (name, label)


def command(folder: Path, words: list[str]) -> Took:
    """Run a command, with bytecode at hand after the first time, and measure it."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True, cwd=folder)
    assert process.stdout is not None
    (folder / "output.txt").write_text(process.stdout.read(), "utf-8")
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, f"{' '.join(words)} failed"
    return Took(time.perf_counter() - start, usage.ru_utime + usage.ru_stime)


def timed(rounds: int, prepare: Callable[[], Study], work: Callable[[Study], object]) -> Took:
    """Time work on something that is made anew for each round; a first round is not counted."""
    took = []
    for _ in range(rounds + 1):
        study = prepare()
        wall, cpu = time.perf_counter(), time.process_time()
        work(study)
        took.append(Took(time.perf_counter() - wall, time.process_time() - cpu))
    return median(took[1:])


def median(took: list[Took]) -> Took:
    return Took(statistics.median(one.wall for one in took), statistics.median(one.cpu for one in took))


# How the page answers.

READY = "() => document.documentElement.dataset.state === 'ready' ? window.readyAt : null"
# Till the new scores are on the screen: what follows them waits for a second frame.
ANSWER = """async (changes) => {
    const start = performance.now();
    change(changes);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    return performance.now() - start;
}"""
CARD = """(segment) => {
    const start = performance.now();
    makeCard(live.data, live.state, segment);
    return performance.now() - start;
}"""
# Before the page has any script: notes when it is ready, since the navigation began.
WATCH = """new MutationObserver((_, observer) => {
    if (document.documentElement?.dataset.state === "ready") {
        window.readyAt = performance.now();
        observer.disconnect();
    }
}).observe(document, { attributes: true, subtree: true });"""


def used(folder: Path, rounds: int) -> Iterator[Bar]:
    program = os.environ.get("TRUEBLEU_CHROMIUM") or shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        program = None
    if program is None:
        print("no browser: apt-get install chromium, pip install playwright", file=sys.stderr)
        return
    many = folder / "many.html"
    many.write_bytes(study_page(many_segments()))
    marks = folder / "marks.html"
    marks.write_bytes(study_page(long_texts()))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--enable-precise-memory-info"])
        for name, path, most in (("R1", folder / "r1.html", 100), ("20,000 × 3", many, 500)):
            found = [answers(browser, path) for _ in range(rounds)]
            for what, must, unit in (
                ("ready", 1.5 if most == 100 else None, "s"), ("filter by text", most, "ms"),
                ("filter by label", most, "ms"), ("sort", most, "ms"), ("heap", 150 if most == 100 else None, "MB"),
            ):  # fmt: skip
                note = ""
                if f"{what}, CPU" in found[0]:
                    note = f"CPU of the page {statistics.median(one[f'{what}, CPU'] for one in found):.0f} ms"
                yield Bar(f"{name}: {what}", statistics.median(one[what] for one in found), must, unit, note)
        page = opened(browser, marks, "#marks=pair")
        took = [page.evaluate(CARD, 0) for _ in range(5 * rounds)]
        yield Bar("marks of 3,000 tokens", statistics.median(took), 50, "ms")
        browser.close()


def opened(browser: Any, path: Path, address: str = "") -> Any:
    from playwright.sync_api import expect

    page = browser.new_context(offline=True).new_page()
    page.add_init_script(WATCH)
    page.goto(path.as_uri() + address)
    expect(page.locator("html")).to_have_attribute("data-state", "ready", timeout=60_000)
    return page


def answers(browser: Any, path: Path) -> dict[str, float]:
    from playwright.sync_api import expect

    page = opened(browser, path)
    found = {"ready": page.evaluate(READY) / 1_000}
    label = page.evaluate("() => [live.data.labels[0].name, String(live.data.labels[0].values[0])]")
    inspector = page.context.new_cdp_session(page)
    inspector.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        """What the thread of the page has worked so far, in milliseconds; a busy machine does not count."""
        metrics = inspector.send("Performance.getMetrics")["metrics"]
        return 1_000 * next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")

    # The first answer makes what later ones use again, so each is asked for on a fresh page once.
    for what, changes in (
        ("filter by text", {"filters": [["text", "?"]]}),
        ("filter by label", {"filters": [["label", *label]]}),
        ("sort", {"filters": [], "sort": "gain"}),
    ):
        expect(page.locator("html")).to_have_attribute("data-drawn", "all", timeout=60_000)
        before = busy()
        found[what] = page.evaluate(ANSWER, changes)
        found[f"{what}, CPU"] = busy() - before
    found["heap"] = page.evaluate("() => performance.memory.usedJSHeapSize") / MEGABYTE
    page.context.close()
    return found


def many_segments() -> Study:
    """20,000 segments of three systems: those of English-German, again and again."""
    texts, n = wmt22("en-de"), 20_000
    systems = {f"s{at}": (output * 10)[:n] for at, output in enumerate(texts.outputs[:3])}
    labels = [str(at % 7) for at in range(n)]
    references = [(texts.references[0] * 10)[:n]]
    return Study(systems, [BLEU(), CHRF()], references, labels={"part": labels}, test="none", n_confidence=0)


def long_texts() -> Study:
    texts = [[" ".join(f"w{at * step % 997}" for at in range(3_000))] for step in (3, 5, 7)]
    return Study({"a": texts[0], "b": texts[1]}, [BLEU()], [texts[2]], test="none", n_confidence=0)


# compare-mt.


def peer(folder: Path) -> Iterator[Bar]:
    """Eight systems of English-German: one file of ours against the folder of compare-mt, which takes no more."""
    home = folder / "peer"
    venv.create(home, with_pip=True)
    subprocess.run([home / "bin" / "python", "-m", "pip", "install", "-q", *PEER], check=True)
    texts = wmt22("en-de")
    systems = {f"s{at + 1:02}": output for at, output in enumerate(texts.outputs[:8])}
    job = written(folder / "eight", systems, texts.references[:1], texts.sources, ["x", "y"] * 1_018 + ["x"])
    files = job.arguments[: job.arguments.index("--src")]
    theirs = command(
        folder,
        [str(home / "bin" / "compare-mt"), *(word for word in files if word != "-i"), "--output_directory", "theirs",
         "--scorer_scale", "100"],
    )  # fmt: skip
    printed = re.search(r"^BLEU\t(.*)$", (folder / "output.txt").read_text("utf-8"), re.MULTILINE)
    # compare-mt counts what stands between spaces, in NLTK's way: a segment too short for an order adds one to it.
    references = [[text.strip().split(" ")] for text in texts.references[0]]
    outputs = ([text.strip().split(" ") for text in output] for output in systems.values())
    scores = [100 * corpus_bleu(references, output) for output in outputs]
    assert printed is not None and [f"{score:.4f}" for score in scores] == printed[1].split("\t"), (printed, scores)
    page = folder / "eight.html"
    ours = command(folder, [*report(job, page), "-m", "bleu"])
    folder_size = sum(path.stat().st_size for path in (folder / "theirs").rglob("*") if path.is_file())
    yield theirs.bar("compare-mt: 8 systems of en-de")
    yield ours.bar("ours: 8 systems of en-de, default test")
    yield Bar("compare-mt over ours, wall", theirs.wall / ours.wall, 5, "×", at_least=True)
    yield Bar("compare-mt over ours, CPU", theirs.cpu / ours.cpu, None, "×")
    number = sum(path.is_file() for path in (folder / "theirs").rglob("*"))
    yield Bar("compare-mt: size", folder_size / MEGABYTE, None, "MB", f"{number} files")
    yield Bar("ours: size", page.stat().st_size / MEGABYTE, None, "MB", "1 file, all segments of all systems in it")


if __name__ == "__main__":
    sys.exit(main())
