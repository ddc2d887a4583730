"""Test sets in tables with tabs."""

from truebleu.sacrebleu.dataset.base import Dataset, smart_open

__all__ = ["Dataset", "TSVDataset", "smart_open"]


class TSVDataset(Dataset):
    """A test set in tables with tabs."""
