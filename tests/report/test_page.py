"""The report is one file that tells the truth and lets no caption out of its place."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from trope.errors import TropeError
from trope.item import GOLD_ORDER, Benchmark, Candidate, Card, Item, Role, Sense
from trope.measure.intervals import Estimate
from trope.report.findings import Findings
from trope.report.page import difference, probability, render, signed, write_report
from trope.report.thumbnails import thumbnails
from trope.runs import Run, blank_table

HOSTILE = "</script><img src=x onerror=alert(1)><!-- ' \" & \u2028 {{ 7*7 }} ]]>"
RTL = "ضرب عصفورين بحجر"


def make_benchmark(
    root: Path | None = None, *, items: int = 8, gold: bool = True, text: str = "plain"
) -> Benchmark:
    """Items of five roles; each phrase once in either sense."""
    found = []
    for i in range(items):
        sense = (Sense.idiomatic, Sense.literal)[i % 2]
        gains = {role: 5.0 - place for place, role in enumerate(GOLD_ORDER[sense])}
        candidates = []
        for slot, role in enumerate(list(Role)[:5]):
            image = None
            if root is not None:
                image = f"{i // 2}-{slot}.png"
                colour = (30 * slot, 20 * (i // 2), 200)
                if not (root / image).exists():
                    Image.new("RGB", (96, 64), colour).save(root / image)
            candidates.append(
                Candidate(
                    id=f"{i // 2}-{slot}.png",
                    role=role if gold else None,
                    gain=gains[role] if gold else None,
                    image=image,
                    captions={"en": f"caption {i} {slot} {text}"},
                )
            )
        found.append(
            Item(
                id=f"item-{i}",
                phrase=f"phrase {i // 2} {text}",
                language="en" if i < items - 2 else "ar",
                candidates=tuple(candidates),
                sense=sense if gold else None,
                sentence=f"A sentence with phrase {i // 2}.\n{text}",
                definitions=(f"meaning {i} {text}",),
            )
        )
    card = Card(title="T", licence="CC0-1.0", citation="Somebody (2026).", version="1")
    return Benchmark(f"made {text}", "ranking", tuple(found), card, root, notes=(f"Note {text}",))


def make_run(benchmark: Benchmark, score: Any, name: str = "model", **model: Any) -> Run:
    """A run with these scores; a function gets the table."""
    blank = blank_table(benchmark)
    table = blank.with_scores(score(blank) if callable(score) else score)
    missing = int((~table.answered).sum())
    return Run(
        table=table,
        meta={
            "format": 1,
            "fingerprint": hashlib.sha256(name.encode()).hexdigest(),
            "benchmark": {
                "name": benchmark.name,
                "task": benchmark.task,
                "version": benchmark.card.version,
                "hash": benchmark.hash,
                "gold": benchmark.gold,
            },
            "model": {"address": name, "sees": "caption", "dtype": "float32", **model},
            "prompt": {"name": "phrase", "template": "{phrase}"},
            "counts": {"items": len(table), "missing": missing},
            "versions": {"trope": "0"},
        },
    )


def perfect(table: Any) -> Any:
    return table.gain.copy()


def noise(seed: int) -> Any:
    return lambda table: np.random.default_rng(seed).normal(size=table.score.shape)


class Outline(HTMLParser):
    """What elements a page has, and where its headings and references are."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found
    result: dict[str, Any] = json.loads(found[1])
    return result


def test_one_file_and_nothing_from_elsewhere(tmp_path: Path) -> None:
    made = make_benchmark(tmp_path)
    runs = [make_run(made, perfect, "good"), make_run(made, noise(1), "poor")]
    write_report(runs, tmp_path / "out" / "report.html", benchmark=made)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    outline = Outline(page)
    for tag in ("link", "iframe", "object", "embed", "base"):
        assert not outline.all(tag)
    assert all(href and href.startswith("#") for href in (a["href"] for a in outline.all("a")))
    assert not any("src" in script for script in outline.all("script"))
    assert "http://" not in page and "https://" not in page
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["report.html"]


def test_the_policy_allows_this_script_alone() -> None:
    made = make_benchmark()
    page = render([make_run(made, perfect)])
    policy = next(m for m in Outline(page).all("meta") if m.get("http-equiv"))["content"] or ""
    script = re.findall(r"<script>(.*?)</script>", page, re.S)
    assert len(script) == 1
    digest = b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy and "img-src data:" in policy
    assert "innerHTML" not in page and "insertAdjacentHTML" not in page and "eval(" not in page


