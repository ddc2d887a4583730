"""Real packages of PyPI, on sacreBLEU and on the face: what their functions return has to be the same.

    python tests/dropin/downstream.py WHEEL [--packages mbrs jury] [--folder PATH]

It makes a virtual environment (`--folder` keeps it for the next time), installs the wheel, sacreBLEU 2.6.0 and one
package after the other, without the models and services that their scores do not need. Each program below runs twice,
plainly and under `python -m truebleu.sacrebleu --lenient`. `make test-downstream` runs this file; pytest does not.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

# Texts for all programs; `show` prints what is compared. What is stubbed is empty.
PRELUDE = """
import abc, importlib.abc, importlib.machinery, json, random, sys, types

class StubType(abc.ABCMeta):
    def __getattr__(cls, name):
        if name.startswith("__"): raise AttributeError(name)
        return Stub

class Stub(metaclass=StubType):
    def __new__(cls, *given, **named):
        return given[0] if len(given) == 1 and callable(given[0]) else super().__new__(cls)
    def __init__(self, *given, **named): pass
    def __call__(self, *given, **named): return given[0] if len(given) == 1 and callable(given[0]) else Stub()
    def __getattr__(self, name):
        if name.startswith("__"): raise AttributeError(name)
        return Stub()
    def __class_getitem__(cls, item): return cls

class StubModule(types.ModuleType):
    __path__ = []
    def __getattr__(self, name):
        if name.startswith("__"): raise AttributeError(name)
        made = StubType(name, (Stub,), {"__module__": self.__name__})
        setattr(self, name, made)
        return made

class Stubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in STUBBED: return importlib.machinery.ModuleSpec(name, self, is_package=True)
    def create_module(self, spec): return StubModule(spec.name)
    def exec_module(self, module): pass

sys.meta_path.insert(0, Stubs())
rng = random.Random(7)
WORDS = "the a cat dog sat ran on in mat house , . ! Big small quickly \\u732b don't".split()
def text(): return " ".join(rng.choice(WORDS) for _ in range(rng.randint(3, 14)))
def variant(line):
    words = line.split()
    for _ in range(rng.randint(0, 3)): words[rng.randrange(len(words))] = rng.choice(WORDS)
    return " ".join(words)
REFS = [text() for _ in range(24)]
HYPS = [variant(line) for line in REFS]
MORE = [variant(line) for line in REFS]
def show(label, value): print("=", label, repr(value))
"""


class Package(NamedTuple):
    """What pip installs without dependencies, and with them; which imports are stubbed; and the program."""

    requirements: tuple[str, ...]
    whole: tuple[str, ...]
    stubbed: tuple[str, ...]
    program: str


PACKAGES = {
    "subtitle-edit-rate": Package(
        ("subtitle-edit-rate",),
        ("jiwer", "regex"),
        (),
        """
import tempfile
from suber.file_readers import SRTFileReader
from suber.hyp_to_ref_alignment import levenshtein_align_hypothesis_to_reference as align
from suber.metrics.suber import calculate_SubER
from suber.metrics.sacrebleu_interface import calculate_sacrebleu_metric
from suber.metrics.jiwer_interface import calculate_word_error_rate
from suber.metrics.length_ratio import calculate_length_ratio
def subtitles(lines):
    with tempfile.NamedTemporaryFile("w", suffix=".srt", encoding="utf-8", delete=False) as file:
        for at, line in enumerate(lines):
            file.write(f"{at + 1}\\n0:00:{at % 60:02d}.000 --> 0:00:{at % 60:02d}.900\\n{line}\\n\\n")
    return SRTFileReader(file.name).read()
for hyps in (HYPS, MORE):
    hypothesis, reference = subtitles(hyps), subtitles(REFS)
    for metric in ("SubER", "SubER-cased"):
        show(metric, calculate_SubER(hypothesis, reference, metric=metric))
    aligned = align(hypothesis, reference)
    for metric in ("BLEU", "TER", "chrF", "TER-br", "BLEU-br", "BLEU-seg", "TER-seg"):
        try: show(metric, calculate_sacrebleu_metric(aligned, reference, metric=metric))
        except Exception as error: show(metric, type(error).__name__)
    for metric in ("WER", "WER-cased"):
        show(metric, calculate_word_error_rate(aligned, reference, metric=metric))
    show("length ratio", calculate_length_ratio(hypothesis, reference))
""",
    ),
    "mbrs": Package(
        ("mbrs",),
        ("torch", "fastchrf", "simple-parsing", "tqdm"),
        ("comet", "bert_score", "bleurt_pytorch", "transformers", "huggingface_hub", "datasets"),
        """
