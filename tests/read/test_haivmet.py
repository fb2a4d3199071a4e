"""HAIVMet: a hundred metaphors, five pictures each, three people's rankings."""

from __future__ import annotations

import json
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau

from trope.errors import TropeError
from trope.read import load
from trope.read.haivmet import people_ranks
from trope.verbs import audit, run


@pytest.fixture(scope="module")
def published(shared_data: Path) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads((shared_data / "haivmet/metaphors.json").read_text())
    return loaded


def test_everything_published_is_kept(shared_data: Path, published: list[dict[str, Any]]) -> None:
    start = time.perf_counter()
    benchmark = load("haivmet", data=shared_data)
    assert time.perf_counter() - start < 1.0
    assert len(benchmark) == len(published) == 100
    assert not benchmark.notes
    for entry, item in zip(published, benchmark, strict=True):
        assert item.phrase == entry["metaphor"].strip() and item.kind == "metaphor"
        orders = {who: said["ranking"].split(",") for who, said in entry["rankings"].items()}
        assert {k.removeprefix("ranking.") for k in item.extra if k[:8] == "ranking."} == set(
            orders
        )
        for candidate in item.candidates:
            ranks = [order.index(candidate.id) + 1 for order in orders.values()]
            assert candidate.gain == pytest.approx(6 - np.mean(ranks))
            assert item.extra[f"system.{candidate.id}"] == entry["systems"][candidate.id]
            place = benchmark.picture(candidate)
            assert place is not None
            assert place.parts[-2:] == (f"metaphor{entry['id']}", f"{candidate.id}.jpg")
            for who, said in entry["rankings"].items():
                remark = "; ".join(t.strip() for t in said[f"image{candidate.id}"] if t.strip())
                assert item.extra.get(f"remark.{who}.{candidate.id}", "") == remark


def test_rankings_go_from_best_to_worst(shared_data: Path) -> None:
    """What people called perfect, they put first more often than last; lost causes the reverse."""
    places: dict[str, Counter[int]] = {"perfect": Counter(), "lost cause": Counter()}
    for item in load("haivmet", data=shared_data):
        for key, remark in item.extra.items():
            if key.startswith("remark.") and remark in places:
                _, who, number = key.split(".")
                order = item.extra[f"ranking.{who}"].split(",")
                places[remark][order.index(number)] += 1
    assert all(places["perfect"][a] > places["perfect"][b] for a, b in pairwise(range(5)))
    assert all(places["lost cause"][a] < places["lost cause"][b] for a, b in pairwise(range(5)))


def test_the_ceiling_against_scipy(shared_data: Path) -> None:
    """Each person against the mean rank of the other two; and the scorer against the same."""
    benchmark = load("haivmet", data=shared_data)
    made = run(benchmark, "random?seed=4")[0]
    found = audit("haivmet", [made], data=shared_data, pictures=False).ceiling
    ranks = people_ranks(benchmark)
    assert found is not None and ranks is not None and ranks.shape == (3, 100, 5)
    assert (np.sort(ranks, axis=2) == np.arange(1, 6)).all()

    people, scorer = [], []
    for row in range(100):
        for person in range(3):
            others = -np.delete(ranks[:, row], person, axis=0).mean(axis=0)
            if len(set(others)) > 1:
                people.append((row, kendalltau(-ranks[person, row], others).statistic))
                scorer.append((row, kendalltau(made.table.score[row], others).statistic))
    by_item = [np.mean([t for r, t in people if r == row]) for row in range(100)]
    assert found.kendall.value == pytest.approx(np.mean(by_item))
    assert found.kendall.low > 0.4
    own = [np.mean([t for r, t in scorer if r == row]) for row in range(100)]
    assert found.scorer_kendall is not None
    assert found.scorer_kendall.value == pytest.approx(np.mean(own))


def test_one_command(trope, shared_data: Path) -> None:  # type: ignore[no-untyped-def]
    assert trope("run", "haivmet", "--data", shared_data, "-m", "random").returncode == 0
    words = ("haivmet", "random", "--data", shared_data, "--no-pictures")
    result = trope("audit", *words)
    assert result.returncode == 0, result.stderr
    assert "One of 3 people agrees with the others" in result.stdout
    assert "less than a" in result.stdout


def test_no_people_no_ceiling() -> None:
    assert people_ranks(load("sample")) is None


def entry(**changes: Any) -> dict[str, Any]:
    return {
        "id": 0,
        "metaphor": "Love is a journey",
        "systems": {"1": "A", "2": "B"},
        "rankings": {"x": {"ranking": "1,2"}, "y": {"ranking": "2,1"}},
        **changes,
    }


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([entry(rankings={"x": {"ranking": "1,1"}})], "metaphor 0, x: the ranking '1,1' must name"),
        ([entry(rankings={"x": {"ranking": "1,2,3"}})], "must name each of 1, 2 once"),
        ([entry(rankings={"x": {}})], "must name each"),
        ([entry(rankings={})], "expected pictures"),
        ([entry(metaphor=" ")], "it is empty"),
        ([entry(), entry()], "more than once"),
        ([{"rankings": {}}], "missing required field"),
        ({"rankings": []}, "Expected `array`"),
    ],
)
def test_a_bad_file_gets_a_sentence(tmp_path: Path, entries: Any, said: str) -> None:
    (tmp_path / "metaphors.json").write_text(json.dumps(entries))
    with pytest.raises(TropeError, match=said):
        load("haivmet", data=tmp_path)


def test_absent_pictures_are_said(tmp_path: Path) -> None:
    (tmp_path / "metaphors.json").write_text(json.dumps([entry()]))
    benchmark = load("haivmet", data=tmp_path)
    assert "2 of 2 pictures are absent" in benchmark.notes[0]
    assert [c.gain for c in benchmark.items[0].candidates] == [1.5, 1.5]
