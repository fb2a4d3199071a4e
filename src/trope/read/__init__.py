"""Published files in, a `Benchmark` out. One file a format; no model, no measure.

`load` finds the reader by the address: `sample`, `admire-a/en/train`, or a folder of one's own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import msgspec

from trope.address import Address, parse
from trope.errors import InputError, UnknownName, shown, unknown
from trope.item import Benchmark, Candidate, Item


class Reader(NamedTuple):
    """One benchmark family: who reads it and how it is asked for."""

    module: str
    forms: str
    about: str
    needs_data: bool = True
    options: dict[str, str] = {}  # noqa: RUF012
    """What may stand after the `?`, with its default."""


# To add a benchmark: one file with `read(address, data, gold)`, and one line here.
READERS: dict[str, Reader] = {
    "sample": Reader(
        "trope.read.folder",
        "sample, sample/LANG",
        "phrases drawn for trope, inside the package",
        needs_data=False,
    ),
    "admire-a": Reader(
        "trope.read.admire",
        "admire-a/{en,pt}/{train,dev,test,xe,xp}",
        "AdMIRe A: rank five pictures or captions",
    ),
    "admire2": Reader(
        "trope.read.admire2",
        "admire2/{zh,tr,el,pt-br,ru,sl,..}, admire2/tr+zh, admire2/all",
        "AdMIRe 2.0: rank five pictures or captions, many languages (submission_Turkish.tsv)",
    ),
    "xmpie": Reader(
        "trope.read.xmpie",
        "xmpie/{tr,zh,pt-br,..}, xmpie/all, xmpie/tr?setting={sentence,expression}",
        "XMPIE: five standard slots in 34 languages (xmpie_tr.tsv)",
        options={"setting": ""},
    ),
    "admire-b": Reader(
        "trope.read.admire",
        "admire-b/en/{train,dev,test,xe}",
        "AdMIRe B: complete a sequence of three",
    ),
    "irfl-detection": Reader(
        "trope.read.irfl",
        "irfl-detection/{idiom,metaphor,simile}?type=figurative+literal&form=open",
        "IRFL: choose the figurative picture among four",
        options={"type": "", "form": "closed", "lost": "leave"},
    ),
    "irfl-random": Reader(
        "trope.read.irfl",
        "irfl-random/{idiom,metaphor,simile}?candidates=4&seed=0",
        "IRFL: the same answers among pictures of other phrases",
        options={"type": "", "form": "closed", "lost": "leave", "candidates": "4", "seed": "0"},
    ),
    "irfl-retrieval": Reader(
        "trope.read.irfl",
        "irfl-retrieval/{idiom,metaphor,simile}?form=open",
        "IRFL: rank figurative pictures above partly literal ones",
        options={"type": "", "form": "closed", "lost": "leave"},
    ),
    "compun": Reader(
        "trope.read.compun",
        "compun, compun?pool=all, compun?label={either,both,none}",
        "Compun: the compound noun's picture against its nouns'",
        options={"pool": "own", "label": ""},
    ),
    "classes": Reader(
        "trope.read.classes",
        "classes",
        "zero-shot classification: --data is a folder of class folders",
    ),
    "metaclue-classification": Reader(
        "trope.read.metaclue",
        "metaclue-classification",
        "MetaCLUE: is the picture a metaphor? (metaclue.jsonl, docs/FORMAT.md)",
        options={"split": ""},
    ),
    "metaclue-retrieval": Reader(
        "trope.read.metaclue",
        "metaclue-retrieval?k=50&negatives=random|primary|secondary|primary+relation|..&seed=0",
        "MetaCLUE: find a picture's statement, 'X is as R as Y', among k",
        options={"split": "", "k": "50", "negatives": "random", "seed": "0"},
    ),
    "metaclue-vqa": Reader(
        "trope.read.metaclue",
        "metaclue-vqa",
        "MetaCLUE: six questions a statement, answered in words (trope score)",
        options={"split": ""},
    ),
    "metaclue-localisation": Reader(
        "trope.read.metaclue",
        "metaclue-localisation",
        "MetaCLUE: where the concepts are, answered with boxes (trope score)",
        options={"split": ""},
    ),
    "haivmet": Reader(
        "trope.read.haivmet",
        "haivmet",
        "HAIVMet: five pictures of a metaphor, ranked by three people",
    ),
}


def load(
    address: str | Path,
    *,
    data: str | Path | None = None,
    gold: str | Path | None = None,
    environment: bool = True,
) -> Benchmark:
    """Load a benchmark by its address.

    `data` is the folder below which the published files lie (default: $TROPE_DATA, unless
    `environment` is False); `gold` a targets file for a split published without its answers.

    >>> load("sample").task
    'ranking'
    """
    parsed = parse(str(address), scheme=False)
    family = READERS.get(parsed.name.split("/")[0])
    options = parsed.take({"captions": "", **(family.options if family else {})})
    read = _reader(parsed)
    place = Path(data) if data is not None else _from_environment() if environment else None
    benchmark = read(parsed, place, Path(gold) if gold is not None else None)
    if options["captions"]:
        benchmark = _captions_in(benchmark, options["captions"])
    return benchmark


def _reader(address: Address) -> Callable[[Address, Path | None, Path | None], Benchmark]:
    family = address.name.split("/")[0]
    if family in READERS and not Path(address.name, "benchmark.json").exists():
        module = READERS[family].module
    elif Path(address.name).exists() or address.name.startswith((".", "/", "~")):
        module = "trope.read.folder"
    else:
        raise unknown(
            "benchmark",
            address.name,
            [*READERS, "admire-a/en/train", "admire-a/pt/train", "admire-b/en/train"],
            advice="`trope benchmarks` lists them; a folder of your own is given by its path.",
        )
    read: Callable[[Address, Path | None, Path | None], Benchmark] = import_module(module).read
    return read


def _from_environment() -> Path | None:
    place = os.environ.get("TROPE_DATA")
    return Path(place) if place else None


def _captions_in(benchmark: Benchmark, language: str) -> Benchmark:
    """The same benchmark with its captions in one language only."""
    languages = {lang for item in benchmark.items for c in item.candidates for lang in c.captions}
    if language not in languages:
        raise UnknownName(
            f"{benchmark.name} has no captions in {shown(language)}; it has "
            f"{', '.join(sorted(languages)) or 'no captions at all'}."
        )

    def only(candidate: Candidate) -> Candidate:
        kept = {k: v for k, v in candidate.captions.items() if k == language}
        return msgspec.structs.replace(candidate, captions=kept)

    def narrowed(item: Item) -> Item:
        return msgspec.structs.replace(
            item,
            candidates=tuple(only(c) for c in item.candidates),
            sequence=tuple(only(c) for c in item.sequence),
        )

    return msgspec.structs.replace(
        benchmark,
        name=f"{benchmark.name}?captions={language}",
        items=tuple(narrowed(item) for item in benchmark.items),
    )


def check_data_folder(data: Path | None, what: str) -> Path:
    """The data folder, or a sentence that says how to give it."""
    if data is None:
        raise InputError(
            f"{what} needs its published files: give the folder they were unpacked below with "
            "--data DIR, or set TROPE_DATA."
        )
    if not data.exists():
        raise InputError(f"The data folder {shown(data, most=200)} doesn't exist; check --data.")
    return data
