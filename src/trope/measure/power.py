"""How large a difference a benchmark can show, and how many items would show a given one.

For right and wrong answers the power of McNemar's exact test is summed over all outcomes up
to 400 items, and is Connor's (1987) normal approximation beyond; for graded measures it is the
paired t test's. Items are taken as independent. Nothing here looks at a run.
"""

from __future__ import annotations

import math

import numpy as np

from trope.measure.beta import NORMAL, t_quantile
from trope.measure.ties import Floats

EXACT_ITEMS = 400
DISAGREEMENT = 0.3
"""On how many items two runs differ in being right, where nothing better is known: about the
mean (.32) over all pairs of 40 public CLIP, ALIGN and OpenCLIP rankings of AdMIRe's 70 English
training items, whose middle eight tenths lie between .17 and .47."""


def power_mcnemar(n: int, difference: float, disagreement: float, *, alpha: float = 0.05) -> float:
    """The chance that McNemar's exact test on n items shows a true difference in accuracy."""
    psi = min(1.0, max(disagreement, abs(difference)))
    if psi == 0 or n < 1:
        return 0.0
    if n > EXACT_ITEMS:
        z = NORMAL.inv_cdf(1 - alpha / 2)
        rest = math.sqrt(max(psi - difference**2, 1e-12))
        return NORMAL.cdf((abs(difference) * math.sqrt(n) - z * math.sqrt(psi)) / rest)
    differing = binomial(n, psi)
    win = (psi + abs(difference)) / (2 * psi)
    shown = [
        _rejects(m, win, alpha) if chance > 1e-12 else 0.0 for m, chance in enumerate(differing)
    ]
    return float(differing @ np.asarray(shown))


def binomial(n: int, p: float) -> Floats:
    """The chances of 0 to n successes."""
    k = np.arange(n + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    with np.errstate(divide="ignore", invalid="ignore"):
        hits, misses = k * np.log(p), (n - k) * np.log1p(-p)
    hits, misses = np.where(k == 0, 0.0, hits), np.where(k == n, 0.0, misses)
    chances: Floats = np.exp(logs[n] - logs[k] - logs[n - k] + hits + misses)
    return chances


def _rejects(differing: int, win: float, alpha: float) -> float:
    """The chance that a split of so many differing items is significant."""
    even = 2 * np.cumsum(binomial(differing, 0.5))
    bound = int(np.sum(even <= alpha))  # splits with fewer than `bound` on one side
    if bound == 0:
        return 0.0
    chances = binomial(differing, win)
    return float(chances[:bound].sum() + chances[-bound:].sum())


def smallest_difference(
    n: int,
    *,
    disagreement: float = DISAGREEMENT,
    spread: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
) -> float | None:
    """The smallest true difference that n items show with this power; None where none can.

    For accuracies give the share of items on which the runs disagree; for a graded measure
    give `spread`, the standard deviation of the differences by item.
    """
    if n < 1:
        return None
    if spread is not None:
        return _standard_errors(n, power, alpha) * spread / math.sqrt(n) if n > 1 else None
    if power_mcnemar(n, 1.0, disagreement, alpha=alpha) < power:
        return None
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        enough = power_mcnemar(n, middle, disagreement, alpha=alpha) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


def items_needed(
    difference: float,
    *,
    disagreement: float = DISAGREEMENT,
    spread: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
) -> int | None:
    """How many items would show a true difference of this size; None where none is enough.

    The counterpart of `smallest_difference`, with the same two ways to say how runs differ.
    """
    size = abs(difference)
    if size == 0 or math.isnan(size):
        return None
    if spread is not None:
        n = 2
        while n < 10**9 and _standard_errors(n, power, alpha) * spread > size * math.sqrt(n):
            n = max(n + 1, min(2 * n, _about(size, spread**2, power, alpha)))
        return n
    psi = min(1.0, max(disagreement, size))
    n = max(1, _about(size, psi, power, alpha) - 5)
    while power_mcnemar(n, size, psi, alpha=alpha) < power:
        n += 1
    return n


def _standard_errors(n: int, power: float, alpha: float) -> float:
    """How many standard errors a difference must measure to be shown with this power."""
    return t_quantile(1 - alpha, n - 1) + NORMAL.inv_cdf(power)


def _about(size: float, variance: float, power: float, alpha: float) -> int:
    """Connor's number of items: the test's spread without, and the power's with, difference."""
    z, reach = NORMAL.inv_cdf(1 - alpha / 2), NORMAL.inv_cdf(power)
    with_it = math.sqrt(max(variance - size**2, 0.0))
    return math.ceil(((z * math.sqrt(variance) + reach * with_it) / size) ** 2)
