"""Compun's nouns and pictures, and folders of classes."""

from __future__ import annotations

import csv
import json
import re
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from trope.errors import TropeError
from trope.item import Role
from trope.prompt import get
from trope.read import load
from trope.report.table import estimates
from trope.verbs import run

NOUNS = ("snow ball", "snowball", "Tea cup", "raincoat")
LOOKER = """
import numpy as np
from PIL import Image
from trope.score.faces import Encoder

class Looker(Encoder):
    sees = "picture"

    def fingerprint(self):
        return {"name": "looker"}

    def embed_texts(self, texts):
        return np.array([[1.0, len(t) % 7, t.count("o")] for t in texts])

    def embed_contents(self, contents):
        pictures = [Image.open(c.path).convert("RGB") for c in contents]
        return np.array([np.asarray(picture)[0, 0] + 1.0 for picture in pictures])
"""


def paint(path: Path, colour: tuple[int, int, int]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (4, 4), colour).save(path)


@pytest.fixture
def compun(tmp_path: Path) -> Path:
    """Four nouns with their pictures, each of its own colour."""
    with (tmp_path / "Compun.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["Compound Noun"], *[[noun] for noun in NOUNS]])
    colours = np.random.default_rng(1).integers(0, 255, (12, 3))
    names = [noun + part for noun in NOUNS for part in ("", "_n1", "_n2")]
    for name, colour in zip(names, colours, strict=True):
        paint(tmp_path / "nnc_images" / f"{name}.png", tuple(int(c) for c in colour))
    return tmp_path


@pytest.fixture
def looker(tmp_path: Path) -> str:
    (tmp_path / "looker.py").write_text(LOOKER)
    return f"{tmp_path / 'looker.py'}:Looker"


def test_the_published_400_nouns(shared_data: Path) -> None:
    with (shared_data / "compun" / "Compun.csv").open(newline="", encoding="utf-8") as file:
        nouns = [row["Compound Noun"].strip() for row in csv.DictReader(file)]
    start = time.perf_counter()
    benchmark = load("compun", data=shared_data)
    assert time.perf_counter() - start < 1.0
    assert [item.phrase for item in benchmark] == nouns and len(nouns) == 400
    assert "no picture" in benchmark.notes[0]
    for item in benchmark:
        roles = {c.id.removeprefix(item.phrase): (c.role, c.gain) for c in item.candidates}
        assert roles == {
            "": (Role.positive, 1.0),
            "_n1": (Role.constituent, 0.0),
            "_n2": (Role.constituent, 0.0),
        }
    places = Counter([c.gain for c in item.candidates].index(1.0) for item in benchmark)
    assert all(100 < places[place] < 167 for place in range(3))


def test_every_noun_can_be_reversed(shared_data: Path) -> None:
    """The prompt room needs two words; closed compounds bring theirs."""
    prompt = get("{reversed}")
    for item in load("compun", data=shared_data):
        words = prompt.text(item).split()
        assert len(words) >= 2
        assert sorted("".join(words)) == sorted(item.phrase.replace(" ", "")) or (
            "".join(reversed(words)).lower() == item.phrase.lower()
        )


def test_one_pool(shared_data: Path) -> None:
    start = time.perf_counter()
    benchmark = load("compun?pool=all", data=shared_data)
    assert time.perf_counter() - start < 1.0
    assert benchmark.name == "compun?pool=all"
    first = benchmark.items[0]
    assert len(first.candidates) == 1200
    assert Counter(c.role for c in first.candidates) == {
        Role.positive: 1,
        Role.constituent: 2,
        Role.negative: 1197,
    }
    orders = {tuple(c.id for c in item.candidates) for item in benchmark}
    assert len(orders) == 1


def test_pictures_by_name(compun: Path) -> None:
    benchmark = load("compun", data=compun)
    assert not benchmark.notes
    for item in benchmark:
        for candidate in item.candidates:
            place = benchmark.picture(candidate)
            assert place is not None and place.stem == candidate.id


def test_pictures_in_folders_of_their_name(tmp_path: Path) -> None:
    (tmp_path / "Compun.csv").write_text("Compound Noun\nTea cup\n")
    for number, name in enumerate(("tea_cup", "tea_cup_n1", "tea_cup_n2")):
        paint(tmp_path / name / "anything.jpg", (number, 0, 0))
    item = load("compun", data=tmp_path).items[0]
    assert {c.id: c.image for c in item.candidates} == {
        "Tea cup": "tea_cup/anything.jpg",
        "Tea cup_n1": "tea_cup_n1/anything.jpg",
        "Tea cup_n2": "tea_cup_n2/anything.jpg",
    }


def test_nouns_without_all_pictures_are_counted(compun: Path) -> None:
    (compun / "nnc_images" / "snowball_n2.png").unlink()
    benchmark = load("compun", data=compun)
    assert [item.phrase for item in benchmark] == ["snow ball", "Tea cup", "raincoat"]
    assert benchmark.notes == ("1 of 4 nouns lack a picture and are left out",)


def test_strict_choice_by_hand(compun: Path, looker: str) -> None:
    """The right picture beats both others; cosines worked out anew."""
    made = run("compun", looker, "photo", data=compun)[0]
    right, winning = [], []
    for noun in NOUNS:
        text = f"A photo of a {noun}"
        vector = np.array([1.0, len(text) % 7, text.count("o")])
        scores = []
        for part in ("", "_n1", "_n2"):
            pixel = Image.open(compun / "nnc_images" / f"{noun}{part}.png").getpixel((0, 0))
            content = np.array(pixel, dtype=float) + 1
            scores.append(vector @ content / np.linalg.norm(vector) / np.linalg.norm(content))
        right.append(scores[0] > scores[1] and scores[0] > scores[2])
        if right[-1]:
            winning.append(scores[0])
    found = estimates(made)
    assert 0 < sum(right) < 4, "a test that can fail"
    assert found["strict"].value == pytest.approx(np.mean(right))
    assert found["winning_score"].value == pytest.approx(np.mean(winning), abs=1e-6)


def test_labels_split_the_nouns(compun: Path) -> None:
    with pytest.raises(TropeError, match=r"labels\.csv to take labels from"):
        load("compun?label=either", data=compun)
    (compun / "labels.csv").write_text("Compound Noun,label\nsnow ball,both\nTea cup,Either\n")
    assert [i.phrase for i in load("compun?label=either", data=compun)] == ["Tea cup"]
    assert load("compun?label=both", data=compun).name == "compun?label=both"
    with pytest.raises(TropeError, match="has the label 'none'"):
        load("compun?label=none", data=compun)
    with pytest.raises(TropeError, match="There is no label 'neither'"):
        load("compun?label=neither", data=compun)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Compound Noun,label\nsnow ball,perhaps\n", "line 2: label is either, both, none"),
        ("Compound Noun,label\ncold feet,none\n", "line 2: 'cold feet' isn't in Compun.csv"),
        ("Compound Noun,label\nTea cup,none\ntea cup,both\n", "line 3: .*another label"),
        ("noun,label\nTea cup,none\n", "has no column 'Compound Noun'"),
    ],
)
def test_bad_labels_get_a_sentence(compun: Path, text: str, said: str) -> None:
    (compun / "labels.csv").write_text(text)
    with pytest.raises(TropeError, match=said):
        load("compun", data=compun)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Compound Noun\n", "holds no noun"),
        ("Compound Noun\nsnow ball\nSnow  ball\n", "line 3: .*stands on line 2 already"),
        ("Noun\nsnow ball\n", "has no column 'Compound Noun'"),
        ("", "is empty"),
    ],
)
def test_bad_tables_get_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "Compun.csv").write_text(text)
    with pytest.raises(TropeError, match=said):
        load("compun", data=tmp_path)


