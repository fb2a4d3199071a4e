"""trope tells you whether a vision-language model understands figurative language.

The verbs of the command line, in Python. Everything is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trope.errors import TropeError as TropeError
    from trope.read import load as load
    from trope.report.comparison import compared as compare
    from trope.verbs import run as run

__version__ = "0.1.0"

# name -> the module that holds it (and what it is called there)
_LAZY = {
    "TropeError": "trope.errors",
    "load": "trope.read",
    "run": "trope.verbs",
    "compare": "trope.report.comparison:compared",
}
__all__ = ["TropeError", "compare", "load", "run"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        module, _, real = _LAZY[name].partition(":")
        return getattr(import_module(module), real or name)
    raise AttributeError(f"module 'trope' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
