"""Whole runs against each other: verdicts, refusals, warnings."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from trope.errors import TropeError, UnknownName
from trope.measure.compare import about_items, compare
from trope.measure.paired import holm, items_needed, sign_flip
from trope.runs import Run, Table

ROLES = ("idiomatic", "idiomatic_related", "literal_related", "literal", "distractor")


def questions(n: int, *, phrases: Sequence[str] | None = None) -> Table:
    """n items in AdMIRe's shape, unanswered; every other one literal."""
    idiomatic = np.arange(n) % 2 == 0
    gain = np.where(idiomatic[:, None], [5, 4, 3, 2, 1], [2, 3, 4, 5, 1]).astype(float)
    return Table(
        items=[f"i{k}" for k in range(n)],
        phrases=list(phrases or [f"p{k}" for k in range(n)]),
        languages=["en"] * n,
        senses=["idiomatic" if yes else "literal" for yes in idiomatic],
        kinds=["compound"] * n,
        said=[""] * n,
        candidates=[[f"c{j}" for j in range(5)] for _ in range(n)],
        score=np.full((n, 5), np.nan),
        gain=gain,
        role=np.tile(np.array(ROLES, dtype="U18"), (n, 1)),
        real=np.ones((n, 5), dtype=bool),
    )


def a_run(score: Any, table: Table, name: str, **changes: Any) -> Run:
    meta: dict[str, Any] = {
        "benchmark": {"name": "b", "hash": "h", "gold": "g", "items": len(table), "version": "1"},
        "model": {"address": name, "sees": "caption", "answers": "scores"},
        "prompt": {"name": "phrase"},
        "counts": {"items": len(table), "missing": 0},
        "versions": {"trope": "1", "numpy": "2"},
        "fingerprint": name,
    }
    for key, value in changes.items():
        part, _, field = key.partition("__")
        meta[part] = {**meta[part], field: value} if field else value
    return Run(table=table.with_scores(np.asarray(score, dtype=float)), meta=meta)


def right_on(table: Table, right: Sequence[bool]) -> np.ndarray[Any, Any]:
    """Scores that are the gold's where right, and reversed where wrong."""
    return np.where(np.asarray(right)[:, None], table.gain, -table.gain)


def two(right_a: Sequence[bool], right_b: Sequence[bool], **changes: Any) -> list[Run]:
    table = questions(len(right_a))
    a, b = (right_on(table, right) for right in (right_a, right_b))
    return [a_run(a, table, "A"), a_run(b, table, "B", **changes)]


def test_top1_gets_mcnemars_exact_test() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.random(40) < 0.8, rng.random(40) < 0.4
    found = compare(two(a.tolist(), b.tolist())).of("top1")[0]
    wins, losses = int((a & ~b).sum()), int((b & ~a).sum())
    assert found.test == "McNemar, exact"
    assert (found.wins, found.losses, found.n) == (wins, losses, 40)
    assert found.p == pytest.approx(binomtest(wins, wins + losses).pvalue, abs=1e-12)
    assert found.difference.value == pytest.approx(a.mean() - b.mean())
    assert found.better == 0
    assert found.verdict.startswith("A · phrase is better: .") and "against" in found.verdict


def test_graded_measures_and_shared_phrases_get_sign_flips_by_phrase() -> None:
    rng = np.random.default_rng(0)
    table = questions(24, phrases=[f"p{k // 2}" for k in range(24)])
    runs = [a_run(rng.normal(size=(24, 5)) + w * table.gain, table, str(w)) for w in (0.0, 0.6)]
    found = compare(runs)
    for measure in ("top1", "ndcg"):
        pair = found.of(measure)[0]
        assert pair.test == "sign flip by phrase"
    from trope.measure.ranking import Top1

    d = Top1()(runs[0].table) - Top1()(runs[1].table)
    assert found.of("top1")[0].p == pytest.approx(sign_flip(d, table.phrases))


def test_holm_runs_over_the_pairs_of_each_measure() -> None:
    rng = np.random.default_rng(1)
    table = questions(30)
    runs = [a_run(rng.normal(size=(30, 5)) + w * table.gain, table, str(w)) for w in (0, 0.5, 2)]
    found = compare(runs)
    for measure in found.measures:
        family = found.of(measure)
        assert len(family) == 3 == family[0].family
        assert [p.holm for p in family] == pytest.approx(holm([p.p for p in family]).tolist())
    assert "after Holm's correction over 3 comparisons" in found.of("top1")[1].verdict


