"""sacreBLEU's functions on test sets, and `truebleu.DATASETS`. `truebleu.utils` and the face offer them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Any, TypeGuard

from truebleu._counts import number_of
from truebleu._inputs import check_text, ordered
from truebleu.dataset import registry, subsets
from truebleu.dataset.pair_text import pair_texts_of
from truebleu.dataset.registry import PairsByRule
from truebleu.dataset.sets import testsets
from truebleu.errors import FilterUnavailable, LengthMismatch, UnknownTestSet
from truebleu.sacrebleu.dataset.base import Dataset, chosen

__all__ = [
    "DATASETS", "Dataset", "download_test_set", "filter_subset", "get_available_origlangs",
    "get_available_subsets", "get_available_testsets", "get_available_testsets_for_langpair", "get_files",
    "get_langpairs_for_testset", "get_reference_files", "get_source_file",
]  # fmt: skip


class Datasets(Mapping[str, Dataset]):
    """All test sets by name, in definition order. A view: sets added later are seen."""

    def __getitem__(self, name: str) -> Dataset:
        return Dataset._known(name)

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
    test_set, langpair
        As in `get_source_file`.
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
    return [path for pair in chosen(langpair, dataset.langpairs) for path in dataset.get_files(pair)]


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