from mbrs.metrics import MetricBLEU, MetricChrF, MetricTER
from mbrs.decoders import DecoderMBR, DecoderAggregateMBR
for kind, options in (
    (MetricBLEU, {}), (MetricBLEU, {"lowercase": True, "effective_order": False}), (MetricTER, {}),
    (MetricChrF, {}), (MetricChrF, {"word_order": 2}), (MetricChrF, {"fastchrf": False, "word_order": 1}),
):
    try: metric = kind(kind.Config(num_workers=1, **options))
    except TypeError: metric = kind(kind.Config(num_workers=1))
    label = f"{kind.__name__} {options}"
    for hyp, ref in zip(HYPS, REFS): show(label + " score", metric.score(hyp, ref))
    show(label + " scores", metric.scores(HYPS, REFS).tolist())
    show(label + " pairwise", metric.pairwise_scores(HYPS[:8], REFS[:8]).tolist())
    show(label + " corpus", metric.corpus_score(HYPS, [REFS, MORE]))
    show(label + " mbr", DecoderMBR(DecoderMBR.Config(), metric).decode(HYPS[:8], REFS[:8]).idx)
    if hasattr(metric, "expected_scores_reference_aggregation"):
        found = metric.expected_scores_reference_aggregation(HYPS[:8], REFS[:8])
        show(label + " aggregated", found.tolist())
""",
    ),
    "torchmetrics": Package(
        (),
        ("torchmetrics", "regex"),
        (),
        """
# torchmetrics has code of its own: as in its tests, it is held against sacreBLEU.
import sacrebleu
from torchmetrics.functional.text import chrf_score, sacre_bleu_score, translation_edit_rate
for hyps in (HYPS, MORE):
    for tokenize in ("13a", "none", "char", "intl", "zh"):
        show("bleu", sacrebleu.corpus_bleu(hyps, [REFS], tokenize=tokenize).score)
        ours = float(sacre_bleu_score(hyps, [[ref] for ref in REFS], tokenize=tokenize)) * 100
        show("close", abs(ours - sacrebleu.corpus_bleu(hyps, [REFS], tokenize=tokenize).score) < 1e-3)
    for order in (0, 2):
        show("chrf", sacrebleu.corpus_chrf(hyps, [REFS], word_order=order, eps_smoothing=True).score)
        ours = float(chrf_score(hyps, [[ref] for ref in REFS], n_word_order=order)) * 100
        theirs = sacrebleu.corpus_chrf(hyps, [REFS], word_order=order, eps_smoothing=True).score
        show("close", abs(ours - theirs) < 1e-3)
    show("ter", sacrebleu.corpus_ter(hyps, [REFS]).score)
    show("close", abs(float(translation_edit_rate(hyps, [[ref] for ref in REFS])) * 100
                      - sacrebleu.corpus_ter(hyps, [REFS]).score) < 1e-3)
""",
    ),
    "lm-eval": Package(
        ("lm-eval",),
        ("more-itertools", "dill", "tqdm"),
        ("evaluate", "datasets", "transformers", "torch", "accelerate", "peft", "pytablewriter", "sqlitedict",
         "jsonlines", "rouge_score", "sklearn",
         "tqdm_multiprocess", "word2number", "zstandard", "jinja2", "requests", "yaml"),
        """
from lm_eval.api import metrics
for size in (1, 2, 24):
    for several in (False, True):
        items = [([r, m] if several else r, h) for r, m, h in zip(REFS[:size], MORE, HYPS)]
        for name in ("bleu", "chrf", "ter"): show(name, getattr(metrics, name)(items))
        if hasattr(metrics, "chrfpp"): show("chrf++", metrics.chrfpp(items))
""",
    ),
    "ragas": Package(
        ("ragas",),
        ("pydantic", "nest-asyncio", "appdirs", "tqdm", "rich", "requests", "tenacity"),
        ("langchain_core", "langchain", "langchain_community", "langchain_openai", "datasets", "openai", "tiktoken",
         "instructor", "gitpython", "git", "scikit_network", "networkx", "PIL", "docstring_parser", "typer", "pandas",
         "sklearn", "jsonref", "fsspec", "diskcache"),
        """
import asyncio
from ragas.metrics._bleu_score import BleuScore
from ragas.metrics._chrf_score import ChrfScore
class Sample:
    def __init__(self, response, reference): self.response, self.reference = response, reference
for kind in (BleuScore, ChrfScore):
    for at in range(20):
        sample = Sample(". ".join(HYPS[at : at + 3]), ". ".join(REFS[at : at + 3]))
        show(kind.__name__, asyncio.run(kind()._single_turn_ascore(sample, None)))
