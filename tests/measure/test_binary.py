"""Accuracy, F1 and ROC AUC against scikit-learn, and intervals that behave."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

from trope.item import Benchmark, Candidate, Item
from trope.measure.binary import auc, classified, f1, roc_auc
from trope.runs import Table, blank_table


def table(truth: list[bool], scores: list[float]) -> Table:
    items = tuple(
        Item(
            id=str(i),
            phrase="a visual metaphor",
            language="en",
            candidates=(Candidate(id=str(i), gain=float(yes)),),
        )
        for i, yes in enumerate(truth)
    )
    blank = blank_table(Benchmark(name="b", task="classification", items=items))
    return blank.with_scores(np.asarray(scores, dtype=float)[:, None])


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=60))
@settings(max_examples=60, deadline=None)
def test_values_are_scikit_learns(pairs: list[tuple[bool, int]]) -> None:
    truth = np.array([yes for yes, _ in pairs])
    scores = np.array([level / 6 for _, level in pairs])
    found = classified(table(truth.tolist(), scores.tolist()), resamples=20)
    assert found["accuracy"].value == pytest.approx(accuracy_score(truth, scores >= 0.5))
    assert found["f1"].value == pytest.approx(f1_score(truth, scores >= 0.5, zero_division=0))
    if truth.all() or not truth.any():
        assert np.isnan(found["auc"].value)
    else:
        assert found["auc"].value == pytest.approx(roc_auc_score(truth, scores))
        assert auc(truth, scores) == pytest.approx(roc_auc_score(truth, scores))
    for estimate in found.values():
        assert 0 <= estimate.low <= estimate.high <= 1


def test_a_perfect_sample_keeps_its_doubt() -> None:
    truth = np.array([True] * 10 + [False] * 10)
    estimate = roc_auc(truth, truth.astype(float))
    assert estimate.value == 1 and 0.6 < estimate.low < 0.95
    assert f1(truth, truth).low < 0.95


def test_the_auc_interval_covers_the_truth() -> None:
    """Two normal curves one standard deviation apart have an AUC of .7602."""
    rng = np.random.default_rng(5)
    truth = np.arange(60) < 30
    hits = 0
    for seed in range(200):
        scores = rng.normal(size=60) + truth
        estimate = roc_auc(truth, scores, resamples=400, seed=seed)
        hits += estimate.low <= 0.76025 <= estimate.high
    assert hits >= 184


def test_missing_is_not_wrong_and_cosines_are_no_probabilities() -> None:
    found = classified(table([True, False, True], [0.9, 0.1, np.nan]))
    assert found["accuracy"].value == 1 and found["accuracy"].missing == 1
    assert list(classified(table([True, False], [3.2, -0.4]))) == ["auc"]
