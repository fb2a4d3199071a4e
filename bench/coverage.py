"""How often trope's intervals hold the truth, by simulation.

    python bench/coverage.py [SIMULATIONS]

Accuracy with one item a phrase is summed exactly over all outcomes; the rest is drawn from
simulated rankers whose true value is known. It measures nothing but coverage and width.
"""

from __future__ import annotations

import itertools
import sys
from dataclasses import dataclass

import numpy as np

from trope.measure import (
    ADMIRE_GAINS,
    DCG,
    MRR,
    NDCG,
    XMPIE_IDIOMATIC,
    XMPIE_SYMMETRIC,
    KendallTau,
    Ranked,
    graded_columns,
    macro_f1,
    share,
    wilson,
)
from trope.measure.choice import MacroF1
from trope.measure.paired import paired_bootstrap, sign_flips
from trope.measure.power import binomial

SIZES = (15, 50, 200)
POPULATION = 100_000
MEASURES = (
    DCG(),
    NDCG(gains=ADMIRE_GAINS, name="ndcg"),
    NDCG(gains=XMPIE_SYMMETRIC, name="ndcg symmetric"),
    NDCG(gains=XMPIE_IDIOMATIC, name="ndcg idiomatic"),
    MRR(),
    KendallTau(),
)
ROLES = ("idiomatic", "idiomatic_related", "literal_related", "literal", "distractor")


@dataclass(frozen=True)
class Ranker:
    """Scores are strength x gain plus Gumbel noise; a share of items gets the other sense."""

    name: str
    strength: float
    misread: float = 0.0


RANKERS = (
    Ranker("reversed", -0.5),
    Ranker("random", 0.0),
    Ranker("weak", 0.5),
    Ranker("middling", 1.0),
    Ranker("good", 2.0),
    Ranker("strong", 3.0),
    Ranker("nearly perfect", 5.0),
    Ranker("all but perfect", 7.0),
    Ranker("strong, misreads 5%", 3.0, 0.05),
    Ranker("nearly perfect, misreads 5%", 5.0, 0.05),
    Ranker("nearly perfect, misreads 2%", 6.0, 0.02),
    Ranker("strong, misreads 30%", 3.0, 0.3),
    Ranker("nearly perfect, misreads 50%", 5.0, 0.5),
)


def population(ranker: Ranker, *, size: int = POPULATION, seed: int = 0) -> Ranked:
    """Many items answered by one ranker."""
    rng = np.random.default_rng(seed)
    gain = np.tile([5.0, 4.0, 3.0, 2.0, 1.0], (size, 1))
    believed = np.where(rng.random(size)[:, None] < ranker.misread, gain[:, [3, 2, 1, 0, 4]], gain)
    score = ranker.strength * believed + rng.gumbel(size=gain.shape)

    class Table:
        pass

    table = Table()
    table.score, table.gain = score, gain
    table.role, table.real = np.tile(ROLES, (size, 1)), np.ones(gain.shape, dtype=bool)
    return Ranked.of(table)


def accuracy(n: int, p: float) -> float:
    """The exact coverage of Wilson's interval: every outcome, weighed by its chance."""
    bounds = [wilson(k, n) for k in range(n + 1)]
    inside = np.array([low <= p <= high for low, high in bounds])
    return float(binomial(n, p) @ inside)


def graded(
    values: np.ndarray, span: tuple[float, float], n: int, *, simulations: int, seed: int
) -> tuple[float, float]:
    """Coverage and mean width over samples of n items from a population of values."""
    rng = np.random.default_rng(seed)
    samples = values[rng.integers(0, len(values), (n, simulations))]
    truth = values.mean()
    found = graded_columns(samples, None, [span] * simulations, resamples=1000, seed=seed)
    low, high = np.array([e.low for e in found]), np.array([e.high for e in found])
    assert low.min() >= span[0] and high.max() <= span[1] and np.all(high > low)
    return float(np.mean((low <= truth) & (truth <= high))), float(np.mean(high - low))


