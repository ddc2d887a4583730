"""`truebleu metrics`: which metrics there are, and the environments, weights and kept scores of learned ones."""

from __future__ import annotations

import argparse
import itertools
import os
import re
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.filesize import decimal

from truebleu._atomic import replacing
from truebleu._counts import number_of
from truebleu._plugins import GROUPS, plugins
from truebleu._shown import did_you_mean, json_text, shown
from truebleu._textio import read_lines
from truebleu.cli.flags import Section, formats
from truebleu.cli.main import GOES_WITH, NOT_WITH, Command, Conflict, UsageError
from truebleu.cli.progress import Progress
from truebleu.errors import OptionError, RunnerError
from truebleu.metrics import METRICS
from truebleu.metrics.names import made
from truebleu.metrics.options import Flag, flag, switch
from truebleu.metrics.registry import LEARNED_HOMES, is_learned, is_plugged
from truebleu.plugins import check
from truebleu.runners import installing, kept, models
from truebleu.runners.cache import score_folder
from truebleu.runners.environments import SHARED, SIZE, Environment, environments, environments_folder, interpreter
from truebleu.runners.families import FAMILIES, PinnedModel
from truebleu.runners.judging.endpoint import URL_VARIABLE
from truebleu.runners.protocol import Unit

_CHECKED = 100  # units
_LARGE = 10**9  # bytes of kept scores of which `list` speaks
_ALL = "all"
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


# --- the commands -----------------------------------------------------------------------------


def _list(arguments: argparse.Namespace) -> int:
    own, learned = [name.lower() for name in METRICS], [*_learned()]
    if arguments.format == "json":
        found = {
            "schema": 1,
            "metrics": [*({"metric": name, "kind": "string", "state": "ready"} for name in own), *learned],
            "plugins": [*_plugins()],
            "environments": [*_environments()],
        }
        print(json_text(found, indent=1))
        return 0
    width = max(len(row["metric"]) for row in learned)
    print(textwrap.fill(f"always ready: {', '.join(own)}", 118, subsequent_indent="  "))
    for row in learned:
        print(f"{row['metric']:{width}}  {row['state']}")
        about = [row[key] for key in ("model", "licence", "weights") if row.get(key)]
        if about:
            print(f"{'':{width}}  {', '.join(about)}")
    for one in _plugins():
        whose = f"{one['name']} of {one['distribution']} {one['version']}"
        print(f"plug-in {whose} ({one['group']}), asked for as {one['ask']}")
    for one in _environments():
        print(f"environment {one['path']}: {one['size']}, {one['state']}")
    if (size := sum(one.bytes for one in kept.kept_scores())) >= _LARGE:
        print(f"{decimal(size)} of scores are kept: truebleu metrics cache")
    return 0


def _learned() -> Iterator[dict[str, str]]:
    states: dict[str, str] = {}
    for name, family in FAMILIES.items():
        if family.script not in states:
            states[family.script] = _state_of(family.script)
        yield {
            "metric": name, "kind": "learned", "state": states[family.script], "model": _named(family.model),
            "licence": family.model.licence, "weights": _weights(family.model),
        }  # fmt: skip
    judges = [name.lower() for name in LEARNED_HOMES if name.startswith("JUDGE")]
    where = f"asks the server of {URL_VARIABLE}" if os.environ.get(URL_VARIABLE) else "asks a server: --judge-url URL"
    yield from ({"metric": name, "kind": "judge", "state": where} for name in judges)


def _state_of(script: str) -> str:
    try:
        return f"ready: {interpreter(script).why}"
    except (RunnerError, OptionError) as error:
        missing = f"not installed: truebleu metrics install {script}"
        return missing if isinstance(error, RunnerError) else f"not ready: {error}"


def _named(model: PinnedModel) -> str:
    return f"{model.name} @ {model.revision[:12] or 'no revision is known'}"


def _weights(model: PinnedModel) -> str:
    gated = "its page asks for an agreement, " if model.is_gated else ""
    if not model.is_pinned:
        return f"{gated}cannot be verified"
    return f"{gated}{'weights are here' if models.is_here(model) else 'weights are not here'}"


