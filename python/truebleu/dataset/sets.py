"""Test sets to work with: sources, references, documents and outputs as lists of lines.

>>> demo = testset("demo", "en-de")
>>> len(demo), demo.references_used, list(demo.systems)
(240, ['ref:A', 'ref:B'], ['atlas', 'birch', 'cedar'])
>>> demo.source[1]
'The first regional express crossed at 5:42 a.m., eight minutes behind schedule.'
>>> news = demo.select(subset="news")
>>> len(news), news.signature_fields
(65, {'test': 'demo', 'lang': 'en-de', 'subset': 'news'})
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any, TypeVar

from truebleu._counts import number_of
from truebleu._inputs import brief, check_instance, check_text, check_texts, ordered, refuse_others
from truebleu._logs import warn
from truebleu._shown import did_you_mean, shown
from truebleu.dataset import registry, subsets
from truebleu.dataset.citations import citation
from truebleu.dataset.languages import two_letters
from truebleu.dataset.pair_text import PairText, pair_texts_of
from truebleu.dataset.registry import reference_field, reverse, split
from truebleu.errors import LengthMismatch, OptionError, UnknownField

if TYPE_CHECKING:
    from truebleu.metrics import Metric
    from truebleu.study.study import Study

M = TypeVar("M", bound="Metric[Any]")

References = str | Iterable[str]


def testset(
    names: str,
    pair: str,
    *,
    refs: References | None = None,
    origlang: str | None = None,
    subset: str | None = None,
) -> "TestSet":
    """Open a test set, or several one after the other; missing files are downloaded.

    Parameters
    ----------
    names
        The name of the set, or several with commas: `"wmt16,wmt17"`.
    pair
        The language pair, such as `"en-de"`.
    refs
        The references to use, by name (`["refA", "refB"]`), or `"all"`; by default those that scores are usually
        computed with. The signature shows a choice that is not the usual one.
    origlang
        Keep the documents written in this language only; see `TestSet.select`.
    subset
        Keep the documents about this subject only; see `TestSet.select`.
    """
    return TestSet(pair_texts_of(names, pair), refs).select(origlang=origlang, subset=subset)


def testsets(pair: str | None = None) -> dict[str, Sequence[str]]:
    """List the names of all test sets with their language pairs.

    If a set has every two of its languages, its pairs are made when they are needed.

    >>> testsets("en-liv")
    {'wmt22': ['en-liv', 'liv-en']}
    >>> testsets()["demo"]
    ['en-de', 'en-es', 'en-zh']

    Parameters
    ----------
    pair
        List only the sets that have this language pair, in either direction.
    """
    wanted = () if pair is None else (pair, reverse(pair))
    found: dict[str, Sequence[str]] = {}
    for definition in registry.definitions():
        pairs = definition.pairs
        if pair is None:
            found[definition.name] = pairs.names if isinstance(pairs, registry.PairsByRule) else list(pairs)
        elif there := [name for one in wanted for name in registry.named(one, pairs)]:
            is_rule = isinstance(pairs, registry.PairsByRule)
            found[definition.name] = there if is_rule else sorted(there, key=list(pairs).index)
    return found


def signature_fields(
    names: str, pair: str, refs: References | None = None, origlang: str | None = None, subset: str | None = None
) -> dict[str, str]:
    """Give the fields of a signature for a test set: `test`, `lang`, and `origlang`, `subset`, `refs` if they are
    chosen.

    Parameters
    ----------
    names
        The name of the set, or several with commas.
    pair
        The language pair.
    refs
        The references chosen, as in `testset`.
    origlang
        The original language chosen, if any.
    subset
        The subset chosen, if any.
    """
    check_text("pair", pair, "a language pair such as 'en-de'")
    subsets.check_selection(origlang, subset)
    chosen = None if refs is None else testset(names, pair, refs=refs).signature_fields.get("refs")
    return _shown(",".join(split(names)), pair, origlang, subset, chosen)


def _shown(name: str, pair: str, origlang: str | None, subset: str | None, references: str | None) -> dict[str, str]:
    fields = {"test": name, "lang": pair, "origlang": origlang, "subset": subset, "refs": references}
    return {key: value for key, value in fields.items() if value is not None}


class TestSet:
    """The segments of one language pair of a test set, or of several sets one after the other.

    Parameters
    ----------
    pair_texts
        The text of the pair in each set.
    refs
        The references to use, by name; None for those that scores are usually computed with.
    flags
        Which segments are selected; None for all.
    origlang
        The original language by which they were selected.
    subset
        The pattern by which they were selected.
    """

    # pytest would take every class called Test… for a test.
    __test__ = False

    def __init__(
        self,
        pair_texts: Sequence[PairText],
        refs: References | None = None,
        flags: list[bool] | None = None,
        origlang: str | None = None,
        subset: str | None = None,
    ) -> None:
        self._pair_texts = tuple(pair_texts)
        self._refs = None if refs is None else _labels(refs)
        self._flags = flags
        self._columns: dict[str, list[str]] = {}
        self._streams_read: dict[tuple[tuple[str, ...], ...], list[list[str]]] = {}
        self.origlang = origlang
        self.subset = subset
        self._used = [self._choice(pair_text, self._refs) for pair_text in self._pair_texts]

    @property
    def name(self) -> str:
        """The name, or the names with commas."""
        return ",".join(pair_text.definition.name for pair_text in self._pair_texts)

    @property
    def pair(self) -> str:
        """The language pair."""
        return self._pair_texts[0].pair.name

    @property
    def source_language(self) -> str:
        """The two-letter code of the source language, whatever code the set uses."""
        return two_letters(self.pair.partition("-")[0])

    @property
    def target_language(self) -> str:
        """The two-letter code of the language of the references, which metrics use, whatever code the set uses."""
        return two_letters(self.pair.split("-")[1])

    @property
    def version(self) -> str:
        """The version of the set, or the versions with commas."""
        return ",".join(pair_text.definition.version for pair_text in self._pair_texts)

    @property
    def description(self) -> str:
        """A description of the set in one sentence."""
        return "\n".join(pair_text.definition.description for pair_text in self._pair_texts)

    @property
    def citation(self) -> str | None:
        """The publications to cite, as BibTeX."""
        entries = [citation(pair_text.definition) for pair_text in self._pair_texts]
        return "\n\n".join(dict.fromkeys(entry for entry in entries if entry)) or None

    @property
    def fields(self) -> list[str]:
        """The names of all fields, in order; for several sets, the fields that all of them have."""
        return self._common([pair_text.fields for pair_text in self._pair_texts])

    def field(self, name: str) -> list[str]:
        """Read the lines of a field.

        Parameters
        ----------
        name
            One of `fields`: `src`, `ref:A`, `docid`, the name of a system, ...
        """
        if check_text("name", name, "the name of a field") not in self._columns:
            if name not in self.fields:
                near = did_you_mean(name, self.fields)
                fields = ", ".join(map(shown, self.fields))
                raise UnknownField(f"{self.name} {self.pair} has no field {shown(repr(name))}{near}, only {fields}")
            self._columns[name] = self._joined([name] * len(self._pair_texts))
        return list(self._columns[name])

    @property
    def source(self) -> list[str]:
        """The text to be translated."""
        return self.field("src")

    @property
    def references(self) -> list[list[str]]:
        """The reference streams that scores are computed with: the usual ones, or those chosen."""
        return self._streams(self._used)

    @property
    def references_used(self) -> list[str]:
        """The fields of `references`; for several sets, those of the first."""
        return list(self._used[0])

    def refs(self, names: References = "all") -> list[list[str]]:
        """Read reference streams, whichever references are selected.

        Parameters
        ----------
        names
            Their labels (`"A"`, `["A", "B"]`), or `"all"`.
        """
        chosen = _labels(names)
        return self._streams([self._choice(pair_text, chosen) for pair_text in self._pair_texts])

    @property
    def set_names(self) -> list[str]:
        """The name of the set that each segment comes from, where there are several."""
        names = [one.definition.name for one in self._pair_texts for _ in one.lines("src")]
        return names if self._flags is None else list(compress(names, self._flags))

    @property
    def documents(self) -> list[str]:
        """The document of each segment."""
        return self.field("docid")

    @property
    def domains(self) -> list[str]:
        """The domain of each segment."""
        return self.field("domain")

    @property
    def origlangs(self) -> list[str]:
        """The language each segment was written in."""
        return self.field("origlang")

    @property
    def unit(self) -> str:
        """The unit of a text: `"segment"`, or `"document"` if at least one of the sets has whole documents."""
        units = {pair_text.definition.unit for pair_text in self._pair_texts}
        return "document" if "document" in units else "segment"

    def paragraphs(self, name: str) -> list[list[str]]:
        """Split each text of a field into its paragraphs; in a set without paragraphs, each text is one paragraph.

        Parameters
        ----------
        name
            The name of the field: `src`, `ref:A`, ...
        """
        breaks = {pair_text.definition.paragraphs for pair_text in self._pair_texts}
        if len(breaks) > 1:
            raise OptionError(f"{self.name}: the sets separate paragraphs in different ways; open them one by one")
        (end,) = breaks
        return [text.split(end) if end else [text] for text in self.field(name)]

    def references_by_paragraph(self) -> tuple[list[list[str | None]], list[int]]:
        """Give the selected references by paragraph, and for each paragraph the index of its text in the set.

        If the references of a text differ in their number of paragraphs, the text is one paragraph.
        """
        fields = [self.paragraphs(field) for field in self.references_used]
        streams, places = [list[str | None]() for _ in fields], list[int]()
        for at, texts in enumerate(zip(*fields, strict=True)):
            is_alike = len({len(paragraphs) for paragraphs in texts}) == 1
            for stream, paragraphs in zip(streams, texts, strict=True):
                stream += paragraphs if is_alike else [" ".join(paragraphs)]
            places += [at] * (len(texts[0]) if is_alike else 1)
        return streams, places

    @property
    def genres(self) -> list[str]:
        """The genre of each segment."""
        return self.field("genre")

    @property
    def systems(self) -> Mapping[str, list[str]]:
        """The outputs of the systems that come with the set, read when they are used."""
        return Systems(self, self._common([pair_text.systems for pair_text in self._pair_texts]))

    def select(self, *, origlang: str | None = None, subset: str | None = None) -> "TestSet":
        """Keep the segments of some documents only.

        Parameters
        ----------
        origlang
            Keep documents written in this language (`"de"`), or in any other (`"non-de"`).
        subset
            Keep documents about a subject: a regular expression for the domain, or for the annotation (`US-politics`)
            of wmt18 and wmt19.
        """
        if origlang is None and subset is None:
            return self
        subsets.check_selection(origlang, subset)
        if (origlang and self.origlang) or (subset and self.subset):
            raise OptionError(f"{self.name} {self.pair} is already a selection by this; select from the whole set")
        flags = subsets.flags(self._pair_texts, origlang, subset)
        if self._flags is not None:
            flags = [one and other for one, other in zip(self._flags, flags, strict=True)]
        return TestSet(self._pair_texts, self._refs, flags, origlang or self.origlang, subset or self.subset)

    def cut(self, lines: Sequence[str]) -> list[str]:
        """Cut a system's output to the segments selected.

        Parameters
        ----------
        lines
            The output for the whole set, one text for each segment.
        """
        lines = check_texts("TestSet.cut", "lines", lines, "the output of a system")
        size = sum(len(pair_text.lines("src")) for pair_text in self._pair_texts)
        if len(lines) != size:
            raise LengthMismatch(
                f"{self.name} {self.pair} has {number_of(size, 'segment')}, the output has {len(lines)}"
            )
        return list(lines if self._flags is None else compress(lines, self._flags))

    def signed(self, metric: M) -> M:
        """Make a copy of a metric whose signatures name this set and the selected part of it.

        Parameters
        ----------
        metric
            The metric, which stays as it is.
        """
        from truebleu.metrics.base import Metric, with_about

        check_instance("TestSet.signed", "metric", metric, Metric, "a metric such as BLEU()")
        return with_about(metric, metric.about.of_set(self.signature_fields))

    def study(
        self,
        systems: Mapping[str, Iterable[str]] | Iterable[tuple[str, Iterable[str]]] | None = None,
        metrics: Any = None,
        **options: Any,
    ) -> "Study":
        """Make a study of systems on this set, with its sources and labels; signatures name the set.

        Parameters
        ----------
        systems
            The output of each system by name, for the selected segments; unless given, the systems that come with the
            set.
        metrics
            As `Study` takes them; BLEU, with the tokenizer of the language, and chrF unless given.
        options
            Further arguments of `Study`; they replace those that the set provides.
        """
        from truebleu.metrics import BLEU, CHRF, Metric
        from truebleu.significance.systems import named_metrics
        from truebleu.study.study import Study

        chosen = [BLEU(trg_lang=self.target_language), CHRF()] if metrics is None else metrics
        named = {
            key: self.signed(metric) if isinstance(metric, Metric) else metric
            for key, metric in named_metrics("TestSet.study", chosen, self.target_language).items()
        }
        sets = {name: self.field(name) for name in ("domain", "docid", "origlang") if name in self.fields}
        known = {
            "sources": self.source if "src" in self.fields else None,
            "labels": {name: labels for name, labels in sets.items() if len(set(labels)) > 1},
            "language": self.target_language,
            "title": f"{self.name} {self.pair}",
        }
        given = self.systems if systems is None else systems
        return Study(given, metrics=named, references=self.references, **{**known, **options})

    def groups(self) -> Iterator[subsets.Subset]:
        """The segments of the whole set by original language and subject, as `--detail` shows them."""
        return subsets.groups(self._pair_texts)

    @property
    def signature_fields(self) -> dict[str, str]:
        """The fields of a signature for the test set; `refs` only if it is not the usual choice."""
        return _shown(self.name, self.pair, self.origlang, self.subset, self._choice_shown())

    def __len__(self) -> int:
        return len(self.source)

    def __repr__(self) -> str:
        return (
            f"<test set {self.name} {self.pair}: {number_of(len(self), 'segment')}, "
            f"{number_of(len(self._used[0]), 'reference')}>"
        )

    def _joined(self, fields: Sequence[str]) -> list[str]:
        """A column of each set, one after the other, cut to the segments selected."""
        lines: list[str] = []
        for pair_text, field in zip(self._pair_texts, fields, strict=True):
            column = pair_text.lines(field)
            # A column that is neither cut nor joined may have any length: metrics compare lengths themselves.
            alone = self._flags is None and len(self._pair_texts) == 1
            if not alone and len(column) != (size := len(pair_text.lines("src"))):
                raise LengthMismatch(
                    f"{pair_text.name}: the field {field!r} has {number_of(len(column), 'line')}, "
                    f"the source has {size}, so it can be neither cut nor joined with others"
                )
            lines += column
        return lines if self._flags is None else list(compress(lines, self._flags))

    def _streams(self, chosen: list[list[str]]) -> list[list[str]]:
        key = tuple(map(tuple, chosen))
        if key in self._streams_read:
            return [list(stream) for stream in self._streams_read[key]]
        if len({len(fields) for fields in chosen}) > 1:
            counts = ", ".join(
                f"{pair_text.definition.name} has {len(fields)}"
                for pair_text, fields in zip(self._pair_texts, chosen, strict=True)
            )
            raise OptionError(
                f"{self.name} {self.pair}: the sets have different numbers of references ({counts}); choose with refs"
            )
        streams = [self._joined(fields) for fields in zip(*chosen, strict=True)]
        blank = sum(not any(texts) for texts in zip(*streams, strict=False))
        if blank:
            have = number_of(blank, "segment has", "segments have")
            warn("%s %s: %s no text in the references chosen", self.name, self.pair, have)
        self._streams_read[key] = streams
        return [list(stream) for stream in streams]

    def _choice(self, pair_text: PairText, refs: str | list[str] | None) -> list[str]:
        there = pair_text.references
        if refs is None:
            return pair_text.usual_references()
        if refs == "all":
            return there
        labels = refs if isinstance(refs, list) else split(refs) if refs.strip() else []
        names = [reference_field(name) for name in labels]
        for name in names:
            if name not in there:
                raise UnknownField(
                    f"{pair_text.name} has no reference {shown(brief(name.removeprefix('ref:')))}, "
                    f"only {', '.join(field.removeprefix('ref:') for field in there)}"
                )
        if not names or len(set(names)) < len(names):
            raise OptionError(f"refs={brief(refs)} should name references, each once")
        return names

    def _choice_shown(self) -> str | None:
        if self._refs is None or self._used == [pair_text.usual_there for pair_text in self._pair_texts]:
            return None
        if any(fields != self._used[0] for fields in self._used):
            return "all"
        return ",".join(field.removeprefix("ref:") for field in self._used[0])

    @staticmethod
    def _common(lists: list[list[str]]) -> list[str]:
        return [name for name in lists[0] if all(name in others for others in lists[1:])]


def _labels(refs: References) -> str | list[str]:
    if isinstance(refs, str):
        return refs
    labels = list(ordered("TestSet", "refs", refs, "labels of references, or 'all'"))
    refuse_others("TestSet", "refs", labels)
    return labels


class Systems(Mapping[str, list[str]]):
    """The outputs of a test set's systems by name."""

    def __init__(self, of: TestSet, names: list[str]) -> None:
        self._of = of
        self._names = names

    def __getitem__(self, name: str) -> list[str]:
        if name not in self._names:
            near, known = did_you_mean(name, self._names), ", ".join(map(shown, self._names)) or "none"
            raise UnknownField(f"{self._of.name} {self._of.pair} has no system {shown(repr(name))}{near}, only {known}")
        return self._of.field(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<systems {', '.join(self._names)}>"
