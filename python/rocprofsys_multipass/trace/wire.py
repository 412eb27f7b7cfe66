# SPDX-License-Identifier: MIT
"""The outermost layer of a Perfetto trace: a row of packets, each field 1, length-delimited.

Walked by hand, because a protobuf parser takes a file that is cut or has garbage at its end as a whole, or not at all.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import Final

PACKET_TAG: Final = 0x0A  # field 1, wire type 2
_MORE: Final = 0x80  # another byte of a varint follows
_LAST_SHIFT: Final = 63  # of the tenth byte

Bytes = bytes | mmap.mmap


class WireError(ValueError):
    """The bytes at `offset` are no packet; `text` says why."""

    def __init__(self, offset: int, text: str) -> None:
        super().__init__(f"byte {offset}: {text}")
        self.offset = offset


def _length(data: Bytes, start: int) -> tuple[int, int]:
    """Length of the packet that starts at `start`, and where its content starts."""
    value = shift = 0
    offset = start + 1
    while True:
        if offset >= len(data):
            raise WireError(start, "the file ends inside a packet's length")
        byte = data[offset]
        offset += 1
        value |= (byte & 0x7F) << shift
        if byte < _MORE:
            return value, offset
        shift += 7
        if shift > _LAST_SHIFT:
            raise WireError(start, "a packet's length has more than ten bytes")


def packet_at(data: Bytes, offset: int) -> tuple[int, int]:
    """Where the content of the packet at `offset` starts and ends. WireError: there is none, or it is cut."""
    if data[offset] != PACKET_TAG:
        raise WireError(offset, f"0x{data[offset]:02x} starts no packet (0x{PACKET_TAG:02x})")
    start = offset + 2  # a short packet, as most are, has a length of one byte
    length = data[offset + 1] if start <= len(data) else _MORE
    if length >= _MORE:
        length, start = _length(data, offset)
    if length > len(data) - start:
        raise WireError(offset, f"a packet of {length} bytes is cut after {len(data) - start}")
    return start, start + length


def packets(data: Bytes) -> Iterator[tuple[int, bytes]]:
    """Offset and content of each packet. WireError at the first byte that is none, after all packets before it."""
    offset = 0
    while offset < len(data):
        start, end = packet_at(data, offset)
        yield offset, data[start:end]
        offset = end
