"""sacreBLEU's test sets."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from truebleu._lazy import attach

if TYPE_CHECKING:
    from truebleu.sacrebleu.dataset._table import DATASETS as DATASETS

_HERE = "truebleu.sacrebleu.dataset"
_HOMES = {
    "COUNTRIES": "truebleu.dataset.subsets",
    "DATASETS": f"{_HERE}._table",
    "DOMAINS": "truebleu.dataset.subsets",
    "FakeSGMLDataset": f"{_HERE}.fake_sgml",
    "IWSLTXMLDataset": f"{_HERE}.iwslt_xml",
    "PlainTextDataset": f"{_HERE}.plain_text",
    "SUBSETS": "truebleu.dataset.subsets",
    "TSVDataset": f"{_HERE}.tsv",
    "WMTAdditionDataset": f"{_HERE}.fake_sgml",
    "WMTXMLDataset": f"{_HERE}.wmt_xml",
}
__all__ = list(_HOMES)
_MODULES = ("base", "fake_sgml", "iwslt_xml", "plain_text", "tsv", "wmt_xml")
_get, __dir__ = attach(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    # In sacreBLEU the modules are attributes too, without an import of their own.
    return import_module(f"{_HERE}.{name}") if name in _MODULES else _get(name)
