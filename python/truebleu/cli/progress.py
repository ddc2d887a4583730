"""Progress bars on standard error, on a terminal only: for work that takes longer than a second, and for downloads."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from truebleu._core import watching

_PATIENCE = 1.0  # seconds before anything is shown


class Progress:
    """Counts the steps of some work, and shows them, and how far each is, if the work takes long.

    Parameters
    ----------
    steps
        How many there are.
    quiet
        Whether to show nothing.
    """

    def __init__(self, steps: int, quiet: bool = False) -> None:
        self._steps = steps
        self._done = 0
        self._doing = ""
        self._bar: Any = None
        self._task: Any = None
        self._lock = threading.Lock()
        wanted = _on_terminal() and not quiet
        self._timer = threading.Timer(_PATIENCE, self._show) if wanted else None

    def __enter__(self) -> Progress:
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            self._timer = None
            if self._bar is not None:
                self._bar.stop()

    @contextmanager
    def step(self, doing: str) -> Iterator[None]:
        """Do one step of the work.

        Parameters
        ----------
        doing
            What it is.
        """
        self._doing = doing
        self._update(0.0)
        before = watching(self._hear) if self._timer is not None else None
        try:
            yield
        finally:
            if self._timer is not None:
                watching(before)
        self._done += 1
        self._update(0.0)

    def _hear(self, done: int, total: int) -> None:
        """How far the step is, while the core works on it. A step may be several calls, so the bar may go back."""
        self._update(done / total if total else 0.0)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        with self._lock:
            if self._timer is None:
                return
            counts = (MofNCompleteColumn(), TaskProgressColumn(), TimeElapsedColumn())
            self._bar = Bar(
                TextColumn("{task.description}"), BarColumn(), *counts, console=Console(stderr=True), transient=True
            )
            self._task = self._bar.add_task(self._doing, total=self._steps, completed=self._done)
            self._bar.start()

    def _update(self, part: float) -> None:
        if self._bar is not None:
            self._bar.update(self._task, description=self._doing, completed=self._done + part)


@contextmanager
def progress_bar() -> Iterator[None]:
    """Show downloads while they run, and clear the line in the end."""
    if not _on_terminal():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TaskID, TextColumn, TransferSpeedColumn
    from rich.progress import Progress as Bar

    from truebleu.store import reporting

    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()
    tasks: dict[str, TaskID] = {}
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:

        def report(name: str, done: int, total: int | None) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=total)
            bar.update(tasks[name], completed=done, total=total)

        with reporting(report):
            yield


def _on_terminal() -> bool:
    # There is no standard error at all under `2>&-`.
    return sys.stderr is not None and sys.stderr.isatty()
