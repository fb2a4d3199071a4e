"""How models and benchmarks are addressed: `name:rest?option=value&option=value`.

Only the text is taken apart here; what a name means is decided in `read/` and `score/`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from trope.errors import InputError, shown


@dataclass(frozen=True)
class Address:
    """A short URI, taken apart."""

    text: str
    """The address as it was written."""
    name: str
    """What stands before the first `:` (models), or the whole path (benchmarks)."""
    rest: str = ""
    """What stands after the first `:`: a checkpoint, a folder, a file."""
    options: dict[str, str] = field(default_factory=dict)

    def take(self, allowed: dict[str, str]) -> dict[str, str]:
        """The options, with `allowed`'s defaults; an option that isn't there is refused."""
        for key in self.options:
            if key not in allowed:
                offer = ", ".join(sorted(allowed)) or "none"
                raise InputError(
                    f"{shown(self.text)} has no option {shown(key)}; its options: {offer}."
                )
        return {**allowed, **self.options}


def parse(text: str, *, scheme: bool = True) -> Address:
    """Take an address apart.

    >>> parse("random?seed=1").options
    {'seed': '1'}
    >>> parse("vectors:a.npz?text={phrase}|text").rest
    'a.npz'
    >>> parse("admire-a/en/train", scheme=False).name
    'admire-a/en/train'
    """
    if "\0" in text:
        raise InputError("An address can't hold a NUL character.")
    head, _, query = text.partition("?")
    options: dict[str, str] = {}
    for part in filter(None, query.split("&")):
        key, sign, value = part.partition("=")
        if not sign or not key:
            raise InputError(f"In {shown(text)}, write options as ?name=value, not {shown(part)}.")
        if key in options:
            raise InputError(f"In {shown(text)}, the option {shown(key)} stands twice.")
        options[key] = value
    name, _, rest = head.partition(":") if scheme else (head, "", "")
    if not head.strip():
        raise InputError(f"{shown(text)} names nothing; write a name before the '?'.")
    return Address(text=text, name=name, rest=rest, options=options)


def whole(address: Address, key: str, value: str, *, least: int = 0) -> int:
    """An option that must be a whole number."""
    try:
        number = int(value)
    except ValueError:
        number = least - 1
    if number < least or len(value) > 18:
        raise InputError(
            f"In {shown(address.text)}, {key} must be a whole number of at least {least}, "
            f"not {shown(value)}."
        )
    return number
