# SPDX-License-Identifier: MIT
"""Whichever tool writes a run, in whichever shape: each dispatch and each counter of it is read once."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from handmade_foreign import Execution, Launch, Run, write_rocprof_sys, write_rocprofv3
from handmade_foreign_trace import rocprof_sys_trace
from hypothesis import given, settings
from hypothesis import strategies as st

from rocprofsys_multipass.trace import Dispatch, open_trace

_COUNTS = st.integers(0, 2**31)
_INSTANCES = st.integers(1, 3)


@st.composite
def runs(draw: st.DrawFn) -> Run:
    """Dispatches on one or two GPUs, replayed in up to three passes: one counter in all of them, others in one each."""
    launches = []
    time = 1000
    for number in range(1, draw(st.integers(1, 3)) + 1):
        shared, instances = draw(st.booleans()), draw(_INSTANCES)
        executions = []
        for k in range(draw(st.integers(1, 3))):
            counters = {"SHARED": [draw(_COUNTS) for _ in range(instances)]} if shared else {}
            for name in draw(st.lists(st.sampled_from("ABC"), min_size=1, max_size=2, unique=True)):
                counters[f"{name}{k}"] = [draw(_COUNTS) for _ in range(draw(_INSTANCES))]
            executions.append(Execution(time, time + draw(st.integers(1, 500)), counters))
            time = executions[-1].end + draw(st.integers(0, 3))
        kernel, gpu = draw(st.sampled_from(("axpy", "sum"))), draw(st.integers(0, 1))
        launches.append(Launch(number, tuple(executions), kernel=kernel, gpu=gpu))
    return Run(tuple(launches), gpus=2)


def canonical(d: Launch) -> dict[str, float]:
    """Each counter as the lowest pass that has it read it."""
    found: dict[str, float] = {}
    for e in d.executions:
        found = {name: float(sum(values)) for name, values in e.counters.items()} | found
    return found


def told(d: Dispatch) -> tuple[int, str, int | None, int | None, dict[str, float]]:
    return d.dispatch_id, d.kernel, d.start_ns, d.duration_ns, dict(d.counters)


@settings(max_examples=12)
@given(run=runs())
def test_every_shape_gives_each_dispatch_and_each_counter_once(run: Run):
    expected = [
        (d.id, d.kernel, d.executions[0].start, d.executions[0].end - d.executions[0].start, canonical(d))
        for d in run.launches
    ]
    with TemporaryDirectory() as folder:
        trace = Path(folder) / "perfetto-trace-1.proto"
        trace.write_bytes(rocprof_sys_trace(run, by="queue"))
        written = [
            trace,
            write_rocprofv3(Path(folder) / "merged.db", run, shape="merged"),
            write_rocprofv3(Path(folder) / "per_pass.db", run, shape="per_pass", patch=4),
            write_rocprofv3(Path(folder) / "per_row.db", run, shape="per_row"),
            write_rocprof_sys(Path(folder) / "sys.db", run),
        ]
        for path in written:
            assert [told(d) for d in open_trace(path).dispatches()] == expected, path.name


@settings(max_examples=12)
@given(run=runs())
def test_passes_that_are_told_apart_have_their_own_readings_and_times(run: Run):
    expected = [
        [(e.start, e.end, {name: float(sum(values)) for name, values in e.counters.items()}) for e in d.executions]
        for d in run.launches
    ]
    with TemporaryDirectory() as folder:
        for path in (
            write_rocprofv3(Path(folder) / "per_pass.db", run, shape="per_pass"),
            write_rocprof_sys(Path(folder) / "sys.db", run),
        ):
            assert [
                [(p.start_ns, p.end_ns, {r.counter: r.value for r in p.readings}) for p in d.passes]
                for d in open_trace(path).dispatches()
            ] == expected, path.name
