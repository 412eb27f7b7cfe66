# SPDX-License-Identifier: MIT
"""Reads packets of a trace that differ from earlier ones in time and value only: nearly all of a trace.

Such a packet is its time, what it has in common with others (its form), and for a counter eight bytes of a value. What
a form means the decoder finds out once, with the classes of Perfetto; that it is one is tried with values of our own.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from google.protobuf.message import DecodeError

from rocprofsys_multipass.trace.perfetto_clock import STATE_CLEARED
from rocprofsys_multipass.trace.perfetto_samples import Samples
from rocprofsys_multipass.trace.wire import PACKET_TAG

if TYPE_CHECKING:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

_TIME_TAG: Final = 0x40  # TracePacket.timestamp, a varint
_MORE: Final = 0x80  # another byte of a varint follows
_LONGEST_TIME: Final = 10  # tag and nine bytes: a time below 2^63
_LONGEST: Final = 2 + 0x7F  # of a packet whose length is one byte
_MOST_TIMES: Final = 4096  # that are remembered: neighbours have the same
_MOST_MISFITS: Final = 1000  # packets without a form, after which there is no further search
_VALUE: Final = struct.Struct("<d")
_TRIED: Final = (1.2345678901234567e-89, -9.876543210987654e123)  # all eight bytes differ
_ALLOWED: Final = {"trusted_packet_sequence_id", "sequence_flags", "timestamp_clock_id", "track_event"}
COUNTER: Final = 4  # TrackEvent.Type

Ended = Callable[[int, int], None]
AddTime = Callable[[int], None]
AddValue = Callable[[float], None]


class Forms:
    """The forms that were seen, and what is to be done with a packet of each. `ended`: of time and track.

    `classes`: the module of Perfetto's classes.
    """

    def __init__(self, classes: Any, ended: Ended) -> None:  # noqa: ANN401  as perfetto_classes
        self._classes = classes
        self._ended = ended
        self._counters: dict[bytes, tuple[AddTime, AddValue]] = {}
        self._ends: dict[bytes, int] = {}  # track
        self._times: dict[bytes, int] = {}
        self._before = 2  # bytes up to the end of the time, of the packet that was learned last
        self._misfits = 0

    def clear(self) -> None:
        """Forgets the forms: what later packets mean has changed."""
        self._counters.clear()
        self._ends.clear()

    def read(self, data: bytes, offset: int) -> int:
        """Reads packets from `offset` on, as long as they have a known form; the offset of the first that has none."""
        counters, ends, times, before = self._counters, self._ends, self._times, self._before
        value_at = _VALUE.unpack_from
        last = len(data) - _LONGEST  # so no packet that is begun here is cut
        while offset < last:
            length = data[offset + 1]
            if length >= _MORE or data[offset] != PACKET_TAG:
                break
            middle, end = offset + before, offset + 2 + length
            counter = counters.get(data[middle : end - 8])
            track = None if counter else ends.get(data[middle:end])
            if counter is None and track is None:
                break
            written = data[offset + 2 : middle]
            time = times.get(written)
            if time is None:
                time = _time(written)
                if time is None:
                    break
                if len(times) >= _MOST_TIMES:
                    times.clear()
                times[written] = time
            if counter:
                counter[0](time)
                counter[1](value_at(data, end - 8)[0])
            elif track:
                self._ended(time, track)
            offset = end
        return offset

    def learn(self, content: bytes, event: pb.TrackEvent, samples: Samples | None) -> None:
        """Notes the form of a packet that was read, if it has one: an END or, with the `samples` of its track, a value.

        Only of packets whose time is of boot time as it stands.
        """
        before = next((at + 1 for at in range(1, len(content)) if content[at] < _MORE), 0)
        if self._misfits >= _MOST_MISFITS or len(content) >= _MORE or _time(content[:before]) is None:
            return
        rest = content[before:]
        if samples is None and self._plain(rest) == self._classes.TrackEvent(
            type=event.type, track_uuid=event.track_uuid
        ):
            self._ends[rest] = event.track_uuid
        elif samples is not None and self._holds_value(rest):
            self._counters[rest[:-8]] = samples.times.append, samples.values.append
        else:
            self._misfits += 1
            return
        self._before = before + 2

    def _plain(self, rest: bytes) -> pb.TrackEvent | None:
        """The event in a packet without its time; None: there is more in it to be looked at."""
        try:
            packet = self._classes.TracePacket.FromString(rest)
        except DecodeError:
            return None
        event = packet.track_event
        packet.DiscardUnknownFields()
        known = packet.ByteSize() == len(rest) and {f.name for f, _ in packet.ListFields()} <= _ALLOWED
        return event if known and event.track_uuid and not packet.sequence_flags & STATE_CLEARED else None

    def _holds_value(self, rest: bytes) -> bool:
        """Whether the last bytes of a packet are its counter's value and all of it, so that any can be there."""
        for tried in _TRIED:
            event = self._plain(rest[:-8] + _VALUE.pack(tried))
            if event is None or event.type != COUNTER or event.double_counter_value != tried:
                return False
        return True


def _time(written: bytes) -> int | None:
    """The time in a field; None: these bytes are not that field, or more."""
    if not 1 < len(written) <= _LONGEST_TIME or written[0] != _TIME_TAG or written[-1] >= _MORE:
        return None
    value = 0
    for byte in written[:0:-1]:
        value = value << 7 | (byte & 0x7F)
    return value if min(written[1:-1], default=_MORE) >= _MORE else None
