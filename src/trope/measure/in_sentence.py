"""XMPIE in sentences: each sense measured where the sentence has it.

Without a sentence T1-I and T1-L ask which sense a model leans to, over all items. With one, the
idiomatic measures count on idiomatic sentences and the literal ones on literal sentences, and
the third number of each pair is over all, each item by its own sense (XMPIE, section 5.2).
"""

from __future__ import annotations

import numpy as np

from trope.measure.intervals import Estimate, graded, share
from trope.measure.ranking import (
    NDCG,
    XMPIE_IDIOMATIC,
    XMPIE_LITERAL,
    Measure,
    StrictTop2,
    TopRole,
)
from trope.measure.ties import Ranked
from trope.runs import Table

BY_SENSE: dict[str, dict[str, Measure]] = {
    "t1": {"idiomatic": TopRole("idiomatic"), "literal": TopRole("literal")},
    "t2": {
        "idiomatic": StrictTop2(("idiomatic", "idiomatic_related")),
        "literal": StrictTop2(("literal", "literal_related")),
    },
    "ndcg": {"idiomatic": NDCG(gains=XMPIE_IDIOMATIC), "literal": NDCG(gains=XMPIE_LITERAL)},
}


def in_sentence(table: Table) -> dict[str, Estimate]:
    """`in_sentence_t1`, `in_sentence_t1_idiomatic` and so on; empty where no sense is known."""
    senses = np.asarray(table.senses, dtype=str)
    if not (senses != "").any():
        return {}
    ranked, phrases = Ranked.of(table), np.asarray(table.phrases, dtype=object)
    found = {}
    for name, measures in BY_SENSE.items():
        all_of_it = np.full(len(senses), np.nan)
        for sense, measure in measures.items():
            own = senses == sense
            all_of_it[own] = measure.of(ranked)[own]
        for ending, mask in (
            ("", senses != ""),
            *((f"_{sense}", senses == sense) for sense in measures),
        ):
            if mask.any():
                estimate = share if measures["literal"].share else graded
                found[f"in_sentence_{name}{ending}"] = estimate(all_of_it[mask], phrases[mask])
    return found
