"""What has to be asked: the items of a window, as texts, contents and pairs, each with a key.

A key stands for the bytes of what is shown (the words, the caption, the picture) and for nothing
else, so the same thing shown twice is computed once, in this run and in later ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trope.hashes import file_hash
from trope.item import Benchmark, Candidate, Item
from trope.prompt import Prompt
from trope.score.faces import Content, Picture, Question, Scorer

WINDOW = 512
"""Items planned at a time. Memory grows with the window and the batch, not with the benchmark."""


def windows(items: Sequence[Item], size: int = WINDOW) -> Iterator[range]:
    """The places of the items, a window at a time."""
    for start in range(0, len(items), size):
        yield range(start, min(start + size, len(items)))


@dataclass
class Planner:
    """Turns items into questions for one scorer."""

    benchmark: Benchmark
    scorer: Scorer
    prompt: Prompt | None
    hashes: dict[str, str]
    """Picture path -> sha256 of its bytes; filled as pictures are met."""

    def question(self, item: Item) -> Question:
        """What the scorer is shown for an item."""
        words = self.prompt.text(item) if self.prompt else ""
        return Question(
            text=self.scorer.text(item, words),
            contents=tuple(self._content(item, candidate) for candidate in item.candidates),
            item=item,
        )

    def _content(self, item: Item, candidate: Candidate) -> Content | None:
        sees = self.scorer.sees
        if sees == "caption":
            return item.caption(candidate)
        if sees == "picture":
            path = self.benchmark.picture(candidate)
            if path is None or candidate.image is None:
                return None
            if candidate.image not in self.hashes:
                self.hashes[candidate.image] = file_hash(path)
            return Picture(path, self.hashes[candidate.image])
        return self.scorer.key(item, candidate)


def key(model: bytes, kind: str, *parts: Content) -> bytes:
    """The cache's key for something shown to a model."""
    sha = hashlib.sha256(model)
    for part in (kind, *parts):
        data = part.encode() if isinstance(part, str) else bytes.fromhex(part.sha256)
        sha.update(len(data).to_bytes(8, "big") + data)
    return sha.digest()
