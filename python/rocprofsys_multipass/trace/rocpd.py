# SPDX-License-Identifier: MIT
"""Reads a run from a rocpd database.

Three forms are known: the canonical layout with its side tables and the strict layout, whose side tables are in a file
of their own beside it (docs/formats/rocpd.md); and databases of other tools (`trace.rocpd_foreign`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace.agent import PROPERTIES, Agent, CounterInfo, PlannedPass
from rocprofsys_multipass.trace.database import (
    Database,
    Key,
    interval_of,
    json_object,
    open_database,
    times_of,
    unsigned,
)
from rocprofsys_multipass.trace.guard import Facts, naming
from rocprofsys_multipass.trace.model import (
    ROCPROF_SYS,
    Dim3,
    Dispatch,
    Kernel,
    Outcome,
    Pass,
    Process,
    Reading,
    Status,
    outcome_of,
)
from rocprofsys_multipass.trace.rocpd_foreign import Row, executions_of, tool_of
from rocprofsys_multipass.trace.rocpd_merged import JOINED, RUN, MergedRun, runs_in
from rocprofsys_multipass.trace.rocpd_rows import RowsOfFile
from rocprofsys_multipass.trace.rocprof_sys import JOINED_NOTE, OF_JOIN, UNIT, counter_of
from rocprofsys_multipass.trace.sidecar import refuse_sidecar, sidecar_of, sidecar_problem

if TYPE_CHECKING:
    from rocprofsys_multipass.trace.columns import Columns

_NEEDED: Final = (
    "rocpd_info_process",
    "rocpd_info_agent",
    "rocpd_info_pmc",
    "rocpd_info_kernel_symbol",
    "rocpd_kernel_dispatch",
)
# The types of what is read. SQLite keeps a text in a column of integers.
_DESCRIPTIONS: Final = {
    "rocpd_info_process": {"id": "integer", "guid": "text", "pid": "integer", "command": "text?", "extdata": "text?"},
    "rocpd_info_node": {"id": "integer", "guid": "text", "hostname": "text?"},
    "rocpd_info_thread": {"id": "integer", "guid": "text", "tid": "integer"},
    "rocpd_info_agent": {
        "id": "integer",
        "guid": "text",
        "type": "text?",
        "absolute_index": "integer?",
        "logical_index": "integer?",
        "name": "text?",
        "product_name": "text?",
        "extdata": "text?",
    },
    "rocpd_info_pmc": {
        "id": "integer",
        "guid": "text",
        "agent_id": "integer?",
        "name": "text",
        "block": "text?",
        "description": "text?",
        "expression": "text?",
    },
    "rocpd_info_kernel_symbol": {
        "id": "integer",
        "guid": "text",
        "kernel_name": "text?",
        "display_name": "text?",
        "code_object_id": "integer?",
        "sgpr_count": "integer?",
        "arch_vgpr_count": "integer?",
        "accum_vgpr_count": "integer?",
        "group_segment_size": "integer?",
        "extdata": "text?",
    },
}
_DISPATCHES: Final = (
    dict.fromkeys(("id", "pid", "agent_id", "kernel_id", "dispatch_id", "start", "end"), "integer")
    | dict.fromkeys(("tid", "queue_id", "stream_id", "event_id", "replay_pass", "private_segment_size"), "integer?")
    | {f"{size}_size_{axis}": "integer?" for size in ("grid", "workgroup") for axis in "xyz"}
    | {"guid": "text", "extdata": "text?"}
)
_VALUES: Final = {"event_id": "integer?", "pmc_id": "integer", "value": "number?"}
_SIDE_RECORDS: Final = {
    "rocpd_replay_pass": dict.fromkeys(("id", "kernel_dispatch_id", "start", "end"), "integer")
    | {"guid": "text", "replay_pass": "integer?", "status": "text?", "extdata": "text?"},
    "rocpd_replay_pmc": dict.fromkeys(("id", "replay_pass_id", "pmc_id"), "integer")
    | {"guid": "text", "value": "number?", "is_canonical": "integer?"},
}
_UNMATCHED: Final = (
    "dispatches are here once for each execution and without counters, because they matched none of this tool's when "
    "the files were merged (dispatches: {})"
)
_NO_PASSES: Final = "{}: each dispatch is here with its canonical readings, as if they were of one execution"
_STATUS: Final[dict[str, Status]] = {"OK": "OK", "PARTIAL": "PARTIAL", "DISCARDED": "DISCARDED"}


class _Builder:
    def __init__(self, db: Database) -> None:
        self._db = db
        for table, types in _DESCRIPTIONS.items():
            db.check_types(table, types)
        self._tool = tool_of(db)
        self._merged: Mapping[Key, MergedRun] = {(run.guid, run.process): run for run in runs_in(db)}
        self._added = {(run.guid, row) for run in runs_in(db, RUN, JOINED) for row in run.counters}
        self._notes: Mapping[str, list[str]] = {}
        self._pids: dict[Key, int] = {
            (r["guid"], r["id"]): r["pid"] for r in db.rows("SELECT guid, id, pid FROM rocpd_info_process")
        }
        self._agents = self._read_agents()
        self._kernels = self._read_kernels()
        self._correlations: dict[Key, int] = {}
        self._threads: dict[Key, int] = {}
        if db.has("rocpd_info_thread"):
            self._threads = {
                (r["guid"], r["id"]): r["tid"] for r in db.rows("SELECT guid, id, tid FROM rocpd_info_thread")
            }

    def build(self) -> list[Process]:
        """The processes; their dispatches are read when they are asked for."""
        file = RowsOfFile(self._db.path, self)
        return [self._process(key, file) for key in self._pids]

    def read(self, db: Database) -> dict[Key, list[Dispatch]]:
        """The dispatches by the row of their process; `db` is the file that the rest was read from."""
        self._reopen(db)
        self._correlations = self._read_correlations()
        rows = db.rows("SELECT * FROM rocpd_kernel_dispatch ORDER BY guid, dispatch_id, id")
        dispatches: dict[Key, list[Dispatch]] = defaultdict(list)
        with self._side() as side:
            for row, its_passes in self._with_side_tables(rows, side) if side else self._of_other_tool(rows):
                dispatches[row["guid"], row["pid"]].append(self._dispatch(row, its_passes))
        return dispatches

    def _read_correlations(self) -> dict[Key, int]:
        """The SDK's correlation id by event, which is its `stack_id`: `correlation_id` is the external one.

        Events of calls, which may be many more, are not asked for.
        """
        if "stack_id" not in self._db.columns("rocpd_event"):
            return {}
        sql = (
            "SELECT e.guid, e.id, e.stack_id FROM rocpd_kernel_dispatch d "
            "JOIN rocpd_event e ON e.id = d.event_id AND e.guid = d.guid "
            "WHERE typeof(e.stack_id) = 'integer' AND e.stack_id != 0"
        )
        return {(guid, event): number for guid, event, number in self._db.each(sql)}

    def _reopen(self, db: Database) -> None:
        self._db = db
        db.check_types("rocpd_kernel_dispatch", _DISPATCHES)

    def columns(self, db: Database, process: Key) -> Columns | None:
        """The readings of a process of our own layouts; None of another."""
        from rocprofsys_multipass.trace.rocpd_columns import Described, columns_of  # loads numpy

        self._reopen(db)
        with self._side() as side:
            if side is None:
                return None
            return columns_of(db, side, Described(process, self._pids[process], self._agents, self._kernels))

    def notes(self, guid: str) -> tuple[str, ...]:
        """What was noted when the dispatches were read."""
        return tuple(self._notes.get(guid, ()))

    @contextmanager
    def _side(self) -> Iterator[Database | None]:
        """What has the side tables; None: nothing has."""
        sidecar = sidecar_of(self._db)
        if self._db.has("rocpd_replay_pass"):
            yield self._db
        elif sidecar is not None:
            with open_database(sidecar) as side:
                yield side
        else:
            yield None

    def _of_other_tool(self, rows: Sequence[Row]) -> list[tuple[Row, list[Pass]]]:
        self._db.check_types("rocpd_pmc_event", _VALUES)
        executions = executions_of(self._db, rows, self._agents)
        self._notes = executions.notes
        if problem := sidecar_problem(self._db):
            self._notes = {
                guid: [_NO_PASSES.format(problem), *executions.notes.get(guid, ())] for guid, _ in self._pids
            }
        return executions.of_dispatch

    def _with_side_tables(self, rows: Sequence[Row], side: Database) -> list[tuple[Row, list[Pass]]]:
        for table, types in _SIDE_RECORDS.items():
            side.check_types(table, types)
        self._notes = {guid: [_UNMATCHED.format(count)] for guid, count in self._unmatched(rows).items()}
        readings = self._side_readings(side)
        passes: dict[Key, list[Pass]] = defaultdict(list)
        for r in side.rows("SELECT * FROM rocpd_replay_pass ORDER BY guid, kernel_dispatch_id, replay_pass, id"):
            index = r["replay_pass"]
            more = Facts(json_object(r["extdata"]), f"{side.path}: rocpd_replay_pass row {r['id']}: extdata")
            start_ns, end_ns = times_of(r)
            passes[r["guid"], r["kernel_dispatch_id"]].append(
                Pass(
                    index=index,
                    group=more.count("group", index or 0),
                    start_ns=start_ns,
                    end_ns=end_ns,
                    readings=readings.get((r["guid"], r["id"]), ()),
                    status=_STATUS.get(r["status"], "PARTIAL"),
                )
            )
        return [(row, passes.get((row["guid"], row["id"])) or self._execution_of(row)) for row in rows]

    def _unmatched(self, rows: Sequence[Row]) -> Mapping[str, int]:
        """Dispatches of which a merge left every execution, by guid: it found none of this tool's that is the same."""
        known = Counter((row["guid"], row["pid"], row["dispatch_id"]) for row in rows if self._merged)
        return Counter(guid for (guid, _, _), count in known.items() if count > 1)

    def _execution_of(self, row: Row) -> list[Pass]:
        """A dispatch without rows in the side tables has read no counter; its own row has its times.

        Unless they are those of the timing pass: then no pass ran.
        """
        replay = json_object(row["extdata"]).get("replay")
        of_timing = isinstance(replay, dict) and "timing" in replay
        return [self._pass(row, None, ())] if times_of(row)[0] is not None and not of_timing else []

    def _side_readings(self, side: Database) -> dict[Key, tuple[Reading, ...]]:
        names = {(r["guid"], r["id"]): r["name"] for r in self._db.rows("SELECT guid, id, name FROM rocpd_info_pmc")}
        found: dict[Key, dict[str, Reading]] = defaultdict(dict)
        sql = (
            "SELECT replay_pass_id, pmc_id, value, IFNULL(is_canonical, 0) FROM rocpd_replay_pmc "
            "WHERE guid = ? AND value IS NOT NULL ORDER BY id"
        )
        for guid in dict.fromkeys(guid for guid, _ in self._pids):
            for of, pmc, value, canonical in zip(*side.arrays("qqdq", sql, (guid,)), strict=True):
                name = names.get((guid, pmc)) or f"counter {pmc}"
                of_pass = found[guid, of]
                one = Reading(name, value, canonical != 0)
                if name in of_pass:  # another instance
                    one = Reading(name, of_pass[name].value + value, of_pass[name].canonical or canonical != 0)
                of_pass[name] = one
        return {key: tuple(of_pass.values()) for key, of_pass in found.items()}

    def _pass(self, row: Row, index: int | None, readings: Sequence[Reading]) -> Pass:
        start_ns, end_ns = times_of(row)
        return Pass(index=index, group=index or 0, start_ns=start_ns, end_ns=end_ns, readings=tuple(readings))

    def _dispatch(self, row: Row, passes: list[Pass]) -> Dispatch:
        guid = row["guid"]
        where = f"{self._db.path}: rocpd_kernel_dispatch row {row['id']}"
        told = json_object(row["extdata"])
        extension = told.get("replay")
        replay = Facts(extension if isinstance(extension, dict) else {}, f"{where}: extdata")
        kernel = self._kernels.get((guid, row["kernel_id"]))
        agent = self._agents.get((guid, row["agent_id"]))
        if agent is None:
            raise TraceError(
                f"{self._db.path}: rocpd_kernel_dispatch row {row['id']}: agent {row['agent_id']} is not in "
                "rocpd_info_agent; the file is damaged: write it again from the journal"
            )
        outcome = replay.text("outcome")
        several = any(p.index is not None or p.mixed for p in passes)
        replayed: Outcome = "replayed" if several and OF_JOIN not in told else "single_pass"
        return Dispatch(
            process=self._pids.get((guid, row["pid"]), 0),
            dispatch_id=unsigned(row["dispatch_id"]),
            agent=agent,
            symbol=kernel or Kernel(id=row["kernel_id"], name=f"kernel {row['kernel_id']}", demangled=""),
            outcome=outcome_of(outcome, where) if outcome else replayed,
            reason=replay.text("reason"),
            passes_planned=replay.count("passes", len(passes) if any(p.readings for p in passes) else 0),
            passes=tuple(passes),
            queue_id=unsigned(row["queue_id"]),
            stream_id=unsigned(row["stream_id"]),
            thread_id=self._threads.get((guid, row["tid"])),
            grid=_size(row, "grid"),
            workgroup=_size(row, "workgroup"),
            warm_up=interval_of(replay, "warm_up"),
            timing=interval_of(replay, "timing"),
            correlation_id=unsigned(self._correlations.get((guid, row["event_id"]))),
            private_segment_size=_value(row, "private_segment_size"),
        )

    def _process(self, key: Key, file: RowsOfFile) -> Process:
        guid, row = key
        sql = "SELECT command, extdata FROM rocpd_info_process WHERE guid = ? AND id = ?"
        found = self._db.rows(sql, (guid, row))[0]
        told = self._merged[key].of_process if key in self._merged else json_object(found["extdata"])
        more = Facts(told, f"{self._db.path}: rocpd_info_process row {row}: extdata")
        joined = [
            JOINED_NOTE.format(f", {run.own_guid}")
            for run in runs_in(self._db, JOINED)
            if (run.guid, run.process) == key
        ]
        return Process(
            path=self._db.path,
            kind="rocpd",
            pid=self._pids[key],
            agents=tuple(a for (g, _), a in self._agents.items() if g == guid),
            dispatches=file.rows(key),
            kernels=tuple(k for (g, _), k in self._kernels.items() if g == guid),
            guid=guid,
            rank=more.whole("rank"),
            command=more.texts("command") or tuple((found["command"] or "").split()),
            tool=self._tool,
            tool_version=more.text("tool_version"),
            sdk_version=more.text("sdk_version"),
            simulated=more.flag("simulated"),
            kernel_replay=more.flag("kernel_replay"),
            replay_mode=more.text("replay_mode"),
            sets=more.texts("sets"),
            warm_up_pass=more.flag("warm_up_pass") or False,
            timing_pass=more.flag("timing_pass") or False,
            permute_groups=more.flag("permute_groups") or False,
            own_guid=self._merged[key].own_guid if key in self._merged else "",
            warnings=more.texts("warnings"),
            hostname=self._hostname(key),
            shares_file=len(self._pids) > 1,
            notes=lambda: (*joined, *file.notes(guid)),
        )

    def _hostname(self, process: Key) -> str:
        if not self._db.has("rocpd_info_node"):
            return ""
        sql = (
            "SELECT n.hostname FROM rocpd_info_node n JOIN rocpd_info_process p ON p.guid = n.guid AND p.nid = n.id "
            "WHERE p.guid = ? AND p.id = ?"
        )
        return next((r["hostname"] or "" for r in self._db.rows(sql, process)), "")

    def _read_agents(self) -> dict[Key, Agent]:
        counters: dict[Key, list[CounterInfo]] = defaultdict(list)
        merged = {(guid, agent): told for (guid, _), run in self._merged.items() for agent, told in run.agents.items()}
        for r in self._db.rows("SELECT * FROM rocpd_info_pmc ORDER BY id"):
            texts = (r["block"] or "", r["description"] or "", r["expression"] or "")
            name = self._counter(r)
            if name:
                counters[r["guid"], r["agent_id"]].append(CounterInfo(name, *texts))
        agents: dict[Key, Agent] = {}
        gpus: dict[str, int] = defaultdict(int)
        described = "extdata" in self._db.columns("rocpd_info_agent")
        for r in self._db.rows("SELECT * FROM rocpd_info_agent ORDER BY guid, absolute_index, id"):
            gpu = r["type"] == "GPU"
            told = merged.get((r["guid"], r["id"])) or json_object(r["extdata"] if described else None)
            agents[r["guid"], r["id"]] = Agent(
                index=r["id"],
                device=gpus[r["guid"]] if gpu else None,
                name=r["name"] or "",
                gpu=gpu,
                node_id=r["absolute_index"],
                product_name=r["product_name"] or "",
                counters=tuple(counters.get((r["guid"], r["id"]), ())),
                properties=_properties(told),
                logical_node_id=_value(r, "logical_index"),
                passes=_planned(told, f"{self._db.path}: rocpd_info_agent row {r['id']}"),
            )
            gpus[r["guid"]] += gpu
        return agents

    def _counter(self, row: Row) -> str:
        """Name of what an ``info_pmc`` describes; empty: no counter of dispatches, but what rocprof-sys samples."""
        if (row["guid"], row["id"]) in self._added:
            return str(row["name"])
        if self._merged:
            return ""
        named = counter_of(row["name"]) if self._tool == ROCPROF_SYS else None
        if self._tool != ROCPROF_SYS:
            return str(row["name"])
        counted = "units" not in self._db.columns("rocpd_info_pmc") or UNIT in str(row["units"])
        return named[0] if named and counted else ""

    def _read_kernels(self) -> dict[Key, Kernel]:
        kernels = {}
        for r in self._db.rows("SELECT * FROM rocpd_info_kernel_symbol"):
            more = json_object(r["extdata"])
            kernels[r["guid"], r["id"]] = Kernel(
                id=r["id"],
                name=r["kernel_name"] or r["display_name"] or "",
                demangled=str(more.get("demangled_kernel_name") or r["display_name"] or ""),
                code_object_id=r["code_object_id"],
                sgpr_count=r["sgpr_count"],
                arch_vgpr_count=r["arch_vgpr_count"],
                accum_vgpr_count=r["accum_vgpr_count"],
                group_segment_size=_value(r, "group_segment_size"),
            )
        return kernels


