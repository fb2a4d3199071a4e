"""`st:ID-OR-FOLDER`: sentence encoders over captions, through transformers.

The sentence-transformers layout is read by hand (`modules.json`, `1_Pooling/config.json`, dense
layers, normalisation), so that library isn't needed. A plain transformers checkpoint is
mean-pooled, unless `?pooling=` says otherwise. It reads captions, never pictures.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from trope.address import Address
from trope.errors import InputError, shown
from trope.hashes import value_hash
from trope.score import hub
from trope.score.batches import Batches
from trope.score.dual import AT_ONCE, longer, token_limit
from trope.score.faces import Content, Encoder, Floats

POOLINGS = ("mean", "cls", "max", "mean_sqrt_len", "weightedmean", "lasttoken")
_FLAGS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
"""How sentence-transformers writes a pooling down. Several at once are joined in this order."""
_MODULES = ("Transformer", "Pooling", "Dense", "Normalize")


def make(address: Address) -> Sentence:
    options = address.take({**hub.OPTIONS, "pooling": "", "prefix": ""})
    hub.batch_size(address, options)
    if options["pooling"] and options["pooling"] not in POOLINGS:
        raise InputError(
            f"In {shown(address.text)}, pooling must be one of {', '.join(POOLINGS)}, "
            f"not {shown(options['pooling'])}."
        )
    return Sentence(address, options)


class Sentence(Encoder):
    """One vector a text; a score is the cosine of prompt and caption."""

    truncates = True

    def __init__(self, address: Address, options: dict[str, str]) -> None:
        self.address = address
        self.options = options
        self.batches = Batches(hub.batch_size(address, options))
        self.batch = max(AT_ONCE, self.batches.size)

    def fingerprint(self) -> dict[str, str]:
        return {
            "name": "st",
            **self.checkpoint.facts,
            "layers": value_hash([hub.content_hash(path) for path in self._layers]),
            **self.place.facts,
            "similarity": "cosine",
            "pooling": "+".join(self.pooling),
            "prefix": self.prefix,
            **hub.versions("torch", "transformers"),
        }

    def recorded(self, address: str) -> str:
        return hub.recorded(address)

    @cached_property
    def checkpoint(self) -> hub.Checkpoint:
        found = hub.find(self.address, revision=self.options["revision"], needs=("tokenizer",))
        if "vision_config" in found.config:
            kind = found.config.get("model_type", "vision")
            raise InputError(
                f"{shown(self.address.rest)} is a {kind} checkpoint, which looks at pictures; st "
                "runs text encoders. `trope models` lists the others."
            )
        return found

    @cached_property
    def place(self) -> hub.Place:
        return hub.place(self.address, self.options, config=self.checkpoint.config)

    # -- what the folder says

    @cached_property
    def modules(self) -> list[tuple[str, Path]]:
        """The kinds of its modules and their folders; [] for a plain transformers checkpoint."""
        path = self.checkpoint.folder / "modules.json"
        if not path.is_file():
            return []
        try:
            listed = json.loads(path.read_bytes())
            found = [(str(m["type"]).rpartition(".")[2], path.parent / m["path"]) for m in listed]
        except (OSError, ValueError, KeyError, TypeError):
            raise InputError(f"{path} doesn't list modules with a type and a path.") from None
        strange = [kind for kind, _ in found if kind not in _MODULES]
        if strange:
            raise InputError(
                f"{path} has a module {shown(strange[0])}; st runs {', '.join(_MODULES)}."
            )
        return found

    @cached_property
    def pooling(self) -> tuple[str, ...]:
        """How the tokens' vectors become one."""
        if self.options["pooling"]:
            return (self.options["pooling"],)
        for kind, folder in self.modules:
            if kind == "Pooling":
                return _pooling(folder / "config.json")
        return ("mean",)

    @cached_property
    def prefix(self) -> str:
        """What is put before every text: `?prefix=`, or the checkpoint's default prompt."""
        own = self.checkpoint.json("config_sentence_transformers.json")
        named = (own.get("prompts") or {}).get(own.get("default_prompt_name") or "", "")
        return self.options["prefix"] or str(named or "")

    @property
    def _layers(self) -> list[Path]:
        """The dense layers' weight files."""
        folders = [folder for kind, folder in self.modules if kind == "Dense"]
        return [_weights_of(folder) for folder in folders]

    # -- texts

    def embed_texts(self, texts: Sequence[str]) -> Floats:
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        rows = self.batches.run(self._rows, [texts[i] for i in order])
        vectors = np.empty((len(rows), rows[0].shape[0]), dtype=np.float32)
        vectors[order] = rows
        return vectors

    def embed_contents(self, contents: Sequence[Content]) -> Floats:
        return self.embed_texts([str(content) for content in contents])

    def cut(self, texts: Sequence[str]) -> list[bool]:
        return longer(self.tokenizer, [self._written(text) for text in texts], self.limit)

    def _written(self, text: str) -> str:
        whole = self.prefix + text
        return whole.lower() if self._own.get("do_lower_case") else whole

    @cached_property
    def _own(self) -> dict[str, Any]:
        return self.checkpoint.json("sentence_bert_config.json")

    @cached_property
    def tokenizer(self) -> Any:
        return hub.load_tokenizer(self.checkpoint)

    @cached_property
    def limit(self) -> int:
        """How many tokens are read: what the model can, or fewer where the folder says so."""
        from transformers import AutoConfig

        with hub.complaints(self.checkpoint, "configuration"), hub.quiet():
            config = AutoConfig.from_pretrained(self.checkpoint.folder, local_files_only=True)
        most = token_limit(config, self.tokenizer)
        return min(most, int(self._own.get("max_seq_length") or most))

    def _rows(self, texts: list[str]) -> Floats:
        import torch

        tokens = self.tokenizer(
            [self._written(text) for text in texts],
            padding="longest",
            truncation=True,
            max_length=self.limit,
            return_tensors="pt",
        ).to(self.place.device)
        with torch.inference_mode():
            hidden = self._model(**tokens).last_hidden_state
            mask = tokens["attention_mask"].unsqueeze(-1).to(hidden.dtype)
            vector = torch.cat([_pooled(kind, hidden, mask) for kind in self.pooling], dim=-1)
            for layer in self._after:
                vector = layer(vector)
            rows: Floats = vector.float().cpu().numpy()
        return rows

    # -- the model

    @cached_property
    def _model(self) -> Any:
        from transformers import AutoConfig, AutoModel

        with hub.complaints(self.checkpoint, "configuration"), hub.quiet():
            config = AutoConfig.from_pretrained(self.checkpoint.folder, local_files_only=True)
        if getattr(config, "is_encoder_decoder", False):
            raise InputError(
                f"{shown(self.checkpoint.name, most=200)} is an encoder-decoder; st runs encoders "
                "such as bert, xlm-roberta and mpnet."
            )
        # A pooler's weights are often left out, and no pooling here asks for them.
        return hub.load_model(
            AutoModel.from_pretrained, self.checkpoint, self.place, spare=r"(^|\.)pooler\."
        )

    @cached_property
    def _after(self) -> list[Callable[[Any], Any]]:
        """What follows the pooling: dense layers, normalisation."""
        import torch

        layers: list[Callable[[Any], Any]] = []
        for kind, folder in self.modules:
            if kind == "Dense":
                with hub.complaints(self.checkpoint, "dense layer"):
                    layers.append(_dense(folder).to(self.place.device, self.place.torch_dtype))
            elif kind == "Normalize":
                layers.append(lambda rows: torch.nn.functional.normalize(rows, dim=-1))
        return layers


