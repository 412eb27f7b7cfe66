# SPDX-License-Identifier: MIT
"""Writes a described run as a rocpd database, with SQL of its own."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from described_run import Launch, Run

# The part of schema 3.0.1 that a dispatch with counters needs. `~` stands for the suffix of the physical tables.
_TABLES = {
    "metadata": "tag TEXT NOT NULL, value TEXT NOT NULL",
    "string": "string TEXT NOT NULL UNIQUE",
    "info_node": "machine_id TEXT, hostname TEXT",
    "info_process": "nid INT, ppid INT, pid INT NOT NULL, command TEXT, extdata TEXT DEFAULT '{}'",
    "info_thread": "nid INT, pid INT REFERENCES rocpd_info_process~(id), tid INT NOT NULL",
    "info_agent": "nid INT, pid INT, type TEXT, absolute_index INT, name TEXT, product_name TEXT, extdata TEXT",
    "info_queue": "nid INT, pid INT REFERENCES rocpd_info_process~(id), name TEXT",
    "info_pmc": "agent_id INT REFERENCES rocpd_info_agent~(id), name TEXT NOT NULL, block TEXT, description TEXT, "
    "expression TEXT",
    "info_kernel_symbol": "pid INT, code_object_id INT, kernel_name TEXT, display_name TEXT, sgpr_count INT, "
    "arch_vgpr_count INT, accum_vgpr_count INT, extdata TEXT DEFAULT '{}'",
    "event": "category_id INT",
    "sample": "track_id INT, timestamp BIGINT, event_id INT",
    "pmc_event": "event_id INT REFERENCES rocpd_event~(id), "
    "pmc_id INT NOT NULL REFERENCES rocpd_info_pmc~(id), value REAL",
    "kernel_dispatch": "pid INT NOT NULL REFERENCES rocpd_info_process~(id), "
    "tid INT REFERENCES rocpd_info_thread~(id), "
    "agent_id INT NOT NULL REFERENCES rocpd_info_agent~(id), "
    "kernel_id INT NOT NULL REFERENCES rocpd_info_kernel_symbol~(id), dispatch_id INT NOT NULL, queue_id INT, "
    'stream_id INT, start BIGINT NOT NULL, "end" BIGINT NOT NULL, workgroup_size_x INT, workgroup_size_y INT, '
    "workgroup_size_z INT, grid_size_x INT, grid_size_y INT, grid_size_z INT, region_name_id INT, "
    "event_id INT REFERENCES rocpd_event~(id), extdata TEXT DEFAULT '{}'",
    "replay_pass": "kernel_dispatch_id INT NOT NULL REFERENCES rocpd_kernel_dispatch~(id), dispatch_id INT NOT NULL, "
    "replay_pass INT, start BIGINT NOT NULL, \"end\" BIGINT NOT NULL, status TEXT NOT NULL DEFAULT 'OK', "
    "extdata TEXT DEFAULT '{}'",
    "replay_pmc": "replay_pass_id INT NOT NULL REFERENCES rocpd_replay_pass~(id), "
    "pmc_id INT NOT NULL REFERENCES rocpd_info_pmc~(id), value REAL, instance_id INT, is_canonical INT DEFAULT 0",
}
# Of what such a run does not record: they are there, without rows.
_EMPTY_TABLES = (
    *("info_stream", "info_code_object", "track", "arg", "region"),
    "memory_copy",
    "memory_allocate",
)
SIDE_TABLES = ("replay_pass", "replay_pmc")

_VIEWS = """
CREATE VIEW kernels AS SELECT d.id, d.guid, d.dispatch_id, s.display_name AS name FROM rocpd_kernel_dispatch d
  JOIN rocpd_event e ON e.id = d.event_id AND e.guid = d.guid
  JOIN rocpd_string r ON r.id = d.region_name_id AND r.guid = d.guid
  JOIN rocpd_info_kernel_symbol s ON s.id = d.kernel_id AND s.guid = d.guid
  JOIN rocpd_info_thread t ON t.id = d.tid AND t.guid = d.guid
  JOIN rocpd_info_queue q ON q.id = d.queue_id AND q.guid = d.guid;
CREATE VIEW pmc_events AS SELECT v.id, v.guid, v.event_id, d.dispatch_id, i.name AS counter_name,
  v.value AS counter_value FROM rocpd_pmc_event v JOIN rocpd_info_pmc i ON i.id = v.pmc_id AND i.guid = v.guid
  JOIN rocpd_kernel_dispatch d ON d.event_id = v.event_id AND d.guid = v.guid;
CREATE VIEW counters_collection AS SELECT MIN(id) AS id, guid, event_id, dispatch_id, counter_name,
  SUM(counter_value) AS value FROM pmc_events GROUP BY guid, dispatch_id, counter_name;
