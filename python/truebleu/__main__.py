"""`python -m truebleu` is the command `truebleu`, and so is the function `main`.

Ctrl-C in the first tenths of a second meets modules that are being made, and Python would show where. Until the command
is there, it therefore ends the process at once, as it does a program in C; from then on the command hears it. This file
imports nothing before that, and `truebleu/__init__.py` next to nothing.

At its end Python takes every module apart, a tenth of a short command or more. A program that is all of its process
has no use for that: `program` does what else is done at exit, and ends.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

_INTERRUPTED = 130


def program() -> "NoReturn":
    """Run the command line, and end the process."""
    _leave(main())


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


def _leave(code: int) -> "NoReturn":
    if _is_alone():
        import atexit
        import os

        atexit._run_exitfuncs()
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError, AttributeError):
            sys.exit(code)  # Python says what it thinks of that
        os._exit(code)
    sys.exit(code)


def _is_alone() -> bool:
    """Whether no debugger or profiler has started the command, no thread is left, and nobody asked to stay."""
    names, frame = [], sys._getframe(2).f_back
    while frame is not None:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    is_traced = sys.gettrace() is not None or sys.getprofile() is not None
    is_asked = sys.flags.inspect or sys.flags.dev_mode or "threading" in sys.modules
    return names in (["<module>"], ["<module>", "_run_code", "_run_module_as_main"]) and not is_traced and not is_asked


if __name__ == "__main__":
    program()
