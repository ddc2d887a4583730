"""Learned metrics with options and facts that are drawn at random, as if somebody had published their signatures."""

from __future__ import annotations

from random import Random
from typing import Any

from truebleu.metrics import find
from truebleu.normalization import NORMALIZATIONS

NAMES = ("comet", "cometkiwi", "xcomet", "xcomet-qe", "metricx", "metricx-qe", "bertscore")
LETTERS = "abcXYZ019._-é漢+=:@ "


def drawn(draw: Random) -> tuple[Any, dict[str, Any]]:
    """A metric, and the options that a reader of its signature must find again."""
    name = draw.choice(NAMES)
    kind: Any = find(name)
    digest = "".join(draw.choices("0123456789abcdef", k=12))
    word = "m" + "".join(draw.choices(LETTERS, k=draw.randrange(8))).strip()
    listed = kind.family.model.name
    model = draw.choice([listed, f"org/{word}".replace("@", "")])
    options: dict[str, Any] = {
        "model": model,
        "revision": draw.choice(["", digest[::-1]]),
        "precision": draw.choice(["fp32", "fp32", "bf16", "fp16"]),
        "multi_ref": draw.choice(["", "", "mean", "max", "first"]) if "ref" in kind.texts else "",
        "keep_edges": draw.random() < 0.3 and kind.strips_edges,
        "normalize": ",".join(sorted(draw.sample(sorted(NORMALIZATIONS), draw.choice([0, 0, 1, 2])))),
        "empty_hyp": draw.choice(["", "worst"]) if model == listed and name in ("comet", "metricx") else "",
    }
    facts = {
        "model": model, "w": digest, "prec": options["precision"], "dev": draw.choice(["cpu", "cuda", "mps"]),
        "pkg": f"package-{draw.randrange(9)}.{draw.randrange(99)}", "torch": f"2.{draw.randrange(20)}.0",
        "tf": f"4.{draw.randrange(60)}.1", "runner": f"{kind.family.script}-{draw.randrange(1, 4)}",
    }  # fmt: skip
    if options["revision"]:
        facts["rev"] = options["revision"]
    if draw.random() < 0.5:
        facts["max"] = str(draw.randrange(100, 2000))
    metric = kind(**options, facts=facts)
    return metric, {**options, "normalize": metric.normalize}


def signed(metric: Any) -> str:
    """The line that a score of a segment, none of it cut off, would have."""
    signature = metric._signature_for((1, 1) if metric.needs_references else (0, 0))
    signature.update("cut", 0)
    return f"{metric.label}|{signature}"
