"""Terms: how many of the terms that a glossary wants an output has.

A term is wanted as often as the source has it, or once for each annotation of its segment. The output has it if a
translation of the glossary stands there, as it is or in another form; a part of the output stands for one term only.

>>> terms, sources = Terms({"cancer": "nowotwór złośliwy", "acne": "trądzik"}), ["true cancer", "acne and acne"]
>>> print(terms.corpus_score(["nowotworu złośliwego", "trądzik"], None, sources=sources))
Terms = 66.67 (2/3 terms; exact 33.3, form 66.7; 50.0 % of 2 segments complete)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache

from truebleu import _core
from truebleu._counts import number_of
from truebleu._inputs import Stream, Texts, brief, check_labels, check_text, check_texts, without_empty
from truebleu._logs import inform
from truebleu._options import choice, thread_count, yes_or_no
from truebleu._records import NamedTuple
from truebleu._typing import TYPE_CHECKING, Any
from truebleu.errors import EmptyCorpus, LengthMismatch, MissingReferences, OptionError, UnknownSignature
from truebleu.metrics.base import NORMALIZE_FLAG, Metric
from truebleu.metrics.glossary import Glossary
from truebleu.metrics.options import YES, Field, Option, flag, switch, unless_empty
from truebleu.metrics.row_rules import not_whole
from truebleu.metrics.score import Score
from truebleu.normalization import normalize_checked

if TYPE_CHECKING:
    from typing import Self

    from truebleu._core import Engine
    from truebleu._inputs import Corpus
    from truebleu.metrics.lemmas import LemmaTable
    from truebleu.metrics.row_rules import Cells, Rules
    from truebleu.signature import Signature
    from truebleu.stats import Stats

MODES = ("exact", "form", "lemma")
CASES = ("fold", "keep", "smart")
OVERLAPS = ("longest", "all")
AVERAGES = ("term", "document")
QUORUMS = ("", "any", "all")
# Which rules repeat the figures of a shared task, as far as its script needs no lemmas: what may stand beside a term,
# which terms of a source count, what a place may stand for, and whether only the first translation counts.
LIKE = {
    "": ("script", "", "own", False),
    "wmt25-track1-surface": ("nothing", "once", "shared", True),
    "wmt25-track2": ("nothing", "all", "counted", False),
    "wmt26-surface": ("words", "all", "shared", False),
}
# Of each text, the words: where they begin and end, and their lemmas.
Lemmatize = Callable[[list[str], str], list[list[tuple[int, int, str]]]]
# What stands for a glossary whose terms are the references.
REFERENCES = "references"


# How many terms the JSON of a score names.
_MOST_MISSED = 20


def _same(*names: str) -> dict[Any, Any]:
    return {name: name for name in names}


def _read_digest(text: Any, notes: list[str]) -> dict[str, Any]:
    if not isinstance(text, str) or not re.fullmatch("refs|[0-9]+-[0-9a-f]{8}", text):
        raise UnknownSignature(f"the digest of terms is {brief(text)}, expected the hash of a glossary, or refs")
    return {"digest": text}


def _read_lemmas(text: str, notes: list[str]) -> dict[str, Any]:
    if not _is_name(text):
        raise UnknownSignature(f"the function that tells lemmas is {brief(text)}, expected a name")
    return {"lemmatize": text}


def _is_name(value: Any) -> bool:
    return value is None or (isinstance(value, str) and re.fullmatch("[A-Za-z0-9_.-]+", value) is not None)


class TermsScore(Score):
    """The share of wanted terms that an output has, and its parts.

    Parameters
    ----------
    totals
        The sums of the rows.
    score
        The share, from 0 to 100; not a number where no term is wanted.
    forms, lemmas
        Whether other forms of words count, and words with the same lemmas.
    signature
        The settings behind it.
    """

    def __init__(
        self, totals: Sequence[float], score: float, forms: bool = True, *, lemmas: bool = False,
        signature: Signature | None = None,
    ) -> None:  # fmt: skip
        super().__init__("Terms", score, signature=signature)
        self.found, self.wanted, self.exact, self.complete, self.segments = map(int, totals[:5])
        self.form: int | None = int(totals[-1]) if lemmas else self.found if forms else None
        self.consistency: float | None = None
        self.missed: list[TermUse] | None = None  # those that were missed most come first
        if not self.wanted:
            self.verbose = "(no term is wanted)"
            return
        parts = {"exact": self.exact, "form": self.form, "lemma": self.found if lemmas else None}
        shares = ", ".join(f"{name} {100 * part / self.wanted:.1f}" for name, part in parts.items() if part is not None)
        complete = f"{100 * self.complete / self.segments:.1f} % of {number_of(self.segments, 'segment')} complete"
        self.verbose = f"({self.found}/{self.wanted} terms; {shares}; {complete})"

    def parts(self) -> dict[str, Any]:
        """The numbers of terms and segments, by name."""
        names = ("found", "wanted", "exact", "complete", "segments")
        found = {name: getattr(self, name) for name in names} | ({} if self.form is None else {"form": self.form})
        if self.consistency is not None:
            found["consistency"] = self.consistency
        if self.missed is not None:
            fields = ("source", "wanted", "found", "targets")
            found["missed"] = [{name: getattr(one, name) for name in fields} for one in self.missed[:_MOST_MISSED]]
        return found


def tell_uses(score: TermsScore, uses: Sequence[TermUse]) -> None:
    """Add what became of each term to the score of the same texts."""
    score.missed = sorted((one for one in uses if one.found < one.wanted), key=lambda one: one.found - one.wanted)
    score.consistency = consistency(uses)
    if score.consistency is not None:
        score.verbose = f"{score.verbose[:-1]}; consistency {score.consistency:.1f})"


class TermUse(NamedTuple):
    """What became of a term: how often it was wanted and found, and how often with each translation."""

    source: str
    wanted: int
    found: int
    targets: dict[str, int]
    document: Hashable = None


class _Composed:
    """The work on texts that the engine cannot do: letters and their marks are composed."""

    def __init__(self, is_listed: bool) -> None:
        self.is_listed = is_listed

    def texts(self, texts: Texts) -> Texts:
        return normalize_checked(texts, ("nfc",))

    def streams(self, streams: list[Stream], keep_empty: bool) -> list[Stream]:
        if not self.is_listed:
            raise OptionError(
                "TERMS: a glossary goes with the sources of whole corpora, and these texts come without them. "
                "Terms() without a glossary takes the references of each segment as its terms"
            )
        return [normalize_checked(stream, ("nfc",)) for stream in (streams if keep_empty else without_empty(streams))]


class Terms(Metric[TermsScore]):
    """The share of the terms that a glossary wants which the output has, from 0 to 100.

    Parameters
    ----------
    glossary
        A mapping from terms to their translations, for which `sources` tell where a term is wanted; or a list with
        such a mapping, or with annotations, for each segment; or the name of a file with either. Without it, each
        reference of a segment is a term that is wanted there.
    mode
        "exact" for translations as the glossary has them, "form" for other forms of their words too, "lemma" for words
        with the same lemmas as well, which `lemmatize` tells.
    case
        "fold" to ignore case, "keep" to mind it, "smart" to mind it in terms with a capital after the first letter, or
        a digit: AIDS, mRNA.
    overlap
        Which terms of a source are wanted where some overlap: the "longest", or "all".
    compounds
        Whether a term may be the last part of a word.
    average
        "term" for the share of all wanted terms, "document" for the mean over the terms of each segment of the share
        that was found.
    if_reference
        Whether a term counts only if "any" reference, or "all", have a translation of it as it is; "" for all terms.
    like
        "wmt25-track1-surface", "wmt25-track2" or "wmt26-surface" for the rules of these scripts without lemmas.
    split
        A character that separates translations inside one text of the glossary.
    allow_none
        Whether texts without any wanted term have no score, in place of an error.
    sources
        What was translated, where calls do not say it by their `sources=`.
    lemmatize
        A function of a list of texts and `language` that gives the words of each text: a list of tuples with the
        beginning of a word, its end, and its lemma. A signature tells its name, and takes it back in this place.
    language
        The language of the outputs, for `lemmatize`.
    digest
        The hash of the glossary that a signature tells; another glossary is refused.
    references, empty_refs, normalize
        As in `BLEU`.
    """

    name = "TERMS"
    label = title = "Terms"
    by_position = True
    needs = ("glossary", "digest")
    needs_said = (
        "-m terms needs a glossary: name a file with --terms FILE, or say --terms references if each reference of a "
        "segment is a term that is wanted there"
    )
    shared_columns = ("wanted", "with_terms")
    parts_of = (("found", "wanted"), ("exact", "found"), ("complete", "with_terms"), ("form", "found"))
    flags = (
        flag("--terms", option="glossary", metavar="FILE",
             help="the glossary: a table (term, tab, translations), JSON, or JSONL with the terms of each segment; "
             "or the word references"),
        flag("--terms-mode", option="mode", choices=MODES[:2], metavar="MODE",
             help="exact: translations as they are; form: other forms of their words too (default)"),
        flag("--terms-case", option="case", choices=CASES, metavar="CASE",
             help="fold: ignore case (default); keep: mind it; smart: mind it in terms such as AIDS and mRNA"),
        flag("--terms-overlap", option="overlap", choices=OVERLAPS, metavar="WHICH",
             help="terms of a source that overlap: the longest is wanted (default), or all are"),
        flag("--terms-average", option="average", choices=AVERAGES, metavar="WHAT",
             help="term: the share of all terms (default); document: the mean over the terms of each segment"),
        flag("--terms-if-reference", option="if_reference", choices=QUORUMS[1:], metavar="WHICH",
             help="count a term only if any reference, or all, have a translation of it"),
        switch("--terms-compounds", option="compounds", help="a term may be the last part of a word"),
        flag("--terms-like", option="like", choices=tuple(LIKE)[1:], metavar="NAME",
             help=f"the rules of a shared task: {', '.join(tuple(LIKE)[1:])}"),
        flag("--terms-split", option="split", metavar="CHAR", help="what separates translations inside one text"),
        switch("--terms-allow-none", option="allow_none", help="no score, and no error, if no term is wanted"),
        NORMALIZE_FLAG,
    )  # fmt: skip
    fields = (
        Field("terms", "tm", "digest", "refs", read=_read_digest),
        Field("mode", "how", "mode", "form", _same(*MODES)),
        Field("case", "c", "case", "fold", _same(*CASES)),
        Field("overlap", "ov", "overlap", "longest", _same(*OVERLAPS)),
        Field("lemmas", "lem", "lemmas_shown", None, read=_read_lemmas),
        Field("comp", "cp", "compounds", "no", YES),
        Field("avg", "avg", "average", encode=unless_empty(AVERAGES, "term")),
        Field("ifref", "ifr", "if_reference", encode=unless_empty(QUORUMS)),
        Field("like", "lk", "like", encode=unless_empty(LIKE)),
    )

    mode: Option[str] = Option(choice, known=MODES)
    case: Option[str] = Option(choice, known=CASES)
    overlap: Option[str] = Option(choice, known=OVERLAPS)
    compounds = Option(yes_or_no)
    average: Option[str] = Option(choice, known=AVERAGES)
    if_reference: Option[str] = Option(choice, known=QUORUMS)
    like: Option[str] = Option(choice, known=tuple(LIKE))

    def __init__(
        self,
        glossary: Any = None,
        mode: str = "form",
        case: str = "fold",
        overlap: str = "longest",
        compounds: bool = False,
        average: str = "term",
        if_reference: str = "",
        like: str = "",
        split: str = "",
        allow_none: bool = False,
        sources: Iterable[str] | None = None,
        lemmatize: Lemmatize | str | None = None,
        language: str = "",
        digest: str = "",
        references: Sequence[Sequence[str | None]] | None = None,
        *,
        empty_refs: str = "drop",
        normalize: str | Sequence[str] = "",
    ) -> None:
        self.like = like
        self.mode, self.case, self.overlap, self.compounds = "exact" if self.like else mode, case, overlap, compounds
        is_track2 = self.like == "wmt25-track2"
        self.average, self.if_reference = ("document", "any") if is_track2 else (average, if_reference)
        self._allow_none = yes_or_no(self.name, "allow_none", allow_none)
        self.split = split
        if not isinstance(self.split, str) or len(self.split) > 1:
            raise OptionError(f"{self.name}: split is {brief(split)}, expected one character")
        is_none = glossary is None or (isinstance(glossary, str) and glossary == REFERENCES)
        self.glossary = None if is_none else Glossary.of(self.name, glossary, self.split)
        self.digest = _checked_digest(self.name, self.glossary, digest)
        self.language = check_text(f"{self.name}: language", language, "a language such as 'pl'")
        if (self.mode == "lemma") != (lemmatize is not None) or not (callable(lemmatize) or _is_name(lemmatize)):
            raise OptionError(
                f"{self.name}: mode is {brief(self.mode)} and lemmatize is {brief(lemmatize)}; expected mode='lemma' "
                "with a function of texts and a language, and nothing in another mode"
            )
        self.lemmatize = lemmatize
        self._lemmas: LemmaTable | None = None
        self.sources = None if sources is None else check_texts(self.name, "sources", sources)
        if (self.if_reference or self.lemmatize) and self.digest == "refs":
            what = "if_reference" if self.if_reference else "lemmatize"
            raise OptionError(f"{self.name}: {what} is {brief(getattr(self, what))}, and the references are the terms")
        self._preparation = _Composed(self.digest == "refs")  # type: ignore[assignment]
        super().__init__(references, empty_refs, normalize)
        self._matcher_or_none: _core.TermMatcher | None = None
        # A source without text is a source.
        self._engine_keeps_empty = True

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of a row's cells."""
        shares = ("share_0", "share_1", "share_2", "terms") if self.average == "document" else ()
        return ("found", "wanted", "exact", "complete", "with_terms", *shares, *(["form"] if self.lemmatize else []))

    @property
    def lemmas_shown(self) -> str | None:
        """The name of the function that tells lemmas, for signatures."""
        given = self.lemmatize
        if given is None or isinstance(given, str):
            return given
        name = getattr(given, "__qualname__", type(given).__qualname__)
        return re.sub("[^A-Za-z0-9_.]+", "-", f"{getattr(given, '__module__', None)}.{name}")

    def _placed(self, sources: Sequence[str] | None, places: Sequence[int]) -> Self:
        """Give the metric for some segments of a corpus: their sources, and their places in the files."""
        from copy import copy

        found = copy(self)
        found._door = None
        if self.glossary is not None and self.glossary.segments is not None:
            if len(self.glossary.segments) <= max(places, default=0):
                raise _wrong_length(self.glossary, max(places) + 1)
            found.glossary = self.glossary.at(places)
        elif self.glossary is not None and sources is not None:
            found.sources = check_texts(self.name, "sources", sources)
        return found

    def corpus_score(
        self, hypotheses: Iterable[str], references: Iterable[Iterable[str | None]] | None = None,
        n_bootstrap: int = 1, *, sources: Iterable[str] | None = None, **options: Any,
    ) -> TermsScore:  # fmt: skip
        """Score a corpus. Unless its texts are divided anew, the score also tells what became of each term.

        Parameters
        ----------
        hypotheses, references, n_bootstrap, sources
            As in `Metric.corpus_score`; `references` may be None where there is a glossary.
        options
            `layout`, `seed`, `threads`, `checks`, `resegment`, `documents` and `level`, as there.
        """
        self = self._with(sources)
        is_divided = options.get("resegment", False) is not False or options.get("level", "segment") != "segment"
        if self.glossary is None or is_divided or options.get("documents") is not None:
            score = super().corpus_score(hypotheses, references, n_bootstrap, **options)
            self._refuse_none(score.wanted)
            return score
        hypotheses = check_texts(self.name, "hypotheses", hypotheses)
        if type(n_bootstrap) is int and n_bootstrap == 1 and options.keys() <= {"threads"}:
            thread_count(options.get("threads"))
            corpus = self._corpus(hypotheses, references, None)
            self.n_bootstrap = self.seed = None
            totals, uses = self._totals_and_uses(corpus)  # in one pass
            score = self._score_from(totals, self._signature_for(corpus.references))
        else:
            score = super().corpus_score(hypotheses, references, n_bootstrap, **options)
            uses = self.uses(hypotheses, references=references if self.if_reference else None)
        self._refuse_none(score.wanted)
        self._tell_unused(uses)
        tell_uses(score, uses)
        return score

    def uses(
        self,
        hypotheses: Iterable[str],
        documents: Iterable[Hashable] | None = None,
        *,
        references: Iterable[Iterable[str | None]] | None = None,
        sources: Iterable[str] | None = None,
    ) -> list[TermUse]:
        """Tell what became of each term, in the order of the glossary.

        Parameters
        ----------
        hypotheses
            The output of the system, one string for each segment.
        documents
            One label for each segment, to tell it for each document.
        references
            As in `corpus_score`, where `if_reference` asks for them.
        sources
            What was translated, one string for each segment.
        """
        self = self._with(sources)
        self._known_glossary()
        return self._totals_and_uses(self._corpus(hypotheses, references, None), documents)[1]

    def _totals_and_uses(
        self, corpus: Corpus, documents: Iterable[Hashable] | None = None
    ) -> tuple[list[float], list[TermUse]]:
        names: list[Hashable] = [None]
        codes = None
        if documents is not None:
            labels = check_labels(self.name, "documents", documents, len(corpus.hypotheses))
            names = list(dict.fromkeys(labels))
            numbers = {label: at for at, label in enumerate(names)}
            codes = [numbers[label] for label in labels]
        entries, found = self._known_glossary().entries, dict[tuple[int, str], TermUse]()
        totals, uses = self._matcher().totals_and_uses(corpus.hypotheses, corpus.streams, codes)
        for document, number, wanted, times in uses:
            entry = entries[number]
            key = document, " ".join(entry.source.casefold().split())
            targets = dict(zip(entry.targets, times, strict=False))
            one = TermUse(entry.source, wanted, sum(times), targets, names[document])
            if known := found.get(key):  # in a glossary by segment, a term may have several entries
                joined = {text: known.targets.get(text, 0) + targets.get(text, 0) for text in known.targets | targets}
                one = known._replace(wanted=known.wanted + wanted, found=known.found + one.found, targets=joined)
            found[key] = one
        return totals, list(found.values())

    def _tell_unused(self, uses: list[TermUse]) -> None:
        """Say how many terms of a glossary for all texts no source has."""
        glossary = self._known_glossary()
        if glossary.segments is None and not self.if_reference and (unused := len(glossary) - len(uses)) > 0:
            inform("in no source: %d of the %s of the glossary", unused, number_of(len(glossary), "term"))

    # What the metric says of itself.

    def fingerprint(self) -> Mapping[str, object]:
        """The metric, its options, and the hash of its glossary."""
        lemmas = {"lemmas": self.lemmas_shown} if self.lemmatize else {}
        return {**super().fingerprint(), "terms": self.digest, **lemmas}

    def arguments(self) -> dict[str, Any]:
        """The arguments that make this metric again: in place of the glossary its hash."""
        return {**super().arguments(), "digest": self.digest, "lemmatize": self.lemmas_shown}

    @classmethod
    def _stated(cls, name: str, settings: Mapping[str, str]) -> dict[str, str]:
        """Say how terms are looked for."""
        case = "case ignored" if settings.get("case") == "fold" else "cased"
        return {
            **super()._stated(name, settings),
            "Tokenizer": f"none (terms, {settings.get('mode', 'form')})",
            "Case": case,
        }

    def _row_rules(self, cells: Cells, single: bool, summed: bool) -> Rules:
        yield from super()._row_rules(cells, single, summed)
        yield from not_whole(cells, self.columns[:5])

    def _make_engine(self) -> Engine:
        return self._matcher().engine()

    def _matcher(self) -> _core.TermMatcher:
        if self._matcher_or_none is None:
            self._matcher_or_none = self._made_matcher()
        return self._matcher_or_none

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_matcher_or_none": None, "_lemmas": None}

    def _made_matcher(self) -> _core.TermMatcher:
        bounds, overlap, places, only_first = LIKE[self.like]
        glossary = self.glossary
        is_global = glossary is not None and glossary.segments is None
        known = () if glossary is None else glossary.entries
        targets = [entry.targets[:1] if only_first else entry.targets for entry in known]
        texts = [text for entry, several in zip(known, targets, strict=True) for text in (entry.source, *several)]
        forms = [(at, *form) for at, entry in enumerate(known) for form in (() if only_first else entry.forms)]
        texts += [text for *_, text in forms]
        return _core.TermMatcher(
            self._prepared_texts(texts), [*map(len, targets)], [(at, target) for at, target, _ in forms], bases(),
            wanted="listed" if glossary is None else "in source" if is_global else "numbered",
            case="fold" if self.like else self.case, bounds=bounds, overlap=overlap or self.overlap,
            forms=self.mode != "exact", lemmas=self.lemmatize is not None, places=places,
            if_reference=self.if_reference, compounds=self.compounds, averaged=self.average == "document",
        )  # fmt: skip

    def _score_from(self, totals: list[float], signature: Signature) -> TermsScore:
        forms, lemmas = self.mode != "exact", self.lemmatize is not None
        return TermsScore(totals, self.engine.score(totals), forms, lemmas=lemmas, signature=signature)

    # How texts come to the engine.

    def _known_glossary(self) -> Glossary:
        if self.glossary is None:
            known = f"the signature tells only its hash, {self.digest}" if self.digest != "refs" else "there is none"
            raise OptionError(
                f"{self.name}: this needs the glossary, and {known}; give it as glossary=, or --terms FILE"
            )
        return self.glossary

    def _corpus(self, hypotheses: Any, references: Any, *given: Any, **options: Any) -> Corpus:
        if references is not None or self._cached is not None or self.digest == "refs":
            return super()._corpus(hypotheses, references, *given, **options)
        if self.if_reference:
            raise MissingReferences(f"{self.name}: references is None, and if_reference asks which terms they have")
        texts = check_texts(self.name, "hypotheses", hypotheses)
        corpus = super()._corpus(texts, [texts], *given, **options)
        corpus.references = self._seen_references = 0, 0
        return corpus

    def _prepared_corpus(self, corpus: Corpus) -> Corpus:
        if self.digest == "refs":
            return super()._prepared_corpus(corpus)
        glossary, size = self._known_glossary(), len(corpus.hypotheses)
        corpus.hypotheses = self._prepared_texts(corpus.hypotheses)
        streams: list[Stream] = []
        if self.if_reference:
            streams = [normalize_checked(self._normalized(stream), ("nfc",)) for stream in corpus.streams]
        if glossary.segments is not None:
            if len(glossary.segments) != size:
                raise _wrong_length(glossary, size)
            corpus.streams = [[" ".join(map(str, numbers)) for numbers in glossary.segments], *streams]
        else:
            corpus.streams = [self._checked_sources(size), *streams]
        if self.lemmatize is not None:
            corpus.streams.append([*self._places_of_lemmas(glossary, list(corpus.hypotheses))])
        return corpus

    def _checked_sources(self, size: int) -> Stream:
        if self.sources is None:
            raise MissingReferences(
                f"{self.name}: where a term is wanted is known from the sources, and there are none; give them as "
                "sources=, or with --sources FILE, --src-field, or a test set"
            )
        if len(self.sources) != size:
            ours, theirs = number_of(size, "segment"), number_of(len(self.sources), "text")
            raise LengthMismatch(f"{self.name}: hypotheses has {ours} and sources has {theirs}; expected one for each")
        return [*self._prepared_texts(self.sources)]

    def _places_of_lemmas(self, glossary: Glossary, texts: list[str]) -> list[str]:
        """Say for each text where the lemmas of translations stand, as the engine reads it."""
        from truebleu.metrics.lemmas import LemmaTable

        if not callable(self.lemmatize):
            raise OptionError(f"{self.name}: the signature tells only the name of lemmatize, {self.lemmatize}; give it")
        if self._lemmas is None:
            targets = [(at, number, text) for at, entry in enumerate(glossary.entries)
                       for number, text in enumerate(entry.targets)]  # fmt: skip
            ready = self._prepared_texts([text for *_, text in targets])
            targets = [(at, number, text) for (at, number, _), text in zip(targets, ready, strict=True)]
            self._lemmas = LemmaTable(self.lemmatize, self.language, targets, self.case != "keep")
        return self._lemmas.places(texts)

    def _glance(self, corpus: Corpus) -> None:
        """The texts beside the output are no references, so there is nothing to compare."""
        if self.digest == "refs":
            super()._glance(corpus)

    def _stats(self, corpus: Corpus, threads: int | None) -> Stats:
        stats = super()._stats(corpus, threads)
        self._refuse_none(int(stats.rows[:, 1].sum()))
        return stats

    def _refuse_none(self, wanted: int) -> None:
        if not wanted and not self._allow_none:
            raise EmptyCorpus(
                f"{self.name}: no segment has a term of the glossary; is it of another language, or are the sources of "
                "another text? allow_none=True (--terms-allow-none) goes on without a score"
            )


