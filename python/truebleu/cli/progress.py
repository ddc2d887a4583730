"""Progress bars on standard error, on a terminal only: for work that takes over a second, and for the network."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from types import TracebackType

from truebleu._core import watching
from truebleu._shown import shown
from truebleu._typing import Any

_PATIENCE = 1.0  # seconds before work is shown; what the network does is shown at once
_LONGEST = 50  # characters of a name, so that there is room for the bar


class Progress:
    """Shows what goes on: steps of some work, and how far each is; downloads, and what they wait for.

    Standard output is not used, so write to it only after the bars are gone: after the `with` block.
    """

    def __init__(self, quiet: bool = False) -> None:
        self.steps = 1  # how many there will be
        self._done, self._doing = 0, ""
        self._bar: Any = None
        self._lines: dict[str, Any] = {}
        self._begun = 0.0
        # There is no standard error at all under `2>&-`.
        self._is_wanted = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._is_work_shown = False
        self._lock: Any = nullcontext()
        self._listening = ExitStack()

    def __enter__(self) -> Progress:
        if self._is_wanted:  # what only a terminal needs is loaded here
            import threading

            from truebleu.store import reporting

            timer = threading.Timer(_PATIENCE, self._show_work)
            timer.daemon, self._lock = True, threading.RLock()
            self._listening.enter_context(reporting(self._arrive, self._wait))
            self._listening.callback(timer.cancel)
            timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listening.close()
        with self._lock:
            self._is_wanted = False
            if self._bar is not None:
                self._bar.stop()

    def expect(self, steps: int) -> None:
        """Say how many steps are still to come."""
        self.steps = self._done + steps

    @contextmanager
    def step(self, doing: str) -> Iterator[None]:
        """Do one step of the work."""
        if not self._is_wanted:
            yield
            return
        self._doing = doing
        self.steps = max(self.steps, self._done + 1)
        self._remove("network")
        self.hear(0, 1)
        before = watching(self.hear)
        try:
            yield
        finally:
            watching(before)
        self._done += 1
        self.hear(0, 1)

    def _show_work(self) -> None:
        self._is_work_shown = True
        self.hear(0, 1)

    def hear(self, done: int, total: int) -> None:
        """Hear how far the step is. A step may be several calls of the core, so the bar may go back."""
        if self._is_work_shown and self._doing:
            part = self._done + (done / total if total else 0.0)
            steps = f"{self._done}/{self.steps} " if self.steps > 1 else ""
            counts = f"{steps}{100 * part / self.steps:3.0f}%"
            self._show("work", self._doing, part, self.steps, counts)

    def _wait(self, what: str) -> None:
        self._begun = 0.0
        self._remove("network")
        self._show("network", f"{what}...", 0, None, "")

    def _arrive(self, name: str, done: int, total: int | None) -> None:
        if not self._begun:
            self._remove("network")
            self._begun = time.monotonic()
        from rich.filesize import decimal

        rate = decimal(int(done / max(time.monotonic() - self._begun, 0.1)))
        of_all = f" of {decimal(total)}" if total else ""
        self._show("network", name, done, total or None, f"{decimal(done)}{of_all}, {rate}/s")

    def _show(self, line: str, doing: str, done: float, total: float | None, counts: str) -> None:
        with self._lock:
            if not self._is_wanted:
                return
            if self._bar is None:
                self._bar = _bar()
                self._bar.start()
            is_new = line not in self._lines
            if is_new:
                self._lines[line] = self._bar.add_task("", counts="")
            # Without a total, the bar moves from side to side.
            settings = {"completed": done, "total": total, "counts": counts, "refresh": is_new}
            self._bar.update(self._lines[line], description=shown(doing, _LONGEST), **settings)

    def _remove(self, line: str) -> None:
        with self._lock:
            if line in self._lines:
                self._bar.remove_task(self._lines.pop(line))


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    # Names are no markup. And Rich would take standard output to the terminal, though it goes to a file.
    doing, counts = (TextColumn(f"{{task.{text}}}", markup=False) for text in ("description", "fields[counts]"))
    console = Console(stderr=True)
    return Progress(
        doing, BarColumn(20), counts, TimeElapsedColumn(), console=console, transient=True, redirect_stdout=False
    )
