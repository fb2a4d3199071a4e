"""AdMIRe 2.0's files as published; XMPIE's slots, settings, languages and macro average."""

from __future__ import annotations

import ast
import csv
import json
from pathlib import Path

import pytest

from trope.errors import InputError, UnknownName
from trope.item import Benchmark, Candidate, Item
from trope.measure.intervals import Estimate
from trope.measure.macro import by_language, macro, mean
from trope.read import load
from trope.read.languages import LANGUAGES, code
from trope.read.submission import read_answers
from trope.runs import blank_table

# Items and phrases of the published files, counted by hand with csv.
SUBMISSIONS = {
    "EL": (208, 52),
    "PT-BR": (228, 57),
    "RU": (140, 39),
    "SL": (240, 60),
    "TR": (180, 54),
    "ZH": (179, 57),
}


def test_there_are_34_languages_and_english() -> None:
    assert len(LANGUAGES) == 35
    spelled = (
        "Chinese",
        "ZH",
        "cn",
        "pt-br",
        "PT_BR",
        "BP",
        "Greek",
        "el",
        "SL",
        "Spanish-Ecuador",
    )
    assert [code(name) for name in spelled] == [
        "zh", "zh", "zh", "pt-BR", "pt-BR", "pt-BR", "el", "el", "sl", "es-EC",
    ]  # fmt: skip
    with pytest.raises(UnknownName, match="admire2/tr"):
        load("admire2/tt", data=".")


@pytest.mark.data
@pytest.mark.parametrize(("language", "items", "phrases"), [("tr", 180, 54), ("zh", 179, 57)])
def test_inputs_load_without_loss(
    shared_data: Path, language: str, items: int, phrases: int
) -> None:
    benchmark = load(f"admire2/{language}", data=shared_data / "admire2")
    assert len(benchmark) == items and len({item.id for item in benchmark}) == items
    assert len({item.phrase for item in benchmark}) == phrases
    assert all(item.sentence and len(item.candidates) == 5 for item in benchmark)
    assert all(c.captions["en"] for item in benchmark for c in item.candidates)
    assert not benchmark.labelled
    assert any("timsah" in note for note in benchmark.notes) == (language == "tr")


@pytest.mark.data
@pytest.mark.parametrize("name", SUBMISSIONS)
def test_system_submissions_are_permutations_by_item(shared_data: Path, name: str) -> None:
    file = shared_data / "admire2" / "system_submissions" / f"submission_{name}.tsv"
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    benchmark = load(f"admire2/{name.lower()}", gold=file)
    assert (len(benchmark), len({item.phrase for item in benchmark})) == SUBMISSIONS[name]
    answers = read_answers(file, benchmark, complete=True)
    for item, row in zip(benchmark, rows, strict=True):  # in the file's own order
        scores = answers.by_item[item.id].scores
        assert sorted(scores) == [1, 2, 3, 4, 5]
        order = sorted(zip(scores, item.candidates, strict=True), key=lambda pair: -pair[0])
        assert [c.id for _, c in order] == ast.literal_eval(row["expected_order"])


@pytest.mark.data
@pytest.mark.parametrize("name", ["TR", "ZH"])
def test_submissions_fit_the_inputs(shared_data: Path, name: str) -> None:
    """The Turkish file has no sentences: its rows are matched by turn."""
    below = shared_data / "admire2"
    benchmark = load(f"admire2/{name}", data=below)
    file = below / "system_submissions" / f"submission_{name}.tsv"
    assert len(read_answers(file, benchmark, complete=True).by_item) == len(benchmark)
    gold = load(f"admire2/{name}", data=below, gold=file)
    assert gold.labelled and gold.hash == benchmark.hash


@pytest.mark.data
def test_run_submit_and_score_go_round(shared_data: Path, trope, tmp_path: Path) -> None:
    below = shared_data / "admire2"
    assert trope("run", "admire2/tr", "--data", below, "-m", "wordllama").returncode == 0
    done = trope("submit", "wordllama", "--data", below, "-o", "out")
    assert done.returncode == 0, done.stderr
    file = tmp_path / "out" / "submission_TR.tsv"
    assert file.read_text(encoding="utf-8").startswith("compound\tsentence\texpected_order\n")
    again = trope("score", "admire2/tr", file, "--gold", file, "--json")
    assert json.loads(again.stdout)["measures"]["top1"]["value"] == 1
    several = trope("run", "admire2/all", "--data", below, "-m", "random", "--out", "all")
    assert several.returncode == 0 and "359 items" in several.stdout
    refused = trope("submit", "random", "--runs", "all", "--data", below, "-o", "out")
    assert refused.returncode == 2 and "one language" in refused.stderr


# -- XMPIE ---------------------------------------------------------------------------------------

HEADER = "compound\tsentence\tsentence_type\tenglish\timage1_caption\timage4_caption\n"


@pytest.fixture
def xmpie(tmp_path: Path) -> Path:
    (tmp_path / "xmpie_tr.tsv").write_text(
        HEADER
        + "çürük elma\tO bir çürük elma.\tidiomatic\tbad apple\ta bad person\ta rotten apple\n"
        + "çürük elma\tÇürük elma çöpte.\tliteral\tbad apple\ta bad person\ta rotten apple\n"
        + "kara kutu\tKara kutu açıldı.\tliteral\tblack box\ta secret\ta black box\n",
        encoding="utf-8",
    )
    (tmp_path / "xmpie_Chinese.tsv").write_text(
        HEADER + "黑箱\t\t\tblack box\ta secret\ta black box\n", encoding="utf-8"
    )
    return tmp_path


def by_role(item: Item) -> dict[str, float | None]:
    return {str(c.role): c.gain for c in item.candidates}


