"""What has to be asked: the items of a window, as texts, contents and pairs, each with a key.

A key stands for the bytes of what is shown (the words, the caption, the picture) and for nothing
else, so the same thing shown twice is computed once, in this run and in later ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from trope.errors import InputError, unknown
from trope.hashes import file_hash
from trope.item import Benchmark, Candidate, Item
from trope.prompt import Prompt
from trope.prompt.question import VQASCORE
from trope.prompt.strip import VIEWS, caption_strip, picture_strip, strip_hash
from trope.score.faces import Content, Picture, Question, Ranker, Scorer

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
    view: str = ""
    """`strip`: each candidate behind the sequence, as one picture or one text. `sequence`: the
    sequence is shown once, before the candidates. Otherwise each candidate stands alone."""
    strips: Path = Path("strips")
    """Where strips are kept."""

    def questions(self, item: Item) -> list[Question]:
        """What the scorer is shown for an item: one question a text of the prompt."""
        if item.query is not None and self.scorer.sees in ("caption", "picture"):
            return [self._about(item, item.query)]
        words = self.prompt.texts(item) if self.prompt else ("",)
        texts = dict.fromkeys(self.scorer.text(item, text) for text in words)
        return [self.question(item, text) for text in texts]

    def question(self, item: Item, text: str) -> Question:
        """The item's candidates under one text."""
        before = item.sequence if self.view == "sequence" else ()
        return Question(
            text=text,
            contents=tuple(self._seen(item, candidate) for candidate in item.candidates),
            item=item,
            before=tuple(self._content(item, candidate) for candidate in before),
        )

    def _about(self, item: Item, query: Candidate) -> Question:
        """Texts as candidates for a picture, or for what describes it: no prompt between them,
        but each put as a question to a scorer that wants one."""
        shown = self._content(item, query)
        texts = tuple(item.caption(candidate) for candidate in item.candidates)
        if shown is None:
            return Question(text="", contents=(None,) * len(texts), item=item)
        if self.scorer.asks:
            texts = tuple(text and VQASCORE.format(phrase=text) for text in texts)
        if isinstance(shown, Picture) or self.scorer.asks:
            return Question(text="", contents=texts, item=item, about=shown)
        return Question(text=shown, contents=texts, item=item)

    def sequence(self, item: Item) -> Content | None:
        """What comes before the candidates, as one content: the sequence, or the sentence."""
        if item.sequence:
            return self._strip(item, item.sequence)
        return item.sentence if self.scorer.sees == "caption" else None

    def _seen(self, item: Item, candidate: Candidate) -> Content | None:
        if self.view == "strip" and item.sequence:
            return self._strip(item, (*item.sequence, candidate))
        return self._content(item, candidate)

    def _strip(self, item: Item, parts: Sequence[Candidate]) -> Content | None:
        contents = [self._content(item, part) for part in parts]
        pictures = [content for content in contents if isinstance(content, Picture)]
        if not pictures:
            return caption_strip([str(c) if c is not None else None for c in contents])
        if len(pictures) < len(contents):
            return None
        name = strip_hash([picture.sha256 for picture in pictures])
        return Picture(picture_strip([p.path for p in pictures], name, self.strips), name)

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


def choose_view(
    benchmark: Benchmark, scorer: Scorer, prompt: Prompt | None, view: str | None
) -> str:
    """How the candidates of a sequence are shown: the strip, unless told otherwise or unless the
    prompt's own words hold the sequence."""
    if view not in (None, *VIEWS):
        raise unknown("view", str(view), VIEWS)
    sequences = any(item.sequence for item in benchmark.items)
    if view == "strip" and not sequences:
        raise InputError(f"{benchmark.name} has no sequences; leave --view out.")
    if not sequences or scorer.sees not in ("caption", "picture"):
        return ""
    if view == "candidate" or (view is None and prompt and "sequence" in prompt.needs):
        return "candidate"
    return "sequence" if isinstance(scorer, Ranker) else "strip"


def key(model: bytes, kind: str, *parts: Content) -> bytes:
    """The cache's key for something shown to a model."""
    sha = hashlib.sha256(model)
    for part in (kind, *parts):
        data = part.encode() if isinstance(part, str) else bytes.fromhex(part.sha256)
        sha.update(len(data).to_bytes(8, "big") + data)
    return sha.digest()
