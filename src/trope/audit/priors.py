"""What a judge says before the question matters: the yes-prior of each content and each text.

Some pictures get a high number whatever is asked, some questions whatever is shown. A content's
prior is its mean number under texts of other phrases; the null text is an empty one, the null
content an empty caption or a grey picture. Scores are measured as they are and less their priors.
Nothing here decides that the calibrated score is the better one: the interval does.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import numpy as np

from trope.audit.first import first_place, standardised
from trope.engine import execute
from trope.engine.cache import Cache
from trope.errors import TropeError
from trope.item import Benchmark, Candidate, Item
from trope.measure.intervals import Estimate, graded, share
from trope.measure.ranking import Top1
from trope.measure.resample import codes
from trope.measure.summary import measures_for
from trope.measure.ties import Floats, Ranked
from trope.prompt import Prompt
from trope.runs import Table
from trope.score.faces import Content, Encoder, Judge, Scorer
from trope.score.faces import Floats as Numbers

OTHERS = 8
"""Texts of other phrases under which each content is judged."""
NULL_TEXT = ""
GREY = (128, 128, 128)
WAYS = ("as given", "less content prior", "less null text")
"""How scores are measured. A text's prior is the same for all of an item's candidates, so taking
it away changes no ranking."""


@dataclass(frozen=True, eq=False)
class Priors:
    """One judge's leanings, and what taking them away does."""

    label: str
    content: Floats
    """Mean score of each candidate under other phrases' texts (items x candidates)."""
    text: Floats
    """Mean score of each item's text with other phrases' contents."""
    null_text: Floats
    """Each candidate's score under the empty text; NaN where the judge gives none."""
    null_content: Floats
    """Each item's score with the empty content."""
    top1: dict[str, Estimate]
    ndcg: dict[str, Estimate]
    change: dict[str, Estimate]
    """Top-1 after less top-1 before, paired by item."""
    prior_top1: Estimate
    """What the content prior alone reaches: it never saw the phrase."""
    chosen: Estimate
    """How often the candidate with the highest prior of its item is put first."""
    chance: float
    weight: float
    """The share of the scores' variance within items that runs along the prior."""
    scores: Floats

    def as_dict(self) -> dict[str, Any]:
        return {
            "model": self.label,
            "top1": {way: e.as_dict() for way, e in self.top1.items()},
            "ndcg": {way: e.as_dict() for way, e in self.ndcg.items()},
            "change": {way: e.as_dict() for way, e in self.change.items()},
            "prior_alone": self.prior_top1.as_dict(),
            "highest_prior_first": self.chosen.as_dict(),
            "chance": _known(self.chance),
            "variance_along_prior": _known(self.weight),
            "content_prior": _listed(self.content),
            "text_prior": _listed(self.text),
            "null_text": _listed(self.null_text),
            "null_content": _listed(self.null_content),
        }

    def sentences(self) -> list[str]:
        """What the numbers say."""
        lines = []
        if self.chosen.n:
            lines.append(
                f"{self.label} puts the candidate with the highest prior first "
                f"{self.chosen.value:.0%} of the time ({self.chosen.low:.0%} to "
                f"{self.chosen.high:.0%}; blind choice {self.chance:.0%}); {self.weight:.0%} of "
                "its scores' variance within items runs along the prior."
            )
        if self.prior_top1.n:
            lines.append(
                f"The prior alone, which never saw the phrase, reaches {self.prior_top1.value:.0%} "
                "top-1."
            )
        for way, d in self.change.items():
            verdict = "may be chance"
            if d.low > 0:
                verdict = "better"
            elif d.high < 0:
                verdict = "worse"
            lines.append(
                f"Scores {way}: top-1 {self.top1[way].value:.2f} instead of "
                f"{self.top1[WAYS[0]].value:.2f} ({d.low:+.2f} to {d.high:+.2f}: {verdict})."
            )
        return lines


