"""What loading a checkpoint from the Hugging Face hub or from a folder shares.

Here a checkpoint is found, named by its commit and the hash of its files, and loaded onto a
device, and what can go wrong with it is said in a sentence. Until something is loaded, neither
torch nor transformers is imported. No code from a checkpoint is ever run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from trope.address import Address, whole
from trope.errors import InputError, shown
from trope.hashes import file_hash, value_hash
from trope.score.batches import out_of_memory

OPTIONS = {"revision": "", "device": "auto", "dtype": "auto", "batch": "32"}
"""What every address of a checkpoint takes."""
WAIT = 20.0
"""Seconds the hub has to answer."""
_UNSAID = ("batch", "device")
DTYPES = ("float32", "float16", "bfloat16")
DEVICES = re.compile(r"(cpu|mps|cuda)(:\d+)?")

TOKENIZERS = (
    "tokenizer.json",
    "vocab.json",
    "vocab.txt",
    "spiece.model",
    "sentencepiece.bpe.model",
    "tokenizer.model",
)
"""One of these makes a tokenizer."""
PROCESSORS = ("preprocessor_config.json", "processor_config.json")
"""One of these says how a picture is prepared."""
_NEEDS = {"tokenizer": TOKENIZERS, "processor": PROCESSORS}
_SMALL = {".json", ".txt", ".model", ".jinja"}
"""Files that change what a model does without being its weights: configuration, vocabulary."""
_SHARD = re.compile(r"-\d{5}-of-\d{5}(?=\.)")
_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Checkpoint:
    """A model's folder on this machine: the one given, or the hub's copy in the local cache."""

    name: str
    """As it was asked for: a hub id or a folder."""
    folder: Path
    revision: str = ""
    """The hub's commit; '' for a folder."""

    @cached_property
    def config(self) -> dict[str, Any]:
        """`config.json`."""
        return self.json("config.json")

    @property
    def kind(self) -> str:
        """The architecture, as transformers names it."""
        return str(self.config.get("model_type", ""))

    def json(self, name: str) -> dict[str, Any]:
        """A JSON file of the checkpoint; {} where it is absent."""
        path = self.folder / name
        if not path.is_file():
            return {}
        try:
            value = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"{path} isn't JSON ({error}); {self.remedy}.") from None
        if not isinstance(value, dict):
            raise InputError(f"{path} must hold a JSON object; {self.remedy}.")
        return value

    @property
    def preparation(self) -> dict[str, Any]:
        """How a picture is prepared, as the checkpoint's files put it."""
        nested = self.json("processor_config.json").get("image_processor")
        return nested if isinstance(nested, dict) else self.json("preprocessor_config.json")

    @property
    def remedy(self) -> str:
        """What to do about a file that is absent or broken."""
        if self.revision:
            return f"delete {self.folder} to download it again"
        return "copy the whole checkpoint into the folder"

    @cached_property
    def weights(self) -> tuple[Path, ...]:
        """The files a model is loaded from."""
        found = weight_files(p.name for p in self.folder.iterdir())
        if not found:
            raise InputError(
                f"{shown(self.folder, most=200)} holds no weights (model.safetensors or "
                f"pytorch_model.bin); {self.remedy}."
            )
        return tuple(self.folder / name for name in found)

    def has(self, need: str) -> bool:
        """Whether it has a 'tokenizer' or a 'processor'."""
        return any((self.folder / name).is_file() for name in _NEEDS[need])

    @cached_property
    def facts(self) -> dict[str, str]:
        """What it is, for a fingerprint; no weights are loaded."""
        return {
            "architecture": self.kind,
            "revision": self.revision,
            "weights": value_hash({path.name: content_hash(path) for path in self.weights}),
            "files": value_hash({name: content_hash(self.folder / name) for name in self._small()}),
        }

    def _small(self) -> list[str]:
        """Below the folder, one deep: sentence encoders keep a folder for each module, and
        InstructBLIP one for its Q-Former's tokenizer."""
        inner = ("*", "[0-9]*_*/*", "qformer_tokenizer/*")
        found = [path for part in inner for path in self.folder.glob(part)]
        names = [p.relative_to(self.folder).as_posix() for p in found if p.suffix in _SMALL]
        return sorted(name for name in names if not name.lower().startswith("readme"))


