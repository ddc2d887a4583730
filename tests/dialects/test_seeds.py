"""The snippets of two documents that people copy from run as written, with nothing but the import changed.

The documents are not part of the repository: tests that read them skip where the folder of shared documents is absent.
The same shapes with sentences of our own always run.
"""

import contextlib
import doctest
import io
import logging
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sacrebleu

import truebleu
import truebleu.evaluate
from conftest import REPOSITORY
from truebleu import errors

SEEDS = Path(os.environ.get("TRUEBLEU_TEST_SEEDS") or REPOSITORY.parent / "shared" / "seeds")
VERSION = f"truebleu-{truebleu.__version__}"
IMPORTS = {
    "import sacrebleu": "import truebleu as sacrebleu",
    "from nltk.translate.bleu_score import": "from truebleu.nltk import",
    "import evaluate": "import truebleu.evaluate as evaluate",
}


def document(name: str) -> str:
    path = SEEDS / name
    if not path.is_file():
        pytest.skip("no folder of shared documents: set TRUEBLEU_TEST_SEEDS")
    return path.read_text("utf-8", errors="replace")


def blocks(text: str, language: str = "python") -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.S | re.M)


def printed(code: str, **names: Any) -> list[str]:
    for old, new in IMPORTS.items():
        code = re.sub(rf"^{re.escape(old)}(?=\s|$)", new, code, flags=re.M)
    assert not re.search(r"^(import|from) (sacrebleu|nltk|evaluate)\b", code, re.M)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(code, names)
    return output.getvalue().splitlines()


def test_the_guides_snippets_print_their_numbers() -> None:
    snippets = blocks(document("001-practical-bleu-guide.md"))
    assert [
        # From Python 3.12 on, sum() is compensated.
        [
            "24.98375039765566" if sys.version_info >= (3, 12) else "24.98375039765567",
            f"nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:{VERSION}",
        ],
        ["0.19433094436376075"],
        ["75.98356856515926"],
        # What it means to compute; sacreBLEU uses one reference of each and prints 34.68543571522917.
        ["54.731654346890785"],
    ] == [printed(code) for code in snippets]


def test_the_guides_first_number_is_sacrebleus_on_this_interpreter() -> None:
    code = blocks(document("001-practical-bleu-guide.md"))[0]
    names: dict[str, Any] = {}
    exec(code.partition("print(")[0], names)  # with sacreBLEU itself; the line after prints what 2.6.0 has not
    assert sacrebleu is names["sacrebleu"]
    assert [repr(names["score"].score)] == printed(code)[:1]


def test_the_guides_one_liner_and_worked_example() -> None:
    text = document("001-practical-bleu-guide.md")
    (line,) = re.findall(r"`(sacrebleu\.corpus_bleu\(sys, \[refs\].*?)`", text)
    (candidate,), (reference,) = (re.findall(rf"{name}: `(.*?)`", text) for name in ("Candidate", "Reference"))
    assert 29.05925408079185 == eval(line, {"sacrebleu": truebleu, "sys": [candidate], "refs": [reference]})
    claims = [tuple(map(int, claim)) for claim in re.findall(r"p_\d = (\d)/(\d)", text)]
    (penalty,) = re.findall(r"\\approx (0\.\d+)", text)
    score = truebleu.corpus_bleu([candidate], [[reference]], smooth_method="none")
    assert claims == list(zip(score.counts, score.totals, strict=True))
    assert (0.0, penalty) == (score.score, f"{score.bp:.3f}")


def command_line(line: str, folder: Path) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    run = subprocess.run(
        ["sh", "-c", line], capture_output=True, text=True, check=True, cwd=folder, env={**os.environ, "PATH": path}
    )
    return run.stdout


def test_the_guides_command_line(tmp_path: Path) -> None:
    text = document("001-practical-bleu-guide.md")
    names: dict[str, Any] = {}
    exec(re.sub(r"^(import|score|print).*$", "", blocks(text)[0], flags=re.M), names)
    for file, lines in (("sys.txt", names["sys_out"]), ("refs.txt", names["refs"])):
        (tmp_path / file).write_text("".join(f"{line}\n" for line in lines))
    (code,) = blocks(text, "bash")
    output = command_line(code.replace("| sacrebleu ", "| truebleu "), tmp_path)
    assert f"BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:{VERSION} = 25.0 81.8/33.3/14.3/10.0 " in output


def test_the_guides_reporting_template_is_filled_in(tmp_path: Path) -> None:
    (template,) = re.findall(r"^```\n(Metric: .*?)^```", document("001-practical-bleu-guide.md"), re.S | re.M)
    names = re.findall(r"^([\w ]+): ", template, re.M)
    (tmp_path / "hyp").write_text("the boat lay by the quay\n")
    (tmp_path / "ref").write_text("there lay a boat by the quay\n")
    lines = command_line("truebleu ref -i hyp --report", tmp_path).splitlines()
    filled = dict(line.split(": ", 1) for line in lines if ": " in line)
    assert 9 == len(names)
    assert names == [name for name in filled if name in names]
    assert ("BLEU-4 (corpus-level)", "13a", "cased", "exp") == tuple(
        filled[name] for name in ("Metric", "Tokenizer", "Case", "Smoothing")
    )


