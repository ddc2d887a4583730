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

from truebleu._logs import warn
from truebleu.dataset import registry, subsets
from truebleu.dataset.citations import citation
from truebleu.dataset.pair_text import Material
from truebleu.dataset.registry import reference_field, reverse, split
from truebleu.errors import FilterUnavailable, LengthMismatch, OptionError, UnknownField

References = str | Iterable[str]


def testset(
    names: str,
    pair: str,
    *,
    refs: References | None = None,
    origlang: str | None = None,
    subset: str | None = None,
) -> "TestSet":
    """A test set, or several one after the other (`"wmt16,wmt17"`), fetched and read when first used.

    `refs` chooses references by name (`["refA", "refB"]`, or `"all"`) instead of those that scores are usually computed
    with; the signature shows a choice that is not the usual one. `origlang` and `subset` are as in `TestSet.select`.
    """
    found = [registry.definition(name) for name in split(names)]
    pairs = [definition.pair(pair) for definition in found]
    materials = [Material(definition, one) for definition, one in zip(found, pairs, strict=True)]
    return TestSet(materials, refs).select(origlang=origlang, subset=subset)


def testsets(pair: str | None = None) -> dict[str, list[str]]:
    """The names of all test sets with their language pairs, or of those that have the pair.

    >>> testsets("en-liv")
    {'wmt22': ['en-liv', 'liv-en']}
    >>> testsets()["demo"]
    ['en-de', 'en-es', 'en-zh']
    """
    wanted = None if pair is None else {pair, reverse(pair)}
    found = {}
    for definition in registry.definitions():
        pairs = [name for name in definition.pairs if wanted is None or name in wanted]
        if pairs:
            found[definition.name] = pairs
    return found


def signature_fields(
    names: str, pair: str, refs: References | None = None, origlang: str | None = None, subset: str | None = None
) -> dict[str, str]:
    """What a signature says about a test set: `test`, `lang`, and `origlang`, `subset`, `refs` where chosen."""
    chosen = None
    if refs is not None:
        chosen = testset(names, pair, refs=refs).signature_fields.get("refs")
    name = ",".join(split(names))
    fields = {"test": name, "lang": pair, "origlang": origlang, "subset": subset, "refs": chosen}
    return {key: value for key, value in fields.items() if value is not None}


