"""One HTML file that tells what runs showed: no network, no font, no script from elsewhere.

Every word that comes from a benchmark, a model or a file name is hostile here: the template
escapes it, and the script builds the page from text alone. What the page says is computed in
`findings` and `gallery`; nothing is measured here.
"""

from __future__ import annotations

import hashlib
import json
import math
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from trope import __version__, atomic
from trope.errors import TropeError, shown
from trope.item import Benchmark
from trope.measure.intervals import Estimate
from trope.report.findings import Findings, told
from trope.report.gallery import gallery
from trope.report.table import number
from trope.runs import Run

TEMPLATES = Path(__file__).parent / "templates"
MORE = {"ndcg": "NDCG", "mrr": "MRR"}
"""Columns beside the benchmark's own; the first that the runs have."""


def write_report(
    runs: Sequence[Run],
    path: Path,
    *,
    benchmark: Benchmark | None = None,
    title: str | None = None,
    baseline: str | None = None,
    plots: Path | None = None,
) -> None:
    """Write the report of runs on one benchmark to one file.

    With the `benchmark` the report shows its pictures, captions and sentences. Differences are
    held against the best run, or against `baseline` (a run's label or model). `plots` is a
    folder for the figures as files.
    """
    atomic.write(path, render(runs, benchmark=benchmark, title=title, baseline=baseline))
    if plots is not None:
        from trope.report.plots import write_plots

        write_plots(runs, plots, baseline=baseline)


def render(
    runs: Sequence[Run],
    *,
    benchmark: Benchmark | None = None,
    title: str | None = None,
    baseline: str | None = None,
) -> str:
    """The report as text; the same runs give the same text."""
    findings = Findings(runs, baseline=baseline)
    if benchmark is not None:
        benchmark = _matching(benchmark, runs[0])
    shown_items = gallery(findings, benchmark)
    script = (TEMPLATES / "report.js").read_text(encoding="utf-8")
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    page = _environment().get_template("report.html")
    return str(
        page.render(
            title=title or f"{runs[0].benchmark}: what {_counted(len(runs), 'run')} showed",
            found=findings,
            bench={"version": "", "hash": "", **runs[0].meta["benchmark"]},
            card=benchmark.card if benchmark else None,
            notes=[*(benchmark.notes if benchmark else ()), *shown_items.notes],
            columns=_columns(findings),
            every_measure=list(dict.fromkeys(name for m in findings.measures for name in m)),
            facts=[_facts(run) for run in runs],
            prompts=_prompts(findings),
            forest=_reach(findings),
            pictures=benchmark is not None,
            data=shown_items.json(),
            script=script,
            script_hash=_hash(script),
            style=style,
            version=__version__,
        )
    )


def _matching(benchmark: Benchmark, run: Run) -> Benchmark:
    """The benchmark the run ran on, of which the run may have taken the first items only."""
    part = benchmark.head(len(run.table))
    if part.hash != run.meta["benchmark"]["hash"]:
        raise TropeError(
            f"{run.label} ran on another version of {shown(run.benchmark)} than the one given; "
            "run it again, or report it without the benchmark."
        )
    return part


def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": number,
        "estimate": told,
        "signed": signed,
        "difference": difference,
        "probability": probability,
        "words": lambda name: str(name).replace("_", " "),
        "counted": _counted,
        "nan": math.isnan,
        "tick": lambda value: number(value, 1).removesuffix(".0").replace("-", "−") or "0",
    }
    return environment


def signed(value: float, places: int = 3) -> str:
    """A difference with its sign, the minus as wide as the plus."""
    text = number(abs(value), places)
    flat = float(f"{value:.{places}f}")
    return text if flat == 0 or value != value else ("+" if flat > 0 else "−") + text


def difference(e: Estimate) -> str:
    """`+.086 (+.01 to +.16)`."""
    if math.isnan(e.value):
        return "–"
    return f"{signed(e.value)} ({signed(e.low, 2)} to {signed(e.high, 2)})"


def probability(p: float) -> str:
    """A p value, never 0."""
    return "< .001" if p < 0.001 else number(p, 3 if p < 0.1 else 2)


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}" + ("" if n == 1 else "s")


def _columns(findings: Findings) -> dict[str, str]:
    """The leaderboard's columns; the page lists every measure below it."""
    known = {name for measures in findings.measures for name in measures}
    more = dict([pair for pair in MORE.items() if pair[0] in known][:1])
    named = {**findings.headings, **more}
    if named.get("top1") == "top-1":
        named["top1"] = "right first"
    columns = {name: heading for name, heading in named.items() if name in known}
    return columns or {findings.headline: findings.headline}


def _hash(script: str) -> str:
    return b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _reach(findings: Findings) -> float:
    """How far the forest plot reaches on either side of 0: a round tenth."""
    ends = [abs(x) for d in findings.differences for x in (d.estimate.low, d.estimate.high)]
    widest = max((x for x in ends if x == x), default=0.1)
    return min(1.0, max(0.1, math.ceil(widest * 10) / 10))


def _prompts(findings: Findings) -> list[tuple[str, str, list[str]]]:
    """Each distinct prompt: its name, its template, and the runs that used it."""
    found: dict[tuple[str, str], list[str]] = {}
    for run, label in zip(findings.runs, findings.labels, strict=True):
        prompt = run.meta["prompt"]
        key = (str(prompt["name"]), str(prompt.get("template", "")))
        found.setdefault(key, []).append(label)
    return [(name, template, labels) for (name, template), labels in found.items()]


def _facts(run: Run) -> list[tuple[str, str]]:
    """What `run.json` holds, one line a fact."""
    parts = {k: v for k, v in run.meta.items() if k not in ("prompt", "format")}
    return [*_flat("", parts)]


def _flat(prefix: str, value: Any) -> list[tuple[str, str]]:
    if isinstance(value, Mapping):
        return [line for k, v in value.items() for line in _flat(f"{prefix}{k} ", v)]
    if value is None or value == "":
        return []
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return [(prefix.strip(), text)]
