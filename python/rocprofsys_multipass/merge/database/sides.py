# SPDX-License-Identifier: MIT
"""The two sides of a merge of databases: a process in the copy of rocprof-sys's file, and the same in this tool's.

SQL here names tables without their suffix: `host.event` is ``rocpd_event`` with the suffix of the copy, `own.event`
that of this tool's file. Columns are named, never counted: versions and branches of the schema differ in their order.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.merge.database.copy import check_database, uri_of

_TABLE: Final = re.compile(r"\b(host|own)\.([a-z_]+)")
_SCHEMAS: Final = {"host": "main", "own": "own"}
_PROCESS_TABLE: Final = "rocpd_info_process"
_SUFFIX: Final = re.compile(r"_\w+", re.ASCII)
_NEEDED: Final = (
    *("metadata", "string", "event", "arg", "pmc_event", "kernel_dispatch", "info_node", "info_thread", "info_agent"),
    *("info_queue", "info_stream", "info_pmc", "info_code_object", "info_kernel_symbol"),
)
_ADDED: Final = ("replay_pass", "replay_pmc")


@dataclass(frozen=True)
class Side:
    """A process in a file: suffix of its tables, guid and process of its rows."""

    path: Path
    suffix: str
    guid: str
    row: int  # in info_process
    nid: int
    pid: int


@dataclass
class Sides:
    """Both, in one connection. `host` is what is written."""

    connection: sqlite3.Connection
    host: Side
    own: Side
    _columns: dict[str, list[str]] = field(default_factory=dict)

    def run(self, sql: str, **more: object) -> sqlite3.Cursor:
        """A statement, with `:guid`, `:process` and `:nid` of the host and what else it names."""
        values = {"guid": self.host.guid, "process": self.host.row, "nid": self.host.nid, **more}
        return self.connection.execute(self.named(sql), values)

    def number(self, sql: str, **more: object) -> int:
        """The number that a query gives."""
        found = self.run(sql, **more).fetchone()[0]
        return int(found or 0)

    def mappings(self, sql: str) -> Iterator[Mapping[str, Any]]:
        """Rows by the names of their columns."""
        cursor = self.run(sql)
        names = [column[0] for column in cursor.description]
        return (dict(zip(names, row, strict=True)) for row in cursor.fetchall())

    def named(self, sql: str) -> str:
        """The statement with the names that the tables have in the files."""
        suffixes = {"host": self.host.suffix, "own": self.own.suffix}
        return _TABLE.sub(lambda m: f'{_SCHEMAS[m[1]]}."rocpd_{m[2]}{suffixes[m[1]]}"', sql)

    def columns(self, table: str) -> list[str]:
        """Columns of a table of the host."""
        if table not in self._columns:
            name = f"rocpd_{table}{self.host.suffix}"
            rows = self.connection.execute("SELECT name FROM pragma_table_info(?, 'main')", (name,))
            self._columns[table] = [row[0] for row in rows]
        return self._columns[table]

    def last_id(self, table: str) -> int:
        """The highest id that a table of the host had: none is given again, as AUTOINCREMENT has it."""
        sql = (
            f"SELECT MAX((SELECT IFNULL(MAX(id), 0) FROM host.{table}), "  # noqa: S608
            "IFNULL((SELECT seq FROM sqlite_sequence WHERE name = :name), 0))"
        )
        return self.number(sql, name=f"rocpd_{table}{self.host.suffix}")

    def forget(self) -> None:
        """Looks at the columns again: tables were created."""
        self._columns.clear()

    def insert(self, table: str, values: Mapping[str, object]) -> int:
        """Adds a row to the host, of those of the columns that its schema has; the id that it got."""
        there = [name for name in values if name in self.columns(table)]
        names = ", ".join(f'"{name}"' for name in there)
        sql = self.named(f"INSERT INTO host.{table} ({names}) VALUES ({', '.join('?' * len(there))})")  # noqa: S608
        return self.connection.execute(sql, [values[name] for name in there]).lastrowid or 0

    def carry(self, table: str, row: Mapping[str, Any], **other: object) -> int:
        """Adds a row of this tool's file to the host, under its id where that is free; the id that it got."""
        sql = f"SELECT COUNT(*) FROM host.{table} WHERE id = :id"  # noqa: S608  named above
        values = {**row, "guid": self.host.guid, "nid": self.host.nid, "pid": self.host.row, **other}
        if values.get("id") is not None and self.number(sql, id=values["id"]):
            del values["id"]
        return self.insert(table, values)