def test_slots_are_roles_and_the_sentence_decides_the_gain(xmpie: Path) -> None:
    benchmark = load("xmpie/tr", data=xmpie)
    assert [item.id for item in benchmark] == ["çürük elma #1", "çürük elma #2", "kara kutu"]
    idiomatic, literal = (by_role(item) for item in benchmark.items[:2])
    assert idiomatic == {
        "idiomatic": 5, "idiomatic_related": 4, "literal_related": 3, "literal": 2, "distractor": 1,
    }  # fmt: skip
    assert literal["literal"] == 5 and literal["idiomatic"] == 2
    names = {c.id: c.role for c in benchmark.items[0].candidates}
    assert names["1.png"] == "idiomatic" and names["4.png"] == "literal"
    assert benchmark.items[0].extra == {"english": "bad apple"}


def test_listed_order_says_nothing_of_the_slots(tmp_path: Path) -> None:
    rows = "".join(f"phrase {n}\n" for n in range(200))
    (tmp_path / "xmpie_el.tsv").write_text(f"compound\n{rows}", encoding="utf-8")
    first = [item.candidates[0].id for item in load("xmpie/el", data=tmp_path)]
    assert all(20 <= first.count(f"{n}.png") <= 65 for n in range(1, 6))


def test_expression_only_asks_once_and_prefers_no_sense(xmpie: Path) -> None:
    benchmark = load("xmpie/tr?setting=expression", data=xmpie)
    assert [item.id for item in benchmark] == ["çürük elma", "kara kutu"]
    assert benchmark.items[0].sense is None and benchmark.items[0].sentence is None
    assert by_role(benchmark.items[0]) == {
        "idiomatic": 1, "idiomatic_related": 0.5, "literal_related": 0.5, "literal": 1,
        "distractor": 0,
    }  # fmt: skip
    with pytest.raises(InputError, match=r"line 2: '黑箱' has no sentence"):
        load("xmpie/zh?setting=sentence", data=xmpie)
    with pytest.raises(InputError, match="has no table for 'el'"):
        load("xmpie/el", data=xmpie)


def test_all_languages_together_with_a_macro_average(xmpie: Path, trope) -> None:
    benchmark = load("xmpie/all?setting=expression", data=xmpie)
    assert {item.language for item in benchmark} == {"tr", "zh"}
    assert benchmark.items[0].id == "tr/çürük elma"
    done = trope("run", "xmpie/all?setting=expression", "--data", xmpie, "-m", "random")
    assert done.returncode == 0, done.stderr
    assert "macro average" in done.stdout and "T1-I" in done.stdout
    told = trope("run", "xmpie/all?setting=expression", "--data", xmpie, "-m", "random", "--json")
    run = json.loads(told.stdout)
    values = [run["languages"][name]["xmpie_t1_literal"]["value"] for name in ("tr", "zh")]
    assert run["macro"]["xmpie_t1_literal"]["value"] == pytest.approx(sum(values) / 2)


def test_a_macro_average_counts_languages_not_items() -> None:
    def item(n: int, language: str) -> Item:
        candidates = (Candidate(id="a", gain=1.0), Candidate(id="b", gain=0.0))
        return Item(id=f"{n}", phrase=f"p{n}", language=language, candidates=candidates)

    items = tuple(item(n, "tr" if n < 9 else "zh") for n in range(10))
    blank = blank_table(Benchmark(name="b", task="ranking", items=items))
    scores = blank.score.copy()
    scores[:] = [1.0, 0.0]
    scores[9] = [0.0, 1.0]
    found = macro(by_language(blank.with_scores(scores)))
    assert found["top1"].value == 0.5 and found["top1"].n == 10
    assert by_language(blank.take(blank.real[:, 0] & (blank.gain[:, 0] > 2))) == {}


def test_the_macro_interval_is_narrower_than_its_parts_and_leans_as_they_do() -> None:
    part = Estimate(0.1, 0.05, 0.25, n=40, missing=1, method="")
    joint = mean([part] * 4)
    assert joint.value == pytest.approx(0.1)
    assert joint.low == pytest.approx(0.1 - 0.05 / 2) and joint.high == pytest.approx(
        0.1 + 0.15 / 2
    )
    assert joint.missing == 4


def test_in_sentences_each_sense_is_measured_where_it_is_meant(xmpie: Path, trope) -> None:
    """A scorer that always prefers the literal picture is right on literal sentences only."""
    benchmark = load("xmpie/tr", data=xmpie)
    order = ["literal", "literal_related", "idiomatic", "idiomatic_related", "distractor"]
    rows = [
        f"{item.id}\t{c.id}\t{5 - order.index(str(c.role))}\n"
        for item in benchmark
        for c in item.candidates
    ]
    answers = xmpie / "scores.tsv"
    answers.write_text("item\tcandidate\tscore\n" + "".join(rows), encoding="utf-8")
    done = trope("score", "xmpie/tr", answers, "--data", xmpie, "--json")
    assert done.returncode == 0, done.stderr
    found = {name: e["value"] for name, e in json.loads(done.stdout)["measures"].items()}
    assert found["in_sentence_t1_idiomatic"] == 0 and found["in_sentence_t1_literal"] == 1
    assert found["in_sentence_t1"] == pytest.approx(2 / 3)
    assert found["in_sentence_t2_literal"] == 1 and found["in_sentence_t2"] == pytest.approx(2 / 3)
    # The idiomatic picture third, its relation fourth: (1/2 + .5/log2(5)) / (1 + .5/log2(3)).
    third = (1 / 2 + 0.5 / 2.321928094887362) / (1 + 0.5 / 1.584962500721156)
    assert found["in_sentence_ndcg_idiomatic"] == pytest.approx(third)
    assert found["xmpie_t1_literal"] == 1  # over all items, whatever their sense
