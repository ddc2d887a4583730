"""Test sets in plain text."""

from truebleu.sacrebleu.dataset.base import Dataset, smart_open

__all__ = ["Dataset", "PlainTextDataset", "smart_open"]


class PlainTextDataset(Dataset):
    """A test set in plain text."""
