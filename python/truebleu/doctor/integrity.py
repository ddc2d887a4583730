"""D421 to D427: parts of the source that a translation keeps, and that the output lost, damaged or added.

What the references do is no fault. A unit is lost if the source and every reference of the segment have it more often
than the output, and added if the output has it more often than each of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu._shown import shown
from truebleu.doctor.finding import quotation
from truebleu.doctor.kept import (
    ADDRESS,
    EMOJI,
    FAMILIES,
    MARKUP,
    PLACEHOLDER,
    Argument,
    BrokenMessage,
    KeptUnit,
    blanked,
    compact,
    message_arguments,
    places_of_damaged,
    units_of,
)
from truebleu.doctor.measures import LANGUAGES, measures_of
from truebleu.doctor.numbers import HAS_DIGIT, NOTHING, lost_and_added, number_marks, numbers_of
from truebleu.doctor.rule import Fault, NotChecked, many, usual
from truebleu.errors import OptionError

if TYPE_CHECKING:
    from truebleu.doctor.case import Case

T = TypeVar("T")

# Families of which only a loss is a fault: what looks like one of them may be text.
_ONLY_LOST = ("qt", "dollars", "identifier", "mention", "path", "phone", "version")
_ADDRESS_FAMILIES = frozenset(("url", "email", "path", "mention", "hashtag", "phone", "version", "identifier"))
_POSITION = re.compile(r"%(\d+)\$")
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
    for at, text in enumerate(corpus.sources or ()):
        if _has_cases(_of_sources(corpus).get(at, ())):
            lost = _lost_cases(text, corpus.hypotheses[at], [stream[at] for stream in corpus.references])
            if lost:
                found[at] = (
                    Changed([*found[at].lost, *lost], *found[at][1:]) if at in found else Changed(lost, [], [], [])
                )
    yield from faults(corpus, found, "a placeholder", PLACEHOLDER)


def markup(corpus: Case) -> Iterator[Fault]:
    """D422: find tags, links and inline code that the output lost or added."""
    yield from faults(corpus, _changed(corpus, MARKUP), "a tag, a link or code", MARKUP)


def addresses(corpus: Case) -> Iterator[Fault]:
    """D423: find addresses, file names, identifiers, versions and telephone numbers that the output lost or changed."""
    names = {"identifier"} if _are_names(corpus, "identifier") else set()
    found = _changed(corpus, ADDRESS, ("auto", _ADDRESS_FAMILIES.difference(names)))
    yield from faults(corpus, found, "an address or an identifier", ADDRESS)


def _are_names(corpus: Case, family: str) -> bool:
    """Whether references keep few units of a family: "kuJulayi" is a month in Zulu."""
    places = [(at, one.key) for at, units in _of_sources(corpus).items() for one in units if one.family == family]
    sides = _of_references(corpus)
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
    in_locale = partial(numbers_of, marks=marks)
    for at, output, source, references in _digits(corpus, "numbers", numbers_of, NOTHING, in_locale):
        lost, added = lost_and_added(source, output, references, is_definite=bool(marks))
        theirs = [token for one in references for token in one.foreign]
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
    sources = corpus.once("measures", lambda: _measures_of_sources(corpus))
    sides = [*zip(corpus.references, _of_references(corpus), strict=True)]
    of_pool = _of_pool(corpus)
    for at, source in sources.items():
        units = of_pool.get(int(corpus.index[at]), ())
        if not _is_compared(corpus, at) or len(measures_of(_plain(corpus.hypotheses[at], units), source)) == len(
            source
        ):
            continue
        references = [_plain(texts[at], units.get(at, ())) for texts, units in sides if texts[at].strip()]
        output = measures_of(_plain(corpus.hypotheses[at], units))
        lost = [one for one in source if one not in output]
        lost = [one for one in lost if all(measures_of(text, (one,)) for text in references)]
        # "5 miles" may become "8 kilometres"; that the number fits is a matter of D424.
        lost = [one for one in lost if source[one] not in output.values() or source[one] in ("share", "money")]
        added = [one for one in output if lost and output[one] in [source[name] for name in lost]]
        added = [
            one for one in added if one not in source and not any(measures_of(text, (one,)) for text in references)
        ]
        if lost:
            found[at] = Changed(lost, [], [], added)
    for fault in faults(corpus, found, "a unit or a currency", "unit"):
        fault.level = fault.level if len(fault.segments) >= max(3, 0.005 * corpus.n) else "note"
        yield fault


def _measures_of_sources(corpus: Case) -> dict[int, dict[str, str]]:
    units, found = _of_sources(corpus), {}
    for at, text in enumerate(corpus.sources or ()):
        if HAS_DIGIT.search(text) and (measures := measures_of(_plain(text, units.get(at, ())))):
            found[at] = measures
    return found


def _plain(text: str, units: Sequence[KeptUnit]) -> str:
    """A text without placeholders, tags and addresses."""
    return blanked(text, [one for one in units if one.kind != EMOJI])


def messages(corpus: Case) -> Iterator[Fault]:
    """D427: find messages in braces (ICU) that cannot be read, though the source can."""
    found: dict[int, str] = {}
    for at, source in enumerate(corpus.sources or ()):
        if not _has_cases(_of_sources(corpus).get(at, ())) or not corpus.hypotheses[at].strip():
            continue
        others = [stream[at] for stream in corpus.references if stream[at].strip()]
        why = "" if any(map(_reason, [source, *others])) else _reason(corpus.hypotheses[at])
        if why:
            found[at] = why
    if found:
        why = quotation(next(iter(found.values())))
        one, more = "message of the output is broken", "messages of the output are broken"
        yield Fault(lambda n: f"{many(n, one, more)} {why}; those of the source are not", sorted(found), level="error")
    else:
        _refuse_to_pass(corpus)


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
    lost = {at: one for at, one in found.items() if one.lost or one.damaged or one.moved}
    if lost:
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
    level = None if is_known else ("warning" if usual(len(found), corpus.n) else "note")
    return Fault(
        lambda n: (
            f"{many(n, 'segment has', 'segments have')} not kept {what} as source and references do "
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


def _arguments(text: str) -> dict[str, Argument]:
    try:
        return {one.name: one for one in message_arguments(text)}
    except BrokenMessage:
        return {}


def _reason(text: str) -> str:
    try:
        message_arguments(text)
    except BrokenMessage as reason:
        return str(reason)
    return ""


def _lost_cases(source: str, output: str, references: list[str]) -> list[str]:
    """The cases that a program chooses, if all references have them; and the cases of plurals that lost their #."""
    ours, others = _arguments(output), [_arguments(text) for text in (source, *references)]
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


