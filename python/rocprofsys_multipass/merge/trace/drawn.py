# SPDX-License-Identifier: MIT
"""Slices in a trace by where their packets are, as columns: there are as many as a run has kernels, or passes of them.

A slice takes 40 bytes, one of which only the beginning is kept 24. What many have alike is kept once.
"""

from __future__ import annotations

import heapq
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

_OUTER: Final = -1
_INNER_BITS: Final = 24
_INNER: Final = (1 << _INNER_BITS) - 1
_NUMBERS: Final = range(-(1 << 63), 1 << 63)  # what a column can hold
_NEVER: Final = (1 << 64) - 1  # a place where no packet is
_PIECE: Final = 1 << 14  # of what is sorted at once
_OTHER: Final = -1  # events: begins something that is not kept
_END: Final = -2


class Place(int):
    """A packet: its byte, and which one it is of those that are compressed in it (-1: it is not compressed).

    One number of 64 bits, in order of the file, which has a terabyte at most and in one packet 16 million others.
    """

    __slots__ = ()

    def __new__(cls, offset: int, inner: int = _OUTER) -> Place:  # noqa: D102, PYI034  typing has Self from 3.11 on
        if inner >= _INNER:
            raise OverflowError(f"{inner + 1} packets compressed in one")
        return super().__new__(cls, offset << _INNER_BITS | inner + 1)

    @property
    def offset(self) -> int:
        """Of the packet in the file."""
        return self >> _INNER_BITS

    @property
    def inner(self) -> int:
        """Among those that are compressed in it."""
        return (self & _INNER) - 1


class Kind(NamedTuple):
    """What many slices have alike. `keys`: of their arguments; `numbered`: they have a dispatch id."""

    track: int
    category: str
    name: str
    keys: tuple[str, ...]
    numbered: bool


class Slices:
    """Slices and instants of categories that were asked for, in order of the file."""

    def __init__(self) -> None:
        self.kinds: list[Kind] = []
        self.kind = array("I")  # its number
        self.dispatch_ids = array("I")  # 0 where the kind has none; of 64 bits where one needs them
        self.places = array("Q")
        self.starts = array("q")
        self.ends = array("q")  # up to the last slice that was closed, and so is the next
        self.closed_by = array("Q")
        self._numbers: dict[Kind, int] = {}

    def __len__(self) -> int:
        return len(self.kind)

    def __getitem__(self, at: int) -> Drawn:
        return Drawn(self, at)

    def __iter__(self) -> Iterator[Drawn]:
        return (Drawn(self, at) for at in range(len(self)))

    def add(self, kind: Kind, place: Place, start_ns: int, dispatch_id: int | None) -> int:
        """One more; its number. OverflowError: a number of more than 64 bits is in it."""
        number = dispatch_id or 0
        if start_ns not in _NUMBERS or number not in _NUMBERS:
            raise OverflowError(f"{start_ns} or {dispatch_id} has more than 64 bits")
        self.places.append(place)
        self.starts.append(start_ns)
        try:
            self.dispatch_ids.append(number)
        except OverflowError:
            self.dispatch_ids = array("q", self.dispatch_ids)
            self.dispatch_ids.append(number)
        known = self._numbers.get(kind)
        if known is None:
            known = self._numbers[kind] = len(self.kinds)
            self.kinds.append(kind)
        self.kind.append(known)
        return len(self.kind) - 1

    def close(self, at: int, end_ns: int, place: int) -> None:
        """Says where a slice ends."""
        missing = at + 1 - len(self.ends)
        if missing > 0:
            self.closed_by.extend([_NEVER] * missing)
            self.ends.extend([0] * missing)
        self.ends[at] = end_ns
        self.closed_by[at] = place

    def closing(self, at: int) -> int:
        """The packet that closes a slice; above all others where none does."""
        return self.closed_by[at] if at < len(self.closed_by) else _NEVER

    def with_kinds(self, wanted: Collection[int]) -> Collection[int]:
        """The slices of these kinds."""
        if len(wanted) == len(self.kinds):
            return range(len(self))
        return array("I", (at for at, kind in enumerate(self.kind) if kind in wanted))


@dataclass(frozen=True, slots=True)
class Drawn:
    """One of them, to look at. `end_ns` and `closed_by` None: it is an instant, or nothing closes it."""

    of: Slices
    at: int

    @property
    def place(self) -> Place:
        """The packet that it begins with."""
        return _place(self.of.places[self.at])

    @property
    def closed_by(self) -> Place | None:
        """The packet that it ends with."""
        place = self.of.closing(self.at)
        return None if place == _NEVER else _place(place)

    @property
    def kind(self) -> Kind:
        """What it has in common with others."""
        return self.of.kinds[self.of.kind[self.at]]

    @property
    def track(self) -> int:
        """The uuid of its track."""
        return self.kind.track

    @property
    def category(self) -> str:
        """The category that was asked for."""
        return self.kind.category

    @property
    def name(self) -> str:
        """What is written on it."""
        return self.kind.name

    @property
    def keys(self) -> tuple[str, ...]:
        """Of its arguments, in order."""
        return self.kind.keys

    @property
    def dispatch_id(self) -> int | None:
        """The argument of that name; None: it has none, or it is no number."""
        return self.of.dispatch_ids[self.at] if self.kind.numbered else None

    @property
    def start_ns(self) -> int:
        """When it begins."""
        return self.of.starts[self.at]

    @property
    def end_ns(self) -> int | None:
        """When it ends."""
        return None if self.of.closing(self.at) == _NEVER else self.of.ends[self.at]


