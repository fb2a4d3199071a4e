"""MetaCLUE: visual metaphors of the form "X is as R as Y", from annotations as JSON.

MetaCLUE's own data is not public, so the format is trope's: `metaclue.jsonl`, one picture a line
(docs/FORMAT.md has an example), with the pictures beside it. Four tasks are made from it:

`metaclue-classification`  is the picture a metaphor? One candidate an item: the picture.
`metaclue-retrieval?k=50&negatives=..&seed=0`  find the picture's statement among k.
`metaclue-vqa`  the six questions of the supplement, section B.2; answered in words, from a file.
`metaclue-localisation`  where the concepts are; answered with boxes, from a file.

Hard negatives are made from the true statement by taking parts from other pictures' statements;
none is ever true of the picture. No answer is scored here.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Literal

import msgspec

from trope.address import Address, whole
from trope.errors import InputError, many, shown
from trope.item import Benchmark, Candidate, Card, Item, Role
from trope.read import check_data_folder
from trope.read.boxes import Box, clean
from trope.read.folder import lines
from trope.read.picture import check_picture
from trope.read.words import normalised

FILE = "metaclue.jsonl"
STATEMENT = "{primary} is as {relation} as {secondary}"
"""Supplement, section B."""
METAPHOR = "a visual metaphor"
"""What classification asks for: the phrase of each of its items."""

# Supplement, section B.2: the six questions, two for each part of a statement.
QUESTIONS: tuple[tuple[str, str], ...] = (
    ("primary", "What is used as a visual metaphor for {secondary}?"),
    ("primary", "What is as {relation} as {secondary}?"),
    ("secondary", "What is {primary} a visual metaphor for?"),
    ("secondary", "What is {primary} as {relation} as?"),
    ("relation", "What is {primary} as compared to {secondary}?"),
    ("relation", "What is {primary} like compared to {secondary}?"),
)
NEGATIVES: dict[str, tuple[str, ...]] = {
    "random": ("primary", "relation", "secondary"),
    "primary": ("primary",),
    "secondary": ("secondary",),
    "primary+relation": ("primary", "relation"),
    "secondary+relation": ("secondary", "relation"),
}
"""Which parts of a negative come from another picture; all of them: another picture's statement."""
LOCALISED = ("explicit", "contextual")
"""The types of box that localisation is measured on (supplement, section C)."""
CARD = Card(
    title="MetaCLUE: visual metaphors",
    citation="Akula et al. (2023), MetaCLUE: Towards Comprehensive Visual Metaphors Research",
    source="annotations of one's own in trope's MetaCLUE format",
    languages=("en",),
)


class Statement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one annotator says the picture says."""

    primary: str
    relation: str
    secondary: str
    validity: float | None = None
    """How many validators agreed, as a share; the best statement is taken where one is needed."""
    annotator: str = ""

    def __str__(self) -> str:
        return STATEMENT.format(
            primary=self.primary.strip(),
            relation=self.relation.strip(),
            secondary=self.secondary.strip(),
        )


class Marked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A box drawn by an annotator."""

    box: tuple[float, float, float, float]
    """Left, top, right, bottom, in pixels from the upper left corner."""
    type: Literal["explicit", "contextual", "logo", "text"]
    concept: Literal["primary", "secondary", "both"] | None = None
    annotator: str = ""


