# SPDX-License-Identifier: MIT
"""What a journal holds that is no number: NaN and the infinities are no readings, and are told of once per counter.

The exporter says the same in the same words (library/apps/export/reading_filter.cpp; a test compares them).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rocprofsys_multipass.trace import journal_pb2 as pb
from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.journal_messages import index_of

_NAMED: Final = 32  # counters; the others are counted together


@dataclass
class _Count:
    first: str  # dispatch and pass
    nan: int = 0
    infinite: int = 0


class LeftOut:
    """Counts them, by agent and counter."""

    def __init__(self) -> None:
        self._counts: dict[tuple[int, int], _Count] = {}

    def add(self, dispatch: pb.Dispatch, one: pb.Pass) -> None:
        """Those of an execution."""
        for counter, value in zip(one.counters, one.values, strict=False):
            if math.isfinite(value):
                continue
            index = index_of(one)
            place = f"dispatch {dispatch.dispatch_id}" + ("" if index is None else f", pass {index}")
            count = self._counts.setdefault((dispatch.agent, counter), _Count(place))
            if math.isnan(value):
                count.nan += 1
            else:
                count.infinite += 1

    def _described(self, agents: dict[int, Agent]) -> list[tuple[Agent, str, _Count]]:
        """Those of counters that their agent describes, in order of agent and counter."""
        return [
            (agent, agent.counters[counter].name, count)
            for (index, counter), count in sorted(self._counts.items())
            if (agent := agents.get(index)) is not None and counter < len(agent.counters)
        ]

    def counters(self, agents: dict[int, Agent]) -> frozenset[tuple[int | None, str]]:
        """GPU and name of each counter of which something was left out."""
        return frozenset((agent.device, name) for agent, name, _ in self._described(agents))

    def notes(self, agents: dict[int, Agent]) -> tuple[str, ...]:
        """A sentence for each such counter."""
        known = self._described(agents)
        told = [f"{name} of {_title(agent)}: {_said(count)}" for agent, name, count in known[:_NAMED]]
        return (*told, *_further([count for *_, count in known[_NAMED:]]))


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
