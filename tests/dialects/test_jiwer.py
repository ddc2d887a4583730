"""`truebleu.jiwer` against jiwer 4.0.0: numbers, alignments, texts, transforms, and what is refused."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
import random
from pathlib import Path
from typing import Any

import jiwer
import pytest

import truebleu.jiwer as ours
from truebleu.errors import FormatMismatch, LengthMismatch, TruebleuError

FACTS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "wer.json").read_text("utf-8"))
PIECES = ["a", "b", "can't", "won't", "let's", "x're", "it's", "He'll", "<unk>", "[noise]", "<a", "b]", "\t", " ", "  ",
          "\u00a0", "\u3000\u3000", "é", "日", "T", "'", "n't", ".", "!", "a.b", "İ", "\x1c", "\x85\x85", "you've",
          "i'm", "\n", "\0", "\ud800", "*", "_"]  # fmt: skip
WORDS = ("wer_default", "wer_contiguous", "wer_standardize", "wer_standardize_contiguous")
CHARACTERS = ("cer_default", "cer_contiguous")


def texts(rng: random.Random) -> tuple[Any, Any]:
    def text() -> str:
        return "".join(rng.choice(PIECES) + rng.choice(("", " ", " ")) for _ in range(rng.randrange(9)))

    references = [text() for _ in range(rng.randrange(4))]
    hypotheses = [text() if rng.random() < 0.5 else one + text() for one in references]
    if len(references) == 1 and rng.random() < 0.5:
        return references[0], hypotheses[0]
    return references, hypotheses


def steps(module: Any) -> list[Any]:
    """Compositions that use all transforms besides the presets."""
    m = module
    return [
        m.Compose([m.ToLowerCase(), m.RemovePunctuation(), m.RemoveMultipleSpaces(), m.Strip(),
                   m.ReduceToListOfListOfWords()]),
        m.Compose([m.SubstituteRegexes({r"a(.)": r"\1"}), m.SubstituteWords({"b": "c", "T": "a b"}),
                   m.RemoveSpecificWords(["x", "é"]), m.ToUpperCase(), m.ReduceToListOfListOfWords()]),
        m.Compose([m.RemoveWhiteSpace(), m.RemoveKaldiNonWords(), m.ExpandCommonEnglishContractions(),
                   m.ReduceToListOfListOfChars()]),
        m.Compose([m.RemoveWhiteSpace(replace_by_space=True), m.ReduceToSingleSentence("_"),
                   m.ReduceToListOfListOfWords("_")]),
        m.Compose([m.Strip(), m.ReduceToSingleSentence(), m.ReduceToListOfListOfChars()]),
    ]  # fmt: skip


def test_all_names_of_jiwer_are_there() -> None:
    public = {name for name in dir(jiwer) if not name.startswith("_") and name != "name"}
    assert public <= set(dir(ours))
    for name in sorted(set(ours.__all__) & {name for name in public if callable(getattr(jiwer, name))}):
        if not isinstance(getattr(jiwer, name), jiwer.Compose):
            theirs, own = (inspect.signature(getattr(module, name)).parameters for module in (jiwer, ours))
            assert list(theirs) == list(own), name


def test_presets_give_jiwers_output(cases: int) -> None:
    for index in range(2 * cases):
        rng = random.Random(f"jiwer/{index}")
        references, hypotheses = texts(rng)
        for function, presets in (("process_words", WORDS), ("process_characters", CHARACTERS)):
            preset = rng.choice(presets)
            theirs, own = (
                getattr(module, function)(references, hypotheses, getattr(module, preset), getattr(module, preset))
                for module in (jiwer, ours)
            )
            assert repr(theirs) == repr(own), (preset, references, hypotheses)
            # The rate alone is found without an alignment.
            name = "wer" if function == "process_words" else "cer"
            rate = getattr(ours, name)(references, hypotheses, getattr(ours, preset), getattr(ours, preset))
            assert repr(getattr(theirs, name)) == repr(rate), (preset, references, hypotheses)
        for measure in ("wer", "mer", "wil", "wip", "cer"):
            theirs, own = (getattr(module, measure)(references, hypotheses) for module in (jiwer, ours))
            assert repr(theirs) == repr(own), (measure, references, hypotheses)


def test_other_transforms_give_jiwers_output(cases: int) -> None:
    both = list(zip(steps(jiwer), steps(ours), strict=True))
    for index in range(cases):
        references, hypotheses = texts(random.Random(f"transforms/{index}"))
        theirs, own = both[index % len(both)]
        assert repr(theirs(references)) == repr(own(references))
        try:
            expected = repr(jiwer.process_words(references, hypotheses, theirs, theirs))
        except ValueError:
            with pytest.raises(ValueError):
                ours.process_words(references, hypotheses, own, own)
            continue
        assert expected == repr(ours.process_words(references, hypotheses, own, own))


def test_texts_of_alignments_are_jiwers_letter_by_letter(cases: int) -> None:
    for index in range(cases):
        rng = random.Random(f"text/{index}")
        references, hypotheses = texts(rng)
        for function in ("process_words", "process_characters"):
            theirs, own = (getattr(module, function)(references, hypotheses) for module in (jiwer, ours))
            options: dict[str, Any] = {name: rng.random() < 0.5 for name in ("show_measures", "skip_correct")}
            options["line_width"] = rng.choice([None, None, 3, 5, 6, 7, 9, 12, 20])
            assert jiwer.visualize_alignment(theirs, **options) == ours.visualize_alignment(own, **options)
            shown = {f"show_{kind}": rng.random() < 0.8 for kind in ("substitutions", "insertions", "deletions")}
            shown["top_k"] = rng.choice([None, 1, 2])  # type: ignore[assignment]
            assert jiwer.visualize_error_counts(theirs, **shown) == ours.visualize_error_counts(own, **shown)
            assert jiwer.collect_error_counts(theirs) == ours.collect_error_counts(own)


def test_known_texts() -> None:
    facts = FACTS["jiwer_text"]
    output = ours.process_words(facts["references"], facts["hypotheses"])
    assert facts["visualize"] == ours.visualize_alignment(output)
    assert facts["no_measures"] == ours.visualize_alignment(output, show_measures=False)
    assert facts["all"] == ours.visualize_alignment(output, show_measures=False, skip_correct=False)
    assert facts["width_24"] == ours.visualize_alignment(output, show_measures=False, line_width=24)
    assert facts["error_counts"] == ours.visualize_error_counts(output)
    assert facts["error_counts_top1"] == ours.visualize_error_counts(output, top_k=1)
    characters = ours.process_characters(facts["chars_refs"], facts["chars_hyps"])
    assert facts["chars"] == ours.visualize_alignment(characters)
    assert facts["none"] == ours.visualize_error_counts(ours.process_words("a b", "a"))
    facts = FACTS["jiwer_contiguous"]
    joined = ours.wer(facts["reference"], facts["hypothesis"], ours.wer_contiguous, ours.wer_contiguous)
    assert facts["wer"] == joined
    assert facts["wer_default"] == ours.wer(facts["reference"], facts["hypothesis"])


def test_outputs_are_dataclasses_that_make_alignments_when_looked_at() -> None:
    output = ours.process_words(["a b"], ["a c"])
    assert {"references", "hypotheses", "alignments"}.isdisjoint(vars(output))
    assert output == ours.process_words(["a b"], ["a c"]) != ours.process_words(["a b"], ["a d"])
    assert "_make" not in vars(output) and [["a", "b"]] == output.references
    for made in (pickle.loads(pickle.dumps(output)), copy.deepcopy(ours.process_words(["a b"], ["a c"]))):
        assert output == made
    assert ours.AlignmentChunk("equal", 0, 1, 0, 1) == output.alignments[0][0]
    with pytest.raises(AttributeError, match="'WordOutput' object has no attribute 'cer'"):
        output.cer  # type: ignore[attr-defined]  # noqa: B018


def test_changes_of_the_callers_lists_do_not_reach_the_output() -> None:
    references = ["a b"]
    output = ours.process_words(references, ["a c"])
    references[0] = "x"
    assert [["a", "b"]] == output.references


@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [(("a",), ["a"]), (["a"], ("a",)), (None, "a"), ("a", None), (b"a", "a"), ([1], ["a"]), (["a", None], ["a", "b"])],
)
def test_what_is_no_text_is_refused(reference: Any, hypothesis: Any) -> None:
    for function in (ours.wer, ours.cer, ours.process_words):
        with pytest.raises((FormatMismatch, ValueError)) as caught:
            function(reference, hypothesis)
        assert isinstance(caught.value, TruebleuError)
    with pytest.raises((ValueError, TypeError)):
        jiwer.wer(reference, hypothesis)


def test_unequal_numbers_of_sentences_are_refused() -> None:
    with pytest.raises(LengthMismatch, match="2 reference and 1 hypothesis sentences"):
        ours.wer(["a", "b"], ["a"])
    with pytest.raises(FormatMismatch, match="reference_transform returned"):
        ours.wer("a", "a", ours.Compose([ours.Strip()]), ours.wer_default)
    with pytest.raises(ValueError):
        ours.AlignmentChunk("foo", 0, 1, 0, 1)
    with pytest.raises(ValueError, match="ref_start_idx=2 is larger than ref_end_idx=1"):
        ours.AlignmentChunk("equal", 2, 1, 0, 1)