def _place(number: int) -> Place:
    return int.__new__(Place, number)


class ByDispatch(Mapping[int, Sequence[Drawn]]):
    """Slices that have a dispatch id by it, in order of start; ids in order."""

    def __init__(self, slices: Slices, kinds: Iterable[int]) -> None:
        """Of these kinds."""
        self._of = slices
        ids, starts = slices.dispatch_ids, slices.starts
        chosen = slices.with_kinds({one for one in kinds if slices.kinds[one].numbered})
        self._order = in_order(chosen, lambda at: (ids[at], starts[at]))
        self._count = -1

    def __getitem__(self, dispatch_id: int) -> list[Drawn]:
        ids, order = self._of.dispatch_ids, self._order
        first = bisect_left(order, dispatch_id, key=ids.__getitem__)
        found = []
        while first < len(order) and ids[order[first]] == dispatch_id:
            found.append(Drawn(self._of, order[first]))
            first += 1
        if not found:
            raise KeyError(dispatch_id)
        return found

    def __iter__(self) -> Iterator[int]:
        last = None
        for at in self._order:
            if (dispatch_id := self._of.dispatch_ids[at]) != last:
                yield dispatch_id
                last = dispatch_id

    def __len__(self) -> int:
        if self._count < 0:
            self._count = sum(1 for _ in self)
        return self._count


def in_order(numbers: Collection[int], key: Callable[[int], object]) -> Sequence[int]:
    """Numbers below 2**32 in order of their key, equal ones in order as they were; never all as objects at once."""
    pieces: list[array[int]] = []
    as_they_are = True
    for piece in _pieces(numbers):
        ordered = array("I", sorted(piece, key=key))  # type: ignore[arg-type]  # keys of one kind
        follows = not pieces or key(pieces[-1][-1]) <= key(ordered[0])  # type: ignore[operator]
        as_they_are = as_they_are and follows and ordered == piece
        if pieces and follows:
            pieces[-1].extend(ordered)
        else:
            pieces.append(ordered)
    if as_they_are and isinstance(numbers, range):
        return numbers
    if len(pieces) > 1:
        return array("I", heapq.merge(*pieces, key=key))  # type: ignore[arg-type]
    return pieces[0] if pieces else array("I")


def _pieces(numbers: Collection[int]) -> Iterator[array[int]]:
    piece = array("I")
    for one in numbers:
        piece.append(one)
        if len(piece) == _PIECE:
            yield piece
            piece = array("I")
    if piece:
        yield piece


class OutOfOrderError(Exception):
    """An event is earlier than one that its track has already."""


class _Events(NamedTuple):
    """What begins and ends on a track."""

    times: array[int]
    what: array[int]
    places: array[int]


class Forming:
    """Forms slices as Perfetto's importer does: in order of time, an end closes the innermost.

    Where events are `in_order` on each track only what is open is kept, else 20 bytes for each event.
    """

    def __init__(self, slices: Slices, *, in_order: bool) -> None:
        self._slices = slices
        self._in_order = in_order
        self._open: dict[int, list[int]] = defaultdict(list)
        self._last: dict[int, int] = {}
        self._events: dict[int, _Events] = defaultdict(lambda: _Events(array("q"), array("i"), array("Q")))

    def begin(self, track: int, time: int, at: int | None) -> None:
        """A slice begins; `at` None: none that is kept. OutOfOrderError: as the class says."""
        self._event(track, time, _OTHER if at is None else at, 0)

    def end(self, track: int, time: int, place: Place) -> None:
        """The innermost slice ends with that packet. OutOfOrderError: as the class says."""
        self._event(track, time, _END, place)

    def _event(self, track: int, time: int, what: int, place: int) -> None:
        if time not in _NUMBERS:
            raise OverflowError(f"{time} ns has more than 64 bits")
        if not self._in_order:
            events = self._events[track]
            events.times.append(time)
            events.what.append(what)
            events.places.append(place)
            return
        if time < self._last.get(track, time):
            raise OutOfOrderError
        self._last[track] = time
        self._next(self._open[track], time, what, place)

    def _next(self, opened: list[int], time: int, what: int, place: int) -> None:
        if what != _END:
            opened.append(what)
        elif opened and (at := opened.pop()) != _OTHER:
            self._slices.close(at, time, place)

    def finish(self) -> None:
        """All events are there."""
        while self._events:
            _, (times, what, places) = self._events.popitem()
            opened: list[int] = []
            for at in in_order(range(len(times)), times.__getitem__):
                self._next(opened, times[at], what[at], places[at])
