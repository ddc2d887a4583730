# /// script
# requires-python = ">=3.10"
# dependencies = ["bert-score==0.3.13", "torch==2.15.0", "transformers==4.57.6", "tokenizers==0.22.2"]
# ///
"""BERTScore's F1, with its precision and recall, by the package `bert-score`; without idf, which mixes segments."""

from __future__ import annotations

from pathlib import Path
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
    language = message["options"].get("rescale")
    scorer = BERTScorer(
        model_type=message["path"], num_layers=layer, idf=False, rescale_with_baseline=bool(language), lang=language,
        baseline_path=_baseline(message["model"], language) if language else None, device=str(device),
        batch_size=message["batch"],
    )  # fmt: skip
    if not hasattr(scorer._tokenizer, "sep_token_id"):  # of a slow tokenizer without its file, transformers makes False
        raise wire.Failed(
            "load", "the folder lacks the file of the slow tokenizer, which bert-score loads, such as vocab.txt or "
            "sentencepiece.bpe.model; tokenizer.json alone will not do",
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


def _baseline(model: str, language: str) -> str:
    """Find the package's baseline. Without one it would give plain scores, and say so on the screen alone."""
    import bert_score

    name = model.removeprefix("local/")  # a folder is called as its model
    found = Path(bert_score.__file__).parent / "rescale_baseline" / language / f"{name}.tsv"
    if not found.is_file():
        raise wire.Failed(
            "load", f"there is no baseline for {name} and {language}; the package would give unscaled numbers under "
            "the name of rescaled ones",
        )  # fmt: skip
    return str(found)


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
