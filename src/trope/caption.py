"""What a generative scorer writes: captions of pictures, example captions and descriptors of
phrases. Each answer is kept, so the same command goes on where it was stopped.

`caption` gives a benchmark with its pictures captioned; `examples` a file for the prompts
`examples:FILE` and `descriptors:FILE`. Nothing here scores anything.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from trope import atomic
from trope.engine.cache import Cache, cache_folder
from trope.engine.plan import key
from trope.engine.progress import bar
from trope.errors import InputError, many, shown
from trope.hashes import file_hash, value_hash
from trope.item import Benchmark, Candidate, Item
from trope.prompt.examples import DESCRIPTORS_INSTRUCTION, EXAMPLES_INSTRUCTION, KINDS, parse_list
from trope.prompt.template import fold
from trope.read import load
from trope.read.folder import write_folder
from trope.read.picture import check_picture
from trope.read.pictures import SUFFIXES
from trope.score import load_scorer
from trope.score.faces import Content, Generator, Picture, Scorer

# AdMIRe paper, section 4.3: what LLaVA was asked, word for word.
CAPTION = "What is shown in this image?"
CAPTIONS = "captions.jsonl"
"""What is written for a folder of pictures that is no benchmark."""
INSTRUCTIONS = {"examples": EXAMPLES_INSTRUCTION, "descriptors": DESCRIPTORS_INSTRUCTION}
STEP = 64
"""Requests handed over at a time; a model that is killed loses at most these."""


@dataclass
class Written:
    """What a model wrote, and what it didn't."""

    model: str
    made: int = 0
    missing: list[str] = field(default_factory=list)
    place: Path = Path()
    remarks: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        gap = f"; {len(self.missing)} missing ({many(self.missing)})" if self.missing else ""
        return f"{self.model}: {self.made} written to {self.place}{gap}"


def caption(
    what: str | Path | Benchmark,
    model: str,
    out: str | Path,
    *,
    data: str | Path | None = None,
    prompt: str = CAPTION,
    language: str = "en",
    absent: bool = False,
    limit: int | None = None,
    fresh: bool = False,
) -> Written:
    """Caption the pictures of a benchmark, or of a folder of pictures, into a new folder.

    Captions in `language` are replaced by the model's; with `absent` only pictures that have none
    are captioned. A picture whose caption is missing keeps what it had.
    """
    writer = _Writer(model, fresh=fresh)
    with writer:
        plain = not isinstance(what, Benchmark) and _plain_folder(what)
        if plain:
            assert not isinstance(what, Benchmark)
            return _caption_folder(Path(what), Path(out), writer, prompt, language, limit)
        asked = what if isinstance(what, Benchmark) else load(what, data=data)
        return _caption_benchmark(asked.head(limit), Path(out), writer, prompt, language, absent)


def examples(
    benchmark: str | Path | Benchmark,
    model: str,
    out: str | Path,
    *,
    kind: str = "examples",
    data: str | Path | None = None,
    limit: int | None = None,
    fresh: bool = False,
) -> Written:
    """Have a model write five example captions (or descriptors) for each phrase, as Compun does."""
    if kind not in KINDS:
        raise InputError(f"There is no kind {shown(kind)}; there are {', '.join(KINDS)}.")
    place = Path(out)
    if place.suffix.lower() != ".json":
        raise InputError(f"{shown(place)} must end in .json.")
    asked = benchmark if isinstance(benchmark, Benchmark) else load(benchmark, data=data)
    phrases = list({fold(item.phrase): item.phrase for item in asked.head(limit).items}.values())
    with _Writer(model, fresh=fresh) as writer:
        told = [(INSTRUCTIONS[kind].format(phrase=phrase), None) for phrase in phrases]
        answers = writer.write(told)
        lists: dict[str, list[str]] = {}
        for phrase, answer in zip(phrases, answers, strict=True):
            found = parse_list(kind, answer or "")
            if found:
                lists[phrase] = list(found)
            else:
                writer.written.missing.append(phrase)
        if not lists:
            raise InputError(
                f"{model} wrote no list that can be read; its first answer: "
                f"{shown(answers[0] or 'none', most=160)}."
            )
        atomic.write(place, json.dumps(lists, indent=2, ensure_ascii=False) + "\n")
        return writer.end(len(lists), place)


# -- pictures ------------------------------------------------------------------------------------


def _plain_folder(what: str | Path) -> bool:
    path = Path(what)
    return path.is_dir() and not (path / "benchmark.json").exists()


