"""D30x and D31x: text that is not in the form in which it should be scored."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu._shown import shown
from truebleu.doctor import patterns
from truebleu.doctor.case import Case
from truebleu.doctor.finding import quotation
from truebleu.doctor.rule import Fault, NotChecked, from_both, listed, many, usual
from truebleu.doctor.texts import Columns
from truebleu.errors import TokenizerError
from truebleu.glance import FEWEST_GAPS, KANA_SHARE, PLAIN, SPACE_BASED, TOKENIZED, UNSPACED_SHARE, seems_tokenized
from truebleu.metrics import Metric
from truebleu.metrics.base import varied
from truebleu.metrics.tokenized import TokenizedMetric

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NAMES = re.compile(r"(?<!\S)[#@]\S+")


def tokenizer_misfit(corpus: Case) -> Iterator[Fault]:
    """D301: find metrics whose tokenizer does not fit the script."""
    is_korean = corpus.shares["Hangul"] >= UNSPACED_SHARE
    if not corpus.unspaced and not is_korean:
        return
    kana = corpus.shares["Hiragana"] + corpus.shares["Katakana"]
    if corpus.unspaced:
        script, fitting = ("Japanese", "ja-mecab") if kana >= KANA_SHARE else ("Chinese", "zh")
        if corpus.main[0] != "Han":
            script, fitting = corpus.main[0], "flores200"
    else:
        script, fitting = "Korean", "ko-mecab"
    fitting = {"ja": "ja-mecab", "zh": "zh", "ko": "ko-mecab"}.get(corpus.language[:2], fitting)
    other = [_fitted(metric, fitting) for metric in corpus.metrics]
    changed = [metric for metric, fitted in zip(corpus.metrics, other, strict=True) if fitted is not metric]
    if not changed:
        return
    metric = changed[0]
    fitted = other[corpus.metrics.index(metric)]
    has, use, cured = "without asian_support", "asian_support and normalized", "asian_support"
    tokens = 0.0
    if isinstance(metric, TokenizedMetric) and isinstance(fitted, TokenizedMetric):
        stats = corpus.counted(metric)
        tokens = float(stats.rows[:, 0].mean()) if stats.columns[0] == "sys_len" else 0.0
        has = f"with tokenizer {metric.tokenizer_signature}" + (f": {tokens:.1f} tokens per segment" if tokens else "")
        use, cured = {"flores200": "flores200, or char"}.get(fitting, fitting), fitted.tokenizer_signature
    message = f"{script} text, {metric.label} {has}. Use {use}; the two numbers are not comparable"
    level = "error" if corpus.unspaced else "note"
    yield Fault(message, level=level, other=other, evidence={"tokens": tokens}, cured=f"With {cured}")


def _fitted(metric: Metric[Any], fitting: str) -> Metric[Any]:
    """The metric with a tokenizer that fits; the metric itself if it needs no other, or no other is available here."""
    native = getattr(getattr(metric, "tokenizer", None), "native", None)
    if native in SPACE_BASED:
        # A price is not worth the download of a model.
        try:
            return varied(metric, tokenize="char" if fitting == "flores200" else fitting)
        except TokenizerError:
            return varied(metric, tokenize="char")
    if getattr(metric, "asian_support", None) is False and fitting != "ko-mecab":
        return varied(metric, asian_support=True, normalized=True)
    return metric


def tokenized(corpus: Case) -> Iterator[Fault]:
    """D302: find text that a tokenizer has cut up, on one side or on both."""
    kinds = [("stops", TOKENIZED, PLAIN, "commas and full stops have a space before them")]
    if corpus.unspaced:
        kinds.append(("cjk_stops", TOKENIZED, PLAIN, "punctuation marks have a space before them"))
        kinds.append(("cjk_pairs", TOKENIZED / 2, PLAIN / 2, "characters have a space before them"))
    least = max(FEWEST_GAPS, 0.02 * corpus.n)
    both = False
    for column, high, low, what in kinds:
        marks, gaps, ours = _gaps([corpus.hyp], column)
        their_marks, their_gaps, theirs = _gaps(corpus.refs, column)
        evidence = {"hypotheses": ours, "references": theirs}
        if seems_tokenized((marks, gaps), (their_marks, their_gaps), least, high, low):
            message = f"{ours:.0%} of {what}, in the references {theirs:.0%}: is this output tokenized?"
            yield Fault(message, level="error", evidence=evidence)
            return
        if seems_tokenized((their_marks, their_gaps), (marks, gaps), least, high, low):
            message = f"{theirs:.0%} of {what} in the references, in the output {ours:.0%}: are these tokenized?"
            yield Fault(message, level="error", side="references[0]", evidence=evidence, repair="")
            return
        both |= min(marks, their_marks) >= FEWEST_GAPS and min(ours, theirs) >= high and gaps >= least
    if both:
        # Text that is tokenized on purpose is scored as it is.
        is_meant = all(getattr(getattr(one, "tokenizer", None), "native", "none") == "none" for one in corpus.metrics)
        message = "hypotheses and references both seem to be tokenized; score the plain text, or use tokenize='none'"
        yield Fault(message, level="note" if is_meant else "warning", variant="both")


def _gaps(columns: Iterable[Columns], name: str) -> tuple[int, int, float]:
    """How many marks there are, how many have a gap before them, and the share of these."""
    columns = list(columns)
    marks = sum(int(one[name].sum()) for one in columns)
    gaps = sum(int(one[f"{name}_gap"].sum()) for one in columns)
    return marks, gaps, gaps / max(1, marks)


def subwords(corpus: Case) -> Iterator[Fault]:
    """D303: find marks that show where words were cut into pieces."""
    gates = ("at_at", "low_line", "less")
    found = corpus.extra(patterns.SUBWORDS, gates)
    pieces = corpus.extra(patterns.WORDPIECE, ("hash",))
    if len(pieces) >= max(3, 0.02 * corpus.n):
        found |= pieces
    words = int(corpus.hyp["words"].sum())
    if corpus.hyp["g_dot"].sum() >= 0.2 * max(1, words):
        found |= {at: ["\u0120"] * int(corpus.hyp["g_dot"][at]) for at in corpus.extra_in("g_dot").tolist()}
    if found:
        yield _in_segments(corpus, found, "subword marks")
    for side in corpus.reference_sides:
        theirs = corpus.extra(patterns.SUBWORDS, gates, side)
        if len(theirs) >= max(2, 0.01 * corpus.n):
            yield from _in_references(theirs, "subword marks", side)


def _in_segments(corpus: Case, found: dict[int, list[str]], what: str, **more: Any) -> Fault:
    """The fault of segments that have something that the references lack."""
    segments = sorted(found)
    tokens = Counter(token for at in segments for token in found[at])
    token, number = tokens.most_common(1)[0]
    named = f"U+{ord(token):04X}" if len(token) == 1 else shown(token, 40)
    first = next(at for at in segments if token in found[at])
    text = corpus.hypotheses[first]
    at = text.index(token)
    example = quotation(text[max(0, at - 12) : at + len(token) + 12])
    evidence = {"occurrences": sum(tokens.values())}
    return Fault(
        lambda n: (
            f"{many(n, 'segment has', 'segments have')} {what} which the references lack ({named}, "
            f"{many(number, 'time', 'times')}) {example}"
        ),
        segments,
        evidence=evidence,
        narrow=lambda left: _in_segments(corpus, {at: found[at] for at in left}, what, **more),
        **more,
    )


def _in_references(found: dict[int, list[str]], what: str, side: str) -> Iterator[Fault]:
    token = shown(next(iter(found.values()))[0], 40)
    what = f"{what} ({token}) which the hypotheses lack"
    return listed(sorted(found), "reference has", "references have", what, level="error", side=side, repair="")


def specials(corpus: Case) -> Iterator[Fault]:
    """D304: find tokens that only a model should see."""
    found = corpus.extra(patterns.SPECIALS, ("less", "bracket", "question", "greater", "underscore"))
    if found:
        yield _in_segments(corpus, found, "special tokens")


def entities(corpus: Case) -> Iterator[Fault]:
    """D305: find HTML entities, and the escapes of the Moses tokenizer."""
    escapes = corpus.extra(patterns.MOSES, ("at",))
    if escapes:
        yield _in_segments(corpus, escapes, "escapes of a tokenizer", variant="moses")
    found = corpus.extra(patterns.ENTITIES, ("ampersand",))
    if found:
        yield _in_segments(corpus, found, "HTML entities")
    for side in corpus.reference_sides:
        theirs = corpus.extra(patterns.ENTITIES, ("ampersand",), side)
        if len(theirs) >= max(2, 0.002 * corpus.n):
            yield from _in_references(theirs, "HTML entities", side)


def tags(corpus: Case) -> Iterator[Fault]:
    """D306: find HTML tags."""
    found = corpus.extra(patterns.TAGS, ("less",))
    if found:
        yield _in_segments(corpus, found, "HTML tags")


def mojibake(corpus: Case) -> Iterator[Fault]:
    """D307: find UTF-8 that was read as Windows-1252 or Latin-1."""
    found = corpus.extra(patterns.MOJIBAKE, ("mojibake",))
    found |= {at: [""] for at in _restored(corpus) if at not in found}
    if found:
        segments = sorted(found)
        at = next((at for at in segments if found[at][0]), segments[0])
        example = quotation(found[at][0] or corpus.hypotheses[at], 40)
        yield from listed(segments, "segment looks", "segments look", f"like UTF-8 read as cp1252 {example}")
    for side in corpus.reference_sides:
        theirs = corpus.extra(patterns.MOJIBAKE, ("mojibake",), side)
        if len(theirs) >= max(2, 0.002 * corpus.n):
            yield from _in_references(theirs, "letters of UTF-8 read as cp1252", side)


def _restored(corpus: Case) -> list[int]:
    """The segments that ftfy, if it is installed, repairs and thereby brings closer to the reference."""
    if find_spec("ftfy") is None:
        return []
    from ftfy import fix_encoding
    from ftfy.badness import is_bad

    def bad_texts() -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = pool.columns["crowded"] > 0
        for place in np.flatnonzero(found).tolist():
            # Tags and names may have capitals inside: "#LeteckáŠkola" is not damaged.
            found[place] = is_bad(_NAMES.sub(" ", pool.texts[place]))
        return found

    pool = corpus.pool
    bad = np.flatnonzero(pool.once("bad texts", bad_texts)[corpus.index]).tolist()
    bad = corpus.only_here(bad, is_bad)
    fixed = {at: fix_encoding(corpus.hypotheses[at]) for at in bad}
    bad = [at for at in bad if fixed[at] != corpus.hypotheses[at]]
    gained = corpus.sim([fixed[at] for at in bad], [corpus.first[at] for at in bad])
    had = corpus.sim([corpus.hypotheses[at] for at in bad], [corpus.first[at] for at in bad])
    return [at for at, better in zip(bad, gained > had, strict=True) if better]


def replacements(corpus: Case) -> Iterator[Fault]:
    """D308: find the character that replaces bytes which could not be decoded."""
    found = corpus.extra_in("replacement").tolist()
    yield from listed(found, "segment has", "segments have", "U+FFFD: letters were lost when the text was decoded")


def invisible(corpus: Case) -> Iterator[Fault]:
    """D309: find invisible characters, and control characters."""
    kinds = (
        ("invisible", patterns.INVISIBLE, "invisible characters", "spaces", from_both(3, 0.01)),
        ("control", patterns.CONTROLS, "control characters", "controls", usual),
    )
    for column, pattern, what, repair, alarm in kinds:
        found = {at: pattern.findall(corpus.hypotheses[at]) for at in corpus.extra_in(column).tolist()}
        if found:
            yield _in_segments(corpus, found, what, repair=repair, alarm=alarm)


def decomposed(corpus: Case) -> Iterator[Fault]:
    """D310: find letters in another normalisation form than those of the references."""

    def composed(texts: Sequence[str], columns: Columns) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = columns["unsettled"] == 0
        for at in np.flatnonzero(~found).tolist():
            found[at] = unicodedata.is_normalized("NFC", texts[at])
        return found

    def of_references() -> NDArray[np.bool_]:
        sides = zip(corpus.references, corpus.refs, strict=True)
        found: NDArray[np.bool_] = np.all([composed(*side) for side in sides], axis=0)
        return found

    pool = corpus.pool
    ours = pool.once("composed", lambda: composed(pool.texts, pool.columns))[corpus.index]
    theirs = corpus.once("composed", of_references)
    if (~ours & theirs).any():
        yield from _not_composed(~ours & theirs, "hypotheses", "hypothesis is", "hypotheses are", "references")
    if (ours & ~theirs).any():
        yield from _not_composed(ours & ~theirs, "references[0]", "reference is", "references are", "hypotheses")


def _not_composed(found: NDArray[np.bool_], side: str, one: str, more: str, others: str) -> Iterator[Fault]:
    what = f"not in composed form (NFC) and the {others} are: equal letters do not match"
    return listed(np.flatnonzero(found), one, more, what, side=side)


def case(corpus: Case) -> Iterator[Fault]:
    """D311: find text that was lower-cased, upper-cased or set in title case."""
    if corpus.main[0] not in ("Latin", "Cyrillic", "Greek", "Armenian") or corpus.shares[corpus.main[0]] < 0.7:
        raise NotChecked("the script of the references has no upper and lower case, or there are several scripts")
    upper, begin, cased = _case([corpus.hyp])
    their_upper, their_begin, their_cased = _case(corpus.refs)
    if min(cased, their_cased) < 500:
        raise NotChecked("it needs 500 letters that have a case on each side")
    sides = (
        ("hypotheses", "references", (upper, begin), (their_upper, their_begin)),
        ("references", "hypotheses", (their_upper, their_begin), (upper, begin)),
    )
    for side, other, ours, theirs in sides:
        told = _case_changed(*ours, *theirs)
        if told:
            share, what = told
            message = f"{share[0]:.0%} of {side} {what[0]}, {share[1]:.0%} of {other}: {what[1]}?"
            ignores = [bool(getattr(metric, "lowercase", False)) for metric in corpus.metrics]
            yield Fault(
                message,
                level="note" if all(ignores) else "warning",
                side=side if side == "hypotheses" else "references[0]",
                evidence={"upper": ours[0], "begin": ours[1], "other_upper": theirs[0], "other_begin": theirs[1]},
                other=[varied(one, lowercase=True) if hasattr(one, "lowercase") else one for one in corpus.metrics],
            )
            return


def _case(columns: Iterable[Columns]) -> tuple[float, float, int]:
    """The share of upper case among letters that have a case, of texts that begin with it, and their number."""
    columns = list(columns)
    upper, lower = (sum(int(one[name].sum()) for one in columns) for name in ("upper", "lower"))
    first = np.concatenate([one["first"] for one in columns])
    begin = int((first == 1).sum()) / max(1, int((first > 0).sum()))
    return upper / max(1, upper + lower), begin, upper + lower


def _case_changed(
    upper: float, begin: float, their_upper: float, their_begin: float
) -> tuple[tuple[float, float], tuple[str, str]] | None:
    """The two shares that differ, and what they are of; None if case is as it should be."""
    if begin < 0.3 and their_begin > 0.6:
        return (begin, their_begin), ("begin with a capital", "lower-cased")
    if their_upper >= 0.01 and upper < 0.3 * their_upper:
        return (upper, their_upper), ("letters are capitals", "lower-cased")
    if upper > 0.5 and their_upper < 0.3:
        return (upper, their_upper), ("letters are capitals", "upper-cased")
    if upper > 3 * their_upper and upper > 0.08:
        return (upper, their_upper), ("letters are capitals", "title case")
    return None
