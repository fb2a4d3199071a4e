"""Once is enough: nothing is computed twice, and a run that was stopped ends the same."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest

from trope.engine import Tally, execute
from trope.engine.cache import Cache
from trope.errors import InputError, TropeError
from trope.item import Benchmark, Candidate, Item
from trope.prompt import get
from trope.read import load
from trope.runs import Run
from trope.score.faces import Content, Encoder, Floats, Judge, Picture, Question, Ranker


def vector(text: str) -> np.ndarray:
    rng = np.random.default_rng(abs(hash(text)) % 2**32)
    return rng.normal(size=16).astype(np.float32)


class CountingEncoder(Encoder):
    batch = 7

    def __init__(self) -> None:
        self.texts: Counter[str] = Counter()
        self.contents: Counter[Content] = Counter()

    def fingerprint(self) -> dict[str, str]:
        return {"name": "counting"}

    def embed_texts(self, texts: Sequence[str]) -> Floats:
        self.texts.update(texts)
        assert len(texts) <= self.batch
        return np.stack([vector(t) for t in texts])

    def embed_contents(self, contents: Sequence[Content]) -> Floats:
        self.contents.update(contents)
        return np.stack([vector(str(c)) for c in contents])


class CountingJudge(Judge):
    batch = 5

    def __init__(self, fails: str = "") -> None:
        self.pairs: Counter[tuple[str, Content]] = Counter()
        self.fails = fails

    def fingerprint(self) -> dict[str, str]:
        return {"name": "judge"}

    def judge(self, pairs: Sequence[tuple[str, Content]]) -> list[float]:
        self.pairs.update(pairs)
        return [
            float("nan") if self.fails and self.fails in str(c) else float(len(t) + len(str(c)))
            for t, c in pairs
        ]


class CountingRanker(Ranker):
    def __init__(self) -> None:
        self.lists: Counter[tuple[str, tuple[Content | None, ...]]] = Counter()

    def fingerprint(self) -> dict[str, str]:
        return {"name": "ranker"}

    def rank(self, questions: Sequence[Question]) -> list[list[float]]:
        self.lists.update((q.text, q.contents) for q in questions)
        return [[float(len(str(c))) for c in q.contents] for q in questions]


@pytest.fixture
def cache(own_cache: Path) -> Cache:
    return Cache(own_cache)


def ask(scorer: object, cache: Cache, benchmark: Benchmark | None = None, **more: object) -> Run:
    asked = benchmark or load("sample")
    return execute(asked, scorer, get("sentence"), address="x", cache=cache, **more)


def test_each_text_and_each_caption_is_embedded_once(cache: Cache) -> None:
    sample = load("sample")
    encoder = CountingEncoder()
    run = ask(encoder, cache)
    captions = {item.caption(c) for item in sample for c in item.candidates}
    assert encoder.texts == Counter({item.sentence: 1 for item in sample})
    assert set(encoder.contents) == captions and max(encoder.contents.values()) == 1
    again = CountingEncoder()
    tally = Tally()
    warm = ask(again, cache, tally=tally)
    assert not again.texts and not again.contents and tally.computed == 0
    assert np.array_equal(run.table.score, warm.table.score)
    assert warm.meta == run.meta
    fresh = CountingEncoder()
    ask(fresh, cache, fresh=True)
    assert fresh.texts == encoder.texts


def test_scores_are_cosines_whatever_the_batch(cache: Cache, tmp_path: Path) -> None:
    sample = load("sample")
    run = ask(CountingEncoder(), cache)
    other = CountingEncoder()
    other.batch = 1000
    assert np.array_equal(run.table.score, ask(other, Cache(tmp_path)).table.score)
    for row, item in enumerate(sample):
        for place, c in enumerate(item.candidates):
            a, b = vector(item.sentence), vector(item.caption(c))
            cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
            assert run.table.score[row, place] == pytest.approx(cosine, abs=1e-5)


def test_each_pair_is_judged_once_and_failures_are_asked_again(cache: Cache) -> None:
    sample = load("sample")
    word = sample.items[0].caption(sample.items[0].candidates[0])
    judge = CountingJudge(fails=word)
    run = ask(judge, cache)
    assert max(judge.pairs.values()) == 1
    missing = run.meta["counts"]["missing"]
    assert missing == sum(any(i.caption(c) == word for c in i.candidates) for i in sample)
    assert np.isnan(run.table.score).sum() == missing  # missing, not zero
    mended = CountingJudge()
    assert ask(mended, cache).meta["counts"]["missing"] == 0
    assert sum(mended.pairs.values()) == missing


def test_each_list_is_ranked_once(cache: Cache) -> None:
    ranker = CountingRanker()
    ask(ranker, cache)
    assert max(ranker.lists.values()) == 1
    again = CountingRanker()
    ask(again, cache)
    assert not again.lists


def test_models_don_t_share_answers(cache: Cache) -> None:
    class Other(CountingJudge):
        def fingerprint(self) -> dict[str, str]:
            return {"name": "another"}

    ask(CountingJudge(), cache)
    other = Other()
    ask(other, cache)
    assert other.pairs


def test_pictures_are_known_by_their_bytes(cache: Cache) -> None:
    class Looker(CountingEncoder):
        sees = "picture"

        def embed_contents(self, contents: Sequence[Content]) -> Floats:
            assert all(isinstance(c, Picture) for c in contents)
            self.contents.update(contents)
            return np.stack([vector(c.sha256) for c in contents])

    looker = Looker()
    run = ask(looker, cache)
    assert len(looker.contents) == 80 and max(looker.contents.values()) == 1
    assert run.meta["benchmark"]["pictures"]
    sample = load("sample")
    first = sample.items[0]
    blind = msgspec.structs.replace(first.candidates[0], image=None)
    part = msgspec.structs.replace(first, candidates=(blind, *first.candidates[1:]))
    lacking = msgspec.structs.replace(sample, items=(part, *sample.items[1:]))
    assert ask(Looker(), cache, lacking).table.answered.tolist() == [False] + [True] * 31


def test_ragged_items_and_absent_captions(cache: Cache) -> None:
    def item(name: str, *captions: str) -> Item:
        made = tuple(
            Candidate(id=str(n), gain=float(n), captions={"en": c} if c else {})
            for n, c in enumerate(captions)
        )
        return Item(id=name, phrase=name, language="en", sentence=name, candidates=made)

    benchmark = Benchmark(
        "b", "ranking", (item("one", "a"), item("two", "a", "b", ""), item("x", "c", "d"))
    )
    for scorer in (CountingEncoder(), CountingJudge(), CountingRanker()):
        table = ask(scorer, cache, benchmark).table
        assert table.answered.tolist() == [True, False, True]
        assert table.real.sum(axis=1).tolist() == [1, 3, 2]


def test_a_scorer_that_answers_too_little_is_refused(cache: Cache) -> None:
    class Short(CountingJudge):
        def judge(self, pairs: Sequence[tuple[str, Content]]) -> list[float]:
            return [1.0] * (len(pairs) - 1)

    with pytest.raises(TropeError, match="answers to"):
        ask(Short(), cache)


def test_memory_grows_with_the_window_not_with_the_benchmark(cache: Cache) -> None:
    """The most vectors held at a time is the same for 2 and for 8 windows."""
    import trope.engine as engine

    held = []
    original = engine._Work._vectors

    def spy(self, kind, wanted, embed):
        found = original(self, kind, wanted, embed)
        held.append(len(found))
        return found

    def many(n: int) -> Benchmark:
        items = tuple(
            Item(
                id=str(i),
                phrase=str(i),
                language="en",
                sentence=f"s{i}",
                candidates=(Candidate(id="a", captions={"en": f"c{i}"}),),
            )
            for i in range(n)
        )
        return Benchmark("b", "ranking", items)

    engine._Work._vectors = spy
    try:
        ask(CountingEncoder(), cache, many(1024))
        small = max(held)
        held.clear()
        ask(CountingEncoder(), cache, many(4096))
        assert max(held) == small == 512
    finally:
        engine._Work._vectors = original


# -- stopped at any moment -----------------------------------------------------------------------

SLOW = """
import hashlib, time
from pathlib import Path
import numpy as np
from trope.score import Encoder

