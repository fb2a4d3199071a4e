"""Ranking measures: every one equals the mean over all tie orders, and other libraries."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trope.measure.ranking import (
    ADMIRE_GAINS,
    DCG,
    MRR,
    NDCG,
    XMPIE_IDIOMATIC,
    XMPIE_LITERAL,
    XMPIE_SYMMETRIC,
    KendallTau,
    Measure,
    Precision,
    StrictTop2,
    Top1,
    TopRole,
)
from trope.measure.ties import Ranked, _counted, _sorted

FIVE = ("idiomatic", "idiomatic_related", "literal_related", "literal", "distractor")


def orders(scores: list[float]) -> list[tuple[int, ...]]:
    """Every order of the candidates that these scores allow."""
    everything = itertools.permutations(range(len(scores)))
    falling = itertools.pairwise
    return [o for o in everything if all(scores[a] >= scores[b] for a, b in falling(o))]


def dcg(gains: list[float], k: int) -> float:
    return sum(g / math.log2(rank + 1) for rank, g in enumerate(gains[:k], start=1))


def by_gold_rank(gains: list[float], weights: tuple[float, ...]) -> list[float]:
    """Weights by gold rank; candidates with the same gain share what their ranks weigh."""
    ranked = sorted(gains, reverse=True)
    weight = dict.fromkeys(gains, 0.0)
    padded = (*weights, *[0.0] * len(gains))
    for gain in weight:
        at = [i for i, other in enumerate(ranked) if other == gain]
        weight[gain] = sum(padded[i] for i in at) / len(at)
    return [weight[gain] for gain in gains]


def plain(measure: Measure, order: tuple[int, ...], gains: list[float], roles: Any) -> float:
    """The measure of one strict order, written the slow and obvious way."""
    best = [g == max(gains) for g in gains]
    match measure:
        case Top1():
            return float(best[order[0]])
        case TopRole(role=role):
            return float(roles[order[0]] == role)
        case DCG(gains=weights):
            given = by_gold_rank(gains, weights)
            return dcg([given[i] for i in order], len(order))
        case NDCG(k=k, gains=weights):
            if weights is None:
                given = gains
            elif isinstance(weights, tuple):
                given = by_gold_rank(gains, weights)
            else:
                given = [weights.get(role, 0.0) for role in roles]
            ideal = dcg(sorted(given, reverse=True), k or len(order))
            return dcg([given[i] for i in order], k or len(order)) / ideal if ideal else math.nan
        case Precision(k=k):
            cut = sum(best) if k is None else k
            return sum(best[i] for i in order[:cut]) / cut
        case MRR():
            return 1 / (1 + [best[i] for i in order].index(True))
        case StrictTop2(roles=None):
            first, second = sorted(gains, reverse=True)[:2]
            return float(gains[order[0]] == first and gains[order[1]] == second)
        case StrictTop2(roles=pair):
            return float((roles[order[0]], roles[order[1]]) == pair)
        case KendallTau():
            signs = [
                math.copysign(1, gains[a] - gains[b])
                for a, b in itertools.combinations(order, 2)
                if gains[a] != gains[b]
            ]
            return sum(signs) / len(signs) if signs else math.nan
    raise AssertionError(measure)


MEASURES: list[Measure] = [
    Top1(),
    TopRole("idiomatic"),
    TopRole("literal_related"),
    DCG(),
    DCG(gains=(2.0, 1.0)),
    NDCG(),
    NDCG(k=None),
    NDCG(k=2),
    NDCG(gains=ADMIRE_GAINS),
    NDCG(gains=XMPIE_IDIOMATIC),
    NDCG(k=3, gains=XMPIE_LITERAL),
    NDCG(gains=XMPIE_SYMMETRIC),
    Precision(),
    Precision(1),
    Precision(3),
    MRR(),
    StrictTop2(),
    StrictTop2(("idiomatic", "idiomatic_related")),
    StrictTop2(("literal", "literal_related")),
    KendallTau(),
]


def random_items(seed: int, n: int) -> tuple[list[list[float]], list[list[float]]]:
    """Items of 2 to 5 candidates, with few distinct scores and gains so that ties abound."""
    rng = np.random.default_rng(seed)
    scores, gains = [], []
    for _ in range(n):
        c = int(rng.integers(2, 6))
        scores.append(rng.integers(0, 3, c).astype(float).tolist())
        gains.append(rng.integers(0, rng.integers(2, 6), c).astype(float).tolist())
    return scores, gains


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: f"{m.name}-{type(m).__name__}")
def test_ties_get_their_expected_value_over_all_tie_orders(measure: Measure, build: Any) -> None:
    scores, gains = random_items(seed=7, n=150)
    roles = [list(FIVE[: len(row)]) for row in scores]
    found = measure(build(scores, gains, roles=roles))
    for i, row in enumerate(scores):
        if np.isnan(found[i]):
            continue
        allowed = orders(row)
        mean = sum(plain(measure, o, gains[i], roles[i]) for o in allowed) / len(allowed)
        assert found[i] == pytest.approx(mean, abs=1e-12)
        assert measure.low - 1e-12 <= found[i] <= measure.high + 1e-12


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: f"{m.name}-{type(m).__name__}")
def test_undefined_only_where_the_gold_says_nothing(measure: Measure, build: Any) -> None:
    scores, gains = random_items(seed=3, n=200)
    roles = [list(FIVE[: len(row)]) for row in scores]
    found = measure(build(scores, gains, roles=roles))
    for i, row in enumerate(scores):
        irrelevant = max(gains[i]) <= 0
        match measure:
            case TopRole(role=role):
                undefined = role not in roles[i]
            case StrictTop2(roles=(first, second)):
                undefined = first not in roles[i] or second not in roles[i]
            case NDCG(gains=dict() as mapping):
                undefined = not any(mapping.get(role, 0) for role in roles[i])
            case KendallTau():
                undefined = len(set(gains[i])) == 1
            case _:
                undefined = irrelevant
        assert np.isnan(found[i]) == undefined, (row, gains[i])


def test_ties_in_a_wide_table(build: Any) -> None:
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 4, (20, 30)).astype(float).tolist()
    gains = rng.integers(0, 3, (20, 30)).astype(float).tolist()
    draws = []
    for _ in range(1500):
        broken = (np.array(scores) + 0.5 * rng.random((20, 30))).tolist()
        draws.append(MRR()(build(broken, gains)))
    assert MRR()(build(scores, gains)) == pytest.approx(np.mean(draws, axis=0), abs=0.03)


rows = st.integers(2, 6).flatmap(
    lambda c: st.tuples(
        st.lists(st.integers(-3, 3), min_size=c, max_size=c),
        st.lists(st.integers(0, 4), min_size=c, max_size=c),
        st.permutations(range(c)),
    )
)
same = {"rel": 0, "abs": 1e-12, "nan_ok": True}


@settings(max_examples=60, deadline=None)
@given(st.lists(rows, min_size=1, max_size=6), st.integers(-50, 50))
def test_laws(build: Callable[..., Any], items: list[Any], constant: int) -> None:
    scores = [list(map(float, s)) for s, _, _ in items]
    gains = [list(map(float, g)) for _, g, _ in items]
    roles = [list((*FIVE, "none")[: len(s)]) for s in scores]
    table = build(scores, gains, roles=roles)
    shuffled = build(
        [[s[j] for j in p] for s, (_, _, p) in zip(scores, items, strict=True)],
        [[g[j] for j in p] for g, (_, _, p) in zip(gains, items, strict=True)],
        roles=[[r[j] for j in p] for r, (_, _, p) in zip(roles, items, strict=True)],
    )
    shifted = build([[x + constant for x in s] for s in scores], gains, roles=roles)
    gapped = build([[math.nan, *s[1:]] for s in scores], gains, roles=roles)
    for measure in MEASURES:
        values = measure(table)
        assert measure(shuffled) == pytest.approx(values, **same)  # order of candidates
        assert measure(shifted) == pytest.approx(values, **same)  # a constant
        assert np.isnan(measure(gapped)).all()  # missing is not zero


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=2, max_size=7).filter(any))
def test_a_perfect_ranking_is_perfect(build: Callable[..., Any], gains: list[int]) -> None:
    table = build([list(map(float, gains))], [list(map(float, gains))])
    for measure in (Top1(), NDCG(), NDCG(gains=ADMIRE_GAINS), Precision(), MRR(), Precision(1)):
        assert measure(table)[0] == pytest.approx(1.0, abs=1e-12)


def test_no_gold_no_value(build: Any) -> None:
    table = build([[1.0, 2.0], [3.0, 4.0]])
    for measure in MEASURES:
        assert np.isnan(measure(table)).all()


def test_an_empty_table_has_no_values(build: Any) -> None:
    assert all(measure(build([], [])).shape == (0,) for measure in MEASURES)


def test_a_score_that_is_not_finite_is_missing(build: Any) -> None:
    table = build([[-math.inf, math.inf, 0.0], [1.0, 2.0]], [[1.0, 3.0, 2.0], [1.0, 2.0]])
    assert KendallTau()(table) == pytest.approx([math.nan, 1.0], nan_ok=True)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: f"{m.name}-{type(m).__name__}")
def test_the_span_is_what_the_orders_reach(measure: Measure, build: Any) -> None:
    gains = [[5.0, 4.0, 3.0, 2.0, 1.0]] * 120
    scores = [list(map(float, order)) for order in itertools.permutations(range(5))]
    table = build(scores, gains, roles=[FIVE] * 120)
    values, (low, high) = measure(table), measure.span(Ranked.of(table))
    assert low == pytest.approx(values.min(), abs=1e-12)
    assert high >= values.max() - 1e-12


def test_the_official_dcg_to_the_last_digit(build: Any) -> None:
    gold = [5.0, 4.0, 3.0, 2.0, 1.0]
    values = DCG()(build([gold, [4.0, 5.0, 3.0, 2.0, 1.0]], [gold, gold]))
    assert values.tolist() == [3 / math.log2(2) + 1 / math.log2(3), 1 + 3 / math.log2(3)]
    assert DCG().high == values[0]


def test_measures_are_values() -> None:
    assert NDCG(k=3) == NDCG(k=3) != NDCG(k=5)
    assert len({Top1(), Top1(), NDCG(gains=XMPIE_LITERAL), NDCG(gains=ADMIRE_GAINS)}) == 3
    assert TopRole("literal").name == "top1[literal]"
    assert NDCG(k=3, name="mine").name == "mine"
    shares = [m.name for m in (Top1(), DCG(), Precision(1), Precision(2), StrictTop2()) if m.share]
    assert shares == ["top1", "precision@1", "strict_top2"]


def test_ndcg_agrees_with_scikit_learn(build: Any) -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    gains = rng.integers(0, 6, (40, 7)).astype(float)
    gains[:, 0] += 1
    for scores in (rng.normal(size=(40, 7)), rng.integers(0, 3, (40, 7)).astype(float)):
        table = build(scores.tolist(), gains.tolist())
        for k in (1, 3, 5, None):
            theirs = [
                sklearn.ndcg_score(gains[i : i + 1], scores[i : i + 1], k=k) for i in range(40)
            ]
            assert NDCG(k=k)(table) == pytest.approx(theirs, abs=1e-9)


def test_kendall_agrees_with_scipy(build: Any) -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(2)
    scores, gains = rng.normal(size=(50, 6)), rng.normal(size=(50, 6))
    theirs = [stats.kendalltau(s, g).statistic for s, g in zip(scores, gains, strict=True)]
    assert KendallTau()(build(scores.tolist(), gains.tolist())) == pytest.approx(theirs, abs=1e-9)


def test_agrees_with_ir_measures(build: Any) -> None:
    ir = pytest.importorskip("ir_measures")
    rng = np.random.default_rng(4)
    scores, gains = rng.normal(size=(60, 8)), rng.integers(0, 2, (60, 8))
    gains[:, 3] = 1
    table = build(scores.tolist(), gains.astype(float).tolist())
    runs = {f"q{i}": {f"d{j}": s for j, s in enumerate(row)} for i, row in enumerate(scores)}
    gold = {f"q{i}": {f"d{j}": int(g) for j, g in enumerate(row)} for i, row in enumerate(gains)}
    pairs = {ir.nDCG @ 5: NDCG(), ir.RR: MRR(), ir.P @ 3: Precision(3), ir.Rprec: Precision()}
    for theirs, ours in pairs.items():
        values = {m.query_id: m.value for m in ir.iter_calc([theirs], gold, runs)}
        assert ours(table) == pytest.approx([values[f"q{i}"] for i in range(60)], abs=1e-9)


def test_narrow_and_wide_tables_find_the_same_places() -> None:
    rng = np.random.default_rng(8)
    values = rng.integers(0, 4, (200, 9)).astype(float)
    values[rng.random(values.shape) < 0.2] = np.nan
    seen = ~np.isnan(values)
    for narrow, wide in zip(_counted(values), _sorted(values), strict=True):
        assert np.array_equal(narrow[seen], wide[seen])
    assert np.all(_counted(values)[1][~seen] == 1)
