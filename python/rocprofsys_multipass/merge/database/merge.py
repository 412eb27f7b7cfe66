# SPDX-License-Identifier: MIT
"""Adds what this tool measured to a copy of the rocpd database of rocprof-sys (docs/formats/merge-rocpd.md).

All is done by SQLite in the copy, with maps of ids in temporary tables on disk: memory does not grow with the files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.merge.database.canonical import in_canonical
from rocprofsys_multipass.merge.database.copy import copied
from rocprofsys_multipass.merge.database.match import match
from rocprofsys_multipass.merge.database.passes import create_passes, describe_run, index_passes, refuse_merged
from rocprofsys_multipass.merge.database.rows import (
    add_counters,
    add_dispatches,
    add_passes,
    describe_dispatches,
    remove_executions,
)
from rocprofsys_multipass.merge.database.sides import Sides, sides_of
from rocprofsys_multipass.merge.merged import LISTED, Merged, Unmatched

_CANONICAL: Final = "canonical/"
_WRITTEN: Final = ("kernel_dispatch", "event", "pmc_event", "info_pmc", "replay_pass", "replay_pmc")


def merge_database(host: Path, own: Path, target: Path, *, join: Mapping[int, int] | None = None) -> Merged:
    """Writes `target`: the database `host` of one process of rocprof-sys with the dispatches and counters of `own`.

    Args:
        host: rocprof-sys's file, of any schema 3.0. It is only read.
        own: this tool's file of the same process, in either layout.
        target: the new file. One of that name is replaced when all is done, and stays as it is after an error.
        join: `own` is of another run of the program: dispatch ids of `host` with those of `own`. Then the counters are
            put at the dispatches of `host`, and passes are not stored.

    Raises:
        TraceError: a file is damaged, or the two are not of one process.
        OutputError: `target` cannot be written.
    """
    with in_canonical(own, target.parent) as whole, copied(host, target, own) as connection:
        sides = sides_of(connection, host, whole, joined=join is not None)
        connection.execute("BEGIN")
        layout = _layout(sides)
        refuse_merged(sides)
        match(sides, join)
        last = {table: sides.last_id(table) for table in _WRITTEN if sides.columns(table)}
        removed = remove_executions(sides) if join is None else 0
        added = add_dispatches(sides) if join is None else 0
        describe_dispatches(sides, joined=join is not None)
        counters = add_counters(sides, joined=join is not None)
        if join is None:
            create_passes(sides)
            add_passes(sides)
            index_passes(sides)
        describe_run(sides, counters, layout, joined=join is not None)
        notes = [*_left(sides), *_checked(sides, last)] if join is None else _checked(sides, last)
        merged = _result(sides, target, added, removed, notes)
        connection.execute("COMMIT")
    return merged


def _layout(sides: Sides) -> str:
    found = sides.run("SELECT value FROM own.metadata WHERE tag = 'replay_layout'").fetchone()
    layout = str(found[0]) if found else ""
    if not layout.startswith(_CANONICAL):
        raise TraceError(
            f"{sides.own.path}: its layout is {layout or 'not told'}, a merge needs {_CANONICAL}...; write it again "
            "with `rocprof-sys-multipass export --format rocpd`"
        )
    return layout


def _left(sides: Sides) -> Iterator[str]:
    """What it means that dispatches have no match."""
    left = sides.number(
        "SELECT COUNT(*) FROM host_dispatch WHERE n > 1 AND dispatch_id IN (SELECT dispatch_id FROM rejected)"
    )
    if left:
        yield (
            "dispatches without a match have a row for each execution, and no counters: kernels, top_kernels and busy "
            f"count them several times (dispatches: {left})"
        )


def _checked(sides: Sides, last: Mapping[str, int]) -> list[str]:
    """Looks at the result as a reader does; what there is to note. `last`: the ids before what was added, by table."""
    notes = []
    dangling = 0
    for table in filter(sides.columns, _WRITTEN):
        name = f"rocpd_{table}{sides.host.suffix}"
        for _, row, parent, _ in sides.connection.execute(f'PRAGMA main.foreign_key_check("{name}")'):
            if row > last.get(table, 0):
                raise TraceError(f"{sides.host.path}: a row for {name} would refer to nothing in {parent}; report this")
            dangling += 1
    if dangling:
        notes.append(f"rows that refer to nothing, as rocprof-sys wrote them: {dangling}")
    if sides.connection.execute("SELECT 1 FROM main.sqlite_master WHERE name = 'kernels'").fetchone():
        placed = sides.number("SELECT COUNT(*) FROM placed")
        shown = sides.number(
            "SELECT COUNT(*) FROM main.kernels k JOIN placed p ON p.row_id = k.id WHERE k.guid = :guid"
        )
        if shown != placed:
            notes.append(
                f"view kernels shows {shown} of {placed} dispatches: thread, queue, name or kernel are missing"
            )
    return notes


def _result(sides: Sides, target: Path, added: int, removed: int, notes: list[str]) -> Merged:
    rows = sides.run("SELECT dispatch_id, reason FROM rejected ORDER BY dispatch_id, rowid LIMIT :most", most=LISTED)
    return Merged(
        target=target,
        matched=sides.number("SELECT COUNT(*) FROM placed WHERE NOT added"),
        added=added,
        removed=removed,
        unmatched=tuple(Unmatched(dispatch, reason) for dispatch, reason in rows.fetchall()),
        unmatched_count=sides.number("SELECT COUNT(*) FROM rejected"),
        notes=tuple(notes),
    )