""",
    ),
    "lighteval": Package(
        ("lighteval",),
        (),
        ("datasets", "transformers", "torch", "accelerate", "huggingface_hub", "nltk", "sklearn", "scipy", "spacy",
         "rouge_score", "bert_score", "pydantic", "aenum", "inspect_ai", "litellm", "latex2sympy2_extended", "sympy",
         "pytablewriter", "termcolor", "tqdm", "jinja2", "aiohttp", "httpx", "yaml", "xxhash", "tiktoken", "diskcache",
         "pycountry", "langcodes", "more_itertools", "emoji", "spacy", "jieba", "openai", "typer", "stanza", "requests",
         "pandas", "pyarrow"),
        """
from lighteval.metrics.metrics_corpus import CorpusLevelTranslationMetric
class Item:
    def __init__(self, golds, preds): self.golds, self.preds = golds, preds
for kind in ("bleu", "chrf", "chrf++", "ter"):
    for size in (1, 2, 24):
        items = [Item([ref], [hyp]) for hyp, ref in zip(HYPS[:size], REFS)]
        show(kind, CorpusLevelTranslationMetric(kind).compute_corpus(items))
""",
    ),
    "jury": Package(
        ("jury",),
        ("evaluate", "nltk", "validators"),
        ("rouge_score", "sklearn", "seqeval", "bert_score", "torch", "fairseq", "transformers", "comet", "jiwer",
         "prism", "scipy", "bleurt", "tensorflow"),
        """
from jury import load_metric
for name in ("sacrebleu", "chrf", "ter"):
    metric = load_metric(name)
    for size in (1, 3, 24):
        for hyps in (HYPS, MORE):
            try: show(name, metric.compute(predictions=hyps[:size], references=[[ref] for ref in REFS[:size]]))
            except Exception as error: show(name, type(error).__name__)
""",
    ),
}  # fmt: skip


def main() -> int:
    """Install and compare; the number of packages that differ."""
    parser = argparse.ArgumentParser(description="real packages of PyPI, on sacreBLEU and on the face")
    parser.add_argument("wheel", help="the wheel of truebleu, or the folder `python` of a checkout built in place")
    parser.add_argument("--packages", nargs="+", choices=PACKAGES, default=list(PACKAGES), help="by default all")
    parser.add_argument("--folder", type=Path, help="where the virtual environment is made, and kept")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as passing:
        folder = given.folder or Path(passing)
        python = environment(folder, given.wheel)
        return sum(not compare(name, folder, python, given.wheel) for name in given.packages)


def environment(folder: Path, wheel: str) -> Path:
    """The interpreter of an environment that has sacreBLEU and the wheel."""
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    install(python, ["sacrebleu==2.6.0", "numpy", "tabulate", *([wheel] if wheel.endswith(".whl") else [])])
    return python


def install(python: Path, requirements: list[str], *options: str) -> None:
    """Install, or raise CalledProcessError."""
    command = [str(python), "-m", "pip", "install", "--quiet", *options, *requirements]
    subprocess.run(command, check=True, capture_output=True, text=True)


def compare(name: str, folder: Path, python: Path, wheel: str) -> bool:
    """Run the program of a package on both, and say how many of its results are equal."""
    package = PACKAGES[name]
    try:
        if package.whole:
            install(python, list(package.whole))
        if package.requirements:
            install(python, list(package.requirements), "--no-deps")
    except subprocess.CalledProcessError as error:
        print(f"{name}: cannot be installed: {error.stderr[-1500:]}")
        return False
    program = folder / "program.py"
    program.write_text(f"STUBBED = {package.stubbed!r}\n{PRELUDE}{package.program}", "utf-8")
    source = {} if wheel.endswith(".whl") else {"PYTHONPATH": str(Path(wheel).resolve())}
    results = []
    for before in ([], ["-m", "truebleu.sacrebleu", "--lenient"]):
        command = [str(python), *before, str(program)]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **source}, cwd=folder)
        lines = [line for line in done.stdout.splitlines() if line.startswith("= ")]
        if done.returncode or not lines:
            print(f"{name}: {' '.join(before) or 'sacrebleu'} failed:\n{done.stderr[-1500:]}")
            return False
        results.append(lines)
    expected, actual = results
    differing = [pair for pair in zip(expected, actual, strict=False) if pair[0] != pair[1]]
    print(f"{name}: {len(expected) - len(differing)} of {len(expected)} results are equal", flush=True)
    for theirs, ours in differing[:3]:
        print(f"  sacrebleu {theirs[:300]}\n  truebleu  {ours[:300]}")
    return not differing and len(expected) == len(actual)


if __name__ == "__main__":
    sys.exit(main())
