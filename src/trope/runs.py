"""A run: the score table of one scorer on one benchmark, and what it was.

On disk a run is a folder with `scores.parquet` and `run.json`. Both are functions of the
experiment alone (no clock, no host, no path of this machine), so the same run gives the same
bytes. Everything after this file is a pure function of the table; no model is loaded.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trope import atomic
from trope.errors import InputError, shown, unknown
from trope.item import Benchmark, Role, Sense

SCORES = "scores.parquet"
META = "run.json"
ANSWERS = "answers.jsonl"
"""The raw answers, beside the table, for scorers that answer in words. Never read back."""
FORMAT = 1


@dataclass(frozen=True, eq=False)
class Table:
    """Padded arrays: one row an item, one column a candidate slot.

    An item is answered when each of its candidates has a score; otherwise the whole item is
    missing, which is not the same as wrong.
    """

    items: list[str]
    phrases: list[str]
    languages: list[str]
    senses: list[str]
    """'' where unknown."""
    kinds: list[str]
    said: list[str]
    """The sense the scorer named, '' where it named none."""
    candidates: list[list[str]]
    score: NDArray[np.float64]
    """NaN where missing (or padding)."""
    gain: NDArray[np.float64]
    """NaN where there is no gold (or padding)."""
    role: NDArray[np.str_]
    """'' where unknown (or padding)."""
    real: NDArray[np.bool_]
    """Where a candidate exists."""

    def __len__(self) -> int:
        return len(self.items)

    @property
    def answered(self) -> NDArray[np.bool_]:
        """The items of which every candidate has a score."""
        return np.asarray((np.isfinite(self.score) | ~self.real).all(axis=1))

    @property
    def labelled(self) -> bool:
        """Whether there is any gold."""
        return bool(np.isfinite(self.gain).any())

    def take(self, which: NDArray[np.intp] | NDArray[np.bool_]) -> Table:
        """The items at these places, or where the mask is true."""
        places = np.flatnonzero(which) if which.dtype == bool else np.asarray(which)

        def pick(column: list[Any]) -> list[Any]:
            return [column[i] for i in places]

        return Table(
            items=pick(self.items),
            phrases=pick(self.phrases),
            languages=pick(self.languages),
            senses=pick(self.senses),
            kinds=pick(self.kinds),
            said=pick(self.said),
            candidates=pick(self.candidates),
            score=self.score[places],
            gain=self.gain[places],
            role=self.role[places],
            real=self.real[places],
        )

    def with_scores(self, score: NDArray[np.float64], said: list[str] | None = None) -> Table:
        """The same questions with other answers."""
        return replace(self, score=np.asarray(score, dtype=float), said=said or self.said)


def blank_table(benchmark: Benchmark) -> Table:
    """The benchmark's questions and gold, with no answer yet."""
    items = benchmark.items
    width = max((len(item.candidates) for item in items), default=0)
    shape = (len(items), width)
    gain = np.full(shape, np.nan)
    role = np.full(shape, "", dtype="U18")
    real = np.zeros(shape, dtype=bool)
    for row, item in enumerate(items):
        for column, candidate in enumerate(item.candidates):
            real[row, column] = True
            if candidate.gain is not None:
                gain[row, column] = candidate.gain
            if candidate.role is not None:
                role[row, column] = candidate.role.value
    return Table(
        items=[item.id for item in items],
        phrases=[item.phrase for item in items],
        languages=[item.language for item in items],
        senses=[item.sense.value if item.sense else "" for item in items],
        kinds=[item.kind or "" for item in items],
        said=[""] * len(items),
        candidates=[[c.id for c in item.candidates] for item in items],
        score=np.full(shape, np.nan),
        gain=gain,
        role=role,
        real=real,
    )


