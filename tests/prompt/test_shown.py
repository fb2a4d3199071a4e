"""What a scorer is shown of a sequence, of several texts, and of a sense; by scorers that tell."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from trope.engine import execute
from trope.engine.cache import Cache
from trope.errors import InputError, TropeError
from trope.item import Benchmark, Candidate, Item, Sense
from trope.prompt import Prompt, get
from trope.prompt.strip import caption_strip, picture_strip, strip_hash
from trope.runs import Run
from trope.score.faces import Content, Encoder, Floats, Judge, Picture, Question, Ranker
from trope.verbs import run as run_verb

Execute = Callable[..., Run]


@pytest.fixture
def ask(tmp_path: Path) -> Execute:
    """Score a benchmark with a scorer, in a cache of its own."""
    number = itertools.count()

    def call(benchmark: Benchmark, scorer: object, prompt: Prompt, **options: object) -> Run:
        cache = Cache(tmp_path / f"cache{next(number)}")
        return execute(benchmark, scorer, prompt, address="own", cache=cache, **options)  # type: ignore

    return call


def story(root: Path | None = None, *, size: tuple[int, int] = (8, 6)) -> Benchmark:
    """Two items of two candidates, each behind a sequence of two."""

    def picture(name: str) -> Candidate:
        image = None
        if root is not None:
            colour = tuple(name.encode()[:1] * 3)
            wide, high = size
            Image.new("RGB", (wide, high + 2 * (name[0] == "c")), colour).save(root / f"{name}.png")
            image = f"{name}.png"
        return Candidate(id=name, image=image, captions={"en": f"caption {name} "})

    items = tuple(
        Item(
            id=f"i{number}",
            phrase=f"phrase {number}",
            language="en",
            sense=Sense.idiomatic if number else Sense.literal,
            sequence=(picture(f"s{number}1"), picture(f"s{number}2")),
            candidates=(picture(f"c{number}1"), picture(f"c{number}2")),
        )
        for number in range(2)
    )
    return Benchmark(name="story", task="completion", items=items, root=root)


class Telling(Judge):
    """Remembers what it was shown; its number is the length of it."""

    def __init__(self, sees: str = "caption", *, asks: bool = False) -> None:
        self.sees = sees  # type: ignore[assignment]
        self.asks = asks
        self.pairs: list[tuple[str, Content]] = []

    def fingerprint(self) -> dict[str, str]:
        return {"name": "telling"}

    def judge(self, pairs: Sequence[tuple[str, Content]]) -> list[float]:
        self.pairs += pairs
        return [float(len(text)) for text, _ in pairs]


class Lengths(Encoder):
    """A vector of a text's length and its letters a, e, i."""

    def fingerprint(self) -> dict[str, str]:
        return {"name": "lengths"}

    def embed_texts(self, texts: Sequence[str]) -> Floats:
        return np.array([[1 + len(t), *(t.count(c) for c in "aei")] for t in texts], np.float32)

    def embed_contents(self, contents: Sequence[Content]) -> Floats:
        return self.embed_texts([str(c) for c in contents])


class Orders(Ranker):
    def __init__(self) -> None:
        self.asked: list[Question] = []

    def fingerprint(self) -> dict[str, str]:
        return {"name": "orders"}

    def rank(self, questions: Sequence[Question]) -> list[list[float]]:
        self.asked += questions
        return [[float(i) for i, _ in enumerate(q.contents)] for q in questions]


# -- strips --------------------------------------------------------------------------------------


def test_a_caption_strip_tells_the_story_in_order(ask: Execute) -> None:
    scorer = Telling()
    made = ask(story(), scorer, get("phrase"), sense="none")
    assert scorer.pairs[0] == ("phrase 0", "caption s01\ncaption s02\ncaption c01")
    assert made.meta["prompt"]["view"] == "strip"


def test_a_candidate_may_stand_alone(ask: Execute) -> None:
    scorer = Telling()
    made = ask(story(), scorer, get("phrase"), view="candidate", sense="none")
    assert scorer.pairs[0] == ("phrase 0", "caption c01 ")
    assert made.meta["prompt"]["view"] == "candidate"


