"""Learned metrics and judges on the command line: their flags, what these mean, and asking the models."""
