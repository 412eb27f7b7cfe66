# SPDX-License-Identifier: MIT
"""The kernels that rocprof-sys drew in a Perfetto trace, in one walk that keeps only what launches are known by.

Begin and end of a kernel are in the arguments of its slice, so ends of slices need not be looked for. The thread that
launched it is that of the HIP function with the same flow.
"""

from __future__ import annotations

import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from google.protobuf.message import DecodeError

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace.mapped import forget, mapped
from rocprofsys_multipass.trace.perfetto_classes import classes_for
from rocprofsys_multipass.trace.perfetto_sequence import Sequence, text
from rocprofsys_multipass.trace.rocprof_sys import BY_QUEUE, BY_STREAM, JOINED_ID, dim3_of, gpu_of_queue
from rocprofsys_multipass.trace.wire import Bytes, packet_at, packets

if TYPE_CHECKING:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

    from rocprofsys_multipass.trace.model import Dim3

_BEGIN: Final = 1  # TrackEvent.Type
_KERNELS: Final = frozenset((BY_QUEUE, BY_STREAM))
_KEYS: Final = frozenset(("dispatch_id", "begin_ns", "end_ns", "grid_size", "workgroup_size"))
_OWN: Final = frozenset(("outcome", JOINED_ID))  # arguments that this tool or a merge of it has made
_MAX_DEPTH: Final = 16  # of a track; a longer way up is a circle
_WINDOW: Final = 64 << 20  # bytes after which pages that were read are given back
_NO_FLOW: Final = 0
_SEVERAL: Final = -1


class Kind(NamedTuple):
    """What executions have alike."""

    track: int
    name: str
    grid: Dim3 | None
    workgroup: Dim3 | None


class Execution(NamedTuple):
    """A kernel that ran. `device` and `thread` None: the trace does not say; times 0: its slice does not."""

    dispatch_id: int
    kind: Kind
    device: int | None
    thread: int | None
    start_ns: int
    end_ns: int


class DrawnKernels:
    """The kernels of a trace. `own`: it has slices of this tool too."""

    def __init__(self) -> None:
        self.own = False
        self._tracks: dict[int, pb.TrackDescriptor] = {}
        self._kinds: dict[Kind, int] = {}
        self._dispatch_id, self._kind, self._start, self._end = (array("q") for _ in range(4))
        self._flow = array("Q")
        self._called_by, self._called = array("Q"), array("Q")  # track and flow of slices that are no kernels

    def __len__(self) -> int:
        return len(self._kind)

    def declare(self, track: pb.TrackDescriptor) -> None:
        """A track; the first descriptor counts."""
        self._tracks.setdefault(track.uuid, track)

    def called(self, flow: int, track: int) -> None:
        """A slice on that track, where an arrow begins."""
        self._called_by.append(track)
        self._called.append(flow)

    def add(self, kind: Kind, dispatch_id: int, start_ns: int, end_ns: int, flow: int) -> None:
        """An execution."""
        self._kind.append(self._kinds.setdefault(kind, len(self._kinds)))
        self._dispatch_id.append(dispatch_id)
        self._start.append(start_ns)
        self._end.append(end_ns)
        self._flow.append(flow)

    @property
    def processes(self) -> list[pb.TrackDescriptor | None]:
        """The processes that have kernels; None: nothing says of which one some are."""
        found = {id(one): one for one in (self._process_of(kind.track) for kind in self._kinds)}
        return list(found.values())

    def in_order(self) -> Iterator[Execution]:
        """In order of dispatch id and start."""
        kinds = list(self._kinds)
        devices = [self._device_of(kind.track) for kind in kinds]
        callers = self._callers()
        for i in sorted(range(len(self)), key=lambda i: (self._dispatch_id[i], self._start[i])):
            at = self._kind[i]
            thread = self._thread(callers.get(self._flow[i], _NO_FLOW))
            yield Execution(self._dispatch_id[i], kinds[at], devices[at], thread, self._start[i], self._end[i])

    def _process_of(self, track: int) -> pb.TrackDescriptor | None:
        for _ in range(_MAX_DEPTH):
            found = self._tracks.get(track)
            if found is None or found.HasField("process"):
                return found
            track = found.parent_uuid
        return None

    def _device_of(self, track: int) -> int | None:
        found = self._tracks.get(track)
        return gpu_of_queue(text(found.name)) if found is not None else None

    def _callers(self) -> dict[int, int]:
        """The track where the arrow to a kernel begins, by its flow."""
        found = dict.fromkeys(self._flow, _NO_FLOW)
        for flow, track in zip(self._called, self._called_by, strict=True):
            if flow in found:
                found[flow] = track if found[flow] in (_NO_FLOW, track) else _SEVERAL
        return found

    def _thread(self, track: int) -> int | None:
        found = self._tracks.get(track)
        return found.thread.tid if found is not None and found.HasField("thread") else None


