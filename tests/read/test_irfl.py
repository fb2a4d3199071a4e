"""IRFL as released: counts, roles, and nothing lost on the way."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from trope.errors import InputError, TropeError
from trope.item import Benchmark, Role
from trope.read import load
from trope.read.kept import Entry, Kept
from trope.verbs import run

DETECTION = {"idiom": 200, "metaphor": 333, "simile": 277}
RETRIEVAL = {"metaphor": 34, "simile": 142}


def published(shared_data: Path, name: str) -> list[dict[str, Any]]:
    csv.field_size_limit(sys.maxsize)
    with (shared_data / "irfl" / "tasks" / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("kind", DETECTION)
def test_every_row_is_kept(kind: str, shared_data: Path) -> None:
    """Against the csv and json modules over the same file."""
    rows = published(shared_data, f"{kind}_understanding_task.csv")
    benchmark = load(f"irfl-detection/{kind}", data=shared_data)
    assert len(benchmark) == len(rows) == DETECTION[kind]
    assert (benchmark.task, benchmark.card.licence) == ("detection", "CC BY 4.0")
    for row, item in zip(rows, benchmark, strict=True):
        metas = {meta["img"]: meta for meta in json.loads(row["images_metadata"])}
        answer, *_ = json.loads(row["answer"])
        assert item.phrase == row["phrase"].strip() and item.kind == kind
        assert item.extra["type"] == row["type"]
        assert list(item.definitions) == json.loads(row.get("definition") or "[]")
        assert {c.id for c in item.candidates} == {meta["uuid"] for meta in metas.values()}
        assert [c.id for c in item.candidates if c.gain] == [metas[answer]["uuid"]]
        for candidate in item.candidates:
            img = next(img for img, meta in metas.items() if meta["uuid"] == candidate.id)
            assert (candidate.url == img) is img.startswith("http")
        about = json.loads(item.extra["pictures"])
        assert all(about[m["uuid"]].get("category") == m.get("category") for m in metas.values())


def test_the_published_idioms_are_131_and_69(shared_data: Path) -> None:
    """Where the paper's table 3 says 135 and 65; its 48 and 30 phrases are right."""
    idioms = load("irfl-detection/idiom", data=shared_data)
    assert Counter(item.extra["type"] for item in idioms) == {
        "figurative": 131,
        "figurative literal": 69,
    }
    figurative = load("irfl-detection/idiom?type=figurative", data=shared_data)
    both = load("irfl-detection/idiom?type=figurative+literal", data=shared_data)
    assert (len(figurative), len({item.phrase for item in figurative})) == (131, 48)
    assert (len(both), len({item.phrase for item in both})) == (69, 30)
    assert both.name == "irfl-detection/idiom?type=figurative+literal"
    assert {i.id for i in figurative} | {i.id for i in both} == {i.id for i in idioms}


def test_idioms_have_one_or_two_partly_literal_distractors(shared_data: Path) -> None:
    """As section 4.1 says; pictures of other idioms are none, whatever they were there."""
    idioms = load("irfl-detection/idiom", data=shared_data)
    counts = Counter(sum(c.role is Role.partial_literal for c in i.candidates) for i in idioms)
    assert set(counts) == {1, 2}
    for item in idioms:
        about = json.loads(item.extra["pictures"])
        for candidate in item.candidates:
            if about[candidate.id]["phrase"] != item.phrase:
                assert candidate.role is Role.none


def test_metaphors_have_one_to_three(shared_data: Path) -> None:
    """As section 4.1 says, but for one metaphor of which no partly literal picture exists."""
    for item in load("irfl-detection/metaphor", data=shared_data):
        count = sum(c.role is Role.partial_literal for c in item.candidates)
        assert count == 0 if item.phrase == "an angel" else 1 <= count <= 3


def test_similes_have_a_source_and_a_target(shared_data: Path) -> None:
    """One distractor of either concept and one random picture (section 4.1)."""
    for item in load("irfl-detection/simile", data=shared_data):
        roles = {c.id: c.role for c in item.candidates}
        assert Counter(roles.values()) == {
            Role.figurative: 1,
            Role.partial_literal: 2,
            Role.none: 1,
        }
        assert roles[item.extra["source"]] is roles[item.extra["target"]] is Role.partial_literal


def test_open_similes_are_the_papers_137(shared_data: Path) -> None:
    closed = load("irfl-detection/simile", data=shared_data)
    opened = load("irfl-detection/simile?form=open", data=shared_data)
    assert len({item.phrase for item in closed}) == 142
    assert len({item.phrase for item in opened}) == 137
    assert opened.hash != closed.hash and opened.gold == closed.gold
    for a, b in zip(closed, opened, strict=True):
        assert b.phrase == re.sub(r" as \S.*? as ", " like ", a.phrase)
        assert (a.extra["form"], b.extra["form"]) == ("closed", "open")
    with pytest.raises(InputError, match="Only similes"):
        load("irfl-detection/idiom?form=open", data=shared_data)


