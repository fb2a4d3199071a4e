"""The published tables are as printed, and a run fills the cells it belongs to."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import trope as package
from trope.item import Benchmark, Candidate, Item
from trope.papers import facts, get, tables
from trope.papers.reproduce import Cell, reproduce, table_text
from trope.read import READERS
from trope.runs import Run, blank_table, scores_hash

WANTED = {
    "admire": range(1, 4),
    "irfl": range(2, 10),
    "compun": range(1, 4),
    "xmpie": range(3, 5),
}
FILES = {"admire": "000_", "irfl": "001_", "compun": "002_", "xmpie": "004_"}


def test_every_table_is_there() -> None:
    names = [f"{paper}-{n}" for paper, numbers in WANTED.items() for n in numbers]
    assert list(tables()) == names
    for table in tables().values():
        for row in table.rows:
            assert len(row.values) == len(table.columns), (table.id, row.label)
            assert len(row.spreads) in (0, len(row.values))


def test_every_cell_that_a_model_fills_says_how() -> None:
    for table in tables().values():
        for row in table.rows:
            for column in table.columns:
                about = facts(table, row, column)
                if about.model:
                    assert about.benchmark and about.measure, (table.id, row.label, column.label)
                    assert about.benchmark.split("/")[0].split("?")[0] in READERS


# -- proof-reading against the papers' text ------------------------------------------------------


def block(text: list[str], number: str) -> list[list[str]]:
    """The cells of the lines before a table's caption, nearest last."""
    caption = next(i for i, line in enumerate(text) if re.match(rf"Table {number}:", line))
    before = [i for i in range(caption) if re.match(r"Table \d+:", text[i])]
    lines = text[max(0, caption - 30, *before) : caption]
    cut = [line.strip().strip("|") for line in lines if "\t" in line or line.startswith("|")]
    parts = [re.split(r"[\t|]", line) for line in cut]
    return [[cell.strip() for cell in cells] for cells in parts]


def plain(cell: str) -> str:
    """A cell without emphasis, percent signs, citations and the words 'ours'."""
    cell = re.sub(r"</?[bu]>|[*$%]|\\pm|\(.*?\)", " ", cell)
    return " ".join(cell.split())


def numbers(cells: list[str]) -> list[float]:
    return [float(n) for cell in cells for n in re.findall(r"\d+(?:\.\d+)?", plain(cell))]


@pytest.mark.data
@pytest.mark.parametrize("name", [f"{p}-{n}" for p, many in WANTED.items() for n in many])
def test_numbers_are_as_printed(shared_data: Path, name: str) -> None:
    """Row by row, every number of the table stands in the paper's text in this order."""
    paper, number = name.split("-")
    folder = shared_data.parent / "papers"
    if not folder.is_dir():
        pytest.skip("the papers' texts are not on this machine")
    text = next(folder.glob(f"{FILES[paper]}*.txt")).read_text(encoding="utf-8").splitlines()
    lines, seen = block(text, number), Counter[str]()
    for row in get(name).rows:
        printed = []
        for place, value in enumerate(row.values):
            printed += [] if value is None else [value]
            printed += [row.spreads[place]] if row.spreads else []
        label = plain(row.label).replace("GPT4o", "GPT40")  # the text has a nought there
        same = [cells for cells in lines if plain(cells[0]) == label]
        turn = seen[row.label]  # a table may have a label twice, in English and in Portuguese
        seen[row.label] += 1
        assert same, (name, row.label)
        assert printed == numbers(same[turn][1:]), (name, row.label, same)


# -- runs ----------------------------------------------------------------------------------------


def made(benchmark: str, model: str, prompt: str, right: int, n: int = 15) -> Run:
    """A run on items of five, of which `right` have their gold first."""
    candidates = tuple(Candidate(id=f"{i}", gain=float(5 - i)) for i in range(5))
    items = tuple(
        Item(id=f"{i}", phrase=f"p{i}", language="en", candidates=candidates) for i in range(n)
    )
    blank = blank_table(Benchmark(name=benchmark, task="ranking", items=items))
    scores = np.tile([4.0, 3.0, 2.0, 1.0, 0.0], (n, 1))
    scores[right:] = scores[right:, ::-1]
    table = blank.with_scores(scores)
    meta = {
        "format": 1,
        "fingerprint": "0123456789abcdef",
        "benchmark": {"name": benchmark, "task": "ranking", "items": n, "hash": "0" * 64},
        "model": {"address": model},
        "prompt": {"name": prompt, "template": "", "hash": ""},
        "counts": {"items": n, "missing": 0, "candidates": 5 * n},
        "scores": scores_hash(table),
        "versions": {},
    }
    return Run(table=table, meta=meta)