def _plugins() -> Iterator[dict[str, str]]:
    """All plug-ins; nothing of them is imported. One whose name is taken is asked for by its full name."""
    found = [one for group in GROUPS for one in plugins(group)]
    for one in found:
        is_hidden = (one.group == "metrics" and one.name.upper() in {**METRICS, **LEARNED_HOMES}) or [
            (other.group, other.name) for other in found
        ].count((one.group, one.name)) > 1
        yield {
            "group": one.group, "name": shown(one.name), "distribution": shown(one.dist), "version": shown(one.version),
            "ask": shown(one.full_name if is_hidden else one.name),
        }  # fmt: skip


def _environments() -> Iterator[dict[str, str]]:
    for one in environments():
        of_use = "in use" if installing.is_current(one) else "of another version of truebleu"
        size = one.card.get("bytes")
        shown_size = decimal(size) if isinstance(size, int) else "size unknown"
        yield {"path": shown(one.path, 1000), "size": shown_size, "state": f"{of_use}, {', '.join(one.runners)}"}


def _install(arguments: argparse.Namespace) -> int:
    plans = installing.plans(
        arguments.metrics, python=arguments.python, torch_index=arguments.torch_index, separate=arguments.separate
    )
    for plan in plans:
        sys.stdout.write(_described(plan))
    if arguments.dry_run:
        return 0
    installing.refuse(plans)
    if not _agreed("Install?", arguments.yes):
        return 0
    for plan in plans:
        with Progress() as progress:
            progress.expect(installing.STEPS)
            made = installing.install(plan, progress.step)
        print(f"{made.path} is ready for {', '.join(made.runners)} ({decimal(installing.size_of(made.path))})")
    return 0


def _described(plan: installing.Installation) -> str:
    tested = ", ".join(f"{name} {plan.packages[name]}" for name in installing.SAID if name in plan.packages)
    has_cuda = any(name.startswith("nvidia-") for name in plan.packages) and not plan.torch_index
    cuda = (
        "\n            3.0 GB of it are CUDA libraries: PyPI has no torch without them for Linux; --torch-index URL "
        "takes\n            an index that has"
    )
    index = f", torch from {shown(plan.torch_index)}" if plan.torch_index else ""
    python = f"{plan.python} ({plan.version})" if plan.python else f"a Python {plan.version} that uv brings"
    rows = {
        "into": shown(plan.folder, 1000),
        "from": f"the package index that pip or uv is set up with{index}; every other file is verified",
        "size": f"at most about {SIZE} GB on disk ({plan.free:.0f} GB free){cuda if has_cuda else ''}",
        "with": f"{'uv' if plan.uv else 'venv and pip'}, {python}, {plan.lock.name}",
        "weights": "none now: truebleu metrics fetch",
    }
    return f"{plan.name}: {tested}\n" + "".join(f"  {key:<9} {value}\n" for key, value in rows.items())


