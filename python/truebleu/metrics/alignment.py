"""Alignments of references and hypotheses: what they hold, and how they are shown. All of it equals jiwer 4.0.0.

Rates are from 0 to 1, and whole numbers where jiwer gives some.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields

from truebleu import _core
from truebleu._inputs import brief, check_instance
from truebleu._options import whole_number, yes_or_no
from truebleu._typing import Any, TypeVar
from truebleu.errors import OptionError

KINDS = ("equal", "substitute", "delete", "insert")

# Beyond any text: a line that is never too long.
_WIDEST = 2**63


@dataclass
class AlignmentChunk:
    """Neighbouring tokens that are all hits, or all errors of one kind.

    `type` is "equal", "substitute", "delete" or "insert"; the others are where its tokens begin and end in the
    reference and in the hypothesis.
    """

    type: str
    ref_start_idx: int
    ref_end_idx: int
    hyp_start_idx: int
    hyp_end_idx: int

    def __post_init__(self) -> None:
        if self.type not in KINDS:
            raise OptionError(f"AlignmentChunk: type is {brief(self.type)}, expected one of {', '.join(KINDS)}")
        for side in ("ref", "hyp"):
            start, end = getattr(self, f"{side}_start_idx"), getattr(self, f"{side}_end_idx")
            if start > end:
                raise OptionError(f"AlignmentChunk: {side}_start_idx={start} is larger than {side}_end_idx={end}")


class _Output:
    """Tokens and alignments that are made when they are first used: most programs need only the counts."""

    def __getattr__(self, name: str) -> Any:
        make = self.__dict__.get("_make")
        if make is None or name not in ("references", "hypotheses", "alignments"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        del self.__dict__["_make"]
        references, hypotheses = make()
        self.__dict__ |= {"references": references, "hypotheses": hypotheses}
        self.__dict__["alignments"] = chunks_of(references, hypotheses)
        return self.__dict__[name]

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


@dataclass
class WordOutput(_Output):
    """The words of references and hypotheses, their alignment, and its counts and rates."""

    references: list[list[str]]
    hypotheses: list[list[str]]
    alignments: list[list[AlignmentChunk]]
    wer: float
    mer: float
    wil: float
    wip: float
    hits: int
    substitutions: int
    insertions: int
    deletions: int


@dataclass
class CharacterOutput(_Output):
    """The characters of references and hypotheses, their alignment, and its counts and rates."""

    references: list[list[str]]
    hypotheses: list[list[str]]
    alignments: list[list[AlignmentChunk]]
    cer: float
    hits: int
    substitutions: int
    insertions: int
    deletions: int


Output = TypeVar("Output", WordOutput, CharacterOutput)
Tokens = list[list[str]]


def chunks_of(references: Sequence[Sequence[str]], hypotheses: Sequence[Sequence[str]]) -> list[list[AlignmentChunk]]:
    """Align the tokens of each reference with those of its hypothesis."""
    theirs, ours = [], []
    for reference, hypothesis in zip(references, hypotheses, strict=True):
        numbers: dict[str, int] = {}
        theirs.append([numbers.setdefault(token, len(numbers) + 1) for token in reference])
        ours.append([numbers.setdefault(token, len(numbers) + 1) for token in hypothesis])
    found = _core.alignments(theirs, ours)
    return [[AlignmentChunk(KINDS[kind], *places) for kind, *places in chunks] for chunks in found]


def align_tokens(kind: type[Output], references: Tokens, hypotheses: Tokens) -> Output:
    """Align tokens, and count."""
    alignments = chunks_of(references, hypotheses)
    counts = dict.fromkeys(KINDS, 0)
    for chunk in (chunk for chunks in alignments for chunk in chunks):
        reference, hypothesis = chunk.ref_end_idx - chunk.ref_start_idx, chunk.hyp_end_idx - chunk.hyp_start_idx
        counts[chunk.type] += max(reference, hypothesis)
    measured = _measured(kind, *counts.values())
    return kind(references=references, hypotheses=hypotheses, alignments=alignments, **measured)


def counted(kind: type[Output], totals: Sequence[float], make: Callable[[], tuple[Tokens, Tokens]]) -> Output:
    """Make an output of counts; its tokens and alignments follow when they are looked at."""
    output = kind.__new__(kind)
    output.__dict__ |= _measured(kind, *map(int, totals)) | {"_make": make}
    return output


def _measured(kind: type, hits: int, substitutions: int, deletions: int, insertions: int) -> dict[str, Any]:
    counts = dict(hits=hits, substitutions=substitutions, insertions=insertions, deletions=deletions)
    errors, reference = substitutions + deletions + insertions, hits + substitutions + deletions
    hypothesis = hits + substitutions + insertions
    error_rate = errors / reference if reference else errors
    if kind is CharacterOutput:
        return {"cer": error_rate, **counts}
    mer = errors / (reference + insertions) if reference else int(errors > 0)
    wip = (hits / reference) * (hits / hypothesis) if reference and hypothesis else int(reference == hypothesis)
    return {"wer": error_rate, "mer": mer, "wil": 1 - wip, "wip": wip, **counts}


# As text.


def visualize_alignment(
    output: WordOutput | CharacterOutput,
    show_measures: bool = True,
    skip_correct: bool = True,
    line_width: int | None = None,
) -> str:
    """Show each reference above its hypothesis, with the errors marked.

    Parameters
    ----------
    output
        The result of `process_words`, `process_characters` or `WER.align`.
    show_measures
        Whether counts and rates follow at the end.
    skip_correct
        Whether sentences without an error are left out.
    line_width
        The most characters of a line; None for no limit.
    """
    who = "visualize_alignment"
    check_instance(who, "output", output, (WordOutput, CharacterOutput), "a WordOutput or CharacterOutput")
    show_measures = yes_or_no(who, "show_measures", show_measures)
    skip_correct = yes_or_no(who, "skip_correct", skip_correct)
    width = _WIDEST if line_width is None else whole_number(who, "line_width", line_width, -_WIDEST, _WIDEST)
    gap = "" if isinstance(output, CharacterOutput) else " "
    shown = ""
    sentences = zip(output.references, output.hypotheses, output.alignments, strict=True)
    for number, (reference, hypothesis, chunks) in enumerate(sentences, 1):
        if not skip_correct or any(chunk.type != "equal" for chunk in chunks):
            pairs = _pairs(reference, hypothesis, chunks)
            shown += f"=== SENTENCE {number} ===\n\n{_three_lines(pairs, gap, width)}"
    return shown + _summary(output) if show_measures else shown[:-1]


def _pairs(reference: list[str], hypothesis: list[str], chunks: list[AlignmentChunk]) -> Iterator[tuple[str, str, str]]:
    """The two tokens of each step and its mark; a missing token is an asterisk."""
    for chunk in chunks:
        theirs = reference[chunk.ref_start_idx : chunk.ref_end_idx]
        ours = hypothesis[chunk.hyp_start_idx : chunk.hyp_end_idx]
        missing = ["*"] * max(len(theirs), len(ours))
        mark = {"equal": " ", "substitute": "S", "delete": "D", "insert": "I"}[chunk.type]
        for token, other in zip(theirs or missing, ours or missing, strict=True):
            yield token, other, mark


def _three_lines(pairs: Iterator[tuple[str, str, str]], gap: str, width: int) -> str:
    """Blocks of three lines, each followed by an empty one."""
    heads = ("REF: ", "HYP: ", "     ")
    blocks, lines = "", heads
    for pair in pairs:
        wide = max(len(pair[0]), len(pair[1]))
        # An asterisk, which stands for a missing token, is made as long as the other one.
        cells = [one * wide if one == "*" else one.rjust(wide) for one in pair]
        if len(lines[0]) + wide > width:
            blocks += _block(lines, gap)
            lines = heads
        lines = tuple(line + cell + gap for line, cell in zip(lines, cells, strict=True))  # type: ignore[assignment]
    return blocks + _block(lines, gap)


def _block(lines: tuple[str, ...], gap: str) -> str:
    return "".join(f"{line[: len(line) - len(gap)]}\n" for line in lines) + "\n"


def _summary(output: WordOutput | CharacterOutput) -> str:
    names = ("substitutions", "deletions", "insertions", "hits")
    counts = " ".join(f"{name}={getattr(output, name)}" for name in names)
    rates = ("cer",) if isinstance(output, CharacterOutput) else ("mer", "wil", "wip", "wer")
    percent = "".join(f"{rate}={100 * getattr(output, rate):.2f}%\n" for rate in rates)
    return f"=== SUMMARY ===\nnumber of sentences: {len(output.references)}\n{counts}\n\n{percent}"


ErrorCounts = tuple["defaultdict[tuple[str, str], int]", "defaultdict[str, int]", "defaultdict[str, int]"]


def collect_error_counts(output: WordOutput | CharacterOutput) -> ErrorCounts:
    """Count errors by their words: substitutions by pair, then insertions, then deletions.

    Neighbouring errors of one kind are one: `an even` is one insertion.

    Parameters
    ----------
    output
        The result of `process_words`, `process_characters` or `WER.align`.
    """
    expected = "a WordOutput or CharacterOutput"
    check_instance("collect_error_counts", "output", output, (WordOutput, CharacterOutput), expected)
    gap = "" if isinstance(output, CharacterOutput) else " "
    substitutions: defaultdict[tuple[str, str], int] = defaultdict(int)
    insertions: defaultdict[str, int] = defaultdict(int)
    deletions: defaultdict[str, int] = defaultdict(int)
    sentences = zip(output.references, output.hypotheses, output.alignments, strict=True)
    for reference, hypothesis, chunks in sentences:
        for chunk in chunks:
            theirs = gap.join(reference[chunk.ref_start_idx : chunk.ref_end_idx])
            ours = gap.join(hypothesis[chunk.hyp_start_idx : chunk.hyp_end_idx])
            if chunk.type == "substitute":
                substitutions[theirs, ours] += 1
            elif chunk.type == "insert":
                insertions[ours] += 1
            elif chunk.type == "delete":
                deletions[theirs] += 1
    return substitutions, insertions, deletions


def visualize_error_counts(
    output: WordOutput | CharacterOutput,
    show_substitutions: bool = True,
    show_insertions: bool = True,
    show_deletions: bool = True,
    top_k: int | None = None,
) -> str:
    """Show errors by their words, the most frequent first.

    Parameters
    ----------
    output
        The result of `process_words`, `process_characters` or `WER.align`.
    show_substitutions
        Whether substitutions are shown.
    show_insertions
        Whether insertions are shown.
    show_deletions
        Whether deletions are shown.
    top_k
        How many of each are shown; None for all.
    """
    who = "visualize_error_counts"
    check_instance(who, "output", output, (WordOutput, CharacterOutput), "a WordOutput or CharacterOutput")
    if top_k is not None:
        top_k = whole_number(who, "top_k", top_k, -_WIDEST, _WIDEST)
    substitutions, insertions, deletions = collect_error_counts(output)
    sections: list[tuple[str, bool, dict[tuple[str, ...], int]]] = [
        ("substitutions", show_substitutions, {pair: count for pair, count in substitutions.items()}),
        ("insertions", show_insertions, {(word,): count for word, count in insertions.items()}),
        ("deletions", show_deletions, {(word,): count for word, count in deletions.items()}),
    ]
    wanted = [(name, counts) for name, shown, counts in sections if yes_or_no(who, f"show_{name}", shown)]
    return "".join(_section(name, counts, top_k) for name, counts in wanted).removesuffix("\n").removesuffix("\n")


def _section(name: str, counts: dict[tuple[str, ...], int], top_k: int | None) -> str:
    most = sorted(counts.items(), key=lambda item: -item[1])[:top_k]
    wide = max((len(word) for words, _ in most for word in words), default=0)
    lines = [f"{' --> '.join(word.ljust(wide) for word in words)} = {count}x\n" for words, count in most]
    return f"=== {name.upper()} ===\n" + ("".join(lines) + "\n" if lines else "none\n")