@pytest.mark.parametrize("kind", RETRIEVAL)
def test_retrieval(kind: str, shared_data: Path) -> None:
    rows = published(shared_data, f"{kind}_preference_task.csv")
    benchmark = load(f"irfl-retrieval/{kind}", data=shared_data)
    assert len(benchmark) == len(rows) == RETRIEVAL[kind]
    for row, item in zip(rows, benchmark, strict=True):
        figurative = set(json.loads(row["first_category"]))
        assert {c.url for c in item.candidates if c.gain == 1} == figurative
        assert {c.url for c in item.candidates if c.gain == 0} == set(
            json.loads(row["second_category"])
        )
        assert all((c.role is Role.figurative) is (c.gain == 1) for c in item.candidates)


def test_precision_at_k_by_hand(shared_data: Path) -> None:
    """k is the number of figurative pictures; here counted without the measure's code."""
    made = run("irfl-retrieval/metaphor", "random?seed=3", data=shared_data)[0]
    from trope.report.table import estimates

    values = []
    table = made.table
    for row in range(len(table)):
        real = table.real[row]
        order = sorted(zip(table.score[row][real], table.gain[row][real], strict=True))[::-1]
        k = int(table.gain[row][real].sum())
        values.append(sum(gain for _, gain in order[:k]) / k)
    assert estimates(made)["precision"].value == pytest.approx(sum(values) / len(values))


def test_failures_on_partly_literal_pictures_by_hand(shared_data: Path) -> None:
    """Section 4.1.2: of the items that went wrong, those where such a picture came first."""
    from trope.report.table import estimates

    table = (made := run("irfl-detection/metaphor", "random?seed=2", data=shared_data)[0]).table
    first = [table.role[row][table.score[row].argmax()] for row in range(len(table))]
    wrong = [role for role in first if role != "figurative"]
    found = estimates(made)
    assert found["failures_on_literal"].value == pytest.approx(
        wrong.count("partial_literal") / len(wrong)
    )
    assert found["top1"].value == pytest.approx(1 - len(wrong) / len(table))


@pytest.mark.parametrize(("kind", "size"), [("idiom", 2), ("idiom", 6), ("metaphor", 4)])
def test_random_candidates_are_of_other_phrases(kind: str, size: int, shared_data: Path) -> None:
    name = f"irfl-random/{kind}?candidates={size}&seed=1"
    benchmark = load(name, data=shared_data)
    assert benchmark.name == name
    whose = owners(shared_data)
    mixed = load(f"irfl-detection/{kind}", data=shared_data)
    for item, original in zip(benchmark, mixed, strict=True):
        assert len({c.id for c in item.candidates}) == size
        right = [c for c in item.candidates if c.gain]
        assert [c.id for c in right] == [c.id for c in original.candidates if c.gain]
        for candidate in item.candidates:
            if not candidate.gain:
                assert item.phrase not in whose[candidate.id]
                assert candidate.role is Role.none


def owners(shared_data: Path) -> dict[str, set[str]]:
    """Whose picture is whose: idioms by their own word, others by the answers and preferences."""
    whose: dict[str, set[str]] = defaultdict(set)
    for row in published(shared_data, "idiom_understanding_task.csv"):
        for meta in json.loads(row["images_metadata"]):
            whose[meta["uuid"]].add(meta["phrase"])
    for kind in RETRIEVAL:
        for row in published(shared_data, f"{kind}_preference_task.csv"):
            for meta in json.loads(row["images_metadata"]):
                whose[meta["uuid"]].add(row["phrase"])
    return whose


def test_random_candidates_hang_on_the_seed_alone(shared_data: Path) -> None:
    def drawn(seed: int) -> str:
        return load(f"irfl-random/simile?candidates=4&seed={seed}", data=shared_data).hash

    assert drawn(1) == drawn(1) != drawn(2)


def test_open_random_similes_avoid_both_closed_phrases(shared_data: Path) -> None:
    """Two closed similes can open to one phrase; neither's pictures are random for it."""
    whose = owners(shared_data)
    for item in load("irfl-random/simile?candidates=6&form=open", data=shared_data):
        for candidate in item.candidates:
            if not candidate.gain:
                opened = {re.sub(r" as \S.*? as ", " like ", p) for p in whose[candidate.id]}
                assert item.phrase not in opened


