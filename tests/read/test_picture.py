"""Pictures are hostile until checked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from trope.errors import InputError
from trope.read.folder import SAMPLE
from trope.read.picture import _ask_pillow, _glance, check_picture, open_picture


def noise(width: int, height: int, mode: str = "RGB") -> Image.Image:
    pixels = np.random.default_rng(0).integers(0, 255, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(pixels).convert(mode)


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.webp", "a.gif", "a.bmp"])
def test_whole_pictures_pass_and_cut_ones_don_t(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    noise(120, 80).save(path)
    check_picture(path)
    data = path.read_bytes()
    for keep in (0, 5, 40, len(data) // 2, len(data) - 30):
        path.write_bytes(data[:keep])
        if name.endswith(("gif", "bmp")) and keep > 40:
            continue  # their headers say nothing of an end; decoding finds out
        with pytest.raises(InputError, match=r"a\.\w+"):
            check_picture(path)


@pytest.mark.parametrize(
    ("mode", "save"),
    [
        ("RGB", {"format": "PNG"}),
        ("L", {"format": "PNG"}),
        ("RGB", {"format": "JPEG"}),
        ("L", {"format": "JPEG", "progressive": True}),
        ("CMYK", {"format": "JPEG"}),
    ],
)
def test_the_quick_look_agrees_with_pillow(save: dict, mode: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    noise(123, 77, mode).save(path, **save)
    assert _glance(path.read_bytes()[:65536]) == _ask_pillow(path, "a") == (save["format"], 123, 77)


def test_the_quick_look_leaves_what_it_doesn_t_know(tmp_path: Path) -> None:
    for path in list(SAMPLE.rglob("*.webp"))[:3]:
        assert _glance(path.read_bytes()) is None
        check_picture(path)
    path = tmp_path / "a.png"
    noise(9, 9).save(path)
    data = bytearray(path.read_bytes())
    data[20] ^= 1  # the header's checksum no longer fits
    path.write_bytes(data)
    assert _glance(bytes(data)) is None
    with pytest.raises(InputError):
        open_picture(path)


@pytest.mark.parametrize("name", ["bomb.png", "bomb.jpg", "bomb.gif"])
def test_a_bomb_is_refused_before_it_unfolds(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    Image.new("L", (11_000, 9_500)).save(path)
    with pytest.raises(InputError, match="scale it down"):
        check_picture(path)


@pytest.mark.parametrize("content", [b"", b"GIF89a", b"<svg/>", b"\x89PNG\r\n\x1a\n" + bytes(99)])
def test_what_is_no_picture_is_named(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"x\.png"):
        check_picture(path)
    with pytest.raises(InputError, match=r"y\.png is absent"):
        check_picture(tmp_path / "y.png")
    with pytest.raises(InputError):
        check_picture(tmp_path)


def test_pictures_open_upright_on_white_as_rgb(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    clear = Image.new("RGBA", (4, 4), (255, 0, 0, 0))
    clear.putpixel((0, 0), (0, 0, 255, 255))
    clear.save(path)
    opened = open_picture(path)
    assert opened.mode == "RGB"
    assert opened.getpixel((0, 0)) == (0, 0, 255) and opened.getpixel((1, 1)) == (255, 255, 255)
    turned = Image.new("RGB", (6, 3), "red")
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    turned.save(tmp_path / "t.jpg", exif=exif)
    assert open_picture(tmp_path / "t.jpg").size == (3, 6)
