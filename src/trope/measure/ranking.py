"""Measures of a ranking, as values with parameters: `NDCG(k=5)`, `TopRole("literal")`.

Calling one on a score table gives one number an item, NaN where the item is missing or the
gold says nothing about it. No measure here averages, and none depends on the order of rows
or candidates: ties get their expected value over all tie orders.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from trope.measure.ties import Bools, Floats, Ranked, every, expected, places, some, total

if TYPE_CHECKING:
    from trope.runs import Table

DCG_GAINS = (3.0, 1.0, 0.0, 0.0, 0.0)
"""Gains by gold rank of the AdMIRe shared task's official scorer (it prints plain DCG)."""

ADMIRE_GAINS = (5.0, 4.0, 3.0, 2.0, 1.0)
"""Gains by gold rank for the NDCG of the AdMIRe paper. The paper prints none: inferred from
its table 1, where accuracies of .27 to .40 stand beside NDCG of .87 to .89. These gains give
that; (4, 3, 2, 1, 0) gives less."""

XMPIE_IDIOMATIC: Mapping[str, float] = {"idiomatic": 1.0, "idiomatic_related": 0.5}
"""Gains by role of XMPIE, section 5.2, for the idiomatic sense; other roles gain nothing."""

XMPIE_LITERAL: Mapping[str, float] = {"literal": 1.0, "literal_related": 0.5}
"""Gains by role of XMPIE, section 5.2, for the literal sense; other roles gain nothing."""

XMPIE_SYMMETRIC: Mapping[str, float] = {
    "idiomatic": 1.0,
    "idiomatic_related": 0.5,
    "literal_related": 0.5,
    "literal": 1.0,
}
"""Gains by role of XMPIE's table 4, which rewards either sense alike."""


class Measure(ABC):
    """A number for each item of a score table, with the range it lives in."""

    name: str
    """How tables and files call it."""
    low: float = 0.0
    """The least value it can take."""
    high: float = 1.0
    """The greatest value it can take."""
    share: bool = False
    """Whether its mean is a proportion of right answers (then its interval is Wilson's)."""

    @abstractmethod
    def defined(self, ranked: Ranked) -> Bools:
        """The items whose gold allows this measure, whatever the scores."""

    @abstractmethod
    def value(self, ranked: Ranked) -> Floats:
        """The expected value over tie orders; anything where undefined or missing."""

    def worst(self, ranked: Ranked) -> Floats | None:
        """The least value each item can get, where that is more than `low`."""
        return None

    def span(self, ranked: Ranked) -> tuple[float, float]:
        """The range these items allow: with five candidates MRR can't fall below .2."""
        worst, defined = self.worst(ranked), self.defined(ranked)
        if worst is None or not defined.any():
            return self.low, self.high
        return min(float(np.min(worst[defined])), self.high), self.high

    def of(self, ranked: Ranked) -> Floats:
        """One value an item; NaN where the item is missing or the measure undefined."""
        with np.errstate(invalid="ignore", divide="ignore"):
            values = self.value(ranked)
        return np.where(ranked.answered & self.defined(ranked), values, np.nan)

    def __call__(self, table: Table) -> Floats:
        """One value an item; NaN where the item is missing or the measure undefined."""
        return self.of(Ranked.of(table))


def _name(measure: Measure, default: str) -> None:
    """Name a frozen measure after its parameters, unless it was given a name."""
    object.__setattr__(measure, "name", measure.name or default)


def _relevant(ranked: Ranked, roles: tuple[str, ...] | None) -> Bools:
    """The candidates that count as right: the highest gain, or one of some roles."""
    if roles is None:
        return ranked.best
    mask = np.zeros(ranked.real.shape, dtype=bool)
    for role in roles:
        mask |= ranked.is_role(role)
    return mask


def _within(ranked: Ranked, mask: Bools, k: float | Floats) -> Floats:
    """The expected number of `mask` candidates among the first k."""
    chance = np.clip(k - ranked.above, 0, ranked.level) / np.maximum(ranked.level, 1)
    return total(chance, mask)


@dataclass(frozen=True)
class Top1(Measure):
    """The candidate with the highest gain is first; several with that gain: any of them."""

    name: str = "top1"
    share: bool = field(default=True, init=False)

    def defined(self, ranked: Ranked) -> Bools:
        return some(ranked.best)

    def value(self, ranked: Ranked) -> Floats:
        return _within(ranked, ranked.best, 1)


