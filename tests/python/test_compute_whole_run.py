# SPDX-License-Identifier: MIT
"""Two processes with two kernels, three dispatches of each in six passes: the whole export for rocprofiler-compute.

No two executions take the same time, and no two dispatches have the same value of a counter.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path

import compute_reader
import pytest
from compute_tools import content, export, rows, run_of, write_journal
from trace_tools import Execution, Launch

PASSES = 6
KERNELS = ("scale(float*, int)", "fold(float*, int)")
PROCESSES = ((40, 0), (30, 1))  # pid, rank; in the order of their numbers
SENTINEL = "SQ_WAVES"
PLAN = tuple(
    (SENTINEL, f"SQ_A{k}", f"SQ_B{k}", *(("GRBM_GUI_ACTIVE", "SQ_BUSY_CU_CYCLES") if k == 0 else ()))
    for k in range(PASSES)
)
COUNTERS = sorted({name for names in PLAN for name in names})
DISPATCHES = [(pid, dispatch_id) for pid, _ in PROCESSES for dispatch_id in range(1, 7)]


def start(number: int, k: int) -> int:
    """Of an execution; passes of a dispatch follow one another with gaps."""
    return 1_000_000 * (number + 1) + 20_000 * k


def duration(number: int, k: int) -> int:
    """Different for each execution: pass 0 is neither the shortest nor the longest, nor the one in the middle."""
    return 1000 + 10 * number + (k + 2) * 5 % 13 * 200


def value(number: int, name: str) -> int:
    """Of a counter of a dispatch, in all passes."""
    return 1000 * (number + 1) + COUNTERS.index(name)


def captures(folder: Path, *, backwards: bool = False) -> list[Path]:
    """The journals of both processes; `backwards`: given, and passes in them, in the other order."""
    step = -1 if backwards else 1
    numbers = count()
    paths = []
    for pid, rank in PROCESSES:
        launches = []
        for dispatch_id in range(1, 7):
            number = next(numbers)
            passes = [
                Execution(
                    k,
                    start(number, k),
                    start(number, k) + duration(number, k),
                    {name: float(value(number, name)) for name in names},
                )
                for k, names in enumerate(PLAN)
            ]
            launches.append(Launch(dispatch_id, tuple(passes[::step]), kernel=KERNELS[dispatch_id % 2]))
        sentinels = ((), *[(SENTINEL,)] * (PASSES - 1))
        run = run_of(*launches, plan=PLAN, sentinels=sentinels, pid=pid, rank=rank, guid=f"g{pid}")
        paths.append(write_journal(folder / f"{pid}.journal", run))
    return paths[::step]


def test_the_passes_of_this_run_take_different_times() -> None:
    """What the tests below rest on: a median over rows or passes would be seen."""
    times = [[duration(number, k) for k in range(PASSES)] for number in range(len(DISPATCHES))]
    assert len({time for one in times for time in one}) == len(DISPATCHES) * PASSES
    assert all(sorted(one).index(one[0]) not in (0, PASSES // 2 - 1, PASSES // 2, PASSES - 1) for one in times)


@pytest.mark.parametrize("release", ["3.3", "3.6", "3.9"])
def test_each_row_has_its_number_its_value_and_the_times_of_pass_0(tmp_path: Path, release: str) -> None:
    """All rows, in their order: 12 dispatches with 15 counters each."""
    (model,) = export(captures(tmp_path), tmp_path / "compute", release=release).models
    first = 1 if release == "3.9" else 0
    found = [
        (
            int(one["Dispatch_ID"]),
            one["Kernel_Name"],
            int(one["Start_Timestamp"]),
            int(one["End_Timestamp"]),
            one["Counter_Name"],
            int(one["Counter_Value"]),
        )
        for one in rows(model.path)
    ]
    assert found == [
        (
            number + first,
            KERNELS[dispatch_id % 2],
            start(number, 0),
            start(number, 0) + duration(number, 0),
            name,
            value(number, name),
        )
        for number, (_, dispatch_id) in enumerate(DISPATCHES)
        for name in COUNTERS
    ]
    assert len(found) == 12 * 15
    side = [
        tuple(int(one[name]) for name in ("Dispatch_ID", "pid", "rank", "dispatch_id", "passes", "start", "end"))
        for one in rows(model.path, "dispatches.csv")
    ]
    ranks = dict(PROCESSES)
    assert side == [
        (
            number + first,
            pid,
            ranks[pid],
            dispatch_id,
            PASSES,
            start(number, 0),
            start(number, 0) + duration(number, 0),
        )
        for number, (pid, dispatch_id) in enumerate(DISPATCHES)
    ]


def test_analyze_sees_three_dispatches_of_each_kernel_and_process_with_pass_0s_time(tmp_path: Path) -> None:
    """By the rules of its reader, not by the rows."""
    (model,) = export(captures(tmp_path), tmp_path / "compute").models
    found = compute_reader.read(model.path)
    assert [(one.number, one.durations) for one in found] == [
        (number, {duration(number, 0)}) for number in range(len(DISPATCHES))
    ]
    assert sorted(found.kernels()) == [
        (
            name,
            6,
            sum(duration(number, 0) for number, (_, dispatch_id) in enumerate(DISPATCHES) if dispatch_id % 2 == odd),
        )
        for odd, name in sorted(enumerate(KERNELS), key=lambda one: one[1])
    ]
    assert found.silently_averaged() == {}


def test_an_export_again_and_one_of_captures_and_passes_in_the_other_order_has_the_same_bytes(tmp_path: Path) -> None:
    """Of all files, the compressed one too."""
    first = captures(tmp_path / "a")
    made = []
    for journals in (first, first, captures(tmp_path / "b", backwards=True)):
        export(journals, tmp_path / "compute", release="3.9")
        made.append(content(tmp_path / "compute"))
    assert made[0] == made[1] == made[2]
    assert len(made[0]) == 6
