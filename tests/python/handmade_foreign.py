# SPDX-License-Identifier: MIT
"""Writes a described run as other tools do: databases of rocprofv3 and rocprof-sys, Perfetto traces of rocprof-sys.

None was made by those tools; docs/formats/foreign.md names the texts that the shapes follow.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from foreign_schema import tables_of, views_of

GUID = "0198c0de-0000-7000-8000-000000000001"
PID = 4711
MD5 = "d41d8cd98f00b204e9800998ecf8427e"  # as rocprof-sys makes its guids: 32 digits without dashes

Shape = Literal["plain", "merged", "per_pass", "per_row"]


@dataclass(frozen=True)
class Execution:
    """A kernel that ran once: what each instance of each counter counted."""

    start: int
    end: int
    counters: Mapping[str, Sequence[float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Launch:
    """A dispatch: one execution, or several by kernel replay."""

    id: int
    executions: tuple[Execution, ...]
    kernel: str = "k"
    gpu: int = 0
    queue: int = 7
    stream: int = 3
    grid: tuple[int, int, int] = (64, 1, 1)
    workgroup: tuple[int, int, int] = (64, 1, 1)
    tid: int | None = None  # of the thread that launched it; else the first
    correlation: int | None = None  # else the dispatch's id


@dataclass(frozen=True)
class Region:
    """What a thread did for a while, as rocprof-sys has it for calls of the HIP API."""

    name: str
    start: int
    end: int
    tid: int | None = None  # else the first
    category: str = "rocm_hip_api"
    arguments: Mapping[str, str] = field(default_factory=dict)
    correlation: int | None = None  # with a launch; its slice in a trace has the flow of that


@dataclass(frozen=True)
class Samples:
    """A counter by times: of the process or the host, or of a GPU where its dispatches are not traced."""

    name: str
    points: tuple[tuple[int, float], ...]
    category: str = "process_memory_hwm"
    unit: str = "MB"
    gpu: int | None = None


@dataclass(frozen=True)
class Run:
    """What one process did."""

    launches: tuple[Launch, ...]
    guid: str = GUID
    pid: int = PID
    host: str = "node7"
    gpus: int = 1
    blocks: Mapping[str, str] = field(default_factory=dict)  # of counters; else the part before the first underscore
    regions: tuple[Region, ...] = ()
    samples: tuple[Samples, ...] = ()
    gpu_names: tuple[str, ...] = ()  # else all are gfx942
    kernel_ids: Mapping[str, int] = field(default_factory=dict)  # else they are counted from 1
    command: str = "./app"

    @property
    def suffix(self) -> str:
        return "_" + self.guid.replace("-", "_")

    @property
    def threads(self) -> list[int]:
        """Thread ids, the first of the process first."""
        tids = (one.tid for one in (*self.launches, *self.regions))
        return list(dict.fromkeys([self.pid, *(tid for tid in tids if tid is not None)]))

    @cached_property
    def kernels(self) -> dict[str, int]:
        """Ids by name, also of kernels that were not launched."""
        names = dict.fromkeys(d.kernel for d in self.launches)
        return dict(self.kernel_ids) or {name: number for number, name in enumerate(names, 1)}

    def gpu_name(self, gpu: int) -> str:
        return self.gpu_names[gpu] if self.gpu_names else "gfx942"

    @property
    def counters(self) -> list[str]:
        return list(dict.fromkeys(c for d in self.launches for e in d.executions for c in e.counters))


WORKED_EXAMPLE = Run(
    (
        Launch(
            1,
            (
                Execution(1000, 1100, {"SQ_WAVES": (256, 256), "GRBM_COUNT": (100,)}),
                Execution(2000, 2100, {"SQ_WAVES": (256, 256), "GRBM_GUI_ACTIVE": (200,)}),
                Execution(3000, 3100, {"SQ_WAVES": (256, 256), "SQ_INSTS_SALU": (300,)}),
            ),
        ),
    ),
)
"""Three passes of one dispatch, SQ_WAVES in each of them."""

GOOD = Run(
    tuple(
        Launch(
            n,
            (
                Execution(
                    1000 * n,
                    1000 * n + 100 + n,
                    {
                        "SQ_WAVES": (256, 256),
                        "SQ_INSTS_VALU": (900, 800),
                        "GRBM_COUNT": (100,),
                        "TCC_HIT": (4, 3, 2, 1),
                    },
                ),
            ),
            kernel="axpy" if n < 3 else "sum",
        )
        for n in (1, 2, 3)
    )
)
"""Dispatches that ran once, counters of a block with as many instances each."""


def replayed(run: Run, passes: int = 2) -> Run:
    """The run with each dispatch executed several times, SQ_WAVES in each pass and the other counters in one."""
    launches = []
    for d in run.launches:
        (one,) = d.executions
        others = [c for c in one.counters if c != "SQ_WAVES"]
        executions = [
            Execution(
                one.start + 200 * k,
                one.end + 200 * k,
                {c: one.counters[c] for c in ("SQ_WAVES", *others[k::passes])},
            )
            for k in range(passes)
        ]
        launches.append(replace(d, executions=tuple(executions)))
    return replace(run, launches=tuple(launches))


def not_replayed(run: Run) -> Run:
    """The run with one execution per dispatch, which has every counter once."""
    launches = []
    for d in run.launches:
        first = d.executions[0]
        every: dict[str, Sequence[float]] = {}
        for e in d.executions:
            every |= {c: v for c, v in e.counters.items() if c not in every}
        launches.append(replace(d, executions=(replace(first, counters=every),)))
    return replace(run, launches=tuple(launches))


@dataclass(frozen=True)
class Schema:
    """3.0.`patch`; `replay_pass`: with the column of PR #11422, `own_views`: with its `counters_collection`."""

    patch: int = 0
    replay_pass: bool = False
    own_views: bool = False
    more_views: Mapping[str, str] = field(default_factory=dict)  # behind the others

    @property
    def tables(self) -> dict[str, str]:
        return tables_of(self.patch, replay_pass=self.replay_pass)


