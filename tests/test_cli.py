"""The command line as a person meets it: tables, JSON, sentences and exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pandas as pd
import pytest

from trope.read import load
from trope.read.folder import SAMPLE


def objects(result: CompletedProcess[str]) -> list[dict[str, Any]]:
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def refused(result: CompletedProcess[str]) -> str:
    """One sentence on standard error, exit code 2, no traceback."""
    assert result.returncode == 2, (result.returncode, result.stderr)
    assert "Traceback" not in result.stderr and result.stdout == ""
    assert result.stderr.startswith("trope: ") and result.stderr.count("\n") == 1
    return result.stderr


def test_one_table_for_models_and_prompts(trope: Any) -> None:
    words = "run sample -m wordllama -m random?seed=1 --prompt phrase --prompt sentence".split()
    result = trope(*words)
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    assert sum(line.startswith("wordllama ") for line in lines) == 2
    assert sum(line.startswith("random?seed=1 ") for line in lines) == 1  # no prompt, so once
    assert max(map(len, lines)) <= 80
    assert "95% intervals" in result.stdout


def test_json_is_one_object_a_run(trope: Any, tmp_path: Path) -> None:
    first, second = objects(
        trope(
            "run",
            "sample",
            "-m",
            "wordllama",
            "--prompt",
            "phrase",
            "--prompt",
            "definition",
            "--json",
        )
    )
    assert (first["benchmark"], first["model"], first["prompt"]) == (
        "sample",
        "wordllama",
        "phrase",
    )
    assert (first["items"], first["missing"], second["prompt"]) == (32, 0, "definition")
    for measure in first["measures"].values():
        assert measure["low"] <= measure["value"] <= measure["high"]
    assert {"top1", "top1_idiomatic", "top1_literal", "ndcg", "dcg", "mrr"} <= set(
        first["measures"]
    )
    shown = json.loads(trope("show", "wordllama+phrase", "--json").stdout)
    assert shown["measures"] == first["measures"]


def test_limit_and_fresh_and_out(trope: Any, tmp_path: Path) -> None:
    (one,) = objects(trope("run", "sample", "--limit", 3, "--json", "--out", "here", "--fresh"))
    assert one["items"] == 3
    assert len(list((tmp_path / "here").rglob("run.json"))) == 1
    again = trope("run", "sample", "--limit", 3, "--out", "here")
    assert "0 computed" in again.stderr


def test_benchmarks_and_models_are_listed(trope: Any) -> None:
    assert "admire-a/{en,pt}/{train,dev,test,xe,xp}" in trope("benchmarks").stdout
    assert "wordllama" in trope("models").stdout


# -- the shared task -----------------------------------------------------------------------------


def official_by_pandas(gold: Path, answers: Path) -> dict[str, float]:
    """What the organisers describe, written anew with pandas: join on compound, then means."""
    import ast
    import math

    both = pd.read_csv(gold, sep="\t").merge(
        pd.read_csv(answers, sep="\t"), on="compound", suffixes=("_gold", "_said")
    )
    numbers = {}
    if "expected_item_gold" in both:
        both["item"] = (both.expected_item_gold == both.expected_item_said).astype(float)
        both["sent"] = (both.sentence_type_gold == both.sentence_type_said).astype(float)
        kinds, sense = ("item", "sent"), "sentence_type_gold"
    else:
        weights = [3, 1, 0, 0, 0]

        def dcg(row: Any) -> float:
            right = ast.literal_eval(row.expected_order_gold)
            said = ast.literal_eval(row.expected_order_said)
            return sum(weights[right.index(n)] / math.log2(i + 2) for i, n in enumerate(said))

        first = [ast.literal_eval(text)[0] for text in both.expected_order_gold]
        chosen = [ast.literal_eval(text)[0] for text in both.expected_order_said]
        both["acc"] = [float(a == b) for a, b in zip(first, chosen, strict=True)]
        both["dcg"] = both.apply(dcg, axis=1)
        kinds, sense = ("acc", "dcg"), "sentence_type"
    for kind in kinds:
        numbers[f"{kind}_all"] = both[kind].mean()
        numbers[f"{kind}_lit"] = both[both[sense] == "literal"][kind].mean()
        numbers[f"{kind}_id"] = both[both[sense] == "idiomatic"][kind].mean()
    return numbers


@pytest.mark.parametrize("split", ["a/en/train", "a/en/dev", "a/pt/train", "a/pt/dev", "b/en/dev"])
@pytest.mark.parametrize("model", ["wordllama", "random?seed=5"])
def test_submit_then_score_gives_the_official_numbers(
    split: str, model: str, trope: Any, admire: Path, tmp_path: Path
) -> None:
    subtask, language, part = split.split("/")
    gold = next((admire / f"subtask_{subtask}" / language.upper() / part).glob("*_targets.tsv"))
    assert trope("run", f"admire-{split}", "--data", admire, "-m", model).returncode == 0
    written = trope("submit", f"admire-{subtask}", "-o", "sub")
    assert written.returncode == 0, written.stderr
    table = tmp_path / "sub" / f"submission_{language.upper()}.tsv"
    by_gold = objects(trope("score", f"admire-{split}", table, "--gold", gold, "--json"))[0]
    by_data = objects(
        trope("score", f"admire-{split}", "sub/submission.zip", "--data", admire, "--json")
    )[0]
    wanted = official_by_pandas(gold, table)
    assert by_gold["official"] == pytest.approx(wanted, abs=1e-12)
    assert by_data["official"] == pytest.approx(wanted, abs=1e-12)


def test_a_perfect_submission(trope: Any, admire: Path) -> None:
    gold = admire / "subtask_a" / "EN" / "dev" / "a_en_dev_targets.tsv"
    (result,) = objects(trope("score", "admire-a/en/dev", gold, "--gold", gold, "--json"))
    assert result["official"]["acc_all"] == 1
    assert result["official"]["dcg_all"] == pytest.approx(3 + 1 / 1.584962500721156)
    assert result["measures"]["ndcg"]["value"] == pytest.approx(1)
    assert result["measures"]["top1"]["low"] < 1  # 15 of 15 is not certainty


def test_a_submission_that_leaves_items_out_is_refused(
    trope: Any, admire: Path, tmp_path: Path
) -> None:
    gold = admire / "subtask_a" / "EN" / "dev" / "a_en_dev_targets.tsv"
    lines = gold.read_text(encoding="utf-8").splitlines()
    (tmp_path / "s.tsv").write_text("\n".join(lines[:-2]), encoding="utf-8")
    said = refused(trope("score", "admire-a/en/dev", "s.tsv", "--gold", gold))
    assert "has no answer for" in said and "all 15 items" in said


def test_unlabelled_splits_run_and_submit_but_are_not_measured(
    trope: Any, admire: Path, tmp_path: Path
) -> None:
    frame = pd.read_csv(admire / "subtask_a/EN/dev/subtask_a_dev.tsv", sep="\t", dtype=str)
    frame[["sentence_type", "expected_order"]] = ""
    (tmp_path / "d").mkdir()
    frame.to_csv(tmp_path / "d" / "subtask_a_test.tsv", sep="\t", index=False)
    (one,) = objects(trope("run", "admire-a/en/test", "--data", "d", "--json"))
    assert one["measures"] == {}
    assert "no gold" in trope("show", "wordllama").stdout
    assert trope("submit", "wordllama", "-o", "s").returncode == 0
    gold = admire / "subtask_a/EN/dev/a_en_dev_targets.tsv"
    (with_gold,) = objects(
        trope("run", "admire-a/en/test", "--data", "d", "--gold", gold, "--json")
    )
    assert with_gold["measures"]["top1"]["n"] == 15
    assert trope("score", "admire-a/en/test", "s/submission_EN.tsv", "--gold", gold).returncode == 0
    assert "--gold" in refused(
        trope("score", "admire-a/en/test", "s/submission_EN.tsv", "--data", "d")
    )


def test_missing_answers_are_not_submitted_quietly(trope: Any, admire: Path) -> None:
    vectors = admire / "clip_vit_b32_vectors" / "clip_vitb32_en_train_dev.npz"
    ran = trope("run", "admire-a/en/train", "--data", admire, "-m", f"vectors:{vectors}")
    assert "10 of 70 items have no answer" in ran.stdout
    assert "10 items have no answer" in refused(trope("submit", "vectors", "-o", "s"))
    filled = trope("submit", "vectors", "-o", "s", "--fill")
    assert filled.returncode == 0 and "10 items without an answer" in filled.stderr


# -- sentences -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("run smaple", "did you mean 'sample'"),
        ("run sample -m wordlama", "did you mean 'wordllama'"),
        ("run sample --prompt phrse", "did you mean 'phrase'"),
        ("run sample --prompt {colour}", "the fields are {phrase}"),
        ("run sample --prompt {phrase", "malformed"),
        ("run sample --limit 0", "--limit"),
        ("run sample --gold x", "--gold goes with"),
        ("run admire-a/en/train", "--data DIR"),
        ("run admire-a/en/train --data nowhere", "doesn't exist"),
        ("run ./nowhere", "no benchmark folder"),
        ("run sample --out /proc/none", "Can't write"),
        ("show nothing", "There is no run 'nothing'"),
        ("show .", "isn't a run"),
        ("submit nothing -o x", "There is no run"),
        ("score sample nofile.tsv", "There is no file"),
        ("frobnicate", "No such command"),
        ("run", "BENCHMARK"),
        ("run sample --frob", "--frob"),
    ],
)
def test_mistakes_get_one_sentence(words: str, said: str, trope: Any) -> None:
    assert said in refused(trope(*words.split()))


def test_submitting_what_has_no_server(trope: Any) -> None:
    trope("run", "sample", "-m", "random?seed=1")
    assert "no shared-task server" in refused(trope("submit", "random", "-o", "x"))


def test_a_cache_that_can_t_be_written(trope: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = refused(trope("run", "sample", TROPE_CACHE=str(tmp_path / "file" / "x")))
    assert "TROPE_CACHE" in said


def test_a_scorer_that_breaks_gets_a_sentence(trope: Any, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        "from trope.score import Judge\n"
        "class Bad(Judge):\n"
        "    def fingerprint(self): return {'name': 'bad'}\n"
        "    def judge(self, pairs): return 1 / 0\n"
    )
    result = trope("run", "sample", "-m", "m.py:Bad")
    assert result.returncode == 2 and "Bad failed (ZeroDivisionError" in result.stderr
    assert "Traceback" not in result.stderr
    assert "Traceback" in trope("run", "sample", "-m", "m.py:Bad", "--debug").stderr


def test_a_full_disk_leaves_nothing_behind(trope: Any, tmp_path: Path) -> None:
    """/dev/full stands in for a disk: the report and the table can't be written there."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    result = trope("run", "sample", "-m", "random?seed=1", "--out", "/dev/full/x")
    assert "Can't write" in refused(result)


