"""Asks a scorer about a benchmark: plan, batch, cache, resume. Nothing is computed twice.

The answer is a `Run`. A run that is stopped at any moment goes on where it was, and ends with the
same table, byte for byte.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trope import __version__
from trope.engine.cache import Cache
from trope.engine.plan import Planner, choose_view, key, windows
from trope.engine.progress import Advance, bar
from trope.engine.senses import choose_senses, name_senses
from trope.errors import InputError, TropeError
from trope.hashes import value_hash
from trope.item import Benchmark
from trope.prompt import Prompt
from trope.prompt.sense import Senses
from trope.runs import FORMAT, Run, blank_table, scores_hash
from trope.score.faces import Content, Encoder, Floats, Judge, Picture, Question, Ranker, Scorer


@dataclass
class Tally:
    """How much was computed and how much was known already."""

    computed: int = 0
    known: int = 0
    remarks: list[str] = field(default_factory=list)
    """What the scorer has to say at the end."""


def execute(
    benchmark: Benchmark,
    scorer: Scorer,
    prompt: Prompt | None,
    *,
    address: str,
    cache: Cache,
    fresh: bool = False,
    tally: Tally | None = None,
    view: str | None = None,
    sense: str | None = None,
) -> Run:
    """Score every candidate of every item. `fresh` computes anew what the cache holds.

    An item with several texts gets the mean of their scores. `view` is `candidate` where a
    candidate is to be seen without its sequence; `sense` how a sense is named (`prompt/sense.py`).
    """
    scorer.remember(cache, fresh=fresh)
    scorer.prepare(benchmark)
    work = _Work(scorer, cache, fresh, tally or Tally())
    planner = Planner(
        benchmark,
        scorer,
        prompt if scorer.prompted else None,
        hashes={},
        view=choose_view(benchmark, scorer, prompt, view),
        strips=cache.path.parent / "strips",
    )
    senses = choose_senses(benchmark, scorer, sense)
    address = scorer.recorded(address)
    table = blank_table(benchmark)
    score = table.score
    said: list[str] = []
    truncated = 0
    with bar(address, len(benchmark.items)) as advance:
        work.advance = advance
        for places in windows(benchmark.items):
            work.left = len(places)
            items = [benchmark.items[i] for i in places]
            questions = [planner.questions(item) for item in items]
            for i, row in zip(places, _means(work, questions), strict=True):
                score[i, : len(row)] = row
            truncated += work.cut(questions)
            own = [scorer.said(item) for item in items]
            said += name_senses(items, planner, senses, work.ask) if senses else own
            advance(work.left)
    score[~np.isfinite(score)] = np.nan
    table = table.with_scores(score, said)
    meta = _meta(benchmark, planner, senses, address)
    meta["counts"] = {
        "items": len(table),
        "missing": int((~table.answered).sum()),
        "candidates": int(table.real.sum()),
    }
    if scorer.truncates:
        meta["counts"]["truncated"] = truncated
    meta["scores"] = scores_hash(table)
    return Run(table=table, meta=meta, answers=scorer.answers())


def _means(work: _Work, questions: list[list[Question]]) -> list[NDArray[np.float64]]:
    """One row of scores an item: the mean over its texts, missing where one of them is."""
    rows = iter(work.ask([question for texts in questions for question in texts]))
    return [np.mean([next(rows) for _ in texts], axis=0) for texts in questions]


def _meta(
    benchmark: Benchmark, planner: Planner, senses: Senses | None, address: str
) -> dict[str, Any]:
    """What the experiment was; nothing of when, where or how long."""
    scorer, prompt, pictures = planner.scorer, planner.prompt, planner.hashes
    model = {
        "address": address,
        "face": scorer.face,
        "sees": scorer.sees,
        "answers": "choice" if scorer.choice else "scores",
        **scorer.fingerprint(),
    }
    experiment: dict[str, Any] = {
        "benchmark": {
            "name": benchmark.name,
            "task": benchmark.task,
            "version": benchmark.card.version,
            "items": len(benchmark.items),
            "hash": benchmark.hash,
            "gold": benchmark.gold,
            "pictures": value_hash(pictures) if pictures else "",
        },
        "model": model,
        "prompt": {
            "name": prompt.name if prompt else "",
            "template": prompt.written if prompt else "",
            "hash": prompt.hash if prompt else "",
            **({"view": planner.view} if planner.view else {}),
            **({"sense": senses.record()} if senses else {}),
        },
        "seed": model.get("seed"),
        "versions": {
            "trope": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
    }
    return {"format": FORMAT, "fingerprint": value_hash(experiment), **experiment}


@dataclass
class _Work:
    """One scorer at work, its answers kept."""

    scorer: Scorer
    cache: Cache
    fresh: bool
    tally: Tally
    model: bytes = field(init=False)
    done: set[bytes] = field(default_factory=set)
    """Keys computed in this process, which `fresh` needn't compute again."""
    advance: Advance = lambda done: None
    left: float = 0
    """Items of the window that the progress bar hasn't counted yet."""
    step: float = 0
    """How many items an answer counts for."""

    def __post_init__(self) -> None:
        self.model = bytes.fromhex(value_hash(self.scorer.fingerprint()))

    def ask(self, questions: list[Question]) -> list[NDArray[np.float64]]:
        """One row of scores a question."""
        if any(question.about is not None for question in questions):
            return self._each(questions)
        if isinstance(self.scorer, Encoder):
            return self._encode(self.scorer, questions)
        if isinstance(self.scorer, Judge):
            return self._judge(self.scorer, questions)
        if isinstance(self.scorer, Ranker):
            return self._rank(self.scorer, questions)
        raise TropeError(f"{type(self.scorer).__name__} has none of the three faces.")

    def _each(self, questions: list[Question]) -> list[NDArray[np.float64]]:
        """Texts about a picture: each is put to the picture by itself, with the same caches."""
        if isinstance(self.scorer, Ranker):
            raise TropeError(
                f"{type(self.scorer).__name__} ranks lists of pictures and can't be asked which "
                "text fits one; take an encoder or a judge."
            )
        alone = [
            Question(text=str(text), contents=(q.about,), item=q.item)
            for q in questions
            for text in q.contents
            if text is not None and q.about is not None
        ]
        rows = iter(self.ask(alone))
        return [
            np.array(
                [
                    np.nan if text is None or q.about is None else next(rows)[0]
                    for text in q.contents
                ],
                dtype=np.float64,
            )
            for q in questions
        ]

    # -- encoders: each text and each content once, then cosines

    def _encode(self, encoder: Encoder, questions: list[Question]) -> list[NDArray[np.float64]]:
        texts: dict[Any, Content] = {q.text: q.text for q in questions}
        contents: dict[Any, Content] = {
            c: c for q in questions for c in q.contents if c is not None
        }
        self._pace(len(texts) + len(contents))
        text_vectors = self._vectors("text", texts, lambda part: encoder.embed_texts(part))
        content_vectors = self._vectors(
            "content", contents, lambda part: encoder.embed_contents(part)
        )
        rows = []
        for q in questions:
            row = np.full(len(q.contents), np.nan)
            for place, content in enumerate(q.contents):
                if content is not None:
                    row[place] = text_vectors[q.text] @ content_vectors[content]
            rows.append(row)
        return rows

    def _vectors(
        self, kind: str, wanted: dict[Any, Content], embed: Callable[[Any], Floats]
    ) -> dict[Any, NDArray[np.float64]]:
        """Unit vectors by content."""
        seen = "text" if self.scorer.sees == "caption" else kind  # a caption is a text
        keys = {content: key(self.model, seen, content) for content in wanted.values()}
        first = {k: content for content, k in reversed(keys.items())}  # same bytes, one key

        def compute(part: list[bytes]) -> list[NDArray[np.float32]]:
            vectors = np.asarray(embed([first[k] for k in part]), dtype=np.float32)
            _check_count(self.scorer, len(vectors), len(part))
            return list(vectors)

        found = self._answers(list(dict.fromkeys(keys.values())), compute, np.float32)
        self._check_widths({len(vector) for vector in found.values()})
        units = {}
        for k in first:
            vector = found[k].astype(np.float64)
            with np.errstate(all="ignore"):
                norm = float(np.sqrt(vector @ vector))
            units[k] = vector / norm if 0 < norm < np.inf else np.full_like(vector, np.nan)
        return {content: units[k] for content, k in keys.items()}

    def _check_widths(self, widths: set[int]) -> None:
        if len(widths) > 1:
            raise InputError(
                f"Vectors of {' and '.join(map(str, sorted(widths)))} numbers in one model: the "
                f"cache {self.cache.path} is damaged; delete it, or pass --fresh."
            )

    # -- judges: each (text, content) once

    def _judge(self, judge: Judge, questions: list[Question]) -> list[NDArray[np.float64]]:
        pairs = {
            key(self.model, "pair", q.text, content): (q.text, content)
            for q in questions
            for content in q.contents
            if content is not None
        }

        def compute(part: list[bytes]) -> list[NDArray[np.float64]]:
            numbers = np.asarray(judge.judge([pairs[k] for k in part]), dtype=np.float64)
            _check_count(self.scorer, len(numbers), len(part))
            return list(numbers.reshape(-1, 1))

        self._pace(len(pairs))
        found = self._answers(_by_picture(pairs), compute, np.float64)
        return [
            np.array(
                [
                    np.nan if c is None else found[key(self.model, "pair", q.text, c)][0]
                    for c in q.contents
                ],
                dtype=np.float64,
            )
            for q in questions
        ]

    # -- rankers: each (text, list) once

    def _rank(self, ranker: Ranker, questions: list[Question]) -> list[NDArray[np.float64]]:
        keys = [self._list_key(q) for q in questions]
        whole = {
            k: q
            for k, q in zip(keys, questions, strict=True)
            if not (ranker.sees in ("caption", "picture") and None in q.contents)
        }

        def compute(part: list[bytes]) -> list[NDArray[np.float64]]:
            rows = ranker.rank([whole[k] for k in part])
            _check_count(self.scorer, len(rows), len(part))
            for k, row in zip(part, rows, strict=True):
                _check_count(self.scorer, len(row), len(whole[k].contents))
            return [np.asarray(row, dtype=np.float64) for row in rows]

        self._pace(len(whole))
        found = self._answers(list(whole), compute, np.float64)
        for k, q in whole.items():
            self._check_widths({len(found[k]), len(q.contents)})
        blank = [np.full(len(q.contents), np.nan) for q in questions]
        return [found.get(k, row) for k, row in zip(keys, blank, strict=True)]

    def _list_key(self, q: Question) -> bytes:
        shown = [content if content is not None else "" for content in q.contents]
        identity = "" if self.scorer.sees in ("caption", "picture") else q.item.id
        before = [content if content is not None else "" for content in q.before]
        extra = ["before", *before] if before else []
        return key(self.model, "list", q.text, identity, *shown, *extra)

    # -- texts longer than the model reads

    def cut(self, questions: list[list[Question]]) -> int:
        """The items of which a text was cut short: a prompt, or a caption it reads.

        Each text is looked at once, ever: the count is the experiment's, not the cache's.
        """
        if not self.scorer.truncates:
            return 0
        read = [
            [text for q in own for text in (q.text, *q.contents) if isinstance(text, str)]
            for own in questions
        ]
        keys = {text: key(self.model, "cut", text) for texts in read for text in texts}
        flags = {k: v != b"\0" for k, v in self._stored(list(keys.values())).items()}
        todo = [text for text, k in keys.items() if k not in flags]
        if todo:
            told = [bool(flag) for flag in self.scorer.cut(todo)]
            _check_count(self.scorer, len(told), len(todo))
            fresh = {keys[text]: flag for text, flag in zip(todo, told, strict=True)}
            flags |= fresh
            if self.scorer.cached:
                self.cache.put({k: b"\1" if flag else b"\0" for k, flag in fresh.items()})
                self.done |= fresh.keys()
        return sum(any(flags[keys[text]] for text in texts) for texts in read)

    # -- the cache around all three

    def _pace(self, answers: int) -> None:
        """The first answers of a window stand for all its items; later ones count no more."""
        self.step = self.left / answers if answers else 0
        self.left = 0 if answers else self.left

    def _answers(
        self,
        keys: list[bytes],
        compute: Callable[[list[bytes]], Sequence[NDArray[Any]]],
        dtype: type[np.floating[Any]],
    ) -> dict[bytes, NDArray[Any]]:
        """What each key stands for, computed a batch at a time where the cache hasn't it.

        Batches are cut from all keys, not from those still to do, and each is stored whole: a
        run that was stopped goes on with the very batches it would have had.
        """
        answers: dict[bytes, NDArray[Any]] = {}
        batch = max(1, self.scorer.batch)
        for start in range(0, len(keys), batch):
            part = keys[start : start + batch]
            if start:
                self.advance(batch * self.step)
            stored = {
                k: np.frombuffer(v, dtype=dtype)
                for k, v in self._stored(part).items()
                if v and len(v) % np.dtype(dtype).itemsize == 0
            }
            stored = {k: v for k, v in stored.items() if np.isfinite(v).all()}
            answers.update(stored)
            todo = [k for k in part if k not in stored]
            self.tally.known += len(stored)
            if not todo:
                continue
            computed = dict(zip(todo, self._computed(compute, todo), strict=True))
            self.tally.computed += len(todo) if self.scorer.cached else 0
            answers.update(computed)
            if self.scorer.cached:
                whole = {k: v for k, v in computed.items() if np.isfinite(v).all()}
                self.cache.put({k: v.astype(dtype).tobytes() for k, v in whole.items()})
                self.done |= whole.keys()
        self.advance(((len(keys) - 1) % batch + 1) * self.step if keys else 0)
        return answers

    def _computed(
        self, compute: Callable[[list[bytes]], Sequence[NDArray[Any]]], todo: list[bytes]
    ) -> Sequence[NDArray[Any]]:
        """The scorer's answers; what goes wrong inside it is said in a sentence."""
        try:
            with np.errstate(all="ignore"):
                return compute(todo)
        except (TropeError, KeyboardInterrupt, MemoryError):
            raise
        except (Exception, SystemExit) as error:
            reason = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            raise TropeError(
                f"{type(self.scorer).__name__} failed ({reason}); --debug shows where."
            ) from error

    def _stored(self, part: list[bytes]) -> dict[bytes, bytes]:
        if not self.scorer.cached:
            return {}
        stored = self.cache.get(part)
        return {k: v for k, v in stored.items() if not self.fresh or k in self.done}


def _by_picture(pairs: dict[bytes, tuple[str, Content]]) -> list[bytes]:
    """The keys, those about one picture together: a judge that can looks at it once."""
    first: dict[str, int] = {}
    for _, content in pairs.values():
        if isinstance(content, Picture):
            first.setdefault(content.sha256, len(first))

    def rank(k: bytes) -> int:
        content = pairs[k][1]
        return first[content.sha256] if isinstance(content, Picture) else 0

    return sorted(pairs, key=rank)


def _check_count(scorer: Scorer, given: int, wanted: int) -> None:
    if given != wanted:
        raise TropeError(
            f"{type(scorer).__name__} gave {given} answers to {wanted} questions; mend the scorer."
        )