class TestSet:
    """The segments of one language pair of a test set, or of several sets one after the other."""

    # For pytest, which takes every class called Test… for a test.
    __test__ = False

    def __init__(
        self,
        materials: Sequence[Material],
        refs: References | None = None,
        flags: list[bool] | None = None,
        origlang: str | None = None,
        subset: str | None = None,
    ) -> None:
        self._materials = tuple(materials)
        self._refs = refs if refs is None or isinstance(refs, str) else list(refs)
        self._flags = flags
        self._columns: dict[str, list[str]] = {}
        self._streams_read: dict[tuple[tuple[str, ...], ...], list[list[str]]] = {}
        self.origlang = origlang
        self.subset = subset
        self._used = [self._choice(material, self._refs) for material in self._materials]

    @property
    def name(self) -> str:
        """The name, or the names with commas."""
        return ",".join(material.definition.name for material in self._materials)

    @property
    def pair(self) -> str:
        """The language pair."""
        return self._materials[0].pair.name

    @property
    def source_language(self) -> str:
        """The language of the source."""
        return self.pair.partition("-")[0]

    @property
    def target_language(self) -> str:
        """The language of the references."""
        return self.pair.split("-")[1]

    @property
    def description(self) -> str:
        """What the set is, in a sentence."""
        return "\n".join(material.definition.description for material in self._materials)

    @property
    def citation(self) -> str | None:
        """Whom to cite, as BibTeX."""
        entries = [citation(material.definition) for material in self._materials]
        return "\n\n".join(dict.fromkeys(entry for entry in entries if entry)) or None

    @property
    def fields(self) -> list[str]:
        """The names of all fields, in order; of several sets, those that all of them have."""
        return self._common([material.fields for material in self._materials])

    def field(self, name: str) -> list[str]:
        """The lines of a field: `src`, `ref:A`, `docid`, a system, ..."""
        if name not in self._columns:
            if name not in self.fields:
                raise UnknownField(f"{self.name} {self.pair} has no field {name!r}, only {', '.join(self.fields)}")
            self._columns[name] = self._joined([name] * len(self._materials))
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
        """The fields of `references`; of the first set, where there are several."""
        return list(self._used[0])

    def refs(self, names: References = "all") -> list[list[str]]:
        """The reference streams of these names (`"A"`, `["A", "B"]`), or all there are."""
        chosen = names if isinstance(names, str) else list(names)
        return self._streams([self._choice(material, chosen) for material in self._materials])

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
    def genres(self) -> list[str]:
        """The genre of each segment."""
        return self.field("genre")

    @property
    def systems(self) -> Mapping[str, list[str]]:
        """The outputs of the systems that come with the set, read when asked for."""
        return Systems(self, self._common([material.systems for material in self._materials]))

    def select(self, *, origlang: str | None = None, subset: str | None = None) -> "TestSet":
        """The segments of documents written in a language (`"de"`, or `"non-de"` for all others) or about a subject.

        `subset` is a regular expression for the domain, or for the annotation (`US-politics`) of wmt18 and wmt19.
        """
        if origlang is None and subset is None:
            return self
        if (origlang and self.origlang) or (subset and self.subset):
            raise OptionError(f"{self.name} {self.pair} is selected by this already; select from the whole set")
        flags = subsets.flags(self._materials, origlang, subset)
        if self._flags is not None:
            flags = [one and other for one, other in zip(self._flags, flags, strict=True)]
        return TestSet(self._materials, self._refs, flags, origlang or self.origlang, subset or self.subset)

    def cut(self, lines: Sequence[str]) -> list[str]:
        """A system's output for the whole set, cut to the segments selected."""
        size = sum(len(material.lines("src")) for material in self._materials)
        if len(lines) != size:
            raise LengthMismatch(f"{self.name} {self.pair} has {size} segments, the output has {len(lines)}")
        return list(lines if self._flags is None else compress(lines, self._flags))

    def groups(self) -> Iterator[subsets.Group]:
        """The segments of the whole set by original language and subject, as `--detail` shows them."""
        return subsets.groups(self._materials)

    @property
    def signature_fields(self) -> dict[str, str]:
        """What a signature says about the test set; `refs` only where it is not the usual choice."""
        fields = {
            "test": self.name,
            "lang": self.pair,
            "origlang": self.origlang,
            "subset": self.subset,
            "refs": self._choice_shown(),
        }
        return {key: value for key, value in fields.items() if value is not None}

    def __len__(self) -> int:
        return len(self.source)

    def __repr__(self) -> str:
        return f"<test set {self.name} {self.pair}: {len(self)} segments, {len(self._used[0])} references>"

    def _joined(self, fields: Sequence[str]) -> list[str]:
        """A column of each set, one after the other, cut to the segments selected."""
        lines: list[str] = []
        for material, field in zip(self._materials, fields, strict=True):
            column = material.lines(field)
            # On its own and whole, a column is what it is: metrics compare lengths.
            if self._flags is not None or len(self._materials) > 1:
                self._check_length(material, field, column)
            lines += column
        return lines if self._flags is None else list(compress(lines, self._flags))

    @staticmethod
    def _check_length(material: Material, field: str, column: list[str]) -> None:
        size = len(material.lines("src"))
        if len(column) != size:
            raise LengthMismatch(
                f"{material.definition.name} {material.pair.name}: the field {field!r} has {len(column)} lines, "
                f"the source has {size}; it can be neither cut nor joined with others"
            )

    def _streams(self, chosen: list[list[str]]) -> list[list[str]]:
        key = tuple(map(tuple, chosen))
        if key not in self._streams_read:
            self._streams_read[key] = self._read_streams(chosen)
        return [list(stream) for stream in self._streams_read[key]]

    def _read_streams(self, chosen: list[list[str]]) -> list[list[str]]:
        if len({len(fields) for fields in chosen}) > 1:
            counts = ", ".join(
                f"{material.definition.name} has {len(fields)}"
                for material, fields in zip(self._materials, chosen, strict=True)
            )
            raise OptionError(
                f"{self.name} {self.pair}: the sets do not have equally many references ({counts}); choose with refs"
            )
        streams = [self._joined(fields) for fields in zip(*chosen, strict=True)]
        blank = sum(not any(texts) for texts in zip(*streams, strict=False))
        if blank:
            warn("%s %s: %d segments have no text in the references chosen", self.name, self.pair, blank)
        return streams

    def _choice(self, material: Material, refs: str | list[str] | None) -> list[str]:
        there = material.references
        if refs is None:
            return usual_references(material)
        if refs == "all":
            return there
        names = [reference_field(name) for name in (split(refs) if isinstance(refs, str) else refs)]
        for name in names:
            if name not in there:
                raise UnknownField(
                    f"{material.definition.name} {material.pair.name} has no reference {name.removeprefix('ref:')!r}, "
                    f"only {', '.join(field.removeprefix('ref:') for field in there)}"
                )
        if not names or len(set(names)) < len(names):
            raise OptionError(f"refs={refs!r} should name references, each once")
        return names

    def _choice_shown(self) -> str | None:
        if self._refs is None or self._used == [_usual_there(material) for material in self._materials]:
            return None
        if any(fields != self._used[0] for fields in self._used):
            return "all"
        return ",".join(field.removeprefix("ref:") for field in self._used[0])

    @staticmethod
    def _common(lists: list[list[str]]) -> list[str]:
        return [name for name in lists[0] if all(name in others for others in lists[1:])]