def _digits(
    corpus: Case, key: str, read: Callable[[str], T], nothing: T, read_target: Callable[[str], T] | None = None
) -> Iterator[tuple[int, T, T, list[T]]]:
    """Read the numbers of each segment that has some, outside placeholders, tags and addresses."""
    read_target = read_target or read

    def of_texts(
        texts: Sequence[str], units: Mapping[int, list[KeptUnit]], read: Callable[[str], T] = read_target
    ) -> dict[int, T]:
        found = {}
        for at, text in enumerate(texts):
            if HAS_DIGIT.search(text):
                value = read(_plain(text, units.get(at, ())))
                if value != nothing:
                    found[at] = value
        return found

    streams = [*zip(corpus.references, _of_references(corpus), strict=True)]
    sources = corpus.once(key, lambda: of_texts(corpus.sources or [], _of_sources(corpus), read))
    references = corpus.once((key, "references"), lambda: [of_texts(*stream) for stream in streams])
    of_pool = corpus.pool.once(key, lambda: of_texts(corpus.pool.texts, _of_pool(corpus)))
    for at, place in enumerate(corpus.index.tolist()):
        if (at in sources or place in of_pool) and _is_compared(corpus, at):
            has = [texts[at].strip() for texts, _ in streams]
            theirs = [known.get(at, nothing) for known, one in zip(references, has, strict=True) if one]
            yield at, of_pool.get(place, nothing), sources.get(at, nothing), theirs


