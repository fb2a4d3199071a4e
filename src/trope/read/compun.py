"""Compun (Kumar and others, 2024): is it the compound noun's picture, or one of its nouns'?

`Compun.csv` lists 400 compound nouns. The pictures come in an archive of their own, three a noun,
and are found below the data folder by name: `snow ball.jpg` shows the compound noun (role
positive), `snow ball_n1.jpg` and `snow ball_n2.jpg` its first and second noun (role constituent).
A folder of that name with one picture in it will do as well. Without the archive the nouns load
all the same, and a note says what is absent; nouns of which a picture is absent are left out and
counted once there are any pictures.

The paper's measure is strict: the right picture must beat both others (`strict`). `?pool=all`
makes every picture of the benchmark a candidate for every noun (section 6).

`?label=either|both|none` keeps the nouns whose picture shows either, both or none of their nouns.
The authors published the counts (199, 106 and 95) and not the labels: give them in a `labels.csv`
with the columns `Compound Noun` and `label`, beside `Compun.csv`.

For prompts: `Item.extra["nouns"]` has the nouns of a compound written as one word ("rain coat"),
which `--prompt reversed` needs; the splits are trope's. `--prompt photo` is the paper's base
prompt, and `--prompt 'examples:FILE?first=N'` its N example captions (table 2).
"""

from __future__ import annotations

import hashlib
import os
import unicodedata
from pathlib import Path

from trope.address import Address
from trope.errors import InputError, many, shown, unknown
from trope.item import Benchmark, Candidate, Card, Item, Role
from trope.read import READERS, check_data_folder
from trope.read.find import find_file
from trope.read.pictures import SUFFIXES
from trope.read.table import Row, read_rows

TABLE = "Compun.csv"
NOUN = "Compound Noun"
LABELS = ("either", "both", "none")
PARTS = {"": Role.positive, "_n1": Role.constituent, "_n2": Role.constituent}
CARD = Card(
    title="Compun: compound nouns",
    licence="CC BY-NC 4.0",
    citation="Kumar, Ghosh, Sakshi, Tyagi and Manocha (2024), Do Vision-Language Models "
    "Understand Compound Nouns?, NAACL 2024",
    source="https://github.com/sonalkum/Compun",
    languages=("en",),
)
# Where the compounds that are written as one word come apart.
SPLITS = """rain|coat fire|fly wind|shield duck|pin sky|scraper sugar|cane lady|bug rattle|snake
green|house piggy|bank hand|cuff drum|stick car|pet head|light rail|road arm|chair court|yard
bill|board eye|ball waste|basket egg|shell house|boat horse|fly head|band snow|ball space|ship
sun|fish shoe|lace wheel|chair sun|flower chalk|board horse|shoe earth|worm cup|cake gun|powder
key|hole neck|lace glass|house sand|paper fruit|cake bird|house street|light fish|bowl cat|fish
cross|bow foot|ball book|store lip|stick skate|board fore|hand yard|stick shell|fish bank|book
fire|arm head|line wrist|watch candle|stick butter|cup snow|bird river|bank fruit|cup book|shelf
ear|wig tooth|brush tail|bone street|car hair|band head|dress ball|park dish|washer tumble|weed
honey|comb pen|knife drug|store honey|bee jelly|fish fire|wood camp|fire key|board pea|nut
hand|shake head|lamp straw|berry egg|plant wall|paper butter|fly letter|head dust|pan water|color
ear|drum motor|cycle fire|man hand|bag wood|shop sauce|pan bed|room tooth|paste sea|horse wire|tap
bed|sheet foot|note pony|tail finger|print table|spoon duck|bill star|fish tea|pot bank|note
cow|boy knee|cap sea|food head|phone door|bell bulls|eye arrow|head suit|case pine|cone
pocket|knife tail|coat paste|board clothes|horse water|shed wall|flower dog|wood silk|worm
cup|board pin|wheel eye|lid grass|hopper water|spout gum|ball moon|stone wheel|house cat|tail
foot|print skull|cap thunder|head jelly|bean ear|buds mail|box eye|glasses sun|spot tea|spoon
fish|tail finger|nail cart|wheel water|wheel sea|weed pig|tail court|house water|melon bull|dog
bar|man back|bone pan|cake tape|worm ear|phone horn|bill sea|shell gold|fish flood|light
sword|fish farm|house flag|pole fish|hook clothes|line ear|ring grave|yard tooth|pick toad|stool
cave|man paper|back soap|stone waist|coat rain|bow light|house"""
_SPLIT = {pair.replace("|", ""): pair.replace("|", " ") for pair in SPLITS.split()}


