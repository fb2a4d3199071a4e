"""Runs as tables of numbers for a terminal of 80 columns, a notebook and a machine.

Every figure stands with its interval, and what is missing is said. Nothing is set in bold: a
table can't know whether a difference holds; `trope compare` can.
"""

from __future__ import annotations

import html
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from trope.measure.binary import classified
from trope.measure.intervals import Estimate
from trope.measure.summary import summarise
from trope.measure.ties import Ranked
from trope.report.languages import languages_object, languages_text
from trope.runs import Run, short

if TYPE_CHECKING:
    from rich.table import Table as RichTable

WIDTH = 80
MAIN = {"top1": "top-1", "top1_idiomatic": "idiomatic", "top1_literal": "literal"}
"""The columns of the short table; `trope show` has all measures."""
OTHER_MAIN: dict[str, dict[str, str]] = {
    "completion": {"top1": "completion", "macro_f1": "sense F1"},
    "classification": {"accuracy": "accuracy", "f1": "F1", "auc": "ROC AUC"},
    "detection": {
        "top1": "top-1",
        "top1_figurative": "figurative",
        "top1_figurative_literal": "fig.+literal",
    },
    "choice": {"strict": "strict", "winning_score": "winning score"},
    "classes": {"accuracy": "accuracy", "macro_accuracy": "by class", "top5_accuracy": "top 5"},
    "irfl-retrieval": {"precision": "precision@k", "mrr": "MRR"},
    "haivmet": {"kendall": "Kendall", "top1": "top-1", "ndcg": "NDCG"},
    "xmpie": {
        "xmpie_t1_idiomatic": "T1-I",
        "xmpie_t1_literal": "T1-L",
        "xmpie_ndcg_symmetric": "NDCG@5",
    },
    "xmpie in sentences": {
        "in_sentence_t1_idiomatic": "T1-I",
        "in_sentence_t1_literal": "T1-L",
        "in_sentence_ndcg": "NDCG@5",
    },
}
"""The same for tasks, or families of benchmarks, that are told by other measures."""


MANY_LANGUAGES = ("xmpie/", "admire2/")
"""Benchmarks whose languages are always shown, each for itself."""


def main_columns(run: Run) -> dict[str, str]:
    """Measure to heading, for this run's benchmark."""
    family = run.benchmark.partition("/")[0]
    if family == "xmpie" and any(run.table.senses):
        family = "xmpie in sentences"
    return OTHER_MAIN.get(family) or OTHER_MAIN.get(run.meta["benchmark"]["task"]) or MAIN


class Runs(list[Run]):
    """Runs that print themselves as one table."""

    def __repr__(self) -> str:
        return runs_text(self)

    def _repr_html_(self) -> str:
        return runs_html(self)


def number(value: float, places: int = 3) -> str:
    """A number as tables here write it: no zero before the point."""
    if value != value:
        return "–"
    text = f"{value:.{places}f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def with_interval(estimate: Estimate | None) -> str:
    """`.314 (.22–.43)`, or a dash where there is nothing to say."""
    if estimate is None or estimate.value != estimate.value:
        return "–"
    low, high = number(estimate.low, 2), number(estimate.high, 2)
    joint = " to " if estimate.low < 0 else "–"
    return f"{number(estimate.value)} ({low}{joint}{high})"


def estimates(run: Run) -> dict[str, Estimate]:
    """Every measure this run allows. A file that names one candidate has no order to measure."""
    if run.meta["benchmark"]["task"] == "classification":
        return classified(run.table)
    kept = {**of_task(run), **summarise(run.table)}
    if run.meta["model"].get("answers") == "choice":
        allowed = (*MAIN, "macro_f1")
        kept = {name: value for name, value in kept.items() if name in allowed}
    return kept