def sides_of(connection: sqlite3.Connection, host: Path, own: Path, *, joined: bool) -> Sides:
    """Finds the process of `own` in the copy, which the connection has; `joined`: the process of another run of it.

    TraceError: one of the files is none, or the two are not of one process; it names both.
    """
    check_database(own)
    connection.execute("ATTACH ? AS own", (uri_of(own, "mode=ro&nolock=1"),))
    ours = _own_side(connection, own)
    found = [*_processes(connection, "main", host)]
    if joined:
        found = [side for side in found if _has_dispatches(connection, side)]
        if len(found) != 1:
            raise TraceError(f"{host}: {len(found)} processes in it have dispatches; give the file of one process")
    else:
        pids = ", ".join(str(side.pid) for side in found) or "none"
        found = [side for side in found if side.pid == ours.pid]
        if len(found) != 1:
            raise TraceError(
                f"{host}: its processes are {pids}, and {own} is of process {ours.pid}; give the file that rocprof-sys "
                "wrote for that process"
            )
    _check_tables(connection, found[0])
    sides = Sides(connection, found[0], ours)
    if not joined:
        _check_machine(sides)
    return sides


def _own_side(connection: sqlite3.Connection, own: Path) -> Side:
    found = [*_processes(connection, "own", own)]
    tables = {row[0] for row in connection.execute("SELECT name FROM own.sqlite_master WHERE type = 'table'")}
    if len(found) != 1 or any(f"rocpd_{name}{found[0].suffix}" not in tables for name in (*_NEEDED, *_ADDED)):
        raise TraceError(
            f"{own}: no database of this tool in layout canonical with one process; write it again with "
            "`rocprof-sys-multipass export --format rocpd`"
        )
    return found[0]


def _processes(connection: sqlite3.Connection, schema: str, path: Path) -> Iterator[Side]:
    """By the rows: rocprof-sys of August 2025 has the text of the template in its metadata in place of the guid."""
    sql = f"SELECT name FROM {schema}.sqlite_master WHERE type = 'table' ORDER BY rowid"  # noqa: S608  main or own
    names = [row[0] for row in connection.execute(sql)]
    suffixes = [name.removeprefix(_PROCESS_TABLE) for name in names if name.startswith(_PROCESS_TABLE)]
    if not any(map(_SUFFIX.fullmatch, suffixes)):
        raise TraceError(
            f"{path}: no table {_PROCESS_TABLE}_...: no rocpd database of schema 3; give that of rocprof-sys"
        )
    for suffix in filter(_SUFFIX.fullmatch, suffixes):
        sql = f'SELECT guid, id, nid, pid FROM {schema}."{_PROCESS_TABLE}{suffix}" ORDER BY id'  # noqa: S608  checked
        for guid, row, nid, pid in connection.execute(sql).fetchall():
            yield Side(path, suffix, guid, row, nid, pid)


def _has_dispatches(connection: sqlite3.Connection, side: Side) -> bool:
    sql = f'SELECT 1 FROM main."rocpd_kernel_dispatch{side.suffix}" WHERE guid = ? AND pid = ? LIMIT 1'  # noqa: S608
    return connection.execute(sql, (side.guid, side.row)).fetchone() is not None


def _check_tables(connection: sqlite3.Connection, side: Side) -> None:
    there = {row[0] for row in connection.execute("SELECT name FROM main.sqlite_master")}
    wanted: Sequence[str] = [f"rocpd_{name}{end}" for name in _NEEDED for end in (side.suffix, "")]
    missing = [name for name in wanted if name not in there]
    if missing:
        raise TraceError(f"{side.path}: no {', '.join(missing)} in it: no whole rocpd database of schema 3")


def _check_machine(sides: Sides) -> None:
    """Processes of two machines may have one number."""
    sql = "SELECT machine_id, hostname FROM {}.info_node WHERE id = :id"
    (there,) = sides.run(sql.format("host"), id=sides.host.nid).fetchall() or [("", "")]
    (here,) = sides.run(sql.format("own"), id=sides.own.nid).fetchall() or [("", "")]
    if all(one and other and one != other for one, other in zip(there, here, strict=True)):
        raise TraceError(
            f"{sides.host.path}: of machine {there[1]}, and {sides.own.path} is of {here[1]}: another process that has "
            f"the number {sides.own.pid} too; give files of one process"
        )
