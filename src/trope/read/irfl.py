"""IRFL (Yosef, Bitton and Shahaf, 2023) as its authors released it.

Three tasks, each for idioms, metaphors and similes:

`irfl-detection/KIND`  choose the figurative picture among four (`KIND_understanding_task.csv`).
    `?type=figurative` or `?type=figurative+literal` keeps the idioms whose right picture has that
    category. The published file holds 131 figurative and 69 figurative+literal idioms, where the
    paper's table 3 says 135 and 65.
`irfl-random/KIND?candidates=N&seed=N`  the same answers among N - 1 pictures of other phrases,
    drawn from all pictures in the task files that are there (the paper's tables 4 and 5).
`irfl-retrieval/KIND`  figurative against partly literal pictures (`KIND_preference_task.csv`),
    measured by precision at k, k being the number of figurative pictures. The published file of
    metaphors has 34 phrases where the paper's table 7 says 35: 'an angel' isn't in it. No file
    for idioms is published with the others; one of that name is read all the same.

Published similes are closed ("The pan is as hot as lava"). `?form=open` takes the shared property
out ("The pan is like lava"), which gives the paper's 137 open phrases for its 142 closed ones.

A role says what a picture is to *this* phrase. The published category of a distractor speaks of
the phrase it was collected for, so a picture of another phrase has the role `none` here whatever
its category; whose picture it is, the files say themselves for idioms, and the retrieval task
and `metaphors.json` say for metaphors and similes. So every idiom has one or two partly literal
distractors, every simile two and every metaphor one to three, as the paper says, but for the ten
items of 'an angel', of which no such picture was collected.

The candidates stand in an order that says nothing about the answer. Pictures are web addresses,
base64 or files. `trope pictures` fetches the first kind; items that then lost a picture are left
out and counted (`?lost=keep` keeps them).
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from trope.address import Address, whole
from trope.errors import InputError, shown, unknown
from trope.item import Benchmark, Candidate, Card, Item, Role
from trope.read import READERS, check_data_folder
from trope.read.find import find_file
from trope.read.kept import Kept, from_base64
from trope.read.table import Row, read_rows, read_text

KINDS = ("idiom", "metaphor", "simile")
FILES = {
    "irfl-detection": "{}_understanding_task.csv",
    "irfl-random": "{}_understanding_task.csv",
    "irfl-retrieval": "{}_preference_task.csv",
}
TYPES = {"fvspo": "figurative", "flvspo": "figurative literal"}
"""How the retrieval files call the two sorts of right picture (PO: partial objects)."""
MOST_CANDIDATES = 1000
ROLES = {
    "figurative": Role.figurative,
    "figurative literal": Role.figurative_literal,
    "literal": Role.literal,
    "partial objects": Role.partial_literal,
    "partial literal": Role.partial_literal,
}
"""Published categories that are roles; 'None', 'No Category' and 'Caption' are `none`."""
CARD = Card(
    title="IRFL: Image Recognition of Figurative Language",
    licence="CC BY 4.0",
    citation="Yosef, Bitton and Shahaf (2023), IRFL: Image Recognition of Figurative Language, "
    "arXiv:2303.15445",
    source="https://irfl-dataset.github.io/",
    languages=("en",),
)
_CLOSED = re.compile(r"^(?P<target>.+?) (?P<verb>is|are|was|were) as .+? as (?P<source>.+)$")

Meta = dict[str, Any]


def read(address: Address, data: Path | None, gold: Path | None) -> Benchmark:
    """One of IRFL's tasks."""
    if gold is not None:
        raise InputError("--gold goes with AdMIRe's splits; IRFL's files hold their own gold.")
    family, kind = _parts(address)
    options = address.take({"captions": "", **READERS[family].options})
    _check_options(address, options, kind)
    below = check_data_folder(data, address.name)
    table = find_file(below, FILES[family].format(kind), what="IRFL's tasks")
    release = _Release(table, Kept(), options["form"] == "open")
    release.learn(kind)
    make = _retrieval_item if family == "irfl-retrieval" else _detection_item
    items = [make(row, kind, number, release) for number, row in enumerate(release.rows(table))]
    if not items:
        raise InputError(f"{table} holds no item.")
    if options["type"]:
        items = _of_type(items, options["type"], address)
    if family == "irfl-random":
        pool = release.pool(skip_lost=options["lost"] == "leave")
        size = whole(address, "candidates", options["candidates"], least=2)
        seed = whole(address, "seed", options["seed"])
        items = [_among_others(item, pool, size, seed, release) for item in items]
    return _assembled(address, options, items, release)


def _parts(address: Address) -> tuple[str, str]:
    family, _, kind = address.name.lower().partition("/")
    if kind not in KINDS:
        raise unknown("task", address.name, [f"{family}/{k}" for k in KINDS])
    return family, kind


