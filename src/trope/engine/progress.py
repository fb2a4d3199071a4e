"""How far a run is: a bar with rate and time left on a terminal, nothing anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[float], None]


@contextmanager
def bar(label: str, total: int, *, show: bool | None = None) -> Iterator[Advance]:
    """Yields a function to call with what was just done (parts of one count, too); the bar vanishes
    at the end."""
    visible = sys.stderr.isatty() if show is None else show
    if not visible:
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:.1f}/s" if task.speed else "")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label[:40], total=total)
        yield lambda done: progress.update(task, advance=done)
