"""`trope demo`: a real result on the sample inside the package, in under a minute, offline.

Shows in one table what trope is for: the same model reads literal and idiomatic sentences, and
the two halves tell very different stories.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from trope.read import load
from trope.report.lines import wrapped
from trope.report.page import write_report
from trope.report.table import estimates, number, runs_text
from trope.runs import Run
from trope.verbs import run

MODELS = ("random?seed=1", "overlap", "wordllama")
PROMPTS = ("phrase", "phrase+sentence", "definition")


def demo(out: Path, report: Path, *, width: int, say: Callable[[str], None]) -> None:
    """Run, print, write the report."""
    benchmark = load("sample")
    runs = run(benchmark, MODELS, PROMPTS, out=out)
    print(runs_text(runs, width=width))
    print()
    for line in halves(runs):
        print(wrapped(line, width, "  "))
    write_report(runs, report, benchmark=benchmark)
    print(f"\nThe report, with the pictures: {report}")
    say(f"The runs are kept in {out}; next: trope run --help")


def halves(runs: Sequence[Run]) -> list[str]:
    """How the idiomatic and the literal half differ, in words."""
    lines = []
    for made in runs:
        found = estimates(made)
        idiomatic, literal = found.get("top1_idiomatic"), found.get("top1_literal")
        if not made.prompt or idiomatic is None or literal is None:
            continue
        if idiomatic.high < literal.low:
            lines.append(
                f"{made.label}: right on {number(literal.value, 2)} of the literal sentences but "
                f"only {number(idiomatic.value, 2)} of the idiomatic ones."
            )
        elif literal.high < idiomatic.low:
            lines.append(
                f"{made.label}: right on {number(idiomatic.value, 2)} of the idiomatic sentences "
                f"but only {number(literal.value, 2)} of the literal ones."
            )
    return lines or ["No model's halves differ by more than their intervals allow."]
