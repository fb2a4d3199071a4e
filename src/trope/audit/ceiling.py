"""How well people agree with each other, which is as well as a scorer can be shown to do.

Each person is held against the others' consensus, and the scorer against the very same consensus,
so that the two numbers can be compared. Labels get raw agreement and Fleiss's kappa. No gold is
used: people disagree with the gold too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from trope.audit.order import kendall
from trope.errors import TropeError
from trope.measure.intervals import Estimate, graded, share
from trope.measure.resample import RESAMPLES, codes, resampled_sums
from trope.measure.ties import Floats, places, some


@dataclass(frozen=True, eq=False)
class Ceiling:
    """People's agreement on rankings, and a scorer's with them."""

    people: int
    items: int
    kendall: Estimate
    """A person with the mean rank of the others."""
    same_first: Estimate
    """How often a person's first is the others' first."""
    scorer_kendall: Estimate | None
    scorer_first: Estimate | None
    gap: Estimate | None
    """The scorer's tau less a person's, paired by item."""
    each: Floats
    """Kendall's tau of each person with the others (people x items)."""

    def as_dict(self) -> dict[str, Any]:
        def plain(estimate: Estimate | None) -> Any:
            return None if estimate is None else estimate.as_dict()

        return {
            "people": self.people,
            "items": self.items,
            "kendall": plain(self.kendall),
            "same_first": plain(self.same_first),
            "scorer_kendall": plain(self.scorer_kendall),
            "scorer_first": plain(self.scorer_first),
            "gap": plain(self.gap),
        }

    def sentences(self) -> list[str]:
        """What the numbers say."""
        lines = [
            f"One of {self.people} people agrees with the others with Kendall's tau "
            f"{self.kendall.value:.2f} ({self.kendall.low:.2f} to {self.kendall.high:.2f}) and "
            f"names their first {self.same_first.value:.0%} of the time."
        ]
        if self.scorer_kendall is not None and self.gap is not None:
            verdict = "as well as a person, as far as these items tell"
            if self.gap.high < 0:
                verdict = "less than a person"
            elif self.gap.low > 0:
                verdict = "more than a person"
            lines.append(
                f"The scorer, measured as a person is, against all but one of them at a time, "
                f"agrees with tau {self.scorer_kendall.value:.2f} "
                f"({self.scorer_kendall.low:.2f} to {self.scorer_kendall.high:.2f}): {verdict}."
            )
        return lines


def ranking_ceiling(
    ranks: ArrayLike,
    scores: ArrayLike | None = None,
    *,
    phrases: ArrayLike | None = None,
    seed: int = 0,
) -> Ceiling:
    """People's ranks (people x items x candidates, 1 is best, NaN where not asked) against each
    other, and against a scorer's scores (items x candidates, higher is better)."""
    given = np.asarray(ranks, dtype=np.float64)
    if given.ndim != 3 or len(given) < 2:
        raise TropeError(
            "A ceiling needs ranks of two people or more: people x items x candidates."
        )
    liking = -given
    answered = _whole(liking)
    tau, first = np.full(answered.shape, np.nan), np.full(answered.shape, np.nan)
    own_tau, own_first = np.full_like(tau, np.nan), np.full_like(first, np.nan)
    scorer = None if scores is None else np.asarray(scores, dtype=np.float64)
    if scorer is not None and scorer.shape != given.shape[1:]:
        raise TropeError(
            "The scorer's scores must have one row an item and one column a candidate."
        )
    for person in range(len(liking)):
        consensus = _consensus(liking, answered, leave_out=person)
        # Only items that this person and at least one other ranked.
        held = answered[person] & some(np.isfinite(consensus))
        tau[person, held] = kendall(liking[person], consensus)[held]
        first[person, held] = _same_first(liking[person], consensus)[held]
        if scorer is not None:
            known = held & _whole_like(scorer, consensus)
            own_tau[person, known] = kendall(scorer, consensus)[known]
            own_first[person, known] = _same_first(scorer, consensus)[known]

    def judged(rows: Floats) -> Estimate:
        return graded(_mean(rows), phrases, low=-1.0, high=1.0, seed=seed)

    return Ceiling(
        people=len(given),
        items=int(np.isfinite(tau).any(axis=0).sum()),
        kendall=judged(tau),
        same_first=share(_mean(first), phrases),
        scorer_kendall=None if scorer is None else judged(own_tau),
        scorer_first=None if scorer is None else share(_mean(own_first), phrases),
        gap=None
        if scorer is None
        else graded(_mean(own_tau - tau), phrases, low=-2.0, high=2.0, seed=seed),
        each=tau,
    )


def _whole(liking: Floats) -> Any:
    """Person x item: ranked at least two candidates, and all that anybody ranked."""
    asked = np.isfinite(liking).sum(axis=0) > 0
    full = (np.isfinite(liking) | ~asked[None]).all(axis=2)
    return full & (asked.sum(axis=1) >= 2)[None, :]


def _whole_like(scores: Floats, consensus: Floats) -> Any:
    return (np.isfinite(scores) | ~np.isfinite(consensus)).all(axis=1)


