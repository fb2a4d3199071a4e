"""A folder of class folders: zero-shot classification, Compun's second experiment (table 3).

`trope run classes --data FOLDER`: each folder in FOLDER is a class, its name the class's name
(`_` is a space), its pictures the class's pictures. A `classes.csv` in FOLDER with the columns
`folder` and `name` gives better names, such as ImageNet's.

A scorer compares texts with pictures, so an item here is a class, its phrase the class's name,
and every picture of FOLDER is a candidate of every item. That is the classifier's whole table of
scores, turned on its side: `accuracy` reads it by picture (which class scores highest?), and the
measures of ranking read it by class (do the class's pictures come first?). It needs scores that
mean the same from one text to the next, as cosines and probabilities do; an order of pictures
within each class says nothing of the classes. Templates, descriptors and example captions are
prompts: `--prompt photo`, `--prompt descriptors:FILE`, `--prompt examples:FILE`.
"""

from __future__ import annotations

from pathlib import Path

from trope.address import Address
from trope.errors import InputError, many, shown, unknown
from trope.item import Benchmark, Candidate, Card, Item, Role
from trope.read import check_data_folder
from trope.read.pictures import SUFFIXES
from trope.read.table import read_rows

NAMES = "classes.csv"
MOST = 50_000_000
"""Scores (classes times pictures) in one table; beyond it, memory is not to be trusted."""


def read(address: Address, data: Path | None, gold: Path | None) -> Benchmark:
    """One item a class, every picture a candidate."""
    if gold is not None:
        raise InputError("--gold goes with AdMIRe's splits; here the folders are the gold.")
    if address.name.lower() != "classes":
        raise unknown("benchmark", address.name, ["classes"])
    root = check_data_folder(data, "classes")
    if not root.is_dir():
        raise InputError(f"{shown(root, most=200)} is a file; give the folder of class folders.")
    found = _folders(root)
    names = _names(root, list(found))
    if len(found) * sum(map(len, found.values())) > MOST:
        raise InputError(f"{root} makes more than {MOST:,} scores; split it into smaller folders.")
    where = {picture: folder for folder, pictures in found.items() for picture in pictures}
    negative = {p: Candidate(id=p, role=Role.negative, gain=0.0, image=p) for p in sorted(where)}
    items = tuple(_item(folder, names[folder], found[folder], negative) for folder in found)
    return Benchmark(
        name="classes",
        task="classes",
        items=items,
        card=Card(title=f"Class folders in {root.resolve().name}"),
        root=root,
    )


def _folders(root: Path) -> dict[str, list[str]]:
    """Folder -> its pictures, relative to the root; empty folders are no classes."""
    found: dict[str, list[str]] = {}
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        if folder.name.startswith("."):
            continue
        pictures = [
            path.relative_to(root).as_posix()
            for path in sorted(folder.rglob("*"))
            if path.suffix.lower() in SUFFIXES and path.is_file()
        ]
        if pictures:
            found[folder.name] = pictures
    if len(found) < 2:
        raise InputError(
            f"{shown(root, most=200)} holds {len(found)} folders with pictures; classification "
            "needs two or more, one a class."
        )
    return found


def _names(root: Path, folders: list[str]) -> dict[str, str]:
    """What each class is called."""
    names = {folder: folder.replace("_", " ").strip() for folder in folders}
    path = root / NAMES
    if path.is_file():
        for row in read_rows(path, need=("folder", "name"), tabs=False):
            if row["folder"] in names:
                names[row["folder"]] = row["name"].strip()
    empty = [folder for folder, name in names.items() if not name]
    if empty:
        raise InputError(f"{path}: no name for {many(empty)}.")
    return names


def _item(folder: str, name: str, own: list[str], negative: dict[str, Candidate]) -> Item:
    candidates = dict(negative)
    for picture in own:
        candidates[picture] = Candidate(id=picture, role=Role.positive, gain=1.0, image=picture)
    return Item(id=folder, phrase=name, language="en", candidates=tuple(candidates.values()))
