"""Answers in words: right after normalisation, and how near they come otherwise.

What normalised means, `read/words.py` says. Nearness is any similarity the caller
brings (the cosine of a text embedder, say); no model is loaded here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from trope.measure.intervals import Estimate, graded, share
from trope.measure.resample import RESAMPLES
from trope.measure.ties import Floats
from trope.read.words import normalised

Similarity = Callable[[Sequence[tuple[str, str]]], Sequence[float]]
"""One number for each pair of an answer and a right answer, between -1 and 1."""


@dataclass(frozen=True)
class Asked:
    """A question with its right answers and the one that was given."""

    right: tuple[str, ...]
    answer: str | None
    """None where there is none: missing, not wrong. '' is an answer."""
    picture: str = ""
    """Questions on one picture rise and fall together."""
    part: str = ""
    """What was asked for; each part is also measured by itself."""


def matches(answer: str, right: Sequence[str]) -> bool:
    """Whether an answer is one of the right ones, both normalised."""
    return normalised(answer) in {normalised(text) for text in right}


def answered(
    asked: Sequence[Asked],
    *,
    similarity: Similarity | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Estimate]:
    """Accuracy over all questions and for each part, and the mean similarity to the nearest right
    answer where one is brought; intervals by picture."""
    pictures = np.asarray([one.picture for one in asked], dtype=object)
    right = np.array(
        [np.nan if one.answer is None else float(matches(one.answer, one.right)) for one in asked]
    )
    near = _nearest(asked, similarity) if similarity is not None else None
    found: dict[str, Estimate] = {}
    parts = np.asarray([one.part for one in asked], dtype=str)
    for part in ("", *sorted({one.part for one in asked} - {""})):
        inside = parts == part if part else np.ones(len(asked), dtype=bool)
        ending = f"_{part}" if part else ""
        own = share(right[inside], pictures[inside])
        found[f"accuracy{ending}"] = replace(own, missing=int(np.isnan(right[inside]).sum()))
        if near is not None:
            found[f"similarity{ending}"] = graded(
                near[inside], pictures[inside], low=-1.0, resamples=resamples, seed=seed
            )
    return found


def _nearest(asked: Sequence[Asked], similarity: Similarity) -> Floats:
    """Each answer's similarity to the right answer it is nearest to; NaN where it is missing."""
    pairs = [(one.answer, text) for one in asked if one.answer is not None for text in one.right]
    numbers = iter(similarity(pairs)) if pairs else iter(())
    values = [
        np.nan if one.answer is None else max(float(next(numbers)) for _ in one.right)
        for one in asked
    ]
    return np.clip(np.asarray(values, dtype=np.float64), -1.0, 1.0)
