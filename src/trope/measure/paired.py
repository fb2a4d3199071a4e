"""Two or more runs on the same items: is the difference more than chance?

Runs are compared item by item, on the items both answered, and by phrase. Everything is
seeded; nothing here treats paired answers as independent samples, and no function decides
from two overlapping intervals.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trope.errors import TropeError
from trope.measure.beta import beta_cdf
from trope.measure.intervals import Estimate, graded, graded_columns
from trope.measure.power import items_needed as items_needed
from trope.measure.power import power_mcnemar as power_mcnemar
from trope.measure.power import smallest_difference as smallest_difference
from trope.measure.resample import RESAMPLES, cluster_sums, codes, resampled_means
from trope.measure.ties import Floats, Ints

EXACT_UP_TO = 20
"""Phrases with a difference up to which every sign flip is counted, not drawn."""
FLIPS = 10_000
"""Sign flips drawn beyond that."""
_BLOCK = 8_000_000  # numbers held at once


def _differences(d: ArrayLike, clusters: ArrayLike | None) -> tuple[Floats, Ints, int]:
    """The differences of the items both runs answered, with their phrases' numbers."""
    given = np.asarray(d, dtype=np.float64).reshape(-1)
    keep = ~np.isnan(given)
    if not keep.any():
        raise TropeError("The two runs have no answered item in common, so they can't be compared.")
    groups = None if clusters is None else np.asarray(clusters).reshape(-1)[keep]
    cluster, count = codes(groups, int(keep.sum()))
    return given[keep], cluster, count


def binomial_p(wins: int, losses: int) -> float:
    """The two-sided chance of a split at least this uneven when both sides are as likely."""
    total, fewer = wins + losses, min(wins, losses)
    if total == 0 or wins == losses:
        return 1.0
    return min(1.0, 2.0 * beta_cdf(0.5, total - fewer, fewer + 1))


def mcnemar(a: ArrayLike, b: ArrayLike) -> float:
    """McNemar's exact test: p for as many items right in a alone as in b alone.

    Two-sided, from the binomial, without the mid-p correction. Fractions (tied answers) count
    by which run did better. It takes items as independent: with several items a phrase, use
    `sign_flip`.

    >>> round(mcnemar([1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0, 0]), 5)
    0.03125
    """
    d, _, _ = _differences(np.asarray(a, np.float64) - np.asarray(b, np.float64), None)
    return binomial_p(int(np.sum(d > 0)), int(np.sum(d < 0)))


def sign_flip(
    d: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    flips: int = FLIPS,
    seed: int = 0,
    exact_up_to: int = EXACT_UP_TO,
) -> float:
    """The sign-flip permutation test of a mean difference, by phrase, two-sided.

    Under no difference each phrase's summed difference is as likely with either sign. Up to
    `exact_up_to` phrases that differ, all sign patterns are counted; beyond, `flips` of them
    are drawn and p = (1 + as extreme) / (1 + drawn), which never says 0.
    """
    kept, cluster, count = _differences(d, clusters)
    sums = cluster_sums(kept[:, None], cluster, count)[:, 0]
    return float(_flip_rows(sums[None, :], flips=flips, seed=seed, exact_up_to=exact_up_to)[0])


def sign_flips(
    rows: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    flips: int = FLIPS,
    seed: int = 0,
    exact_up_to: int = EXACT_UP_TO,
) -> Floats:
    """`sign_flip` for many comparisons at once, one row each; NaN items are left out."""
    matrix = np.atleast_2d(np.asarray(rows, dtype=np.float64))
    cluster, count = codes(clusters, matrix.shape[1])
    sums = cluster_sums(matrix.T, cluster, count).T
    return _flip_rows(sums, flips=flips, seed=seed, exact_up_to=exact_up_to)


def _flip_rows(sums: Floats, *, flips: int, seed: int, exact_up_to: int) -> Floats:
    scale = np.abs(sums).sum(axis=1)
    differ = np.abs(sums) > 1e-12 * np.maximum(scale, 1.0)[:, None]
    p = np.ones(len(sums))
    many = differ.sum(axis=1) > exact_up_to
    for row in np.flatnonzero(~many & differ.any(axis=1)):
        p[row] = _exact_flip(sums[row, differ[row]])
    if many.any():
        p[many] = _drawn_flips(sums[many], flips, seed)
    return p


