"""Runs in order, with how sure the order is: terminal, CSV, LaTeX, Markdown, HTML, JSON.

A rank is shown as the interval the items allow (`1-3`), so runs that can't be told apart read as
tied. Predictions made elsewhere are runs like any other. Nothing is ever set in bold: the best
number of a column needn't be the best model.
"""

from __future__ import annotations

import csv
import html
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trope.errors import TropeError, unknown
from trope.measure.compare import aligned, check_same, labels_of, warnings
from trope.measure.intervals import Estimate, graded_columns, share
from trope.measure.paired import rank_intervals
from trope.measure.ranking import Measure
from trope.measure.resample import RESAMPLES, codes
from trope.measure.summary import SENSES, measures_for
from trope.measure.ties import Bools, Floats, Ranked
from trope.report.lines import WIDTH, add_row, columns, counted, cut, printed, wrapped
from trope.report.table import number, with_interval
from trope.runs import Run, Table

SECOND = "ndcg"
"""Decides between runs with the same main measure, where the gold is graded."""


@dataclass(frozen=True, eq=False)
class Row:
    """One run's place."""

    label: str
    rank: int
    """By the numbers as they stand."""
    low: int
    """The best rank the items allow it."""
    high: int
    """The worst."""
    estimates: dict[str, Estimate]
    """By column: `top1`, `ndcg`, `top1 idiomatic`, `top1 pt`."""
    answered: int
    missing: int
    made_elsewhere: bool

    @property
    def place(self) -> str:
        """`2`, or `1-3` where the items can't tell."""
        return str(self.low) if self.low == self.high else f"{self.low}-{self.high}"


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """Runs on one benchmark, best first."""

    benchmark: str
    items: int
    phrases: int
    measure: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...]

    def text(self, *, width: int = WIDTH) -> str:
        return _text(self, width)

    def csv(self) -> str:
        return _csv(self)

    def markdown(self) -> str:
        return _markdown(self)

    def latex(self) -> str:
        return _latex(self)

    def html(self) -> str:
        return _html(self)

    def as_dict(self) -> dict[str, Any]:
        return {
            "benchmark": self.benchmark,
            "items": self.items,
            "phrases": self.phrases,
            "measure": self.measure,
            "rows": [
                {
                    "run": row.label,
                    "rank": row.rank,
                    "rank_low": row.low,
                    "rank_high": row.high,
                    "measures": {name: e.as_dict() for name, e in row.estimates.items()},
                    "answered": row.answered,
                    "missing": row.missing,
                    "made_elsewhere": row.made_elsewhere,
                }
                for row in self.rows
            ],
            "notes": list(self.notes),
        }

    def render(self, form: str) -> str:
        """In one of `FORMS`."""
        if form not in FORMS:
            raise unknown("format", form, FORMS)
        return FORMS[form](self)

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.html()


