"""The beta distribution, and through it Student's t and the normal, in plain Python.

Intervals need a few quantiles to about twelve digits; these routines give them without
scipy, which the core never loads. Nothing here knows about items or scores.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

NORMAL = NormalDist()
_TINY = 1e-300


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, evaluated forwards (Lentz)."""
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > _TINY else _TINY)
    total = d
    for m in range(1, 100_000):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        for term in (even, odd):
            d = 1.0 + term * d
            c = 1.0 + term / c
            d = 1.0 / (d if abs(d) > _TINY else _TINY)
            c = c if abs(c) > _TINY else _TINY
            total *= c * d
        if abs(c * d - 1.0) < 1e-16:
            break
    return total


def beta_cdf(x: float, a: float, b: float) -> float:
    """The chance that a Beta(a, b) variable is at most x."""
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(log_front + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, 1.0 - x) / b


@lru_cache(maxsize=4096)
def beta_quantile(p: float, a: float, b: float) -> float:
    """The x below which a Beta(a, b) variable falls with chance p, by bisection."""
    low, high = 0.0, 1.0
    while True:
        middle = 0.5 * (low + high)
        if middle in (low, high) or high - low < 1e-15 * high:
            return middle
        if beta_cdf(middle, a, b) < p:
            low = middle
        else:
            high = middle


def t_quantile(confidence: float, freedom: float) -> float:
    """How many standard errors hold this share of Student's t; the normal's for very many.

    >>> round(t_quantile(0.95, 14), 4), round(t_quantile(0.95, 1), 3)
    (2.1448, 12.706)
    """
    if freedom > 100:  # the normal's quantile, expanded in 1 / freedom: right to ten digits
        z = NORMAL.inv_cdf(0.5 + confidence / 2)
        terms = (
            z,
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
            (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
        )
        return sum(term / freedom**power for power, term in enumerate(terms))
    x = beta_quantile(1.0 - confidence, freedom / 2.0, 0.5)
    return math.sqrt(freedom * (1.0 - x) / x)
