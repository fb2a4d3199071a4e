"""How a comparison reads: on a terminal of 80 columns, in a notebook, as JSON.

Only what `measure.compare` found is shown. Runs get letters, for addresses are long; nothing is
set in bold, for the verdicts say in words what holds.
"""

from __future__ import annotations

import html
import string
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from trope.measure.compare import Comparison, Disagreement, Versus, compare
from trope.report.lines import (
    WIDTH,
    add_row,
    chance,
    columns,
    counted,
    cut,
    printed,
    signed_interval,
    wrapped,
)
from trope.report.table import number, with_interval
from trope.runs import Run

PAIRS = 15
"""Pairs printed for a measure; beyond, only those that differ, and how many don't."""
ITEMS = 12
"""Items printed on which the runs disagree."""


class Compared:
    """A comparison that prints itself."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison

    def __getattr__(self, name: str) -> Any:
        return getattr(self.comparison, name)

    def __repr__(self) -> str:
        return comparison_text(self.comparison)

    def _repr_html_(self) -> str:
        return comparison_html(self.comparison)


def compared(
    runs: Sequence[Run], *, measures: Sequence[str] | None = None, seed: int = 0
) -> Compared:
    """Compare runs, for a reader."""
    return Compared(compare(runs, measures=measures, seed=seed))


def comparison_object(comparison: Comparison) -> dict[str, Any]:
    """What `--json` prints."""
    return comparison.as_dict()


def comparison_text(
    comparison: Comparison, *, width: int = WIDTH, items: int = ITEMS, pairs: int = PAIRS
) -> str:
    """Everything a terminal shows, in four parts: who, how well, verdicts, where they differ."""
    c = comparison
    tags = letters(len(c.labels))
    parts = [f"{c.benchmark}: {len(c.labels)} runs on {counted(c.items, 'item')}\n"]
    parts += [
        wrapped(f"{tag}  {label}", width, "   ") for tag, label in zip(tags, c.labels, strict=True)
    ]
    parts.append("")
    if len(c.labels) == 2:
        parts.append(_two(c, tags, width))
    else:
        parts += [_estimates(c, tags, width), *_families(c, tags, width, pairs)]
    parts.append("Verdicts")
    parts += _verdicts(c, tags, width, pairs)
    parts += _left_out(c, tags, width)
    if c.disagreements:
        parts += ["", *_where(c, tags, width, items)]
    if c.warnings:
        parts += ["", "Before you rely on it"]
        parts += [wrapped(f"- {line}", width, "  ") for line in c.warnings]
    return "\n".join(parts)


def letters(count: int) -> list[str]:
    """A, B, C; R1, R2, ... where the alphabet is too short."""
    if count <= 26:
        return list(string.ascii_uppercase[:count])
    return [f"R{place + 1}" for place in range(count)]


def _two(c: Comparison, tags: list[str], width: int) -> str:
    table = columns("measure", tags[0], tags[1], f"{tags[0]} − {tags[1]}", "p")
    for pair in c.pairs:
        cells = [
            with_interval(pair.left),
            with_interval(pair.right),
            signed_interval(pair.difference),
        ]
        add_row(table, pair.measure, *cells, chance(pair.p))
    return printed(table, width)


def _estimates(c: Comparison, tags: list[str], width: int) -> str:
    table = columns("run", *c.measures)
    for place, tag in enumerate(tags):
        add_row(table, tag, *(with_interval(c.estimates[name][place]) for name in c.measures))
    return printed(table, width)


def _families(c: Comparison, tags: list[str], width: int, most: int) -> list[str]:
    """One table of pairs a measure."""
    parts = []
    for name in c.measures:
        family = c.of(name)
        listed = family if len(family) <= most else [p for p in family if p.better is not None]
        table = columns(name, "difference", "p", "Holm", "better on", "items")
        for pair in listed[:most]:
            split = f"{pair.wins} : {pair.losses}"
            cells = [signed_interval(pair.difference), chance(pair.p), chance(pair.holm), split]
            add_row(table, f"{tags[pair.a]} − {tags[pair.b]}", *cells, str(pair.n))
        if listed:
            parts.append(printed(table, width))
        if len(family) > len(listed[:most]):
            shown = sum(pair.better is not None for pair in family)
            rest = len(family) - len(listed[:most])
            parts.append(
                wrapped(
                    f"{name}: {shown} of {len(family)} pairs differ; {rest} aren't listed.\n", width
                )
            )
    return parts


def _verdicts(c: Comparison, tags: list[str], width: int, most: int) -> list[str]:
    """All of them for few pairs; for many, the first measure's that differ."""
    pairs = list(c.pairs)
    if len(pairs) > most:
        pairs = c.of(c.measures[0])
    if len(pairs) > most:
        pairs = [pair for pair in pairs if pair.better is not None][:most]
    if not pairs:
        return [f"No pair of runs is shown to differ in {c.measures[0]}."]
    return [wrapped(f"{_head(pair, tags)}: {_named(pair, tags)}", width, "  ") for pair in pairs]


