"""Where failures fall: is a scorer drawn to the pictures of the words?

A model that reads an idiom word by word fails on the literal candidates, one that doesn't read
fails anywhere. Shares stand beside what blind choice among the wrong candidates would give. No
run is compared with another here, and no model is loaded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from trope.audit.first import first_place, of_roles, standardised
from trope.item import Role
from trope.measure.intervals import Estimate, effective_n, graded, wilson
from trope.measure.resample import codes
from trope.measure.ties import Bools, Floats, Ranked, some
from trope.runs import Run, Table

LITERAL = (
    Role.literal.value,
    Role.literal_related.value,
    Role.partial_literal.value,
    Role.figurative_literal.value,
)
"""Candidates that show the phrase's words, wholly or in part (AdMIRe's and IRFL's roles)."""
FIGURATIVE = (Role.idiomatic.value, Role.idiomatic_related.value, Role.figurative.value)
"""Candidates that show what the phrase means."""
POLES = (
    (Role.idiomatic.value, Role.figurative.value),
    (Role.literal.value, Role.partial_literal.value),
)
"""What the margin sets against each other: the meaning and the words."""


@dataclass(frozen=True, eq=False)
class Pull:
    """How often the failures on some items fall on candidates of the other sense."""

    items: int
    """Items of this sense that were answered and have gold and a candidate of the other sense."""
    failures: float
    """Of them wrong; a fraction where ties leave it open."""
    share: Estimate
    """Of the failures, those on the other sense's candidates."""
    chance: float
    """What blind choice among the wrong candidates of the same items would give."""
    excess: Estimate
    """The share above chance, with an interval by phrase."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "items": self.items,
            "failures": self.failures,
            "share": self.share.as_dict(),
            "chance": None if math.isnan(self.chance) else self.chance,
            "excess": self.excess.as_dict(),
        }


@dataclass(frozen=True, eq=False)
class Confusion:
    """Rows: the gold's role. Columns: the role put first. Counts, expected over ties."""

    roles: tuple[str, ...]
    counts: Floats

    def as_dict(self) -> dict[str, Any]:
        return {"roles": list(self.roles), "counts": self.counts.tolist()}


@dataclass(frozen=True, eq=False)
class LiteralPull:
    """What one run's failures look like."""

    label: str
    figurative: Pull
    """On items meant figuratively: failures on the words' pictures."""
    literal: Pull
    """On items meant literally: failures on the meaning's pictures."""
    margin: dict[str, Estimate]
    """By sense: how far the meaning stands above the words, in the item's standard deviations."""
    confusion: dict[str, Confusion]
    """By group: 'all', 'sense=literal', 'language=pt', 'kind=idiom'."""
    margins: Floats
    """One margin an item; NaN where there is none."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "run": self.label,
            "figurative": self.figurative.as_dict(),
            "literal": self.literal.as_dict(),
            "margin": {sense: value.as_dict() for sense, value in self.margin.items()},
            "confusion": {name: table.as_dict() for name, table in self.confusion.items()},
        }

    def sentences(self) -> list[str]:
        """What the numbers say."""
        lines = [
            _told(self.figurative, "meant figuratively", "a literal or partly literal candidate"),
            _told(self.literal, "meant literally", "a candidate of the idiomatic meaning"),
        ]
        for sense, estimate in self.margin.items():
            if estimate.n and sense in ("idiomatic", "literal"):
                lines.append(_leaning(sense, estimate))
        return [line for line in lines if line]


def literal_pull(run: Run, *, seed: int = 0) -> LiteralPull:
    """Where this run's failures fall, by sense, language and kind."""
    table = run.table
    ranked = Ranked.of(table)
    senses = meant(table, ranked)
    phrases = np.asarray(table.phrases, dtype=object)
    margins = _margins(ranked)
    return LiteralPull(
        label=run.label,
        figurative=_pull(ranked, senses == "idiomatic", LITERAL, phrases, seed),
        literal=_pull(ranked, senses == "literal", FIGURATIVE, phrases, seed),
        margin=dict(_by_sense(margins, ranked, senses, phrases, seed)),
        confusion=_confusions(table, ranked, senses),
        margins=margins,
    )


def meant(table: Table, ranked: Ranked) -> np.ndarray[Any, Any]:
    """The sense of each item; where none is given, that of its best candidate's role."""
    senses = np.asarray(table.senses, dtype="U9")
    unknown = senses == ""
    best = ranked.best
    # A right answer that is figurative and literal at once (IRFL) is meant figuratively.
    meaning = (*FIGURATIVE, Role.figurative_literal.value)
    is_figurative = (best & of_roles(ranked, meaning)).any(axis=1)
    is_literal = (best & of_roles(ranked, LITERAL)).any(axis=1) & ~is_figurative
    senses[unknown & is_figurative] = "idiomatic"
    senses[unknown & is_literal] = "literal"
    return senses


