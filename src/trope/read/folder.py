"""trope's own format: `benchmark.json`, `items.jsonl`, `images/` and a sha256 manifest.

Readable by eye and checkable by `sha256sum -c manifest.sha256`. What is written here is read back
equal; a folder made by hand needs no manifest, but one that has a manifest must agree with it.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import msgspec

from trope import atomic
from trope.address import Address
from trope.errors import InputError, many, shown, unknown
from trope.hashes import file_hash
from trope.item import Benchmark, Candidate, Card, Item
from trope.read.picture import check_picture
from trope.read.table import read_text

FORMAT = 1
SAMPLE = Path(__file__).parent.parent / "sample"
MANIFEST = "manifest.sha256"


class _Head(msgspec.Struct, forbid_unknown_fields=True):
    """benchmark.json"""

    format: int
    name: str
    task: str
    card: Card = Card()


def read(address: Address, data: Path | None, gold: Path | None) -> Benchmark:
    """A folder by its path, or the sample (`sample`, `sample/en`)."""
    if gold is not None:
        raise InputError("--gold goes with AdMIRe's splits; a folder holds its own gold.")
    name, _, language = address.name.partition("/")
    if name == "sample" and not Path(address.name).exists():
        return _in_language(read_folder(SAMPLE), language) if language else read_folder(SAMPLE)
    return read_folder(Path(address.name).expanduser())


def _in_language(benchmark: Benchmark, language: str) -> Benchmark:
    items = tuple(item for item in benchmark.items if item.language == language)
    if not items:
        known = sorted({f"{benchmark.name}/{item.language}" for item in benchmark.items})
        raise unknown("benchmark", f"{benchmark.name}/{language}", known)
    return msgspec.structs.replace(benchmark, name=f"{benchmark.name}/{language}", items=items)


def read_folder(folder: Path) -> Benchmark:
    """Read a benchmark folder, manifest and pictures checked."""
    if not folder.is_dir():
        raise InputError(f"There is no benchmark folder {shown(folder, most=200)}.")
    if not (folder / "benchmark.json").exists():
        raise InputError(
            f"{shown(folder, most=200)} has no benchmark.json, so it isn't a benchmark folder; "
            "for a published benchmark give its name, and the folder with --data."
        )
    _check_manifest(folder)
    head = _decode_head(folder / "benchmark.json")
    items = tuple(_decode_items(folder / "items.jsonl"))
    _check_items(items, folder)
    return Benchmark(name=head.name, task=head.task, items=items, card=head.card, root=folder)


def _decode_head(path: Path) -> _Head:
    try:
        head = msgspec.json.decode(read_text(path), type=_Head)
    except msgspec.MsgspecError as error:
        raise InputError(f"{path}: {error}.") from None
    if head.format != FORMAT:
        raise InputError(f"{path}: format {head.format}; this trope reads format {FORMAT}.")
    if not head.name.strip() or not head.task.strip():
        raise InputError(f"{path}: name and task must not be empty.")
    return head


def _decode_items(path: Path) -> Iterator[Item]:
    decode = msgspec.json.Decoder(Item).decode
    line = 0
    for line, text in enumerate(read_text(path).split("\n"), 1):
        if not text.strip():
            continue
        try:
            yield decode(text)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise InputError(f"{path}, line {line}: {error}.") from None


def _check_items(items: tuple[Item, ...], folder: Path) -> None:
    source = folder / "items.jsonl"
    if not items:
        raise InputError(f"{source} holds no item.")
    twice = [name for name, n in Counter(item.id for item in items).items() if n > 1]
    if twice:
        raise InputError(f"{source}: the item id {many(twice)} stands more than once.")
    checked: set[str] = set()
    for line, item in enumerate(items, 1):
        where = f"{source}, item {line} ({shown(item.id)})"
        if not item.candidates:
            raise InputError(f"{where} has no candidates.")
        ids = [candidate.id for candidate in item.candidates]
        if len(set(ids)) != len(ids):
            raise InputError(f"{where} lists a candidate twice: {many(ids, most=5)}.")
        for candidate in (*item.candidates, *item.sequence):
            if candidate.image is not None and candidate.image not in checked:
                checked.add(candidate.image)
                _check_image(candidate, folder, where)


def _check_image(candidate: Candidate, folder: Path, where: str) -> None:
    name = PurePosixPath(candidate.image or "")
    if name.is_absolute() or ".." in name.parts or "\\" in str(name) or "\0" in str(name):
        raise InputError(f"{where}: the picture {shown(name)} must lie inside the folder.")
    path = folder / name
    if not path.is_file():
        raise InputError(f"{where}: the picture {shown(path, most=200)} is absent; put it there.")
    check_picture(path, where=f"{where}: ")


# -- manifest ------------------------------------------------------------------------------------


def _files(folder: Path) -> list[str]:
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return sorted(name for name in names if name != MANIFEST)


def manifest(folder: Path) -> str:
    """The manifest's text, as `sha256sum` writes it."""
    return "".join(f"{file_hash(folder / name)}  {name}\n" for name in _files(folder))


def _check_manifest(folder: Path) -> None:
    path = folder / MANIFEST
    if not path.exists():
        return
    for line, text in enumerate(read_text(path).splitlines(), 1):
        wanted, _, name = text.partition("  ")
        if len(wanted) != 64 or not name or ".." in PurePosixPath(name).parts or name[0] == "/":
            raise InputError(f"{path}, line {line}: expected '<sha256>  <file>'.")
        if not (folder / name).is_file():
            raise InputError(f"{folder / name} is absent, but {MANIFEST} lists it (line {line}).")
        if file_hash(folder / name) != wanted:
            raise InputError(
                f"{folder / name} isn't the file that {MANIFEST} lists (line {line}): it was "
                f"changed or damaged; restore it, or delete {MANIFEST} if you meant to change it."
            )


# -- writing -------------------------------------------------------------------------------------


def write_folder(benchmark: Benchmark, folder: Path) -> None:
    """Write a benchmark with its pictures; what `read_folder` gives back is equal to it."""
    if folder.exists() and not (folder / "benchmark.json").exists() and any(folder.iterdir()):
        raise InputError(f"{folder} holds something else; choose a new folder.")
    with atomic.folder(folder) as draft:
        (draft / "images").mkdir()
        items = [_with_images(item, benchmark, draft) for item in benchmark.items]
        head = {
            "format": FORMAT,
            "name": benchmark.name,
            "task": benchmark.task,
            "card": msgspec.to_builtins(benchmark.card),
        }
        text = json.dumps(head, indent=2, ensure_ascii=False)
        (draft / "benchmark.json").write_text(text + "\n", encoding="utf-8")
        encode = msgspec.json.Encoder().encode
        (draft / "items.jsonl").write_bytes(b"".join(encode(item) + b"\n" for item in items))
        (draft / MANIFEST).write_text(manifest(draft), encoding="utf-8")


def _with_images(item: Item, benchmark: Benchmark, draft: Path) -> Item:
    """The item with its pictures copied into `draft`, each where it was or under images/."""

    def copied(candidate: Candidate) -> Candidate:
        source = benchmark.picture(candidate)
        if source is None or candidate.image is None:
            return candidate
        inside = candidate.image.startswith("images/")
        name = candidate.image if inside else f"images/{candidate.image}"
        place = draft / name
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, place)
        return msgspec.structs.replace(candidate, image=name)

    return msgspec.structs.replace(
        item,
        candidates=tuple(copied(c) for c in item.candidates),
        sequence=tuple(copied(c) for c in item.sequence),
    )
