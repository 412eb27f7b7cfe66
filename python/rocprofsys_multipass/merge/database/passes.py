# SPDX-License-Identifier: MIT
"""The tables and views of passes in the copy, and what its metadata says of the merge (docs/formats/rocpd.md).

Their text is that of this tool's own file, with the suffix and guid of the copy.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.merge.database.sides import Sides
from rocprofsys_multipass.trace.database import json_object
from rocprofsys_multipass.trace.rocpd_merged import JOINED, RUN, MergedRun, merged_runs

_TABLES: Final = ("replay_pass", "replay_pmc")
_VIEWS: Final = ("replay_kernels", "replay_counters_collection", "replay_conflicts", "kernel_counters")
_LATER: Final = ("kernel_counters",)  # not in files of earlier versions
_LAYOUT: Final = "replay_layout"
# It reads the columns of a view that has fewer of them in rocprof-sys of August 2025.
_BUILT_ON: Final = {"replay_kernels": "kernels"}


def refuse_merged(sides: Sides) -> None:
    """TraceError: what this tool measured of the process is in the file already."""
    host = sides.host
    tags = dict(sides.run("SELECT tag, value FROM host.metadata").fetchall())
    rows = sides.run("SELECT value FROM host.metadata WHERE tag IN (:run, :joined)", run=RUN, joined=JOINED)
    done = any((run.guid, run.process) == (host.guid, host.row) for run in merged_runs(row[0] for row in rows))
    if done or (_LAYOUT in tags and RUN not in tags):
        raise TraceError(
            f"{host.path}: it has passes of process {host.pid} already; give the file as rocprof-sys wrote it"
        )


def create_passes(sides: Sides) -> None:
    """Creates them behind what is there. Of a process of several in a file, the views cover those merged before too."""
    for name in _TABLES:
        if not sides.columns(name):
            sides.connection.execute(_renamed(sides, _text(sides, f"rocpd_{name}{sides.own.suffix}")))
    sides.forget()
    for name in _TABLES:
        tables = [row[0] for row in sides.connection.execute(_named_like(name))]
        selected = " UNION ALL ".join(f'SELECT * FROM "{table}"' for table in tables)  # noqa: S608  checked by sides_of
        sides.connection.execute(f"DROP VIEW IF EXISTS main.rocpd_{name}")
        sides.connection.execute(f"CREATE VIEW rocpd_{name} AS {selected}")
    for name in _VIEWS:
        if name in _LATER and not _is_there(sides, name):
            continue
        text = _text(sides, name)
        base = _BUILT_ON.get(name)
        if base:
            _, _, query = _text(sides, base).partition(" AS\n")
            text = text.replace(f"JOIN {base} ", f"JOIN (\n{query}\n) ")
        sides.connection.execute(f"DROP VIEW IF EXISTS main.{name}")
        sides.connection.execute(_renamed(sides, text))


def index_passes(sides: Sides) -> None:
    """The indexes of this tool's tables, after the rows; files of earlier versions have none."""
    tables = tuple(f"rocpd_{name}{sides.own.suffix}" for name in _TABLES)
    sql = "SELECT sql FROM own.sqlite_master WHERE type = 'index' AND sql NOT NULL AND tbl_name IN (?, ?)"
    for (text,) in sides.connection.execute(sql, tables).fetchall():
        sides.connection.execute(_renamed(sides, text).replace("CREATE INDEX", "CREATE INDEX IF NOT EXISTS", 1))


def _named_like(name: str) -> str:
    return (
        "SELECT name FROM main.sqlite_master WHERE type = 'table' "  # noqa: S608  one of two names
        f"AND name GLOB 'rocpd_{name}_*' ORDER BY rowid"
    )


def _is_there(sides: Sides, name: str) -> bool:
    sql = "SELECT 1 FROM own.sqlite_master WHERE name = ?"
    return sides.connection.execute(sql, (name,)).fetchone() is not None


def _text(sides: Sides, name: str) -> str:
    found = sides.connection.execute("SELECT sql FROM own.sqlite_master WHERE name = ?", (name,)).fetchone()
    if found is None:
        raise TraceError(f"{sides.own.path}: no {name} in it; write it again with `rocprof-sys-multipass export`")
    return str(found[0])


def _renamed(sides: Sides, text: str) -> str:
    return text.replace(sides.own.suffix, sides.host.suffix).replace(sides.own.guid, sides.host.guid)


def describe_run(sides: Sides, counters: Iterable[int], layout: str, *, joined: bool) -> None:
    """Adds the rows of metadata: the layout, and what this tool's file tells of process and plan.

    It is there and not in the rows of process and agents, so that those stay as rocprof-sys wrote them.
    """
    plans = {}
    if not joined:
        sql = "SELECT m.host_id, a.extdata FROM agent_map m JOIN own.info_agent a ON a.id = m.own_id ORDER BY m.host_id"
        plans = {agent: dict(json_object(text)) for agent, text in sides.run(sql)}
    (extdata,) = sides.run("SELECT extdata FROM own.info_process WHERE id = :id", id=sides.own.row).fetchone()
    host = sides.host
    run = MergedRun(
        host.suffix, host.guid, host.row, sides.own.guid, tuple(counters), dict(json_object(extdata)), plans
    )
    tags = [(JOINED if joined else RUN, json.dumps(run.members, separators=(",", ":")))]
    if not joined and not sides.number("SELECT COUNT(*) FROM host.metadata WHERE tag = :tag", tag=_LAYOUT):
        tags.insert(0, (_LAYOUT, layout))
    for tag, value in tags:
        sides.insert("metadata", {"tag": tag, "value": value})
