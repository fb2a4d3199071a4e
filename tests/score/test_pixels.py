"""Pictures reach the model upright, on white, in 8 bits, as RGB; decoded ahead, in order."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from trope.errors import InputError
from trope.score import pixels
from trope.score.batches import Batches


def decoded(path: Path, *, least: int = 0) -> np.ndarray:
    image = pixels.decode(path, least=least)
    assert image.mode == "RGB"
    return np.asarray(image)


def smooth(width: int, height: int) -> np.ndarray:
    """A picture without fine detail: a gradient that differs in each corner."""
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    return (np.stack([x, y, 1 - x * y], axis=-1) * 255).astype(np.uint8)


def test_a_plain_picture_is_its_pixels(tmp_path: Path) -> None:
    truth = smooth(30, 20)
    Image.fromarray(truth).save(tmp_path / "a.png")
    assert np.array_equal(decoded(tmp_path / "a.png"), truth)


@pytest.mark.parametrize(
    ("orientation", "turn"),
    [
        (1, lambda a: a),
        (2, lambda a: a[:, ::-1]),
        (3, lambda a: a[::-1, ::-1]),
        (4, lambda a: a[::-1]),
        (5, lambda a: a.swapaxes(0, 1)),
        (6, lambda a: np.rot90(a, -1)),
        (7, lambda a: a[::-1, ::-1].swapaxes(0, 1)),
        (8, lambda a: np.rot90(a, 1)),
    ],
)
def test_exif_orientation_is_followed(orientation: int, turn, tmp_path: Path) -> None:
    truth = smooth(30, 20)
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.fromarray(truth).save(tmp_path / "a.png", exif=exif)
    assert np.array_equal(decoded(tmp_path / "a.png"), turn(truth))


def test_what_is_transparent_is_white(tmp_path: Path) -> None:
    truth = smooth(8, 8)
    alpha = np.full((8, 8, 1), 255, dtype=np.uint8)
    alpha[:4] = 0
    alpha[4] = 128
    Image.fromarray(np.concatenate([truth, alpha], axis=2)).save(tmp_path / "a.png")
    got = decoded(tmp_path / "a.png")
    assert (got[:4] == 255).all()
    assert np.array_equal(got[5:], truth[5:])
    half = 255 - (255 - truth[4].astype(float)) * 128 / 255
    assert np.abs(got[4] - half).max() <= 1


def test_grey_with_alpha_is_on_white(tmp_path: Path) -> None:
    grey = np.stack([np.full((4, 4), 90), np.repeat([[0], [255]], [2, 2], axis=0) * np.ones(4)], -1)
    Image.fromarray(grey.astype(np.uint8), mode="LA").save(tmp_path / "a.png")
    got = decoded(tmp_path / "a.png")
    assert (got[:2] == 255).all() and (got[2:] == 90).all()


def test_a_palette_gives_its_colours_and_its_hole_is_white(tmp_path: Path) -> None:
    image = Image.new("P", (3, 1))
    image.putpalette([200, 10, 20, 0, 250, 5, 9, 9, 9])
    image.putdata([0, 1, 2])
    image.save(tmp_path / "plain.png")
    assert decoded(tmp_path / "plain.png").tolist() == [[[200, 10, 20], [0, 250, 5], [9, 9, 9]]]
    image.save(tmp_path / "hole.png", transparency=2)
    assert decoded(tmp_path / "hole.png")[0, 2].tolist() == [255, 255, 255]
    assert decoded(tmp_path / "hole.png")[0, 0].tolist() == [200, 10, 20]


def test_cmyk_is_made_rgb(tmp_path: Path) -> None:
    red = Image.new("CMYK", (16, 16), (0, 255, 255, 0))
    red.save(tmp_path / "a.jpg", quality=95)
    got = decoded(tmp_path / "a.jpg").reshape(-1, 3).mean(axis=0)
    assert got[0] > 240 and got[1] < 15 and got[2] < 15


def test_sixteen_bits_are_scaled_not_clipped(tmp_path: Path) -> None:
    values = np.array([[0, 256, 32768, 65535]], dtype=np.uint16)
    Image.fromarray(values).save(tmp_path / "a.png")
    assert decoded(tmp_path / "a.png")[0, :, 0].tolist() == [0, 1, 128, 255]


def test_one_bit_is_black_and_white(tmp_path: Path) -> None:
    Image.fromarray(np.array([[True, False]])).save(tmp_path / "a.png")
    assert decoded(tmp_path / "a.png").tolist() == [[[255] * 3, [0] * 3]]


@pytest.mark.parametrize("ending", ["gif", "webp", "png"])
def test_of_an_animation_the_first_frame_is_seen(ending: str, tmp_path: Path) -> None:
    frames = [Image.new("RGB", (9, 7), colour) for colour in ("red", "lime", "blue")]
    path = tmp_path / f"a.{ending}"
    options = {"lossless": True} if ending == "webp" else {}
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=50, **options)
    assert getattr(Image.open(path), "n_frames", 1) == 3
    assert (decoded(path) == [255, 0, 0]).all()


# -- drafts


def test_a_draft_is_smaller_but_never_too_small_and_looks_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    Image.fromarray(smooth(1600, 1200)).save(path, quality=95)
    whole = pixels.decode(path)
    assert whole.size == (1600, 1200)
    draft = pixels.decode(path, least=224)
    assert draft.size == (800, 600)  # an eighth or a quarter would be below twice 224
    assert pixels.decode(path, least=32).size == (200, 150)
    assert pixels.decode(path, least=900).size == (1600, 1200)
    small = [np.asarray(i.resize((64, 48), 3)).astype(float) for i in (whole, draft)]
    assert np.abs(small[0] - small[1]).mean() < 1


def test_a_draft_leaves_other_formats_alone(tmp_path: Path) -> None:
    Image.fromarray(smooth(600, 500)).save(tmp_path / "a.png")
    assert pixels.decode(tmp_path / "a.png", least=16).size == (600, 500)


def test_a_draft_is_turned_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(smooth(800, 400)).save(tmp_path / "a.jpg", exif=exif)
    assert pixels.decode(tmp_path / "a.jpg", least=50).size == (100, 200)


# -- bad pictures


def test_a_cut_picture_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cut.jpg"
    Image.fromarray(smooth(200, 200)).save(path)
    path.write_bytes(path.read_bytes()[:900])
    with pytest.raises(InputError, match=r"cut\.jpg"):
        pixels.decode(path)


def test_pixels_that_break_off_are_named(tmp_path: Path) -> None:
    path = tmp_path / "hollow.png"
    Image.fromarray(np.random.default_rng(1).integers(0, 255, (64, 64, 3), np.uint8)).save(path)
    data = path.read_bytes()
    path.write_bytes(data[:200] + data[-12:])
    with pytest.raises(InputError, match=r"hollow\.png can't be decoded"):
        pixels.decode(path)


def test_what_is_no_picture_is_named(tmp_path: Path) -> None:
    (tmp_path / "note.png").write_text("not a picture")
    with pytest.raises(InputError, match=r"note\.png can't be read as a picture"):
        pixels.decode(tmp_path / "note.png")


# -- ahead of the model


def test_results_come_in_order_whatever_finishes_first() -> None:
    def slow(i: int) -> int:
        time.sleep(0.002 * (i % 3 == 0))
        return i

    assert list(pixels.ahead(slow, range(50), depth=8, threads=4)) == list(range(50))


def test_work_is_done_ahead_but_not_without_bound() -> None:
    begun: list[int] = []
    results = pixels.ahead(lambda i: begun.append(i) or i, range(100), depth=6, threads=2)
    assert next(results) == 0
    deadline = time.time() + 5
    while len(begun) < 7 and time.time() < deadline:
        time.sleep(0.001)
    time.sleep(0.02)
    assert len(begun) == 7  # the one taken and the six ahead of it
    results.close()
    assert len(begun) == 7


def test_several_threads_work_at_once() -> None:
    together = threading.Barrier(3, timeout=10)
    assert list(pixels.ahead(lambda i: together.wait() >= 0, range(3), threads=3)) == [True] * 3


def test_an_error_is_raised_where_it_is_reached() -> None:
    def work(i: int) -> int:
        if i == 3:
            raise InputError("three")
        return i

    results = pixels.ahead(work, range(9), depth=9)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(InputError, match="three"):
        next(results)
    assert not [t for t in threading.enumerate() if t.name.startswith("trope-ahead")]


def test_a_thing_too_large_alone_is_said() -> None:
    def never(part: list[int]) -> list[int]:
        raise MemoryError

    with pytest.raises(InputError, match="even with a batch of one"):
        Batches(4).run(never, range(4))


def test_shrunken_batches_lose_and_repeat_nothing() -> None:
    def tight(part: list[int]) -> list[int]:
        if len(part) > 3:
            raise RuntimeError("[enforce fail at alloc_cpu.cpp] not enough memory: you tried")
        return [i * i for i in part]

    batches = Batches(16)
    assert batches.run(tight, iter(range(21))) == [i * i for i in range(21)]
    assert batches.size == 2
