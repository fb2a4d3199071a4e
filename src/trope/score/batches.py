"""Batches that shrink when memory runs out, and go on. Nothing here knows a model or a library."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable
from itertools import islice
from typing import TypeVar

from trope.errors import InputError

T = TypeVar("T")
R = TypeVar("R")

_SIGNS = ("out of memory", "not enough memory", "failed to allocate", "bad allocation")
"""How torch (CUDA, MPS, CPU) and onnxruntime say that a batch was too large."""


class Batches:
    """Runs a model over things, `size` at a time. After a batch that didn't fit, `size` is less."""

    def __init__(self, size: int) -> None:
        self.size = max(1, size)

    def run(self, forward: Callable[[list[T]], Iterable[R]], things: Iterable[T]) -> list[R]:
        """`forward`'s results for all things, in order. Things are taken as they are needed.

        >>> Batches(2).run(lambda part: [len(part)] * len(part), "abc")
        [2, 2, 1]
        """
        waiting = iter(things)
        results: list[R] = []
        held: list[T] = []
        while held := held + list(islice(waiting, max(0, self.size - len(held)))):
            part = held[: self.size]
            done = _attempt(forward, part)
            if done is not None:
                results.extend(done)
                held = held[len(part) :]
            elif len(part) > 1:
                self.size = len(part) // 2
                _release()
            else:
                raise InputError(
                    "The model doesn't fit in memory even with a batch of one; use a smaller one, "
                    "or another ?device= or ?dtype=."
                )
        return results


def _attempt(forward: Callable[[list[T]], Iterable[R]], part: list[T]) -> Iterable[R] | None:
    """None where memory ran out. By then the failed call's own tensors are free again."""
    try:
        return forward(part)
    except Exception as error:  # each library has a kind of its own for it
        if not out_of_memory(error):
            raise
        return None


def out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out, whoever raised it."""
    text = str(error).lower()
    return isinstance(error, MemoryError) or any(sign in text for sign in _SIGNS)


def _release() -> None:
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
