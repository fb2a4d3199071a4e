"""What could be scored without understanding: chance, position, length, light, words in common.

Each shortcut is a number for every candidate, tried in both directions, measured as a run is.
A benchmark on which one of them does well can be passed without reading the phrase; a run is worth
what it gains over the best of them. The best of many is best partly by luck: each is tested
against chance with Holm's correction, and what luck alone would reach is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from trope.audit.look import Glances, glances, reader
from trope.errors import TropeError
from trope.item import Benchmark, Candidate, Item
from trope.measure.intervals import Estimate, graded, graded_columns, share
from trope.measure.paired import holm, sign_flips
from trope.measure.ranking import Top1
from trope.measure.resample import codes
from trope.measure.summary import measures_for
from trope.measure.ties import Floats, Ranked, some
from trope.runs import Run, Table, blank_table
from trope.score.faces import Content, Encoder, Picture

ALPHA = 0.05
LUCK = 4000
"""Simulated families of guesses."""


@dataclass(frozen=True)
class Feature:
    """A number for each candidate, and what its two directions are called."""

    name: str
    sees: str
    """position, caption, picture or phrase."""
    most: str
    """What choosing the highest number is called."""
    least: str
    """What choosing the lowest is called."""
    about: str = ""


FEATURES = (
    Feature("position", "position", "last in the list", "first in the list"),
    Feature("name", "position", "last by file name", "first by file name"),
    Feature("caption length", "caption", "longest caption", "shortest caption"),
    Feature("file size", "picture", "largest file", "smallest file"),
    Feature("brightness", "picture", "brightest picture", "darkest picture"),
    Feature("edges", "picture", "busiest picture", "plainest picture"),
    Feature(
        "strokes",
        "picture",
        "most text-like strokes",
        "fewest text-like strokes",
        "a proxy for text in the picture; nothing is read",
    ),
    Feature("text", "picture", "most text read", "least text read", "characters read by OCR"),
    Feature(
        "overlap",
        "caption and phrase",
        "most words of the phrase",
        "fewest words of the phrase",
        "words the phrase and the caption share",
    ),
    Feature(
        "phrase-blind",
        "{sees} alone",
        "most like other phrases",
        "least like other phrases",
        "mean similarity to the texts of the other phrases",
    ),
    Feature(
        "caption prior",
        "{sees} alone",
        "like other right answers",
        "like other wrong answers",
        "nearer to the right than to the wrong candidates of the other phrases",
    ),
    Feature(
        "sentence-blind",
        "{sees} and phrase",
        "nearest to the phrase",
        "farthest from the phrase",
        "similarity to the phrase alone, without its sentence",
    ),
)
_BY_NAME = {feature.name: feature for feature in FEATURES}


@dataclass(frozen=True, eq=False)
class Shortcut:
    """One direction of one feature, measured."""

    name: str
    feature: str
    sees: str
    about: str
    top1: Estimate
    ndcg: Estimate | None
    by_sense: dict[str, Estimate]
    p: float
    """Against chance, by sign flips over phrases."""
    holm: float
    """After Holm's correction over all shortcuts."""
    values: Floats
    """Top-1 of each item; NaN where it had nothing to go by."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "feature": self.feature,
            "sees": self.sees,
            "about": self.about,
            "top1": self.top1.as_dict(),
            "ndcg": None if self.ndcg is None else self.ndcg.as_dict(),
            "by_sense": {sense: e.as_dict() for sense, e in self.by_sense.items()},
            "p": self.p,
            "holm": self.holm,
        }


@dataclass(frozen=True, eq=False)
class Gain:
    """A run's top-1 above the best shortcut and above chance, paired by item."""

    label: str
    top1: Estimate
    over_best: Estimate
    over_chance: Estimate

    def as_dict(self) -> dict[str, Any]:
        return {
            "run": self.label,
            "top1": self.top1.as_dict(),
            "over_best": self.over_best.as_dict(),
            "over_chance": self.over_chance.as_dict(),
        }


