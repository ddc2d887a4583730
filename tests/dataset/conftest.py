"""Fixtures that the tests of test sets share."""

from dataset.caches import mirror, mirrored, own_cache, root  # noqa: F401
