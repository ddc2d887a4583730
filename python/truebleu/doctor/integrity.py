"""D421 to D427: parts of the source that a translation keeps, and that the output lost, damaged or added.

What the references do is no fault. A unit is lost if the source and every reference of the segment have it more often
than the output, and added if the output has it more often than each of them. Without sources, the references alone tell
what was lost, and nothing tells what was added.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu._shown import shown
from truebleu.doctor.finding import quotation
from truebleu.doctor.kept import (
    ADDRESS,
    EMOJI,
    FAMILIES,
    HAS_NUMBER,
    HAS_UNITS,
    MARKUP,
    PLACEHOLDER,
    Argument,
    BrokenMessage,
    KeptUnit,
    blanked,
    compact,
    kinds_of,
    message_arguments,
    places_of_damaged,
    units_in,
)
from truebleu.doctor.measures import LANGUAGES, measures_of
from truebleu.doctor.numbers import HAS_DIGIT, TextNumbers, lost_and_added, number_marks, numbers_of
from truebleu.doctor.rule import Fault, NotChecked, listed, many, usual
from truebleu.errors import OptionError

if TYPE_CHECKING:
    from truebleu.doctor.case import Case

# Families of which only a loss is a fault: what looks like one of them may be text.
_ONLY_LOST = ("qt", "dollars", "identifier", "mention", "path", "phone", "version")
_ADDRESS_FAMILIES = frozenset(("url", "email", "path", "mention", "hashtag", "phone", "version", "identifier"))
_POSITION = re.compile(r"%(\d+)\$")
_DIGITS = re.compile(r"\d+")
# "lenient": a number may be left out where it is the only placeholder, as in "one file".
_NUMBER = re.compile(r"%.*[diun]\Z")


class Changed(NamedTuple):
    """What became of the units of a segment; `edits` turn damaged ones into those of the source."""

    lost: list[str]
    damaged: list[str]
    moved: list[str]
    added: list[str]
    edits: list[tuple[str, str]] = []  # noqa: RUF012 (never changed)


def placeholders(corpus: Case) -> Iterator[Fault]:
    """D421: find placeholders that the output lost, damaged, put in another order or added."""
    found = _changed(corpus, PLACEHOLDER, placeholder_choice(corpus.placeholders))
    for at, others in _messages(corpus):
        if lost := _lost_cases(corpus.hypotheses[at], others):
            found.setdefault(at, Changed([], [], [], [])).lost.extend(lost)
    yield from faults(corpus, found, "a placeholder", PLACEHOLDER)


def markup(corpus: Case) -> Iterator[Fault]:
    """D422: find tags, links and inline code that the output lost or added."""
    yield from faults(corpus, _changed(corpus, MARKUP), "a tag, a link or code", MARKUP)


def addresses(corpus: Case) -> Iterator[Fault]:
    """D423: find addresses, file names, identifiers, versions and telephone numbers that the output lost or changed."""
    # Without sources nobody knows what a name is.
    names = {"identifier"} if corpus.sources is None or _are_names(corpus, "identifier") else set()
    found = _changed(corpus, ADDRESS, ("auto", _ADDRESS_FAMILIES.difference(names)))
    yield from faults(corpus, found, "an address or an identifier", ADDRESS)


def _are_names(corpus: Case, family: str) -> bool:
    """Whether references keep few units of a family: "kuJulayi" is a month in Zulu."""
    _, source, *references = parts_of(corpus)
    places = [(at, one.key) for at, units in source.units.items() for one in units if one.family == family]
    sides = [one.units for one in references]
    kept = sum(all(any(one.key == key for one in side.get(at, ())) for side in sides) for at, key in places)
    return len(places) >= 5 and kept < 0.8 * len(places)


def emoji(corpus: Case) -> Iterator[Fault]:
    """D426: find emoji that the output lost or added."""
    for fault in faults(corpus, _changed(corpus, EMOJI), "an emoji", EMOJI):
        fault.level = fault.level if len(fault.segments) >= 0.005 * corpus.n else "note"
        yield fault


def numbers(corpus: Case) -> Iterator[Fault]:
    """D424: find numbers that the output lost, changed or added."""
    found, foreign = {}, dict[int, tuple[str, ...]]()
    marks = number_marks(corpus.numbers)
    outputs, source, *references = parts_of(corpus)
    # Where the numbers of both look the same, they are the same.
    differ = (outputs.signatures[corpus.index] != source.signatures).any(axis=1) | ~source.signatures.any(axis=1)
    has = ((outputs.kinds[corpus.index] | source.kinds) & HAS_NUMBER > 0) & (differ | (marks is not None))
    for at in np.flatnonzero(has).tolist():
        wanted, output = source.numbers(at), outputs.numbers(int(corpus.index[at]), marks)
        # References can only excuse what differs.
        if not _is_compared(corpus, at) or not (marks or any(lost_and_added(wanted, output, ()))):
            continue
        others = [one.numbers(at, marks) for one in references if one.texts[at].strip()]
        lost, added = lost_and_added(wanted, output, others, is_definite=bool(marks))
        theirs = [token for one in others for token in one.foreign]
        if tokens := tuple(token for token in output.foreign if token not in theirs):
            foreign[at] = tokens
        if len(lost) == 1 == len(added):
            found[at] = Changed([f"{lost[0].text} → {added[0].text}"], [], [], [])
        elif lost or added:
            found[at] = Changed([one.text for one in lost], [], [], [one.text for one in added])
    yield from faults(corpus, found, "a number", "number")
    if foreign:
        yield _foreign(foreign)


def _foreign(found: dict[int, tuple[str, ...]]) -> Fault:
    example = quotation(found[min(found)][0])
    one, more = "segment has a number", "segments have numbers"
    return Fault(
        lambda n: f"{many(n, one, more)} in the format of another locale {example}",
        sorted(found), level="note", variant="locale", repair="",
        narrow=lambda left: _foreign({at: found[at] for at in left}),
        units=[(at, "number", token, "another locale") for at in sorted(found) for token in found[at]],
    )  # fmt: skip


def measures(corpus: Case) -> Iterator[Fault]:
    """D425: find percent signs, currencies and units of measure that the output lost or changed."""
    if corpus.language and corpus.language[:2] not in LANGUAGES:
        raise NotChecked(f"it has no words for the language {shown(corpus.language)}")
    found = {}
    outputs, sources, *references = parts_of(corpus)
    for at, source in corpus.once("measures", lambda: _measures_of(sources)).items():
        text = outputs.plain(int(corpus.index[at]))
        if not _is_compared(corpus, at) or len(measures_of(text, source)) == len(source):
            continue
        others = [one.plain(at) for one in references if one.texts[at].strip()]
        output = measures_of(text)
        lost = [one for one in source if one not in output]
        lost = [one for one in lost if all(measures_of(text, (one,)) for text in others)]
        # "5 miles" may become "8 kilometres", with another number; that this one fits is a matter of D424.
        if not set(_DIGITS.findall(sources.plain(at))) <= set(_DIGITS.findall(text)):
            lost = [one for one in lost if source[one] not in output.values() or source[one] in ("share", "money")]
        added = [one for one in output if lost and output[one] in [source[name] for name in lost]]
        added = [one for one in added if one not in source and not any(measures_of(text, (one,)) for text in others)]
        if lost:
            found[at] = Changed(lost, [], [], added)
    for fault in faults(corpus, found, "a unit or a currency", "unit"):
        fault.level = fault.level if len(fault.segments) >= max(3, 0.005 * corpus.n) else "note"
        yield fault


def _measures_of(sides: Parts) -> dict[int, dict[str, str]]:
    found = ((at, measures_of(sides.plain(at))) for at, text in enumerate(sides.texts) if HAS_DIGIT.search(text))
    return {at: measures for at, measures in found if measures}


def messages(corpus: Case) -> Iterator[Fault]:
    """D427: find messages in braces (ICU) that cannot be read, though the source can."""
    found: dict[int, str] = {}
    for at, others in _messages(corpus):
        if (why := _read(corpus.hypotheses[at])[1]) and not any(_read(text)[1] for text in others):
            found[at] = why
    if found:
        theirs = "references" if corpus.sources is None else "source"
        what = f"{quotation(next(iter(found.values())))}; those of the {theirs} are not"
        one, more = "message of the output is broken", "messages of the output are broken"
        yield from listed(sorted(found), one, more, what, level="error")
    else:
        _refuse_to_pass(corpus)


def _messages(corpus: Case) -> Iterator[tuple[int, list[str]]]:
    """The segments with an output whose source, or first reference without sources, is a message with cases; and the
    source and all references of each.
    """
    _, *others = parts_of(corpus)
    for at, units in others[0].by_kind.get(PLACEHOLDER, {}).items():
        if _has_cases(units) and corpus.hypotheses[at].strip():
            yield at, [text for one in others if (text := one.texts[at]).strip()]


def placeholder_choice(given: str) -> tuple[str, frozenset[str]]:
    """Read which placeholders are compared: a way to do so, and the families."""
    names = given.split(",") if isinstance(given, str) else []
    if names in (["auto"], ["strict"], ["lenient"]):
        return given, frozenset(FAMILIES)
    if not names or not {*names} <= {*FAMILIES}:
        raise OptionError(
            f"placeholders is {brief(given)}, expected auto, strict, lenient, or families with commas between them: "
            f"{', '.join(FAMILIES)}"
        )
    return "auto", frozenset(names)


def _refuse_to_pass(corpus: Case) -> None:
    """A check that found nothing has not passed where segments have no source."""
    texts = zip(corpus.hypotheses, corpus.sources or [], strict=False)
    if blank := sum(bool(output.strip()) and not source.strip() for output, source in texts):
        raise NotChecked(f"{number_of(blank, 'segment', commas=True)} without a source")


def faults(corpus: Case, found: dict[int, Changed], what: str, kind: str) -> Iterator[Fault]:
    """The faults of segments in which units of one kind changed; those that only have too many are apart."""
    if lost := {at: one for at, one in found.items() if one.lost or one.damaged or one.moved}:
        yield _fault(corpus, lost, what, kind, "")
    if added := {at: one for at, one in found.items() if at not in lost}:
        yield _fault(corpus, added, what, kind, "added")
    if not found:
        _refuse_to_pass(corpus)


def _fault(corpus: Case, found: dict[int, Changed], what: str, kind: str, variant: str) -> Fault:
    """The fault of all segments in which units of one kind changed; the message names the most frequent unit."""
    tokens = Counter(key for one in found.values() for keys in one[:4] for key in keys)
    token, number = tokens.most_common(1)[0]
    names = Changed._fields[:4]
    evidence = {name: float(sum(bool(getattr(one, name)) for one in found.values())) for name in names}
    parts = [f"{int(count):,} {name}" for name, count in evidence.items() if count]
    edits = {at: one.edits for at, one in found.items() if one.edits}
    # Without a reference nobody knows whether a translation keeps it.
    is_known = any(stream[at].strip() for stream in corpus.references for at in found)
    whose = "the references" if corpus.sources is None else "source and references"
    level = None if is_known else ("warning" if usual(len(found), corpus.n) else "note")
    return Fault(
        lambda n: (
            f"{many(n, 'segment has', 'segments have')} not kept {what} as {whose} do "
            f"({', '.join(parts)}) {quotation(_shown_whole(token))}, {many(number, 'time', 'times')}"
        ),
        sorted(found),
        level=level,
        evidence=evidence,
        variant=variant,
        repair=None if edits else "",
        narrow=lambda left: _fault(corpus, {at: found[at] for at in left}, what, kind, variant),
        units=[
            (at, kind, _shown_whole(key), name)
            for at in sorted(found)
            for name in names
            for key in getattr(found[at], name)
        ],
        edits=edits,
    )


def _shown_whole(key: str) -> str:
    """Show an argument with cases, of which only the beginning is compared, as a whole."""
    return f"{key}, …}}" if re.fullmatch(r"\{\w+,\w+", key) else key


def _has_cases(units: Sequence[KeptUnit]) -> bool:
    return any(one.family == "icu" for one in units)


def _read(text: str) -> tuple[dict[str, Argument], str]:
    """The arguments of a message by their names, or why it cannot be read."""
    try:
        return {one.name: one for one in message_arguments(text)}, ""
    except BrokenMessage as reason:
        return {}, str(reason)


def _lost_cases(output: str, texts: list[str]) -> list[str]:
    """The cases that a program chooses, if all other texts have them; and the cases of plurals that lost their #."""
    ours, *others = (_read(text)[0] for text in (output, *texts))
    found = []
    for name, argument in others[0].items():
        if name not in ours:
            continue
        theirs = [one[name] for one in others if name in one]
        if argument.keyword == "select":
            lost = frozenset.intersection(*(one.cases for one in theirs)) - ours[name].cases
            found += [f"{case} (select)" for case in sorted(lost)]
        if "other" not in argument.with_number:
            continue
        for case in sorted(ours[name].cases - ours[name].with_number):
            # "=1 {one file}" names the number itself.
            if not case.startswith("=") and all(case in one.with_number or case not in one.cases for one in theirs):
                found.append(f"# ({case})")
    return found


