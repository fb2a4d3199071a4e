"""Does the order in which candidates are shown change the answer?

A ranker gets the same items several times with the candidates shuffled by a seed; its answers are
put back in place and held against each other. Encoders and judges see one candidate at a time, so
for them the question doesn't arise.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import numpy as np

from trope.audit.first import first_place
from trope.engine import execute
from trope.engine.cache import Cache
from trope.errors import TropeError
from trope.item import Benchmark
from trope.measure.intervals import Estimate, graded, share
from trope.measure.ranking import Top1
from trope.measure.resample import codes
from trope.measure.ties import Floats, Ints, Ranked
from trope.prompt import Prompt
from trope.runs import Table
from trope.score.faces import Ranker, Scorer

ORDERS = 5


@dataclass(frozen=True, eq=False)
class Order:
    """How one ranker answers the same questions in several orders."""

    label: str
    orders: int
    kendall: Estimate
    """Agreement of two orders' rankings, averaged over pairs of orders: 1 is the same."""
    same_first: Estimate
    """How often two orders put the same candidate first."""
    chance_same: float
    """How often two blind choices would."""
    top1: tuple[Estimate, ...]
    """In each order; the first is the benchmark's own."""
    averaged: Estimate | None
    """Top-1 of the mean rank over the orders; None without gold."""
    positions: Floats
    """The share of first places that went to the candidate shown first, second, ..."""
    expected: Floats
    """What blindness to position would give."""
    drift: Estimate
    """First places at the preferred position above blindness, by item; the position is chosen on
    the other half of the items."""
    missing: int
    """Items that some order left unanswered."""
    scores: Floats
    """Orders x items x candidates, in the benchmark's own places."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "model": self.label,
            "orders": self.orders,
            "kendall": self.kendall.as_dict(),
            "same_first": self.same_first.as_dict(),
            "chance_same": None if np.isnan(self.chance_same) else self.chance_same,
            "top1": [e.as_dict() for e in self.top1],
            "averaged": None if self.averaged is None else self.averaged.as_dict(),
            "positions": self.positions.tolist(),
            "expected": self.expected.tolist(),
            "position_excess": self.drift.as_dict(),
            "missing": self.missing,
        }

    def sentences(self) -> list[str]:
        """What the numbers say."""
        if not self.same_first.n:
            return [f"{self.label} answered no item in all of its orders."]
        lines = [
            f"Shown in {self.orders} orders, {self.label} puts the same candidate first "
            f"{self.same_first.value:.0%} of the time ({self.same_first.low:.0%} to "
            f"{self.same_first.high:.0%}; blind choice {self.chance_same:.0%}); its rankings agree "
            f"with Kendall's tau {self.kendall.value:.2f}."
        ]
        place = int(np.argmax(self.positions - self.expected))
        if self.drift.low > 0:
            lines.append(
                f"It prefers the candidate shown in place {place + 1}: first "
                f"{self.positions[place]:.0%} of the time, where blindness to order gives "
                f"{self.expected[place]:.0%}."
            )
        else:
            lines.append("No place in the list is shown to be preferred.")
        if self.top1:
            values = [e.value for e in self.top1]
            lines.append(f"Top-1 runs from {min(values):.2f} to {max(values):.2f} over the orders.")
        if self.missing:
            lines.append(f"{self.missing} items have no answer in some order and are left out.")
        return lines


def order_sensitivity(
    benchmark: Benchmark,
    scorer: Scorer,
    prompt: Prompt | None = None,
    *,
    orders: int = ORDERS,
    seed: int = 0,
    label: str = "the ranker",
    cache: Cache | None = None,
) -> Order:
    """Ask a ranker about the benchmark in several orders of the candidates."""
    if not isinstance(scorer, Ranker):
        raise TropeError(
            f"{label} sees one candidate at a time, so their order can't matter to it."
        )
    if orders < 2:
        raise TropeError("Order sensitivity needs two orders or more.")
    if cache is None:
        with TemporaryDirectory() as folder:
            own = Cache(Path(folder))
            try:
                asked = _asked(benchmark, scorer, prompt, orders, seed, label, own)
            finally:
                own.close()
    else:
        asked = _asked(benchmark, scorer, prompt, orders, seed, label, cache)
    return _judged(*asked, label=label, seed=seed)


def shuffled(benchmark: Benchmark, places: list[Ints]) -> Benchmark:
    """The same items with their candidates in another order."""
    items = tuple(
        msgspec.structs.replace(item, candidates=tuple(item.candidates[p] for p in order))
        for item, order in zip(benchmark.items, places, strict=True)
    )
    return msgspec.structs.replace(benchmark, items=items)


def _asked(
    benchmark: Benchmark,
    ranker: Ranker,
    prompt: Prompt | None,
    orders: int,
    seed: int,
    label: str,
    cache: Cache,
) -> tuple[Table, Floats, Ints]:
    """A table with the gold; scores in the own places; where each candidate was shown."""
    rng = np.random.default_rng(seed)
    table: Table | None = None
    scores, shown = [], []
    for number in range(orders):
        places = [
            np.arange(len(item.candidates))
            if number == 0
            else rng.permutation(len(item.candidates))
            for item in benchmark.items
        ]
        run = execute(shuffled(benchmark, places), ranker, prompt, address=label, cache=cache)
        table = table or run.table
        score, at = np.full(table.score.shape, np.nan), np.full(table.score.shape, -1)
        for row, order in enumerate(places):
            score[row, order] = run.table.score[row, : len(order)]
            at[row, order] = np.arange(len(order))
        scores.append(score)
        shown.append(at)
    assert table is not None
    return table, np.stack(scores), np.stack(shown)


def _judged(table: Table, scores: Floats, shown: Ints, *, label: str, seed: int) -> Order:
    ranked = [Ranked.of(table.with_scores(score)) for score in scores]
    held = np.all([one.answered for one in ranked], axis=0)
    phrases, _ = codes(np.asarray(table.phrases, dtype=object), len(table))
    firsts = np.stack([first_place(one) for one in ranked])
    pairs = list(itertools.combinations(range(len(scores)), 2))
    same = np.mean([np.nansum(firsts[a] * firsts[b], axis=1) for a, b in pairs], axis=0)
    tau = np.mean([kendall(scores[a], scores[b]) for a, b in pairs], axis=0)
    labelled = table.labelled
    positions, expected, excess = _positions(firsts[:, held], shown[:, held], ranked[0], held)
    return Order(
        label=label,
        orders=len(scores),
        kendall=graded(np.where(held, tau, np.nan), phrases, low=-1.0, high=1.0, seed=seed),
        same_first=share(np.where(held, same, np.nan), phrases),
        chance_same=float(np.mean(1 / ranked[0].candidates[held])) if held.any() else float("nan"),
        top1=tuple(share(Top1().of(one), phrases) for one in ranked) if labelled else (),
        averaged=share(_averaged(table, ranked), phrases) if labelled else None,
        positions=positions,
        expected=expected,
        drift=graded(excess, phrases[held], low=-1.0, high=1.0, seed=seed),
        missing=int((~held).sum()),
        scores=scores,
    )


def kendall(a: Floats, b: Floats) -> Floats:
    """Kendall's tau-b of each row of two score matrices; 0 where one of them is all level."""
    up = [np.sign(m[:, :, None] - m[:, None, :]) for m in (a, b)]
    product = np.nansum(up[0] * up[1], axis=(1, 2))
    both = np.isfinite(up[0]) & np.isfinite(up[1])
    size = [np.sum(np.abs(m), axis=(1, 2), where=both) for m in up]
    with np.errstate(invalid="ignore", divide="ignore"):
        tau = product / np.sqrt(size[0] * size[1])
    known: Floats = np.where(np.isnan(tau), 0.0, tau)
    return known


