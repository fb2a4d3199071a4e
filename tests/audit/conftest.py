"""Small benchmarks with known faults, and toy scorers with known biases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trope.item import GOLD_ORDER, Benchmark, Candidate, Item, Role, Sense
from trope.runs import Run, blank_table

FIVE = tuple(GOLD_ORDER[Sense.idiomatic])


def make_benchmark(
    n: int = 20,
    *,
    seed: int = 0,
    caption: Callable[[int, Role, float], str] | None = None,
    senses: Sequence[Sense] = (Sense.idiomatic, Sense.literal),
    root: Path | None = None,
    image: Callable[[int, Role], str] | None = None,
    name: str = "toy",
) -> Benchmark:
    """n phrases, one item each, five roles in an order of their own."""
    rng = np.random.default_rng(seed)
    items = []
    for k in range(n):
        sense = senses[k % len(senses)]
        gains = {role: 5.0 - place for place, role in enumerate(GOLD_ORDER[sense])}
        roles = [FIVE[j] for j in rng.permutation(5)]
        candidates = tuple(
            Candidate(
                id=f"{rng.integers(10**9)}.png",
                role=role,
                gain=gains[role],
                image=image(k, role) if image else None,
                captions={"en": caption(k, role, gains[role]) if caption else f"{role} {k}"},
            )
            for role in roles
        )
        items.append(
            Item(
                id=f"item{k}",
                phrase=f"phrase {k}",
                language="en",
                kind="idiom",
                sense=sense,
                sentence=f"A sentence about thing {k}.",
                candidates=candidates,
            )
        )
    return Benchmark(name=name, task="ranking", items=tuple(items), root=root)


def make_run(
    benchmark: Benchmark, score: Callable[[Item, Candidate], float], name: str = "m"
) -> Run:
    """A run whose scores are a function of item and candidate."""
    table = blank_table(benchmark)
    scores = table.score.copy()
    for row, item in enumerate(benchmark.items):
        for column, candidate in enumerate(item.candidates):
            scores[row, column] = score(item, candidate)
    meta: dict[str, Any] = {
        "benchmark": {"name": benchmark.name, "hash": benchmark.hash, "gold": benchmark.gold},
        "model": {"address": name, "sees": "caption", "answers": "scores"},
        "prompt": {"name": ""},
        "counts": {"items": len(table), "missing": 0},
        "fingerprint": name,
    }
    return Run(table=table.with_scores(scores), meta=meta)


@pytest.fixture
def toy() -> Callable[..., Benchmark]:
    return make_benchmark


@pytest.fixture
def answered() -> Callable[..., Run]:
    return make_run
