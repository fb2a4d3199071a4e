"""The Croissant export loads in mlcroissant, and the card counts what is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trope.errors import InputError
from trope.item import Benchmark, Candidate, Card, Item, Role, Sense
from trope.read import load
from trope.read.folder import read_folder
from trope.report.card import write_card


def small() -> Benchmark:
    candidates = (
        Candidate(id="a", role=Role.idiomatic, gain=1.0, captions={"en": "a shy | man"}),
        Candidate(id="b", role=Role.literal, gain=0.0, captions={"en": "snow on toes"}),
    )
    items = (
        Item(id="1", phrase="cold feet", language="en", candidates=candidates, sense=Sense.literal),
        Item(id="2", phrase="big fish", language="en", candidates=candidates),
    )
    return Benchmark(name="my own/en", task="ranking", items=items, card=Card(title="Mine"))


def croissant_of(folder: Path):
    mlc = pytest.importorskip("mlcroissant")
    dataset = mlc.Dataset(jsonld=folder / "croissant.json")
    issues = dataset.metadata.issues
    assert not issues.errors, issues.report()
    return dataset


def test_mlcroissant_reads_what_was_written(tmp_path: Path) -> None:
    write_card(small(), tmp_path / "out")
    dataset = croissant_of(tmp_path / "out")
    items = list(dataset.records("items"))
    assert [record["items/phrase"].decode() for record in items] == ["cold feet", "big fish"]
    rows = list(dataset.records("candidates"))
    assert [(r["candidates/item"].decode(), r["candidates/gain"]) for r in rows] == [
        ("1", 1.0), ("1", 0.0), ("2", 1.0), ("2", 0.0),
    ]  # fmt: skip
    assert rows[0]["candidates/role"] == b"idiomatic"


def test_the_sample_with_its_pictures(trope, tmp_path: Path) -> None:
    done = trope("card", "sample", "-o", "out")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "out"
    sample = load("sample")
    assert read_folder(folder).items == sample.items
    dataset = croissant_of(folder)
    rows = list(dataset.records("candidates"))
    assert len(rows) == sum(len(item.candidates) for item in sample)
    assert all((folder / row["candidates/image"].decode()).is_file() for row in rows)
    text = (folder / "README.md").read_text(encoding="utf-8")
    pictures = len({c.image for item in sample if item.language == "en" for c in item.candidates})
    assert f" {pictures} |" in next(line for line in text.splitlines() if line.startswith("| en "))
    assert trope("check", "out").returncode == 0
    before = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    assert trope("card", "out", "-o", "out").returncode == 0  # again, in its own folder
    assert json.loads((folder / "croissant.json").read_text(encoding="utf-8")) == before


def test_another_benchmark_is_not_overwritten(tmp_path: Path) -> None:
    write_card(small(), tmp_path / "out")
    with pytest.raises(InputError, match="another benchmark"):
        write_card(load("sample"), tmp_path / "out")
