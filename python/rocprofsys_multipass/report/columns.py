# SPDX-License-Identifier: MIT
"""Columns of numbers as short texts inside a page, and which digits have to go where they are too long.

A column is deflated by itself, so that a script unpacks those only that somebody looks at. Neighbours differ little:
differences are stored, and the bytes of one weight beside each other. docs/formats/report.md describes the bytes;
`assets/report.js` reads them.
"""

from __future__ import annotations

import math
import operator
import sys
import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Mode = Literal["i", "d", "f", "x"]

EXACT: Final = 0
LEVELS: Final[tuple[int | None, ...]] = (EXACT, 4, 3, None)  # digits that are kept; all, 4, 3, and none of it
_LEAST_BITS: Final = 10  # a fraction of 1/1024 at least is still exact as an integer
_LARGEST: Final = 2**52  # that a double has exactly, with room for a difference
_NOT_FINITE: Final = 127  # exponent of what is no number (mantissa 0) or infinite (1, -1)
_OFFSET: Final = 128
_TEXT_PER_BYTE: Final = 4 / 3  # base64
_DOUBLE: Final = 8  # bytes


@dataclass(frozen=True, slots=True)
class Packed:
    """A column as bytes. `planes`: bytes of each number; `scale`: numbers are divided by 2 to the power of it."""

    mode: Mode
    count: int
    data: bytes = b""
    planes: int = 0
    scale: int = 0


class Column:
    """Numbers under a name, at one level of LEVELS."""

    def __init__(self, name: str, values: Sequence[float]) -> None:
        self.name = name
        self.level = 0
        self._values = array("d", values)
        self.packed = packed(self._values)

    def coarsen(self, level: int) -> None:
        """Keeps fewer digits, unless all of them are shorter."""
        coarse = packed(self._values, LEVELS[level])
        self.level = level
        if len(coarse.data) < len(self.packed.data):
            self.packed = coarse

    @property
    def digits(self) -> int | None:
        """How many digits are kept; 0: all of them, None: it was left out."""
        if self.packed.mode == "d":
            return LEVELS[self.level]
        return None if self.packed.mode == "x" else EXACT


def fit(columns: Iterable[Column], room: int) -> None:
    """Takes digits from the longest columns until the text of all of them has `room` characters at most."""
    longest = sorted(columns, key=lambda one: -len(one.packed.data))
    size = sum(len(one.packed.data) for one in longest)
    for level in range(1, len(LEVELS)):
        for one in longest:
            if size * _TEXT_PER_BYTE <= room:
                return
            size -= len(one.packed.data)
            one.coarsen(level)
            size += len(one.packed.data)


def packed(values: Sequence[float], digits: int | None = EXACT) -> Packed:
    """The numbers with so many significant digits; 0: exactly, None: none of them."""
    if digits is None:
        return Packed("x", len(values))
    if digits:
        return _decimal(values, digits)
    scale = _scale_of(values)
    return (
        _doubles(values)
        if scale is None
        else _integers([int(v * (1 << scale)) for v in values] if scale else list(map(int, values)), scale)
    )


def _scale_of(values: Sequence[float]) -> int | None:
    """The power of 2 that makes integers of all of them, None: none does."""
    if not all(map(math.isfinite, values)):
        return None
    denominator = 1 if all(map(float.is_integer, values)) else max(v.as_integer_ratio()[1] for v in values)
    scale = denominator.bit_length() - 1
    largest = max(map(abs, values), default=0.0)
    negative_zero = 0.0 in values and any(v == 0 and math.copysign(1, v) < 0 for v in values)
    return None if scale > _LEAST_BITS or largest * denominator >= _LARGEST or negative_zero else scale


def _integers(values: Sequence[int], scale: int = 0) -> Packed:
    raw, planes = _planes_of(values)
    return Packed("i", len(values), zlib.compress(raw, 6), planes, scale)


def _planes_of(values: Sequence[int]) -> tuple[bytes, int]:
    """Differences, as numbers without a sign; the lowest bytes of all of them first."""
    differences = map(operator.sub, values, [0, *values[:-1]])
    folded = array("Q", [d << 1 if d >= 0 else (-d << 1) - 1 for d in differences])
    planes = (max(folded, default=0).bit_length() + 7) // 8
    data = _bytes_of(folded)
    return b"".join(data[k::_DOUBLE] for k in range(planes)), planes


def _doubles(values: Sequence[float]) -> Packed:
    data = _bytes_of(array("d", values))
    return Packed("f", len(values), zlib.compress(b"".join(data[k::_DOUBLE] for k in range(_DOUBLE)), 6), _DOUBLE)


def _bytes_of(numbers: array[int] | array[float]) -> bytes:
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers.tobytes()


def _decimal(values: Sequence[float], digits: int) -> Packed:
    finite = values if all(map(math.isfinite, values)) else [v if math.isfinite(v) else 0.0 for v in values]
    written = f"%.{digits - 1}e " * len(values) % tuple(finite)  # all at once, which takes a third of the time
    parts = written.replace(".", "").replace("e", " ").split()
    mantissas = list(map(int, parts[::2]))
    exponents = [int(exponent) - digits + 1 + _OFFSET for exponent in parts[1::2]]
    for at, v in enumerate(values) if finite is not values else ():
        if not math.isfinite(v):
            mantissas[at] = 0 if math.isnan(v) else int(math.copysign(1, v))
            exponents[at] = _NOT_FINITE + _OFFSET
    if exponents and not 0 <= min(exponents) <= max(exponents) <= _NOT_FINITE + _OFFSET:
        return _doubles(values)  # an exponent that takes more than a byte
    raw, planes = _planes_of(mantissas)
    return Packed("d", len(values), zlib.compress(bytes(exponents) + raw, 6), planes)
