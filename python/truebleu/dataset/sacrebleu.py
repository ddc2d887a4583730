"""sacreBLEU's view of test sets: objects and functions that give the paths of files.

The names, arguments and results are sacreBLEU's; `testset` is the better way for new code. Processed files
lie in a folder of their own for each pair, not directly in the set's.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Any, TypeGuard

from truebleu import store
from truebleu._counts import number_of
from truebleu._inputs import check_text, ordered
from truebleu.dataset import registry, subsets
from truebleu.dataset.citations import citation
from truebleu.dataset.pair_text import PairText, fields_of, pair_texts_of
from truebleu.dataset.registry import Definition, Pair, PairsByRule
from truebleu.dataset.sets import testsets
from truebleu.errors import FilterUnavailable, LengthMismatch, OptionError, UnknownTestSet

__all__ = [
    "DATASETS", "Dataset", "download_test_set", "filter_subset", "get_available_origlangs",
    "get_available_subsets", "get_available_testsets", "get_available_testsets_for_langpair", "get_files",
    "get_langpairs_for_testset", "get_reference_files", "get_source_file",
]  # fmt: skip


class Dataset:
    """A test set as sacreBLEU shows it.

    Parameters
    ----------
    definition
        What the registry says about the set.
    """

    def __init__(self, definition: Definition) -> None:
        self._definition = definition
        self.name = definition.name
        self.description = definition.description
        self.citation = citation(definition)
        self.data = [str(file.url or file.path) for file in definition.files]
        self.md5 = [file.md5 for file in definition.files]
        self.langpairs: Mapping[str, Any] = definition.pairs
        if not isinstance(definition.pairs, PairsByRule):
            self.langpairs = {pair.name: _members(definition, pair) for pair in definition.pairs.values()}
        common = _common_labels(definition)
        self.kwargs: dict[str, Any] = {} if common is None else {"refs": common}

    def maybe_download(self) -> None:
        """Fetch and verify everything the set is made of."""
        for file in registry.remote_files(self.name):
            store.fetch(file)

    def process_to_text(self, langpair: str | None = None) -> None:
        """Make the text files of a pair, or of all.

        Parameters
        ----------
        langpair
            The language pair; by default all there are.
        """
        for name in _chosen(langpair, self.langpairs):
            self._pair_text(name)

    def fieldnames(self, langpair: str) -> list[str]:
        """The names of the fields of a pair.

        Parameters
        ----------
        langpair
            The language pair, such as `en-de`.
        """
        return fields_of(self._definition, self._definition.pair(langpair))

    def get_files(self, langpair: str) -> list[str]:
        """The paths of the text files of a pair, in the order of the fields.

        Parameters
        ----------
        langpair
            The language pair, such as `en-de`.
        """
        pair_text = self._pair_text(langpair)
        return [str(pair_text.path(field)) for field in pair_text.fields]

    def get_source_file(self, langpair: str) -> str:
        """The path of the source.

        Parameters
        ----------
        langpair
            The language pair, such as `en-de`.
        """
        return str(self._pair_text(langpair).path("src"))

    def get_reference_files(self, langpair: str) -> list[str]:
        """The paths of the references that scores are computed with.

        Parameters
        ----------
        langpair
            The language pair, such as `en-de`.
        """
        pair_text = self._pair_text(langpair)
        return [str(pair_text.path(field)) for field in pair_text.usual_references()]

    def source(self, langpair: str) -> Iterator[str]:
        """The lines of the source, stripped.

        Parameters
        ----------
        langpair
            The language pair, such as `en-de`.
        """
        return (line.strip() for line in self._pair_text(langpair).lines("src"))

    def references(self, langpair: str) -> Iterator[tuple[str, ...]]:
        """The references of each segment, with their line feeds as in sacreBLEU.

        Parameters
        ----------
        langpair
            The language pair, such as `en-de`.
        """
        pair_text = self._pair_text(langpair)
        columns = [pair_text.lines(field) for field in pair_text.usual_references()]
        return (tuple(f"{line}\n" for line in row) for row in zip(*columns, strict=False))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def _pair_text(self, langpair: str) -> PairText:
        return PairText(self._definition, self._definition.pair(langpair))


class Datasets(Mapping[str, Dataset]):
    """All test sets by name, in definition order. A view: sets added later are seen."""

    def __getitem__(self, name: str) -> Dataset:
        return Dataset(registry.definition(name))

    def __contains__(self, name: object) -> bool:
        return name in registry.names()

    def __iter__(self) -> Iterator[str]:
        return iter(registry.names())

    def __len__(self) -> int:
        return len(registry.names())


DATASETS = Datasets()


def get_files(test_set: str, langpair: str) -> list[str]:
    """The paths of the text files of a pair, in the order of the fields."""
    return DATASETS[test_set].get_files(langpair)


def get_source_file(test_set: str, langpair: str) -> str:
    """The path of the source of a pair.

    Parameters
    ----------
    test_set
        The name of the test set.
    langpair
        The language pair, such as `en-de`.
    """
    return DATASETS[test_set].get_source_file(langpair)


def get_reference_files(test_set: str, langpair: str) -> list[str]:
    """The paths of the references of a pair that scores are computed with.

    Parameters
    ----------
    test_set
        The name of the test set.
    langpair
        The language pair, such as `en-de`.
    """
    return DATASETS[test_set].get_reference_files(langpair)


def download_test_set(test_set: str, langpair: str | None = None) -> list[str]:
    """Fetch a pair and give the paths of its text files; without a pair, those of all.

    Parameters
    ----------
    test_set
        The name of the test set.
    langpair
        The language pair; by default all there are.
    """
    dataset = DATASETS[test_set]
    return [path for pair in _chosen(langpair, dataset.langpairs) for path in dataset.get_files(pair)]


def get_available_testsets() -> list[str]:
    """The names of all test sets, in descending order."""
    return sorted(registry.names(), reverse=True)


def get_available_testsets_for_langpair(langpair: str) -> list[str]:
    """The names of the test sets that have a pair, in either direction."""
    return list(testsets(langpair))


def get_langpairs_for_testset(testset: str) -> Sequence[str]:
    """The pairs of a test set; none if there is no such set.

    Parameters
    ----------
    testset
        The name of the test set.
    """
    check_text("testset", testset, "the name of a test set")
    try:
        pairs = registry.definition(testset).pairs
        return pairs.names if isinstance(pairs, PairsByRule) else list(pairs)
    except UnknownTestSet:
        return []


def get_available_origlangs(test_sets: str | None, langpair: str) -> list[str]:
    """The original languages of the documents of test sets, sorted."""
    return subsets.origlangs(pair_texts_of(test_sets, langpair)) if _are_named(test_sets, langpair) else []


def get_available_subsets(test_sets: str | None, langpair: str) -> list[str]:
    """The countries and domains that the documents of test sets are about, sorted."""
    return subsets.subsets(pair_texts_of(test_sets, langpair)) if _are_named(test_sets, langpair) else []


def filter_subset(
    systems: Iterable[Sequence[str]],
    test_sets: str | None,
    langpair: str | None,
    origlang: str | None,
    subset: str | None = None,
) -> Any:
    """The systems, cut to the segments that are selected; all must have the length of the test set."""
    if origlang is None and subset is None:
        return systems
    if not _are_named(test_sets, langpair) or langpair is None:
        raise FilterUnavailable("selecting by origlang or subset needs a test set and a language pair")
    kept = subsets.flags(pair_texts_of(test_sets, langpair), origlang, subset)
    cut = []
    for number, system in enumerate(ordered("filter_subset", "systems", systems, "the segments of each system")):
        system = ordered("filter_subset", f"systems[{number}]", system, "a list of segments")
        if len(system) != len(kept):
            raise LengthMismatch(
                f"stream {number} has {number_of(len(system), 'segment')}, {test_sets} {langpair} has {len(kept)}; "
                "lengths are compared before segments are selected"
            )
        cut.append(list(compress(system, kept)))
    return cut


def _are_named(test_sets: str | None, langpair: str | None) -> TypeGuard[str]:
    if langpair is not None:
        check_text("langpair", langpair, "a language pair such as 'en-de'")
    return test_sets is not None and check_text("test_sets", test_sets, "the names of test sets") != ""


def _chosen(langpair: str | None, there: Iterable[str]) -> list[str]:
    """The pair that is asked for, or all."""
    chosen = "" if langpair is None else check_text("langpair", langpair, "a language pair such as 'en-de'")
    if not chosen and isinstance(there, PairsByRule):
        raise OptionError(f"no language pair is named, and the set has {len(there)}: name one (langpair, or -l)")
    return [chosen] if chosen else list(there)


def _members(definition: Definition, pair: Pair) -> Any:
    """A list of members, or for pairs with references of their own a mapping, as in sacreBLEU."""
    common = _common_labels(definition)
    labels = _labels(pair)
    if common is not None and labels != common:
        return {"path": pair.members[0], "refs": labels}
    return list(pair.members)


def _common_labels(definition: Definition) -> list[str] | None:
    """The labels of the references of most pairs, for WMT's XML."""
    if definition.format != "wmt-xml":
        return None
    labels = [_labels(pair) for pair in definition.pairs.values()]
    return max(labels, key=lambda one: labels.count(one))


def _labels(pair: Pair) -> list[str] | None:
    if pair.default_refs is None:
        return None
    return ["" if field == "ref" else field.removeprefix("ref:") for field in pair.default_refs]
