"""One picture: is it whole, is it of a sane size, and its pixels as RGB.

Pictures are hostile until checked. `check_picture` reads a header and the last bytes and decodes
nothing; `open_picture` decodes, upright, on white, in RGB.
"""

from __future__ import annotations

import warnings
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from trope.errors import InputError

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS = 64_000_000
"""Larger pictures are refused before they are decoded (a small file can unfold to gigabytes)."""
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
_ENDS = {"PNG": b"IEND\xaeB`\x82", "JPEG": b"\xff\xd9", "GIF": b";"}
_FRAMES = {0xC0, 0xC1, 0xC2}  # where a baseline or progressive JPEG says its size
_HEAD = 64 * 1024
_TAIL = 1024
"""The end mark stands within the last bytes; earlier ones belong to embedded previews."""
_REMEDY = "download it again, or remove it"


def check_picture(path: Path, *, where: str = "") -> None:
    """Refuse what isn't a whole picture of a sane size. `where` opens the sentence."""
    name = f"{where}{path}"
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise InputError(f"{name} isn't a file; {_REMEDY}.")
        with path.open("rb") as file:
            head = file.read(_HEAD)
            size = file.seek(0, 2)
            file.seek(max(0, size - _TAIL))
            tail = file.read()
    except FileNotFoundError:
        raise InputError(f"{name} is absent; {_REMEDY}.") from None
    except OSError as error:
        raise InputError(f"{name} can't be read ({error.strerror}); {_REMEDY}.") from None
    kind, width, height = _glance(head) or _ask_pillow(path, name)
    if width * height > MOST_PIXELS:
        raise InputError(
            f"{name} has {width} x {height} pixels, more than {MOST_PIXELS // 10**6} million; "
            "scale it down."
        )
    end = _ENDS.get(kind)
    cut = end is not None and end not in tail
    if kind == "WEBP":
        cut = int.from_bytes(head[4:8], "little") + 8 > size
    if cut:
        raise InputError(f"{name} is cut short ({size} bytes); {_REMEDY}.")


def _glance(head: bytes) -> tuple[str, int, int] | None:
    """Format and size of an ordinary PNG or JPEG; None leaves the question to Pillow.

    A benchmark has thousands of pictures and most runs decode none: this is ten times quicker
    than opening each, and spares the import.
    """
    if head[:8] == b"\x89PNG\r\n\x1a\n" and head[12:16] == b"IHDR":
        whole = zlib.crc32(head[12:29]) == int.from_bytes(head[29:33], "big")
        width, height = int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
        return ("PNG", width, height) if whole and width and height else None
    place = 2
    while head[:2] == b"\xff\xd8" and place + 9 < len(head) and head[place] == 0xFF:
        mark = head[place + 1]
        if mark in _FRAMES:
            height = int.from_bytes(head[place + 5 : place + 7], "big")
            width = int.from_bytes(head[place + 7 : place + 9], "big")
            return ("JPEG", width, height) if width and height else None
        place += 2 + int.from_bytes(head[place + 2 : place + 4], "big")
    return None


def _ask_pillow(path: Path, name: str) -> tuple[str, int, int]:
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns of large pictures; we refuse them
            with Image.open(path, formats=FORMATS) as image:
                return str(image.format), *image.size
    except Image.DecompressionBombError:
        raise InputError(f"{name} has too many pixels; scale it down.") from None
    except Exception as error:  # Pillow raises many kinds for a broken header
        raise InputError(
            f"{name} can't be read as a picture ({_reason(error)}); {_REMEDY}."
        ) from None


def open_picture(path: Path) -> Image:
    """The first frame, upright, on white where it is transparent, as RGB."""
    from PIL import Image

    check_picture(path)
    try:
        with Image.open(path, formats=FORMATS) as image:
            return upright(image)
    except Exception as error:
        raise InputError(undecodable(path, error)) from None


def upright(image: Image) -> Image:
    """A picture's first frame as its EXIF says it stands, on white, in 8 bits, as RGB."""
    from PIL import Image, ImageOps

    image = ImageOps.exif_transpose(image)
    if image.mode.startswith("I"):
        import numpy as np

        # Pillow would clip 16 bits at 255; of 16-bit colours it keeps the high byte, and so do we.
        high = (np.asarray(image).astype(np.int64) >> 8).clip(0, 255)
        return Image.fromarray(high.astype(np.uint8)).convert("RGB")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        return Image.alpha_composite(white, image).convert("RGB")
    return image.convert("RGB")


def undecodable(path: Path, error: Exception) -> str:
    """What is said of a picture whose header is sound and whose pixels aren't."""
    return f"{path} can't be decoded ({_reason(error)}); {_REMEDY}."


def _reason(error: Exception) -> str:
    text = str(error).split("\n")[0]
    return "no known picture format" if "cannot identify" in text else text[:100]
