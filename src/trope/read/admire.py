"""AdMIRe (SemEval-2025 task 1), subtasks A and B, from the files as they were released.

A split is found anywhere below the data folder by its file's name; its gold stands in the table
itself or in a targets file. Captions come in English and, for Portuguese, in both languages.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from pathlib import Path

import msgspec

from trope.address import Address
from trope.errors import InputError, many, shown, unknown
from trope.item import GOLD_ORDER, Benchmark, Candidate, Card, Item, Sense
from trope.read import check_data_folder
from trope.read.find import find_files
from trope.read.picture import check_picture
from trope.read.pictures import Shelf
from trope.read.table import Row, name_list, read_rows

LANGUAGES = ("en", "pt")
SPLITS = ("train", "dev", "test", "xe", "xp")
CANDIDATES = {"a": 5, "b": 4}
"""Five pictures to rank in A; four to complete a sequence with in B."""
CARD = Card(
    title="AdMIRe: Advancing Multimodal Idiomaticity Representation",
    licence="CC BY 4.0",
    citation="Pickard et al., SemEval-2025 Task 1: AdMIRe",
    source="SemEval-2025 task 1",
)
ANOTHER = "(another)"
"""Stands for every wrong candidate where only subtask B's targets are known."""
_FOLDER_WORDS = {
    "pt": {"pt", "ptbr", "br", "portuguese", "portugese", "xp"},
    "en": {"en", "english", "xe"},
}


def read(address: Address, data: Path | None, gold: Path | None) -> Benchmark:
    """`admire-a/LANGUAGE/SPLIT` or `admire-b/LANGUAGE/SPLIT`."""
    subtask, language, split = _parts(address)
    if data is None and gold is not None:
        return _from_gold(gold, subtask, language, split)
    below = check_data_folder(data, address.name)
    table = find_split(below, subtask, language, split)
    rows = read_rows(table, need=_columns(subtask))
    if not rows:
        raise InputError(f"{table} has a header and no rows; is the download complete?")
    _refuse_duplicates(rows)
    targets = _targets(rows, table, subtask, language, split, below=below, gold=gold)
    shelf = Shelf(table.parent)
    ids = numbered(rows)
    items = tuple(
        _item(row, targets.get(row.line), subtask, language, split, shelf, item_id)
        for row, item_id in zip(rows, ids, strict=True)
    )
    return Benchmark(
        name=f"admire-{subtask}/{language}/{split}",
        task="ranking" if subtask == "a" else "completion",
        items=items,
        card=msgspec.structs.replace(CARD, languages=(language,)),
        root=table.parent,
        notes=picture_notes(rows, shelf),
    )


def _parts(address: Address) -> tuple[str, str, str]:
    parts = address.name.lower().split("/")
    if len(parts) != 3 or parts[1] not in LANGUAGES or parts[2] not in SPLITS:
        known = [f"{parts[0]}/{language}/{split}" for language in LANGUAGES for split in SPLITS]
        raise unknown("split", address.name, known, advice=f"Write {parts[0]}/en/train.")
    if parts[1:] in (["en", "xp"], ["pt", "xe"]):
        raise InputError(
            f"The extended set is {parts[0]}/en/xe in English and {parts[0]}/pt/xp in Portuguese."
        )
    return parts[0][-1], parts[1], parts[2]


def _columns(subtask: str) -> tuple[str, ...]:
    names = tuple(f"image{n}_name" for n in range(1, CANDIDATES[subtask] + 1))
    text = ("sentence",) if subtask == "a" else ("sequence_caption1", "sequence_caption2")
    return ("compound", *text, *names)