class Parts:
    """What texts hold that a translation keeps: the core tells which texts can have some, and these are read."""

    def __init__(self, texts: Sequence[str], threads: int | None) -> None:
        self.texts, self.read = texts, dict[object, TextNumbers]()
        rows = kinds_of(texts, threads)
        self.kinds, self.signatures = rows[:, 0], rows[:, 1:]
        places = np.flatnonzero(self.kinds & HAS_UNITS).tolist()
        found = ((at, units_in(texts[at], int(self.kinds[at]))) for at in places)
        self.units = {at: units for at, units in found if units}
        self.by_kind: dict[str, dict[int, list[KeptUnit]]] = {}
        for at, units in self.units.items():
            for one in units:
                self.by_kind.setdefault(one.kind, {}).setdefault(at, []).append(one)

    def plain(self, at: int) -> str:
        """A text without placeholders, tags and addresses."""
        return blanked(self.texts[at], [one for one in self.units.get(at, ()) if one.kind != EMOJI])

    def bare(self, at: int) -> str:
        """A text without any of its units."""
        return blanked(self.texts[at], self.units.get(at, []))

    def numbers(self, at: int, marks: tuple[str, str] | None = None) -> TextNumbers:
        """The numbers of a text outside these."""
        if (at, marks) not in self.read:
            self.read[at, marks] = numbers_of(self.plain(at), marks)
        return self.read[at, marks]


