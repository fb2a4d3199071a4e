"""`rerank:`: a cross-encoder that reads the prompt and a caption together, through transformers.

The score is the head's raw logit, as BAAI/bge-reranker-* gives it; a sigmoid would keep the order
and squeeze the differences. It sees captions, never pictures. A pair longer than the model reads
is cut, the longer of the two first, and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from trope.address import Address
from trope.errors import InputError, shown
from trope.score import hub
from trope.score.batches import Batches
from trope.score.dual import token_limit
from trope.score.faces import Content, Floats, Judge

HEAD = "ForSequenceClassification"
PAIRS = 512
"""Pairs the engine hands over at a time: those of like length are batched together."""


def make(address: Address) -> Rerank:
    options = address.take(hub.OPTIONS)
    hub.batch_size(address, options)
    return Rerank(address, options)


class Rerank(Judge):
    """A cross-encoder over captions."""

    sees = "caption"
    truncates = True

    def __init__(self, address: Address, options: dict[str, str]) -> None:
        self.address = address
        self.options = options
        self.batches = Batches(hub.batch_size(address, options))
        self.batch = max(PAIRS, self.batches.size)

    def fingerprint(self) -> dict[str, str]:
        return {
            "name": "rerank",
            **self.checkpoint.facts,
            **self.place.facts,
            "estimator": "logit",
            **hub.versions("torch", "transformers"),
        }

    @cached_property
    def checkpoint(self) -> hub.Checkpoint:
        found = hub.find(self.address, revision=self.options["revision"], needs=("tokenizer",))
        classes = [str(name) for name in found.config.get("architectures") or []]
        if not any(name.endswith(HEAD) for name in classes):
            raise InputError(
                f"{shown(found.name, most=200)} is a {shown(', '.join(classes) or found.kind)}, no "
                f"cross-encoder: rerank runs checkpoints with a classification head (*{HEAD}), "
                "such as BAAI/bge-reranker-v2-m3."
            )
        return found

    @cached_property
    def place(self) -> hub.Place:
        return hub.place(self.address, self.options, config=self.checkpoint.config)

    def judge(self, pairs: Sequence[tuple[str, Content]]) -> Floats:
        # Pairs of like length share a batch: less padding, the same numbers.
        order = sorted(range(len(pairs)), key=lambda i: len(pairs[i][0]) + len(str(pairs[i][1])))
        scores = np.empty(len(pairs))
        scores[order] = self.batches.run(self._logits, [pairs[i] for i in order])
        return scores

    def _logits(self, pairs: list[tuple[str, Content]]) -> list[float]:
        import torch

        words = self.tokenizer(
            [text for text, _ in pairs],
            [str(caption) for _, caption in pairs],
            padding=True,
            truncation="longest_first",
            max_length=self.limit,
            return_tensors="pt",
        ).to(self.place.device)
        with torch.inference_mode():
            logits = self._model(**words).logits.float()
        if logits.shape[1] == 2:  # irrelevant, relevant
            logits = logits[:, 1:] - logits[:, :1]
        return [float(logit) for logit in logits[:, 0].cpu()]

    def cut(self, texts: Sequence[str]) -> list[bool]:
        """A pair is cut only where one of its texts takes more than half of the room."""
        room = (self.limit - self.tokenizer.num_special_tokens_to_add(pair=True)) // 2
        tokens = self.tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
        return [len(ids) > room for ids in tokens]

    @cached_property
    def tokenizer(self) -> Any:
        return hub.load_tokenizer(self.checkpoint)

    @cached_property
    def limit(self) -> int:
        """How many tokens of a pair the model reads."""
        from transformers import AutoConfig

        with hub.complaints(self.checkpoint, "configuration"), hub.quiet():
            config = AutoConfig.from_pretrained(self.checkpoint.folder, local_files_only=True)
        return token_limit(config, self.tokenizer)

    @cached_property
    def _model(self) -> Any:
        from transformers import AutoModelForSequenceClassification

        model = hub.load_model(
            AutoModelForSequenceClassification.from_pretrained, self.checkpoint, self.place
        )
        if model.config.num_labels > 2:
            raise InputError(
                f"{shown(self.checkpoint.name, most=200)} sorts pairs into "
                f"{model.config.num_labels} classes; a reranker has one, or no and yes."
            )
        return model
