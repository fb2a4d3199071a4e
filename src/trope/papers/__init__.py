"""The published tables as data: one JSON file a paper, one row a row of the table.

A cell says which benchmark, model, prompt and measure of trope it corresponds to, so that
`trope reproduce` can put a run beside it. `near` marks a model that the paper doesn't name to the
letter: the address is then the nearest checkpoint. Numbers are copied as printed; what the paper
leaves blank is null, and where one number spans columns it stands in the first.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from trope.errors import unknown

FOLDER = Path(__file__).parent
PAPERS = ("admire", "irfl", "compun", "xmpie")


class Facts(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What a cell corresponds to in trope; stated for a table, a column or a row."""

    benchmark: str = ""
    model: str = ""
    prompt: str = ""
    """'' where the model takes none, or the paper doesn't say."""
    measure: str = ""
    near: bool = False


class Column(Facts):
    """A column of the table."""

    label: str = ""


class Row(Facts, kw_only=True):
    """A row of the table."""

    label: str
    values: list[float | None]
    spreads: list[float] = []
    """What the paper prints after ±."""
    group: str = ""
    """The part of the table the row stands in."""
    count: bool = False
    """A row of counts, which no model fills."""


class Published(msgspec.Struct, forbid_unknown_fields=True):
    """One published table."""

    id: str
    title: str
    source: str
    columns: list[Column]
    rows: list[Row]
    digits: int
    """Decimal places as printed."""
    scale: float = 1
    """100 where the paper prints percentages."""
    kind: str = "scores"
    """'statistics' where the table counts or describes, and no run fills it."""
    common: Facts = msgspec.field(default_factory=Facts)
    note: str = ""
    """What a reader should know before comparing."""


class Paper(msgspec.Struct, forbid_unknown_fields=True):
    """One paper's tables."""

    paper: str
    cite: str
    tables: list[Published]


@cache
def papers() -> tuple[Paper, ...]:
    """Every paper, in the order of `PAPERS`."""
    return tuple(
        msgspec.json.decode((FOLDER / f"{name}.json").read_bytes(), type=Paper) for name in PAPERS
    )


def tables() -> dict[str, Published]:
    """Every table by its name: admire-1, irfl-3, and so on."""
    return {table.id: table for paper in papers() for table in paper.tables}


def get(name: str) -> Published:
    """A table by its name."""
    found = tables()
    if name not in found:
        raise unknown("table", name, found, advice="`trope reproduce` lists them.")
    return found[name]


def facts(table: Published, row: Row, column: Column) -> Facts:
    """What a cell corresponds to: the row's facts over the column's over the table's."""
    merged = Facts()
    for part in (table.common, column, row):
        for name in ("benchmark", "model", "prompt", "measure", "near"):
            value = getattr(part, name)
            if value:
                setattr(merged, name, value)
    return merged