@dataclass(frozen=True, eq=False)
class Shortcuts:
    """All shortcuts on a benchmark, best first, and what runs add to the best."""

    benchmark: str
    chance: float
    """Top-1 of blind choice, exactly."""
    luck: float
    """What the best of as many blind choosers reaches on average."""
    shortcuts: tuple[Shortcut, ...]
    gains: tuple[Gain, ...]
    left_out: tuple[str, ...]
    """Sentences for what could not be tried."""

    @property
    def best(self) -> Shortcut | None:
        return self.shortcuts[0] if self.shortcuts else None

    def as_dict(self) -> dict[str, Any]:
        return {
            "benchmark": self.benchmark,
            "chance": None if np.isnan(self.chance) else self.chance,
            "best_by_luck": None if np.isnan(self.luck) else self.luck,
            "shortcuts": [shortcut.as_dict() for shortcut in self.shortcuts],
            "gains": [gain.as_dict() for gain in self.gains],
            "left_out": list(self.left_out),
        }

    def sentences(self) -> list[str]:
        """What the numbers say."""
        best = self.best
        if best is None:
            return ["No shortcut could be tried.", *self.left_out]
        lines = [
            f"Blind choice reaches {_pc(self.chance)} top-1; the best of {len(self.shortcuts)} "
            f"blind choosers about {_pc(self.luck)}, by luck alone.",
            f"The best shortcut is '{best.name}' with {_pc(best.top1.value)} "
            f"({_pc(best.top1.low)} to {_pc(best.top1.high)}); being the best of many, it is "
            "probably a little worse than it looks.",
        ]
        sure = [s.name for s in self.shortcuts if s.holm <= ALPHA and s.top1.value > self.chance]
        listed = ", ".join(f"'{name}'" for name in sure)
        lines.append(
            f"Better than chance after Holm's correction: {listed}."
            if sure
            else "No shortcut is shown to be better than chance after Holm's correction."
        )
        for sense in ("idiomatic", "literal"):
            held = [s for s in self.shortcuts if sense in s.by_sense]
            if held:
                top = max(held, key=lambda s: s.by_sense[sense].value)
                e = top.by_sense[sense]
                lines.append(
                    f"On the {e.n} {sense} items alone, '{top.name}' does best: {_pc(e.value)} "
                    f"({_pc(e.low)} to {_pc(e.high)})."
                )
        lines += [_told(gain, best.name) for gain in self.gains]
        return [*lines, *self.left_out]


def shortcuts(
    benchmark: Benchmark,
    runs: Sequence[Run] = (),
    *,
    encoder: Encoder | None = None,
    pictures: bool = True,
    ocr: bool = False,
    seed: int = 0,
) -> Shortcuts:
    """Measure every shortcut the benchmark allows, and each run's gain over the best.

    `encoder` makes the phrase-blind and sentence-blind ones; `pictures=False` leaves the pictures
    unread; `ocr=True` also counts the text in them, slowly.
    """
    table = blank_table(benchmark)
    if not table.labelled:
        raise TropeError(f"{benchmark.name} has no gold, so shortcuts can't be measured.")
    left_out: list[str] = []
    found = dict(_features(benchmark, table, encoder, pictures, ocr, left_out))
    scorer = _Measured(table, seed)
    measured = scorer.all(found, encoder.sees if encoder else "caption")
    measured.sort(key=lambda s: (-s.top1.value, -(s.ndcg.value if s.ndcg else 0.0), s.name))
    gains = tuple(scorer.gain(run, measured[0] if measured else None) for run in runs)
    luck = best_by_luck(scorer.chance, len(measured), seed=seed)
    held = scorer.chance[np.isfinite(scorer.chance)]
    return Shortcuts(
        benchmark=benchmark.name,
        chance=float(held.mean()) if held.size else float("nan"),
        luck=luck,
        shortcuts=tuple(measured),
        gains=gains,
        left_out=tuple(left_out),
    )


def best_by_luck(chance: Floats, guesses: int, *, seed: int = 0) -> float:
    """The mean of the best of so many blind choosers, taken as independent of each other."""
    held = chance[np.isfinite(chance)]
    if not held.size or not guesses:
        return float("nan")
    rng = np.random.default_rng(seed)
    right = np.zeros((LUCK, guesses))
    odds, counts = np.unique(np.round(held, 9), return_counts=True)
    for p, n in zip(odds, counts, strict=True):
        right += rng.binomial(int(n), min(1.0, float(p)), size=right.shape)
    return float(right.max(axis=1).mean() / held.size)


# -- the features --------------------------------------------------------------------------------


def _features(
    benchmark: Benchmark,
    table: Table,
    encoder: Encoder | None,
    pictures: bool,
    ocr: bool,
    left_out: list[str],
) -> Iterator[tuple[str, Floats]]:
    def each(of: Callable[[Item, Candidate, int], float]) -> Floats:
        score = np.full(table.score.shape, np.nan)
        for row, item in enumerate(benchmark.items):
            for column, candidate in enumerate(item.candidates):
                score[row, column] = of(item, candidate, column)
        return score

    yield "position", each(lambda item, candidate, column: float(column))
    order = [{name: float(i) for i, name in enumerate(sorted(ids))} for ids in table.candidates]
    by_name = np.full(table.score.shape, np.nan)
    for row, ids in enumerate(table.candidates):
        by_name[row, : len(ids)] = [order[row][name] for name in ids]
    if np.array_equal(by_name, each(lambda item, c, column: float(column)), equal_nan=True):
        left_out.append("The candidates stand in the order of their names, which is tried once.")
    else:
        yield "name", by_name
    captioned = any(
        item.caption(c) is not None for item in benchmark.items for c in item.candidates
    )
    if captioned:
        yield "caption length", each(lambda item, c, _: _length(item.caption(c)))
        yield "overlap", each(_overlap)
    else:
        left_out.append("There are no captions, so nothing was tried with them.")
    if pictures:
        yield from _picture_features(benchmark, table, ocr, left_out)
    if encoder is None:
        left_out.append("No encoder was given: the phrase-blind shortcuts were not tried.")
    elif encoder.sees == "caption" and not captioned:
        left_out.append("The encoder reads captions: the phrase-blind shortcuts were not tried.")
    else:
        yield from _encoded_features(benchmark, table, encoder)


