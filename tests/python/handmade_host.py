# SPDX-License-Identifier: MIT
"""A database of rocprof-sys with all that it records of a program, and this tool's file of the same process beside it.

The one is written by hand (handmade_foreign.py), the other by the exporter from a journal written by hand.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import described_run as ours
import handmade_foreign as theirs
from handmade_foreign import ForeignDatabase, Schema, write_database
from handmade_journal import journal_bytes

from rocprofsys_multipass.native import find_native

MD5 = theirs.MD5
SUFFIX = f"_{MD5}"
THREADS = (11, 12, 13)  # beside the first

# The views that rocprof-sys adds to those of the schema, and some of that by the same pattern.
_OF_EVENT = "JOIN rocpd_event e ON e.id = x.event_id AND e.guid = x.guid"
_NAMED = "JOIN rocpd_string n ON n.id = x.name_id AND n.guid = x.guid"
_SUMMARY = (
    "SELECT name, COUNT(*) AS calls, SUM(duration) AS total, MIN(duration) AS low, MAX(duration) AS high FROM {} "
    "GROUP BY name ORDER BY total DESC"
)
VIEWS = {
    "regions": f'SELECT x.id, x.guid, n.string AS name, x.tid, x.start, x."end", x."end" - x.start AS duration, '
    f"e.stack_id FROM rocpd_region x {_OF_EVENT} {_NAMED}",
    "region_args": "SELECT x.id, x.guid, a.type, a.name, a.value FROM rocpd_region x "
    f"{_OF_EVENT} JOIN rocpd_arg a ON a.event_id = e.id AND a.guid = e.guid",
    "events_args": "SELECT e.id AS event_id, a.position, a.name, a.value FROM rocpd_event e "
    "JOIN rocpd_arg a ON a.event_id = e.id AND a.guid = e.guid",
    "memory_copies": f'SELECT x.id, x.guid, n.string AS name, x.size, x.start, x."end", x."end" - x.start AS duration '
    f"FROM rocpd_memory_copy x {_OF_EVENT} {_NAMED}",
    "memory_allocations": f'SELECT x.id, x.guid, x.type AS name, x.size, x."end" - x.start AS duration '
    f"FROM rocpd_memory_allocate x {_OF_EVENT}",
    "kernel_summary": _SUMMARY.format("kernels"),
    "kernel_summary_region": _SUMMARY.format("kernels").replace("name", "region"),
    "memory_copy_summary": _SUMMARY.format("memory_copies"),
    "memory_allocation_summary": _SUMMARY.format("memory_allocations"),
}
OF_DISPATCHES = {"kernels", "top_kernels", "top", "busy", "counters_collection", "pmc_events", "kernel_summary"}
"""Views that show dispatches; `kernel_summary_region` too."""


@dataclass(frozen=True)
class Host:
    """What rocprof-sys has of a run. `rows`: of each dispatch how many of its executions; None: all of all.

    `own_counters`: counters of its own, as samples. `around`: regions, samples, copies of memory and threads too.
    """

    run: ours.Run
    rows: Mapping[int, int] | None = None
    patch: int = 0
    own_counters: Sequence[str] = ()
    around: bool = True
    then: str = ""
    others: Sequence[theirs.Run] = ()  # other processes in the file, in front of it

    def write(self, path: Path) -> Path:
        runs = (*self.others, described(self.run, self.rows, self.own_counters))

        def fill(database: ForeignDatabase) -> None:
            database.shift = 1
            theirs.fill_rocprof_sys(database, "GPU {} [{}]")
            if self.around:
                surround(database)

        schema = Schema(self.patch, more_views=VIEWS if self.around else {})
        return write_database(path, runs, schema, fill, self.then)


def executions_of(d: ours.Launch) -> list[tuple[int, int]]:
    """The times of all that a kernel tracer sees of a dispatch."""
    passes = [(e.start, e.end) for e in d.executions]
    return sorted([*passes, *(times for times in (d.warm_up, d.timing) if times)])


def described(run: ours.Run, rows: Mapping[int, int] | None = None, counters: Sequence[str] = ()) -> theirs.Run:
    """The run as rocprof-sys sees it: each execution a row, without the counters of this tool."""
    launches = []
    for d in run.launches:
        times = executions_of(d)
        seen = times[: len(times) if rows is None else rows.get(d.id, 0)]
        values = dict.fromkeys(counters, (d.id * 10.0,))
        executions = tuple(theirs.Execution(start, end, values) for start, end in seen)
        launches.append(theirs.Launch(d.id, executions, kernel=d.kernel, queue=d.queue, stream=0, grid=(1024, 1, 1)))
    return theirs.Run(tuple(launches), guid=MD5, pid=run.pid)


def surround(database: ForeignDatabase) -> None:
    """Threads, regions with arguments, copies and allocations of memory, samples of the temperature."""
    of = {"nid": 1, "pid": database.run.pid}
    name = database.string("hipLaunchKernel")
    track = database.insert("track", name_id=database.string("GPU Temp [0]"), **of)
    pmc = database.pmc("GPU Temp [0]", 0, units="C", component="rocm_smi", block="")
    for number in THREADS:
        thread = database.insert("info_thread", ppid=1, tid=number, name=f"Thread {number}", **of)
        times = {"start": 100 * number, "end": 100 * number + 50, "tid": thread}
        event = database.event("rocm_hip_api", number)
        database.insert("region", name_id=name, event_id=event, **times, **of)
        for position, argument in enumerate(("function_address", "stream")):
            values = {"type": "void*", "name": argument, "value": f"0x{number}"}
            database.insert("arg", event_id=event, position=position, **values)
        copied = {"dst_agent_id": database.gpu(0), "src_agent_id": database.shift, "queue_id": 0, "stream_id": 0}
        copied |= {"name_id": database.string("MEMORY_COPY_HOST_TO_DEVICE"), "size": 4096 * number}
        database.insert("memory_copy", event_id=database.event("rocm_memory_copy", number), **copied, **times, **of)
        allocated = {"agent_id": database.gpu(0), "type": "ALLOC", "level": "REAL", "size": 64, "address": number}
        database.insert("memory_allocate", event_id=database.event("rocm_memory"), **allocated, **times, **of)
        sampled = database.event("device_temp")
        database.insert("sample", track_id=track, timestamp=100 * number, event_id=sampled)
        database.insert("pmc_event", event_id=sampled, pmc_id=pmc, value=40.5 + number)


def exported(folder: Path, run: ours.Run) -> Path:
    """This tool's database of a run, as the exporter makes it of a journal."""
    folder.mkdir(exist_ok=True)
    journal = folder / f"multipass-{run.pid}.journal"
    journal.write_bytes(journal_bytes(run))
    command = [find_native().exporter, journal, "--format", "rocpd", "--output", folder]
    subprocess.run(command, check=True, capture_output=True)
    return journal.with_suffix(".db")