def weight_files(names: Iterable[str]) -> list[str]:
    """The weights among a checkpoint's files: safetensors before pickles, one set of them.

    >>> weight_files(["model.safetensors", "pytorch_model.bin", "model.onnx"])
    ['model.safetensors']
    """
    listed = sorted(names)
    for stem, ending in (("model", "safetensors"), ("pytorch_model", "bin")):
        one = f"{stem}.{ending}"
        if one in listed:
            return [one]
        shards = [name for name in listed if name != one and _SHARD.sub("", name) == one]
        if shards:
            return shards
    return []


def content_hash(path: Path) -> str:
    """sha256 of a file. The hub's cache names large files by it, so those needn't be read."""
    name = path.resolve().name
    return name if path.is_symlink() and _SHA256.fullmatch(name) else file_hash(path)


# -- finding -------------------------------------------------------------------------------------


def find(address: Address, *, revision: str = "", needs: tuple[str, ...] = ()) -> Checkpoint:
    """The checkpoint an address names. What isn't on this machine yet is downloaded.

    `needs` are 'tokenizer' and 'processor', where the scorer can't do without them.
    """
    name = address.rest
    if not name:
        raise InputError(
            f"{address.name} needs a checkpoint: {address.name}:OWNER/NAME, or a folder."
        )
    folder = Path(name).expanduser()
    if folder.is_dir():
        if revision:
            raise InputError(f"{shown(name)} is a folder; ?revision= is for the hub's checkpoints.")
        found = Checkpoint(name, folder)
    elif not _NAME.fullmatch(name) or name.startswith("."):
        raise InputError(
            f"There is no folder {shown(name, most=200)}; give a folder, or a Hugging Face id "
            "such as openai/clip-vit-base-patch32."
        )
    else:
        found = _from_hub(name, revision, needs)
    _check(found, needs)
    return found


def _check(found: Checkpoint, needs: tuple[str, ...]) -> None:
    if not found.kind:
        raise InputError(
            f"{shown(found.folder, most=200)} isn't a checkpoint: its config.json is absent or "
            f"names no model_type; {found.remedy}."
        )
    _ = found.weights
    for need in needs:
        if not found.has(need):
            raise InputError(
                f"The checkpoint {shown(found.name, most=200)} has no {need} (one of "
                f"{', '.join(_NEEDS[need])}); copy it from the model this one was made from."
            )


def _from_hub(name: str, revision: str, needs: tuple[str, ...]) -> Checkpoint:
    cached = _in_cache(name, revision)
    if cached and _complete(cached, needs):
        return cached
    try:
        return _download(name, revision)
    except InputError:
        if cached and _complete(cached, ()):
            return cached  # what it lacks is said by the check
        raise


def _in_cache(name: str, revision: str) -> Checkpoint | None:
    from huggingface_hub import try_to_load_from_cache

    try:
        path = try_to_load_from_cache(name, "config.json", revision=revision or None)
    except ValueError:  # not a name the hub could have
        return None
    if not isinstance(path, str):
        return None
    folder = Path(path).parent
    return Checkpoint(name, folder, folder.name)


def _complete(found: Checkpoint, needs: tuple[str, ...]) -> bool:
    """Whether every shard and every need is there."""
    names = {p.name for p in found.folder.iterdir() if p.exists()}
    weights = weight_files(names)
    if not weights:
        return False
    index = _SHARD.sub("", weights[0]) + ".index.json"
    if index in names and _SHARD.search(weights[0]):
        listed = set(found.json(index).get("weight_map", {}).values())
        if not listed <= names:
            return False
    return all(found.has(need) for need in needs)


