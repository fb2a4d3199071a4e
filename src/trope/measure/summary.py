"""A run's score table in numbers: every measure its gold allows, each with an interval.

This is where a table's gold decides which measures make sense, and where the resampling is
shared between them. It never compares runs and never loads a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from trope.measure.choice import MacroF1
from trope.measure.intervals import Estimate, graded_from, share
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
from trope.measure.resample import RESAMPLES, codes, resampled_both
from trope.measure.ties import Bools, Floats, Ints, Ranked

if TYPE_CHECKING:
    from trope.runs import Table

FIVE_ROLES = ("idiomatic", "idiomatic_related", "literal_related", "literal", "distractor")
SENSES = ("idiomatic", "literal")
SLICED = ("top1", "dcg", "ndcg")
"""Measures also given for each sense of its own."""

XMPIE: tuple[Measure, ...] = (
    TopRole("idiomatic", name="xmpie_t1_idiomatic"),
    TopRole("literal", name="xmpie_t1_literal"),
    StrictTop2(("idiomatic", "idiomatic_related"), name="xmpie_t2_idiomatic"),
    StrictTop2(("literal", "literal_related"), name="xmpie_t2_literal"),
    NDCG(gains=XMPIE_IDIOMATIC, name="xmpie_ndcg_idiomatic"),
    NDCG(gains=XMPIE_LITERAL, name="xmpie_ndcg_literal"),
    NDCG(gains=XMPIE_SYMMETRIC, name="xmpie_ndcg_symmetric"),
)
"""The measures of XMPIE's section 5.2, by role, whatever the item's sense."""


def measures_for(table: Table) -> list[Measure]:
    """The measures this table's gold allows, under the names that `summarise` uses."""
    return _measures(Ranked.of(table))


def _measures(ranked: Ranked) -> list[Measure]:
    """Five roles: AdMIRe's and XMPIE's. One right candidate: top-1 and MRR. Several right:
    also precision. Graded gold: also NDCG, Kendall and the strict top two."""
    found: list[Measure] = []
    roles = _five_roles(ranked)
    five = bool(np.all(roles | ~ranked.has_gold)) and bool(np.any(roles))
    if bool(ranked.best.any()):
        found += [Top1()]
        found += [DCG()] if five else []
        graded = five or _is_graded(ranked)
        if graded:
            found += [NDCG(gains=ADMIRE_GAINS if five else None, name="ndcg")]
        found += [MRR()]
        if graded:
            found += [StrictTop2(), KendallTau()]
        elif bool(np.any(ranked.best.sum(axis=1) > 1)):
            found += [Precision(name="precision")]
    return [*found, *XMPIE] if bool(np.any(roles)) else found


def _five_roles(ranked: Ranked) -> Bools:
    """The items that are a ranking of AdMIRe's five roles, one of each."""
    five: Bools = ranked.candidates == len(FIVE_ROLES)
    for role in FIVE_ROLES:
        five = five & (ranked.is_role(role).sum(axis=1) == 1)
    return five


def _is_graded(ranked: Ranked) -> bool:
    """Whether the gold knows more than right and wrong for some item."""
    gold = ranked.has_gold
    _, level = ranked.gold_places
    tiers = np.sum(np.where(ranked.real, 1.0 / np.maximum(level, 1), 0.0), axis=1)
    return bool(np.any(gold & (tiers > 2.5)))


@dataclass(frozen=True)
class _Slice:
    """One column of the summary: a measure's values on some of the items."""

    key: str
    measure: Measure
    values: Floats
    due: Bools
    """Items that should have a value: in the slice, with gold for it."""
    span: tuple[float, float]

    def missing(self) -> int:
        return int(np.sum(self.due & np.isnan(self.values)))


def _slices(ranked: Ranked, senses: np.ndarray[Any, Any]) -> list[_Slice]:
    """Every measure on all items, and some on each sense alone."""
    found = []
    for measure in _measures(ranked):
        values, due = measure.of(ranked), measure.defined(ranked)
        span = measure.span(ranked)
        found.append(_Slice(measure.name, measure, values, due, span))
        if measure.name not in SLICED:
            continue
        for sense in SENSES:
            inside = senses == sense
            if bool(np.any(inside & due)):
                key = f"{measure.name}_{sense}"
                part = np.where(inside, values, np.nan)
                found.append(_Slice(key, measure, part, due & inside, span))
    return found


def summarise(table: Table, *, resamples: int = RESAMPLES, seed: int = 0) -> dict[str, Estimate]:
    """Every measure the gold allows, each with its interval; empty where there is no gold.

    Shares of right answers get Wilson's interval, graded measures the one of `graded`, both
    by phrase. `missing` counts the items that have gold for the measure and no answer.
    """
    phrase, count = codes(np.asarray(table.phrases, dtype=object), len(table.phrases))
    slices = _slices(Ranked.of(table), np.asarray(table.senses, dtype=str))
    found = {
        s.key: replace(share(s.values, phrase), missing=s.missing())
        for s in slices
        if s.measure.share
    }
    found |= _drawn(table, slices, phrase, count, resamples=resamples, seed=seed)
    return {key: found[key] for key in [*(s.key for s in slices), "macro_f1"] if key in found}


def _drawn(
    table: Table, slices: list[_Slice], phrase: Ints, count: int, *, resamples: int, seed: int
) -> dict[str, Estimate]:
    """The graded slices and macro F1, all from the same draws."""
    columns = [s for s in slices if not s.measure.share]
    named = MacroF1().sums(table.senses, table.said, phrase, count)
    if not columns and not named.size:
        return {}
    matrix = np.array([s.values for s in columns]).reshape(len(columns), len(phrase)).T
    _, means, sums = resampled_both(matrix, named, phrase, count, resamples=resamples, seed=seed)
    estimates = graded_from(matrix, phrase, count, means, [s.span for s in columns])
    found = {
        s.key: replace(e, missing=s.missing()) for s, e in zip(columns, estimates, strict=True)
    }
    if named.size:
        found["macro_f1"] = MacroF1().estimate_from(table.senses, table.said, named, sums)
    return found


def by(
    table: Table,
    column: Literal["language", "sense", "kind"],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, dict[str, Estimate]]:
    """`summarise` for each language, sense or kind; '' is left out."""
    columns: Mapping[str, list[str]] = {
        "language": table.languages,
        "sense": table.senses,
        "kind": table.kinds,
    }
    labels = np.asarray(columns[column], dtype=str)
    return {
        str(label): summarise(table.take(labels == label), resamples=resamples, seed=seed)
        for label in np.unique(labels)
        if label
    }
