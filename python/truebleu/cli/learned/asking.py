"""Learned metrics on the command line: what their flags mean, and asking the models before anything is counted."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from truebleu._counts import number_of
from truebleu._logs import inform
from truebleu._shown import json_text, shown
from truebleu.cli.main import UsageError
from truebleu.errors import TruebleuError
from truebleu.metrics import METRICS
from truebleu.metrics.names import made
from truebleu.runners.families import FAMILIES

if TYPE_CHECKING:
    from truebleu.cli.job import Job
    from truebleu.cli.progress import Progress
    from truebleu.cli.request import Input, MetricChoice
    from truebleu.metrics.published import Published

# Flags of the form NAME=VALUE, or VALUE for all: the option of each, and how it is read.
_NAMED: dict[str, tuple[str, Any]] = {
    "device": ("device", str), "precision": ("precision", str), "batch_size": ("batch_size", int),
    "runner_python": ("python", str),
}  # fmt: skip
# Other flags, and the option of each: of every learned metric, and of runners.
_PLAIN = {
    "multi_ref": "multi_ref", "empty_hyp": "empty_hyp", "keep_edges": "keep_edges", "normalize": "normalize",
    "doctor_rescore": "rescore",
}  # fmt: skip
_OF_RUNNERS = {
    **_PLAIN, "fresh": "fresh", "trust_checkpoint": "trust_checkpoint", "imported_scores": "imported",
    "recheck": "recheck", "runner_timeout": "timeout", "bertscore_rescale": "rescale", "threads": "threads",
}  # fmt: skip
_OF_JUDGES = (
    "url", "model", "prompt", "key_env", "key_file", "temperature", "max_tokens", "repeats", "context", "jobs", "rate",
    "timeout", "max_calls", "budget", "price",
)  # fmt: skip
_ALL = "neural"  # stands for every learned metric


def options_of(args: Namespace, name: str) -> dict[str, Any]:
    """Give the options of a learned metric, from the flags of a command."""
    plain, kind = name.partition("=")[0], METRICS[name]
    family = getattr(kind, "family", None)
    if family is None:
        if hasattr(kind, "point"):  # a metric of a plug-in
            return {**_of_plugin(args, plain), **_given(args, _PLAIN)}
        return _options_of_judge(args)
    found = _given(args, _OF_RUNNERS) | _kept(args)
    for dest, (option, read) in _NAMED.items():
        for given in getattr(args, dest, None) or ():
            who, equals, value = given.partition("=")
            who, value = (who, value) if equals and "/" not in who and "\\" not in who else (_ALL, given)
            if who not in (_ALL, plain, *FAMILIES):
                flag, known = f"--{dest.replace('_', '-')}", ", ".join((_ALL, *FAMILIES))
                raise UsageError(f"{flag} is about {shown(who)}, expected one of {known}")
            if who in (_ALL, plain, family.script):
                try:
                    found[option] = read(value)
                except ValueError as error:
                    raise UsageError(f"--batch-size is {shown(value)}, expected a whole number") from error
    if family.script == "bertscore":
        found["language"] = (getattr(args, "langpair", None) or "").partition("-")[2].partition("-")[0]
    else:
        found.pop("rescale", None)
    return found


def _given(args: Namespace, dests: Mapping[str, str]) -> dict[str, Any]:
    """The options of those flags that were typed. Zero is a value too."""
    values = ((option, getattr(args, dest, None)) for dest, option in dests.items())
    return {option: value for option, value in values if value not in (None, "") and value is not False}


def _kept(args: Namespace) -> dict[str, bool]:
    return {"cache": False} if getattr(args, "no_score_cache", False) else {}


def _of_plugin(args: Namespace, name: str) -> dict[str, Any]:
    """The options of a plug-in's metric, as they were typed."""
    options = {}
    for given in getattr(args, "option", None) or ():
        words, equals, value = given.partition("=")
        who, dot, key = words.rpartition(".")
        if not (equals and dot and key):
            raise UsageError(f"--option is {shown(given)}, expected NAME.KEY=VALUE")
        if who.lower() not in args.metrics:
            raise UsageError(f"--option is about {shown(who)}, and -m does not ask for it")
        if who.lower() == name:
            options[key] = value
    return {"options": options} if options else {}


def _options_of_judge(args: Namespace) -> dict[str, Any]:
    """Give the options of a judge: those of its own flags, and those that it has in common with other metrics."""
    from truebleu.runners.judging.prompts import language_named

    dests = {f"judge_{option}": option for option in _OF_JUDGES} | {"judge_seed": "seed_sent"}
    dests |= {dest: dest for dest in ("send_texts", "unparsed", "multi_ref", "empty_hyp", "normalize", "fresh")}
    found = _given(args, dests) | _kept(args)
    if langpair := getattr(args, "langpair", None):
        source, _, target = langpair.partition("-")
        found["languages"] = language_named(source), language_named(target)
    return found


def liked(args: Namespace, like: Published) -> dict[str, dict[str, Any]]:
    """Give the metric of a signature by its name, and its options; a model in a folder has to be named."""
    name = next((one for one in args.metrics or () if "=" in one), like.metric)
    options, model = dict(like.options), str(like.options.get("model", ""))
    if "=" in name:
        options = {key: value for key, value in options.items() if key not in ("model", "revision")}
    elif model.startswith("local/"):
        raise UsageError(f"--like is of {shown(model)}, a model in a folder: name it, as in -m {name}=./folder")
    return {name: options}


