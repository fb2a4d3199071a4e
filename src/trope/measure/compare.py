"""Whole runs against each other: which is better, how sure, and is it a fair question?

Runs are matched by item and candidate; only items that both of a pair answered count. Each pair
gets a difference with an interval, an exact or permutation p, Holm's correction over all pairs
of a measure, and a verdict in words. No model is loaded, and no two runs are compared silently
when their fingerprints say that they saw different things.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trope.errors import TropeError, many, shown, unknown
from trope.measure.beta import NORMAL
from trope.measure.intervals import Estimate, graded_columns, share
from trope.measure.paired import FLIPS, binomial_p, holm, sign_flips
from trope.measure.ranking import Measure
from trope.measure.resample import RESAMPLES, codes
from trope.measure.summary import SENSES, measures_for
from trope.measure.ties import Bools, Floats, Ranked
from trope.runs import Run, Table

MAIN = ("top1", "ndcg", "top1_idiomatic", "top1_literal")
"""What is compared unless other measures are asked for; ndcg where the gold is graded."""
ALPHA = 0.05
CLOSE = 0.01
FLIPS_A_PAIR, MOST_FLIPS = 200, 400_000
"""Differences with p below `CLOSE` are tested again with so many sign flips for each pair."""
MOST = 10_000
"""Forecasts of more items than this are said to be more, and not how many."""


@dataclass(frozen=True)
class Versus:
    """Two runs under one measure. `a` and `b` are the runs' places in the comparison."""

    measure: str
    a: int
    b: int
    names: tuple[str, str]
    left: Estimate
    """Run a, on the items both answered."""
    right: Estimate
    difference: Estimate
    """a minus b."""
    p: float
    holm: float
    """p after Holm's correction over the pairs of this measure."""
    family: int
    """How many pairs that is."""
    test: str
    wins: int
    """Items on which a did better."""
    losses: int
    n: int
    """Items both answered."""
    left_out: int
    """Items that have gold and that one or both did not answer."""
    needed: int | None
    """About how many items would settle a difference of the size seen; None where none would."""
    alpha: float = ALPHA

    @property
    def better(self) -> int | None:
        """The run that is shown to be better, or None. Both the test and the interval must say so,
        since a reader sees both."""
        d = self.difference
        if self.n == 0 or self.holm > self.alpha or d.low <= 0 <= d.high:
            return None
        return self.a if d.value > 0 else self.b

    @property
    def verdict(self) -> str:
        """One sentence for the reader."""
        a, b = self.names
        if self.n == 0:
            return f"No item was answered by both {a} and {b}, so nothing can be said."
        items = _counted(self.n)
        d = self.difference
        between = f"between {_signed(d.low)} and {_signed(d.high)}"
        if self.wins == self.losses == 0:
            return f"{a} and {b} do the same on {items}; the difference is {between}."
        if self.better is not None:
            best = a if self.better == self.a else b
            high, low = sorted((self.left.value, self.right.value), reverse=True)
            return f"{best} is better: {_short(high)} against {_short(low)}, {self._chance()}."
        settle = ""
        if self.needed is not None and self.needed > self.n:
            about = f"about {_rounded(self.needed)}" if self.needed <= MOST else f"over {MOST:,}"
            settle = f"; {about} items would settle a difference of this size"
        if self.p <= self.alpha:
            return (
                f"{items} don't settle it: {self._chance()}, the difference is {between}{settle}."
            )
        return f"{items} can't tell them apart: the difference is {between}{settle}."

    def _chance(self) -> str:
        if self.family == 1:
            return f"p {_small(self.p)}"
        return f"p {_small(self.holm)} after Holm's correction over {self.family} comparisons"

    def as_dict(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "a": self.names[0],
            "b": self.names[1],
            "estimates": [self.left.as_dict(), self.right.as_dict()],
            "difference": self.difference.as_dict(),
            "p": self.p,
            "holm": self.holm,
            "comparisons": self.family,
            "test": self.test,
            "a_better": self.wins,
            "b_better": self.losses,
            "items": self.n,
            "left_out": self.left_out,
            "items_needed": self.needed,
            "better": None if self.better is None else self.names[self.better == self.b],
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class Disagreement:
    """An item on which the runs differ, and what each put first."""

    item: str
    phrase: str
    language: str
    sense: str
    values: tuple[float, ...]
    """One a run, under the comparison's first measure; NaN where it gave no answer."""
    firsts: tuple[str, ...]
    """The candidate each put first; several with ' = ' between where they are level."""
    roles: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            "item": self.item,
            "phrase": self.phrase,
            "language": self.language,
            "sense": self.sense,
            "values": [None if math.isnan(v) else v for v in self.values],
            "first": list(self.firsts),
            "roles": list(self.roles),
        }


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two or more runs on the same items."""

    benchmark: str
    labels: tuple[str, ...]
    items: int
    """Items that at least one pair could be compared on."""
    measures: tuple[str, ...]
    estimates: dict[str, tuple[Estimate, ...]]
    """By measure, one a run, each on all the items it answered."""
    pairs: tuple[Versus, ...]
    disagreements: tuple[Disagreement, ...]
    """Those with the most disagreement first."""
    warnings: tuple[str, ...]
    """What makes the comparison less fair than it looks."""

    def of(self, measure: str) -> list[Versus]:
        """The pairs under one measure."""
        return [pair for pair in self.pairs if pair.measure == measure]

    def as_dict(self) -> dict[str, Any]:
        return {
            "benchmark": self.benchmark,
            "runs": list(self.labels),
            "items": self.items,
            "measures": {name: [e.as_dict() for e in row] for name, row in self.estimates.items()},
            "pairs": [pair.as_dict() for pair in self.pairs],
            "disagreements": [d.as_dict() for d in self.disagreements],
            "warnings": list(self.warnings),
        }


def compare(
    runs: Sequence[Run],
    *,
    measures: Sequence[str] | None = None,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Comparison:
    """Compare runs on the items they share; refuse where they answered different questions."""
    if len(runs) < 2:
        raise TropeError("A comparison needs two runs or more.")
    check_same(runs)
    base, tables = aligned(runs)
    labels = labels_of(runs)
    columns = _columns(base, tables, _chosen(base, runs, measures))
    both = np.sum([table.answered for table in tables], axis=0) >= 2
    if not both.any():
        raise TropeError(
            "No item was answered by two of these runs, so there is nothing to compare."
        )
    phrases, _ = codes(np.asarray(base.phrases, dtype=object), len(base))
    estimates: dict[str, tuple[Estimate, ...]] = {}
    pairs: list[Versus] = []
    for column in columns:
        judged = _Judged(column, phrases, labels, alpha, resamples, seed)
        estimates[column.name] = tuple(judged.estimates(column.values))
        pairs += judged.pairs()
    return Comparison(
        benchmark=runs[0].benchmark,
        labels=labels,
        items=int(both.sum()),
        measures=tuple(column.name for column in columns),
        estimates=estimates,
        pairs=tuple(pairs),
        disagreements=tuple(_disagreements(base, tables, columns[0].values)),
        warnings=tuple(warnings(runs, labels)),
    )


# -- are they the same questions? ----------------------------------------------------------------


def labels_of(runs: Sequence[Run]) -> tuple[str, ...]:
    """A name for each run; the same name twice gets a number."""
    names = [run.label for run in runs]
    seen: dict[str, int] = {}
    labels = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        labels.append(f"{name} ({seen[name]})" if names.count(name) > 1 else name)
    return tuple(labels)


def check_same(runs: Sequence[Run]) -> None:
    """Refuse runs on different benchmarks; the head of one (a limit) is still the same one."""
    first = runs[0].meta["benchmark"]
    for run in runs[1:]:
        other = run.meta["benchmark"]
        if first.get("hash") == other.get("hash"):
            continue
        if first["name"] != other["name"]:
            raise TropeError(
                f"{shown(runs[0].label)} ran on {first['name']} and {shown(run.label)} on "
                f"{other['name']}; runs on different benchmarks can't be compared."
            )
        if first.get("version") != other.get("version") or not _one_is_head(runs[0], run):
            raise TropeError(
                f"{shown(runs[0].label)} and {shown(run.label)} ran on different versions of "
                f"{first['name']} (their hashes differ); run one of them again."
            )


def _one_is_head(a: Run, b: Run) -> bool:
    """Whether one run's questions are the first of the other's."""
    short, long = sorted((a.table, b.table), key=len)
    n = len(short)
    if n == len(long):
        return False
    return bool(
        short.items == long.items[:n]
        and short.phrases == long.phrases[:n]
        and short.candidates == long.candidates[:n]
    )


def aligned(runs: Sequence[Run]) -> tuple[Table, list[Table]]:
    """The runs' scores on one set of items and one gold: the longest labelled run's."""
    base = max((run.table for run in runs), key=lambda t: (t.labelled, len(t)))
    if not base.labelled:
        raise TropeError("These runs have no gold, so there is nothing to compare; give --gold.")
    places = {name: row for row, name in enumerate(base.items)}
    tables = []
    for run in runs:
        table = run.table
        if table.items == base.items and table.candidates == base.candidates:
            tables.append(base.with_scores(table.score, table.said))
            continue
        score = np.full(base.score.shape, np.nan)
        said = [""] * len(base)
        for row, name in enumerate(table.items):
            place = places.get(name)
            if place is None:
                continue
            by_id = dict(zip(table.candidates[row], table.score[row], strict=False))
            mine = [by_id.get(candidate, np.nan) for candidate in base.candidates[place]]
            score[place, : len(mine)] = mine
            said[place] = table.said[row]
        tables.append(base.with_scores(score, said))
    if not any(set(a.items) & set(b.items) for a, b in itertools.combinations(_tables(runs), 2)):
        raise TropeError("These runs have no item in common, so they can't be compared.")
    return base, tables


def _tables(runs: Sequence[Run]) -> list[Table]:
    return [run.table for run in runs]


# -- what is compared ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Column:
    """A measure on some of the items: one row a run, one column an item."""

    name: str
    measure: Measure
    values: Floats
    due: Bools
    """Items that have gold for it."""
    span: tuple[float, float]


def _chosen(base: Table, runs: Sequence[Run], wanted: Sequence[str] | None) -> list[str]:
    """The names of the measures, checked."""
    known = {m.name: m for m in measures_for(base)}
    senses = [sense for sense in SENSES if sense in base.senses]
    names = [*known, *(f"{name}_{sense}" for name in known for sense in senses)]
    if any(_names_one(run) for run in runs):
        names = [name for name in names if name.startswith("top1")]
    if wanted is None:
        return [name for name in MAIN if name in names] or names[:1]
    for name in wanted:
        if name not in names:
            raise unknown("measure", name, names)
    return list(dict.fromkeys(wanted))


def _columns(base: Table, tables: Sequence[Table], names: Sequence[str]) -> list[_Column]:
    known = {m.name: m for m in measures_for(base)}
    ranked = [Ranked.of(table) for table in tables]
    senses = np.asarray(base.senses, dtype=str)
    found = []
    for name in names:
        stem, sense = name, ""
        if name not in known:
            stem, _, sense = name.rpartition("_")
        measure = known[stem]
        due = measure.defined(ranked[0]) & ((senses == sense) if sense else True)
        values = np.stack([np.where(due, measure.of(one), np.nan) for one in ranked])
        found.append(_Column(name, measure, values, due, measure.span(ranked[0])))
    return found


@dataclass(frozen=True, eq=False)
class _Judged:
    """One measure's column, and how it is to be judged."""

    column: _Column
    phrases: np.ndarray[Any, Any]
    labels: tuple[str, ...]
    alpha: float
    resamples: int
    seed: int

    def estimates(self, values: Floats) -> list[Estimate]:
        """Each row's mean with its interval."""
        due = self.column.due
        values, phrases = values[:, due], self.phrases[due]
        if self.column.measure.share:
            return [share(row, phrases) for row in values]
        spans = [self.column.span] * len(values)
        return graded_columns(values.T, phrases, spans, resamples=self.resamples, seed=self.seed)

    def pairs(self) -> list[Versus]:
        values, due = self.column.values, self.column.due
        pairs = list(itertools.combinations(range(len(values)), 2))
        first, second = np.asarray(pairs).T
        d = (values[first] - values[second])[:, due]
        phrases = self.phrases[due]
        p, tests = self._tests(d, phrases)
        told = np.isfinite(d).any(axis=1)  # a pair without a common answer is no comparison
        adjusted = np.ones_like(p)
        adjusted[told] = holm(p[told])
        family = max(1, int(told.sum()))
        width = self.column.span[1] - self.column.span[0]
        spans = [(-width, width)] * len(pairs)
        differences = graded_columns(d.T, phrases, spans, resamples=self.resamples, seed=self.seed)
        sides = self._sides(first, second)
        return [
            Versus(
                measure=self.column.name,
                a=a,
                b=b,
                names=(self.labels[a], self.labels[b]),
                left=sides[k][0],
                right=sides[k][1],
                difference=differences[k],
                p=float(p[k]),
                holm=float(adjusted[k]),
                family=family,
                test=tests[k],
                wins=int(np.sum(d[k] > 1e-12)),
                losses=int(np.sum(d[k] < -1e-12)),
                n=int(np.isfinite(d[k]).sum()),
                left_out=int(np.isnan(d[k]).sum()),
                needed=self._needed(d[k], phrases, family),
                alpha=self.alpha,
            )
            for k, (a, b) in enumerate(pairs)
        ]

    def _tests(self, d: Floats, phrases: np.ndarray[Any, Any]) -> tuple[Floats, list[str]]:
        """McNemar's exact test for right and wrong with one item a phrase, else sign flips."""
        p, tests = np.ones(len(d)), ["sign flip by phrase"] * len(d)
        whole = ((d == 0) | (np.abs(d) == 1) | np.isnan(d)).all(axis=1)
        exact = whole & self._alone(~np.isnan(d), phrases) & self.column.measure.share
        for k in np.flatnonzero(exact):
            p[k] = binomial_p(int((d[k] > 0).sum()), int((d[k] < 0).sum()))
            tests[k] = "McNemar, exact"
        rest = np.flatnonzero(~exact)
        if rest.size and d.shape[1]:
            p[rest] = self._flipped(d[rest], phrases)
        return p, tests

    def _flipped(self, d: Floats, phrases: np.ndarray[Any, Any]) -> Floats:
        """Sign flips, with more of them where a small p has to survive a large family: drawn p
        can't fall below 1 / (1 + flips), which Holm multiplies by the number of pairs."""
        p = sign_flips(d, phrases, seed=self.seed)
        flips = min(FLIPS_A_PAIR * len(self.column.values) ** 2 // 2, MOST_FLIPS)
        close = np.flatnonzero(p < CLOSE)
        if flips > FLIPS and close.size:
            p[close] = sign_flips(d[close], phrases, flips=flips, seed=self.seed + 1)
        return p

    def _alone(self, held: Bools, phrases: np.ndarray[Any, Any]) -> Bools:
        """The pairs in which no phrase has two items."""
        if len(np.unique(phrases)) == len(phrases):
            return np.ones(len(held), dtype=bool)
        return np.array([len(np.unique(phrases[row])) == row.sum() for row in held], dtype=bool)

    def _sides(
        self, first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]
    ) -> list[tuple[Estimate, Estimate]]:
        """Both runs of each pair on the items both answered; equal columns are judged once."""
        values = self.column.values
        held = np.isfinite(values)
        keys: dict[tuple[int, bytes], int] = {}
        rows: list[Floats] = []
        places = []
        for a, b in zip(first, second, strict=True):
            both = held[a] & held[b]
            pair = []
            for run in (int(a), int(b)):
                key = (run, both.tobytes())
                if key not in keys:
                    keys[key] = len(rows)
                    rows.append(np.where(both, values[run], np.nan))
                pair.append(keys[key])
            places.append(pair)
        found = self.estimates(np.stack(rows))
        return [(found[a], found[b]) for a, b in places]

    def _needed(self, d: Floats, phrases: np.ndarray[Any, Any], family: int) -> int | None:
        """Items that would show this difference after the correction, four times in five."""
        held = ~np.isnan(d)
        kept = d[held]
        if kept.size < 2 or abs(kept.mean()) < 1e-12:
            return None
        cluster, count = codes(phrases[held], kept.size)
        alpha = self.alpha / family
        whole = bool(np.isin(np.abs(kept), (0.0, 1.0)).all())  # no ties, which count in parts
        if self.column.measure.share and count == kept.size and whole:
            return about_items(float(kept.mean()), alpha=alpha, differing=float(np.mean(kept != 0)))
        if count < 2:
            return None
        means = np.bincount(cluster, kept, minlength=count) / np.bincount(cluster, minlength=count)
        if abs(means.mean()) < 1e-12:
            return None
        enough = about_items(float(means.mean()), alpha=alpha, spread=float(means.std(ddof=1)))
        return math.ceil(enough * kept.size / count)