class Systems(Mapping[str, list[str]]):
    """The outputs of a test set's systems by name."""

    def __init__(self, of: TestSet, names: list[str]) -> None:
        self._of = of
        self._names = names

    def __getitem__(self, name: str) -> list[str]:
        if name not in self._names:
            raise UnknownField(f"{self._of.name} {self._of.pair} has no system {name!r}, only {', '.join(self._names)}")
        return self._of.field(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<systems {', '.join(self._names)}>"


def usual_references(material: Material) -> list[str]:
    """The references that scores are computed with; as in sacreBLEU, without labels that the file does not have."""
    there = material.references
    usual = _usual_there(material)
    if not usual:
        wanted = ", ".join(material.pair.default_refs or ())
        raise UnknownField(
            f"{material.definition.name} {material.pair.name} has none of its usual references ({wanted}), "
            f"only {', '.join(there)}; choose with refs"
        )
    return usual


def _usual_there(material: Material) -> list[str]:
    there = material.references
    wanted = material.pair.default_refs
    return there if wanted is None else [field for field in wanted if field in there]


def origlangs_of(names: str, pair: str) -> list[str]:
    """The original languages of a set's segments."""
    return subsets.origlangs(_materials(names, pair))


def subsets_of(names: str, pair: str) -> list[str]:
    """The subsets of a set that have a name."""
    return subsets.subsets(_materials(names, pair))


def flags_of(names: str | None, pair: str | None, origlang: str | None, subset: str | None) -> list[bool]:
    """Which segments of a set are selected."""
    if not names or not pair:
        raise FilterUnavailable("selecting by origlang or subset needs a test set and a language pair")
    return subsets.flags(_materials(names, pair), origlang, subset)


def _materials(names: str, pair: str) -> list[Material]:
    definitions = [registry.definition(name) for name in split(names)]
    return [Material(definition, definition.pair(pair)) for definition in definitions]
