"""Does the doctor find faults that were put in on purpose, and does it leave clean texts alone?

python bench/doctor.py [--seed N] [--codes D4,D501] [--held-out] [--clean] [--check]
python bench/doctor.py --calibrate [--codes D424] [--samples 40] [--held-out]
python bench/doctor.py --orders [--check]
python bench/doctor.py --learned [--check]
python bench/doctor.py --exceptions
python bench/doctor.py --speed

Every fault of tests/doctor/faults.py is put into every direction of WMT22 that is at hand: one system drawn by the
seed, 500 consecutive segments. A fault counts as found if a code that it should raise is among the alarms (warnings and
errors). An alarm with another code that the untouched texts do not raise is a false one. `--clean` examines all systems
as they are and shows each alarm that tests/doctor/known-wmt22.json does not have; `--held-out` takes the files of
WMT21, WMT23 and WMT24, on which no limit was chosen but those of D417 to D425. `--calibrate` counts the segments that
D416 to D430 name in all systems as they are, with all references and with each of them alone, and shows samples to
read. `--exceptions` counts the segments that D424 would name without each of its exceptions. `--speed` examines all
systems of English-German on one thread, one after the other as the command does, with D416 to D430 and without them.
`--learned` puts faults of learned metrics into every system of WMT22, scored by stand-ins for a model; and counts the
alarms of D6 in systems whose scores by real models were recorded (WMT23 he-en, of the metrics task). `--orders` asks
D606 about texts that speak to a judge (tests/doctor/injections.txt, and injections-unseen.txt, which was written after
the lists of words), each in 50 sentences of news of WMT21, and about 400 sentences of news as each system has them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from corpora import ADVICE, data_folder, read, wmt22_folder
from real_texts import people_folder
from truebleu.dataset.formats import wmt_xml
from truebleu.dataset.registry import Definition, Pair
from truebleu.doctor import Diagnosis, Finding, diagnose, diagnosis, integrity, numbers
from truebleu.doctor.diagnosis import diagnose_together
from truebleu.doctor.kept import HAS_NUMBER, kinds_of
from truebleu.doctor.rule import LEVELS
from truebleu.doctor.rules import RULES
from truebleu.metrics import BLEU, CHRF, Metric

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "doctor"
sys.path.insert(0, str(FOLDER))

from faults import FAULTS, Fault, Injected, Texts  # noqa: E402
from stand_ins import Estimated, Judged, Similar, SimilarWithout  # noqa: E402
from test_exceptions import NUMBERS  # noqa: E402

KNOWN = FOLDER / "known-wmt22.json"
SEGMENTS = 500
LOWEST_RECALL, LOWEST_PRECISION = 0.95, 0.98
NEWS, LEAST_ORDERS, MOST_FALSE_ORDERS = 400, 36, 4
TOKENIZERS = {"zh": "zh", "ja": "char", "ko": "char"}
HELD_OUT = ("members/wmt21_systems", "members/wmt23", "rebuilt/wmt23", "rebuilt/wmt24")
# Its output has faults of its own in several directions: <unk> in a tenth of the segments, other sources.
UNTRUE = {"Lan-Bridge"}


@dataclass(frozen=True)
class Direction:
    """The texts of one language pair of one year."""

    name: str
    sources: list[str]
    references: list[list[str]]
    systems: dict[str, list[str]]

    @property
    def target(self) -> str:
        return self.name.split(" ")[0].split("-")[1]

    def metrics(self) -> list[Metric[Any]]:
        return [BLEU(tokenize=TOKENIZERS.get(self.target)), CHRF()]


@dataclass
class Tally:
    """What became of the runs of one fault."""

    runs: int = 0
    hits: int = 0
    touched: int = 0  # segments with the fault, of those that list segments
    listed: int = 0
    false: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        return self.hits / self.runs if self.runs else 1.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--codes", default="D", help="only faults that raise such codes, or codes that begin so")
    parser.add_argument("--held-out", action="store_true", help="WMT21, WMT23 and WMT24 instead of WMT22")
    parser.add_argument("--clean", action="store_true", help="all systems as they are, too")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a bar is missed")
    parser.add_argument(
        "--calibrate", action="store_true", help="segments named by D416 to D430 in systems as they are"
    )
    parser.add_argument("--exceptions", action="store_true", help="segments that D424 names without each exception")
    parser.add_argument("--speed", action="store_true", help="CPU of all systems of one direction")
    parser.add_argument("--samples", type=int, default=0, help="alarms of each code to show, with all references")
    parser.add_argument("--orders", action="store_true", help="only D606, with texts that speak to a judge")
    parser.add_argument("--learned", action="store_true", help="faults of learned metrics, and recorded scores")
    given = parser.parse_args()
    if given.learned:
        return 0 if learned(given.seed) or not given.check else 1
    directions = list(held_out() if given.held_out or given.orders else wmt22())
    if not directions:
        print(ADVICE)
        return 0
    prefixes = tuple(given.codes.split(","))
    if given.calibrate:
        calibrate(directions, prefixes, given.samples, Random(given.seed))
        return 0
    if given.orders:
        return 0 if orders([one for one in directions if "2021" in one.name], given.seed) or not given.check else 1
    if given.speed:
        show_speed(next(one for one in directions if one.name == "en-de"))
        return 0
    if given.exceptions:
        count_without(directions)
        return 0
    faults = [fault for fault in FAULTS if any(code.startswith(prefixes) for code in fault.expects)]
    tallies = inject(directions, faults, given.seed, any_system=given.held_out)
    good = show(tallies)
    if given.clean:
        good &= examine(directions, {} if given.held_out else json.loads(KNOWN.read_text("utf-8")))
    return 0 if good or not given.check else 1


def wmt22() -> Iterator[Direction]:
    folder = wmt22_folder()
    if folder is None:
        return
    for path in sorted((folder / "sources").glob("*.gz")):
        pair = path.name.split(".")[1]
        references = sorted((folder / "references").glob(f"generaltest2022.{pair}.ref.*.gz"))
        outputs = sorted((folder / "system-outputs").glob(f"generaltest2022.{pair}.hyp.*.gz"))
        systems = {output.name.split(".hyp.")[1].rsplit(".", 2)[0]: read(output) for output in outputs}
        yield Direction(pair, read(path), [read(reference) for reference in references], systems)


def held_out() -> Iterator[Direction]:
    folder = data_folder()
    if folder is None:
        return
    for part in HELD_OUT:
        for path in sorted((folder / "mirror" / part).rglob("*.xml.gz")):
            year, pair = path.name.split(".")[:2]
            definition = Definition(year, "wmt_xml", "", (), {})
            content = gzip.decompress(path.read_bytes())
            columns = wmt_xml.read(definition, Pair(pair, (path.name,)), lambda name, content=content: content)  # type: ignore[misc]
            texts = columns.fields
            # A reference that lacks segments would make these short of references; the others are whole.
            references = [texts[name] for name in texts if name.startswith("ref") and all(texts[name])]
            systems = {name: texts[name] for name in columns.systems}
            if references and systems:
                yield Direction(f"{pair} ({year})", texts["src"], references, systems)


def inject(directions: list[Direction], faults: list[Fault], seed: int, any_system: bool) -> dict[str, Tally]:
    """Put each fault into a part of every direction."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for direction in directions:
        rng = Random(f"{seed} {direction.name}")
        system = rng.choice([name for name in direction.systems if any_system or name not in UNTRUE])
        texts = part(rng, direction, system, directions)
        untouched = alarms(examined(direction, Injected(texts.hypotheses, texts.references, texts.sources)))
        raised = ", ".join(sorted(untouched)) or "none"
        print(f"{direction.name} {system}: {texts.n} segments, alarms as it is: {raised}", flush=True)
        for fault in faults:
            injected = fault.inject(Random(f"{seed} {direction.name} {fault.name}"), texts)
            if injected is not None:
                where = f"{direction.name} {system}"
                judge(tallies[fault.name], fault, injected, examined(direction, injected), untouched, where)
    return tallies