def test_two_pictures_for_one_name(compun: Path) -> None:
    paint(compun / "more" / "SNOW BALL_N1.jpg", (0, 0, 0))
    with pytest.raises(TropeError, match="Two pictures could be 'snow ball n1'"):
        load("compun", data=compun)


def test_exemplar_counts_in_one_command(trope, compun: Path, looker: str) -> None:  # type: ignore[no-untyped-def]
    """Table 2: the same captions, the first N of them, one run each."""
    captions = {noun: [f"{noun} {word}" for word in ("one", "two", "three")] for noun in NOUNS}
    (compun / "captions.json").write_text(json.dumps(captions))
    words = [f"--prompt=examples:{compun / 'captions.json'}?first={n}" for n in (1, 2, 3)]
    result = trope("run", "compun", "--data", compun, "-m", looker, *words, "--json")
    assert result.returncode == 0, result.stderr
    runs = [json.loads(line) for line in result.stdout.splitlines()]
    assert len({run["fingerprint"] for run in runs}) == 3
    assert all(run["measures"]["strict"]["n"] == 4 for run in runs)


# -- classes ---------------------------------------------------------------------------------------


@pytest.fixture
def zoo(tmp_path: Path) -> Path:
    root = tmp_path / "zoo"
    random = np.random.default_rng(7)
    for number, name in enumerate(("polar_bear", "zebra", "ox")):
        for n in range(3 + number):
            paint(root / name / f"{n}.png", tuple(int(c) for c in random.integers(0, 255, 3)))
    return root


def test_classification_against_sklearn(zoo: Path, looker: str) -> None:
    from sklearn.metrics import accuracy_score, balanced_accuracy_score

    made = run("classes", looker, "photo", data=zoo)[0]
    table = made.table
    names = ["ox", "polar bear", "zebra"]
    assert table.phrases == names
    truth = [Path(c).parts[0].replace("_", " ") for c in table.candidates[0]]
    said = [names[int(np.argmax(table.score[:, n]))] for n in range(len(truth))]
    found = estimates(made)
    assert found["accuracy"].value == pytest.approx(accuracy_score(truth, said))
    assert found["macro_accuracy"].value == pytest.approx(balanced_accuracy_score(truth, said))
    assert 0 < found["accuracy"].value < 1 and found["accuracy"].n == 12
    assert "top5_accuracy" not in found


def test_better_names_for_classes(zoo: Path) -> None:
    (zoo / "classes.csv").write_text("folder,name\nox,domestic ox\n")
    assert [item.phrase for item in load("classes", data=zoo)] == [
        "domestic ox",
        "polar bear",
        "zebra",
    ]


def test_one_command_for_classes(trope, zoo: Path, looker: str) -> None:  # type: ignore[no-untyped-def]
    result = trope("run", "classes", "--data", zoo, "-m", looker, "--prompt", "photo")
    assert result.returncode == 0, result.stderr
    assert "accuracy" in result.stdout and "Guessing gives .33" in result.stdout


def test_folders_that_are_no_classes(tmp_path: Path) -> None:
    paint(tmp_path / "only" / "1.png", (0, 0, 0))
    with pytest.raises(TropeError, match=re.escape("holds 1 folders with pictures")):
        load("classes", data=tmp_path)
    with pytest.raises(TropeError, match="needs its published files"):
        load("classes")
