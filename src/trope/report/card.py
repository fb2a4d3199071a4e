"""A dataset card: what a benchmark holds, where it comes from, how it is read and measured.

Counts are counted from the items; nothing is claimed that the folder doesn't hold. Written as
README.md with the header that dataset hubs read, beside croissant.json.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from trope import atomic
from trope.errors import InputError
from trope.item import Benchmark, Sense
from trope.read.folder import read_folder, write_folder
from trope.report.croissant import CANDIDATES, FILE, candidate_rows, croissant

CARD = "README.md"


def write_card(benchmark: Benchmark, folder: Path) -> list[Path]:
    """Write the card, croissant.json and candidates.jsonl.

    Into the benchmark's own folder, or into a new one, which then gets the benchmark too.
    """
    own = benchmark.root is not None and folder.resolve() == benchmark.root.resolve()
    if not own or not (folder / "benchmark.json").exists():
        _place(benchmark, folder)
    there = read_folder(folder)
    atomic.write(folder / CANDIDATES, candidate_rows(there))
    text = json.dumps(croissant(there, folder), indent=2, ensure_ascii=False)
    atomic.write(folder / FILE, text + "\n")
    atomic.write(folder / CARD, card_text(there))
    return [folder / name for name in (CARD, FILE, CANDIDATES)]


def _place(benchmark: Benchmark, folder: Path) -> None:
    """Write the benchmark there, unless it is there already."""
    if (folder / "benchmark.json").exists():
        if read_folder(folder).hash != benchmark.hash:
            raise InputError(f"{folder} holds another benchmark; choose a new folder.")
        return
    write_folder(benchmark, folder)


def card_text(benchmark: Benchmark) -> str:
    """The card in Markdown."""
    card = benchmark.card
    title = card.title or benchmark.name
    parts = [
        _header(benchmark),
        f"# {title}\n",
        _facts(benchmark),
        "## What it holds\n",
        _counts(benchmark),
        "## How to read it\n",
        _reading(benchmark),
        "## How to measure with it\n",
        "```\ntrope check FOLDER          # is it whole?\n"
        "trope run FOLDER -m MODEL   # ask a model\n"
        "trope audit FOLDER          # what could be scored without understanding\n```\n",
        "## Terms\n",
        f"Licence: {card.licence or 'not stated; ask the authors before you use it.'}\n",
        f"Please cite: {card.citation}\n" if card.citation else "",
    ]
    return "\n".join(part for part in parts if part)


def _header(benchmark: Benchmark) -> str:
    languages = sorted({item.language for item in benchmark.items})
    lines = [
        "---",
        f"pretty_name: {json.dumps(benchmark.card.title or benchmark.name, ensure_ascii=False)}",
        f"license: {json.dumps(benchmark.card.licence or 'unknown', ensure_ascii=False)}",
        "language:",
        *[f"- {language}" for language in languages],
        "tags:",
        "- figurative-language",
        "- vision-language",
        "---",
    ]
    return "\n".join(lines) + "\n"


def _facts(benchmark: Benchmark) -> str:
    card = benchmark.card
    facts = {
        "name": benchmark.name,
        "task": benchmark.task,
        "version": card.version,
        "source": card.source,
        "hash of the questions": benchmark.hash[:16],
        "hash of the gold": benchmark.gold[:16] or "(no gold)",
    }
    rows = [f"| {name} | {_cell(value)} |" for name, value in facts.items() if value]
    return "| | |\n|---|---|\n" + "\n".join(rows) + "\n"


def _counts(benchmark: Benchmark) -> str:
    """Items, phrases, candidates, pictures and captions, language by language."""
    head = "| language | items | phrases | idiomatic | literal | candidates | pictures | captions |"
    lines = [head, "|---" * 8 + "|"]
    for language in sorted({item.language for item in benchmark.items}):
        items = [item for item in benchmark.items if item.language == language]
        candidates = [c for item in items for c in item.candidates]
        cells = [
            _cell(language),
            len(items),
            len({item.phrase for item in items}),
            *[sum(item.sense == sense for item in items) for sense in Sense],
            len(candidates),
            len({c.image for c in candidates if c.image}),
            sum(bool(c.captions) for c in candidates),
        ]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    roles = Counter(c.role.value for item in benchmark.items for c in item.candidates if c.role)
    listed = ", ".join(f"{role} {n}" for role, n in roles.most_common())
    return "\n".join(lines) + "\n" + (f"\nRoles: {listed}.\n" if listed else "")


def _reading(benchmark: Benchmark) -> str:
    pictures = any(c.image for item in benchmark.items for c in item.candidates)
    return (
        "`items.jsonl` holds one question a line; `candidates.jsonl` the same possible answers "
        "flat, one a line"
        + ("; `images/` the pictures" if pictures else "")
        + ". `croissant.json` describes both for other tools; `manifest.sha256` checks the files.\n"
        "\n```python\nimport trope\n\nbenchmark = trope.load('FOLDER')\n```\n"
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
