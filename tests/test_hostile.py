"""What was found by feeding trope thousands of malformed inputs stays mended."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import trope
from trope.atomic import write, write_all
from trope.cli import _run
from trope.errors import InputError, TropeError
from trope.read import load
from trope.read.folder import SAMPLE
from trope.runs import META, SCORES, Run
from trope.score import load_scorer
from trope.verbs import keep


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    return keep(trope.run("sample", "random?seed=1")[0], tmp_path / "runs")


def said(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """The one sentence a command ends with; exit code 2."""
    code = _run([str(word) for word in words], debug=False)
    error = capsys.readouterr().err
    assert code == 2, (code, error)
    assert "Traceback" not in error and error.splitlines()[-1].startswith("trope: ")
    return error.splitlines()[-1]


def test_a_device_or_a_pipe_is_never_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="isn't a regular file"):
        write(pipe, "x")
    assert pipe.is_fifo()


def test_of_several_files_all_are_written_or_none(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    with pytest.raises(InputError):
        write_all({tmp_path / "a": "1", tmp_path / "b": "2"})
    assert not (tmp_path / "a").exists()
    (tmp_path / "a").write_text("old")
    with pytest.raises(InputError):
        write_all({tmp_path / "a": "new", tmp_path / "b": "2"})
    assert (tmp_path / "a").exists()


@pytest.mark.parametrize(
    "pattern",
    ["{phrase!r:>999999999}", "{phrase:d}", "{phrase!z}", "{phrase:{phrase.__class__}}", "{0}"],
)
def test_patterns_hold_plain_fields_only(pattern: str) -> None:
    with pytest.raises(TropeError):
        load_scorer(f"vectors:a.npz?text={pattern}")


DAMAGE = {
    "benchmark.task": [None, [], {}],
    "benchmark.hash": [None, [], ""],
    "benchmark.gold": [[], {}],
    "model.sees": [[], 1],
    "model.address": [None, 3],
    "versions": [None, 1, []],
    "counts.missing": ["0", None],
    "fingerprint": [None, 7],
    "prompt": [None, "phrase"],
}


@pytest.mark.parametrize(("where", "value"), [(k, v) for k, vs in DAMAGE.items() for v in vs])
def test_a_damaged_run_json_is_named(
    where: str, value: object, run_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    meta = json.loads((run_folder / META).read_text())
    part, _, name = where.partition(".")
    if name:
        meta[part][name] = value
    else:
        meta[part] = value
    (run_folder / META).write_text(json.dumps(meta))
    assert "run.json" in said(capsys, "show", run_folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.with_columns(pl.lit(1).alias("item")),
        lambda f: f.with_columns(pl.lit(None, dtype=pl.String).alias("candidate")),
        lambda f: f.with_columns(pl.col("score").cast(pl.String)),
        lambda f: f.with_columns(pl.lit("zzz").alias("role")),
        lambda f: f.with_columns(pl.lit("both").alias("sense")),
        lambda f: f.with_columns(pl.lit(float("inf")).alias("gain")),
        lambda f: f.with_columns(pl.lit("changed").alias("phrase")),
        lambda f: f.drop("gain"),
        lambda f: f.head(0),
        lambda f: f.reverse(),
    ],
)
def test_a_changed_table_is_refused(change, run_folder: Path, capsys) -> None:
    change(pl.read_parquet(run_folder / SCORES)).write_parquet(run_folder / SCORES)
    assert "scores.parquet" in said(capsys, "show", run_folder)


def test_a_full_disk_while_a_run_is_saved(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys
) -> None:
    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    line = said(capsys, "run", "sample", "-m", "random?seed=1", "--out", tmp_path / "r")
    assert "No space left" in line and "free some space" in line
    assert not [path for path in (tmp_path / "r").rglob("*") if path.is_file()]


def test_lines_that_differ_in_their_keys(tmp_path: Path, capsys) -> None:
    path = tmp_path / "a.jsonl"
    item = load("sample").items[0]
    whole = {"item": item.id, "candidate": item.candidates[0].id, "score": 1.0}
    path.write_text(json.dumps(whole) + "\n" + json.dumps({"item": item.id}))
    assert "line 2: no 'candidate', 'score'" in said(capsys, "score", "sample", path)


def test_a_zip_with_damaged_bytes(tmp_path: Path, capsys) -> None:
    path = tmp_path / "s.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("submission_EN.tsv", "compound\texpected_order\n" * 50)
    data = bytearray(path.read_bytes())
    for place in range(45, 60):
        data[place] ^= 0xFF
    path.write_bytes(data)
    assert "make the archive again" in said(capsys, "score", "sample", path)


@pytest.mark.parametrize("value", [b"odd", b"", "text", 7, np.full(256, np.nan, "f4").tobytes()])
def test_damaged_answers_in_the_cache_are_computed_anew(value: object, own_cache: Path) -> None:
    whole = trope.run("sample", "wordllama", "phrase")[0]
    with sqlite3.connect(own_cache / "answers.sqlite") as db:
        db.execute("UPDATE answers SET value = ?", (value,))
    again = trope.run("sample", "wordllama", "phrase")[0]
    assert again.meta == whole.meta


def test_vectors_of_two_widths_in_the_cache_are_noticed(own_cache: Path, capsys) -> None:
    trope.run("sample", "wordllama", "phrase")
    with sqlite3.connect(own_cache / "answers.sqlite") as db:
        first = "(SELECT key FROM answers LIMIT 1)"
        db.execute(f"UPDATE answers SET value = ? WHERE key = {first}", (bytes(np.ones(8, "f4")),))
    assert "is damaged; delete it" in said(capsys, "run", "sample", "--prompt", "phrase")


def test_a_scorer_that_exits_or_shouts_gets_one_line(tmp_path: Path, capsys) -> None:
    path = tmp_path / "m.py"
    for body in ("raise SystemExit('bye')", "raise ValueError('a\\nb\\x1b[31m')", "return ['x']"):
        path.write_text(
            "from trope.score import Judge\n"
            "class M(Judge):\n"
            "    def fingerprint(self): return {'name': 'm'}\n"
            f"    def judge(self, pairs): {body}\n"
        )
        line = said(capsys, "run", "sample", "-m", f"{path}:M")
        assert "M failed" in line and "\x1b" not in line
    path.write_text("raise SystemExit(3)")
    assert "can't be made" in said(capsys, "run", "sample", "-m", f"{path}:M")


def test_pipes_in_the_data_are_not_waited_for(tmp_path: Path, capsys) -> None:
    os.mkfifo(tmp_path / "subtask_a_dev.tsv")
    line = said(capsys, "run", "admire-a/en/dev", "--data", tmp_path)
    assert "No subtask_a_dev.tsv" in line
    folder = Path(shutil.copytree(SAMPLE, tmp_path / "copy"))
    (folder / "manifest.sha256").unlink()
    picture = next((folder / "images").iterdir())
    picture.unlink()
    os.mkfifo(picture)
    assert picture.name in said(capsys, "run", folder)


def test_odd_paths_and_names_get_a_sentence(tmp_path: Path, capsys) -> None:
    assert "home folder" in said(capsys, "run", "~nobody-of-this-name/x")
    assert len(said(capsys, "run", "./" + "x" * 5000)) < 500
    assert "--zzz. See" in said(capsys, "run", "sample", "--zzz")
    assert _run([], debug=False) == 0
    assert "demo" in capsys.readouterr().out


def test_a_submission_of_other_files_is_refused(tmp_path: Path, admire: Path, capsys) -> None:
    made = trope.run("admire-a/en/dev", "random?seed=1", data=admire, out=tmp_path / "runs")[0]
    assert len(made.table) == 15
    copy = tmp_path / "d"
    copy.mkdir()
    text = (admire / "subtask_a/EN/dev/subtask_a_dev.tsv").read_text(encoding="utf-8")
    (copy / "subtask_a_dev.tsv").write_text(text.replace("monkey", "donkey"), encoding="utf-8")
    words = ("submit", tmp_path / "runs", "-o", tmp_path / "s", "--data", copy)
    assert "aren't the admire-a/en/dev" in said(capsys, *words)


def test_blank_lines_before_the_header(tmp_path: Path, admire: Path) -> None:
    gold = (admire / "subtask_a/EN/dev/a_en_dev_targets.tsv").read_text(encoding="utf-8")
    path = tmp_path / "s.tsv"
    path.write_text("\n\n" + gold, encoding="utf-8")
    run = trope.run("admire-a/en/dev", f"predictions:{path}", data=admire)[0]
    assert run.meta["counts"]["missing"] == 0


def test_runs_are_read_back_whole(run_folder: Path) -> None:
    assert Run.load(run_folder).table.labelled


def test_an_empty_answer_file_is_named(tmp_path: Path, capsys) -> None:
    (tmp_path / "empty.tsv").touch()
    line = said(capsys, "score", "sample", tmp_path / "empty.tsv")
    assert line.endswith("empty.tsv is empty; expected a header and rows.")
