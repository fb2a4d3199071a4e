"""The AdMIRe shared task's own numbers, under its own names.

Subtask A: top-1 accuracy and DCG; subtask B: accuracy of the item and of the sentence type; each
over all items, the literal ones and the idiomatic ones. Its rank correlation runs over file names
and means nothing, so it isn't here; `kendall` is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trope.measure.ranking import DCG, DCG_GAINS, Top1
from trope.runs import Run

SLICES = {"all": "", "lit": "literal", "id": "idiomatic"}


def official(run: Run) -> dict[str, float]:
    """`acc_all`, `dcg_lit`, `item_id`, `sent_all`, and so on; a slice without items is absent.
    Only AdMIRe has such numbers."""
    table = run.table
    if not table.labelled or not run.benchmark.startswith("admire"):
        return {}
    if run.meta["benchmark"]["task"] == "completion":
        right = np.array([s == t for s, t in zip(table.said, table.senses, strict=True)], float)
        known = np.array([bool(sense) for sense in table.senses])
        named = any(table.said)
        columns = {
            "item": Top1()(table),
            "sent": np.where(known & named, right, np.nan),
        }
    else:
        columns = {"acc": Top1()(table), "dcg": DCG(gains=DCG_GAINS)(table)}
    senses = np.array(table.senses)
    numbers = {}
    for name, values in columns.items():
        for suffix, sense in SLICES.items():
            kept = values if not sense else values[senses == sense]
            kept = kept[np.isfinite(kept)]
            if kept.size:
                numbers[f"{name}_{suffix}"] = _mean(kept)
    return numbers


def _mean(values: NDArray[np.float64]) -> float:
    return float(values.sum() / values.size)
