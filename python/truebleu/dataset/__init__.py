"""Test sets and the files they are made of."""
