"""HAIVMet's evaluation set (Chakrabarty and others, 2023): five generated pictures a metaphor,
ranked by three people.

`metaphors.json` lists the metaphors with each person's ranking, the pictures' numbers from best to
worst: a picture called perfect stands first most often, one called a lost cause last.
`images/metaphorN/K.jpg` is picture K of metaphor N. A candidate's gain is 6 less its mean rank, so
5 is everybody's first. Which system made a picture, what each person wrote of it and the rankings
themselves are in `Item.extra`. `trope audit haivmet RUN` holds each person against the others,
which is the ceiling, and the run's scorer against the same others.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from trope.address import Address
from trope.errors import InputError, shown, unknown
from trope.item import Benchmark, Candidate, Card, Item
from trope.read import check_data_folder
from trope.read.find import find_files
from trope.read.pictures import SUFFIXES
from trope.read.table import read_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TABLE = "metaphors.json"
RANKED = "ranking."
"""How `Item.extra` calls a person's ranking: the candidates' ids from best to worst."""
CARD = Card(
    title="HAIVMet: visual metaphors, people's rankings",
    citation="Chakrabarty, Saakyan, Winn, Panagopoulou, Yang, Apidianaki and Muresan (2023), "
    "I Spy a Metaphor: Large Language Models and Diffusion Models Co-Create Visual Metaphors",
    source="https://github.com/tuhinjubcse/VisualMetaphors",
    languages=("en",),
)


class _Metaphor(msgspec.Struct):
    """One entry of the file."""

    id: int
    metaphor: str
    systems: dict[str, str]
    rankings: dict[str, dict[str, str | list[str]]]


def read(address: Address, data: Path | None, gold: Path | None) -> Benchmark:
    """The metaphors with their pictures and rankings."""
    if gold is not None:
        raise InputError("--gold goes with AdMIRe's splits; HAIVMet's file holds its rankings.")
    if address.name.lower() != "haivmet":
        raise unknown("benchmark", address.name, ["haivmet"])
    table = _table(check_data_folder(data, "haivmet"))
    metaphors = _decoded(table)
    items = tuple(_item(one, table) for one in metaphors)
    _refuse_twice(items, table)
    absent = sum(c.image is None for item in items for c in item.candidates)
    total = sum(len(item.candidates) for item in items)
    return Benchmark(
        name="haivmet",
        task="ranking",
        items=items,
        card=CARD,
        root=table.parent,
        notes=(f"{absent} of {total} pictures are absent from {table.parent / 'images'}",)
        if absent
        else (),
    )


def _table(below: Path) -> Path:
    """IRFL has a file of the same name: this one speaks of rankings."""
    for path in find_files(below, TABLE):
        if '"rankings"' in read_text(path)[:20_000]:
            return path
    raise InputError(
        f"No {TABLE} with rankings below {shown(below, most=200)}; unpack HAIVMet there, or point "
        "--data at it."
    )


def _decoded(table: Path) -> list[_Metaphor]:
    try:
        metaphors = msgspec.json.decode(read_text(table), type=list[_Metaphor])
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InputError(f"{table}: {error}.") from None
    if not metaphors:
        raise InputError(f"{table} holds no metaphor.")
    return metaphors


def _item(one: _Metaphor, table: Path) -> Item:
    where = f"{table}, metaphor {one.id}"
    if not one.metaphor.strip():
        raise InputError(f"{where}: it is empty.")
    if len(one.systems) < 2 or not one.rankings:
        raise InputError(f"{where}: expected pictures (systems) and people's rankings of them.")
    numbers = sorted(one.systems)
    orders = {who: _order(said, numbers, f"{where}, {who}") for who, said in one.rankings.items()}
    name = f"metaphor-{one.id:03d}"
    candidates = [
        Candidate(id=number, gain=_gain(number, orders), image=_image(table.parent, one.id, number))
        for number in numbers
    ]
    return Item(
        id=name,
        phrase=one.metaphor.strip(),
        language="en",
        candidates=tuple(sorted(candidates, key=lambda c: _mixed(name, c.id))),
        kind="metaphor",
        extra={
            **{f"{RANKED}{who}": ",".join(order) for who, order in orders.items()},
            **{f"system.{number}": system for number, system in one.systems.items()},
            **_remarks(one),
        },
    )


def _order(said: dict[str, str | list[str]], numbers: list[str], where: str) -> list[str]:
    """A person's pictures from best to worst."""
    text = said.get("ranking")
    order = [part.strip() for part in text.split(",")] if isinstance(text, str) else []
    if sorted(order) != numbers:
        raise InputError(
            f"{where}: the ranking {shown(text)} must name each of {', '.join(numbers)} once."
        )
    return order


def _gain(number: str, orders: dict[str, list[str]]) -> float:
    """One more than the number of pictures, less the mean rank."""
    ranks = [order.index(number) + 1 for order in orders.values()]
    most = max(len(order) for order in orders.values())
    return most + 1 - sum(ranks) / len(ranks)


def _remarks(one: _Metaphor) -> dict[str, str]:
    """What each person wrote of each picture."""
    found = {}
    for who, said in one.rankings.items():
        for key, texts in said.items():
            words = [t.strip() for t in texts if t.strip()] if isinstance(texts, list) else []
            if words:
                found[f"remark.{who}.{key.removeprefix('image')}"] = "; ".join(words)
    return found


def _image(root: Path, metaphor: int, number: str) -> str | None:
    for suffix in (".jpg", *SUFFIXES):
        name = f"images/metaphor{metaphor}/{number}{suffix}"
        if number.isalnum() and (root / name).is_file():
            return name
    return None


def _mixed(*parts: str) -> bytes:
    """For an order that says nothing about the gold."""
    return hashlib.sha256("\0".join(parts).encode()).digest()


def _refuse_twice(items: tuple[Item, ...], table: Path) -> None:
    seen: set[str] = set()
    for item in items:
        if item.id in seen:
            raise InputError(f"{table}: the id of {item.id} stands more than once.")
        seen.add(item.id)


def people_ranks(benchmark: Benchmark) -> NDArray[np.float64] | None:
    """People x items x candidates, in the benchmark's own order; 1 is best, NaN not ranked.

    None where not two people ranked anything. Any benchmark with `ranking.NAME` in its items'
    extra has people, one in a folder of one's own too.
    """
    import numpy as np

    names = [key for item in benchmark.items for key in item.extra if key.startswith(RANKED)]
    people = list(dict.fromkeys(names))
    if len(people) < 2:
        return None
    width = max(len(item.candidates) for item in benchmark.items)
    ranks = np.full((len(people), len(benchmark.items), width), np.nan)
    for row, item in enumerate(benchmark.items):
        for person, key in enumerate(people):
            order = item.extra[key].split(",") if key in item.extra else []
            for place, candidate in enumerate(item.candidates):
                if candidate.id in order:
                    ranks[person, row, place] = order.index(candidate.id) + 1
    return ranks