@pytest.mark.parametrize(
    "name", ["irfl-detection/idiom", "irfl-detection/simile", "irfl-random/idiom?candidates=4"]
)
def test_the_place_of_the_answer_says_nothing(name: str, shared_data: Path) -> None:
    benchmark = load(name, data=shared_data)
    places = Counter([c.gain for c in item.candidates].index(1.0) for item in benchmark)
    n = len(benchmark)
    assert all(abs(places[p] - n / 4) < 4 * (n * 0.25 * 0.75) ** 0.5 for p in range(4))


def test_base64_pictures_are_the_published_ones(shared_data: Path) -> None:
    """134 embedded pictures, some of them in several items; each as the bytes decode."""
    benchmark = load("irfl-detection/idiom", data=shared_data)
    rows = published(shared_data, "idiom_understanding_task.csv")
    embedded = {}
    uses = 0
    for row in rows:
        for meta in json.loads(row["images_metadata"]):
            if not meta["img"].startswith("http"):
                embedded[meta["uuid"]] = base64.b64decode(meta["img"])
                uses += 1
    assert uses == 134
    for item in benchmark:
        for candidate in item.candidates:
            place = benchmark.picture(candidate)
            assert (place is not None) is (candidate.id in embedded)
            if place is not None:
                assert place.read_bytes() == embedded[candidate.id]
                assert place.stem == hashlib.sha256(embedded[candidate.id]).hexdigest()


@pytest.mark.parametrize(
    "name", ["irfl-detection/idiom", "irfl-retrieval/simile", "irfl-random/idiom?candidates=6"]
)
def test_loading_is_quick(name: str, shared_data: Path) -> None:
    load(name, data=shared_data)  # imports, and the embedded pictures
    times = []
    for _ in range(3):
        start = time.perf_counter()
        load(name, data=shared_data)
        times.append(time.perf_counter() - start)
    assert min(times) < 1.0


def test_one_command(trope, shared_data: Path) -> None:  # type: ignore[no-untyped-def]
    result = trope("run", "irfl-detection/idiom", "--data", shared_data, "-m", "random?seed=1")
    assert result.returncode == 0, result.stderr
    assert "irfl-detection/idiom: 200 items of 58 phrases" in result.stdout
    blind = trope("run", "irfl-detection/idiom", "--data", shared_data, "-m", "wordllama")
    assert blind.returncode == 2
    assert "reads captions, and irfl-detection/idiom has none here" in blind.stderr


def test_a_model_that_looks_is_told_how_to_get_pictures(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "look.py").write_text(
        "from trope.score.faces import Judge\n"
        "class Look(Judge):\n"
        "    sees = 'picture'\n"
        "    def fingerprint(self): return {'name': 'look'}\n"
        "    def judge(self, pairs): return [0.0 for _ in pairs]\n"
    )
    with pytest.raises(
        InputError, match="`trope pictures irfl-detection/idiom --data DIR` fetches them"
    ):
        run("irfl-detection/idiom", f"{tmp_path / 'look.py'}:Look", data=tmp_path)


def test_items_without_all_pictures_are_missing_not_wrong(
    shared_data: Path, tmp_path: Path
) -> None:
    """134 embedded pictures and no fetched one: most items can't be asked, and it is counted."""
    (tmp_path / "look.py").write_text(
        "from trope.score.faces import Judge\n"
        "class Look(Judge):\n"
        "    sees = 'picture'\n"
        "    def fingerprint(self): return {'name': 'look'}\n"
        "    def judge(self, pairs): return [float(p.path.stat().st_size) for _, p in pairs]\n"
    )
    model = f"{tmp_path / 'look.py'}:Look"
    made = run("irfl-detection/idiom", model, "phrase+definition", data=shared_data)[0]
    benchmark = load("irfl-detection/idiom", data=shared_data)
    whole = sum(all(c.image for c in item.candidates) for item in benchmark)
    assert made.meta["counts"]["missing"] == 200 - whole


# -- small files of one's own, and bad ones --------------------------------------------------------


def png(colour: str) -> bytes:
    sink = io.BytesIO()
    Image.new("RGB", (8, 8), colour).save(sink, "PNG")
    return sink.getvalue()


def write(folder: Path, *, name: str = "idiom_understanding_task.csv", **cells: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    answer, other = "https://a.example/1.png", "https://a.example/2.png"
    row = {
        "phrase": "cold feet",
        "answer": json.dumps([answer]),
        "distractors": json.dumps([other]),
        "images_metadata": json.dumps(
            [
                {"img": answer, "uuid": "1", "category": "Figurative", "phrase": "cold feet"},
                {"img": other, "uuid": "2", "category": "Partial Objects", "phrase": "cold feet"},
            ]
        ),
        "type": "figurative",
        "definition": json.dumps(["fear"]),
        **cells,
    }
    with (folder / name).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, row)
        writer.writeheader()
        writer.writerow(row)
    return folder


