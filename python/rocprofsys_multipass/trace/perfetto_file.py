# SPDX-License-Identifier: MIT
"""Decodes a Perfetto trace into tracks, slices and counter samples, with everything that is wrong about it.

Uses the message classes of the `perfetto` package and none of the code that wrote the file. Slices are formed as
Perfetto's importer does it: events in order of time (equal times: of the file), END closes the innermost open slice.
Google/perfetto @ ec5d16b1, docs/reference/synthetic-track-event.md.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.trace.guard import AGAIN, naming
from rocprofsys_multipass.trace.perfetto_classes import classes_for
from rocprofsys_multipass.trace.perfetto_clock import BOOTTIME, OF_SEQUENCE
from rocprofsys_multipass.trace.perfetto_forms import COUNTER, Forms
from rocprofsys_multipass.trace.perfetto_merged import bring_home
from rocprofsys_multipass.trace.perfetto_samples import Samples
from rocprofsys_multipass.trace.perfetto_sequence import Sequence, text
from rocprofsys_multipass.trace.wire import WireError, packet_at, packets

if TYPE_CHECKING:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

_BEGIN: Final = 1  # TrackEvent.Type
_END: Final = 2
_INSTANT: Final = 3
_NUMBERS: Final = frozenset({"bool_value", "int_value", "uint_value", "double_value"})  # of DebugAnnotation
PIDS: Final = 1 << 22  # no pid of Linux is larger; of a trace of several machines it may be one with a multiple of this
_MAX_PROBLEMS: Final = 1000
_MAX_DEPTH: Final = 16  # of a track; a longer way up is a circle

ProblemKind = Literal["bytes", "fields", "names", "track", "slice", "clock", "counter"]
Value = Any  # an annotation: bool, int, float, str, or a list or dict of such


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that Perfetto would drop, guess or show wrongly."""

    kind: ProblemKind
    where: str
    text: str


@dataclass(frozen=True, slots=True)
class Track:
    """A declared track. `pid` is set on a process track."""

    uuid: int
    parent: int
    name: str
    counter: bool
    pid: int | None
    command: tuple[str, ...]
    merge_behavior: int  # 2: never merged with siblings of the same name


class Slice(NamedTuple):
    """A named interval; `end_ns` None: never closed. An instant has equal times and `instant` set."""

    track: int
    name: str
    category: str
    start_ns: int
    end_ns: int | None
    depth: int
    annotations: Mapping[str, Value]
    flows: tuple[int, ...]
    clock: int
    instant: bool = False


@dataclass
class RawTrace:
    """The content of one trace file. Samples and slices are in order of time."""

    path: Path
    tracks: dict[int, Track] = field(default_factory=dict)
    slices: list[Slice] = field(default_factory=list)
    samples: dict[int, Samples] = field(default_factory=lambda: defaultdict(Samples))
    sampled_as: dict[int, str] = field(default_factory=dict)  # category of the first sample of each track that has one
    problems: list[Problem] = field(default_factory=list)

    def problem(self, kind: ProblemKind, where: str, text: str) -> None:
        """Notes a problem, as long as there are not too many to be read."""
        if len(self.problems) < _MAX_PROBLEMS:
            self.problems.append(Problem(kind, where, text))

    def samples_of(self, uuid: int) -> Samples:
        """Those of a track; none where it has none."""
        return self.samples.get(uuid) or Samples()

    def path_of(self, uuid: int) -> str:
        """Names of the track and of those above it, outermost first."""
        names: list[str] = []
        while uuid in self.tracks and len(names) < _MAX_DEPTH:
            track = self.tracks[uuid]
            names.append(track.name or (f"process {track.pid}" if track.pid is not None else f"track {uuid:#x}"))
            uuid = track.parent
        return " / ".join(reversed(names)) or f"track {uuid:#x}"

    def pid_of(self, uuid: int) -> int | None:
        """The process that a track belongs to; None: nothing says it."""
        track = self.tracks.get(self.process_of(uuid))
        return track.pid if track else None

    def process_of(self, uuid: int) -> int:
        """The process track at or above a track; what is topmost where there is none."""
        for _ in range(_MAX_DEPTH):
            track = self.tracks.get(uuid)
            if track is None or track.pid is not None:
                return uuid
            uuid = track.parent
        return uuid


@dataclass(slots=True)
class _Event:
    time: int
    track: int
    type: int
    clock: int
    name: str = ""
    category: str = ""
    annotations: dict[str, Value] = field(default_factory=dict)
    flows: tuple[int, ...] = ()


