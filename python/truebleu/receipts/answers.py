"""Published answers of a judge, against a receipt: are they those that were read, and do they give its rows?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._shown import shown
from truebleu._textio import parse_records, read_text
from truebleu.errors import FileFormatError, TruebleuError

if TYPE_CHECKING:
    from truebleu.receipts.receipt import Receipt


def check_answers(receipt: Receipt, path: str) -> Iterator[str]:
    """Read the answers of each judge of a receipt again, and yield what is not as the receipt says."""
    from truebleu.runners.judging.scorer import digest_of

    groups = _groups(path)
    judges = [one for one in receipt.about["metrics"] if "answers_sha256" in one.get("neural", {})]
    if not judges:
        yield f"{shown(path)}: the receipt has no judge whose answers could be read again"
    for entry in judges:
        name = shown(entry["name"])
        fitting = (of for of in groups.values() if digest_of(of) == entry["neural"]["answers_sha256"])
        said = next(fitting, None)
        if said is None:
            yield f"{shown(path)} has other answers than those of {name}: none of them have the digest of the receipt"
            continue
        try:
            yield from _scores(receipt, entry, said)
        except (TruebleuError, KeyError, TypeError, ValueError) as error:
            yield f"{shown(path)}: the answers of {name} cannot be read again ({shown(error)})"


def _groups(path: str) -> dict[tuple[str, str], list[Any]]:
    """The answers in a file, by judge and system."""
    found: dict[tuple[str, str], list[Any]] = {}
    for row in parse_records(read_text(path), "jsonl", path).rows:
        if not isinstance(row.get("said"), list):
            raise FileFormatError(f"{shown(path)}: a line has no list 'said', expected a file of --judge-answers")
        found.setdefault((str(row.get("judge")), str(row.get("system"))), []).append(row["said"])
    return found


def _scores(receipt: Receipt, entry: dict[str, Any], said: list[Any]) -> Iterator[str]:
    from truebleu.runners.judging.prompts import parse_prompt
    from truebleu.runners.judging.scorer import read_passes, with_worst
    from truebleu.runners.protocol import Unit

    neural, rows = entry["neural"], receipt.stats[entry["name"]].rows
    prompt = parse_prompt(neural["prompt_text"], entry["name"])
    if prompt.digest != neural["prompt_sha256"]:
        yield f"{shown(entry['name'])}: the instructions do not have the digest {shown(neural['prompt_sha256'])}"
    if len(rows) != len(said):
        yield f"{shown(entry['name'])}: there are answers for {len(said)} of {number_of(len(rows), 'row')}"
        return
    passes, worst = int(neural["rep"]), entry["fingerprint"].get("unparsed") == "worst"
    for at, (answers, row) in enumerate(zip(said, rows, strict=True), 1):
        result = read_passes(answers, prompt, Unit(None, "", None), passes)
        if worst:
            result = with_worst(result, prompt.bounds[0 if prompt.higher_is_better else 1], passes)
        expected = [0.0, 0.0] if result.score is None else [result.score, 1.0]
        if expected != row.tolist():
            yield (
                f"{shown(entry['name'])}: the answers about segment {at} give {expected[0]:g}, and the receipt has "
                f"{row[0]:g}"
            )
            return