def clustered_share(
    phrases: int, each: int, p: float, rho: float, *, simulations: int, seed: int
) -> float:
    """Coverage of accuracy when items of one phrase are alike (beta-binomial, correlation rho)."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(phrases), each)
    if rho > 0:
        a, b = p * (1 - rho) / rho, (1 - p) * (1 - rho) / rho
        chance = rng.beta(a, b, (simulations, phrases))
    else:
        chance = np.full((simulations, phrases), p)
    right = rng.random((simulations, phrases * each)) < chance[:, codes]
    found = [share(row, codes) for row in right.astype(float)]
    return float(np.mean([e.low <= p <= e.high for e in found]))


def named(n: int, correct: tuple[float, float], *, simulations: int, seed: int) -> float:
    """Coverage of macro F1 for two senses, each named rightly with its own chance."""
    rng = np.random.default_rng(seed)
    senses = np.array(["idiomatic", "literal"])

    def answers(size: int) -> tuple[np.ndarray, np.ndarray]:
        gold = np.arange(size) % 2
        wrong = rng.random(size) > np.asarray(correct)[gold]
        return senses[gold], senses[gold ^ wrong]

    truth = macro_f1(*answers(400_000))
    found = [MacroF1().estimate(*answers(n), resamples=500, seed=i) for i in range(simulations)]
    return float(np.mean([e.low <= truth <= e.high for e in found]))


def null_rejections(n: int, *, each: int = 1, simulations: int, seed: int) -> float:
    """How often the sign flip test rejects at 5% when two runs are equally good."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(n // each), each)
    shift = rng.normal(size=(simulations, n // each))[:, codes]
    d = np.round(shift + 0.5 * rng.normal(size=shift.shape))
    return float(np.mean(sign_flips(d, codes, seed=seed) <= 0.05))


def difference(n: int, psi: float, *, simulations: int, seed: int) -> float:
    """Coverage of the interval of a difference between two runs that disagree on psi of items."""
    rng = np.random.default_rng(seed)
    draws = rng.choice([1.0, -1.0, 0.0], p=[0.7 * psi, 0.3 * psi, 1 - psi], size=(simulations, n))
    found = [paired_bootstrap(row, resamples=500, seed=i) for i, row in enumerate(draws)]
    return float(np.mean([e.low <= 0.4 * psi <= e.high for e in found]))


def main(simulations: int) -> None:
    print("Accuracy, Wilson (exact)")
    for n in SIZES:
        cells = "  ".join(f"p={p}: {accuracy(n, p):.3f}" for p in (0.1, 0.5, 0.8, 0.95))
        grid = np.mean([accuracy(n, p) for p in np.linspace(0.005, 0.995, 199)])
        print(f"  n={n:<4} {cells}   mean over a grid of 199: {grid:.3f}")
    print(f"\nAccuracy by phrase ({simulations} simulations)")
    for phrases, each, rho in itertools.product((15, 50), (2, 4), (0.0, 0.3, 0.8)):
        cells = "  ".join(
            f"p={p}: {clustered_share(phrases, each, p, rho, simulations=simulations, seed=1):.3f}"
            for p in (0.1, 0.5, 0.8, 0.95)
        )
        print(f"  {phrases:>3} phrases x {each}, correlation {rho}: {cells}")
    print(f"\nGraded measures ({simulations} simulations): coverage and mean width")
    everything: dict[int, list[float]] = {n: [] for n in SIZES}
    for ranker in RANKERS:
        ranked = population(ranker)
        for measure in MEASURES:
            values, span = measure.of(ranked), measure.span(ranked)
            line = f"  {ranker.name:<28} {measure.name:<15} {values.mean():7.4f} "
            for n in SIZES:
                cover, width = graded(values, span, n, simulations=simulations, seed=n)
                everything[n].append(cover)
                line += f"  n={n}: {cover:.3f} ({width:.3f})"
            print(line)
    for n, found in everything.items():
        print(f"  n={n:<4} least {min(found):.3f}, mean {np.mean(found):.3f}")
    print("\nMacro F1")
    for correct in ((0.5, 0.5), (0.9, 0.6), (0.95, 0.95), (0.99, 0.97)):
        cells = "  ".join(
            f"n={n}: {named(n, correct, simulations=simulations, seed=n):.3f}" for n in SIZES
        )
        print(f"  senses named rightly {correct}: {cells}")
    print("\nDifference of two runs' accuracies")
    for psi in (0.05, 0.2, 0.5):
        cells = "  ".join(
            f"n={n}: {difference(n, psi, simulations=simulations, seed=n):.3f}" for n in SIZES
        )
        print(f"  disagreeing on {psi}: {cells}")
    print("\nSign flip test: rejections of a true null at 5%")
    for n, each in ((8, 1), (15, 1), (50, 1), (60, 3)):
        rate = null_rejections(n, each=each, simulations=10 * simulations, seed=n)
        print(f"  {n} items, {each} a phrase: {rate:.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