def _agreed(question: str, is_yes: bool) -> bool:
    """Ask, unless the answer is on the command line."""
    if is_yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError("nobody can be asked here, without a terminal: say --yes")
    sys.stdout.write(f"{question} [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _fetch(arguments: argparse.Namespace) -> int:
    wanted = {model.name: model for name in arguments.metrics for model in models.models_of(name)}
    for model in wanted.values():
        print(f"{_named(model)}, licence {model.licence or 'not recorded: see its page'}")
    for model in sorted(wanted.values(), key=lambda one: one.is_gated or not one.is_pinned):  # these may be refused
        with Progress():
            folder = models.fetch_model(model, arguments.source)
        print(f"{model.name} is in {shown(folder, 1000)}, {number_of(len(model.files), 'file')} verified")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    for name in arguments.metrics:
        if not (is_learned(name) or is_plugged(name)):
            why = "is counted by truebleu itself" if name.upper() in METRICS else "is no metric"
            raise OptionError(f"{shown(name)} {why}: there is nothing to check")
        kind: Any = METRICS[name]
        if hasattr(kind, "point") and not hasattr(kind, "family"):
            check(kind.kind, kind.point.name)
            print(f"{name}: the plug-in does what it should ({kind.point.dist} {kind.point.version})")
        elif hasattr(kind, "family"):
            _check_runner(name, arguments)
        else:
            raise OptionError(f"no program of ours runs for {name}, so there is nothing to check")
    return 0


def _check_runner(name: str, arguments: argparse.Namespace) -> None:
    """Start a runner, load its model, which proves it by known answers, and score a hundred units."""
    given = {"python": arguments.runner_python, "device": arguments.device}
    metric: Any = made(name, cache=False, **{key: value for key, value in given.items() if value})
    texts = [" ".join(f"word{at * step % 97}" for step in range(1, 4 + at % 23)) for at in range(_CHECKED)]
    times = [time.monotonic()]
    with Progress() as progress, metric:
        progress.expect(2)
        for doing, some in ((f"{name}: the model is loaded", texts[:1]), (f"{name}: texts are scored", texts)):
            with progress.step(doing):
                sources = {"sources": some} if "src" in metric.texts else {}
                references = [some[::-1]] if "ref" in metric.texts else None
                score = metric.corpus_score(some, references, checks=False, **sources)
            times.append(time.monotonic())
    loaded, scored = (after - before for before, after in itertools.pairwise(times))
    print(f"{name}: loaded and proved in {loaded:.1f} s, {_CHECKED} units in {scored:.1f} s, mean {score.score:.6f}")
    print(f"  {metric.label}|{score.signature}")


def _remove(arguments: argparse.Namespace) -> int:
    there = {one.path.name: one for one in environments()}
    chosen = [one for name in arguments.names for one in _called(name, there)]
    for one in chosen:
        print(f"{shown(one.path, 1000)}: {decimal(installing.size_of(one.path))}, {', '.join(one.runners)}")
    if not _agreed("Remove?", arguments.yes):
        return 0
    for one in chosen:
        freed = installing.size_of(one.path)
        installing.remove(one)
        print(f"removed {shown(one.path, 1000)}, which frees {decimal(freed)}")
    return 0


def _called(name: str, there: dict[str, Environment]) -> list[Environment]:
    found = [one for full, one in there.items() if name in (full, one.card.get("name"))]
    if not found:
        raise OptionError(
            f"no environment is called {shown(name)}{did_you_mean(name, there)}; in {shown(environments_folder())} "
            f"there is {', '.join(there) or 'none'}"
        )
    return found


def _cache(arguments: argparse.Namespace) -> int:
    if arguments.export is not None:
        chosen = kept.kept_scores()
        with replacing(arguments.export) as stream:
            stream.writelines(f"{line}\n".encode() for line in kept.exported(chosen))
        print(f"{number_of(sum(one.scores for one in chosen), 'score')} in {shown(arguments.export)}")
    elif arguments.imported is not None:
        for name, scores in kept.import_scores(arguments.imported):
            print(f"{number_of(scores, 'score')} imported into {shown(name)}; --imported-scores takes them")
    elif arguments.prune is not None:
        _discard(kept.beyond(arguments.prune))
    elif arguments.older is not None:
        _discard(kept.unused_for(arguments.older))
    elif arguments.clear is not None:
        _discard(kept.of_metric("" if arguments.clear == _ALL else arguments.clear))
    else:
        _show_cache(kept.kept_scores())
    return 0


def _discard(files: list[kept.KeptScores]) -> None:
    print(f"{number_of(len(files), 'file')} removed, which frees {decimal(kept.discard_scores(files))}")


def _show_cache(files: list[kept.KeptScores]) -> None:
    import datetime

    width = max([len(one.metric) for one in files], default=0)
    for one in files:
        day = datetime.datetime.fromtimestamp(one.used).date()
        count = number_of(one.scores, "score")
        model = f"{shown(one.model)}{', imported' if one.fingerprint.get('from') else ''}"
        print(f"{one.metric:{width}}  {decimal(one.bytes):>9}  {count}, last used {day}  {model}".rstrip())
    print(f"{decimal(sum(one.bytes for one in files))} in {shown(score_folder(), 1000)}")


# --- what can be typed ------------------------------------------------------------------------


def _bytes(text: str) -> int:
    """A size, as 500M.

    >>> _bytes("500M"), _bytes("2g"), _bytes("0")
    (500000000, 2000000000, 0)
    """
    found = re.fullmatch(r"(\d{1,9})([kmg]?)b?", text.lower())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size, expected one like 500M or 2G")
    return int(found[1]) * _UNITS[found[2]]


def _days(text: str) -> float:
    """A time in days, as 180d.

    >>> _days("180d"), _days("2w")
    (180.0, 14.0)
    """
    found = re.fullmatch(r"(\d{1,6})([dw]?)", text.lower())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time, expected one like 180d or 12w")
    return float(found[1]) * (7 if found[2] == "w" else 1)


def _prompt(arguments: argparse.Namespace) -> int:
    from truebleu.runners.judging.prompts import OURS, language_named, read_prompt, shown_prompt

    name = arguments.name
    if name not in OURS and not Path(name).is_file():
        raise UsageError(f"there is no prompt {shown(name)}, and no such file; ours are {', '.join(OURS)}")
    if arguments.segment is None:
        print(shown_prompt(name), end="")
        return 0
    texts = {"src": arguments.src, "hyp": arguments.hyp, "ref": arguments.ref}
    wanted = read_prompt(name).needs
    if missing := [one for one in wanted if one in texts and texts[one] is None]:
        flags = ", ".join(f"--{one} FILE" for one in missing)
        raise UsageError(f"{shown(name)} reads {', '.join(wanted)}, so --segment needs {flags}")
    src, hyp, ref = (_line(path, arguments.segment) if one in wanted else None for one, path in texts.items())
    source, _, target = (arguments.langpair or "").partition("-")
    print(
        shown_prompt(
            name, Unit(src, hyp or "", ref), [language_named(code) if code else "" for code in (source, target)]
        )
    )
    return 0


def _reparse(arguments: argparse.Namespace) -> int:
    """Read the kept answers of judges with the reader of today; nobody is asked."""
    from truebleu.runners.judging.prompts import OURS, read_prompt

    prompts = [*map(read_prompt, (*OURS, *arguments.prompt))]
    files = [one for one in kept.of_metric(arguments.name or "") if one.fingerprint.get("runner") == "judge"]
    for one in files:
        found, who = kept.read_again(one, prompts), f"{one.metric} of {shown(one.model)}"
        if found is None:
            print(f"{who}: its instructions are not those of today; name their file with --prompt FILE")
            continue
        bad = ", ".join(f"{count} {why}" for why, count in found.most_common() if why)
        units = number_of(found.total(), "unit", commas=True)
        print(f"{who}: {units}, {found.total() - found['']:,} without a score{f' ({bad})' if bad else ''}")
    print(f"{number_of(len(files), 'file')} of answers in {shown(score_folder(), 1000)}; nobody was asked")
    return 0


def _line(path: str, number: int) -> str:
    lines = read_lines(path)
    if not 0 < number <= len(lines):
        raise UsageError(f"--segment is {number}, expected 1 to {len(lines)}, the lines of {shown(path)}")
    return lines[number - 1]


_OFFLINE = switch("--offline", default=argparse.SUPPRESS, help="never touch the network (TRUEBLEU_OFFLINE=1)")
_HIDDEN = switch("--offline", help=argparse.SUPPRESS)  # before the command too
_YES = switch("--yes", "-y", help="do not ask")
_ONE = "{flag} does not go with {other}: say one at a time"
_ONE_OF: tuple[Conflict, ...] = (
    ("--prune", NOT_WITH, "--older, --clear, --export, --import", _ONE),
    ("--older", NOT_WITH, "--clear, --export, --import", _ONE),
    ("--clear", NOT_WITH, "--export, --import", _ONE),
    ("--export", NOT_WITH, "--import", _ONE),
)


def _command(
    name: str, action: Callable[[argparse.Namespace], int], about: str, *flags: Flag, rules: tuple[Conflict, ...] = ()
) -> Command:
    return Command(name, (Section("", (*flags, _OFFLINE)),), action, about, conflicts=rules)


COMMAND = Command(
    "truebleu metrics",
    (Section("", (_HIDDEN,)),),
    about="Manage metrics: which there are, and the environments, weights and kept scores of learned ones.",
    example="cache",
    settings={"allow_abbrev": True},
    commands=(
        _command(
            "list", _list, "list all metrics: ready or why not, with model, licence and weights",
            *formats("text", "json"),
        ),
        _command(
            "install", _install, "make an environment for learned metrics; says its size and place first, and asks",
            flag("metrics", nargs="*", metavar="METRIC", help=f"comet, bertscore, metricx; all of them are {SHARED}"),
            _YES,
            switch("--dry-run", help="only say what would be done"),
            flag("--python", default="", metavar="PATH", help="the interpreter, of Python 3.12 or 3.11"),
            flag("--torch-index", default="", metavar="URL", help="an index that has torch, as one without CUDA"),
            switch("--separate", help="an environment for each, and not one for all"),
        ),
        _command(
            "fetch", _fetch, "fetch the weights of metrics, and verify them",
            flag("metrics", nargs="+", metavar="METRIC", help="metrics, or models whose digests are known"),
            flag(
                "--from", dest="source", type=Path, metavar="FOLDER",
                help="a folder that has the files, for machines without a network",
            ),
        ),
        _command(
            "check", _check, "start the runners of metrics, load and prove their models, and score made-up texts",
            flag("metrics", nargs="+", metavar="METRIC", help="a learned metric, or one of a plug-in"),
            flag("--runner-python", metavar="PATH", help="the interpreter that has the package, or uv"),
            flag("--device", metavar="DEVICE", help="auto (default), cpu, cuda, cuda:1 or mps"),
        ),
        _command(
            "remove", _remove, "remove environments that truebleu has made",
            flag("names", nargs="+", metavar="NAME", help=f"{SHARED}, or the name of a folder"),
            _YES,
        ),
        _command(
            "cache", _cache, "list the scores that are kept, or remove some of their files",
            flag("--prune", type=_bytes, metavar="SIZE", help="remove files, those unused for the longest time first, "
                 "until the rest takes at most this, as 500M"),
            flag("--older", type=_days, metavar="TIME", help="remove files that nobody has used for a time, as 180d"),
            flag("--clear", nargs="?", const=_ALL, metavar="METRIC", help="remove the files of a metric, or all"),
            flag("--export", type=Path, metavar="FILE", help="write all scores as lines of JSON"),
            flag("--import", dest="imported", type=Path, metavar="FILE",
                 help="keep scores that --export wrote elsewhere, apart from those that are computed here"),
            rules=_ONE_OF,
        ),
        _command(
            "prompt", _prompt, "print the prompt of a judge, or the very messages of a segment",
            flag("name", metavar="PROMPT", help="judge-da, judge-esa, judge-mqm, or a file"),
            flag("--segment", type=int, metavar="N", help="print the messages of this segment, as lines of JSON"),
            flag("--src", metavar="FILE", help="what was translated"),
            flag("--hyp", metavar="FILE", help="the output of the system"),
            flag("--ref", metavar="FILE", help="the reference, for a prompt that reads one"),
            flag("--language-pair", "-l", dest="langpair", metavar="XX-YY", help="languages for the instructions"),
            rules=(("--src, --hyp, --ref, --language-pair", GOES_WITH, "--segment",
                    "{flag} is about the messages of a segment; name one with --segment N"),),
        ),
        _command(
            "reparse", _reparse, "read the kept answers of judges again, and count what cannot be read; asks nobody",
            flag("name", nargs="?", metavar="JUDGE", help="judge-da and the like; all unless named"),
            flag("--prompt", nargs="+", default=[], metavar="FILE", help="instructions that are not ours"),
        ),
    ),
)  # fmt: skip
