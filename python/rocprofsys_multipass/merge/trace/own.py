# SPDX-License-Identifier: MIT
"""The dispatches in a trace of this tool, and the packets that draw them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.merge.trace.drawn import Drawn, Place
from rocprofsys_multipass.merge.trace.packets import arguments_of
from rocprofsys_multipass.merge.trace.survey import Survey, survey
from rocprofsys_multipass.trace.guard import AGAIN
from rocprofsys_multipass.trace.perfetto import DISPATCH, EXTRA, REPLAY, RUN, UNTIMED
from rocprofsys_multipass.trace.perfetto_classes import classes_for
from rocprofsys_multipass.trace.perfetto_merged import gpu_in
from rocprofsys_multipass.trace.wire import Bytes

_CATEGORIES: Final = frozenset({DISPATCH, UNTIMED, REPLAY, EXTRA})


@dataclass(slots=True)
class OwnDispatch:
    """A dispatch as this tool drew it. `executions`: those of a replay loop, in order of start; none without replay."""

    logical: Drawn
    gpu: str  # the name of its track
    device: int
    executions: list[Drawn] = field(default_factory=list)

    @property
    def position(self) -> int:
        """Which of the executions has the times of the dispatch: the first, or the one that a warm-up precedes."""
        return sum(one.start_ns < self.logical.start_ns for one in self.executions)


@dataclass(frozen=True)
class OwnTrace:
    """A trace of one process."""

    path: Path
    data: Bytes
    found: Survey
    pid: int
    process: int  # its track
    dispatches: dict[int, OwnDispatch]
    count: int  # of dispatches, also where they were not looked at
    keys: dict[int, str]  # names of arguments, by their number on its sequence

    def content(self, place: Place) -> bytes:
        """Of a packet."""
        return self.found.content(self.data, place)


def own_trace(path: Path, data: Bytes, *, detailed: bool) -> OwnTrace:
    """Surveys it. Unless `detailed`, dispatches are counted and not looked at, which takes no memory for them.

    TraceError: it is cut, is not of this tool, or not of one process.
    """
    found = survey(data, path, _CATEGORIES if detailed else frozenset({RUN}))
    if found.end < found.total:
        raise TraceError(f"{path}: byte {found.end}: no whole packet; the file is damaged; {AGAIN}")
    processes = [(track.pid, uuid) for uuid, track in found.tracks.items() if track.pid is not None]
    if len(processes) != 1 or len(found.sequences) != 1:
        raise TraceError(
            f"{path}: it has {len(processes)} processes on {len(found.sequences)} sequences of packets; "
            "give the trace that this tool wrote of one process"
        )
    (sequence,) = found.sequences.values()
    dispatches = _dispatches(path, found)
    count = len(dispatches) if detailed else _said(path, data, found)
    if count is None:
        return own_trace(path, data, detailed=True)
    return OwnTrace(path, data, found, *processes[0], dispatches, count, dict(sequence.keys))


def _said(path: Path, data: Bytes, found: Survey) -> int | None:
    """The number of dispatches by the mark of the run; None: it does not tell."""
    for mark in found.drawn:
        said = arguments_of(classes_for(path), found.content(data, mark.place), mark.keys).get("dispatches")
        if isinstance(said, int):
            return said
    return None


def _dispatches(path: Path, found: Survey) -> dict[int, OwnDispatch]:
    dispatches: dict[int, OwnDispatch] = {}
    executions: list[tuple[int, Drawn]] = []
    for one in found.drawn:
        if one.dispatch_id is None:
            continue
        if one.category in (REPLAY, EXTRA):
            executions.append((one.dispatch_id, one))
            continue
        name = _gpu_above(found, one.track)
        gpu = gpu_in(name)
        if gpu is None:
            raise TraceError(f"{path}: byte {one.place.offset}: dispatch {one.dispatch_id} is on no GPU; {AGAIN}")
        dispatches[one.dispatch_id] = OwnDispatch(one, name, gpu[0])
    for dispatch_id, one in executions:
        if dispatch_id in dispatches:
            dispatches[dispatch_id].executions.append(one)
    return dispatches


def _gpu_above(found: Survey, uuid: int) -> str:
    track = found.tracks.get(uuid)
    parent = found.tracks.get(track.parent) if track else None
    return parent.name if parent else ""
