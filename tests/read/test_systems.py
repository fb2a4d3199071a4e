"""Forty published systems in one file become forty runs, with the numbers their authors printed."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path

import pytest

from trope.errors import InputError
from trope.item import Benchmark, Candidate, Item
from trope.read.systems import holds_systems, read_systems

HEADER = "compound,predicted_order,ground_truth_order,base_model,experiment\n"


def small() -> Benchmark:
    """Two items of three candidates; gold order c, a, b."""
    candidates = tuple(
        Candidate(id=f"{name}.png", gain=gain)
        for name, gain in (("a", 2.0), ("b", 1.0), ("c", 3.0))
    )
    items = tuple(
        Item(id=phrase, phrase=phrase, language="en", candidates=candidates)
        for phrase in ("cold feet", "big fish")
    )
    return Benchmark(name="small", task="ranking", items=items)


def written(folder: Path, *rows: str) -> Path:
    path = folder / "systems.csv"
    path.write_text(HEADER + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def test_a_place_is_a_place_in_the_listed_candidates(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        'cold feet,"[1, 2, 0]","[2, 0, 1]",CLIP,phrase',
        "big fish,\"['a.png', 'c.png', 'b.png']\",,CLIP,phrase",
    )
    assert holds_systems(path)
    (system,) = read_systems(path, small())
    assert (system.model, system.prompt) == ("CLIP", "phrase")
    assert system.answers.by_item["cold feet"].scores == (1.0, 3.0, 2.0)
    assert system.answers.by_item["big fish"].scores == (3.0, 1.0, 2.0)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ('cold feet,"[1, 2]",,CLIP,p', "line 2: predicted_order must hold each of the 3"),
        ('cold feet,"[1, 2, 3]",,CLIP,p', "line 2: predicted_order names '3'"),
        ('cold feet,"[1, 1, 0]",,CLIP,p', "2 of them different"),
        ("cold feet,soon,,CLIP,p", "must be a list"),
        ('cold feet,"[1, 2, 0]","[0, 1, 2]",CLIP,p', "ground_truth_order isn't the gold order"),
        ('warm feet,"[1, 2, 0]",,CLIP,p', "no compound 'warm feet'"),
        ('cold feet,"[1, 2, 0]",,,', "no system is named"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, row: str, says: str) -> None:
    path = written(tmp_path, row, 'big fish,"[0, 1, 2]",,CLIP,p')
    with pytest.raises(InputError, match=says.replace("[", r"\[")):
        read_systems(path, small())


def test_a_system_that_leaves_items_out_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, 'cold feet,"[1, 2, 0]",,CLIP,p')
    with pytest.raises(InputError, match="no answer for 'big fish'"):
        read_systems(path, small())


@pytest.mark.data
def test_forty_runs_agree_with_the_published_top1(admire: Path, trope, tmp_path: Path) -> None:
    file = admire / "clip_predictions" / "combined_predictions.csv"
    published: dict[str, list[float]] = defaultdict(list)
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            name = f"{row['base_model']} {row['model_name']}|{row['experiment']}"
            published[name].append(float(row["top1_score"]))
    done = trope("score", "admire-a/en/train", file, "--data", admire, "--out", "runs", "--json")
    assert done.returncode == 0, done.stderr
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(runs) == len(published) == 40
    for run in runs:
        scores = published[f"{run['model']}|{run['prompt']}"]
        assert run["items"] == len(scores) == 70
        assert run["measures"]["top1"]["value"] == pytest.approx(sum(scores) / 70, abs=1e-12)
    assert len(list((tmp_path / "runs").rglob("run.json"))) == 40
