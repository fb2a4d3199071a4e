"""`wordllama`: a 16 MB text embedder whose weights lie inside its package, so it works offline.

It reads captions, never pictures. The weights' hash is taken from the file, without loading it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from trope.address import Address
from trope.errors import InputError
from trope.hashes import file_hash
from trope.score import no_rest
from trope.score.faces import Content, Encoder, Floats

DIMENSIONS = 256


def make(address: Address) -> WordLlama:
    no_rest(address)
    address.take({})
    return WordLlama()


class WordLlama(Encoder):
    """Mean-pooled token embeddings, cosine similarity."""

    def fingerprint(self) -> dict[str, str]:
        return {
            "name": "wordllama",
            "version": version("wordllama"),
            "dimensions": str(DIMENSIONS),
            "weights": _weights_hash(),
        }

    def embed_texts(self, texts: Sequence[str]) -> Floats:
        # Texts of like length share a batch: less padding, the same numbers.
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        vectors[order] = self._model.embed([texts[i] for i in order])
        return vectors

    def embed_contents(self, contents: Sequence[Content]) -> Floats:
        return self.embed_texts([str(content) for content in contents])

    @cached_property
    def _model(self) -> Any:
        import wordllama

        # Its bundled weights are found only when the cache is its own folder.
        return wordllama.WordLlama.load(cache_dir=_package(), dim=DIMENSIONS, disable_download=True)


def _package() -> Path:
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise InputError("wordllama isn't installed as files; pip install wordllama.")
    return Path(spec.origin).parent


def _weights_hash() -> str:
    files = sorted(_package().rglob(f"*_{DIMENSIONS}.safetensors"))
    if not files:
        raise InputError("wordllama's weights are absent; pip install --force-reinstall wordllama.")
    return file_hash(files[0])
