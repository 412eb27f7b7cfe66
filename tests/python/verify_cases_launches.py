# SPDX-License-Identifier: MIT
"""Cases of the checks of launches, their order, clocks, versions, and of what views of passes show."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import trace_tools as tools
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt
from verify_tools import (
    GOOD,
    NAME,
    RUN,
    Case,
    database,
    dispatches_changed,
    frames_changed,
    of_run,
    spoiled_trace,
)

from rocprofsys_multipass.trace import journal_pb2 as pb

CLOCKS = {"boottime_ns": 600, "monotonic_ns": 500, "realtime_ns": 1_700_000_000_000_000_000}


def sized(grid: tuple[int, ...] = (1024, 1, 1), workgroup: tuple[int, ...] = (64, 1, 1)) -> Callable[[Path], None]:
    """A journal whose first dispatch has these sizes."""

    def change(d: pb.Dispatch) -> None:
        if d.dispatch_id == 1:
            d.grid[:], d.workgroup[:] = grid, workgroup

    return dispatches_changed(change)


def clocked(**clocks: int) -> Callable[[Path], None]:
    """A journal whose three clocks are these."""

    def change(frames: list[pb.Frame]) -> list[pb.Frame]:
        for name, value in (CLOCKS | clocks).items():
            setattr(frames[0].run, name, value)
        return frames

    return frames_changed(change)


def beside_trace(spoil: Callable[[tools.TraceFile], None]) -> Callable[[Path], None]:
    """A journal with clocks beside a trace that is spoiled."""

    def write(path: Path) -> None:
        clocked()(path)
        spoiled_trace(spoil)(path)

    return write


def with_snapshot(file: tools.TraceFile) -> None:
    """A clock snapshot that is not that of the journal."""
    packet = pt.TracePacket(trusted_packet_sequence_id=0xF0001234)
    for number, name in ((6, "boottime_ns"), (3, "monotonic_ns"), (1, "realtime_ns")):
        packet.clock_snapshot.clocks.add(clock_id=number, timestamp=CLOCKS[name] + (number == 1))
    file.packets.insert(1, packet)


def uncleared(file: tools.TraceFile) -> None:
    file.packets[0].sequence_flags = 0


def renamed_pass(file: tools.TraceFile) -> None:
    """The first slice of pass 1 has another kernel."""
    event = next(p.track_event for p in file.packets if p.track_event.track_uuid == tools.KERNELS + 1)
    event.name = "other()"


def of_no_dispatch(file: tools.TraceFile) -> None:
    """The first slice of pass 1 is of dispatch 77."""
    event = next(p.track_event for p in file.packets if p.track_event.track_uuid == tools.KERNELS + 1)
    for annotation in event.debug_annotations:
        if annotation.name == "dispatch_id":
            annotation.uint_value = 77


def interleaved() -> tools.Run:
    """Dispatch 2 begins between the passes of dispatch 1."""
    return tools.with_execution(GOOD, 0, 1, start=GOOD.launches[1].executions[0].start + 10, end=10**6)


def backwards() -> tools.Run:
    """Dispatch 2 ran before dispatch 1."""
    one, other = GOOD.launches
    return replace(
        GOOD, launches=(replace(one, executions=other.executions), replace(other, executions=one.executions))
    )


def strict(spoil: Callable[[Path], object]) -> Callable[[Path], None]:
    """A database in strict layout whose sidecar is spoiled."""

    def write(path: Path) -> None:
        tools.write_strict(path / f"{NAME}.db", GOOD)
        spoil(path / f"{NAME}-replay.db")

    return write


def without_side_table(sidecar: Path) -> None:
    with closing(sqlite3.connect(sidecar)) as connection, connection:
        connection.execute("DROP VIEW rocpd_replay_pmc")


def of_another_run(sidecar: Path) -> None:
    suffix = "_" + GOOD.guid.replace("-", "_")
    with closing(sqlite3.connect(sidecar)) as connection, connection:
        connection.execute(f"UPDATE rocpd_metadata{suffix} SET value = 'f00d' WHERE tag = 'replay_parent_guid'")


CASES = [
    Case(
        "rocpd-sidecar",
        "error",
        strict(of_another_run),
        f"{NAME}.db",
        f"{NAME}-replay.db beside it is of another run (f00d), so its passes are missing",
    ),
    Case(
        "rocpd-sidecar",
        "error",
        strict(lambda sidecar: sidecar.unlink()),
        f"{NAME}.db",
        f"{NAME}-replay.db, which has its passes, is not beside it",
    ),
    Case("readable", "error", strict(without_side_table), f"{NAME}-replay.db", "no such table: rocpd_replay_pmc"),
    Case("readable", "error", strict(lambda sidecar: sidecar.write_bytes(b"")), f"{NAME}-replay.db", "no SQLite file"),
    Case("geometry", "error", sized(grid=(0, 1, 1)), f"{NAME}.journal: dispatch 1", "the grid is 0,1,1"),
    Case("geometry", "error", sized(workgroup=(64, 0, 1)), f"{NAME}.journal: dispatch 1", "the workgroup is 64,0,1"),
    Case("geometry", "error", sized(workgroup=(64, 32, 1)), f"{NAME}.journal: dispatch 1", "2048 work-items"),
    Case(
        "planned",
        "error",
        of_run(tools.with_execution(GOOD, 0, 1, values={"SQ_WAVES": 512, "TCC_HIT": 300, "GRBM_COUNT": 9})),
        f"{NAME}.journal: dispatch 1, pass 1, GRBM_COUNT",
        "it is not planned for pass 1, which reads SQ_WAVES, TCC_HIT",
    ),
    Case(
        "queue-order",
        "warning",
        of_run(interleaved()),
        f"{NAME}.journal: dispatch 2",
        "before the last pass of dispatch 1 of the same queue ends",
    ),
    Case("queue-order", "warning", of_run(backwards()), f"{NAME}.journal: dispatch 2", "ran before dispatch 1, which"),
    Case("clocks", "warning", clocked(monotonic_ns=10**10), f"{NAME}.journal", "less than MONOTONIC, 10000000000"),
    Case("clocks", "warning", clocked(realtime_ns=10**18), f"{NAME}.journal", "which is before 2020"),
    Case("clocks", "warning", clocked(boottime_ns=10**12), f"{NAME}.journal", "1000 s from the start of the process"),
    Case("clocks", "error", beside_trace(lambda _: None), f"{NAME}.pftrace", "the clock snapshot is missing"),
    Case("clocks", "error", beside_trace(with_snapshot), f"{NAME}.pftrace", "REALTIME of the snapshot is 17000"),
    Case("perfetto-sequence", "error", spoiled_trace(uncleared), f"{NAME}.pftrace", "does not clear its state"),
    Case(
        "perfetto-kernels",
        "error",
        spoiled_trace(renamed_pass),
        f"{NAME}.pftrace: dispatch 1, pass 1",
        "the kernel is 'other()', that of the dispatch 'axpy(float*, int)'",
    ),
    Case(
        "perfetto-kernels",
        "error",
        spoiled_trace(of_no_dispatch),
        f"{NAME}.pftrace: dispatch 77, pass 1",
        "no dispatch of that number is on the GPU of the track app / GPU 0 [gfx942] / Replay pass 1 / Kernels",
    ),
    Case(
        "versions",
        "warning",
        database("UPDATE rocpd_metadata~ SET value = '3.0.6' WHERE tag = 'schema_version'"),
        f"{NAME}.db: rocpd_metadata",
        "schema_version is 3.0.6, the newest that is known is 3.0.5",
    ),
    Case(
        "versions",
        "warning",
        database("UPDATE rocpd_metadata~ SET value = 'canonical/2' WHERE tag = 'replay_layout'"),
        f"{NAME}.db: rocpd_metadata",
        "replay_layout is 'canonical/2', known are canonical/1, strict/1, per-pass/1",
    ),
    Case(
        "versions",
        "info",
        frames_changed(lambda f: (setattr(f[0].run, "tool_version", "99.1"), f)[1]),
        f"{NAME}.journal",
        "version 99.1 wrote it, this is",
    ),
    Case(
        "rocpd-tables",
        "error",
        database("DROP VIEW rocpd_region; DROP TABLE rocpd_region~"),
        f"{NAME}.db: rocpd_region",
        "the view rocpd_region is missing",
    ),
    Case("rocpd-tables", "error", database("DROP VIEW rocpd_arg"), f"{NAME}.db: rocpd_arg", "the view rocpd_arg is"),
    Case(
        "rocpd-guids",
        "error",
        database("UPDATE rocpd_replay_pmc~ SET guid = 'other' WHERE id > 2"),
        f"{NAME}.db: rocpd_replay_pmc row 3",
        f"the guid is 'other', that of the table '{tools.GUID}', as in 5 more rows",
    ),
    Case(
        "rocpd-views",
        "error",
        database("DROP VIEW replay_kernels"),
        f"{NAME}.db: replay_kernels",
        "the view is missing",
    ),
    Case(
        "rocpd-replay-views",
        "error",
        database("UPDATE rocpd_kernel_dispatch~ SET region_name_id = NULL WHERE id = 2"),
        f"{NAME}.db: replay_kernels, dispatch 2",
        "shows none of its 2 executions",
    ),
    Case(
        "rocpd-replay-views",
        "error",
        database("DROP VIEW replay_kernels; CREATE VIEW replay_kernels AS SELECT * FROM kernels"),
        f"{NAME}.db: replay_kernels",
        "the view has no column replay_pass",
    ),
    Case(
        "rocpd-replay-views",
        "error",
        database(
            "DROP VIEW replay_counters_collection; CREATE VIEW replay_counters_collection AS "
            "SELECT v.guid, p.dispatch_id, p.replay_pass, i.name AS counter_name, SUM(v.value) AS value "
            "FROM rocpd_replay_pmc v JOIN rocpd_replay_pass p ON p.dispatch_id = v.replay_pass_id "
            "JOIN rocpd_info_pmc i ON i.id = v.pmc_id GROUP BY p.id, i.name"
        ),
        f"{NAME}.db: replay_counters_collection, dispatch 1, pass 1, TCC_HIT",
        "shows nothing, the reading is 300",
    ),
    Case(
        "rocpd-events",
        "error",
        database("INSERT INTO rocpd_pmc_event~ (event_id, pmc_id, value) VALUES (77, 1, 5)"),
        f"{NAME}.db: rocpd_pmc_event row 7",
        "it belongs to event 77, of no dispatch",
    ),
    Case(
        "rocpd-foreign-keys",
        "error",
        database("DELETE FROM rocpd_info_thread~", RUN),
        f"{NAME}.db: rocpd_kernel_dispatch row 1, tid",
        f"refers to row {tools.PID} of rocpd_info_thread, which does not exist; so do 4 more rows",
    ),
]