def _length(caption: str | None) -> float:
    return float("nan") if caption is None else float(len(caption))


def _overlap(item: Item, candidate: Candidate, _: int) -> float:
    from trope.score.overlap import words

    caption = item.caption(candidate)
    if caption is None:
        return float("nan")
    asked = words(item.phrase)
    return len(asked & words(caption)) / len(asked) if asked else 0.0


def _picture_features(
    benchmark: Benchmark, table: Table, ocr: bool, left_out: list[str]
) -> Iterator[tuple[str, Floats]]:
    seen: Glances = glances(benchmark)
    if seen.absent:
        total = int(table.real.sum())
        left_out.append(f"{seen.absent} of {total} candidates have no picture on disk.")
    if seen.broken:
        left_out.append(f"{len(seen.broken)} pictures can't be read: {seen.broken[0]}")
    if not seen.by_image:
        return
    yield "file size", seen.numbers(benchmark, lambda look: float(look.size))
    yield "brightness", seen.numbers(benchmark, lambda look: look.brightness)
    yield "edges", seen.numbers(benchmark, lambda look: look.edges)
    yield "strokes", seen.numbers(benchmark, lambda look: look.strokes)
    if ocr:
        characters = reader()
        known: dict[Path, float] = {}

        def read(path: Path) -> float:
            if path not in known:
                known[path] = characters(path)
            return known[path]

        yield "text", seen.numbers(benchmark, lambda look: read(look.path))


def _encoded_features(
    benchmark: Benchmark, table: Table, encoder: Encoder
) -> Iterator[tuple[str, Floats]]:
    """Similarities of candidates to their own phrase, to the others', to others' answers."""
    contents, places = _contents(benchmark, table, encoder)
    if not contents:
        return
    phrases = list(dict.fromkeys(item.phrase for item in benchmark.items))
    text = _units(_batched(encoder.embed_texts, phrases, encoder.batch))
    seen = _units(_batched(encoder.embed_contents, contents, encoder.batch))
    own = np.array([phrases.index(p) for p in table.phrases])
    rows, columns = np.nonzero(places >= 0)
    at = places[rows, columns]
    close = np.einsum("ij,ij->i", seen[at], text[own[rows]])

    def spread(values: Floats) -> Floats:
        score = np.full(table.score.shape, np.nan)
        score[rows, columns] = values
        return score

    yield "sentence-blind", spread(close)
    if len(phrases) > 1:
        total = np.nansum(text, axis=0)
        counted = int(np.isfinite(text).all(axis=1).sum())
        others = seen[at] @ total - np.nan_to_num(close)
        yield "phrase-blind", spread(others / max(counted - 1, 1))
        prior = _prior(table, seen[at], rows, columns, own)
        if prior is not None:
            yield "caption prior", spread(prior)


def _prior(table: Table, seen: Floats, rows: Any, columns: Any, own: Any) -> Floats | None:
    """Similarity to the mean right answer less that to the mean wrong one, of other phrases."""
    best = Ranked.of(table).best
    right = best[rows, columns]
    held = np.isfinite(seen).all(axis=1) & some(best)[rows]
    if not right.any() or right.all():
        return None
    filled = np.where(held[:, None], seen, 0.0)
    phrase = own[rows]
    count = int(own.max()) + 1
    lean = np.zeros(len(rows))
    for side, sign in ((right, 1.0), (~right, -1.0)):
        chosen = side & held
        sums = np.zeros((count, seen.shape[1]))
        np.add.at(sums, phrase[chosen], filled[chosen])
        sizes = np.bincount(phrase[chosen], minlength=count)
        rest = sums.sum(axis=0) - sums
        mean = rest / np.maximum(sizes.sum() - sizes, 1)[:, None]
        lean += sign * np.einsum("ij,ij->i", filled, mean[phrase])
    return np.where(held, lean, np.nan)