def _pull(
    ranked: Ranked, among: Bools, roles: tuple[str, ...], phrases: np.ndarray[Any, Any], seed: int
) -> Pull:
    wrong = ranked.real & ~ranked.best
    drawn = wrong & of_roles(ranked, roles)
    rows = among & ranked.answered & some(ranked.best) & some(drawn)
    first = np.nan_to_num(first_place(ranked))
    fails = np.sum(first, axis=1, where=wrong)
    pulled = np.sum(first, axis=1, where=drawn)
    blind = drawn.sum(axis=1) / np.maximum(wrong.sum(axis=1), 1)
    failing = rows & (fails > 1e-12)
    weight, phrase = fails[failing], phrases[failing]
    value = pulled[failing] / weight
    chance = float(weight @ blind[failing] / weight.sum()) if weight.size else math.nan
    excess = value - blind[failing]
    low = -float(blind[failing].max(initial=0.0)) if weight.size else -1.0
    high = 1.0 - float(blind[failing].min(initial=1.0)) if weight.size else 1.0
    return Pull(
        items=int(rows.sum()),
        failures=float(fails[rows].sum()),
        share=_weighted_share(value, weight, phrase),
        chance=chance,
        excess=graded(excess, phrase, low=low, high=high, seed=seed),
    )


def _weighted_share(values: Floats, weight: Floats, phrases: np.ndarray[Any, Any]) -> Estimate:
    """A share of failures, by Wilson; items that fail in some tie orders only count in part."""
    n = len(values)
    if n == 0:
        return Estimate(math.nan, 0.0, 1.0, 0, 0, "wilson")
    mean = float(np.clip(weight @ values / weight.sum(), 0.0, 1.0))
    cluster, count = codes(phrases, n)
    worth = effective_n(values, cluster, count) * float(weight.sum() ** 2 / (weight @ weight)) / n
    low, high = wilson(mean * worth, worth)
    method = "wilson" if count == n else "wilson, by phrase"
    return Estimate(mean, min(low, mean), max(high, mean), n, 0, method)


def _margins(ranked: Ranked) -> Floats:
    """Mean standardised score of the meaning's candidates less that of the words'."""
    scores = np.nan_to_num(standardised(ranked))
    meaning, words = (of_roles(ranked, roles) for roles in POLES)
    both = meaning.any(axis=1) & words.any(axis=1) & ranked.answered

    def mean(mask: Bools) -> Floats:
        total: Floats = np.sum(scores, axis=1, where=mask) / np.maximum(mask.sum(axis=1), 1)
        return total

    return np.where(both, mean(meaning) - mean(words), np.nan)


def _by_sense(
    margins: Floats,
    ranked: Ranked,
    senses: np.ndarray[Any, Any],
    phrases: np.ndarray[Any, Any],
    seed: int,
) -> Iterator[tuple[str, Estimate]]:
    # Two of k standardised scores are furthest apart at the ends with the others in the middle.
    widest = math.sqrt(2 * max(int(ranked.candidates.max(initial=1)), 1))
    for sense in ("idiomatic", "literal"):
        inside = (senses == sense) & np.isfinite(margins)
        if inside.any():
            values, phrase = margins[inside], phrases[inside]
            yield sense, graded(values, phrase, low=-widest, high=widest, seed=seed)


def confusion(ranked: Ranked, roles: tuple[str, ...], rows: Bools) -> Confusion:
    """Gold role against the role put first, on some items."""
    first = np.nan_to_num(first_place(ranked)) * rows[:, None]
    best = ranked.best / np.maximum(ranked.best.sum(axis=1), 1)[:, None]
    gold = np.stack([np.sum(best, axis=1, where=ranked.is_role(role)) for role in roles])
    put = np.stack([np.sum(first, axis=1, where=ranked.is_role(role)) for role in roles])
    return Confusion(roles, gold @ put.T)


def _confusions(table: Table, ranked: Ranked, senses: np.ndarray[Any, Any]) -> dict[str, Confusion]:
    present = set(np.unique(ranked.role[ranked.real]).tolist())
    roles = tuple(role.value for role in Role if role.value in present)
    if not roles:
        return {}
    found = {"all": confusion(ranked, roles, np.ones(len(table), dtype=bool))}
    groups = {"sense": senses, "language": table.languages, "kind": table.kinds}
    for name, labels in groups.items():
        given = np.asarray(labels, dtype=str)
        for label in np.unique(given):
            if label:
                found[f"{name}={label}"] = confusion(ranked, roles, given == label)
    return found


def _told(pull: Pull, meant_how: str, where: str) -> str:
    if not pull.items:
        return ""
    if pull.failures < 1e-9:
        return f"None of the {pull.items} items {meant_how} went wrong."
    share, chance = pull.share, pull.chance
    verdict = "no more than blind choice would explain"
    if pull.excess.low > 0:
        verdict = "more than blind choice explains"
    elif pull.excess.high < 0:
        verdict = "less than blind choice would give"
    return (
        f"Of {pull.failures:.4g} failures on {pull.items} items {meant_how}, {share.value:.0%} "
        f"({share.low:.0%} to {share.high:.0%}) fall on {where}; choosing blindly among the wrong "
        f"ones gives {chance:.0%}: {verdict}."
    )


def _leaning(sense: str, margin: Estimate) -> str:
    side = "above" if margin.value >= 0 else "below"
    sure = "" if margin.low > 0 or margin.high < 0 else ", which may be chance"
    return (
        f"On {sense} items the meaning's candidate stands {abs(margin.value):.2f} standard "
        f"deviations {side} the words' ({margin.low:.2f} to {margin.high:.2f}){sure}."
    )