def settled(
    args: Namespace, metrics: Sequence[MetricChoice], texts: Input
) -> tuple[tuple[MetricChoice, ...], Asking]:  # fmt: skip
    """Refuse, before anything is read, a learned metric that lacks texts or an interpreter; say what to ask.

    All metrics that are made of the options share one way to the runner.
    """
    source, learned = texts.source, [one for one in metrics if METRICS[one.name].is_learned]
    found: list[MetricChoice] = []
    labels = [METRICS[one.name].label for one in learned]
    for given in getattr(args, "external", None) or ():
        if (label := re.split(r"[=:\[]", given, maxsplit=1)[0]) in labels:
            raise UsageError(
                f"two metrics are called {label}: name one otherwise, as in --external {label}-old=FILE,..."
            )
    has_sources = texts.sources or texts.test_set or (source.roles and source.roles.source)
    for one in metrics:
        if one not in learned or not source.has_texts:
            found.append(one)
            continue
        kind: Any = METRICS[one.name]
        if labels.count(label := kind.label) > 1 and not hasattr(kind, "point"):  # of a plug-in
            model = one.name.partition("=")[2] or (kind.family.model.name if hasattr(kind, "family") else "")
            called = f"{label}-{PurePath(model).name}" if model else label
            one = one._replace(options={**one.options, "called": called})
        metric: Any = made(one.name, **one.options)
        if "src" in metric.texts and not has_sources:
            raise UsageError(f"{one.name} needs what was translated: --src FILE, or a test set with -t")
        if metric.needs_references and not (source.references or texts.test_set):
            raise UsageError(f"{one.name} needs references; without them there are cometkiwi, xcomet-qe and metricx-qe")
        try:
            metric.check_interpreter()
        except TruebleuError as error:
            raise UsageError(str(error)) from error
        link = getattr(metric, "_link", None)
        found.append(one if link is None else one._replace(options={**one.options, "link": link}))
    asking = Asking(
        getattr(args, "judge_estimate", False),
        getattr(args, "judge_answers", None),
        getattr(args, "docids", None) or getattr(args, "doc_field", None),
    )
    return tuple(found), asking


class Asking(NamedTuple):
    """What to ask of learned metrics and judges: the scores, and perhaps more."""

    estimate: bool  # whether judges only say what they would ask for
    answers: str | None  # where the answers of judges go
    documents: str | None = None  # what tells the documents, for judges that read what stands around a segment

    def ask(self, job: Job, progress: Progress) -> None:
        """Have every learned metric score all systems at once; what is counted later comes from the cache."""
        systems = {system.name: system.segments for system in job.systems if system.receipt is None}
        self._tell_documents(job)
        if self.estimate:
            _say_estimates(job, systems)
        for choice in job.request.metrics if systems else ():
            if METRICS[choice.name].is_learned:
                metric: Any = job.metric(choice)
                far: list[int] = []

                def told(done: int, total: int, cached: int, far: list[int] = far) -> None:
                    far[:] = done, total
                    progress.hear(done, total)

                metric.told = told
                try:
                    with progress.step(f"{choice.name} of {number_of(len(systems), 'system')}"):
                        metric.ask(systems, job.references.streams or None)
                except KeyboardInterrupt:
                    if far and getattr(metric, "is_kept", False):  # the scorer of judges has said so
                        on = "without --fresh the same command" if choice.options.get("fresh") else "the same command"
                        inform("%d of %d units are in the cache; %s goes on from there", *far, on)
                    raise
                cached, units = metric.from_cache
                if cached < units:
                    inform("%s: %d of %s were in the cache", choice.name, cached, number_of(units, "unit"))
                if hasattr(metric, "close"):
                    metric.close()
        if self.answers is not None:
            _write_answers(job, self.answers)

    def _tell_documents(self, job: Job) -> None:
        """Tell judges the document of each segment, if they read what stands around it."""
        reading: list[Any] = [choice.options for choice in job.request.metrics if choice.options.get("context")]
        if reading and job.kept is not None:
            raise UsageError("--judge-context reads the segments around each one, and --only leaves them out")
        for options in reading:
            options["documents"] = job.documents(self.documents, "auto")


def _say_estimates(job: Job, systems: Mapping[str, Any]) -> NoReturn:
    """Print what each judge would ask for, and end."""
    for name, metric in _judges(job).items():
        found = metric.estimate(systems, job.references.streams or None)
        calls, units, characters = (
            number_of(count, one, commas=True)
            for count, one in ((found.calls, "call"), (found.texts, "unit"), (found.characters, "character"))
        )
        money = f", {found.cost:.2f} at most" if found.cost else ""
        print(
            f"{name}: {calls} for {units} ({characters}): tokens: about {found.tokens_in:,.0f} to the judge, "
            f"{found.tokens_out:,.0f} back at most{money}, if each answer can be read. Nothing was sent"
        )
    raise SystemExit(0)


def _write_answers(job: Job, path: str) -> None:
    """Write what judges answered: one object of JSON for each segment of each system."""
    from pathlib import Path

    from truebleu._atomic import write_whole

    lines = []
    for name, metric in _judges(job).items():
        for system in job.systems:
            results = metric.stats(system.segments, job.references.streams or None).results
            for at, (one, text) in enumerate(zip(results, system.segments, strict=True), 1):
                kept = {"judge": name, "system": system.name, "segment": at, "score": one.score, "output": text}
                lines.append(f"{json_text({**kept, 'said': one.said})}\n")
    write_whole(Path(path), "".join(lines).encode())


def _judges(job: Job) -> dict[str, Any]:
    return {one.name: job.metric(one) for one in job.request.metrics if one.name.startswith("judge")}