class Slow(Encoder):
    batch = 4
    def fingerprint(self): return {"name": "slow"}
    def embed_texts(self, texts):
        with Path("log.txt").open("a") as log:
            log.writelines(f"{t!r}\\n" for t in texts)
        time.sleep(0.02)
        seeds = [int.from_bytes(hashlib.sha256(t.encode()).digest()[:4], "big") for t in texts]
        return np.stack([np.random.default_rng(s).normal(size=8) for s in seeds])
    embed_contents = embed_texts
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("after", [2, 9, 20])
def test_a_stopped_run_goes_on_and_ends_the_same(
    how: signal.Signals, after: int, tmp_path: Path
) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    words = [sys.executable, "-m", "trope", "run", "sample", "-m", "slow.py:Slow"]

    def start(cache: str, out: str) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "TROPE_CACHE": str(tmp_path / cache)}
        return subprocess.Popen(
            [*words, "--out", out],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    log = tmp_path / "log.txt"
    process = start("c1", "stopped")
    deadline = time.monotonic() + 60
    while not log.exists() or log.read_text().count("\n") < after * 4:
        assert time.monotonic() < deadline and process.poll() is None, process.stderr.read()
        time.sleep(0.002)
    process.send_signal(how)
    _, said = process.communicate(timeout=60)
    assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    assert b"Traceback" not in said
    assert not list(tmp_path.glob("stopped/**/run.json"))  # nothing half-written
    done = log.read_text().splitlines()
    process = start("c1", "stopped")
    assert process.communicate(timeout=120) and process.returncode == 0
    again = log.read_text().splitlines()[len(done) :]
    # at most the batch under way is asked again
    assert len(set(done) & set(again)) <= 4
    log.unlink()
    process = start("c2", "whole")
    assert process.communicate(timeout=120) and process.returncode == 0
    kept = {
        p.relative_to(tmp_path / "stopped"): p.read_bytes() for p in files(tmp_path / "stopped")
    }
    whole = {p.relative_to(tmp_path / "whole"): p.read_bytes() for p in files(tmp_path / "whole")}
    assert kept == whole and len(whole) == 2


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


# -- the cache -----------------------------------------------------------------------------------


def test_the_cache_keeps_all_of_a_batch_or_none(own_cache: Path) -> None:
    cache = Cache(own_cache)
    cache.put({b"a": b"1", b"b": b"2"})
    with pytest.raises(InputError):
        cache.put({b"c": b"3", b"d": None})  # type: ignore[dict-item]
    assert Cache(own_cache).get([b"a", b"b", b"c", b"z"]) == {b"a": b"1", b"b": b"2"}
    many = {str(i).encode(): bytes(4) for i in range(2000)}
    cache.put(many)
    assert cache.get(many) == many


def test_several_processes_share_the_cache(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from trope.engine.cache import Cache\n"
        "c = Cache(Path(sys.argv[1]))\n"
        "for i in range(40): c.put({f'{sys.argv[2]}-{i}'.encode(): b'x'})\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(n)]) for n in range(4)
    ]
    assert [p.wait(timeout=60) for p in started] == [0] * 4
    keys = [f"{n}-{i}".encode() for n in range(4) for i in range(40)]
    assert len(Cache(tmp_path).get(keys)) == 160


def test_a_cache_that_can_t_be_used_gets_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="TROPE_CACHE"):
        Cache(tmp_path / "file" / "below")
    (tmp_path / "answers.sqlite").write_bytes(b"this is no database" * 100)
    with pytest.raises(InputError, match="damaged: delete it"):
        Cache(tmp_path)


def test_a_full_disk_gets_a_sentence(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    pages = cache._db.execute("PRAGMA page_count").fetchone()[0]
    cache._db.execute(f"PRAGMA max_page_count={pages + 1}")
    with pytest.raises(InputError, match="disk is full"):
        cache.put({os.urandom(32): bytes(4000) for _ in range(50)})
    assert isinstance(cache._db, sqlite3.Connection) and not cache._db.in_transaction


@pytest.mark.parametrize("scorer", [CountingEncoder, CountingJudge, CountingRanker])
def test_progress_moves_within_a_window_and_ends_at_the_items(
    scorer: type, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    from contextlib import contextmanager

    import trope.engine as engine

    steps: list[float] = []

    @contextmanager
    def bar(label: str, total: int):
        yield steps.append

    monkeypatch.setattr(engine, "bar", bar)
    made = scorer()
    made.batch = 5
    ask(made, cache)
    assert sum(steps) == pytest.approx(32) and max(steps) < 32 / 4
