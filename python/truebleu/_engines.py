"""The common part of the engines' adapters: functions for workers, errors from workers, and questions to workers."""

from __future__ import annotations

import importlib
import json
import platform
import re
import shutil
import socket
import tempfile
import unicodedata
import weakref
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Required, TypedDict

from truebleu import columns, errors
from truebleu._inputs import brief, kind_of
from truebleu.columns.schema import measures
from truebleu.errors import InputTypeError, MissingDependency, SegmentWithoutReference, StatsMismatch, TruebleuError
from truebleu.version import __version__

Names = str | Sequence[str]


class WhichTexts(TypedDict, total=False):
    """The columns of texts, and what to do with nulls."""

    hypothesis: Required[str]
    references: Required[Names]
    nulls: str
    id: str | None


class WhichLines(WhichTexts, total=False):
    """The columns and their roles, for tables with one row for each segment."""

    keep: Names  # all columns, unless given
    check: bool  # whether to ask workers first which version they have, once per session


class WhichHere(WhichTexts, total=False):
    """The columns and their roles, for tables with one row for each key."""

    by: Names


class Which(WhichHere, total=False):
    """The same, and whether to ask workers first which version they have, once per session."""

    check: bool


def engine(name: str, at_least: tuple[int, int]) -> Any:
    """Import an engine, or raise if it is missing or too old."""
    needed = ".".join(map(str, at_least))
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        raise MissingDependency(
            f"truebleu.{name.removeprefix('py')} needs {name} {needed} or newer, and {error.name or name} cannot be "
            f"imported: pip install '{name}>={needed}'"
        ) from error
    found = tuple(int(part) for part in re.findall(r"\d+", module.__version__)[:2])
    if found < at_least:
        raise MissingDependency(
            f"truebleu.{name.removeprefix('py')} needs {name} {needed} or newer, and found {module.__version__}: "
            f"pip install '{name}>={needed}'"
        )
    return module


def require(where: str, what: str, value: Any, methods: Sequence[str], expected: str) -> None:
    """Raise if a value is not an engine's table or session, judged by its methods."""
    if isinstance(value, type) or not all(hasattr(value, method) for method in methods):
        raise InputTypeError(f"{where}: {what} is {kind_of(value)}, expected {expected}")


def split_check(which: Mapping[str, Any]) -> tuple[bool, dict[str, Any]]:
    """Separate the names of columns from the choice whether to ask the workers."""
    check = which.get("check", True)
    if not isinstance(check, bool):
        raise InputTypeError(f"columns: check is {brief(check)}, expected True or False")
    return check, {name: value for name, value in which.items() if name != "check"}


def on_each(call: Callable[[Any], Any], parts: Iterable[Any]) -> Iterator[Any]:
    """Apply a function to each record batch as a table, and give the results as record batches."""
    for part in parts:
        yield from call(part).to_batches()


def on_named(names: Sequence[str], function: Callable[[Iterator[Any]], Any], parts: Iterable[Any]) -> Any:
    """Give record batches back the names of their columns, and hand them to a function."""
    import pyarrow

    return function(pyarrow.RecordBatch.from_arrays(part.columns, names=list(names)) for part in parts)


def sendable(pickler: str, function: Callable[..., Any], folder: str | None = None) -> Any:
    """Wrap a function for workers that may lack truebleu or have another version: the error then says so.

    The wrapper is a local function, which engines send by value; it must not use global names of this module. The
    pickler is the engine's own, which also sends functions of a user's script, such as a tokenizer.
    """
    data, version = importlib.import_module(pickler).dumps(function), __version__

    def run(*given: Any) -> Any:
        import pickle
        import socket
        import sys

        if folder is not None:
            from pyspark import SparkFiles

            path = SparkFiles.get(folder)
            if path not in sys.path:
                sys.path.insert(0, path)
        where = f"worker {socket.gethostname()} (Python {sys.version.split()[0]}, {sys.executable})"
        try:
            from truebleu.version import __version__ as found
        except ImportError as error:
            raise ImportError(f"MissingDependency: there is no truebleu on the {where}: {error}") from error
        if found != version:
            raise RuntimeError(f"StatsMismatch: the {where} has truebleu {found}, and here is {version}")
        return pickle.loads(data)(*given)

    return run