def about_items(
    difference: float,
    *,
    alpha: float,
    power: float = 0.8,
    differing: float | None = None,
    spread: float = 0.0,
) -> int:
    """`paired.items_needed` in closed form, within a tenth of it: thousands of pairs are asked.

    Right and wrong answers: Connor's (1987) number, and 1 / difference for the exact test's
    steps. Graded ones: the normal approximation with Guenther's (1981) term for Student's t.
    """
    z, reach = NORMAL.inv_cdf(1 - alpha / 2), NORMAL.inv_cdf(power)
    size = abs(difference)
    if differing is None:
        return max(2, math.ceil(((z + reach) * spread / size) ** 2 + z * z / 2))
    rest = math.sqrt(max(differing - size**2, 0.0))
    connor = ((z * math.sqrt(differing) + reach * rest) / size) ** 2
    return math.ceil(connor + 1 / size)


# -- the items on which they differ --------------------------------------------------------------


def _disagreements(base: Table, tables: Sequence[Table], values: Floats) -> Iterator[Disagreement]:
    held = np.where(np.isnan(values), np.nan, values)
    with np.errstate(invalid="ignore"):
        count = np.isfinite(held).sum(axis=0)
        mean = np.nansum(held, axis=0) / np.maximum(count, 1)
        spread = np.nansum((held - mean) ** 2, axis=0)
    ranked = [Ranked.of(table) for table in tables]
    for row in np.argsort(-spread, kind="stable"):
        if spread[row] <= 1e-12:
            break
        firsts, roles = zip(*(_first(base, one, int(row)) for one in ranked), strict=True)
        yield Disagreement(
            item=base.items[row],
            phrase=base.phrases[row],
            language=base.languages[row],
            sense=base.senses[row],
            values=tuple(float(v) for v in values[:, row]),
            firsts=firsts,
            roles=roles,
        )


