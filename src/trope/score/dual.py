"""`clip:`, `siglip:`, `align:` and `blip-itc:`: a text tower and a vision tower, through
transformers.

A score is the cosine of the two projected embeddings. SigLIP's own score is a sigmoid of the
cosine, scaled and shifted by two constants of the checkpoint, so it orders candidates the same.
Pictures are prepared by the checkpoint's own image processor; only the decoding is trope's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from trope.address import Address
from trope.errors import InputError, shown
from trope.score import hub, pixels
from trope.score.batches import Batches
from trope.score.faces import Content, Encoder, Floats, Picture

AT_ONCE = 256
"""Texts or pictures the engine hands over at a time: several of the model's batches, so that the
next pictures are decoded while the model works on the last."""
SHOWN = ("size", "crop_size", "image_mean", "image_std", "resample", "rescale_factor")
"""What a run says of the preparation of pictures."""


class Towers(NamedTuple):
    """How one family is loaded and asked."""

    kinds: tuple[str, ...]
    """The architectures it runs, as transformers names them."""
    model: str = "AutoModel"
    padding: str = "longest"
    """SigLIP has no attention mask and was trained on texts padded to the tower's length."""


FAMILIES: dict[str, Towers] = {
    "clip": Towers(("clip", "chinese_clip", "altclip", "metaclip_2")),
    "siglip": Towers(("siglip", "siglip2"), padding="max_length"),
    "align": Towers(("align",)),
    "blip-itc": Towers(("blip",), model="BlipForImageTextRetrieval"),
}
_ELSEWHERE = {kind: name for name, towers in FAMILIES.items() for kind in towers.kinds}


def make(address: Address) -> Dual:
    options = address.take({**hub.OPTIONS, "decode": "exact"})
    hub.batch_size(address, options)
    pixels.decode_option(address, options["decode"])
    return Dual(address, options)


class Dual(Encoder):
    """Two towers that end in one space."""

    sees = "picture"
    truncates = True

    def __init__(self, address: Address, options: dict[str, str]) -> None:
        self.address = address
        self.options = options
        self.towers = FAMILIES[address.name]
        self.batches = Batches(hub.batch_size(address, options))
        self.batch = max(AT_ONCE, self.batches.size)

    def fingerprint(self) -> dict[str, str]:
        prepared = self.checkpoint.preparation
        return {
            "name": self.address.name,
            **self.checkpoint.facts,
            **self.place.facts,
            "similarity": "cosine",
            "resolution": resolution(prepared) or _image_size(self.checkpoint.config),
            "preparation": json.dumps({k: prepared[k] for k in SHOWN if k in prepared}),
            "decode": self.options["decode"],
            **hub.versions("torch", "transformers", "pillow"),
        }

    def recorded(self, address: str) -> str:
        return hub.recorded(address)

    @cached_property
    def checkpoint(self) -> hub.Checkpoint:
        found = hub.find(
            self.address, revision=self.options["revision"], needs=("tokenizer", "processor")
        )
        hub.require_kind(found, self.towers.kinds, address=self.address, elsewhere=_ELSEWHERE)
        return found

    @cached_property
    def place(self) -> hub.Place:
        return hub.place(self.address, self.options, config=self.checkpoint.config)

    # -- texts

    def embed_texts(self, texts: Sequence[str]) -> Floats:
        # Texts of like length share a batch: less padding, the same numbers.
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        rows = self.batches.run(self._text_rows, [texts[i] for i in order])
        vectors = np.empty((len(rows), rows[0].shape[0]), dtype=np.float32)
        vectors[order] = rows
        return vectors

    def _text_rows(self, texts: list[str]) -> Floats:
        tokens = self.tokenizer(
            texts,
            padding=self.towers.padding,
            truncation=True,
            max_length=self.limit,
            return_tensors="pt",
        )
        names = ["input_ids"] if self.address.name == "siglip" else ["input_ids", "attention_mask"]
        return self._forward(_text_features, {name: tokens[name] for name in names})

    def cut(self, texts: Sequence[str]) -> list[bool]:
        return longer(self.tokenizer, texts, self.limit)

    @cached_property
    def tokenizer(self) -> Any:
        return hub.load_tokenizer(self.checkpoint)

    @cached_property
    def limit(self) -> int:
        """How many tokens the text tower reads, its marks of beginning and end among them."""
        from transformers import AutoConfig

        with hub.complaints(self.checkpoint, "configuration"), hub.quiet():
            config = AutoConfig.from_pretrained(self.checkpoint.folder, local_files_only=True)
        return token_limit(config.text_config, self.tokenizer)

    # -- pictures

    def embed_contents(self, contents: Sequence[Content]) -> Floats:
        _ = self._model, self.processor  # loaded here, not by the threads
        prepared = pixels.ahead(self.prepare_picture, contents, depth=2 * self.batches.size)
        return np.stack(self.batches.run(self._picture_rows, prepared))

    def prepare_picture(self, content: Content) -> dict[str, Floats]:
        """What the vision tower is given for one picture."""
        if not isinstance(content, Picture):
            raise InputError(f"{self.address.name} looks at pictures, not at {shown(content)}.")
        image = pixels.decode(content.path, least=self._least)
        prepared = self.processor(images=image, return_tensors="np")
        return {name: np.asarray(array)[0] for name, array in prepared.items()}

    def _picture_rows(self, prepared: list[dict[str, Floats]]) -> Floats:
        import torch

        stacked = {
            name: torch.from_numpy(np.stack([one[name] for one in prepared]))
            for name in prepared[0]
        }
        return self._forward(_picture_features, stacked)

    @cached_property
    def processor(self) -> Any:
        return hub.load_image_processor(self.checkpoint)

    @property
    def _least(self) -> int:
        return longest_side(self.checkpoint.preparation) if self.options["decode"] == "draft" else 0

    # -- the model

    @cached_property
    def _model(self) -> Any:
        import transformers

        factory = getattr(transformers, self.towers.model).from_pretrained
        return hub.load_model(factory, self.checkpoint, self.place)

    def _forward(self, features: Callable[..., Any], inputs: dict[str, Any]) -> Floats:
        import torch

        model, where = self._model, self.place
        moved = {
            name: tensor.to(where.device, where.torch_dtype if tensor.is_floating_point() else None)
            for name, tensor in inputs.items()
        }
        with torch.inference_mode():
            rows: Floats = features(model, **moved).float().cpu().numpy()
        return rows


