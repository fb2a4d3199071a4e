"""Pictures as pixels, decoded in threads ahead of the model that waits for them.

Only the decoding is trope's: upright, on white, 8 bits, RGB. Resizing, cropping and normalising
are left to the checkpoint's own processor. Nothing here knows a model.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from trope.address import Address
from trope.errors import InputError, shown
from trope.read.picture import FORMATS, check_picture, undecodable, upright

if TYPE_CHECKING:
    from PIL.Image import Image

T = TypeVar("T")
R = TypeVar("R")

DECODE = ("exact", "draft")
"""`?decode=`: every pixel of a JPEG, or a draft of half, a quarter or an eighth of its sides."""
GAP = 2
"""A draft keeps at least this many times the side the model asks for."""
MOST_THREADS = 8

_header = threading.Lock()  # reading a header mutes warnings, which is the whole process's business


def decode(path: Path, *, least: int = 0) -> Image:
    """The picture as RGB.

    With `least`, a JPEG may be decoded at a fraction of its size, so long as its shorter side
    stays `GAP * least`: several times faster for photographs, and not the same to the last bit.
    """
    from PIL import Image

    with _header:
        check_picture(path)
    try:
        with Image.open(path, formats=FORMATS) as image:
            if least:
                image.draft(None, (GAP * least, GAP * least))
            return upright(image)
    except Exception as error:  # Pillow raises many kinds for broken pixels
        raise InputError(undecodable(path, error)) from None


def ahead(
    work: Callable[[T], R], things: Iterable[T], *, depth: int = 64, threads: int = 0
) -> Iterator[R]:
    """`map(work, things)`, in order, up to `depth` of them begun before they are asked for.

    >>> list(ahead(abs, [-1, -2]))
    [1, 2]
    """
    waiting = iter(things)
    begun: deque[Future[R]] = deque()
    pool = ThreadPoolExecutor(threads or cores(), thread_name_prefix="trope-ahead")
    try:
        begun.extend(pool.submit(work, thing) for thing in islice(waiting, max(1, depth)))
        while begun:
            result = begun.popleft().result()
            begun.extend(pool.submit(work, thing) for thing in islice(waiting, 1))
            yield result
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def cores() -> int:
    """Threads that decode: as many as this process has cores, within reason."""
    try:
        own = len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        own = os.cpu_count() or 1
    return max(1, min(MOST_THREADS, own))


def decode_option(address: Address, value: str) -> str:
    """`?decode=`, checked."""
    if value not in DECODE:
        raise InputError(
            f"In {shown(address.text)}, decode must be {' or '.join(DECODE)}, not {shown(value)}."
        )
    return value