def _first(base: Table, ranked: Ranked, row: int) -> tuple[str, str]:
    """What a run put first in an item, and its role."""
    if not ranked.answered[row]:
        return "", ""
    top = np.flatnonzero((ranked.above[row] == 0) & ranked.real[row])
    names = [base.candidates[row][place] for place in top]
    roles = dict.fromkeys(str(base.role[row, place]) for place in top)
    return " = ".join(names), " = ".join(role for role in roles if role)


# -- is it fair? ---------------------------------------------------------------------------------

SEEN = {"caption": "captions", "picture": "pictures", "keys": "answers made elsewhere"}


def warnings(runs: Sequence[Run], labels: Sequence[str]) -> Iterator[str]:
    """One sentence for each thing in which the runs' fingerprints differ and that matters."""
    yield from _sizes(runs, labels)
    gold = [run.meta["benchmark"].get("gold", "") for run in runs]
    sizes = {len(run.table) for run in runs}
    if len({g for g in gold if g}) > 1 and len(sizes) == 1:
        yield "Their gold differs; all are measured with the gold of one of them."
    looks = _by(labels, [SEEN.get(run.meta["model"].get("sees", ""), "") for run in runs])
    if "captions" in looks and "pictures" in looks:
        yield (
            f"Some read captions ({many(looks['captions'])}) and some see pictures "
            f"({many(looks['pictures'])}): a difference may be the input's, not the model's."
        )
    shots = {run.meta["benchmark"].get("pictures", "") for run in runs} - {""}
    if len(shots) > 1 and len(sizes) == 1:
        yield "The pictures they were shown differ in their bytes."
    asked = _by(labels, [run.prompt for run in runs])
    asked.pop("", None)
    if len(asked) > 1:
        yield f"They were asked in different words: {many(asked, most=4)}."
    for part in ("trope", "numpy"):
        used = _by(labels, [str(run.meta.get("versions", {}).get(part, "")) for run in runs])
        used.pop("", None)
        if len(used) > 1:
            yield f"They were made with different versions of {part}: {', '.join(sorted(used))}."
    named = [name for name, run in zip(labels, runs, strict=True) if _names_one(run)]
    if named:
        yield f"{many(named)} names one candidate and gives no order, so only top-1 is compared."
    twins = [who for who in _by(labels, [run.fingerprint for run in runs]).values() if len(who) > 1]
    for who in twins:
        yield f"{many(who)} are the same experiment: their fingerprints are equal."


