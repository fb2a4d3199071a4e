"""One picture: is it whole, is it of a sane size, and its pixels as RGB.

Pictures are hostile until checked. `check_picture` reads a header and the last bytes and decodes
nothing; `open_picture` decodes, upright, on white, in RGB.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from trope.errors import InputError
from trope.hashes import file_hash as picture_hash  # noqa: F401

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS = 64_000_000
"""Larger pictures are refused before they are decoded (a small file can unfold to gigabytes)."""
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
_ENDS = {"PNG": b"IEND\xaeB`\x82", "JPEG": b"\xff\xd9", "GIF": b";"}
_TAIL = 64 * 1024
_REMEDY = "download it again, or remove it"


def check_picture(path: Path, *, where: str = "") -> None:
    """Refuse what isn't a whole picture of a sane size. `where` opens the sentence."""
    from PIL import Image

    name = f"{where}{path}"
    try:
        with Image.open(path, formats=FORMATS) as image:
            width, height = image.size
            kind = str(image.format)
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(12)
            file.seek(max(0, size - _TAIL))
            tail = file.read()
    except FileNotFoundError:
        raise InputError(f"{name} is absent; {_REMEDY}.") from None
    except Image.DecompressionBombError:
        raise InputError(f"{name} has too many pixels; scale it down.") from None
    except Exception as error:  # Pillow raises many kinds for a broken header
        raise InputError(
            f"{name} can't be read as a picture ({_reason(error)}); {_REMEDY}."
        ) from None
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


def open_picture(path: Path) -> Image:
    """The first frame, upright, on white where it is transparent, as RGB."""
    from PIL import Image, ImageOps

    check_picture(path)
    try:
        with Image.open(path, formats=FORMATS) as image:
            upright = ImageOps.exif_transpose(image)
            if upright.mode in ("RGBA", "LA", "PA") or "transparency" in upright.info:
                upright = upright.convert("RGBA")
                white = Image.new("RGBA", upright.size, "white")
                return Image.alpha_composite(white, upright).convert("RGB")
            return upright.convert("RGB")
    except Exception as error:
        raise InputError(f"{path} can't be decoded ({_reason(error)}); {_REMEDY}.") from None


def _reason(error: Exception) -> str:
    text = str(error).split("\n")[0]
    return "no known picture format" if "cannot identify" in text else text[:100]
