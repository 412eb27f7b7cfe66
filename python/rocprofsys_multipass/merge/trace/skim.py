# SPDX-License-Identifier: MIT
"""Passes over the packets of a trace that cannot matter, without decoding them.

Nearly all packets hold an event in the same frame: a time, then fields that are the same for a whole sequence. It is
learned from a packet that was decoded. Behind it only the bytes of the event are searched, for the track or the
category of a kernel: what is found may be chance, and is decoded; what is not found is not there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final

from rocprofsys_multipass.trace.perfetto_clock import STATE_CLEARED, SequenceClock
from rocprofsys_multipass.trace.perfetto_sequence import Sequence
from rocprofsys_multipass.trace.wire import PACKET_TAG
from rocprofsys_multipass.trace.wire_fields import FieldError, fields, varint, varint_at

if TYPE_CHECKING:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

_TIME_TAG: Final = 0x40  # TracePacket.timestamp
_EVENT_TAG: Final = b"\x5a"  # TracePacket.track_event
_TIME: Final = 8
_EVENT: Final = 11
_STATEFUL: Final = frozenset({6, 12, 50, 59, 60})  # snapshot, interned data, compressed packets, defaults, descriptor
_TRACK_TAG: Final = b"\x58"  # TrackEvent.track_uuid
_CATEGORY_TAG: Final = b"\x18"  # TrackEvent.category_iids
_PACKED_TAG: Final = b"\x1a"  # the same, several in one field
_LONGER_TAGS: Final = (b"\xd8\x80*\x00", b"\x98\x80*\x00", b"\x9a\x80*\x00")  # these three, with zeros behind
# An event as Perfetto's SDK writes it has its track behind its type, categories and name, and before all else.
_BEHIND_NUMBERS: Final = re.compile(
    rb"(?:[\x08\x10\x18\x20\x28\x30\x38\x40\x48\x50\x60\x68\x70\x78][\x80-\xff]*[\x00-\x7f])*"
    rb"\x58([\x80-\xff]*[\x00-\x7f])"
)
# Of TrackEvent: flow_ids, terminating_flow_ids, and the old ones; extra tracks of counters. Each also packed. Written
# out, because only alternatives that begin with a byte are searched fast.
_FLOWS: Final = (
    *(b"\xf9\x02", b"\xfa\x02", b"\x81\x03", b"\x82\x03"),
    *(b"\xa0\x02", b"\xa2\x02", b"\xd0\x02", b"\xd2\x02"),
)
_EXTRA_TRACKS: Final = (b"\xf8\x01", b"\xfa\x01", b"\xe8\x02", b"\xea\x02")
_MORE: Final = 0x80  # another byte of a number follows
_SHORT: Final = 2  # bytes of a time below 128
_SHORTEST: Final = 4  # of a packet with a time and an event
_MOST_FRAMES: Final = 4096


# The clock that times are counted on, each from the one before (None: they stand for themselves), and the search.
_Frame = tuple[SequenceClock | None, Callable[[bytes, int, int], object]]


class Skim:
    """The frames that were seen. `categories`: of kernels; `watched`: tracks on which every event matters."""

    def __init__(self, categories: AbstractSet[str], watched: AbstractSet[int]) -> None:
        self._categories = categories
        self._watched = watched
        self._frames: dict[tuple[bytes, bytes], _Frame] = {}
        self._before = _SHORT  # bytes up to the end of the time, of the packet before
        self._known = False  # the frame of the packet that was found last

    def forget(self) -> None:
        """What later packets mean has changed."""
        self._frames.clear()

    def skip(self, data: bytes, offset: int) -> int:  # noqa: C901  one call for each packet would take half of the time
        """The first packet from `offset` on that may matter, has no known frame or is cut. Times before are counted."""
        frames, before, size = self._frames, self._before, len(data)
        while offset + _SHORTEST < size and data[offset] == PACKET_TAG:
            start, length = offset + 2, data[offset + 1]
            if length >= _MORE:
                if data[start] >= _MORE:
                    break
                length, start = (length & 0x7F) | data[start] << 7, start + 1
            end = start + length
            if end > size or length < _SHORTEST or data[start] != _TIME_TAG:
                break
            middle = start + before
            if data[middle - 1] >= _MORE or not (before == _SHORT or _continued(data, start + 1, middle - 1)):
                before = next((n for n in range(_SHORT, length) if data[start + n - 1] < _MORE), _SHORT)
                middle = start + before
            tag = data.find(_EVENT_TAG, middle, end - 1)
            if tag < 0:
                break
            first, inner = tag + 2, data[tag + 1]
            if inner >= _MORE:  # Perfetto's SDK writes four bytes, however few are needed
                try:
                    inner, first = varint_at(data, tag + 1)
                except FieldError:  # damaged, at the end of the file
                    break
            stop = first + inner
            frame = frames.get((data[middle:tag], data[stop:end]))
            if frame is None or stop > end:
                break
            clock, may_matter = frame
            if may_matter(data, first, stop):
                self._before, self._known = before, True
                return offset
            if clock is not None:
                time = data[start + 1] if before == _SHORT else varint_at(data, start + 1)[0]
                clock.boot_ns += time * clock.unit_ns
            offset = end
        self._before, self._known = before, False
        return offset

    def learn(self, content: bytes, packet: pb.TracePacket, sequence: Sequence) -> None:
        """Notes the frame of the packet that `skip` stopped at, which has an event, if it has one."""
        if self._known or sequence.track in self._watched or packet.sequence_flags & STATE_CLEARED:
            return
        found = list(fields(content))
        numbers = [number for number, *_ in found]
        if numbers[0] != _TIME or numbers.count(_TIME) != 1 or numbers.count(_EVENT) != 1 or _STATEFUL & set(numbers):
            return
        tag, end = next((start, end) for number, start, _, end in found if number == _EVENT)
        known = sequence.clocks.get(packet.timestamp_clock_id or sequence.clock)
        clock = known if known is not None and known.incremental else None
        if len(self._frames) >= _MOST_FRAMES:
            self._frames.clear()
        self._frames[content[found[0][3] : tag], content[end:]] = clock, self._search(sequence)

    def _search(self, sequence: Sequence) -> Callable[[bytes, int, int], object]:
        """Finds a category of kernels, or a watched track, in the bytes of an event."""
        return re.compile(b"|".join(self._parts(sequence)), re.DOTALL).search

    def _parts(self, sequence: Sequence) -> list[bytes]:
        iids = [iid for iid, name in sequence.categories.items() if name in self._categories]
        parts = [_PACKED_TAG, *_LONGER_TAGS, *(re.escape(name.encode()) for name in sorted(self._categories))]
        parts += [_CATEGORY_TAG + _any_of(iids)] if iids else []
        parts += [_TRACK_TAG + _any_of(self._watched)] if self._watched else []
        return parts


class TrackSkim(Skim):
    """Stops at the first event of each track too, and at arrows until `arrows` is set."""

    def __init__(self, categories: AbstractSet[str]) -> None:
        super().__init__(categories, frozenset())
        self._seen: set[bytes] = set()  # tracks, as they are encoded
        self.arrows = False  # are known to be there

    def _search(self, sequence: Sequence) -> Callable[[bytes, int, int], object]:
        seen, track_of = self._seen, _BEHIND_NUMBERS.match
        parts = [*self._parts(sequence), *_EXTRA_TRACKS, *(() if self.arrows else _FLOWS)]
        others = re.compile(b"|".join(parts), re.DOTALL).search

        def search(data: bytes, first: int, stop: int) -> object:
            track = track_of(data, first, stop)
            if track is None:
                return True
            if track[1] not in seen:
                seen.add(track[1])
                return True
            return others(data, first, stop)

        return search


def _continued(data: bytes, start: int, end: int) -> bool:
    """Whether each of these bytes says that the number goes on."""
    return data[start] >= _MORE and (end - start == 1 or min(data[start:end]) >= _MORE)


def _number(value: int) -> bytes:
    """A number as it may be encoded, in as few bytes as it needs or with zeros behind."""
    *first, last = varint(value)
    more = re.escape(bytes([last | _MORE]))
    return re.escape(bytes(first)) + b"(?:" + re.escape(bytes([last])) + b"|" + more + b"\x80*\x00)"


def _any_of(numbers: Iterable[int]) -> bytes:
    return b"(?:" + b"|".join(map(_number, sorted(numbers))) + b")"
