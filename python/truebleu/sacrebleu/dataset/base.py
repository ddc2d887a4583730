"""A test set as sacreBLEU's programs see it. The work is done by `truebleu.dataset`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from truebleu.dataset import registry
from truebleu.dataset import sacrebleu as ours
from truebleu.sacrebleu.utils import SACREBLEU_DIR, download_file, smart_open

__all__ = ["SACREBLEU_DIR", "Dataset", "download_file", "smart_open"]


class Dataset:
    """A test set, known by its name.

    Parameters
    ----------
    name
        The name. Text comes from the set that truebleu knows under it; `truebleu data add` adds one.
    data
        The addresses of its files.
    description
        What it is.
    citation
        Whom to cite for it.
    md5
        The checksums of its files.
    langpairs
        The members of archives by language pair.
    kwargs
        What else is known of it.
    """

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
        """Make the text files of a pair, or of all.

        Parameters
        ----------
        langpair
            The language pair; by default all there are.
        """
        self._ours().process_to_text(langpair)

    def fieldnames(self, langpair: str) -> list[str]:
        """The names of the fields of a pair.

        Parameters
        ----------
        langpair
            The language pair, such as `en-de`.
        """
        return self._ours().fieldnames(langpair)

    def get_files(self, langpair: str) -> list[str]:
        """The paths of the text files of a pair, in the order of the fields.

        Parameters
        ----------
        langpair
            The language pair, such as `en-de`.
        """
        return self._ours().get_files(langpair)

    def get_source_file(self, langpair: str) -> str:
        """The path of the source.

        Parameters
        ----------
        langpair
            The language pair, such as `en-de`.
        """
        return self._ours().get_source_file(langpair)

    def get_reference_files(self, langpair: str) -> list[str]:
        """The paths of the references that scores are computed with.

        Parameters
        ----------
        langpair
            The language pair, such as `en-de`.
        """
        return self._ours().get_reference_files(langpair)

    def source(self, langpair: str) -> Iterator[str]:
        """The lines of the source, stripped.

        Parameters
        ----------
        langpair
            The language pair, such as `en-de`.
        """
        return self._ours().source(langpair)

    def references(self, langpair: str) -> Iterator[tuple[str, ...]]:
        """The references of each segment.

        Parameters
        ----------
        langpair
            The language pair, such as `en-de`.
        """
        return self._ours().references(langpair)

    def _ours(self) -> ours.Dataset:
        return ours.Dataset(registry.definition(self.name))
