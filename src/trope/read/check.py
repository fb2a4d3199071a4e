"""Everything that is wrong with a benchmark folder, at once: file, line, field, what to do.

Problems are what stops a folder from being read or measured; remarks are what its readers will
miss. Reading stops at the first problem, this goes on to the last. Nothing is changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from trope.errors import InputError, many, shown
from trope.item import Card, Item
from trope.read.folder import (
    ITEMS,
    MANIFEST,
    Checks,
    Head,
    decode_head,
    lines,
    manifest_problems,
)

TASKS = ("ranking", "choice", "retrieval", "completion", "classification")
"""The tasks whose measures trope knows; another is read, and said to be unknown."""


@dataclass
class Findings:
    """What was found in a folder."""

    folder: Path
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    items: int = 0
    candidates: int = 0
    pictures: int = 0
    phrases: set[tuple[str, str]] = field(default_factory=set)
    languages: Counter[str] = field(default_factory=Counter)
    senses: Counter[str] = field(default_factory=Counter)
    head: Head | None = None

    def __str__(self) -> str:
        """What `trope check` prints."""
        parts = [f"problem: {text}" for text in self.problems]
        parts += [f"remark: {text}" for text in self.remarks]
        return "\n".join([*parts, self.summary()])

    def summary(self) -> str:
        """One line: what the folder holds, and how many problems it has."""
        if self.problems:
            n = len(self.problems)
            return f"{self.folder}: {n} problem{'s' * (n > 1)}, {self.items} items read."
        spoken = ", ".join(f"{language} {n}" for language, n in sorted(self.languages.items()))
        senses = ", ".join(f"{n} {sense}" for sense, n in sorted(self.senses.items()))
        return (
            f"{self.folder}: {self.items} items of {len(self.phrases)} phrases ({spoken}"
            f"{'; ' + senses if senses else ''}), {self.candidates} candidates, {self.pictures} "
            "pictures. Nothing is wrong."
        )


def check_folder(folder: Path) -> Findings:
    """Look at everything in a folder."""
    found = Findings(folder)
    if not folder.is_dir():
        raise InputError(f"There is no benchmark folder {shown(folder, most=200)}.")
    found.problems += _head_problems(folder, found)
    used = _items(folder, found)
    found.problems += _tried(manifest_problems(folder))
    _pictures(folder, used, found)
    return found


def _head_problems(folder: Path, found: Findings) -> Iterator[str]:
    path = folder / "benchmark.json"
    if not path.exists():
        yield (
            f"{path} is absent; write one, such as "
            '{"format": 1, "name": "mine", "task": "ranking"}.'
        )
        return
    try:
        found.head = decode_head(path)
    except InputError as error:
        yield str(error)
        return
    if found.head.task not in TASKS:
        found.remarks.append(
            f"{path}, field task: {shown(found.head.task)} isn't one of {', '.join(TASKS)}; it is "
            "measured by its gold alone."
        )
    found.remarks += _card_remarks(found.head.card, path)


def _card_remarks(card: Card, path: Path) -> Iterator[str]:
    wanted = ("title", "licence", "citation", "version")
    empty = [name for name in wanted if not getattr(card, name)]
    if empty:
        yield f"{path}, field card: no {many(empty, most=4)}; others need it to use the benchmark."


def _items(folder: Path, found: Findings) -> set[str]:
    """Every line of items.jsonl; returns the pictures that were named."""
    path = folder / ITEMS
    decode = msgspec.json.Decoder(Item).decode
    checks, used, gold = Checks(folder), set[str](), Counter[bool]()
    try:
        for line, data in lines(path):
            try:
                item = decode(data)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                found.problems.append(f"{path}, line {line}{_field(error)}; {_remedy(error)}.")
                continue
            where = f"{path}, line {line} ({shown(item.id)})"
            found.problems += [f"{where}: {text}" for text in checks.problems(item)]
            found.problems += [f"{where}, {text}" for text in _meaning(item)]
            _count(item, found)
            gold[any(c.gain is not None for c in item.candidates)] += 1
            used.update(c.image for c in (*item.candidates, *item.sequence) if c.image)
    except InputError as error:
        found.problems.append(str(error))
    if not found.items and not found.problems:
        found.problems.append(f"{path} holds no item; write one JSON object a line.")
    if gold[False] and found.items:
        found.remarks.append(f"{path}: {gold[False]} of {found.items} items have no gold (gain).")
    return used


def _field(error: Exception) -> str:
    """msgspec ends its sentence with the place: `... - at `$.candidates[0].gain``."""
    text, _, place = str(error).partition(" - at `$.")
    return f", field {place.rstrip('`')}: {text}" if place else f": {text}"


def _remedy(error: Exception) -> str:
    text = str(error)
    if "unknown field" in text:
        return "remove it, or mend its spelling (docs/FORMAT.md lists the fields)"
    if "missing required field" in text:
        return "add it"
    if "Invalid enum value" in text:
        return "take a role or sense from docs/FORMAT.md"
    if "Expected" in text:
        return "change its type"
    return "mend the JSON of this line"


def _meaning(item: Item) -> Iterator[str]:
    """What can be read but not measured or asked."""
    for name in ("phrase", "language"):
        if not getattr(item, name).strip():
            yield f"field {name}: it is empty; fill it."
    without = [c.id for c in item.candidates if c.gain is None]
    if without and len(without) < len(item.candidates):
        yield f"field gain: absent for {many(without)}; give every candidate one, or none."
    blank = [c.id for c in item.candidates if not (c.image or c.url or c.captions)]
    if blank:
        yield f"field candidates: {many(blank)} with neither image, url nor captions; add one."
    infinite = [c.id for c in item.candidates if c.gain is not None and not c.gain >= 0]
    if infinite:
        yield f"field gain: {many(infinite)} below 0; a gain is 0 or more."


def _count(item: Item, found: Findings) -> None:
    found.items += 1
    found.candidates += len(item.candidates)
    found.phrases.add((item.language, item.phrase))
    found.languages[item.language] += 1
    if item.sense:
        found.senses[item.sense.value] += 1


def _tried(problems: Iterator[str]) -> list[str]:
    try:
        return list(problems)
    except InputError as error:
        return [str(error)]


def _pictures(folder: Path, used: set[str], found: Findings) -> None:
    found.pictures = len(used)
    images = folder / "images"
    if not images.is_dir():
        return
    there = {path.relative_to(folder).as_posix() for path in images.rglob("*") if path.is_file()}
    spare = sorted(there - used)
    if spare:
        found.remarks.append(f"{images}: {len(spare)} files that no item names ({many(spare)}).")
    if not (folder / MANIFEST).exists():
        found.remarks.append(
            f"{folder} has no {MANIFEST}, so damage goes unnoticed; write one with "
            "sha256sum benchmark.json items.jsonl images/* > manifest.sha256."
        )
