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
    "clip": Family(
        "trope.score.dual",
        "clip:ID-OR-FOLDER",
        "pictures",
        "CLIP, Chinese-CLIP, AltCLIP and MetaCLIP 2 through transformers",
        needs=("torch", "transformers"),
        extra="torch",
    ),
    "siglip": Family(
        "trope.score.dual",
        "siglip:ID-OR-FOLDER",
        "pictures",
        "SigLIP and SigLIP 2 through transformers",
        needs=("torch", "transformers"),
        extra="torch",
    ),
    "align": Family(
        "trope.score.dual",
        "align:ID-OR-FOLDER",
        "pictures",
        "ALIGN through transformers",
        needs=("torch", "transformers"),
        extra="torch",
    ),
    "blip-itc": Family(
        "trope.score.dual",
        "blip-itc:ID-OR-FOLDER",
        "pictures",
        "BLIP's contrastive heads through transformers",
        needs=("torch", "transformers"),
        extra="torch",
    ),
    "onnx": Family(
        "trope.score.onnx",
        "onnx:FOLDER?variant=..",
        "pictures",
        "CLIP-style exports through onnxruntime, without torch",
        needs=("onnxruntime", "tokenizers"),
        extra="onnx",
    ),
    "open_clip": Family(
        "trope.score.open_clip",
        "open_clip:ARCHITECTURE?pretrained=..",
        "pictures",
        "checkpoints that only open_clip has",
        needs=("open_clip",),
        extra="open_clip",
    ),
    "st": Family(
        "trope.score.sentence",
        "st:ID-OR-FOLDER",
        "captions",
        "sentence encoders through transformers",
        needs=("torch", "transformers"),
        extra="torch",
    ),
    "vectors": Family(
        "trope.score.vectors",
        "vectors:FILE.npz?text=..&image=..",
        "keys",
        "embeddings made elsewhere (arrays keys, vectors)",
    ),
    "vqa": Family(
        "trope.score.vqa",
        "vqa:ID-or-DIR?estimator=..",
        "pictures",
        "VQAScore: a generative model's yes, or its likelihood of the text",
        needs=("torch", "transformers"),
        extra="torch",
    ),
    "itm": Family(
        "trope.score.itm",
        "itm:ID-or-DIR?estimator=..",
        "pictures",
        "an image-text matching head (BLIP, ViLT)",
        needs=("torch", "transformers"),
        extra="torch",
    ),
    "rerank": Family(
        "trope.score.rerank",
        "rerank:ID-or-DIR",
        "captions",
        "a cross-encoder over captions (BAAI/bge-reranker-*)",
        needs=("torch", "transformers"),
        extra="torch",
    ),
    "gguf": Family(
        "trope.score.gguf",
        "gguf:FILE?estimator=..",
        "captions",
        "a local language model, through llama.cpp; text only",
        needs=("xllamacpp",),
        extra="gguf",
    ),
    "api": Family(
        "trope.score.api",
        "api:MODEL?base_url=http://..&as=judge|ranker",
        "pictures or captions",
        "a model behind an OpenAI-compatible server (vLLM, SGLang, llama.cpp, vendors)",
        needs=("httpx",),
        extra="api",
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
    except (Exception, SystemExit) as error:
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
