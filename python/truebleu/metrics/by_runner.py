"""COMET, XCOMET, MetricX and BERTScore: learned metrics whose packages run in an interpreter of their own.

A metric holds options only. What runs is behind a `Link`, which copies of a metric share; one model is in memory at a
time, and its program ends half a minute after the last question, or at exit.

>>> COMET(), COMET("./my-comet", multi_ref="max").asked_as
(COMET(), 'comet=./my-comet')
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from math import inf, isinf
from pathlib import Path
from typing import Self

from truebleu._inputs import brief, check_text
from truebleu._logs import warn
from truebleu._options import choice, number_from_zero, thread_count, whole_number, yes_or_no
from truebleu._typing import Any, ClassVar
from truebleu.errors import ModelError, OptionError
from truebleu.metrics.known import KnownMetric, known
from truebleu.metrics.neural import Fact, LearnedMetric
from truebleu.metrics.options import IF_SET, Field, Option
from truebleu.runners import identity
from truebleu.runners.cache import ScoreCache, canonical
from truebleu.runners.environments import Interpreter, interpreter
from truebleu.runners.families import (
    BERTSCORE_MODELS,
    BERTSCORE_OTHERWISE,
    FAMILIES,
    MODELS,
    RUNNERS,
    LearnedFamily,
    PinnedModel,
    family_of,
)
from truebleu.runners.kept import imported
from truebleu.runners.process import HELLO_SECONDS
from truebleu.runners.scorer import Recipe, RunnerScorer
from truebleu.store.config import state_folder
from truebleu.version import __version__

PRECISIONS = ("fp32", "bf16", "fp16")
BATCH = 16
_TOKENIZER_FILES = ("spiece.model", "tokenizer.json", "tokenizer_config.json")
_IDLE_SECONDS = 30.0
_DIGITS = 12  # of a hash, in a signature
_VERSION = 1  # of our runners


class RunnerMetric(LearnedMetric):
    """A learned metric that a runner computes.

    Parameters
    ----------
    model
        A model on the hub, such as "Unbabel/wmt22-comet-da", or a folder with its files, which begins like a path.
    revision
        Its revision; of a model that is pinned here, the pinned one unless given.
    multi_ref
        What becomes of several references of a segment, each of which is scored: "mean", "max" (the best) or "first".
    empty_hyp
        "worst" gives an empty output the worst score of the range; otherwise the model scores it.
    keep_edges
        Whether white space at the ends of texts is kept where it is taken away otherwise.
    precision
        "fp32", "bf16" or "fp16".
    device
        "cpu", "cuda", "cuda:1", "mps", or "auto" for the first CUDA device, else the CPU.
    batch_size
        How many units are scored at a time.
    python
        The interpreter of the runner; None for the one that variables, or `truebleu metrics install`, tell.
    cache
        Whether scores are kept, and those that were kept are used.
    fresh
        Whether everything is scored anew, and kept.
    recheck
        How many kept scores are computed once more, to see if they are still the same.
    trust_checkpoint
        Whether a checkpoint from the hub whose digest nobody has published may be opened: that runs code of its author.
    imported
        Whether scores are those that `truebleu metrics cache --import` brought here, and no model is asked.
    timeout
        How many seconds a runner may take for its first message.
    threads
        How many threads a model takes on the CPU; None for what `TRUEBLEU_THREADS` says, or all cores.
    facts
        What a signature says of model and packages, to be compared with what is found.
    normalize
        Differences to remove from all texts before scoring: names of `truebleu.normalization`, with commas.
    rescore
        Whether the doctor may have repaired texts scored, to say what a repair is worth.
    link
        The running program of a copy of this metric; None for one of its own.
    called
        The name of its scores; "" for that of the family.
    """

    title = "Learned metrics"
    family: ClassVar[LearnedFamily]
    fields: ClassVar[tuple[Field, ...]] = (
        Fact("model", "md", "model"), Fact("rev", "rv", "revision"), Fact("w", "w"), *LearnedMetric.fields[:2],
        Fact("max", "mx"), Fact("prec", "p", "precision"), Fact("dev", "d"), Fact("pkg", "pk"), Fact("torch", "to"),
        Fact("tf", "tf"), *LearnedMetric.fields[2:], Fact("runner", "ru"),
        Field("from", "fr", "imported", encode={True: "import", False: None}),
    )  # fmt: skip

    model: Option[str] = Option()
    revision: Option[str] = Option()
    precision: Option[str] = Option(choice, known=PRECISIONS)
    imported = Option(yes_or_no)

    def __init_subclass__(cls, family: str = "", **options: Any) -> None:
        if family:
            cls.family = FAMILIES[family]
            cls.name, cls.label = cls.family.name.upper(), cls.family.label
            cls.texts, cls.strips_edges = cls.family.fields, cls.family.strips_edges
            cls.needs_references = "ref" in cls.texts
            found = known(cls.label)
            cls.higher_is_better = found is None or found.higher  # a plug-in says its own direction
        super().__init_subclass__(**options)

    def __init__(
        self, model: str = "", revision: str = "", multi_ref: str = "", empty_hyp: str = "", keep_edges: bool = False,
        precision: str = "fp32", device: str = "auto", batch_size: int = BATCH, python: str | None = None,
        cache: bool = True, fresh: bool = False, recheck: int = 0, trust_checkpoint: bool = False,
        imported: bool = False, timeout: float = HELLO_SECONDS, threads: int | None = None, *,
        facts: Mapping[str, str] | None = None, normalize: str | Sequence[str] = "", rescore: bool = False,
        link: Link | None = None, called: str = "",
    ) -> None:  # fmt: skip
        who = type(self).__name__
        self.model = check_text(f"{who}: model", model, "a model, such as 'org/name' or './folder'")
        self.revision = check_text(f"{who}: revision", revision, "a revision")
        # A model that is stored in half precision is loaded as it is stored.
        self.precision = "bf16" if precision == "fp32" and self.model.lower().endswith("-bfloat16") else precision
        if self.model and (own := family_of(self.family.name, self.model)) != self.family.name:
            raise OptionError(f"{who}: {brief(self.model)} is a model of {FAMILIES[own].label}: find({own!r}) makes it")
        self.device = check_text(f"{who}: device", device, "a device, such as 'cpu' or 'cuda:0'")
        if self.device.partition(":")[0] not in ("auto", "cpu", "cuda", "mps"):
            raise OptionError(f"{who}: device is {brief(device)}, expected auto, cpu, cuda, cuda:N or mps")
        self.batch_size = whole_number(who, "batch_size", batch_size, 1, 512)
        self.python = None if python is None else check_text(f"{who}: python", python, "a path to an interpreter")
        self.cache, self.fresh = yes_or_no(who, "cache", cache), yes_or_no(who, "fresh", fresh)
        self.recheck = whole_number(who, "recheck", recheck, 0, 1 << 30)
        self.imported = imported
        self.trust_checkpoint = yes_or_no(who, "trust_checkpoint", trust_checkpoint)
        self.timeout = number_from_zero(who, "timeout", timeout)
        if not self.timeout:
            raise OptionError(f"{who}: timeout is 0, expected more seconds")
        self.threads = thread_count(threads)
        super().__init__(multi_ref, empty_hyp, keep_edges, facts=facts, normalize=normalize, rescore=rescore)
        self._called = called or self._called
        self._link = Link(self) if link is None else link.joined(self)

    @property
    def model_asked(self) -> tuple[str, str]:
        """The model and its revision: those that were named, or the usual ones."""
        given = self.family.model
        return (self.model, self.revision) if self.model else (given.name, self.revision or given.revision)

    @property
    def asked_as(self) -> str:
        """The name on the command line that makes this metric."""
        revision = f"@{self.revision}" if self.revision else ""
        return f"{self.family.name}={self.model}{revision}" if self.model else self.family.name

    @property
    def known(self) -> KnownMetric:
        """What is known of the model, or of its family."""
        model = self.model_asked[0]
        found = known(self.label, identity.local_name(model) if identity.is_path(model) else model)
        return found or super().known

    @property
    def bounds(self) -> tuple[float, float]:
        """The range that no score leaves; nobody knows that of a model which is not in the lists."""
        low, high = super().bounds
        model = self.model_asked[0]
        is_listed = not self.model or (not identity.is_path(model) and known(model) is not None)
        return (low, high) if is_listed or self.known.is_penalty else (-inf, inf)

    @property
    def tolerance(self) -> float:
        """What scores may differ by between machines; between batches it is a tenth, but for MetricX and spans."""
        low, high = self.bounds
        return (1.0 if isinf(low) or isinf(high) else high - low) * (0.1 if self.family.has_spans else 1e-5)

    @property
    def options(self) -> dict[str, Any]:
        """The options of the runner."""
        return {**self.family.options}

    @property
    def from_cache(self) -> tuple[int, int]:
        """How many units of the last question were in the cache, and how many there were."""
        scorer = self._link.scorer()
        return scorer.hits, scorer.hits + scorer.misses

    @property
    def is_kept(self) -> bool:
        """Whether scores outlive this process."""
        cache = self._link.scorer().cache
        return cache is not None and not cache.in_memory

    def check_interpreter(self) -> None:
        """Refuse, before anything is read, a runner that has no interpreter."""
        _ = self.imported or self._link.interpreter

    def facts(self) -> Mapping[str, str]:
        """What identifies model, weights and program: what was found, or until texts are scored what was given."""
        if not self._link.is_known and self._facts_given.get("w"):
            named = {"model": self.model, "rev": self.revision[:_DIGITS], "prec": self.precision}
            return {**self._facts_given, **{key: value for key, value in named.items() if value}}
        return self._link.facts

    def meta(self) -> dict[str, Any]:
        """Everything that is known of the model and the run."""
        return {**self.facts(), **self._link.meta} if self._link.is_known else dict(self.facts())

    def __enter__(self) -> Self:
        self._link.is_held = True
        return self

    def __exit__(self, *_: object) -> None:
        self._link.is_held = False
        self._link.close()

    def close(self) -> None:
        """End the program that runs the model, if it runs."""
        self._link.close()

    def _options(self) -> dict[str, Any]:
        usual = {
            "model": "", "revision": "", "precision": "fp32", "multi_ref": "", "empty_hyp": "", "keep_edges": False,
            "imported": False, "rescale": False,
        }  # fmt: skip
        return {name: value for name, value in super()._options().items() if value != usual.get(name)}

    def _row_options(self) -> dict[str, object]:
        return {name: value for name, value in super()._row_options().items() if name not in ("model", "revision")}

    def arguments(self) -> dict[str, Any]:
        """The arguments that make this metric again: of a model in a folder its name, and no path."""
        facts = dict(self.facts())
        return {**super().arguments(), "model": facts.pop("model"), "facts": facts}

    def _scorer(self) -> RunnerScorer:
        found = self._link.scorer()
        given = {key: value for key, value in self._facts_given.items() if key != "model"}
        for key, value in given.items():
            here = self._link.facts.get(key)
            if here is not None and here != value and key == "w":
                raise ModelError(f"{self.label}: the signature is of the weights {value}, here they are {here}")
            if here is not None and here != value and key not in ("rev", "cut"):
                warn("%s: the signature is of %s:%s, here it is %s; scores may differ", self.label, key, value, here)
        return found

    def __copy__(self) -> Self:
        found = type(self).__new__(type(self))
        found.__dict__.update(self.__dict__, _door=None, _shown=None)
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_link": None, "told": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _link=Link(self))


class Link:
    """A metric's way to its runner: the interpreter, the files of the model, and the program while it runs."""

    _live: ClassVar[list[Link]] = []
    _turn: ClassVar[threading.RLock] = threading.RLock()

    def __init__(self, metric: RunnerMetric) -> None:
        self._metric = metric
        self._scorer: RunnerScorer | None = None
        self._facts: dict[str, str] | None = None
        self._interpreter: Interpreter | None = None
        self._timer: threading.Timer | None = None
        self.is_held = False
        self.meta: dict[str, Any] = {}

    def joined(self, metric: RunnerMetric) -> Link:
        """Give the way to another metric with the same options."""
        if self._scorer is None:
            self._metric = metric
        return self

    @property
    def is_known(self) -> bool:
        """Whether it is known what runs."""
        return self._facts is not None

    @property
    def interpreter(self) -> Interpreter:
        """What starts the runner."""
        if self._interpreter is None:
            self._interpreter = interpreter(self._metric.family.script, self._metric.python or "")
        return self._interpreter

    @property
    def facts(self) -> Mapping[str, str]:
        """The facts of signatures."""
        if self._facts is None:
            self.scorer()
        assert self._facts is not None
        return self._facts

    def scorer(self) -> RunnerScorer:
        """Give what scores units; the program of another metric ends, because two models may not fit into memory."""
        with self._turn:
            for other in [one for one in self._live if one is not self and not one.is_held]:
                other.close()
            if self not in self._live:
                self._live.append(self)
            self._wait()
            if self._scorer is None:
                self._scorer = self._made()
            return self._scorer

    def close(self) -> None:
        """End the program; its cache stays open."""
        with self._turn:
            if self._timer is not None:
                self._timer.cancel()
            if self._scorer is not None:
                self._scorer.close()
            if self in self._live:
                self._live.remove(self)

    def _wait(self) -> None:
        """End the program when nobody has asked it anything for a while."""
        if self._timer is not None:
            self._timer.cancel()
        if not self.is_held:
            self._timer = threading.Timer(_IDLE_SECONDS, self._end_if_idle)
            self._timer.daemon = True
            self._timer.start()

    def _end_if_idle(self) -> None:
        scorer = self._scorer
        if scorer is not None and scorer.is_idle():
            self.close()
        elif scorer is not None:
            self._wait()

    def _imported(self) -> RunnerScorer:
        """Give what has all scores from a file; what they are of is known from there."""
        metric = self._metric
        name = metric.model_asked[0]
        name = identity.local_name(name) if identity.is_path(name) else name
        wanted = {"model": name, "precision": metric.precision, "options": metric.options}
        cache = imported(metric.family.name, wanted)
        said = cache.fingerprint
        model = identity.ModelFiles(name, MODELS.get(name, PinnedModel(name)).revision, Path(), said["files"], False)
        device = {"device": str(said["device"]).partition(":")[0]}
        self._facts = {**self._facts_of(model, said["packages"], device), "from": "import"}
        self.meta = {"files": said["files"], "packages": said["packages"], **device, "from": "import"}
        return RunnerScorer(Recipe(metric.family.name, (), {}, metric.bounds, 0.0), cache)

    def _made(self) -> RunnerScorer:
        metric, family = self._metric, self._metric.family
        if metric.imported:
            return self._imported()
        script, options = family.script, dict(metric.options)
        settings: dict[str, Any] = {
            "hello_seconds": metric.timeout, "log": state_folder() / "runners" / f"{script}.log",
        }  # fmt: skip
        model = identity.model_files(*metric.model_asked, script)
        tokenizer = None
        # The models of MetricX have no tokenizer beside them: all sizes of mT5 have the same.
        is_bare = script == "metricx" and not any((model.path / name).is_file() for name in _TOKENIZER_FILES)
        if family.tokenizer is not None and (model.is_pinned or is_bare):
            tokenizer = identity.model_files(family.tokenizer.name, family.tokenizer.revision, script)
        if script == "comet" and not model.is_pinned and not identity.is_path(metric.model_asked[0]):
            self._require_trust(model)
        load = {
            **model.message(), "precision": metric.precision, "device": metric.device, "batch": metric.batch_size,
            "tokenizer": None if tokenizer is None else tokenizer.message(), "options": options,
            "fields": list(family.fields), "threads": metric.threads,
        }  # fmt: skip
        tolerance = metric.tolerance / (1 if family.has_spans or script == "metricx" else 10)
        greet = partial(identity.greet, script, self.interpreter)
        recipe = Recipe(family.name, self.interpreter.command, load, metric.bounds, tolerance, settings, greet)
        scorer = RunnerScorer(recipe, None, fresh=metric.fresh, recheck=metric.recheck)
        packages = identity.known_packages(script, self.interpreter)
        if packages is None:
            scorer.loaded()
            packages = identity.known_packages(script, self.interpreter) or {}
        needed = [one.package for one in RUNNERS[script].requirements]
        about = {
            "runner": script, "program": identity.program_digest(_script_of(self.interpreter)),
            "model": model.name, "files": dict(model.digests),
            "tokenizer": {} if tokenizer is None else dict(tokenizer.digests),
            "packages": {name: packages[name] for name in needed if name in packages},
            "precision": metric.precision, "options": options, "fields": list(family.fields),
        }  # fmt: skip
        device = self._device(about, scorer)
        fingerprint = {**about, "device": device.get("gpu") or device["device"]}
        scorer.cache = ScoreCache(family.name, fingerprint, in_memory=not metric.cache)
        self._facts = self._facts_of(model, packages, device)
        self.meta = {"files": dict(model.digests), "packages": about["packages"], **device}
        return scorer

    def _device(self, about: Mapping[str, Any], scorer: RunnerScorer) -> dict[str, Any]:
        """What the model runs on. Nobody knows before it was loaded once, so that it is loaded then."""
        key = canonical({**about, "device": self._metric.device, "command": self.interpreter.command})
        meta = identity.known_meta(key) if scorer.ready is None else scorer.ready["meta"]
        if meta is None:
            meta = scorer.loaded()["meta"]
        identity.remember_meta(key, meta)
        kept = ("device", "gpu", "max_tokens", "class", "hash")
        return {"device": "cpu", **{key: meta[key] for key in kept if meta.get(key) is not None}}

    def _facts_of(
        self, model: identity.ModelFiles, packages: Mapping[str, str], device: Mapping[str, Any]
    ) -> dict[str, str]:
        family = self._metric.family
        first = RUNNERS[family.script].requirements[0].package
        facts = {
            "model": model.name, "rev": model.revision[:_DIGITS], "w": model.weights[:_DIGITS],
            "max": str(family.max_tokens or ""), "prec": self._metric.precision, "dev": str(device["device"]),
            "pkg": f"{first}-{packages[first]}" if first in packages and first != "transformers" else "",
            "torch": packages.get("torch", ""), "tf": packages.get("transformers", ""),
            "runner": f"{family.script}-{_VERSION}",
        }  # fmt: skip
        return {key: value for key, value in facts.items() if value}

    def _require_trust(self, model: identity.ModelFiles) -> None:
        if not self._metric.trust_checkpoint and identity.known_meta(f"trusted {model.weights}") is None:
            raise ModelError(
                f"{model.name} has no published digest, and opening its checkpoint runs code that its author can "
                "choose: --trust-checkpoint (trust_checkpoint=True) opens it, and remembers its digest"
            )
        identity.remember_meta(f"trusted {model.weights}", {"model": model.name, "truebleu": __version__})