def consistency(uses: Iterable[TermUse]) -> float | None:
    """Tell how often a term that was found twice or more has its most frequent translation, from 0 to 100.

    None if no term with several translations was found twice.
    """
    several = [one for one in uses if one.found > 1 < len(one.targets)]
    found = sum(one.found for one in several)
    return 100 * sum(max(one.targets.values()) for one in several) / found if found else None


def _checked_digest(name: str, glossary: Glossary | None, digest: Any) -> str:
    """The hash of the glossary; that of a signature must be the same."""
    known = "" if isinstance(digest, str) and not digest else _read_digest(digest, [])["digest"]
    found = "refs" if glossary is None else glossary.digest()
    if known and glossary is not None and known != found:
        raise OptionError(f"{name}: the glossary has the hash {found}, the signature is of scores with {known}")
    return known or found


def _wrong_length(glossary: Glossary, size: int) -> LengthMismatch:
    there = number_of(len(glossary.segments or ()), "segment")
    return LengthMismatch(
        f"TERMS: hypotheses has {number_of(size, 'segment')}, and the glossary has terms of {there}; expected as many"
    )


@cache
def bases() -> list[tuple[int, int]]:
    """Letters with accents below U+2000, and the letters without them."""
    from unicodedata import combining, normalize

    parts = ((code, normalize("NFD", chr(code))) for code in range(0xC0, 0x2000))
    return [(code, ord(text[0])) for code, text in parts if len(text) > 1 and all(map(combining, text[1:]))]
