"""The files a shared task's server takes, written from a run.

Subtask A: compound and expected_order (and the sentence, where a compound has several); subtask
B: compound, sentence_type and expected_item. `trope score` reads them back, the zip included.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np

from trope import atomic
from trope.errors import InputError, many
from trope.item import Benchmark
from trope.read.submission import submission_name
from trope.runs import Run

_EPOCH = (1980, 1, 1, 0, 0, 0)  # so that the same run gives the same zip


def write_submission(
    run: Run, folder: Path, *, benchmark: Benchmark | None = None, fill: bool = False
) -> tuple[list[Path], list[str]]:
    """Write the .tsv and the .zip; returns their paths, and what the reader should know."""
    table = run.table
    if not run.benchmark.startswith(("admire-", "admire2/")):
        raise InputError(f"{run.benchmark} has no shared-task server; submit takes AdMIRe runs.")
    if run.benchmark.startswith("admire2/") and len(set(table.languages)) > 1:
        raise InputError("The server takes one language a file; run admire2/tr, not several.")
    if benchmark is not None and benchmark.hash != run.meta["benchmark"]["hash"]:
        raise InputError(f"The files below --data aren't the {run.benchmark} this run was made on.")
    missing = [name for name, done in zip(table.items, table.answered, strict=True) if not done]
    if missing and not fill:
        raise InputError(
            f"{len(missing)} items have no answer ({many(missing)}), and the server wants all; "
            "run again, or pass --fill to write the listed order for them."
        )
    notes = [f"{len(missing)} items without an answer are written in listed order."][
        : bool(missing)
    ]
    completion = run.meta["benchmark"]["task"] == "completion"
    rows, ties = _rows(run, benchmark, completion=completion)
    if ties:
        notes.append(f"{ties} items have tied scores; tied candidates keep their listed order.")
    if completion and not all(table.said):
        notes.append(
            "This model names no sense, so sentence_type is 'idiomatic' throughout: sent_* "
            "will only count those."
        )
    name = submission_name(run.benchmark)
    text = _tsv(rows)
    files: dict[Path, str | bytes] = {
        folder / name: text,
        folder / "submission.zip": _zipped(name, text),
    }
    return atomic.write_all(files), notes


def _rows(
    run: Run, benchmark: Benchmark | None, *, completion: bool
) -> tuple[list[dict[str, str]], int]:
    table = run.table
    score = np.where(np.isnan(table.score), -np.inf, table.score)
    repeated = max(Counter(table.phrases).values(), default=1) > 1
    repeated = repeated or run.benchmark.startswith("admire2/")  # its file always has sentences
    sentences = {item.id: item.sentence or "" for item in benchmark.items} if benchmark else {}
    if repeated and not completion and not sentences:
        raise InputError(
            f"{run.benchmark} has several sentences for one compound, and the file must hold "
            "them; give the benchmark's files with --data."
        )
    rows, ties = [], 0
    for i, names in enumerate(table.candidates):
        own = score[i, : len(names)]
        order = [names[j] for j in np.argsort(-own, kind="stable")]
        best = int((own == own.max()).sum())
        tied = len(set(own.tolist())) < len(names) if not completion else best > 1
        ties += tied and bool(np.isfinite(own).all())
        row = {"compound": table.phrases[i]}
        if completion:
            row |= {"sentence_type": table.said[i] or "idiomatic", "expected_item": order[0]}
        else:
            if repeated:
                row["sentence"] = sentences[table.items[i]]
            row["expected_order"] = str(order)
        rows.append(row)
    return rows, ties


def _tsv(rows: list[dict[str, str]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _zipped(name: str, text: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(name, date_time=_EPOCH), text)
    return data.getvalue()