def of_task(run: Run) -> dict[str, Estimate]:
    """The measures that belong to a task of its own rather than to rankings in general."""
    from trope.measure import tasks

    task, table = run.meta["benchmark"]["task"], run.table
    if run.benchmark.startswith("xmpie/"):
        from trope.measure.in_sentence import in_sentence

        return in_sentence(table)
    if task == "choice":
        return tasks.choice(table)
    if task == "classes":
        return tasks.classes(table)
    return tasks.detection(table) if task == "detection" else {}


def run_object(run: Run) -> dict[str, Any]:
    """What `--json` prints for a run."""
    return {
        "benchmark": run.benchmark,
        "model": run.model,
        "prompt": run.prompt,
        "items": len(run.table),
        "missing": run.meta["counts"]["missing"],
        "fingerprint": run.fingerprint,
        "measures": {name: as_object(value) for name, value in estimates(run).items()},
        **languages_object(run),
    }


def as_object(estimate: Estimate) -> dict[str, float | int | str | None]:
    """NaN isn't JSON: a measure without a value is null."""
    return {
        key: None if isinstance(value, float) and value != value else value
        for key, value in estimate.as_dict().items()
    }


def runs_text(runs: Sequence[Run], *, width: int = WIDTH, by_language: bool = False) -> str:
    """The short table; `by_language` adds each language and their macro average."""
    if not runs:
        return "(no runs)"
    parts = []
    for benchmark in dict.fromkeys(run.benchmark for run in runs):
        own = [run for run in runs if run.benchmark == benchmark]
        parts.append(_printed(_short_table(own), title(own[0]), width))
        if by_language or own[0].benchmark.startswith(MANY_LANGUAGES):
            parts += filter(None, [languages_text(own, width=width)])
        parts.append(footnote(own))
    return "\n".join(parts)


def title(run: Run) -> str:
    """What the numbers are about."""
    table = run.table
    senses = [s for s in ("idiomatic", "literal") if s in table.senses]
    halves = ", ".join(f"{table.senses.count(sense)} {sense}" for sense in senses)
    phrases = len(set(zip(table.languages, table.phrases, strict=True)))
    languages = sorted(set(table.languages))
    spoken = f" in {_safe(', '.join(languages))}" if len(languages) > 1 else ""
    return f"{_safe(run.benchmark)}: {len(table)} items of {phrases} phrases{spoken}" + (
        f" ({halves})" if halves else ""
    )


def footnote(runs: Sequence[Run]) -> str:
    """How the intervals were made and what is missing."""
    if not runs[0].table.labelled:
        return "There is no gold, so nothing is measured; `trope submit` writes the answers."
    lines = []
    if any(run.meta["counts"]["missing"] < len(run.table) for run in runs):
        chance = _chance(runs[0])
        guess = f" Guessing gives {number(chance, 2)}." if chance else ""
        lines.append(f"In brackets: 95% intervals.{guess}")
    for run in runs:
        missing = run.meta["counts"]["missing"]
        if missing:
            lines.append(
                f"{shortened(run.model)}: {missing} of {len(run.table)} items have no answer and "
                "are left out."
            )
        cut = run.meta["counts"].get("truncated", 0)
        if cut:
            lines.append(
                f"{shortened(run.model)}: {cut} of {len(run.table)} items hold a text longer than "
                "it reads, which was cut short."
            )
    return "\n".join(lines)


def _chance(run: Run) -> float:
    """What guessing gives in the table's first column; 0 where that is nothing to speak of."""
    table = run.table
    if run.meta["benchmark"]["task"] == "classes":
        return 1 / len(table)
    first = next(iter(main_columns(run)))
    if first == "kendall" or run.meta["benchmark"]["task"] == "classification":
        return 0.0
    right, sizes = Ranked.of(table).best.sum(axis=1), table.real.sum(axis=1)
    known = right > 0
    if first not in ("top1", "precision"):  # one of the candidates is right
        right = np.minimum(right, 1)
    return float((right[known] / sizes[known]).mean()) if known.any() else 0.0


