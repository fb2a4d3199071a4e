"""A run on disk: read back equal, the same bytes each time, and refused when it was changed."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

import trope
from trope.errors import InputError, TropeError
from trope.runs import Run, find_run
from trope.verbs import keep


@pytest.fixture
def made() -> Run:
    return trope.run("sample", "random?seed=3")[0]


def test_saved_then_loaded_is_equal(made: Run, tmp_path: Path) -> None:
    made.table.score[0, 2] = np.nan
    place = tmp_path / "r"
    from trope.runs import scores_hash

    made.meta["scores"] = scores_hash(made.table)
    made.save(place)
    again = Run.load(place)
    assert again.meta == made.meta
    for name in ("items", "phrases", "languages", "senses", "kinds", "said", "candidates"):
        assert getattr(again.table, name) == getattr(made.table, name)
    for name in ("score", "gain", "role", "real"):
        a, b = getattr(again.table, name), getattr(made.table, name)
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    assert not again.table.answered[0]


def test_the_same_experiment_gives_the_same_bytes(tmp_path: Path) -> None:
    folders = []
    for n in ("a", "b"):
        run = trope.run("sample", "wordllama", "sentence", out=tmp_path / n, fresh=True)[0]
        folders.append(keep(run, tmp_path / n))
    assert folders[0].name == folders[1].name
    for name in ("run.json", "scores.parquet"):
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()
    text = (folders[0] / "run.json").read_text()
    assert str(tmp_path) not in text and time.strftime("%Y-") not in text


def test_run_json_says_what_the_run_was(made: Run) -> None:
    meta = trope.run("sample/en", "wordllama", "A drawing of {phrase}.", limit=4)[0].meta
    assert (
        meta["model"]["weights"] and meta["model"]["version"] and meta["model"]["sees"] == "caption"
    )
    assert meta["prompt"]["template"] == "A drawing of {phrase}."
    assert meta["benchmark"]["name"] == "sample/en" and meta["benchmark"]["items"] == 4
    assert len(meta["benchmark"]["hash"]) == len(meta["benchmark"]["gold"]) == 64
    assert set(meta["versions"]) >= {"trope", "python", "numpy"}
    assert made.meta["seed"] == "3"
    other = trope.run("sample/en", "wordllama", "A picture of {phrase}.", limit=4)[0].meta
    assert other["fingerprint"] != meta["fingerprint"]


def test_a_run_that_was_changed_is_refused(made: Run, tmp_path: Path) -> None:
    place = keep(made, tmp_path)
    whole = (place / "run.json").read_text()
    meta = json.loads(whole)
    (place / "run.json").write_text(json.dumps(meta | {"scores": "0" * 64}))
    with pytest.raises(InputError, match="isn't the table"):
        Run.load(place)
    for broken in ("", "{}", "[]", "{", json.dumps(meta | {"format": 99})):
        (place / "run.json").write_text(broken)
        with pytest.raises(InputError, match=r"run\.json"):
            Run.load(place)
    (place / "run.json").write_text(whole)
    table = (place / "scores.parquet").read_bytes()
    (place / "scores.parquet").write_bytes(table[: len(table) // 2])
    with pytest.raises(InputError, match="can't be read"):
        Run.load(place)
    (place / "scores.parquet").unlink()
    with pytest.raises(InputError, match=r"no scores\.parquet"):
        Run.load(place)


def test_runs_are_found_by_a_part_of_their_name(tmp_path: Path) -> None:
    trope.run("sample", ["random?seed=1", "random?seed=2"], out=tmp_path)
    assert find_run("seed_2", tmp_path).parent == tmp_path / "sample"
    with pytest.raises(TropeError, match="could be 2 runs"):
        find_run("random", tmp_path)
    with pytest.raises(TropeError, match="There is no run 'nothing'"):
        find_run("nothing", tmp_path)
    with pytest.raises(TropeError, match="could be 2 runs"):
        find_run(str(tmp_path), tmp_path)


def test_saving_over_a_run_replaces_it_whole(made: Run, tmp_path: Path) -> None:
    place = keep(made, tmp_path)
    (place / "scores.parquet").write_bytes(b"damaged")
    (place / "run.json").write_text("damaged")
    assert keep(made, tmp_path) == place
    assert Run.load(place).meta == made.meta
    assert sorted(p.name for p in place.parent.iterdir()) == [place.name]


def test_runs_print_themselves(made: Run) -> None:
    runs = trope.run("sample", "random?seed=3")
    assert "random?seed=3" in repr(runs) and "(" in repr(runs)
    assert all(len(line) <= 80 for line in repr(runs).splitlines())
    assert "<table>" in runs._repr_html_()
    assert repr(made) == "random?seed=3 on sample: 32 items"
