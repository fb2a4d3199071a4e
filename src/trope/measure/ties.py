"""Where each candidate stands in a score table, with ties kept as ties.

A scorer that gives two candidates the same score has not said which comes first, so a
measure gets its expected value over all the orders the tie allows. This module finds the
ties and the expected value of any weight that depends on the rank alone; it never breaks a
tie by row order, and never turns a missing score into a number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from trope.runs import Table

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]


def places(values: ArrayLike) -> tuple[Ints, Ints]:
    """For each entry of a row: how many stand above it, and how many stand level (itself too).

    Higher is better. NaN is no value: it stands last, level with nothing.

    >>> above, level = places([[0.9, 0.2, 0.9]])
    >>> above.tolist(), level.tolist()
    ([[0, 2, 0]], [[2, 1, 2]])
    """
    given = np.asarray(values, dtype=np.float64)
    return _counted(given) if given.shape[1] <= _NARROW else _sorted(given)


_NARROW = 12  # candidates up to which comparing every pair of columns beats sorting rows


def _counted(values: Floats) -> tuple[Ints, Ints]:
    """Places by comparing each two columns."""
    rows, width = values.shape
    columns = np.ascontiguousarray(values.T)
    above, level = np.zeros((width, rows), np.int8), np.ones((width, rows), np.int8)
    for one in range(width):
        for other in range(one + 1, width):
            above[one] += columns[other] > columns[one]
            above[other] += columns[one] > columns[other]
            same = columns[one] == columns[other]
            level[one] += same
            level[other] += same
    empty = np.isnan(columns)
    if empty.any():
        above = np.where(empty, np.sum(~empty, axis=0, dtype=np.int8), above)
    return above.T.astype(np.intp), level.T.astype(np.intp)


def _sorted(values: Floats) -> tuple[Ints, Ints]:
    """Places by sorting each row and finding where runs of equal values begin and end."""
    key = -values
    rows, width = key.shape
    order = np.argsort(key, axis=1, kind="stable")
    sorted_key = np.take_along_axis(key, order, axis=1)
    slot = np.arange(width)
    opens = np.ones((rows, width), dtype=bool)
    opens[:, 1:] = sorted_key[:, 1:] != sorted_key[:, :-1]
    start = np.maximum.accumulate(np.where(opens, slot, 0), axis=1)
    closes = np.full((rows, width), width)
    closes[:, :-1] = np.where(opens[:, 1:], slot[1:], width)
    end = np.minimum.accumulate(closes[:, ::-1], axis=1)[:, ::-1]
    above, level = np.empty_like(start), np.empty_like(start)
    np.put_along_axis(above, order, start, axis=1)
    np.put_along_axis(level, order, end - start, axis=1)
    return above, level


def total(values: Floats, weights: NDArray[Any]) -> Floats:
    """The sum of values times weights in each row."""
    return np.asarray(np.einsum("ij,ij->i", values, weights), dtype=np.float64)


def some(mask: Bools) -> Bools:
    """The rows with at least one True."""
    rows: Bools = np.any(mask, axis=1)
    return rows


def every(mask: Bools) -> Bools:
    """The rows with nothing but True."""
    rows: Bools = np.all(mask, axis=1)
    return rows


def expected(weights: ArrayLike, above: Ints, level: Ints) -> Floats:
    """The expected weight of each candidate, where weight k belongs to rank k + 1.

    A candidate with `above` others before it and `level` on its place is equally likely at
    each of the ranks above + 1 to above + level; ranks beyond the last weight weigh nothing.
    """
    width = above.shape[1]
    by_rank = np.zeros(width + 1)
    given = np.asarray(weights, dtype=np.float64)[:width]
    by_rank[: given.size] = given
    alone = by_rank[above]
    if not np.any(level > 1):
        return alone
    sums = np.concatenate([[0.0], np.cumsum(by_rank)])
    shared: Floats = (sums[above + level] - sums[above]) / level
    return np.where(level == 1, alone, shared)


@dataclass(frozen=True)
class Ranked:
    """A score table with every candidate's place found once, for many measures to share."""

    score: Floats
    gain: Floats
    role: NDArray[Any]
    real: Bools
    above: Ints
    level: Ints
    _masks: dict[str, Bools] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, table: Table) -> Ranked:
        """Find the places in a table; padding stands nowhere, and a score that is not finite is
        none."""
        # Columns lie together in memory, so that adding up few candidates of many items is fast.
        real = np.asfortranarray(table.real, dtype=bool)
        score = np.asfortranarray(table.score, dtype=np.float64)
        score = np.where(real & np.isfinite(score), score, np.nan)
        gain = np.where(real, np.asfortranarray(table.gain, dtype=np.float64), np.nan)
        return cls(score, gain, np.asarray(table.role), real, *places(score))

    def take(self, rows: ArrayLike) -> Ranked:
        """Some of the items only (a mask or row numbers)."""
        at = np.asarray(rows)
        score, gain, real = (np.asfortranarray(a[at]) for a in (self.score, self.gain, self.real))
        above, level = np.asfortranarray(self.above[at]), np.asfortranarray(self.level[at])
        return Ranked(score, gain, self.role[at], real, above, level)

    def is_role(self, role: str) -> Bools:
        """Which candidates have this role."""
        name = str(role)
        if name not in self._masks:
            self._masks[name] = (self.role == name) & self.real
        return self._masks[name]

    @cached_property
    def candidates(self) -> Ints:
        """How many candidates each item has."""
        counts: Ints = self.real.sum(axis=1)
        return counts

    @cached_property
    def answered(self) -> Bools:
        """Items with a score for every candidate; the others are missing as a whole."""
        return every(~np.isnan(self.score) | ~self.real) & some(self.real)

    @cached_property
    def has_gold(self) -> Bools:
        """Items with a gain for every candidate."""
        return every(~np.isnan(self.gain) | ~self.real) & some(self.real)

    @cached_property
    def gold_places(self) -> tuple[Ints, Ints]:
        """The places in the gold order, equal gains level."""
        return places(self.gain)

    @cached_property
    def best(self) -> Bools:
        """Candidates with their item's highest gain; none where no candidate is relevant."""
        above, _ = self.gold_places
        relevant = self.has_gold & (some(self.gain > 0) | some((above > 0) & self.real))
        mask: Bools = (above == 0) & self.real & relevant[:, None]
        return mask