def _short_table(runs: Sequence[Run]) -> RichTable:
    from rich.table import Table as RichTable

    table = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    prompted = any(run.prompt for run in runs)
    gaps = any(run.meta["counts"]["missing"] for run in runs)
    table.add_column("model", overflow="fold", ratio=None)
    if prompted:
        table.add_column("prompt", overflow="fold")
    measured = [estimates(run) for run in runs]
    main = main_columns(runs[0])
    columns = {k: v for k, v in main.items() if any(k in found for found in measured)} or main
    for name in columns.values():
        table.add_column(name, no_wrap=True)
    if gaps:
        table.add_column("missing", justify="right")
    for run, found in zip(runs, measured, strict=True):
        cells = [shortened(run.model)]
        if prompted:
            cells.append(shortened(run.prompt, 18 if "{" in run.prompt else 60) or "–")
        cells += [with_interval(found.get(name)) for name in columns]
        if gaps:
            cells.append(str(run.meta["counts"]["missing"]))
        table.add_row(*[_plain(cell) for cell in cells])
    return table


def show_text(run: Run, *, width: int = WIDTH) -> str:
    """Everything about one run."""
    from rich.table import Table as RichTable

    table = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("measure", "value", "95% interval", "items"):
        table.add_column(heading, justify="right" if heading == "items" else "left", no_wrap=True)
    for name, e in estimates(run).items():
        between = f"{number(e.low)} to {number(e.high)}" if e.low == e.low else "–"
        table.add_row(name, number(e.value), between, str(e.n))
    facts = [
        ("model", run.model),
        ("prompt", run.meta["prompt"]["template"] or "(none)"),
        ("sees", run.meta["model"].get("sees", "")),
        ("estimator", run.meta["model"].get("estimator", "")),
        ("missing", f"{run.meta['counts']['missing']} of {len(run.table)} items"),
        ("cut short", _cut(run)),
        ("weights", str(run.meta["model"].get("weights", ""))[:16]),
        ("fingerprint", run.fingerprint[:16]),
    ]
    head = "\n".join(f"{name:<12} {_safe(value)}" for name, value in facts if value)
    if not run.table.labelled:
        return f"{title(run)}\n{head}\n{footnote([run])}"
    spoken = languages_text([run], width=width)
    return _printed(table, f"{title(run)}\n{head}", width) + (f"\n{spoken}" if spoken else "")


def _cut(run: Run) -> str:
    """How many items hold a text longer than the model reads; '' where it reads any length."""
    cut = run.meta["counts"].get("truncated")
    return "" if cut is None else f"{cut} of {len(run.table)} items"


def runs_html(runs: Sequence[Run]) -> str:
    """The short table for a notebook."""
    columns = main_columns(runs[0]) if runs else MAIN
    head = "".join(f"<th>{name}</th>" for name in ("model", "prompt", *columns.values(), "missing"))
    body = []
    for run in runs:
        found = estimates(run)
        cells = [run.model, run.prompt, *(with_interval(found.get(name)) for name in columns)]
        cells.append(str(run.meta["counts"]["missing"]))
        body.append("".join(f"<td>{html.escape(cell)}</td>" for cell in cells))
    rows = "".join(f"<tr>{row}</tr>" for row in body)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def shortened(text: str, most: int = 24) -> str:
    """A long address without its folders and options, and without its middle.

    >>> shortened("vectors:a/long/way/down/to/clip.npz?text={phrase}")
    'vectors:clip.npz'
    """
    text = _safe(text)
    text = short(text, most)
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2 - 1) :]}"


def _safe(text: object) -> str:
    """No control character reaches the terminal."""
    return "".join(c if c.isprintable() else " " for c in str(text))


def _plain(text: str) -> str:
    """Square brackets are text here, not markup."""
    from rich.markup import escape

    return escape(_safe(text))


def _printed(table: RichTable, heading: str, width: int) -> str:
    from rich.console import Console

    sink = io.StringIO()
    console = Console(file=sink, width=width, color_system=None, highlight=False)
    console.print(table)
    body = "\n".join(line.rstrip() for line in sink.getvalue().splitlines())
    return f"{heading}\n\n{body}\n"