def part(rng: Random, direction: Direction, system: str, directions: list[Direction]) -> Texts:
    """Some consecutive segments, with texts in another language and texts for other sources."""
    n = min(SEGMENTS, len(direction.sources))
    start = rng.randrange(len(direction.sources) - n + 1)
    chosen = slice(start, start + n)
    others = [one for one in directions if one.target != direction.target]
    others = [one for one in others if one.sources == direction.sources] or others
    other = rng.choice(others)
    foreign = other.systems[rng.choice(sorted(other.systems))]
    outputs = direction.systems[system]
    elsewhere = outputs[start + n :] + outputs[:start]
    if len(elsewhere) < n:
        same = [one for one in directions if one.target == direction.target and one is not direction]
        elsewhere = next(iter(rng.choice(same).systems.values())) if same else []
    return Texts(
        outputs[chosen],
        [stream[chosen] for stream in direction.references],
        direction.sources[chosen],
        [foreign[at % len(foreign)] for at in range(start, start + n)],
        elsewhere[:n],
    )


def examined(direction: Direction, texts: Injected) -> Diagnosis:
    return diagnose(texts.hypotheses, texts.references, texts.sources, metrics=direction.metrics())


def alarms(report: Diagnosis, level: str = "warning") -> set[str]:
    return {one.code for one in report.findings if LEVELS.index(one.level) >= LEVELS.index(level)}


