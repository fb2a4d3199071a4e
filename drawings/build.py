"""Builds the sample benchmark from its drawings and words, and checks that it gives nothing away.

    python drawings/build.py

It needs resvg-py, Pillow and numpy (`pip install resvg-py pillow numpy`); trope itself never
runs it. The same input gives the same bytes. It ends with exit code 1 when a shallow property of
the candidates (size of the file, brightness, length of the caption...) finds the right picture
more or less often than chance allows.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import resvg_py
import scenes_de
import scenes_en
import scenes_pt
from phrases import PHRASES, ROLES, Phrase
from PIL import Image

HERE = Path(__file__).resolve().parent
SVG = HERE / "svg"
SAMPLE = HERE.parent / "src" / "trope" / "sample"
DRAW = {"en": scenes_en.draw, "pt": scenes_pt.draw, "de": scenes_de.draw}

# The salt makes the ids, and so the order of the candidates, and the choice of the tints. It was
# chosen by trying salts until the balance below held.
SALT = "trope sample 1804"
TINTS = (
    "#f3e3c3",
    "#cfe5f2",
    "#d3ead6",
    "#f3d3cf",
    "#ddd3ee",
    "#b9d3e6",
    "#f7efdd",
    "#e6c9a8",
    "#b5d2bf",
    "#e3b9b5",
)
SIDE, QUALITY = 256, 80
LOW, HIGH = 0.10, 0.32  # what a scorer that sees one shallow property may reach; chance is 0.20
GAINS = {
    "idiomatic": dict(zip(ROLES, (5, 4, 3, 2, 1), strict=True)),
    "literal": dict(zip(ROLES, (2, 3, 4, 5, 1), strict=True)),
}
CARD = {
    "title": "trope's sample: sixteen figurative phrases, drawn",
    "licence": "CC0-1.0",
    "citation": "The trope sample benchmark, version 1.0. Drawn and written for trope.",
    "version": "1.0",
    "source": "drawn for trope",
    "languages": ["en", "pt", "de"],
}


def digest(phrase: Phrase, role: str, purpose: str, salt: str = SALT) -> str:
    return hashlib.sha256(f"{salt}|{purpose}|{phrase.slug}|{role}".encode()).hexdigest()


def file_name(phrase: Phrase, role: str, salt: str = SALT) -> str:
    return digest(phrase, role, "id", salt)[:8] + ".webp"


def drawing(phrase: Phrase, role: str, salt: str = SALT) -> str:
    """The SVG of one picture, with its tint filled in."""
    tint = TINTS[int(digest(phrase, role, "tint", salt)[:8], 16) % len(TINTS)]
    return DRAW[phrase.language](phrase.slug, role).replace("{tint}", tint)


def render(svg: str) -> bytes:
    png = bytes(resvg_py.svg_to_bytes(svg_string=svg, width=SIDE, height=SIDE))
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    out = io.BytesIO()
    picture.save(out, "WEBP", quality=QUALITY, method=6)
    return out.getvalue()


def items(phrase: Phrase) -> list[dict[str, object]]:
    """The two items of a phrase; both list the same candidates in the order of their ids."""
    order = sorted(ROLES, key=lambda role: file_name(phrase, role))
    return [
        {
            "id": f"{phrase.language}/{phrase.slug}/{sense}",
            "phrase": phrase.phrase,
            "language": phrase.language,
            "kind": phrase.kind,
            "sense": sense,
            "sentence": getattr(phrase, sense),
            "definitions": list(phrase.definitions),
            "split": "sample",
            "candidates": [
                {
                    "id": file_name(phrase, role),
                    "role": role,
                    "gain": GAINS[sense][role],
                    "image": f"images/{file_name(phrase, role)}",
                    "captions": phrase.captions(role),
                }
                for role in order
            ],
        }
        for sense in ("idiomatic", "literal")
    ]


def write(pictures: dict[tuple[str, str], bytes]) -> None:
    """Writes the folder anew; files of an earlier build that are no longer made are removed."""
    images = SAMPLE / "images"
    images.mkdir(parents=True, exist_ok=True)
    made = {file_name(p, role): pictures[p.slug, role] for p in PHRASES for role in ROLES}
    for old in images.iterdir():
        if old.name not in made:
            old.unlink()
    for name, data in made.items():
        (images / name).write_bytes(data)
    head = {"format": 1, "name": "sample", "task": "ranking", "card": CARD}
    text = json.dumps(head, ensure_ascii=False, indent=2) + "\n"
    (SAMPLE / "benchmark.json").write_text(text, encoding="utf-8", newline="\n")
    rows = [json.dumps(item, ensure_ascii=False) for p in PHRASES for item in items(p)]
    (SAMPLE / "items.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8", newline="\n")
    covered = ["benchmark.json", "items.jsonl", *(f"images/{name}" for name in made)]
    sums = [
        f"{hashlib.sha256((SAMPLE / path).read_bytes()).hexdigest()}  {path}\n"
        for path in sorted(covered)
    ]
    (SAMPLE / "manifest.sha256").write_text("".join(sums), encoding="utf-8", newline="\n")


def write_drawings() -> dict[tuple[str, str], str]:
    drawings = {}
    for phrase in PHRASES:
        (SVG / phrase.slug).mkdir(parents=True, exist_ok=True)
        for role in ROLES:
            svg = drawings[phrase.slug, role] = drawing(phrase, role)
            (SVG / phrase.slug / f"{role}.svg").write_text(svg, encoding="utf-8", newline="\n")
    return drawings


def luma(data: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(data)).convert("L"), dtype=float)


def edges(data: bytes) -> float:
    """The share of pixels where the brightness changes sharply."""
    grey = luma(data)
    steps = np.abs(np.diff(grey, axis=0))[:, 1:] + np.abs(np.diff(grey, axis=1))[1:]
    return float((steps > 24).mean())


Property = Callable[[Phrase, str], float]


def properties(
    drawings: dict[tuple[str, str], str],
    pictures: dict[tuple[str, str], bytes],
    salt: str = SALT,
) -> dict[str, Property]:
    """What a scorer could see of a candidate without understanding anything."""
    bright = {key: float(luma(data).mean()) for key, data in pictures.items()}
    sharp = {key: edges(data) for key, data in pictures.items()}
    return {
        "file size": lambda p, r: len(pictures[p.slug, r]),
        "brightness": lambda p, r: bright[p.slug, r],
        "edges": lambda p, r: sharp[p.slug, r],
        "people": lambda p, r: drawings[p.slug, r].count('class="person"'),
        "caption words (en)": lambda p, r: len(p.captions(r)["en"].split()),
        "caption words (own)": lambda p, r: len(p.captions(r)[p.language].split()),
        "caption characters (en)": lambda p, r: len(p.captions(r)["en"]),
        "caption characters (own)": lambda p, r: len(p.captions(r)[p.language]),
        "place in the list": lambda p, r: sorted(file_name(p, x, salt) for x in ROLES).index(
            file_name(p, r, salt)
        ),
    }


def top1(value: Property, sign: int) -> float:
    """Top-1 accuracy over all items of picking the largest (or smallest); ties are shared."""
    right = 0.0
    for phrase in PHRASES:
        seen = np.array([sign * value(phrase, role) for role in ROLES])
        best = seen == seen.max()
        right += (best[ROLES.index("idiomatic")] + best[ROLES.index("literal")]) / best.sum()
    return right / (2 * len(PHRASES))


def balance(seen: dict[str, Property]) -> bool:
    print(f"{'top-1 accuracy of picking the':32}{'largest':>9}{'smallest':>9}   mean by role")
    held = True
    for name, value in seen.items():
        high, low = top1(value, 1), top1(value, -1)
        means = [np.mean([value(p, role) for p in PHRASES]) for role in ROLES]
        shown = "  ".join(f"{mean:.4g}" for mean in means)
        good = all(LOW <= x <= HIGH for x in (high, low))
        held &= good
        print(f"{name:32}{high:9.3f}{low:9.3f}   {shown}{'' if good else '   <- out of bounds'}")
    return held


def main() -> int:
    drawings = write_drawings()
    pictures = {key: render(svg) for key, svg in drawings.items()}
    write(pictures)
    size = sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file())
    largest = max(len(svg.encode()) for svg in drawings.values())
    print(f"{len(PHRASES)} phrases, {2 * len(PHRASES)} items, {len(pictures)} pictures")
    print(f"sample {size / 1000:.0f} kB, largest drawing {largest / 1000:.1f} kB")
    print(f"roles: {', '.join(ROLES)}")
    return 0 if balance(properties(drawings, pictures)) else 1


if __name__ == "__main__":
    sys.exit(main())