@dataclass
class ForeignDatabase:
    """The tables of one process."""

    connection: sqlite3.Connection
    run: Run
    schema: Schema
    shift: int = 0  # of the ids of agents against their indices: those of rocprof-sys are made up
    strings: dict[str, int] = field(default_factory=dict)

    def create(self) -> None:
        for table, columns in self.schema.tables.items():
            guid = "" if table == "metadata" else f"guid TEXT NOT NULL DEFAULT '{self.run.guid}', "
            own = columns.replace("~", self.run.suffix)
            sql = f"CREATE TABLE rocpd_{table}{self.run.suffix} (id INTEGER PRIMARY KEY AUTOINCREMENT, {guid}{own})"
            self.connection.execute(sql)

    def insert(self, table: str, **values: object) -> int:
        names = ", ".join(f'"{name}"' for name in values)
        marks = ", ".join("?" * len(values))
        sql = f"INSERT INTO rocpd_{table}{self.run.suffix} ({names}) VALUES ({marks})"
        return self.connection.execute(sql, tuple(values.values())).lastrowid or 0

    def string(self, text: str) -> int:
        if text not in self.strings:
            self.strings[text] = self.insert("string", string=text)
        return self.strings[text]

    def metadata(self, guid: str, **more: str) -> None:
        version = f"3.0.{self.schema.patch}" if self.schema.patch else "3"
        for tag, value in {"schema_version": version, "uuid": self.run.suffix, "guid": guid, **more}.items():
            self.insert("metadata", tag=tag, value=value)

    def describe(self) -> None:
        """Node, process, thread, agents (a CPU first), queues, streams and kernels."""
        self.insert("info_node", id=1, hash=99, machine_id="f00d", hostname=self.run.host)
        of = {"nid": 1, "pid": self.run.pid}
        self.insert("info_process", id=self.run.pid, pid=self.run.pid, nid=1, ppid=1, command=self.run.command)
        for tid in self.run.threads:
            self.insert("info_thread", id=tid, pid=self.run.pid, nid=1, ppid=1, tid=tid)
        self.insert("info_agent", id=self.shift, type="CPU", absolute_index=0, type_index=0, name="a CPU", **of)
        for n in range(self.run.gpus):
            indices = {"absolute_index": n + 1, "type_index": n}
            self.insert("info_agent", id=self.gpu(n), type="GPU", name=self.run.gpu_name(n), **indices, **of)
        for table, ids in (
            ("info_queue", sorted({0, *(d.queue for d in self.run.launches)})),
            ("info_stream", sorted({0, *(d.stream for d in self.run.launches)})),
        ):
            for number in ids:
                self.insert(table, id=number, name=f"{number}", **of)
        self.insert("info_code_object", id=1, agent_id=self.gpu(0), storage_type="MEMORY", **of)
        for name, number in self.run.kernels.items():
            mangled = f"_Z1{name}"
            self.insert("info_kernel_symbol", id=number, code_object_id=1, kernel_name=mangled, display_name=name, **of)

    def gpu(self, ordinal: int) -> int:
        """The row of a GPU."""
        return ordinal + 1 + self.shift

    def event(self, category: str, correlation: int = 0) -> int:
        return self.insert(
            "event", category_id=self.string(category), stack_id=correlation, parent_stack_id=0, correlation_id=0
        )

    def dispatch(self, d: Launch, e: Execution, event: int, region: str = "", **more: object) -> int:
        shapes = (("workgroup", d.workgroup), ("grid", d.grid))
        sizes = {f"{what}_size_{axis}": size for what, shape in shapes for axis, size in zip("xyz", shape, strict=True)}
        return self.insert(
            "kernel_dispatch",
            nid=1,
            pid=self.run.pid,
            tid=d.tid or self.run.pid,
            agent_id=self.gpu(d.gpu),
            kernel_id=self.run.kernels[d.kernel],
            dispatch_id=d.id,
            queue_id=d.queue,
            stream_id=d.stream,
            start=e.start,
            end=e.end,
            region_name_id=self.string(region),
            event_id=event,
            **sizes,
            **more,
        )

    def pmc(self, counter: str, gpu: int, **more: object) -> int:
        block = self.run.blocks.get(counter, counter.split("_", maxsplit=1)[0])
        values = {"name": counter, "symbol": counter, "component": "rocm", "block": block, "is_derived": 0} | more
        return self.insert(
            "info_pmc", nid=1, pid=self.run.pid, agent_id=self.gpu(gpu), target_arch="GPU", value_type="ABS", **values
        )

    def sampled(self, one: Samples) -> int:
        if one.gpu is not None:
            return self.pmc(one.name, one.gpu, units=one.unit, component="", block="", is_derived=None)
        of = {"nid": 1, "pid": self.run.pid, "agent_id": self.shift, "target_arch": "CPU", "value_type": "ABS"}
        return self.insert("info_pmc", name=one.name, symbol=one.name, units=one.unit, **of)

    def samples(self, category: str, track: int, pmc: int, points: Sequence[tuple[int, float]]) -> None:
        """An event, a sample and a value for each time."""
        for time, value in points:
            event = self.event(category)
            self.insert("sample", track_id=track, timestamp=time, event_id=event)
            self.insert("pmc_event", event_id=event, pmc_id=pmc, value=value)

    def region(self, one: Region) -> None:
        event, tid = self.event(one.category, one.correlation or 0), one.tid or self.run.pid
        of = {"nid": 1, "pid": self.run.pid, "tid": tid, "start": one.start, "end": one.end}
        self.insert("region", name_id=self.string(one.name), event_id=event, **of)
        for position, (name, value) in enumerate(one.arguments.items()):
            self.insert("arg", event_id=event, position=position, type="", name=name, value=value)

    def records(self, event: int, pmcs: Mapping[tuple[int, str], int], gpu: int, e: Execution) -> None:
        """A row per instance of each counter."""
        for counter, values in e.counters.items():
            for value in values:
                self.insert("pmc_event", event_id=event, pmc_id=pmcs[gpu, counter], value=value)