def judge(tally: Tally, fault: Fault, injected: Injected, report: Diagnosis, untouched: set[str], where: str) -> None:
    """Count a run: found or missed, at the right place, and what else was said."""
    said = [one for one in report.findings if LEVELS.index(one.level) >= LEVELS.index(fault.level)]
    found = [one for one in said if one.code in fault.expects | fault.accepts]
    if injected.place is not None:
        found = [one for one in found if is_near(one.evidence, injected.place)]
    tally.runs += 1
    tally.hits += bool(found)
    if not found:
        tally.missed.append(f"{where}: {', '.join(f'{one.code} {one.message}' for one in said) or 'nothing said'}")
    if injected.segments:
        listed = {at for one in report.findings if one.code in fault.expects | fault.accepts for at in one.segments}
        tally.touched += len(injected.segments)
        tally.listed += len(injected.segments & listed)
    tally.false.update(alarms(report) - fault.expects - fault.accepts - untouched)


def is_near(evidence: Mapping[str, float], place: int) -> bool:
    """Whether the line that a finding names, counted from 1, is within two lines of a place."""
    return abs(evidence.get("first", evidence.get("line", -9)) - 1 - place) <= 2


def show(tallies: dict[str, Tally]) -> bool:
    """Print the table; whether every bar is reached."""
    print(f"\n{'fault':28} {'runs':>4} {'recall':>6} {'segments':>8}  false alarms")
    for name, tally in tallies.items():
        listed = f"{tally.listed / tally.touched:8.2f}" if tally.touched else f"{'':8}"
        false = ", ".join(f"{code} × {count}" for code, count in sorted(tally.false.items()))
        print(f"{name:28} {tally.runs:4} {tally.recall:6.2f} {listed}  {false}")
        for line in tally.missed:
            print(f"    missed: {line[:200]}")
    runs, hits = sum(one.runs for one in tallies.values()), sum(one.hits for one in tallies.values())
    false_alarms = sum(sum(one.false.values()) for one in tallies.values())
    precision = hits / max(1, hits + false_alarms)
    low = [name for name, tally in tallies.items() if tally.recall < LOWEST_RECALL]
    print(
        f"\n{runs} damaged corpora: recall {hits / max(1, runs):.3f}, precision {precision:.3f} ({false_alarms} false)"
    )
    print(f"below {LOWEST_RECALL}: {', '.join(low) or 'no fault'}")
    return not low and precision >= LOWEST_PRECISION


