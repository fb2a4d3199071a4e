"""Answers that were computed once, by content: text or picture bytes, prompt and model.

One SQLite file. A batch is stored in one transaction, so a kill at any moment loses at most the
batch under way. Nothing here knows what a key or a value means.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from trope.errors import InputError, shown
from trope.places import cache_folder as cache_folder

_SLICE = 500  # keys in one query; SQLite allows some thousands
_REMEDY = "set TROPE_CACHE to a folder you may write to"


class Cache:
    """A map from keys to bytes, on disk."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "answers.sqlite"
        self._lock = threading.Lock()  # scorers that talk to servers store from several threads
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"Can't make the cache folder {shown(folder, most=200)}: {error.strerror}; "
                f"{_REMEDY}."
            ) from None
        with self._sentences():
            # Several processes may share the file: one writes at a time, the others wait.
            self._db = sqlite3.connect(
                self.path, timeout=60, isolation_level=None, check_same_thread=False
            )
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, value BLOB NOT NULL) "
                "WITHOUT ROWID"
            )
            self._db.execute("COMMIT")

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The values there are."""
        wanted = list(dict.fromkeys(keys))
        found: dict[bytes, bytes] = {}
        with self._lock, self._sentences():
            for start in range(0, len(wanted), _SLICE):
                part = wanted[start : start + _SLICE]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, value FROM answers WHERE key IN ({marks})"
                found.update(self._db.execute(query, part))
        return {k: v for k, v in found.items() if isinstance(v, bytes)}

    def put(self, values: dict[bytes, bytes]) -> None:
        """Store all of them or none."""
        with self._lock, self._sentences():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", values.items())
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            text = str(error)
            if "full" in text:
                remedy = "the disk is full: free some space; the next run goes on from here"
            elif "malformed" in text or "not a database" in text:
                remedy = "it is damaged: delete it, and its answers are computed anew"
            elif "locked" in text:
                remedy = "another process holds it: wait for it to end"
            else:
                remedy = _REMEDY
            raise InputError(
                f"The cache {shown(self.path, most=200)} can't be used ({text}); {remedy}."
            ) from None
