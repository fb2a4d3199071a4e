"""Pictures that are looked at once, whatever the number of questions about them.

What a model saw of a picture is kept by the hash of its bytes, up to so many bytes of memory; the
pictures still to be seen are decoded in threads ahead of the model. Nothing here knows a model.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from trope.errors import InputError, shown
from trope.score import pixels
from trope.score.faces import Content, Picture

MOST_BYTES = 1 << 30
"""Kept of what was seen."""
AHEAD = 4
"""Pictures decoded before they are looked at."""


class Kept:
    """What was seen of the last pictures; those unused for longest are let go."""

    def __init__(self, look: Callable[[Any], Any], *, most: int = MOST_BYTES) -> None:
        self.look = look
        self.most = most
        self._held: OrderedDict[str, tuple[Any, int]] = OrderedDict()
        self._bytes = 0

    def seen(self, pairs: Sequence[tuple[str, Content]]) -> Iterator[tuple[list[int], Any]]:
        """For each picture among the pairs their places and what was seen of it."""
        places: dict[str, list[int]] = {}
        pictures: dict[str, Picture] = {}
        for place, (_, content) in enumerate(pairs):
            picture = as_picture(content)
            places.setdefault(picture.sha256, []).append(place)
            pictures.setdefault(picture.sha256, picture)
        new = [picture for sha, picture in pictures.items() if sha not in self._held]
        images = pixels.ahead(lambda picture: pixels.decode(picture.path), new, depth=AHEAD)
        awaited = {picture.sha256 for picture in new}
        for sha, rows in places.items():
            image = next(images) if sha in awaited else None
            yield rows, self._get(pictures[sha], image)

    def _get(self, picture: Picture, image: Any | None) -> Any:
        if picture.sha256 in self._held:
            self._held.move_to_end(picture.sha256)
            return self._held[picture.sha256][0]
        seen = self.look(image if image is not None else pixels.decode(picture.path))
        size = size_of(seen)
        self._held[picture.sha256] = (seen, size)
        self._bytes += size
        while self._bytes > self.most and len(self._held) > 1:
            self._bytes -= self._held.popitem(last=False)[1][1]
        return seen


def as_picture(content: Content) -> Picture:
    """Refuse a caption where a picture is looked at."""
    if not isinstance(content, Picture):
        raise InputError(f"This model looks at pictures, not at words such as {shown(content)}.")
    return content


def size_of(thing: Any) -> int:
    """Bytes of the tensors, or of the picture, in what was seen."""
    if isinstance(thing, dict):
        return sum(map(size_of, thing.values()))
    if isinstance(thing, list | tuple):
        return sum(map(size_of, thing))
    if hasattr(thing, "nbytes"):
        return int(thing.nbytes)
    width, height = getattr(thing, "size", (0, 0))
    return 3 * int(width) * int(height)
