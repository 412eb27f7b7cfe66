# SPDX-License-Identifier: MIT
"""Makes the three kinds of files by hand, so that readers and checks are tested against something they did not write.

A run is described once (`Run`, `Launch`, `Execution`), then written as a journal with protobuf, as a Perfetto trace
with the classes of the `perfetto` package, and as a database with SQL of its own.
"""

from __future__ import annotations

import json
import sqlite3
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt

from rocprofsys_multipass.trace import journal_pb2 as pb

GUID = "0190aaaa-bbbb-7ccc-8ddd-eeeeffff0001"
PID = 4711


@dataclass(frozen=True)
class Execution:
    """One pass: index (None: outside a replay loop), group, times, values by counter."""

    index: int | None
    start: int
    end: int
    values: dict[str, float]
    group: int | None = None

    @property
    def read_group(self) -> int:
        return self.group if self.group is not None else self.index or 0


@dataclass(frozen=True)
class Launch:
    id: int
    executions: tuple[Execution, ...]
    kernel: str = "axpy(float*, int)"
    outcome: str = "replayed"
    reason: str = ""
    queue: int = 7

    @property
    def canonical(self) -> dict[str, tuple[int, float]]:
        """Counter -> (position of the execution, value), by the contract's rule."""
        found: dict[str, tuple[int, float]] = {}
        for position, one in enumerate(self.executions):
            for counter, value in one.values.items():
                found.setdefault(counter, (position, value))
        return found


@dataclass(frozen=True)
class Run:
    """One process on one GPU (agent 1, device 0) beside a CPU (agent 0)."""

    launches: tuple[Launch, ...]
    plan: tuple[tuple[str, ...], ...] = (("SQ_WAVES", "GRBM_COUNT"), ("SQ_WAVES", "TCC_HIT"))
    sentinels: tuple[tuple[str, ...], ...] = ()
    pid: int = PID
    guid: str = GUID
    rank: int | None = None
    warnings: tuple[str, ...] = ()
    closed: bool = True
    simulated: bool = True
    replay_mode: str = "auto"
    descriptions: dict[str, str] = field(default_factory=dict)  # of counters

    @cached_property
    def counters(self) -> list[str]:
        return sorted({c for p in self.plan for c in p} | {c for d in self.launches for c in d.canonical})

    @cached_property
    def kernels(self) -> list[str]:
        return list(dict.fromkeys(d.kernel for d in self.launches))


def replayed(dispatch_id: int, start: int, *, waves: float = 512, hits: float = 300) -> Launch:
    """A dispatch with two passes of 100 ns."""
    return Launch(
        dispatch_id,
        (
            Execution(0, start, start + 100, {"SQ_WAVES": waves, "GRBM_COUNT": 100.5}),
            Execution(1, start + 150, start + 260, {"SQ_WAVES": waves, "TCC_HIT": hits}),
        ),
    )


def sample_run() -> Run:
    """Every outcome once, replayed twice; a counter that is exactly 0 once."""
    return Run(
        (
            replayed(1, 1000),
            replayed(2, 2000, hits=0),
            Launch(
                3,
                (Execution(None, 3000, 3090, {"SQ_WAVES": 64, "TCC_HIT": 9}, group=1),),
                outcome="declined",
                reason="graph",
                kernel="init(int)",
            ),
            Launch(4, (Execution(None, 4000, 4050, {}, group=0),), outcome="filtered", kernel="init(int)"),
            Launch(
                5,
                (Execution(0, 5000, 5100, {"SQ_WAVES": 512, "GRBM_COUNT": 90}),),
                outcome="incomplete",
                reason="process_end",
            ),
        ),
        warnings=("two queues overlapped",),
    )


# --- journal ---------------------------------------------------------------------------------------------------------


def frame(message: pb.Frame) -> bytes:
    payload = message.SerializeToString()
    return b"MPFR" + struct.pack("<II", len(payload), zlib.crc32(payload)) + payload


def journal_header(version: int = 1) -> bytes:
    return b"RSMPJRNL" + struct.pack("<II", version, 0)


