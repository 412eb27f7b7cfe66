# SPDX-License-Identifier: MIT
"""The model, whichever file it comes from: selection, canonical readings, table."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import trace_tools as tools

from rocprofsys_multipass.errors import UsageError
from rocprofsys_multipass.trace import Agent, Process, Trace, open_trace


@pytest.fixture(params=["journal", "db", "pftrace"])
def trace(request: pytest.FixtureRequest, tmp_path: Path) -> Trace:
    return open_trace(tools.write_run(tmp_path, tools.sample_run(), files=(request.param,)))


def test_all_sources_give_the_same_dispatches(trace: Trace):
    assert [(d.dispatch_id, d.outcome, d.reason, d.kernel) for d in trace.dispatches()] == [
        (1, "replayed", "", "axpy(float*, int)"),
        (2, "replayed", "", "axpy(float*, int)"),
        (3, "declined", "graph", "init(int)"),
        (4, "filtered", "", "init(int)"),
        (5, "incomplete", "process_end", "axpy(float*, int)"),
    ]


def test_a_counter_has_one_canonical_value(trace: Trace):
    first = trace.dispatches()[0]
    assert dict(first.counters) == {"GRBM_COUNT": 100.5, "SQ_WAVES": 512, "TCC_HIT": 300}
    assert first.counter("TCC_HIT") == 300
    assert {c: p.index for c, p in first.canonical_pass.items()} == {"GRBM_COUNT": 0, "SQ_WAVES": 0, "TCC_HIT": 1}


def test_a_reading_of_zero_is_a_reading(trace: Trace):
    assert trace.dispatches()[1].counter("TCC_HIT") == 0


def test_a_counter_that_was_not_read_raises_and_names_those_that_were(trace: Trace):
    with pytest.raises(
        KeyError, match=r"dispatch 5 .* \(incomplete\) has no reading of 'TCC_HIT'.*GRBM_COUNT, SQ_WAVES"
    ):
        trace.dispatches()[4].counter("TCC_HIT")
    with pytest.raises(KeyError, match="it has no counters"):
        trace.dispatches()[3].counter("SQ_WAVES")


def test_times_of_a_dispatch_are_those_of_pass_0(trace: Trace):
    first = trace.dispatches()[0]
    assert (first.start_ns, first.end_ns, first.duration_ns) == (1000, 1100, 100)
    assert [p.duration_ns for p in first.passes] == [100, 110]


def test_geometry_and_queue_are_kept(trace: Trace):
    first = trace.dispatches()[0]
    assert (first.grid, first.workgroup, first.queue_id) == ((1024, 1, 1), (64, 1, 1), 7)


def test_run_facts_are_kept(trace: Trace):
    process = trace.processes[0]
    assert (process.pid, process.guid, process.simulated, process.sdk_version) == (tools.PID, tools.GUID, True, "1.4.1")


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("axpy", [1, 2, 5]),
        ("^init", [3, 4]),
        ("axpy(float*", [1, 2, 5]),
        ("init(int)", [3, 4]),
        ("a|b", [1, 2, 5]),
        ("x$", []),
    ],
)
def test_kernels_are_chosen_by_pattern_or_by_their_text(trace: Trace, pattern: str, found: list[int]):
    assert [d.dispatch_id for d in trace.dispatches(kernel=pattern)] == found


def test_a_pattern_is_matched_once_not_once_per_dispatch(trace: Trace, monkeypatch: pytest.MonkeyPatch):
    patterns: list[str] = []
    compiled = re.compile
    monkeypatch.setattr("rocprofsys_multipass.trace.model.re.compile", lambda p: patterns.append(p) or compiled(p))
    assert len(trace.dispatches(kernel="axpy")) == 3
    assert patterns == ["axpy"]


def test_a_pattern_that_is_none_and_in_no_name_is_refused(trace: Trace):
    with pytest.raises(UsageError, match=r"kernel 'nope\(' is no regular expression"):
        trace.dispatches(kernel="nope(")


def test_dispatches_are_chosen_by_outcome_and_by_gpu(trace: Trace):
    assert [d.dispatch_id for d in trace.dispatches(outcome="declined")] == [3]
    assert len(trace.dispatches(agent=0)) == len(trace.dispatches(agent="gfx942")) == 5
    assert trace.dispatches(agent=1) == trace.dispatches(agent="gfx90a") == []


def test_an_outcome_that_does_not_exist_is_refused(trace: Trace):
    with pytest.raises(UsageError, match="outcome 'replay' is none of replayed, single_pass, declined"):
        trace.dispatches(outcome="replay")  # type: ignore[arg-type]


def test_names_of_counters_kernels_and_agents(trace: Trace):
    assert trace.counters == ("GRBM_COUNT", "SQ_WAVES", "TCC_HIT")
    assert trace.kernels == ("axpy(float*, int)", "init(int)")
    assert [a.label for a in trace.agents] == ["GPU 0 [gfx942]"]


def test_a_dispatch_is_shown_in_one_short_line(trace: Trace):
    shown = [repr(trace.dispatches()[n]) for n in (0, 4)]
    gpu = "'axpy(float*, int)' on GPU 0 [gfx942]"
    assert shown == [
        f"<Dispatch 1 of process 4711, {gpu}: replayed, passes 2 of 2, counters 3>",
        f"<Dispatch 5 of process 4711, {gpu}: incomplete (process_end), passes 1 of 2, counters 2>",
    ]


def test_a_trace_is_shown_in_one_short_line_and_not_read_for_it(tmp_path: Path):
    folder = tools.write_run(tmp_path, tools.sample_run(), files=("journal",))
    trace = open_trace(folder)
    (process,) = trace.processes
    gpu, path = "on GPU 0 [gfx942]", folder / f"multipass-{tools.PID}.journal"
    assert repr(trace) == f"<Trace of 1 process: 5 dispatches {gpu}, {path}>"
    assert process.unread_rows is not None
    assert trace.kernels
    assert repr(trace) == f"<Trace of 1 process: 5 dispatches of 2 kernels {gpu}, {path}>"
    assert repr(process) == f'<Process 4711 "./app it\'s": 5 dispatches of 2 kernels {gpu}, {path}>'
    assert repr(process.gpus) == "(<Agent GPU 0 [gfx942]: 3 counters in 2 passes>,)"
    database = open_trace(tools.write_run(tmp_path / "db", tools.sample_run(), files=("db",)))
    assert repr(database).startswith(f"<Trace of 1 process: dispatches not read yet {gpu}, ")


def test_of_several_processes_the_folder_and_some_gpus_are_shown():
    devices = tuple(Agent(index=n, device=n, name="gfx942") for n in range(8))
    made = Process(path=Path("/out/a.journal"), kind="journal", pid=1, agents=devices, dispatches=())
    assert repr(Trace((made, replace(made, path=Path("/out/b.journal"))))) == (
        "<Trace of 2 processes: 0 dispatches of 0 kernels on GPU 0 [gfx942], GPU 1 [gfx942], GPU 2 [gfx942] "
        "and 5 more, /out>"
    )


def test_the_table_has_a_row_per_reading_and_exactly_these_columns(trace: Trace):
    pytest.importorskip("pandas")
    frame = trace.to_pandas()
    assert list(frame.columns) == [
        "process",
        "agent",
        "dispatch_id",
        "kernel",
        "pass",
        "group",
        "counter",
        "value",
        "canonical",
        "start",
        "end",
        "dispatch_time",
        "time_of",
    ]
    assert len(frame) == 4 + 4 + 2 + 2
    row = frame[(frame.dispatch_id == 1) & (frame.counter == "TCC_HIT")].iloc[0]
    assert (row["pass"], row["group"], row["value"], row["canonical"], row["start"]) == (1, 1, 300, True, 1150)
    assert frame[frame.dispatch_id == 3]["pass"].isna().all()
    assert set(frame[frame.dispatch_id == 3]["time_of"]) == {"single run"}
    assert {(row["dispatch_time"], row["time_of"]) for _, row in frame[frame.dispatch_id == 1].iterrows()} == {
        (100, "pass 0")
    }
    assert frame[frame.canonical].groupby(["dispatch_id", "counter"]).size().max() == 1


def test_without_pandas_the_message_names_what_to_install(trace: Trace, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match=r"pip install '\.\[analysis\]'.*pip install pandas"):
        trace.to_pandas()


def test_the_table_of_nothing_has_the_same_columns(tmp_path: Path):
    pytest.importorskip("pandas")
    empty = open_trace(tools.write_run(tmp_path, replace(tools.sample_run(), launches=()), files=("journal",)))
    assert list(empty.to_pandas().columns)[4] == "pass"
    assert len(empty.to_pandas()) == 0


def test_counters_that_no_dispatch_has_are_unread(tmp_path: Path):
    run = tools.sample_run()
    declined = replace(run, launches=run.launches[4:], sentinels=(("SQ_WAVES",), ()))
    process = open_trace(tools.write_run(tmp_path / "a", declined, files=("journal",))).processes[0]
    assert process.unread(process.gpus[0]) == ("TCC_HIT",)
    every = open_trace(tools.write_run(tmp_path / "b", run, files=("journal",))).processes[0]
    assert every.unread(every.gpus[0]) == ()


def test_a_gpu_whose_dispatches_were_all_filtered_leaves_nothing_unread(tmp_path: Path):
    run = replace(tools.sample_run(), launches=tools.sample_run().launches[3:4])
    process = open_trace(tools.write_run(tmp_path, run, files=("journal",))).processes[0]
    assert process.unread(process.gpus[0]) == ()


def test_a_sentinel_that_nobody_requested_is_never_canonical(tmp_path: Path):
    run = replace(tools.sample_run(), sentinels=(("SQ_WAVES",), ("SQ_WAVES",)))
    first = open_trace(tools.write_run(tmp_path, run, files=("journal",))).dispatches()[0]
    assert dict(first.counters) == {"GRBM_COUNT": 100.5, "TCC_HIT": 300}
    assert [r.counter for r in first.passes[0].readings] == ["SQ_WAVES", "GRBM_COUNT"]


def test_a_sentinel_that_was_requested_too_is_canonical_in_the_pass_that_it_was_requested_for(tmp_path: Path):
    run = replace(tools.sample_run(), sentinels=(("SQ_WAVES",), ()))
    first = open_trace(tools.write_run(tmp_path, run, files=("journal",))).dispatches()[0]
    assert first.canonical_pass["SQ_WAVES"].index == 1


def test_a_requested_counter_that_only_a_sentinel_delivered_is_canonical_there(tmp_path: Path):
    run = replace(tools.sample_run(), sentinels=(("SQ_WAVES",), ()))
    run = tools.with_execution(run, 0, 1, values={"TCC_HIT": 300})
    first = open_trace(tools.write_run(tmp_path, run, files=("journal",))).dispatches()[0]
    assert first.canonical_pass["SQ_WAVES"].index == 0
