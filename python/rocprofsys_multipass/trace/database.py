# SPDX-License-Identifier: MIT
"""Read-only access to a rocpd file: connection, objects, columns, metadata."""

from __future__ import annotations

import json
import os
import sqlite3
from array import array
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import quote

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace.guard import AGAIN, Facts, shown
from rocprofsys_multipass.trace.model import Interval

MAGIC: Final = b"SQLite format 3\x00"
Key = tuple[str, int]  # of a row: guid and id
_WRONG: Final = {
    "integer": "typeof(\"{}\") <> 'integer'",
    "integer?": "typeof(\"{}\") NOT IN ('integer', 'null')",
    "text": "typeof(\"{}\") <> 'text'",
    "text?": "typeof(\"{}\") NOT IN ('text', 'null')",
    "number": "typeof(\"{}\") NOT IN ('integer', 'real')",
    "number?": "typeof(\"{}\") NOT IN ('integer', 'real', 'null')",
}
_AT_ONCE: Final = 1024  # rows: few enough to stay in the processor's cache
_NULL: Final = type(None)
_PYTHON: Final[dict[str, tuple[type, ...]]] = {
    "integer": (int,),
    "integer?": (int, _NULL),
    "text": (str,),
    "text?": (str, _NULL),
    "number": (int, float),
    "number?": (int, float, _NULL),
}


Number = TypeVar("Number")


class Database:
    """An open rocpd file. Rows come as mappings; every sqlite3 error becomes a TraceError that names the file."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._columns: dict[str, frozenset[str]] = {}

    def rows(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[sqlite3.Row]:
        """All rows of a query."""
        try:
            return self._connection.execute(sql, parameters).fetchall()
        except (sqlite3.Error, ValueError, OverflowError) as error:  # ValueError: text that is no UTF-8
            raise self._damaged(error) from error

    def each(self, sql: str, parameters: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a query one after another, as plain tuples: for tables that are larger than memory."""
        cursor = self._connection.cursor()
        cursor.row_factory = None
        try:
            yield from cursor.execute(sql, parameters)
        except (sqlite3.Error, ValueError, OverflowError) as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> TraceError:
        return TraceError(
            f"{self.path}: {error}; the file is damaged or of a schema that this package does not know "
            "(`rocprof-sys-multipass verify` says which)"
        )

    def arrays(self, types: str, sql: str, parameters: tuple[Any, ...] = ()) -> list[Any]:
        """The result of a query column by column, in half the time that rows take.

        `types`: a letter for each column, those of `array`, or `o` for a list of whatever is there. TypeError or
        OverflowError: what is to be in an array is NULL or of another type.
        """
        columns: list[Any] = [[] if code == "o" else array(code) for code in types]
        cursor = self._connection.cursor()
        cursor.row_factory = None  # plain tuples
        try:
            cursor.execute(sql, parameters)
            while rows := cursor.fetchmany(_AT_ONCE):
                for column, values in zip(columns, zip(*rows, strict=True), strict=True):
                    column.extend(values)
        except (sqlite3.Error, ValueError) as error:
            raise self._damaged(error) from error
        return columns

    def columns(self, name: str) -> frozenset[str]:
        """Columns of a table or view; empty when there is no such object. `name` is one of this package's."""
        if name not in self._columns:
            self._columns[name] = frozenset(
                row["name"] for row in self.rows("SELECT name FROM pragma_table_info(?)", (name,))
            )
        return self._columns[name]

    def check_types(self, table: str, types: Mapping[str, str]) -> None:
        """Looks for a value of a wrong type in a table; SQLite stores anything anywhere.

        `types`: `integer`, `text` or `number` by column, with `?` where NULL is allowed. Columns that are not there
        are passed over. TraceError names the row and the column of the first wrong value.
        """
        there = self.columns(table)
        wrong = {column: _WRONG[kind].format(column) for column, kind in types.items() if column in there}
        if not wrong:
            return
        found = self.rows(f"SELECT * FROM {table} WHERE {' OR '.join(wrong.values())} LIMIT 1")  # noqa: S608
        for row in found:
            for column in wrong:
                kind = types[column]
                if not isinstance(row[column], _PYTHON[kind]):
                    place = f"row {row['id']}" if "id" in there else "a row"
                    value = f"{column} is {shown(row[column])}, not {kind.rstrip('?')}"
                    raise TraceError(f"{self.path}: {table} {place}: {value}; {AGAIN}")

    def has(self, name: str) -> bool:
        """Whether there is a table or view of this name."""
        return bool(self.rows("SELECT 1 FROM sqlite_master WHERE name = ? AND type IN ('table', 'view')", (name,)))

    def metadata(self) -> list[tuple[str, str]]:
        """The (tag, value) rows, in order."""
        if not self.has("rocpd_metadata"):
            return []
        rows = self.rows("SELECT tag, value FROM rocpd_metadata ORDER BY id")
        return [(str(row["tag"]), str(row["value"])) for row in rows]

    def tag(self, name: str) -> str:
        """Value of a metadata tag, empty when it is not there."""
        return next((value for tag, value in self.metadata() if tag == name), "")


@contextmanager
def open_database(path: Path) -> Iterator[Database]:
    """Opens the file for reading only; nothing is created or changed.

    TraceError: it cannot be opened or is no SQLite file.
    """
    try:
        with path.open("rb") as file:
            start = file.read(len(MAGIC))
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}; check the path and its permissions") from error
    if start != MAGIC:
        size = path.stat().st_size
        raise TraceError(
            f"{path}: no SQLite file ({size} bytes, starts with {start!r}); it was left unfinished: write it again "
            "with `rocprof-sys-multipass export` from the journal"
        )
    uri = f"file:{quote(os.fsencode(path.resolve()))}?mode=ro"
    try:
        opened = sqlite3.connect(uri, uri=True)
    except sqlite3.Error as error:
        raise TraceError(f"{path}: {error}; check the path and its permissions") from error
    with closing(opened) as connection:
        connection.row_factory = sqlite3.Row
        yield Database(path, connection)


def times_of(row: sqlite3.Row) -> tuple[int | None, int | None]:
    """Start and end; 0 in both is how the database, whose columns are NOT NULL, says that the times are not known."""
    if row["start"] == 0 and row["end"] == 0:
        return None, None
    return unsigned(row["start"]), unsigned(row["end"])


def unsigned(number: Number) -> Number | int:
    """A number as the SDK gave it, of 64 bits without a sign: a database has those with one, so 2^63 is negative there.

    What is no number stays, for who reads it to refuse.
    """
    return number + (1 << 64) if isinstance(number, int) and number < 0 else number


@lru_cache(maxsize=256)  # most rows of a table have the same few texts
def json_object(text: str | None) -> Mapping[str, Any]:
    """The object in an extdata column; empty for NULL, for what is no JSON, and for other values."""
    try:
        value = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def interval_of(replay: Facts, name: str) -> Interval | None:
    """Start and end of an execution without counters, of the extdata of a dispatch; None: there was none."""
    pair = replay.pair(name)
    if pair is None:
        return None
    return Interval(None, None) if pair == (0, 0) else Interval(*pair)
