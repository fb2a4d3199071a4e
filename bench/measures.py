"""The speed and memory of measure/, as ratios where there is something to compare with.

    python bench/measures.py

All in one run on the same data: NDCG against a plain loop and against ir_measures, a whole
summary of 100,000 items, all pairs of 40 runs, and a large bootstrap.
"""

from __future__ import annotations

import math
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from trope.measure import NDCG, bootstrap, graded, pairwise, rank_intervals, summarise
from trope.runs import Table

ROLES = ("idiomatic", "idiomatic_related", "literal_related", "literal", "distractor")


def table_of(n: int, *, per_phrase: int = 1, seed: int = 0) -> Table:
    """Five-role rankings of n items in both senses."""
    rng = np.random.default_rng(seed)
    idiomatic = np.arange(n) % 2 == 0
    gain = np.where(idiomatic[:, None], [5.0, 4.0, 3.0, 2.0, 1.0], [2.0, 3.0, 4.0, 5.0, 1.0])
    senses = ["idiomatic" if yes else "literal" for yes in idiomatic]
    return Table(
        items=[f"q{i}" for i in range(n)],
        phrases=[f"phrase {i // per_phrase}" for i in range(n)],
        languages=["en"] * n,
        senses=senses,
        kinds=[""] * n,
        said=senses[::-1],
        candidates=[[f"c{j}" for j in range(5)] for _ in range(n)],
        score=gain + rng.normal(size=gain.shape),
        gain=gain,
        role=np.tile(np.array(ROLES, dtype="U18"), (n, 1)),
        real=np.ones(gain.shape, dtype=bool),
    )


def seconds(work: Callable[[], Any], *, repeats: int = 3) -> tuple[float, Any]:
    """The best time of a few, and the result."""
    best, result = math.inf, None
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


def loop(table: Table) -> list[float]:
    """NDCG@5 item by item, as one would write it without arrays."""
    found = []
    for scores, gains in zip(table.score.tolist(), table.gain.tolist(), strict=True):
        order = sorted(range(len(scores)), key=lambda j: -scores[j])[:5]
        dcg = sum(gains[j] / math.log2(rank + 2) for rank, j in enumerate(order))
        ideal = sorted(gains, reverse=True)[:5]
        found.append(dcg / sum(g / math.log2(rank + 2) for rank, g in enumerate(ideal)))
    return found


def against_peers(n: int = 20_000) -> None:
    table = table_of(n)
    ours, values = seconds(lambda: NDCG()(table))
    plain, slow = seconds(lambda: loop(table))
    assert np.allclose(values, slow)
    print(f"NDCG@5 of {n:,} items x 5: {ours * 1000:.1f} ms")
    print(f"  a plain Python loop takes {plain / ours:.0f}x as long")
    try:
        import ir_measures
    except ImportError:
        print("  ir_measures is not installed")
        return
    runs = {
        q: dict(zip(c, s, strict=True))
        for q, c, s in zip(table.items, table.candidates, table.score.tolist(), strict=True)
    }
    gold = {
        q: dict(zip(c, map(int, g), strict=True))
        for q, c, g in zip(table.items, table.candidates, table.gain.tolist(), strict=True)
    }
    measure = [ir_measures.nDCG @ 5]
    theirs, found = seconds(lambda: list(ir_measures.iter_calc(measure, gold, runs)), repeats=1)
    by_query = {metric.query_id: metric.value for metric in found}
    assert np.allclose(values, [by_query[q] for q in table.items])
    print(f"  ir_measures takes {theirs / ours:.0f}x as long (its input already in its own form)")


def peak() -> float:
    """The most memory this process has held, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    for per_phrase in (1, 4):
        table = table_of(100_000, per_phrase=per_phrase)
        took, found = seconds(lambda table=table: summarise(table), repeats=1)
        print(
            f"summarise, 100,000 items x 5, {per_phrase} a phrase, 2,000 resamples, "
            f"{len(found)} measures: {took:.1f} s, peak {peak():.2f} GB"
        )
    rng = np.random.default_rng(0)
    runs = (rng.random((40, 70)) < np.linspace(0.2, 0.8, 40)[:, None]).astype(float)
    took, found = seconds(lambda: (pairwise(runs), rank_intervals(runs)))
    print(f"40 runs x 70 items, {len(found[0])} pairs and rank intervals: {took:.2f} s")
    close = np.clip(runs[:1] + (rng.random((40, 70)) < 0.12), 0, 1)
    took, found = seconds(lambda: pairwise(close))
    print(f"the same with runs so close that every test is exact: {took:.2f} s")
    values = rng.random(10_000)
    for name, work in (("percentile", bootstrap), ("graded", graded)):
        took, _ = seconds(lambda work=work: work(values, resamples=10_000))
        print(f"10,000 resamples of 10,000 items, {name}: {took:.2f} s")
    pairs = np.arange(10_000) // 2
    took, _ = seconds(lambda: graded(values, pairs, resamples=10_000))
    print(f"10,000 resamples of 10,000 items, graded, 2 items a phrase: {took:.2f} s")
    against_peers()


if __name__ == "__main__":
    main()
