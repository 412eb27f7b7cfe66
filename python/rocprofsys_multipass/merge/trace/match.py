# SPDX-License-Identifier: MIT
"""Which slices of rocprof-sys and which dispatches of this tool are the same, and what that makes of their packets.

By process, GPU where the trace names it, and dispatch id: never by time. What does not agree stays as it is.
"""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.merge.merged import LISTED, Unmatched
from rocprofsys_multipass.merge.trace import packets as packet
from rocprofsys_multipass.merge.trace.drawn import ByDispatch, Drawn, Place, Slices, in_order
from rocprofsys_multipass.merge.trace.own import OwnDispatch, OwnTrace
from rocprofsys_multipass.merge.trace.packets import Change
from rocprofsys_multipass.merge.trace.survey import Survey
from rocprofsys_multipass.trace.perfetto_merged import BEGIN, END, GPU
from rocprofsys_multipass.trace.rocprof_sys import BY_QUEUE, JOINED_ID, gpu_of_queue, kernel_name

_GOES: Final = 1  # what becomes of a slice
_CHANGES: Final = 2


class Fates:
    """What becomes of slices, a byte for each: they stay as they are, they go, or they change."""

    def __init__(self, slices: Slices) -> None:
        self._of = slices
        self._fates = bytearray(len(slices))

    def goes(self, one: Drawn) -> None:
        """Its packets are blanked."""
        self._fates[one.at] = _GOES

    def changes(self, one: Drawn) -> None:
        """The packet that it begins with changes."""
        self._fates[one.at] = _CHANGES

    def tracks_left(self) -> set[int]:
        """The tracks on which something stays."""
        kinds = {kind for kind, fate in zip(self._of.kind, self._fates, strict=True) if fate != _GOES}
        return {self._of.kinds[kind].track for kind in kinds}

    def packets(self, changed: Callable[[Drawn], Change]) -> Iterator[tuple[Place, Change]]:
        """The packets that change, in order of the file. `changed`: how that does with which a slice begins."""
        return heapq.merge(self._begins(changed), self._ends(), key=lambda one: one[0])

    def _begins(self, changed: Callable[[Drawn], Change]) -> Iterator[tuple[Place, Change]]:
        for at, fate in enumerate(self._fates):
            if fate:
                one = self._of[at]
                yield one.place, packet.blank if fate == _GOES else changed(one)

    def _ends(self) -> Iterator[tuple[Place, Change]]:
        going = array("I", (at for at, fate in enumerate(self._fates) if fate == _GOES))
        for at in in_order(going, self._of.closing):
            closed_by = self._of[at].closed_by
            if closed_by is not None:
                yield closed_by, packet.blank


@dataclass
class Matched:
    """What became of the dispatches: of the slices of either file, and the report. `executions`: of this tool."""

    host: Fates
    own: Fates
    executions: Fates
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

    by_dispatch: ByDispatch
    nameless: Counter[str]  # kernels on queues, and others by name, whose slices have no dispatch_id


def kernels_of(path: Path, host: Survey, pid: int, names: set[str]) -> Kernels:
    """Those of a process. `names`: kernels of this tool. TraceError: the trace was merged before."""
    drawn = host.drawn
    often = Counter(drawn.kind)
    chosen = []
    nameless: Counter[str] = Counter()
    alone = len(host.pids) <= 1
    for number, kind in enumerate(drawn.kinds):
        of = host.pid_of(kind.track)
        if of != pid and not (of is None and alone):
            continue
        if "outcome" in kind.keys or JOINED_ID in kind.keys:
            raise TraceError(
                f"{path}: process {pid} has slices of this tool in it already; give the trace that rocprof-sys wrote"
            )
        if kind.numbered:
            chosen.append(number)
        elif kind.category == BY_QUEUE or kernel_name(kind.name) in names:
            nameless[kernel_name(kind.name)] += often[number]
    return Kernels(ByDispatch(drawn, chosen), nameless)


def undecided(host: Survey, own: OwnTrace) -> Matched:
    """All slices stay."""
    return Matched(Fates(host.drawn), Fates(own.found.drawn), Fates(own.found.begun))


