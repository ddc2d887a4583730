"""What other tools compute: each profile is a setting, by the name of a tool and how it is called.

`compared` says with what the numbers of a profile have been compared; docs/reconcile.md has the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from truebleu._inputs import brief, check_text
from truebleu.errors import OptionError
from truebleu.metrics import Metric
from truebleu.metrics.bleu import BLEU
from truebleu.metrics.chrf import CHRF
from truebleu.metrics.published import parse_signature
from truebleu.metrics.ter import TER
from truebleu.reconciliation.axes import AXES, Setting
from truebleu.tokenizers.registry import TOKENIZERS


class Profile(NamedTuple):
    """A way to call a tool."""

    tool: str
    variant: str  # the options or functions, empty for the usual ones
    title: str  # what a report calls it
    setting: Setting
    one_reference: bool = False  # whether the tool takes one reference only

    @property
    def name(self) -> str:
        """The tool and the variant."""
        return f"{self.tool} {self.variant}".strip()


def _bleu(tool: str, variant: str, title: str, one_reference: bool = False, /, **values: Any) -> Profile:
    names = {name.replace(" ", "_"): name for name in AXES["bleu"]}
    setting = Setting("bleu").having({names[key]: value for key, value in values.items()})
    return Profile(tool, variant, title, setting, one_reference)


def _other(tool: str, variant: str, title: str, metric: str, values: Mapping[str, str], one: bool = False) -> Profile:
    return Profile(tool, variant, title, Setting(metric).having(values), one)


_SPACES: Mapping[str, Any] = {"tokenizer": "ascii-space", "smoothing": "none"}
_TORCH: Mapping[str, Any] = {"reference_length": "first-closest"}

PROFILES: tuple[Profile, ...] = (
    _bleu("sacrebleu", "", "sacreBLEU", empty_references="keep"),
    _bleu("sacrebleu", "-lc", "sacreBLEU -lc", empty_references="keep", case="lower"),
    _bleu("sacrebleu", "sentences", "the mean of sacreBLEU's sentence scores", aggregation="mean"),
    _bleu("sacrebleu", "sentences, order 4", "the mean of sacreBLEU's sentence scores without effective order",
          aggregation="mean exp"),
    _bleu("sacrebleu<2", "", "sacreBLEU before 2.0", smoothing="exp-always"),
    _bleu("sacrebleu<1.5", "sentences", "the mean of sentence_bleu of sacreBLEU before 1.5",
          aggregation="mean floor[0]"),
    _bleu("sacrebleu<1.3", "sentences", "the mean of sentence_bleu of sacreBLEU 1.2", aggregation="mean floor[0.01]"),
    _bleu("multi-bleu", "", "multi-bleu.perl", **_SPACES),
    _bleu("multi-bleu", "-lc", "multi-bleu.perl -lc", case="ascii", **_SPACES),
    _bleu("multi-bleu-detok", "", "multi-bleu-detok.perl", smoothing="none"),
    _bleu("multi-bleu-detok", "-lc", "multi-bleu-detok.perl -lc", smoothing="none", case="ascii"),
    _bleu("mteval-v13a", "", "mteval-v13a.pl", case="ascii", aggregation="mteval"),
    _bleu("mteval-v13a", "-c", "mteval-v13a.pl -c", aggregation="mteval"),
    _bleu("mteval-v13a", "-c segments", "the mean of mteval-v13a.pl's segment scores", aggregation="mean mteval"),
    _bleu("mteval-v14", "", "mteval-v14.pl", case="ascii", aggregation="mteval"),
    _bleu("mteval-v14", "-c", "mteval-v14.pl -c", aggregation="mteval"),
    _bleu("mteval-v14", "--international-tokenization", "mteval-v14.pl --international-tokenization", case="lower",
          tokenizer="intl", aggregation="mteval"),
    _bleu("mteval-v14", "-c --international-tokenization", "mteval-v14.pl -c --international-tokenization",
          tokenizer="intl", aggregation="mteval"),
    _bleu("mteval-v14", "-c --brevity-penalty shortest", "mteval-v14.pl -c --brevity-penalty shortest",
          aggregation="mteval", reference_length="shortest"),
    _bleu("mteval-v14", "-c --no-smoothing", "mteval-v14.pl -c --no-smoothing", smoothing="none"),
    _bleu("mteval-v11b", "", "mteval-v11b.pl", case="ascii", tokenizer="13a-bytes", smoothing="none",
          reference_length="shortest"),
    _bleu("mteval-v11b", "-c", "mteval-v11b.pl -c", tokenizer="13a-bytes", smoothing="none",
          reference_length="shortest"),
    _bleu("mteval-v12", "", "mteval-v12.pl", case="lower", tokenizer="intl", smoothing="none",
          reference_length="shortest"),
    _bleu("mteval-v12", "-c", "mteval-v12.pl -c", tokenizer="intl", smoothing="none", reference_length="shortest"),
    _bleu("nltk", "", "NLTK's corpus_bleu of words", tokenizer="none", aggregation="nltk"),
    *(
        _bleu("nltk", f"sentences, method {n}", f"the mean of NLTK's sentence_bleu with method{n}", tokenizer="none",
              aggregation=f"mean nltk{n}")
        for n in range(8)
    ),
    _bleu("nltk", "strings", "NLTK's corpus_bleu of strings, whose characters are the tokens", tokenizer="characters",
          aggregation="nltk"),
    _bleu("hf-bleu", "", "Hugging Face's bleu", smoothing="none", reference_length="shortest"),
    _bleu("hf-bleu", "smooth", "Hugging Face's bleu with smooth=True", smoothing="add-one",
          reference_length="shortest"),
    _bleu("torchmetrics", "", "torchmetrics' BLEUScore", tokenizer="none", aggregation="torchmetrics", **_TORCH),
    _bleu("torchmetrics", "smooth", "torchmetrics' BLEUScore with smooth=True", tokenizer="none",
          aggregation="torchmetrics smooth", **_TORCH),
    _bleu("torchmetrics", "SacreBLEU", "torchmetrics' SacreBLEUScore", aggregation="torchmetrics", **_TORCH),
    _bleu("torchmetrics", "SacreBLEU smooth", "torchmetrics' SacreBLEUScore with smooth=True",
          aggregation="torchmetrics smooth", **_TORCH),
    _bleu("torchmetrics", "SacreBLEU lowercase", "torchmetrics' SacreBLEUScore with lowercase=True", case="lower",
          aggregation="torchmetrics", **_TORCH),
    _bleu("lm-eval", "", "lm-evaluation-harness (sacreBLEU with 13a)"),
    _bleu("opennmt-py", "", "OpenNMT-py (sacreBLEU)"),
    _bleu("fairseq", "--eval-bleu", "fairseq --eval-bleu (sacreBLEU)"),
    _bleu("t5", "", "T5 (sacreBLEU with intl)", tokenizer="intl"),
    _bleu("fairseq-score", "", "fairseq-score", True, tokenizer="fairseq", smoothing="none"),
    _bleu("fairseq-score", "--ignore-case", "fairseq-score --ignore-case", True, tokenizer="fairseq",
          smoothing="none", case="lower"),
    _bleu("fairseq-score", "--sentence-bleu", "the mean of fairseq-score --sentence-bleu", True, tokenizer="fairseq",
          aggregation="mean fairseq"),
    _bleu("tensor2tensor", "", "tensor2tensor's t2t-bleu", True, tokenizer="t2t", case="lower", aggregation="t2t"),
    _bleu("tensor2tensor", "cased", "tensor2tensor's t2t-bleu, cased", True, tokenizer="t2t", aggregation="t2t"),
    *(
        _bleu("coco", f"BLEU-{n}", f"COCO's BLEU-{n} of lower-cased words", tokenizer="none", case="lower",
              order=str(n), aggregation="coco")
        for n in (1, 2, 3, 4)
    ),
    _bleu("codexglue", "", "CodeXGLUE's smoothed BLEU", True, case="lower", tokenizer="code", aggregation="mean code",
          reference_length="shortest"),
    _bleu("marian", "bleu-detok", "Marian's bleu-detok", True, tokenizer="scripts", aggregation="torchmetrics"),
    _bleu("allennlp", "", "AllenNLP's BLEU of words", tokenizer="none", aggregation="allennlp"),
    _other("sacrebleu", "chrF", "sacreBLEU's chrF", "chrf", {}),
    _other("sacrebleu", "chrF++", "sacreBLEU's chrF++", "chrf", {"words": "2"}),
    _other("nltk", "chrF", "NLTK's corpus_chrf", "chrf", {"beta": "3", "aggregation": "nltk"}, True),
    _other("torchmetrics", "chrF", "torchmetrics' CHRFScore", "chrf", {"words": "2", "aggregation": "torchmetrics"}),
    _other("torchmetrics", "chrF nw 0", "torchmetrics' CHRFScore with n_word_order=0", "chrf",
           {"aggregation": "torchmetrics"}),
    _other("sacrebleu", "TER", "sacreBLEU's TER", "ter", {}),
    _other("torchmetrics", "TER", "torchmetrics' TranslationEditRate", "ter", {"aggregation": "torchmetrics"}),
)  # fmt: skip

TOOLS = tuple(dict.fromkeys(profile.tool for profile in PROFILES))


def of_tools(names: tuple[str, ...]) -> list[Profile]:
    """List the profiles of some tools."""
    found = []
    for name in names:
        wanted = " ".join(check_text("reconcile: tools", name, "the name of a tool").split())
        some = [profile for profile in PROFILES if wanted.lower() in (profile.tool.lower(), profile.name.lower())]
        if not some:
            raise OptionError(f"reconcile: there is no tool {brief(name)}; known are {', '.join(TOOLS)}")
        found += some
    return list(dict.fromkeys(found))


class Known(NamedTuple):
    """A setting that somebody named, what it is called, and what of the name cannot be scored."""

    setting: Setting
    title: str
    notes: tuple[str, ...] = ()
    references: str | None = None  # how many a signature says
    metric: Metric[Any] | None = None  # where it was one, or a signature


def known_setting(given: str | Metric[Any], what: str = "start") -> Known:
    """Find the setting of a profile's name, of a signature, or of a metric."""
    if isinstance(given, Metric):
        return Known(_setting_of(given), given.label, metric=given)
    text = check_text(f"reconcile: {what}", given, "a signature, the name of a tool, or a metric")
    for profile in PROFILES:
        if " ".join(text.lower().split()) == profile.name.lower():
            return Known(profile.setting, profile.title)
    if not any(sign in text for sign in "|+:"):
        there = ", ".join(TOOLS)
        raise OptionError(f"reconcile: {what} is {brief(text)}, which is no tool and no signature; tools are {there}")
    try:
        read = parse_signature(text)
        metric = read.make()
    except OptionError as error:
        raise OptionError(f"reconcile: {what}: {error}") from error
    shown = {key: value for key, value in read.context.items() if key != "nrefs"}
    notes = [*(f"{key}:{value} cannot be scored" for key, value in shown.items()), *read.notes]
    if read.metric == "bleu" and read.options.get("effective_order"):
        notes.append("eff:yes makes no difference to the score of a corpus")
    return Known(_setting_of(metric), text, tuple(notes), read.context.get("nrefs"), metric)