def _exact_flip(sums: Floats) -> float:
    """Count the sign patterns with a sum at least as far from 0, meeting in the middle: all
    sums of one half, sorted, against all sums of the other."""
    target = abs(float(sums.sum())) - 1e-9 * float(np.abs(sums).sum())
    if target <= 0:
        return 1.0
    half = len(sums) // 2
    left, right = _signed_sums(sums[:half]), np.sort(_signed_sums(sums[half:]))
    above = right.size - np.searchsorted(right, target - left, side="left")
    below = np.searchsorted(right, -target - left, side="right")
    return float(np.sum(above) + np.sum(below)) / (left.size * right.size)


def _signed_sums(values: Floats) -> Floats:
    """The sums of the values under every pattern of signs."""
    total = np.zeros(1)
    for value in values:
        total = np.concatenate([total + value, total - value])
    return total


def _drawn_flips(sums: Floats, flips: int, seed: int) -> Floats:
    """Monte Carlo p of each row; the rows share the patterns drawn."""
    rng = np.random.default_rng(seed)
    rows, width = sums.shape
    light = sums.T.astype(np.float32)
    observed = np.abs(sums.sum(axis=1))
    bar = (observed - 1e-5 * np.abs(sums).sum(axis=1)).astype(np.float32)
    extreme = np.zeros(rows, dtype=np.int64)
    step = max(1, min(flips, _BLOCK // max(rows, width)))
    for start in range(0, flips, step):
        size = min(step, flips - start)
        bits = np.frombuffer(rng.bytes(size * -(-width // 8)), dtype=np.uint8).reshape(size, -1)
        signs = np.unpackbits(bits, axis=1, count=width).astype(np.float32) * 2 - 1
        extreme += np.sum(np.abs(signs @ light) >= bar, axis=0)
    p: Floats = (1.0 + extreme.astype(np.float64)) / (1.0 + flips)
    return p


def paired_bootstrap(
    d: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    span: float = 1.0,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """The mean difference with an interval by phrase, within -span..span.

    Made as `graded` makes it, so two runs that agree on every item still get an interval: they
    agreed on these items, not on all there are.
    """
    _differences(d, clusters)
    return graded(d, clusters, low=-span, high=span, resamples=resamples, seed=seed)


def holm(p: ArrayLike) -> Floats:
    """Holm's adjusted p for a family of tests, in the order given.

    >>> holm([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    given = np.asarray(p, dtype=np.float64)
    order = np.argsort(given, kind="stable")
    steps = given[order] * np.arange(given.size, 0, -1)
    adjusted = np.empty_like(given)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


@dataclass(frozen=True)
class Paired:
    """What two runs' answers to the same items show."""

    difference: Estimate
    """Mean of a minus b."""
    p: float
    test: str
    """Which test gave p."""
    wins: int
    """Items where a did better."""
    losses: int
    level: int
    """Items where they did the same."""

    def verdict(self, a: str = "the first", b: str = "the second", *, alpha: float = 0.05) -> str:
        """One sentence; p may have been adjusted before."""
        if self.wins == self.losses == 0:
            return f"{a} and {b} did the same on every item"
        if self.p > alpha:
            return f"no difference shown between {a} and {b}"
        best, other = (a, b) if self.difference.value > 0 else (b, a)
        return f"{best} did better than {other}"


def compare_values(
    a: ArrayLike,
    b: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    share: bool = False,
    span: float = 1.0,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Paired:
    """Compare two runs' values of one measure, item by item.

    A share of right answers with one item a phrase gets McNemar's exact test, anything else
    the sign-flip test by phrase (the same test where both apply).
    """
    d = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    kept, _, count = _differences(d, clusters)
    wins, losses = int(np.sum(kept > 0)), int(np.sum(kept < 0))
    whole = bool(np.all(np.isin(kept, (-1.0, 0.0, 1.0))))
    if share and whole and count == len(kept):
        p, test = binomial_p(wins, losses), "McNemar, exact"
    else:
        p, test = sign_flip(d, clusters, seed=seed), "sign flip by phrase"
    interval = paired_bootstrap(d, clusters, span=span, resamples=resamples, seed=seed)
    return Paired(interval, p, test, wins, losses, len(kept) - wins - losses)


@dataclass(frozen=True)
class Pair:
    """One comparison of a family: runs by number, p before and after Holm."""

    first: int
    second: int
    difference: Estimate
    """NaN where no item was answered by both."""
    p: float
    holm: float
    wins: int
    losses: int


def pairwise(
    matrix: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    span: float = 1.0,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Pair]:
    """Every pair of runs (rows) on the same items (columns), with Holm over the family.

    The test is the sign flip by phrase. A pair with no item in common has p = 1.
    """
    values = np.asarray(matrix, dtype=np.float64)
    pairs = list(itertools.combinations(range(len(values)), 2))
    if not pairs:
        return []
    first, second = np.asarray(pairs).T
    d = values[first] - values[second]
    p = sign_flips(d, clusters, seed=seed)
    spans = [(-span, span)] * len(pairs)
    intervals = graded_columns(d.T, clusters, spans, resamples=resamples, seed=seed)
    wins, losses = np.sum(d > 0, axis=1), np.sum(d < 0, axis=1)
    adjusted = holm(p)
    return [
        Pair(i, j, intervals[k], float(p[k]), float(adjusted[k]), int(wins[k]), int(losses[k]))
        for k, (i, j) in enumerate(pairs)
    ]


@dataclass(frozen=True)
class Signed:
    """How probable it is that a is worse, practically the same, or better."""

    left: float
    rope: float
    right: float


def signed_bayes(
    d: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    rope: float = 0.01,
    span: float = 1.0,
    samples: int = 20_000,
    seed: int = 0,
) -> Signed:
    """The probability that the mean difference lies below -rope, within it, or above.

    Phrases get Dirichlet weights (the Bayesian bootstrap), beside one imagined phrase split
    between the two extremes, so that three items in a row do not make certainty.
    """
    kept, cluster, count = _differences(d, clusters)
    sums = np.bincount(cluster, kept, minlength=count)
    sizes = np.bincount(cluster, minlength=count).astype(np.float64)
    rng = np.random.default_rng(seed)
    prior = rng.gamma(0.5, size=(samples, 2)) * (len(kept) / count)
    means = np.empty(samples)
    step = max(1, _BLOCK // count)
    for start in range(0, samples, step):
        part = slice(start, min(start + step, samples))
        weights = rng.standard_exponential((part.stop - part.start, count))
        imagined = prior[part]
        total = weights @ sums + span * (imagined[:, 0] - imagined[:, 1])
        means[part] = total / (weights @ sizes + imagined.sum(axis=1))
    left, right = float(np.mean(means < -rope)), float(np.mean(means > rope))
    return Signed(left, 1.0 - left - right, right)


@dataclass(frozen=True)
class Ranks:
    """A leaderboard's order and how sure it is; rank 1 is best, equal means share a rank."""

    mean: Floats
    rank: Ints
    low: Ints
    """The best rank each run may have."""
    high: Ints
    """The worst rank each run may have."""


def rank_intervals(
    matrix: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
) -> Ranks:
    """Ranks of runs (rows) over items (columns), with intervals from resampling phrases.

    In each resample a run stands between the best and the worst rank its ties allow; runs that
    are level always share their interval. Each run is averaged over the items it answered; a
    run that answered none stands last.
    """
    values = np.atleast_2d(np.asarray(matrix, dtype=np.float64))
    if values.shape[1] == 0:
        raise TropeError("There are no items, so the runs can't be ranked.")
    cluster, count = codes(clusters, values.shape[1])
    mean, drawn = resampled_means(values.T, cluster, count, resamples=resamples, seed=seed)
    tail = (1 - confidence) / 2
    best, worst = _places(drawn)
    low = np.quantile(best, tail, axis=0, method="lower")
    high = np.quantile(worst, 1 - tail, axis=0, method="higher")
    rank = _places(mean[None, :])[0][0]
    return Ranks(mean, rank, np.minimum(low, rank), np.maximum(high, rank))


def _places(means: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The best and the worst rank of each column in each row, ties taken both ways."""
    filled = np.where(np.isnan(means), -np.inf, means)
    best, worst = np.empty(means.shape, np.intp), np.empty(means.shape, np.intp)
    for run in range(means.shape[1]):
        mine = filled[:, run, None]
        near = 1e-6 * (1.0 + np.abs(np.where(np.isinf(mine), 0.0, mine)))  # float32 sums
        best[:, run] = 1 + np.sum(filled > mine + near, axis=1)
        worst[:, run] = np.sum(filled >= mine - near, axis=1)
    return best, worst