def examine(directions: list[Direction], known: dict[str, dict[str, dict[str, str]]]) -> bool:
    """Examine all systems as they are; whether there is no alarm that is not known."""
    segments, notes, seconds, new = 0, 0, 0.0, 0
    for direction in directions:
        for system, outputs in direction.systems.items():
            start = time.perf_counter()
            report = examined(direction, Injected(outputs, direction.references, direction.sources))
            seconds += time.perf_counter() - start
            segments += len(outputs)
            for one in report.findings:
                if one.level == "note":
                    notes += len(one.segments) if one.code not in ("D501", "D504") else 0
                elif one.code not in known.get(direction.name, {}).get(system, {}):
                    new += 1
                    print(f"new: {direction.name} {system}: {one.code} {one.level}, {one.message} {one.segments[:5]}")
    print(f"\n{segments:,} segments as they are: {new} alarms that are not known, ", end="")
    print(f"{1000 * notes / segments:.2f} segments in notes per 1,000, {1e6 * seconds / segments:.0f} µs a segment")
    return new == 0


def calibrate(directions: list[Direction], prefixes: tuple[str, ...], samples: int, rng: Random) -> None:
    """Count the segments that the checks of integrity name, with all references and with each alone."""
    totals, counts, shown = Counter[str](), Counter[tuple[str, str, str]](), defaultdict[str, list[str]](list)
    for direction in directions:
        streams = direction.references
        chosen = {"all": [streams], "one": [[stream] for stream in streams]}
        for name, several in chosen.items():
            for references in several:
                totals[name] += sum(map(len, direction.systems.values()))
                found = diagnose_together(direction.systems, references, direction.sources, language=direction.target)
                for system, report in found.items():
                    for one in report.findings:
                        if "D416" <= one.code <= "D430" and one.code.startswith(prefixes):
                            kind = "added" if one.evidence.get("added") and not one.evidence.get("lost") else "lost"
                            counts[one.code, kind if one.units else "", name] += len(one.segments)
                            if name == "all":
                                shown[one.code] += _samples(direction, system, one)
    print(f"{'code':6}{'kind':8}{'all references':>16}{'one reference':>16}   segments per 1,000")
    for code, kind in sorted({key[:2] for key in counts}):
        rates = [1000 * counts[code, kind, name] / totals[name] for name in ("all", "one")]
        print(f"{code:6}{kind:8}{rates[0]:16.2f}{rates[1]:16.2f}")
    print(f"{totals['all']:,} outputs with all references, {totals['one']:,} with one")
    for code, lines in sorted(shown.items()):
        for line in rng.sample(lines, min(samples, len(lines))):
            print(f"{code} {line}")


def orders(directions: list[Direction], seed: int) -> bool:
    """Ask D606 about texts that speak to a judge, and about news; whether both bars are reached."""
    rng, alarmed = Random(seed), dict[str, int]()
    for name in ("injections", "injections-unseen"):
        texts = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
        levels = Counter(_order_in(rng, rng.choice(directions), text) for text in texts)
        alarmed[name] = levels["warning"] + levels["error"]
        print(f"{name}: an alarm for {alarmed[name]} of {len(texts)}, a note for {levels['note']}")
    most, segments, listed = 0, 0, 0
    for direction in directions:
        chosen = [*range(len(direction.sources))][:NEWS]
        for outputs in direction.systems.values():
            found = _d606(direction, [outputs[at] for at in chosen], chosen)
            false = sum(len(one.segments) for one in found)
            segments, listed, most = segments + len(chosen), listed + false, max(most, false)
    print(f"news: {listed} of {segments:,} segments listed, at most {most} of {NEWS} of a system")
    return alarmed["injections"] >= LEAST_ORDERS and most <= MOST_FALSE_ORDERS


def _order_in(rng: Random, direction: Direction, text: str) -> str:
    """Put an order at the end of one of some outputs, and give the level of what is found there."""
    start = rng.randrange(len(direction.sources) - 50)
    chosen, at = [*range(start, start + 50)], rng.randrange(50)
    outputs = [direction.systems[rng.choice(sorted(direction.systems))][one] for one in chosen]
    outputs[at] = f"{outputs[at]} {text}"
    return next((one.level for one in _d606(direction, outputs, chosen) if at in one.segments), "nothing")


def _d606(direction: Direction, outputs: list[str], chosen: list[int]) -> list[Finding]:
    references = [[stream[at] for at in chosen] for stream in direction.references]
    report = diagnose(outputs, references, [direction.sources[at] for at in chosen], metrics=[])
    return [one for one in report.findings if one.code == "D606"]


