"""`vqa:`: VQAScore. A generative model looks at a picture, and how likely it finds an answer is
the score. Through transformers.

What is asked is the prompt; what is read from the logits is the estimator (`estimators.py`). Each
picture is looked at once, and what the model saw is kept while there is room (`sight.py`).
Nothing is sampled.

The authors' own code averages the log-probability of "Yes" with that of the sentence's end after
it; here, as in the paper, it is the answer's first token alone, in all its surface forms.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from trope.address import Address
from trope.errors import InputError, shown
from trope.score import hub, pixels, sight
from trope.score.batches import Batches
from trope.score.dual import SHOWN
from trope.score.estimators import OPTIONS, Estimator, estimator, form_ids, log_softmax
from trope.score.faces import Content, Floats, Judge
from trope.score.kept import Kept, as_picture

# Snapshot-tested: a changed comma is a changed experiment.
TELL = "Describe this picture."
"""What is asked before the text, for likelihood; with the picture and without it."""
PAIRS = 128
"""Pairs the engine hands over at a time, so that questions about one picture come together."""
MOST_WORDS = 96
"""Tokens of a text that is written."""


def make(address: Address) -> Vqa:
    options = address.take({**hub.OPTIONS, **OPTIONS, "batch": "8"})
    hub.batch_size(address, options)
    return Vqa(address, options, estimator(address, options))


class Vqa(Judge):
    """A generative model that looks at pictures."""

    sees = "picture"

    def __init__(self, address: Address, options: dict[str, str], estimator: Estimator) -> None:
        self.address = address
        self.options = options
        self.estimator = estimator
        self.asks = estimator.asks
        self.batches = Batches(hub.batch_size(address, options))
        self.batch = max(PAIRS, self.batches.size)
        self.kept = Kept(lambda image: self.looker.look(image))
        self._priors: dict[str, list[float]] = {}

    def fingerprint(self) -> dict[str, str]:
        prepared = self.checkpoint.preparation
        return {
            "name": "vqa",
            **self.checkpoint.facts,
            **self.place.facts,
            **self.estimator.fingerprint(),
            "format": sight.form_of(self.checkpoint),
            **({} if self.asks else {"tell": TELL}),
            "preparation": json.dumps({k: prepared[k] for k in SHOWN if k in prepared}),
            **hub.versions("torch", "transformers", "pillow"),
        }

    @cached_property
    def checkpoint(self) -> hub.Checkpoint:
        return hub.find(
            self.address, revision=self.options["revision"], needs=("tokenizer", "processor")
        )

    @cached_property
    def place(self) -> hub.Place:
        return hub.place(self.address, self.options, config=self.checkpoint.config)

    # -- judging

    def judge(self, pairs: Sequence[tuple[str, Content]]) -> Floats:
        scores = np.full(len(pairs), np.nan)
        for rows, seen in self.kept.seen(pairs):
            scores[rows] = self._scores(seen, [pairs[row][0] for row in rows])
        return scores

    def _scores(self, seen: Any, texts: list[str]) -> list[float]:
        """One number a text, all about one picture."""
        begun = self.looker.begin(seen)

        def forward(part: list[str]) -> list[float]:
            asks = [self._ask(text) for text in part]
            rows = self.looker.answer(begun, asks, alone=len(texts) == 1)
            if not self.asks:
                return [self._likelihood(r, t) for r, t in zip(rows, part, strict=True)]
            logits = np.stack([_numbers(row[0]) for row in rows])
            return [float(score) for score in self.estimator.from_logits(logits, *self._forms)]

        return self.batches.run(forward, texts)

    def _ask(self, text: str) -> sight.Ask:
        if self.asks:
            return sight.Ask(text)
        answer = self.looker.tokens(text)
        if not answer:
            raise InputError("A text without words has no likelihood; choose another prompt.")
        return sight.Ask(TELL, answer)

    def _likelihood(self, rows: Any, text: str) -> float:
        if self.estimator.alpha and text not in self._priors:
            ask = self._ask(text)
            self._priors[text] = _logs(self.looker.blind(ask), ask.answer)
        given = _logs(rows, self.looker.tokens(text))
        return self.estimator.likelihood(given, self._priors.get(text, ()))

    @cached_property
    def _forms(self) -> tuple[list[int], list[int]]:
        """The ids of yes and of no."""
        tokenizer = self.looker.tokenizer
        found = []
        for word in (self.estimator.yes, self.estimator.no):
            ids = form_ids(
                tokenizer.get_vocab(),
                word,
                written=lambda token: str(tokenizer.convert_tokens_to_string([token])),
            )
            if not ids:
                raise InputError(
                    f"{shown(self.checkpoint.name)} has no single token for {shown(word)}; use "
                    "estimator=likelihood, or other words with yes= and no=."
                )
            found.append(ids)
        return found[0], found[1]

    # -- writing

    def generate(self, pairs: Sequence[tuple[str, Content | None]]) -> list[str | None]:
        """The model's own words for each request and picture."""
        return [
            self.looker.write(
                None if content is None else pixels.decode(as_picture(content).path),
                request,
                most=MOST_WORDS,
            )
            or None
            for request, content in pairs
        ]

    # -- the model

    @cached_property
    def looker(self) -> sight.Looker:
        _check_kind(self.checkpoint)
        return sight.open_looker(self.checkpoint, self.place)


def _numbers(row: Any) -> Floats:
    numbers: Floats = row.float().cpu().numpy()
    return numbers


def _logs(rows: Any, answer: Sequence[int]) -> list[float]:
    """The log-probability of each token of an answer."""
    logs = log_softmax(_numbers(rows))
    return [float(logs[place, token]) for place, token in enumerate(answer)]


def _check_kind(found: hub.Checkpoint) -> None:
    """Refuse what transformers can't ask about a picture."""
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES as NAMES,
    )

    if found.kind not in NAMES:
        best = ", ".join(sorted({*sight.BRIDGED, *sight.SHARED}))
        raise InputError(
            f"{shown(found.name, most=200)} is a {found.kind} checkpoint; vqa runs {best} and the "
            "other image-text-to-text models of transformers."
        )