def test_hostile_text_reaches_the_terminal_harmless(trope: Any, tmp_path: Path) -> None:
    folder = shutil.copytree(SAMPLE, tmp_path / "hostile")
    (folder / "manifest.sha256").unlink()
    head = json.loads((folder / "benchmark.json").read_text())
    (folder / "benchmark.json").write_text(json.dumps(head | {"name": "\x1b[31mred[/bold]"}))
    result = trope("run", "hostile", "-m", "random?seed=1")
    assert result.returncode == 0 and "\x1b" not in result.stdout + result.stderr


def test_a_reader_that_leaves_early_is_no_error(trope: Any, tmp_path: Path) -> None:
    import subprocess
    import sys

    done = subprocess.run(
        f"{sys.executable} -m trope benchmarks | head -1",
        shell=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert "Traceback" not in done.stderr and "BrokenPipe" not in done.stderr


def test_right_to_left_and_combining_scripts(trope: Any, tmp_path: Path) -> None:
    from trope.item import Benchmark, Candidate, Item, Sense
    from trope.read.folder import write_folder

    def item(phrase: str, language: str) -> Item:
        made = tuple(
            Candidate(id=str(n), gain=float(5 - n), captions={language: f"{phrase} {n}"})
            for n in range(5)
        )
        return Item(
            id=phrase,
            phrase=phrase,
            language=language,
            candidates=made,
            sense=Sense.idiomatic,
            sentence=phrase,
        )

    items = (
        item("قلب من ذهب", "ar"),
        item("黑箱", "zh"),
        item("काला बाज़ार", "hi"),
        item("çürük elma", "tr"),
    )
    write_folder(Benchmark("scripts", "ranking", items), tmp_path / "b")
    (one,) = objects(trope("run", "b", "-m", "overlap", "--json"))
    assert one["items"] == 4 and one["missing"] == 0
    assert [i.phrase for i in load(tmp_path / "b")] == [i.phrase for i in items]


# -- reading runs --------------------------------------------------------------------------------


@pytest.fixture
def two(trope: Any) -> None:
    """Two runs on the sample."""
    trope("run", "sample", "-m", "wordllama", "--prompt", "phrase", "--prompt", "definition")


def test_compare_prints_a_verdict_and_an_object(trope: Any, two: None) -> None:
    text = trope("compare", "wordllama+phrase", "wordllama+definition")
    assert text.returncode == 0, text.stderr
    assert "Verdicts" in text.stdout and "Before you rely on it" in text.stdout
    assert max(map(len, text.stdout.splitlines())) <= 80
    (found,) = objects(trope("compare", "wordllama", "--json", "--measure", "top1"))
    (pair,) = found["pairs"]
    assert pair["verdict"] and pair["difference"]["low"] <= pair["difference"]["high"]
    assert "needs two runs or more" in refused(trope("compare", "wordllama+phrase"))


def test_runs_on_different_benchmarks_are_not_compared(trope: Any, two: None) -> None:
    trope("run", "sample/en", "-m", "random?seed=1")
    said = refused(trope("compare", "wordllama+phrase", "random"))
    assert "sample" in said and "sample/en" in said


@pytest.mark.parametrize("form", ["text", "csv", "latex", "markdown", "html", "json"])
def test_a_leaderboard_in_every_form(form: str, trope: Any, two: None) -> None:
    result = trope("leaderboard", "sample", "--format", form)
    assert result.returncode == 0, result.stderr
    assert "wordllama" in result.stdout
    if form == "json":
        assert len(json.loads(result.stdout)["rows"]) == 2


def test_a_leaderboard_leaves_out_other_items_and_says_so(trope: Any, two: None) -> None:
    trope("run", "sample", "-m", "random?seed=1", "--limit", 4)
    result = trope("leaderboard", "sample")
    assert (
        "other items (--limit, other files): 1 of 3" in result.stderr
        and "random" not in result.stdout
    )
    assert "no run on admire-a" in refused(trope("leaderboard", "admire-a/en/dev"))
    assert "There is no format 'frob'" in trope("leaderboard", "sample", "--format", "frob").stderr


def test_an_audit_of_the_sample(trope: Any, two: None) -> None:
    result = trope("audit", "sample", "wordllama+phrase")
    assert result.returncode == 0, result.stderr
    assert "Shortcuts" in result.stdout and "Where wordllama" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    (found,) = objects(trope("audit", "sample", "--no-pictures", "--json", "-m", "overlap"))
    assert found["shortcuts"] and found["priors"]


def test_a_report_of_runs(trope: Any, two: None, tmp_path: Path) -> None:
    result = trope("report", "wordllama", "-o", "page.html", "--plots", "plots")
    assert result.returncode == 0, result.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "data:image/webp;base64," in page and "spill the beans" in page
    assert {p.suffix for p in (tmp_path / "plots").iterdir()} == {".svg", ".png"}
    assert "There is no run" in refused(trope("report", "nothing"))
    assert "Can't write" in refused(trope("report", "wordllama", "-o", "/proc/x/y.html"))


def test_the_demo(trope: Any, tmp_path: Path) -> None:
    result = trope("demo")
    assert result.returncode == 0, result.stderr
    assert "right on" in result.stdout and (tmp_path / "report.html").stat().st_size > 100_000
    assert max(map(len, result.stdout.splitlines())) <= 80