def _check_options(address: Address, options: dict[str, str], kind: str) -> None:
    allowed = {"form": ("closed", "open"), "lost": ("leave", "keep")}
    for key, values in allowed.items():
        if options[key] not in values:
            raise InputError(
                f"In {shown(address.text)}, {key} is {' or '.join(values)}, "
                f"not {shown(options[key])}."
            )
    if options["form"] == "open" and kind != "simile":
        raise InputError(f"Only similes are open or closed; leave form out of {address.text}.")
    if "candidates" in options:
        size = whole(address, "candidates", options["candidates"], least=2)
        if size > MOST_CANDIDATES:
            raise InputError(f"{address.text}: at most {MOST_CANDIDATES} candidates.")


def _of_type(items: list[Item], wanted: str, address: Address) -> list[Item]:
    name = _plain(wanted)
    kept = [item for item in items if _plain(item.extra["type"]) == name]
    if not kept:
        known = sorted({item.extra["type"].replace(" ", "+") for item in items})
        raise unknown("type", wanted, known, advice=f"({address.name})")
    return kept


# -- what the release says of a picture ------------------------------------------------------------


@dataclass
class _Picture:
    """A picture of the release, and the phrases it was collected for."""

    candidate: Candidate
    owners: set[str] = field(default_factory=set)


@dataclass
class _Release:
    """The task files below a folder."""

    table: Path
    kept: Kept
    open: bool
    known: dict[str, dict[str, Meta]] = field(default_factory=dict)
    """Phrase -> picture -> its category there, for metaphors and similes."""
    told: set[str] = field(default_factory=lambda: {"idiom"})
    """The kinds of which `known` was found; else a row's own categories are all there is."""
    _rows: dict[Path, list[Row]] = field(default_factory=dict)

    def rows(self, path: Path) -> list[Row]:
        """The rows of a task file, read once."""
        if path not in self._rows:
            need = ("phrase", "images_metadata", "type")
            self._rows[path] = read_rows(path, need=need, tabs=False)
        return self._rows[path]

    def phrase(self, row: Row) -> str:
        return self.spelled(row["phrase"].strip(), row)

    def spelled(self, phrase: str, row: Row | None = None) -> str:
        """The phrase as the item shows it: a closed simile as it stands, or opened."""
        if not self.open:
            return phrase
        match = _CLOSED.match(phrase)
        if match is None:
            if row is None:
                return phrase
            raise row.wrong(f"{shown(phrase)} isn't a simile of the form '.. is as .. as ..'.")
        return f"{match['target']} {match['verb']} like {match['source']}"

    def learn(self, kind: str) -> None:
        """Find out whose picture is whose, from the files beside the table."""
        if kind in self.told:
            return
        for path in _beside(self.table, FILES["irfl-retrieval"].format(kind)):
            self.told.add(kind)
            for row in self.rows(path):
                own = self.known.setdefault(row["phrase"].strip(), {})
                own.update((_id(meta), meta) for meta in _metas(row))
        if kind == "metaphor":
            for path in _beside(self.table, "metaphors.json"):
                self.told.add(kind)
                self._learn_metaphors(path)

    def _learn_metaphors(self, path: Path) -> None:
        try:
            phrases = msgspec.json.decode(read_text(path), type=list[dict[str, Any]])
            for one in phrases:
                own = self.known.setdefault(one["phrase"].strip(), {})
                for category in ("figurative", "literal", "none"):
                    for meta in _flat(one.get(category, [])):
                        own.setdefault(_id(meta), {**meta, "category": category})
        except (msgspec.MsgspecError, KeyError, AttributeError, TypeError) as error:
            raise InputError(f"{path} isn't IRFL's list of metaphors ({error}).") from None

    def own(self, phrase: str, kind: str, meta: Meta) -> Meta | None:
        """The picture's entry for this phrase; None where it is a picture of another one."""
        if kind == "idiom":
            return meta if meta.get("phrase", phrase).strip() == phrase else None
        return self.known.get(phrase, {}).get(_id(meta)) if kind in self.told else meta

    def candidate(self, row: Row, meta: Meta, role: Role, gain: float) -> Candidate:
        image, url = self._picture(row, str(meta["img"]))
        return Candidate(id=_id(meta), role=role, gain=gain, image=image, url=url)

    def _picture(self, row: Row, text: str) -> tuple[str | None, str | None]:
        """Where the picture is among the kept ones, and its web address."""
        if text[:8].lower().startswith(("http://", "https://")):
            return self.kept.find(text), text
        where = f"{row.source}, line {row.line}: img {shown(text, most=40)}"
        file = Path(row.source).parent / text if len(text) < 255 and ".." not in text else None
        if file is not None and not Path(text).is_absolute() and file.is_file():
            return self.kept.keep(file.read_bytes(), where=where), None
        data = from_base64(text)
        if data is None:
            raise InputError(f"{where} is neither a web address nor a file nor base64.")
        return self.kept.keep(data, where=where), None

    def pool(self, *, skip_lost: bool) -> list[_Picture]:
        """Every picture of the task files beside the table, by id, with the phrases it is of."""
        pool: dict[str, _Picture] = {}
        for kind in KINDS:
            for family in ("irfl-detection", "irfl-retrieval"):
                for path in _beside(self.table, FILES[family].format(kind)):
                    for row in self.rows(path):
                        self._pour(row, pool)
        chosen = [pool[name] for name in sorted(pool)]
        if skip_lost:
            chosen = [p for p in chosen if not self.kept.lost(p.candidate.url or "")]
        return chosen

    def _pour(self, row: Row, pool: dict[str, _Picture]) -> None:
        """Idioms say whose each picture is; elsewhere all of a row's pictures count as its own."""
        phrase = row["phrase"].strip()
        for meta in _metas(row):
            picture = pool.get(_id(meta))
            if picture is None:
                picture = _Picture(self.candidate(row, meta, Role.none, 0.0))
                pool[_id(meta)] = picture
            picture.owners.add(self.spelled(str(meta.get("phrase", phrase)).strip()))