@dataclass(frozen=True)
class TopRole(Measure):
    """A candidate with this role is first: XMPIE's T1-I and T1-L (section 5.2)."""

    role: str
    name: str = ""
    share: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        _name(self, f"top1[{self.role}]")

    def defined(self, ranked: Ranked) -> Bools:
        return some(ranked.is_role(self.role))

    def value(self, ranked: Ranked) -> Floats:
        return _within(ranked, ranked.is_role(self.role), 1)


def _discounts(width: int, k: int | None = None) -> Floats:
    """1 / log2(rank + 1) for the ranks 1 to k, nothing beyond."""
    weights: Floats = 1.0 / np.log2(np.arange(2, width + 2))
    if k is not None:
        weights[k:] = 0.0
    return weights


def _gains(ranked: Ranked, gains: tuple[float, ...] | Mapping[str, float] | None) -> Floats:
    """The gain of each candidate: the table's own, by gold rank, or by role; 0 for padding."""
    if gains is None:
        return np.where(ranked.real, ranked.gain, 0.0)
    if isinstance(gains, Mapping):
        by_role = np.zeros(ranked.real.shape, order="F")
        for role, gain in gains.items():
            by_role += gain * ranked.is_role(role)
        return by_role
    return np.where(ranked.real, expected(gains, *ranked.gold_places), 0.0)


def _dcg(ranked: Ranked, gains: Floats, k: int | None = None) -> Floats:
    """The DCG of the order the scores give; padding has no gain."""
    return total(gains, expected(_discounts(gains.shape[1], k), ranked.above, ranked.level))


def _bound_dcg(ranked: Ranked, gains: Floats, k: int | None = None, *, sign: int) -> Floats:
    """The DCG of the best order of each item's candidates (sign 1), or of the worst (-1)."""
    order = places(np.where(ranked.real, sign * gains, np.nan))
    return total(gains, expected(_discounts(gains.shape[1], k), *order))


@dataclass(frozen=True)
class DCG(Measure):
    """Discounted cumulative gain with gains by gold rank; the default is AdMIRe's official one.

    Candidates level in the gold share the gains of the ranks they span.
    """

    gains: tuple[float, ...] = DCG_GAINS
    name: str = "dcg"

    @property
    def high(self) -> float:  # type: ignore[override]
        best = np.sort(np.asarray(self.gains, dtype=np.float64))[::-1]
        return float(best @ _discounts(best.size))

    def defined(self, ranked: Ranked) -> Bools:
        return some(ranked.best)

    def value(self, ranked: Ranked) -> Floats:
        return _dcg(ranked, _gains(ranked, self.gains))

    def worst(self, ranked: Ranked) -> Floats:
        return _bound_dcg(ranked, _gains(ranked, self.gains), sign=-1)


@dataclass(frozen=True)
class NDCG(Measure):
    """Normalised DCG cut at k, with the gains said: None is the table's own gain column, a
    tuple gives them by gold rank, a mapping by role. Undefined where the ideal is 0."""

    k: int | None = 5
    gains: tuple[float, ...] | Mapping[str, float] | None = field(default=None, hash=False)
    name: str = ""

    def __post_init__(self) -> None:
        _name(self, "ndcg" if self.k is None else f"ndcg@{self.k}")

    def defined(self, ranked: Ranked) -> Bools:
        gains = _gains(ranked, self.gains)
        if isinstance(self.gains, Mapping):
            return some(gains > 0)
        return some(ranked.best) & some(gains > 0)

    def value(self, ranked: Ranked) -> Floats:
        gains = _gains(ranked, self.gains)
        ideal = _bound_dcg(ranked, gains, self.k, sign=1)
        return np.clip(_dcg(ranked, gains, self.k) / ideal, 0.0, 1.0)

    def worst(self, ranked: Ranked) -> Floats:
        gains = _gains(ranked, self.gains)
        worst, ideal = (_bound_dcg(ranked, gains, self.k, sign=sign) for sign in (-1, 1))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.clip(worst / ideal, 0.0, 1.0)


@dataclass(frozen=True)
class Precision(Measure):
    """The share of the first k that are relevant; k=None takes as many as are relevant, which
    is the retrieval measure of IRFL (section 4.2)."""

    k: int | None = None
    roles: tuple[str, ...] | None = None
    name: str = ""

    def __post_init__(self) -> None:
        _name(self, f"precision@{'r' if self.k is None else self.k}")

    @property
    def share(self) -> bool:  # type: ignore[override]
        return self.k == 1

    def defined(self, ranked: Ranked) -> Bools:
        return some(_relevant(ranked, self.roles))

    def value(self, ranked: Ranked) -> Floats:
        mask = _relevant(ranked, self.roles)
        if self.k is not None:
            return _within(ranked, mask, self.k) / self.k
        count: Floats = mask.sum(axis=1).astype(np.float64)
        return _within(ranked, mask, count[:, None]) / count

    def worst(self, ranked: Ranked) -> Floats:
        count = _relevant(ranked, self.roles).sum(axis=1)
        k = np.maximum(count, 1) if self.k is None else np.full(len(count), self.k)
        least: Floats = np.maximum(k - (ranked.candidates - count), 0) / k
        return np.minimum(least, 1.0)


