"""A sequence and the candidate that might complete it, as one thing to look at or to read.

AdMIRe paper, section 6.2: each candidate is joined to the first two pictures into one long
picture. The captions of the three, joined in the same order, are the strip of a model that reads.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from pathlib import Path

from trope import atomic
from trope.read.picture import open_picture

RECIPE = "strip 1: left to right, scaled to the least height (Lanczos), RGB, no gap"
"""Part of a strip's hash: another way of joining is another picture."""
VIEWS = ("strip", "candidate")
"""How the candidates of a sequence may be shown."""


def caption_strip(captions: Sequence[str | None]) -> str | None:
    """The captions in the order of the story, a line each; None where one is absent.

    >>> caption_strip(["A man sits.", "He sleeps. ", "He wakes."])
    'A man sits.\\nHe sleeps.\\nHe wakes.'
    """
    lines = [caption.strip() for caption in captions if caption and caption.strip()]
    return "\n".join(lines) if len(lines) == len(captions) and lines else None


def strip_hash(hashes: Sequence[str]) -> str:
    """A strip's name: of its pictures' bytes and of how they are joined."""
    return hashlib.sha256("\n".join([RECIPE, *hashes]).encode()).hexdigest()


def picture_strip(paths: Sequence[Path], name: str, folder: Path) -> Path:
    """The pictures side by side at equal height, kept in `folder` under its hash."""
    place = folder / f"{name}.png"
    if not place.exists():
        atomic.write(place, _drawn(paths))
    return place


def _drawn(paths: Sequence[Path]) -> bytes:
    from PIL import Image

    pictures = [open_picture(path) for path in paths]
    height = min(picture.height for picture in pictures)
    level = [
        picture
        if picture.height == height
        else picture.resize(
            (max(1, round(picture.width * height / picture.height)), height),
            Image.Resampling.LANCZOS,
        )
        for picture in pictures
    ]
    strip = Image.new("RGB", (sum(picture.width for picture in level), height))
    left = 0
    for picture in level:
        strip.paste(picture, (left, 0))
        left += picture.width
    data = io.BytesIO()
    strip.save(data, format="PNG")
    return data.getvalue()
