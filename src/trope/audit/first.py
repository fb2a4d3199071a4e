"""Which candidate a scorer puts first, as chances: level candidates share the place.

The other rooms of audit/ count with these chances, so nothing here or there depends on the
order of rows or on how a tie would have been broken.
"""

from __future__ import annotations

import numpy as np

from trope.measure.ties import Bools, Floats, Ranked


def first_place(ranked: Ranked) -> Floats:
    """The chance of each candidate to stand first; NaN in items without an answer."""
    top = (ranked.above == 0) & ranked.real
    chance = np.where(top, 1.0 / np.maximum(ranked.level, 1), 0.0)
    return np.where(ranked.answered[:, None], chance, np.nan)


def of_roles(ranked: Ranked, roles: tuple[str, ...]) -> Bools:
    """The candidates with one of these roles."""
    mask = np.zeros(ranked.real.shape, dtype=bool)
    for role in roles:
        mask |= ranked.is_role(role)
    return mask


def standardised(ranked: Ranked) -> Floats:
    """Scores less their item's mean, over their item's spread; 0 where all are level."""
    held = np.where(ranked.real & ranked.answered[:, None], ranked.score, np.nan)
    count = np.maximum(ranked.candidates, 1)[:, None]
    mean = np.nansum(held, axis=1, keepdims=True) / count
    apart = held - mean
    spread = np.sqrt(np.nansum(apart**2, axis=1, keepdims=True) / count)
    level = spread <= 1e-12 * np.maximum(1.0, np.abs(mean))
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled: Floats = np.where(level, apart * 0.0, apart / spread)
    return scaled