def read(address: Address, data: Path | None, gold: Path | None) -> Benchmark:
    """The 400 nouns, with their pictures where they are."""
    if gold is not None:
        raise InputError("--gold goes with AdMIRe's splits; Compun's pictures are its gold.")
    if address.name.lower() != "compun":
        raise unknown("benchmark", address.name, ["compun"])
    options = address.take({"captions": "", **READERS["compun"].options})
    if options["pool"] not in ("own", "all"):
        raise InputError(f"In {shown(address.text)}, pool is own or all.")
    below = check_data_folder(data, "compun")
    table = find_file(below, TABLE, what="Compun's files")
    rows = read_rows(table, need=(NOUN,), tabs=False)
    _check(rows, table)
    root = table.parent
    pictures = _Pictures(root, [row[NOUN].strip() for row in rows])
    labels = _labels(root / "labels.csv", rows)
    items = [_item(row[NOUN].strip(), n, pictures, labels) for n, row in enumerate(rows)]
    kept, notes = _whole(items, pictures)
    if options["label"]:
        kept = _labelled(kept, options["label"], root, known=bool(labels))
    if options["pool"] == "all":
        kept = _pooled(kept)
    query = "&".join(
        f"{k}={v}" for k, v in options.items() if k != "captions" and v not in ("", "own")
    )
    return Benchmark(
        name=f"compun{'?' + query if query else ''}",
        task="choice",
        items=tuple(kept),
        card=CARD,
        root=root,
        notes=tuple(notes),
    )


def _check(rows: list[Row], table: Path) -> None:
    if not rows:
        raise InputError(f"{table} holds no noun.")
    first: dict[str, int] = {}
    for row in rows:
        noun = _spelling(row[NOUN])
        if not noun:
            raise row.wrong(f"{NOUN} is empty.")
        if noun in first:
            raise row.wrong(f"{shown(row[NOUN])} stands on line {first[noun]} already.")
        first[noun] = row.line


def _spelling(name: str) -> str:
    """One spelling for a noun and its file: case, accents' form and separators don't matter."""
    folded = unicodedata.normalize("NFC", name).casefold().replace("_", " ").replace("-", " ")
    return " ".join(folded.split())


# -- pictures --------------------------------------------------------------------------------------


