# SPDX-License-Identifier: MIT
"""The dispatches in a trace of this tool, and the packets that draw them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.merge.trace.drawn import ByDispatch, Drawn, Place
from rocprofsys_multipass.merge.trace.packets import arguments_of
from rocprofsys_multipass.merge.trace.survey import Survey, survey
from rocprofsys_multipass.trace.guard import AGAIN
from rocprofsys_multipass.trace.mapped import forget
from rocprofsys_multipass.trace.perfetto import DISPATCH, EXTRA, REPLAY, RUN, UNTIMED
from rocprofsys_multipass.trace.perfetto_classes import classes_for
from rocprofsys_multipass.trace.perfetto_merged import gpu_in
from rocprofsys_multipass.trace.rocprof_sys import kernel_name
from rocprofsys_multipass.trace.wire import Bytes

_DISPATCHES: Final = frozenset({DISPATCH, UNTIMED})
_EXECUTIONS: Final = frozenset({REPLAY, EXTRA})
_RUN: Final = 16 << 20  # bytes of packets that are read before their pages are given back


@dataclass(frozen=True, slots=True)
class OwnDispatch:
    """A dispatch as this tool drew it. `executions`: those of a replay loop, in order of start; none without replay."""

    logical: Drawn
    gpu: str  # the name of its track
    device: int
    executions: list[Drawn]

    @property
    def position(self) -> int:
        """Which of the executions has the times of the dispatch: the first, or the one that a warm-up precedes."""
        return sum(one.start_ns < self.logical.start_ns for one in self.executions)


class OwnDispatches(Mapping[int, OwnDispatch]):
    """The dispatches of a trace by their id, in order of it; each is put together when it is asked for."""

    def __init__(self, path: Path, found: Survey) -> None:
        """TraceError: one is on no GPU."""
        drawn = found.drawn
        self._logical = ByDispatch(drawn, (n for n, kind in enumerate(drawn.kinds) if kind.category in _DISPATCHES))
        self._executions = ByDispatch(found.begun, range(len(found.begun.kinds)))
        self._gpus = {}
        for number, kind in enumerate(drawn.kinds):
            if not kind.numbered or kind.category not in _DISPATCHES:
                continue
            name = _gpu_above(found, kind.track)
            gpu = gpu_in(name)
            if gpu is None:
                one = drawn[drawn.kind.index(number)]
                raise TraceError(f"{path}: byte {one.place.offset}: dispatch {one.dispatch_id} is on no GPU; {AGAIN}")
            self._gpus[kind.track] = name, gpu[0]

    def __getitem__(self, dispatch_id: int) -> OwnDispatch:
        logical = self._logical[dispatch_id][-1]
        name, device = self._gpus[logical.track]
        return OwnDispatch(logical, name, device, list(self._executions.get(dispatch_id, ())))

    def __iter__(self) -> Iterator[int]:
        return iter(self._logical)

    def __len__(self) -> int:
        return len(self._logical)


@dataclass
class OwnTrace:
    """A trace of one process."""

    path: Path
    data: Bytes
    found: Survey
    pid: int
    process: int  # its track
    dispatches: OwnDispatches
    count: int  # of dispatches, also where they were not looked at
    keys: dict[int, str]  # names of arguments, by their number on its sequence
    _read: int = 0  # bytes of packets since pages were given back

    def content(self, place: Place) -> bytes:
        """Of a packet."""
        content = self.found.content(self.data, place)
        self._read += len(content)
        if self._read > _RUN:
            self._read = 0
            forget(self.data, 0, self.found.end)
        return content

    @property
    def kernels(self) -> set[str]:
        """Names of kernels of its dispatches."""
        return {kernel_name(kind.name) for kind in self.found.drawn.kinds if kind.numbered}


def own_trace(path: Path, data: Bytes, *, detailed: bool) -> OwnTrace:
    """Surveys it. Unless `detailed`, dispatches are counted and not looked at, which takes no memory for them.

    TraceError: it is cut, is not of this tool, or not of one process.
    """
    found = survey(data, path, _DISPATCHES, _EXECUTIONS) if detailed else survey(data, path, frozenset({RUN}))
    if found.end < found.total:
        raise TraceError(f"{path}: byte {found.end}: no whole packet; the file is damaged; {AGAIN}")
    processes = [(track.pid, uuid) for uuid, track in found.tracks.items() if track.pid is not None]
    if len(processes) != 1 or len(found.sequences) != 1:
        raise TraceError(
            f"{path}: it has {len(processes)} processes on {len(found.sequences)} sequences of packets; "
            "give the trace that this tool wrote of one process"
        )
    (sequence,) = found.sequences.values()
    dispatches = OwnDispatches(path, found)
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


def _gpu_above(found: Survey, uuid: int) -> str:
    track = found.tracks.get(uuid)
    parent = found.tracks.get(track.parent) if track else None
    return parent.name if parent else ""
