# SPDX-License-Identifier: MIT
"""Writes a described run as a Perfetto trace, with the classes of the `perfetto` package."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from described_run import SDK_LIBRARY, Execution, Launch, Run
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pt

REASONS = {
    "declined": "decline_reason",
    "incomplete": "incomplete_reason",
    "filtered": "filter_reason",
    "replayed": "unsafe_reason",
}
PROCESS, GPU, QUEUE, NOTES = 100, 200, 300, 400
PASS_TRACK, KERNELS = 1000, 2000
EXTRA_TRACK = {"warm-up": 500, "timing": 501}


@dataclass
class TraceFile:
    """Packets of a trace; `change` is called with each packet before it is written, and drops it by returning False."""

    run: Run
    change: Callable[[pt.TracePacket], bool | None] = lambda _: None
    packets: list[pt.TracePacket] = field(default_factory=list)
    tracks: dict[str, int] = field(default_factory=dict)

    def build(self) -> TraceFile:
        first = self._packet()
        first.sequence_flags = 1
        first.trace_packet_defaults.timestamp_clock_id = 6
        self.track(PROCESS, 0, "app").process.pid = self.run.pid
        self.track(GPU, PROCESS, "GPU 0 [gfx942]")
        self.track(QUEUE, GPU, "Queue 0")
        self._notes()
        for d in self.run.launches:
            self._launch(d)
        return self

    def _packet(self) -> pt.TracePacket:
        packet = pt.TracePacket(trusted_packet_sequence_id=0xF0001234)
        self.packets.append(packet)
        return packet

    def track(self, uuid: int, parent: int, name: str, *, counter: bool = False) -> pt.TrackDescriptor:
        descriptor = self._packet().track_descriptor
        descriptor.uuid, descriptor.name = uuid, name
        if parent:
            descriptor.parent_uuid = parent
        if counter:
            descriptor.counter.SetInParent()
        self.tracks[name] = uuid
        return descriptor

    def _notes(self) -> None:
        self.track(NOTES, PROCESS, "Counter collection")
        event = self._event(NOTES, 1000, 3, "rocprofsys-multipass", "rocm_multipass_run")
        facts: dict[str, object] = {
            "guid": self.run.guid,
            "simulated": self.run.simulated,
            "sdk_version": "1.4.1",
            "sdk_library": SDK_LIBRARY,
            "replay_mode": self.run.replay_mode,
            "plan": plan_lines(self.run),
            "command": "./app it's",
            "events": self.run.events,
            "dispatches": len(self.run.launches),
        }
        facts |= {"warnings": list(self.run.warnings)} if self.run.warnings else {}
        facts |= dict.fromkeys(self.run.extras, True)
        if self.run.sets:
            facts["sets"] = list(self.run.sets)
            members = ", ".join(f"{name}={value}" for name, value in self.run.properties.items())
            facts["properties"] = [f"GPU 0 [gfx942] {members}"]
        annotate(event, facts)

    def _event(self, track: int, time: int, kind: int, name: str = "", category: str = "") -> pt.TrackEvent:
        packet = self._packet()
        packet.timestamp = time
        packet.track_event.track_uuid = track
        packet.track_event.type = kind
        if name:
            packet.track_event.name = name
            packet.track_event.categories.append(category)
        return packet.track_event

    def slice(self, track: int, times: tuple[int, int], name: str, category: str, values: dict[str, object]) -> None:
        annotate(self._event(track, times[0], 1, name, category), values)
        self._event(track, times[1], 2)

    def counter(self, track: int, time: int, value: float) -> None:
        self._event(track, time, 4).double_counter_value = value

    def _launch(self, d: Launch) -> None:
        first = d.executions[0]
        facts: dict[str, object] = {"dispatch_id": d.id, "outcome": d.outcome, "passes": len(self.run.plan)}
        facts |= {
            "executions": len(d.executions),
            "grid_size": "1024,1,1",
            "workgroup_size": "64,1,1",
            "queue": d.queue,
            "kernel_id": self.run.kernels.index(d.kernel) + 1,
            "time_of": time_of(d),
        }
        if d.reason:
            facts[REASONS[d.outcome]] = d.reason
        many = len(self.run.plan) > 1
        if many and first.index is None and first.values:
            facts["group"] = first.read_group
        facts |= {counter: value for counter, (_, value) in self.run.canonical(d).items()}
        extras = {name: one for name, one in (("warm-up", d.warm_up), ("timing", d.timing)) if one is not None}
        if extras:
            facts["extra_passes"] = ", ".join(extras)
        self.slice(QUEUE, d.times, d.kernel, "rocm_kernel_dispatch", facts)
        for name, times in extras.items():
            if f"Replay {name}" not in self.tracks:
                self.track(EXTRA_TRACK[name], GPU, f"Replay {name}")
            more: dict[str, object] = {"replay_extra": name, "dispatch_id": d.id}
            self.slice(EXTRA_TRACK[name], times, d.kernel, "rocm_kernel_replay_extra", more)
        for one in d.executions:
            self._execution(d, one, many=many)

    def _execution(self, d: Launch, one: Execution, *, many: bool) -> None:
        parent, suffix = GPU, ""
        if many and one.index is not None:
            parent, suffix = PASS_TRACK + one.index, f" pass {one.index}"
            if f"Replay pass {one.index}" not in self.tracks:
                self.track(parent, GPU, f"Replay pass {one.index}")
                self.track(KERNELS + one.index, parent, "Kernels")
            facts: dict[str, object] = {"replay_pass": one.index, "dispatch_id": d.id}
            if one.read_group != one.index:
                facts["group"] = one.read_group
            self.slice(KERNELS + one.index, (one.start, one.end), d.kernel, "rocm_kernel_replay_pass", facts)
        elif many:
            suffix = f" group {one.read_group}"
        for counter, value in one.values.items():
            name = f"GPU {counter} [0]{suffix}"
            if name not in self.tracks:
                self.track(5000 + len(self.tracks), parent, name, counter=True)
            self.counter(self.tracks[name], one.start, value)
            self.counter(self.tracks[name], one.end, 0.0)

    def to_bytes(self) -> bytes:
        kept = [p for p in self.packets if self.change(p) is not False]
        return pt.Trace(packet=kept).SerializeToString()


def time_of(d: Launch) -> str:
    """Whose times the slice of a dispatch has."""
    index = d.executions[0].index
    return "timing pass" if d.timing else "single run" if index is None else f"pass {index}"


def plan_lines(run: Run) -> list[str]:
    """What the run's mark says of the plan."""
    sentinels = run.sentinels or ((),) * len(run.plan)
    return [
        f"GPU 0 [gfx942] pass {k}: " + ", ".join(f"{c} (sentinel)" if c in guests else c for c in counters)
        for k, (counters, guests) in enumerate(zip(run.plan, sentinels, strict=True))
    ]


def annotate(event: pt.TrackEvent, values: dict[str, object]) -> None:
    for name, value in values.items():
        annotation = event.debug_annotations.add(name=name)
        if isinstance(value, bool):
            annotation.bool_value = value
        elif isinstance(value, int):
            annotation.uint_value = value
        elif isinstance(value, float):
            annotation.double_value = value
        elif isinstance(value, list):
            for one in value:
                annotation.array_values.add(string_value=one)
        else:
            annotation.string_value = str(value)


def trace_bytes(run: Run, change: Callable[[pt.TracePacket], bool | None] = lambda _: None) -> bytes:
    return TraceFile(run, change).build().to_bytes()
