# SPDX-License-Identifier: MIT
"""Which slices of rocprof-sys and which dispatches of this tool are the same, and what that makes of their packets.

By process, GPU where the trace names it, and dispatch id: never by time. What does not agree stays as it is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.merge.merged import LISTED, Unmatched
from rocprofsys_multipass.merge.trace import packets as packet
from rocprofsys_multipass.merge.trace.drawn import Drawn, Place
from rocprofsys_multipass.merge.trace.own import OwnDispatch, OwnTrace
from rocprofsys_multipass.merge.trace.packets import Change
from rocprofsys_multipass.merge.trace.survey import Survey
from rocprofsys_multipass.trace.perfetto_merged import BEGIN, END, GPU
from rocprofsys_multipass.trace.rocprof_sys import BY_QUEUE, JOINED_ID, gpu_of_queue, kernel_name


@dataclass
class Matched:
    """What became of the dispatches: changes of packets of either file, and the report."""

    host: dict[Place, Change] = field(default_factory=dict)
    own: dict[Place, Change] = field(default_factory=dict)
    matched: int = 0
    added: int = 0
    removed: int = 0
    unmatched: list[Unmatched] = field(default_factory=list)
    unmatched_count: int = 0
    notes: list[str] = field(default_factory=list)

    def differs(self, dispatch_id: int, reason: str) -> None:
        """Counts a dispatch that could not be matched, and lists the first of them."""
        self.unmatched_count += 1
        if len(self.unmatched) < LISTED:
            self.unmatched.append(Unmatched(dispatch_id, reason))


@dataclass(frozen=True)
class Kernels:
    """The slices of kernels that rocprof-sys drew of one process."""

    by_dispatch: dict[int, list[Drawn]]  # in order of start
    nameless: Counter[str]  # kernels on queues, and others by name, whose slices have no dispatch_id


def kernels_of(path: Path, host: Survey, pid: int, names: set[str]) -> Kernels:
    """Those of a process. `names`: kernels of this tool. TraceError: the trace was merged before."""
    by_dispatch: dict[int, list[Drawn]] = defaultdict(list)
    nameless: Counter[str] = Counter()
    alone = len(host.pids) <= 1
    for one in host.drawn:
        of = host.pid_of(one.track)
        if of != pid and not (of is None and alone):
            continue
        if "outcome" in one.keys or JOINED_ID in one.keys:
            raise TraceError(
                f"{path}: process {pid} has slices of this tool in it already; give the trace that rocprof-sys wrote"
            )
        if one.dispatch_id is not None:
            by_dispatch[one.dispatch_id].append(one)
        elif one.category == BY_QUEUE or kernel_name(one.name) in names:
            nameless[kernel_name(one.name)] += 1
    return Kernels(by_dispatch, nameless)


def match(host: Survey, kernels: Kernels, own: OwnTrace, classes: Any) -> Matched:  # noqa: ANN401
    """Matches every dispatch of the two; both inputs are of the same run."""
    made = Matched()
    apart: list[int] = []
    once = twice = 0
    for dispatch_id, executions in sorted(kernels.by_dispatch.items()):
        mine = own.dispatches.get(dispatch_id)
        reason = _difference(host, executions, mine, own, classes) if mine else "rocprof-sys has it, this tool does not"
        if mine is None or reason:
            made.differs(dispatch_id, reason)
            twice += mine is not None
            continue
        kept = executions[mine.position if len(executions) > 1 else 0]
        once += len(executions) == 1 and len(mine.executions) > 1
        if (kept.start_ns, kept.end_ns) != (mine.logical.start_ns, mine.logical.end_ns):
            apart.append(kept.start_ns - mine.logical.start_ns)
        _unite(made, kept, executions, mine)
        made.host[kept.place] = _Annotated(kept, mine, own, classes)
    _left_alone(made, kernels, own)
    if twice:
        made.notes.append(
            "dispatches that do not match are drawn by both tools, by rocprof-sys once for each execution: their "
            f"slices count several times (dispatches: {twice})"
        )
    if once:
        made.notes.append(f"rocprof-sys drew one execution only of dispatches that were replayed (dispatches: {once})")
    if apart:
        most = max(apart, key=abs)
        made.notes.append(
            f"rocprof-sys and this tool have other times for the same executions (dispatches: {len(apart)}, starts up "
            f"to {abs(most)} ns apart); its slices are kept"
        )
    return made


def _difference(
    host: Survey,
    executions: list[Drawn],
    mine: OwnDispatch,
    own: OwnTrace,
    classes: Any,  # noqa: ANN401
) -> str:
    """Why the two are not taken to be one dispatch; empty: they are."""
    for name in dict.fromkeys(one.name for one in executions):
        if kernel_name(name) != kernel_name(mine.logical.name):
            return f"rocprof-sys calls the kernel {name!r}, this tool {mine.logical.name!r}"
    named = (gpu_of_queue(host.tracks[one.track].name) for one in executions if one.track in host.tracks)
    other = next((gpu for gpu in named if gpu not in (None, mine.device)), None)
    if other is not None:
        return f"rocprof-sys has it on GPU {other}, this tool on GPU {mine.device}"
    if any(one.end_ns is None for one in executions):
        return "a slice of rocprof-sys is never closed"
    drawn = max(len(mine.executions), 1)
    if len(executions) in (1, drawn):
        return ""
    sure = executions[min(mine.position, len(executions) - 1)].start_ns == mine.logical.start_ns
    if sure and len(executions) <= _most_executions(mine, own, classes):
        return ""
    return f"rocprof-sys drew {len(executions)} executions, this tool {drawn}"


def _most_executions(mine: OwnDispatch, own: OwnTrace, classes: Any) -> int:  # noqa: ANN401
    """How often a dispatch can have run, of which less is drawn: of a replay that broke off it is not known."""
    logical = mine.logical
    said = packet.arguments_of(classes, own.content(logical.place), logical.keys)
    ran = [said.get("executions"), said.get("passes") if said.get("outcome") == "incomplete" else 0, 1]
    extras = [name for name in str(said.get("extra_passes", "")).split(", ") if name]
    return max(one for one in ran if isinstance(one, int)) + len(extras)


def _unite(made: Matched, kept: Drawn, executions: list[Drawn], mine: OwnDispatch) -> None:
    """The slice of rocprof-sys stays; its other executions go, and so does ours."""
    made.matched += 1
    for one in executions:
        if one is not kept:
            made.removed += 1
            _blank(made.host, one)
    _blank(made.own, mine.logical)
    if kept.start_ns > mine.logical.start_ns:  # an arrow back in time is an import error
        for one in mine.executions:
            if one.start_ns < kept.start_ns:
                made.own[one.place] = packet.without_arrow


@dataclass(frozen=True, slots=True)
class _Annotated:
    """The slice that stays, with what is left of ours: its arguments, and the arrows to its executions."""

    kept: Drawn
    mine: OwnDispatch
    own: OwnTrace
    classes: Any

    def __call__(self, content: bytes) -> bytes:
        kept, own, classes = self.kept, self.own, self.classes
        logical = own.content(self.mine.logical.place)
        more = packet.annotation(classes, GPU, self.mine.gpu)
        start, end = self.mine.logical.start_ns, self.mine.logical.end_ns
        if end is not None and (kept.start_ns, kept.end_ns) != (start, end):
            more += packet.annotation(classes, BEGIN, start) + packet.annotation(classes, END, end)
        there = packet.arguments_of(classes, content, kept.keys)
        more += packet.copied_arguments(classes, logical, own.keys, there)
        more += b"".join(map(packet.flow, packet.flows_of(classes, logical)))
        return packet.extended_event(content, more)


def _blank(changes: dict[Place, Change], one: Drawn) -> None:
    changes[one.place] = packet.blank
    if one.closed_by is not None:
        changes[one.closed_by] = packet.blank


def _left_alone(made: Matched, kernels: Kernels, own: OwnTrace) -> None:
    """Dispatches that rocprof-sys has no slice of: drawn by ours, unless it has some of the kernel without a number."""
    left_out = 0
    made.added += own.count - len(own.dispatches)
    for dispatch_id, mine in own.dispatches.items():
        if dispatch_id in kernels.by_dispatch:
            continue
        if kernel_name(mine.logical.name) in kernels.nameless:
            left_out += 1
            _blank(made.own, mine.logical)
        else:
            made.added += 1
    if kernels.nameless:
        made.notes.append(
            f"slices of kernels of rocprof-sys have no dispatch_id (slices: {kernels.nameless.total()}): they are not "
            f"matched, are kept and may count each pass; ours of these kernels are left out (dispatches: {left_out}); "
            "record with ROCPROFSYS_PERFETTO_ANNOTATIONS=ON"
        )


def empty_tracks(own: OwnTrace, changes: dict[Place, Change]) -> Iterator[Place]:
    """Descriptors of tracks of ours on which nothing is left."""
    left: dict[int, bool] = {}
    for one in own.found.drawn:
        left[one.track] = left.get(one.track, False) or changes.get(one.place) is not packet.blank
    return (own.found.tracks[uuid].place for uuid, some in left.items() if not some and uuid in own.found.tracks)
