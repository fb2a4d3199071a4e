"""A published table beside our runs, cell by cell: published, ours, difference, inside or not.

A run fills a cell when benchmark, model and prompt are the same; a model's checkpoint is compared
by the last part of its name, so a local copy counts. Cells without a run say which command would
fill them. Nothing is run here.
"""

from __future__ import annotations

import io
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trope.address import parse
from trope.errors import TropeError
from trope.measure.intervals import Estimate
from trope.papers import Facts, Published, Row, facts, papers
from trope.read import READERS
from trope.report.table import estimates
from trope.runs import Run, read_meta


@dataclass(frozen=True)
class Cell:
    """One published number and, where a run exists, ours."""

    row: str
    column: str
    published: float
    spread: float | None
    facts: Facts
    ours: Estimate | None = None
    """On the published scale."""
    run: str = ""
    places: int = 0
    """Decimal places as printed."""
    human: bool = False
    """No run can fill it: people, a count, a system that trope can't address."""

    @property
    def difference(self) -> float | None:
        return self.ours.value - self.published if self.ours else None

    @property
    def inside(self) -> bool | None:
        """Whether the published number, as exact as it is printed, lies in our interval."""
        if self.ours is None:
            return None
        half = 0.5 * 10.0**-self.places
        return self.ours.low - half <= self.published <= self.ours.high + half

    @property
    def command(self) -> str:
        """What would fill it; '' where nothing would."""
        return "" if self.human else _command(self.facts, [self.facts.model])


def _command(about: Facts, models: Sequence[str]) -> str:
    words = ["trope", "run", about.benchmark]
    for model in models:
        words += ["-m", model]
    words += ["--prompt", about.prompt] if about.prompt else []
    return f"{shlex.join(words)} --data DIR"


def reproduce(table: Published, runs: Sequence[Run | Path]) -> list[Cell]:
    """Every printed cell of a table; `runs` are runs, or their folders (loaded when they fit)."""
    cache: dict[int, dict[str, Estimate]] = {}
    metas = [run.meta if isinstance(run, Run) else read_meta(run) for run in runs]
    cells = []
    for row in table.rows:
        for place, value in enumerate(row.values):
            if value is None:
                continue
            cell = _cell(table, row, place, value)
            hit = None if cell.human else _find(cell.facts, metas)
            if hit is not None:
                if hit not in cache:
                    run = runs[hit]
                    cache[hit] = estimates(run if isinstance(run, Run) else Run.load(run))
                cell = _filled(cell, cache[hit], metas[hit], table.scale)
            cells.append(cell)
    return cells


def _cell(table: Published, row: Row, place: int, value: float) -> Cell:
    column = table.columns[place]
    about = facts(table, row, column)
    return Cell(
        row=f"{row.label} ({row.group})" if row.group else row.label,
        column=column.label,
        published=value,
        spread=row.spreads[place] if row.spreads else None,
        facts=about,
        places=_places(value, table.digits),
        human=table.kind != "scores" or row.count or not about.model,
    )


def _places(value: float, digits: int) -> int:
    """The table's decimal places, or more where a number has more: 16.6 among whole numbers."""
    return max(digits, len(f"{value:.10g}".partition(".")[2]))


def _filled(cell: Cell, found: dict[str, Estimate], meta: dict[str, Any], scale: float) -> Cell:
    estimate = found.get(cell.facts.measure)
    if estimate is None or estimate.value != estimate.value:
        return cell
    ours = Estimate(
        estimate.value * scale,
        estimate.low * scale,
        estimate.high * scale,
        estimate.n,
        estimate.missing,
        estimate.method,
    )
    values = {name: getattr(cell, name) for name in cell.__dataclass_fields__}
    return Cell(**{**values, "ours": ours, "run": str(meta["fingerprint"])[:8]})


# -- which run fills a cell ----------------------------------------------------------------------


def _find(wanted: Facts, metas: Sequence[dict[str, Any]]) -> int | None:
    """The fitting run with the most items; the first of equals."""
    fit = [
        (-int(meta["benchmark"].get("items") or 0), place)
        for place, meta in enumerate(metas)
        if _same_benchmark(wanted.benchmark, str(meta["benchmark"]["name"]))
        and _same_model(wanted.model, str(meta["model"]["address"]))
        and _same_prompt(wanted.prompt, str(meta["prompt"]["name"]))
    ]
    return min(fit)[1] if fit else None


def _same_benchmark(wanted: str, given: str) -> bool:
    """The same name and options; an option that has its default needn't be written."""
    try:
        one, two = parse(wanted, scheme=False), parse(given, scheme=False)
    except TropeError:
        return False
    family = READERS.get(one.name.split("/")[0])
    plain = family.options if family else {}
    return one.name == two.name and {**plain, **one.options} == {**plain, **two.options}


