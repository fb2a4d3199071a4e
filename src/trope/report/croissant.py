"""A benchmark folder described in Croissant (JSON-LD), so that other tools can load it.

Two record sets: the items, straight from items.jsonl, and the candidates, from the flat
candidates.jsonl that is written beside it. Croissant 1.0, checked with mlcroissant in the tests;
mlcroissant isn't needed to write it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from trope.hashes import file_hash
from trope.item import Benchmark
from trope.read.folder import ITEMS

CANDIDATES = "candidates.jsonl"
FILE = "croissant.json"
CONFORMS = "http://mlcommons.org/croissant/1.0"

# The vocabulary of Croissant 1.0, as its specification's appendix lists it.
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{
        name: f"cr:{name}"
        for name in (
            "citeAs column equivalentProperty extract field fileObject fileProperty fileSet "
            "format includes isLiveDataset jsonPath key md5 parentField path recordSet "
            "references regex repeated replace samplingRate separator source subField transform"
        ).split()
    },
}

ITEM_FIELDS = {
    "id": "Unique name of the item.",
    "phrase": "The expression that is asked about.",
    "language": "BCP-47 code of the phrase's language.",
    "kind": "idiom, compound, metaphor or simile.",
    "sense": "The sense in which the phrase is used: idiomatic or literal.",
    "sentence": "The sentence the phrase stands in.",
    "split": "train, dev or test.",
}
CANDIDATE_FIELDS = {
    "item": ("sc:Text", "The item this candidate belongs to."),
    "candidate": ("sc:Text", "Name of the candidate, unique within its item."),
    "role": ("sc:Text", "What the candidate is to the phrase; empty where unknown."),
    "gain": ("sc:Float", "Graded relevance for this item; empty without gold."),
    "image": ("sc:Text", "Path of the picture within the folder; empty where there is none."),
    "caption": ("sc:Text", "The caption in the item's language, or in another."),
}


def candidate_rows(benchmark: Benchmark) -> bytes:
    """candidates.jsonl: one flat object a candidate."""
    encode = msgspec.json.Encoder().encode
    rows = (
        {
            "item": item.id,
            "candidate": candidate.id,
            "role": candidate.role.value if candidate.role else "",
            "gain": candidate.gain,
            "image": candidate.image or "",
            "caption": item.caption(candidate) or "",
        }
        for item in benchmark.items
        for candidate in item.candidates
    )
    return b"".join(encode(row) + b"\n" for row in rows)


def croissant(benchmark: Benchmark, folder: Path) -> dict[str, Any]:
    """The description of a folder that holds items.jsonl and candidates.jsonl already."""
    card = benchmark.card
    about: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS,
        "name": re.sub(r"[^\w-]+", "-", benchmark.name).strip("-"),
        "description": _description(benchmark),
        "version": card.version or "1.0.0",
        "license": card.licence or "not stated",
        "url": card.source or "not stated",
        "distribution": _distribution(benchmark, folder),
        "recordSet": [_items(benchmark), _candidates(benchmark)],
    }
    if card.citation:
        about["citeAs"] = card.citation
    if card.languages:
        about["inLanguage"] = list(card.languages)
    return about


def _description(benchmark: Benchmark) -> str:
    phrases = len({(item.language, item.phrase) for item in benchmark.items})
    title = benchmark.card.title or benchmark.name
    return (
        f"{title}. A benchmark of figurative language: {len(benchmark.items)} items on {phrases} "
        f"phrases; the task is {benchmark.task}."
    )


def _distribution(benchmark: Benchmark, folder: Path) -> list[dict[str, Any]]:
    files: list[dict[str, Any]] = [
        {
            "@type": "cr:FileObject",
            "@id": name,
            "name": name,
            "contentUrl": name,
            "encodingFormat": "application/jsonlines",
            "sha256": file_hash(folder / name),
        }
        for name in (ITEMS, CANDIDATES)
    ]
    if any(c.image for item in benchmark.items for c in item.candidates):
        files.append(
            {
                "@type": "cr:FileSet",
                "@id": "images",
                "name": "images",
                "description": "The pictures; a candidate's image is a path to one of them.",
                "encodingFormat": "image/*",
                "includes": "images/**/*",
            }
        )
    return files


def _field(of: str, name: str, file: str, kind: str, about: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{of}/{name}",
        "name": name,
        "description": about,
        "dataType": kind,
        "source": {"fileObject": {"@id": file}, "extract": {"column": name}},
    }


def _items(benchmark: Benchmark) -> dict[str, Any]:
    """Only the fields that some item has: items.jsonl leaves out what is empty."""
    there = [n for n in ITEM_FIELDS if any(getattr(item, n) for item in benchmark.items)]
    return {
        "@type": "cr:RecordSet",
        "@id": "items",
        "name": "items",
        "description": "One record a question.",
        "key": {"@id": "items/id"},
        "field": [_field("items", n, ITEMS, "sc:Text", ITEM_FIELDS[n]) for n in there],
    }


def _candidates(benchmark: Benchmark) -> dict[str, Any]:
    fields = [
        _field("candidates", name, CANDIDATES, kind, about)
        for name, (kind, about) in CANDIDATE_FIELDS.items()
        if name != "gain" or benchmark.labelled
    ]
    return {
        "@type": "cr:RecordSet",
        "@id": "candidates",
        "name": "candidates",
        "description": "One record a possible answer.",
        "key": [{"@id": "candidates/item"}, {"@id": "candidates/candidate"}],
        "field": fields,
    }
