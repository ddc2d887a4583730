"""All test sets by name, in a dict as sacreBLEU has it. Made when it is first asked for."""

from truebleu.dataset import registry
from truebleu.sacrebleu.dataset.base import Dataset
from truebleu.sacrebleu.dataset.fake_sgml import FakeSGMLDataset, WMTAdditionDataset
from truebleu.sacrebleu.dataset.iwslt_xml import IWSLTXMLDataset
from truebleu.sacrebleu.dataset.plain_text import PlainTextDataset
from truebleu.sacrebleu.dataset.tsv import TSVDataset
from truebleu.sacrebleu.dataset.wmt_xml import WMTXMLDataset

_BY_FORMAT: dict[str, type[Dataset]] = {
    "fake-sgml": FakeSGMLDataset,
    "sgml-plus-text": WMTAdditionDataset,
    "iwslt-xml": IWSLTXMLDataset,
    "plain-text": PlainTextDataset,
    "tsv": TSVDataset,
    "wmt-xml": WMTXMLDataset,
}


# Those that sacreBLEU has, and those that the user added.
DATASETS = {
    name: _BY_FORMAT.get(registry.definition(name).format, Dataset)._known(name)
    for name in registry.names()
    if not registry.definition(name).extra
}
