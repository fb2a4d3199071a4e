"""A judge with known priors gets them told, and taken away."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from trope import prompt as prompts
from trope.audit.priors import priors
from trope.errors import TropeError
from trope.item import Benchmark, Role
from trope.score.chance import Random
from trope.score.faces import Content, Judge, Picture

Toy = Callable[..., Benchmark]
PHRASE = prompts.get("phrase")


def caption(k: int, role: Role, gain: float) -> str:
    """`7 yes 3`: of phrase 7, right, with a prior of 3."""
    prior = {5: 0, 4: 3, 3: 1, 2: 2, 1: 1}[int(gain)]
    return f"{k} {'yes' if gain == 5 else 'no'} {prior}"


class Leaning(Judge):
    """2 for its own phrase's right answer, plus the caption's prior, plus the text's."""

    def fingerprint(self) -> dict[str, str]:
        return {"name": "leaning"}

    def judge(self, pairs: Sequence[tuple[str, Content]]) -> list[float]:
        return [self.one(text, str(content)) for text, content in pairs]

    def one(self, text: str, content: str) -> float:
        base = 10.0 * int(text.split()[1]) if text else 0.0
        if not content:
            return base
        k, answer, prior = content.split()
        return base + float(prior) + 2.0 * (text == f"phrase {k}" and answer == "yes")


def test_priors_are_what_the_toy_adds(toy: Toy) -> None:
    benchmark = toy(10, caption=caption)
    found = priors(benchmark, Leaning(), PHRASE, others=9, label="leaning")
    # Every other text adds its own 10 k: a content's mean over all nine is known.
    for row, item in enumerate(benchmark.items):
        others = np.mean([10.0 * k for k in range(10) if k != row])
        for column, candidate in enumerate(item.candidates):
            prior = float(candidate.captions["en"].split()[2])
            assert found.content[row, column] == pytest.approx(prior + others)
            assert found.null_text[row, column] == pytest.approx(prior)
    assert found.null_content == pytest.approx([10.0 * k for k in range(10)])


def test_taking_the_prior_away_finds_the_right_answer(toy: Toy) -> None:
    found = priors(toy(12, caption=caption), Leaning(), PHRASE, others=11, label="leaning")
    assert found.top1["as given"].value == 0.0, "3 beats 0 + 2"
    assert found.top1["less content prior"].value == 1.0
    assert found.top1["less null text"].value == 1.0
    assert found.change["less null text"].low > 0
    assert found.prior_top1.value == 0.0
    assert found.chosen.value == 1.0 and found.weight > 0.3
    assert any("better" in line for line in found.sentences())
    json.dumps(found.as_dict(), allow_nan=False)


def test_a_judge_without_priors_changes_nothing(toy: Toy) -> None:
    class Fair(Leaning):
        def fingerprint(self) -> dict[str, str]:
            return {"name": "fair"}

        def one(self, text: str, content: str) -> float:
            return float(
                bool(content) and bool(text) and "yes" in content and text[7:] == content[0]
            )

    found = priors(toy(8, caption=caption), Fair(), PHRASE)
    assert found.top1["as given"].value == found.top1["less content prior"].value == 1.0
    assert found.weight == 0.0
    assert found.prior_top1.value == pytest.approx(0.2), "all priors level: blind choice"


def test_pictures_are_judged_against_grey(toy: Toy, tmp_path: Path) -> None:
    for role in Role:
        level = 200 if role == Role.distractor else 10
        Image.new("L", (16, 16), level).save(tmp_path / f"{role}.png")

    class Bright(Judge):
        sees = "picture"

        def fingerprint(self) -> dict[str, str]:
            return {"name": "bright"}

        def judge(self, pairs: Sequence[tuple[str, Content]]) -> list[float]:
            found = []
            for _, content in pairs:
                assert isinstance(content, Picture)
                with Image.open(content.path) as picture:
                    found.append(float(np.asarray(picture.convert("L")).mean()))
            return found

    benchmark = toy(4, root=tmp_path, image=lambda k, role: f"{role}.png")
    found = priors(benchmark, Bright(), PHRASE, label="bright")
    assert found.null_content == pytest.approx([128.0] * 4)
    assert found.chosen.value == 1.0
    assert found.top1["less null text"].value == pytest.approx(0.2), "nothing is left of it"


def test_a_single_phrase_has_no_others(toy: Toy) -> None:
    found = priors(toy(1, caption=caption), Leaning(), PHRASE)
    assert np.isnan(found.content).all() and np.isfinite(found.null_text).all()
    assert found.chosen.n == 0
    assert all("nan" not in line for line in found.sentences())
    json.dumps(found.as_dict(), allow_nan=False)


def test_rankers_have_no_priors(toy: Toy) -> None:
    with pytest.raises(TropeError, match="no priors"):
        priors(toy(2), Random(1), PHRASE)