def _pooling(path: Path) -> tuple[str, ...]:
    try:
        config = json.loads(path.read_bytes())
        named = config.get("pooling_mode")
        names = [named] if isinstance(named, str) else list(named or [])
        names = names or [name for flag, name in _FLAGS.items() if config.get(flag)]
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise InputError(f"{path} can't be read ({error}); copy the whole checkpoint.") from None
    strange = [name for name in names if name not in POOLINGS]
    if strange or not names:
        what = shown(strange[0]) if strange else "none"
        raise InputError(f"{path} asks for the pooling {what}; st has {', '.join(POOLINGS)}.")
    return tuple(names)


def _pooled(kind: str, hidden: Any, mask: Any) -> Any:
    """One vector a text of its tokens' vectors; padding never counts."""
    import torch

    if kind == "cls":
        return _edge(hidden, mask.argmax(dim=1))
    if kind == "lasttoken":
        places = torch.arange(1, hidden.shape[1] + 1, device=mask.device).view(1, -1, 1)
        return _edge(hidden, (mask * places).argmax(dim=1))
    if kind == "max":
        return hidden.masked_fill(mask == 0, torch.finfo(hidden.dtype).min).amax(dim=1)
    if kind == "weightedmean":
        places = torch.arange(1, hidden.shape[1] + 1, device=mask.device).view(1, -1, 1)
        mask = mask * places.to(mask.dtype)
    total, count = (hidden * mask).sum(dim=1), mask.sum(dim=1).clamp(min=1e-9)
    return total / (count.sqrt() if kind == "mean_sqrt_len" else count)


def _edge(hidden: Any, places: Any) -> Any:
    """The vector at one place of each text."""
    where = places.unsqueeze(1).expand(-1, 1, hidden.shape[-1])
    return hidden.gather(1, where).squeeze(1)


def _weights_of(folder: Path) -> Path:
    for name in ("model.safetensors", "pytorch_model.bin"):
        if (folder / name).is_file():
            return folder / name
    raise InputError(f"{folder} holds no weights; copy the whole checkpoint.")


def _dense(folder: Path) -> Any:
    import torch

    config = json.loads((folder / "config.json").read_bytes())
    path = _weights_of(folder)
    if path.suffix == ".safetensors":
        from safetensors.torch import load_file

        state = load_file(path)
    else:
        state = torch.load(path, map_location="cpu", weights_only=True)
    layer = torch.nn.Linear(
        config["in_features"], config["out_features"], bias=config.get("bias", True)
    )
    layer.load_state_dict({name.removeprefix("linear."): value for name, value in state.items()})
    name = str(config.get("activation_function", "torch.nn.Identity")).rpartition(".")[2]
    known = ("Tanh", "Identity", "ReLU", "GELU", "Sigmoid")
    if name not in known:
        raise InputError(f"{folder} asks for {shown(name)}; st has {', '.join(known)}.")
    return torch.nn.Sequential(layer, getattr(torch.nn, name)()).eval()
