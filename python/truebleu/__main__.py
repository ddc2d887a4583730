"""`python -m truebleu` is the command `truebleu`, and so is the function `main`.

Ctrl-C in the first tenths of a second meets modules that are being made, and Python would show where. Until the command
is there, it therefore ends the process at once, as it does a program in C; from then on the command hears it. This file
imports nothing before that, and `truebleu/__init__.py` next to nothing.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_INTERRUPTED = 130


def main() -> int:
    """Run the command line and return its exit code."""
    return _run(_chosen)


def sign_test_bleu() -> int:
    """Run the program `SignTestBleu` and return its exit code."""
    return _run(_sign_test)


def _run(prepare: "Callable[[], Callable[[], int]]") -> int:
    try:
        # The module `signal` would import others, and take as long as all of this.
        import _signal  # type: ignore[import-not-found]

        # Who ignores the signal (`nohup`), or hears it already, goes on doing so.
        is_ours = _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
        if is_ours:
            _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        import gc

        gc.disable()  # modules stay, so that looking for garbage among them, a tenth of the start, finds none
        try:
            run = prepare()
        finally:
            gc.freeze()
            gc.enable()
            if is_ours:
                _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        return run()
    except KeyboardInterrupt:
        return _INTERRUPTED


def _chosen() -> "Callable[[], int]":
    from truebleu.cli.main import choose

    return choose(sys.argv[1:])


def _sign_test() -> "Callable[[], int]":
    from truebleu.cli.commands.sign_test import SIGN_TEST_BLEU

    return lambda: SIGN_TEST_BLEU.run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