def _beside(table: Path, name: str) -> list[Path]:
    """A sister file: next to the table, or in the release's folder beside its tasks."""
    places = (table.parent, table.parent.parent / "dataset", table.parent.parent)
    return [place / name for place in places if (place / name).is_file()][:1]


def _flat(entries: Any) -> list[Meta]:
    """`metaphors.json` nests its literal pictures one list deeper than the others."""
    return [m for e in entries for m in (e if isinstance(e, list) else [e])]


def _id(meta: Meta) -> str:
    """The picture's published id; a hash of its address where it has none."""
    uuid = str(meta.get("uuid") or "").strip()
    return uuid or "sha-" + hashlib.sha256(str(meta["img"]).encode()).hexdigest()[:24]


def _metas(row: Row) -> list[Meta]:
    metas = _cell(row, "images_metadata", list[dict[str, Any]])
    if not metas or not all(isinstance(meta.get("img"), str) and meta["img"] for meta in metas):
        raise row.wrong("images_metadata must list pictures, each with its img.")
    return list(metas)


def _cell(row: Row, column: str, kind: Any) -> Any:
    try:
        return msgspec.json.decode(row[column], type=kind)
    except KeyError:
        raise InputError(f"{row.source} has no column {shown(column)}.") from None
    except (msgspec.MsgspecError, RecursionError) as error:
        raise row.wrong(f"{column} isn't the JSON list it should be ({error}).") from None


def _plain(category: object) -> str:
    """One spelling for 'Figurative Literal', 'figurative+literal' and 'Figurative_Literal'."""
    return re.sub(r"[\s+_-]+", " ", str(category or "").casefold()).strip()


def _role(meta: Meta | None, kind: str) -> Role:
    """The role a category gives; what is merely literal of a metaphor is a part of it."""
    role = ROLES.get(_plain(meta.get("category")), Role.none) if meta else Role.none
    return Role.partial_literal if role is Role.literal and kind != "idiom" else role


# -- items -----------------------------------------------------------------------------------------


def _detection_item(row: Row, kind: str, number: int, release: _Release) -> Item:
    answers, others = (_cell(row, name, list[str]) for name in ("answer", "distractors"))
    phrase, metas = row["phrase"].strip(), {meta["img"]: meta for meta in _metas(row)}
    named = [*answers, *others]
    if len(answers) != 1 or not others or len(set(named)) != len(named):
        raise row.wrong("expected one answer and some distractors, none of them twice.")
    right = _plain(row["type"])
    if right not in ("figurative", "figurative literal"):
        raise row.wrong(
            f"type must be 'figurative' or 'figurative literal', not {shown(row['type'])}."
        )
    candidates, parts = [], {}
    for img in named:
        meta = metas.get(img, {"img": img})
        own = release.own(phrase, kind, meta)
        role = ROLES[right] if img in answers else _role(own, kind)
        candidates.append(release.candidate(row, meta, role, 1.0 if img in answers else 0.0))
        if own and own.get("sub_category"):
            parts[str(own["sub_category"])] = _id(meta)
    return _item(row, kind, number, release, candidates, {"type": right, **parts})


def _retrieval_item(row: Row, kind: str, number: int, release: _Release) -> Item:
    first, second = (_cell(row, name, list[str]) for name in ("first_category", "second_category"))
    metas = {meta["img"]: meta for meta in _metas(row)}
    named = [*first, *second]
    if not first or not second or len(set(named)) != len(named):
        raise row.wrong("expected figurative and partly literal pictures, none of them twice.")
    candidates = []
    for img in named:
        meta, right = metas.get(img, {"img": img}), img in first
        role = _role(meta, kind)
        if role is Role.none:
            role = Role.figurative if right else Role.partial_literal
        candidates.append(release.candidate(row, meta, role, float(right)))
    kind_of = TYPES.get(_plain(row["type"]), _plain(row["type"]))
    return _item(row, kind, number, release, candidates, {"type": kind_of})


