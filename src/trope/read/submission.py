"""Answers made elsewhere: a shared-task submission (.tsv, or the .zip the server takes), or a
table of scores with the columns item, candidate and score.

Every answer is matched to an item; what is missing, extra, double or no permutation is refused
with its line. No measure is taken here.
"""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import msgspec

from trope.errors import InputError, many, shown
from trope.item import Benchmark, Item, Sense
from trope.read.admire import ANOTHER
from trope.read.table import Row, decode, name_list, parse_rows, read_text

MOST_UNPACKED = 256 * 1024 * 1024
_BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, lzma.LZMAError)


@dataclass(frozen=True)
class Answer:
    """What was answered for one item: a score for each candidate, and the sense named."""

    scores: tuple[float, ...]
    """NaN where a candidate has none."""
    said: str = ""


@dataclass(frozen=True)
class Answers:
    """The answers of a file, by item id."""

    by_item: dict[str, Answer]
    choice: bool
    """True where the file names one candidate rather than an order."""


def read_answers(path: Path, benchmark: Benchmark, *, complete: bool) -> Answers:
    """Read a file of answers; `complete` refuses one that leaves items out."""
    text, source = _text(path, benchmark)
    if path.suffix.lower() == ".jsonl":
        rows = json_rows(text, source)
    else:
        tabs = "\t" in text.lstrip("\r\n").partition("\n")[0]
        rows = parse_rows(text, source=source, need=(), tabs=tabs)
    if not rows:
        raise InputError(f"{source} holds no answer; is it the right file?")
    columns = set(rows[0].cells)
    for row in rows:  # only JSON lines can differ in this
        if lacks := sorted(columns - row.cells.keys()):
            raise row.wrong(f"no {many(lacks)}, which the first line has; add it.")
    if benchmark.task == "classification" and "candidate" not in columns:
        rows = [_about_picture(row) for row in rows]
        columns = set(rows[0].cells)
    if {"item", "candidate", "score"} <= columns:
        return Answers(_scores(rows, benchmark, source, complete=complete), choice=False)
    for column, choice in (("expected_order", False), ("expected_item", True)):
        if {"compound", column} <= columns:
            if choice != (benchmark.task == "completion"):
                raise InputError(
                    f"{source} has the column {column}, which is for subtask "
                    f"{'B' if choice else 'A'}; {benchmark.name} is another."
                )
            matched = match(rows, benchmark, source, complete=complete)
            return Answers(
                {item.id: _answer(row, item, choice=choice) for item, row in matched}, choice
            )
    raise InputError(
        f"{source} has the columns {many(sorted(columns), most=8)}; expected compound and "
        "expected_order (or expected_item), or item, candidate and score."
    )


def _about_picture(row: Row) -> Row:
    """A yes-or-no item has one candidate, called as the item: its picture and score will do."""
    name = row.get("item") or row.get("image")
    return Row(row.source, row.line, {**row.cells, "item": name, "candidate": name})


def _text(path: Path, benchmark: Benchmark) -> tuple[str, str]:
    if path.suffix.lower() != ".zip":
        return read_text(path), str(path)
    try:
        with zipfile.ZipFile(path) as archive:
            name = _member(archive, path, benchmark)
            with archive.open(name) as file:
                data = file.read(MOST_UNPACKED + 1)
    except FileNotFoundError:
        raise InputError(f"There is no file {shown(path, most=200)}; check the path.") from None
    except (OSError, NotImplementedError, RuntimeError, EOFError, *_BROKEN_ZIP) as error:
        raise InputError(
            f"{path} can't be read as a zip archive ({error}); make the archive again."
        ) from None
    if len(data) > MOST_UNPACKED:
        raise InputError(f"{name} in {path} unpacks to more than {MOST_UNPACKED >> 20} MB.")
    return decode(data, source=f"{path}:{name}"), f"{path}:{name}"


def submission_name(benchmark: str) -> str:
    """What the shared task's server calls the file: submission_EN.tsv, submission_XE.tsv."""
    parts = benchmark.partition("?")[0].split("/")
    code = parts[-1] if parts[-1] in ("xe", "xp") else parts[1] if len(parts) > 1 else "en"
    return f"submission_{code.upper()}.tsv"


def _member(archive: zipfile.ZipFile, path: Path, benchmark: Benchmark) -> str:
    names = [
        info.filename
        for info in archive.infolist()
        if info.filename.lower().endswith(".tsv")
        and not info.filename.startswith("__MACOSX")
        and not PurePosixPath(info.filename).name.startswith(".")
    ]
    wanted = submission_name(benchmark.name).lower()
    exact = [name for name in names if PurePosixPath(name).name.lower() == wanted]
    chosen = exact or names
    if len(chosen) != 1:
        raise InputError(
            f"{path} must hold one {submission_name(benchmark.name)}; it holds "
            f"{many(names) or 'no .tsv'}."
        )
    return chosen[0]


def json_rows(text: str, source: str, *, keep_null: bool = False) -> list[Row]:
    """The objects of a .jsonl as rows; null is the empty string, or with `keep_null` absent."""
    rows = []
    for line, part in enumerate(text.split("\n"), 1):
        if part.strip():
            try:
                cells = msgspec.json.decode(part, type=dict[str, str | float | None])
            except (msgspec.MsgspecError, RecursionError) as error:
                raise InputError(f"{source}, line {line}: {error}.") from None
            shown_cells = {
                k: "" if v is None else str(v)
                for k, v in cells.items()
                if v is not None or not keep_null
            }
            rows.append(Row(source, line, shown_cells))
    return rows


