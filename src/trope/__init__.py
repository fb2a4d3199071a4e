"""trope tells you whether a vision-language model understands figurative language.

The verbs of the command line, in Python. Everything is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trope.errors import TropeError as TropeError
    from trope.read import load as load

__version__ = "0.1.0"

# name -> the module that holds it
_LAZY = {
    "TropeError": "trope.errors",
    "load": "trope.read",
}
__all__ = ["TropeError", "load"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'trope' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