CREATE VIEW kernel_symbols AS SELECT * FROM rocpd_info_kernel_symbol;
CREATE VIEW pmc_info AS SELECT * FROM rocpd_info_pmc;
CREATE VIEW processes AS SELECT * FROM rocpd_info_process;
CREATE VIEW threads AS SELECT * FROM rocpd_info_thread;
CREATE VIEW top_kernels AS SELECT s.display_name AS name, COUNT(*) AS total_calls FROM rocpd_kernel_dispatch d
  JOIN rocpd_info_kernel_symbol s ON s.id = d.kernel_id AND s.guid = d.guid GROUP BY s.display_name;
"""
# Views of what this tool does not record: they are there, without rows.
_EMPTY_VIEWS = "".join(
    f"CREATE VIEW {name} AS SELECT 0 AS id WHERE 0;\n"
    for name in (
        "code_objects",
        "regions",
        "region_args",
        "samples",
        "sample_regions",
        "regions_and_samples",
        "memory_copies",
        "memory_allocations",
        "scratch_memory",
        "events_args",
        "stream_args",
        "busy",
        "top",
    )
)
_SIDE_VIEWS = """
CREATE VIEW replay_kernels AS SELECT k.*, p.replay_pass FROM rocpd_replay_pass p
  JOIN kernels k ON k.id = p.kernel_dispatch_id AND k.guid = p.guid;
CREATE VIEW replay_counters_collection AS SELECT v.guid, p.dispatch_id, p.replay_pass, i.name AS counter_name,
  SUM(v.value) AS value FROM rocpd_replay_pmc v JOIN rocpd_replay_pass p ON p.id = v.replay_pass_id AND p.guid = v.guid
  JOIN rocpd_info_pmc i ON i.id = v.pmc_id AND i.guid = v.guid GROUP BY v.guid, v.replay_pass_id, i.name;
CREATE VIEW replay_conflicts AS SELECT guid, dispatch_id, counter_name,
  CASE WHEN high = 0 AND low = 0 THEN 'ALL_ZERO' ELSE 'DIFFERENT' END AS kind FROM (
    SELECT p.guid, p.dispatch_id, i.name AS counter_name, COUNT(*) AS n, MIN(v.value) AS low, MAX(v.value) AS high
    FROM rocpd_replay_pmc v JOIN rocpd_replay_pass p ON p.id = v.replay_pass_id AND p.guid = v.guid
    JOIN rocpd_info_pmc i ON i.id = v.pmc_id AND i.guid = v.guid GROUP BY p.guid, p.dispatch_id, i.name)
  WHERE n > 1 AND (low <> high OR high = 0);
