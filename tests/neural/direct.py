"""The packages called directly, as their documentation says, in the interpreter that has them: the oracle.

Standard input has a job, {"script", "path", "units", "batch"}; standard output gets the scores as JSON.
"""

import json
import sys
import time
from typing import Any


def comet(job: dict[str, Any]) -> dict[str, Any]:
    import torch
    from comet import load_from_checkpoint

    model = load_from_checkpoint(f"{job['path']}/checkpoints/model.ckpt", local_files_only=True)
    samples = [{"mt" if name == "hyp" else name: text for name, text in unit.items()} for unit in job["units"]]
    if job.get("threads"):
        torch.set_num_threads(job["threads"])
    start = time.process_time()
    found = model.predict(samples, batch_size=job["batch"], gpus=0, progress_bar=False, length_batching=False)
    seconds = time.process_time() - start
    spans = found.metadata.error_spans if "metadata" in found and "error_spans" in found.metadata else None
    return {"scores": list(found.scores), "spans": spans, "seconds": seconds}


def bertscore(job: dict[str, Any]) -> dict[str, Any]:
    import bert_score

    texts = [[unit[name] for unit in job["units"]] for name in ("hyp", "ref")]
    scores: list[float] = []
    for at in range(0, len(texts[0]), job["batch"]):
        part = [side[at : at + job["batch"]] for side in texts]
        _, _, found = bert_score.score(*part, model_type=job["path"], num_layers=2, device="cpu")
        scores += found.tolist()
    return {"scores": scores}


def rescaled(job: dict[str, Any]) -> dict[str, Any]:
    """The scores of the package, rescaled by hand with the last number of the line of layer 2."""
    from pathlib import Path

    import bert_score
    import torch

    path = Path(bert_score.__file__).parent / "rescale_baseline" / "de" / f"{Path(job['path']).name}.tsv"
    base = torch.tensor(float(path.read_text().splitlines()[3].split(",")[3]))
    return {"scores": ((torch.tensor(bertscore(job)["scores"]) - base) / (1 - base)).tolist()}


def metricx(job: dict[str, Any]) -> dict[str, Any]:
    """One unit at a time, through the public class of transformers, with the head computed by hand."""
    import torch
    from transformers import AutoTokenizer, MT5ForConditionalGeneration

    model = MT5ForConditionalGeneration.from_pretrained(job["path"]).eval()
    tokenizer = AutoTokenizer.from_pretrained(job["path"])
    scores = []
    for unit in job["units"]:
        parts = {"source": unit.get("src"), "candidate": unit["hyp"], "reference": unit.get("ref")}
        order = ("candidate", "reference", "source") if job["is_23"] else tuple(parts)
        text = " ".join(f"{part}: {parts[part]}" for part in order if parts[part] is not None)
        ids = torch.tensor([tokenizer(text).input_ids[:-1]])
        with torch.no_grad():
            states = model.encoder(input_ids=ids)[0]
            hidden = model.decoder(input_ids=torch.zeros((1, 1), dtype=torch.long), encoder_hidden_states=states)[0]
            scores.append(min(25.0, max(0.0, float(hidden[0, 0] @ model.lm_head.weight[250089]))))
    return {"scores": scores}


if __name__ == "__main__":
    job = json.load(sys.stdin)
    made = {"comet": comet, "bertscore": bertscore, "rescaled": rescaled, "metricx": metricx}
    print("\n" + json.dumps(made[job["script"]](job)))
