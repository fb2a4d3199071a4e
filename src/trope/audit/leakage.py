"""What a test set shares with a training set: phrases, pictures, captions, sentences.

Pictures are matched by their bytes and by how they look, for the same picture is often released
again under another name, size or format. Leakage isn't always a fault: a learner that never saw
the training set gains nothing from it. So everything is listed and nothing is removed.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from trope.audit.look import Glances, glances, near
from trope.item import Benchmark

DISTANCE = 6
"""Bits of 64 in which the hashes of one picture may differ after scaling and compression."""
ALIKE = 0.95
"""The least correlation of the thumbnails; without it plain drawings match by accident."""
KINDS = ("phrase", "sentence", "caption", "picture", "picture alike")


@dataclass(frozen=True)
class Match:
    """One thing both benchmarks hold."""

    kind: str
    """phrase, sentence, caption, picture (same bytes) or picture alike (same look)."""
    train: str
    """Where it is in the training set: an item, or an item and a candidate."""
    test: str
    what: str
    """The phrase, sentence or caption; for pictures their distance in bits."""


@dataclass(frozen=True, eq=False)
class Leakage:
    """What two benchmarks share."""

    train: str
    test: str
    items: int
    """Items in the test set."""
    pictures: int
    """Of the test set's pictures, those that could be compared."""
    matches: tuple[Match, ...]
    touched: dict[str, int]
    """By kind: how many test items share something of that kind."""

    @property
    def clean(self) -> bool:
        return not self.matches

    def as_dict(self) -> dict[str, Any]:
        return {
            "train": self.train,
            "test": self.test,
            "items": self.items,
            "pictures": self.pictures,
            "touched": self.touched,
            "matches": [asdict(match) for match in self.matches],
        }

    def sentences(self) -> list[str]:
        """What the lists say."""
        lines = []
        for kind in KINDS:
            count = self.touched.get(kind, 0)
            if count:
                what = {
                    "phrase": "use a phrase of",
                    "sentence": "repeat a sentence of",
                    "caption": "have a candidate with a caption of",
                    "picture": "have a candidate with the very picture of",
                    "picture alike": "have a candidate that looks like a picture of",
                }[kind]
                lines.append(f"{count} of {self.items} test items {what} {self.train}.")
        if not lines:
            seen = "phrase, sentence, caption" + (" or picture" if self.pictures else "")
            lines.append(f"{self.test} shares no {seen} with {self.train}.")
        if not self.pictures:
            lines.append(
                "No pictures were compared: they were not asked for, or one side has none."
            )
        return lines


def leakage(train: Benchmark, test: Benchmark, *, pictures: bool = True) -> Leakage:
    """List what `test` shares with `train`; `pictures=False` leaves the pictures unread."""
    found: list[Match] = []
    touched: dict[str, set[str]] = defaultdict(set)

    def note(kind: str, here: str, there: str, item: str, what: str) -> None:
        found.append(Match(kind, here, there, what))
        touched[kind].add(item)

    for kind, of in _TEXTS.items():
        known: dict[str, str] = {}
        for key, where, _, _ in of(train):
            known.setdefault(key, where)
        for key, where, item, text in of(test):
            if key in known:
                note(kind, known[key], where, item, text)
    compared = 0
    if pictures:
        ours, theirs = glances(train), glances(test)
        compared = len(theirs.by_image) if ours.by_image else 0
        for kind, here, there, what in _pictures(train, ours, test, theirs):
            note(kind, here, there[0], there[1], what)
    found.sort(key=lambda match: KINDS.index(match.kind))
    counts = {kind: len(touched[kind]) for kind in KINDS if touched[kind]}
    return Leakage(train.name, test.name, len(test.items), compared, tuple(found), counts)


Texts = Iterable[tuple[str, str, str, str]]
"""(key, place, item, text as written)."""


def _same(text: str) -> str:
    """One spelling for texts that a reader takes for the same."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _phrases(benchmark: Benchmark) -> Texts:
    for item in benchmark.items:
        yield f"{item.language}\0{_same(item.phrase)}", item.id, item.id, item.phrase


def _sentences(benchmark: Benchmark) -> Texts:
    for item in benchmark.items:
        if item.sentence:
            yield _same(item.sentence), item.id, item.id, item.sentence


def _captions(benchmark: Benchmark) -> Texts:
    for item in benchmark.items:
        for candidate in item.candidates:
            for text in candidate.captions.values():
                if text.strip():
                    yield _same(text), f"{item.id} {candidate.id}", item.id, text


_TEXTS: dict[str, Callable[[Benchmark], Texts]] = {
    "phrase": _phrases,
    "sentence": _sentences,
    "caption": _captions,
}


def _pictures(
    train: Benchmark, ours: Glances, test: Benchmark, theirs: Glances
) -> Iterable[tuple[str, str, tuple[str, str], str]]:
    here, there = _owners(train), _owners(test)
    by_bytes: dict[str, str] = {}
    for image, seen in ours.by_image.items():
        by_bytes.setdefault(seen.sha256, image)
    for image, seen in theirs.by_image.items():
        twin = by_bytes.get(seen.sha256)
        if twin is not None:
            for owner in there[image]:
                yield "picture", here[twin][0][0], owner, "same bytes"
    for mine, other, bits in _alike(ours, theirs):
        if ours.by_image[mine].sha256 != theirs.by_image[other].sha256:
            for owner in there[other]:
                yield "picture alike", here[mine][0][0], owner, f"{bits} bits of 64 differ"


def _owners(benchmark: Benchmark) -> dict[str, list[tuple[str, str]]]:
    """Image -> the candidates that show it: (place, item)."""
    owners: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for item in benchmark.items:
        for candidate in item.candidates:
            if candidate.image is not None:
                owners[candidate.image].append((f"{item.id} {candidate.id}", item.id))
    return owners


def _alike(ours: Glances, theirs: Glances) -> Iterable[tuple[str, str, int]]:
    """Each test picture with the training picture it looks most like, if it does."""
    mine = [image for image, seen in ours.by_image.items() if seen.thumb.any()]
    other = [image for image, seen in theirs.by_image.items() if seen.thumb.any()]
    if not mine or not other:
        return
    left = np.array([ours.by_image[image].dhash for image in mine], dtype=np.uint64)
    right = np.array([theirs.by_image[image].dhash for image in other], dtype=np.uint64)
    best: dict[int, tuple[int, int]] = {}
    for i, j, bits in near(left, right, within=DISTANCE):
        product = ours.by_image[mine[i]].thumb * theirs.by_image[other[j]].thumb
        if float(product.mean()) >= ALIKE and (j not in best or bits < best[j][0]):
            best[j] = (bits, i)
    for j, (bits, i) in best.items():
        yield mine[i], other[j], bits
