"""Boxes in a picture: their overlap, and one box for what several annotators drew.

After MetaCLUE's supplement, section C. No model's box is measured here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
OVERLAP = 0.5
"""Boxes with a greater IoU are one (supplement, section C)."""


@dataclass(frozen=True)
class Found:
    """A box that a model predicts, and how sure it is."""

    box: Box
    score: float


def iou(one: Box, two: Box) -> float:
    """Intersection over union.

    >>> iou((0, 0, 2, 1), (1, 0, 3, 1))
    0.3333333333333333
    """
    width = min(one[2], two[2]) - max(one[0], two[0])
    height = min(one[3], two[3]) - max(one[1], two[1])
    if width <= 0 or height <= 0:
        return 0.0
    inner = width * height
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, two))
    return inner / (areas - inner)


def clean(boxes: Sequence[Box], *, overlap: float = OVERLAP) -> list[Box]:
    """One box for each thing that several annotators drew: the box that overlaps most others is
    kept and those it overlaps are dropped, then the next. A box that overlaps none is kept."""
    near = [[iou(a, b) > overlap for b in boxes] for a in boxes]
    left = list(range(len(boxes)))
    kept = []
    while left:
        most = max(left, key=lambda i: (sum(near[i][j] for j in left), -i))
        kept.append(most)
        left = [j for j in left if j != most and not near[most][j]]
    return [boxes[i] for i in sorted(kept)]
