"""Replies that are no order and no choice: words and boxes, from files.

Words (`metaclue-vqa`): .jsonl, .csv or .tsv with `item` and `answer`, or `image`, `question` and
`answer`. Boxes (`metaclue-localisation`): .jsonl with `image`, `box` ([left, top, right, bottom]
in pixels), `score`, and `type` (explicit or contextual; without it the box stands for both).
Every reply is matched to the benchmark; none is measured here.
"""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path

import msgspec

from trope.errors import InputError, shown
from trope.item import Benchmark
from trope.read.boxes import Found
from trope.read.folder import lines
from trope.read.submission import json_rows
from trope.read.table import Row, parse_rows, read_text


def read_words(path: Path, benchmark: Benchmark) -> dict[str, str]:
    """Item id to answer; an item that is absent, or null, has none."""
    rows = _rows(path)
    by_question = {(item.extra["image"], item.phrase): item.id for item in benchmark.items}
    known = {item.id for item in benchmark.items}
    answers: dict[str, str] = {}
    first: dict[str, int] = {}
    for row in rows:
        name = row.get("item") or by_question.get((row.get("image"), row.get("question")), "")
        if name not in known:
            asked = row.get("item") or f"{row.get('image')}: {row.get('question')}"
            raise row.wrong(f"{benchmark.name} doesn't ask {shown(asked)}.")
        if name in first:
            raise row.wrong(f"a second answer to {shown(name)} (line {first[name]}); remove one.")
        first[name] = row.line
        if row.cells.get("answer") is not None:
            answers[name] = row["answer"]
    return answers


def _rows(path: Path) -> list[Row]:
    text = read_text(path)
    if path.suffix.lower() == ".jsonl":
        rows = json_rows(text, str(path), keep_null=True)
    else:
        tabs = "\t" in text.partition("\n")[0]
        rows = parse_rows(text, source=str(path), need=("answer",), tabs=tabs)
    if not rows:
        raise InputError(f"{path} holds no answer; is it the right file?")
    for row in rows:
        given = set(row.cells)
        if not ({"item"} <= given or {"image", "question"} <= given):
            raise row.wrong("expected item and answer, or image, question and answer.")
    if not any("answer" in row.cells for row in rows):
        raise InputError(f"{path} has no answer in any row; call the column answer.")
    return rows


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """One predicted box."""

    image: str
    box: tuple[float, float, float, float]
    score: float = 1.0
    type: str = ""


def read_boxes(path: Path, benchmark: Benchmark) -> dict[str, dict[str, list[Found]]]:
    """Type to picture to the boxes found there."""
    kinds = sorted({item.extra["type"] for item in benchmark.items})
    pictures = {item.extra["image"] for item in benchmark.items}
    found: dict[str, dict[str, list[Found]]] = {kind: defaultdict(list) for kind in kinds}
    decode = msgspec.json.Decoder(_Line).decode
    count = 0
    for line, data in lines(path):
        where = f"{path}, line {line}"
        try:
            one = decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(f"{where}: {error}.") from None
        if one.image not in pictures:
            raise InputError(f"{where}, image: {benchmark.name} has no picture {shown(one.image)}.")
        if one.type and one.type not in kinds:
            raise InputError(f"{where}, type: {shown(one.type)} isn't one of {', '.join(kinds)}.")
        left, top, right, bottom = one.box
        if not (left < right and top < bottom and math.isfinite(one.score)):
            raise InputError(f"{where}, box: {list(one.box)} isn't left, top, right, bottom.")
        for kind in [one.type] if one.type else kinds:
            found[kind][one.image].append(Found(one.box, one.score))
        count += 1
    if not count:
        raise InputError(f"{path} holds no box.")
    return found
