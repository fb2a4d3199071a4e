"""A position-biased ranker is caught; a fair one isn't."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy.stats import kendalltau

from trope.audit.order import kendall, order_sensitivity, shuffled
from trope.errors import TropeError
from trope.item import Benchmark
from trope.score.faces import Judge, Question, Ranker

Toy = Callable[..., Benchmark]


class Biased(Ranker):
    """Likes what is shown at one place, with some weight; the rest is the gold."""

    def __init__(self, place: int, weight: float) -> None:
        self.place, self.weight = place, weight

    def fingerprint(self) -> dict[str, str]:
        return {"name": "biased", "place": str(self.place), "weight": str(self.weight)}

    def rank(self, questions: Sequence[Question]) -> list[list[float]]:
        return [
            [
                (c.gain or 0.0) + (self.weight if at == self.place else 0.0)
                for at, c in enumerate(q.item.candidates)
            ]
            for q in questions
        ]


def test_a_fair_ranker_is_steady(toy: Toy) -> None:
    found = order_sensitivity(toy(20), Biased(0, 0.0), label="fair")
    assert found.kendall.value == 1.0 and found.same_first.value == 1.0
    assert [e.value for e in found.top1] == [1.0] * 5
    assert found.drift.low <= 0 and found.missing == 0
    assert "No place in the list is shown to be preferred." in found.sentences()


@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_ranker_that_sees_only_the_place_is_caught(toy: Toy, place: int) -> None:
    found = order_sensitivity(toy(24), Biased(place, 100.0), orders=6, label="biased")
    assert found.positions[place] == 1.0 and found.positions.sum() == pytest.approx(1.0)
    assert found.expected == pytest.approx([0.2] * 5)
    assert found.same_first.value < 0.5
    assert found.drift.low > 0
    assert any(f"shown in place {place + 1}" in line for line in found.sentences())
    json.dumps(found.as_dict(), allow_nan=False)


def test_asking_in_several_orders_averages_the_bias_away(toy: Toy) -> None:
    found = order_sensitivity(toy(24), Biased(0, 1.5), orders=8)
    assert found.averaged is not None
    assert found.averaged.value > np.mean([e.value for e in found.top1])


def test_the_same_seed_gives_the_same_orders(toy: Toy) -> None:
    a, b = (order_sensitivity(toy(8), Biased(1, 2.0), seed=4).as_dict() for _ in range(2))
    assert a == b


def test_shuffling_keeps_candidates_and_their_gold(toy: Toy) -> None:
    benchmark = toy(3)
    turned = shuffled(benchmark, [np.array([4, 3, 2, 1, 0])] * 3)
    for before, after in zip(benchmark.items, turned.items, strict=True):
        assert after.candidates == before.candidates[::-1]


def test_a_ranker_that_fails_sometimes_is_counted(toy: Toy) -> None:
    class Failing(Biased):
        def rank(self, questions: Sequence[Question]) -> list[list[float]]:
            rows = super().rank(questions)
            return [
                [float("nan")] * 5 if q.item.id == "item1" else row
                for q, row in zip(questions, rows, strict=True)
            ]

    found = order_sensitivity(toy(6), Failing(0, 0.0))
    assert found.missing == 1 and found.same_first.n == 5
    assert any("1 items have no answer" in line for line in found.sentences())


def test_judges_and_single_orders_are_refused(toy: Toy) -> None:
    class Flat(Judge):
        def fingerprint(self) -> dict[str, str]:
            return {"name": "flat"}

        def judge(self, pairs: Sequence[object]) -> list[float]:
            return [0.0] * len(pairs)

    with pytest.raises(TropeError, match="one candidate at a time"):
        order_sensitivity(toy(2), Flat())
    with pytest.raises(TropeError, match="two orders"):
        order_sensitivity(toy(2), Biased(0, 0.0), orders=1)


def test_kendall_is_scipys_tau_b() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 4, (50, 5)).astype(float), rng.integers(0, 4, (50, 5)).astype(float)
    want = [kendalltau(x, y).statistic for x, y in zip(a, b, strict=True)]
    assert kendall(a, b) == pytest.approx(np.nan_to_num(want))