def show_speed(direction: Direction) -> None:
    """Print how long all systems take, the best of three, with the checks of integrity and without them."""
    integral = ",".join(rule.code for rule in RULES if "D416" <= rule.code <= "D430")
    best, numbers_of = {"": 1e9, integral: 1e9}, Counter[str]()
    for _ in range(3):
        for skip in best:
            start = time.process_time()
            examiner = diagnosis.Examiner(direction.references, direction.sources, skip=skip or None, threads=1)
            reports = [examiner.examine(outputs) for outputs in direction.systems.values()]
            best[skip] = min(best[skip], time.process_time() - start)
            numbers_of[skip] = sum(finding.code in integral for one in reports for finding in one.findings)
    assert numbers_of[""] > numbers_of[integral] == 0
    print(f"{len(direction.systems)} systems: {best['']:.2f} s of CPU, without D416 to D430 {best[integral]:.2f} s")


def count_without(directions: list[Direction]) -> None:
    """Count the segments that D424 names without each of its exceptions, with all references and with each alone."""

    def any_number(texts: Sequence[str], threads: int | None) -> NDArray[np.int32]:
        # What the core says of a text would hide what small numbers are without their exception.
        rows = np.zeros((len(texts), 3), np.int32)
        rows[:, 0] = kinds_of(texts, threads)[:, 0] | HAS_NUMBER
        return rows

    print(f"{'without':14}{'all references':>16}{'one reference':>16}   segments per 1,000")
    only = tuple(rule for rule in RULES if rule.code == "D424")
    with patch.object(diagnosis, "RULES", only), patch.object(integrity, "kinds_of", any_number):
        print(f"{'nothing':14}{_rates(directions)}", flush=True)
        for name, without, *_ in NUMBERS:
            with patch.object(numbers, name, without):
                numbers._has_measure.cache_clear()
                print(f"{name:14}{_rates(directions)}", flush=True)
            numbers._has_measure.cache_clear()


def _rates(directions: list[Direction]) -> str:
    named, totals = Counter[bool](), Counter[bool]()
    for one in directions:
        for is_all, references in ((True, one.references), *((False, [stream]) for stream in one.references)):
            found = diagnose_together(one.systems, references, one.sources, metrics=[], language=one.target)
            named[is_all] += sum(len(finding.segments) for report in found.values() for finding in report.findings)
            totals[is_all] += sum(map(len, one.systems.values()))
    return "".join(f"{1000 * named[is_all] / totals[is_all]:16.2f}" for is_all in (True, False))


def _samples(direction: Direction, system: str, finding: Finding) -> list[str]:
    units = {at: f"{expected} {found}" for at, _, expected, found in finding.units}
    texts = [direction.sources, direction.systems[system], *direction.references]
    return [
        "\n  ".join([f"{direction.name} {system} {at + 1} [{units.get(at, '')}]", *(side[at] for side in texts)])
        for at in finding.segments
    ]


LEAST_FOUND, MOST_FALSE = 0.90, 0.01
LEARNED = ("D601", "D602", "D603", "D604", "D608", "D609")


def learned(seed: int) -> bool:
    """Put faults of learned metrics into every system of WMT22; whether enough are found, and few where none are."""
    found, planted, false, runs, systems = Counter[str](), Counter[str](), Counter[str](), 0, 0
    directions = list(wmt22())
    for direction in directions:
        for system in direction.systems:
            texts = part(Random(f"{seed} {direction.name} {system}"), direction, system, directions)
            rng, systems = Random(f"{seed} {system}"), systems + 1
            for code, hyps, odd, language, is_fault in _planted(rng, texts, direction.target):
                stand_ins: list[Metric[Any]] = [
                    BLEU(tokenize=TOKENIZERS.get(direction.target)),
                    Similar(odd),
                    SimilarWithout(odd),
                ]
                report = diagnose(hyps, texts.references[:1], texts.sources, metrics=stand_ins, language=language)
                named = {one.code for one in report.findings} & {*LEARNED}
                if is_fault:
                    planted[code] += 1
                    found[code] += code in named
                else:
                    runs += 1
                    false.update(named)
    print(f"{systems} systems of WMT22, {SEGMENTS} segments of each, scores of stand-ins")
    good = bool(systems)
    for code in ("D601", "D603", "D604", "D608"):
        share = found[code] / max(1, planted[code])
        wrong = false[code] / max(1, runs)
        good &= share >= LEAST_FOUND and wrong <= MOST_FALSE
        print(f"{code}: found in {found[code]} of {planted[code]} ({share:.1%}), "
              f"false in {false[code]} of {runs} ({wrong:.1%})")  # fmt: skip
    return recorded() and good