def _download(name: str, revision: str) -> Checkpoint:
    import huggingface_hub as hub
    from huggingface_hub import errors

    which = f"{name} at {revision}" if revision else name
    try:
        info = hub.HfApi().model_info(name, revision=revision or None, timeout=WAIT)
        files = [one.rfilename for one in info.siblings or []]
        folder = Path(
            hub.snapshot_download(
                name, revision=revision or None, allow_patterns=wanted_files(files)
            )
        )
    except errors.GatedRepoError:
        raise InputError(
            f"{name} is gated: accept its terms on huggingface.co and log in with `hf auth login`."
        ) from None
    except errors.RepositoryNotFoundError:
        raise InputError(
            f"There is no checkpoint {shown(name)} on the hub, nor a folder of that name; check "
            "the spelling (a private one needs `hf auth login`)."
        ) from None
    except errors.RevisionNotFoundError:
        raise InputError(
            f"{name} has no revision {shown(revision)}; give a branch or a commit."
        ) from None
    except errors.HFValidationError:
        raise InputError(f"{shown(name)} is neither a folder nor a Hugging Face id.") from None
    except Exception as error:  # offline mode, no route, a proxy's refusal, a full disk
        raise InputError(
            f"{shown(which)} isn't in the local cache and can't be downloaded "
            f"({_reason(error)}); connect to the network, or give a folder that holds it."
        ) from None
    return Checkpoint(name, folder, folder.name)


def wanted_files(names: Iterable[str]) -> list[str]:
    """What is downloaded of a repository: one set of weights, configuration and vocabulary."""
    listed = list(names)
    top = [name for name in listed if "/" not in name]
    small = [name for name in listed if Path(name).suffix in _SMALL and _module(name)]
    inner = [
        n for n in listed if re.fullmatch(r"\d+_\w+/(model\.safetensors|pytorch_model\.bin)", n)
    ]
    return sorted({*weight_files(top), *small, *inner})


def _module(name: str) -> bool:
    """At the top, in a sentence encoder's numbered folder, or in a Q-Former's."""
    return "/" not in name or re.fullmatch(r"(\d+_\w+|qformer_tokenizer)/[^/]+", name) is not None


# -- loading -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """Where a model runs and in what numbers."""

    device: str
    dtype: str

    @property
    def facts(self) -> dict[str, str]:
        return {"device": self.device.partition(":")[0], "dtype": self.dtype}

    @property
    def torch_dtype(self) -> Any:
        import torch

        return getattr(torch, self.dtype)


def place(address: Address, options: dict[str, str], *, config: dict[str, Any]) -> Place:
    """The device and number type asked for, or sensible ones.

    A GPU where there is one. On CUDA half precision (the checkpoint's own kind, else float16),
    elsewhere float32.
    """
    device, dtype = options["device"], options["dtype"]
    if device != "auto" and not DEVICES.fullmatch(device):
        raise InputError(
            f"In {shown(address.text)}, device must be auto, cpu, mps, cuda or cuda:N, "
            f"not {shown(device)}."
        )
    if dtype not in ("auto", *DTYPES):
        raise InputError(
            f"In {shown(address.text)}, dtype must be auto or one of {', '.join(DTYPES)}, "
            f"not {shown(dtype)}."
        )
    if device == "auto":
        device = best_device()
    elif device != "cpu":
        _check_device(address, device)
    if dtype == "auto":
        own = str(config.get("dtype") or config.get("torch_dtype") or "")
        half = own if own in ("float16", "bfloat16") else "float16"
        dtype = half if device.startswith("cuda") else "float32"
    return Place(device, dtype)


def best_device() -> str:
    """cuda or mps where torch can use it, else cpu."""
    if version("torch").endswith("+cpu"):
        return "cpu"  # known without the seconds it takes to import torch
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _check_device(address: Address, device: str) -> None:
    import torch

    kind, _, number = device.partition(":")
    if kind == "mps":
        there = torch.backends.mps.is_available()
    else:
        there = torch.cuda.is_available() and int(number or 0) < torch.cuda.device_count()
    if not there:
        raise InputError(f"{shown(address.text)}: torch finds no {device} here; use ?device=cpu.")