def _rocprofv3(database: ForeignDatabase, shape: Shape) -> None:
    """`plain`: no replay. `merged`: all passes on one row (#10439). `per_pass`: a row per pass, numbered (#11422).

    `per_row`: a row per pass, and no column that numbers them.
    """
    run = database.run
    database.metadata(run.guid)
    database.describe()
    pmcs = {(gpu, c): database.pmc(c, gpu) for gpu in range(run.gpus) for c in run.counters}
    for d in not_replayed(run).launches if shape == "plain" else run.launches:
        if shape in ("plain", "merged"):
            event = database.event("KERNEL_DISPATCH", d.id)
            database.dispatch(d, d.executions[0], event, id=d.id)
            for e in d.executions:
                database.records(event, pmcs, d.gpu, e)
            continue
        for k, e in enumerate(d.executions):
            event = database.event("KERNEL_DISPATCH", d.id)
            number = {"replay_pass": k if len(d.executions) > 1 else None} if shape == "per_pass" else {}
            database.dispatch(d, e, event, **number)
            database.records(event, pmcs, d.gpu, e)


def fill_rocprof_sys(database: ForeignDatabase, name: str = " GPU {} [{}]", metadata_guid: str = "{{guid}}") -> None:
    """A row per execution, the counters as samples on tracks, instances summed, a 0 at each end."""
    run = database.run
    database.metadata(metadata_guid, upid=run.guid)
    database.describe()
    of_counters: dict[tuple[int, str], tuple[int, int]] = {}
    for d in run.launches:
        for e in d.executions:
            database.dispatch(d, e, database.event("rocm_kernel_dispatch", d.correlation or d.id), d.kernel)
            for counter, values in e.counters.items():
                shown = name.format(counter, d.gpu)
                if (d.gpu, counter) not in of_counters:
                    pmc = database.pmc(shown, d.gpu, units="Unit Count", component="", block="", is_derived=None)
                    track = database.insert("track", nid=1, pid=run.pid, name_id=database.string(shown))
                    of_counters[d.gpu, counter] = pmc, track
                pmc, track = of_counters[d.gpu, counter]
                database.samples(shown, track, pmc, ((e.start, int(sum(values))), (e.end, 0)))
    for region in run.regions:
        database.region(region)
    for one in run.samples:
        pmc = database.sampled(one)
        track = database.insert("track", nid=1, pid=run.pid, name_id=database.string(one.name))
        database.samples(one.category if one.gpu is None else one.name, track, pmc, one.points)


