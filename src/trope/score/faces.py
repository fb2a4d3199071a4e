"""The three faces of a scorer, and what it may look at.

A scorer is an `Encoder` (embed each text and each content once), a `Judge` (a number for one text
and one content) or a `Ranker` (numbers for a whole list at once). Scorers are made cheaply: a
model is loaded when its first answer is needed, so a run that is all in the cache never loads it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from trope.item import Benchmark, Candidate, Item

Sees = Literal["caption", "picture", "keys", "nothing"]
Floats = NDArray[np.floating]


@dataclass(frozen=True)
class Picture:
    """A picture as a scorer gets it: where it is, and the hash of its bytes."""

    path: Path
    sha256: str


Content = str | Picture
"""What a candidate is to a scorer: its caption or key, or its picture."""


@dataclass(frozen=True)
class Question:
    """One item as a Ranker gets it."""

    text: str
    contents: tuple[Content | None, ...]
    item: Item
    before: tuple[Content | None, ...] = ()
    """The pictures or captions shown before the candidates, where the view is the sequence."""
    about: Content | None = None
    """The picture, or its caption, that is asked about where the candidates are texts."""


class Store(Protocol):
    """Where a scorer keeps raw replies; the engine's cache is one."""

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The values there are."""

    def put(self, values: dict[bytes, bytes]) -> None:
        """Store all of them or none."""


class Scorer(ABC):
    """What the faces share. Subclass `Encoder`, `Judge` or `Ranker`, not this."""

    face: ClassVar[str]
    sees: Sees = "caption"
    """What of a candidate it looks at."""
    prompted: bool = True
    """False where the scorer ignores the prompt's words."""
    cached: bool = True
    """False where an answer costs less than looking it up."""
    batch: int = 256
    """How many texts, contents or pairs it takes at a time."""
    choice: bool = False
    """True where its answers name one candidate rather than an order."""
    asks: bool = False
    """True where the text should be a question that is answered with yes or no."""
    truncates: bool = False
    """True where it reads a text only up to a length; `cut` then says which texts are longer."""

    @abstractmethod
    def fingerprint(self) -> dict[str, str]:
        """What the model is: name, version, weights' hash, options. Cheap: no model is loaded."""

    def cut(self, texts: Sequence[str]) -> Sequence[bool]:
        """Which texts are longer than the model reads. Asked for where it `truncates`; cheap: no
        weights are loaded."""
        return [False] * len(texts)

    def remember(self, store: Store, *, fresh: bool = False) -> None:
        """Where raw replies are kept; `fresh` asks anew for those it holds. Most have none."""
        return

    def recorded(self, address: str) -> str:
        """The address as a run records it, without what doesn't change an answer."""
        return address

    def remarks(self) -> list[str]:
        """What the reader should know at the end of a run, such as what it cost."""
        return []

    def answers(self) -> str:
        """What the model said, one JSON object a line; kept beside the run."""
        return ""

    def prepare(self, benchmark: Benchmark) -> None:
        """Called once before scoring; most scorers need nothing of it."""
        return

    def text(self, item: Item, prompt: str) -> str:
        """The text put to the model for this item: the prompt, for most."""
        return prompt

    def key(self, item: Item, candidate: Candidate) -> str | None:
        """What stands for a candidate where the scorer sees keys."""
        return f"{item.id}\0{candidate.id}"

    def said(self, item: Item) -> str:
        """The sense it names for this item; '' where it names none."""
        return ""


class Encoder(Scorer):
    """Embeds texts and contents; a score is the cosine of the two. A row of NaN is missing."""

    face = "encoder"

    @abstractmethod
    def embed_texts(self, texts: Sequence[str]) -> Floats:
        """One row a text."""

    @abstractmethod
    def embed_contents(self, contents: Sequence[Content]) -> Floats:
        """One row a caption, key or picture."""


class Judge(Scorer):
    """Gives a number to a text and one content. NaN is missing."""

    face = "judge"
    batch: int = 16
    """Few: a judge is slow, and what was answered is kept a batch at a time."""

    @abstractmethod
    def judge(self, pairs: Sequence[tuple[str, Content]]) -> Sequence[float] | Floats:
        """One number a pair; higher is better."""


class Ranker(Scorer):
    """Gives a number to each candidate of a whole list. NaN is missing."""

    face = "ranker"

    @abstractmethod
    def rank(self, questions: Sequence[Question]) -> Sequence[Sequence[float] | Floats]:
        """One row of numbers a question; higher is better."""


@runtime_checkable
class Generator(Protocol):
    """A scorer that can write: the captions of pictures, the example captions of a phrase."""

    def generate(self, pairs: Sequence[tuple[str, Content | None]]) -> Sequence[str | None]:
        """One text for each request and content; None where there is no answer."""
