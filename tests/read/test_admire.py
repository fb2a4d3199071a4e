"""AdMIRe as released: every cell is kept, every mistake gets a sentence."""

from __future__ import annotations

import ast
import csv
import shutil
from pathlib import Path

import pytest

from trope.errors import InputError, TropeError
from trope.item import GOLD_ORDER, Role, Sense
from trope.read import load

COUNTS = {
    "admire-a/en/train": (70, 39, 31),
    "admire-a/en/dev": (15, 7, 8),
    "admire-a/pt/train": (32, 13, 19),
    "admire-a/pt/dev": (10, 5, 5),
    "admire-b/en/train": (20, 13, 7),
    "admire-b/en/dev": (5, 2, 3),
}


@pytest.mark.parametrize("name", COUNTS)
def test_published_counts(name: str, admire: Path) -> None:
    benchmark = load(name, data=admire)
    senses = [item.sense for item in benchmark]
    assert (len(senses), senses.count(Sense.idiomatic), senses.count(Sense.literal)) == COUNTS[name]


@pytest.mark.parametrize("name", [n for n in COUNTS if n.startswith("admire-a")])
def test_every_cell_of_subtask_a_is_kept(name: str, admire: Path) -> None:
    """Against the csv module over the same files."""
    _, language, split = name.split("/")
    folder = admire / "subtask_a" / language.upper() / split
    with (folder / f"subtask_a_{split}.tsv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    with (folder / f"a_{language}_{split}_targets.tsv").open(newline="", encoding="utf-8") as file:
        gold = {row["compound"]: row for row in csv.DictReader(file, delimiter="\t")}
    benchmark = load(name, data=admire)
    assert len(rows) == len(benchmark)
    for row, item in zip(rows, benchmark, strict=True):
        answer = gold[row["compound"]]
        assert item.phrase == row["compound"]
        assert item.sentence == row["sentence"]
        assert item.sense == answer["sentence_type"]
        assert item.extra["subset"] == row["subset"]
        order = ast.literal_eval(answer["expected_order"])
        assert sorted(item.candidates, key=lambda c: -(c.gain or 0))[0].id == order[0]
        for n, candidate in enumerate(item.candidates, 1):
            assert candidate.id == row[f"image{n}_name"]
            assert candidate.captions["en"] == row[f"image{n}_caption"]
            if language == "pt":
                assert candidate.captions["pt"] == row[f"image{n}_caption_pt"]
                assert item.caption(candidate) == row[f"image{n}_caption_pt"]
            assert candidate.gain == 5 - order.index(candidate.id)
            assert candidate.role == GOLD_ORDER[item.sense][order.index(candidate.id)]


def test_pictures_are_found_by_name_then_by_stem(admire: Path) -> None:
    train, dev = load("admire-a/en/train", data=admire), load("admire-a/en/dev", data=admire)
    assert {Path(c.image).suffix for i in dev for c in i.candidates if c.image} == {".png"}
    assert {Path(c.image).suffix for i in train for c in i.candidates if c.image} == {".jpg"}
    dinner = next(item for item in train if item.phrase == "dog's dinner")
    assert all(train.picture(c).is_file() for c in dinner.candidates)
    absent = [(i.phrase, c.id) for i in train for c in i.candidates if c.image is None]
    assert absent == [("bun in the oven", "69447699784.png")]  # the release itself lacks it
    assert "69447699784.png" in train.notes[0]


def test_subtask_b_has_its_sequence_and_one_right_candidate(admire: Path) -> None:
    for item in load("admire-b/en/train", data=admire):
        assert len(item.candidates) == 4
        assert sorted(c.gain for c in item.candidates) == [0, 0, 0, 1]
        assert [bool(c.captions["en"]) for c in item.sequence] == [True, True]


# -- a small release of our own ------------------------------------------------------------------

COLUMNS = ["compound", "subset", "sentence_type", "sentence", "expected_order"]
COLUMNS += [f"image{n}_{part}" for n in range(1, 6) for part in ("name", "caption")]


def row(compound: str, sense: str = "idiomatic", **changes: str) -> dict[str, str]:
    names = [f"{compound[:2]}{n}.png" for n in range(1, 6)]
    cells = {
        "compound": compound,
        "subset": "Test",
        "sentence_type": sense,
        "sentence": f"A sentence with {compound}.",
        "expected_order": str(names[::-1]),
    }
    for n, name in enumerate(names, 1):
        cells |= {f"image{n}_name": name, f"image{n}_caption": f"caption {n} of {compound}"}
    return cells | changes


def write(path: Path, rows: list[dict[str, str]], columns: list[str] = COLUMNS) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, delimiter="\t", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def release(tmp_path: Path) -> Path:
    write(tmp_path / "any" / "where" / "subtask_a_train.tsv", [row("cold feet"), row("hot air")])
    return tmp_path


def test_a_split_is_found_wherever_it_was_unpacked(release: Path) -> None:
    assert [item.phrase for item in load("admire-a/en/train", data=release)] == [
        "cold feet",
        "hot air",
    ]


def test_two_languages_with_one_file_name_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path / "AdMIRe Subtask A PT Test" / "subtask_a_test.tsv", [row("pé frio")])
    write(tmp_path / "AdMIRe Subtask A Test" / "subtask_a_test.tsv", [row("hot air")])
    assert next(iter(load("admire-a/pt/test", data=tmp_path))).phrase == "pé frio"
    assert next(iter(load("admire-a/en/test", data=tmp_path))).phrase == "hot air"
    columns = [*COLUMNS, "image1_caption_pt"]
    write(tmp_path / "x" / "subtask_a_dev.tsv", [row("pé frio", image1_caption_pt="um")], columns)
    write(tmp_path / "y" / "subtask_a_dev.tsv", [row("hot air")])
    portuguese = next(iter(load("admire-a/pt/dev", data=tmp_path)))
    assert portuguese.caption(portuguese.candidates[0]) == "um"
    assert portuguese.caption(portuguese.candidates[1]) == "caption 2 of pé frio"
    assert next(iter(load("admire-a/en/dev", data=tmp_path))).phrase == "hot air"


