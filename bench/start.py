"""How fast trope starts, and how little it adds to the model: ratios in one run.

- `import trope` and `trope --help` against `import typer`;
- scoring 70 AdMIRe items with WordLlama, cold, against WordLlama embedding the same texts;
- a second, warm run against the first, for a scorer that takes 5 ms a text.

Without the published files (TROPE_DATA, or the folder given as the first argument) the sample
stands in for AdMIRe, repeated to the same number of texts.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SLOW = """
import time, hashlib
import numpy as np
from trope.score import Encoder
class Slow(Encoder):
    def fingerprint(self): return {"name": "slow"}
    def embed_texts(self, texts):
        time.sleep(0.005 * len(texts))
        return np.stack([np.frombuffer(hashlib.sha256(t.encode()).digest(), "u1") for t in texts])
    embed_contents = embed_texts
"""


def seconds(words: list[str], times: int = 7, **environment: str) -> float:
    """The median wall time of a command."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run(words, check=True, capture_output=True, env={**os.environ, **environment})
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def starting() -> None:
    bare = seconds(python("import typer"))
    for name, words in {
        "import trope": python("import trope"),
        "trope --help": [sys.executable, "-m", "trope", "--help"],
        "trope run --help": [sys.executable, "-m", "trope", "run", "--help"],
    }.items():
        print(f"{name} / import typer: {seconds(words) / bare:.2f}x (wanted <= 2)")


def benchmark(data: str | None):
    import msgspec

    from trope.read import load

    if data:
        return load("admire-a/en/train", data=data)
    sample = load("sample")
    items = [
        msgspec.structs.replace(
            item,
            id=f"{item.id}-{n}",
            sentence=f"{item.sentence} {n}",
            candidates=tuple(
                msgspec.structs.replace(c, captions={"en": f"{n} {c.captions['en']}"})
                for c in item.candidates
            ),
        )
        for n in range(3)
        for item in sample.items
    ]
    return msgspec.structs.replace(sample, items=tuple(items[:70]))


def scoring(data: str | None) -> None:
    """Loading is left out on both sides: the model is warm, the cache is empty."""
    from trope.engine import execute
    from trope.engine.cache import Cache
    from trope.prompt import get
    from trope.score import load_scorer

    asked = benchmark(data)
    scorer = load_scorer("wordllama")
    texts = list(
        dict.fromkeys(
            [i.phrase for i in asked.items]
            + [i.caption(c) or "" for i in asked.items for c in i.candidates]
        )
    )
    scorer.embed_texts(texts[:2])
    ours, bare = [], []
    for _ in range(9):
        start = time.perf_counter()
        scorer._model.embed(texts)
        bare.append(time.perf_counter() - start)
        with tempfile.TemporaryDirectory() as folder:
            cache = Cache(Path(folder))
            start = time.perf_counter()
            execute(asked, scorer, get("phrase"), address="wordllama", cache=cache)
            ours.append(time.perf_counter() - start)
    ratio = statistics.median(ours) / statistics.median(bare)
    print(f"cold scoring of {len(texts)} texts / bare WordLlama: {ratio:.2f}x (wanted <= 1.3)")


def warm(data: str | None) -> None:
    name = ["admire-a/en/train", "--data", data] if data else ["sample"]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "slow.py").write_text(SLOW)
        words = [sys.executable, "-m", "trope", "run", *name, "-m", f"{folder}/slow.py:Slow"]
        words += ["--prompt", "phrase", "--out", f"{folder}/runs"]
        place = {"TROPE_CACHE": f"{folder}/cache"}
        cold = seconds(words, times=1, **place)
        again = seconds(words, times=5, **place)
        print(f"cold / warm command, 5 ms a text: {cold / again:.1f}x (wanted >= 5)")
        print(f"  cold {cold:.2f} s, warm {again:.2f} s")


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("TROPE_DATA")
    starting()
    scoring(given)
    warm(given)
