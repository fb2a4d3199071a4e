"""Where a published file lies below the data folder, whatever it was unpacked into."""

from __future__ import annotations

import os
from pathlib import Path

from trope.errors import InputError, many, shown


def find_file(below: Path, name: str, *, what: str) -> Path:
    """The one file of this name below a folder; copies that are the same count as one."""
    found = find_files(below, name)
    if not found:
        raise InputError(
            f"No {name} below {shown(below, most=200)}; unpack {what} there, or point --data at it."
        )
    if len({path.read_bytes() for path in found}) > 1:
        raise InputError(
            f"There are several different {name}: {many(found)}; point --data at one's folder."
        )
    return found[0]


def find_files(below: Path, name: str) -> list[Path]:
    """All files of this name (in any case) below a folder, the shallowest first."""
    wanted = name.lower()
    if below.is_file():
        return [below] if below.name.lower() == wanted else []
    found = []
    for folder, folders, files in os.walk(below):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        found += [Path(folder, file) for file in files if file.lower() == wanted]
    found = [path for path in found if path.is_file()]  # a pipe would be waited for
    return sorted(found, key=lambda path: (len(path.parts), str(path)))
