"""Resampling of rows: seeds, bootstrap, shuffles, intervals. Mirrors `crates/core/src/resample`."""