def find_split(below: Path, subtask: str, language: str, split: str) -> Path:
    """The table of one split, wherever it was unpacked."""
    wanted = f"subtask_{subtask}_{split}.tsv"
    found = find_files(below, wanted)
    if not found:
        raise InputError(
            f"No {wanted} below {shown(below, most=200)}; unpack the release's archive for "
            f"admire-{subtask}/{language}/{split} there, or point --data at it."
        )
    right = [path for path in found if _language(path, below) == language]
    if not right:
        raise InputError(
            f"{wanted} is below {shown(below, most=200)} in another language only "
            f"({many(found)}); unpack the archive for {language} there too."
        )
    if len({path.read_bytes() for path in right}) > 1:
        raise InputError(
            f"There are several different {wanted} for {language}: {many(right)}; "
            "point --data at one of their folders."
        )
    return min(right, key=lambda path: (len(path.parts), str(path)))


def table_files(below: Path) -> list[Path]:
    """Every .tsv below a folder, hidden folders left out; the file itself where one is given."""
    if below.is_file():
        return [below]
    found = []
    for folder, folders, files in os.walk(below):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        found += [Path(folder, file) for file in files if file.lower().endswith(".tsv")]
    return sorted(found)


def _language(table: Path, below: Path) -> str:
    """By the columns (Portuguese captions), then by the folders' and the file's words."""
    try:
        with table.open("rb") as file:
            if b"_caption_pt" in file.readline(65536):
                return "pt"
    except OSError as error:
        raise InputError(f"Can't read {table}: {error.strerror}.") from None
    inside = table.relative_to(below.parent if below.is_file() else below)
    for part in [*reversed(inside.parts), *reversed(below.resolve().parts)]:
        words = set(re.split(r"[^a-z]+", part.lower().replace("pt-br", "pt")))
        for language, names in _FOLDER_WORDS.items():
            if words & names:
                return language
    return "en"


def _refuse_duplicates(rows: list[Row]) -> None:
    first: dict[tuple[str, ...], int] = {}
    for row in rows:
        key = (row["compound"], row.get("sentence"), row.get("sequence_caption1"))
        if key in first:
            raise row.wrong(
                f"the same item as line {first[key]} ({shown(row['compound'])}); remove one."
            )
        first[key] = row.line


def numbered(rows: list[Row]) -> list[str]:
    """The compound, numbered where it has several sentences."""
    often = Counter(row["compound"] for row in rows)
    seen: Counter[str] = Counter()
    ids = []
    for row in rows:
        compound = row["compound"]
        seen[compound] += 1
        ids.append(compound if often[compound] == 1 else f"{compound} #{seen[compound]}")
    return ids


# -- gold ----------------------------------------------------------------------------------------


def _gold_column(subtask: str) -> str:
    return "expected_order" if subtask == "a" else "expected_item"


def _targets(
    rows: list[Row],
    table: Path,
    subtask: str,
    language: str,
    split: str,
    *,
    below: Path,
    gold: Path | None,
) -> dict[int, Row]:
    """Line of an item's row -> the row that holds its gold. Empty where there is no gold."""
    column = _gold_column(subtask)
    if gold is None:
        given = [row for row in rows if row.get(column).strip()]
        if given:
            return {row.line: row for row in given}
        gold = _find_targets(below, table, f"{subtask}_{language}_{split}_targets.tsv")
        if gold is None:
            return {}
    answers = read_rows(gold, need=("compound", column))
    return join(rows, answers, gold)


def _from_gold(gold: Path, subtask: str, language: str, split: str) -> Benchmark:
    """A benchmark from its targets file alone: enough to score answers, not to ask for them."""
    rows = read_rows(gold, need=("compound", _gold_column(subtask)))
    if not rows:
        raise InputError(f"{gold} has a header and no rows; is the download complete?")
    _refuse_duplicates(rows)
    items = []
    for row, item_id in zip(rows, numbered(rows), strict=True):
        if not row[_gold_column(subtask)].strip():
            raise row.wrong(f"{_gold_column(subtask)} is empty; a targets file holds the answers.")
        if subtask == "a":
            names = sorted(name_list(row, "expected_order"))
            if len(names) != CANDIDATES["a"] or len(set(names)) != len(names):
                raise row.wrong(f"expected_order must hold {CANDIDATES['a']} different names.")
        else:
            names = [row["expected_item"].strip(), ANOTHER]
        items.append(labelled(row, row, names, subtask, language, split, item_id))
    return Benchmark(
        name=f"admire-{subtask}/{language}/{split}",
        task="ranking" if subtask == "a" else "completion",
        items=tuple(items),
        card=msgspec.structs.replace(CARD, languages=(language,)),
    )


