"""Numbers and lines as tables for a terminal write them; shared by what prints comparisons,
leaderboards and audits. Nothing here knows what a number means."""

from __future__ import annotations

import io
import textwrap
from typing import TYPE_CHECKING

from trope.measure.intervals import Estimate
from trope.report.table import number

if TYPE_CHECKING:
    from rich.table import Table as RichTable

WIDTH = 80


def signed_interval(estimate: Estimate) -> str:
    """`+.114 (-.03 to +.25)`."""
    if estimate.value != estimate.value:
        return "–"
    value, low, high = (
        _signed(part, places)
        for part, places in ((estimate.value, 3), (estimate.low, 2), (estimate.high, 2))
    )
    return f"{value} ({low} to {high})"


def _signed(value: float, places: int) -> str:
    text = number(round(value, places) + 0.0, places)  # no negative zero
    return f"+{text}" if value > 0 and float(f"{value:.{places}f}") != 0 else text


def chance(p: float) -> str:
    """A p as tables write it."""
    if p < 0.001:
        return "<.001"
    return f"{p:.3f}".removeprefix("0") if p < 0.9995 else "1"


def counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def cut(text: str, most: int) -> str:
    safe = "".join(c if c.isprintable() else " " for c in text)
    return safe if len(safe) <= most else safe[: most - 1] + "…"


def wrapped(text: str, width: int, indent: str = "") -> str:
    safe = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
    lines = [
        textwrap.fill(line, width, subsequent_indent=indent) for line in safe.splitlines() or [""]
    ]
    return "\n".join(lines) + ("\n" if text.endswith("\n") else "")


def columns(*headings: str) -> RichTable:
    from rich.table import Table as RichTable

    table = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), collapse_padding=True)
    for heading in headings:
        table.add_column(heading, overflow="fold", no_wrap=heading in ("item", "measure", "run"))
    return table


def add_row(table: RichTable, *cells: str) -> None:
    """Square brackets in a cell are text, not markup."""
    from rich.text import Text

    table.add_row(*(Text(cell) for cell in cells))


def printed(table: RichTable, width: int) -> str:
    from rich.console import Console

    sink = io.StringIO()
    Console(file=sink, width=width, color_system=None, highlight=False).print(table)
    return "\n".join(line.rstrip() for line in sink.getvalue().splitlines()) + "\n"
