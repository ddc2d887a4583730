"""Make tiny models with which the real packages of learned metrics can be tested: `python tools/tiny_models.py FOLDER`.

Nothing is trained or fetched. Weights come from a stream of NumPy that will never change, by the name of the tensor;
pieces of the vocabulary are written out by rule. It runs in an interpreter that has the packages.
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path
from typing import Any

PIECES = 2000
MT5_VOCABULARY = 250_112
LOGIT = 250_089
_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
COMETS: dict[str, dict[str, object]] = {
    "regression_metric": {"layer": "mix", "pool": "avg"},
    "referenceless_regression_metric": {"layer": "mix", "pool": "avg"},
    "unified_metric": {"sent_layer": "mix", "word_layer": 1, "input_segments": ["mt", "src", "ref"]},
    "xcomet_metric": {"sent_layer": "mix", "word_layer": 1, "word_level_training": True},
}  # fmt: skip


def pieces() -> list[str]:
    """The pieces of the vocabulary: signs, then pairs and triples of letters, with and without a space before them."""
    signs = [chr(code) for code in range(33, 127)] + [chr(code) for code in range(0xC0, 0x180)]
    letters = "etaoinsrhldcumfpgwybvkxjqz"
    found = [*_SPECIAL, "▁", *signs, *(f"▁{letter}" for letter in letters)]
    found += [a + b for a in letters for b in letters]
    found += [f"▁{a}{b}" for a in letters for b in letters]
    return list(dict.fromkeys(found))[:PIECES]


def write_tokenizer(folder: Path, *, joins: bool) -> None:
    """Write a tokenizer that divides texts into those pieces; `joins` for XLM-R's frame, else for mT5's."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    known = pieces()
    scores = [(piece, 0.0 if piece in _SPECIAL else -10.0 / len(piece)) for piece in known]
    made = Tokenizer(models.Unigram(scores, unk_id=known.index("<unk>")))
    made.pre_tokenizer, made.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    numbers = [(name, known.index(name)) for name in ("<s>", "</s>")]
    frame = ("<s> $A </s>", "<s> $A </s> </s> $B </s>") if joins else ("$A </s>", "$A </s> $B </s>")
    made.post_processor = processors.TemplateProcessing(single=frame[0], pair=frame[1], special_tokens=numbers)
    folder.mkdir(parents=True, exist_ok=True)
    made.save(str(folder / "tokenizer.json"))
    about = {
        "tokenizer_class": "XLMRobertaTokenizer" if joins else "PreTrainedTokenizerFast", "model_max_length": 128,
        "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>", "cls_token": "<s>",
        "sep_token": "</s>", "mask_token": "<unk>",
    }  # fmt: skip
    (folder / "tokenizer_config.json").write_text(json.dumps(about))


def fill(model: Any, scale: float = 0.2) -> None:
    """Give every tensor of a model its weights, by its name."""
    import numpy
    import torch

    for name, tensor in model.state_dict().items():
        if tensor.is_floating_point():
            stream = numpy.random.RandomState(zlib.crc32(name.encode()))
            values = stream.standard_normal(tuple(tensor.shape)) * scale
            tensor.copy_(torch.from_numpy(numpy.asarray(values + (1.0 if "norm.weight" in name.lower() else 0.0))))


def write_encoder(folder: Path) -> None:
    """Write an XLM-R of two layers."""
    from transformers import XLMRobertaConfig, XLMRobertaModel

    write_tokenizer(folder, joins=True)
    config = XLMRobertaConfig(
        vocab_size=PIECES, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=130, type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2,
    )  # fmt: skip
    model = XLMRobertaModel(config, add_pooling_layer=True).eval()
    fill(model)
    model.save_pretrained(folder)


def write_bert(folder: Path) -> None:
    """Write a BERT of two layers, whose tokenizer has words and their ends."""
    from transformers import BertConfig, BertModel

    folder.mkdir(parents=True, exist_ok=True)
    plain = [piece.replace("▁", "") for piece in pieces()[len(_SPECIAL) + 1 :]]
    known = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *dict.fromkeys(plain),
        *(f"##{one}" for one in dict.fromkeys(plain)),
    ]
    (folder / "vocab.txt").write_text("\n".join(known) + "\n")
    about = {"tokenizer_class": "BertTokenizer", "do_lower_case": False, "model_max_length": 128}
    (folder / "tokenizer_config.json").write_text(json.dumps(about))
    config = BertConfig(
        vocab_size=len(known), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=128,
    )  # fmt: skip
    model = BertModel(config).eval()
    fill(model)
    model.save_pretrained(folder)


def write_comet(folder: Path, kind: str, encoder: Path) -> None:
    """Write a checkpoint of one of COMET's classes."""
    import torch
    import yaml
    from comet.models import str2model

    settings = {
        "class_identifier": kind, "encoder_model": "XLM-RoBERTa", "pretrained_model": str(encoder),
        "layer_transformation": "softmax", "layer_norm": False, "hidden_sizes": [24, 12], **COMETS[kind],
    }  # fmt: skip
    own = {key: value for key, value in settings.items() if key != "class_identifier"}
    model = str2model[kind](**own, load_pretrained_weights=False, local_files_only=True)
    fill(model)
    (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    kept = {
        "state_dict": model.state_dict(), "hyper_parameters": settings, "pytorch-lightning_version": "2.2.5",
        "epoch": 0, "global_step": 0,
    }  # fmt: skip
    torch.save(kept, folder / "checkpoints" / "model.ckpt")
    (folder / "hparams.yaml").write_text(yaml.safe_dump(settings))


def write_metricx(folder: Path) -> None:
    """Write an mT5 of two and two layers, whose scores are from 0 to 25 and not all at an end."""
    import torch
    from transformers import MT5Config, MT5ForConditionalGeneration

    write_tokenizer(folder, joins=False)
    config = MT5Config(
        vocab_size=MT5_VOCABULARY, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_decoder_layers=2, num_heads=2,
        tie_word_embeddings=False, decoder_start_token_id=0, pad_token_id=1, eos_token_id=2,
    )  # fmt: skip
    model = MT5ForConditionalGeneration(config).eval()
    fill(model, 0.1)
    with torch.no_grad():
        model.shared.weight[:, 0] = 3.0
        model.lm_head.weight.zero_()
        model.lm_head.weight[LOGIT] = torch.tensor([4.0] + [1.0] * 15)
    model.save_pretrained(folder)


def main() -> None:
    """Make all of them in a folder."""
    folder = Path(sys.argv[1]).absolute()
    write_encoder(folder / "encoder")
    for kind in COMETS:
        write_comet(folder / kind, kind, folder / "encoder")
    write_bert(folder / "bert")
    write_metricx(folder / "metricx")


if __name__ == "__main__":
    main()
