"""A stand-in for the one name that the cookbook uses."""

from pathlib import Path


class IFrame:
    def __init__(self, src: str, width: str | int, height: str | int) -> None:
        assert Path(src).is_file(), src