def _properties(extension: Mapping[str, object]) -> tuple[tuple[str, int], ...]:
    """Those that are there; databases of other tools say less, or it in another way."""
    return tuple((n, v) for n in PROPERTIES if isinstance(v := extension.get(n), int) and v > 0)


def _value(row: Row, name: str) -> int | None:
    """The value of a column that not all files have."""
    return row[name] if name in row.keys() else None  # noqa: SIM118  `in` looks among the values of a row


def _size(row: Row, name: str) -> Dim3 | None:
    x, y, z = (row[f"{name}_size_{axis}"] for axis in "xyz")
    return None if x is None or y is None or z is None else (x, y, z)


def _described(db: Database) -> list[Process]:
    refuse_sidecar(db)
    missing = [name for name in _NEEDED if not db.has(name)]
    if missing:
        raise TraceError(
            f"{db.path}: no {', '.join(missing)} in it: not a rocpd database of schema 3; "
            "give the .db of a rocprofv3, rocprof-sys or rocprof-sys-multipass run"
        )
    with naming(db.path):
        return _Builder(db).build()


def processes_of(db: Database) -> list[Process]:
    """The processes in an open database. TraceError: it is no rocpd file, or its rows contradict each other."""
    return [replace(process, dispatches=process.dispatches) for process in _described(db)]


def read_rocpd(path: Path) -> list[Process]:
    """The processes in a database file; their dispatches are read when they are asked for."""
    with open_database(path) as db:
        return _described(db)


def _planned(extension: Mapping[str, object], where: str) -> tuple[PlannedPass, ...]:
    """The planned passes of an agent; none where the database does not say."""
    replay = extension.get("replay")
    passes = replay.get("passes") if isinstance(replay, dict) else None
    facts = [
        Facts(one if isinstance(one, dict) else {}, f"{where}: extdata: pass {k}")
        for k, one in enumerate(passes if isinstance(passes, list) else ())
    ]
    return tuple(PlannedPass(one.texts("counters"), one.texts("sentinel")) for one in facts)
