"""The words (or the strip of pictures) in which an item is put to a model. One file an idea.

A prompt is a template over an item's fields, or several; its text is part of the experiment and
of the run's fingerprint. Nothing here knows what the model does with the words.
"""

from __future__ import annotations

from collections.abc import Iterable

from trope.errors import unknown
from trope.item import Item
from trope.prompt.question import QUESTIONS
from trope.prompt.template import FIELDS, Prompt, Words, own_prompt

__all__ = ["FIELDS", "TEMPLATES", "Prompt", "Words", "default", "get"]

# Snapshot-tested: a changed comma is a changed experiment.
TEMPLATES: dict[str, str] = {
    "phrase": "{phrase}",
    "sentence": "{sentence}",
    "phrase+sentence": "{phrase}: {sentence}",
    "definition": "{definition}",
    # IRFL, footnote 5: idioms go with their definitions; the paper doesn't say how they are joined.
    "phrase+definition": "{phrase}: {definition}",
    "photo": "A photo of a {phrase}",  # Compun, section 3
    "reversed": "A photo of a {reversed}",  # Compun, section 5, "CLIP rev."
    "sequence": "{sequence}",
    **QUESTIONS,
}
FILES = ("examples", "descriptors", "templates")
"""Prompts with words from a file, such as `examples:FILE`."""


def get(text: str) -> Prompt:
    """A prompt by its name, `examples:FILE`, or a template of one's own such as
    'A picture of {phrase}.'; several templates stand with `||` between them."""
    if text in TEMPLATES:
        return Prompt(text, TEMPLATES[text])
    if text.partition(":")[0] in FILES:
        from trope.prompt.examples import file_prompt

        return file_prompt(text)
    if "{" not in text:
        raise unknown(
            "prompt",
            text,
            [*TEMPLATES, *(f"{kind}:FILE" for kind in FILES)],
            advice="A template of your own holds a field, such as 'A picture of {phrase}.'",
        )
    return own_prompt(text)


def default(items: Iterable[Item], *, asks: bool = False) -> Prompt:
    """The phrase in its sentence, where every item has a sentence; else the phrase alone. Put as
    a question to a scorer that `asks`."""
    sentences = all(item.sentence for item in items)
    if asks:
        return get("question" if sentences else "meaning")
    return get("phrase+sentence" if sentences else "phrase")