def _setting_of(metric: Metric[Any]) -> Setting:
    if "," in metric.normalize:
        raise OptionError(f"reconcile: normalize is {metric.normalize!r}, expected one normalisation at most")
    return _own_setting(metric).having({"text": metric.normalize or "as is"})


def _own_setting(metric: Metric[Any]) -> Setting:
    if isinstance(metric, BLEU):
        value = metric.smooth_value
        default = {"floor": 0.1, "add-k": 1.0}.get(metric.smooth_method)
        number = f"[{float(default if value is None else value):g}]" if default is not None else ""
        if metric.max_ngram_order > 6:
            raise OptionError(f"reconcile: max_ngram_order is {metric.max_ngram_order}, expected at most 6")
        tokenizer = metric.tokenizer_signature
        named = next((name for name in ("ja-mecab", "ko-mecab") if tokenizer.startswith(name)), tokenizer)
        if named not in TOKENIZERS:
            raise OptionError(f"reconcile: the tokenizer is {named!r}, expected one of {', '.join(TOKENIZERS)}")
        values = {
            "case": "lower" if metric.lowercase else "mixed", "tokenizer": named, "order": str(metric.max_ngram_order),
            "smoothing": metric.smooth_method + number, "empty references": metric.empty_refs,
        }  # fmt: skip
        return Setting("bleu").having(values)
    if isinstance(metric, CHRF):
        if metric.char_order > 6 or metric.word_order > 2:
            raise OptionError("reconcile: chrF is known up to six characters and two words")
        values = {
            "case": "lower" if metric.lowercase else "mixed", "characters": str(metric.char_order),
            "words": str(metric.word_order), "beta": f"{metric.beta:g}",
            "white space": "yes" if metric.whitespace else "no",
            "chrF smoothing": "yes" if metric.eps_smoothing else "no",
        }  # fmt: skip
        return Setting("chrf").having(values)
    if isinstance(metric, TER):
        values = {
            "normalized": "yes" if metric.normalized else "no", "punctuation": "no" if metric.no_punct else "yes",
            "asian": "yes" if metric.asian_support else "no", "TER case": "mixed" if metric.case_sensitive else "lower",
        }  # fmt: skip
        return Setting("ter").having(values)
    raise OptionError(f"reconcile: the metric is {metric.name}, expected BLEU, chrF or TER")