@dataclass(frozen=True, eq=False)
class Run:
    """A score table with its fingerprint."""

    table: Table
    meta: dict[str, Any] = field(default_factory=dict)
    """What `run.json` holds."""
    answers: str = ""
    """What the model said, one JSON object a line, where it says anything; see `ANSWERS`."""

    @property
    def benchmark(self) -> str:
        return str(self.meta["benchmark"]["name"])

    @property
    def model(self) -> str:
        return str(self.meta["model"]["address"])

    @property
    def prompt(self) -> str:
        return str(self.meta["prompt"]["name"])

    @property
    def fingerprint(self) -> str:
        """Of what the experiment was: two runs that differ in it are different experiments."""
        return str(self.meta["fingerprint"])

    @property
    def label(self) -> str:
        """The model and, where it was shown one, the prompt."""
        model = short(self.model)
        return f"{model} · {self.prompt}" if self.prompt else model

    def save(self, folder: Path) -> None:
        """Write the run's folder whole, or not at all."""
        with atomic.folder(folder) as draft:
            table = io.BytesIO()  # polars' own errors say nothing of a full disk
            _frame(self.table).write_parquet(table, compression="zstd", statistics=False)
            (draft / SCORES).write_bytes(table.getvalue())
            text = json.dumps(self.meta, indent=2, ensure_ascii=False)
            (draft / META).write_text(text + "\n", encoding="utf-8")
            if self.answers:
                (draft / ANSWERS).write_text(self.answers, encoding="utf-8")

    @classmethod
    def load(cls, folder: str | Path) -> Run:
        """Read a run's folder, checked."""
        place = Path(folder)
        meta = read_meta(place)
        try:
            import polars

            frame = polars.read_parquet(place / SCORES)
        except FileNotFoundError:
            raise InputError(f"{place} has no {SCORES}; run it again.") from None
        except Exception as error:  # polars raises many kinds for a broken file
            reason = str(error).split("\n")[0]
            raise InputError(f"{place / SCORES} can't be read ({reason}); run it again.") from None
        _check_frame(frame, place / SCORES)
        table = _table(frame)
        if scores_hash(table) != meta.get("scores"):
            raise InputError(f"{place / SCORES} isn't the table {META} speaks of; run it again.")
        return cls(table=table, meta=meta)

    def __repr__(self) -> str:
        missing = self.meta["counts"]["missing"]
        gap = f", {missing} missing" if missing else ""
        return f"{self.label} on {self.benchmark}: {len(self.table)} items{gap}"


def short(address: str, most: int = 40) -> str:
    """A long address without its folders and options; run.json has it whole.

    >>> short("vectors:a/very/long/way/down/to/the/file/clip.npz?text={phrase}")
    'vectors:clip.npz'
    """
    scheme, colon, rest = address.partition(":")
    if len(address) <= most or not colon:
        return address
    return f"{scheme.rpartition('/')[2]}:{rest.partition('?')[0].rstrip('/').rpartition('/')[2]}"


def read_meta(folder: Path) -> dict[str, Any]:
    """`run.json`, checked to be one."""
    path = folder / META
    if not path.is_file():
        raise InputError(f"{shown(folder, most=200)} isn't a run: it has no {META}.")
    try:
        meta = json.loads(path.read_bytes())
        known = meta["format"] == FORMAT and _fits(meta)
    except (OSError, ValueError, KeyError, TypeError, RecursionError, AttributeError):
        known = False
    if not known:
        raise InputError(f"{path} isn't a run.json that this trope reads; run it again.")
    return dict(meta)


# What the rooms after this one read of run.json, and what it must be.
_TEXTS = {
    "benchmark": ("name", "task", "hash", "gold", "version", "pictures"),
    "model": ("address", "sees", "answers"),
    "prompt": ("name", "template"),
}


def _fits(meta: dict[str, Any]) -> bool:
    """Whether everything that is read of a run.json is there and of its kind."""
    texts = [meta[part].get(name, "") for part, names in _TEXTS.items() for name in names]
    named = meta["benchmark"]["name"] and meta["benchmark"]["task"] and meta["benchmark"]["hash"]
    return (
        bool(named and meta["model"]["address"])
        and all(isinstance(text, str) for text in [*texts, meta["fingerprint"], meta["scores"]])
        and isinstance(meta["prompt"]["name"], str)
        and all(isinstance(meta["counts"][name], int) for name in ("items", "missing"))
        and isinstance(meta["versions"], dict)
    )


def find_run(name: str, below: Path) -> Path:
    """A run's folder by its path, or by a part of its name that only one run has."""
    hits = find_runs(name, below)
    if len(hits) > 1:
        listed = ", ".join(f"{path.parent.name}/{path.name}" for path in hits[:3])
        more = f" and {len(hits) - 3} more" if len(hits) > 3 else ""
        raise InputError(
            f"{shown(name)} could be {len(hits)} runs ({listed}{more}); write more of it."
        )
    return hits[0]


