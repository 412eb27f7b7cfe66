# SPDX-License-Identifier: MIT
"""What was read of each counter of each launch shape, over its dispatches, and how much of the plan that covers.

A launch shape is a kernel with one grid and one work-group on one GPU: launches that may be taken for the same work. A
dispatch that was replayed has a reading of every planned counter; one that was not has those of one group. The same as
view `kernel_counters` of the database (docs/formats/rocpd.md).
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.model import Dim3, Dispatch, Pass, Process


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelCounter:
    """A counter of a launch shape. Of a planned one that was never read `n` is 0, and there is no value.

    `n`: dispatches with a canonical reading of it. `median`, `mad` (the median of the distances from the median), `low`
    and `high` are over these, in the counter's unit; `mad` is None too where the median is infinite. `group`: the first
    planned pass that reads it for its own sake; None: the plan does not have it, or is not known.

    Of the shape: `launches` without those that were filtered, how many of them were `replayed`, and how much of the
    plan of the GPU was read in any of them; what is planned is None where the file does not tell. Sentinels that nobody
    asked for are no part of it.
    """

    process: int  # pid
    rank: int | None
    agent: int | None  # ordinal of the GPU
    kernel: str
    grid: Dim3 | None  # work-items
    workgroup: Dim3 | None
    launches: int
    replayed: int
    counter: str
    group: int | None
    n: int
    median: float | None
    mad: float | None
    low: float | None
    high: float | None
    counters_read: int
    counters_planned: int | None
    groups_read: int
    groups_planned: int | None

    @property
    def complete(self) -> bool:
        """Whether every planned counter of the shape was read; False where the plan is not known."""
        return self.counters_read == self.counters_planned


def kernel_counters_of(
    process: Process, dispatches: Iterable[Dispatch], name_of: Callable[[Dispatch], str] = lambda d: d.kernel
) -> list[KernelCounter]:
    """Those of some dispatches of a process, in order of GPU, kernel, grid, work-group and counter.

    `name_of`: what a dispatch's kernel is called. Of a trace that was written without counters there are none: it does
    not tell what was read.
    """
    shapes: dict[tuple[int, str, Dim3 | None, Dim3 | None], list[Dispatch]] = defaultdict(list)
    for d in dispatches:
        if d.outcome != "filtered" and not d.agent.without_counters:
            shapes[d.agent.index, name_of(d), d.grid, d.workgroup].append(d)
    found: list[KernelCounter] = []
    for key in sorted(shapes, key=lambda k: (k[0], k[1], k[2] or (), k[3] or ())):
        found += _of_shape(process, key[1], shapes[key])
    return found


def _of_shape(process: Process, kernel: str, dispatches: Sequence[Dispatch]) -> Iterator[KernelCounter]:
    first = dispatches[0]
    own = [frozenset(p.counters) - frozenset(p.sentinels) for p in first.agent.passes]
    planned = first.agent.requested
    values: dict[str, list[float]] = defaultdict(list)
    groups: set[int] = set()
    for d in dispatches:
        for p in d.passes:
            read = [r for r in p.readings if r.canonical]
            for r in read:
                values[r.counter].append(r.value)
            groups |= _groups_of(p, [r.counter for r in read], own)
    replayed = sum(d.outcome == "replayed" for d in dispatches)
    for counter in sorted(planned | values.keys()):
        of = values.get(counter, [])
        median = statistics.median(of) if of else None
        yield KernelCounter(
            process=process.pid,
            rank=process.rank,
            agent=first.agent.device,
            kernel=kernel,
            grid=first.grid,
            workgroup=first.workgroup,
            launches=len(dispatches),
            replayed=replayed,
            counter=counter,
            group=next((g for g, names in enumerate(own) if counter in names), None),
            n=len(of),
            median=_number(median),
            mad=_deviation(of, median),
            low=min(of, default=None),
            high=max(of, default=None),
            counters_read=len(planned & values.keys()),
            counters_planned=len(planned) if own else None,
            groups_read=len(groups),
            groups_planned=_groups_in(first.agent),
        )


def _groups_of(one: Pass, read: Sequence[str], own: Sequence[frozenset[str]]) -> set[int]:
    """The planned passes of which an execution read a counter that is there for its own sake."""
    if one.mixed:  # of several executions that nothing tells apart
        return {g for g, names in enumerate(own) if not names.isdisjoint(read)}
    return {one.group} if one.group < len(own) and not own[one.group].isdisjoint(read) else set()


def _groups_in(agent: Agent) -> int | None:
    """Planned passes with a counter that is there for its own sake; None: no plan is known."""
    return sum(bool(set(p.counters) - set(p.sentinels)) for p in agent.passes) if agent.passes else None


def _deviation(values: Sequence[float], median: float | None) -> float | None:
    """The median absolute deviation; None: the median is no number to be away from."""
    if median is None or not math.isfinite(median):
        return None
    return _number(statistics.median(abs(value - median) for value in values))


def _number(value: float | None) -> float | None:
    """The middle of both infinities is no number."""
    return None if value is None or math.isnan(value) else value
