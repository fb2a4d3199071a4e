"""Small copies of a benchmark's pictures, as text that a page can hold.

Every distinct picture is made small once, in threads, at the largest size that keeps the page
light. A picture that can't be read is left out and counted; nothing here writes a file.
"""

from __future__ import annotations

import io
import os
from base64 import b64encode
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from trope.errors import TropeError
from trope.hashes import file_hash
from trope.read.picture import open_picture

PREFIX = "data:image/webp;base64,"
QUALITY = 62
MEGABYTE = 1_000_000
SIZES = (
    (224, 4 * MEGABYTE),
    (160, 6 * MEGABYTE),
    (128, 20 * MEGABYTE),
    (96, 20 * MEGABYTE),
    (72, 20 * MEGABYTE),
    (56, 20 * MEGABYTE),
    (40, 20 * MEGABYTE),
)
"""Edge in pixels, and how much text all pictures together may take at that size."""
_FEW = 100
"""So few pictures have room at the largest size, whatever they show."""
_SAMPLE = 32
"""Pictures tried at a size before it is chosen."""


@dataclass(frozen=True)
class Thumbnails:
    """The small pictures, each once, and where each file's is."""

    texts: tuple[str, ...]
    """Base64 of WebP; `PREFIX` goes before it."""
    place: dict[Path, int]
    """Only files that could be read and found room."""
    size: int
    unread: int
    """Files that are absent or broken."""
    left_out: int
    """Files for whose pictures the page had no room."""


def thumbnails(paths: Iterable[Path]) -> Thumbnails:
    """Make each distinct picture small once. Files with the same bytes share a thumbnail."""
    wanted = list(dict.fromkeys(paths))
    with ThreadPoolExecutor(max_workers=min(8, (os.cpu_count() or 2) + 1)) as threads:
        hashes = list(threads.map(_hash, wanted))
        distinct: dict[str, Path] = {}
        for path, name in zip(wanted, hashes, strict=True):
            if name:
                distinct.setdefault(name, path)
        size = _choose(list(distinct.values()), threads)
        made = threads.map(partial(_small, size=size), distinct.values())
        by_hash = dict(zip(distinct, made, strict=True))
    texts, places = _fit(by_hash, dict(SIZES)[size])
    place = {p: places[h] for p, h in zip(wanted, hashes, strict=True) if h in places}
    unread = sum(not name or not by_hash[name] for name in hashes)
    return Thumbnails(texts, place, size, unread, len(wanted) - len(place) - unread)


def _hash(path: Path) -> str:
    try:
        return file_hash(path)
    except TropeError:
        return ""


def _small(path: Path, size: int) -> str:
    """The picture at this size; '' where it can't be read."""
    from PIL import Image

    try:
        picture = open_picture(path)
    except TropeError:
        return ""
    picture.thumbnail((size, size), Image.Resampling.LANCZOS, reducing_gap=2.0)
    buffer = io.BytesIO()
    picture.save(buffer, "WEBP", quality=QUALITY, method=4)
    return b64encode(buffer.getvalue()).decode("ascii")


def _choose(paths: list[Path], threads: ThreadPoolExecutor) -> int:
    """The largest size whose pictures, by an even sample of them, stay within their room."""
    if len(paths) <= _FEW:
        return SIZES[0][0]
    sample = paths[:: -(-len(paths) // _SAMPLE)]
    for size, room in SIZES:
        lengths = [len(text) for text in threads.map(partial(_small, size=size), sample) if text]
        if sum(lengths) / max(len(lengths), 1) * len(paths) <= room:
            return size
    return SIZES[-1][0]


def _fit(by_hash: dict[str, str], room: int) -> tuple[tuple[str, ...], dict[str, int]]:
    """Number the distinct texts in order, until the room (and a tenth more) is full."""
    number: dict[str, int] = {}
    places: dict[str, int] = {}
    used = 0
    for name, text in by_hash.items():
        if not text:
            continue
        if text not in number:
            if used + len(text) > 1.1 * room:
                continue
            used += len(text)
            number[text] = len(number)
        places[name] = number[text]
    return tuple(number), places
