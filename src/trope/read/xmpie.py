"""XMPIE: the same expressions in 34 languages, each with five pictures in standard slots.

A language is a table called `xmpie_tr.tsv` (or `xmpie_Turkish.tsv`): compound, and where there
are any, sentence, sentence_type (idiomatic or literal), image1_name to image5_name and
image1_caption to image5_caption. A number is a slot: 1 idiomatic, 2 idiomatic-related, 3
literal-related, 4 literal, 5 distractor. Without names the pictures are 1.png to 5.png in a folder
called as the compound. `?setting=expression` asks for the expression alone, once each.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import msgspec

from trope.address import Address
from trope.errors import InputError, shown
from trope.item import GOLD_ORDER, Benchmark, Candidate, Card, Item, Role, Sense
from trope.read import check_data_folder
from trope.read.admire import captions, check_names, numbered, picture_notes, sense_of, table_files
from trope.read.admire2 import NAMES, repeated_note
from trope.read.languages import asked, chosen, find_tables, together
from trope.read.pictures import Shelf
from trope.read.table import Row, read_rows

CARD = Card(
    title="XMPIE: a parallel cross-lingual benchmark for multimodal idiomaticity",
    citation="Torunoğlu-Selamet et al. (2026), LREC",
    source="https://shura.shu.ac.uk/37459/",
)
FILE = re.compile(r"xmpie[ _-](.+)\.tsv")
SETTINGS = ("sentence", "expression")
SLOTS: tuple[Role, ...] = (
    Role.idiomatic,
    Role.idiomatic_related,
    Role.literal_related,
    Role.literal,
    Role.distractor,
)
"""What the pictures 1 to 5 show (XMPIE, section 3)."""
EXPRESSION_GAINS = (1.0, 0.5, 0.5, 1.0, 0.0)
"""By slot, where no sentence decides between the senses (XMPIE, table 4)."""
KEPT = ("english", "translation", "alignment")
"""Columns of the parallel expressions that are kept in `Item.extra`."""


def read(address: Address, data: Path | None, gold: Path | None) -> Benchmark:
    """`xmpie/LANG`, `xmpie/LANG+LANG` or `xmpie/all`."""
    setting = address.options.get("setting", "")
    if setting and setting not in SETTINGS:
        raise InputError(f"setting must be {' or '.join(SETTINGS)}, not {shown(setting)}.")
    if gold is not None:
        raise InputError("XMPIE's gold is its slots; --gold goes with AdMIRe.")
    below = check_data_folder(data, address.name)
    wanted = asked("xmpie", address.name)
    tables = chosen(find_tables(table_files(below), FILE), wanted, "XMPIE", below)
    parts = [_language(table, language, setting) for language, table in tables.items()]
    name = f"xmpie/{'+'.join(wanted).lower() or 'all'}{f'?setting={setting}' if setting else ''}"
    return together(parts, name, below if below.is_dir() else below.parent)


def _language(table: Path, language: str, setting: str) -> Benchmark:
    rows = read_rows(table, need=("compound",))
    if not rows:
        raise InputError(f"{table} has a header and no rows; is the download complete?")
    silent = next((row for row in rows if not row.get("sentence").strip()), None)
    if setting == "sentence" and silent is not None:
        raise silent.wrong(f"{shown(silent['compound'])} has no sentence; use ?setting=expression.")
    if setting == "expression" or silent is not None:
        rows = _once(rows)
        in_sentence = False
    else:
        in_sentence = True
    shelf = Shelf(table.parent)
    items = tuple(
        _item(row, item_id, language, shelf, in_sentence=in_sentence)
        for row, item_id in zip(rows, numbered(rows), strict=True)
    )
    return Benchmark(
        name=f"xmpie/{language.lower()}",
        task="ranking",
        items=items,
        card=msgspec.structs.replace(CARD, languages=(language,)),
        root=table.parent,
        notes=(*picture_notes(rows, shelf), *(repeated_note(rows) if in_sentence else ())),
    )


def _once(rows: list[Row]) -> list[Row]:
    """The first row of each expression; its other sentences must show the same pictures."""
    first: dict[str, Row] = {}
    for row in rows:
        seen = first.setdefault(row["compound"], row)
        if _names(seen) != _names(row):
            raise row.wrong(
                f"{shown(row['compound'])} has other pictures than on line {seen.line}; an "
                "expression has one set of five."
            )
    return list(first.values())


def _names(row: Row) -> list[str]:
    return [row.get(column).strip() or f"{n}.png" for n, column in enumerate(NAMES, 1)]


def _item(row: Row, item_id: str, language: str, shelf: Shelf, *, in_sentence: bool) -> Item:
    if not row["compound"].strip():
        raise row.wrong("compound is empty.")
    names = _names(row)
    check_names(row, names, "a")
    sense = sense_of(row) if in_sentence else None
    candidates = [
        Candidate(
            id=name,
            role=role,
            gain=_gain(slot, sense, in_sentence=in_sentence),
            image=shelf.find(row["compound"], name, row),
            captions=captions(row, f"image{slot + 1}_caption", language),
        )
        for slot, (name, role) in enumerate(zip(names, SLOTS, strict=True))
    ]
    # The slots are the gold: a model that is shown them in their order could read it off.
    candidates.sort(key=lambda c: hashlib.sha256(f"{row['compound']}\0{c.id}".encode()).digest())
    return Item(
        id=item_id,
        phrase=row["compound"],
        language=language,
        candidates=tuple(candidates),
        kind="idiom",
        sense=sense,
        sentence=row["sentence"] if in_sentence else None,
        split="test",
        extra={column: row[column] for column in KEPT if row.get(column).strip()},
    )


def _gain(slot: int, sense: Sense | None, *, in_sentence: bool) -> float | None:
    """5 to 1 down the gold order of the sentence's sense; either sense alike without one."""
    if not in_sentence:
        return EXPRESSION_GAINS[slot]
    if sense is None:
        return None
    order = GOLD_ORDER[sense]
    return float(len(order) - order.index(SLOTS[slot]))
