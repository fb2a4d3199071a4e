"""Where the pictures of a release lie: by name, then by stem; one folder a compound.

Releases differ in how folders are spelled (an apostrophe as `_`, decomposed accents) and in the
pictures' format (`.png` in the table, `.jpg` on disk). Only listings are read here, no picture.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path, PurePosixPath

from trope.errors import InputError
from trope.read.table import Row

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp")


class Shelf:
    """The picture folders beside a table; remembers what was found and what was absent."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.present: list[tuple[Row | None, Path]] = []
        self.absent: list[tuple[str, str, Row | None]] = []
        self._folders = {_spelling(path.name): path for path in _listing(root) if path.is_dir()}
        self._files: dict[str, dict[str, Path]] = {}

    def find(self, compound: str, name: str, row: Row | None) -> str | None:
        """The picture's path relative to the root; None where it is absent."""
        folder = self._folders.get(_spelling(compound))
        path = self._in(folder, name) if folder else None
        if path is None:
            if row is not None:
                self.absent.append((compound, name, row))
            return None
        self.present.append((row, path))
        return path.relative_to(self.root).as_posix()

    def _in(self, folder: Path, name: str) -> Path | None:
        files = self._files.get(folder.name)
        if files is None:
            files = {}
            for path in _listing(folder):
                if path.suffix.lower() in SUFFIXES:
                    files.setdefault(path.stem, path)
            for path in _listing(folder):
                files[path.name] = path
            self._files[folder.name] = files
        return files.get(name) or files.get(PurePosixPath(name).stem)


def _listing(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise InputError(
            f"Can't list the folder {folder}: {error.strerror}; check its rights."
        ) from None


def _spelling(name: str) -> str:
    """One spelling for a compound and its folder."""
    folded = unicodedata.normalize("NFC", name).casefold().strip()
    for mark in "'’‘`´":
        folded = folded.replace(mark, "_")
    return folded
