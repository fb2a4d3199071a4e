"""The items of a report as plain data for the page's script: every text and picture once.

Orders are kept as small numbers, one a candidate: how many candidates stand before it. Level
candidates have the same number, so a tie stays a tie. Nothing here is HTML.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from trope.item import Benchmark, Candidate, Item
from trope.measure.ties import Floats, Ranked
from trope.report.findings import Findings
from trope.report.thumbnails import PREFIX, Thumbnails, thumbnails
from trope.runs import Table


@dataclass(frozen=True)
class Gallery:
    """What the script is given, and what the reader should know of it."""

    data: dict[str, Any]
    notes: tuple[str, ...]

    def json(self) -> str:
        """The data for a script element: no text in it can end the element or open a comment."""
        text = msgspec.json.encode(self.data).decode()
        for character in "<>&\u2028\u2029":
            text = text.replace(character, f"\\u{ord(character):04x}")
        return text


class Shelf:
    """Distinct values in the order they came, each with its number."""

    def __init__(self) -> None:
        self.number: dict[Any, int] = {}

    def put(self, value: Any) -> int:
        return self.number.setdefault(value, len(self.number))


def gallery(findings: Findings, benchmark: Benchmark | None) -> Gallery:
    """The items with their pictures where there is a benchmark, else by name alone."""
    items = benchmark.items if benchmark else _bare(findings.table)
    small = thumbnails(_paths(benchmark)) if benchmark else thumbnails(())
    texts, cards, roles = Shelf(), Shelf(), Shelf()
    gold = findings.ranked[0]
    rows = []
    for i, item in enumerate(items):
        row: dict[str, Any] = {
            "id": item.id,
            "phrase": item.phrase,
            "lang": item.language,
            "cards": [cards.put(_card(item, c, benchmark, small, texts)) for c in item.candidates],
            "roles": [roles.put(c.role.value if c.role else "") for c in item.candidates],
        }
        row |= _optional(item)
        if item.sequence:
            row["before"] = [
                cards.put(_card(item, c, benchmark, small, texts)) for c in item.sequence
            ]
        if gold.best[i].any() and not findings.yes_or_no:
            row["gold"] = _places(gold, i)
        rows.append(row)
    data = {
        "prefix": PREFIX,
        "thumbs": list(small.texts),
        "texts": list(texts.number),
        "cards": [list(card) for card in cards.number],
        "roles": list(roles.number),
        "items": rows,
        "runs": [
            {"label": label, "places": _orders(ranked)}
            | ({"said": run.table.said} if any(run.table.said) else {})
            | ({"right": _verdicts(values)} if findings.yes_or_no else {})
            for label, ranked, run, values in zip(
                findings.labels, findings.ranked, findings.runs, findings.values, strict=True
            )
        ],
        "order": [row.run for row in findings.rows],
    }
    return Gallery(data, _notes(small))


def _optional(item: Item) -> dict[str, Any]:
    found: dict[str, Any] = {
        "sense": item.sense.value if item.sense else "",
        "kind": item.kind or "",
        "sentence": item.sentence or "",
        "defs": list(item.definitions),
    }
    return {name: value for name, value in found.items() if value}


def _bare(table: Table) -> list[Item]:
    """What a score table alone knows of its items."""
    from trope.item import Role, Sense

    return [
        Item(
            id=name,
            phrase=table.phrases[i],
            language=table.languages[i],
            sense=Sense(table.senses[i]) if table.senses[i] else None,
            kind=table.kinds[i] or None,
            candidates=tuple(
                Candidate(id=c, role=Role(table.role[i, j]) if table.role[i, j] else None)
                for j, c in enumerate(table.candidates[i])
            ),
        )
        for i, name in enumerate(table.items)
    ]


def _paths(benchmark: Benchmark) -> list[Any]:
    candidates = (c for item in benchmark.items for c in (*item.candidates, *item.sequence))
    return [path for path in map(benchmark.picture, candidates) if path is not None]


def _card(
    item: Item, candidate: Candidate, benchmark: Benchmark | None, small: Thumbnails, texts: Shelf
) -> tuple[int, int, str, str]:
    """A candidate's thumbnail, caption (both by number, -1 for none), name and language."""
    path = benchmark.picture(candidate) if benchmark else None
    caption = item.caption(candidate)
    spoken = (
        item.language
        if item.language in candidate.captions
        else next(iter(candidate.captions), item.language)
    )
    return (
        small.place.get(path, -1) if path is not None else -1,
        texts.put(caption) if caption else -1,
        candidate.id,
        spoken,
    )


def _places(ranked: Ranked, row: int) -> list[int]:
    above, _ = ranked.gold_places
    return [int(place) for place in above[row, : ranked.candidates[row]]]


def _orders(ranked: Ranked) -> list[list[int] | int]:
    """One list an item, 0 where it is missing."""
    counts, answered = ranked.candidates.tolist(), ranked.answered.tolist()
    rows: Sequence[list[int]] = ranked.above.tolist()
    return [
        row[:count] if known else 0
        for row, count, known in zip(rows, counts, answered, strict=True)
    ]


def _verdicts(values: Floats) -> list[int | None]:
    return [None if math.isnan(value) else int(value) for value in values.tolist()]


def _notes(small: Thumbnails) -> tuple[str, ...]:
    found = []
    if small.unread:
        found.append(
            f"{small.unread} picture files are absent or can't be read; they are not shown."
        )
    if small.left_out:
        found.append(f"{small.left_out} pictures had no room on this page; they are not shown.")
    return tuple(found)