def test_a_prompt_that_holds_the_sequence_needs_no_strip(ask: Execute) -> None:
    scorer = Telling()
    ask(story(), scorer, get("sequence"), sense="none")
    assert scorer.pairs[0] == ("caption s01 caption s02", "caption c01 ")


def test_the_view_is_part_of_the_experiment(ask: Execute) -> None:
    prints = {
        ask(story(), Telling(), get("phrase"), view=view, sense="none").fingerprint
        for view in ("strip", "candidate")
    }
    assert len(prints) == 2


def test_a_picture_strip_has_equal_heights_and_all_the_pixels(tmp_path: Path, ask: Execute) -> None:
    scorer = Telling("picture")
    ask(story(tmp_path), scorer, get("phrase"), sense="none")
    content = scorer.pairs[0][1]
    assert isinstance(content, Picture)
    strip = np.asarray(Image.open(content.path))
    # Sequence pictures are 8 x 6; the candidate is 8 x 8, so it becomes 6 x 6.
    assert strip.shape == (6, 8 + 8 + 6, 3)
    assert (strip[:, :16] == ord("s")).all()
    assert (strip[:, 16:] == ord("c")).all()


def test_a_strip_is_named_by_its_pictures_bytes(tmp_path: Path) -> None:
    assert strip_hash(["a", "b"]) != strip_hash(["b", "a"])
    paths = []
    for number, colour in enumerate(("red", "blue")):
        paths.append(tmp_path / f"{number}.png")
        Image.new("RGB", (4, 4), colour).save(paths[-1])
    first = picture_strip(paths, "x", tmp_path / "strips")
    stamp = first.stat().st_mtime_ns
    assert picture_strip(paths, "x", tmp_path / "strips") == first
    assert first.stat().st_mtime_ns == stamp, "a strip is drawn once"


def test_a_strip_without_one_of_its_parts_is_missing(tmp_path: Path, ask: Execute) -> None:
    assert caption_strip(["a", None, "c"]) is None
    assert caption_strip(["a", " ", "c"]) is None
    whole = story(tmp_path)
    first = whole.items[0]
    torn = Item(
        id=first.id,
        phrase=first.phrase,
        language="en",
        sequence=(Candidate(id="s1"), first.sequence[1]),
        candidates=first.candidates,
    )
    made = ask(
        Benchmark("torn", "completion", (torn,), root=tmp_path), Telling("picture"), get("phrase")
    )
    assert made.meta["counts"]["missing"] == 1


def test_a_ranker_sees_the_sequence_once_before_its_candidates(ask: Execute) -> None:
    scorer = Orders()
    made = ask(story(), scorer, get("phrase"))
    assert scorer.asked[0].before == ("caption s01 ", "caption s02 ")
    assert scorer.asked[0].contents == ("caption c01 ", "caption c02 ")
    assert made.meta["prompt"]["view"] == "sequence"


def test_a_strip_of_nothing_gets_a_sentence() -> None:
    with pytest.raises(InputError, match="no sequences"):
        run_verb("sample", "wordllama", view="strip")
    with pytest.raises(TropeError, match="no view 'strap'"):
        run_verb("sample", "wordllama", view="strap")


# -- several texts -------------------------------------------------------------------------------


def test_the_score_is_the_mean_over_the_texts(ask: Execute) -> None:
    """Against cosines computed here, pair by pair."""
    benchmark = story()
    texts = ("{phrase}", "a picture of {phrase}", "an idea: {phrase}")
    made = ask(benchmark, Lengths(), get(" || ".join(texts)), view="candidate", sense="none")

    def cosine(a: str, b: str) -> float:
        x, y = Lengths().embed_texts([a, b]).astype(float)
        return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))

    for row, item in enumerate(benchmark.items):
        for column, candidate in enumerate(item.candidates):
            want = [cosine(t.format(phrase=item.phrase), candidate.captions["en"]) for t in texts]
            assert made.table.score[row, column] == pytest.approx(np.mean(want), abs=1e-6)


