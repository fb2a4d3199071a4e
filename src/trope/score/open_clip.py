"""`open_clip:NAME?pretrained=TAG`: checkpoints that only the open_clip library has.

NAME is one of its architectures (`ViT-B-32`), `hf-hub:OWNER/NAME`, or `local-dir:FOLDER`; the
tag (or a file of weights) goes with an architecture. The library's own transform prepares the
pictures and its own tokenizer cuts the texts; trope decodes, batches and keeps the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from trope.address import Address
from trope.errors import InputError, shown
from trope.score import hub, pixels
from trope.score.batches import Batches
from trope.score.dual import AT_ONCE
from trope.score.faces import Content, Encoder, Floats, Picture

PRECISION = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16"}
_SCHEMES = ("hf-hub:", "local-dir:")


def make(address: Address) -> OpenClip:
    allowed = {key: value for key, value in hub.OPTIONS.items() if key != "revision"}
    options = address.take({**allowed, "pretrained": ""})
    hub.batch_size(address, options)
    if not address.rest:
        raise InputError("open_clip needs a name: open_clip:ViT-B-32?pretrained=TAG.")
    if not options["pretrained"] and not address.rest.startswith(_SCHEMES):
        raise InputError(
            f"{shown(address.text)} names no weights; add ?pretrained=TAG "
            "(open_clip.list_pretrained() lists them) or a file."
        )
    return OpenClip(address, options)


class OpenClip(Encoder):
    """A two-tower model as open_clip builds it."""

    sees = "picture"
    truncates = True

    def __init__(self, address: Address, options: dict[str, str]) -> None:
        self.address = address
        self.options = options
        self.batches = Batches(hub.batch_size(address, options))
        self.batch = max(AT_ONCE, self.batches.size)

    def fingerprint(self) -> dict[str, str]:
        return {
            "name": "open_clip",
            "architecture": self.address.rest,
            "pretrained": self.options["pretrained"],
            "weights": hub.content_hash(self.weights),
            **self.place.facts,
            "similarity": "cosine",
            "decode": "exact",
            **hub.versions("open_clip_torch", "torch", "torchvision", "pillow"),
        }

    def recorded(self, address: str) -> str:
        return hub.recorded(address)

    @cached_property
    def weights(self) -> Path:
        """The file of weights; downloaded where it isn't here yet."""
        import open_clip
        from open_clip import pretrained

        name, tag = self.address.rest, self.options["pretrained"]
        with self._complaints():
            if name.startswith("local-dir:"):
                return _first(Path(name.removeprefix("local-dir:")).expanduser())
            if name.startswith("hf-hub:"):
                found = pretrained.download_pretrained_from_hf(name.removeprefix("hf-hub:"))
            elif Path(tag).is_file():
                found = tag
            else:
                config = open_clip.get_pretrained_cfg(name, tag)
                found = pretrained.download_pretrained(config)
        if not found:
            raise InputError(
                f"open_clip has no {shown(name)} with the weights {shown(tag)}; "
                "open_clip.list_pretrained() lists what it has."
            )
        return Path(found)

    @cached_property
    def place(self) -> hub.Place:
        return hub.place(self.address, self.options, config={})

    def embed_texts(self, texts: Sequence[str]) -> Floats:
        return np.stack(self.batches.run(self._text_rows, texts))

    def _text_rows(self, texts: list[str]) -> Floats:
        return self._rows(self._loaded[0].encode_text, self._tokenizer(texts))

    def cut(self, texts: Sequence[str]) -> list[bool]:
        """A text that fits reads the same with room for one token more."""
        limit = int(self._tokenizer.context_length)
        fits = self._tokenizer(list(texts))
        wider = self._tokenizer(list(texts), context_length=limit + 1)[:, :limit]
        return [bool(flag) for flag in (fits != wider).any(dim=1)]

    def embed_contents(self, contents: Sequence[Content]) -> Floats:
        _ = self._loaded
        prepared = pixels.ahead(self.prepare_picture, contents, depth=2 * self.batches.size)
        return np.stack(self.batches.run(self._picture_rows, prepared))

    def prepare_picture(self, content: Content) -> Any:
        """What the vision tower is given for one picture."""
        if not isinstance(content, Picture):
            raise InputError(f"open_clip looks at pictures, not at {shown(content)}.")
        return self._loaded[1](pixels.decode(content.path))

    def _picture_rows(self, prepared: list[Any]) -> Floats:
        import torch

        return self._rows(self._loaded[0].encode_image, torch.stack(prepared))

    def _rows(self, tower: Callable[[Any], Any], given: Any) -> Floats:
        import torch

        kind = self.place.torch_dtype if given.is_floating_point() else None
        with torch.inference_mode():
            rows: Floats = tower(given.to(self.place.device, kind)).float().cpu().numpy()
        return rows

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """The model and its transform for pictures."""
        import open_clip

        with self._complaints():
            model, transform = open_clip.create_model_from_pretrained(
                self.address.rest,
                pretrained=self.options["pretrained"] or None,
                precision=PRECISION[self.place.dtype],
                device=self.place.device,
            )
        return model.eval(), transform

    @cached_property
    def _tokenizer(self) -> Any:
        import open_clip

        with self._complaints():
            return open_clip.get_tokenizer(self.address.rest)

    def _complaints(self) -> Any:
        return hub.complaints(hub.Checkpoint(self.address.rest, Path()), "weights")


def _first(folder: Path) -> Path:
    """The file open_clip takes from a folder: safetensors first, its own names first."""
    own = ("open_clip_model", "open_clip_pytorch_model", "model", "pytorch_model")
    for ending in ("safetensors", "bin", "pth"):
        for stem in own:
            if (folder / f"{stem}.{ending}").is_file():
                return folder / f"{stem}.{ending}"
    raise InputError(f"{shown(folder, most=200)} holds no weights that open_clip would take.")