def parts_of_outputs(corpus: Case) -> Parts:
    """What the distinct outputs of all systems hold."""
    return corpus.pool.once("parts", lambda: Parts(corpus.pool.texts, corpus.threads))


def parts_of(corpus: Case) -> list[Parts]:
    """What outputs, sources (if there are any) and references hold."""
    sides = corpus.references if corpus.sources is None else [corpus.sources, *corpus.references]
    others = corpus.once("kept parts", lambda: [Parts(side, corpus.threads) for side in sides])
    return [parts_of_outputs(corpus), *others]


def _is_compared(corpus: Case, at: int) -> bool:
    """Whether a segment has an output, and a source or, if there are no sources, a reference."""
    others = [stream[at] for stream in corpus.references] if corpus.sources is None else [corpus.sources[at]]
    return bool(corpus.hypotheses[at].strip()) and any(map(str.strip, others))


def _changed(corpus: Case, kind: str, choice: tuple[str, frozenset[str]] = ("auto", frozenset())) -> dict[int, Changed]:
    """Compare the units of one kind, or of some families, in each segment that has some."""
    way, families = choice
    outputs, first, *others = parts_of(corpus)
    has_sources = corpus.sources is not None
    places = {at for one in ([first] if has_sources else [first, *others]) for at in one.by_kind.get(kind, ())}
    if has_sources:  # without sources nobody knows what was added
        has = np.zeros(len(outputs.texts), bool)
        has[[*outputs.by_kind.get(kind, ())]] = True
        places.update(np.flatnonzero(has[corpus.index]).tolist())
    if way == "strict" and has_sources:
        others = []
    found = {}
    for at in sorted(places):
        if not _is_compared(corpus, at):
            continue
        given = [(one, at) for one in (first, *others) if one.texts[at].strip()]
        sides = [
            [unit for unit in one.by_kind.get(kind, {}).get(place, ()) if not families or unit.family in families]
            for one, place in [(outputs, int(corpus.index[at])), *given]
        ]
        if way == "lenient" and len(sides[1]) == 1 and _NUMBER.match(sides[1][0].key) and not sides[0]:
            continue
        keys = [[unit[1:3] for unit in side] for side in sides]
        if all(side == keys[0] for side in keys):
            continue
        written, place = given[0]
        one = _compared(kind, corpus.hypotheses[at], written.texts[place], sides, _has_cases(written.units.get(at, ())))
        if not has_sources:
            one.added.clear()
        if any(one):
            found[at] = one
    return found


