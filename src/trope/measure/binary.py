"""Yes or no about one candidate an item: accuracy, F1 and the area under the ROC curve.

For items with a single candidate whose gain says yes (above 0) or no (0), such as MetaCLUE's "is
this picture a metaphor?". Each item counts by itself: its phrase is the question, the same for
all. An item without a score is missing. No threshold is ever fitted here.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from trope.measure.intervals import JOINED, Estimate, joined, share
from trope.measure.resample import RESAMPLES, draws, resampled_sums
from trope.measure.ties import Bools, Floats, Ints

if TYPE_CHECKING:
    from trope.runs import Table

THRESHOLD = 0.5
"""A score of at least this says yes. Scores outside 0..1 are no probabilities: AUC alone."""


def classified(table: Table, *, resamples: int = RESAMPLES, seed: int = 0) -> dict[str, Estimate]:
    """Every measure the gold and the scores allow; empty where there is no gold."""
    if not len(table) or not table.labelled:
        return {}
    gold, score = table.gain[:, 0], table.score[:, 0]
    due = np.isfinite(gold)
    keep = due & np.isfinite(score)
    missing = int((due & ~keep).sum())
    truth, scores = gold[keep] > 0, score[keep]
    found: dict[str, Estimate] = {}
    if not keep.any():
        return {}
    if scores.min() >= 0 and scores.max() <= 1:
        said = scores >= THRESHOLD
        found["accuracy"] = share((said == truth).astype(np.float64))
        found["f1"] = f1(truth, said, resamples=resamples, seed=seed)
    found["auc"] = roc_auc(truth, scores, resamples=resamples, seed=seed)
    return {name: replace(estimate, missing=missing) for name, estimate in found.items()}


def f1(truth: Bools, said: Bools, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """F1 of yes; 0 where yes was neither true nor said."""
    n = len(truth)
    columns = np.stack([truth & said, truth, said], axis=1).astype(np.float64)

    def value(sums: Floats) -> Floats:
        base = sums[..., 1] + sums[..., 2]
        ratio: Floats = 2 * sums[..., 0] / np.maximum(base, 1.0)
        return ratio

    total = columns.sum(axis=0)
    mean = float(value(total))
    pull = (2 * columns[:, 0] - mean * (columns[:, 1] + columns[:, 2])) / max(
        total[1] + total[2], 1.0
    )
    drawn = value(resampled_sums(columns, resamples, seed))
    low, high = joined(mean, float(pull @ pull), n, drawn, (0.0, 1.0))
    return Estimate(mean, low, high, n, 0, JOINED)


def roc_auc(truth: Bools, scores: Floats, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """The chance that a yes scores above a no, ties counted half; NaN where one is absent.

    The interval joins the bootstrap with a score interval whose variance is DeLong's.
    """
    n = len(truth)
    if truth.all() or not truth.any():
        return Estimate(math.nan, 0.0, 1.0, n, 0, JOINED)
    value = auc(truth, scores)
    _, level = np.unique(scores, return_inverse=True)
    pieces = [
        _weighted(level, truth, np.stack([np.bincount(row, minlength=n) for row in chunk]))
        for chunk in draws(n, resamples, seed)
    ]
    drawn = np.concatenate(pieces)
    low, high = joined(value, _delong(level, truth), n, drawn, (0.0, 1.0))
    return Estimate(value, low, high, n, 0, JOINED)


def auc(truth: Bools, scores: Floats) -> float:
    """The area under the ROC curve, exactly.

    >>> auc(np.array([True, False, True]), np.array([0.9, 0.1, 0.1]))
    0.75
    """
    _, level = np.unique(scores, return_inverse=True)
    return float(_weighted(level, truth, np.ones((1, len(truth))))[0])


def _weighted(level: Ints, truth: Bools, weights: Floats | Ints) -> Floats:
    """The AUC of each row of weights; NaN where a row holds no yes or no no."""
    levels = int(level.max()) + 1
    flat = level[None, :] + levels * np.arange(len(weights))[:, None]

    def mass(mask: Bools) -> Floats:
        summed: Floats = np.bincount(
            flat[:, mask].ravel(), weights[:, mask].ravel(), minlength=levels * len(weights)
        ).astype(np.float64)
        return summed.reshape(len(weights), levels)

    yes, no = mass(truth), mass(~truth)
    below = np.cumsum(no, axis=1) - no
    with np.errstate(invalid="ignore", divide="ignore"):
        area: Floats = (yes * (below + no / 2)).sum(axis=1) / (yes.sum(axis=1) * no.sum(axis=1))
    return area


def _delong(level: Ints, truth: Bools) -> float:
    """The variance of the AUC from each item's share in it, before any correction for size."""
    levels = int(level.max()) + 1
    yes = np.bincount(level[truth], minlength=levels).astype(np.float64)
    no = np.bincount(level[~truth], minlength=levels).astype(np.float64)
    beaten = (np.cumsum(no) - no + no / 2) / no.sum()
    beating = (yes.sum() - np.cumsum(yes) + yes / 2) / yes.sum()
    of_yes, of_no = beaten[level[truth]], beating[level[~truth]]
    return float(of_yes.var() / len(of_yes) + of_no.var() / len(of_no))