def batch_size(address: Address, options: dict[str, str]) -> int:
    """`?batch=`, checked."""
    return whole(address, "batch", options["batch"], least=1)


def recorded(address: str) -> str:
    """An address without what a fingerprint says better (device) or what changes no answer.

    >>> recorded("clip:a/b?batch=8&dtype=float16")
    'clip:a/b?dtype=float16'
    """
    head, _, query = address.partition("?")
    kept = [part for part in query.split("&") if part and part.split("=")[0] not in _UNSAID]
    return f"{head}?{'&'.join(kept)}" if kept else head


def versions(*packages: str) -> dict[str, str]:
    """For a fingerprint.

    >>> list(versions("numpy"))
    ['numpy']
    """
    return {name: version(name) for name in packages}


def require_kind(
    found: Checkpoint, known: Iterable[str], *, address: Address, elsewhere: dict[str, str]
) -> None:
    """Refuse an architecture the scorer can't run. `elsewhere`: architecture -> scorer."""
    kinds = sorted(known)
    if found.kind in kinds:
        return
    other = elsewhere.get(found.kind)
    hint = f" Write {other}:{address.rest}." if other and other != address.name else ""
    raise InputError(
        f"{shown(found.name, most=200)} is a {found.kind} checkpoint; {address.name} runs "
        f"{', '.join(kinds)}.{hint}"
    )


def load_model(
    factory: Callable[..., Any],
    found: Checkpoint,
    where: Place,
    *,
    spare: str = "",
    **options: Any,
) -> Any:
    """A model for inference: `factory` is a class's `from_pretrained`.

    A weight that the files lack would be left at random by transformers; here it is an error,
    but for those whose name matches the pattern `spare`, which the scorer doesn't use.
    """
    with complaints(found, "weights"), quiet():
        model, info = factory(
            found.folder,
            dtype=where.torch_dtype,
            output_loading_info=True,
            local_files_only=True,
            **options,
        )
    absent = sorted(
        key for key in info["missing_keys"] if not (spare and re.search(spare, str(key)))
    )
    odd = sorted(str(key) for key in info["mismatched_keys"])
    if absent or odd:
        raise InputError(
            f"The weights of {shown(found.name, most=200)} don't fit its config.json: "
            f"{len(absent)} absent, {len(odd)} of another shape, such as "
            f"{shown((absent + odd)[0])}; {found.remedy}."
        )
    with complaints(found, "weights"):
        return model.to(where.device).eval()


def load_tokenizer(found: Checkpoint) -> Any:
    """The checkpoint's tokenizer."""
    from transformers import AutoTokenizer

    with complaints(found, "tokenizer"), quiet():
        return AutoTokenizer.from_pretrained(found.folder, local_files_only=True)


def load_image_processor(found: Checkpoint) -> Any:
    """The checkpoint's image processor, on Pillow: the same numbers with torchvision or without."""
    from transformers import AutoImageProcessor

    with complaints(found, "processor"), quiet():
        return AutoImageProcessor.from_pretrained(
            found.folder, local_files_only=True, backend="pil"
        )


@contextmanager
def complaints(found: Checkpoint, part: str) -> Iterator[None]:
    """Turn what the libraries raise over a broken checkpoint into a sentence."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # safetensors, pickle, torch and transformers raise many kinds
        if out_of_memory(error):
            raise InputError(
                f"{shown(found.name, most=200)} doesn't fit in memory; use ?dtype=float16, or "
                "another ?device=."
            ) from None
        raise InputError(
            f"The {part} of {shown(found.name, most=200)} can't be loaded ({_reason(error)}); "
            f"{found.remedy}."
        ) from error


@contextmanager
def quiet() -> Iterator[None]:
    """Without transformers' progress bars and advice on standard error."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _reason(error: BaseException) -> str:
    text = " ".join(str(error).split("\n")[0].split())
    return f"{type(error).__name__}: {text[:120]}" if text else type(error).__name__