@pytest.mark.parametrize("text", [HOSTILE, RTL, "🦆🧊 \u202e", "a\r\nb\n\nc", "$x_1$ \\u003c"])
def test_hostile_words_stay_words(tmp_path: Path, text: str) -> None:
    made = make_benchmark(tmp_path, text=text)
    runs = [make_run(made, perfect, f"good {text}"), make_run(made, noise(1), text, about=text)]
    page = render(runs, benchmark=made, title=f"Title {text}")
    outline = Outline(page)
    assert len(outline.all("script")) == 2
    assert not outline.all("img")
    assert not any(name.startswith("on") for _, attributes in outline.tags for name in attributes)
    assert "<!--" not in page.split("<body>")[1]
    data = data_of(page)
    assert data["items"][0]["phrase"] == f"phrase 0 {text}"
    assert f"caption 0 0 {text}" in data["texts"]
    assert {run["label"] for run in data["runs"]} == {f"good {text} · phrase", f"{text} · phrase"}


def test_headings_are_in_order_and_tables_have_headers() -> None:
    made = make_benchmark()
    page = render([make_run(made, perfect, "a"), make_run(made, noise(3), "b")], benchmark=made)
    outline = Outline(page)
    levels = [int(tag[1]) for tag, _ in outline.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all(th.get("scope") for th in outline.all("th"))
    assert outline.all("html")[0]["lang"] == "en"
    ids = [a["id"] for _, a in outline.tags if "id" in a]
    assert len(ids) == len(set(ids))
    targets = {href[1:] for href in (a["href"] for a in outline.all("a")) if href}
    assert targets <= set(ids)


def test_orders_keep_ties_and_gaps() -> None:
    made = make_benchmark(items=4)
    score = np.tile([0.1, 0.9, 0.9, 0.2, 0.0], (4, 1))
    score[2, 3] = np.nan
    data = data_of(render([make_run(made, score)], benchmark=made))
    assert data["runs"][0]["places"] == [[3, 0, 0, 2, 4], [3, 0, 0, 2, 4], 0, [3, 0, 0, 2, 4]]
    assert data["items"][0]["gold"] == [0, 1, 2, 3, 4]
    assert data["items"][1]["gold"] == [3, 2, 1, 0, 4]


def test_each_picture_and_caption_is_held_once(tmp_path: Path) -> None:
    made = make_benchmark(tmp_path, items=8)
    data = data_of(render([make_run(made, perfect)], benchmark=made))
    assert len(data["thumbs"]) == 20  # two items a phrase share their five
    assert len(set(data["thumbs"])) == 20


def test_without_the_benchmark_candidates_have_names_only(tmp_path: Path) -> None:
    made = make_benchmark(tmp_path)
    page = render([make_run(made, perfect)])
    data = data_of(page)
    assert data["thumbs"] == [] and data["texts"] == []
    assert data["items"][0]["phrase"] == "phrase 0 plain"
    assert data["cards"][0][2] == "0-0.png"
    assert "were not at hand" in page


def test_without_gold_it_says_so_and_measures_nothing() -> None:
    made = make_benchmark(gold=False)
    page = render([make_run(made, noise(1), "a"), make_run(made, noise(2), "b")], benchmark=made)
    assert "There is no gold" in page
    assert 'id="board"' not in page and 'id="pairs"' not in page and 'id="roles"' not in page
    assert "gold" not in data_of(page)["items"][0]


def test_one_run_has_no_differences() -> None:
    made = make_benchmark()
    page = render([make_run(made, perfect)])
    assert 'id="board"' in page and 'id="pairs"' not in page and "#pairs" not in page


def test_missing_is_said_and_not_wrong() -> None:
    made = make_benchmark()

    def gaps(table: Any) -> Any:
        score = table.gain.copy()
        score[:2, 0] = np.nan
        return score

    runs = [make_run(made, gaps, "gaps"), make_run(made, perfect, "whole")]
    found = Findings(runs)
    assert found.measures[0]["top1"].value == 1.0
    assert "“gaps · phrase” (2)" in found.summary[-1]
    assert "2 of 8 items have no answer" in render(runs)


def test_a_run_that_answered_nothing_is_no_error() -> None:
    made = make_benchmark()
    nothing = make_run(made, lambda table: np.full(table.score.shape, np.nan), "silent")
    assert "silent" in render([nothing])
    assert 'id="pairs"' not in render([nothing, make_run(made, perfect, "whole")])
    three = [nothing, make_run(made, perfect, "whole"), make_run(made, noise(1))]
    assert "no item in common" in render(three)


def test_the_words_claim_no_more_than_the_tests_do() -> None:
    small, large = make_benchmark(items=6), make_benchmark(items=60)

    def told(made: Benchmark) -> str:
        runs = [make_run(made, perfect, "good"), make_run(made, lambda t: -t.gain, "bad")]
        return " ".join(Findings(runs).summary)

    assert "don’t tell “bad · phrase” from “good · phrase”" in told(small)
    assert "the lead of “good · phrase” over “bad · phrase” holds" in told(large).replace(
        "The", "the"
    )
    assert "don’t tell" not in told(large)


def test_identical_runs_are_level() -> None:
    made = make_benchmark()
    found = Findings([make_run(made, perfect, "same"), make_run(made, perfect, "same")])
    assert found.labels == ("same · phrase (1)", "same · phrase (2)")
    assert [row.rank for row in found.rows] == [1, 1]
    assert found.differences[0].verdict == "the same on every item"
    assert "are level at the top" in found.summary[1]


def test_differences_are_against_the_baseline_asked_for() -> None:
    made = make_benchmark(items=60)
    runs = [make_run(made, perfect, "good"), make_run(made, noise(1), "poor")]
    best, named = Findings(runs), Findings(runs, baseline="poor")
    assert best.differences[0].label == "poor · phrase"
    assert best.differences[0].verdict == "worse"
    assert named.differences[0].label == "good · phrase"
    assert named.differences[0].verdict == "better"
    assert named.differences[0].estimate.value == -best.differences[0].estimate.value
    assert named.differences[0].better == best.differences[0].worse
    with pytest.raises(TropeError, match="none of the runs"):
        _ = Findings(runs, baseline="nobody").differences


def test_chance_is_what_a_scorer_without_a_preference_gets() -> None:
    made = make_benchmark()
    assert Findings([make_run(made, perfect)]).chance["top1"] == pytest.approx(0.2)


def test_first_roles_share_level_places_and_sum_to_one() -> None:
    made = make_benchmark()
    level = make_run(made, lambda table: np.zeros(table.score.shape))
    for part in Findings([level, make_run(made, noise(2), "b")]).first_roles:
        assert part.shares[0] == pytest.approx([0.2] * 5)
        assert sum(part.shares[1]) == pytest.approx(1.0)
        assert part.gold == (part.sense,)


def test_runs_on_different_benchmarks_are_refused() -> None:
    one, other = make_benchmark(), make_benchmark(text="other")
    with pytest.raises(TropeError, match="one benchmark at a time"):
        render([make_run(one, perfect), make_run(other, perfect)])
    longer = make_benchmark(items=10)
    with pytest.raises(TropeError, match="different versions or parts"):
        render([make_run(one, perfect), make_run(longer, perfect)])
    with pytest.raises(TropeError, match="another version"):
        render([make_run(one, perfect)], benchmark=other)
    with pytest.raises(TropeError, match="at least one"):
        render([])


def test_a_run_on_the_first_items_takes_the_benchmark_s_head(tmp_path: Path) -> None:
    made = make_benchmark(tmp_path)
    data = data_of(render([make_run(made.head(3), perfect)], benchmark=made))
    assert len(data["items"]) == 3


def test_a_broken_picture_is_left_out_and_counted(tmp_path: Path) -> None:
    made = make_benchmark(tmp_path)
    (tmp_path / "0-0.png").write_bytes(b"not a picture")
    (tmp_path / "0-1.png").unlink()
    page = render([make_run(made, perfect)], benchmark=made)
    assert "2 picture files are absent or can&#39;t be read" in page
    assert data_of(page)["cards"][0][0] == -1


def test_thumbnails_are_small_and_shared_by_content(tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        Image.new("RGB", (900, 300), "teal").save(tmp_path / name)
    small = thumbnails([tmp_path / "a.png", tmp_path / "b.png", tmp_path / "none.png"])
    assert len(small.texts) == 1 and len(small.place) == 2 and small.unread == 1
    assert len(small.texts[0]) < 2000


def test_no_room_for_a_picture_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trope.report.thumbnails.SIZES", ((64, 300),))
    for shade in range(8):
        Image.new("RGB", (64, 64), (shade * 30, 9, 9)).save(tmp_path / f"{shade}.png")
    small = thumbnails(sorted(tmp_path.glob("*.png")))
    assert 0 < len(small.place) < 8
    assert small.left_out == 8 - len(small.place)


def test_the_same_runs_give_the_same_bytes(tmp_path: Path) -> None:
    made = make_benchmark(tmp_path)
    runs = [make_run(made, perfect, "a"), make_run(made, noise(5), "b")]
    assert render(runs, benchmark=made) == render(runs, benchmark=made)


def test_prompts_fingerprints_notes_and_terms_are_there() -> None:
    made = make_benchmark()
    page = render([make_run(made, perfect, "m", weights="0123abc")], benchmark=made)
    for text in ("{phrase}", "0123abc", "float32", "Note plain", "CC0-1.0", "Somebody (2026)."):
        assert text in page


def test_numbers_read_as_numbers() -> None:
    assert [signed(v) for v in (0.086, -0.086, 0.0, -0.0001)] == ["+.086", "−.086", ".000", ".000"]
    assert [probability(p) for p in (0.0004, 0.012, 0.5, 1.0)] == ["< .001", ".012", ".50", "1.00"]
    shown = difference(Estimate(0.086, -0.004, 0.162, 9, 0, ""))
    assert shown == "+.086 (.00 to +.16)"
    assert difference(Estimate(float("nan"), -1, 1, 0, 9, "")) == "–"
