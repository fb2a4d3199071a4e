"""The vocabulary: a benchmark holds items, an item holds candidates, a candidate has a role.

Plain immutable values that every room shares. Nothing here reads a file or knows a model.
Items and candidates can't hold a cycle, so the garbage collector is told to leave them alone
(gc=False): a hundred thousand items load several times faster for it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import msgspec


class Role(StrEnum):
    """What a candidate is to the phrase."""

    idiomatic = "idiomatic"
    idiomatic_related = "idiomatic_related"
    literal_related = "literal_related"
    literal = "literal"
    distractor = "distractor"
    figurative = "figurative"
    figurative_literal = "figurative_literal"
    partial_literal = "partial_literal"
    none = "none"
    positive = "positive"
    constituent = "constituent"
    negative = "negative"


class Sense(StrEnum):
    """The sense in which an item uses its phrase."""

    idiomatic = "idiomatic"
    literal = "literal"


# The gold order of AdMIRe's five slots in either sense (AdMIRe paper, section 4.1 and figure 1).
GOLD_ORDER: dict[Sense, tuple[Role, ...]] = {
    Sense.idiomatic: (
        Role.idiomatic,
        Role.idiomatic_related,
        Role.literal_related,
        Role.literal,
        Role.distractor,
    ),
    Sense.literal: (
        Role.literal,
        Role.literal_related,
        Role.idiomatic_related,
        Role.idiomatic,
        Role.distractor,
    ),
}


class Candidate(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False
):
    """One possible answer: a picture, its caption, or a text."""

    id: str
    """Unique within its item; in AdMIRe the picture's file name as the release spells it."""
    role: Role | None = None
    gain: float | None = None
    """Graded relevance for this item; None where there is no gold."""
    image: str | None = None
    """Where the picture is, relative to the benchmark's folder; None where it is absent."""
    url: str | None = None
    """Where the picture can be fetched from, for benchmarks that publish addresses."""
    captions: dict[str, str] = {}
    """Language to caption."""


class Item(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """One question: a phrase in a sense, with its candidates."""

    id: str
    phrase: str
    language: str
    candidates: tuple[Candidate, ...]
    kind: str | None = None
    """idiom, compound, metaphor or simile."""
    sense: Sense | None = None
    sentence: str | None = None
    definitions: tuple[str, ...] = ()
    split: str | None = None
    sequence: tuple[Candidate, ...] = ()
    """The pictures shown before the candidates (AdMIRe B)."""
    query: Candidate | None = None
    """The picture that is asked about, where the candidates are texts (MetaCLUE)."""
    extra: dict[str, str] = {}
    """Published columns that trope keeps but doesn't use."""

    def caption(self, candidate: Candidate) -> str | None:
        """The candidate's caption, in the item's language where there is one."""
        own = candidate.captions.get(self.language)
        return own if own is not None else next(iter(candidate.captions.values()), None)


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where a benchmark comes from and on what terms."""

    title: str = ""
    licence: str = ""
    citation: str = ""
    version: str = ""
    source: str = ""
    languages: tuple[str, ...] = ()


class Benchmark(msgspec.Struct, frozen=True):
    """Items with one task, and a card."""

    name: str
    task: str
    items: tuple[Item, ...]
    card: Card = Card()
    root: Path | None = None
    notes: tuple[str, ...] = ()
    """What the reader should know of the files it came from, such as pictures that are absent."""

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def picture(self, candidate: Candidate) -> Path | None:
        """The candidate's picture on disk, or None."""
        if candidate.image is None or self.root is None:
            return None
        return self.root / candidate.image

    def head(self, limit: int | None) -> Benchmark:
        """The first `limit` items."""
        if limit is None or limit >= len(self.items):
            return self
        return msgspec.structs.replace(self, items=self.items[:limit])

    @property
    def hash(self) -> str:
        """Of everything a model may be shown, in order: phrases, sentences, captions, names."""
        rows = (
            (
                item.id,
                item.phrase,
                item.language,
                item.kind,
                item.sentence,
                item.definitions,
                [(c.id, c.captions) for c in item.sequence],
                [(c.id, c.captions) for c in item.candidates],
                *([(item.query.id, item.query.captions)] if item.query else []),
            )
            for item in self.items
        )
        return _digest(self.task, rows)

    @property
    def gold(self) -> str:
        """Of the gold: senses, roles and gains. The empty string where there is no gold."""
        if not self.labelled:
            return ""
        rows = (
            (item.id, item.sense, [(c.id, c.role, c.gain) for c in item.candidates])
            for item in self.items
        )
        return _digest(self.task, rows)

    @property
    def labelled(self) -> bool:
        """Whether any candidate has a gain."""
        return any(c.gain is not None for item in self.items for c in item.candidates)

    def __repr__(self) -> str:
        senses = ", ".join(
            f"{sum(item.sense == sense for item in self.items)} {sense}" for sense in Sense
        )
        phrases = len({(item.language, item.phrase) for item in self.items})
        gold = senses if self.labelled else "no gold"
        return f"{self.name}: {len(self.items)} items, {phrases} phrases ({gold})"


def _digest(task: str, rows: Iterator[object]) -> str:
    digest = hashlib.sha256(task.encode())
    encode = msgspec.json.Encoder(order="deterministic").encode
    for row in rows:
        digest.update(b"\n" + encode(row))
    return digest.hexdigest()
