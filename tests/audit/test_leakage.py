"""What is planted in both sets is found, and nothing else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PIL import Image

from trope.audit.leakage import leakage
from trope.audit.look import glance, near
from trope.item import Benchmark, Item
from trope.read import load

Toy = Callable[..., Benchmark]


def scene(seed: int, side: int = 200) -> Image.Image:
    """Something like a photograph: smooth patches of light, each seed another."""
    rng = np.random.default_rng(seed)
    patches = Image.fromarray(rng.integers(0, 256, (7, 7), dtype=np.uint8))
    return patches.resize((side, side), Image.Resampling.BICUBIC).convert("RGB")


def pictured(toy: Toy, folder: Path, start: int, n: int = 4, name: str = "toy") -> Benchmark:
    folder.mkdir()
    seeds = iter(range(start, start + 5 * n))

    def image(k: int, role: object) -> str:
        path = folder / f"{k}-{role}.png"
        scene(next(seeds)).save(path)
        return path.name

    def caption(k: int, role: object, gain: float) -> str:
        return f"{name} {role} {k}"

    made = toy(n, root=folder, image=image, caption=caption, name=name, seed=start)
    items = tuple(
        msgspec.structs.replace(
            item, id=f"{name}/{k}", phrase=f"{name} phrase {k}", sentence=f"{name} says {k}."
        )
        for k, item in enumerate(made.items)
    )
    return msgspec.structs.replace(made, items=items)


def changed(benchmark: Benchmark, **changes: object) -> Benchmark:
    first: Item = msgspec.structs.replace(benchmark.items[0], **changes)
    return msgspec.structs.replace(benchmark, items=(first, *benchmark.items[1:]))


def test_strangers_share_nothing(toy: Toy, tmp_path: Path) -> None:
    train = pictured(toy, tmp_path / "a", 0, name="train")
    test = pictured(toy, tmp_path / "b", 500, name="test")
    found = leakage(train, test)
    assert found.clean and found.pictures == 20
    assert found.sentences() == ["test shares no phrase, sentence, caption or picture with train."]


def test_phrases_and_sentences_match_whatever_their_spelling(toy: Toy, tmp_path: Path) -> None:
    train = changed(pictured(toy, tmp_path / "a", 0, name="train"), phrase="Café  Noir")
    test = pictured(toy, tmp_path / "b", 500, name="test")
    test = changed(test, phrase="cafe\u0301 noir", sentence="TRAIN says 2.")
    found = leakage(train, test, pictures=False)
    assert found.touched == {"phrase": 1, "sentence": 1}
    assert [m.train for m in found.matches] == ["train/0", "train/2"]
    assert "1 of 4 test items use a phrase of train." in found.sentences()


def test_a_phrase_of_another_language_is_another(toy: Toy) -> None:
    train = toy(2)
    test = msgspec.structs.replace(
        train, items=tuple(msgspec.structs.replace(i, language="de") for i in train.items)
    )
    assert "phrase" not in leakage(train, test, pictures=False).touched


def test_pictures_match_by_bytes_and_by_look(toy: Toy, tmp_path: Path) -> None:
    train = pictured(toy, tmp_path / "a", 0, name="train")
    test = pictured(toy, tmp_path / "b", 500, name="test")
    ours, theirs = tmp_path / "a", tmp_path / "b"
    mine = [c.image or "" for c in train.items[1].candidates]
    other = [c.image or "" for c in test.items[2].candidates]
    shutil.copy(ours / mine[0], theirs / other[0])
    with Image.open(ours / mine[1]) as picture:
        picture.resize((96, 96)).save(theirs / "x.jpg", quality=60)
    shutil.move(theirs / "x.jpg", theirs / other[1])
    found = leakage(train, test)
    assert found.touched == {"picture": 1, "picture alike": 1}
    by_kind = {match.kind: match for match in found.matches}
    assert by_kind["picture"].train == f"train/1 {train.items[1].candidates[0].id}"
    assert by_kind["picture alike"].train == f"train/1 {train.items[1].candidates[1].id}"
    assert by_kind["picture alike"].test == f"test/2 {test.items[2].candidates[1].id}"
    json.dumps(found.as_dict(), allow_nan=False)


def test_plain_pictures_do_not_match_by_look(toy: Toy, tmp_path: Path) -> None:
    """All flat pictures have one hash; that makes them no copies of each other."""
    sets = []
    for name, level in (("train", 200), ("test", 60)):
        folder = tmp_path / name
        folder.mkdir()
        Image.new("L", (50, 50), level).save(folder / "flat.png")
        sets.append(toy(2, root=folder, image=lambda k, role: "flat.png", name=name))
    found = leakage(*sets)
    assert "picture alike" not in found.touched


def test_near_hashes_against_brute_force() -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2**63, 40, dtype=np.uint64)
    b = np.concatenate([a[:5] ^ np.uint64(0b1011), rng.integers(0, 2**63, 30, dtype=np.uint64)])
    brute = {
        (i, j, int(x ^ y).bit_count())
        for i, x in enumerate(a.tolist())
        for j, y in enumerate(b.tolist())
        if int(x ^ y).bit_count() <= 6
    }
    assert set(near(a, b, within=6)) == brute
    assert {(i, i, 3) for i in range(5)} <= brute


def test_the_hash_survives_scale_and_compression_but_not_another_scene(tmp_path: Path) -> None:
    bits = []
    for seed in range(20):
        scene(seed, 320).save(tmp_path / "a.png")
        scene(seed, 320).resize((120, 120)).save(tmp_path / "b.jpg", quality=50)
        scene(seed + 100, 320).save(tmp_path / "c.png")
        one, same, other = (glance(tmp_path / name).dhash for name in ("a.png", "b.jpg", "c.png"))
        assert (one ^ same).bit_count() <= 6
        bits.append((one ^ other).bit_count())
    assert min(bits) > 6


def test_an_absent_side_is_said(toy: Toy) -> None:
    found = leakage(toy(2, seed=1), toy(2, seed=1))
    assert found.pictures == 0 and found.touched["phrase"] == 2
    assert found.sentences()[-1].startswith("No pictures were compared")


def test_the_sample_shares_everything_with_itself() -> None:
    sample = load("sample")
    found = leakage(sample, sample)
    assert found.touched["picture"] == len(sample) == found.touched["phrase"]
    assert "picture alike" not in found.touched


@pytest.mark.data
def test_admires_train_and_dev_are_apart(admire: Path) -> None:
    train, dev = (load(f"admire-a/pt/{split}", data=admire) for split in ("train", "dev"))
    assert leakage(train, dev).clean
