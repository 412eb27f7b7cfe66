# SPDX-License-Identifier: MIT
"""Draws counters of another run at the kernels of a trace: a pulse over each slice, and arguments of it."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO, Final

from rocprofsys_multipass.merge.trace import packets as packet
from rocprofsys_multipass.merge.trace.drawn import Drawn, in_order
from rocprofsys_multipass.merge.trace.ids import free_sequence, free_track
from rocprofsys_multipass.merge.trace.match import Kernels, Matched, undecided
from rocprofsys_multipass.merge.trace.own import OwnTrace
from rocprofsys_multipass.merge.trace.packets import Change
from rocprofsys_multipass.merge.trace.survey import Survey
from rocprofsys_multipass.trace.perfetto import NOT_COUNTERS
from rocprofsys_multipass.trace.perfetto_clock import BOOTTIME, STATE_CLEARED
from rocprofsys_multipass.trace.perfetto_forms import COUNTER
from rocprofsys_multipass.trace.rocprof_sys import COUNTERS, JOINED_ID, kernel_name
from rocprofsys_multipass.trace.wire_fields import framed

_NEEDS_STATE: Final = 2  # TracePacket.SequenceFlags
_CATEGORY: Final = 1  # its number on our sequence


# By GPU the numbers of the slices that get counters, in order of start.
Joined = dict[int, Sequence[int]]


def join_runs(host: Survey, kernels: Kernels, own: OwnTrace, pairs: Mapping[int, int]) -> tuple[Matched, Joined]:
    """Gives each paired slice the counters of its partner; nothing of this tool's passes comes along."""
    made = undecided(host, own)
    joined: dict[int, array[int]] = defaultdict(lambda: array("I"))
    for dispatch_id, partner in sorted(pairs.items()):
        executions, mine = kernels.by_dispatch.get(dispatch_id), own.dispatches.get(partner)
        if executions is None:
            made.differs(dispatch_id, "it is not in the trace of rocprof-sys")
        elif mine is None:
            made.differs(dispatch_id, f"its partner, dispatch {partner}, is not in the trace of this tool")
        elif len(executions) > 1:
            made.differs(dispatch_id, f"rocprof-sys drew {len(executions)} executions: it was replayed in this run too")
        elif kernel_name(executions[0].name) != kernel_name(mine.logical.name):
            made.differs(
                dispatch_id, f"the kernel is {executions[0].name!r}, that of dispatch {partner} {mine.logical.name!r}"
            )
        elif executions[0].end_ns is None:
            made.differs(dispatch_id, "its slice is never closed")
        else:
            made.matched += 1
            joined[mine.device].append(executions[0].at)
            made.host.changes(executions[0])
    if kernels.nameless:
        made.notes.append(
            f"slices of kernels of rocprof-sys have no dispatch_id (slices: {kernels.nameless.total()}): counters "
            "cannot be put at them; record with ROCPROFSYS_PERFETTO_ANNOTATIONS=ON"
        )
    for dispatch_id in sorted(kernels.by_dispatch.keys() - pairs.keys()):
        made.differs(dispatch_id, "no dispatch of the other run is its partner")
    starts, ends = host.drawn.starts, host.drawn.ends
    return made, {device: in_order(at, lambda n: (starts[n], ends[n])) for device, at in joined.items()}


def joined_with(own: OwnTrace, pairs: Mapping[int, int], classes: Any) -> Callable[[Drawn], Change]:  # noqa: ANN401
    """Makes the change of a slice that got a partner."""
    return lambda kept: _annotated(kept, own, pairs[kept.dispatch_id or 0], classes)


def _annotated(kept: Drawn, own: OwnTrace, partner: int, classes: Any) -> Change:  # noqa: ANN401
    def change(content: bytes) -> bytes:
        logical = own.content(own.dispatches[partner].logical.place)
        more = packet.annotation(classes, JOINED_ID, partner)
        there = packet.arguments_of(classes, content, kept.keys)
        return packet.extended_event(
            content, more + packet.copied_arguments(classes, logical, own.keys, there, NOT_COUNTERS)
        )

    return change


class CounterWriter:
    """Writes the tracks and values on a sequence of its own, below the process `pid` of `host`.

    `named`: counters that the host has, on which GPU; `target`: a stream for packets.
    """

    def __init__(
        self,
        classes: Any,  # noqa: ANN401
        host: Survey,
        pid: int | None,
        named: set[tuple[str, int]],
        target: BinaryIO,
    ) -> None:
        self._classes = classes
        self._target = target
        self._named = named
        self._taken = set(host.used)
        self._drawn = host.drawn
        self._sequence = free_sequence("join", set(host.sequences))
        self._process = host.process_track(pid) or 0
        self._tracks: dict[tuple[int, str, int], int] = {}

    def write(self, own: OwnTrace, joined: Joined, pairs: Mapping[int, int]) -> None:
        """All of it."""
        first = self._packet(STATE_CLEARED)
        first.first_packet_on_sequence = True
        first.trace_packet_defaults.timestamp_clock_id = BOOTTIME
        first.interned_data.event_categories.add(iid=_CATEGORY, name=COUNTERS)
        self._put(first)
        for device, slices in sorted(joined.items()):
            ends: list[int] = []  # of each lane
            for at in slices:
                drawn = self._drawn[at]
                partner = pairs[drawn.dispatch_id or 0]
                end = drawn.end_ns or drawn.start_ns
                lane = next((n for n, last in enumerate(ends) if last <= drawn.start_ns), len(ends))
                ends[lane : lane + 1] = [end]
                for counter, value in self._counters(own, partner):
                    track = self._track(device, counter, lane)
                    self._value(track, drawn.start_ns, value)
                    self._value(track, end, 0.0)

    def _counters(self, own: OwnTrace, dispatch_id: int) -> list[tuple[str, float]]:
        content = own.content(own.dispatches[dispatch_id].logical.place)
        found = []
        for one in self._classes.TracePacket.FromString(content).track_event.debug_annotations:
            name, kind = own.keys.get(one.name_iid, one.name), one.WhichOneof("value")
            if name not in NOT_COUNTERS and kind in ("uint_value", "int_value", "double_value"):
                found.append((name, float(getattr(one, kind))))
        return found

    def _packet(self, flags: int) -> Any:  # noqa: ANN401
        return self._classes.TracePacket(trusted_packet_sequence_id=self._sequence, sequence_flags=flags)

    def _put(self, made: Any) -> None:  # noqa: ANN401
        self._target.write(framed(made.SerializeToString(deterministic=True)))

    def _value(self, track: int, time: int, value: float) -> None:
        made = self._packet(_NEEDS_STATE)
        made.timestamp = time
        event = made.track_event
        event.type, event.track_uuid, event.double_counter_value = COUNTER, track, value
        event.category_iids.append(_CATEGORY)
        self._put(made)

    def _track(self, device: int, counter: str, lane: int) -> int:
        key = device, counter, lane
        if key not in self._tracks:
            name = f"GPU {counter} [{device}]" + (f" ({lane + 1})" if lane else "")
            name += " (multipass)" if (counter, device) in self._named else ""
            made = self._packet(_NEEDS_STATE)
            d = made.track_descriptor
            d.uuid, d.parent_uuid, d.name = free_track(name, self._taken), self._process, name
            d.counter.categories.append(COUNTERS)
            self._tracks[key] = d.uuid
            self._put(made)
        return self._tracks[key]
