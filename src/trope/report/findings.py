"""What a report says of its runs: numbers with their doubt, and sentences made from them.

A pure function of score tables. A sentence here claims a difference only where a paired test,
corrected for the number of comparisons, defends it. No page and no plot is made here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from trope.audit.first import first_place
from trope.audit.literal_pull import LiteralPull, literal_pull
from trope.errors import InputError, TropeError, many, shown
from trope.item import GOLD_ORDER, Role, Sense
from trope.measure.binary import THRESHOLD
from trope.measure.compare import ALPHA, MOST, Versus, compare, labels_of, warnings
from trope.measure.intervals import Estimate
from trope.measure.paired import Pair, holm, pairwise, rank_intervals
from trope.measure.summary import measures_for, summarise
from trope.measure.ties import Floats, Ranked
from trope.report.table import estimates, main_columns, number, with_interval
from trope.runs import Run, Table

LISTED = 4
"""Runs named in a sentence before the rest is counted."""


@dataclass(frozen=True)
class Row:
    """One run on the leaderboard."""

    run: int
    label: str
    rank: int
    low_rank: int
    high_rank: int
    measures: dict[str, Estimate]
    missing: int

    def value(self, measure: str) -> float:
        """The measure's value; below every value where there is none."""
        found = self.measures.get(measure)
        return -math.inf if found is None or math.isnan(found.value) else found.value

    @property
    def ranks(self) -> str:
        """The rank and those it may have; a dash where the measure isn't one of single items."""
        if self.rank == 0:
            return "–"
        if self.low_rank == self.high_rank:
            return str(self.rank)
        return f"{self.rank} ({self.low_rank}–{self.high_rank})"


@dataclass(frozen=True)
class Difference:
    """One run less another, on the items both answered."""

    run: int
    other: int
    label: str
    """Of the first."""
    estimate: Estimate
    p: float
    """After Holm's correction."""
    plain: float
    """p before it."""
    better: int
    """Items on which the first did better."""
    worse: int
    test: str
    needed: int | None
    """About how many items would settle a difference of this size."""

    @property
    def verdict(self) -> str:
        if self.estimate.n == 0:
            return "no item in common"
        if self.better == self.worse == 0:
            return "the same on every item"
        if self.p > ALPHA:
            return "no difference shown"
        return "better" if self.estimate.value > 0 else "worse"


@dataclass(frozen=True)
class FirstRoles:
    """How often each role came first, on the items of one sense."""

    sense: str
    """'' where items have none."""
    roles: tuple[str, ...]
    gold: tuple[str, ...]
    """Roles that are right on these items."""
    shares: tuple[tuple[float, ...], ...]
    """One row a run; NaN where it answered none."""
    answered: tuple[int, ...]


