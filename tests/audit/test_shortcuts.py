"""Benchmarks built to be passed by a shortcut are passed by that shortcut."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
from PIL import Image, ImageDraw

from trope.audit.look import glance, glances
from trope.audit.shortcuts import best_by_luck, shortcuts
from trope.errors import InputError, MissingExtra, TropeError
from trope.item import Benchmark, Candidate, Role, Sense
from trope.runs import Run
from trope.score.faces import Content, Encoder

Toy = Callable[..., Benchmark]
Answered = Callable[..., Run]


def found(benchmark: Benchmark, **options: Any) -> dict[str, Any]:
    return {s.name: s for s in shortcuts(benchmark, **options).shortcuts}


class Letters(Encoder):
    """Counts letters: a text is like another that is spelled with the same ones."""

    def fingerprint(self) -> dict[str, str]:
        return {"name": "letters"}

    def embed_texts(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        return np.array(
            [[t.count(chr(97 + k)) for k in range(26)] for t in texts], dtype=np.float32
        )

    def embed_contents(self, contents: Sequence[Content]) -> np.ndarray[Any, Any]:
        return self.embed_texts([str(content) for content in contents])


def test_long_right_captions_are_found(toy: Toy, answered: Answered) -> None:
    benchmark = toy(20, caption=lambda k, role, gain: "x" * int(10 * gain))
    result = shortcuts(benchmark, [answered(benchmark, lambda item, c: 0.0)])
    assert result.best is not None and result.best.name == "longest caption"
    assert result.best.top1.value == 1.0 and result.best.holm < 0.001
    worst = next(s for s in result.shortcuts if s.name == "shortest caption")
    assert worst.top1.value == 0.0
    gain = result.gains[0]
    assert gain.over_best.value == pytest.approx(-0.8)
    assert gain.over_chance.value == pytest.approx(0.0)
    assert any("'longest caption'" in line for line in result.sentences())


def test_chance_is_exact_and_luck_is_said(toy: Toy) -> None:
    result = shortcuts(toy(20))
    assert result.chance == pytest.approx(0.2)
    assert result.luck > result.chance
    assert any("by luck alone" in line for line in result.sentences())
    assert any("probably a little worse" in line for line in result.sentences())


def test_best_by_luck_against_plain_simulation() -> None:
    chance = np.array([0.2] * 10 + [0.5] * 5)
    rng = np.random.default_rng(0)
    drawn = rng.random((4000, 6, 15)) < chance
    plain = drawn.mean(axis=2).max(axis=1).mean()
    assert best_by_luck(chance, 6, seed=3) == pytest.approx(plain, abs=0.01)


def test_position_and_names_are_found(toy: Toy) -> None:
    benchmark = toy(12)

    def sort(by: Callable[[Candidate], Any]) -> Benchmark:
        items = tuple(
            msgspec.structs.replace(item, candidates=tuple(sorted(item.candidates, key=by)))
            for item in benchmark.items
        )
        return msgspec.structs.replace(benchmark, items=items)

    assert found(sort(lambda c: -(c.gain or 0)))["first in the list"].top1.value == 1.0
    assert found(sort(lambda c: c.gain or 0))["last in the list"].top1.value == 1.0
    named = shortcuts(sort(lambda c: c.id))
    assert not any(s.feature == "name" for s in named.shortcuts), "the same order is tried once"
    assert "first by file name" in found(benchmark)


def test_words_in_common_and_their_absence_split_the_senses(toy: Toy) -> None:
    def caption(k: int, role: Role, gain: float) -> str:
        return f"phrase {k}" if role == Role.literal else "nothing of it"

    overlap = found(toy(20, caption=caption))["most words of the phrase"]
    assert overlap.by_sense["literal"].value == 1.0
    assert overlap.by_sense["idiomatic"].value == 0.0
    assert overlap.top1.value == pytest.approx(0.5)


def test_the_phrase_blind_see_what_right_answers_have_in_common(toy: Toy) -> None:
    def caption(k: int, role: Role, gain: float) -> str:
        return "zebra quiz" if gain == 5 else "hello moon"

    hit = found(toy(16, caption=caption), encoder=Letters())["like other right answers"]
    assert hit.top1.value == 1.0 and hit.holm < 0.01


def test_a_prior_never_learns_from_its_own_phrase(toy: Toy) -> None:
    """Each phrase's right answers are marked in a way of their own: nothing carries over."""

    def caption(k: int, role: Role, gain: float) -> str:
        return chr(97 + k) * 5 if gain == 5 else chr(110 + k)

    hit = found(toy(12, caption=caption), encoder=Letters())["like other right answers"]
    assert hit.top1.value == pytest.approx(0.2)