def test_one_missing_text_makes_the_item_missing(ask: Execute) -> None:
    class Fails(Telling):
        def judge(self, pairs: Sequence[tuple[str, Content]]) -> list[float]:
            return [float("nan") if "idea" in text else 1.0 for text, _ in pairs]

    made = ask(story(), Fails(), get("{phrase} || idea {phrase}"), sense="none")
    assert made.meta["counts"]["missing"] == 2


def test_an_ensemble_of_one_is_the_plain_prompt(ask: Execute) -> None:
    one = ask(story(), Lengths(), get("{phrase}"), sense="none").table.score
    same = ask(story(), Lengths(), get("phrase"), sense="none").table.score
    assert (one == same).all()


# -- senses --------------------------------------------------------------------------------------


class Literal(Telling):
    """Says yes to the literal question about a sequence that says s0, else to the other."""

    def judge(self, pairs: Sequence[tuple[str, Content]]) -> list[float]:
        self.pairs += pairs
        return [float(("literal" in text) == ("s01" in str(content))) for text, content in pairs]


def test_a_judge_names_the_sense_it_says_yes_to(ask: Execute) -> None:
    scorer = Literal(asks=True)
    made = ask(story(), scorer, get("meaning"))
    assert made.table.said == ["literal", "idiomatic"]
    asked = [pair for pair in scorer.pairs if "figurative" in pair[0]]
    assert asked[0][1] == "caption s01\ncaption s02", "the sequence alone, without a candidate"
    assert made.meta["prompt"]["sense"]["way"] == "judge"


def test_the_better_scoring_sense_looks_at_candidates(ask: Execute) -> None:
    scorer = Literal()
    made = ask(story(), scorer, get("phrase"), sense="better")
    assert made.table.said == ["literal", "idiomatic"]
    asked = [content for text, content in scorer.pairs if "figurative" in text]
    assert asked[0] == "caption s01\ncaption s02\ncaption c01"


def test_an_encoder_names_the_nearer_sense(ask: Execute) -> None:
    class Nearer(Lengths):
        def embed_texts(self, texts: Sequence[str]) -> Floats:
            near = [("literal" in t) or ("s01" in t) for t in texts]
            return np.array([[float(n), float(not n)] for n in near], np.float32)

    made = ask(story(), Nearer(), get("phrase"))
    assert made.table.said == ["literal", "idiomatic"]
    assert made.meta["prompt"]["sense"]["way"] == "encoder"


def test_a_tie_names_no_sense(ask: Execute) -> None:
    class Same(Telling):
        def judge(self, pairs: Sequence[tuple[str, Content]]) -> list[float]:
            return [0.5 for _ in pairs]

    assert ask(story(), Same(asks=True), get("meaning")).table.said == ["", ""]


def test_the_way_is_part_of_the_experiment(ask: Execute) -> None:
    ways = [ask(story(), Literal(), get("phrase"), sense=way) for way in ("better", "none")]
    assert ways[0].fingerprint != ways[1].fingerprint
    assert "sense" not in ways[1].meta["prompt"]


def test_senses_are_asked_for_only_where_the_task_wants_one(ask: Execute) -> None:
    ranking = Benchmark("r", "ranking", story().items)
    assert ask(ranking, Literal(asks=True), get("meaning")).table.said == ["", ""]


@pytest.mark.parametrize(("way", "words"), [("judge", "encoder that sees"), ("guess", "no way to")])
def test_a_way_that_cannot_be_gets_a_sentence(ask: Execute, way: str, words: str) -> None:
    with pytest.raises(TropeError, match=words):
        ask(story(), Lengths(), get("phrase"), sense=way)


def test_admire_b_names_senses_and_submits_them(admire: Path, trope, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    told = trope("run", "admire-b/en/dev", "-m", "wordllama", "--data", admire, "--json")
    assert told.returncode == 0, told.stderr
    assert '"macro_f1"' in told.stdout
    sent = trope("submit", "wordllama", "-o", "out", "--data", admire)
    assert sent.returncode == 0, sent.stderr
    assert "names no sense" not in sent.stderr
