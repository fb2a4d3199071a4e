"""AdMIRe 2.0: five pictures or captions to rank for a phrase in its sentence, in many languages.

A language's inputs are a table called `submission_Turkish.tsv` (or `submission_TR.tsv`) with the
columns compound, sentence, expected_order, image1_name, image1_caption and so on; answers are the
same file with the order filled in. A phrase has several sentences. Gold is not public: it stands
in expected_order, or comes with --gold. What XMPIE's reader shares with this one is here too.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import msgspec

from trope.address import Address
from trope.errors import InputError, many
from trope.item import Benchmark, Card
from trope.read import check_data_folder
from trope.read.admire import (
    CANDIDATES,
    captions,
    check_names,
    join,
    labelled,
    numbered,
    picture_notes,
    table_files,
)
from trope.read.languages import asked, chosen, find_tables, together
from trope.read.pictures import Shelf
from trope.read.table import Row, name_list, read_rows

CARD = Card(
    title="AdMIRe 2.0: multimodal idiomaticity in many languages",
    citation="Arslan et al. (2026), AdMIRe 2.0; its data is part of XMPIE",
    source="the shared task's server",
)
FILE = re.compile(r"submission[ _-](.+)\.tsv")
NAMES = tuple(f"image{n}_name" for n in range(1, CANDIDATES["a"] + 1))


def read(address: Address, data: Path | None, gold: Path | None) -> Benchmark:
    """`admire2/LANG`, `admire2/LANG+LANG` or `admire2/all`."""
    wanted = asked("admire2", address.name)
    name = f"admire2/{'+'.join(wanted).lower() or 'all'}"
    if gold is not None and len(wanted) != 1:
        raise InputError("--gold goes with one language: write admire2/tr, not several.")
    if data is None and gold is not None:
        return _from_gold(gold, wanted[0], name)
    below = check_data_folder(data, address.name)
    files = [path for path in table_files(below) if _has_pictures(path)]
    tables = chosen(find_tables(files, FILE), wanted, "AdMIRe 2.0", below)
    parts = [_language(table, language, gold) for language, table in tables.items()]
    return together(parts, name, below if below.is_dir() else below.parent)


def _has_pictures(path: Path) -> bool:
    """An input table names its pictures; a submission, though called the same, doesn't."""
    with path.open("rb") as file:
        return b"image1_name" in file.readline(65536)


def _language(table: Path, language: str, gold: Path | None) -> Benchmark:
    rows = read_rows(table, need=("compound", "sentence", *NAMES))
    if not rows:
        raise InputError(f"{table} has a header and no rows; is the download complete?")
    targets = {row.line: row for row in rows if row.get("expected_order").strip()}
    if gold is not None:
        targets = join(rows, read_rows(gold, need=("compound", "expected_order")), gold)
    shelf = Shelf(table.parent)
    items = []
    for row, item_id in zip(rows, numbered(rows), strict=True):
        names = [row[column].strip() for column in NAMES]
        check_names(row, names, "a")
        item = labelled(row, targets.get(row.line), names, "a", language, "test", item_id)
        candidates = tuple(
            msgspec.structs.replace(
                candidate,
                image=shelf.find(row["compound"], candidate.id, row),
                captions=captions(row, f"image{n}_caption", language),
            )
            for n, candidate in enumerate(item.candidates, 1)
        )
        items.append(msgspec.structs.replace(item, kind="idiom", candidates=candidates))
    return Benchmark(
        name=f"admire2/{language.lower()}",
        task="ranking",
        items=tuple(items),
        card=msgspec.structs.replace(CARD, languages=(language,)),
        root=table.parent,
        notes=(*picture_notes(rows, shelf), *repeated_note(rows)),
    )


def _from_gold(gold: Path, language: str, name: str) -> Benchmark:
    """From a file of orders alone: enough to score answers, not to ask for them."""
    rows = read_rows(gold, need=("compound", "expected_order"))
    if not rows:
        raise InputError(f"{gold} has a header and no rows; is the download complete?")
    items = []
    for row, item_id in zip(rows, numbered(rows), strict=True):
        names = sorted(name_list(row, "expected_order"))
        check_names(row, names, "a") if len(names) == CANDIDATES["a"] else _refuse(row, names)
        item = labelled(row, row, names, "a", language, "test", item_id)
        items.append(msgspec.structs.replace(item, kind="idiom"))
    card = msgspec.structs.replace(CARD, languages=(language,))
    return Benchmark(name=name, task="ranking", items=tuple(items), card=card)


def _refuse(row: Row, names: list[str]) -> None:
    raise row.wrong(f"expected_order must hold {CANDIDATES['a']} names; it has {len(names)}.")


def repeated_note(rows: list[Row]) -> tuple[str, ...]:
    """The published Turkish table holds one item twice; both are kept, and it is said."""
    often = Counter((row["compound"], row.get("sentence").strip()) for row in rows)
    twice = [compound for (compound, _), n in often.items() if n > 1]
    if not twice:
        return ()
    return (f"{rows[0].source}: {many(twice)} stands more than once with the same sentence.",)
