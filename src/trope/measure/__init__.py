"""From a run's score table to numbers, each with its doubt.

The rooms within: `ties` and `ranking` (values of each item), `choice` (named answers),
`intervals` and `resample` (how sure), `paired` (two runs on the same items), `power` (what a
benchmark can show), `summary` (all of it for one table). Names are loaded when first
used; no model library is ever loaded.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trope.measure.choice import MacroF1, macro_f1
    from trope.measure.intervals import (
        Estimate,
        bootstrap,
        clopper_pearson,
        graded,
        graded_columns,
        share,
        wilson,
    )
    from trope.measure.paired import (
        Pair,
        Paired,
        Ranks,
        Signed,
        compare_values,
        holm,
        mcnemar,
        paired_bootstrap,
        pairwise,
        rank_intervals,
        sign_flip,
        sign_flips,
        signed_bayes,
    )
    from trope.measure.power import items_needed, power_mcnemar, smallest_difference
    from trope.measure.ranking import (
        ADMIRE_GAINS,
        DCG,
        DCG_GAINS,
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
    from trope.measure.summary import by, measures_for, summarise
    from trope.measure.ties import Ranked

_HOMES = {
    "choice": ("MacroF1", "macro_f1"),
    "intervals": (
        "Estimate",
        "bootstrap",
        "clopper_pearson",
        "graded",
        "graded_columns",
        "share",
        "wilson",
    ),
    "paired": (
        "Pair",
        "Paired",
        "Ranks",
        "Signed",
        "compare_values",
        "holm",
        "mcnemar",
        "paired_bootstrap",
        "pairwise",
        "rank_intervals",
        "sign_flip",
        "sign_flips",
        "signed_bayes",
    ),
    "power": ("items_needed", "power_mcnemar", "smallest_difference"),
    "ranking": (
        "ADMIRE_GAINS",
        "DCG",
        "DCG_GAINS",
        "MRR",
        "NDCG",
        "XMPIE_IDIOMATIC",
        "XMPIE_LITERAL",
        "XMPIE_SYMMETRIC",
        "KendallTau",
        "Measure",
        "Precision",
        "StrictTop2",
        "Top1",
        "TopRole",
    ),
    "summary": ("by", "measures_for", "summarise"),
    "ties": ("Ranked",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOME)


__all__ = [
    "ADMIRE_GAINS",
    "DCG",
    "DCG_GAINS",
    "MRR",
    "NDCG",
    "XMPIE_IDIOMATIC",
    "XMPIE_LITERAL",
    "XMPIE_SYMMETRIC",
    "Estimate",
    "KendallTau",
    "MacroF1",
    "Measure",
    "Pair",
    "Paired",
    "Precision",
    "Ranked",
    "Ranks",
    "Signed",
    "StrictTop2",
    "Top1",
    "TopRole",
    "bootstrap",
    "by",
    "clopper_pearson",
    "compare_values",
    "graded",
    "graded_columns",
    "holm",
    "items_needed",
    "macro_f1",
    "mcnemar",
    "measures_for",
    "paired_bootstrap",
    "pairwise",
    "power_mcnemar",
    "rank_intervals",
    "share",
    "sign_flip",
    "sign_flips",
    "signed_bayes",
    "smallest_difference",
    "summarise",
    "wilson",
]