def priors(
    benchmark: Benchmark,
    scorer: Scorer,
    prompt: Prompt | None = None,
    *,
    others: int = OTHERS,
    seed: int = 0,
    label: str = "the judge",
    cache: Cache | None = None,
) -> Priors:
    """Judge the benchmark as it is, under other texts, and with nothing said or shown.

    Asks for about `others` + 2 numbers a candidate. An encoder is a judge of cosines here.
    """
    if not isinstance(scorer, Judge | Encoder) or scorer.sees not in ("caption", "picture"):
        raise TropeError(
            f"{label} doesn't judge captions or pictures one by one: it has no priors."
        )
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        if cache is None:
            cache = Cache(folder)
            stack.callback(cache.close)
        ask = _Asker(benchmark, scorer, prompt, label, cache, folder)
        table = ask.run(benchmark.items, prompt).table
        content, text = ask.crossed(others, seed)
        null_text = ask.silenced()
        null_content = ask.blanked()
    return _judged(table, content, text, null_text, null_content, label=label, seed=seed)


class _Silent(Judge):
    """A judge who is asked nothing."""

    cached = True

    def __init__(self, judge: Judge) -> None:
        self.judge_itself = judge
        self.sees, self.batch, self.cached = judge.sees, judge.batch, judge.cached

    def fingerprint(self) -> dict[str, str]:
        return self.judge_itself.fingerprint()

    def prepare(self, benchmark: Benchmark) -> None:
        self.judge_itself.prepare(benchmark)

    def text(self, item: Item, prompt: str) -> str:
        return NULL_TEXT

    def judge(self, pairs: Sequence[tuple[str, Content]]) -> Sequence[float] | Numbers:
        return self.judge_itself.judge(pairs)


@dataclass(frozen=True, eq=False)
class _Asker:
    """Puts made-up items to the scorer through the engine, so that answers are kept."""

    benchmark: Benchmark
    scorer: Scorer
    prompt: Prompt | None
    label: str
    cache: Cache
    folder: Path

    def run(
        self, items: Sequence[Item], prompt: Prompt | None, scorer: Scorer | None = None
    ) -> Any:
        asked = msgspec.structs.replace(self.benchmark, items=tuple(items))
        one = scorer or self.scorer
        return execute(asked, one, prompt, address=self.label, cache=self.cache)

    def crossed(self, others: int, seed: int) -> tuple[Floats, Floats]:
        """Every content under some other phrases' texts: its mean, and each text's mean."""
        items = self.benchmark.items
        rng = np.random.default_rng(seed)
        width = max((len(item.candidates) for item in items), default=0)
        given: list[list[tuple[int, int, Candidate]]] = [[] for _ in items]
        for row, item in enumerate(items):
            strange = [
                k
                for k, other in enumerate(items)
                if other.phrase != item.phrase and other.language == item.language
            ]
            for column, candidate in enumerate(item.candidates):
                size = min(others, len(strange))
                for k in rng.choice(strange, size=size, replace=False) if size else ():
                    given[int(k)].append((row, column, candidate))
        asked, homes = [], []
        for k, borrowed in enumerate(given):
            if borrowed:
                shown = tuple(
                    msgspec.structs.replace(candidate, id=str(place))
                    for place, (_, _, candidate) in enumerate(borrowed)
                )
                asked.append(msgspec.structs.replace(items[k], candidates=shown))
                homes.append((k, borrowed))
        content, counts = np.zeros((len(items), width)), np.zeros((len(items), width))
        text = np.full(len(items), np.nan)
        table: Table = self.run(asked, self.prompt).table
        for place, (k, borrowed) in enumerate(homes):
            row_scores = table.score[place, : len(borrowed)]
            if np.isfinite(row_scores).any():
                text[k] = float(np.nanmean(row_scores))
            for (row, column, _), value in zip(borrowed, row_scores, strict=True):
                if np.isfinite(value):
                    content[row, column] += value
                    counts[row, column] += 1
        with np.errstate(invalid="ignore"):
            return np.where(counts > 0, content / np.maximum(counts, 1), np.nan), text

    def silenced(self) -> Floats:
        """Every content under the empty text; an encoder has no cosine with nothing."""
        if not isinstance(self.scorer, Judge):
            width = max((len(item.candidates) for item in self.benchmark.items), default=0)
            return np.full((len(self.benchmark.items), width), np.nan)
        run = self.run(self.benchmark.items, self.prompt, _Silent(self.scorer))
        score: Floats = run.table.score
        return score

    def blanked(self) -> Floats:
        """Every text with an empty caption or a grey picture."""
        if not isinstance(self.scorer, Judge):
            return np.full(len(self.benchmark.items), np.nan)
        blank = Candidate(id="blank", image=self._grey(), captions={"und": ""})
        items = [
            msgspec.structs.replace(item, candidates=(blank,)) for item in self.benchmark.items
        ]
        score: Floats = self.run(items, self.prompt).table.score
        return score[:, 0] if score.shape[1] else np.full(len(items), np.nan)

    def _grey(self) -> str | None:
        if self.scorer.sees != "picture":
            return None
        from PIL import Image

        path = self.folder / "grey.png"
        Image.new("RGB", (384, 384), GREY).save(path)
        return str(path)  # absolute: joined to the benchmark's root it stays itself