def _find_targets(below: Path, table: Path, name: str) -> Path | None:
    beside = table.parent / name
    if beside.exists():
        return beside
    found = find_files(below, name)
    if len({path.read_bytes() for path in found}) > 1:
        raise InputError(f"There are several different {name}: {many(found)}; choose with --gold.")
    return found[0] if found else None


def join(rows: list[Row], answers: list[Row], source: Path) -> dict[int, Row]:
    """Match answers to items by compound, and by sentence where a compound has several.

    Items that are the same in both, and all items of a compound where the answers have no
    sentences, are matched by turn.
    """
    often = Counter(row["compound"] for row in rows)
    spoken = bool(answers) and "sentence" in answers[0].cells

    def key(row: Row) -> tuple[str, str]:
        compound = row["compound"]
        several = spoken and often[compound] > 1
        return compound, row.get("sentence").strip() if several else ""

    wanted: dict[tuple[str, str], list[Row]] = defaultdict(list)
    given: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        wanted[key(row)].append(row)
    for answer in answers:
        own = given[key(answer)]
        own.append(answer)
        if key(answer) in wanted and len(own) > len(wanted[key(answer)]):
            raise answer.wrong(
                f"a second answer for {shown(answer['compound'])} "
                f"(the first is on line {own[0].line}); remove one."
            )
    absent = [compound for compound, _ in wanted.keys() - given.keys()]
    absent += [k[0] for k in wanted.keys() & given.keys() if len(given[k]) < len(wanted[k])]
    extra = [compound for compound, _ in given.keys() - wanted.keys()]
    if absent or extra:
        raise InputError(
            f"{source} isn't the gold of this split: "
            + "; ".join(
                part
                for part in (
                    f"no answer for {many(sorted(absent))}" if absent else "",
                    f"answers for {many(sorted(extra))}, which the split doesn't have"
                    if extra
                    else "",
                )
                if part
            )
            + "."
        )
    return {
        row.line: answer
        for k, own in wanted.items()
        for row, answer in zip(own, given[k], strict=True)
    }


def sense_of(row: Row) -> Sense | None:
    text = row.get("sentence_type").strip().lower()
    if not text:
        return None
    try:
        return Sense(text)
    except ValueError:
        raise row.wrong(f"sentence_type must be idiomatic or literal, not {shown(text)}.") from None


def _gains(answer: Row | None, names: list[str], subtask: str) -> dict[str, float]:
    """Gains by candidate: 5 to 1 down the gold order in A, 1 for the right one in B."""
    if answer is None:
        return {}
    if subtask == "b":
        right = answer["expected_item"].strip()
        if not right:
            return {}
        if right not in names:
            raise answer.wrong(f"expected_item {shown(right)} is none of {many(names, most=5)}.")
        return {name: float(name == right) for name in names}
    if not answer["expected_order"].strip():
        return {}
    order = name_list(answer, "expected_order")
    strange = [name for name in order if name not in names]
    if strange:
        raise answer.wrong(
            f"expected_order names {many(strange)}, which {'is' if len(strange) == 1 else 'are'} "
            f"no candidate of {shown(answer['compound'])}."
        )
    if len(order) != len(names) or len(set(order)) != len(order):
        raise answer.wrong(
            f"expected_order must hold each of the {len(names)} candidates once; it has "
            f"{len(order)} names, {len(set(order))} of them different."
        )
    return {name: float(len(order) - place) for place, name in enumerate(order)}


