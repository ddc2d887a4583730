"""Alignments as text, under jiwer's names."""

from truebleu.metrics.alignment import collect_error_counts, visualize_alignment, visualize_error_counts

__all__ = ["collect_error_counts", "visualize_alignment", "visualize_error_counts"]
