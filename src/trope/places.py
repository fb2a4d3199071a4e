"""Where trope keeps what it can make or fetch again. Nothing here writes."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """$TROPE_CACHE, else the user's cache folder."""
    own = os.environ.get("TROPE_CACHE")
    if own:
        return Path(own)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "trope"


def picture_folder() -> Path:
    """Pictures that were fetched or unpacked, each named by the hash of its bytes."""
    return cache_folder() / "pictures"
