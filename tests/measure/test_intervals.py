"""Intervals: equal to other libraries where they compute the same, open where samples agree."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trope.errors import TropeError
from trope.measure import (
    Estimate,
    bootstrap,
    clopper_pearson,
    graded,
    graded_columns,
    share,
    wilson,
)
from trope.measure.beta import beta_cdf, beta_quantile, t_quantile
from trope.measure.intervals import effective_n
from trope.measure.resample import codes, resampled_means


def test_an_estimate_prints_itself() -> None:
    assert str(Estimate(0.314, 0.218, 0.43, 70, 0, "wilson")) == ".314 (.218 to .430)"
    assert str(Estimate(1.0, 0.796, 1.0, 15, 0, "wilson")) == "1.000 (.796 to 1.000)"
    assert str(Estimate(-0.04, -0.2, 0.1, 15, 0, "x")) == "-.040 (-.200 to .100)"
    assert str(Estimate(2.4, 2.1, -1e-9, 15, 0, "x")) == "2.400 (2.100 to .000)"
    assert str(share([])) == "none answered"
    assert share([]).as_dict()["value"] is None
    assert share([1.0, math.nan]).as_dict()["missing"] == 1


@pytest.mark.parametrize("n", [1, 2, 15, 70, 500])
def test_shares_agree_with_scipy_and_statsmodels(n: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    for k in {0, 1, n // 3, n // 2, n - 1, n}:
        exact = stats.binomtest(k, n).proportion_ci(method="exact")
        assert clopper_pearson(k, n) == pytest.approx((exact.low, exact.high), abs=1e-9)
        score = stats.binomtest(k, n).proportion_ci(method="wilson")
        assert wilson(k, n) == pytest.approx((score.low, score.high), abs=1e-9)
        theirs = proportion.proportion_confint(k, n, method="wilson")
        assert wilson(k, n) == pytest.approx(theirs, abs=1e-9)
        theirs = proportion.proportion_confint(k, n, method="beta")
        assert clopper_pearson(k, n) == pytest.approx(theirs, abs=1e-9)


def test_the_beta_and_t_distributions_agree_with_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    for a in (0.5, 1.0, 7.5, 300.0, 50_000.0):
        for b in (0.5, 2.0, 40.0, 9_000.0):
            for p in (0.001, 0.025, 0.5, 0.975):
                x = stats.beta.ppf(p, a, b)
                assert beta_quantile(p, a, b) == pytest.approx(x, abs=1e-10)
                assert beta_cdf(x, a, b) == pytest.approx(p, abs=1e-9)
    for freedom in (1, 2.5, 14, 999, 2e6):
        assert t_quantile(0.95, freedom) == pytest.approx(stats.t.ppf(0.975, freedom), abs=1e-5)


def test_no_interval_collapses_or_leaves_the_range() -> None:
    for n in (1, 2, 15, 200):
        for value in (0.0, 1.0):
            for estimate in (share([value] * n), graded([value] * n)):
                assert 0.0 <= estimate.low <= value <= estimate.high <= 1.0
                assert estimate.high - estimate.low > 0.5 / n
        flat = graded([0.5] * n, low=-1.0)
        assert -1.0 <= flat.low < 0.5 < flat.high <= 1.0
    assert share([1.0] * 15).low == pytest.approx(0.7961, abs=1e-4)
    one = graded([1.0])
    assert one.low < 0.05 and one.high == 1.0


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=30),
    st.lists(st.integers(0, 4), min_size=30, max_size=30),
)
def test_any_values_and_phrases_get_a_sensible_interval(
    values: list[float], phrases: list[int]
) -> None:
    for clusters in (None, phrases[: len(values)]):
        for estimate in (share(values, clusters), graded(values, clusters, resamples=50)):
            assert 0.0 <= estimate.low <= estimate.value <= estimate.high <= 1.0
            assert estimate.high > estimate.low
            assert estimate.n == len(values)


def test_missing_values_are_dropped_and_counted() -> None:
    values = [1.0, math.nan, 0.0, 1.0, math.nan]
    for function in (share, graded, bootstrap):
        estimate = function(values, ["a", "a", "b", "c", "d"])
        assert (estimate.n, estimate.missing) == (3, 2)
        assert estimate.value == pytest.approx(2 / 3)
    nothing = graded([math.nan] * 3, low=-1.0)
    assert math.isnan(nothing.value)
    assert (nothing.low, nothing.high, nothing.n, nothing.missing) == (-1.0, 1.0, 0, 3)


def test_agreeing_items_of_a_phrase_count_less() -> None:
    rng = np.random.default_rng(0)
    phrases = np.repeat(np.arange(30), 3)
    alike = np.repeat((rng.random(30) < 0.6).astype(float), 3)
    mixed = rng.permutation(alike)
    apart = share(mixed)
    assert apart.method == "wilson"
    assert share(alike, phrases).high - share(alike, phrases).low > 1.5 * (apart.high - apart.low)
    few = (t_quantile(0.95, 89) / t_quantile(0.95, 29)) ** 2  # 30 phrases estimate a variance
    assert effective_n(alike, phrases, 30) == pytest.approx(30 * few, rel=0.01)
    assert 70 < effective_n(mixed, phrases, 30) <= 90
    assert effective_n(np.ones(90), phrases, 30) == pytest.approx(30 * few, rel=0.01)
    assert share([1.0, 1.0, 0.0], ["a", "a", "a"]).high < 1.0


def test_names_and_numbers_make_the_same_clusters() -> None:
    values = np.random.default_rng(1).random(60)
    numbers = np.arange(60) // 3
    names = [f"phrase {i}" for i in numbers]
    assert graded(values, numbers) == graded(values, names)
    assert codes(["b", "a", "b"], 3)[0].tolist() == [0, 1, 0]
    with pytest.raises(TropeError, match="3 values came with 2 phrases"):
        share([1.0, 0.0, 1.0], ["a", "b"])


def test_a_bootstrap_is_seeded_and_shared() -> None:
    values = np.random.default_rng(2).random((40, 3))
    one = graded(values[:, 1], seed=3)
    assert one == graded(values[:, 1], seed=3) != graded(values[:, 1], seed=4)
    together = graded_columns(values, None, [(0.0, 1.0)] * 3, seed=3)[1]
    assert together.low == pytest.approx(one.low, abs=1e-6)
    assert together.high == pytest.approx(one.high, abs=1e-6)


def test_resampling_by_phrase_matches_a_plain_loop() -> None:
    rng = np.random.default_rng(5)
    values, cluster = rng.random((50, 2)), np.arange(50) % 17
    values[::7, 1] = np.nan
    _, means = resampled_means(values, cluster, 17, resamples=4000, seed=1)
    loop = []
    for _ in range(4000):
        rows = np.concatenate([np.flatnonzero(cluster == c) for c in rng.integers(0, 17, 17)])
        loop.append(np.nanmean(values[rows], axis=0))
    assert means.mean(axis=0) == pytest.approx(np.mean(loop, axis=0), abs=0.003)
    assert means.std(axis=0) == pytest.approx(np.std(loop, axis=0), rel=0.06)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_the_plain_bootstrap_agrees_with_scipy(method: str) -> None:
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(3).exponential(size=60)
    ours = bootstrap(values, resamples=20_000, method=method)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method=method, rng=np.random.default_rng(0)
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)
    flat = bootstrap([0.25] * 8, method=method)
    assert (flat.low, flat.high) == pytest.approx((0.25, 0.25))


@pytest.mark.parametrize("freedom", [1, 2.5, 14, 99.9, 100.1, 350, 1e4, 1e8])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_students_t_is_scipys(freedom: float, confidence: float) -> None:
    from scipy.stats import t

    from trope.measure.beta import t_quantile

    wanted = t.ppf(0.5 + confidence / 2, freedom)
    assert t_quantile(confidence, freedom) == pytest.approx(wanted, abs=1e-9)