def _sizes(runs: Sequence[Run], labels: Sequence[str]) -> Iterator[str]:
    most = max(len(run.table) for run in runs)
    sizes = [(label, len(run.table)) for label, run in zip(labels, runs, strict=True)]
    short = [(label, size) for label, size in sizes if size < most]
    for label, size in short[:3]:
        yield f"{shown(label)} was limited to the first {size} of {most} items."
    if len(short) > 3:
        yield f"{len(short) - 3} more runs were limited to the first items."
    gaps = [
        (label, int((~run.table.answered).sum()), len(run.table))
        for label, run in zip(labels, runs, strict=True)
        if not run.table.answered.all()
    ]
    for label, missing, size in gaps[:3]:
        yield (
            f"{shown(label)} has no answer to {missing} of {size} items; they are left out of its "
            "comparisons, not counted as wrong."
        )
    if len(gaps) > 3:
        yield f"{len(gaps) - 3} more runs have missing answers."


def _by(labels: Sequence[str], values: Sequence[str]) -> dict[str, list[str]]:
    """Value -> the runs that have it."""
    found: dict[str, list[str]] = {}
    for label, value in zip(labels, values, strict=True):
        found.setdefault(value, []).append(label)
    return found


def _names_one(run: Run) -> bool:
    return bool(run.meta["model"].get("answers") == "choice")


# -- numbers in sentences ------------------------------------------------------------------------


def _short(number: float) -> str:
    text = f"{number:.2f}"
    return text.replace("0.", ".", 1) if text.startswith("0.") else text


def _signed(number: float) -> str:
    text = f"{abs(number):.2f}"
    if text == "0.00":
        return "0"
    sign = "-" if number < 0 else "+"
    return sign + (text.removeprefix("0") if text.startswith("0.") else text)


def _small(p: float) -> str:
    if p < 0.001:
        return "< .001"
    return f"= {p:.3f}".replace("0.", ".", 1) if p < 1 else "= 1"


def _counted(n: int) -> str:
    return "1 item" if n == 1 else f"{n} items"


def _rounded(n: int) -> str:
    """Two figures are all such a forecast is worth."""
    if n < 100:
        return str(n)
    step = 10 ** (len(str(n)) - 2)
    return f"{math.ceil(n / step) * step:,}"
