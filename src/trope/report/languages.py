"""Runs on several languages: a row for each language, and one for their macro average."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from trope.measure.intervals import Estimate
from trope.measure.macro import by_language, macro
from trope.runs import Run


def _found(run: Run) -> dict[str, dict[str, Estimate]]:
    """Every measure of the run in each of its languages; empty without gold."""
    from trope.report.table import estimates

    if not run.table.labelled:
        return {}
    return by_language(run.table, lambda part: estimates(Run(table=part, meta=run.meta)))


def languages_object(run: Run) -> dict[str, Any]:
    """What `--json` adds for a run on several languages; empty otherwise."""
    from trope.report.table import as_object

    found = _found(run)
    if not found:
        return {}

    def whole(measures: dict[str, Estimate]) -> dict[str, Any]:
        return {name: as_object(value) for name, value in measures.items()}

    return {
        "languages": {language: whole(measures) for language, measures in found.items()},
        "macro": whole(macro(found)),
    }


def languages_text(runs: Sequence[Run], *, width: int) -> str:
    """One table for the runs of a benchmark; the empty string where it has one language."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as RichTable

    from trope.report.table import main_columns, shortened, with_interval

    columns = main_columns(runs[0])
    table = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("model", overflow="fold")
    table.add_column("language")
    for heading in columns.values():
        table.add_column(heading, no_wrap=True)
    for run in runs:
        found = _found(run)
        rows = {**found, "macro average": macro(found)} if found else {}
        for place, (language, measures) in enumerate(rows.items()):
            cells = [with_interval(measures.get(name)) for name in columns]
            name = escape(shortened(run.label)) if place == 0 else ""
            table.add_row(name, language, *cells)
    if not table.row_count:
        return ""
    sink = io.StringIO()
    Console(file=sink, width=width, color_system=None, highlight=False).print(table)
    return "\n".join(line.rstrip() for line in sink.getvalue().splitlines()) + "\n"