def _item(
    row: Row,
    kind: str,
    number: int,
    release: _Release,
    candidates: list[Candidate],
    extra: dict[str, str],
) -> Item:
    name = f"{kind}-{number:03d}"
    if not row["phrase"].strip():
        raise row.wrong("phrase is empty.")
    definitions = _cell(row, "definition", list[str]) if row.get("definition") else []
    about = {_id(m): {k: v for k, v in m.items() if k not in ("img", "uuid")} for m in _metas(row)}
    extra["pictures"] = json.dumps(about, ensure_ascii=False)
    if row.get("query"):
        extra["query"] = row["query"]
    if kind == "simile":
        extra["form"] = "open" if release.open else "closed"
        extra["published"] = row["phrase"].strip()
    return Item(
        id=name,
        phrase=release.phrase(row),
        language="en",
        candidates=_mixed(name, candidates),
        kind=kind,
        definitions=tuple(d.strip() for d in definitions if d.strip()),
        extra=extra,
    )


def _mixed(item: str, candidates: list[Candidate]) -> tuple[Candidate, ...]:
    """In an order that says nothing about the answer, and is the same everywhere."""
    return tuple(sorted(candidates, key=lambda c: _number(item, c.id)))


def _number(*parts: object) -> int:
    text = "\0".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")


def _among_others(
    item: Item, pool: list[_Picture], size: int, seed: int, release: _Release
) -> Item:
    """The item's answer among pictures of other phrases."""
    answer = next(c for c in item.candidates if c.gain == 1.0)
    chosen = {answer.id: answer}
    for draw in range(100 * (len(pool) + size)):
        if len(chosen) == size:
            break
        picture = pool[_number(seed, item.id, draw) % len(pool)]
        if item.phrase not in picture.owners:
            chosen.setdefault(picture.candidate.id, picture.candidate)
    else:
        raise InputError(
            f"There are too few pictures of other phrases than {shown(item.phrase)} beside "
            f"{release.table} for {size} candidates; ask for fewer."
        )
    extra = {k: v for k, v in item.extra.items() if k not in ("source", "target", "pictures")}
    mixed = _mixed(f"{seed}/{item.id}", list(chosen.values()))
    return msgspec.structs.replace(item, candidates=mixed, extra=extra)


# -- the whole -------------------------------------------------------------------------------------


def _assembled(
    address: Address, options: dict[str, str], items: list[Item], release: _Release
) -> Benchmark:
    family = address.name.lower().partition("/")[0]
    shown_options = {
        key: value
        for key, value in options.items()
        if key in ("candidates", "seed")
        or (key in ("type", "form") and value not in ("", "closed"))
    }
    query = "&".join(f"{key}={value}" for key, value in shown_options.items())
    kept, notes = _without_lost(items, release, keep=options["lost"] == "keep")
    name = f"{address.name.lower()}{'?' + query if query else ''}"
    if items[0].kind not in release.told:
        notes.append(
            "neither the retrieval task nor metaphors.json lies beside the table, so a distractor's"
            " published category is taken as its role"
        )
    notes += _waiting(kept, name)
    if not kept:
        raise InputError(f"{name}: every item lost a picture; fetch them again, or ?lost=keep.")
    return Benchmark(
        name=name,
        task="retrieval" if family == "irfl-retrieval" else "detection",
        items=tuple(kept),
        card=CARD,
        root=release.kept.folder,
        notes=tuple(notes),
    )


def _without_lost(
    items: list[Item], release: _Release, *, keep: bool
) -> tuple[list[Item], list[str]]:
    """Leave out the items of which a picture is lost, and count them."""

    def dead(item: Item) -> set[str]:
        return {c.url for c in item.candidates if c.url and release.kept.lost(c.url)}

    lost = {item.id: urls for item in items if (urls := dead(item))}
    if keep or not lost:
        return items, []
    links = len(set().union(*lost.values()))
    kept = [item for item in items if item.id not in lost]
    note = (
        f"{len(lost)} of {len(items)} items lost a picture (dead links: {links}) and are left out"
    )
    return kept, [note]


def _waiting(items: list[Item], name: str) -> list[str]:
    candidates = {c.id: c for item in items for c in item.candidates}
    absent = sum(c.image is None for c in candidates.values())
    if not absent:
        return []
    return [
        f"{absent} of {len(candidates)} pictures are web addresses not fetched yet; "
        f"`trope pictures {shlex.quote(name)} --data DIR` fetches them"
    ]
