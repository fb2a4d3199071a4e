"""All of it together, on the sample."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import trope.audit
from trope import prompt as prompts
from trope.audit import audit
from trope.errors import InputError
from trope.item import Benchmark
from trope.read import load
from trope.runs import Run
from trope.score import load_scorer

LIBRARIES = ("torch", "transformers", "onnxruntime", "wordllama", "rapidocr", "scipy", "matplotlib")


def test_the_sample_is_audited_in_words(answered: Callable[..., Run]) -> None:
    sample = load("sample")
    run = answered(sample, lambda item, c: float(c.role == "literal"), "literalist")
    people = np.array([[[5 - (c.gain or 0) for c in i.candidates] for i in sample.items]] * 2)
    found = audit(
        sample,
        [run],
        train=sample,
        scorers=[(a, load_scorer(a)) for a in ("random?seed=1", "overlap", "wordllama")],
        prompt=prompts.get("phrase"),
        people=people,
    )
    text = found.text()
    assert max(len(line) for line in text.splitlines()) <= 80
    for heading in ("Shortcuts", "Where literalist fails", "Leakage", "Order", "Priors", "People"):
        assert heading in text
    assert "nan" not in text
    whole = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert whole["literal_pull"][0]["figurative"]["share"]["value"] == 1.0
    assert whole["leakage"]["touched"]["phrase"] == len(sample)
    assert whole["ceiling"]["kendall"]["value"] == 1.0
    assert len(whole["priors"]) == 2 and len(whole["order"]) == 1


def test_a_benchmark_alone_can_be_audited(toy: Callable[..., Benchmark]) -> None:
    found = audit(toy(6), encoder=None)
    assert found.shortcuts is not None and not found.pulls
    assert "No encoder was given" in found.text()


def test_a_run_on_another_benchmark_is_refused(
    toy: Callable[..., Benchmark], answered: Callable[..., Run]
) -> None:
    with pytest.raises(InputError, match="isn't a run on"):
        audit(toy(6), [answered(toy(6, seed=9), lambda i, c: 0.0)], encoder=None)


def test_a_ranker_is_no_encoder(toy: Callable[..., Benchmark]) -> None:
    with pytest.raises(InputError, match="no encoder"):
        audit(toy(2), encoder="random")


@pytest.mark.parametrize(
    "path", sorted(Path(trope.audit.__file__).parent.glob("*.py")), ids=lambda p: p.stem
)
def test_no_model_library_at_the_top(path: Path) -> None:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        assert not any(name.split(".")[0] in LIBRARIES for name in names)


def test_importing_the_rooms_loads_no_model() -> None:
    rooms = [p.stem for p in Path(trope.audit.__file__).parent.glob("*.py") if p.stem[0] != "_"]
    code = "; ".join(f"import trope.audit.{room}" for room in rooms)
    check = f"import sys; {code}; print([m for m in {LIBRARIES!r} if m in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


@pytest.mark.data
def test_a_caption_reader_is_drawn_to_literal_pictures(admire: Path) -> None:
    from trope.audit.literal_pull import literal_pull
    from trope.verbs import run

    made = run("admire-a/en/train", "wordllama", "phrase", data=admire)[0]
    found = literal_pull(made)
    assert found.figurative.share.low > found.figurative.chance
    assert found.margin["idiomatic"].high < 0
