"""Paired comparisons: exact tests against enumeration and other libraries, and the edges."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trope.errors import TropeError
from trope.measure import (
    compare_values,
    holm,
    items_needed,
    mcnemar,
    paired_bootstrap,
    pairwise,
    power_mcnemar,
    rank_intervals,
    sign_flip,
    sign_flips,
    signed_bayes,
    smallest_difference,
)

eighths = st.lists(st.integers(-8, 8), min_size=1, max_size=11)


@settings(max_examples=80, deadline=None)
@given(eighths, st.lists(st.integers(0, 5), min_size=11, max_size=11))
def test_exact_sign_flips_equal_enumeration(d: list[int], phrases: list[int]) -> None:
    for clusters in (list(range(len(d))), phrases[: len(d)]):
        sums = [sum(x for x, c in zip(d, clusters, strict=True) if c == g) for g in set(clusters)]
        patterns = list(itertools.product((-1, 1), repeat=len(sums)))
        extreme = sum(
            abs(sum(s * x for s, x in zip(p, sums, strict=True))) >= abs(sum(sums))
            for p in patterns
        )
        assert sign_flip(np.array(d) / 8, clusters) == pytest.approx(extreme / len(patterns))


def test_sign_flips_agree_with_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    d = np.random.default_rng(0).normal(0.3, 1, 12)
    theirs = stats.permutation_test(
        (d,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert sign_flip(d) == pytest.approx(theirs.pvalue, abs=1e-9)


def test_drawn_flips_are_near_the_exact_ones_and_never_zero() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(0.2, 1, (30, 18))
    exact, drawn = sign_flips(rows), sign_flips(rows, exact_up_to=0)
    assert drawn == pytest.approx(exact, abs=0.02)
    assert sign_flip(np.ones(200)) == pytest.approx(1 / 10_001)
    assert [sign_flip(row) for row in rows[:3]] == pytest.approx(exact[:3].tolist())


def test_mcnemar_agrees_with_statsmodels_and_the_sign_flip() -> None:
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    rng = np.random.default_rng(2)
    for n in (3, 15, 40, 300):
        a, b = (rng.random((2, n)) < [[0.7], [0.5]]).astype(float)
        counts = [[np.sum((a == x) & (b == y)) for y in (1, 0)] for x in (1, 0)]
        theirs = tables.mcnemar(counts, exact=True).pvalue
        assert mcnemar(a, b) == pytest.approx(min(1.0, theirs), abs=1e-9)
    a, b = (rng.random((2, 25)) < [[0.7], [0.5]]).astype(float)
    assert mcnemar(a, b) == pytest.approx(sign_flip(a - b), abs=1e-12)


def test_holm_agrees_with_statsmodels() -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = np.random.default_rng(3).random(25) ** 3
    assert holm(p) == pytest.approx(multitest.multipletests(p, method="holm")[1], abs=1e-9)
    assert holm([]).tolist() == []
    assert holm([0.02]).tolist() == [0.02]


def test_identical_runs_a_single_item_and_nothing_in_common() -> None:
    same = compare_values([1.0, 0.0, 1.0], [1.0, 0.0, 1.0], share=True)
    assert (same.p, same.wins, same.losses, same.level) == (1.0, 0, 0, 3)
    assert same.difference.low < 0 < same.difference.high
    assert "the same on every item" in same.verdict("clip", "random")
    single = compare_values([1.0], [0.0], share=True)
    assert single.p == 1.0
    assert single.difference.low < 0 < single.difference.high == 1.0
    everything = compare_values([1.0] * 15, [1.0] * 15)
    assert everything.p == 1.0
    assert everything.difference.high - everything.difference.low > 0.05
    for function in (sign_flip, paired_bootstrap, signed_bayes):
        with pytest.raises(TropeError, match="no answered item in common"):
            function([math.nan, math.nan])
    with pytest.raises(TropeError, match="no answered item in common"):
        mcnemar([1.0, math.nan], [math.nan, 0.0])


def test_compare_names_its_test_and_its_winner() -> None:
    a, b = np.ones(15), np.zeros(15)
    clear = compare_values(a, b, share=True)
    assert clear.test == "McNemar, exact"
    assert clear.p == pytest.approx(2 * 0.5**15)
    assert clear.verdict("A", "B") == "A did better than B"
    assert compare_values(b, a, share=True).verdict("A", "B") == "B did better than A"
    phrases = np.arange(15) // 3
    grouped = compare_values(a, b, phrases, share=True)
    assert grouped.test == "sign flip by phrase"
    assert grouped.p == pytest.approx(2 * 0.5**5)
    assert compare_values(a, [*b[:-1], math.nan]).difference.n == 14
    assert "no difference shown" in compare_values([1.0, 0.0], [0.0, 1.0]).verdict()


def test_all_pairs_equal_one_by_one() -> None:
    rng = np.random.default_rng(4)
    runs = (rng.random((4, 18)) < 0.6).astype(float)
    runs[3, 2] = np.nan
    found = pairwise(runs)
    assert [(x.first, x.second) for x in found] == list(itertools.combinations(range(4), 2))
    assert [x.p for x in found] == pytest.approx(
        [sign_flip(runs[x.first] - runs[x.second]) for x in found]
    )
    assert [x.holm for x in found] == pytest.approx(holm([x.p for x in found]).tolist())
    assert found[2].difference.n == 17
    assert pairwise(runs[:1]) == []
    apart = pairwise([[1.0, math.nan], [math.nan, 1.0]])[0]
    assert apart.p == 1.0 and math.isnan(apart.difference.value)


def test_power_is_what_simulation_says() -> None:
    rng = np.random.default_rng(5)
    for n, difference, disagreement in ((15, 0.4, 0.5), (70, 0.2, 0.3)):
        up, down = (disagreement + difference) / 2, (disagreement - difference) / 2
        wins, losses, _ = rng.multinomial(n, [up, down, 1 - disagreement], size=4000).T
        table = {
            (w, k): mcnemar([1] * w + [0] * k, [0] * w + [1] * k) if w + k else 1.0
            for w, k in set(zip(wins.tolist(), losses.tolist(), strict=True))
        }
        shown = np.mean([table[pair] <= 0.05 for pair in zip(wins, losses, strict=True)])
        assert power_mcnemar(n, difference, disagreement) == pytest.approx(shown, abs=0.025)


def test_smallest_difference_and_items_needed_belong_together() -> None:
    assert smallest_difference(5) is None  # five items can't reach p <= .05
    assert smallest_difference(0) is None
    shown = [smallest_difference(n) for n in (6, 15, 70, 200, 1000)]
    assert shown == sorted(shown, reverse=True)
    assert items_needed(0.0) is None
    assert items_needed(0.2) == pytest.approx(61, abs=3)
    for difference in (0.05, 0.1, 0.3):
        n = items_needed(difference)
        assert n is not None
        assert smallest_difference(n) == pytest.approx(difference, rel=0.06)
        n = items_needed(difference, spread=0.3)
        assert n is not None
        assert smallest_difference(n, spread=0.3) <= difference
        assert smallest_difference(n - 1, spread=0.3) > difference
    assert items_needed(0.9, disagreement=0.1) == items_needed(0.9, disagreement=0.9)


def test_the_power_of_the_paired_t_test_agrees_with_statsmodels() -> None:
    power = pytest.importorskip("statsmodels.stats.power")
    theirs = power.TTestPower().solve_power(effect_size=0.3, alpha=0.05, power=0.8)
    assert items_needed(0.3, spread=1.0) == pytest.approx(theirs, abs=2)


def test_signed_probabilities() -> None:
    better = signed_bayes([1.0] * 12 + [0.0] * 8)
    assert better.right > 0.99
    assert better.left + better.rope + better.right == pytest.approx(1.0)
    worse = signed_bayes([-1.0] * 12 + [0.0] * 8)
    assert worse.left == pytest.approx(better.right, abs=0.005)
    assert 0.6 < signed_bayes([1.0]).right < 0.95  # one item is no certainty
    assert signed_bayes([0.0] * 2000, rope=0.01).rope > 0.95
    assert signed_bayes([0.5] * 30, [0] * 30).right < 0.95  # one phrase is one phrase


def test_rank_intervals_keep_ties_as_ties() -> None:
    rng = np.random.default_rng(6)
    best, middle = np.ones(40), (rng.random(40) < 0.5).astype(float)
    ranks = rank_intervals([best, middle, middle, np.zeros(40)])
    assert ranks.rank.tolist() == [1, 2, 2, 4]
    assert ranks.low.tolist() == [1, 2, 2, 4]
    assert ranks.high.tolist() == [1, 3, 3, 4]
    level = rank_intervals(np.ones((3, 15)))
    assert (level.rank.tolist(), level.high.tolist()) == ([1, 1, 1], [3, 3, 3])
    silent = rank_intervals([[0.0, 0.0], [math.nan, math.nan]])
    assert silent.rank.tolist() == [1, 2]
    with pytest.raises(TropeError, match="no items"):
        rank_intervals(np.empty((2, 0)))