def _averaged(table: Table, ranked: list[Ranked]) -> Floats:
    """Top-1 of the mean rank: what asking several times would give."""
    ranks = [one.above + (one.level + 1) / 2 for one in ranked]
    mean = np.mean(ranks, axis=0)
    held = np.all([one.answered for one in ranked], axis=0)[:, None]
    return Top1()(table.with_scores(np.where(table.real & held, -mean, np.nan)))


def _positions(
    firsts: Floats, shown: Ints, ranked: Ranked, held: Any
) -> tuple[Floats, Floats, Floats]:
    """First places by the place shown; the same under blindness; and each item's excess at the
    preferred place, chosen on the other half of the items so that choosing it doesn't make it."""
    width = firsts.shape[2]
    by_item = np.stack(
        [np.sum(np.where(shown == place, firsts, 0.0), axis=(0, 2)) for place in range(width)], 1
    ) / len(firsts)
    count = ranked.candidates[held]
    blind = np.where(np.arange(width)[None, :] < count[:, None], 1 / count[:, None], 0.0)
    if not len(by_item):
        return np.zeros(width), np.zeros(width), np.zeros(0)
    above = by_item - blind
    halves = np.arange(len(above)) % 2
    excess = np.zeros(len(above))
    for half in (0, 1):
        others = above[halves != half] if (halves != half).any() else above
        excess[halves == half] = above[halves == half, int(np.argmax(others.mean(axis=0)))]
    return by_item.mean(axis=0), blind.mean(axis=0), excess