# -- orders and choices --------------------------------------------------------------------------


def match(
    rows: list[Row], benchmark: Benchmark, source: str, *, complete: bool
) -> list[tuple[Item, Row]]:
    """By compound; by sentence, else by turn, where a compound has several items."""
    by_phrase: dict[str, list[Item]] = defaultdict(list)
    for item in benchmark.items:
        by_phrase[item.phrase].append(item)
    extra = sorted({row["compound"] for row in rows} - by_phrase.keys())
    if extra:
        line = next(row.line for row in rows if row["compound"] == extra[0])
        raise InputError(
            f"{source}, line {line}: {benchmark.name} has no compound {many(extra)}; "
            "is this the right split?"
        )
    answers: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        answers[row["compound"]].append(row)
    matched = []
    for phrase, given in answers.items():
        matched += _pair(by_phrase[phrase], given, source)
    absent = sorted({i.id for i in benchmark.items} - {item.id for item, _ in matched})
    if complete and absent:
        raise InputError(
            f"{source} has no answer for {many(absent)}; a submission answers all "
            f"{len(benchmark.items)} items."
        )
    return matched


def _pair(items: list[Item], given: list[Row], source: str) -> list[tuple[Item, Row]]:
    if len(items) > 1 and "sentence" in given[0].cells:
        by_sentence: dict[str, list[Item]] = defaultdict(list)
        for item in items:
            by_sentence[(item.sentence or "").strip()].append(item)
        pairs: list[tuple[Item, Row]] = []
        for row in given:
            waiting = by_sentence.get(row["sentence"].strip())
            if waiting is None:
                raise row.wrong(f"no item of {shown(row['compound'])} has this sentence.")
            if not waiting:
                raise row.wrong(
                    f"a second answer for {shown(row['compound'])} in this sentence; remove one."
                )
            pairs.append((waiting.pop(0), row))  # AdMIRe 2.0 has the same item twice: by turn
        return pairs
    if len(given) > len(items):
        raise given[len(items)].wrong(
            f"a second answer for {shown(given[0]['compound'])} (the first is on line "
            f"{given[0].line}); remove one."
        )
    if len(given) < len(items):
        raise given[0].wrong(
            f"{shown(given[0]['compound'])} has {len(items)} items and {len(given)} answers; "
            "add the column sentence to say which is which."
        )
    return list(zip(items, given, strict=True))


def _answer(row: Row, item: Item, *, choice: bool) -> Answer:
    names = [candidate.id for candidate in item.candidates]
    if choice:
        chosen = row["expected_item"].strip()
        if chosen and chosen not in names and names[-1] == ANOTHER:
            chosen = ANOTHER
        if chosen not in names:
            raise row.wrong(f"expected_item {shown(chosen)} is none of {many(names, most=5)}.")
        return Answer(tuple(float(name == chosen) for name in names), _said(row))
    order = name_list(row, "expected_order")
    strange = [name for name in order if name not in names]
    if strange:
        raise row.wrong(
            f"expected_order names {many(strange)}, which {shown(item.phrase)} doesn't have."
        )
    if sorted(order) != sorted(names):
        raise row.wrong(
            f"expected_order must hold each of the {len(names)} candidates once; it has "
            f"{len(order)} names, {len(set(order))} of them different."
        )
    return Answer(tuple(float(len(order) - order.index(name)) for name in names), _said(row))


def _said(row: Row) -> str:
    text = row.get("sentence_type").strip().lower()
    if text and text not in list(Sense):
        raise row.wrong(f"sentence_type must be idiomatic or literal, not {shown(text)}.")
    return text


# -- scores --------------------------------------------------------------------------------------


def _scores(
    rows: list[Row], benchmark: Benchmark, source: str, *, complete: bool
) -> dict[str, Answer]:
    known = {item.id: {c.id for c in item.candidates} for item in benchmark.items}
    given: dict[str, dict[str, float]] = defaultdict(dict)
    said: dict[str, str] = {}
    for row in rows:
        name, candidate = row["item"], row["candidate"]
        if name not in known:
            raise row.wrong(f"{benchmark.name} has no item {shown(name)}; is it the right split?")
        if candidate not in known[name]:
            raise row.wrong(f"the item {shown(name)} has no candidate {shown(candidate)}.")
        if candidate in given[name]:
            raise row.wrong(f"a second score for {shown(candidate)} of {shown(name)}; remove one.")
        given[name][candidate] = _number(row)
        said[name] = _said(row) or said.get(name, "")
    answers = {}
    for item in benchmark.items:
        scores = tuple(given[item.id].get(c.id, float("nan")) for c in item.candidates)
        if complete and any(score != score for score in scores):
            raise InputError(
                f"{source} has no score for each candidate of {shown(item.id)}; add them."
            )
        answers[item.id] = Answer(scores, said.get(item.id, ""))
    return answers


def _number(row: Row) -> float:
    text = row["score"].strip()
    if not text:
        return float("nan")
    try:
        number = float(text)
    except ValueError:
        raise row.wrong(f"score must be a number, not {shown(text)}.") from None
    if number in (float("inf"), float("-inf")):
        raise row.wrong("score must be finite.")
    return number