def test_extended_sets_and_several_sentences_for_one_compound(tmp_path: Path) -> None:
    rows = [row("hot air"), row("hot air", "literal", sentence="Another one.")]
    write(tmp_path / "EN" / "xeval" / "subtask_a_xe.tsv", rows)
    benchmark = load("admire-a/en/xe", data=tmp_path)
    assert [item.id for item in benchmark] == ["hot air #1", "hot air #2"]
    assert [item.candidates[4].role for item in benchmark] == [Role.idiomatic, Role.literal]


def test_blank_gold_then_gold_from_a_file(tmp_path: Path) -> None:
    blank = {"sentence_type": "", "expected_order": ""}
    write(
        tmp_path / "d" / "subtask_a_test.tsv", [row("cold feet", **blank), row("hot air", **blank)]
    )
    bare = load("admire-a/en/test", data=tmp_path / "d")
    assert not bare.labelled and bare.gold == ""
    columns = COLUMNS[:5]
    gold = write(tmp_path / "gold.tsv", [row("hot air", "literal"), row("cold feet")], columns)
    labelled = load("admire-a/en/test", data=tmp_path / "d", gold=gold)
    assert [item.sense for item in labelled] == ["idiomatic", "literal"]
    assert labelled.hash == bare.hash and labelled.gold != ""
    shutil.copy(gold, tmp_path / "d" / "a_en_test_targets.tsv")
    assert load("admire-a/en/test", data=tmp_path / "d").gold == labelled.gold


def test_bom_crlf_and_quoted_lines_are_read(tmp_path: Path) -> None:
    path = write(tmp_path / "subtask_a_train.tsv", [row("hot air", image1_caption="two\nlines")])
    text = path.read_text(encoding="utf-8").replace('"two\nlines"', "\0")
    path.write_bytes(
        b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode().replace(b"\0", b'"two\nlines"')
    )
    item = next(iter(load("admire-a/en/train", data=tmp_path)))
    assert item.candidates[0].captions["en"] == "two\nlines"


