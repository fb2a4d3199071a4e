"""The languages of XMPIE and AdMIRe 2.0: their codes, and how files and papers call them.

Codes are BCP-47; an address writes them in small letters (`xmpie/pt-br`). Nothing is read here.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import msgspec

from trope.errors import InputError, many, unknown
from trope.item import Benchmark, Candidate, Item

# XMPIE, section 4: its 34 language variants, and English, from which they were made. After the
# English name come the spellings of its table 4 and of AdMIRe 2.0's files.
LANGUAGES: dict[str, tuple[str, ...]] = {
    "en": ("English",),
    "rup": ("Aromanian",),
    "az": ("Azerbaijani", "Azeri"),
    "bg": ("Bulgarian",),
    "ca": ("Catalan",),
    "zh": ("Chinese", "CN"),
    "da": ("Danish",),
    "fa": ("Farsi", "Persian"),
    "ka": ("Georgian",),
    "el": ("Greek", "GR"),
    "he": ("Hebrew",),
    "hu": ("Hungarian",),
    "ig": ("Igbo",),
    "id": ("Indonesian",),
    "it": ("Italian",),
    "jv": ("Javanese",),
    "kk": ("Kazakh", "KZ"),
    "lv": ("Latvian",),
    "lt": ("Lithuanian",),
    "lb": ("Luxembourgish",),
    "mk": ("Macedonian",),
    "no": ("Norwegian", "NB"),
    "pt-BR": ("Brazilian Portuguese", "Portuguese Brazil", "Portuguese BR", "BP", "BR"),
    "pt-PT": ("European Portuguese", "Portuguese Portugal", "Portuguese PT", "PT"),
    "ru": ("Russian",),
    "sr": ("Serbian",),
    "sk": ("Slovak",),
    "sl": ("Slovenian", "Slovene"),
    "es-EC": ("Ecuadorian Spanish", "Spanish Ecuador", "EC"),
    "es-ES": ("European Spanish", "Spanish Spain", "Spanish", "ES"),
    "sw": ("Swahili",),
    "tr": ("Turkish",),
    "uk": ("Ukrainian", "UA"),
    "ur": ("Urdu",),
    "uz": ("Uzbek",),
}


def _folded(text: str) -> str:
    """One spelling: small letters, words in order, no marks between them."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(sorted(re.findall(r"[a-z]+", plain)))


_CODES = {
    _folded(spelling): code for code, names in LANGUAGES.items() for spelling in (code, *names)
}


def code(text: str) -> str | None:
    """The code of a language, however it is spelled.

    >>> code("Turkish"), code("PT-BR"), code("Portuguese-Brazil"), code("Klingon")
    ('tr', 'pt-BR', 'pt-BR', None)
    """
    return _CODES.get(_folded(text))


def asked(family: str, name: str) -> list[str]:
    """The languages of an address: `xmpie/tr`, `xmpie/tr+zh`; none for `xmpie/all`."""
    _, _, rest = name.partition("/")
    if rest == "all":
        return []
    found = []
    for part in rest.split("+"):
        known = code(part)
        if known is None or not part:
            names = [f"{family}/{own.lower()}" for own in LANGUAGES]
            raise unknown("benchmark", name, names, advice=f"Write {family}/tr or {family}/all.")
        found.append(known)
    return list(dict.fromkeys(found))


def chosen(tables: dict[str, Path], wanted: list[str], family: str, below: Path) -> dict[str, Path]:
    """The tables of the languages asked for, all of them where none is named."""
    if not tables:
        raise InputError(
            f"There is no table of {family} below {below}; `trope benchmarks` says what its files "
            "are called."
        )
    absent = [language for language in wanted if language not in tables]
    if absent:
        raise InputError(
            f"{family} has no table for {many(absent)} below {below}; it has "
            f"{many(sorted(tables), most=40)}."
        )
    return {language: tables[language] for language in wanted or sorted(tables)}


def find_tables(files: Iterable[Path], pattern: re.Pattern[str]) -> dict[str, Path]:
    """Language to file, by the part of the file's name that the pattern's group takes."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in files:
        hit = pattern.fullmatch(path.name.lower())
        language = code(hit[1]) if hit else None
        if language is not None:
            found[language].append(path)
    for language, paths in found.items():
        if len({path.read_bytes() for path in paths}) > 1:
            raise InputError(
                f"There are several different tables for {language}: {many(paths)}; point --data "
                "at one of their folders."
            )
    return {language: min(paths, key=str) for language, paths in found.items()}


def together(parts: list[Benchmark], name: str, below: Path) -> Benchmark:
    """Several languages as one benchmark; an item's id then begins with its language."""
    if len(parts) == 1:
        return msgspec.structs.replace(parts[0], name=name)
    items = tuple(_moved(item, part, below) for part in parts for item in part.items)
    card = msgspec.structs.replace(
        parts[0].card,
        languages=tuple(language for part in parts for language in part.card.languages),
    )
    return Benchmark(
        name=name,
        task=parts[0].task,
        items=items,
        card=card,
        root=below,
        notes=tuple(note for part in parts for note in part.notes),
    )


def _moved(item: Item, part: Benchmark, below: Path) -> Item:
    """The item with its pictures' paths from the common folder."""
    inside = part.root.relative_to(below) if part.root else Path()

    def moved(candidate: Candidate) -> Candidate:
        if candidate.image is None:
            return candidate
        return msgspec.structs.replace(candidate, image=(inside / candidate.image).as_posix())

    return msgspec.structs.replace(
        item,
        id=f"{item.language}/{item.id}",
        candidates=tuple(moved(candidate) for candidate in item.candidates),
    )
