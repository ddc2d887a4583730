"""sacreBLEU's test sets."""

from typing import TYPE_CHECKING

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
__getattr__, __dir__ = attach(__name__, _HOMES)