def _judged(
    table: Table,
    content: Floats,
    text: Floats,
    null_text: Floats,
    null_content: Floats,
    *,
    label: str,
    seed: int,
) -> Priors:
    phrases, _ = codes(np.asarray(table.phrases, dtype=object), len(table))
    ways = dict(
        zip(WAYS, (table.score, table.score - content, table.score - null_text), strict=True)
    )
    ranked = {
        way: Ranked.of(table.with_scores(score))
        for way, score in ways.items()
        if np.isfinite(score).any()
    }
    values = {way: Top1().of(one) for way, one in ranked.items()}
    ndcg = next((m for m in measures_for(table) if m.name == "ndcg"), None)
    given, prior = (
        ranked[WAYS[0]] if WAYS[0] in ranked else Ranked.of(table),
        Ranked.of(table.with_scores(content)),
    )
    same = np.nansum(first_place(given) * first_place(prior), axis=1)
    held = given.answered & prior.answered
    return Priors(
        label=label,
        content=content,
        text=text,
        null_text=null_text,
        null_content=null_content,
        top1={way: share(row, phrases) for way, row in values.items()},
        ndcg={
            way: graded(ndcg.of(one), phrases, low=ndcg.span(one)[0], high=1.0, seed=seed)
            for way, one in ranked.items()
        }
        if ndcg
        else {},
        change={
            way: graded(row - values[WAYS[0]], phrases, low=-1.0, high=1.0, seed=seed)
            for way, row in values.items()
            if way != WAYS[0]
        },
        prior_top1=share(Top1().of(prior), phrases),
        chosen=share(np.where(held, same, np.nan), phrases),
        chance=float(np.mean(1 / given.candidates[held])) if held.any() else float("nan"),
        weight=_along(given, prior),
        scores=table.score,
    )


def _along(given: Ranked, prior: Ranked) -> float:
    """The squared correlation of score and prior within items, over all items together."""
    held = (given.answered & prior.answered)[:, None] & given.real
    if not held.any():
        return float("nan")
    a, b = (np.where(held, standardised(one), 0.0) for one in (given, prior))
    total = float((a * a).sum() * (b * b).sum())
    return float((a * b).sum()) ** 2 / total if total > 0 else 0.0


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value


def _listed(values: Floats) -> list[Any]:
    """NaN isn't JSON."""
    return [_listed(v) if isinstance(v, np.ndarray) else _known(float(v)) for v in values]