class Annotated(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One picture and everything that was said about it."""

    image: str
    is_metaphor: bool | None = None
    votes: tuple[bool, ...] = ()
    """The annotators' votes; a majority makes a metaphor (3 of 5 in the supplement)."""
    statements: tuple[Statement, ...] = ()
    boxes: tuple[Marked, ...] = ()
    descriptions: tuple[str, ...] = ()
    width: int | None = None
    height: int | None = None
    split: str = ""

    @property
    def metaphor(self) -> bool | None:
        """Whether it is a metaphor; None where nobody said."""
        if self.is_metaphor is None and self.votes:
            return 2 * sum(self.votes) > len(self.votes)
        return self.is_metaphor

    @property
    def best(self) -> Statement:
        """The statement that was validated best, the first of equals."""
        return max(self.statements, key=lambda s: -1.0 if s.validity is None else s.validity)


def read(address: Address, data: Path | None, gold: Path | None) -> Benchmark:
    """One of MetaCLUE's four tasks."""
    if gold is not None:
        raise InputError(f"--gold goes with AdMIRe's splits; MetaCLUE's gold is in {FILE}.")
    family = address.name
    if family not in TASKS:
        raise InputError(f"{shown(address.name)} takes nothing after a '/'; write {family!r}.")
    path = find(check_data_folder(data, address.name))
    pictures = list(read_pictures(path))
    split = address.options.get("split", "")
    if split:
        pictures = [picture for picture in pictures if picture.split == split]
    if not pictures:
        raise InputError(f"{path} holds no picture{f' of the split {split!r}' if split else ''}.")
    task, make = TASKS[family]
    items = tuple(make(pictures, address, path))
    if not items:
        raise InputError(f"{path} has nothing for {family}; see docs/FORMAT.md for what it needs.")
    absent = [p.image for p in pictures if not (path.parent / p.image).is_file()]
    some = len(absent) < len(pictures)
    options = "&".join(f"{key}={value}" for key, value in sorted(address.options.items()))
    return Benchmark(
        name=f"{family}?{options}" if options else family,
        task=task,
        items=items,
        card=CARD,
        root=path.parent,
        notes=(f"{path}: {len(absent)} pictures are absent ({many(absent)}).",)
        if absent and some
        else (),
    )


def find(below: Path) -> Path:
    """metaclue.jsonl, or the one file of that name below a folder."""
    if below.is_file():
        return below
    found = [below / FILE] if (below / FILE).is_file() else sorted(below.rglob(FILE))
    if len(found) != 1:
        raise InputError(
            f"There {'is no' if not found else 'are several'} {FILE} below "
            f"{shown(below, most=200)}; docs/FORMAT.md says what it holds, --data where it is."
        )
    return found[0]


def read_pictures(path: Path) -> Iterator[Annotated]:
    """The pictures of a file, each checked."""
    decode = msgspec.json.Decoder(Annotated).decode
    seen: dict[str, int] = {}
    for line, data in lines(path):
        where = f"{path}, line {line}"
        try:
            picture = decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(f"{where}: {error}.") from None
        for problem in _problems(picture, path.parent):
            raise InputError(f"{where}, {problem}")
        if picture.image in seen:
            raise InputError(
                f"{where}, image: {shown(picture.image)} stands on line {seen[picture.image]} "
                "already; put what was said of a picture on one line."
            )
        seen[picture.image] = line
        yield picture


def _problems(picture: Annotated, folder: Path) -> Iterator[str]:
    name = PurePosixPath(picture.image)
    if not picture.image.strip() or name.is_absolute() or ".." in name.parts or "\\" in str(name):
        yield f"image: {shown(picture.image)} must be a path inside the folder of {FILE}."
        return
    if (folder / name).is_file():
        try:
            check_picture(folder / name)
        except InputError as error:
            yield f"image: {error}"
    voted = 2 * sum(picture.votes) > len(picture.votes)
    if picture.is_metaphor is not None and picture.votes and picture.is_metaphor != voted:
        yield (
            f"is_metaphor: {picture.is_metaphor}, but {sum(picture.votes)} of "
            f"{len(picture.votes)} votes say yes; leave one of the two out."
        )
    if picture.metaphor is False and picture.statements:
        yield "statements: a picture that is no metaphor has none; remove them."
    for n, statement in enumerate(picture.statements):
        empty = [
            part for part in ("primary", "relation", "secondary") if not _part(statement, part)
        ]
        if empty:
            yield f"statements[{n}].{empty[0]}: it is empty; fill it."
    for n, marked in enumerate(picture.boxes):
        left, top, right, bottom = marked.box
        inside = (picture.width is None or right <= picture.width) and (
            picture.height is None or bottom <= picture.height
        )
        if not (0 <= left < right and 0 <= top < bottom and inside):
            yield (
                f"boxes[{n}].box: {list(marked.box)} isn't left, top, right, bottom within the "
                "picture."
            )


def _part(statement: Statement, part: str) -> str:
    return str(getattr(statement, part)).strip()


def _shown(picture: Annotated, path: Path) -> Candidate:
    there = (path.parent / picture.image).is_file()
    described = {"en": " ".join(picture.descriptions)} if picture.descriptions else {}
    return Candidate(id=picture.image, image=picture.image if there else None, captions=described)


# -- the four tasks ------------------------------------------------------------------------------


def _classification(pictures: list[Annotated], address: Address, path: Path) -> Iterator[Item]:
    for picture in pictures:
        yes = picture.metaphor
        candidate = msgspec.structs.replace(
            _shown(picture, path),
            role=None if yes is None else Role.positive if yes else Role.negative,
            gain=None if yes is None else float(yes),
        )
        yield Item(
            id=picture.image,
            phrase=METAPHOR,
            language="en",
            candidates=(candidate,),
            kind="metaphor",
            split=picture.split or None,
        )


def _retrieval(pictures: list[Annotated], address: Address, path: Path) -> Iterator[Item]:
    options = address.options
    k = whole(address, "k", options.get("k", "50"), least=2)
    seed = whole(address, "seed", options.get("seed", "0"))
    kind = options.get("negatives", "random").replace(" ", "+")
    if kind not in NEGATIVES:
        raise InputError(f"negatives must be one of {', '.join(NEGATIVES)}, not {shown(kind)}.")
    stated = [picture for picture in pictures if picture.statements]
    for picture in stated:
        draw = random.Random(_number(seed, kind, picture.image))
        texts = _statements(picture, stated, kind, k, draw, path)
        yield Item(
            id=picture.image,
            phrase=picture.image,
            language="en",
            query=_shown(picture, path),
            candidates=tuple(
                Candidate(
                    id=text,
                    role=Role.positive if text == str(picture.best) else Role.negative,
                    gain=float(text == str(picture.best)),
                    captions={"en": text},
                )
                for text in texts
            ),
            kind="metaphor",
            split=picture.split or None,
            definitions=picture.descriptions,
        )


def _statements(
    picture: Annotated,
    stated: list[Annotated],
    kind: str,
    k: int,
    draw: random.Random,
    path: Path,
) -> list[str]:
    """The true statement among k - 1 that aren't true of the picture, in an order by the seed."""
    truth = picture.best
    own = {normalised(str(statement)) for statement in picture.statements}
    others = {
        str(_mixed(truth, other, NEGATIVES[kind]))
        for one in stated
        if one.image != picture.image
        for other in one.statements
    }
    by_words = {normalised(text): text for text in sorted(others, reverse=True)}
    pool = sorted(text for words, text in by_words.items() if words not in own)
    if len(pool) < k - 1:
        raise InputError(
            f"{path} gives {len(pool)} different negatives ({kind}) for {shown(picture.image)}, "
            f"and k={k} needs {k - 1}; ask for k={len(pool) + 1} or less."
        )
    chosen = [*draw.sample(pool, k - 1), str(truth)]
    draw.shuffle(chosen)
    return chosen


def _mixed(truth: Statement, other: Statement, parts: tuple[str, ...]) -> Statement:
    """The true statement with some parts from another; they come from one and the same."""
    return msgspec.structs.replace(truth, **{part: getattr(other, part) for part in parts})


def _number(*parts: object) -> int:
    return int.from_bytes(hashlib.sha256("\0".join(map(str, parts)).encode()).digest(), "big")


def _vqa(pictures: list[Annotated], address: Address, path: Path) -> Iterator[Item]:
    for picture in pictures:
        right: dict[tuple[int, str], list[str]] = {}
        for statement in picture.statements:
            for n, (part, _) in enumerate(QUESTIONS):
                answers = right.setdefault((n, question(statement, n)), [])
                answers += [text for text in [_part(statement, part)] if text not in answers]
        for turn, ((n, text), answers) in enumerate(right.items(), 1):
            yield Item(
                id=f"{picture.image}#{turn}",
                phrase=text,
                language="en",
                query=_shown(picture, path),
                candidates=tuple(
                    Candidate(id=a, role=Role.positive, gain=1.0, captions={"en": a})
                    for a in answers
                ),
                kind="metaphor",
                split=picture.split or None,
                extra={"image": picture.image, "part": QUESTIONS[n][0]},
            )


def question(statement: Statement, n: int) -> str:
    """The n-th of the six questions about a statement.

    >>> question(Statement("the phone", "fast", "a rocket"), 3)
    'What is the phone as fast as?'
    """
    return QUESTIONS[n][1].format(
        primary=_part(statement, "primary"),
        relation=_part(statement, "relation"),
        secondary=_part(statement, "secondary"),
    )


def _localisation(pictures: list[Annotated], address: Address, path: Path) -> Iterator[Item]:
    for picture in pictures:
        for kind in LOCALISED:
            drawn: list[Box] = [marked.box for marked in picture.boxes if marked.type == kind]
            if drawn:
                yield Item(
                    id=f"{picture.image}#{kind}",
                    phrase=str(picture.best) if picture.statements else picture.image,
                    language="en",
                    query=_shown(picture, path),
                    candidates=tuple(
                        Candidate(id=box_name(box), role=Role.positive, gain=1.0)
                        for box in clean(drawn)
                    ),
                    kind="metaphor",
                    split=picture.split or None,
                    extra={"image": picture.image, "type": kind},
                )


def box_name(box: Box) -> str:
    """A box as a candidate's id.

    >>> box_name((10.0, 0.5, 40.0, 20.0))
    '10,0.5,40,20'
    """
    return ",".join(f"{corner:.10g}" for corner in box)


def named_box(name: str) -> Box:
    """The box that an id stands for."""
    left, top, right, bottom = map(float, name.split(","))
    return left, top, right, bottom


TASKS: dict[str, tuple[str, Callable[[list[Annotated], Address, Path], Iterator[Item]]]] = {
    "metaclue-classification": ("classification", _classification),
    "metaclue-retrieval": ("retrieval", _retrieval),
    "metaclue-vqa": ("answering", _vqa),
    "metaclue-localisation": ("localisation", _localisation),
}
