# SPDX-License-Identifier: MIT
"""In which order captures are exported, and which GPUs of theirs are the same: neither depends on how they are given.

Dispatches are numbered in the order of their process and their id. A process comes by rank, host, pid and guid; those
without a rank come last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from rocprofsys_multipass.errors import TraceError, UsageError
from rocprofsys_multipass.journal_layout import HEADER
from rocprofsys_multipass.trace.agent import Agent
from rocprofsys_multipass.trace.journal_frames import frame_at
from rocprofsys_multipass.trace.mapped import mapped
from rocprofsys_multipass.trace.model import Process
from rocprofsys_multipass.trace.open import kind_of
from rocprofsys_multipass.trace.stream import open_streams

ProcessKey = tuple[bool, int, str, int, str, str]


@dataclass(frozen=True)
class Capture:
    """A journal and the process that it is of, without dispatches, of which it has `count`.

    `realtime_ns`: when the process started, ns since 1970; 0: unknown.
    """

    path: Path
    process: Process
    count: int
    realtime_ns: int = 0

    @property
    def key(self) -> ProcessKey:
        """By which captures are ordered, and which no capture of another process has."""
        process = self.process
        nameless = "" if process.guid else self.path.name  # it died before it recorded who it was, or that is damaged
        return (process.rank is None, process.rank or 0, process.hostname, process.pid, process.guid, nameless)


def captures_of(journals: Sequence[Path]) -> tuple[Capture, ...]:
    """The captures in their order.

    Raises:
        UsageError: there is none, or two are of the same process.
        TraceError: a file is no journal, or cannot be read.
    """
    if not journals:
        raise UsageError("journals: there is none to export from: give at least one")
    captures = sorted((_capture(path) for path in journals), key=lambda one: one.key)
    for one, other in pairwise(captures):
        if one.key == other.key:
            first, second = sorted((str(one.path), str(other.path)))
            raise UsageError(f"{second}: it is of the same process as {first}: give one of them")
    return tuple(captures)


def _capture(path: Path) -> Capture:
    if kind_of(path) != "journal":
        raise TraceError(
            f"{path}: an export for rocprofiler-compute is made of journals: give the *.journal of the run"
        )
    with open_streams(path) as (stream,):
        # What was noted is told with the dispatches, which are read again: the captures of all ranks stay in memory.
        process = replace(stream.process, kernels=(), dispatches=())
        return Capture(path, process, stream.count, _realtime_ns(path))


def _realtime_ns(path: Path) -> int:
    with mapped(path) as data:
        found = frame_at(data, HEADER.size)
    return found[0].run.realtime_ns if found is not None else 0


GpuNumbers = dict[tuple[ProcessKey, int], int]


def gpu_numbers(captures: Sequence[Capture]) -> GpuNumbers:
    """A number for each GPU of the hosts, by process and index of the agent: from 0, by host and node.

    Processes of one host that see the same node see the same GPU. Where all processes of a single host see all of its
    GPUs, the number is the ordinal of the GPU.
    """
    places = {
        (capture.key, agent.index): (capture.process.hostname, *_node(capture.process, agent))
        for capture in captures
        for agent in capture.process.gpus
    }
    numbers = {place: number for number, place in enumerate(sorted(set(places.values())))}
    return {agent: numbers[place] for agent, place in places.items()}


def _node(process: Process, agent: Agent) -> tuple[int, int]:
    """The node, and the ordinal where nodes do not tell GPUs apart."""
    nodes = [gpu.node_id for gpu in process.gpus]
    node = agent.node_id if agent.node_id is not None else -1
    return (node, 0) if node >= 0 and len(set(nodes)) == len(nodes) else (node, agent.device or 0)
