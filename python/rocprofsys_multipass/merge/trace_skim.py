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
from rocprofsys_multipass.trace.wire_fields import fields, varint, varint_at

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
_MORE: Final = 0x80  # another byte of a number follows
_MOST_FRAMES: Final = 4096


# The clock that times are counted on, each from the one before (None: they stand for themselves), and the search.
_Frame = tuple[SequenceClock | None, Callable[[bytes, int, int], object]]


class Skim:
    """The frames that were seen. `categories`: of kernels; `watched`: tracks on which every event matters."""

    def __init__(self, categories: AbstractSet[str], watched: AbstractSet[int]) -> None:
        self._categories = categories
        self._watched = watched
        self._frames: dict[tuple[bytes, bytes], _Frame] = {}
        self._before = 2  # bytes up to the end of the time, of the packet before

    def forget(self) -> None:
        """What later packets mean has changed."""
        self._frames.clear()

    def passes(self, content: bytes) -> bool:
        """Whether a packet cannot matter; its time is counted then. IndexError: it is shorter than any frame."""
        if content[0] != _TIME_TAG:
            return False
        before = self._before
        if content[before - 1] >= _MORE or min(content[1 : before - 1], default=_MORE) < _MORE:
            before = 2
            while content[before - 1] >= _MORE:
                before += 1
            self._before = before
        tag = content.find(_EVENT_TAG, before)
        if tag < 0:
            return False
        length = content[tag + 1]
        start = tag + 2
        if length >= _MORE:  # Perfetto's SDK writes four bytes, however few are needed
            length, start = varint_at(content, tag + 1)
        end = start + length
        frame = self._frames.get((content[before:tag], content[end:]))
        if frame is None or end > len(content):
            return False
        clock, may_matter = frame
        if may_matter(content, start, end):
            return False
        if clock is not None:
            time = content[before - 1]
            for byte in content[before - 2 : 0 : -1]:
                time = time << 7 | (byte & 0x7F)
            clock.boot_ns += time * clock.unit_ns
        return True

    def learn(self, content: bytes, packet: pb.TracePacket, sequence: Sequence) -> None:
        """Notes the frame of a packet with an event that was decoded, if it has one."""
        if sequence.track in self._watched or packet.sequence_flags & STATE_CLEARED:
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
        iids = [varint(iid) for iid, name in sequence.categories.items() if name in self._categories]
        parts = [_PACKED_TAG, *(re.escape(name.encode()) for name in sorted(self._categories))]
        parts += [_CATEGORY_TAG + _any_of(iids)] if iids else []
        parts += [_TRACK_TAG + _any_of(map(varint, sorted(self._watched)))] if self._watched else []
        return re.compile(b"|".join(parts), re.DOTALL).search


def _any_of(texts: Iterable[bytes]) -> bytes:
    return b"(?:" + b"|".join(map(re.escape, texts)) + b")"
