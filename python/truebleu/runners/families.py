"""The learned metrics that have a runner: which script scores them, from which texts, with which model.

Directions and ranges are in `metrics/known.py`. A model has a pin if its revision and the SHA-256 of its files are
known. The pins below were published by others and have not been compared with the files here. A model without one
(`XCOMET-XL`, the models of BERTScore) has no revision and no digests, and none may be made up for it.

>>> FAMILIES["metricx-qe"].fields, FAMILIES["comet"].model.is_pinned, FAMILIES["xcomet"].model.is_pinned
(('src', 'hyp'), True, False)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any, NamedTuple

from truebleu.errors import OptionError


class PinnedModel(NamedTuple):
    """A model on the hub, or a tokenizer: its revision and the SHA-256 of its files, as far as they are known.

    Attributes
    ----------
    name
        Its name on the hub.
    revision
        The commit; "" where it is not known here.
    files
        The SHA-256 of each file.
    is_gated
        Whether its page asks for an agreement.
    licence
        "" where it is not known here.
    families
        The metrics that it computes, for a model that is listed here.
    """

    name: str
    revision: str = ""
    files: Mapping[str, str] = MappingProxyType({})
    is_gated: bool = False
    licence: str = ""
    families: tuple[str, ...] = ()

    @property
    def is_pinned(self) -> bool:
        """Whether its files can be verified."""
        return bool(self.revision and self.files)


class LearnedFamily(NamedTuple):
    """A metric that a runner scores.

    Attributes
    ----------
    name
        Its name after `-m`.
    label
        Its name in tables.
    script
        The name of its runner.
    fields
        The texts of a unit ("src", "hyp", "ref"): each of them, and no other.
    model
        The model that is taken unless the user names one.
    tokenizer
        Where it is apart from the model.
    max_tokens
        The longest input; None if the model says it.
    strips_edges
        Whether white space around a text is taken away first.
    has_spans
        Whether results have marked parts of the output.
    options
        What the runner is told beside model and texts.
    """

    name: str
    label: str
    script: str
    fields: tuple[str, ...]
    model: PinnedModel
    tokenizer: PinnedModel | None = None
    max_tokens: int | None = None
    strips_edges: bool = True
    has_spans: bool = False
    options: Mapping[str, Any] = MappingProxyType({})


class Requirement(NamedTuple):
    """A package that computes scores: the version that was tested, and the first one that is known to fail.

    Attributes
    ----------
    package
        Its name.
    tested
        The version.
    fails_from
        The first major version that fails.
    why
        What happens then, for a message.
    """

    package: str
    tested: str
    fails_from: int | None = None
    why: str = ""


class RunnerSpec(NamedTuple):
    """A program that scores: its script, the metrics that it computes, and the packages that it needs.

    The script never runs in this process. The metrics of a plug-in have one direction and one range, and no score may
    leave it; those of ours are in `metrics.known`.

    Attributes
    ----------
    name
        The name of the runner.
    script
        The path of its script.
    families
        Its metrics.
    requirements
        The packages that compute; the first is the one that the runner is about.
    module
        What is looked for beside truebleu, to see if truebleu's own interpreter will do; without one it does.
    higher_is_better, low, high
        The direction and the range of its metrics.
    """

    name: str
    script: Path
    families: tuple[LearnedFamily, ...]
    requirements: tuple[Requirement, ...]
    module: str = ""
    higher_is_better: bool = True
    low: float = -inf
    high: float = inf


_NON_COMMERCIAL = "CC-BY-NC-SA"
_KIWI, _XCOMET, _METRICX24 = ("cometkiwi",), ("xcomet", "xcomet-qe"), ("metricx", "metricx-qe")
_WMT22_COMET = PinnedModel(
    "Unbabel/wmt22-comet-da",
    "2760a223ac957f30acfb18c8aa649b01cf1d75f2",
    {
        "checkpoints/model.ckpt": "e213091cde220f97b89f8bdfa750c458cfea741ad62affb455b59900210ff2af",
        "hparams.yaml": "265ef22345ea5b9ffa020a7fe5be613a95ff931c44bf8d09a26d96c6c6048f60",
    },
    licence="Apache-2.0",
    families=("comet",),
)
_WMT22_KIWI = PinnedModel(
    "Unbabel/wmt22-cometkiwi-da",
    "1ad785194e391eebc6c53e2d0776cada8f83179a",
    {
        "checkpoints/model.ckpt": "4f357aa38b0737dcd502f166238c99711ff3419d7b5c8cdf9cde08525a8e7858",
        "hparams.yaml": "eee0f391b4e2baee489117e59d967a9be0b1ad027556152c6cefcd41039c778c",
    },
    is_gated=True,
    licence=_NON_COMMERCIAL,
    families=_KIWI,
)
_XCOMET_XL = PinnedModel("Unbabel/XCOMET-XL", is_gated=True, licence=_NON_COMMERCIAL, families=_XCOMET)
_XCOMET_XXL = PinnedModel(
    "Unbabel/XCOMET-XXL",
    "873bac1b1c461e410c4a6e379f6790d3d1c7c214",
    {
        "checkpoints/model.ckpt": "e760e1f568af69b7a1bf7aeb46d8f3be21f01be7cbda480f8225ee81eb0af27a",
        "hparams.yaml": "0519fd6b5ad74bb15c87894b2b862e1a005219939ad2e474e63eeff5aa6b2214",
    },
    is_gated=True,
    licence=_NON_COMMERCIAL,
    families=_XCOMET,
)
_METRICX_24 = PinnedModel(
    "google/metricx-24-hybrid-xl-v2p6",
    "f6e7f99a655582f28cb998dd3e6ca86b4217430d",
    {
        "config.json": "47b47c4c4a892f2c7411a0e7711ad76f5bdcd13c176161e04f26b0dc681b4c42",
        "pytorch_model.bin.index.json": "e00c00362f242bd766e84a3a30d820e80ba3be1c08eab2b9bf123535d5fe1c92",
        "pytorch_model-00001-of-00002.bin": "f0481c16fa7171bbb1a724cce3b8598b8d78bb8e8209138fecf7fdedd5200327",
        "pytorch_model-00002-of-00002.bin": "24978065a17c3d63617d92f093a1b4cdf3b94cb68b969ebd3c947c334d837cbc",
    },
    families=_METRICX24,
)
_XLM_R = PinnedModel(
    "xlm-roberta-large",
    "c23d21b0620b635a76227c604d44e43a9f0ee389",
    {"sentencepiece.bpe.model": "cfc8146abe2a0488e9e2a0c56de7952f7c11ab059eca145a0a727afce0db2865"},
)
_MT5 = PinnedModel(
    "google/mt5-xl",
    "63fc6450d80515b48e026b69ef2fbbd426433e84",
    {"spiece.model": "ef78f86560d809067d12bac6c09f19a462cb3af3f54d2b8acbba26e1433125d6"},
)
_BERT = PinnedModel("bert-base-multilingual-cased")
_METRICX_23 = PinnedModel("google/metricx-23-xl-v2p0", families=("metricx23",))
_METRICX_23_QE = PinnedModel("google/metricx-23-qe-xl-v2p0", families=("metricx23-qe",))
_COMET_QE = PinnedModel("Unbabel/wmt20-comet-qe-da", licence="Apache-2.0", families=("comet-qe",))
_UNITE = PinnedModel("Unbabel/unite-mup", licence=_NON_COMMERCIAL, families=("unite",))

_BOTH, _NO_REFERENCE = ("src", "hyp", "ref"), ("src", "hyp")
_METRICX = LearnedFamily(
    "metricx", "MetricX", "metricx", _BOTH, _METRICX_24, _MT5, 1536, strips_edges=False, options={"prompt": "24"}
)
# Another prompt, in which no source stands beside a reference.
_METRICX23 = _METRICX._replace(
    name="metricx23", label="MetricX-23", fields=("hyp", "ref"), model=_METRICX_23, max_tokens=1024,
    options={"prompt": "23"},
)  # fmt: skip

_OF_COMET = (
    LearnedFamily("comet", "COMET", "comet", _BOTH, _WMT22_COMET, _XLM_R),
    LearnedFamily("comet-qe", "COMET-QE", "comet", _NO_REFERENCE, _COMET_QE),
    LearnedFamily("unite", "UniTE", "comet", _BOTH, _UNITE),
    LearnedFamily("cometkiwi", "CometKiwi", "comet", _NO_REFERENCE, _WMT22_KIWI),
    LearnedFamily("xcomet", "XCOMET", "comet", _BOTH, _XCOMET_XL, has_spans=True),
    LearnedFamily("xcomet-qe", "XCOMET-QE", "comet", _NO_REFERENCE, _XCOMET_XL, has_spans=True),
)
_OF_METRICX = (
    _METRICX,
    _METRICX._replace(name="metricx-qe", label="MetricX-QE", fields=_NO_REFERENCE),
    _METRICX23,
    _METRICX23._replace(name="metricx23-qe", label="MetricX-23-QE", fields=_NO_REFERENCE, model=_METRICX_23_QE),
)
_OF_BERTSCORE = (LearnedFamily("bertscore", "BERTScore", "bertscore", ("hyp", "ref"), _BERT),)

_LISTED = (
    _WMT22_COMET, _WMT22_KIWI, _COMET_QE, _UNITE, _XCOMET_XL, _XCOMET_XXL, _METRICX_24,
    PinnedModel("Unbabel/wmt22-unite-da", licence=_NON_COMMERCIAL, families=("unite",)),
    *(PinnedModel(f"Unbabel/wmt23-cometkiwi-da-{size}", is_gated=True, licence=_NON_COMMERCIAL, families=_KIWI)
      for size in ("xl", "xxl")),
    PinnedModel("Unbabel/wmt20-comet-da", licence="Apache-2.0", families=("comet",)),
    # These are published as archives, and not on the hub.
    *(PinnedModel(f"wmt21-comet-{kind}", licence="Apache-2.0", families=("comet",)) for kind in ("da", "mqm")),
    *(PinnedModel(f"wmt21-comet-qe-{kind}", licence="Apache-2.0", families=("comet-qe",)) for kind in ("da", "mqm")),
    *(PinnedModel(f"google/metricx-24-hybrid-{size}-v2p6{end}", families=_METRICX24)
      for size in ("large", "xl", "xxl") for end in ("", "-bfloat16") if size != "xl" or end),
    *(one._replace(name=one.name.replace("-xl-", f"-{size}-")) for size in ("large", "xl", "xxl")
      for one in (_METRICX_23, _METRICX_23_QE)),
)  # fmt: skip
# All models that are listed, by their names: what a model computes is said here, pinned or not.
MODELS: Mapping[str, PinnedModel] = MappingProxyType({model.name: model for model in (*_LISTED, _XLM_R, _MT5)})
_BY_NAME = {PurePath(model.name).name.lower(): model.families for model in _LISTED}


def family_of(name: str, model: str) -> str:
    """The metric that a model computes, which somebody named as one of another family of the same runner.

    The name of the model tells it, on the hub or of a folder; of other checkpoints of COMET their class does.

    >>> family_of("comet", "Unbabel/wmt20-comet-qe-da"), family_of("metricx", "./metricx-23-xl-v2p0")
    ('comet-qe', 'metricx23')
    """
    asked, plain = FAMILIES[name], PurePath(model.partition("@")[0])
    computes = _BY_NAME.get(plain.name.lower(), ())
    if not computes and asked.script == "comet" and "ref" in asked.fields and _is_referenceless(plain):
        computes = ("comet-qe",)
    if not computes and asked.script == "metricx" and re.search("metricx-?23", plain.name.lower()):
        computes = ("metricx23-qe" if "ref" not in asked.fields or "qe" in plain.name.lower() else "metricx23",)
    found = [one for one in computes if FAMILIES[one].script == asked.script]
    if not found or name in found:
        return name
    own = next((one for one in found if FAMILIES[one].fields == asked.fields), found[0])
    if "ref" in FAMILIES[own].fields and "ref" not in asked.fields:
        raise OptionError(f"{name}={model}: this model compares with references; name it as {own}={model}")
    return own


def _is_referenceless(checkpoint: PurePath) -> bool:
    folder = Path(checkpoint).expanduser()
    folder = folder.parent.parent if folder.suffix == ".ckpt" else folder
    try:
        return "referenceless_regression_metric" in (folder / "hparams.yaml").read_text("utf-8")
    except (OSError, ValueError):
        return False


# The model that the package takes for texts in a language, and its layer; None: what the package says.
BERTSCORE_MODELS: Mapping[str, tuple[str, int | None]] = MappingProxyType(
    {"en": ("roberta-large", 17), "zh": ("bert-base-chinese", 8), "tr": ("dbmdz/bert-base-turkish-cased", None)}
)
BERTSCORE_OTHERWISE = (_BERT.name, 9)

_TORCH, _SUBWORDS = Requirement("torch", "2.15.0"), Requirement("tokenizers", "0.22.2")
_SENTENCEPIECE = Requirement("sentencepiece", "0.2.3")
_TRANSFORMERS = Requirement("transformers", "4.57.6")
_SCRIPTS = Path(__file__).resolve().parent / "scripts"
_OURS = (
    RunnerSpec("comet", _SCRIPTS / "run_comet.py", _OF_COMET, (
        Requirement("unbabel-comet", "2.2.7"), _TORCH,
        _TRANSFORMERS._replace(fails_from=5, why="which fails at the first batch"),
        _SUBWORDS, _SENTENCEPIECE, Requirement("entmax", "1.3"), Requirement("numpy", "1.26.4"),
        Requirement("setuptools", "80.10.2", 81, "where 'import comet' fails for want of pkg_resources"),
    ), "comet"),
    RunnerSpec("metricx", _SCRIPTS / "run_metricx.py", _OF_METRICX, (
        _TRANSFORMERS._replace(fails_from=5, why="which ties the head of the model to its embeddings"),
        _TORCH, _SUBWORDS, _SENTENCEPIECE,
    ), "transformers"),
    RunnerSpec("bertscore", _SCRIPTS / "run_bertscore.py", _OF_BERTSCORE, (
        Requirement("bert-score", "0.3.13"), _TORCH, _TRANSFORMERS, _SUBWORDS,
    ), "bert_score"),
)  # fmt: skip
OWN = tuple(one.name for one in _OURS)

_runners: dict[str, RunnerSpec] = {}
_families: dict[str, LearnedFamily] = {}
RUNNERS: Mapping[str, RunnerSpec] = MappingProxyType(_runners)
FAMILIES: Mapping[str, LearnedFamily] = MappingProxyType(_families)


def register(spec: RunnerSpec) -> None:
    """Add a runner and its metrics: ours, and those of plug-ins, whose names must be new."""
    taken = {spec.name} & _runners.keys() or {one.name for one in spec.families} & _families.keys()
    if taken or not spec.families or not spec.requirements:
        what = f"{min(taken)} is there already" if taken else "it needs metrics, and a package that it is about"
        raise OptionError(f"the runner {spec.name} cannot be added: {what}")
    _runners[spec.name] = spec
    _families.update((one.name, one) for one in spec.families)


for _spec in _OURS:
    register(_spec)


def why_not(script: str, packages: Mapping[str, str]) -> str:
    """Why a script cannot run with these packages ("" if nothing is known against it); the first of its packages must
    be there, and none may be of a version that is known to fail.

    >>> why_not("comet", {"unbabel-comet": "2.2.7", "transformers": "5.23.0"})
    'it has unbabel-comet 2.2.7 with transformers 5.23.0, which fails at the first batch; tested is 4.57.6'
    """
    first, *_ = RUNNERS[script].requirements
    if first.package not in packages:
        return f"it has no {first.package}; tested is {first.tested}"
    for needed in RUNNERS[script].requirements:
        found = packages.get(needed.package, "")
        major = re.match(r"\d+", found)
        if needed.fails_from is not None and major and int(major[0]) >= needed.fails_from:
            beside = "" if needed is first else f"{first.package} {packages[first.package]} with "
            return f"it has {beside}{needed.package} {found}, {needed.why}; tested is {needed.tested}"
    return ""
