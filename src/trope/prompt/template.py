"""A prompt: one or more templates over an item's fields, and the texts they give for an item.

Several templates, or several words for one field, make an ensemble: an item has several texts, and
its score is the mean of the scores over them. For an encoder that is the mean of the cosines, as
Compun's equation 2 has it, not the cosine of a mean vector.
"""

from __future__ import annotations

import dataclasses
import hashlib
import string
from collections.abc import Mapping
from dataclasses import dataclass

from trope.errors import InputError, shown
from trope.item import Item

FIELDS = ("phrase", "sentence", "definition", "language", "sequence", "reversed")
"""What a template may ask for. Several definitions are joined with semicolons; `sequence` is the
captions of the pictures shown before, `reversed` the phrase with its nouns switched."""
BETWEEN = " || "
"""Stands between the templates of an ensemble."""
NOUNS = "nouns"
"""The published column (`Item.extra`) with a closed compound's nouns, such as 'rain coat'."""


@dataclass(frozen=True)
class Words:
    """Words for one field that come from a file, a list for each phrase."""

    field: str
    """What a template calls them: caption, descriptor."""
    source: str
    """The file's name, for messages."""
    hash: str
    """Of the words, so that another file is another experiment."""
    by_phrase: Mapping[str, tuple[str, ...]] = dataclasses.field(compare=False)

    def of(self, item: Item) -> tuple[str, ...]:
        """The item's words."""
        found = self.by_phrase.get(fold(item.phrase), ())
        if not found:
            raise InputError(
                f"{self.source} has no {self.field} for {shown(item.phrase)}; add some "
                "(`trope examples` writes them with a model)."
            )
        return found


@dataclass(frozen=True)
class Prompt:
    """A named template, or several."""

    name: str
    template: str
    more: tuple[str, ...] = ()
    """The further templates of an ensemble."""
    words: Words | None = None

    def text(self, item: Item) -> str:
        """What the model is shown for this item; the first of several.

        >>> item = Item(id="1", phrase="cold feet", language="en", candidates=())
        >>> Prompt("mine", "A drawing of {phrase}.").text(item)
        'A drawing of cold feet.'
        """
        return self.texts(item)[0]

    def texts(self, item: Item) -> tuple[str, ...]:
        """Each distinct text for this item.

        >>> item = Item(id="1", phrase="cold feet", language="en", candidates=())
        >>> Prompt("two", "{phrase}", ("A photo of {phrase}",)).texts(item)
        ('cold feet', 'A photo of cold feet')
        """
        fields = {name: self._field(item, name) for name in self.needs}
        listed = [{self.words.field: word} for word in self.words.of(item)] if self.words else [{}]
        filled = (t.format_map({**fields, **words}) for t in self.templates for words in listed)
        return tuple(dict.fromkeys(filled))

    def _field(self, item: Item, name: str) -> str:
        value = _value(item, name)
        if not value:
            what = "phrase of two nouns" if name == "reversed" else name
            raise InputError(
                f"The prompt {shown(self.name)} needs a {what}, and the item "
                f"{shown(item.id)} has none; choose another, such as --prompt phrase."
            )
        return value

    @property
    def templates(self) -> tuple[str, ...]:
        return (self.template, *self.more)

    @property
    def needs(self) -> tuple[str, ...]:
        """The item's fields that the templates ask for."""
        own = self.words.field if self.words else None
        parts = (part for t in self.templates for part in string.Formatter().parse(t))
        named = (name for _, name, _, _ in parts if name is not None and name != own)
        return tuple(dict.fromkeys(named))

    @property
    def written(self) -> str:
        """The templates as they are recorded."""
        return BETWEEN.join(self.templates)

    @property
    def hash(self) -> str:
        """Of the templates' text, and of the words from a file."""
        text = self.written + (f"\0{self.words.hash}" if self.words else "")
        return hashlib.sha256(text.encode()).hexdigest()


def own_prompt(text: str) -> Prompt:
    """A prompt from templates of one's own, one or several with `||` between them."""
    templates = [part.strip() for part in text.split(BETWEEN.strip())]
    for template in templates:
        check_template(template)
    return Prompt(text if len(templates) == 1 else BETWEEN.join(templates), *_split(templates))


def check_template(text: str, *, also: tuple[str, ...] = ()) -> None:
    """Refuse a template that asks for what an item hasn't, or for nothing of it."""
    try:
        fields = [part[1:] for part in string.Formatter().parse(text) if part[1] is not None]
    except ValueError as error:
        raise InputError(f"The template {shown(text)} is malformed: {error}.") from None
    known = (*FIELDS, *also)
    for name, spec, conversion in fields:
        if name not in known or spec or conversion:
            raise InputError(
                f"The template {shown(text)} asks for {shown('{' + str(name) + '}')}; "
                f"the fields are {', '.join('{' + field + '}' for field in known)}."
            )
    if not any(name != "language" for name, *_ in fields):
        raise InputError(f"The template {shown(text)} says nothing of the item; use {{phrase}}.")


def fold(phrase: str) -> str:
    """A phrase as files are searched for it: case and spaces don't matter."""
    return " ".join(phrase.casefold().split())


def _split(templates: list[str]) -> tuple[str, tuple[str, ...]]:
    return templates[0], tuple(templates[1:])


def _value(item: Item, name: str) -> str:
    if name == "definition":
        return "; ".join(item.definitions)
    if name == "sequence":
        captions = [item.caption(before) for before in item.sequence]
        return " ".join(c.strip() for c in captions if c) if all(captions) else ""
    if name == "reversed":
        return switched(item)
    return getattr(item, name) or ""


def switched(item: Item) -> str:
    """The phrase with its nouns in the other order; '' where it isn't made of several words.

    >>> switched(Item(id="1", phrase="cricket bat", language="en", candidates=()))
    'bat cricket'
    """
    nouns = (item.extra.get(NOUNS) or item.phrase).split()
    return " ".join(reversed(nouns)) if len(nouns) > 1 else ""
