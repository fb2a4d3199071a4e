"""The verbs of the command line as functions: `run`, `score`. Each returns something that prints
itself. Reading, asking and measuring are done in their rooms; here they are only strung together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trope import prompt as prompts
from trope.engine import Tally, execute
from trope.engine.cache import Cache, cache_folder
from trope.errors import InputError
from trope.item import Benchmark
from trope.prompt import Prompt
from trope.read import load
from trope.report.table import Runs
from trope.runs import Run, read_meta
from trope.score import Scorer, load_scorer
from trope.score.predictions import Predictions

if TYPE_CHECKING:
    from collections.abc import Callable

OUT = Path("runs")
"""Where runs are kept unless told otherwise."""


def run(
    benchmark: str | Path | Benchmark,
    model: str | Sequence[str] = "wordllama",
    prompt: str | Sequence[str] | None = None,
    *,
    data: str | Path | None = None,
    gold: str | Path | None = None,
    limit: int | None = None,
    out: str | Path | None = None,
    fresh: bool = False,
    told: Callable[[Run, Path | None, Tally], None] | None = None,
) -> Runs:
    """Score a benchmark with one or more models and prompts.

    With `out` each run is kept in a folder below it. `told` hears of each run as it ends.

    >>> len(run("sample", "random?seed=1"))
    1
    """
    asked = benchmark if isinstance(benchmark, Benchmark) else load(benchmark, data=data, gold=gold)
    asked = asked.head(limit)
    models = list(dict.fromkeys([model] if isinstance(model, str) else model))
    scorers = [(address, load_scorer(address)) for address in models]
    shown = _prompts(prompt, asked)
    for address, scorer in scorers:
        _check_sight(asked, scorer, address)
    cache = Cache(cache_folder())
    runs = Runs()
    try:
        for address, scorer in scorers:
            for words in shown if scorer.prompted else [None]:
                tally = Tally()
                made = execute(
                    asked, scorer, words, address=address, cache=cache, fresh=fresh, tally=tally
                )
                place = keep(made, Path(out)) if out is not None else None
                runs.append(made)
                if told:
                    told(made, place, tally)
    finally:
        cache.close()
    return runs


def score(
    benchmark: str,
    file: str | Path,
    *,
    data: str | Path | None = None,
    gold: str | Path | None = None,
) -> Run:
    """Answers made elsewhere, a shared-task submission included, as a run."""
    asked = load(benchmark, data=data, gold=gold, environment=gold is None)
    if not asked.labelled:
        raise InputError(f"{asked.name} has no gold here; give its targets file with --gold.")
    scorer = Predictions(Path(file), complete=True)
    with_cache = Cache(cache_folder())
    try:
        return execute(asked, scorer, None, address=f"predictions:{file}", cache=with_cache)
    finally:
        with_cache.close()


def keep(made: Run, out: Path) -> Path:
    """Save a run below `out`; one that is there already, the same to the byte, is left alone."""
    place = out / _slug(made.benchmark) / _name(made)
    try:
        same = read_meta(place) == made.meta and (place / "scores.parquet").is_file()
    except InputError:
        same = False
    if not same:
        made.save(place)
    return place


def _name(made: Run) -> str:
    words = "+".join(_slug(part) for part in (made.model, made.prompt) if part)
    return f"{words[:80]}-{made.fingerprint[:8]}"


def _slug(text: str) -> str:
    return re.sub(r"[^\w.+-]+", "_", text).strip("_.")[:60] or "_"


def _prompts(prompt: str | Sequence[str] | None, benchmark: Benchmark) -> list[Prompt]:
    if not prompt:
        return [prompts.default(benchmark.items)]
    names = [prompt] if isinstance(prompt, str) else list(dict.fromkeys(prompt))
    return [prompts.get(name) for name in names]


def _check_sight(benchmark: Benchmark, scorer: Scorer, address: str) -> None:
    """A model that reads captions needs some, one that looks at pictures needs some."""
    candidates = [c for item in benchmark.items for c in item.candidates]
    if scorer.sees == "caption" and not any(c.captions for c in candidates):
        raise InputError(f"{address} reads captions, and {benchmark.name} has none here.")
    if scorer.sees == "picture" and not any(c.image for c in candidates):
        raise InputError(
            f"{address} looks at pictures, and {benchmark.name} has none here; unpack them beside "
            "its table."
        )
