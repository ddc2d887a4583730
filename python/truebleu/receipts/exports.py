"""Receipts in other formats: model cards and result files of Hugging Face, MLflow, Weights & Biases, CSV.

None of these libraries is imported. YAML is written here in a few lines, without a dependency.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._inputs import brief
from truebleu._logs import warn
from truebleu._shown import json_text, shown
from truebleu._text.escape import spreadsheet_cell
from truebleu.errors import FileFormatError, OptionError
from truebleu.evaluate.delegates import PARTS
from truebleu.receipts.file import references_of

if TYPE_CHECKING:
    from truebleu.metrics import Score
    from truebleu.receipts.receipt import Receipt


class Wanted(NamedTuple):
    """Values that some formats need and a receipt does not have."""

    dataset_id: str = ""  # of the test set on the Hub
    task_id: str = ""  # of the task there
    model: str = ""  # the name of the model; that of the system unless given
    url: str = ""  # of the receipt; that of the system unless given


def metrics_of(receipt: Receipt) -> dict[str, float]:
    """Give the scores by names that MLflow and Weights & Biases take."""
    return {score.name.lower().replace("+", "p"): entry["score"] for entry, score in _scores(receipt)}


def params_of(receipt: Receipt) -> dict[str, str]:
    """Give the settings as flat texts."""
    about = receipt.about
    found = {"system": receipt.system, "receipt": receipt.digest, "segments": str(about["segments"])}
    found |= {f"test_set.{key}": value for key, value in about.get("test_set", {}).items() if value is not None}
    for entry in about["metrics"]:
        # A name that the author chose stands behind that of the metric.
        own = entry["fingerprint"]["name" if entry["fingerprint"]["metric"] == "external" else "metric"]
        names = dict.fromkeys((own.lower(), entry["name"].lower()))
        found[".".join(("signature", *names))] = entry["signature"]
    return found


def evaluate_of(receipt: Receipt, module: str) -> dict[str, Any]:
    """Give the result of a module of `truebleu.evaluate` for the score of a receipt."""
    results = _of_modules(receipt)
    if not isinstance(module, str) or module not in (*PARTS, *results):
        raise OptionError(f"to_evaluate: module is {brief(module)}, expected one of {', '.join(PARTS)}")
    if module not in results:
        raise OptionError(f"to_evaluate: {receipt.name} has no score that the module {module} computes")
    return results[module]


def export(receipt: Receipt, to: str, wanted: Wanted) -> str:
    """Write a receipt in another format."""
    if to not in EXPORTS:
        raise OptionError(f"export: to is {brief(to)}, expected one of {', '.join(EXPORTS)}")
    return EXPORTS[to](receipt, wanted)


def into_card(card: str, receipt: Receipt, wanted: Wanted, name: str) -> str:
    """Put the results of a receipt into the front matter of a model card; the rest stays as it is, to the letter."""
    if receipt.digest in card:
        return card  # it is there already
    end = "\r\n" if "\r\n" in card else "\n"
    whole = _model_index(receipt, wanted).replace("\n", end)
    found = re.match(r"\ufeff?---[ \t]*\r?\n(?P<matter>(?:.*\n)*?)---[ \t]*(?:\r?\n|$)", card)
    if found is None:
        return f"---{end}{whole}---{end}{card}"
    matter, start = found["matter"], found.start("matter")
    index = re.search(r"^model-index:(.*)$", matter, re.M)
    if index is None:
        at = start + len(matter)
        return card[:at] + whole + card[at:]
    results = re.compile(r"^([ \t]+)(?:- )?results:[ \t]*\r?\n", re.M).search(matter, index.end())
    if index[1].strip() or results is None:
        why = "its model-index has no list of results with one line for each, so nothing is added"
        raise FileFormatError(f"{name}: {why}")
    first = re.compile(r"[ \t]*(?=- )").match(matter, results.end())
    indent = first[0] if first else results[1]
    lines = "".join(f"{indent}{line}{end}" for line in as_yaml([_result(receipt, wanted)]))
    at = start + results.end()
    return card[:at] + lines + card[at:]


def _scores(receipt: Receipt) -> Iterator[tuple[dict[str, Any], Score]]:
    for entry in receipt.about["metrics"]:
        yield entry, receipt.metric(entry["name"]).score(receipt.stats[entry["name"]])


def _model_index(receipt: Receipt, wanted: Wanted) -> str:
    name = wanted.model or receipt.system or "model"
    lines = as_yaml({"model-index": [{"name": name, "results": [_result(receipt, wanted)]}]})
    return "".join(line + "\n" for line in lines)


def _result(receipt: Receipt, wanted: Wanted) -> dict[str, Any]:
    known = receipt.about.get("test_set", {})
    name = known.get("name", "own test set")
    dataset: dict[str, Any] = {"name": f"{name} {known['pair']}" if known else name}
    dataset["type"] = wanted.dataset_id or re.sub(r"[^\w.-]+", "-", name)
    dataset |= {"config": known["pair"]} if known else {}
    hashes = [one["hash"] for one in references_of(receipt.about)]
    revision = known.get("content") or next(iter(hashes), receipt.about["inputs"].get("items"))
    dataset |= {"split": "test"} | ({"revision": revision} if revision else {})
    metrics = [
        {
            "type": entry["fingerprint"]["metric"].lower(),
            "value": entry["score"],
            "name": score.name,
            "args": {"signature": entry["signature"], "receipt": receipt.digest},
        }
        for entry, score in _scores(receipt)
    ]
    found: dict[str, Any] = {"task": {"type": "translation", "name": "Translation"}, "dataset": dataset}
    return {**found, "metrics": metrics, **_source(receipt, wanted)}


def _source(receipt: Receipt, wanted: Wanted) -> dict[str, Any]:
    """The source of results, if there is an address: the Hub refuses a name without one."""
    url = wanted.url or receipt.about["system"].get("url", "")
    return {"source": {"url": url, "name": "truebleu receipt"}} if url else {}


def _eval_results(receipt: Receipt, wanted: Wanted) -> str:
    if not wanted.dataset_id:
        raise OptionError("eval-results names the dataset on the Hub, which a receipt does not know: give --dataset-id")
    task = wanted.task_id or receipt.about.get("test_set", {}).get("pair", "default")
    entries = [
        {
            "dataset": {"id": wanted.dataset_id, "task_id": task},
            "value": entry["score"],
            "verifyToken": receipt.digest,
            **_source(receipt, wanted),
            "notes": f"{score.name}|{entry['signature']}",
        }
        for entry, score in _scores(receipt)
    ]
    return "".join(line + "\n" for line in as_yaml(entries))


def _mlflow(receipt: Receipt, wanted: Wanted) -> str:
    return _json({"metrics": metrics_of(receipt), "params": params_of(receipt)})


def _wandb(receipt: Receipt, wanted: Wanted) -> str:
    return _json({"summary": metrics_of(receipt), "config": params_of(receipt)})


def _evaluate(receipt: Receipt, wanted: Wanted) -> str:
    results = _of_modules(receipt)
    if not results:
        names = ", ".join(shown(entry["name"]) for entry in receipt.about["metrics"])
        raise OptionError(
            f"{receipt.name} has scores of {names}, and evaluate has no module for them, only {', '.join(PARTS)}"
        )
    metrics = [receipt.metric(entry["name"]) for entry in receipt.about["metrics"]]
    if missing := [getattr(one, "label", one.name) for one in metrics if not getattr(one, "evaluate_module", "")]:
        warn("%s: evaluate has no module for %s, so the export leaves it out", receipt.name, " and ".join(missing))
    return _json(results)


def _of_modules(receipt: Receipt) -> dict[str, dict[str, Any]]:
    """What modules of evaluate return for the scores of a receipt; of two scores of one module, the first."""
    found: dict[str, dict[str, Any]] = {}
    for entry, score in _scores(receipt):
        module = getattr(receipt.metric(entry["name"]), "evaluate_module", "")  # scores from elsewhere have none
        parts = {part: getattr(score, part) for part in PARTS.get(module, ("score", *score.parts()))}
        found |= {module: parts} if module and module not in found else {}
    return found


def _csv(receipt: Receipt, wanted: Wanted) -> str:
    text, known = io.StringIO(), receipt.about.get("test_set", {})
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ("system", "test_set", "pair", "segments", "metric", "score", "mean", "half_width", "signature", "receipt")
    )
    for entry, score in _scores(receipt):
        interval = entry.get("interval", {})
        texts = receipt.system, known.get("name", ""), known.get("pair", ""), receipt.about["segments"]
        numbers = entry["score"], interval.get("mean", ""), interval.get("half_width", "")
        cells = (*texts, score.name, *numbers, entry["signature"], receipt.digest)
        writer.writerow([spreadsheet_cell(cell) for cell in cells])
    return text.getvalue()


def _json(value: dict[str, Any]) -> str:
    return json_text(value, indent=2) + "\n"


EXPORTS: dict[str, Callable[[Receipt, Wanted], str]] = {
    "model-index": _model_index,
    "eval-results": _eval_results,
    "mlflow": _mlflow,
    "wandb": _wandb,
    "evaluate": _evaluate,
    "csv": _csv,
}


def as_yaml(value: Any) -> Iterator[str]:
    """Write mappings, lists and scalars as lines of YAML."""
    items = (
        [(f"{_scalar(key)}:", one) for key, one in value.items()]
        if isinstance(value, dict)
        else [("-", v) for v in value]
    )
    for head, one in items:
        if not isinstance(one, dict | list) or not one:
            yield f"{head} {_scalar(one)}"
        elif head == "-":
            first, *rest = as_yaml(one)
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)
        else:
            yield head
            yield from (f"  {line}" for line in as_yaml(one))


def _scalar(value: Any) -> str:
    # Plain if it cannot be misread; otherwise as JSON, because JSON strings are also YAML strings.
    is_plain = isinstance(value, str) and re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]*( [A-Za-z0-9_.-]+)*", value)
    if is_plain and value.lower() not in ("true", "false", "yes", "no", "on", "off", "null", "y", "n"):
        return str(value)
    return shown(json.dumps(value, ensure_ascii=False), longest=10**6)