@contextmanager
def unwrapped(hint: str) -> Iterator[None]:
    """Raise our error from a worker in place of the engine's error around it; the hint says how to install."""
    try:
        yield
    except TruebleuError:
        raise
    except Exception as error:
        found = _ours_in(error, hint)
        if found is None:
            raise
        raise found from error


@contextmanager
def advising(advice: str) -> Iterator[None]:
    """Say what to do about nulls where there is no `nulls=`."""
    try:
        yield
    except (InputTypeError, SegmentWithoutReference) as error:
        raise type(error)(re.sub(r"; nulls=.*", f"; {advice}", str(error))) from None


def _ours_in(error: BaseException | None, hint: str) -> TruebleuError | None:
    """Our error inside another one: the error itself, its cause, or an error named in its text."""
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        if isinstance(error, TruebleuError):
            return type(error)(str(error))  # without the parts that the engine has added to its class
        seen.append(error)
        error = getattr(error, "cause", None) or error.__cause__ or error.__context__
    return next((found for one in seen if (found := _told(str(one), hint)) is not None), None)


def _told(text: str, hint: str) -> TruebleuError | None:
    """The last of our errors that is named in a text from another machine."""
    kinds = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type)}
    found = re.findall(rf"\b({'|'.join(kinds)}): ([^\n]+)", text)
    if not found:
        return None
    name, words = found[-1]
    error: TruebleuError = kinds[name](f"{words}; {hint}" if "no truebleu on" in words else words)
    return error


def facts(metrics: Any) -> dict[str, Any]:
    """Describe this worker and check that the metrics count here; this is compared before the first job."""
    table = {"hypothesis": ["a"], "reference": ["a"]}
    columns.totals(table, metrics, hypothesis="hypothesis", references="reference", threads=1)
    return {
        "host": socket.gethostname(),
        "python": platform.python_version(),
        "truebleu": __version__,
        "unicode": unicodedata.unidata_version,
        "ids": {measure.name: measure.id for measure in measures(metrics)},
    }


def probe(pickler: str, metrics: Any, folder: str | None = None) -> Any:
    """Make a function that describes a worker, or its problem, as a text that any engine can carry."""
    ask = sendable(pickler, partial(facts, metrics), folder)

    def answer(*_: Any) -> str:
        import json

        try:
            return json.dumps(ask())
        except Exception as error:
            return json.dumps({"problem": f"{type(error).__name__}: {error}"})

    return answer


def compare_facts(where: str, answers: Iterable[str], metrics: Any, hint: str) -> list[dict[str, Any]]:
    """Raise if a worker lacks the package or would count differently; else give the answers of all workers."""
    told = [json.loads(answer) for answer in dict.fromkeys(answers)]
    problems = [one["problem"] for one in told if "problem" in one]
    if problems:
        more = f" (and {len(problems) - 1} more workers)" if len(problems) > 1 else ""
        raise _told(problems[0] + more, hint) or TruebleuError(f"{where}: a worker cannot count: {problems[0]}{more}")
    here = facts(metrics)
    for one in told:
        for name, ours in here["ids"].items():
            if one["ids"][name] != ours:
                raise StatsMismatch(
                    f"{where}: {name!r} is {one['ids'][name]} on {one['host']} (Python {one['python']}, Unicode "
                    f"{one['unicode']}), and {ours} here (Python {here['python']}, Unicode {here['unicode']}): "
                    "its rows cannot be added to the rows of other workers"
                )
    return told


def together(*names: Names) -> list[str]:
    """Join names of columns, each once."""
    given = [(one,) if isinstance(one, str) else one for one in names]
    if not all(isinstance(one, list | tuple) for one in given):
        raise InputTypeError(f"columns: by and order are {brief(names)}, expected names of columns")
    return list(dict.fromkeys(name for some in given for name in some))


def write_archive(session: object) -> Path:
    """Write the running package into an archive, named by its version, that stays as long as a session."""
    folder = Path(tempfile.mkdtemp(prefix="truebleu-"))
    weakref.finalize(session, shutil.rmtree, folder, True)
    package = Path(__file__).parent
    archive = folder / f"truebleu_{__version__.replace('.', '_')}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(package.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                file.write(path, path.relative_to(package.parent))
    return archive