def _same_model(wanted: str, given: str) -> bool:
    try:
        one, two = parse(wanted), parse(given)
    except TropeError:
        return False
    names = [address.rest.rstrip("/").rpartition("/")[2].casefold() for address in (one, two)]
    asked = all(two.options.get(key) == value for key, value in one.options.items())
    return one.name == two.name and names[0] == names[1] and asked


def _same_prompt(wanted: str, given: str) -> bool:
    """A run without a prompt is of a scorer that takes none, such as random."""
    if not wanted or not given or wanted == given:
        return True
    kind, _, file = wanted.partition(":")
    return file == "FILE" and given.startswith(f"{kind}:")


# -- text ----------------------------------------------------------------------------------------


def listing() -> str:
    """What `trope reproduce` alone prints."""
    lines = []
    for paper in papers():
        lines.append(f"{paper.paper}. {paper.cite}.")
        for table in paper.tables:
            cells = sum(value is not None for row in table.rows for value in row.values)
            note = "" if table.kind == "scores" else "; describes the data, no run fills it"
            lines.append(f"  {table.id:<9} {table.title} ({table.source}; {cells} cells{note})")
    return "\n".join(lines)


def table_text(table: Published, cells: Sequence[Cell], *, width: int = 80) -> str:
    """The table beside ours, and the commands that would fill what is empty."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as RichTable

    grid = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("row", "column", "published", "ours", "difference", "inside"):
        right = heading in ("published", "difference")
        names = heading in ("row", "column")
        grid.add_column(
            heading,
            justify="right" if right else "left",
            overflow="fold",
            no_wrap=not names,
        )
    for cell in cells:
        grid.add_row(*[escape(text) for text in _texts(cell)])
    sink = io.StringIO()
    Console(file=sink, width=width, color_system=None, highlight=False).print(grid)
    body = "\n".join(line.rstrip() for line in sink.getvalue().splitlines())
    return f"{table.id}: {table.title} ({table.source})\n\n{body}\n\n{_closing(cells)}" + (
        f"\nNote: {table.note}" if table.note else ""
    )


def _texts(cell: Cell) -> list[str]:
    spread = f" ± {cell.spread:g}" if cell.spread is not None else ""
    published = f"{cell.published:.{cell.places}f}{spread}"
    near = "~" if cell.facts.near and cell.ours else ""
    if cell.ours is None:
        return [cell.row, cell.column, published, "", "", ""]
    ours = cell.ours
    places = max(cell.places, 1)
    shown = f"{near}{ours.value:.{places}f} ({ours.low:.{places}f} to {ours.high:.{places}f})"
    inside = "yes" if cell.inside else "no"
    return [cell.row, cell.column, published, shown, f"{cell.difference:+.{places}f}", inside]


def _closing(cells: Sequence[Cell]) -> str:
    filled = sum(cell.ours is not None for cell in cells)
    inside = sum(cell.inside is True for cell in cells)
    lines = [
        f"{filled} of {len(cells)} cells have a run" + (f", {inside} inside." if filled else ".")
    ]
    if any(cell.ours is not None for cell in cells):
        lines.append("In brackets our 95% interval; inside: the published number lies in it.")
    if any(cell.facts.near for cell in cells):
        lines.append("~ or near: the paper doesn't name the checkpoint; the nearest is taken.")
    commands = _commands([cell for cell in cells if cell.ours is None and cell.command])
    if commands:
        lines += ["", "These would fill the rest:", *[f"  {command}" for command in commands]]
    alone = [cell for cell in cells if not cell.command and cell.ours is None]
    if alone:
        lines.append(f"{len(alone)} cells are of people, counts or systems that trope can't ask.")
    return "\n".join(lines)


def _commands(cells: Sequence[Cell]) -> list[str]:
    """One command for all models that are asked alike."""
    models: dict[tuple[str, str], dict[str, None]] = {}
    about: dict[tuple[str, str], Facts] = {}
    for cell in cells:
        key = (cell.facts.benchmark, cell.facts.prompt)
        about.setdefault(key, cell.facts)
        models.setdefault(key, {})[cell.facts.model] = None
    return [_command(about[key], list(names)) for key, names in models.items()]


def cell_object(cell: Cell) -> dict[str, Any]:
    """What `--json` prints for a cell."""
    return {
        "row": cell.row,
        "column": cell.column,
        "published": cell.published,
        "spread": cell.spread,
        "benchmark": cell.facts.benchmark,
        "model": cell.facts.model,
        "near": cell.facts.near,
        "prompt": cell.facts.prompt,
        "measure": cell.facts.measure,
        "ours": cell.ours.as_dict() if cell.ours else None,
        "difference": cell.difference,
        "inside": cell.inside,
        "run": cell.run,
        "command": cell.command if cell.ours is None else "",
    }