def journal_frames(run: Run) -> list[pb.Frame]:
    frames = [
        pb.Frame(
            run=pb.Run(
                tool_version="0.1.0",
                sdk_version="1.4.1",
                simulated=run.simulated,
                kernel_replay=True,
                replay_mode=run.replay_mode,
                guid=run.guid,
                command=["./app", "it's"],
                pid=run.pid,
                hostname="host",
                rank=run.rank,
                start_ns=500,
            )
        ),
        pb.Frame(agent=pb.Agent(index=0, gpu=False, node_id=0, name="CPU")),
        pb.Frame(agent=_agent(run)),
    ]
    for number, name in enumerate(run.kernels, 1):
        frames.append(pb.Frame(kernel=pb.Kernel(id=number, agent=1, name=f"_Z{number}", demangled=name, sgpr_count=16)))
    frames += [pb.Frame(dispatch=_dispatch(run, d)) for d in run.launches]
    frames += [pb.Frame(warning=pb.Warning(text=text)) for text in run.warnings]
    if run.closed:
        frames.append(pb.Frame(end=pb.End(dispatches=len(run.launches), end_ns=9000)))
    return frames


def _agent(run: Run) -> pb.Agent:
    sentinels = run.sentinels or ((),) * len(run.plan)
    agent = pb.Agent(index=1, gpu=True, device=0, node_id=1, name="gfx942", product_name="a GPU")
    agent.counters.extend(
        pb.Counter(name=name, block=name.split("_")[0], description=run.descriptions.get(name, ""), instances=1)
        for name in run.counters
    )
    agent.plan.passes.extend(pb.PlannedPass(counters=p, sentinels=s) for p, s in zip(run.plan, sentinels, strict=True))
    agent.plan.lower_bound = len(run.plan)
    agent.plan.proof = "bound"
    return agent


def _dispatch(run: Run, d: Launch) -> pb.Dispatch:
    message = pb.Dispatch(
        dispatch_id=d.id,
        agent=1,
        kernel=run.kernels.index(d.kernel) + 1,
        queue_id=d.queue,
        thread_id=run.pid,
        grid=[1024, 1, 1],
        workgroup=[64, 1, 1],
        outcome=d.outcome,
        reason=d.reason,
        passes_planned=len(run.plan),
    )
    for one in d.executions:
        record = message.passes.add(group=one.read_group, start_ns=one.start, end_ns=one.end)
        if one.index is not None:
            setattr(record, "pass", one.index)
        record.counters.extend(run.counters.index(c) for c in one.values)
        record.values.extend(one.values.values())
    return message


def journal_bytes(run: Run) -> bytes:
    return journal_header() + b"".join(frame(f) for f in journal_frames(run))


# --- Perfetto --------------------------------------------------------------------------------------------------------

REASONS = {"declined": "decline_reason", "incomplete": "incomplete_reason", "filtered": "filter_reason"}
PROCESS, GPU, QUEUE, NOTES = 100, 200, 300, 400
PASS_TRACK, KERNELS = 1000, 2000


