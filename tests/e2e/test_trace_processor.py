# SPDX-License-Identifier: MIT
"""The trace of a real run in trace_processor, the engine behind the Perfetto UI: import and sums by SQL."""

from __future__ import annotations

from collections.abc import Iterator

import expected
import pytest
from e2e_tools import DEMO_SENTINELS, Outputs
from perfetto.trace_processor import TraceProcessor
from perfetto_tools import LoadedTrace, load, trace_processor

import rocprofsys_multipass as mp
from rocprofsys_multipass import Run, Trace
from rocprofsys_multipass.demo import DEMO_EVENTS

GPU = "GPU 0 [gfx942]"


@pytest.fixture(scope="module")
def outputs(demo_run: Run) -> Outputs:
    return Outputs.of(demo_run.output_dir)


@pytest.fixture(scope="module")
def engine(outputs: Outputs) -> Iterator[TraceProcessor]:
    with trace_processor(outputs.trace) as loaded:
        yield loaded


@pytest.fixture(scope="module")
def loaded(outputs: Outputs) -> LoadedTrace:
    return load(outputs.trace)


@pytest.fixture(scope="module")
def journal(outputs: Outputs) -> Trace:
    return mp.open_trace(outputs.journal)


def test_the_import_finds_no_error_and_no_loss(engine: TraceProcessor) -> None:
    rows = engine.query("select name, value from stats where severity in ('error', 'data_loss') and value > 0")
    assert [(row.name, row.value) for row in rows] == []


def test_a_sum_over_dispatches_counts_each_counter_once(
    engine: TraceProcessor, demo_launches: list[expected.Launch]
) -> None:
    rows = engine.query(
        "select substr(args.key, 7) as counter, sum(coalesce(int_value, real_value)) as total, count(*) as n "
        "from slice join args using (arg_set_id) "
        "where category = 'rocm_kernel_dispatch' and args.key glob 'debug.[A-Z]*' group by 1"
    )
    found = {row.counter: (row.total, row.n) for row in rows}
    assert found == {name: (sum(launch.counter(name) for launch in demo_launches), 12) for name in DEMO_EVENTS}


def test_a_sum_over_every_slice_of_the_trace_is_the_same(
    engine: TraceProcessor, demo_launches: list[expected.Launch]
) -> None:
    """Pass slices do not repeat a counter: a reader who does not know of categories is right too."""
    rows = engine.query("select sum(extract_arg(arg_set_id, 'debug.SQ_INSTS_VALU')) as total from slice")
    assert [row.total for row in rows] == [sum(launch.counter("SQ_INSTS_VALU") for launch in demo_launches)]


def test_kernel_time_is_that_of_pass_0_and_the_time_of_all_passes_is_below_it(
    engine: TraceProcessor, journal: Trace
) -> None:
    rows = engine.query("select category, count(*) as n, sum(dur) as total from slice where dur > 0 group by 1")
    found = {row.category: (row.n, row.total) for row in rows}
    dispatches = journal.dispatches()
    passes = [one for dispatch in dispatches for one in dispatch.passes]
    assert found == {
        "rocm_kernel_dispatch": (12, sum(dispatch.passes[0].duration_ns or 0 for dispatch in dispatches)),
        "rocm_kernel_replay_pass": (len(passes), sum(one.duration_ns or 0 for one in passes)),
    }


def test_each_execution_is_a_slice_with_the_times_of_the_journal(loaded: LoadedTrace, journal: Trace) -> None:
    drawn = {
        (item.args["dispatch_id"], item.args["replay_pass"]): (item.name, item.ts, item.ts + item.dur)
        for item in loaded.of("rocm_kernel_replay_pass")
    }
    assert drawn == {
        (dispatch.dispatch_id, one.index): (dispatch.kernel, one.start_ns, one.end_ns)
        for dispatch in journal.dispatches()
        for one in dispatch.passes
    }


def test_an_arrow_leads_from_each_dispatch_to_each_of_its_passes(loaded: LoadedTrace, journal: Trace) -> None:
    logical = {item.id: item.args["dispatch_id"] for item in loaded.of("rocm_kernel_dispatch")}
    executions = {item.id: item.args["dispatch_id"] for item in loaded.of("rocm_kernel_replay_pass")}
    reached = sorted(executions)
    assert [(logical[out], executions[into]) for out, into in loaded.flows if logical[out] != executions[into]] == []
    assert sorted(into for _, into in loaded.flows) == reached
    assert len(reached) == sum(len(dispatch.passes) for dispatch in journal.dispatches())


def test_each_counter_track_has_the_value_for_the_time_of_each_execution(loaded: LoadedTrace, journal: Trace) -> None:
    """Value at the start, 0 at the end; what a reader sees at a time is the last that is written for it."""
    wanted: dict[str, dict[int, float]] = {}
    for dispatch in journal.dispatches():
        for one in dispatch.passes:
            assert one.start_ns is not None
            assert one.end_ns is not None
            for reading in one.readings:
                track = wanted.setdefault(f"GPU {reading.counter} [0] pass {one.index}", {})
                track[one.start_ns] = reading.value
                track.setdefault(one.end_ns, 0.0)
    assert len(wanted) == len(DEMO_EVENTS) + DEMO_SENTINELS
    assert {name: dict(samples) for name, samples in loaded.counters.items()} == wanted


def test_only_derived_counters_have_no_unit(loaded: LoadedTrace) -> None:
    derived = {name.split()[1] for name, unit in loaded.units.items() if unit != "Count"}
    assert derived == {"FETCH_SIZE", "WRITE_SIZE"}


def test_the_tracks_hang_below_the_gpu_of_the_process(engine: TraceProcessor, demo_run: Run) -> None:
    assert demo_run.summary is not None
    pid = demo_run.summary["pid"]
    rows = engine.query(
        "select p.pid as pid, t.name as name, above.name as above "
        "from process_track t join process p using (upid) left join track above on t.parent_id = above.id "
        "where t.name glob 'GPU 0 *' or t.name glob 'Queue *' or t.name glob 'Replay pass *'"
    )
    found = sorted({(row.pid, row.name, row.above) for row in rows}, key=str)
    assert {row[0] for row in found} == {pid}
    assert [(name, above) for _, name, above in found if name.startswith("GPU")] == [(GPU, None)]
    assert {above for _, name, above in found if not name.startswith("GPU")} == {GPU}
    (agent,) = demo_run.summary["agents"]
    passes = [name for _, name, _ in found if name.startswith("Replay")]
    assert passes == [f"Replay pass {index}" for index in range(agent["pass_count"])]
