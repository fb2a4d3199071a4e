"""The examples of docs/FORMAT.md are true."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from PIL import Image

from trope.item import Candidate, Card, Item, Role
from trope.read import load
from trope.read.check import TASKS, check_folder
from trope.read.metaclue import Annotated
from trope.report.replies import scored_boxes, scored_words

TEXT = (Path(__file__).parent.parent / "docs" / "FORMAT.md").read_text(encoding="utf-8")


def example(name: str) -> str:
    """The code block after the comment of that name."""
    found = re.search(rf"<!-- {re.escape(name)} -->\n```\w*\n(.*?)```", TEXT, re.DOTALL)
    assert found, name
    return found[1]


def test_the_folder_is_one(tmp_path: Path) -> None:
    (tmp_path / "benchmark.json").write_text(example("benchmark.json"), encoding="utf-8")
    line = json.dumps(json.loads(example("item")))
    (tmp_path / "items.jsonl").write_text(line + "\n", encoding="utf-8")
    found = check_folder(tmp_path)
    assert found.problems == [] and found.remarks == []
    assert load(tmp_path).items[0].phrase == "cold feet"


def test_every_field_role_and_task_is_listed() -> None:
    for struct in (Item, Candidate, Annotated, Card):
        for field in struct.__struct_fields__:
            assert f"`{field}`" in TEXT or f'"{field}"' in TEXT, (struct.__name__, field)
    assert all(f"`{role}`" in TEXT for role in Role)
    assert all(f"`{task}`" in TEXT for task in TASKS)


def test_metaclue_and_its_answers(tmp_path: Path) -> None:
    line = json.dumps(json.loads(example("metaclue")))
    (tmp_path / "metaclue.jsonl").write_text(line + "\n", encoding="utf-8")
    (tmp_path / "ads").mkdir()
    Image.new("RGB", (640, 480)).save(tmp_path / "ads" / "phone.jpg")
    assert load("metaclue-classification", data=tmp_path).items[0].candidates[0].gain == 1
    words, boxes = tmp_path / "words.jsonl", tmp_path / "boxes.jsonl"
    words.write_text(example("words"))
    boxes.write_text(example("boxes"))
    vqa = load("metaclue-vqa", data=tmp_path)
    said = scored_words(vqa, words, similarity=lambda pairs: [0.5] * len(pairs), by="half")
    assert said.measures["accuracy"].value == 1 and said.measures["accuracy"].missing == 5
    found = scored_boxes(load("metaclue-localisation", data=tmp_path), boxes)
    assert found.measures["ap50_explicit"].value == 1


def test_xmpie(tmp_path: Path) -> None:
    (tmp_path / "xmpie_tr.tsv").write_text(example("xmpie"), encoding="utf-8")
    assert [item.sense for item in load("xmpie/tr", data=tmp_path)] == ["idiomatic", "literal"]
    assert len(load("xmpie/tr?setting=expression", data=tmp_path)) == 1


@pytest.mark.parametrize("command", sorted(set(re.findall(r"(?m)(?:`|^)trope (\w+)", TEXT))))
def test_every_command_exists(command: str) -> None:
    from trope.cli import app

    names = {c.name or c.callback.__name__ for c in app.registered_commands if c.callback}
    assert command in {name.replace("_", "-") for name in names}