def leaderboard(
    runs: Sequence[Run],
    *,
    measure: str = "top1",
    labels: Sequence[str] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Leaderboard:
    """Order the runs by a measure, with rank intervals, per-sense and per-language columns."""
    if not runs:
        raise TropeError("There is no run to rank; `trope run` makes one.")
    check_same(runs)
    base, tables = aligned(runs) if len(runs) > 1 else _alone(runs[0])
    known = {m.name: m for m in measures_for(base)}
    if measure not in known:
        raise TropeError(
            f"This benchmark's gold doesn't allow {measure!r}; it allows {', '.join(known)}."
        )
    names = tuple(labels) if labels is not None else labels_of(runs)
    phrases, groups = codes(np.asarray(base.phrases, dtype=object), len(base))
    board = _Board(base, [Ranked.of(t) for t in tables], phrases, resamples, seed)
    values = board.values(known[measure])
    due = known[measure].defined(board.ranked[0])
    ranks = rank_intervals(values[:, due], phrases[due], resamples=resamples, seed=seed)
    columns = board.columns(known, measure, [_orders(run) for run in runs])
    second = columns.get(SECOND, columns[measure])
    order = sorted(
        range(len(runs)),
        key=lambda i: (int(ranks.rank[i]), -_known(second[i].value), names[i]),
    )
    rows = tuple(
        Row(
            label=names[i],
            rank=int(ranks.rank[i]),
            low=int(ranks.low[i]),
            high=int(ranks.high[i]),
            estimates={name: column[i] for name, column in columns.items()},
            answered=int(tables[i].answered.sum()),
            missing=int((~tables[i].answered).sum()),
            made_elsewhere=runs[i].meta["model"].get("name") == "predictions",
        )
        for i in order
    )
    notes = tuple(warnings(runs, names))
    return Leaderboard(runs[0].benchmark, len(base), groups, measure, tuple(columns), rows, notes)


def _alone(run: Run) -> tuple[Table, list[Table]]:
    if not run.table.labelled:
        raise TropeError("This run has no gold, so it can't be ranked; give --gold.")
    return run.table, [run.table]


def _orders(run: Run) -> bool:
    """Whether the run gives an order, not only a first candidate."""
    return bool(run.meta["model"].get("answers") != "choice")


def _known(value: float) -> float:
    return -math.inf if math.isnan(value) else value


@dataclass(frozen=True, eq=False)
class _Board:
    """The runs' places found once, for all columns."""

    base: Table
    ranked: list[Ranked]
    phrases: np.ndarray[Any, Any]
    resamples: int
    seed: int

    def values(self, measure: Measure) -> Floats:
        return np.stack([measure.of(one) for one in self.ranked])

    def columns(
        self, known: dict[str, Measure], main: str, ordered: list[bool]
    ) -> dict[str, list[Estimate]]:
        """All items, then each sense, then each language where there are several."""
        everything = np.ones(len(self.base), dtype=bool)
        found = {main: self._column(known[main], everything)}
        if SECOND in known and main != SECOND:
            column = self._column(known[SECOND], everything)
            found[SECOND] = [
                e if orders else Estimate(math.nan, 0.0, 1.0, 0, e.n + e.missing, e.method)
                for e, orders in zip(column, ordered, strict=True)
            ]
        for labels, wanted in ((self.base.senses, SENSES), (self.base.languages, None)):
            given = np.asarray(labels, dtype=str)
            each = [str(label) for label in (wanted or np.unique(given)) if (given == label).any()]
            if len(each) > 1:
                for label in each:
                    found[f"{main} {label}"] = self._column(known[main], given == label)
        return found

    def _column(self, measure: Measure, inside: Bools) -> list[Estimate]:
        due = measure.defined(self.ranked[0]) & inside
        values, phrases = self.values(measure)[:, due], self.phrases[due]
        if measure.share:
            return [share(row, phrases) for row in values]
        spans = [measure.span(self.ranked[0])] * len(values)
        return graded_columns(values.T, phrases, spans, resamples=self.resamples, seed=self.seed)


# -- the forms -----------------------------------------------------------------------------------


NAME = 24
"""Columns a run's name gets before another column of numbers does."""


def _text(board: Leaderboard, width: int) -> str:
    """Intervals for the main measure; the other columns as numbers, or they wouldn't fit."""
    gaps = any(entry.missing for entry in board.rows)
    others = [name for name in board.columns if name != board.measure]
    longest = max(len(entry.label) for entry in board.rows)
    main = max(len(with_interval(entry.estimates[board.measure])) for entry in board.rows)
    place = max(4, *(len(entry.place) for entry in board.rows))
    left = width - (place + 2) - (max(main, len(board.measure)) + 2) - (9 if gaps else 0)
    shown: list[str] = []
    for name in others:
        cost = max(5, len(_short(name, board))) + 2
        if left - cost < min(longest, NAME) + 2:
            break
        shown.append(name)
        left -= cost
    table = columns("rank", "run", board.measure, *(_short(name, board) for name in shown))
    if gaps:
        table.add_column("missing", justify="right")
    for entry in board.rows:
        cells = [entry.place, cut(entry.label, left - 2)]
        cells += [with_interval(entry.estimates[board.measure])]
        cells += [number(entry.estimates[name].value) for name in shown]
        add_row(table, *cells, *([str(entry.missing)] if gaps else []))
    lines = [
        f"{board.benchmark}: {counted(len(board.rows), 'run')}, {counted(board.items, 'item')} of "
        f"{counted(board.phrases, 'phrase')}\n",
        printed(table, width),
        wrapped(_reading(board), width),
    ]
    if len(others) > len(shown):
        rest = ", ".join(_short(name, board) for name in others[len(shown) :])
        lines.append(wrapped(f"Not shown here: {rest}; they are in the other forms.", width))
    lines += [wrapped(f"- {note}", width, "  ") for note in board.notes]
    return "\n".join(lines)


def _reading(board: Leaderboard) -> str:
    return (
        f"Ranked by {board.measure}. A rank such as 1-3 is what these items allow at 95%: runs "
        "whose ranks overlap may be tied. In brackets: 95% intervals. `trope compare` tests a pair."
    )


def _short(name: str, board: Leaderboard) -> str:
    """`top1 literal` -> `literal`."""
    label = name.removeprefix(f"{board.measure} ")
    return {"idiomatic": "idiom.", "literal": "literal"}.get(label, label)


def _csv(board: Leaderboard) -> str:
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    head = ["rank", "rank_low", "rank_high", "run"]
    for name in board.columns:
        stem = name.replace(" ", "_")
        head += [stem, f"{stem}_low", f"{stem}_high"]
    writer.writerow([*head, "answered", "missing"])
    for row in board.rows:
        cells: list[Any] = [row.rank, row.low, row.high, _inert(row.label)]
        for name in board.columns:
            e = row.estimates[name]
            held = not math.isnan(e.value)
            cells += [repr(float(v)) if held else "" for v in (e.value, e.low, e.high)]
        writer.writerow([*cells, row.answered, row.missing])
    return sink.getvalue()


def _inert(text: str) -> str:
    """A label that a spreadsheet would take for a formula gets a quote before it."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _cells(row: Row, board: Leaderboard) -> list[str]:
    return [
        row.place,
        row.label,
        *(with_interval(row.estimates[n]) for n in board.columns),
        str(row.missing),
    ]


def _head(board: Leaderboard) -> list[str]:
    return ["rank", "run", *board.columns, "missing"]


def _markdown(board: Leaderboard) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(_markdown_safe(cell) for cell in cells) + " |"

    rule = "|" + "|".join(" --- " for _ in _head(board)) + "|"
    body = [line(_cells(row, board)) for row in board.rows]
    return "\n".join([line(_head(board)), rule, *body, "", _reading(board), ""])


def _markdown_safe(text: str) -> str:
    flat = " ".join(text.split())
    for mark in "\\|`*_[]<>":
        flat = flat.replace(mark, f"\\{mark}")
    return flat


_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "·": r"\textperiodcentered{}",
}


def _latex_safe(text: str) -> str:
    flat = " ".join(text.split())
    return "".join(_LATEX.get(letter, letter) for letter in flat)


def _latex(board: Leaderboard) -> str:
    r"""A `tabular` for `\usepackage{booktabs}`."""
    head = _head(board)
    lines = [
        f"\\begin{{tabular}}{{@{{}}ll{'c' * len(board.columns)}r@{{}}}}",
        r"\toprule",
        " & ".join(_latex_safe(name) for name in head) + r" \\",
        r"\midrule",
    ]
    for row in board.rows:
        cells = [row.place.replace("-", "–"), *_cells(row, board)[1:]]
        lines.append(" & ".join(_latex_safe(cell) for cell in cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", f"% {_latex_safe(_reading(board))}"]
    return "\n".join(lines) + "\n"


def _html(board: Leaderboard) -> str:
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in _head(board))
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in _cells(row, board)) + "</tr>"
        for row in board.rows
    )
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in board.notes)
    return (
        f'<table class="leaderboard"><caption>{html.escape(board.benchmark)}: {board.items} items. '
        f"{html.escape(_reading(board))}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>" + (f"<ul>{notes}</ul>" if notes else "")
    )


def _json(board: Leaderboard) -> str:
    import json

    return json.dumps(board.as_dict(), indent=2, ensure_ascii=False)


FORMS: dict[str, Callable[[Leaderboard], str]] = {
    "text": Leaderboard.text,
    "csv": _csv,
    "latex": _latex,
    "markdown": _markdown,
    "html": _html,
    "json": _json,
}