class _Pictures:
    """The picture files below a folder, by noun and part."""

    def __init__(self, root: Path, nouns: list[str]) -> None:
        self.root = root
        wanted = {_spelling(noun + part) for noun in nouns for part in PARTS}
        self.found: dict[str, Path] = {}
        for folder, folders, files in os.walk(root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for file in sorted(files):
                path = Path(folder, file)
                if path.suffix.lower() in SUFFIXES:
                    self._shelve(path, wanted)

    def _shelve(self, path: Path, wanted: set[str]) -> None:
        """By the file's own name, else by its folder's."""
        names = [_spelling(path.stem), _spelling(path.parent.name)]
        name = next((name for name in names if name in wanted), None)
        if name is None:
            return
        if name in self.found:
            raise InputError(
                f"Two pictures could be {shown(name)}: {many([self.found[name], path])}; keep one."
            )
        self.found[name] = path

    def find(self, name: str) -> str | None:
        """The picture's path relative to the root; None where it is absent."""
        path = self.found.get(_spelling(name))
        return path.relative_to(self.root).as_posix() if path else None


def _whole(items: list[Item], pictures: _Pictures) -> tuple[list[Item], list[str]]:
    """Without any picture all nouns; else those that have all three."""
    if not pictures.found:
        return items, [
            f"{len(items)} nouns and no picture: unpack Compun's archive of pictures below "
            f"{pictures.root}"
        ]
    kept = [item for item in items if all(c.image for c in item.candidates)]
    if not kept:
        raise InputError(
            f"Below {pictures.root} no noun has its three pictures, such as 'snow ball.jpg', "
            "'snow ball_n1.jpg' and 'snow ball_n2.jpg'."
        )
    gone = len(items) - len(kept)
    return kept, [f"{gone} of {len(items)} nouns lack a picture and are left out"] if gone else []


# -- items -----------------------------------------------------------------------------------------


def _item(noun: str, number: int, pictures: _Pictures, labels: dict[str, str]) -> Item:
    candidates = [
        Candidate(
            id=f"{noun}{part}",
            role=role,
            gain=float(role is Role.positive),
            image=pictures.find(noun + part),
        )
        for part, role in PARTS.items()
    ]
    name = f"compun-{number:03d}"
    extra = {"nouns": _SPLIT[noun.lower()]} if noun.lower() in _SPLIT else {}
    if _spelling(noun) in labels:
        extra["label"] = labels[_spelling(noun)]
    return Item(
        id=name,
        phrase=noun,
        language="en",
        candidates=tuple(sorted(candidates, key=lambda c: _number(name, c.id))),
        kind="compound",
        extra=extra,
    )


def _number(*parts: str) -> bytes:
    """For an order that says nothing about the answer, and is the same everywhere."""
    return hashlib.sha256("\0".join(parts).encode()).digest()


def _pooled(items: list[Item]) -> list[Item]:
    """Every picture a candidate for every noun; the others' have the role negative."""
    pool = {
        c.id: Candidate(id=c.id, role=Role.negative, gain=0.0, image=c.image)
        for item in items
        for c in item.candidates
    }
    order = sorted(pool, key=lambda name: _number("pool", name))
    place = {name: n for n, name in enumerate(order)}
    shared = [pool[name] for name in order]
    made = []
    for item in items:
        candidates = shared.copy()
        for own in item.candidates:
            candidates[place[own.id]] = own
        made.append(
            Item(
                id=item.id,
                phrase=item.phrase,
                language=item.language,
                candidates=tuple(candidates),
                kind=item.kind,
                extra=item.extra,
            )
        )
    return made


# -- labels ----------------------------------------------------------------------------------------


def _labels(path: Path, rows: list[Row]) -> dict[str, str]:
    """Noun -> either, both or none; empty where there is no file."""
    if not path.is_file():
        return {}
    nouns = {_spelling(row[NOUN]) for row in rows}
    labels: dict[str, str] = {}
    for row in read_rows(path, need=(NOUN, "label"), tabs=False):
        noun, label = _spelling(row[NOUN]), row["label"].strip().lower()
        if noun not in nouns:
            raise row.wrong(f"{shown(row[NOUN])} isn't in {TABLE}.")
        if label not in LABELS:
            raise row.wrong(f"label is {', '.join(LABELS)}, not {shown(row['label'])}.")
        if labels.setdefault(noun, label) != label:
            raise row.wrong(f"{shown(row[NOUN])} has another label above.")
    return labels


def _labelled(items: list[Item], label: str, root: Path, *, known: bool) -> list[Item]:
    if label not in LABELS:
        raise unknown("label", label, LABELS)
    if not known:
        raise InputError(
            f"There is no {root / 'labels.csv'} to take labels from; it has the columns "
            f"'{NOUN}' and 'label' ({', '.join(LABELS)})."
        )
    kept = [item for item in items if item.extra.get("label") == label]
    if not kept:
        raise InputError(f"No noun in {root / 'labels.csv'} has the label {shown(label)}.")
    return kept
