"""The report's figures as files, SVG and PNG, for papers and slides.

The same runs give the same SVG. matplotlib is imported only when a figure is drawn, without a
display and without touching its global state; nothing is measured here.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trope import atomic
from trope.report.findings import Findings, FirstRoles
from trope.report.table import number
from trope.runs import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, ACCENT, RULE = "#1d1c1a", "#1b5a86", "#8a867d"
DPI = 200
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "trope",
    "svg.fonttype": "none",
    "text.parse_math": False,  # a dollar in a label is a dollar
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.edgecolor": RULE,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def write_plots(runs: Sequence[Run], folder: Path, *, baseline: str | None = None) -> list[Path]:
    """Write `leaderboard`, `differences` and `roles`, each as .svg and .png; returns the paths.

    A figure for which there is nothing to draw (no gold, one run, no roles) is not written.
    """
    findings = Findings(runs, baseline=baseline)
    drawings: dict[str, Callable[[Findings], Figure]] = {}
    if findings.labelled:
        drawings["leaderboard"] = _leaderboard
    if findings.differences:
        drawings["differences"] = _differences
    if findings.first_roles:
        drawings["roles"] = _roles
    files: dict[Path, str | bytes] = {
        folder / f"{name}.{kind}": _bytes(draw, findings, kind)
        for name, draw in drawings.items()
        for kind in ("svg", "png")
    }
    return atomic.write_all(files)


def _bytes(draw: Callable[[Findings], Figure], findings: Findings, kind: str) -> bytes:
    import matplotlib

    buffer = io.BytesIO()
    with matplotlib.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = draw(findings)
        facts = {"Date": None} if kind == "svg" else {}
        figure.savefig(buffer, format=kind, dpi=DPI, metadata=facts, bbox_inches="tight")
    return buffer.getvalue()


def _figure(width: float, height: float, columns: int = 1) -> tuple[Figure, list[Axes]]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as New

    figure = New(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes: list[Axes] = list(figure.subplots(1, columns, squeeze=False)[0])
    return figure, axes


def _leaderboard(findings: Findings) -> Figure:
    rows = findings.rows
    figure, (axes,) = _figure(6.4, 0.9 + 0.32 * len(rows))
    for y, row in enumerate(rows):
        estimate = row.measures.get(findings.headline)
        if estimate is not None and not math.isnan(estimate.value):
            _whisker(axes, y, estimate.value, estimate.low, estimate.high)
    told = "95% interval"
    chance = findings.chance.get(findings.headline)
    if chance is not None:
        axes.axvline(chance, color=RULE, linestyle=(0, (3, 3)), linewidth=1, zorder=0)
        told += "; dashed: blind choice"
    axes.set_xlim(*findings.span)
    top1 = findings.headline == "top1"
    what = "right candidate first" if top1 else findings.headline.replace("_", " ")
    axes.set_xlabel(f"{what} ({told})")
    _names(axes, [row.label for row in rows])
    return figure


def _differences(findings: Findings) -> Figure:
    found = findings.differences
    figure, (axes,) = _figure(6.8, 0.9 + 0.32 * len(found))
    for y, d in enumerate(found):
        if not math.isnan(d.estimate.value):
            _whisker(axes, y, d.estimate.value, d.estimate.low, d.estimate.high)
        p = "p < .001" if d.p < 0.001 else f"p = {number(d.p, 3 if d.p < 0.1 else 2)}"
        _text(axes, 1.02, y, p, transform=axes.get_yaxis_transform())
    axes.axvline(0, color=RULE, linestyle=(0, (3, 3)), linewidth=1, zorder=0)
    widest = max(abs(x) for x in axes.get_xlim())
    axes.set_xlim(-widest, widest)
    base = _clean(findings.labels[findings.baseline])
    axes.set_xlabel(f"less {base} (95% interval; p after Holm)")
    _names(axes, [d.label for d in found])
    return figure


def _roles(findings: Findings) -> Figure:
    parts = findings.first_roles
    rows = len(findings.rows)
    figure, panels = _figure(2.2 + 3.0 * len(parts), 1.5 + 0.32 * rows, len(parts))
    for axes, part in zip(panels, parts, strict=True):
        _heat(axes, part, findings)
    _names(panels[0], [row.label for row in findings.rows])
    for axes in panels[1:]:
        axes.set_yticks([])
    return figure


def _heat(axes: Axes, part: FirstRoles, findings: Findings) -> None:
    shares = [part.shares[row.run] for row in findings.rows]
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1.8, aspect="auto")  # pale: ink stays legible
    for y, line in enumerate(shares):
        for x, share in enumerate(line):
            _text(axes, x, y, number(share, 2), ha="center")
    heads = [f"{'✓ ' if role in part.gold else ''}{role.replace('_', ' ')}" for role in part.roles]
    axes.set_xticks(range(len(heads)), heads, rotation=35, ha="right", rotation_mode="anchor")
    axes.set_title(f"{part.sense} items" if part.sense else "all items", fontsize=9)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _whisker(axes: Axes, y: float, value: float, low: float, high: float) -> None:
    axes.plot([low, high], [y, y], color=ACCENT, linewidth=1.6, solid_capstyle="round")
    axes.plot([value], [y], "o", color=ACCENT, markersize=5)


def _names(axes: Axes, labels: Sequence[str]) -> None:
    axes.set_yticks(range(len(labels)), [_clean(label) for label in labels])
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _text(axes: Axes, x: float, y: float, text: str, **options: Any) -> None:
    axes.text(x, y, _clean(text), va="center", fontsize=8, **options)


def _clean(text: str, most: int = 60) -> str:
    """One line without control characters, which XML can't hold."""
    line = "".join(c if c.isprintable() else " " for c in text)
    return line if len(line) <= most else f"{line[: most - 1]}…"