def _caption_folder(
    folder: Path, out: Path, writer: _Writer, prompt: str, language: str, limit: int | None
) -> Written:
    """A line for each picture: where it is, and its caption."""
    paths = sorted(p for p in folder.rglob("*") if p.suffix.lower() in SUFFIXES)[:limit]
    if not paths:
        raise InputError(f"{shown(folder, most=200)} holds no pictures ({', '.join(SUFFIXES)}).")
    for path in paths:
        check_picture(path)
    found = writer.write([(prompt, Picture(path, file_hash(path))) for path in paths])
    lines = []
    for path, text in zip(paths, found, strict=True):
        name = path.relative_to(folder).as_posix()
        if text:
            lines.append(json.dumps({"image": name, "captions": {language: text}}))
        else:
            writer.written.missing.append(name)
    writer.refuse_nothing(len(lines))
    atomic.write(out / CAPTIONS, "".join(line + "\n" for line in lines))
    return writer.end(len(lines), out / CAPTIONS)


def _caption_benchmark(
    asked: Benchmark, out: Path, writer: _Writer, prompt: str, language: str, absent: bool
) -> Written:
    wanted: dict[str, Path] = {}
    for item in asked.items:
        for candidate in (*item.candidates, *item.sequence):
            path = asked.picture(candidate)
            if path and candidate.image and not (absent and candidate.captions.get(language)):
                wanted[candidate.image] = path
    if not wanted:
        none = "without a caption" if absent else "here"
        raise InputError(f"{asked.name} has no pictures {none}; there is nothing to caption.")
    found = writer.write([(prompt, Picture(path, file_hash(path))) for path in wanted.values()])
    texts = {name: text for name, text in zip(wanted, found, strict=True) if text}
    writer.written.missing = [name for name in wanted if name not in texts]
    writer.refuse_nothing(len(texts))
    made = msgspec.structs.replace(
        asked,
        items=tuple(_captioned(item, texts, language) for item in asked.items),
        card=msgspec.structs.replace(
            asked.card,
            source="; ".join(
                part
                for part in (
                    asked.card.source,
                    f"captions ({language}) by {writer.written.model}, asked {shown(prompt)}",
                )
                if part
            ),
        ),
    )
    write_folder(made, out)
    return writer.end(len(texts), out)


def _captioned(item: Item, texts: dict[str, str], language: str) -> Item:
    def one(candidate: Candidate) -> Candidate:
        text = texts.get(candidate.image or "")
        if not text:
            return candidate
        return msgspec.structs.replace(candidate, captions={**candidate.captions, language: text})

    return msgspec.structs.replace(
        item,
        candidates=tuple(one(c) for c in item.candidates),
        sequence=tuple(one(c) for c in item.sequence),
    )


# -- the model -----------------------------------------------------------------------------------


class _Writer:
    """A generative scorer and its cache."""

    def __init__(self, model: str, *, fresh: bool) -> None:
        scorer = load_scorer(model)
        if not isinstance(scorer, Generator):
            raise InputError(f"{shown(model)} can't write; use a model that can, such as api:.")
        self.scorer: Scorer = scorer
        self.generator: Generator = scorer
        self.fresh = fresh
        self.cache = Cache(cache_folder())
        self.written = Written(scorer.recorded(model))

    def __enter__(self) -> _Writer:
        self.scorer.remember(self.cache, fresh=self.fresh)
        return self

    def __exit__(self, *error: object) -> None:
        self.cache.close()

    def write(self, pairs: Sequence[tuple[str, Content | None]]) -> list[str | None]:
        """One text a request, in order; what the cache holds isn't asked for."""
        texts: list[str | None] = []
        with bar(self.written.model, len(pairs)) as advance:
            for start in range(0, len(pairs), STEP):
                part = list(pairs[start : start + STEP])
                texts += self._some(part)
                advance(len(part))
        return texts

    def _some(self, pairs: list[tuple[str, Content | None]]) -> list[str | None]:
        if not self.scorer.cached:  # it keeps its replies itself
            return list(self.generator.generate(pairs))
        model = bytes.fromhex(value_hash(self.scorer.fingerprint()))
        keys = [key(model, "write", text, *([shown_] if shown_ else [])) for text, shown_ in pairs]
        known = {} if self.fresh else {k: v.decode() for k, v in self.cache.get(keys).items()}
        todo = {k: pair for k, pair in zip(keys, pairs, strict=True) if k not in known}
        if todo:
            made = dict(zip(todo, self.generator.generate(list(todo.values())), strict=True))
            whole = {k: text for k, text in made.items() if text}
            self.cache.put({k: text.encode() for k, text in whole.items()})
            known |= whole
        return [known.get(k) for k in keys]

    def refuse_nothing(self, made: int) -> None:
        if not made:
            reason = " ".join(self.scorer.remarks())
            raise InputError(f"{self.written.model} captioned no picture. {reason}".strip())

    def end(self, made: int, place: Path) -> Written:
        self.written.made, self.written.place = made, place
        self.written.remarks = self.scorer.remarks()
        return self.written