def match(host: Survey, kernels: Kernels, own: OwnTrace, classes: Any) -> Matched:  # noqa: ANN401
    """Matches every dispatch of the two; both inputs are of the same run."""
    made = undecided(host, own)
    once = twice = apart = most = 0
    for dispatch_id, executions in kernels.by_dispatch.items():
        mine = own.dispatches.get(dispatch_id)
        reason = _difference(host, executions, mine, own, classes) if mine else "rocprof-sys has it, this tool does not"
        if mine is None or reason:
            made.differs(dispatch_id, reason)
            twice += mine is not None
            continue
        kept = executions[mine.position if len(executions) > 1 else 0]
        once += len(executions) == 1 and len(mine.executions) > 1
        if (kept.start_ns, kept.end_ns) != (mine.logical.start_ns, mine.logical.end_ns):
            apart += 1
            most = max(most, abs(kept.start_ns - mine.logical.start_ns))
        _unite(made, kept, executions, mine)
        made.host.changes(kept)
    _left_alone(made, kernels, own)
    if twice:
        made.notes.append(
            "dispatches that do not match are drawn by both tools, by rocprof-sys once for each execution: their "
            f"slices count several times (dispatches: {twice})"
        )
    if once:
        made.notes.append(f"rocprof-sys drew one execution only of dispatches that were replayed (dispatches: {once})")
    if apart:
        made.notes.append(
            f"rocprof-sys and this tool have other times for the same executions (dispatches: {apart}, starts up "
            f"to {most} ns apart); its slices are kept"
        )
    return made


def _difference(
    host: Survey,
    executions: Sequence[Drawn],
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


def _unite(made: Matched, kept: Drawn, executions: Sequence[Drawn], mine: OwnDispatch) -> None:
    """The slice of rocprof-sys stays; its other executions go, and so does ours."""
    made.matched += 1
    for one in executions:
        if one != kept:
            made.removed += 1
            made.host.goes(one)
    made.own.goes(mine.logical)
    if kept.start_ns > mine.logical.start_ns:  # an arrow back in time is an import error
        for one in mine.executions:
            if one.start_ns < kept.start_ns:
                made.executions.changes(one)


def annotated(own: OwnTrace, classes: Any) -> Callable[[Drawn], Change]:  # noqa: ANN401
    """Makes the change of a slice that stays."""

    def changed(kept: Drawn) -> Change:
        return _Annotated(kept, own.dispatches[kept.dispatch_id or 0], own, classes)

    return changed


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


def _left_alone(made: Matched, kernels: Kernels, own: OwnTrace) -> None:
    """Dispatches that rocprof-sys has no slice of: drawn by ours, unless it has some of the kernel without a number."""
    left_out = 0
    made.added += own.count - len(own.dispatches)
    for dispatch_id, mine in own.dispatches.items():
        if dispatch_id in kernels.by_dispatch:
            continue
        if kernel_name(mine.logical.name) in kernels.nameless:
            left_out += 1
            made.own.goes(mine.logical)
        else:
            made.added += 1
    if kernels.nameless:
        made.notes.append(
            f"slices of kernels of rocprof-sys have no dispatch_id (slices: {kernels.nameless.total()}): they are not "
            f"matched, are kept and may count each pass; ours of these kernels are left out (dispatches: {left_out}); "
            "record with ROCPROFSYS_PERFETTO_ANNOTATIONS=ON"
        )


def empty_tracks(own: OwnTrace, made: Matched) -> Iterator[Place]:
    """Descriptors of tracks of ours on which nothing is left."""
    left = made.own.tracks_left() | made.executions.tracks_left()
    tracks = {kind.track for kind in own.found.drawn.kinds} - left
    return (own.found.tracks[uuid].place for uuid in tracks if uuid in own.found.tracks)


def own_packets(made: Matched, others: Mapping[Place, Change]) -> Iterator[tuple[Place, Change]]:
    """The packets of ours that change, in order of the file, with others."""
    slices = made.own.packets(lambda _: packet.blank)
    arrows = made.executions.packets(lambda _: packet.without_arrow)
    return heapq.merge(slices, arrows, sorted(others.items()), key=lambda one: one[0])


def host_packets(
    made: Matched, changed: Callable[[Drawn], Change], others: Mapping[Place, Change]
) -> Iterator[tuple[Place, Change]]:
    """The same of the host. `changed`: how that does with which a slice begins that stays."""
    return heapq.merge(made.host.packets(changed), sorted(others.items()), key=lambda one: one[0])