def _script_of(found: Interpreter) -> Path:
    return Path(found.command[-1])


@atexit.register
def _end_all() -> None:
    for link in [*Link._live]:
        link.close()


class COMET(RunnerMetric, family="comet"):
    """COMET: source, output and reference, scored by a model that was trained on judgements of people."""


class COMETQE(RunnerMetric, family="comet-qe"):
    """COMET without references, by models that are no CometKiwi."""


class UniTE(RunnerMetric, family="unite"):
    """UniTE: source, output and reference, read together."""


class CometKiwi(RunnerMetric, family="cometkiwi"):
    """CometKiwi: COMET without references."""


class XCOMET(RunnerMetric, family="xcomet"):
    """XCOMET: COMET that also marks errors in the output."""


class XCOMETQE(RunnerMetric, family="xcomet-qe"):
    """XCOMET without references."""


class MetricX(RunnerMetric, family="metricx"):
    """MetricX: a penalty from 0 to 25, so that lower is better."""


class MetricXQE(RunnerMetric, family="metricx-qe"):
    """MetricX without references."""


class MetricX23(RunnerMetric, family="metricx23"):
    """MetricX-23, which takes no source beside a reference."""


class MetricX23QE(RunnerMetric, family="metricx23-qe"):
    """MetricX-23 without references, whose models are others."""


