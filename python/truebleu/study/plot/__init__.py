"""Figures of a study. One module holds one figure, and nothing is computed here.

`plan` checks what is wanted and has what all figures share, `figure` makes a figure or a file.
"""
