"""The face in the place of sacreBLEU, under small programs that do what real ones do.

Each program runs twice in a process of its own, on sacreBLEU and on the face, and has to print the same.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TEXTS = 'hyps, refs = ["The cat sat on the mat.", "A dog, ran!"], ["The cat sat on a mat.", "A dog ran away!"]\n'

# What the programs of the findings do, in a few lines each.
PROGRAMS = {
    "fairseq: the tokenizer by version": """
import sacrebleu
from sacrebleu.metrics import BLEU
if int(sacrebleu.__version__[0]) >= 2:
    from sacrebleu.metrics.bleu import _get_tokenizer
    tokenizer = _get_tokenizer("13a")()
else:
    tokenizer = sacrebleu.tokenizers.TOKENIZERS["13a"]()
print(tokenizer(hyps[0]))
try:
    from sacrebleu.metrics import BLEU
    compute = BLEU.compute_bleu
except ImportError:
    compute = sacrebleu.compute_bleu
print(compute(correct=[5, 3, 2, 1], total=[7, 6, 5, 4], sys_len=7, ref_len=8, smooth_method="exp"))
print(sacrebleu.corpus_bleu(hyps, [refs]).format())
""",
    "fairseq, StreamSpeech and unilm: BLEU while a model is trained": """
import inspect
import numpy as np
import sacrebleu
from sacrebleu.metrics import BLEU
asked = {"counts": np.zeros(4), "totals": np.zeros(4), "sys_len": 0, "ref_len": 0}
for at in range(len(hyps)):
    batch = sacrebleu.corpus_bleu(hyps[at : at + 1], [refs[at : at + 1]], tokenize="none")
    asked = {name: value + np.array(getattr(batch, name)) for name, value in asked.items()}
    for compute in (BLEU.compute_bleu, getattr(sacrebleu, "compute_bleu", BLEU.compute_bleu)):
        known = inspect.getfullargspec(compute).args
        how = {"smooth_method" if "smooth_method" in known else "smooth": "exp"}
        lengths = {name: int(asked[name]) for name in ("sys_len", "ref_len")}
        score = compute(correct=asked["counts"], total=asked["totals"], **lengths, **how)
        print(how, score.score, round(score.score, 2))
""",
    "evaluate: the gate": """
import importlib
sb = importlib.import_module("sacrebleu")
numbers = tuple(map(int, sb.__version__.split(".")[:3]))
assert numbers >= (1, 4, 12), sb.__version__
print(vars(sb.corpus_bleu(hyps, [refs], smooth_method="exp", smooth_value=None, force=False, lowercase=False)))
from sacrebleu import CHRF, TER
print(CHRF(word_order=2).corpus_score(hyps, [refs]), TER(normalized=True).corpus_score(hyps, [refs]))
""",
    "compare-mt and fairseq2: rows and a bootstrap": """
import numpy as np
from sacrebleu.metrics import BLEU, CHRF
for metric in (BLEU(), CHRF()):
    rows = np.asarray(metric._extract_corpus_statistics(hyps, [refs]))
    print(rows.tolist(), metric._compute_score_from_stats(rows.sum(axis=0).tolist()).score)
    print(metric._aggregate_and_compute(rows.tolist()))
    cached = type(metric)(references=[refs])
    print(cached._extract_corpus_statistics(hyps, None), cached._ref_cache)
""",
    "mbrs: hooks": """
from sacrebleu.metrics.bleu import BLEU, MAX_NGRAM_ORDER
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.helpers import extract_all_char_ngrams, extract_all_word_ngrams, extract_word_ngrams
bleu, chrf = BLEU(effective_order=True), CHRF(word_order=2)
print(bleu._cache_references([refs]), bleu._preprocess_segment(hyps[1]))
ngrams, length = extract_all_word_ngrams(bleu._preprocess_segment(hyps[0]), 1, MAX_NGRAM_ORDER)
print(sorted(ngrams.items()), length, bleu._get_closest_ref_len(6, [4, 8]))
for info in chrf._cache_references([refs]):
    found = extract_all_char_ngrams(hyps[0], chrf.char_order, chrf.whitespace)
    words = chrf._remove_punctuation(hyps[0])
    found += [extract_word_ngrams(words, n + 1) for n in range(chrf.word_order)]
    row = [cell for h, r in zip(found, info["ref_ngrams"][0]) for cell in chrf._get_match_statistics(h, r)]
    print(row, chrf._compute_f_score(row))
""",
    "SubER: the tokenizer of TER": """
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer
from sacrebleu.metrics.lib_ter import translation_edit_rate
tokenizer = TercomTokenizer(normalized=True, no_punct=True, case_sensitive=False)
words = [tokenizer(text).split() for text in (hyps[0], refs[0])]
print(words, translation_edit_rate(*words), Tokenizer13a()(hyps[1]))
""",
    "MATEO: names of significance and utils": """
import numpy as np
from sacrebleu.metrics import METRICS
from sacrebleu.metrics.base import Metric, Score, Signature
from sacrebleu.significance import PairedTest, Result, _compute_p_value, estimate_ci
from sacrebleu.utils import my_log, print_results_table, sum_of_lists
print(sorted(METRICS), isinstance(METRICS["BLEU"](), Metric), my_log(0), sum_of_lists([[1, 2], [3, 4]]))
scores = np.arange(40.0)
print(estimate_ci(scores), _compute_p_value(scores, 30.0), Result(1.0, 0.5))
signatures, found = PairedTest([("a", hyps), ("b", refs)], {"BLEU": METRICS["BLEU"]()}, [refs], "ar", 50)()
print(found["System"], [(one.score, one.p_value) for one in found["BLEU"]], list(signatures))
""",
    "CrystalBLEU and GraphemeCHRF: overridden hooks": """