def _of_sources(corpus: Case) -> dict[int, list[KeptUnit]]:
    return corpus.once("units of sources", lambda: _all_units(corpus.sources or []))


def _all_units(texts: list[str]) -> dict[int, list[KeptUnit]]:
    return {at: units for at, text in enumerate(texts) if (units := units_of(text))}


def _of_references(corpus: Case) -> list[dict[int, list[KeptUnit]]]:
    return corpus.once("units of references", lambda: [_all_units(stream) for stream in corpus.references])


def _of_pool(corpus: Case) -> dict[int, list[KeptUnit]]:
    return corpus.pool.once("units", lambda: _all_units(corpus.pool.texts))


def _is_compared(corpus: Case, at: int) -> bool:
    """Whether a segment has an output and a source."""
    return bool(corpus.hypotheses[at].strip() and (corpus.sources or [""])[at].strip())


def _changed(corpus: Case, kind: str, choice: tuple[str, frozenset[str]] = ("auto", frozenset())) -> dict[int, Changed]:
    """Compare the units of one kind, or of some families, in each segment that has some."""
    way, families = choice
    sources = _of_sources(corpus)
    references, of_pool = _of_references(corpus), _of_pool(corpus)
    found = {}
    for at, place in enumerate(corpus.index.tolist()):
        source, output = sources.get(at, []), of_pool.get(place, [])
        if (not source and not output) or not _is_compared(corpus, at):
            continue
        streams = [
            units.get(at, []) for units, texts in zip(references, corpus.references, strict=True)
            if texts[at].strip() and way != "strict"
        ]  # fmt: skip
        sides = [
            [one for one in units if one.kind == kind and (not families or one.family in families)]
            for units in (output, source, *streams)
        ]
        if way == "lenient" and len(sides[1]) == 1 and _NUMBER.match(sides[1][0].key) and not sides[0]:
            continue
        one = _compared(kind, corpus.hypotheses[at], sides, _has_cases(source))
        if any(one):
            found[at] = one
    return found


def _compared(kind: str, text: str, sides: list[list[KeptUnit]], has_cases: bool) -> Changed:
    """Compare the units of an output, the first of these sides, with those of source and references."""
    numbers = {sum(one.family == "printf" for one in units) for units in sides}
    if len(numbers) == 1 and len({_has_positions(units) for units in sides}) > 1:
        sides = [_without_positions(units) for units in sides]
    ours, *others = (Counter((one.family, one.key) for one in units) for units in sides)
    if has_cases:  # each language has its own number of cases, and a unit is in each of them
        ours, *others = (Counter(dict.fromkeys(units, 1)) for units in (ours, *others))
    changed = Changed([], [], [], [], [])
    hashtags = [sum(count for (family, _), count in units.items() if family == "hashtag") for units in (ours, *others)]
    for family, key in dict.fromkeys(pair for units in (*others, ours) for pair in units):
        count, theirs = ours[family, key], [units[family, key] for units in others]
        if family == "hashtag" and hashtags[0] >= min(hashtags[1:]):
            continue  # people translate them
        if count < min(theirs):
            damaged = places_of_damaged(text, key) if kind == PLACEHOLDER else []
            if len(damaged) == min(theirs) - count:
                changed.edits.extend((text[start:end], key) for start, end in damaged)
            (changed.damaged if damaged else changed.lost).append(key)
        # Tags that neither source nor references know are D306's and D304's.
        is_known = kind != MARKUP or any(_name(key) == _name(other) for units in others for _, other in units)
        if count > max(theirs) and family not in _ONLY_LOST and is_known:
            changed.added.append(key)
    forms = {compact(key) for key in changed.damaged}
    changed.added[:] = [key for key in changed.added if compact(key) not in forms]
    order = [[one.key for one in units if one.family == "printf"] for units in sides]
    is_positional = any(_POSITION.match(key) for key in order[0])
    if order[0] not in order[1:] and sorted(order[0]) == sorted(order[1]) and not is_positional:
        changed.moved.extend(order[0])
    return changed


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
