"""`vectors:FILE.npz`: embeddings made elsewhere, for texts and pictures.

The file holds the arrays `keys` and `vectors`. `?text=` and `?image=` say how the key of an item's
text and of a candidate's picture are written: `?text={split}|{phrase}|text` and
`&image={split}|{phrase}|{file}`. What has no vector is missing, and counted.
"""

from __future__ import annotations

import string
import zipfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trope.address import Address
from trope.errors import InputError, many, shown
from trope.hashes import file_hash
from trope.item import Benchmark, Candidate, Item
from trope.score.faces import Content, Encoder, Floats

TEXT = "{split}|{phrase}|text"
IMAGE = "{split}|{phrase}|{file}"
FIELDS = ("split", "phrase", "language", "item", "sentence", "sense", "file", "stem")
MOST_BYTES = 8 << 30


def make(address: Address) -> Vectors:
    options = address.take({"text": TEXT, "image": IMAGE})
    if not address.rest:
        raise InputError("vectors needs a file: vectors:FILE.npz.")
    for name, pattern in options.items():
        _check_pattern(name, pattern)
    return Vectors(Path(address.rest), text=options["text"], image=options["image"])


def _check_pattern(name: str, pattern: str) -> None:
    try:
        parts = [part[1:] for part in string.Formatter().parse(pattern) if part[1] is not None]
    except ValueError as error:
        raise InputError(f"The pattern {name}={shown(pattern)} is malformed: {error}.") from None
    fields = [field for field, _, _ in parts]
    strange = [
        field for field, spec, conversion in parts if field not in FIELDS or spec or conversion
    ]
    if strange or not fields:
        raise InputError(
            f"The pattern {name}={shown(pattern)} must be made of {', '.join(FIELDS)} in braces"
            + (f", not {many(strange)}." if strange else ".")
        )


class Vectors(Encoder):
    """Looks vectors up by key."""

    sees = "keys"
    prompted = False
    cached = False

    def __init__(self, path: Path, *, text: str = TEXT, image: str = IMAGE) -> None:
        self.path = path
        self.patterns = (text, image)

    def fingerprint(self) -> dict[str, str]:
        return {
            "name": "vectors",
            "weights": file_hash(self.path),
            "text": self.patterns[0],
            "image": self.patterns[1],
        }

    def prepare(self, benchmark: Benchmark) -> None:
        """A file none of whose keys fit is a mistake, not a run with everything missing."""
        texts = [self.text(item, "") for item in benchmark.items]
        images = [self.key(item, c) for item in benchmark.items for c in item.candidates]
        for name, keys in (("text", texts), ("image", images)):
            if not any(key in self._places for key in keys):
                raise InputError(
                    f"{self.path} has no vector for any {name} of {benchmark.name}: it has keys "
                    f"such as {many(list(self._places)[:2])}, and ?{name}= asks for "
                    f"{many(keys[:1])}."
                )

    def text(self, item: Item, prompt: str) -> str:
        return self.patterns[0].format_map(_fields(item, None))

    def key(self, item: Item, candidate: Candidate) -> str:
        return self.patterns[1].format_map(_fields(item, candidate))

    def embed_texts(self, texts: Sequence[str]) -> Floats:
        vectors = np.full((len(texts), self._arrays[1].shape[1]), np.nan, dtype=np.float32)
        for row, key in enumerate(texts):
            place = self._places.get(key)
            if place is not None:
                vectors[row] = self._arrays[1][place]
        return vectors

    def embed_contents(self, contents: Sequence[Content]) -> Floats:
        return self.embed_texts([str(content) for content in contents])

    @cached_property
    def _places(self) -> dict[str, int]:
        keys = [str(key) for key in self._arrays[0]]
        places = {key: i for i, key in enumerate(keys)}
        if len(places) != len(keys):
            raise InputError(f"{self.path} holds a key more than once; keep one of each.")
        return places

    @cached_property
    def _arrays(self) -> tuple[NDArray[np.str_], NDArray[np.float32]]:
        try:
            with zipfile.ZipFile(self.path) as archive:
                if sum(info.file_size for info in archive.infolist()) > MOST_BYTES:
                    raise InputError(f"{self.path} unpacks to more than {MOST_BYTES >> 30} GB.")
            with np.load(self.path, allow_pickle=False) as arrays:
                keys, vectors = arrays["keys"], arrays["vectors"]
            keys = np.char.decode(keys, "utf-8") if keys.dtype.kind == "S" else keys
        except KeyError:
            raise InputError(f"{self.path} must hold the arrays 'keys' and 'vectors'.") from None
        except InputError:
            raise
        except Exception as error:  # numpy and zipfile raise many kinds for a broken file
            raise InputError(f"{self.path} can't be read as .npz ({error}).") from None
        if keys.ndim != 1 or keys.dtype.kind not in "US":
            raise InputError(f"{self.path}: keys must be a list of strings.")
        if vectors.ndim != 2 or len(vectors) != len(keys) or vectors.dtype.kind != "f":
            raise InputError(f"{self.path}: vectors must hold one row of floats for each key.")
        return keys.astype(str), vectors.astype(np.float32, copy=False)


def _fields(item: Item, candidate: Candidate | None) -> dict[str, str]:
    name = candidate.id if candidate else ""
    return {
        "split": item.split or "",
        "phrase": item.phrase,
        "language": item.language,
        "item": item.id,
        "sentence": item.sentence or "",
        "sense": item.sense or "",
        "file": name,
        "stem": Path(name).stem,
    }
