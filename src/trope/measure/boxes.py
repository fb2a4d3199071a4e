"""Boxes: average precision of what a model found, and how well its surest box fits.

After MetaCLUE's supplement, section C. A predicted box is compared with the ground-truth box of
its picture and type that it overlaps best; finding one of them finds the picture. Nothing here
reads a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from trope.measure.intervals import JOINED, Estimate, graded, joined
from trope.measure.resample import RESAMPLES, draws
from trope.measure.ties import Bools, Floats, Ints
from trope.read.boxes import Box, Found, iou

THRESHOLDS = (0.5, 0.75)
"""IoU from which a predicted box counts as right: AP50 and AP75."""


def localised(
    truth: Mapping[str, Sequence[Box]],
    found: Mapping[str, Sequence[Found]],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Estimate]:
    """AP at each threshold, and the mean IoU of the surest box, over the pictures of `truth`.

    A picture without any predicted box isn't found, which costs recall; it has no IoU, and is
    missing there. Boxes on pictures outside `truth` are left out: nobody looked for them there.
    """
    pictures = sorted(truth)
    ious = {
        name: [max(iou(f.box, box) for box in truth[name]) for f in found.get(name, ())]
        for name in pictures
    }
    measures = {
        f"ap{round(100 * threshold)}": _average_precision(
            pictures, found, ious, threshold, resamples=resamples, seed=seed
        )
        for threshold in THRESHOLDS
    }
    best = [
        max(zip(found[name], ious[name], strict=True), key=lambda pair: pair[0].score)[1]
        if found.get(name)
        else np.nan
        for name in pictures
    ]
    return {**measures, "iou": graded(best, resamples=resamples, seed=seed)}


def _average_precision(
    pictures: list[str],
    found: Mapping[str, Sequence[Found]],
    ious: Mapping[str, Sequence[float]],
    threshold: float,
    *,
    resamples: int,
    seed: int,
) -> Estimate:
    rows = [
        (-one.score, place, overlap >= threshold)
        for place, name in enumerate(pictures)
        for one, overlap in zip(found.get(name, ()), ious[name], strict=True)
    ]
    rows.sort(key=lambda row: (row[0], not row[2]))  # of equals on a picture, the right one first
    n = len(pictures)
    if not rows:
        return Estimate(0.0, *joined(0.0, 0.0, n, np.zeros(1), (0.0, 1.0)), n, 0, JOINED)
    owner = np.array([place for _, place, _ in rows])
    first: set[int] = set()
    right = np.zeros(len(rows), dtype=bool)
    for i, (_, place, hit) in enumerate(rows):
        right[i] = hit and place not in first  # a picture is found once; the rest is surplus
        first |= {place} if hit else set()
    scores = np.array([row[0] for row in rows])
    ends = np.append(np.flatnonzero(np.diff(scores)), len(rows) - 1)
    value = float(_areas(owner, right, ends, np.ones((1, n)))[0])
    drawn = np.concatenate(
        [
            _areas(owner, right, ends, np.stack([np.bincount(r, minlength=n) for r in chunk]))
            for chunk in draws(n, resamples, seed)
        ]
    )
    low, high = joined(value, float(drawn.var()), n, drawn, (0.0, 1.0))
    return Estimate(value, low, high, n, 0, JOINED)


def _areas(owner: Ints, right: Bools, ends: Ints, weights: Floats | Ints) -> Floats:
    """The area under the precision-recall steps, for each row of picture weights.

    Precision at a recall is the best at that recall or beyond (all points, as in VOC 2010).
    """
    each = weights[:, owner]
    hits = np.cumsum(each * right, axis=1)[:, ends]
    shown = np.cumsum(each, axis=1)[:, ends]
    precision = hits / np.maximum(shown, 1)
    recall = hits / weights.sum(axis=1, keepdims=True)
    envelope = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    steps = np.diff(recall, axis=1, prepend=0.0)
    area: Floats = (steps * envelope).sum(axis=1)
    return area