def find_runs(name: str, below: Path) -> list[Path]:
    """The runs that are meant: a run's folder, a folder of runs, a name without its fingerprint,
    or a part of a name."""
    place = Path(name)
    if name and place.is_dir():
        found = runs_below(place)
        if not found:
            raise InputError(f"{shown(place, most=200)} isn't a run: it has no {META}.")
        return found
    runs = runs_below(below)
    exact = [path for path in runs if name in (path.name, path.name.rpartition("-")[0])]
    hits = exact or [path for path in runs if name in path.relative_to(below).as_posix()]
    if not hits:
        raise unknown("run", name, [path.name for path in runs])
    return hits


def runs_below(below: Path) -> list[Path]:
    """Every run's folder below a folder, itself included."""
    found = below.rglob(META) if below.is_dir() else ()
    return sorted(path.parent for path in found if not path.parent.name.startswith("."))


def scores_hash(table: Table) -> str:
    """Of the table, gold included, so that it can't be changed or mixed up unnoticed."""
    sha = hashlib.sha256()
    for attribute in _PER_ITEM:
        sha.update("\0".join(getattr(table, attribute)).encode())
    for names in (*table.candidates, table.role[table.real].tolist()):
        sha.update("\0".join(names).encode())
    for numbers in (table.score, table.gain):
        one = np.where(np.isnan(numbers), np.nan, numbers)  # one NaN, whatever made it
        sha.update(np.ascontiguousarray(one).tobytes())
    return sha.hexdigest()


# -- the table as a frame ------------------------------------------------------------------------

_PER_ITEM = ("items", "phrases", "languages", "senses", "kinds", "said")
_NAMES = dict(zip(_PER_ITEM, ("item", "phrase", "language", "sense", "kind", "said"), strict=True))


def _frame(table: Table) -> Any:
    """One row a (item, candidate), as stored."""
    import polars

    rows, columns = np.nonzero(table.real)
    data: dict[str, Any] = {}
    for attribute, name in _NAMES.items():
        values: Sequence[str] = getattr(table, attribute)
        data[name] = np.asarray(values, dtype=object)[rows].tolist()
    data["candidate"] = [table.candidates[r][c] for r, c in zip(rows, columns, strict=True)]
    data["role"] = table.role[rows, columns].tolist()
    frame = polars.DataFrame(data, schema=dict.fromkeys(data, polars.String))
    for name in ("gain", "score"):
        column = polars.Series(name, getattr(table, name)[rows, columns]).fill_nan(None)
        frame = frame.with_columns(column)
    return frame


def _check_frame(frame: Any, path: Path) -> None:
    import polars

    texts = (*_NAMES.values(), "candidate", "role")
    need = dict.fromkeys(texts, polars.String) | dict.fromkeys(("gain", "score"), polars.Float64)
    for name, kind in need.items():
        if name not in frame.columns:
            raise InputError(f"{path} has no column {name!r}; run it again.")
        if frame.schema[name] != kind or (name in texts and frame[name].null_count()):
            raise InputError(f"{path}: the column {name!r} isn't what trope writes; run it again.")
    if frame.is_empty():
        raise InputError(f"{path} has no rows; run it again.")
    for name, allowed in (("role", set(Role) | {""}), ("sense", set(Sense) | {""})):
        if strange := set(frame[name].unique().to_list()) - allowed:
            raise InputError(f"{path}: no {name} is called {min(strange)!r}; run it again.")


def _table(frame: Any) -> Table:
    ids = frame["item"].to_list()
    starts = [i for i, name in enumerate(ids) if i == 0 or name != ids[i - 1]]
    ends = [*starts[1:], len(ids)]
    lengths = np.asarray(ends) - np.asarray(starts)
    width = int(lengths.max(initial=0))
    real = np.arange(width)[None, :] < lengths[:, None]

    def matrix(name: str) -> NDArray[np.float64]:
        filled = np.full(real.shape, np.nan)
        filled[real] = frame[name].cast(float).fill_null(float("nan")).to_numpy()
        return filled

    role = np.full(real.shape, "", dtype="U18")
    role[real] = frame["role"].to_numpy().astype("U18")
    names = frame["candidate"].to_list()
    per_item = {key: frame[name].gather(starts).to_list() for key, name in _NAMES.items()}
    return Table(
        **per_item,
        candidates=[names[a:b] for a, b in zip(starts, ends, strict=True)],
        score=matrix("score"),
        gain=matrix("gain"),
        role=role,
        real=real,
    )
