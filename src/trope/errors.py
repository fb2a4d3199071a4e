"""What trope says when it can't go on: one sentence that names the place and the remedy.

The command line prints the sentence and exits with 2; Python callers catch `TropeError`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class TropeError(Exception):
    """Something the reader can act on. The message is the whole story."""


class InputError(TropeError):
    """A file, an option or a value that isn't what it should be."""


class MissingExtra(TropeError):
    """A part of trope that isn't installed; the message names the command that installs it."""


class UnknownName(TropeError):
    """A benchmark, model, prompt or run that doesn't exist; the message suggests the nearest."""


def unknown(kind: str, name: str, known: Iterable[str], *, advice: str = "") -> UnknownName:
    """An `UnknownName` that suggests what was probably meant."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if near:
        hint = f"did you mean {' or '.join(repr(n) for n in near)}?"
    else:
        hint = f"there are {', '.join(names)}." if names else "there are none."
    return UnknownName(f"There is no {kind} {shown(name)}; {hint}{' ' + advice if advice else ''}")


def shown(text: object, *, most: int = 80) -> str:
    """A value quoted for a message: cut where it is long, with no control character in it."""
    quoted = repr(str(text))
    return quoted if len(quoted) <= most else quoted[: most - 2] + "…'"


def many(names: Iterable[object], *, most: int = 3) -> str:
    """A list for a message: the first few, and how many more."""
    listed = list(names)
    head = ", ".join(shown(name) for name in listed[:most])
    return head if len(listed) <= most else f"{head} and {len(listed) - most} more"