# -- items ---------------------------------------------------------------------------------------


def _item(
    row: Row,
    answer: Row | None,
    subtask: str,
    language: str,
    split: str,
    shelf: Shelf,
    item_id: str,
) -> Item:
    names = [row[f"image{n}_name"].strip() for n in range(1, CANDIDATES[subtask] + 1)]
    check_names(row, names, subtask)
    item = labelled(row, answer, names, subtask, language, split, item_id)
    candidates = tuple(
        msgspec.structs.replace(
            candidate,
            image=shelf.find(row["compound"], candidate.id, row),
            captions=captions(row, f"image{n}_caption", language),
        )
        for n, candidate in enumerate(item.candidates, 1)
    )
    sequence = _sequence(row, shelf, language) if subtask == "b" else ()
    return msgspec.structs.replace(item, candidates=candidates, sequence=sequence)


def labelled(
    row: Row,
    answer: Row | None,
    names: list[str],
    subtask: str,
    language: str,
    split: str,
    item_id: str,
) -> Item:
    """The item with its sense, roles and gains, but neither pictures nor captions."""
    if not row["compound"].strip():
        raise row.wrong("compound is empty.")
    sense = (sense_of(answer) if answer else None) or sense_of(row)
    gains = _gains(answer, names, subtask)
    order = sorted(names, key=lambda name: -gains[name]) if gains else []
    slots = GOLD_ORDER[sense] if sense and subtask == "a" else ()
    roles = dict(zip(order, slots, strict=False))
    return Item(
        id=item_id,
        phrase=row["compound"],
        language=language,
        kind="compound",
        candidates=tuple(
            Candidate(id=name, role=roles.get(name), gain=gains.get(name)) for name in names
        ),
        sense=sense,
        sentence=row.get("sentence") if row.get("sentence").strip() else None,
        split=split,
        extra={"subset": row["subset"]} if row.get("subset") else {},
    )


def check_names(row: Row, names: list[str], subtask: str) -> None:
    if not all(names):
        raise row.wrong(
            f"{shown(row['compound'])} has {sum(map(bool, names))} candidates where subtask "
            f"{subtask.upper()} has {CANDIDATES[subtask]}; fill image1_name to "
            f"image{CANDIDATES[subtask]}_name."
        )
    if len(set(names)) != len(names):
        raise row.wrong(f"{shown(row['compound'])} lists a picture twice: {many(names, most=5)}.")
    outside = [name for name in names if "/" in name or "\\" in name or name.startswith(".")]
    if outside:
        raise row.wrong(f"{many(outside)} isn't a plain file name.")


def captions(row: Row, column: str, language: str) -> dict[str, str]:
    """The item's own language first; English where that is all there is."""
    own = row.get(f"{column}_{language}") if language != "en" else ""
    english = row.get(column)
    return {lang: text for lang, text in ((language, own), ("en", english)) if text.strip()}


def _sequence(row: Row, shelf: Shelf, language: str) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(
            id=f"s{n}.png",
            image=shelf.find(row["compound"], f"s{n}.png", None),
            captions=captions(row, f"sequence_caption{n}", language),
        )
        for n in (1, 2)
    )


def picture_notes(rows: list[Row], shelf: Shelf) -> tuple[str, ...]:
    """Absent pictures are noted, not refused: the published release itself lacks two."""
    for row, path in shelf.present:
        check_picture(path, where=f"{row.source}, line {row.line}: " if row else "")
    if not shelf.absent or not shelf.present:
        return ()
    names = [f"{folder}/{name}" for folder, name, _ in shelf.absent]
    lines = ", ".join(sorted({f"{row.line}" for *_, row in shelf.absent if row}, key=int)[:3])
    return (
        f"{rows[0].source}, line {lines}: of {len(names) + len(shelf.present)} pictures "
        f"{len(names)} absent ({many(names)}); a model that looks at pictures has no answer there.",
    )
