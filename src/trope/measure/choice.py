"""Measures of a named answer: did the scorer say the right sense?

A scorer may name a sense for an item beside ranking its candidates. These measures compare
what it said with the gold; an item for which it said nothing is missing, never wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from trope.measure.intervals import JOINED, Estimate, joined
from trope.measure.resample import RESAMPLES, cluster_sums, codes, resampled_sums
from trope.measure.ties import Bools, Floats, Ints

if TYPE_CHECKING:
    from trope.runs import Table


def _columns(gold: ArrayLike, said: ArrayLike) -> Floats:
    """For each class three columns: hit, gold, said; one row an item."""
    truth, named = np.asarray(gold, dtype=str), np.asarray(said, dtype=str)
    classes = sorted({*truth.tolist(), *named.tolist()})
    is_gold = np.stack([truth == c for c in classes], axis=1)
    is_said = np.stack([named == c for c in classes], axis=1)
    return np.concatenate([is_gold & is_said, is_gold, is_said], axis=1).astype(np.float64)


def _per_class(sums: Floats) -> tuple[Floats, Floats]:
    """F1 and the number of gold and said answers of each class, from column sums."""
    hit, gold, said = np.split(sums, 3, axis=-1)
    base = gold + said
    return 2 * hit / np.maximum(base, 1.0), base


def _macro(sums: Floats) -> Floats:
    """The mean F1 of the classes that occur in gold or answers; NaN where none does."""
    f1, base = _per_class(sums)
    with np.errstate(invalid="ignore"):
        mean: Floats = f1.sum(axis=-1) / (base > 0).sum(axis=-1)
    return mean


def macro_f1(gold: Sequence[str], said: Sequence[str]) -> float:
    """F1 of each class that occurs in gold or answers, and their plain mean.

    >>> gold = ["literal", "literal", "idiomatic"]
    >>> round(macro_f1(gold, ["literal", "idiomatic", "idiomatic"]), 4)
    0.6667
    """
    return float(_macro(_columns(gold, said).sum(axis=0))) if len(gold) else math.nan


@dataclass(frozen=True)
class MacroF1:
    """Macro F1 of the sense the scorer named; a statistic of all items, not a mean of them."""

    name: str = "macro_f1"
    low: float = 0.0
    high: float = 1.0
    share: bool = False

    def __call__(self, table: Table) -> float:
        """The value over the items with a gold sense and a named one; NaN where there is none."""
        pairs = [(g, s) for g, s in zip(table.senses, table.said, strict=True) if g and s]
        return macro_f1([g for g, _ in pairs], [s for _, s in pairs])

    def estimate(
        self,
        gold: Sequence[str],
        said: Sequence[str],
        clusters: ArrayLike | None = None,
        *,
        resamples: int = RESAMPLES,
        seed: int = 0,
    ) -> Estimate:
        """The value with an interval by phrase, made as `graded` makes it; '' is missing."""
        cluster, count = codes(clusters, len(gold))
        sums = self.sums(gold, said, cluster, count)
        drawn = resampled_sums(sums, resamples, seed) if sums.size else sums
        return self.estimate_from(gold, said, sums, drawn)

    def sums(self, gold: Sequence[str], said: Sequence[str], cluster: Ints, count: int) -> Floats:
        """What each cluster adds to the statistic; items without gold or answer add nothing."""
        keep = _kept(gold, said)
        if not keep.any():
            return np.zeros((count, 0))
        columns = _columns(np.asarray(gold)[keep], np.asarray(said)[keep])
        return cluster_sums(columns, cluster[keep], count)

    def estimate_from(
        self, gold: Sequence[str], said: Sequence[str], sums: Floats, drawn: Floats
    ) -> Estimate:
        """The estimate from the clusters' sums and those of their resamples."""
        keep = _kept(gold, said)
        n = int(keep.sum())
        missing = int(np.sum(np.asarray(gold, dtype=str) != "")) - n
        if n == 0:
            return Estimate(math.nan, self.low, self.high, 0, missing, JOINED)
        value = float(_macro(sums.sum(axis=0)))
        variance = float(np.sum(_influence(sums) ** 2))
        phrases = int(np.sum(sums.any(axis=1)))
        span = (self.low, self.high)
        low, high = joined(value, variance, phrases, _macro(drawn), span)
        return Estimate(value, low, high, n, missing, JOINED)


def _kept(gold: Sequence[str], said: Sequence[str]) -> Bools:
    """The items with a gold sense and a named one."""
    keep: Bools = (np.asarray(said, dtype=str) != "") & (np.asarray(gold, dtype=str) != "")
    return keep


def _influence(sums: Floats) -> Floats:
    """How far each cluster pulls the statistic, to first order."""
    f1, base = _per_class(sums.sum(axis=0))
    hit, gold, said = np.split(sums, 3, axis=-1)
    pull = (2 * hit - f1 * (gold + said)) / np.maximum(base, 1.0)
    total: Floats = pull.sum(axis=1) / max(int((base > 0).sum()), 1)
    return total