class _Decoder:
    def __init__(self, trace: RawTrace) -> None:
        self._trace = trace
        classes = classes_for(trace.path)
        self._packet = classes.TracePacket
        self._sequences: dict[int, Sequence] = defaultdict(Sequence)
        self._unknown_clocks: set[tuple[int, int]] = set()  # of which sequence
        self._events: list[_Event] = []
        self._forms = Forms(classes, self._ended)
        self._offset = 0

    def file(self, data: bytes) -> None:
        """All packets of a file. WireError: as `packet`, or at the first byte that is none."""
        offset = 0
        while (offset := self._forms.read(data, offset)) < len(data):
            start, end = packet_at(data, offset)
            self.packet(offset, data[start:end])
            offset = end

    def packet(self, offset: int, content: bytes) -> None:
        """One packet. WireError: what it holds in compressed form is no row of packets."""
        self._offset = offset
        try:
            packet = self._packet.FromString(content)
        except DecodeError as error:
            self._note("bytes", f"the packet cannot be parsed: {error}")
            return
        self._check_unknown(packet, content)
        try:
            self._content(packet, content)
        except (ValueError, OverflowError) as error:  # a text that is no UTF-8 shows when it is asked for
            self._note("bytes", f"the packet cannot be read: {error}")

    def _content(self, packet: pb.TracePacket, content: bytes) -> None:
        sequence = self._sequences[packet.trusted_packet_sequence_id]
        if sequence.take(packet):
            self._forms.clear()
        kind = packet.WhichOneof("data")
        time, clock = sequence.time_of(packet)
        as_it_stands = (packet.timestamp_clock_id or sequence.clock) == BOOTTIME
        if clock in OF_SEQUENCE:
            self._unknown_clock(packet, clock)
        if kind == "track_event":
            event = packet.track_event
            samples = self._event(event, time, clock, sequence)
            if as_it_stands and (samples is not None or event.type == _END):
                self._forms.learn(content, event, samples)
        elif kind == "track_descriptor":
            self._track(packet.track_descriptor)
        elif kind == "compressed_packets":
            self._unpack(packet.compressed_packets)

    def _unpack(self, compressed: bytes) -> None:
        try:
            inner = zlib.decompress(compressed)
        except zlib.error as error:
            self._note("bytes", f"compressed packets cannot be unpacked: {error}")
            return
        offset = self._offset
        for _, content in packets(inner):
            self.packet(offset, content)

    def _unknown_clock(self, packet: pb.TracePacket, clock: int) -> None:
        """Notes, once for each, a clock of a sequence that no snapshot related to another before it was used."""
        known = packet.trusted_packet_sequence_id, clock
        if packet.HasField("timestamp") and known not in self._unknown_clocks:
            self._unknown_clocks.add(known)
            self._note("clock", f"clock {clock} is used before a snapshot relates it to boot time")

    def _note(self, kind: ProblemKind, text: str) -> None:
        self._trace.problem(kind, f"byte {self._offset}", text)

    def _check_unknown(self, packet: pb.TracePacket, content: bytes) -> None:
        # Cheap test first: without its unknown fields a packet is as long as it was, or there were none to lose.
        packet.DiscardUnknownFields()
        if packet.ByteSize() == len(content):
            return
        for path, number in _unknown_fields(self._packet.FromString(content), ""):
            self._note("fields", f"field {number} of {path or 'TracePacket'} does not exist")

    def _track(self, d: pb.TrackDescriptor) -> None:
        name = text(d.name or d.static_name or d.process.process_name or d.thread.thread_name)
        track = Track(
            uuid=d.uuid,
            parent=d.parent_uuid,
            name=name,
            counter=d.HasField("counter"),
            pid=d.process.pid % PIDS if d.HasField("process") else None,
            command=tuple(text(word) for word in d.process.cmdline),
            merge_behavior=d.sibling_merge_behavior,
        )
        known = self._trace.tracks.setdefault(d.uuid, track)
        if (known.name, known.parent, known.counter) != (track.name, track.parent, track.counter):
            self._note("track", f"track {d.uuid:#x} is declared again as {name!r}, it was {known.name!r}")

    def _event(self, event: pb.TrackEvent, time: int, clock: int, sequence: Sequence) -> Samples | None:
        """The samples that a counter's value was added to; None: the event is none."""
        kind = event.type
        track = sequence.track_of(event)
        if kind == COUNTER:  # nearly all of a trace: one is a sample at once
            value = event.double_counter_value
            if not value and not event.HasField("double_counter_value"):
                value = float(event.counter_value)
            samples = self._trace.samples[track]
            if not samples and (event.categories or event.category_iids):
                self._trace.sampled_as[track] = self._categories(event, sequence)
            samples.add(time, value, clock)
            return samples
        one = _Event(time, track, kind, clock)
        one.name = text(event.name) if event.HasField("name") else self._name(sequence.names, event.name_iid)
        one.category = self._categories(event, sequence)
        one.annotations = self._dict(event.debug_annotations, sequence)
        one.flows = (*event.flow_ids, *event.terminating_flow_ids)
        self._events.append(one)
        return None

    def _ended(self, time: int, track: int) -> None:
        self._events.append(_Event(time, track, _END, BOOTTIME))

    def _categories(self, event: pb.TrackEvent, sequence: Sequence) -> str:
        interned = (self._name(sequence.categories, i) for i in event.category_iids)
        return ",".join([*map(text, event.categories), *interned])

    def _name(self, table: Mapping[int, str], iid: int) -> str:
        if iid == 0:
            return ""
        name = table.get(iid)
        if name is None:
            self._note("names", f"interned name {iid} was not declared on its sequence")
            return ""
        return name

    def _dict(self, annotations: Iterable[pb.DebugAnnotation], sequence: Sequence) -> dict[str, Value]:
        keys = sequence.keys
        found = {}
        for one in annotations:
            iid = one.name_iid
            key = (keys.get(iid) if iid else "") or self._key(one, sequence)
            kind = one.WhichOneof("value")
            found[key] = getattr(one, kind) if kind in _NUMBERS else self._value(one, sequence)
        return found

    def _key(self, annotation: pb.DebugAnnotation, sequence: Sequence) -> str:
        return text(annotation.name) or self._name(sequence.keys, annotation.name_iid)

    def _value(self, annotation: pb.DebugAnnotation, sequence: Sequence) -> Value:
        if annotation.dict_entries:
            return self._dict(annotation.dict_entries, sequence)
        if annotation.array_values:
            return [self._value(a, sequence) for a in annotation.array_values]
        kind = annotation.WhichOneof("value")
        if kind == "string_value_iid":
            return self._name(sequence.strings, annotation.string_value_iid)
        if kind == "string_value":
            return text(annotation.string_value)
        return getattr(annotation, kind) if kind else None

    def finish(self) -> None:
        """Puts the events in order of time and makes slices and samples of them."""
        self._sort_samples()
        open_slices: dict[int, list[_Event]] = defaultdict(list)
        for event in sorted(self._events, key=lambda e: e.time):
            self._check_declared(event.track, event.time)
            if event.type == _BEGIN:
                open_slices[event.track].append(event)
            elif event.type == _END:
                self._close(event, open_slices[event.track])
            elif event.type == _INSTANT:
                self._slice(event, event.time, len(open_slices[event.track]), instant=True)
        for opened in open_slices.values():
            for depth, event in enumerate(opened):
                self._trace.problem(
                    "slice", self._trace.path_of(event.track), f"{event.name!r} from {event.time} on is never closed"
                )
                self._slice(event, None, depth)
        self._trace.slices.sort(key=lambda s: s.start_ns)

    def _check_declared(self, track: int, time: int) -> None:
        if track not in self._trace.tracks and track != 0:
            text = f"an event on track {track:#x}, which is not declared"
            self._trace.problem("track", f"time {time}", text)

    def _sort_samples(self) -> None:
        """Samples in order of time; those on tracks that are none for counters are no samples."""
        for uuid, samples in list(self._trace.samples.items()):
            samples.sort()
            self._check_declared(uuid, samples.times[0])
            track = self._trace.tracks.get(uuid)
            if track is not None and not track.counter:
                self._trace.problem("counter", self._trace.path_of(uuid), "a counter value on a track of slices")
                del self._trace.samples[uuid]

    def _close(self, end: _Event, opened: list[_Event]) -> None:
        if not opened:
            self._trace.problem("slice", self._trace.path_of(end.track), f"an END at {end.time} closes nothing")
            return
        begin = opened.pop()
        begin.annotations.update(end.annotations)
        self._slice(begin, end.time, len(opened))

    def _slice(self, event: _Event, end: int | None, depth: int, *, instant: bool = False) -> None:
        self._trace.slices.append(
            Slice(
                event.track,
                event.name,
                event.category,
                event.time,
                end,
                depth,
                event.annotations,
                event.flows,
                event.clock,
                instant,
            )
        )


def _unknown_fields(message: Message, path: str) -> Iterable[tuple[str, int]]:
    for unknown in UnknownFieldSet(message):  # type: ignore[attr-defined]  # types-protobuf lacks its iterator
        yield path, unknown.field_number
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None:
            continue
        below = f"{path}.{descriptor.name}" if path else descriptor.name
        for one in [value] if isinstance(value, Message) else value:
            yield from _unknown_fields(one, below)


def decode(path: Path) -> RawTrace:
    """The whole file. What is wrong is in `problems`; behind the first byte that is no packet nothing is read.

    TraceError: the file cannot be opened, or is empty.
    """
    with naming(path):
        data = path.read_bytes()
        if not data:
            raise TraceError(f"{path}: the file is empty; {AGAIN}")
        trace = RawTrace(path)
        decoder = _Decoder(trace)
        try:
            decoder.file(data)
        except WireError as error:
            trace.problem("bytes", f"byte {error.offset}", str(error).split(": ", 1)[1])
        decoder.finish()
        bring_home(trace)
        return trace
