"""The pictures trope keeps for benchmarks that publish none as files: fetched or unpacked ones.

One folder below the user's cache. Each picture is checked and named by the sha256 of its bytes;
`index.jsonl` says for each web address where its picture is, or why there is none. Nothing here
opens a connection.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

import msgspec

from trope import atomic
from trope.errors import InputError
from trope.places import picture_folder
from trope.read.picture import check_picture
from trope.read.table import read_text

INDEX = "index.jsonl"
MOST_TRIES = 3
"""An address that failed in so many runs is dead, whatever the reason."""
_MAGIC = {b"\x89PNG": ".png", b"\xff\xd8\xff": ".jpg", b"GIF8": ".gif", b"BM": ".bmp"}


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the index."""

    url: str
    file: str = ""
    """Where the picture is, below the folder."""
    failed: str = ""
    """Why there is none."""
    tries: int = 0
    """How often it failed for a reason that may pass: the host was busy, slow or not reached."""

    @property
    def dead(self) -> bool:
        """Whether there is no point in asking again."""
        return bool(self.failed) and (self.tries == 0 or self.tries >= MOST_TRIES)


class Kept:
    """The folder of kept pictures and its index."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or picture_folder()
        self.entries = _read_index(self.folder / INDEX)
        self._new: dict[str, Entry] = {}
        self._lock = threading.Lock()

    def find(self, url: str) -> str | None:
        """The address's picture, relative to the folder; None where it isn't here."""
        entry = self.entries.get(url)
        if entry is None or not entry.file or not (self.folder / entry.file).is_file():
            return None
        return entry.file

    def lost(self, url: str) -> str:
        """Why the address will give no picture; '' where it did, may yet, or wasn't asked."""
        entry = self.entries.get(url)
        return entry.failed if entry and entry.dead else ""

    def record(self, entry: Entry) -> None:
        """Remember what became of an address."""
        with self._lock:
            self.entries[entry.url] = self._new[entry.url] = entry

    def save(self) -> None:
        """Write the index whole. What another process wrote meanwhile is kept."""
        with self._lock:
            if not self._new:
                return
            merged = {**_read_index(self.folder / INDEX), **self._new}
            encode = msgspec.json.Encoder().encode
            lines = (encode(merged[url]) + b"\n" for url in sorted(merged))
            atomic.write(self.folder / INDEX, b"".join(lines))
            self._new = {}

    def keep(self, data: bytes, *, where: str) -> str:
        """Keep a picture given as bytes; its path below the folder. `where` opens a complaint."""
        sha256 = hashlib.sha256(data).hexdigest()
        suffix = next((s for magic, s in _MAGIC.items() if data.startswith(magic)), ".webp")
        name = f"{sha256[:2]}/{sha256}{suffix}"
        place = self.folder / name
        if place.is_file():
            return name
        with atomic.sentences(place):
            place.parent.mkdir(parents=True, exist_ok=True)
            handle, draft = tempfile.mkstemp(prefix=".part-", dir=place.parent)
        try:
            with atomic.sentences(place), os.fdopen(handle, "wb") as file:
                file.write(data)
            _check(Path(draft), where)
            with atomic.sentences(place):
                Path(draft).chmod(0o644)
                Path(draft).replace(place)
        finally:
            with suppress(FileNotFoundError):
                Path(draft).unlink()
        return name


class NotAPicture(InputError):
    """The bytes are no whole picture; `reason` says why."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}.")
        self.reason = reason


def _check(draft: Path, where: str) -> None:
    try:
        check_picture(draft)
    except InputError as error:
        reason = str(error).replace(f"{draft} ", "").split(";")[0]
        raise NotAPicture(where, f"not a whole picture: it {reason}") from None


def from_base64(text: str) -> bytes | None:
    """The bytes of a base64 text, with or without `data:image/..;base64,`; None if it isn't one."""
    if text.startswith("data:"):
        text = text.partition(",")[2]
    try:
        return base64.b64decode(text, validate=True) or None
    except (binascii.Error, ValueError):
        return None


def _read_index(path: Path) -> dict[str, Entry]:
    if not path.exists():
        return {}
    decode = msgspec.json.Decoder(Entry).decode
    entries = {}
    for line, text in enumerate(read_text(path).splitlines(), 1):
        try:
            entry = decode(text)
        except msgspec.MsgspecError as error:
            raise InputError(
                f"{path}, line {line}: {error}; delete the file, and the pictures are asked for "
                "again."
            ) from None
        if ".." in entry.file or entry.file.startswith("/"):
            raise InputError(f"{path}, line {line}: the picture must lie inside the folder.")
        entries[entry.url] = entry
    return entries