NAMES = "['ho1.png', 'ho2.png', 'ho3.png', 'ho4.png', 'ho5.png']"
WRONG: dict[str, tuple[dict[str, str], str]] = {
    "a gold name that is no candidate": (
        {"expected_order": NAMES.replace("ho3", "zz")},
        "line 3: expected_order names 'zz.png'",
    ),
    "gold that is no list": ({"expected_order": "ho1.png"}, "must be a list of names"),
    "gold that runs code": ({"expected_order": "__import__('os').system('true')"}, "list of names"),
    "gold too short": ({"expected_order": "['ho1.png']"}, "each of the 5 candidates once"),
    "gold with a name twice": ({"expected_order": NAMES.replace("ho2", "ho1")}, "4 of them"),
    "an unknown sense": ({"sentence_type": "both"}, "idiomatic or literal, not 'both'"),
    "a candidate missing": ({"image4_name": ""}, "has 4 candidates where subtask A has 5"),
    "a candidate twice": ({"image4_name": "ho1.png"}, "lists a picture twice"),
    "a name that climbs out": ({"image4_name": "../ho4.png"}, "isn't a plain file name"),
    "no compound": ({"compound": ""}, "compound is empty"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_row_is_named(case: str, tmp_path: Path) -> None:
    changes, sentence = WRONG[case]
    path = write(tmp_path / "subtask_a_train.tsv", [row("cold feet"), row("hot air") | changes])
    with pytest.raises(InputError, match="line 3") as caught:
        load("admire-a/en/train", data=tmp_path)
    assert sentence in str(caught.value) and str(path) in str(caught.value)


def test_wrong_files_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "subtask_a_train.tsv", [row("hot air"), row("hot air")])

    def said() -> str:
        with pytest.raises(InputError) as caught:
            load("admire-a/en/train", data=tmp_path)
        return str(caught.value)

    assert "the same item as line 2" in said()
    write(path, [row("hot air")], [c for c in COLUMNS if c != "image5_name"])
    assert "has no column 'image5_name'" in said()
    good = write(path, [row("hot air")]).read_bytes()
    path.write_bytes(good.replace(b"caption 2", b"caption \xff"))
    assert "line 2: not valid UTF-8" in said()
    path.write_bytes(good.replace(b"caption 2", b'"caption 2'))
    path.write_bytes(good.replace(b"\tho3.png", b""))
    assert "14 fields where the header has 15" in said()
    path.write_bytes(good[: good.index(b"\n") + 1])
    assert "no rows" in said()
    path.write_bytes(b"")
    assert "is empty" in said()
    path.write_text("x", encoding="utf-16")
    assert "UTF-16" in said()
    path.unlink()
    assert "No subtask_a_train.tsv below" in said()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("admire-a/en/trian", "did you mean 'admire-a/en/train'"),
        ("admire-a/fr/train", "did you mean"),
        ("admire-a/en/xp", "admire-a/pt/xp in Portuguese"),
        ("amdire-a/en/train", "did you mean 'admire-a/en/train'"),
        ("admire-a/en/train?colour=red", "has no option 'colour'"),
    ],
)
def test_unknown_names_suggest_the_nearest(name: str, said: str, release: Path) -> None:
    with pytest.raises(TropeError) as caught:
        load(name, data=release)
    assert said in str(caught.value)


def test_missing_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--data DIR, or set TROPE_DATA"):
        load("admire-a/en/train")
    with pytest.raises(InputError, match="doesn't exist"):
        load("admire-a/en/train", data=tmp_path / "nowhere")


def test_a_gold_file_of_another_split_is_refused(release: Path, tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.tsv", [row("hot air"), row("big fish")], COLUMNS[:5])
    with pytest.raises(InputError, match="no answer for 'cold feet'; answers for 'big fish'"):
        load("admire-a/en/train", data=release, gold=gold)


def test_a_broken_picture_is_named_with_its_row(tmp_path: Path) -> None:
    from PIL import Image

    write(tmp_path / "subtask_a_train.tsv", [row("dog's life")])
    folder = tmp_path / "dog_s life"
    folder.mkdir()
    for n in range(1, 6):
        Image.new("RGB", (64, 64), (40 * n, 0, 0)).save(folder / f"do{n}.jpg")
    benchmark = load("admire-a/en/train", data=tmp_path)
    assert next(c.image for c in next(iter(benchmark)).candidates) == "dog_s life/do1.jpg"
    whole = (folder / "do3.jpg").read_bytes()
    for broken, said in ((whole[:-20], "cut short"), (b"no picture", "can't be read as a picture")):
        (folder / "do3.jpg").write_bytes(broken)
        with pytest.raises(InputError, match=r"do3\.jpg") as caught:
            load("admire-a/en/train", data=tmp_path)
        assert said in str(caught.value) and "line 2" in str(caught.value)
    Image.new("1", (12_000, 9_000)).save(folder / "do3.png")
    (folder / "do3.jpg").unlink()
    with pytest.raises(InputError, match=r"12000 x 9000 pixels|too many pixels"):
        load("admire-a/en/train", data=tmp_path)


def test_accents_and_apostrophes_in_folder_names(tmp_path: Path) -> None:
    import unicodedata

    from PIL import Image

    write(tmp_path / "PT" / "subtask_a_train.tsv", [row("pé d’água")])
    folder = tmp_path / "PT" / unicodedata.normalize("NFD", "pé d_água")
    folder.mkdir()
    for n in range(1, 6):
        Image.new("RGB", (8, 8)).save(folder / f"pé{n}.png")
    names = [c.image for c in next(iter(load("admire-a/pt/train", data=tmp_path))).candidates]
    assert all(names)


def test_captions_of_one_language(admire: Path) -> None:
    english = load("admire-a/pt/dev?captions=en", data=admire)
    item = next(iter(english))
    assert list(item.candidates[0].captions) == ["en"]
    assert english.name.endswith("?captions=en")
    with pytest.raises(TropeError, match="no captions in 'fr'; it has en, pt"):
        load("admire-a/pt/dev?captions=fr", data=admire)
