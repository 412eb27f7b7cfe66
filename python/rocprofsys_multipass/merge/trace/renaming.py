# SPDX-License-Identifier: MIT
"""What is to be called otherwise in a trace that comes behind others, and the packets in which it is."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from rocprofsys_multipass.merge.trace.contents import Contents, flows_in
from rocprofsys_multipass.merge.trace.drawn import Place
from rocprofsys_multipass.merge.trace.ids import free_flows, free_sequence_like, free_track
from rocprofsys_multipass.merge.trace.machines import Machines
from rocprofsys_multipass.merge.trace.packets import Change
from rocprofsys_multipass.trace.perfetto_classes import classes_for
from rocprofsys_multipass.trace.perfetto_clock import BOOTTIME, OF_SEQUENCE, STATE_CLEARED
from rocprofsys_multipass.trace.perfetto_file import PIDS
from rocprofsys_multipass.trace.wire import packets
from rocprofsys_multipass.trace.wire_fields import framed

if TYPE_CHECKING:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

_NO_SEQUENCE: Final = 0
_LAST_BUILTIN: Final = 63  # clocks above are of a sequence or of a producer


@dataclass
class Renaming:
    """What changes in one trace. Packets are to be given in order: some count on what earlier ones said.

    `flows` is combined with all flow ids by XOR. `offsets`: ns to add to times, by clock. `without_snapshots`: the
    relations of clocks that all sequences share are left out, because an earlier trace has them and an importer refuses
    a clock that goes back. `without_read_marks`: as `packets.without_read_mark`, since more comes behind.
    """

    packet: Any  # class TracePacket
    sequences: dict[int, int] = field(default_factory=dict)
    tracks: dict[int, int] = field(default_factory=dict)
    pids: dict[int, int] = field(default_factory=dict)
    flows: int = 0
    offsets: Mapping[int, int] = field(default_factory=dict)
    without_snapshots: bool = False
    without_read_marks: bool = False
    labels: tuple[str, ...] = ()  # for its processes
    _clock_of: dict[int, int] = field(default_factory=dict)  # by sequence

    @property
    def in_every_packet(self) -> bool:
        """Whether any packet may have to change; else only descriptors of processes and snapshots of clocks."""
        return bool(self.sequences or self.tracks or self.pids or self.flows or self.offsets)

    def rename(self, content: bytes) -> bytes:
        """The packet as it is to be."""
        packet = self.packet.FromString(content)
        if packet.HasField("compressed_packets"):
            inner = packets(zlib.decompress(packet.compressed_packets))
            packet.compressed_packets = zlib.compress(b"".join(framed(self.rename(one)) for _, one in inner))
            return bytes(packet.SerializeToString())
        return bytes(packet.SerializeToString()) if self._packet(packet) else content

    def heads(self, descriptors: Iterable[bytes], sequence: int) -> Iterator[bytes]:
        """Packets that say no more than which processes there are, in this order, on a sequence of their own."""
        for descriptor in descriptors:
            packet = self.packet(trusted_packet_sequence_id=sequence)
            packet.track_descriptor.ParseFromString(descriptor)
            self._descriptor(packet.track_descriptor)
            yield packet.SerializeToString()

    def _packet(self, packet: pb.TracePacket) -> bool:
        kind = packet.WhichOneof("data")
        changed = bool(self.offsets) and self._time(packet)
        sequence = packet.trusted_packet_sequence_id
        if sequence in self.sequences:
            packet.trusted_packet_sequence_id = self.sequences[sequence]
            changed = True
        if packet.HasField("trace_packet_defaults"):
            changed |= self._event(packet.trace_packet_defaults.track_event_defaults)
        if kind == "track_event":
            changed |= self._event(packet.track_event) | self._flows(packet.track_event)
        elif kind == "track_descriptor":
            changed |= self._descriptor(packet.track_descriptor)
        elif kind == "clock_snapshot":
            changed |= self._snapshot(packet)
        elif self.without_read_marks and packet.service_event.read_tracing_buffers_completed:
            packet.ClearField("service_event")
            changed = True
        return changed

    def _event(self, event: pb.TrackEvent | pb.TrackEventDefaults) -> bool:
        changed = event.track_uuid in self.tracks
        if changed:
            event.track_uuid = self.tracks[event.track_uuid]
        for more in (event.extra_counter_track_uuids, event.extra_double_counter_track_uuids):
            if any(uuid in self.tracks for uuid in more):
                more[:] = [self.tracks.get(uuid, uuid) for uuid in more]
                changed = True
        return changed

    def _flows(self, event: pb.TrackEvent) -> bool:
        changed = False
        for flows in flows_in(event):
            if self.flows and flows:
                flows[:] = [one ^ self.flows for one in flows]
                changed = True
        return changed

    def _descriptor(self, d: pb.TrackDescriptor) -> bool:
        changed = False
        if d.uuid in self.tracks:
            d.uuid = self.tracks[d.uuid]
            changed = True
        if d.parent_uuid in self.tracks:
            d.parent_uuid = self.tracks[d.parent_uuid]
            changed = True
        if d.HasField("process"):
            changed |= self._process(d.process)
        elif d.HasField("thread") and d.thread.pid in self.pids:
            to = self.pids[d.thread.pid]
            d.thread.tid += to - d.thread.pid
            d.thread.pid = to
            changed = True
        return changed

    def _process(self, process: pb.ProcessDescriptor) -> bool:
        more = [label for label in self.labels if label not in process.process_labels]
        if process.pid in self.pids:
            more.append(f"pid {process.pid}")
            process.pid = self.pids[process.pid]
        process.process_labels.extend(more)
        return bool(more)

    def _time(self, packet: pb.TracePacket) -> bool:
        sequence = packet.trusted_packet_sequence_id
        if packet.sequence_flags & STATE_CLEARED:
            self._clock_of.pop(sequence, None)
        if packet.HasField("trace_packet_defaults") and packet.trace_packet_defaults.timestamp_clock_id:
            self._clock_of[sequence] = packet.trace_packet_defaults.timestamp_clock_id
        clock = packet.timestamp_clock_id or self._clock_of.get(sequence, BOOTTIME)
        if not packet.HasField("timestamp") or clock > _LAST_BUILTIN:  # on its own clock, whose snapshot is converted
            return False
        packet.timestamp += self._offset(clock)
        return True

    def _offset(self, clock: int) -> int:
        return self.offsets.get(clock, 0)

    def _snapshot(self, packet: pb.TracePacket) -> bool:
        clocks = packet.clock_snapshot.clocks
        if self.without_snapshots and not any(clock.clock_id in OF_SEQUENCE for clock in clocks):
            packet.ClearField("clock_snapshot")
            return True
        for clock in clocks:
            clock.timestamp += self._offset(clock.clock_id)
        return bool(self.offsets)


def changes_of(contents: Contents, renaming: Renaming) -> dict[Place, Change]:
    """The packets that change where not every packet may have to: of clocks, of processes, of the recorder."""
    if renaming.in_every_packet:
        return {}
    places = [*contents.processes] if renaming.labels else []
    places += contents.snapshots if renaming.without_snapshots else ()
    places += contents.read_marks if renaming.without_read_marks else ()
    return dict.fromkeys(places, renaming.rename)


def renamings_of(contents: Sequence[Contents], machines: Machines) -> tuple[list[Renaming], list[str]]:
    """What has to change in each trace, where they are to stand one behind the other; and what to say of it."""
    taken = _Taken(contents)
    made = []
    notes = []
    for number, (one, machine) in enumerate(zip(contents, machines.of, strict=True)):
        renaming = Renaming(
            classes_for(one.path).TracePacket,
            offsets=machines.offsets[machine],
            without_read_marks=len(contents) > 1,
        )
        taken.by(number, one, machine, renaming)
        name = machines.all[machine].hostname
        rank = [] if one.rank is None else [f"rank {one.rank}"]
        renaming.labels = tuple(rank + ([f"on {name}"] if name and len(machines.all) > 1 else []))
        if renaming.pids:
            where = f" of {name}" if name else ""
            pairs = ", ".join(f"{old}{where} is {new}" for old, new in sorted(renaming.pids.items()))
            notes.append(f"{one.path}: another machine has a process of the same pid: process {pairs} in the trace")
            if one.by_pid:
                notes.append(f"{one.path}: its packets {', '.join(sorted(one.by_pid))} still have the old pids")
        made.append(renaming)
    return made, notes


class _Taken:
    """What earlier traces have."""

    def __init__(self, contents: Sequence[Contents]) -> None:
        self._every_sequence = set().union(*(one.sequences for one in contents))
        self._every_track = set().union(*(one.tracks for one in contents))
        self._sequences: set[int] = set()
        self._tracks: set[int] = set()
        self._pids: dict[int, tuple[int, str]] = {}  # machine and guid of the run
        self._clocks: set[int] = set()
        self._flows = False

    def by(self, number: int, one: Contents, machine: int, renaming: Renaming) -> None:
        """Say what has to change in a trace, and take what it has."""
        renaming.sequences = {
            old: free_sequence_like(old, f"{number} {old}", self._every_sequence)
            for old in sorted(one.sequences & self._sequences - {_NO_SEQUENCE})
        }
        renaming.tracks = {
            old: free_track(f"{number} {old}", self._every_track) for old in sorted(one.tracks & self._tracks)
        }
        renaming.pids = {old: new for old in sorted(one.pids) if (new := self._pid(old, machine, one)) != old}
        if one.flows and self._flows:
            renaming.flows = free_flows(number)
        self._flows |= one.flows
        clocks = set().union(*one.snapshots.values())
        renaming.without_snapshots = bool(clocks) and clocks <= self._clocks
        self._clocks |= clocks
        self._sequences |= one.sequences
        self._tracks |= one.tracks

    def _pid(self, pid: int, machine: int, one: Contents) -> int:
        """A process of this machine has one pid in all traces; runs of this tool that differ are of two processes."""
        guid = one.guids.get(pid, "")
        new = pid
        while new in self._pids:
            of, run = self._pids[new]
            if of == machine and not (guid and run and guid != run):
                break
            new += PIDS
        self._pids[new] = (machine, guid or self._pids.get(new, (0, ""))[1])
        return new