class BERTScore(RunnerMetric, family="bertscore"):
    """BERTScore's F1; several references count by the best, as in its package.

    Parameters
    ----------
    language
        The target language, which chooses the model unless one is given, and the baseline.
    rescale
        Whether scores are rescaled with the package's baseline, which makes them another metric.
    *arguments, **more
        As in `COMET`.
    """

    best_reference = True
    rescale = Option(yes_or_no)
    fields: ClassVar[tuple[Field, ...]] = (
        *RunnerMetric.fields[:-2], Field("rescaled", "resc", "rescale", encode=IF_SET),
        *RunnerMetric.fields[-2:],
    )  # fmt: skip

    def __init__(self, *arguments: Any, language: str = "", rescale: bool = False, **more: Any) -> None:
        self.language = check_text("BERTScore: language", language, "a language such as 'de'")
        self.rescale = rescale
        if self.rescale and not self.language:
            raise OptionError("BERTScore: a baseline is of a language: -l SRC-TRG, in Python language='de'")
        super().__init__(*arguments, **more)

    @property
    def model_asked(self) -> tuple[str, str]:
        """The model that was named, or the one that the package takes for the language."""
        usual = BERTSCORE_MODELS.get(self.language, BERTSCORE_OTHERWISE)[0]
        return (self.model or usual, self.revision)

    @property
    def options(self) -> dict[str, Any]:
        """The layer, where it is known here; otherwise the package knows."""
        layers = dict((*BERTSCORE_MODELS.values(), BERTSCORE_OTHERWISE))
        layer = layers.get(self.model_asked[0])
        return {**({} if layer is None else {"layer": layer}), **({"rescale": self.language} if self.rescale else {})}

    def fingerprint(self) -> Mapping[str, object]:
        """That of all learned metrics, and the language of the baseline."""
        return {**super().fingerprint(), **({"rescaled": self.language} if self.rescale else {})}

    def arguments(self) -> dict[str, Any]:
        """Those of all learned metrics, and the language of the baseline."""
        return {**super().arguments(), **({"language": self.language} if self.rescale else {})}
