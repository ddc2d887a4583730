"""Test sets in IWSLT's XML."""

from truebleu.sacrebleu.dataset.fake_sgml import FakeSGMLDataset

__all__ = ["FakeSGMLDataset", "IWSLTXMLDataset"]


class IWSLTXMLDataset(FakeSGMLDataset):
    """A test set in IWSLT's XML."""
