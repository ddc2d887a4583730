"""Segments by original language and by subject.

A filter is a list of flags, one for each segment. `origlang="de"` keeps documents written in German, `"non-de"` all
others; `subset` is a regular expression that is searched in the domain of the document, or for WMT 2018 and 2019 in an
annotation such as `US-politics`. A leading `country:` is only for the reader.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._inputs import brief, check_text
from truebleu.dataset.pair_text import PairText
from truebleu.errors import FilterUnavailable, OptionError

# sacreBLEU takes both from wmt19, whose values include those of wmt18.
ANNOTATED = "wmt19"


if TYPE_CHECKING:  # sacreBLEU's names of tables, which are read when they are used.
    SUBSETS: dict[str, dict[str, str]]
    COUNTRIES: list[str]
    DOMAINS: list[str]


class Subset(NamedTuple):
    """Some segments of a test set: an original language, and a part of it or all."""

    origlang: str
    kind: str  # "domain" or "country"
    value: str  # "ALL" for all segments of the language
    flags: list[bool]


def flags(pair_texts: Sequence[PairText], origlang: str | None = None, subset: str | None = None) -> list[bool]:
    """Which segments are kept; the segments of several sets one after the other."""
    check_selection(origlang, subset)
    pattern = None if subset is None else _pattern(subset)
    return [flag for pair_text in pair_texts for flag in _flags(pair_text, origlang, pattern)]


def check_selection(origlang: str | None, subset: str | None) -> None:
    """Raise unless these are valid criteria for a selection."""
    expected = "a language such as 'de', or 'non-de'"
    if origlang is not None and not check_text("origlang", origlang, expected).removeprefix("non-"):
        raise OptionError(f"origlang={brief(origlang)} names no language: expected {expected}")
    if subset is not None:
        _pattern(check_text("subset", subset, "a regular expression"))


def origlangs(pair_texts: Sequence[PairText]) -> list[str]:
    """The original languages of the segments, sorted; empty if they are unknown."""
    found = {language for pair_text in pair_texts for language in pair_text.filter_column("origlang") or ()}
    return sorted(found - {""})


def subsets(pair_texts: Sequence[PairText]) -> list[str]:
    """The possible values of `subset`, sorted: the domains, or the countries and domains of annotated sets."""
    found: set[str] = set()
    for pair_text in pair_texts:
        if _is_annotated(pair_text):
            found.update(f"country:{country}" for country in countries())
            found.update(domains())
        elif "domain" in pair_text.fields:
            found.update(pair_text.lines("domain"))
    return sorted(found - {""})


def groups(pair_texts: Sequence[PairText]) -> Iterator[Subset]:
    """For each original language, all its segments, then each subset that has some of them."""
    origins = [origin for pair_text in pair_texts for origin in _origins(pair_text)]
    known = {name: _members(pair_texts, name) for name in subsets(pair_texts)}
    for language in origlangs(pair_texts):
        of_language = [origin == language for origin in origins]
        yield Subset(language, "domain", "ALL", of_language)
        for name, chosen in known.items():
            kept = [both and also for both, also in zip(of_language, chosen, strict=True)]
            if any(kept):
                kind = "country" if name.startswith("country:") else "domain"
                yield Subset(language, kind, name.removeprefix("country:"), kept)


def countries() -> list[str]:
    """The countries of the annotations."""
    return sorted({annotation.split("-")[0] for annotation in annotations()[ANNOTATED].values()})


def domains() -> list[str]:
    """The domains of the annotations."""
    return sorted({annotation.split("-")[1] for annotation in annotations()[ANNOTATED].values()})


@cache
def annotations() -> dict[str, dict[str, str]]:
    """For each annotated set, the subjects of its documents."""
    import json

    tables: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("annotations.json").read_bytes())
    return tables


def __getattr__(name: str) -> Any:
    tables: dict[str, Callable[[], Any]] = {"SUBSETS": annotations, "COUNTRIES": countries, "DOMAINS": domains}
    if name not in tables:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return tables[name]()


def _flags(pair_text: PairText, origlang: str | None, pattern: re.Pattern[str] | None) -> list[bool]:
    kept = [True] * len(pair_text.lines("src"))
    if origlang is not None:
        origins = pair_text.filter_column("origlang")
        if origins is None:
            raise FilterUnavailable(
                f"the test set {pair_text.name} does not say in which language its documents were written, "
                f"so origlang={brief(origlang)} cannot be selected"
            )
        kept = [_is_of(origin, origlang) for origin in origins]
    if pattern is not None:
        known = _annotations(pair_text, pattern)
        kept = [one and text is not None and bool(pattern.search(text)) for one, text in zip(kept, known, strict=True)]
    return kept


def _is_of(origin: str, wanted: str) -> bool:
    """A document of unknown origin has no original language, so no language selects it."""
    if wanted.startswith("non-"):
        return not _is_of(origin, wanted.removeprefix("non-"))
    return origin == wanted != ""


def _pattern(subset: str) -> re.Pattern[str]:
    try:
        return re.compile(subset.removeprefix("country:"))
    except (re.error, OverflowError, RecursionError) as error:
        raise OptionError(f"subset={brief(subset)} is not a regular expression: {error}") from error


def _annotations(pair_text: PairText, pattern: re.Pattern[str]) -> list[str | None]:
    """The text that patterns are searched in, for each segment; None if it is unknown, and then no pattern matches."""
    if _is_annotated(pair_text):
        table = annotations()[str(pair_text.definition.annotations)]
        return [table.get(document, "") for document in pair_text.filter_column("docid") or ()]
    if "domain" in pair_text.fields:
        return [domain or None for domain in pair_text.lines("domain")]
    raise FilterUnavailable(
        f"the test set {pair_text.name} does not say what its documents are about, "
        f"so subset={brief(pattern.pattern)} cannot be selected"
    )


def _members(pair_texts: Sequence[PairText], name: str) -> list[bool]:
    """The segments of one subset. The name of a domain is compared as a whole, not as a pattern."""
    chosen: list[bool] = []
    for pair_text in pair_texts:
        exact = re.escape(name.removeprefix("country:"))
        if not _is_annotated(pair_text) and "domain" not in pair_text.fields:
            chosen += [False] * len(pair_text.lines("src"))
        else:
            pattern = exact if _is_annotated(pair_text) else rf"\A{exact}\Z"
            chosen += _flags(pair_text, None, re.compile(pattern))
    return chosen


def _origins(pair_text: PairText) -> list[str]:
    return pair_text.filter_column("origlang") or [""] * len(pair_text.lines("src"))


def _is_annotated(pair_text: PairText) -> bool:
    return pair_text.definition.annotations is not None and pair_text.filter_column("docid") is not None
