# SPDX-License-Identifier: MIT
"""A line per dispatch in the columns of rocprofv3, with the canonical value of each counter."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
import trace_tools as tools

import rocprofsys_multipass as mp
from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.trace.wide import WIDE_COLUMNS, counter_columns

RUN = tools.sample_run()
NAME = f"wide-{tools.PID}.csv"
BIG = (1 << 63) + 5


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def journal_with(path: Path, *frames: pb.Frame) -> Path:
    run = pb.Frame(run=pb.Run(pid=tools.PID, guid=tools.GUID))
    path.write_bytes(tools.journal_header() + b"".join(map(tools.frame, (run, *frames, pb.Frame(end=pb.End())))))
    return path


def gpu(index: int, *counters: str, sentinel: str = "") -> pb.Frame:
    agent = pb.Agent(index=index, gpu=True, device=index - 1, node_id=index, logical_node_id=index, name="gfx942")
    names = [*counters, sentinel] if sentinel else [*counters]
    agent.counters.extend(pb.Counter(name=name, instances=1) for name in sorted(names))
    agent.plan.passes.add(counters=names, sentinels=[sentinel] if sentinel else [])
    return pb.Frame(agent=agent)


def launch(agent: pb.Frame, number: int, **values: float) -> pb.Frame:
    d = pb.Dispatch(dispatch_id=number, agent=agent.agent.index, kernel=1, outcome="single_pass", passes_planned=1)
    names = [counter.name for counter in agent.agent.counters]
    one = d.passes.add(group=0, start_ns=10, end_ns=30)
    one.counters.extend(names.index(name) for name in values)
    one.values.extend(values.values())
    return pb.Frame(dispatch=d)


@pytest.mark.parametrize("file", ["journal", "db", "pftrace"])
def test_every_kind_of_file_gives_a_line_per_dispatch_with_its_canonical_values(tmp_path: Path, file: str):
    tools.write_run(tmp_path, RUN, files=(file,))
    (made,) = mp.export(tmp_path / f"multipass-{tools.PID}.{file}", "csv-wide")
    assert made == tmp_path / NAME
    lines = rows(made)
    counters = [name for name in lines[0] if name not in WIDE_COLUMNS]
    assert sorted(counters) == RUN.counters
    assert [line["Dispatch_Id"] for line in lines] == [str(d.id) for d in RUN.launches]
    assert [{c: float(line[c]) for c in counters if line[c]} for line in lines] == [
        {c: v for c, (_, v) in d.canonical.items()} for d in RUN.launches
    ]
    assert [line["Outcome"] for line in lines] == [d.outcome for d in RUN.launches]
    assert [line["Passes"] for line in lines] == [str(len(d.executions)) for d in RUN.launches]


def test_what_describes_a_dispatch_has_the_names_and_units_of_rocprofv3(tmp_path: Path):
    kernel = pb.Kernel(id=9, agent=1, name="_Z1k", demangled='k(int, "a")', group_segment_size=513, sgpr_count=16)
    kernel.arch_vgpr_count, kernel.accum_vgpr_count = 24, 8
    agent = gpu(1, "SQ_WAVES")
    one = launch(agent, BIG, SQ_WAVES=2.5).dispatch
    one.kernel, one.queue_id, one.thread_id, one.correlation_id, one.private_segment_size = 9, 7, 8, BIG + 1, 64
    one.grid.extend((64, 2, 3))
    one.workgroup.extend((32, 2, 1))
    path = journal_with(tmp_path / "multipass-1.journal", agent, pb.Frame(kernel=kernel), pb.Frame(dispatch=one))
    (made,) = mp.export(path, "csv-wide")
    (line,) = rows(made)
    assert line == {
        "Correlation_Id": str(BIG + 1),
        "Dispatch_Id": str(BIG),
        "Agent_Id": "Agent 1",
        "Queue_Id": "7",
        "Process_Id": str(tools.PID),
        "Thread_Id": "8",
        "Grid_Size": "384",
        "Kernel_Id": "9",
        "Kernel_Name": 'k(int, "a")',
        "Workgroup_Size": "64",
        "LDS_Block_Size": "1024",
        "Scratch_Size": "64",
        "VGPR_Count": "24",
        "Accum_VGPR_Count": "8",
        "SGPR_Count": "16",
        "Start_Timestamp": "10",
        "End_Timestamp": "30",
        "Outcome": "single_pass",
        "Reason": "",
        "Passes": "1",
        "SQ_WAVES": "2.5",
    }


def test_gpus_with_other_counters_share_the_columns_and_leave_the_others_cells_empty(tmp_path: Path):
    first, second = gpu(1, "Z_FIRST", "A_SECOND", sentinel="GUEST"), gpu(2, "A_SECOND", "B_THIRD")
    frames = (launch(first, 1, Z_FIRST=1, A_SECOND=0, GUEST=9), launch(second, 2, B_THIRD=0.5))
    (made,) = mp.export(journal_with(tmp_path / "multipass-1.journal", first, second, *frames), "csv-wide")
    lines = rows(made)
    assert list(lines[0])[len(WIDE_COLUMNS) :] == ["Z_FIRST", "A_SECOND", "B_THIRD"]  # in order of the plans
    cells = [[line["Agent_Id"], line["Z_FIRST"], line["A_SECOND"], line["B_THIRD"]] for line in lines]
    assert cells == [["Agent 1", "1.0", "0.0", ""], ["Agent 2", "", "", "0.5"]]


def test_a_counter_with_the_name_of_a_column_gets_one_of_its_own():
    names = ["Agent_Id", "SQ_WAVES", "Passes", "Passes (counter)"]
    assert counter_columns(names) == [
        "Agent_Id (counter)",
        "SQ_WAVES",
        "Passes (counter) (counter)",
        "Passes (counter)",
    ]


def test_a_trace_tells_no_number_among_all_agents_and_the_gpu_is_named_by_its_ordinal(tmp_path: Path):
    tools.write_run(tmp_path, RUN, files=("pftrace",))
    (made,) = mp.export(tmp_path / f"multipass-{tools.PID}.pftrace", "csv-wide")
    assert {line["Agent_Id"] for line in rows(made)} == {"GPU 0"}
