"""What the scripts with torch share: devices, precisions, and the proof that a loaded model gives scores."""

from __future__ import annotations

import math
import sys
from typing import Any

from wire import Failed, Score

PROOF = (
    {"src": "Der Hund schläft im Garten.", "hyp": "The dog sleeps in the garden.", "ref": "The dog is asleep outside."},
    {"src": "Sie kam um acht.", "hyp": "Prices rose by a third", "ref": "She came at eight."},
    {"src": "Wo ist der Bahnhof?", "hyp": "Where is the train station?", "ref": "Where is the station?"},
)


def mend_sentencepiece() -> None:
    """Let transformers read a tokenizer of SentencePiece whose own module needs a newer protobuf than COMET takes."""
    try:
        from sentencepiece import sentencepiece_model_pb2  # noqa: F401
    except ImportError:
        try:
            import sentencepiece
            from transformers.utils import sentencepiece_model_pb2_new as made
        except ImportError:
            return
        sentencepiece.sentencepiece_model_pb2 = sys.modules["sentencepiece.sentencepiece_model_pb2"] = made


def settle(torch: Any, message: dict[str, Any]) -> None:
    """Set what moves the last digits of scores, and make tokenizers readable."""
    mend_sentencepiece()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    if message.get("threads"):
        torch.set_num_threads(int(message["threads"]))


def device_of(torch: Any, asked: str) -> Any:
    """The device that was asked for; "auto" is the first of CUDA, else the CPU."""
    return torch.device(("cuda:0" if torch.cuda.is_available() else "cpu") if asked == "auto" else asked)


def device_meta(torch: Any, device: Any) -> dict[str, Any]:
    """The class of a device, and the name of a GPU."""
    gpu = {"gpu": f"cuda:{torch.cuda.get_device_name(device)}"} if device.type == "cuda" else {}
    return {"device": device.type, **gpu}


def placed(torch: Any, model: Any, message: dict[str, Any]) -> Any:
    """Put a model on its device, in its precision."""
    kinds = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
    return model.to(device=device_of(torch, message["device"]), dtype=kinds[message["precision"]])


def prove(
    score: Score, fields: list[str], precision: str, tolerance: float, *, may_be_equal: bool = False
) -> None:  # fmt: skip
    """Score three units together and one by one: refuse a model whose scores are not finite, all equal, or differ."""
    units = [{name: unit[name] for name in fields} for unit in PROOF]
    try:
        together = [one["score"] for one in score(units)]
        alone = [score([unit])[0]["score"] for unit in units]
    except RuntimeError as error:
        if precision == "fp32":
            raise
        told = " ".join(str(error).split())[:200]
        raise Failed("precision", f"it cannot run in {precision} here ({told}); --precision fp32") from error
    if not all(map(math.isfinite, together)) or (len(set(together)) == 1 and not may_be_equal):
        raise Failed("load", f"scores of this installation are not those of a model: {together}")
    worst = max(abs(one - other) for one, other in zip(together, alone, strict=True))
    tolerance = tolerance if precision == "fp32" else 0.02
    if worst > tolerance * max(1.0, *map(abs, together)):
        raise Failed("load", f"scores of this installation depend on their batch: they differ by {worst:.3g}")
