# SPDX-License-Identifier: MIT
"""A row per dispatch with its canonical values, described in the columns of rocprofv3 (docs/formats/readings.md).

Names, units and spelling of the first columns are those of rocprofv3's counter_collection.csv (rocm-systems,
projects/rocprofiler-sdk/source/lib/output/generateCSV.cpp @1b1610fc2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod
from typing import Final, TextIO

from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.model import Dim3, Dispatch, Process
from rocprofsys_multipass.trace.tidy import cell

WIDE_COLUMNS: Final = (
    *("Correlation_Id", "Dispatch_Id", "Agent_Id", "Queue_Id", "Process_Id", "Thread_Id", "Grid_Size", "Kernel_Id"),
    *("Kernel_Name", "Workgroup_Size", "LDS_Block_Size", "Scratch_Size", "VGPR_Count", "Accum_VGPR_Count"),
    *("SGPR_Count", "Start_Timestamp", "End_Timestamp", "Outcome", "Reason", "Passes"),
)
_LDS_BLOCK: Final = 512  # bytes; rocprofv3 rounds up to it (counter_info.hpp there)


def write_wide(processes: Sequence[tuple[Process, Callable[[], Iterable[Dispatch]]]], stream: TextIO) -> None:
    """A line per dispatch. The dispatches of files that may not tell the plan are gone through twice."""
    names = counters_of(processes)
    stream.write(",".join([*WIDE_COLUMNS, *map(cell, counter_columns(names))]) + "\n")
    for _, dispatches in processes:
        for d in dispatches():
            read = d.counters
            values = (repr(value) if (value := read.get(name)) is not None else "" for name in names)
            stream.write(",".join([*map(cell, described(d)), *values]) + "\n")


def described(d: Dispatch) -> tuple[int | str | None, ...]:
    """The cells of WIDE_COLUMNS; None: the file does not tell."""
    symbol = d.symbol
    return (
        d.correlation_id,
        d.dispatch_id,
        agent_id(d.agent),
        d.queue_id,
        d.process,
        d.thread_id,
        _items(d.grid),
        symbol.id,
        d.kernel,
        _items(d.workgroup),
        None if symbol.group_segment_size is None else -(-symbol.group_segment_size // _LDS_BLOCK) * _LDS_BLOCK,
        d.private_segment_size,
        symbol.arch_vgpr_count,
        symbol.accum_vgpr_count,
        symbol.sgpr_count,
        d.start_ns,
        d.end_ns,
        d.outcome,
        d.reason,
        len(d.passes),
    )


def agent_id(agent: Agent) -> str | None:
    """``Agent 4`` by its number among all agents, as rocprofv3 has it by default; ``GPU 0`` where that is not known."""
    if agent.logical_node_id is not None:
        return f"Agent {agent.logical_node_id}"
    return None if agent.device is None else f"GPU {agent.device}"


def _items(size: Dim3 | None) -> int | None:
    return None if size is None else prod(size)


def counters_of(processes: Sequence[tuple[Process, Callable[[], Iterable[Dispatch]]]]) -> list[str]:
    """The counters of all GPUs that have canonical values, in order of the plan; what no plan names is behind, sorted.

    A journal describes each counter of which it has readings; of other files the dispatches are asked.
    """
    found = dict.fromkeys(name for process, _ in processes for agent in process.gpus for name in _planned(agent))
    others = (d for process, dispatches in processes if process.kind != "journal" for d in dispatches())
    return [*found, *sorted({name for d in others for name in d.counters} - found.keys())]


def _planned(agent: Agent) -> Iterator[str]:
    for one in agent.passes:
        yield from (name for name in one.counters if name in agent.requested)
    yield from (counter.name for counter in agent.counters if counter.name not in agent.sentinels_only)


def counter_columns(names: Sequence[str]) -> list[str]:
    """What the columns of counters are called: a counter with the name of another column has words behind its own."""
    taken = {*WIDE_COLUMNS, *names}
    columns = []
    for name in names:
        column = name
        while column in WIDE_COLUMNS or (column != name and column in taken):
            column += " (counter)"
        taken.add(column)
        columns.append(column)
    return columns
