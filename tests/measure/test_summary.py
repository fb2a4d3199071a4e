"""A table's summary: the measures its gold allows, sliced, with what is missing counted."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from trope.measure import (
    ADMIRE_GAINS,
    NDCG,
    MacroF1,
    Top1,
    by,
    graded,
    macro_f1,
    measures_for,
    share,
    summarise,
)

KEYS = """top1 top1_idiomatic top1_literal dcg dcg_idiomatic dcg_literal ndcg ndcg_idiomatic
ndcg_literal mrr strict_top2 kendall xmpie_t1_idiomatic xmpie_t1_literal xmpie_t2_idiomatic
xmpie_t2_literal xmpie_ndcg_idiomatic xmpie_ndcg_literal xmpie_ndcg_symmetric macro_f1"""


def test_a_five_role_ranking_gets_every_measure(admire: Any) -> None:
    table = admire(60, seed=0, phrases=40)
    found = summarise(table)
    assert list(found) == KEYS.split()
    for estimate in found.values():
        assert estimate.low < estimate.value < estimate.high
    assert found["top1_idiomatic"].n == 30
    assert found["top1"].value == pytest.approx(np.mean(Top1()(table)))
    assert found["ndcg"].value == pytest.approx(np.mean(NDCG(gains=ADMIRE_GAINS)(table)))


def test_a_summary_equals_measuring_one_by_one(admire: Any) -> None:
    table = admire(80, seed=1, phrases=30)
    found = summarise(table, resamples=4000, seed=5)
    assert found["top1"] == share(Top1()(table), table.phrases)
    measure = next(m for m in measures_for(table) if m.name == "kendall")
    alone = graded(measure(table), table.phrases, low=-1.0, resamples=4000, seed=5)
    assert found["kendall"].low == pytest.approx(alone.low, abs=1e-6)
    assert found["kendall"].high == pytest.approx(alone.high, abs=1e-6)


def test_missing_is_counted_not_scored(admire: Any) -> None:
    table = admire(40, seed=2)
    score = table.score.copy()
    score[:6, 2] = np.nan
    gapped = replace(table, score=score, said=["", *table.said[1:]])
    whole, found = summarise(table.take(np.arange(6, 40))), summarise(gapped)
    assert found["top1"].missing == 6
    assert (found["top1_idiomatic"].missing, found["top1_idiomatic"].n) == (3, 17)
    assert (found["ndcg"].missing, found["ndcg"].n) == (6, 34)
    assert found["ndcg"].value == pytest.approx(whole["ndcg"].value)
    assert found["macro_f1"].missing == 1
    nothing = summarise(replace(table, score=np.full_like(score, np.nan)))
    assert math.isnan(nothing["top1"].value)
    assert nothing["top1"].missing == 40


def test_the_gold_decides(build: Any) -> None:
    completion = build([[0.1, 0.9], [0.8, 0.2]], [[0.0, 1.0], [0.0, 1.0]])
    assert list(summarise(completion)) == ["top1", "mrr"]
    retrieval = build([[0.1, 0.9, 0.3]], [[1.0, 1.0, 0.0]])
    assert list(summarise(retrieval)) == ["top1", "mrr", "precision"]
    graded_gold = build([[0.1, 0.9, 0.3]], [[2.0, 1.0, 0.0]])
    assert list(summarise(graded_gold)) == ["top1", "ndcg", "mrr", "strict_top2", "kendall"]
    assert summarise(build([[0.1, 0.9]])) == {}
    assert summarise(build([])) == {}
    said = build([[0.1, 0.9]], senses=["literal"], said=["literal"])
    assert list(summarise(said)) == ["macro_f1"]


def test_one_item_and_all_right_stay_open(build: Any) -> None:
    for n in (1, 15):
        table = build([[2.0, 1.0, 0.0]] * n, [[2.0, 1.0, 0.0]] * n)
        for estimate in summarise(table).values():
            assert estimate.value == 1.0 == estimate.high
            assert estimate.low < 1.0


def test_by_language_and_sense(build: Any) -> None:
    table = build(
        [[0.1, 0.9], [0.8, 0.2], [0.1, 0.2]],
        [[0.0, 1.0]] * 3,
        languages=["en", "pt", "en"],
        senses=["idiomatic", "", "literal"],
    )
    languages = by(table, "language")
    assert {k: v["top1"].value for k, v in languages.items()} == {"en": 1.0, "pt": 0.0}
    assert list(by(table, "sense")) == ["idiomatic", "literal"]
    assert by(table, "kind") == {}


def test_macro_f1_agrees_with_scikit_learn(build: Any) -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    for classes in (["idiomatic", "literal"], ["a", "b", "c"]):
        gold, said = rng.choice(classes, 40).tolist(), rng.choice([*classes, "other"], 40).tolist()
        theirs = sklearn.f1_score(gold, said, average="macro", zero_division=0)
        assert macro_f1(gold, said) == pytest.approx(theirs, abs=1e-12)
        estimate = MacroF1().estimate(gold, said)
        assert estimate.low < estimate.value < estimate.high
    table = build([[1.0]] * 4, senses=["a", "b", "a", ""], said=["a", "b", "", "a"])
    assert MacroF1()(table) == 1.0
    perfect = MacroF1().estimate(["a", "b"] * 8, ["a", "b"] * 8)
    assert perfect.low < 0.9 < perfect.high == 1.0


def test_measuring_loads_no_scipy_and_no_pandas() -> None:
    code = "import sys, trope.measure as m; m.summarise; m.compare_values; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    names = set(loaded.stdout.split())
    assert not names & {"scipy", "pandas", "polars", "matplotlib", "torch"}
    code = "import sys, trope.measure; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "numpy" not in loaded.stdout.split()