def _compared(kind: str, text: str, source: str, sides: list[list[KeptUnit]], has_cases: bool) -> Changed:
    """Compare the units of an output, the first of these sides, with those of the source and of references."""
    # As the source writes a unit that is mended. Of a message with cases, a unit is only the beginning.
    written = {one.key: source[one.start : one.end] for one in sides[1] if one.family != "icu"}
    sides = _with_like_positions(sides)
    ours, *others = (Counter((one.family, one.key) for one in units) for units in sides)
    if has_cases:  # each language has its own number of cases, and a unit is in each of them
        ours, *others = (Counter(dict.fromkeys(units, 1)) for units in (ours, *others))
    changed = Changed([], [], [], [], [])
    names = {_name(key) for units in others for _, key in units}
    hashtags = [sum(count for (family, _), count in units.items() if family == "hashtag") for units in (ours, *others)]
    for family, key in dict.fromkeys(pair for units in (*others, ours) for pair in units):
        count, theirs = ours[family, key], [units[family, key] for units in others]
        if family == "hashtag" and hashtags[0] >= min(hashtags[1:]):
            continue  # people translate them
        if count < min(theirs):
            damaged = places_of_damaged(text, key) if kind == PLACEHOLDER else []
            if key in written and len(damaged) == min(theirs) - count:
                changed.edits.extend((text[start:end], written[key]) for start, end in damaged)
            (changed.damaged if damaged else changed.lost).append(key)
        # Tags that neither source nor references know are D306's and D304's.
        is_known = kind != MARKUP or _name(key) in names
        if count > max(theirs) and family not in _ONLY_LOST and is_known:
            changed.added.append(key)
    damaged_forms = "\n".join(map(compact, changed.damaged))
    changed.added[:] = [key for key in changed.added if compact(key) not in damaged_forms]
    order = [[one.key for one in units if one.family == "printf"] for units in sides]
    is_positional = any(_POSITION.match(key) for key in order[0])
    if order[0] not in order[1:] and sorted(order[0]) == sorted(order[1]) and not is_positional:
        changed.moved.extend(order[0])
    return changed


