"""Overlap, cleaning and average precision, by laws and against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trope.measure.boxes import localised
from trope.read.boxes import Box, Found, clean, iou

side = st.integers(0, 12)
boxes = st.tuples(side, side, st.integers(1, 8), st.integers(1, 8)).map(
    lambda b: (float(b[0]), float(b[1]), float(b[0] + b[2]), float(b[1] + b[3]))
)


def by_pixels(one: Box, two: Box) -> float:
    """IoU counted on a grid of pixels."""
    grid = np.zeros((2, 21, 21), dtype=bool)
    for layer, (left, top, right, bottom) in enumerate((one, two)):
        grid[layer, int(top) : int(bottom), int(left) : int(right)] = True
    return float((grid[0] & grid[1]).sum() / (grid[0] | grid[1]).sum())


@given(boxes, boxes)
def test_iou_counts_pixels(one: Box, two: Box) -> None:
    assert iou(one, two) == pytest.approx(by_pixels(one, two)) and iou(one, two) == iou(two, one)
    assert iou(one, one) == 1


@given(st.lists(boxes, max_size=10))
def test_cleaning_leaves_one_box_for_each_thing(drawn: list[Box]) -> None:
    kept = clean(drawn)
    assert all(box in drawn for box in kept)
    assert all(iou(a, b) <= 0.5 for i, a in enumerate(kept) for b in kept[i + 1 :])
    for box in drawn:
        assert any(box == k or iou(box, k) > 0.5 for k in kept)
    assert clean(kept) == kept


def test_the_box_that_overlaps_most_is_kept() -> None:
    middle = (2.0, 0.0, 12.0, 10.0)
    left, right, far = (0.0, 0.0, 10.0, 10.0), (4.0, 0.0, 14.0, 10.0), (50.0, 50.0, 60.0, 60.0)
    assert iou(left, right) < 0.5 < iou(left, middle)
    assert clean([left, middle, right, far]) == [middle, far]


def slowly(truth: dict[str, list[Box]], found: dict[str, list[Found]], threshold: float) -> float:
    """Average precision by the definition: the best precision at each recall or beyond."""
    levels = sorted({f.score for name in truth for f in found.get(name, [])}, reverse=True)
    points = []
    for level in levels:
        shown = {n: [f for f in found.get(n, []) if f.score >= level] for n in truth}
        hits = sum(
            any(max(iou(f.box, box) for box in truth[n]) >= threshold for f in fs)
            for n, fs in shown.items()
        )
        points.append((hits / len(truth), hits / sum(map(len, shown.values()))))
    area, before = 0.0, 0.0
    for recall, _ in points:
        best = max(p for r, p in points if r >= recall)
        area += max(0.0, recall - before) * best
        before = max(before, recall)
    return area


finds = st.lists(
    st.tuples(boxes, st.integers(0, 4)).map(lambda p: Found(p[0], p[1] / 4)), max_size=4
)


@given(st.lists(st.tuples(st.lists(boxes, min_size=1, max_size=3), finds), min_size=1, max_size=6))
@settings(max_examples=80, deadline=None)
def test_average_precision_is_the_definitions(
    pictures: list[tuple[list[Box], list[Found]]],
) -> None:
    truth = {str(i): own for i, (own, _) in enumerate(pictures)}
    found = {str(i): fs for i, (_, fs) in enumerate(pictures)}
    measured = localised(truth, found, resamples=10)
    assert measured["ap50"].value == pytest.approx(slowly(truth, found, 0.5))
    assert measured["ap75"].value == pytest.approx(slowly(truth, found, 0.75))
    for name in ("ap50", "ap75"):
        assert 0 <= measured[name].low <= measured[name].value <= measured[name].high <= 1


def test_by_hand() -> None:
    """Three pictures; found at once, found second, not found: 1/3 + 1/3 x 2/3."""
    box, off = (0.0, 0.0, 10.0, 10.0), (40.0, 40.0, 50.0, 50.0)
    truth = {"a": [box, off], "b": [box], "c": [box]}
    found = {
        "a": [Found(off, 0.9)],  # the second of two ground-truth boxes: the best one counts
        "b": [Found(off, 0.8), Found(box, 0.7)],
    }
    measured = localised(truth, found)
    assert measured["ap50"].value == pytest.approx(1 / 3 + 1 / 3 * 2 / 3)
    assert measured["iou"].value == pytest.approx((1 + 0) / 2) and measured["iou"].missing == 1
    assert localised(truth, {})["ap50"].value == 0
