"""`predictions:FILE`: answers made elsewhere, as a Ranker. What the file leaves out is missing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trope.address import Address
from trope.errors import InputError
from trope.hashes import file_hash
from trope.item import Benchmark, Item
from trope.read.submission import Answer, Answers, read_answers
from trope.read.systems import System
from trope.score.faces import Question, Ranker


def make(address: Address) -> Predictions:
    address.take({})
    if not address.rest:
        raise InputError("predictions needs a file: predictions:FILE.")
    return Predictions(Path(address.rest))


class Predictions(Ranker):
    """Reads its answers from a file."""

    sees = "keys"
    prompted = False
    cached = False

    def __init__(self, path: Path, *, complete: bool = False) -> None:
        self.path = path
        self.complete = complete
        self._answers = Answers({}, choice=False)

    def fingerprint(self) -> dict[str, str]:
        return {"name": "predictions", "weights": file_hash(self.path)}

    def prepare(self, benchmark: Benchmark) -> None:
        self._answers = read_answers(self.path, benchmark, complete=self.complete)
        self.choice = self._answers.choice

    def rank(self, questions: Sequence[Question]) -> list[list[float]]:
        return [list(self._answer(q.item).scores) for q in questions]

    def said(self, item: Item) -> str:
        return self._answer(item).said

    def _answer(self, item: Item) -> Answer:
        blank = Answer((float("nan"),) * len(item.candidates))
        return self._answers.by_item.get(item.id, blank)


class SystemAnswers(Predictions):
    """One system of a file that holds many; what it was asked with is known by name only."""

    prompted = True

    def __init__(self, path: Path, system: System) -> None:
        super().__init__(path)
        self.system = system
        self._answers = system.answers

    def fingerprint(self) -> dict[str, str]:
        return {**super().fingerprint(), "system": f"{self.system.model}|{self.system.prompt}"}

    def prepare(self, benchmark: Benchmark) -> None:
        """The answers were matched when the file was read."""
