"""A stand-in for IPython, which is there wherever somebody has a notebook."""

version_info = (9, 0)
