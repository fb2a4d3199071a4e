"""sha256 of files and of values: what a run's fingerprint and the cache's keys are made of."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from trope.errors import InputError, shown


def file_hash(path: Path) -> str:
    """Of a file's bytes, read a piece at a time."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"Can't read {shown(path, most=200)}: {reason}; check the path.") from None


def value_hash(value: Any) -> str:
    """Of a value's canonical JSON."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
