"""A picture as a `data:` URL, for servers that take pictures inside a message.

A PNG or JPEG that stands upright, has no transparency and is small enough goes as its own bytes;
any other is decoded as every scorer sees it, scaled down, and sent as PNG.
"""

from __future__ import annotations

import base64
import io
from pathlib import Path

from trope.read.picture import check_picture, open_picture

_ORIENTATION = 0x0112
_PLAIN = {"PNG": "image/png", "JPEG": "image/jpeg"}
SENT = "own bytes where PNG or JPEG, else PNG"
"""What a run records of how pictures are sent."""


def data_url(path: Path, *, max_edge: int = 0) -> str:
    """The picture, its longer edge at most `max_edge` pixels (0: as it is)."""
    kind = _as_is(path, max_edge)
    data = path.read_bytes() if kind else _drawn(path, max_edge)
    return f"data:{kind or 'image/png'};base64,{base64.b64encode(data).decode()}"


def _as_is(path: Path, max_edge: int) -> str:
    """The type of a picture that can be sent as it is, else ''."""
    from PIL import Image

    check_picture(path)
    with Image.open(path) as image:
        small = not max_edge or max(image.size) <= max_edge
        upright = image.getexif().get(_ORIENTATION, 1) == 1
        opaque = image.mode in ("RGB", "L") and "transparency" not in image.info
        return _PLAIN.get(str(image.format), "") if small and upright and opaque else ""


def _drawn(path: Path, max_edge: int) -> bytes:
    from PIL import Image

    picture = open_picture(path)
    if max_edge and max(picture.size) > max_edge:
        picture.thumbnail((max_edge, max_edge), Image.Resampling.LANCZOS)
    data = io.BytesIO()
    picture.save(data, format="PNG")
    return data.getvalue()
