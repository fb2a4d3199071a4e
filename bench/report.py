"""How long a report of 20 runs on 1,000 items takes, and how large it is.

    python bench/report.py [--runs 20] [--items 1000] [--pictures 500]

The aim: under 15 s and 30 MB. Pictures are noise over a gradient, which is hard to compress.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

from trope.item import GOLD_ORDER, Benchmark, Candidate, Card, Item, Role, Sense
from trope.report.page import write_report
from trope.runs import Run, blank_table

WORDS = "a red ship waits at the quay while two people argue over an open map in the rain".split()


def draw(folder: Path, count: int, rng: np.random.Generator) -> list[str]:
    """So many distinct pictures of 256 pixels."""
    names = []
    slope = np.linspace(0, 160, 256)[:, None, None]
    for i in range(count):
        noise = rng.integers(0, 60, (32, 32, 3)).repeat(8, 0).repeat(8, 1)
        pixels = (slope + noise + rng.integers(0, 30, (256, 256, 3))).astype(np.uint8)
        names.append(f"{i}.png")
        Image.fromarray(pixels).save(folder / names[-1], compress_level=1)
    return names


def benchmark(root: Path, count: int, pictures: int) -> Benchmark:
    """Items of five roles, each phrase in both senses."""
    rng = np.random.default_rng(0)
    names = draw(root, pictures, rng)
    items = []
    for i in range(count):
        sense = (Sense.idiomatic, Sense.literal)[i % 2]
        gains = {role: 5.0 - place for place, role in enumerate(GOLD_ORDER[sense])}
        candidates = tuple(
            Candidate(
                id=f"c{slot}",
                role=role,
                gain=gains[role],
                image=names[(i * 5 + slot) % pictures],
                captions={"en": " ".join(rng.choice(WORDS, 50))},
            )
            for slot, role in enumerate(list(Role)[:5])
        )
        items.append(
            Item(
                id=str(i),
                phrase=f"phrase {i // 2}",
                language="en",
                candidates=candidates,
                sense=sense,
                sentence=" ".join(rng.choice(WORDS, 15)),
            )
        )
    return Benchmark("made", "ranking", tuple(items), Card(version="1"), root)


def runs(made: Benchmark, count: int) -> list[Run]:
    """Scorers from poor to good, a few answers missing."""
    table = blank_table(made)
    found = []
    facts = {"name": made.name, "task": made.task, "hash": made.hash, "gold": made.gold}
    for k in range(count):
        rng = np.random.default_rng(k)
        score = rng.normal(size=table.score.shape) + table.gain * k / count
        score[rng.random(len(table)) < 0.01] = np.nan
        answers = table.with_scores(score)
        meta = {
            "format": 1,
            "fingerprint": f"{k:064x}",
            "benchmark": facts,
            "model": {"address": f"model-{k}", "sees": "caption"},
            "prompt": {"name": "phrase", "template": "{phrase}"},
            "counts": {"items": len(table), "missing": int((~answers.answered).sum())},
        }
        found.append(Run(table=answers, meta=meta))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--pictures", type=int, default=500)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = benchmark(Path(folder), options.items, options.pictures)
        made_runs = runs(made, options.runs)
        path = options.out or Path(folder) / "report.html"
        start = time.perf_counter()
        write_report(made_runs, path, benchmark=made)
        took = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{options.runs} runs x {options.items} items, {options.pictures} pictures: "
            f"{took:.1f} s, {path.stat().st_size / 1e6:.1f} MB, peak memory {peak:.0f} MB "
            "(aim: 15 s, 30 MB)"
        )


if __name__ == "__main__":
    main()