def cell(cells: list[Cell], row: str, column: str) -> Cell:
    return next(c for c in cells if c.row == row and c.column == column)


def test_a_run_fills_its_cell_and_no_other() -> None:
    run = made("admire-a/en/test", "clip:copies/clip-vit-large-patch14", "phrase+sentence", 6)
    cells = reproduce(get("admire-1"), [run])
    filled = [c for c in cells if c.ours]
    assert {c.row for c in filled} == {"CLIP14 (English)"} and len(filled) == 2
    accuracy = cell(cells, "CLIP14 (English)", "accuracy")
    assert accuracy.ours and accuracy.ours.value == pytest.approx(0.4)
    assert accuracy.difference == pytest.approx(0.0) and accuracy.inside
    assert "clip-vit-large-patch14" not in "".join(
        c.command for c in cells if "(En" in c.row and not c.ours
    )


@pytest.mark.parametrize(
    ("benchmark", "model", "prompt"),
    [
        ("admire-a/en/dev", "clip:openai/clip-vit-large-patch14", "phrase+sentence"),
        ("admire-a/en/test", "clip:openai/clip-vit-base-patch32", "phrase+sentence"),
        ("admire-a/en/test", "siglip:openai/clip-vit-large-patch14", "phrase+sentence"),
        ("admire-a/en/test", "clip:openai/clip-vit-large-patch14", "phrase"),
        ("admire-a/en/test?captions=en", "clip:openai/clip-vit-large-patch14", "phrase+sentence"),
    ],
)
def test_another_experiment_fills_nothing(benchmark: str, model: str, prompt: str) -> None:
    assert not any(c.ours for c in reproduce(get("admire-1"), [made(benchmark, model, prompt, 6)]))


def test_percentages_options_and_outside() -> None:
    model = "clip:openai/clip-vit-large-patch14"
    run = made("irfl-detection/idiom?type=figurative", model, "phrase+definition", 90, n=100)
    cells = reproduce(get("irfl-3"), [run])
    filled = [c for c in cells if c.ours]
    assert [(c.row, c.column) for c in filled] == [("CLIP-ViT-L/14", "idiom, Fig.")]
    assert filled[0].ours and filled[0].ours.value == pytest.approx(90)
    assert filled[0].difference == pytest.approx(73) and filled[0].inside is False
    # An option with its default needn't be written.
    assert READERS["irfl-random"].options["candidates"] == "4"
    again = made("irfl-random/metaphor", model, "phrase", 7)
    assert [c.column for c in reproduce(get("irfl-5"), [again]) if c.ours] == ["metaphors, 4"]


def test_a_scorer_without_a_prompt_fits_any() -> None:
    run = made("irfl-random/idiom?type=figurative&candidates=6&seed=0", "random", "", 16, n=100)
    filled = [c for c in reproduce(get("irfl-4"), [run]) if c.ours]
    assert [(c.row, c.published, c.places) for c in filled] == [("Random", 16.6, 1)]
    assert filled[0].inside and filled[0].difference == pytest.approx(-0.6)


def test_people_and_counts_have_no_command() -> None:
    cells = reproduce(get("irfl-3"), [])
    assert not cell(cells, "Humans", "metaphor").command
    assert not cell(cells, "# Tasks", "metaphor").command
    assert cell(cells, "ViLT", "metaphor").command.startswith(
        "trope run irfl-detection/metaphor -m"
    )
    text = table_text(get("irfl-3"), cells)
    assert "0 of 52 cells have a run" in text and "131" in text
    assert not any(c.command for c in reproduce(get("xmpie-3"), []))


def test_the_command_line(trope, tmp_path: Path) -> None:
    listed = trope("reproduce")
    assert listed.returncode == 0 and all(name in listed.stdout for name in tables())
    made("admire-a/en/test", "random", "", 3).save(tmp_path / "runs" / "r")
    one = trope("reproduce", "compun-1", "--json")
    rows = [json.loads(line) for line in one.stdout.splitlines()]
    assert len(rows) == 11 and rows[1]["command"].startswith("trope run compun -m random")
    wrong = trope("reproduce", "compun-7")
    assert wrong.returncode == 2 and "compun-1" in wrong.stderr
    assert package.__version__
