"""A progress bar for downloads, on a terminal only."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from truebleu.store import reporting


@contextmanager
def progress_bar() -> Iterator[None]:
    """Show downloads as they come, on standard error, and leave no trace of it in the end."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TransferSpeedColumn

    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:

        def report(name: str, done: int, total: int | None) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=total)
            bar.update(tasks[name], completed=done, total=total)

        with reporting(report):
            yield
