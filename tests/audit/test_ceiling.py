"""People's agreement, against other libraries and by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_kappa

from trope.audit.ceiling import fleiss_kappa, label_ceiling, ranking_ceiling
from trope.errors import TropeError


def test_people_who_agree_leave_no_room() -> None:
    ranks = np.tile(np.arange(1, 6), (3, 10, 1))
    found = ranking_ceiling(ranks, -ranks[0].astype(float))
    assert found.kendall.value == found.same_first.value == 1.0
    assert found.scorer_kendall is not None and found.scorer_kendall.value == 1.0
    assert found.gap is not None and found.gap.value == 0.0


def test_each_person_is_held_against_the_others_mean() -> None:
    rng = np.random.default_rng(0)
    ranks = np.array([[rng.permutation(5) + 1 for _ in range(12)] for _ in range(4)])
    scores = rng.random((12, 5))
    found = ranking_ceiling(ranks, scores)
    taus, own = np.zeros((4, 12)), np.zeros((4, 12))
    for person in range(4):
        rest = np.delete(ranks, person, axis=0).mean(axis=0)
        for item in range(12):
            taus[person, item] = kendalltau(ranks[person, item], rest[item]).statistic
            own[person, item] = kendalltau(scores[item], -rest[item]).statistic
    assert found.each == pytest.approx(taus)
    assert found.kendall.value == pytest.approx(taus.mean())
    assert found.scorer_kendall is not None
    assert found.scorer_kendall.value == pytest.approx(own.mean())


def test_a_person_who_was_not_asked_is_left_out() -> None:
    ranks = np.tile(np.arange(1.0, 6), (3, 4, 1))
    ranks[2, 0] = np.nan
    ranks[1:, 1] = np.nan  # one person alone has nobody to agree with
    found = ranking_ceiling(ranks)
    assert np.isnan(found.each[2, 0]) and np.isnan(found.each[:, 1]).all()
    assert found.items == 3 and found.kendall.value == 1.0
    assert found.scorer_kendall is None
    json.dumps(found.as_dict(), allow_nan=False)


def test_fleiss_kappa_is_statsmodels() -> None:
    rng = np.random.default_rng(1)
    labels = rng.choice(["yes", "no", "unsure"], p=[0.6, 0.3, 0.1], size=(5, 40))
    counts, _ = aggregate_raters(labels.T)
    found = label_ceiling(labels)
    assert found.kappa.value == pytest.approx(statsmodels_kappa(counts), abs=1e-12)
    assert found.kappa.low < found.kappa.value < found.kappa.high
    assert fleiss_kappa(counts.astype(float)) == pytest.approx(found.kappa.value)


def test_pair_agreement_by_counting_pairs() -> None:
    labels = [["a", "a", "b", ""], ["a", "b", "b", "a"], ["a", "b", "c", ""]]
    found = label_ceiling(labels)
    assert found.items == 3, "one person alone can't agree"
    assert found.agreement.value == pytest.approx(np.mean([1, 1 / 3, 1 / 3]))


def test_one_label_only_leaves_kappa_undefined() -> None:
    found = label_ceiling([["a"] * 6] * 3)
    assert found.agreement.value == 1.0 and np.isnan(found.kappa.value)
    assert "kappa says nothing" in found.sentences()[0]
    json.dumps(found.as_dict(), allow_nan=False)


def test_too_few_people_are_refused() -> None:
    with pytest.raises(TropeError, match="two people"):
        ranking_ceiling(np.ones((1, 3, 5)))
    with pytest.raises(TropeError, match="two people"):
        label_ceiling([["a", "b"]])
    with pytest.raises(TropeError, match="labelled by two people"):
        label_ceiling([["a", ""], ["", "b"]])
    with pytest.raises(TropeError, match="one row an item"):
        ranking_ceiling(np.ones((2, 3, 5)), np.ones((2, 5)))


@pytest.mark.data
def test_haivmets_annotators_agree_more_than_chance(shared_data: Path) -> None:
    metaphors = json.loads((shared_data / "haivmet" / "metaphors.json").read_text())
    people = sorted({name for m in metaphors for name in m["rankings"]})
    ranks = np.full((len(people), len(metaphors), 5), np.nan)
    for row, metaphor in enumerate(metaphors):
        for name, answer in metaphor["rankings"].items():
            for place, picture in enumerate(answer["ranking"].split(",")):
                ranks[people.index(name), row, int(picture) - 1] = place + 1
    found = ranking_ceiling(ranks)
    assert (found.people, found.items) == (3, 100)
    assert 0.3 < found.kendall.low < found.kendall.value < 0.7


def test_the_interval_of_kappa_is_a_bootstrap_of_items() -> None:
    rng = np.random.default_rng(2)
    labels = rng.choice(["yes", "no"], size=(3, 30))
    labels[1] = np.where(rng.random(30) < 0.7, labels[0], labels[1])
    counts = aggregate_raters(labels.T)[0].astype(float)
    drawn = [statsmodels_kappa(counts[rng.integers(0, 30, 30)]) for _ in range(3000)]
    found = label_ceiling(labels, resamples=3000).kappa
    assert (found.low, found.high) == pytest.approx(np.quantile(drawn, (0.025, 0.975)), abs=0.03)