def test_what_15_items_cant_tell_is_said_with_what_would() -> None:
    a = [True] * 8 + [False] * 7
    b = [True] * 5 + [False] * 3 + [True] * 1 + [False] * 6
    pair = compare(two(a, b)).of("top1")[0]
    assert pair.better is None
    assert pair.verdict.startswith("15 items can't tell them apart: the difference is between -.")
    assert pair.needed is not None and pair.needed > 15
    assert "items would settle a difference of this size" in pair.verdict


@pytest.mark.parametrize(
    ("d", "psi"),
    [(0.05, 0.3), (0.1, 0.3), (0.25, 0.3), (0.05, 0.6), (0.1, 0.6), (0.25, 0.6), (0.5, 0.6)],
)
def test_the_forecast_is_within_a_tenth_of_the_exact_one(d: float, psi: float) -> None:
    exact = items_needed(d, disagreement=psi)
    assert exact is not None
    assert about_items(d, alpha=0.05, differing=psi) == pytest.approx(exact, rel=0.1, abs=2)
    graded = items_needed(d, spread=psi)
    assert graded is not None
    assert about_items(d, alpha=0.05, spread=psi) == pytest.approx(graded, rel=0.1, abs=2)


def test_identical_runs_differ_nowhere_and_say_so() -> None:
    right = [True, False] * 10
    runs = two(right, right, fingerprint="A")
    found = compare(runs)
    pair = found.of("top1")[0]
    assert (pair.p, pair.wins, pair.losses, pair.better, pair.needed) == (1.0, 0, 0, None, None)
    assert "do the same on 20 items" in pair.verdict
    assert pair.difference.low < 0 < pair.difference.high
    assert not found.disagreements
    assert any("same experiment" in line for line in found.warnings)


@pytest.mark.parametrize("right", [True, False])
def test_all_right_and_all_wrong_have_open_intervals(right: bool) -> None:
    pair = compare(two([right] * 15, [right] * 15)).of("top1")[0]
    assert pair.left.high - pair.left.low > 0.1
    assert pair.better is None


def test_all_ties_are_worth_chance() -> None:
    table = questions(10)
    runs = [a_run(np.zeros((10, 5)), table, "A"), a_run(np.ones((10, 5)), table, "B")]
    pair = compare(runs).of("top1")[0]
    assert pair.left.value == pytest.approx(0.2)
    assert pair.p == 1.0 and pair.better is None


def test_a_single_item_settles_nothing() -> None:
    pair = compare(two([True], [False])).of("top1")[0]
    assert pair.n == 1 and pair.better is None and pair.p == 1.0
    assert "1 item can't tell them apart" in pair.verdict


def test_only_items_both_answered_count() -> None:
    table = questions(12)
    score = right_on(table, [True] * 12)
    gaps = score.copy()
    gaps[:3, 2] = np.nan
    runs = [a_run(score, table, "A"), a_run(gaps, table, "B")]
    found = compare(runs)
    pair = found.of("top1")[0]
    assert (pair.n, pair.left_out, pair.left.n) == (9, 3, 9)
    assert any("no answer to 3 of 12 items" in line for line in found.warnings)


def test_items_are_matched_by_name_not_by_row() -> None:
    table = questions(6)
    order = np.array([3, 1, 0, 5, 4, 2])
    a = a_run(right_on(table, [True] * 6), table, "A")
    b = Run(table=a.table.take(order), meta={**a.meta, "fingerprint": "B"})
    pair = compare([a, b]).of("top1")[0]
    assert (pair.n, pair.wins, pair.losses) == (6, 0, 0)


def test_different_benchmarks_are_refused() -> None:
    runs = two([True] * 5, [True] * 5, benchmark__hash="x", benchmark__name="other")
    with pytest.raises(TropeError, match="different benchmarks"):
        compare(runs)
    runs = two([True] * 5, [True] * 5, benchmark__hash="x")
    with pytest.raises(TropeError, match="different versions"):
        compare(runs)


