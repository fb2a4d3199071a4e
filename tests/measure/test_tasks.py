"""The papers' own measures, against plain loops over the same tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.errors import TropeError
from trope.measure.ranking import Top1
from trope.measure.tasks import Strict, choice, classes, detection

Build = Callable[..., Any]
scores = st.lists(
    st.lists(st.sampled_from([0.1, 0.2, 0.3, math.nan]), min_size=3, max_size=3),
    min_size=1,
    max_size=12,
)
THREE = [1.0, 0.0, 0.0]


@given(scores)
def test_strict_is_equation_1(build: Build, rows: list[list[float]]) -> None:
    table = build(rows, [THREE] * len(rows))
    for row, value, shared in zip(rows, Strict()(table), Top1()(table), strict=True):
        if any(math.isnan(score) for score in row):
            assert math.isnan(value)
        else:
            assert value == float(row[0] > row[1] and row[0] > row[2])
            assert value <= shared  # a tie is half a hit there and none here


def test_choice_by_hand(build: Build) -> None:
    table = build(
        [[0.9, 0.1, 0.2], [0.5, 0.5, 0.1], [0.3, 0.2, 0.1], [0.1, 0.2, 0.3], [0.4, math.nan, 0.1]],
        [THREE] * 5,
    )
    found = choice(table)
    assert found["strict"].value == 0.5 and found["strict"].n == 4
    assert found["strict"].missing == 1
    assert found["winning_score"].value == pytest.approx(0.6)
    assert found["winning_score"].n == 2
    assert -1 <= found["winning_score"].low < 0.6 < found["winning_score"].high <= 1


def test_choice_of_a_scorer_that_never_wins(build: Build) -> None:
    found = choice(build([[0.1, 0.5, 0.5]] * 3, [THREE] * 3))
    assert found["strict"].value == 0 and "winning_score" not in found


def test_scores_beyond_one_keep_their_range(build: Build) -> None:
    found = choice(build([[30.0, 1.0, 2.0], [20.0, 3.0, 2.0]], [THREE] * 2))
    assert found["winning_score"].value == 25.0
    assert 1.0 <= found["winning_score"].low <= 25.0 <= found["winning_score"].high <= 30.0


def test_without_gold_there_is_nothing(build: Build) -> None:
    assert choice(build([[0.1, 0.2]])) == {}
    assert detection(build([[0.1, 0.2]])) == {}


def test_detection_tells_the_two_kinds_of_answer_apart(build: Build) -> None:
    roles = [
        ["figurative", "partial_literal", "none"],
        ["figurative", "partial_literal", "none"],
        ["figurative_literal", "partial_literal", "none"],
    ]
    table = build([[3, 2, 1], [1, 2, 3], [3, 2, 1]], [THREE] * 3, roles=roles)
    found = detection(table)
    assert {name: (e.value, e.n) for name, e in found.items()} == {
        "top1_figurative": (0.5, 2),
        "top1_figurative_literal": (1.0, 1),
        "failures_on_literal": (0.0, 1),
    }
    one_kind = detection(table.take(np.array([0, 1])))
    assert set(one_kind) == {"failures_on_literal"}  # the rest is top1


def test_failures_on_literal_by_hand(build: Build) -> None:
    """Two level distractors, one of them literal, are half a failure on it; rights don't count."""
    roles = [["figurative", "partial_literal", "none"]] * 5
    rows = [[1, 2, 0], [1, 0, 2], [0, 2, 2], [3, 2, 1], [math.nan, 1, 2]]
    found = detection(build(rows, [THREE] * 5, roles=roles))["failures_on_literal"]
    assert (found.value, found.n, found.missing) == (0.5, 3, 0)


@given(
    st.lists(
        st.lists(st.sampled_from([0.0, 0.5, 1.0, math.nan]), min_size=8, max_size=8),
        min_size=7,
        max_size=7,
    )
)
def test_classes_by_picture(build: Build, rows: list[list[float]]) -> None:
    truth = [0, 0, 1, 2, 3, 4, 5, 6]
    gains = [[float(truth[p] == c) for p in range(8)] for c in range(7)]
    found = classes(build(rows, gains))
    first, five = [], []
    for picture, own in enumerate(truth):
        column = [rows[c][picture] for c in range(7)]
        if any(math.isnan(score) for score in column):
            continue
        better = sum(score > column[own] for score in column)
        level = sum(score == column[own] for score in column)
        first.append(1 / level if better == 0 else 0.0)
        five.append(sum(better + n < 5 for n in range(level)) / level)
    for name, values in (("accuracy", first), ("top5_accuracy", five)):
        assert found[name].n == len(values)
        assert found[name].missing == 8 - len(values)
        if values:
            assert found[name].value == pytest.approx(np.mean(values))


def test_classes_need_the_same_pictures(build: Build) -> None:
    with pytest.raises(TropeError, match="same pictures"):
        classes(build([[0.1, 0.2], [0.1]], [[1, 0], [0]]))
