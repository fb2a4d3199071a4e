"""`itm:`: a model with an image-text matching head (BLIP, ViLT), through transformers.

The head says whether a text and a picture belong together. BLIP's vision tower sees each picture
once, and each text is read against what it saw; ViLT reads words and patches in one go, so there
every pair is a pass of its own. Texts longer than the model reads are cut, and counted.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from trope.address import Address
from trope.errors import unknown
from trope.score import hub
from trope.score.batches import Batches
from trope.score.dual import SHOWN, longer, resolution, token_limit
from trope.score.faces import Content, Floats, Judge
from trope.score.kept import Kept

HEADS = {"blip": "BlipForImageTextRetrieval", "vilt": "ViltForImageAndTextRetrieval"}
"""Architecture -> the class that has the head."""
ESTIMATORS = {
    "logit": "the log-odds of a match",
    "probability": "the probability of a match",
}
PAIRS = 256
"""Pairs the engine hands over at a time, so that texts about one picture come together."""


def make(address: Address) -> Itm:
    options = address.take({**hub.OPTIONS, "estimator": "logit"})
    hub.batch_size(address, options)
    if options["estimator"] not in ESTIMATORS:
        raise unknown("estimator", options["estimator"], ESTIMATORS)
    return Itm(address, options)


class Itm(Judge):
    """A matching head."""

    sees = "picture"
    truncates = True

    def __init__(self, address: Address, options: dict[str, str]) -> None:
        self.address = address
        self.options = options
        self.batches = Batches(hub.batch_size(address, options))
        self.batch = max(PAIRS, self.batches.size)
        self.kept = Kept(self._look)

    def fingerprint(self) -> dict[str, str]:
        prepared = self.checkpoint.preparation
        return {
            "name": "itm",
            **self.checkpoint.facts,
            **self.place.facts,
            "estimator": self.options["estimator"],
            "resolution": resolution(prepared),
            "preparation": json.dumps({k: prepared[k] for k in SHOWN if k in prepared}),
            **hub.versions("torch", "transformers", "pillow"),
        }

    @cached_property
    def checkpoint(self) -> hub.Checkpoint:
        found = hub.find(
            self.address, revision=self.options["revision"], needs=("tokenizer", "processor")
        )
        hub.require_kind(found, HEADS, address=self.address, elsewhere={})
        return found

    @cached_property
    def place(self) -> hub.Place:
        return hub.place(self.address, self.options, config=self.checkpoint.config)

    def judge(self, pairs: Sequence[tuple[str, Content]]) -> Floats:
        odds = np.full(len(pairs), np.nan)
        for rows, seen in self.kept.seen(pairs):
            forward = partial(self._odds, seen)
            odds[rows] = self.batches.run(forward, [pairs[row][0] for row in rows])
        if self.options["estimator"] == "probability":
            return np.asarray(1 / (1 + np.exp(-odds)))
        return odds

    def _look(self, image: Any) -> dict[str, Any]:
        """What the texts about a picture share: BLIP's states, or for ViLT its pixels."""
        import torch

        prepared = self._moved(self.processor(images=image, return_tensors="pt"))
        if self.checkpoint.kind == "vilt":
            return prepared
        with torch.inference_mode():
            return {"states": self._model.vision_model(**prepared).last_hidden_state}

    def _odds(self, seen: dict[str, Any], texts: list[str]) -> list[float]:
        """The log-odds of a match of each text with one picture."""
        import torch

        words = self._moved(
            self.tokenizer(
                texts, padding=True, truncation=True, max_length=self.limit, return_tensors="pt"
            )
        )
        shown = {
            name: part.expand(len(texts), *part.shape[1:]).contiguous()
            for name, part in seen.items()
        }
        with torch.inference_mode():
            if self.checkpoint.kind == "vilt":
                logits = self._model(**words, **shown).logits.float()
            else:
                read = self._model.text_encoder(
                    input_ids=words["input_ids"],
                    attention_mask=words["attention_mask"],
                    encoder_hidden_states=shown["states"],
                    encoder_attention_mask=shown["states"].new_ones(shown["states"].shape[:2]),
                )
                logits = self._model.itm_head(read.last_hidden_state[:, 0]).float()
        if logits.shape[1] == 2:  # no match, match
            logits = logits[:, 1:] - logits[:, :1]
        return [float(odds) for odds in logits[:, 0].cpu()]

    def cut(self, texts: Sequence[str]) -> list[bool]:
        return longer(self.tokenizer, texts, self.limit)

    @cached_property
    def limit(self) -> int:
        """How many tokens of a text the model reads."""
        from transformers import AutoConfig

        with hub.complaints(self.checkpoint, "configuration"), hub.quiet():
            config = AutoConfig.from_pretrained(self.checkpoint.folder, local_files_only=True)
        return token_limit(getattr(config, "text_config", None) or config, self.tokenizer)

    @cached_property
    def tokenizer(self) -> Any:
        return hub.load_tokenizer(self.checkpoint)

    @cached_property
    def processor(self) -> Any:
        return hub.load_image_processor(self.checkpoint)

    @cached_property
    def _model(self) -> Any:
        import transformers

        factory = getattr(transformers, HEADS[self.checkpoint.kind]).from_pretrained
        return hub.load_model(factory, self.checkpoint, self.place)

    def _moved(self, inputs: Any) -> dict[str, Any]:
        dtype = self.place.torch_dtype
        return {
            name: value.to(self.place.device, dtype if value.is_floating_point() else None)
            for name, value in inputs.items()
        }
