"""The version of truebleu."""

__version__ = "0.1.0"