@dataclass(frozen=True)
class MRR(Measure):
    """The reciprocal rank of the first relevant candidate."""

    roles: tuple[str, ...] | None = None
    name: str = "mrr"

    def defined(self, ranked: Ranked) -> Bools:
        return some(_relevant(ranked, self.roles))

    def value(self, ranked: Ranked) -> Floats:
        mask = _relevant(ranked, self.roles)
        width = mask.shape[1]
        above = np.min(np.where(mask, ranked.above, width), axis=1, initial=width)
        tier = (ranked.above == above[:, None]) & ranked.real
        size, right = tier.sum(axis=1), (tier & mask).sum(axis=1)
        # Walk down the tier: the first relevant one is met at step m with chance right / left.
        value, unmet = np.zeros(len(mask)), np.ones(len(mask))
        for step in range(int(np.max(size - right, initial=0)) + 1):
            left = np.maximum(size - step, 1)
            met = unmet * np.minimum(right / left, 1.0)
            value += met / (above + step + 1)
            unmet = unmet - met
        return value

    def worst(self, ranked: Ranked) -> Floats:
        right = _relevant(ranked, self.roles).sum(axis=1)
        last: Floats = 1.0 / np.maximum(ranked.candidates - right + 1, 1)
        return last


@dataclass(frozen=True)
class StrictTop2(Measure):
    """The first two are the gold's first two, in that order; with two roles, XMPIE's T2-I
    (idiomatic, idiomatic_related) and T2-L (literal, literal_related), section 5.2."""

    roles: tuple[str, str] | None = None
    name: str = ""
    share: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        _name(self, "strict_top2" if self.roles is None else f"strict_top2[{self.roles[0]}]")

    def _pair(self, ranked: Ranked) -> tuple[Bools, Bools]:
        """The candidates that may stand first, and those that may stand second."""
        if self.roles is not None:
            return ranked.is_role(self.roles[0]), ranked.is_role(self.roles[1])
        above, level = ranked.gold_places
        gold = ranked.real & some(ranked.best)[:, None]
        return (above == 0) & gold, (above <= 1) & (above + level >= 2) & gold

    def defined(self, ranked: Ranked) -> Bools:
        first, second = self._pair(ranked)
        return some(first) & some(second)

    def value(self, ranked: Ranked) -> Floats:
        first, second = self._pair(ranked)
        top, next_to = (ranked.above == 0) & ranked.real, (ranked.above == 1) & ranked.real
        size, after = top.sum(axis=1), next_to.sum(axis=1)
        ones, twos = (first & top).sum(axis=1), (second & top).sum(axis=1)
        both = (first & second & top).sum(axis=1)
        level = (ones * twos - both) / np.maximum(size * (size - 1), 1)
        clear = ones * (second & next_to).sum(axis=1) / np.maximum(after, 1)
        chance: Floats = np.where(size > 1, level, clear)
        return chance


@dataclass(frozen=True)
class KendallTau(Measure):
    """Kendall's tau over the pairs the gold tells apart; a pair with level scores counts 0."""

    name: str = "kendall"
    low: float = field(default=-1.0, init=False)

    def defined(self, ranked: Ranked) -> Bools:
        _, level = ranked.gold_places
        all_level = every((level == ranked.candidates[:, None]) | ~ranked.real)
        return ranked.has_gold & ~all_level

    def value(self, ranked: Ranked) -> Floats:
        pairs = np.zeros(len(ranked.real), dtype=np.int64)
        balance = np.zeros(len(ranked.real), dtype=np.int64)
        for slot in range(ranked.real.shape[1] - 1):
            gold = _order(ranked.gain, slot)
            pairs += np.abs(gold).sum(axis=1, dtype=np.int64)
            balance += (gold * _order(ranked.score, slot)).sum(axis=1, dtype=np.int64)
        return balance / pairs


def _order(values: Floats, slot: int) -> np.ndarray[tuple[int, int], np.dtype[np.int8]]:
    """1 where the candidate in this slot beats a later one, -1 where it loses, 0 where level."""
    this, later = values[:, slot, None], values[:, slot + 1 :]
    return (this > later).astype(np.int8) - (this < later).astype(np.int8)