def _head(pair: Versus, tags: list[str]) -> str:
    return pair.measure if len(tags) == 2 else f"{pair.measure}, {tags[pair.a]} and {tags[pair.b]}"


def _named(pair: Versus, tags: list[str]) -> str:
    """The verdict with letters for names, without what the heading says already."""
    return replace(pair, names=(tags[pair.a], tags[pair.b])).verdict


def _left_out(c: Comparison, tags: list[str], width: int) -> list[str]:
    """How many items the first measure had to leave out."""
    gaps = [pair for pair in c.of(c.measures[0]) if pair.left_out]
    lines = [
        f"{tags[p.a]} and {tags[p.b]}: {p.left_out} of {p.n + p.left_out} items are left out, for "
        "one or both have no answer there."
        for p in gaps[:3]
    ]
    if len(gaps) > 3:
        lines.append(f"{len(gaps) - 3} more pairs leave items out.")
    return ["", *(wrapped(line, width, "  ") for line in lines)] if lines else []


def _where(c: Comparison, tags: list[str], width: int, most: int) -> list[str]:
    """The items on which they disagree, and what each run put first."""
    lines = []
    if len(tags) == 2:
        pair = c.pairs[0]
        lines.append(
            f"They differ in {pair.measure} on {counted(len(c.disagreements), 'item')}: "
            f"{tags[0]} is better on {pair.wins}, {tags[1]} on {pair.losses}."
        )
    else:
        lines.append(f"They differ in {c.measures[0]} on {counted(len(c.disagreements), 'item')}.")
    few = len(tags) <= 4
    table = columns("item", "sense", *(tags if few else ("right", "wrong")))
    for item in c.disagreements[:most]:
        cells = [_cell(item, place) for place in range(len(tags))] if few else _sides(item, tags)
        add_row(table, cut(item.item, 26), item.sense or "–", *cells)
    lines.append(printed(table, width))
    if len(c.disagreements) > most:
        lines.append(f"({len(c.disagreements) - most} more in --json.)")
    return lines


def _cell(item: Disagreement, place: int) -> str:
    value = item.values[place]
    if value != value:
        return "no answer"
    mark = "✓" if value == 1 else "✗" if value == 0 else number(value, 2)
    role = item.roles[place].replace("_", " ")
    return f"{mark} {role or cut(item.firsts[place], 14)}"


def _sides(item: Disagreement, tags: list[str]) -> list[str]:
    best = max(value for value in item.values if value == value)
    right = [tag for tag, value in zip(tags, item.values, strict=True) if value == best]
    wrong = [tag for tag, value in zip(tags, item.values, strict=True) if value < best]
    return [cut(" ".join(right), 22), cut(" ".join(wrong), 22)]


def comparison_html(comparison: Comparison) -> str:
    """A fragment: verdicts and one table, everything escaped."""
    c = comparison
    head = "".join(
        f"<th>{name}</th>" for name in ("measure", "a", "b", "difference", "p", "Holm", "verdict")
    )
    rows = []
    for pair in c.pairs:
        cells = [pair.measure, *pair.names, signed_interval(pair.difference)]
        cells += [chance(pair.p), chance(pair.holm), pair.verdict]
        rows.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
    notes = "".join(f"<li>{html.escape(line)}</li>" for line in c.warnings)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return table + (f"<ul>{notes}</ul>" if notes else "")
