"""The flags of learned metrics and judges, what does not go with them, and what follows from what was typed.

What the flags mean is settled in `asking.py`. Sections and rows are added to those of `truebleu` by `cli/flags.py` and
`cli/request.py`, which load this module if there is anything to add.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from truebleu._typing import Any
from truebleu.cli.flags import Section
from truebleu.cli.main import GOES_WITH, IDLE_WITHOUT, NOT_WITH, Conflict
from truebleu.metrics import METRICS
from truebleu.metrics.options import flag, switch

_LEARNED = (
    flag("--device", nargs="+", metavar="NAME=DEVICE",
         help="where a model runs: auto (default), cpu, cuda, cuda:1 or mps; without NAME=, all of them"),
    flag("--precision", nargs="+", metavar="NAME=KIND", help="of a model: fp32 (default), bf16 or fp16"),
    flag("--batch-size", nargs="+", metavar="NAME=N", help="how many units a model scores at a time (default: 16)"),
    flag("--runner-python", nargs="+", metavar="NAME=PATH",
         help="the interpreter that has the package of a metric, or uv; neural= stands for all of them"),
    flag("--option", action="append", metavar="NAME.KEY=VALUE", help="an option of the metric of a plug-in"),
    flag("--multi-ref", choices=("mean", "max", "first"), metavar="RULE",
         help="what becomes of several references of a segment: mean, max (the best) or first"),
    flag("--empty-hyp", choices=("worst",), metavar="RULE", help="worst: an empty output has the worst score"),
    switch("--bertscore-rescale", help="rescale BERTScore with the package's baseline for the target language of -l"),
    switch("--keep-edges", help="keep white space at the ends of texts, which COMET and BERTScore take away"),
    switch("--fresh", help="score everything anew, and keep that"),
    flag("--recheck", type=int, metavar="N", help="score N units of the cache once more, to see if they are the same"),
    switch("--no-score-cache", help="neither take scores from the cache nor keep them there"),
    switch("--doctor-rescore", help="have what the doctor repairs scored anew, for its prices; judges never do that"),
    switch("--imported-scores", help="take what 'truebleu metrics cache --import' brought here, and ask no model"),
    switch("--trust-checkpoint", help="open a checkpoint from the hub whose digest nobody has published: it runs code"),
    flag("--runner-timeout", type=float, metavar="SECONDS", help="for the first message of a runner (default: 60)"),
)  # fmt: skip

_JUDGES = (
    flag("--judge-url", metavar="URL", help="the server, such as http://127.0.0.1:8000/v1 (or TRUEBLEU_JUDGE_URL)"),
    flag("--judge-model", metavar="NAME", help="the model, where -m names none (or TRUEBLEU_JUDGE_MODEL)"),
    flag("--judge-prompt", metavar="FILE", help="the instructions of -m judge=MODEL, a file of TOML"),
    flag("--send-texts", metavar="HOST", help="allow texts to go to this host; this machine needs no leave"),
    flag("--judge-key-env", metavar="NAME", help="the variable with the key (default: TRUEBLEU_JUDGE_KEY)"),
    flag("--judge-key-file", metavar="FILE", help="a file with the key, which only its owner can read"),
    flag("--judge-temperature", type=float, metavar="T", help="the same for each attempt (default: 0)"),
    flag("--judge-seed", type=int, metavar="N", help="a seed for the server"),
    flag("--judge-max-tokens", type=int, metavar="N", help="the length of an answer (default: 1024)"),
    flag("--judge-repeats", type=int, metavar="N", help="judge each segment so many times (default: 1)"),
    flag("--judge-context", type=int, metavar="N", help="also send N segments before and after, of the same document"),
    flag("--judge-jobs", type=int, metavar="N", help="calls at a time (default: 8)"),
    flag("--judge-rate", metavar="N/min", help="calls in a minute at most"),
    flag("--judge-timeout", type=float, metavar="SECONDS", help="how long to wait for an answer (default: 120)"),
    flag("--judge-max-calls", type=int, metavar="N", help="stop after so many calls; what came is kept"),
    flag("--judge-budget", type=float, metavar="MONEY", help="stop before more is spent; goes with --judge-price"),
    flag("--judge-price", metavar="IN,OUT", help="the price of a million tokens that go in, and that come out"),
    switch("--judge-estimate", help="say what judges would ask for, and ask nothing"),
    flag("--judge-answers", metavar="FILE", help="also write the answers of judges to this file, as JSON Lines"),
    flag("--unparsed", choices=("error", "skip", "worst"), help="what becomes of answers that cannot be read"),
)  # fmt: skip

SECTIONS = (Section("Learned metrics", _LEARNED), Section("Judges", _JUDGES))
# Those of other commands.
LEARNING = SECTIONS[0]
JUDGING = Section("Judges", tuple(one for one in _JUDGES if one.dest not in ("judge_estimate", "judge_answers")))

_OF_PLUGINS = "--option"
CONFLICTS: tuple[Conflict, ...] = (
    (_OF_PLUGINS, GOES_WITH, "a learned metric",
        "{flag} has no effect: it is about the metric of a plug-in, which -m names"),
    ("a learned metric", NOT_WITH, "columns, --totals-out, --scores-out, --sensitivity",
        "{a learned metric} is computed by a program outside for whole files: leave out {other}"),
    (", ".join(name for one in _JUDGES for name in one.names), IDLE_WITHOUT, "a judge",
        "it is about judges, as in -m judge-esa=MODEL"),
    ("--judge-prompt", NOT_WITH, "a judge with a prompt",
        "--judge-prompt is for -m judge=MODEL; {a judge with a prompt} has instructions of its own"),
    ("--judge-budget", GOES_WITH, "--judge-price",
        "--judge-budget needs --judge-price IN,OUT, the price of a million tokens each way"),
    ("--bertscore-rescale", GOES_WITH, "BERTScore", "--bertscore-rescale is about -m bertscore"),
    ("--recheck", NOT_WITH, "--fresh, --no-score-cache", "--recheck looks at kept scores; leave out {other}"),
    ("--imported-scores", NOT_WITH, "--fresh, --recheck, --no-score-cache",
        "--imported-scores asks no model; leave out {other}"),
    ("a metric of sources", NOT_WITH, "joined segments",
        "{a metric of sources} takes what was translated, and --level joins segments; leave out --level"),
    (", ".join(name for one in _LEARNED for name in one.names if name != _OF_PLUGINS), IDLE_WITHOUT,
        "a learned metric", "it is about learned metrics, such as -m comet"),
)  # fmt: skip


def words(args: Namespace, asked: Sequence[str]) -> dict[str, Any]:
    """Say in the words of conflicts what follows from the metrics that were asked for."""
    learned = [one for one in asked if METRICS[one].is_learned]
    chooses = {"a choice by language": True} if any(one.startswith(("judge", "bertscore")) for one in learned) else {}
    return {
        **chooses,
        "a learned metric": next(iter(learned), None),
        "BERTScore": any(one.startswith("bertscore") for one in learned),
        "a judge": any(one.startswith("judge") for one in learned),
        "a judge that reads documents": getattr(args, "judge_context", None),
        "a judge with a prompt": ", ".join(one for one in args.metrics or () if one[:6] == "judge-"),
        "a metric of sources": next((one for one in learned if "src" in getattr(METRICS[one], "texts", ())), None),
    }
