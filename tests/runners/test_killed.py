"""Hosts and runners that are killed or interrupted in the middle of their work (`bench/neural.py` does more of it)."""

import sys
from random import Random

import pytest
from tests.runners.killing import Killing

pytestmark = [
    pytest.mark.guard,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are looked at in /proc"),
]


@pytest.fixture(scope="module")
def killing(tmp_path_factory: pytest.TempPathFactory) -> Killing:
    return Killing(tmp_path_factory.mktemp("killing"))


@pytest.mark.parametrize("who", ["host", "child", "both"])
def test_nothing_is_left_and_the_next_run_gives_the_same(who: str, killing: Killing) -> None:
    killing.kill(who, Random(who))


def test_an_interrupt_ends_host_and_child(killing: Killing) -> None:
    killing.interrupt(Random("interrupt"))
