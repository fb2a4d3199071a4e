"""trope's own format: `benchmark.json`, `items.jsonl`, `images/` and a sha256 manifest.

Readable by eye and checkable by `sha256sum -c manifest.sha256`. What is written here is read back
equal; a folder made by hand needs no manifest, but one that has a manifest must agree with it.
"""

from __future__ import annotations

import json
import shutil
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
ITEMS = "items.jsonl"


class Head(msgspec.Struct, forbid_unknown_fields=True):
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
    try:
        return read_folder(Path(address.name).expanduser())
    except RuntimeError:  # ~nobody
        raise InputError(f"There is no home folder for {shown(address.name)}.") from None


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
    for problem in manifest_problems(folder):
        raise InputError(problem)
    head = decode_head(folder / "benchmark.json")
    items = tuple(stream_items(folder))
    if not items:
        raise InputError(f"{folder / ITEMS} holds no item; write one JSON object a line.")
    return Benchmark(name=head.name, task=head.task, items=items, card=head.card, root=folder)


def stream_items(folder: Path) -> Iterator[Item]:
    """The items of a folder one at a time, each checked; memory doesn't grow with their number
    but for their ids. The manifest isn't looked at."""
    path = folder / ITEMS
    decode = msgspec.json.Decoder(Item).decode
    checks = Checks(folder)
    for line, data in lines(path):
        try:
            item = decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(f"{path}, line {line}: {error}.") from None
        for problem in checks.problems(item):
            raise InputError(f"{path}, line {line} ({shown(item.id)}): {problem}")
        yield item


def decode_head(path: Path) -> Head:
    """benchmark.json, checked."""
    try:
        head = msgspec.json.decode(read_text(path), type=Head)
    except msgspec.MsgspecError as error:
        raise InputError(f"{path}: {error}.") from None
    if head.format != FORMAT:
        raise InputError(f"{path}: format {head.format}; this trope reads format {FORMAT}.")
    if not head.name.strip() or not head.task.strip():
        raise InputError(f"{path}: name and task must not be empty.")
    return head


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that aren't blank, with their numbers, without its BOM."""
    try:
        with path.open("rb") as file:
            for line, data in enumerate(file, 1):
                if line == 1:
                    data = data.removeprefix(b"\xef\xbb\xbf")
                if not data.isspace():
                    yield line, data
    except FileNotFoundError:
        raise InputError(f"There is no file {shown(path, most=200)}; check the path.") from None
    except OSError as error:
        raise InputError(f"Can't read {shown(path, most=200)}: {error}.") from None


class Checks:
    """What can be wrong with an item, given those before it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ids: set[str] = set()
        self._pictures: set[str] = set()

    def problems(self, item: Item) -> Iterator[str]:
        """One sentence for each thing that is wrong."""
        if item.id in self._ids:
            yield "the item id stands more than once; give each item its own."
        self._ids.add(item.id)
        if not item.candidates:
            yield "it has no candidates; list them under candidates."
        if len({candidate.id for candidate in item.candidates}) != len(item.candidates):
            ids = [candidate.id for candidate in item.candidates]
            yield f"it lists a candidate twice: {many(ids, most=5)}."
        for candidate in item.candidates:
            if candidate.image is not None:
                yield from self._picture(candidate.image)
        for candidate in item.sequence:
            if candidate.image is not None:
                yield from self._picture(candidate.image)
        if item.query is not None and item.query.image is not None:
            yield from self._picture(item.query.image)

    def _picture(self, image: str) -> Iterator[str]:
        if image in self._pictures:
            return
        self._pictures.add(image)
        name = PurePosixPath(image)
        if name.is_absolute() or ".." in name.parts or "\\" in image or "\0" in image:
            yield f"the picture {shown(image)} must lie inside the folder."
            return
        path = self.folder / name
        if not path.is_file():
            yield f"the picture {shown(path, most=200)} is absent; put it there."
            return
        try:
            check_picture(path)
        except InputError as error:
            yield str(error)


# -- manifest ------------------------------------------------------------------------------------


def _files(folder: Path) -> list[str]:
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return sorted(name for name in names if name != MANIFEST)


def manifest(folder: Path) -> str:
    """The manifest's text, as `sha256sum` writes it."""
    return "".join(f"{file_hash(folder / name)}  {name}\n" for name in _files(folder))


def manifest_problems(folder: Path) -> Iterator[str]:
    """One sentence for each line of the manifest that the folder doesn't agree with."""
    path = folder / MANIFEST
    if not path.exists():
        return
    for line, text in enumerate(read_text(path).splitlines(), 1):
        wanted, _, name = text.partition("  ")
        if len(wanted) != 64 or not name or ".." in PurePosixPath(name).parts or name[0] == "/":
            yield f"{path}, line {line}: expected '<sha256>  <file>'."
        elif not (folder / name).is_file():
            yield f"{folder / name} is absent, but {MANIFEST} lists it (line {line})."
        elif file_hash(folder / name) != wanted:
            yield (
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
        query=copied(item.query) if item.query else None,
    )
