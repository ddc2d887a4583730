"""Resampling over rows: how sure a score is."""
