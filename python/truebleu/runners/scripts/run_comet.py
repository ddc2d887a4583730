# /// script
# requires-python = ">=3.10,<3.13"
# dependencies = [
#   "unbabel-comet==2.2.7", "torch==2.15.0", "transformers==4.57.6", "numpy==1.26.4", "setuptools==80.10.2",
#   "torchmetrics==0.10.3", "pytorch-lightning==2.6.6", "protobuf==4.25.9", "entmax==1.3", "sentencepiece==0.2.3",
# ]
# ///
"""COMET, CometKiwi, UniTE and XCOMET, from a checkpoint in a folder, by the package `unbabel-comet`.

The checkpoint is loaded here, and not by the package: the package fills tensors that a file lacks with chance, and
says nothing. Batches are those that the host sends, so that their scores are those of the package bit by bit.
"""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import proof
import wire

PACKAGES = ("unbabel-comet", "torch", "transformers", "tokenizers", "sentencepiece", "entmax", "numpy", "setuptools")
REFUSED = ("ranking_metric",)  # its score is a distance
# Old checkpoints have these, and no model needs them.
_UNUSED = ("*.position_ids", "*.pooler.*")
_SHOWN = 3
_NAMES = {"hyp": "mt"}

state: dict[str, Any] = {}


def load(message: dict[str, Any]) -> dict[str, Any]:
    """Load a checkpoint, and prove that its scores are scores."""
    import torch
    import yaml
    from comet.models import str2model

    proof.settle(torch, message)
    folder = Path(message["path"])
    checkpoint = _checkpoint(folder)
    settings = yaml.safe_load((folder / "hparams.yaml").read_text("utf-8"))
    kind = settings["class_identifier"]
    if kind not in str2model or kind in REFUSED:
        raise wire.Failed("load", f"the checkpoint is of the class {kind}, whose scores are not those of COMET")
    tokenizer = message.get("tokenizer")
    more = {"pretrained_model": tokenizer["path"]} if tokenizer else {}
    # Since 2.2.4 the package reads the patched transformation, which it no longer has, as softmax.
    if settings.get("layer_transformation") == "sparsemax_patch":
        more["layer_transformation"] = "softmax"
    model = str2model[kind].load_from_checkpoint(
        checkpoint, load_pretrained_weights=False, local_files_only=True, map_location="cpu", strict=False, **more
    )
    _compare(torch, checkpoint, model, kind)
    state.update(
        model=proof.placed(torch, model, message).eval(), torch=torch, device=proof.device_of(torch, message["device"]),
        fields=message["fields"], is_joined=kind in ("unified_metric", "xcomet_metric"),
    )  # fmt: skip
    proof.prove(score, message["fields"], message["precision"], 0.1 if kind == "xcomet_metric" else 1e-5)
    found = proof.device_meta(torch, state["device"])
    return {**found, "class": kind, "max_tokens": _limit(), "precision": message["precision"]}


def score(units: list[dict[str, str]]) -> list[dict[str, Any]]:
    """Score a batch as it is."""
    samples = [{_NAMES.get(name, name): text for name, text in unit.items()} for unit in units]
    model, torch = state["model"], state["torch"]
    with torch.inference_mode():
        batch = _moved(model.prepare_for_inference(samples), state["device"])
        found = model.predict_step(batch)
    scores = found.scores.float().tolist()
    # What is cut off fills the longest input; where none is full, nothing need be counted.
    is_whole = 0 < _width(batch) < _limit()
    results = [
        {"score": value, "cut": 0 if is_whole else _cut(unit)} for value, unit in zip(scores, units, strict=True)
    ]
    metadata = dict(found.get("metadata") or {})
    for at, result in enumerate(results):
        parts = {name.removesuffix("_scores"): float(metadata[name][at]) for name in metadata if "_scores" in name}
        if parts:
            result["parts"] = parts
        if "error_spans" in metadata:
            result["spans"] = list(_spans(metadata["error_spans"][at], units[at]["hyp"]))
    return results


def _checkpoint(folder: Path) -> Path:
    found = [path for path in (folder / "checkpoints" / "model.ckpt", *sorted(folder.glob("*.ckpt"))) if path.is_file()]
    if not found or not (folder / "hparams.yaml").is_file():
        raise wire.Failed("missing-model", "the folder has no hparams.yaml with checkpoints/model.ckpt")
    return found[0]


def _compare(torch: Any, checkpoint: Path, model: Any, kind: str) -> None:
    """Refuse a file that lacks tensors of the model, or has others."""
    options = {} if int(torch.__version__.partition(".")[0]) < 2 else {"weights_only": False}
    there = set(torch.load(checkpoint, map_location="cpu", **options)["state_dict"])
    wanted = set(model.state_dict())
    missing = sorted(name for name in wanted - there if not any(fnmatch(name, one) for one in _UNUSED))
    others = sorted(name for name in there - wanted if not any(fnmatch(name, one) for one in _UNUSED))
    if missing:
        raise wire.Failed(
            "load", f"the checkpoint lacks {len(missing)} of {len(wanted)} tensors of a {kind} "
            f"({', '.join(missing[:_SHOWN])}, ...); they would be filled with chance",
        )  # fmt: skip
    if others:
        raise wire.Failed(
            "load",
            f"the checkpoint has {len(others)} tensors that a {kind} does not have ({', '.join(others[:_SHOWN])})",
        )


def _limit() -> int:
    return int(state["model"].encoder.max_positions) - 2


def _width(batch: Any) -> int:
    """The length of the longest input of a batch."""
    if isinstance(batch, (tuple, list)):
        return max(map(_width, batch), default=0)
    masks = (
        [value for name, value in batch.items() if name.endswith("attention_mask")] if isinstance(batch, dict) else []
    )
    return max((int(mask.shape[-1]) for mask in masks), default=0)


def _cut(unit: dict[str, str]) -> int:
    """Count the tokens that the model does not read: of each text, and of all of them where they are joined."""
    tokenizer, limit = state["model"].encoder.tokenizer, _limit()
    lengths = [len(tokenizer(text).input_ids) for text in unit.values()]
    lost = sum(max(0, length - limit) for length in lengths)
    if state["is_joined"]:
        joined = sum(min(length, limit) for length in lengths) + 2 * (len(lengths) - 1)
        # The longest of its inputs has all texts; its first and last tokens are those of the whole.
        lost += max(0, joined - 2 * (len(lengths) - 1) - state["model"].encoder.max_positions)
    return lost


def _spans(given: list[dict[str, Any]], text: str) -> Any:
    """Give spans in their order, without the spaces at their ends."""
    for one in sorted(given, key=lambda span: (span["start"], span["end"])):
        start, end = max(0, int(one["start"])), min(len(text), int(one["end"]))
        while start < end and text[start].isspace():
            start += 1
        while start < end and text[end - 1].isspace():
            end -= 1
        if start < end:
            yield {"start": start, "end": end, "severity": one["severity"], "confidence": float(one["confidence"])}


def _moved(batch: Any, device: Any) -> Any:
    if isinstance(batch, (tuple, list)):
        return type(batch)(_moved(one, device) for one in batch)
    if isinstance(batch, dict):
        return {name: _moved(value, device) for name, value in batch.items()}
    return batch.to(device) if hasattr(batch, "to") else batch


if __name__ == "__main__":
    wire.serve("comet", PACKAGES, load, score)