"""


def replay_of(run: Run, d: Launch) -> dict[str, object]:
    """What the extdata of a dispatch says."""
    extras = {name: list(times) for name in ("warm_up", "timing") if (times := getattr(d, name)) is not None}
    return {"passes": len(run.plan), "outcome": d.outcome} | ({"reason": d.reason} if d.reason else {}) | extras


def plan_of(run: Run) -> dict[str, object]:
    """What the extdata of the GPU says of the plan."""
    passes = zip(run.plan, run.sentinels_of_passes, strict=True)
    return {"passes": [{"counters": list(counters), "sentinel": list(sentinels)} for counters, sentinels in passes]}


@dataclass
class DatabaseFile:
    """Writes a run as a database. `side`: with the side tables of the canonical layout, whose writer tells the plan."""

    connection: sqlite3.Connection
    run: Run
    side: bool = True

    def __post_init__(self) -> None:
        # A test's file need not survive a power cut; without this each statement waits for the disk.
        self.connection.executescript("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;")

    def build(self) -> None:
        tables = [t for t in (*_TABLES, *_EMPTY_TABLES) if self.side or t not in SIDE_TABLES]
        self.create(tables)
        self.connection.executescript(_VIEWS + _EMPTY_VIEWS + (_SIDE_VIEWS if self.side else ""))
        self._metadata()
        self._describe()
        for d in self.run.launches:
            self._launch(d)

    @property
    def suffix(self) -> str:
        return "_" + self.run.guid.replace("-", "_")

    def create(self, tables: list[str]) -> None:
        for table in tables:
            guid = "" if table == "metadata" else f"guid TEXT NOT NULL DEFAULT '{self.run.guid}', "
            columns = _TABLES.get(table, "extdata TEXT").replace("~", self.suffix)
            self.connection.execute(
                f"CREATE TABLE rocpd_{table}{self.suffix} (id INTEGER PRIMARY KEY, {guid}{columns})"
            )
            self.connection.execute(f"CREATE VIEW rocpd_{table} AS SELECT * FROM rocpd_{table}{self.suffix}")

    def insert(self, table: str, **values: object) -> int:
        names = ", ".join(f'"{name}"' for name in values)
        marks = ", ".join("?" * len(values))
        sql = f"INSERT INTO rocpd_{table}{self.suffix} ({names}) VALUES ({marks})"
        return self.connection.execute(sql, tuple(values.values())).lastrowid or 0

    def _metadata(self) -> None:
        tags = {"schema_version": "3.0.1", "schema_version_major": "3", "schema_version_minor": "0"}
        tags |= {"schema_version_patch": "1", "schema_creation_time": "now", "uuid": self.suffix, "guid": self.run.guid}
        if self.side:
            tags["replay_layout"] = "canonical/1"
        for tag, value in tags.items():
            self.insert("metadata", tag=tag, value=value)

    def _describe(self) -> None:
        more = {
            "rank": self.run.rank,
            "simulated": self.run.simulated,
            "sdk_version": "1.4.1",
            "command": ["./app", "it's"],
            "replay_mode": self.run.replay_mode,
            "sets": list(self.run.sets),
        } | dict.fromkeys(self.run.extras, True)
        self.insert("info_process", id=self.run.pid, pid=self.run.pid, command="./app it's", extdata=json.dumps(more))
        self.insert("info_thread", id=self.run.pid, pid=self.run.pid, tid=self.run.pid)
        self.insert("info_agent", id=0, type="CPU", absolute_index=0, name="CPU")
        described = self.run.properties | ({"replay": plan_of(self.run)} if self.side else {})
        gpu = {"name": "gfx942", "product_name": "a GPU", "extdata": json.dumps(described)}
        self.insert("info_agent", id=1, type="GPU", absolute_index=1, **gpu)
        self.insert("info_queue", id=7, pid=self.run.pid, name="Queue 7")
        self.insert("string", id=1, string="")
        for number, name in enumerate(self.run.counters, 1):
            description = self.run.descriptions.get(name, "")
            self.insert("info_pmc", id=number, agent_id=1, name=name, block=name.split("_")[0], description=description)
        for number, name in enumerate(self.run.kernels, 1):
            self.insert("info_kernel_symbol", id=number, kernel_name=f"_Z{number}", display_name=name, sgpr_count=16)

    def _launch(self, d: Launch) -> None:
        event = self.insert("event", category_id=1)
        start, end = d.times
        self.insert(
            "kernel_dispatch",
            id=d.id,
            pid=self.run.pid,
            tid=self.run.pid,
            agent_id=1,
            kernel_id=self.run.kernels.index(d.kernel) + 1,
            dispatch_id=d.id,
            queue_id=d.queue,
            stream_id=0,
            start=start,
            end=end,
            workgroup_size_x=64,
            workgroup_size_y=1,
            workgroup_size_z=1,
            grid_size_x=1024,
            grid_size_y=1,
            grid_size_z=1,
            region_name_id=1,
            event_id=event,
            extdata=json.dumps({"replay": replay_of(self.run, d)}) if self.side else "{}",
        )
        for counter, (_, value) in d.canonical.items():
            self.insert("pmc_event", event_id=event, pmc_id=self.run.counters.index(counter) + 1, value=value)
        if self.side:
            self.side_rows(d)

    def side_rows(self, d: Launch) -> None:
        for position, one in enumerate(d.executions):
            planned = self.run.plan[one.read_group : one.read_group + 1] if d.outcome != "filtered" else ()
            missing = [counter for counters in planned for counter in counters if counter not in one.values]
            row = self.insert(
                "replay_pass",
                kernel_dispatch_id=d.id,
                dispatch_id=d.id,
                replay_pass=one.index,
                start=one.start,
                end=one.end,
                status="PARTIAL" if missing else "OK",
                extdata=json.dumps({"group": one.read_group} | ({"missing": missing} if missing else {})),
            )
            for counter, value in one.values.items():
                pmc = self.run.counters.index(counter) + 1
                canonical = int(d.canonical[counter][0] == position)
                self.insert("replay_pmc", replay_pass_id=row, pmc_id=pmc, value=value, is_canonical=canonical)


def write_database(path: Path, run: Run, *, side: bool = True, then: str = "") -> Path:
    """A database of the run; `then`: SQL that spoils it, `~` standing for the suffix."""
    with closing(sqlite3.connect(path)) as connection, connection:
        database = DatabaseFile(connection, run, side)
        database.build()
        connection.commit()
        connection.executescript(then.replace("~", database.suffix))
    return path


def write_strict(path: Path, run: Run) -> Path:
    """A database in strict layout: no side tables in it, those in `<name>-replay.db`."""
    tags = "INSERT INTO rocpd_metadata~ (tag, value) VALUES ('replay_layout', 'strict/1'), ('replay_sidecar', '{}')"
    tags = tags.format(f"{path.stem}-replay.db")
    replays = "; ".join(
        f"UPDATE rocpd_kernel_dispatch~ SET extdata = '{json.dumps({'replay': replay_of(run, d)})}' WHERE id = {d.id}"
        for d in run.launches
    )
    write_database(path, run, side=False, then=f"{tags}; {replays}")
    with closing(sqlite3.connect(path.with_name(f"{path.stem}-replay.db"))) as connection, connection:
        sidecar = DatabaseFile(connection, run)
        sidecar.create(["metadata", *SIDE_TABLES])
        sidecar.insert("metadata", tag="replay_parent_guid", value=run.guid)
        for d in run.launches:
            sidecar.side_rows(d)
    return path
