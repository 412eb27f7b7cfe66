# SPDX-License-Identifier: MIT
"""Reading Perfetto traces of rocprof-sys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from handmade_foreign import PID, WORKED_EXAMPLE, Execution, Launch, Run, not_replayed
from handmade_foreign_trace import rocprof_sys_trace
from perfetto_tools import load

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace import Trace, open_trace
from rocprofsys_multipass.trace.perfetto_file import decode

COUNTERS = {"GRBM_COUNT": 100, "GRBM_GUI_ACTIVE": 200, "SQ_INSTS_SALU": 300, "SQ_WAVES": 512}
WAVES = {"SQ_WAVES": (5,)}


def written(folder: Path, run: Run, **options: Any) -> Path:
    path = folder / f"perfetto-trace-{run.pid}.proto"
    path.write_bytes(rocprof_sys_trace(run, **options))
    return path


def read(folder: Path, run: Run, **options: Any) -> Trace:
    return open_trace(written(folder, run, **options))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"by": "queue"},
        {"counter_name": " GPU {} [{}]"},
        {"counter_name": "{} GPU {}"},
        {"interned": False},
        {"differences": False},
        {"unit": 10},
        {"compressed": True},
    ],
    ids=str,
)
def test_dispatch_and_counters_are_read_however_the_trace_is_written(tmp_path: Path, options: dict[str, Any]):
    trace = read(tmp_path, not_replayed(WORKED_EXAMPLE), **options)
    (process,), (first,) = trace.processes, trace.dispatches()
    assert (process.tool, process.pid, process.command, process.notes) == ("rocprof-sys", PID, ("./app",), ())
    assert dict(first.counters) == COUNTERS
    assert (first.dispatch_id, first.kernel, first.outcome, first.agent.label) == (1, "k", "single_pass", "GPU 0")
    assert (first.start_ns, first.end_ns, first.queue_id, first.stream_id) == (1000, 1100, 7, 3)
    assert first.grid == (64, 1, 1)


def test_several_slices_of_a_dispatch_are_its_passes(tmp_path: Path):
    trace = read(tmp_path, WORKED_EXAMPLE)
    (first,) = trace.dispatches()
    assert [(p.index, p.start_ns, {r.counter: r.value for r in p.readings}) for p in first.passes] == [
        (0, 1000, {"SQ_WAVES": 512, "GRBM_COUNT": 100}),
        (1, 2000, {"SQ_WAVES": 512, "GRBM_GUI_ACTIVE": 200}),
        (2, 3000, {"SQ_WAVES": 512, "SQ_INSTS_SALU": 300}),
    ]
    assert [note.endswith("(dispatches: 1)") for note in trace.processes[0].notes] == [True]


def test_a_directory_of_rocprof_sys_is_read(tmp_path: Path):
    written(tmp_path, WORKED_EXAMPLE)
    assert [d.dispatch_id for d in open_trace(tmp_path).dispatches()] == [1]


def test_the_gpu_is_that_of_the_queue_or_of_the_counters_at_that_time(tmp_path: Path):
    launches = tuple(Launch(n, (Execution(100 * n, 100 * n + 50, WAVES),), gpu=n - 1) for n in (1, 2))
    for by in ("queue", "stream"):
        found = read(tmp_path, Run(launches, gpus=2), by=by).dispatches()
        assert [(d.dispatch_id, d.agent.device, dict(d.counters)) for d in found] == [
            (1, 0, {"SQ_WAVES": 5}),
            (2, 1, {"SQ_WAVES": 5}),
        ]


def test_where_nothing_tells_the_gpu_a_note_says_so(tmp_path: Path):
    with_counters = tuple(Launch(n, (Execution(100 * n, 100 * n + 50, WAVES),), gpu=n - 1) for n in (1, 2))
    run = Run((*with_counters, Launch(3, (Execution(900, 950),))), gpus=2)
    trace = read(tmp_path, run)
    assert [d.agent.device for d in trace.dispatches()] == [0, 1, None]
    assert [d.agent.label for d in trace.dispatches()] == ["GPU 0", "GPU 1", "unknown GPU"]
    assert trace.processes[0].notes == ("nothing says on which GPU kernels drawn by stream ran (executions: 1)",)
    alone = read(tmp_path, Run((Launch(3, (Execution(900, 950),)),)))
    assert [d.agent.device for d in alone.dispatches()] == [0]
    assert alone.processes[0].notes == ("the trace names no GPU: all kernels are taken to have run on GPU 0",)


def test_slices_without_a_dispatch_id_are_left_out_and_noted(tmp_path: Path):
    trace = read(tmp_path, WORKED_EXAMPLE, by="queue", annotated=False)
    assert trace.dispatches() == []
    assert "ROCPROFSYS_PERFETTO_ANNOTATIONS=ON (slices: 3)" in trace.processes[0].notes[0]


def test_a_trace_whose_slices_say_nothing_is_refused(tmp_path: Path):
    with pytest.raises(TraceError, match="no kernel of rocprof-sys with a dispatch_id"):
        read(tmp_path, WORKED_EXAMPLE, annotated=False)


def test_processes_of_a_merged_trace_stay_apart(tmp_path: Path):
    path = tmp_path / "merged.pftrace"
    other = replace(WORKED_EXAMPLE, pid=5000)
    # As rocprof-sys merges: other sequence ids and other tracks for each process.
    second = rocprof_sys_trace(other, sequence=10, first_track=5000)
    path.write_bytes(rocprof_sys_trace(WORKED_EXAMPLE) + second)
    assert [(p.pid, len(p.dispatches)) for p in open_trace(path).processes] == [(PID, 1), (5000, 1)]


def test_a_clock_of_differences_without_a_snapshot_is_a_problem(tmp_path: Path):
    path = written(tmp_path, WORKED_EXAMPLE, snapshot=False)
    assert [p.text for p in decode(path).problems if p.kind == "clock"] == [
        "clock 64 is used before a snapshot relates it to boot time"
    ]


def test_compressed_packets_that_cannot_be_unpacked_are_named(tmp_path: Path):
    path = written(tmp_path, WORKED_EXAMPLE, compressed=True)
    data = bytearray(path.read_bytes())
    data[-20] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(TraceError, match="compressed packets cannot be unpacked"):
        open_trace(path)


def test_perfetto_finds_the_same_times_and_values(tmp_path: Path):
    path = written(tmp_path, WORKED_EXAMPLE, unit=10)
    theirs = load(path)
    assert theirs.errors == {}
    raw = decode(path)
    assert [(s.name, s.start_ns, (s.end_ns or 0) - s.start_ns) for s in raw.slices] == [
        (s.name, s.ts, s.dur) for s in theirs.slices
    ]
    ours = {
        raw.tracks[uuid].name: list(zip(samples.times, samples.values, strict=True))
        for uuid, samples in raw.samples.items()
    }
    assert ours == theirs.counters
