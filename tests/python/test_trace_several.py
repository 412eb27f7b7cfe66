# SPDX-License-Identifier: MIT
"""Several GPUs and several processes, and members that no reader knows, in files that are built message by message.

Two GPUs use the same kernel id for different kernels and count the same counter. Dispatch 1 was replayed in two passes
on GPU 0, dispatch 2 ran once, outside a replay loop, on GPU 1.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trace_tools as tools
from handmade_trace import PROCESS

from rocprofsys_multipass.trace import Dispatch, Trace, open_trace
from rocprofsys_multipass.trace import journal_pb2 as pb

RUN = replace(tools.sample_run(), launches=(tools.replayed(1, 1000),), warnings=())
UNKNOWN = b"\xc2\x3e\x03abc"  # member 1000, three bytes


def unknown_added(message: Any) -> Any:
    """The message with a member that does not exist, here and in each message inside it."""
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        for one in value if hasattr(value, "add") else [value]:
            one.CopyFrom(unknown_added(one))
    changed = type(message)()
    changed.MergeFromString(message.SerializeToString() + UNKNOWN)
    return changed


def journal(path: Path, *, unknown: bool = False) -> None:
    frames = tools.journal_frames(RUN)
    second = pb.Agent(index=2, gpu=True, device=1, node_id=2, name="gfx90a")
    # The positions of counters are those of the agent: SQ_WAVES is the first here, the second on GPU 0.
    second.counters.extend([pb.Counter(name="SQ_WAVES", block="SQ", instances=1)])
    second.plan.passes.add(counters=["SQ_WAVES"])
    launch = pb.Dispatch(
        dispatch_id=2, agent=2, kernel=1, queue_id=8, outcome="single_pass", passes_planned=1, grid=[64, 2, 1]
    )
    launch.passes.add(group=0, start_ns=3000, end_ns=3050, counters=[0], values=[7])
    frames[3:3] = [pb.Frame(agent=second), pb.Frame(kernel=pb.Kernel(id=1, agent=2, name="k", demangled="other()"))]
    frames[-1:] = [pb.Frame(dispatch=launch), pb.Frame(end=pb.End(dispatches=2, end_ns=9000))]
    if unknown:
        frames = [unknown_added(one) for one in frames]
    path.write_bytes(tools.journal_header() + b"".join(tools.frame(one) for one in frames))


def trace(path: Path, *, unknown: bool = False) -> None:
    file = tools.TraceFile(RUN).build()
    file.track(201, PROCESS, "GPU 1 [gfx90a]")
    file.track(301, 201, "Queue 0")
    file.track(501, 201, "GPU SQ_WAVES [1]", counter=True)
    facts: dict[str, object] = {
        "dispatch_id": 2,
        "outcome": "single_pass",
        "passes": 1,
        "executions": 1,
        "grid_size": "64,2,1",
        "queue": 8,
        "SQ_WAVES": 7,
    }
    file.slice(301, (3000, 3050), "other()", "rocm_kernel_dispatch", facts)
    file.counter(501, 3000, 7)
    file.counter(501, 3050, 0)
    if unknown:  # tracks of another tool: one on the process, a counter below it, a slice of another category
        file.track(601, PROCESS, "GPU busy")
        file.track(602, 601, "GPU load", counter=True)
        file.counter(602, 1000, 50)
        file.slice(601, (1000, 1100), "hipLaunchKernel", "hip_api", {"dispatch_id": 1, "SQ_WAVES": 1})
        file.slice(301, (4000, 4050), "marker", "user", {"note": "x"})
    path.write_bytes(file.to_bytes())


def database(path: Path, *, unknown: bool = False) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        file = tools.DatabaseFile(connection, RUN)
        file.build()
        file.insert("info_agent", id=2, type="GPU", absolute_index=2, name="gfx90a")
        file.insert("info_pmc", id=9, agent_id=2, name="SQ_WAVES", block="SQ")
        file.insert("info_kernel_symbol", id=9, kernel_name="k", display_name="other()")
        event = file.insert("event", category_id=1)
        replay = {"replay": {"passes": 1, "outcome": "single_pass"}}
        file.insert(
            "kernel_dispatch",
            id=2,
            pid=RUN.pid,
            tid=RUN.pid,
            agent_id=2,
            kernel_id=9,
            dispatch_id=2,
            queue_id=8,
            start=3000,
            end=3050,
            grid_size_x=64,
            grid_size_y=2,
            grid_size_z=1,
            event_id=event,
            extdata=json.dumps(replay | ({"later": {"a": [1]}} if unknown else {})),
        )
        file.insert("pmc_event", event_id=event, pmc_id=9, value=7)
        row = file.insert(
            "replay_pass", kernel_dispatch_id=2, dispatch_id=2, replay_pass=None, start=3000, end=3050, extdata="{}"
        )
        file.insert("replay_pmc", replay_pass_id=row, pmc_id=9, value=7, is_canonical=1)
        if unknown:
            connection.execute(f"ALTER TABLE rocpd_kernel_dispatch{file.suffix} ADD COLUMN later TEXT DEFAULT 'x'")
            connection.execute("CREATE TABLE rocpd_later (id INTEGER PRIMARY KEY, value BLOB)")
            file.insert("metadata", tag="later", value="1")


WRITERS: dict[str, Callable[..., None]] = {"journal": journal, "pftrace": trace, "db": database}


def told(d: Dispatch) -> tuple[object, ...]:
    return (
        d.dispatch_id,
        d.agent.label,
        d.kernel,
        d.outcome,
        [(p.index, p.group, p.start_ns, p.end_ns) for p in d.passes],
        dict(d.counters),
    )


EXPECTED = [
    (
        1,
        "GPU 0 [gfx942]",
        "axpy(float*, int)",
        "replayed",
        [(0, 0, 1000, 1100), (1, 1, 1150, 1260)],
        {"GRBM_COUNT": 100.5, "SQ_WAVES": 512.0, "TCC_HIT": 300.0},
    ),
    (2, "GPU 1 [gfx90a]", "other()", "single_pass", [(None, 0, 3000, 3050)], {"SQ_WAVES": 7.0}),
]


@pytest.fixture(params=WRITERS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def opened(tmp_path: Path, kind: str, *, unknown: bool = False) -> Trace:
    path = tmp_path / f"multipass-{RUN.pid}.{kind}"
    WRITERS[kind](path, unknown=unknown)
    return open_trace(path)


def test_each_gpu_has_its_own_kernels_counters_and_passes(tmp_path: Path, kind: str):
    found = opened(tmp_path, kind)
    assert [told(d) for d in found.dispatches()] == EXPECTED
    assert [a.device for a in found.agents] == [0, 1]
    assert found.dispatches()[1].grid == (64, 2, 1)


def test_dispatches_are_chosen_by_the_ordinal_or_the_name_of_their_gpu(tmp_path: Path, kind: str):
    found = opened(tmp_path, kind)
    assert [d.dispatch_id for d in found.dispatches(agent=1)] == [2]
    assert [d.dispatch_id for d in found.dispatches(agent="gfx942")] == [1]
    assert found.dispatches(agent=1, kernel="axpy") == []
    assert [d.dispatch_id for d in found.dispatches(kernel="other", outcome="single_pass")] == [2]


def test_what_no_reader_knows_changes_nothing(tmp_path: Path, kind: str):
    found = opened(tmp_path, kind, unknown=True)
    assert [told(d) for d in found.dispatches()] == EXPECTED
    assert found.processes[0].notes == ()


def test_the_journal_that_is_tested_here_has_unknown_members_at_every_level(tmp_path: Path):
    journal(tmp_path / "a")
    journal(tmp_path / "b", unknown=True)
    extra = (tmp_path / "b").read_bytes().count(UNKNOWN)
    assert (tmp_path / "a").read_bytes().count(UNKNOWN) == 0
    assert extra > 20


def test_the_data_frame_has_exact_types_and_a_pass_that_may_be_absent(tmp_path: Path, kind: str):
    pd = pytest.importorskip("pandas")
    frame = opened(tmp_path, kind).to_pandas()
    expected = pd.DataFrame(
        {
            "process": [tools.PID] * 5,
            "agent": pd.array([0, 0, 0, 0, 1], dtype="Int64"),
            "dispatch_id": [1, 1, 1, 1, 2],
            "kernel": ["axpy(float*, int)"] * 4 + ["other()"],
            "pass": pd.array([0, 0, 1, 1, None], dtype="Int64"),
            "group": [0, 0, 1, 1, 0],
            "counter": ["GRBM_COUNT", "SQ_WAVES", "SQ_WAVES", "TCC_HIT", "SQ_WAVES"],
            "value": [100.5, 512.0, 512.0, 300.0, 7.0],
            "canonical": [True, True, False, True, True],
            "start": pd.array([1000, 1000, 1150, 1150, 3000], dtype="Int64"),
            "end": pd.array([1100, 1100, 1260, 1260, 3050], dtype="Int64"),
            "dispatch_time": pd.array([100, 100, 100, 100, 50], dtype="Int64"),
            "time_of": ["pass 0"] * 4 + ["single run"],
        }
    )
    pd.testing.assert_frame_equal(frame, expected)


@pytest.mark.parametrize(
    "run", [replace(RUN, launches=()), replace(tools.sample_run(), launches=tools.sample_run().launches[3:4])]
)
@pytest.mark.parametrize("files", [("journal",), ("db",), ("pftrace",)])
def test_the_data_frame_of_a_run_without_readings_has_the_same_types(
    tmp_path: Path, files: tuple[str, ...], run: tools.Run
):
    pytest.importorskip("pandas")
    some = open_trace(tools.write_run(tmp_path / "some", tools.sample_run(), files=files)).to_pandas()
    none = open_trace(tools.write_run(tmp_path / "none", run, files=files)).to_pandas()
    assert (len(some), len(none)) == (12, 0)
    assert list(none.dtypes.items()) == list(some.dtypes.items())


@pytest.mark.parametrize("files", [("journal",), ("db",), ("pftrace",)])
def test_processes_of_one_folder_with_equal_dispatch_ids_stay_apart(tmp_path: Path, files: tuple[str, ...]):
    pytest.importorskip("pandas")
    for rank, waves in ((1, 64.0), (0, 32.0)):
        run = replace(RUN, rank=rank, pid=100 + rank, launches=(tools.replayed(1, 1000, waves=waves),))
        tools.write_run(tmp_path, run, files=files)
    found = open_trace(tmp_path)
    assert [(d.process, d.dispatch_id, d.counter("SQ_WAVES")) for d in found.dispatches()] == [
        (100, 1, 32),
        (101, 1, 64),
    ]
    frame = found.to_pandas()
    assert list(frame.groupby("process").size()) == [4, 4]