@dataclass
class TraceFile:
    """Packets of a trace; `change` is called with each packet before it is written, and drops it by returning False."""

    run: Run
    change: Callable[[pt.TracePacket], bool | None] = lambda _: None
    packets: list[pt.TracePacket] = field(default_factory=list)
    tracks: dict[str, int] = field(default_factory=dict)

    def build(self) -> TraceFile:
        first = self._packet()
        first.sequence_flags = 1
        first.trace_packet_defaults.timestamp_clock_id = 6
        self.track(PROCESS, 0, "app").process.pid = self.run.pid
        self.track(GPU, PROCESS, "GPU 0 [gfx942]")
        self.track(QUEUE, GPU, "Queue 0")
        self._notes()
        for d in self.run.launches:
            self._launch(d)
        return self

    def _packet(self) -> pt.TracePacket:
        packet = pt.TracePacket(trusted_packet_sequence_id=0xF0001234)
        self.packets.append(packet)
        return packet

    def track(self, uuid: int, parent: int, name: str, *, counter: bool = False) -> pt.TrackDescriptor:
        descriptor = self._packet().track_descriptor
        descriptor.uuid, descriptor.name = uuid, name
        if parent:
            descriptor.parent_uuid = parent
        if counter:
            descriptor.counter.SetInParent()
        self.tracks[name] = uuid
        return descriptor

    def _notes(self) -> None:
        self.track(NOTES, PROCESS, "Counter collection")
        event = self._event(NOTES, 1000, 3, "rocprofsys-multipass", "rocm_multipass_run")
        annotate(
            event,
            {
                "guid": self.run.guid,
                "simulated": self.run.simulated,
                "sdk_version": "1.4.1",
                "replay_mode": self.run.replay_mode,
            },
        )

    def _event(self, track: int, time: int, kind: int, name: str = "", category: str = "") -> pt.TrackEvent:
        packet = self._packet()
        packet.timestamp = time
        packet.track_event.track_uuid = track
        packet.track_event.type = kind
        if name:
            packet.track_event.name = name
            packet.track_event.categories.append(category)
        return packet.track_event

    def slice(self, track: int, times: tuple[int, int], name: str, category: str, values: dict[str, object]) -> None:
        annotate(self._event(track, times[0], 1, name, category), values)
        self._event(track, times[1], 2)

    def counter(self, track: int, time: int, value: float) -> None:
        self._event(track, time, 4).double_counter_value = value

    def _launch(self, d: Launch) -> None:
        first = d.executions[0]
        facts: dict[str, object] = {"dispatch_id": d.id, "outcome": d.outcome, "passes": len(self.run.plan)}
        facts |= {
            "executions": len(d.executions),
            "grid_size": "1024,1,1",
            "workgroup_size": "64,1,1",
            "queue": d.queue,
        }
        if d.reason:
            facts[REASONS[d.outcome]] = d.reason
        many = len(self.run.plan) > 1
        if many and first.index is None and first.values:
            facts["group"] = first.read_group
        facts |= {counter: value for counter, (_, value) in d.canonical.items()}
        self.slice(QUEUE, (first.start, first.end), d.kernel, "rocm_kernel_dispatch", facts)
        for one in d.executions:
            self._execution(d, one, many=many)

    def _execution(self, d: Launch, one: Execution, *, many: bool) -> None:
        parent, suffix = GPU, ""
        if many and one.index is not None:
            parent, suffix = PASS_TRACK + one.index, f" pass {one.index}"
            if f"Replay pass {one.index}" not in self.tracks:
                self.track(parent, GPU, f"Replay pass {one.index}")
                self.track(KERNELS + one.index, parent, "Kernels")
            facts: dict[str, object] = {"replay_pass": one.index, "dispatch_id": d.id}
            self.slice(KERNELS + one.index, (one.start, one.end), d.kernel, "rocm_kernel_replay_pass", facts)
        elif many:
            suffix = f" group {one.read_group}"
        for counter, value in one.values.items():
            name = f"GPU {counter} [0]{suffix}"
            if name not in self.tracks:
                self.track(5000 + len(self.tracks), parent, name, counter=True)
            self.counter(self.tracks[name], one.start, value)
            self.counter(self.tracks[name], one.end, 0.0)

    def to_bytes(self) -> bytes:
        kept = [p for p in self.packets if self.change(p) is not False]
        return pt.Trace(packet=kept).SerializeToString()


def annotate(event: pt.TrackEvent, values: dict[str, object]) -> None:
    for name, value in values.items():
        annotation = event.debug_annotations.add(name=name)
        if isinstance(value, bool):
            annotation.bool_value = value
        elif isinstance(value, int):
            annotation.uint_value = value
        elif isinstance(value, float):
            annotation.double_value = value
        else:
            annotation.string_value = str(value)


def trace_bytes(run: Run, change: Callable[[pt.TracePacket], bool | None] = lambda _: None) -> bytes:
    return TraceFile(run, change).build().to_bytes()


# --- rocpd -----------------------------------------------------------------------------------------------------------

