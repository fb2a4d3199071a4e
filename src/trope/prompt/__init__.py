"""The words in which an item is put to a model.

A prompt is a template over an item's fields; its text is part of the experiment and of the run's
fingerprint. Nothing here knows what the model does with the words.
"""

from __future__ import annotations

import hashlib
import string
from collections.abc import Iterable
from dataclasses import dataclass

from trope.errors import InputError, shown, unknown
from trope.item import Item

# Snapshot-tested: a changed comma is a changed experiment.
TEMPLATES: dict[str, str] = {
    "phrase": "{phrase}",
    "sentence": "{sentence}",
    "phrase+sentence": "{phrase}: {sentence}",
    "definition": "{definition}",
    "phrase+definition": "{phrase}: {definition}",
}
FIELDS = ("phrase", "sentence", "definition", "language")
"""What a template may ask for. Several definitions are joined with semicolons."""


@dataclass(frozen=True)
class Prompt:
    """A named template."""

    name: str
    template: str

    def text(self, item: Item) -> str:
        """What the model is shown for this item.

        >>> item = Item(id="1", phrase="cold feet", language="en", candidates=())
        >>> get("A drawing of {phrase}.").text(item)
        'A drawing of cold feet.'
        """
        filled = self.template.format_map(
            {
                "phrase": item.phrase,
                "sentence": item.sentence or "",
                "definition": "; ".join(item.definitions),
                "language": item.language,
            }
        )
        for name in self.needs:
            if not _has(item, name):
                raise InputError(
                    f"The prompt {shown(self.name)} needs a {name}, and the item "
                    f"{shown(item.id)} has none; choose another, such as --prompt phrase."
                )
        return filled

    @property
    def needs(self) -> tuple[str, ...]:
        """The fields the template asks for."""
        parts = string.Formatter().parse(self.template)
        return tuple(name for _, name, _, _ in parts if name is not None)

    @property
    def hash(self) -> str:
        """Of the template's text."""
        return hashlib.sha256(self.template.encode()).hexdigest()


def get(text: str) -> Prompt:
    """A prompt by its name, or a template of one's own with {phrase}, {sentence}, {definition}."""
    if text in TEMPLATES:
        return Prompt(text, TEMPLATES[text])
    if "{" not in text:
        raise unknown(
            "prompt",
            text,
            TEMPLATES,
            advice="A template of your own holds a field, such as 'A picture of {phrase}.'",
        )
    return _own(text)


def _own(text: str) -> Prompt:
    try:
        fields = [part[1:] for part in string.Formatter().parse(text) if part[1] is not None]
    except ValueError as error:
        raise InputError(f"The template {shown(text)} is malformed: {error}.") from None
    for name, spec, conversion in fields:
        if name not in FIELDS or spec or conversion:
            raise InputError(
                f"The template {shown(text)} asks for {shown('{' + str(name) + '}')}; "
                f"the fields are {', '.join('{' + field + '}' for field in FIELDS)}."
            )
    if not any(name != "language" for name, *_ in fields):
        raise InputError(f"The template {shown(text)} says nothing of the item; use {{phrase}}.")
    return Prompt(text, text)


def default(items: Iterable[Item]) -> Prompt:
    """The phrase in its sentence, where every item has a sentence; else the phrase alone."""
    return get("phrase+sentence" if all(item.sentence for item in items) else "phrase")


def _has(item: Item, name: str) -> bool:
    if name == "definition":
        return bool(item.definitions)
    return bool(getattr(item, name))