def test_pictures_as_files_and_base64(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "a.png").write_bytes(png("red"))
    coded = base64.b64encode(png("blue")).decode()
    metas = [{"img": "images/a.png"}, {"img": f"data:image/png;base64,{coded}"}]
    write(
        tmp_path,
        answer=json.dumps([metas[0]["img"]]),
        distractors=json.dumps([metas[1]["img"]]),
        images_metadata=json.dumps(metas),
    )
    benchmark = load("irfl-detection/idiom", data=tmp_path)
    places = [benchmark.picture(c) for c in benchmark.items[0].candidates]
    assert {p.read_bytes() for p in places if p} == {png("red"), png("blue")}
    assert len({c.id for c in benchmark.items[0].candidates}) == 2
    assert not benchmark.notes


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"answer": "[]"}, "line 2: expected one answer"),
        ({"distractors": "[]"}, "line 2: expected one answer"),
        ({"answer": "not json"}, "line 2: answer isn't the JSON list"),
        ({"images_metadata": "[]"}, "line 2: images_metadata must list pictures"),
        ({"images_metadata": '[{"uuid": "1"}]'}, "line 2: images_metadata must list pictures"),
        ({"type": "literal"}, "line 2: type must be"),
        ({"phrase": " "}, "line 2: phrase is empty"),
        ({"definition": '"fear"'}, "line 2: definition isn't the JSON list"),
        ({"answer": '["!!"]'}, "neither a web address nor a file nor base64"),
        ({"answer": '["QUJD"]'}, "not a whole picture"),
        ({"answer": '["../../../etc/passwd"]'}, "neither a web address"),
        ({"answer": '["/etc/passwd"]'}, "neither a web address|not a whole picture"),
    ],
)
def test_a_bad_row_gets_a_sentence(tmp_path: Path, cells: dict[str, str], said: str) -> None:
    write(tmp_path, **cells)
    with pytest.raises(TropeError, match=said):
        load("irfl-detection/idiom", data=tmp_path)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("irfl-detection/limerick", "There is no task"),
        ("irfl-detection", "There is no task"),
        ("irfl-retrieval/idiom", "No idiom_preference_task.csv below"),
        ("irfl-detection/idiom?type=literal", "There is no type"),
        ("irfl-detection/idiom?form=ajar", "form is closed or open"),
        ("irfl-detection/idiom?sort=up", "has no option 'sort'"),
        ("irfl-random/idiom?candidates=1", "at least 2"),
        ("irfl-random/idiom?candidates=many", "whole number"),
        ("irfl-random/idiom?candidates=4", "too few pictures of other phrases"),
        ("irfl-random/idiom?candidates=100000", "at most"),
    ],
)
def test_a_bad_address_gets_a_sentence(tmp_path: Path, name: str, said: str) -> None:
    write(tmp_path)
    with pytest.raises(TropeError, match=re.escape(said) if "?" not in said else said):
        load(name, data=tmp_path)


def test_every_item_lost(tmp_path: Path) -> None:
    write(tmp_path)
    kept = Kept()
    kept.record(Entry("https://a.example/1.png", failed="404 Not Found"))
    kept.save()
    with pytest.raises(InputError, match="every item lost a picture"):
        load("irfl-detection/idiom", data=tmp_path)
    assert len(load("irfl-detection/idiom?lost=keep", data=tmp_path)) == 1


def test_random_candidates_step_over_dead_links(shared_data: Path) -> None:
    name = "irfl-random/metaphor?candidates=4&seed=5"
    before = load(name, data=shared_data)
    gone = {c.url for c in before.items[0].candidates if not c.gain and c.url}
    answers = {c.url for item in before for c in item.candidates if c.gain}
    kept = Kept()
    for url in gone - answers:
        kept.record(Entry(str(url), failed="404 Not Found"))
    kept.save()
    after = load(name, data=shared_data)
    assert len(after) == len(before)
    assert not gone & {c.url for item in after for c in item.candidates}


def test_without_sister_files_the_row_is_believed(tmp_path: Path) -> None:
    metas = [
        {"img": f"https://a.example/{n}.png", "uuid": str(n), "category": c}
        for n, c in enumerate(("figurative", "literal"))
    ]
    write(
        tmp_path,
        name="metaphor_understanding_task.csv",
        answer=json.dumps([metas[0]["img"]]),
        distractors=json.dumps([metas[1]["img"]]),
        images_metadata=json.dumps(metas),
        definition="",
    )
    benchmark: Benchmark = load("irfl-detection/metaphor", data=tmp_path)
    roles = {c.id: c.role for c in benchmark.items[0].candidates}
    assert roles == {"0": Role.figurative, "1": Role.partial_literal}
    assert any("published category" in note for note in benchmark.notes)