def _text_features(model: Any, **inputs: Any) -> Any:
    if hasattr(model, "text_proj"):  # BLIP: the first token of either tower, projected
        return model.text_proj(model.text_encoder(**inputs).last_hidden_state[:, 0])
    return _pooled(model.get_text_features(**inputs))


def _picture_features(model: Any, **inputs: Any) -> Any:
    if hasattr(model, "vision_proj"):
        return model.vision_proj(model.vision_model(**inputs).last_hidden_state[:, 0])
    return _pooled(model.get_image_features(**inputs))


def _pooled(output: Any) -> Any:
    return getattr(output, "pooler_output", output)


# -- what other scorers ask too --------------------------------------------------------------------


def longer(tokenizer: Any, texts: Sequence[str], limit: int) -> list[bool]:
    """Which texts have more than `limit` tokens."""
    tokens = tokenizer(list(texts), truncation=False, padding=False, verbose=False)["input_ids"]
    return [len(ids) > limit for ids in tokens]


def token_limit(config: Any, tokenizer: Any) -> int:
    """The positions a text tower has, or fewer where its tokenizer says so."""
    positions = int(getattr(config, "max_position_embeddings", 0) or 1 << 30)
    if str(getattr(config, "model_type", "")) in OFFSET:
        positions -= int(getattr(config, "pad_token_id", 1) or 0) + 1
    return min(positions, int(getattr(tokenizer, "model_max_length", 0) or 1 << 30))


OFFSET = (
    "roberta",
    "xlm-roberta",
    "xlm-roberta-xl",
    "camembert",
    "mpnet",
    "xmod",
    "data2vec-text",
    "altclip_text_model",
)
"""Their positions start after the padding token's."""


def resolution(preparation: dict[str, Any]) -> str:
    """The picture's size as the model sees it: '224x224', or '' where the files don't say.

    >>> resolution({"size": {"shortest_edge": 256}, "crop_size": {"height": 224, "width": 224}})
    '224x224'
    """
    crops = preparation.get("do_center_crop", "crop_size" in preparation)
    size = preparation.get("crop_size" if crops else "size", preparation.get("size"))
    if isinstance(size, int):
        return f"{size}x{size}"
    if isinstance(size, dict) and {"height", "width"} <= size.keys():
        return f"{size['height']}x{size['width']}"
    if isinstance(size, dict) and len(size) == 1:
        return "x".join([str(next(iter(size.values())))] * 2)
    return ""


def longest_side(preparation: dict[str, Any]) -> int:
    """The longest side a preparation asks for anywhere; 0 where the files don't say."""
    sides: list[int] = []
    for size in (preparation.get("size"), preparation.get("crop_size")):
        values = size.values() if isinstance(size, dict) else [size]
        sides += [value for value in values if isinstance(value, int)]
    return max(sides, default=0)


def _image_size(config: dict[str, Any]) -> str:
    size = config.get("vision_config", {}).get("image_size")
    return f"{size}x{size}" if size else ""
