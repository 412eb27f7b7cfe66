# SPDX-License-Identifier: MIT
"""Changes one field of an encoded message and leaves every other byte of it, known or not, as it was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rocprofsys_multipass.trace.wire import PACKET_TAG

_VARINT: Final = 0  # wire types
_DELIMITED: Final = 2
_SIZES: Final = {1: 8, 5: 4}  # of fixed width
_MORE: Final = 0x80


class FieldError(ValueError):
    """The bytes are no encoded message."""


def varint(value: int) -> bytes:
    """The encoding of a number that is not negative."""
    out = bytearray()
    while value >= _MORE:
        out.append(value & 0x7F | _MORE)
        value >>= 7
    out.append(value)
    return bytes(out)


def framed(content: bytes) -> bytes:
    """A packet as it stands in a trace."""
    return bytes([PACKET_TAG]) + varint(len(content)) + content


def delimited(number: int, content: bytes) -> bytes:
    """A field with a message, a text or bytes."""
    return varint(number << 3 | _DELIMITED) + varint(len(content)) + content


def varint_at(data: bytes, offset: int) -> tuple[int, int]:
    """The number that is encoded from `offset` on, and where it ends. FieldError: the bytes end inside it."""
    value = shift = 0
    while offset < len(data):
        byte = data[offset]
        offset += 1
        value |= (byte & 0x7F) << shift
        if byte < _MORE:
            return value, offset
        shift += 7
    raise FieldError("the bytes end inside a number")


def fields(data: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Number of each field, where it starts, where its content starts, and where it ends. FieldError: no message."""
    offset = 0
    while offset < len(data):
        start = offset
        tag, offset = varint_at(data, offset)
        number, wire_type = tag >> 3, tag & 7
        content = offset
        if wire_type == _VARINT:
            _, offset = varint_at(data, offset)
        elif wire_type == _DELIMITED:
            length, content = varint_at(data, offset)
            offset = content + length
        elif wire_type in _SIZES:
            offset += _SIZES[wire_type]
        else:
            raise FieldError(f"field {number} has the wire type {wire_type}")
        if offset > len(data):
            raise FieldError(f"field {number} is cut")
        yield number, start, content, offset


def without(data: bytes, unwanted: int) -> bytes:
    """The message without the fields of that number."""
    return b"".join(data[start:end] for number, start, _, end in fields(data) if number != unwanted)


def extended(data: bytes, number: int, more: bytes) -> bytes:
    """The message with `more` appended to the content of its field of that number; it may have only one of them."""
    parts = []
    for found, start, content, end in fields(data):
        parts.append(delimited(number, data[content:end] + more) if found == number else data[start:end])
    return b"".join(parts)
