"""A test set as sacreBLEU's programs see it. The work is done by `truebleu.dataset`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from truebleu.dataset import registry
from truebleu.dataset import sacrebleu as ours
from truebleu.sacrebleu.utils import SACREBLEU_DIR, download_file, smart_open

__all__ = ["SACREBLEU_DIR", "Dataset", "download_file", "smart_open"]


class Dataset:
    """A test set, known by its name."""

    def __init__(
        self,
        name: str,
        data: list[str] | None = None,
        description: str | None = None,
        citation: str | None = None,
        md5: list[str] | None = None,
        langpairs: Any = None,
        **kwargs: Any,
    ) -> None:
        self.name, self.data, self.description, self.citation = name, data, description, citation
        self.md5, self.langpairs, self.kwargs = md5, langpairs or {}, kwargs

    def maybe_download(self) -> None:
        """Fetch and verify everything the set is made of."""
        self._ours().maybe_download()

    def process_to_text(self, langpair: str | None = None) -> None:
        """Make the text files of a pair, or of all."""
        self._ours().process_to_text(langpair)

    def fieldnames(self, langpair: str) -> list[str]:
        """The names of the fields of a pair."""
        return self._ours().fieldnames(langpair)

    def get_files(self, langpair: str) -> list[str]:
        """The paths of the text files of a pair, in the order of the fields."""
        return self._ours().get_files(langpair)

    def get_source_file(self, langpair: str) -> str:
        """The path of the source."""
        return self._ours().get_source_file(langpair)

    def get_reference_files(self, langpair: str) -> list[str]:
        """The paths of the references that scores are computed with."""
        return self._ours().get_reference_files(langpair)

    def source(self, langpair: str) -> Iterator[str]:
        """The lines of the source, stripped."""
        return self._ours().source(langpair)

    def references(self, langpair: str) -> Iterator[tuple[str, ...]]:
        """The references of each segment."""
        return self._ours().references(langpair)

    def _ours(self) -> ours.Dataset:
        return ours.Dataset(registry.definition(self.name))
