# /// script
# requires-python = ">=3.10"
# dependencies = ["bert-score==0.3.13", "torch==2.15.0", "transformers==4.57.6", "tokenizers==0.22.2"]
# ///
"""BERTScore's F1, with its precision and recall, by the package `bert-score`; without idf, which mixes segments."""

from __future__ import annotations

from typing import Any

import proof
import wire

PACKAGES = ("bert-score", "torch", "transformers", "tokenizers")

state: dict[str, Any] = {}


def load(message: dict[str, Any]) -> dict[str, Any]:
    """Load the model of a folder."""
    import torch
    from bert_score import BERTScorer
    from bert_score.utils import model2layers
    from transformers import AutoConfig

    proof.settle(torch, message)
    layer = message["options"].get("layer") or model2layers.get(message["model"])
    if layer is None:  # a model that nobody tuned: its last layer
        layer = AutoConfig.from_pretrained(message["path"], local_files_only=True).num_hidden_layers
    device = proof.device_of(torch, message["device"])
    scorer = BERTScorer(
        model_type=message["path"], num_layers=layer, idf=False, rescale_with_baseline=False, device=str(device),
        batch_size=message["batch"],
    )  # fmt: skip
    scorer._model = proof.placed(torch, scorer._model, message).eval()
    state.update(scorer=scorer, torch=torch, batch=message["batch"])
    proof.prove(score, message["fields"], message["precision"], 1e-5)
    return {
        **proof.device_meta(torch, device),
        "max_tokens": _limit(),
        "layer": layer,
        "hash": scorer.hash.split("/")[-1],
    }


def score(units: list[dict[str, str]]) -> list[dict[str, Any]]:
    """Score a batch as it is."""
    texts, references = [unit["hyp"] for unit in units], [unit["ref"] for unit in units]
    with state["torch"].inference_mode():
        precision, recall, f1 = state["scorer"].score(texts, references, batch_size=max(1, len(units)))
    rows = zip(f1.tolist(), precision.tolist(), recall.tolist(), units, strict=True)
    return [{"score": f, "parts": {"precision": p, "recall": r}, "cut": _cut(unit)} for f, p, r, unit in rows]


def _limit() -> int:
    return int(min(state["scorer"]._tokenizer.model_max_length, 1 << 30))


def _cut(unit: dict[str, str]) -> int:
    tokenizer, limit = state["scorer"]._tokenizer, _limit()
    return sum(max(0, len(tokenizer(text.strip(), truncation=False).input_ids) - limit) for text in unit.values())


if __name__ == "__main__":
    wire.serve("bertscore", PACKAGES, load, score)
