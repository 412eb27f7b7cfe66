# SPDX-License-Identifier: MIT
"""Copies a trace packet by packet, the packets that change aside in long runs of bytes."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import BinaryIO, Final

from rocprofsys_multipass.merge.trace.drawn import Place
from rocprofsys_multipass.merge.trace.packets import Change
from rocprofsys_multipass.trace.mapped import forget
from rocprofsys_multipass.trace.wire import Bytes, packet_at, packets
from rocprofsys_multipass.trace.wire_fields import fields, framed

_RUN: Final = 16 << 20  # bytes that are written at once
_SHORT: Final = 1 << 16  # bytes
_COMPRESSED: Final = 50  # TracePacket.compressed_packets

Changes = Iterable[tuple[Place, Change]]  # by packet, in order of the file
_NO_MORE: Final = (-1, bytes)


def copy_changed(data: Bytes, end: int, changes: Changes, target: BinaryIO) -> None:
    """Copies the packets up to `end`; those in `changes` as these make them, all other bytes as they are.

    Compressed packets are written one by one where one of them changes.
    """
    copied = kept = 0
    for offset, here in groupby(changes, key=lambda one: one[0].offset):
        _copy(data, copied, offset, target)
        start, copied = packet_at(data, offset)
        target.writelines(map(framed, _changed(data[start:copied], list(here))))
        if copied - kept > _RUN:
            kept = forget(data, kept, copied)
    _copy(data, copied, end, target)


def copy_all_changed(data: Bytes, end: int, changes: Changes, every: Change, target: BinaryIO) -> None:
    """As `copy_changed`, of packets each of which `every` has changed before; compressed ones stay as they are."""
    offset = kept = 0
    coming = ((place.offset, change) for place, change in changes if place.inner < 0)
    at, change = next(coming, _NO_MORE)
    while offset < end:
        start, after = packet_at(data, offset)
        content = every(data[start:after])
        if at == offset:
            content = change(content) if content is not None else None
            at, change = next(coming, _NO_MORE)
        if content is not None:
            target.write(framed(content))
        offset = after
        if offset - kept > _RUN:
            kept = forget(data, kept, offset)


def _changed(content: bytes, changes: list[tuple[Place, Change]]) -> Iterator[bytes]:
    place, change = changes[0]
    if place.inner < 0:
        changed = change(content)
        if changed is not None:
            yield changed
        return
    here = {place.inner: change for place, change in changes}
    for number, inner in enumerate(_unpacked(content)):
        changed = here[number](inner) if number in here else inner
        if changed is not None:
            yield changed


def _unpacked(content: bytes) -> Iterable[bytes]:
    compressed = next(content[start:end] for number, _, start, end in fields(content) if number == _COMPRESSED)
    return (inner for _, inner in packets(zlib.decompress(compressed)))


def _copy(data: Bytes, start: int, end: int, target: BinaryIO) -> None:
    if end - start < _SHORT:  # many changes: a view costs more than the bytes
        target.write(data[start:end])
        return
    with memoryview(data) as view:
        for run in range(start, end, _RUN):
            with view[run : min(run + _RUN, end)] as part:
                target.write(part)
            forget(data, run, min(run + _RUN, end))
