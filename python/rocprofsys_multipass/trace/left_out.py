# SPDX-License-Identifier: MIT
"""What a journal holds that is no number: NaN and the infinities are no readings, and are told of once per counter.

The exporter says the same in the same words (library/apps/export/reading_filter.cpp; a test compares them), but for
single instances, of which it writes none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.trace.agent import Agent, CounterInfo
from rocprofsys_multipass.trace.instances import examined
from rocprofsys_multipass.trace.journal_messages import index_of

_NAMED: Final = 32  # counters; the others are counted together


@dataclass
class _Count:
    first: str  # dispatch and pass
    nan: int = 0
    infinite: int = 0


@dataclass
class _Instances:
    first: str  # dispatch and pass
    no_numbers: int = 0  # values
    misplaced: int = 0  # lists of values


class LeftOut:
    """Counts them, by agent and counter."""

    def __init__(self) -> None:
        self._counts: dict[tuple[int, int], _Count] = {}
        self._instances: dict[tuple[int, int], _Instances] = {}
        self._of_no_counter = _Instances("")

    def add(self, dispatch: pb.Dispatch, one: pb.Pass) -> None:
        """Those of an execution."""
        for counter, value in zip(one.counters, one.values, strict=False):
            if math.isfinite(value):
                continue
            count = self._counts.setdefault((dispatch.agent, counter), _Count(_place(dispatch, one)))
            if math.isnan(value):
                count.nan += 1
            else:
                count.infinite += 1

    def add_instances(self, dispatch: pb.Dispatch, one: pb.Pass, counters: Sequence[CounterInfo]) -> None:
        """Those of single instances in an execution on an agent with these counters."""
        if (surplus := len(one.instances) - len(one.counters)) > 0:
            self._of_no_counter.first = self._of_no_counter.first or _place(dispatch, one)
            self._of_no_counter.misplaced += surplus
        for counter, kept in zip(one.counters, one.instances, strict=False):
            read = examined(kept, counters[counter]) if counter < len(counters) else (None, 0)
            if read is not None and not read[1]:
                continue
            count = self._instances.setdefault((dispatch.agent, counter), _Instances(_place(dispatch, one)))
            if read is None:
                count.misplaced += 1
            else:
                count.no_numbers += read[1]

    def _described(self, agents: dict[int, Agent]) -> list[tuple[Agent, str, _Count]]:
        """Those of counters that their agent describes, in order of agent and counter."""
        return _of_described(self._counts, agents)

    def counters(self, agents: dict[int, Agent]) -> frozenset[tuple[int | None, str]]:
        """GPU and name of each counter of which something was left out."""
        return frozenset((agent.device, name) for agent, name, _ in self._described(agents))

    def notes(self, agents: dict[int, Agent]) -> tuple[str, ...]:
        """A sentence for each such counter."""
        known = self._described(agents)
        told = [f"{name} of {_title(agent)}: {_said(count)}" for agent, name, count in known[:_NAMED]]
        return (*told, *_further([count for *_, count in known[_NAMED:]]), *self._notes_of_instances(agents))

    def _notes_of_instances(self, agents: dict[int, Agent]) -> Iterator[str]:
        known = _of_described(self._instances, agents)
        for agent, name, count in known[:_NAMED]:
            yield f"{name} of {_title(agent)}: {_said_of_instances(count)}"
        if (further := len(known) - _NAMED) > 0:
            yield f"of {_counted(further, 'further counter', 'further counters')} instances are left out as well"
        if surplus := self._of_no_counter.misplaced:
            lists = "list of instances belongs" if surplus == 1 else "lists of instances belong"
            yield f"{surplus} {lists} to no counter, left out (first: {self._of_no_counter.first})"


_T = TypeVar("_T")


def _of_described(counts: dict[tuple[int, int], _T], agents: dict[int, Agent]) -> list[tuple[Agent, str, _T]]:
    return [
        (agent, agent.counters[counter].name, count)
        for (index, counter), count in sorted(counts.items())
        if (agent := agents.get(index)) is not None and counter < len(agent.counters)
    ]


def _place(dispatch: pb.Dispatch, one: pb.Pass) -> str:
    index = index_of(one)
    return f"dispatch {dispatch.dispatch_id}" + ("" if index is None else f", pass {index}")


def _said_of_instances(count: _Instances) -> str:
    parts = []
    if count.no_numbers:
        parts.append(_counted(count.no_numbers, "instance is NaN or infinite", "instances are NaN or infinite"))
    if count.misplaced:
        lists = _counted(count.misplaced, "execution has", "executions have")
        parts.append(f"{lists} instances whose positions are not those of the values")
    return f"{' and '.join(parts)}; they are left out, the sums are not (first: {count.first})"


def _title(agent: Agent) -> str:
    return f"agent {agent.index}" if agent.device is None else f"GPU {agent.device} ({agent.name})"


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _said(count: _Count) -> str:
    nan = _counted(count.nan, "reading is no number (NaN)", "readings are no numbers (NaN)") if count.nan else ""
    words = ("is infinite", "are infinite") if nan else ("reading is infinite", "readings are infinite")
    infinite = _counted(count.infinite, *words) if count.infinite else ""
    alone = count.nan + count.infinite == 1
    where = f"it is left out ({count.first})" if alone else f"they are left out (first: {count.first})"
    return " and ".join(filter(None, (nan, infinite))) + f"; {where}"


def _further(counts: list[_Count]) -> Iterator[str]:
    if counts:
        total = sum(count.nan + count.infinite for count in counts)
        yield (
            _counted(len(counts), "further counter: ", "further counters: ")
            + _counted(total, "reading is", "readings are")
            + " NaN or infinite and left out"
        )
