"""MetaCLUE: the documented JSON, its four tasks, the negatives, and replies from files."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from trope.errors import InputError
from trope.read import load
from trope.read.metaclue import QUESTIONS, Statement, question
from trope.read.words import normalised

PARTS = [
    ("the phone", "fast", "a rocket ship"),
    ("the shoe", "customisable", "an unusual foot"),
    ("a pencil", "red", "a fire truck"),
    ("the car", "adventurous", "a spaceship"),
    ("an elephant", "prone to damage", "a wall"),
    ("this vehicle", "capable", "ants"),
]


def picture(n: int, **more: object) -> dict[str, object]:
    primary, relation, secondary = PARTS[n]
    return {
        "image": f"ads/{n}.png",
        "votes": [True, True, True, False, False],
        "statements": [{"primary": primary, "relation": relation, "secondary": secondary}],
        "boxes": [
            {"box": [0, 0, 10, 10], "type": "explicit", "concept": "primary", "annotator": "a"},
            {"box": [1, 0, 10, 10], "type": "explicit", "concept": "primary", "annotator": "b"},
            {"box": [20, 20, 30, 30], "type": "contextual", "concept": "secondary"},
        ],
    } | more


def write(folder: Path, *pictures: dict[str, object]) -> Path:
    text = "".join(json.dumps(one) + "\n" for one in pictures)
    (folder / "metaclue.jsonl").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    plain = {"image": "ads/plain.png", "is_metaphor": False}
    second = {"primary": "the phone", "relation": "quick", "secondary": "a jet", "validity": 0.2}
    own = picture(0)
    own["statements"] = [second, {**own["statements"][0], "validity": 0.8}]  # type: ignore[index]
    folder = tmp_path / "data"
    folder.mkdir()
    return write(folder, own, *[picture(n) for n in range(1, 6)], plain)


# -- the facts -----------------------------------------------------------------------------------


def test_the_six_questions_are_the_papers() -> None:
    """A snapshot: a changed comma is a changed experiment (supplement, section B.2)."""
    said = [question(Statement("PRIMARY", "RELATION", "SECONDARY"), n) for n in range(6)]
    assert said == [
        "What is used as a visual metaphor for SECONDARY?",
        "What is as RELATION as SECONDARY?",
        "What is PRIMARY a visual metaphor for?",
        "What is PRIMARY as RELATION as?",
        "What is PRIMARY as compared to SECONDARY?",
        "What is PRIMARY like compared to SECONDARY?",
    ]
    assert [part for part, _ in QUESTIONS] == ["primary"] * 2 + ["secondary"] * 2 + ["relation"] * 2
    assert str(Statement("X", "R", "Y")) == "X is as R as Y"


def test_a_majority_of_votes_makes_a_metaphor(data: Path) -> None:
    benchmark = load("metaclue-classification", data=data)
    assert [item.candidates[0].gain for item in benchmark] == [1, 1, 1, 1, 1, 1, 0]
    assert benchmark.task == "classification" and len(benchmark) == 7


# -- retrieval -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "kept"),
    [
        ("random", ()),
        ("primary", ("relation", "secondary")),
        ("secondary", ("primary", "relation")),
        ("primary+relation", ("secondary",)),
        ("secondary+relation", ("primary",)),
    ],
)
def test_negatives_change_what_they_say_and_are_never_true(
    data: Path, kind: str, kept: tuple[str, ...]
) -> None:
    benchmark = load(f"metaclue-retrieval?k=5&negatives={kind}", data=data)
    statements = {
        n: dict(zip(("primary", "relation", "secondary"), p, strict=True))
        for n, p in enumerate(PARTS)
    }
    assert len(benchmark) == 6 and benchmark.task == "retrieval"
    for n, item in enumerate(benchmark):
        right = [c for c in item.candidates if c.gain == 1]
        wrong = [c.id for c in item.candidates if c.gain == 0]
        true = "{primary} is as {relation} as {secondary}".format(**statements[n])
        assert [c.id for c in right] == [true] and len(wrong) == 4  # the best validated one
        assert len(set(wrong)) == 4
        assert n > 0 or "the phone is as quick as a jet" not in wrong
        for text in wrong:
            for part in kept:
                assert statements[n][part] in text
        if kind == "random":
            assert all(any(normalised(p) in normalised(t) for p, _, _ in PARTS) for t in wrong)


def test_the_draw_is_the_seeds(data: Path) -> None:
    def texts(options: str) -> list[list[str]]:
        return [
            [c.id for c in item.candidates]
            for item in load(f"metaclue-retrieval?{options}", data=data)
        ]

    assert texts("k=4") == texts("k=4&seed=0") != texts("k=4&seed=1")
    places = [
        row.index(next(t for t in row if t.split(" is as ")[0] == PARTS[n][0] and PARTS[n][2] in t))
        for n, row in enumerate(texts("k=4"))
    ]
    assert len(set(places)) > 1  # the true one isn't always in one place


def test_shuffled_lines_give_the_same_negatives(data: Path, tmp_path: Path) -> None:
    lines = (data / "metaclue.jsonl").read_text("utf-8").splitlines()
    random.Random(3).shuffle(lines)
    other = tmp_path / "other"
    other.mkdir()
    (other / "metaclue.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    one, two = (
        {i.id: [c.id for c in i.candidates] for i in load("metaclue-retrieval?k=4", data=place)}
        for place in (data, other)
    )
    assert one == two


def test_too_few_negatives_are_said(data: Path) -> None:
    with pytest.raises(InputError, match="k=50 needs 49; ask for k="):
        load("metaclue-retrieval", data=data)
    with pytest.raises(InputError, match="negatives must be one of"):
        load("metaclue-retrieval?k=3&negatives=hard", data=data)


def test_retrieval_runs(data: Path, trope, tmp_path: Path) -> None:
    where = ("metaclue-retrieval?k=4", "--data", data)
    assert trope("run", *where, "-m", "random", "--json").returncode == 0
    benchmark = load("metaclue-retrieval?k=4", data=data)
    rows = [(i.id, c.id, c.gain) for i in benchmark for c in i.candidates]
    answers = tmp_path / "a.jsonl"
    answers.write_text(
        "".join(json.dumps({"item": a, "candidate": b, "score": c}) + "\n" for a, b, c in rows)
    )
    done = trope("run", *where, "-m", f"predictions:{answers}", "--json")
    assert json.loads(done.stdout)["measures"]["top1"]["value"] == 1
    blind = trope("run", *where, "-m", "wordllama")
    assert blind.returncode == 2 and "reads captions" in blind.stderr


def test_pictures_are_asked_with_vectors_and_encoders(data: Path, trope, tmp_path: Path) -> None:
    benchmark = load("metaclue-retrieval?k=4", data=data)
    texts = sorted({c.id for item in benchmark for c in item.candidates})
    keys = [*texts, *[item.id for item in benchmark]]
    vectors = np.eye(len(texts), dtype=np.float32)
    own = [vectors[texts.index(next(c.id for c in i.candidates if c.gain))] for i in benchmark]
    np.savez(tmp_path / "v.npz", keys=np.array(keys), vectors=np.vstack([vectors, *own]))
    address = f"vectors:{tmp_path / 'v.npz'}?text={{phrase}}&image={{file}}"
    done = trope("run", "metaclue-retrieval?k=4", "--data", data, "-m", address, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["measures"]["top1"]["value"] == 1


COLOURS = """
import numpy as np
from PIL import Image
from trope.score import Encoder, Judge

