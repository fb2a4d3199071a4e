"""The verbs of the command line as functions: `run`, `score`. Each returns something that prints
itself. Reading, asking and measuring are done in their rooms; here they are only strung together.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
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
from trope.read.systems import holds_systems, read_systems
from trope.report.replies import Scored, scored_boxes, scored_words
from trope.report.table import Runs
from trope.runs import Run, read_meta, runs_below
from trope.score import Encoder, Scorer, load_scorer
from trope.score.predictions import Predictions, SystemAnswers

if TYPE_CHECKING:
    from collections.abc import Callable

    from trope.audit import Audit

OUT = Path("runs")
"""Where runs are kept unless told otherwise."""
REPLIES = {"answering": "words", "localisation": "boxes"}
"""Tasks whose answers are no scores of candidates."""


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
    view: str | None = None,
    sense: str | None = None,
    told: Callable[[Run, Path | None, Tally], None] | None = None,
) -> Runs:
    """Score a benchmark with one or more models and prompts.

    With `out` each run is kept in a folder below it. `view="candidate"` shows candidates without
    the sequence they complete; `sense` says how a sense is named (judge, encoder, better, none).
    `told` hears of each run as it ends, and of what its scorer remarks.

    >>> len(run("sample", "random?seed=1"))
    1
    """
    asked = benchmark if isinstance(benchmark, Benchmark) else load(benchmark, data=data, gold=gold)
    if asked.task in REPLIES:
        raise InputError(
            f"{asked.name} is answered in {REPLIES[asked.task]}, from a file: "
            f"trope score {asked.name} FILE."
        )
    asked = asked.head(limit)
    models = list(dict.fromkeys([model] if isinstance(model, str) else model))
    scorers = [(address, load_scorer(address)) for address in models]
    shown = [_prompts(prompt, asked, scorer) for _, scorer in scorers]
    for address, scorer in scorers:
        _check_sight(asked, scorer, address)
    runs = Runs()
    with Cache(cache_folder()) as cache:
        for (address, scorer), prompts_shown in zip(scorers, shown, strict=True):
            for words in prompts_shown if scorer.prompted else [None]:
                tally = Tally()
                made = execute(
                    asked,
                    scorer,
                    words,
                    address=address,
                    cache=cache,
                    fresh=fresh,
                    tally=tally,
                    view=view,
                    sense=sense,
                )
                tally.remarks = scorer.remarks()
                place = keep(made, Path(out)) if out is not None else None
                runs.append(made)
                if told:
                    told(made, place, tally)
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
    with Cache(cache_folder()) as cache:
        return execute(asked, scorer, None, address=f"predictions:{file}", cache=cache)


def score_systems(
    benchmark: str,
    file: str | Path,
    *,
    data: str | Path | None = None,
    gold: str | Path | None = None,
) -> Runs:
    """A file that holds the answers of many systems, as a run for each (see `read/systems.py`)."""
    asked = load(benchmark, data=data, gold=gold, environment=gold is None)
    runs = Runs()
    with Cache(cache_folder()) as cache:
        for system in read_systems(Path(file), asked):
            words = Prompt(system.prompt, "") if system.prompt else None
            scorer = SystemAnswers(Path(file), system)
            runs.append(execute(asked, scorer, words, address=system.model, cache=cache))
    return runs


def runs_on(
    benchmark: str,
    below: Path,
    predictions: Sequence[Path] = (),
    *,
    data: str | Path | None = None,
    gold: str | Path | None = None,
) -> tuple[Runs, list[str]]:
    """All runs on a benchmark, with predictions made elsewhere; and what was left out, and why."""
    if Path(benchmark, "benchmark.json").is_file():  # a folder of one's own has a name of its own
        benchmark = load(benchmark).name
    places = [p for p in runs_below(below) if read_meta(p)["benchmark"]["name"] == benchmark]
    found = Runs(Run.load(place) for place in places)
    for file in predictions:
        if holds_systems(file):
            found += score_systems(benchmark, file, data=data, gold=gold)
        else:
            found.append(score(benchmark, file, data=data, gold=gold))
    if not found:
        raise InputError(
            f"There is no run on {benchmark} below {below}; make one: trope run {benchmark}"
        )
    versions = Counter(one.meta["benchmark"]["hash"] for one in found)
    most = max(versions, key=lambda h: (versions[h], h == found[-1].meta["benchmark"]["hash"]))
    kept = Runs(one for one in found if one.meta["benchmark"]["hash"] == most)
    gone = len(found) - len(kept)
    notes = [
        f"Left out, for they ran on other items (--limit, other files): {gone} of {len(found)}."
    ]
    return kept, notes[: bool(gone)]


def audit(
    benchmark: str,
    runs: Sequence[Run] = (),
    *,
    models: Sequence[str] = (),
    prompt: str | None = None,
    train: str | None = None,
    pictures: bool = True,
    ocr: bool = False,
    data: str | Path | None = None,
    gold: str | Path | None = None,
    seed: int = 0,
) -> Audit:
    """What is behind the numbers, and what a model could score without understanding."""
    from trope.audit import audit as look
    from trope.read.haivmet import people_ranks

    asked = load(benchmark, data=data, gold=gold)
    own = [one for one in runs if one.benchmark == asked.name]  # a name may fit other runs, too
    with Cache(cache_folder()) as cache:
        return look(
            asked,
            own or runs,
            train=load(train, data=data) if train else None,
            scorers=[(address, load_scorer(address)) for address in models],
            prompt=prompts.get(prompt) if prompt else prompts.default(asked.items),
            people=people_ranks(asked),
            pictures=pictures,
            ocr=ocr,
            cache=cache,
            seed=seed,
        )


def score_replies(
    benchmark: str,
    file: str | Path,
    *,
    data: str | Path | None = None,
    similarity: str = "wordllama",
) -> Scored:
    """Replies in words (metaclue-vqa) or boxes (metaclue-localisation), measured.

    `similarity` names the encoder that says how near a wrong answer is.
    """
    asked = load(benchmark, data=data)
    if asked.task == "localisation":
        return scored_boxes(asked, Path(file))
    encoder = load_scorer(similarity)
    if not isinstance(encoder, Encoder) or encoder.sees != "caption":
        raise InputError(f"{similarity} doesn't embed texts; try --similarity wordllama.")
    return scored_words(
        asked, Path(file), similarity=lambda pairs: _cosines(encoder, pairs), by=similarity
    )


def _cosines(encoder: Encoder, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """The cosine of each pair of texts, each text embedded once; nothing has no direction: 0."""
    import numpy as np

    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    vectors = np.asarray(encoder.embed_texts([text or " " for text in texts]), dtype=np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = dict(zip(texts, vectors / np.where(lengths > 0, lengths, 1.0), strict=True))
    return [float(units[one] @ units[two]) for one, two in pairs]


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


def _prompts(
    prompt: str | Sequence[str] | None, benchmark: Benchmark, scorer: Scorer
) -> list[Prompt]:
    if not prompt:
        return [prompts.default(benchmark.items, asks=scorer.asks)]
    names = [prompt] if isinstance(prompt, str) else list(dict.fromkeys(prompt))
    return [prompts.get(name) for name in names]


def _check_sight(benchmark: Benchmark, scorer: Scorer, address: str) -> None:
    """A model that reads captions needs some, one that looks at pictures needs some."""
    candidates = [c for item in benchmark.items for c in item.candidates]
    queries = [item.query for item in benchmark.items if item.query is not None]
    if queries:  # the candidates are texts, the question is a picture
        candidates = queries
    if scorer.sees == "caption" and not any(c.captions for c in candidates):
        raise InputError(
            f"{address} reads captions, and {benchmark.name} has none here; leave it out, or write "
            "some with `trope caption`."
        )
    if scorer.sees == "picture" and not any(c.image for c in candidates):
        fetched = any(c.url for c in candidates)
        remedy = (
            f"`trope pictures {shlex.quote(benchmark.name)} --data DIR` fetches"
            if fetched
            else "unpack"
        )
        place = "" if fetched else " beside its table"
        reads = address.startswith("api:")
        raise InputError(
            f"{address} looks at pictures, and {benchmark.name} has none here; "
            f"{remedy} them{place}{', or ask of captions with ?sees=caption' * reads}."
        )
