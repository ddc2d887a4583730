"""Test sets in WMT's XML."""

from truebleu.sacrebleu.dataset.base import Dataset, smart_open

__all__ = ["Dataset", "WMTXMLDataset", "smart_open"]


class WMTXMLDataset(Dataset):
    """A test set in WMT's XML."""
