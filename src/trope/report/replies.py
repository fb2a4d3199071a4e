"""Replies in words or boxes, measured: a small table for a terminal, an object for a machine."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trope.hashes import file_hash
from trope.item import Benchmark
from trope.measure.answers import Asked, Similarity, answered
from trope.measure.boxes import localised
from trope.measure.intervals import Estimate
from trope.read.metaclue import named_box
from trope.read.replies import read_boxes, read_words
from trope.report.table import as_object, number


@dataclass(frozen=True)
class Scored:
    """What a file of replies was worth on a benchmark."""

    benchmark: str
    file: str
    items: int
    measures: dict[str, Estimate]
    record: dict[str, Any]
    """What was measured, to the byte: hashes of the benchmark and the file, the similarity."""

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints, and `--out` keeps."""
        return {
            "benchmark": self.benchmark,
            "file": self.file,
            "items": self.items,
            "measures": {name: as_object(value) for name, value in self.measures.items()},
            **self.record,
        }

    def __str__(self) -> str:
        return self.text()

    def text(self, *, width: int = 80) -> str:
        """A table with a row a measure."""
        from rich.console import Console
        from rich.table import Table as RichTable

        table = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for heading in ("measure", "value", "95% interval", "n", "missing"):
            table.add_column(heading, no_wrap=True)
        for name, e in self.measures.items():
            between = f"{number(e.low)} to {number(e.high)}"
            table.add_row(name, number(e.value), between, str(e.n), str(e.missing))
        sink = io.StringIO()
        Console(file=sink, width=width, color_system=None, highlight=False).print(table)
        body = "\n".join(line.rstrip() for line in sink.getvalue().splitlines())
        return f"{self.benchmark}: {self.items} items, answers from {self.file}\n\n{body}"


def _record(benchmark: Benchmark, file: Path) -> dict[str, str]:
    return {"hash": benchmark.hash, "gold": benchmark.gold, "answers": file_hash(file)}


def scored_words(benchmark: Benchmark, file: Path, *, similarity: Similarity, by: str) -> Scored:
    """A file of answers in words (metaclue-vqa); `by` says whose similarity it is."""
    said = read_words(file, benchmark)
    asked = [
        Asked(
            right=tuple(candidate.id for candidate in item.candidates),
            answer=said.get(item.id),
            picture=item.extra["image"],
            part=item.extra["part"],
        )
        for item in benchmark.items
    ]
    measures = answered(asked, similarity=similarity)
    record = {**_record(benchmark, file), "similarity": by}
    return Scored(benchmark.name, str(file), len(asked), measures, record)


def scored_boxes(benchmark: Benchmark, file: Path) -> Scored:
    """A file of boxes (metaclue-localisation), each type by itself."""
    measures: dict[str, Estimate] = {}
    for kind, found in read_boxes(file, benchmark).items():
        truth = {
            item.extra["image"]: [named_box(candidate.id) for candidate in item.candidates]
            for item in benchmark.items
            if item.extra["type"] == kind
        }
        own = localised(truth, found)
        measures |= {f"{name}_{kind}": value for name, value in own.items()}
    return Scored(
        benchmark.name, str(file), len(benchmark.items), measures, _record(benchmark, file)
    )
