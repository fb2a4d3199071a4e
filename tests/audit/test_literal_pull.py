"""Failures fall where the toy scorers make them fall."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable

import msgspec
import numpy as np
import pytest

from trope.audit.first import first_place, standardised
from trope.audit.literal_pull import literal_pull
from trope.item import Benchmark, Candidate, Item, Role, Sense
from trope.measure.ties import Ranked
from trope.runs import Run

Toy = Callable[..., Benchmark]
Answered = Callable[..., Run]


def test_a_word_by_word_reader_fails_on_literal_candidates_only(
    toy: Toy, answered: Answered
) -> None:
    run = answered(toy(20), lambda item, c: 1.0 if c.role == Role.literal else 0.0)
    found = literal_pull(run)
    assert (found.figurative.items, found.figurative.failures) == (10, 10)
    assert found.figurative.share.value == 1.0
    assert found.figurative.chance == pytest.approx(0.5)  # 2 of the 4 wrong ones
    assert found.figurative.excess.low > 0
    assert found.literal.failures == 0
    told = found.sentences()
    assert "more than blind choice explains" in told[0]
    assert told[1] == "None of the 10 items meant literally went wrong."


def test_blind_choice_has_no_pull(toy: Toy, answered: Answered) -> None:
    found = literal_pull(answered(toy(20), lambda item, c: 0.0))
    assert found.figurative.failures == pytest.approx(10 * 0.8)
    assert found.figurative.share.value == pytest.approx(0.5)
    assert found.figurative.excess.value == pytest.approx(0.0)
    assert "no more than blind choice would explain" in found.sentences()[0]


def test_partial_literal_and_figurative_literal_count_as_literal(answered: Answered) -> None:
    roles = (Role.figurative, Role.figurative_literal, Role.partial_literal, Role.none)
    candidates = tuple(
        Candidate(id=role.value, role=role, gain=float(role is Role.figurative)) for role in roles
    )
    items = tuple(
        Item(id=str(k), phrase=str(k), language="en", candidates=candidates) for k in (0, 1)
    )
    benchmark = Benchmark(name="irfl", task="ranking", items=items)
    picks = {"0": Role.partial_literal, "1": Role.none}
    found = literal_pull(answered(benchmark, lambda item, c: float(c.role == picks[item.id])))
    assert found.figurative.items == 2, "without a sense, the gold's role says it"
    assert found.figurative.share.value == pytest.approx(0.5)
    assert found.figurative.chance == pytest.approx(2 / 3)


def test_the_margin_is_the_standardised_difference(toy: Toy, answered: Answered) -> None:
    benchmark = toy(4, senses=(Sense.idiomatic,))
    given = {Role.idiomatic: 3.0, Role.literal: 1.0}
    found = literal_pull(answered(benchmark, lambda item, c: given.get(c.role, 2.0)))
    spread = np.std([3.0, 1.0, 2.0, 2.0, 2.0])
    assert found.margin["idiomatic"].value == pytest.approx(2 / spread)
    assert "literal" not in found.margin
    flat = literal_pull(answered(benchmark, lambda item, c: 0.1 + 0.2))
    assert flat.margin["idiomatic"].value == 0.0


def test_confusion_against_brute_force_over_tie_orders(toy: Toy, answered: Answered) -> None:
    rng = np.random.default_rng(1)
    levels: dict[tuple[str, str], float] = {}
    benchmark = toy(8)
    for item in benchmark.items:
        for c in item.candidates:
            levels[item.id, c.id] = float(rng.integers(0, 3))
    found = literal_pull(answered(benchmark, lambda item, c: levels[item.id, c.id]))
    expected: dict[tuple[str, str], float] = {}
    for item in benchmark.items:
        gold = max(item.candidates, key=lambda c: c.gain or 0).role
        orders = list(itertools.permutations(item.candidates))
        for order in orders:
            first = max(order, key=lambda c: levels[item.id, c.id])
            key = (str(gold), str(first.role))
            expected[key] = expected.get(key, 0.0) + 1 / len(orders)
    table = found.confusion["all"]
    for a, b in itertools.product(range(5), repeat=2):
        want = expected.get((table.roles[a], table.roles[b]), 0.0)
        assert table.counts[a, b] == pytest.approx(want)
    parts = [found.confusion[f"sense={sense}"].counts for sense in Sense]
    assert np.allclose(sum(parts), table.counts)
    assert {"language=en", "kind=idiom"} <= set(found.confusion)


def test_missing_items_are_no_failures(toy: Toy, answered: Answered) -> None:
    run = answered(toy(6), lambda item, c: np.nan if item.id == "item0" else 0.0)
    found = literal_pull(run)
    assert found.figurative.items == 2
    assert np.isnan(found.margins[0])
    json.dumps(found.as_dict(), allow_nan=False)


def test_a_run_with_nothing_to_say_says_nothing(toy: Toy, answered: Answered) -> None:
    found = literal_pull(answered(toy(4), lambda item, c: np.nan))
    assert found.sentences() == []
    json.dumps(found.as_dict(), allow_nan=False)


def test_items_without_a_literal_candidate_have_no_pull(answered: Answered) -> None:
    candidates = tuple(Candidate(id=str(k), gain=float(k == 0)) for k in range(4))
    items = (Item(id="a", phrase="a", language="en", candidates=candidates, sense=Sense.idiomatic),)
    found = literal_pull(answered(Benchmark("b", "completion", items), lambda item, c: 0.0))
    assert found.figurative.items == 0 and found.sentences() == [] and found.confusion == {}


def test_the_order_of_candidates_changes_nothing(toy: Toy, answered: Answered) -> None:
    benchmark = toy(10)
    turned = msgspec.structs.replace(
        benchmark,
        items=tuple(
            msgspec.structs.replace(item, candidates=item.candidates[::-1])
            for item in benchmark.items
        ),
    )
    scores = {Role.literal: 2.0, Role.idiomatic: 2.0}
    a, b = (
        literal_pull(answered(one, lambda item, c: scores.get(c.role, 0.0))).as_dict()
        for one in (benchmark, turned)
    )
    assert a == b


def test_first_place_and_standardised_scores_are_by_item(toy: Toy, answered: Answered) -> None:
    ranked = Ranked.of(answered(toy(5), lambda item, c: float(c.gain or 0) % 2).table)
    first = first_place(ranked)
    assert np.allclose(first.sum(axis=1), 1.0)
    z = standardised(ranked)
    assert np.allclose(z.mean(axis=1), 0.0) and np.allclose(z.std(axis=1), 1.0)
