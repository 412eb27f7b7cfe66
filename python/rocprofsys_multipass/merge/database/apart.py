# SPDX-License-Identifier: MIT
"""Processes that have one guid: told apart where they are several, refused where they are one.

rocprof-sys computes its guid once, so that a forked child has that of its parent (rocprofiler-systems,
source/lib/core/rocpd/data_storage/database.cpp @1b1610fc), and the tables of both have the same names.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.merge.database.objects import Objects, Table, quoted


@dataclass(frozen=True)
class Renamed:
    """Suffix and guid of a process in its file."""

    suffix: str
    guid: str


@dataclass(frozen=True)
class Apart:
    """A file with suffixes that no other has; `renamed`: those and guids that it had before, by suffix."""

    file: Objects
    renamed: Mapping[str, Renamed]


def told_apart(files: Sequence[Objects]) -> list[Apart]:
    """The files, with new guids for processes that have the guid of another one.

    Raises:
        TraceError: a process is in two files.
    """
    known: dict[str, tuple[Path, set[int]]] = {}
    paths = {suffix.lower(): file.path for file in files for suffix in file.suffixes}
    return [_apart(file, known, paths) for file in files]


def _apart(file: Objects, known: dict[str, tuple[Path, set[int]]], paths: Mapping[str, Path]) -> Apart:
    renamed: dict[str, Renamed] = {}
    for suffix in file.suffixes:
        pids = file.pids[suffix]
        first, others = known.setdefault(suffix.lower(), (file.path, set()))  # SQLite's names know no case
        guid = _new_guid(file.guids[suffix], pids)
        same = first if first is not file.path and (not pids or pids & others) else paths.get(_suffix(guid))
        if same is not None:
            raise TraceError(
                f"{file.path}: the guid {file.guids[suffix]} is in {same} too, of the same process; leave one of them "
                "out"
            )
        if first is not file.path:
            renamed[_suffix(guid)] = Renamed(suffix, file.guids[suffix])
            file = _rename(file, suffix, guid, first)
        others |= pids
    return Apart(file, renamed)


def _suffix(guid: str) -> str:
    return "_" + guid.replace("-", "_")


def _new_guid(guid: str, pids: frozenset[int]) -> str:
    """In the form of the old one, and the same for a process each time: what was combined before is known by it."""
    text = hashlib.md5(f"{guid} {sorted(pids)}".encode(), usedforsecurity=False).hexdigest()
    return str(UUID(text)) if "-" in guid else text


def _rename(file: Objects, old: str, guid: str, first: Path) -> Objects:
    new, old_guid = _suffix(guid), file.guids[old]

    def changed(sql: str) -> str:
        return sql.replace(old, new).replace(old_guid, guid)

    def table(one: Table) -> Table:
        return replace(one, name=one.base + new, suffix=new, sql=changed(one.sql)) if one.suffix == old else one

    note = (
        f"{file.path}: it has the guid {old_guid} of {first}, as forked processes of rocprof-sys do: its process is "
        f"{guid} here"
    )
    return replace(
        file,
        suffixes=tuple(new if one == old else one for one in file.suffixes),
        guids={new if one == old else one: guid if one == old else text for one, text in file.guids.items()},
        tables=tuple(map(table, file.tables)),
        indexes=tuple(map(changed, file.indexes)),
        notes=(*file.notes, note),
    )


def rename_rows(database: sqlite3.Connection, apart: Apart) -> None:
    """Give the copied rows of renamed processes their new guids."""
    for table in apart.file.tables:
        before = apart.renamed.get(table.suffix)
        if before is None:
            continue
        guid, name = apart.file.guids[table.suffix], quoted(table.name)
        if "guid" in table.columns:
            database.execute(f"UPDATE {name} SET guid = ? WHERE guid = ?", (guid, before.guid))  # noqa: S608 - quoted
        if table.base == "rocpd_metadata":
            sql = f"UPDATE {name} SET value = replace(replace(value, ?, ?), ?, ?)"  # noqa: S608 - quoted
            database.execute(sql, (before.suffix, table.suffix, before.guid, guid))
