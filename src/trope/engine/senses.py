"""Asks a scorer in which sense a phrase is meant, and names the better one.

A Judge or an Encoder is shown two texts, one a sense, and what comes before the candidates (the
sequence's strip, or the sentence); or the candidates themselves, of which the best counts. A
Ranker's numbers can't be compared between lists: it names a sense itself, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from trope.engine.plan import Planner
from trope.errors import InputError, unknown
from trope.item import Benchmark, Item, Sense
from trope.prompt.sense import WAYS, Senses, named
from trope.score.faces import Encoder, Judge, Question, Scorer

Ask = Callable[[list[Question]], list[NDArray[np.float64]]]


def choose_senses(benchmark: Benchmark, scorer: Scorer, way: str | None) -> Senses | None:
    """How the sense is named: as asked for; by itself only where the task wants a sense."""
    if way not in (None, "none", *WAYS):
        raise unknown("way to name a sense", str(way), [*WAYS, "none"])
    able = isinstance(scorer, Encoder | Judge) and scorer.sees in ("caption", "picture")
    if way is None:
        own = "judge" if scorer.asks else "better" if isinstance(scorer, Judge) else "encoder"
        way = own if able and scorer.prompted and benchmark.task == "completion" else "none"
    if way == "none":
        return None
    face = {"judge": Judge, "encoder": Encoder}.get(way)
    if not able or (face is not None and not isinstance(scorer, face)):
        raise InputError(
            f"--sense {way} can't be asked of the {scorer.face} that sees {scorer.sees}; "
            f"use {'--sense better' if able else '--sense none'}."
        )
    return Senses(way, asks=scorer.asks)


def name_senses(items: Sequence[Item], planner: Planner, senses: Senses, ask: Ask) -> list[str]:
    """The sense of each item, '' where none is named."""
    questions = []
    for item in items:
        shown = planner.question(item, "").contents if senses.on_candidates else ()
        contents = shown or (planner.sequence(item),)
        for sense in (Sense.idiomatic, Sense.literal):
            questions.append(Question(senses.text(item, sense), contents, item))
    best = [float(np.max(row)) if len(row) else np.nan for row in ask(questions)]
    return [named(best[i], best[i + 1]) for i in range(0, len(best), 2)]
