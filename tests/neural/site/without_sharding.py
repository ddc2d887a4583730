"""Lets Lightning be imported with Debian's torch 1.13, whose sharding fails on Python 3.11.

`make test-neural` puts the folder of this file and a call of `start` into a `.pth` of its environment: no shipped
script changes torch.
"""

import sys
from importlib.abc import MetaPathFinder
from typing import Any


class WithoutSharding(MetaPathFinder):
    """Says, before Lightning asks, that torch cannot distribute work."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name in ("pytorch_lightning", "comet"):
            import torch

            if int(torch.__version__.partition(".")[0]) < 2:
                torch.distributed.is_available = lambda: False


def start() -> None:
    """Look at all imports from now on."""
    sys.meta_path.insert(0, WithoutSharding())
