# /// script
# requires-python = ">=3.10"
# dependencies = ["transformers==4.57.6", "torch==2.15.0", "tokenizers==0.22.2", "sentencepiece==0.2.3", "protobuf"]
# ///
"""MetricX: the score is a logit of an mT5 after one step of its decoder, from 0 to 25, and lower is better.

The public class of transformers is used as it is, and loads its weights from files: a model that is built from its
configuration has the wrong head in some versions. The head is not scaled here, whatever the configuration says.
"""

from __future__ import annotations

from typing import Any

import proof
import wire

PACKAGES = ("transformers", "torch", "tokenizers", "sentencepiece")
_LOGIT = 250089  # the entry of the vocabulary whose logit is the score
_RANGE = (0.0, 25.0)
_LONGEST = {"24": 1536, "23": 1024}

state: dict[str, Any] = {}


def load(message: dict[str, Any]) -> dict[str, Any]:
    """Load the model and the tokenizer of folders."""
    import torch
    from transformers import AutoTokenizer, MT5ForConditionalGeneration

    proof.settle(torch, message)
    version = message["options"]["prompt"]
    tokenizer = message.get("tokenizer") or message
    model = MT5ForConditionalGeneration.from_pretrained(message["path"], local_files_only=True)
    state.update(
        model=proof.placed(torch, model, message).eval(), torch=torch, version=version, longest=_LONGEST[version],
        tokenizer=AutoTokenizer.from_pretrained(tokenizer["path"], local_files_only=True, legacy=False),
        device=proof.device_of(torch, message["device"]),
    )  # fmt: skip
    proof.prove(score, message["fields"], message["precision"], 1e-4, may_be_equal=True)
    return {**proof.device_meta(torch, state["device"]), "max_tokens": state["longest"], "prompt": version}


def score(units: list[dict[str, str]]) -> list[dict[str, Any]]:
    """Score a batch as it is."""
    longest = state["longest"]
    rows = [state["tokenizer"](prompt(unit, state["version"])).input_ids for unit in units]
    values = scores_of([row[:-1][: longest - 1] for row in rows])  # without the end of the sentence
    return [{"score": value, "cut": max(0, len(row) - longest)} for value, row in zip(values, rows, strict=True)]


def prompt(unit: dict[str, str], version: str) -> str:
    """Write a unit as the models of a year read it."""
    hypothesis = f"candidate: {unit['hyp']}"
    if version == "23":
        return f"{hypothesis} reference: {unit['ref']}" if "ref" in unit else f"{hypothesis} source: {unit['src']}"
    reference = f" reference: {unit['ref']}" if "ref" in unit else ""
    return f"source: {unit['src']} {hypothesis}{reference}"


def scores_of(rows: list[list[int]]) -> list[float]:
    """Score rows of token ids."""
    torch, model, device = state["torch"], state["model"], state["device"]
    longest, pad = max(map(len, rows)), model.config.pad_token_id or 0
    ids = torch.tensor([row + [pad] * (longest - len(row)) for row in rows], device=device)
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows], device=device)
    with torch.inference_mode():
        start = torch.zeros((len(rows), 1), dtype=torch.long, device=device)
        logits = model(input_ids=ids, attention_mask=mask, decoder_input_ids=start, use_cache=False).logits
    found: list[float] = torch.clamp(logits[:, 0, _LOGIT].float(), *_RANGE).tolist()
    return found


if __name__ == "__main__":
    wire.serve("metricx", PACKAGES, load, score)