def test_sentence_blind_is_the_encoder_with_the_phrase_alone(toy: Toy) -> None:
    def caption(k: int, role: Role, gain: float) -> str:
        return f"phrase {k}" if gain == 5 else "zzz"

    names = found(toy(8, caption=caption), encoder=Letters())
    assert names["nearest to the phrase"].top1.value == 1.0
    assert names["farthest from the phrase"].top1.value == 0.0


def pictured(toy: Toy, folder: Path, draw: Callable[[Role], Image.Image], n: int = 6) -> Benchmark:
    for role in (r for r in Role if r.value in ROLES):
        draw(role).save(folder / f"{role}.png")
    return toy(n, root=folder, image=lambda k, role: f"{role}.png", senses=(Sense.idiomatic,))


ROLES = ("idiomatic", "idiomatic_related", "literal_related", "literal", "distractor")


def test_the_brightest_picture_is_found(toy: Toy, tmp_path: Path) -> None:
    def draw(role: Role) -> Image.Image:
        level = 250 if role == Role.idiomatic else 20 * ROLES.index(role)
        return Image.new("RGB", (64, 64), (level, level, level))

    names = found(pictured(toy, tmp_path, draw))
    assert names["brightest picture"].top1.value == 1.0
    assert names["darkest picture"].top1.value == 0.0


def test_busy_pictures_and_writing_are_found(toy: Toy, tmp_path: Path) -> None:
    def draw(role: Role) -> Image.Image:
        picture = Image.new("L", (256, 256), 255)
        pen = ImageDraw.Draw(picture)
        if role == Role.idiomatic:
            for x in range(16, 112, 4):
                pen.rectangle((x, 64, x + 1, 96), fill=0)
        else:
            pen.rectangle((40, 40, 200, 150 + ROLES.index(role)), fill=90)
        return picture

    names = found(pictured(toy, tmp_path, draw))
    assert names["most text-like strokes"].top1.value == 1.0
    assert "proxy" in names["most text-like strokes"].about
    assert names["busiest picture"].top1.value == 1.0


def test_absent_and_broken_pictures_are_counted(toy: Toy, tmp_path: Path) -> None:
    def draw(role: Role) -> Image.Image:
        return Image.effect_noise((32, 32), 20 + 10 * ROLES.index(role))

    benchmark = pictured(toy, tmp_path, draw)
    (tmp_path / "literal.png").unlink()
    (tmp_path / "distractor.png").write_bytes(b"no picture")
    seen = glances(benchmark)
    assert (seen.absent, len(seen.broken), len(seen.by_image)) == (6, 1, 3)
    result = shortcuts(benchmark)
    assert any("6 of 30 candidates have no picture" in line for line in result.left_out)
    assert any("can't be read" in line for line in result.left_out)
    assert not any(s.sees == "picture" for s in result.shortcuts)
    with pytest.raises(InputError):
        glance(tmp_path / "literal.png")


def test_text_is_read_where_an_ocr_model_is_installed(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark = pictured(toy, tmp_path, lambda role: Image.new("L", (32, 32), 9))

    def engine() -> Callable[[str], Any]:
        return lambda path: SimpleNamespace(txts=("A B",) if "/idiomatic.png" in path else None)

    monkeypatch.setitem(sys.modules, "rapidocr", SimpleNamespace(RapidOCR=engine))
    assert found(benchmark, ocr=True)["most text read"].top1.value == 1.0
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    with pytest.raises(MissingExtra, match="rapidocr"):
        shortcuts(benchmark, ocr=True)


def test_no_gold_and_no_captions(toy: Toy) -> None:
    benchmark = toy(4)

    def without(**changes: Any) -> Benchmark:
        return msgspec.structs.replace(
            benchmark,
            items=tuple(
                msgspec.structs.replace(
                    item,
                    candidates=tuple(
                        msgspec.structs.replace(c, **changes) for c in item.candidates
                    ),
                )
                for item in benchmark.items
            ),
        )

    with pytest.raises(TropeError, match="no gold"):
        shortcuts(without(gain=None))
    result = shortcuts(without(captions={}), encoder=Letters())
    assert {s.sees for s in result.shortcuts} == {"position"}
    assert any("no captions" in line for line in result.left_out)


def test_a_single_item_is_measured_without_a_word_too_many(toy: Toy, answered: Answered) -> None:
    benchmark = toy(1)
    result = shortcuts(benchmark, [answered(benchmark, lambda i, c: c.gain)], encoder=Letters())
    assert all(s.holm == 1.0 for s in result.shortcuts)
    assert "isn't shown to beat" in result.sentences()[-2] or result.gains[0].over_best.value <= 0
    json.dumps(result.as_dict(), allow_nan=False)
