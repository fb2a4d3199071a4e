"""The own format: what is written is read back equal, and what was tampered with is refused."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trope.errors import InputError
from trope.item import GOLD_ORDER, Benchmark, Candidate, Card, Item, Role, Sense
from trope.read import load
from trope.read.folder import SAMPLE, read_folder, write_folder

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
candidates = st.builds(
    Candidate,
    id=texts,
    role=st.none() | st.sampled_from(Role),
    gain=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    captions=st.dictionaries(st.sampled_from(["en", "ar", "zh"]), texts, max_size=2),
)
items = st.builds(
    Item,
    id=texts,
    phrase=texts,
    language=st.sampled_from(["en", "ar", "zh"]),
    candidates=st.lists(candidates, min_size=1, max_size=4, unique_by=lambda c: c.id).map(tuple),
    sense=st.none() | st.sampled_from(Sense),
    sentence=st.none() | texts,
    definitions=st.lists(texts, max_size=2).map(tuple),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(items, min_size=1, max_size=4, unique_by=lambda i: i.id), texts)
def test_written_then_read_is_equal(listed: list[Item], title: str) -> None:
    """Whatever the script: right-to-left, line separators, quotes, emoji."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "b"
        benchmark = Benchmark("own", "ranking", tuple(listed), Card(title=title), root=folder)
        write_folder(benchmark, folder)
        assert read_folder(folder) == benchmark


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SAMPLE, tmp_path / "copy"))


def test_the_sample_is_what_the_documentation_says() -> None:
    sample = load("sample")
    phrases = {(item.language, item.phrase) for item in sample}
    assert len(phrases) >= 12 and len(sample) == 2 * len(phrases)
    assert len({language for language, _ in phrases}) >= 2
    for item in sample:
        assert item.sense and item.sentence and item.definitions and item.kind
        order = sorted(item.candidates, key=lambda c: -(c.gain or 0))
        assert tuple(c.role for c in order) == GOLD_ORDER[item.sense]
        assert all(c.captions and sample.picture(c).is_file() for c in item.candidates)
    senses = {(i.phrase, i.sense) for i in sample}
    assert len(senses) == len(sample)
    assert sum(p.stat().st_size for p in SAMPLE.rglob("*") if p.is_file()) < 2_000_000


def test_the_manifest_is_one_that_sha256sum_checks() -> None:
    subprocess.run(["sha256sum", "--quiet", "-c", "manifest.sha256"], cwd=SAMPLE, check=True)


def test_pictures_come_along(folder: Path, tmp_path: Path) -> None:
    original = read_folder(folder)
    write_folder(original, tmp_path / "again")
    again = read_folder(tmp_path / "again")
    assert again.items == original.items and again.hash == original.hash
    shutil.rmtree(folder)
    assert all(again.picture(c).is_file() for item in again for c in item.candidates)


def test_one_language_of_the_sample() -> None:
    assert {item.language for item in load("sample/pt")} == {"pt"}
    with pytest.raises(Exception, match="sample/pt"):
        load("sample/pp")


def said(folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_folder(folder)
    return str(caught.value)


def test_tampering_is_noticed(folder: Path) -> None:
    picture = next((folder / "images").iterdir())
    data = picture.read_bytes()
    picture.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert picture.name in said(folder) and "changed or damaged" in said(folder)
    picture.unlink()
    assert "absent, but manifest.sha256 lists it" in said(folder)


def unsealed(folder: Path) -> list[dict[str, object]]:
    (folder / "manifest.sha256").unlink(missing_ok=True)
    return [json.loads(line) for line in (folder / "items.jsonl").read_text("utf-8").splitlines()]


def reseal(folder: Path, rows: list[object]) -> None:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "items.jsonl").write_text(text, encoding="utf-8")


def test_a_folder_made_by_hand_needs_no_manifest(folder: Path) -> None:
    unsealed(folder)
    assert len(read_folder(folder)) == len(load("sample"))


def test_wrong_items_are_named(folder: Path) -> None:
    rows = unsealed(folder)
    reseal(folder, [*rows, rows[0]])
    assert "stands more than once" in said(folder)
    reseal(folder, [rows[0] | {"candidates": []}])
    assert "has no candidates" in said(folder)
    reseal(folder, [rows[0], rows[1] | {"sence": "literal"}])
    assert "line 2" in said(folder) and "sence" in said(folder)
    reseal(folder, [rows[0] | {"candidates": rows[0]["candidates"] * 2}])
    assert "lists a candidate twice" in said(folder)
    for path in ("/etc/passwd", "../up.png", "images/../../up.png"):
        bad = [{"id": "1", "image": path}]
        reseal(folder, [rows[0] | {"candidates": bad}])
        assert "must lie inside the folder" in said(folder)
    reseal(folder, [rows[0] | {"candidates": [{"id": "1", "image": "images/none.png"}]}])
    assert "is absent" in said(folder)
    (folder / "items.jsonl").write_text("{broken\n")
    assert "line 1" in said(folder)
    (folder / "items.jsonl").write_text("")
    assert "holds no item" in said(folder)


def test_wrong_heads_are_named(folder: Path, tmp_path: Path) -> None:
    unsealed(folder)
    (folder / "benchmark.json").write_text('{"format": 99, "name": "x", "task": "ranking"}')
    assert "format 99" in said(folder)
    (folder / "benchmark.json").write_text('{"format": 1}')
    assert "benchmark.json" in said(folder)
    (folder / "benchmark.json").unlink()
    assert "has no benchmark.json" in said(folder)
    assert "no benchmark folder" in said(tmp_path / "nowhere")


def test_writing_over_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("mine")
    with pytest.raises(InputError, match="holds something else"):
        write_folder(load("sample"), tmp_path)
    assert (tmp_path / "precious.txt").read_text() == "mine"


def test_hash_and_gold_are_told_apart() -> None:
    sample = load("sample")
    first = msgspec.structs.replace(sample.items[0], sense=Sense.literal)
    assert first.sense != sample.items[0].sense
    other = msgspec.structs.replace(sample, items=(first, *sample.items[1:]))
    assert other.hash == sample.hash and other.gold != sample.gold
    renamed = msgspec.structs.replace(sample.items[0], phrase="warm feet")
    other = msgspec.structs.replace(sample, items=(renamed, *sample.items[1:]))
    assert other.hash != sample.hash and other.gold == sample.gold
