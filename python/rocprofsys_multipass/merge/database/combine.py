# SPDX-License-Identifier: MIT
"""One rocpd database of the databases of many processes.

What the merge of rocpd makes of several files (rocprofiler-sdk, source/lib/python/rocpd/merge.py @344d7fa5), in a form
of its own: the tables of every process as they are, told apart by the suffix that is its guid; each base view, such as
``rocpd_string``, over the tables of all; the other views as the files have them, on top of these.

The files are attached one after the other, because SQLite attaches ten at most. Rows go from file to file inside
SQLite: memory does not grow with them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

from rocprofsys_multipass.errors import OutputError, TraceError
from rocprofsys_multipass.merge.combined import Combined, check_inputs
from rocprofsys_multipass.merge.database.apart import Apart, rename_rows, told_apart
from rocprofsys_multipass.merge.database.canonical import in_canonical
from rocprofsys_multipass.merge.database.copy import CACHE_KIB, uri_of
from rocprofsys_multipass.merge.database.objects import Objects, Table, objects_of, quoted
from rocprofsys_multipass.spelling import plural
from rocprofsys_multipass.writing import whole_file

_COMPOUND: Final = 400  # selects in a row; SQLite takes 500 at most (SQLITE_MAX_COMPOUND_SELECT)
# By these views of upstream two processes with one pid get each other's rows (schema 3.0.0 text): they join by id only.
_JOINED_BY_ID: Final = {"threads": "rocpd_info_thread", "memory_allocations": "rocpd_memory_allocate"}


def combine_databases(inputs: Sequence[Path], target: Path) -> Combined:
    """Write one database of the databases in `inputs`, each of which may hold several processes.

    The target gets its name when it is complete; a file of that name is replaced. Inputs are only read.

    Raises:
        UsageError: an input is given twice, or is the target.
        TraceError: an input is no rocpd database, its schema is not that of the others, or a process is in two of them.
        OutputError: the target cannot be written.
    """
    check_inputs(inputs, target)
    with ExitStack() as stack:
        return _combine([stack.enter_context(in_canonical(path, target.parent)) for path in inputs], target)


def _combine(inputs: Sequence[Path], target: Path) -> Combined:
    files = [objects_of(path) for path in inputs]
    _refuse_mixed_schemas(files)
    parts = told_apart(files)
    files = [part.file for part in parts]
    columns = _columns(files)
    with whole_file(target) as temporary:
        temporary.unlink(missing_ok=True)
        with _writing(target), closing(_connect(temporary)) as database:
            for part in parts:
                _copy(database, part)
            notes = _make_views(database, files, columns)
            notes += _dangling(database, files)
            notes += _multiplied(database)
    processes = sum(len(file.suffixes) for file in files)
    return Combined(target, processes, tuple(notes + [note for file in files for note in file.notes]))


def _refuse_mixed_schemas(files: Sequence[Objects]) -> None:
    first = files[0]
    for file in files:
        if file.version != first.version:
            raise TraceError(
                f"{file.path}: schema_version is {file.version}, that of {first.path} is {first.version}: combine "
                "files of one schema: those of rocprof-sys with each other, or those of this tool"
            )


def _columns(files: Sequence[Objects]) -> dict[str, tuple[str, ...]]:
    """The columns of each base view, which all its tables must have; they may have them in another order."""
    found: dict[str, tuple[Path, Table]] = {}
    for file in files:
        for table in file.tables:
            path, first = found.setdefault(table.base, (file.path, table))
            if apart := set(table.columns) ^ set(first.columns):
                name = min(apart)
                has, lacks = (file.path, path) if name in table.columns else (path, file.path)
                raise TraceError(
                    f"{lacks}: {table.base} has no column {name}, which it has in {has}: the files are of different "
                    "releases; combine those of one"
                )
    return {base: table.columns for base, (_, table) in found.items()}


def _connect(path: Path) -> sqlite3.Connection:
    """Nobody else knows the file, and one that is not completed is removed: no journal, no waiting for the disk."""
    database = sqlite3.connect(uri_of(path, "mode=rwc"), isolation_level=None, uri=True)
    for setting in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{CACHE_KIB}"):
        database.execute(f"PRAGMA {setting}")
    return database


def _copy(database: sqlite3.Connection, part: Apart) -> None:
    """Tables, rows and indexes of one file."""
    file = part.file
    database.execute("ATTACH ? AS source", (uri_of(file.path, "mode=ro"),))
    try:
        database.execute("BEGIN")
        for table in file.tables:
            name, source = quoted(table.name), quoted(table.source)
            database.execute(table.sql)
            database.execute(f"INSERT INTO main.{name} SELECT * FROM source.{source}")  # noqa: S608 - quoted
        rename_rows(database, part)
        for sql in file.indexes:
            database.execute(sql)
        database.execute("COMMIT")
    finally:
        if database.in_transaction:
            database.execute("ROLLBACK")
        database.execute("DETACH source")


def _make_views(
    database: sqlite3.Connection, files: Sequence[Objects], columns: Mapping[str, tuple[str, ...]]
) -> list[str]:
    for base, names in columns.items():
        tables = [table.name for file in files for table in file.tables if table.base == base]
        database.execute(f"CREATE VIEW {quoted(base)} AS {_union(tables, ', '.join(map(quoted, names)))}")
    notes = []
    made: dict[str, tuple[str, Path]] = {}
    for file in files:
        for name, sql in file.views.items():
            text, first = made.setdefault(name, (" ".join(sql.split()), file.path))
            if first is file.path:
                database.execute(sql)
            elif text != " ".join(sql.split()):
                notes.append(f"{file.path}: its view {name} reads otherwise than that of {first}, which was taken")
    for name, (_, path) in made.items():
        _try_view(database, name, path)
    return notes


def _try_view(database: sqlite3.Connection, name: str, path: Path) -> None:
    try:
        database.execute(f"SELECT * FROM {quoted(name)} LIMIT 0")  # noqa: S608 - quoted
    except sqlite3.Error as error:
        raise TraceError(f"{path}: its view {name} cannot be used over all processes: {error}") from error


def _union(tables: Sequence[str], columns: str) -> str:
    """A select over all tables."""
    if len(tables) > _COMPOUND:
        parts = [tables[at : at + _COMPOUND] for at in range(0, len(tables), _COMPOUND)]
        return " UNION ALL ".join(f"SELECT {columns} FROM ({_union(part, columns)})" for part in parts)  # noqa: S608
    return " UNION ALL ".join(f"SELECT {columns} FROM {quoted(table)}" for table in tables)  # noqa: S608 - quoted


def _dangling(database: sqlite3.Connection, files: Sequence[Objects]) -> list[str]:
    """Rows that refer to nothing: they were so in their files, which are not mended here."""
    source = {table.name: file.path for file in files for table in file.tables}
    counts: dict[tuple[Path, str], int] = {}
    for table, _, parent, _ in database.execute("PRAGMA foreign_key_check"):
        key = (source[table], f"{table} refer to rows of {parent}")
        counts[key] = counts.get(key, 0) + 1
    return [f"{path}: {plural(count, 'row')} of {what} that are not there" for (path, what), count in counts.items()]


def _multiplied(database: sqlite3.Connection) -> list[str]:
    """Views that show more rows than their table has, since processes of several hosts have one pid."""
    views = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'view'")}
    notes = []
    for view, table in _JOINED_BY_ID.items():
        if {view, table} <= views:
            shown, there = (_count(database, name) for name in (view, table))
            if shown > there:
                notes.append(
                    f"the view {view} shows {shown:,} rows for {there:,}: two processes have one pid, and its text, "
                    f"which is that of the files, joins them by pid; count in {table}"
                )
    return notes


def _count(database: sqlite3.Connection, name: str) -> int:
    (count,) = database.execute(f"SELECT COUNT(*) FROM {name}").fetchone()  # noqa: S608 - one of ours
    return int(count)


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where a message has bytes of a damaged file
        raise OutputError(
            f"{target} could not be written: {error}; see that there is room, and that the files to combine are whole"
        ) from error
