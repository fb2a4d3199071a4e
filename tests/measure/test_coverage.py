"""Intervals hold the truth as often as they say, simulated with a fixed seed.

The simulation is `bench/coverage.py`; here it runs small, on the hardest cases.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

BENCH = Path(__file__).parents[2] / "bench" / "coverage.py"


@pytest.fixture(scope="module")
def coverage() -> ModuleType:
    if not BENCH.exists():
        pytest.skip("bench/coverage.py is not here")
    spec = importlib.util.spec_from_file_location("trope_bench_coverage", BENCH)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("n", [15, 50, 200])
def test_accuracy_covers_92_percent_everywhere_and_95_on_average(
    coverage: ModuleType, n: int
) -> None:
    for p in (0.1, 0.5, 0.8, 0.95):
        assert coverage.accuracy(n, p) >= 0.92
    grid = [coverage.accuracy(n, p) for p in np.linspace(0.005, 0.995, 199)]
    assert 0.94 <= np.mean(grid) <= 0.97


@pytest.mark.parametrize("rho", [0.0, 0.5])
def test_accuracy_by_phrase_covers(coverage: ModuleType, rho: float) -> None:
    for p in (0.5, 0.9):
        assert coverage.clustered_share(20, 3, p, rho, simulations=600, seed=1) >= 0.92


def cell(coverage: ModuleType, name: str, measure: str) -> tuple[np.ndarray, tuple[float, float]]:
    """One ranker's values of one measure, and the range they live in."""
    ranker = next(r for r in coverage.RANKERS if r.name == name)
    chosen = next(m for m in coverage.MEASURES if m.name == measure)
    ranked = coverage.population(ranker, size=20_000)
    return chosen.of(ranked), chosen.span(ranked)


# True coverage at n = 15 is .957 or more everywhere, so 400 simulations (standard error .010)
# tell it from the .90 that is promised.
@pytest.mark.parametrize("measure", ["dcg", "ndcg", "ndcg idiomatic", "mrr", "kendall"])
@pytest.mark.parametrize("ranker", ["reversed", "random", "nearly perfect", "strong, misreads 5%"])
def test_graded_measures_cover_90_percent_of_15_items(
    coverage: ModuleType, ranker: str, measure: str
) -> None:
    values, span = cell(coverage, ranker, measure)
    cover, width = coverage.graded(values, span, 15, simulations=400, seed=2)
    assert cover >= 0.90
    assert 0 < width < span[1] - span[0]


# The lowest cells of the whole table at n = 50 have a true coverage of .945 to .957: 3,000
# simulations (standard error .004) tell them from .93.
@pytest.mark.parametrize(
    ("ranker", "measure"),
    [
        ("strong, misreads 5%", "ndcg idiomatic"),
        ("strong, misreads 5%", "dcg"),
        ("reversed", "mrr"),
        ("reversed", "dcg"),
        ("weak", "ndcg symmetric"),
    ],
)
def test_graded_measures_cover_93_percent_of_50_items(
    coverage: ModuleType, ranker: str, measure: str
) -> None:
    values, span = cell(coverage, ranker, measure)
    assert coverage.graded(values, span, 50, simulations=3000, seed=2)[0] >= 0.93


def test_macro_f1_and_differences_cover(coverage: ModuleType) -> None:
    assert coverage.named(15, (0.9, 0.6), simulations=400, seed=1) >= 0.90
    assert coverage.named(50, (0.95, 0.95), simulations=400, seed=1) >= 0.93
    assert coverage.difference(15, 0.2, simulations=400, seed=1) >= 0.90
    assert coverage.difference(50, 0.05, simulations=400, seed=1) >= 0.93


@pytest.mark.parametrize(("n", "each"), [(8, 1), (15, 1), (50, 1), (60, 3)])
def test_a_true_null_is_rejected_no_more_often_than_said(
    coverage: ModuleType, n: int, each: int
) -> None:
    # 0.05 and three standard errors of 3000 simulations
    rate = coverage.null_rejections(n, each=each, simulations=3000, seed=1)
    assert rate <= 0.05 + 3 * (0.05 * 0.95 / 3000) ** 0.5