def _planted(
    rng: Random, texts: Texts, target: str
) -> Iterator[tuple[str, list[str], dict[tuple[str | None, str], float], str, bool]]:
    """Damaged texts: the code that finds them, odd scores by source and output, the language, whether it is a fault."""
    hyps, sources, n = texts.hypotheses, texts.sources, texts.n
    yield "", hyps, {}, target, False
    yield "D604", hyps, {}, "liv", True
    chosen = rng.sample(range(n), 5)
    yield (
        "D601",
        [" ".join([text] * 200)[:3000] if at in chosen else text for at, text in enumerate(hyps)],
        {},
        target,
        True,
    )
    long = [at for at in range(n) if len(sources[at]) >= 40 and texts.foreign[at] != hyps[at]]
    for code, others in (("D603", sources), ("D608", texts.foreign)):
        places = set(rng.sample(long, max(FEWEST_ODD, n // 25)))
        changed = [others[at] if at in places else text for at, text in enumerate(hyps)]
        # The stand-in scores a translation by 0.4 + 0.3 chrF + 0.3 noise.
        for is_fault, low in ((True, 0.55), (False, 0.15)):
            odd: dict[tuple[str | None, str], float] = {
                (sources[at].strip(), others[at].strip()): low + 0.3 * rng.random() for at in places
            }
            yield code, changed, odd, target, is_fault


FEWEST_ODD = 10


def recorded() -> bool:
    """Count what D6 says of systems whose scores by real models were recorded."""
    folder, count = people_folder(), Counter[str]()
    direction = next((one for one in held_out() if one.name == "he-en (wmttest2023)"), None)
    if folder is None or direction is None:
        print("no recorded scores at hand")
        return True
    scored = folder / "wmt23" / "metric-scores" / "he-en"
    kinds = {"COMET-refB": Judged, "XCOMET-XL-refB": Judged, "MetricX-23-refB": Judged, "CometKiwi-src": Estimated}
    names, tables = set(direction.systems), {}
    for name in kinds:
        columns = defaultdict[str, list[float]](list)
        for line in gzip.decompress((scored / f"{name}.seg.score.gz").read_bytes()).decode().splitlines():
            system, value = line.split("\t")
            columns[system].append(float(value))
        tables[name] = columns
        names &= columns.keys()
    others = {name: direction.systems[name] for name in names}
    for system in sorted(names):
        metrics: list[Metric[Any]] = [BLEU()]
        for name, kind in kinds.items():
            of = {
                (source.strip(), text.strip()): score
                for one in names
                for source, text, score in zip(direction.sources, others[one], tables[name][one], strict=True)
            }
            metric = kind(lambda unit, of=of: of[unit.src, unit.hyp])  # type: ignore[misc]
            metric.longest = 10_000
            metrics.append(metric)
        report = diagnose(
            others[system], direction.references[-1:], direction.sources, metrics=metrics, language="en",
            others={name: texts for name, texts in others.items() if name != system},
        )  # fmt: skip
        for one in report.findings:
            if one.code in LEARNED:
                count[one.code] += 1
                print(f"{system}: {one.level} {one.code} {one.message[:300]}")
    alarms = {code: number for code, number in count.items() if code != "D609"}
    print(f"{len(names)} systems of WMT23 he-en, {len(kinds)} metrics, recorded: {alarms or 'no alarm'}; "
          f"metrics disagree about {count['D609']} of them and another one")  # fmt: skip
    return not alarms


if __name__ == "__main__":
    sys.exit(main())
