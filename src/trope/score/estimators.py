"""How a generative model's logits become one number: `p_yes`, `yes_no`, `likelihood`.

Pure arithmetic on logits and log-probabilities, shared by every judge that generates words. It
loads no model, and it never renormalises: what a model gives to other words than yes and no is
its doubt, and stays in the number.

The estimators are those of VQAScore (Lin et al., 2024) and VisualGPTScore (Lin et al., 2023).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trope.address import Address
from trope.errors import InputError, shown, unknown

ESTIMATORS: dict[str, str] = {
    "p_yes": "P(yes), summed over the answer's surface forms",
    "yes_no": "log P(yes) - log P(no)",
    "likelihood": "log P(text | content) - alpha * log P(text)",
}
FLOOR = -100.0
"""The least log-probability an answer is given, so that a difference of two stays finite."""


@dataclass(frozen=True)
class Estimator:
    """Which number is read from the model, and the words it looks for."""

    name: str = "p_yes"
    alpha: float = 0.0
    """How much of the text's own likelihood is taken away; only `likelihood` uses it."""
    yes: str = "yes"
    no: str = "no"
    """The answers in the language of the question."""

    @property
    def asks(self) -> bool:
        """Whether the model is asked a question; otherwise the text itself is scored."""
        return self.name != "likelihood"

    def fingerprint(self) -> dict[str, str]:
        """What of it decides the number."""
        if not self.asks:
            return {"estimator": self.name, "alpha": repr(self.alpha)}
        words = {"yes": self.yes, "no": self.no} if self.name == "yes_no" else {"yes": self.yes}
        return {"estimator": self.name, **words}

    def answer(self, yes: float, no: float) -> float:
        """The number, from log P(yes) and log P(no).

        >>> Estimator("p_yes").answer(0.0, -5.0)
        1.0
        >>> Estimator("yes_no").answer(-1.0, -3.0)
        2.0
        """
        if self.name == "p_yes":
            return math.exp(yes)
        return max(yes, FLOOR) - max(no, FLOOR)

    def from_logits(
        self, logits: NDArray[Any], yes: Sequence[int], no: Sequence[int]
    ) -> NDArray[np.float64]:
        """The number of each row of logits over the whole vocabulary."""
        logs = log_softmax(logits)
        return np.array(
            [
                self.answer(a, b)
                for a, b in zip(log_sum(logs[:, yes]), log_sum(logs[:, no]), strict=True)
            ]
        )

    def from_tokens(self, tokens: Mapping[str, float]) -> float:
        """The number, from the log-probabilities of the likeliest first tokens, by their text.

        A word that isn't among them has less probability than any that is; it counts as none.
        NaN where neither word is among them: that is no answer.

        >>> round(Estimator().from_tokens({" Yes": -1.0, "yes": -2.0, "No": -3.0}), 4)
        0.5032
        """
        yes = [log for token, log in tokens.items() if is_form(token, self.yes)]
        no = [log for token, log in tokens.items() if is_form(token, self.no)]
        if not yes and not no:
            return math.nan
        return self.answer(float(log_sum(yes)), float(log_sum(no)))

    def likelihood(self, text: Iterable[float], prior: Iterable[float] = ()) -> float:
        """The number, from the log-probabilities of the text's tokens with the content shown,
        and without it.

        >>> Estimator("likelihood", alpha=0.5).likelihood([-1.0, -2.0], [-4.0, -2.0])
        0.0
        """
        given = math.fsum(text)
        return given - self.alpha * math.fsum(prior) if self.alpha else given


OPTIONS: dict[str, str] = {"estimator": "p_yes", "alpha": "", "yes": "yes", "no": "no"}
"""The options of an address that say how the number is read, with their defaults."""


def estimator(address: Address, options: Mapping[str, str]) -> Estimator:
    """The estimator an address asks for."""
    name = options["estimator"]
    if name not in ESTIMATORS:
        raise unknown("estimator", name, ESTIMATORS)
    if options["alpha"] and name != "likelihood":
        raise InputError(f"In {shown(address.text)}, alpha belongs to estimator=likelihood.")
    try:
        alpha = float(options["alpha"] or 0)
    except ValueError:
        alpha = math.nan
    if not math.isfinite(alpha) or alpha < 0:
        raise InputError(
            f"In {shown(address.text)}, alpha must be a number of at least 0, "
            f"not {shown(options['alpha'])}."
        )
    yes, no = _fold(options["yes"]), _fold(options["no"])
    if not yes or not no or yes == no:
        raise InputError(f"In {shown(address.text)}, yes and no must be two different words.")
    return Estimator(name, alpha, yes, no)


def is_form(token: str, word: str) -> bool:
    """Whether a token is a surface form of a word: case and the space before it don't matter.

    >>> [is_form(form, "yes") for form in ("Yes", " YES", "▁Yes", "Ġyes", "Yes.", "yesterday")]
    [True, True, True, True, False, False]
    """
    return _fold(token.lstrip("▁Ġ")) == _fold(word)


def form_ids(
    vocabulary: Mapping[str, int], word: str, *, written: Callable[[str], str] | None = None
) -> list[int]:
    """The ids of all tokens that are surface forms of a word, ascending, each once.

    `written` turns a vocabulary's spelling of a token into text: some spell what isn't ASCII in
    signs that stand for bytes.
    """
    spelled = written if written is not None and not word.isascii() else str
    most = 4 * len(word) + 4  # longer tokens aren't the word, whatever the spelling
    return sorted(
        {
            number
            for token, number in vocabulary.items()
            if len(token) <= most and (is_form(token, word) or is_form(spelled(token), word))
        }
    )


def log_softmax(logits: NDArray[Any]) -> NDArray[np.float64]:
    """Log-probabilities along the last axis, in float64."""
    wide = np.asarray(logits, dtype=np.float64)
    wide = wide - wide.max(axis=-1, keepdims=True)
    return np.asarray(wide - np.log(np.exp(wide).sum(axis=-1, keepdims=True)))


def log_sum(logs: NDArray[Any] | Sequence[float]) -> NDArray[np.float64]:
    """log of the sum of probabilities along the last axis; -inf where there is none."""
    wide = np.asarray(logs, dtype=np.float64)
    if wide.shape[-1] == 0:
        return np.full(wide.shape[:-1], -np.inf)
    top = wide.max(axis=-1, keepdims=True)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(wide - safe).sum(axis=-1)) + safe[..., 0])


def _fold(text: str) -> str:
    return text.strip().casefold()