def _with_like_positions(sides: list[list[KeptUnit]]) -> list[list[KeptUnit]]:
    """Take the positions of conversions away where texts differ in having them, and have the same conversions."""
    if len({_has_positions(units) for units in sides}) == 1:
        return sides
    plain = [_without_positions(units) for units in sides]
    conversions = [sorted(one.key for one in units if one.family == "printf") for units in plain]
    return plain if all(one == conversions[0] for one in conversions) else sides


def _has_positions(units: list[KeptUnit]) -> bool | None:
    """Whether all printf conversions of a text name their arguments, each once; None if there are no conversions."""
    found = [_POSITION.match(one.key) for one in units if one.family == "printf"]
    numbers = sorted(int(one[1]) for one in found if one)
    return numbers == list(range(1, len(found) + 1)) if found else None


def _without_positions(units: list[KeptUnit]) -> list[KeptUnit]:
    """The conversions that name their arguments, as if they stood in the order of these."""
    if not _has_positions(units):
        return units
    named = [one for one in units if one.family == "printf"]
    named.sort(key=lambda one: int(_POSITION.match(one.key)[1]))  # type: ignore[index]
    plain = [one._replace(key=_POSITION.sub("%", one.key)) for one in named]
    return [*(one for one in units if one.family != "printf"), *plain]


def _name(key: str) -> str:
    return key.strip("</>").partition(" ")[0]
