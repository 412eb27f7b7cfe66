# SPDX-License-Identifier: MIT
"""The tables, views and indexes of a rocpd database, and to which process of it they belong.

A table has the name of its kind and a suffix, which is that of its process: ``rocpd_string_0198_...``. A view without
the suffix is over the tables of one kind (the base view), any other is over such views.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace.database import Database, open_database

_METADATA: Final = "rocpd_metadata"


@dataclass(frozen=True)
class Table:
    """`base`: its kind, the name of its view. `sql` makes it. `source`: its name in the file."""

    name: str
    base: str
    suffix: str
    columns: tuple[str, ...]
    sql: str
    source: str


@dataclass(frozen=True)
class Objects:
    """What is in one file. `views` are those that are not base views, by name; `notes` name what is left out."""

    path: Path
    suffixes: tuple[str, ...]
    guids: Mapping[str, str]  # by suffix
    pids: Mapping[str, frozenset[int]]  # by suffix
    version: str
    tables: tuple[Table, ...]
    views: Mapping[str, str]
    indexes: tuple[str, ...]
    notes: tuple[str, ...]


def quoted(name: str) -> str:
    """A name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


def objects_of(path: Path) -> Objects:
    """Look into a file.

    Raises:
        TraceError: it cannot be read, or is no rocpd database with suffixed tables.
    """
    with open_database(path) as database:
        return _Reader(database).read()


class _Reader:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._path = database.path
        self._notes: list[str] = []
        rows = database.rows("SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
        self._rows = [row for row in rows if not row["name"].startswith("sqlite_")]

    def read(self) -> Objects:
        names = [row["name"] for row in self._rows if row["type"] == "table"]
        suffixes = tuple(name.removeprefix(_METADATA) for name in names if name.startswith(_METADATA))
        if not suffixes or "" in suffixes:
            found = f"has a table {_METADATA} without a suffix" if suffixes else f"has no table {_METADATA}_..."
            raise TraceError(f"{self._path}: {found}: no rocpd database of a process; leave it out")
        tables = tuple(self._tables(suffixes))
        bases = {table.base for table in tables}
        return Objects(
            self._path,
            suffixes,
            {suffix: self._guid(suffix) for suffix in suffixes},
            {suffix: self._pids(suffix) for suffix in suffixes},
            self._version(suffixes),
            tables,
            dict(self._views(bases, suffixes)),
            tuple(self._indexes({table.name for table in tables})),
            tuple(self._notes),
        )

    def _tables(self, suffixes: tuple[str, ...]) -> list[Table]:
        found = []
        for row in self._rows:
            if row["type"] != "table":
                continue
            name = row["name"]
            suffix = next((one for one in sorted(suffixes, key=len, reverse=True) if name.endswith(one)), None)
            if suffix is None:
                self._notes.append(f"{self._path}: table {name} is of no process and was left out")
                continue
            columns = self._database.rows("SELECT name FROM pragma_table_info(?) ORDER BY cid", (name,))
            base = name.removesuffix(suffix)
            found.append(Table(name, base, suffix, tuple(column["name"] for column in columns), row["sql"], name))
        return found

    def _views(self, bases: set[str], suffixes: tuple[str, ...]) -> list[tuple[str, str]]:
        found = []
        for row in self._rows:
            if row["type"] == "trigger":
                self._notes.append(f"{self._path}: trigger {row['name']} was left out")
            if row["type"] != "view" or row["name"] in bases:
                continue
            if any(suffix in row["sql"] for suffix in suffixes):
                self._notes.append(f"{self._path}: view {row['name']} is over tables of one process and was left out")
                continue
            found.append((row["name"], row["sql"]))
        return found

    def _indexes(self, tables: set[str]) -> list[str]:
        return [row["sql"] for row in self._rows if row["type"] == "index" and row["tbl_name"] in tables]

    def _version(self, suffixes: tuple[str, ...]) -> str:
        """The versions of its processes: a file that was combined before has one."""
        versions = {self._tag(suffix, "schema_version") for suffix in suffixes}
        return " and ".join(sorted(versions))

    def _tag(self, suffix: str, tag: str) -> str:
        sql = f"SELECT value FROM {quoted(_METADATA + suffix)} WHERE tag = ? ORDER BY id LIMIT 1"  # noqa: S608 - quoted
        return next((str(row["value"]) for row in self._database.rows(sql, (tag,))), "not told")

    def _guid(self, suffix: str) -> str:
        """As its rows have it: rocprof-sys of August 2025 has the text of its template in the metadata."""
        process = f"rocpd_info_process{suffix}"
        if not self._database.has(process):
            raise TraceError(f"{self._path}: there is no table {process}: the file is damaged; leave it out")
        rows = self._database.rows(f"SELECT guid FROM {quoted(process)} LIMIT 1")  # noqa: S608 - quoted
        return next((str(row["guid"]) for row in rows), suffix.lstrip("_"))

    def _pids(self, suffix: str) -> frozenset[int]:
        rows = self._database.rows(f"SELECT pid FROM {quoted(f'rocpd_info_process{suffix}')}")  # noqa: S608 - quoted
        return frozenset(int(row["pid"]) for row in rows)
