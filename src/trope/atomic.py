"""Files and folders that are written whole or not at all.

Everything trope writes goes to a temporary name beside its place and is renamed when complete,
so a kill or a full disk leaves what was there before. Nothing here knows what it writes.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from trope.errors import InputError, shown


@contextmanager
def sentences(place: Path, doing: str = "write") -> Iterator[None]:
    """Turn the system's refusals into a sentence about `place`."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        advice = {
            28: "free some space, or choose another folder",  # ENOSPC
            122: "free some space, or choose another folder",  # EDQUOT
            13: "choose a folder you may write to",
            30: "choose a folder you may write to",  # EROFS
            36: "choose a shorter name",  # ENAMETOOLONG
        }.get(error.errno or 0, "choose another place")
        raise InputError(f"Can't {doing} {shown(place, most=200)}: {reason}; {advice}.") from error


@contextmanager
def folder(place: Path) -> Iterator[Path]:
    """A new folder to fill; it takes `place` (replacing a folder there) when the block ends."""
    with sentences(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{place.name[:40]}.", dir=place.parent))
    try:
        with sentences(place):
            yield draft
            draft.chmod(0o755)
            _swap(draft, place)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _swap(draft: Path, place: Path) -> None:
    """Put `draft` at `place`, keeping what was there until the new folder stands."""
    if not place.exists():
        draft.rename(place)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{place.name[:40]}.", dir=place.parent))
    try:
        place.rename(old / "old")
        draft.rename(place)
    finally:
        shutil.rmtree(old, ignore_errors=True)


def write_all(files: dict[Path, str | bytes]) -> list[Path]:
    """Write several files; where one can't be written, those that were new are removed again."""
    new = [place for place in files if not place.exists()]
    written: list[Path] = []
    try:
        for place, content in files.items():
            write(place, content)
            written.append(place)
    except InputError:
        for place in written:
            if place in new:
                place.unlink(missing_ok=True)
        raise
    return written


def write(place: Path, content: str | bytes) -> None:
    """Write one file whole."""
    data = content.encode() if isinstance(content, str) else content
    with sentences(place):
        if place.exists() and not place.is_file():  # a device or a folder is never replaced
            raise InputError(f"{shown(place, most=200)} isn't a regular file; choose another name.")
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{place.name[:40]}.", dir=place.parent)
        draft = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            draft.chmod(0o644)
            draft.replace(place)
        finally:
            with suppress(FileNotFoundError):
                draft.unlink()