class Findings:
    """Everything a report says, computed when it is first asked for."""

    def __init__(self, runs: Sequence[Run], *, baseline: str | None = None) -> None:
        check_alike(runs)
        self.runs = list(runs)
        self.labels = labels_of(runs)
        self.table = runs[0].table
        self._baseline = baseline

    @cached_property
    def ranked(self) -> list[Ranked]:
        return [Ranked.of(run.table) for run in self.runs]

    @cached_property
    def measures(self) -> list[dict[str, Estimate]]:
        return [estimates(run) if run.table.labelled else {} for run in self.runs]

    @cached_property
    def labelled(self) -> bool:
        """Whether anything can be measured."""
        return any(self.measures)

    @cached_property
    def yes_or_no(self) -> bool:
        """Whether an item is one candidate and a question about it, with nothing to order."""
        return bool(self.runs[0].meta["benchmark"]["task"] == "classification")

    @cached_property
    def headings(self) -> dict[str, str]:
        """The measures this benchmark is told by, and what they are called."""
        return main_columns(self.runs[0])

    @cached_property
    def headline(self) -> str:
        """The measure that runs are ranked and compared by; '' where there is none."""
        names = [*self.headings, *dict.fromkeys(name for m in self.measures for name in m)]
        return next((name for name in names if any(name in m for m in self.measures)), "")

    @cached_property
    def values(self) -> Floats:
        """The headline for each run (row) and item (column); NaN missing, or not of one item."""
        if self.yes_or_no:
            return np.stack([_agrees(run.table) for run in self.runs])
        measure = next((m for m in measures_for(self.table) if m.name == self.headline), None)
        if measure is None:
            return np.full((len(self.runs), len(self.table)), np.nan)
        return np.stack([measure.of(ranked) for ranked in self.ranked])

    @cached_property
    def chance(self) -> dict[str, float]:
        """Every measure's expected value for a scorer that can't tell the candidates apart."""
        if not self.labelled or self.yes_or_no:
            return {"auc": 0.5} if self.yes_or_no else {}
        level = self.table.with_scores(np.where(self.table.real, 0.0, np.nan))
        return {name: e.value for name, e in summarise(level, resamples=2).items()}

    @cached_property
    def rows(self) -> list[Row]:
        """The leaderboard, best first; runs that are level keep the order given."""
        missing = [int((~run.table.answered).sum()) for run in self.runs]
        ranks = np.zeros((3, len(self.runs)), dtype=int)
        if np.isfinite(self.values).any():
            found = rank_intervals(self.values, self._phrases)
            ranks = np.stack([found.rank, found.low, found.high])
        rows = [
            Row(i, label, int(rank), int(low), int(high), self.measures[i], missing[i])
            for i, (label, (rank, low, high)) in enumerate(zip(self.labels, ranks.T, strict=True))
        ]
        return sorted(rows, key=lambda row: (row.rank, -row.value(self.headline)))

    @cached_property
    def span(self) -> tuple[float, float]:
        """The headline's axis: 0 to 1, wider where its values are."""
        found = [m[self.headline] for m in self.measures if self.headline in m]
        low = min((e.low for e in found), default=0.0)
        high = max((e.high for e in found), default=1.0)
        return (-1.0 if low < 0 else 0.0), float(max(1, math.ceil(high)))

    @cached_property
    def _phrases(self) -> NDArray[np.object_] | None:
        """What is resampled together; a yes-or-no question is the same for all items."""
        return None if self.yes_or_no else np.asarray(self.table.phrases, dtype=object)

    @cached_property
    def baseline(self) -> int:
        """The run that the others are held against: the one asked for, or the best."""
        if self._baseline is None:
            return self.rows[0].run
        for i, run in enumerate(self.runs):
            if self._baseline in (self.labels[i], run.label, run.model):
                return i
        raise InputError(
            f"The baseline {shown(self._baseline)} is none of the runs: {many(self.labels)}."
        )

    @cached_property
    def differences(self) -> list[Difference]:
        """Each other run less the baseline. The best is known only after looking, so then Holm
        counts every pair of runs; a baseline that was named counts those against it alone."""
        if (np.isfinite(self.values).sum(axis=0) < 2).all():
            return []
        base = self.baseline
        seen = [d for d in self._pairs if base in (d.run, d.other)]
        adjusted = [d.p for d in seen]
        if self._baseline is not None:
            adjusted = holm([d.plain for d in seen]).tolist()
        held = [replace(self._less(d, base), p=p) for d, p in zip(seen, adjusted, strict=True)]
        found = {d.run: d for d in held}
        return [found[row.run] for row in self.rows if row.run in found]

    def _less(self, d: Difference, base: int) -> Difference:
        """The pair seen from the run that isn't the baseline."""
        if d.other == base:
            return d
        e = d.estimate
        return replace(
            d,
            run=d.other,
            other=d.run,
            label=self.labels[d.other],
            estimate=Estimate(-e.value, -e.high, -e.low, e.n, e.missing, e.method),
            better=d.worse,
            worse=d.better,
        )

    @cached_property
    def _pairs(self) -> list[Difference]:
        """Every pair of runs under the headline."""
        found: list[tuple[int, int, Pair | Versus, str, int | None]]
        if self.yes_or_no:
            found = [(q.first, q.second, q, "sign flip", None) for q in pairwise(self.values)]
        else:
            pairs = compare(self.runs, measures=[self.headline]).pairs
            found = [(v.a, v.b, v, v.test, v.needed) for v in pairs]
        return [
            Difference(
                run=a,
                other=b,
                label=self.labels[a],
                estimate=pair.difference,
                p=pair.holm,
                plain=pair.p,
                better=pair.wins,
                worse=pair.losses,
                test=test,
                needed=needed,
            )
            for a, b, pair, test, needed in found
        ]

    @cached_property
    def warnings(self) -> list[str]:
        """In what the runs differ beside the model."""
        return list(warnings(self.runs, self.labels)) if len(self.runs) > 1 else []

    @cached_property
    def family(self) -> int:
        """How many comparisons Holm's correction counts."""
        k = len(self.runs)
        return k - 1 if self._baseline is not None else k * (k - 1) // 2

    @cached_property
    def first_roles(self) -> list[FirstRoles]:
        """Which role came first, by sense."""
        present = set(np.unique(self.table.role[self.table.real]).tolist()) - {""}
        senses = [s for s in (*(s.value for s in Sense), "") if s in self.table.senses]
        if not present or self.yes_or_no:
            return []
        return [self._first_roles(sense, present) for sense in senses]

    def _first_roles(self, sense: str, present: set[str]) -> FirstRoles:
        inside = np.asarray(self.table.senses, dtype=str) == sense
        roles = tuple(role for role in _role_order(sense) if role in present)
        ranked = self.ranked[0]
        gold = ranked.best[inside]
        right = tuple(r for r in roles if (ranked.is_role(r)[inside] & gold).any())
        shares, answered = [], []
        for ranked in self.ranked:
            rows = inside & ranked.answered
            first = first_place(ranked)[rows]
            answered.append(int(rows.sum()))
            shares.append(
                tuple(
                    float(first[ranked.is_role(role)[rows]].sum() / rows.sum())
                    if rows.any()
                    else math.nan
                    for role in roles
                )
            )
        return FirstRoles(sense, roles, right, tuple(shares), tuple(answered))

    @cached_property
    def pulls(self) -> list[LiteralPull]:
        """Where each run's failures fall; empty where no item tells meaning from words."""
        if not self.labelled or self.yes_or_no:
            return []
        found = [literal_pull(run) for run in self.runs]
        return found if any(pull.figurative.items or pull.literal.items for pull in found) else []

    @cached_property
    def summary(self) -> list[str]:
        """The whole in plain words, one paragraph each."""
        if not self.labelled:
            told = [
                self._of_items(),
                "There is no gold, so nothing is measured here: the report "
                "shows which order each run gave, not whether it is right.",
            ]
        else:
            told = [self._of_items(), self._of_best(), self._of_lead(), self._of_halves()]
        return [sentence for sentence in [*told, self._of_missing()] if sentence]

    def _of_items(self) -> str:
        table, runs = self.table, len(self.runs)
        counts = Counter(table.senses)
        halves = ", ".join(f"{counts[s.value]} {s.value}" for s in Sense if counts[s.value])
        phrases = len(set(zip(table.languages, table.phrases, strict=True)))
        text = (
            f"{_count(runs, 'run')} on {_count(len(table), 'item')} of {_count(phrases, 'phrase')}"
            + (f" ({halves})." if halves else ".")
        )
        if self.headline == "top1":
            text += (
                " Choosing blindly puts the right candidate first on "
                f"{number(self.chance['top1'])} of the items."
            )
        return text

    def _of_best(self) -> str:
        best, level = self.rows[0], [row for row in self.rows if row.rank == 1]
        top = best.measures.get(self.headline)
        if top is None or math.isnan(top.value):
            return "No run answered an item that has gold."
        reached = f"the right candidate first on {told(top)} of the items it answered"
        if self.headline != "top1":
            reached = f"{self.headings.get(self.headline, self.headline)} {told(top)}"
        if len(level) > 1 and np.isfinite(self.values).any():
            text = f"{_listed([row.label for row in level])} are level at the top: {reached}."
        elif len(self.rows) > 1:
            text = f"“{best.label}” stands highest: {reached}."
        else:
            text = f"“{best.label}”: {reached}."
        chance = self.chance.get(self.headline, math.nan)
        if top.low > chance:
            return text + " The interval lies above blind choice."
        if top.high < chance:
            return text + " The interval lies below blind choice."
        if math.isnan(chance):
            return text
        return text + " The interval holds blind choice, so these items don’t tell it from that."

    def _of_lead(self) -> str:
        if not self.differences:
            return ""
        base = f"“{self.labels[self.baseline]}”"
        worse = [d for d in self.differences if d.verdict == "worse"]
        better = [d for d in self.differences if d.verdict == "better"]
        open_ = [d for d in self.differences if d not in worse and d not in better]
        parts = []
        if better:
            parts.append(f"{_listed([d.label for d in better])} did better than {base}")
        if worse:
            hold = "hold" if len(worse) > 1 else "holds"
            parts.append(
                f"the lead of {base} over {_listed([d.label for d in worse])} {hold} "
                "in the paired tests"
            )
        if open_:
            names = _listed([d.label for d in open_])
            parts.append(f"these items don’t tell {names} from {base}")
        text = "; ".join(parts)
        text = text[0].upper() + text[1:] + "."
        return text + self._of_need(open_)

    def _of_need(self, open_: list[Difference]) -> str:
        """How many items would settle the nearest question left open."""
        for d in open_:
            if d.needed is not None and d.needed > d.estimate.n:
                about = f"about {_rounded(d.needed)}" if d.needed <= MOST else f"over {MOST:,}"
                size = number(abs(d.estimate.value))
                return f" A difference like that from “{d.label}” ({size}) needs {about} items."
        return ""

    def _of_halves(self) -> str:
        best = self.rows[0]
        halves = [best.measures.get(f"top1_{sense}") for sense in Sense]
        idiomatic, literal = halves
        if idiomatic is None or literal is None or not idiomatic.n or not literal.n:
            return ""
        text = (
            f"On idiomatic items “{best.label}” reaches {told(idiomatic)}, "
            f"on literal ones {told(literal)}"
        )
        # Intervals that don't meet differ even when the two halves pull against each other.
        if idiomatic.low > literal.high or literal.low > idiomatic.high:
            easier = "idiomatic" if idiomatic.value > literal.value else "literal"
            text += f": the {easier} half is easier for it."
        else:
            text += "; the intervals meet, so these items don’t show that the halves differ."
        return text + self._of_pull()

    def _of_pull(self) -> str:
        if not self.pulls:
            return ""
        pull = self.pulls[self.rows[0].run].figurative
        if not pull.failures or pull.excess.n == 0 or pull.excess.low <= 0:
            return ""
        return (
            f" Where it fails on an idiom, {pull.share.value:.0%} of the failures fall on pictures "
            f"of the words, more than the {pull.chance:.0%} of blind choice."
        )

    def _of_missing(self) -> str:
        gaps = [row for row in self.rows if row.missing]
        if not gaps:
            return "No answer is missing."
        listed = ", ".join(f"“{row.label}” ({row.missing})" for row in gaps[:LISTED])
        rest = f" and {len(gaps) - LISTED} more runs" if len(gaps) > LISTED else ""
        return (
            f"Answers are missing, and left out, not counted as wrong: {listed}{rest}, "
            f"of {_count(len(self.table), 'item')}."
        )


