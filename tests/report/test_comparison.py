"""A comparison fits on a terminal and says what it found."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from trope.measure.compare import compare
from trope.report.comparison import (
    compared,
    comparison_html,
    comparison_object,
    comparison_text,
    letters,
)
from trope.report.lines import chance, signed_interval
from trope.runs import Run
from trope.verbs import run


@pytest.fixture
def runs() -> list[Run]:
    return list(run("sample", ["wordllama", "overlap", "random?seed=1"], "phrase"))


def widest(text: str) -> int:
    return max(len(line) for line in text.splitlines())


def test_two_runs_make_one_table(runs: list[Run]) -> None:
    text = comparison_text(compare(runs[:2]))
    assert widest(text) <= 80
    for part in ("A  wordllama · phrase", "B  overlap · phrase", "A − B", "Verdicts", "top1: "):
        assert part in text
    assert "They differ in top1 on" in text


def test_three_runs_make_a_family(runs: list[Run]) -> None:
    text = comparison_text(compare(runs))
    assert widest(text) <= 80
    assert "Holm" in text and "B − C" in text


def test_many_runs_list_only_what_differs(runs: list[Run]) -> None:
    noise = list(run("sample", [f"random?seed={k}" for k in range(30)]))
    text = comparison_text(compare([*noise, runs[0]]))
    assert widest(text) <= 80
    assert "R31  wordllama" in text and "of 465 pairs differ" in text
    assert letters(3) == ["A", "B", "C"] and letters(40)[39] == "R40"


def test_names_are_text_not_markup(runs: list[Run]) -> None:
    odd = Run(
        table=runs[0].table,
        meta={**runs[0].meta, "model": {**runs[0].meta["model"], "address": "[red]<b>\x1b[31m"}},
    )
    found = compare([odd, runs[1]])
    text = comparison_text(found)
    assert "[red]<b>" in text and "\x1b" not in text
    page = comparison_html(found)
    assert "<b>" not in page and "&lt;b&gt;" in page


def test_missing_answers_are_counted(runs: list[Run]) -> None:
    score = runs[0].table.score.copy()
    score[:5] = np.nan
    gaps = Run(table=runs[0].table.with_scores(score), meta=runs[0].meta)
    text = comparison_text(compare([gaps, runs[1]]))
    assert "5 of 32 items are left out" in text
    assert "no answer to 5 of 32 items" in text and widest(text) <= 80


def test_json_holds_everything_and_no_nan(runs: list[Run]) -> None:
    found: dict[str, Any] = json.loads(
        json.dumps(comparison_object(compare(runs)), allow_nan=False)
    )
    pair = found["pairs"][0]
    assert {"difference", "p", "holm", "verdict", "items", "left_out"} <= pair.keys()
    assert len(found["pairs"]) == 3 * len(found["measures"])


def test_it_prints_itself(runs: list[Run]) -> None:
    found = compared(runs[:2], measures=["top1"])
    assert repr(found) == comparison_text(found.comparison)
    assert found.measures == ("top1",)
    assert found._repr_html_().startswith("<table>")


def test_numbers_in_tables() -> None:
    from trope.measure.intervals import Estimate

    assert signed_interval(Estimate(0.114, -0.03, 0.25, 9, 0, "")) == "+.114 (-.03 to +.25)"
    assert signed_interval(Estimate(-0.0001, -1.0, 0.0, 9, 0, "")) == ".000 (-1.00 to .00)"
    assert [chance(p) for p in (0.0001, 0.0123, 1.0)] == ["<.001", ".012", "1"]
