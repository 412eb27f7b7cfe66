# SPDX-License-Identifier: MIT
"""Slices in a trace by where their packets are, kept small: there are as many as a run has kernels."""

from __future__ import annotations

import operator
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

_OUTER: Final = -1
_INNER_BITS: Final = 32
_INNER: Final = (1 << _INNER_BITS) - 1


class Place(int):
    """A packet: its byte, and which one it is of those that are compressed in it (-1: it is not compressed).

    One number, because there are as many of them as slices; in order of the file.
    """

    __slots__ = ()

    def __new__(cls, offset: int, inner: int = _OUTER) -> Place:  # noqa: D102, PYI034  typing has Self from 3.11 on
        return super().__new__(cls, offset << _INNER_BITS | inner + 1)

    @property
    def offset(self) -> int:
        """Of the packet in the file."""
        return self >> _INNER_BITS

    @property
    def inner(self) -> int:
        """Among those that are compressed in it."""
        return (self & _INNER) - 1


@dataclass(slots=True)
class Drawn:
    """A slice, or an instant, of a category that was asked for. `end_ns` None: nothing closes it."""

    place: Place
    track: int
    category: str
    start_ns: int
    name: str = ""
    keys: tuple[str, ...] = ()  # of its arguments
    dispatch_id: int | None = None
    end_ns: int | None = None
    closed_by: Place | None = None
    depth: int = 0


class Events:
    """What begins and ends on a track on which kernels are drawn, as columns."""

    def __init__(self) -> None:
        self._times = array("q")
        self._begins = bytearray()
        self._what: list[Drawn | Place | None] = []  # a kernel that begins, or where something ends

    def add(self, time: int, what: Drawn | Place | None, *, begins: bool) -> None:
        """One more, in order of the file."""
        self._times.append(time)
        self._begins.append(begins)
        self._what.append(what)

    def slices(self) -> Iterator[Drawn]:
        """As Perfetto's importer forms them: in order of time, an end closes the innermost."""
        times, begins, what = self._times, self._begins, self._what
        order: Iterable[int] = range(len(times))
        if any(map(operator.gt, times, times[1:])):
            order = sorted(order, key=times.__getitem__)
        opened: list[Drawn | Place | None] = []
        for at in order:
            if begins[at]:
                opened.append(what[at])
            elif opened:
                begun, closing = opened.pop(), what[at]
                if isinstance(begun, Drawn) and isinstance(closing, Place):
                    begun.end_ns, begun.closed_by, begun.depth = times[at], closing, len(opened)
                    yield begun
        for depth, begun in enumerate(opened):
            if isinstance(begun, Drawn):
                begun.depth = depth
                yield begun
