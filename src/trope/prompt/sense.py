"""Is the phrase meant idiomatically or literally? The two texts, one a sense, that settle it.

The sense whose text scores higher is the one that is named; where both score the same, or an
answer is missing, none is. Asking is the engine's part; the ways it may ask are named here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from trope.item import Item, Sense
from trope.prompt.template import Prompt

# Ours: the papers ask for the sense but give no wording.
QUESTIONS: dict[Sense, str] = {
    Sense.idiomatic: (
        'Does this figure show the figurative meaning of "{phrase}"? Please answer yes or no.'
    ),
    Sense.literal: (
        'Does this figure show the literal meaning of "{phrase}"? Please answer yes or no.'
    ),
}
STATEMENTS: dict[Sense, str] = {
    Sense.idiomatic: "the figurative meaning of {phrase}",
    Sense.literal: "a real {phrase}, literally",
}

WAYS: dict[str, str] = {
    "judge": "a judge is asked of each sense whether the sequence (or sentence) shows it",
    "encoder": "the sense whose text is nearer to the sequence (or sentence)",
    "better": "the sense whose best candidate scores higher",
}


@dataclass(frozen=True)
class Senses:
    """How a sense is named."""

    way: str
    asks: bool
    """Whether the model is asked questions, rather than shown statements."""

    @property
    def templates(self) -> dict[Sense, str]:
        return QUESTIONS if self.asks else STATEMENTS

    @property
    def on_candidates(self) -> bool:
        """Whether the candidates are looked at, rather than what comes before them."""
        return self.way == "better"

    def text(self, item: Item, sense: Sense) -> str:
        """What stands for a sense of the item's phrase."""
        return Prompt(f"sense {sense}", self.templates[sense]).text(item)

    def record(self) -> dict[str, str]:
        """What run.json says of it."""
        return {"way": self.way, **{sense.value: text for sense, text in self.templates.items()}}


def named(idiomatic: float, literal: float) -> str:
    """The sense that scored higher; '' where there is none.

    >>> named(0.7, 0.2), named(0.2, 0.2), named(math.nan, 0.1)
    ('idiomatic', '', '')
    """
    if not (math.isfinite(idiomatic) and math.isfinite(literal)) or idiomatic == literal:
        return ""
    return (Sense.idiomatic if idiomatic > literal else Sense.literal).value
