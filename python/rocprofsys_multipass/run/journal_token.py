# SPDX-License-Identifier: MIT
"""Which run a journal belongs to: the token that the wrapper handed over, from the first frame of the file.

Only that frame is read, and walked by hand: a journal may be large, and a run should not load a protobuf library. The
layout is that of docs/formats/journal.md: 32 bytes of header, then the frame's head, then a ``Frame`` whose member
`run` (1) has the `run_token` (22) of library/journal/journal.proto.
"""

from __future__ import annotations

import secrets
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

from rocprofsys_multipass.journal_layout import FILE_MAGIC, FRAME_HEAD, FRAME_MAGIC, HEADER, MAX_PAYLOAD

_RUN = 1  # in Frame
_RUN_TOKEN = 22  # in Run
_MORE = 0x80  # another byte of a varint follows
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def new_token() -> str:
    """32 hexadecimal digits that no other run has."""
    return secrets.token_hex(16)


def read_token(journal: Path) -> str | None:
    """The token in a journal's first frame, empty where that has none; None when there is no such frame to read."""
    try:
        with journal.open("rb") as file:
            magic, *_ = HEADER.unpack(file.read(HEADER.size))
            frame_magic, length, crc, _ = FRAME_HEAD.unpack(file.read(FRAME_HEAD.size))
            if magic != FILE_MAGIC or frame_magic != FRAME_MAGIC or length > MAX_PAYLOAD:
                return None
            payload = file.read(length)
        if len(payload) != length or zlib.crc32(payload) != crc:
            return None
        run = _member(payload, _RUN)
        return None if run is None else (_member(run, _RUN_TOKEN) or b"").decode("ascii")
    except (OSError, struct.error, IndexError, ValueError):
        return None


def _member(message: bytes, wanted: int) -> bytes | None:
    """The last member of that number, as protobuf reads messages; None when there is none."""
    return next((content for number, content in reversed(list(_members(message))) if number == wanted), None)


def _members(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Numbers and contents of the members that have a length; the others are skipped."""
    offset = 0
    while offset < len(message):
        tag, offset = _varint(message, offset)
        kind = tag & 7
        if kind == _BYTES:
            length, offset = _varint(message, offset)
            yield tag >> 3, message[offset : offset + length]
            offset += length
        elif kind == _VARINT:
            _, offset = _varint(message, offset)
        elif kind in (_FIXED64, _FIXED32):
            offset += 8 if kind == _FIXED64 else 4
        else:
            raise ValueError(kind)


def _varint(message: bytes, offset: int) -> tuple[int, int]:
    """A number of 7 bits per byte, and the offset behind it."""
    value = shift = 0
    while True:
        byte = message[offset]
        offset += 1
        value |= (byte & ~_MORE) << shift
        if byte < _MORE:
            return value, offset
        shift += 7
