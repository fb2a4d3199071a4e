"""Compun's prompts: example captions, descriptors, and the instructions that make a model write
them. The words come from a file, a list for each phrase; asking a model is done elsewhere.

A file is JSON (`{"snow ball": ["...", ...]}`), or CSV or TSV with the columns `phrase` and
`text`, one line a text. `examples:FILE?first=N` takes the first N texts of each phrase, as
Compun's table 2 does.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

from trope.address import parse, whole
from trope.errors import InputError, shown
from trope.hashes import value_hash
from trope.prompt.template import Prompt, Words, check_template, fold
from trope.read.table import read_rows, read_text

# Compun, section 4: five captions a compound noun, each in a prompt of its own.
EXAMPLE = "a photo of a {phrase}. An example of {phrase} in an image is {caption}"
EXAMPLES = 5
# Compun, section 4: what GPT-4 was asked (temperature 0.1, top-p 1), word for word.
EXAMPLES_INSTRUCTION = (
    "Return a list of 5 diverse captions with a {phrase} in a photo. The captions should be a "
    "maximum of 10 words and one-liners. All 5 captions should describe the compound noun in "
    "diverse settings with different verbs and actions being performed with the compound noun. "
    'An example output for "chicken burger": '
    "['Sizzling chicken burger grilling at a lively backyard BBQ.', "
    "'Chef expertly flipping a juicy chicken burger in a diner.', "
    "'Family enjoying homemade chicken burgers on a sunny picnic.', "
    "'Athlete fueling up with a protein-packed chicken burger post-workout.', "
    "'Friends sharing a chicken burger at a vibrant street festival.']. "
    "Only return a list of strings and nothing else."
)
# Menon and Vondrick (2023), which Compun runs as "CLIP w/ desc": a class, then what it has.
DESCRIBED = "{phrase}, {descriptor}"
DESCRIPTORS_INSTRUCTION = (
    "Q: What are useful features for distinguishing a {phrase} in a photo?\n"
    "A: There are several useful visual features to tell there is a {phrase} in a photo:\n-"
)
# How Menon and Vondrick join a descriptor to its class, by the letters it starts with; the first
# that fits. (Whatever starts with an a is taken for a noun with its article.)
JOINTS = (
    (("a",), "which is "),
    (("has", "often", "typically", "may", "can"), "which "),
    (("used",), "which is "),
    (("",), "which has "),
)

KINDS = ("examples", "descriptors")
"""What a prompt `KIND:FILE` may be."""


def file_prompt(text: str) -> Prompt:
    """`examples:FILE`, `descriptors:FILE` or `templates:FILE`."""
    address = parse(text)
    kind, query = address.name, text.partition("?")[2]
    first = address.take({"first": ""} if kind in KINDS else {}).get("first", "")
    if not address.rest:
        raise InputError(f"The prompt {kind} needs a file: {kind}:FILE.")
    path = Path(address.rest).expanduser()
    shown_name = f"{kind}:{path.name}" + (f"?{query}" if query else "")
    if kind == "templates":
        templates = [line.strip() for line in read_text(path).splitlines() if line.strip()]
        if not templates:
            raise InputError(f"{path} holds no template; write one a line.")
        for template in templates:
            check_template(template)
        return Prompt(shown_name, templates[0], tuple(templates[1:]))
    lists = read_lists(path)
    if first:
        most = whole(address, "first", first, least=1)
        lists = {phrase: texts[:most] for phrase, texts in lists.items()}
    if kind == "descriptors":
        lists = {phrase: tuple(joined(d) for d in found) for phrase, found in lists.items()}
        return Prompt(shown_name, DESCRIBED, words=_words("descriptor", path, lists))
    return Prompt(shown_name, EXAMPLE, words=_words("caption", path, lists))


def _words(field: str, path: Path, lists: dict[str, tuple[str, ...]]) -> Words:
    return Words(field, path.name, value_hash(lists), lists)


def joined(descriptor: str) -> str:
    """A descriptor as it follows its class.

    >>> joined("two wheels"), joined("used for writing"), joined("a handle")
    ('which has two wheels', 'which is used for writing', 'which is a handle')
    """
    return next(words for starts, words in JOINTS if descriptor.startswith(starts)) + descriptor


# -- the file ------------------------------------------------------------------------------------


def read_lists(path: Path) -> dict[str, tuple[str, ...]]:
    """Phrase, folded, to its texts."""
    lists = _from_json(path) if path.suffix.lower() == ".json" else _from_table(path)
    if not lists:
        raise InputError(f"{path} holds no phrase; is it the right file?")
    return lists


def _from_json(path: Path) -> dict[str, tuple[str, ...]]:
    form = 'an object such as {"snow ball": ["...", "..."]}'
    try:
        value = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} isn't JSON ({error}); expected {form}.") from None
    if not isinstance(value, dict):
        raise InputError(f"{path} must hold {form}.")
    lists: dict[str, tuple[str, ...]] = {}
    for phrase, texts in value.items():
        whole = isinstance(texts, list) and all(isinstance(t, str) and t.strip() for t in texts)
        try:
            "".join([phrase, *texts]).encode() if whole else None
        except UnicodeEncodeError:  # half of a pair: JSON allows it, text doesn't
            whole = False
        if not whole or not texts:
            raise InputError(f"{path}: {shown(phrase)} must have a list of texts, none empty.")
        if fold(phrase) in lists:
            raise InputError(f"{path}: {shown(phrase)} stands more than once; keep one.")
        lists[fold(phrase)] = tuple(text.strip() for text in texts)
    return lists


def _from_table(path: Path) -> dict[str, tuple[str, ...]]:
    lists: dict[str, list[str]] = {}
    for row in read_rows(path, need=("phrase", "text"), tabs=path.suffix.lower() != ".csv"):
        if not row["phrase"].strip() or not row["text"].strip():
            raise row.wrong("phrase and text must not be empty.")
        lists.setdefault(fold(row["phrase"]), []).append(row["text"].strip())
    return {phrase: tuple(texts) for phrase, texts in lists.items()}


# -- what a model wrote --------------------------------------------------------------------------


def parse_list(kind: str, answer: str) -> tuple[str, ...]:
    """The texts in a model's answer; () where it isn't a list of the right length.

    >>> parse_list("descriptors", "- two wheels\\n- a saddle")
    ('two wheels', 'a saddle')
    """
    found = _literal(answer) or _lines(answer)
    if kind == "examples":
        return found if len(found) == EXAMPLES else ()
    return found


def _literal(answer: str) -> tuple[str, ...]:
    """A list of strings, as JSON or Python writes it, whatever stands around it."""
    match = re.search(r"\[.*\]", answer[:20_000], re.DOTALL)
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(match.group()) if match else None
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            continue
        if isinstance(value, list) and value and all(isinstance(text, str) for text in value):
            return _clean(value)
    return ()


def _lines(answer: str) -> tuple[str, ...]:
    """Lines that are marked as entries of a list."""
    marked = (re.match(r"\s*(?:[-*•]|\d+[.)])\s*(\S.*)", line) for line in answer.splitlines())
    return _clean([match.group(1) for match in marked if match])


def _clean(texts: list[str]) -> tuple[str, ...]:
    stripped = (text.strip().strip('"“”').strip() for text in texts)
    return tuple(dict.fromkeys(text for text in stripped if text))
