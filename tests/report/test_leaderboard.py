"""Runs in order, with how sure the order is, in six forms."""

from __future__ import annotations

import csv
import html.parser
import io
import json
from pathlib import Path

import numpy as np
import pytest

from trope.errors import TropeError
from trope.measure.paired import rank_intervals
from trope.measure.ranking import Top1
from trope.report.leaderboard import FORMS, Leaderboard, leaderboard
from trope.runs import Run
from trope.verbs import run, score


@pytest.fixture
def runs() -> list[Run]:
    return list(run("sample", ["wordllama", "overlap", "random?seed=1"], "phrase"))


def renamed(one: Run, name: str, **changes: object) -> Run:
    return Run(
        table=one.table,
        meta={**one.meta, "model": {**one.meta["model"], "address": name, **changes}},
    )


def perfect(one: Run, name: str = "oracle") -> Run:
    return Run(table=one.table.with_scores(one.table.gain), meta=renamed(one, name).meta)


def test_rows_are_sorted_and_ranks_are_those_of_measure(runs: list[Run]) -> None:
    board = leaderboard([*runs, perfect(runs[0])])
    values = [row.estimates["top1"].value for row in board.rows]
    assert values == sorted(values, reverse=True)
    assert board.rows[0].label == "oracle · phrase" and board.rows[0].place == "1"
    matrix = np.stack([Top1()(one.table) for one in [*runs, perfect(runs[0])]])
    want = rank_intervals(matrix, runs[0].table.phrases)
    by_label = {row.label: row for row in board.rows}
    for place, one in enumerate(runs):
        row = by_label[one.label]
        assert (row.rank, row.low, row.high) == (
            want.rank[place],
            want.low[place],
            want.high[place],
        )


def test_equal_runs_are_shown_as_tied(runs: list[Run]) -> None:
    board = leaderboard([renamed(runs[0], "one"), renamed(runs[0], "two")])
    assert [row.place for row in board.rows] == ["1-2", "1-2"]
    assert [row.rank for row in board.rows] == [1, 1]


def test_columns_for_senses_and_languages(runs: list[Run]) -> None:
    board = leaderboard(runs)
    assert board.columns[:4] == ("top1", "ndcg", "top1 idiomatic", "top1 literal")
    assert "top1 en" in board.columns
    row = board.rows[0]
    halves = [row.estimates[f"top1 {sense}"] for sense in ("idiomatic", "literal")]
    assert sum(e.value * e.n for e in halves) == pytest.approx(
        row.estimates["top1"].value * row.estimates["top1"].n
    )


def test_nothing_is_bold(runs: list[Run]) -> None:
    board = leaderboard(runs)
    for form in FORMS:
        text = board.render(form)
        assert not any(mark in text for mark in ("\\textbf", "**", "<b>", "<strong", "\x1b[1m"))


def test_the_terminal_form_fits(runs: list[Run]) -> None:
    long = renamed(runs[0], "a-very/long-address:" + "x" * 90)
    score = runs[1].table.score.copy()
    score[0] = np.nan
    gaps = Run(table=runs[1].table.with_scores(score), meta=runs[1].meta)
    text = leaderboard([*runs, long, gaps]).text()
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "missing" in text and "what these items allow" in text


HOSTILE = "a_b&c%$#{}~^\\ <script>|`*[x](y)"


def hostile(runs: list[Run]) -> Leaderboard:
    return leaderboard([renamed(runs[0], HOSTILE), runs[1]])


def test_csv_reads_back(runs: list[Run]) -> None:
    rows = list(csv.DictReader(io.StringIO(hostile(runs).csv())))
    assert {row["run"] for row in rows} == {f"{HOSTILE} · phrase", runs[1].label}
    top = max(rows, key=lambda row: float(row["top1"]))
    assert float(top["top1_low"]) <= float(top["top1"]) <= float(top["top1_high"])
    formula = leaderboard([renamed(runs[0], "=cmd()"), runs[1]]).csv()
    assert "'=cmd()" in formula


def test_latex_is_escaped_and_booktabs(runs: list[Run]) -> None:
    text = hostile(runs).latex()
    assert r"\toprule" in text and r"\bottomrule" in text
    assert r"a\_b\&c\%\$\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}" in text
    body = text.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    columns = text.split(r"\toprule")[1].split(r"\midrule")[0].count("&")
    for line in body:
        assert line.endswith(r"\\")
        assert line.replace(r"\&", "").count("&") == columns


def test_markdown_has_as_many_cells_in_every_row(runs: list[Run]) -> None:
    lines = [line for line in hostile(runs).markdown().splitlines() if line.startswith("|")]
    counts = {line.replace(r"\|", "").count("|") for line in lines}
    assert len(counts) == 1 and len(lines) == 4


def test_html_is_escaped_and_closed(runs: list[Run]) -> None:
    text = hostile(runs).html()
    assert "<script>" not in text and "&lt;script&gt;" in text
    open_tags: list[str] = []

    class Check(html.parser.HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            open_tags.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert open_tags.pop() == tag

    Check().feed(text)
    assert not open_tags


def test_json_holds_no_nan(runs: list[Run]) -> None:
    empty = Run(table=runs[1].table.with_scores(runs[1].table.score * np.nan), meta=runs[1].meta)
    board = leaderboard([*runs, empty])
    found = json.loads(board.render("json"))
    json.dumps(board.as_dict(), allow_nan=False)
    assert found["rows"][-1]["answered"] == 0, "who answers nothing stands last"
    assert "–" in board.text()


def test_predictions_made_elsewhere_are_runs(runs: list[Run], tmp_path: Path) -> None:
    file = tmp_path / "made.jsonl"
    table = runs[0].table
    rows = [
        {"item": item, "candidate": name, "score": gain}
        for item, ids, gains in zip(table.items, table.candidates, table.gain.tolist(), strict=True)
        for name, gain in zip(ids, gains, strict=True)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    board = leaderboard([*runs, score("sample", file)])
    assert board.rows[0].made_elsewhere and board.rows[0].estimates["top1"].value == 1.0


def test_a_choice_has_no_ndcg(runs: list[Run]) -> None:
    board = leaderboard([renamed(runs[0], "picks", answers="choice"), runs[1]])
    row = next(row for row in board.rows if row.label.startswith("picks"))
    assert np.isnan(row.estimates["ndcg"].value) and row.estimates["top1"].n == 32


def test_one_run_and_none(runs: list[Run]) -> None:
    assert leaderboard(runs[:1]).rows[0].place == "1"
    with pytest.raises(TropeError, match="no run"):
        leaderboard([])
    with pytest.raises(TropeError, match="doesn't allow 'nothing'"):
        leaderboard(runs, measure="nothing")
    blind = runs[0].table.with_scores(runs[0].table.score)
    object.__setattr__(blind, "gain", np.full_like(blind.gain, np.nan))
    with pytest.raises(TropeError, match="no gold"):
        leaderboard([Run(table=blind, meta=runs[0].meta)])