def test_the_cards_examples_print_what_it_says() -> None:
    checked = 0
    for code in blocks(document("003-google-bleu-card.md")):
        names = {"evaluate": truebleu.evaluate}
        if code.startswith(">>>"):
            for example in doctest.DocTestParser().get_examples(code):
                assert example.want.split() == printed_by(example.source, names)
                checked += bool(example.want)
        elif ">>>" in code:  # here the prompt marks what is printed
            (expected,) = re.findall(r"^>>> (.*)$", code, re.M)
            assert [expected] == printed(re.sub(r"^>>> .*$", "", code, flags=re.M), **names)
            checked += 1
    assert 6 == checked


def printed_by(source: str, names: dict[str, Any]) -> list[str]:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(source, names)
    return output.getvalue().split()


# --- the same shapes with our own sentences -----------------------------------------------------

HYPOTHESIS, REFERENCE = "the boat lay by the quay", "there lay a boat by the quay"
SAMPLES = ["the tide came in slowly at dusk", "the tide came in fast at dusk", "at dusk the tide came in slowly"]


def test_a_score_prints_its_signature() -> None:
    code = (
        "import sacrebleu\n"
        f"score = sacrebleu.corpus_bleu([{HYPOTHESIS!r}], [[{REFERENCE!r}]], tokenize='13a', smooth_method='exp')\n"
        "print(score.score)\nprint(score.signature)\n"
    )
    expected = sacrebleu.corpus_bleu([HYPOTHESIS], [[REFERENCE]]).score
    assert [repr(expected), f"nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:{VERSION}"] == printed(code)


def test_a_worked_example_by_hand() -> None:
    score = truebleu.corpus_bleu([HYPOTHESIS], [[REFERENCE]], smooth_method="none")
    assert ([5, 2, 1, 0], [6, 5, 4, 3]) == (score.counts, score.totals)
    assert (0.846481724890614, 0.0) == (score.bp, score.score)


SELF_BLEU = """
import sacrebleu

def self_bleu(samples):
    values = []
    for i, hyp in enumerate(samples):
        refs = samples[:i] + samples[i+1:]
        values.append(sacrebleu.corpus_bleu([hyp], [refs], tokenize="13a", smooth_method="exp").score)
    return sum(values) / len(values)

print(self_bleu(samples))
"""


def test_a_loop_for_self_bleu_computes_self_bleu(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, logger="truebleu")
    assert [repr(truebleu.self_bleu(SAMPLES).score)] == printed(SELF_BLEU, samples=SAMPLES)
    # Once, and not for each of the three samples: the cause is the same.
    assert ["one reference stream with 2 entries. All are taken for its references"] == [
        record.getMessage().partition("and ")[2].partition(", as in")[0] for record in caplog.records
    ]


def test_evaluates_snippet() -> None:
    code = (
        "import evaluate\n"
        "bleu = evaluate.load('sacrebleu')\n"
        f"res = bleu.compute(predictions=[{HYPOTHESIS!r}], references=[[{REFERENCE!r}, 'a boat lay by the quay']],\n"
        "    smooth_method='exp', tokenize='13a')\n"
        "print(res['score'])"
    )
    streams = [[REFERENCE], ["a boat lay by the quay"]]
    assert [repr(sacrebleu.corpus_bleu([HYPOTHESIS], streams).score)] == printed(code)


def test_a_pipe_into_the_command(tmp_path: Path) -> None:
    (tmp_path / "sys.txt").write_text(HYPOTHESIS.upper() + "\n")
    (tmp_path / "refs.txt").write_text(REFERENCE + "\n")
    output = command_line("cat sys.txt | truebleu refs.txt -tok 13a -lc", tmp_path)
    assert output.startswith(f"BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:{VERSION} = 29.1 ")


# --- one hypothesis, several references ---------------------------------------------------------


@pytest.mark.parametrize("function", ["corpus_bleu", "raw_corpus_bleu", "corpus_chrf", "corpus_ter"])
def test_functions_take_one_stream_for_one_hypothesis_as_its_references(function: str) -> None:
    call, references = getattr(truebleu, function), (REFERENCE, None, "a boat lay by the quay")
    expected = getattr(sacrebleu, function)([HYPOTHESIS], [[text] for text in references if text])
    for given in ([references], (list(references),)):
        score = call([HYPOTHESIS], given)
        assert expected.score == score.score
        assert "nrefs:2|" in str(score.signature)


@pytest.mark.parametrize("function", ["corpus_bleu", "raw_corpus_bleu", "corpus_chrf", "corpus_ter"])
@pytest.mark.parametrize(
    ("hypotheses", "references"),
    [
        (["a file\nof two lines"], [["a file", "of two lines"]]),
        (["a"], [["a", "b"], ["a", "b"]]),
        (["a"], [["a", "b"], ["a"]]),
        (["a", "b"], [["a", "b", "c"]]),
        (["a", "b"], [["a"]]),
    ],
)
def test_functions_still_refuse_what_could_mean_something_else(function: str, hypotheses: Any, references: Any) -> None:
    with pytest.raises(errors.LengthMismatch):
        getattr(truebleu, function)(hypotheses, references)


@pytest.mark.parametrize("metric", [truebleu.BLEU(), truebleu.CHRF(), truebleu.TER(), truebleu.GLEU()])
def test_metrics_take_streams_only(metric: Any) -> None:
    with pytest.raises(errors.LengthMismatch, match="stream 0 of 1 has 2 segments, the hypotheses have 1"):
        metric.corpus_score([HYPOTHESIS], [[REFERENCE, REFERENCE]])
