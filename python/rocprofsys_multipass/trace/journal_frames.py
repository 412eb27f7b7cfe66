# SPDX-License-Identifier: MIT
"""The frames of a capture file (`*.journal`), whole, torn or damaged.

32 bytes of header (magic, version, what was lost, its CRC-32), then frames: magic `MPFR`, length and CRC-32 of the
payload and the CRC-32 of these as little-endian u32, payload (a `Frame` of library/journal/journal.proto). A file that
ends inside a frame is read up to the last whole one. Damage in the middle costs the frames it touches: reading goes on
behind a frame of which the payload alone is damaged, and else at the next frame whose CRCs are right. Both are said in
the notes.
"""

from __future__ import annotations

import mmap
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from google.protobuf.message import DecodeError

from rocprofsys_multipass.errors import TraceError
from rocprofsys_multipass.journal_layout import FILE_MAGIC, FRAME_HEAD, FRAME_MAGIC, HEADER, MAX_PAYLOAD, VERSION
from rocprofsys_multipass.trace import journal_pb2 as pb

_VERSION_END: Final = len(FILE_MAGIC) + 4
HEADER_DAMAGED: Final = (
    "the header is damaged: whether the plugin lost records is known as far as its last checkpoint says"
)
TORN: Final = "the file ends inside"  # begins the note about a file that was cut
_MAY_BEGIN_A_FRAME: Final = re.compile(rb"MPFR[\s\S]{3}\0")  # the highest byte of such a length is zero

Content = bytes | mmap.mmap


@dataclass
class Damage:
    """What was not read: bytes cut at the end, and (from, to) ranges that were skipped before it."""

    header: bool = False  # it is damaged
    torn_at: int | None = None
    skipped: list[tuple[int, int]] = field(default_factory=list)

    def notes(self) -> list[str]:
        """Sentences for people."""
        texts = [HEADER_DAMAGED] if self.header else []
        texts += [f"bytes {a} to {b} are damaged; the frames in them are lost" for a, b in self.skipped]
        if self.torn_at is not None:
            texts.append(f"{TORN} the frame at byte {self.torn_at}; that frame is lost")
        return texts


class Head(NamedTuple):
    """What the head of a frame says of its payload."""

    length: int
    crc: int


def head_at(data: Content, offset: int) -> Head | None:
    """The head of a frame at `offset`; None: there is no whole one."""
    if len(data) - offset < FRAME_HEAD.size:
        return None
    magic, length, crc, own = FRAME_HEAD.unpack_from(data, offset)
    if magic != FRAME_MAGIC or length > MAX_PAYLOAD or zlib.crc32(data[offset : offset + FRAME_HEAD.size - 4]) != own:
        return None
    return Head(length, crc)


def frame_at(data: Content, offset: int) -> tuple[pb.Frame, int] | None:
    """The frame that starts at `offset` and the offset behind it; None: there is no whole frame."""
    head = head_at(data, offset)
    frame = None if head is None else _frame_of(data, offset, head)
    return None if frame is None or head is None else (frame, offset + FRAME_HEAD.size + head.length)


def _frame_of(data: Content, offset: int, head: Head) -> pb.Frame | None:
    """The frame with this head at `offset`; None: its payload is not there, or damaged."""
    start = offset + FRAME_HEAD.size
    payload = data[start : start + head.length]
    if len(payload) != head.length or zlib.crc32(payload) != head.crc:
        return None
    try:
        return pb.Frame.FromString(payload)
    except DecodeError:
        return None


def located_frames(data: Content, damage: Damage) -> Iterator[tuple[int, pb.Frame]]:
    """The whole frames of a file's content behind its header, each with the byte that it begins at; fills `damage`.

    What looks like a frame inside one with a whole head and a damaged payload is none. No byte is looked at twice.
    """
    damage.header = zlib.crc32(data[: HEADER.size - 4]) != int.from_bytes(data[HEADER.size - 4 : HEADER.size], "little")
    offset = sound = damaged = HEADER.size  # sound, damaged: behind the last frame that is whole, or there and damaged
    while offset < len(data):
        head = head_at(data, offset)
        if head is None or (end := offset + FRAME_HEAD.size + head.length) > len(data):
            found = _MAY_BEGIN_A_FRAME.search(data, offset + 1)
            offset = found.start() if found else len(data)
        elif (frame := _frame_of(data, offset, head)) is None:
            offset = damaged = end
        else:
            if sound < offset:
                damage.skipped.append((sound, offset))
            yield offset, frame
            offset = sound = end
    if sound < damaged:
        damage.skipped.append((sound, damaged))
    if (torn := max(sound, damaged)) < len(data):
        damage.torn_at = torn


def check_header(data: Content, path: Path) -> None:
    """TraceError: the content does not begin as a journal of this version does."""
    magic, version = data[: len(FILE_MAGIC)], data[len(FILE_MAGIC) : _VERSION_END]
    if not FILE_MAGIC.startswith(magic):
        raise TraceError(f"{path}: byte 0: no journal (it starts with {magic!r}); give the file that a run wrote")
    if len(data) >= _VERSION_END and (number := int.from_bytes(version, "little")) != VERSION:
        raise TraceError(
            f"{path}: byte 8: journal version {number}, this package reads version {VERSION}; "
            "read it with the version of the package that wrote it"
        )
    if len(data) < HEADER.size:
        raise TraceError(
            f"{path}: {len(data)} bytes are no journal, its header has {HEADER.size}; "
            "the process died before it recorded anything"
        )
