"""Columns of Arrow data beside lists of strings, files of them, and what rows weigh on disk.

python bench/columns.py              print the table
python bench/columns.py jobs keys    some of its parts: strings, disk, records, jobs, keys
python bench/columns.py --rounds N   how often each side is timed (default 7)
python bench/columns.py --capacity   print the table of docs/columns.md, "How large", by script

Answers are compared with `==` before anything is timed. Times are CPU time on one thread, the sides turn by turn, the
best of all rounds; a bar is a ratio of two sides in the same run. That of `--jobs 2` is time on the wall: it needs two
cores on which nothing else runs. Needs pyarrow.
"""

from __future__ import annotations

import argparse
import functools
import io
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

import corpora
from truebleu import BLEU, CHRF, columns
from truebleu.cli.main import main as main_command
from truebleu.metrics import Metric


class Bar(NamedTuple):
    name: str
    found: float
    must: float
    aim: float | None
    at_least: bool = True  # otherwise at most


def main() -> int:
    parser = argparse.ArgumentParser(description="Time columns of Arrow data.")
    latin = functools.partial(corpora.load, corpora.LATIN)
    parts: dict[str, Callable[[int], list[Bar]]] = {
        "strings": lambda rounds: [
            bar for name in (corpora.LATIN, corpora.CHINESE) for bar in _of_corpus(name, rounds)
        ],
        "disk": lambda _: _on_disk(latin()),
        "records": lambda rounds: _json_lines(latin(), rounds),
        "jobs": lambda rounds: [_jobs(latin(), min(rounds, 3))],
        "keys": lambda _: _many_keys(latin()),
    }
    parser.add_argument("parts", nargs="*", choices=[*parts, []], help="which parts; all unless given")
    parser.add_argument("--rounds", type=int, default=7, help="how often each side is timed")
    parser.add_argument("--capacity", action="store_true", help="time and size of a pair in Parquet, by script")
    options = parser.parse_args()
    rounds = options.rounds
    if options.capacity:
        return _capacity(rounds)
    bars = [bar for name in options.parts or parts for bar in parts[name](rounds)]
    print("| bar | found | must | aim | |\n| --- | ---: | ---: | ---: | --- |")
    for bar in bars:
        sign = "≥" if bar.at_least else "≤"
        is_met = bar.found >= bar.must if bar.at_least else bar.found <= bar.must
        aim = "" if bar.aim is None else f"{sign} {bar.aim:g}"
        print(f"| {bar.name} | {bar.found:.2f} | {sign} {bar.must:g} | {aim} | {'met' if is_met else 'NOT MET'} |")
    return 0


def _of_corpus(name: str, rounds: int) -> list[Bar]:
    corpus, is_latin = corpora.load(name), name == corpora.LATIN
    print(corpus.describe(), file=sys.stderr)
    texts = {"mt": pa.array(corpus.hypotheses), "ref": pa.array(corpus.references)}
    kind = "Western" if is_latin else "CJK"
    bleu, chrf = BLEU(tokenize="13a" if is_latin else "zh"), CHRF()
    plain = pa.table(texts)
    direct, through_lists, lists_there = _race(
        [_columns(bleu, plain), _lists(bleu, plain), _ready(bleu, corpus)], rounds, len(corpus)
    )
    bars = [
        Bar(
            f"{kind}: strings → BLEU, against to_pylist",
            through_lists / direct,
            *((1.4, 1.7) if is_latin else (1.15, 1.4)),
        ),
        Bar(
            f"{kind}: time of strings over that of lists",
            direct / lists_there,
            *((1.0, 0.85) if is_latin else (1.15, 0.95)),
            False,
        ),
    ]
    direct_chrf, through_chrf = _race([_columns(chrf, plain), _lists(chrf, plain)], rounds, len(corpus))
    bars.append(Bar(f"{kind}: strings → chrF, against to_pylist", through_chrf / direct_chrf, 1.25, 1.5))
    if is_latin:
        listed = plain.set_column(1, "ref", pa.array([[text] for text in corpus.references]))
        direct_list, through_list = _race([_columns(bleu, listed), _lists(bleu, listed)], rounds, len(corpus))
        bars.append(Bar("list<string> references → BLEU, against lists", through_list / direct_list, 2.5, 4.0))
        others = {"large_string": pa.large_string(), "string_view": pa.string_view()}
        layouts = {each: pa.table({name: texts[name].cast(to) for name in texts}) for each, to in others.items()}
        layouts["dictionary"] = pa.table({name: texts[name].dictionary_encode() for name in texts})
        layouts["list"] = listed
        times = _race([_columns(bleu, plain), *(_columns(bleu, one) for one in layouts.values())], rounds, len(corpus))
        bars += [
            Bar(f"{each} over string", one / times[0], 1.1, 1.0, False)
            for each, one in zip(layouts, times[1:], strict=True)
        ]
    return bars


