"""Tab- and comma-separated files, read strictly: every complaint names the file and the line.

Knows how the published tables are written (quoted fields over several lines, a BOM, CRLF) and
nothing of what their columns mean.
"""

from __future__ import annotations

import ast
import csv
import io
import sys
from dataclasses import dataclass
from pathlib import Path

from trope.errors import InputError, many, shown

MOST_BYTES = 512 * 1024 * 1024
"""A table larger than this is refused rather than read into memory."""
MOST_LIST = 100_000
"""A list literal longer than this (in characters) is not parsed."""


@dataclass(frozen=True)
class Row:
    """One row, with the line it starts on."""

    source: str
    line: int
    cells: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells[column]

    def get(self, column: str) -> str:
        """The cell, or the empty string where there is no such column."""
        return self.cells.get(column, "")

    def wrong(self, what: str) -> InputError:
        """An error that names this row."""
        return InputError(f"{self.source}, line {self.line}: {what}")


def read_rows(path: Path, *, need: tuple[str, ...], tabs: bool = True) -> list[Row]:
    """All rows of a table that has at least the columns `need`."""
    return parse_rows(read_text(path), source=str(path), need=need, tabs=tabs)


def read_text(path: Path) -> str:
    """A text file as UTF-8, with a sentence for everything that can be wrong with it."""
    try:
        if path.is_dir():
            raise InputError(f"{shown(path, most=200)} is a folder; give the file itself.")
        with path.open("rb") as file:  # a device has no size: never read more than is sane
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise InputError(f"{path} is larger than {MOST_BYTES >> 20} MB; is it the right file?")
    except FileNotFoundError:
        raise InputError(f"There is no file {shown(path, most=200)}; check the path.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"Can't read {shown(path, most=200)}: {reason}; check the path.") from None
    return decode(data, source=str(path))


def decode(data: bytes, *, source: str) -> str:
    """UTF-8 text without its BOM."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(f"{source} is UTF-16; save it as UTF-8.")
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise InputError(f"{source}, line {line}: a NUL byte; this isn't a text table.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(
            f"{source}, line {line}: not valid UTF-8; save the file as UTF-8."
        ) from None


def parse_rows(text: str, *, source: str, need: tuple[str, ...], tabs: bool = True) -> list[Row]:
    """The rows of a table given as text."""
    csv.field_size_limit(min(sys.maxsize, MOST_BYTES))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if tabs else ",")
    header: list[str] | None = None
    rows: list[Row] = []
    end = 0
    try:
        for cells in reader:
            start, end = end + 1, reader.line_num
            if not cells:
                continue
            if header is None:
                header = [name.strip() for name in cells]
                _check_header(header, source=source, need=need)
            elif len(cells) != len(header):
                raise InputError(
                    f"{source}, line {start}: {len(cells)} fields where the header has "
                    f"{len(header)}; look for a missing tab or an unclosed quote."
                )
            else:
                rows.append(Row(source, start, dict(zip(header, cells, strict=True))))
    except csv.Error as error:
        raise InputError(f"{source}, line {reader.line_num}: {error}.") from None
    if header is None:
        columns = f"the columns {', '.join(need)}" if need else "a header and rows"
        raise InputError(f"{source} is empty; expected {columns}.")
    return rows


def _check_header(header: list[str], *, source: str, need: tuple[str, ...]) -> None:
    absent = [name for name in need if name not in header]
    if absent:
        raise InputError(f"{source} has no column {many(absent)}; it has {many(header, most=20)}.")
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise InputError(f"{source} has the column {many(twice)} more than once; remove one.")


def name_list(row: Row, column: str) -> list[str]:
    """A cell that holds a list of names, written as Python or JSON writes it."""
    text = row[column].strip()
    value: object = None
    if len(text) <= MOST_LIST:
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            value = None
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise row.wrong(
            f"{column} must be a list of names such as ['1.png', '2.png'], not {shown(text)}."
        )
    return [str(name).strip() for name in value]
