"""D32x: differences of style between two publishers. They are never wrong, but may cost points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from truebleu.doctor.case import Case
from truebleu.doctor.rule import Fault, NotChecked
from truebleu.doctor.texts import Columns

_QUOTES = {
    "quote_straight": '"',
    "quote_low": "„ “",
    "quote_angle": "« »",
    "quote_corner": "「 」",
    "quote_curly": "“ ”",
}
_APOSTROPHES = {"apostrophe": "'", "apostrophe_curly": "’"}
_DASHES = {"hyphen": "-", "en_dash": "–", "em_dash": "—"}
_ELLIPSES = {"dots": "...", "ellipsis": "…"}


def quotes(corpus: Case) -> Iterator[Fault]:
    """D321: find quotation marks or apostrophes of another style than those of the references."""
    yield from _styles(corpus, (_QUOTES, _APOSTROPHES), "quotes")


def dashes(corpus: Case) -> Iterator[Fault]:
    """D322: find dashes or ellipses of another style than those of the references."""
    yield from _styles(corpus, (_DASHES,), "dashes")
    yield from _styles(corpus, (_ELLIPSES,), "ellipsis")


def _styles(corpus: Case, kinds: Sequence[Mapping[str, str]], repair: str) -> Iterator[Fault]:
    """One fault for the kinds of characters whose shares differ by half or more, 20 on each side at least."""
    told: list[str] = []
    evidence: dict[str, float] = {}
    for kind in kinds:
        ours, theirs = _shares([corpus.hyp], kind), _shares(corpus.refs, kind)
        if not ours or not theirs:
            continue
        # The second mark of „…“ is the first of “…”, so curly quotes alone do not show the style.
        telling = [name for name in kind if name != "quote_curly"]
        differing = max(telling, key=lambda name: abs(ours[name] - theirs[name]))
        if abs(ours[differing] - theirs[differing]) >= 0.5:
            our_usual, their_usual = (max(kind, key=lambda name: side[name]) for side in (ours, theirs))
            if our_usual == their_usual:
                rarer = [name for name in kind if name != our_usual]
                if ours[our_usual] > theirs[our_usual]:
                    their_usual = max(rarer, key=lambda name: theirs[name])
                else:
                    our_usual = max(rarer, key=lambda name: ours[name])
            told.append(f"{kind[our_usual]} where references write {kind[their_usual]}")
            evidence |= {f"{name}_hypotheses": ours[name] for name in kind if ours[name]}
            evidence |= {f"{name}_references": theirs[name] for name in kind if theirs[name]}
    if told:
        message = f"hypotheses write {', and '.join(told)}"
        yield Fault(message, level="note", evidence=evidence, repair=repair)


def _shares(columns: Sequence[Columns], kind: Mapping[str, str]) -> dict[str, float]:
    """The share of each character among those of its kind; nothing if there are fewer than 20."""
    counts = {name: sum(int(one[name].sum()) for one in columns) for name in kind}
    # Two references have twice as many marks; the limit of 20 is for one reference.
    if sum(counts.values()) < 20 * len(columns):
        return {}
    return {name: count / sum(counts.values()) for name, count in counts.items()}


def width(corpus: Case) -> Iterator[Fault]:
    """D323: find full-width forms where the references have half-width ones, or the reverse."""
    if not corpus.unspaced:
        raise NotChecked("full-width forms belong to scripts without spaces")
    told: list[str] = []
    evidence: dict[str, float] = {}
    for what, wide, narrow in (
        ("full-width marks", "wide_marks", "narrow_marks"),
        ("full-width letters and digits", "wide_alnum", "narrow_alnum"),
    ):
        ours, theirs = _wide([corpus.hyp], wide, narrow), _wide(corpus.refs, wide, narrow)
        if ours is not None and theirs is not None and abs(ours - theirs) >= 0.5:
            told.append(f"{what}: {ours:.0%} in hypotheses, {theirs:.0%} in references")
            evidence |= {f"{wide}_hypotheses": ours, f"{wide}_references": theirs}
    kana = int(corpus.hyp["half_kana"].sum())
    their_kana = sum(int(one["half_kana"].sum()) for one in corpus.refs) / len(corpus.refs)
    if kana > 20 and kana > 5 * their_kana:
        told.append(f"{kana:,} half-width kana in hypotheses, {their_kana:,.0f} in references")
        evidence |= {"half_kana": kana}
    if told:
        message = "; ".join(told)
        yield Fault(message, level="note", evidence=evidence)


def _wide(columns: Sequence[Columns], wide: str, narrow: str) -> float | None:
    """The share of full-width characters; None if there are fewer than 50 of both."""
    number, others = (sum(int(one[name].sum()) for one in columns) for name in (wide, narrow))
    return number / (number + others) if number + others >= 50 * len(columns) else None


def spaces(corpus: Case) -> Iterator[Fault]:
    """D324: find no-break and other unusual spaces where the references have plain ones, or the reverse."""
    ours, theirs = _odd([corpus.hyp]), _odd(corpus.refs)
    if abs(ours - theirs) >= 0.02:
        one, other = ("plain", "no-break or wide") if ours < theirs else ("no-break or wide", "plain")
        message = f"hypotheses have {one} spaces where references have {other} spaces"
        evidence = {"hypotheses": ours, "references": theirs}
        yield Fault(message, level="note", evidence=evidence, needs_price=True)


def _odd(columns: Sequence[Columns]) -> float:
    odd, plain = (sum(int(one[name].sum()) for one in columns) for name in ("odd_space", "space"))
    return odd / max(1, odd + plain)
