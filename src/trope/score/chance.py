"""`random?seed=N`: what a scorer reaches that knows nothing. Each number hangs on the seed, the
item and the candidate alone, so neither order nor batch changes it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from trope.address import Address, whole
from trope.score import no_rest
from trope.score.faces import Question, Ranker


def make(address: Address) -> Random:
    no_rest(address)
    seed = address.take({"seed": "0"})["seed"]
    return Random(whole(address, "seed", seed))


class Random(Ranker):
    """Numbers from a hash."""

    sees = "nothing"
    prompted = False
    cached = False

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fingerprint(self) -> dict[str, str]:
        return {"name": "random", "seed": str(self.seed)}

    def rank(self, questions: Sequence[Question]) -> list[list[float]]:
        return [
            [self._number(q.item.id, candidate.id) for candidate in q.item.candidates]
            for q in questions
        ]

    def _number(self, item: str, candidate: str) -> float:
        text = f"{self.seed}\0{item}\0{candidate}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big") / 2**56
