"""`trope check` lists every problem of a folder at once, each with its place and remedy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trope.errors import InputError
from trope.read.check import check_folder
from trope.read.folder import SAMPLE, read_folder, stream_items

HEAD = {"format": 1, "name": "mine", "task": "ranking"}


def item(name: str, **more: object) -> dict[str, object]:
    candidates = [
        {"id": "a", "gain": 1, "captions": {"en": "a cat"}},
        {"id": "b", "gain": 0, "captions": {"en": "a dog"}},
    ]
    return {"id": name, "phrase": name, "language": "en", "candidates": candidates} | more


def folder(place: Path, *rows: object, head: object = HEAD) -> Path:
    (place / "benchmark.json").write_text(json.dumps(head), encoding="utf-8")
    text = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)
    (place / "items.jsonl").write_text(text, encoding="utf-8")
    return place


def test_the_sample_has_no_problem() -> None:
    found = check_folder(SAMPLE)
    assert found.problems == [] and found.items == len(read_folder(SAMPLE))
    assert "Nothing is wrong" in str(found)


def test_all_problems_are_listed_not_the_first(tmp_path: Path, trope) -> None:
    place = folder(
        tmp_path,
        item("one"),
        "{broken",
        item("one"),
        item("two", sence="literal"),
        item("three", candidates=[{"id": "x"}, {"id": "x", "gain": 2}]),
        item("four", candidates=[{"id": "x", "image": "../up.png"}, {"id": "y", "image": "n.png"}]),
        item("five", candidates=[{"id": "x", "gain": "much", "captions": {"en": "z"}}]),
        item("six", phrase=" "),
        item("seven", candidates=[]),
        item("eight", candidates=[{"id": "x", "role": "funny", "captions": {"en": "z"}}]),
        {"id": "nine"},
        head={"format": 7, "name": "mine", "task": "ranking"},
    )
    found = check_folder(place)
    text = str(found)
    expected = [
        ("benchmark.json", "format 7"),
        ("line 2", "mend the JSON"),
        ("line 3 ('one')", "more than once"),
        ("line 4", "unknown field `sence`"),
        ("line 5 ('three')", "lists a candidate twice"),
        ("line 5 ('three'), field gain", "give every candidate one"),
        ("line 5 ('three'), field candidates", "neither image"),
        ("line 6 ('four')", "inside the folder"),
        ("line 6 ('four')", "is absent"),
        ("line 7, field candidates[0].gain", "change its type"),
        ("line 8 ('six'), field phrase", "fill it"),
        ("line 9 ('seven')", "no candidates"),
        ("line 10, field candidates[0].role", "take a role"),
        ("line 11", "add it"),
    ]
    for where, what in expected:
        assert any(where in p and what in p for p in found.problems), (where, what, text)
    assert len(found.problems) == len(expected)
    done = trope("check", place)
    assert done.returncode == 2 and done.stdout.count("problem:") == len(expected)


def test_manifest_and_pictures(tmp_path: Path) -> None:
    place = folder(tmp_path, item("one", candidates=[{"id": "a", "image": "images/a.png"}]))
    (place / "images").mkdir()
    (place / "images" / "a.png").write_bytes(b"not a picture")
    (place / "images" / "spare.png").write_bytes(b"x")
    (place / "manifest.sha256").write_text(f"{'0' * 64}  items.jsonl\nnonsense\n")
    found = check_folder(place)
    assert len(found.problems) == 3
    assert any("can't be read as a picture" in problem for problem in found.problems)
    assert any("changed or damaged" in problem for problem in found.problems)
    assert any("line 2: expected" in problem for problem in found.problems)
    assert any("spare.png" in remark for remark in found.remarks)


def test_empty_and_absent_folders(tmp_path: Path, trope) -> None:
    assert len(check_folder(tmp_path).problems) == 2
    with pytest.raises(InputError, match="no benchmark folder"):
        check_folder(tmp_path / "nowhere")
    place = folder(tmp_path, item("one"))
    done = trope("check", place)
    assert done.returncode == 0 and "1 items of 1 phrases (en 1)" in done.stdout
    assert "no 'title', 'licence'" in done.stdout


def test_items_stream_and_stop_at_the_first_problem(tmp_path: Path) -> None:
    place = folder(tmp_path, item("one"), item("two"), "{broken")
    items = stream_items(place)
    assert next(items).id == "one" and next(items).id == "two"
    with pytest.raises(InputError, match="line 3"):
        next(items)