def _contents(
    benchmark: Benchmark, table: Table, encoder: Encoder
) -> tuple[list[Content], np.ndarray[Any, Any]]:
    """The distinct captions or pictures, and which of them each candidate is (-1: none)."""
    from trope.hashes import file_hash

    contents: dict[Content, int] = {}
    places = np.full(table.score.shape, -1)
    hashes: dict[Path, str] = {}
    for row, item in enumerate(benchmark.items):
        for column, candidate in enumerate(item.candidates):
            content: Content | None = None
            if encoder.sees == "caption":
                content = item.caption(candidate)
            elif encoder.sees == "picture":
                path = benchmark.picture(candidate)
                if path is not None and path.exists():
                    hashes.setdefault(path, file_hash(path))
                    content = Picture(path, hashes[path])
            if content is not None:
                places[row, column] = contents.setdefault(content, len(contents))
    return list(contents), places


def _batched(embed: Callable[[Any], Any], things: Sequence[Any], batch: int) -> Floats:
    step = max(1, batch)
    parts = [embed(things[i : i + step]) for i in range(0, len(things), step)]
    return np.concatenate([np.asarray(part, dtype=np.float64) for part in parts])


def _units(vectors: Floats) -> Floats:
    norm = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(norm > 0, vectors / norm, np.nan))


# -- their measures ------------------------------------------------------------------------------


class _Measured:
    """One benchmark's gold, and the chance each item gives."""

    def __init__(self, table: Table, seed: int) -> None:
        self.table, self.seed = table, seed
        self.phrases, _ = codes(np.asarray(table.phrases, dtype=object), len(table))
        self.senses = np.asarray(table.senses, dtype=str)
        # All candidates level: the expected value over tie orders is blind choice, exactly.
        self.chance = Top1()(table.with_scores(np.where(table.real, 0.0, np.nan)))
        self.graded = next((m for m in measures_for(table) if m.name == "ndcg"), None)

    def all(self, features: dict[str, Floats], sees: str) -> list[Shortcut]:
        """Both directions of each feature; one that has nothing to go by is dropped."""
        names: list[tuple[Feature, str]] = []
        ranked: list[Ranked] = []
        for name, score in features.items():
            feature = _BY_NAME[name]
            for label, sign in ((feature.most, 1.0), (feature.least, -1.0)):
                one = Ranked.of(self.table.with_scores(sign * score))
                if (one.answered & one.best.any(axis=1)).any():
                    names.append((feature, label))
                    ranked.append(one)
        if not names:
            return []
        values = np.stack([Top1().of(one) for one in ranked])
        p = sign_flips(values - self.chance, self.phrases, seed=self.seed)
        adjusted = holm(p)
        ndcg = self._ndcg(ranked)
        return [
            Shortcut(
                name=label,
                feature=feature.name,
                sees=feature.sees.format(sees=sees),
                about=feature.about,
                top1=share(values[k], self.phrases),
                ndcg=ndcg[k],
                by_sense=self._by_sense(values[k]),
                p=float(p[k]),
                holm=float(adjusted[k]),
                values=values[k],
            )
            for k, (feature, label) in enumerate(names)
        ]

    def _ndcg(self, ranked: Sequence[Ranked]) -> Sequence[Estimate | None]:
        if self.graded is None:
            return [None] * len(ranked)
        matrix = np.stack([self.graded.of(one) for one in ranked], axis=1)
        spans = [self.graded.span(ranked[0])] * len(ranked)
        return graded_columns(matrix, self.phrases, spans, seed=self.seed)

    def _by_sense(self, values: Floats) -> dict[str, Estimate]:
        found = {}
        for sense in ("idiomatic", "literal"):
            inside = self.senses == sense
            if (inside & np.isfinite(values)).any():
                found[sense] = share(values[inside], self.phrases[inside])
        return found

    def gain(self, run: Run, best: Shortcut | None) -> Gain:
        """Paired with the shortcuts by item."""
        place = {name: row for row, name in enumerate(run.table.items)}
        own = Top1()(run.table)
        values = np.array([own[place[n]] if n in place else np.nan for n in self.table.items])

        def over(other: Floats) -> Estimate:
            return graded(values - other, self.phrases, low=-1.0, high=1.0, seed=self.seed)

        return Gain(
            label=run.label,
            top1=share(values, self.phrases),
            over_best=over(best.values if best else self.chance),
            over_chance=over(self.chance),
        )


def _told(gain: Gain, best: str) -> str:
    d = gain.over_best
    if not d.n:
        return f"{gain.label} has no answer to compare with a shortcut."
    size = round(d.value, 2) + 0.0  # no negative zero
    between = f"({d.low:+.2f} to {d.high:+.2f})"
    if d.low > 0:
        return f"{gain.label} gains {size:+.2f} {between} over '{best}'."
    if d.high < 0:
        return f"{gain.label} is worse than '{best}' by {-size:.2f} {between}."
    return f"{gain.label} isn't shown to beat '{best}': {size:+.2f} {between}."


def _pc(value: float) -> str:
    return f"{value:.0%}"
