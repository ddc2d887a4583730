"""Test sets in SGML."""

from truebleu.sacrebleu.dataset.base import Dataset, smart_open

__all__ = ["Dataset", "FakeSGMLDataset", "WMTAdditionDataset", "smart_open"]


class FakeSGMLDataset(Dataset):
    """A test set in SGML."""


class WMTAdditionDataset(FakeSGMLDataset):
    """A test set with references that came later, as plain text."""
