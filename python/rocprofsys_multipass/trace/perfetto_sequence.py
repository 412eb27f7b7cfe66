# SPDX-License-Identifier: MIT
"""What earlier packets of a sequence said for later ones: names, clocks, the track that events are on by default."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocprofsys_multipass.trace.perfetto_clock import BOOTTIME, OF_SEQUENCE, STATE_CLEARED, SequenceClock, clocks_of

if TYPE_CHECKING:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb


@dataclass(slots=True)
class Sequence:
    """The state of one packet sequence; its packets are to be given in order of the file."""

    clock: int = BOOTTIME
    clocks: dict[int, SequenceClock] = field(default_factory=dict)
    track: int = 0
    names: dict[int, str] = field(default_factory=dict)
    categories: dict[int, str] = field(default_factory=dict)
    keys: dict[int, str] = field(default_factory=dict)
    strings: dict[int, str] = field(default_factory=dict)

    def take(self, packet: pb.TracePacket) -> bool:
        """Notes what a packet says for later ones; whether these mean something else now. ValueError: no UTF-8.

        New names do not count, as no earlier packet could use them, but new categories and clocks do.
        """
        changed = False
        if packet.sequence_flags & STATE_CLEARED:
            changed = True
            self._clear()
        if packet.HasField("trace_packet_defaults"):
            changed = True
            defaults = packet.trace_packet_defaults
            self.clock = defaults.timestamp_clock_id or self.clock
            self.track = defaults.track_event_defaults.track_uuid
        if packet.HasField("interned_data"):
            changed = changed or bool(packet.interned_data.event_categories)
            self._intern(packet.interned_data)
        if packet.HasField("clock_snapshot"):
            changed = True
            self.clocks.update(clocks_of(packet.clock_snapshot))
        return changed

    def time_of(self, packet: pb.TracePacket) -> tuple[int, int]:
        """Time and clock of a packet that was taken: of BOOTTIME where that is known, else as they stand.

        To be asked of every packet, also of those that are passed over: a later time is counted from theirs.
        """
        clock = packet.timestamp_clock_id or self.clock
        if clock in OF_SEQUENCE:
            known = self.clocks.get(clock)
            if known is not None:
                return (known.to_boot(packet.timestamp) if packet.HasField("timestamp") else 0), BOOTTIME
        return packet.timestamp, clock

    def track_of(self, event: pb.TrackEvent) -> int:
        """The track that an event is on."""
        return event.track_uuid or (0 if event.HasField("track_uuid") else self.track)

    def _clear(self) -> None:
        self.clock, self.track = BOOTTIME, 0
        for table in (self.names, self.categories, self.keys, self.strings):
            table.clear()

    def _intern(self, data: pb.InternedData) -> None:
        self.names.update((e.iid, text(e.name)) for e in data.event_names)
        self.categories.update((e.iid, text(e.name)) for e in data.event_categories)
        self.keys.update((e.iid, text(e.name)) for e in data.debug_annotation_names)
        self.strings.update((e.iid, e.str.decode("utf-8", "replace")) for e in data.debug_annotation_string_values)


def text(value: object) -> str:
    """The text of a field: protobuf gives bytes, or raises, where they are no UTF-8. ValueError then."""
    if isinstance(value, str):
        return value
    raise ValueError(f"a text is no UTF-8: {value!r}")
