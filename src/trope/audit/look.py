"""What a glance at a picture tells without understanding it: size, light, edges, hash.

Each picture is decoded once and shrunk at once; an absent or broken one is counted, not fatal.
Nothing here recognises anything: the amount of text is a proxy, and says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trope.errors import InputError, MissingExtra
from trope.item import Benchmark
from trope.measure.ties import Floats
from trope.read.picture import open_picture

SIDE = 256
"""Pictures are looked at with this many pixels on their longer side."""
STROKE = 48
"""Steps of grey (of 255) from one pixel to the next that count as the edge of a stroke."""
BLOCK = 16
"""The side of the blocks in which strokes are counted."""
CROWDED = 0.12
"""The share of a block's pixels that are strokes, in both turns, from which it looks written on."""
THUMB = 16
PLAIN = 3.0
"""A thumbnail whose greys spread less than this is too plain to be told by its hash."""


@dataclass(frozen=True, eq=False)
class Glance:
    """One picture's cheap numbers."""

    path: Path
    sha256: str
    size: int
    """Bytes on disk."""
    brightness: float
    """Mean grey, 0 to 1."""
    edges: float
    """Mean step of grey from pixel to pixel, 0 to 1."""
    strokes: float
    """The share of blocks that look written on: a proxy for text, not a reading of it."""
    dhash: int
    """64 bits: is each pixel of a 9 x 8 thumbnail brighter than its right neighbour?"""
    thumb: Floats
    """Standardised greys of a small thumbnail; zeros where it is too plain."""


def glance(path: Path) -> Glance:
    """Look at one picture, once; an unreadable one is an `InputError`."""
    try:
        state = path.stat()
    except OSError as error:
        raise InputError(f"Can't read the picture {path}: {error.strerror}.") from None
    return _glance(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=8192)
def _glance(path: Path, changed: int, size: int) -> Glance:
    from PIL import Image

    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"Can't read the picture {path}: {error.strerror}.") from None
    grey = open_picture(path).convert("L")
    nine = np.asarray(grey.resize((9, 8), Image.Resampling.BOX), dtype=np.int16)
    bits = (nine[:, :-1] > nine[:, 1:]).ravel()
    small = np.asarray(grey.resize((THUMB, THUMB), Image.Resampling.BOX), dtype=np.float64)
    grey.thumbnail((SIDE, SIDE), Image.Resampling.BOX)
    pixels = np.asarray(grey, dtype=np.float64)
    across, down = np.abs(np.diff(pixels, axis=1)), np.abs(np.diff(pixels, axis=0))
    steps = [part.mean() for part in (across, down) if part.size]
    spread = float(small.std())
    return Glance(
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        brightness=float(pixels.mean() / 255),
        edges=float(np.mean(steps) / 255) if steps else 0.0,
        strokes=_strokes(pixels),
        dhash=int.from_bytes(np.packbits(bits).tobytes(), "big"),
        thumb=(small - small.mean()) / spread if spread >= PLAIN else np.zeros_like(small),
    )


def _strokes(pixels: Floats) -> float:
    """Blocks in which grey goes sharply up about as often as sharply down, and often: as it does
    across letters, and across little else but fences and foliage."""
    step = np.diff(pixels, axis=1)
    height, width = (side // BLOCK for side in step.shape)
    if height == 0 or width == 0:
        return 0.0
    blocks = step[: height * BLOCK, : width * BLOCK].reshape(height, BLOCK, width, BLOCK)
    up = (blocks > STROKE).mean(axis=(1, 3))
    down = (blocks < -STROKE).mean(axis=(1, 3))
    return float((np.minimum(up, down) >= CROWDED / 2).mean())


@dataclass(frozen=True, eq=False)
class Glances:
    """A benchmark's pictures, each looked at once."""

    by_image: dict[str, Glance]
    absent: int
    """Candidates without a picture on disk."""
    broken: tuple[str, ...]
    """Sentences for pictures that could not be read."""

    def numbers(self, benchmark: Benchmark, of: Callable[[Glance], float]) -> Floats:
        """One number a candidate, padded as a score table is; NaN where there is no picture."""
        width = max((len(item.candidates) for item in benchmark.items), default=0)
        found = np.full((len(benchmark.items), width), np.nan)
        for row, item in enumerate(benchmark.items):
            for column, candidate in enumerate(item.candidates):
                seen = self.by_image.get(candidate.image or "")
                if seen is not None:
                    found[row, column] = of(seen)
        return found


def glances(benchmark: Benchmark) -> Glances:
    """Look at every picture of a benchmark that is there."""
    seen: dict[str, Glance] = {}
    failed: dict[str, str] = {}
    absent = 0
    for item in benchmark.items:
        for candidate in item.candidates:
            path = benchmark.picture(candidate)
            if path is None or candidate.image is None or not path.exists():
                absent += 1
            elif candidate.image not in seen and candidate.image not in failed:
                try:
                    seen[candidate.image] = glance(path)
                except InputError as error:
                    failed[candidate.image] = str(error)
    return Glances(seen, absent, tuple(failed.values()))


def reader() -> Callable[[Path], float]:
    """A function that counts the characters an OCR model reads in a picture; slow."""
    try:
        from rapidocr import RapidOCR  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise MissingExtra(
            "Reading text in pictures needs rapidocr: pip install 'trope[make]'."
        ) from (None)
    engine: Any = RapidOCR()

    def characters(path: Path) -> float:
        lines = getattr(engine(str(path)), "txts", None) or ()
        return float(sum(len(line.replace(" ", "")) for line in lines))

    return characters


def near(
    hashes: NDArray[np.uint64], others: NDArray[np.uint64], *, within: int
) -> list[tuple[int, int, int]]:
    """Pairs of 64-bit hashes that differ in at most `within` bits: (place, other place, bits)."""
    found = []
    rows = max(1, 4_000_000 // max(len(others), 1))
    for start in range(0, len(hashes), rows):
        apart = np.bitwise_count(hashes[start : start + rows, None] ^ others[None, :])
        for i, j in zip(*np.nonzero(apart <= within), strict=True):
            found.append((start + int(i), int(j), int(apart[i, j])))
    return found
