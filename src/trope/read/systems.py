"""Many systems in one table: a row for each system and item, as papers' authors keep them.

Columns: compound, predicted_order, and one or more that name the system (system, base_model,
model_name, experiment). An order lists candidates by name, or by place in the benchmark's table,
the first being 0. Where the file carries its own gold it must be the benchmark's. No measure is
taken here.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from trope.errors import InputError, many, shown
from trope.item import Benchmark, Item
from trope.read.submission import Answer, Answers, match
from trope.read.table import MOST_LIST, Row, parse_rows, read_text

ORDER = "predicted_order"
GOLD = "ground_truth_order"
MODEL = ("system", "base_model", "model_name", "model")
"""Columns that name the model, in the order in which they are written."""
PROMPT = ("experiment", "prompt")
"""Columns that say in which words it was asked."""


@dataclass(frozen=True)
class System:
    """One system of the file: its name and its answers."""

    model: str
    prompt: str
    answers: Answers


def holds_systems(path: Path) -> bool:
    """Whether a file is such a table, by its first line."""
    if path.suffix.lower() not in (".csv", ".tsv") or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.readline(65536).decode("utf-8-sig", errors="replace")
    columns = [name.strip().strip('"') for name in head.split("\t" if "\t" in head else ",")]
    return ORDER in columns and any(name in columns for name in (*MODEL, *PROMPT))


def read_systems(path: Path, benchmark: Benchmark, *, complete: bool = True) -> list[System]:
    """Every system of the file, in the file's order."""
    text = read_text(path)
    tabs = "\t" in text.partition("\n")[0]
    rows = parse_rows(text, source=str(path), need=("compound", ORDER), tabs=tabs)
    if not rows:
        raise InputError(f"{path} holds no answer; is it the right file?")
    by_system: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        by_system.setdefault((_name(row, MODEL), _name(row, PROMPT)), []).append(row)
    systems = []
    for (model, prompt), own in by_system.items():
        if not (model or prompt):
            raise own[0].wrong(f"no system is named; fill {' or '.join((*MODEL, *PROMPT))}.")
        source = f"{path} ({' '.join(filter(None, (model, prompt)))})"
        matched = match(own, benchmark, source, complete=complete)
        answers = {item.id: _answer(row, item) for item, row in matched}
        systems.append(System(model or path.stem, prompt, Answers(answers, choice=False)))
    return systems


def _name(row: Row, columns: tuple[str, ...]) -> str:
    return " ".join(filter(None, (row.get(column).strip() for column in columns)))


def _answer(row: Row, item: Item) -> Answer:
    order = _order(row, ORDER, item)
    if row.get(GOLD).strip():
        _check_gold(row, item)
    return Answer(tuple(float(len(order) - order.index(c.id)) for c in item.candidates))


def _check_gold(row: Row, item: Item) -> None:
    """Places are read rightly, and the split is the right one, if the file's gold is ours."""
    gains = {c.id: c.gain for c in item.candidates}
    down = [gains[name] or 0.0 for name in _order(row, GOLD, item)]
    known = all(gain is not None for gain in gains.values())
    if known and down != sorted(down, reverse=True):
        raise row.wrong(
            f"{GOLD} isn't the gold order of {shown(item.id)}; is this the right split, with its "
            "candidates in the same places?"
        )


def _order(row: Row, column: str, item: Item) -> list[str]:
    """Candidate names from best to worst."""
    names = [candidate.id for candidate in item.candidates]
    text = row[column].strip()
    try:
        listed = ast.literal_eval(text) if len(text) <= MOST_LIST else None
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        listed = None
    if not isinstance(listed, list) or not all(type(entry) in (int, str) for entry in listed):
        raise row.wrong(
            f"{column} must be a list such as [2, 0, 1] or ['1.png', '2.png'], not {shown(text)}."
        )
    strange = [
        entry
        for entry in listed
        if (entry not in names if isinstance(entry, str) else not 0 <= entry < len(names))
    ]
    if strange:
        raise row.wrong(
            f"{column} names {many(strange)}, and {shown(item.id)} has {len(names)} candidates "
            f"({many(names, most=2)})."
        )
    order = [entry if isinstance(entry, str) else names[entry] for entry in listed]
    if sorted(order) != sorted(names):
        raise row.wrong(
            f"{column} must hold each of the {len(names)} candidates once; it has {len(order)} "
            f"names, {len(set(order))} of them different."
        )
    return order
