"""Scorers by name. One file a family, imported only when it is used.

To add a scorer: one file with a class behind one of the three faces, made by
`make(address) -> Scorer`, and one line in `SCORERS`; or a class in a file of one's own, given as
`path/to/file.py:ClassName`.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import NamedTuple

from trope.address import Address, parse
from trope.errors import InputError, MissingExtra, TropeError, shown, unknown
from trope.score.faces import Encoder, Judge, Ranker, Scorer

__all__ = ["SCORERS", "Encoder", "Family", "Judge", "Ranker", "Scorer", "load_scorer"]


class Family(NamedTuple):
    """One line of `trope models`."""

    module: str
    form: str
    sees: str
    about: str
    needs: tuple[str, ...] = ()
    """Modules that must be installed."""
    extra: str = ""
    """The extra that installs them."""

    @property
    def installed(self) -> bool:
        return all(find_spec(name) is not None for name in self.needs)


SCORERS: dict[str, Family] = {
    "random": Family(
        "trope.score.chance", "random?seed=N", "nothing", "numbers from a seed: what chance gives"
    ),
    "overlap": Family(
        "trope.score.overlap", "overlap", "captions", "words shared by prompt and caption"
    ),
    "wordllama": Family(
        "trope.score.wordllama",
        "wordllama",
        "captions",
        "a small text embedder inside the package; the default",
        needs=("wordllama",),
    ),
    "vectors": Family(
        "trope.score.vectors",
        "vectors:FILE.npz?text=..&image=..",
        "keys",
        "embeddings made elsewhere (arrays keys, vectors)",
    ),
    "predictions": Family(
        "trope.score.predictions",
        "predictions:FILE",
        "keys",
        "orders or scores made elsewhere (.tsv, .csv, .jsonl, .zip)",
    ),
}


def load_scorer(address: str) -> Scorer:
    """A scorer by its address. No model is loaded yet.

    >>> load_scorer("random?seed=1").face
    'ranker'
    """
    parsed = parse(address)
    if ".py:" in address.partition("?")[0]:
        return _own(parsed)
    family = SCORERS.get(parsed.name)
    if family is None:
        raise unknown("model", parsed.name, SCORERS, advice="`trope models` lists them.")
    if not family.installed:
        absent = next(name for name in family.needs if find_spec(name) is None)
        extra = f"trope[{family.extra}]" if family.extra else "trope"
        raise MissingExtra(f"{parsed.name} needs {absent}: pip install '{extra}'.")
    scorer: Scorer = import_module(family.module).make(parsed)
    return scorer


def _own(address: Address) -> Scorer:
    """A class in a file: `path/to/file.py:ClassName?option=value`."""
    head = address.text.partition("?")[0]
    place, _, name = head.rpartition(":")
    path = Path(place)
    if not path.is_file():
        raise InputError(f"There is no file {shown(path, most=200)} to take {shown(name)} from.")
    spec = spec_from_file_location(f"_trope_own_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} can't be imported as Python.")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        made = getattr(module, name)(**address.options)
    except TropeError:
        raise
    except Exception as error:
        raise InputError(
            f"{address.text} can't be made: {type(error).__name__}: {error}."
        ) from error
    if not isinstance(made, Encoder | Judge | Ranker):
        raise InputError(f"{name} in {path} must subclass trope's Encoder, Judge or Ranker.")
    return made


def no_rest(address: Address) -> None:
    """Refuse `name:something` where the name takes nothing."""
    if address.rest:
        raise InputError(f"{address.name} takes no ':{address.rest}'; write just {address.name!r}.")