PRIMARIES = ["the phone", "the shoe", "a pencil", "the car", "an elephant", "this vehicle"]


def place(text):
    return next(i for i, p in enumerate(PRIMARIES) if text.startswith(p))


def shade(content):
    with Image.open(content.path) as image:
        return round(image.convert("L").getpixel((0, 0)) / 40)


class Looks(Encoder):
    sees = "picture"

    def fingerprint(self):
        return {"name": "looks"}

    def embed_texts(self, texts):
        return np.eye(6)[[place(t) for t in texts]]

    def embed_contents(self, contents):
        return np.eye(6)[[shade(c) for c in contents]]


class Judges(Judge):
    sees = "picture"

    def fingerprint(self):
        return {"name": "judges"}

    def judge(self, pairs):
        return [float(place(t) == shade(c)) for t, c in pairs]
"""


@pytest.mark.parametrize("face", ["Looks", "Judges"])
def test_an_encoder_and_a_judge_look_at_the_picture(
    data: Path, trope, tmp_path: Path, face: str
) -> None:
    """Each picture's shade names its statement; the model must have seen picture and text."""
    (data / "ads").mkdir()
    for n in range(6):
        Image.new("RGB", (40, 40), (40 * n,) * 3).save(data / "ads" / f"{n}.png")
    (tmp_path / "own.py").write_text(COLOURS)
    done = trope("run", "metaclue-retrieval?k=4", "--data", data, "-m", f"own.py:{face}", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["measures"]["top1"]["value"] == 1


def test_descriptions_let_a_text_model_answer(tmp_path: Path, trope) -> None:
    write(tmp_path, *[picture(n, descriptions=[" ".join(PARTS[n])]) for n in range(6)])
    done = trope("run", "metaclue-retrieval?k=4", "--data", tmp_path, "-m", "wordllama", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["measures"]["top1"]["value"] > 0.6


# -- classification, questions and boxes ---------------------------------------------------------


def test_classification_from_a_file(data: Path, trope, tmp_path: Path) -> None:
    scores = [0.9, 0.8, 0.7, 0.6, 0.4, 0.9, 0.5]
    names = [*[f"ads/{n}.png" for n in range(6)], "ads/plain.png"]
    file = tmp_path / "yes.jsonl"
    rows = [{"image": n, "score": s} for n, s in zip(names, scores, strict=True)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = trope("score", "metaclue-classification", file, "--data", data, "--json")
    assert done.returncode == 0, done.stderr
    measures = json.loads(done.stdout)["measures"]
    assert measures["accuracy"]["value"] == pytest.approx(5 / 7)
    assert measures["f1"]["value"] == pytest.approx(2 * 5 / (6 + 6))
    assert measures["auc"]["value"] == pytest.approx(5 / 6)
    shown = trope("score", "metaclue-classification", file, "--data", data, "--out", "runs")
    assert (
        "ROC AUC" in trope("run", "metaclue-classification", "--data", data, "-m", "random").stdout
    )
    assert "accuracy" in shown.stdout and list((tmp_path / "runs").rglob("run.json"))


def test_questions_and_answers(data: Path, trope, tmp_path: Path) -> None:
    benchmark = load("metaclue-vqa", data=data)
    assert len(benchmark) == 6 * 7 - 1  # two statements of one picture share a question
    first = benchmark.items[0]
    assert first.phrase == "What is used as a visual metaphor for a jet?"
    both = next(i for i in benchmark if i.phrase == "What is the phone a visual metaphor for?")
    assert {c.id for c in both.candidates} == {"a jet", "a rocket ship"}
    rows = [{"item": item.id, "answer": item.candidates[0].id} for item in benchmark]
    rows[0] = {"image": "ads/0.png", "question": first.phrase, "answer": "The Phone!"}
    rows[1]["answer"] = "a telephone"
    rows[2]["answer"] = None  # type: ignore[assignment]
    file = tmp_path / "words.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows[:-1]))
    done = trope("score", "metaclue-vqa", file, "--data", data, "--json", "--out", "kept")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["measures"]
    n = len(benchmark)
    assert found["accuracy"]["n"] == n - 2 and found["accuracy"]["missing"] == 2
    assert found["accuracy"]["value"] == pytest.approx((n - 3) / (n - 2))
    assert 0.9 < found["similarity"]["value"] < 1
    assert set(found) >= {"accuracy_primary", "accuracy_relation", "similarity_secondary"}
    assert len(list((tmp_path / "kept").glob("*.json"))) == 1
    refused = trope("run", "metaclue-vqa", "--data", data, "-m", "random")
    assert refused.returncode == 2 and "trope score metaclue-vqa FILE" in refused.stderr
    file.write_text('{"item": "no such", "answer": "x"}\n')
    wrong = trope("score", "metaclue-vqa", file, "--data", data)
    assert wrong.returncode == 2 and "line 1" in wrong.stderr


def test_boxes(data: Path, trope, tmp_path: Path) -> None:
    benchmark = load("metaclue-localisation", data=data)
    assert len(benchmark) == 12
    assert {len(item.candidates) for item in benchmark} == {1}  # two annotators drew one box
    rows = [
        {"image": f"ads/{n}.png", "type": kind, "box": box, "score": 0.5}
        for n in range(6)
        for kind, box in (("explicit", [0, 0, 10, 9]), ("contextual", [0, 0, 10, 10]))
    ]
    file = tmp_path / "boxes.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = trope("score", "metaclue-localisation", file, "--data", data, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["measures"]
    assert found["ap50_explicit"]["value"] == 1 and found["ap50_contextual"]["value"] == 0
    assert found["iou_explicit"]["value"] == pytest.approx(0.9)
    for line, says in (
        ({"image": "x.png", "box": [0, 0, 1, 1]}, "no picture 'x.png'"),
        ({"image": "ads/1.png", "box": [5, 0, 1, 1]}, "left, top, right, bottom"),
        ({"image": "ads/1.png", "box": [0, 0, 1, 1], "type": "logo"}, "type"),
        ({"image": "ads/1.png", "box": [0, 0, 1]}, "box"),
    ):
        file.write_text(json.dumps(line) + "\n")
        wrong = trope("score", "metaclue-localisation", file, "--data", data)
        assert wrong.returncode == 2 and "line 1" in wrong.stderr and says in wrong.stderr


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"image": "../up.png"}, "line 2, image"),
        ({"is_metaphor": False}, "line 2, is_metaphor: False, but 3 of 5 votes"),
        ({"votes": [False] * 5}, "line 2, statements"),
        ({"image": "ads/0.png"}, "stands on line 1 already"),
        (
            {"statements": [{"primary": "x", "relation": " ", "secondary": "y"}]},
            r"statements\[0\].relation",
        ),
        ({"boxes": [{"box": [0, 0, 0, 5], "type": "explicit"}]}, r"boxes\[0\].box"),
        ({"boxes": [{"box": [0, 0, 9, 5], "type": "explicit"}], "width": 8}, r"boxes\[0\].box"),
        ({"boxes": [{"box": [0, 0, 1, 1], "type": "vague"}]}, "line 2.*vague"),
        ({"statement": []}, "line 2.*unknown field"),
    ],
)
def test_wrong_annotations_are_named(tmp_path: Path, change: dict[str, object], says: str) -> None:
    write(tmp_path, picture(0), picture(1, **change))
    with pytest.raises(InputError, match=says):
        load("metaclue-vqa", data=tmp_path)
