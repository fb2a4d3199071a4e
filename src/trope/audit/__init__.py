"""What is behind a number: literal pull, shortcuts, leakage, order, priors, and people's ceiling.

Each room takes runs (or a benchmark) and gives a small value with `.as_dict()` and `.sentences()`.
`audit` gathers what a benchmark and its runs allow. No model library is loaded here; a scorer that
is passed in may load its own.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from trope.errors import InputError, TropeError, shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from trope.audit.ceiling import Ceiling
    from trope.audit.leakage import Leakage
    from trope.audit.literal_pull import LiteralPull
    from trope.audit.order import Order
    from trope.audit.priors import Priors
    from trope.audit.shortcuts import Shortcuts
    from trope.engine.cache import Cache
    from trope.item import Benchmark
    from trope.prompt import Prompt
    from trope.runs import Run
    from trope.score.faces import Encoder, Scorer

__all__ = ["Audit", "audit"]

WIDTH = 80
SHOWN = 10
"""Shortcuts and leaks printed; all are in `.as_dict()`."""


class Finding(Protocol):
    """What every part of an audit gives."""

    def as_dict(self) -> dict[str, Any]: ...

    def sentences(self) -> list[str]: ...


@dataclass(frozen=True, eq=False)
class Audit:
    """What a benchmark and runs on it hide."""

    benchmark: str
    shortcuts: Shortcuts | None
    pulls: tuple[LiteralPull, ...] = ()
    leakage: Leakage | None = None
    orders: tuple[Order, ...] = ()
    priors: tuple[Priors, ...] = ()
    ceiling: Ceiling | None = None
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        def plain(part: Finding | None) -> Any:
            return None if part is None else part.as_dict()

        return {
            "benchmark": self.benchmark,
            "shortcuts": plain(self.shortcuts),
            "literal_pull": [pull.as_dict() for pull in self.pulls],
            "leakage": plain(self.leakage),
            "order": [order.as_dict() for order in self.orders],
            "priors": [prior.as_dict() for prior in self.priors],
            "ceiling": plain(self.ceiling),
            "notes": list(self.notes),
        }

    def text(self, *, width: int = WIDTH) -> str:
        """For a terminal."""
        parts = [f"{self.benchmark}: what is behind the numbers"]
        if self.shortcuts is not None:
            parts += ["", "Shortcuts", *_shortcut_lines(self.shortcuts, width)]
            parts += _told(self.shortcuts, width)
        for pull in self.pulls:
            if told := _told(pull, width):
                parts += ["", *_wrap(f"Where {pull.label} fails", width), *told]
        if self.leakage is not None:
            parts += ["", "Leakage", *_told(self.leakage, width), *_leaks(self.leakage, width)]
        for heading, found in (("Order", self.orders), ("Priors", self.priors)):
            for one in found:
                parts += ["", heading, *_told(one, width)]
        if self.ceiling is not None:
            parts += ["", "People", *_told(self.ceiling, width)]
        if self.notes:
            parts += [
                "",
                "Left out",
                *(line for n in self.notes for line in _wrap(f"- {n}", width)),
            ]
        return "\n".join(parts)

    def __repr__(self) -> str:
        return self.text()


def audit(
    benchmark: Benchmark,
    runs: Sequence[Run] = (),
    *,
    train: Benchmark | None = None,
    encoder: Encoder | str | None = "wordllama",
    scorers: Sequence[tuple[str, Scorer]] = (),
    prompt: Prompt | None = None,
    people: ArrayLike | None = None,
    pictures: bool = True,
    ocr: bool = False,
    orders: int = 5,
    cache: Cache | None = None,
    seed: int = 0,
) -> Audit:
    """Everything this benchmark, these runs and these scorers allow.

    `train` is checked for leakage into the benchmark. `encoder` makes the phrase-blind shortcuts
    (None: not tried). `scorers` (label, scorer) are asked again: rankers in several orders, judges
    for their priors; that needs the model, all else does not. `people` holds people's ranks
    (people x items x candidates) for the ceiling, against the first run.
    """
    from trope.audit.literal_pull import literal_pull

    for run in runs:
        _check(benchmark, run)
    notes: list[str] = []
    asked = _asked_again(benchmark, scorers, prompt, orders, cache, seed, notes)
    return Audit(
        benchmark=benchmark.name,
        shortcuts=_shortcuts(benchmark, runs, encoder, pictures, ocr, seed, notes),
        pulls=tuple(literal_pull(run, seed=seed) for run in runs if run.table.labelled),
        leakage=_leakage(train, benchmark, pictures),
        orders=asked[0],
        priors=asked[1],
        ceiling=_ceiling(benchmark, runs, people, seed),
        notes=tuple(notes),
    )


def _check(benchmark: Benchmark, run: Run) -> None:
    """A run of the benchmark, or of its first items."""
    own = {item.id: [c.id for c in item.candidates] for item in benchmark.items}
    for name, candidates in zip(run.table.items, run.table.candidates, strict=True):
        if own.get(name) != candidates:
            raise InputError(
                f"{shown(run.label)} isn't a run on {benchmark.name}: its item {shown(name)} is "
                "another or not there; give runs on this benchmark."
            )


def _shortcuts(
    benchmark: Benchmark,
    runs: Sequence[Run],
    encoder: Encoder | str | None,
    pictures: bool,
    ocr: bool,
    seed: int,
    notes: list[str],
) -> Shortcuts | None:
    from trope.audit.shortcuts import shortcuts
    from trope.score import load_scorer
    from trope.score.faces import Encoder as EncoderFace

    if not benchmark.labelled:
        notes.append(f"{benchmark.name} has no gold: shortcuts can't be measured.")
        return None
    if isinstance(encoder, str):
        try:
            made = load_scorer(encoder)
        except TropeError as error:
            notes.append(f"The phrase-blind shortcuts were not tried: {error}")
            made = None
        if made is not None and not isinstance(made, EncoderFace):
            raise InputError(f"{shown(encoder)} is no encoder; give one, such as wordllama.")
        encoder = made
    return shortcuts(benchmark, runs, encoder=encoder, pictures=pictures, ocr=ocr, seed=seed)


def _leakage(train: Benchmark | None, test: Benchmark, pictures: bool) -> Leakage | None:
    from trope.audit.leakage import leakage

    return None if train is None else leakage(train, test, pictures=pictures)


def _asked_again(
    benchmark: Benchmark,
    scorers: Sequence[tuple[str, Scorer]],
    prompt: Prompt | None,
    orders: int,
    cache: Cache | None,
    seed: int,
    notes: list[str],
) -> tuple[tuple[Order, ...], tuple[Priors, ...]]:
    """Rankers in several orders, judges and encoders for their priors."""
    if not scorers:
        return (), ()
    from trope.audit.order import order_sensitivity
    from trope.audit.priors import priors
    from trope.score.faces import Ranker

    ordered, leaning = [], []
    for label, scorer in scorers:
        if isinstance(scorer, Ranker):
            ordered.append(
                order_sensitivity(
                    benchmark, scorer, prompt, orders=orders, seed=seed, label=label, cache=cache
                )
            )
        elif scorer.sees in ("caption", "picture"):
            leaning.append(priors(benchmark, scorer, prompt, seed=seed, label=label, cache=cache))
        else:
            notes.append(f"{label} can't be asked again: its answers were made elsewhere.")
    return tuple(ordered), tuple(leaning)


def _ceiling(
    benchmark: Benchmark, runs: Sequence[Run], people: ArrayLike | None, seed: int
) -> Ceiling | None:
    if people is None:
        return None
    from trope.audit.ceiling import ranking_ceiling

    whole = [run for run in runs if len(run.table) == len(benchmark.items)]
    scores = whole[0].table.score if whole else None
    phrases = [item.phrase for item in benchmark.items]
    return ranking_ceiling(people, scores, phrases=phrases, seed=seed)


# -- lines ---------------------------------------------------------------------------------------


def _wrap(text: str, width: int, indent: str = "  ") -> list[str]:
    safe = "".join(c if c.isprintable() else " " for c in text)
    return textwrap.wrap(safe, width, subsequent_indent=indent) or [""]


def _told(finding: Finding, width: int) -> list[str]:
    return [line for sentence in finding.sentences() for line in _wrap(f"- {sentence}", width)]


def _shortcut_lines(found: Shortcuts, width: int) -> list[str]:
    """The best of them as a table."""
    if not found.shortcuts:
        return []
    best = found.shortcuts[:SHOWN]
    room = max(len(s.name) for s in best)
    lines = [f"{'choosing the':<{room}}  top-1   95% interval   p (Holm)  sees"]
    for s in best:
        e = s.top1
        lines.append(
            f"{s.name:<{room}}  {e.value:.3f}   {e.low:.2f} to {e.high:.2f}   {s.holm:<8.3f}  "
            f"{s.sees}"
        )
    rest = len(found.shortcuts) - len(best)
    if rest > 0:
        lines.append(f"({rest} more do worse.)")
    return [line[:width].rstrip() for line in lines] + [""]


def _leaks(found: Leakage, width: int) -> list[str]:
    lines: list[str] = []
    for match in found.matches[:SHOWN]:
        told = f"  {match.kind}: {match.test} = {match.train} ({match.what})"
        lines.append(textwrap.shorten(told.strip(), width - 2, placeholder=" …"))
    rest = len(found.matches) - SHOWN
    if rest > 0:
        lines.append(f"({rest} more in --json.)")
    return [f"  {line}" for line in lines]
