"""AdMIRe B: completion and sense stand side by side, as published and against scikit-learn."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from sklearn.metrics import f1_score

from trope.runs import Run

pytestmark = pytest.mark.data


def test_a_submission_is_told_by_both(admire: Path, trope, tmp_path: Path) -> None:
    gold = admire / "subtask_b" / "EN" / "train" / "b_en_train_targets.tsv"
    with gold.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    said = ["idiomatic" if n % 3 else "literal" for n in range(len(rows))]
    right = [n % 4 != 0 for n in range(len(rows))]
    file = tmp_path / "submission_EN.tsv"
    text = "compound\tsentence_type\texpected_item\n"
    for n, row in enumerate(rows):
        item = row["expected_item"] if right[n] else "another.png"
        text += f"{row['compound']}\t{said[n]}\t{item}\n"
    file.write_text(text, encoding="utf-8")
    done = trope("score", "admire-b/en/train", file, "--gold", gold, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    truth = [row["sentence_type"] for row in rows]
    assert found["measures"]["top1"]["value"] == pytest.approx(sum(right) / len(right))
    wanted = f1_score(truth, said, average="macro")
    assert found["measures"]["macro_f1"]["value"] == pytest.approx(wanted)
    same = sum(a == b for a, b in zip(truth, said, strict=True)) / len(said)
    assert found["official"]["sent_all"] == pytest.approx(same)
    assert found["official"]["item_all"] == pytest.approx(sum(right) / len(right))


def test_a_run_on_captions_is_told_by_both(admire: Path, trope, tmp_path: Path) -> None:
    done = trope("run", "admire-b/en/train", "--data", admire, "-m", "wordllama")
    assert done.returncode == 0, done.stderr
    head = next(line for line in done.stdout.splitlines() if line.startswith("model"))
    assert "completion" in head and "sense F1" in head
    (place,) = (tmp_path / "runs").rglob("run.json")
    table = Run.load(place.parent).table
    shown = trope("show", "wordllama", "--json")
    wanted = f1_score(table.senses, table.said, average="macro")
    assert json.loads(shown.stdout)["measures"]["macro_f1"]["value"] == pytest.approx(wanted)
