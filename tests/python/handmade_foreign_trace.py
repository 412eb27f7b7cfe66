# SPDX-License-Identifier: MIT
"""Writes a described run as a Perfetto trace of rocprof-sys, with the classes of the `perfetto` package.

By default as its recorder (Perfetto's SDK) writes: names interned, times as differences on a clock of the sequence.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import Literal

from handmade_foreign import Execution, Launch, Region, Run
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt

BOOTTIME, DIFFERENCES, STEPS = 6, 64, 65  # clocks; the second counts from the packet before


@dataclass
class Sequence:
    """What a writer of packets has declared, and the time that it counts from."""

    id: int
    names: dict[str, int] = field(default_factory=dict)
    last: int = 500
    packets: int = 0


@dataclass
class ForeignTrace:
    """Packets of a trace. `unit`: ns per step of the clock of differences.

    `by_thread`: each thread writes its regions as a sequence of its own, as Perfetto's recorder does, and the thread
    that gets records of kernels another; `sequence` is the first of them. `cleared_every`: packets after which a
    sequence forgets what it declared and says all anew. `service`: with the packets of Perfetto's service around them:
    clocks, configuration, statistics.
    """

    run: Run
    by: Literal["stream", "queue"] = "stream"
    counter_name: str = "GPU {} [{}]"
    annotated: bool = True
    interned: bool = True
    differences: bool = True
    unit: int = 1
    snapshot: bool = True
    sequence: int = 9
    by_thread: bool = False
    cleared_every: int = 0
    service: bool = False
    first_track: int = 100  # that of the process
    packets: list[pt.TracePacket] = field(default_factory=list)
    _tracks: dict[str, int] = field(default_factory=dict)
    _sequences: dict[int, Sequence] = field(default_factory=dict)  # by thread; 0: that of the process
    _writer: Sequence = field(default_factory=lambda: Sequence(0))

    def build(self) -> ForeignTrace:
        if self.service:
            self._of_service()
        self._write_as(0)
        process = self._packet().track_descriptor
        process.uuid, process.process.pid = self.first_track, self.run.pid
        words = self.run.command.split()
        process.process.process_name = words[0]
        process.process.cmdline.extend(words)
        for region in self.run.regions:
            self._region(region)
        self._write_as(0)
        for one in self.run.samples:
            track = self._track(one.name, counter=True, unit=one.unit)
            for time, value in one.points:
                self._event(track, time, 4, one.category).track_event.double_counter_value = value
        for d in self.run.launches:
            for e in d.executions:
                self._kernel(d, e)
                for counter, values in e.counters.items():
                    self._counter(self.counter_name.format(counter, d.gpu), e, int(sum(values)))
        return self

    def _of_service(self) -> None:
        """What the service writes first and last; its sequence is 1, and its packets change nothing below."""
        of_service = {"trusted_packet_sequence_id": 1, "trusted_uid": 0}
        clocks = pt.TracePacket(**of_service, timestamp=500)
        clocks.clock_snapshot.primary_trace_clock = BOOTTIME
        for clock, time in ((BOOTTIME, 500), (1, 10**18 + 500), (3, 500)):
            clocks.clock_snapshot.clocks.add(clock_id=clock, timestamp=time)
        config = pt.TracePacket(**of_service)
        config.trace_config.buffers.add(size_kb=1024)
        config.trace_config.data_sources.add().config.name = "track_event"
        marker = pt.TracePacket(
            **of_service, synchronization_marker=b"\x82\x47\x7a\x76\xb2\x8d\x42\xba\x81\xdc\x33\x32"
        )
        statistics = pt.TracePacket(**of_service)
        statistics.trace_stats.producers_connected = 1
        self.packets += [clocks, config, marker, statistics]

    def _write_as(self, thread: int) -> None:
        """The next packets are of this thread's sequence."""
        thread = thread if self.by_thread else 0
        new = thread not in self._sequences
        if new:
            self._sequences[thread] = Sequence(self.sequence + len(self._sequences))
        self._writer = self._sequences[thread]
        if new:
            self._begin()

    def _begin(self) -> None:
        first = self._packet()
        start = self._writer.last
        first.sequence_flags = 1
        first.timestamp, first.timestamp_clock_id = start, BOOTTIME
        if self.differences:
            first.trace_packet_defaults.timestamp_clock_id = DIFFERENCES
        if self.differences and self.snapshot:
            snapshot = self._packet()
            snapshot.timestamp, snapshot.timestamp_clock_id = start, BOOTTIME
            snapshot.clock_snapshot.clocks.add(clock_id=BOOTTIME, timestamp=start)
            steps = start // self.unit
            clock = snapshot.clock_snapshot.clocks.add(clock_id=DIFFERENCES, timestamp=steps)
            clock.is_incremental, clock.unit_multiplier_ns = True, self.unit
            snapshot.clock_snapshot.clocks.add(clock_id=STEPS, timestamp=steps, unit_multiplier_ns=self.unit)

    def _packet(self) -> pt.TracePacket:
        packet = pt.TracePacket(trusted_packet_sequence_id=self._writer.id, sequence_flags=2)
        self.packets.append(packet)
        self._writer.packets += 1
        return packet

    def _stamp(self, packet: pt.TracePacket, time: int) -> None:
        """The time of a packet. What is earlier than the packet before it is no difference, and not counted from."""
        writer = self._writer
        if not self.differences:
            packet.timestamp = time
        elif time >= writer.last:
            packet.timestamp = (time - writer.last) // self.unit
            writer.last = time
        else:
            packet.timestamp, packet.timestamp_clock_id = time // self.unit, BOOTTIME if self.unit == 1 else STEPS

    def _track(self, name: str, *, counter: bool = False, unit: str = "Unit Count") -> int:
        if name not in self._tracks:
            self._tracks[name] = self.first_track + 1 + len(self._tracks)
            descriptor = self._packet().track_descriptor
            descriptor.uuid, descriptor.parent_uuid, descriptor.name = self._tracks[name], self.first_track, name
            if counter:
                descriptor.counter.unit_name = unit
        return self._tracks[name]

    def _thread(self, tid: int) -> int:
        """A thread's own track, on which its regions are."""
        name = f"thread {tid}"
        if name not in self._tracks:
            self._tracks[name] = self.first_track + 1 + len(self._tracks)
            descriptor = self._packet().track_descriptor
            descriptor.uuid, descriptor.parent_uuid = self._tracks[name], self.first_track
            descriptor.thread.pid, descriptor.thread.tid = self.run.pid, tid
            descriptor.thread.thread_name = self.run.command.split()[0].rpartition("/")[2][:15]  # as the kernel has it
        return self._tracks[name]

    def _region(self, region: Region) -> None:
        self._write_as(region.tid or self.run.pid)
        track = self._thread(region.tid or self.run.pid)
        begin = self._event(track, region.start, 1, region.category, region.name)
        if region.correlation is not None:
            begin.track_event.flow_ids.append(region.correlation)
        for name, value in region.arguments.items() if self.annotated else ():
            begin.track_event.debug_annotations.add(name=name, string_value=value)
        self._event(track, region.end, 2, region.category)

    def _intern(self, packet: pt.TracePacket, kind: str, text: str) -> int:
        """The number of a text, which the first packet that uses it declares."""
        key, names = f"{kind}: {text}", self._writer.names
        if key not in names:
            names[key] = len(names) + 1
            getattr(packet.interned_data, kind).add(iid=names[key], name=text)
        return names[key]

    def _event(self, track: int, time: int, kind: int, category: str, name: str = "") -> pt.TracePacket:
        if self.cleared_every and self._writer.packets > self.cleared_every:
            self._writer.names.clear()
            self._writer.packets = 0
            self._begin()
        packet = self._packet()
        self._stamp(packet, time)
        event = packet.track_event
        event.track_uuid, event.type = track, kind
        if self.interned:
            event.category_iids.append(self._intern(packet, "event_categories", category))
        else:
            event.categories.append(category)
        if name and self.interned:
            event.name_iid = self._intern(packet, "event_names", name)
        elif name:
            event.name = name
        return packet

    def _kernel(self, d: Launch, e: Execution) -> None:
        if self.by == "queue":
            category, track = "rocm_kernel_dispatch", self._track(f"GPU Kernel Dispatch [{d.gpu}] Queue {d.queue}")
        else:
            category, track = "rocm_hip_stream", self._track(f"HIP Activity Stream {d.stream}")
        begin = self._event(track, e.start, 1, category, d.kernel)
        begin.track_event.flow_ids.append(d.correlation or d.id)
        values = {
            "begin_ns": e.start,
            "end_ns": e.end,
            "corr_id": d.correlation or d.id,
            "stream_id": d.stream,
            "queue": d.queue,
        }
        values |= {"dispatch_id": d.id, "kernel_id": self.run.kernels[d.kernel]}
        for name, value in values.items() if self.annotated else ():
            annotation = begin.track_event.debug_annotations.add(uint_value=value)
            if self.interned:
                annotation.name_iid = self._intern(begin, "debug_annotation_names", name)
            else:
                annotation.name = name
        if self.annotated:
            for name, shape in (("workgroup_size", d.workgroup), ("grid_size", d.grid)):
                text = f"({','.join(map(str, shape))})"
                begin.track_event.debug_annotations.add(name=name, string_value=text)
        self._event(track, e.end, 2, category)

    def _counter(self, name: str, e: Execution, value: int) -> None:
        track = self._track(name, counter=True)
        for time, counted in ((e.start, value), (e.end, 0)):
            self._event(track, time, 4, "rocm_counter_collection").track_event.counter_value = counted

    def to_bytes(self, *, compressed: bool = False) -> bytes:
        trace = pt.Trace(packet=self.packets).SerializeToString()
        if not compressed:
            return trace
        return pt.Trace(packet=[pt.TracePacket(compressed_packets=zlib.compress(trace))]).SerializeToString()


def rocprof_sys_trace(run: Run, *, compressed: bool = False, **options: object) -> bytes:
    """The bytes of a trace; `options` are those of `ForeignTrace`."""
    return ForeignTrace(run, **options).build().to_bytes(compressed=compressed)
