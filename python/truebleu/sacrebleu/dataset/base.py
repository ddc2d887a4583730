"""A test set as sacreBLEU's programs see it: an object that gives the paths of files.

The names, arguments and results are sacreBLEU's; `truebleu.testset` is the better way for new code. Processed files lie
in a folder of their own for each pair, not directly in the set's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

from truebleu import store
from truebleu._inputs import check_text
from truebleu.dataset import registry
from truebleu.dataset.citations import citation as citation_of
from truebleu.dataset.pair_text import PairText, fields_of
from truebleu.dataset.registry import Definition, Pair, PairsByRule
from truebleu.errors import OptionError
from truebleu.sacrebleu.utils import SACREBLEU_DIR, download_file, smart_open

__all__ = ["SACREBLEU_DIR", "Dataset", "download_file", "smart_open"]


class Dataset:
    """A test set, known by its name.

    Parameters
    ----------
    name
        The name by which the registry knows the set: its texts are those.
    data
        The addresses of its files.
    description
        What it is.
    citation
        Whom to cite for it, in BibTeX.
    md5
        The checksums of its files.
    langpairs
        What each language pair is made of.
    **kwargs
        More that sacreBLEU's sets have, such as the labels of references.
    """

    def __init__(
        self,
        name: str,
        data: list[str] | None = None,
        description: str | None = None,
        citation: str | None = None,
        md5: Sequence[str | None] | None = None,
        langpairs: Any = None,
        **kwargs: Any,
    ) -> None:
        self.name, self.data, self.description, self.citation = name, data, description, citation
        self.md5, self.langpairs, self.kwargs = md5, langpairs or {}, kwargs

    @classmethod
    def _known(cls, name: str) -> Self:
        """The set that the registry knows by a name."""
        definition = registry.definition(name)
        common = _common_labels(definition)
        pairs: Any = definition.pairs
        if not isinstance(pairs, PairsByRule):
            pairs = {pair.name: _members(pair, common) for pair in pairs.values()}
        return cls(
            definition.name,
            [str(file.url or file.path) for file in definition.files],
            definition.description,
            citation_of(definition),
            [file.md5 for file in definition.files],
            pairs,
            **({} if common is None else {"refs": common}),
        )

    @property
    def _definition(self) -> Definition:
        return registry.definition(self.name)

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
        for name in chosen(langpair, self.langpairs or self._definition.pairs):
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


def chosen(langpair: str | None, there: Iterable[str]) -> list[str]:
    """Give the pair that is asked for, or all."""
    name = "" if langpair is None else check_text("langpair", langpair, "a language pair such as 'en-de'")
    if not name and isinstance(there, PairsByRule):
        raise OptionError(f"no language pair is named, and the set has {len(there)}: name one (langpair, or -l)")
    return [name] if name else list(there)


def _members(pair: Pair, common: list[str] | None) -> Any:
    """A list of members, or for pairs with references of their own a mapping, as in sacreBLEU."""
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