from sacrebleu.metrics import BLEU, CHRF
class Folded(BLEU):
    def _preprocess_segment(self, sent):
        return super()._preprocess_segment(sent.casefold())
class Graphemes(CHRF):
    def _extract_reference_info(self, refs):
        return super()._extract_reference_info([text[::-1] for text in refs])
print(Folded().corpus_score([text.upper() for text in hyps], [refs]), Graphemes().corpus_score(hyps, [refs]))
import sacrebleu
sacrebleu.metrics.bleu._get_tokenizer = lambda name: type("T", (), {"__call__": lambda s, l: " ".join(l),
                                                                    "signature": lambda s: "mine"})
print(sacrebleu.corpus_bleu(hyps, [refs], tokenize="13a"))
""",
    "scripts: attributes and padding": """
import json
import sacrebleu
bleu = sacrebleu.metrics.BLEU()
bleu.effective_order = True
print(bleu.sentence_score("a b", ["a b"]), json.dumps(vars(bleu.corpus_score(hyps, [refs, ["", "x"]])), sort_keys=True))
print({key: value for key, value in bleu.get_signature().info.items() if key != "version"})
print(isinstance(sacrebleu.DATASETS, dict), sacrebleu.get_langpairs_for_testset("wmt14/full")[:2])
print(sacrebleu.corpus_bleu(["a b c"], [["a b", "a b c"]]).score)
""",
}

LENIENT = {
    "lighteval and ragas: references by segment": "print(sacrebleu.corpus_bleu(hyps, [[text] for text in refs]))",
    "fairseq moe: a string for a list": "print(sacrebleu.corpus_bleu(hyps[0], [refs[0]], force=True))",
    "lmms-eval: unequal lists": "print(sacrebleu.corpus_chrf(hyps, [refs[:1]]))",
}


def run(arguments: list[str], **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env={**os.environ, **environment}
    )


def outputs(program: str, tmp_path: Path, *options: str) -> list[str]:
    script = tmp_path / "program.py"
    script.write_text(f"import sys\n{TEXTS}{program}\nprint(sys.argv[1:])\n", "utf-8")
    found = []
    for before in ([], ["-m", "truebleu.sacrebleu", *options]):
        done = run([*before, str(script), "one", "--two"])
        assert 0 == done.returncode, done.stderr
        found.append(done.stdout)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_it_prints_on_sacrebleu(name: str, tmp_path: Path) -> None:
    expected, actual = outputs(PROGRAMS[name], tmp_path)
    assert expected == actual
    assert "['one', '--two']" in actual


@pytest.mark.parametrize("name", LENIENT)
def test_a_careless_program_needs_leniency(name: str, tmp_path: Path) -> None:
    program = f"import sacrebleu\n{LENIENT[name]}"
    expected, actual = outputs(program, tmp_path, "--lenient")
    assert expected == actual
    done = run(["-m", "truebleu.sacrebleu", str(tmp_path / "program.py")])
    assert (0 != done.returncode and "Error" in done.stderr) or "Mismatch" in done.stderr
    done = run(["-m", "truebleu.sacrebleu", str(tmp_path / "program.py")], TRUEBLEU_LENIENT="1")
    assert "[]" in done.stdout, done.stderr


def test_the_face_is_refused_beside_the_real_package() -> None:
    code = "import sacrebleu, truebleu.sacrebleu as face; face.install()"
    done = run(["-c", code])
    assert 1 == done.returncode and "NameTaken: sacrebleu was imported" in done.stderr


def test_every_import_of_sacrebleu_gives_the_face_afterwards() -> None:
    code = (
        "import truebleu.sacrebleu as face; face.install(); face.install(lenient=True)\n"
        "import sacrebleu, sacrebleu.metrics.bleu, sacrebleu.dataset.base, sacrebleu.sacrebleu, importlib.util\n"
        "from sacrebleu.tokenizers import tokenizer_ja_mecab, tokenizer_spm\n"
        "assert sacrebleu is face and sacrebleu.BLEU is sacrebleu.metrics.bleu.BLEU is face.BLEU\n"
        "assert importlib.util.find_spec('sacrebleu') is not None\n"
        "import pickle; assert pickle.loads(pickle.dumps(sacrebleu.BLEU())).corpus_score(['a'], [['a']]).sys_len == 1\n"
    )
    done = run(["-c", code])
    assert 0 == done.returncode, done.stderr


def test_a_module_runs_as_a_program_too(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import sacrebleu, sys; print(sacrebleu.truebleu_version, sys.argv[1:])", "utf-8")
    code = ["-m", "truebleu.sacrebleu", "-m", "mine", "x"]
    done = subprocess.run([sys.executable, *code], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.endswith("['x']\n"), done.stderr


def test_without_a_program_it_says_how_it_is_used() -> None:
    done = run(["-m", "truebleu.sacrebleu"])
    assert 1 == done.returncode and "script.py ARGUMENTS" in done.stderr


def test_the_main_function_runs_the_command(tmp_path: Path) -> None:
    (tmp_path / "ref").write_text("a b c d\n", "utf-8")
    code = "import sys; from truebleu.sacrebleu.sacrebleu import main; sys.argv[0] = 'sacrebleu'; main()"
    done = run(["-c", code, str(tmp_path / "ref"), "-i", str(tmp_path / "ref"), "-b"])
    assert (0, "100.0") == (done.returncode, done.stdout.strip()), done.stderr
