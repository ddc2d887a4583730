"""The cache under its old name; its home is `truebleu.store`."""

from truebleu.store import RemoteFile, built, fetch, is_archive, offline, reporting, unpack

__all__ = ["RemoteFile", "built", "fetch", "is_archive", "offline", "reporting", "unpack"]
