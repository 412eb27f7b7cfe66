# SPDX-License-Identifier: MIT
"""Merged traces as Perfetto's own importer and its UI have them; ours is one that the writer of this tool wrote."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from handmade_foreign import Execution, Launch, Run
from handmade_foreign_trace import ForeignTrace
from merge_tools import call_of
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt
from perfetto_tools import LoadedTrace, load, trace_processor

from rocprofsys_multipass.merge.merged import Merged
from rocprofsys_multipass.merge.trace.merge import merge_trace
from rocprofsys_multipass.trace import open_trace
from rocprofsys_multipass.viewer import queries

pytest_plugins = ["perfetto_fixtures"]


@pytest.fixture(scope="module")
def inputs(traces: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run of three passes, and what rocprof-sys would have drawn: regions, kernels of all but the last dispatch.

    Flushed and read several times by its recorder.
    """
    own = traces / "three_passes.pftrace"
    (process,) = open_trace(own).processes
    launches = [
        Launch(
            d.dispatch_id,
            tuple(Execution(p.start_ns or 0, p.end_ns or 0) for p in d.passes),
            kernel=d.kernel,
            gpu=d.agent.device or 0,
            queue=d.queue_id or 0,
        )
        for d in process.dispatches
    ]
    polled = Launch(99, (Execution(launches[0].executions[0].start, launches[0].executions[0].end, {"POLLED": (3,)}),))
    drawn = (*launches[:-1], polled)
    host = ForeignTrace(Run(drawn, pid=process.pid, regions=tuple(map(call_of, drawn))), by_thread=True).build()
    packets = []
    for n, packet in enumerate(host.packets):
        packets.append(packet)
        if n % 5 == 4:
            for name in ("all_data_sources_flushed", "read_tracing_buffers_completed"):
                mark = pt.TracePacket(trusted_packet_sequence_id=1, timestamp=1)
                setattr(mark.service_event, name, True)
                packets.append(mark)
    path = tmp_path_factory.mktemp("merge") / "perfetto-trace.proto"
    path.write_bytes(pt.Trace(packet=packets).SerializeToString())
    return path, own


@pytest.fixture(scope="module")
def merged(inputs: tuple[Path, Path]) -> tuple[Merged, LoadedTrace]:
    made = merge_trace(*inputs, inputs[0].with_name("merged.pftrace"))
    return made, load(made.target)


def test_perfetto_counts_nothing_wrong_and_each_kernel_once(
    merged: tuple[Merged, LoadedTrace], inputs: tuple[Path, Path]
):
    made, loaded = merged
    (process,) = open_trace(inputs[1]).processes
    assert loaded.errors == {}
    dispatches = [s for s in loaded.slices if s.category in ("rocm_kernel_dispatch", "rocm_hip_stream")]
    logical = process.dispatches
    assert (made.matched, made.added) == (len(logical) - 1, 1)
    seen = sorted((s.name, s.ts, s.dur) for s in dispatches if s.args["dispatch_id"] != 99)
    assert seen == sorted((d.kernel, d.start_ns, (d.end_ns or 0) - (d.start_ns or 0)) for d in logical)
    passes = sum(len(d.passes) for d in logical)
    assert len(loaded.of("rocm_kernel_replay_pass")) == passes
    assert len(loaded.flows) == passes + len(logical)  # and one from each region to its kernel
    for track, samples in loaded.counters.items():
        assert len(samples) % 2 == 0, track
        assert samples[-1][1] == 0, track
        assert sum(value for _, value in samples) > 0, track


def test_other_slices_and_counters_of_the_host_are_equal_before_and_after(
    merged: tuple[Merged, LoadedTrace], inputs: tuple[Path, Path]
):
    before, after = load(inputs[0]), merged[1]
    regions = [(s.name, s.ts, s.dur, s.depth, s.track) for s in before.of("rocm_hip_api")]
    assert regions == [(s.name, s.ts, s.dur, s.depth, s.track) for s in after.of("rocm_hip_api")]
    assert before.counters.items() <= after.counters.items()
    assert min(s.ts for s in after.slices) >= 0


def test_ready_queries_find_in_a_merged_trace_all_that_they_find_in_ours(
    merged: tuple[Merged, LoadedTrace], inputs: tuple[Path, Path]
):
    own, both = (answers(trace) for trace in (inputs[1], merged[0].target))
    assert [name for name, rows in own.items() if not rows] == ["l2-hit-rate"], "the run has no TCC_HIT"
    assert {name: rows - both[name] for name, rows in own.items()} == {name: set() for name in own}


def test_ready_queries_take_no_pass_that_rocprof_sys_recorded_for_a_launch(inputs: tuple[Path, Path]):
    assert answers(inputs[0]) == {one.name: set() for one in queries()}


def answers(trace: Path) -> dict[str, set[tuple[object, ...]]]:
    """What the ready queries say, without the queue, which each tool names in its own way, and the grid's spelling."""
    with trace_processor(trace) as engine:
        found = {one.name: [vars(row) for row in engine.query(one.sql)] for one in queries()}
    return {
        name: {tuple(value for key, value in row.items() if key not in ("queue", "grid_size")) for row in rows}
        for name, rows in found.items()
    }


def test_the_ui_shows_one_group_with_the_tracks_of_both(merged: tuple[Merged, LoadedTrace], ui: ModuleType):
    report = ui.check(merged[0].target)
    assert (report.import_errors, report.dialogs, report.page_errors) == ({}, (), ())
    groups = {path[0] for path in report.tracks if len(path) > 1 and path[0] != "System"}
    assert len(groups) == 1
    below = {path[1] for path in report.tracks if path[0] in groups and len(path) > 1}
    assert {"GPU 0 [gfx942]", "Run information", "HIP Activity Stream 3", "GPU POLLED [0]"} <= below