def told(estimate: Estimate | None) -> str:
    """`.314 (.22–.43)`, with a minus as wide as a plus."""
    return with_interval(estimate).replace("-", "−")


def check_alike(runs: Sequence[Run]) -> None:
    """Refuse runs that can't stand in one report."""
    if not runs:
        raise InputError("There is no run to report; give at least one.")
    first = runs[0]
    for run in runs[1:]:
        ours, theirs = first.meta["benchmark"], run.meta["benchmark"]
        if ours["name"] != theirs["name"]:
            raise TropeError(
                f"{run.label} ran on {shown(theirs['name'])} and {first.label} on "
                f"{shown(ours['name'])}; report one benchmark at a time."
            )
        same = ours.get("hash") == theirs.get("hash") and first.table.items == run.table.items
        if not same or first.table.candidates != run.table.candidates:
            raise TropeError(
                f"{run.label} and {first.label} ran on different versions or parts of "
                f"{shown(ours['name'])}; run them again on the same items."
            )
        if ours.get("gold") != theirs.get("gold"):
            raise TropeError(
                f"{run.label} and {first.label} were measured against different gold; "
                "run them again with the same."
            )


def _agrees(table: Table) -> Floats:
    """1 where a yes or a no is the gold's; NaN where it is missing, or no probability."""
    score, gold = table.score[:, 0], table.gain[:, 0]
    known = np.isfinite(score) & np.isfinite(gold)
    if not known.any() or score[known].min() < 0 or score[known].max() > 1:
        return np.full(len(score), np.nan)
    return np.where(known, (score >= THRESHOLD) == (gold > 0), np.nan)


def _role_order(sense: str) -> list[str]:
    """The gold order of the sense, then every other role."""
    first = GOLD_ORDER[Sense(sense or "idiomatic")]
    return [role.value for role in (*first, *(r for r in Role if r not in first))]


def _rounded(n: int) -> str:
    """Two figures are all such a forecast is worth."""
    step = 10 ** max(len(str(n)) - 2, 0)
    return f"{math.ceil(n / step) * step:,}"


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}" + ("" if n == 1 else "s")


def _listed(names: list[str]) -> str:
    head = [f"“{name}”" for name in names[:LISTED]]
    if len(names) > LISTED:
        return f"{', '.join(head)} and {len(names) - LISTED} more"
    return " and ".join([", ".join(head[:-1]), head[-1]]) if len(head) > 1 else head[0]
