# SPDX-License-Identifier: MIT
"""One walk through a trace: its tracks, sequences and clocks, and where the packets of its kernels are.

The file is never in memory as a whole. What is kept grows with the kernels that were drawn and with the tracks, not
with the rest of the file.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from google.protobuf.message import DecodeError

from rocprofsys_multipass.merge.trace.drawn import Forming, Kind, OutOfOrderError, Place, Slices
from rocprofsys_multipass.merge.trace.skim import Skim
from rocprofsys_multipass.trace.mapped import forget
from rocprofsys_multipass.trace.perfetto_classes import classes_for
from rocprofsys_multipass.trace.perfetto_clock import BOOTTIME
from rocprofsys_multipass.trace.perfetto_forms import COUNTER
from rocprofsys_multipass.trace.perfetto_sequence import Sequence, text
from rocprofsys_multipass.trace.rocprof_sys import KERNEL_TRACKS
from rocprofsys_multipass.trace.wire import Bytes, WireError, packet_at, packets

if TYPE_CHECKING:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

_BEGIN: Final = 1  # TrackEvent.Type
_END: Final = 2
_INSTANT: Final = 3
MONOTONIC: Final = 3  # perfetto.protos.BuiltinClock
_MAX_DEPTH: Final = 16  # of a track; a longer way up is a circle
_WINDOW: Final = 4 << 20  # bytes that are looked at together
_REST: Final = 1 << 16  # of them that are looked at again with the next


class Track(NamedTuple):
    """What a descriptor says, and where it is."""

    name: str
    parent: int
    pid: int | None
    counter: bool
    process: bool
    place: Place


@dataclass
class Survey:
    """What is in a trace. Its packets are whole up to `end`; `total` is the length of the file."""

    total: int
    end: int = 0
    tracks: dict[int, Track] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)  # uuids of tracks
    sequences: dict[int, Sequence] = field(default_factory=lambda: defaultdict(Sequence))
    snapshots: list[Place] = field(default_factory=list)
    read_marks: list[Place] = field(default_factory=list)  # that the recorder's buffers were read
    clocks: dict[int, int] = field(default_factory=dict)  # those read together in the first snapshot with BOOTTIME
    primary_clocks: set[int] = field(default_factory=set)
    drawn: Slices = field(default_factory=Slices)
    begun: Slices = field(default_factory=Slices)  # of categories whose ends do not matter
    notes: dict[str, int] = field(default_factory=dict)  # how often

    def pid_of(self, uuid: int) -> int | None:
        """The process that a track belongs to; None: nothing says it."""
        for _ in range(_MAX_DEPTH):
            track = self.tracks.get(uuid)
            if track is None or track.pid is not None:
                return None if track is None else track.pid
            uuid = track.parent
        return None

    def process_track(self, pid: int | None) -> int | None:
        """The track of a process; None: it has none."""
        return next((uuid for uuid, track in self.tracks.items() if track.process and track.pid == pid), None)

    def content(self, data: Bytes, place: Place) -> bytes:
        """Of a packet that is not compressed."""
        start, end = packet_at(data, place.offset)
        return data[start:end]

    @property
    def pids(self) -> set[int]:
        """Of the processes that the tracks are of."""
        return {track.pid for track in self.tracks.values() if track.pid is not None}


class _Wanted(NamedTuple):
    """Categories of slices, and of those whose ends do not matter."""

    drawn: AbstractSet[str]
    begun: AbstractSet[str]


class _Walk:
    def __init__(self, data: Bytes, path: Path, wanted: _Wanted, watched: set[int], *, in_order: bool) -> None:
        self.found = Survey(len(data))
        self.missed = False
        self._data = data
        self._categories = wanted.drawn | wanted.begun
        self._begun = wanted.begun
        self._watched = watched
        self._skim = Skim(self._categories, watched)
        self._parse = classes_for(path).TracePacket.FromString
        self._forming = Forming(self.found.drawn, in_order=in_order)

    def run(self) -> Survey:
        found = self.found
        try:
            for offset, content in stops(self._data, self._skim):
                self._packet(Place(offset), content)
            found.end = len(self._data)
        except WireError as error:
            found.end = error.offset  # what is whole was read
        self._forming.finish()
        found.used |= self._watched
        return found

    def _packet(self, place: Place, content: bytes) -> None:
        try:
            packet = self._parse(content)
            sequence = self.found.sequences[packet.trusted_packet_sequence_id]
            if sequence.take(packet):
                self._skim.forget()
            time, _ = sequence.time_of(packet)
            if packet.HasField("track_event"):
                self._event(place, packet.track_event, time, sequence)
                self._skim.learn(content, packet, sequence)
            elif packet.HasField("track_descriptor"):
                self._track(place, packet.track_descriptor)
            elif packet.HasField("clock_snapshot"):
                self._snapshot(place, packet.clock_snapshot)
            elif packet.service_event.read_tracing_buffers_completed:
                self.found.read_marks.append(place)
            elif packet.HasField("compressed_packets"):
                self._compressed(place, packet.compressed_packets)
        except (DecodeError, ValueError, OverflowError, zlib.error):
            self._note("packets that cannot be read are passed through as they are")

    def _note(self, text_: str) -> None:
        self.found.notes[text_] = self.found.notes.get(text_, 0) + 1

    def _compressed(self, place: Place, compressed: bytes) -> None:
        for number, (_, content) in enumerate(packets(zlib.decompress(compressed))):
            self._packet(Place(place.offset, number), content)

    def _snapshot(self, place: Place, snapshot: pb.ClockSnapshot) -> None:
        self.found.snapshots.append(place)
        if snapshot.primary_trace_clock:
            self.found.primary_clocks.add(snapshot.primary_trace_clock)
        read = {clock.clock_id: clock.timestamp for clock in snapshot.clocks}
        if not self.found.clocks and BOOTTIME in read:
            self.found.clocks = read

    def _track(self, place: Place, d: pb.TrackDescriptor) -> None:
        pid = d.process.pid if d.HasField("process") else d.thread.pid if d.HasField("thread") else None
        name = text(d.name or d.static_name)
        track = Track(name, d.parent_uuid, pid, d.HasField("counter"), d.HasField("process"), place)
        self.found.tracks.setdefault(d.uuid, track)
        self.found.used.add(d.uuid)
        if name.startswith(KERNEL_TRACKS) or (self._begun and not track.counter):  # before its first event, as a rule
            self._watch(d.uuid)

    def _event(self, place: Place, event: pb.TrackEvent, time: int, sequence: Sequence) -> None:
        kind = event.type
        track = sequence.track_of(event)
        if kind == COUNTER:
            return
        category = self._category(event, sequence) if kind != _END else ""
        if category and track not in self._watched:
            self.missed = True  # what was on it before was passed over
            self._watch(track)
        if track not in self._watched:
            return
        drawn = self._drawn(place, category, time, event, sequence) if category else None
        if kind == _BEGIN:
            self._forming.begin(track, time, drawn)
        elif kind == _END:
            self._forming.end(track, time, place)

    def _watch(self, track: int) -> None:
        self._watched.add(track)
        self._skim.forget()

    def _category(self, event: pb.TrackEvent, sequence: Sequence) -> str:
        """The first category of an event that was asked for; empty: it has none of them."""
        known = sequence.categories
        interned = [known.get(iid, "") for iid in event.category_iids]
        return next((name for name in (*interned, *event.categories) if name in self._categories), "")

    def _drawn(self, place: Place, category: str, time: int, event: pb.TrackEvent, sequence: Sequence) -> int | None:
        """Keeps what begins with the event; its number among what has ends."""
        name = text(event.name) if event.HasField("name") else sequence.names.get(event.name_iid, "")
        keys = []
        dispatch_id = None
        for one in event.debug_annotations:
            key = sequence.keys.get(one.name_iid, "") if one.name_iid else text(one.name)
            keys.append(key)
            if key == "dispatch_id":
                dispatch_id = number_of(one)
        kind = Kind(sequence.track_of(event), category, name, tuple(keys), dispatch_id is not None)
        if category in self._begun:
            self.found.begun.add(kind, place, time, dispatch_id)
            return None
        return self.found.drawn.add(kind, place, time, dispatch_id)


def number_of(annotation: pb.DebugAnnotation) -> int | None:
    """The whole number in an annotation; None: it holds something else."""
    kind = annotation.WhichOneof("value")
    return int(getattr(annotation, kind)) if kind in ("uint_value", "int_value", "pointer_value") else None


def stops(data: Bytes, skim: Skim) -> Iterator[tuple[int, bytes]]:
    """Offset and content of the packets that are not passed over. WireError at the first byte that is none."""
    offset = begin = 0
    window = data[:_WINDOW]
    while offset < len(data):
        if offset - begin > _WINDOW - _REST and begin + len(window) < len(data):
            forget(data, begin, offset)
            begin, window = offset, data[offset : offset + _WINDOW]
        offset = begin + skim.skip(window, offset - begin)
        if offset < len(data):
            start, end = packet_at(data, offset)
            yield offset, data[start:end]
            offset = end


def survey(data: Bytes, path: Path, categories: AbstractSet[str], begun: AbstractSet[str] = frozenset()) -> Survey:
    """Walks through the trace: slices of the categories, and those `begun`, of which it is not asked where they end.

    Where there are such the trace is this tool's, whose tracks of slices are nearly all of kernels.
    It begins again where a track turns out to hold kernels after other events on it were passed, and where events on a
    track are not in order of time.
    """
    watched: set[int] = set()
    in_order = True
    while True:
        walk = _Walk(data, path, _Wanted(categories, begun), watched, in_order=in_order)
        try:
            found = walk.run()
        except OutOfOrderError:
            in_order = False
            continue
        if not walk.missed:
            return found
