"""From what was typed to a study: for `report`, for `plot`, and for `-f report` of the main command."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._counts import number_of
from truebleu._options import MOST_SAMPLES, checks_are_off, level_of_test
from truebleu._shown import shown
from truebleu.cli.flags import LABEL_FIELDS
from truebleu.cli.inputs import read_labels, trimmed
from truebleu.cli.job import Job, check_texts, read_job, warn_of_another_corpus, warn_of_signature
from truebleu.cli.main import UsageError
from truebleu.cli.request import Paired, Request, understand_part
from truebleu.significance.defaults import ALPHA, AUTO, FAMILIES, TEST

if TYPE_CHECKING:
    from truebleu.cli.external import ReadScores
    from truebleu.study.page.page import Look
    from truebleu.study.study import Study


# The words in the name of a flag whose value says where a key is, or who is asked.
_SECRET = {"api", "env", "header", "key", "keys", "password", "secret", "url"}
_TEXTS = " texts"


class StudyChoice(NamedTuple):
    """What a study is of, beside what a request says: the flags that `report` and `plot` share."""

    src: str | None = None
    labels: Sequence[str] = ()
    test: str = TEST
    trials: int | None = None
    correction: str | None = AUTO
    alpha: float = ALPHA
    baseline: str | None = None
    names: str | None = None
    title: str = ""
    is_anonymous: bool = False
    overlap: str | None = None


def understand_study(args: Namespace, *, has_doctor: bool = False) -> tuple[Request, StudyChoice]:
    """Say what the flags of a study mean."""
    if args.src and args.test_set:
        raise UsageError("both a test set, which has its sources, and --src are given; choose one of the two")
    if args.trials is not None and not 1 <= args.trials <= MOST_SAMPLES:
        raise UsageError(f"--trials is {args.trials}, expected a whole number from 1 to {MOST_SAMPLES}")
    level_of_test("--alpha", args.alpha)
    correction = {None: AUTO, "none": None}.get(args.correction, args.correction)
    shared = (args.src, args.labels, args.test, args.trials, correction, args.alpha, args.baseline, args.names)
    args.typed.pop("langpair", None)  # the title has it, whatever the metric
    # A study tests all pairs, or none.
    request = understand_part(args, paired_all=True, no_checks=has_doctor or args.no_checks)
    return request._replace(checks=not args.no_checks and not checks_are_off()), StudyChoice(*shared)


def chosen_by(request: Request) -> StudyChoice:
    """Say what the main command asks of a study; its tests have the defaults that they have in other formats."""
    paired = request.mode
    if not isinstance(paired, Paired):
        return StudyChoice(test="none")
    correction = None if paired.correction == "none" else paired.correction
    return StudyChoice(test=paired.test, trials=paired.trials or None, correction=correction)


def read_study(request: Request, choice: StudyChoice) -> tuple[Study, Job]:
    """Read everything, check it, and make a study of it; nothing is counted yet."""
    from truebleu.study.study import Study

    if request.like is not None:
        warn_of_signature(request, request.like)
    job = read_job(request)
    if request.like is not None:
        warn_of_another_corpus(request.like, job)
    check_texts(job, only_order=True)
    systems, paired = job.runs(), request.mode if isinstance(request.mode, Paired) else None
    has_runs, unit = paired is not None and paired.runs > 1, paired.unit if paired else "auto"
    asked = paired.documents if paired else None
    documents = job.documents(asked, unit) if paired else None
    roles, files = request.input.source.roles, [runs[0].name for runs in systems]
    names = _names(choice, files if roles and roles.system else trimmed(files))  # a field has names that are meant so
    external = paired.external if paired else None
    columns: list[ReadScores] = []
    known = None
    if external is not None:
        from truebleu.cli.external import read_external

        columns, known = read_external(job, external, paired.runs if paired else 1)
    if documents is None and unit != "segment":
        documents = known
    metrics: dict[str, Any] = {one.name: job.metric(one) for one in request.metrics}
    metrics |= {one.metric.name: one.metric for one in columns}
    pair = language_pair(request)
    study = Study(
        [
            (name, [one.segments for one in runs] if has_runs else runs[0].segments)
            for name, runs in zip(names, systems, strict=True)
        ],
        metrics=metrics,
        references=job.references.streams or None,
        sources=_sources(choice, job),
        labels=_labels(choice, job, asked or ("docid" if documents else None)),
        documents=documents,
        external={
            one.metric.name: {name: rows if has_runs else rows[0] for name, rows in zip(names, one.rows, strict=True)}
            for one in columns
        },
        spans={one.metric.name: dict(zip(names, one.spans, strict=True)) for one in columns if one.spans},
        baseline=choice.baseline,
        test=choice.test,
        n_samples=choice.trials,
        correction=choice.correction,
        alpha=choice.alpha,
        family=paired.family if paired else FAMILIES[0],
        margin=paired.margin if paired else None,
        strata=job.strata(paired.strata) if paired else None,
        people=paired.people if paired else True,
        missing=external and external.missing,
        assignment=external and external.assignment,
        overlap=choice.overlap,
        seed=request.seed,
        language=pair.partition("-")[2],
        title=choice.title or _title(request),
        files=_files(choice, job),
        threads=request.threads,
        checks=request.checks,
    )
    return study, job


def look_of(
    study: Study, job: Job, *, theme: str = "auto", texts: bool = True, anonymous: bool = False, date: str = ""
) -> Look:
    """Say how the page of a study is to look; the command that made it is not known here."""
    from datetime import UTC, datetime, timedelta

    from truebleu.study.page.page import Look, heading

    request, epoch = job.request, os.environ.get("SOURCE_DATE_EPOCH", "")
    if not date and not epoch.isdecimal():
        date = datetime.now().date().isoformat()
    elif not date:
        try:
            date = (datetime.fromtimestamp(0, UTC) + timedelta(seconds=int(epoch))).date().isoformat()
        except (OverflowError, ValueError):  # int() refuses thousands of digits
            raise UsageError(
                f"the variable SOURCE_DATE_EPOCH is {shown(epoch, 40)}, expected seconds from 1970 to the year 9999"
            ) from None
    return Look(
        theme, texts, anonymous, "" if date == "none" else date,
        source_language=language_pair(request).partition("-")[0],
        numbers=None if job.kept is None else job.kept.numbers,
        test_set=request.input.test_set.names if request.input.test_set else "",
        title="" if study.title != _title(request) else heading(study, study.title.removesuffix(_TEXTS)),
    )  # fmt: skip


def command_of(name: str, words: Sequence[str]) -> str:
    """Write a command that can be run again beside its files: folders, addresses and where keys are stay out of it."""
    import re
    import shlex

    found, flag = name.split(), ""
    for word in words:
        is_flag = word.startswith("-") and word != "-"
        flag, value = word.partition("=")[::2] if is_flag else (flag, word)
        if value and _SECRET & set(flag.strip("-").split("-")):
            value = "..."
        elif value and flag != "--title":
            value = re.sub(r"[^=,\s]*[/\\]", "", re.sub(r"\w+://[^\s,]*", "...", value))
        found.append(word if is_flag and not value else f"{flag}={value}" if is_flag else value)
    return shlex.join(found)


def language_pair(request: Request) -> str:
    """Tell the language pair, which a signature of a test set may have named; "" if nobody did."""
    return request.input.test_set.pair if request.input.test_set else request.input.language_pair or ""


def _title(request: Request) -> str:
    if request.input.test_set:
        return f"{request.input.test_set.names} {request.input.test_set.pair}"
    # The methods say "systems on" it as well.
    return f"{request.input.language_pair}{_TEXTS}" if request.input.language_pair else ""


def _names(choice: StudyChoice, files: list[str]) -> list[str]:
    if choice.is_anonymous:
        # A to Z, then AA and so on.
        letters = [chr(65 + at) for at in range(26)]
        return [f"System {one}" for one in (letters + [a + b for a in letters for b in letters])[: len(files)]]
    names = files if choice.names is None else choice.names.split(",")
    if len(names) != len(files) or not all(names):
        raise UsageError(
            f"--names has {number_of(len(names), 'name')}, expected one for each of {number_of(len(files), 'system')}"
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two systems are called {shown(repr(twice))}; give each a name of its own with --names")
    return names


def _sources(choice: StudyChoice, job: Job) -> list[str] | None:
    if choice.src is None:
        return job.sources
    return job.cut(read_labels(choice.src, job.size, job.request.input.source.encodings[choice.src]))


def _labels(choice: StudyChoice, job: Job, documents: str | None) -> dict[str, list[str]]:
    """Read the labels that were asked for, or those fields of a test set that make groups."""
    found: dict[str, list[str]] = {}
    for given in choice.labels:
        name, _, path = given.partition("=")
        if name in found:
            raise UsageError(f"--labels names {shown(repr(name))} twice")
        is_field = name in job.part.fields if job.part is not None else job.fields is not None
        if not name or (not path and not is_field):
            raise UsageError(
                f"--labels is {shown(repr(given))}, expected NAME=FILE, or a field of the test set or of records"
            )
        found[name] = job.labels(path or name)
    if not choice.labels and job.part is not None:
        names = [name for name in LABEL_FIELDS if name in job.part.fields and name != documents]
        found = {name: labels for name in names if len(set(labels := job.labels(name))) > 1}
    elif not choice.labels and (fields := job.fields) is not None:
        known = ((name, fields.labels(name)) for name in fields.roles.labels)
        found = {name: job.cut(labels) for name, labels in known if labels and 1 < len(set(labels)) < len(labels)}
    return found


def _files(choice: StudyChoice, job: Job) -> dict[str, list[str]]:
    """The files, where each input is one: a test set, a pipe and a file with fields have none of their own."""
    systems = [system.path for system in job.systems]
    found = {"systems": systems, "references": job.references.names, "sources": [choice.src] if choice.src else [""]}
    source = job.request.input.source
    if choice.is_anonymous or (source.systems is None and source.hypothesis_fields):  # fields may be called like files
        del found["systems"]
    return {kind: paths for kind, paths in found.items() if all(map(os.path.isfile, paths))}