def _json_lines(corpus: corpora.Corpus, rounds: int) -> list[Bar]:
    """A file of JSON lines, texts inside other fields, beside the two text files, both large enough to be streamed."""
    copies = -(-(48 << 20) // sum(len(text.encode()) for text in (*corpus.hypotheses, *corpus.references)))
    with tempfile.TemporaryDirectory() as folder:
        records, texts, references = (Path(folder) / name for name in ("a.jsonl", "mt", "ref"))
        pairs = zip(corpus.hypotheses, corpus.references, strict=True)
        lines = [json.dumps({"id": at, "lang": "de", "out": {"mt": h}, "ref": r}) for at, (h, r) in enumerate(pairs)]
        for path, some in ((records, lines), (texts, corpus.hypotheses), (references, corpus.references)):
            path.write_text("".join(line + "\n" for line in some) * copies)

        def command(*words: object) -> Callable[[], float]:
            def score() -> float:
                with redirect_stdout(io.StringIO()) as out:
                    assert main_command([*map(str, words), "-b", "-w", "9", "-q", "--threads", "1"]) == 0
                return float(out.getvalue())

            return score

        sides = [command(records, "--hyp-field", "out.mt", "--ref-field", "ref"), command(references, "-i", texts)]
        of_records, of_lines = _race(sides, rounds, copies * len(corpus))
    record = 1e6 * of_records / copies / len(corpus)
    return [
        Bar("µs of a record of JSON lines, the command", record, 4.0, None, False),
        Bar("JSON lines over text lines, the command", of_records / of_lines, 4.9, 3.0, False),
    ]


def _jobs(corpus: corpora.Corpus, rounds: int, rows: int = 2_000_000) -> Bar:
    """Files of Parquet, one job beside two, each with one thread: time on the wall, with the CPU time beside it."""
    which: dict[str, Any] = {"hypothesis": "mt", "references": "ref", "by": "key", "threads": 1}
    with tempfile.TemporaryDirectory() as folder:
        for at in range(-(-rows // len(corpus))):
            pq.write_table(_keyed(corpus), f"{folder}/{at:03}.parquet", row_group_size=65_536)
        expected, best = columns.score_table(folder, BLEU(), **which), dict.fromkeys((1, 2), float("inf"))
        if any(columns.score_files(folder, BLEU(), **which, jobs=jobs) != expected for jobs in best):
            raise SystemExit("the scores of jobs, or the order of their keys, differ")
        spent = dict(best)
        for _ in range(rounds):
            for jobs in best:
                started, before = time.perf_counter(), time.process_time()
                columns.score_files(folder, BLEU(), **which, jobs=jobs)
                best[jobs] = min(best[jobs], time.perf_counter() - started)
                spent[jobs] = min(spent[jobs], time.process_time() - before)
        for jobs, wall in best.items():
            # Where the machine is quiet, one job waits for nothing, and two use two cores all the time.
            print(f"jobs {jobs}: {wall:.2f} s on the wall, {spent[jobs]:.2f} s of CPU", file=sys.stderr)
    return Bar("two jobs over one, files of Parquet, wall (two idle cores)", best[1] / best[2], 1.7, None)


def _keyed(corpus: corpora.Corpus, keys: int = 61) -> Any:
    names = pa.array([f"system-{at * keys // len(corpus):02d}" for at in range(len(corpus))])
    return pa.table({"key": names, "mt": corpus.hypotheses, "ref": corpus.references})


def _capacity(rounds: int, copies: int = 4) -> int:
    """The table of the documentation: bytes and CPU time of a pair, from Parquet to scores by key."""
    print("| | " + " | ".join(("text", "zstd", "BLEU", "chrF", "both", "BLEU, `--jobs 2`")) + " |\n|---|" + "---|" * 6)
    which: dict[str, Any] = {"hypothesis": "mt", "references": "ref", "by": "key", "threads": 1}
    for script, name in (("Western", corpora.LATIN), ("Cyrillic", corpora.CYRILLIC), ("CJK", corpora.CHINESE)):
        corpus = corpora.load(name)
        bleu, pairs = BLEU(tokenize="zh" if name == corpora.CHINESE else "13a"), copies * len(corpus)
        size = sum(len(text.encode()) for text in (*corpus.hypotheses, *corpus.references)) / len(corpus)
        with tempfile.TemporaryDirectory() as folder:
            for at in range(copies):
                pq.write_table(_keyed(corpus), f"{folder}/{at}.parquet", row_group_size=65_536, compression="zstd")
            packed = Path(folder, "0.parquet").stat().st_size / len(corpus)

            def side(metrics: Any, jobs: int = 1, folder: str = folder) -> Callable[[], float]:
                def score() -> float:
                    return float(sum(columns.score_files(folder, metrics, **which, jobs=jobs)["segments"].to_pylist()))

                return score

            sides = [side(bleu), side(CHRF()), side([bleu, CHRF()]), side(bleu, 2)]
            one, two = (columns.score_files(folder, bleu, **which, jobs=jobs) for jobs in (1, 2))
            if one != two:
                raise SystemExit("the scores of jobs differ")
            times = _race(sides, rounds, pairs)
        cells = [f"{size:.0f} B", f"{packed:.0f} B", *(f"{1e6 * one / pairs:.1f} µs" for one in times)]
        print(f"| {script} | " + " | ".join(cells) + " |", flush=True)
    return 0


def _many_keys(corpus: corpora.Corpus, keys: int = 1_000_000) -> list[Bar]:
    """A million documents of two segments each: time of a row, and time and memory of a key."""
    rows = 2 * keys
    texts = {"mt": pa.array(corpus.hypotheses), "ref": pa.array(corpus.references)}
    table = pa.concat_tables([pa.table(texts)] * -(-rows // len(corpus))).slice(0, rows).combine_chunks()
    table = table.append_column("doc", pa.array([f"doc-{at // 2}" for at in range(rows)]))
    which: dict[str, Any] = {"hypothesis": "mt", "references": "ref", "by": "doc", "threads": 1}
    few = columns.totals(table.slice(0, 2000), BLEU(), **which)
    known = few.keys()
    expected = [few.score(key)["bleu"].score for key in known]
    if few.scores()["bleu"].to_pylist() != expected:
        raise SystemExit("the scores of keys differ")
    before, started = _memory(), time.process_time()
    totals = columns.totals(table, BLEU(), **which)
    counting, memory = time.process_time() - started, _memory() - before
    started = time.process_time()
    scores = totals.scores()
    scoring = time.process_time() - started
    if scores["segments"].to_pylist() != [2] * keys:
        raise SystemExit("the keys differ")
    return [
        Bar("a million keys: µs of a row", 1e6 * counting / rows, 3.0, None, False),
        Bar("a million keys: µs to score a key", 1e6 * scoring / keys, 5.0, None, False),
        Bar("a million keys: bytes of a key", memory / keys, 300.0, None, False),
    ]


def _memory() -> int:
    """Bytes that this process has in memory; on Linux."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _columns(metric: Metric[Any], table: Any) -> Callable[[], float]:
    def score() -> float:
        totals = columns.totals(table, {"m": metric}, hypothesis="mt", references="ref", threads=1)
        return totals.score()["m"].score

    return score


def _lists(metric: Metric[Any], table: Any) -> Callable[[], float]:
    def score() -> Any:
        texts, references = table["mt"].to_pylist(), table["ref"].to_pylist()
        layout = "streams" if table["ref"].type == pa.string() else "segments"
        given = [references] if layout == "streams" else references
        return metric.corpus_score(texts, given, layout=layout, threads=1).score

    return score


def _ready(metric: Metric[Any], corpus: corpora.Corpus) -> Callable[[], float]:
    return lambda: metric.corpus_score(corpus.hypotheses, [corpus.references], threads=1).score


def _race(sides: list[Callable[[], float]], rounds: int, segments: int) -> list[float]:
    """The best time of each side, in microseconds a segment, when all have given the same score."""
    answers = [side() for side in sides]
    if len(set(answers)) > 1:
        raise SystemExit(f"the scores differ: {answers}")
    best = [float("inf")] * len(sides)
    for _ in range(rounds):
        for at, side in enumerate(sides):
            started = time.process_time()
            side()
            best[at] = min(best[at], time.process_time() - started)
    print("  ".join(f"{1e6 * one / segments:.3f} µs" for one in best), file=sys.stderr)
    return best


def _on_disk(corpus: corpora.Corpus) -> list[Bar]:
    table = {"mt": corpus.hypotheses, "ref": corpus.references}
    bars = []
    for metric, must in ((BLEU(), 9.0), (CHRF(), 20.0)):
        rows = columns.rows(table, metric, hypothesis="mt", references="ref")
        file = io.BytesIO()
        pq.write_table(rows, file, compression="zstd")
        bars.append(Bar(f"bytes of a {metric.label} row on disk, zstd", file.tell() / len(corpus), must, None, False))
    return bars


if __name__ == "__main__":
    sys.exit(main())
