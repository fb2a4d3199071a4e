"""How fast a folder of 100,000 items is read, beside bare decoding of the same lines.

Says items a second and the ratio to `msgspec.json.decode` and `json.loads`, all in this run, and
what streaming holds in memory. Ends with an error below 50,000 items a second.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import msgspec

from trope.read.folder import read_folder, stream_items

ITEMS = 100_000
WANTED = 50_000
ROLES = ("idiomatic", "idiomatic_related", "literal_related", "literal", "distractor")


def write(folder: Path) -> Path:
    """Items as AdMIRe's: a sentence, five candidates with captions, no pictures."""
    (folder / "benchmark.json").write_text('{"format": 1, "name": "big", "task": "ranking"}')
    path = folder / "items.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for i in range(ITEMS):
            candidates = [
                {
                    "id": f"{i}-{k}.png",
                    "role": role,
                    "gain": 5.0 - k,
                    "captions": {"en": f"A drawing of thing {k}, as item {i} has it, in words."},
                }
                for k, role in enumerate(ROLES)
            ]
            item = {
                "id": f"item {i}",
                "phrase": f"phrase {i % 5000}",
                "language": "en",
                "sense": "idiomatic" if i % 2 else "literal",
                "sentence": f"Here phrase {i % 5000} stands in a sentence, the {i}th of them.",
                "candidates": candidates,
            }
            file.write(json.dumps(item) + "\n")
    return path


def rate(read: Callable[[], int], *, times: int = 3) -> float:
    """Items a second, the best of a few: others may be using the machine."""
    best = 0.0
    for _ in range(times):
        start = time.perf_counter()
        count = read()
        best = max(best, count / (time.perf_counter() - start))
    return best


def bare(path: Path, decode: Callable[[bytes], object]) -> int:
    with path.open("rb") as lines:
        return len([decode(line) for line in lines])


def held(folder: Path) -> float:
    """The most memory that streaming holds at once, in MB, over the first 20,000 items."""
    tracemalloc.start()
    for count, _ in enumerate(stream_items(folder)):
        if count == 20_000:
            break
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = write(folder)
        print(f"{ITEMS:,} items, {path.stat().st_size / 1e6:.0f} MB")
        rates = {
            "trope: read_folder": rate(lambda: len(read_folder(folder))),
            "trope: stream_items": rate(lambda: sum(1 for _ in stream_items(folder))),
            "bare msgspec": rate(lambda: bare(path, msgspec.json.Decoder().decode)),
            "bare json": rate(lambda: bare(path, json.loads)),
        }
        for label, value in rates.items():
            ratio = value / rates["bare msgspec"]
            print(f"{label:<22} {value:>9,.0f} items/s  {ratio:5.2f} x bare msgspec")
        print(f"streaming holds {held(folder):.1f} MB at most")
    if rates["trope: read_folder"] < WANTED:
        print(f"read_folder is slower than {WANTED:,} items a second.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