class _Walk:
    def __init__(self, path: Path) -> None:
        self.found = DrawnKernels()
        self._parse = classes_for(path).TracePacket.FromString
        self._sequences: dict[int, Sequence] = defaultdict(Sequence)

    def packet(self, content: bytes) -> None:
        """The next one. DecodeError, ValueError, zlib.error, WireError: it is damaged."""
        packet = self._parse(content)
        sequence = self._sequences[packet.trusted_packet_sequence_id]
        sequence.take(packet)
        if packet.HasField("track_event"):
            if packet.track_event.type == _BEGIN:
                self._begin(packet.track_event, sequence)
        elif packet.HasField("track_descriptor"):
            text(packet.track_descriptor.name)  # damage is told where it is
            self.found.declare(packet.track_descriptor)
        elif packet.HasField("compressed_packets"):
            for _, inner in packets(zlib.decompress(packet.compressed_packets)):
                self.packet(inner)

    def _begin(self, event: pb.TrackEvent, sequence: Sequence) -> None:
        track = sequence.track_of(event)
        flows = (*event.flow_ids, *event.flow_ids_old)
        known = sequence.categories
        if _KERNELS.isdisjoint(event.categories) and _KERNELS.isdisjoint(known.get(i, "") for i in event.category_iids):
            for flow in flows:
                self.found.called(flow, track)
            return
        said = self._said(event, sequence)
        dispatch_id = said.get("dispatch_id")
        if not isinstance(dispatch_id, int):
            return
        name = text(event.name) if event.HasField("name") else sequence.names.get(event.name_iid, "")
        kind = Kind(track, name, dim3_of(said.get("grid_size")), dim3_of(said.get("workgroup_size")))
        start, end = said.get("begin_ns"), said.get("end_ns")
        if not (isinstance(start, int) and isinstance(end, int)):
            start = end = 0
        self.found.add(kind, dispatch_id, start, end, flows[0] if flows else _NO_FLOW)

    def _said(self, event: pb.TrackEvent, sequence: Sequence) -> dict[str, Any]:
        """The arguments of a slice that launches are known by."""
        found: dict[str, Any] = {}
        for one in event.debug_annotations:
            key = sequence.keys.get(one.name_iid, "") if one.name_iid else text(one.name)
            if key in _OWN:
                self.found.own = True
            if key not in _KEYS:
                continue
            kind = one.WhichOneof("value")
            if kind == "string_value_iid":
                found[key] = sequence.strings.get(one.string_value_iid, "")
            elif kind:
                found[key] = getattr(one, kind)
        return found


def drawn_kernels(path: Path) -> DrawnKernels:
    """Those of a trace, which is never in memory as a whole.

    TraceError: it cannot be opened or is damaged; it names the place.
    """
    with mapped(path) as data:
        return _walk(path, data)


def _walk(path: Path, data: Bytes) -> DrawnKernels:
    walk = _Walk(path)
    offset = kept = 0
    try:
        while offset < len(data):
            start, end = packet_at(data, offset)
            walk.packet(data[start:end])
            offset = end
            if offset - kept > _WINDOW:
                kept = forget(data, kept, offset)
    except (DecodeError, ValueError, OverflowError, zlib.error) as error:  # WireError is a ValueError
        raise TraceError(f"{path}: byte {offset}: {error}; the trace is damaged: run the program again") from error
    return walk.found