def test_a_limited_run_is_compared_on_its_items_with_a_warning() -> None:
    table = questions(10)
    long = a_run(right_on(table, [True] * 10), table, "A")
    head = table.take(np.arange(4))
    short = a_run(right_on(head, [True] * 4), head, "B", benchmark__hash="x")
    for runs in ([long, short], [short, long]):
        found = compare(runs)
        assert found.of("top1")[0].n == 4
        assert any("limited to the first 4 of 10 items" in line for line in found.warnings)


def test_no_common_item_no_gold_one_run_are_refused() -> None:
    table = questions(4)
    a = a_run(right_on(table, [True] * 4), table, "A")
    other = replace(table, items=[f"x{k}" for k in range(4)])
    b = a_run(right_on(other, [True] * 4), other, "B")
    with pytest.raises(TropeError, match="no item in common"):
        compare([a, b])
    with pytest.raises(TropeError, match="two runs"):
        compare([a])
    blind = replace(table, gain=np.full((4, 5), np.nan))
    with pytest.raises(TropeError, match="no gold"):
        compare([a_run(table.gain, blind, "A"), a_run(table.gain, blind, "B")])
    empty = a_run(np.full((4, 5), np.nan), table, "B")
    with pytest.raises(TropeError, match="nothing to compare"):
        compare([a, empty])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"benchmark__gold": "other"}, "gold differs"),
        ({"model__sees": "picture"}, "see pictures"),
        ({"prompt__name": "sentence"}, "different words"),
        ({"versions__numpy": "1"}, "different versions of numpy"),
        ({"versions__trope": "0"}, "different versions of trope"),
        ({"model__answers": "choice"}, "only top-1 is compared"),
    ],
)
def test_what_makes_it_unfair_is_said(change: dict[str, str], told: str) -> None:
    found = compare(two([True] * 6, [False] * 6, **change))
    assert any(told in line for line in found.warnings), found.warnings
    if "choice" in change.values():
        assert all(name.startswith("top1") for name in found.measures)


def test_a_fair_comparison_warns_of_nothing() -> None:
    assert compare(two([True] * 6, [False] * 6)).warnings == ()


def test_an_unknown_measure_suggests_one() -> None:
    with pytest.raises(UnknownName, match="ndcg"):
        compare(two([True] * 6, [False] * 6), measures=["ndgc"])
    found = compare(two([True] * 6, [False] * 6), measures=["mrr_literal"])
    assert found.measures == ("mrr_literal",) and found.pairs[0].n == 3


def test_disagreements_name_what_each_put_first() -> None:
    found = compare(two([True, True, False, True], [True, False, True, True]))
    assert {d.item for d in found.disagreements} == {"i1", "i2"}
    first = next(d for d in found.disagreements if d.item == "i1")
    assert first.values == (1.0, 0.0)
    assert first.roles == ("literal", "distractor")


def test_many_runs_can_still_be_told_apart_after_holm() -> None:
    """The p of drawn sign flips has a floor; a large family must not make it the verdict."""
    rng = np.random.default_rng(5)
    table = questions(70)
    noise = [a_run(rng.normal(size=(70, 5)), table, f"n{k}") for k in range(39)]
    perfect = a_run(table.gain, table, "best")
    pairs = compare([*noise, perfect], measures=["ndcg"]).pairs
    assert all(p.better == 39 for p in pairs if p.b == 39)


def test_noise_is_seldom_called_better() -> None:
    """Over families of true nulls, one is called different in at most 5% and a little luck."""
    rng = np.random.default_rng(8)
    table = questions(20)
    wrong = 0
    for _ in range(60):
        runs = [a_run(rng.normal(size=(20, 5)), table, f"n{k}") for k in range(3)]
        pairs = compare(runs, measures=["top1"], resamples=50).pairs
        wrong += any(p.better is not None for p in pairs)
    assert wrong <= 7  # more has a chance of .01 in 60 families at .05


def test_forty_runs_are_compared_in_seconds() -> None:
    rng = np.random.default_rng(2)
    table = questions(70)
    runs = [a_run(rng.normal(size=(70, 5)) + table.gain, table, f"r{k}") for k in range(40)]
    start = time.perf_counter()
    found = compare(runs)
    assert len(found.pairs) == 780 * 4
    assert time.perf_counter() - start < 20  # about 2 on a quiet machine
