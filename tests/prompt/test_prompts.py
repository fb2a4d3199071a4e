"""Prompts are the experiment: every word and every comma of them is held here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trope.errors import InputError, TropeError
from trope.item import Candidate, Item, Sense
from trope.prompt import TEMPLATES, Prompt, default, get
from trope.prompt.examples import (
    DESCRIPTORS_INSTRUCTION,
    EXAMPLE,
    EXAMPLES_INSTRUCTION,
    parse_list,
)
from trope.prompt.sense import Senses, named

ITEM = Item(
    id="1",
    phrase="cricket bat",
    language="en",
    sentence="He broke a cricket bat.",
    definitions=("a bat", "for cricket"),
    sequence=(
        Candidate(id="s1", captions={"en": "A boy runs. "}),
        Candidate(id="s2", captions={"en": "He falls."}),
    ),
    candidates=(Candidate(id="a"),),
)

SNAPSHOT = {
    "phrase": "cricket bat",
    "sentence": "He broke a cricket bat.",
    "phrase+sentence": "cricket bat: He broke a cricket bat.",
    "definition": "a bat; for cricket",
    "phrase+definition": "cricket bat: a bat; for cricket",
    "photo": "A photo of a cricket bat",
    "reversed": "A photo of a bat cricket",
    "sequence": "A boy runs. He falls.",
    "question": (
        "Does this figure show the meaning of cricket bat in the sentence: He broke a cricket "
        "bat.? Please answer yes or no."
    ),
    "meaning": "Does this figure show the meaning of cricket bat? Please answer yes or no.",
    "vqascore": 'Does this figure show "cricket bat"? Please answer yes or no.',
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_named_prompt_reads_as_it_did(name: str) -> None:
    assert get(name).texts(ITEM) == (SNAPSHOT[name],)


def test_the_admire_question_is_the_papers(shared_data: Path) -> None:
    paper = next((shared_data.parent / "papers").glob("000_*.txt"), None)
    if paper is None:
        pytest.skip("the papers' text is not on this machine")
    words = " ".join(paper.read_text(encoding="utf-8").replace("\\_", "_").split())
    asked = TEMPLATES["question"].format(phrase="< compound >", sentence="< context_sentence >")
    assert asked in words


def test_compuns_instruction_and_form_are_the_papers(shared_data: Path) -> None:
    paper = next((shared_data.parent / "papers").glob("002_*.txt"), None)
    if paper is None:
        pytest.skip("the papers' text is not on this machine")
    words = " ".join(paper.read_text(encoding="utf-8").replace("\\_", "_").split())
    first, second = EXAMPLES_INSTRUCTION.format(phrase="compound_noun").split('"chicken burger"')
    assert f'{first}"chicken' in words  # a figure stands in the middle of the printed sentence
    assert f'burger"{second}' in words
    form = "a photo of a {class name}. An example of {compound name} in an image is {caption}"
    assert form in words
    for theirs in ("{class name}", "{compound name}"):
        form = form.replace(theirs, "{phrase}")
    assert form == EXAMPLE


def test_instructions_read_as_they_did() -> None:
    assert EXAMPLES_INSTRUCTION.format(phrase="snow ball").startswith(
        "Return a list of 5 diverse captions with a snow ball in a photo. The captions should be "
        "a maximum of 10 words and one-liners."
    )
    assert DESCRIPTORS_INSTRUCTION.format(phrase="snow ball") == (
        "Q: What are useful features for distinguishing a snow ball in a photo?\n"
        "A: There are several useful visual features to tell there is a snow ball in a photo:\n-"
    )


def test_senses_read_as_they_did() -> None:
    asked, told = Senses("judge", asks=True), Senses("encoder", asks=False)
    assert [asked.text(ITEM, sense) for sense in Sense] == [
        'Does this figure show the figurative meaning of "cricket bat"? Please answer yes or no.',
        'Does this figure show the literal meaning of "cricket bat"? Please answer yes or no.',
    ]
    assert [told.text(ITEM, sense) for sense in Sense] == [
        "the figurative meaning of cricket bat",
        "a real cricket bat, literally",
    ]
    assert (named(1.0, 0.0), named(0.0, 1.0), named(1.0, 1.0)) == ("idiomatic", "literal", "")


# -- ensembles -----------------------------------------------------------------------------------


def test_templates_of_ones_own_stand_side_by_side() -> None:
    prompt = get("A photo of {phrase}. || A drawing of {phrase}.")
    assert prompt.texts(ITEM) == ("A photo of cricket bat.", "A drawing of cricket bat.")
    assert prompt.text(ITEM) == "A photo of cricket bat."
    assert prompt.hash != get("A photo of {phrase}.").hash


def test_templates_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("A photo of {phrase}.\n\nA {phrase}\n")
    prompt = get(f"templates:{tmp_path / 't.txt'}")
    assert prompt.name == "templates:t.txt"
    assert prompt.texts(ITEM) == ("A photo of cricket bat.", "A cricket bat")


FIVE = [f"Caption {number} with a bat." for number in range(5)]


def test_example_captions_make_five_texts(tmp_path: Path) -> None:
    path = tmp_path / "captions.json"
    path.write_text(json.dumps({"Cricket  Bat": FIVE}))
    prompt = get(f"examples:{path}")
    assert prompt.texts(ITEM) == tuple(
        f"a photo of a cricket bat. An example of cricket bat in an image is {caption}"
        for caption in FIVE
    )
    assert str(tmp_path) not in prompt.name  # a run doesn't say where files lie
    assert len(get(f"examples:{path}?first=2").texts(ITEM)) == 2
    assert get(f"examples:{path}?first=2").hash != prompt.hash


def test_a_table_is_as_good_as_json(tmp_path: Path) -> None:
    rows = "".join(f"cricket bat,{caption}\n" for caption in FIVE)
    (tmp_path / "c.csv").write_text("phrase,text\n" + rows)
    (tmp_path / "c.json").write_text(json.dumps({"cricket bat": FIVE}))
    table, lists = get(f"examples:{tmp_path / 'c.csv'}"), get(f"examples:{tmp_path / 'c.json'}")
    assert table.texts(ITEM) == lists.texts(ITEM)
    assert table.hash == lists.hash


def test_other_words_are_another_experiment(tmp_path: Path) -> None:
    for name, words in (("a", FIVE), ("b", FIVE[:4])):
        (tmp_path / f"{name}.json").write_text(json.dumps({"cricket bat": words}))
    assert get(f"examples:{tmp_path}/a.json").hash != get(f"examples:{tmp_path}/b.json").hash


def test_descriptors_follow_their_class(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text(json.dumps({"cricket bat": ["a long handle", "flat", "used for hitting"]}))
    assert get(f"descriptors:{path}").texts(ITEM) == (
        "cricket bat, which is a long handle",
        "cricket bat, which has flat",
        "cricket bat, which is used for hitting",
    )


# -- what a model wrote --------------------------------------------------------------------------


def test_lists_are_read_as_models_write_them() -> None:
    want = tuple(FIVE)
    assert parse_list("examples", json.dumps(FIVE)) == want
    assert parse_list("examples", f"Sure!\n```python\n{FIVE!r}\n```") == want
    assert parse_list("examples", "\n".join(f"{n}. {t}" for n, t in enumerate(FIVE, 1))) == want
    assert parse_list("examples", json.dumps(FIVE[:3])) == ()
    assert parse_list("examples", "I can't help with that.") == ()
    assert parse_list("examples", "[1, 2, 3, 4, 5]") == ()


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("nothing", "There is no prompt"),
        ("examples", "needs a file"),
        ("examples:absent.json", "There is no file"),
        ("examples:x.json?last=1", "no option"),
        ("{price}", "asks for"),
        ("{phrase", "malformed"),
        ("only {language}", "says nothing of the item"),
        ("{phrase} || {price}", "asks for"),
        ("{phrase!r}", "asks for"),
    ],
)
def test_a_bad_prompt_gets_a_sentence(prompt: str, words: str) -> None:
    with pytest.raises(TropeError, match=words):
        get(prompt)


@pytest.mark.parametrize("content", ["[]", "{}", '{"a": []}', '{"a": [1]}', "{", '{"a": ""}'])
def test_a_bad_file_of_words_gets_a_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(content)
    with pytest.raises(InputError, match=r"bad\.json"):
        get(f"examples:{path}")


def test_a_phrase_without_words_is_named(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps({"snow ball": FIVE}))
    with pytest.raises(InputError, match="no caption for 'cricket bat'"):
        get(f"examples:{path}").texts(ITEM)


def test_a_field_that_an_item_lacks_is_named() -> None:
    bare = Item(id="x", phrase="raincoat", language="en", candidates=())
    for name, what in (("question", "sentence"), ("reversed", "two nouns"), ("sequence", "seq")):
        with pytest.raises(InputError, match=what):
            get(name).text(bare)
    split = Item(
        id="x", phrase="raincoat", language="en", candidates=(), extra={"nouns": "rain coat"}
    )
    assert get("reversed").text(split) == "A photo of a coat rain"


def test_the_default_is_a_question_for_models_that_answer_questions() -> None:
    assert default([ITEM]).name == "phrase+sentence"
    assert default([ITEM], asks=True).name == "question"
    bare = Item(id="x", phrase="raincoat", language="en", candidates=())
    assert default([bare]).name == "phrase"
    assert default([bare], asks=True).name == "meaning"
    assert Prompt("x", "{phrase}").texts(bare) == ("raincoat",)