# The part of schema 3.0.1 that a dispatch with counters needs. `~` stands for the suffix of the physical tables.
_TABLES = {
    "metadata": "tag TEXT NOT NULL, value TEXT NOT NULL",
    "string": "string TEXT NOT NULL UNIQUE",
    "info_process": "nid INT, ppid INT, pid INT NOT NULL, command TEXT, extdata TEXT DEFAULT '{}'",
    "info_thread": "nid INT, pid INT REFERENCES rocpd_info_process~(id), tid INT NOT NULL",
    "info_agent": "nid INT, pid INT, type TEXT, absolute_index INT, name TEXT, product_name TEXT",
    "info_queue": "nid INT, pid INT REFERENCES rocpd_info_process~(id), name TEXT",
    "info_pmc": "agent_id INT REFERENCES rocpd_info_agent~(id), name TEXT NOT NULL, block TEXT, description TEXT, "
    "expression TEXT",
    "info_kernel_symbol": "pid INT, code_object_id INT, kernel_name TEXT, display_name TEXT, sgpr_count INT, "
    "arch_vgpr_count INT, accum_vgpr_count INT, extdata TEXT DEFAULT '{}'",
    "event": "category_id INT",
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
SIDE_TABLES = ("replay_pass", "replay_pmc")

_VIEWS = """
CREATE VIEW kernels AS SELECT d.id, d.guid, d.dispatch_id, s.display_name AS name FROM rocpd_kernel_dispatch d
  JOIN rocpd_event e ON e.id = d.event_id JOIN rocpd_string r ON r.id = d.region_name_id
  JOIN rocpd_info_kernel_symbol s ON s.id = d.kernel_id JOIN rocpd_info_thread t ON t.id = d.tid
  JOIN rocpd_info_queue q ON q.id = d.queue_id;
CREATE VIEW pmc_events AS SELECT v.id, v.guid, v.event_id, d.dispatch_id, i.name AS counter_name,
  v.value AS counter_value FROM rocpd_pmc_event v JOIN rocpd_info_pmc i ON i.id = v.pmc_id
  JOIN rocpd_kernel_dispatch d ON d.event_id = v.event_id;
CREATE VIEW counters_collection AS SELECT MIN(id) AS id, guid, event_id, dispatch_id, counter_name,
  SUM(counter_value) AS value FROM pmc_events GROUP BY guid, dispatch_id, counter_name;
CREATE VIEW kernel_symbols AS SELECT * FROM rocpd_info_kernel_symbol;
CREATE VIEW pmc_info AS SELECT * FROM rocpd_info_pmc;
CREATE VIEW processes AS SELECT * FROM rocpd_info_process;
CREATE VIEW threads AS SELECT * FROM rocpd_info_thread;
CREATE VIEW top_kernels AS SELECT s.display_name AS name, COUNT(*) AS total_calls FROM rocpd_kernel_dispatch d
  JOIN rocpd_info_kernel_symbol s ON s.id = d.kernel_id GROUP BY s.display_name;
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
_CONFLICTS = """
CREATE VIEW replay_conflicts AS SELECT guid, dispatch_id, counter_name,
  CASE WHEN high = 0 AND low = 0 THEN 'ALL_ZERO' ELSE 'DIFFERENT' END AS kind FROM (
    SELECT p.guid, p.dispatch_id, i.name AS counter_name, COUNT(*) AS n, MIN(v.value) AS low, MAX(v.value) AS high
    FROM rocpd_replay_pmc v JOIN rocpd_replay_pass p ON p.id = v.replay_pass_id
    JOIN rocpd_info_pmc i ON i.id = v.pmc_id GROUP BY p.guid, p.dispatch_id, i.name)
  WHERE n > 1 AND (low <> high OR high = 0);
"""


def replay_of(run: Run, d: Launch) -> dict[str, object]:
    """What the extdata of a dispatch says."""
    return {"passes": len(run.plan), "outcome": d.outcome} | ({"reason": d.reason} if d.reason else {})


@dataclass
class DatabaseFile:
    """Writes a run as a database. `side`: with the side tables of the canonical layout."""

    connection: sqlite3.Connection
    run: Run
    side: bool = True

    def __post_init__(self) -> None:
        # A test's file need not survive a power cut; without this each statement waits for the disk.
        self.connection.executescript("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;")

    def build(self) -> None:
        tables = [t for t in _TABLES if self.side or t not in SIDE_TABLES]
        self.create(tables)
        self.connection.executescript(_VIEWS + _EMPTY_VIEWS + (_CONFLICTS if self.side else ""))
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
            columns = _TABLES[table].replace("~", self.suffix)
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
        }
        self.insert("info_process", id=self.run.pid, pid=self.run.pid, command="./app it's", extdata=json.dumps(more))
        self.insert("info_thread", id=self.run.pid, pid=self.run.pid, tid=self.run.pid)
        self.insert("info_agent", id=0, type="CPU", absolute_index=0, name="CPU")
        self.insert("info_agent", id=1, type="GPU", absolute_index=1, name="gfx942", product_name="a GPU")
        self.insert("info_queue", id=7, pid=self.run.pid, name="Queue 7")
        self.insert("string", id=1, string="")
        for number, name in enumerate(self.run.counters, 1):
            description = self.run.descriptions.get(name, "")
            self.insert("info_pmc", id=number, agent_id=1, name=name, block=name.split("_")[0], description=description)
        for number, name in enumerate(self.run.kernels, 1):
            self.insert("info_kernel_symbol", id=number, kernel_name=f"_Z{number}", display_name=name, sgpr_count=16)

    def _launch(self, d: Launch) -> None:
        event = self.insert("event", category_id=1)
        first = d.executions[0]
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
            start=first.start,
            end=first.end,
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
            row = self.insert(
                "replay_pass",
                kernel_dispatch_id=d.id,
                dispatch_id=d.id,
                replay_pass=one.index,
                start=one.start,
                end=one.end,
                extdata=json.dumps({"group": one.read_group}),
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
        for d in run.launches:
            sidecar.side_rows(d)
    return path


def summary_of(run: Run) -> dict[str, object]:
    counts: dict[str, object] = {"seen": len(run.launches)}
    for outcome in ("replayed", "single_pass", "declined", "filtered", "incomplete"):
        counts[outcome] = sum(d.outcome == outcome for d in run.launches)
    counts["declined_reasons"] = dict(Counter(d.reason for d in run.launches if d.outcome == "declined"))
    agent = {
        "index": 1,
        "device": 0,
        "name": "gfx942",
        "pass_count": len(run.plan),
        "lower_bound": len(run.plan),
        "proven_minimal": True,
        "passes": [list(p) for p in run.plan],
        "unplaceable": [],
    }
    return {
        "schema": 1,
        "tool_version": "0.1.0",
        "sdk": {"version": "1.4.1", "library": "", "simulated": run.simulated, "kernel_replay": True},
        "command": ["./app", "it's"],
        "pid": run.pid,
        "rank": run.rank,
        "host": "host",
        "replay_mode": run.replay_mode,
        "agents": [agent],
        "dispatches": counts,
        "readings": sum(len(one.values) for d in run.launches for one in d.executions),
        "kernels": len({d.kernel for d in run.launches}),
        "files": {"journal": None, "perfetto": None, "rocpd": None},
        "warnings": list(run.warnings),
    }


def write_run(folder: Path, run: Run, *, files: tuple[str, ...] = ("journal", "db", "pftrace", "json")) -> Path:
    """A run directory."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"multipass-{run.pid}" if run.rank is None else f"multipass-rank{run.rank}"
    if "journal" in files:
        (folder / f"{name}.journal").write_bytes(journal_bytes(run))
    if "pftrace" in files:
        (folder / f"{name}.pftrace").write_bytes(trace_bytes(run))
    if "db" in files:
        write_database(folder / f"{name}.db", run)
    if "json" in files:
        named = {"journal": "journal", "pftrace": "perfetto", "db": "rocpd"}
        written = {named[f]: str(folder / f"{name}.{f}") for f in files if f in named}
        summary = summary_of(run) | {"files": dict.fromkeys(named.values()) | written}
        (folder / f"{name}.json").write_text(json.dumps(summary), encoding="utf-8")
    return folder


def with_launch(run: Run, position: int, **changes: object) -> Run:
    """The run with one launch changed."""
    launches = list(run.launches)
    launches[position] = replace(launches[position], **changes)  # type: ignore[arg-type]
    return replace(run, launches=tuple(launches))


def with_execution(run: Run, position: int, execution: int, **changes: object) -> Run:
    """The run with one execution of one launch changed."""
    executions = list(run.launches[position].executions)
    executions[execution] = replace(executions[execution], **changes)  # type: ignore[arg-type]
    return with_launch(run, position, executions=tuple(executions))


def frame_offsets(data: bytes) -> Iterator[int]:
    """Where the frames of a journal start, and where the last one ends."""
    offset = 16
    while offset < len(data):
        yield offset
        offset += 12 + struct.unpack_from("<I", data, offset + 4)[0]
    yield offset
