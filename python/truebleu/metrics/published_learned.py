"""Signatures that other programs write of learned metrics: sacreCOMET's, and the hash of BERTScore.

>>> read("Python3.11.8|Comet2.2.2|fp32|unite-mup")[:2]
('unite', {'model': 'Unbabel/unite-mup', 'precision': 'fp32', 'facts': {'pkg': 'unbabel-comet-2.2.2'}})
>>> read("roberta-large_L17_no-idf_version=0.3.12(hug_trans=4.30.2)")[1]
{'model': 'roberta-large', 'facts': {'pkg': 'bert-score-0.3.12', 'tf': '4.30.2'}}
"""

from __future__ import annotations

import re

from truebleu._inputs import brief
from truebleu._typing import Any
from truebleu.errors import UnknownSignature
from truebleu.runners.families import BERTSCORE_MODELS, BERTSCORE_OTHERWISE, MODELS

_SACRECOMET = re.compile(
    r"Python[\d.]+\w*\|Comet(?P<version>[\w.+-]+)\|(?P<precision>fp32|fp16|bf16)\|(?P<model>[^|\s]+)"
)
_BERTSCORE = re.compile(
    r"(?P<model>\S+)_L(?P<layer>\d+)_(?P<idf>no-idf|idf)_version=(?P<version>[\w.+-]+)\(hug_trans=(?P<tf>[^)\s]+)\)"
    r"(?P<custom>-custom)?(?P<rescaled>-rescaled)?(?P<fast>_fast-tokenizer)?"
)

Read = tuple[str, dict[str, Any], list[str]]


def read(text: str) -> Read | None:
    """Give the name of the metric, its options and notes; None if the signature is of no such form."""
    if not isinstance(text, str):
        return None
    for form, reader in ((_SACRECOMET, _of_sacrecomet), (_BERTSCORE, _of_bertscore)):
        if found := form.fullmatch(text.strip()):
            return reader(found.groupdict(), text)
    return None


def _of_sacrecomet(said: dict[str, Any], text: str) -> Read:
    short = said["model"].rpartition("/")[2].lower()
    known = [model for name, model in MODELS.items() if model.families and name.rpartition("/")[2].lower() == short]
    if not known:
        raise UnknownSignature(
            f"the signature is of the model {brief(said['model'])}, which is not listed here; score it with "
            f"-m comet=MODEL: {brief(text)}"
        )
    note = f"the signature does not tell the weights of {known[0].name}, so nobody can say that they are the same"
    facts = {"pkg": f"unbabel-comet-{said['version']}"}
    return known[0].families[0], {"model": known[0].name, "precision": said["precision"], "facts": facts}, [note]


def _of_bertscore(said: dict[str, Any], text: str) -> Read:
    for key, why in (("custom", "a baseline of its own"), ("idf", "idf, by which a segment's score depends on others")):
        if said[key] not in (None, "no-idf"):
            raise UnknownSignature(f"the signature has {why}, which is not offered here: {brief(text)}")
    layers = dict((*BERTSCORE_MODELS.values(), BERTSCORE_OTHERWISE))
    usual, notes = layers.get(said["model"]), ["the signature does not tell the weights, or the revision of the model"]
    if usual is not None and int(said["layer"]) != usual:
        raise UnknownSignature(
            f"the signature is of layer {said['layer']} of {said['model']}, expected {usual}: {brief(text)}"
        )
    if usual is None:
        notes.append(f"layer {said['layer']} is not compared: the layer here is the package's for {said['model']}")
    if said["fast"]:
        notes.append("the signature is of the fast tokenizer, and here the slow one divides texts")
    options: dict[str, Any] = {
        "model": said["model"],
        "facts": {"pkg": f"bert-score-{said['version']}", "tf": said["tf"]},
    }
    return "bertscore", {**options, **({"rescale": True} if said["rescaled"] else {})}, notes
