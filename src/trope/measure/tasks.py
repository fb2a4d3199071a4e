"""What the papers measure in their own ways: Compun's strict choice and winning similarity, and
zero-shot classification from a table of classes.

Each function takes a score table and gives estimates under the names that tables and files use.
No run is compared with another here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from trope.errors import TropeError
from trope.measure.intervals import Estimate, graded, share
from trope.measure.ranking import Measure, TopRole
from trope.measure.ties import Bools, Floats, Ranked, some

if TYPE_CHECKING:
    from trope.runs import Table

TOP = 5
LITERAL = ("literal", "partial_literal")


@dataclass(frozen=True)
class Strict(Measure):
    """The right candidate scores higher than every other (Compun, equation 1). A tie is a miss,
    unlike in `Top1`, which shares it."""

    name: str = "strict"
    share: bool = field(default=True, init=False)

    def defined(self, ranked: Ranked) -> Bools:
        return some(ranked.best)

    def value(self, ranked: Ranked) -> Floats:
        alone = (ranked.above == 0) & (ranked.level == 1) & ranked.best
        return some(alone).astype(np.float64)


def _share(measure: Measure, ranked: Ranked, phrases: list[str]) -> Estimate:
    values = measure.of(ranked)
    found = share(values, np.asarray(phrases, dtype=object))
    return replace(found, missing=int(np.sum(measure.defined(ranked) & np.isnan(values))))


def choice(table: Table) -> dict[str, Estimate]:
    """Compun's numbers: `strict`, and `winning_score`, the mean score of the right candidate
    where it won (figure 4: high accuracy can rest on low similarities)."""
    ranked = Ranked.of(table)
    if not bool(ranked.best.any()):
        return {}
    strict = Strict().of(ranked)
    right = np.max(np.where(ranked.best, ranked.score, -np.inf), axis=1)
    won = np.where(strict == 1.0, right, np.nan)
    found = {"strict": _share(Strict(), ranked, table.phrases)}
    if np.isfinite(won).any():
        low, high = _range(ranked)
        estimate = graded(won, np.asarray(table.phrases, dtype=object), low=low, high=high)
        found["winning_score"] = replace(estimate, missing=0)
    return found


def _range(ranked: Ranked) -> tuple[float, float]:
    """Of cosines and probabilities -1 to 1; of other scores what was seen."""
    least, most = float(np.nanmin(ranked.score)), float(np.nanmax(ranked.score))
    return (-1.0, 1.0) if least >= -1 and most <= 1 else (least, most)


def detection(table: Table) -> dict[str, Estimate]:
    """IRFL's two columns for idioms: top-1 where the right picture is figurative, and where it
    is figurative and literal at once (table 3); and of the items that went wrong, the share where
    a partly literal picture came first (section 4.1.2)."""
    ranked = Ranked.of(table)
    found = {}
    for role in ("figurative", "figurative_literal"):
        measure = TopRole(role, name=f"top1_{role}")
        rows = some(ranked.is_role(role) & ranked.best)
        if bool(rows.any()) and not bool(rows.all()):
            phrases = [table.phrases[i] for i in np.flatnonzero(rows)]
            found[measure.name] = _share(measure, ranked.take(rows), phrases)
    failures = _failures_on(ranked, LITERAL)
    if np.isfinite(failures).any():
        estimate = share(failures, np.asarray(table.phrases, dtype=object))
        found["failures_on_literal"] = replace(estimate, missing=0)
    return found


def _failures_on(ranked: Ranked, roles: tuple[str, ...]) -> Floats:
    """Of each item that went wrong, the chance that a candidate of these roles came first; NaN
    where it went right or unanswered. `trope audit` sets it against blind choice."""
    wrong = ranked.real & ~ranked.best & some(ranked.best)[:, None]
    first = (ranked.above == 0) & wrong & ranked.answered[:, None]
    drawn = np.isin(ranked.role, roles)
    with np.errstate(invalid="ignore"):
        share_of: Floats = np.sum(first & drawn, axis=1) / np.sum(first, axis=1)
    return share_of


def classes(table: Table) -> dict[str, Estimate]:
    """Zero-shot classification: of each picture, whether its own class scores highest.

    Rows are classes and columns pictures, the same in every row. Level classes share the
    answer; a picture without a score for some class is missing. Intervals go by class.
    """
    if any(names != table.candidates[0] for names in table.candidates):
        raise TropeError("Classification needs the same pictures in the same order in each class.")
    known = np.isfinite(table.score).all(axis=0) & (table.gain > 0).any(axis=0)
    truth = np.argmax(np.nan_to_num(table.gain), axis=0)
    own = np.take_along_axis(table.score, truth[None, :], axis=0)[0]
    above = np.sum(table.score > own, axis=0)
    level = np.sum(table.score == own, axis=0)

    def within(k: int) -> Floats:
        return np.where(known, np.clip((k - above) / np.maximum(level, 1), 0.0, 1.0), np.nan)

    first = within(1)
    found = {"accuracy": share(first, truth)}
    if len(table) > TOP:
        found[f"top{TOP}_accuracy"] = share(within(TOP), truth)
    sums = np.bincount(truth[known], weights=first[known], minlength=len(table))
    counts = np.bincount(truth[known], minlength=len(table))
    with np.errstate(invalid="ignore"):
        found["macro_accuracy"] = graded(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))
    return found
