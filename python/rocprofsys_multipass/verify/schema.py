# SPDX-License-Identifier: MIT
"""Checks of a rocpd file as a database: what it must have, that its rows fit together, which version it is of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from rocprofsys_multipass.trace.database import Database, open_database
from rocprofsys_multipass.trace.rocpd_merged import runs_in
from rocprofsys_multipass.trace.sidecar import sidecar_of, sidecar_problem
from rocprofsys_multipass.verify.evidence import Evidence
from rocprofsys_multipass.verify.finding import Finding
from rocprofsys_multipass.verify.registry import check

AGAIN: Final = "write the database again with `rocprof-sys-multipass export`"
MERGE_AGAIN: Final = "merge the files of rocprof-sys and of this tool again with `rocprof-sys-multipass merge`"
METADATA: Final = (
    "schema_version",
    "schema_version_major",
    "schema_version_minor",
    "schema_version_patch",
    "schema_creation_time",
    "uuid",
    "guid",
)
# Tables and views of schema 3.0.1 as rocprofiler-sdk 1.x ships it.
TABLES: Final = (
    "metadata",
    "string",
    "info_node",
    "info_process",
    "info_thread",
    "info_agent",
    "info_queue",
    "info_stream",
    "info_pmc",
    "info_code_object",
    "info_kernel_symbol",
    "track",
    "event",
    "arg",
    "pmc_event",
    "region",
    "sample",
    "kernel_dispatch",
    "memory_copy",
    "memory_allocate",
)
VIEWS: Final = (
    "code_objects",
    "kernel_symbols",
    "processes",
    "threads",
    "regions",
    "region_args",
    "samples",
    "sample_regions",
    "regions_and_samples",
    "kernels",
    "memory_copies",
    "memory_allocations",
    "scratch_memory",
    "pmc_info",
    "pmc_events",
    "counters_collection",
    "events_args",
    "stream_args",
    "top_kernels",
    "busy",
    "top",
)
# What the canonical layout adds (docs/formats/rocpd.md).
SIDE_TABLES: Final = ("replay_pass", "replay_pmc")
SIDE_VIEWS: Final = ("replay_kernels", "replay_counters_collection", "replay_conflicts")
CANONICAL: Final = "canonical/"


def findings(check_id: str, db: Database, rows: Iterable[tuple[str, str]], hint: str = AGAIN) -> Iterator[Finding]:
    """An error for each place and message. What was merged into a database of rocprof-sys is not exported again."""
    for where, message in rows:
        yield Finding("error", check_id, f"{db.path.name}: {where}", message, _hint(db, hint))


def _hint(db: Database, hint: str) -> str:
    return hint.replace(AGAIN, MERGE_AGAIN) if runs_in(db) else hint


def is_ours(evidence: Evidence) -> bool:
    """Whether this tool wrote the database: its tables are there, its tag, or the journal that it was made of."""
    db = evidence.opened
    return db is not None and (
        evidence.journal is not None or bool(db.tag("replay_layout")) or db.has("rocpd_replay_pass")
    )


def _parts(db: Database) -> list[tuple[str, str, tuple[str, ...]]]:
    """Suffix, guid and names of the tables that this tool wrote; in one of rocprof-sys those of passes."""
    runs = runs_in(db)
    if runs:
        return list(dict.fromkeys((run.uuid, run.guid, SIDE_TABLES) for run in runs))
    canonical = db.tag("replay_layout").startswith(CANONICAL)
    return [(db.tag("uuid"), db.tag("guid"), TABLES + (SIDE_TABLES if canonical else ()))]


@check("rocpd-integrity", remedy="restore the file, or write it again from the journal")
def integrity(evidence: Evidence) -> Iterator[Finding]:
    """SQLite finds no damage in the file."""
    db = evidence.opened
    if db is not None:
        bad = [str(row[0]) for row in db.rows("PRAGMA integrity_check") if row[0] != "ok"]
        yield from findings("rocpd-integrity", db, (("file", text) for text in bad))


@check("rocpd-foreign-keys", remedy="rows are lost in every view that joins them: " + AGAIN)
def foreign_keys(evidence: Evidence) -> Iterator[Finding]:
    """No row refers to a row that does not exist."""
    db = evidence.opened
    if db is None:
        return
    rows: dict[tuple[str, str, int], list[int]] = {}
    for table, row, parent, key in db.rows("PRAGMA foreign_key_check"):
        rows.setdefault((table, parent, key), []).append(row)
    for (table, parent, key), orphans in rows.items():
        column, value = _reference(db, table, key, orphans[0])
        where = f"{_base(table)} row {orphans[0]}, {column}"
        others = f"; so do {len(orphans) - 1} more rows" if len(orphans) > 1 else ""
        text = f"refers to row {value} of {_base(parent)}, which does not exist{others}"
        yield from findings("rocpd-foreign-keys", db, [(where, text)])


def _reference(db: Database, table: str, key: int, row: int) -> tuple[str, object]:
    """Name and value of the column that a foreign key of a table is about."""
    column = next(r["from"] for r in db.rows("SELECT * FROM pragma_foreign_key_list(?)", (table,)) if r["id"] == key)
    names = tuple(name.replace('"', '""') for name in (column, table))
    (found,) = db.rows('SELECT "{}" FROM "{}" WHERE rowid = ?'.format(*names), (row,))  # noqa: S608  quoted
    return column, found[0]


def _base(table: str) -> str:
    """The name of a table without the uuid that it ends with."""
    return re.sub(r"(_[0-9a-f]{8}_[0-9a-f]{4}_[0-9a-f]{4}_[0-9a-f]{4}_[0-9a-f]{12}|_[0-9a-f]{32})$", "", table)


@check("rocpd-metadata")
def metadata(evidence: Evidence) -> Iterator[Finding]:
    """The metadata rows that readers look for are there once, and the uuid is the guid with underscores.

    In what `rocpd merge` makes of several files they are there once for each. Those of a database of rocprof-sys into
    which a run was merged are its own.
    """
    db = evidence.opened
    if db is None or not is_ours(evidence) or runs_in(db):  # files of other tools of 2025 have fewer
        return
    count = Counter(tag for tag, _ in db.metadata())
    tags = (*METADATA, "replay_layout")
    guids = {value for tag, value in db.metadata() if tag == "guid"}
    uuids = {value for tag, value in db.metadata() if tag == "uuid"}
    files = max(1, len(guids))
    texts = [("rocpd_metadata", f"tag {tag} is there {count[tag]} times") for tag in tags if count[tag] != files]
    if uuids != {"_" + guid.replace("-", "_") for guid in guids}:
        uuid, guid = db.tag("uuid"), db.tag("guid")
        texts.append(("rocpd_metadata", f"uuid {uuid!r} is not '_' and the guid {guid!r} with underscores"))
    version = ".".join(db.tag(f"schema_version_{part}") for part in ("major", "minor", "patch"))
    if db.tag("schema_version") != version:
        texts.append(("rocpd_metadata", f"schema_version is {db.tag('schema_version')!r}, its parts say {version!r}"))
    yield from findings("rocpd-metadata", db, texts)


@check("rocpd-views")
def views(evidence: Evidence) -> Iterator[Finding]:
    """The views that readers of a rocpd file query are there, and those of passes where the layout has them."""
    db = evidence.opened
    if db is not None and is_ours(evidence):
        side = SIDE_VIEWS if db.tag("replay_layout").startswith(CANONICAL) else ()
        wanted = side if runs_in(db) else VIEWS + side
        yield from findings("rocpd-views", db, ((name, "the view is missing") for name in wanted if not db.has(name)))


@check("rocpd-tables")
def tables(evidence: Evidence) -> Iterator[Finding]:
    """Every table of the schema is there under its name with the uuid, and under its plain name as a view."""
    db = evidence.opened
    if db is None or not is_ours(evidence):
        return
    for uuid, _, names in _parts(db):
        for name in names:
            for there in (f"rocpd_{name}{uuid}", f"rocpd_{name}"):
                if not db.has(there):
                    kind = "table" if there.endswith(uuid) else "view"
                    yield from findings("rocpd-tables", db, [(f"rocpd_{name}", f"the {kind} {there} is missing")])


@check("rocpd-sidecar", remedy="copy the sidecar beside the database; both are files of one run")
def sidecar(evidence: Evidence) -> Iterator[Finding]:
    """A database in strict layout has the file with its passes beside it, whole."""
    db = evidence.opened
    if db is None:
        return
    if evidence.lacks_sidecar:
        message = f"{sidecar_problem(db)}: only tables and views are looked at"
        yield Finding("error", "rocpd-sidecar", db.path.name, message)
    path = sidecar_of(db)
    if path is not None and evidence.database is not None:  # else check readable says what is wrong with it
        with open_database(path) as beside:
            bad = [("file", str(row[0])) for row in beside.rows("PRAGMA integrity_check") if row[0] != "ok"]
            yield from findings("rocpd-sidecar", beside, bad)


@check("rocpd-guids")
def guids(evidence: Evidence) -> Iterator[Finding]:
    """Every row has the guid that its table is called after: views join rows by it."""
    db = evidence.opened
    if db is None or not is_ours(evidence):
        return
    for uuid, guid, names in _parts(db):
        for name in dict.fromkeys((*names, *SIDE_TABLES)):
            yield from findings("rocpd-guids", db, _strangers(db, f"rocpd_{name}", uuid, guid))


def _strangers(db: Database, name: str, uuid: str, guid: str) -> Iterator[tuple[str, str]]:
    """Rows of a table with another guid than it is called after."""
    table = name + uuid
    if "guid" not in db.columns(table):
        return
    for row in db.rows(f'SELECT guid, MIN(id) AS id, COUNT(*) AS n FROM "{table}" GROUP BY guid'):  # noqa: S608  ours
        if f"_{row['guid']}".replace("-", "_") != uuid:
            others = f", as in {row['n'] - 1} more rows" if row["n"] > 1 else ""
            yield f"{name} row {row['id']}", f"the guid is {row['guid']!r}, that of the table {guid!r}{others}"
