# SPDX-License-Identifier: MIT
"""What a trace has that another may have too: packet sequences, tracks, processes; its machine and its clocks.

One walk through a file, which is never in memory as a whole. What is kept grows with tracks and snapshots of clocks.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Mapping, MutableSequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from google.protobuf.message import DecodeError

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.merge.trace.drawn import Place
from rocprofsys_multipass.merge.trace.skim import TrackSkim
from rocprofsys_multipass.merge.trace.survey import stops
from rocprofsys_multipass.trace.perfetto import RUN
from rocprofsys_multipass.trace.perfetto_classes import classes_for
from rocprofsys_multipass.trace.perfetto_clock import BOOTTIME, OF_SEQUENCE
from rocprofsys_multipass.trace.perfetto_sequence import Sequence
from rocprofsys_multipass.trace.wire import Bytes, WireError, packets

if TYPE_CHECKING:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

REALTIME: Final = 1  # perfetto.protos.BuiltinClock
# TracePacket.data that names processes by their pid outside of track descriptors.
_BY_PID: Final = frozenset({"process_tree", "process_stats", "ftrace_events", "perf_sample", "gpu_mem_total_event"})


@dataclass
class Contents:
    """Of one trace. Its packets are whole up to `end`; `total` is the length of the file.

    `guids`: of runs of this tool, by pid. `clocks`: the first snapshot with BOOTTIME in it, ns by id of the clock.
    """

    path: Path
    total: int
    end: int = 0
    sequences: set[int] = field(default_factory=set)
    tracks: set[int] = field(default_factory=set)  # uuids, also of tracks that are used and not described
    flows: bool = False  # whether there are arrows
    pids: set[int] = field(default_factory=set)
    guids: dict[int, str] = field(default_factory=dict)
    hostname: str = ""
    rank: int | None = None
    clocks: Mapping[int, int] = field(default_factory=dict)
    snapshots: dict[Place, frozenset[int]] = field(default_factory=dict)  # of clocks that all sequences share
    processes: dict[Place, bytes] = field(default_factory=dict)  # their descriptors
    read_marks: list[Place] = field(default_factory=list)  # that the recorder's buffers were read
    by_pid: set[str] = field(default_factory=set)  # kinds of packets that name processes in other ways

    @property
    def boot_in_real_time(self) -> int | None:
        """REALTIME when BOOTTIME was 0, in ns; None: no snapshot relates the two."""
        boot, real = self.clocks.get(BOOTTIME), self.clocks.get(REALTIME)
        return None if boot is None or real is None else real - boot


def flows_in(event: pb.TrackEvent) -> tuple[MutableSequence[int], ...]:
    """The ids of arrows that begin or end at an event."""
    return event.flow_ids, event.terminating_flow_ids, event.flow_ids_old, event.terminating_flow_ids_old


def contents_of(data: Bytes, path: Path) -> Contents:
    """Walk through a trace.

    Raises:
        TraceError: a packet cannot be read, or there is none.
    """
    return _Walk(data, path).run()


def unreadable(path: Path, error: Exception, where: str = "") -> TraceError:
    """What there is to say of a packet that is none."""
    return TraceError(
        f"{path}: {where}the packet cannot be read ({error}): the file is damaged; write it again, or leave it out"
    )


class _Walk:
    def __init__(self, data: Bytes, path: Path) -> None:
        self._data = data
        self._found = Contents(path, len(data))
        self._packet: Any = classes_for(path).TracePacket
        self._sequences: dict[int, Sequence] = defaultdict(Sequence)
        self._pid_of: dict[int, int] = {}  # of a process track
        self._parents: dict[int, int] = {}
        self._skim = TrackSkim(frozenset({RUN}))

    def run(self) -> Contents:
        found = self._found
        try:
            for offset, content in stops(self._data, self._skim):
                self._next(offset, content)
            found.end = found.total
        except WireError as error:  # a process that died may leave a packet cut
            found.end = error.offset
        found.tracks.discard(0)  # no track
        if not found.end:
            raise TraceError(f"{found.path}: there is no whole packet in it: leave it out")
        return found

    def _next(self, offset: int, content: bytes) -> None:
        found, skim = self._found, self._skim
        try:
            packet = self._packet.FromString(content)
            self._take(Place(offset), packet)
        except (DecodeError, ValueError, zlib.error) as error:
            raise unreadable(found.path, error, f"byte {offset}: ") from error
        if found.flows and not skim.arrows:
            skim.arrows = True
            skim.forget()
        if packet.HasField("track_event"):
            skim.learn(content, packet, self._sequences[packet.trusted_packet_sequence_id])

    def _take(self, place: Place, packet: pb.TracePacket) -> None:
        found = self._found
        kind = packet.WhichOneof("data")
        if kind == "compressed_packets":
            for number, (_, inner) in enumerate(packets(zlib.decompress(packet.compressed_packets))):
                self._take(Place(place.offset, number), self._packet.FromString(inner))
            return
        found.sequences.add(packet.trusted_packet_sequence_id)
        sequence = self._sequences[packet.trusted_packet_sequence_id]
        if sequence.take(packet):
            self._skim.forget()
        if kind == "track_event":
            self._event(packet.track_event, sequence)
        elif kind == "track_descriptor":
            self._track(place, packet.track_descriptor)
        elif kind == "clock_snapshot":
            self._snapshot(place, packet.clock_snapshot)
        elif kind == "service_event" and packet.service_event.read_tracing_buffers_completed:
            found.read_marks.append(place)
        elif kind in _BY_PID:
            found.by_pid.add(kind)

    def _snapshot(self, place: Place, snapshot: pb.ClockSnapshot) -> None:
        found = self._found
        clocks = {clock.clock_id: clock.timestamp for clock in snapshot.clocks}
        if BOOTTIME in clocks and REALTIME not in found.clocks:
            found.clocks = found.clocks if found.clocks and REALTIME not in clocks else clocks
        if not any(clock in OF_SEQUENCE for clock in clocks):
            found.snapshots[place] = frozenset(clocks)

    def _track(self, place: Place, d: pb.TrackDescriptor) -> None:
        found = self._found
        found.tracks |= {d.uuid, d.parent_uuid} - {0}
        self._parents[d.uuid] = d.parent_uuid
        if d.HasField("process"):
            found.pids.add(d.process.pid)
            found.processes[place] = d.SerializeToString()
            self._pid_of[d.uuid] = d.process.pid
        elif d.HasField("thread"):
            found.pids.add(d.thread.pid)

    def _event(self, event: pb.TrackEvent, sequence: Sequence) -> None:
        """Beside its track and arrows only the mark of a run tells something: few events have its category."""
        found = self._found
        found.tracks.add(sequence.track_of(event))
        found.tracks.update(event.extra_counter_track_uuids, event.extra_double_counter_track_uuids)
        if not found.flows:
            found.flows = any(map(len, flows_in(event)))
        iids = event.category_iids
        if not (any(sequence.categories.get(iid) == RUN for iid in iids) or RUN in event.categories):
            return
        said = {sequence.keys.get(one.name_iid, one.name): one for one in event.debug_annotations}
        if "guid" in said:
            found.guids[self._pid_above(sequence.track_of(event))] = said["guid"].string_value
        if "hostname" in said:
            found.hostname = found.hostname or said["hostname"].string_value
        if "rank" in said and found.rank is None:
            found.rank = int(getattr(said["rank"], said["rank"].WhichOneof("value") or "uint_value"))

    def _pid_above(self, track: int) -> int:
        for _ in range(len(self._parents) + 1):
            if track in self._pid_of:
                return self._pid_of[track]
            track = self._parents.get(track, 0)
        return 0
