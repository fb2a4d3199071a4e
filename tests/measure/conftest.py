"""Score tables built by hand for the tests of measure/."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from trope.runs import Table

FIVE = ("idiomatic", "idiomatic_related", "literal_related", "literal", "distractor")


def table_of(
    scores: Sequence[Sequence[float]],
    gains: Sequence[Sequence[float]] | None = None,
    *,
    roles: Sequence[Sequence[str]] | None = None,
    phrases: Sequence[str] | None = None,
    senses: Sequence[str] | None = None,
    said: Sequence[str] | None = None,
    languages: Sequence[str] | None = None,
) -> Any:
    """A table from ragged rows of scores, gains and roles."""
    n, width = len(scores), max((len(row) for row in scores), default=0)
    score, gain = np.full((n, width), np.nan), np.full((n, width), np.nan)
    real = np.zeros((n, width), dtype=bool)
    role = np.full((n, width), "", dtype="<U20")
    for i, row in enumerate(scores):
        score[i, : len(row)] = row
        real[i, : len(row)] = True
        if gains is not None:
            gain[i, : len(row)] = gains[i]
        if roles is not None:
            role[i, : len(row)] = roles[i]
    blank = [""] * n
    return Table(
        items=[f"item{i}" for i in range(n)],
        phrases=list(phrases or [f"phrase{i}" for i in range(n)]),
        languages=list(languages or ["en"] * n),
        senses=list(senses or blank),
        kinds=list(blank),
        said=list(said or blank),
        candidates=[[f"c{j}" for j in range(len(row))] for row in scores],
        score=score,
        gain=gain,
        role=role,
        real=real,
    )


@pytest.fixture(scope="session")
def build() -> Callable[..., Any]:
    return table_of


def admire_table(n: int, *, seed: int, strength: float = 1.0, phrases: int | None = None) -> Any:
    """A five-role ranking in AdMIRe's shape: both senses, gains 5 to 1, noisy scores."""
    rng = np.random.default_rng(seed)
    idiomatic = np.arange(n) % 2 == 0
    gain = np.where(idiomatic[:, None], [5, 4, 3, 2, 1], [2, 3, 4, 5, 1]).astype(float)
    score = strength * gain + rng.normal(size=gain.shape)
    senses = ["idiomatic" if yes else "literal" for yes in idiomatic]
    said = ["idiomatic" if yes else "literal" for yes in idiomatic ^ (rng.random(n) < 0.3)]
    groups = [f"phrase{i % (phrases or n)}" for i in range(n)]
    return table_of(
        score.tolist(), gain.tolist(), roles=[FIVE] * n, phrases=groups, senses=senses, said=said
    )


@pytest.fixture(scope="session")
def admire() -> Callable[..., Any]:
    return admire_table
