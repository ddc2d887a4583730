"""Contamination: how much of a test set stands in training text, and what that does to scores."""

from truebleu._lazy import attach

__getattr__, __dir__ = attach(__name__)
