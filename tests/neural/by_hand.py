"""MetricX by NumPy alone, in double precision, from token ids and the file of weights: the oracle of its runner.

Standard input has a job, {"path", "rows", "row_of_head"}; standard output gets the score of each row of ids as JSON.
The model is mT5's: its encoder, one step of its decoder from token 0, and one row of its head.
"""

import json
import math
import sys
from typing import Any

import numpy as np

Tensor = Any


def norm(x: Tensor, weight: Tensor) -> Tensor:
    """Scale to a mean square of one; nothing is subtracted."""
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * weight


def bucket(distance: int) -> int:
    """The bucket of a distance: 16 to the left, 16 to the right, exact up to 7 and then by logarithms up to 128."""
    far, start = abs(distance), 16 * (distance > 0)
    if far < 8:
        return start + far
    return start + min(15, 8 + int(math.log(far / 8) / math.log(128 / 8) * 8))


def attention(w: dict[str, Tensor], name: str, x: Tensor, of: Tensor, heads: int, bias: Tensor) -> Tensor:
    """Attention without scaling, from each row of x to all rows of another text."""
    q, k, v = (
        (side @ w[f"{name}.{letter}.weight"].T).reshape(len(side), heads, -1).transpose(1, 0, 2)
        for side, letter in ((x, "q"), (of, "k"), (of, "v"))
    )
    scores = q @ k.transpose(0, 2, 1) + bias
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = (weights / weights.sum(-1, keepdims=True)) @ v
    return mixed.transpose(1, 0, 2).reshape(len(x), -1) @ w[f"{name}.o.weight"].T


def feed_forward(w: dict[str, Tensor], name: str, x: Tensor) -> Tensor:
    """The gated layer, with the approximation of GELU by tanh."""
    gate = x @ w[f"{name}.wi_0.weight"].T
    gate = 0.5 * gate * (1 + np.tanh(math.sqrt(2 / math.pi) * (gate + 0.044715 * gate**3)))
    return (gate * (x @ w[f"{name}.wi_1.weight"].T)) @ w[f"{name}.wo.weight"].T


def score(w: dict[str, Tensor], config: dict[str, Any], ids: list[int], row_of_head: int) -> float:
    """The logit of one entry of the vocabulary after one step, cut to the range."""
    heads, size = config["num_heads"], len(ids)
    table = w["encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
    bias = np.array([[table[bucket(to - at)] for to in range(size)] for at in range(size)]).transpose(2, 0, 1)
    x = w["shared.weight"][ids]
    for at in range(config["num_layers"]):
        layer = f"encoder.block.{at}.layer"
        inner = norm(x, w[f"{layer}.0.layer_norm.weight"])
        x = x + attention(w, f"{layer}.0.SelfAttention", inner, inner, heads, bias)
        x = x + feed_forward(w, f"{layer}.1.DenseReluDense", norm(x, w[f"{layer}.1.layer_norm.weight"]))
    states = norm(x, w["encoder.final_layer_norm.weight"])
    y = w["shared.weight"][[0]]
    for at in range(config["num_decoder_layers"]):
        layer = f"decoder.block.{at}.layer"
        inner = norm(y, w[f"{layer}.0.layer_norm.weight"])
        y = y + attention(w, f"{layer}.0.SelfAttention", inner, inner, heads, 0.0)  # one position sees itself alone
        inner = norm(y, w[f"{layer}.1.layer_norm.weight"])
        y = y + attention(w, f"{layer}.1.EncDecAttention", inner, states, heads, 0.0)
        y = y + feed_forward(w, f"{layer}.2.DenseReluDense", norm(y, w[f"{layer}.2.layer_norm.weight"]))
    hidden = norm(y, w["decoder.final_layer_norm.weight"])
    return float(np.clip(hidden[0] @ w["lm_head.weight"][row_of_head], 0.0, 25.0))


def main() -> None:
    """Score the rows of a job."""
    from safetensors.numpy import load_file

    job = json.load(sys.stdin)
    with open(f"{job['path']}/config.json") as file:
        config = json.load(file)
    weights = {
        name: tensor.astype(np.float64) for name, tensor in load_file(f"{job['path']}/model.safetensors").items()
    }
    print(json.dumps([score(weights, config, ids, job["row_of_head"]) for ids in job["rows"]]))


if __name__ == "__main__":
    main()
