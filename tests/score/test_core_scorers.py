"""The scorers of the core, and what their files may hold."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from trope.engine import execute
from trope.engine.cache import Cache
from trope.errors import InputError, TropeError
from trope.item import Benchmark
from trope.prompt import get
from trope.read import load
from trope.runs import Run
from trope.score import SCORERS, load_scorer
from trope.score.overlap import lemma, words

Ask = Callable[..., Run]


@pytest.fixture
def ask(own_cache: Path) -> Ask:
    def run(address: str, benchmark: Benchmark | None = None, prompt: str = "phrase") -> Run:
        scorer = load_scorer(address)
        cache = Cache(own_cache)
        return execute(
            benchmark or load("sample"), scorer, get(prompt), address=address, cache=cache
        )

    return run


def test_random_hangs_on_seed_item_and_candidate_only(ask: Ask) -> None:
    sample = load("sample")
    whole, part = ask("random?seed=1"), ask("random?seed=1", sample.head(5))
    assert np.array_equal(whole.table.score[:5], part.table.score, equal_nan=True)
    assert not np.array_equal(whole.table.score, ask("random?seed=2").table.score)
    scores = np.concatenate([ask(f"random?seed={s}").table.score.ravel() for s in range(20)])
    assert scores.min() >= 0 and scores.max() < 1
    assert abs(scores.mean() - 0.5) < 0.02


def test_overlap_counts_shared_lemmas(ask: Ask) -> None:
    assert (
        words("The dogs running in shoes") == words("a dog runs in a shoe") == {"dog", "run", "sho"}
    )
    assert lemma("parties") == "party" and lemma("glass") == "glass" and lemma("stopped") == "stop"
    run = ask("overlap")
    item = load("sample").items[0]
    asked = words(item.phrase)
    for place, candidate in enumerate(item.candidates):
        shared = asked & words(item.caption(candidate) or "")
        assert run.table.score[0, place] == pytest.approx(len(shared) / len(asked))


def test_wordllama_gives_its_own_cosine(ask: Ask) -> None:
    """Against the library, asked text by text."""
    import wordllama

    package = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=package, disable_download=True)
    run = ask("wordllama", prompt="sentence")
    for row, item in enumerate(load("sample").items[:6]):
        for place, candidate in enumerate(item.candidates):
            ours = run.table.score[row, place]
            assert ours == pytest.approx(
                model.similarity(item.sentence, item.caption(candidate)), abs=1e-5
            )


def test_every_scorer_says_what_it_is_without_loading() -> None:
    import subprocess
    import sys

    code = (
        "import sys\nfrom trope.score import load_scorer\n"
        "f = load_scorer('wordllama').fingerprint()\n"
        "assert len(f['weights']) == 64, f\n"
        "assert 'wordllama' not in sys.modules and 'tokenizers' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# -- vectors -------------------------------------------------------------------------------------


def npz(path: Path, keys: list[str], vectors: np.ndarray) -> Path:
    np.savez(path, keys=np.array(keys), vectors=vectors)
    return path


def test_vectors_are_looked_up_and_what_is_absent_is_missing(ask: Ask, tmp_path: Path) -> None:
    sample = load("sample").head(3)
    rng = np.random.default_rng(0)
    keys, rows = [], {}
    for item in sample:
        for name in ("text", *(c.id for c in item.candidates)):
            rows[f"sample|{item.id}|{name}"] = rng.normal(size=8).astype(np.float32)
    keys = list(rows)
    del rows[keys[-1]]  # the last candidate of the last item has no vector
    path = npz(tmp_path / "v.npz", list(rows), np.stack(list(rows.values())))
    address = f"vectors:{path}?text={{split}}|{{item}}|text&image={{split}}|{{item}}|{{file}}"
    run = ask(address, sample)
    assert run.table.answered.tolist() == [True, True, False]
    assert run.meta["counts"]["missing"] == 1
    item = sample.items[0]
    text = rows[f"sample|{item.id}|text"]
    for place, candidate in enumerate(item.candidates):
        picture = rows[f"sample|{item.id}|{candidate.id}"]
        cosine = float(text @ picture / np.linalg.norm(text) / np.linalg.norm(picture))
        assert run.table.score[0, place] == pytest.approx(cosine, abs=1e-6)


def test_a_real_clip_result(ask: Ask, admire: Path) -> None:
    """CLIP ViT-B/32 over the 60 train items it covers; numpy alone gives the same accuracy."""
    path = admire / "clip_vit_b32_vectors" / "clip_vitb32_en_train_dev.npz"
    train = load("admire-a/en/train", data=admire)
    run = ask(f"vectors:{path}", train)
    with np.load(path) as file:
        vectors = dict(zip(file["keys"].tolist(), file["vectors"], strict=True))
    right = []
    for item in train:
        keys = [f"train|{item.phrase}|{c.id}" for c in item.candidates]
        text = vectors.get(f"train|{item.phrase}|text")
        if text is None or any(key not in vectors for key in keys):
            continue
        cosines = np.array([text @ vectors[k] / np.linalg.norm(vectors[k]) for k in keys])
        first = cosines > cosines.max() - 1e-6  # one item has the same picture twice: a tie
        right.append(
            np.mean([c.gain == 5 for c, f in zip(item.candidates, first, strict=True) if f])
        )
    assert int(run.table.answered.sum()) == len(right) == 60
    from trope.measure.ranking import Top1

    assert np.nanmean(Top1()(run.table)) == pytest.approx(np.mean(right))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda p: p.write_bytes(b"no zip"), "can't be read as .npz"),
        (lambda p: np.savez(p, keys=np.array(["a"])), "arrays 'keys' and 'vectors'"),
        (lambda p: npz(p, ["a"], np.zeros((2, 3))), "one row of floats for each key"),
        (lambda p: npz(p, ["a", "a"], np.zeros((2, 3))), "more than once"),
        (lambda p: npz(p, ["a"], np.zeros((1, 3))), "no vector for any text"),
        (
            lambda p: np.savez(p, keys=np.array([{}], dtype=object), vectors=np.zeros((1, 2))),
            "can't be read as .npz",
        ),
    ],
)
def test_wrong_vector_files(make: Callable, said: str, ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "v.npz"
    make(path)
    with pytest.raises(TropeError) as caught:
        ask(f"vectors:{path}")
    assert said in str(caught.value)


# -- predictions ---------------------------------------------------------------------------------


def submission(path: Path, benchmark: Benchmark, change: Callable | None = None) -> Path:
    rows = [
        {"compound": i.phrase, "expected_order": str([c.id for c in i.candidates])}
        for i in benchmark
    ]
    rows = change(rows) if change else rows
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("folder/submission_EN.tsv", text.getvalue())
            archive.writestr("__MACOSX/folder/._submission_EN.tsv", "junk")
    else:
        path.write_text(text.getvalue(), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["s.tsv", "s.zip"])
def test_an_order_becomes_scores(name: str, ask: Ask, admire: Path, tmp_path: Path) -> None:
    dev = load("admire-a/en/dev", data=admire)
    run = ask(f"predictions:{submission(tmp_path / name, dev)}", dev)
    assert np.array_equal(run.table.score, np.tile([5.0, 4, 3, 2, 1], (len(dev), 1)))


def test_what_predictions_leave_out_is_missing(ask: Ask, admire: Path, tmp_path: Path) -> None:
    dev = load("admire-a/en/dev", data=admire)
    path = submission(tmp_path / "s.tsv", dev, lambda rows: rows[2:])
    run = ask(f"predictions:{path}", dev)
    assert run.meta["counts"]["missing"] == 2


CHANGES: dict[str, tuple[Callable, str]] = {
    "an extra compound": (
        lambda rows: [*rows, rows[0] | {"compound": "big fisch"}],
        "no compound 'big fisch'",
    ),
    "a compound twice": (lambda rows: [*rows, rows[0]], "a second answer for"),
    "no permutation": (
        lambda rows: [rows[0] | {"expected_order": "['a.png']"}, *rows[1:]],
        "names 'a.png'",
    ),
    "a name twice": (
        lambda rows: [
            rows[0] | {"expected_order": str([eval(rows[0]["expected_order"])[0]] * 5)},
            *rows[1:],
        ],
        "each of the 5 candidates once",
    ),
    "another table": (lambda rows: [{"a": "1", "b": "2"}], "expected compound and"),
    "subtask B's column": (
        lambda rows: [{"compound": "x", "expected_item": "y"}],
        "which is for subtask B",
    ),
}


@pytest.mark.parametrize("case", CHANGES)
def test_wrong_submissions_are_named(case: str, ask: Ask, admire: Path, tmp_path: Path) -> None:
    change, said = CHANGES[case]
    dev = load("admire-a/en/dev", data=admire)
    path = submission(tmp_path / "s.tsv", dev, change)
    with pytest.raises(InputError) as caught:
        ask(f"predictions:{path}", dev)
    assert said in str(caught.value) and str(path) in str(caught.value)


def test_scores_from_a_table(ask: Ask, tmp_path: Path) -> None:
    sample = load("sample").head(2)
    lines = ["item,candidate,score"]
    for item in sample:
        lines += [f"{item.id},{c.id},{n / 7}" for n, c in enumerate(item.candidates)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines))
    run = ask(f"predictions:{path}", sample)
    assert np.allclose(run.table.score, np.arange(5) / 7)
    lines[3] = lines[3].rpartition(",")[0] + ","  # a score left empty is missing, not zero
    path.write_text("\n".join(lines))
    assert ask(f"predictions:{path}", sample).table.answered.tolist() == [False, True]
    path.write_text("\n".join([*lines, lines[1]]))
    with pytest.raises(InputError, match="a second score"):
        ask(f"predictions:{path}", sample)
    path.write_text("\n".join([*lines[:2], f"{lines[2].rpartition(',')[0]},high"]))
    with pytest.raises(InputError, match="must be a number"):
        ask(f"predictions:{path}", sample)


def test_a_zip_bomb_is_not_unpacked(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import trope.read.submission as room

    monkeypatch.setattr(room, "MOST_UNPACKED", 1000)
    path = tmp_path / "s.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("submission_EN.tsv", "x" * 100_000)
    with pytest.raises(InputError, match="unpacks to more"):
        ask(f"predictions:{path}")


# -- the registry --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("wordlama", "did you mean 'wordllama'"),
        ("wordllama:big", "takes no ':big'"),
        ("random?sed=1", "has no option 'sed'"),
        ("random?seed=-1", "whole number"),
        ("random?seed=x", "whole number"),
        ("random?seed", "?name=value"),
        ("vectors", "needs a file"),
        ("vectors:a.npz?text={colour}", "must be made of"),
        ("vectors:a.npz?text={phrase", "malformed"),
        ("predictions", "needs a file"),
        ("", "names nothing"),
        ("nowhere.py:Mine", "There is no file"),
    ],
)
def test_wrong_addresses_get_a_sentence(address: str, said: str) -> None:
    with pytest.raises(TropeError) as caught:
        load_scorer(address)
    assert said in str(caught.value)


def test_a_class_of_ones_own(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from trope.score import Judge\n"
        "class Longest(Judge):\n"
        "    def __init__(self, sign='1'): self.sign = int(sign)\n"
        "    def fingerprint(self): return {'name': 'longest', 'sign': str(self.sign)}\n"
        "    def judge(self, pairs): return [self.sign * len(c) for _, c in pairs]\n"
        "class NotOne: pass\n"
    )
    run = ask(f"{path}:Longest?sign=-1")
    item = load("sample").items[0]
    assert run.table.score[0].tolist() == [-len(item.caption(c)) for c in item.candidates]
    with pytest.raises(InputError, match="must subclass"):
        load_scorer(f"{path}:NotOne")
    with pytest.raises(InputError, match="can't be made"):
        load_scorer(f"{path}:Absent")


def test_a_missing_extra_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    family = SCORERS["wordllama"]._replace(needs=("surely_not_installed",), extra="torch")
    monkeypatch.setitem(SCORERS, "wordllama", family)
    with pytest.raises(TropeError, match=r"pip install 'trope\[torch\]'"):
        load_scorer("wordllama")