def _consensus(liking: Floats, answered: Any, *, leave_out: int) -> Floats:
    """The mean rank of the others, higher is better."""
    keep = answered.copy()
    keep[leave_out] = False
    held = np.where(keep[:, :, None], liking, np.nan)
    count = np.isfinite(held).sum(axis=0)
    return np.where(count > 0, np.nansum(held, axis=0) / np.maximum(count, 1), np.nan)


def _same_first(a: Floats, b: Floats) -> Floats:
    """The chance that both put the same candidate first, ties shared."""

    def tops(values: Floats) -> Floats:
        above, level = places(values)
        return np.where((above == 0) & np.isfinite(values), 1 / np.maximum(level, 1), 0.0)

    same: Floats = np.sum(tops(a) * tops(b), axis=1)
    return same


def _mean(rows: Floats) -> Floats:
    """Over people, of those there are."""
    count = np.isfinite(rows).sum(axis=0)
    return np.where(count > 0, np.nansum(rows, axis=0) / np.maximum(count, 1), np.nan)


@dataclass(frozen=True, eq=False)
class LabelCeiling:
    """People's agreement on labels."""

    people: int
    items: int
    agreement: Estimate
    """How often two people give an item the same label."""
    kappa: Estimate
    """Fleiss's kappa; NaN where everyone always gives one label."""

    def as_dict(self) -> dict[str, Any]:
        kappa = self.kappa.as_dict()
        return {
            "people": self.people,
            "items": self.items,
            "agreement": self.agreement.as_dict(),
            "kappa": {k: None if isinstance(v, float) and v != v else v for k, v in kappa.items()},
        }

    def sentences(self) -> list[str]:
        told = (
            "and one label is all there is, so kappa says nothing"
            if math.isnan(self.kappa.value)
            else f"which is kappa {self.kappa.value:.2f} ({self.kappa.low:.2f} to "
            f"{self.kappa.high:.2f}) beyond chance"
        )
        return [
            f"Two of {self.people} people give the same label {self.agreement.value:.0%} of the "
            f"time ({self.agreement.low:.0%} to {self.agreement.high:.0%}), {told}."
        ]


def label_ceiling(
    labels: ArrayLike,
    *,
    phrases: ArrayLike | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> LabelCeiling:
    """Agreement on labels (people x items; '' or None where not asked), by item or phrase."""
    given = np.asarray(labels, dtype=object)
    if given.ndim != 2 or len(given) < 2:
        raise TropeError("Agreement needs labels of two people or more: people x items.")
    counts = label_counts(given)
    rated = counts.sum(axis=1) >= 2
    if not rated.any():
        raise TropeError("No item was labelled by two people, so agreement can't be measured.")
    counts = counts[rated]
    groups = None if phrases is None else np.asarray(phrases)[rated]
    agreement = pair_agreement(counts)
    cluster, count = codes(groups, len(counts))
    kappas = _resampled_kappa(counts, cluster, count, resamples, seed)
    value = fleiss_kappa(counts)
    drawn = kappas[np.isfinite(kappas)]
    low, high = np.quantile(drawn, (0.025, 0.975)) if drawn.size else (-1.0, 1.0)
    kappa = Estimate(
        value,
        float(min(low, value)) if not math.isnan(value) else -1.0,
        float(max(high, value)) if not math.isnan(value) else 1.0,
        len(counts),
        int((~rated).sum()),
        "bootstrap by phrase, percentile",
    )
    return LabelCeiling(
        people=len(given),
        items=len(counts),
        agreement=graded(agreement, groups, low=0.0, high=1.0, seed=seed),
        kappa=kappa,
    )


def label_counts(labels: np.ndarray[Any, Any]) -> Floats:
    """Items x labels: how many people gave each label."""
    known = sorted({str(v) for v in labels.ravel() if _is_label(v)})
    counts = np.zeros((labels.shape[1], len(known)))
    column = {label: k for k, label in enumerate(known)}
    for row in labels:
        for item, label in enumerate(row):
            if _is_label(label):
                counts[item, column[str(label)]] += 1
    return counts


def _is_label(value: object) -> bool:
    return value is not None and value != "" and value == value


def pair_agreement(counts: Floats) -> Floats:
    """The chance that two of an item's people gave the same label."""
    n = counts.sum(axis=1)
    same: Floats = (counts * (counts - 1)).sum(axis=1) / (n * (n - 1))
    return same


def fleiss_kappa(counts: Floats) -> float:
    """Fleiss's kappa from items x labels; items may have different numbers of people."""
    observed = float(pair_agreement(counts).mean())
    portions = counts.sum(axis=0) / counts.sum()
    chance = float(portions @ portions)
    return (observed - chance) / (1 - chance) if chance < 1 - 1e-12 else math.nan


def _resampled_kappa(
    counts: Floats, cluster: Any, groups: int, resamples: int, seed: int
) -> Floats:
    agreement = pair_agreement(counts)
    columns = np.concatenate([agreement[:, None], np.ones((len(counts), 1)), counts], axis=1)
    sums = np.zeros((groups, columns.shape[1]))
    np.add.at(sums, cluster, columns)
    total = resampled_sums(sums, resamples, seed)
    portions = total[:, 2:] / total[:, 2:].sum(axis=1, keepdims=True)
    chance = (portions**2).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        kappa = (total[:, 0] / total[:, 1] - chance) / (1 - chance)
    return np.where(chance < 1 - 1e-6, kappa, np.nan)
