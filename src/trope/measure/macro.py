"""Several languages: each measure in each language, and its macro average over them.

A macro average counts each language once, however many items it has. Its interval is put
together from the languages' own (method of variance estimates recovery: Zou and Donner, 2008),
so it keeps their lean and never shrinks to a point while they don't. No run is compared here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from trope.measure.intervals import Estimate
from trope.measure.summary import summarise

if TYPE_CHECKING:
    from trope.runs import Table

METHOD = "mean of the languages, intervals joined by recovered variances"


def by_language(
    table: Table, measured: Callable[[Table], dict[str, Estimate]] = summarise
) -> dict[str, dict[str, Estimate]]:
    """Every measure in each language; empty where there is one language only."""
    languages = np.asarray(table.languages, dtype=str)
    names = sorted(set(table.languages))
    if len(names) < 2:
        return {}
    return {name: measured(table.take(languages == name)) for name in names}


def macro(languages: Mapping[str, Mapping[str, Estimate]]) -> dict[str, Estimate]:
    """The plain mean over languages of each measure that all of them have."""
    if not languages:
        return {}
    tables = list(languages.values())
    names = [name for name in tables[0] if all(name in table for table in tables)]
    return {name: mean([table[name] for table in tables]) for name in names}


def mean(parts: list[Estimate]) -> Estimate:
    """The mean of independent estimates, with an interval.

    >>> print(mean([Estimate(0.2, 0.1, 0.4, 9, 0, ""), Estimate(0.4, 0.3, 0.5, 9, 0, "")]))
    .300 (.229 to .412)
    """
    k = len(parts)
    value = math.fsum(part.value for part in parts) / k
    below = math.sqrt(math.fsum((part.value - part.low) ** 2 for part in parts)) / k
    above = math.sqrt(math.fsum((part.high - part.value) ** 2 for part in parts)) / k
    return Estimate(
        value,
        value - below,
        value + above,
        n=sum(part.n for part in parts),
        missing=sum(part.missing for part in parts),
        method=METHOD,
    )