def write_database(
    path: Path,
    runs: Sequence[Run],
    schema: Schema,
    fill: Callable[[ForeignDatabase], None],
    then: str = "",
) -> Path:
    """A database with the tables of each run, filled by `fill`, and views over all. `then`: SQL that spoils it."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;")  # need not survive
        for run in runs:
            database = ForeignDatabase(connection, run, schema)
            database.create()
            fill(database)
        for table in schema.tables:
            union = " UNION ALL ".join(f"SELECT * FROM rocpd_{table}{run.suffix}" for run in runs)
            connection.execute(f"CREATE VIEW rocpd_{table} AS {union}")
        for name, query in (views_of(schema.patch, per_pass=schema.own_views) | dict(schema.more_views)).items():
            connection.execute(f"CREATE VIEW {name} AS {query}")
        connection.commit()
        connection.executescript(then.replace("~", runs[0].suffix))
    return path


def write_rocprofv3(
    path: Path, *runs: Run, shape: Shape = "plain", patch: int = 0, own_views: bool = False, then: str = ""
) -> Path:
    """A database of rocprofv3 with these processes. `then`: SQL that spoils it, `~` standing for the first suffix."""
    schema = Schema(patch, shape == "per_pass", own_views)
    return write_database(path, runs, schema, lambda database: _rocprofv3(database, shape), then)


def write_rocprof_sys(
    path: Path, *runs: Run, name: str = " GPU {} [{}]", metadata_guid: str = "{{guid}}", then: str = ""
) -> Path:
    """A database of rocprof-sys. `metadata_guid`: in 2025 it had the text of the template there."""
    runs = tuple(replace(run, guid=MD5) if run.guid == GUID else run for run in runs)
    return write_database(path, runs, Schema(), lambda database: fill_rocprof_sys(database, name, metadata_guid), then)
